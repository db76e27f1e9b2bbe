#!/usr/bin/env python3
"""torch_tables.py TRACEPRESS TRACE...: compares tables of GPU traces with those of torch's own classes for the same
events.

Needs torch. torch cannot read traces, so this program makes FunctionEvents from the JSON (kind, times, links by
External id, memory). torch computes the tree and the sums, and prints the tables. Traces of Kineto from 2021 to 2024
have correlations as External ids, so they are skipped. Prints a line per trace and "N same, N different"."""
import bisect, gzip, json, re, subprocess, sys
from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent, _filter_name

HOST = {"cpu_op", "user_annotation", "python_function", "cuda_runtime", "cuda_driver", "overhead", "Operator", "Runtime"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "cuda_event", "Kernel", "Memcpy", "Memset"}
OWN = {"cpu_op", "user_annotation", "Operator"}
UNLINKED = OWN | {"python_function", "gpu_user_annotation", "overhead"}
SORTS = ["none", "cpu_time_total", "self_cpu_time_total", "cuda_time", "cuda_time_total", "self_cuda_time_total",
         "self_cuda_memory_usage", "count"]


def ns(text):
    whole, _, fraction = str(text).partition(".")
    return int(whole) * 1000 + int((fraction + "000")[:3])


def load(path):
    raw = open(path, "rb").read()
    raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    trace = json.loads(raw.decode("utf-8", "replace"), parse_float=str, strict=False)
    return trace if isinstance(trace, dict) else {"traceEvents": trace}


def link(e):
    a = e.get("args") or {}
    return int(a.get("External id", a.get("external id", 0)) or 0)


def are_correlations(events):
    pairs = [(link(e), (e.get("args") or {}).get("correlation")) for e in events if e.get("cat") in DEVICE]
    pairs = [p for p in pairs if p[0] and p[1] is not None]
    return pairs and sum(int(x) == int(y) for x, y in pairs) * 10 > 9 * len(pairs)


def function_event(e, base, memory, use_device):
    cat, a, name = e["cat"], e.get("args") or {}, e["name"]
    start, end = ns(e["ts"]), ns(e["ts"]) + ns(e.get("dur", 0))
    if cat == "gpu_user_annotation":
        start, end = start + 1, max(start + 1, end - 1)
    dims, types = a.get("Input Dims") or a.get("Input dims") or [], a.get("Input type") or []
    shapes = [[] if i < len(types) and types[i] == "TensorList" else d for i, d in enumerate(dims)]
    times, records = memory
    cpu = device = 0
    if cat in HOST:
        for r in records[bisect.bisect_left(times, start):bisect.bisect_right(times, end)]:
            cpu += r[1] if r[2] in (0, 2, 5) else 0
            device += r[1] if r[2] in (1, 6, 12, 20) else 0
            r[3] = True
    f = FunctionEvent(id=link(e) if cat in OWN else 0, name="ProfilerStep*" if name.startswith("ProfilerStep#") else name,
                      thread=(e.get("pid"), str(e.get("tid"))), start_us=(start - base) / 1000, end_us=(end - base) / 1000,
                      input_shapes=shapes, stack=[], use_device=use_device, cpu_memory_usage=cpu, device_memory_usage=device,
                      is_async=a.get("finished") is False or (cat == "user_annotation" and name.startswith(("nccl:", "gloo:"))),
                      device_type=DeviceType.CUDA if cat in DEVICE else DeviceType.CPU, flops=0,
                      is_user_annotation=cat in ("user_annotation", "gpu_user_annotation"))
    f.link = 0 if cat in UNLINKED else link(e)
    f.rank = 0 if cat in ("cpu_op", "user_annotation", "python_function", "Operator") else 1
    return f


def records_of(events):
    rows = [[ns(e["ts"]), int(e["args"]["Bytes"]), int(e["args"].get("Device Type", 0)), False, (e.get("pid"), str(e.get("tid")))]
            for e in events if e.get("name") == "[memory]" and e.get("ph") in "iI" and "Bytes" in (e.get("args") or {})]
    rows.sort(key=lambda r: r[0])
    return [r[0] for r in rows], rows


