#!/usr/bin/env python3
"""cuspy.py FOLDER TRACE...: writes the device part of Kineto traces with torch's own writer of its CUPTI backend (torch 2.13 and
later).

FOLDER/1/cuspy/trace.json is the first trace as torch.profiler._cupti_monitor_trace writes it. FOLDER/1/kineto/trace.json is the
same recording in Kineto's form, without data that the backend never records: some calls, the shapes of launches, and everything
derived from these. Needs torch and no GPU, because the writer takes records as dictionaries.
"""
import gzip
import json
import os
import re
import sys
from decimal import Decimal

import torch.profiler._cupti_monitor_trace as writer

KINDS = {name: number for number, name in writer._MEMCPY_KIND_NAMES.items()}
MEMORIES = {name: number for number, name in writer._MEMORY_KIND_NAMES.items()}
DEVICE = {"kernel": "kernel", "gpu_memcpy": "gpu_memcpy", "memcpy": "gpu_memcpy", "gpu_memset": "gpu_memset", "memset": "gpu_memset"}
LAUNCH_SHAPE = ("grid", "block", "registers per thread", "shared memory", "blocks per SM", "warps per SM", "est. achieved occupancy %")
CALLS = {"cuda_runtime": "cuda_runtime", "runtime": "cuda_runtime", "cuda_driver": "cuda_driver"}


def main(source, folder):
    with (gzip.open if source.endswith(".gz") else open)(source, "rb") as file:
        trace = json.loads(file.read().decode("utf-8", "replace"), strict=False, parse_float=Decimal)
    for form in ("kineto", "cuspy"):
        os.makedirs(os.path.join(folder, form), exist_ok=True)
    base = int(trace.get("baseTimeNanoseconds", 0))
    base += begin_at_zero(trace["traceEvents"])
    trace["baseTimeNanoseconds"] = base
    names, host, records, kept = {}, [], [], []
    for event in trace["traceEvents"]:
        category = str(event.get("cat", "")).lower() if event.get("ph") == "X" else ""
        if category in CALLS and not is_recorded(CALLS[category], event["name"]):
            continue
        if category == "cuda_sync" or event.get("ph") in "sf" and event.get("cat") in ("ac2g", "async", "async_cpu_to_gpu"):
            kept.append(event)
            continue
        kept.append(event)
        if category in DEVICE:
            for key in LAUNCH_SHAPE:
                event.get("args", {}).pop(key, None)
            records.append(device_record(DEVICE[category], event, base))
        elif category in CALLS:
            records.append(call_record(CALLS[category], event, base, names))
        else:
            host.append(event)
    writer._mon._require_cupti_python = lambda: None
    writer._ensure_cupti_python_bindings = lambda: None
    writer._RUNTIME_CBID_NAMES = writer._DRIVER_CBID_NAMES = {number: name for name, number in names.items()}
    cuspy = folder + "/cuspy/trace.json"
    write(folder + "/host.json", dict(trace, traceEvents=host))
    writer.merge_trace_window_into_chrome_trace(folder + "/host.json", cuspy, {"events": records}, trace_name=trace.get("traceName"))
    os.remove(folder + "/host.json")
    write(folder + "/kineto/trace.json", dict(trace, traceEvents=[event for event in kept if not is_span(event)] + spans_of(cuspy)))


def is_span(event):
    return event.get("cat") == "Trace"


def spans_of(path):
    """Returns the spans of the recording, which the backend begins at the first event."""
    with open(path, encoding="utf-8") as file:
        return [event for event in json.load(file)["traceEvents"] if is_span(event)]


def begin_at_zero(events):
    """Subtracts whole microseconds from absolute times, because Python's floats cannot represent their nanoseconds.
    Returns the subtracted time, in ns."""
    times = [Decimal(str(e["ts"])) for e in events if "ts" in e and e.get("ph") == "X"]
    first = int(min(times)) if min(times) > 10**12 else 0
    for event in events if first else ():
        if "ts" in event:
            event["ts"] = float(Decimal(str(event["ts"])) - first)
    return first * 1000


def is_recorded(category, name):
    return writer._runtime_is_registered(name) if category == "cuda_runtime" else writer._driver_is_registered(name)


def times(event, base):
    start = base + round(float(event["ts"]) * 1000)
    return {"start_ns": start, "end_ns": start + round(float(event.get("dur", 0)) * 1000)}


def device_record(kind, event, base):
    args = event.get("args", {})
    record = dict(times(event, base), kind=kind, name=event["name"], device_id=args.get("device", event["pid"]),
                  stream_id=args.get("stream", event["tid"]), context_id=args.get("context", 1),
                  correlation_id=args.get("correlation", 0), graph_id=args.get("graph id", 0), graph_node_id=args.get("graph node id", 0),
                  bytes=args.get("bytes", 0), flags=0, value=0)
    extra = {key: value for key, value in args.items() if key[0].isupper() and key not in ("External id", "Ev Idx")}
    record["annotation"] = json.dumps(extra) if extra else None
    if kind == "gpu_memcpy":
        way, one, other = re.fullmatch(r"Memcpy (\w+) \(([\w ]+) -> ([\w ]+)\)", event["name"]).groups()
        record.update(name="Memcpy", copy_kind=KINDS[way], src_kind=memory(one), dst_kind=memory(other))
    if kind == "gpu_memset":
        found = re.fullmatch(r"Memset \(([\w ]+)\)", event["name"])
        record.update(name="Memset", memory_kind=memory(found.group(1) if found else "unknown"))
    return record


def memory(name):
    return MEMORIES[name.lower().replace(" ", "_")]


def call_record(kind, event, base, names):
    return dict(times(event, base), kind=kind, cbid=names.setdefault(event["name"], len(names) + 1), process_id=event["pid"],
                thread_id=event["tid"], correlation_id=event.get("args", {}).get("correlation", 0))


def write(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, default=float)


if __name__ == "__main__":
    for position, path in enumerate(sys.argv[2:], 1):
        main(path, os.path.join(sys.argv[1], str(position)))
