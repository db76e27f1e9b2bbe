#!/usr/bin/env python3
"""check_tree.py TRACEPRESS REFERENCE WORK TRACE...: compares the tree of device time in `report --json` with the
executable definition.

REFERENCE: folder of tree_ref.py. Without TRACE, uses 200 generated traces. At every node, times, calls, durations,
operations and bytes must be equal, and floors (minimum times) must agree to 1e-9. Also checks invariants: children sum
to their parent, and no floor is above its time. Prints the first differences, and exits with 1 if there are any."""
import json
import os
import re
import subprocess
import sys

tracepress, reference, work, *traces = sys.argv[1:]
sys.path.insert(0, reference)
sys.dont_write_bytecode = True
import tree_ref  # noqa: E402
from trace_model import load  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import claimed_costs  # noqa: E402,F401
from made_gpu import made  # noqa: E402

# Maps names of idle reasons in the reference to the names of the same reasons in tracepress.
RENAMED = {"the launch of the next operation is not recorded":
           "the launch of the next operation, or the work that the host waits for, was not recorded",
           "waits for its stream, an event or a copy": "the next operation waits for its stream, an event or a copy",
           "held: hardly any recorded work had run before; work of before the record, or a stall":
           "long wait at the start of the recording, because of earlier work or a stall of the device"}
EXACT = ("time_ns", "calls", "kernel_ns", "flops", "bytes", "costed_ns")


def plain(name):
    """Returns the name without addresses and step numbers, as tracepress writes names of frames."""
    name = RENAMED.get(name, name).replace("first call of the record blocks", "the first call of the recording blocks")
    return re.sub(r" at 0x[0-9a-f]+|(?<=0x)[0-9a-f]+|(?<=ProfilerStep#)\d+", "", name).replace("0x*", "0x")


def nodes(node, path=(), into=None):
    """Returns {path: numbers}. Adds up nodes that have equal names in tracepress."""
    into = {} if into is None else into
    path = path + (plain(node["name"]),)
    numbers = into.setdefault(path, dict.fromkeys(EXACT, 0) | {"floor_ns": 0})
    for key in numbers:
        numbers[key] += node.get(key) or 0
    for child in node.get("children", ()):
        nodes(child, path, into)
    return into


def theirs(path):
    result = tree_ref.build(load(path))
    exact = {}

    def floors(node, path=()):
        path = path + (plain(node.name),)
        exact[path] = exact.get(path, 0) + node.floor
        for child in node.kids.values():
            floors(child, path)
    floors(result["root"])
    tree = nodes(tree_ref.as_json(result["root"], result["root"].time))
    for path, floor in exact.items():
        tree[path]["floor_ns"] = floor
    return result, tree


def ours(path):
    out = os.path.join(work, "tree.json")
    subprocess.run([tracepress, "report", claimed_costs.alone(path, work), "--json", out, "-o", os.path.join(work, "tree.html"), "--quiet"], check=True)
    with open(out, encoding="utf-8") as file:
        trees = json.load(file)["runs"][0]["profiles"][0]["time_trees"]
    return trees[0] if trees else None


def invariants(node):
    children = node.get("children", ())
    if children and sum(child["time_ns"] for child in children) != node["time_ns"]:
        yield f"children of {node['name'][:60]} do not sum to it"
    if node.get("floor_ns", 0) > node.get("costed_ns", 0) + 1 or node.get("headroom_ns", 0) < -1:
        yield f"floor of {node['name'][:60]} is above its time"
    for child in children:
        yield from invariants(child)


def differences(want, got):
    for path in sorted(want.keys() | got.keys()):
        a, b = want.get(path), got.get(path)
        if a is None or b is None:
            yield f"{' / '.join(path)[:150]}: {'only in ours' if b else 'not in ours'} ({(a or b)['time_ns']} ns)"
        elif any(a[key] != b[key] for key in EXACT) or abs(a["floor_ns"] - b["floor_ns"]) > 1e-9 * max(1, a["floor_ns"]):
            yield f"{' / '.join(path)[:150]}: {a}, not {b}"


is_wrong = False
for path in traces or (made(seed, work) for seed in range(200)):
    tree, (result, want) = ours(path), theirs(path)
    got = nodes(tree["tree"])
    said = list(invariants(tree["tree"])) + list(differences(want, got))
    if tree["latency_ns"] != result["latency_ns"] or tree["held_ns"] != result.get("held", 0):
        said.append(f"latency {result['latency_ns']}, held {result.get('held', 0)}, not {tree['latency_ns']}, {tree['held_ns']}")
    if (tree["peaks"] or None) != result["peaks"]:
        said.append(f"peaks {result['peaks']}, not {tree['peaks']}")
    is_wrong |= bool(said)
    if said or traces:
        print(os.path.basename(path), f"{len(want)} nodes", f"{len(said)} differences", *said[:6], sep="\n    " if said else ": ")
    elif not traces:
        os.remove(path)
sys.exit(is_wrong)
