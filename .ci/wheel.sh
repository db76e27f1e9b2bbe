#!/bin/sh
# wheel.sh PREFIX PLATFORM OUT: the wheel of a release, in the folder OUT. It is linked with the libraries of PREFIX
# (dependencies.sh) and named after PLATFORM, such as manylinux_2_28_x86_64; a wheel that needs a newer C library than
# PLATFORM says, another library, or more than MOST bytes ends it.
#
# PYTHON has hatchling and auditwheel; BUILD is make's.
set -eu
MOST=3000000
cd "$(dirname "$0")/.."
prefix=$(cd "$1" && pwd) platform=$2 out=$3
PYTHON=${PYTHON:-python3}
fail() { echo "wheel.sh: $1" >&2; exit 1; }

mkdir -p "$out"
[ -z "$(find "$out" -name '*.whl')" ] || fail "$out has a wheel already"
CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib" CFLAGS="${CFLAGS:--g0}" STATIC_LIBS=1 TRACEPRESS_WHEEL_PLATFORM=$platform \
    "$PYTHON" -m hatchling build -t wheel -d "$out" >&2
wheel=$(find "$out" -name "*-py3-none-$platform.whl")
[ -n "$wheel" ] || fail "no wheel for $platform in $out"
[ "$(wc -c <"$wheel")" -le $MOST ] || fail "$wheel has more than $MOST bytes"

"$PYTHON" -m auditwheel show --json "$wheel" >"$out/auditwheel.json"
"$PYTHON" .ci/platform.py "$platform" <"$out/auditwheel.json"
rm "$out/auditwheel.json"
echo "$wheel"
