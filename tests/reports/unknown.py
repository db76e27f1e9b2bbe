#!/usr/bin/env python3
"""unknown.py KIND FOLDER: writes a trace of a kind into FOLDER; see unknown.tsv. Each KIND has a function `made_KIND`
below. The traces lack data that their profiler does not record, so that numbers which need the data are unknown."""
import json
import os
import sys

STEP, STEPS = 10000, 4
PROPERTIES = [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 80 << 30, "computeMajor": 9, "computeMinor": 0,
               "numSms": 132, "warpSize": 32}]


class Training:
    """A training loop on one device. Times are in microseconds."""

    def __init__(self, **head):
        self.head = {"schemaVersion": 1, "deviceProperties": PROPERTIES, **head}
        self.events, self.last = [], 0

    def event(self, cat, name, pid, tid, start, dur, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": dur, "args": args})

    def operation(self, cat, name, start, dur, call="cudaLaunchKernel", **args):
        self.last += 1
        self.event("cuda_runtime", call, 100, 1, start - 50, 20, correlation=self.last)
        self.event(cat, name, 0, 7, start, dur, device=0, stream=7, correlation=self.last, **args)

    def steps(self, copy=("Memcpy HtoD (Pageable -> Device)", {}), operator=None):
        for step in range(STEPS):
            begin = step * STEP
            self.event("user_annotation", f"ProfilerStep#{step}", 100, 1, begin, STEP)
            self.event("cpu_op", "aten::mm", 100, 1, begin + 300, 400,
                       **({"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["float", "float"]} if operator is None else operator))
            if copy:
                self.operation("gpu_memcpy", copy[0], begin + 100, 200, "cudaMemcpyAsync", bytes=1 << 20, **copy[1])
            self.operation("kernel", "ampere_sgemm_128x64_nn", begin + 600, 9000, grid=[128, 1, 1], block=[256, 1, 1])

        self.events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": STEPS * STEP})

    def write(self, folder, name="trace.json"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({**self.head, "traceEvents": self.events}, file)


def input_of(missing, **more):
    return {"tracepress_input": {"producer": "Made Profiler 1.2", "missing": missing, "notes": ["a note about the input"], **more}}


def of(folder, head=None, name="trace.json", **more):
    training = Training(**(head or {}))
    training.steps(**more)
    training.write(folder, name)


# ---- counters of the device: every 500 us, clock and power change at the middle of the recording ----

def counters(training, low_clock, low_power, low_heat=60):
    end = STEPS * STEP
    for at in range(0, end + 500, 500):
        is_late = at >= end // 2
        for name, value in (("SM Clock (MHz)", low_clock if is_late else 1980), ("Power (W)", low_power if is_late else 500),
                            ("Temperature (C)", low_heat if is_late else 60)):
            training.events.append({"ph": "C", "pid": "GPU 0 Counters", "name": name, "ts": at, "args": {"": value}})


def with_counters(folder, *values):
    training = Training()
    training.steps()
    counters(training, *values)
    training.write(folder)


def made_clock_limited_by_power(folder):
    with_counters(folder, 1410, 700)


def made_clock_limited_by_heat(folder):
    with_counters(folder, 1410, 400, 90)


def made_clock_low_without_work(folder):
    with_counters(folder, 600, 100)


def made_clock_healthy(folder):
    with_counters(folder, 1920, 700, 90)


def made_clock_without_heat(folder):
    """The clock drops at a power below the limit, and the temperature is not recorded."""
    training = Training()
    training.steps()
    counters(training, 1410, 400)
    training.events = [e for e in training.events if e["name"] != "Temperature (C)"]
    training.write(folder)


def made_clock_of_some_steps(folder):
    """Samples of the counters end after the second of four steps."""
    training = Training()
    training.steps()
    counters(training, 1920, 700)
    training.events = [e for e in training.events if e["ph"] != "C" or e["ts"] <= 2 * STEP]
    training.write(folder)


def made_clock_of_most_steps(folder):
    """Samples of the counters end in the last of four steps, so that 95 % of the steps have samples."""
    training = Training()
    training.steps()
    counters(training, 1920, 700)
    training.events = [e for e in training.events if e["ph"] != "C" or e["ts"] <= 3.8 * STEP]
    training.write(folder)


def made_clock_on_two_devices(folder, last=1):
    """Two devices work. last: the last device with counters."""
    training = Training()
    training.steps()
    for step in range(STEPS):
        training.event("kernel", "k", 1, 7, step * STEP + 600, 8000, device=1, stream=7)
    counters(training, 1920, 700)
    training.events += [{**e, "pid": "GPU 1 Counters"} for e in training.events if e["ph"] == "C" and last]
    training.write(folder)


def made_clock_of_one_of_two_devices(folder):
    made_clock_on_two_devices(folder, 0)


def made_clock_statistics(folder):
    """A converter writes only statistics of the counters."""
    rows = [{"device": 0, "name": name, "samples": 80, "min": low, "mean": (low + high) / 2, "max": high}
            for name, low, high in (("SM Clock (MHz)", 1410, 1980), ("Power (W)", 500, 700), ("Temperature (C)", 60, 60))]
    of(folder, input_of([], counters=rows))


# ---- devices of other makers ----

def made_ascend(folder, name="MatMulV2", task="AI_CORE"):
    """Two devices of Ascend with pids 40 and 30. Each step, each device runs an operation of 9 ms that a link connects to
    its operator, and a record of an event that is no work."""
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
              for pid, name in ((1, "Python"), (2, "CANN"), (30, "Ascend Hardware"), (40, "Ascend Hardware"))]
    for step in range(STEPS):
        begin = step * STEP
        events.append({"ph": "X", "name": f"ProfilerStep#{step}", "cat": "user_annotation", "pid": 1, "tid": 1, "ts": f"{begin}.000", "dur": STEP})
        for place, pid in enumerate((40, 30)):
            start, end = f"{begin + 100 + 300 * place}.000", f"{begin + 700 + place}.000"
            link = {"cat": "async_npu", "name": "torch_to_npu", "id": step * 2 + place}
            events += [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": start, "dur": 200, "args": {}},
                       {"ph": "s", "pid": 1, "tid": 1, "ts": start, **link},
                       {"ph": "X", "name": "AscendCL@aclrtLaunchKernel", "pid": 2, "tid": 2, "ts": start, "dur": 5, "args": {}},
                       {"ph": "X", "name": name, "pid": pid, "tid": 5, "ts": end, "dur": 9000, "args": {"Task Type": task}},
                       {"ph": "X", "name": "EVENT_RECORD", "pid": pid, "tid": 5, "ts": f"{begin + 9750}.000", "dur": 1, "args": {"Task Type": "EVENT_RECORD"}},
                       {"ph": "f", "bp": "e", "pid": pid, "tid": 5, "ts": end, **link}]
        events.append({"ph": "X", "name": "AscendCL@aclrtSynchronizeStream", "pid": 2, "tid": 1, "ts": f"{begin + 9000}.000", "dur": 500, "args": {}})
    with open(os.path.join(folder, "trace_view.json"), "w", encoding="utf-8") as file:
        json.dump(events, file)


def made_ascend_copies(folder):
    made_ascend(folder, "hcom_copy", "SDMA_SQE")


def made_gaudi(folder):
    """A Gaudi device, whose profiler gives the events of the device and of the host the same category."""
    training = Training()
    training.events += [{"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": labels}} for pid, labels in ((100, "CPU"), (0, "HPU 0"))]
    for step in range(STEPS):
        begin = step * STEP
        training.event("user_annotation", f"ProfilerStep#{step}", 100, 1, begin, STEP)
        training.event("cpu_op", "aten::mm", 100, 1, begin + 300, 400)
        training.event("hpu_op", "launch recipe", 100, 1, begin + 400, 100)
        training.event("hpu_op", "GEMM", 0, 7, begin + 600, 9000, recipeId=3)
    training.write(folder)


def made_complete(folder):
    of(folder)


def made_cuspy_direction(folder):
    of(folder, copy=("Memcpy", {"copy kind": 0, "src kind": "unknown", "dst kind": "unknown"}))


def made_cuspy_known(folder):
    of(folder, copy=("Memcpy", {"copy kind": 1, "src kind": "pageable", "dst kind": "device"}))


def made_no_copies(folder):
    of(folder, input_of(["copies", "sets"]), copy=None)


def made_two_sides(folder):
    of(folder, input_of(["copies", "sets"]), "unknown.json", copy=None)
    of(folder, input_of([]), "known.json")


def made_types_of_one_side(folder):
    """The same work with and without the types of operators."""
    made_no_types(folder)
    os.rename(os.path.join(folder, "trace.json"), os.path.join(folder, "new.json"))
    with open(os.path.join(folder, "new.json"), encoding="utf-8") as file:
        document = json.load(file)
    for event in document["traceEvents"]:
        if "Input Dims" in event.get("args", {}):
            event["args"]["Input type"] = ["float"] * len(event["args"]["Input Dims"])
    document.pop("tracepress_input", None)
    with open(os.path.join(folder, "base.json"), "w", encoding="utf-8") as file:
        json.dump(document, file)


def made_no_types(folder):
    of(folder, operator={"Input Dims": [[4096, 4096], [4096, 4096]]})


def made_no_stacks(folder):
    of(folder, input_of(["Python stacks", "allocator records", "occupancy"]))


def made_dropped_device_rows(folder):
    of(folder, input_of([], dropped={"device rows": 5, "CANN calls": 7}))


def made_dropped_on_purpose(folder):
    of(folder, input_of([], dropped={"CANN calls": 7}))


globals()["made_" + sys.argv[1]](sys.argv[2])
