#!/bin/sh
# libraries.sh FOLDER: builds protobuf-c, SQLite and TRE for Windows in FOLDER/include and FOLDER/lib.
# The sources are Debian's; apt-get fetches and verifies them. WINDOWS_CC is the compiler.
# Does nothing if a finished copy is newer than this script.
set -e
self=$(realpath "$0")
mkdir -p "${1:?folder}"
cd "$1"
[ ! done -nt "$self" ] || exit 0
rm -rf done include lib apt protobuf-c* sqlite* tre*
host=x86_64-w64-mingw32
CC=${WINDOWS_CC:-$host-gcc} AR=$host-ar
mkdir -p apt/lists/partial apt/cache/archives/partial include/protobuf-c lib sqlite tre
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb-src ${MIRROR:-http://deb.debian.org/debian} $suite main" >apt/sources
# apt-get uses separate lists and a separate cache here, so that the system's lists do not change
fetch() {
    apt-get -qq -o Dir::Etc::sourcelist="$PWD/apt/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/apt/lists" \
        -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root "$@"
}
fetch update
fetch source protobuf-c sqlite3 tre >apt/log 2>&1 || { cat apt/log; exit 1; }

cp protobuf-c-*/protobuf-c/protobuf-c.h include/protobuf-c/
$CC -O2 -I"$(echo protobuf-c-*/)" -c -o protobuf-c.o protobuf-c-*/protobuf-c/protobuf-c.c
$AR qcs lib/libprotobuf-c.a protobuf-c.o
(unset CC AR && cd sqlite && ../sqlite3-*/configure --disable-tcl && make sqlite3.c) >sqlite.log 2>&1 || { tail sqlite.log; exit 1; }
cp sqlite/sqlite3.h include
# same options as Debian's package: deleted data does not remain in the file's pages
$CC -O2 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_SECURE_DELETE -c -o sqlite3.o sqlite/sqlite3.c
$AR qcs lib/libsqlite3.a sqlite3.o
# regular expressions work on bytes, as in the locale C
(cd tre && ../tre-*/configure CC="$CC" --host=$host --prefix="$(dirname "$PWD")" --disable-shared --disable-wchar --disable-multibyte \
    --disable-approx --disable-agrep --disable-nls && make -C lib install) >tre.log 2>&1 || { tail tre.log; exit 1; }
touch done
