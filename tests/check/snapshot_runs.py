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


if __name__ == "__main__":
    globals()["case_" + sys.argv[3]]()
