# Compares every number of the bundled traces with the executable definition (tests/data/expected). Also checks
# invariants, and that equal input gives equal bytes.
. tests/suites/case.sh
CHECK=${TOOLS:-$BUILD}/json_check

numbers() { # numbers NAME INPUT: compares the numbers of the input with the stored ones of NAME
    "$TP" report "$2" -o "$WORK/$1.html" --json "$WORK/$1.json" --markdown "$WORK/$1.md" --quiet || return 1
    "$CHECK" valid "$WORK/$1.json"
}
same_bytes() {
    "$TP" report "$2" -o "$WORK/again.html" --json "$WORK/again.json" --markdown "$WORK/again.md" --quiet || return 1
    for kind in html json md; do cmp "$WORK/$1.$kind" "$WORK/again.$kind" || return 1; done
}
for trace in "$DATA"/traces/*.gz "$DATA/run" "$DATA/ddp"; do
    name=$(basename "$trace" .pt.trace.json.gz)
    wanted "$name" || continue
    check "$name: report is written and its JSON is valid" numbers "$name" "$trace"
    [ -f "$WORK/$name.json" ] || continue
    if [ -f "$DATA/expected/$name.json.gz" ]; then # the definition does not cover two devices with the same name
        check "$name: numbers equal the definition" "$CHECK" diff "$WORK/$name.json" "$DATA/expected/$name.json.gz"
        check "$name: the parts sum to the whole" "${CHECK%/*}/invariants" "$WORK/$name.json"
    fi
    check "$name: a second run gives the same bytes" same_bytes "$name" "$trace"
done
