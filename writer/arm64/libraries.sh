#!/bin/sh
# libraries.sh FOLDER: fetches the libraries for an arm64 build and unpacks them in FOLDER/root. They are Debian's
# packages for arm64; apt-get fetches and verifies them. Compilers and qemu use FOLDER/root as their root folder. Does
# nothing if a finished copy is newer than this script.
set -e
self=$(realpath "$0")
mkdir -p "${1:?folder}"
cd "$1"
[ ! done -nt "$self" ] || exit 0
rm -rf done apt root
mkdir -p apt/lists/partial apt/cache/archives/partial root
: >apt/status # an empty list of installed packages, so that apt-get fetches all that is needed
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb ${MIRROR:-http://deb.debian.org/debian} $suite main" >apt/sources
# apt-get uses separate lists and a separate cache here, so that the system's lists do not change
fetch() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::Etc::sourcelist="$PWD/apt/sources" \
        -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/apt/lists" -o Dir::State::status="$PWD/apt/status" \
        -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=0 "$@"
}
fetch update
# the last two packages are for programs that the tests start
fetch install -y --download-only zlib1g-dev libprotobuf-c-dev libsqlite3-dev libunwind-dev libdw-dev libisal-dev \
    libcmocka-dev libstdc++6 dash >apt/log 2>&1 || { cat apt/log; exit 1; }
for package in apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" root
done
rm -rf apt
touch done
