"""Exposed communication that the device's compute could hide, and how much earlier the steps would then end
(docs/definitions.md, section 15, "What overlap can hide")."""
import collections

from .device import PROMPT_NS
from .intervals import length, meet, minus, prefix, union
from .tree import operators_above

MAX_DEVICES = 64
NODE = "autograd::engine::evaluate_function:"


def hideable(trace, device, exposed):
    """Returns the exposed communication that compute could hide. Each part of an analysed step can hide at most as much time
    as its compute without communication takes."""
    if len(trace.devices) > MAX_DEVICES:
        return exposed
    free, out = minus(device.compute, device.communication), []
    for step in trace.steps.used:
        for part in parts(device, step):
            out += prefix(meet(exposed, [part]), length(meet(free, [part])))
    return union(out)


def parts(device, step):
    """Returns the parts of a step. If the step has a single backward pass, it is divided at the first kernel of that
    pass."""
    kernels = [k for k in device.kernels if step.start <= k.start < step.end and k.launch is not None and not k.communication]
    backward = [i for i, k in enumerate(kernels) if any(o.name.startswith(NODE) for o in operators_above(k.launch.operator))]
    if not backward or backward[-1] - backward[0] + 1 > len(backward):
        return [(step.start, step.end)]
    start = kernels[backward[0]].start
    return [(step.start, start), (start, step.end)]


def ends_sooner(trace, device, pieces):
    """Returns the part of the hidden time by which the steps end sooner. The steps end sooner only if the next work is
    launched early enough, or if the host waited for the device and so would launch earlier."""
    if len(trace.devices) > MAX_DEVICES:
        return pieces
    moments = [(a, 0, b) for a, b in pieces]
    moments += [(call.end, 1, call.length) for call in blocking(trace, device)]
    starting, main = collections.defaultdict(list), main_stream(device)
    for k in device.kernels:
        if k.length and not k.communication and k.stream == main:
            starting[k.start].append(k)
    moments += [(a, 2, launch_lead_ns(starting[a], a)) for a, _ in device.compute]
    kept, lead, host = [], 0, 0
    for at, kind, value in sorted(moments, key=lambda m: m[:2]):
        if kind == 0:
            kept.append((at, value))
            lead += value - at
        elif kind == 1:
            host = min(lead, host + value)
        elif value is not None and lead > host + value:
            lead = host + value
            kept = prefix(kept, lead)
    return union(kept)


def blocking(trace, device):
    """Returns calls that wait for the device, and calls of at least PROMPT_NS that launch an operation on the device,
    such as a copy to the host or a launch into a full queue."""
    waits = [w.call for w in trace.waits if w.device == device.number]
    known = {id(call) for call in waits}
    slow = [e for events in trace.tree.threads.values() for e in events if e.kind == "runtime" and e.length >= PROMPT_NS and id(e) not in known
            and e.operations and e.operations[0].device == device.number]
    return waits + slow


def main_stream(device):
    """Returns the stream with the most compute time. If several streams have equally much, returns the one with the
    smallest number."""
    ns = collections.Counter()
    for k in device.kernels:
        if not k.communication:
            ns[k.stream] += k.length
    return min(ns, key=lambda stream: (-ns[stream], isinstance(stream, str), stream), default=None)


def launch_lead_ns(kernels, start):
    """Returns the longest time between the end of a kernel's launch and `start`, ns; None: a launch is unknown."""
    if not kernels or any(k.launch is None for k in kernels):
        return None
    return max(max(0, start - k.launch.end) for k in kernels)
