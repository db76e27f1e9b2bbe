#!/usr/bin/env python3
"""made_programs.py [--tracepress PATH] [--seeds A-B] [--contention | --noise]: compares answers of the replay with changed
programs that run again.

A simulator runs random programs with host threads, streams, events and a launch queue, and writes their traces. It builds
no graph. Each change is made in the program, which then runs again with the same random numbers. Without --tracepress,
the executable definition gives the answers; with it, `tracepress whatif`. --contention: compute is 25 % slower during
communication, which the replay does not know. --noise: all durations of the second run differ.

Prints the errors for each change, in percent of the step. Exits with 1 if a replay does not reproduce its trace, or if
the answers are wrong by more than MOST_MEAN on average, or if fewer than LEAST_INSIDE of the true gains are in the
range of the answer."""
import argparse
import collections
import json
import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True
from check_what_if import asked, defined  # noqa: E402
from twin.reading import read_document  # noqa: E402
from twin.trace import Trace  # noqa: E402

US = 1000
NEVER = -10 ** 9
SIDE_STREAM, COMMUNICATION_STREAM = 9, 20
DEVICE_WORK = ("compute", "copy", "communication")
CONTENTION = 0.25
# The largest mean error of a change. A slower program can show a dependency that was never late in the trace.
MOST_MEAN = {"": 0.5, "contention": 5.0, "noise": 100.0}
SLOWER, MOST_SLOWER = "kind:compute=2", 2.0
LEAST_INSIDE = {"": 0.9, "contention": 0.9, "noise": 0.0}


