"""Rules about data parallelism and accumulation (docs/definitions.md, section 15): R5 micro-steps, E8 reductions of
micro-steps, E9 one rank, E10 buffers."""
from . import names
from .findings import by_length, threshold
from .intervals import contains, meet, minus, union
from .numbers import integer, p50
from .texts import count_text, some
from .tree import enclosing, operators_above

FORWARD = "DistributedDataParallel.forward"
FORWARDS = (FORWARD, "FullyShardedDataParallel.forward", "FSDP::root_pre_forward")
REDUCER = ("torch::distributed::reducer::", "torch.distributed.ddp.reducer::")
GRADIENT = names.AUTOGRAD_NODE + " torch::autograd::AccumulateGrad"
SHARDING = ("FSDP::", "FullyShardedDataParallel.")
AROUND = {"aten::" + n for n in ("flatten_dense_tensors unflatten_dense_tensors cat copy_ view narrow slice detach reshape "
                                 "as_strided empty to").split()}


# -------------------------------------------------------------------------------------------------------------- R5: micro-steps
def step_of(trace, at):
    """Returns the step whose marker contains a host time, or None."""
    return next((s for s in trace.steps.found if s.host_start <= at < s.host_end), None)


def marked_steps(trace, events):
    return {id(s) for s in (step_of(trace, e.start) for e in events) if s is not None and s.used}


class Accumulation:
    """Gradient accumulation. count: micro-steps per optimizer step, 0 without accumulation. updates: ids of the steps
    that update the parameters."""

    def __init__(self, trace):
        self.count, self.updates, self.at_least = 0, set(), False
        used = trace.steps.used
        main = trace.tree.threads.get(trace.host_main, [])
        if trace.steps.marker in ("window", "Optimizer.step") or len(used) < 2:
            return
        updates = marked_steps(trace, [e for e in main if e.name.startswith(names.OPTIMIZER_STEP)])
        zeroes = marked_steps(trace, [e for e in main if e.name.startswith(names.OPTIMIZER_ZERO_GRAD)])
        backward = marked_steps(trace, [e for e in trace.events.host if e.name.startswith(names.AUTOGRAD_NODE)])
        if not updates or 2 * len(updates) > len(used) or len(zeroes) == len(used) or len(backward) < len(used):
            return
        places = [i for i, s in enumerate(used) if id(s) in updates]
        distances = [b - a for a, b in zip(places, places[1:])]
        self.at_least = not distances
        count = p50(distances) if distances else max(places[0] + 1, len(used) - places[0])
        if count >= 2:
            self.count, self.updates = count, updates


def micro_steps(findings):
    """Finds R5: several micro-steps make one optimizer step."""
    found = Accumulation(findings.trace)
    if found.count >= threshold("R5")["min_micro_steps"]:
        used = findings.trace.steps.used
        updating, plain = [s for s in used if id(s) in found.updates], [s for s in used if id(s) not in found.updates]
        short, long = p50([s.length for s in plain]), p50([s.length for s in updating])
        least = "at least " if found.at_least else ""
        findings.add_without_ceiling("R5", "info", [s.event for s in updating], detail="An optimizer step of %s%s micro-steps "
                                     "takes %s%.2f ms, a micro-step %.2f ms, and one with the update %.2f ms." % (
                                         least, count_text(found.count), least, ((found.count - 1) * short + long) / 1e6, short / 1e6, long / 1e6))


# --------------------------------------------------------------------------------------------------- E8: reductions of micro-steps
class Span:
    def __init__(self, start):
        self.start, self.backward_end, self.zeroed, self.updates = start, None, None, False
        self.records, self.avoidable = [], False

    @property
    def volume(self):
        return len(self.records), sum(r.bytes or 0 for r in self.records)


def outermost_forwards(trace):
    out = []
    for events in trace.tree.threads.values():
        end = None
        for e in events:
            if e.name in FORWARDS and (end is None or e.start >= end):
                out.append(e.start)
                end = e.end
    return sorted(out)


def kind_of(record):
    name = record.name.lower()
    return next((k for k in ("all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter", "reducescatter", "all_to_all",
                             "alltoall", "broadcast", "bcast", "reduce", "send", "recv") if k in name), None)


def time_of(record):
    if not record.kernels:
        return record.start, record.end
    return min(k.start for k in record.kernels), max(k.end for k in record.kernels)


def around(e):
    """Returns an event and the events that are open at its start."""
    return [e] + [a for a in enclosing(e) if a.start <= e.start < a.end]


def is_reduction(trace, record, span, by_wrapper):
    if kind_of(record) not in ("all_reduce", "allreduce", "reduce_scatter", "reducescatter") or span.backward_end is None:
        return False
    if not by_wrapper:
        return record.start >= span.backward_end
    if record.on_device:
        return False
    if trace.program == "cpu" and record.event.inside is None:
        return True
    return any(a.name == GRADIENT or a.name.startswith(SHARDING) for a in around(record.event))


def spans_of(trace):
    starts = outermost_forwards(trace)
    by_wrapper = bool(starts)
    if not starts and Accumulation(trace).count:
        starts = [s.start for s in trace.steps.found]
    spans = [Span(s) for s in starts]
    at = lambda t: next((s for s in reversed(spans) if s.start <= t), None)
    for e in trace.events.host:
        span = at(e.start)
        if span is None:
            continue
        span.updates |= e.name.startswith(names.OPTIMIZER_STEP)
        if e.name.startswith(names.OPTIMIZER_ZERO_GRAD):
            span.zeroed = max(span.zeroed or e.start, e.start)
        if e.name.startswith(names.AUTOGRAD_NODE):
            span.backward_end = max(span.backward_end or e.end, e.end)
    for r in trace.collectives.records:
        span = at(r.start)
        if span is not None and is_reduction(trace, r, span, by_wrapper):
            span.records.append(r)
    return spans


