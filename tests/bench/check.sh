#!/bin/sh
# check.sh BUILD TRACE: measures `check` and `report` on the same trace, alternately. The goal for `check` is 0.8 of the
# report's time. Prints CPU time next to wall time, because other programs on the machine disturb CPU time less.
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
column() { sort -n | sed -n 3p; }
ratio() { paste -d' ' "$work/$1" "$work/report" | awk -v c="$2" '{ print $c / $(c + 4) }' | column; }
median() { awk -v c="$2" '{ print $c }' "$work/$1" | column; }
for what in alone against; do
    echo "$(median $what 1) $(ratio $what 1) $(ratio $what 3) $(median $what 2) $what $(wc -c <"$work/base.tps")" |
        awk '{ printf "  check %-30s %7.0f ms, %5.2f of the report (processor time %.2f); peak %.0f MB\n",
        $5 == "alone" ? "of a budget" : sprintf("against a baseline of %.1f KB", $6 / 1000), $1 / 1000, $2, $3, $4 / 1024 }'
done
