"""Checks `tracepress report` on memory snapshots that this script makes. Every expected number is counted by hand.

usage: snapshots.py TRACEPRESS WORK CASE

Runs one case and exits with 1 if a number, a sentence or an exit code is wrong. WORK: folder for files of the case."""
import base64
import glob
import gzip
import json
import os
import pickle
import pickletools
import struct
import subprocess
import sys

KIB, MIB = 1 << 10, 1 << 20
BASE = 0x7F0000000000
USED, FREE, PENDING = "active_allocated", "inactive", "active_pending_free"
TRACEPRESS, WORK = sys.argv[1], sys.argv[2]


def frame(file, line, name):
    return {"filename": file, "line": line, "name": name}


STACK = [frame("/home/user/train.py", 5, "main")]


def event(action, address, size, frames=STACK, stream=0, **more):
    key = "device_free" if action == "oom" else "addr"
    made = {"action": action, key: address, "size": size, "stream": stream, "time_us": 0, "frames": frames}
    made.update(more)
    return made


def block(size, state, requested=None, frames=()):
    return {"size": size, "requested_size": size if requested is None else requested, "state": state,
            "frames": list(frames), "address": 0}


def segment(address, size, blocks, **more):
    made = {"device": 0, "address": address, "total_size": size, "allocated_size": 0, "active_size": 0,
            "requested_size": 0, "stream": 0, "segment_type": "small" if size <= 2 * MIB else "large",
            "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
    made.update(more)
    return made


def snapshot(segments, events, **more):
    for i, e in enumerate(events):
        e["time_us"] = 1000 + 10 * i
    made = {"segments": segments, "device_traces": [events], "allocator_settings": {}, "external_annotations": []}
    made.update(more)
    return made


def run(data, name="a.pickle", command=("report",)):
    """Returns the exit code, the JSON (None without) and the messages."""
    path, out = os.path.join(WORK, name), os.path.join(WORK, "out.json")
    with open(path, "wb") as file:
        file.write(data)
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([TRACEPRESS, *command, path, "-o", os.path.join(WORK, "o.html"), "--json", out],
                          capture_output=True, text=True, timeout=120)
    made = json.load(open(out)) if os.path.exists(out) else None
    return done.returncode, made, done.stderr


def device_of(snap, **options):
    code, made, messages = run(pickle.dumps(snap, 4), **options)
    assert code == 0, messages
    return made["devices"][0]


def equal(what, got, wanted):
    if got != wanted:
        sys.exit("%s: got %r, wanted %r" % (what, got, wanted))


def small_pool():
    """1,000 B become 1,024 B and 100 B become 512 B; the first block is freed, and 600 B take its place."""
    return snapshot(
        [segment(BASE, 2 * MIB, [block(1024, USED, 600, STACK), block(512, USED, 100, STACK),
                                 block(2 * MIB - 1536, FREE)])],
        [event("segment_alloc", BASE, 2 * MIB), event("alloc", BASE, 1000), event("alloc", BASE + 1024, 100),
         event("free_requested", BASE, 1000), event("free_completed", BASE, 1000), event("alloc", BASE, 600)])


def case_curves():
    d = device_of(small_pool())
    equal("exact", d["replay"]["exact"], True)
    equal("curve", [p[2:] for p in d["curve_points_up_to_1024"]],
          [[0, 0, 0, 0], [0, 0, 2 * MIB, 0], [1024, 1024, 2 * MIB, 1000], [1536, 1536, 2 * MIB, 1100],
           [512, 1536, 2 * MIB, 100], [512, 512, 2 * MIB, 100], [1536, 1536, 2 * MIB, 700]])
    equal("first peak", (d["peak"]["index"], d["peak"]["rounding_bytes"]), (2, 436))
    equal("categories", [sum(x) for x in zip(*d["curve_by_category"].values())],
          [p[2] for p in d["curve_points_up_to_1024"]])


def case_fragmented():
    """9 + 9 + 1.5 MiB in a segment of 20 MiB: the last block gets 2 MiB. Then 118 MiB do not fit."""
    events = [event("segment_alloc", BASE, 20 * MIB), event("alloc", BASE, 9 * MIB),
              event("alloc", BASE + 9 * MIB, 9 * MIB), event("alloc", BASE + 18 * MIB, 3 * MIB // 2)]
    for k in (0, 1):
        events += [event(a, BASE + 9 * k * MIB, 9 * MIB) for a in ("free_requested", "free_completed")]
    events.append(event("oom", 105 * MIB, 118 * MIB))
    d = device_of(snapshot([segment(BASE, 20 * MIB, [block(18 * MIB, FREE), block(2 * MIB, USED, 3 * MIB // 2, STACK)])],
                           events))
    oom = d["ooms"][0]
    equal("exact", d["replay"]["exact"], True)
    equal("end", d["end"]["allocated_bytes"], 2 * MIB)
    equal("kind", (oom["kind"], oom["segment_bytes"], oom["short_bytes"]), ("fragmented", 118 * MIB, 13 * MIB))
    equal("use", (oom["free"]["too_small_bytes"], oom["free"]["usable_bytes"]), (18 * MIB, 0))
    equal("kept", (oom["pinned"]["segments"], oom["pinned"]["free_bytes"]), (1, 18 * MIB))
    equal("to free", oom["to_go"]["segments"], {"segments": 1, "live_bytes": 2 * MIB, "freed_bytes": 20 * MIB})
    equal("line", oom["line"], "train.py(5): main")


def case_full_and_limit():
    for free, kind in ((10 * MIB, "full"), (300 * MIB, "limit")):
        d = device_of(snapshot([segment(BASE, 20 * MIB, [block(20 * MIB, USED, None, STACK)])],
                               [event("segment_alloc", BASE, 20 * MIB), event("alloc", BASE, 20 * MIB),
                                event("oom", free, 118 * MIB)]))
        equal("kind", d["ooms"][0]["kind"], kind)
        equal("capacity", d["ooms"][0]["known_capacity_bytes"], 20 * MIB + free)


def case_streams():
    """A block whose free waits for another stream is active, but not allocated."""
    d = device_of(snapshot([segment(BASE, 2 * MIB, [block(1024, PENDING, 1000, STACK), block(2 * MIB - 1024, FREE)])],
                           [event("segment_alloc", BASE, 2 * MIB), event("alloc", BASE, 1000),
                            event("free_requested", BASE, 1000)]))
    equal("exact", d["replay"]["exact"], True)
    equal("end", (d["end"]["allocated_bytes"], d["end"]["active_bytes"]), (0, 1024))


def case_ring():
    """The first events are missing: one block has a stack but no allocation, one is older than the recording."""
    d = device_of(snapshot([segment(BASE, 2 * MIB, [block(512, USED, 512, STACK), block(512, USED, 512),
                                                    block(2 * MIB - 1024, FREE)])],
                           [event("free_requested", BASE + 1024, 700), event("free_completed", BASE + 1024, 700)]))
    equal("window", (d["window"]["cut"], d["window"]["lost_alloc_blocks"], d["window"]["older_blocks"]), ("yes", 1, 3))
    equal("start", (d["start"]["allocated_bytes"], d["start"]["requested_bytes"]), (2048, 1724))


def case_expandable():
    """40 MiB are mapped and 15 MiB used: the second page of 20 MiB can be given back."""
    more = {"is_expandable": True}
    d = device_of(snapshot([segment(BASE, 40 * MIB, [block(15 * MIB, USED, None, STACK), block(25 * MIB, FREE)], **more)],
                           [event("segment_map", BASE, 20 * MIB), event("segment_map", BASE + 20 * MIB, 20 * MIB),
                            event("alloc", BASE, 15 * MIB)], allocator_settings={"expandable_segments": True}))
    f = d["end"]["fragmentation"]
    equal("exact", d["replay"]["exact"], True)
    equal("free", (f["releasable_bytes"], f["inactive_split_bytes"], f["segments"]), (20 * MIB, 0, 1))


def case_growth():
    """One block of 2 MiB more in each of five steps."""
    line = [frame("/home/user/train.py", 7, "log")]
    events, ends = [event("segment_alloc", BASE, 20 * MIB)], []
    for k in range(5):
        events.append(event("alloc", BASE + 2 * k * MIB, 2 * MIB, line))
        ends.append({"stage": "END", "name": "ProfilerStep#%d" % k, "device": 0, "time_us": 1000 + 10 * (k + 1) + 1})
    blocks = [block(2 * MIB, USED, None, line) for k in range(5)] + [block(10 * MIB, FREE)]
    d = device_of(snapshot([segment(BASE, 20 * MIB, blocks)], events, external_annotations=ends))
    growth = d["growth"]
    equal("steps", (growth["by"], [b["index"] for b in growth["boundaries"]]), ("ProfilerStep", [1, 2, 3, 4, 5]))
    equal("line", (growth["growing"][0]["name"], growth["growing"][0]["bytes_per_step"]), ("train.py(7): log", 2 * MIB))
    equal("finding", [f["id"] for f in d["findings"]][:1], ["growth"])


def case_containers():
    """Protocols, gzip, a page of _memory_viz, and another order of keys give the same numbers."""
    snap = small_pool()
    wanted = run(pickle.dumps(snap, 4))[1]["devices"]
    page = b"<!DOCTYPE html>\n<script>\nconst local_files = [{\"name\": \"s\", \"base64\": \"" + base64.b64encode(
        pickle.dumps(snap, 4) + b"\0\0") + b"\"}]\n</script>"
    turned = dict(reversed(list(snap.items())))
    turned["device_traces"] = [[dict(reversed(list(e.items()))) for e in snap["device_traces"][0]]]
    for name, data in (("2.pickle", pickle.dumps(snap, 2)), ("5.pickle", pickle.dumps(snap, 5)),
                       ("short.pickle", pickletools.optimize(pickle.dumps(snap, 4))),
                       ("z.pickle.gz", gzip.compress(pickle.dumps(snap, 4))), ("page.html", page),
                       ("turned.pkl", pickle.dumps(turned, 4))):
        code, made, messages = run(data, name)
        equal(name + " exit", (code, messages), (0, messages))
        equal(name, made["devices"], wanted)


def case_code():
    """Pickles that load or call objects are refused, and nothing runs."""
    proof = os.path.join(WORK, "proof")

    class Attack:
        def __init__(self, call):
            self.call = call

        def __reduce__(self):
            return self.call

    for protocol in (2, 3, 4, 5):
        for call in ((os.system, ("touch " + proof,)), (eval, ("open(%r, 'w')" % proof,)), (bytearray, ())):
            code, made, messages = run(pickle.dumps(dict(small_pool(), x=Attack(call)), protocol))
            equal("exit", (code, made), (3, None))
            if "asks to load or call" not in messages or "none is run" not in messages:
                sys.exit(messages)
    equal("nothing ran", os.path.exists(proof), False)


def case_damage():
    """A file that is cut at any byte is refused with its size; flipped bytes end with exit code 0, 3 or 5."""
    data = pickle.dumps(small_pool(), 4)
    for size in list(range(0, 64)) + list(range(64, len(data), 37)):
        code, made, messages = run(data[:size])
        equal("exit at %d" % size, (code, made), (3, None))
        wanted = "the file is empty" if size == 0 else "only one byte" if size == 1 else "ends at byte %d" % size
        if wanted not in messages:
            sys.exit("%d: %s" % (size, messages))
    state = 12345
    for _ in range(200):
        broken = bytearray(data)
        for _ in range(3):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            broken[state % len(broken)] = state >> 8 & 0xFF
        if run(bytes(broken))[0] not in (0, 3, 5):
            sys.exit("exit code of a damaged file")


def case_hostile():
    """Lengths, depths, references and types that no snapshot has."""
    good = small_pool()
    cycle = []
    cycle.append(cycle)
    shared = segment(BASE, 512 * 2000, [block(512, FREE) for _ in range(2000)])
    cases = [
        (b"\x80\x04\x8d" + struct.pack("<Q", 1 << 60) + b"x.", "inside of a value"),
        (b"\x80\x04\x8b" + struct.pack("<i", 0x7FFFFFFF) + b"\x01.", "sizes and addresses have at most 8"),
        (b"\x80\x04" + b"]" * 300000 + b"a" * 299999 + b".", "segments[0] is no dict"),
        (b"\x80\x04ue.", "takes a value that is not there"),
        (b"\x80\x04h\x07.", "refers to a value that was not written"),
        (b"\x80\x04](\x8c\x01aK\x01u.", "something that is no dict"),
        (b"\x80\x09}.", "protocol 9 is not known"),
        (pickle.dumps(good, 0), "no pickle of protocol 2 or later"),
        (pickle.dumps(good, 4) * 2, "bytes follow the end of the pickle"),
        (pickle.dumps({"a": 1}, 4), 'has no "segments"'),
        (pickle.dumps(dict(good, segments=cycle), 4), "segments[0] is no dict"),
        (pickle.dumps(dict(good, segments=[shared] * 5000), 4), "referred to so often"),
        (pickle.dumps(dict(good, segments=[dict(segment(BASE, 512, []), total_size="big")]), 4), "total_size is str, not int"),
        (pickle.dumps(dict(good, segments=[segment(BASE, 1 << 40, [block(512, FREE)])]), 4), "add up to 512 bytes"),
        (pickle.dumps(dict(good, segments=[segment(BASE, 512, [block(512, "borrowed")])]), 4), ".state is 'borrowed'"),
        (pickle.dumps(dict(good, device_traces=[[1]]), 4), "device_traces[0][0] is no dict"),
    ]
    for data, wanted in cases:
        code, made, messages = run(data)
        equal("exit for " + wanted, (code, made), (3, None))
        if wanted not in messages:
            sys.exit("wanted %s: %s" % (wanted, messages))
    impossible = [event("alloc", BASE, 1024) for _ in range(5)]
    impossible += [event("free_completed", 7, 1 << 63), event("fly", 7, 1), event("segment_free", 9, 1 << 62)]
    d = device_of(dict(good, device_traces=[impossible]))
    equal("inconsistent", (d["replay"]["exact"], d["unknown_actions"]), (False, 1))


def case_fixtures():
    """The files of an independent implementation: every value is equal."""
    count = 0
    for path in sorted(glob.glob(os.path.join(os.environ["SNAPSHOTS"], "fixtures", "*"))):
        if path.endswith(".json"):
            continue
        wanted = json.load(open(path + ".expected.json"))
        code, made, messages = run(open(path, "rb").read(), os.path.basename(path))
        equal(path, code, 0)
        equal(path, made, wanted)
        count += 1
    equal("files", count >= 30, True)
    for row in json.load(open(os.path.join(os.environ["SNAPSHOTS"], "hostile", "manifest.json"))):
        data = open(os.path.join(os.environ["SNAPSHOTS"], "hostile", row["file"]), "rb").read()
        code, _, messages = run(data, row["file"])
        equal(row["file"], (code, row["text"] in messages), (row["exit"], True))


if __name__ == "__main__":
    globals()["case_" + sys.argv[3]]()
