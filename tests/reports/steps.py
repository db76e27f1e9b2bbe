"""steps.py KIND FOLDER: writes traces of programs that mark no step into FOLDER, for the rows of steps.tsv.

Times are milliseconds here and microseconds in the files. A program is a list of calls of the builder below; its name says
what repeats.
"""
import json
import os
import sys

GPU = {"id": 0, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 100}
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
NODE = "autograd::engine::evaluate_function: "
PID = 10
CONV = (("aten::conv2d", 2), ("aten::relu", .2), ("aten::conv2d", 2), ("aten::relu", .2), ("aten::flatten", .1), ("aten::linear", 1))
MLP = (("aten::linear", 1), ("aten::relu", .2), ("aten::linear", 1), ("aten::cross_entropy_loss", .3))


class Program:
    """A thread (tid) with consecutive events. stack: module calls are recorded. gpu: operators launch kernels."""

    def __init__(self, stack=False, gpu=False):
        self.stack, self.gpu, self.events, self.now, self.tid, self.ids, self.device = stack, gpu, [], 0.0, PID, 0, 0.0

    def add(self, category, name, start, length, tid=None, pid=PID, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": self.tid if tid is None else tid,
                            "ts": round(start * 1000, 3), "dur": round(length * 1000, 3), "args": args})

    def op(self, name, length, tid=None, dims=None):
        self.ids += 1
        host = .05 if self.gpu else length
        self.add("cpu_op", name, self.now, host, tid, **dict({"External id": self.ids}, **({"Input Dims": dims} if dims else {})))
        if self.gpu and not name.startswith("aten::detach"):
            self.add("cuda_runtime", "cudaLaunchKernel", self.now + .01, .01, tid, correlation=self.ids, **{"External id": self.ids})
            start = max(self.now + .03, self.device)
            self.device = start + length
            self.add("kernel", name[6:] + "_kernel", start, length, 7, 0, device=0, stream=7, correlation=self.ids, grid=[400, 1, 1], block=[256, 1, 1])
        self.now += host + .005

    def ops(self, *operators):
        for operator in operators:
            self.op(operator[0], operator[1], dims=operator[2] if len(operator) > 2 else None)

    def read(self):
        """Adds a wait of the host until the device has finished."""
        start = self.now
        if self.gpu:
            self.add("cuda_runtime", "cudaStreamSynchronize", start + .01, max(.01, self.device - start), correlation=0)
            self.now = max(self.now, self.device) + .03
        else:
            self.now += .02
        self.add("cpu_op", "aten::item", start, self.now - start)
        self.now += .005

    def module(self, name, operators):
        start = self.now
        self.now += .01
        self.ops(*operators)
        self.now += .01
        if self.stack:
            self.add("python_function", "nn.Module: " + name, start, self.now - start, **{"Python id": 1, "Python module id": 0})

    def backward(self, nodes=3, length=1.0):
        for i in range(nodes):
            self.op(NODE + "AddmmBackward%d" % i, length, 77 if self.gpu else None)

    def update(self, count=3):
        for _ in range(count):
            self.ops(("aten::mul", .1), ("aten::sub_", .1))

    def load(self, length=5.0):
        self.add("user_annotation", LOADER, self.now, length)
        self.now += length + .005

    def idle(self, length):
        self.now += length

    def train(self, model="MLP_0", update=True):
        self.module(model, MLP)
        self.backward()
        if update:
            self.update()

    def infer(self, model="ConvNet_0", operators=CONV, read=False):
        self.module(model, operators)
        if read:
            self.read()

    def range_of(self, name, work):
        start = self.now
        self.now += .01
        work()
        self.add("user_annotation", name, start, self.now - start)
        self.now += .01

    def write(self, folder, name="trace", **head):
        last = max(e["ts"] + e["dur"] for e in self.events)
        end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": last + 1}
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump(dict({"schemaVersion": 1, "deviceProperties": [GPU] if self.gpu else []}, **head, traceEvents=self.events + [end]), f)


def forms(build):
    """Writes a program in four forms: with and without module calls, on the CPU and on a GPU."""
    def write(folder):
        for name, stack, gpu in (("stack", True, False), ("plain", False, False), ("gpu", False, True), ("gpu_stack", True, True)):
            p = Program(stack, gpu)
            build(p)
            p.write(folder, name)
    return write


def train(p):
    for _ in range(10):
        p.train()


def forward_backward(p):
    for _ in range(8):
        p.train(update=False)


def train_from_loader(p):
    for _ in range(8):
        p.load(20)
        p.train()
    p.load(.1)                                           # this is the end of the loader


def train_with_log(p):
    for i in range(30):
        p.train()
        if i % 10 == 9:
            p.read()


def infer(p):
    for _ in range(10):
        p.infer()


def infer_and_read(p):
    for _ in range(10):
        p.infer(read=True)


