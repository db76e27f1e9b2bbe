#!/usr/bin/env python3
"""kept_rules.py COMPARE OURS.json REFERENCE.json[.gz]: compare.py on all but the rules that the reference does not have.

COMPARE: compare.py of the reference. Where a new rule fired, what it changes elsewhere is left out of both documents: the sum
of all ceilings, and H6 (Python code outside operators), from which root causes are taken out. Exit 1 when anything differs."""
import importlib.util
import sys

NEW = {"D4"} | {f"H{number}" for number in range(9, 21)}


def keep(found, gone, has_new):
    for key in ("findings", "rules_not_evaluated"):
        found[key] = [row for row in found[key] if row["id"] not in gone]
    for key in [key for key in found if has_new and key.startswith("total_ceiling")]:
        del found[key]


def of_kept_rules(ours, reference):
    for run, other in zip(ours["runs"], reference["runs"]):
        others = {(profile["worker"], profile["span"]): profile for profile in other["profiles"]}
        for profile in run["profiles"]:
            found = profile.get("recommendations")
            if not found:
                continue
            has_new = any(finding["id"] in NEW for finding in found["findings"])
            keep(found, NEW | ({"H6"} if has_new else set()), has_new)
            same = others.get((profile["worker"], profile["span"]), {}).get("recommendations")
            if has_new and same:
                keep(same, {"H6"}, has_new)


path, ours, reference = sys.argv[1:]
spec = importlib.util.spec_from_file_location("compare", path)
compare = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(compare)
documents = compare.load(ours), compare.load(reference)
of_kept_rules(*documents)
different = 0
for section, result in sorted(compare.compare(*documents, None).items()):
    for where, mine, theirs, _ in result.different[:5]:
        print(f"{section}: {where}: ours {mine}, reference {theirs}")
    different += len(result.different)
print(different, "differ")
sys.exit(different > 0)
