# Limits the memory of a report per event, so that columns and tables cannot grow unnoticed. In contrast to times,
# memory does not depend on other programs.
. tests/suites/case.sh
MEASURE=${TOOLS:-$BUILD}/measure GEN=${TOOLS:-$BUILD}/gen_trace

# takes ERA EVENTS MOST: checks that the report takes at most MOST bytes per event, plus 30 MB for program and page. ERA
# is the year of the trace format
takes() {
    "$GEN" --events "$2" --era "$1" -o /dev/stdout |
        "$MEASURE" "$TP" report - -o "$WORK/$1.html" --quiet >"$WORK/measured" || return 1
    awk -v n="$2" -v most="$3" '$4 != 0 { print "exit status " $4; exit 1 }
        { printf "%.1f bytes an event, allowed %d\n", ($2 * 1024 - 30e6) / n, most; exit ($2 * 1024 - 30e6) / n > most }' "$WORK/measured"
}

# traces of 2021 need less memory, because they have no addresses, totals and use of tensor cores
for case in 2021:90 2026:100; do
    name="900,000 events of ${case%:*} take at most ${case#*:} bytes each"
    if is_checked; then
        skip "$name" "a sanitizer's memory is its own"
    else
        check "$name" takes "${case%:*}" 900000 "${case#*:}"
    fi
done
