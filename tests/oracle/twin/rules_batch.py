"""The rules H18 one call per sample, H19 small batch, H20 unequal steps, H21 single steps with additional work
(docs/definitions.md, section 15)."""
import bisect
import collections
import math

from . import costs, names
from .findings import by_length, threshold
from .intervals import contains, length, meet, minus, union
from .numbers import p50, percent
from .one_sample import CONVOLUTIONS, OTHER, PRODUCTS, RECURRENT, WITH_SAMPLES, WORDS, dims_of, operand, rows_of, shape
from .pauses import step_at
from .reading import FRAME_KINDS
from .rules_between import is_backward, with_backward
from .texts import percent_text, some
from .wrapper import Accumulation, step_of

MIN_CALLS, MIN_INNER_CALLS, SMALL_BATCH, SMALL_BATCH_OF_LITTLE_WORK, USUAL_BATCH, MIN_STEPS, MIN_JUDGED, MOST_PART, USUAL_TIMES = 4, 8, 4, 8, 32, 3, 4, 4, 4
MIN_PARTS, MOST_AFTER, MOST_BEFORE, MOST_OPERANDS, MOST_ITEMS = 8, 16, 64, 16, 64
SHORT_NS = 200_000
FLOPS_PER_NS, BYTES_PER_NS = 60.0, 6.0
Samples = collections.namedtuple("Samples", "count length rows is_length_first")


def samples_of(o):
    """Returns the samples that an operator works on; None: no samples, or unknown."""
    if o.name not in WITH_SAMPLES or operand(o) is None:
        return None
    d = operand(o)
    if o.name in RECURRENT:
        return Samples(min(d[:2]), max(d[:2]), 0, False)
    is_product = WITH_SAMPLES[o.name][1] == 2
    return Samples(d[0], d[1] if len(d) == 3 or o.name in WORDS else 0, rows_of(o), is_product and len(d) == 3 and d[1] == 1)


# -------------------------------------------------------------------------------------------------------- H18: sample by sample
class Calls:
    """Calls of modules on the main thread that begin in the analysed window, outside of the loader. name: the most
    frequent module."""

    def __init__(self, c):
        self.c = c
        self.modules = [m for m in c.thread if m.kind == "module"]
        self.mine = [m for m in self.modules if contains(c.window, m.start) and not c.is_loading(m)]
        self.of_name = collections.Counter(m.name for m in self.mine)
        self.name, self.is_inner, most = None, False, 0
        for m in self.mine:
            if self.of_name[m.name] > most and self.is_repeated(m):
                most, self.name, self.is_inner = self.of_name[m.name], m.name, m.parent is not None

    def is_repeated(self, m):
        """Returns whether each step calls the module often enough, while the modules around it are called rarely."""
        least = (MIN_INNER_CALLS if m.parent is not None else MIN_CALLS) * self.c.count
        outer = m.parent
        while outer is not None:
            if self.of_name[outer.name] >= MIN_CALLS * self.c.count:
                return False
            outer = outer.parent
        return self.of_name[m.name] >= least

    def examine(self, calls):
        """Returns (calls that work on one sample, whether they are independent). The calls of a program that generates a
        text word by word are not."""
        at, longest, inside, first, batches = 0, 0, set(), {}, set()
        for o in self.c.operators:
            while at < len(calls) and calls[at].end <= o.start:
                at += 1
            if at == len(calls):
                break
            if o.start < calls[at].start or at in batches or o.parent is not None and id(o.parent) in inside:
                if o.parent is not None and id(o.parent) in inside:
                    inside.add(id(o))
                continue
            batch = samples_of(o)
            if batch is None or not batch.count:
                continue
            if batch.count > 1 and not (at in first and (batch.is_length_first or 0 < batch.rows <= longest)):
                batches.add(at)
            inside.add(id(o))
            size = batch.count if batch.is_length_first else batch.length
            longest = max(longest, size) if at in first else size
            first.setdefault(at, (str(dims_of(o)), batch.length))
        kept = [i for i in range(len(calls)) if i not in batches]
        if len(kept) < MIN_CALLS * self.c.count or 2 * len(kept) <= len(calls):
            return [], False
        return [calls[i] for i in kept], self.are_independent([first[i] for i in kept if i in first])

    def are_independent(self, rows):
        """rows: (sizes of the operands, length of the sequence) of each call."""
        if self.is_inner and len({dims for dims, _ in rows}) > 1:
            return False
        lengths = [length for _, length in rows]
        growing = sum(length == 1 or last > 0 and length > last for last, length in zip([0] + lengths, lengths))
        return len(rows) > 0 and growing < len(rows) // 2


