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
    """the events of one trace: a main thread of process PID, and device 0"""

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
        with open(os.path.join(folder, name), "w") as f:
            json.dump(dict(self.head, traceEvents=self.events), f)


# ---- calls that begin just before their operator ----

def early_calls(folder, before, length=10, id_of_call=1, others=(), call="cudaLaunchKernel", kind="kernel"):
    """aten::copy_ begins at 1000 with external id 1; others: operators with name, start, length and id"""
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


def main():
    kind, folder = sys.argv[1:3]
    globals()[kind](folder)


if __name__ == "__main__":
    main()
