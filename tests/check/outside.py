#!/usr/bin/env python3
"""outside.py TRACE CHECK [VALUE...]: checks a trace that was recorded from outside against facts that are known independently.

sums            the states of each thread follow each other without a gap and add up to its wall time; a process lasts
                from the start of its first thread to the end of its last one; samples add up to the running time
running NS [P [MS]]  the running time of all threads is within P percent (3) of NS, or within 3 ms
mode NAME       the recording was made in this mode
sampled P       the number of samples is at least P percent of the running time at 199 samples per second
status CODE     a process exited with this code
exits CODE...   these are the exit codes of the processes, in the order of their starts ("S9": ended by signal 9)
ended CODE...   these exit codes occur
count N         there are N processes
argv WORD...    a process was started with these words
cause NAME MS   threads were blocked by this cause for at least MS
split NAME=MS.. the share of samples of each function is within 3 points of the share of its time
wait_shares CAUSE=MS.. wall=MS  the program's first thread waited for each cause, until it ran again, for these shares of its wall time, within 3 points
sigma NAME=MS.. like split, but within 3 standard deviations for this number of independent samples
native TEXT F MS ALL  frames with TEXT have the share MS of ALL of the samples, within 3 standard deviations, and 95 % of these samples have function F further out
lines FILE      each frame of this Python file names a line of its function, and there are such frames
reaches F G P   of the samples in function F at least P percent are also in G, without unknown frames
waits CAUSE F G N  at least N waits for this cause of 20 ms or more are in function F, called by G, without unknown frames
leaf F P         at least P percent of the samples have function F innermost
cuts LEAST MOST the number of samples marked as cut is in this range
budget          the recorder used at most a twentieth of the running time plus 50 ms, or says that it left something out
estimated P     at least P percent of the blocked time has a cause, and some causes are estimated
alive N         N processes still ran at the end
seen KEY N      the member KEY of tracepress_seen is at least N
no_thread NAME  no thread has this name
"""
import ast
import collections
import gzip
import json
import re
import sys


def ns(text):
    """Converts microseconds with three decimals, as text, to nanoseconds without rounding."""
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


class Number(str):
    pass


trace = json.load(gzip.open(sys.argv[1]), parse_float=Number, parse_int=Number)
events = trace["traceEvents"]
processes = [e for e in events if e.get("cat") == "process"]
processes.sort(key=lambda e: (ns(e["ts"]), int(e["pid"])))
samples = [e for e in events if e.get("cat") == "cpu_sample"]
states = collections.defaultdict(list)
for e in events:
    if e.get("cat") == "thread_state":
        states[int(e["pid"]), int(e["tid"])].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["name"], e.get("args", {})))
for rows in states.values():
    rows.sort(key=lambda row: row[:2])


def time_in(name, wanted=lambda args: True):
    return sum(b - a for rows in states.values() for a, b, state, args in rows if state == name and wanted(args))


def sums():
    assert states and processes
    spans = collections.defaultdict(list)
    for (pid, tid), rows in states.items():
        for before, after in zip(rows, rows[1:]):
            assert before[1] == after[0], (pid, tid, before, after)
        assert sum(b - a for a, b, *_ in rows) == rows[-1][1] - rows[0][0]
        spans[pid] += [rows[0][0], rows[-1][1]]
    for p in processes:
        begin, end = ns(p["ts"]), ns(p["ts"]) + ns(p["dur"])
        assert (begin, end) == (min(spans[int(p["pid"])]), max(spans[int(p["pid"])])), p
    assert sum(int(p["args"]["running ns"]) for p in processes) == time_in("running")
    sampled = {e["pid"] for e in samples}
    running = sum(int(p["args"]["running ns"]) for p in processes if p["pid"] in sampled)
    assert sum(int(e["args"]["cpu ns"]) for e in samples) == running


def running(wanted, percent=3, least_ms=3):
    found = time_in("running")
    assert abs(found - float(wanted)) <= max(float(wanted) * float(percent) / 100, float(least_ms) * 1e6), (found, wanted)


def sampled(percent):
    worth = 199 * time_in("running") / 1e9
    assert len(samples) >= float(percent) / 100 * worth, (len(samples), worth)


def mode(wanted):
    assert trace["tracepress_seen"]["mode"] == wanted, trace["tracepress_seen"]


def status(wanted):
    assert wanted in [p["args"].get("exit") for p in processes], processes


def exits(*wanted):
    found = ["S" + p["args"]["signal"] if "signal" in p["args"] else p["args"].get("exit", "?") for p in processes]
    assert found == list(wanted), found


def ended(*wanted):
    found = [p["args"].get("exit", "?") for p in processes]
    assert set(wanted) <= set(found), found


def count(wanted):
    assert len(processes) == int(wanted), len(processes)


def argv(*wanted):
    found = [p["args"]["argv"] for p in processes]
    assert list(wanted) in found, found


def cause(name, least_ms):
    found = time_in("blocked", lambda args: args.get("cause") == name) / 1e6
    assert found >= float(least_ms), (name, found)


