"""causes.py KIND FOLDER: writes a trace of one kind below FOLDER, for the rows of causes.tsv. Each kind is a small
program with one planted cause, or a healthy program that is otherwise equal. Times are microseconds. A program
with a device launches one kernel for each operator that computes."""
import json
import os
import sys

NODE = "autograd::engine::evaluate_function: "
GRADIENT = "torch::autograd::AccumulateGrad"
MAIN, BACKWARD, GLOO = 10, 11, 12


class Program:
    """A program under construction. now: end of the last host event, us. device: end of the last kernel, us."""

    def __init__(self, has_device=False, ranks=None, backend=None):
        self.events, self.now, self.device, self.sequence, self.calls = [], 0.0, 0.0, 0, 0
        self.gloo = 0.0  # end of the last call of gloo's thread, us
        self.has_device, self.thread = has_device, MAIN
        self.head = {"schemaVersion": 1, "deviceProperties": []}
        if has_device:
            self.head["deviceProperties"] = [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85031714816,
                                              "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 108}]
        if ranks:
            self.head["distributedInfo"] = {"backend": backend or "gloo", "rank": 0, "world_size": ranks}

    def add(self, category, name, start, length, thread=None, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 10, "tid": thread or self.thread,
                            "ts": round(start, 3), "dur": round(length, 3), "args": args})

    def kernel(self, name, length, stream=7, **args):
        """Adds a launch at the end of the current operator, and its kernel."""
        self.calls += 1
        start = max(self.device, self.now + 4)
        self.add("cuda_runtime", "cudaLaunchKernel", self.now, 3, correlation=self.calls)
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": round(start, 3),
                            "dur": length, "args": {"device": 0, "stream": stream, "correlation": self.calls,
                                                    "grid": [216, 1, 1], "block": [256, 1, 1], **args}})
        self.device = start + length

    def operator(self, name, length, inside=None, gap=1.0, kernel=None, **args):
        """Adds an operator of at least this length around the events that the function `inside` adds."""
        start = self.now
        if self.has_device and kernel:
            self.now += 1
            self.kernel(*kernel)
            self.now += 3
        if inside:
            self.now += 0.5
            inside()
        self.now = max(self.now, start + length)
        self.add("cpu_op", name, start, self.now - start, **args)
        self.now += gap

    def range(self, name, body):
        start = self.now
        self.now += 1
        body()
        self.now += 1
        self.add("user_annotation", name, start, self.now - start)
        self.now += 0.5

    def frame(self, name, body):
        start = self.now
        self.now += 0.5
        body()
        self.now += 0.5
        self.add("python_function", name, start, self.now - start)

    def write(self, folder):
        with open(os.path.join(folder, "rank0.pt.trace.json"), "w") as f:
            json.dump({**self.head, "traceEvents": self.events}, f)


def forward(p, layers=6, length=200):
    for _ in range(layers):
        p.sequence += 1
        p.operator("aten::addmm", length, kernel=("ampere_sgemm_128x64", length),
                   **{"Sequence number": p.sequence, "Input Dims": [[256], [64, 256], [256, 256]],
                      "Input type": ["float"] * 3})


def backward(p, layers=6, length=200, reduced=None, adds=False, rows=64):
    """Adds a backward pass. reduced: function that adds the wrapper's calls for each gradient. adds: true if the pass
    adds to existing gradients."""
    for i in range(layers):
        def node():
            p.operator("AddmmBackward0", length - 4, lambda: p.operator(
                "aten::mm", length - 6, kernel=("ampere_sgemm_64x64", length), **{"Input Dims": [[rows, 256], [256, 256]]}),
                **{"Sequence number": p.sequence - i})
        p.operator(NODE + "AddmmBackward0", length, node, **{"Sequence number": p.sequence - i, "Fwd thread id": 1})

        def take():
            def inner():
                if adds:
                    p.operator("aten::add_", 10, kernel=("vectorized_elementwise_kernel<4, add>", 8),
                               **{"Input Dims": [[256, 256], [256, 256]]})
                else:
                    p.operator("aten::detach", 2)
            p.operator(GRADIENT, 4, inner)
            if reduced:
                reduced(p, i, layers)
        p.operator(NODE + GRADIENT, 6, take)
    if reduced:
        add_wait_for_buckets(p, layers)


