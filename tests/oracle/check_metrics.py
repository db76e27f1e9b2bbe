#!/usr/bin/env python3
"""check_metrics.py TRACEPRESS WORK TRACE...: computes every metric of `check --list-metrics` again from `report
--json`, and compares both.

Uses only the standard library. A metric that the trace does not contain must be null on both sides, with a reason in
`check`. Prints each difference and a last line with counts. Exits with 1 if there are differences."""
import json
import math
import os
import re
import statistics
import subprocess
import sys

GEMM = ("gemm", "scudnn", "cijk_", "nvjet", "convolve")
SINGLE = ("sgemm", "scudnn", "f32f32_f32f32", "_sb_")
WAYS = {"h2d": ("htod", "h2d", "hosttodevice", "host_to_device", "host to device", "host -> device", "host->device", "pageable -> device",
                "pinned -> device", "(m2d", " m2d"),
        "d2h": ("dtoh", "d2h", "devicetohost", "device_to_host", "device to host", "device -> host", "device->host", "device -> pageable",
                "device -> pinned", "(d2m", " d2m"),
        "d2d": ("dtod", "d2d", "devicetodevice", "device_to_device", "device to device", "device -> device", "device->device",
                "ptop", "p2p", "peertopeer", "peer_to_peer", "peer to peer"),
        "other": ("htoa", "atoh", "atoa", "atod", "dtoa", "htoh", "h2h", "hosttohost", "host_to_host", "host to host", "host -> host",
                  "(m2m", " m2m")}


def direction_in_name(name):
    """Returns the direction in a copy's name; None: the name does not show it."""
    return next((way for way, parts in WAYS.items() if any(part in name.lower() for part in parts)), None)


def div(a, b):
    return a / b if b > 0 else None


def scaled(factor, value):
    return None if value is None else factor * value


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def greatest(values):
    values = [v for v in values if v is not None]
    return max(values) if values else None


def steps_metrics(p, m):
    overview = p["overview"]
    totals = sorted(s["total_us"] for s in overview["steps"] if s["used"])
    n = len(totals)
    has = p["trace_facts"]["event_count"] > 0
    m["step.count"] = n if has else None
    m["step.time.median"] = 1000 * statistics.median(totals) if has else None
    m["step.time.mean"] = scaled(1000, overview["average"]["total_us"]) if has else None
    m["step.time.p90"] = 1000 * totals[math.ceil(round(0.9 * n, 9)) - 1] if has else None
    m["step.time.min"] = 1000 * totals[0] if has else None
    m["step.time.max"] = 1000 * totals[-1] if has else None
    average = overview["average"]
    for name, key in (("kernel", "kernel_us"), ("memcpy", "memcpy_us"), ("memset", "memset_us"),
                      ("communication", "communication_us"), ("runtime", "runtime_us"), ("dataloader", "dataloader_us"),
                      ("cpu", "cpu_exec_us"), ("other", "other_us")):
        m["step.%s.time" % name] = scaled(1000, average[key]) if has else None
        m["step.%s.share" % name] = scaled(100, div(average[key], average["total_us"]))
    m["device.busy.share"] = scaled(100, div(average["device_busy_us"], average["total_us"]))
    return n, sum(totals)


