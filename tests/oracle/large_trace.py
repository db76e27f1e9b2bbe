#!/usr/bin/env python3
"""large_trace.py OUT.json: writes a trace with more activities than a report replays as a whole.

A host thread launches kernels in 240 steps. In the first third it is ahead of the device, then the device waits for the
host, and in the last third the host waits for the device at the end of each step. The times depend on nothing else."""
import json
import sys

STEPS, LAUNCHES = 240, 290                                # 3 * STEPS * LAUNCHES activities
HOST, STREAM = {"pid": 1, "tid": 1}, {"pid": 0, "tid": 7}


def durations(step, i):
    """Returns the durations of an operator's call and kernel, in units of 10 ns."""
    noise = (step * 7919 + i * 104729) % 97
    return 500 + noise, (900 if step < STEPS // 3 else 300) + 3 * noise


def main():
    events, host, device, number = [], 1000, 0, 0

    def add(name, cat, start, length, place, **args):
        events.append({"ph": "X", "name": name, "cat": cat, "ts": start / 100, "dur": length / 100, **place, "args": args})
    for step in range(STEPS):
        begin = host
        for i in range(LAUNCHES):
            call, kernel = durations(step, i)
            number += 1
            device = max(device + 100, host + call)
            add("aten::mm" if i % 3 else "aten::add", "cpu_op", host, call, HOST, **{"External id": number})
            add("cudaLaunchKernel", "cuda_runtime", host + 100, call - 200, HOST, correlation=number)
            add("gemm" if i % 3 else "add", "kernel", device, kernel, STREAM, device=0, stream=7, correlation=number)
            device += kernel
            host += call + 50 + (2000 if i % 100 == 0 else 0)
        if step >= 2 * STEPS // 3:
            number, end = number + 1, max(host + 300, device + 200)
            add("cudaDeviceSynchronize", "cuda_runtime", host, end - host, HOST, correlation=number)
            host = end + 50
        add("ProfilerStep#%d" % step, "user_annotation", begin, host - begin, HOST)
        host += 20
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": events}, f)


if __name__ == "__main__":
    main()
