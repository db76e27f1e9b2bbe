"""The training loop of a recording without markers of steps (docs/definitions.md, section 5, "Inferred")."""
import collections

from . import names

LEAST_REPEATS = 3
ANCHORS = 8                                              # highest number of names tried as anchor for each source
# two iterations agree if the items that they have in common are at least this fraction of the longer iteration
AGREE = (4, 5)
FEW, FEW_WITHOUT_BACKWARD = 10, 4                        # one of this many iterations may differ
# the last step is used if it makes the mean step shorter by at most a twentieth
SHORT = 20
BACKWARD = "backward"
CELLS = ("GRUCell", "LSTMCell", "RNNCell")
CONVOLUTIONS = {"aten::" + n for n in "conv1d conv2d conv3d convolution".split()}
PRODUCTS = {"aten::" + n for n in "addmm linear matmul mm".split()}
VIEWS = {"aten::" + n for n in "expand index movedim permute reshape transpose unflatten unsqueeze view view_as".split()}
ENDS = {"aten::" + n for n in "argmax argmin embedding embedding_bag multinomial topk".split()}
MAKERS = {"aten::" + n for n in """arange bernoulli_ eye full full_like lift_fresh linspace normal_ ones ones_like pin_memory rand rand_like
randint randn randn_like random_ randperm uniform_ zeros zeros_like""".split()}
CONSTANTS = {"aten::" + n for n in "arange eye full full_like linspace ones ones_like zeros zeros_like".split()}
ELEMENTWISE = {"aten::" + n for n in "add add_ sub sub_ mul mul_ div div_".split()}
KEEPERS = {"aten::" + n for n in """batch_norm clamp dropout elu exp gelu hardswish hardtanh layer_norm leaky_relu log_softmax mish relu relu6
relu_ rms_norm selu sigmoid sigmoid_ silu silu_ softmax softplus tanh tanh_""".split()}


class Item:
    def __init__(self, e, name):
        self.name, self.start, self.end, self.event = name, e.start, e.end, e


def is_backward(e):
    return e.kind == "operator" and e.name.startswith(names.AUTOGRAD_NODE) and not e.unfinished


def is_user_range(e):
    return (e.kind == "annotation" and not names.is_annotation(e.name) and not names.is_step(e.name)
            and not e.name.startswith("PyTorch Profiler") and names.comm_backend(e.name) is None)


def is_item(e, ranges):
    if e.unfinished:
        return False
    return (e.kind in ("module", "operator") or e.kind == "annotation" and names.is_loader(e.name)
            or ranges and is_user_range(e))


def outermost(events):
    out = []
    for e in events:
        if not out or e.start >= out[-1].end:
            out.append(e)
    return out


def items_of(tree, main, ranges):
    """Returns the outermost work of the main thread and the backward nodes of all threads. Consecutive backward nodes
    become one item."""
    found = outermost([e for e in tree.threads[main] if is_item(e, ranges)])
    for thread, events in tree.threads.items():
        if thread != main:
            found += outermost([e for e in events if is_backward(e)])
    items = []
    for e in sorted(found, key=lambda e: e.start):
        if is_backward(e) and items and items[-1].name == (BACKWARD,):
            items[-1].end = max(items[-1].end, e.end)
        else:
            items.append(Item(e, (BACKWARD,) if is_backward(e) else e.name))
    return items


