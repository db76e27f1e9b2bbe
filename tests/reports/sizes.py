#!/usr/bin/env python3
"""sizes.py KIND FOLDER: writes a short trace with deep stacks to FOLDER/trace.json. Many events end the same deep
stack, so a careless writer would make gigabytes from them. Equal calls write equal bytes."""
import json
import os
import sys

PLACES = 1500


def nested(depth, category, name, length, **more):
    """Returns nested calls on thread 1, `depth` levels deep."""
    return [dict({"ph": "X", "cat": category, "name": name % i, "pid": 1, "tid": 1, "ts": i / 1000, "dur": length - i / 500}, **more)
            for i in range(depth)]


def operators(count):
    return [{"ph": "X", "cat": "cpu_op", "name": "op%d" % i, "pid": 1, "tid": 1, "ts": 10 + 20 * i, "dur": 10,
             "args": {"External id": i + 1}} for i in range(count)]


def launches(count):
    """Adds an operation of the device inside of each operator. The device is idle between them."""
    events = []
    for i in range(count):
        link = {"correlation": i + 1, "External id": i + 1}
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 15 + 20 * i, "dur": 2,
                       "args": link})
        events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 18 + 20 * i, "dur": 3,
                       "args": dict(link, device=0, stream=7)})
    return events


LENGTH = 20 * PLACES + 100
KINDS = {
    "frames_and_gaps": lambda: nested(400, "python_function", "file_%d.py(1): a_function_with_a_long_name", LENGTH)
    + operators(PLACES) + launches(PLACES),
    "modules_and_gaps": lambda: nested(300, "python_function", "nn.Module: ModuleWithALongName_%d", LENGTH)
    + operators(PLACES) + launches(PLACES),
    "ranges_and_gaps": lambda: nested(400, "user_annotation", "a range with a long name, number %d", LENGTH)
    + operators(PLACES) + launches(PLACES),
    "operators_and_gaps": lambda: nested(300, "cpu_op", "library::an_operator_with_a_long_name_%d", LENGTH)
    + operators(PLACES) + launches(PLACES),
    "frames_and_operators": lambda: nested(400, "python_function", "file_%d.py(1): a_function_with_a_long_name", LENGTH)
    + operators(PLACES),
    "frames_and_ranges": lambda: nested(400, "python_function", "file_%d.py(1): a_function_with_a_long_name", LENGTH)
    + [dict(e, cat="user_annotation", args={}) for e in operators(PLACES)],
}


def main(kind, folder):
    device = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42 << 30}
    with open(os.path.join(folder, "trace.json"), "w") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": KINDS[kind]()}, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
