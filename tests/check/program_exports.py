#!/usr/bin/env python3
"""program_exports.py TRACEPRESS TRACE FOLDER: exports a recording from outside, reads the files back and adds up their
numbers.

Self and total time of functions, CPU time of each process and time of each state must be those of the view (`report
--json`). If available, `go tool pprof` also reads pprof's file, and the command line of the Firefox Profiler
(PROFILER_CLI) reads its own file. Shares no code with tracepress."""
import collections
import csv
import glob
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from program_view import ns, same, us


class View:
    """The numbers of the view, in nanoseconds."""

    def __init__(self, tracepress, trace, folder):
        path = os.path.join(folder, "view.json")
        subprocess.run([tracepress, "report", trace, "-o", os.path.join(folder, "view.html"), "--json", path, "--quiet"], check=True)
        with open(path) as file:
            view = json.load(file, parse_float=str, parse_int=str)["runs"][0]["profiles"][0]["program_view"]
        self.self_ns, self.total_ns, self.processes, self.states = {}, {}, collections.Counter(), collections.Counter()
        for f in view["functions"]:
            key = (f["function"], f["file"] or "")
            self.self_ns[key], self.total_ns[key] = us(f, "self_us"), us(f, "total_us")
        self.self_ns = {k: v for k, v in self.self_ns.items() if v}
        for p in view["processes"]:
            if int(p["samples"]):
                self.processes[int(p["pid"])] += us(p, "cpu_us")
        self.states = {k: us(view, n) for k, n in (("running", "cpu_us"), ("ready", "ready_us"), ("blocked", "blocked_us"))}
        self.samples = int(view["seen"]["samples"])


class Sums:
    """The sums of the numbers in an exported file, for each stack. A frame is (name, file). Stacks begin with the
    outermost frame."""

    def __init__(self):
        self.self_ns, self.total_ns, self.processes = collections.Counter(), collections.Counter(), collections.Counter()

    def add(self, pid, stack, value):
        self.processes[pid] += value
        if stack:
            self.self_ns[stack[-1]] += value
        for frame in set(stack):
            self.total_ns[frame] += value

    def compare(self, what, view):
        kept = lambda sums: {k: v for k, v in sums.items() if v}
        same(what + ": self", kept(self.self_ns), view.self_ns)
        same(what + ": total", kept(self.total_ns), kept(view.total_ns))
        same(what + ": processes", kept(self.processes), kept(view.processes))


def export(tracepress, trace, folder, form):
    out = os.path.join(folder, form)
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([tracepress, "export", trace, "--to", form, "-o", out, "--quiet"], check=True)
    return sorted(glob.glob(os.path.join(out, "*")))


# ---- pprof: parses the wire format of protobuf ----

def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size


def numbers(value):
    """Returns a list of numbers from a field that may be packed."""
    if isinstance(value, int):
        return [value]
    out, number, shift = [], 0, 0
    for byte in value:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(number)
            number = shift = 0
    return out


def message(data):
    out = collections.defaultdict(list)
    for number, value in fields(data):
        out[number].append(value)
    return out


def pprof(path, view):
    with gzip.open(path) as file:
        whole = message(file.read())
    texts = [t.decode() for t in whole[6]]
    assert texts[0] == "" and len(set(texts)) == len(texts)
    one = lambda m, n: m[n][0] if m[n] else 0
    types = [(texts[one(message(t), 1)], texts[one(message(t), 2)]) for t in whole[1]]
    same("pprof: types", types, [("samples", "count"), ("cpu", "nanoseconds"), ("wait", "nanoseconds")])
    same("pprof: what is shown first", texts[whole[14][0]], "cpu")
    functions = {one(f, 1): (texts[one(f, 2)], texts[one(f, 4)]) for f in map(message, whole[5])}
    places = {one(p, 1): functions[one(message(p[4][0]), 1)] for p in map(message, whole[4])}
    sums, waits, count = Sums(), 0, 0
    for sample in map(message, whole[2]):
        stack = [places[n] for value in sample[1] for n in numbers(value)][::-1]
        values = [n for value in sample[2] for n in numbers(value)]
        labels = {texts[one(label, 1)]: texts[one(label, 2)] or one(label, 3) for label in map(message, sample[3])}
        count += values[0]
        waits += values[2]
        assert (labels["state"] == "blocked") == ("cause" in labels) and labels["process"] and "thread" in labels and "tid" in labels
        if labels["state"] == "running":
            sums.add(labels["pid"], stack, values[1])
    sums.compare("pprof", view)
    same("pprof: samples", count, view.samples)
    same("pprof: waits", waits, view.states["blocked"])
    go_pprof(path, view)


