#!/usr/bin/env python3
"""program_steps.py FOLDER REPORT.json: computes how the steps' wall clock was spent from the traces of a run folder,
and compares it with the report. program_steps.py --make SEED FOLDER: writes a made run: a recording from outside
(program_view.py), and a trace of PyTorch of one of its processes with another time base. Implements section 24 of
docs/definitions.md without code of tracepress."""
import collections
import glob
import gzip
import json
import os
import random
import sys

import program_view
from program_view import ORDER, STATES, close, ns, same, stack, us

COLUMNS = dict(zip(ORDER, [c.replace(" ", "_") + "_us" for c in ORDER[:-1]] + ["unknown_us"]))


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return json.load(file, parse_float=str, parse_int=str)


def meet(x, y):
    """Returns the common parts of two sorted lists of disjoint intervals."""
    out, i, k = [], 0, 0
    while i < len(x) and k < len(y):
        a, b = max(x[i][0], y[k][0]), min(x[i][1], y[k][1])
        if a < b:
            out.append((a, b))
        if x[i][1] < y[k][1]:
            i += 1
        else:
            k += 1
    return out


def union(pieces):
    out = []
    for a, b in sorted(p for p in pieces if p[0] < p[1]):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


def length(pieces):
    return sum(b - a for a, b in pieces)


