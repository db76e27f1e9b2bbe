"""findings.py KIND FOLDER: writes a trace of one kind below FOLDER, for the rows of findings.tsv. Each kind is a small
program for which the correct estimate is known, with operators of an optimizer, of its closure, or of two findings.
Times are microseconds."""
import json
import os
import sys

TENSORS = 30
ADAM = ["aten::lerp_", "aten::mul_", "aten::addcmul_", "aten::sqrt", "aten::div", "aten::add_", "aten::addcdiv_"]


class Program:
    """Events of one thread, written in the order of time. now: end of the last event, us."""

    def __init__(self):
        self.events, self.now, self.sequence = [], 0.0, 0

    def add(self, category, name, start, length, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 10, "tid": 10, "ts": round(start, 3),
                            "dur": round(length, 3), "args": args})

    def operator(self, name, length, gap=1.0, **args):
        self.add("cpu_op", name, self.now, length, **args)
        self.now += length + gap

    def forward(self, layers, length):
        for _ in range(layers):
            self.sequence += 1
            self.operator("aten::linear", length, **{"Sequence number": self.sequence, "Fwd thread id": 0})

    def backward(self, layers, length):
        for i in range(layers):
            start = self.now
            self.now += 1
            self.operator("AddmmBackward0", length - 2, 0, **{"Sequence number": self.sequence - i, "Fwd thread id": 1})
            self.add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", start, length,
                     **{"Sequence number": self.sequence - i, "Fwd thread id": 1})
            self.now = start + length + 1

    def update(self, names, length=3.0, gap=2.0, tensors=TENSORS):
        for _ in range(tensors):
            for name in names:
                self.operator(name, length, gap)

    def frame(self, name, start):
        self.add("python_function", name, start, self.now - start)

    def range(self, name, start):
        self.add("user_annotation", name, start, self.now - start)


def paused(names, length=3.0, pause=9000.0):
    """Writes steps with an optimizer. In one of four steps, a short operator takes `pause` us, because its thread had
    no CPU."""
    def body(p):
        body.calls += 1
        p.forward(4, 200.0)
        p.backward(4, 400.0)
        start = p.now
        p.update(names[:-1], length)
        p.operator(names[-1], pause if body.calls == 2 else length, **{"Input Dims": [[64, 64]], "Input type": ["float"]})
        p.range("Optimizer.step#Adam.step", start)
    body.calls = 0
    return body


def steps(program, body, count=4):
    for i in range(count):
        start = program.now
        body(program)
        program.now += 5
        program.range("ProfilerStep#%d" % (i + 1), start)
        program.now += 1


def step_with_closure(optimizer, closure, update):
    def body(p):
        start = p.now
        p.now += 5
        closure(p)
        update(p)
        p.now += 5
        p.range("Optimizer.step#%s.step" % optimizer, start)
    return body


def train(p, layers=6, length=300):
    p.forward(layers, length)
    p.backward(layers, length)


def framed_closure(p):
    """Adds a trainer's closure, with hooks before, between and after forward and backward."""
    outer = p.now
    p.now += 400
    start = p.now
    train(p, 4, 150)
    p.frame("trainer/loops.py(120): closure", start)
    p.now += 900
    p.operator("aten::item", 2)
    p.now += 900
    p.frame("trainer/precision.py(80): wrap_closure", outer)


def clipping_closure(p):
    train(p)
    p.operator("aten::_foreach_norm", 20)
    p.sequence += 1
    p.operator("aten::stack", 5, **{"Sequence number": p.sequence})


def line_search(p):
    for _ in range(5):
        train(p, 4, 200)
        p.update(["aten::dot", "aten::add_"], tensors=15)


def plain_step(names, optimizer, length=3.0):
    def body(p):
        train(p)
        start = p.now
        p.now += 50
        p.update(names, length)
        p.now += 50
        p.range("Optimizer.step#%s.step" % optimizer, start)
    return body


def framed(p):
    start = p.now
    p.now += 5
    inner = p.now
    framed_closure(p)
    p.update(ADAM)
    p.frame("torch/optim/adam.py(213): step", inner)
    p.range("Optimizer.step#Adam.step", start)


def loading_twice(p):
    """Adds input that takes most of a step. A loop with indexing loads the input, so two rules find the same time."""
    start = p.now
    for _ in range(200):
        p.operator("aten::select", 8)
        p.operator("aten::item", 8)
    p.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start)
    p.forward(2, 100)


def small_everywhere(p):
    """Adds many small operators, including copies, inside of an optimizer and outside, so four rules find the same
    time."""
    for _ in range(100):
        p.operator("aten::copy_", 6)
        p.operator("aten::select", 4)
    plain_step(ADAM + ["aten::copy_"], "Adam")(p)


