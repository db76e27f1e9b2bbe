# Checks that `tracepress table` and `export --to folded` print the same as torch. Compares small traces and all traces
# in ../shared with stored texts of torch. For traces with GPUs, torch's own classes are used if torch is installed.
. tests/suites/case.sh
! is_asan || SHARED=none # with sanitizers, uses only the traces of the repository
if ! command -v python3 >/dev/null 2>&1; then
    skip "tables equal torch's" "no python3"
    exit 0
fi
for folder in "$DATA"/tables/*/*/ "$SHARED"/data/torch/2.*/*/ "$SHARED"/data/torch/2.*/*/rank?/; do
    [ -f "$folder/tables.json.gz" ] || continue
    # skipped, because torch 2.1.2 rounds the times in its trace to microseconds, but not those in its tables
    case $folder in */2.1.2/*) continue ;; esac
    name=$(printf '%s' "$folder" | sed 's|.*/\(tables\|torch\)/||; s|/$||')
    check "torch's tables of $name" python3 tests/oracle/check_tables.py "$TP" "$folder"
done
[ -d "$SHARED/data/torch" ] || skip "torch's tables of more traces" "no reference data"
if python3 -c 'import torch' >/dev/null 2>&1; then
    for trace in "$DATA"/traces/gpu_*.gz "$DATA"/run/*.gz "$DATA"/ddp/*.gz; do
        check "torch's classes on $(basename "$trace")" python3 tests/oracle/torch_tables.py "$TP" "$trace"
    done
else
    skip "torch's classes on GPU traces" "torch is not installed"
fi

# Checks names with every character that is special in a cell. Python's csv must read them back, and no cell may start a
# formula.
csv_equals_json() {
    "$TP" table "$DATA/traces/hostile_names.pt.trace.json.gz" --format csv --group-by input-shape --quiet -o "$WORK/t.csv" &&
        "$TP" table "$DATA/traces/hostile_names.pt.trace.json.gz" --format json --group-by input-shape --quiet -o "$WORK/t.json" &&
        python3 - "$WORK/t.csv" "$WORK/t.json" <<'END'
import csv, json, re, sys
def shown(name):  # each byte that a terminal would interpret is "?", and a formula begins with an apostrophe
    text = "".join("?" * len(c.encode()) if re.match("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", c) else c
                   for c in name)
    return re.sub(r"^(?=[\t\r\n])|((?:^|(?<=[\t\r\n])) *(?=[=+@-]))", lambda m: "'" + m.group(0), text)
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
expected = json.load(open(sys.argv[2]))["profiles"][0]["rows"]
assert rows and len(rows) == len(expected), (len(rows), len(expected))
for row, other in zip(rows, expected):
    name = other["name"]
    assert row["name"] == shown(name), (row["name"], name)
    assert int(row["calls"]) == other["calls"] and float(row["self_cpu_us"]) == other["self_cpu_us"]
    assert row["name"][:1] not in ("=", "+", "-", "@"), name
END
}
pandas_reads_csv() {
    "$TP" table "$DATA/traces/gpu_2026.pt.trace.json.gz" --format csv --quiet -o "$WORK/p.csv" &&
        python3 -c "
import pandas, sys
frame = pandas.read_csv('$WORK/p.csv')
assert frame['self_device_us'].dtype == float and frame['calls'].dtype == int and len(frame) > 10, frame.dtypes"
}
check "csv: hostile names stay cells, numbers equal the JSON" csv_equals_json
if python3 -c 'import pandas' >/dev/null 2>&1; then
    check "csv: pandas reads numbers as numbers" pandas_reads_csv
else
    skip "csv: pandas reads numbers as numbers" "pandas is not installed"
fi

# Tests tables of Python functions with pstats, snakeviz (if installed) and cProfile.
mkdir "$WORK/pstats"
functions() { python3 tests/oracle/check_pstats.py "$TP" "$WORK/pstats" "$DATA/tables/2.13/memory_heavy.full/trace.pt.trace.json.gz" "$DATA"/traces/torch_*.gz; }
check "functions: calls, callers and texts are those of cProfile and pstats" functions
more_functions() { python3 tests/oracle/check_pstats.py "$TP" "$WORK/pstats" "$SHARED"/data/torch/2.*/*.stack/trace.*.gz "$SHARED"/data/torch/2.*/*.full/trace.*.gz; }
if [ -d "$SHARED/data/torch" ]; then
    check "functions: all traces with stacks, as pstats prints them" more_functions
else
    skip "functions: all traces with stacks" "no reference data"
fi

# Compares the FLOPs of operators with those of with_flops, and with those of torch's flop_counter if torch is
# installed.
mkdir "$WORK/costs"
costs() { python3 -W ignore tests/oracle/check_op_costs.py "$TP" "$WORK/costs" "$@" 2>&1; }
check "operators: computation equals with_flops" costs "$DATA/tables/2.13/memory_heavy.full" "$DATA/tables/2.13/inference.shapes"
if [ -d "$SHARED/data/torch" ]; then
    # shellcheck disable=SC2046 # no blanks in these names
    check "operators: computation equals with_flops in all traces" costs $(dirname "$SHARED"/data/torch/2.*/*.full/expected.json.gz)
else
    skip "operators: computation in all traces" "no reference data"
fi
