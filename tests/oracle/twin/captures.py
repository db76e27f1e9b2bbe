"""Section 13: the capture of graphs, in which launches run nothing."""
import collections

from .intervals import contains, meet, minus, union


def captures(trace):
    """on each thread from a call that begins a capture to the end of the next one that ends it, else of the thread's last call"""
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
    """the part of W in which a graph is captured and no device works"""
    return minus(meet(captures(trace), trace.window), union([r for d in trace.devices for r in d.busy]))


def holds_all_launches(trace):
    """is every call that launches work inside of a capture, and there is one?"""
    found = captures(trace)
    return bool(found) and all(contains(found, r.start) for r in trace.events.of["runtime"] if "Launch" in r.name)