def longest_time_between(rows):
    between = [b.start - a.end for (a, s), (b, t) in zip(rows, rows[1:]) if s == t]
    return USUAL_TIMES * p50(between) if between else 0


class Parts:
    """Loops in which each call works on one part of a tensor, without a batch dimension, and whose results are
    stacked."""

    def __init__(self, c):
        self.c = c
        self.outermost = [o for o in c.operators if o.parent is None]
        self.starts = [o.start for o in self.outermost]

    def keep(self, rows):
        """rows: (call, step). Returns the calls of these loops; [] if they are not most of the calls."""
        longest, kept, i = longest_time_between(rows), [], 0
        while i < len(rows):
            # all calls of a step, else those without a long time between them, which may be a pause
            for most in (math.inf, longest):
                end = i + 1
                while end < len(rows) and rows[end][1] == rows[i][1] and rows[end][0].start - rows[end - 1][0].end <= most:
                    end += 1
                calls = [m for m, _ in rows[i:end]]
                if self.is_loop_over_parts(calls):
                    kept += calls
                    break
            i = end
        return kept if len(kept) >= MIN_CALLS * self.c.count and 2 * len(kept) > len(rows) else []

    def at(self, ts):
        return bisect.bisect_left(self.starts, ts)

    def is_loop_over_parts(self, calls):
        if len(calls) < MIN_PARTS:
            return False
        operands = [self.first_operands(m) for m in calls]
        if operands[0] is None or any(x != operands[0] for x in operands):
            return False
        result = self.stacked_result(calls)
        return result is not None and self.takes_apart(calls) and not self.needs_previous(calls[-1], result)

    def first_operands(self, m):
        for o in self.c.operators:
            if m.start <= o.start < m.end:
                batch = samples_of(o)
                if batch is not None and batch.count:
                    return str(dims_of(o))
        return None

    def stacked_result(self, calls):
        """Returns the sizes of the result of a call; None if the program does not stack the results."""
        at = self.at(calls[-1].end)
        for o in self.outermost[at:at + MOST_AFTER]:
            items = dims_of(o)[0] if o.name == "aten::stack" and dims_of(o) else None
            if isinstance(items, list) and len(items) == len(calls) and isinstance(items[0], list) and all(x == items[0] for x in items):
                return items[0]
        return None

    def takes_apart(self, calls):
        first = self.at(calls[0].start)
        parts = sum(o.name in names.INDEX_OPERATORS for o in self.outermost[first:self.at(calls[-1].start)])
        split = any(len(calls) in (shape(dims_of(o), 0) or ()) for o in self.outermost[max(0, first - MOST_BEFORE):first]
                    if o.name in names.PIECES_OPERATORS)
        return split or parts >= len(calls) - 1

    def needs_previous(self, call, result):
        """Returns whether a product of the call, or an operator before it, reads an operand with the sizes of a
        result."""
        is_read = False
        for o in self.outermost[self.at(call.start):self.at(call.end)] if result else []:
            is_read |= reads_result(o, result)
            if is_read and has_product(o):
                return True
        return False


def reads_result(o, result):
    dims, batch = dims_of(o), samples_of(o)
    if batch is not None and batch.count or o.name == "aten::linear":
        at = WITH_SAMPLES[o.name][0]
        dims = dims[at:at + 1]
    return any(x == result or isinstance(x, list) and not all(isinstance(n, int) for n in x) and result in x[:MOST_ITEMS]
               for x in dims[:MOST_OPERANDS])


def has_product(o):
    return o.eligible or any(has_product(x) for x in o.children)


def calls_with_one_sample(c):
    """Returns (calls, whether the samples have no batch dimension)."""
    found = Calls(c)
    mine = [m for m in found.mine if m.name == found.name]
    calls, independent = found.examine(mine)
    if independent:
        return calls, False
    return Parts(c).keep([(m, step_at(c.trace, m.start)) for m in mine]) if mine else [], True


def least_time_of_products(c):
    ranges = []
    for o in c.operators:
        cost = costs.of_op(o) if o.eligible else None
        if cost is not None:
            ranges.append((o.start, o.start + int(min(cost["flops"] / FLOPS_PER_NS, float(o.length)))))
    return union(ranges)


