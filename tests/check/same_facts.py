#!/usr/bin/env python3
"""same_facts.py A.json B.json [WORKER [EXCEPT]]: compares two documents of `report --json` value by value, except facts
of the file itself: its name, size and hash, the positions of events in it, and counts of its elements. Rates of copies may
differ by what traces round: a trace records the bandwidth of a copy in GB/s with six decimals, a database records none. Copies of
a few bytes reach 0.001 GB/s, so the mean rate of a row may differ by 0.05 %. WORKER: compares
only the profile of A whose worker's name ends in this text with the first profile of B. EXCEPT: pattern of more paths
that may differ. Prints the first differences."""
import json
import math
import re
import sys

OF_FILE = re.compile(
    r"event_ordinal|first_event|run_name|/evidence/(bytes|events)$|/trace_quality/(events_total|skipped|read|flows)|program_use|"
    r"/profiles/\d+/(file|sha256|worker)$|^/worker$|/file$|trace_facts/(event_count|gpu_annotation_count)|file_sha256|tracepress_input|/input/notes/")

def same(path, a, b):
    if path.endswith("_gb_per_s") and isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=5e-4 if path.endswith("/rate_gb_per_s") else 0, abs_tol=1e-6)
    return a == b


def leaves(value, path=""):
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from leaves(item, f"{path}/{key}")
    elif not OF_FILE.search(path):
        yield path, value


def main():
    a, b = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
    if len(sys.argv) > 3 and sys.argv[3]:
        a = [p for run in a["runs"] for p in run["profiles"] if p["worker"].endswith(sys.argv[3])][0]
        b = b["runs"][0]["profiles"][0]
    a, b = dict(leaves(a)), dict(leaves(b))
    may_differ = re.compile(sys.argv[4] if len(sys.argv) > 4 else "$^")
    bad = [path for path in sorted({**a, **b})
           if not may_differ.search(path) and (path not in a or path not in b or not same(path, a[path], b[path]))]
    for path in bad[:5]:
        print(f"{path}: {a.get(path, 'absent')} | {b.get(path, 'absent')}")
    print(f"{len({**a, **b}) - len(bad)} of {len({**a, **b})} values are equal")
    sys.exit(bool(bad) or not a)


if __name__ == "__main__":
    main()
