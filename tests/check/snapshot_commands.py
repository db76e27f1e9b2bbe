#!/usr/bin/env python3
"""snapshot_commands.py CASE: checks a command of tracepress on memory snapshots that this script makes. $TP is the
program. Prints nothing if the case passes.

All blocks have sizes from 10 MiB on that are multiples of 2 MiB. The allocator of torch puts each into a segment of its
size, so that the numbers below are counted by hand."""
import json
import os
import pickle
import subprocess
import sys
import tempfile

MIB = 1 << 20
FIRST_ADDRESS = 0x7F0000000000


def frames(*names):
    """Returns a stack, innermost first, from texts like "app/model.py:12:forward"."""
    rows = [name.split(":") for name in names]
    return [{"filename": "/home/" + path, "line": int(line), "name": name} for path, line, name in rows]


class Maker:
    """Simulates an allocator whose blocks fill their segments, and records its events."""

    def __init__(self, device=0, address=FIRST_ADDRESS):
        self.device, self.next, self.time = device, address, 1_700_000_000_000_000
        self.events, self.cached, self.live, self.segments = [], [], {}, []

    def event(self, action, address, size, stack, **more):
        self.time += 10
        self.events.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": self.time,
                            "frames": stack, **more})

    def alloc(self, mib, stack, requested=None, **more):
        size = mib * MIB
        found = next((s for s in self.cached if s[1] == size), None)
        if found:
            self.cached.remove(found)
        else:
            found = (self.next, size)
            self.next += size + 2 * MIB
            self.segments.append(found)
            self.event("segment_alloc", *found, stack)
        self.event("alloc", found[0], requested or size, stack, **more)
        self.live[found[0]] = (size, requested or size, stack)
        return found[0]

    def free(self, address, stack=()):
        size, requested, _ = self.live.pop(address)
        self.event("free_requested", address, requested, list(stack))
        self.event("free_completed", address, requested, list(stack))
        self.cached.append((address, size))

    def release(self, stack):
        """Gives the cached segments back to the device."""
        for segment in self.cached:
            self.event("segment_free", *segment, stack)
            self.segments.remove(segment)
        self.cached = []

    def oom(self, mib, free_mib, stack):
        self.time += 10
        self.events.append({"action": "oom", "size": mib * MIB, "stream": 0, "time_us": self.time, "frames": stack,
                            "device_free": free_mib * MIB})

    def state(self):
        rows = []
        for address, size in self.segments:
            live = self.live.get(address)
            block = {"address": address, "size": size, "requested_size": live[1] if live else size,
                     "state": "active_allocated" if live else "inactive", "frames": live[2] if live else []}
            rows.append({"device": self.device, "address": address, "total_size": size, "stream": 0,
                         "allocated_size": size if live else 0, "active_size": size if live else 0,
                         "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False,
                         "frames": live[2] if live else [], "blocks": [block]})
        return rows


def write(path, *makers, keep=None, annotations=()):
    """Writes a snapshot. keep: number of newest events that the file has."""
    count = 1 + max(maker.device for maker in makers)
    traces = [[] for _ in range(count)]
    for maker in makers:
        traces[maker.device] = maker.events[-keep:] if keep is not None and keep else [] if keep == 0 else maker.events
    snapshot = {"segments": [row for maker in makers for row in maker.state()], "device_traces": traces,
                "allocator_settings": {"expandable_segments": False}, "external_annotations": list(annotations)}
    with open(path, "wb") as file:
        pickle.dump(snapshot, file, protocol=4)
    return path


