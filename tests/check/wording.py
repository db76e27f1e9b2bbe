"""wording.py make DIR: writes traces of C programs that declare the kinds of their ranges.
wording.py words [--own|--host] FILE...: fails if a file has a word about Python or PyTorch outside of style and script.

make: traces of eight steps of 10 ms: 2.5 ms of input, 6 ms of compute, 0.8 ms of communication, 0.5 ms of waiting.
  cpu     no device
  lanes   a simulated device that the program reports, with 1,000 kernels of 40 us
  plain   ranges without kinds
  engine  a reported device that works while the program waits for it, and is idle while the program computes
  waits   no device; one wait takes 3 ms of a step, another one 1 ms
  calls   a program without tracepress under record: calls of the C library on two threads, memory and modules, no steps
words: --own also forbids words about GPUs and launches. --host also forbids words about operators and backward passes."""
import json
import re
import sys

PYTHON = re.compile(
    r"python|torch|num_workers|pin_memory|foreach|data ?loader|loader|\.item\(|prof\.|autocast|non_blocking|zero_grad|empty_cache|no_sync|"
    r"inference_mode|DistributedDataParallel|ProfilerActivity|=True|nn\.Module|aten::", re.I)
GPUS = re.compile(
    r"\bGPU|\bSMs?\b|CUDA|Tensor Core|occupancy|no host event|launch record|launch call|launched (it|outside)|step launched|launches the next|waiting for the host|"
    r"\(no operator\)|grid –|ProfilerStep", re.I)


HOST = re.compile(GPUS.pattern + r"|operator|annotation|backward|launch|\bkernels?\b(?!, copy)|optimizer|no device operation", re.I)


def trace(kinds=True, lanes=False):
    events = [{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "solver"}},
              {"ph": "M", "name": "thread_name", "pid": 100, "tid": 100, "ts": 0, "args": {"name": "thread 100 (solver)"}}]
    if lanes:
        events += [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "FFT engine"}},
                   {"ph": "M", "name": "thread_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "FFT engine/queue"}}]

    def add(cat, name, ts, dur, args, row=100):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": row, "tid": row, "ts": ts, "dur": dur, "args": args})

    def say(name, ts, dur, kind, **own):
        number = len(events)
        add("user_annotation", name, ts, dur,
            {"External id": number, "Record function id": 0, **({"kind": kind} if kinds else {}), **own})

    for step in range(8):
        at = 1000 + step * 10000
        add("user_annotation", "ProfilerStep#%d" % step, at, 10000, {})
        say("read batch", at, 2500, "input", file="shard %d" % step, rows=4096)
        say("solve", at + 2500, 6000, "compute", color="#FF8800", residual=0.25)
        say("exchange", at + 8500, 800, "communication")
        say("wait for the disk", at + 9300, 500, "wait")
        for k in range(125 if lanes else 0):
            add("kernel", "butterfly", at + 2500 + 48 * k, 40, {"device": 0, "stream": 0, "kind": "compute", "radix": 4}, 0)
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": 536870912, "tid": 0, "ts": 81000})
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "FFT engine"}] if lanes else [], "record_shapes": 1,
            "tracepress_recorder": "native", "traceEvents": events, "traceName": "solver"}


def engine():
    """Makes steps of 10 ms: 1.5 ms of preparation, 5 ms of waiting for the engine, which copies and computes, and 3 ms
    of using the result."""
    whole = trace(lanes=True)
    kept = [event for event in whole["traceEvents"] if event["ph"] != "X" or event["name"].startswith("ProfilerStep")]

    def add(cat, name, ts, dur, args, row=100):
        kept.append({"ph": "X", "cat": cat, "name": name, "pid": row, "tid": row, "ts": ts, "dur": dur, "args": args})

    for step in range(8):
        at = 1000 + step * 10000
        for name, begin, dur, kind in (("prepare", 0, 1500, "compute"), ("await engine", 1500, 5000, "sync"), ("use", 6500, 3000, "compute")):
            number = len(kept)
            add("user_annotation", name, at + begin, dur, {"External id": number, "Record function id": 0, "kind": kind})
        add("gpu_memcpy", "copy in", at + 1500, 500, {"device": 0, "stream": 0, "kind": "copy", "bytes": 1 << 20}, 0)
        add("kernel", "butterfly", at + 2000, 2500, {"device": 0, "stream": 0, "kind": "compute"}, 0)
        add("kernel", "bit reversal", at + 4500, 1900, {"device": 0, "stream": 0, "kind": "compute"}, 0)
    whole["traceEvents"] = kept
    return whole