def kernel_metrics(p, m, n):
    facts, view, overview = p["trace_facts"], p["kernel_view"], p["overview"]
    gpus = overview["gpu_summary"]
    m["gpu.utilization"] = scaled(100, mean([g["utilization_ratio"] for g in gpus]))
    m["gpu.sm_efficiency"] = scaled(100, mean([g["est_sm_efficiency_ratio"] for g in gpus]))
    m["gpu.occupancy"] = mean([g["est_achieved_occupancy_percent"] for g in gpus])
    names = ("kernels.per_step kernels.distinct kernel.time.per_step kernel.time.mean graph.share tensor_core.share "
             "tensor_core.eligible.share gemm.share gemm.fp32.share gemm.pct_of_peak step.mfu copies.per_step sets.per_step").split()
    for way in list(WAYS)[:3]:
        names += [way + ".per_step", way + ".bytes"]
        names += [way + ".pageable.per_step", way + ".pageable.bytes"] if way != "d2d" else []
    if view is None:
        m.update((name, None) for name in names)
        return
    m["kernels.per_step"] = sum(k["calls_in_steps"] for k in view["by_name"]) / n
    m["kernels.distinct"] = len(view["by_name"])
    m["kernel.time.per_step"] = 1000 * sum(k["in_steps_us"] for k in view["by_name"]) / n
    m["kernel.time.mean"] = scaled(1000, div(facts["kernel_time_us"], facts["kernel_count"]))
    m["graph.share"] = [f["value"] for f in p["trace_quality"]["flags"] if f["id"] == "F3"][0]
    m["tensor_core.share"] = scaled(100, view["tensor_core_pie"]["using_ratio"])
    m["tensor_core.eligible.share"] = scaled(100, overview["tensor_core_eligible_operator_kernel_time_ratio"])
    gemms = [k for k in view["by_name"] if any(part in k["name"].lower() for part in GEMM)]
    single = [k for k in gemms if not k["uses_tensor_cores"] and any(part in k["name"].lower() for part in SINGLE)]
    gemm_us = sum(k["total_us"] for k in gemms)
    m["gemm.pct_of_peak"] = p["work_rates"]["gemm_percent_of_peak"]
    m["step.mfu"] = p["work_rates"]["step_percent_of_peak"]
    m["gemm.share"] = scaled(100, div(gemm_us, sum(k["total_us"] for k in view["by_name"])))
    m["gemm.fp32.share"] = 100 * sum(k["total_us"] for k in single) / gemm_us if gemm_us > 0 else 0
    rows = view["copies_by_name"]
    sets = [c for c in rows if re.search("memset|fillbuffer|memoryfill|mem_set", c["name"].lower())]
    copies = [c for c in rows if c not in sets]
    is_known = all(direction_in_name(c["name"]) for c in copies)
    m["sets.per_step"] = sum(c["calls_in_steps"] for c in sets) / n
    m["copies.per_step"] = sum(c["calls_in_steps"] for c in copies) / n if is_known else None
    for way in list(WAYS)[:3]:
        some = [c for c in copies if direction_in_name(c["name"]) == way]
        add_copy_metrics(m, way, some, n, is_known)
        if way != "d2d":
            has_kinds = all(re.search("pageable|pinned|managed", c["name"].lower()) for c in some)
            add_copy_metrics(m, way + ".pageable", [c for c in some if "pageable" in c["name"].lower()], n, is_known and has_kinds)


def add_copy_metrics(m, name, rows, n, is_known):
    sizes = [c["total_bytes"] for c in rows]
    m[name + ".per_step"] = sum(c["calls_in_steps"] for c in rows) / n if is_known else None
    m[name + ".bytes"] = None if None in sizes or not is_known else sum(sizes)


def host_metrics(p, m, n, total_us):
    facts, syncs = p["trace_facts"], p["sync_table"]
    calls, operators, counts = facts["runtime_count"], facts["operator_count"], p["overview"]["in_steps"]
    m["operators.per_step"] = counts["operators"] / n if operators else None
    m["operators.distinct"] = len(p["operator_view"]["by_name"]) if operators else None
    m["runtime.per_step"] = counts["runtime_calls"] / n if calls else None
    waits = [r for r in syncs["rows"] if r["kind"] == "sync"]
    bare = any(r["api"].endswith("DeviceSynchronize") and not r["op"] and not r["line"] for r in waits)
    m["sync.per_step"] = div(sum(r["count"] for r in waits) - bare, n) if calls else None
    m["sync.copy.per_step"] = div(sum(r["count"] for r in syncs["rows"] if r["kind"] == "copy"), n) if calls else None
    m["sync.time.per_step"] = scaled(1000, div(syncs["host_wait_us"], n)) if calls else None
    m["sync.cost.share"] = scaled(100, div(syncs["cost_us"], total_us)) if calls else None
    window = sum(d["window_us"] for d in p["idle_view"])
    for part in ("total", "host", "launch", "queue", "outside", "unknown"):
        m["idle." + part] = scaled(100, div(sum(d["idle"][part + "_us"] for d in p["idle_view"]), window))


def leave_out_unjudged(p, m):
    """Sets shares of the steps to null if more than half of the steps' time cannot be judged."""
    if p["verdict"]["unjudged_us"] > 0:
        shares = [name for name in m if re.match(r"step\..*\.share$|idle\.", name)]
        for name in shares + ["device.busy.share", "gpu.utilization", "gpu.sm_efficiency", "step.mfu", "sync.cost.share",
                              "communication.exposed.share"]:
            m[name] = None


def memory_metrics(p, m, n):
    devices = [d for d in p["memory_peak"] if d["device_type"] != 0]
    host = [d for d in p["memory_peak"] if d["device_type"] == 0]
    known = [d for d in devices if d["totals_known"]]
    m["memory.peak"] = greatest(d["peak_allocated_bytes"] for d in devices)
    m["memory.reserved"] = greatest(d["peak_reserved_bytes"] for d in known)
    m["memory.creep"] = greatest(d["creep_bytes_per_step"] for d in devices)
    m["memory.fragmentation"] = greatest(d["fragmentation_percent"] for d in known)
    m["memory.allocations.per_step"] = p["overview"]["in_steps"]["device_allocations"] / n if devices else None
    m["memory.host.peak"] = greatest(d["peak_allocated_bytes"] for d in host)
    m["memory.host.creep"] = greatest(d["creep_bytes_per_step"] for d in host)
    m["memory.host.allocations.per_step"] = p["overview"]["in_steps"]["host_allocations"] / n if host else None
    m["memory.out_of_memory"] = p["trace_quality"]["read"].get("out_of_memory", 0)


