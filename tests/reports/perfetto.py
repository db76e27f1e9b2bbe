#!/usr/bin/env python3
"""perfetto.py KIND FOLDER: writes a small Perfetto trace (protobuf) to FOLDER/trace.pftrace. The writer of messages is
independent of tracepress. Times are in ns; the operator of 100 us and its kernel of 40 us occur in most kinds."""
import gzip
import os
import struct
import sys
import zlib

BASE = 1790000000000000000
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


class Trace:
    """Packets of one sequence. Texts are interned with the numbers 1, 2 .. of each table."""

    def __init__(self, sequence=1, clock=None):
        self.packets, self.sequence, self.clock, self.tables = [], sequence, clock, {}

    def packet(self, *fields, time=None, flags=0):
        head = number(10, self.sequence)
        if time is not None:
            head = number(8, time) + head
        if flags:
            head += number(13, flags)
        self.packets.append(message(1, head + b"".join(fields)))

    def intern(self, field, text, text_field=2):
        """Returns the number of a text, and the bytes that define it if it is new."""
        table = self.tables.setdefault(field, {})
        if text in table:
            return table[text], b""
        table[text] = len(table) + 1
        return table[text], message(field, number(1, table[text]) + message(text_field, text))

    def start(self, base=BASE, extra=b"", clear=1):
        clocks = message(1, number(1, 6) + number(2, base)) + message(1, number(1, 1) + number(2, base)) + extra
        self.packet(message(6, clocks), flags=clear)

    def tracks(self, uuid=11, tid=7):
        self.packet(message(60, number(1, 10) + message(3, number(1, 42) + message(6, "python"))))
        self.packet(message(60, number(1, uuid) + number(5, 10) + message(4, number(1, 42) + number(2, tid) + message(5, "main"))))

    def begin(self, time, name, category="cpu_op", track=11, annotations=(), flags=2, **fields):
        name_iid, defined = self.intern(2, name)
        event = number(9, BEGIN) + number(11, track) + number(10, name_iid)
        if category:
            iid, more = self.intern(1, category)
            defined += more
            event += number(3, iid)
        for key, value in annotations:
            iid, more = self.intern(3, key)
            defined += more
            event += message(4, number(1, iid) + value)
        self.packet(*([message(12, defined)] if defined else []), message(11, event), time=time, flags=flags)

    def end(self, time, track=11):
        self.packet(message(11, number(9, END) + number(11, track)), time=time)

    def slice(self, start, end, name, **more):
        self.begin(start, name, **more)
        self.end(end, more.get("track", 11))

    def stage(self, start, duration, stage, name=None, stream=7, gpu=0, launch=b"", **data):
        iid, defined = self.intern(24, stage)
        queue, more = self.intern(24, "[%04d] stream %d" % (stream, stream))
        event = number(1, len(self.packets)) + number(2, duration) + number(11, gpu) + number(13, queue) + number(14, iid)
        defined += more
        if name:
            name_iid, more = self.intern(2, name)
            defined += more
            event += number(20, name_iid)
        for key, value in dict({"stream id": stream}, **data).items():
            event += message(6, message(1, key) + message(2, str(value)))
        self.packet(message(12, defined), message(53, event + launch), time=start, flags=2)

    def program(self, at=BASE):
        """Two steps of 200 us, each with an operator of 100 us, its call, and a kernel of 40 us."""
        for step in range(2):
            t = at + step * 200000
            self.slice(t, t + 190000, "ProfilerStep#%d" % step, category="user_annotation")
        for step in range(2):
            t = at + step * 200000
            self.slice(t + 10000, t + 110000, "aten::mm", annotations=[("External id", number(4, step + 1))])
        for step in range(2):
            t = at + step * 200000
            self.slice(t + 20000, t + 30000, "cudaLaunchKernel", category="cuda_runtime", annotations=[("correlation", number(4, 5 + step))])
            self.stage(t + 60000, 40000, "Kernel", "gemm", correlation=5 + step)

    def bytes(self):
        return b"".join(self.packets)


def write(folder, data, name="trace.pftrace"):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def plain():
    t = Trace()
    t.start()
    t.tracks()
    t.program()
    return t


def blocks(folder):
    """Begins of a group, then its ends in the same order: a [0,10], b inside it, c touches a."""
    t = Trace()
    t.start()
    t.tracks()
    spans = [("a", 0, 10000), ("b", 2000, 5000), ("c", 10000, 30000), ("d", 10000, 12000)]
    for name, start, _ in spans:
        t.begin(BASE + start, name)
    for _, _, end in spans:
        t.end(BASE + end)
    write(folder, t.bytes())


