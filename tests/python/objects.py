"""Compares the objects of torch_tracepress with the program's own JSON. Needs only Python, without torch and pandas."""

import copy
import glob
import html
import json
import os
import pickle
import re
import subprocess
import sys
import threading

from cases import DATA, PROGRAM, TRACES, case, run_all, trace
from tab_shared import write_snapshot

import torch_tracepress as tracepress

HOSTILE = [
    "a b",
    'it\'s "quoted"',
    "new\nline",
    "</iframe><script>alert(1)</script>",
    "\u202egnp.exe",
    "-o",
    "--help",
    "$(touch gone)`x`;&|",
    "{curly}%s%n",
]


def said(*words, codes=(0,)):
    done = subprocess.run([PROGRAM, *words], capture_output=True)
    assert done.returncode in codes, (words, done)
    return done.stdout


def flat(row, before=""):
    """Returns the expected members of a row. Members of objects become columns, and lists of objects are omitted."""
    out = {}
    for name, value in row.items():
        if isinstance(value, dict):
            out.update(flat(value, before + name + "."))
        elif not (isinstance(value, list) and value and isinstance(value[0], dict)):
            out[before + name] = value
    return out


KEYED = (
    "call_stacks_by_name",
    "call_stacks_by_name_and_input_shape",
    "events",
    "operator_stats",
    "operator_stats_folded",
    "curve_points_up_to_10240",
    "communication_ops_by_worker",
    "live_by",
)  # objects in which names of members are data
BY_STEP = ("overlap_by_step_and_worker", "wait_by_step_and_worker")


