"""check_compiled.py TRACEPRESS REFERENCE FOLDER: compares the calls of compiled code with an independent implementation.

REFERENCE is provenance_ref.py of ../shared, and FOLDER has a real trace of torch.compile with its artifacts. The report
groups equal calls, so the calls of the reference are counted by all members that the report has. Also compares the
lines of the calls with those counted by hand (expected.json). Prints each difference, and then exits with 1."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

program, reference, folder = sys.argv[1:]
RANGE = "## Call CompiledFxGraph "
bad = 0


def report(trace, paths, work):
    out = os.path.join(work, "out.json")
    options = [part for path in paths for part in ("--compile-log", path)]
    subprocess.run([program, "report", trace, "--json", out, "--quiet", *options], check=True)
    with open(out) as file:
        return json.load(file)["runs"][0]["profiles"][0]["compiled"]


def wanted(trace, paths):
    options = [part for path in paths for part in ("--inductor", path)]
    run = subprocess.run([sys.executable, reference, "compiled", trace, *options], check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def differ(name, found, expected):
    global bad
    for key in sorted(set(found) | set(expected), key=str):
        if found.get(key) != expected.get(key):
            bad += 1
            print("%s: %s is %s, not %s" % (name, key, found.get(key), expected.get(key)))


def compare(name, trace, paths, work):
    found, expected = {}, collections.defaultdict(lambda: [0, 0])
    rows = report(trace, paths, work)
    for r in rows:
        key = (r["kernel"], r["family"], r["backward"], r["region"], r["line"], tuple(r["lines"]), r["via"],
               r["key"] if r["via"] == "inductor" else None, tuple(r["nodes"]) if r["via"] == "inductor" else ())
        calls, time = found.get(key, [0, 0])
        found[key] = [calls + r["calls"], time + round(1000 * r["time_us"])]
    for r in wanted(trace, paths):
        region = r["region"][len(RANGE):-3] if r["region"].startswith(RANGE) else r["region"]
        sums = expected[(r["kernel"], r["family"], r["backward"], region, r["line"], tuple(r["lines"]), r["via"], r.get("key"),
                         tuple(r.get("nodes", ())))]
        sums[0] += 1
        sums[1] += r["dur_ns"]
    differ(name, found, dict(expected))
    return rows


with tempfile.TemporaryDirectory() as work:
    apart = os.path.join(work, "trace.json")
    shutil.copy(os.path.join(folder, "trace.json"), apart)
    log = os.path.join(folder, "dedicated_log_torch_trace_provenance_only.log")
    rows = compare("log", apart, [log], work)
    compare("nodes", apart, [os.path.join(folder, "nodes_only")], work)
    compare("no artifacts", apart, [], work)
    with open(os.path.join(folder, "expected.json")) as file:
        by_hand = collections.Counter((c["kernel"], c["line"], tuple(sorted(c["lines"]))) for c in json.load(file)["calls"])
    lines = collections.Counter()
    for r in rows:
        lines[r["kernel"], r["line"], tuple(r["lines"])] += r["calls"]
    differ("counted by hand", lines, by_hand)
    print("%d calls" % sum(lines.values()))
sys.exit(1 if bad or not rows else 0)