def update(p, optimizer="AdamW", more=None):
    def body():
        p.operator("aten::_fused_adamw_", 120, kernel=("multi_tensor_apply_kernel<fused_adamw>", 100))
    p.range("Optimizer.step#%s.step" % optimizer, body)
    if more:
        more(p)
    p.range("Optimizer.zero_grad#%s.zero_grad" % optimizer, lambda: p.operator("aten::detach", 2))


def reduction(p, nbytes, length=400, ranks=2, group="0"):
    """Adds an all-reduce, on a thread of gloo or as a kernel of NCCL."""
    count = nbytes // 4
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": count, "Out msg nelems": count,
            "Group size": ranks, "Process Group Name": group}
    if p.has_device:
        def inner():
            p.operator("record_param_comms", 14, lambda: p.range("nccl:all_reduce", lambda: p.kernel(
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", length, 20, **args)), **args)
        p.operator("c10d::allreduce_", 25, inner, **{"Input Dims": [[[count]]]})
    else:
        p.operator("c10d::allreduce_", 12, **{"Input Dims": [[[count]]]})
        start = max(p.now, p.gloo)
        p.add("user_annotation", "gloo:all_reduce", start, length, thread=GLOO,
              **{"Input Dims": [[count]], "Input type": ["float"]})
        p.gloo = start + length


def reducer(every, nbytes=1 << 20, length=400, ranks=2):
    """Returns a function that adds DistributedDataParallel's work for a gradient. A bucket has `every` gradients."""
    def take(p, i, layers):
        p.operator("torch::distributed::reducer::mul_out", 12, lambda: p.operator(
            "aten::mul", 9, kernel=("vectorized_elementwise_kernel<4, mul>", 6)))
        if (i + 1) % every == 0 or i + 1 == layers:
            reduction(p, nbytes, length, ranks)
    return take


def add_wait_for_buckets(p, layers):
    """Adds the end of a backward pass in the wrapper, which waits for all buckets and copies the gradients back."""
    p.now = max(p.now, p.gloo + 5)
    for _ in range(layers):
        p.operator("torch.distributed.ddp.reducer::copy_bucket_to_grad", 8, lambda: p.operator(
            "aten::copy_", 6, kernel=("Memcpy DtoD (Device -> Device)", 5)))


def buffers(p, count, length=300, ranks=2):
    """Adds the wrapper's broadcast of `count` buffers of one type from rank 0."""
    def views(n):
        for _ in range(n):
            p.operator("aten::view", 1, gap=0.2)
    p.operator("aten::flatten_dense_tensors", count + 10, lambda: (views(count), p.operator(
        "aten::cat", 10, kernel=("CatArrayBatchedCopy", 8))))
    args = {"Collective name": "broadcast", "dtype": "Float", "In msg nelems": count * 64, "Out msg nelems": count * 64,
            "Group size": ranks, "Process Group Name": "0"}
    if p.has_device:
        p.operator("c10d::broadcast_", 25, lambda: p.operator("record_param_comms", 14, lambda: p.range(
            "nccl:broadcast", lambda: p.kernel("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                               length, 20, **args)), **args), **{"Input Dims": [[[count * 64]]]})
    else:
        p.operator("c10d::broadcast_", 12, **{"Input Dims": [[[count * 64]]]})
        p.add("user_annotation", "gloo:broadcast", p.now, length, thread=GLOO, **{"Input Dims": [[count * 64]]})
        p.now += length + 5
    p.operator("aten::unflatten_dense_tensors", 2 * count, lambda: views(count))
    for _ in range(count):
        p.operator("aten::copy_", 4, kernel=("Memcpy DtoD (Device -> Device)", 3))


def steps(p, body, count):
    for i in range(count):
        start = p.now
        body(p, i)
        p.now += 5
        p.add("user_annotation", "ProfilerStep#%d" % (i + 1), start, p.now - start, thread=MAIN)
        p.now += 1
        if p.has_device:
            p.now = max(p.now, p.device)


def frames_of_a_step(p):
    """Adds the other parts of an optimizer step: clipping, a schedule, an average of the weights."""
    def clip():
        p.operator("aten::_foreach_norm", 60)
        p.operator("aten::_foreach_mul_", 60)
    p.frame("torch/nn/utils/clip_grad.py(200): clip_grad_norm_", clip)
    p.frame("torch/optim/lr_scheduler.py(100): step", lambda: p.operator("aten::detach", 2))
    p.frame("train.py(30): average", lambda: p.operator("aten::_foreach_lerp_", 900))


def accumulate(every, count, has_device=False, more=None, late=None, before=0):
    """Writes micro-steps, of which one of `every` updates the parameters. The first update comes after `before` other
    micro-steps."""
    p = Program(has_device)

    def body(p, i):
        forward(p)
        backward(p, adds=(i + before) % every != 0)
        if late:
            late(p, i)
        if (i + before) % every == every - 1:
            update(p, more=more)
    steps(p, body, count)
    return p


def checkpoints(p, i):
    if i == 23:
        p.frame("torch/serialization.py(900): save", lambda: setattr(p, "now", p.now + 9000))


def evaluates(p):
    """Adds a pass without gradients after each training step."""
    def body(p, i):
        forward(p)
        if i % 2 == 0:
            backward(p)
            update(p)
    steps(p, body, 12)
    return p


def lengths_differ():
    """Writes micro-steps, of which one in twelve has a batch more than twice as large."""
    p = Program()

    def body(p, i):
        rows = 640 if i == 5 else 64
        for _ in range(6):
            p.sequence += 1
            p.operator("aten::addmm", 200 * rows // 64, **{"Sequence number": p.sequence, "Input Dims": [
                [256], [rows, 256], [256, 256]], "Input type": ["float"] * 3})
        backward(p, rows=rows)
        if i % 4 == 3:
            update(p)
    steps(p, body, 12)
    return p


def wrapped(p, body, ranks=2, synced=0):
    """Adds a forward pass inside of the wrapper, which broadcasts `synced` buffers first."""
    def inside():
        if synced:
            buffers(p, synced, ranks=ranks)
        body(p)
    p.range("DistributedDataParallel.forward", inside)


def ddp_accumulates(has_device, quiet, each_step=True, count=16, other=None):
    """Writes four micro-steps of the wrapper per update. quiet: the first three run under no_sync."""
    p = Program(has_device, 2, "nccl" if has_device else "gloo")

    def micro(p, i):
        is_last = i % 4 == 3
        wrapped(p, forward)
        backward(p, reduced=None if quiet and not is_last else reducer(3), adds=i % 4 != 0)
        if other:
            other(p)
        if is_last:
            update(p)
    if each_step:
        steps(p, micro, count)
    else:
        steps(p, lambda p, i: [micro(p, 4 * i + k) for k in range(4)], count // 4)
    return p


def loop_accumulates(quiet):
    """Writes a program whose own loop reduces the gradients of each micro-step."""
    p = Program(False, 2)

    def body(p, i):
        if i % 4 == 0:
            p.range("Optimizer.zero_grad#SGD.zero_grad", lambda: p.operator("aten::detach", 2))
        forward(p)
        backward(p)
        if not quiet or i % 4 == 3:
            for _ in range(6):
                reduction(p, 1 << 18, 150)
                p.now = p.gloo + 5
        if i % 4 == 3:
            p.range("Optimizer.step#SGD.step", lambda: p.operator("aten::_fused_sgd_", 120))
    steps(p, body, 16)
    return p


def two_models():
    """Writes a generator and a discriminator, whose two optimizers run after both backward passes."""
    p = Program(True, 2, "nccl")

    def body(p, i):
        wrapped(p, forward)
        backward(p, reduced=reducer(3, 1 << 20))
        wrapped(p, lambda p: forward(p, 4))
        backward(p, 4, reduced=reducer(3, 1 << 18))
        update(p, "Adam")
        update(p, "SGD")
    steps(p, body, 8)
    return p


def skips_updates():
    """Writes a program that discards the gradients of every second step because they overflow, and adds none up."""
    p = Program(True, 2, "nccl")

    def body(p, i):
        p.range("Optimizer.zero_grad#SGD.zero_grad", lambda: p.operator("aten::detach", 2))
        wrapped(p, forward)
        backward(p, reduced=reducer(3))
        if i % 2:
            p.range("Optimizer.step#SGD.step", lambda: p.operator("aten::_fused_sgd_", 60))
    steps(p, body, 12)
    return p


def layers_reduce(p):
    """Adds an all-reduce of activations, as tensor parallelism does in each forward pass."""
    for _ in range(4):
        p.operator("aten::mm", 100, kernel=("ampere_sgemm_64x64", 100))
        reduction(p, 1 << 20, 200, group="1")


def tensor_parallel_accumulates():
    p = Program(True, 2, "nccl")

    def body(p, i):
        layers_reduce(p)
        forward(p)
        backward(p, 3, adds=i % 4 != 0)
        layers_reduce(p)
        backward(p, 3, adds=i % 4 != 0)
        if i % 4 == 3:
            update(p)
    steps(p, body, 16)
    return p


def single_rank(has_device, ranks=1, by_group=False, synced=0):
    p = Program(has_device, None if by_group else ranks, "nccl" if has_device else "gloo")

    def body(p, i):
        wrapped(p, lambda p: forward(p, 6, 60), ranks, synced)
        backward(p, 6, 60, reducer(3, 1 << 18, 30, ranks))
        update(p)
    steps(p, body, 8)
    return p


def buffers_sent(has_device, count, ranks=2):
    p = Program(has_device, ranks, "nccl" if has_device else "gloo")

    def body(p, i):
        wrapped(p, lambda p: forward(p, 6, 80), ranks, count)
        backward(p, 6, 80, reducer(3, 1 << 18, 60, ranks))
        update(p)
    steps(p, body, 8)
    return p


def user_broadcasts():
    """Writes a program that sends a setting to all ranks outside of the wrapper."""
    p = Program(False, 2)

    def body(p, i):
        buffers(p, 20)
        wrapped(p, forward)
        backward(p, reduced=reducer(3))
        update(p)
    steps(p, body, 8)
    return p


def zeroes(call, adds=True):
    """Writes a program whose own loop fills all gradients before the forward pass. The backward pass then adds to
    them."""
    p = Program()

    def body(p, i):
        def loop():
            for _ in range(12):
                p.operator(call, 30)
        p.frame("train.py(9): clear", loop)
        forward(p, 12, 60)
        backward(p, 12, 60, adds=adds)
        p.range("Optimizer.step#SGD.step", lambda: p.operator("aten::_fused_sgd_", 120))
    steps(p, body, 8)
    return p


def small_reductions(has_device, calls, by_hand=False):
    """Writes steps with `calls` reductions of 4 KiB, by a wrapper with tiny buckets or by a loop over all gradients."""
    p = Program(has_device, 2, "nccl" if has_device else "gloo")

    def body(p, i):
        if by_hand:
            forward(p, 8, 60)
            backward(p, 8, 60)
            for _ in range(calls):
                reduction(p, 4096, 40)
                p.now = p.gloo + 5
        else:
            wrapped(p, lambda p: forward(p, 8, 60))
            backward(p, calls, 12, reducer(1, 4096, 30))
        update(p)
    steps(p, body, 4)
    return p


def product(p, name, rows, inner, columns, length, kernel=5):
    """Adds a matrix product with weights. rows: sizes of the input except the last one."""
    dims = [[*rows, inner], [columns, inner], [columns]]
    if name == "aten::addmm":
        dims = [[columns], [*rows, inner], [inner, columns], [], []]
    p.operator(name, length, kernel=("gemv2T_kernel_val<int, int, float>", kernel),
               **{"Input Dims": dims, "Input type": ["float" if d else "Scalar" for d in dims]})


def perceptron(p, batch, size=1024, length=150):
    for _ in range(4):
        product(p, "aten::linear", [batch], size, size, length)
        p.operator("aten::relu", 6, kernel=("vectorized_elementwise_kernel<4, relu>", 2), **{"Input Dims": [[batch, size]]})


def encoder(p, batch, length, rows_first=False, each=None):
    """Adds layers of a transformer. rows_first: the rows of products are the elements of all sequences."""
    p.operator("aten::embedding", 8, kernel=("vectorized_gather_kernel", 3), **{"Input Dims": [[1000, 256], [batch, length], []]})
    for _ in range(4):
        for columns in (768, 256, 1024):
            if rows_first:
                product(p, "aten::addmm", [batch * length], 256, columns, each or 4 * length, length // 2 + 3)
            else:
                product(p, "aten::linear", [batch, length], 256, columns, each or 4 * length, length // 2 + 3)
        p.operator("aten::_scaled_dot_product_flash_attention_for_cpu", 30, kernel=("fmha_cutlassF_f32", 4),
                   **{"Input Dims": [[batch, 4, length, 64]] * 3})


def decoder(p, batch, tokens=8, size=1024):
    """Generates tokens one by one. Positions are equal for all samples, so their embedding has one row."""
    for _ in range(tokens):
        p.operator("aten::embedding", 8, kernel=("vectorized_gather_kernel", 3), **{"Input Dims": [[2000, size], [batch, 1]]})
        p.operator("aten::embedding", 8, kernel=("vectorized_gather_kernel", 3), **{"Input Dims": [[512, size], [1, 1]]})
        for _ in range(4):
            product(p, "aten::linear", [batch, 1], size, size, 150)


def images(p, batch, side=32, length=90, kernel=9):
    for _ in range(6):
        p.operator("aten::conv2d", length, kernel=("implicit_convolve_sgemm", kernel),
                   **{"Input Dims": [[batch, 32, side, side], [32, 32, 3, 3], [32]], "Input type": ["float"] * 3})


def recurrent(p, batch, name="gru", time=20):
    state = [1, batch, 256]
    p.operator("aten::" + name, 700, **{"Input Dims": [[batch, time, 256], state if name == "gru" else [state, state]],
                                        "Input type": ["float", "float"]})


def unknown_sizes_too(p):
    """Adds products of one sample, and products of unknown size that take most of the time."""
    perceptron(p, 1)
    p.operator("aten::linear", 8000)


def serves_unlike(step):
    """Writes a program that calls a model with one sample in all steps except `step`."""
    p = Program()
    steps(p, lambda p, i: perceptron(p, 64 if i == step else 1), 12)
    return p


def serves(forward, has_device=False, count=12):
    """Writes a program that only calls a model, once per step."""
    p = Program(has_device)
    steps(p, lambda p, i: forward(p), count)
    return p


def engine(name, count=8):
    """Writes steps of a serving engine that replays captured graphs, so no operator shows a shape."""
    p = Program(True)
    for i in range(count):
        start = p.now
        for _ in range(6):
            p.operator("vllm::unified_attention", 20, kernel=("gemv2T_kernel_val<int, int, float>", 40))
        p.add("user_annotation", name, start, p.now - start)
        p.now = max(p.now, p.device) + 2
    return p


ONE_BY_ONE = {
    "one_vector": lambda: serves(lambda p: perceptron(p, 1)),
    "one_vector_on_a_device": lambda: serves(lambda p: perceptron(p, 1), True),
    "one_text": lambda: serves(lambda p: encoder(p, 1, 16)),
    "one_text_in_rows": lambda: serves(lambda p: encoder(p, 1, 16, True)),
    "one_text_on_a_device": lambda: serves(lambda p: encoder(p, 1, 16), True),
    "one_text_token_by_token": lambda: serves(lambda p: decoder(p, 1)),
    "one_image": lambda: serves(lambda p: images(p, 1)),
    "one_image_on_a_device": lambda: serves(lambda p: images(p, 1), True),
    "one_sound": lambda: serves(lambda p: recurrent(p, 1)),
    "one_sound_lstm": lambda: serves(lambda p: recurrent(p, 1, "lstm")),
    "one_request_of_vllm": lambda: engine("execute_context_0(0)_generation_1(1)"),
    "one_request_of_vllm_with_sums": lambda: engine("execute_1_context_0(sq0sk0sqsq0sqsk0)_generation_1(sq1sk90sqsq1sqsk90)"),
    "one_request_of_sglang": lambda: engine("step[DECODE bs=1 toks=1]"),
    "many_vectors": lambda: serves(lambda p: perceptron(p, 32)),
    "many_vectors_on_a_device": lambda: serves(lambda p: perceptron(p, 32), True),
    "many_texts": lambda: serves(lambda p: encoder(p, 16, 16)),
    "many_texts_token_by_token": lambda: serves(lambda p: decoder(p, 8)),
    "many_images": lambda: serves(lambda p: images(p, 16)),
    "many_sounds_of_one_element": lambda: serves(lambda p: recurrent(p, 8, "gru", 1)),
    "many_requests_of_vllm": lambda: engine("execute_context_0(0)_generation_16(16)"),
    "many_requests_of_sglang": lambda: engine("step[DECODE bs=16 toks=16]"),
    "one_image_of_rows": lambda: serves(lambda p: product(p, "aten::linear", [1, 56, 56], 256, 256, 900)),
    "unknown_sizes_too": lambda: serves(unknown_sizes_too),
    "one_sample_in_most_steps": lambda: serves_unlike(9),
    "prefill_of_one_text": lambda: serves(lambda p: encoder(p, 1, 512)),
    "prefill_of_one_text_on_a_device": lambda: serves(lambda p: encoder(p, 1, 512), True),
    "prefill_of_vllm": lambda: engine("execute_context_1(2048)_generation_0(0)"),
    "one_large_image": lambda: serves(lambda p: images(p, 1, 512, 9000)),
    "one_large_image_on_a_device": lambda: serves(lambda p: images(p, 2, 64, 90, 150), True),
    "trains_with_one_sample": lambda: updates_one(Program()),
    "one_call": lambda: serves(lambda p: perceptron(p, 1), count=1),
    "two_calls": lambda: serves(lambda p: perceptron(p, 1), count=2),
}


def updates_one(p):
    def body(p, i):
        perceptron(p, 1)
        backward(p, rows=1)
        update(p)
    steps(p, body, 12)
    return p


def takes_apart(call, body, count=40, shape=None, seen=True):
    """Writes a loop over the rows of a 40 x 32 tensor. call: operator that splits the tensor before the loop."""
    p = Program()

    def loop():
        for i in range(count):
            if seen and call:
                p.frame("<string>(1): helper", lambda: body(p, i))
            else:
                body(p, i)

    def step(p, i):
        forward(p, 6, 400)
        if call:
            p.operator(call, 30, **{"Input Dims": [shape or [40, 32], [], []]})
        loop()
        p.operator("aten::stack", 30)
    steps(p, step, 5)
    return p


def part(name, *others):
    def body(p, i):
        p.operator(name, 6)
        for other in others:
            p.operator(other, 8)
    return body


def branch(p, i):
    """reads a value and branches on it"""
    p.operator("aten::select", 6)
    p.operator("aten::gt", 8)
    p.operator("aten::is_nonzero", 6)
    for name in ("mul", "add", "exp")[:i * i % 11 % 3 + 1]:
        p.operator("aten::" + name, 8)


def evaluate_and_read(p, i):
    """Adds a batch of a loop that evaluates a small model and reads the loss. Batches have different activation
    functions."""
    p.operator("aten::slice", 4, **{"Input Dims": [[1000, 64], [], [], [], []]})
    product(p, "aten::linear", [32], 64, 64, 30)
    for name in ("relu", "gelu", "silu")[:i * i % 11 % 3 + 1]:
        p.operator("aten::" + name, 6, **{"Input Dims": [[32, 64]]})
    p.operator("aten::cross_entropy_loss", 6)
    p.operator("aten::item", 5)


def alike_layers(call, count=12):
    """Writes equal layers after an operator that splits the weights of attention."""
    def layer(p, i):
        p.operator("aten::linear", 60)
        p.operator(call, 8, **{"Input Dims": [[8, count, 96], [], []]})
        p.operator("aten::softmax", 20)
    return takes_apart(None, layer, count)


INDEX_LOOPS = {
    "loop_of_narrow": lambda: takes_apart(None, part("aten::narrow", "aten::mul", "aten::add")),
    "loop_of_narrow_in_place": lambda: takes_apart(None, part("aten::narrow", "aten::narrow", "aten::copy_")),
    "loop_of_index_select": lambda: takes_apart(None, part("aten::index_select", "aten::mul")),
    "loop_of_take": lambda: takes_apart(None, part("aten::take", "aten::mul")),
    "loop_over_split": lambda: takes_apart("aten::split", part("aten::mul", "aten::add")),
    "loop_over_chunk": lambda: takes_apart("aten::chunk", part("aten::mul", "aten::add")),
    "loop_over_unbind": lambda: takes_apart("aten::unbind", part("aten::mul", "aten::tanh")),
    "loop_over_tensor_split": lambda: takes_apart("aten::tensor_split", part("aten::mul", "aten::tanh"), seen=False),
    "batches_that_are_evaluated": lambda: takes_apart(None, evaluate_and_read),
    "loop_that_branches": lambda: takes_apart(None, branch),
    "loop_that_branches_over_unbind": lambda: takes_apart("aten::unbind", branch),
    "layers_behind_unbind": lambda: takes_apart("aten::unbind", part("aten::linear", "aten::relu"), 12, [3, 8, 64]),
    "layers_with_chunk": lambda: alike_layers("aten::chunk"),
    "model_for_each_piece": lambda: takes_apart("aten::unbind", part("aten::linear", "aten::relu", "aten::linear"), seen=False),
    "a_few_pieces": lambda: takes_apart("aten::chunk", part("aten::mul", "aten::add"), 3, [3, 32]),
    "a_few_branches": lambda: takes_apart(None, branch, 5),
}

KINDS = {
    **INDEX_LOOPS,
    **ONE_BY_ONE,
    "zeroes_by_hand": lambda: zeroes("aten::zero_"),
    "zeroes_by_new_zeros": lambda: zeroes("aten::zeros_like"),
    "zeroes_what_is_no_gradient": lambda: zeroes("aten::zero_", False),
    "small_reductions": lambda: small_reductions(False, 404),
    "small_reductions_on_a_device": lambda: small_reductions(True, 404),
    "small_reductions_in_a_loop": lambda: small_reductions(False, 404, by_hand=True),
    "few_reductions": lambda: small_reductions(False, 4),
    "few_reductions_on_a_device": lambda: small_reductions(True, 4),
    "accumulates": lambda: accumulate(4, 16),
    "accumulates_two": lambda: accumulate(2, 12),
    "accumulates_from_the_middle": lambda: accumulate(8, 12, before=5),
    "accumulates_one_update": lambda: accumulate(8, 10),
    "accumulates_on_a_device": lambda: accumulate(4, 12, True),
    "accumulates_with_average": lambda: accumulate(4, 16, more=frames_of_a_step),
    "accumulates_and_saves": lambda: accumulate(4, 32, more=frames_of_a_step, late=checkpoints),
    "accumulates_unequal": lengths_differ,
    "updates_each_step": lambda: accumulate(1, 12),
    "evaluates_between": lambda: evaluates(Program()),
    "ddp_accumulates": lambda: ddp_accumulates(False, False),
    "ddp_accumulates_quietly": lambda: ddp_accumulates(False, True),
    "ddp_accumulates_in_a_step": lambda: ddp_accumulates(False, False, False, 32),
    "ddp_accumulates_on_a_device": lambda: ddp_accumulates(True, False),
    "ddp_accumulates_on_a_device_quietly": lambda: ddp_accumulates(True, True),
    "ddp_accumulates_in_a_step_on_a_device": lambda: ddp_accumulates(True, False, False, 32),
    "loop_accumulates": lambda: loop_accumulates(False),
    "loop_accumulates_quietly": lambda: loop_accumulates(True),
    "two_models": two_models,
    "skips_updates": skips_updates,
    "tensor_parallel_accumulates": tensor_parallel_accumulates,
    "single_rank": lambda: single_rank(False),
    "single_rank_with_buffers": lambda: single_rank(False, synced=20),
    "single_rank_on_a_device": lambda: single_rank(True),
    "single_rank_by_group": lambda: single_rank(True, by_group=True),
    "two_ranks": lambda: single_rank(False, 2),
    "two_ranks_on_a_device": lambda: single_rank(True, 2),
    "buffers_sent": lambda: buffers_sent(False, 30),
    "buffers_sent_on_a_device": lambda: buffers_sent(True, 30),
    "one_large_buffer_sent": lambda: buffers_sent(False, 1, 4),
    "user_broadcasts": user_broadcasts,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]().write(sys.argv[2])
