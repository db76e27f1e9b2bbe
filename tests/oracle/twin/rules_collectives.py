"""Rules about collectives (docs/definitions.md, section 15): E4 many small calls, E6 late parameters of a sharded
model, E7 one process for all devices."""
import collections

from . import names
from .findings import by_length, threshold
from .intervals import contains, length, meet, minus, union
from .numbers import integer, p50
from .overlap import ends_sooner, hideable
from .texts import bytes_text, count_text, percent_text, time_text
from .titles import title
from .tree import ancestors
from .wrapper import GRADIENT, SHARDING, kind_of, time_of

KINDS = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter", "alltoall": "all_to_all", "bcast": "broadcast"}
TINY_BYTES = 32 << 10
PRODUCTS = ("gemm", "attention", "convolution", "moe")
DATA_PARALLEL = ("Broadcast", "Scatter", "Gather", "ReduceAddCoalesced")


def kind_name(record):
    kind = kind_of(record)
    return KINDS.get(kind, kind)


def step_of_record(trace, record):
    """Returns the id of the step that contains the record's start; None: no step."""
    for s in trace.steps.found:
        start, end = (s.start, s.end) if record.on_device else (s.host_start, s.host_end)
        if start <= record.start < end:
            return id(s)
    return None


def with_ancestors(e):
    return [e] + [x for x in ancestors(e) if x.end > e.start]


def is_sharding(e):
    return any(x.name.startswith(SHARDING) for x in with_ancestors(e))


def exposed_of_devices(trace):
    return union([r for d in trace.devices for r in d.exposed_communication])


# -------------------------------------------------------------------------------------------------- E4: many small collectives
class Call:
    """A small collective. start, end: time of its kernels, or without kernels the time on the host from the dispatcher
    call on."""

    def __init__(self, trace, record):
        self.record, self.bytes, self.step = record, record.bytes, step_of_record(trace, record)
        self.start, self.end = time_of(record)
        self.issuer = None if record.on_device else record.event
        self.is_joinable = self.is_longest = False

    @property
    def ns(self):
        return self.end - self.start

    @property
    def key(self):
        """Returns the name and the group of the call. Only calls with equal keys can be merged."""
        return self.record.name, str((self.record.metadata or {}).get("Process Group Name"))

    @property
    def is_gradient(self):
        return self.issuer is not None and (is_sharding(self.issuer) or any(x.name == GRADIENT for x in with_ancestors(self.issuer)))


def is_small(trace, record):
    size = integer((record.metadata or {}).get("Group size"))
    return (0 < (record.bytes or 0) < threshold("E4")["max_bytes"] and kind_of(record) not in (None, "send", "recv") and size != 1
            and (trace.program == "cpu" or bool(record.kernels)) and contains(trace.window, record.start))


def small_calls(trace, dispatched):
    """Returns the small collectives. dispatched: dispatcher calls on the main thread, for programs without a device."""
    calls = []
    for record in trace.collectives.records:
        if not is_small(trace, record):
            continue
        call = Call(trace, record)
        earlier = [e for e in dispatched if e.start <= record.start]
        if earlier and earlier[-1].thread != record.event.thread:
            call.issuer = earlier[-1]
            if calls:                                    # a call starts at the earliest when the previous call ends
                call.start = max(min(call.start, call.issuer.start), min(call.start, calls[-1].end))
        calls.append(call)
    return calls


def join(calls, products):
    """Marks consecutive calls that could be merged into one."""
    last = {}
    for call in calls:
        before, last[call.key] = last.get(call.key), call
        if before is None or before.step != call.step:
            continue
        end = max(call.start, before.start + 1)
        if before.is_gradient and call.is_gradient or not any(before.start <= at < end for at in products):
            before.is_joinable = call.is_joinable = True


class Group:
    """Mergeable calls of one name and one group."""

    def __init__(self, calls):
        self.calls = calls
        tiny = [call.ns for call in calls if call.bytes <= TINY_BYTES]
        self.has_tiny, self.latency = bool(tiny), p50(tiny or [call.ns for call in calls])
        self.mean_bytes = sum(call.bytes for call in calls) // len(calls)
        longest = None
        # a merged call still waits for late ranks as long as the longest call of the step, so this call is not saved
        for call in calls:
            if longest is None or longest.step != call.step:
                longest = call
            elif call.ns > longest.ns:
                longest.is_longest, longest = False, call
            longest.is_longest = True

    def cost(self, call):
        return call.ns if call.bytes <= TINY_BYTES else min(call.ns, self.latency)

    def pairs(self):
        """Returns pairs of consecutive calls of the same step."""
        return [(a, b) for a, b in zip(self.calls, self.calls[1:]) if a.step == b.step]


def outermost_communication(e):
    """Returns (start, end) of the outermost host communication around an event."""
    whole = e
    for x in with_ancestors(e):
        if x.kind in ("operator", "annotation"):
            if not names.comm_backend(x.name):
                break
            whole = x
    return whole.range


def between_on_host(group):
    """Returns the time between consecutive calls in a loop over tensors, if it is shorter than a call."""
    return [(a.end, b.start) for a, b in group.pairs() if not b.is_gradient and b.start - a.end < group.latency]


def calls_on_host(group):
    """Returns the host time of each call but the first. If the work between two calls of a loop is shorter than the
    call, it is included."""
    out = []
    for a, b in group.pairs():
        if a.issuer is None or b.issuer is None:
            continue
        (_, done), (start, end) = outermost_communication(a.issuer), outermost_communication(b.issuer)
        is_loop = not b.is_gradient and done <= start and start - done < end - start
        out.append((done if is_loop else start, end))
    return out


