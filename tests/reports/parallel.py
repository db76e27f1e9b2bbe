#!/usr/bin/env python3
"""parallel.py KIND FOLDER: writes a trace of a kind into FOLDER; see parallel.tsv. Kinds are functions named
`made_KIND` below: traces of one GPU, of one of several ranks, and of programs on the CPU. All times are fixed, so
that equal kinds have equal bytes."""
import json
import os
import sys

H100 = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85028765696, "computeMajor": 9, "computeMinor": 0,
        "numSms": 132, "warpSize": 32}


class Recording:
    """Events of a main thread and of one GPU. now: clock of the host, us."""

    def __init__(self, gpu=H100, **head):
        self.head = {"schemaVersion": 1, "deviceProperties": [gpu] if gpu else [], "record_shapes": 1, **head}
        self.events, self.now, self.free, self.last = [], 0.0, {}, 0

    def host(self, cat, name, start, dur, tid=100, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": tid, "ts": round(start, 3),
                            "dur": round(dur, 3), "args": args})
        return self.events[-1]

    def kernel(self, name, start, dur, stream=7, cat="kernel", **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": round(start, 3),
                            "dur": round(dur, 3), "args": {"device": 0, "stream": stream, **args}})

    def launch(self, start, kernel, dur, stream=7, call="cudaLaunchKernel", **args):
        """Adds a launch of 2 us, and its kernel, which starts when the stream is free."""
        self.last += 1
        self.host("cuda_runtime", call, start, 2, correlation=self.last)
        begin = max(self.free.get(stream, 0), start + 3)
        self.kernel(kernel, begin, dur, stream, correlation=self.last, **args)
        self.free[stream] = begin + dur

    def operator(self, name, kernel=None, dur=0.0, took=10, dims=None, types=None, stream=7, inside=(), **args):
        """Adds an operator of `took` us that launches a kernel of `dur` us. inside: names of operators in it."""
        if dims is not None:
            args["Input Dims"] = dims
        if types is not None:
            args["Input type"] = types
        self.last += 1
        self.host("cpu_op", name, self.now, took, **{"External id": self.last, **args})
        for depth, within in enumerate(inside, 1):
            self.host("cpu_op", within, self.now + 0.1 * depth, took - 0.2 * depth, **args)
        if kernel:
            self.launch(self.now + 4, kernel, dur, stream)
        self.now += took

    def step(self, number, body, took):
        """Adds a marked step of `took` us. body: function that adds its events."""
        start = self.now
        body(self)
        self.now = max(self.now, start + took)
        self.host("user_annotation", f"ProfilerStep#{number}", start, self.now - start)

    def write(self, folder, name="trace.pt.trace.json", **more):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({**self.head, **more, "traceEvents": self.events}, file)


# ---- shares of peaks ----

def products(types, dur=700.0, kernel="sm90_xmma_gemm_bf16bf16", gpu=H100, name="aten::mm"):
    """Writes steps of four products of 8192x8192x4096, which are 550 GFLOP: 556 us at the dense BF16 peak of an H100."""
    recording = Recording(gpu)

    def body(recording):
        for _ in range(4):
            recording.operator(name, kernel, dur, dims=[[8192, 8192], [8192, 4096]], types=types)
    for number in range(4):
        recording.step(number, body, 4 * dur + 40)
    return recording


def made_typed(folder):
    products(["c10::BFloat16", "c10::BFloat16"]).write(folder)


def made_no_types(folder):
    products(None).write(folder)


def made_empty_types(folder):
    products([]).write(folder)


def made_blank_types(folder):
    products(["", ""]).write(folder)


def made_half_typed(folder):
    products(["float", ""]).write(folder)


def made_additions_without_types(folder):
    products(None, 60.0, "vectorized_elementwise_kernel", name="aten::add").write(folder)


def made_wrong_type(folder):
    products(["float", "float"]).write(folder)


def made_cut_kernels(folder):
    products(["c10::BFloat16", "c10::BFloat16"], 20.0).write(folder)


def made_wrong_device(folder):
    t4 = {**H100, "name": "Tesla T4", "totalGlobalMem": 15843721216}
    products(["c10::Half", "c10::Half"], gpu=t4).write(folder)


def made_impossible_copies(folder):
    """Writes additions that move 2 GiB in 100 us. This would be 20 TB/s, which is impossible."""
    recording = Recording()

    def body(recording):
        for _ in range(4):
            recording.operator("aten::add_", "vectorized_elementwise_kernel", 100.0, dims=[[16384, 16384], [16384, 16384], []],
                               types=["float", "float", "Scalar"])
    for number in range(4):
        recording.step(number, body, 450)
    recording.write(folder)


# ---- the line of the user's code ----

def line_of(*frames):
    """Writes steps in which the device waits while the innermost of these frames runs, inside of model.py(12):
    forward."""
    recording = Recording()

    def body(recording):
        start = recording.now
        for place, frame in enumerate(("train.py(30): main", "model.py(12): forward", *frames)):
            recording.host("python_function", frame, start + place, 9000 - 2 * place, **{"Python id": recording.last * 9 + place})
        recording.now += 8000
        recording.operator("aten::mm", "gemm", 500.0)
    for number in range(4):
        recording.step(number, body, 9600)
    return recording


