"""Checks `tracepress export` on memory snapshots.

usage: snapshot_exports.py TRACEPRESS WORK CASE [ARGUMENT...]

The case `files` has files as arguments. The case `drawn` has the first seed and the number of the files that
snapshot_programs.py draws. Both read each pickle with Python, and compare the exports with the pickle and with the JSON
of `report`. The other cases have numbers that are counted by hand. WORK: folder for files of the case."""
import base64
import collections
import csv
import gzip
import json
import os
import pickle
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from snapshot_allocator import snapshot
from snapshot_commands import FIRST_ADDRESS, FORWARD, LOAD, MIB, Maker, base, larger, write
from snapshot_programs import WRITERS, draw_program

TRACEPRESS, WORK, CASE, ARGUMENTS = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
TABLES = ("blocks", "events", "segments", "stacks", "curve", "steps", "findings")
csv.field_size_limit(1 << 27)


def equal(what, got, wanted):
    if got != wanted:
        sys.exit("%s: got %.900r, wanted %.900r" % (what, got, wanted))


def run(*arguments, code=0):
    done = subprocess.run([TRACEPRESS, *arguments], capture_output=True, text=True, timeout=300)
    equal("exit code of %s (%s)" % (" ".join(arguments), done.stderr), done.returncode, code)
    return done.stderr


def stem(path):
    return re.sub(r"(\.pickle|\.pkl|\.pt)?(\.html)?(\.gz)?$", "", os.path.basename(path))


def folder(name):
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    return path


def report(path):
    out = os.path.join(WORK, "out.json")
    run("report", path, "-q", "-o", os.path.join(WORK, "o.html"), "--json", out)
    with open(out) as file:
        return json.load(file)


def read_csv(out, name):
    """Returns the tables; the cells are texts."""
    tables = {}
    for table in TABLES:
        with open("%s/%s.%s.csv" % (out, name, table), newline="", encoding="utf-8") as file:
            text = file.read()
        rows = list(csv.reader(text.splitlines(keepends=True)))
        names, rows = rows[0], rows[1:]
        tables[table] = [dict(zip(names, row)) for row in rows]
    return tables


