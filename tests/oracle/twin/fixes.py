"""Fixes of findings, and their prices by replay (docs/definitions.md, section 37, "Fixes")."""
from .changes import Change, Uncontended
from .critical_path import critical_path, limit_of, shares
from .intervals import length, within
from .numbers import percent
from .replay import Replay

WHOLE = 1_000_000
LEAST_PERCENT = 0.5                                        # a gain below this share of the step has no effect
HOST_WORK = ("host", "launch")


class Fix:
    """What a fix removes. operations, calls: [(event, part of its time)]. host: times in which work of the host goes
    away. kept: None, or times outside of which at most all work of the host goes away. Parts are millionths. low, high:
    the least and the greatest share that the fix removes of all this. communication: at most, all communication is hidden."""

    def __init__(self, operations=(), calls=(), host=(), kept=None, input=False, communication=False):
        self.operations, self.calls = {}, {}
        for found, items in ((self.operations, operations), (self.calls, calls)):
            for event, part in items:
                found[id(event)] = max(part, found.get(id(event), 0))
        self.host, self.kept, self.input, self.communication = host, kept, input, communication
        self.low = self.high = WHOLE
        self.inside = {}                                   # {(id of a node, is_least): part}

    def host_part(self, node, is_least):
        """Returns the part of a node's time that is work of the host and goes away, millionths."""
        key = (node.id, is_least)
        if key not in self.inside:
            whole_ns = node.end - node.start
            ns = length(within(self.host, node.start, node.end))
            if self.kept is not None and not is_least:
                ns = whole_ns - length(within(self.kept, node.start, node.end))
            self.inside[key] = rate(ns, whole_ns)
        return self.inside[key]

    def part(self, node, is_least):
        """Returns the part of a node's time that the fix removes, millionths."""
        part = 0
        if node.kind in ("compute", "communication", "copy"):
            part = self.operations.get(id(node.event), 0)
        elif node.kind in ("launch", "wait", "wake"):
            part = self.calls.get(id(node.event), 0)
        if node.kind in HOST_WORK and (self.host or self.kept is not None):
            part = max(part, self.host_part(node, is_least))
        return part * (self.low if is_least else self.high) // WHOLE


def whole(events):
    return [(e, WHOLE) for e in events]


def rate(part, length):
    """Returns a part of a length in millionths."""
    return WHOLE * part // length if length else 0


class Fixes(Change):
    """Makes several fixes. Each removes its least share, or its greatest share. The same time is removed at most once."""

    def __init__(self, fixes, is_least=False):
        self.fixes, self.is_least = fixes, is_least
        self.overlap = any(f.communication for f in fixes) and not is_least
        self.frees_input = any(f.input for f in fixes)
        self.spares_host = any(f.kept is not None for f in fixes)

    def saved(self, node):
        return max((f.part(node, self.is_least) for f in self.fixes), default=0)

    def factor(self, node, label):
        if label[0] == "input":
            return (0, 1) if self.frees_input else (1, 1)
        if label[0] == "communication":
            if self.overlap:
                return (0, 1)
            if node.kind != "communication":
                return (1, 1)
        return (WHOLE - self.saved(node), WHOLE)

    def drops(self, node, edge):
        return edge.reason == "wait" and self.saved(node) == WHOLE or edge.reason == "arrival" and self.frees_input

    def latency(self, node, edge):
        return 0 if edge.reason == "launch" and self.spares_host and not self.is_least else edge.latency


class AlsoUncontended(Uncontended):
    """Fixes, and compute takes as long as without communication next to it."""

    def factor(self, node, label):
        ours, alone = self.change.factor(node, label), self.alone.get(node.id)
        return ours if alone is None or ours[0] * alone[1] <= alone[0] * ours[1] else alone


class Pricing:
    """Prices fixes for an Answer that is not withheld."""

    def __init__(self, answer):
        self.answer, self.graphs = answer, answer.graphs
        self.has_arrivals = any(n.kind == "arrival" for n in answer.graph.nodes)

    def gains(self, fixes):
        """Returns ({reading: gain of W}, the kept replay)."""
        a, change = self.answer, Fixes(fixes)
        kept = Replay(self.graphs, change)
        out = dict.fromkeys(("kept", "bare", "paced", "least", "uncontended"), a.measured - kept.ns)
        out["bare"] = a.bare.ns - Replay(self.graphs, change, bare=True).ns
        if self.has_arrivals:
            out["paced"] = a.measured - Replay(self.graphs, change, paced=True).ns
        if any(f.low != f.high or f.kept is not None or f.communication for f in fixes):
            out["least"] = a.measured - Replay(self.graphs, Fixes(fixes, is_least=True)).ns
        if change.overlap:
            out["uncontended"] = a.measured - Replay(self.graphs, AlsoUncontended(change, self.graphs)).ns
        return out, kept

    def range(self, gains):
        return max(0, min(gains.values())) // self.answer.count, max(0, max(gains.values())) // self.answer.count

    def has_effect(self, gains):
        return percent(max(0, max(gains.values())), self.answer.measured) >= LEAST_PERCENT

    def prices(self, fixes):
        """Returns ([price], price of all). fixes: in the order of the list of findings."""
        out, before, chosen, totals = [], None, [], []
        for fix in fixes:
            chosen.append(fix)
            alone, (total, kept) = self.gains([fix])[0], self.gains(chosen)
            more = minus(total, before) if before else total
            limit, groups = limit_of(shares(critical_path(kept))[0])
            price = dict(zip(("gain_low_ns", "gain_high_ns"), self.range(alone)), step_ns=kept.ns // self.answer.count, then=limit,
                         then_percent=percent(groups[limit], kept.ns))
            gone = self.gone_with(fix, chosen[:-1], totals) if before and self.has_effect(alone) and not self.has_effect(more) else None
            out.append((price, self.range(more), gone))
            before = total
            totals.append(total)
        low, high = self.range(before)
        last = out[-1][0]
        return out, {"gain_low_ns": low, "gain_high_ns": high, **{key: last[key] for key in ("step_ns", "then", "then_percent")}}

    def gone_with(self, fix, earlier, totals):
        """Returns the position of the first fix that, with those before it, leaves no effect for this one."""
        for i in range(len(earlier)):
            if not self.has_effect(minus(self.gains(earlier[:i + 1] + [fix])[0], totals[i])):
                return i
        return None


def minus(more, less):
    return {key: more[key] - less[key] for key in more}
