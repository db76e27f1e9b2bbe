"""check_serving.py TRACEPRESS COSTS WORK [TRACE..]: compares steps and classes of serving engines in `report --json`
with serve_ref.py.

Without TRACE, uses 100 generated traces (environment variables SEED and MADE)."""
import json
import os
import random
import subprocess
import sys

tracepress, costs, work = sys.argv[1:4]
sys.path.insert(0, costs)
import serve_ref  # noqa: E402

NUMBERS = ("requests", "prefill_requests", "decode_requests", "tokens", "prefill_tokens", "decode_tokens")


def mark(rng):
    n, m, t = rng.randint(1, 70), rng.randint(0, 40), rng.randint(1, 5000)
    return rng.choice((
        f"execute_context_{m}({m and t})_generation_{n}({n})", f"execute_context_{n}({t})_generation_0(0)",
        f"execute_new_{m}_cached_{n}", f"step[DECODE bs={n}]", f"step[EXTEND bs={n} toks={t}]", f"step[MIXED bs={n} toks={t} x]",
        f"[Executor] _forward_step {t}: {m} ctx reqs, {t} ctx tokens, {n} gen reqs", f"execute_diffusion_{n}_64x64",
        f"execute_{t}_context_0(sq0sk0sqsq0sqsk0)_generation_{n}(sq{n}sk{t}sqsq{n}sqsk{t})"))


def made(seed):
    """Returns a trace of steps that launch kernels and graphs, with gaps between the steps. Some steps contain another
    range, and some have no device work."""
    rng = random.Random(seed)
    events, now, free, ident = [], 0, [0, 0], 0

    def host(cat, name, ts, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args})

    for _ in range(rng.randint(2, 14)):
        length = rng.randint(40, 900)
        host("user_annotation", mark(rng), now, length)
        if rng.random() < 0.4:
            host("user_annotation", mark(rng), now + 1, length - 2)
        at = now + 3
        while at < now + length - 8 and rng.random() < 0.9:
            ident += 1
            is_graph = rng.random() < 0.3
            host("cuda_runtime", "cudaGraphLaunch" if is_graph else "cudaLaunchKernel", at, 3, correlation=ident)
            stream = rng.randint(0, 1)
            for _ in range(rng.randint(1, 5) if is_graph else 1):
                free[stream] = max(free[stream], at + 5) + rng.randint(0, 9)
                dur = rng.randint(1, 200)
                events.append({"ph": "X", "cat": "kernel", "name": rng.choice(("gemm", "flash_fwd_kernel", "softmax", "vectorized_elementwise_kernel")),
                               "pid": 0, "tid": 7 + stream, "ts": free[stream], "dur": dur,
                               "args": {"device": 0, "stream": 7 + stream, "correlation": ident}})
                free[stream] += dur
            at += rng.randint(6, 120)
        now += length + rng.randint(0, 300)
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": events}


def same(name, ours, theirs, near=1e-6):
    if ours is None or theirs is None:
        assert ours is None and theirs is None, (name, ours, theirs)
    else:
        assert abs(ours - theirs) <= near, (name, ours, theirs)


def compare(trace, json_file):
    ours = next((p["serving"] for r in json.load(open(json_file))["runs"] for p in r["profiles"] if "serving" in p), None)
    theirs = serve_ref.run(trace)
    if not theirs["steps"]:
        assert ours is None, "steps where none exist"
        return 0
    assert ours and len(ours["steps"]) == len(theirs["steps"]), "number of steps"
    for a, b in zip(ours["steps"], theirs["steps"]):
        assert a["phase"] == {"target_verify": "verify", "draft_extend": "draft"}.get(b["phase"], b["phase"]), (a["name"], b["phase"])
        if b["phase"] not in ("capture", "diffusion"):
            for key in NUMBERS:
                same(key + " of " + a["name"], a[key], b.get(key))
        same("host", a["host_us"] / 1e3, b["host_ms"])
        same("operations", a["operations"], b["ops"])
        if b["ops"]:
            for key, ref in (("span_us", "device_span_ms"), ("busy_us", "busy_ms"), ("queued_us", "queue_wait_ms")):
                same(key, a[key] / 1e3, b[ref])
            same("outside", a["outside_us"] / 1e3, b["outside_ms"], 5.1e-4)
            same("step", a["step_us"] / 1e3, b["step_ms"], 6e-4)
            same("graphs", a["graph_launches"], b["graph_launches"])
            same("graph operations", a["graph_operations"], b["graph_ops"])
            if "tokens_per_s" in b:
                same("rate", a["tokens_per_s"], b["tokens_per_s"], 1 + 2e-5 * b["tokens_per_s"])
    # classes with an unknown batch size are not compared
    named = {k: v for k, v in theirs["classes"].items() if not k.endswith(".b0")}
    classes = {c["class"].replace(".bs", ".b").replace(".tok", ".b"): c for c in ours["classes"]}
    for key, b in named.items():
        a = classes[key.replace("target_verify", "verify").replace("draft_extend", "draft")] if not key.startswith("diffusion") else None
        if a and a["steps"] == b["n"]:
            same("p50 of " + key, a["p50_us"] / 1e3, b["p50_ms"], 1.1e-3)
            same("p90 of " + key, a["p90_us"] / 1e3, b["p90_ms"], 1.1e-3)
        elif a:
            raise AssertionError((key, a["steps"], b["n"]))
    for a, gap in zip(ours["steps"], theirs["host_gaps_ms"]):
        same("gap", a["host_gap_us"] / 1e3, gap, 6e-4)
    return len(theirs["steps"])


traces, steps = sys.argv[4:], 0
first = int(os.environ.get("SEED", "1"))
for seed in range(first, first + (0 if traces else int(os.environ.get("MADE", "100")))):
    path = os.path.join(work, "made%d.pt.trace.json" % seed)
    json.dump(made(seed), open(path, "w"))
    traces.append(path)
for trace in traces:
    out = os.path.join(work, "serving.json")
    subprocess.run([tracepress, "report", trace, "-q", "-o", out + ".html", "--json", out], check=True, stderr=subprocess.DEVNULL)
    try:
        steps += compare(trace, out)
    except AssertionError as error:
        sys.exit("%s: %s" % (trace, error))
print("%d traces, %d steps" % (len(traces), steps))
