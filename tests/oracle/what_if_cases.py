#!/usr/bin/env python3
"""what_if_cases.py [--tracepress PATH]: checks the answers of the replay with small traces whose results are computed by
hand, and with properties that every answer must have.
what_if_cases.py --write FOLDER: writes the trace and the expected values of each case.

Without --tracepress, checks the executable definition; with it, checks `tracepress whatif`. The expected values are
written in this file and are not computed. Prints each wrong value, and then exits with 1.

NAME.json is the trace of a case, or NAME.0.json and NAME.1.json for two ranks. NAME.expected.json has the arguments of
`whatif` (changes) and the expected values by their path in what_if_view: a value, or [smallest, largest]. An answer's
path begins with what_if[N], where N is the position of the change."""
import argparse
import collections
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
from check_what_if import asked, defined, values_of  # noqa: E402
from what_if_properties import SEEDS, Checks, check_properties, check_removals  # noqa: E402

LAUNCH, COPY, SYNC = "cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize"
# ranks: a list of events for each rank. steps: {change: step in us}. values: {path: value}. answers: {change: {member: value}}.
Case = collections.namedtuple("Case", "ranks steps values answers")
CASES = {}


def case(f):
    CASES[f.__name__] = f()
    return f


def one(events, steps, values=None, answers=None):
    return Case([events], steps, values or {}, answers or {})


# ---- events; all times are microseconds
def event(category, name, start, end, row=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 100, "tid": row, "ts": start, "dur": end - start, "args": args}


def step(start, end):
    return event("user_annotation", "ProfilerStep#1", start, end)


def operator(name, start, end, thread=1):
    return event("cpu_op", name, start, end, thread)


def call(name, start, end, correlation=0):
    return event("cuda_runtime", name, start, end, correlation=correlation)


def kernel(name, start, end, correlation, stream=7, category="kernel"):
    return dict(event(category, name, start, end, stream, device=0, stream=stream, correlation=correlation), pid=0)


def kinds(**ns):
    """Returns the expected kinds of the path. Kinds that are not mentioned are 0."""
    names = ("operator", "python", "call", "launch", "wait", "input", "compute", "communication", "copy", "latency", "unexplained", "outside")
    return {"critical.kinds_ns." + name: ns.get(name, 0) for name in names}


# ---- cases
@case
def host_alone():
    """Operator a has 7 us of its own, 2 us before b and 5 us after b. Operator b has 3 us. Python has 10 us."""
    return one([step(0, 20), operator("aten::a", 2, 12), operator("aten::b", 4, 7)],
               {"operator:aten::a=0": 13, "host=1/2": 10, "operator:aten::b=2": 23, "host=1": 20}, kinds(operator=10000, python=10000))


@case
def whole_call():
    """Without operator a, its own 7 us disappear, or also operator b and the 10 us of Python around a."""
    return one([step(0, 30), operator("aten::a", 2, 12), operator("aten::b", 4, 7), operator("aten::c", 20, 30)], {"operator:aten::a=0": 23},
               answers={"operator:aten::a=0": {"gain_low_ns": 7000, "gain_high_ns": 20000, "confidence": "low"}})


@case
def collective_of_another_thread():
    """In a program without a device, the main thread waits 40 us for the collective of another thread."""
    return one([step(0, 100), operator("aten::a", 0, 20), operator("aten::b", 80, 100), event("user_annotation", "gloo:all_reduce", 30, 70, 2)],
               {"communication=0": 60}, kinds(operator=40000, python=20000, communication=40000))


@case
def two_queued_kernels():
    """A kernel starts 8 us after the start of its launch call. The path: 2 us of Python, 2 us in the first launch call,
    6 us of latency after it, 80 us of kernels."""
    return one([step(0, 30), call(LAUNCH, 2, 4, 1), call(LAUNCH, 4, 6, 2), kernel("k", 10, 50, 1), kernel("k", 50, 90, 2)],
               {"kernel:k=1/2": 50, "kind:compute=2": 170, "host=1/2": 89, "launches=0": 82},
               {"critical.limit": "compute", "critical.groups_ns.compute": 80000, "graph.latency_ns.launch cudaLaunchKernel": 8000,
                **kinds(python=2000, launch=2000, latency=6000, compute=80000)})


