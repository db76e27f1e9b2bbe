#!/usr/bin/env python3
"""Cases for definitions.py with results that are computed by hand.

python3 definitions_cases.py [DIR]: also writes the traces and the expected documents to DIR."""
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from twin.numbers import write_json                                             # noqa: E402
from twin.runs import document                                                  # noqa: E402

PROPS = [{"id": 0, "name": "GPU", "totalGlobalMem": 1000, "computeMajor": 8, "computeMinor": 0, "warpSize": 32, "numSms": 100}]
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def X(cat, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 10, "tid": tid, "ts": ts, "dur": dur, "args": args}


def K(name, ts, dur, corr=None, dev=0, stream=7, cat="kernel", **args):
    e = dict(X(cat, name, ts, dur, stream, device=dev, stream=stream, **args), pid=dev)
    if corr is not None:
        e["args"]["correlation"] = corr
    return e


def W(start, end, corr, dev=0):
    """Returns 20 kernels in a row, so that the recording is long enough for a verdict (R2)."""
    each = (end - start) / 20
    return [K("a", start + i * each, each, corr if i == 0 else None, dev) for i in range(20)]


def L(ts, dur, corr, name="cudaLaunchKernel", tid=1):
    return X("cuda_runtime", name, ts, dur, tid, correlation=corr)


def S(n, ts, dur):
    return X("user_annotation", "ProfilerStep#%d" % n, ts, dur)


def F(name, ts, dur):
    return X("python_function", name, ts, dur)


def M(ts, size, address, total, reserved, device=0, device_type=1, tid=1):
    return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 10, "tid": tid, "ts": ts, "s": "t",
            "args": {"Device Type": device_type, "Device Id": device, "Addr": address, "Bytes": size, "Total Allocated": total,
                     "Total Reserved": reserved}}


def findings(r):
    return {f["id"]: f for f in r["recommendations"]["findings"]}


def flag(r, name):
    return next(f for f in r["trace_quality"]["flags"] if f["id"] == name)


def idle(r, device=0):
    return r["idle_view"][device]["idle"]


def parts(r, device=0):
    return {p: idle(r, device)[p + "_us"] for p in ("host", "launch", "queue", "outside", "unknown") if idle(r, device)[p + "_us"]}


def step_names(r, used=True):
    return [s["name"] for s in r["overview"]["steps"] if s["used"] == used]


# ---------------------------------------------------------------------------------------------------------------- idle parts
@case
def gap_parts():
    """Tests that a gap is divided where its launch begins and where it returns."""
    ev = [K("a", 100, 10, 1), L(90, 5, 1),           # the device was free at 90: launch 5, queue 5
          K("b", 120, 10, 2), L(110, 5, 2),          # gap 110..120, launch 110..115: launch 5, queue 5
          K("c", 140, 10, 3), L(125, 6, 3),          # gap 130..140, launch 125..131: launch 1, queue 9
          K("d", 160, 10, 4), L(140, 10, 4),         # gap 150..160, launch ends at 150: queue 10
          K("e", 180, 10),                           # gap 170..180, no launch: unknown 10
          K("f", 200, 10, 6), L(195, 2, 6),          # gap 190..200, launch 195..197: host 5, launch 2, queue 3
          # gap 210..220, launch recorded after the start (clocks differ): host 10
          K("g", 220, 10, 7), L(225, 2, 7)]

    def check(r):
        assert parts(r) == {"host": 15, "launch": 13, "queue": 32, "unknown": 10} and idle(r)["gaps"] == 7, idle(r)
        assert r["idle_view"][0]["busy_us"] == 70 and r["idle_view"][0]["window_us"] == 140
        assert flag(r, "F6")["value"] == 1
    return ev, check


@case
def two_streams_same_start():
    """Tests that the first operation in the file decides if two operations end the gap together."""
    ev = [K("a", 0, 10, 1), K("x", 20, 5, 2, stream=8), K("y", 20, 9, 3), L(0, 1, 1), L(1, 1, 2), L(12, 1, 3)]

    def check(r):
        d = r["idle_view"][0]
        assert parts(r) == {"queue": 10} and d["streams"] == 2 and d["sum_us"] == 24 and d["busy_us"] == 19
    return ev, check


@case
def flame():
    """Tests that idle time is assigned to the stack of the launching thread, with half-open intervals. Starved time is
    host and launch time, 10..47."""
    ev = [K("a", 0, 10, 1), L(0, 1, 1), K("b", 50, 10, 2), L(45, 2, 2), F("app.py(3): main", 5, 60),
          F("torch/nn/modules/module.py(1): _call_impl", 20, 20), F("lib.py(9): work", 25, 5)]

    def check(r):
        d = r["idle_view"][0]
        lines = {x["line"]: (x["ns"], x["starved_ns"]) for x in d["idle_by_line"]}
        assert lines == {"app.py(3): main": (35000, 32000), "lib.py(9): work": (5000, 5000)}, lines
        frames = {x["name"]: (x["self_ns"], x["total_ns"]) for x in d["idle_flame"]["frames"]}
        assert frames["app.py(3): main"] == (18000, 40000) and frames["cudaLaunchKernel"] == (2000, 2000), frames
        assert frames["torch/nn/modules/module.py(1): _call_impl"] == (15000, 20000)
    return ev, check


@case
def flame_two_gaps():
    """Tests that an event that begins while the device is busy gets only idle time of the later gap."""
    ev = [K("a", 0, 10, 1), L(0, 1, 1), F("m.py(1): f", 0, 100), K("b", 30, 10, 2), L(29, 1, 2), K("c", 60, 10, 3), L(58, 2, 3),
          F("m.py(2): g", 35, 20)]

    def check(r):
        d = r["idle_view"][0]
        assert {x["line"]: x["ns"] for x in d["idle_by_line"]} == {"m.py(1): f": 25000, "m.py(2): g": 15000}
        assert sum(node["ns"] > 0 for node in d["idle_flame"]["nodes"]) == 3
    return ev, check