def wait_shares(*wanted):
    told_ms = {name: float(ms) for name, ms in (word.split("=") for word in wanted)}
    wall_ms = told_ms.pop("wall")
    rows = states[int(processes[0]["pid"]), int(processes[0]["pid"])]
    whole = rows[-1][1] - rows[0][0]
    waited = collections.Counter()
    for row, after in zip(rows, rows[1:] + [(0, 0, "", {})]):
        if "cause" in row[3]:  # a call returns only after the thread has got a CPU again
            waited[row[3]["cause"]] += row[1] - row[0] + (after[1] - after[0] if after[2] == "ready" else 0)
    for name, ms in told_ms.items():
        share, seen = 100 * ms / wall_ms, 100 * waited[name] / whole
        assert abs(share - seen) <= 3, (name, share, seen)


def sigma(*wanted):
    split(*wanted, tolerance=lambda share, count: 300 * (share / 100 * (1 - share / 100) / count) ** 0.5)


def native(text, function, ms, all_ms):
    whole = sum(int(e["args"]["cpu ns"]) for e in samples)
    found = [e for e in samples if text in e["args"].get("Call stack", "")]
    share, seen = 100 * float(ms) / float(all_ms), 100 * sum(int(e["args"]["cpu ns"]) for e in found) / whole
    assert abs(share - seen) <= 300 * (share / 100 * (1 - share / 100) / len(samples)) ** 0.5, (share, seen)
    under = [e for e in found if function in [name.split(".")[-1] for name in names(e)[1:]]]
    assert len(under) >= 0.95 * len(found), (len(under), len(found))


def lines(path):
    ends = collections.defaultdict(list)
    for node in ast.walk(ast.parse(open(path).read())):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            ends[getattr(node, "name", "<lambda>")].append((node.lineno, node.end_lineno))
    found = 0
    for e in samples:
        for frame in e["args"].get("Call stack", "").split(";"):
            match = re.fullmatch(re.escape(path) + r"\((\d+)\): (.*)", frame)
            name = match and match[2].split(".")[-1]
            if name in ends:
                assert any(a <= int(match[1]) <= b for a, b in ends[name]), frame
                found += 1
    assert found, "no frame of the file"


def names(e):
    return [re.sub(r"^.*\): | \[.*$", "", frame) for frame in e["args"].get("Call stack", "").split(";")]


def reaches(inner, outer, percent):
    found = [names(e) for e in samples if inner in names(e)]
    reached = [stack for stack in found if outer in stack[stack.index(inner):] and "[unknown]" not in stack]
    assert len(found) >= 50 and len(reached) >= float(percent) / 100 * len(found), (len(reached), len(found), found[:2])


def waits(cause, inner, outer, least):
    """Returns texts of frames: names, or "FILE:LINE: NAME" if lines are requested."""
    stacks, reached = [], 0
    for rows in states.values():
        for begin, end, state, args in rows:
            if state != "blocked" or args.get("cause") != cause or end - begin < 20e6:
                continue
            text = args.get("stack", "").split(";")
            path = [re.sub(r"^.*\): | \[.*$", "", frame) for frame in text]
            path = [frame if frame in (inner, outer) else name for frame, name in zip(text, path)]
            stacks.append(path)
            reached += inner in path and outer in path[path.index(inner):] and "[unknown]" not in path
    assert reached >= int(least), (cause, reached, stacks)


def leaf(wanted, percent):
    found = collections.Counter(names(e)[0] for e in samples)
    assert len(samples) >= 30 and found[wanted] >= float(percent) / 100 * len(samples), found.most_common(3)


def cuts(least, most):
    found = sum(e["args"].get("cut") == "1" for e in samples)
    assert int(least) <= found <= int(most), found
    assert trace["tracepress_seen"]["stacks_cut"] == str(found)


def budget():
    seen = trace["tracepress_seen"]
    allowed = 0.05 * time_in("running") + 50e6
    assert int(seen["recorder_cpu_ns"]) <= allowed or int(seen["budget_level"]) > 0 or int(seen["looks_left_out"]) > 0, (seen, allowed)


def estimated(percent):
    blocked, caused = time_in("blocked"), time_in("blocked", lambda args: "cause" in args)
    assert caused >= float(percent) / 100 * blocked, (caused, blocked)
    assert time_in("blocked", lambda args: "estimated" in args) > 0
    assert all("cause" in row[3] for rows in states.values() for row in rows if "estimated" in row[3])


def alive(wanted):
    assert sum(p["args"].get("end") == "still runs" for p in processes) == int(wanted)


def no_thread(wanted):
    # such names have the form "thread 12 (NAME)"
    found = [e["args"]["name"] for e in events if e.get("name") == "thread_name"]
    assert found and not [name for name in found if name.endswith("(%s)" % wanted)], found


def seen(key, least):
    assert int(trace["tracepress_seen"][key]) >= int(least), trace["tracepress_seen"]


def split(*wanted, tolerance=lambda share, count: 3):
    times = {name: float(ms) for name, ms in (word.split("=") for word in wanted)}
    found = collections.Counter()
    for e in samples:
        for frame in e["args"].get("Call stack", "").split(";"):
            name = re.sub(r"^.*\): | \[.*$", "", frame)
            if name in times:
                found[name] += int(e["args"]["cpu ns"])
                break
    whole, sampled = sum(times.values()), sum(found.values())
    assert len(samples) >= 200, len(samples)
    assert sampled >= 0.9 * sum(int(e["args"]["cpu ns"]) for e in samples), "functions not seen"
    for name, ms in times.items():
        share, seen = 100 * ms / whole, 100 * found[name] / sampled
        assert abs(share - seen) <= tolerance(share, len(samples)), (name, share, seen)


globals()[sys.argv[2]](*sys.argv[3:])
