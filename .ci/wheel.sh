#!/bin/sh
# wheel.sh PREFIX PLATFORM OUT: makes the wheel of a release in the folder OUT. The wheel is linked with the libraries
# of PREFIX (dependencies.sh) and named after PLATFORM, such as manylinux_2_28_x86_64. Fails if the wheel needs a newer
# C library than that of PLATFORM, another library, or more than MOST bytes.
#
# PYTHON is a Python with hatchling, auditwheel and zopfli. BUILD is the build folder of make.
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
"$PYTHON" .ci/repack.py "$wheel"
[ "$(wc -c <"$wheel")" -le $MOST ] || fail "$wheel has more than $MOST bytes"

"$PYTHON" -m auditwheel show --json "$wheel" >"$out/auditwheel.json"
"$PYTHON" .ci/platform.py "$platform" <"$out/auditwheel.json"
rm "$out/auditwheel.json"
echo "$wheel"
