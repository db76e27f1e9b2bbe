"""Consecutive operators that one fused operator could replace (docs/definitions.md, section 15): H16 attention, H17
elementwise chains."""
from . import costs
from .findings import by_length, threshold
from .intervals import contains, union
from .one_sample import dims_of, shape
from .rules_between import is_backward, project_call_around, sequence_of
from .work import first

FAR, MIN_KEYS, MIN_CHAIN, MIN_ALONE, MIN_BYTES, FLOPS_PER_BYTE = 8, 16, 5, 3, 65536, 10
SAVED, MILLION = 0.85, 1000000
FUSABLE = ("elementwise", "reduction", "norm", "softmax")


class Row:
    """An outermost forward operator, and its kind of work according to its name."""

    def __init__(self, o):
        self.o, self.is_claimed = o, False
        self.has_bmm = o.name == "aten::einsum" and any(x.name == "aten::bmm" for x in inner(o))
        self.kind = "gemm" if self.has_bmm else first("owner", o.name) or first("host", o.name)
        self.shape = shape(dims_of(o), 0)

    @property
    def is_batched_product(self):
        return self.kind == "gemm" and (self.has_bmm or self.shape is not None and len(self.shape) >= 3)

    @property
    def bytes(self):
        cost = costs.of_op(self.o)
        return cost["bytes"] if cost else 0


def inner(o):
    """Yields all operators inside of an operator, at any depth."""
    for child in o.children:
        yield child
        yield from inner(child)


def rows_of(c):
    """Returns the rows of the main thread, without views, loading, optimizers, and operators in the time of earlier
    findings."""
    optimizers = union([e.range for e in c.thread if e.name.startswith("Optimizer.")])
    claimed = union(c.claimed)
    rows = [Row(o) for o in c.outermost if not c.is_loading(o) and not is_backward(o)
            and not contains(optimizers, o.start) and not contains(claimed, o.start)]
    return [r for r in rows if r.kind != "allocation"]


class Claim:
    """For the finding of one rule: the fraction of each operator's time that fusing would save. backward: {sequence
    number: fraction for the backward node}."""

    def __init__(self, c, rule):
        self.c, self.rule, self.ranges, self.operators, self.backward = c, rule, [], [], {}

    def part(self, o, part):
        self.ranges.append((o.start, o.start + o.length * int(part * MILLION) // MILLION))

    def take(self, row, forward, backward):
        """Adds the saved fractions of a row's forward and backward time. The sequence number of a matrix product can be
        that of an operator inside of it."""
        row.is_claimed = True
        self.part(row.o, forward)
        self.operators.append(row.o)
        for o in [row.o] + (list(inner(row.o)) if row.kind == "gemm" else []):
            if sequence_of(o) is not None:
                self.backward[sequence_of(o)] = backward

    def finish(self):
        for o in self.c.operators:
            if is_backward(o) and sequence_of(o) in self.backward:
                self.part(o, self.backward[sequence_of(o)])
        time = union(self.ranges)
        if self.operators and self.c.findings.share(time) >= threshold(self.rule)["min_pct"]:
            self.c.claim(self.rule, time, by_length(self.operators))


# ------------------------------------------------------------------------------------------------------------- H16: attention
def is_written_softmax(rows, i):
    """Returns whether a softmax written with single operators begins here: exponentials divided by their sum."""
    if rows[i].o.name != "aten::exp":
        return False
    has_sum = False
    for row in rows[i + 1:i + FAR]:
        if row.kind == "gemm":
            return False
        has_sum |= row.o.name == "aten::sum"
        if has_sum and row.o.name in ("aten::div", "aten::div_"):
            return True
    return False


def is_softmax(rows, i):
    if rows[i].o.name not in ("aten::softmax", "aten::_softmax") and not is_written_softmax(rows, i):
        return False
    return rows[i].shape is not None and len(rows[i].shape) >= 3 and rows[i].shape[-1] >= MIN_KEYS


def next_product(rows, i, way):
    """Returns the index of the nearest product before (way -1) or after (way 1) a softmax, at most FAR operators away;
    None if none exists."""
    return next((k for k in range(i + way, i + way * (FAR + 1), way) if 0 <= k < len(rows) and rows[k].kind == "gemm"), None)


def drops_scores(row):
    return any(o.name.startswith(("aten::bernoulli", "aten::native_dropout")) for o in [row.o] + list(inner(row.o)))


def part_of_scores(o, scores):
    """Returns the fraction of a matrix product's time that moves the scores. The cost is that of the first operator
    with a known cost, among the product and the operators inside of it."""
    cost = next((cost for x in [o] + list(inner(o)) for cost in [costs.of_op(x)] if cost and cost["flops"]), None)
    if cost is None:
        return 0.0
    moved, whole = 4.0 * costs.prod(scores), cost["flops"] / FLOPS_PER_BYTE + cost["bytes"]
    return moved / whole if moved < whole else 0.0


def written_attention(c, rows):
    """Finds H16: attention written with single operators."""
    claim = Claim(c, "H16")
    for i, row in enumerate(rows):
        if not is_softmax(rows, i):
            continue
        before, after = next_product(rows, i, -1), next_product(rows, i, 1)
        if before is None or after is None or not rows[before].is_batched_product or not rows[after].is_batched_product:
            continue
        if any(drops_scores(r) for r in rows[i + 1:after]):
            continue
        saved = 1.0 if is_written_softmax(rows, i) else SAVED
        for r in rows[before + 1:after]:
            claim.take(r, saved, saved)
        for r in (rows[before], rows[after]):
            part = part_of_scores(r.o, row.shape)
            claim.take(r, SAVED * part, SAVED * max(0.0, 1 - (1 - part) * 5 / 4))
    claim.finish()


# -------------------------------------------------------------------------------------------------------- H17: elementwise chains
def add_chain(claim, rows, least):
    """Adds the time that fusing a chain saves. A fused operator moves one and a half times the bytes of the largest
    operator."""
    large = [(r, r.bytes) for r in rows if r.bytes >= MIN_BYTES]
    if len(large) < least:
        return
    sizes = [n for _, n in large]
    part = 1 - 1.5 * max(sizes) / sum(sizes)
    for r, _ in large if part > 0 else ():
        claim.take(r, SAVED * part, SAVED * part)


def is_inside(rows, i, call):
    return 0 <= i < len(rows) and call.start <= rows[i].o.start < call.end


def add_chains_of_functions(claim, rows, start, end):
    """Adds the chains that are the whole work of a call of a project function."""
    while start < end:
        call, stop = project_call_around(rows[start].o), start + 1
        while stop < end and project_call_around(rows[stop].o) is call:
            stop += 1
        if stop - start >= MIN_ALONE and call is not None and not is_inside(rows, start - 1, call) and not is_inside(rows, stop, call):
            add_chain(claim, rows[start:stop], MIN_ALONE)
        start = stop


def elementwise_chains(c, rows):
    """Finds H17: chains of elementwise operators."""
    claim, start = Claim(c, "H17"), 0
    is_fusable = lambda r: not r.is_claimed and r.kind in FUSABLE
    while start < len(rows):
        end = start + 1
        if is_fusable(rows[start]):
            while end < len(rows) and is_fusable(rows[end]):
                end += 1
            if end - start >= MIN_CHAIN:
                add_chain(claim, rows[start:end], MIN_CHAIN)
            if not rows[start].is_claimed:
                add_chains_of_functions(claim, rows, start, end)
        start = end
    claim.finish()


def chains(c):
    rows = rows_of(c)
    written_attention(c, rows)
    elementwise_chains(c, rows)
