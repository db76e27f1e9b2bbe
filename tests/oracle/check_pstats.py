"""check_pstats.py TRACEPRESS FOLDER TRACE...: compares `table --group-by function` and `export --to pstats` with
Python.

For each TRACE, pstats must open the exported file and print the same tables, byte for byte. The numbers must equal a
simple recount, and snakeviz must read the file if it is installed. A program with every kind of recursion is recorded
as a trace by sys.setprofile. Its calls and callers must equal those of cProfile. Prints a line for each difference, and
then exits with 1."""
import cProfile
import gzip
import io
import json
import os
import pstats
import re
import subprocess
import sys
import time

ORDERS = {"tottime": "tottime", "cumtime": "cumtime", "ncalls": "ncalls", "pcalls": "pcalls", "stdname": "stdname"}


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE).stdout


def load(program, folder, trace):
    run(program, "export", trace, "--to", "pstats", "-o", folder, "--quiet")
    (name,) = [name for name in os.listdir(folder) if name.endswith(".pstats")]
    path = os.path.join(folder, name)
    stats = pstats.Stats(path, stream=io.StringIO())
    os.remove(path)
    return stats


def printed(stats, order, limit):
    stats.stream.seek(0)
    stats.stream.truncate()
    stats.files = []
    stats.sort_stats(order).print_stats(*limit)
    return stats.stream.getvalue()


def function_of(name):
    name = re.sub(r" at 0x[0-9a-fA-F]*", "", name)
    match = re.match(r"(.*?)\((\d+)\): (.*)$", name, re.S)
    return (match.group(1), int(match.group(2)), match.group(3)) if match else ("~", 0, name)


def recount(trace):
    """Returns {function: (calls, primitive calls, own ns, total ns)}. Compares every call with every other call of its
    row instead of tracking a stack."""
    opened = gzip.open if trace.endswith(".gz") else open
    with opened(trace, "rt", encoding="utf-8", errors="replace") as file:
        events = [e for e in json.load(file, parse_float=str, parse_int=str)["traceEvents"]
                  if e.get("cat") == "python_function" and e.get("ph") == "X"]
    def ns(text):
        whole, _, part = text.partition(".")
        return int(whole) * 1000 + int((part + "000")[:3])
    rows = {}
    for place, e in enumerate(events):
        start, dur = ns(e["ts"]), ns(e["dur"])
        rows.setdefault((e["pid"], e["tid"]), []).append((start, -(start + dur), place, function_of(e["name"])))
    counts = {}
    for calls in rows.values():
        calls.sort()
        chain = []
        for start, end, _, function in calls:
            end = -end
            while chain and (start >= chain[-1][1] or end > chain[-1][1]):
                chain.pop()
            if chain:
                counts[chain[-1][2]][2] -= end - start
            count = counts.setdefault(function, [0, 0, 0, 0])
            count[0] += 1
            count[2] += end - start
            if all(function != other[2] for other in chain):
                count[1] += 1
                count[3] += end - start
            chain.append((start, end, function))
    return counts


def faults_of_trace(program, folder, trace):
    if not recount(trace):
        code = subprocess.run([program, "export", trace, "--to", "pstats", "-o", folder, "--quiet"],
                              stderr=subprocess.DEVNULL).returncode
        return (["%s: exit code %d without functions" % (trace, code)] if code != 3 else []), 0
    stats = load(program, folder, trace)
    faults = []
    for order, key in ORDERS.items():
        for limit in ((), (7,)):
            ours = run(program, "table", trace, "--group-by", "function", "--sort-by", order, "--row-limit",
                       str(limit[0] if limit else -1), "--quiet").decode()
            if printed(stats, key, limit) != ours:
                faults.append("%s, %s: other text than pstats'" % (trace, order))
    wanted = recount(trace)
    if set(wanted) != set(stats.stats):
        faults.append("%s: other functions" % trace)
    for function in set(wanted) & set(stats.stats):
        primitive, calls, own, total, _ = stats.stats[function]
        exact = wanted[function]
        if (calls, primitive) != tuple(exact[:2]) or abs(own * 1e9 - exact[2]) > 1 or abs(total * 1e9 - exact[3]) > 1:
            faults.append("%s: %s is %s, not %s" % (trace, function, (calls, primitive, own, total), exact))
    csv = run(program, "table", trace, "--group-by", "function", "--format", "csv", "--quiet").decode()
    if csv.count("\n") < len(wanted) + 1:
        faults.append("%s: csv has %d lines" % (trace, csv.count("\n")))
    try:
        from snakeviz.stats import json_stats, table_rows
    except ImportError:
        pass
    else:
        if len(table_rows(stats)) != len(wanted) or len(json_stats(stats)) != len(wanted):
            faults.append("%s: snakeviz sees other functions" % trace)
    return faults, len(wanted)


def deep(n):
    return deep(n - 1) + leaf() if n else leaf()


def leaf():
    return 1


def even(n):
    return odd(n - 1) if n else leaf()


def odd(n):
    return even(n - 1) if n else leaf()


def tree(n):
    return tree(n - 1) + tree(n - 2) if n > 1 else deep(n)


def work():
    return deep(5) + deep(2) + even(7) + tree(6) + leaf()


def record(path):
    events, chain = [], []

    def on_event(frame, event, _):
        if event == "call":
            chain.append((frame.f_code, time.perf_counter_ns()))
        elif event == "return" and chain:
            code, start = chain.pop()
            name = "%s(%d): %s" % (code.co_filename, code.co_firstlineno, code.co_name)
            events.append({"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": 1, "ts": start / 1000,
                           "dur": (time.perf_counter_ns() - start) / 1000, "args": {}})

    sys.setprofile(on_event)
    work()
    sys.setprofile(None)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def faults_of_recursion(program, folder):
    path = os.path.join(folder, "recursion.pt.trace.json")
    record(path)
    ours = load(program, folder, path).stats
    profile = cProfile.Profile()
    profile.runcall(work)
    profile.create_stats()
    faults = []
    names = {"deep", "leaf", "even", "odd", "tree", "work"}
    theirs = {function: row for function, row in profile.stats.items() if function[2] in names}
    for function, (primitive, calls, _, _, callers) in theirs.items():
        mine = ours.get(function, (0, 0, 0, 0, {}))
        if mine[:2] != (primitive, calls):
            faults.append("%s: %s calls, not %s" % (function[2], mine[:2], (primitive, calls)))
        wanted = {caller: row[:2] for caller, row in callers.items() if caller in theirs}
        found = {caller: row[:2] for caller, row in mine[4].items() if caller in theirs}
        if wanted != found:
            faults.append("%s: callers %s, not %s" % (function[2], found, wanted))
    return faults + ([] if len(theirs) == len(names) else ["cProfile saw %d functions" % len(theirs)])


def main():
    program, folder = sys.argv[1:3]
    faults, count = faults_of_recursion(program, folder), 0
    for trace in sys.argv[3:]:
        found, functions = faults_of_trace(program, folder, trace)
        faults += found
        count += functions
    print("%d functions in %d traces, %d faults" % (count, len(sys.argv) - 3, len(faults)), *faults[:20], sep="\n")
    return 1 if faults or (len(sys.argv) > 3 and not count) else 0


sys.exit(main())
