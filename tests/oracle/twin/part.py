"""The steps of a large trace that a report replays (docs/definitions.md, section 37, "Parts of a trace")."""
import copy

from .trace import Trace

MOST = 200000                                             # activities that a report replays
SMALLER = 4                                               # a part has at most MOST / SMALLER activities


def activities(operations, calls):
    """Returns the number of activities: operations, and two for each call that launched some."""
    return len(operations) + 2 * sum(bool(r.operations) for r in calls)


def replayed(trace, most=MOST):
    """Returns (trace to replay, part of what_if_view or None). The trace is the whole one if it is not too large."""
    if activities(trace.events.operations, trace.events.of["runtime"]) <= most:
        return trace, None
    first, last = chosen_steps(trace.steps.found, most)
    steps = trace.steps.found[first:last + 1]
    names = {"first_step": steps[0].name, "last_step": steps[-1].name, "steps_of_trace": trace.steps.count}
    return cut(trace, steps, lead_in=first > 0), names


def chosen_steps(steps, most):
    """Returns the indexes of the first and the last step of the part."""
    used = sorted(s.length for s in steps if s.used)
    first = last = next(i for i, s in enumerate(steps) if s.used and s.length == used[(len(used) - 1) // 2])
    sizes = [activities(s.operations, {id(k.launch): k.launch for k in s.operations}.values()) for s in steps]

    def fits(i):
        return 0 <= i < len(steps) and steps[i].used and sum(sizes[first:last + 1]) + sizes[i] <= most // SMALLER
    up = down = True
    while up or down:
        up = up and fits(last + 1)
        last += up
        down = down and fits(first - 1)
        first -= down
    return (max(0, first - 1), last) if first == last else (first, last)


def cut(trace, steps, lead_in):
    """Returns a trace of the events of some steps."""
    begin = min(min(s.start, s.host_start) for s in steps)
    host_end = max(s.host_end for s in steps)
    launched = {k.pos for k in trace.events.operations
                if k.launch is not None and k.launch.start < host_end and k.launch.end >= begin}
    end = host_end if launched else max(host_end, max(s.end for s in steps))
    events = {e.pos: e for kind in trace.events.of.values() for e in kind}

    def is_kept(pos):
        e = events.get(pos)
        return e is None or pos in launched or e.start < end and (e.end > begin or e.start >= begin)
    document = copy.copy(trace.document)
    document.events = [d for pos, d in enumerate(document.events) if is_kept(pos)]
    earlier = [k.end for k in trace.events.operations if k.launch is not None and k.launch.start < begin]
    return Trace(document, file=trace.file, lead_in_until=max([steps[0].host_start + 1] + earlier) if lead_in else None)
