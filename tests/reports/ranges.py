"""ranges.py KIND FOLDER: writes traces of one kind below FOLDER, for the rows of ranges.tsv. All numbers in ranges.tsv are
counted by hand from these events. Times are microseconds, as in the files.
"""
import json
import os
import sys

PID, THREAD, AUTOGRAD = 10, 10, 11


class Trace:
    """The events of one trace: two threads of process PID, and device 0."""

    def __init__(self):
        self.events, self.number = [], 0

    def add(self, category, name, start, length, tid=THREAD, pid=PID, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, "args": args})

    def range(self, name, start, length, tid=THREAD):
        self.add("user_annotation", name, start, length, tid)

    def work(self, start, length, tid=THREAD, sequence=0, forward=0):
        """Adds an operator with a call, and a kernel of this length that runs 1 ms later."""
        self.number += 1
        self.add("cpu_op", "MmBackward0" if forward else "aten::mm", start, 4, tid,
                 **{"Sequence number": sequence, "Fwd thread id": forward, "External id": self.number})
        self.add("cuda_runtime", "cudaLaunchKernel", start + 1, 2, tid, correlation=self.number, **{"External id": self.number})
        self.add("kernel", "k", start + 1000, length, 7, 0, device=0, stream=7, correlation=self.number)

    def write(self, folder):
        with open(os.path.join(folder, "trace.json"), "w") as file:
            json.dump({"schemaVersion": 1, "traceEvents": self.events}, file)


def steps(trace, slower=0):
    """Two steps of 5 ms. In each, `forward` launches 100 us, whose backward pass of 200 us runs on another thread inside
    `backward`; `step` launches 50 us. The range `epoch` spans both steps. slower: additional time of the backward pass."""
    trace.range("epoch", 1, 9998)
    for i in range(2):
        at = 5000 * i
        trace.range("ProfilerStep#%d" % i, at, 5000)
        trace.range("forward", at + 100, 50)
        trace.work(at + 110, 100, sequence=i)
        trace.range("backward", at + 300, 50, AUTOGRAD)
        trace.work(at + 310, 200 + slower, AUTOGRAD, i, 1)
        trace.range("step #SGD", at + 1500, 50)
        trace.work(at + 1510, 50, sequence=10 + i)


def main():
    kind, folder = sys.argv[1:3]
    trace = Trace()
    if kind == "training":
        steps(trace)
    elif kind == "slower":
        steps(trace, 400)
    elif kind == "only_steps":
        trace.range("ProfilerStep#0", 0, 5000)
        trace.work(100, 10)
    elif kind == "no_device":
        steps(trace)
        trace.events = [e for e in trace.events if e["cat"] != "kernel"]
    elif kind == "many":
        for i in range(1200):
            trace.range("range %d" % i, 10 * i, 5)
        trace.work(0, 10)
    trace.write(folder)


main()
