#!/bin/sh
# exports.sh BUILD TRACE [TIMES]: measures `table` and each export of a trace, compared with `zcat` and the report of
# the same trace. The commands alternate, so that all of them meet the same load. TIMES: lines "NAME SECONDS" with
# torch's times for the same work.
set -eu
cd "$(dirname "$0")/../.."
build=$1 trace=$2 times=${3:-/dev/null}
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-exports.XXXXXX")
trap 'rm -rf "$work"' EXIT

# run NAME COMMAND...: measures the command once more and adds the result to the earlier results of NAME
run() {
    name=$1
    shift
    "$build/measure" "$@" >>"$work/$name" 2>"$work/said" || return 1
}
round() {
    run zcat zcat "$trace"
    run report "$build/tracepress" report "$trace" -o "$work/report.html" --quiet
    run table "$build/tracepress" table "$trace" --group-by input-shape --quiet -o "$work/table.txt"
    for to in $formats; do
        rm -rf "$work/out.$to"
        run "$to" "$build/tracepress" export "$trace" --to "$to" -o "$work/out.$to" --quiet
    done
    run folded "$build/tracepress" export "$trace" --to folded --metric "$metric" -o "$work/out.folded" --quiet
}
median() { # median NAME COLUMN: prints the median of a column of the results of NAME
    awk -v c="$2" '{ print $c }' "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
row() { # row NAME WRITTEN...: prints the row of NAME. WRITTEN are the files that the command wrote
    name=$1
    shift
    bytes=0
    [ $# = 0 ] || bytes=$(find "$@" -type f -exec cat {} + | wc -c)
    awk '$4 != 0 && $4 != 3 { exit 1 }' "$work/$name" || { echo "  $name failed"; exit 1; }
    awk '$4 != 0 { exit 1 }' "$work/$name" || { echo "  $name: this trace lacks what it shows"; return 0; }
    torch=$(awk -v name="$name" '$1 == name { print $2 }' "$times")
    echo "$(median "$name" 1) $(median zcat 1) $(median report 1) $(median "$name" 3) $(median "$name" 2) $events $bytes ${torch:-0}" |
        awk -v name="$name" '{ printf "  %-12s %8.0f %8.2f %8.2f %8.0f %8.1f %8.0f %9.1f", name, $1 / 1e3, $1 / $2, $1 / $3,
            $4 / 1e3, $5 / 1024, $5 * 1024 / $6, $7 / 1e6
            if ($8) printf "   torch %.2f s: %.0f times as long", $8, $8 * 1e6 / $1
            print "" }'
}

formats="flamegraph memory-flow chrome csv sqlite pstats tfevents xplane"
metric=cpu # the metric; with torch's times, torch's own metric
[ $# -lt 3 ] || metric=self_cpu_time_total
events=$(zcat "$trace" | grep -c '"ph":')
for _ in 1 2 3; do
    round
done
printf '  %-12s %8s %8s %8s %8s %8s %8s %9s\n' "$events ev." "wall ms" "of zcat" "of rep." "cpu ms" "peak MB" "B/event" "writes MB"
row zcat
row report "$work/report.html"
row table "$work/table.txt"
row folded "$work/out.folded"
for to in $formats; do
    row "$to" "$work/out.$to"
done
