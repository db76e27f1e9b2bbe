#!/usr/bin/env python3
"""check_diff.py TRACEPRESS WORK CASE: checks the report of `tracepress diff` about planted changes (gen_training.py).

Cases: noise, slow, faster, sync, copy, leak, swap, batch, folders, moved, sums, runs, table, cut, loaded, operator.
Prints faults and exits with 1."""
import json
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_training

TRACEPRESS, WORK, CASE = sys.argv[1:4]
HEAVY = "cudnn_wgrad_alg0_engine_128_6"  # this kernel takes a fifth of a step
wrong = []


def trace(name, *arguments):
    path = os.path.join(WORK, name + ".pt.trace.json")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        gen_training.write([str(a) for a in arguments] + [path])
    return path


def base(seed=1):
    return trace("base%d" % seed, "--seed", seed)


def diff(before, after, *options):
    out = subprocess.run([TRACEPRESS, "diff", before, after, "--json", "-", "-q", *options], capture_output=True, text=True)
    if out.returncode not in (0, 1):
        sys.exit("exit %d: %s" % (out.returncode, out.stderr))
    return json.loads(out.stdout), out.returncode


def expect(what, seen, wanted):
    if seen != wanted:
        wrong.append("%s: %r, wanted %r" % (what, seen, wanted))


def changes(report):
    return [(row["verdict"], row["kind"], row["match"], row["name"]) for row in report["rows"]]


def near(what, value, wanted, tolerance):
    if abs(value - wanted) > tolerance:
        wrong.append("%s: %g, wanted %g within %g" % (what, value, wanted, tolerance))


def noise():
    for seed in range(2, 14):
        report, code = diff(base(1), base(seed))
        expect("seed %d" % seed, (report["verdict"], changes(report), report["memory_verdict"], code),
               ("neutral", [], "neutral", 0))


def side(name, seed, *arguments, count=3):
    """Returns a folder of runs, each with different noise."""
    for number in range(count):
        trace("%s/worker%d" % (name, number), "--seed", seed + number, *arguments)
    return os.path.join(WORK, name)


def slow(percent=10.0, verdict="regressed", code=1):
    """Checks that a slow row gets a verdict with three runs per side. With one run per side, smaller changes are not
    detected, and the row is a hint."""
    before, after = side("three", 1), side("slow%g" % percent, 30, "--slow", "%s=%g" % (HEAVY, percent))
    report, exited = diff(before, after)
    expect("changes", changes(report), [(verdict, "kernel", "same", HEAVY)])
    expect("verdict, exit", (report["verdict"], exited), (verdict, code))
    row = report["rows"][0]
    near("change of a call, %", 100 * (row["new_call_us"] / row["base_call_us"] - 1), percent, 2.0)
    expect("operator", row["owner"], "aten::cudnn_convolution_backward")
    expect("by count", row["by_count_us"], 0)
    planted = 4 * 680 * percent / 100
    if not row["low_us"] <= planted <= row["high_us"]:
        wrong.append("%g us were planted, outside of %g to %g" % (planted, row["low_us"], row["high_us"]))
    if exited and diff(before, after, "--exit-zero")[1]:
        wrong.append("--exit-zero exits 1")
    report, exited = diff(base(), trace("slow%g/worker0" % percent))
    expect("one run a side", [c for c in changes(report) if c[3] != HEAVY or c[0] != "hint"], [])
    expect("one run a side", (report["verdict"], exited), ("neutral", 0))
    much = 5 * percent
    report, exited = diff(base(), trace("much%g" % percent, "--seed", 30, "--slow", "%s=%g" % (HEAVY, much)))
    expect("%g %%, one run a side" % much, (report["times"]["kernels"]["verdict"], report["verdict"], exited), (verdict, verdict, code))
    expect("%g %%, one run a side" % much, changes(report), [("hint", "kernel", "same", HEAVY)])


def faster():
    slow(-10.0, "improved", 0)