def touching(folder):
    """Begins and ends in the order of time: an empty slice inside another, and slices that touch."""
    t = Trace()
    t.start()
    t.tracks()
    t.begin(BASE, "outer")
    t.begin(BASE + 10000, "empty")
    t.end(BASE + 10000)
    t.begin(BASE + 10000, "inner")
    t.end(BASE + 20000)
    t.end(BASE + 50000)
    t.slice(BASE + 50000, BASE + 60000, "next")
    write(folder, t.bytes())


def clock(folder):
    """A clock of the sequence that counts differences in us, and a snapshot half way."""
    t = Trace()
    own = message(1, number(1, 64) + number(2, 0) + number(3, 1) + number(4, 1000))
    t.packet(message(59, number(58, 64) + message(11, number(11, 11))), message(6, message(1, number(1, 6) + number(2, BASE)) + own), flags=1)
    t.tracks()
    t.begin(5, "first")
    t.end(100)
    t.packet(message(6, message(1, number(1, 6) + number(2, BASE + 1000000)) + own))
    t.begin(0, "second")
    t.end(30)
    write(folder, t.bytes())


def cleared(folder):
    """The state is cleared, and the same numbers then stand for other texts."""
    t = Trace()
    t.start()
    t.tracks()
    t.slice(BASE, BASE + 1000, "old")
    t.tables = {}
    t.packet(flags=1)
    t.slice(BASE + 2000, BASE + 9000, "new")
    write(folder, t.bytes())


def lost(folder):
    """Packets are lost: what needs their texts is skipped until the state is cleared."""
    t = plain()
    t.packet(number(42, 1))
    t.slice(BASE + 500000, BASE + 900000, "aten::mm")
    t.tables = {}
    t.packet(flags=1)
    t.slice(BASE + 900000, BASE + 901000, "aten::add")
    write(folder, t.bytes())


def first_mark(folder):
    """Perfetto marks the first packet of a sequence as following a loss. Nothing is lost if it also clears the state."""
    t = plain()
    t.packets[0] = message(1, t.packets[0][2:] + number(42, 1))
    write(folder, t.bytes())


def compressed(folder):
    t = plain()
    write(folder, message(1, message(50, zlib.compress(t.bytes()))))


def bomb(folder):
    packed = zlib.compressobj(9)
    data = b"".join(packed.compress(bytes(1 << 24)) for _ in range(48)) + packed.flush()
    write(folder, plain().bytes() + message(1, message(50, data)))


def cut(folder):
    write(folder, plain().bytes()[:-9])


def cut_gzip(folder):
    write(folder, gzip.compress(plain().bytes(), mtime=0)[:-40], "trace.pftrace.gz")


def broken(folder):
    """A packet with a broken field between good packets."""
    t = plain()
    t.packets.insert(5, message(1, b"\x5a\x09\x48\x01"))
    t.packets.insert(6, message(1, number(10, 1) + message(11, b"\x48")))
    write(folder, t.bytes())


def deep(folder):
    value = number(4, 1)
    for _ in range(4000):
        value = message(12, value)
    t = plain()
    t.slice(BASE + 600000, BASE + 601000, "deep", annotations=[("Input Dims", value)])
    t.packet(message(60, number(1, 20) + number(5, 21)))
    t.packet(message(60, number(1, 21) + number(5, 20)))
    t.slice(BASE + 602000, BASE + 603000, "cycle", track=20)
    write(folder, t.bytes())


def open_slices(folder):
    t = plain()
    for i in range(3000):
        t.begin(BASE + 500000 + i, "never ends")
    write(folder, t.bytes())


def ftrace(folder):
    write(folder, message(1, number(10, 1) + message(1, number(1, 0))) * 4)


def other_program(folder):
    """Track events of a program without torch: ranges with names and categories of their own."""
    t = Trace()
    t.packet(message(6, message(1, number(1, 6) + number(2, 5000000000)) + message(1, number(1, 1) + number(2, BASE))), flags=1)
    t.tracks()
    for i in range(3):
        t.slice(5001000000 + i * 1000000, 5001800000 + i * 1000000, "frame", category="kernel")
    write(folder, t.bytes())


def copies(folder):
    """Copies as torch writes them, without a direction, and a memory set."""
    t = plain()
    t.stage(BASE + 450000, 5000, "Memcpy", correlation=9, bytes=4096)
    t.stage(BASE + 460000, 5000, "Memset", correlation=10, bytes=64, **{"memory kind": 3})
    write(folder, t.bytes())