def go_pprof(path, view):
    if not shutil.which("go"):
        return
    run = subprocess.run(["go", "tool", "pprof", "-top", "-unit=us", "-nodecount=100000", "-nodefraction=0", path], capture_output=True, text=True)
    if "no such tool" in run.stderr:
        return
    assert run.returncode == 0, run.stderr
    names, wanted = collections.Counter(), collections.Counter()
    for flat, cum, name in re.findall(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+%  (.*)$", run.stdout, re.M):
        names[re.sub(" \\(inline\\)$", "", name)] += float(flat[:-2] if flat.endswith("us") else flat)
    for (name, _), value in view.self_ns.items():
        wanted[name] += value / 1000
    for name, value in wanted.items():
        if re.fullmatch(r"[\w.+]+", name):  # pprof shortens the names of templates
            assert abs(names[name] - value) <= 0.02 * len(view.self_ns), "go tool pprof: %s: %r, %r" % (name, names[name], value)


# ---- speedscope, Firefox ----

def speedscope(path, view):
    with open(path) as file:
        whole = json.load(file)
    frames = [(f["name"], f.get("file", "")) for f in whole["shared"]["frames"]]
    sums, states = Sums(), collections.Counter()
    for profile in whole["profiles"]:
        assert profile["unit"] == "nanoseconds"
        pid = int(re.search(r" \((-?\d+)\), ", profile["name"])[1])
        if profile["type"] == "sampled":
            assert profile["endValue"] == sum(profile["weights"]) and len(profile["samples"]) == len(profile["weights"])
            for stack, weight in zip(profile["samples"], profile["weights"]):
                sums.add(pid, [frames[i] for i in stack], weight)
            continue
        at, opened = profile["startValue"], None
        for event in profile["events"]:
            assert at <= event["at"] <= profile["endValue"] and (opened is None) == (event["type"] == "O")
            if event["type"] == "C":
                assert opened == event["frame"]
                states[frames[opened][0].split(":")[0]] += event["at"] - at
            opened, at = event["frame"] if event["type"] == "O" else None, event["at"]
    sums.compare("speedscope", view)
    same("speedscope: states", {k: states[k] for k in view.states}, view.states)


def firefox(path, view):
    with gzip.open(path, "rt") as file:
        whole = json.load(file, parse_float=str)
    ms = lambda text: ns(text) * 1000 if "." not in text else int(text.replace(".", ""))
    sums, states = Sums(), collections.Counter()
    for t in whole["threads"]:
        for table in ("samples", "markers", "stackTable", "frameTable", "funcTable"):
            lengths = {len(v) for v in t[table].values() if isinstance(v, list)}
            assert lengths == {t[table]["length"]}, (table, lengths)
        function = lambda f: (t["stringArray"][t["funcTable"]["name"][f]],
                              "" if t["funcTable"]["fileName"][f] is None else t["stringArray"][t["funcTable"]["fileName"][f]])
        for stack, weight in zip(t["samples"]["stack"], t["samples"]["weight"]):
            path_of = []
            while stack is not None:
                prefix = t["stackTable"]["prefix"][stack]
                assert prefix is None or prefix < stack
                path_of.append(function(t["frameTable"]["func"][t["stackTable"]["frame"][stack]]))
                stack = prefix
            sums.add(int(t["pid"].split(".")[0]), path_of[::-1], ms(weight))
        assert t["samples"]["weightType"] == "tracing-ms" and [ms(x) for x in t["samples"]["time"]] == sorted(ms(x) for x in t["samples"]["time"])
        m = t["markers"]
        for name, begin, end in zip(m["name"], m["startTime"], m["endTime"]):
            states[t["stringArray"][name]] += ms(end) - ms(begin)
    sums.compare("firefox", view)
    same("firefox: states", {k: states[k] for k in view.states}, view.states)
    processes = {(t["pid"], t["processName"]) for t in whole["threads"]}
    same("firefox: processes apart", len({p[0] for p in processes}), len(processes))
    profiler_cli(path, whole, view)


def profiler_sums(path, whole):
    """Returns self and total samples by thread and function, as the command line of the Firefox Profiler reads them; None
    without PROFILER_CLI. Threads are numbered as in the file."""
    if not os.environ.get("PROFILER_CLI"):
        return None
    cli = lambda *args: subprocess.run(["node", os.environ["PROFILER_CLI"], *args], capture_output=True, text=True)
    said = cli("load", path)
    for _ in range(50):
        if said.returncode == 0:
            break
        said = cli("status")
    assert said.returncode == 0, said.stdout + said.stderr
    self_ms, total_ms = collections.Counter(), collections.Counter()
    try:
        for i in range(len(whole["threads"])):
            if not whole["threads"][i]["samples"]["length"]:
                continue
            answer = cli("thread", "functions", "--thread", "t-%d" % i, "--limit", "0", "--include-idle", "--json")
            for f in json.loads(answer.stdout)["functions"]:
                name = f["nameWithLibrary"]  # its "name" lacks what precedes "!", and the files name no libraries
                self_ms[i, name] += f["selfSamples"]
                total_ms[i, name] += f["totalSamples"]
    finally:
        cli("stop")
    return self_ms, total_ms


def profiler_cli(path, whole, view):
    found = profiler_sums(path, whole)
    for sums, by_thread in zip((view.self_ns, view.total_ns), found or ()):
        ours, wanted = collections.Counter(), collections.Counter()
        for (_, name), value in by_thread.items():
            ours[name] += value
        for (name, _), value in sums.items():
            wanted[name] += value / 1e6
        for name, value in wanted.items():
            if value:
                assert abs(ours[name] - value) < 1e-6 * max(1, value), "profiler-cli: %s: %r, %r" % (name, ours[name], value)


# ---- tables, lines ----

def sqlite(path, view):
    db = sqlite3.connect(path)
    sums = Sums()
    sums.self_ns.update({(n, f or ""): v for n, f, v in db.execute(
        "SELECT f.name, f.file, sum(s.cpu_ns) FROM samples s JOIN functions f USING (function_id) GROUP BY f.function_id")})
    sums.total_ns.update({(n, f or ""): v for n, f, v in db.execute(
        "SELECT f.name, f.file, sum(s.cpu_ns) FROM (SELECT DISTINCT stack_id, function_id FROM stacks) d "
        "JOIN functions f ON f.function_id = d.function_id JOIN samples s ON s.stack_id = d.stack_id GROUP BY f.function_id")})
    for pid, value in db.execute("SELECT p.pid, sum(s.cpu_ns) FROM samples s JOIN threads t USING (thread_id) JOIN processes p USING (process_id) GROUP BY 1"):
        sums.processes[pid] += value
    sums.compare("sqlite", view)
    same("sqlite: functions", {(n, f or ""): (s, t) for n, f, s, t in db.execute("SELECT name, file, self_ns, total_ns FROM functions") if t},
         {k: (view.self_ns.get(k, 0), t) for k, t in view.total_ns.items() if t})
    same("sqlite: states", {k: 0 for k in view.states} | dict(db.execute("SELECT state, sum(duration_ns) FROM states GROUP BY 1")), view.states)
    for table in ("processes", "threads", "states", "samples", "functions", "stacks"):
        columns = [row[1] for row in db.execute("PRAGMA table_info(%s)" % table)]
        documented = {row[0] for row in db.execute("SELECT column_name FROM documentation WHERE table_name = ? AND definition != ''", (table,))}
        assert set(columns) <= documented, table


def tables(paths, view):
    read = {}
    for path in paths:
        with open(path, newline="") as file:
            read[path.split(".")[-2]] = list(csv.DictReader(file))
    functions = {f["function_id"]: (f["name"], f["file"]) for f in read["functions"]}
    functions = {k: tuple(t[1:] if t[:1] == "'" else t for t in v) for k, v in functions.items()}
    stacks = collections.defaultdict(list)
    for row in sorted(read["stacks"], key=lambda r: -int(r["depth"])):
        stacks[row["stack_id"]].append(functions[row["function_id"]])
    pids = {p["process_id"]: int(p["pid"]) for p in read["processes"]}
    threads = {t["thread_id"]: pids[t["process_id"]] for t in read["threads"]}
    sums, states = Sums(), collections.Counter()
    for s in read["samples"]:
        sums.add(threads[s["thread_id"]], stacks[s["stack_id"]], int(s["cpu_ns"]))
    sums.compare("csv", view)
    for s in read["states"]:
        states[s["state"]] += int(s["duration_ns"])
    same("csv: states", {k: states[k] for k in view.states}, view.states)


def folded(path, view):
    """Checks folded stacks. Spaces must become "_", control characters must be removed, and values must be whole
    microseconds per stack."""
    with open(path, encoding="utf-8", newline="\n") as file:
        lines = [line.rsplit(" ", 1) for line in file.read().split("\n") if line]
    whole = sum(int(value) for _, value in lines) * 1000
    wanted = sum(view.processes.values())
    assert wanted - 1000 * (view.samples + 1) <= whole <= wanted, "folded: %d, %d" % (whole, wanted)
    self_ns = collections.Counter()
    for stack, value in lines:
        self_ns[stack.split(";")[-1]] += int(value) * 1000
    for (name, file), value in view.self_ns.items():
        text = name if name.startswith(file + "+0x") or not file else name + "  " + file
        if re.fullmatch(r"[\w./+ -]+", text):
            ours = self_ns[text.replace(" ", "_")]
            assert value - 1000 * (view.samples + 1) <= ours <= value + 1000 * view.samples, "folded: %s: %d, %d" % (text, ours, value)


def main():
    tracepress, trace, folder = sys.argv[1:]
    view = View(tracepress, trace, folder)
    made = {form: export(tracepress, trace, folder, form) for form in ("pprof", "speedscope", "firefox", "sqlite", "csv")}
    pprof(made["pprof"][0], view)
    speedscope(made["speedscope"][0], view)
    firefox(made["firefox"][0], view)
    sqlite(made["sqlite"][0], view)
    tables(made["csv"], view)
    if not sum(view.processes.values()) // 1000:  # without any line there must be no file, and the exit code must be 3
        return
    folded(export(tracepress, trace, folder, "folded")[0], view)
    assert export(tracepress, trace, folder, "flamegraph")[0].endswith(".samples-cpu.svg")


if __name__ == "__main__":
    main()