@case
def alive():
    """Tests that each moment is enclosed by all events that are open then, even if an event ends after an event that
    encloses it."""
    ev = [K("a", 0, 10, 1), L(0, 1, 1), X("user_annotation", "f", 0, 20), X("user_annotation", "g", 15, 15), X("user_annotation", "h", 22, 2),
          K("b", 40, 10, 2), L(35, 1, 2)]

    # idle 10..40: f 10..15, g 15..22, h 22..24, g 24..30, then only the call 35..36
    def check(r):
        lines = {x["line"]: x["ns"] for x in r["idle_view"][0]["idle_by_line"]}
        assert lines == {"f": 5000, "g": 13000, "h": 2000, "[no host event]": 9000, "cudaLaunchKernel": 1000}, lines
        assert r["trace_quality"]["badly_nested_host_events"] == 1
    return ev, check


@case
def graph_launch():
    """Tests a launch that starts three operations. The gaps after the launch are queue time and in_graph."""
    ev = [L(0, 5, 1, "cudaGraphLaunch"), K("a", 10, 10, 1), K("b", 25, 10, 1), K("c", 40, 10, 1)]

    def check(r):
        assert parts(r) == {"launch": 5, "queue": 15} and idle(r)["in_graph_us"] == 15 and flag(r, "F3")["value"] == 100
    return ev, check


@case
def no_runtime():
    ev = [K("a", 0, 10, 1), K("b", 100, 10, 2)]

    def check(r):
        assert parts(r) == {"unknown": 90} and r["idle_view"][0]["idle_by_line"][0]["line"] == "[no host event]"
        assert list(findings(r)) == ["R2"] and flag(r, "F2")["raised"] and r["verdict"]["class"] == "too-little"
    return ev, check


# --------------------------------------------------------------------------------------------------------------- steps and W
def steps_with_work(lengths, work):
    """Returns consecutive steps. Each has a launch 1 us after its start, and a kernel of `work[i]` us 50 us after its
    start."""
    ev, at = [], 0
    for i, (n, w) in enumerate(zip(lengths, work)):
        ev += [S(i + 1, at, n), L(at + 1, 2, i + 1), K("k", at + 50, w, i + 1)]
        at += n
    return ev


@case
def last_step_extended():
    """Tests three steps of 160, 100, and 100 + 80 us with device work. All are used, because 160 is at most 1.5 * 140.
    The device is busy for 20 + 20 + 130 us."""
    def check(r):
        assert step_names(r) == ["1", "2", "3"] and [s["total_us"] for s in r["overview"]["steps"]] == [160, 100, 180]
        assert r["recommendations"]["window_us"] == 440 and r["recommendations"]["steps"] == 3
        # kernels 50..70, 210..230, 310..440; launches 1..3, 161..163, 261..263
        assert parts(r) == {"host": 1 + 91 + 31, "launch": 6, "queue": 47 + 94} and r["idle_view"][0]["busy_us"] == 170
    return steps_with_work((160, 100, 100), (20, 20, 130)), check


@case
def head_of_a_free_device():
    """Tests a first kernel that starts 8 us after its launch. The device was free, so the 600 us before the launch are
    host time."""
    def check(r):
        assert parts(r) == {"host": 600, "launch": 2, "queue": 8, "outside": 290}, parts(r)
    return [S(1, 0, 1000), L(600, 2, 1), K("k", 610, 100, 1)], check


@case
def head_of_a_busy_device():
    """Tests a first kernel that starts 497 us after its launch, because of work that is not recorded. The state of the
    device before the launch is unknown."""
    def check(r):
        assert parts(r) == {"outside": 1 + 400, "launch": 2, "queue": 497}, parts(r)
    return [S(1, 0, 1000), L(1, 2, 1), K("k", 500, 100, 1)], check


@case
def warm_up():
    """Tests five steps, of which three are used. Two are not used, because 400 > 1.5 * median(200 100 100 100), and
    then 200 > 1.5 * median(100 100 100)."""
    def check(r):
        assert step_names(r) == ["3", "4", "5"] and step_names(r, used=False) == ["1", "2"]
        assert r["recommendations"]["window_us"] == 300 and r["recommendations"]["step_us"] == 100
        assert r["verdict"]["steps_left_out"] == [{"name": "1", "reason": "warm-up"}, {"name": "2", "reason": "warm-up"}]
        # window 600..900; kernels 650..670, 750..770, 850..870; launches 601..603, 701..703, 801..803; 870..900 is
        # outside
        assert parts(r) == {"host": 1 + 31 + 31, "launch": 6, "queue": 47 * 3, "outside": 30}, parts(r)
        assert r["overview"]["average"]["total_us"] == 100 and r["overview"]["gpu_summary"][0]["busy_us"] == 60
        assert r["overview"]["gpu_summary"][0]["recorded_busy_us"] == 100
        assert r["kernel_view"]["by_name"][0]["in_steps_us"] == 60 and r["kernel_view"]["by_name"][0]["share_of_step_percent"] == 20
    return steps_with_work((400, 200, 100, 100, 100), (20,) * 5), check


@case
def two_steps_are_used():
    """Tests that all steps are used if there are fewer than three."""
    def check(r):
        assert step_names(r) == ["1", "2"]
    return steps_with_work((900, 100), (20, 20)), check


@case
def optimizer_steps():
    """Tests that a step lasts from the end of the previous Optimizer.step, the first one from the start of host
    activity: 140, 200, 200 us."""
    ev = [X("cpu_op", "aten::mm", 10, 50)] + [X("user_annotation", "Optimizer.step#SGD.step", 100 + 200 * i, 50) for i in range(3)]

    def check(r):
        assert r["recommendations"]["step_marker"] == "Optimizer.step" and r["recommendations"]["steps"] == 3
        assert r["recommendations"]["step_us"] == 180 and r["verdict"]["class"] == "cpu"
    return ev, check


def passes(count, every, pause=0):
    """Returns iterations of a module call 0..30 and a backward pass 40..60. Every `every`-th iteration also has an
    update 60..100."""
    ev = []
    for i in range(count):
        t = (100 + pause) * i
        ev += [X("python_function", "nn.Module: Net_3", t, 30, **{"Python module id": 3}), X("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", t + 40, 20)]
        ev += [X("cpu_op", "aten::add_", t + 60 + 10 * k, 10) for k in range(4) if i % every == every - 1]
    return ev


@case
def inferred_from_modules():
    """Tests five calls, each followed by a pause of 100 of 200 us. The last call is no step, because its end is unknown
    (20 * 4 * 100 > 5 * 800)."""
    def check(r):
        f = r["trace_facts"]
        assert (f["step_marker"], f["step_source"], f["step_passes"], step_names(r)) == ("modules", "Net", 1, ["0", "1", "2", "3"])
        assert r["recommendations"]["step_us"] == 200
    return passes(5, 1, 100), check


