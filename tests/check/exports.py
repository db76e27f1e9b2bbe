"""exports.py WHAT ...: reads the files of `tracepress export` with independent programs. Prints the fault and exits with 1.

chrome TP TRACE...   every slice of a trace is in its cleaned trace, with name, start and duration
filters TP TRACE     filters select the right parts of a trace
raw TP TRACE...      every element and member of a trace is in its export, byte for byte
part TP TRACE...     every element of a step is in the export of the step
tables TP TRACE...   the CSV files equal the database, ids join, kernels are those of the trace, no cell starts a formula
pandas FILE...       numbers are read as numbers
xml FILE...          the XML is well-formed, and its only script contains no text of the trace
tasks TP             tasks have their known delays
ranges TP TRACE      ranges have their arguments
folded FILE...       flamegraph.pl and speedscope read each line as one stack
snakeviz FILE...     the loader of snakeviz finds the functions that pstats finds"""
import collections
import csv
import glob
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

KINDS = {"cpu_op", "operator", "user_annotation", "cuda_runtime", "cuda_driver", "runtime", "kernel", "gpu_memcpy", "memcpy",
         "gpu_memset", "memset", "python_function", "gpu_user_annotation"}


def read(path):
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(data.decode("utf-8", "replace"), parse_float=Decimal)


def export(tp, trace, *options):
    return json.loads(export_bytes(tp, trace, *options), parse_float=Decimal)


def export_bytes(tp, trace, *options):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tp, "export", trace, "--to", "chrome", "-o", folder, "--quiet", *options], check=True)
        name, = os.listdir(folder)
        # speedscope recognizes such names as another format
        assert name.endswith(".trace.json.gz") and not name.endswith(".chrome.json.gz"), name
        return gzip.open(os.path.join(folder, name)).read()


def slices(document):
    """Returns (name, start, duration) of each known slice, in nanoseconds of the clock of baseTimeNanoseconds."""
    events, base = document["traceEvents"], document.get("baseTimeNanoseconds", 0)
    base = base if isinstance(base, int) else 0
    good = [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and str(e.get("cat")).lower() in KINDS and isinstance(e.get("name"), str)
            and isinstance(e.get("ts"), (int, Decimal)) and isinstance(e.get("dur"), (int, Decimal)) and e["dur"] >= 0 and e["name"] != "[memory]"]
    return collections.Counter((e["name"], int(e["ts"] * 1000) + base, int(e["dur"] * 1000)) for e in good)


def chrome(tp, *traces):
    bad = 0
    for trace in traces:
        try:
            document = read(trace)
            theirs = slices(document if isinstance(document, dict) else {"traceEvents": document})
        except (ValueError, KeyError, TypeError):
            continue
        ours = slices(export(tp, trace, "--slim"))
        lost = sum((theirs - ours).values())
        calls = lambda found: collections.Counter(e["cat"] for e in found if isinstance(e, dict) and e.get("ph") == "X" and str(e.get("cat")).endswith(("_runtime", "_driver")) and not str(e["cat"]).startswith("cuda_"))
        slim = export(tp, trace, "--slim")["traceEvents"]
        assert calls(slim) == calls(document["traceEvents"] if isinstance(document, dict) else document), (trace, calls(slim))
        numbers = {str(e["args"]["correlation"]) for e in slim if e.get("cat") == "kernel" and e["ph"] == "X" and "correlation" in e.get("args", {})}
        arrows = {str(e["id"]) for e in slim if e.get("cat") == "ac2g" and e["ph"] == "f"}
        assert not numbers or not arrows or numbers & arrows, (trace, "arrows have other numbers than correlations")
        print(trace, sum(theirs.values()), "slices,", lost, "lost", list((theirs - ours).items())[:3])
        bad += lost
    return bad


