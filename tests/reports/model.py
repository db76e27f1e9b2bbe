"""model.py KIND FOLDER: writes traces of one kind below FOLDER, for the rows of model.tsv.

Times are microseconds, as in the files.
"""
import json
import os
import sys

HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8,
                                                  "computeMinor": 0, "warpSize": 32, "numSms": 100}]}
PID = 10


class Trace:
    """The events of one trace: a main thread of process PID, and device 0."""

    def __init__(self, **head):
        self.head, self.events = dict(HEAD, **head), []

    def add(self, category, name, start, length, tid=PID, pid=PID, **args):
        event = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, "args": args}
        if length is None:
            del event["dur"]
        self.events.append(event)
        return event

    def operator(self, name, start, length, external, **args):
        self.add("cpu_op", name, start, length, **{"External id": external}, **args)

    def call(self, start, length, external, correlation, name="cudaLaunchKernel", **args):
        self.add("cuda_runtime", name, start, length, correlation=correlation, **{"External id": external}, **args)

    def device(self, name, start, length, correlation, stream=7, kind="kernel", device=0, **args):
        self.add(kind, name, start, length, stream, device, device=device, stream=stream, correlation=correlation, **args)

    def step(self, number, start, length):
        self.add("user_annotation", "ProfilerStep#%d" % number, start, length)

    def write(self, folder, name="trace.json"):
        end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "",
               "ts": max((e["ts"] + e.get("dur", 0) for e in self.events), default=0) + 1}
        with open(os.path.join(folder, name), "w") as f:
            json.dump(dict(self.head, traceEvents=self.events + [end]), f)


# ---- calls that begin shortly before their operator ----

def early_calls(folder, before, length=10, id_of_call=1, others=(), call="cudaLaunchKernel", kind="kernel"):
    """Writes aten::copy_, which begins at 1000 us with external id 1. others: further operators as (name, start,
    length, id)."""
    t = Trace()
    t.step(0, 900, 2000)
    for name, start, op_length, external in others:
        t.operator(name, start, op_length, external)
    t.operator("aten::copy_", 1000, 60, 1)
    t.call(1000 - before, length, id_of_call, 77, call)
    t.device("work", 1100, 500, 77, kind=kind)
    t.write(folder)


def call_before_inner_operator(folder):
    early_calls(folder, 0.7, others=[("aten::to", 950, 200, 9)])


def copy_call_at_the_limit(folder):
    early_calls(folder, 5, call="cudaMemcpyAsync", kind="gpu_memcpy")


def call_that_ends_before_its_operator(folder):
    early_calls(folder, 4, length=3)


def call_before_a_folded_operator(folder):
    early_calls(folder, 1, id_of_call=2, others=[("aten::copy_", 1000.5, 50, 2)])


def graph_call_before_its_operator(folder):
    early_calls(folder, 2.5, call="cudaGraphLaunch")


def id_of_another_pass(folder):
    early_calls(folder, 2, others=[("aten::copy_", 2000, 20, 1)])


def two_operators_with_the_id(folder):
    early_calls(folder, 2, others=[("aten::add", 1001, 20, 1)])


def call_too_early(folder):
    early_calls(folder, 5.001)


def call_with_another_id(folder):
    early_calls(folder, 2, id_of_call=3)


# ---- Python calls without an end ----

def loop_with_an_open_call(t, end, tid=PID, depth=1, leaf="python_function"):
    """Adds three passes of 1,000 us. Frame run calls step (900 us), which calls wrap (100 us), which makes `depth` C
    calls that end at `end`."""
    t.add("python_function", "train.py(1): run", 0, 3000, tid)
    for at in (0, 1000, 2000):
        t.add("python_function", "train.py(5): step", at + 50, 900, tid)
        module = {"Python module id": 1} if leaf == "module" else {}
        t.add("python_function", "nn.Module: Net_0" if module else "model.py(9): wrap", at + 100, 100, tid, **module)
        for level in range(depth):
            start = at + 110 + 10 * level
            t.add("python_function", "<built-in method f%d>" % level, start, end - start, tid)
        t.add("cpu_op", "aten::add", at + 150, 30, tid)
        t.add("python_function", "model.py(20): rest", at + 300, 600, tid)


def open_calls(folder):
    t = Trace()
    loop_with_an_open_call(t, 3000)
    t.write(folder)


def open_calls_inside_each_other(folder):
    t = Trace()
    loop_with_an_open_call(t, 3000, depth=3)
    t.write(folder)


def open_calls_of_two_threads(folder):
    t = Trace()
    for tid in (PID, PID + 1):
        loop_with_an_open_call(t, 3000, tid)
    t.write(folder)


