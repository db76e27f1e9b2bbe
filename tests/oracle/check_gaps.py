"""check_gaps.py TRACEPRESS REFERENCE TRACE...: compares streams, launch delays, durations of kernels and rates of copies with another
reading.

REFERENCE is gaps_ref.py of ../shared. It reads times as doubles, so times may differ by 0.5 us and more in long traces. It counts
each kernel of a graph as an item of the queue, so queues of traces with launches of graphs are not compared. Of a call and a start at the same time,
it takes the first one in the file first, so percentiles and the maximum may differ by 1. Prints each difference, and then exits
with 1."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

program, reference, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
bad = compared = 0


def near(ours, theirs, least):
    return abs(ours - theirs) <= max(least, 1e-4 * abs(theirs))


def differ(where, ours, theirs, least):
    global bad, compared
    compared += 1
    if ours is None or theirs is None or not near(ours, theirs, least):
        bad += 1
        print("%s: %s, not %s" % (where, ours, theirs))


def report(trace):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        subprocess.run([program, "report", trace, "--json", out, "-o", os.path.join(folder, "out.html"), "--quiet"], check=True)
        with open(out) as file:
            return json.load(file)["runs"][0]["profiles"][0]


def has_graph_launches(trace):
    with open(trace, "rb") as file:
        raw = file.read()
    return b"GraphLaunch" in (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)


def compare_streams(name, view, wanted):
    queues = ("queue_changes", "points", 0), ("mean_queue", "mean_time", 1e-3), ("mean_queue_at_changes", "mean_points", 0.5), (
        "median_queue", "p50", 1), ("p75_queue", "p75", 1), ("max_queue", "max", 1)
    idle = ("idle_host_us", "host_wait"), ("idle_short_us", "kernel_wait"), ("idle_other_us", "other")
    for row in view["streams"]:
        key = str((row["device"], row["stream"]))
        for ours, theirs, least in queues if key in wanted["queue"] else ():
            differ("%s: stream %s: %s" % (name, key, ours), row[ours], wanted["queue"][key][theirs], least)
        for ours, theirs in idle:
            differ("%s: stream %s: %s" % (name, key, ours), row[ours], wanted["idle_per_stream"][key].get(theirs, 0), 0.5)


def compare_delays(name, view, wanted):
    rows = {row["kind"]: row for row in view["launch_delays"]}
    pairs = ("operations", "n"), ("p50_us", "p50_us"), ("p90_us", "p90_us"), ("p99_us", "p99_us"), ("max_us", "max_us"), (
        "shorter_than_call", "shorter_than_call")
    for ours, theirs in pairs if wanted["launch"] else ():
        differ("%s: delay: %s" % (name, ours), rows["all"][ours], wanted["launch"][theirs], 0.5)


def compare_durations(name, view, wanted):
    rows = view["durations"] if view else []
    histogram = wanted["short_histogram"]
    for row, edge, count, time in zip(rows, histogram["edges_us"], histogram["count"], histogram["time_us"]):
        differ("%s: kernels from %s us" % (name, edge), row["from_us"], edge, 0)
        differ("%s: kernels from %s us: number" % (name, edge), row["kernels"], count, 0)
        differ("%s: kernels from %s us: time" % (name, edge), row["time_us"], time, 0.01)


def compare_copies(name, view, wanted):
    rows = view["copies_by_name"] if view else []
    for kind, theirs in wanted["copies"].items():
        group = [row for row in rows if row["name"].split("(")[0].strip() == kind and row["total_bytes"] is not None]
        if sum(row["calls"] for row in group) != theirs["count"]:
            continue  # the reading counts only copies with a number of bytes, and names the others differently
        differ("%s: %s: bytes" % (name, kind), sum(row["total_bytes"] for row in group), theirs["bytes"], 0)
        differ("%s: %s: best rate" % (name, kind), max(row["max_gb_per_s"] for row in group), theirs["gbs_max"], 1e-3)
        if len(group) == 1:
            differ("%s: %s: rate" % (name, kind), group[0]["rate_gb_per_s"], theirs["gbs_total"], 1e-3)
            differ("%s: %s: median rate" % (name, kind), group[0]["p50_gb_per_s"], theirs["gbs_p50"], 1e-3)


for trace in traces:
    name = os.path.basename(trace)
    found = subprocess.run([sys.executable, reference, trace], check=True, stdout=subprocess.PIPE).stdout
    wanted, = json.loads(found).values()
    profile = report(trace)
    compare_durations(name, profile["kernel_view"], wanted)
    compare_copies(name, profile["kernel_view"], wanted)
    view = profile.get("stream_view")
    if view and not has_graph_launches(trace):
        compare_streams(name, view, wanted)
        compare_delays(name, view, wanted)
print(compared, "values compared,", bad, "differ")
sys.exit(bool(bad or not compared))
