#!/bin/sh
# run.sh BUILD EVENTS: measures a report relative to `zcat` of the same trace, alternately, so that both meet the same
# load. Prints ratios, memory per event, growth and page size. Absolute times never make the script fail.
set -eu
cd "$(dirname "$0")/../.."
build=$PWD/$1
events=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
shared=$PWD/../shared

column() { awk -v c="$1" '{ print $c }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# row NAME FILE PAIRS: runs zcat and report alternately. Ratios are the medians of the pairs. Goals at x16, relative to
# zcat: wall time at most 0.35, and CPU time (user + system) at most 0.5. Also at most 6,000 page faults, and 90 bytes
# per event in addition to 30 MB.
row() {
    : >"$work/ours"
    : >"$work/zcat"
    i=0
    while [ $i -lt "$3" ]; do
        "$build/measure" zcat "$2" >>"$work/zcat"
        "$build/measure" -f "$build/tracepress" report "$2" -o "$work/report.html" --quiet >>"$work/ours"
        i=$((i + 1))
    done
    awk '$4 != 0 { exit 1 }' "$work/ours" || { echo "$1: the report failed"; return 1; }
    count=$(zcat "$2" | grep -c '"ph":')
    bytes=$(zcat "$2" | wc -c)
    ours=$(column 1 <"$work/ours" | median)
    wall=$(paste -d' ' "$work/ours" "$work/zcat" | awk '{ print $1 / $6 }' | median)
    cpu=$(paste -d' ' "$work/ours" "$work/zcat" | awk '{ print $3 / $8 }' | median)
    echo "$count $bytes $ours $(column 1 <"$work/zcat" | median) $wall $cpu $(column 5 <"$work/ours" | median)" \
        "$(column 2 <"$work/ours" | median) $(wc -c <"$work/report.html")" | awk -v name="$1" '{
            printf "%-24s %9d %8.1f %9.1f %9.1f %6.2f %6.2f %8d %8.1f %8.1f %8.1f\n", name, $1, $2 / 1e6, $3 / 1000, $4 / 1000,
                $5, $6, $7, $8 / 1024, ($8 * 1024 - 30e6) / $1, $9 / 1000 }'
    echo "$count $ours" >>"$work/growth"
}
# exponent: prints the exponent of the growth between the first and the last row, and clears the list of rows
exponent() {
    awk '{ n[NR] = $1; t[NR] = $2 } END { if (NR > 1) printf "growth of wall time from x%.0f to x%.0f: exponent %.2f\n",
        1, n[NR] / n[1], log(t[NR] / t[1]) / log(n[NR] / n[1]) }' "$work/growth"
    : >"$work/growth"
}

# writer EVENTS: measures the time from the end of the recording to the .json.gz on disk, relative to gzip -1 of the
# same text
writer() {
    "$build/write_trace" "$1" "$work/w.json" >/dev/null
    i=0
    while [ $i -lt 5 ]; do
        "$build/write_trace" "$1" "$work/w.json.gz" >>"$work/written"
        "$build/measure" gzip -1 -k -f "$work/w.json" >>"$work/gzipped"
        i=$((i + 1))
    done
    seconds=$(column 1 <"$work/written" | median)
    gzip=$(column 1 <"$work/gzipped" | median)
    megabytes=$(column 2 <"$work/written" | head -n 1)
    echo "$1 $seconds $megabytes $gzip" | awk '{ printf "writing %d events, %.0f MB of text, to .json.gz: %.3f s, %.0f MB/s; gzip -1 of that text: %.2f s, ratio %.2f\n",
        $1, $3, $2, $3 / $2, $4 / 1e6, $2 / ($4 / 1e6) }'
    rm -f "$work"/w.json*
}

# same: records half a million events, and compares torch's tables and exports of them with those of tracepress
same() {
    "$torch" tests/bench/torch_same.py 500000 "$work/torch.pt.trace.json.gz" >"$work/times" 2>/dev/null || { echo "torch's own tables failed"; return 1; }
    "$build/table_speed" "$work/torch.pt.trace.json.gz"
    sh tests/bench/exports.sh "$build" "$work/torch.pt.trace.json.gz" "$work/times"
    rm "$work/torch.pt.trace.json.gz"
}

# diff_of_two FILE OTHER: measures the comparison of two runs, relative to the report of one of them
diff_of_two() {
    : >"$work/ours"
    : >"$work/beside"
    for i in 1 2 3 4 5; do
        "$build/measure" "$build/tracepress" report "$1" -o "$work/report.html" --quiet >>"$work/beside"
        "$build/measure" "$build/tracepress" diff "$1" "$2" -o "$work/diff.html" --quiet --exit-zero >>"$work/ours" </dev/null
    done
    paste -d' ' "$work/ours" "$work/beside" | awk '{ print $1 / $5, $1 / 1000, $2 / 1024, $6 / 1024 }' | sort -n | awk -v page="$(wc -c <"$work/diff.html")" \
        '{ v[NR] = $0 } END { split(v[int((NR + 1) / 2)], a, " "); printf "diff of two such traces: %.0f ms, %.2f reports of one (2.2 wanted); peak %.0f MB (a report: %.0f); page %.0f KB\n", a[2], a[1], a[3], a[4], page / 1000 }'
}

