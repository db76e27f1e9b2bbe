#!/usr/bin/env python3
"""ranks2.py KIND FOLDER: writes traces of communication that overlap, stages or missing ranks are about. Deterministic."""
import json
import os
import sys

NODE = "autograd::engine::evaluate_function: MmBackward0"


def host(cat, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": tid, "ts": ts, "dur": dur, "args": args}


class Device:
    """events of a device; work and communication run on streams of their own"""

    def __init__(self):
        self.events, self.link = [], 0

    def step(self, number, ts, dur):
        self.events.append(host("user_annotation", "ProfilerStep#%d" % number, ts, dur))

    def run(self, name, called, start, dur, stream=7, node=None, **args):
        """launches a kernel at `called`, inside of a node of the backward pass if one is named"""
        self.link += 1
        if node:
            self.events.append(host("cpu_op", node, called - 1, 4))
        self.events.append(host("cuda_runtime", "cudaLaunchKernel", called, 2, correlation=self.link))
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": dur,
                            "args": dict(args, device=0, stream=stream, correlation=self.link)})
        return start + dur

    def send(self, called, start, dur, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL", **args):
        return self.run(name, called, start, dur, stream=20, **args)

    def wait(self, ts, dur, name="cudaDeviceSynchronize"):
        self.events.append(host("cuda_runtime", name, ts, dur))

    def read(self, ts, end):
        """a copy to pageable memory: its call blocks until the copy has ended"""
        self.link += 1
        self.events.append(host("cuda_runtime", "cudaMemcpyAsync", ts, end - ts, correlation=self.link))
        self.events.append({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pageable)", "pid": 0, "tid": 7, "ts": end - 2,
                            "dur": 2, "args": {"device": 0, "stream": 7, "correlation": self.link, "bytes": 4}})

    def trace(self, **head):
        return dict({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}]}, traceEvents=self.events, **head)


# ------------------------------------------------------------------------------------------------- what overlap gains
def overlap(steps):
    """steps of 10 ms, of each a list of (kind, us): forward, backward, gradients (communication); the host calls all, then waits"""
    d = Device()
    for s, work in enumerate(steps):
        b, at = 10000 * s, 10000 * s + 200
        d.step(s + 1, b, 10000)
        for i, (kind, dur) in enumerate(work):
            called = b + 2 + 8 * i
            if kind == "gradients":
                at = d.send(called, at, dur)
            else:
                at = d.run("gemm", called, at, dur, node=NODE if kind == "backward" else None)
        d.wait(b + 150, 9800)
    return d.trace()


def late_host(wait):
    """three steps of 10 ms: work, 3 ms of communication, work that the host launches when the communication has ended"""
    d = Device()
    for s in range(3):
        b = 10000 * s
        d.step(s + 1, b, 10000)
        at = d.send(b + 20, d.run("gemm", b + 10, b + 200, 3000), 3000)
        if wait == "copy":
            d.read(b + 100, at + 4)
        elif wait:
            d.wait(b + 100, at - b - 100, wait)
        d.run("gemm", at + 5, at + 10, 3500)
    return d.trace()


def side_stream(on_main):
    """two steps: communication of 3 ms, then work that was launched early, but for a small kernel that the host launches late"""
    d = Device()
    for s in range(2):
        b = 10000 * s
        d.step(s + 1, b, 10000)
        at = d.send(b + 20, d.run("gemm", b + 10, b + 200, 3000), 3000)
        d.run("gemm", b + 30, at + 60, 3000)
        d.run("gather", at + 5, at + 10, 20, stream=7 if on_main else 9)
        d.wait(b + 6300, 3650)
    return d.trace()


STEP = [("forward", 2000), ("backward", 4000), ("gradients", 3000)]
KINDS = {
    "overlap_gradients": [overlap([STEP] * 2)],
    "overlap_short_backward": [overlap([[("forward", 5000), ("backward", 500), ("gradients", 3000)]] * 2)],
    "overlap_unequal_steps": [overlap([[("forward", 400), ("gradients", 9000)], [("forward", 8000), ("gradients", 1000)]])],
    "overlap_micro_steps": [overlap([[("forward", 1500), ("backward", 500)] * 2 + [("gradients", 3000)]] * 2)],
    "overlap_in_forward": [overlap([[("forward", 600), ("gradients", 3000), ("backward", 5000)]] * 2)],
    "late_host": [late_host(None)],
    "late_host_that_waits": [late_host("cudaStreamSynchronize")],
    "late_host_that_copies": [late_host("copy")],
    "late_side_stream": [side_stream(False)],
    "late_main_stream": [side_stream(True)],
}


def main(kind, folder):
    for i, trace in enumerate(KINDS[kind]):
        rank = trace.get("distributedInfo", {}).get("rank", i)
        with open(os.path.join(folder, "rank%d.pt.trace.json" % rank), "w") as f:
            json.dump(trace, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
