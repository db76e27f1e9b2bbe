"""Checks `tracepress report` on several memory snapshots of a run, which this script makes. Every expected number is
counted by hand.

usage: snapshot_runs.py TRACEPRESS WORK CASE

Runs one case and exits with 1 if a number, a sentence or an exit code is wrong. WORK: folder for files of the case."""
import gzip
import json
import os
import pickle
import subprocess
import sys

from snapshots import BASE, FREE, MIB, STACK, TRACEPRESS, USED, WORK, block, equal, event, frame, segment, snapshot


def report(inputs, folder):
    """Returns the exit code, the JSON (None without), the digest, the page and the messages."""
    out = [os.path.join(folder, name) for name in ("o.html", "o.json", "o.md")]
    for path in out:
        if os.path.exists(path):
            os.remove(path)
    done = subprocess.run([TRACEPRESS, "report", *inputs, "-o", out[0], "--json", out[1], "--markdown", out[2]],
                          capture_output=True, text=True, timeout=120)
    texts = [open(path).read() if os.path.exists(path) else None for path in out]
    return done.returncode, texts[1] and json.loads(texts[1]), texts[2], texts[0], done.stderr


def one_block(size, oom_free=None, line=7):
    """One block of 20 MiB segments, and an out-of-memory event for 118 MiB with this many free bytes of the device."""
    stack = [frame("/home/user/train.py", line, "step")]
    events = [event("segment_alloc", BASE, 20 * MIB), event("alloc", BASE, size, stack)]
    if oom_free is not None:
        events.append(event("oom", oom_free, 118 * MIB, stack))
    return snapshot([segment(BASE, 20 * MIB, [block(size, USED, None, stack), block(20 * MIB - size, FREE)])], events)


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, made in files:
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as file:
            file.write(made if isinstance(made, bytes) else pickle.dumps(made, 4))
    return paths


