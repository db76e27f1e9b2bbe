"""Nodes, edges and lanes of the replay graph, and the order of its nodes (docs/definitions.md, section 37).

A node is an activity on a lane, which is a thread or a stream. An edge gives the earliest start of its target: the
start or end of its source plus a latency plus a residual. All times are integer nanoseconds."""
import bisect
import collections
import heapq


class Edge:
    """The target starts no earlier than time() + latency + residual. from_start: counts from the start of the source,
    else from its end. inferred: no record names this dependency. key: calls or device that share a typical latency."""
    __slots__ = ("source", "reason", "from_start", "latency", "residual", "inferred", "key")

    def __init__(self, source, reason, from_start=False, latency=0, inferred=False, key=""):
        self.source, self.reason, self.from_start, self.latency = source, reason, from_start, latency
        self.residual, self.inferred, self.key = 0, inferred, key

    def time(self):
        """Returns the measured time from which the edge counts."""
        return self.source.start if self.from_start else self.source.end


class Node:
    """lane: a thread, or (device, stream). start, end: as measured. event: the call or device operation, else None.
    parts: {(kind, name): ns}; their sum is the duration. more: {operator name: ns} of time that a call of the operator
    brings in addition to its own time. anchored: the measured start is a further lower limit of the start."""
    __slots__ = ("id", "lane", "kind", "start", "end", "parts", "more", "edges", "event", "anchored")

    def __init__(self, lane, kind, start, end, event=None):
        self.id, self.lane, self.kind, self.start, self.end, self.event = -1, lane, kind, start, end, event
        self.parts, self.more, self.edges, self.anchored = {}, {}, [], False

    @property
    def length(self):
        return self.end - self.start


class Lane:
    """Nodes of one thread in order of time, and their starts."""

    def __init__(self, nodes):
        self.nodes, self.starts = nodes, [n.start for n in nodes]

    def last_before(self, t):
        """Returns the last node that starts before t, else the first node."""
        return self.nodes[max(0, bisect.bisect_left(self.starts, t) - 1)]

    def at(self, t):
        """Returns the node that starts at t or contains t. None: no node starts at or before t."""
        i = bisect.bisect_right(self.starts, t) - 1
        while i > 0 and self.nodes[i].kind in ("wake", "arrival") and self.nodes[i].start == t and self.starts[i - 1] == t:
            i -= 1
        return self.nodes[i] if i >= 0 else None


def topological(nodes):
    """Returns the nodes in Kahn's order. Of several ready nodes, the one with the smallest (measured start, id) comes
    first. Nodes of a cycle are missing."""
    missing, after = {}, collections.defaultdict(list)
    for n in nodes:
        missing[n.id] = len(n.edges)
        for e in n.edges:
            after[e.source.id].append(n)
    ready = [(n.start, n.id, n) for n in nodes if not n.edges]
    heapq.heapify(ready)
    order = []
    while ready:
        n = heapq.heappop(ready)[2]
        order.append(n)
        for m in after[n.id]:
            missing[m.id] -= 1
            if not missing[m.id]:
                heapq.heappush(ready, (m.start, m.id, m))
    return order
