#!/usr/bin/env python3
"""graphs.py KIND FOLDER: writes the trace of a program that replays graphs into FOLDER/run.json, and traces of the captures
into FOLDER/capture_traces; see graphs.tsv. Each KIND has a function `made_KIND` below.

The model has an embedding, layers of five operators, and a head; operator i of a layer is on line 10 + i of model.py."""
import json
import os
import sys

LAYER = [("aten::rms_norm", "norm_kernel", [[32, 64], [64]]), ("aten::mm", "gemm_kernel_a", [[32, 64], [64, 192]]),
         ("engine::attention", "attention_kernel", [[32, 192]]), ("aten::mm", "gemm_kernel_b", [[32, 64], [64, 64]]),
         ("aten::add_", "add_kernel", [[32, 64], [32, 64]])]


def model(layers, batch=32):
    """Returns (operator, kernel, shapes, module, line) for each kernel."""
    found = [("aten::embedding", "gather_kernel", [[1000, 64], [batch]], "Embedding_0", "model.py(5): embed")]
    for layer in range(layers):
        for i, (operator, kernel, shapes) in enumerate(LAYER):
            found.append((operator, kernel, [[batch] + shapes[0][1:]] + shapes[1:], "Layer_%d" % layer,
                          "model.py(%d): forward" % (10 + i)))
    return found + [("aten::mm", "gemm_kernel_head", [[batch, 64], [64, 1000]], "Head_0", "model.py(30): logits")]


