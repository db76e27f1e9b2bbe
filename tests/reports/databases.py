#!/usr/bin/env python3
"""databases.py KIND FOLDER: writes a database of another profiler into FOLDER; see databases.tsv. Each KIND has a
function `made_KIND` below. Tables and columns are those of Nsight Systems 2026.2, rocprofv3 and rocmProfileData."""
import gzip
import os
import sqlite3
import struct
import sys

MS = 1000000  # a millisecond, ns
UTC = 1700000000 * 1000 * MS
SIZE = 512  # bytes of a page, so that the files are small

TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, gridX INTEGER, "
    "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, "
    "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
    "globalPid INTEGER, bytes INTEGER, memKind INTEGER",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, "
    "globalPid INTEGER, graphId INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, syncType INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, "
    "nameId INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, textId INTEGER",
    "TARGET_INFO_GPU": "id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, "
    "computeMinor INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER, pid INTEGER",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "ThreadNames": "nameId INTEGER, priority INTEGER, globalTid INTEGER",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "META_DATA_CAPTURE": "name TEXT, value TEXT",
    "DIAGNOSTIC_EVENT": "timestamp INTEGER, severity INTEGER, text TEXT",
    "OSRT_API": "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, returnValue INTEGER, "
    "nestingLevel INTEGER, callchainId INTEGER",
    "COMPOSITE_EVENTS": "id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER, threadState INTEGER, globalTid INTEGER, "
    "cpuCycles INTEGER",
    "SAMPLING_CALLCHAINS": "id INTEGER, symbol INTEGER, module INTEGER, kernelMode INTEGER, thumbCode INTEGER, "
    "unresolved INTEGER, specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER, stackDepth INTEGER, "
    "PRIMARY KEY (id, stackDepth)",
}


class Export:
    """An export of Nsight Systems. Times are in ns since the start of the session."""

    def __init__(self, folder, name="run.sqlite", tables=TABLES):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)
        self.db, self.strings, self.base = sqlite3.connect(path), {}, 0
        self.db.execute(f"PRAGMA page_size={SIZE}")
        self.tables = {name: [column.split()[0] for column in text.split(", ")] for name, text in tables.items()}
        self.samples = 0
        for name, text in tables.items():
            self.db.execute(f'CREATE TABLE "{name}" ({text})')
        self.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value="2026.2.1")
        self.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value="3.25.0")
        self.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC)

    def add(self, table, **values):
        if table in self.tables:
            values = {key: value for key, value in values.items() if key in self.tables[table]}
            names = ", ".join(f'"{name}"' for name in values)
            self.db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(values))})', list(values.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = 1000 + 7 * len(self.strings)
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def close(self):
        self.db.commit()
        self.db.execute("VACUUM")
        self.db.close()


