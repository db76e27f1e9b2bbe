"""Edges of device operations and of waking calls (docs/definitions.md, section 37, "Edges")."""
import bisect
import collections

from . import names
from .replay_nodes import Edge
from .replay_waits import LATENCY_CAP_NS


def add_device_edges(graph):
    """Adds the edges of each device operation: launch, graph, stream and event, in this order."""
    previous, in_graph, waits = {}, {}, StreamWaits(graph).find()
    for k in graph.trace.operations:                       # by start, then position in the file
        n = graph.node_of[id(k)]
        before = previous.get(n.lane)
        launch = id(k.launch) if k.launch is not None and names.GRAPH_LAUNCH in k.launch.name else None
        follows_in_graph = launch is not None and before is not None and before.event.launch is k.launch
        if k.launch is None:
            graph.counts["without_launch"] += 1
        elif not follows_in_graph and launch not in in_graph:
            add_launch_edge(graph, n)
        if launch in in_graph and not follows_in_graph:
            n.edges.append(branch_edge(in_graph[launch], n))
        if before is not None:
            n.edges.append(stream_edge(graph, before, n))
        for source, inferred in waits.get(id(k), ()):
            n.edges.append(Edge(source, "event", False, 0, inferred, k.device))
            graph.counts["event_inferred" if inferred else "event"] += 1
        n.anchored = not n.edges
        previous[n.lane] = n
        if launch is not None:
            in_graph.setdefault(launch, []).append(n)


def add_launch_edge(graph, n):
    """Adds the edge from the call that launched an operation. An operation that was recorded before its call keeps the
    measured distance."""
    call = n.event.launch
    source = graph.lanes[call.thread].at(call.start)
    if n.start < call.start:
        graph.counts["before_launch"] += 1
        if source is not None and n.start >= source.start:
            n.edges.append(Edge(source, "launch", True, n.start - source.start, True, "-"))
    elif source is None:                                   # all events of the thread have length 0
        graph.counts["without_launch"] += 1
    else:
        n.edges.append(Edge(source, "launch", True, call.start - source.start, False, call.name))


def branch_edge(earlier, n):
    """Returns the edge of the first operation of a further stream of a graph launch. Its source is the graph's
    operation that ended last before n."""
    source = max((m for m in earlier if m.end <= n.start), key=lambda m: (m.end, -m.id), default=earlier[0])
    overlap = source.end > n.start
    return Edge(source, "graph", overlap, max(0, n.start - source.start) if overlap else 0, True)


def stream_edge(graph, before, n):
    """Returns the edge from the previous operation of the stream. If both overlap, n keeps the measured distance."""
    overlap = before.end > n.start
    graph.counts["overlap"] += overlap
    return Edge(before, "stream", overlap, n.start - before.start if overlap else 0, overlap, "-" if overlap else n.event.device)


def add_wait_edges(graph):
    for lane in graph.lanes.values():
        for n in lane.nodes:
            if n.kind == "wake":
                waited = graph.waited[id(n.event)]
                n.edges += [Edge(graph.node_of[id(k)], "wait", False, 0, waited.inferred, n.event.name) for k in waited.operations]


class StreamWaits:
    """Calls that make a stream wait for an event. launched: {(device, stream): [(start of the launch, its position,
    node)]}. starts: {(device, stream): starts of the launches}."""

    def __init__(self, graph):
        self.graph, self.found, self.launched = graph, collections.defaultdict(list), collections.defaultdict(list)
        for k in graph.trace.operations:
            if k.launch is not None:
                self.launched[(k.device, k.stream)].append((k.launch.start, k.launch.pos, graph.node_of[id(k)]))
        for row in self.launched.values():
            row.sort(key=lambda launch: launch[:2])
        self.starts = {lane: [launch[0] for launch in row] for lane, row in self.launched.items()}

    def find(self):
        """Returns {id(operation): [(node that it waits for, inferred)]}."""
        calls = self.graph.trace.events.of["runtime"]
        records = {r.correlation: r.start for r in calls if names.EVENT_RECORD.fullmatch(r.name)}
        for call in calls:
            if names.STREAM_WAIT.fullmatch(call.name):
                sync = self.graph.sync.get(call.correlation)
                if sync is None:
                    self.infer(call)
                elif sync.kind == "Stream Wait Event" and sync.record in records and sync.stream != sync.on_stream:
                    target = self.first_after((sync.device, sync.stream), call.start)
                    source = self.last_before((sync.device, sync.on_stream), records[sync.record])
                    if target is not None and source is not None:
                        self.put(target[2], source, False)
        return self.found

    def first_after(self, lane, t):
        """Returns the first launch on a stream at or after t, else None."""
        i = bisect.bisect_left(self.starts.get(lane, []), t)
        return self.launched[lane][i] if i < len(self.starts.get(lane, [])) else None

    def last_before(self, lane, t):
        """Returns the node that was launched last on a stream before t, else None."""
        i = bisect.bisect_left(self.starts.get(lane, []), t) - 1
        return self.launched[lane][i][2] if i >= 0 else None

    def put(self, target, source, inferred):
        """Adds a dependency. The measured times contradict it if the source ends after the start of the target."""
        if source.end > target.start or source is target:
            self.graph.counts["event_contradicted"] += 1
        elif all(known is not source for known, _ in self.found[id(target.event)]):
            self.found[id(target.event)].append((source, inferred))

    def infer(self, call):
        """Adds the dependency of a call without a record. The next operation that the thread launches waits. It waits
        for the operation of another stream that was launched before and ended shortly before the start."""
        after = [self.first_after(lane, call.start) for lane in self.starts]
        after = [a for a in after if a is not None and a[2].event.launch.thread == call.thread]
        if not after:
            return
        target = min(after, key=lambda a: a[:2])[2]
        before = [self.last_before(lane, call.start) for lane in self.starts if lane != target.lane and lane[0] == target.lane[0]]
        before = [m for m in before if m is not None and 0 <= target.start - m.end <= LATENCY_CAP_NS]
        if before:
            self.put(target, max(before, key=lambda m: (m.end, -m.id)), True)
        else:
            self.graph.counts["wait_unresolved"] += 1
