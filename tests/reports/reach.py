#!/usr/bin/env python3
"""reach.py KIND FOLDER: writes a file of another tool into FOLDER, exactly as that tool writes it. Equal calls write
equal bytes."""
import gzip
import io
import json
import os
import pickle
import sys
import tarfile


def x(name, ts, dur=50, **more):
    return dict({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur}, **more)


def torch_trace(first=0):
    return {"schemaVersion": 1, "deviceProperties": [], "traceEvents":
            [x("aten::mm", first + i * 100, cat="cpu_op", args={}) for i in range(20)]}


def metadata(pid, name):
    return {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}}


def message(field, body):
    assert len(body) < 128
    return bytes([field << 3 | 2, len(body)]) + body


DOCUMENTS = {
    "onnx_without_kernels": [x("model_loading_uri", 0, cat="Session", args={}), x("Conv_kernel_time", 60, cat="Node", args={})],
    "onnx_object": {"traceEvents": [x("Gemm_kernel_time", 0, cat="Node", args={"op_name": "Gemm"}), x("k", 5, cat="Kernel", args={"stream": "7"})]},
    "onnx_sessions": [x("SequentialExecutor::Execute", i * 100, cat="Session", args={}) for i in range(40)],
    "jax_tpu": {"traceEvents": [metadata(3, "/device:TPU:0"), x("fusion.1", 0, args={"hlo_op": "fusion.1"})]},
    "tensorflow": {"traceEvents": [metadata(7, "/host:CPU"), x("MatMul", 0), {}]},
    "jax_with_category": {"traceEvents": [metadata(1, "/device:GPU:3"), x("loop_fusion", 0, cat="xla")]},
    "viztracer_metadata": {"viztracer_metadata": {"version": "0.16.3"}, "traceEvents": [x("f (/a.py:1)", 0, cat="python")]
                           and [x("f (/a.py:1)", 0, cat="NATIVE")]},
    "viztracer_fee": {"traceEvents": [x("main (/app.py:3)", 0, cat="FEE")]},
    "viztracer_counters": {"viztracer_metadata": {}, "traceEvents": [{"ph": "C", "name": "memory", "pid": 1, "ts": 1, "args": {"rss": 5}}]},
    "devtools": [x("RunTask", 0, cat="disabled-by-default-devtools.timeline", args={})],
    "devtools_object": {"metadata": {"source": "DevTools"}, "traceEvents": [x("FunctionCall", 0, cat="devtools.timeline")]},
    "devtools_frames": {"traceEvents": [x("ThreadPool", 0, cat="toplevel")]},
    "tlparse_chromium": [dict(x("_compile.compile_inner", t, cat="dynamo_timed"), ph=p) for t, p in ((0, "B"), (50, "E"))],
    "autograd_1_7_cpu": [dict(x("mul", i * 100), pid="CPU functions", args={}) for i in range(4)],
    "autograd_1_7_cuda": [dict(x("mul", 0), pid="CUDA functions", args={}), {"ph": "s", "cat": "cpu_to_cuda", "id": 1, "ts": 0, "pid": "CPU functions", "tid": 1, "name": "mul"}],
    "rpd2tracing": {"traceEvents": [metadata(0, "GPU0"), x("gemm", 0, args={"desc": ""})]},
    "plain_events": {"traceEvents": [x("job", i * 100) for i in range(30)]},
    "plain_category": {"traceEvents": [x("job", i * 100, cat="renderer") for i in range(30)]},
    "plain_pairs": {"traceEvents": [dict(x("job", i * 10), ph="BE"[i % 2]) for i in range(30)]},
    "chakra_schema": {"schema": "1.0.2-chakra.0.0.4", "pid": 9, "nodes": [{"id": 2, "name": "aten::mm", "ctrl_deps": 1}]},
    "chakra_pretty": {"schema": "1.1.1-chakra.0.0.4", "time": "x", "nodes": []},
    "chakra_old": {"nodes": [{"id": 1, "name": "[pytorch|profiler|execution_graph|thread]"}], "schema": "1.0.1"},
    "speedscope_evented": {"shared": {"frames": [{"name": "main"}]}, "profiles": [{"type": "evented", "events": []}]},
    "speedscope_exporter": {"exporter": "speedscope@1.20", "$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": []},
    "firefox": {"meta": {"interval": 1, "processType": 0}, "libs": [], "threads": []},
    "cpuprofile": {"nodes": [], "startTime": 1, "endTime": 2, "samples": [1], "timeDeltas": [1]},
    "proton": [{"children": [], "frame": {"name": "ROOT", "type": "function"}, "metrics": {"time (ns)": 5}}],
    "timeline": [[1, 2, 3], [[5, 6], [7, 8]]],
    "timeline_raw": [[1, 0, [1, 0], 512, 3], [2, 1, [1, 0], 512, 3]],
    "flight_json": {"version": "2.4", "pg_config": {"0": {}}, "entries": [{"record_id": 0, "profiling_name": "nccl:all_reduce"}]},
    "report_json": {"schema": "tracepress-views", "schema_version": 2, "runs": []},
    "notebook": {"cells": [], "nbformat": 4},
}
BYTES = {
    "perfetto": message(1, b"\x40\x05\x5a\x04\x08\x01\x10\x02") * 3,
    "perfetto_compressed": message(1, b"\x92\x03\x04abcd"),
    "perfetto_gz": gzip.compress(message(1, b"\x50\x01\x5a\x02\x08\x01") * 2, mtime=0),
    "perfetto_long": message(1, b"\x5a" + b"\x59" + b"\x08\x01" + b"\x52\x55" + b"x" * 85),
    "xplane_device": message(1, b"\x08\x03" + message(2, b"/device:GPU:0 (NVIDIA H100)")),
    "xplane_host": message(1, b"\x08\x01" + message(2, b"/host:CPU")),
    "xplane_environment": message(1, message(2, b"Task Environment")),
    "pprof": gzip.compress(message(1, b"\x08\x01\x10\x02") + message(1, b"\x08\x03\x10\x04") + message(2, b"\x0a\x01\x01"), mtime=0),
    "pprof_plain": message(1, b"\x08\x01\x10\x02") + message(2, b"\x0a\x01\x01"),
    "perf_data": b"PERFILE2" + bytes(96),
    "perf_text": b"python 4242 1234.567890:     250000 cycles:u: \n\tffff main+0x10 (/bin/python)\n\n",
    "perf_text_cpu": b"a.out   77 [003]  99.000001: cpu-clock:\n\t40 f (/a.out)\n",
    "perf_text_head": b"# ========\n# captured on    : Tue Feb  3 10:00:00 2026\n# header version : 1\n",
    "perf_text_flat": b"           sleep 18443 35651.260727:     250000 cpu-clock:ppp:      7f3f91ce462a main+0xa (/bin/sleep)\n",
    "perf_text_ns": b"node  12/14   35651.260727123:   250000 task-clock: \n\t40 f (/a.out)\n",
    "perf_text_point": b"sh 7 [001] 35.260727: sched:sched_switch: prev_comm=sh prev_pid=7\n",
    "torch_log": b'V0401 12:00:00.000000 123 torch/_logging/structured.py:22] {"str": ["/a.py", 0]}\n',
    "folded": b"main;train;forward 120\nmain;train;backward 240\n",
    "folded_python": b"<module> (w.py:3) 2\n<module> (w.py:3);dumps (json/__init__.py:231) 4\n",
    "folded_flat_first": b"main 3\nmain 4\nmain;std::sort<int*> 12\n",
    "folded_blanks": b"java;java/util/Map:.get_[j];[unknown] 7\n",
    "html": b"<!DOCTYPE html>\n<html><head></head><body>{}</body></html>\n",
    "html_bare": b"\n<html lang=en><script>var traceEvents=[]</script>",
    "html_upper": b"<HTML><BODY></BODY></HTML>",
    "svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>',
    "ncu": b"NVR\x00" + bytes(60),
    "nsys": b"NVIDIA Tegra Profiler Report\x00" + bytes(40),
    "pstats": b"{(\x03\x00\x00\x00" + bytes(20),
    "pstats_ref": b"\xfb)\x03\xfa9/lib/python3.11/json/encoder.py" + bytes(20),
    "pstats_ref_pair": b"\xfb\xa9\x03\xda\x01~" + bytes(20),
    "pstats_old": b"{\xa8\x03\x00\x00\x00" + bytes(20),
    "flight": pickle.dumps({"version": "2.4", "pg_config": {"0": {"name": "0"}}, "entries": []}, protocol=2),
    "snapshot": pickle.dumps({"segments": [], "device_traces": [[]]}, protocol=4),
    "other_pickle": pickle.dumps([1, 2, 3], protocol=4),
}


