"""speedscope_rules.py TRACE...: checks the rules without which speedscope 1.25 refuses a trace. Names a broken rule and
exits with 1.

Rules: The list of events is not empty and contains objects with a phase. Slices and their halves (ph X, B, E) have a
time, and a pid and tid that are the same as numbers and as texts. The file name must not be that of one of Chrome's own
formats."""
import gzip
import json
import re
import sys


def is_number(row):
    return isinstance(row, int) and not isinstance(row, bool) or isinstance(row, str) and re.fullmatch(r"[1-9][0-9]{0,14}|0", row)


def check(path):
    data = open(path, "rb").read()
    document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    events = document if isinstance(document, list) else document["traceEvents"]
    bad = [] if events else ["no event"]
    for event in events:
        if "ph" not in event:
            bad.append("no phase: %s" % event)
        elif event["ph"] in "BEX":
            if "ts" not in event:
                bad.append("no time: %s" % event)
            if not is_number(event.get("pid")) or not is_number(event.get("tid")):
                bad.append("a row that is no number: %s" % event)
    name = path.split("/")[-1]
    if name.removesuffix(".gz").endswith(".chrome.json") or re.search(r"(Trace|Profile)-[0-9]{8}T[0-9]{6}", name):
        bad.append("a name that stands for another format")
    return len(events), bad


status = 0
for path in sys.argv[1:]:
    count, bad = check(path)
    print(path, count, "events", *bad[:5], sep="\n    ")
    status |= bool(bad)
sys.exit(status)