def collective_metrics(p, m, n, total_us, distributed):
    overview = p["overview"]
    overlap = [o for o, step in zip(overview["communication_overlap"], overview["steps"]) if step["used"]]
    communication = sum(o["communication_us"] for o in overlap)
    hidden = sum(o["overlap_us"] for o in overlap)
    m["collectives.per_step"] = overview["in_steps"]["collectives"] / n
    m["collectives.bytes"] = sum(op["total_size_bytes"] for view in distributed if view["span"] == p["span"]
                                 for op in view["communication_ops_by_worker"].get(p["worker"], []))
    m["communication.exposed.share"] = scaled(100, div(communication - hidden, total_us))
    m["communication.hidden.share"] = scaled(100, div(hidden, communication))


def finding_metrics(p, m, names):
    r = p["recommendations"]
    skipped = {rule["id"] for rule in r["rules_not_evaluated"]}
    empty = r["program"] == "empty"
    for severity in ("high", "medium", "low", "info"):
        m["finding." + severity] = None if empty else sum(f["severity"] == severity for f in r["findings"])
    m["finding.count"] = None if empty else len(r["findings"])
    m["finding.ceiling.share"] = None if empty else r["total_ceiling_percent"]
    for name in names:
        rule = name.split(".")[1]
        if re.fullmatch("finding.[A-Z][0-9]+", name):
            count = sum(f["id"] == rule for f in r["findings"])
            m[name] = None if empty or (rule in skipped and not count) else count


def trace_metrics(p, m):
    facts, quality = p["trace_facts"], p["trace_quality"]
    m["trace.events"] = facts["event_count"]
    m["trace.repaired"] = quality["repaired"]
    m["trace.skipped"] = quality["skipped"].get("not_an_object", 0) + quality["skipped"].get("no_time", 0)
    m["trace.truncated"] = int(quality["truncated"] or quality["gzip_error"])
    m["trace.steps.partial"] = sum(s.get("left_out") == "unfinished" for s in p["overview"]["steps"])
    m["trace.unlinked"] = facts["device_events_unlinked"]
    m["trace.flags"] = sum(f["raised"] for f in quality["flags"])


def critical_metrics(p, m):
    """Adds the metrics of the critical path. A trace without answers has none of them."""
    view = p.get("what_if_view")
    if view is None or view["withheld"] or p["verdict"]["unjudged_us"] > 0:
        return
    groups = view["critical"]["groups_ns"]
    for group, ns in groups.items():
        m["critical.%s_share" % group] = 100 * ns / sum(groups.values())
    steps = [row["step_ns"] for row in view["what_if"] if row["change"] == "graph=0"]
    m["critical.step_if_host_free_us"] = steps[0] if steps else None


# these metrics compare two runs, or need a name from the budget, so a single run has no value
COMPARED = re.compile(r"count\.(added|copy|wait|type|shape|kept|loader)|op\[NAME\]\.calls|range\[NAME\]\.(device|host)|whatif\[CHANGE\].*|cpu\.self\.NAME")
# these metrics need no device, so a program without recorded device operations has them
OF_HOST = re.compile(r"step[.]count|(operators|runtime|memory|trace)[.].*|wall|cpu|rss[.]peak|finding[.][BDFHR-Z]\d+|finding[.]G\d+|step[.]time[.].*")
OF_SNAPSHOT = re.compile(r"memory[.](inactive_split|oom|retries|growth_per_step|cudamallocs[.]late|live[.].*)")
CRITICAL = re.compile(r"critical\.\w+")
OF_PROGRAM = re.compile(r"wall|cpu|rss\.peak")
SERVED = re.compile(r"(decode\.bs|prefill\.tok|mixed\.tok)(\d+)\.step\.(p50|p90)|(decode|prefill)\.tokens_per_s")


def program_metrics(p, m):
    if "program_view" in p:
        view = p["program_view"]
        m["wall"], m["cpu"] = 1000 * view["wall_us"], 1000 * view["cpu_us"]
        m["rss.peak"] = greatest(row["peak_bytes"] for row in view["processes"])