def read_sqlite(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    db.row_factory = sqlite3.Row
    equal("integrity", db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    tables = {}
    for table in TABLES:
        tables[table] = [dict(row) for row in db.execute("SELECT * FROM %s" % table)]
        described = {row[0] for row in db.execute(
            "SELECT column_name FROM documentation WHERE table_name = ? AND length(definition) > 3", (table,))}
        columns = {row[1] for row in db.execute("PRAGMA table_info(%s)" % table)}
        equal("described columns of " + table, described, columns | {""})
    db.close()
    return tables


def load(path):
    """Reads a snapshot without tracepress."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:1] != b"\x80":
        data = base64.b64decode(re.search(rb'"base64": *"([^"]*)"', data).group(1))
    made = pickle.loads(data.rstrip(b"\0") if data.endswith(b".\0") else data)
    return made if isinstance(made, dict) else {"segments": made, "device_traces": []}


def unsigned(number):
    return number % (1 << 64)


def signed(number):
    number %= 1 << 64
    return number - (1 << 64) if number >> 63 else number


def safe(text):
    """The text that a spreadsheet does not take for a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def compare_forms(rows_csv, rows_sqlite):
    """The tables of csv and sqlite are equal."""
    for table in TABLES:
        equal("rows of " + table, len(rows_csv[table]), len(rows_sqlite[table]))
        key = lambda row: tuple(str(v) for v in row.values())
        texts = [{k: "" if v is None else safe(v) if isinstance(v, str) else str(v) for k, v in row.items()}
                 for row in rows_sqlite[table]]
        equal("cells of " + table, sorted(texts, key=key), sorted(rows_csv[table], key=key))


def frames_of(stacks, number):
    found = []
    while number is not None:
        row = stacks[number]
        found.append((row["file"], row["line_number"], row["function"]))
        equal("depth", row["depth"], 1 + (stacks[row["caller_stack_id"]]["depth"] if row["caller_stack_id"] else 0))
        number = row["caller_stack_id"]
    return found


def listed(frames):
    return [(f["filename"], f["line"], f["name"]) for f in frames or ()]


def compare_with_pickle(tables, made):
    stacks = {row["stack_id"]: row for row in tables["stacks"]}
    events = collections.defaultdict(list)
    for row in tables["events"]:
        events[row["device"]].append(row)
    for device, trace in enumerate(made["device_traces"]):
        equal("events", [row["event_index"] for row in events[device]], list(range(len(trace))))
        for row, event in zip(events[device], trace):
            if "history" in event:
                continue
            is_oom = event["action"] == "oom"
            equal("action", row["action"], event["action"])
            equal("place", row["device_free_bytes" if is_oom else "address"],
                  signed(event["device_free" if is_oom else "addr"]))
            equal("numbers", (row["bytes"], row["stream"], row["time_us"], row["user_metadata"]),
                  (signed(event["size"]), signed(event["stream"]), event.get("time_us"), event.get("user_metadata", "")))
            equal("stack", frames_of(stacks, row["stack_id"]), listed(event.get("frames")))
    wanted = sorted((s["device"], signed(s["address"]), s["total_size"], s["stream"], s["segment_type"],
                     *s.get("segment_pool_id", (0, 0)), int(s.get("is_expandable", False)),
                     sum(b["size"] for b in s["blocks"] if b["state"] == "active_allocated"),
                     sum(b["size"] for b in s["blocks"] if b["state"] != "inactive"),
                     sum(b["state"] != "inactive" for b in s["blocks"])) for s in made["segments"])
    got = sorted((r["device"], r["address"], r["bytes"], r["stream"], r["kind"], r["pool_first"], r["pool_second"],
                  r["is_expandable"], r["allocated_bytes"], r["active_bytes"], r["blocks"]) for r in tables["segments"])
    equal("segments", got, wanted)
    live = collections.Counter()
    for s in made["segments"]:
        at = s["address"]
        for b in s["blocks"]:
            if b["state"] == "active_allocated":
                requested = b.get("requested_size", b["size"])
                live[s["device"], signed(at), b["size"]] += 1
            at += b["size"]
    equal("blocks at the end", collections.Counter((b["device"], b["address"], b["bytes"]) for b in tables["blocks"]
                                                   if b["end_state"] == "allocated"), live)


def live_at(blocks, index):
    return [b for b in blocks if b["alloc_index"] is not None and b["alloc_index"] <= index and
            (b["free_index"] is None or b["free_index"] > index)]


def compare_groups(what, blocks, live_by):
    equal(what, (sum(b["bytes"] for b in blocks), len(blocks)), (live_by["bytes"], live_by["blocks"]))
    for key, column in (("line", "line"), ("site", "site"), ("category", "category"), ("stream", "stream"),
                        ("metadata", "user_metadata"), ("pool", "pool")):
        if CASE == "drawn" and key == "pool":
            continue  # events of segments in drawn programs have the pool of the program at that time
        groups = collections.defaultdict(lambda: [0, 0, 0])
        for b in blocks:
            group = groups[str(b[column])]
            group[0] += b["bytes"]
            group[1] += b["requested_bytes"]
            group[2] += 1
        rows = live_by[key]["rows"]
        equal("%s by %s" % (what, key), {row["name"]: [row["bytes"], row["requested_bytes"], row["blocks"]]
                                         for row in rows},
              {row["name"]: groups.get(row["name"]) for row in rows})
        equal("%s groups by %s" % (what, key), len(groups), live_by[key]["rows_total"])


def compare_with_report(tables, made):
    for d in made["devices"]:
        blocks = [b for b in tables["blocks"] if b["device"] == d["device"]]
        curve = [c for c in tables["curve"] if c["device"] == d["device"]]
        equal("curve length", len(curve), 1 + d["events"])
        names = ("allocated_bytes", "active_bytes", "reserved_bytes", "requested_bytes")
        by_index = {c["event_index"]: c for c in curve}
        for point in d["curve_points_up_to_1024"]:
            row = by_index[point[0]]
            equal("point", [row["event_index"], row["time_us"]] + [row[n] for n in names], point)
        peak = d["peak"]
        compare_groups("peak", live_at(blocks, peak["index"]), peak["live_by"])
        if d["events"]:
            equal("peak of the curve", max(c["allocated_bytes"] for c in curve), peak["allocated_bytes"])
        for b in blocks:
            if b["alloc_index"] is not None and b["alloc_index"] >= 0:
                equal("time", b["alloc_us"], by_index[b["alloc_index"]]["time_us"])
        end = [b for b in blocks if b["end_state"] == "allocated"]
        compare_groups("end", end, d["end"]["live_by"])
        equal("active", sum(b["bytes"] for b in blocks if b["end_state"]), d["end"]["active_bytes"])
        equal("reserved", sum(s["bytes"] for s in tables["segments"] if s["device"] == d["device"]),
              d["end"]["reserved_bytes"])
        for oom in d["ooms"]:
            compare_groups("oom", live_at(blocks, oom["index"] - 1), oom["live_by"])
        growth = d["growth"]
        equal("steps", [(s["name"], s["event_index"], s["allocated_bytes"], s["peak_bytes"], s["allocs"])
                        for s in tables["steps"] if s["device"] == d["device"]],
              [(b["name"], b["index"], b["allocated_bytes"], b["peak_bytes"], b["allocs"])
               for b in growth["boundaries"]])
        equal("findings", [{k: v for k, v in f.items() if k not in ("device", "finding") and v is not None}
                           for f in tables["findings"] if f["device"] == d["device"]],
              [{k: v for k, v in f.items() if k not in ("id", "kind") and v is not None} for f in d["findings"]])


def folded_lines(out, name, device, when):
    """Returns the bytes by stack."""
    with open("%s/%s.GPU%d.%s.folded" % (out, name, device, when), encoding="utf-8") as file:
        lines = [line.rsplit(" ", 1) for line in file.read().split("\n")[:-1]]
    equal("one line for each stack", len({stack for stack, _ in lines}), len(lines))
    return {stack: int(number) for stack, number in lines}


def folded_name(stack):
    return re.sub(r"[\0-\x20\x7f]", "_", stack) or "(no_stack)"


def compare_stacks(path, made):
    """The lines of `folded` are the stacks of the report, and their sum is the allocated memory."""
    for when, live_of in (("peak", lambda d: d["peak"]["live_by"]), ("end", lambda d: d["end"]["live_by"]),
                          ("oom", lambda d: d["ooms"][-1]["live_by"] if d["ooms"] else {"bytes": 0})):
        wanted = {d["device"]: live_of(d) for d in made["devices"] if live_of(d)["bytes"]}
        out = folder("folded")
        run("export", path, "--to", "folded", "--at", when, "-o", out, "-q", code=0 if wanted else 3)
        for device, live in wanted.items():
            lines = folded_lines(out, stem(path), device, when)
            equal("bytes at " + when, sum(lines.values()), live["bytes"])
            for row in live["stack"]["rows"]:
                equal("stack at " + when, lines.get(folded_name(row["name"])), row["bytes"])
            equal("stacks at " + when, len(lines), live["stack"]["rows_total"])


def table(path, *arguments, code=0):
    done = subprocess.run([TRACEPRESS, "table", path, *arguments], capture_output=True, text=True, timeout=300)
    equal("exit code of table %s (%s)" % (" ".join(arguments), done.stderr), done.returncode, code)
    return done.stderr if code else done.stdout


def compare_tables(path, made):
    """The largest rows of each table are those of the report, and all rows add up to the allocated memory."""
    for when, live_of in (("peak", lambda d: d["peak"]["live_by"]), ("end", lambda d: d["end"]["live_by"]),
                          ("oom", lambda d: d["ooms"][-1]["live_by"] if d["ooms"] else None)):
        devices = [live_of(d) for d in made["devices"] if live_of(d)]
        for key in ("line", "site", "module", "category", "size", "stream", "pool", "metadata", "stack", "fx_node"):
            out = table(path, "--at", when, "--group-by", key, "--format", "json", "-q", code=0 if devices else 3)
            for live, got in zip(devices, json.loads(out)["profiles"] if devices else ()):
                rows = [{k: v for k, v in row.items() if k != "share_pct"} for row in got["rows"]]
                equal("table by " + key, rows[:30], live[key]["rows"])
                equal("rows by " + key, len(rows), live[key]["rows_total"])
                equal("bytes by " + key, sum(row["bytes"] for row in rows), live["bytes"])


def picture(path, device=0):
    """Returns the boxes of blocks and segments as (x, width, height, tooltip), and all texts."""
    root = ElementTree.parse("%s.GPU%d.memory.svg" % (path, device)).getroot()
    groups = {group.get("id"): group for group in root.iter("{http://www.w3.org/2000/svg}g")}
    boxes = [[(float(r.get("x")), float(r.get("width")), float(r.get("height")), "".join(r.itertext()))
              for r in (groups[name] if name in groups else ())] for name in ("blocks", "segments")]
    return (*boxes, ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")])


def compare_pictures(path, tables, made):
    """Every block of the allocator is in the picture, and the peak is that of the report."""
    if not any(d["events"] for d in made["devices"]):
        run("export", path, "--to", "memory-flow", "-q", code=3)
        return
    for colour in ("line", "category", "stream", "lifetime", "module"):
        out = folder("flow")
        run("export", path, "--to", "memory-flow", "--color-by", colour, "--from", "0", "-o", out, "-q")
        for d in made["devices"]:
            if not d["events"]:
                continue
            rows = [b for b in tables["blocks"] if b["device"] == d["device"] and b["alloc_index"] is not None]
            outside = sum(b["complete_index"] is not None and b["complete_index"] <= 0 for b in rows)
            texts = picture(os.path.join(out, stem(path)), d["device"])[2]
            equal("heading", [t.split(" ")[0] for t in texts if " in " in t and "segment" in t],
                  ["{:,}".format(len(rows) - outside)])
            equal("peak", [t.split(" at event ")[1] for t in texts if " at event " in t],
                  [str(max(d["peak"]["index"], 0))])


def compare_file(path):
    out = folder("files")
    run("export", path, "--to", "csv", "-o", out, "-q")
    run("export", path, "--to", "sqlite", "-o", out, "-q")
    tables = read_sqlite("%s/%s.sqlite" % (out, stem(path)))
    compare_forms(read_csv(out, stem(path)), tables)
    compare_with_pickle(tables, load(path))
    made = report(path)
    compare_with_report(tables, made)
    compare_stacks(path, made)
    compare_tables(path, made)
    compare_pictures(path, tables, made)


def case_files():
    for path in ARGUMENTS:
        try:
            compare_file(path)
        except SystemExit as wrong:
            sys.exit("%s: %s" % (path, wrong))


def case_drawn():
    for seed in range(int(ARGUMENTS[0]), int(ARGUMENTS[0]) + int(ARGUMENTS[1])):
        allocators, writer = draw_program(seed)
        path = os.path.join(WORK, "drawn.pickle")
        with open(path, "wb") as file:
            file.write(WRITERS[writer](snapshot(allocators)))
        try:
            compare_file(path)
        except SystemExit as wrong:
            sys.exit("seed %d (%s): %s" % (seed, writer, wrong))


# ---- numbers counted by hand ----


def exported(*makers, **options):
    path = write(os.path.join(WORK, "a.pickle"), *makers, **options)
    out = folder("out")
    run("export", path, "--to", "csv", "-o", out, "-q")
    run("export", path, "--to", "sqlite", "-o", out, "-q")
    tables = read_sqlite(out + "/a.sqlite")
    compare_forms(read_csv(out, "a"), tables)
    return tables


def column(rows, *names):
    return [tuple(row[name] for name in names) for row in rows]


def case_lives_of_blocks():
    """5 blocks on device 0; a block on device 1. The ring lost the first two events: the first block is older."""
    maker, other = larger(), Maker(device=1)
    other.alloc(10, LOAD, requested=9 * MIB, user_metadata="=1+1")
    tables = exported(maker, other, keep=len(maker.events) - 2)
    start = maker.events[2]["time_us"]
    first, second = FIRST_ADDRESS, FIRST_ADDRESS + 12 * MIB
    # after the first two events: 3 x (segment_alloc, alloc), 4 x 2 frees, alloc, alloc
    equal("blocks", column(tables["blocks"], "device", "address", "bytes", "alloc_index", "free_index",
                           "complete_index", "alloc_us", "free_us", "end_state"), [
        (0, first, 10 * MIB, -1, 12, 13, None, start + 120, None),
        (0, second, 20 * MIB, 1, 6, 7, start + 10, start + 60, None),
        (0, second + 22 * MIB, 20 * MIB, 3, 8, 9, start + 30, start + 80, None),
        (0, second + 44 * MIB, 20 * MIB, 5, 10, 11, start + 50, start + 100, None),
        (0, first, 10 * MIB, 14, None, None, start + 140, None, "allocated"),
        (0, second, 20 * MIB, 15, None, None, start + 150, None, "allocated"),
        (1, first, 10 * MIB, 1, None, None, other.events[1]["time_us"], None, "allocated")])
    equal("one more", column(tables["blocks"][-1:], "requested_bytes", "line", "user_metadata", "pool", "stream"),
          [(9 * MIB, "data.py(7): load", "=1+1", "default, large", 0)])
    equal("allocated bytes", [c["allocated_bytes"] // MIB for c in tables["curve"]],
          [10, 10, 30, 30, 50, 50, 70, 50, 50, 30, 30, 10, 10, 0, 0, 10, 30, 0, 0, 10])
    stacks = {row["stack_id"]: row for row in tables["stacks"]}
    equal("stacks", sorted(frames_of(stacks, number) for number in stacks), sorted([
        [("/home/app/train.py", 30, "main")],
        [("/home/app/data.py", 7, "load"), ("/home/app/train.py", 30, "main")],
        [("/home/app/train.py", 41, "main")],
        [("/home/app/model.py", 19, "forward"), ("/home/app/train.py", 41, "main")]]))


def case_contradictions():
    """The end has a block that no event explains: it is in a row of its own, at the end only."""
    maker = Maker()
    kept = maker.alloc(10, LOAD)
    maker.free(kept, LOAD)
    maker.events.append(dict(maker.events[1], addr=kept, size=4 * MIB))
    maker.live[kept] = (10 * MIB, 10 * MIB, LOAD)
    tables = exported(maker)
    equal("rows", column(tables["blocks"], "address", "bytes", "requested_bytes", "alloc_index", "end_state")[-1:],
          [(kept, 10 * MIB, 10 * MIB, None, "allocated")])
    equal("replayed", column(tables["blocks"], "alloc_index", "free_index", "bytes", "end_state")[:-1],
          [(1, 2, 10 * MIB, None), (4, None, 4 * MIB, None)])


def case_stacks():
    """At the peak, 60 MiB of forward and 10 MiB of load; at the end 20 and 10; the request of 64 MiB finds 30 MiB."""
    forward, load = "train.py(41):_main;model.py(19):_forward", "train.py(30):_main;data.py(7):_load"
    maker = larger()
    maker.oom(64, 1, FORWARD)
    maker.free(next(iter(maker.live)), LOAD)
    path = write(os.path.join(WORK, "a.pickle"), maker)
    before = write(os.path.join(WORK, "before.pickle"), base())
    for when, wanted in (("peak", {load: 10 * MIB, forward: 60 * MIB}), ("end", {forward: 20 * MIB}),
                         ("oom", {load: 10 * MIB, forward: 20 * MIB})):
        out = folder("out")
        run("export", path, "--to", "folded", "--at", when, "-o", out, "-q")
        equal(when, folded_lines(out, "a", 0, when), wanted)
    run("export", path, "--to", "flamegraph", "--baseline", before, "-o", out, "-q")
    with open(out + "/a.GPU0.peak.diff.svg", encoding="utf-8") as file:
        texts = ["".join(e.itertext()) for e in ElementTree.parse(file).iter() if e.tag.endswith("}title")]
    # the function moved from line 12 to 19, and main from line 40 to 41: they are the same functions
    equal("difference", sorted(texts), sorted([
        "a, GPU 0, at the peak",
        "all\n70.0 MiB, 100.00 %; before 50.0 MiB: +20.0 MiB (+40.0 %)",
        "train.py(41): main\n60.0 MiB, 85.71 %; before 40.0 MiB: +20.0 MiB (+50.0 %)",
        "model.py(19): forward\n60.0 MiB, 85.71 %; before 40.0 MiB: +20.0 MiB (+50.0 %)",
        "train.py(30): main\n10.0 MiB, 14.29 %; before 10.0 MiB: as before",
        "data.py(7): load\n10.0 MiB, 14.29 %; before 10.0 MiB: as before"]))
    said = run("export", before, "--to", "folded", "--at", "oom", "-o", out, code=3)
    equal("no failed request", "no request for memory failed" in said, True)
    for more, text in ((("--to", "csv", "--at", "end"), "--at: this format shows all moments"),
                       (("--to", "folded", "--baseline", before), "--baseline: this format cannot show a difference"),
                       (("--to", "folded", "--metric", "calls"), "--metric has no effect on memory snapshots")):
        equal(text, text in run("export", path, *more, code=2), True)
    trace = os.path.join(os.environ["DATA"], "traces", "case_allocator.pt.trace.json.gz")
    equal("traces", "--at: only memory snapshots" in run("export", trace, "--to", "flamegraph", "--at", "end", code=2),
          True)
    run("export", path, "--to", "flamegraph", "--baseline", trace, "-o", out, code=3)


def case_tables():
    """The peak has 3 blocks of 20 MiB and one of 10 MiB; a block of 9 MiB is rounded to 10 MiB on device 1."""
    maker, other = larger(), Maker(device=1)
    other.alloc(10, [], requested=9 * MIB)
    path = write(os.path.join(WORK, "a.pickle"), maker)
    equal("text", table(path), " MiB  requested MiB     %  blocks  name\n60.0           60.0  85.7       3  "
          "model.py(19): forward\n10.0           10.0  14.3       1  data.py(7): load\n")
    equal("names", table(path, "--sort-by", "name", "--row-limit", "1", "--format", "csv"),
          "name,bytes,requested_bytes,blocks,share_pct,profile\n\"data.py(7): load\",10485760,10485760,1,%r,\"a\"\n"
          % (1000 / 70))
    idle = Maker()
    idle.free(idle.alloc(10, LOAD))
    equal("no rows", table(write(os.path.join(WORK, "idle.pickle"), idle), "--at", "end"),
          "No memory is allocated at this moment.\n")
    equal("no device", "has no events and no segments" in table(write(os.path.join(WORK, "no.pickle"), Maker()), code=3),
          True)
    path = write(os.path.join(WORK, "b.pickle"), maker, other)
    equal("devices", table(path, "--at", "end", "--group-by", "site").split("\n")[5:],
          ["b.pickle, GPU 1", " MiB  requested MiB      %  blocks  name", "10.0            9.0  100.0       1  -", ""])
    markdown = table(path, "--group-by", "size", "--format", "md", "-o", os.path.join(WORK, "b.md"))
    equal("nothing on standard output", markdown, "")
    for more, text in ((("--group-by", "input-shape"), "--group-by: one of line, site, module, category"),
                       (("--sort-by", "cpu_time"), "--sort-by: bytes, requested_bytes, blocks or name"),
                       (("--with-flops",), "the options for memory snapshots are"),
                       (("-o", path), "the output would overwrite an input")):
        equal(text, text in table(path, *more, code=2), True)
    trace = os.path.join(os.environ["DATA"], "traces", "case_allocator.pt.trace.json.gz")
    equal("traces", "--at: only memory snapshots" in table(trace, "--at", "end", code=2), True)
    equal("both", "traces or memory snapshots, not both" in table(trace, path, code=2), True)
    run("table", path, "-q", "-o", "/dev/full", code=4)


def case_pictures():
    """18 events; segments of 10, 20, 20 and 20 MiB with gaps of 2 MiB, which the picture reduces to 0.7 MiB."""
    maker = larger()
    path = write(os.path.join(WORK, "a.pickle"), maker)
    out = folder("out")
    run("export", path, "--to", "memory-flow", "--from", "0", "--color-by", "line", "-o", out, "-q")
    blocks, segments, texts = picture(out + "/a")
    event, mib = 1040 / 18, 640 / (70 + 3 * 0.7)
    lives = [(1, 15, 10), (3, 9, 20), (5, 11, 20), (7, 13, 20), (16, 18, 10), (17, 18, 20)]
    near = lambda boxes: [tuple(round(v, 1) for v in box[:3]) for box in boxes]
    equal("blocks", near(blocks), near([(130 + a * event, (b - a) * event, size * mib) for a, b, size in lives]))
    equal("segments", near(segments), near([(130 + a * event, (18 - a) * event, size * mib)
                                            for a, size in ((0, 10), (2, 20), (4, 20), (6, 20))]))
    equal("tooltip", blocks[1][3], "model.py(19): forward: workspace\n20.0 MiB at 0x%x\nevent 3 to event 9: 6 events"
          % (FIRST_ADDRESS + 12 * MIB))
    equal("tooltip of a segment", segments[0][3], "segment of 10.0 MiB at 0x%x\nstream 0, event 0 to event 18"
          % FIRST_ADDRESS)
    equal("legend", [t for t in texts if ".py(" in t], ["model.py(19): forward", "data.py(7): load"])
    equal("heading", texts[-1] if "block" in texts[-1] else [t for t in texts if "6 blocks" in t][0],
          "6 blocks in 4 segments (gray), 2 never freed")
    # a part of the recording: the first block of forward is cut at the border, the first one of load is older
    run("export", path, "--to", "memory-flow", "--from", "8", "--until", "12", "-o", out, "-q")
    blocks, segments, texts = picture(out + "/a")
    equal("cut", [box[:2] for box in near(blocks)], [(130, 1040), (130, 260), (130, 780), (130, 1040)])
    equal("peak of the part", [t for t in texts if "peak" in t], ["peak 50.0 MiB at event 8"])
    # 10 us are between two events
    run("export", path, "--to", "memory-flow", "--from", "0.08ms", "--until", "120us", "-o", out, "-q")
    equal("times", [box[:2] for box in near(picture(out + "/a")[0])], [(130, 1040), (130, 260), (130, 780), (130, 1040)])
    for more, code, text in ((("--from", "9s"), 3, "no event is in this range"),
                             (("--from", "18"), 3, "no event is in this range"),
                             (("--from", "5", "--until", "5"), 2, "nothing lies between them"),
                             (("--from", "x"), 2, "--from: not a time"),
                             (("--color-by", "operator"), 2, "the colours of a memory snapshot are")):
        equal(text, text in run("export", path, "--to", "memory-flow", "-o", out, *more, code=code), True)
    timeless = larger()
    for made in timeless.events:
        del made["time_us"]
    path = write(os.path.join(WORK, "b.pickle"), timeless)
    run("export", path, "--to", "memory-flow", "-o", out, "-q")
    equal("no times", [box[:2] for box in near(picture(out + "/b")[0])][:1],
          [(round(130 + event, 1), round(14 * event, 1))])
    equal("time limit", "the events have no times" in run("export", path, "--to", "memory-flow", "--from", "1ms", code=3),
          True)
    equal("other format", "always exports the whole snapshot" in run("export", path, "--to", "csv", "--from", "1", code=2),
          True)
    trace = os.path.join(os.environ["DATA"], "traces", "case_allocator.pt.trace.json.gz")
    equal("traces", "the colours of a trace are" in run("export", trace, "--to", "memory-flow", "--color-by", "line",
                                                        code=2), True)


def case_mapped_ranges():
    """An expandable segment: ranges of 20 MiB are mapped, and the middle one is given back."""
    maker = Maker()
    for k in range(3):
        maker.event("segment_map", FIRST_ADDRESS + 20 * k * MIB, 20 * MIB, LOAD)
    maker.event("segment_unmap", FIRST_ADDRESS + 20 * MIB, 20 * MIB, LOAD)
    maker.segments = [(FIRST_ADDRESS, 20 * MIB), (FIRST_ADDRESS + 40 * MIB, 20 * MIB)]
    path = write(os.path.join(WORK, "a.pickle"), maker)
    out = folder("out")
    run("export", path, "--to", "memory-flow", "--from", "0", "-o", out, "-q")
    _, segments, _ = picture(out + "/a")
    equal("ranges", [(box[0], box[1]) for box in segments], [(130, 1040), (390, 520), (650, 520)])


def case_questions():
    """The queries in the help text have these answers."""
    maker = larger()
    path = write(os.path.join(WORK, "a.pickle"), maker)
    out = folder("out")
    run("export", path, "--to", "sqlite", "-o", out, "-q")
    text = subprocess.run([TRACEPRESS, "help", "export"], capture_output=True, text=True, check=True).stdout
    part = text.split("questions about a memory snapshot:\n")[1].split("\n\n")[0]
    queries = re.findall(r"((?:SELECT|WITH).*?;)", part, re.S)
    db = sqlite3.connect(out + "/a.sqlite")
    equal("peak", db.execute(queries[0]).fetchall(),
          [("model.py(19): forward", 60 * MIB, 3), ("data.py(7): load", 10 * MIB, 1)])
    stack = db.execute("SELECT stack_id FROM blocks WHERE line LIKE 'model%'").fetchone()[0]
    equal("frames", db.execute(queries[1].replace("stack_id = 7", "stack_id = %d" % stack)).fetchall(),
          [("/home/app/model.py", 19, "forward"), ("/home/app/train.py", 41, "main")])
    equal("all queries", len(queries), 2)
    db.close()


def case_refusals():
    """Formats for traces, mixed inputs, a damaged file next to a whole one, and a full disk."""
    path = write(os.path.join(WORK, "a.pickle"), larger())
    out = folder("out")
    for form in ("chrome", "perfetto", "xplane", "tfevents", "speedscope"):
        said = run("export", path, "--to", form, "-o", out, code=3)
        equal(form, said, "tracepress: export: --to %s needs a trace; the formats for memory snapshots are "
              "csv, flamegraph, folded, memory-flow, sqlite\n" % form)
    equal("nothing written", os.path.exists(out), False)
    trace = os.path.join(os.environ["DATA"], "traces", "case_allocator.pt.trace.json.gz")
    equal("both", "name traces or memory snapshots, not both" in run("export", path, trace, "--to", "csv", code=2), True)
    equal("option", run("export", path, "--to", "csv", "--step", "3", code=2),
          "tracepress: export: --step has no effect on memory snapshots\n")
    with open(path, "rb") as file:
        whole = file.read()
    cut = os.path.join(WORK, "cut.pickle")
    with open(cut, "wb") as file:
        file.write(whole[:len(whole) // 2])
    said = run("export", cut, "--to", "csv", "-o", out, code=3)
    equal("cut", "it was written only in part" in said and said.endswith("no usable input\n"), True)
    run("export", cut, path, "--to", "csv", "-o", out, "-q")
    equal("folders", sorted(os.listdir(out)), ["a"])
    run("export", cut, path, "--to", "csv", "-o", out, "-q", "--strict", code=3)
    run("export", path, "--to", "csv", "-o", out, "--max-input", "100", code=5)
    for form in ("csv", "sqlite"):
        full, whole = folder("full"), folder("whole")
        run("export", path, "--to", form, "-o", whole, "-q")
        done = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", TRACEPRESS, "export", path, "--to", form,
                               "-o", full, "-q"], capture_output=True, text=True, timeout=300,
                              preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        equal("exit code after a full disk", done.returncode, 4)
        for name in os.listdir(full):
            with open(os.path.join(full, name), "rb") as got, open(os.path.join(whole, name), "rb") as wanted:
                equal("whole " + name, got.read(), wanted.read())
    blocked = folder("blocked")
    with open(blocked, "w", encoding="ascii") as file:
        file.write("a file where a folder should be")
    run("export", path, "--to", "csv", "-o", blocked, code=4)
    os.remove(blocked)


def case_several_files():
    """Files of one folder, and files with one name, get folders of their own."""
    for name in ("two/rank0", "two/rank1", "more/rank0"):
        os.makedirs(os.path.join(WORK, os.path.dirname(name)), exist_ok=True)
        write(os.path.join(WORK, name + ".pickle"), larger())
    out = folder("out")
    run("export", WORK + "/two", "--to", "sqlite", "-o", out, "-q")
    equal("files", sorted(os.path.join(d, f) for d in os.listdir(out) for f in os.listdir(os.path.join(out, d))),
          ["rank0/rank0.sqlite", "rank1/rank1.sqlite"])
    out = folder("out")
    run("export", WORK + "/two/rank0.pickle", WORK + "/more/rank0.pickle", "--to", "sqlite", "-o", out, "-q")
    equal("same names", sorted(os.listdir(out)), ["rank0.1", "rank0.2"])


globals()["case_" + CASE]()
