#!/usr/bin/env python3
"""damage.py KIND FOLDER: writes a small trace with one kind of damage, or with one impossible record, into FOLDER."""
import json
import os
import re
import sys

STEP_US, STEPS = 1000, 4


def event(cat, name, ts, dur, tid=7, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(name, ts, dur, correlation, stream=7):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
            "args": {"device": 0, "stream": stream, "correlation": correlation, "grid": [8, 1, 1], "block": [128, 1, 1]}}


def training():
    """Returns four marked steps of 1 ms. Each has two operators that launch a kernel of 100 us."""
    events, number = [], 0
    for step in range(STEPS):
        start = 10000 + step * STEP_US
        events.append(event("user_annotation", "ProfilerStep#%d" % step, start, STEP_US - 10, **{"Ev Idx": number, "External id": number + 1}))
        number += 1
        for k in range(2):
            begin, correlation = start + 50 + 400 * k, 2 * step + k + 1
            events.append(event("cpu_op", "aten::mm", begin, 60, **{"Ev Idx": number, "External id": number + 1}))
            events.append(event("cuda_runtime", "cudaLaunchKernel", begin + 10, 20, correlation=correlation, **{"External id": number + 1}))
            events.append(kernel("gemm_%d" % k, begin + 50, 100, correlation))
            number += 1
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 10000 + STEPS * STEP_US})
    return events


HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "numSms": 132}]}


def text_of(events, head_behind=False, head=None):
    head = dict(HEAD, **(head or {}))
    document = dict(traceEvents=events, **head) if head_behind else dict(head, traceEvents=events)
    return json.dumps(document, indent=1)


def whole():
    return text_of(training())


def whole_head_behind():
    return text_of(training(), head_behind=True)


def name_with_quotes():
    """Writes a range name with unescaped quotes, as torch does. The event is complete."""
    return whole().replace('"ProfilerStep#2"', '"ProfilerStep#2", "x": "say "hi" twice"')


def nul_page():
    text = whole()
    at = text.index('"gemm_1"', len(text) // 2) + 4
    return text[:at] + "\0" * 300 + text[at + 300:]


def nul_in_number():
    return whole().replace('"dur": 100', '"dur": 1\0\0', 1)


def control_in_name():
    return whole().replace("gemm_1", "gemm\x01_", 1)


def ff_run():
    text = whole().encode()
    at = text.index(b'"gemm_1"') + 2
    return text[:at] + b"\xff" * 64 + text[at + 64:]


def quote_lost():
    return whole().replace('"name": "aten::mm"', '"name": "aten::mm', 1)


def event_lost():
    events = training()
    del events[5]
    return text_of(events)


def operator_lost():
    events = training()
    del events[next(i for i, e in enumerate(events) if i > 6 and e.get("cat") == "cpu_op")]
    return text_of(events)


def operator_twice():
    events = training()
    at = next(i for i, e in enumerate(events) if i > 6 and e.get("cat") == "cpu_op")
    return text_of(events[:at] + [events[at]] + events[at:])


def kernel_twice():
    events = training()
    return text_of(events[:3] + [events[3]] + events[3:])


def category_misspelt():
    return whole().replace('"cat": "kernel"', '"cat": "kernal"', 1)


def category_cut():
    return whole().replace('"cat": "cuda_runtime"', '"cat": "cuda_ru"', 1)


def key_lost():
    return whole().replace('"dur": 100', '"du2": 100', 1)


def key_twice():
    return whole().replace('"dur": 100', '"dur": 100, "ts": 5', 1)


def cut_closed():
    return text_of(training()[:12])


def cut_closed_head_behind():
    return json.dumps({"traceEvents": training()[:12]}, indent=1)


def cut_closed_host_only():
    return json.dumps({"traceEvents": [e for e in training()[:12] if e.get("cat") == "cpu_op"]})


def device_missing():
    return text_of([e for e in training() if e.get("cat") != "kernel"])


# ---- damaged values of a long trace: the other events contradict them ----

LONG_STEPS = 40


def long_training():
    """Returns forty marked steps with two kernels each, links between calls and kernels, GPU memory records, and a
    process name."""
    events, number, total = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": "python"}} for pid in (7, 0)], 0, 0
    events.append({"ph": "M", "name": "thread_name", "pid": 7, "tid": 7, "args": {"name": "thread 7 (python)"}})
    for step in range(LONG_STEPS):
        start = 10000 + step * STEP_US
        number += 1
        events.append(event("user_annotation", "ProfilerStep#%d" % step, start, STEP_US - 10, **{"External id": number}))
        for k, (name, device_name) in enumerate((("aten::mm", "gemm<float, 128>(int)"), ("custom::scale_rows", "scale_rows_kernel"))):
            begin, correlation = start + 50 + 400 * k, 2 * step + k + 1
            number += 1
            total += 512 * (step + 1) if k == 0 else -512 * (step + 1)
            events.append(event("cpu_op", name, begin, 60, **{"External id": number}))
            if k == 0:
                events[-1]["args"].update({"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"]})
            events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 7, "tid": 7, "ts": begin + 5, "args": {
                "Device Type": 1, "Device Id": 0, "Addr": 4096 + step, "Bytes": 512 * (step + 1) * (1 - 2 * k), "Total Allocated": total,
                "Total Reserved": 2 << 20}})
            events.append(event("cuda_runtime", "cudaLaunchKernel", begin + 10, 20, correlation=correlation, **{"External id": number}))
            events.append(dict(kernel(device_name, begin + 50, 100, correlation)))
            events[-1]["args"].update({"registers per thread": 32, "shared memory": 0, "blocks per SM": 0.06, "est. achieved occupancy %": 3})
            for ph, pid, ts in (("s", 7, begin + 10), ("f", 0, begin + 50)):
                events.append({"ph": ph, "id": correlation, "pid": pid, "tid": 7, "ts": ts, "cat": "ac2g", "name": "ac2g"})
        events.append(event("cuda_runtime", "cudaDeviceSynchronize", start + 700, 20, correlation=1000 + step))
        events.append({"ph": "f", "id": 1000 + step, "pid": 7, "tid": 7, "ts": start + 700, "cat": "ac2g", "name": "ac2g"})
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 10000 + LONG_STEPS * STEP_US})
    return events


