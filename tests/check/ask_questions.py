#!/usr/bin/env python3
"""Asks `tracepress mcp` questions about traces, and compares the answers with those of the raw traces.

ask_questions.py TRACEPRESS ROOT [QUESTIONS.json]: ROOT is the folder of the traces. QUESTIONS.json has questions with
their answers. Without it, asks the questions of this file; their answers are computed here from the JSON of the traces,
without any code of tracepress. Prints the questions with wrong answers and exits with 1, or prints nothing."""
import gzip
import json
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ask_client import Server  # noqa: E402

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


class Raw:
    """The events of a trace, as they are in the file."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            document = json.loads(file.read().decode("utf-8", "replace"), strict=False)
        self.events = [e for e in (document if isinstance(document, list) else document["traceEvents"])
                       if e.get("ph") == "X" and "dur" in e]

    def of(self, *categories):
        return [e for e in self.events if e.get("cat", "").lower() in categories]

    def named(self, *names):
        return [e for e in self.events if e["name"] in names]


def union_us(events):
    total, end = 0.0, float("-inf")
    for begin, stop in sorted((float(e["ts"]), float(e["ts"]) + float(e["dur"])) for e in events):
        total += max(0.0, stop - max(begin, end))
        end = max(end, stop)
    return total


def most(events, key=lambda e: e["name"]):
    """Returns the key with the largest sum of durations."""
    sums = {}
    for event in events:
        sums[key(event)] = sums.get(key(event), 0.0) + float(event["dur"])
    return max(sums, key=sums.get)


UNION = ("with d as (select start_ns a,start_ns+duration_ns b from kernels where kind in ({})), o as (select a,b,max(b) over "
         "(order by a,b rows between unbounded preceding and 1 preceding) p from d) select sum(case when p is null or a>=p "
         "then b-a when b>p then b-p else 0 end)/1000.0 from o")
AMD = "hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz"
ALEXNET = "hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz"
EVENTS = "hta/critical_path/cuda_event_sync_multi_stream/event_sync_trace.json.gz"
TRITON = "hta/triton_example/triton_example.json.gz"
MI300 = "tracelens/mi300/resnet_act_checkpoint.json.gz"
NSFW = "tracelens/mi300/Falconsai_nsfw_image_detection__1016002.json.gz"
MI210 = "tracelens/mi210/gpu_only_trace/gpu_only_trace.json.gz"
COMPILED = "tracelens/torch_compile_triton/trace.json.gz"
CONTROL = "hta/trace_diff/control/control.json.gz"
NO_GPU = "hta/rank_non_gpu/rank_non_gpu.json.gz"
FILTER = "hta/trace_filter/sampled_rank-1.json.gz"

# trace, question, tool, arguments, where the answer is, the answer from the raw trace, relative tolerance
QUESTIONS = [
    (AMD, "number of kernels", "sql", {"query": "select count(*) from kernels where kind='kernel'"}, None,
     lambda raw: len(raw.of("kernel")), 0),
    (AMD, "time in hipLaunchKernel", "sql", {"query": "select sum(duration_ns)/1e3 from events where name='hipLaunchKernel'"}, None,
     lambda raw: sum(float(e["dur"]) for e in raw.named("hipLaunchKernel")), 1e-4),
    (ALEXNET, "median duration of a kernel", "sql",
     {"query": "with k as (select duration_ns d, row_number() over (order by duration_ns) i, count(*) over () n from kernels where "
               "kind='kernel') select avg(d)/1e3 from k where i in ((n+1)/2, (n+2)/2)"}, None,
     lambda raw: statistics.median(float(e["dur"]) for e in raw.of("kernel")), 1e-3),
    (ALEXNET, "operator with most calls", "sql",
     {"query": "select name from operators group by name order by count(*) desc, name limit 1"}, None,
     lambda raw: (lambda names: min(set(names), key=lambda n: (-names.count(n), n)))([e["name"] for e in raw.of("cpu_op")]), 0),
    (EVENTS, "number of streams with kernels", "sql", {"query": "select count(distinct stream) from kernels where kind='kernel'"}, None,
     lambda raw: len({e["args"]["stream"] for e in raw.of("kernel")}), 0),
    (TRITON, "longest kernel", "sql",
     {"query": "select name from kernels where kind='kernel' order by duration_ns desc limit 1"}, None,
     lambda raw: max(raw.of("kernel"), key=lambda e: float(e["dur"]))["name"], 0),
    (MI300, "union of all device work", "sql", {"query": UNION.format("'kernel','gpu_memcpy','gpu_memset'")}, None,
     lambda raw: union_us(raw.of(*DEVICE)), 1e-4),
    (MI300, "bytes of all copies", "sql", {"query": "select coalesce(sum(bytes),0) from kernels where kind='gpu_memcpy'"}, None,
     lambda raw: sum(int(e["args"].get("bytes", 0)) for e in raw.of("gpu_memcpy")), 0),
    (NSFW, "kernel with most time", "sql",
     {"query": "select name from kernels where kind='kernel' group by name order by sum(duration_ns) desc limit 1"}, None,
     lambda raw: most(raw.of("kernel")), 0),
    (MI210, "share of kernels shorter than 5 us", "sql",
     {"query": "select 100.0*sum(duration_ns<5000)/count(*) from kernels where kind='kernel'"}, None,
     lambda raw: 100.0 * sum(float(e["dur"]) < 5 for e in raw.of("kernel")) / len(raw.of("kernel")), 1e-9),
    (COMPILED, "kernels of Triton", "sql",
     {"query": "select count(*) from kernels where kind='kernel' and name like 'triton\\_%' escape '\\'"}, None,
     lambda raw: sum(e["name"].startswith("triton_") for e in raw.of("kernel")), 0),
    (CONTROL, "time in aten::copy_", "sql", {"query": "select sum(duration_ns)/1e3 from operators where name='aten::copy_'"}, None,
     lambda raw: sum(float(e["dur"]) for e in raw.of("cpu_op") if e["name"] == "aten::copy_"), 1e-4),
    (CONTROL, "distinct operators", "sql", {"query": "select count(distinct name) from operators"}, None,
     lambda raw: len({e["name"] for e in raw.of("cpu_op")}), 0),
    (FILTER, "first copy of the file", "rows", {"table": "kernels", "where": "kind = 'gpu_memcpy'", "limit": 1}, ("rows", 0, "name"),
     lambda raw: raw.of("gpu_memcpy")[0]["name"], 0),
    (NO_GPU, "time of the device", "digest", {}, ("numbers", "device_busy_us"), lambda raw: "absent", 0),
    (NO_GPU, "power of the device", "rows", {"table": "counters"}, ("status",), lambda raw: "absent", 0),
]


def pick(answer, place):
    """Returns the value at a place of an answer; None is the first cell of the first row."""
    if place is None:
        return answer["rows"][0][0]
    if place[0] == "numbers":
        number = next(n for n in answer["numbers"] if n["id"] == place[1])
        return number.get("status") or number["value"]
    if place[0] == "rows":
        return answer["rows"][place[1]][answer["columns"].index(place[2])]
    return answer[place[0]]


def is_equal(value, wanted, tolerance):
    if isinstance(wanted, (int, float)) and isinstance(value, (int, float)):
        return abs(value - wanted) <= tolerance * abs(wanted) + (1e-3 if tolerance else 0)
    if isinstance(wanted, str) and isinstance(value, str) and value.endswith("..."):
        return wanted.startswith(value[:-3])
    return value == wanted


def own_questions(root):
    raw_trace, raw = None, None
    for trace, question, tool, arguments, place, truth, tolerance in QUESTIONS:
        if trace != raw_trace:
            raw_trace, raw = trace, Raw(os.path.join(root, trace))
        yield question, tool, {"trace": trace, **arguments}, place, truth(raw), tolerance, 4096


def questions_of_file(path):
    with open(path) as file:
        document = json.load(file)
    for q in document["questions"]:
        arguments, place = {"trace": q["trace"]}, None
        if q["tool"] == "sql":
            arguments.update(query=q["query"], max_bytes=max(512, q["max_bytes"]))
        elif q["tool"] == "rows":
            arguments.update(q["rows"])
            place = ("status",) if q["answer"] == "absent" else ("object", q["number"])
        else:
            place = ("class",) if q["number"] == "verdict_class" else ("numbers", q["number"])
        yield q["id"], q["tool"], arguments, place, q["answer"], q["tolerance"], q["max_bytes"]


def main():
    server = Server(sys.argv[1], "--root", sys.argv[2])
    questions = questions_of_file(sys.argv[3]) if len(sys.argv) > 3 else own_questions(sys.argv[2])
    wrong, count = 0, 0
    for question, tool, arguments, place, wanted, tolerance, most_bytes in questions:
        answer, text, is_error = server.call(tool, **arguments)
        count += 1
        try:
            value = answer["verdict"]["class"] if place == ("class",) else \
                answer["rows"][0][place[1]] if place and place[0] == "object" else pick(answer, place)
        except (KeyError, IndexError, StopIteration):
            value = None
        if is_error or not is_equal(value, wanted, tolerance) or len(text.encode()) > most_bytes:
            print(f"{arguments['trace']}: {question}: {value!r} instead of {wanted!r}, {len(text.encode())} bytes: {text[:200]}")
            wrong += 1
    code = server.end()
    if count == 0 or code != 0:
        print(f"{count} questions, exit code {code}")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
