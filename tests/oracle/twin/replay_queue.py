"""The launch queue of a device: a launch that finds the queue full waits (docs/definitions.md, section 37, "Edges")."""
import bisect
import collections

from .numbers import p50
from .replay_nodes import Edge, Lane, Node
from .replay_waits import latest_end

MIN_DEPTH = 256                                            # smaller queues are not known
LONG_NS, LONG_FACTOR = 20_000, 4                           # a launch call is long from both of these lengths on
MIN_LONG_CALLS = 8


def add_queue_edges(graph):
    """Finds the length of each device's queue. Counts the longest one."""
    for device in sorted({k.device for k in graph.trace.operations}):
        calls = {}
        for k in graph.trace.operations:
            if k.device == device and k.launch is not None:
                calls.setdefault(id(k.launch), (k.launch, []))[1].append(k)
        row = sorted(calls.values(), key=lambda c: (c[0].start, c[0].pos))
        depth = queue_depth(row)
        if depth:
            graph.counts["queue_depth"] = max(graph.counts["queue_depth"], depth)
            wait_for_queue(graph, row, depth)


def usual_lengths(row):
    """Returns {name of a launch call: lower decile of its lengths}. With a full queue, even the median call waits."""
    lengths = collections.defaultdict(list)
    for call, _ in row:
        lengths[call.name].append(call.length)
    return {name: sorted(l)[(len(l) - 1) // 10] for name, l in lengths.items()}


def queue_depth(row):
    """Returns the number of launches that fit in the queue: the lower median of the launches without an end when a long
    call returned. row: [(call, its operations)] of a device in order of time. 0: the long calls do not agree."""
    if len(row) < MIN_DEPTH:
        return 0
    usual, ends = usual_lengths(row), sorted(latest_end(operations).end for _, operations in row)
    pending = [i + 1 - bisect.bisect_right(ends, call.end) for i, (call, _) in enumerate(row)
               if call.length >= LONG_NS and call.length >= LONG_FACTOR * usual[call.name]]
    pending = [p for p in pending if p >= MIN_DEPTH]
    if len(pending) < MIN_LONG_CALLS:
        return 0
    depth = p50(pending)
    near = [p for p in pending if abs(p - depth) * 8 <= depth]
    return depth if 2 * len(near) > len(pending) else 0


def wait_for_queue(graph, row, depth):
    """Divides each launch that may have waited: its usual length, then a wake that waits for the end of the operation
    that is `depth` launches earlier."""
    usual, found = usual_lengths(row), collections.defaultdict(list)
    for i in range(depth, len(row)):
        call, source = row[i][0], latest_end(row[i - depth][1])
        n = graph.lanes[call.thread].at(call.start)
        if n is not None and n.kind == "launch" and n.event is call and source.end <= call.end:
            if call.length > 2 * usual[call.name] and source.end > call.start:
                n.parts = {label: min(ns, usual[call.name]) for label, ns in n.parts.items()}
                n.end = n.start + usual[call.name]
            found[call.thread].append((n, graph.node_of[id(source)]))
    for thread, launches in found.items():
        insert_wakes(graph, thread, launches)


def insert_wakes(graph, thread, launches):
    """Inserts a wake after each launch, from the last one on. launches: [(launch, operation that it waits for)]."""
    nodes = list(graph.lanes[thread].nodes)
    position = {n.id: i for i, n in enumerate(nodes)}
    for n, source in sorted(launches, key=lambda launch: -position[launch[0].id]):
        i = position[n.id] + 1
        wake = Node(thread, "wake", n.event.end, n.event.end, n.event)
        wake.id = graph.first_id + len(graph.nodes)
        wake.edges = [Edge(n, "program"), Edge(source, "queue", False, 0, False, "queue")]
        for e in nodes[i].edges if i < len(nodes) else ():
            if e.reason == "program":
                e.source = wake
        nodes.insert(i, wake)
        graph.nodes.append(wake)
    graph.lanes[thread] = Lane(nodes)