def texts(data):
    """Returns two Counters: of the texts of all elements in the list of events, and of the other members of the
    document. The JSON decoder finds where values end, but numbers are not parsed."""
    document, decoder, space = data.decode("utf-8"), json.JSONDecoder(), re.compile(r"[ \t\r\n]*")
    skip = lambda at: space.match(document, at).end()

    def items(at):
        found, at = [], skip(at + 1)
        while document[at] != "]":
            end = decoder.raw_decode(document, at)[1]
            found.append(document[at:end])
            at = skip(end)
            at = skip(at + 1) if document[at] == "," else at
        return found, skip(at + 1)

    at = skip(0)
    if document[at] == "[":
        return collections.Counter(items(at)[0]), collections.Counter()
    events, members, at = [], [], skip(at + 1)
    while document[at] != "}":
        key, at = decoder.raw_decode(document, at)
        at = skip(skip(at) + 1)
        if key == "traceEvents":
            more, at = items(at)
            events += more
        else:
            end = decoder.raw_decode(document, at)[1]
            members.append((key, document[at:end]))
            at = skip(end)
        at = skip(at + 1) if document[at] == "," else at
    return collections.Counter(events), collections.Counter(members)


def stored(trace):
    data = open(trace, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def strictly(data):
    def refuse(word):
        raise ValueError(word)
    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def raw(tp, *traces):
    """Checks that the raw export loses and changes no element of the trace. Text that is not JSON must become JSON."""
    whole = damaged = 0
    for trace in traces:
        run = subprocess.run([tp, "export", trace, "--to", "chrome", "-o", tempfile.mkdtemp(), "--quiet"], capture_output=True)
        if run.returncode == 3:
            continue
        ours = export_bytes(tp, trace)
        # Python refuses numbers of 5,000 digits and 1,000 levels of nesting
        if "long_digits" not in trace and "deep_" not in trace:
            strictly(ours)
        try:
            strictly(stored(trace))
            theirs = texts(stored(trace))
        except (ValueError, KeyError, IndexError, EOFError, OSError, RecursionError):
            damaged += 1
            continue
        whole += 1
        for name, left, right in zip(("events", "members"), theirs, texts(ours)):
            assert left == right, (trace, name, list((left - right).items())[:2], list((right - left).items())[:2])
    print(whole, "traces as they were,", damaged, "made valid")
    return not whole + damaged


def part(tp, *traces):
    """Checks that the export of a step is a part of the trace. It must have all device work that the step launched, and
    complete arrows with their original ids."""
    cut = 0
    for trace in traces:
        found = re.search(rb'"name" *: *"ProfilerStep#([0-9]+)"', stored(trace))
        if not found:
            continue
        ours, theirs = export_bytes(tp, trace, "--step", found.group(1).decode()), stored(trace)
        left, right = texts(ours), texts(theirs)
        assert not left[0] - right[0] and left[1] == right[1], (trace, list((left[0] - right[0]).items())[:2])
        events = json.loads(ours)["traceEvents"]
        ends = collections.defaultdict(set)
        for event in events:
            if event.get("ph") in ("s", "f"):
                ends[(event.get("cat"), str(event.get("id")))].add(event["ph"])
        assert all(found == {"s", "f"} for found in ends.values()), [item for item in ends.items() if len(item[1]) < 2][:3]
        launched = {str(e["args"]["correlation"]) for e in events if e.get("ph") == "X" and e.get("cat") == "kernel" and "correlation" in e.get("args", {})}
        correlations = lambda list_of, cats: {e["args"]["correlation"] for e in list_of if isinstance(e, dict) and e.get("ph") == "X" and e.get("cat") in cats
                                              and isinstance(e.get("args"), dict) and "correlation" in e["args"]}
        work, calls = ("kernel", "gpu_memcpy", "gpu_memset"), ("cuda_runtime", "cuda_driver")
        lost = correlations(events, calls) & correlations(json.loads(theirs)["traceEvents"], work) - correlations(events, work)
        assert not lost, (trace, "launched in the step and not there", len(lost))
        arrows = {key[1] for key in ends if key[0] == "ac2g"}
        print(trace, sum(left[0].values()), "of", sum(right[0].values()), "elements,", len(arrows), "arrows,", len(launched & arrows), "of", len(launched), "kernels")
        cut += sum(left[0].values()) < sum(right[0].values())
    return not cut


def filters(tp, trace):
    everything = export(tp, trace, "--slim")["traceEvents"]
    kernels = [e for e in everything if e.get("cat") == "kernel"]
    only = export(tp, trace, "--slim", "--category", "kernel")["traceEvents"]
    assert {e["cat"] for e in only if e["ph"] == "X"} == {"kernel", "Trace"}, "category"
    assert len([e for e in only if e.get("cat") == "kernel"]) == len(kernels) > 10
    steps = [e for e in everything if e["ph"] == "X" and str(e.get("name")).startswith("ProfilerStep#") and e["cat"] == "user_annotation"]
    number = steps[1]["name"].split("#")[1]
    part = export(tp, trace, "--slim", "--step", number)["traceEvents"]
    names = {e["name"] for e in part if e["ph"] == "X"}
    assert steps[1]["name"] in names and steps[0]["name"] not in names, names
    cut = export(tp, trace, "--slim", "--from", "0.5", "--until", "1ms")["traceEvents"]
    times = [(e["ts"], e["ts"] + e["dur"]) for e in cut if e["ph"] == "X" and e["cat"] != "Trace"]
    assert times and all(start < 1000 and end >= 500 for start, end in times)
    wanted = sum(1 for e in everything if e["ph"] == "X" and e["cat"] != "Trace" and e["ts"] < 1000 and (e["ts"] + e["dur"] > 500 or e["ts"] >= 500))
    assert len(times) == wanted, (len(times), wanted)
    tid = kernels[0]["tid"]
    thread = [e for e in export(tp, trace, "--slim", "--thread", str(tid))["traceEvents"] if e["ph"] == "X" and e["cat"] != "Trace"]
    assert len(thread) >= len(kernels) and {e["tid"] for e in thread if e["cat"] == "kernel"} == {tid}, "thread"
    assert not [e for e in thread if e["cat"] in ("cpu_op", "cuda_runtime")], "thread"
    flows = [e for e in everything if e["ph"] in "sf"]
    assert len(flows) > 20 and not [e for e in only if e["ph"] in "sf"], "arrows"
    return 0


TABLES = ("tasks", "events", "kernels", "operators", "steps", "memory", "links")


def defused(value):
    text = "" if value is None else "%.9g" % value if isinstance(value, float) else str(value)
    return "'" + text if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") and text else text


def comparable_value(value):
    """Returns a value of args in a common form for trace, CSV file and database. In a CSV cell, every value is text,
    numbers may have another notation, and a text may begin with an apostrophe."""
    if isinstance(value, (list, dict)):
        return json.dumps(value, default=float)
    if value is None or isinstance(value, bool):
        return {None: "", True: "true", False: "false"}[value]
    text = str(value)[1:] if str(value)[:1] == "'" else str(value)
    if re.fullmatch(r"-?[0-9]+", text, re.A):
        return text if abs(int(text)) < 1 << 63 else repr(float(text))
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text, re.A):
        return repr(float(text))
    try:
        return json.dumps(json.loads(text)) if text[:1] in ("[", "{") else text
    except ValueError:
        return text


