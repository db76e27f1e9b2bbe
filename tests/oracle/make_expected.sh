#!/bin/sh
# make_expected.sh ORACLE_FOLDER: writes tests/data/expected from the executable definitions (views_ref.py, advice_ref.py).
#
# Needs python3 and the two scripts; users and `make test` need neither, they read what is stored.
set -eu
oracle=$(cd "$1" && pwd)
cd "$(dirname "$0")/../data"
mkdir -p expected
for trace in traces/*.gz; do
    name=$(basename "$trace" .pt.trace.json.gz)
    python3 "$oracle/views_ref.py" "$trace" | gzip -9n >"expected/$name.views.json.gz"
    python3 "$oracle/advice_ref.py" "$trace" --compact | gzip -9n >"expected/$name.advice.json.gz"
done
for run in run ddp; do
    python3 "$oracle/views_ref.py" "$run" | gzip -9n >"expected/$run.views.json.gz"
done
