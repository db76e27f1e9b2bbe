"""Pauses: times in which the main thread did not run, although that of an undisturbed program would run
(docs/definitions.md, section 15, rule H6)."""
import collections

from . import names
from .intervals import length, meet, minus, union
from .numbers import p50, percent
from .reading import FRAME_KINDS
from .wrapper import step_of

PAUSE_NS, MIN_STEPS, MOST, SHORT_PART = 500_000, 3, 4096, 5
Stretch = collections.namedtuple("Stretch", "start end event name step")


def step_at(trace, at):
    """Returns the id of the step around a host time. Without markers, all times have the same id."""
    return id(step_of(trace, at)) if trace.steps.marked else 0


def stretches(trace, time):
    """Returns long times in which no event of the main thread begins or ends."""
    out = []
    for start, end, stack, _ in trace.tree.segments(trace.host_main, [(a, b, None) for a, b in time]):
        if end - start >= PAUSE_NS:
            e = stack[-1] if stack else None
            out.append(Stretch(start, end, e, e.name if e is not None and e.kind in FRAME_KINDS else None, step_at(trace, start)))
    return out


def between(trace, time):
    """Returns the pauses between operators: long times without events that fewer than half of the steps have."""
    found = stretches(trace, time)
    return [(one.start, one.end) for one in found if len(found) <= MOST and not is_repeated(trace, found, one)]


def is_repeated(trace, found, one):
    """Returns whether at least half of the steps have a time like `one`: with the same name, and at least half as
    long."""
    steps, last = 0, None
    for other in found:
        if other.name == one.name and other.step != last and other.end - other.start >= (one.end - one.start) // 2:
            last = other.step
            steps += 1
    return 2 * steps >= trace.steps.count


def sizes_of(o):
    """Returns the sizes of an operator's inputs as text; None: the sizes of the first input are unknown."""
    dims = o.args.get("Input Dims")
    if not isinstance(dims, list) or not dims or not isinstance(dims[0], list) or not all(type(n) is int for n in dims[0]) or len(dims[0]) > 8:
        return None
    return str(dims)


def within(trace, operators, time):
    """Returns the pauses inside of operators: the part of a long time that exceeds the median length of the same call.
    Only for calls that are short in most steps."""
    found = stretches(trace, time)
    wanted = {(s.event.name, sizes_of(s.event)) for s in found if s.event is not None and s.event.kind == "operator"}
    lengths, place, count = collections.defaultdict(list), {}, {}
    for o in operators:
        key = (o.name, sizes_of(o))
        if key not in wanted:
            continue
        step, number = count.get(key, (None, 0))
        at = step_at(trace, o.start)
        number = number + 1 if at == step else 0
        count[key] = (at, number)
        lengths[key, number].append(o.length)
        place[id(o)] = (key, number)
    out = []
    for s in found:
        l = lengths.get(place.get(id(s.event)), []) if s.event is not None else []
        short = sum(n < PAUSE_NS // SHORT_PART for n in l)
        if l and 2 * short > trace.steps.count and 2 * short > len(l):
            out.append((s.start + p50(l), s.end))
    return out


def find_pauses(c, outside):
    """Returns the times of the analysed window in which the main thread did not run. outside: time of the window
    outside of operators."""
    trace = c.trace
    if trace.steps.count < MIN_STEPS:
        return []
    found = between(trace, outside)
    if any(sizes_of(o) is not None for o in c.operators):
        others = union([e.range for e in trace.events.host
                        if e.kind == "operator" and (e.thread != trace.host_main or names.is_collective(e.name))])
        time = minus(minus(minus(trace.window, outside), c.loading), others)
        found += within(trace, c.operators, time)
    return meet(union(found), trace.window)


def percent_without_pauses(c, ranges):
    """Returns the share of intervals in the judged time, percent. Both times are without pauses."""
    if not c.pauses:
        return c.findings.share(ranges)
    less, rest = c.findings.recorded.less, minus(c.trace.window, c.pauses)
    return percent(less(meet(ranges, rest)), max(1, less(rest)))


def spread_pauses(c, ranges):
    """Returns the intervals without pauses, and a part of the pauses in them. With this part, the share of the
    intervals in the judged time is the same as percent_without_pauses()."""
    inside = meet(ranges, c.pauses)
    if not inside:
        return ranges
    busy = minus(ranges, c.pauses)
    left = int(percent_without_pauses(c, ranges) / 100 * float(c.findings.judged_ns)) - c.findings.recorded.less(busy)
    out = list(busy)
    for a, b in inside:
        if left <= 0:
            break
        b = min(b, a + left)
        out.append((a, b))
        left -= b - a
    return union(out)


def doubt(c, ranges, least, detail):
    """Returns (levels by which to lower the confidence, detail) of a finding whose time contains pauses."""
    share, without = c.findings.share(ranges), percent_without_pauses(c, ranges)
    ns = length(meet(ranges, c.pauses))
    if not ns or without >= share:
        return 0, detail
    said = "The thread does not run for %.1f %% of the time of this finding." % percent(ns, length(ranges))
    return (1 if without < least else 0), " ".join(filter(None, (detail, said)))