def check_args(db, folder, trace, events):
    """Checks that args contains each argument of each event in the table events, and nothing else."""
    written = list(csv.reader(open(glob.glob(folder + "/*.args.csv")[0], newline="", encoding="utf-8")))
    assert written[0] == ["event_id", "key", "value"], written[0]
    ours = collections.Counter((int(row[0]), comparable_value(row[1]), comparable_value(row[2])) for row in written[1:])
    theirs = collections.Counter((row[0], comparable_value(row[1]), comparable_value(row[2])) for row in db.execute("SELECT event_id, key, value FROM args"))
    assert ours == theirs, (trace, list((ours - theirs).items())[:3], list((theirs - ours).items())[:3])
    documented = [row[0] for row in db.execute("SELECT column_name FROM documentation WHERE table_name = 'args' AND definition != ''")]
    assert documented == ["", "event_id", "key", "value"], documented
    names = collections.Counter((row[1], comparable_value(row[2])) for row in ours.elements())
    slices = [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and isinstance(e.get("args"), dict) and e.get("name") != "[memory]"]
    wanted = collections.Counter((comparable_value(key), comparable_value(value)) for e in slices for key, value in e["args"].items())
    if "random" not in trace and "reading" not in trace: # these traces have broken events
        assert names == wanted, (trace, list((names - wanted).items())[:3], list((wanted - names).items())[:3])
    return ours.total()