# -------------------------------------------------------------------------------------------------------------- simulator
class Machine:
    """Runs a program. change: function of (what, name, ns) that returns the changed duration. All times are ns. free:
    {stream: end of its work}. must: {stream: end of the event that its next operation waits for}. ends: end of each
    operation, in launch order."""

    def __init__(self, program, change=None, noise=None, contention=0.0):
        self.program, self.change = program, change or (lambda what, name, ns: ns)
        self.noise, self.contention = random.Random(noise) if noise is not None else None, contention
        self.t, self.correlation, self.out = 0, 0, []
        self.free, self.must, self.recorded, self.ends = {}, {}, {}, []

    def ns(self, what, name, ns):
        """Returns the duration of a thing after the change and with noise."""
        ns = self.change(what, name, ns)
        if self.noise is not None and what != "no_wait":
            ns = int(ns * self.noise.lognormvariate(0, 0.05 if what in DEVICE_WORK else 0.25))
        return ns

    def emit(self, category, name, start, end, row, is_device=False, **args):
        """Writes an event. row: a thread, or a stream of the device."""
        self.out.append({"ph": "X", "cat": category, "name": name, "pid": 0 if is_device else 100, "tid": row,
                         "ts": microseconds(start), "dur": microseconds(end - start), "args": args})

    def run(self):
        for step in self.program["steps"]:
            start = self.t
            self.block(step["code"], 1)
            self.emit("user_annotation", step["name"], start, self.t, 1)
        self.call("cudaDeviceSynchronize", 10 * US, 1, wait=max(self.free.values(), default=0), kind="Context Sync", what="sync")
        return self

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"deviceProperties": [{"id": 0, "name": "Sim"}], "traceEvents": self.out}, f)

    def block(self, code, thread):
        for name, *operands in code:
            getattr(self, "do_" + name)(thread, *operands)

    def call(self, name, ns, thread, wait=None, what="launch", kind=None, on=None, stream=-1, until=None):
        """Runs a call. wait: time until which it waits for the device. until: time at which the queue has room."""
        self.correlation += 1
        start, end = self.t, self.t + self.ns(what, name, ns)
        if wait is not None and wait > end and self.ns("no_wait", "", 1):
            end = wait + 4 * US
        if until is not None and until > end:
            end = until + 2 * US
        self.t = end
        self.emit("cuda_runtime", name, start, end, thread, correlation=self.correlation)
        if kind and self.program["sync_records"]:
            args = {"cuda_sync_kind": kind, "stream": stream, "correlation": self.correlation, "device": 0}
            if on:
                args.update(wait_on_stream=on[0], wait_on_cuda_event_record_corr_id=on[1])
            self.emit("cuda_sync", kind, start, end, max(stream, 0), True, **args)
        return start, self.correlation

    # ---- instructions
    def do_py(self, thread, ns):
        self.t += self.ns("python", "python", ns)

    def do_op(self, thread, name, before, code, after):
        start = self.t
        self.t += self.ns("operator", name, before)
        self.block(code, thread)
        self.t += self.ns("operator", name, after)
        self.emit("cpu_op", name, start, self.t, thread)

    def do_loader(self, thread, ns):
        start = self.t
        self.t += self.ns("input", "loader", ns)
        self.emit("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, self.t, thread)

    def do_launch(self, thread, kernel, ns, stream, call_ns, latency, category):
        queue, n = self.program["queue"], len(self.ends)
        until = self.ends[n - queue] if queue and n >= queue else None
        start, correlation = self.call("cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernel", call_ns, thread, until=until)
        what = "copy" if category == "gpu_memcpy" else "communication" if "nccl" in kernel else "compute"
        gap = self.program["gap"]
        begin = max(start + self.ns("latency", kernel, latency), self.free.get(stream, NEVER) + gap, self.must.pop(stream, NEVER) + gap)
        if until is not None and until + 2 * US > start + call_ns:
            begin = max(begin, self.t)
        end = begin + self.ns(what, kernel, ns)
        if self.contention and what == "compute":
            end += int(self.contention * max(0, min(end, self.free.get(COMMUNICATION_STREAM, 0)) - begin))
        self.free[stream] = end
        self.ends.append(end)
        self.emit(category, kernel, begin, end, stream, True, device=0, stream=stream, correlation=correlation)

    def do_record(self, thread, event, stream):
        _, correlation = self.call("cudaEventRecord", 1 * US, thread, what="call")
        self.recorded[event] = (self.free.get(stream, 0), stream, correlation)

    def do_wait_event(self, thread, event, stream):
        when, on, correlation = self.recorded[event]
        self.call("cudaStreamWaitEvent", 1 * US, thread, what="call", kind="Stream Wait Event", on=(on, correlation), stream=stream)
        self.must[stream] = max(self.must.get(stream, NEVER), when)

    def do_sync(self, thread, stream):
        self.call("cudaStreamSynchronize", 3 * US, thread, wait=self.free.get(stream, 0), kind="Stream Sync", what="sync", stream=stream)

    def do_device_sync(self, thread):
        self.call("cudaDeviceSynchronize", 5 * US, thread, wait=max(self.free.values(), default=0), kind="Context Sync", what="sync")

    def do_backward(self, thread, hand, code, back):
        """Another thread runs the code while this thread waits."""
        self.t += self.ns("python", "python", hand)
        self.block(code, 2)
        self.t += self.ns("python", "python", back)


def microseconds(ns):
    return "%d.%03d" % divmod(ns, 1000)


# --------------------------------------------------------------------------------------------------------------- programs
class Maker:
    """Makes a random program: {steps, queue, gap, sync_records, regime}. Every random number is drawn here, so a changed
    program runs with the same numbers."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.regime = r.choice(["host", "device", "mixed", "mixed", "deep"])
        self.scale = {"host": 0.3, "device": 4.0, "mixed": 1.0, "deep": 6.0}[self.regime]
        self.streams = r.choice([1, 1, 2, 3])
        self.queue = r.choice([0, 1024, 1024]) if self.regime != "deep" else r.choice([300, 512])
        self.layers = r.randint(6, 25) if self.regime != "deep" else r.randint(250, 400)
        self.kernel_ns = {n: r.randint(5, 60) * US for n in ("gemm", "relu_kernel", "norm_kernel", "softmax_kernel", "add_kernel")}
        self.waits, self.loader = r.choice([0, 0, 1, 2]), r.choice([0, 0, 200, 2000]) * US
        self.has_copies, self.has_communication = r.random() < 0.6, self.streams > 1 and r.random() < 0.8

    def jitter(self, ns):
        return max(1, int(ns * self.r.uniform(0.85, 1.2)))

    def launch(self, kernel, ns, stream, category="kernel"):
        return ("launch", kernel, self.jitter(ns), stream, self.r.randint(3 * US, 6 * US), self.r.randint(4 * US, 8 * US), category)

    def event(self, prefix):
        return "%s%d" % (prefix, self.r.getrandbits(40))

    def layer(self, may_fork):
        """Returns an operator with a kernel, sometimes with a kernel on a second stream."""
        r = self.r
        kernel = r.choice(list(self.kernel_ns))
        ns = int(self.kernel_ns[kernel] * self.scale)
        code = [self.launch(kernel, ns, 7)]
        if may_fork and r.random() < 0.5:
            event = self.event("e")
            code = [("record", event, 7), ("wait_event", event, SIDE_STREAM), self.launch("side_" + kernel, ns, SIDE_STREAM),
                    ("record", "f" + event, SIDE_STREAM), self.launch(kernel, ns, 7), ("wait_event", "f" + event, 7),
                    self.launch("join_kernel", 5 * US, 7)]
        name = "aten::" + kernel[:-7] if kernel.endswith("_kernel") else "aten::mm"
        return ("op", name, r.randint(3 * US, 15 * US), code, r.randint(1 * US, 6 * US))

    def step(self):
        """Returns the code of one step."""
        r, out = self.r, []
        if self.loader:
            out.append(("loader", self.loader))
        if self.has_copies:
            out.append(("op", "aten::copy_", 5 * US, [self.launch("Memcpy HtoD (Pinned -> Device)", 150 * US * self.scale, 7, "gpu_memcpy")], 2 * US))
        for _ in range(self.layers):
            out += [self.layer(self.streams > 2), ("py", r.randint(1 * US, 10 * US))]
        backward, done = self.backward()
        out.append(("backward", r.randint(5 * US, 20 * US), backward, r.randint(5 * US, 20 * US)))
        if done:
            out += [("wait_event", done, 7), self.launch("opt_kernel", 20 * US, 7)]
        for _ in range(self.waits):
            item = [self.launch("Memcpy DtoH (Device -> Pageable)", 2 * US, 7, "gpu_memcpy"), ("sync", 7)]
            out += [("op", "aten::item", 2 * US, item, 1 * US), self.layer(False), ("py", r.randint(2, 60) * US)]
        if r.random() < 0.2:
            out.append(("device_sync",))
        return out

    def backward(self):
        """Returns the code of the backward pass, and the event after its last collective, else None."""
        out, done = [], None
        for i in range(self.layers):
            out.append(("op", "autograd::engine::evaluate_function: B%d" % i, self.r.randint(2 * US, 6 * US), [self.layer(False)], 1 * US))
            if self.has_communication and i % 5 == 4:
                event = self.event("c")
                done = "d" + event
                out += [("record", event, 7), ("wait_event", event, COMMUNICATION_STREAM),
                        self.launch("ncclKernel_AllReduce", 120 * US * self.scale, COMMUNICATION_STREAM), ("record", done, COMMUNICATION_STREAM)]
        return out, done

    def again(self, code):
        """Returns the code of a further step: equal instructions, but other durations of kernels and Python."""
        out = []
        for i in code:
            if i[0] in ("op", "backward"):
                at = next(j for j, x in enumerate(i) if isinstance(x, list))
                out.append(i[:at] + (self.again(i[at]),) + i[at + 1:])
            elif i[0] == "launch":
                out.append(i[:2] + (self.jitter(i[2]),) + i[3:5] + (self.r.randint(4 * US, 8 * US),) + i[6:])
            elif i[0] == "py":
                out.append(("py", self.jitter(i[1])))
            else:
                out.append(i)
        return out

    def program(self):
        code, r = self.step(), self.r
        return {"steps": [{"name": "ProfilerStep#%d" % n, "code": self.again(code)} for n in range(4)], "queue": self.queue,
                "gap": r.randint(800, 2000), "sync_records": r.random() < 0.5, "regime": self.regime}


# ---------------------------------------------------------------------------------------------------------------- changes
def scaled(whats, a, b, name=None):
    return lambda what, n, ns: ns * a // b if what in whats and name in (None, n) else ns


# text of the change, the same change of the program, text that shows that the program has something to change
CHANGES = (("kernel:gemm=1/2", scaled(("compute",), 1, 2, "gemm"), ""), ("kind:compute=1/2", scaled(("compute",), 1, 2), ""),
           ("operator:aten::mm=0", scaled(("operator",), 0, 1, "aten::mm"), ""),
           ("host=1/2", scaled(("operator", "python", "call", "launch", "sync"), 1, 2), ""), ("launches=0", scaled(("launch", "latency"), 0, 1), ""),
           ("waits=0", scaled(("sync", "no_wait"), 0, 1), ""), ("input=0", scaled(("input",), 0, 1), "DataLoader"),
           ("communication=0", scaled(("communication",), 0, 1), "nccl"), ("copies=0", scaled(("copy",), 0, 1), "gpu_memcpy"),
           ("kind:compute=2", scaled(("compute",), 2, 1), ""))


class Results:
    """Errors of the answers, in percent of the step."""

    def __init__(self):
        self.errors, self.effects, self.inside = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
        self.programs = self.withheld = self.wrong = 0

    def add(self, change, step_ns, true_ns, answer):
        self.errors[change].append(100 * (answer["step_ns"] - true_ns) / step_ns)
        self.effects[change].append(100 * abs(step_ns - true_ns) / step_ns)
        slack = step_ns // 100
        self.inside[change] += answer["gain_low_ns"] - slack <= max(0, step_ns - true_ns) <= answer["gain_high_ns"] + slack

    def report(self, mode):
        """Prints the results. Returns whether they are worse than the limits."""
        print("%d programs, %d withheld, %d replays wrong" % (self.programs, self.withheld, self.wrong))
        print("%-22s %5s %9s %9s %9s %12s %s" % ("change", "n", "mean |e|", "p90 |e|", "max |e|", "true effect", "inside low..high +-1 %"))
        bad = self.wrong > 0 or not self.errors
        for change, _, _ in CHANGES:
            e = sorted(map(abs, self.errors[change]))
            if e:
                mean = sum(e) / len(e)
                print("%-22s %5d %8.2f%% %8.2f%% %8.2f%% %11.1f%% %d/%d" % (
                    change, len(e), mean, e[int(len(e) * 0.9)], e[-1], sum(self.effects[change]) / len(e), self.inside[change], len(e)))
                most = max(MOST_MEAN[mode], MOST_SLOWER) if change == SLOWER else MOST_MEAN[mode]
                bad |= mean > most or self.inside[change] < int(LEAST_INSIDE[mode] * len(e))
        return bad


def steps_of(machine, path):
    """Writes the trace of a machine. Returns its steps by the rules of section 5."""
    machine.write(path)
    return Trace(read_document(path)).steps


def compare(seed, mode, ask, path, results):
    """Compares the answers about one program with the changed programs."""
    program, contention, noise = Maker(seed).program(), CONTENTION if mode == "contention" else 0.0, seed * 31 if mode == "noise" else None
    machine = Machine(program, contention=contention).run()
    steps, text = steps_of(machine, path), json.dumps(machine.out)
    changes = [c for c in CHANGES if c[2] in text]
    view = ask(path, [c[0] for c in changes])
    results.programs += 1
    if isinstance(view, str):
        print("seed %d: %s" % (seed, view))
        results.wrong += 1
        return
    results.wrong += view["replay"]["nodes_wrong"] > 0 or view["replay"]["kept_error_ns"] != 0
    if view["withheld"]:
        print("seed %d: withheld: %s" % (seed, view["withheld"]))
        results.withheld += 1
        return
    step_ns, used = steps.ns // steps.count, {s.name for s in steps.used}
    for (change, function, _), answer in zip(changes, view["what_if"]):
        again = steps_of(Machine(program, function, noise, contention).run(), path)
        results.add(change, step_ns, sum(s.length for s in again.found if s.name in used) // len(used), answer)


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracepress")
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--contention", dest="mode", action="store_const", const="contention", default="")
    parser.add_argument("--noise", dest="mode", action="store_const", const="noise")
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        def ask(path, changes):
            return asked(args.tracepress, [path], changes, folder) if args.tracepress else defined([path], changes)
        for seed in range(int(first), int(last or first) + 1):
            compare(seed, args.mode, ask, os.path.join(folder, "made.json"), results)
    return results.report(args.mode)


if __name__ == "__main__":
    sys.exit(main())
