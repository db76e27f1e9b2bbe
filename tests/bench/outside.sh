#!/bin/sh
# outside.sh [BUILD]: measures the cost of recording from outside, compared with perf, and with samply and py-spy if
# they are installed.
#
# Prints the CPU time (rusage) of the program alone and under each tool, and the CPU time of each tool. The runs
# alternate, so that all of them meet the same load. "ours/perf" is the median over the rounds of tracepress's time
# relative to perf's, without the naming of addresses that perf does later. Goals: the program takes at most 3 % more
# time than under perf. For gcc, Python and torch.compile, the time that the recorder needs after the program's exit is
# at most a fifth of the program's time.
set -eu
case ${1:-build/release} in /*) set -- "$1" ;; *) set -- "$PWD/${1:-build/release}" ;; esac
cd "$(dirname "$0")/../.."
build=$1 rounds=${ROUNDS:-7}
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')

middle() { sort -n "$1" 2>/dev/null | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else print "-" }'; }
microseconds() { tail -n 1 "$1" | awk '$4 == 0 { print $3; exit } { exit 1 }'; }
# turn TOOL COMMAND...: runs the program once under TOOL. Appends the CPU time of the program, in microseconds, to
# NAME.TOOL, and the CPU time of TOOL to NAME.TOOL.own
turn() {
    tool=$1
    shift
    rm -rf "$work/r" "$work/perf.data"
    inner="exec $build/measure $program >$work/inner 2>$work/inner.err"
    "$build/measure" "$@" sh -c "$inner" >"$work/outer" 2>"$work/outer.err" && cpu=$(microseconds "$work/inner") && all=$(microseconds "$work/outer") ||
        { echo "$name fails under $tool" >&2; tail -n 3 "$work/outer.err" "$work/inner.err" >&2; return 0; }
    echo "$cpu" >>"$work/$name.$tool"
    echo $((all - cpu)) >>"$work/$name.$tool.own"
    if [ "$tool" = ours ]; then
        during=$(zcat "$work"/r/*/*.gz | sed -n 's/.*"recorder_cpu_ns": *\([0-9]*\).*/\1/p' | tail -n 1)
        echo $((all - cpu - during / 1000)) >>"$work/$name.after"
    fi
}
has_perf=$(command -v perf >/dev/null && perf record -q -F 250 -g -o "$work/p" true 2>/dev/null >&2 && echo 1 || :)
# row NAME PROGRAM: measures PROGRAM under all tools and prints a row with the medians
row() {
    name=$1 program=$2
    i=0
    while [ $i -lt "$rounds" ]; do
        turn alone env
        turn ours "$build/tracepress" record --outside --no-tfevents -q -o "$work/r" --
        [ -z "$has_perf" ] || turn perf perf record -q -F 250 -g -o "$work/perf.data" --
        ! command -v samply >/dev/null || turn samply samply record --save-only -r 250 -o "$work/perf.data" --
        case $name in python) ! command -v py-spy >/dev/null || turn pyspy py-spy record -s -r 250 -f raw -o "$work/perf.data" -- ;; esac
        i=$((i + 1))
    done
    paste "$work/$name.ours" "$work/$name.perf" 2>/dev/null | awk 'NF == 2 { print $1 / $2 }' >"$work/$name.ratio" || :
    for tool in alone ours perf samply pyspy; do
        echo "$(middle "$work/$name.$tool") $(middle "$work/$name.$tool.own")"
    done | tr '\n' ' ' | awk -v name="$name" -v after="$(middle "$work/$name.after")" -v ratio="$(middle "$work/$name.ratio")" '
        function ms(us) { return us == "-" ? "-" : sprintf("%.0f", us / 1000) }
        function of(a, b) { return a == "-" || b == "-" ? "-" : sprintf("%.3f", a / b) }
        { printf "  %-22s %7s %7s %7s %7s %7s %8s %8s %9s %9s %9s\n", name, ms($1), ms($3), ms($5), ms($7), ms($9), ratio == "-" ? ratio : sprintf("%.3f", ratio), ms($4), ms(after), of(after, $3), ms($6) }'
}
cat >"$work/a.py" <<'X'
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
print(max(collatz(i) for i in range(1, 150000)))
X
awk 'BEGIN { for (i = 0; i < 150; i++) printf "int f%d(const int *a, int n, char *b)\n{\n    int s = %d, t[16] = {0};\n    for (int i = 0; i < n; i++) {\n        switch (a[i] %% 5) { case 0: s += a[i]; break; case 1: s ^= i; break; default: s -= t[a[i] & 15]; }\n        for (int j = 0; j < 9; j++) if (b[j] == s %% 256) { b[j] = b[j + 1]; s += t[j]; }\n    }\n    return s;\n}\n", i, i }' >"$work/f.c"
seq 1 400000 >"$work/numbers"
cat >"$work/switches.py" <<'X'
import os
a, b = os.pipe(), os.pipe()
if os.fork() == 0:
    for i in range(20000):
        os.read(a[0], 1)
        os.write(b[1], b"x")
    os._exit(0)
for i in range(20000):
    os.write(a[1], b"x")
    os.read(b[0], 1)
X
printf 'i=0\nwhile [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done\n' >"$work/short.sh"
cat >"$work/compile.py" <<'X'
import torch
layers = [torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 64), torch.nn.LayerNorm(64), torch.nn.Softmax(-1)]
model = torch.compile(torch.nn.Sequential(*layers))
for step in range(20):
    model(torch.randn(32, 64)).sum().backward()
X
echo "recording from outside: processor time in ms, medians of $rounds runs in turns:"
printf '  %-22s %7s %7s %7s %7s %7s %8s %8s %9s %9s %9s\n' program alone ours perf samply py-spy ours/perf "own, all" "own,after" "of ours" "perf own"
row gcc "gcc -O2 -c $work/f.c -o $work/f.o"
row python "$python $work/a.py"
row "sort, gzip" "sh -c 'sort -r $work/numbers | gzip -6 >$work/numbers.gz'"
row "200 processes" "sh $work/short.sh"
row "80000 switches" "$python $work/switches.py"
# caches are off, because with cached code nothing would be compiled
if "${TORCH_PYTHON:-false}" -c 'import torch' 2>/dev/null; then
    export TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
    row torch.compile "$TORCH_PYTHON $work/compile.py"
fi
