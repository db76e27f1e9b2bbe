#!/usr/bin/env python3
"""check_what_if.py [--tracepress PATH] TRACE...: compares `what_if_view` of `report --json` with the executable definition.
check_what_if.py --ranks [--tracepress PATH] FOLDER...: compares the joined answers of `whatif` for the ranks in a folder.
check_what_if.py --print TRACE [CHANGE...]: prints what_if_view of the executable definition.

Compares each value. Percentages and shares must agree to a relative 1e-9, all other values must be equal. A reason or
count that one side does not mention is 0. Prints the first differences of each trace. Exits with 1 if anything
differs."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from twin.reading import read_document  # noqa: E402
from twin.trace import Trace  # noqa: E402
from twin.what_if import reported_view, what_if_view  # noqa: E402

TRACEPRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/release/tracepress")
ZERO_IF_MISSING = ("graph.by_reason.", "graph.counts.")
TOLERANCE = 1e-9
MOST_LINES = 8
JOINED_CHANGES = ["host=1/2", "launches=0", "graph=0", "waits=0", "copies=0", "communication=0", "overlap", "kind:compute=0.7", "gpu:A100=H100"]


def values_of(x, path=""):
    """Returns {path: value}. A list has a value for its length."""
    if isinstance(x, dict):
        parts = [values_of(v, path + "." + k if path else k) for k, v in x.items()]
    elif isinstance(x, list):
        parts = [{path + ".length": len(x)}] + [values_of(v, "%s[%d]" % (path, i)) for i, v in enumerate(x)]
    else:
        return {path: x}
    return {key: value for part in parts for key, value in part.items()}


def is_equal(path, a, b):
    if path.rpartition(".")[2].endswith(("_percent", "_share")) and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
    return type(a) is type(b) and a == b


def differences(ours, reference):
    """Returns (number of compared values, [(path, ours, reference)]). Values that only OURS has are not compared, except
    reasons and counts."""
    mine, theirs, out = values_of(ours), values_of(reference), []
    paths = list(theirs) + [p for p in mine if p not in theirs and p.startswith(ZERO_IF_MISSING)]
    for path in paths:
        missing = 0 if path.startswith(ZERO_IF_MISSING) else "(missing)"
        a, b = mine.get(path, missing), theirs.get(path, missing)
        if not is_equal(path, a, b):
            out.append((path, a, b))
    return len(paths), out


def report(name, compared, found):
    """Prints the result of one trace. Returns whether anything differs."""
    print("%s: %d values compared, %d differ" % (name, compared, len(found)), flush=True)
    for path, a, b in found[:MOST_LINES]:
        print("    %s: ours %r, reference %r" % (path, a, b))
    return bool(found)


def defined(paths, changes=None, is_report=False):
    """Returns what_if_view of the executable definition, for one trace or several ranks. is_report: that of a report."""
    traces = [Trace(read_document(p), file=os.path.basename(p)) for p in paths]
    return json.loads(json.dumps(reported_view(traces[0]) if is_report else what_if_view(traces, changes)))


def reported(tracepress, path, folder):
    """Returns what_if_view of `report --json`, or a text that says why it is missing."""
    out = os.path.join(folder, "report.json")
    run = subprocess.run([tracepress, "report", path, "--json", out, "-o", "/dev/null", "--quiet"], capture_output=True, text=True)
    if not os.path.exists(out):
        return "exit code %d: %s" % (run.returncode, run.stderr.strip()[:200])
    with open(out, encoding="utf-8") as f:
        profiles = [p for r in json.load(f)["runs"] for p in r["profiles"]]
    os.remove(out)
    if len(profiles) != 1:
        return "%d profiles" % len(profiles)
    return profiles[0].get("what_if_view", "no what_if_view")


def asked(tracepress, paths, changes, folder):
    """Returns the answers of `whatif` to changes, for one trace or joined for several ranks, or a text that says why they
    are missing."""
    out, ranks = os.path.join(folder, "whatif.json"), os.path.join(folder, "ranks")
    shutil.rmtree(ranks, ignore_errors=True)
    if len(paths) > 1:
        os.mkdir(ranks)
        for i, path in enumerate(paths):
            os.symlink(os.path.abspath(path), os.path.join(ranks, "rank%02d.json%s" % (i, ".gz" if path.endswith(".gz") else "")))
    run = subprocess.run([tracepress, "whatif", ranks if len(paths) > 1 else paths[0], *changes, "--json", out], capture_output=True, text=True)
    if not os.path.exists(out):
        return "exit code %d: %s" % (run.returncode, run.stderr.strip()[:200])
    with open(out, encoding="utf-8") as f:
        view = json.load(f)
    os.remove(out)
    return view


def ranks_of(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if ".json" in name)


def changes_of(paths):
    """Returns changes for joined ranks: each rank as fast as the median, and changes that apply to all ranks."""
    return ["rank:%d" % i for i in range(len(paths))] + JOINED_CHANGES


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracepress", default=TRACEPRESS)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    args = parser.parse_args()
    if args.print:
        print(json.dumps(defined(args.traces[:1], args.traces[1:] or None), indent=1, ensure_ascii=False))
        return 0
    compared = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.traces:
            paths = ranks_of(path) if args.ranks else [path]
            ours = asked(args.tracepress, paths, changes_of(paths), folder) if args.ranks else reported(args.tracepress, path, folder)
            count, found = (1, [("what_if_view", ours, "present")]) if isinstance(ours, str) else \
                differences(ours, defined(paths, changes_of(paths) if args.ranks else None, is_report=not args.ranks))
            different += report(path, count, found)
            compared += count
    print("%d traces, %d values compared, %d traces differ" % (len(args.traces), compared, different))
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
