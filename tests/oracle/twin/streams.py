"""The tables of stream_view (docs/definitions.md, section 40): queues and idle time of streams, and launch delays."""
import collections

from .links import is_graph_launched
from .numbers import Us

SHORT = 30_000
MOST_STREAMS = 4096
DECADES = (0,) + tuple(10 ** n for n in range(3, 10))
KINDS = ("kernel", "copy", "memset", "graph")


def nearest_rank(values, percent):
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def in_order(operations):
    return sorted(operations, key=lambda k: (k.start, k.pos))


def queued(operations):
    """Returns the queued operations: those with a launch, but only the first one of each graph launch."""
    firsts, out = {}, []
    for k in in_order(k for k in operations if k.launch is not None):
        if not is_graph_launched(k) or firsts.setdefault(id(k.launch), k) is k:
            out.append(k)
    return out


def lengths(items):
    """Returns [(time, length after the change)]."""
    changes = sorted([(k.launch.start, 0, 1) for k in items] + [(k.start, 1, -1) for k in items])
    now, out = 0, []
    for at, _, change in changes:
        now += change
        out.append((at, now))
    return out


def queue(items):
    points = lengths(items)
    if not points:
        return dict.fromkeys(("queue_changes", "mean_queue", "mean_queue_at_changes", "median_queue", "p75_queue", "max_queue",
                              "min_queue", "near_max_us"))
    values = [v for _, v in points]
    whole, most = points[-1][0] - points[0][0], max(values)
    pieces = [(v, b - a) for (a, v), (b, _) in zip(points, points[1:])]
    return {"queue_changes": len(points), "mean_queue": sum(v * t for v, t in pieces) / whole if whole else 0.0,
            "mean_queue_at_changes": sum(values) / len(values), "median_queue": nearest_rank(values, 50),
            "p75_queue": nearest_rank(values, 75), "max_queue": most, "min_queue": min(values),
            "near_max_us": Us(sum(t for v, t in pieces if 10 * v >= 9 * most))}


def gaps(operations):
    sums, end = collections.Counter(), None
    for k in in_order(operations):
        if end is not None and k.start > end:
            host = k.launch is not None and k.launch.start > end
            sums["host" if host else "short" if k.start - end < SHORT else "other"] += k.start - end
        end = k.end if end is None else max(end, k.end)
    return {"idle_%s_us" % part: Us(sums[part]) for part in ("host", "short", "other")}


def kind_of(k):
    if is_graph_launched(k):
        return "graph"
    return {"kernel": "kernel", "memcpy": "copy"}.get(k.kind, "memset")


def delay_row(kind, items):
    delays = [max(0, k.start - k.launch.end) for k in items]
    short = sum(k.length < k.launch.length for k in items if kind_of(k) != "graph")
    return {"kind": kind, "operations": len(items), "p50_us": Us(nearest_rank(delays, 50)), "p90_us": Us(nearest_rank(delays, 90)),
            "p99_us": Us(nearest_rank(delays, 99)), "max_us": Us(max(delays)), "shorter_than_call": None if kind == "graph" else short}


def decades(items):
    if not items:
        return []
    delays = [max(0, k.start - k.launch.end) for k in items]
    return [{"from_us": Us(low), "operations": sum(low <= d < high for d in delays)}
            for low, high in zip(DECADES, DECADES[1:] + (float("inf"),))]


def stream_view(trace):
    streams, items = collections.defaultdict(list), queued(trace.operations)
    for k in trace.operations:
        streams[k.device, k.stream].append(k)
    if not streams or len(streams) > MOST_STREAMS:
        return None
    by_stream = collections.defaultdict(list)
    for k in items:
        by_stream[k.device, k.stream].append(k)
    rows = [dict({"device": device, "stream": stream, "operations": len(streams[device, stream])}, **queue(by_stream[device, stream]),
                 **gaps(streams[device, stream])) for device, stream in sorted(streams)]
    groups = [("all", items)] + [(kind, [k for k in items if kind_of(k) == kind]) for kind in KINDS]
    return {"streams": rows, "launch_delays": [delay_row(kind, group) for kind, group in groups if group],
            "launch_delay_decades": decades(items)}
