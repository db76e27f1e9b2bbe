# Reads files of `export --to xplane` with XProf's own converters. Every tool must give data. Kernel time must equal
# that of the trace, and steps must last as long as in the report, both to the nanosecond. Needs the checker in
# ../shared and a Python with xprof: XPROF_PYTHON, build/xprof/bin/python or python3 (python3 -m venv build/xprof &&
# build/xprof/bin/pip install xprof==2.24.2).
. tests/suites/case.sh
checker=$SHARED/oracle/xprof_check.py
python=
for candidate in "${XPROF_PYTHON:-}" build/xprof/bin/python python3; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    "$candidate" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("xprof") is None)' 2>/dev/null || continue
    python=$(command -v "$candidate")
    break
done
if [ ! -f "$checker" ] || [ -z "$python" ]; then
    skip "xprof reads our exports" "no checker next to the project or no Python with xprof"
    exit 0
fi
python=$(cd "$(dirname "$python")" && pwd)/$(basename "$python")
text=$PWD/README.md
cd "$WORK" || exit 1

cat >totals.py <<'EOF'
import gzip, json, sys
from decimal import Decimal
seen, report, traces = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3:]
kernels = 0
for name in traces:
    data = open(name, "rb").read()
    data = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, parse_float=Decimal)
    kernels += sum(Decimal(e["dur"]) for e in data["traceEvents"] if e.get("ph") == "X" and e.get("cat", "").lower() == "kernel")
found = (seen["tools"].get("kernel_stats") or {}).get("total_us") or 0
print("kernels: %.3f us in XProf, %s us in the trace" % (found, kernels))
bad = abs(found - float(kernels)) >= 0.001
# XProf leaves out the first and the last step if there are more than five, and averages steps of several hosts
ours = [s["total_us"] for s in report["runs"][0]["profiles"][0]["overview"]["steps"]]
theirs = [s[-1] * 1000 for s in seen["tools"]["overview_page"]["steps"]]
ours = ours[1:-1] if len(ours) > 5 else ours
print("steps in us:", ours, theirs)
bad |= len(ours) != len(theirs) or len(traces) == 1 and any(abs(a - b) >= 0.0015 for a, b in zip(ours, theirs))
sys.exit(bad)
EOF
reads() { # reads INPUT TRACE...: exports INPUT and compares XProf's output with the traces
    input=$1
    shift
    rm -rf logdir
    "$TP" export "$input" --to xplane -o logdir --quiet && "$TP" report "$input" --json report.json -o page.html --quiet || return 1
    "$python" "$checker" logdir/plugins/profile/* >seen.json || { tail -n 20 seen.json; return 1; }
    "$python" totals.py seen.json report.json "$@"
}
for trace in "$SHARED"/data/traces/kineto/*/*.gz "$DATA"/traces/gpu_*.gz "$DATA"/traces/hostile_names* "$DATA"/traces/torch_2.13_mlp* \
    "$DATA"/traces/case_no_runtime*; do
    [ -f "$trace" ] || continue
    check "xprof reads $(basename "$(dirname "$trace")")/$(basename "$trace")" reads "$trace" "$trace"
done
mkdir -p demo
"$TOOLS/train" "$text" demo >/dev/null
# Checks the demo, which has no kernel. Its operators must be the rows of the host, and its memory must be shown.
host_rows() {
    reads demo demo/*.gz && python3 -c 'import json
tools = json.load(open("seen.json"))["tools"]
print(json.dumps(tools)[:3000])
assert not (tools.get("kernel_stats") or {}).get("total_us")
assert tools["framework_op_stats"]["rows"]["Host"] >= 7
assert tools["memory_profile"]["allocators"]["CPU"]["peak_bytes"] > 0'
}
check "xprof reads the trace of a program that recorded itself" host_rows
check "xprof reads two ranks as one session" reads "$DATA/run" "$DATA"/run/*.gz