def attention(dropout, inside):
    """Returns a function that adds attention made of single operators. dropout: operator between softmax and product;
    "": none. inside: operator inside of it; "": none."""
    scores, values = [[4, 8, 64, 64]], [[4, 8, 64, 64], [4, 8, 64, 32]]

    def body(p):
        for _ in range(4):
            p.operator("aten::matmul", 200, **{"Input Dims": [[4, 8, 64, 32], [4, 8, 32, 64]]})
            p.operator("aten::div", 150, **{"Input Dims": scores})
            p.operator("aten::softmax", 300, **{"Input Dims": scores})
            if dropout:
                p.add("cpu_op", dropout, p.now, 400, **{"Input Dims": scores})
                if inside:
                    p.add("cpu_op", inside, p.now + 10, 300, **{"Input Dims": scores})
                p.now += 401
            p.operator("aten::matmul", 200, **{"Input Dims": values})
        p.forward(2, 300)
    return body


def printing(length, count=5):
    def body(p):
        p.forward(4, 1500)
        for _ in range(count):
            start = p.now
            p.now += length
            p.frame("<built-in function print>", start)
            p.now += 2
    return body


def loading(name, length, rest):
    def body(p):
        start = p.now
        p.now += length
        p.range("enumerate(DataLoader)#%s.__next__" % name, start)
        p.forward(2, rest / 2)
    return body


def rows_to_lists(python):
    """Writes the loop "for row in x: f(row.tolist())". python: time of f, us."""
    def body(p):
        for _ in range(100):
            p.operator("aten::select", 4)
            p.operator("aten::resolve_conj", 1)
            p.operator("aten::resolve_neg", 1, python)
        p.forward(2, 500)
    return body


def library_python(folder):
    def body(p):
        for _ in range(20):
            start = p.now
            p.now += 100
            p.frame(folder + "hooks.py(12): call", start)
            p.operator("aten::linear", 30)
    return body


KINDS = {
    "attention": attention("", ""),
    "attention_in_use": attention("aten::dropout", ""),
    "attention_drops": attention("aten::dropout", "aten::bernoulli_"),
    "attention_drops_natively": attention("aten::dropout", "aten::native_dropout"),
    "attention_drops_natively_alone": attention("aten::native_dropout", ""),
    "prints": printing(60),
    "prints_little": printing(400, 1),
    "prints_to_a_slow_reader": printing(1500),
    "loads_alone": loading("_SingleProcessDataLoaderIter", 9500, 500),
    "loads_some": loading("_SingleProcessDataLoaderIter", 4000, 6000),
    "workers_are_slow": loading("_MultiProcessingDataLoaderIter", 6000, 4000),
    "rows_to_lists": rows_to_lists(18),
    "rows_to_lists_at_once": rows_to_lists(1),
    "python_of_a_library": library_python("/opt/lib/python3.12/site-packages/trainer/"),
    "python_of_the_user": library_python("/home/me/train/"),
    "closure": step_with_closure("Adam", train, lambda p: p.update(ADAM)),
    "closure_of_a_trainer": framed,
    "closure_that_clips": step_with_closure("AdamW", clipping_closure, lambda p: p.update(ADAM)),
    "line_search": step_with_closure("LBFGS", line_search, lambda p: p.update(["aten::add_"])),
    "no_fused_form": plain_step(["aten::mul_", "aten::addcmul_", "aten::sqrt", "aten::div_", "aten::mul_", "aten::addcmul_", "aten::add_"], "Adadelta"),
    "own_optimizer": plain_step(ADAM, "Lion"),
    "one_operator_each": plain_step(["aten::add_"], "SGD", 40.0),
    "per_tensor": plain_step(ADAM, "Adam"),
    "per_tensor_momentum": plain_step(["aten::add", "aten::mul_", "aten::add_", "aten::add_"], "SGD", 8.0),
    "already_fused": plain_step(["aten::_fused_adam_"], "Adam", 30.0),
    "optimizer_paused": paused(ADAM),
    "optimizer_not_paused": paused(ADAM, pause=3.0),
    "loading_twice": loading_twice,
    "small_everywhere": small_everywhere,
}


def write(folder, name, events, **head):
    with open(os.path.join(folder, name), "w") as f:
        json.dump({"schemaVersion": 1, **head, "traceEvents": events}, f)


def beside_pytorch(folder, is_alone=False, is_usable=True):
    """Writes two traces of the same process, by PyTorch and by tracepress. In the latter, library calls take a tenth of
    the time."""
    program = Program()
    steps(program, KINDS["per_tensor"])
    calls = Program()
    for _ in range(400):
        calls.operator("sgemm_", 300.0, 3000.0)
    if not is_alone:
        write(folder, "host_10.1000.pt.trace.json", program.events if is_usable else [])
    write(folder, "host_10_tracepress.2000.pt.trace.json", calls.events, tracepress_version="1")


FOLDERS = {"beside_pytorch": beside_pytorch, "not_beside_pytorch": lambda folder: beside_pytorch(folder, True),
           "beside_an_empty_trace": lambda folder: beside_pytorch(folder, is_usable=False)}


def main():
    kind, folder = sys.argv[1:3]
    if kind in FOLDERS:
        return FOLDERS[kind](folder)
    program = Program()
    steps(program, KINDS[kind])
    write(folder, "findings.pt.trace.json", program.events)


if __name__ == "__main__":
    main()
