# Compares the documents of many real traces with the executable definitions (tests/oracle/definitions.py). Needs
# python3 and the traces in ../shared.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "documents of the executable definitions" "no python3"
    exit 0
fi
ORACLE=$PWD/tests/oracle
check "hand-computed cases of the definitions hold" python3 "$ORACLE/definitions_cases.py"
communication() {
    python3 "$ORACLE/check_communication.py" "$TP" "$WORK" 100 >"$WORK/said" 2>&1 || { tail -n 8 "$WORK/said"; return 1; }
}
check "findings about communication: 100 made traces" communication
counters() {
    python3 "$ORACLE/check_counters.py" "$TP" "$WORK" 30 >"$WORK/said" 2>&1 || { tail -n 8 "$WORK/said"; return 1; }
}
check "energy and clock by step: 30 made traces" counters
frames() { # frames ARGUMENT...: compares the origins and lines of frames with the definitions
    python3 "$ORACLE/check_frames.py" "${TOOLS:-$BUILD}/frame_lines" "$@" >"$WORK/said" 2>&1 || { tail -n 8 "$WORK/said"; return 1; }
}
check "whose code a frame is: random texts" frames "${SEED:-7}"
if [ -f "$SHARED/data/provenance/frames.tsv" ]; then
    check "whose code a frame is: frames of real traces" frames --table "$SHARED/data/provenance/frames.tsv" profile.py
else
    skip "whose code a frame is: frames of real traces" "no frames next to the project"
fi
if [ ! -d "$SHARED/data/traces" ]; then
    skip "documents of real traces" "no real traces next to the project"
    exit 0
