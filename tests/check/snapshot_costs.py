"""Compares the costs of `tracepress report` on a memory snapshot with those of Python's pickle module.

usage: snapshot_costs.py TRACEPRESS WORK EVENTS

tracepress must need at most half of the processor time and half of the memory that pickle.load needs for the same
file. The file has stacks of 30 frames, as `stacks="python"` writes them."""
import os
import pickle
import random
import sys

TRACEPRESS, WORK, EVENTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
MIB = 1 << 20


def make_file(path):
    draw = random.Random(1)
    frames = [{"filename": "/home/user/part_%d.py" % (i % 40), "line": i, "name": "step_%d" % i} for i in range(600)]
    stacks = [[draw.choice(frames) for _ in range(30)] for _ in range(3000)]
    base, events, time = 0x7F0000000000, [], 1_700_000_000_000_000
    for i in range(EVENTS):
        turn, place = i % 3, (i // 3) % 1024
        time += 5
        # every list of frames is a new list of shared frames, as in torch's files
        events.append({"action": ("alloc", "free_requested", "free_completed")[turn], "addr": base + place * 2048,
                       "size": 1500, "stream": 0, "time_us": time, "compile_context": "N/A", "user_metadata": "",
                       "frames": list(stacks[i // 3 * 7 % 3000])})
    block = {"address": base, "size": 2 * MIB, "requested_size": 0, "state": "inactive", "frames": []}
    segment = {"device": 0, "address": base, "total_size": 2 * MIB, "allocated_size": 0, "active_size": 0,
               "requested_size": 0, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0),
               "is_expandable": False, "frames": [], "blocks": [block]}
    with open(path, "wb") as file:
        pickle.dump({"segments": [segment], "device_traces": [events], "allocator_settings": {},
                     "external_annotations": []}, file, 4)


def costs(arguments):
    """Returns the processor time in seconds and the largest memory in KiB of a process."""
    pid = os.posix_spawnp(arguments[0], arguments, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit("%s failed with status %d" % (arguments[0], status))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


path = os.path.join(WORK, "costs.pickle")
if not os.path.exists(path):
    child = os.fork()
    if child == 0:
        make_file(path)
        os._exit(0)
    os.waitpid(child, 0)
best = [None, None]
for _ in range(3):  # the least of three runs, because other programs disturb a run
    for i, arguments in enumerate(([TRACEPRESS, "report", path, "-o", os.path.join(WORK, "costs.html"), "--json",
                                    os.path.join(WORK, "costs.json"), "--quiet"],
                                   [sys.executable, "-c", "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))", path])):
        found = costs(arguments)
        best[i] = tuple(map(min, best[i], found)) if best[i] else found
print("%d MB: tracepress %.2f s and %d MB, pickle.load %.2f s and %d MB" % (
    os.path.getsize(path) / 1e6, best[0][0], best[0][1] / 1024, best[1][0], best[1][1] / 1024))
sys.exit(2 * best[0][0] > best[1][0] or 2 * best[0][1] > best[1][1])
