"""A model that is called with one sample at a time (docs/definitions.md, section 15, rule R6)."""
import math
import re

from . import names
from .findings import by_length, threshold
from .intervals import contains, union
from .texts import count_text
from .tree import operators_above
from .wrapper import step_of

# operator: (index of the input with the samples, lowest number of dimensions of that input)
PRODUCTS = {"aten::linear": (0, 2), "aten::mm": (0, 2), "aten::addmm": (1, 2), "aten::_addmm_activation": (1, 2)}
CONVOLUTIONS = {"aten::conv1d": (0, 3), "aten::conv2d": (0, 4), "aten::conv3d": (0, 5), "aten::convolution": (0, 3)}
RECURRENT = {"aten::" + n: (0, 3) for n in ("gru", "lstm", "rnn_tanh", "rnn_relu")}
WORDS = {"aten::embedding": (1, 2)}
WITH_SAMPLES = {**PRODUCTS, **CONVOLUTIONS, **RECURRENT, **WORDS}
OTHER = ("aten::bmm", "aten::baddbmm")
MIN_STEPS, MOST_OF, LEAST_BYTES = 3, 5, 1000000
ENGINE = re.compile(r"execute_context_(\d+)\(\d+(?:_\d+)?\)_generation_(\d+)\(\d+(?:_\d+)?\)"
                    r"|execute_\d+_context_(\d+)\(sq\d+sk\d+sqsq\d+sqsk\d+\)_generation_(\d+)\(sq\d+sk\d+sqsq\d+sqsk\d+\)"
                    r"|execute_new_(\d+)_cached_(\d+)")
DECODE = re.compile(r"step\[(EXTEND|PREFILL|DECODE|MIXED|IDLE|TARGET_VERIFY|DRAFT_EXTEND)(?: bs=(\d+))?[^]]*\]")


def is_most(part, whole):
    return whole > 0 and part >= whole - whole // MOST_OF


def requests_of(name):
    """Returns (true for a decode step, number of requests) from a step name of a serving engine; None for other
    names."""
    m = ENGINE.fullmatch(name)
    if m:
        prefill, decode = [int(g) for g in m.groups() if g is not None]
        return prefill == 0 and decode > 0, prefill + decode
    m = DECODE.fullmatch(name)
    return (m.group(1) == "DECODE", int(m.group(2) or 0)) if m else None


def dims_of(o):
    dims = o.args.get("Input Dims", o.args.get("Input dims"))
    return dims if isinstance(dims, list) else []


def shape(dims, i):
    d = dims[i] if i < len(dims) else None
    return d if isinstance(d, list) and all(isinstance(x, int) for x in d) else None


def operand(o):
    at, rank = WITH_SAMPLES[o.name]
    d = shape(dims_of(o), at)
    return d if d is not None and len(d) >= rank else None


def is_unknown(o):
    """Returns whether the shape of the input with the samples is missing. Such work is treated as work on several
    samples."""
    return o.name in WITH_SAMPLES and o.name not in WORDS and shape(dims_of(o), WITH_SAMPLES[o.name][0]) is None


def is_matrix_work(o):
    if o.name in WITH_SAMPLES:
        return is_unknown(o) or bool(operand(o)) and samples_of(o) > 0
    return o.name in OTHER or o.name.startswith("aten::_scaled_dot_product")


def samples_of(o):
    d = operand(o)
    return min(d[0], d[1]) if o.name in RECURRENT else d[0]


def rows_of(o):
    """Returns the number of rows of a matrix product; 0 for other operators, or if the input is not a matrix."""
    return math.prod(operand(o)[:-1]) if o.name in PRODUCTS else 0


def length_of(o):
    """Returns the length of the sequences that an operator works on; 0: no sequences."""
    d = operand(o)
    if o.name in RECURRENT:
        return max(d[0], d[1])
    return d[1] if len(d) == 3 or o.name in WORDS else 0


def state_batch(o):
    """Returns the batch size of a recurrent layer, from the shape of its state. LSTM layers have a list of states."""
    dims = dims_of(o)
    state = shape(dims, 1)
    if state is None and len(dims) > 1 and isinstance(dims[1], list):
        state = shape(dims[1], 0)
    return state[1] if state is not None and len(state) == 3 else 0


