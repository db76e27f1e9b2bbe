#!/bin/sh
# overhead.sh BUILD WORK: measures the cost of `record` for a program. First prints a table with a row per kind of
# record, from the files that run.sh has written to WORK. Then runs the demo alone and under each main source,
# alternately, so that both meet the same load. Prints the medians of the ratios. The time for making the trace after
# the program's exit is not included.
set -eu
cd "$(dirname "$0")/../.."
build=$1 work=$2 steps=60 rounds=7
tracepress=$build/tracepress

# figure FILE PATTERN: prints the number in the group of PATTERN
figure() { sed -n "s/.*$2.*/\1/p" "$work/$1" | head -n 1; }
# native ROW: prints how many ns the source adds to the function of this row of native_bench
native() { awk -v row="$1" 'FNR == NR { alone[$1] = $2; next } $1 == row { printf "%.1f", $2 - alone[$1] }' "$work/alone" "$work/on"; }
middle() { sort -n "$work/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
line() { [ -z "$2" ] || printf '  %-44s %8s ns  %s\n' "$1" "$2" "$3"; }

# alone: runs the demo alone with `steps` steps. Prints wall time and CPU time in microseconds
alone() { "$build/measure" "$build/train" README.md - $steps; }
# under SOURCE: runs the same demo under `record` with SOURCE. The trace stays in WORK/demo
under() {
    rm -rf "$work/demo"
    "$tracepress" record -q --no-tfevents -o "$work/demo" --source "$1" -- "$build/measure" "$build/train" README.md - $steps
}
# pairs NAME SOURCE: prints the row of the demo under SOURCE
pairs() {
    : >"$work/pairs"
    i=0
    while [ $i -lt $rounds ]; do
        { alone; under "$2"; } | paste -d' ' - - >>"$work/pairs"
        i=$((i + 1))
    done
    awk '$4 != 0 || $8 != 0 { exit 1 }' "$work/pairs" || { echo "the demo failed with $2"; exit 1; }
    awk '{ print $5 / $1 }' "$work/pairs" >"$work/wall"
    awk '{ print $7 / $3 }' "$work/pairs" >"$work/cpu"
    events=$(zcat "$work"/demo/*/*.gz | grep -c '"ph":')
    printf '  %-44s %8.2f %12.2f %10d\n' "$1" "$(middle wall)" "$(middle cpu)" "$events"
}
# samples: prints the CPU time per additional sample, of the sampled thread and of the recorder's thread that walks the
# stack. Compares runs with many and with few samples per second
samples() {
    : >"$work/each"
    i=0
    while [ $i -lt $rounds ]; do
        for rate in 500 5000; do
            under sample=$rate
            zcat "$work"/demo/*/*.gz | grep -c '"cat":"cpu_sample"'
        done | paste -d' ' - - - - | awk '$10 > $5 { print 1000 * ($8 - $3) / ($10 - $5) }' >>"$work/each"
        i=$((i + 1))
    done
    middle each | awk '{ printf "%.0f", $1 }'
}

echo "overhead, a row per kind of record (on its thread; a sample: in all, on whatever processor):"
line "scope: tracepress_begin and _end" "$(figure recorded 'in turns of 100 *\([0-9.]*\)')" "two clock reads and a store: $(figure recorded 'in turns of 100 *[0-9.]* *\([0-9.]*\)')"
line "NVTX range: push and pop" "$(figure nvtx_program 'push + pop: \([0-9.]*\)')" "with domain, colour, payload: $(figure nvtx_program 'payload: \([0-9.]*\)')"
line "ITT task: begin and end" "$(figure itt_program 'itt task: \([0-9.]*\)')" "with its name looked up: $(figure itt_program 'looked up: \([0-9.]*\)')"
line "malloc and free of 64 bytes: totals" "$(native malloc+free,64)" "more than without record"
line "malloc and free of 100000 bytes: two records" "$(native malloc+free,100000)" "more than without record"
line "lock and unlock, not contended" "$(native lock+unlock)" "more than without record"
line "call that could block" "$(native read)" "more than without record"
line "function with -finstrument-functions" "$(native function)" "more than without record"
line "CPU sample with its stack" "$(samples)" "processor time, whole program; from 500 to 5000 a second"
line "CUPTI record: launch or kernel" "$(figure cupti '): \([0-9.]*\)')" "on CUPTI's thread; the bare walk: $(figure cupti 'bare walk: \([0-9.]*\)')"
printf 'the demo under record, times those of the demo alone (%d pairs, medians):\n  %-44s %8s %12s %10s\n' $rounds sources wall processor events
pairs "its own calls alone (--source null)" null
pairs "samples, 500 a second" sample
pairs "samples, 5000 a second" sample=5000
pairs "memory" memory
pairs "locks, io" locks,io
pairs "nvtx, itt" nvtx,itt
pairs "all that are on" default