def open_call_with_a_huge_length(folder):
    t = Trace()
    loop_with_an_open_call(t, 4e15)
    t.write(folder)


def open_calls_in_a_module(folder):
    t = Trace()
    loop_with_an_open_call(t, 3000, leaf="module")
    t.write(folder)


def calls_without_length(folder):
    t = Trace()
    loop_with_an_open_call(t, 3000)
    for e in t.events:
        if e["name"].startswith("<built-in"):
            del e["dur"]
    t.write(folder)


# ---- device operations with impossible ends ----

def steps_of_kernels(t, lengths, call="cudaLaunchKernel", kind="cuda_runtime", gap=5, correlation=None, stream=None):
    """Adds a step of 1,000 us for each kernel length. In a step, this kernel and nine kernels of 40 us run one after
    the other."""
    number = 100
    for i, length in enumerate(lengths):
        at = 1000 * i
        t.step(i, at, 995)
        for k in range(10):
            number += 1
            start, kernel = at + 20 + k * (40 + gap), at + 60 + k * (40 + gap)
            t.operator("aten::mm", start, 20, number)
            t.add(kind, call, start + 2, 8, correlation=correlation or number, **{"External id": number})
            t.device("gemm_%s" % ("first" if k == 0 else "other"), kernel, length if k == 0 else 40, correlation or number,
                     stream[k % len(stream)] if stream else 7)


def kernels(folder, *arguments, **named):
    t = Trace()
    steps_of_kernels(t, *arguments, **named)
    t.write(folder)


def kernel_of_3_4_seconds(folder):
    kernels(folder, [40, 3400000, 40, 40])


def gaps_after_each_kernel(folder):
    kernels(folder, [40] * 60, gap=50)


def two_kernels_too_long(folder):
    kernels(folder, [40, 700000, 40, 25000, 40])


def kernel_of_half_a_step(folder):
    kernels(folder, [40, 600, 40, 40])


def copy_that_never_ends(folder):
    t = Trace()
    steps_of_kernels(t, [40, 40, 40, 40])
    t.operator("aten::copy_", 1900, 20, 900)
    t.call(1902, 8, 900, 900, "cudaMemcpyAsync")
    t.device("Memcpy HtoD (Pinned -> Device)", 1930, 8000000, 900, kind="gpu_memcpy")
    t.write(folder)


def kernels_of_a_graph(folder):
    """Writes a graph replay whose kernels have the same correlation and overlap."""
    kernels(folder, [430, 430, 430], call="cudaGraphLaunch", correlation=55)


def kernels_that_overlap_a_little(folder):
    kernels(folder, [40, 65, 140, 40], gap=0)


def kernels_of_two_streams(folder):
    kernels(folder, [600, 600, 600], stream=[7, 20, 20, 20, 20, 20, 20, 20, 20, 20])


def kernels_of_a_hip_queue(folder):
    kernels(folder, [600, 40, 600], call="hipLaunchKernel")


def kernels_of_an_xpu_queue(folder):
    kernels(folder, [600, 40, 600], call="urEnqueueKernelLaunch", kind="xpu_runtime")


def kernels_side_by_side(folder):
    """Writes a stream with a wrong clock, in which most kernels end after later ones."""
    t = Trace()
    for k in range(12):
        t.operator("aten::mm", 100 * k, 20, k + 1)
        t.call(100 * k + 2, 8, k + 1, k + 1)
        t.device("gemm", 100 * k + 30, 5000 - 300 * k, k + 1)
    t.write(folder)


# ---- unknown categories ----

def unknown_category(folder, category="npu_quantum", share=0.4):
    t = Trace()
    steps_of_kernels(t, [40, 40])
    t.events.append({"ph": "X", "cat": category, "name": "tile", "pid": 3, "tid": 1, "ts": 100, "dur": 2000 * share, "args": {}})
    t.write(folder)


def unknown_category_of_a_tpu(folder):
    unknown_category(folder, "tpu_step_work")


def two_unknown_categories(folder):
    unknown_category(folder, "dsp_tile", 0.3)


def unknown_category_without_time(folder):
    unknown_category(folder, "blink", 0.001)


# ---- processes with the same name ----

def process(folder, name, slow=0, **head):
    """Writes two steps of a process. slow: additional length of the first kernel of each step, us."""
    t = Trace(**head)
    steps_of_kernels(t, [40 + slow, 40 + slow], gap=5 + slow)
    t.write(folder, name)


def ranks_of_one_worker(folder, count=3, same_time=False, world=None):
    for rank in range(count):
        time = 1770000000000000000 + (0 if same_time else rank * 1000000007)
        place = os.path.join(folder, "node%d" % rank) if same_time else folder
        os.makedirs(place, exist_ok=True)
        process(place, "localhost_7.%d.pt.trace.json" % time, slow=rank,
                distributedInfo={"backend": "nccl", "rank": rank, "world_size": world or count})


