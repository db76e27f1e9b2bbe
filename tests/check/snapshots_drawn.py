"""Compares `tracepress report` on memory snapshots of drawn programs with the amounts that the allocator itself counted.

usage: snapshots_drawn.py TRACEPRESS WORK FIRST_SEED COUNT

The allocator is snapshot_allocator.py, and snapshot_programs.py draws the programs. Compared are the four curves after
every event, the peak, the end, the free memory, out-of-memory events, retries, and the blocks by line, stream and pool."""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from snapshot_allocator import MIB, fragmentation, snapshot
from snapshot_programs import WRITERS, draw_program, line_of

TRACEPRESS, WORK, FIRST, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
# ---- comparison ----

MOST_OOMS = 64  # events that the report analyses in detail: the first ones, and the last one
wrong, estimated_files = [], 0


def equal(what, got, wanted):
    if got != wanted:
        wrong.append("%s: got %r, counted %r" % (what, got, wanted))


def expected_cut(allocator):
    events = allocator.events
    first = next((i for i, e in enumerate(events[:64]) if e["action"].startswith("free_")), None)
    allocated = set()
    for e in events:
        if e["action"] == "alloc":
            allocated.add(e["addr"])
        elif e["action"] == "free_completed":
            allocated.discard(e["addr"])
    used = {b.address for _, b in allocator.blocks("used")}
    if not events:
        return "state only" if used else "no history"
    if len(events) <= 1 and used:
        return "state only"
    has_requests = any(e["action"] == "free_requested" for e in events)
    if used - allocated or (has_requests and first is not None and events[first]["action"] == "free_completed"):
        return "yes"
    return None


def by_name(table):
    return {row["name"]: (row["bytes"], row["requested_bytes"], row["blocks"]) for row in table["rows"]}


def grouped(blocks, name):
    sums = collections.defaultdict(lambda: (0, 0, 0))
    for kind, b in blocks:
        key = name(kind, b)
        sums[key] = tuple(x + y for x, y in zip(sums[key], (b.size, b.requested, 1)))
    return dict(sums)


def compare_end(name, d, allocator):
    end = d["end"]
    equal(name + " end", [end[k + "_bytes"] for k in ("allocated", "active", "reserved", "requested")], allocator.amounts())
    for key, value in fragmentation(allocator).items():
        equal("%s %s" % (name, key), end["fragmentation"][key], value)
    used = allocator.blocks("used")
    equal(name + " lines", by_name(end["live_by"]["line"]), grouped(used, lambda kind, b: line_of(b.stack)))
    equal(name + " streams", by_name(end["live_by"]["stream"]), grouped(used, lambda kind, b: str(kind.stream)))
    equal(name + " pools", by_name(end["live_by"]["pool"]), grouped(used, lambda kind, b: "%s, %s" % (
        "default" if kind.pool == (0, 0) else "pool (%d, %d)" % kind.pool, "small" if kind.is_small else "large")))


def compare_estimated(name, curves, points, estimated):
    """The ring has lost the allocation of blocks that are gone at the end. A block of a large segment can have up to
    1 MiB more than its request, which the file shows only while the memory after the block is in use."""
    global estimated_files
    estimated_files += 1
    equal(name + " reserved and requested", [p[2:] for p in curves], [p[2:] for p in points])
    for got, true in zip(curves, points):
        if not all(0 <= t - g <= estimated * MIB for g, t in zip(got[:2], true[:2])):
            wrong.append("%s estimated: %r, counted %r" % (name, got, true))
            return


def compare(name, d, allocator):
    counts = collections.Counter(e["action"] for e in allocator.events)
    equal(name + " exact", (d["replay"]["exact"], d["replay"]["inconsistencies"]), (True, {}))
    if allocator.events:
        points = [allocator.before] + allocator.truth
        curves = [p[2:] for p in d["curve_points_up_to_1024"]]
        estimated = d["replay"]["estimated_start_blocks"]
        if estimated and curves != points:
            compare_estimated(name, curves, points, estimated)
            points = curves
        equal(name + " curves", curves, points)
        largest = max(p[0] for p in points)
        equal(name + " peak", (d["peak"]["allocated_bytes"], d["peak"]["index"]),
              (largest, [p[0] for p in points].index(largest) - 1))
        equal(name + " peak reserved", d["peak_reserved"]["reserved_bytes"], max(p[2] for p in points))
    compare_end(name, d, allocator)
    ooms = allocator.ooms[len(allocator.ooms) - counts["oom"]:]
    if len(ooms) > MOST_OOMS:
        ooms = ooms[:MOST_OOMS - 1] + ooms[-1:]
    equal(name + " ooms", [{k: o[k] for k in ooms[0]} for o in d["ooms"]] if ooms else d["ooms"], ooms)
    churn = d["churn"]
    equal(name + " requests", churn["alloc_calls"], counts["alloc"])
    if not allocator.expandable and not allocator.max_entries:
        equal(name + " retries", (churn["retries"], churn["empty_caches"]), (allocator.retries, allocator.empty_caches))
    cut = expected_cut(allocator)
    if cut:
        equal(name + " cut", d["window"]["cut"], cut)


def check_seed(seed):
    allocators, writer = draw_program(seed)
    name = "seed %d (%s)" % (seed, writer)
    path, out = os.path.join(WORK, "drawn.pickle"), os.path.join(WORK, "drawn.json")
    with open(path, "wb") as file:
        file.write(WRITERS[writer](snapshot(allocators)))
    done = subprocess.run([TRACEPRESS, "report", path, "-o", os.path.join(WORK, "drawn.html"), "--json", out, "--quiet"],
                          capture_output=True, text=True, timeout=300)
    equal(name + " exit code", (done.returncode, done.stderr), (0, ""))
    if done.returncode:
        return
    devices = {d["device"]: d for d in json.load(open(out))["devices"]}
    for number, allocator in enumerate(allocators):
        if allocator.events or allocator.segments(number):
            compare("%s device %d" % (name, number), devices[number], allocator)


for drawn in range(FIRST, FIRST + COUNT):
    check_seed(drawn)
print("\n".join(w[:400] for w in wrong[:12]) or "%d programs, no difference" % COUNT)
if estimated_files > 2 + COUNT // 50:  # such files are rare, or the estimate is worse than it was
    sys.exit("%d of %d programs have estimated sizes that differ" % (estimated_files, COUNT))
print("%d with estimated sizes that differ" % estimated_files)
sys.exit(bool(wrong))
