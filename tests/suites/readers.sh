# Opens traces from tracepress in other readers: Perfetto's rules (a script of this project), HTA and torch_tb_profiler.
#
# The last two need a Python: READERS_PYTHON, or one each in HTA_PYTHON and TBP_PYTHON, or build/readers made by
#   python3 -m venv build/readers && build/readers/bin/pip install HolisticTraceAnalysis==0.5.0 tensorboard==2.21.0 \
#     torch-tb-profiler==0.4.3 pandas
. tests/suites/case.sh
readers=${READERS_PYTHON:-$PWD/build/readers/bin/python}
hta=${HTA_PYTHON:-$readers} tbp=${TBP_PYTHON:-$readers}
oracle=$SHARED/oracle/tbp_oracle.py
rules=$PWD/tests/check/perfetto_rules.py
speedscope=$PWD/tests/check/speedscope_rules.py
text=$PWD/README.md
same=$PWD/tests/check/same_reading.py
cd "$WORK" || exit 1
mkdir -p demo
"$TOOLS/train" "$text" demo >/dev/null || not_ok "the demo records itself"
demo=$(ls demo/*.pt.trace.json.gz)

if ! command -v python3 >/dev/null; then
    skip "Perfetto's rules" "no python3"
else
    check "Perfetto's rules: the demo's trace" python3 "$rules" "$demo"
    random() {
        for seed in 1 2 3 4 5 6 7 8; do
            mkdir -p "random/$seed"
            "$TOOLS/random_program" "random/$seed" $seed || return 1
        done
        python3 "$rules" random/*/*.pt.trace.json.gz
    }
    check "Perfetto's rules: programs that call everything at random" random
    check "speedscope's rules: the demo's trace and those of random programs" python3 "$speedscope" "$demo" random/*/*.pt.trace.json.gz
    broken() { # Checks that the checker finds a planted fault.
        printf '{"traceEvents":[%s,%s]}' '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1.0,"dur":2.0}' \
            '{"ph":"X","name":"b","pid":1,"tid":1,"ts":2.0,"dur":1.001}' >crossing.json
        ! python3 "$rules" crossing.json >said && grep -q "'b' \[2000, 3001\] leaves 'a' \[1000, 3000\]" said
    }
    check "Perfetto's rules: ranges that cross by a nanosecond are found" broken
fi

cat >look_in_hta.py <<'EOF2'
import gzip, json, os, sys, warnings
from collections import Counter
warnings.filterwarnings("ignore")
from hta.common.trace_call_graph import CallGraph
from hta.trace_analysis import TraceAnalysis
path = os.path.abspath(sys.argv[1])
analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/", include_last_profiler_step=True)
table, symbols = analysis.t.get_trace(0), analysis.t.symbol_table.get_sym_table()
found = Counter(symbols[i] for i in table["cat"])
events = [e for e in json.loads(gzip.open(path).read())["traceEvents"] if e["ph"] == "X" and e["cat"] != "Trace"]
wanted = Counter(e["cat"] for e in events)
print(dict(found), dict(wanted))
bad = any(found[cat] != count for cat, count in wanted.items())
CallGraph(analysis.t)
depth = analysis.t.get_trace(0)["depth"]
print("depth", depth.min(), depth.max())
sys.exit(bool(bad or depth.max() < 3))
EOF2
if "$hta" -c 'import hta.trace_analysis' 2>/dev/null; then
    # without this variable, HTA rounds times to microseconds and refuses even torch's own traces of short operators
    check "HTA loads the demo's trace and builds its call graph" env HTA_DISABLE_NS_ROUNDING=1 "$hta" look_in_hta.py "$demo"
    exported() {
        "$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to chrome -o whole --quiet &&
            HTA_DISABLE_NS_ROUNDING=1 "$hta" "$same" "$DATA/traces/gpu_2026.pt.trace.json.gz" whole/*.json.gz
    }
    check "HTA reads an export as it reads its input" exported
else
    skip "HTA loads the demo's trace and an export" "no Python with HTA"
fi

cat >compare_tbp.py <<'EOF2'
import json, sys
theirs, ours = (json.load(open(name))["runs"][0]["profiles"][0] for name in sys.argv[1:3])
same = lambda a, b: abs(a - b) < 0.01
steps = [(s["name"], s["total_us"]) for s in theirs["overview"]["steps"]]
wanted = [(s["name"], s["total_us"]) for s in ours["overview"]["steps"]]
print(steps, wanted)
bad = len(steps) != len(wanted) or not all(a[0] == b[0] and same(a[1], b[1]) for a, b in zip(steps, wanted))
theirs_by, ours_by = ({o["name"]: o for o in p["operator_view"]["by_name"]} for p in (theirs, ours))
bad |= set(theirs_by) != set(ours_by) or len(ours_by) < 5
for name, o in ours_by.items():
    t = theirs_by.get(name, {"calls": -1, "host_self_time_us": -1})
    print(name, o["calls"], t["calls"], o["host_self_time_us"], t["host_self_time_us"])
    bad |= o["calls"] != t["calls"] or abs(o["host_self_time_us"] - t["host_self_time_us"]) > 0.01 * max(1, o["calls"] / 10)
bad |= theirs["status"] != "ok" or not theirs["memory_view"] or not theirs["memory_view"]["devices"]
sys.exit(bad)
EOF2
reads() {
    "$TP" report "$demo" -o page.html --json ours.json --quiet && "$tbp" "$oracle" "$demo" -o theirs.json &&
        python3 compare_tbp.py theirs.json ours.json
}
if [ -f "$oracle" ] && "$tbp" -c 'import torch_tb_profiler' 2>/dev/null; then
    check "torch_tb_profiler finds the report's steps and operators in the demo's trace" reads
else
    skip "torch_tb_profiler loads the demo's trace" "no script next to the project or no Python with torch_tb_profiler"
fi