def ranks_of_one_worker_and_two_spans(folder):
    for span in (1, 2):
        for rank in (0, 1):
            process(folder, "pod_1.%d.pt.trace.json" % (177 * span * 10 + rank), distributedInfo={"rank": rank, "world_size": 2})


def rank_behind_many_devices(folder):
    devices = [dict(HEAD["deviceProperties"][0], id=i, name="Test GPU " + "x" * 2000) for i in range(16)]
    for rank in (0, 1):
        process(folder, "localhost_7.%d.pt.trace.json" % (1770 + rank), deviceProperties=devices,
                distributedInfo={"pg_count": 1, "pg_config": [{"ranks": [0, 1]}], "rank": rank, "world_size": 2})


def spans_of_one_rank(folder):
    for span in (1, 2):
        process(folder, "localhost_7.%d.pt.trace.json" % (1770 + span), distributedInfo={"rank": 0, "world_size": 2})


def replicas(folder, names, **head):
    for i, name in enumerate(names):
        process(folder, name + ".pt.trace.json", slow=i, distributedInfo=dict({"backend": "nccl", "rank": 0, "world_size": 1}, **head))


def replicas_of_two_hosts(folder):
    replicas(folder, ["hosta_7.1", "hostb_7.2"])


def replicas_of_one_host(folder):
    replicas(folder, ["host_7.1", "host_8.2", "host_9.3", "host_10.4"])


def replicas_with_process_groups(folder):
    replicas(folder, ["a_1.5", "b_1.5", "c_1.5"], pg_count=1, pg_config=[{"pg_name": "0", "ranks": [0]}])


def one_rank_twice(folder):
    """Writes one rank of a job of two under two names. Both must be treated as one process."""
    replicas(folder, ["a_1.5", "b_1.5"], world_size=2)


# ---- ranks merged into one file ----

def merged(folder, pids, steps_of=None):
    """Writes three steps with a launch and a kernel for each process. steps_of: pids of the processes with steps; None:
    all."""
    t, number = Trace(), iter(range(1, 1000))
    for rank, pid in enumerate(pids):
        for step in range(3):
            start, id = 1000 * step, next(number)
            if steps_of is None or pid in steps_of:
                t.add("user_annotation", "ProfilerStep#%d" % step, start, 1000, pid=pid, tid=pid)
            t.add("cpu_op", "aten::mm", start + 10, 50, pid=pid, tid=pid, **{"External id": id})
            t.add("cuda_runtime", "cudaLaunchKernel", start + 20, 10, pid=pid, tid=pid, correlation=id, **{"External id": id})
            t.device("gemm", start + 50, 800, id, device=rank)
    t.write(folder)


def merged_ranks(folder):
    merged(folder, (10, 11))


def merged_ranks_of_four(folder):
    merged(folder, (10, 20, 30, 40))


def merged_ranks_by_name(folder):
    merged(folder, ("rank 0", "rank 1"))


def process_without_steps(folder):
    merged(folder, (10, 11), steps_of=(10,))


# ---- operators that Python code receives and calls again ----

def received(folder, receiver, depth=1, again="aten::mm", shape=4):
    """Writes ten calls of aten::mm. Python code receives each of them `depth` times, and then calls the operator
    `again` with tensors of size `shape`."""
    t, number = Trace(record_shapes=1), iter(range(1, 1000))
    for call in range(10):
        start, length = 1000 * call, 900
        t.operator("aten::mm", start, length, next(number), **{"Input Dims": [[4, 4], [4, 4]], "Input type": ["float", "float"]})
        for _ in range(depth):
            t.operator(receiver, start + 10, length - 20, next(number))
            start, length = start + 20, length - 100
            t.operator(again, start, length, next(number), **{"Input Dims": [[shape, shape]] * 2, "Input type": ["float", "float"]})
    t.write(folder)


def received_by_a_mode(folder):
    received(folder, "PythonDispatchMode")


def received_by_two_modes(folder):
    received(folder, "PythonDispatchMode", depth=2)


def received_by_a_subclass(folder):
    received(folder, "PythonSubclass")


def received_and_replaced(folder):
    received(folder, "PythonDispatchMode", again="aten::bmm")


def received_and_reshaped(folder):
    received(folder, "PythonDispatchMode", shape=8)


def received_by_a_range(folder):
    received(folder, "my_range")


def main():
    kind, folder = sys.argv[1:3]
    globals()[kind](folder)


if __name__ == "__main__":
    main()