def serving_metrics(p, m):
    """Adds the metrics of serving engines that the trace has."""
    if "serving" not in p:
        return
    for row in p["serving"]["classes"]:
        for quantile in ("p50", "p90"):
            name = "%s.step.%s" % (row["class"], quantile)
            match = SERVED.fullmatch(name)
            if match and int(match[2]) in ([2 ** i for i in range(11)] if match[1] == "decode.bs" else [2 ** i for i in range(7, 17)]):
                m[name] = 1000 * row[quantile + "_us"]
    for phase, key in (("decode", "decode_tokens"), ("prefill", "tokens")):
        rows = [s for s in p["serving"]["steps"] if s["phase"] == phase and s[key] is not None and s["step_us"] is not None]
        if rows:
            m[phase + ".tokens_per_s"] = 1e6 * sum(s[key] for s in rows) / sum(s["step_us"] for s in rows)


def expected(p, distributed, names):
    m = {}
    n, total_us = steps_metrics(p, m)
    kernel_metrics(p, m, n)
    host_metrics(p, m, n, total_us)
    memory_metrics(p, m, n)
    collective_metrics(p, m, n, total_us, distributed)
    finding_metrics(p, m, names)
    trace_metrics(p, m)
    serving_metrics(p, m)
    if p.get("counter_view", {}).get("energy_per_step_joules") is not None and not p["counter_view"]["energy_is_at_least"]:
        m["step.energy"] = p["counter_view"]["energy_per_step_joules"]
    program_metrics(p, m)
    critical_metrics(p, m)
    leave_out_unjudged(p, m)
    if p["recommendations"]["program"] == "device_missing":
        is_marked = p["trace_facts"]["step_marker"] != "window"
        known = OF_HOST if is_marked else re.compile(OF_HOST.pattern.replace("|step[.]time[.].*", ""))
        m.update({name: None for name in m if not known.fullmatch(name)})
    return {name: value for name, value in m.items() if value is not None or not CRITICAL.fullmatch(name)}


def same(a, b):
    if a is None or b is None:
        return a is b
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def compare(path, report, check):
    faults = known = 0
    profiles = [(p, r["distributed"]) for r in report["runs"] for p in r["profiles"] if p["status"] == "ok"]
    runs = check["run"]["profiles"]
    assert len(profiles) == len(runs), (len(profiles), len(runs))
    by_key = {(r["worker"], r["span"]): r for r in runs}
    for p, distributed in profiles:
        run = by_key[(p["worker"], p["span"])]
        want = expected(p, distributed, run["metrics"])
        assert set(want) == set(run["metrics"]), set(want) ^ set(run["metrics"])
        for name, value in run["metrics"].items():
            known += value is not None
            reason = run["unknown"].get(name)
            if not same(value, want[name]) or (value is None) != bool(reason):
                print("%s: %s: check says %s (%s), report %s" % (os.path.basename(path), name, value, reason, want[name]))
                faults += 1
    return faults, known


def main():
    program, work, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    faults = known = count = 0
    listed = json.loads(subprocess.run([program, "check", "--list-metrics", "--format", "json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    budget = os.path.join(work, "critical.budget")
    with open(budget, "w", encoding="utf-8") as file: # a limit on the critical path makes check replay the traces
        file.write("optional critical.host_share >= 0\n")
    for trace in traces:
        paths = [os.path.join(work, name) for name in ("report.json", "check.json")]
        made = subprocess.run([program, "report", "-q", trace, "--json", paths[0]])
        checked = subprocess.run([program, "check", "-q", trace, "--json", paths[1], "-o", os.devnull, "--budget", budget])
        if made.returncode == 3 and checked.returncode == 3:
            continue
        if checked.returncode == 3 and "runs" not in json.load(open(paths[0], encoding="utf-8")):
            continue  # a memory timeline has a page, and no metrics
        assert made.returncode == 0 and checked.returncode in (0, 1, 6), (trace, made.returncode, checked.returncode)
        report, check = (json.load(open(path, encoding="utf-8")) for path in paths)
        told = list(check["run"]["profiles"][0]["metrics"])
        assert not any(COMPARED.fullmatch(name) for name in told)
        assert told == [m["name"] for m in listed["metrics"] if m["name"] in told or not (
            m["name"] == "step.energy" or OF_SNAPSHOT.fullmatch(m["name"]) or SERVED.fullmatch(m["name"]) or
            COMPARED.fullmatch(m["name"]) or OF_PROGRAM.fullmatch(m["name"]) or CRITICAL.fullmatch(m["name"]))]
        more = compare(trace, report, check)
        faults, known, count = faults + more[0], known + more[1], count + 1
    print("%d traces, %d values known, %d differ" % (count, known, faults))
    return faults > 0 or known < 20 * count


if __name__ == "__main__":
    sys.exit(main())