def sample_by_sample(c):
    """Finds H18: the model is called sample by sample."""
    if not c.trace.steps.marked:
        return False
    calls, is_of_parts = calls_with_one_sample(c)
    if not calls:
        return False
    rows = [(m, step_at(c.trace, m.start)) for m in calls]
    longest = longest_time_between(rows)
    ranges, last, is_open = [], None, False
    for m, step in rows:
        is_next = last is not None and last[1] == step and m.start - last[0].end <= longest
        if is_next and is_open:
            ranges[-1] = (ranges[-1][0], m.end)
        elif is_next:
            ranges.append((m.start, m.end))
        is_open = is_next
        last = (m, step)
    kept, inside = [], set()
    for o in c.operators:
        if o.parent is not None and id(o.parent) in inside:
            inside.add(id(o))
        elif o.name.startswith("aten::conv"):
            inside.add(id(o))
            kept.append((o.start, o.start + o.length // 2))
    time = minus(with_backward(c, union(ranges)), union(kept))
    if is_of_parts:
        time = minus(time, least_time_of_products(c))
    detail = "Each step calls the model %s with one sample." % some(len(calls) // c.count, "time", "times")
    return c.findings.share(time) >= threshold("H18")["min_pct"] and bool(c.claim("H18", time, by_length(calls), detail=detail))


# ------------------------------------------------------------------------------------------------------------- H19: small batch
def work_ns(c, o):
    return o.length - length(meet(c.pauses, [o.range]))


def is_work_on_weights(o):
    while o is not None:
        if o.name.startswith("Optimizer.") or o.name.endswith("AccumulateGrad"):
            return True
        o = o.inside
    return False


def work_on_samples_ns(c):
    """Returns the least time of a core for the work of the operators on the samples, ns."""
    total, inside = 0.0, set()
    for o in c.operators:
        if o.parent is not None and id(o.parent) in inside:
            inside.add(id(o))
            continue
        cost = None if c.is_loading(o) else costs.of_op(o)
        if cost is None:
            continue
        inside.add(id(o))
        least = cost["flops"] / FLOPS_PER_NS if cost["flops"] else cost["bytes"] / BYTES_PER_NS
        if not is_work_on_weights(o):
            total += min(least, float(work_ns(c, o)))
    return int(total)


def small_batch(c):
    """Finds H19: the batch is small."""
    whole = small = most = recurrent = 0
    picked, judged = [], c.findings.judged_ns
    needed = min(work_on_samples_ns(c), judged)
    trains = any(is_backward(o) for o in c.operators)
    has_little_work = trains and percent(needed, judged) < threshold("H19")["work_pct"]
    for o in c.operators:
        batch = samples_of(o)
        rows = 0
        if o.name in RECURRENT and batch:
            rows = batch.count
        elif o.name == "aten::convolution" and batch and work_ns(c, o) < SHORT_NS:
            rows = batch.count
        elif o.name == "aten::addmm" and len(shape(dims_of(o), 1) or ()) == 2:
            rows = shape(dims_of(o), 1)[0]
        is_other = o.name in OTHER or o.name.startswith("aten::_scaled_dot_product") or o.name == "aten::convolution"
        is_other = is_other and not (has_little_work and work_ns(c, o) < SHORT_NS)
        if not rows and not is_other or c.is_loading(o):
            continue
        ns = work_ns(c, o)
        whole += ns
        if not rows or rows > (SMALL_BATCH_OF_LITTLE_WORK if has_little_work else SMALL_BATCH):
            continue
        small += ns
        recurrent += ns if o.name in RECURRENT else 0
        most = max(most, rows)
        picked.append(o)
    if not (trains or most > 1) or not small or small < whole - whole // 5:
        return
    if percent(small, c.findings.judged_ns - length(c.pauses)) < threshold("H19")["min_pct"]:
        return
    ranges, is_recurrent = [], recurrent > small // 2 and not has_little_work
    for a, b in c.window:
        fixed = b - a - (b - a) * needed // judged
        gained = fixed - fixed * most // USUAL_BATCH
        ranges.append((a, a + (gained * 2 // 3 if is_recurrent else gained)))
    c.findings.add("H19", minus(union(ranges), c.loading), by_length(picked),
                   detail="The matrix products have at most %s, and the estimate is the saving per sample with %d rows." % (
                       some(most, "row", "rows"), USUAL_BATCH))


# ----------------------------------------------------------------------------------------------------------- H20: unequal steps
def unequal_steps(c):
    """Finds H20: steps take unequal time because of unequal shapes."""
    updates = Accumulation(c.trace).updates
    work = collections.Counter()
    for o in c.operators:
        step = step_of(c.trace, o.start) if c.trace.steps.marked else c.trace.steps.found[0]
        if step is None or not names.is_eligible(o.name):
            continue
        is_first = o.name == "aten::mm" and len(shape(dims_of(o), 0) or ()) == 2 or o.name == "aten::addmm" and len(shape(dims_of(o), 1) or ()) == 2
        is_first = is_first and bool(shape(dims_of(o), 0 if o.name == "aten::mm" else 1)[0])
        d = shape(dims_of(o), 0 if is_first else 1)
        if d is not None:
            product = 1
            for n in d:
                product *= n
            work[id(step)] = max(work[id(step)], product)
    steps = [s for s in c.trace.steps.used if id(s) not in updates]
    if len(steps) < MIN_STEPS:
        return
    longest, shortest = max(steps, key=lambda s: work[id(s)]), min(steps, key=lambda s: work[id(s)])
    most, least = work[id(longest)], work[id(shortest)]
    if least <= 0 or most < 2 * least:
        return
    median = p50([s.length for s in steps])
    if longest.length < threshold("H20")["min_ratio"] * median or longest.event is None:
        return
    beyond = sum(max(0, s.length - median) for s in steps)
    c.findings.add_without_ceiling("H20", "high" if 2 * beyond > c.trace.steps.ns else "medium", [longest.event], detail="The largest input of a matrix product has "
                                   "%.1f times as many elements in the largest step as in the smallest step." % (most / least))


# ------------------------------------------------------------------------------------------------------------ H21: single steps
def single_steps(c):
    """Finds H21: single steps have work that other steps do not have."""
    th, updates, used = threshold("H21"), Accumulation(c.trace).updates, c.trace.steps.used
    kind = lambda s: id(s) in updates
    groups = {k: [s.length for s in used if kind(s) == k] for k in (False, True)}
    medians = {k: p50(l) if len(l) >= MIN_JUDGED else None for k, l in groups.items()}
    judged = sum(len(l) for l in groups.values() if len(l) >= MIN_JUDGED)
    long = [s for s in used[1:] if medians[kind(s)] is not None and s.event is not None and s.length >= th["min_ratio"] * medians[kind(s)]]
    if not long or not judged:
        return
    calls, usual, is_long = [], set(), {id(s) for s in long}
    for e in c.thread:
        step = step_of(c.trace, e.start) if e.kind == "operator" or e.kind in FRAME_KINDS else None
        if step is not None and step.used:
            calls.append((e, step))
            if id(step) not in is_long:
                usual.add((names.label(e.name), kind(step)))
    extra, picked = collections.defaultdict(list), []
    for e, step in calls:
        end, l = min(e.end, step.end), extra[id(step)]
        if id(step) not in is_long or end <= e.start or l and l[-1][1] >= end or (names.label(e.name), kind(step)) in usual:
            continue
        l.append((e.start, end))
        picked.append(e)
    rows = []
    for s in long:
        own, longer = length(minus(union(extra[id(s)]), c.loading)), s.length - medians[kind(s)]
        ns = min(own, longer) if own >= longer // 2 else 0
        if ns:
            rows.append((s, ns))
    beyond = sum(ns for _, ns in rows)
    share = percent(beyond, c.trace.steps.ns)
    if not rows or len(rows) * MOST_PART > judged or share < th["min_pct"]:
        return
    most = max((s for s, _ in rows), key=lambda s: s.length)
    c.findings.add_without_ceiling(
        "H21", "high" if 2 * beyond > c.trace.steps.ns else "medium", by_length(picked),
        detail="Step %s takes %.1f times the median, and calls that other steps do not make take %s of the total step time."
        % (most.name, most.length / medians[kind(most)], percent_text(share)))


def batch_rules(c):
    single_steps(c)
    if not sample_by_sample(c):
        small_batch(c)
    # unequal steps are not reported if a finding already explains them by the additional work of single steps
    if not c.findings.has("H21"):
        unequal_steps(c)