echo "recording:"
"$build/record" | tee "$work/recorded" | sed 's/^/  /'
for program in nvtx_program itt_program; do
    "$build/tracepress" record -q --no-tfevents -o "$work/told" -- "$build/$program" time | tee "$work/$program" | sed 's/^/  /'
    rm -rf "$work/told"
done
echo "  without a tool: $("$build/nvtx_program" time)"
"$build/cupti_bench" | tee "$work/cupti" | sed 's/^/  /'
"$build/tracepress" record -o "$work/split" --no-tfevents --quiet --source sample=1000 -- "$build/split" 5 2 >"$work/known"
zcat "$work"/split/*/*.gz | awk -v known="$(cat "$work/known")" -f tests/check/shares.awk |
    awk '{ printf "  %d samples of 10 s: %.2f %% of the time in one function, the program says %.2f %%: off by %.2f %% (3 wanted)\n", $1, 100 * $3, 100 * $2, $4 }'
torch=${TORCH_PYTHON:-$PWD/build/torch/bin/python}
has_torch=$("$torch" -c 'import torch; print(1)' 2>/dev/null || :)
if [ -n "$has_torch" ]; then
    "$torch" tests/bench/torch_export.py 1000000 "$work/torch.json.gz" 2>/dev/null | sed 's/^/  /'
    rm -f "$work/torch.json.gz"
    sh tests/bench/torch_overhead.sh "$build" "$torch" | sed 's/^/  /'
else
    echo "  torch.profiler's export of the same number: skipped, no torch (TORCH_PYTHON names a python that has it)"
fi
# native SOURCE: measures the functions that the preload library wraps, while SOURCE records them
native() { "$build/tracepress" record -q -o "$work/native" --no-tfevents --source "$1" -- "$build/native_bench" && rm -rf "$work/native"; }
echo "functions of the program, ns each: alone, preloaded with their source off, with it on"
"$build/native_bench" >"$work/alone"
native null >"$work/off"
native memory,locks,io,functions >"$work/on"
paste -d' ' "$work/alone" "$work/off" "$work/on" | awk '{ printf "  %-20s %8.1f %8.1f %8.1f\n", $1, $2, $4, $6 }'
sh tests/bench/overhead.sh "$build" "$work"
sh tests/bench/outside.sh "$build"
echo "cores: $(nproc)   compiler: $(${CC:-cc} --version | head -n 1)"
writer 1000000
printf '%-24s %9s %8s %9s %9s %6s %6s %8s %8s %8s %8s\n' trace events "MB" "report ms" "zcat ms" wall cpu faults "peak MB" "B/event" "page KB"
: >"$work/growth"
for factor in 1 4 16; do
    "$build/gen_trace" --events $((events * factor)) --era 2026 -o "$work/gen.pt.trace.json.gz"
    row "synthetic x$factor" "$work/gen.pt.trace.json.gz" $((factor > 4 ? 5 : 9))
done
exponent
"$build/table_speed" "$work/gen.pt.trace.json.gz"
sh tests/bench/exports.sh "$build" "$work/gen.pt.trace.json.gz"
sh tests/bench/check.sh "$build" "$work/gen.pt.trace.json.gz"
[ -z "$has_torch" ] || same
sh tests/bench/job.sh "$build"
sh tests/bench/precision.sh "$build" "${has_torch:+$torch}"
sample=$(ls "$shared"/data/traces/kineto/resnet50_num_workers_0/*.gz 2>/dev/null | head -n 1)
has_peer=$(python3 -c 'import torch_tb_profiler; print(1)' 2>/dev/null || :)

# peer NAME FILE: measures how long torch_tb_profiler takes to load the trace for TensorBoard, relative to the last row
peer() {
    [ -n "$has_peer" ] || return 0
    rm -rf "$work/run"
    mkdir "$work/run"
    cp "$2" "$work/run/worker0.1.pt.trace.json.gz"
    "$build/measure" python3 "$work/peer.py" "$work/run" 2>/dev/null >"$work/peer"
    awk -v ours="$ours" -v name="$1" '{ printf "  torch_tb_profiler on %s: %.1f s, %.0f MB; the report is %.0f times as fast\n", name,
        $1 / 1e6, $2 / 1024, $1 / ours }' "$work/peer"
}
cat >"$work/peer.py" <<'END'
import sys
from torch_tb_profiler.io.cache import Cache
from torch_tb_profiler.profiler.loader import RunLoader
if __name__ == "__main__":
    RunLoader("run", sys.argv[1], Cache()).load()
END
if [ -n "$sample" ] && command -v python3 >/dev/null; then
    row "kineto resnet50 x1" "$sample" 9
    peer "kineto resnet50 x1" "$sample"
    for factor in 4 16 64; do
        python3 "$shared/oracle/scale_trace.py" "$sample" $factor "$work/scaled.pt.trace.json.gz" >/dev/null
        row "kineto resnet50 x$factor" "$work/scaled.pt.trace.json.gz" $((factor > 16 ? 3 : factor > 4 ? 5 : 9))
        [ $factor != 16 ] || peer "kineto resnet50 x16" "$work/scaled.pt.trace.json.gz"
    done
    exponent
fi
[ -n "$has_peer" ] || echo "torch_tb_profiler is not installed: not compared"
