#!/usr/bin/env python3
"""communication.py KIND FOLDER: writes traces for rows about overlap of communication and about pipeline stages. Equal
calls write equal bytes."""
import json
import os
import sys

NODE = "autograd::engine::evaluate_function: MmBackward0"


def host(cat, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": tid, "ts": ts, "dur": dur, "args": args}


class Device:
    """Events of a device with separate streams for compute and communication."""

    def __init__(self):
        self.events, self.link = [], 0

    def step(self, number, ts, dur):
        self.events.append(host("user_annotation", "ProfilerStep#%d" % number, ts, dur))

    def run(self, name, called, start, dur, stream=7, node=None, **args):
        """Launches a kernel at the time `called`. node: node of the backward pass that contains the launch."""
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
        """Adds a copy to pageable memory, whose call blocks until the copy has ended."""
        self.link += 1
        self.events.append(host("cuda_runtime", "cudaMemcpyAsync", ts, end - ts, correlation=self.link))
        self.events.append({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pageable)", "pid": 0, "tid": 7, "ts": end - 2,
                            "dur": 2, "args": {"device": 0, "stream": 7, "correlation": self.link, "bytes": 4}})

    def trace(self, **head):
        return dict({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}]}, traceEvents=self.events, **head)


# ------------------------------------------------------------------------------------------------- what overlap gains
def overlap(steps):
    """Writes steps of 10 ms. A step is a list of (kind, us), where kind is forward, backward or gradients
    (communication). The host launches everything, then waits."""
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
    """Writes three steps of 10 ms: work, 3 ms of communication, and work that the host launches after the
    communication."""
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
    """Writes two steps: communication of 3 ms, then work that was launched early, except for a small kernel that is
    launched late."""
    d = Device()
    for s in range(2):
        b = 10000 * s
        d.step(s + 1, b, 10000)
        at = d.send(b + 20, d.run("gemm", b + 10, b + 200, 3000), 3000)
        d.run("gemm", b + 30, at + 60, 3000)
        d.run("gather", at + 5, at + 10, 20, stream=7 if on_main else 9)
        d.wait(b + 6300, 3650)
    return d.trace()


# ------------------------------------------------------------------------------------------------- stages of a pipeline
class Rank:
    """A rank with steps of 20 ms: on a device with NCCL, on a device whose host waits for gloo, or without a device."""

    def __init__(self, on="nccl", group=0):
        self.d, self.on, self.group, self.at, self.calls = Device(), on, group, 0, 0

    def step(self, number):
        self.begin = self.at = 20000 * number
        self.calls = 0
        self.d.step(number + 1, self.begin, 20000)

    def called(self):
        """Returns the time of the host's next call. With a device, the host runs ahead of it."""
        self.calls += 1
        return self.begin + 30 * self.calls if self.on == "nccl" else self.at

    def work(self, us, node=None):
        called = self.called()
        if node:
            self.d.events.append(host("cpu_op", node, called, us if self.on == "cpu" else 28))
        self.d.events.append(host("cpu_op", "aten::mm", called + 1, us - 2 if self.on == "cpu" else 20))
        if self.on != "cpu":
            self.d.run("gemm", called + 3, max(self.at, called + 10), us)
        self.at = max(self.at, called + 10 if self.on != "cpu" else 0) + us

    def move(self, us, *calls):
        """Sends or receives, or does both simultaneously. A call is "send" or "recv" and a peer, such as "recv
        1<-0"."""
        called = self.called()
        for i, call in enumerate(calls):
            kind, peer = call.split()
            args = {"Collective name": kind, "Group size": self.group} if self.group else {}
            name = "c10d::send" if kind == "send" else "c10d::recv_"
            blocks = self.on != "nccl" and kind == "recv"
            self.d.events.append(host("cpu_op", name, called + 3 * i, us if blocks else 3))
            self.d.events.append(host("user_annotation", "%s:%s %s" % ("nccl" if self.on == "nccl" else "gloo", kind, peer), called + 3 * i + 1, us - 2 if blocks else 1))
            if self.group:
                self.d.events.append(host("cpu_op", "record_param_comms", called + 3 * i + 1, 1, **args))
        if self.on == "nccl":
            self.d.link += 1
            self.d.events.append(host("cuda_runtime", "cudaLaunchKernelExC", called + 1, 1, correlation=self.d.link))
            self.d.events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "pid": 0, "tid": 20,
                                  "ts": self.at, "dur": us, "args": {"device": 0, "stream": 20, "correlation": self.d.link}})
        self.at += us

    def finish(self):
        if self.on == "nccl":
            self.d.wait(self.begin + 3000, 16900)

    def trace(self, **head):
        trace = self.d.trace(**head)
        return trace if self.on != "cpu" else dict(trace, deviceProperties=[])


