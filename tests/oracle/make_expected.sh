#!/bin/sh
# make_expected.sh: writes tests/data/expected from the executable definitions (definitions.py). `make expected` runs it.
#
# Needs python3; users and `make test` read what is stored. A trace that the definitions refuse (two devices of one name)
# gets no expectation, and is named. A document that is unchanged keeps its bytes.
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