@case
def wait_for_stream():
    """The host continues 10 us after the end of the kernel, for 40 us."""
    return one([step(0, 100), call(LAUNCH, 0, 2, 1), call(SYNC, 2, 60, 9), kernel("k", 8, 50, 1), operator("aten::c", 60, 100)],
               {"waits=0": 50, "kernel:k=1/2": 79, "host=1/2": 80},
               {"replay.inferred_percent": 10.0, **kinds(operator=40000, latency=16000, compute=42000, launch=2000)})


@case
def call_that_frees_memory():
    """cudaFree waits for the kernel that ended during the call."""
    return one([step(0, 100), call(LAUNCH, 0, 2, 1), call("cudaFree", 2, 60, 9), kernel("k", 8, 50, 1), operator("aten::c", 60, 100)],
               {"waits=0": 50, "kernel:k=1/2": 79}, {"replay.inferred_percent": 10.0, "graph.by_reason.wait": 1})


FORK = [step(0, 12), call(LAUNCH, 0, 2, 1), call("cudaEventRecord", 2, 3, 5), call("cudaStreamWaitEvent", 3, 4, 6), call(LAUNCH, 6, 8, 2),
        kernel("k", 10, 30, 1), kernel("j", 32, 52, 2, 9)]


@case
def recorded_stream_wait():
    """Kernel j waits for kernel k of another stream. A record of the wait exists, so nothing is inferred."""
    wait = event("cuda_sync", "Stream Wait Event", 3, 4, 9, cuda_sync_kind="Stream Wait Event", stream=9, correlation=6, device=0,
                 wait_on_stream=7, wait_on_cuda_event_record_corr_id=5)
    return one([*FORK, wait], {"kernel:k=1/2": 42}, {"replay.inferred_percent": 0.0, "graph.counts.event": 1, "graph.by_reason.event": 1})


@case
def inferred_stream_wait():
    """Without a record, the 2 us between k and j are on an inferred edge."""
    return one(FORK, {"kernel:k=1/2": 42}, {"replay.inferred_percent": 100 * 2 / 52, "graph.counts.event_inferred": 1})


@case
def inferred_source():
    """Kernels k and h ended shortly before j. Kernel k ended last, so j probably waited for k."""
    return one([step(0, 14), call(LAUNCH, 0, 2, 1), call(LAUNCH, 2, 4, 2), call("cudaStreamWaitEvent", 4, 5, 6), call(LAUNCH, 8, 10, 3),
                kernel("k", 10, 30, 1), kernel("h", 12, 20, 2, 8), kernel("j", 32, 52, 3, 9)], {"kernel:k=1/2": 42, "kernel:h=0": 52})


@case
def contention():
    """Kernel k takes 10 us alone, but 16 us during the collective. Without the collective, it may take 10 us."""
    kernels = [kernel("k", 10 * i, 10 * i + 10, i) for i in range(1, 6)]
    return one([step(0, 15), *(call(LAUNCH, 2 * i - 2, 2 * i, i) for i in range(1, 6)), call("cudaStreamWaitEvent", 10, 11, 9),
                call(LAUNCH, 11, 13, 6), call(LAUNCH, 13, 15, 7), *kernels, kernel("ncclKernel_AllReduce", 60, 90, 6, 20), kernel("k", 60, 76, 7)],
               {"communication=0": 76}, answers={"communication=0": {"gain_low_ns": 14000, "gain_high_ns": 20000, "confidence": "medium"}})


@case
def waits_for_communication():
    """The last kernel waits for the collective of another stream. The collective alone takes 48 us, so the step cannot be
    shorter than that if it is only hidden."""
    return one([step(0, 12), call(LAUNCH, 0, 2, 1), call(LAUNCH, 2, 4, 2), call("cudaStreamWaitEvent", 4, 5, 6), call(LAUNCH, 6, 8, 3),
                kernel("k", 10, 30, 1), kernel("ncclKernel_AllReduce", 12, 60, 2, 20), kernel("o", 61, 71, 3)],
               {"communication=0": 41, "overlap": 48})


@case
def backward_thread():
    """The thread hands over to a second thread, which works for 260 us. 10 us before and 10 us after are host time."""
    return one([step(0, 300), operator("aten::a", 0, 10), operator("AddBackward0", 20, 280, 2), operator("aten::b", 290, 300)],
               {"operator:AddBackward0=0": 40, "operator:aten::a=0": 290}, {"graph.counts.handover": 1})