def avoidable_spans(spans):
    following, out = None, []
    for span in reversed(spans):
        if span.updates:
            following = span
        elif span.zeroed is not None and (span.backward_end is None or span.zeroed > span.backward_end):
            following = None
        elif following is not None and span.records and span.volume == following.volume:
            out.append(span)
    return out


def each_micro_step(findings, exposed, reported):
    """Finds E8 (reductions of micro-steps). Returns the time that E8 explains."""
    trace = findings.trace
    if not any(e.name.startswith(names.OPTIMIZER_STEP) for e in trace.events.host):
        return []
    spans = spans_of(trace)
    avoidable = avoidable_spans(spans)
    if len(spans) < 2 or not avoidable or len(avoidable) < sum(s.updates for s in spans) // 2:
        return []
    records = [r for s in avoidable for r in s.records]
    whole = union([time_of(r) for r in records])
    ceiling = minus(meet(whole, exposed), reported)
    if findings.share(union(ceiling)) < threshold("E8")["min_pct"]:
        return []
    detail = "%s of %s backward passes %s gradients, although another backward pass follows before the optimizer step." % (
        count_text(len(avoidable)), count_text(len(spans)), "reduces" if len(avoidable) == 1 else "reduce")
    return whole if findings.add("E8", ceiling, by_length([r.event for r in records]), detail=detail) else []


# ------------------------------------------------------------------------------------------------- E9, E10: DistributedDataParallel
def is_alone(trace):
    distributed = trace.document.header.get("distributedInfo")
    if isinstance(distributed, dict) and integer(distributed.get("world_size")) is not None:
        return integer(distributed["world_size"]) == 1
    sizes = [integer(e.args.get("Group size")) for e in trace.events.host + trace.events.operations if e.args.get("Group size") is not None]
    return bool(sizes) and all(s == 1 for s in sizes)


def sync_of(forward, events):
    """Returns (time from the start of a forward range to its last buffer broadcast, the broadcasts)."""
    start = last = None
    broadcasts = []
    for e in events:
        if e is forward or e.start < forward.start or e.kind != "operator" or (last is not None and e.start < last):
            continue
        if e.start >= forward.end:
            break
        is_call = names.comm_backend(e.name) is not None
        if not is_call and e.name not in AROUND:
            break
        if is_call and "broadcast" in e.name:
            broadcasts.append(e)
        start, last = e.start if start is None else start, e.end
    return ([(start, last)] if broadcasts and last > start else []), broadcasts


def wrapper(findings, exposed, add):
    """Finds E9 (a wrapper with one rank) or E10 (buffers). Returns the time that the finding explains."""
    trace, count = findings.trace, findings.trace.steps.count
    forwards, sync, broadcasts = [], [], []
    for events in trace.tree.threads.values():
        for i, e in enumerate(events):
            if e.name == FORWARD and contains(trace.window, e.start):
                ranges, calls = sync_of(e, events[i:])
                forwards.append(e)
                sync += ranges
                broadcasts += calls
    if not forwards:
        return []
    on_device = trace.program == "gpu"
    sync = union(sync)
    if is_alone(trace):
        own = [e.range for e in trace.events.host if contains(trace.window, e.start)
               and (e.name.startswith(REDUCER) or e.kind == "operator" and names.comm_backend(e.name) == "c10d")]
        own = union(own + sync)
        whole = union((meet(own, trace.starved) if on_device else own) + exposed
                      + [k.range for k in trace.operations if contains(trace.window, k.start) and any(o.name.startswith(REDUCER) for o in operators_above(k.operator))])
        copies = sum(e.name.startswith(REDUCER) for e in trace.events.host if contains(trace.window, e.start))
        calls = sum(e.kind == "operator" and names.comm_backend(e.name) == "c10d" and "reduce" in e.name
                    for e in trace.events.host if contains(trace.window, e.start))
        detail = "The process group has one rank, but DistributedDataParallel makes %s and %s per step." % (
            some(copies // count, "gradient copy", "gradient copies"), some(calls // count, "reduction", "reductions"))
        return whole if add("E9", whole, by_length(forwards), info=True, detail=detail) else []
    records = [r for r in trace.collectives.records if "broadcast" in r.name and contains(sync, r.start)]
    sent = union([time_of(r) for r in records])
    ceiling = union(meet(sync, trace.starved) + meet(sent, exposed)) if on_device else sync
    if len(broadcasts) < threshold("E10")["min_per_step"] * count:
        return []
    if findings.share(union(ceiling)) < threshold("E10")["min_pct"]:
        return []
    detail = "Rank 0 sends %s per step before the forward passes." % some(len(broadcasts) // count, "broadcast", "broadcasts")
    return sent if add("E10", ceiling, by_length(broadcasts), detail=detail) else []


def parallel_rules(findings, exposed, add, reported=()):
    """Finds E8 to E10. Returns the communication that these and earlier rules explain, so that the rules E1 and H8 do
    not report it again."""
    reported = union(list(reported) + wrapper(findings, exposed, add))
    return union(reported + each_micro_step(findings, exposed, reported))
