"""The table ranges (docs/definitions.md, section 34): host time and device time of annotations and modules by name."""
import collections
import re

from .forward import forward_of
from .intervals import length, meet, union
from .numbers import Us, percent
from .tree import ancestors
from .wrapper import step_of

KINDS = ("annotation", "module")
ALL_STEPS = "ProfilerStep*"
MOST_ROWS = 1000


def label(e):
    """Returns (name, kind) of the row of a range."""
    return ALL_STEPS if e.kind == "annotation" and re.fullmatch(r"ProfilerStep#[0-9]+", e.name) else e.name, e.kind


def labels_around(e):
    return {label(a) for a in ancestors(e) if a.kind in KINDS}


def innermost(e):
    """Returns the label of the innermost annotation around an event that is no step of the profiler; None without."""
    found = (a for a in ancestors(e) if a.kind == "annotation" and not a.name.startswith("ProfilerStep#"))
    return next((label(a) for a in found), None)


class Row:
    def __init__(self):
        self.calls = self.host = self.host_self = self.host_in_steps = self.own = 0
        self.threads, self.forward, self.backward = set(), [], []


def add_host_self(rows, ranges):
    """Adds the host time of the ranges of one thread and kind, without the ranges directly inside, to their rows."""
    stack = []
    for e in ranges:
        while stack and stack[-1].end <= e.start:
            stack.pop()
        rows[label(e)].host_self += e.length
        if stack:
            rows[label(stack[-1])].host_self -= min(e.end, stack[-1].end) - e.start
        stack.append(e)


def range_rows(trace):
    rows = collections.defaultdict(Row)
    for events in trace.tree.threads.values():
        for kind in KINDS:
            add_host_self(rows, [e for e in events if e.kind == kind])
    for e in trace.events.host:
        if e.kind in KINDS:
            row = rows[label(e)]
            row.calls += 1
            row.threads.add(e.thread)
            if label(e) not in labels_around(e):
                row.host += e.length
                row.host_in_steps += length(meet(trace.window, [(e.start, e.end)]))
    for k in trace.operations:
        if k.launch is None:
            continue
        around, inner, forward = labels_around(k.launch), innermost(k.launch), forward_of(k.launch, trace.forwards)
        for name in around:
            rows[name].forward.append(k)
        if forward is not None:
            for name in labels_around(forward) - around:
                rows[name].backward.append(k)
            if inner is None or innermost(forward) is not None and innermost(forward) not in around:
                inner = innermost(forward) or inner
        if inner is not None:
            rows[inner].own += k.length
    return rows


def is_in_used_step(trace, at):
    if not trace.steps.marked:
        return True
    step = step_of(trace, at)
    return step is not None and step.used


def ranges(trace):
    rows, whole = range_rows(trace), sum(k.length for k in trace.operations)
    sums = lambda operations: sum(k.length for k in operations)
    order = sorted(rows, key=lambda n: (-sums(rows[n].forward + rows[n].backward), -rows[n].host, n))
    assert len(order) <= MOST_ROWS, "the twin has no row (rest)"
    per_step = lambda ns: Us(ns // trace.steps.count) if trace.steps.count else None
    out = []
    for name, kind in order:
        row = rows[name, kind]
        both = row.forward + row.backward
        in_steps = [k for k in both if is_in_used_step(trace, k.launch.start)]
        out.append({"name": name, "kind": kind, "calls": row.calls, "threads": len(row.threads), "host_us": Us(row.host), "host_self_us": Us(row.host_self),
                    "forward_us": Us(sums(row.forward)), "backward_us": Us(sums(row.backward)), "device_us": Us(sums(both)),
                    "busy_us": Us(length(union([(k.start, k.end) for k in both]))), "self_us": Us(row.own), "captured_us": Us(0),
                    "operations": len(both), "percent": percent(sums(both), whole), "host_per_step_us": per_step(row.host_in_steps),
                    "device_per_step_us": per_step(sums(in_steps))})
    return out