def main(kind, folder):
    def put(name, data):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)

    trace = json.dumps(torch_trace()).encode()
    if kind in DOCUMENTS:
        put("file.json", json.dumps(DOCUMENTS[kind]).encode())
    elif kind in BYTES:
        put("file.json", BYTES[kind])
    elif kind in ("tar", "tar_gz", "tar_json_name"):
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            info = tarfile.TarInfo("trace.json")
            info.size = len(trace)
            tar.addfile(info, io.BytesIO(trace))
        put("file.json", gzip.compress(raw.getvalue(), mtime=0) if kind == "tar_gz" else raw.getvalue())
    elif kind in ("gzip_twice", "gzip_twice_named"):
        put("file.json", gzip.compress(gzip.compress(trace, mtime=0), mtime=0))
    elif kind == "two_names":
        put("a.pt.trace.json", trace)
        put("trace.json", json.dumps(torch_trace(5)).encode())
    elif kind == "three_names":
        put("a.pt.trace.json", trace)
        for name in ("rank0.json", "rank1.json"):
            put(name, json.dumps(torch_trace(5)).encode())
        put("notes.json", b'{"a": 1}')
    elif kind == "one_name":
        put("a.pt.trace.json", trace)
        put("report.json", json.dumps(DOCUMENTS["report_json"]).encode())
    elif kind == "gz_name":
        put("a.pt.trace.json", trace)
        put("other.json.gz", gzip.compress(trace, mtime=0))
    else:
        sys.exit("no kind " + kind)


if __name__ == "__main__":
    main(*sys.argv[1:])