def sync():
    report, code = diff(base(), trace("sync", "--seed", 31, "--sync", 42))
    expect("changes", changes(report), [("regressed", "sync", "new", "cudaStreamSynchronize")])
    row = report["rows"][0]
    expect("line", row["shape"], "train.py(42): log_metric")
    expect("calls", (row["base_calls"], row["new_calls"], code), (0, 1, 1))
    expect("verdict", report["verdict"], "work changed")
    work = [(c["what"], c["name"], c["delta"], c["gate"], c["file"], c["line"]) for c in report["changes"]]
    for change in (("added .item()", "aten::item", 1, True, "train.py", 42),
                   ("new wait", "cudaStreamSynchronize", 1, False, "train.py", 42)):
        if change not in work:
            wrong.append("work: %r is not among %r" % (change, work))


def copy():
    report, code = diff(base(), trace("copy", "--seed", 32, "--copy", 43))
    expect("changes", changes(report), [("regressed", "copy", "new", "Memcpy HtoD (Pinned -> Device)")])
    expect("operator, calls", (report["rows"][0]["owner"], report["rows"][0]["new_calls"], code), ("aten::copy_", 1, 1))


def leak():
    report, code = diff(base(), trace("leak", "--seed", 33, "--leak", "45=2000000"))
    expect("changes", changes(report), [])
    expect("verdicts", (report["verdict"], report["memory_verdict"], code), ("work changed", "regressed", 1))
    device = report["memory"][0]
    near("growth a step", device["new_growth_bytes_per_step"] - device["base_growth_bytes_per_step"], 2e6, 1e5)
    kept = [(c["name"], c["delta"], c["bytes"], c["gate"], c["file"], c["line"], c["rule"])
            for c in report["changes"] if c["what"] == "memory"]
    expect("kept", kept, [("aten::clone", 1, 2000000, True, "train.py", 45, "count.kept")])
    owners = [(o["owner_kind"], o["owner"]) for o in report["memory_owners"] if o["verdict"] != "neutral"]
    if ("line", "train.py(45): keep_history") not in owners:
        wrong.append("owners: %r" % owners)
    if [o for kind, o in owners if kind == "line" and "(45)" not in o]:
        wrong.append("other lines: %r" % owners)


def swap():
    new = "ampere_scudnn_winograd_256x64_nhwc"
    report, code = diff(base(), trace("swap", "--seed", 34, "--swap", HEAVY + "=" + new))
    expect("changes", changes(report), [("neutral", "kernel", "renamed", new)])
    expect("was, verdict", (report["rows"][0]["base_name"], report["verdict"], code), (HEAVY, "neutral", 0))


def batch():
    after = trace("batch", "--seed", 35, "--batch", 96)
    report, code = diff(base(), after)
    expect("verdict", (report["verdict"], report["identity"]["workload"], code), ("other workload", "other", 0))
    rows = [r for r in report["kernels"] if r["verdict"] in ("regressed", "improved")]
    expect("rows judged", rows, [])
    expect("--inconclusive=fail", diff(base(), after, "--inconclusive", "fail")[1], 1)


def texts(value, found):
    """Adds to `found` each text in a JSON value, including keys, that names a source line."""
    if isinstance(value, dict):
        texts(list(value), found)
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        texts(item, found)
    if isinstance(value, str) and "train.py" in value:
        found.append(value)
    return found


def lines_of(before, after):
    """Returns the source lines that the outputs name for a new wait. An edit has also moved other lines."""
    sarif, page = os.path.join(WORK, "folder.sarif"), os.path.join(WORK, "folder.json")
    report, code = diff(before, after)
    text = subprocess.run([TRACEPRESS, "diff", before, after, "--all"], capture_output=True, text=True).stdout
    subprocess.run([TRACEPRESS, "check", after, "--baseline", before, "--sarif", sarif, "-q", "-o", os.devnull])
    subprocess.run([TRACEPRESS, "report", after, "--json", page, "-q", "-o", os.devnull], check=True)
    places = [at["physicalLocation"] for result in json.load(open(sarif))["runs"][0]["results"] for at in result["locations"]]
    return {
        "exit": [str(code)],
        "waits": ["|".join((row["verdict"], row["match"], row["name"], row["shape"])) for row in report["syncs"]],
        "diff --json": texts(report, []),
        "diff": [word for word in text.split("\n") if "train.py(" in word],
        "check --sarif": ["%s line %d" % (unquote(at["artifactLocation"]["uri"]), at["region"]["startLine"]) for at in places],
        "report --json": texts(json.load(open(page)), []),
    }


