#!/bin/sh
# run.sh [--suite NAME]... BUILD [ASAN_BUILD]: runs the suites and counts. Last line: N passed, N failed.
#
# A suite is tests/suites/NAME.sh. It gets the build folder as BUILD, prints one line per case (`ok - name`,
# `not ok - name`, `ok - name # SKIP reason`, see suites/case.sh) and may print anything else. With ASAN_BUILD the suites
# listed in again= are run a second time with the programs built for ASan and UBSan.
# T=substring runs only the cases whose name contains it, where a suite supports that.
set -u
cd "$(dirname "$0")/.." || exit 1

suites= again="unit numbers golden options table summary check diff damage precision conformance faults replay hostile collector record cuda job"
while [ "${1:-}" = --suite ]; do
    suites="$suites $2" again=
    shift 2
done
[ -n "$suites" ] ||
    suites="lint docs unit numbers one_story golden options table summary check bench history diff damage precision conformance faults reports oracle hostile memory failures inputs outputs replay collector linked record record_stop host_safety outside outside_modes program programs ranks sources_nvtx_itt sources_native cuda abi gpu browser tensorboard live xprof readers exports wording python wheel release artifacts tab job truth cross arm64 macos"
build=${1:?build folder} asan=${2:-}

work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0

count() { grep -c "$@" || :; }

run_suite() { # label, name, build folder
    [ -f "tests/suites/$2.sh" ] || return 0
    started=$(date +%s)
    mkdir -p "$work/$1"
    TOOLS=$PWD/$build BUILD=$PWD/$3 WORK=$work/$1 SUITE=$2 sh "tests/suites/$2.sh" >"$work/$1.log" 2>&1
    status=$?
    s=$(count -a '^\(not \)\{0,1\}ok .*# SKIP' "$work/$1.log" <"$work/$1.log")
    p=$(grep -a '^ok ' "$work/$1.log" | count -av '# SKIP')
    f=$(grep -a '^not ok ' "$work/$1.log" | count -av '# SKIP')
    if [ "$status" != 0 ] && [ "$f" = 0 ]; then
        echo "not ok - suite $2 ended with status $status" >>"$work/$1.log"
        f=1
    fi
    if [ "$((s + p + f))" = 0 ]; then
        echo "not ok - suite $2 ran no case" >>"$work/$1.log"
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '  %-18s %5s passed %3s failed %3s skipped %4s s\n' "$1" "$p" "$f" "$s" "$(($(date +%s) - started))"
    [ "$f" = 0 ] || grep -av '^ok ' "$work/$1.log" | tail -n 60
    [ -z "${V:-}" ] || cat "$work/$1.log"
    sed -n 's/^ok .* - \(.*# SKIP.*\)/    skipped: \1/p; s/^ok - \(.*# SKIP.*\)/    skipped: \1/p' "$work/$1.log" | sort | uniq -c |
        sort -rn | head -n 12
    chmod -R u+rwx "$work/$1" && rm -rf "${work:?}/$1"
}

for suite in $suites; do
    run_suite "$suite" "$suite" "$build"
done
if [ -n "$asan" ]; then
    export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
    for suite in $again; do
        run_suite "$suite-asan" "$suite" "$asan"
    done
fi

echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
