#!/bin/sh
# make_traces.sh BUILD: writes the synthetic traces of this folder again, byte for byte.
set -eu
gen=$(cd "$1" && pwd)/gen_trace
cd "$(dirname "$0")"
"$gen" --era 2021 --events 900 --layers 4 -o traces/gpu_2021.pt.trace.json.gz
"$gen" --era 2024 --events 900 --layers 4 --seed 2 -o traces/gpu_2024.pt.trace.json.gz
"$gen" --era 2026 --events 900 --layers 4 --seed 3 -o traces/gpu_2026.pt.trace.json.gz
"$gen" --era 2026 --events 700 --layers 6 --seed 4 --graphs -o traces/gpu_graphs.pt.trace.json.gz
"$gen" --era 2026 --events 900 --layers 4 --seed 5 --hostile -o traces/hostile_names.pt.trace.json.gz
for rank in 0 1; do
    "$gen" --era 2024 --events 700 --layers 8 --seed 6 --ranks 2 --rank $rank -o run/worker$rank.170000000000$rank.pt.trace.json.gz
done
train=../check/gen_training.py # not the generator's C: noise, and changes planted in the second one
python3 $train --seed 1 --steps 10 diff/base.pt.trace.json.gz
python3 $train --seed 2 --steps 10 --slow cudnn_wgrad_alg0_engine_128_6=12 --sync 42 --leak 45=2000000 \
    --swap volta_sgemm_128x64_tn=ampere_sgemm_128x64_tn diff/new.pt.trace.json.gz
