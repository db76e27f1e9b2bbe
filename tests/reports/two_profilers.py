#!/usr/bin/env python3
"""two_profilers.py KIND FOLDER: writes recordings of one run by torch.profiler (FOLDER/torch) and by Nsight Systems
(FOLDER/nsys), each of three processes, for two_profilers.tsv. Only torch.profiler records Python stacks, types of operators
and the memory allocator. KIND: see KINDS."""
import json
import os
import sys

import databases

MS, RUNS, STEPS = 1000, 3, 12  # a millisecond in us
PID = 4242


def torch_run(path):
    """Writes the events of databases.Process.step as torch.profiler writes them."""
    events = []

    def add(cat, name, ts, dur, tid=PID, pid=PID, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def call(name, ts, number, dur=20):
        add("cuda_runtime", name, ts, dur, correlation=number)

    def device(cat, name, ts, dur, number, **args):
        add(cat, name, ts, dur, tid=7, pid=0, device=0, context=1, stream=7, correlation=number, **args)

    for step in range(STEPS):
        at, ids = (1 + 10 * step) * MS, 10 * step
        add("user_annotation", f"ProfilerStep#{step}", at, 9 * MS)
        add("python_function", "train.py(7): step", at, 9 * MS, **{"Python id": step + 1, "Python parent id": None})
        add("cpu_op", "aten::copy_", at + MS // 2, MS, **{"External id": ids + 1, "Ev Idx": 2 * step})
        call("cudaMemcpyAsync", at + MS, ids + 1)
        device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at + 2 * MS, MS, ids + 1, bytes=1 << 20)
        add("cpu_op", "aten::mm", at + 2 * MS, MS, **{"External id": ids + 2, "Ev Idx": 2 * step + 1, "Sequence number": step,
            "Input Dims": [[128, 64], [64, 32]], "Input type": ["float", "float"]})
        call("cudaLaunchKernel", at + 2 * MS + 1, ids + 2)
        device("kernel", "sgemm_128x64", at + 4 * MS, 3 * MS, ids + 2, grid=[264, 1, 1], block=[256, 1, 1])
        call("cudaMemsetAsync", at + 3 * MS + 1, ids + 3)
        device("gpu_memset", "Memset (Device)", at + 7 * MS, MS // 2, ids + 3, bytes=4096)
        call("cudaStreamSynchronize", at + 4 * MS, ids + 4, 4 * MS)
        for sign, ts in ((1, at + 2 * MS), (-1, at + 3 * MS)):
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": PID, "ts": ts,
                           "args": {"Device Type": 1, "Device Id": 0, "Addr": 4096 + step, "Bytes": sign << 20,
                                    "Total Allocated": (sign + 1) << 19, "Total Reserved": 1 << 21}})
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": (2 + 10 * STEPS) * MS})
    properties = {"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 80 << 30, "computeMajor": 9, "computeMinor": 0,
                  "numSms": 132, "warpSize": 32, "maxThreadsPerMultiprocessor": 2048}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [properties], "traceEvents": events}, file)


def nsys_run(folder, name, change, **more):
    export = databases.Export(folder, name)
    process = databases.Process(export, PID)
    for number in range(STEPS):
        process.step(number, **more)
    for statement in change:
        export.db.execute(statement)
    export.close()


LONGER = ["UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1000000",
          "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + 1000000, end = end + 1000000"]
# what differs in the recordings of Nsight Systems
KINDS = {
    "same": ([], {}),
    "slow_kernel": (LONGER, {}),
    "no_operators": (["DELETE FROM NVTX_EVENTS WHERE text LIKE 'aten%'"], {}),
    "no_sizes": ([], {"sizes": False}),
    "no_sets": (["DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET"], {}),
    "no_kernels": (["DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL"], {}),
    "no_steps": (["DELETE FROM NVTX_EVENTS"], {}),
    "plain_range": (["INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, domainId) SELECT start + 100000, end - 100000, 59, "
                     "'forward, op_id = 7', globalTid, 0 FROM NVTX_EVENTS WHERE text LIKE 'ProfilerStep%'"], {}),
    "another_operator": (["UPDATE NVTX_EVENTS SET text = replace(text, 'aten::mm', 'aten::bmm')"], {}),
}


def main():
    change, more = KINDS[sys.argv[1]]
    for name in ("torch", "nsys"):
        os.makedirs(os.path.join(sys.argv[2], name), exist_ok=True)
    for run in range(RUNS):
        torch_run(os.path.join(sys.argv[2], "torch", f"worker{run}.{run + 1}.pt.trace.json"))
        nsys_run(os.path.join(sys.argv[2], "nsys"), f"run{run}.sqlite", change, **more)


if __name__ == "__main__":
    main()