@case
def launch_before_backward():
    """The worker starts after the last work of the reference thread, not after its first. Operator a has 8 us of its own."""
    return one([step(0, 300), operator("aten::a", 0, 10), call(LAUNCH, 2, 4, 1), kernel("k", 12, 14, 1), operator("AddBackward0", 20, 280, 2),
                operator("aten::b", 290, 300)], {"operator:aten::a=0": 292}, {"graph.counts.handover": 1})


@case
def launch_that_works():
    """The third kernel starts 40 us after the start of its launch call, which still runs for 10 us. The call's work
    explains the late start."""
    return one([step(0, 95), call(LAUNCH, 0, 2, 1), call(LAUNCH, 20, 22, 2), call(LAUNCH, 40, 90, 3), kernel("k", 8, 12, 1), kernel("k", 28, 32, 2),
                kernel("k", 80, 110, 3)], {"launches=0": 66},
               {"graph.latency_ns.launch cudaLaunchKernel": 8000, "replay.bare_error_percent": 0.0,
                **kinds(compute=30000, launch=44000, python=36000)})


@case
def copy_call_after_its_copy():
    """The call returns 5 us after its copy ended. These 5 us are its own work."""
    copy = kernel("Memcpy HtoD (Pageable -> Device)", 5, 45, 1, category="gpu_memcpy")
    return one([step(0, 80), call(COPY, 0, 50, 1), copy, operator("aten::c", 50, 80)], {"copies=0": 40})


@case
def copy_calls_of_different_length():
    """The calls return 5 us and 35 us after their copies. Both times are their own work, although 5 us are usual."""
    copies = [kernel("Memcpy HtoD (Pageable -> Device)", start, start + 40, i + 1, category="gpu_memcpy") for i, start in enumerate((5, 65))]
    return one([step(0, 160), call(COPY, 0, 50, 1), call(COPY, 60, 140, 2), *copies, operator("aten::c", 140, 160)], {"copies=0": 80},
               {"graph.latency_ns.wake cudaMemcpyAsync": 5000, **kinds(operator=20000, latency=40000, copy=80000, launch=10000, python=10000)})


@case
def waits_for_events():
    """The first wait returns 10 us after kernel k, so it probably waited for k. The second wait returns 60 us after
    kernel j, so it did not wait for j, and its 78 us are host time. The first wait then also has 78 us of host time."""
    wait = "cudaEventSynchronize"
    return one([step(0, 200), call(LAUNCH, 0, 2, 1), call(wait, 2, 100, 8), call(LAUNCH, 100, 102, 2), call(wait, 102, 180, 9),
                operator("aten::c", 180, 200), kernel("k", 8, 90, 1), kernel("j", 108, 120, 2)],
               {"kernel:k=1/2": 180, "waits=0": 102, "kernel:j=0": 200},
               {"replay.inferred_percent": 5.0, "graph.by_reason.wait": 1,
                **kinds(operator=20000, wait=78000, launch=4000, latency=16000, compute=82000)})


@case
def full_queue():
    """The queue has room for 300 launches. Launch i waits until kernel i - 300 ended, so the 900 kernels limit the step."""
    events, ends, t = [], [], 0
    for i in range(900):
        room = ends[i - 300] if i >= 300 else 0
        end = max(t + 1, room + 2 if room > t + 1 else 0)
        begin = max(ends[-1] if ends else 5, t + 5 if end == t + 1 else end)
        events += [call(LAUNCH, t, end, i + 1), kernel("k", begin, begin + 40, i + 1)]
        ends.append(begin + 40)
        t = end
    return one([step(0, t), *events], {"kernel:k=1/2": 5 + 900 * 20}, {"graph.counts.queue_depth": [299, 301], "replay.nodes_wrong": 0})


@case
def loader_of_the_process():
    name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    return one([step(0, 100), event("user_annotation", name, 0, 60), operator("aten::a", 60, 100)], {"input=0": 40},
               {"critical.limit": "input", **kinds(input=60000, operator=40000)})