def launch(folder):
    iid = number(1, 1)
    t = plain()
    t.packet(message(12, message(1001, iid + message(2, "registers_per_thread"))))
    dims = message(1, number(1, 8) + number(2, 2) + number(3, 1)) + message(2, number(1, 128) + number(2, 1) + number(3, 1))
    t.stage(BASE + 500000, 5000, "Kernel", "with_grid", launch=message(21, dims + message(3, iid + number(4, 40))), correlation=12)
    write(folder, t.bytes())


def counters(folder):
    t = plain()
    described = message(47, number(1, 1) + number(3, 0) + message(2, message(1, number(1, 4) + message(2, "Power (W)"))))
    t.packet(message(12, described), message(52, number(4, 1) + message(2, number(1, 4) + real(3, 300.5))), time=BASE + 1000, flags=2)
    write(folder, t.bytes())


def all_fields(folder):
    """Slices with every kind of annotation, names and categories as texts, packed lists, links, a wait and a legacy event."""
    values = {"bool": number(2, 1), "uint": number(3, 7), "int": number(4, 8), "double": real(5, 0.5), "text": message(6, "a text"),
              "null": message(6, "null"), "pointer": number(7, 4096), "json": message(9, '{"a": [1]}'), "bad json": message(9, "{a"),
              "lost text": number(17, 99), "nothing": b"",
              "object": message(11, message(10, "inner") + number(4, 1)) + message(11, message(10, "list") + message(12, real(5, 1.5))),
              "list": message(12, number(4, 1)) + message(12, number(2, 0)) + message(12, message(6, "x")), "Input Dims": message(
                  12, message(12, number(4, 2)) + message(12, number(4, 3)))}
    t = plain()
    at = BASE + 450000
    for number_of_slice, (key, value) in enumerate(values.items()):
        t.slice(at + 10 * number_of_slice, at + 10 * number_of_slice + 5, "aten::add", annotations=[(key, value)])
    t.slice(at + 500, at + 600, "aten::add", annotations=list(values.items()) + [("more %d" % i, number(4, i)) for i in range(6)])
    t.slice(at + 700, at + 800, "wait", category="", annotations=[("cuda_sync_kind", message(6, "Stream Sync")),
                                                                  ("device", number(4, 0)), ("stream", number(4, 7))])
    event = number(11, 11) + message(4, message(10, "Sequence number") + number(4, 3))
    named = event + message(23, "aten::mul") + message(22, "cpu_op") + message(47, b"\1" + b"\0" * 7)
    t.packet(message(11, number(9, BEGIN) + named), time=at + 900)
    t.packet(message(11, number(9, END) + event + message(48, b"\1" + b"\0" * 7)), time=at + 950)
    t.packet(message(11, number(9, BEGIN) + event + number(10, 1) + message(3, b"\1\2")), time=at + 960)
    t.packet(message(11, number(9, END) + event), time=at + 970)
    for fields in (number(9, 3) + event, number(9, 4) + event + real(44, 2.5), number(9, 4) + event + number(30, 5), event + message(6, "")):
        t.packet(message(11, fields), time=at + 980)
    write(folder, t.bytes())


def late_track(folder):
    """The description of a track follows its first event."""
    t = Trace()
    t.start()
    t.slice(BASE, BASE + 1000, "aten::mm")
    t.tracks(tid=77)
    t.slice(BASE + 2000, BASE + 3000, "aten::mm")
    write(folder, t.bytes())


def rank(folder):
    write(folder, gzip.compress(plain().bytes(), mtime=0), "rank3_trace.pftrace.gz")


def two_sequences(folder):
    """Two sequences with equal numbers for different texts, whose packets alternate."""
    a, b = Trace(1), Trace(2)
    a.start()
    b.start()
    a.tracks()
    a.slice(BASE, BASE + 1000, "one")
    b.slice(BASE + 2000, BASE + 5000, "two")
    mixed = [p for pair in zip(a.packets[3:], b.packets[1:]) for p in pair]
    write(folder, b"".join(a.packets[:3] + b.packets[:1] + mixed))