def stage(place, count, on="nccl", group=0, backward=True, schedule="gpipe"):
    """Writes three steps of a pipeline stage. place: first, middle or last. Passes take 600 us forward and 1,200 us
    backward, transfers take 400 us."""
    r = Rank(on, group)
    for s in range(3):
        r.step(s)
        one_by_one = schedule == "1f1b" and place == "last"
        for _ in range(count):
            if place != "first":
                r.move(400, "recv 1<-0")
            r.work(600)
            if place != "last":
                r.move(50, "send 1->2")
            if one_by_one:
                r.work(1200, NODE)
                r.move(50, "send 1->0")
        for _ in range(count if backward and not one_by_one else 0):
            if place != "last":
                r.move(400, "recv 1<-2")
            r.work(1200, NODE)
            if place != "first":
                r.move(50, "send 1->0")
        r.finish()
    return r.trace()


def interleaved_pairs(count):
    """Writes a middle stage of a 1F1B schedule. In the steady state, each transfer sends activations forward and
    receives the gradient, or the reverse."""
    r = Rank()
    for s in range(3):
        r.step(s)
        r.move(400, "recv 1<-0")
        r.work(600)
        for i in range(count):
            r.move(400, "send 1->2", "recv 1<-2")
            r.work(1200, NODE)
            if i + 1 < count:
                r.move(400, "send 1->0", "recv 1<-0")
                r.work(600)
        r.move(50, "send 1->0")
        r.finish()
    return r.trace()


def ring(layers, peers):
    """Writes attention in a ring, where ranks pass keys and values on while they compute each block."""
    r = Rank()
    for s in range(3):
        r.step(s)
        for node in [None] * layers + [NODE] * layers:
            r.move(300, "send 1->%d" % peers[0], "recv 1<-%d" % peers[1])
            r.work(600, node)
        r.finish()
    return r.trace()


def parameter_server(layers, by_layer):
    """Writes a worker that receives parameters, works, and sends gradients."""
    r = Rank()
    for s in range(3):
        r.step(s)
        for _ in range(layers):
            r.move(300, "recv 1<-0")
        for _ in range(layers):
            r.work(400)
        for _ in range(layers):
            r.work(500, NODE)
        for _ in range(layers):
            r.move(100, "send 1->0")
        r.finish()
    return r.trace()


def key_values(direction):
    """Writes a server that sends the keys and values of each layer to another server, or receives them."""
    r = Rank()
    for s in range(3):
        r.step(s)
        for _ in range(8):
            r.work(500)
            r.move(300, direction)
        r.finish()
    return r.trace()


def halos(layers):
    """Writes layers that exchange the border of their image with their neighbors."""
    r = Rank()
    for s in range(3):
        r.step(s)
        for node in [None] * layers + [NODE] * layers:
            r.move(300, "send 1->0", "recv 1<-0", "send 1->2", "recv 1<-2")
            r.work(700, node)
        r.finish()
    return r.trace()


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
    "stage_first": [stage("first", 4, group=4)],
    "stage_middle": [stage("middle", 4, group=4)],
    "stage_last": [stage("last", 4, group=2)],
    "stage_first_gloo": [stage("first", 4, on="gloo")],
    "stage_middle_gloo": [stage("middle", 3, on="gloo")],
    "stage_last_cpu": [stage("last", 4, on="cpu")],
    "stage_middle_cpu": [stage("middle", 3, on="cpu")],
    "stage_1f1b_last": [stage("last", 5, schedule="1f1b")],
    "stage_1f1b_middle": [interleaved_pairs(4)],
    "stage_inference": [stage("middle", 6, backward=False)],
    "one_micro_batch_first": [stage("first", 1)],
    "one_micro_batch_middle": [stage("middle", 1)],
    "one_micro_batch_last": [stage("last", 1)],
    "ring_of_four": [ring(4, (2, 0))],
    "ring_of_two": [ring(4, (0, 0))],
    "parameter_server": [parameter_server(6, False)],
    "sends_key_values": [key_values("send 0->1")],
    "receives_key_values": [key_values("recv 1<-0")],
    "halos": [halos(4)],
}


def main(kind, folder):
    for i, trace in enumerate(KINDS[kind]):
        rank = trace.get("distributedInfo", {}).get("rank", i)
        with open(os.path.join(folder, "rank%d.pt.trace.json" % rank), "w") as f:
            json.dump(trace, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