LINES = {"line_of_deepcopy": ["copy.py(128): deepcopy", "copy.py(227): _deepcopy_dict"],
         "line_of_package": ["/venv/lib/python3.11/site-packages/einops/einops.py(400): reduce"],
         "line_of_triton": ["torch/_inductor/runtime/triton_heuristics.py(800): run", "/root/.triton/cache/ab12/launcher.py(5): launcher"],
         "line_of_context": ["contextlib.py(137): __enter__", "<string>(2): __init__", "dataclasses.py(20): wrap"],
         "line_of_graph": ["torch/fx/graph_module.py(700): call_wrapped", "<eval_with_key>.17(5): forward"],
         "line_of_hashed": ["/cache/qz/cqz" + "7x2k" * 12 + "a.py(345): call"],
         "line_of_relative_package": ["vllm/v1/worker.py(400): execute", "flashinfer/decode.py(5): run"],
         "line_of_checkout": ["/srv/sglang/python/sglang/srt/scheduler.py(5): run"],
         "line_of_console": ["Cell In[3](7): normalize"],
         "line_of_notebook": ["/tmp/ipykernel_123/456.py(7): normalize"],
         "line_of_old_notebook": ["<ipython-input-3-1a2b3c>(7): normalize"]}


# ---- launch-bound programs ----

def launch_bound(kernel="small_kernel", call="cudaLaunchKernel", region=None, gaps=()):
    """Writes steps with 60 launches, one every 100 us, of kernels of 10 us. gaps: additional host times before some
    launches, us."""
    recording = Recording()

    def body(recording):
        start = recording.now
        for place in range(60):
            recording.now += 90 + (gaps[place] if place < len(gaps) else 0)
            recording.operator("aten::mul")
            recording.launch(recording.now - 5, kernel, 10, call=call)
        if region:
            recording.host("user_annotation", region, start, recording.now - start)
    for number in range(4):
        recording.step(number, body, 0)
    return recording


def made_eager_launches(folder):
    launch_bound().write(folder)


def made_replayed_launches(folder):
    launch_bound(call="cudaGraphLaunch").write(folder)


def made_hip_graph_launches(folder):
    launch_bound(call="hipGraphLaunch").write(folder)


def made_compiled_launches(folder):
    launch_bound("triton_poi_fused_add_mul_0").write(folder)


def made_compiled_region(folder):
    launch_bound(region="Torch-Compiled Region: 0/0").write(folder)


def made_compiled_graph(folder):
    launch_bound(region="## Call CompiledFxGraph f2ab ##").write(folder)


def made_few_gaps(folder):
    launch_bound(gaps=(0, 9000, 0, 7000)).write(folder)


def made_one_gap(folder):
    launch_bound(gaps=(90000,)).write(folder)


def recorded_host(frames, shapes=False):
    """Writes launch-bound steps. frames: number of Python frames per launch, 1 us each."""
    recording = Recording()

    def body(recording):
        for _ in range(60):
            for frame in range(frames):
                recording.host("python_function", f"model.py({10 + frame}): helper", recording.now + frame, 1,
                               **{"Python id": 1 + frame})
            recording.now += max(90, frames)
            recording.operator("aten::mul", dims=[[8, 8], [8, 8]] if shapes else None, types=["float", "float"] if shapes else None)
            recording.launch(recording.now - 5, "small_kernel", 10)
    for number in range(4):
        recording.step(number, body, 0)
    return recording


def made_with_frames(folder):
    recorded_host(300).write(folder)


def made_with_many_frames(folder):
    recorded_host(900).write(folder)


def made_with_few_frames(folder):
    recorded_host(8).write(folder)


def made_without_frames(folder):
    recorded_host(0).write(folder)


def made_counters(folder):
    """Adds ranges with counters to a trace without other counters."""
    recording = sized(1024, 1024, 4096)
    recording.kernel("gemm", 10, 20, cat="cuda_profiler_range", **{"smsp__inst_executed.sum": 1234})
    recording.write(folder)


def made_counters_of_ranges(folder):
    recording = launch_bound()
    for place in range(40):
        recording.kernel(f"range_{place}", 90 * place, 20, cat="CUDA_PROFILER_RANGE", **{"dram__bytes_read.sum": 7 * place})
    recording.write(folder)


# ---- sizes of products, and texts ----

def sized(m, k, n, kernel="gemm", name="aten::mm", transposed=False):
    recording = Recording()

    def body(recording):
        for _ in range(4):
            recording.operator(name, kernel, 200.0, dims=[[m, k], [n, k] if transposed else [k, n]], types=["c10::Half", "c10::Half"])
    for number in range(4):
        recording.step(number, body, 850)
    return recording


def made_odd_m(folder):
    sized(1001, 1024, 4096).write(folder)


def made_odd_n(folder):
    sized(1024, 1024, 50257).write(folder)


def made_odd_k(folder):
    sized(1024, 1001, 4096).write(folder)


def made_odd_m_of_linear(folder):
    sized(77, 1024, 4096, name="aten::linear", transposed=True).write(folder)


def made_odd_n_aligned(folder):
    sized(1024, 1024, 50257, "cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x4_nn_align8").write(folder)


def made_even_unaligned(folder):
    sized(1024, 1024, 4096, "cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x4_nn_align2").write(folder)


def made_lists(folder):
    recording = Recording()

    def body(recording):
        recording.operator("aten::cat", "CatArrayBatchedCopy", 100.0, dims=[[[64, 128], [64, 256]], []], types=[["float", "float"], "Scalar"])
        recording.operator("aten::_foreach_add_", "multi_tensor_apply_kernel", 300.0, dims=[[[96], [], [7, 5]], []],
                           types=[["float"] * 3, "Scalar"])
        recording.operator("aten::stack", "CatArrayBatchedCopy", 100.0, dims=[[[32, 48]], []], types=[["float"], "Scalar"])
    for number in range(4):
        recording.step(number, body, 600)
    recording.write(folder)


def main():
    kind, folder = sys.argv[1:]
    if kind in LINES:
        line_of(*LINES[kind]).write(folder)
    else:
        globals()["made_" + kind](folder)


main()
