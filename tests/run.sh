#!/bin/sh
# run.sh [--suite NAME]... BUILD [ASAN_BUILD]: runs the suites and counts their cases. Last line: N passed, N failed.
#
# A suite is tests/suites/NAME.sh. It gets the build folder as BUILD. It prints one line per case (`ok - name`, `not ok
# - name`, `ok - name # SKIP reason`, see suites/case.sh), and may print other lines. With ASAN_BUILD, the suites in
# suites/again.tsv run a second time with the programs built for ASan and UBSan. JOBS suites run at a time (3 if there
# are two processors). The suites in `alone` run one by one at the end. The last columns are the seconds that a suite
# took and the processor time that it used. T=substring runs only the cases whose name contains it, if a suite supports
# that. DRAWS and SEED: see suites/case.sh.
set -u
cd "$(dirname "$0")/.." || exit 1

count() { grep -c "$@" || :; }

# report LABEL STATUS SECONDS CPU: counts the cases in the log of a suite, and prints its line and its failed cases
report() {
    label=$1 log=$WORK_ROOT/$1.log
    s=$(count -a '^\(not \)\{0,1\}ok .*# SKIP' "$log" <"$log")
    p=$(grep -a '^ok ' "$log" | count -av '# SKIP')
    f=$(grep -a '^not ok ' "$log" | count -av '# SKIP')
    if [ "$2" != 0 ] && [ "$f" = 0 ]; then
        echo "not ok - suite $label ended with status $2" >>"$log"
        f=1
    fi
    if [ "$((s + p + f))" = 0 ]; then
        echo "not ok - suite $label ran no case" >>"$log"
        f=1
    fi
    printf '  %-18s %5s passed %3s failed %3s skipped %4s s %4s s cpu\n' "$label" "$p" "$f" "$s" "$3" "$4"
    # prints each failed case with at most 40 lines of its output
    [ "$f" = 0 ] || awk '/^not ok /{ left = 41 } /^ok /{ left = 0 } left-- > 0' "$log" | cut -c 1-300
    [ -z "${V:-}" ] || cat "$log"
    sed -n 's/^ok .* - \(.*# SKIP.*\)/    skipped: \1/p; s/^ok - \(.*# SKIP.*\)/    skipped: \1/p' "$log" | sort | uniq -c |
        sort -rn | head -n 12
    echo "$p $f $s" >"$WORK_ROOT/$label.counts"
}

# run_suite LABEL NAME BUILD: runs one suite, then prints its whole report
run_suite() {
    [ -f "tests/suites/$2.sh" ] || return 0
    started=$(date +%s)
    mkdir -p "$WORK_ROOT/$1"
    case $1 in
    *-asan) export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 ;;
    esac
    TOOLS=$PWD/$TOOLS_BUILD BUILD=$PWD/$3 WORK=$WORK_ROOT/$1 SUITE=$2 sh "tests/suites/$2.sh" >"$WORK_ROOT/$1.log" 2>&1
    status=$?
    # the last line of `times` is the user and system time of all child processes that have exited
    times >"$WORK_ROOT/$1.times"
    cpu=$(tail -n 1 "$WORK_ROOT/$1.times" | tr -d 's' | awk '{ for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += 60 * t[1] + t[2] } printf "%d", sum }')
    report "$1" "$status" "$(($(date +%s) - started))" "$cpu" >"$WORK_ROOT/$1.said"
    if command -v flock >/dev/null; then flock "$WORK_ROOT/lock" cat "$WORK_ROOT/$1.said"; else cat "$WORK_ROOT/$1.said"; fi
    chmod -R u+rwx "$WORK_ROOT/$1" && rm -rf "${WORK_ROOT:?}/$1"
}

# --one LABEL: run.sh calls itself with this option for each suite. LABEL is NAME or NAME-asan
if [ "${1:-}" = --one ]; then
    case $2 in
    *-asan) run_suite "$2" "${2%-asan}" "$ASAN_BUILD" ;;
    *) run_suite "$2" "$2" "$TOOLS_BUILD" ;;
    esac
    exit 0
fi

when=always
[ "${DRAWS:-}" != full ] || when='always|full'
again=$(awk -F '\t' -v when="^($when)\$" '!/^#/ && $2 ~ when { print $1 }' tests/suites/again.tsv)
# Suites in the order of their start: the longest first, so that no long suite runs alone at the end.
suites="oracle job reports sources_native diff collector browser python hostile one_story recipes unit record failures exports perfetto host_safety ranks lint numbers golden options table ask what_if summary check history damage databases snapshots flight precision conformance faults inputs snapshot_commands outputs replay linked record_stop program sources_nvtx_itt cuda abi gpu tensorboard live xprof readers wording wheel release artifacts tab truth cross arm64 macos"
# These suites run alone at the end. docs uses files that the suite python makes. The others measure time or shares of
# CPU time, or change settings of the machine.
alone="docs bench memory outside outside_modes programs"
asked=
while [ "${1:-}" = --suite ]; do
    asked="$asked $2"
    shift 2
done
TOOLS_BUILD=${1:?build folder} ASAN_BUILD=${2:-}
[ -z "$asked" ] || suites=$asked again='' alone=''
[ -n "$ASAN_BUILD" ] || again=''

WORK_ROOT=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-test.XXXXXX") || exit 1
export WORK_ROOT TOOLS_BUILD ASAN_BUILD
trap 'rm -rf "$WORK_ROOT"' EXIT
trap 'exit 130' INT TERM
processors=$(nproc 2>/dev/null || echo 1)
[ "$processors" -lt 2 ] || processors=2
# one suite more than processors, because suites wait for browsers, disks and sleeping programs
lanes=$([ "$processors" = 1 ] && echo 1 || echo $((processors + 1)))

labels=$(for suite in $again; do echo "$suite-asan"; done; for suite in $suites; do echo "$suite"; done)
echo "$labels" | xargs -n 1 -P "${JOBS:-$lanes}" sh tests/run.sh --one
for suite in $alone; do sh tests/run.sh --one "$suite"; done

for label in $labels $alone; do
    [ ! -f "tests/suites/${label%-asan}.sh" ] || [ -f "$WORK_ROOT/$label.counts" ] ||
        { echo "not ok - suite $label was ended before it reported"; echo "0 1 0" >"$WORK_ROOT/$label.counts"; }
done
cat "$WORK_ROOT"/*.counts 2>/dev/null | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END { print skipped + 0 " skipped"; print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 || NR == 0 }'