def infer_in_ranges(p):
    for _ in range(10):
        p.range_of("model_inference", p.infer)


def infer_in_phases(p):
    for _ in range(10):
        p.range_of("prepare", lambda: p.ops(("aten::to", .5), ("aten::div", .2)))
        p.range_of("predict", p.infer)


def infer_after_setup(p):
    p.ops(("aten::empty", .01), ("aten::uniform_", .2), ("aten::randn", .2))
    infer(p)


def decode(p):
    """Adds a decoding loop. The first call has the whole prompt, and later calls take longer as the cache grows."""
    for i in range(12):
        attention = ("aten::scaled_dot_product_attention", 6.0 if i == 0 else .4 + .02 * i)
        p.infer("Decoder_0", (("aten::embedding", .1),) + (("aten::linear", .5), attention, ("aten::cat", .1), ("aten::linear", .5)) * 3 + (("aten::linear", .8),))
        p.ops(("aten::argmax", .1))
        p.read()


def uneven_first(p):
    p.module("MLP_0", tuple((n, 20 * l) for n, l in MLP))
    p.backward(length=20)
    p.update()
    for _ in range(9):
        p.train()


def first_prepares(p):
    p.module("MLP_0", (("aten::empty", .1), ("aten::zeros", .1)) + MLP)
    p.ops(("aten::zeros", .1), ("aten::zeros", .1))
    p.backward()
    p.ops(("aten::zeros", .1), ("aten::empty_like", .1))
    p.update()
    for _ in range(9):
        p.train()


def evaluate(p, calls):
    for _ in range(calls):
        p.module("MLP_0", MLP[:3])
        p.ops(("aten::argmax", .1), ("aten::eq", .1), ("aten::sum", .1))
        p.read()


def train_and_evaluate(p):
    for i in range(20):
        p.train()
        if i in (8, 15):
            evaluate(p, 6)


def train_then_evaluate(p):
    for i in range(10):
        p.train()
    evaluate(p, 4)


def evaluate_as_often(p):
    for i in range(6):
        p.train()
        evaluate(p, 1)


def accumulate(p, rounds=4, passes=4):
    for i in range(rounds * passes):
        p.train(update=i % passes == passes - 1)


def accumulate_two_rounds(p):
    accumulate(p, 2)


def accumulate_in_one_step(p):
    """Adds passes with a single marked optimizer step, so the passes are parts of one step."""
    for i in range(6):
        p.train(update=False)
    p.range_of("Optimizer.step#SGD.step", p.update)


def one_call(p):
    p.infer("ResNet_0", (("aten::conv2d", 2),) + (("aten::conv2d", 1), ("aten::batch_norm", .5), ("aten::relu", .2), ("aten::conv2d", 1), ("aten::add_", .1)) * 6
            + (("aten::mean", .1), ("aten::linear", .2)))


def one_call_of_layers(p):
    p.infer("Sequential_0", (("aten::linear", 1), ("aten::relu", .2)) * 8)


def one_call_of_attention(p):
    p.infer("Encoder_0", (("aten::linear", 1), ("aten::scaled_dot_product_attention", 1), ("aten::linear", 1), ("aten::layer_norm", .2)) * 6)


def linear(rows, inputs, outputs):
    return "aten::linear", 1, [[rows, inputs], [outputs, inputs], [outputs]]


def unary(name, *shape):
    return name, .2, [list(shape)]


def equal_layers(p):
    """Adds one call of layers of equal width, with recorded shapes."""
    p.module("Sequential_0", (linear(256, 64, 64), unary("aten::relu", 256, 64)) * 12)


def bottlenecks(p):
    """Adds one call of layers that widen, narrow and add."""
    p.module("Sequential_0", (linear(256, 64, 128), unary("aten::gelu", 256, 128), linear(256, 128, 64), ("aten::add", .1, [[256, 64], [256, 64], []])) * 8)


def residual_blocks(p):
    """Adds one call of blocks without a head. Each block has two convolutions and an addition."""
    p.module("Sequential_0", (("aten::conv2d", 1), ("aten::batch_norm", .2), ("aten::relu", .2), ("aten::conv2d", 1), ("aten::batch_norm", .2), ("aten::add", .1), ("aten::relu", .2)) * 12)


def layers_with_zeros(p):
    """Adds one call of layers that make zeros, as for a mask, with recorded shapes."""
    p.module("Sequential_0", (linear(256, 64, 64), unary("aten::relu", 256, 64), ("aten::zeros", .1, [[], [], []]), linear(256, 64, 64),
                              ("aten::add", .1, [[256, 64], [256, 64], []])) * 12)


def dense_blocks(p):
    """Adds one call of layers that concatenate all previous outputs."""
    p.module("Sequential_0", (("aten::cat", .1), ("aten::batch_norm", .2), ("aten::relu", .2), ("aten::conv2d", 1)) * 12)