def lists(value, place=(), keyed=0):
    """Returns (place, rows) for every list of objects, and for every list of lists, in a JSON value. In a place, *
    replaces names that are data."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from lists(
                below,
                place + ("*" if keyed else name,),
                keyed - 1 if keyed else (2 if name in BY_STEP else name in KEYED),
            )
    elif isinstance(value, list) and place and place[-2:-1] == ("*",) and place[-3:-2] and place[-3] in BY_STEP:
        yield place, [value]
    elif isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        if place[-1:] != ("children",):
            yield place, value
        for below in value:
            if isinstance(below, dict):
                yield from lists({k: v for k, v in below.items() if k != "children"}, place)


TABLE_OF = {
    "recommendations.findings": "findings",
    "recommendations.findings.evidence": "findings_evidence",
    "recommendations.rules_not_evaluated": "rules_not_evaluated",
    "trace_quality.flags": "quality_flags",
    "overview.steps": "steps",
    "overview.gpu_summary": "gpus",
    "overview.communication_overlap": "communication_overlap",
    "verdict.steps_left_out": "steps_left_out",
    "operator_view.by_name": "operators",
    "operator_view.by_name_and_input_shape": "operators_by_shape",
    "operator_view.call_stacks_by_name.*": "operator_stacks",
    "operator_view.call_stacks_by_name_and_input_shape.*": "operator_stacks_by_shape",
    "kernel_view.by_name": "kernels",
    "kernel_view.by_name_properties_and_operator": "kernels_by_operator",
    "kernel_view.durations": "kernel_durations",
    "kernel_view.copies_by_name": "copies",
    "stream_view.streams": "streams",
    "stream_view.launch_delays": "launch_delays",
    "stream_view.launch_delay_decades": "launch_delay_decades",
    "work_view.devices": "work",
    "work_view.operators": "work_of_operators",
    "serving.steps": "serving_steps",
    "serving.classes": "serving_classes",
    "serving.operators": "serving_operators",
    "capture_view.captures": "captures",
    "capture_view.graph_launches": "graph_launches",
    "capture_view.operators": "captured_operators",
    "what_if_view.critical.rows": "critical_path",
    "what_if_view.what_if": "what_if",
    "module_view": "modules",
    "ranges": "ranges",
    "counter_view.counters": "counters",
    "counter_view.steps": "counter_steps",
    "idle_view": "idle",
    "idle_view.steps": "idle_steps",
    "idle_view.idle_by_line": "idle_lines",
    "idle_view.idle_flame.frames": "idle_frames",
    "idle_view.idle_flame.nodes": "idle_nodes",
    "time_trees": "time_devices",
    "sync_table.rows": "syncs",
    "memory_view.device_information": "memory",
    "memory_view.curve_points_up_to_10240.*": "memory_curve",
    "memory_view.events.*": "memory_events",
    "memory_view.operator_stats.*": "memory_operators",
    "memory_view.operator_stats_folded.*": "memory_operators_folded",
    "memory_peak": "memory_peaks",
    "memory_peak.live_by.*": "memory_live",
    "communication_ops_by_worker.*": "communication_ops",
    "overlap_by_step_and_worker.*.*": "worker_overlap",
    "wait_by_step_and_worker.*.*": "worker_waits",
}


def modules(nodes):
    for node in nodes:
        yield node
        yield from modules(node.get("children", ()))


def expected(profile, out):
    for place, rows in lists(profile):
        name = TABLE_OF[".".join(place)]  # a KeyError here means that no table contains a list of the JSON
        if name:
            out.setdefault(name, []).extend(modules(rows) if name == "modules" else rows)
        if name == "time_devices":
            out.setdefault("time", []).extend(modules([row["tree"] for row in rows]))


def same_tables(result, numbers):
    wanted = {}
    for run in numbers["runs"]:
        for profile in run["profiles"]:
            expected(profile, wanted)
        for view in run["distributed"]:
            expected(view, wanted)
    for name in result.tables:
        seen, rows = result.tables.rows(name), wanted.get(name, [])
        assert len(seen) == len(rows), (name, len(seen), len(rows))
        for row, source in zip(seen, rows):
            if isinstance(source, list):
                assert list(row.values())[-len(source) :] == source, (name, row, source)
                continue
            source = flat(source)
            source.pop("children", None)
            assert {k: row[k] for k in source} == source, (name, row, source)
    return set(wanted)


@case("report: every list of --json of all bundled traces is a table, with the same values")
def _(folder):
    made = os.path.join(folder, "serving")  # kernels of graphs, with the calls that captured them
    subprocess.run([sys.executable, os.path.join(DATA, "../reports/graphs.py"), "serving", made], check=True)
    counted = os.path.join(folder, "counted")  # counters of devices
    os.mkdir(counted)
    subprocess.run([sys.executable, os.path.join(DATA, "../reports/unknown.py"), "clock_limited_by_power", counted], check=True)
    inputs = [os.path.join(DATA, "ddp"), os.path.join(DATA, "run"), made, counted, *sorted(glob.glob(os.path.join(TRACES, "*.gz")))]
    if os.environ.get("FEW"):  # FEW is set if another Python has tested all traces
        inputs = [path for path in inputs if path.endswith("ddp") or "gpu_2024" in path or "mlp_train" in path]
    seen = set()
    for path in inputs:
        result = tracepress.report(path)
        numbers = json.loads(said("report", path, "--json", "-", "--quiet"))
        assert result.json == numbers, path
        seen |= same_tables(result, numbers)
    names = {name for name in TABLE_OF.values() if name} | {"time"}
    assert set(tracepress.report(inputs[0]).tables) == names and seen <= names, seen
    assert seen == names or os.environ.get("FEW"), names - seen


@case("report: page and digest are the program's bytes, save() writes them, and no file is left")
def _(folder):
    os.environ["TMPDIR"] = folder
    path, page, digest = trace("gpu_2024"), os.path.join(folder, "p.html"), os.path.join(folder, "d.md")
    said("report", path, "-o", page, "--markdown", digest, "--quiet")
    result = tracepress.report(path)
    with open(page, encoding="utf-8", newline="") as p, open(digest, encoding="utf-8", newline="") as d:
        assert result.html == p.read() and result.markdown == str(result) == d.read()
    out = result.save(os.path.join(folder, "saved.html"))
    with open(out, "rb") as a, open(page, "rb") as b:
        assert a.read() == b.read()
    assert os.stat(out).st_mode == os.stat(page).st_mode
    assert sorted(os.listdir(folder)) == ["d.md", "p.html", "saved.html"], os.listdir(folder)
    for wrong in (os.path.join(folder, "none", "x.html"), folder):
        try:
            result.save(wrong)
        except OSError:
            continue
        raise AssertionError(wrong)
    assert sorted(os.listdir(folder)) == ["d.md", "p.html", "saved.html"], os.listdir(folder)


@case("report: verdict, headline, step and findings are those of --json; several traces; one that cannot be read")
def _(folder):
    result = tracepress.report(trace("gpu_2024"))
    numbers = result.json["runs"][0]["profiles"][0]
    assert (result.verdict, result.headline) == (numbers["verdict"]["class"], numbers["answer"]["headline"])
    assert result.profiles[0].step_us == numbers["verdict"]["step_us"] and result.profiles[0].damage == ""
    rows = numbers["recommendations"]["findings"]
    assert len(rows) == len(result.findings) > 3
    for finding, row in zip(result.findings, rows):
        assert {k: getattr(finding, k) for k in row if k not in ("evidence", "weakened_by", "replay")} == {
            k: v for k, v in row.items() if k not in ("evidence", "weakened_by", "replay")
        }
        assert (finding.replay and vars(finding.replay)) == row.get("replay")
        assert (
            list(finding.weakened_by) == row["weakened_by"] and [vars(e) for e in finding.evidence] == row["evidence"]
        )
    assert any(finding.replay for finding in result.findings)
    assert any(result.headline in line for line in result.messages) and result.exit_code == 0
    assert "compute-bound" in repr(result)
    broken = os.path.join(folder, "broken.pt.trace.json")
    with open(broken, "w") as file:
        file.write('{"traceEvents":[]}')
    both = tracepress.report(broken, trace("gpu_2024"))
    assert [bool(p.error) for p in both.profiles] == [True, False] and both.verdict == result.verdict
    with open(trace("gpu_2024"), "rb") as file:
        with open(os.path.join(folder, "cut.json.gz"), "wb") as cut:
            cut.write(file.read(3000))
    assert tracepress.report(os.path.join(folder, "cut.json.gz")).profiles[0].damage
    clone = pickle.loads(pickle.dumps(copy.deepcopy(result)))
    assert clone.json == result.json and clone.tables.rows("operators") == result.tables.rows("operators")


@case("job_report: tables of --json of summaries; report says where they go")
def _(folder):
    summary = os.path.join(folder, "job.tps")
    said("summarize", os.path.join(DATA, "ddp"), "-o", summary, "--quiet")
    result = tracepress.job_report(summary)
    assert result.json == json.loads(said("report", summary, "--json", "-", "--quiet"))
    job = result.json["jobs"][0]
    for name, value in job.items():
        if isinstance(value, list):
            rows = result.tables.rows(name)
            assert [{k: row[k] for k in flat(source)} for row, source in zip(rows, value)] == [
                flat(v) for v in value
            ] and len(rows) == len(value)
    assert result.tables.rows("ranks") and result.tables.rows("communication_ops") and "<html" in result.html
    for function, path in ((tracepress.report, summary), (tracepress.job_report, trace("gpu_2024"))):
        try:
            function(path)
        except TypeError as error:
            assert "report()" in str(error)
        else:
            raise AssertionError(function)


@case("diff: the values of --json, exit codes 0, 1 and 6 are results")
def _(folder):
    a, b = trace("gpu_2024"), trace("gpu_2026")
    result = tracepress.diff(a, b)
    assert result.json == json.loads(said("diff", a, b, "--json", "-", "--quiet"))
    assert (result.verdict, result.exit_code, result.damage) == ("neutral", 0, "") and result.summary in repr(result)
    for name, value in result.json.items():
        if isinstance(value, list):
            assert result.tables.rows(name) == [flat(row) for row in value], name
    assert result.tables.rows("call_tree") == result.json["call_tree"]["calls"] and "<html" in result.html
    with open(a, "rb") as file:
        with open(os.path.join(folder, "cut.pt.trace.json.gz"), "wb") as cut:
            cut.write(file.read(12000))
    damaged = tracepress.diff(a, os.path.join(folder, "cut.pt.trace.json.gz"))
    assert (damaged.exit_code, damaged.verdict) == (6, "inconclusive") and damaged.damage
    slow = slower(a, os.path.join(folder, "slow.pt.trace.json"))
    regressed = tracepress.diff(slow[0], slow[1])
    assert (regressed.exit_code, regressed.verdict) == (1, "regressed"), (regressed.exit_code, regressed)


def slower(path, out):
    """Makes two traces of forty steps. In the second one, each step with its operator and its kernel takes twice as
    long."""
    made = []
    for number, factor in enumerate((1, 2)):
        events, at = [], 0.0
        for step in range(40):
            dur = (1000 + step % 7) * factor
            for name, kind, begin, length in (
                (f"ProfilerStep#{step}", "user_annotation", at, dur),
                ("aten::mm", "cpu_op", at + 10, dur - 20),
                # kernels are needed, because wall clock with one run per side would only give a hint
                ("gemm", "kernel", at + 20, dur - 30),
            ):
                events.append(
                    {
                        "ph": "X",
                        "cat": kind,
                        "name": name,
                        "pid": 0 if kind == "kernel" else 1,
                        "tid": 7 if kind == "kernel" else 1,
                        "ts": begin,
                        "dur": length,
                        "args": {"External id": step + 1}
                        | ({"device": 0, "stream": 7, "correlation": step + 1} if kind == "kernel" else {}),
                    }
                )
            at += dur + 1
        made.append(f"{out}.{number}.pt.trace.json")
        with open(made[-1], "w") as file:
            json.dump({"traceEvents": events}, file)
    return made


@case("check: limits, budget and baseline; exit codes 0, 1 and 6 are results")
def _(folder):
    path = trace("gpu_2024")
    result = tracepress.check(path, limits=["step.count >= 1", "warn step.count >= 1000"])
    assert (result.verdict, result.exit_code, result.is_passed) == ("warn", 0, True), result
    budget = os.path.join(folder, "-budget")
    with open(budget, "w") as file:
        file.write("step.count >= 1000\n")
    os.chdir(folder)
    result = tracepress.check(path, budget="-budget")
    assert (result.verdict, result.exit_code, result.is_passed, result.is_damaged) == ("fail", 1, False, False)
    assert result.json == json.loads(said("check", path, "--budget", "./-budget", "--json", "-", "--quiet", codes=(1,)))
    assert [row["text"] for row in result.tables.rows("items")] == ["step.count >= 1000"]
    metrics = result.tables.rows("runs")[0]
    assert {k: metrics["metrics." + k] for k in result.json["run"]["profiles"][0]["metrics"]} == result.json["run"][
        "profiles"
    ][0]["metrics"]
    assert result._repr_markdown_() == result.markdown == str(result) and not hasattr(result, "html")
    assert tracepress.check(path, limits="step.count <= +0", baseline=path).verdict == "pass"
    waits = tracepress.check(path, limits="sync.per_step <= 0")
    assert not waits.is_passed and len(waits.tables.rows("places")) == 2
    alone = tracepress.check(path)  # a check without limits and baseline is allowed, but inconclusive
    assert (alone.verdict, alone.exit_code, alone.is_damaged) == ("inconclusive", 6, False), alone
    with open(path, "rb") as file:
        with open("cut.pt.trace.json.gz", "wb") as cut:
            cut.write(file.read(12000))
    damaged = tracepress.check("cut.pt.trace.json.gz", limits=["step.time.median <= 100 s"])
    assert (damaged.exit_code, damaged.is_damaged, damaged.is_passed) == (6, True, False), (damaged.exit_code, damaged)
    try:
        tracepress.check(path, limits=["step.cout >= 1"])
    except tracepress.TracepressError as error:
        assert error.code == 2 and "step.count" in str(error), error
    else:
        raise AssertionError
    try:
        tracepress.check(path, limits=["step.count >= 1"], budget=budget)
    except ValueError:
        return
    raise AssertionError


@case("table: the rows of --format json, for each grouping")
def _(folder):
    path = os.path.join(DATA, "ddp")
    for keys in ("name", "input-shape", "stack", "input-shape,stack", "module", "line", "type", "kernel", "function"):
        result = tracepress.table(path, trace("torch_2.13_mlp_train.full"), group_by=keys, options="--row-limit 7")
        wanted = json.loads(
            said(
                "table",
                path,
                trace("torch_2.13_mlp_train.full"),
                "--group-by",
                keys,
                "--format",
                "json",
                "--row-limit",
                "7",
            )
        )
        assert result.json == wanted
        rows = [dict(profile=p["profile"], **row) for p in wanted["profiles"] for row in p["rows"]]
        assert result.rows == rows and len(result) == len(rows) and (rows or keys in ("kernel",)), keys


@case("paths: hostile names of files and folders stay what they are, and text in the frame of a notebook")
def _(folder):
    os.chdir(folder)
    with open(trace("hostile_names"), "rb") as file:
        data = file.read()
    for name in HOSTILE:
        os.mkdir(name.replace("/", "_"))
        path = os.path.join(name.replace("/", "_"), name.replace("/", "_") + ".pt.trace.json.gz")
        with open(path, "wb") as file:
            file.write(data)
        for given in (path, name.replace("/", "_"), os.path.join(folder, path)):
            result = tracepress.report(given)
            assert len(result.profiles) == 1 and not result.profiles[0].error, given
        shown = result._repr_html_()
        frame = re.fullmatch(
            r'<iframe sandbox="([^"]*)" referrerpolicy="no-referrer" title="tracepress" style="[^"<>]*" srcdoc="([^"]*)"></iframe>',
            shown,
        )
        assert (
            frame
            and set(frame.group(1).split()) == {"allow-scripts", "allow-popups"}
            and "<" not in frame.group(2)
            and ">" not in frame.group(2)
        )
        assert html.unescape(frame.group(2)) == result.html
        tracepress.diff(path, path).save(path + ".html")
        tracepress.check(path, limits=["step.count >= 0"])
        assert tracepress.table(path).rows
    left = [name for name in os.listdir(folder) if name not in [n.replace("/", "_") for n in HOSTILE]]
    assert left == [], left


@case("memory: snapshots, several of them, a timeline, and a snapshot together with a trace")
def _(folder):
    one, two = (write_snapshot(folder, name, size=size) for name, size in (("rank0.pickle", 1 << 20), ("rank1.pickle", 2 << 20)))
    result = tracepress.memory_report(one)
    assert isinstance(result, tracepress.MemoryReport) and result.json == json.loads(said("report", one, "--json", "-", "-q"))
    assert result.peak_bytes == 1 << 20 and result.headline == result.json["devices"][0]["headline"] and result.html
    rows = result.json["devices"][0]["findings"]
    assert [f.id for f in result.findings] == [row["id"] for row in rows] and "no_stacks" in [row["id"] for row in rows]
    assert result.findings[0].file == "rank0.pickle" and result.findings[0].device == 0 and result.findings[0].text
    assert result.tables.rows("findings")[0]["severity"] == rows[0]["severity"] and result.tables.rows("ranks") == []
    both = tracepress.memory_report(one, two)
    assert [row["peak_bytes"] for row in both.tables.rows("ranks")] == [1 << 20, 2 << 20]
    assert len(both.snapshots) == 2 and both.peak_bytes == 2 << 20 and {f.file for f in both.findings} == {"rank0.pickle", "rank1.pickle"}
    lines = os.path.join(folder, "timeline.json")
    with open(lines, "w") as file:
        json.dump([[-1, 1, 512, 0], [5000, 2, 1024, 4]], file)
    timeline = tracepress.memory_report(lines)
    assert (timeline.peak_bytes, timeline.findings, timeline.headline) == (1536, (), ""), timeline
    joined = tracepress.report(trace("gpu_2024"), one)
    assert isinstance(joined, tracepress.Report) and joined.findings == tracepress.report(trace("gpu_2024")).findings
    assert joined.memory_findings == result.findings
    for function, given, instead in ((tracepress.report, one, "memory_report() reads them"),
                                     (tracepress.job_report, one, "memory_report() reads them"),
                                     (tracepress.memory_report, trace("gpu_2024"), ": report() reads them")):
        try:
            function(given)
        except TypeError as error:
            assert instead in str(error)
        else:
            raise AssertionError(given)


@case("errors: the program's code and words; what is no path; NUL; time that is up")
def _(folder):
    for words, code, text in (
        (("/nope/nothing.json",), 3, "nothing.json"),
        ((), 2, "name a trace file"),
    ):
        try:
            tracepress.report(*words)
        except tracepress.TracepressError as error:
            assert error.code == code and text in str(error) == error.text, (error.code, error)
            assert "Traceback" not in "".join(error._render_traceback_())
            assert pickle.loads(pickle.dumps(error)).code == code
        else:
            raise AssertionError(words)
    for call, kind in (
        (lambda: tracepress.report(b"bytes"), TypeError),
        (lambda: tracepress.report(None), TypeError),
        (lambda: tracepress.report("a\0b"), ValueError),
        (lambda: tracepress.report(trace("gpu_2024")).tables["nothing"], KeyError),
        (lambda: tracepress.report(trace("gpu_2024")).tables.rows("nothing"), KeyError),
    ):
        try:
            call()
        except kind:
            continue
        raise AssertionError(kind)
    slow = os.path.join(folder, "slow")
    with open(slow, "w") as file:
        file.write("#!/bin/sh\nexec sleep 60\n")
    killed = os.path.join(folder, "killed")
    with open(killed, "w") as file:
        file.write("#!/bin/sh\nkill -9 $$\n")
    no_program = os.path.join(folder, "text")
    with open(no_program, "w") as file:
        file.write("not a program")
    for path in (slow, killed, no_program):
        os.chmod(path, 0o755)
    for program, code in (
        (slow, 124),
        (killed, -9),
        (no_program, 127),
        (os.path.join(folder, "none"), 127),
        (folder, 127),
    ):
        os.environ["TRACEPRESS_PROGRAM"] = program
        try:
            tracepress.run("report", "x", timeout=0.2)
        except tracepress.TracepressError as error:
            assert error.code == code, (program, error.code, error)
        else:
            raise AssertionError(program)
        finally:
            os.environ["TRACEPRESS_PROGRAM"] = PROGRAM


@case("options: a list, or one text with a shell's quoting; outputs of the caller's do not win")
def _(folder):
    path = trace("gpu_2024")
    without = tracepress.report(path, options=["--timeline", "none"])
    assert without.html == tracepress.report(path, options="--timeline 'none'").html != tracepress.report(path).html
    assert tracepress.report(path, options=["--rule", "C24.min_pct=99"]).json != without.json
    other = os.path.join(folder, "x.json")
    assert tracepress.report(path, options=["--json", other]).json == without.json and not os.path.exists(other)


@case("threads: twenty reports at once, each its own")
def _(folder):
    names = ["gpu_2021", "gpu_2024", "gpu_2026", "case_cpu_loop", "torch_2.6_mlp_train.full"] * 4
    seen = [None] * len(names)

    def work(i):
        seen[i] = tracepress.report(trace(names[i])).json

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(
        json == seen[i % 5] and json["runs"][0]["profiles"][0]["worker"] == names[i] for i, json in enumerate(seen)
    )


@case("fork: a child of a process that made a report makes its own")
def _(folder):
    first = tracepress.report(trace("gpu_2024"))
    child = os.fork()
    if child == 0:
        os._exit(0 if tracepress.report(trace("gpu_2024")).json == first.json else 1)
    assert os.waitpid(child, 0)[1] == 0


@case("program: found next to the package, by its record, in PATH; python -m is it, and its exit code")
def _(folder):
    package = os.path.dirname(tracepress.__file__)
    target = os.path.join(folder, "site")
    os.makedirs(os.path.join(target, "bin"))
    os.symlink(package, os.path.join(target, "torch_tracepress"))
    ask = [sys.executable, "-c", "import torch_tracepress as t; print(t.command())"]
    plain = {k: v for k, v in os.environ.items() if k not in ("TRACEPRESS_PROGRAM", "PYTHONPATH")}
    empty = {**plain, "PATH": os.path.join(folder, "none"), "PYTHONPATH": os.path.dirname(package)}
    done = subprocess.run(ask, env=empty, capture_output=True)
    assert done.returncode == 1 and b"torch-tracepress is not on the package index yet: run pip install . in a clone" in done.stderr, done
    os.mkdir(os.path.join(folder, "path"))
    os.symlink(PROGRAM, os.path.join(folder, "path", "tracepress"))
    found = subprocess.run(
        ask, env={**empty, "PATH": os.path.join(folder, "path")}, capture_output=True, text=True
    ).stdout.strip()
    assert found == os.path.join(folder, "path", "tracepress"), found
    # imitates an installation by pip, whose list of files contains ../../bin/tracepress
    site = os.path.join(folder, "lib", "site")
    os.makedirs(os.path.join(site, "torch_tracepress-1.dist-info"))
    os.makedirs(os.path.join(folder, "bin"))
    os.symlink(package, os.path.join(site, "torch_tracepress"))
    os.symlink(PROGRAM, os.path.join(folder, "bin", "tracepress"))
    with open(os.path.join(site, "torch_tracepress-1.dist-info", "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: torch-tracepress\nVersion: 1\n")
    with open(os.path.join(site, "torch_tracepress-1.dist-info", "RECORD"), "w") as file:
        file.write("torch_tracepress/__init__.py,,\n../../bin/tracepress,,\n")
    found = subprocess.run(ask, env={**empty, "PYTHONPATH": site}, capture_output=True, text=True).stdout.strip()
    assert os.path.realpath(found) == os.path.realpath(PROGRAM) and "bin/tracepress" in found, found
    module = [sys.executable, "-m", "torch_tracepress"]
    with_program = {**empty, "TRACEPRESS_PROGRAM": PROGRAM}
    for words in (["--version"], ["report", "/nope"], ["check", trace("gpu_2024")], []):
        ours = subprocess.run([*module, *words], env=with_program, capture_output=True)
        theirs = subprocess.run([PROGRAM, *words], capture_output=True)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr), (
            words,
            ours,
        )
    done = subprocess.run(module, env=empty, capture_output=True)
    assert done.returncode == 127 and done.stderr.startswith(b"tracepress: the program"), done


@case("import: neither torch nor pandas nor IPython nor numpy; in less than a fifth of a second of processor time")
def _(folder):
    code = (
        "import sys, time; a = time.process_time(); import torch_tracepress; b = time.process_time(); print(b - a); "
        "print([m for m in ('torch', 'pandas', 'IPython', 'numpy', 'asyncio') if m in sys.modules])"
    )
    seconds, modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert modules == "[]" and float(seconds) < 0.2, (seconds, modules)


@case("frames without pandas: an ImportError that says what to do, and rows without it")
def _(folder):
    sys.modules["pandas"] = None
    try:
        tables = tracepress.report(trace("gpu_2024")).tables
        assert tables.rows("kernels")
        for ask in (lambda: tables["kernels"], lambda: tracepress.table(trace("gpu_2024")).frame()):
            try:
                ask()
            except ImportError as error:
                assert "pip install pandas" in str(error)
            else:
                raise AssertionError
    finally:
        del sys.modules["pandas"]


if __name__ == "__main__":
    sys.exit(run_all(f"Python {sys.version_info[0]}.{sys.version_info[1]}: "))
