#!/bin/sh
# dependencies.sh PREFIX: builds the libraries that a release links statically, from the archives listed in sources.txt.
# Installs them in PREFIX/lib and PREFIX/include. If the checksum of an archive differs, the script fails and does not
# unpack the archive. Installs only the headers of libunwind, because programs load this library when stacks are
# recorded.
#
# MIRROR is the address of the archives: a Debian mirror, or file:///.. for a folder with the same structure. The script
# needs cc, make, curl, tclsh (for SQLite) and, on x86_64, nasm (for ISA-L).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1
mkdir -p "$prefix/include" "$prefix/lib"
prefix=$(cd "$prefix" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc} CFLAGS="-Os -fPIC -fvisibility=hidden -DNDEBUG -ffunction-sections -fdata-sections"
export CC CFLAGS
jobs=$(nproc 2>/dev/null || echo 2)

cd "$work"
while read -r sum path; do
    file=$(basename "$path")
    # in an address, %2B replaces the plus sign
    curl -sS --fail --location --retry 3 --max-time 600 -o "$file" "${MIRROR:-https://deb.debian.org/debian}/$(echo "$path" | sed 's/+/%2B/g')"
    echo "$sum  $file" | sha256sum -c --quiet
    mkdir "${file%%_*}"
    tar xf "$file" -C "${file%%_*}" --strip-components=1
done <"$here/sources.txt"

library() { # library NAME OBJECT...: makes the static library NAME. Equal objects give equal bytes.
    rm -f "$prefix/lib/lib$1.a"
    archive=$prefix/lib/lib$1.a
    shift
    ar qcDs "$archive" "$@"
}
zlib() { ./configure --static --prefix="$prefix" && make -j"$jobs" libz.a && cp libz.a "$prefix/lib" && cp zlib.h zconf.h "$prefix/include"; }
protobuf_c() { # the library has one source file; the system provides protoc-c, the compiler of its schemas
    $CC $CFLAGS -I. -c protobuf-c/protobuf-c.c -o protobuf-c.o && library protobuf-c protobuf-c.o &&
        mkdir -p "$prefix/include/protobuf-c" && cp protobuf-c/protobuf-c.h "$prefix/include/protobuf-c"
}
# SQLite is a fourth of the command; with these flags it has two fifths fewer bytes. The options leave out functions that no statement
# of tracepress can reach, and functions of JSON, which no query of `ask` needs. They leave out no part of the SQL grammar, because SQLite
# must understand the schema of each database and the queries of `ask`. Nothing unwinds the command.
SMALL="-fno-asynchronous-unwind-tables -fno-unwind-tables -DSQLITE_UNTESTABLE"
for part in COMPILEOPTION_DIAGS COMPLETE DATETIME_FUNCS DECLTYPE DEPRECATED DESERIALIZE GET_TABLE INCRBLOB INTEGRITY_CHECK JSON LOAD_EXTENSION \
    SHARED_CACHE TCL_VARIABLE TRACE; do
    SMALL="$SMALL -DSQLITE_OMIT_$part"
done
sqlite() { # builds the library from sqlite3.c, which contains all of SQLite
    ./configure --disable-tcl --disable-shared --disable-readline && make sqlite3.c &&
        $CC $CFLAGS $SMALL -c sqlite3.c -o one.o && library sqlite3 one.o && cp sqlite3.h "$prefix/include"
}
isal() {
    make -j"$jobs" -f Makefile.unx lib units=igzip CC="$CC" DEBUG="-fPIC -ffunction-sections -fdata-sections" && cp bin/isa-l.a "$prefix/lib/libisal.a" &&
        mkdir -p "$prefix/include/isa-l" && cp include/igzip_lib.h "$prefix/include/isa-l"
}
libunwind() { ./configure --prefix="$work/unwind" && make install-includeHEADERS install-nodist_includeHEADERS && cp "$work"/unwind/include/libunwind*.h "$prefix/include"; }

for each in zlib:zlib protobuf-c:protobuf_c sqlite3:sqlite libisal:isal libunwind:libunwind; do
    echo "building ${each%%:*}" >&2
    # The functions join their commands by &&. In a subshell before && or ||, `set -e` has no effect, so a failed
    # command would not stop them.
    (cd "$work/${each%%:*}" && "${each##*:}") >"$work/log" 2>&1 || {
        tail -n 30 "$work/log" >&2
        exit 1
    }
done
