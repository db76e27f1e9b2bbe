#!/bin/sh
# torch_overhead.sh BUILD PYTHON: measures how much recording adds to a training step of PyTorch, compared with
# torch.profiler in the script. The runs alternate, so that all of them meet the same load. Prints medians as ratios.
set -eu
cd "$(dirname "$0")/../.."
tracepress=$1/tracepress python=$2 steps=120
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-overhead.XXXXXX")
trap 'rm -rf "$work"' EXIT

pace() { # pace NAME COMMAND...: runs the script with the command and appends its step time to NAME
    name=$1
    shift
    "$@" 2>"$work/err" >>"$work/$name" || { cat "$work/err"; exit 1; }
}
record() { # record NAME TRACES SOURCE...: runs the script under `record` with these sources. It must give TRACES traces
    name=$1 traces=$2
    shift 2
    rm -rf "$work/run"
    pace "$name" "$tracepress" record -o "$work/run" --no-tfevents "$@" -- "$python" tests/torch/pace.py $steps
    found=$(find "$work/run" -name '*.pt.trace.json.gz' | wc -l)
    [ "$found" = "$traces" ] || { echo "record $*: $found traces"; cat "$work/err"; exit 1; }
}
for _ in 1 2 3; do
    for options in shapes,memory shapes,memory,stack; do
        pace plain "$python" tests/torch/pace.py $steps
        pace "own-$options" "$python" tests/torch/pace.py $steps $options
        record "torch-$options" 1 --source torch --torch-options $options --wait 0 --warmup 5 --active $((steps - 10)) --repeat 1
    done
    record sample 1 --source sample=250
    record nothing 0 --source torch --skip $((steps * 2)) --active 1
done
median() { sort -n "$work/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
ratio() { echo "$(median "$1") $(median plain)" | awk '{ printf "x %.2f", $1 / $2 }'; }
echo "PyTorch $("$python" -c 'import torch; print(torch.__version__)'), a training step of $(median plain) us:"
for options in shapes,memory shapes,memory,stack; do
    printf '  with %-20s record %s   torch.profiler in the script %s\n' "$options:" "$(ratio "torch-$options")" "$(ratio "own-$options")"
done
echo "  samples, 250 a second: $(ratio sample); under record, outside the recorded steps: $(ratio nothing)"