class Process:
    """A process of an export, with steps of 10 ms. In each, operators launch a copy, a product and a memory set."""

    def __init__(self, export, pid, device=0, cuda_device=0, gpu="NVIDIA H100"):
        self.export, self.pid, self.device, self.correlation = export, pid, cuda_device, 0
        self.global_pid = 1 << 48 | pid << 24
        self.tid = self.global_pid | pid
        export.add("PROCESSES", globalPid=self.global_pid, pid=pid, name="python3")
        export.add("ThreadNames", nameId=export.string("trainer"), globalTid=self.tid)
        export.add("TARGET_INFO_GPU", id=device, name=gpu, totalMemory=80 << 30, smCount=132, computeMajor=9, computeMinor=0,
                   threadsPerWarp=32, maxWarpsPerSm=64)
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=device, cudaId=cuda_device, pid=pid)

    def span(self, start, dur):
        return {"start": self.export.base + start, "end": self.export.base + start + dur}

    def range(self, text, start, dur, **more):
        self.export.add("NVTX_EVENTS", **{"eventType": 59, "text": text, "globalTid": self.tid, "domainId": 0,
                                          **self.span(start, dur), **more})

    def thread(self, tid, name):
        """Returns the number of another thread of the process."""
        self.export.add("ThreadNames", nameId=self.export.string(name), globalTid=self.global_pid | tid)
        return self.global_pid | tid

    def os_call(self, name, start, dur, thread=None):
        self.export.add("OSRT_API", **self.span(start, dur), eventClass=27, globalTid=thread or self.tid,
                        nameId=self.export.string(name), returnValue=0, nestingLevel=0, callchainId=0)

    def sample(self, at, *frames, thread=None, **more):
        """A CPU sample. frames: symbol and module, innermost first; a symbol that is an address is not resolved."""
        self.export.samples += 1
        self.export.add("COMPOSITE_EVENTS", **{"id": self.export.samples, "start": self.export.base + at, "cpu": 1,
                        "threadState": 1, "globalTid": thread or self.tid, "cpuCycles": 1, **more})
        for depth, (symbol, module) in enumerate(frames):
            self.frame(self.export.samples, depth, symbol, module)

    def frame(self, sample, depth, symbol, module):
        self.export.add("SAMPLING_CALLCHAINS", id=sample, symbol=self.export.string(symbol), module=self.export.string(module),
                        kernelMode=module.startswith("["), stackDepth=depth, unresolved=1 if symbol.startswith("0x") else None)

    def call(self, name, start, dur=20000):
        self.correlation += 1
        self.export.add("CUPTI_ACTIVITY_KIND_RUNTIME", **self.span(start, dur), globalTid=self.tid, eventClass=0,
                        correlationId=self.correlation, nameId=self.export.string(name))
        return {"correlationId": self.correlation, "globalPid": self.global_pid, "deviceId": self.device, "contextId": 1,
                "streamId": 7}

    def kernel(self, name, launch, begin, dur, **more):
        self.export.add("CUPTI_ACTIVITY_KIND_KERNEL", **{**launch, **self.span(begin, dur), "gridX": 264, "gridY": 1, "gridZ": 1,
                        "blockX": 256, "blockY": 1, "blockZ": 1, "registersPerThread": 64, "staticSharedMemory": 1024,
                        "dynamicSharedMemory": 2048, "shortName": self.export.string("short"),
                        "demangledName": self.export.string(name), **more})

    def step(self, number, name="ProfilerStep#%d", sizes=True, suffix=""):
        begin = (1 + 10 * number) * MS
        text = name % number if "%d" in name else name
        if text:
            self.range(text + suffix, begin, 9 * MS)
        self.range(f"aten::copy_, op_id = {10 * number + 1}", begin + MS // 2, MS)
        launch = self.call("cudaMemcpyAsync_v3020", begin + MS)
        self.export.add("CUPTI_ACTIVITY_KIND_MEMCPY", **launch, **self.span(begin + 2 * MS, MS), bytes=1 << 20, copyKind=1,
                        srcKind=0, dstKind=2)
        self.range(f"aten::mm, seq = {number}, op_id = {10 * number + 2}" +
                   (", sizes = [[128, 64], [64, 32]]" if sizes else ""), begin + 2 * MS, MS)
        self.kernel("sgemm_128x64", self.call("cudaLaunchKernel_v7000", begin + 2 * MS + 1000), begin + 4 * MS, 3 * MS)
        self.export.add("CUPTI_ACTIVITY_KIND_MEMSET", **self.call("cudaMemsetAsync_ptsz_v7000", begin + 3 * MS + 1000),
                        **self.span(begin + 7 * MS, MS // 2), bytes=4096, memKind=2)
        wait = self.call("cudaStreamSynchronize_v3020", begin + 4 * MS, 4 * MS)
        self.export.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", **{**wait, **self.span(begin + 4 * MS, 4 * MS)}, syncType=3)


def made_plain(folder, steps=4, **more):
    export = Export(folder)
    process = Process(export, 4242)
    for number in range(steps):
        process.step(number, **more)
    return export, process


def made_iterations(folder):
    return made_plain(folder, name="iter %d")


def made_record_function(folder):
    return made_plain(folder, name="iter %d", suffix=", op_id = 77")


def made_words(folder):
    return made_plain(folder, steps=2, name="train_step")


def made_library_ranges(folder):
    """Steps without a range of the program, and ranges of NCCL in a domain whose name comes last."""
    export, process = made_plain(folder, name="")
    for number in range(4):
        process.range("ncclAllReduce", (1 + 10 * number) * MS, 9 * MS, domainId=3)
    process.range("NCCL", 0, 0, eventType=75, end=None, domainId=3)
    return export, process


def made_wall_clock(folder):
    export = Export(folder)
    export.base = UTC
    process = Process(export, 4242)
    for number in range(4):
        process.step(number)
    return export, process


def made_two_processes(folder):
    """Two processes with equal correlations. Both call their device 0."""
    export = Export(folder)
    first = Process(export, 4242, device=0, gpu="NVIDIA A100")
    second = Process(export, 5252, device=1)
    for number in range(4):
        first.step(number)
        second.step(number)
    second.kernel("only_of_the_second", second.call("cudaLaunchKernel_v7000", 41 * MS), 42 * MS, MS)
    return export, first


def made_shapes_of_one_side(folder):
    """Two exports of one run. Only the first has the sizes of operators, and its operators have two sizes."""
    for name, sizes in (("known.sqlite", True), ("unknown.sqlite", False)):
        export = Export(folder, name)
        process = Process(export, 4242)
        for number in range(6):
            process.step(number, sizes=sizes)
        if sizes:
            export.db.execute("UPDATE NVTX_EVENTS SET text = replace(text, '128', '256') WHERE start > 30000000")
        export.close()
    return None, None


def payload(schema, form, *numbers):
    """The payload of an NVTX range: a head with the domain, the schema, the size of the fields and the size of all."""
    fields = struct.pack(form, *numbers)
    return struct.pack("<QQQQ", 3, schema, len(fields), 32 + len(fields)) + fields


def add_nccl(folder, as_text, processes=((1, 4242), (0, 5252))):
    """Two processes that are the ranks 1 and 0 of a job of 4 ranks. Each makes two communicators. In each step, it reduces
    4096 bytes and gathers 4096 bytes over the larger one."""
    export = Export(folder, tables={**TABLES, "NVTX_EVENTS": TABLES["NVTX_EVENTS"] + ", binaryData TEXT",
                                    "NVTX_PAYLOAD_SCHEMA_ENTRIES": "domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER, "
                                    "name TEXT, offset INTEGER"})
    fields = ((1001, 18, "NCCL communicator ID", None), (1001, 5, "No. of ranks", 8), (1001, 5, "Rank", 12),
              (1001, 5, "CUDA device", 16), (1002, 18, "NCCL communicator ID", None), (1002, 22, "Message size [bytes]", 8))
    for schema, kind, name, offset in fields:
        export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=3, schemaId=schema, type=kind, name=name, offset=offset)
    for rank, pid in processes:
        process = Process(export, pid, device=rank)

        def nccl(name, start, data):
            process.range(name, start, MS // 4, domainId=3, binaryData="0x" + data.hex().upper() if as_text else data)

        process.range("NCCL", 0, 0, eventType=75, end=None, domainId=3)
        nccl("ncclCommInitRankConfig", 1000, payload(1001, "<Qiiii", 0xABC, 4, rank, 0, 0))
        nccl("ncclCommInitRankConfig", 400000, payload(1001, "<Qiiii", 0xDEF, 2, 1 - rank, 0, 0))
        for number in range(4):
            process.step(number)
            for name, begin in (("AllReduce", (17 + 20 * number) * MS // 2), ("AllGather", (18 + 20 * number) * MS // 2)):
                nccl("nccl" + name, begin, payload(1002, "<QQ", 0xABC, 4096))
                process.kernel(f"ncclDevKernel_{name}_Sum_f32_RING_LL", process.call("cudaLaunchKernelExC_v11060", begin + 1000),
                               begin + 50000, MS // 4)
    return export, None


def made_nccl(folder):
    return add_nccl(folder, False)


def made_nccl_text(folder):
    return add_nccl(folder, True)


def made_nccl_alone(folder):
    return add_nccl(folder, True, [(1, 4242)])


def made_nccl_two_ranks(folder):
    """A process that is two ranks of one communicator, as after ncclCommInitAll."""
    export, _ = add_nccl(folder, False)
    export.db.execute("DELETE FROM NVTX_EVENTS WHERE globalTid >> 24 & 0xFFFFFF = 4242 AND binaryData IS NOT NULL")
    export.db.execute("UPDATE NVTX_EVENTS SET binaryData = ? WHERE start = 400000",
                      (payload(1001, "<Qiiii", 0xABC, 4, 2, 1, 0),))
    return export, None


def without(*names):
    return {name: text for name, text in TABLES.items() if name not in names}


def made_no_set_table(folder):
    export = Export(folder, tables=without("CUPTI_ACTIVITY_KIND_MEMSET"))
    process = Process(export, 4242)
    for number in range(3):
        process.step(number)
    return export, process


def made_no_cuda(folder):
    export = Export(folder, tables=without(*[name for name in TABLES if name.startswith("CUPTI") or name == "NVTX_EVENTS"]))
    export.add("OSRT_API", start=1, end=2, globalTid=1, nameId=export.string("poll"))
    return export, None


def made_cut_columns(folder):
    """Tables without the columns of the device, the stream and the type of a range, as other tools make them."""
    cut = {name: text.replace("deviceId INTEGER, ", "").replace("streamId INTEGER, ", "").replace("eventType INTEGER, ", "")
           for name, text in TABLES.items()}
    export = Export(folder, tables=cut)
    process = Process(export, 4242)
    for number in range(3):
        process.step(number)
    return export, process


def made_graph(folder):
    export, process = made_plain(folder, steps=3)
    for number in range(3):
        launch = process.call("cudaGraphLaunch_v10000", (9 + 10 * number) * MS)
        export.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", **launch, **process.span((9 + 10 * number) * MS + 50000, MS // 2), graphId=3)
    return export, process


def made_os_calls(folder):
    """In each step of 9 ms, the device is idle before 2 ms, from 3 to 4 ms and from 7.5 ms on. The thread that launches waits
    in a semaphore from 0 to 1.5 ms, and reads from 8 to 9 ms, twice at the same time. Another thread polls all the time."""
    export, process = made_plain(folder)
    other = process.thread(4300, "cuda-EvtHandlr")
    process.os_call("poll", 0, 50 * MS, thread=other)
    for number in range(4):
        begin = (1 + 10 * number) * MS
        process.os_call("sem_wait", begin, 3 * MS // 2)
        process.os_call("read", begin + 8 * MS, MS)
        process.os_call("read", begin + 8 * MS, MS // 2)
    return export, process


def made_helper_polls(folder):
    """Only a thread that launches nothing waits."""
    export, process = made_plain(folder)
    process.os_call("poll", 0, 50 * MS, thread=process.thread(4300, "cuda-EvtHandlr"))
    return export, process


PYTHON, LIBRARY = "/usr/bin/python3.12", "/opt/lib/libfoo.so.1"


def made_samples(folder):
    """Six samples of two threads, and one stack at a switch of the scheduler. `loop` calls itself."""
    export, process = made_plain(folder)
    other = process.thread(4300, "loader")
    for number in range(3):
        process.sample(number * MS, ("work(int; char)", LIBRARY), ("loop", PYTHON), ("loop", PYTHON), ("main", PYTHON))
    process.sample(4 * MS, ("0x7f01", LIBRARY), ("main", PYTHON))
    process.sample(5 * MS, ("0x7f02", LIBRARY), ("main", PYTHON))
    process.sample(5 * MS, ("futex_wait", "[kernel.kallsyms]"), thread=other)
    process.sample(6 * MS, ("schedule", "[kernel.kallsyms]"), thread=other, cpuCycles=0)
    return export, process


def made_scattered_samples(folder):
    """The samples of made_samples. The frames of all samples are mixed, and the innermost frames come last."""
    export, process = made_samples(folder)
    rows = export.db.execute("SELECT * FROM SAMPLING_CALLCHAINS ORDER BY stackDepth DESC, id DESC").fetchall()
    export.db.execute("DELETE FROM SAMPLING_CALLCHAINS")
    export.db.executemany(f"INSERT INTO SAMPLING_CALLCHAINS VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return export, process


def made_samples_of_two(folder):
    """Two processes with samples, and one sample of a process that uses no device."""
    export, first = made_two_processes(folder)
    second, third = Process(export, 5252, device=1), Process(export, 6262, device=1)
    first.sample(MS, ("first", PYTHON))
    second.sample(MS, ("second", PYTHON))
    second.sample(2 * MS, ("second", PYTHON))
    third.sample(MS, ("third", PYTHON))
    second.os_call("poll", 0, MS)
    return export, first


def made_samples_only_counted(folder):
    """Samples without frames, as older versions of Nsight Systems write them without numbers of cycles."""
    export, process = made_plain(folder)
    for number in range(3):
        process.sample(number * MS, cpuCycles=0)
    return export, process


def made_bad_samples(folder):
    """Samples and frames of wrong types, numbers and order, one stack of 3000 frames, and usable rows."""
    export = Export(folder, tables={**TABLES, "SAMPLING_CALLCHAINS": TABLES["SAMPLING_CALLCHAINS"].rsplit(", PRIMARY", 1)[0],
                                    "COMPOSITE_EVENTS": TABLES["COMPOSITE_EVENTS"].replace(" PRIMARY KEY", "")})
    process = Process(export, 4242)
    process.step(0)
    for more in ({"start": "now"}, {"start": None}, {"start": 2**62}, {"globalTid": None}, {"globalTid": b"x"}):
        process.sample(MS, ("bad", PYTHON), **more)
    process.sample(MS, ("good", PYTHON))
    good = export.samples
    for sample, depth in ((good, -1), (good, "zero"), (good, 0), (999, 0), (None, 0), ("x", 1)):
        process.frame(sample, depth, "surplus", PYTHON)
    process.frame(good, 2**40, "outermost", PYTHON)
    process.sample(2 * MS, *[(f"deep{number}", LIBRARY) for number in range(3000)])
    process.sample(3 * MS, ("a" * 20000, ""), ("[Unknown]", "[Unknown]"), ("", LIBRARY))
    process.sample(3 * MS, id="twice")
    for more in ({"start": b"x"}, {"end": -1}, {"end": 2**62}, {"globalTid": None}):
        export.add("OSRT_API", **{"start": 1, "end": 2, "globalTid": process.tid, "nameId": export.string("poll"), **more})
    export.add("OSRT_API", start=MS, end=2 * MS, globalTid=process.tid, nameId=None)
    return export, process


def made_bad_rows(folder):
    """Rows with impossible times, devices and types, next to usable rows."""
    export, process = made_plain(folder)
    launch = process.call("cudaLaunchKernel_v7000", 50 * MS)
    for more in ({"start": b"x"}, {"start": -5}, {"end": 3}, {"end": 2**63 - 1}, {"deviceId": "zero"}, {"start": 0, "end": 0},
                 {"deviceId": 0x7FFFFFFF}):
        process.kernel("bad", launch, 51 * MS, MS, **more)
    process.kernel("", launch, 52 * MS, MS, demangledName=None, shortName=-1)
    process.range("open", 1, 0, end=None)
    export.add("DIAGNOSTIC_EVENT", timestamp=1, severity=3, text="CUPTI lost records")
    export.add("OSRT_API", start=1, end=2, globalTid=1, nameId=1)
    return export, process


def made_equal_correlations(folder):
    """All calls, and all device operations, have one correlation."""
    export, process = made_plain(folder)
    for table in ("KERNEL", "MEMCPY", "MEMSET", "RUNTIME"):
        export.db.execute(f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET correlationId = 5")
    return export, process


def made_long_name(folder):
    """A kernel whose name needs several pages of the database."""
    export, process = made_plain(folder)
    process.kernel("long_" + "name_" * 700 + "end", process.call("cudaLaunchKernel_v7000", 41 * MS), 42 * MS, MS)
    return export, process


def made_text_columns(folder):
    """All columns are texts, and names are texts instead of numbers."""
    export = Export(folder, tables={name: text.replace("INTEGER", "TEXT") for name, text in TABLES.items()})
    export.string = lambda text: text
    process = Process(export, 4242)
    for number in range(4):
        process.step(number)
    return export, process


def made_views(folder):
    """NVTX_EVENTS is a view without end, and the rows of memory sets have a generated start."""
    export, process = made_plain(folder)
    export.db.executescript(
        "DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE c(start) AS (SELECT 1 UNION ALL SELECT start + 1 "
        "FROM c) SELECT start, start AS end, 59 AS eventType, 'x' AS text, 1 AS globalTid, 0 AS domainId FROM c; "
        "DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET; CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (end INTEGER, deviceId INTEGER, streamId "
        "INTEGER, start INTEGER AS (length(hex(zeroblob(400000000)))) VIRTUAL); "
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (end, deviceId, streamId) VALUES (5, 0, 7); "
        "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END")
    return export, process


def made_unknown(folder):
    export = Export(folder, tables={"META_DATA_CAPTURE": "name TEXT, value TEXT", "it's": "x"})
    return export, None


def made_cut(folder):
    export, process = made_plain(folder)
    export.close()
    path = os.path.join(folder, "run.sqlite")
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    return None, process


def made_noise(folder):
    export, process = made_plain(folder)
    export.close()
    with open(os.path.join(folder, "run.sqlite"), "r+b") as file:
        file.seek(8 * SIZE)
        file.write(bytes(range(256)) * 2 * 12)
    return None, process


def database(folder, name, script):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA page_size={SIZE}")
    db.executescript(script)
    db.commit()
    db.execute("VACUUM")
    db.close()
    return path


def made_rocpd(folder):
    guid = "_00000001_0002_0003_0004_000000000005"
    rows = [f"""CREATE TABLE rocpd_string{guid} (id, string);
        INSERT INTO rocpd_string{guid} VALUES (1, 'HIP_RUNTIME_API_EXT'), (2, 'MARKER_CORE_API'), (3, 'hipLaunchKernel'),
            (4, 'ProfilerStep#0'), (5, 'aten::mm, seq = 1, op_id = 9, sizes = [[2, 3]]'), (6, 'HSA_CORE_API');
        CREATE TABLE rocpd_info_process{guid} (id, pid); INSERT INTO rocpd_info_process{guid} VALUES (1, 777);
        CREATE TABLE rocpd_info_thread{guid} (id, tid); INSERT INTO rocpd_info_thread{guid} VALUES (1, 778);
        CREATE TABLE rocpd_info_agent{guid} (id, type, type_index, name, product_name);
        INSERT INTO rocpd_info_agent{guid} VALUES (1, 'CPU', 0, 'cpu', ''), (2, 'GPU', 0, 'gfx942', 'AMD Instinct MI300X');
        CREATE TABLE rocpd_info_kernel_symbol{guid} (id, kernel_name, display_name, arch_vgpr_count);
        INSERT INTO rocpd_info_kernel_symbol{guid} VALUES (1, 'k.kd', 'Cijk_Ailk_Bljk', 128);
        CREATE TABLE rocpd_event{guid} (id, category_id, stack_id, correlation_id);
        CREATE TABLE rocpd_region{guid} (pid, tid, start, end, name_id, event_id);
        CREATE TABLE rocpd_kernel_dispatch{guid} (agent_id, kernel_id, queue_id, stream_id, start, end, workgroup_size_x,
            workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, group_segment_size, event_id);
        CREATE TABLE rocpd_memory_copy{guid} (start, end, src_agent_id, dst_agent_id, size, queue_id, event_id);
        INSERT INTO rocpd_event{guid} VALUES (90, 2, 0, 0), (91, 6, 0, 0);
        INSERT INTO rocpd_region{guid} VALUES (1, 1, 0, {40 * MS}, 4, 90), (1, 1, 5, {MS}, 5, 90), (1, 1, 6, 7, 6, 91);
        CREATE VIEW kernels AS SELECT 1 AS start;"""]
    for i in range(1, 9):
        rows.append(f"""INSERT INTO rocpd_event{guid} VALUES ({i}, 1, {i}, {i});
            INSERT INTO rocpd_region{guid} VALUES (1, 1, {4 * i * MS}, {4 * i * MS + 5000}, 3, {i});
            INSERT INTO rocpd_kernel_dispatch{guid} VALUES (2, 1, 1, 0, {4 * i * MS + 9000}, {4 * i * MS + 2 * MS}, 256, 1, 1,
                {256 * 64 + 1}, 1, 1, 4096, {i});""")
    rows.append(f"INSERT INTO rocpd_memory_copy{guid} VALUES (1000, 2000, 1, 2, 1048576, 1, 1), (3000, 4000, 2, 1, 64, 1, 1)")
    database(folder, "run.db", "\n".join(rows))
    return None, None


def made_rpd(folder):
    """A file of rocmProfileData, compressed by gzip."""
    rows = ["""CREATE TABLE rocpd_string (id, string);
        INSERT INTO rocpd_string VALUES (1, 'KernelExecution'), (2, 'CopyHostToDevice'), (3, 'hipLaunchKernel'),
            (4, 'hipMemcpyAsync'), (5, 'gemm_kernel'), (6, ''), (7, 'Barrier'), (8, 'aten::mm');
        CREATE TABLE rocpd_api (id, pid, tid, start, end, apiName_id); CREATE TABLE rocpd_api_ops (api_id, op_id);
        CREATE TABLE rocpd_op (id, gpuId, queueId, start, end, description_id, opType_id);
        CREATE TABLE rocpd_copyapi (api_ptr_id, size, kind); CREATE TABLE rocpd_kernelapi (api_ptr_id, gridX, gridY, gridZ,
            workgroupX, workgroupY, workgroupZ);
        CREATE TABLE rocpd_monitor (deviceType, deviceId, monitorType, start, end, value);
        INSERT INTO rocpd_monitor VALUES ('gpu', 0, 'sclk', 5, 6, '1500.5');
        INSERT INTO rocpd_op VALUES (99, 0, 0, 5, 6, 6, 7); INSERT INTO rocpd_api VALUES (98, 500, 501, 1000, 900000, 8);"""]
    for i in range(1, 11):
        copy = i % 5 == 0
        rows.append(f"""INSERT INTO rocpd_api VALUES ({i}, 500, 501, {i * MS}, {i * MS + 5000}, {4 if copy else 3});
            INSERT INTO rocpd_op VALUES ({i}, 0, 0, {i * MS + 9000}, {i * MS + MS // 2}, {6 if copy else 5}, {2 if copy else 1});
            INSERT INTO rocpd_api_ops VALUES ({i}, {i});
            INSERT INTO {"rocpd_copyapi VALUES (%d, 4096, 1)" % i if copy else
                         "rocpd_kernelapi VALUES (%d, 640, 1, 1, 64, 1, 1)" % i};""")
    path = database(folder, "run.rpd", "\n".join(rows))
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
        packed.write(plain.read())
    os.remove(path)
    return None, None


def made_nvprof(folder):
    """The recording of made_plain as nvprof stores it: times of the wall clock, CUPTI's numbers of calls and of kinds of memory,
    and two rows for each range."""
    export, process = made_plain(folder)
    of_string = {number: text for text, number in export.strings.items()}
    strings, calls = {}, {"cudaMemcpyAsync_v3020": 41, "cudaLaunchKernel_v7000": 211, "cudaMemsetAsync_ptsz_v7000": 51,
                          "cudaStreamSynchronize_v3020": 131}

    def string(text):
        return strings.setdefault(text, len(strings) + 1)

    def rows(table, columns):
        return export.db.execute(f"SELECT {columns} FROM {table}").fetchall()

    script = ["""CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY, start, end, deviceId, contextId, streamId,
            correlationId, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,
            dynamicSharedMemory, name);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER PRIMARY KEY, start, end, deviceId, streamId, correlationId, bytes,
            copyKind, srcKind, dstKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (_id_ INTEGER PRIMARY KEY, start, end, deviceId, streamId, correlationId, bytes,
            memoryKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY, cbid, start, end, processId, threadId, correlationId);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY, flags, timestamp, id, objectKind, objectId, name);
        CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (_id_ INTEGER PRIMARY KEY, id, name, numMultiprocessors,
            computeCapabilityMajor, computeCapabilityMinor, globalMemorySize);"""]

    def insert(table, *values):
        script.append(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES (NULL, {', '.join(map(str, values))});")

    thread = -1 << 62 | 4242  # the system's handle of a thread, of which nvprof stores the lower half in RUNTIME
    for start, end, correlation, name in rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, correlationId, nameId"):
        insert("RUNTIME", calls[of_string[name]], UTC + start, UTC + end, 4242, 4242, correlation)
    common = "start, end, deviceId, {}streamId, correlationId, "
    for start, end, *more, name in rows("CUPTI_ACTIVITY_KIND_KERNEL", common.format("contextId, ") + """registersPerThread, gridX,
            gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, demangledName"""):
        insert("CONCURRENT_KERNEL", UTC + start, UTC + end, *more, string(of_string[name]))
    for start, end, *more, source, target in rows("CUPTI_ACTIVITY_KIND_MEMCPY", common.format("") + "bytes, copyKind, srcKind, dstKind"):
        insert("MEMCPY", UTC + start, UTC + end, *more, source + 1, target + 1)
    for start, end, *more, kind in rows("CUPTI_ACTIVITY_KIND_MEMSET", common.format("") + "bytes, memKind"):
        insert("MEMSET", UTC + start, UTC + end, *more, kind + 1)
    for marker, (start, end, text) in enumerate(rows("NVTX_EVENTS", "start, end, text"), 1):
        owner = "X'" + (struct.pack("<i", 4242) + struct.pack("<q", thread)).hex() + "'"
        insert("MARKER", 2, UTC + start, marker, 2, owner, string(text))
        insert("MARKER", 4, UTC + end, marker, 2, owner, 0)
    insert("MARKER", 1, UTC + 5, 9999, 2, "X''", string("a point in time"))
    insert("DEVICE", 0, string("NVIDIA H100"), 132, 9, 0, 80 << 30)
    script += [f"INSERT INTO StringTable VALUES ({number}, '{text}');" for text, number in strings.items()]
    database(folder, "run.nvvp", "\n".join(script))
    return export, process


def main():
    kind, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    export, _ = globals()["made_" + kind](folder)
    if export:
        export.close()


if __name__ == "__main__":
    main()