def folders():
    """Checks that the name of a folder changes no named line: in text, JSON, SARIF of `check`, and findings of
    `report`."""
    names = ("run", "run (1)", "run [2]: x", "run (3): x", "a.py(4): f", "C:\\runs (5)", "lib (6)/v(7)")
    said = {}
    for number, name in enumerate(names):
        found = lines_of(trace("folder%d" % number, "--seed", 1, "--folder", name),
                         trace("folder%d.new" % number, "--seed", 31, "--folder", name, "--sync", 42, "--shift", 2))
        for what in found:
            found[what] = [text.replace("/home/u/%s/" % name, "").replace("/home/u/%s/" % name.replace("\\", "/"), "")
                           for text in found[what]]
        said[name] = found
    expect("waits", said["run"]["waits"], ["regressed|new|cudaStreamSynchronize|train.py(44): log_metric",
                                           "neutral|moved|cudaStreamSynchronize|train.py(50): report_loss"])
    expect("check --sarif", said["run"]["check --sarif"], ["file://train.py line 44"])
    for what in ("diff", "diff --json", "report --json"):
        if not [text for text in said["run"][what] if "train.py(44): log_metric" in text]:
            wrong.append("%s: the line is not named" % what)
    for name in names:
        for what in said[name]:
            if said[name][what] != said["run"][what]:
                wrong.append("%s with %r: %r" % (what, name, [pair for pair in zip(said[name][what], said["run"][what])
                                                             if pair[0] != pair[1]][:3] or len(said[name][what])))


def boxes(before, after):
    """Returns the titles of a flame graph with a baseline."""
    run = subprocess.run([TRACEPRESS, "export", after, "--to", "flamegraph", "--baseline", before, "-q", "-o", os.path.join(WORK, "flame")])
    expect("flamegraph: exit", run.returncode, 0)
    name = os.path.basename(after).split(".")[0]
    svg = open(os.path.join(WORK, "flame", name + ".cpu.diff.svg"), encoding="utf-8").read()
    return re.findall(r"<title>([^<]*)", svg)


def moved():
    """Checks that lines moved by an edit above them still count as the same lines: in the call tree, the flame graph
    and the owners of memory."""
    after = trace("moved", "--seed", 2, "--shift", 3)
    report, code = diff(base(), after)
    expect("verdict, exit", (report["verdict"], report["memory_verdict"], code), ("neutral", "neutral", 0))
    for call in report["call_tree"]["calls"]:
        if "train.py" in call["name"] and not (call["base_calls"] and call["new_calls"]):
            wrong.append("on one side only: %r" % call)
    lines = [(o["owner"], o["change_bytes"]) for o in report["memory_owners"] if o["owner_kind"] == "line"]
    expect("owners", lines, [("", 0), ("train.py(43): forward", 0), ("train.py(49): optimize", 0)])
    alone = [box for box in boxes(base(), after) if "train.py" in box and ", new" in box]
    expect("boxes of the flame graph that are new", alone, [])
    report, _ = diff(base(), trace("leak.moved", "--seed", 33, "--leak", "45=2000000", "--shift", 3))
    named = [o["owner"] for o in report["memory_owners"] if o["owner_kind"] == "line" and o["verdict"] != "neutral"]
    expect("lines that leak", named, ["train.py(48): keep_history"])


def sums():
    """Checks that sums are exact to the nanosecond: the change by count, the change by time, and the parts of the
    step."""
    report, _ = diff(base(), trace("sums", "--seed", 36, "--sync", 42, "--slow", HEAVY + "=7"))
    ns = lambda us: round(us * 1000)
    for name in ("kernels", "operators_device", "operators_host", "copies", "syncs", "modules_host", "runtime"):
        if not report[name]:
            wrong.append("no %s" % name)
        for row in report[name]:
            expect("%s %s" % (name, row["name"]), ns(row["by_count_us"]) + ns(row["by_time_us"]), ns(row["change_us"]))
            near("%s %s" % (name, row["name"]), ns(row["new_us"]) - ns(row["base_us"]), ns(row["change_us"]), 1)
    total, parts = report["step"][0], [p for p in report["step"][1:] if not p["part"].startswith(("GPU idle", "Device idle"))]
    for side in ("base_us", "new_us", "change_us"):
        near(side, sum(ns(p[side]) for p in parts), ns(total[side]), len(parts))


