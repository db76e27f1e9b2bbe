"""Lists the rules that the executable definition does not compute, each with the reason. Only the findings of these
rules are not compared with those of tracepress.

All other rules are compared on every trace. The suite fails if a listed rule is computed. `changes` names rules that
find the same cause as the listed rule. If the listed rule fired in a profile, their findings differ there, because a
cause is reported only once."""
import collections

LeftOut = collections.namedtuple("LeftOut", "reason changes")


def left_out(reason, *changes):
    return LeftOut(reason, changes)


FRAMES = "needs the lists of functions of rules_code.c, which the twin does not have"
RANKS = "is about several ranks; the twin computes findings of single profiles"

NOT_COMPARED = {
    "C19": left_out(FRAMES),
    "E3": left_out(RANKS), "E5": left_out(RANKS),
    **{rule: left_out(FRAMES, "H5", "H6", "H16", "H17") for rule in ("H9", "H10", "H11", "H12", "H13")},
}

# Reasons of rules_not_evaluated that the definition cannot know. If tracepress gives one of these reasons, the rule is
# not compared in that profile.
REASONS_NOT_COMPARED = {
    "many host events are missing in the recording": "needs the evidence of damage in docs/ci.md, which the twin does not compute",
}


def note_left_out(document):
    """Adds rules_left_out to the recommendations of every profile, for the comparison."""
    for run in document["runs"]:
        for profile in run["profiles"]:
            if "recommendations" in profile:
                profile["recommendations"]["rules_left_out"] = {rule: list(e.changes) for rule, e in NOT_COMPARED.items()}