def small_collectives(findings, products, dispatched, add):
    """Finds E4 (many small collectives). Returns the communication that E4 explains. products: start times of all
    matrix products."""
    th, trace = threshold("E4"), findings.trace
    calls, least = small_calls(trace, dispatched), th["min_per_step"] * trace.steps.count
    if len(calls) <= least:
        return []
    join(calls, products)
    found = collections.OrderedDict()
    for call in calls:
        found.setdefault(call.key, [])
        if call.is_joinable:
            found[call.key].append(call)
    groups = [Group(l) for l in found.values() if len(l) > least]
    if not groups:
        return []
    latency = union([(call.start, call.start + g.cost(call)) for g in groups for call in g.calls if not call.is_longest])
    if trace.program == "cpu":
        compute = union([e.range for e in trace.events.host if e.kind == "operator" and not names.comm_backend(e.name)])
        time = minus(latency, compute) + [r for g in groups for r in between_on_host(g)]
    else:
        time = meet(latency, exposed_of_devices(trace)) + meet(union([r for g in groups for r in calls_on_host(g)]), trace.starved)
    time = union(time)
    if findings.share(time) < th["min_pct"]:
        return []
    joined = [call for g in groups for call in g.calls]
    is_explained = add("E4", time, by_length([call.record.event for call in joined]), detail=detail_of(most_called(groups), trace.steps.count),
                       title=title_of(most_called(groups), trace.steps.count))
    return union([(call.start, call.end) for call in joined]) if is_explained else []


def most_called(groups):
    return max(groups, key=lambda g: len(g.calls))


def detail_of(group, steps):
    caller = "data-parallel wrapper" if any(call.is_gradient for call in group.calls) else "program"
    cost = "calls up to 32 KiB take %s (median)" if group.has_tiny else "the median call takes %s"
    return "The %s makes %s %s calls per step of %s on average, and %s." % (
        caller, count_text(len(group.calls) // steps), kind_name(group.calls[0].record), bytes_text(group.mean_bytes), cost % time_text(group.latency))


def title_of(group, steps):
    how = ": use larger buckets or blocks" if any(call.is_gradient for call in group.calls) else " into a few large ones"
    return title("Merge %s small %s calls a step%s", count_text(len(group.calls) // steps), kind_name(group.calls[0].record), how)


def small_on_host(c):
    """Finds E4 in a program without a device."""
    dispatched = [o for o in c.operators if names.comm_backend(o.name) == "c10d"]
    return small_collectives(c.findings, [o.start for o in c.operators if o.eligible], dispatched, c.claim)


def small_on_device(g):
    """Finds E4 in a program with devices."""
    return small_collectives(g.findings, [k.start for k in g.kernels if g.work.kind[id(k)] in PRODUCTS], [], g.claim)


# ------------------------------------------------------------------------------------------------------- E6: late parameters
def late_parameters(g, explained):
    """Finds E6 (late parameters of a sharded model). Returns the communication that E6 explains."""
    th, trace, exposed = threshold("E6"), g.trace, exposed_of_devices(g.trace)
    gathers = [r for r in trace.collectives.records if kind_name(r) == "all_gather" and not r.on_device and r.kernels
               and contains(g.window, r.start) and is_sharding(r.event)]
    step, later = None, []
    # the first gather of a step has no earlier work that could hide it
    for i, r in enumerate(gathers):
        is_first, step = i == 0 or step_of_record(trace, r) != step, step_of_record(trace, r)
        if not is_first and not contains(explained, time_of(r)[0]):
            later.append(r)
    bare = [r for r in later if 2 * length(meet(exposed, [time_of(r)])) >= time_of(r)[1] - time_of(r)[0]]
    whole = union([time_of(r) for r in later])
    share = g.findings.share(meet(exposed, whole))
    if len(gathers) < th["min_per_step"] * g.count or 2 * len(bare) < len(gathers) or share < th["min_pct"]:
        return []
    time = []
    for d in trace.devices:
        mine = meet(meet(whole, g.window), d.exposed_communication)
        time += ends_sooner(trace, d, hideable(trace, d, mine)) if mine else []
    detail = ("%s of %s parameter all-gathers run mostly without computation, and all of them do so for %s of the step time."
              ) % (count_text(len(bare)), count_text(len(gathers)), percent_text(share))
    return whole if g.findings.add("E6", union(time), by_length([r.event for r in later]), detail=detail) else []


# -------------------------------------------------------------------------------------------- E7: one process for all devices
def is_of_data_parallel(name):
    """Returns whether the name is a function of DataParallel, its backward node, or a frame of replicate.py."""
    node = names.AUTOGRAD_NODE + " "
    if name.startswith(node):
        return name[len(node):] in DATA_PARALLEL or name[len(node):] in [n + "Backward" for n in DATA_PARALLEL]
    found = names.frame_parts(name)
    return name in DATA_PARALLEL or found is not None and found[0].endswith("torch/nn/parallel/replicate.py")


def one_process(g):
    """Finds E7 (one process for all devices). Returns the communication that E7 explains."""
    trace = g.trace
    if len(trace.devices) < 2 or not any(e.name == "DataParallel.forward" for e in trace.events.of["annotation"]):
        return []
    events = [e for e in trace.events.host if contains(g.window, e.start) and is_of_data_parallel(e.name)]
    spread, exposed = union([e.range for e in events]), exposed_of_devices(trace)
    time = union(meet(spread, trace.starved) + exposed + [r for d in trace.devices for r in meet(spread, d.exposed_copy)])
    share = g.findings.share(time)
    if share < threshold("E7")["min_pct"]:
        return []
    detail = "One process uses %s devices, and copying model and data between the devices takes %s of the step time." % (count_text(len(trace.devices)), percent_text(share))
    return exposed if g.claim("E7", time, by_length(events), detail=detail) else []