@case
def inferred_rounds():
    """Tests an update after each third pass, so three passes are one step of 300 us. The last step ends with its last
    item."""
    def check(r):
        f = r["trace_facts"]
        assert (f["step_marker"], f["step_source"], f["step_passes"], step_names(r)) == ("modules", "Net", 3, ["0", "1", "2", "3"])
        assert r["recommendations"]["window_us"] == 1200
    return passes(12, 3), check


@case
def inferred_nothing():
    """Tests that no steps are inferred, because two updates are not regular, and too many passes differ."""
    def check(r):
        assert r["trace_facts"]["step_marker"] == "window" and "step_source" not in r["trace_facts"]
    return passes(6, 3), check


def products(outputs):
    """Returns eight pairs of a product of 4x8 and 8x`outputs` and a relu, 20 us per pair."""
    return [X("cpu_op", name, 20 * i + k, 10, **{"Input Dims": dims}) for i in range(8)
            for k, name, dims in ((0, "aten::linear", [[4, 8], [outputs, 8], [outputs]]), (10, "aten::relu", [[4, outputs]]))]


@case
def inferred_from_shapes():
    """Tests an output 4x2, which cannot be the input of the next product. So each iteration starts with new data."""
    def check(r):
        assert (r["trace_facts"]["step_marker"], r["trace_facts"]["step_source"]) == ("operators", "aten::linear")
        assert r["recommendations"]["step_us"] == 20
    return products(2), check


@case
def layers_by_shapes():
    """Tests an output 4x8, which can be the input of the next product. So the iterations may be layers."""
    def check(r):
        assert r["trace_facts"]["step_marker"] == "window"
    return products(8), check


@case
def unfinished_step():
    """Tests that a step with finished:false is listed but not used, and that a gpu_user_annotation with the same name
    is not a step."""
    last = S(3, 200, 100)
    last["args"]["finished"] = False
    ev = [S(1, 0, 100), S(2, 100, 100), last, dict(S(1, 5, 100), cat="gpu_user_annotation", pid=0, tid=7),
          X("cpu_op", "aten::mm", 10, 80), X("cpu_op", "aten::mm", 110, 80)]

    def check(r):
        assert step_names(r) == ["1", "2"] and r["verdict"]["steps_left_out"] == [{"name": "3", "reason": "unfinished"}]
        assert r["recommendations"]["window_us"] == 200
    return ev, check


@case
def no_marker():
    """Tests that the only window lasts from the start of the host to the end of the last operation, because the device
    was free. host_start and host_end are the start and end of the host."""
    ev = [X("cpu_op", "aten::mm", 0, 500), L(100, 5, 1), K("k", 200, 100, 1), L(300, 5, 2), K("k", 400, 50, 2)]

    def check(r):
        s = r["overview"]["steps"][0]
        assert (s["start_us"], s["end_us"], s["host_start_us"], s["host_end_us"]) == (0, 450, 0, 500)
        assert parts(r) == {"host": 100, "launch": 10, "queue": 190} and r["overview"]["average"]["total_us"] == 450
    return ev, check


@case
def no_marker_busy_before():
    """Tests a first operation that starts 101 us after its launch has returned. The earlier state of the device is
    unknown, so the window begins with this operation."""
    ev = [X("cpu_op", "aten::mm", 0, 500), L(100, 5, 1), K("k", 206, 94, 1), L(300, 5, 2), K("k", 400, 50, 2)]

    def check(r):
        s = r["overview"]["steps"][0]
        assert (s["start_us"], s["end_us"], s["host_start_us"], s["host_end_us"]) == (206, 450, 0, 500)
        assert parts(r) == {"launch": 5, "queue": 95}
    return ev, check


@case
def bad_nesting():
    ev = [X("cpu_op", "p", 0, 10), X("cpu_op", "c", 5, 6), X("cpu_op", "q", 20, 10), X("cpu_op", "r", 25, "6.001")]

    def check(r):
        rows = {x["name"]: (x["host_self_time_us"], x["host_total_time_us"]) for x in r["operator_view"]["by_name"]}
        assert r["trace_quality"]["badly_nested_host_events"] == 2 and r["trace_facts"]["operators_clipped"] == 2
        assert rows == {"p": (5, 10), "c": (5, 6), "q": (5, 10), "r": (5, 6.001)}, rows
    return ev, check


# ------------------------------------------------------------------------------------------------------------------ findings
@case
def exposed_comm():
    """Tests communication in 20..100 that is hidden until 50. Compute in 0..20 and 100..200 could hide the rest."""
    ev = [L(0, 1, 1), K("gemm", 0, 50, 1), L(1, 1, 2), K("ncclDevKernel_AllReduce", 20, 80, 2, stream=9), L(2, 1, 3), K("gemm", 100, 100, 3)]

    def check(r):
        d = r["idle_view"][0]
        assert (d["communication_us"], d["exposed_communication_us"], d["compute_us"]) == (80, 50, 150)
        f = findings(r)["E1"]
        assert f["share_of_step_percent"] == 25 and f["severity"] == "medium" and r["verdict"]["class"] == "compute-bound"
    return ev, check


@case
def little_compute_hides_little():
    """Tests a step with 100 us of communication and 20 us of compute. Hiding saves at most 20 us. The step is still
    communication-bound."""
    ev = [L(0, 1, 1), K("gemm", 0, 20, 1), L(1, 1, 2), K("multimem_all_reduce_kernel", 20, 100, 2)]

    def check(r):
        assert findings(r)["E1"]["ceiling_us_per_step"] == 20 and r["verdict"]["class"] == "communication-bound"
        assert abs(r["verdict"]["percent"] - 100 * 100 / 120) < 1e-9
    return ev, check


@case
def hidden_in_its_own_step():
    """Tests a step with 300 us of communication and 20 us of compute, and a step with 80 us and 370 us. So 20 us and 80
    us can be hidden."""
    ev = [S(1, 0, 500), L(1, 1, 1), K("gemm", 10, 20, 1), L(2, 1, 2), K("ncclDevKernel_AllReduce", 30, 300, 2, stream=9),
          S(2, 500, 500), L(501, 1, 3), K("gemm", 540, 370, 3), L(502, 1, 4), K("ncclDevKernel_AllReduce", 910, 80, 4, stream=9)]

    def check(r):
        assert findings(r)["E1"]["ceiling_us_per_step"] == 50
    return ev, check