fi
# Running the definitions takes seconds per trace, so results are stored until a definition changes.
KEPT=$PWD/build/defined/$(cat "$ORACLE/definitions.py" "$ORACLE/exceptions.py" "$ORACLE"/twin/*.* | cksum | cut -d ' ' -f 1)
mkdir -p "$KEPT"
for old in "$PWD"/build/defined/*; do [ "$old" = "$KEPT" ] || rm -rf "$old"; done
cd "$WORK" || exit 1
defined() { # defined NAME INPUTS...: writes $KEPT/NAME.json.gz. Fails if the definitions refuse the input
    defined_as=$KEPT/$1.json.gz
    shift
    [ -f "$defined_as" ] || { python3 "$ORACLE/definitions.py" "$@" -o "defined.$$.json.gz" 2>/dev/null && mv "defined.$$.json.gz" "$defined_as"; }
}
find "$SHARED/data/traces" "$SHARED/data/torch" -name '*.json' -o -name '*.json.gz' | sort >all

compare() { # compare OURS REFERENCE: compares a document of the product with the reference
    python3 "$ORACLE/compare_defined.py" "$1" "$2" counts >said && "${TOOLS:-$BUILD}/invariants" "$1" >said && return 0
    tail -n 8 said
    return 1
}
made() { # made KIND: compares the documents of a made trace of another device
    rm -rf "made_$1" && mkdir "made_$1" && python3 "$ORACLE/../reports/unknown.py" "$1" "made_$1" &&
        "$TP" report "made_$1"/*.json -o out.html --json out.json --quiet && python3 "$ORACLE/definitions.py" "made_$1"/*.json -o ref.json &&
        compare out.json ref.json
}
for kind in ascend ascend_copies gaudi; do
    check "numbers of a made trace: $kind" made "$kind"
done

# Excludes recordings of tracepress, because they declare kinds of ranges (K1 to K5 of docs/definitions.md), which the
# definitions do not read.
find "$SHARED/data/traces" "$SHARED/data/torch" "$SHARED/data/truth/scenarios" "$SHARED/data/advice/calibration" "$SHARED/data/reports" \
    -name '*.json' -o -name '*.json.gz' | grep -v '/reports/programs/' | sort >traces
# The definitions take seconds per trace, so a run compares 100 drawn traces. DRAWS=full compares all traces.
drawn=$(draws "$(wc -l <traces)" 100)
[ -z "${T:-}" ] || drawn=$(wc -l <traces)
awk -v seed="${SEED:-1}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' traces | sort -n | head -n "$drawn" | cut -f 2- | sort >drawn
while read -r trace; do
    name=${trace#"$SHARED/data/"}
    name=$(printf '%s' "$name" | sed 's/\.pt\.trace\.json\(\.gz\)\{0,1\}$//; s/\.json\(\.gz\)\{0,1\}$//; s|/|__|g')
    wanted "$name" || continue
    if "$TP" report "$trace" -o out.html --json out.json --quiet 2>stderr; then
        grep -q '"runs":' out.json || continue # a memory timeline
        defined "$name" "$trace" || { not_ok "definitions of $name" "the definitions refuse the trace"; continue; }
        check "numbers of $name" compare out.json "$KEPT/$name.json.gz"
    elif [ -f "$SHARED/data/expected/reference/$name.json.gz" ]; then
        not_ok "report of $name" "$(cat stderr)"
    fi # the other files are not traces, or are from other tools
done <drawn
for case in "$SHARED"/data/advice/cases/*.pt.trace.json; do
    name=$(basename "$case" .pt.trace.json)
    wanted "$name" || continue
    rm -f out.json
    "$TP" report "$case" -o out.html --json out.json --quiet 2>stderr
    status=$?
    if [ $status = 3 ] && [ "$name" = empty ]; then
        ok "case $name: nothing to report"
        continue
    fi
    python3 "$ORACLE/definitions.py" "$case" -o ref.json 2>/dev/null
    check "case $name" compare out.json ref.json
done
for run in "$SHARED"/data/expected/reference/runs/*.json.gz; do
    name=$(basename "$run" .json.gz)
    wanted "$name" || continue
    case $name in
    kineto__*) inputs=$SHARED/data/traces/kineto/${name#kineto__} ;;
    hta__trace_filter) inputs=$(ls "$SHARED"/data/traces/hta/trace_filter/*) ;;
    *) inputs=$(ls "$SHARED"/data/torch/2.13/"${name#torch__2.13__}"/rank?/*.pt.trace.json.gz) ;;
    esac
    # shellcheck disable=SC2086
    defined "run_$name" $inputs
    # shellcheck disable=SC2086
    "$TP" report $inputs -o out.html --json out.json --quiet 2>stderr
    check "run $name" compare out.json "$KEPT/run_$name.json.gz"
done
listed() {
    python3 "$ORACLE/compare_defined.py" --summary counts >summary 2>&1 || { tail -n 40 summary; return 1; }
}
if [ -f counts ]; then
    check "exceptions: no listed rule is one that the twin knows ($drawn of $(wc -l <traces) traces, seed ${SEED:-1})" listed
    sed 's/^/# /' summary
fi
# kinds TRACE...: compares kinds of device work with kinds_ref.py, for these traces, or without TRACE for generated ones
kinds() {
    mkdir -p kinds
    python3 "$ORACLE/check_work.py" "$TP" "$SHARED/oracle/costs" kinds "$@" >said 2>&1 || { tail -n 8 said; return 1; }
}
check "kinds of device work and their costs: 200 made traces" kinds
# Excludes records of the MTIA accelerator, which only the definition reads, and traces that take the definition half a
# minute.
small=$(find "$SHARED/data/traces" -name '*.json*' -size -800k | grep -v mtia | sort)
# shellcheck disable=SC2086
check "kinds of device work and their costs: real traces" kinds $(for trace in $small; do
    if zcat -f "$trace" | grep -qE '"cat": ?"(kernel|gpu_memcpy|gpu_memset)"'; then echo "$trace"; fi
done)
tree() { # tree TRACE...: compares the tree of device time with tree_ref.py
    mkdir -p tree
    python3 "$ORACLE/check_tree.py" "$TP" "$SHARED/oracle/costs" tree "$@" >said 2>&1 || { tail -n 8 said; return 1; }
}
check "tree of device time: 200 made traces" tree
# Excludes two traces with bad nesting, in which the definition keeps an ended range on the stack while an inner range
# is open.
# shellcheck disable=SC2086
check "tree of device time: real traces" tree $(for trace in $small; do
    if zcat -f "$trace" | grep -qE '"cat": ?"(kernel|gpu_memcpy|gpu_memset)"'; then echo "$trace"; fi
done)
costs() { python3 "$ORACLE/check_costs.py" "${TOOLS:-$BUILD}/call_costs" "$SHARED/oracle/costs" "$@" >said 2>&1 || { tail -n 8 said; return 1; }; }
# shellcheck disable=SC2046
check "costs of calls: 40,000 made ones and those of real traces" costs "$SHARED"/data/traces/tracelens/h100/Q*.gz \
    $(find "$SHARED/data/torch/2.13" -path '*.shapes/trace*.gz' | sort)
serving() { # serving TRACE...: compares steps of serving engines with serve_ref.py
    mkdir -p serving
    python3 "$ORACLE/check_serving.py" "$TP" "$SHARED/oracle/costs" serving "$@" >said 2>&1 || { tail -n 8 said; return 1; }
}
check "steps of serving engines: 100 made traces" serving
# shellcheck disable=SC2046
check "steps of serving engines: real ones" serving $(grep 'sglang_prefilldecode\|vllm_decode_full/[^/]*$' all)
changes() {
    # shellcheck disable=SC2046
    python3 "$ORACLE/check_changes.py" "$TP" "$SHARED/oracle" $(find "$SHARED/data/torch/2.13" -name 'trace.pt.trace.json.gz' | sort) >said 2>&1 || { tail -n 8 said; return 1; }
}
if [ -f "$SHARED/oracle/ledger_ref.py" ]; then
    check "diff: changed work is that of another reading, in traces with changes at random places" changes
else
    skip "diff: changed work" "another reading is not next to the project"
fi
compiled() {
    python3 "$ORACLE/check_compiled.py" "$TP" "$SHARED/oracle/provenance/provenance_ref.py" "$SHARED/data/provenance/real_compile" >said 2>&1 ||
        { tail -n 8 said; return 1; }
}
if [ -f "$SHARED/oracle/provenance/provenance_ref.py" ] && [ -d "$SHARED/data/provenance/real_compile" ]; then
    check "compiled code: source lines are those of another reading, and those counted by hand" compiled
else
    skip "compiled code: source lines" "another reading is not next to the project"
fi
gaps() { python3 "$ORACLE/check_gaps.py" "$TP" "$SHARED/oracle/gaps/gaps_ref.py" "$@" >said 2>&1 || { tail -n 8 said; return 1; }; }
if [ -f "$SHARED/oracle/gaps/gaps_ref.py" ]; then
    # shellcheck disable=SC2086
    check "streams, launch delays, durations of kernels and rates of copies: as another reading" gaps $small
else
    skip "streams, launch delays, durations of kernels and rates of copies" "another reading is not next to the project"
fi
mangled() { # Compares the demangled names of tracepress with those of binutils.
    python3 "$ORACLE/check_names.py" "${TOOLS:-$BUILD}/kernel_names" "$@" >said 2>&1 || { tail -n 8 said; return 1; }
}
if command -v c++filt >/dev/null 2>&1; then
    # shellcheck disable=SC2046
    check "mangled names of kernels: as c++filt reads them" mangled $(cat all)
else
    skip "mangled names of kernels" "no c++filt"
fi
