"""The rules H5 small operators, H6 Python between operators, H7 copies (docs/definitions.md, section 15)."""
import collections
import itertools
import json
import math

from . import names
from .findings import by_length, threshold
from .idle import fold
from .intervals import contains, length, meet, minus, union
from .numbers import integer, percent
from .pauses import doubt, percent_without_pauses
from .reading import FRAME_KINDS
from .texts import count_text, percent_text
from .titles import place_text, title
from .tree import operators_above
from .wrapper import step_of

MOST_CALLS, LEAST_PERCENT, LEAST_PART = 2, 75, 50
CACHE_BYTES, BYTES_PER_VALUE = 32 << 20, 8


class BusyFunctions:
    """Functions of the project that spend most of their time on the work that a rule searches for."""

    def __init__(self):
        self.calls, self.ns = {}, collections.Counter()
        self.has_cause = set()

    def add(self, e, ns, is_cause=True):
        call = project_call_around(e)
        if call is not None:
            self.calls[id(call)] = call
            self.ns[id(call)] += ns
            if is_cause:
                self.has_cause.add(id(call))

    def ranges(self):
        return [e.range for key, e in self.calls.items() if key in self.has_cause and self.ns[key] > e.length // 2]


def project_call_around(e):
    frame = e.inside
    while frame is not None and frame.line is None:
        frame = frame.inside
    return frame


def is_backward(o):
    return o.name.startswith(names.AUTOGRAD_NODE)


def sequence_of(o):
    return integer(o.args.get("Sequence number"))


def with_backward(c, forward):
    """Returns the union of the intervals `forward` and of the backward nodes of the operators that start in them."""
    sequences = {sequence_of(o) for o in c.operators if not is_backward(o) and sequence_of(o) is not None and contains(forward, o.start)}
    out, last = list(forward), None
    for o in c.operators:
        taken = is_backward(o) and sequence_of(o) in sequences
        if taken:
            out.append((last.end if last is not None and o.inside is last.inside else o.start, o.end))
        if o.parent is None:
            last = o if taken else None
    return union(out)


def small_operators(c):
    """Finds H5: many small operators."""
    th, calls, small, gaps, functions, before = threshold("H5"), 0, [], [], BusyFunctions(), None
    for o in c.outermost:
        if c.is_loading(o):
            continue
        calls += 1
        last, before = before, None
        if o.length >= th["small_us"] * 1000:
            continue
        before = o.end
        small.append(o)
        if last is not None and o.start - last < th["gap_us"] * 1000:
            gaps.append((last, o.start))
            functions.add(o, o.start - last)
        functions.add(o, o.length)
    if len(small) < th["min_per_step"] * c.count or percent(len(small), calls) < th["min_count_pct"]:
        return
    if percent_without_pauses(c, union([o.range for o in small])) < th["min_pct"]:
        return
    time = union([o.range for o in small] + [g for g in gaps if g[0] < g[1]] + functions.ranges())
    time = c.unclaimed(with_backward(c, time))
    if percent_without_pauses(c, time) >= th["min_pct"]:
        c.claim("H5", time, by_length(small), detail="%s of %s outermost operator calls are shorter than %d µs." % (
            count_text(len(small)), count_text(calls), th["small_us"]))


def python_code(c):
    """Finds H6: Python code between operators."""
    th = threshold("H6")
    time = minus(c.unclaimed(c.outside), c.pauses)
    is_spread = c.findings.share(time) >= th["min_pct"]
    if not c.operators:
        return
    stretch = None if is_spread else python_stretch(c, time, th["stretch_pct"])
    evidence = []
    if stretch:
        time, longest = stretch
        evidence = [longest]
    elif not is_spread:
        is_spread = percent_without_pauses(c, time) >= th["min_pct"]
        if not is_spread:
            return
    rows = {}
    for start, end, stack, _ in c.trace.tree.segments(c.main, [(a, b, None) for a, b in time]):
        row = rows.setdefault(fold(stack), [0, stack[-1] if stack else None])
        row[0] += c.findings.recorded.less([(start, end)])
    hits = sorted(rows.items(), key=lambda t: (-t[1][0], t[0]))
    evidence += [event for _, (_, event) in hits if event is not None]
    kind, named = hits[0][0] if hits else ("none", "")
    if kind not in ("line", "annotation") or kind == "annotation" and named.startswith("Optimizer."):
        named = ""
    c.findings.add("H6", time, evidence, lower=1 if is_spread else 0,
                   title=title("Move `%s` out of the step, or make it cheaper", named and place_text(named, True)),
                   detail=" ".join(line_text(key[1], percent_text(c.findings.percent(ns))) for key, (ns, _) in hits[:5]))


def line_text(line, percent):
    if line == "[no host event]":
        return "For %s of the step time, no host event was recorded." % percent
    return "Outside operators, %s takes %s of the step time." % (line, percent)


def python_stretch(c, python, least):
    """Returns (time, longest call) of the project function with most of the Python time. Functions that call a module
    are ignored. Returns None if there is no other function."""
    modules = [e.start for e in c.thread if e.kind == "module"]
    least_ns, done, functions = c.findings.judged_ns // c.count // LEAST_PART, None, {}
    for e in c.thread:
        if e.kind not in FRAME_KINDS or done is not None and e.start < done or e.length < least_ns or not contains(c.window, e.start):
            continue
        if e.line is None or any(e.start <= m < e.end for m in modules):
            continue
        inside = length(meet(python, [e.range]))
        if percent(inside, e.length - length(meet(c.pauses, [e.range]))) < LEAST_PERCENT:
            continue
        functions.setdefault(e.name, []).append((e, inside))
        done = e.end
    rows = [(sum(ns for _, ns in calls), calls) for calls in functions.values() if len(calls) <= MOST_CALLS * c.count]
    if not rows:
        return None
    ns, calls = max(rows, key=lambda r: r[0])
    time = meet(union([e.range for e, _ in calls]), python)
    if 2 * ns < length(python) or percent_without_pauses(c, time) < least:
        return None
    return time, max((e for e, _ in calls), key=lambda e: e.length)


ORDERING = ("aten::addmm", "aten::baddbmm", "aten::bmm", "aten::_fft_", "aten::fft_")


def is_of_product(o):
    return any("conv" in x.name or x.name.startswith(ORDERING) for x in operators_above(o.parent))


def is_of_complex_operand(o):
    """Returns whether an operator that computes makes a copy of complex numbers."""
    if not any("complex" in json.dumps(x.args.get("Input type", "")) for x in subtree(o)):
        return False
    return any(x.name.startswith("aten::") and x.name not in names.COPY_OPERATORS and x.name not in ("aten::reshape", "aten::flatten")
               for x in operators_above(o.parent))


def subtree(o):
    yield o
    for x in o.children:
        yield from subtree(x)


def is_needed(o, min_values):
    """Returns whether the copy is necessary."""
    if is_of_product(o) or is_of_complex_operand(o):
        return True
    dims = o.args.get("Input Dims", o.args.get("Input dims"))
    first = dims[0] if isinstance(dims, list) and dims else None
    if not isinstance(first, list) or not all(type(n) is int for n in first):
        return False
    product = 1
    for n in first:
        product *= n
    return product < min_values


def values_of_first_input(o):
    """Returns the number of values in the first input, which may be a list of tensors; 0 if unknown."""
    dims = o.args.get("Input Dims", o.args.get("Input dims"))
    first = dims[0] if isinstance(dims, list) and dims else None
    if not isinstance(first, list):
        return 0
    is_shape = lambda x: isinstance(x, list) and len(x) <= 16 and all(type(n) is int for n in x)
    if is_shape(first):
        return math.prod(first)
    return sum(math.prod(x) for x in itertools.takewhile(is_shape, first[:1024]))


def evicting_part(o):
    """Returns the part of a copy's bytes that can evict data from the caches, 0 to 1."""
    size = BYTES_PER_VALUE * float(values_of_first_input(o))
    return CACHE_BYTES / size if size > CACHE_BYTES else 1.0


def copies(c):
    """Finds H7: copies that could be avoided."""
    th, ranges, mine = threshold("H7"), [], []
    for o in c.operators:
        if o.name not in names.COPY_OPERATORS or c.is_loading(o) or is_needed(o, th["min_values"]):
            continue
        busy = o.length - length(meet(c.pauses, [o.range]))
        ranges.append((o.start, o.end + int(float(busy) * (th["cold_pct"] / 100) * evicting_part(o))))
        if not any(x.name in names.COPY_OPERATORS for x in operators_above(o.parent)):
            mine.append(o)
    time = union(ranges)
    if c.findings.share(time) >= th["min_pct"]:
        lower, detail = doubt(c, time, th["min_pct"], "")
        c.findings.add("H7", time, by_length(mine), lower=lower, detail=detail)
