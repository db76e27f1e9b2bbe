"""Threads in the replay graph: the reference thread, hand-overs to workers, edges between the nodes of threads
(docs/definitions.md, section 37, "Threads")."""
import bisect
import collections

from . import names
from .intervals import union, within
from .replay_nodes import Edge

HOLE_NS = 100_000                                          # a helper's silence of this length is no work
HANDOVER_NS = 10_000                                       # shorter gaps of the reference thread are no hand-over
ARRIVAL_NS = 1_000_000                                     # a batch of workers whose call took longer was not ready

# A worker is active in [first, last) inside of the gap of the reference thread. hull: of all workers in the gap.
Handover = collections.namedtuple("Handover", "worker first last gap hull_start hull_end")


def reference_thread(trace):
    """Returns the thread of the step markers, else the thread with the most forward ends of links to other threads,
    else the main thread, else the first thread. None: no thread."""
    marked = next((s.event.thread for s in trace.steps.found if s.event is not None), None)
    if marked is not None:
        return marked
    sources = collections.Counter(l[0] for l in trace.events.links if l[0] in trace.tree.threads and l[0] != l[2])
    if sources:
        return min(sources, key=lambda t: (-sources[t], str(t)))
    return trace.host_main if trace.host_main in trace.tree.threads else min(trace.tree.threads, key=str, default=None)


def find_workers(trace, reference):
    """Returns the threads that can work for the reference thread: backward ends of links, threads with backward
    operators, and threads that launch."""
    targets = {l[2] for l in trace.events.links if l[0] != l[2]}
    return [t for t, l in trace.tree.threads.items() if t != reference and (
        t in targets or any(e.kind == "operator" and names.BACKWARD.search(e.name) or e.operations for e in l))]


def gaps_of(events):
    """Returns the ranges in which a thread has no operator, call and loader call, after its first one."""
    work = union([e.range for e in events if e.kind in ("operator", "runtime") or e.kind == "annotation" and names.is_loader(e.name)])
    gaps = [(a, b) for (_, a), (b, _) in zip(work, work[1:])]
    return gaps + [(work[-1][1], max(e.end for e in events))] if work else gaps


def find_handovers(trace, reference):
    """Returns ({thread: holes}, [Handover]). A hole is time in which a thread does no work of its own."""
    threads, holes, found = trace.tree.threads, {}, []
    gaps = [gap for gap in gaps_of(threads.get(reference, [])) if gap[1] - gap[0] >= HANDOVER_NS]
    for worker in find_workers(trace, reference):
        active = union([e.range for e in threads[worker] if e.kind in ("operator", "runtime", "annotation") and not names.is_step(e.name)])
        for gap in gaps:
            mine = within(active, *gap)
            if mine and 2 * (mine[-1][1] - mine[0][0]) >= gap[1] - gap[0] and gap[0] < mine[0][0] and mine[-1][1] < gap[1]:
                found.append((worker, mine[0][0], mine[-1][1], gap[0]))
    hulls = {}
    for _, first, last, gap in found:
        start, end = hulls.get(gap, (first, last))
        hulls[gap] = (min(start, first), max(end, last))
    found.sort(key=lambda h: (h[1], str(h[0])))
    handovers = [Handover(*h, *hulls[h[3]]) for h in found]
    for thread, events in threads.items():
        active, starts = union([e.range for e in events]), {h.first for h in handovers if h.worker == thread}
        holes[thread] = [(a, b) for (_, a), (b, _) in zip(active, active[1:]) if b - a >= HOLE_NS or b in starts]
    holes[reference] = union(list(hulls.values()))
    return holes, handovers


def add_thread_edges(graph):
    """Adds edges between neighbours on a thread, edges of helpers to the reference thread, and edges of hand-overs."""
    for lane in graph.lanes.values():
        for a, b in zip(lane.nodes, lane.nodes[1:]):
            b.edges.append(Edge(a, "program"))
    for thread, lane in graph.lanes.items():
        if thread == graph.reference:
            for n in lane.nodes[:1]:
                n.anchored = True
        else:
            for n in first_after_holes(graph, thread, lane.nodes):
                follow(graph, n)
    for h in graph.handovers:
        add_handover(graph, h)


def first_after_holes(graph, thread, nodes):
    """Returns the thread's first node and the first node after each hole, except where a hand-over explains the
    start."""
    handed = {h.first for h in graph.handovers if h.worker == thread}
    return [n for i, n in enumerate(nodes) if (i == 0 or nodes[i - 1].end < n.start and n.kind != "wake") and n.start not in handed]


def follow(graph, n):
    """Adds an edge from the reference thread's node at the start of n. No record shows what n waited for, so n moves
    with the reference thread."""
    lane = graph.lanes[graph.reference]
    i = bisect.bisect_right(lane.starts, n.start) - 1
    if i < 0:
        n.anchored = True
    else:
        n.edges.append(Edge(lane.nodes[i], "follows", True, n.start - lane.starts[i], True))
        graph.counts["follows"] += 1


def add_handover(graph, h):
    """Adds the edge from the reference thread to the worker's first node, and the edge back after the worker's last
    node."""
    lane, worker = graph.lanes[graph.reference], graph.lanes[h.worker]
    before, target = lane.last_before(h.hull_start), worker.at(h.first)
    target.edges.append(Edge(before, "handover", False, max(0, target.start - before.end)))
    i = bisect.bisect_left(lane.starts, h.hull_end)
    if i < len(lane.nodes):
        source, n = worker.last_before(h.last), lane.nodes[i]
        if source.end <= n.start:
            n.edges.append(Edge(source, "return", False, n.start - source.end))
    graph.counts["handover"] += 1


def add_arrival_edges(graph):
    """Adds an edge at the measured end of each batch of loader workers that was not ready. Only the paced replay uses
    these edges."""
    reference = graph.lanes[graph.reference].nodes if graph.lanes else []
    for lane in graph.lanes.values():
        for n in lane.nodes:
            if reference and n.kind == "arrival" and n.event.length > ARRIVAL_NS:
                n.edges.append(Edge(reference[0], "arrival", True, n.end - reference[0].start))