def changed(cat, name, /, at=10, **members):
    """Returns the long trace with changed members of one event. A value of None removes the member."""
    events = long_training()
    one = [e for e in events if e.get("cat") == cat and e["name"].startswith(name)][at]
    for key, value in members.items():
        key = key.replace("_", " ") if key.replace("_", " ") in one.get("args", {}) else key
        place = one["args"] if key in one.get("args", {}) else one
        place[key] = value
        if value is None:
            del place[key]
    return text_of(events, head=LONG_HEAD)


LONG_HEAD = {"traceName": "long.json", "displayTimeUnit": "ms", "profile_memory": 1}


def without(cat, name, at=10):
    events = long_training()
    events.remove([e for e in events if e.get("cat") == cat and e["name"].startswith(name)][at])
    return text_of(events, head=LONG_HEAD)


def with_decimals():
    """Returns the long trace with three decimals in each time."""
    return re.sub(r'("(?:ts|dur)": \d+)\b(?!\.)', r"\1.250", text_of(long_training(), head=LONG_HEAD))


def with_replays(short, replays=6):
    """Returns the long trace with replays of a graph of three kernels. The replay with number `short` lacks one
    kernel."""
    events = long_training()
    for replay in range(replays):
        start, correlation = 10800 + replay * STEP_US, 5000 + replay
        events.insert(-1, event("cuda_runtime", "cudaGraphLaunch", start, 20, correlation=correlation))
        for node in range(3):
            if (replay, node) != (short, 1):
                events.insert(-1, kernel("node_%d" % node, start + 40 + 30 * node, 20, correlation))
                events[-2]["args"]["graph id"] = 4
    return text_of(events, head=LONG_HEAD)


def with_collectives(lost):
    """Returns the long trace of a rank that calls gloo in each step. lost: numbers of the missing collectives."""
    events, number = long_training(), 121
    events.append({"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "thread 8 (pt_gloo_runloop)"}})
    for step in range(LONG_STEPS):
        start = 10000 + step * STEP_US
        events.insert(-2, event("cpu_op", "c10d::allreduce_", start + 800, 10, **{"External id": number + step}))
        if not 10 <= step < 10 + lost:
            events.insert(-2, event("user_annotation", "gloo:all_reduce", start + 815, 60, tid=8, **{"External id": 161 + step}))
    return text_of(events, head=dict(LONG_HEAD, distributedInfo={"backend": "gloo", "rank": 0, "world_size": 1}))


def annotations_alone():
    """Returns steps of a program whose operators run on threads that were not recorded."""
    events = [event("user_annotation", "ProfilerStep#%d" % step, 10000 + 1000 * step, 990, **{"Ev Idx": step, "External id": step + 1})
              for step in range(3)]
    events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 14000})
    return text_of(events, head=dict(LONG_HEAD, trace_id="6C3DAD7A"))


