#!/usr/bin/env python3
"""damage_kinds.py [--marks-only] PROGRAM FOLDER SEED COUNT TRACE...: damages traces in 40 ways and checks one rule. If
the evidence of the damaged file is clean, every metric must be missing or have the value of the undamaged file.

Prints for each kind of damage how many files break the rule. Kinds that always leave a mark (SEEN) must never break it.
The other kinds include damage that no reader can detect: a changed digit, a changed letter that gives another valid
name (UNSEEN), and missing events without numbers or links. At most 0.5 % of all damaged files may break the rule.
--marks-only checks only the kinds in SEEN. `trace.*` is not compared, because these metrics describe the damage
itself."""
import collections
import gzip
import json
import os
import random
import re
import subprocess
import sys

HOST = ("cpu_op", "operator", "user_annotation", "python_function")
SEEN = {"gzip_bit", "gzip_cut", "gzip_run", "gzip_swap", "nul_page", "nul_byte", "ff_run", "control_in_string", "text_cut", "quote_lost",
        "cut_and_closed", "cut_and_closed_head_behind", "numbered_event_lost", "numbered_event_twice", "twice_joined"}
UNSEEN = {"digit_changed", "letter_changed", "text_bit"}


class Trace:
    """A trace on disk: its text and its document."""

    def __init__(self, path):
        self.path, self.bytes = path, open(path, "rb").read()
        self.text = gzip.decompress(self.bytes) if self.bytes[:2] == b"\x1f\x8b" else self.bytes
        self.document = json.loads(self.text)
        self.events = self.document["traceEvents"]
        names = {e.get("name") for e in self.events}
        self.has_end = "Record Window End" in names
        self.numbered = [i for i, e in enumerate(self.events) if isinstance(e.get("args"), dict) and "Ev Idx" in e["args"]]

    def with_events(self, events):
        return json.dumps(dict(self.document, traceEvents=events), indent=1).encode()

    def without(self, gone):
        return self.with_events([e for i, e in enumerate(self.events) if i not in gone])


def place(rng, data, size=1):
    return rng.randrange(max(1, len(data) - size))


def replaced(data, at, new):
    return data[:at] + new + data[at + len(new):]


def some(rng, items, most=8):
    return set(rng.sample(items, min(len(items), rng.randrange(1, most + 1)))) if items else None


# ---- damage of the compressed file ----

def gzip_bit(t, rng):
    data = bytearray(t.packed)
    at = rng.randrange(len(data))
    if at in (4, 5, 6, 7, 8, 9, 3): # these bytes belong to the header, not to the text
        return None
    data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


def gzip_cut(t, rng):
    return t.packed[:rng.randrange(20, len(t.packed))]


def gzip_run(t, rng):
    size = rng.choice((1, 16, 512, 4096))
    at = rng.randrange(20, max(21, len(t.packed) - size))
    data = replaced(t.packed, at, rng.choice((b"\0", b"\xff")) * min(size, len(t.packed) - at))
    return None if data == t.packed else data