def runs():
    """Checks that three runs per side detect a change that one run per side does not."""
    before, after = side("a", 40, "--steps", 8), side("b", 50, "--steps", 8, "--slow", HEAVY + "=5")
    report, code = diff(before, after)
    expect("runs, steps", (report["base"]["runs"], report["new"]["steps"]), (3, 24))
    expect("changes", changes(report), [("regressed", "kernel", "same", HEAVY)])
    one, _ = diff(trace("a/worker0"), trace("b/worker0"))
    for quantity in ("kernels", "host_ops", "step"):
        seen = report["times"][quantity]
        expect(quantity, (seen["base_runs"], seen["new_runs"], seen["low_percent"] < seen["change_percent"] < seen["high_percent"]), (3, 3, True))
        if not seen["sees_percent"] < 0.6 * one["times"][quantity]["sees_percent"]:
            wrong.append("%s: sees %g with three runs, %g with one" % (quantity, seen["sees_percent"], one["times"][quantity]["sees_percent"]))
    if not report["times"]["kernels"]["sees_percent"] < 2:
        wrong.append("kernels: sees %g" % report["times"]["kernels"]["sees_percent"])


def table():
    """Prints how often a planted change of each size is detected with three runs per side. No other change may be
    reported."""
    sizes, repeats, found = (0.5, 1, 2, 3, 5, 10, 20), 10, {}
    for size in sizes:
        for repeat in range(repeats):
            after = side("t", 100 + 3 * repeat, "--steps", 12, "--slow", "%s=%g" % (HEAVY, size))
            report, _ = diff(side("t.base%d" % (repeat % 3), 200 + 3 * (repeat % 3), "--steps", 12), after)
            shutil.rmtree(after)
            seen = changes(report)
            found[size] = found.get(size, 0) + (("regressed", "kernel", "same", HEAVY) in seen)
            others = [c for c in seen if c[3] != HEAVY]
            if others:
                wrong.append("%g %%: also reported: %r" % (size, others))
    print("slower by   found in %d" % repeats)
    for size in sizes:
        print("  %5g %%   %5d %%" % (size, 100 * found[size] // repeats))
    expect("found of 0.5 %", found[0.5], 0)
    expect("found of 5, 10, 20 %", (found[5], found[10], found[20]), (repeats,) * 3)
    if found[3] < repeats // 2:
        wrong.append("found of 3 %%: %d of %d" % (found[3], repeats))


def cut():
    """Checks operators with equal times. A summary keeps some of them by chance, so none may be reported as added or
    removed."""
    for seed in (2, 3, 4):
        report, code = diff(trace("cut1", "--cpu", "--seed", 1, "--steps", 6, "--tail", 330),
                            trace("cut%d" % seed, "--cpu", "--seed", seed, "--steps", 6, "--tail", 330))
        expect("seed %d" % seed, (report["verdict"], changes(report), code), ("neutral", [], 0))


def loaded():
    """Checks that a run with all host times multiplied by 1.9, as on a busy machine, is not reported, with any number
    of base runs."""
    after = trace("loaded", "--cpu", "--seed", 31, "--load", 90)
    for before, what in ((trace("cpu0/worker0", "--cpu", "--seed", 20), "1 + 1"), (cpu_runs(), "5 + 1")):
        report, code = diff(before, after)
        expect(what, (report["verdict"], code, [c for c in changes(report) if c[0] != "hint"]), ("inconclusive", 0, []))
        near(what + ": all rows", report["common_shift_percent"], 90, 5)
        if "The machine was loaded (all operators together changed by +" not in report["summary"]:
            wrong.append("%s: %s" % (what, report["summary"]))


def operator():
    """Checks that an operator that is 30 % slower is named, on an idle machine and on a busy one. With one run per side
    the operator is a hint."""
    name = "aten::cudnn_batch_norm_backward"
    for load in (0, 90):
        after = trace("operator%d" % load, "--cpu", "--seed", 32, "--load", load, "--slow-op", name + "=30")
        report, _ = diff(cpu_runs(), after)
        expect("load %d" % load, changes(report), [("regressed", "operator, host", "same", name)])


def cpu_runs():
    for n in range(5):
        trace("cpu/worker%d" % n, "--cpu", "--seed", 20 + n)
    return os.path.join(WORK, "cpu")


globals()[CASE]()
for line in wrong:
    print(line)
sys.exit(bool(wrong))
