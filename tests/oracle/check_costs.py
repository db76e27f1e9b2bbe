#!/usr/bin/env python3
"""check_costs.py CALL_COSTS REFERENCE [TRACE...]: compares operations and bytes of operator calls with the executable
definition.

REFERENCE: folder of costs_ref.py. Examines all different calls of the traces. Also examines 40,000 generated calls with
other shapes, types and values, with and without hints, based on these calls and on all names in the definition. Prints
differences, and exits with 1 if there are any."""
import json
import os
import random
import re
import subprocess
import sys

program, reference, *traces = sys.argv[1:]
sys.path.insert(0, reference)
sys.dont_write_bytecode = True
import costs_ref  # noqa: E402
import trace_model  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import claimed_costs  # noqa: E402

random.seed(7)


def names():
    """Yields operator names: words in quotes and alternatives of patterns in the definition's source."""
    with open(costs_ref.__file__, encoding="utf-8") as file:
        text = file.read()
    for word in set(re.findall(r'"(_?[a-z][a-z0-9_]*)"', text)) | set(re.split(r"[|()^$?\\]+", costs_ref.ELEM.pattern)):
        if re.fullmatch(r"[a-z0-9_]{2,}", word) and not word in ("logical_", "bitwise_"):
            yield "aten::" + word
            yield "aten::" + word + random.choice(("_", "_out", "_backward", ""))
    yield from ("_C::fused_add_rms_norm", "x::rms_norm", "vllm::rotary_embedding", "_C_cache_ops::reshape_and_cache",
                "aiter::fmha_v3_fwd", "my::flash_attn_func", "_C::silu_and_mul", "a::act_and_mul", "fbgemm::FloatToFP8RowwiseQuantized",
                "vllm::rocm_unquantized_gemm", "sgl_kernel::fp8_scaled_mm", "triton_poi_fused_add_0", "other::thing",
                "aten::_foreach_mul_", "aten::_foreach_zero_", "aten::_foreach_norm", "aten::logical_and", "aten::bitwise_or_")


def recorded(path):
    for operator in trace_model.load(path).ops:
        args = operator.args
        yield (operator.name, trace_model.dims(operator), trace_model.types(operator), args.get("Concrete Inputs"))


def shape(rank=None):
    return [random.choice((1, 2, 3, 4, 8, 16, 56, 64, 128)) for _ in range(random.randint(0, 5) if rank is None else rank)]


TYPES = sorted(costs_ref.SIZE) + ["Scalar", "", "c10::Half", "c10::BFloat16", "ScalarList", "TensorList"]


def argument(rank):
    """Returns shapes, type and value of a random argument."""
    form = random.random()
    if form < 0.72:
        return shape(rank if random.random() < 0.8 else None), random.choice(TYPES), ""
    if form < 0.8:
        shapes = [shape() for _ in range(random.randint(1, 4))]
        return shapes, random.choice((["float"] * len(shapes), ["c10::Half"], "float", "TensorList")), ""
    return [], random.choice(("Scalar", "ScalarList", "", "float", "bool")), random.choice(
        ("", "1", "0", "True", "False", "[1, 1]", "[2]", "[0, 0]", "-1", "[]"))


def made(calls):
    every = sorted(set(names()) | {call[0] for call in calls})
    for _ in range(40000):
        if calls and random.random() < 0.3:
            name, dims, types, concrete = random.choice(calls)
            dims, types, concrete = (list(part or []) for part in (dims, types, concrete))
            for part, values in ((dims, (shape(), [])), (types, TYPES), (concrete, ("True", "[2, 2]", "", "3"))):
                if part and random.random() < 0.3:
                    part[random.randrange(len(part))] = random.choice(values)
            if random.random() < 0.2:
                name = random.choice(every)
        else:
            rank, count = random.choice((1, 2, 2, 3, 4, 4)), random.randint(0, 12)
            name, items = random.choice(every), [argument(rank) for _ in range(count)]
            dims, types, concrete = ([item[k] for item in items] for k in range(3))
        # some operators have an argument that selects the results to compute
        if "convolution_backward" in name and len(concrete) > 9:
            concrete[9] = random.choice(("", "[True, False, True]", "[True, True, False]", "[False, True, False]"))
            concrete[10:11] = concrete[9:10]
        yield name, dims, types, concrete


def theirs(call):
    name, dims, types, concrete, hint = call
    try:
        cost = claimed_costs.cost(name, dims, types, concrete, hint)
    except (IndexError, TypeError, ZeroDivisionError):
        return "none"
    # if a window is larger than the data, the definition computes negative sizes, and tracepress returns no cost
    if not cost or cost["flops"] < 0 or cost["bytes"] < 0:
        return "none"
    return f'{cost["flops"]} {cost.get("flops_exact", cost["flops"])} {cost["bytes"]} {cost["dtype"]}'


def text(value):
    return json.dumps(value, separators=(",", ":")) if value is not None else ""


recorded_calls = {text(call): call for path in traces for call in recorded(path)}
everything = [(*call, hint) for call in [*recorded_calls.values(), *made(list(recorded_calls.values()))]
              for hint in ({}, {"out": shape(4), "wdims": shape(4), "xdims": shape(4)})
              if not hint or "convolution" in call[0] and random.random() < 0.5]
lines = "".join("\t".join((name, text(dims or []), text(types or []), text(concrete or []), text(hint.get("out")),
                           text(hint.get("wdims")), text(hint.get("xdims")))) + "\n"
                for name, dims, types, concrete, hint in everything)
ours = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
wrong, claimed = 0, 0
for call, line, got in zip(everything, lines.splitlines(), ours):
    want = theirs(call)
    claimed += want != "none"
    if want != got:
        wrong += 1
        if wrong <= 20:
            print(line[:2000], "\n    ", want, "not", got)
print(f"{len(everything)} calls, {claimed} with a cost, {len(recorded_calls)} recorded ones; {wrong} differ")
sys.exit(wrong > 0 or len(ours) != len(everything) or claimed < 1000)
