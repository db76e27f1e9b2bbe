#!/usr/bin/env python3
"""same_report.py ONE.json OTHER.json [ONE_GATES.json OTHER_GATES.json]: checks that two reports agree in every number, or
that two results of `check` agree in every limit. Prints the first differences and exits with 1.

Does not compare the size of the file, its events by kind, the positions of events, the name of the folder, and the
producer. OTHER may name rules that it did not evaluate because its input cannot show the data of the rule. A limit on
such a rule may be inconclusive in OTHER_GATES, and in no other case."""
import json
import sys

OF_THE_FILE = {"trace_quality", "bytes", "events", "event_ordinal", "first_event", "peak_event", "run_name", "input", "producer",
               "unknown"}
UNKNOWN = "the input cannot show"


def without_unknown(rules):
    return [rule for rule in rules if not rule["reason"].startswith(UNKNOWN)]


def differences(one, other, path):
    if path.endswith(".rules_not_evaluated"):
        one, other = without_unknown(one), without_unknown(other)
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            if key not in OF_THE_FILE:
                yield from differences(one.get(key), other.get(key), path + "." + key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other)):
            yield from differences(*pair, "%s[%d]" % (path, i))
    elif one != other:
        yield "%s: %.80s, %.80s" % (path, one, other)


def unknown_rules(report):
    return {rule["id"] for run in report["runs"] for profile in run["profiles"]
            for rule in profile["recommendations"]["rules_not_evaluated"] if rule["reason"].startswith(UNKNOWN)}


def gate_differences(one, other, unknown):
    """Yields the limits whose results differ. unknown: ids of rules that OTHER could not evaluate."""
    one, other = ({item["text"]: item for item in document["items"]} for document in (one, other))
    for text in sorted(set(one) | set(other)):
        a, b = one.get(text), other.get(text)
        if a and b and (a["status"], a["value"]) == (b["status"], b["value"]):
            continue
        if a and b and b["status"] == "inconclusive" and b["metric"].removeprefix("finding.") in unknown:
            continue
        yield "%s: %.80s, %.80s" % (text, a and (a["status"], a["value"]), b and (b["status"], b["value"]))


def main(paths):
    documents = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    if len(documents) == 4:
        found = list(gate_differences(*documents[2:], unknown_rules(documents[1])))
    else:
        found = list(differences(*documents, ""))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
