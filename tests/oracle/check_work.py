#!/usr/bin/env python3
"""check_work.py TRACEPRESS REFERENCE WORK TRACE...: compares the kinds of device work in `report --json` with the
executable definition.

REFERENCE: folder of kinds_ref.py. Without TRACE, uses 200 generated traces with names from the rules, in random chains
of operators. For each kind, calls, time, operations, bytes, and the time with known operations and bytes must be equal.
Prints each difference, and exits with 1 if there are any."""
import collections
import json
import os
import subprocess
import sys

tracepress, reference, work, *traces = sys.argv[1:]
sys.path.insert(0, reference)
sys.dont_write_bytecode = True
import kinds_ref  # noqa: E402
import tree_ref  # noqa: E402
from trace_model import load  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import claimed_costs  # noqa: E402,F401
from made_gpu import made  # noqa: E402


def theirs(path):
    kinds, calls, trace = collections.defaultdict(lambda: [0] * 5), {}, load(path)
    hints = tree_ref.hints(trace)
    for operation in trace.dev:
        operation.kind = kinds_ref.kind_of(operation)[0]
        kind = kinds[operation.kind]
        kind[0] += 1
        kind[1] += operation.dur
        if operation.kind not in ("communication", "copy", "wait"):
            operator, cost = tree_ref.cost_op(operation, hints)
            if cost:
                calls.setdefault(id(operator), (cost, []))[1].append(operation)
    for cost, operations in calls.values():
        kind = kinds[max(operations, key=lambda operation: (operation.dur, -operation.idx)).kind]
        kind[2] += cost["flops"]
        kind[3] += cost["bytes"]
        kind[4] += sum(operation.dur for operation in operations)
    return dict(kinds)


def ours(path):
    out = os.path.join(work, "work.json")
    subprocess.run([tracepress, "report", claimed_costs.alone(path, work), "--json", out, "-o", os.path.join(work, "work.html"), "--quiet"], check=True)
    with open(out, encoding="utf-8") as file:
        rows = json.load(file)["runs"][0]["profiles"][0]["work_view"]["devices"]
    return {row["kind"]: [row["calls"], round(1000 * row["total_us"]), row["flops"] or 0, row["bytes"] or 0,
                          round(1000 * row["costed_us"])] for row in rows}


is_wrong = False
seen = collections.Counter()
for path in traces or (made(seed, work) for seed in range(200)):
    want, got = theirs(path), ours(path)
    seen.update({kind: numbers[0] for kind, numbers in want.items()})
    seen["(operations)"] += sum(numbers[2] for numbers in want.values()) > 0
    if want != got:
        is_wrong = True
        print(path, *(f"\n    {kind}: {want.get(kind)}, not {got.get(kind)}" for kind in sorted(want.keys() | got.keys())
                      if want.get(kind) != got.get(kind)))
    elif not traces:
        os.remove(path)
print(len(seen), "kinds:", ", ".join(f"{kind} {calls}" for kind, calls in seen.most_common()))
sys.exit(is_wrong or not seen)
