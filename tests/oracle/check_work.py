#!/usr/bin/env python3
"""check_work.py TRACEPRESS REFERENCE WORK TRACE...: kinds of device work of `report --json` against the executable definition.

REFERENCE: the folder of kinds_ref.py. Without a TRACE: 200 made ones, of the names that the rules are about, in random
chains of operators. Calls, nanoseconds, operations, bytes, and the nanoseconds that these are known of, must be equal for
each kind. Prints each difference; exit 1 when there is any."""
import collections
import json
import os
import random
import re
import subprocess
import sys

tracepress, reference, work, *traces = sys.argv[1:]
sys.path.insert(0, reference)
sys.dont_write_bytecode = True
import kinds_ref  # noqa: E402
import tree_ref  # noqa: E402
from trace_model import load  # noqa: E402


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
    subprocess.run([tracepress, "report", path, "--json", out, "-o", os.path.join(work, "work.html"), "--quiet"], check=True)
    with open(out, encoding="utf-8") as file:
        rows = json.load(file)["runs"][0]["profiles"][0]["work_view"]["devices"]
    return {row["kind"]: [row["calls"], round(1000 * row["total_us"]), row["flops"] or 0, row["bytes"] or 0,
                          round(1000 * row["costed_us"])] for row in rows}


def words():
    """Names that the rules speak of: the letters of their patterns."""
    for layer in ("kernel_first", "chain", "owner", "kernel"):
        for _, pattern in kinds_ref.R[layer]:
            for word in re.split(r"[|()^$\[\]?*+.\\]+", pattern):
                if len(word) > 2:
                    yield word
    yield from ("triton_poi_fused_clone_t_1", "triton_red_fused_norm_2", "triton_tem_fused_conv_3", "generic", "k",
                "elementwise_kernel", "event_wait")


WORDS = sorted(set(words()))
PREFIXES = ("", "aten::", "aten::", "aten::", "vllm::", "autograd::engine::evaluate_function: ", "void ", "x_")
SUFFIXES = ("", "", "", "_12", "<float>", "Backward0", "_Compiled")


def name():
    return random.choice(PREFIXES) + random.choice(WORDS) + random.choice(SUFFIXES)


def operators(events, begin, end, depth):
    """Operators side by side in [begin, end), others and launches inside of them."""
    at = begin
    while at + 40 < end:
        stop = min(end, at + random.randint(40, max(41, (end - begin) // 2)))
        if random.random() < 0.1:
            events.append(host("user_annotation", "Optimizer.step#SGD.step", at, stop - at))
        else:
            events.append(host("cpu_op", name(), at, stop - at, **shapes()))
        launch(events, at + 2)
        if depth:
            operators(events, at + 5, stop - 1, depth - 1)
        at = stop + random.randint(0, 5)


def host(category, text, begin, length, **args):
    return {"ph": "X", "cat": category, "name": text, "pid": 1, "tid": 1, "ts": begin, "dur": length, "args": args}


def shapes():
    """Arguments that products, convolutions and others may have, or none."""
    if random.random() < 0.3:
        return {}
    sides = [random.choice((4, 8, 64)) for _ in range(random.choice((2, 2, 3, 4)))]
    count = random.randint(1, 6)
    return {"Input Dims": [sides] * count, "Input type": [random.choice(("float", "c10::Half", "long int"))] * count,
            "Concrete Inputs": [random.choice(("", "True", "[1, 1]", "2"))] * count, "Sequence number": random.randint(0, 30)}


def launch(events, at):
    number = len(events) + 1
    if random.random() < 0.9:
        events.append(host("cuda_runtime", "cudaLaunchKernel", at, 1, correlation=number))
    events.append({"ph": "X", "cat": "gpu_memcpy" if random.random() < 0.05 else "kernel", "name": name(), "pid": 0, "tid": 7,
                   "ts": 10000 + 10 * number, "dur": random.randint(1, 9),
                   "args": {"device": 0, "stream": 7, "correlation": number}})


def made(seed):
    random.seed(seed)
    events = []
    operators(events, 0, 2000, 4)
    path = os.path.join(work, f"made{seed}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
    return path


is_wrong = False
seen = collections.Counter()
for path in traces or map(made, range(200)):
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
