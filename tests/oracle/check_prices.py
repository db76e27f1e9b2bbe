#!/usr/bin/env python3
"""check_prices.py [--tracepress PATH] TRACE...: compares the prices that `report --json` gives findings with the executable
definition (twin/fixes.py).

The definition finds what each fix removes, and replays the trace. It takes the order of the findings, and the share that a
fix removes, from the document. Percentages must agree to a relative 1e-9, all other values must be equal. Exits with 1 if
anything differs."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from check_what_if import TRACEPRESS, differences, report  # noqa: E402
from twin.fixes import WHOLE, Pricing  # noqa: E402
from twin.memory import memory_peak, records_of  # noqa: E402
from twin.numbers import percent  # noqa: E402
from twin.quality import trace_quality  # noqa: E402
from twin.reading import read_document  # noqa: E402
from twin.rule_table import RULES  # noqa: E402
from twin.rules import recommendations  # noqa: E402
from twin.trace import Trace  # noqa: E402
from twin.verdict import judgement  # noqa: E402
from twin.what_if import answer_of  # noqa: E402


def documented(tracepress, path, folder):
    """Returns (what_if_view, recommendations) of `report --json`, or None if there is no single profile with them. Reads the
    trace from an empty folder, because the definition does not read files next to it."""
    out, alone = os.path.join(folder, "report.json"), os.path.join(folder, os.path.basename(path))
    os.symlink(os.path.abspath(path), alone)
    subprocess.run([tracepress, "report", alone, "--json", out, "-o", "/dev/null", "--quiet"], capture_output=True, check=False)
    os.remove(alone)
    if not os.path.exists(out):
        return None
    with open(out, encoding="utf-8") as f:
        profiles = [p for r in json.load(f).get("runs", []) for p in r["profiles"]]
    os.remove(out)
    is_one = len(profiles) == 1 and "what_if_view" in profiles[0]
    return (profiles[0]["what_if_view"], profiles[0]["recommendations"]) if is_one else None


def match(finding, candidates):
    """Returns the definition's finding for a finding of the document: that of the same rule with the same evidence."""
    mine = [c for c in candidates if c["id"] == finding["id"]]
    key = lambda f: [e["event_ordinal"] for e in f["evidence"]]
    return next((c for c in mine if key(c) == key(finding)), None)


def priced_findings(document):
    """Returns the priced findings of the document, up to the first whose rule the definition does not have."""
    priced = [f for f in document["findings"] if "replay" in f]
    return priced[:next((i for i, f in enumerate(priced) if f["id"] not in RULES), len(priced))]


def defined_prices(trace, document):
    """Returns the priced findings of the executable definition, in the order of the document, as the document has them."""
    findings = recommendations(trace, trace_quality(trace)["flags"], memory_peak(trace, records_of(trace)), judgement(trace))
    candidates = [f for _, f in findings.found if id(f) in findings.fixes]
    answer, priced = answer_of([trace]), priced_findings(document)
    if answer.withheld or not candidates:
        return {"findings": [], "replay": {}}
    fixes, positions = [], [i for i, f in enumerate(document["findings"]) if "replay" in f]
    is_all = len(priced) == len(positions)
    for f in priced:
        mine = match(f, candidates)
        if mine is None:
            return {"findings": "no finding %s with this evidence" % f["id"], "replay": {}}
        candidates.remove(mine)
        fix = findings.fixes[id(mine)]
        fix.low, fix.high = (round(f["replay"]["removed_%s_percent" % end] * WHOLE / 100) for end in ("low", "high"))
        fixes.append(fix)
    if is_all and (candidates or not priced):
        return {"findings": "findings without a price: %s" % [c["id"] for c in candidates], "replay": {}}
    prices, total = Pricing(answer).prices(fixes)
    of_step = lambda ns: min(100.0, percent(ns * trace.steps.count, findings.judged_ns))
    rows = [{"id": f["id"], "replay": price, "low_percent": of_step(low), "high_percent": of_step(high),
             "gone_with": None if gone is None else positions[gone] + 1} for f, (price, (low, high), gone) in zip(priced, prices)]
    return {"findings": rows, "replay": total if is_all else {}}


def check(tracepress, path, folder):
    """Returns (number of compared values, differences)."""
    found = documented(tracepress, path, folder)
    if found is None:
        return 0, []
    view, document = found
    if view["withheld"] and any("activities" in w or "streams" in w for w in view["withheld"]):
        return 0, []                                       # the report does not replay such a trace
    keep = ("gain_low_ns", "gain_high_ns", "step_ns", "then", "then_percent")
    ours = {"findings": [{"id": f["id"], "replay": {k: f["replay"][k] for k in keep}, "low_percent": f["low_percent"],
                          "high_percent": f["high_percent"], "gone_with": f.get("gone_with")}
                         for f in priced_findings(document)], "replay": document.get("replay", {})}
    reference = json.loads(json.dumps(defined_prices(Trace(read_document(path), file=os.path.basename(path)), document)))
    return differences(ours, reference)


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracepress", default=TRACEPRESS)
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    args = parser.parse_args()
    compared = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.traces:
            count, found = check(args.tracepress, path, folder)
            different += report(path, count, found)
            compared += count
    print("%d traces, %d values compared, %d traces differ" % (len(args.traces), compared, different))
    return different > 0 or not compared


if __name__ == "__main__":
    sys.exit(main())
