"""Changes of a replay: factors of parts, edges that disappear, latencies that disappear (docs/definitions.md, section 37,
"Changes")."""
import collections

from .critical_path import scaled
from .intervals import union, within
from .numbers import p50

HOST_KINDS = ("operator", "python", "call", "launch", "wait")
# dense half precision TFLOP/s, GB/s
PEAKS = {"V100": (125, 900), "A100": (312, 2039), "H100": (989, 3350), "H200": (989, 4800), "B200": (2250, 8000), "MI210": (181, 1638),
         "MI250": (362, 3277), "MI300X": (1307, 5300)}
SHORT_NS = 5_000                                           # another GPU does not shorten kernels below this length
SAMPLES_ALONE = 5


class Change:
    """A change that changes nothing. A factor is (numerator, denominator). overlap: W is no shorter than the
    communication. unsure: the confidence of the answer is always low."""
    name, text, overlap, unsure = "none", "nothing changed", False, False

    def factor(self, node, label):
        return (1, 1)

    def drops(self, node, edge):
        return False

    def latency(self, node, edge):
        return edge.latency

    def ns(self, node):
        """Returns the duration of a node."""
        return sum(scaled(ns, self.factor(node, label)) for label, ns in node.parts.items())


class Scale(Change):
    """Multiplies parts of some kinds, with one name or all names. Edges of the reason `dropped` disappear, and edges of
    the reason `free` lose their latency."""

    def __init__(self, name, text, kinds, factor, only=None, free=None, dropped=None):
        self.name, self.text, self.kinds, self.multiplier, self.only = name, text, kinds, factor, only
        self.free, self.dropped = free, dropped

    def factor(self, node, label):
        return self.multiplier if label[0] in self.kinds and self.only in (None, label[1]) else (1, 1)

    def latency(self, node, edge):
        return 0 if edge.reason == self.free else edge.latency

    def drops(self, node, edge):
        return edge.reason == self.dropped


class WithoutWaits(Change):
    """Calls do not wait and need no time. calls: ids of the calls; None: all calls."""

    def __init__(self, name, text, calls=None):
        self.name, self.text, self.calls = name, text, calls

    def is_mine(self, node):
        return node.kind in ("wait", "wake") and node.event is not None and (self.calls is None or id(node.event) in self.calls)

    def drops(self, node, edge):
        return edge.reason == "wait" and self.is_mine(node)

    def factor(self, node, label):
        return (0, 1) if node.kind == "wait" and label[0] == "wait" and self.is_mine(node) else (1, 1)


class OtherDevice(Change):
    """Multiplies the time of tensor core kernels by the ratio of the compute peaks, and of other kernels by the ratio of
    the bandwidths. least: uses the smaller gain of both for all kernels."""
    unsure = True

    def __init__(self, old, new, least=False):
        self.name, self.text, self.old, self.new = "gpu:%s=%s" % (old, new), "on a %s instead of a %s" % (new, old), old, new
        self.tensor, self.memory = zip(PEAKS[old], PEAKS[new])
        if least:
            self.tensor = self.memory = max(self.tensor, self.memory, key=lambda f: f[0] / f[1])

    def factor(self, node, label):
        if label[0] != "compute" or node.length < SHORT_NS:
            return (1, 1)
        return self.tensor if node.event.tensor_cores == "yes" else self.memory


class Extended(Change):
    """A change with a further effect."""

    def __init__(self, change):
        self.change, self.name, self.text, self.overlap, self.unsure = change, change.name, change.text, change.overlap, change.unsure

    def factor(self, node, label):
        return self.change.factor(node, label)

    def drops(self, node, edge):
        return self.change.drops(node, edge)

    def latency(self, node, edge):
        return self.change.latency(node, edge)


class WholeCall(Extended):
    """Multiplies also the time of everything that the operator calls on the host, and of Python before and after it."""

    def ns(self, node):
        a, b = self.change.multiplier
        return max(0, self.change.ns(node) - node.more.get(self.change.only, 0) * (b - a) // b)


class Uncontended(Extended):
    """Compute that ran during communication takes as long as the same kernel without communication: the lower median of
    the kernels of the rank with equal device, name, grid and block."""

    def __init__(self, change, graphs):
        super().__init__(change)
        self.alone = {}
        for graph in graphs:
            self.add_graph(graph)

    def add_graph(self, graph):
        communication, samples, during = union([k.range for k in graph.trace.operations if k.communication]), collections.defaultdict(list), []
        for n in graph.nodes:
            if n.kind == "compute":
                key = (n.event.device, n.event.name, str(n.event.args.get("grid")), str(n.event.args.get("block")))
                if within(communication, *n.event.range):
                    during.append((n, key))
                else:
                    samples[key].append(n.length)
        self.alone.update({n.id: (min(n.length, p50(samples[key])), max(1, n.length)) for n, key in during if len(samples[key]) >= SAMPLES_ALONE})

    def factor(self, node, label):
        return self.alone.get(node.id) or self.change.factor(node, label)


def parse_factor(text):
    """Returns (numerator, denominator) of a decimal number or of a fraction such as 1/2."""
    if "/" in text:
        a, b = text.split("/")
        return int(a), int(b)
    whole, _, rest = text.partition(".")
    return int((whole or "0") + rest), 10 ** len(rest)


def parse_change(text, graphs=()):
    """Returns the change that a text describes: kernel:NAME=F, operator:NAME=F, line:TEXT=F, kind:KIND=F, host=F,
    copies=F, communication=F, input=F, launches=0, graph=0, waits=0, overlap, gpu:OLD=NEW, or "wait:API LINE" with the
    graphs."""
    if text == "overlap":
        change = Scale(text, "communication wholly hidden", ("communication",), (0, 1))
        change.overlap = True
        return change
    if text.startswith("wait:"):
        api, _, line = text[5:].partition(" ")
        calls = set().union(*(wait_groups(graph).get((line, api), set()) for graph in graphs))
        return WithoutWaits(text, "no %s in %s" % (api, line or "any operator"), calls)
    head, _, value = text.rpartition("=")
    what, _, name = head.partition(":")
    if what == "gpu":
        return OtherDevice(name, value)
    if what == "waits":
        return WithoutWaits(text, "no call waits for the device")
    rows = {
        "kernel": ("kernel %s at %s" % (name, value), ("compute", "communication", "copy"), name),
        "operator": ("host time of %s at %s" % (name, value), ("operator",), name),
        "line": ("without %s" % name, ("python",), name),
        "kind": ("%s at %s" % (name, value), (name,)),
        "host": ("host at %s" % value, HOST_KINDS),
        "copies": ("copies free", ("copy",)),
        "communication": ("communication free", ("communication",)),
        "input": ("data loading free", ("input",), None, None, "arrival"),
        "launches": ("launch calls free", ("launch",), None, "launch"),
        "graph": ("all host work but loading free (as if replayed as one graph)", HOST_KINDS, None, "launch")}
    if what not in rows:
        raise ValueError("unknown change " + text)
    return Scale(text, *rows[what][:2], parse_factor(value), *rows[what][2:])


def wait_groups(graph):
    """Returns {(line or operator, API): ids of the waiting calls}."""
    groups = collections.defaultdict(set)
    for w in graph.trace.waits:
        if id(w.call) in graph.waited:
            groups[w.line or (w.operators[-1].name if w.operators else ""), w.call.name].add(id(w.call))
    return groups
