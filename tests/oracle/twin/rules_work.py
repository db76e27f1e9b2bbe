"""The rules C14 to C25, about kinds and costs of device work (docs/definitions.md, section 15)."""
import collections
import re

from . import names
from .findings import by_length, threshold
from .fixes import Fix
from .intervals import contains, union
from .links import is_graph_launched
from .numbers import percent
from .texts import count_text, fixed, percent_text, some, time_text
from .titles import title
from .work import TF32, TITLES, Work, dims_of, first, tflops

WHOLE = 1_000_000
FAR, MIN_KEYS, MIN_RUN, MIN_FLOPS, MOST_ROWS = 8, 16, 3, 500_000_000, 128
ODD = ("align1_", "align1>", "align2_", "align2>", "_align1", "_align2")
SINGLE = ("sgemm", "scudnn", "_f32f32_", "engine<float")
KEEPS_LAYOUT = ("SubTensorOp", "kern_precompute_indices", "computeOffsetsKernel", "computeWgrad", "scalePackedTensor", "im2col", "col2im")


class Claim:
    """The kernels of the finding of one rule, and for each kernel the largest fraction of its time that the finding
    saves."""

    def __init__(self, g, rule):
        self.g, self.rule, self.parts, self.kernels = g, rule, {}, []

    def take(self, k, high):
        if id(k) not in self.parts:
            self.parts[id(k)] = 1 + int(min(1.0, max(0.0, high)) * (WHOLE - 1))
            self.kernels.append(k)

    @property
    def ns(self):
        return sum(k.length for k in self.kernels)

    def share(self):
        return self.g.findings.share(union([k.range for k in self.kernels]))

    def end(self, detail="", **how):
        """Adds the finding if its kernels take long enough. Returns whether it was added."""
        if not self.ns or self.share() < threshold(self.rule)["min_pct"]:
            return False
        ranges = [(k.start, k.start + k.length * self.parts[id(k)] // WHOLE) for k in self.kernels]
        before = len(self.g.findings.found)
        self.g.findings.add(self.rule, ranges, by_length(self.kernels), detail=detail,
                            fix=Fix(operations=[(k, self.parts[id(k)]) for k in self.kernels]), **how)
        return len(self.g.findings.found) > before


def in_steps(g):
    return " in %s steps" % count_text(g.count) if g.count > 1 else ""


def shape_of(unit):
    """Returns the sizes of the first input of a unit's call, or None."""
    dims = dims_of(unit.event)
    d = dims[0] if dims else None
    return d if isinstance(d, list) and all(type(n) is int for n in d) and len(d) <= 8 else None


def busy(g):
    """Finds C14: the device computes most of the time."""
    work, devices = g.work, g.trace.devices
    share = percent(sum(d.share(d.compute) for d in devices) // len(devices), g.findings.judged_ns)
    if not share > threshold("C14")["min_pct"]:
        return
    sums = collections.Counter()
    for k in g.kernels:
        sums[work.kind[id(k)]] += k.length
    order = list(TITLES)
    kind = min(sums, key=lambda x: (-sums[x], order.index(x)))
    g.findings.add_without_ceiling(
        "C14", "info", by_length([k for k in g.kernels if work.kind[id(k)] == kind]), detail="The device computes for %s of the step time "
        "(largest kind of work: %s, %s of the kernel time)." % (percent_text(share), TITLES[kind], percent_text(percent(sums[kind], sum(sums.values())))))


def single_precision(g):
    """Finds C24 (single precision). If C24 is reported, the rules C1 and C2 are not evaluated."""
    claim, low, high, costed = Claim(g, "C24"), 0.0, 0.0, 0.0
    for k in g.kernels:
        unit = g.work.unit.get(id(k))
        has_cost = unit is not None and unit.cost["flops"] and unit.cost["dtype"] == "fp32"
        is_fast = names.tensor_core_use(k.name) == "yes" or TF32.search(k.name)
        if g.work.kind[id(k)] not in ("gemm", "convolution") or is_fast or not (has_cost or any(w in k.name for w in SINGLE)):
            continue
        gain = gain_of(g, unit if has_cost else None, k)
        high += gain * k.length
        costed += k.length if has_cost else 0
        claim.take(k, gain)
    lower = 1 if costed < 0.6 * claim.ns else 0
    if claim.end("Matrix products and convolutions in FP32 take %s of the step time." % percent_text(claim.share()) if claim.kernels else "", lower=lower):
        g.findings.leave_out(["C1", "C2"])


def gain_of(g, unit, k):
    """Returns the fraction of a kernel's time that half precision saves, if the kernel then reaches half of the peak
    rate and 70 % of the memory rate."""
    peaks = g.work.peaks[k.device] if unit is not None else None
    half = tflops(peaks, "fp16") if peaks else 0
    if half <= 0 or not unit.ns:
        return 0.75
    fast = max(unit.cost["flops"] / half / 1e3 / 0.5, unit.cost["bytes"] / 2 / peaks["memory_gbs"] / 0.7)
    return max(0.0, 1 - fast / unit.ns)


# ------------------------------------------------------------------------------------------------------------- C15, C16: fusion
def is_softmax(g, k):
    unit = g.work.unit.get(id(k))
    if not unit or unit.main is not k or unit.event.name not in ("aten::_softmax", "aten::softmax", "aten::_softmax_backward_data"):
        return False
    shape = shape_of(unit)
    return shape is not None and len(shape) >= 3 and shape[-1] >= MIN_KEYS


def is_batched_product(g, k):
    unit = g.work.unit.get(id(k))
    return unit is not None and g.work.kind[id(k)] == "gemm" and len(shape_of(unit) or ()) >= 3


def product_near(g, kernels, at, step):
    """Returns the index of the nearest product before or after a kernel; None if none exists. step: -1 or 1."""
    for _ in range(FAR):
        at += step
        if not 0 <= at < len(kernels):
            return None
        if is_batched_product(g, kernels[at]):
            return at
    return None


def attention(g, kernels, claim, found):
    for i, k in enumerate(kernels):
        if not is_softmax(g, k):
            continue
        a, b = product_near(g, kernels, i, -1), product_near(g, kernels, i, 1)
        if a is None or b is None:
            continue
        if g.work.unit[id(k)].event.name.endswith("_backward_data"):
            more, behind = product_near(g, kernels, a, -1), product_near(g, kernels, b, 1)
            a = more if more is not None and a - more < FAR // 2 else a
            b = behind if behind is not None and behind - b < FAR // 2 else b
        found.setdefault("scores", shape_of(g.work.unit[id(k)]))
        found["count"] = found.get("count", 0) + 1
        seen = None
        for x in kernels[a:b + 1]:
            if id(x) in claim.parts:
                continue
            claim.take(x, 1)
            unit, peaks = g.work.unit.get(id(x)), g.work.peaks[x.device]
            if not peaks or unit is None or unit.operator is seen or not is_batched_product(g, x):
                continue
            peak = tflops(peaks, unit.cost["dtype"]) or tflops(peaks, "bf16")
            found["fast"] = found.get("fast", 0.0) + (unit.cost["flops"] / peak / 1e3 if peak else 0)
            seen = unit.operator


def report_attention(g, claim, found):
    """Adds finding C15 (attention as separate kernels), if there is one. Returns the ids of its kernels."""
    if not claim.kernels:
        return set()
    fast = found.get("fast", 0.0)
    high = max(0.0, 1 - fast / 0.6 / claim.ns) if fast > 0 else 0.8
    detail = "Attention runs %s%s as separate product, softmax and product kernels (scores %s), which take %s of the step time." % (
        some(found["count"], "time", "times"), in_steps(g), "x".join(str(n) for n in found["scores"]), percent_text(claim.share()))
    claim.parts = {key: 1 + int(part * high) for key, part in claim.parts.items()}
    return set(claim.parts) if claim.end(detail) else set()


def may_be_fused(g, claim, k):
    if id(k) in claim.parts or g.work.kind[id(k)] not in ("elementwise", "layout", "reduction", "norm"):
        return False
    if k.name.startswith("triton") or first("kernel_first", k.name):
        return False
    if k.launch is not None and contains(g.optimizer, k.launch.start):
        return False
    unit = g.work.unit.get(id(k))
    event = unit.event if unit is not None else k.operator
    return not event or event.name.startswith("aten::")


def chains(g, kernels, taken, claim):
    """Finds chains of kernels that one kernel could replace (rule C16). Returns the number of chains."""
    runs = at = 0
    while at < len(kernels):
        end = at
        while end < len(kernels) and may_be_fused(g, taken, kernels[end]):
            end += 1
        if end - at >= MIN_RUN:
            sizes = [g.work.unit[id(k)].cost["bytes"] if id(k) in g.work.unit else 0 for k in kernels[at:end]]
            part = 1 - 1.5 * max(sizes) / sum(sizes) if sum(sizes) else 0.5
            for k in kernels[at:end]:
                claim.take(k, part)
            runs += 1
        at = max(end, at + 1)
    return runs


def fusion(g):
    whole, rows, found, runs = Claim(g, "C15"), Claim(g, "C16"), {}, 0
    for d in g.trace.devices:
        kernels = [k for k in g.kernels if k.device == d.number and g.work.kind[id(k)] not in ("communication", "copy", "wait")]
        attention(g, kernels, whole, found)
        runs += chains(g, kernels, whole, rows)
    rows.end("%s of three or more kernels%s only %s %s of the step time." % (
        some(runs, "chain", "chains"), in_steps(g),
        "moves, combines or normalises values and takes" if runs == 1 else "move, combine or normalise values and take", percent_text(rows.share()) if rows.kernels else ""))
    g.attention = report_attention(g, whole, found)


# ---------------------------------------------------------------------------------------------- C17, C18, C21, C22, C25: products
def slow_products(g):
    """Finds C17: products of one shape that run slower than those of other shapes with the same type."""
    th, by_type = threshold("C17"), collections.defaultdict(dict)
    for n, unit in enumerate(g.work.units):
        if (unit.cost["flops"] <= MIN_FLOPS or unit.cost["dtype"] == "other" or g.work.kind[id(unit.main)] != "gemm" or id(unit.main) in g.attention
                or not contains(g.window, unit.main.start)):
            continue
        by_type[unit.cost["dtype"]].setdefault(unit.call, (n, []))[1].append(unit)
    for dtype in ("fp64", "fp32", "fp16", "bf16", "fp8", "fp4", "int8"):
        rows = []
        for n, units in by_type[dtype].values():
            ns = sum(u.ns for u in units)
            rows.append((sum(u.cost["flops"] for u in units) / ns / 1e3 if ns else 0.0, n, ns, units))
        rows.sort(key=lambda r: r[:2])
        for i, (rate, _, ns, units) in enumerate(rows[:-1]):
            middle = (len(rows) - 1) // 2
            others, best = rows[middle if middle < i else middle + 1][0], rows[-1][0]
            if rate >= th["max_of_sisters"] * others or g.percent(ns) < th["min_pct"]:
                continue
            claim = Claim(g, "C17")
            for k in g.trace.operations:
                unit = g.work.unit.get(id(k))
                if unit is not None and unit.call == units[0].call and contains(g.window, unit.main.start):
                    claim.take(k, 1 - rate / best)
            claim.end("%s of %s runs at %s TFLOP/s (%s%s), and others of its type at %s (median) to %s (best)." % (
                units[0].event.name, operands_text(units[0]), fixed(rate, 0), some(len(units), "call", "calls"), in_steps(g), fixed(others, 0),
                fixed(best, 0)), title=title("Tune one product: %s reaches %s TFLOP/s, its neighbours %s", operands_text(units[0]),
                                             fixed(rate, 0), fixed(others, 0)))


def operands_text(unit):
    matrices = [d for d in dims_of(unit.event)[:4] if isinstance(d, list) and len(d) >= 2 and all(type(n) is int for n in d)]
    return " by ".join("x".join(str(n) for n in d) for d in matrices[:2])


def reading_weights(g):
    """Finds C18: products with few rows, which mostly read weights."""
    claim, decodes = Claim(g, "C18"), any("DECODE" in e.name or "context_0(" in e.name for e in g.trace.events.of["annotation"])
    for k in g.kernels:
        unit = g.work.unit.get(id(k))
        if g.work.kind[id(k)] in ("gemm", "moe") and (unit.cost["flops"] // max(1, unit.cost["bytes"]) <= MOST_ROWS if unit is not None else decodes):
            claim.take(k, 0.5)
    if decodes and claim.kernels:
        claim.end("Matrix products with few rows, which read all weights to compute few tokens, take %s of the step time." % percent_text(claim.share()))


def double_precision(g):
    """Finds C21: double precision."""
    claim = Claim(g, "C21")
    for k in g.kernels:
        unit = g.work.unit.get(id(k))
        if unit is not None and unit.cost["dtype"] == "fp64" and unit.cost["flops"]:
            claim.take(k, 0.9)
    claim.end()


def odd_sizes(g):
    """Finds C22: kernels for odd sizes. Not reported together with C3."""
    claim = Claim(g, "C22")
    for k in g.kernels:
        if any(w in k.name for w in ODD) and id(k) not in g.attention:
            claim.take(k, 1)
    if not g.findings.has("C3"):
        claim.end()


def half_precision(g):
    """Finds C25: products that could use FP8."""
    claim = Claim(g, "C25")
    for k in g.kernels:
        unit, peaks = g.work.unit.get(id(k)), g.work.peaks[k.device]
        if not unit or not peaks or not tflops(peaks, "fp8") or g.work.kind[id(k)] != "gemm" or unit.cost["dtype"] not in ("fp16", "bf16"):
            continue
        rate = tflops(peaks, unit.cost["dtype"])
        if rate and unit.cost["flops"] / rate / 1e3 >= unit.cost["bytes"] / peaks["memory_gbs"]:
            claim.take(k, 0.45)
    if claim.kernels:
        claim.end("Compute-bound matrix products in half precision take %s of the step time." % percent_text(claim.share()), severity="low")


def small_kernels(g):
    """Finds C23: many short kernels."""
    th = threshold("C23")
    small = [k for k in g.kernels if k.length < th["short_us"] * 1000 and not is_graph_launched(k)]
    if not g.optimizer and g.findings.has("A1") and percent(len(small), len(g.kernels)) >= th["min_count_pct"]:
        g.findings.add_without_ceiling("C23", "low", small, detail="%s of %s kernels %s shorter than %s." % (
            count_text(len(small)), count_text(len(g.kernels)), "is" if len(small) == 1 else "are", time_text(th["short_us"] * 1000)))


def layouts(g):
    """Finds C20: kernels that convert memory layouts."""
    claim = Claim(g, "C20")
    for k in g.kernels:
        if g.work.kind[id(k)] == "layout" and first("kernel_first", k.name) == "layout" and not any(w in k.name for w in KEEPS_LAYOUT):
            claim.take(k, 1)
    if claim.kernels and any(g.work.kind[id(k)] == "convolution" for k in g.kernels):
        is_one = len(claim.kernels) == 1
        claim.end("%s%s %s the layout of convolution inputs and outputs and %s %s of the step time." % (
            some(len(claim.kernels), "kernel", "kernels"), in_steps(g), "converts" if is_one else "convert",
            "takes" if is_one else "take", percent_text(claim.share())),
            title=title("Keep tensors in `channels_last`: %s a step only change the layout", time_text(claim.ns // g.count)))


def prepare(g):
    """Prepares the data that the rules of this file share."""
    g.work, g.attention = Work(g.trace), set()
    marks = re.compile(r"Optimizer\.(step|zero_grad)#")
    g.optimizer = union([e.range for e in g.trace.events.of["annotation"] if marks.match(e.name)])


def product_rules(g):
    for rule in (slow_products, reading_weights, double_precision, odd_sizes, half_precision, small_kernels, layouts):
        rule(g)
