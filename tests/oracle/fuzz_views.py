#!/usr/bin/env python3
"""Compares every number of `tracepress report --json` with the executable definition, on random small traces.

    fuzz_views.py BINARY [--seed N] [--rounds N] [--mutate FOLDER | --programs] [--sections A,B]

The definition is definitions.py next to this file, with the package twin.

A round is a folder of traces with odd nesting, ties, zero lengths, missing and wrong arguments, several threads, devices and ranks.
With --mutate, a round has changed copies of the traces below FOLDER. With --programs, it has programs of small_programs.py.
Every value must be equal; quotients must agree to a relative 1e-9. If a round differs, its folder is kept and printed.
"""
import argparse
import collections
import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from small_programs import Program

Definition = collections.namedtuple("Definition", "document write_json compare")
ORACLE = os.path.dirname(os.path.abspath(__file__))


# --------------------------------------------------------------------------------------------------------------- random traces
OPS = ["aten::mm", "aten::empty", "aten::empty_strided", "aten::resize_", "aten::add", "aten::linear", "f", "g", "f", "g", "a###b", "",
       "MmBackward0", "autograd::engine::evaluate_function: MmBackward0", "autograd::engine::evaluate_function: AddBackward0",
       "nccl:all_reduce", "NCCL:broadcast", "gloo::x", "c10d::allreduce_", "record_param_comms", "ünï", "ProfilerStep#3",
       "Optimizer.step#SGD.step", "enumerate(DataLoader)#_Iter.__next__", "enumerate(DataPipe)#x", "DataParallel.forward"]
NOTES = ["ProfilerStep#1", "ProfilerStep#02", "ProfilerStep#3", "ProfilerStep#x", "execute_context_1(2)_generation", "execute_x_context_2",
         "step[DECODE bs=1]", "step[EXTEND]", "Optimizer.step#Adam.step", "Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD",
         "[pl][run", "DistributedDataParallel.forward", "nccl:all_gather", "mpi:x", "plain", "enumerate(DataLoader)#_Iter.__next__"]
KERNELS = ["ampere_sgemm_128x64", "volta_fp16_s884gemm_fp16", "ncclKernel_AllReduce", "ncclDevKernel_Generic", "elementwise", "gemm_x",
           "Cijk_Ailk_MI16x16_mi4", "cutlass3x_sm90", "at::native::copy", "rcclKernel", "cross_device_reduce_1stage", "attn_fwd",
           "sgemm_tensorop_mfma"]
RUNTIME = ["cudaLaunchKernel", "cudaMemcpyAsync", "cuLaunchKernel", "hipLaunchKernel"]
FRAMES = ["a.py(1): f", "b.py(2): g", "<built-in at 0x7f00ab>", "x;y", "", "c.py(3): h at 0xFFz", "a.py(1): f;", "a", "a;b", " at 0x12"]
MODULES = ["nn.Module: Linear_0", "nn.Module: Net_0", "nn.Module: Relu_0", "Linear"]
STACKS = ["a;b;c", "a;b", ";", " ; ", "x at 0x12;y", "b;;c", "\t", "a b;c", 5]


