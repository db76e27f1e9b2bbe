"""Rules about the recording itself (docs/definitions.md, section 15): R1 missing data, R2 too little to judge, R3 first
use, R4 edge of the recording. These rules are evaluated first, because the other rules judge only the time that they
leave."""
from .captures import capturing
from .findings import by_length, threshold
from .idle_reasons import AWAY, LONG_NS, reasons_of, use_of
from .intervals import contains, length, meet, minus, union
from .numbers import percent
from .rule_table import RULES
from .texts import count_text, percent_text, some, time_text

HUGE_NS = 100_000_000
LATE_HOST = ("A1", "A2", "A3", "A4", "A12", "A13", "H9")
MEMORY_RULES = ("D1", "D3", "D4")


class Record:
    """Reasons for the gaps of all devices."""

    def __init__(self, g):
        self.g, self.trace = g, g.trace
        self.reasons = [r for d in self.trace.devices for r in reasons_of(d)]
        self.all_ns = len(self.trace.devices) * self.trace.steps.ns
        sums = lambda reasons: sum(r.end - r.start for r in reasons)
        self.away_ns = sums(r for r in self.reasons if r.name in AWAY)
        self.queue_ns = sums(r for r in self.reasons if r.name in ("queue", "graph") and r.end - r.start > LONG_NS)
        self.waited_ns = sums(r for r in self.reasons if r.name == "unknown" and r.piece.next is not None and r.piece.next.launch is not None)
        self.huge_ns = sums(r for r in self.reasons if r.name == "host" and r.end - r.start > HUGE_NS)
        self.busy_ns = sum(d.share(d.busy) for d in self.trace.devices)
        self.left = union([r for d in self.trace.devices
                           for r in minus(self.trace.window, union([(r.start, r.end) for r in reasons_of(d) if r.name in AWAY]))])

    def share(self, ns):
        return percent(ns, self.all_ns)

    def short_time(self):
        """Returns the busy times of all devices, and their gaps below 1 ms."""
        out = []
        for d in self.trace.devices:
            gaps = []
            for p in d.idle:
                if gaps and gaps[-1][1] == p.start:
                    gaps[-1] = (gaps[-1][0], p.end)
                else:
                    gaps.append((p.start, p.end))
            out += [gap for gap in gaps if gap[1] - gap[0] < LONG_NS] + d.busy
        return union(out)


def note(g, rule, detail, evidence=(), advice=None, title=None):
    g.findings.add_without_ceiling(rule, "info", list(evidence), detail=detail, advice=advice, title=title)


def record_rules(g):
    if is_capture(g) or is_too_short(g):
        return
    r = Record(g)
    first_use(g, r)
    edge(g, r)
    if r.share(r.waited_ns) >= threshold("R1")["min_queue_pct"]:
        note(g, "R1", "For %s of the step time, the host waits for unrecorded device work: lost records, or conditional nodes of a "
             "graph." % percent_text(r.share(r.waited_ns)))


def leave_out_rules(g):
    g.findings.leave_out([rule for rule in RULES if rule != "R2" and rule not in MEMORY_RULES])


def is_capture(g):
    """Finds R2 (too little to judge) if graphs are captured during most of the analysed window. The time of captures is
    not judged."""
    idle = capturing(g.trace)
    if not idle:
        return False
    g.findings.judge(minus(g.window, idle), True)
    detail = "For %s of the step time, launches are captured into a graph and do not run." % percent_text(
        percent(length(idle), g.trace.steps.ns))
    g.findings.set_unjudged("capture", length(idle), detail)
    if g.findings.unjudged is None:
        return False
    leave_out_rules(g)
    note(g, "R2", detail, advice="Record the replay of the graphs: capture them before the recording begins, then record some replays.",
         title="Record the replay of the graphs, not only their capture")
    return True


