"""Replays a graph: start and end of each node after a change, and the window W of the replayed times
(docs/definitions.md, section 37, "Replay")."""
import bisect

from .intervals import length, meet, union
from .replay_nodes import topological
from .steps import is_device_free_before


class Replay:
    """start, end: {node id: replayed time}. via: {node id: edge that decided the start, else None}. bare: without
    residuals. paced: batches of loader workers arrive when they did. steps: [(start, end)] of the analysed steps. ns: their
    sum."""

    def __init__(self, graphs, change, bare=False, paced=False):
        self.graphs, self.change, self.bare, self.paced = graphs, change, bare, paced
        self.start, self.end, self.via = {}, {}, {}
        self.first = first_of_window(graphs[0])
        for n in graphs[0].order if len(graphs) == 1 else topological([n for g in graphs for n in g.nodes]):
            self.place(n)
        self.steps = step_intervals(graphs[0], self)
        self.window = union(self.steps)
        self.ns = sum(b - a for a, b in self.steps)
        if change.overlap:
            window = graphs[0].trace.window
            self.ns = max([self.ns] + [length(meet(union([k.range for k in d.kernels if k.communication]), window)) for d in graphs[0].trace.devices])

    def residual(self, n, e):
        return 0 if self.bare and n is not self.first else e.residual

    def place(self, n):
        t, via = (n.start if n.anchored else None), None
        for e in n.edges:
            if e.reason == "arrival" and not self.paced or self.change.drops(n, e):
                continue
            source = (self.start if e.from_start else self.end)[e.source.id]
            at = source + self.change.latency(n, e) + self.residual(n, e)
            if t is None or at > t:
                t, via = at, e
        self.start[n.id] = n.start if t is None else t
        self.end[n.id] = self.start[n.id] + self.change.ns(n)
        self.via[n.id] = via


def main_begins_window(trace):
    """Returns whether the window of a trace without markers may begin with the main thread (section 5)."""
    return bool(not trace.steps.marked and trace.operations and trace.tree.threads.get(trace.host_main) and
                is_device_free_before(trace.operations))


def first_of_window(graph):
    """Returns the node that keeps its residual in the bare replay: the first operation, if it begins W. No known reason
    explains the start of W, so this residual is no error. Else returns None."""
    trace = graph.trace
    if trace.steps.marked or not trace.operations or main_begins_window(trace):
        return None
    return graph.node_of[id(trace.operations[0])]


def step_intervals(graph, r):
    """Returns the replayed (start, end) of the analysed steps, by the rules of section 5."""
    return marked_intervals(graph, r) if graph.trace.steps.marked else whole_interval(graph, r)


def whole_interval(graph, r):
    """Returns the window of a trace without markers."""
    trace = graph.trace
    if trace.operations:
        nodes = [graph.node_of[id(k)].id for k in trace.operations]
        starts = [r.start[i] for i in nodes]
        if main_begins_window(trace):
            starts += [r.start[n.id] for n in graph.lanes[trace.host_main].nodes[:1]]
        return [(min(starts), max(r.end[i] for i in nodes))]
    nodes = graph.lanes[graph.reference].nodes if graph.reference in graph.lanes else []
    return [(r.start[nodes[0].id], r.end[nodes[-1].id])] if nodes else []


def marked_intervals(graph, r):
    steps, previous, out = graph.trace.steps.found, None, []
    if any(s.operations for s in steps):
        previous = max([host_time(graph, r, steps[0].host_start, False)] + ends_before(graph, r, steps))
    for s in steps:
        start, end = host_time(graph, r, s.host_start, False), host_time(graph, r, s.host_end, True)
        if previous is not None:
            start = max(start, previous)
            end = previous = max([start, end] + ends_of(graph, r, s.operations))
        if s.used:
            out.append((start, end))
    return out


def ends_of(graph, r, operations):
    return [r.end[graph.node_of[id(k)].id] for k in operations]


def ends_before(graph, r, steps):
    """Returns the ends of the operations that were launched outside of the steps and ended before the first operation
    of the first step."""
    if not steps[0].operations:
        return []
    mine, first = {id(k) for s in steps for k in s.operations}, min(k.start for k in steps[0].operations)
    return ends_of(graph, r, [k for k in graph.trace.operations if id(k) not in mine and k.end < first])


def host_time(graph, r, t, is_end):
    """Returns the replayed time of the start or end of a marker. A marker divides the nodes of the reference thread, so
    t is the start or the end of a node."""
    lane = graph.lanes[graph.reference]
    nodes, starts = lane.nodes, lane.starts
    if not nodes:                                          # all events of the thread have length 0
        return t
    if is_end:
        i = bisect.bisect_left(starts, t) - 1
        while i + 1 < len(nodes) and starts[i + 1] == t and nodes[i + 1].kind in ("wake", "arrival"):
            i += 1
        n = nodes[max(i, 0)]
        return r.end[n.id] + t - n.end
    i = bisect.bisect_left(starts, t)
    while i < len(nodes) and nodes[i].kind in ("wake", "arrival") and starts[i] == t:
        i += 1
    if i < len(nodes) and starts[i] == t:
        return r.start[nodes[i].id]
    n = nodes[max(0, i - 1)]
    return r.start[n.id] + t - n.start