class Loop:
    """An assumed loop. starts: indexes of the anchors, one per iteration; shift: number of items in a step before its
    anchor; typical: names of the most common iteration."""

    def __init__(self, items, name=None, starts=None):
        self.items, self.passes = items, 1
        self.starts = starts or [i for i, x in enumerate(items) if x.name == name]

    def iteration(self, i):
        end = self.starts[i + 1] if i + 1 < len(self.starts) else len(self.items)
        return [x.name for x in self.items[self.starts[i]:end]]

    def compare(self):
        whole = [tuple(self.iteration(i)) for i in range(len(self.starts) - 1)]
        counts = collections.Counter(whole)
        self.typical = typical = max(counts, key=lambda w: (counts[w], -whole.index(w)))
        before = [x.name for x in self.items[:self.starts[0]]]
        self.shift = 0
        while self.shift + 1 < len(typical) and self.shift < len(before) and before[-1 - self.shift] == typical[-1 - self.shift]:
            self.shift += 1
        last = self.iteration(len(self.starts) - 1)
        found = next((i for i, (a, b) in enumerate(zip(last, typical)) if a != b), min(len(last), len(typical)))
        self.last_is_whole = found >= len(typical) - self.shift
        self.different = [i for i in range(1, len(whole)) if not agree(whole[i], typical)]

    def settle(self):
        """Returns whether nearly all iterations agree. Before, if every n-th iteration has more work after its backward
        pass, joins n iterations into one step."""
        self.compare()
        accumulates = (BACKWARD,) in self.typical
        if self.different and accumulates and self.join_rounds():
            self.compare()
        return len(self.different) * (FEW if accumulates else FEW_WITHOUT_BACKWARD) <= len(self.starts)

    def join_rounds(self):
        d = self.different
        if len(d) < LEAST_REPEATS - 1:
            return False
        every = d[1] - d[0]
        if any(b - a != every for a, b in zip(d, d[1:])) or every < 2 or d[0] >= every or len(self.starts) - 1 - d[-1] > every:
            return False
        self.starts = self.starts[(d[0] + 1) % every::every]
        self.passes = every
        return len(self.starts) >= LEAST_REPEATS

    def first(self, i):
        return self.starts[i] - self.shift

    def end(self):
        """Returns the index after the last item of the last step."""
        return self.first(len(self.starts) - 1) + len(self.typical)

    def cut_last(self):
        begins = [self.items[self.first(i)].start for i in range(len(self.starts))]
        gaps = sum(max(0, self.items[self.first(i)].start - self.items[self.first(i) - 1].end) for i in range(1, len(begins)))
        if SHORT * gaps > len(begins) * (begins[-1] - begins[0]):
            self.last_is_whole = False

    def spans(self):
        """Returns (start, end) of each step."""
        begins = [self.items[self.first(i)].start for i in range(len(self.starts))]
        spans = list(zip(begins, begins[1:]))
        return spans + [(begins[-1], self.items[self.end() - 1].end)] if self.last_is_whole else spans


def agree(a, b):
    common = sum((collections.Counter(a) & collections.Counter(b)).values())
    return AGREE[1] * common >= AGREE[0] * max(len(a), len(b))


def contains_all_work(loop):
    """Returns whether the loop contains all work. If the repetitions are layers of a single call, there is other work
    before or after them."""
    outside = loop.items[:loop.first(0)] + loop.items[loop.end():]
    return loop.last_is_whole and all(x.name in names.DATA_OPERATORS for x in outside)


def ends_with_vectors(body):
    """Returns whether an iteration ends with vectors, as a network does. If there are convolutions, examines only the
    operators after the last convolution and the last view, because a view can turn vectors into images again."""
    last = max([i for i, n in enumerate(body) if n in CONVOLUTIONS], default=-1)
    view = max([i for i, n in enumerate(body) if n in VIEWS], default=-1)
    if last < 0:
        return "aten::flatten" in body and view < 0
    rest = body[max(last, view) + 1:]
    mean = rest.index("aten::mean") if "aten::mean" in rest else len(rest)
    return "aten::flatten" in rest or any(n in PRODUCTS for n in rest[mean:])


def shown_by_names(body, chained):
    """Returns whether the names of an iteration show a whole step rather than a layer. chained: each iteration uses the
    output of the previous one, so constants may belong to a layer."""
    operators = [n for n in body if n != (BACKWARD,)]
    if len(operators) < len(body) or any(names.is_loader(n) or n in ENDS or n.startswith("aten::") and n.endswith("_loss") for n in operators):
        return True
    attentions = sum("attention" in n or "softmax" in n for n in operators)
    making = any(n in MAKERS and not (chained and n in CONSTANTS) or n in names.SCALAR_OPERATORS for n in operators)
    return making and attentions != 1 or ends_with_vectors(operators)


def shape(x):
    return tuple(x) if isinstance(x, list) and all(type(n) is int for n in x) and len(x) <= 16 else None


def inputs(item):
    """Returns the shapes of an operator's inputs; None: not recorded."""
    dims = item.event.args.get("Input Dims") if item.event.kind == "operator" else None
    return [shape(x) for x in dims] if isinstance(dims, list) else None


def output(item):
    """Returns the shape of an operator's result; None: unknown."""
    dims = inputs(item) or []
    x, w, v = (dims + [None] * 3)[:3]
    if item.name in KEEPERS:
        return x
    if item.name in ("aten::mean", "aten::sum") and x is not None and len(dims) < 3:
        return ()
    if item.name == "aten::addmm":
        x, w = w, v
    if item.name not in PRODUCTS or not x or w is None or len(w) != 2:
        return None
    return x[:-1] + (w[0 if item.name == "aten::linear" else 1],)


def is_unused(items, first, end):
    out = output(items[first - 1])
    while end > first + 1 and items[end - 1].name in KEEPERS:
        end -= 1
    rest = [inputs(x) for x in items[first:end]]
    return out == () or bool(out) and all(r is not None and out not in r for r in rest)


