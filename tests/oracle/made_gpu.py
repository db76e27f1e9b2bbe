"""Generates traces of a GPU with the names in the rules about kinds of work. made(seed, work) writes a trace and
returns its path. The folder of kinds_ref.py must be in sys.path."""
import json
import os
import random
import re

import kinds_ref


def words():
    """Yields names that the rules mention, taken from their patterns."""
    for layer in ("kernel_first", "chain", "owner", "kernel"):
        for _, pattern in kinds_ref.R[layer]:
            for word in re.split(r"[|()^$\[\]?*+.\\]+", pattern):
                if len(word) > 2:
                    yield word
    yield from ("triton_poi_fused_clone_t_1", "triton_red_fused_norm_2", "triton_tem_fused_conv_3", "generic", "k",
                "elementwise_kernel", "event_wait")


WORDS = sorted(set(words()))
FRAMES = ("nn.Module: Block_0", "nn.Module: Linear_3", "nn.Module: Block_1", "train.py(12): step", "/lib/python3/x.py(3): f",
          "<built-in method item>", "nn.Module: GELU_1", "data.py(7): read")
COPIES = (("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"), ("gpu_memcpy", "Memcpy DtoD (Device -> Device)"), ("gpu_memset", "Memset (Device)"))
DEVICES = ("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "AMD Instinct MI250X", "Some Device", "")
PREFIXES = ("", "aten::", "aten::", "aten::", "vllm::", "autograd::engine::evaluate_function: ", "void ", "x_")
SUFFIXES = ("", "", "", "_12", "<float>", "Backward0", "_Compiled")


def name():
    return random.choice(PREFIXES) + random.choice(WORDS) + random.choice(SUFFIXES)


def operators(events, begin, end, depth):
    """Adds consecutive operators in [begin, end), with other operators and launches inside."""
    at = begin
    while at + 40 < end:
        stop = min(end, at + random.randint(40, max(41, (end - begin) // 2)))
        form = random.random()
        if form < 0.1:
            events.append(host("user_annotation", random.choice(("Optimizer.step#SGD.step", "mine", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")), at, stop - at))
        elif form < 0.3:
            number = random.randrange(len(FRAMES))
            module = {"Python module id": number} if FRAMES[number].startswith("nn.") else {}
            events.append(host("python_function", FRAMES[number], at, stop - at, **{"Python id": len(events), "Python parent id": None} | module))
        else:
            events.append(host("cpu_op", name(), at, stop - at, **shapes()))
        launch(events, at + 2)
        if depth:
            operators(events, at + 5, stop - 1, depth - 1)
        at = stop + random.randint(0, 5)


def host(category, text, begin, length, **args):
    return {"ph": "X", "cat": category, "name": text, "pid": 1, "tid": 1, "ts": begin, "dur": length, "args": args}


def shapes():
    """Returns random arguments of an operator, or none."""
    if random.random() < 0.3:
        return {}
    sides = [random.choice((4, 8, 64)) for _ in range(random.choice((2, 2, 3, 4)))]
    count = random.randint(1, 6)
    return {"Input Dims": [sides] * count, "Input type": [random.choice(("float", "c10::Half", "long int"))] * count,
            "Concrete Inputs": [random.choice(("", "True", "[1, 1]", "2"))] * count, "Sequence number": random.randint(0, 30)}


def launch(events, at):
    number = len(events) + 1
    call = random.choice(("cudaLaunchKernel", "cudaLaunchKernel", "cudaMemcpyAsync", "cudaGraphLaunch", "cudaStreamSynchronize"))
    if random.random() < 0.9:
        events.append(host("cuda_runtime", call, at, random.choice((1, 1, 3)), correlation=number))
    stream = random.choice((7, 7, 20))
    start = at + random.choice((1, 4, 60)) + (random.randint(0, 500) if stream == 20 else 0)
    category, text = random.choice((("kernel", name()),) * 8 + COPIES + (("kernel", "ncclDevKernel_AllReduce_Sum"), ("kernel", "event_wait")))
    more = {"Collective name": "allgather"} if random.random() < 0.02 else {}
    events.append({"ph": "X", "cat": category, "name": text, "pid": 0, "tid": stream, "ts": start + number / 1000, "dur": random.choice((1, 5, 9, 40)),
                   "args": {"device": 0, "stream": stream, "correlation": number} | more})


def made(seed, work):
    """Returns the path of a new trace in `work`: one thread, one device with two streams; sometimes steps and a known
    device."""
    random.seed(seed)
    events = []
    if random.random() < 0.5:
        operators(events, 0, 2000, 4)
    else:
        for step in range(3):
            events.append(host("user_annotation", f"ProfilerStep#{step}", 700 * step, 650))
            operators(events, 700 * step + 1, 700 * step + 649, 3)
    properties = [{"id": 0, "name": random.choice(DEVICES), "totalGlobalMem": 80 << 30}]
    path = os.path.join(work, f"made{seed}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"deviceProperties": properties, "traceEvents": events}, file)
    return path
