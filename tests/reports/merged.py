#!/usr/bin/env python3
"""merged.py KIND FOLDER: writes traces of ranks, merged into one file as several tools do, and the files of the ranks into
FOLDER; see merged.tsv. Each KIND has a function `made_KIND` below."""
import gzip
import json
import os
import sys

DEVICES = [{"id": i, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8, "computeMinor": 0, "warpSize": 32,
            "numSms": 100} for i in range(2)]
HEAD = {"schemaVersion": 1, "deviceProperties": DEVICES, "baseTimeNanoseconds": 1700000000000000000}


def rank_events(rank, pid, device, first_id=1, steps=3, launches=20, calls=True):
    """Returns the events of one rank. The kernels of rank 1 are longer, so that a swapped device changes the numbers. The
    order of members differs from torch's, as other programs write them."""
    events, number = [], first_id
    for key, value in (("process_name", {"name": "python"}), ("process_labels", {"labels": "CPU"})):
        events.append({"ph": "M", "name": key, "pid": pid, "tid": 0, "ts": 0, "args": value})
    events.append({"ph": "M", "name": "process_labels", "pid": device, "tid": 0, "ts": 0, "args": {"labels": "GPU %d" % device}})

    def add(cat, name, owner, tid, ts, dur, **args):
        events.append({"args": args, "cat": cat, "dur": dur, "name": name, "ph": "X", "pid": owner, "tid": tid, "ts": ts})
    for step in range(steps):
        start = 10000 * step + 10 * rank
        add("user_annotation", "ProfilerStep#%d" % step, pid, pid, start, 10000)
        for i in range(launches):
            at = start + 10 + 400 * i
            add("cpu_op", "aten::mm", pid, pid, at, 100, **{"External id": number})
            if calls:
                add("cuda_runtime", "cudaLaunchKernel", pid, pid, at + 20, 10, correlation=number)
            add("kernel", "gemm_of_rank_%d" % rank, device, 7, at + 50, 200 + 100 * rank, correlation=number, device=device, stream=7)
            number += 1
    return events


def end_mark(pid=""):
    return {"ph": "i", "s": "g", "name": "Record Window End", "pid": pid, "tid": "", "ts": 40000}


def write(folder, name, events, indent=None, **head):
    text = json.dumps(dict(HEAD, traceEvents=events, **head), indent=indent)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with (gzip.open(path, "wt") if name.endswith(".gz") else open(path, "w")) as out:
        out.write(text)


def write_all(folder, merged, ranks, producer="merged ranks", numbers=None, **head):
    """Writes the merged file, plain and compressed, and a folder with the file of each rank. numbers: of the ranks."""
    write(folder, "trace.json", merged, **head)
    write(folder, "packed.json.gz", merged, **head)
    write(folder, "indented.json", merged, indent=2, **head)
    for i, events in enumerate(ranks):
        own = {"tracepress_input": {"producer": producer, "missing": [], "notes": [], "dropped": {}}}
        if numbers:
            own["distributedInfo"] = {"rank": numbers[i], "world_size": len(numbers)}
        for ending in ("json", "json.gz"):
            write(os.path.join(folder, "ranks"), "%d.%s" % (i, ending), events, **own)


def made_processes(folder):
    """Two processes with equal correlations. One kernel more in rank 0 shows the owner of each device."""
    a, b = rank_events(0, 4242, 0, launches=25), rank_events(1, 5252, 1)
    write_all(folder, a + b + [end_mark()], [a, b], distributedInfo={"rank": 0, "world_size": 2})


def made_equal_processes(folder):
    """All correlations are equal; the devices belong to the processes in their order."""
    a, b = rank_events(0, 4242, 0), rank_events(1, 5252, 1)
    write_all(folder, a + b, [a, b])


def made_crossed_devices(folder):
    """The first process uses the second device. Only the correlations show it."""
    a, b = rank_events(0, 4242, 1, launches=25), rank_events(1, 5252, 0, launches=20, first_id=10)
    write_all(folder, a + b, [a, b])


def made_unclear_devices(folder):
    """Two processes with equal correlations, and kernels of both on one device."""
    a, b = rank_events(0, 4242, 0), rank_events(1, 5252, 0)
    write_all(folder, a + b, [a, b])


def made_labels(folder):
    """Labels in front of the pids, as SGLang's profile_merger writes them. Both ranks have the same pid and device."""
    a, b = rank_events(0, 900, 0) + [end_mark()], rank_events(1, 900, 0) + [end_mark()]
    labelled = [dict(e, pid="[TP%02d-DP00] %s" % (i, e["pid"])) for i, events in enumerate((a, b)) for e in events]
    write_all(folder, labelled, [a, b])


def made_rank_arguments(folder):
    """An argument "rank" on each slice, and moved pids and ids, as TraceLens's TraceFuse writes them. Ranks are 3 and 5."""
    a = rank_events(0, 900, 0)
    b = rank_events(1, 10901, 10001, first_id=100001)
    merged = []
    for rank, events in ((3, a), (5, b)):
        for e in events:
            merged.append(dict(e, args=dict(e["args"], rank=rank)) if e["ph"] == "X" else e)
    ranks = [[e for e in merged if e["pid"] in pids] for pids in ((900, 0), (10901, 10001))]
    write_all(folder, merged, ranks, "merged ranks (TraceFusion)", (3, 5))


def made_one_rank(folder):
    """One rank with two devices and a second process without calls; not several ranks."""
    a = rank_events(0, 4242, 0)
    b = [dict(e, pid=5252) for e in rank_events(1, 4242, 1, calls=False, first_id=1001) if e.get("cat") == "cpu_op"]
    write_all(folder, a + b, [a])


def made_distinct_correlations(folder):
    """Two processes whose correlations differ, such as a program and its child."""
    a, b = rank_events(0, 4242, 0), rank_events(1, 5252, 1, first_id=1001)
    b = [e for e in b if not e["name"].startswith("ProfilerStep")]
    write_all(folder, a + b, [a, b])


def recordings(folder, second_rank, second_base=0):
    """Two recordings of a worker with one name."""
    for i, rank in ((0, 0), (1, second_rank)):
        events = rank_events(i, 7, 0)
        head = dict(HEAD, distributedInfo={"rank": rank, "world_size": 2}, traceEvents=events + [end_mark()])
        head["baseTimeNanoseconds"] += i * second_base
        with open(os.path.join(folder, "localhost_7.%d.pt.trace.json" % (1700000000000 + i)), "w") as out:
            json.dump(head, out)


def made_recordings_of_two_ranks(folder):
    recordings(folder, 1)


def made_recordings_after_each_other(folder):
    recordings(folder, 0, 1000000000)


def made_recordings_at_the_same_time(folder):
    recordings(folder, 0, 1000000)


def made_copy_of_a_recording(folder):
    recordings(folder, 0)
    names = sorted(os.listdir(folder))
    with open(os.path.join(folder, names[0])) as first, open(os.path.join(folder, names[1]), "w") as second:
        second.write(first.read())


if __name__ == "__main__":
    globals()["made_" + sys.argv[1]](sys.argv[2])