def run(*arguments):
    done = subprocess.run([os.environ["TP"], *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(rc, *arguments):
    got, out, err = run(*arguments)
    assert got == rc, (got, rc, arguments, out, err)
    return out + err if rc else out


def equal(got, want):
    assert got == want, "got %r, want %r" % (got, want)


FORWARD = frames("app/model.py:12:forward", "app/train.py:40:main")
FORWARD_MOVED = frames("app/model.py:19:forward", "app/train.py:41:main")
LOAD = frames("app/data.py:7:load", "app/train.py:30:main")


def base():
    maker = Maker()
    data = maker.alloc(10, LOAD)
    kept = [maker.alloc(20, FORWARD), maker.alloc(20, FORWARD)]
    for address in kept:
        maker.free(address, FORWARD)
    maker.free(data, LOAD)
    maker.alloc(10, LOAD)
    return maker


def larger():
    """As base(), with one more block of 20 MiB in forward, whose line moved, and a block that stays."""
    maker = Maker()
    data = maker.alloc(10, LOAD)
    kept = [maker.alloc(20, FORWARD_MOVED) for _ in range(3)]
    for address in kept:
        maker.free(address, FORWARD_MOVED)
    maker.free(data, LOAD)
    maker.alloc(10, LOAD)
    maker.alloc(20, FORWARD_MOVED)
    return maker


# ---- diff ----


def row(name, before, after, before_blocks, after_blocks):
    return {"name": name, "before_bytes": before * MIB, "after_bytes": after * MIB,
            "delta_bytes": (after - before) * MIB, "before_blocks": before_blocks, "after_blocks": after_blocks}


def diff_counts_by_function(folder):
    a, b = write(folder + "/a.pickle", base()), write(folder + "/b.pickle", larger())
    out = expect(1, "diff", a, b, "--json", "-")
    third = FIRST_ADDRESS + 12 * MIB + 22 * MIB + 22 * MIB
    equal(json.loads(out), {
        "format": "tracepress.memory_snapshot_diff/1",
        "devices": [{
            "device": 0, "peak_before_bytes": 50 * MIB, "peak_after_bytes": 70 * MIB,
            "peak_reserved_before_bytes": 50 * MIB, "peak_reserved_after_bytes": 70 * MIB,
            "end_reserved_before_bytes": 50 * MIB, "end_reserved_after_bytes": 70 * MIB,
            "at_peak": [row("app/model.py: forward", 40, 60, 2, 3)],
            "at_end": [row("app/model.py: forward", 0, 20, 0, 1)],
            "segments_only_before": [], "segments_only_after": [third]}]})


def diff_gate(folder):
    a, b = write(folder + "/a.pickle", base()), write(folder + "/b.pickle", larger())
    expect(1, "diff", a, b)
    expect(1, "diff", a, b, "--fail-above", "39%")
    expect(0, "diff", a, b, "--fail-above", "40%")
    expect(0, "diff", a, b, "--exit-zero")
    expect(0, "diff", b, a, "--fail-above", "0")
    said = expect(2, "diff", a, b, "--fail-above", "much")
    assert "--fail-above: a percentage" in said, said
    said = expect(2, "diff", a, b, "--threshold", "3%")
    assert "--threshold has no effect on memory snapshots" in said, said


def diff_cut_window_decides_no_fall(folder):
    """The ring lost the first events of NEW, so that its peak may be larger than the known one."""
    a, b = write(folder + "/a.pickle", larger()), write(folder + "/b.pickle", base(), keep=4)
    said = expect(6, "diff", a, b, "--fail-above", "3%")
    assert said.split("\n")[1].startswith("Inconclusive: The known peak"), said
    expect(0, "diff", a, b)
    expect(1, "diff", a, b, "--inconclusive", "fail")
    # a rise above the whole peak of BASE is certain, although events of NEW are missing
    cut = larger()
    cut.alloc(60, FORWARD)
    expect(1, "diff", write(folder + "/c.pickle", base()), write(folder + "/d.pickle", cut, keep=6),
           "--fail-above", "3%")


def diff_refuses_other_kinds(folder):
    a = write(folder + "/a.pickle", base())
    trace = os.path.join(os.environ["DATA"], "traces", "case_allocator.pt.trace.json.gz")
    assert "cannot be compared" in expect(2, "diff", a, trace)
    assert "--fail-above is for memory snapshots" in expect(2, "diff", trace, trace, "--fail-above", "3%")
    os.mkdir(folder + "/two")
    write(folder + "/two/1.pickle", base())
    write(folder + "/two/2.pickle", base())
    assert "name one snapshot, this folder has 2" in expect(2, "diff", a, folder + "/two")


def diff_page_has_both_curves(folder):
    a, b = write(folder + "/a.pickle", base()), write(folder + "/b.pickle", larger())
    page = folder + "/d.html"
    expect(1, "diff", a, b, "-o", page, "--markdown", folder + "/d.md")
    with open(page, encoding="utf-8") as file:
        html = file.read()
    for text in ("b.pickle against a.pickle", "BASE, peak 50.0 MiB", "NEW, peak 70.0 MiB", "app/model.py: forward"):
        assert text in html, text
    assert html.count("vector-effect") == 2, "a curve for each side"


# ---- check ----


def budget(folder, *lines):
    path = folder + "/budget"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def statuses(folder, snapshot, *lines, rc, more=()):
    """Checks a snapshot and returns the status of each limit in the order of `lines`."""
    code, out, err = run("check", snapshot, "--budget", budget(folder, *lines), "--json", folder + "/c.json", *more)
    assert code == rc, (code, rc, out, err)
    with open(folder + "/c.json", encoding="utf-8") as file:
        items = json.load(file)["items"]
    by_text = {}
    for item in items:
        by_text.setdefault(item["text"], []).append((item["status"], item["value"]))
    return [by_text[line][0] if len(by_text[line]) == 1 else by_text[line] for line in lines]


def stepped(count=5, keep=True, annotations=None):
    """Steps of two blocks; with keep, each step keeps a block of 10 MiB. Steps end at marks of ProfilerStep."""
    maker = Maker()
    log = frames("app/train.py:55:log_metrics")
    for step in range(count):
        block = maker.alloc(20, FORWARD)
        if keep:
            maker.alloc(10, log)
        maker.free(block, FORWARD)
        if annotations is not None:
            annotations.append({"name": "ProfilerStep#%d" % step, "stage": "END", "device": 0, "time_us": maker.time + 1})
        maker.time += 5
    return maker


def check_limits_at_their_values(folder):
    marks = []
    path = write(folder + "/s.pickle", stepped(annotations=marks), annotations=marks)
    # at the peak: 5 kept blocks and the block of the last step; each step keeps 10 MiB and gets it by a new segment
    got = statuses(folder, path, "memory.peak <= 70 MiB", "memory.reserved <= 70 MiB", "memory.growth_per_step <= 10 MiB",
                   "memory.oom == 0", "memory.retries == 0", "memory.inactive_split <= 0",
                   "memory.live.category(workspace) >= 20 MiB", "memory.live.category(other) == 50 MiB", rc=0)
    equal(got, [("pass", 70 * MIB), ("pass", 70 * MIB), ("pass", 10 * MIB), ("pass", 0), ("pass", 0), ("pass", 0),
                ("pass", 20 * MIB), ("pass", 50 * MIB)])
    got = statuses(folder, path, "memory.peak < 70 MiB", "memory.reserved <= 69 MiB",
                   "warn memory.growth_per_step <= 9 MiB", "memory.cudamallocs.late == 0",
                   "memory.live.category(other) <= 49 MiB", rc=1)
    # the boundaries of the steps are at 5 events; the second half has the segments of the last two steps
    equal(got, [("fail", 70 * MIB), ("fail", 70 * MIB), ("warn", 10 * MIB), ("fail", 2), ("fail", 50 * MIB)])
    said = expect(1, "check", path, "--budget", budget(folder, "memory.growth_per_step <= 9 MiB"))
    assert "train.py(55): log_metrics: keeps more memory in each step" in said, said


def check_names_out_of_memory(folder):
    maker = base()
    maker.oom(64, 1, FORWARD)
    path = write(folder + "/oom.pickle", maker)
    said = expect(1, "check", path)  # the built-in limit is memory.oom == 0
    assert "fail: 1 of 1 limits broken" in said and "model.py(12): forward: asks for memory" in said, said
    expect(0, "check", write(folder + "/good.pickle", base()))


def check_never_passes_what_it_cannot_know(folder):
    limits = ["memory.peak <= 70 MiB", "memory.peak <= 10 MiB", "memory.peak >= 10 MiB", "memory.peak != 9 MiB",
              "memory.oom == 0", "memory.live.category(activations) <= 1 GiB", "memory.inactive_split <= 1 GiB",
              "optional memory.retries == 0", "step.time.median <= 1 s"]
    cut = larger()
    cut.alloc(20, FORWARD)  # in a cached segment, so that only this allocation and the one before are events
    got = statuses(folder, write(folder + "/cut.pickle", cut, keep=2), *limits, rc=1)
    equal([status for status, _ in got], ["inconclusive", "fail", "pass", "pass", "inconclusive", "inconclusive", "pass",
                                          "pass", "inconclusive"])
    got = statuses(folder, write(folder + "/state.pickle", cut, keep=0), *limits, rc=1)
    equal([status for status, _ in got], ["inconclusive", "fail", "pass", "pass", "inconclusive", "inconclusive", "pass",
                                          "pass", "inconclusive"])
    statuses(folder, folder + "/cut.pickle", limits[0], rc=6)
    wrong = larger()
    wrong.events.append(dict(wrong.events[-1], action="free_requested", addr=FIRST_ADDRESS + (1 << 40)))
    got = statuses(folder, write(folder + "/wrong.pickle", wrong), "memory.peak <= 70 MiB", rc=6)
    equal([status for status, _ in got], ["inconclusive"])


def check_against_a_baseline(folder):
    a, b = write(folder + "/a.pickle", base()), write(folder + "/b.pickle", larger())
    limits = ["memory.peak <= +39 %", "memory.peak <= +40 %", "memory.peak <= +19 MiB", "memory.reserved <= +20 MiB"]
    got = statuses(folder, b, *limits, rc=1, more=("--baseline", a))
    equal([status for status, _ in got], ["fail", "pass", "fail", "pass"])
    got = statuses(folder, b, *limits, rc=6)  # no baseline
    equal([status for status, _ in got], ["inconclusive"] * 4)
    # the file has all events but those of the first block, which is live: the peak of the run may be above 50 MiB
    maker = after_a_lost_block()
    cut = write(folder + "/cut.pickle", maker, keep=len(maker.events) - 2)
    got = statuses(folder, b, "memory.peak <= +40 %", "memory.peak <= +39 %", "memory.peak > +40 %", rc=1,
                   more=("--baseline", cut))
    equal([status for status, _ in got], ["pass", "inconclusive", "fail"])
    expect(1, "check", b, "--baseline", a)
    expect(0, "check", a, "--baseline", b)
    assert "not stored as baselines" in expect(2, "check", a, "--baseline", folder + "/c.tps", "--update-baseline")


def after_a_lost_block():
    """Has the peak of base(), and a block that stays."""
    maker = Maker()
    maker.alloc(10, LOAD)
    kept = [maker.alloc(20, FORWARD), maker.alloc(20, FORWARD)]
    for address in kept:
        maker.free(address, FORWARD)
    return maker


def check_ranks_and_devices(folder):
    os.mkdir(folder + "/job")
    write(folder + "/job/oom_rank0.pickle", base())
    write(folder + "/job/oom_rank1.pickle", larger())
    got = statuses(folder, folder + "/job", "memory.peak <= 60 MiB", "memory.peak <= 60 MiB @0", rc=1)
    equal(got, [[("fail", 70 * MIB), ("pass", 50 * MIB)], ("pass", 50 * MIB)])
    two = write(folder + "/two.pickle", base(), larger_on_device_1())
    got = statuses(folder, two, "memory.peak <= 60 MiB", rc=1)
    equal(got, [[("fail", 70 * MIB), ("pass", 50 * MIB)]])


def larger_on_device_1():
    maker = Maker(device=1, address=FIRST_ADDRESS + (1 << 36))
    maker.events, other = [], larger()
    for event in other.events:
        maker.events.append(dict(event, addr=event["addr"] + (1 << 36)))
    maker.segments = [(address + (1 << 36), size) for address, size in other.segments]
    maker.live = {address + (1 << 36): row for address, row in other.live.items()}
    return maker


def check_outputs_agree(folder):
    path = write(folder + "/b.pickle", larger())
    lines = ("memory.peak <= 60 MiB", "memory.oom == 0", "memory.growth_per_step <= 1 MiB")
    names = {"json": "out.json", "junit": "out.xml", "sarif": "out.sarif", "markdown": "out.md", "badge": "out.svg"}
    arguments = [part for name, file in names.items() for part in ("--" + name, folder + "/" + file)]
    expect(1, "check", path, "--budget", budget(folder, *lines), "-o", folder + "/out.txt", *arguments)
    subprocess.run([sys.executable, "tests/check/gate.py", "formats", folder], check=True)
    mistake = budget(folder, "memory.live.category() <= 1 GiB")
    assert "no metric is named" in expect(2, "check", path, "--budget", mistake)


CASES = {name: case for name, case in list(globals().items()) if name.startswith(("diff_", "check_", "export_", "table_",
                                                                                  "timeline_", "other_"))}


def main():
    if len(sys.argv) != 2:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[1]](folder)


if __name__ == "__main__":
    main()
