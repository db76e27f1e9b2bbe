#!/bin/sh
# demo.sh BUILD: a small program in C trains a network and records itself; where its files are, and how they are opened.
set -eu
cd "$(dirname "$0")/.."
build=$1
rm -rf "$build/runs" "$build/demo"
mkdir -p "$build/runs/demo" "$build/demo"
"$build/train" README.md "$build/runs/demo"
"$build/tracepress" report "$build/runs/demo" -o "$build/demo/report.html" --quiet
"$build/tracepress" export "$build/runs/demo" --to tfevents -o "$build/runs/demo" --quiet
echo "Recorded: $PWD/$(ls "$build"/runs/demo/*.pt.trace.json.gz)"
echo "The report is in $PWD/$build/demo/report.html"
echo "Open it in a browser, or: tensorboard --logdir $PWD/$build/runs"
echo "Your own traces: $build/tracepress report FILE-OR-FOLDER"
