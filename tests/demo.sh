#!/bin/sh
# demo.sh BUILD: a report from a bundled trace, and where it is.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1/demo"
"$1/tracepress" report tests/data/traces/gpu_2026.pt.trace.json.gz -o "$1/demo/report.html" --quiet
echo "The report is in $PWD/$1/demo/report.html"
echo "Open it in a browser; your own traces: $1/tracepress report FILE-OR-FOLDER"
