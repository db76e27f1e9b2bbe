"""Joins the replay graphs of several ranks at their collectives (docs/definitions.md, section 37, "Several ranks")."""
import collections

from .changes import Change
from .critical_path import GROUP
from .replay_nodes import Edge, Node


DIFFERENT = "the ranks have different collectives on their devices, or none"


def collectives_of(graph):
    """Returns {(group, name, number in the group): node} of the communication kernels."""
    seen, out = collections.Counter(), {}
    for k in graph.trace.operations:
        if k.communication:
            key = str(k.args.get("Process Group Name", k.stream)), k.name.split("(")[0]
            out[(*key, seen[key])] = graph.node_of[id(k)]
            seen[key] += 1
    return out


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def join(graphs):
    """Divides each collective into the arrival of each rank and the transfer after the last arrival. Returns the number
    of collectives. 0: the ranks do not have the same collectives."""
    found = [collectives_of(g) for g in graphs]
    shared = sorted((key for key in found[0] if all(key in f for f in found)), key=str)
    if not shared or any(len(f) != len(shared) for f in found):
        graphs[0].problems.append(DIFFERENT)
        return 0
    for g, mine in zip(graphs, found):                     # the ranks have no common clock, so the collectives' ends align them
        shift = lower_median([found[0][key].end - mine[key].end for key in shared])
        for n in g.nodes:
            n.start, n.end = n.start + shift, n.end + shift
    next_id, arrival_of = sum(len(g.nodes) for g in graphs), {}
    for key in shared:
        arrival_of.update(join_collective(graphs, [f[key] for f in found], next_id))
        next_id += len(graphs)
    for e in [e for g in graphs for n in g.nodes for e in n.edges if e.from_start]:
        e.source = arrival_of.get(e.source.id, e.source)   # the start of a collective is now its arrival
    return len(shared)


def join_collective(graphs, nodes, next_id):
    """Makes the arrivals of a collective. The transfer is the shortest time that a rank spent in the collective. Returns
    {id of the transfer: arrival}."""
    transfer, arrivals = min(n.length for n in nodes), []
    for g, n in zip(graphs, nodes):
        a = Node(n.lane, "arrive", n.start, n.start)
        a.id, a.edges, a.anchored = next_id + len(arrivals), n.edges, n.anchored
        n.start, n.anchored, n.parts = n.end - transfer, False, {label: transfer for label in n.parts}
        g.nodes.append(a)
        arrivals.append(a)
    for n, a in zip(nodes, arrivals):
        n.edges = [Edge(a, "program")] + [Edge(b, "peer", False, min(0, n.start - b.end)) for b in arrivals if b is not a]
        decided = max(n.edges, key=lambda e: e.time() + e.latency)
        decided.residual = n.start - decided.time() - decided.latency
    return {n.id: a for n, a in zip(nodes, arrivals)}


class AsMedian(Change):
    """The host work and the compute of one rank take the lower median of all ranks."""

    def __init__(self, graphs, rank):
        self.name, self.text = "rank:%d" % rank, "rank %d as fast as the median" % rank
        self.ids, self.factors = {n.id for n in graphs[rank].nodes}, {}
        for group in ("host", "compute"):
            sums = [sum(ns for n in g.nodes for (kind, _), ns in n.parts.items() if GROUP[kind] == group) for g in graphs]
            self.factors[group] = (lower_median(sums), sums[rank]) if sums[rank] else (1, 1)

    def factor(self, node, label):
        return self.factors.get(GROUP[label[0]], (1, 1)) if node.id in self.ids else (1, 1)
