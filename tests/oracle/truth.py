#!/usr/bin/env python3
"""truth.py TRACEPRESS TRUTH TRACES: counts how often each rule was right on programs with a known cause.

TRUTH: programs with a planted cause, fixed versions of them, experts' lists for device traces, and score.py. TRACES:
folder of the traces in the lists. A rule that reports with more than low severity is right if it names the planted
cause or a problem of the list. Otherwise it is wrong. It is also wrong if it still names the cause in the fixed
version. Prints a line per rule. Exits with 1 if a report states other numbers for a rule than those counted here."""
import collections
import importlib.util
import json
import pathlib
import sys

program, truth, traces = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
spec = importlib.util.spec_from_file_location("score", truth / "score.py")
score = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(score)
table = score.Table(truth / "causes.json")
right, known, said = collections.Counter(), collections.Counter(), {}


def findings_of(inputs):
    document, error = score.report(program, inputs)
    if document is None:
        sys.exit(f"{inputs[0]}: no report: {error}")
    found = score.read(table, document)[0]
    for finding in found:
        said[finding["id"]] = (finding["right"], finding["known"])
    return [finding for finding in found if finding["severity"] != "low"]


def judge(found, causes, where=()):
    for rule in sorted({finding["id"] for finding in found}):
        known[rule] += 1
        right[rule] += any(table.names(cause, finding, where) == 2
                           for cause in causes for finding in found if finding["id"] == rule)


for path in sorted((truth / "scenarios").glob("truth/*.json")):
    case = json.loads(path.read_text())
    folder = truth / "scenarios" / "traces" / case["name"]
    if not case["proved"]:
        continue
    is_healthy = case["cause"] == "healthy"
    judge(findings_of([folder / "broken"]), [] if is_healthy else [case["cause"], *case["also_accepted"]], case["where"])
    if not is_healthy and (folder / "fixed").is_dir():
        still = [f for f in findings_of([folder / "fixed"]) if table.names(case["cause"], f, case["where"]) == 2]
        judge(still, [])
for path in sorted((truth / "keys").glob("*.json")):
    key = json.loads(path.read_text())
    judge(findings_of([traces / key["trace"]]), [c for p in key["problems"] for c in [p["cause"], *p.get("or", [])]])

wrong = 0
print("rule  right  of")
for rule in sorted(known, key=lambda rule: (rule[0], int(rule[1:]))):
    print(f"{rule:4s}  {right[rule]:5d} {known[rule]:3d}")
for rule, numbers in sorted(said.items()):
    if numbers != (right[rule], known[rule]):
        wrong += 1
        print(f"{rule}: reports say right in {numbers[0]} of {numbers[1]}; counted {right[rule]} of {known[rule]} (.gain of the row)")
sys.exit(wrong > 0)
