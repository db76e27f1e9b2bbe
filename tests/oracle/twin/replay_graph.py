"""Makes the replay graph of one trace: the nodes of host threads and devices (docs/definitions.md, section 37, "Nodes")."""
import bisect
import collections

from . import names, replay_edges, replay_latency, replay_queue, replay_threads, replay_waits
from .idle import fold
from .intervals import length, minus, union, within
from .replay_nodes import Lane, Node, topological

OWN_DEFAULT_NS = 5_000                                     # host time of a blocked wait if every call of its name was blocked


class Graph:
    """nodes: host threads (the reference thread first), then device operations, then the wakes of a full queue.
    lanes: {thread: Lane}. node_of: {id(device operation): node}. waited: {id(call): Waited}. counts: how often a reason
    was found or missing. typical: {(kind, key): ns}. order: topological. problems: reasons why no replay exists."""

    def __init__(self, trace, first_id=0):
        self.trace, self.first_id, self.nodes, self.problems = trace, first_id, [], []
        self.lanes, self.node_of, self.counts, self.typical = {}, {}, collections.Counter(), {}
        self.sync = replay_waits.sync_records(trace)
        self.reference = replay_threads.reference_thread(trace)
        self.waited = replay_waits.waited_operations(self)
        self.holes, self.handovers = replay_threads.find_handovers(trace, self.reference)
        for thread in sorted(trace.tree.threads, key=lambda t: (t != self.reference, str(t))):
            self.add_thread(thread)
        for k in trace.operations:
            self.add_operation(k)
        for i, n in enumerate(self.nodes):
            n.id = first_id + i
        replay_threads.add_thread_edges(self)
        replay_edges.add_device_edges(self)
        replay_edges.add_wait_edges(self)
        replay_queue.add_queue_edges(self)
        replay_threads.add_arrival_edges(self)
        replay_latency.fit(self)
        self.order = topological(self.nodes)
        if len(self.order) < len(self.nodes):
            self.problems.append("cycle")

    def add_thread(self, thread):
        """Adds the nodes of a thread: one per launch, wait and batch of loader workers, and one for the time between
        them. Markers, other loader calls and holes divide the time between them."""
        events = self.trace.tree.threads[thread]
        special, cuts = self.special_events(thread, events)
        nodes, ranges, i = [], [], 0
        for start, end in minus([(events[0].start, max(e.end for e in events))], self.holes.get(thread, [])):
            at = start
            while at < end:
                while i < len(special) and special[i][0] < at:
                    i += 1                                 # begins inside of an earlier one
                following = special[i] if i < len(special) and special[i][0] < end else None
                if following is not None and following[0] == at:
                    i, stop = i + 1, min(following[1], end)
                    added = self.special_nodes(thread, at, stop, *following[2:])
                else:
                    stop = following[0] if following is not None else end
                    j = bisect.bisect_right(cuts, at)
                    stop = min([stop] + cuts[j:j + 1])
                    added = [Node(thread, "host", at, stop)]
                nodes += added
                ranges.append((added[0].start, added[0].end, added[0]))
                at = stop
        self.fill(thread, ranges)
        self.lanes[thread] = Lane(nodes)
        self.nodes += nodes

    def special_events(self, thread, events):
        """Returns [(start, end, kind of node, event)] in order of time, and the sorted times that divide host nodes."""
        special, cuts = [], set()
        for e in events:
            if e.kind == "runtime" and (e.operations or id(e) in self.waited):
                special.append((e.start, e.end, "wait" if id(e) in self.waited else "launch", e))
            elif e.kind in ("annotation", "operator") and names.is_loader(e.name):
                if "MultiProcessing" in e.name:
                    special.append((e.start, e.end, "input", e))
                else:
                    cuts.update((e.start, e.end))
        if thread == self.reference:
            for s in self.trace.steps.found:
                cuts.update((s.host_start, s.host_end))
        return sorted(special, key=lambda s: s[:2]), sorted(cuts)

    def special_nodes(self, thread, start, end, kind, event):
        """Returns the node of a launch, wait or batch, and the node of length 0 at the end of a wait or batch."""
        if kind == "wait":
            own = min(self.own_cost(event), end - start)
            return [Node(thread, "wait", start, start + own, event), Node(thread, "wake", end, end, event)]
        first = Node(thread, kind, start, end, event)
        return [first, Node(thread, "arrival", end, end, event)] if kind == "input" else [first]

    def own_cost(self, call):
        """Returns the host time of a waiting call without its wait: the lower median of calls of the same name that
        were not blocked."""
        if not self.waited[id(call)].blocked:
            return call.length
        return min(self.typical.get(("own", call.name), OWN_DEFAULT_NS), call.length)

    def fill(self, thread, ranges):
        """Sets parts and more of the nodes of a thread. In a program without a device, Python time during a collective
        of another thread is communication."""
        others = []
        if self.trace.program == "cpu":
            others = union([e.range for e in self.trace.events.host if e.thread != thread and names.is_collective(e.name)])
        python, last = [], None                            # Python time since the last operator, and this operator
        for start, stop, stack, node in self.trace.tree.segments(thread, [r for r in ranges if r[0] < r[1]]):
            label, ns = label_of(stack, node), stop - start
            operators = [e.name for e in stack if e.kind == "operator"]
            if operators:
                for before, before_ns in python:
                    for name in {operators[0], last}:
                        add(before.more, name, before_ns)
                python, last = [], operators[0]
                if label[0] in ("operator", "call", "launch"):
                    for name in set(operators) - ({label[1]} if label[0] == "operator" else set()):
                        add(node.more, name, ns)
            elif label[0] == "python":
                python.append((node, ns))
            if label[0] == "python":
                inside = length(within(others, start, stop))
                add(node.parts, ("communication", "[collective of another thread]"), inside)
                ns -= inside
            add(node.parts, label, ns)

    def add_operation(self, k):
        kind = "copy" if k.kind != "kernel" else "communication" if k.communication else "compute"
        n = Node((k.device, k.stream), kind, k.start, k.end, k)
        n.parts[(kind, k.name)] = k.length
        self.node_of[id(k)] = n
        self.nodes.append(n)


def add(sums, key, ns):
    if ns:
        sums[key] = sums.get(key, 0) + ns


def label_of(stack, node):
    """Returns (kind, name) of a moment of a thread: the loader around it, else the innermost call, collective or
    operator, else the line of the program."""
    loader = next((e for e in stack if e.kind in ("annotation", "operator") and names.is_loader(e.name)), None)
    if loader is not None and node.kind not in ("wait", "launch"):
        return ("input", loader.name)
    for e in reversed(stack):
        if e.kind == "runtime":
            return ("wait" if node.kind == "wait" else "launch" if names.LAUNCH_CALL.search(e.name) else "call", e.name)
        if e.kind in ("annotation", "operator") and names.is_collective(e.name):
            return ("communication", e.name)
        if e.kind == "operator":
            return ("operator", e.name)
    return ("python", fold(stack)[1])
