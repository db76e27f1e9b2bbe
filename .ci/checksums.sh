#!/bin/sh
# checksums.sh FOLDER: writes FOLDER/SHA256SUMS if FOLDER contains exactly the files of a release of the Makefile's
# version: the archive of the sources, and a wheel and a Debian package for each machine. Otherwise prints the
# difference and exits with 1.
set -eu
version=$(sed -n 's/^VERSION := //p' "$(dirname "$0")/../Makefile")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$1"
rm -f SHA256SUMS
{
    echo "torch_tracepress-$version.tar.gz"
    for machine in x86_64 aarch64; do echo "torch_tracepress-$version-py3-none-manylinux_2_28_$machine.whl"; done
    for machine in amd64 arm64; do echo "tracepress_${version}_$machine.deb"; done
} | LC_ALL=C sort >"$work/wanted"
find . -mindepth 1 | sed 's|^[.]/||' | LC_ALL=C sort >"$work/there"
diff "$work/wanted" "$work/there" >&2 || {
    echo "checksums.sh: < is missing, > does not belong to a release" >&2
    exit 1
}
xargs sha256sum <"$work/wanted" >"$work/sums"
mv "$work/sums" SHA256SUMS
