#!/usr/bin/env python3
"""damage.py KIND FOLDER: writes a small trace with one kind of damage, or with one impossible record, into FOLDER."""
import json
import os
import sys

STEP_US, STEPS = 1000, 4


def event(cat, name, ts, dur, tid=7, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kernel(name, ts, dur, correlation, stream=7):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
            "args": {"device": 0, "stream": stream, "correlation": correlation, "grid": [8, 1, 1], "block": [128, 1, 1]}}


def training():
    """Four marked steps of 1 ms, of each two operators that launch a kernel of 100 us."""
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
    """As torch writes the name of a range with quotes: unescaped. The event is whole."""
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


KINDS = {k: v for k, v in list(globals().items()) if callable(v) and k not in ("event", "kernel", "training", "text_of", "with_rank")}

if __name__ == "__main__":
    made = KINDS[sys.argv[1]]()
    if not isinstance(made, dict):
        made = {sys.argv[1] + ".pt.trace.json": made}
    for name, data in made.items():
        with open(os.path.join(sys.argv[2], name), "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode())
