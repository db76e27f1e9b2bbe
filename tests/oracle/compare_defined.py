#!/usr/bin/env python3
"""compare_defined.py OURS.json REFERENCE.json[.gz] [COUNTS]: compares a document of tracepress with that of the
executable definition. Compares findings by rule.

Rules in exceptions.py are not compared. If a rule of exceptions.py fired in a profile, the rules whose findings it
changes are not compared in this profile either. Exits with 1 if anything differs. Appends a line to COUNTS: profiles,
findings compared, findings not compared, differences.

compare_defined.py --summary COUNTS: prints the sums of all lines, and the rules of exceptions.py."""
import sys

sys.dont_write_bytecode = True
import compare_documents as compare  # noqa: E402
from exceptions import NOT_COMPARED, REASONS_NOT_COMPARED  # noqa: E402
from twin.rule_table import RULES  # noqa: E402


def skipped_rules(found):
    """Returns the rules that are not compared in a profile."""
    fired = {finding["id"] for finding in found["findings"]}
    unasked = {row["id"] for row in found["rules_not_evaluated"] if row["reason"] in REASONS_NOT_COMPARED}
    return unasked.union(NOT_COMPARED, *(e.changes for rule, e in NOT_COMPARED.items() if rule in fired))


def keep(found, skipped, has_skipped):
    for key in ("findings", "rules_not_evaluated"):
        found[key] = sorted((row for row in found[key] if row["id"] not in skipped), key=lambda row: (row["id"], str(row)))
    found.pop("rules_left_out", None)
    for key in [key for key in found if has_skipped and key.startswith("total_ceiling")]:
        del found[key]


def by_rule(ours, reference):
    """Keeps only the compared findings in both documents, in the same order. Returns (profiles, findings compared,
    findings not compared)."""
    profiles = compared = left_out = 0
    for run, other in zip(ours["runs"], reference["runs"]):
        others = {(profile["worker"], profile["span"]): profile for profile in other["profiles"]}
        for profile in run["profiles"]:
            mine = profile.get("recommendations")
            theirs = others.get((profile["worker"], profile["span"]), {}).get("recommendations")
            if not mine or not theirs:
                continue
            skipped = skipped_rules(mine)
            gone = sum(finding["id"] in skipped for finding in mine["findings"])
            has_gone = any(finding["id"] in skipped for finding in mine["findings"] + theirs["findings"])
            profiles, left_out = profiles + 1, left_out + gone
            compared += len(mine["findings"]) - gone
            for found in mine, theirs:
                keep(found, skipped, has_gone)
    return profiles, compared, left_out


def main(ours, reference, counts=None):
    documents = compare.load(ours), compare.load(reference)
    numbers = by_rule(*documents)
    different = 0
    for section, result in sorted(compare.compare(*documents, None).items()):
        for where, mine, theirs, _ in result.different[:5]:
            print(f"{section}: {where}: ours {mine}, reference {theirs}")
        different += len(result.different)
    print(different, "differ")
    if counts:
        with open(counts, "a", encoding="utf-8") as f:
            print(*numbers, different, file=f)
    return different > 0


def summary(counts):
    known = set(RULES) & set(NOT_COMPARED)
    rows = [list(map(int, line.split())) for line in open(counts, encoding="utf-8")]
    profiles, compared, left_out, different = map(sum, zip(*rows))
    print(f"{len(rows)} documents, {profiles} profiles, {compared} findings compared, {left_out} left out, {different} differences")
    print(f"{len(RULES)} of {len(RULES) + len(NOT_COMPARED)} rules compared; not compared:")
    for rule, exception in NOT_COMPARED.items():
        print(f"  {rule}: {exception.reason}" + (f" (changes {', '.join(exception.changes)})" if exception.changes else ""))
    for reason, why in REASONS_NOT_COMPARED.items():
        print(f"  rules not asked because \"{reason}\": {why}")
    for rule in sorted(known):
        print(f"{rule} is listed in exceptions.py, but the twin knows it")
    return bool(known)


if __name__ == "__main__":
    sys.exit(summary(sys.argv[2]) if sys.argv[1] == "--summary" else main(*sys.argv[1:]))
