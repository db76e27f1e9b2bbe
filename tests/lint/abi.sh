#!/bin/sh
# abi.sh BUILD: checks the interface of libtracepress.
#
# The library must export the symbols of tracepress.map, and need only the libraries that are listed here. The public
# header must document every function. It must compile and work without other files of the project, as C99, C17, C++11
# and C++20, with the library and, with TRACEPRESS_DISABLED, without it. In builds with sanitizers, the needed libraries
# are not checked.
build=${1:-build/release}
header=collector/tracepress.h
library=$build/libtracepress.so
needed="libc.so.6 libm.so.6 libz.so.1 libisal.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"
status=0
fail() { echo "$*"; status=1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-abi.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# ---- the library
{ sed -n 's/^ *\([A-Za-z][A-Za-z0-9_]*\);.*/\1/p' collector/tracepress.map; sed -n 's/^# before //p' collector/tracepress.map | tr ' ' '\n'; } | sort >"$work/listed"
if [ -e "$library" ]; then
    nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
    cmp -s "$work/listed" "$work/exported" || {
        fail "exports of $library (>) are not those of collector/tracepress.map (<):"
        diff "$work/listed" "$work/exported"
    }
    case $build in
    *release | *debug)
        for name in $(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
            case " $needed " in *" $name "*) ;; *) fail "$library needs $name, which is not on the list" ;; esac
        done
        ;;
    esac
    readelf -d "$library" | grep -q NODELETE || fail "$library may be unloaded: -z nodelete is missing"
else
    fail "$library is not built"
fi

# ---- the header: a function is directly below its comment, or directly below another function
awk '/^(TRACEPRESS_CALL|static inline) .*[(]/ && !/^static inline .*[)]$/ {
        if (last !~ /\*\/$/ && last !~ /;$/) { print FILENAME ":" FNR ": not documented: " $0; bad = 1 }
    }
    { last = $0 } END { exit bad }' $header || status=1
sed -n 's/^\(TRACEPRESS_CALL\|static inline\) .*[ *]\(tracepress_[a-z0-9_]*[a-z0-9]\)(.*/\2/p' $header | sort -u >"$work/public"
while read -r name; do
    grep -q "$name(" tests/lint/use_api.c || grep -q "$name;" tests/lint/use_api.c ||
        fail "tests/lint/use_api.c does not call $name"
done <"$work/public"
grep '^tracepress.*[^_]$' "$work/listed" | while read -r name; do grep -qx "$name" "$work/public" || echo "$name"; done >"$work/undeclared"
[ ! -s "$work/undeclared" ] || fail "exported and not declared: $(tr '\n' ' ' <"$work/undeclared")"

# use COMPILER STANDARD LANGUAGE: compiles and runs use_api.c in this standard, with and without the library
use() {
    command -v "${1##* }" >/dev/null || { echo "$1 is not installed: $2 is not tried"; return 0; }
    strict="-std=$2 -pedantic-errors -Wall -Wextra -Werror -O1 -I. -x $3"
    # shellcheck disable=SC2086
    for off in "" -DTRACEPRESS_DISABLED; do
        printf '#include "%s"\nextern int more;\n' $header | $1 $strict $off -fsyntax-only - || fail "$header as $2 $off"
    done
    # shellcheck disable=SC2086
    if $1 $strict -DTRACEPRESS_DISABLED tests/lint/use_api.c -o "$work/off"; then
        "$work/off" "$work/none" && fail "$2: a disabled recording started"
        [ ! -e "$work/none" ] || fail "$2: a disabled recording left files"
    else
        fail "$2: disabled, it does not link without the library"
    fi
    case $build in *release | *debug) ;; *) return 0 ;; esac
    # shellcheck disable=SC2086
    if $1 $strict tests/lint/use_api.c -x none "$library" -o "$work/on" -Wl,-rpath,"$PWD/$build"; then
        rm -rf "$work/runs"
        "$work/on" "$work/runs" || fail "$2: the calls failed"
        [ "$(ls -A "$work/runs" | grep -c '\.pt\.trace\.json\.gz$')" = 1 ] || fail "$2: no trace was left"
    else
        fail "$2: it does not link with the library"
    fi
}
use "${CC:-cc}" c99 c
use "${CC:-cc}" gnu17 c
use "${CXX:-c++}" c++11 c++
use "${CXX:-c++}" c++20 c++

# ---- programs built with a header of another version
layout() {
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c99 -pedantic-errors -Wall -Wextra -Werror -I. "-DHEADER=\"$2\"" ${3:-} tests/abi/layouts.c "$library" -Wl,-rpath,"$PWD/$build" \
        -o "$work/layouts" || { fail "$1: it does not compile"; return; }
    rm -rf "$work/runs"
    "$work/layouts" "$work/runs" 2>"$work/said" || fail "$1: exit code $?"
    [ ! -s "$work/said" ] || fail "$1: $(cat "$work/said")"
    grep -q '"Input Dims":\[\[1,2\],\[3,4\]\]' "$work"/runs/*.json || fail "$1: the operator's inputs are not in the trace"
    grep -q '"Total Reserved":880,"Total Allocated":770' "$work"/runs/*.json || fail "$1: the memory's totals are not in the trace"
}
case $build in
*release | *debug)
    layout "a program of today" $header
    layout "a program built before the structs said their size" $header -DFIRST_LAYOUT
    # copies the header's parts, which it includes
    mkdir "$work/tomorrow" && cp collector/tracepress_*.h "$work/tomorrow"
    awk '/^struct tracepress_(options|operator|memory|table|input|work|argument) \{/ { is_in = 1 }
        is_in && /^\};/ { print "    uint64_t of_tomorrow[3];"; is_in = 0; count++ } { print } END { exit count != 7 }' $header \
        >"$work/tomorrow/tracepress.h" || fail "not every struct that grows was found in $header"
    layout "a program built with a header of tomorrow" "$work/tomorrow/tracepress.h" -Wno-missing-field-initializers
    layout "a program of today" $header
    rm -rf "$work/runs"
    said=$("$work/layouts" "$work/runs" none 2>"$work/said") && [ "$said" = -1 ] || fail "options without size: tracepress_start returned $said"
    [ "$(grep -c '^tracepress: nothing is recorded; .*TRACEPRESS_OPTIONS' "$work/said")" = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] ||
        fail "options without size: it said: $(cat "$work/said")"
    grep -q '"name":"matmul"' "$work"/runs/*.json && ! grep -q 'Input Dims\|Total Allocated' "$work"/runs/*.json ||
        fail "an operator and memory without size: what they say is in the trace, or the operator is not"
    ;;
esac
exit $status