@case
def loader_of_workers():
    """A batch arrives after 4 ms. With a host twice as fast, it arrives then or earlier."""
    name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    return one([step(0, 5000), operator("aten::a", 0, 1000), event("user_annotation", name, 1000, 4000), operator("aten::a", 4000, 5000)],
               {"input=0": 2000, "host=1/2": 4000}, answers={
                   "host=1/2": {"gain_low_ns": 500000, "gain_high_ns": 1000000}, "input=0": {"gain_low_ns": 3000000, "gain_high_ns": 3000000}})


@case
def graph_launch():
    """One call launches three kernels, one of them on a second stream."""
    return one([step(0, 20), call("cudaGraphLaunch", 0, 10, 1), kernel("a", 12, 22, 1), kernel("b", 23, 33, 1, 8), kernel("c", 34, 54, 1)],
               {"kernel:a=0": 44, "kernel:c=1/2": 44}, {"graph.by_reason.launch": 1, "graph.by_reason.graph": 1})


@case
def two_ranks():
    """The kernel of rank 1 ends 30 us later than that of rank 0. The transfer takes 10 us."""
    ranks = [[step(0, 5), call(LAUNCH, 0, 2, 1), call(LAUNCH, 2, 4, 2), kernel("k", 10, end, 1), kernel("ncclKernel_AllReduce", end, 60, 2)]
             for end in (20, 50)]
    return Case(ranks, {"host=1": 60, "rank:1": 30}, {}, {})


@case
def unexplained():
    """The fourth kernel starts 100 us after the end of everything that it is known to need. Without these 100 us the
    step takes 60 of 160 us, so the error is -62.5 %."""
    launches = [call(LAUNCH, 2 * i, 2 * i + 2, i + 1) for i in range(5)]
    times = ((5, 20), (20, 30), (30, 40), (140, 150), (150, 160))
    return one([step(0, 30), *launches, *(kernel("k", *t, i + 1) for i, t in enumerate(times))], {},
               {"confidence": "withheld", "withheld.length": [1, 9], "critical.kinds_ns.unexplained": 100000, "replay.bare_error_percent": -62.5,
                "replay.kept_error_ns": 0, "what_if.length": 0})


@case
def no_launches():
    return one([step(0, 10), kernel("k", 0, 10, 1), kernel("k", 10, 20, 2)], {},
               {"confidence": "withheld", "withheld.length": [1, 9], "graph.counts.without_launch": 2, "what_if.length": 0})


@case
def helper_thread():
    """A thread without a hand-over moves with the reference thread."""
    return one([step(0, 100), operator("aten::a", 0, 50), operator("aten::b", 50, 100), operator("helper", 60, 90, 5)],
               {"operator:aten::a=0": 50}, {"graph.counts.follows": 1})


@case
def pause_of_helper():
    """A pause of 150 us divides the work of a helper, a pause of 50 us does not."""
    return one([step(0, 400), operator("aten::a", 0, 100), operator("aten::b", 100, 400), operator("h", 60, 90, 5), operator("h", 140, 150, 5),
                operator("h", 300, 310, 5)], {"operator:aten::a=0": 300}, {"graph.counts.follows": 2})


@case
def earlier_device_work():
    """The step begins when the kernel from before the step ends. Without this kernel, the step begins with its marker, and
    the step's own kernel begins 8 us after its launch call."""
    return one([call(LAUNCH, 0, 2, 1), step(20, 60), call(LAUNCH, 30, 32, 2), kernel("p", 8, 40, 1), kernel("k", 45, 85, 2)],
               {"kernel:p=0": 58, "kernel:k=1/2": 25}, kinds(compute=40000, latency=5000))


@case
def window_from_main_thread():
    """Without a marker, W begins with the main thread, because the first kernel starts soon after its launch."""
    return one([operator("aten::a", 0, 20), call(LAUNCH, 10, 12, 1), kernel("k", 18, 58, 1)], {"kernel:k=1/2": 38, "host=1/2": 53},
               kinds(operator=10000, launch=2000, latency=6000, compute=40000))


@case
def window_from_first_operation():
    """The first kernel starts long after its launch, so W begins with this kernel. The bare replay keeps its start."""
    kernels = [kernel("k", 200, 240, 1), kernel("j", 245, 250, 2, 9)]
    return one([operator("aten::a", 0, 230), call(LAUNCH, 10, 12, 1), call(LAUNCH, 225, 227, 2), *kernels],
               {"kernel:k=1/2": 50, "kernel:j=0": 45},
               {"replay.bare_error_percent": 0.0, **kinds(operator=25000, launch=2000, latency=18000, compute=5000)})