def weight_bytes(o):
    """Returns the bytes of a product's weight; None: its shape or type is unknown."""
    at = PRODUCTS[o.name][0] + 1
    types, d = o.args.get("Input type"), shape(dims_of(o), at)
    size = names.element_bytes(types[at]) if isinstance(types, list) and at < len(types) else 0
    if not d or not size:
        return None
    for n in d:
        size *= n
    return size


class Work:
    def __init__(self, findings, loading):
        self.trace, self.on_device = findings.trace, findings.trace.program == "gpu"
        self.all_ns = self.one_ns = self.one_host_ns = self.bytes = 0
        self.picked, self.steps = [], set()
        step, longest = None, 0
        for o in self.trace.tree.threads[self.trace.host_main]:
            if o.kind != "operator" or id(o) in self.trace.tree.folded or not is_matrix_work(o):
                continue
            if any(is_matrix_work(x) for x in operators_above(o.parent)) or not contains(self.trace.window, o.start) or contains(loading, o.start):
                continue
            at = step_of(self.trace, o.start)
            longest = longest if at is step else 0
            step = at
            longest = self.add(o, at, longest)

    def add(self, o, step, longest):
        known = o.name in WITH_SAMPLES and not is_unknown(o)
        one = known and (samples_of(o) == 1 == state_batch(o) if o.name in RECURRENT
                         else samples_of(o) == 1 or 0 < rows_of(o) <= longest)
        if one and samples_of(o) == 1:
            longest = max(longest, length_of(o))
        if o.name in WORDS:
            return longest
        th, ns = threshold("R6"), o.device_total if self.on_device else o.length
        light = (o.name in RECURRENT or known and 0 < rows_of(o) <= th["max_rows"]
                 or ns < 1000 * th["short_kernel_us" if self.on_device else "short_us"])
        self.all_ns += ns
        if one and light:
            self.one_ns += ns
            self.one_host_ns += o.length
            self.steps.add(id(step))
            self.picked.append(o)
            if o.name in PRODUCTS and self.bytes is not None:
                more = weight_bytes(o)
                self.bytes = None if more is None else self.bytes + more
        return longest


def report(findings, evidence, detail):
    """Adds finding R6 (one sample at a time). If there is another finding about the same cause, only adds the detail to
    it."""
    other = next((rule for rule in ("H18", "H19", "C18", "C23") if findings.has(rule)), None)
    if other:
        findings.explain(other, detail)
    else:
        findings.add_without_ceiling("R6", "low", evidence, detail=detail)


def one_sample(findings, loading):
    """Finds R6: the model is called with one sample at a time."""
    trace, steps = findings.trace, findings.trace.steps
    trains = any(e.name.startswith((names.AUTOGRAD_NODE, names.OPTIMIZER_STEP)) for e in trace.events.host)
    if steps.marker in ("window", "Optimizer.step") or steps.count < MIN_STEPS or trace.host_main is None or trains:
        return
    named = [(s, requests_of(s.event.name)) for s in steps.used if s.event is not None and requests_of(s.event.name)]
    if named:
        single = [s.event for s, found in named if found == (True, 1)]
        if is_most(len(single), steps.count):
            report(findings, by_length(single), "%s of %s steps decode one request." % (count_text(len(single)), count_text(steps.count)))
        return
    work = Work(findings, loading)
    if not is_most(work.one_ns, work.all_ns) or not is_most(sum(id(s) in work.steps for s in steps.used), steps.count):
        return
    if findings.percent(max(work.one_ns, work.one_host_ns)) < threshold("R6")["min_pct"]:
        return
    picked = by_length(work.picked)
    sizes = "x".join(str(n) for n in operand(picked[0]))
    count = sum(id(s) in work.steps for s in steps.used)
    which = "%s of %s steps work" % (count_text(count), count_text(steps.count)) if count < steps.count else "Each of the %s steps works" % count_text(count)
    detail = "%s on one sample at a time, such as %s with an input of %s." % (which, picked[0].name, sizes)
    if work.bytes is not None and work.bytes >= LEAST_BYTES * steps.count:
        detail += " Matrix products read %.1f MB of weights per step." % (work.bytes / steps.count / 1e6)
    report(findings, picked, detail)


def loading_of(findings):
    """Returns the loader's time on the main thread of a program without a device; [] for other programs."""
    trace = findings.trace
    if trace.program != "cpu" or trace.host_main is None:
        return []
    return findings.inside(union([e.range for e in trace.tree.threads[trace.host_main]
                                  if e.kind in ("annotation", "operator") and names.is_loader(e.name)]))
