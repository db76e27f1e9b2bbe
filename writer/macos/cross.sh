#!/bin/sh
# cross.sh: builds build/macos-arm64/tracepress and build/macos-x86_64/tracepress on Linux with zig. ZIG is the path
# of the zig program; if it is not set, the script searches for one. If there is no zig, the script prints one line and
# builds nothing.
cd "$(dirname "$0")/../.." || exit 1
zig=${ZIG:-$(command -v zig || { python3 -m ziglang version >/dev/null 2>&1 && echo "python3 -m ziglang"; })}
if [ -z "$zig" ]; then
    echo "macOS: skipped, no zig (pip install ziglang, or ZIG=PROGRAM)"
    exit 0
fi
for cpu in arm64 x86_64; do
    case $cpu in arm64) target=aarch64-macos ;; *) target=$cpu-macos ;; esac
    folder=$PWD/build/macos-$cpu
    CC="$zig cc -target $target" AR="$zig ar" sh writer/macos/libraries.sh "$folder/libraries" || exit 1
    ${MAKE:-make} --no-print-directory -j"$(nproc 2>/dev/null || echo 2)" OS=Darwin BUILD="build/macos-$cpu" CC="$zig cc -target $target" \
        AR="$zig ar" HAVE_ISAL= CPPFLAGS="-I$folder/libraries/include" LDFLAGS="-L$folder/libraries/lib" all || exit 1
done
