"""verdict.py KIND FOLDER: writes traces of one kind below FOLDER, for the rows of verdict.tsv.

Times are milliseconds here and microseconds in the files. Every trace is small and has one property that the verdict must see.
"""
import json
import os
import sys

HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8,
                                                  "computeMinor": 0, "warpSize": 32, "numSms": 100}]}
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
PID = 10


def us(ms):
    return round(ms * 1000, 3)


class Trace:
    """the events of one trace; a main thread and helpers of process PID, one device with stream 7"""

    def __init__(self, **head):
        self.head, self.events, self.ids = dict(HEAD, **head), [], 0

    def add(self, category, name, start, length, tid, pid=PID, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": us(start), "dur": us(length), "args": args})

    def range(self, name, start, length, tid=1):
        self.add("user_annotation", name, start, length, tid)

    def operator(self, name, start, length, tid=1, **args):
        self.ids += 1
        self.add("cpu_op", name, start, length, tid, **{"External id": self.ids}, **args)

    def call(self, name, start, length, tid=1):
        self.add("cuda_runtime", name, start, length, tid, correlation=0)

    def launch(self, start, kernel_start, kernel_length, tid=1, name="gemm_kernel", call="cudaLaunchKernel", op="aten::mm", stream=7):
        """an operator of 80 us that launches a kernel"""
        self.operator(op, start, 0.08, tid)
        self.add("cuda_runtime", call, start + 0.002, 0.005, tid, correlation=self.ids, **{"External id": self.ids})
        self.kernel(name, kernel_start, kernel_length, self.ids, stream)

    def kernel(self, name, start, length, correlation, stream=7):
        self.add("kernel", name, start, length, stream, 0, device=0, stream=stream, correlation=correlation, grid=[400, 1, 1], block=[256, 1, 1])

    def memory(self, start, device_type=1, device=0, tid=1, size=4096, total=33554432):
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": tid, "ts": us(start),
                            "args": {"Total Reserved": 4294967296, "Total Allocated": total, "Bytes": size, "Addr": 4096 + len(self.events),
                                     "Device Id": device, "Device Type": device_type}})

    def write(self, folder, name):
        end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "",
               "ts": max((e["ts"] + e.get("dur", 0) for e in self.events), default=0) + 1}
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump(dict(self.head, traceEvents=self.events + [end]), f)


# ---- the main thread ----

def training(t, markers, main=1, backward=2, loading=60, steps=4):
    """steps of 90 ms, most of them loading; the thread of the backward pass launches twice as many kernels"""
    for i in range(steps):
        at = 1 + 90 * i
        t.range(LOADER, at, loading, main)
        for k in range(3):
            t.launch(at + loading + 0.2 + 0.1 * k, at + loading + 0.4 + 4.5 * k, 4.4, main, "gemm_forward")
        for k in range(6):
            t.launch(at + loading + 0.6 + 0.1 * k, at + loading + 14 + 2 * k, 1.9, backward, "gemm_backward")
        if "optimizer" in markers:
            t.range("Optimizer.step#SGD.step", at + 89, 0.5, main)
        if "profiler" in markers:
            t.range("ProfilerStep#%d" % i, at, 89.9, main)
        if "engine" in markers:
            t.range("execute_context_0(0)_generation_4(4)", at, 89.9, main)


def main_has_the_optimizer(folder):
    t = Trace()
    training(t, ["optimizer"])
    t.write(folder, "trace")


def main_has_the_loader(folder):
    t = Trace()
    training(t, [])
    t.write(folder, "trace")


def main_has_the_engine_steps(folder):
    t = Trace()
    training(t, ["engine"])
    t.write(folder, "trace")


def main_is_the_first_of_its_process(folder):
    """no marker at all; the worker thread runs many small operators all the time, the main thread (tid = pid) runs few"""
    t = Trace(deviceProperties=[])
    for i in range(10):
        t.operator("aten::mm", 1 + 20 * i, 4, PID)
    for i in range(200):
        t.operator("aten::add", 1.5 + 0.9 * i, 0.8, 7)
    t.write(folder, "trace")


def recording_with_a_helper(folder):
    """a program that we recorded: a helper thread waits all the time, the main thread computes for a sixth of it"""
    t = Trace(deviceProperties=[], tracepress_recorder="tracepress 0")
    for i in range(20):
        t.operator("cblas_sgemm", 100 + 10 * i, 9, PID)
    t.operator("pthread_cond_wait", 1, 1200, 11)
    t.write(folder, "trace")


# ---- recordings without steps ----

def kernels(t, start, count=30, length=3.9):
    """`count` kernels one behind the other, the first starts as soon as it is called"""
    for i in range(count):
        t.launch(start + 0.1 * i, start + 0.1 + 4 * i, length)


def reading_before_the_first_kernel(folder):
    """no loader, but Python frames say that 3 s of 3.12 s went to decoding images"""
    t = Trace(with_stack=1)
    t.add("python_function", "train.py(10): main", 1, 3120, 1)
    t.add("python_function", "dataset.py(7): decode", 2, 3000, 1)
    kernels(t, 3005)
    t.write(folder, "trace")


def nothing_before_the_first_kernel(folder):
    """the profiler ran for 2 s before the first event"""
    t = Trace()
    kernels(t, 2001)
    t.add("Trace", "PyTorch Profiler (0)", 1, 2130, "PyTorch Profiler", "Spans")
    t.write(folder, "trace")


def saving_after_the_last_kernel(folder):
    t = Trace()
    kernels(t, 1)
    t.range("save checkpoint", 130, 900)
    t.write(folder, "trace")


def loading_before_a_device_that_was_busy(folder):
    """the first kernel starts 5 ms after its call returned, so the device worked for somebody before"""
    t = Trace()
    t.range(LOADER, 1, 2000)
    for i in range(30):
        t.launch(2005 + 0.1 * i, 2010.1 + 4 * i, 3.9)
    t.write(folder, "trace")


def operators_before_the_first_step(folder):
    """a set-up of 500 ms on the host before three marked steps"""
    t = Trace(deviceProperties=[])
    t.operator("aten::normal_", 1, 500)
    for i in range(3):
        t.range("ProfilerStep#%d" % i, 600 + 50 * i, 49)
        t.operator("aten::mm", 601 + 50 * i, 47)
    t.write(folder, "trace")


KINDS = {f.__name__: f for f in (main_has_the_optimizer, main_has_the_loader, main_has_the_engine_steps, main_is_the_first_of_its_process,
                                 recording_with_a_helper,
                                 reading_before_the_first_kernel, nothing_before_the_first_kernel, saving_after_the_last_kernel,
                                 loading_before_a_device_that_was_busy, operators_before_the_first_step)}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