def check_tables(folder, trace):
    db = sqlite3.connect(glob.glob(folder + "/*.sqlite")[0])
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)] and db.execute("PRAGMA user_version").fetchone() == (1,)
    for table in TABLES:
        cursor = db.execute("SELECT * FROM " + table + (" ORDER BY event_id" if table in ("events",) else ""))
        names, rows = [d[0] for d in cursor.description], [[defused(v) for v in row] for row in cursor]
        written = list(csv.reader(open(glob.glob("%s/*.%s.csv" % (folder, table))[0], newline="", encoding="utf-8")))
        assert written[0] == names, (table, names, written[0])
        assert sorted(written[1:]) == sorted(rows), (table, [x for x in zip(sorted(written[1:]), sorted(rows)) if x[0] != x[1]][:1])
        documented = [row[0] for row in db.execute("SELECT column_name FROM documentation WHERE table_name = ? AND definition != ''", (table,))]
        assert documented == [""] + names, documented
    for column in ("kernels.launch_event_id", "kernels.operator_event_id", "operators.parent_event_id", "memory.operator_event_id",
                   "links.from_event_id", "links.to_event_id", "kernels.event_id", "operators.event_id"):
        table, name = column.split(".")
        lost = db.execute("SELECT count(*) FROM %s WHERE %s NOT IN (SELECT event_id FROM events)" % (table, name)).fetchone()[0]
        assert lost == 0, (column, lost)
    wrong = db.execute("SELECT count(*) FROM operators o JOIN events e USING (event_id) WHERE o.name != e.name OR o.start_ns != e.start_ns").fetchone()[0]
    assert wrong == 0
    document = read(trace)
    events = document["traceEvents"] if isinstance(document, dict) else document
    events = [e for e in events if isinstance(e, dict) and str(e.get("cat")).lower() == "kernel" and e.get("ph") == "X" and "dur" in e]
    kernels = db.execute("SELECT count(*), total(duration_ns) FROM kernels WHERE kind = 'kernel'").fetchone()
    if "random" not in trace and "reading" not in trace: # these traces have broken numbers
        assert kernels == (len(events), sum(int(e["dur"] * 1000) for e in events)), (kernels, len(events))
    print(trace, kernels, check_args(db, folder, trace, document["traceEvents"] if isinstance(document, dict) else document), "arguments")


def tables(tp, *traces):
    for trace in traces:
        with tempfile.TemporaryDirectory() as folder:
            for to in ("csv", "sqlite"):
                subprocess.run([tp, "export", trace, "--to", to, "-o", folder, "--quiet"], check=True)
            check_tables(folder, trace)
            check_costs(tp, folder, trace)
    return not traces


def check_costs(tp, folder, trace):
    """Checks that calls, times, operations and bytes by kind of work equal those in the report."""
    db = sqlite3.connect(glob.glob(folder + "/*.sqlite")[0])
    done = subprocess.run([tp, "report", trace, "--json", "-", "--quiet"], check=True, stdout=subprocess.PIPE)
    view = json.loads(done.stdout)["runs"][0]["profiles"][0].get("work_view") or {}
    wanted = {row["kind"]: (row["calls"], row["flops"], row["bytes"]) for row in view.get("devices", [])}
    found = {row[0]: row[1:] for row in db.execute("SELECT work, count(*), total(flops), total(least_bytes) FROM kernels GROUP BY work")}
    assert found == {kind: tuple(v or 0 for v in values) for kind, values in wanted.items()}, (trace, found, wanted)


