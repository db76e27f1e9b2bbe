#!/bin/sh
# make_expected.sh: writes tests/data/expected from the executable definitions (definitions.py). `make expected` runs
# it.
# 
# Needs python3. Users and `make test` read the stored files. A trace that the definitions refuse (two devices with the
# same name) gets no expected values, and is named. A document whose content is unchanged keeps its bytes.
set -eu
oracle=$(cd "$(dirname "$0")" && pwd)
cd "$oracle/../data"
rm -rf expected
mkdir expected
for input in traces/*.gz run ddp; do
    name=$(basename "$input" .pt.trace.json.gz)
    if python3 "$oracle/definitions.py" "$input" -o "expected/$name.json" 2>/dev/null; then
        gzip -9n "expected/$name.json"
    else
        rm -f "expected/$name.json"
        echo "$input: no expectation" >&2
    fi
done