def event_list(trace):
    events = trace["traceEvents"]
    spans = [e for e in events if e.get("ph") == "X" and e.get("cat") == "Trace"]
    spans = [e for e in spans if e["name"].startswith("PyTorch Profiler")] or spans
    kept = [e for e in events if e.get("ph") == "X" and e.get("cat") in HOST | DEVICE and not _filter_name(e["name"])]
    base = ns(spans[0]["ts"]) if spans else min(ns(e["ts"]) for e in events if e.get("ph") == "X")
    use_device = "cuda" if trace.get("deviceProperties") or any(e["cat"] in DEVICE for e in kept) else None
    memory = records_of(events)
    made = [function_event(e, base, memory, use_device) for e in kept]
    made.sort(key=lambda f: f.rank)
    owners = {f.id: f for f in made if f.id}
    for f in made:
        owner = owners.get(f.link) if f.link else None
        if owner is None or owner.is_async:
            continue
        if f.device_type == DeviceType.CPU:
            f.thread = owner.thread
        else:
            owner.append_kernel(f.name, 0, f.time_range.elapsed_us())
    for r in memory[1]:
        if not r[3]:
            us = (r[0] - base) / 1000
            made.append(FunctionEvent(id=0, name="[memory]", thread=r[4], start_us=us, end_us=us, input_shapes=[], stack=[],
                                      use_device=use_device, cpu_memory_usage=r[1] if r[2] in (0, 2, 5) else 0,
                                      device_memory_usage=r[1] if r[2] in (1, 6, 12, 20) else 0, flops=0))
    made.sort(key=lambda f: [f.time_range.start, -f.time_range.end])
    result = EventList(made, use_device=use_device, profile_memory=bool(memory[1]) or "profile_memory" in trace)
    result._tree_built = True
    result._populate_cpu_children()
    result._remove_dup_nodes()
    return result


def without_flops(table):
    """Returns the table without its last column, which is not computed here, and without spaces at line ends."""
    return "\n".join(re.sub(r"(Total \w+|\S+)  $", "", line).rstrip() for line in table.split("\n"))


def without_blanks(table):
    return "\n".join(line.rstrip() for line in table.split("\n"))


def check(program, path):
    trace = load(path)
    if are_correlations(trace["traceEvents"]):
        return "left out: its External ids are correlations", 0, 0
    if any(str(e.get("cat", "")).startswith("mtia") for e in trace["traceEvents"]):
        return "left out: MTIA", 0, 0
    events, same, different, note = event_list(trace), 0, 0, ""
    for shapes in (False, True):
        rows = events.key_averages(group_by_input_shapes=shapes)
        for sort in SORTS:
            theirs = rows.table(sort_by=None if sort == "none" else sort, row_limit=50)
            command = [program, "table", path, "--quiet", "--sort-by", sort, "--row-limit", "50", "--include-python"]
            ours = subprocess.run(command + (["--group-by", "input-shape"] if shapes else []), stdout=subprocess.PIPE).stdout
            ours = ours.decode("utf-8", "replace")
            if "with_flops" in trace:
                ours, theirs = without_flops(ours), without_blanks(theirs)
            same, different = same + (ours == theirs), different + (ours != theirs)
            if ours != theirs and not note:
                pairs = [(a, b) for a, b in zip(ours.split("\n"), theirs.split("\n")) if a != b]
                note = "\n  %s\n  ours  %s\n  torch %s" % ((sort,) + (pairs[0] if pairs else (len(ours), len(theirs))))
    return "%d of %d same%s" % (same, same + different, note), same, different


def main():
    same = different = 0
    for path in sys.argv[2:]:
        said, good, bad = check(sys.argv[1], path)
        same, different = same + good, different + bad
        print("%s: %s" % (path, said), flush=True)
    print("%d same, %d different" % (same, different))
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