def shown_by_shapes(loop):
    firsts = [loop.first(i) for i in range(len(loop.starts))] + [loop.end()]
    joined = any(x.name in ("aten::cat", "aten::stack") for x in loop.items[loop.end():])
    return not joined and all(is_unused(loop.items, a, b) for a, b in zip(firsts[1:], firsts[2:]))


def likely_output(item):
    """Returns the result of output(), but for elementwise sums and products the shape of the first operand."""
    return (inputs(item) or [None])[0] if item.name in ELEMENTWISE else output(item)


def is_chained(loop):
    """Returns whether each iteration has an input with the shape of the previous iteration's last result."""
    firsts = [loop.first(i) for i in range(len(loop.starts))] + [loop.end()]
    pairs = [(likely_output(loop.items[a - 1]), loop.items[a:b]) for a, b in zip(firsts[1:], firsts[2:])]
    return bool(pairs) and all(out and any(out in (inputs(x) or ()) for x in items) for out, items in pairs)


def starts_with_new_data(loop):
    """Returns whether each iteration starts with new data. Layers of a single call do not, because each layer uses the
    output of the previous one."""
    at = next(i for i in range(len(loop.starts)) if tuple(loop.iteration(i)) == loop.typical) if len(loop.starts) > 1 else 0
    first = loop.first(at)
    body = [x.name for x in loop.items[first:first + len(loop.typical)]]
    return len(set(body)) > 1 and (shown_by_names(body, is_chained(loop)) or shown_by_shapes(loop))


def repeats(items):
    """Returns the loop of the shortest sequence that the items repeat, or None. Data operators at both ends are
    ignored."""
    work = [i for i, x in enumerate(items) if x.name not in names.DATA_OPERATORS]
    if not work:
        return None
    first, text = work[0], [x.name for x in items[work[0]:work[-1] + 1]]
    border, matched = [0], 0
    for name in text[1:]:
        while matched and name != text[matched]:
            matched = border[matched - 1]
        matched += name == text[matched]
        border.append(matched)
    starts = list(range(first, first + len(text), len(text) - matched))
    return Loop(items, starts=starts) if len(starts) >= LEAST_REPEATS else None


def is_anchor(source, name):
    if source == "backward" or name == (BACKWARD,):
        return source == "backward" and name == (BACKWARD,)
    module = name.startswith("nn.Module: ")
    if source == "modules":
        return module and source_name(source, name) not in CELLS
    return not module and name not in names.DATA_OPERATORS and not names.is_loader(name)


def length_of(spans, operations):
    """Returns the time from the start of the first step to the end of the last step, or to the end of the last device
    operation launched in the steps, if that is later, ns."""
    start, end = spans[0][0], spans[-1][1]
    return max([end] + [k.end for k in operations if k.launch is not None and start <= k.launch.start < end]) - start


def find_loop(source, items, events):
    """Returns (loop, name of its anchor). Tries rare names first. Returns None if nothing repeats, or if the
    loop takes less than half of the recording."""
    count, first = collections.Counter(x.name for x in items), {}
    for i, x in enumerate(items):
        first.setdefault(x.name, i)
    found = sorted((n for n in count if count[n] >= LEAST_REPEATS and is_anchor(source, n)), key=lambda n: (count[n], first[n]))
    loops = [(Loop(items, name), name) for name in found[:ANCHORS]]
    period = repeats(items) if source == "operators" else None
    if period:
        loops.append((period, items[period.starts[0]].name))
    for loop, name in loops:
        if not loop.settle() or source == "operators" and not (contains_all_work(loop) and starts_with_new_data(loop)):
            continue
        loop.cut_last()
        if 2 * length_of(loop.spans(), events.operations) >= events.last - events.first:
            return loop, name
    return None


def has_marker(events):
    """Returns whether any marker of a step exists. If so, a repetition is only a part of a step."""
    return any(names.is_step(e.name) or names.is_execute_context(e.name) or names.is_step_bracket(e.name) or names.is_optimizer_step(e.name)
               for l in events.of.values() for e in l)


def infer(events, tree, main):
    """Returns (source, name, loop) of the inferred loop, or None."""
    if main is None or has_marker(events):
        return None
    for ranges, sources in ((False, ("modules", "backward", "operators")), (True, ("operators",))):
        items = items_of(tree, main, ranges)
        for source in sources:
            found = find_loop(source, items, events)
            if found:
                return source, found[1], found[0]
    return None


def source_name(source, name):
    """Returns the name of the steps' source: class of the module, "backward", or name of an operator."""
    if source == "backward":
        return "backward"
    name = name[len("nn.Module: "):] if source == "modules" else name
    head, line, tail = name.rpartition("_")
    return head if source == "modules" and head and tail.isdigit() else name
