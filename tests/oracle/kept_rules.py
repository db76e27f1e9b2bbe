#!/usr/bin/env python3
"""kept_rules.py OURS.json REFERENCE.json[.gz]: compare_documents.py on all but the rules that the definitions do not have.

Where a new rule fired, what it changes elsewhere is left out of both documents: the sum
of all ceilings, and H6 (Python code outside operators), from which root causes are taken out. Exit 1 when anything differs."""
import sys

sys.dont_write_bytecode = True
import compare_documents as compare  # noqa: E402

NEW = ({"D4", "A13"} | {f"H{number}" for number in range(9, 22)} | {f"R{number}" for number in range(1, 7)}
       | {f"C{number}" for number in range(14, 26)} | {f"E{number}" for number in range(4, 11)})
# One cause is one finding: where ours has the first, it says what the others found of the same time.
SAID_BY = [("B2", {"B1"}), ("A1", {"A2"}), ("C24", {"C1", "C2"})]
EXPLAINED = {"A1", "B1", "B2"}  # their details say what A2 and A11 found


def merged(found):
    """Rules of the reference that ours says with another finding."""
    ids = {finding["id"] for finding in found["findings"]}
    gone = set().union(*(others for first, others in SAID_BY if first in ids))
    if ids & {"B1", "B2"} and "A11" not in ids:
        gone.add("A11")
    return gone | ({"H6"} if ids & NEW else set())


def keep(found, gone, has_new):
    for key in ("findings", "rules_not_evaluated"):
        found[key] = sorted((row for row in found[key] if row["id"] not in gone), key=lambda row: (row["id"], str(row)))
    for row in found["findings"]:
        if row["id"] in EXPLAINED:
            del row["detail"]
    for key in [key for key in found if has_new and key.startswith("total_ceiling")]:
        del found[key]


def judges_other_time(found):
    """First use, or an edge that covers much: the shares are of the rest."""
    return any(finding["id"] == "R3" or finding["id"] == "R4" and "of the rest" in finding["detail"]
               for finding in found["findings"])


# What a verdict decides: ours knows collectives that do not begin, and that half of the time decides where nothing else
# has a fifth (section 13 of docs/definitions.md).
DECIDED = ("class", "cause", "percent", "headline")


def judged_alike(mine, theirs):
    """Leaves out what ours decides by the two rules that the reference does not have, where they hold."""
    causes, total = mine["causes"], sum(mine["causes"].values())
    if mine.get("awaited_communication_us") and mine["class"] == "communication-bound" != theirs["class"]:
        waited = causes["communication"] + mine["awaited_communication_us"]
        assert waited > causes["queue"] - mine["awaited_communication_us"] and waited >= 0.2 * total, mine
    elif theirs["class"] == "balanced":
        assert mine["class"] == "compute-bound" and causes["compute"] >= total / 2, mine
    elif not mine.get("awaited_communication_us"):
        return
    for key in DECIDED:
        del mine[key], theirs[key]


def of_kept_rules(ours, reference):
    for run, other in zip(ours["runs"], reference["runs"]):
        others = {(profile["worker"], profile["span"]): profile for profile in other["profiles"]}
        for profile in run["profiles"]:
            found = profile.get("recommendations")
            theirs = others.get((profile["worker"], profile["span"]), {})
            same = theirs.get("recommendations")
            if not found or not same:
                continue
            judged_alike(profile["verdict"], theirs["verdict"])
            if found["program"] != same["program"] == "cpu":  # collectives of devices and no device: ours asks for it
                for document in profile, theirs:
                    del document["recommendations"], document["verdict"], document["trace_quality"]
                    del document["trace_facts"]["program"]
                continue
            if judges_other_time(found):
                del profile["recommendations"], theirs["recommendations"]
                continue
            gone = merged(found)
            has_new = bool(gone) or any(finding["id"] in NEW for finding in found["findings"])
            keep(found, NEW | gone, has_new)
            keep(same, NEW | gone, has_new)


ours, reference = sys.argv[1:]
documents = compare.load(ours), compare.load(reference)
of_kept_rules(*documents)
different = 0
for section, result in sorted(compare.compare(*documents, None).items()):
    for where, mine, theirs, _ in result.different[:5]:
        print(f"{section}: {where}: ours {mine}, reference {theirs}")
    different += len(result.different)
print(different, "differ")
sys.exit(different > 0)