def is_too_short(g):
    """Finds R2 (too little to judge) if the only step has few operations and the device is mostly idle."""
    th, whole = threshold("R2"), len(g.trace.devices) * g.trace.steps.ns
    busy = percent(sum(d.share(d.busy) for d in g.trace.devices), whole)
    if g.count > 1 or len(g.operations) > th["max_operations"] or busy >= th["max_busy_pct"]:
        return False
    leave_out_rules(g)
    detail = "The analysed step takes %s, has %s, and keeps the device busy for %s of the step time." % (
        time_text(g.trace.steps.ns), some(len(g.operations), "device operation", "device operations"), percent_text(busy))
    note(g, "R2", detail, by_length(g.operations))
    g.findings.set_unjudged("little", g.trace.steps.ns, detail)
    return True


def first_use(g, r):
    """Finds R3: time that is needed only at the first use."""
    th, trace = threshold("R3"), g.trace
    making = [c for c in trace.events.of["runtime"] if use_of(c.name) in ("allocate", "set-up")]
    blocked = [x for x in r.reasons if x.name == "blocked" and use_of(x.piece.next.launch.name) == "launch call"]
    setup_ns = length(meet(union([c.range for c in making]), trace.starved)) + sum(x.end - x.start for x in blocked)
    calls = by_length([c for c in making if contains(g.window, c.start)] + [x.piece.next.launch for x in blocked])
    is_first = percent(setup_ns, trace.steps.ns) > th["min_pct"] and is_at_first(trace, calls)
    has_parameters = any(e.name.startswith("[param|") for e in trace.events.of["annotation"])
    if not is_first and not (r.share(r.huge_ns) > th["min_gap_pct"] and has_parameters):
        return
    g.findings.judge(r.short_time(), True)
    g.findings.leave_out(LATE_HOST, "the recording contains the first use of the device")
    note(g, "R3", "The device is idle for %s %s, and other findings refer to the remaining %s." % (
        time_text(setup_ns if is_first else r.huge_ns),
        "during the set-up of its first use" if is_first else "in gaps of more than 100 ms", time_text(g.findings.judged_ns)), calls)
    g.findings.set_unjudged("first use", trace.steps.ns - g.findings.judged_ns)


def is_at_first(trace, calls):
    """Returns whether the longest calls are all in the first step. Calls in every step would not be one-time work."""
    first = trace.steps.used[0]
    return trace.steps.count < 2 or all(c.start < first.end for c in calls[:5])


def lead_of(g):
    """Returns the time between launch and start of the first operation in a recording without steps, ns; otherwise
    0."""
    first = g.operations[0] if g.operations else None
    return first.start - first.launch.end if first is not None and first.launch is not None and not g.trace.steps.marked else 0


def edge(g, r):
    """Finds R4 (edge of the recording). Also finds R1 (missing data) for operations that started long after their
    launch."""
    th, away, queue = threshold("R4"), r.share(r.away_ns), r.share(r.queue_ns)
    if away >= th["min_pct"]:
        is_much = away > th["much_pct"]
        g.findings.set_unjudged("edge", g.trace.steps.ns - length(meet(r.left, g.window)))
        g.findings.judge(r.left, is_much and not g.findings.has("R3"))
        longest = sorted((x for x in r.reasons if x.name in AWAY and x.piece.next is not None),
                         key=lambda x: (x.start - x.end, x.piece.next.pos))
        note(g, "R4", "For %s of the step time, it is unknown whether the device is idle or runs unrecorded operations.%s" % (
            percent_text(away), " The percentages in the other findings refer to the remaining time." if is_much else ""), [x.piece.next for x in longest])
    elif lead_of(g) > LONG_NS and percent(lead_of(g), g.trace.steps.ns) > th["much_pct"]:
        note(g, "R4", "The first recorded operation starts %s after its launch, because the device still runs operations from before the recording."
             % time_text(lead_of(g)))
    if queue >= threshold("R1")["min_queue_pct"]:
        note(g, "R1", "For %s of the step time, a launched operation waits for an event, or for work missing "
             "among %s recorded operations." % (percent_text(queue), count_text(len(g.operations))))