def gzip_swap(t, rng):
    size = min(512, len(t.packed) // 4)
    a, b = sorted(rng.sample(range(1, len(t.packed) // size - 1), 2)) if len(t.packed) // size > 3 else (1, 2)
    p = t.packed
    return p[:a * size] + p[b * size:(b + 1) * size] + p[(a + 1) * size:b * size] + p[a * size:(a + 1) * size] + p[(b + 1) * size:]


def gzip_member_lost(t, rng):
    cuts = sorted(rng.sample(range(1, len(t.text)), 2))
    parts = [t.text[:cuts[0]], t.text[cuts[0]:cuts[1]], t.text[cuts[1]:]]
    del parts[rng.randrange(3)]
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


# ---- damage of the text ----

def nul_page(t, rng):
    return replaced(t.text, place(rng, t.text, 4096), b"\0" * min(4096, len(t.text)))


def nul_byte(t, rng):
    return replaced(t.text, place(rng, t.text), b"\0")


def ff_run(t, rng):
    return replaced(t.text, place(rng, t.text, 512), b"\xff" * 512)


def control_in_string(t, rng):
    strings = [m for m in re.finditer(rb'"name": ?"([^"\\]{3,})"', t.text)]
    m = rng.choice(strings)
    return replaced(t.text, rng.randrange(m.start(1), m.end(1)), bytes([rng.choice((1, 2, 7, 8, 11, 12, 27, 31))]))


def blank_run(t, rng):
    return replaced(t.text, place(rng, t.text, 256), b" " * rng.randrange(8, 256))


def text_cut(t, rng):
    return t.text[:rng.randrange(2, len(t.text.rstrip()) - 1)]


def text_hole(t, rng):
    size = rng.choice((1, 16, 512, 4096))
    at = place(rng, t.text, size)
    return t.text[:at] + t.text[at + size:]


def text_block_twice(t, rng):
    at = place(rng, t.text, 512)
    return t.text[:at + 512] + t.text[at:]


def text_blocks_swapped(t, rng):
    size, count = 4096, len(t.text) // 4096
    if count < 4:
        return None
    a, b = sorted(rng.sample(range(count), 2))
    return (t.text[:a * size] + t.text[b * size:(b + 1) * size] + t.text[(a + 1) * size:b * size] + t.text[a * size:(a + 1) * size]
            + t.text[(b + 1) * size:])


def text_bit(t, rng):
    data = bytearray(t.text)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def lines_lost(t, rng):
    lines = t.text.split(b"\n")
    if len(lines) < 30:
        return None
    at, count = rng.randrange(len(lines) - 20), rng.randrange(1, 20)
    return b"\n".join(lines[:at] + lines[at + count:])


def lines_twice(t, rng):
    lines = t.text.split(b"\n")
    if len(lines) < 30:
        return None
    at, count = rng.randrange(len(lines) - 20), rng.randrange(1, 20)
    return b"\n".join(lines[:at + count] + lines[at:])


def line_cut(t, rng):
    lines = t.text.split(b"\n")
    at = rng.randrange(len(lines))
    if len(lines) < 30 or len(lines[at]) < 8:
        return None
    lines[at] = lines[at][:rng.randrange(len(lines[at]))]
    return b"\n".join(lines)


def quote_lost(t, rng):
    at = rng.choice([m.start() for m in re.finditer(b'"', t.text[:200000])][20:])
    return t.text[:at] + t.text[at + 1:]


def name_cut(t, rng):
    m = rng.choice([m for m in re.finditer(rb'"(?:name|cat)": ?"([^"\\]{6,})"', t.text)])
    at = rng.randrange(m.start(1) + 1, m.end(1))
    return t.text[:at] + t.text[m.end(1):]


def digit_changed(t, rng):
    while True:
        at = place(rng, t.text)
        if t.text[at:at + 1].isdigit():
            return replaced(t.text, at, bytes([48 + (t.text[at] - 48 + rng.randrange(1, 10)) % 10]))


def letter_changed(t, rng):
    while True:
        at = place(rng, t.text)
        if t.text[at:at + 1].isalpha():
            return replaced(t.text, at, bytes([97 + rng.randrange(26)]))


def crlf(t, _rng):
    return t.text.replace(b"\n", b"\r\n")


def mark_of_order(t, _rng):
    return b"\xef\xbb\xbf" + t.text


def utf16(t, rng):
    return t.text.decode("utf-8", "replace").encode(rng.choice(("utf-16-le", "utf-16-be", "utf-16")))


def sed_separators(t, rng):
    return t.text.replace(b"\n", rng.choice((b"", b" ", b"\n\n", b"\t")))


def twice_joined(t, rng):
    return t.text + rng.choice((b"", b"\n")) + t.text


# ---- damage of the events ----

def serialised(t, rng):
    return json.dumps(t.document, separators=rng.choice(((",", ":"), (", ", ": "))), sort_keys=rng.random() < 0.5).encode()


def cut_and_closed(t, rng):
    return t.with_events(t.events[:rng.randrange(1, len(t.events) - 4)]) if t.has_end else None


def cut_and_closed_head_behind(t, rng):
    if not t.has_end or len(t.numbered) < 2:
        return None
    first = t.numbered[1] + 1
    return json.dumps({"traceEvents": t.events[:rng.randrange(first, max(first + 1, len(t.events) - 8))]}).encode()


def numbered_event_lost(t, rng):
    return t.without(some(rng, t.numbered[1:-1])) if len(t.numbered) > 3 and t.has_end else None


def numbered_event_twice(t, rng):
    if len(t.numbered) < 3:
        return None
    again = some(rng, t.numbered)
    return t.with_events([e for i, e in enumerate(t.events) for _ in range(1 + (i in again))])


def event_lost(t, rng):
    return t.without({rng.randrange(len(t.events))})


def events_moved(t, rng):
    events = list(t.events)
    for _ in range(8):
        events.insert(rng.randrange(len(events)), events.pop(rng.randrange(len(events))))
    return t.with_events(events)


def device_event_lost(t, rng):
    of_device = [i for i, e in enumerate(t.events) if str(e.get("cat")).lower() in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy")]
    return t.without(some(rng, of_device)) if of_device else None


def links_lost(t, rng):
    kind = rng.choice(("ac2g", "fwdbwd", "async_cpu_to_gpu", "forward_backward"))
    return t.without({i for i, e in enumerate(t.events) if e.get("cat") == kind})


def metadata_lost(t, rng):
    if rng.random() < 0.5:
        return t.without({i for i, e in enumerate(t.events) if e.get("ph") == "M"})
    return json.dumps({k: v for k, v in t.document.items() if k == "traceEvents" or rng.random() < 0.7}).encode()


def thread_lost(t, rng):
    threads = sorted({(str(e.get("pid")), str(e.get("tid"))) for e in t.events if e.get("ph") == "X"})
    gone = rng.choice(threads)
    return t.without({i for i, e in enumerate(t.events) if (str(e.get("pid")), str(e.get("tid"))) == gone})


def category_lost(t, rng):
    gone = rng.choice(sorted({str(e.get("cat")) for e in t.events if e.get("ph") == "X"}))
    return t.without({i for i, e in enumerate(t.events) if e.get("cat") == gone})


def member_lost(t, rng):
    """Removes a member of one event, as a faulty filter could do."""
    at = rng.choice([i for i, e in enumerate(t.events) if e.get("ph") == "X"])
    key = rng.choice([k for k in t.events[at] if k in ("ph", "cat", "ts", "dur", "args")])
    return t.with_events([{k: v for k, v in e.items() if i != at or k != key} for i, e in enumerate(t.events)])


KINDS = [gzip_bit, gzip_cut, gzip_run, gzip_swap, gzip_member_lost, nul_page, nul_byte, ff_run, control_in_string, blank_run, text_cut,
         text_hole, text_block_twice, text_blocks_swapped, text_bit, lines_lost, lines_twice, line_cut, quote_lost, name_cut,
         digit_changed, letter_changed, crlf, mark_of_order, utf16, sed_separators, twice_joined, serialised, cut_and_closed,
         cut_and_closed_head_behind, numbered_event_lost, numbered_event_twice, event_lost, events_moved, device_event_lost, links_lost,
         metadata_lost, thread_lost, category_lost, member_lost]


class Reader:
    """The tested program."""

    def __init__(self, program, folder):
        self.program, self.out, self.budget = program, os.path.join(folder, "kinds.json"), os.path.join(folder, "kinds.budget")
        open(self.budget, "w").write("step.count >= 0\n")

    def read(self, path):
        """Returns (whether the evidence is clean, metrics); None: the file is refused."""
        run = subprocess.run([self.program, "check", path, "--budget", self.budget, "-q", "-o", os.devnull, "--json", self.out],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        assert run.returncode in (0, 1, 3, 6), (path, run.returncode)
        if run.returncode == 3:
            return None
        profile = json.load(open(self.out, encoding="utf-8"))["run"]["profiles"][0]
        return profile["evidence"]["clean"], {k: v for k, v in profile["metrics"].items() if not k.startswith("trace.")}


def broken(whole, new):
    """Returns the name of a metric that has changed although the evidence is clean, or None."""
    if new is None or not new[0]:
        return None
    for name, value in new[1].items():
        before = whole.get(name)
        if value is not None and (before is None or abs(value - before) > 1e-6 * max(abs(value), abs(before))):
            return "%s: %s, whole %s" % (name, value, before)
    return None


def main():
    marks_only = sys.argv[1] == "--marks-only"
    del sys.argv[1:1 + marks_only]
    program, folder, seed, count = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, reader = random.Random(seed), Reader(program, folder)
    made, faults = collections.Counter(), collections.Counter()
    inputs = []
    for path in sys.argv[5:]:
        whole = reader.read(path)
        if whole and whole[0]: # a trace whose own evidence is not clean is skipped
            try:
                trace = Trace(path)
            except (ValueError, KeyError, TypeError):
                continue
            trace.packed = gzip.compress(trace.text, 6, mtime=0)
            inputs.append((trace, whole[1]))
    while sum(made.values()) < count:
        trace, whole = inputs[rng.randrange(len(inputs))]
        kind = KINDS[sum(made.values()) % len(KINDS)]
        try:
            data = kind(trace, rng)
        except (ValueError, IndexError):
            data = None
        if data is None:
            continue
        path = os.path.join(folder, "kinds.pt.trace.json")
        open(path, "wb").write(data)
        made[kind.__name__] += 1
        line = broken(whole, reader.read(path))
        if line:
            faults[kind.__name__] += 1
            print("damage %d, %s of %s: clean, but %s" % (sum(made.values()), kind.__name__, trace.path, line))
            if "KEEP" in os.environ:
                os.replace(path, os.path.join(os.environ["KEEP"], "%s.%d.json" % (kind.__name__, sum(made.values()))))
    total, seen = sum(faults.values()), sum(faults[kind] for kind in SEEN)
    print("seed %d: %d damages of %d kinds, %d change a metric while the evidence is clean (%.2f %%), %d in kinds that leave a mark: %s" % (
        seed, count, len(made), total, 100 * total / count, seen, ", ".join("%s %d of %d" % (k, n, made[k]) for k, n in sorted(faults.items()))))
    return 1 if seen or (not marks_only and total > 0.005 * count) else 0


if __name__ == "__main__":
    sys.exit(main())
