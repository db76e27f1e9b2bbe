# Exports read back by the programs they are for: Perfetto's rules, sqlite3, csv and pandas, an XML parser.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "exports are read back" "no python3"
    exit 0
fi
look=$PWD/tests/check/exports.py
rules=$PWD/tests/check/perfetto_rules.py
cd "$WORK" || exit 1
export_all() { for trace in "$DATA"/traces/*.gz "$DATA"/run/*.gz; do "$TP" export "$trace" --to "$1" -o "$2" --quiet || [ $? = 3 ] || return 1; done; }
chrome() { export_all chrome chrome && python3 "$rules" chrome/*.json.gz && python3 "$look" chrome "$TP" "$DATA"/traces/*.gz; }
check "chrome: no slice crosses another, none is lost" chrome
check "chrome: filters keep what they say" python3 "$look" filters "$TP" "$DATA/traces/gpu_2026.pt.trace.json.gz"
needed() { ! python3 "$rules" "$DATA/traces/case_bad_nesting.pt.trace.json.gz"; }
check "chrome: a trace that needed it was broken before" needed
pictures() { export_all flamegraph svg && export_all memory-flow svg && python3 "$look" xml svg/*.svg; }
check "pictures are XML, whatever the names" pictures
