#!/usr/bin/env python3
"""value_exports.py TRACEPRESS FOLDER TRACE...: exports device traces to pprof, firefox and speedscope, reads the files
back and adds up their values.

The sums must be the numbers of the report (`report --json`): device time by kernel and copy, idle time by device and
reason, idle time by the innermost frame of the host, host self time of operators by name, and allocated bytes. Host
time must be the union of the events of each thread, computed from the table `events` (`export --to csv`). If available,
`go tool pprof` (GO) reads pprof's file, and the command line of the Firefox Profiler (PROFILER_CLI) its own file.
Shares no code with tracepress."""
import collections
import csv
import gzip
import json
import os
import re
import subprocess
import sys

from program_exports import export, message, numbers, profiler_sums
from program_view import ns, same, us

VALUES = ("device", "host", "operators", "idle", "device_bytes", "host_bytes")
TITLES = {"device time": "device", "host time": "host", "host self time of operators": "operators", "idle time": "idle",
          "allocated device memory": "device_bytes", "allocated host memory": "host_bytes"}
HOST_CATEGORIES = ("cpu_op", "user_annotation", "python_function")


class Report:
    """The numbers of the report, in nanoseconds and bytes. Names are written as the exports write them."""

    def __init__(self, tracepress, trace, folder):
        path = os.path.join(folder, "report.json")
        run = subprocess.run([tracepress, "report", trace, "-o", os.path.join(folder, "report.html"), "--json", path, "--quiet"])
        self.sums = None
        if run.returncode:
            return
        with open(path) as file:
            profiles = [p for r in json.load(file, parse_float=str, parse_int=str).get("runs", []) for p in r["profiles"]]
        if len(profiles) != 1 or profiles[0].get("operator_view") is None:
            return
        view = profiles[0]
        self.operators, self.device, self.idle = collections.Counter(), collections.Counter(), collections.Counter()
        self.innermost = collections.Counter()
        for row in view["operator_view"]["by_name"]:
            self.operators[shown(row["name"])] += us(row, "host_self_time_us")
        kernels = view["kernel_view"] or {}
        for row in kernels.get("by_name", []) + kernels.get("copies_by_name", []):
            self.device[row["name"] or "_"] += us(row, "total_us")
        for device in view["idle_view"] or []:
            for part in ("host", "launch", "queue", "outside", "unknown"):
                self.idle[device["device_title"], part] += us(device["idle"], part + "_us")
            for node in (device["idle_flame"] or {}).get("nodes", []):
                self.innermost[shown(node["name"])] += int(node["ns"])
        bytes_of = collections.Counter()
        for row in (view["memory_view"] or {}).get("device_information", []):
            is_host = row["device_type"] in (None, "0")
            bytes_of["host_bytes" if is_host else "device_bytes"] += int(row["allocated_bytes"])
        self.sums = {"operators": sum(self.operators.values()), "device": sum(self.device.values()),
                     "idle": sum(self.idle.values()), **bytes_of}


def shown(name):
    """Returns a name without addresses, which differ from call to call, and with line 0 for an unknown line; "_" for an
    empty name."""
    return re.sub(r"\(-[0-9]+\): ", "(0): ", re.sub(r"0x[0-9a-fA-F]+", "0x*", name)) or "_"


def kept(sums):
    return {key: value for key, value in sums.items() if value}


def host_time(tracepress, trace, folder):
    """Returns the length of the union of the host events of all threads, ns."""
    tables = export(tracepress, trace, folder, "csv")
    rows = collections.defaultdict(list)
    with open([t for t in tables if t.endswith(".events.csv")][0], newline="") as file:
        for row in csv.DictReader(file):
            if row["category"] in HOST_CATEGORIES or row["category"].endswith(("_runtime", "_driver")):
                rows[row["process"], row["thread"]].append((int(row["start_ns"]), int(row["duration_ns"])))
    total = 0
    for spans in rows.values():
        end = None
        for start, duration in sorted(spans):
            begin = start if end is None or start > end else end
            end = max(begin, start + duration)
            total += end - begin
    return total


def compare(form, report, found):
    """found: list of (value, name of device or thread, frames from the outermost as (name, file, line), amount)."""
    sums, device, idle, operators, innermost = (collections.Counter() for _ in range(5))
    for value, name, frames, amount in found:
        assert amount > 0, (form, value, amount)
        sums[value] += amount
        if value == "device":
            device[frames[-1][0]] += amount
        elif value == "operators":
            operators[frames[-1][0]] += amount
        elif value == "idle":
            assert frames[-1][0].startswith("[idle: "), frames
            idle[name, frames[-1][0][7:-1]] += amount
            function, file, line = frames[-2]
            innermost["%s(%d): %s" % (file, line, function) if file else function] += amount
    wanted = {v: report.sums.get(v, 0) for v in VALUES if v != "host"}
    same(form + ": sums", {v: sums[v] for v in wanted}, wanted)
    same(form + ": device time by operation", kept(device), kept(report.device))
    same(form + ": host self time by operator", kept(operators), kept(report.operators))
    same(form + ": idle time by reason", kept(idle), kept(report.idle))
    same(form + ": idle time by frame of the host", kept(innermost), kept(report.innermost))
    return sums["host"]