class Trace:
    """The events of one trace; times in microseconds."""

    def __init__(self, api="hip"):
        self.events, self.number, self.api = [], 0, api

    def add(self, cat, name, ts, dur, pid=10, tid=10, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def call(self, name, ts, tid=10, **args):
        self.number += 1
        self.add("cuda_runtime", self.api + name, ts, 2, tid=tid, correlation=self.number, **args)
        return self.number

    def kernel(self, name, ts, correlation, stream=7, cat="kernel", **args):
        self.add(cat, name, ts, 10, pid=0, tid=stream, correlation=correlation, device=0, stream=stream, **args)

    def operator(self, ts, node, tid=10, **args):
        """Adds an operator with its module and line around it, 9 us long. A sixth item of the node is the type of the
        operator's inputs."""
        operator, _, shapes, module, line = node[:5]
        kind = node[5] if len(node) > 5 else "float"
        self.add("python_function", line, ts, 9, tid=tid, **{"Python id": len(self.events) + 1})
        self.add("python_function", "nn.Module: " + module, ts + 0.5, 8, tid=tid,
                 **{"Python id": len(self.events) + 1, "Python module id": int(module.split("_")[1])})
        self.add("cpu_op", operator, ts + 1, 7, tid=tid, **{"Input Dims": shapes, "Input type": [kind] * len(shapes)}, **args)

    def capture(self, nodes, ts, label="capture_32_FULL", grid=1, names=True, tid=10, begin=True):
        """Adds a captured graph. Returns its end."""
        start = ts
        if begin:
            self.call("StreamBeginCapture", ts)
        ts += 5
        for node in nodes:
            self.operator(ts, node, tid)
            args = {"kernel": node[1], "grid": [grid, 1, 1], "block": [256, 1, 1]} if names else {}
            self.call("LaunchKernel", ts + 2, tid=tid, **args)
            ts += 10
        if begin:
            self.call("StreamEndCapture", ts)
        if label:
            self.add("user_annotation", label, start - 1, ts + 4 - start)
        return ts + 10

    def replay(self, nodes, ts, start, label=None, streams=(7,), order=None, left_out=(), graph=None, grid=None, gap=10.0):
        """Adds a launch of a graph at ts, whose kernels start at `start`."""
        correlation = self.call("GraphLaunch", ts)
        if label:
            self.add("user_annotation", label, ts - 1, 20)
        kept = [(i, node) for i, node in enumerate(nodes) if i not in left_out]
        for place, (i, node) in enumerate([kept[k] for k in order] if order else kept):
            args = {"graph node id": (graph << 32) | (i + 1)} if graph else {}
            if grid:
                args.update({"grid": [grid, 1, 1], "block": [256, 1, 1]})
            self.kernel(node[1], start + place * gap, correlation, streams[place % len(streams)], **args)
        return start + len(kept) * gap + 10


def write(folder, run, captures=(), capability=None):
    """capability: major and minor number of the compute capability of the run's device."""
    os.makedirs(os.path.join(folder, "capture_traces"), exist_ok=True)
    names = ["run.json"] + ["capture_traces/graph_%d.json" % i for i in range(len(captures))]
    for name, trace in zip(names, [run, *captures]):
        head = {"schemaVersion": 1}
        if capability and trace is run:
            head["deviceProperties"] = [{"id": 0, "name": "GPU", "numSms": 100, "warpSize": 32, "totalGlobalMem": 1 << 34,
                                         "computeMajor": capability[0], "computeMinor": capability[1]}]
        with open(os.path.join(folder, name), "w") as out:
            json.dump({**head, "traceEvents": trace.events}, out)


def pair(captured, replayed, **options):
    """Returns a run with one launch, and a trace with the capture."""
    run, capture = Trace(), Trace()
    capture.capture(captured, 100)
    run.replay(replayed, 10, 50, label="execute_32_context_0", **options)
    return run, [capture]


def made_plain(folder):
    write(folder, *pair(model(2), model(2)))


def made_other_model(folder):
    other = [("aten::conv2d", "conv_kernel_%d" % i, [[1, 3]], "Conv_%d" % i, "net.py(1): forward") for i in range(12)]
    write(folder, *pair(other, model(2)))


def made_other_depth(folder):
    """Three layers (17 kernels) are no part of a graph of four (22)."""
    write(folder, *pair(model(4), model(3)))


def made_one_lost(folder):
    """11 of 12 kernels are 91.7 %."""
    write(folder, *pair(model(2), model(2), left_out=(3,)))


def made_two_lost(folder):
    """10 of 12 kernels are 83.3 %."""
    write(folder, *pair(model(2), model(2), left_out=(3, 7)))


def made_shuffled_streams(folder):
    """The order is unknown on two streams. Order joins a part; the rest is joined by name, if a name is unique."""
    write(folder, *pair(model(1), model(1), streams=(7, 8), order=[0, 2, 1, 3, 4, 5, 6]))


def made_shuffled_stream(folder):
    """One stream, one kernel after the other: the order is known, and it differs."""
    write(folder, *pair(model(1), model(1), order=[6, 5, 4, 3, 2, 1, 0]))


def made_nodes(folder):
    """Node ids restore the order of the capture."""
    write(folder, *pair(model(1), model(1), streams=(7, 8), order=[6, 5, 4, 3, 2, 1, 0], graph=3))


def made_nodes_of_other_launch(folder):
    """The second launch lost so many kernels that it fits no capture, but its nodes are known from the first."""
    run, capture = Trace(), Trace()
    capture.capture(model(1), 100)
    end = run.replay(model(1), 10, 50, graph=3)
    run.replay(model(1), end, end + 50, graph=3, left_out=(1, 2, 3))
    write(folder, run, [capture])


def layers(run, replays, steps=1):
    capture, ts = Trace(), 100
    for layer in range(4):
        nodes = [(operator, kernel, shapes, "Layer_%d" % layer, "model.py(%d): forward" % (10 + i))
                 for i, (operator, kernel, shapes) in enumerate(LAYER)]
        ts = capture.capture(nodes, ts, label=None)
    capture.add("user_annotation", "capture_32_PIECEWISE", 90, ts)
    at = 10
    for step in range(steps):
        first = at
        for _ in range(replays):
            at = run.replay(nodes, at, at + 20)
        run.add("user_annotation", "execute_32_context_%d" % step, first - 5, at - first)
    return run, [capture]


def made_layers(folder):
    """Four equal layers are replayed in their order, in each of two steps."""
    write(folder, *layers(Trace(), 4, steps=2))


def made_layers_cut(folder):
    """Three replays cannot be assigned to four equal layers: only what all layers share is known."""
    write(folder, *layers(Trace(), 3))


def made_batch_sizes(folder):
    """Batch sizes 16 and 64 were captured. A replay of 32 uses the next larger one."""
    run, small, large = Trace(), Trace(), Trace()
    small.capture(model(1, 16), 100, label="capture_16_FULL")
    large.capture(model(1, 64), 100, label="capture_64_FULL")
    run.replay(model(1), 10, 50, label="step[DECODE bs=32 id=1]")
    write(folder, run, [small, large])


def made_smaller_batch(folder):
    """Only batch size 16 was captured: the shapes of the replay of 32 are unknown."""
    run, small = Trace(), Trace()
    small.capture(model(1, 16), 100, label="capture_16_FULL")
    run.replay(model(1), 10, 50, label="execute_32_context_0")
    write(folder, run, [small])


def made_other_grids(folder):
    """The grids differ, so the shapes are not those of the replay, although the batch size is equal."""
    run, capture = Trace(), Trace()
    capture.capture(model(1), 100, grid=1)
    run.replay(model(1), 10, 50, label="execute_32_context_0", grid=2)
    write(folder, run, [capture])


def made_grids_choose(folder):
    """Two captures fit; the one with equal grids is used."""
    run, small, large = Trace(), Trace(), Trace()
    small.capture(model(1, 16), 100, label=None, grid=1)
    large.capture(model(1, 64), 100, label=None, grid=4)
    run.replay(model(1), 10, 50, grid=4)
    write(folder, run, [small, large])


def made_no_names(folder):
    """CUDA's calls carry no names: joined by place."""
    run, capture = Trace("cuda"), Trace("cuda")
    capture.capture(model(2), 100, names=False)
    run.replay(model(2), 10, 50)
    write(folder, run, [capture])


def made_no_names_inconsistent(folder):
    """The counts agree, but three kernels of one layer are others than in the other layer."""
    run, capture = Trace("cuda"), Trace("cuda")
    capture.capture(model(2), 100, names=False)
    nodes = model(2)
    for i, k in ((1, 3), (2, 0), (3, 1)):
        nodes[i] = (nodes[i][0], LAYER[k][1]) + nodes[i][2:]
    run.replay(nodes, 10, 50)
    write(folder, run, [capture])


def made_own_capture(folder):
    """The program captures a graph and replays it twice; it also has other work, so it is a run."""
    run = Trace()
    at = run.capture(model(1), 100, label=None)
    for i in range(12):
        run.operator(at + 20 * i, ("aten::mul", "mul_kernel", [[4]], "Head_0", "model.py(40): scale"))
        run.kernel("mul_kernel", at + 20 * i + 8, run.call("LaunchKernel", at + 20 * i + 2))
    at += 300
    for i in range(2):
        at = run.replay(model(1), at, at + 20)
    write(folder, run)


def made_two_threads(folder):
    """The thread of autograd launches into the graph that the main thread captures."""
    run, capture = Trace(), Trace()
    nodes = model(1)
    capture.call("StreamBeginCapture", 100)
    end = capture.capture(nodes[:4], 110, label=None, begin=False)
    end = capture.capture(nodes[4:], end, label=None, begin=False, tid=11)
    capture.call("StreamEndCapture", end)
    run.replay(nodes, 10, 50)
    write(folder, run, [capture])


def made_copies(folder):
    """A copy, a memory set and a kernel are captured."""
    run, capture = Trace(), Trace()
    capture.call("StreamBeginCapture", 100)
    capture.operator(110, ("aten::copy_", "", [[8]], "Head_0", "model.py(1): copy"))
    capture.call("MemcpyAsync", 112)
    capture.operator(120, ("aten::zero_", "", [[8]], "Head_0", "model.py(2): zero"))
    capture.call("MemsetAsync", 122)
    capture.operator(130, ("aten::add_", "", [[8]], "Head_0", "model.py(3): add"))
    capture.call("LaunchKernel", 132, kernel="add_kernel.kd", grid=[1, 1, 1], block=[256, 1, 1])
    capture.call("StreamEndCapture", 140)
    correlation = run.call("GraphLaunch", 10)
    run.kernel("Memcpy DtoD (Device -> Device)", 50, correlation, cat="gpu_memcpy")
    run.kernel("Memset (Device)", 60, correlation, cat="gpu_memset")
    run.kernel("add_kernel", 70, correlation)
    write(folder, run, [capture])


def products(kernel, shapes, kind, count):
    """Returns 20 calls, of which the first `count` are products, and the others add."""
    product = ("aten::mm", kernel, shapes, "Head_0", "model.py(30): logits", kind)
    other = ("aten::add_", "add_kernel", [[32, 64], [32, 64]], "Head_0", "model.py(31): logits", kind)
    return [product] * count + [other] * (20 - count)


def tensor_cores(folder, nodes, capability, batch=32):
    run, capture = Trace(), Trace()
    capture.capture(nodes, 100, label="capture_%d_FULL" % batch)
    run.replay(nodes, 10, 50, label="execute_32_context_0")
    write(folder, run, [capture], capability)


EVEN, ODD = [[32, 64], [64, 1000]], [[32, 63], [63, 1001]]


def made_products_fp32(folder):
    """A product in FP32 takes 5 % of the time, on a device with TF32."""
    tensor_cores(folder, products("sgemm_128x64", EVEN, "float", 1), (8, 0))


def made_products_unused(folder):
    """Products in FP32 take 8 % of the time, on a device without TF32."""
    tensor_cores(folder, products("sgemm_128x64", EVEN, "float", 2), (7, 0))


def made_products_odd(folder):
    """A product in BF16 has an odd size, and takes 5 % of the time."""
    tensor_cores(folder, products("ampere_bf16_s16816gemm_bf16_128x64", ODD, "c10::BFloat16", 1), (8, 0))


def made_products_healthy(folder):
    """Products in BF16 with even sizes use tensor cores."""
    tensor_cores(folder, products("ampere_bf16_s16816gemm_bf16_128x64", EVEN, "c10::BFloat16", 16), (8, 0))


def made_products_half_unknown(folder):
    """Products in BF16 whose kernels do not show whether they use tensor cores."""
    tensor_cores(folder, products("Cijk_Ailk_Bljk_BBS", EVEN, "c10::BFloat16", 16), (7, 0))


def made_products_smaller_batch(folder):
    """Only a smaller batch was captured, so types and shapes of the products are unknown."""
    tensor_cores(folder, products("sgemm_128x64", ODD, "float", 1), (8, 0), batch=16)


def made_products_own_capture(folder):
    """The program captures a graph with products in FP32 and replays it. It also has other work, so it is a run."""
    run, nodes = Trace(), products("sgemm_128x64", EVEN, "float", 2)
    at = run.capture(nodes, 100, label=None)
    run.add("user_annotation", "ProfilerStep#1", at, 900)
    for i in range(22):
        run.operator(at + 20 * i, ("aten::mul", "mul_kernel", [[4]], "Head_0", "model.py(40): scale"))
        run.kernel("mul_kernel", at + 20 * i + 8, run.call("LaunchKernel", at + 20 * i + 2))
    run.replay(nodes, at + 500, at + 520)
    write(folder, run, capability=(8, 0))


def made_annotated(folder):
    """Kernels of a graph with annotations: a text, a list of scopes, and the arguments of a scope."""
    run = Trace("cuda")
    correlation = run.call("GraphLaunch", 10)
    for i, args in enumerate(({"annotation": "attention"}, {"annotation": '["layer.0", {"str": "mlp", "rank": 3}]'},
                              {"str": "all_gather", "group": "fsdp"}, {"annotation": "attention"}, {})):
        run.kernel("kernel_%d" % i, 50 + 20 * i, correlation, **{"graph id": 5, "graph node id": (5 << 32) + i + 1}, **args)
    write(folder, run)


def made_annotated_calls(folder):
    """Annotated kernels whose captured calls are known. The first call is in a module, the others are not."""
    run, capture = Trace(), Trace()
    capture.call("StreamBeginCapture", 100)
    capture.operator(110, ("aten::mm", "", [[32, 64], [64, 64]], "Head_0", "model.py(3): product"))
    capture.call("LaunchKernel", 112, kernel="gemm_kernel")
    for ts, kernel in ((120, "add_kernel"), (130, "mul_kernel")):
        capture.add("cpu_op", "aten::" + kernel[:3], ts + 1, 7, **{"Input Dims": [[8]], "Input type": ["float"]})
        capture.call("LaunchKernel", ts + 2, kernel=kernel)
    capture.call("StreamEndCapture", 140)
    correlation = run.call("GraphLaunch", 10)
    for i, (kernel, args) in enumerate((("gemm_kernel", {"annotation": "products"}), ("add_kernel", {"annotation": "sums"}),
                                        ("mul_kernel", {}))):
        run.kernel(kernel, 50 + 20 * i, correlation, **{"graph id": 5, "graph node id": (5 << 32) + i + 1}, **args)
    write(folder, run, [capture])


def made_launched_in_operator(folder):
    """An operator launches the graph, and its External id is that of the kernels; torch gives it their time."""
    run, capture = Trace(), Trace()
    nodes = model(1)
    capture.capture(nodes, 100)
    run.operator(9, ("engine::replay", "", [[32]], "Engine_0", "engine.py(3): replay"), **{"External id": 7})
    run.replay(nodes, 12, 50)
    for event in run.events:
        if event["cat"] == "kernel":
            event["args"]["External id"] = 7
    write(folder, run, [capture])


def steps_with_replays(slow):
    """Returns a run of 8 steps, each with a launch of the graph and one other kernel. slow: duration of the kernel of line 13."""
    run = Trace()
    for i in range(8):
        start = 10000 * i
        run.add("user_annotation", "ProfilerStep#%d" % i, start, 9000)
        run.operator(start + 5, ("aten::mul", "", [[4]], "Head_0", "model.py(40): scale"))
        run.kernel("mul_kernel", start + 30, run.call("LaunchKernel", start + 7))
        run.replay(model(1), start + 20, start + 1000, gap=1000.0)
    for event in run.events:
        if event["cat"] == "kernel":
            event["dur"] = slow if event["name"] == "gemm_kernel_b" else 500
    return run


def made_slower(folder):
    """Two runs of one program; one kernel of the graph is slower in new.json."""
    capture = Trace()
    capture.capture(model(1), 100)
    write(folder, steps_with_replays(500), [capture])
    for name, slow in (("base", 500), ("new", 800)):
        with open(os.path.join(folder, name + ".json"), "w") as out:
            json.dump({"schemaVersion": 1, "traceEvents": steps_with_replays(slow).events}, out)


def made_serving(folder):
    """A prefill step without a graph, and two decode steps that replay one."""
    run, capture = Trace(), Trace()
    capture.capture(model(2), 100, label="capture_32_FULL")
    run.add("user_annotation", "execute_context_1(64)_generation_0(0)", 10, 100)
    for i in range(3):
        run.operator(20 + 20 * i, ("aten::mm", "", [[64, 64], [64, 64]], "Prefill_0", "model.py(50): prefill"))
        run.kernel("gemm_kernel_p", 30 + 20 * i, run.call("LaunchKernel", 22 + 20 * i))
    for i in range(2):
        run.replay(model(2), 1000 * i + 210, 1000 * i + 250, label="execute_context_0(0)_generation_32(32)")
    write(folder, run, [capture])


def made_unquantized(folder):
    """An operator whose name says that it does not quantize, as an engine has it around its products."""
    run, capture = Trace(), Trace()
    capture.call("StreamBeginCapture", 100)
    capture.add("cpu_op", "engine::unquantized_gemm", 110, 20, **{"Input Dims": [[32, 64], [64, 64]]})
    capture.operator(112, ("aten::mm", "", [[32, 64], [64, 64]], "Head_0", "model.py(3): product"))
    capture.call("LaunchKernel", 114, kernel="gemm_kernel", grid=[1, 1, 1], block=[256, 1, 1])
    capture.call("StreamEndCapture", 140)
    run.kernel("gemm_kernel", 50, run.call("GraphLaunch", 10))
    write(folder, run, [capture])


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    globals()["made_" + sys.argv[1]](sys.argv[2])