def squeezed_blocks(p):
    """Adds one call of convolutions with a weight per channel."""
    p.module("Sequential_0", (("aten::conv2d", 1), ("aten::mean", .1), ("aten::linear", .1), ("aten::sigmoid", .1), ("aten::unsqueeze", .1), ("aten::mul", .2)) * 9)


def norms_in_float(p):
    """Adds one call of layers that normalize in another type."""
    p.module("Sequential_0", (("aten::to", .1), ("aten::pow", .1), ("aten::mean", .1), ("aten::rsqrt", .1), ("aten::mul", .1), ("aten::to", .1),
                              ("aten::linear", 1), ("aten::silu", .2), ("aten::linear", 1), ("aten::add", .1)) * 12)


def weights_made_in_layers(p):
    """Adds one call of layers that compute their weights from shapes other than those of the data."""
    p.module("Sequential_0", (("aten::_weight_norm", .1, [[64, 64], [64, 1], []]), linear(256, 64, 64), unary("aten::relu", 256, 64)) * 12)


def branches(p):
    """Adds one call of branches that narrow the same input and are joined at the end."""
    p.module("Branches_0", (linear(256, 64, 16), unary("aten::relu", 256, 16)) * 12 + (("aten::stack", .1, [[[256, 16]] * 12, []]),))


def infer_one_layer(p):
    """Adds a loop whose body is a layer of equal width, so that the shapes look like those of a network."""
    for _ in range(12):
        p.module("Sequential_0", (linear(256, 64, 64), unary("aten::relu", 256, 64)))


def infer_narrow_layer(p):
    for _ in range(12):
        p.module("Sequential_0", (linear(256, 64, 10), unary("aten::relu", 256, 10)))


def infer_perceptron(p):
    """Adds a loop in which each operator runs more than once per iteration."""
    for _ in range(12):
        p.module("Sequential_0", (linear(256, 64, 128), unary("aten::relu", 256, 128), linear(256, 128, 128), unary("aten::relu", 256, 128), linear(256, 128, 10)))


def infer_and_choose(p):
    for _ in range(12):
        p.module("Sequential_0", (("aten::linear", 1), ("aten::relu", .2)))
        p.op("aten::argmax", .1)


def validate(p):
    for _ in range(12):
        p.module("Sequential_0", (("aten::linear", 1), ("aten::relu", .2)))
        p.op("aten::cross_entropy_loss", .1)


def infer_pooled(p):
    for _ in range(8):
        p.module("ResNet_0", (("aten::conv2d", 1), ("aten::batch_norm", .2), ("aten::relu", .2), ("aten::conv2d", 1), ("aten::add", .1), ("aten::mean", .1), ("aten::linear", .1)))


def denoise(p):
    """Adds sampling of a diffusion model. Each iteration adds noise to the image of the previous one."""
    for _ in range(20):
        p.module("UNet_0", (("aten::conv2d", 1), ("aten::silu", .2), ("aten::conv2d", 1)))
        p.ops(("aten::mul", .1), ("aten::sub", .1), ("aten::randn_like", .1), ("aten::add", .1))


def beam_search(p):
    for _ in range(15):
        p.ops(("aten::embedding", .2), ("aten::gru_cell", 1), ("aten::linear", 1), ("aten::log_softmax", .2), ("aten::topk", .2), ("aten::index", .1))


def time_steps(p):
    """Adds calls of a recurrent cell of torch, one per element of a sequence."""
    for _ in range(20):
        p.op("aten::select", .01)
        p.module("LSTMCell_0", (("aten::lstm_cell", 1),))


def recompute(p):
    """Adds a backward pass that runs the layers again, as with checkpoints."""
    for _ in range(6):
        p.module("MLP_0", MLP)
        p.backward(1)
        p.ops(*MLP[:2])
        p.backward(2)
        p.update()


def one_call_in_ranges(p):
    p.ops(("aten::embedding", .2))
    for _ in range(6):
        p.range_of("layer", lambda: p.ops(("aten::linear", 1), ("aten::gelu", .2), ("aten::linear", 1)))
    p.ops(("aten::layer_norm", .1), ("aten::linear", 1))


def one_step_of_training(p):
    p.train()


def no_loop(p):
    p.ops(("aten::mm", 1), ("aten::relu", .2), ("aten::softmax", .3), ("aten::sum", .1), ("aten::fft_fft", .4), ("aten::norm", .1), ("aten::mm", 1))


def irregular(p):
    names = ("aten::mm", "aten::tanh", "aten::sin", "aten::sort")
    at = 7
    for _ in range(90):
        at = (at * 1103515245 + 12345) % 2147483648
        p.op(names[at >> 16 & 3], .2 + (at >> 20 & 7) / 10)


