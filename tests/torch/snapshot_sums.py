"""Compares `tracepress report` on memory snapshots of drawn programs with torch.cuda._memory_viz.

usage: snapshot_sums.py TRACEPRESS WORK FIRST_SEED COUNT

Compared are the numbers that both define: segments, reserved bytes, requested bytes and free bytes (`segsum`), and the
bytes of each stream (`memory`). The programs are those of tests/check/snapshot_programs.py."""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
from snapshot_allocator import snapshot
from snapshot_programs import WRITERS, draw_program

import torch.cuda._memory_viz as viz

TRACEPRESS, WORK, FIRST, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
SUMS = re.compile(r"segments: (\d+)\ntotal_reserved: (.*)\ntotal_allocated: (.*)\ntotal_free: (\S+)")


def streams_of_torch(snap):
    sums = collections.Counter()
    for line in viz.memory(snap, format_flamegraph=lambda text: text).splitlines():
        name, _, size = line.rpartition(" ")
        stream, state = name.split(";")[:2]
        if state == "active_allocated":
            sums[stream[len("stream_"):]] += int(size)
    return dict(sums)


def differences(seed):
    allocators, _ = draw_program(seed)
    snap = snapshot(allocators)
    path, out = os.path.join(WORK, "viz.pickle"), os.path.join(WORK, "viz.json")
    with open(path, "wb") as file:
        file.write(WRITERS["protocol 4"](snap))
    subprocess.run([TRACEPRESS, "report", path, "-o", os.path.join(WORK, "viz.html"), "--json", out, "--quiet"], check=True)
    ends = [d["end"] for d in json.load(open(out))["devices"]]
    reserved, requested = (sum(end[key] for end in ends) for key in ("reserved_bytes", "requested_bytes"))
    ours = (str(sum(end["fragmentation"]["segments"] for end in ends)), repr(viz.Bytes(reserved)),
            repr(viz.Bytes(requested)), repr(viz.Bytes(reserved - requested)))
    torchs = SUMS.search(viz.segsum(snap)).groups()
    if ours != torchs:
        yield "sums: %r, torch %r" % (ours, torchs)
    sums = collections.Counter()
    for end in ends:
        for row in end["live_by"]["stream"]["rows"]:
            sums[row["name"]] += row["bytes"]
    if dict(sums) != streams_of_torch(snap):
        yield "streams: %r, torch %r" % (dict(sums), streams_of_torch(snap))


wrong = ["seed %d: %s" % (seed, text) for seed in range(FIRST, FIRST + COUNT) for text in differences(seed)]
print("\n".join(w[:400] for w in wrong[:12]) or "%d programs, no difference" % COUNT)
sys.exit(bool(wrong))
