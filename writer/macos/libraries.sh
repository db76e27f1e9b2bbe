#!/bin/sh
# libraries.sh FOLDER: builds zlib, protobuf-c and SQLite for macOS in FOLDER/include and FOLDER/lib.
# The sources are Debian's; apt-get fetches and verifies them. CC and AR are the compiler and archiver for the target.
# Does nothing if a finished copy is newer than this script.
set -e
self=$(realpath "$0")
mkdir -p "${1:?folder}"
cd "$1"
[ ! done -nt "$self" ] || exit 0
sources=../../macos-sources
if [ ! -e $sources/done ] || [ "$self" -nt $sources/done ]; then
    rm -rf $sources
    mkdir -p $sources/apt/lists/partial $sources/apt/cache/archives/partial
    (
        cd $sources
        suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
        echo "deb-src ${MIRROR:-http://deb.debian.org/debian} $suite main" >apt/sources
        # apt-get uses separate lists and a separate cache here, so that the system's lists do not change
        fetch() {
            apt-get -qq -o Dir::Etc::sourcelist="$PWD/apt/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$PWD/apt/lists" \
                -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root "$@"
        }
        fetch update || { echo "no sources of its libraries"; exit 1; }
        fetch source zlib protobuf-c sqlite3 >apt/log 2>&1 || { cat apt/log; echo "no sources of its libraries"; exit 1; }
        mkdir sqlite && cd sqlite
        { CC="${HOST_CC:-cc}" AR=ar ../sqlite3-*/configure --disable-tcl && make sqlite3.c; } >../sqlite.log 2>&1 || { tail ../sqlite.log; exit 1; }
    )
    touch $sources/done
fi
rm -rf include lib objects
mkdir -p include/protobuf-c lib objects
cp $sources/protobuf-c-*/protobuf-c/protobuf-c.h include/protobuf-c/
cp $sources/sqlite/sqlite3.h include/
cp $sources/zlib-*/zlib.h $sources/zlib-*/zconf.h include/
$CC -O2 -I"$(echo $sources/protobuf-c-*/)" -c -o objects/protobuf-c.o $sources/protobuf-c-*/protobuf-c/protobuf-c.c
# same options as Debian's package: deleted data does not remain in the file's pages
$CC -O2 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_SECURE_DELETE -c -o objects/sqlite3.o $sources/sqlite/sqlite3.c
for part in adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees uncompr zutil; do
    # zlib 1.2.13 assumes that every Mac runs the classic Mac OS, which has no fdopen
    $CC -O2 -w -Dfdopen=fdopen -DHAVE_UNISTD_H -DHAVE_STDARG_H -c -o objects/z_$part.o $sources/zlib-*/$part.c
done
$AR qcs lib/libprotobuf-c.a objects/protobuf-c.o
$AR qcs lib/libsqlite3.a objects/sqlite3.o
$AR qcs lib/libz.a objects/z_*.o
touch done
