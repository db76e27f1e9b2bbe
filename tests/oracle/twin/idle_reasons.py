"""Reasons of a device's idle time, the latency of starts, and idle time that earlier work could fill
(docs/definitions.md, section 20)."""
import collections

from .intervals import length
from .links import is_graph_launched
from .numbers import twice_median

UNKNOWN_LATENCY_NS, MOST_LATENCY_NS, LONG_NS = 10_000, 50_000, 1_000_000
AWAY = ("held", "held launch", "edge")
Reason = collections.namedtuple("Reason", "name start end piece")

CALLS = (("synchron", "synchronise"), ("wait", "synchronise"), ("query", "synchronise"), ("memcpy", "copy call"), ("malloc", "allocate"),
         ("free", "allocate"), ("hostalloc", "allocate"), ("hostregister", "allocate"), ("launch", "launch call"), ("module", "set-up"),
         ("function", "set-up"), ("create", "set-up"), ("init", "set-up"))


def use_of(name):
    """Returns the purpose of a runtime call, such as "allocate"."""
    name = name.lower()
    return next((use for word, use in CALLS if word in name), "runtime")


def launch_of(piece):
    return piece.next.launch if piece.next is not None else None


def gaps_of(pieces):
    """Groups consecutive parts of idle time that end with the start of the same operation."""
    out = []
    for p in pieces:
        if out and out[-1][0].next is p.next and out[-1][-1].end == p.start:
            out[-1].append(p)
        else:
            out.append([p])
    return out


def latency_of(device):
    """Returns the usual time from the end of a launch to the start of its operation on a free device, ns."""
    found = []
    for gap in gaps_of(device.idle):
        launch = launch_of(gap[-1])
        if launch is not None and gap[-1].next.start == gap[-1].end and launch.end >= gap[0].start and gap[-1].end >= launch.end:
            found.append(gap[-1].end - launch.end)
    return min(twice_median(found) // 2, MOST_LATENCY_NS) if found else UNKNOWN_LATENCY_NS


def reasons_of(device):
    """Returns the idle time of a device in the analysed window, with a reason for each part, in order of time."""
    latency, total = latency_of(device), max(1, length(device.busy))
    busy, at, done, out = device.busy, 0, 0, []

    def is_held(start, end, latencies):
        nonlocal at, done
        while at < len(busy) and busy[at][0] <= start:
            done += busy[at][1] - busy[at][0]
            at += 1
        return done * 100 < total and (end - start) * 10 > total and end - start > max(LONG_NS, latencies * latency)

    for p in device.idle:
        if p.part == "launch":
            name = ("held launch" if is_held(p.start, p.end, 20)
                    else "blocked" if launch_of(p).length > max(LONG_NS, 20 * latency) else "launch")
            out.append(Reason(name, p.start, p.end, p))
        elif p.part == "queue":
            started = min(launch_of(p).end, p.next.start) + latency
            since = min(max(started, p.start), p.end)
            out.append(Reason("latency", p.start, since, p))
            name = "held" if is_held(since, p.end, 10) else "graph" if is_graph_launched(p.next) else "queue"
            out.append(Reason(name, since, p.end, p))
        elif p.part == "outside":
            out.append(Reason("edge", p.start, p.end, p))
        elif p.part == "unknown":
            out.append(Reason("held" if is_held(p.start, p.end, 10) else "unknown", p.start, p.end, p))
        else:
            out.append(Reason("host", p.start, p.end, p))
    return [r for r in out if r.start < r.end]