def old_events(folder):
    """Phases of Chrome's JSON in place of types: X, B and E, and b and e with ids of which two overlap. The thread and the first time come
    from descriptions of the sequence, and later times are differences in us."""
    def phase(letter, name=None, **numbers):
        fields = {"duration": 3, "id": 6, "local": 10, "pid": 18, "tid": 19}
        legacy = number(2, ord(letter)) + b"".join(number(fields[key], value) for key, value in numbers.items())
        return message(6, legacy) + (message(23, name) if name else b"")
    t = Trace()
    t.packet(message(43, number(1, 42) + message(6, "browser")), flags=1)
    t.packet(message(44, number(1, 42) + number(2, 7) + message(5, "main") + number(6, 1000)))
    events = [(0, phase("X", "complete", duration=5)), (10, phase("B", "pair")), (10, phase("b", "first", id=1)), (5, phase("b", "second", id=2)),
              (5, phase("E")), (5, phase("e", "first", id=1)), (20, phase("e", "second", id=2)), (1, phase("n", "instant", id=2)),
              (1, phase("X", "elsewhere", duration=3, pid=9, tid=8)), (0, phase("s", "link", id=5))]
    for delta, event in events:
        t.packet(message(11, number(1, delta) + event))
    t.packet(message(11, number(16, 2000) + phase("X", "at a time", duration=1)))
    write(folder, t.bytes())


def global_clock(folder):
    """A clock of the producer that another sequence uses, and a snapshot that has this clock and one of its sequence."""
    own = Trace(2)
    t = Trace()
    t.packet(message(6, message(1, number(1, 6) + number(2, BASE)) + message(1, number(1, 128) + number(2, 0) + number(4, 1000))), flags=1)
    t.tracks()
    named = number(11, 11) + message(23, "aten::mm") + message(22, "cpu_op")
    own.packet(message(6, message(1, number(1, 128) + number(2, 1000) + number(4, 1000)) + message(1, number(1, 64) + number(2, 7))), flags=1)
    for at, until, clock_number in ((5, 25, 128), (17, 10017, 64)):
        own.packet(message(11, number(9, BEGIN) + named) + number(58, clock_number), time=at)
        own.packet(message(11, number(9, END) + number(11, 11)) + number(58, clock_number), time=until)
    write(folder, t.bytes() + own.bytes())


def other_counters(folder, with_slice=True):
    """Counters of another program: in KiB as differences, which two sequences count apart, and as real numbers."""
    t, other = Trace(), Trace(2)
    t.start()
    t.tracks()
    other.packet(flags=1)
    t.packet(message(60, number(1, 50) + message(2, "cache") + message(8, number(4, 1024) + number(5, 1))))
    t.packet(message(60, number(1, 51) + message(2, "load") + message(8, b"")))
    for at, sequence, value in ((100, t, 3), (150, other, 7), (200, t, 2)):
        sequence.packet(message(11, number(9, COUNTER) + number(11, 50) + number(30, value)), time=BASE + at)
    t.packet(message(11, number(9, COUNTER) + number(11, 51) + real(44, 0.25)), time=BASE + 300)
    if with_slice:
        t.slice(BASE, BASE + 1000, "work", category="app")
    write(folder, t.bytes() + other.bytes())


def old_stages(folder):
    """Stages and queues that are numbered by their position; the names come later than the first stage."""
    def stage(at, queue, kind):
        t.packet(message(53, number(2, 5000) + number(3, queue) + number(4, kind)), time=at)
    t = Trace()
    stage(1000, 1, 1)
    t.packet(message(53, message(7, message(2, message(1, "queue")) + message(3, message(1, "binning")) + message(3, message(1, "render")))))
    stage(10000, 0, 1)
    stage(20000, 2, 0)
    stage(30000, 0, 9)
    write(folder, t.bytes())


def compute(folder):
    """Two calls that submit work of a GPU by its event id, and kernels whose interned data has registers and architecture."""
    t = Trace()
    t.start()
    t.tracks()
    kernel = number(1, 3) + message(2, "_Z3mulv") + message(3, "mul()") + message(4, "sm_80") + message(5, message(2, "registers_per_thread") + number(4, 32))
    t.packet(message(12, message(24, number(1, 1) + message(2, "compute")) + message(1000, kernel)))
    for i, ids in enumerate((message(1, b"\5"), number(1, 6))):
        at = BASE + i * 100000
        event = number(11, 11) + message(23, "submit") + message(3000, ids)
        t.packet(message(11, number(9, BEGIN) + event), time=at)
        t.end(at + 1000)
        t.packet(message(53, number(1, 5 + i) + number(2, 40000) + number(13, 4) + number(14, 1) + number(19, 3)), time=at + 5000)
    write(folder, t.bytes())


