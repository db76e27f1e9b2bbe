"""Typical latencies, latencies of edges, and residuals (docs/definitions.md, section 37, "Latency and residual")."""
import collections

from .numbers import p50
from .replay_waits import LATENCY_CAP_NS

FITTED = {"launch": "launch", "stream": "stream", "event": "stream", "wait": "wake", "queue": "wake"}


def fit(graph):
    """Sets graph.typical, the latency of each edge, and the residual of the edge that decides the start of its node."""
    fitted = {key: min(max(0, p50(ns)), LATENCY_CAP_NS) for key, ns in samples_of(graph.nodes).items()}
    for n in graph.nodes:
        for e in n.edges:
            if e.reason in FITTED and not (e.inferred if e.reason == "launch" else e.from_start):
                set_latency(n, e, fitted.get((FITTED[e.reason], e.key), 0))
        if n.edges and not n.anchored:
            set_residual(n, deciding(n))
    graph.typical.update(fitted)


def samples_of(nodes):
    """Returns {(kind, key): measured latencies} of the starts that only one reason explains."""
    samples = collections.defaultdict(list)
    for n in nodes:
        launch = next((e for e in n.edges if e.reason == "launch"), None)
        others = [e for e in n.edges if e.reason in ("stream", "event") and not e.from_start]
        latest = max((e.time() for e in others), default=None)
        if launch is not None and not launch.inferred and (latest is None or latest <= launch.time() + launch.latency):
            samples["launch", launch.key].append(n.start - launch.time() - launch.latency)
        elif others and (launch is None or launch.source.end <= latest):
            for e in others:
                if e.time() == latest:
                    samples["stream", e.key].append(n.start - latest)
        waits = [e for e in n.edges if n.kind == "wake" and e.reason in ("wait", "queue")]
        latest = max((e.time() for e in waits), default=None)
        if latest is not None and latest > n.edges[0].time():
            samples["wake", waits[0].key].append(n.start - latest)
    return samples


def set_latency(n, e, typical):
    """The latency never makes a node later than measured. A launch edge already has the time from the start of its node
    to the start of its call."""
    distance = n.start - e.time()
    e.latency = min(e.latency + typical, distance)


def deciding(n):
    """Returns the edge that decides the start of a node. Of several equal edges, returns the first one."""
    return max(n.edges, key=lambda e: e.time() + e.latency)


def set_residual(n, e):
    """Sets the residual of the deciding edge. Two causes of a late start are known: a launch call that still worked,
    and the work of a copy call after its copy."""
    e.residual = n.start - e.time() - e.latency
    if e.reason == "launch" and n.event.launch is not None and n.start <= n.event.launch.end:
        e.latency, e.residual = e.latency + e.residual, 0
    own = next((x for x in n.edges if x.reason == "wait"), None) if n.kind == "wake" and n.event.operations else None
    if e.residual and own is not None:
        e.residual, own.latency = 0, n.start - own.time()
