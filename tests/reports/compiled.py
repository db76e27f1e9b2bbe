#!/usr/bin/env python3
"""compiled.py KIND FOLDER: writes a trace of code that torch.compile generated, FOLDER/trace.json, and artifacts of
torch.compile in several forms. The forward graph has three calls (lines 7, 8 and 7 to 9 of model.py), the backward
graph one call (line 8). Equal calls write equal bytes."""
import json
import os
import sys

FORWARD = {"triton_poi_fused_relu_0:1": [[("train.py", 20, "main"), ("model.py", 7, "forward")]],
           "extern_kernels.mm:2": [[("train.py", 20, "main"), ("model.py", 8, "forward")]],
           "triton_poi_fused_relu_0:3": [[("train.py", 20, "main"), ("model.py", 9, "forward")],
                                         [("train.py", 20, "main"), ("model.py", 7, "forward")]]}
BACKWARD = {"triton_red_fused_sum_0:1": [[("train.py", 20, "main"), ("model.py", 8, "forward")]]}
HEAD = 'V1128 04:45:22.360000 31689 torch/_inductor/compile_fx.py:1632] {"artifact": {"name": "%s"}, "frame_id": 0}\n\t%s\n'
STACKS = "inductor_provenance_tracking_kernel_stack_traces"


def event(cat, name, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}


class Trace:
    def __init__(self):
        self.events, self.link = [event("python_function", "train.py(1): <module>", 0, 10000)], 0

    def region(self, name, ts, calls, device=None):
        """Adds a region with one call every 20 us; the kernels of the calls run for `device` us each."""
        self.events.append(event("user_annotation", "## Call CompiledFxGraph %s ##" % name, ts, 20 * len(calls) + 10))
        for i, call in enumerate(calls):
            at = ts + 5 + 20 * i
            self.events.append(event("cpu_op", call, at, 15))
            self.link += 1
            if device:
                self.events.append(event("cuda_runtime", "cudaLaunchKernel", at + 2, 3, correlation=self.link))
                self.events.append({"ph": "X", "cat": "kernel", "name": call.replace("aten::mm", "gemm"), "pid": 0, "tid": 7,
                                    "ts": at + 4, "dur": device, "args": {"correlation": self.link, "device": 0, "stream": 7}})


def make_trace(device=None, steps=2):
    trace = Trace()
    for step in range(steps):
        ts = 100 + 1000 * step
        trace.events.append(event("python_function", "train.py(15): main", ts, 900))
        trace.events.append(event("cpu_op", "CompiledFunction", ts + 10, 200, **{"Sequence number": step, "Fwd thread id": 0}))
        trace.region("fwd", ts + 20, ["triton_poi_fused_relu_0", "aten::mm", "triton_poi_fused_relu_0"], device)
        trace.events.append(event("cpu_op", "CompiledFunctionBackward", ts + 400, 200,
                                  **{"Sequence number": step, "Fwd thread id": 1}))
        trace.region("bwd", ts + 420, ["triton_red_fused_sum_0"], device)
    return trace.events


def traceback(frames):
    return "".join('  File "/home/me/%s", line %d, in %s\n    code\n' % frame for frame in frames)


def log_of(graphs):
    text = "".join(HEAD % (STACKS, json.dumps({key: [traceback(s) for s in stacks] for key, stacks in graph.items()}))
                   for graph in graphs)
    return text + HEAD % ("other", '{"x": 1}')


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def main(kind, folder):
    device = 10 if kind.startswith("gpu") else None
    write(folder, "trace.json", json.dumps({"traceEvents": make_trace(device)}))
    log = log_of([FORWARD, BACKWARD])
    if kind in ("near", "gpu"):
        write(folder, "logs/dedicated_log_torch_trace_rank_0_x.log", log)
    elif kind == "apart":
        write(folder, "far/away/my.log", log)
    elif kind == "debug":
        debug = "torch_compile_debug/run_1/torchinductor/model__0_forward_1.0/"
        write(folder, debug + "inductor_provenance_tracking_node_mappings.json",
              json.dumps({"cppCodeToPost": {"triton_poi_fused_relu_0:1": ["relu"], "extern_kernels.mm:2": ["mm"],
                                            "triton_poi_fused_relu_0:3": ["relu_1"]}, "version": 2.0}))
        write(folder, debug + "fx_graph_transformed.py", "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n" + "".join(
            "        # File: /home/me/model.py:%d in forward, code: x = f(x)\n        %s: \"f32[8]\" = g(x)\n\n" % node
            for node in ((7, "relu"), (8, "mm"), (9, "relu_1"))))
    elif kind == "damaged":
        write(folder, "logs/dedicated_log_torch_trace_a.log", log + HEAD % (STACKS, '{"a:1": ["cut') + "\x00\xff" * 40)
    elif kind == "empty":
        write(folder, "empty/nothing.log", "V1128 no artifact\n")
    elif kind == "many":  # 300 graphs that differ, each with 200 calls, and one region that fits none of them well
        names = ["triton_poi_fused_%d_%d" % (i % 7, i) for i in range(200)]
        graphs = [{"%s:%d" % (name, i): [[("model.py", g, "f")]] for i, name in enumerate(names[g % 50:] + names[:g % 50], 1)}
                  for g in range(300)]
        write(folder, "logs/dedicated_log_torch_trace_a.log", log_of(graphs))
        trace = Trace()
        trace.region("odd", 100, names[::-1] * 5)
        write(folder, "trace.json", json.dumps({"traceEvents": trace.events}))


if __name__ == "__main__":
    main(*sys.argv[1:])