def case_ranks():
    """A row for each rank, in the order of the ranks: the number after the last "rank", or the last number."""
    folder = os.path.join(WORK, "job")
    damaged = pickle.dumps(one_block(MIB), 4)[:100]
    paths = write(folder, [("snapshot_oom_rank-3.pickle", one_block(10 * MIB, 10 * MIB)), ("rank10.pickle", one_block(4 * MIB)),
                           ("rank2_step10.pickle", one_block(6 * MIB)), ("dump_11.pkl", one_block(2 * MIB)),
                           ("other.pickle", one_block(8 * MIB)), ("rank4.pickle", damaged)])
    for inputs in ([folder], paths):
        code, made, digest, page, messages = report(inputs, WORK)
        equal("exit", (code, "rank4.pickle: the file ends at byte 100" in messages), (0, True))
        equal("format", made["format"], "tracepress.memory_snapshots/1")
        rows = [(r["rank"], r["device"], r["file"], r["peak_bytes"] // MIB, r["reserved_bytes"] // MIB, r["oom"], r["line"],
                 r["line_bytes"] // MIB) for r in made["ranks"]]
        equal("rows", rows, [(rank, 0, file, peak, 20, oom, "train.py(7): step", peak) for rank, file, peak, oom in (
            (2, "rank2_step10.pickle", 6, None), (3, "snapshot_oom_rank-3.pickle", 10, "full"),
            (10, "rank10.pickle", 4, None), (11, "dump_11.pkl", 2, None), (None, "other.pickle", 8, None))])
        equal("snapshots", [s["file"] for s in made["snapshots"]], [r[2] for r in rows])
        equal("failed", [f["file"] for f in made["failed"]], ["rank4.pickle"])
        for text in ("**Out of memory on rank 3 for 118.0 MiB at step (train.py:7): ", "The other 4 snapshots did not run out of"):
            equal(text, text in digest.replace("`", ""), True)
        equal("links to pages", [page.count('href="#j%d-memory"' % k) > 0 for k in range(1, 8)],
              [False, True, True, True, True, True, False])


def case_equal_ranks():
    """Equal peaks, a larger peak, and more ranks than pages."""
    folder = os.path.join(WORK, "equal")
    write(folder, [("rank%d.pickle" % k, one_block(6 * MIB)) for k in range(3)])
    digest = report([folder], WORK)[2]
    equal("equal", ("**The peak of rank 0 is 6.0 MiB: " in digest, "All 3 ranks have nearly the same peak." in digest),
          (True, True))
    write(folder, [("rank%d.pickle" % k, one_block(9 * MIB if k == 17 else 6 * MIB)) for k in range(18)])
    code, made, digest, page, messages = report([folder], WORK)
    equal("larger", ("**The peak of rank 17 is 9.0 MiB: " in digest,
                     "This is 3.0 MiB more than the median of the 18 ranks." in digest), (True, True))
    equal("rows", (code, len(made["ranks"]), len(made["snapshots"])), (0, 18, 18))
    equal("pages", [page.count('id="j%d-memory"' % k) for k in (1, 2, 17, 18)], [0, 1, 1, 0])
    equal("largest has a page", 'href="#j17-memory">Rank 17' in page, True)


def case_timelines():
    """Memory timelines of torch.profiler, in both forms, also gzip. Other commands and damaged files are refused."""
    sizes = [[10, 20, 30], [[0, 100, 0, 0, 0, 400, 0, 0, 0], [0, 100, 200, 0, 0, 400, 0, 0, 0], [0, 100, 0, 0, 0, 0, 0, 0, 0]]]
    raw = [[-1, 1, 100, 0], [10999, 2, 400, 4], [20000, 2, 200, 1], [30000, 4, -200, 1], [30000, 4, -400, 4]]
    peak = {"parameters": 100, "optimizer state": 200, "inputs": 0, "temporaries": 0, "activations": 400, "gradients": 0,
            "autograd detail": 0, "unknown": 0}
    end = dict(peak, activations=0, **{"optimizer state": 0})
    for name, made, kind, points, start, at in (("a.json", sizes, "timeline", 3, 500, 1), ("a.raw.json", raw, "raw", 5, 100, 2)):
        for ending, pack in (("", bytes), (".gz", gzip.compress)):
            path, = write(WORK, [(name + ending, pack(json.dumps(made).encode()))])
            code, got, digest, page, messages = report([path], WORK)
            equal(path, (code, got), (0, {
                "format": "tracepress.memory_timeline/1", "kind": kind, "points": points, "first_us": 10, "last_us": 30,
                "start_bytes": start, "end_bytes": 100, "peak_bytes": 700, "peak_index": at, "peak_time_us": 20,
                "peak_by_category": peak, "largest_by_category": peak, "end_by_category": end}))
            equal("headline", "The peak is 700 B: activations take 400.0 of 700.0 B" in digest, True)
            equal("curve", page.count("with pending frees"), 0)
            done = subprocess.run([TRACEPRESS, "table", path], capture_output=True, text=True)
            equal("table", (done.returncode, "memory timeline of torch" in done.stderr), (3, True))
    for text in (b"[[1, 2], [[0]]]", b"[[1, 1, 1", b"[[1, 9, 1, 1]]"):
        path, = write(WORK, [("bad.json", text)])
        code, got, digest, page, messages = report([path], WORK)
        equal(text, (code, got, "memory timeline of torch" in messages), (3, None, True))
    path, = write(WORK, [("picture.html", b'<html><img src="data:image/png;base64, AAAA"></html>')])
    code, got, digest, page, messages = report([path], WORK)
    equal("picture", (code, got), (3, None))
    shared = os.path.join(os.environ.get("SNAPSHOTS", ""), "timelines")
    for file in sorted(os.listdir(shared)) if os.path.isdir(shared) else []:
        if not file.endswith(".expected.json"):
            code, got, digest, page, messages = report([os.path.join(shared, file)], WORK)
            equal(file, got, json.load(open(os.path.join(shared, file + ".expected.json"))))


SLOT, ACTIVATIONS, STEPS, T0 = 2 * MIB, 10, 7, 1_790_000_000_000_000


def training():
    """Seven steps: ten activations of 2 MiB are allocated and freed in reverse, then log() keeps a block of 2 MiB. Returns
    the snapshot, and a list of (step, time in µs, address, signed bytes, allocated bytes, code) with the calls of the
    allocator. The peak is the tenth activation of step 6: 6 kept blocks and 10 activations are 32 MiB."""
    size = 100 * MIB
    events, calls, live = [event("segment_alloc", BASE, size)], [], 0
    forward, log = [frame("/home/user/train.py", 11, "forward")], [frame("/home/user/train.py", 7, "log")]

    def call(step, action, slot, stack, code):
        nonlocal live
        live += SLOT if action == "alloc" else -SLOT
        events.append(event(action, BASE + slot * SLOT, SLOT, stack))
        calls.append([step, len(events) - 1, BASE + slot * SLOT, SLOT if action == "alloc" else -SLOT, live, code])

    for step in range(STEPS):
        for k in range(ACTIVATIONS):
            call(step, "alloc", k, forward, "forward")
        for k in reversed(range(ACTIVATIONS)):
            call(step, "free_requested", k, forward, "backward")
            events.append(event("free_completed", BASE + k * SLOT, SLOT, forward))
        call(step, "alloc", ACTIVATIONS + step, log, "log")
    made = snapshot([segment(BASE, size, [block(ACTIVATIONS * SLOT, FREE)] + [block(SLOT, USED, None, log)] * STEPS +
                             [block(size - (ACTIVATIONS + STEPS) * SLOT, FREE)])], events)
    for i, e in enumerate(events):
        e["time_us"] = T0 + 10 * i
    for c in calls:
        c[1] = T0 + 10 * c[1]
    return made, calls


def trace_of(calls, first_step, offset_us=137, more_bytes=0, shift=0, memory=True):
    """A trace of the steps from first_step on. Its clock is offset_us ahead, and each fifth record comes 2 µs later."""
    events, base = [], T0 - 1000
    add = lambda **e: events.append(dict({"ph": "X", "pid": 1, "tid": 1}, **e))
    for step in range(first_step, STEPS):
        own = [c for c in calls if c[0] == step]
        start = own[0][1] - base + offset_us - 4
        add(cat="user_annotation", name="ProfilerStep#%d" % step, ts=start, dur=own[-1][1] - own[0][1] + 9)
        add(cat="python_function", name="nn.Module: Linear_0", ts=start + 1, dur=10 * ACTIVATIONS - 1,
            args={"Python id": step + 1, "Python parent id": None, "Python module id": 0})
        add(cat="cpu_op", name="aten::mm", ts=start + 2, dur=10 * ACTIVATIONS - 3, args={"External id": 2 * step + 1})
        add(cat="cpu_op", name="aten::zeros", ts=own[-1][1] - base + offset_us - 1, dur=4, args={"External id": 2 * step + 2})
        add(cat="kernel", name="gemm_of_step_%d" % step, ts=start + 50, dur=60, pid=0, tid=7,
            args={"device": 0, "stream": 7, "correlation": step + 1})
    for k, (step, time, address, size, live, code) in enumerate(c for c in calls if c[0] >= first_step and memory):
        add(ph="i", cat="cpu_instant_event", s="t", name="[memory]", ts=time - base + offset_us + (0 if k % 5 else 2),
            args={"Total Reserved": 100 * MIB, "Total Allocated": live + more_bytes, "Bytes": size, "Addr": address + shift,
                  "Device Id": 0, "Device Type": 1, "Ev Idx": k})
    return {"schemaVersion": 1, "baseTimeNanoseconds": base * 1000, "deviceProperties": [
        {"id": 0, "name": "GPU", "totalGlobalMem": 1 << 30}], "traceEvents": events}


def joined(trace, made):
    paths = write(os.path.join(WORK, "joined"), [("run.pt.trace.json.gz", gzip.compress(json.dumps(trace).encode())),
                                                 ("snap.pickle", made)])
    code, got, digest, page, messages = report(paths, WORK)
    equal("exit", (code, messages), (0, messages))
    again = report(paths[::-1], WORK)
    equal("order of the inputs", again[1], got)
    return got, digest, page


def case_joined():
    """A trace and a snapshot of one run: offset, proof, step, operator and module follow from how both are made."""
    made, calls = training()
    got, digest, page = joined(trace_of(calls, 2), made)
    equal("trace", [len(r["profiles"]) for r in got["runs"]], [1])
    join, = got["memory_snapshot"]["joins"]
    device, = got["memory_snapshot"]["document"]["devices"]
    equal("exact", (device["replay"]["exact"], device["peak"]["allocated_bytes"]), (True, 32 * MIB))
    equal("join", [join[k] for k in ("joined_by", "why", "pairs", "offset_us", "largest_time_difference_us",
                                     "largest_allocated_difference_bytes", "trace_records", "events_in_trace", "paired_events")],
          ["pairs", None, 105, 137, 2, 0, 105, 105, 105])
    peak = join["peak"]
    equal("peak", (peak["index"], peak["step"], peak["operator"], peak["module"], peak["kernel"]),
          (device["peak"]["index"], "6", "aten::mm", "Linear_0", "gemm_of_step_6"))
    equal("operators", [(r["name"], r["bytes"] // MIB, r["blocks"]) for r in join["live_by_operator"]["rows"]],
          [("aten::mm", 20, 10), ("aten::zeros", 8, 4), ("", 4, 2)])
    equal("modules", [(r["name"], r["bytes"] // MIB) for r in join["live_by_module"]["rows"]], [("Linear_0", 20), ("", 12)])
    equal("largest", [(b["address"] - BASE, b["bytes"], b["line"], b["step"], b["operator"], b["module"]) for b in join["largest"]],
          [(k * SLOT, SLOT, "train.py(11): forward", "6", "aten::mm", "Linear_0") for k in range(10)])
    proof = "105 consecutive allocations and frees are the same in the trace, and their allocated bytes differ by at most 0 B"
    equal("digest", (proof in digest, "snap.pickle" in digest), (True, True))
    equal("page", (proof[4:50] in page, "snap.pickle" in page), (True, True))
    equal("navigation", 'href="#snap0-memory">Memory snapshot' in page, True)
    alone = report([os.path.join(WORK, "joined", "run.pt.trace.json.gz")], WORK)[1]
    equal("the trace is the same", got["runs"], alone["runs"])
    equal("the snapshot is the same", got["memory_snapshot"]["document"],
          report([os.path.join(WORK, "joined", "snap.pickle")], WORK)[1])
    equal("512 B", joined(trace_of(calls, 2, more_bytes=512), made)[0]["memory_snapshot"]["joins"][0]["joined_by"], "pairs")
    equal("later clock", joined(trace_of(calls, 2, offset_us=9_000_000), made)[0]["memory_snapshot"]["joins"][0]["offset_us"], 9_000_000)


def case_joined_otherwise():
    """Too few pairs, other bytes, no overlap in time, other files."""
    made, calls = training()
    cases = [
        (trace_of(calls, 3), "clocks", "Only 84 consecutive allocations and frees are the same in both files", "6", "aten::mm"),
        (trace_of(calls, 2, offset_us=0, memory=False), "clocks", "The trace has no allocations of this device", "6", ""),
        (trace_of(calls, 2, more_bytes=513), "none", "the snapshot has 6291456 B, the trace has 6291969 B", None, None),
        (trace_of(calls, 2, offset_us=7_200_000_000, shift=512), "none", "do not overlap: the snapshot begins 7,200.00 s before", None, None)]
    for trace, method, why, step, operator in cases:
        got, digest, page = joined(trace, made)
        join, = got["memory_snapshot"]["joins"]
        equal(why, (join["joined_by"], why in (join["why"] or ""), join["why"][:20] in page), (method, True, True))
        equal(why, (join.get("peak") or {}).get("step"), step)
        equal(why, (join.get("peak") or {}).get("operator"), operator)
        equal(why, join["offset_us"], 0 if method == "clocks" else join["offset_us"])
    trace, = write(WORK, [("run.pt.trace.json", json.dumps(trace_of(calls, 2)).encode())])
    bad, good = write(WORK, [("bad.pickle", pickle.dumps(made, 4)[:500]), ("good.pickle", made)])
    code, got, digest, page, messages = report([trace, bad], WORK)
    equal("bad", (code, "ends at byte 500" in messages, "ends at byte 500" in page, got["memory_snapshot"]["joins"]),
          (0, True, True, []))
    equal("error", "ends at byte 500" in got["memory_snapshot"]["error"], True)
    equal("strict", report([trace, bad, "--strict"], WORK)[0], 3)
    equal("two snapshots", report([trace, good, good], WORK)[0], 2)
    two = dict(made, device_traces=[[], made["device_traces"][0]])
    two["segments"] = [dict(x, device=1) for x in made["segments"]]
    other, = write(WORK, [("other.pickle", two)])
    join, = report([trace, other], WORK)[1]["memory_snapshot"]["joins"]
    equal("other device", (join["device"], join["joined_by"], join["trace_records"]), (1, "clocks", 0))


def case_refused():
    """Commands and options that have no use for a memory snapshot say so in one sentence."""
    folder = os.path.join(WORK, "refused")
    one, two = write(folder, [("rank0.pickle", one_block(4 * MIB)), ("rank1.pickle", one_block(6 * MIB))])
    for words, code, text in (
            (["summarize", one, two, "-o", os.path.join(WORK, "x.tps")], 3, "a memory snapshot has no summary"),
            (["precision", one, two], 3, "a memory snapshot has no values of tensors"),
            (["merge", one, "-o", os.path.join(WORK, "x.tps")], 3, "the file is not a summary of tracepress")):
        done = subprocess.run([TRACEPRESS, *words], capture_output=True, text=True)
        equal(words, (done.returncode, done.stdout, text in done.stderr), (code, "", True))
        equal(words, done.stderr.count("\n"), 1 if words[0] != "merge" else 2)
    for option in (["--baseline", one], ["--history", folder], ["--timeline", "full"], ["--rule", "A4.min_pct=2"],
                   ["--process", "1"], ["--step-range", "x"], ["--source-url", "https://example.org/{path}"]):
        code, made, digest, page, messages = report([two, *option], WORK)
        equal(option, (code, made, messages), (2, None, "tracepress: report: %s has no effect on the page of memory "
                                               "snapshots\n" % option[0]))
    equal("include", [r["file"] for r in report([folder, two, "--include", "rank0*"], WORK)[1]["ranks"]],
          ["rank0.pickle", "rank1.pickle"])
    equal("max-input", report([two, "--max-input", "100"], WORK)[0], 5)


if __name__ == "__main__":
    globals()["case_" + sys.argv[3]]()
