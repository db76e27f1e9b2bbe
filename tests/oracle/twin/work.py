"""Kinds of device work, units of work with a cost, and peak rates of devices (docs/definitions.md, sections 18 to
20)."""
import collections
import json
import os
import re

from . import costs, names
from .intervals import contains, union
from .numbers import integer
from .tree import operators_above


def read(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as f:
        return json.load(f)


LAYERS = {layer: [(kind, re.compile(pattern, re.I)) for kind, pattern in rows] for layer, rows in read("kinds.json").items()}
PEAKS = read("peaks.json")["devices"]
WITHOUT_COST = ("communication", "copy", "wait")
LARGEST_CACHE_BYTES = 256 << 20
TRITON = re.compile(r"triton_(poi|red|per|tem)_fused_(.*)", re.S)
MOVES = re.compile(r"(_to_copy|clone|copy|cat|permute|transpose|constant_pad_nd|_unsafe_view|view|t|slice|_)*_\d+")
TF32 = re.compile(r"tf32|s1688gemm|_s1688|xf32|tensorop_s", re.I)
TITLES = {
    "gemm": "Matrix products", "attention": "Attention", "convolution": "Convolutions", "moe": "Mixture of experts", "norm": "Normalisation",
    "softmax": "Softmax and losses", "elementwise": "Elementwise", "reduction": "Reductions and sorting", "layout": "Copies, casts and layout",
    "embedding": "Embedding and gather", "optimizer": "Optimizer", "communication": "Communication", "sampling": "Sampling of tokens",
    "quantise": "Quantisation", "copy": "Memory copies and memsets", "wait": "Waits of an engine", "other": "Other"}
Unit = collections.namedtuple("Unit", "operator event cost kernels main ns call")


def first(layer, name):
    """Returns the kind whose pattern is the first one of a layer that matches the name; None: no pattern matches."""
    return next((kind for kind, pattern in LAYERS[layer] if pattern.search(name[:4096])), None)


def of_triton(name):
    m = TRITON.match(name)
    if not m:
        return None
    form, rest = m.groups()
    if form == "tem":
        return "attention" if "attention" in rest else "convolution" if "conv" in rest else "gemm"
    if form == "poi":
        return "layout" if MOVES.fullmatch(rest) else "elementwise"
    return "norm" if re.search("norm|rsqrt", rest, re.I) else "softmax" if re.search("softmax", rest, re.I) else "reduction"


def is_wrapper(name):
    return name.startswith("autograd::") or name.endswith("Backward0") or "Compiled" in name


class Work:
    """Kinds and costs of device work. kind: {operation id: kind}. unit: {operation id: its unit or None}. peaks:
    {device: published rates}."""

    def __init__(self, trace):
        self.trace, self.units, self.unit = trace, [], {}
        self.optimizer = collections.defaultdict(list)
        for e in trace.events.host:
            if e.name.startswith("Optimizer."):
                self.optimizer[e.thread].append(e.range)
        self.optimizer = {thread: union(l) for thread, l in self.optimizer.items()}
        self.kind = {id(k): self.kind_of(k) for k in trace.operations}
        self.peaks = {d.number: peaks_of(trace, d.number) for d in trace.devices}
        self.find_units()

    # ---- kinds
    def kind_of(self, k):
        if k.kind != "kernel":
            return "copy"
        if k.name in ("event_wait", "event_record"):
            return "wait"
        if k.communication:
            return "communication"
        chain = list(operators_above(k.operator))        # operators around the launch, innermost first
        return (first("kernel_first", k.name) or next(filter(None, (first("chain", o.name) for o in reversed(chain))), None)
                or self.of_optimizer(k) or self.of_owner(k, chain) or of_triton(k.name) or first("kernel", k.name) or "other")

    def of_optimizer(self, k):
        e = k.launch or k.operator
        return "optimizer" if e is not None and contains(self.optimizer.get(e.thread, []), e.start) else None

    def of_owner(self, k, chain):
        if not chain:
            return None
        own = first("owner", chain[0].name)
        if own == "convolution" and re.search("elementwise|copy|cat", k.name, re.I) and not re.search("conv|gemm|wgrad|dgrad", k.name, re.I):
            own = first("kernel", k.name)
        if own or chain[0].name.startswith("triton_"):
            return own
        return next(filter(None, (first("owner", o.name) for o in chain[1:] if not is_wrapper(o.name))), None)

    # ---- units
    def find_units(self):
        self.gradients, self.cost = self.backward_gradients(), {}
        found = {}
        for k in self.trace.operations:
            if self.kind[id(k)] in WITHOUT_COST:
                continue
            for o in operators_above(k.operator):
                event, cost = self.cost_of(o)
                if cost:
                    found.setdefault(id(o), (o, event, cost, []))[3].append(k)
                    break
        for o, event, cost, kernels in found.values():
            main = kernels[0]
            for k in kernels:
                main = k if k.length > main.length else main
            args = event.args.get
            call = json.dumps([event.name, args("Input Dims", args("Input dims")), args("Input type"), args("Concrete Inputs")])
            unit = Unit(o, event, cost, kernels, main, sum(k.length for k in kernels), call)
            if not self.is_impossible(unit):
                self.units.append(unit)
                self.unit.update((id(k), unit) for k in kernels)

    def backward_gradients(self):
        """Returns {sequence number: shape of the output's gradient} of all convolution backwards."""
        out = {}
        for o in self.trace.operators:
            dims = dims_of(o)
            sequence = next(filter(None.__ne__, (sequence_of(x) for x in operators_above(o))), None)
            if "conv" in o.name and o.name.endswith("convolution_backward") and len(dims) >= 3 and sequence is not None:
                out[sequence] = dims[0 if o.name == "aten::convolution_backward" else 1]
        return out

    def cost_of(self, o):
        """Returns (event, cost) of a call. The cost is the cost of the innermost operator folded into the call. Without
        such an operator, it is the cost of the call."""
        if id(o) not in self.cost:
            event = o.worker or o
            cost = costs.of_op(event, self.hint_of(o))
            if not cost and event is not o:
                event, cost = o, costs.of_op(o, self.hint_of(o))
            self.cost[id(o)] = event, cost
        return self.cost[id(o)]

    def hint_of(self, o):
        hint = {}
        if "convolution" in o.name:
            hint["out"] = next((self.gradients[sequence_of(x)] for x in operators_above(o) if sequence_of(x) in self.gradients), None)
            around = next((x for x in operators_above(o.parent) if x.name.endswith("convolution_backward")), None)
            if around is not None and len(dims_of(around)) >= 3:
                hint["wdims"], hint["xdims"] = dims_of(around)[2], dims_of(around)[0]
        return hint

    def is_impossible(self, unit):
        """Returns whether the unit would be faster than the peak rates of its device."""
        peaks, cost = self.peaks[unit.main.device], unit.cost
        if not peaks:
            return False
        rate = tflops(peaks, cost["dtype"], bool(TF32.search(unit.main.name)))
        compute = cost.get("flops_exact", cost["flops"]) / rate / 1e3 if rate and cost["flops"] else 0
        memory = cost["bytes"] / peaks["memory_gbs"] if peaks["memory_gbs"] else 0
        return compute > unit.ns or memory > unit.ns and cost["bytes"] > LARGEST_CACHE_BYTES


def dims_of(o):
    dims = o.args.get("Input Dims", o.args.get("Input dims"))
    return dims if isinstance(dims, list) else []


def sequence_of(o):
    return integer(o.args.get("Sequence number"))


def peaks_of(trace, device):
    """Returns the published rates for a device's name. If several entries match, takes the one with the device's memory
    size."""
    row = trace.property_of(device)
    if not row.get("name"):
        row = next((p for p in trace.properties if p.get("name")), {})
    name, memory = row.get("name"), integer(row.get("totalGlobalMem"))
    fitting = [p for p in PEAKS if isinstance(name, str) and name and re.search(p["match"], name, re.I)]
    near = [p for p in fitting if memory and any(abs(memory / 2 ** 30 - g) < 0.15 * g for g in p["memory_gib"])]
    return (near or fitting or [None])[0]


def tflops(peaks, dtype, is_tf32=False):
    figures = peaks["dense_tflops"]
    if dtype == "fp64":
        return max(figures.get("fp64", 0), figures.get("fp64_matrix", 0))
    if dtype == "fp32":
        return figures.get("tf32", 0) if is_tf32 else peaks.get("fp32_matrix") or figures.get("fp32", 0)
    return figures.get(dtype, 0)