@case
def other_gpu():
    """The tensor core kernel is faster by the ratio of compute (312 to 989), the other kernel by the ratio of bandwidth
    (2039 to 3350)."""
    kernels = [kernel("sm80_xmma_gemm_tensorop", 10, 110, 1), kernel("elementwise", 110, 210, 2)]
    return one([step(0, 4), call(LAUNCH, 0, 2, 1), call(LAUNCH, 2, 4, 2), *kernels],
               {}, answers={"gpu:A100=H100": {"step_ns": 10000 + 31547 + 60865, "confidence": "low"}})


@case
def host_then_device():
    """Ten kernels of 7 us wait for the host. If the host is free, they limit the step."""
    events = [e for i in range(10) for e in (operator("aten::m", 10 * i, 10 * i + 10), call(LAUNCH, 10 * i + 8, 10 * i + 10, i + 1),
                                             kernel("k", 10 * i + 12, 10 * i + 19, i + 1))]
    return one([step(0, 110), *events], {"graph=0": 70}, {"critical.limit": "host"}, {"graph=0": {"then": "compute"}})


@case
def tie():
    """The launch and the stream allow the second kernel to start at the same time. The first reason of the list decides,
    so the path contains the launch: 8 us of the second kernel, 8 us of latency, two launch calls of 2 us."""
    return one([step(0, 4), call(LAUNCH, 0, 2, 1), call(LAUNCH, 2, 4, 2), kernel("k", 10, 12, 1), kernel("k", 12, 20, 2)], {},
               kinds(compute=8000, latency=8000, launch=4000))


def arguments(c):
    return [*c.steps, *(change for change in c.answers if change not in c.steps)]


def expected(c):
    """Returns {path in what_if_view: expected value} of a case."""
    changes, out = arguments(c), {"replay.nodes_wrong": 0, "replay.kept_error_ns": 0, **c.values}
    out.update({"what_if[%d].step_ns" % changes.index(change): us * 1000 for change, us in c.steps.items()})
    out.update({"what_if[%d].%s" % (changes.index(change), member): value for change, row in c.answers.items() for member, value in row.items()})
    return out


# ---- checks
def write_trace(events, path, header):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({**header, "traceEvents": events}, f, indent=0)


def write_case(name, c, folder):
    """Writes the traces of a case. Returns their paths."""
    paths = [os.path.join(folder, "%s.%d.json" % (name, i) if len(c.ranks) > 1 else name + ".json") for i in range(len(c.ranks))]
    for rank, (events, path) in enumerate(zip(c.ranks, paths)):
        write_trace(events, path, {"distributedInfo": {"rank": rank, "world_size": len(c.ranks)}} if len(c.ranks) > 1 else {})
    return paths


def check_cases(ask, folder, checks, cases):
    for name, c in cases.items():
        view = ask(write_case(name, c, folder), arguments(c))
        if isinstance(view, str):
            checks.equal(view, "answers", name)
            continue
        values = values_of(view)
        for path, wanted in expected(c).items():
            checks.equal(values.get(path, 0 if path.startswith("graph.") else None), wanted, "%s: %s" % (name, path))


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, c in CASES.items():
        write_case(name, c, folder)
        with open(os.path.join(folder, name + ".expected.json"), "w", encoding="utf-8") as f:
            json.dump({"changes": arguments(c), "values": expected(c)}, f, indent=1)
    print("%d cases written" % len(CASES))


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracepress")
    parser.add_argument("--write", metavar="FOLDER")
    args = parser.parse_args()
    if args.write:
        return write(args.write)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        def ask(paths, changes):
            return asked(args.tracepress, paths, changes, folder) if args.tracepress else defined(paths, changes)
        check_cases(ask, folder, checks, CASES)
        for seed in SEEDS:
            path = os.path.join(folder, "made.json")
            check_properties(seed, ask, path, checks)
            if not args.tracepress:
                check_removals(seed, path, checks)
    print("%d checks, %d failed" % (checks.count, checks.failed))
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main())
