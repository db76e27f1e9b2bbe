"""What calls wait for: records of category cuda_sync, and the operations that a waiting call waits for
(docs/definitions.md, section 37, "Edges")."""
import collections

from . import names
from .numbers import integer, p50

LATENCY_CAP_NS = 20_000                                    # an inferred wait ends at most this long after its operation
SKEW_NS = 1_000                                            # error of the clocks of host and device

# operations: the last one before the call on each stream. blocked: an operation was still running when the call began.
Waited = collections.namedtuple("Waited", "operations inferred blocked")
Sync = collections.namedtuple("Sync", "kind stream device on_stream record")


def sync_records(trace):
    """Returns {correlation of a call: Sync} of the records of category cuda_sync."""
    out = {}
    for d in trace.document.events:
        if isinstance(d, dict) and d.get("cat") == "cuda_sync" and isinstance(d.get("args"), dict):
            a = d["args"]
            out[integer(a.get("correlation"))] = Sync(
                a.get("cuda_sync_kind", d.get("name")), integer(a.get("stream")), integer(a.get("device")),
                integer(a.get("wait_on_stream")), integer(a.get("wait_on_cuda_event_record_corr_id")))
    return out


class Launched:
    """State of all threads before a call. latest: {(device, stream): operation launched last}. of_thread: {thread:
    operation launched last}. records: {correlation of an event record: copy of latest at its call}."""

    def __init__(self):
        self.latest, self.of_thread, self.records = {}, {}, {}

    def add(self, k):
        self.latest[(k.device, k.stream)] = self.of_thread[k.launch.thread] = k


def waited_operations(graph):
    """Returns {id(call): Waited} for each call that waits for the device. Sets the typical host time of calls that were
    not blocked."""
    trace, out, own = graph.trace, {}, collections.defaultdict(list)
    launches = sorted((k for k in trace.operations if k.launch is not None), key=lambda k: (k.launch.start, k.launch.pos, k.start, k.pos))
    launched, i = Launched(), 0
    for call in sorted(trace.events.of["runtime"], key=lambda r: (r.start, r.pos)):
        while i < len(launches) and launches[i].launch.start < call.start:
            launched.add(launches[i])
            i += 1
        if names.EVENT_RECORD.fullmatch(call.name):
            launched.records[call.correlation] = dict(launched.latest)
        found = waits_for(graph, call, launched)
        if found is None:
            continue
        operations = [k for k in found[0] if k.end <= call.end + SKEW_NS]
        blocked = any(k.end > call.start for k in operations)
        out[id(call)] = Waited([k for k in operations if k.end <= call.end], found[1], blocked)
        if not blocked:
            own[call.name].append(call.length)
    graph.typical.update({("own", name): p50(lengths) for name, lengths in own.items()})
    return out


def lane_order(item):
    (device, stream), _ = item
    return device, isinstance(stream, str), stream


def latest_end(operations):
    return max(operations, key=lambda k: (k.end, k.pos))


def waits_for(graph, call, launched):
    """Returns (operations, inferred) for a call that waits, or None for a call that does not wait."""
    sync, mine = graph.sync.get(call.correlation), launched.of_thread.get(call.thread)
    if call.operations and "Memcpy" in call.name:          # a copy call that returns after its copy waited for it
        last = latest_end(call.operations)
        return ([last], False) if call.start < last.end <= call.end else None
    if names.FREEING.fullmatch(call.name):
        done = [k for k in launched.latest.values() if call.start < k.end <= call.end]
        return (done, True) if done else None
    if not names.WAIT.fullmatch(call.name):
        return None
    if "Event" in call.name:
        if sync is not None and sync.record in launched.records and sync.on_stream is not None:
            k = launched.records[sync.record].get((sync.device, sync.on_stream))
            return ([k] if k else [], False)
        done = [k for k in launched.latest.values() if 0 <= call.end - k.end <= LATENCY_CAP_NS]
        return ([latest_end(done)] if done else [], True)
    if "Stream" in call.name:
        if sync is not None and sync.stream is not None:
            k = launched.latest.get((sync.device, sync.stream))
            return ([k] if k else [], False)
        return ([launched.latest[(mine.device, mine.stream)]] if mine is not None else [], True)
    device = mine.device if mine is not None else graph.trace.main_device
    return ([k for lane, k in sorted(launched.latest.items(), key=lane_order) if lane[0] == device], False)
