"""Captures of graphs (docs/definitions.md, section 13). Launches during a capture do not run on the device."""
import collections

from .intervals import contains, meet, minus, union


def captures(trace):
    """Returns the time of all captures. On each thread, a capture begins with a call that starts a capture. It lasts
    until the end of the next call that ends a capture, or of the thread's last call."""
    calls = collections.defaultdict(list)
    for r in sorted(trace.events.of["runtime"], key=lambda r: (r.start, -r.end, r.pos)):
        calls[r.thread].append(r)
    found = []
    for l in calls.values():
        start = None
        for r in l:
            if start is None and "StreamBeginCapture" in r.name:
                start = r.start
            elif start is not None and "StreamEndCapture" in r.name:
                found.append((start, r.end))
                start = None
        if start is not None:
            found.append((start, max(r.end for r in l)))
    return union(found)


def capturing(trace):
    """Returns the part of the analysed window in which a graph is captured and no device works."""
    return minus(meet(captures(trace), trace.window), union([r for d in trace.devices for r in d.busy]))


def holds_all_launches(trace):
    """Returns whether the trace has launches and all of them begin inside of captures. False without captures."""
    found = captures(trace)
    return bool(found) and all(contains(found, r.start) for r in trace.events.of["runtime"] if "Launch" in r.name)