def compare(program, torch, view):
    tree = program_view.Tree(program["traceEvents"])
    shift = int(torch["baseTimeNanoseconds"]) - int(program["baseTimeNanoseconds"])
    marks = {e["name"]: e for e in torch["traceEvents"] if e["name"].startswith("ProfilerStep#")}
    main = {(int(e["pid"]), int(e["tid"])) for e in marks.values()}
    assert len(main) == 1 and (int(view["pid"]), int(view["tid"])) == min(main), main
    pid, tid = min(main)
    span = lambda e: (ns(e["ts"]) + shift, ns(e["ts"]) + ns(e["dur"]) + shift)
    steps = [span(marks["ProfilerStep#" + s["step"]]) for s in view["steps"]]
    order = sorted(span(e) for e in marks.values())
    whole = (order[0][0], order[-1][1])
    mine = [t for t in tree.threads if (t["pid"], t["tid"]) == (pid, tid)]
    thread = max(mine, key=lambda t: min(t["pieces"][-1][1], whole[1]) - max(t["pieces"][0][0], whole[0]))
    parts, running = collections.Counter(), 0
    for (a, b), row in zip(steps, view["steps"]):
        states = collections.Counter()
        for begin, end, state, cause, *_ in thread["pieces"]:
            if min(end, b) > max(begin, a):
                states[STATES[state] + "_us" if state < 2 else COLUMNS[cause]] += min(end, b) - max(begin, a)
        states["unseen_us"] = b - a - sum(states.values())
        same("step " + row["step"], {k: us(row, k) for k in row if k.endswith("_us") and us(row, k)},
             {k: v for k, v in [*states.items(), ("wall_us", b - a)] if v})
        for key, value in states.items():
            parts[key] += value
    running = parts.pop("running_us", 0)
    same("running", us(view, "running_us"), running)
    alive = union(span(e) for e in torch["traceEvents"] if e.get("cat") == "cpu_op" and (int(e["pid"]), int(e["tid"])) == (pid, tid))
    edges = [(-(10**30), -(10**30))] + alive + [(10**30, 10**30)]
    outside = meet(union(steps), [(a[1], b[0]) for a, b in zip(edges, edges[1:])])
    outside_ns = length(meet(outside, union(p[:2] for p in thread["pieces"] if p[2] == 0)))
    same("running outside of operators", us(view, "outside_operators_us"), outside_ns)
    is_in = lambda at, pieces: any(a <= at < b for a, b in pieces)
    found = [s for s in tree.samples if (s["pid"], s["tid"]) == (pid, tid) and s["process"] is thread["process"] and is_in(s["at"], union(steps))]
    free = [s for s in found if is_in(s["at"], outside)]
    same("samples", (int(view["samples"]), int(view["outside_operators_samples"])), (len(found), len(free)))
    left = running
    for i, s in enumerate(found if len(found) >= 10 else []):
        share, path = left // (len(found) - i), stack(s["stack"])
        parts[path[0][3] if path else "running"] += share
        left -= share
    parts["running"] += left
    names = {v: k for k, v in COLUMNS.items()} | {"ready_us": "ready", "unseen_us": "unseen"}
    same("parts", {p["part"]: us(p, "time_us") for p in view["parts"]}, {names.get(k, k): v for k, v in parts.items() if v})
    times = [us(p, "time_us") for p in view["parts"]]
    same("order of parts", times, sorted(times, reverse=True))
    same("they add up", sum(times), us(view, "wall_us"))
    for p in view["parts"]:
        close("share", float(p["percent"]), 100 * us(p, "time_us") / us(view, "wall_us"))
        same("mean", us(p, "per_step_us"), us(p, "time_us") // len(steps))
    compare_functions(view, free if len(free) >= 10 else [], outside_ns)


def compare_functions(view, samples, left):
    outside_ns, self_ns, total_ns, count = left, collections.Counter(), collections.Counter(), collections.Counter()
    for i, s in enumerate(samples):
        share, path = left // (len(samples) - i), stack(s["stack"])
        left -= share
        for key in {f[:2] for f in path}:
            total_ns[key] += share
        if path:
            self_ns[path[0][:2]] += share
            count[path[0][:2]] += 1
    rows = {(f["function"], f["file"] or ""): f for f in view["functions_outside_operators"]}
    same("functions", {k: (us(f, "self_us"), us(f, "total_us"), int(f["samples"])) for k, f in rows.items()},
         {k: (self_ns[k], total_ns[k], count[k]) for k in total_ns})
    for key, f in rows.items():
        p = self_ns[key] / outside_ns if outside_ns else 0
        close(("share", *key), float(f["self_percent"]), 100 * p)
        close(("error", *key), float(f["error_points"]), 196 * (p * (1 - p) / len(samples)) ** 0.5)


def make(seed, folder):
    draw = random.Random(seed)
    path = os.path.join(folder, "program.7.pt.trace.json")
    program_view.make(seed, path)
    with open(path) as file:
        program = json.load(file)
    events = program["traceEvents"]
    for e in [e for e in events if e.get("cat") == "cpu_sample"]:  # the file has enough samples for a verdict
        events += [{**e, "ts": round(draw.randint(0, 200_000_000) / 1000, 3)} for _ in range(draw.randint(0, 8))]
    base, states = 1_790_000_000_000_000_000, [e for e in program["traceEvents"] if e.get("cat") == "thread_state"]
    with open(path, "w") as file:
        head = {"schemaVersion": 1, "tracepress_recorder": "outside", "baseTimeNanoseconds": base}
        json.dump(head | {k: v for k, v in program.items() if k not in head}, file, separators=(",", ":"))
    own = {(e["pid"], e["tid"]) for e in events if e.get("ph") == "M" and e["args"].get("name") == "tracepress"}
    states = [e for e in states if (e["pid"], e["tid"]) not in own]
    main = draw.choice(states) if states else {"pid": 1, "tid": 1, "ts": 0}
    row = {"pid": main["pid"], "tid": main["tid"]}
    late = draw.choice([0, 3_000_000, -2_000_000_123])
    at, events = max(main["ts"] - draw.randint(0, 2000), 1), []
    event = lambda cat, name, ts, dur: events.append({"ph": "X", "cat": cat, "name": name, "ts": round(ts - late / 1000, 3), "dur": round(dur, 3), **row})
    for step in range(draw.randint(4, 9)):
        wall = draw.randint(2_000_000, 9_000_000) / 1000
        event("user_annotation", "ProfilerStep#%d" % step, at, wall)
        for k in range(draw.randint(0, 4)):
            event("cpu_op", "aten::op%d" % k, at + wall * k / 4, wall * draw.random() / 4)
        at += wall + draw.choice([0, 0.5, 300])
    with open(os.path.join(folder, "host_%d.9.pt.trace.json" % main["pid"]), "w") as file:
        json.dump({"schemaVersion": 1, "baseTimeNanoseconds": base + late, "traceEvents": events}, file)


def main():
    if sys.argv[1] == "--make":
        make(int(sys.argv[2]), sys.argv[3])
        return
    with open(sys.argv[2]) as file:
        run = json.load(file, parse_float=str, parse_int=str)["runs"][0]
    traces = {os.path.basename(p): p for p in glob.glob(os.path.join(sys.argv[1], "*.pt.trace.json*"))}
    program = [p for p in run["profiles"] if "program_view" in p]
    others = [p for p in run["profiles"] if "program_view" not in p]
    assert len(program) == 1 and program[0]["is_helper"] is True and run["profiles"][-1] is program[0], "the program is no rank, and last"
    assert others and not any(p.get("is_helper") for p in others)
    joined = [p for p in others if "program_steps" in p]
    if len(sys.argv) > 3:
        assert len(joined) >= int(sys.argv[3]), "%d of %d have steps" % (len(joined), len(others))
    for p in joined:
        compare(load(traces[program[0]["file"]]), load(traces[p["file"]]), p["program_steps"])


main()