def nearest(sorted_ns, percent):
    return sorted_ns[-(-len(sorted_ns) * percent // 100) - 1]


def tasks(tp):
    """Checks 1,000 requests in all outputs. Request k begins at 10 k us, takes a known time, and may end on any
    thread."""
    # each duration from 100 to 100,000 ns, in steps of 100 ns, occurs once
    delays = [((k * 7919) % 1000 + 1) * 100 for k in range(1000)]
    ends, starts = [], [k * 10000 for k in range(1000)]
    events = [{"ph": "X", "cat": "cpu_op", "name": "serve", "pid": 1, "tid": 1, "ts": 0, "dur": 20000}]
    for k, delay in enumerate(delays):
        for phase, ns, thread in (("b", starts[k], 1), ("e", starts[k] + delay, 2 + k % 3)):
            events.append({"ph": phase, "cat": "task", "name": "request", "id": k, "pid": 1, "tid": thread, "ts": ns / 1000})
        ends.append(starts[k] + delay)
    events.append({"ph": "b", "cat": "task", "name": "request", "id": 5000, "pid": 1, "tid": 1, "ts": 10500.0})
    moments = sorted([(s, 1) for s in starts + [10500000]] + [(e, -1) for e in ends])
    open_now = most = 0
    for _, step in moments: # at equal times, ends come before starts
        open_now += step
        most = max(most, open_now)
    known = sorted(delays)
    wanted = ["request", 1000, sum(delays), nearest(known, 50), nearest(known, 95), nearest(known, 99), known[-1], most, 1]
    with tempfile.TemporaryDirectory() as folder:
        trace = folder + "/tasks.pt.trace.json"
        json.dump({"traceEvents": events}, open(trace, "w"))
        for to in ("csv", "sqlite"):
            subprocess.run([tp, "export", trace, "--to", to, "-o", folder, "--quiet"], check=True)
        subprocess.run([tp, "report", trace, "--json", folder + "/views.json", "-o", folder + "/page.html", "--quiet"], check=True)
        rows = list(csv.reader(open(folder + "/tasks.tasks.csv", newline="")))
        assert rows == [["name", "count", "total_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns", "most_at_once", "open"], [str(x) for x in wanted]], rows
        found = sqlite3.connect(folder + "/tasks.sqlite").execute("SELECT * FROM tasks").fetchall()
        assert found == [tuple(wanted)], found
        row, = json.load(open(folder + "/views.json"), parse_float=Decimal)["runs"][0]["profiles"][0]["task_view"]["tasks"]
        values = [row[k] for k in ("task", "count", "total_us", "p50_us", "p95_us", "p99_us", "max_us", "at_once", "open")]
        assert values == wanted[:2] + [Decimal(x) / 1000 for x in wanted[2:7]] + wanted[7:], values
    print("tasks", wanted)


def ranges(tp, trace):
    """Checks that arguments of ranges, including kind and color, equal those in the trace."""
    events = [e for e in read(trace)["traceEvents"] if e.get("ph") == "X"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tp, "export", trace, "--to", "sqlite", "-o", folder, "--quiet"], check=True)
        db = sqlite3.connect(glob.glob(folder + "/*.sqlite")[0])
        rows = db.execute("SELECT event_id, key, value FROM args").fetchall()
        assert rows == [(i, key, value) for i, e in enumerate(events) for key, value in e["args"].items()
                        ] or [tuple(map(str, r)) for r in rows] == [(str(i), k, str(v)) for i, e in enumerate(events) for k, v in e["args"].items()], rows[:9]
        assert {r[1] for r in rows} >= {"kind", "color", "file", "rows", "residual"}, rows[:9]
    print(len(rows), "arguments of ranges")


def profiles_and_databases(tp, traces):
    """Yields for each trace with one profile: its path, the profile in the JSON of the report, and a function that returns
    the rows of a query about a table of the exported database; none if the database lacks the table."""
    for trace in traces:
        with tempfile.TemporaryDirectory() as folder:
            if subprocess.run([tp, "report", trace, "--json", folder + "/views.json", "--quiet"], stderr=subprocess.DEVNULL).returncode == 3:
                continue
            subprocess.run([tp, "export", trace, "--to", "sqlite", "-o", folder, "--quiet"], check=True)
            profiles = [p for run in json.load(open(folder + "/views.json"))["runs"] for p in run["profiles"]]
            files = glob.glob(folder + "/**/*.sqlite", recursive=True)
            if len(profiles) != 1 or len(files) != 1:
                continue
            db = sqlite3.connect(files[0])
            tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
            yield trace, profiles[0], lambda table, columns="*": (
                db.execute(f"SELECT {columns} FROM {table}").fetchall() if table in tables else [])


def what_ifs(tp, *traces):
    """Checks that the tables of the critical path and of changes equal the JSON of the report."""
    counts = [0, 0]
    for trace, profile, rows_of in profiles_and_databases(tp, traces):
        view = profile.get("what_if_view")
        if not view:
            continue
        parts, answers = rows_of("critical_path", "kind, name, ns, share"), rows_of("what_if")
        assert [r[:3] for r in parts[:20]] == [(r["kind"], r["name"], r["ns"]) for r in view["critical"]["rows"]], trace
        assert not parts or abs(sum(r[3] for r in parts) - 100) < 1e-6, trace
        assert answers == [tuple(r.values()) for r in view["what_if"]], trace
        counts = [counts[0] + len(parts), counts[1] + len(answers)]
    print(counts[0], "parts of critical paths,", counts[1], "changes")
    return min(counts) == 0


def streams(tp, *traces):
    """Checks that the tables of streams, launch delays, durations and copies equal the JSON of the report, with times in
    nanoseconds."""
    count = 0
    members = ("name", "calls", "total_us", "total_bytes", "rate_gb_per_s", "p50_gb_per_s", "p99_gb_per_s", "max_gb_per_s")
    for trace, profile, rows_of in profiles_and_databases(tp, traces):
        kernels = profile["kernel_view"] or {}
        views = dict(profile.get("stream_view", {}), kernel_durations=kernels.get("durations", []),
                     copies=[{m: row[m] for m in members} for row in kernels.get("copies_by_name", [])])
        for name in ("streams", "launch_delays", "kernel_durations", "copies"):
            rows = [tuple(round(v * 1000) if k.endswith("_us") and v is not None else v for k, v in row.items())
                    for row in views.get(name, [])]
            assert rows == rows_of(name), (trace, name)
            count += len(rows)
    assert count
    print(count, "rows of streams, launch delays, durations and copies")


def pandas(*files):
    import pandas as library
    for path in files:
        frame = library.read_csv(path)
        for name in frame:
            is_number = name.endswith(("_ns", "_id", "_bytes", "_pct")) or name in ("step", "device_number", "stream", "correlation")
            assert not is_number or frame[name].dtype != object or frame[name].isna().all(), (path, name, frame[name].dtype)
    return not files


def duckdb(folder):
    import duckdb as library
    table = lambda name: "read_csv('%s')" % glob.glob("%s/*.%s.csv" % (folder, name))[0]
    rows = library.sql("SELECT e.category, c.value, count(*), sum(CAST(n.value AS BIGINT)) FROM %s e JOIN %s c ON c.event_id = e.event_id AND c.key = 'Collective name' "
                       "JOIN %s n ON n.event_id = e.event_id AND n.key = 'In msg nelems' GROUP BY ALL" % (table("events"), table("args"), table("args"))).fetchall()
    print(rows)
    return not rows or not all(row[3] > 0 for row in rows)


def xml(*files):
    for path in files:
        root = ElementTree.parse(path).getroot()
        tags = collections.Counter(e.tag.split("}")[1] for e in root.iter())
        odd = set(tags) - {"svg", "title", "style", "script", "rect", "text", "g", "path"}
        handlers = [a for e in root.iter() for a in e.attrib if a.lower().startswith("on") or "href" in a]
        assert not odd and not handlers and tags["script"] <= 1, (path, odd, handlers)
    print(len(files), "files")
    return not files


def folded(*files):
    """Checks the lines of folded stacks. flamegraph.pl reads "STACK NUMBER", and a second number for a difference.
    speedscope ends a line where JavaScript does. Names in a trace must not be mistaken for numbers or line ends."""
    count = 0
    for path in files:
        for line in open(path, "rb").read().decode("utf-8", "surrogateescape").split("\n")[:-1]:
            match = re.match(r"^([^\n\r\u2028\u2029]*) (\d+)$", line)
            assert match and int(match.group(2)) > 0, (path, line)
            assert not re.match(r"^(.*)\s+?(\d+(?:\.\d*)?)$", match.group(1), re.A), (path, line)
            assert all(match.group(1).split(";")) and not re.search(r"[\x00-\x20\x7f]", match.group(1)), (path, line)
            count += 1
    print(len(files), "files", count, "lines")
    return not count


def snakeviz(*files):
    import pstats
    from snakeviz.stats import json_stats, table_rows
    for path in files:
        stats = pstats.Stats(path)
        assert len(table_rows(stats)) == len(json.loads(json_stats(stats)) if isinstance(json_stats(stats), str) else json_stats(stats)) == len(stats.stats) > 3, path
    return not files


sys.exit(bool({"folded": folded, "snakeviz": snakeviz, "chrome": chrome, "raw": raw, "part": part, "filters": filters, "tables": tables, "tasks": tasks, "ranges": ranges, "what_ifs": what_ifs, "streams": streams, "pandas": pandas, "duckdb": duckdb, "xml": xml}[sys.argv[1]](*sys.argv[2:])))
