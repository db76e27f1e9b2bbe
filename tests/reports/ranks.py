#!/usr/bin/env python3
"""ranks.py KIND FOLDER: writes traces of ranks of a job into FOLDER, one file per recorded rank. Equal calls write
equal bytes."""
import json
import os
import sys

STEPS = 4
MIB = 1 << 20


def rank_trace(rank, world, late=0, on_device=True, group=0):
    """Writes steps of 10 ms: a product, then `late` us later an all-reduce of 64 MiB, on the device or by gloo. group:
    size of the all-reduce's group; 0: the whole job, None: not recorded."""
    events = []
    for s in range(STEPS):
        at, call = 10000 * s, 1000 * s + 1
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % s, "pid": 1, "tid": 1, "ts": at, "dur": 10000})
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": at + 100, "dur": 5000 + late,
                       "args": {"External id": call}})
        args = {"External id": call + 1, "Collective name": "allreduce", "In msg nelems": 16 * MIB, "Out msg nelems": 16 * MIB,
                "dtype": "Float", "Group size": group or world, "Process Group Name": "0"}
        if group is None:
            del args["Group size"]
        start = at + 5200 + late
        events.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": start,
                       "dur": 100 if on_device else 4000 - late, "args": args})
        if on_device:
            events += launched(at + 200, 5000 + late, call, "gemm", 7) + launched(
                start + 10, 4000 - late, call + 1, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20)
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}] if on_device else [],
            "distributedInfo": {"backend": "nccl" if on_device else "gloo", "rank": rank, **({"world_size": world} if world else {})}, "traceEvents": events}


def launched(at, length, link, name, stream):
    """Adds a launch, and its kernel 20 us later."""
    args = {"correlation": link, "External id": link}
    return [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at, "dur": 5, "args": args},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": at + 20, "dur": length - 20,
             "args": dict(args, device=0, stream=stream)}]


KINDS = {
    "one_of_eight": [rank_trace(3, 8)],
    "one_of_two_on_the_cpu": [rank_trace(1, 2, on_device=False)],
    "one_of_one": [rank_trace(0, 1)],
    "two_of_two": [rank_trace(0, 2), rank_trace(1, 2, late=1000)],
    "two_of_eight": [rank_trace(0, 8), rank_trace(5, 8, late=500)],
    "two_of_eight_on_the_cpu": [rank_trace(0, 8, on_device=False), rank_trace(5, 8, 500, on_device=False)],
    "two_of_eight_by_the_job": [rank_trace(r, 8, late, group=None) for r, late in ((0, 0), (5, 500))],
    "two_of_unknown": [rank_trace(r, None, late, group=None) for r, late in ((0, 0), (5, 500))],
    "two_of_eight_in_their_group": [rank_trace(r, 8, late, group=2) for r, late in ((0, 0), (1, 500))],
}


def main(kind, folder):
    for trace in KINDS[kind]:
        with open(os.path.join(folder, "rank%d.pt.trace.json" % trace["distributedInfo"]["rank"]), "w") as f:
            json.dump(trace, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
