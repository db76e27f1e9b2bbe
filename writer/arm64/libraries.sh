#!/bin/sh
# libraries.sh FOLDER: what a build for arm64 stands on, Debian's own packages of that processor, unpacked in FOLDER/root,
# a root for compilers and for qemu. apt-get fetches and checks them. Nothing is done where they are there.
set -e
self=$(realpath "$0")
mkdir -p "${1:?folder}"
cd "$1"
[ ! done -nt "$self" ] || exit 0
rm -rf done apt root
mkdir -p apt/lists/partial apt/cache/archives/partial root
: >apt/status # nothing is installed: all that is needed is fetched
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb ${MIRROR:-http://deb.debian.org/debian} $suite main" >apt/sources
# a state of apt's own: the system's lists stay as they are
fetch() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::Etc::sourcelist="$PWD/apt/sources" \
        -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/apt/lists" -o Dir::State::status="$PWD/apt/status" \
        -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=0 "$@"
}
fetch update
# the last two are for programs that the tests start
fetch install -y --download-only zlib1g-dev libprotobuf-c-dev libsqlite3-dev libunwind-dev libdw-dev libisal-dev \
    libcmocka-dev libstdc++6 dash >apt/log 2>&1 || { cat apt/log; exit 1; }
for package in apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" root
done
rm -rf apt
touch done
