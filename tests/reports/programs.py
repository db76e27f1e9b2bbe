#!/usr/bin/env python3
"""programs.py KIND FOLDER: writes traces of one kind below FOLDER, for the rows of programs.tsv.

Three steps of 10 ms. The host immediately launches 20 kernels of 0.2 ms, waits until they have ended, and launches a short kernel 0.1 ms later.
Then it works for a while and launches again, so that the device is idle long after the wait.
"""
import json
import os
import sys

STEPS, STEP_MS = 3, 10
HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8,
                                                  "computeMinor": 0, "warpSize": 32, "numSms": 100}]}


class Trace:
    def __init__(self):
        self.events, self.ids = [], 0

    def add(self, category, name, start, length, pid=10, tid=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": round(start * 1000, 3),
                            "dur": round(length * 1000, 3), "args": args})

    def launch(self, start, kernel_start, kernel_length):
        self.ids += 1
        self.add("cuda_runtime", "cudaLaunchKernel", start, 0.004, correlation=self.ids)
        self.add("kernel", "gemm", kernel_start, kernel_length, 0, 7, device=0, stream=7, correlation=self.ids, grid=[400, 1, 1], block=[256, 1, 1])

    def write(self, folder):
        end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": STEPS * STEP_MS * 1000 + 1}
        with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as file:
            json.dump(dict(HEAD, traceEvents=self.events + [end]), file)


def steps(wait, idle_ms=4.0, recorded=20, loads=False):
    """Writes the trace. wait: adds the waiting call, from its start to its end. idle_ms: host time after the short
    kernel. recorded: how many of the first 20 kernels are in the trace. loads: true if the host loads input data in
    that time."""
    trace = Trace()
    for step in range(STEPS):
        at = step * STEP_MS
        trace.add("user_annotation", "ProfilerStep#%d" % step, at, STEP_MS)
        for k in range(recorded):
            trace.launch(at + 0.01 + k * 0.005, at + 0.02 + k * 0.2, 0.2)
        wait(trace, at + 0.12, at + 4.03)
        trace.launch(at + 4.12, at + 4.13, 0.1)
        again = 4.23 + idle_ms
        if loads:
            trace.add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 4.2, idle_ms)
        trace.launch(at + again, at + again + 0.01, STEP_MS - again - 0.01)
    return trace


def device(trace, start, end):
    trace.add("cuda_runtime", "cudaDeviceSynchronize", start, end - start, correlation=0)


def read(trace, start, end):
    trace.add("cpu_op", "aten::item", start - 0.002, end - start + 0.004)
    trace.add("cpu_op", "aten::_local_scalar_dense", start - 0.001, end - start + 0.002)
    trace.add("cuda_runtime", "cudaStreamSynchronize", start, end - start, correlation=0)


def sizes(trace, start, end):
    trace.add("cpu_op", "aten::nonzero", start - 0.002, end - start + 0.004)
    trace.add("cuda_runtime", "cudaStreamSynchronize", start, end - start, correlation=0)


def polls(trace, start, end):
    """Adds several calls after the waiting call, when the device is already idle."""
    device(trace, start, end)
    for k in range(3):
        trace.add("cuda_runtime", "cudaStreamSynchronize", end + 0.01 + k * 0.01, 0.002, correlation=0)


MADE = {"wait_then_idle": lambda: steps(device), "read_then_idle": lambda: steps(read), "size_then_idle": lambda: steps(sizes),
        "waits_of_an_idle_device": lambda: steps(polls), "wait_without_idle": lambda: steps(device, 0.0),
        "idle_beyond_the_wait": lambda: steps(device, 5.0), "wait_then_loading": lambda: steps(device, loads=True),
        "wait_for_work_without_records": lambda: steps(device, 0.5, recorded=1)}


if __name__ == "__main__":
    MADE[sys.argv[1]]().write(sys.argv[2])