def passes_then_communication(count, dur):
    """Returns `count` passes of 100 us forward and 50 us backward, then communication of `dur` us."""
    ev = [S(1, 0, 1000)]
    for i in range(count):
        at = 100 + 150 * i
        ev += [L(1 + 4 * i, 1, 1 + 2 * i), K("gemm", at, 100, 1 + 2 * i), X("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 2 + 4 * i, 2),
               L(2 + 4 * i, 1, 2 + 2 * i), K("gemm", at + 100, 50, 2 + 2 * i)]
    return ev + [L(50, 1, 90), K("ncclDevKernel_AllReduce", 100 + 150 * count, dur, 90, stream=9)]


@case
def hidden_by_the_backward_pass():
    """Tests that 50 us of the backward pass can hide the communication of gradients, which exist from this pass on."""
    def check(r):
        assert findings(r)["E1"]["ceiling_us_per_step"] == 50
    return passes_then_communication(1, 350), check


@case
def hidden_by_the_next_micro_step():
    """Tests that with two passes, the second forward pass can hide the communication of the first backward pass."""
    def check(r):
        assert findings(r)["E1"]["ceiling_us_per_step"] == 280
    return passes_then_communication(2, 280), check


def late_host(called, waits):
    """Returns communication in 200..400, and work from 410 on that the host launches at `called`. waits: the host waits
    for the communication."""
    ev = [S(1, 0, 1000), L(1, 1, 1), K("gemm", 10, 190, 1), L(2, 1, 2), K("ncclDevKernel_AllReduce", 200, 200, 2, stream=9),
          L(called, 1, 3), K("gemm", 410, 590, 3)]
    return ev + ([X("cuda_runtime", "cudaStreamSynchronize", 5, 395)] if waits else [])


@case
def late_launches_gain_nothing():
    """Tests a launch that returns 30 us before the work starts, so at most 30 us can be gained."""
    def check(r):
        f = findings(r)["E1"]
        assert f["ceiling_us_per_step"] == 30 and f["detail"].endswith(
            "Hiding communication for 17.0 % of the step time saves nothing, because the host launches later kernels too late.")
    return late_host(379, False), check


@case
def waiting_host_launches_earlier():
    """Tests a host that waited for the communication. Without this wait the host launches earlier."""
    def check(r):
        assert findings(r)["E1"]["ceiling_us_per_step"] == 200
    return late_host(405, True), check


@case
def sync_cost():
    """Tests two waits. After the first wait of 60 us, the device is idle for 30 us, so the cost is 30. The second wait
    takes 4 us. Then the device works and is idle for 5 us, so the cost is 4."""
    ev = [K("a", 0, 100, 1), L(0, 1, 1), L(50, 60, 9, "cudaStreamSynchronize"), K("b", 140, 10, 2), L(130, 2, 2),
          L(141, 4, 10, "cudaDeviceSynchronize"), K("c", 155, 10, 3), L(151, 2, 3), L(170, 3, 11, "cudaDeviceSynchronize")]

    def check(r):                                    # the third wait begins after the end of W = 0..165
        t = r["sync_table"]
        assert (t["count"], t["host_wait_us"], t["bubble_us"], t["cost_us"], t["calls_outside_steps"]) == (2, 64, 35, 34, 1), t
    return ev, check


@case
def two_devices():
    """Tests findings about two devices, which use the union over all devices. The gap 10..100 has host 80, launch 1,
    queue 9."""
    ev = []
    for d in (0, 1):
        ev += W(0, 10, 1 + 10 * d, d) + [L(0, 1, 1 + 10 * d, tid=1 + d), K("b", 100, 10, 2 + 10 * d, d), L(90, 1, 2 + 10 * d, tid=1 + d)]

    def check(r):
        assert [d["device"] for d in r["idle_view"]] == [0, 1] and r["recommendations"]["window_us"] == 110
        assert parts(r) == parts(r, 1) == {"host": 80, "launch": 1, "queue": 9}
        # one gap takes 90 of 110 us
        assert findings(r)["A1"]["ceiling_us_per_step"] == 81 and r["verdict"]["class"] == "stall"
    return ev, check


@case
def queued():
    """Tests an operation that was launched at 12 and started at 1000 for an unknown reason. The program is not
    launch-bound."""
    ev = W(0, 10, 1) + [L(0, 1, 1), K("b", 1000, 10, 2), L(12, 1, 2)]

    def check(r):
        assert parts(r) == {"host": 2, "launch": 1, "queue": 987} and not findings(r)
        assert (r["verdict"]["class"], r["verdict"]["cause"]) == ("not-shown", "queue")
    return ev, check


@case
def captured():
    """Tests a capture that takes 60 of 100 us. Launches inside a capture do not run."""
    ev = [L(0, 1, 1), K("a", 1, 9, 1), X("cuda_runtime", "cudaStreamBeginCapture", 20, 1), L(30, 1, 3), L(40, 1, 4),
          X("cuda_runtime", "cudaStreamEndCapture", 79, 1), L(89, 1, 2), K("b", 90, 10, 2)]

    def check(r):
        assert (r["verdict"]["class"], r["verdict"]["percent"], r["verdict"]["cause"]) == ("graph-capture", 60, None) and list(findings(r)) == ["R2"]
    return ev, check


@case
def captured_in_part():
    """Tests a capture that takes 20 of 100 us and is in no finding. The device waits for 60 of the other 80 us."""
    ev = W(1, 10, 1) + [L(0, 1, 1), X("cuda_runtime", "cudaStreamBeginCapture", 20, 1), L(30, 1, 3),
          X("cuda_runtime", "cudaStreamEndCapture", 39, 1), L(89, 1, 2), K("b", 90, 10, 2)]

    def check(r):
        # 61 of 80 us
        assert r["verdict"]["class"] == "stall" and findings(r)["A1"]["share_of_step_percent"] == 76.25
    return ev, check


@case
def input_bound():
    """Tests a loader that takes 10..80 of 100 us, with the next launch at 90. The device is starved for 80 us, of which
    the loader explains 70."""
    ev = W(0, 10, 1) + [L(0, 1, 1), K("b", 91, 9, 2), L(90, 1, 2), X("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 70)]

    def check(r):
        assert r["verdict"]["class"] == "input-bound" and r["verdict"]["percent"] == 70
        assert r["verdict"]["causes"]["launch"] == 11 and findings(r)["B2"]["ceiling_us_per_step"] == 70 and "B1" not in findings(r)
    return ev, check


@case
def scalar_read():
    ev = []
    for i in range(2):
        b = i * 1000
        ev += [S(i, b, 1000), L(b, 5, i * 10 + 1), K("k", b + 5, 300, i * 10 + 1), X("cpu_op", "aten::item", b + 10, 310),
               X("cpu_op", "aten::_local_scalar_dense", b + 11, 308), L(b + 12, 306, i * 10 + 2, "cudaStreamSynchronize"),
               L(b + 600, 5, i * 10 + 3), K("k2", b + 605, 395, i * 10 + 3)]

    def check(r):
        f = findings(r)["A5"]
        assert f["ceiling_us_per_step"] == 287 and f["severity"] == "high" and f["evidence_total"] == 2, f
        assert f["detail"] == "", f["detail"]
        # compute of 695 of 1000 us is more than two thirds
        assert r["verdict"]["class"] == "compute-bound" and r["verdict"]["causes"]["sync"] == 2 * 287
    return {"traceEvents": ev, "with_stack": 1}, check


@case
def data_dependent():
    ev = []
    for i in range(2):
        b = i * 1000
        ev += [S(i, b, 1000), L(b, 5, i * 10 + 1), K("k", b + 5, 300, i * 10 + 1), X("cpu_op", "aten::nonzero", b + 10, 310),
               L(b + 12, 306, i * 10 + 2, "cudaStreamSynchronize"), L(b + 340, 5, i * 10 + 3), K("k2", b + 345, 655, i * 10 + 3)]

    def check(r):
        f = findings(r)["A6"]
        assert f["ceiling_us_per_step"] == 27 and f["severity"] == "low", f
    return ev, check


@case
def allocator():
    ev = []
    for i in range(3):
        b = i * 1000
        ev += [S(i, b, 1000), L(b, 5, i * 10 + 1), K("k", b + 5, 400, i * 10 + 1), L(b + 450, 100, i * 10 + 4, "cudaFree"),
               L(b + 550, 40, i * 10 + 5, "cudaMalloc"), L(b + 600, 5, i * 10 + 3), K("k2", b + 605, 395, i * 10 + 3)]
    ev += [M(10, 500, 1, 500, 950), M(2990, -500, 1, 0, 950)]

    def check(r):
        assert {"A12", "D2", "D1", "D3"} <= set(findings(r)), findings(r)
        assert abs(findings(r)["A12"]["ceiling_us_per_step"] - 280 / 3) < 1e-9
        m = r["memory_peak"][0]
        assert m["peak_allocated_bytes"] == 500 and m["preexisting_bytes"] == 0 and abs(m["fragmentation_percent"] - 100 * 450 / 950) < 1e-9
        assert m["step_end_bytes"] == [500, 500, 0] and m["creep_bytes_per_step"] == -250
    return {"traceEvents": ev, "deviceProperties": PROPS}, check


@case
def memory_preexisting():
    """Tests blocks from before the recording, which are freed. Of two equal peaks, the first one is reported. At t = 10
    the operator 0..10 has ended."""
    ev = [X("cpu_op", "aten::mm", 0, 10), M(5, 100, 1, 1100, 2000), M(10, 50, 2, 1150, 2000), M(20, -50, 99, 1100, 2000), M(30, 50, 3, 1150, 2000)]

    def check(r):
        m = r["memory_peak"][0]
        assert (m["peak_allocated_bytes"], m["preexisting_bytes"], m["live_bytes"], m["live_blocks"]) == (1150, 1000, 150, 2), m
        assert m["live_by"]["op"] == [{"name": "aten::mm", "bytes": 100, "blocks": 1}, {"name": "", "bytes": 50, "blocks": 1}]
        assert m["peak_allocated_at_us"] == 10
    return ev, check


@case
def gemm_types():
    ev = [L(1, 2, 1), X("cpu_op", "aten::mm", 0, 10, **{"Input type": ["float", "float"], "Input Dims": [[8, 8], [8, 8]]}),
          K("ampere_sgemm_128x64", 5, 80, 1),
          L(21, 2, 2), X("cpu_op", "aten::mm", 20, 10, **{"Input type": ["c10::Half", "c10::Half"], "Input Dims": [[8, 9], [9, 8]]}),
          K("cutlass_tensorop_h16816", 85, 20, 2)]

    def check(r):
        f = findings(r)
        # the peak rates of the device are unknown, so C24 estimates that half precision saves three quarters
        assert f["C24"]["ceiling_us_per_step"] == 80 * 0.75 and "C1" not in f and "C2" not in f
        assert f["C3"]["ceiling_us_per_step"] is None and f["C3"]["share_of_step_percent"] == 2000 / 105
    return {"traceEvents": ev, "deviceProperties": PROPS, "record_shapes": 1}, check


@case
def backward_is_eligible():
    """Tests that C24 recognizes forward and backward by the kernels' names: (40 + 40) * 3/4. The addition is not matrix
    work."""
    ev = [X("cpu_op", "aten::cudnn_convolution", 0, 10), L(1, 2, 1), K("volta_scudnn_128x64", 10, 40, 1),
          X("cpu_op", "CudnnConvolutionBackward", 20, 10), L(21, 2, 2), K("volta_scudnn_128x64_dgrad", 50, 40, 2),
          X("cpu_op", "aten::add", 30, 10), L(31, 2, 3), K("vectorized_elementwise_kernel", 90, 20, 3)]

    def check(r):
        assert findings(r)["C24"]["ceiling_us_per_step"] == 60 and "C2" not in findings(r)
        assert r["overview"]["tensor_core_eligible_operator_kernel_time_ratio"] == 0.8
    return {"traceEvents": ev, "deviceProperties": [dict(PROPS[0], computeMajor=7)]}, check


@case
def pageable():
    """Tests a trace in which pinned copies of the same direction run at 10 GB/s, and pageable copies at 2 GB/s."""
    size = 1000000
    ev = [L(0, 1, 1, "cudaMemcpyAsync"), K("Memcpy HtoD (Pageable -> Device)", 0, 500, 1, cat="gpu_memcpy", bytes=size),
          L(1, 1, 2, "cudaMemcpyAsync"), K("Memcpy HtoD (Pinned -> Device)", 500, 100, 2, cat="gpu_memcpy", bytes=size), L(2, 1, 3), K("k", 600, 400, 3)]

    def check(r):
        assert findings(r)["B3"]["ceiling_us_per_step"] == 400 and findings(r)["B4"]["ceiling_us_per_step"] == 100
        assert r["verdict"]["class"] == "copy-bound" and r["verdict"]["percent"] == 60
    return ev, check


@case
def copies_by_arguments():
    """Tests traces of PyTorch's CUPTI backend, which describes copies by their arguments. A lane has the number of its
    original stream."""
    args = {"bytes": 1000, "copy kind": "HtoD", "src kind": "pageable", "dst kind": "device"}
    ev = [L(0, 1, 1, "cudaMemcpyAsync"), K("Memcpy", 0, 500, 1, cat="gpu_memcpy", **args), L(1, 1, 2, "cudaMemcpyAsync"),
          K("Memcpy", 500, 100, 2, cat="gpu_memcpy", **dict(args, **{"copy kind": 2, "src kind": 3, "dst kind": 2})), L(2, 1, 3, "cudaMemsetAsync"),
          K("Memset", 600, 50, 3, cat="gpu_memset", bytes=8, **{"memory kind": 3}), L(3, 1, 4), K("k", 650, 50, 4, stream=26000, original_stream=7),
          K("Memcpy", 700, 50, cat="gpu_memcpy", **{"copy kind": 0, "src kind": "pinned", "dst kind": "device"})]

    def check(r):
        rows = {c["name"]: c["total_bytes"] for c in r["kernel_view"]["copies_by_name"]}
        assert rows == {"Memcpy HtoD (Pageable -> Device)": 1000, "Memcpy DtoH (Device -> Pinned)": 1000, "Memset (Device)": 8, "Memcpy": None}, rows
        assert r["idle_view"][0]["streams"] == 1
    return ev, check


@case
def communication_by_structure():
    """Tests that kernels are communication by a process group, by a launch of the dispatcher, or by the name of a
    library. ATen's reduction and Inductor's copies are not."""
    ev = [X("cpu_op", "c10d::allreduce_", 200, 100), L(0, 1, 1), K("k1", 0, 100, 1, **{"Process Group Name": "0"}), L(210, 1, 2), K("k2", 210, 100, 2),
          L(400, 1, 3), K("void deep_ep::intranode::dispatch<8>", 400, 100, 3), L(220, 1, 4), K("void at::native::reduce_kernel<512, 1>", 600, 100, 4),
          L(700, 1, 5), K("triton_poi_fused_all_gather_into_tensor_wait_tensor_0", 700, 100, 5), L(800, 1, 6), K("softmax_warp_allreduce", 800, 100, 6)]

    def check(r):
        assert r["idle_view"][0]["communication_us"] == 300 and r["idle_view"][0]["compute_us"] == 300
    return ev, check


@case
def devices_by_process():
    """Tests traces of torch_npu, in which device work has no category, and waits are calls of a process named CANN."""
    process = lambda pid, key, value: {"ph": "M", "name": "process_" + key, "pid": pid, "tid": 0, "args": {"name" if key == "name" else key: value}}
    npu = lambda name, ts, dur, **args: {"ph": "X", "name": name, "pid": 3, "tid": 5, "ts": ts, "dur": dur, "args": args}
    ev = [process(3, "name", "Ascend Hardware"), process(3, "labels", "NPU"), process(2, "name", "CANN"), X("cpu_op", "aten::mm", 0, 100),
          npu("MatMulV2", 100, 400, **{"Task Type": "AI_CORE"}), npu("EVENT_WAIT", 500, 300), npu("MEMCPY_ASYNC", 800, 100),
          npu("hcom_allReduce__1_0", 900, 100, **{"Task Type": "COMMUNICATION"}),
          {"ph": "X", "name": "AscendCL@aclrtSynchronizeStream", "pid": 2, "tid": 2, "ts": 600, "dur": 300, "args": {}}]

    def check(r):
        assert r["idle_view"][0]["busy_us"] == 600 and r["idle_view"][0]["communication_us"] == 100 and r["idle_view"][0]["copy_us"] == 100
        assert r["sync_table"]["count"] == 1
    return ev, check


@case
def cpu_loop():
    """Tests a loop that takes 120..895 us, minus the cost of recording 78 operators. No other rule reports its small
    operators."""
    ev = [S(0, 0, 1000), S(1, 1000, 1000)]
    for i in range(40):
        ev += [X("cpu_op", "aten::select", 100 + 20 * i, 5), X("cpu_op", "aten::mul", 107 + 20 * i, 8)]

    def check(r):
        assert findings(r)["H2"]["ceiling_us_per_step"] == (895 - 120 - 78 * 0.3) / 2 and "H5" not in findings(r)
    return ev, check


@case
def optimizer_closure():
    """Tests an optimizer's step that contains forward and backward. The step's own part is 294 us. One pass over 15
    tensors takes 3/4 of this, and recording 7 operators costs 2.1 us."""
    ev = []
    for n in (0, 1):
        at = 2000 * n
        ev += [S(n, at, 2000), X("user_annotation", "Optimizer.step#Adam.step", at + 100, 1800),
               X("cpu_op", "aten::linear", at + 110, 490, **{"Sequence number": 7}),
               X("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", at + 600, 400, **{"Sequence number": 7}),
               X("cpu_op", "aten::_foreach_norm", at + 620, 20)]
        for i in range(15):
            ev += [X("cpu_op", "aten::mul_", at + 1100 + 20 * i, 4), X("cpu_op", "aten::addcdiv_", at + 1110 + 20 * i, 4)]

    def check(r):
        found = findings(r)["H3"]
        assert found["ceiling_us_per_step"] == 73.5 - 2.1 and found["detail"].startswith("An optimizer step makes 30 operator calls with 2 ")
    return ev, check


@case
def accumulation():
    """Tests two micro-steps in an optimizer step. The reductions of the first one are unnecessary: 2 of 4 spans, with
    200 us each that nothing hides."""
    node, ev = "autograd::engine::evaluate_function: ", []
    for n in range(4):
        at = 1000 * n
        ev += [S(n, at, 1000), X("user_annotation", "DistributedDataParallel.forward", at + 10, 200), X("cpu_op", "aten::mm", at + 50, 100),
               X("cpu_op", node + "MmBackward0", at + 300, 100), X("cpu_op", node + "torch::autograd::AccumulateGrad", at + 400, 20),
               dict(X("user_annotation", "gloo:all_reduce", at + 410, 210, **{"Input Dims": [[8]], "Input type": ["float"]}), tid=9)]
        if n % 2:
            ev += [X("user_annotation", "Optimizer.step#SGD.step", at + 700, 50), X("user_annotation", "Optimizer.zero_grad#SGD.zero_grad", at + 800, 9)]

    def check(r):
        found = findings(r)
        assert found["R5"]["detail"].startswith(
            "An optimizer step of 2 micro-steps takes 2.00 ms, a micro-step 1.00 ms, and one with the update ")
        assert found["E8"]["ceiling_us_per_step"] == 2 * 200 / 4 and found["E8"]["evidence_total"] == 2
        assert found["H8"]["ceiling_us_per_step"] == 2 * 200 / 4
    return ev, check


def in_wrapper(at):
    """Returns a step in which buffers are flattened, broadcast and copied back in 20..120. A gradient is copied into
    its bucket for 10 us."""
    return [S(at // 1000, at, 1000), X("user_annotation", "DistributedDataParallel.forward", at + 10, 400),
            X("cpu_op", "aten::flatten_dense_tensors", at + 20, 30), X("cpu_op", "aten::cat", at + 30, 10), X("cpu_op", "c10d::broadcast_", at + 60, 20),
            X("cpu_op", "aten::copy_", at + 100, 20), X("cpu_op", "aten::mm", at + 150, 100), X("cpu_op", "aten::copy_", at + 300, 20),
            X("cpu_op", "torch::distributed::reducer::mul_out", at + 500, 10), X("cpu_op", "c10d::allreduce_", at + 600, 15)]


@case
def buffers():
    """Tests a wrapper that takes 100 us of each step before the first operator of the model, minus the cost of
    recording 4 operators."""
    def check(r):
        found = findings(r)
        assert found["E10"]["ceiling_us_per_step"] == 100 - 4 * 0.3 and found["E10"]["detail"].startswith(
            "Rank 0 sends 1 broadcast per step before the forward passes.") and "E9" not in found
    return in_wrapper(0) + in_wrapper(1000), check


@case
def one_rank():
    """Tests a group of one rank. The finding also includes the copy and the call of the reduction, minus the cost of
    recording 13 operators in two steps."""
    def check(r):
        found = findings(r)
        assert found["E9"]["ceiling_us_per_step"] == 100 + 10 + 15 - 13 * 0.3 / 2 and "E10" not in found
    ev = in_wrapper(0) + in_wrapper(1000)
    ev.append(X("cpu_op", "record_param_comms", 605, 5, **{"Group size": 1, "Collective name": "allreduce"}))
    return ev, check


@case
def one_sample():
    """Tests weights of 512 x 1000 floats (2.048 MB), which each of three steps reads for 1 row. This work is all matrix
    work: 300 of 1000 us."""
    ev = [e for n in range(3) for e in (S(n, 1000 * n, 1000), X("cpu_op", "aten::linear", 1000 * n + 100, 300, **{
        "Input Dims": [[1, 512], [1000, 512], [1000]], "Input type": ["float"] * 3}))]

    def check(r):
        found = findings(r)["R6"]
        assert found["ceiling_us_per_step"] is None and found["severity"] == "low" and found["evidence_total"] == 3
        assert found["detail"] == (
            "Each of the 3 steps works on one sample at a time, such as aten::linear with an input of 1x512. "
            "Matrix products read 2.0 MB of weights per step.")
    return ev, check


@case
def open_frames():
    """Tests that C calls that were still open at the end of the recording end with their caller, and that later calls
    get their right caller."""
    ev = [F("a.py(1): run", 0, 1000), F("a.py(2): wrap", 100, 50), F("<built-in f>", 110, 890), X("cpu_op", "aten::mm", 120, 10),
          F("a.py(3): rest", 300, 200), X("cpu_op", "aten::add", 310, 10)]

    def check(r):
        stacks = r["operator_view"]["call_stacks_by_name"]
        assert stacks["aten::mm"][0]["call_stack"] == "<built-in f>;a.py(2): wrap;a.py(1): run", stacks
        assert stacks["aten::add"][0]["call_stack"] == "a.py(3): rest;a.py(1): run"
        assert r["trace_quality"]["badly_nested_host_events"] == 0
    return ev, check


@case
def impossible_operation():
    """Tests a kernel that starts at 10 us and lasts 3,000,000 us, although a later kernel of the stream ends at 40. The
    kernel is shortened to end at 30, where the next one begins. The kernel on stream 8 is unchanged."""
    ev = [L(0, 1, 1), L(2, 1, 2), L(4, 1, 3), L(6, 1, 4), K("long", 10, 3000000, 1), K("next", 30, 10, 2), K("next", 60, 10, 3),
          K("other", 20, 300, 4, stream=8)]

    def check(r):
        rows = {row["name"]: row["total_us"] for row in r["kernel_view"]["by_name"]}
        assert rows == {"long": 20, "next": 20, "other": 300}, rows
        assert r["idle_view"][0]["window_us"] == 320
    return ev, check


@case
def early_calls():
    """Tests that a launch may begin up to 5 us before the operator with its External id. At 300 two operators have the
    id, and at 400 the distance is too large."""
    def op(ts, dur, external, name="aten::mm"):
        return X("cpu_op", name, ts, dur, **{"External id": external})

    def call(ts, dur, external, corr):
        return X("cuda_runtime", "cudaLaunchKernel", ts, dur, correlation=corr, **{"External id": external})

    ev = [op(100, 50, 1), call(99.8, 10, 1, 11), K("k", 120, 7, 11),
          op(190, 90, 2, "aten::linear"), op(200, 50, 3), call(195, 10, 3, 12), K("k", 220, 11, 12),
          op(300, 50, 4), op(301, 20, 4), call(298, 10, 4, 13), K("k", 320, 13, 13),
          op(400, 50, 5), call(394.999, 10, 5, 14), K("k", 420, 17, 14)]

    def check(r):
        rows = {row["name"]: row for row in r["operator_view"]["by_name"]}
        assert rows["aten::mm"]["device_self_time_us"] == 18, rows
        # 100..150 without 100..109.8; 200..250 without 200..205; 300..350, into which 301..321 was folded; 400..450
        assert rows["aten::mm"]["host_self_time_us"] == 40.2 + 45 + 50 + 50
        assert rows["aten::linear"]["device_self_time_us"] == 0 and rows["aten::linear"]["host_self_time_us"] == 40
        assert r["operator_view"]["unlinked"] == {"device_events": 2, "device_time_us": 30, "kernel_time_us": 30, "launches_outside_operators": 2}
    return ev, check


@case
def late_calls():
    """Tests that a launch may begin up to 5 us after the end of the operator with its External id. The launch of a graph
    does not belong to an operator that has ended. An operator that does not enclose the named one keeps its call, an id
    of two operators names none, and the id of the operation counts if the call has none."""
    def op(ts, dur, external, name="aten::mm"):
        return X("cpu_op", name, ts, dur, **{"External id": external})

    def call(ts, corr, name="cudaLaunchKernel", **args):
        return X("cuda_runtime", name, ts, 1, correlation=corr, **args)

    ev = [op(100, 50, 1), call(155, 11, **{"External id": 1}), K("k", 160, 1, 11),
          op(200, 50, 2), call(255.001, 12, **{"External id": 2}), K("k", 260, 2, 12),
          op(300, 50, 3), call(352, 13, "cudaGraphLaunch", **{"External id": 3}), K("k", 360, 4, 13),
          op(400, 3, 4, "aten::relu"), op(405, 5, 5), call(402, 14, **{"External id": 5}), K("k", 420, 8, 14),
          op(500, 10, 6), op(600, 10, 6), call(511, 15, **{"External id": 6}), K("k", 520, 16, 15),
          op(700, 10, 7), call(711, 16), K("k", 720, 32, 16, **{"External id": 7})]

    def check(r):
        rows = {row["name"]: row["device_self_time_us"] for row in r["operator_view"]["by_name"]}
        assert rows == {"aten::mm": 1 + 32, "aten::relu": 8}, rows
        assert r["operator_view"]["unlinked"]["device_time_us"] == 2 + 4 + 16
    return ev, check


# ------------------------------------------------------------------------------------------------------------------- reading
@case
def second_copies():
    """Tests a dispatch mode that receives aten::mm and calls it again, which is one call. With other shapes, or another
    operator, it is two calls."""
    ops = [X("cpu_op", "aten::mm", 0, 100, **{"Input Dims": [[2, 2], [2, 2]]}), X("cpu_op", "PythonDispatchMode", 10, 80),
           X("cpu_op", "aten::mm", 20, 30, **{"Input Dims": [[2, 2], [2, 2]]}),
           X("cpu_op", "aten::mm", 60, 20, **{"Input Dims": [[4, 4], [4, 4]]}),
           X("cpu_op", "aten::add", 200, 50), X("cpu_op", "PythonSubclass", 210, 30), X("cpu_op", "aten::mul", 220, 10)]

    def check(r):
        rows = {row["name"]: (row["calls"], row["host_self_time_us"]) for row in r["operator_view"]["by_name"]}
        assert rows == {"aten::mm": (2, 70), "PythonDispatchMode": (1, 30), "aten::add": (1, 20), "PythonSubclass": (1, 20),
                        "aten::mul": (1, 10)}, rows
    return ops, check


@case
def reading():
    """Tests that each element has either a kind or a reason to be skipped. An event without a name is an event."""
    ev = [5, {"ph": "X", "cat": "kernel", "ts": 1, "dur": 1}, {"ph": "X", "cat": "kernel", "name": "k", "dur": 1},
          {"ph": "X", "cat": "zzz", "name": "k", "ts": 1, "dur": 1}, {"ph": "M", "name": "process_name"},
          {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": "1.5", "dur": "2.0007", "args": {}},
          {"ph": "X", "cat": "cpu_op", "name": "neg", "pid": 1, "tid": "2", "ts": 3, "dur": -4}]

    def check(r):
        q = r["trace_quality"]
        assert q["skipped"] == {"no_time": 1, "not_an_object": 1, "phase_M": 1, "unknown_category": 1}, q["skipped"]
        assert q["read"] == {"kernel": 2, "operator": 1} and q["events_with_negative_dur"] == 1
        assert next(d for d in r["idle_view"] if d["device"] == 1)["busy_us"] == 2
    return ev, check


@case
def numbers_of_devices():
    """Tests that arguments, labels and small pids give the numbers of devices. The other processes get free numbers, in
    the order of their operations."""
    def kernel(ts, pid, **args):
        return dict(X("kernel", "k", ts, 5, 7, **args), pid=pid)

    def process(pid, key, value):
        return {"ph": "M", "name": "process_" + key, "pid": pid, "tid": 0, "args": {key: value}}

    ev = [process(41234, "name", "queue"), process(3, "labels", "NPU"), process(4, "sort_index", 5000004), process(5, "sort_index", 5),
          kernel(10, 41234), kernel(20, 3), kernel(30, 4), kernel(40, 5), kernel(50, 6, device=0), kernel(60, 6), kernel(70, "cuda:8")]

    def check(r):
        found = [(d["device"], d["device_title"], d["operations"]) for d in r["idle_view"]]
        assert found == [(0, "GPU 0", 2), (1, "queue", 1), (2, "GPU 2", 1), (3, "NPU 3", 1), (4, "GPU 4", 1), (8, "GPU 8", 1)], found
        assert r["overview"]["device_type"] == "Device"
    return ev, check


@case
def empty():
    def check(r):
        assert r["recommendations"]["program"] == "empty" and r["idle_view"] == [] and not findings(r) and r["verdict"]["class"] == "empty"
    return [], check


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    for name, f in CASES.items():
        trace, check = f()
        path = os.path.join(folder, name + ".pt.trace.json")
        with open(path, "w") as h:
            json.dump(trace if isinstance(trace, dict) else {"traceEvents": trace}, h, indent=0)
        out = []
        write_json(document([path]), out)
        profile = json.loads("".join(out))["runs"][0]["profiles"][0]
        try:
            check(profile)
        except AssertionError:
            print("case", name)
            raise
        if len(sys.argv) > 1:
            with open(os.path.join(folder, name + ".expected.json"), "w") as h:
                h.write("".join(out) + "\n")
    print("%d cases hold" % len(CASES))


if __name__ == "__main__":
    main()
