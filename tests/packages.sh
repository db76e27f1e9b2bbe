#!/bin/sh
# packages.sh build [test]: makes sure that the required Debian or Ubuntu packages are installed.
#
# Prints the missing packages and installs them as root or by sudo. If that is impossible, prints the apt-get line and
# exits with 1. Missing optional packages (faster decompression, browser checks) are not an error.
set -u

compiles() { printf '%s\n' "$1" | ${CC:-cc} -E - >/dev/null 2>&1; }
has() { command -v "$1" >/dev/null 2>&1; }

needed= wanted=
for stage in "$@"; do
    case $stage in
    build)
        has "${CC:-cc}" || needed="$needed gcc"
        compiles '#include <stdlib.h>' || needed="$needed libc6-dev"
        compiles '#include <zlib.h>' || needed="$needed zlib1g-dev"
        compiles '#include <protobuf-c/protobuf-c.h>' || needed="$needed libprotobuf-c-dev"
        compiles '#include <sqlite3.h>' || needed="$needed libsqlite3-dev"
        has protoc-c || needed="$needed protobuf-c-compiler"
        compiles '#include <libunwind.h>' || needed="$needed libunwind-dev"
        compiles '#include <elfutils/libdwfl.h>' || needed="$needed libdw-dev"
        compiles '#include <isa-l/igzip_lib.h>' || wanted="$wanted libisal-dev"
        ;;
    test)
        compiles '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>' || needed="$needed libcmocka-dev"
        has python3 || needed="$needed python3" # python3 computes the definitions and reads outputs back
        has pgrep || needed="$needed procps"
        has chromium || has chromium-browser || has google-chrome || wanted="$wanted chromium"
        has node || wanted="$wanted nodejs"
        has sqlite3 || wanted="$wanted sqlite3"
        # this package contains flamegraph.pl
        [ -f /usr/share/perl5/Devel/NYTProf/flamegraph.pl ] || wanted="$wanted libdevel-nytprof-perl"
        has zsh || wanted="$wanted zsh" # tests of completions need these shells
        has fish || wanted="$wanted fish"
        has parallel || wanted="$wanted parallel"
        has mpicc || wanted="$wanted libopenmpi-dev openmpi-bin"
        has darknet || wanted="$wanted darknet"
        has valgrind || wanted="$wanted valgrind" # valgrind counts instructions
        has tesseract || wanted="$wanted tesseract-ocr"
        ;;
    esac
done
[ -n "$needed$wanted" ] || exit 0

# Each optional package is tried once per build folder, so that the script does not ask again on a machine without
# network.
tried=build/optional-packages.tried
untried=
for package in $wanted; do
    [ "${TP_OPTIONAL_PACKAGES:-yes}" = no ] || grep -qx "$package" $tried 2>/dev/null || untried="$untried $package"
done
wanted=$untried
[ -n "$needed$wanted" ] || exit 0
run=
if [ "$(id -u)" != 0 ]; then
    if has sudo && { sudo -n true 2>/dev/null || { [ -n "$needed" ] && [ -t 0 ]; }; }; then
        run=sudo
    else
        run=none
    fi
fi
if [ "$run" = none ] || ! has apt-get; then
    [ -n "$needed" ] || exit 0
    echo "tracepress needs packages that are not installed. As root:"
    echo "  apt-get install --no-install-recommends$needed$wanted"
    exit 1
fi

apt() { $run env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@" >"$log" 2>&1; }
install() { apt install -y --no-install-recommends "$@"; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
if [ -n "$needed" ]; then
    echo "Installing Debian packages:$needed"
    # shellcheck disable=SC2086
    { apt update; install $needed; } || {
        tail -n 5 "$log"
        echo "Could not install them. As root:"
        echo "  apt-get update && apt-get install --no-install-recommends$needed$wanted"
        exit 1
    }
fi
[ -z "$wanted" ] || mkdir -p build
for package in $wanted; do
    echo "$package" >>$tried
    echo "Installing optional Debian package: $package"
    install "$package" || { apt update && install "$package"; } ||
        echo "  not available here: what needs it is left out or counted as skipped"
done
exit 0