def interesting(folder):
    """A range of interest that begins inside the first slice."""
    t = Trace()
    t.start()
    t.tracks()
    t.packet(message(90, number(1, BASE // 1000 + 10)))
    t.slice(BASE + 1000, BASE + 90000, "early", category="app")
    t.slice(BASE + 20000, BASE + 40000, "late", category="app")
    write(folder, t.bytes())


def equal_bytes(folder):
    """Lists whose bytes are equal, with a number that stands for other texts later, after clearing, and on another sequence."""
    t, other = Trace(), Trace(2)
    t.start()
    t.tracks()
    other.packet(flags=1)
    def operator(sequence, at, text, flags=0):
        defined = message(12, message(29, number(1, 1) + message(2, text))) if text else b""
        event = number(11, 11) + message(23, "aten::mm") + message(22, "cpu_op")
        event += message(4, message(10, "Input Dims") + message(12, number(17, 1)) + message(12, number(4, 300)))
        sequence.packet(defined, message(11, number(9, BEGIN) + event), time=BASE + at, flags=flags)
        sequence.packet(message(11, number(9, END) + number(11, 11)), time=BASE + at + 5)
    for i, (sequence, text, flags) in enumerate([(t, "a", 0), (t, None, 0), (t, "b", 0), (other, "c", 0), (t, "d", 1), (t, None, 0)]):
        operator(sequence, 10 * i, text, flags)
    write(folder, b"".join(t.packets[:-4] + other.packets + t.packets[-4:]))


def rocprof(folder):
    """The layout of rocprofv3: calls, kernels and copies are slices of tracks, and share the annotation corr_id. Agent 0 is the CPU."""
    def slices(start, end, name, category, track, **annotations):
        t.begin(start, name, category=category, track=track, flags=0, annotations=[
            (key, message(6, value) if isinstance(value, str) else number(3, value)) for key, value in annotations.items()])
        t.end(end, track)
    t = Trace()
    t.packet(message(6, message(1, number(1, 6) + number(2, 5000000000)) + message(1, number(1, 1) + number(2, BASE))), flags=1)
    t.tracks()
    for uuid, name in ((70, "COMPUTE AGENT [2] STREAM [0] (GPU)"), (71, "COPY to AGENT [2] STREAM [1] (GPU)"), (72, "COPY to AGENT [0] STREAM [1] (CPU)"),
                       (73, "COMPUTE AGENT [5] QUEUE [3] (GPU)")):
        t.packet(message(60, number(1, uuid) + message(2, name)))
    for i, (call, track, name, category, extra) in enumerate([
            ("hipMemcpyAsync", 71, "MEMORY_COPY_HOST_TO_DEVICE", "memory_copy", {"src_agent": "Agent-0", "dst_agent": "Agent-2", "copy_bytes": 4096}),
            ("hipLaunchKernel", 70, "gemm", "kernel_dispatch", {"agent": "Agent-2", "queue": 9}),
            ("hipLaunchKernel", 73, "relu", "kernel_dispatch", {"agent": "Agent-5", "queue": 9}),
            ("hipMemcpyAsync", 72, "MEMORY_COPY_DEVICE_TO_HOST", "memory_copy", {"src_agent": "Agent-2", "dst_agent": "Agent-0", "copy_bytes": 64})]):
        at = 5001000000 + 100000 * i
        slices(at - 1000, at + 20000, "step", "marker_api", 11, corr_id=100 + i)
        slices(at, at + 5000, call, "hip_api", 11, corr_id=10 + i)
        slices(at + 1000, at + 2000, "hsa_queue_create", "hsa_api", 11, corr_id=20 + i)
        slices(at + 30000, at + 70000, name, category, track, corr_id=10 + i, **extra)
    write(folder, t.bytes())


def unnamed_tracks(folder):
    """Asynchronous slices on a track without a name, which gets the name of the first slice."""
    t = Trace()
    t.start()
    t.tracks()
    t.packet(message(60, number(1, 60) + number(5, 10)))
    t.slice(BASE, BASE + 1000, "download", track=60)
    t.slice(BASE + 2000, BASE + 3000, "upload", track=60)
    write(folder, t.bytes())


KINDS = {"plain": lambda folder: write(folder, plain().bytes()), "blocks": blocks, "touching": touching, "clock": clock, "cleared": cleared,
         "lost": lost, "first_mark": first_mark, "compressed": compressed, "bomb": bomb, "cut": cut, "cut_gzip": cut_gzip, "broken": broken, "deep": deep,
         "open_slices": open_slices, "ftrace": ftrace, "other_program": other_program, "copies": copies, "launch": launch,
         "counters": counters, "all_fields": all_fields, "late_track": late_track, "rank": rank, "two_sequences": two_sequences, "old_events": old_events,
         "global_clock": global_clock, "other_counters": other_counters, "only_counters": lambda folder: other_counters(folder, with_slice=False),
         "old_stages": old_stages, "compute": compute, "interesting": interesting, "unnamed_tracks": unnamed_tracks, "equal_bytes": equal_bytes, "rocprof": rocprof}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
