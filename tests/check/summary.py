"""Compares the numbers of summaries with those of report --json, by the definitions of both.

usage: TRACES=PATH summary.py SUMMARY.json REPORT.json [TRACE]     (summarize --format json; report --json; both of PATH)

With a trace whose events nest as on the host, also checks the step of every runtime call and kernel. Compares processes by
file. If a summary has merged small rows, only the sums of that kind are compared."""
import gzip
import json
import math
import os
import re
import sys
from collections import Counter, defaultdict
from decimal import Decimal

errors = []


def ns(us):
    return None if us is None else int(Decimal(us) * 1000)


def real(value):
    return None if value is None else float(value)


def same(what, ours, theirs):
    if ours != theirs:
        errors.append(f"{what}: {str(ours)[:300]} instead of {str(theirs)[:300]}")


def short(name):
    """Returns a text as summaries store it: of a long text only the beginning, with a hash that is not computed
    here."""
    data = name.encode()
    return name if len(data) <= 4000 else data[:4000].decode(errors="ignore")


def rows(process, kind):
    return [row for row in process["rows"] if row["kind"] == kind]


def is_cut(process, kind):
    return any(row["name"] == "(rest)" for row in rows(process, kind))


def table(what, process, kind, key, wanted):
    """Compares rows. wanted: {key: count, sum, min, max and bytes, as far as they are known}."""
    mine = {}
    for row in rows(process, kind):
        name = tuple(map(short, key(row))) if isinstance(key(row), tuple) else short(key(row))
        into = mine.setdefault(name, {"count": 0, "sum": 0, "min": 1 << 63, "max": 0, "bytes": None})
        into["count"] += row["count"]
        into["sum"] += row["sum_ns"]
        into["min"] = min(into["min"], row["min_ns"])
        into["max"] = max(into["max"], row["max_ns"])
        if row["bytes"] is not None:
            into["bytes"] = (into["bytes"] or 0) + row["bytes"]
    wanted = {tuple(map(short, k)) if isinstance(k, tuple) else short(k): v for k, v in wanted.items()}
    if is_cut(process, kind):
        for member in ("count", "sum"):
            if all(member in x for x in wanted.values()):
                same(f"{what}: {member} of all", sum(x[member] for x in mine.values()),
                     sum(x[member] for x in wanted.values()))
        return
    for name in sorted(set(mine) ^ set(wanted)):
        errors.append(f"{what}: {str(name)[:300]} is only in the {'summary' if name in mine else 'report'}")
    for name in set(mine) & set(wanted):
        same(f"{what} {name}", {m: mine[name][m] for m in wanted[name]}, wanted[name])


def base_of(process, start):
    """Returns the time that is zero in a trace. Times before the year 2000 are relative to the baseTimeNanoseconds of
    the trace."""
    path = os.environ["TRACES"]
    if os.path.isdir(path):
        (path,) = [os.path.join(d, f) for d, _, files in os.walk(path) for f in files if f == os.path.basename(process["file"])]
    with open(path, "rb") as file:
        text = file.read()
    text = gzip.decompress(text) if text.startswith(b"\x1f\x8b") else text
    base = re.search(rb'"baseTimeNanoseconds":\s*(\d+)', text)
    return int(base.group(1)) if base and start < 946684800 * 10**9 else 0


def check_steps(process, profile):
    overview, start = profile["overview"], ns(profile["trace_facts"]["profiler_start_us"])
    same("start", process["start_ns"], start + base_of(process, start))
    same("steps", len(process["steps"]), len(overview["steps"]))
    parts = ["kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other"]
    for mine, step, overlap in zip(process["steps"], overview["steps"], overview["communication_overlap"]):
        what = f"step {step['name']}"
        same(what, [mine["name"], mine["start_ns"], mine["total_ns"], mine["used"]],
             [step["name"], ns(step["start_us"]) - start, ns(step["total_us"]), step["used"]])
        same(what + " parts", [mine[p] for p in parts], [ns(step[p + "_us"]) for p in parts])
        exposed = ns(overlap["communication_us"]) - ns(overlap["overlap_us"])
        same(what + " exposed", mine["exposed_communication"] or 0, exposed)


