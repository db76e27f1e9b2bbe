#!/usr/bin/env python3
"""check_tables.py TRACEPRESS FOLDER...: compares `tracepress table` with the tables that torch printed for the same
traces.

A folder contains a trace, expected.json.gz (torch's raw numbers) and tables.json.gz ("<grouping>[.nopy].<sort>": text),
as the reference's torch_oracle.py writes them. stacks.<metric>.txt is the output of export_stacks. Prints one line per
folder and "N same, N different". Differences in the lists of names below are expected."""
import gzip, json, os, subprocess, sys, tempfile

# Regions that end on another thread (async) are not in any trace (reference: "Not reproducible from the file").
ASYNC = {"annotations.full", "annotations.plain", "annotations.shapes", "annotations.stack"}
# torch 2.6 writes no marker for a region that was open at the end, so the region may be listed or missing.
UNMARKED = {"2.6.0/unfinished.full"}

GROUPS = {"plain": [], "by_shape": ["--group-by", "input-shape"], "by_stack5": ["--group-by", "stack", "--stack-depth", "5"],
          "by_shape_stack2": ["--group-by", "input-shape,stack", "--stack-depth", "2"]}


def arguments(key, rules):
    parts = key.split(".")
    out = GROUPS[parts[0]] + rules + ([] if rules or "nopy" in parts else ["--include-python"])
    sort = parts[-1]
    if sort == "top":
        return out + ["--sort-by", "cpu_time_total", "--row-limit", "5", "--top-level-events-only", "--header", "HEADER"]
    if sort == "ms":
        return out + ["--sort-by", "cpu_time_total", "--row-limit", "5", "--max-name-column-width", "20", "--time-unit", "ms"]
    return out + ["--sort-by", "none" if sort == "unsorted" else sort, "--row-limit", "25"]


def rules_of(expected):
    return ["--torch", "2.6"] if expected["torch"].startswith("2.6") else []


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else b"exit %d: " % done.returncode + done.stderr


def first_difference(ours, theirs):
    a, b = ours.split("\n"), theirs.split("\n")
    for x, y in zip(a, b):
        if x != y:
            return "ours  %s\n    torch %s" % (x, y)
    return "%d lines, torch has %d" % (len(a), len(b))


def check_tables(program, folder, expected):
    trace = os.path.join(folder, expected["trace"])
    rules = rules_of(expected)
    texts = json.load(gzip.open(os.path.join(folder, "tables.json.gz")))
    different = []
    for key, text in texts.items():
        if text is None or text.startswith("Traceback") or not isinstance(text, str):
            continue
        ours = run([program, "table", trace, "--quiet"] + arguments(key, rules)).decode("utf-8", "replace")
        if ours != text:
            different.append((key, first_difference(ours, text)))
    return len(texts), different


def close(ours, torch):
    return abs(ours - (torch or 0)) <= 1e-6 * max(1, abs(torch or 0))


def check_numbers(program, folder, expected):
    """Compares the raw numbers of the same rows. They must be exact where torch sums doubles."""
    trace, different = os.path.join(folder, expected["trace"]), []
    names = {"calls": "count", "self_cpu_us": "self_cpu_time_total", "cpu_us": "cpu_time_total", "cpu_memory_bytes": "cpu_memory_usage",
             "self_cpu_memory_bytes": "self_cpu_memory_usage", "flops": "flops", "is_async": "is_async"}
    for tag, theirs in expected["tables"].items():
        said = run([program, "table", trace, "--quiet", "--format", "json"] + arguments(tag + ".unsorted", rules_of(expected))[:-2])
        rows = json.loads(said)["profiles"][0]["rows"] if said.startswith(b"{") else []
        if [r["name"] for r in rows] != [t["key"] for t in theirs]:
            different.append((tag, "other rows: %d, torch has %d; %s" % (len(rows), len(theirs), said[:80])))
            continue
        wrong = [(r["name"], k, r[k], t[n]) for r, t in zip(rows, theirs) for k, n in names.items() if not close(r[k], t[n])]
        wrong += [(r["name"], "stack", r.get("stack", []), t["stack"]) for r, t in zip(rows, theirs) if r.get("stack", []) != t["stack"]]
        if wrong:
            different.append((tag, "%d numbers, first %s" % (len(wrong), wrong[0])))
    return len(expected["tables"]), different


def check_stacks(program, folder, expected, work):
    path = os.path.join(folder, "stacks.self_cpu_time_total.txt")
    if not os.path.exists(path):
        return 0, []
    trace = os.path.join(folder, expected["trace"])
    said = run([program, "export", trace, "--to", "folded", "-o", work, "--quiet"] + rules_of(expected))
    files = [os.path.join(work, f) for f in os.listdir(work) if f.endswith(".folded")]
    wanted = open(path, "rb").read()
    ours = open(files[0], "rb").read() if files else said
    if not wanted and not files and b"no call of 1 us or more has a recorded stack" in said:
        return 1, []  # torch writes an empty file here; tracepress writes no file and prints the reason
    for f in files:
        os.remove(f)
    if ours == wanted and wanted:
        return 1, []
    return 1, [("stacks", first_difference(ours.decode("utf-8", "replace"), wanted.decode("utf-8", "replace")))]


def main():
    program, same, wrong = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory() as work:
        for folder in sys.argv[2:]:
            if not os.path.exists(os.path.join(folder, "tables.json.gz")):
                continue
            expected = json.load(gzip.open(os.path.join(folder, "expected.json.gz")))
            if "error" in expected:
                continue
            count, different = check_tables(program, folder, expected)
            stacks, more = check_stacks(program, folder, expected, work)
            different += more
            numbers, more = check_numbers(program, folder, expected)
            different += more
            count += numbers
            name = "/".join(folder.rstrip("/").split("/")[-2:])
            is_known = any(part in ASYNC for part in name.split("/")) or name in UNMARKED
            same += count + stacks - len(different)
            wrong += 0 if is_known else len(different)
            print("%s: %d of %d same%s" % (name, count + stacks - len(different), count + stacks,
                                           " (the rest is not in the trace)" if is_known and different else ""))
            for key, text in [] if is_known else different[:3]:
                print("  %s\n    %s" % (key, text))
    print("%d same, %d different" % (same, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
