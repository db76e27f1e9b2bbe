#!/usr/bin/env python3
"""check_communication.py TRACEPRESS WORK [COUNT]: compares findings about communication in generated traces with the
executable definition.

No bundled trace has small collectives (E4), late parameters (E6), one process for all devices (E7) or pipeline stages
(E11). So programs with these causes are generated at random. Prints the first differences, and how often each rule
fired. Exits with 1 if anything differs or a rule never fired."""
import collections
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
import compare_defined  # noqa: E402
from exceptions import note_left_out  # noqa: E402
from twin.numbers import write_json  # noqa: E402
from twin.runs import document  # noqa: E402

STEP_US = 10000
GRADIENT = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
RULES = ("E4", "E6", "E7", "E11")


class Program:
    """Events of a generated program; times in microseconds."""

    def __init__(self, seed):
        self.random, self.events, self.correlation, self.free = random.Random(seed), [], 0, collections.Counter()
        self.header = {}

    def host(self, category, name, start, length, thread=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 10, "tid": thread, "ts": start, "dur": length, "args": args})

    def step(self, number):
        self.host("user_annotation", "ProfilerStep#%d" % number, number * STEP_US, STEP_US)
        return number * STEP_US

    def kernel(self, name, call, start, length, device=0, stream=7):
        """Adds a launch of 2 us and its kernel, which starts after the previous kernel of the stream."""
        self.correlation += 1
        start = max(start, self.free[device, stream])
        self.free[device, stream] = start + length
        self.host("cuda_runtime", "cudaLaunchKernel", call, 2, correlation=self.correlation)
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": start, "dur": length,
                            "args": {"device": device, "stream": stream, "correlation": self.correlation}})

    def product(self, call, start, length):
        self.host("cpu_op", "aten::mm", call, 6)
        self.kernel("sm90_gemm_bf16", call + 1, start, length)

    def collective(self, name, values, call, start, length, **group):
        self.host("cpu_op", "record_param_comms", call, 30, **{
            "Collective name": name, "In msg nelems": values, "Out msg nelems": values, "dtype": "Float"}, **group)
        self.host("user_annotation", "nccl:" + name, call + 2, 26)
        self.kernel("ncclDevKernel_Generic", call + 10, start, length, stream=9)

    # ---- programs
    def device_loop(self):
        r = self.random
        around = r.choice((None, None, GRADIENT, "FSDP::pre_backward", "mine"))
        sizes, sides = r.choice(((64, 256), (256, 1 << 14), (1 << 14, 1 << 17), (64, 1 << 19))), r.choice((1, 2, 2, 2, 8, None))
        gap, count, of_product = r.choice((35, 40, 50, 90)), r.choice((18, 24, 45, 60)), r.choice((0, 0, 0.1, 1))
        for number in range(r.choice((1, 2, 3))):
            begin = self.step(number)
            if r.random() < 0.3:                         # this work runs during the communication and hides it
                self.product(begin + 20, begin + 60, r.choice((500, 2000)))
            for i in range(count):
                at = begin + 100 + i * gap
                if around:
                    self.host("cpu_op" if around == GRADIENT else "user_annotation", around, at - 1, gap - 2)
                if r.random() < of_product:
                    self.product(at - 9 if gap > 40 and not around else at - 0.5, at + 5, 3)
                group = {"Process Group Name": r.choice(("0", "0", "0", "1"))} | ({"Group size": sides} if sides else {})
                self.collective(r.choice(("all_reduce",) * 6 + ("broadcast", "send")), r.choice(sizes), at, at + 15 + r.choice((0, 5)),
                                r.choice((4, 8, 8, 20)) + (300 if r.random() < 0.02 else 0), **group)
            self.product(begin + 6500, begin + 6510, 3000)

    def layers(self):
        r = self.random
        wrapper, is_late, count = r.choice(("FSDP::all_gather (x)", "FullyShardedDataParallel.forward", "mine")), r.random() < 0.75, r.choice((3, 4, 6, 7))
        for number in range(2):
            begin = self.step(number)
            for i in range(count):
                at, call = begin + 100 + i * 1100, begin + 10 + i * r.choice((60, 70))
                self.host("user_annotation", wrapper, call, 50)
                self.collective("_allgather_base", 16 << 20, call + 2, at if is_late or not i else at - 500, r.choice((100, 150, 300)), **{"Group size": 2})
                self.product(call + 51, at + 100, r.choice((700, 1000)))
            if r.random() < 0.7:
                self.host("cuda_runtime", "cudaDeviceSynchronize", begin + 600, r.choice((3000, 6300)))

    def one_process(self):
        r = self.random
        names = ("Scatter", "Broadcast", "Gather", "ReduceAddCoalesced", GRADIENT.split()[0] + " BroadcastBackward", GRADIENT.split()[0] + " Gather",
                 "site-packages/torch/nn/parallel/replicate.py(9): f", "Broadcaster", "aten::add")
        for number in range(2):
            begin = self.step(number)
            self.host("user_annotation", r.choice(("DataParallel.forward",) * 4 + ("DistributedDataParallel.forward",)), begin, 9900)
            for i in range(r.randint(1, 12)):
                at, name = begin + 50 + i * 800, r.choice(names)
                self.host("python_function" if "(" in name else "cpu_op", name, at, r.choice((50, 300)))
                for device in range(r.choice((1, 2, 2, 3))):
                    self.kernel(r.choice(("gemm", "gemm", "ncclKernel_Reduce")), at + 500 + 4 * device, at + 520, r.choice((50, 200)), device)

    def host_loop(self):
        r = self.random
        size, length, pause = r.choice((16, 1 << 14, 1 << 17)), r.choice((40, 100)), r.choice((30, 50, 150))
        for number in range(r.choice((1, 2))):
            begin, at = self.step(number), number * STEP_US + 2000
            self.host("cpu_op", "aten::mm", begin, 2000)
            for i in range(r.choice((15, 25, 40))):
                if r.random() < 0.9:
                    self.host("cpu_op", "c10d::allreduce_", at, 20)
                if r.random() < 0.05:
                    self.host("cpu_op", "aten::mm", at + 22, 8)
                took = length + (700 if r.random() < 0.03 else r.choice((0, 3)))
                self.host("user_annotation", "gloo:" + r.choice(("all_reduce",) * 9 + ("barrier",)), at + r.choice((10, 30)), took, r.choice((2, 2, 2, 1)),
                          **{"Input Dims": [[size]], "Input type": ["float"]})
                at += took + pause
                if at > begin + 9000:
                    break

    def stage(self):
        """Adds forward and backward work of several micro-batches, with sends and receives before and after each."""
        r = self.random
        is_device, is_first, is_last, has_nodes, count = r.random() < 0.6, r.random() < 0.3, r.random() < 0.3, r.random() < 0.7, r.choice((1, 2, 3, 4, 4))
        group = r.choice(({}, {"Process Group Name": "pp", "Group size": 4}, {"Process Group Name": "pp", "Group size": 1}))
        if r.random() < 0.5:
            self.header = {"distributedInfo": {"backend": "nccl", "rank": 1, "world_size": r.choice((1, 2, 8))}}

        def exchange(direction, at):
            if r.random() < 0.03:
                return
            name = direction if r.random() < 0.9 else "sendrecv"
            if is_device:
                self.collective(name, 1 << 20, at, at + 20, r.choice((20, 400)), **group)
                self.events[-1]["name"] = r.choice(("ncclDevKernel_SendRecv",) * 3 + ("ncclDevKernel_Generic",))
            else:
                self.host("user_annotation", "gloo:" + name, at, r.choice((50, 300)), r.choice((1, 1, 2)))

        def work(at, length, is_backward):
            if is_backward and has_nodes:
                self.host("cpu_op", GRADIENT.split()[0] + " MmBackward0", at - 1, length + 2)
            if is_device:
                self.product(at, at + 20, length)
            else:
                self.host("cpu_op", "aten::mm", at, length)

        for number in range(r.choice((1, 2, 3))):
            at = self.step(number) + 50
            for is_backward in (False, True):
                for _ in range(count):
                    if not (is_last if is_backward else is_first):
                        exchange("recv", at)
                    work(at + 200, r.choice((300, 500)), is_backward)
                    if not (is_first if is_backward else is_last):
                        exchange("send", at + 800)
                    at += 1100

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**self.header, "deviceProperties": [{"id": d, "name": "GPU"} for d in range(3)], "traceEvents": self.events}, f)


def defined(trace, path):
    result, parts = document([trace]), []
    note_left_out(result)
    write_json(result, parts)
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(parts))


def fired(path):
    with open(path, encoding="utf-8") as f:
        runs = json.load(f)["runs"]
    return {finding["id"] for run in runs for p in run["profiles"] if p.get("recommendations") for finding in p["recommendations"]["findings"]}


def main(tracepress, work, count=200):
    different, seen = 0, collections.Counter()
    trace, ours, reference = (os.path.join(work, name) for name in ("made.json", "ours.json", "reference.json"))
    for seed in range(int(count)):
        program = Program(seed)
        program.random.choice((program.device_loop, program.device_loop, program.layers, program.one_process, program.host_loop, program.stage, program.stage))()
        program.write(trace)
        subprocess.run([tracepress, "report", trace, "-o", ours + ".html", "--json", ours, "--quiet"], check=True)
        defined(trace, reference)
        seen.update(fired(ours))
        if compare_defined.main(ours, reference):
            print("made trace", seed, "differs")
            different += 1
    print(different, "of", count, "made traces differ; findings:", ", ".join("%s: %d" % (rule, seen[rule]) for rule in RULES))
    return different > 0 or any(not seen[rule] for rule in RULES)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
