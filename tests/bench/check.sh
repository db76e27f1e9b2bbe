#!/bin/sh
# check.sh BUILD TRACE: the gate beside the report of the same trace, in turns; 0.8 of its time is wanted.
set -eu
build=$1 work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo 'finding.high >= 0' >"$work/budget"
"$build/tracepress" summarize "$2" -o "$work/base.tps" --quiet
for turn in 1 2 3 4 5; do
    "$build/measure" "$build/tracepress" report "$2" -o "$work/report.html" --quiet >>"$work/report"
    "$build/measure" "$build/tracepress" check "$2" --budget "$work/budget" -o "$work/out" --quiet >>"$work/alone"
    "$build/measure" "$build/tracepress" check "$2" --baseline "$work/base.tps" -o "$work/out" --sarif "$work/sarif" --quiet >>"$work/against"
done
median() { paste -d' ' "$work/$1" "$work/report" | awk '{ print $1 / $5, $1 / 1000, $2 / 1024 }' | sort -n | sed -n 3p; }
for what in alone against; do
    echo "$(median $what) $what $(wc -c <"$work/base.tps")" | awk '{ printf "  check %-30s %7.0f ms, %5.2f of the report; peak %.0f MB\n",
        $4 == "alone" ? "of a budget" : sprintf("against a baseline of %.1f KB", $5 / 1000), $2, $1, $3 }'
done