def same_operator(p):
    for _ in range(12):
        p.op("aten::mm", 1)


def two_models(p):
    for _ in range(6):
        p.infer()
        p.infer("MLP_0", MLP[:3])


def two_models_apart(p):
    for _ in range(6):
        p.infer()
    for _ in range(24):
        p.infer("MLP_0", MLP[:3])


def generator_and_critic(p):
    for _ in range(5):
        for _ in range(3):
            p.module("Critic_0", MLP)
            p.backward()
            p.update(2)
        p.module("Generator_0", MLP[:3])
        p.module("Critic_0", MLP)
        p.backward()
        p.update(2)


def recurrent(p):
    """Adds calls of a recurrent cell, one per element of a sequence."""
    for _ in range(20):
        p.module("GRUCell_0", (("aten::linear", .5), ("aten::sigmoid", .1), ("aten::linear", .5), ("aten::tanh", .1)))


def threads_infer(p):
    """Adds helper threads that each run a loop while the main thread waits. Then the main thread works for a short
    time."""
    for tid in (21, 22, 23):
        p.tid, p.now = tid, 1.0 + tid / 100
        infer(p)
    p.tid = PID
    p.add("cpu_op", "aten::randn", 0, .5)
    p.add("cpu_op", "aten::mean", p.now + 1, .5)


def main_trains_beside_a_helper(p):
    p.tid = 21
    for _ in range(25):
        p.infer()
    p.tid, p.now = PID, 0.0
    train(p)


def loading_before(p):
    p.load(2000)
    train(p)
    train(p)


def reading_before(p):
    """Adds a file read in Python before the loop, which gives a frame but no operator."""
    p.add("python_function", "train.py(9): read_all", 0, 400, **{"Python id": 1})
    p.idle(400)
    train(p)


def pauses_between(p):
    """Adds pauses without events between iterations, so the end of the last iteration is unknown."""
    for _ in range(6):
        p.idle(12)
        p.train()


def short_pauses_between(p):
    for _ in range(12):
        p.idle(1.5)
        p.train()


def cut_in_the_middle(p):
    for _ in range(8):
        p.train()
    p.module("MLP_0", MLP)


def saving_after(p):
    for _ in range(10):
        p.train()
    p.range_of("save", lambda: p.idle(30))


def two_ranks(folder, second):
    for rank, build in ((0, train), (1, second)):
        p = Program(True, True)
        build(p)
        p.write(folder, "rank%d" % rank, distributedInfo={"backend": "nccl", "rank": rank, "world_size": 2})


def pair(folder, new, stack=False, old=None):
    for name, build in (("base", old or train), ("new", new)):
        p = Program(stack, True)
        build(p)
        p.write(folder, name)


def slower(p):
    for _ in range(10):
        p.module("MLP_0", MLP[:1] + (("aten::gelu", 3),) + MLP[2:])
        p.backward()
        p.update()


def slower_infer(p):
    for _ in range(10):
        p.infer(operators=tuple((n, 3 * l) for n, l in CONV))


KINDS = {build.__name__: forms(build) for build in (train, forward_backward, train_from_loader, train_with_log, infer, infer_and_read, infer_in_ranges, infer_in_phases, infer_after_setup, decode,
              uneven_first, first_prepares, train_and_evaluate, train_then_evaluate, evaluate_as_often, accumulate, accumulate_two_rounds,
              accumulate_in_one_step, one_call, one_call_of_layers, one_call_of_attention, one_call_in_ranges, one_step_of_training, no_loop, irregular,
              same_operator, two_models, two_models_apart, generator_and_critic, recurrent, threads_infer, main_trains_beside_a_helper, loading_before,
              reading_before, pauses_between, short_pauses_between, cut_in_the_middle, saving_after, equal_layers, bottlenecks, layers_with_zeros, residual_blocks, dense_blocks, squeezed_blocks, norms_in_float, weights_made_in_layers, branches, infer_one_layer,
              infer_narrow_layer, infer_perceptron, infer_and_choose, validate, infer_pooled, denoise, beam_search, time_steps, recompute)}
KINDS["ranks_agree"] = lambda folder: two_ranks(folder, train)
KINDS["ranks_differ"] = lambda folder: two_ranks(folder, irregular)
KINDS["ranks_of_other_loops"] = lambda folder: two_ranks(folder, infer)
KINDS["pair_slower"] = lambda folder: pair(folder, slower)
KINDS["pair_slower_modules"] = lambda folder: pair(folder, slower, True)
KINDS["pair_equal"] = lambda folder: pair(folder, train)
KINDS["pair_of_operators"] = lambda folder: pair(folder, slower_infer, False, infer)
KINDS["pair_irregular"] = lambda folder: pair(folder, irregular, False, irregular)
KINDS["pair_of_other_sources"] = lambda folder: pair(folder, infer)

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
