"""The rules H18 one call per sample, H19 small batch, H20 unequal steps, H21 single steps with additional work
(docs/definitions.md, section 15)."""
import collections

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


def sample_by_sample(c):
    """Finds H18: the model is called sample by sample."""
    if not c.trace.steps.marked:
        return False
    found = Calls(c)
    calls, independent = found.examine([m for m in found.mine if m.name == found.name])
    if not independent:
        return False
    rows = [(m, step_at(c.trace, m.start)) for m in calls]
    between = [b.start - a.end for (a, s), (b, t) in zip(rows, rows[1:]) if s == t]
    longest = USUAL_TIMES * p50(between) if between else 0
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