def alike_names():
    """Returns a healthy trace with names that differ in one letter. Some occur once, some often."""
    events, often, once = long_training(), ("aten::gt", "aten::relu", "aten::addmm", "ReluBackward0", "AddmmBackward0", "mylib::norm_fused"), (
        "aten::ge", "aten::selu", "aten::addmv", "SeluBackward0", "AddmvBackward0", "mylib::norm_fuse_all", "aten::add", "mylib::norm", "aten::new_one")
    names = [name for name in often for _ in range(4)] + list(once)
    for i, name in enumerate(names):
        events.insert(-1, event("cpu_op", name, 10780 + 1000 * (i % LONG_STEPS) + 20 * (i // LONG_STEPS), 15, **{"External id": 121 + i}))
    for k, name in enumerate(("gemm_64x32_nn", "gemm_64x32_nn", "gemm_64x32_nt", "gemm_64x64_nn", "op<BUnary>", "op<BUnary>", "op<AUnary>")):
        events.insert(-1, event("cuda_runtime", "cudaLaunchKernel", 10900 + 1000 * k, 20, correlation=900 + k))
        events.insert(-1, kernel(name, 10930 + 1000 * k, 30, 900 + k))
        events[-2]["args"].update({"registers per thread": 40, "shared memory": 0})
    return text_of(events, head=LONG_HEAD)


def renamed_alike():
    """Returns the long trace after a tool has renamed all events of one name."""
    return text_of([dict(e, name="aten::matmul") if e.get("name") == "aten::mm" else e for e in long_training()], head=LONG_HEAD)


LONG = {
    "long_operator_misspelt": lambda: changed("cpu_op", "aten::mm", name="aten::nm"),
    "long_operator_misspelt_space": lambda: changed("cpu_op", "aten::mm", name="ajen::mm"),
    "long_custom_operator_misspelt": lambda: changed("cpu_op", "custom", name="cusxom::scale_rows"),
    "long_kernel_misspelt": lambda: changed("kernel", "scale", name="scale_rows_kervel"),
    "long_kernel_hole": lambda: changed("kernel", "scale", name="scale_rnel"),
    "long_call_misspelt": lambda: changed("cuda_runtime", "cudaLaunch", name="cudaLaunchKermel"),
    "long_call_blanked": lambda: changed("cuda_runtime", "cudaLaunch", name="cuda      Kernel"),
    "long_step_misspelt": lambda: changed("user_annotation", "ProfilerStep", name="ProfilarStep#10"),
    "long_step_cut": lambda: changed("user_annotation", "ProfilerStep", name="Profil"),
    "long_step_without_first_letter": lambda: changed("user_annotation", "ProfilerStep", name="rofilerStep#10"),
    "long_memory_other_process": lambda: changed("cpu_instant_event", "[memory]", pid=17),
    "long_memory_other_thread": lambda: changed("cpu_instant_event", "[memory]", tid=17),
    "long_operator_too_long": lambda: changed("cpu_op", "aten::mm", dur=450),
    "long_kernel_other_device": lambda: changed("kernel", "gemm", device=1),
    "long_kernel_other_stream": lambda: changed("kernel", "gemm", stream=8),
    "long_product_misfit": lambda: changed("cpu_op", "aten::mm", Input_Dims=[[8, 17], [16, 4]]),
    "long_type_misspelt": lambda: changed("cpu_op", "aten::mm", Input_type=["float", "flxat"]),
    "long_decimals": with_decimals,
    "long_decimals_lost": lambda: with_decimals().replace('"dur": 60.250', '"dur": 60.2', 1),
    "long_decimals_cut": lambda: with_decimals().replace('"ts": 20060.250', '"ts": 20060', 1),
    "long_link_without_id": lambda: changed("kernel", "gemm").replace('"id": 21,', '"id":', 1),
    "long_link_key_without_quote": lambda: changed("kernel", "gemm").replace('"cat": "ac2g"', '"cat: "ac2g"', 1),
    "long_category_with_name": lambda: changed("cpu_op", "aten::mm").replace('"cat": "cpu_op",\n   "name": "', '"cat": "cpu_op', 1),
    "long_replays": lambda: with_replays(-1),
    "long_replay_short": lambda: with_replays(3),
    "long_replay_cut_at_the_edge": lambda: with_replays(5),
    "long_collectives": lambda: with_collectives(0),
    "long_collectives_lost": lambda: with_collectives(3),
    "long_whole": lambda: text_of(long_training(), head=LONG_HEAD),
    "long_kernel_earlier": lambda: changed("kernel", "gemm", ts=20099.5),
    "long_kernel_later": lambda: changed("kernel", "gemm", ts=29100),
    "long_call_earlier": lambda: changed("cuda_runtime", "cudaLaunch", ts=9015),
    "long_call_other_thread": lambda: changed("cuda_runtime", "cudaLaunch", tid=9),
    "long_correlation_changed": lambda: changed("kernel", "gemm", correlation=23),
    "long_operator_earlier": lambda: changed("cpu_op", "aten::mm", ts=10750),
    "long_operator_other_thread": lambda: changed("cpu_op", "aten::mm", tid=9),
    "long_operator_other_process": lambda: changed("cpu_op", "aten::mm", pid=8),
    "long_operator_after_end": lambda: changed("cpu_op", "aten::mm", ts=91050),
    "long_operator_lost": lambda: without("cpu_op", "aten::mm"),
    "long_call_lost": lambda: without("cuda_runtime", "cudaLaunch"),
    "long_memory_lost": lambda: without("cpu_instant_event", "[memory]"),
    "long_memory_total_changed": lambda: changed("cpu_instant_event", "[memory]", Total_Allocated=9999),
    "long_memory_bytes_changed": lambda: changed("cpu_instant_event", "[memory]", Bytes=1),
    "long_memory_reserved_changed": lambda: changed("cpu_instant_event", "[memory]", Total_Reserved=1 << 30),
    "long_memory_type_lost": lambda: changed("cpu_instant_event", "[memory]", Device_Type=None),
    "long_memory_name_cut": lambda: changed("cpu_instant_event", "[memory]", name="[mem"),
    "long_occupancy_changed": lambda: changed("kernel", "gemm", **{"est. achieved occupancy %": 8}),
    "long_correlation_lost": lambda: changed("cuda_runtime", "cudaLaunch", correlation=None),
    "long_id_lost": lambda: changed("cpu_op", "aten::mm", External_id=None),
    "long_name_lost": lambda: changed("cpu_op", "aten::mm", name=None),
    "long_thread_lost": lambda: changed("cpu_op", "aten::mm", tid=None),
    "long_operator_cut": lambda: changed("cpu_op", "aten::mm", name="ate"),
    "long_operator_cut_at_colons": lambda: changed("cpu_op", "aten::mm", name="aten::"),
    "long_kernel_cut": lambda: changed("kernel", "gemm", name="gemm<floa"),
    "long_kernel_cut_in_word": lambda: changed("kernel", "scale", name="scale_rows_ke"),
    "long_call_cut": lambda: changed("cuda_runtime", "cudaLaunch", name="cudaLaunchKern"),
    "long_category_without_letter": lambda: changed("kernel", "gemm", cat="kerel"),
    "long_key_misspelt": lambda: changed("cuda_runtime", "cudaLaunch").replace('"correlation"', '"correlatiox"', 1),
    "long_head_lost": lambda: json.dumps(dict(LONG_HEAD, traceEvents=long_training())),
    "long_devices_lost": lambda: json.dumps(dict(LONG_HEAD, schemaVersion=1, traceEvents=long_training())),
}


def with_rank(rank, world_size=4):
    return text_of(training(), head={"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world_size}})


def rank_of_job():
    return with_rank(3)


def rank_negative():
    return with_rank(-3)


def rank_beyond_world():
    return with_rank(4)


def rank_word():
    return with_rank("first")


def rank_fraction():
    return with_rank(1.5)


def rank_huge():
    return with_rank(2**63 - 1, 2**63 - 1)


HELPERS = ("with_decimals", "with_replays", "with_collectives", "event", "kernel", "training", "text_of", "with_rank", "long_training", "changed", "without")
KINDS = dict({k: v for k, v in list(globals().items()) if callable(v) and k not in HELPERS}, **LONG)

if __name__ == "__main__":
    made = KINDS[sys.argv[1]]()
    if not isinstance(made, dict):
        made = {sys.argv[1] + ".pt.trace.json": made}
    for name, data in made.items():
        with open(os.path.join(sys.argv[2], name), "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode())
