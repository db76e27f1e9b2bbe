"""Answers of the replay: how much shorter the steps become after a change, and how sure that is (docs/definitions.md,
section 37, "Answers")."""
import collections

from .changes import Change, OtherDevice, Uncontended, WholeCall, WithoutWaits, parse_change, wait_groups
from .critical_path import critical_path, first_rows, limit_of, shares
from .joined_ranks import AsMedian, DIFFERENT, join
from .numbers import percent
from .part import replayed
from .quality import is_host_slowed
from .replay import Replay
from .replay_graph import Graph

LEVELS = ("high", "medium", "low")
FIRST_CHANGES = ("host=1/2", "launches=0", "graph=0", "waits=0", "input=0", "copies=0", "communication=0", "overlap")
# kind of part without which a change has nothing to change
NEEDED = {"launches=0": "launch", "graph=0": "launch", "waits=0": "wait", "input=0": "input", "copies=0": "copy",
          "communication=0": "communication", "overlap": "communication"}
ROW_CHANGES = (("compute", "kernel:%s=1/2"), ("operator", "operator:%s=0"), ("python", "line:%s=0"))
MOST_ROWS = 3                                              # changes of each kind of row, and changes of waits


def usual_changes(graph, rows):
    """Returns the changes that the critical path suggests. rows: {(kind, name): ns} of the path."""
    present = {label[0] for n in graph.nodes for label in n.parts}
    out = [parse_change(text) for text in FIRST_CHANGES if NEEDED.get(text) in present | {None}]
    for kind, text in ROW_CHANGES:
        top = sorted(((name, ns) for (k, name), ns in rows.items() if k == kind), key=lambda row: (-row[1], row[0]))
        out += [parse_change(text % name) for name, _ in top[:MOST_ROWS]]
    blocked = blocked_ns(graph)
    groups = sorted((-sum(blocked[call] for call in calls), key, calls) for key, calls in wait_groups(graph).items())
    for _, (line, api), calls in groups[:MOST_ROWS]:
        out.append(WithoutWaits("wait:%s %s" % (api, line), "no %s in %s" % (api, line or "any operator"), calls))
    return out


def blocked_ns(graph):
    """Returns {id(call): time from the end of the node before its wake}."""
    out = collections.Counter()
    for lane in graph.lanes.values():
        for before, n in zip(lane.nodes, lane.nodes[1:]):
            if n.kind == "wake":
                out[id(n.event)] += n.start - before.end
    return out


