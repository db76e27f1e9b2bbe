#!/bin/sh
# precision.sh BUILD [PYTHON]: measures `precision` on two arrays, relative to reading them with cat, and to the same
# sums in NumPy if PYTHON has NumPy. Two sizes show how memory depends on the size.
set -eu
cd "$(dirname "$0")/../.."
build=$1 python=${2:-python3} # an empty PYTHON means python3, too
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-precision.XXXXXX")
trap 'rm -rf "$work"' EXIT

array() { # array MEGABYTES FILE: writes an array of floats with random bits
    printf "\223NUMPY\1\0v\0%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': ($(($1 * 262144)),), }" >"$2"
    head -c "$1"M /dev/urandom >>"$2"
}
cat >"$work/sums.py" <<'END'
import sys
import numpy
numpy.seterr(all="ignore")
y, x = (numpy.load(path).astype(numpy.float64) for path in sys.argv[1:])
good = numpy.isfinite(x) & numpy.isfinite(y)
x, y = x[good], y[good]
d = abs(x - y)
print(d.max(), (d[y != 0] / abs(y[y != 0])).max(), (d * d).mean() ** 0.5, (x * y).sum() / ((x * x).sum() * (y * y).sum()) ** 0.5,
      (d > 1e-5 + 1.3e-6 * abs(y)).sum())
END
median() { sort -n "$work/$1" | awk '{ w[NR] = $1; p[NR] = $2 } END { i = int((NR + 1) / 2); print w[i], p[i] }'; }
mkdir "$work/base" "$work/new"
for megabytes in 64 256; do
    rm -f "$work/ours" "$work/cat" "$work/numpy"
    array $megabytes "$work/base/x.npy"
    cp "$work/base/x.npy" "$work/new/x.npy"
    printf 'other bits' | dd of="$work/new/x.npy" bs=1 seek=4096 conv=notrunc 2>/dev/null
    has_numpy=$("$python" -c 'import numpy; print(1)' 2>/dev/null || :)
    for _ in 1 2 3; do
        "$build/measure" cat "$work/base/x.npy" "$work/new/x.npy" >>"$work/cat"
        "$build/measure" "$build/tracepress" precision "$work/base/x.npy" "$work/new/x.npy" --quiet >>"$work/ours"
        [ -z "$has_numpy" ] || "$build/measure" "$python" "$work/sums.py" "$work/base/x.npy" "$work/new/x.npy" >>"$work/numpy"
    done
    awk '$4 != 1 { exit 1 }' "$work/ours" && "$build/tracepress" precision "$work/base" "$work/new" --quiet | grep -q '^1 of 1' || { echo "precision failed"; exit 1; }
    [ -n "$has_numpy" ] || echo "0 0" >"$work/numpy"
    echo "$megabytes $(median ours) $(median cat) $(median numpy)" | awk '{ printf "precision of two arrays of %d MB: %.0f ms, %.1f of reading them, peak %.1f MB",
        $1, $2 / 1e3, $2 / $4, $3 / 1024
        if ($6) printf "; NumPy %.0f ms, %.0f MB", $6 / 1e3, $7 / 1024
        print "" }'
done