def read_pprof(path):
    with gzip.open(path) as file:
        whole = message(file.read())
    texts = [t.decode() for t in whole[6]]
    one = lambda m, n: m[n][0] if m[n] else 0
    types = [texts[one(message(t), 1)] for t in whole[1]]
    units = {texts[one(message(t), 1)]: texts[one(message(t), 2)] for t in whole[1]}
    assert all(units[t] == ("bytes" if t.endswith("_bytes") else "nanoseconds") for t in types if t in VALUES), units
    functions = {one(f, 1): (texts[one(f, 2)], texts[one(f, 4)]) for f in map(message, whole[5])}
    places = {}
    for place in map(message, whole[4]):
        line = message(place[4][0])
        places[one(place, 1)] = (*functions[one(line, 1)], one(line, 2))
    for sample in map(message, whole[2]):
        labels = {texts[one(label, 1)]: texts[one(label, 2)] or one(label, 3) for label in map(message, sample[3])}
        values = [n for value in sample[2] for n in numbers(value)]
        stack = [places[n] for value in sample[1] for n in numbers(value)][::-1]
        assert len(values) == len(types)
        for name, value in zip(types, values):
            if value and name in VALUES:
                assert TITLES[labels["value"]] == name, labels
                yield name, labels.get("device") or labels.get("thread"), stack, value


def read_speedscope(path):
    with open(path) as file:
        whole = json.load(file)
    frames = [(f["name"], f.get("file", ""), f.get("line", 0)) for f in whole["shared"]["frames"]]
    for profile in whole["profiles"]:
        title = profile["name"].split(": ")[0]
        if title not in TITLES:
            continue
        assert sum(profile["weights"]) == profile["endValue"] and len(profile["weights"]) == len(profile["samples"])
        assert profile["unit"] == ("bytes" if "memory" in title else "nanoseconds")
        for stack, weight in zip(profile["samples"], profile["weights"]):
            yield TITLES[title], profile["name"][len(title) + 2:], [frames[f] for f in stack], weight


def read_firefox(path):
    with gzip.open(path, "rt") as file:
        whole = json.load(file, parse_float=str)
    ms = lambda text: int(text.replace(".", ""))
    categories = len(whole["meta"]["categories"])
    for t in whole["threads"]:
        title = t["name"].rsplit(": ", 1)[-1]
        if title not in TITLES:
            continue
        for table in ("samples", "markers", "stackTable", "frameTable", "funcTable"):
            lengths = {len(v) for v in t[table].values() if isinstance(v, list)}
            assert lengths == {t[table]["length"]}, (table, lengths)
        times = [ms(x) for x in t["samples"]["time"]]
        assert times == sorted(times) and all(c < categories for c in t["stackTable"]["category"])
        is_bytes = t["samples"]["weightType"] == "bytes"
        assert is_bytes == ("memory" in title) and (is_bytes or t["samples"]["weightType"] == "tracing-ms")
        path_of = []
        for prefix, frame in zip(t["stackTable"]["prefix"], t["stackTable"]["frame"]):
            function, text = t["frameTable"]["func"][frame], t["stringArray"]
            file = t["funcTable"]["fileName"][function]
            name = (text[t["funcTable"]["name"][function]], "" if file is None else text[file], t["frameTable"]["line"][frame] or 0)
            path_of.append((path_of[prefix] if prefix is not None else []) + [name])
        if title in ("device time", "idle time"):
            lengths = [ms(e) - ms(b) for b, e in zip(t["markers"]["startTime"], t["markers"]["endTime"])]
            assert lengths == [ms(w) for w in t["samples"]["weight"]], "markers have other lengths than samples"
        for stack, weight in zip(t["samples"]["stack"], t["samples"]["weight"]):
            yield (TITLES[title], t["name"].rsplit(": ", 1)[0], [] if stack is None else path_of[stack],
                   weight if is_bytes else ms(weight))


def profiler_cli(path):
    """Compares self samples by function with those that the command line of the Firefox Profiler reads."""
    with gzip.open(path, "rt") as file:
        whole = json.load(file)
    found = profiler_sums(path, whole)
    if not found:
        return
    wanted = collections.Counter()
    for i, t in enumerate(whole["threads"]):
        for stack, weight in zip(t["samples"]["stack"], t["samples"]["weight"]):
            function = t["frameTable"]["func"][t["stackTable"]["frame"][stack]]
            wanted[i, t["stringArray"][t["funcTable"]["name"][function]]] += weight
    odd = [k for k in wanted.keys() | found[0].keys() if abs(wanted[k] - found[0][k]) > 1e-6 * max(1, wanted[k])]
    assert wanted and not odd, "profiler-cli: %s" % [(k, wanted[k], found[0][k]) for k in odd[:3]]


def go_pprof(path, sums):
    go = os.environ.get("GO", "go")
    for value in VALUES:
        if not sums.get(value):
            continue
        try:
            run = subprocess.run([go, "tool", "pprof", "-top", "-sample_index=" + value, path], capture_output=True, text=True)
        except FileNotFoundError:
            return
        assert run.returncode == 0 and "Showing nodes accounting for" in run.stdout, run.stderr


def check(tracepress, trace, folder):
    report = Report(tracepress, trace, folder)
    if report.sums is None:
        return False
    if not any(report.sums.values()):
        return False
    host = host_time(tracepress, trace, folder)
    for form, read in (("pprof", read_pprof), ("speedscope", read_speedscope), ("firefox", read_firefox)):
        path = export(tracepress, trace, folder, form)[0]
        found = compare(form, report, list(read(path)))
        same(form + ": host time", found, host)
        if form == "pprof":
            go_pprof(path, {**report.sums, "host": host})
        elif form == "firefox":
            profiler_cli(path)
    return True


def main(tracepress, folder, *traces):
    counts = collections.Counter()
    os.makedirs(folder, exist_ok=True)
    for trace in traces:
        try:
            counts[check(tracepress, trace, folder)] += 1
        except BaseException as error:
            print("%s: %s" % (trace, error))
            counts["failed"] += 1
    print("value exports: %d traces equal, %d without values, %d differ" % (counts[True], counts[False], counts["failed"]))
    return bool(counts["failed"] or not counts[True])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
