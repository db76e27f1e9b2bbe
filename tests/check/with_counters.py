#!/usr/bin/env python3
"""with_counters.py TRACE.json.gz OUT.json: copies a trace and adds samples of power, clock and temperature of each device. The
samples cover the first 90 % of the recording, so that the energy of its steps is a lower bound or unknown."""
import gzip
import json
import sys


def main(source, path):
    with gzip.open(source, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    work = [e for e in trace["traceEvents"] if e.get("ph") == "X" and "ts" in e and e.get("cat") in ("kernel", "user_annotation")]
    first, last = min(e["ts"] for e in work), max(e["ts"] + e["dur"] for e in work)
    counters = trace["tracepress_input"] = {"counters": []}
    for device in sorted({e["args"]["device"] for e in work if e["cat"] == "kernel"}):
        for i in range(91):
            at = first + i * (last - first) / 100
            for name, value in (("Power (W)", 300 + i), ("SM Clock (MHz)", 1980 - 10 * i), ("Temperature (C)", 70 + i / 4)):
                counters["counters"].append({"device": device, "name": name, "time_ns": round(at * 1000), "value": value})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)


main(*sys.argv[1:])
