"""The cause of slow data loading, from the frames during loading (docs/definitions.md, section 15, rule H1)."""
from . import names
from .findings import by_length
from .intervals import contains, length, meet, minus, union
from .one_sample import dims_of, shape
from .reading import FRAME_KINDS

SMALL_NS, LEAST_PYTHON = 20_000, 5
WAITING = tuple("<built-in " + n for n in (
    "function sleep>", "function open>", "function read>", "function pread>", "function stat>", "method read of", "method readinto of",
    "method readline of", "method recv of", "method recv_into", "method acquire of", "function poll>", "method poll of", "function select>"))
MAKING = tuple("<built-in " + n for n in (
    "method tensor of type", "method as_tensor of type", "method stack of type", "method cat of type", "method from_numpy of",
    "function array>", "method array of", "function stack>"))
READING = ("<built-in method numpy of Tensor",)
NUMBERS = tuple("<built-in method " + n for n in ("tolist of Tensor", "item of Tensor", "tolist of numpy.", "item of numpy."))
MOST_TENSORS = 32
SAMPLES = ("__getitem__", "__getitems__", "__next__")


class Parts:
    """Frames during loading: those that load samples, those that collate batches, and other events, which are waits and
    operators."""

    def __init__(self, thread, loading):
        self.samples, self.batches, self.others, self.making = [], [], [], []
        self.fetch, self.is_made, self.takes_tensors, self.makes_numbers = None, False, False, False
        self.tensors, self.derived = [], []
        for e in thread:
            if not contains(loading, e.start):
                continue
            if e.kind == "operator":
                if self.tensors and e.start < self.tensors[-1][0].end and e.name == "aten::to":
                    d = shape(dims_of(e), 0)
                    self.tensors[-1] = (self.tensors[-1][0], tuple(d[:2]) if d is not None and len(d) >= 2 else None)
                if self.batches and not self.is_made:
                    self.takes_tensors |= self.batches[-1].start <= e.start < self.batches[-1].end
                if e.length >= SMALL_NS:
                    self.others.append(e)
            elif e.kind in FRAME_KINDS:
                self.add(e)
        self.end_batch()

    def end_batch(self):
        """Of the tensors of a batch with the same first two sizes, the one that takes longest is necessary. Code can
        compute the others from the lengths of the samples."""
        by_size = {}
        for e, sizes in self.tensors[:MOST_TENSORS]:
            if sizes is not None:
                by_size.setdefault(sizes, []).append(e)
        for events in by_size.values():
            longest = max(events, key=lambda e: e.length)
            self.derived += [e for e in events if e is not longest]
        self.tensors = []

    def add(self, e):
        if e.name.startswith(WAITING):
            self.others.append(e)
        if e.name.startswith(MAKING):
            self.making.append(e)
            self.is_made = True
            if e.name.startswith("<built-in method tensor of type"):
                self.tensors.append((e, None))
        if self.batches and not self.is_made and self.batches[-1].start <= e.start < self.batches[-1].end:
            self.makes_numbers |= e.name.startswith(NUMBERS)
            self.takes_tensors |= e.name.startswith(NUMBERS + READING)
        found = names.frame_parts(e.name)
        if found is None:
            return
        path, _, function = found
        if path.endswith("torch/utils/data/_utils/fetch.py") and function == "fetch":
            self.fetch = e
        elif function in SAMPLES and e.line is not None:
            self.samples.append(e)
        elif self.fetch is not None and e.inside is self.fetch and not function.startswith("<"):
            self.batches.append(e)
            self.is_made = False
            self.end_batch()


def ranges_of(events):
    return union([e.range for e in events])


def cause_of(thread, loading):
    """Returns (cause, evidence, time of the cause) of loading. Returns ("", [], []) if neither samples nor batches take
    more than half."""
    p = Parts(thread, loading)
    others = ranges_of(p.others)
    samples, batches = (meet(minus(ranges_of(x), others), loading) for x in (p.samples, p.batches))
    half = length(loading) // 2
    if length(samples) <= half and length(batches) <= half:
        return "", [], []
    if length(batches) <= length(samples):
        return "transform", by_length(p.samples), samples
    python = minus(batches, ranges_of(p.making))
    keeps = not p.takes_tensors or not p.makes_numbers and LEAST_PYTHON * length(python) < length(batches)
    return "collate", by_length(p.batches), union(python + meet(ranges_of(p.derived), batches)) if keeps else batches
