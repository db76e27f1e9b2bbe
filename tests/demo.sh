#!/bin/sh
# demo.sh BUILD: runs a small C program that trains a network and records itself. Prints the paths of its files and how
# to open them.
set -eu
cd "$(dirname "$0")/.."
build=$1
rm -rf "$build/runs" "$build/demo"
mkdir -p "$build/runs/demo" "$build/demo"
TRACEPRESS_LIVE=1 "$build/train" README.md "$build/runs/demo"
"$build/tracepress" report "$build/runs/demo" -o "$build/demo/report.html" --quiet
"$build/tracepress" export "$build/runs/demo" --to tfevents -o "$build/runs/demo" --quiet
"$build/tracepress" export "$build/runs/demo" --to xplane -o "$build/runs/demo" --quiet
cards='[{"plugin":"scalars","tag":"profile_step/time_ms"},{"plugin":"scalars","tag":"profile_counters/loss"},'
cards=$cards'{"plugin":"scalars","tag":"profile_step/samples_per_s"},{"plugin":"scalars","tag":"profile_memory_mib/CPU_allocated_peak"}]'
cards=$(printf %s "$cards" | sed 's/\[/%5B/g; s/\]/%5D/g; s/{/%7B/g; s/}/%7D/g; s/"/%22/g; s/,/%2C/g; s/:/%3A/g')
echo "Recorded: $PWD/$(ls "$build"/runs/demo/*.pt.trace.json.gz)"
echo "The report is in $PWD/$build/demo/report.html"
echo "Open it in a browser, or:"
echo "  tensorboard --logdir $PWD/$build/runs"
echo "and in it http://localhost:6006/?pinnedCards=$cards&smoothing=0#timeseries"
echo "Your own traces: $build/tracepress report FILE-OR-FOLDER"
