#!/usr/bin/env python3
"""check_counters.py TRACEPRESS FOLDER COUNT: compares counter_view and rule C26 (a low clock) of COUNT made traces with the
executable definition. The traces have one or two devices, short or long steps, and counters that are constant, rise, jump,
fall, are missing, have gaps, negative values, no number or a longer name. The table counter_steps of `export --to sqlite` must
equal that of the report."""
import collections
import json
import os
import random
import sqlite3
import subprocess
import sys

ORACLE = os.path.dirname(os.path.abspath(__file__))
SHAPES = {"constant": lambda r, i: 400, "ramp": lambda r, i: 300 + 2.5 * i, "jump": lambda r, i: r.choice((100, 690.5, 700)),
          "negative": lambda r, i: -5 if i % 7 == 3 else 500, "fall": lambda r, i: 700 if i < 12 else 600}
NO_NUMBERS = (None, float("nan"), float("-inf"))


def counter(r, device, name, scale, end):
    shape, interval = SHAPES[r.choice(list(SHAPES))], r.choice((5000, 25000, 100000, 250000.125))
    at, i, gap = r.choice((0, -interval / 2, interval / 3)), 0, r.randrange(40) if r.random() < 0.4 else -1
    while at <= end + r.choice((-interval, interval)):
        value = r.choice(NO_NUMBERS) if r.random() < 0.02 else shape(r, i) * scale
        yield {"ph": "C", "pid": "GPU %d Counters" % device, "name": name, "ts": round(at, 3), "args": {"": value}}
        at, i = at + (1500000 if i == gap else interval), i + 1


def trace(seed):
    r = random.Random(seed)
    step, count = r.choice((50000, 200000, 330000)), r.randrange(1, 8)
    events, devices = [], r.choice((1, 2))
    for s in range(count):
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % s, "pid": 9, "tid": 9, "ts": s * step, "dur": step})
        for device in range(devices):
            start = s * step + r.randrange(1000, step // 2)
            events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": 7, "ts": start, "dur": r.randrange(1, step // 2),
                           "args": {"device": device, "stream": 7}})
    for device in range(r.choice((1, devices, devices, 3))):
        for name, scale in (("Power (W)", 1), ("SM Clock (MHz)", 2.8), ("Temperature (C)", 0.13)):
            if r.random() < 0.9:
                events += counter(r, device, name + r.choice(("", "", " mean")), scale, step * count)
    r.shuffle(events)
    return {"schemaVersion": 1, "traceEvents": events}


def profile_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["runs"][0]["profiles"][0]


def clock_rule(profile):
    """Returns the details of the findings of C26, and the reasons why it was not evaluated."""
    found = profile["recommendations"]
    return (sorted(f["detail"] for f in found["findings"] if f["id"] == "C26"),
            sorted(row["reason"] for row in found["rules_not_evaluated"] if row["id"] == "C26"))


def exported_rows(program, folder, path):
    subprocess.run([program, "export", path, "-q", "--to", "sqlite", "-o", os.path.join(folder, "exported")], check=True)
    with sqlite3.connect(os.path.join(folder, "exported", "counters.sqlite")) as db:
        has_rows = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'counter_steps'").fetchall()
        return db.execute("SELECT * FROM counter_steps").fetchall() if has_rows else []


def main(program, folder, count):
    paths = [os.path.join(folder, name) for name in ("counters.json", "counters.views", "counters.defined", "counters.html")]
    known, results = 0, collections.Counter()
    for seed in range(int(count)):
        with open(paths[0], "w", encoding="utf-8") as file:
            json.dump(trace(seed), file)
        subprocess.run([program, "report", paths[0], "-q", "-o", paths[3], "--json", paths[1]], check=True)
        subprocess.run([sys.executable, os.path.join(ORACLE, "definitions.py"), paths[0], "-o", paths[2]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ours, defined = profile_of(paths[1]), profile_of(paths[2])
        rows = [tuple(round(v * 1000) if key.endswith("_us") and v is not None else v for key, v in row.items())
                for row in ours.get("counter_view", {}).get("steps", ())]
        known += sum(row[key] is not None for row in defined.get("counter_view", {}).get("steps", ()) for key in ("energy_joules", "low_clock_us"))
        details, reasons = clock_rule(defined)
        results.update(reasons, found=len(details), good=not details and not reasons)
        is_equal = rows == exported_rows(program, folder, paths[0]) and clock_rule(ours) == (details, reasons)
        if subprocess.run([sys.executable, os.path.join(ORACLE, "compare_documents.py"), paths[1], paths[2], "--sections", "counter_view"]).returncode or not is_equal:
            print("seed", seed, clock_rule(ours), (details, reasons))
            return 1
    print(count, "traces,", known, "energies and clocks of steps are known;", dict(results))
    return known == 0 or min(results["found"], results["good"]) == 0


sys.exit(main(*sys.argv[1:]))