class Maker:
    def __init__(self, rng):
        self.r = rng
        self.ids = rng.choice([6, 40, 1000])
        self.span = rng.choice([12, 60, 400])
        self.base = rng.choice([0, 0, 1000, 1700000000000000])
        self.fraction = rng.random() < 0.5
        self.odd = rng.choice([0, 0, 0.03, 0.15])
        self.device_types = rng.choice([[0, 1, 1, 12, 99], [0, 6, 6, 99]])  # two types of GPU have the same name
        self.devices = rng.choice([[0], [0, 1], [0, 1, 7], [-1, 0, "x"]])

    def time(self, top):
        n = self.r.randint(0, top)
        if self.fraction and self.r.random() < 0.7:
            return self.r.choice([n + 0.5, n + 0.001, n + 0.25, "%d.1239" % n])
        return n

    def maybe(self, args, key, values, p=0.5):
        if self.r.random() < p:
            args[key] = self.weird() if self.r.random() < self.odd else self.r.choice(values) if isinstance(values, list) else values()

    def weird(self):
        return self.r.choice([None, "", "x", "7", "-3", 1.5, "1.5", [], {}, True, False, -1, [1, "a"], 2 ** 30, "stream 3"])

    def id(self):
        return self.r.randint(0, self.ids)

    def row(self, e):
        e["pid"] = self.r.choice([1, 1, 1, "1", 2])
        e["tid"] = self.r.choice([10, 10, 10, 11, "11", "t"])

    def host(self, cat, names):
        args = {}
        e = {"ph": "X", "cat": cat, "name": self.r.choice(names), "args": args}
        self.row(e)
        self.maybe(args, "External id", self.id, 0.6)
        self.maybe(args, "external id", self.id, 0.1)
        self.maybe(args, "Input Dims", [[[2, 8], []], [], [[4]], None, [[2.5]], ["2.5", "x", None, True], [[1, 2], [3, [4, 5]]]], 0.4)
        if self.r.random() < 0.1 and args.get("Input Dims", 0) is not None:
            args["Input dims"] = [[9]]
        self.maybe(args, "Input type", [["float", "float"], ["c10::BFloat16"], ["double", 3], "float"], 0.3)
        self.maybe(args, "Call stack", STACKS, 0.2)
        self.maybe(args, "Sequence number", self.id, 0.3)
        self.maybe(args, "Fwd thread id", [0, 1, 2], 0.3)
        self.maybe(args, "finished", [True, False, False], 0.06)
        self.comm(args, 0.8 if e["name"] == "record_param_comms" else 0.02)
        if isinstance(args.get("Call stack"), float):
            del args["Call stack"]  # the definition would see text, because it keeps the digits of reals as text
        return e

    def comm(self, args, p):
        if self.r.random() < p:
            self.maybe(args, "Collective name", ["allreduce", "wait", "init", "broadcast"], 0.8)
            self.maybe(args, "dtype", ["Float", "BFloat16", "Float8_e4m3fn", "what"], 0.7)
            self.maybe(args, "In msg nelems", [0, 5, 100], 0.7)
            self.maybe(args, "Out msg nelems", [0, 7, 100], 0.7)
            self.maybe(args, "Group size", [2, 4, "2"], 0.7)
            self.maybe(args, "Process Group Name", ["0", "1", 0], 0.5)
            self.maybe(args, "Process Group Description", ["default_pg", ""], 0.5)
            for key in ("Collective name", "dtype", "Group size", "Process Group Name", "Process Group Description"):
                if isinstance(args.get(key), (list, dict)):
                    del args[key]  # the definition prints lists as Python does, tracepress as JSON

    def device(self):
        cat = self.r.choice(["kernel", "kernel", "kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset"])
        args = {}
        e = {"ph": "X", "cat": cat, "args": args,
             "name": self.r.choice(KERNELS) if cat.lower() == "kernel" else self.r.choice(["Memcpy HtoD", "Memset", "ncclcopy"])}
        e["pid"] = self.r.choice([0, 0, 1, "gpu"])
        e["tid"] = self.r.choice([7, 7, "stream 7", "s", 8])
        self.maybe(args, "device", self.devices, 0.8)
        self.maybe(args, "stream", [7, "7", 8], 0.7)
        if args.get("stream", 0) is None:
            del args["stream"]  # the definition would see a stream named None, tracepress no stream
        self.maybe(args, "correlation", self.id, 0.9)
        self.maybe(args, "External id", self.id, 0.5)
        self.maybe(args, "blocks per SM", [0.5, 1.25, 0, 3, -1, "inf", 0.123456789123, 1e-3], 0.6)
        self.maybe(args, "est. achieved occupancy %", [0, 50, 100, 33.3, -5], 0.6)
        self.maybe(args, "grid", [[1, 1, 1], [2, 1, 1], [1.5], {"x": "é"}], 0.7)
        self.maybe(args, "block", [[128, 1, 1], [64, 1, 1]], 0.7)
        self.maybe(args, "registers per thread", [16, 32], 0.5)
        self.maybe(args, "shared memory", [0, 1024], 0.5)
        self.maybe(args, "bytes", [0, 4096, 10], 0.5)
        self.comm(args, 0.3 if "nccl" in e["name"] else 0)
        return e

    def memory(self):
        args = {}
        e = {"ph": self.r.choice("iiiIX"), "cat": self.r.choice(["cpu_instant_event", "Memory", ""]), "args": args, "s": "t",
             "name": self.r.choice(["[memory]"] * 6 + ["[OutOfMemory]"])}
        self.row(e)
        self.maybe(args, "Device Type", self.device_types, 0.9)
        self.maybe(args, "Device Id", [-1, 0, 0, 1], 0.9)
        if args.get("Device Type", 0) not in (1, 6, 12, 99):  # several types of CPU have the same name
            args["Device Type"], args["Device Id"] = 0, -1
        self.maybe(args, "Addr", [1, 2, 3, 4], 0.9)
        self.maybe(args, "Bytes", [64, -64, 128, -128, 0], 0.95)
        self.maybe(args, "Total Allocated", [0, 64, 128, 256, -5], 0.8)
        self.maybe(args, "Total Reserved", [512, 1024], 0.6)
        return e

    def event(self):
        r = self.r
        kind = r.choices(["op", "note", "runtime", "device", "frame", "module", "memory", "flow", "other"],
                         self.weights)[0]
        if kind == "op":
            e = self.host(r.choice(["cpu_op", "cpu_op", "Operator", "operator"]), OPS)
        elif kind == "note":
            e = self.host(r.choice(["user_annotation", "user_annotation", "python", "gpu_user_annotation"]), NOTES)
        elif kind == "runtime":
            e = {"ph": "X", "cat": r.choice(["cuda_runtime", "cuda_runtime", "Runtime", "cuda_driver", "xpu_runtime"]),
                 "name": r.choice(RUNTIME), "args": {}}
            self.row(e)
            self.maybe(e["args"], "correlation", self.id, 0.9)
            self.maybe(e["args"], "External id", self.id, 0.3)
        elif kind == "device":
            e = self.device()
        elif kind in ("frame", "module"):
            e = {"ph": "X", "cat": "python_function", "name": r.choice(FRAMES if kind == "frame" else MODULES), "args": {}}
            self.row(e)
            if kind == "module":
                self.maybe(e["args"], "Python module id", [0, 1, 2], 0.95)
        elif kind == "memory":
            e = self.memory()
        elif kind == "flow":
            e = {"ph": r.choice("sf"), "cat": r.choice(["fwdbwd", "forward_backward", "ac2g"]), "name": "fwdbwd", "bp": "e",
                 "id": r.choice([self.id(), self.id(), str(self.id()), None])}
            self.row(e)
        else:
            e = r.choice([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}, {"ph": "X", "cat": "overhead", "name": "o"},
                          {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "t"}, 5, None, [], "x",
                          {"ph": "X", "cat": "cuda_sync", "name": "s"}, {"ph": "X", "cat": None, "name": 3}, {"name": "[memory]", "ph": "X"}])
        if isinstance(e, dict):
            e = dict(e)
            at = self.time(self.span)
            e["ts"] = "%d.7712" % (self.base + r.randint(0, self.span)) if isinstance(at, str) else self.base + at
            if e.get("ph") == "X":
                e["dur"] = self.time(r.choice([2, 5, 5, 20, self.span // 2]))
            if r.random() < self.odd / 3:
                e[r.choice(["ts", "dur", "name", "cat", "pid", "tid", "args", "ph"])] = self.weird()
            if r.random() < self.odd / 3:
                e.pop(r.choice(["ts", "dur", "name", "cat", "pid", "tid", "args"]), None)
            if isinstance(e.get("name"), float):
                e["name"] = None  # the definition would see text
        return e

    def trace(self):
        r = self.r
        self.weights = [r.choice([0, 1, 5, 10]) if k != "op" else r.choice([3, 10, 20])
                        for k in ("op", "note", "runtime", "device", "frame", "module", "memory", "flow", "other")]
        events = [self.event() for _ in range(r.choice([0, 1, 3, 10, 40, 150, 400]))]
        if r.random() < 0.3:
            events.sort(key=lambda e: float(e["ts"]) if isinstance(e, dict) and isinstance(e.get("ts"), (int, float)) else 0)
        doc = {"schemaVersion": 1}
        if r.random() < 0.6:
            keys = {"name": ["V100", None, "ü"], "totalGlobalMem": [1 << 30, "17179869184", None], "computeMajor": [7, "8", None],
                    "computeMinor": [0, None], "numSms": [80], "warpSize": [32]}
            doc["deviceProperties"] = [dict({k: r.choice(v) for k, v in keys.items() if r.random() < 0.8},
                                            **({"id": i} if r.random() < 0.8 else {"id": None} if r.random() < 0.3 else {}))
                                       for i in range(r.randint(1, 3))]
        doc["traceEvents"] = events
        return doc


# ------------------------------------------------------------------------------------------------------------- changed real traces
def mutate(doc, rng):
    events = doc["traceEvents"]
    names = [e.get("name") for e in events[:2000] if isinstance(e, dict)]
    for _ in range(rng.choice([1, 20, len(events) // 5 + 1])):
        if not events:
            break
        i = rng.randrange(len(events))
        e = events[i]
        if not isinstance(e, dict):
            continue
        how = rng.randrange(9)
        if how == 0:
            del events[i]
        elif how == 1:
            events.append(json.loads(json.dumps(e)))
        elif how == 2 and isinstance(e.get("dur"), (int, float)):
            e["dur"] = rng.choice([0, e["dur"] * 3, -1, e["dur"] // 2 if isinstance(e["dur"], int) else 1])
        elif how == 3 and isinstance(e.get("ts"), (int, float)):
            other = rng.choice(events)
            if isinstance(other, dict) and isinstance(other.get("ts"), (int, float)):
                e["ts"] = other["ts"]
        elif how == 4 and isinstance(e.get("args"), dict) and e["args"]:
            del e["args"][rng.choice(list(e["args"]))]
        elif how == 5:
            e["name"] = rng.choice(names)
        elif how == 6 and isinstance(e.get("args"), dict) and e["args"]:
            e["args"][rng.choice(list(e["args"]))] = rng.choice([0, -1, "x", [], 7, "7"])
        elif how == 7:
            other = rng.choice(events)
            if isinstance(other, dict):
                e["pid"], e["tid"] = other.get("pid"), other.get("tid")
        elif how == 8 and isinstance(e.get("args"), dict):
            e["args"]["finished"] = False
    return doc


# ------------------------------------------------------------------------------------------------------------------------ running
def make_round(folder, rng, sources, has_programs):
    spans = rng.choice([[""], ["", ".123"], [".1", ".2", ".10"]])
    for w in range(rng.choice([1, 2, 3])):
        for span in spans:
            if sources:
                path = rng.choice(sources)
                raw = open(path, "rb").read()
                raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
                try:
                    doc = json.loads(raw.decode("utf-8", "replace"), strict=False)
                    doc = mutate(doc if isinstance(doc, dict) else {"traceEvents": doc}, rng)
                except (ValueError, KeyError):
                    continue
            else:
                doc = Program(rng).document() if has_programs else Maker(rng).trace()
            events = doc.get("traceEvents")
            if isinstance(events, list) and not any(isinstance(e, dict) and e.get("cat") == "cpu_op" and e.get("ph") == "X"
                                                    and isinstance(e.get("ts"), int) for e in events):
                at = min((e["ts"] for e in events if isinstance(e, dict) and isinstance(e.get("ts"), int)), default=0)
                # makes sure that at least one event is usable
                events.append({"ph": "X", "cat": "cpu_op", "name": "f", "pid": 1, "tid": 10, "ts": at, "dur": 1})
            with open(os.path.join(folder, "host_%d%s.pt.trace.json" % (w, span)), "w") as f:
                json.dump(doc, f, ensure_ascii=rng.random() < 0.5)


def check_round(binary, folder, definition, sections):
    """Returns (number of values, differences as text)."""
    out = os.path.join(folder, "ours.views")
    run = subprocess.run([binary, "report", folder, "--quiet", "--json", out], capture_output=True)
    if run.returncode == 3 and b"no usable input" in run.stderr:
        return 0, []  # the round has only empty traces
    if run.returncode != 0:
        return 1, ["exit code %d: %s" % (run.returncode, run.stderr[-500:])]
    try:
        reference = definition.document([folder])
    # the definition cannot handle the input, or refuses it
    except (TypeError, AttributeError, KeyError, AssertionError) as e:
        return 0, ["skipped: %s" % e]
    parts = []
    definition.write_json(reference, parts)
    with open(os.path.join(folder, "reference.views"), "w") as f:
        f.write("".join(parts))
    compare = definition.compare
    ours, theirs = compare.load(out), compare.load(os.path.join(folder, "reference.views"))
    # for a trace without events, tracepress reports an error, and the definition a table of zeros
    for run in (ours, theirs):
        empty = {p["file"] for p in theirs["runs"][0]["profiles"] if p["status"] == "ok" and not p["trace_facts"]["event_count"]}
        run["runs"][0]["profiles"] = [p for p in run["runs"][0]["profiles"] if p["file"] not in empty]
    found = compare.compare(ours, theirs, sections)
    return sum(c.values for c in found.values()), ["%s: %s != %s" % d[:3] for c in found.values() for d in c.different]


def load_definition():
    sys.path.insert(0, ORACLE)
    import compare_documents as compare
    from twin.numbers import write_json
    from twin.runs import document
    return Definition(document, write_json, compare)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("binary")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--rounds", type=int, default=50)
    ap.add_argument("--mutate", metavar="FOLDER")
    ap.add_argument("--programs", action="store_true")
    ap.add_argument("--sections", default="")
    ap.add_argument("--max-bad", type=int, default=3)
    args = ap.parse_args()
    sys.setrecursionlimit(5000)
    definition = load_definition()
    sections = set(filter(None, args.sections.split(",")))
    sources = sorted(p for p in glob.glob(os.path.join(args.mutate, "**/*.json*"), recursive=True)
                     if os.path.getsize(p) < 300000 and ".json" in p) if args.mutate else []
    values, bad, skipped = 0, 0, collections.Counter()
    for seed in range(args.seed, args.seed + args.rounds):
        folder = tempfile.mkdtemp(prefix="fuzz_views_%d_" % seed)
        make_round(folder, random.Random(seed), sources, args.programs)
        if not os.listdir(folder):
            continue
        n, lines = check_round(args.binary, folder, definition, sections)
        values += n
        if lines and not n:
            skipped[lines[0][:60]] += 1
            shutil.rmtree(folder)
        elif lines:
            bad += 1
            print("seed %d: %d of %d values differ, see %s" % (seed, len(lines), n, folder))
            for line in lines[:8]:
                print("   " + line)
            if bad >= args.max_bad:
                break
        else:
            shutil.rmtree(folder)
    print("%d values compared, %d rounds differ, the definition says nothing about %d" % (values, bad, sum(skipped.values())))
    for reason, count in skipped.most_common(5):
        print("   %d %s" % (count, reason))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
