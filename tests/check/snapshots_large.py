"""Checks that hostile memory snapshots of a few MB need little time and memory.

usage: snapshots_large.py TRACEPRESS WORK [MEMORY_MB]

Each file refers to the same value very often, because a reference needs only two bytes. Without limits, the reader
would need minutes or many GB. Each file must be read within LONGEST_S of processor time, or be refused with exit code
5. MEMORY_MB: largest memory (0: not checked, for programs with sanitizers)."""
import os
import struct
import sys

TRACEPRESS, WORK = sys.argv[1], sys.argv[2]
MEMORY_MB = int(sys.argv[3]) if len(sys.argv) > 3 else 0
LONGEST_S = 10 if MEMORY_MB else 60
BASE = 0x7F0000000000


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(value):
    return b"K" + bytes([value]) if value < 256 else b"\x8a\x09" + value.to_bytes(9, "little")


def members(**values):
    """The opcodes of a dict. Values: a number, a text, or opcodes."""
    out = b"}("
    for key, value in values.items():
        out += text(key) + (number(value) if isinstance(value, int) else text(value) if isinstance(value, str) else value)
    return out + b"u"


def array(*items):
    return b"](" + b"".join(items) + b"e"


def segment(**more):
    values = dict(address=BASE, total_size=512, stream=0, device=0, blocks=array(members(size=512, state="inactive")))
    values.update(more)
    return members(**values)


def block(*frames):
    return array(members(size=512, state="active_allocated", frames=array(*frames)))


def file_of(first=b"", **values):
    """The first value of the file is number 0 of the memo if it ends with MEMOIZE."""
    return b"\x80\x04}(" + first + b"".join(text(key) + value for key, value in values.items()) + b"u."


KEEP, AGAIN = b"\x94", b"h\x00"  # MEMOIZE, and a reference to the first value
MANY_KEYS = b"".join(text("k%d" % i) + b"N" for i in range(200000))
FEW = segment()


def frame(line, name="f", **more):
    return members(filename="/home/user/a.py", line=line, name=name, **more)


def annotations(count):
    return array(members(stage="END", name="ProfilerStep#1", device=b"N", time_us=5) + KEEP, AGAIN * count)


CASES = {
    "a dict with many keys": lambda: file_of(segments=array(
        segment()[:-1] + MANY_KEYS + b"u" + KEEP, AGAIN * 200000)),
    "a dict whose keys were added one by one": lambda: file_of(segments=array(
        segment() + b"".join(text("k%d" % i) + b"Ns" for i in range(200000)) + KEEP, AGAIN * 200000)),
    "settings that were added one by one": lambda: file_of(
        segments=array(FEW), allocator_settings=b"}" + b"".join(text("k%d" % i) + b"Ns" for i in range(200000))),
    "segments of many devices": lambda: file_of(segments=array(
        FEW + KEEP, *[segment(device=i, address=BASE + 4096 * i) for i in range(100)], AGAIN * 1000000)),
    "too many devices": lambda: file_of(segments=array(*[segment(device=i) for i in range(4096)])),
    "ends of steps on many devices": lambda: file_of(
        text("external_annotations") + annotations(500000), segments=array(FEW),
        device_traces=array(*[array(members(action="alloc", addr=BASE, size=1, stream=0, time_us=1))] * 120)),
    "long texts of the program": lambda: file_of(segments=array(FEW), device_traces=array(array(
        *[members(action="snapshot", addr=0, size=1, stream=0, user_metadata=c * 300000) + KEEP for c in "ab"],
        b"h\x00h\x01" * 50000))),
    "many pools": lambda: file_of(segments=array(FEW), device_traces=array(array(
        *[members(action="alloc", addr=BASE + 512 * i, size=1, stream=0, pool_id=b"K\x01" + number(1000 + i) + b"\x86") + KEEP
          for i in range(1100)], b"j\x40\x04\x00\x00" * 500000))),
    "a long file name of many lines": lambda: file_of(
        text("x") + text("/" + "f" * 1000000 + ".py") + KEEP, segments=array(segment(blocks=block(
            *[members(filename=AGAIN, line=number(i), name="g") for i in range(2000)])))),
    "a long frame in a deep stack": lambda: file_of(segments=array(segment(blocks=block(
        members(filename="/" + "f" * 100000 + ".py", line=1, name="forward") + KEEP, AGAIN * 100000)))),
    "a deep stack": lambda: file_of(segments=array(segment(blocks=block(frame(1) + KEEP, AGAIN * 1000000)))),
    "many different stacks of equal size": lambda: file_of(
        text("x") + array(*[frame(i, "name_%d_%s" % (i, "g" * 100)) + KEEP for i in range(200)]),
        segments=array(segment(total_size=512 * 10000, blocks=array(*[
            members(size=512, state="active_allocated",
                    frames=array(*[b"h" + bytes([i * k % 200]) for k in range(1, 30)], b"h" + bytes([i // 200])))
            for i in range(10000)])))),
    "a long trace of torch.fx": lambda: file_of(
        text("x") + text('File "a", line 1\n' * 100000) + KEEP, segments=array(segment(blocks=block(
            *[frame(number(i), fx_original_trace=AGAIN) for i in range(2000)])))),
    "a long name of C++": lambda: file_of(segments=array(segment(blocks=block(
        members(filename="x.cpp", line=0, name="Bac" * 500000))))),
    "many failed requests": lambda: file_of(
        segments=array(segment(total_size=512 * 20000, blocks=array(
            members(size=512, state="active_allocated") + KEEP, AGAIN * 19999))),
        device_traces=array(array(members(action="oom", device_free=0, size=1 << 30, stream=0) + KEEP,
                                  b"h\x01" * 500000))),
    "overlapping segments": lambda: file_of(segments=array(*[
        segment(address=BASE + i, total_size=1 << 40, blocks=array(members(size=1 << 40, state="active_allocated")))
        for i in range(20000)])),
    "one segment very often": lambda: file_of(segments=array(FEW + KEEP, AGAIN * 1000000)),
    "impossible sizes and addresses": lambda: file_of(segments=array(FEW), device_traces=array(array(*[
        members(action=action, addr=address, size=size, stream=0)
        for action in ("segment_alloc", "segment_map", "alloc", "free_requested", "segment_unmap", "segment_free", "oom")
        for address in (0, 1, BASE, 1 << 63, (1 << 64) - 1) for size in (0, 1, 1 << 62, 1 << 63, (1 << 64) - 1)]))),
    "many valleys": lambda: file_of(segments=array(FEW), device_traces=array(array(
        *[members(action=action, addr=BASE, size=512, stream=0) + KEEP for action in ("alloc", "free_requested", "free_completed")],
        b"h\x00h\x01h\x02" * 300000))),
}


def costs(path):
    """Returns the exit code, the processor time in seconds and the memory in MB."""
    arguments = [TRACEPRESS, "report", path, "-o", path + ".html", "--json", path + ".json", "--quiet"]
    quiet = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    _, status, usage = os.wait4(os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=quiet), 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


wrong = []
for name, make in CASES.items():
    path = os.path.join(WORK, "large.pickle")
    with open(path, "wb") as file:
        file.write(make())
    code, seconds, memory_mb = costs(path)
    said = "%s: %d bytes, exit code %d, %.1f s, %d MB" % (name, os.path.getsize(path), code, seconds, memory_mb)
    print(said)
    if code not in (0, 5) or seconds > LONGEST_S or (MEMORY_MB and memory_mb > MEMORY_MB):
        wrong.append(said)
if wrong:
    sys.exit("\n".join(["too much:"] + wrong))
