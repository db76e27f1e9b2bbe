#!/bin/sh
# make_expected.sh REFERENCE_FOLDER: writes tests/data/expected from the executable definition (reference.py).
#
# Needs python3 and the definition; users and `make test` need neither, they read what is stored. A trace that the
# definition refuses (two devices of one name) gets no expectation, and is named.
set -eu
reference=$(cd "$1" && pwd)
cd "$(dirname "$0")/../data"
rm -rf expected
mkdir expected
for input in traces/*.gz run ddp; do
    name=$(basename "$input" .pt.trace.json.gz)
    if python3 "$reference/reference.py" "$input" -o "expected/$name.json" 2>/dev/null; then
        gzip -9n "expected/$name.json"
    else
        rm -f "expected/$name.json"
        echo "$input: no expectation" >&2
    fi
done
