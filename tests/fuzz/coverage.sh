#!/bin/sh
# coverage.sh BUILD [FLOOR]: runs the corpora through their targets in a build of MODE=coverage. Prints the percentage
# of lines that were run, for each parser in parsers.txt. Fails if one is below FLOOR percent (60).
cd "$(dirname "$0")/../.." || exit 1
build=$1 floor=${2:-60} data=tests/data
find "$build" -name '*.gcda' -delete
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c | sed 's/^fuzz_//')
    more=
    case $target in trace | value | report | events | xplane | table) more="$data/traces $data/faults" ;; esac
    # shellcheck disable=SC2086
    find "tests/fuzz/corpus/$target" $more -type f -size -200k ! -name '*.tsv' ! -name '*.md' -print0 | sort -z |
        xargs -0 -r -n 200 "$build/replay_$target" >/dev/null || { echo "$target: a file of its corpus fails"; exit 1; }
done
sed 's/ *#.*//; /^$/d' tests/fuzz/parsers.txt | while read -r file; do
    [ -f "$file" ] || { echo "$file -1 0"; continue; }
    gcov -n -o "$build/$(dirname "$file")" "$file" 2>/dev/null |
        awk -v file="$file" '/^File/ {own = $0 == "File '\''" file "'\''"}
            own && /^Lines executed/ {split($0, at, /[:% ]+/); share = at[3]; lines = at[5]; is_there = 1}
            END {print file, is_there ? share : 0, lines + 0}'
done | awk -v floor="$floor" '
    {printf "  %-46s %6.1f %% of %4d lines%s\n", $1, $2, $3, $2 < floor ? "  below the floor" : ""; low += $2 < floor}
    END {printf "%d parsers, %d below %d %%\n", NR, low, floor; exit low > 0 || NR == 0}'
