"""Draws programs that use the allocator of snapshot_allocator.py, and writes their snapshots in each form.

A program draws sizes, lives, streams, pools, the memory of the device, settings of the allocator, and the length of the
ring of events. `snapshot_programs.py SEED FILE` writes one of them."""
import base64
import gzip
import os
import pickle
import random
import struct
import sys

from snapshot_allocator import GIB, KIB, MIB, Allocator, OutOfMemory, snapshot

TORCH = "/usr/lib/python3/site-packages/torch/"


def stack_of(number):
    own = {"filename": "/home/user/model_%d.py" % (number % 3), "line": 10 + number, "name": "part_%d" % number}
    torch = {"filename": TORCH + "nn/functional.py", "line": 99, "name": "linear"}
    return ([torch] if number % 2 else []) + [own, {"filename": "/home/user/train.py", "line": 3, "name": "main"}]


STACKS = [stack_of(n) for n in range(8)]
EMPTY_CACHE = [{"filename": TORCH + "cuda/memory.py", "line": 200, "name": "empty_cache"}] + STACKS[0]


def line_of(stack):
    own = next(f for f in stack if not f["filename"].startswith(TORCH))
    return "%s(%d): %s" % (os.path.basename(own["filename"]), own["line"], own["name"])


# ---- writers ----

def pickled_by_torch(value):
    """Protocol 2 as torch's C++ code writes it: numbers of 8 bytes, one memo for texts and containers."""
    out, numbers, kept = bytearray(b"\x80\x02"), {}, []

    def put(key):
        number = numbers[key] = len(numbers)
        out.extend(b"q" + bytes([number]) if number < 256 else b"r" + struct.pack("<I", number))

    def get(key):
        number = numbers.get(key)
        if number is not None:
            out.extend(b"h" + bytes([number]) if number < 256 else b"j" + struct.pack("<I", number))
        return number is not None

    def write(v):
        if isinstance(v, bool):
            out.extend(b"\x88" if v else b"\x89")
        elif isinstance(v, int):
            out.extend(b"\x8a\x08" + struct.pack("<Q", v % (1 << 64)))
        elif isinstance(v, float):
            out.extend(b"G" + struct.pack(">d", v))
        elif isinstance(v, str):
            if not get(v):
                text = v.encode()
                out.extend(b"X" + struct.pack("<I", len(text)) + text)
                put(v)
        elif isinstance(v, tuple):
            for item in v:
                write(item)
            out.extend(b"\x86")
        elif not get(id(v)):
            kept.append(v)
            out.extend(b"}(" if isinstance(v, dict) else b"](")
            for item in (x for pair in v.items() for x in pair) if isinstance(v, dict) else v:
                write(item)
            out.extend(b"u" if isinstance(v, dict) else b"e")
            put(id(v))

    write(value)
    return bytes(out) + b"."


def page_of(data):
    return b"<!DOCTYPE html>\n<script>let local_files = [{\"name\": \"x\", \"base64\": \"%s\"}]</script>" % base64.b64encode(data)


WRITERS = {"protocol 4": lambda s: pickle.dumps(s, 4), "protocol 5": lambda s: pickle.dumps(s, 5),
           "protocol 2": lambda s: pickle.dumps(s, 2), "torch": pickled_by_torch,
           "gzip": lambda s: gzip.compress(pickle.dumps(s, 4)), "page": lambda s: page_of(pickle.dumps(s, 4) + b"\0")}


# ---- programs ----

def draw_allocator(draw):
    has_ring = draw.random() < 0.3
    expandable = draw.random() < 0.3
    return Allocator(capacity=draw.choice([64 * MIB, 200 * MIB, GIB, 16 * GIB]), expandable=expandable,
                     base=draw.choice([0x7F0000000000, 0x302000000, 0xFFFF800000000000]),
                     max_split=draw.choice([32 * MIB, 64 * MIB]) if not expandable and not has_ring and draw.random() < 0.2 else None,
                     divisions=draw.choice([0, 0, 0, 4, 8]), max_entries=draw.choice([40, 150]) if has_ring else None)


def draw_size(draw):
    return draw.choice([draw.randint(1, 4 * KIB), draw.randint(1, MIB + 999), draw.randint(MIB, 12 * MIB),
                        draw.randint(10 * MIB, 60 * MIB), 512 * draw.randint(1, 4000)])


def run_program(allocator, draw):
    live, steps = [], draw.randint(20, 330)
    small = draw.random() < 0.5
    streams = [0] + draw.sample([7, 0x55D0C0FFEE00], draw.randint(0, 2))
    if draw.random() < 0.2:
        allocator.pools_of_events = True
    for step in range(steps):
        stack, wish = draw.choice(STACKS), draw.random()
        allocator.pool = (0, 1) if allocator.pools_of_events and draw.random() < 0.2 else (0, 0)
        if draw.random() < 0.02:
            allocator.metadata = "part %d" % step
        if wish < 0.03:
            allocator.empty_caches += allocator.release(EMPTY_CACHE) > 0
        elif wish < 0.55 + 0.3 * (step % 60 < 30):
            try:
                size = draw.randint(1, 20 * KIB) if small and draw.random() < 0.8 else draw_size(draw)
                live.append(allocator.malloc(size, stack, draw.choice(streams)))
            except OutOfMemory:
                for _ in range(len(live) // 2):
                    allocator.free(live.pop(draw.randrange(len(live))), stack)
        elif live:
            allocator.free(live.pop(draw.randrange(len(live))), stack, draw.choice([0, 0, 0, 1, 5]))
    return live


def draw_program(seed):
    """Runs a drawn program on one or two devices. Returns its allocators and the name of a writer."""
    draw = random.Random(seed)
    allocators = [draw_allocator(draw) for _ in range(draw.choice([1, 1, 1, 2]))]
    for allocator in allocators[1:]:
        allocator.expandable, allocator.max_split, allocator.divisions = (
            allocators[0].expandable, allocators[0].max_split, allocators[0].divisions)
        if allocator.max_split is not None:
            allocator.max_entries = None
    for allocator in allocators:
        run_program(allocator, draw)
    return allocators, draw.choice(sorted(WRITERS))


if __name__ == "__main__":
    drawn, how = draw_program(int(sys.argv[1]))
    with open(sys.argv[2], "wb") as file:
        file.write(WRITERS[how](snapshot(drawn)))
