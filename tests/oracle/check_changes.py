#!/usr/bin/env python3
"""check_changes.py TRACEPRESS FOLDER_OF_REFERENCE TRACE...: compares the changes of work in `diff --json` with those of
an independent implementation.

Compares each trace with itself and with changed copies. A copy has, at random places of every step, an added .item(),
clone, cast or contiguous, a renamed operator, or changed shapes."""
import gzip, json, os, random, subprocess, sys, tempfile

TP, REFERENCE = sys.argv[1:3]
sys.path.insert(0, REFERENCE)
import ledger_ref as ref

ADDED = {"item": ("aten::item", [[]]), "clone": ("aten::clone", [[4, 4]]), "to": ("aten::to", [[4, 4], [], [], [], []]),
         "contiguous": ("aten::contiguous", [[4, 4], []])}
wrong = []


def load(path):
    raw = open(path, "rb").read()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8", "replace")
    doc = json.loads(text, strict=False)
    return doc if isinstance(doc, dict) else {"traceEvents": doc}


def outermost(events):
    """Returns for each step the outermost operators in order: (thread, index of the event)."""
    steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if str(e.get("name", "")).startswith("ProfilerStep#")
                   and e.get("ph") == "X" and e.get("cat") != "gpu_user_annotation")
    tops, ends = [[] for _ in steps], {}
    ops = [i for i, e in enumerate(events) if e.get("ph") == "X" and e.get("cat") in ("cpu_op", "Operator")
           and not str(e["name"]).startswith(("ProfilerStep", "enumerate"))]
    for i in sorted(ops, key=lambda i: (events[i]["ts"], -events[i]["dur"])):
        e = events[i]
        if e["ts"] < ends.get(e["tid"], -1):
            continue
        ends[e["tid"]] = e["ts"] + e["dur"]
        for s, (a, b) in enumerate(steps):
            if a <= e["ts"] < b:
                tops[s].append(i)
    return tops


def mutate(doc, what, r):
    """Returns a copy with the same change at the same place of each step; None if the steps differ."""
    doc = json.loads(json.dumps(doc))
    events = doc["traceEvents"]
    tops = outermost(events)
    names = [[events[i]["name"] for i in top] for top in tops]
    if len(tops) < 2 or not tops[0] or any(n != names[-1] for n in names[1:]):
        return None
    at = r.randrange(len(tops[-1]))
    for top in tops:
        if at >= len(top):
            continue
        e = events[top[at]]
        if what == "rename":
            e["name"] = e["name"] + "_other"
        elif what == "shape":
            if not e.get("args", {}).get("Input Dims"):
                return None
            e["args"]["Input Dims"] = e["args"]["Input Dims"] + [[7, 7]]
        else:
            name, dims = ADDED[what]
            end = e["ts"] + e["dur"]
            args = {"Input Dims": dims, "Input type": ["float"] + [""] * (len(dims) - 1)} if e.get("args", {}).get("Input Dims") else {}
            events.append({"ph": "X", "cat": e["cat"], "name": name, "pid": e["pid"], "tid": e["tid"], "ts": end, "dur": 0.001, "args": args})
    return doc


KINDS = ("added", "removed", "changed", "renamed")


def ours(base, new):
    out = subprocess.run([TP, "diff", base, new, "--json", "-", "--quiet"], capture_output=True)
    report = json.loads(out.stdout)
    return report, sorted(change for c in report["changes"] if not c["follows"] for change in changes_of_the_reference(c))


def changes_of_the_reference(change):
    """Returns the changes that the reference reports for one change that tracepress reports. A replaced operator
    becomes an added and a removed one, because the reference does not pair operators with different names."""
    if change["what"] == "replaced":
        return [("added operator", change["after"], change["times"]), ("removed operator", change["before"], -change["times"])]
    return [(change["what"], change["name"], change["delta"])] if change["what"].startswith(KINDS) else []


def theirs(base, new):
    a, b = ref.read_run(base), ref.read_run(new)
    if len(a["steps"]) < 2:
        return None
    _, differs, _ = ref.identity(a, b)
    changes, _ = ref.diff_counts(a, b, None, any(k == "input" for k, _, _ in differs))
    # the reference adds ": the host waits for the value" to ".item()"
    return sorted((c["what"].split(":")[0], c["name"], c["delta"]) for c in changes if c["what"].startswith(KINDS)
                  and not c["name"].startswith("autograd::engine::evaluate_function"))


def main():
    pairs = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[3:]:
            doc, r = load(path), random.Random(os.path.basename(path))
            for what in [None, "rename", "shape", *ADDED]:
                new = path
                if what:
                    changed = mutate(doc, what, r)
                    if not changed:
                        continue
                    new = os.path.join(folder, what + ".json")
                    json.dump(changed, open(new, "w"))
                wanted = theirs(path, new)
                if wanted is None:
                    continue
                report, seen = ours(path, new)
                pairs += 1
                if report["identity"]["workload"] == "same" and seen != wanted:
                    wrong.append("%s, %s: %r, wanted %r" % (path, what, seen[:3], wanted[:3]))
                if what and what in ADDED and not any(name == ADDED[what][0] for _, name, _ in seen):
                    wrong.append("%s: the added %s is not named: %r" % (path, what, seen[:3]))
    print("%d pairs" % pairs)
    for line in wrong:
        print(line)
    sys.exit(bool(wrong) or not pairs)


main()
