"""Recognizes a profile with too little data for a verdict (docs/definitions.md, section 13)."""
from . import names
from .intervals import contains, length, meet, union
from .quality import recorded_span

LEAST_NS = 100_000_000


def is_host_work(e):
    """Returns whether the event is work of the program. Loading of data and markers of steps are not work."""
    return e.kind in ("operator", "runtime") or e.kind == "annotation" and not names.is_step(e.name) and not names.is_loader(e.name)


def is_fragment(trace):
    if trace.program not in ("cpu", "gpu") or not trace.steps.ns:
        return False
    work = [e for e in trace.events.host if is_host_work(e)]
    if trace.steps.marked and any(contains(trace.window, e.start) for e in work + trace.operations):
        return False
    threads = {e.thread for e in work}
    ns = sum(length(union([e.range for e in work if e.thread == t])) for t in threads) + sum(k.length for k in trace.operations)
    if ns >= LEAST_NS:
        return False
    loading = union([e.range for e in trace.tree.threads.get(trace.host_main, []) if e.kind == "annotation" and names.is_loader(e.name)])
    return recorded_span(trace) >= LEAST_NS or trace.program == "cpu" and length(meet(loading, trace.window)) > 0
