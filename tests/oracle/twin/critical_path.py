"""The critical path of a replay, and its shares (docs/definitions.md, section 37, "Critical path")."""
import collections

from .intervals import meet

DEVICE_KINDS = ("compute", "communication", "copy")
KINDS = ("operator", "python", "call", "launch", "wait", "input", *DEVICE_KINDS, "latency", "unexplained", "outside")
GROUP = {**dict.fromkeys(("operator", "python", "call", "launch", "wait"), "host"), "input": "input",
         **{kind: kind for kind in DEVICE_KINDS}, "latency": "latency", "unexplained": "unexplained", "outside": "unexplained"}
GROUPS = ("host", "input", *DEVICE_KINDS, "latency", "unexplained")
ROWS = 20

# reason: of the edge that the time belongs to, else None
Part = collections.namedtuple("Part", "start end kind name node reason")


def critical_path(r):
    """Returns the parts of the critical path from the end of W back to its start. They are disjoint and fill W."""
    if not r.steps:
        return []
    low, t = min(r.steps)[0], max(r.steps)[1]
    ends = [n for g in r.graphs for n in g.nodes if r.end[n.id] == t]
    node = max(ends, key=lambda n: (r.via[n.id] is not None, n.kind in DEVICE_KINDS, -n.id), default=None)
    out, is_whole = [], True                               # true: the path contains the node, not only its start
    while node is not None and t > low:
        if is_whole:
            for label, ns in sorted(node.parts.items(), reverse=True):
                ns = scaled(ns, r.change.factor(node, label))
                out.append(Part(t - ns, t, *label, node, None))
                t -= ns
        e = r.via[node.id]
        if e is None:
            break
        latency, residual = r.change.latency(node, e), r.residual(node, e)
        kind = "unexplained" if residual > 0 else "latency"
        out.append(Part(t - residual, t, kind, "before " + title(node), node, e.reason))
        t -= residual
        out += latency_parts(r, node, e, t - latency, t)
        t -= latency
        node, is_whole = e.source, not e.from_start
    out.append(Part(low, t, "outside", "before the first node", node, None))
    return [p._replace(start=a, end=b) for p in out if p.start < p.end for a, b in meet([(p.start, p.end)], r.window)]


def scaled(ns, factor):
    return ns * factor[0] // factor[1]


def latency_parts(r, node, e, start, end):
    """Returns the parts of an edge's latency. The latency of a launch is host time while its call runs. The time of an
    edge "follows" is in the node that it follows."""
    if e.reason == "follows" and e.source.parts:
        kind, name = max(e.source.parts, key=lambda label: (e.source.parts[label], label))
        return [Part(start, end, kind, name, node, e.reason)]
    if e.reason == "launch" and e.source.event is not None:
        cut = min(end, start + r.change.ns(e.source))
        return [Part(cut, end, "latency", "launch", node, e.reason), Part(start, cut, "launch", e.source.event.name, node, e.reason)]
    return [Part(start, end, "latency", e.reason, node, e.reason)]


def title(node):
    return node.event.name if node.event is not None else node.kind


def shares(path):
    """Returns ({kind: ns}, {(kind, name): ns}) of a path."""
    kinds, rows = dict.fromkeys(KINDS, 0), collections.Counter()
    for p in path:
        kinds[p.kind] += p.end - p.start
        rows[p.kind, p.name] += p.end - p.start
    return kinds, rows


def limit_of(kinds):
    """Returns (group with the largest share, {group: ns}). Of several equal groups, returns the first one."""
    groups = dict.fromkeys(GROUPS, 0)
    for kind, ns in kinds.items():
        groups[GROUP[kind]] += ns
    return max(GROUPS, key=lambda group: groups[group]), groups


def first_rows(rows):
    """Returns the rows with the most time."""
    order = sorted(rows.items(), key=lambda row: (-row[1], row[0]))
    return [{"kind": kind, "name": name, "ns": ns} for (kind, name), ns in order[:ROWS]]