def waits():
    """Makes the trace without a device, with other times: the program waits for two things during most of a step."""
    whole = trace()
    lengths = {"read batch": (0, 500), "solve": (500, 5000), "exchange": (5500, 100), "wait for the disk": (5600, 1000)}
    events = whole["traceEvents"]
    for event in [e for e in events if e["name"] in lengths]:
        begin, event["dur"] = lengths[event["name"]]
        event["ts"] = 1000 + (event["ts"] - 1000) // 10000 * 10000 + begin
    for step in range(8):
        events.append({"ph": "X", "cat": "user_annotation", "name": "wait for the writer", "pid": 100, "tid": 100,
                       "ts": 7600 + step * 10000, "dur": 3000, "args": {"kind": "wait"}})
    return whole


def calls():
    """Makes one second of a program: 300 ms in read and poll, the rest in modules. Another thread waits for a lock."""
    whole = trace()
    events = [event for event in whole["traceEvents"] if event["ph"] == "M" or event["ph"] == "i"]

    def add(cat, name, ts, dur, args, row=100):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 100, "tid": row, "ts": ts, "dur": dur, "args": args})

    for i in range(10):
        at = 1000 + i * 100000
        add("cpu_op", "read", at, 20000, {"External id": 4 * i + 1, "bytes": 8192})
        add("cpu_op", "poll", at + 20000, 10000, {"External id": 4 * i + 2})
        add("python_function", "nn.Module: Mesh", at + 30000, 60000, {"Python module id": 0, "Call stack": "mesh.c(9): refine;mesh.c(70): main;"})
        add("python_function", "nn.Module: Solver", at + 40000, 40000, {"Python module id": 0})
        add("cpu_op", "dgemm", at + 45000, 20000, {"External id": 4 * i + 3, "Call stack": "mesh.c(12): refine;mesh.c(70): main;"})
        add("cpu_op", "pthread_cond_wait", at, 90000, {"External id": 4 * i + 4}, 101)
        for size in (1 << 20, -(1 << 20)):
            events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 100, "ts": at + 46000 + (size < 0),
                           "args": {"Bytes": size, "Device Id": -1, "Device Type": 0, "Addr": 4096}})
    whole["traceEvents"] = events
    return whole


def words(paths, pattern):
    found = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"<style.*?</style>|<script.*?</script>", "", text, flags=re.S)
        if pattern is not PYTHON:  # facts of a comparison contain names of metrics, which are for machines
            text = re.sub(r"<tr>[^\n]*<code>(gpu|cuda|step)[a-z_.]*</code>", "", text)
            text = re.sub(r'<td class="t[ xy]*">ProfilerStep</td>', "", text)
        if pattern is not PYTHON:  # the names of link targets and of looks within a page are keys, not words
            text = re.sub(r"(id|href|for|class|aria-labelledby|data-[a-z]+)=\"[^\"]*\"", "", text)
        for line in text.split("\n"):
            match = pattern.search(line)
            if match:
                found += 1
                print("%s: %s in: %s" % (path, match.group(0), line.strip()[max(0, match.start() - 80):match.end() + 80]))
    return found == 0


if sys.argv[1] == "make":
    for name, options in (("cpu", {}), ("lanes", {"lanes": True}), ("plain", {"kinds": False})):
        with open("%s/%s.pt.trace.json" % (sys.argv[2], name), "w", encoding="utf-8") as out:
            json.dump(trace(**options), out)
    for name, made in (("engine", engine()), ("waits", waits()), ("calls", calls())):
        with open("%s/%s.pt.trace.json" % (sys.argv[2], name), "w", encoding="utf-8") as out:
            json.dump(made, out)
elif sys.argv[1] == "words":
    pattern = {"--own": GPUS, "--host": HOST}.get(sys.argv[2], PYTHON)
    sys.exit(not words(sys.argv[2 + (pattern is not PYTHON):], pattern))
