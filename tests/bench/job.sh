#!/bin/sh
# job.sh BUILD: measures the page of jobs with 100 to 10,000 ranks. Prints wall time relative to `cat` of the same
# summaries, CPU time, memory, and the size of the page. The goals for 10,000 ranks are 60 s, 1 GB and 5 MB on two
# cores. Absolute times never make the script fail.
set -eu
build=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
column() { awk -v c="$1" '{ print $c }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '%-16s %9s %9s %9s %9s %9s %9s\n' "ranks of a job" "MB" "page s" "cpu s" "cat s" "peak MB" "page KB"
for ranks in 100 1000 10000; do
    rm -rf "$work/job"
    mkdir "$work/job"
    "$build/make_job" "$work/job/" "$ranks" 1 10 compute 5 10 100 >/dev/null
    : >"$work/ours"
    : >"$work/cat"
    for _ in 1 2 3; do
        "$build/measure" sh -c "cat '$work/job'/*.tps >/dev/null" >>"$work/cat"
        "$build/measure" "$build/tracepress" report "$work/job" -o "$work/job.html" --quiet >>"$work/ours"
    done
    awk '$4 != 0 { exit 1 }' "$work/ours" || { echo "the report of $ranks ranks failed"; exit 1; }
    printf '%-16s %9.1f %9.2f %9.2f %9.2f %9.1f %9.1f\n' "$ranks" \
        "$(cat "$work/job"/*.tps | wc -c | awk '{ print $1 / 1e6 }')" \
        "$(column 1 <"$work/ours" | median | awk '{ print $1 / 1e6 }')" \
        "$(column 3 <"$work/ours" | median | awk '{ print $1 / 1e6 }')" \
        "$(column 1 <"$work/cat" | median | awk '{ print $1 / 1e6 }')" \
        "$(column 2 <"$work/ours" | median | awk '{ print $1 / 1024 }')" \
        "$(wc -c <"$work/job.html" | awk '{ print $1 / 1000 }')"
done
