"""Stages of a pipeline that wait for each other (docs/definitions.md, section 15, rule E11)."""
from . import names
from .findings import by_length, threshold
from .intervals import contains, meet, minus, union
from .numbers import integer, percent
from .rules_between import is_backward
from .texts import count_text, percent_text
from .tree import operators_above

SENDS, RECEIVES = "send", "recv"
MAX_RANKS, LEAST_EXCHANGES = 1 << 24, 3
CALL, PRODUCT, NODE = range(3)


def directions_of(name):
    return {direction for direction in (SENDS, RECEIVES) if direction in name.lower()}


class Exchanges:
    """The exchanges with other ranks in one step. found: for each exchange, the set of its directions (SENDS,
    RECEIVES)."""

    def __init__(self):
        self.found, self.has_backward, self.sends_before_backward, self.is_new = [], False, False, True

    def read(self, kind, directions):
        self.has_backward |= kind == NODE
        self.is_new |= kind == PRODUCT
        if kind != CALL:
            return
        if self.is_new:
            self.found.append(set())
        self.found[-1] |= directions
        self.is_new = False
        self.sends_before_backward |= not self.has_backward and SENDS in directions

    def micro_batches(self):
        """Returns the number of micro-batches; 0: the process is not a pipeline stage in this step."""
        sending, receiving = (sum(direction in x for x in self.found) for direction in (SENDS, RECEIVES))
        if len(self.found) < LEAST_EXCHANGES or sending < 2 or receiving < 2 or len(self.found[0]) > 1 or len(self.found[-1]) > 1:
            return 0
        if self.found[0] == {SENDS}:
            return sending
        return (receiving + 1) // 2 if self.sends_before_backward and self.has_backward else receiving


def calls_of(trace):
    return [e for e in trace.events.host if e.kind in ("operator", "annotation") and names.comm_backend(e.name) and directions_of(e.name)]


def moments_of(trace, calls):
    moments = [(e.start, CALL, directions_of(e.name)) for e in calls]
    for o in trace.operators:
        if is_backward(o):
            moments.append((o.start, NODE, None))
        elif o.eligible:
            moments.append((o.start, PRODUCT, None))
    return sorted(moments, key=lambda m: m[:2])


def micro_batches_by_step(trace, calls):
    moments, out = moments_of(trace, calls), []
    for step in trace.steps.used:
        exchanges = Exchanges()
        for at, kind, directions in moments:
            if step.start <= at < step.end:
                exchanges.read(kind, directions)
        out.append(exchanges.micro_batches())
    return out


def kernels_of(trace):
    """Returns the kernels that send or receive, except kernels of an all-to-all."""
    def is_of_all(k):
        operator = k.launch.operator if k.launch is not None else None
        return any("alltoall" in o.name.lower() or "all_to_all" in o.name.lower() for o in operators_above(operator))
    return [k for k in trace.operations if k.kind == "kernel" and contains(trace.window, k.start) and k.communication
            and directions_of(k.name) and not is_of_all(k)]


def ranks_of(trace):
    """Returns (number of ranks, "group") of the group that sends and receives. Without such a group, returns (number of
    ranks, "job") of the job. The number is 0 if it is unknown."""
    for r in trace.collectives.records:
        size = integer((r.metadata or {}).get("Group size")) if directions_of(r.name) else None
        if size is not None and 1 < size <= MAX_RANKS:
            return size, "group"
    job = trace.document.header.get("distributedInfo")
    return (integer(job.get("world_size")) or 0 if isinstance(job, dict) else 0), "job"


def pipeline(findings, explained, idle, compute, add):
    """Finds E11 (waits between pipeline stages). Returns the communication that E11 explains. idle: idle time of the
    device. compute: compute time of the host, for programs without a device."""
    trace, th = findings.trace, threshold("E11")
    calls = calls_of(trace)
    if trace.steps.marker == "window" or not calls:
        return []
    counts = micro_batches_by_step(trace, calls)
    stages = [n for n in counts if n >= th["min_micro_batches"]]
    if not stages or 2 * len(stages) < len(counts):
        return []
    receiving = [e for e in calls if RECEIVES in directions_of(e.name)]
    receives = union([e.range for e in receiving])
    if trace.program == "cpu":
        evidence, time = [e for e in receiving if contains(trace.window, e.start)], minus(receives, compute)
    else:
        evidence = kernels_of(trace)
        exposed = union([r for d in trace.devices for r in d.exposed_communication])
        time = union(meet(union([k.range for k in evidence]), exposed) + meet(receives, idle))
    time = minus(time, explained)
    share = findings.share(time)
    if share < th["min_pct"]:
        return []
    count, (ranks, of) = max(counts), ranks_of(trace)
    detail = "Each step has %s micro-batches, and for %s of the step time the stage sends, receives or waits without computing." % (
        count_text(count), percent_text(share))
    if ranks > 1:
        detail += " If the %s ranks of the %s are stages, a schedule without interleaving leaves each stage idle for %s of the step time." % (
            count_text(ranks), of, percent_text(percent(ranks - 1, count + ranks - 1)))
    if not add("E11", time, by_length(evidence), detail=detail):
        return []
    return union([e.range for e in calls]) if trace.program == "cpu" else time