class Answer:
    """The graph of a trace, or of several joined ranks, its replays without a change, its confidence. withheld: reasons
    why the replay gives no answers. measured: |W|."""

    def __init__(self, graphs, is_part=False):
        self.graphs, self.graph, self.is_part = graphs, graphs[0], is_part
        self.is_host_slowed = is_host_slowed(self.graph.trace)
        self.kept, self.bare = Replay(graphs, Change()), Replay(graphs, Change(), bare=True)
        steps = self.graph.trace.steps
        self.measured, self.count = steps.ns, max(1, steps.count)
        self.wrong = sum(self.kept.start[n.id] != n.start or self.kept.end[n.id] != n.end for g in graphs for n in g.nodes)
        self.path = critical_path(self.kept)
        self.kinds, self.rows = shares(self.path)
        self.limit, self.groups = limit_of(self.kinds)
        self.inferred = sum(p.end - p.start for p in self.path if p.reason is not None and self.kept.via[p.node.id].inferred)
        self.bare_error = self.share(self.bare.ns - self.measured)
        self.unexplained = self.share(self.groups["unexplained"])
        counts = self.graph.counts
        self.unlaunched = counts["without_launch"] + counts["before_launch"]
        self.withheld = self.reasons_to_withhold()
        self.confidence = "withheld" if self.withheld else LEVELS[min(self.marks(), 2)]

    def share(self, ns):
        return percent(ns, self.measured)

    def reasons_to_withhold(self):
        operations, out = len(self.graph.trace.operations), [p for p in self.graph.problems if p == DIFFERENT]
        if set(self.graph.problems) - {DIFFERENT} or self.wrong or self.kept.ns != self.measured:
            out.append("the replay does not reproduce the trace (%d nodes)" % self.wrong)
        if not self.measured:
            out.append("no window")
        if self.unlaunched * 2 > operations:
            out.append("%d of %d operations have no usable launch" % (self.unlaunched, operations))
        if self.unexplained > 20:
            out.append("%.0f %% of the critical path is unexplained" % self.unexplained)
        if abs(self.bare_error) > 10:
            out.append("without residuals the replay misses the step by %.0f %%" % self.bare_error)
        if self.share(self.inferred) > 50:
            out.append("%.0f %% of the critical path hangs on inferred edges" % self.share(self.inferred))
        return out

    def marks(self):
        """Returns the number of reasons to doubt the answers."""
        g = self.graph
        return sum((self.unexplained > 5, abs(self.bare_error) > 2, self.share(self.inferred) > 10, g.trace.steps.count < 2 or self.is_part,
                    g.counts["wait_unresolved"] * 4 > g.counts["event"] + g.counts["event_inferred"],
                    self.unlaunched * 20 > len(g.trace.operations)))

    def further_gains(self, change):
        """Returns the gains of other readings of a change. They widen the range of the answer."""
        replays = []
        if any(n.kind == "arrival" for n in self.graph.nodes):
            replays.append(Replay(self.graphs, change, paced=True))
        if change.name.startswith("operator:"):
            replays.append(Replay(self.graphs, WholeCall(change)))
        if change.name in ("communication=0", "overlap"):
            replays.append(Replay(self.graphs, Uncontended(change, self.graphs)))
        if isinstance(change, OtherDevice):
            replays.append(Replay(self.graphs, OtherDevice(change.old, change.new, least=True)))
        return [self.measured - r.ns for r in replays]

    def is_about_host(self, change):
        """Returns whether the change has another factor than 1 for an operator, Python code, a call or a launch."""
        return any(change.factor(n, label) != (1, 1) for g in self.graphs for n in g.nodes for label in n.parts
                   if label[0] in ("operator", "python", "call", "launch"))

    def confidence_of(self, change, width):
        if change.unsure and self.confidence != "withheld":
            return "low"
        if width * 10 > self.measured or self.is_host_slowed and self.is_about_host(change):
            return {"high": "medium", "medium": "low"}.get(self.confidence, self.confidence)
        return self.confidence

    def ask(self, change):
        """Returns the answer to a change: step and gain of one step, the range of the gain, and what limits the steps
        then."""
        kept, bare = Replay(self.graphs, change), Replay(self.graphs, change, bare=True)
        gains = [self.measured - kept.ns, self.bare.ns - bare.ns] + self.further_gains(change)
        low, high = max(0, min(gains)), max(0, max(gains))
        limit, groups = limit_of(shares(critical_path(kept))[0])
        return {"change": change.name, "text": change.text, "step_ns": kept.ns // self.count, "gain_ns": gains[0] // self.count,
                "gain_low_ns": low // self.count, "gain_high_ns": high // self.count, "gain_percent": self.share(gains[0]),
                "then": limit, "then_percent": percent(groups[limit], kept.ns), "confidence": self.confidence_of(change, high - low)}

    def view(self, changes=None):
        """Returns what_if_view: the graph, its replay, its critical path, and the answers to the changes. None: the usual
        changes. A withheld replay has no answers."""
        g = self.graph
        if changes is None and not self.withheld:
            changes = usual_changes(g, self.rows)
        reasons = collections.Counter(e.reason for n in g.nodes for e in n.edges)
        return {"confidence": self.confidence, "withheld": self.withheld,
                "graph": {"nodes": len(g.nodes), "edges": sum(reasons.values()), "by_reason": dict(reasons), "counts": dict(g.counts),
                          "latency_ns": {"%s %s" % key: ns for key, ns in sorted(g.typical.items(), key=str)}},
                "replay": {"nodes_wrong": self.wrong, "kept_error_ns": self.kept.ns - self.measured, "bare_error_percent": self.bare_error,
                           "unexplained_percent": self.unexplained, "inferred_percent": self.share(self.inferred)},
                "critical": {"limit": self.limit, "groups_ns": self.groups, "kinds_ns": self.kinds,
                             "host_share": self.share(self.groups["host"]), "rows": first_rows(self.rows)},
                "what_if": [] if self.withheld else [self.ask(c) for c in changes]}


def answer_of(traces, is_part=False):
    """Returns the Answer of one trace, or of the joined traces of several ranks. is_part: the trace is a part (part.py)."""
    graphs = []
    for trace in traces:
        graphs.append(Graph(trace, sum(len(g.nodes) for g in graphs)))
    if len(graphs) > 1:
        join(graphs)
    return Answer(graphs, is_part)


def what_if_view(traces, changes=None):
    """Returns what_if_view of one trace or of several ranks. changes: texts; None: the usual changes, or for several
    ranks each rank as fast as the median."""
    answer = answer_of(traces)
    if changes is None and len(traces) > 1:
        changes = ["rank:%d" % i for i in range(len(traces))]
    return answer.view(None if changes is None else [change_of(answer.graphs, text) for text in changes])


def reported_view(trace):
    """Returns what_if_view of a report, which replays some steps of a large trace."""
    trace, part = replayed(trace)
    view = answer_of([trace], part is not None).view()
    return {"part": part, "steps": max(1, trace.steps.count), **view} if part else view


def change_of(graphs, text):
    return AsMedian(graphs, int(text[5:])) if text.startswith("rank:") else parse_change(text, graphs)