def check_idle(process, profile):
    """Compares the idle parts of each analysed step, added over the devices of the idle view."""
    parts = ["host", "launch", "queue", "outside", "unknown"]
    used = [i for i, s in enumerate(profile["overview"]["steps"]) if s["used"]]
    wanted = defaultdict(lambda: [0] * len(parts))
    for device in profile["idle_view"] or []:
        for i, step in zip(used, device["steps"]):
            wanted[i] = [a + ns(step["idle"][p + "_us"]) for a, p in zip(wanted[i], parts)]
    for i, step in enumerate(process["steps"]):
        mine = [step["idle_" + p] for p in parts]
        same(f"idle of step {step['name']}", mine, wanted.get(i, [None] * len(parts)))


def modules(tree, above=""):
    stack = [(node, above) for node in tree or []]
    while stack:
        node, path = stack.pop()
        path = f"{path}/{node['name']}" if path else node["name"]
        yield path, node
        stack += [(child, path) for child in node["children"]]


def check_rows(process, profile):
    host, device = defaultdict(Counter), defaultdict(Counter)
    for row in profile["operator_view"]["by_name_and_input_shape"]:
        key = (row["name"], row["input_shape"] if row["input_shape"] != "[]" else "")
        host[key].update(count=row["calls"], sum=ns(row["host_self_time_us"]))
        if ns(row["device_self_time_us"]):
            device[key].update(sum=ns(row["device_self_time_us"]))
    shaped = lambda row: (row["name"], row["shape"] if row["shape"] != "[]" else "")
    table("operators", process, "operator_host", shaped, {k: dict(v) for k, v in host.items()})
    table("operators on the device", process, "operator_device", shaped, {k: dict(v) for k, v in device.items()})
    times = lambda row: {"count": row["calls"], "sum": ns(row["total_us"]), "min": ns(row["min_us"]),
                         "max": ns(row["max_us"])}
    view = profile["kernel_view"] or {"by_name": [], "copies_by_name": []}
    name = lambda row: row["name"]
    table("kernels", process, "kernel", name, {r["name"]: times(r) for r in view["by_name"]})
    table("copies", process, "copy", name, {r["name"]: times(r) | {"bytes": r["total_bytes"]} for r in view["copies_by_name"]})
    host, device = defaultdict(Counter), defaultdict(Counter)
    for path, node in modules(profile["module_view"]):
        host[path].update(count=node["occurrences"], sum=ns(node["host_total_time_us"]))
        if ns(node["device_total_time_us"]):
            device[path].update(sum=ns(node["device_total_time_us"]))
    table("modules", process, "module_host", name, {k: dict(v) for k, v in host.items()})
    table("modules on the device", process, "module_device", name, {k: dict(v) for k, v in device.items()})
    waits = profile["sync_table"]["rows"]
    table("waits", process, "sync", lambda r: (r["name"], r["owner"], r["shape"]),
          {(w["api"], w["op"], w["line"]): {"count": w["count"], "sum": ns(w["cost_us"]), "max": ns(w["max_cost_us"])}
           for w in waits})
    facts = profile["trace_facts"]
    same("runtime calls", sum(r["count"] for r in rows(process, "runtime")),
         facts["runtime_count"])


def check_by_step(process):
    for row in process["rows"]:
        if "by_step_ns" not in row:
            continue
        what = f"{row['kind']} {row['name']} by step"
        same(what + ": length", len(row["by_step_ns"]), len(process["steps"]))
        if sum(row["by_step_ns"]) > row["sum_ns"] or sum(row["by_step_count"]) > row["count"]:
            errors.append(what + ": more than in all")


def check_steps_of_events(process, profile, path):
    """Checks the step of each event. A host call belongs to the step whose marker contains its start. A kernel belongs
    to the step of its launch; without a launch, to the step that contains its start."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file, parse_float=Decimal)["traceEvents"] if e.get("ph") == "X"]
    steps = [[ns(s[k]) for k in ("host_start_us", "host_end_us", "start_us", "end_us")]
             for s in profile["overview"]["steps"]]
    if profile["trace_facts"]["step_marker"] == "window":  # without markers, the trace has a single step
        steps = [[-math.inf, math.inf] * 2]
    launches = {e["args"]["correlation"]: ns(e["ts"]) for e in events
                if e.get("cat") in ("cuda_runtime", "cuda_driver", "Runtime") and "correlation" in e.get("args", {})}
    wanted = defaultdict(lambda: [0] * len(steps))
    for event in events:
        at, cat, first = ns(event["ts"]), event.get("cat", "").lower(), 0
        if cat == "kernel":
            launch = launches.get(event["args"].get("correlation"))
            at, first = (at, 2) if launch is None else (launch, 0)
        elif cat not in ("cuda_runtime", "cuda_driver", "runtime"):
            continue
        for i, step in enumerate(steps):
            if step[first] <= at < step[first + 1]:
                wanted["kernel" if cat == "kernel" else "runtime", event["name"]][i] += 1
    mine = defaultdict(lambda: [0] * len(steps))
    small = set()
    for row in process["rows"]:
        if row["kind"] in ("kernel", "runtime"):
            key = row["kind"], row["name"]
            mine[key] = [a + b for a, b in zip(mine[key], row.get("by_step_count", [0] * len(steps)))]
            if "by_step_count" not in row:
                small.add(key)
    for key in (set(mine) | set(wanted)) - small:
        same(f"{key} by step", mine[key], wanted[key])
    if not any(map(sum, mine.values())):
        errors.append("no row has numbers by step")


def check_notes(process, profile):
    # a summary has findings by severity and time, because the order of the report depends on a replay
    time = lambda us: -1 if us is None else float(us)
    levels = ["high", "medium", "low", "info"]
    order = [(levels.index(f["severity"]), -time(f["ceiling_us_per_step"])) for f in process["findings"] if f["rule"] not in ("R1", "R2", "R3")]
    same("order of the findings", order, sorted(order))
    by_text = lambda f: (f.get("rule", f.get("id")), f["title"], f["detail"])
    for mine, finding in zip(sorted(process["findings"], key=by_text), sorted(profile["recommendations"]["findings"], key=by_text)):
        lines = [e["file_line"] for e in finding["evidence"] if e["file_line"]]
        same(f"finding {finding['id']}",
             [mine["rule"], mine["title"], mine["severity"], mine["confidence"], mine["ceiling_us_per_step"],
              mine["occurrences"], mine["file_line"], mine["detail"]],
             [finding["id"], finding["title"], finding["severity"], finding["confidence"],
              real(finding["ceiling_us_per_step"]), finding["evidence_total"], lines[0] if lines else "",
              finding["detail"]])
    same("findings", len(process["findings"]), len(profile["recommendations"]["findings"]))
    same("memory", len(process["memory"]), len(profile["memory_peak"]))
    for mine, device in zip(process["memory"], profile["memory_peak"]):
        same("memory", [mine["peak_allocated_bytes"], mine["peak_reserved_bytes"], mine["creep_bytes_per_step"]],
             [device["peak_allocated_bytes"], device["peak_reserved_bytes"], real(device["creep_bytes_per_step"])])
        for kind, member in (("operator", "op"), ("module", "module"), ("line", "line")):
            same(f"memory by {kind}",
                 [[o["name"], o["bytes"], o["blocks"]] for o in mine["owners"] if o["kind"] == kind],
                 [[o["name"], o["bytes"], o["blocks"]] for o in device["live_by"][member] or []][:64])
    flags = {f["name"]: f["count"] for f in process["flags"] if not f["name"].startswith("summary:")}
    quality = profile["trace_quality"]
    raised = {f["id"] for f in quality["flags"] if f["raised"]} | set(quality["notices"])
    same("flags", sorted(flags), sorted(raised))
    same("collectives", len(process["collectives"]), profile["trace_facts"]["communication_ops"])
    same("events", process["event_count"], profile["trace_facts"]["event_count"])
    same("program", process["program"], profile["recommendations"]["program"])
    same("verdict", [process["verdict"], process["headline"]], [profile["verdict"][m] for m in ("class", "headline")])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        processes = json.load(file)["processes"]
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file, parse_float=Decimal)
    profiles = [p for run in report["runs"] for p in run["profiles"] if p["status"] == "ok"]
    same("processes", sorted(p["file"] for p in processes), sorted(p["file"] for p in profiles))
    by_file = {p["file"]: p for p in profiles}
    for process in processes:
        profile = by_file[process["file"]]
        for part in (check_steps, check_idle, check_rows, check_notes):
            part(process, profile)
        check_by_step(process)
        if len(sys.argv) > 3:
            check_steps_of_events(process, profile, sys.argv[3])
    for error in errors[:20]:
        print(error)
    return 1 if errors else 0


sys.exit(main())
