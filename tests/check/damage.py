#!/usr/bin/env python3
"""damage.py PROGRAM FOLDER SEED COUNT TRACE...: damages traces and checks the verdicts of `check` and `diff`. On the
damaged input they must be inconclusive, or equal those on the undamaged input.

Each TRACE is a file, or a folder of the ranks of a job. The damages are: a flipped bit or a cut of the gzip file, a cut
of the text, a cut that is closed to valid JSON, dropping all events of a kind with or without the links to them,
dropping a rank.

The budget has four lines for each metric of the undamaged trace. The limits <= and >= its value pass, the limits < and
> fail. Any changed number that still gets a verdict is therefore a false pass or a false failure. The same limits are
checked against a baseline, with damage on either side. `trace.*` is not checked, because these metrics describe the
damage itself.

Formats without an end mark are not cut and closed. If a kind of events is dropped from them, only the comparison with
the undamaged trace is checked."""
import collections
import decimal
import gzip
import json
import os
import random
import shutil
import subprocess
import sys

KINDS = {
    "kernels": {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"},
    "operators": {"cpu_op", "operator"},
    "annotations": {"user_annotation", "cpu_op", "operator"},
    "runtime": {"cuda_runtime", "cuda_driver", "runtime", "driver", "cuda_sync"},
    "frames": {"python_function"},
    "memory": {"[memory]"},
}
LINKS = {"ac2g", "async_cpu_to_gpu", "async", "fwdbwd", "forward_backward", "async_gpu"}


class Trace:
    """A trace on disk: its text, its document, and its end marks."""

    def __init__(self, path):
        self.path, self.bytes = path, open(path, "rb").read()
        self.text = gzip.decompress(self.bytes) if self.bytes[:2] == b"\x1f\x8b" else self.bytes
        try:
            self.document = json.loads(self.text)
        except ValueError:
            self.document = None
        events = self.document.get("traceEvents") if isinstance(self.document, dict) else None
        self.events = events if isinstance(events, list) else []
        self.numbers = self.find_number_argument()
        self.has_end = any(isinstance(e, dict) and e.get("name") == "Record Window End" for e in self.events)

    def find_number_argument(self):
        """Returns the name of the argument with the number of a host event, in which missing events are visible as
        gaps; "": there is no such argument."""
        host = [e.get("args", {}) for e in self.events if category(e) in ("cpu_op", "operator", "user_annotation")]
        if not all(isinstance(args, dict) for args in host): # a trace with unusual values has no numbering argument
            return ""
        for key in ("Ev Idx", "Profiler Event Index", "External id"):
            numbers = {n if isinstance(n, (int, str)) else None for n in (args.get(key) for args in host)}
            if len(numbers) == len(host) and not numbers & {None, 0 if key == "External id" else None}:
                return key
        return ""

    def number(self, event):
        return event.get("args", {}).get(self.numbers, 0) if self.numbers else 0

    def packed(self, document):
        return gzip.compress(json.dumps(document).encode(), 6, mtime=0)


def category(event):
    if not isinstance(event, dict):
        return None
    if event.get("name") == "[memory]":
        return "[memory]"
    return str(event.get("cat", "")).lower()


def flip(trace, rng):
    data = bytearray(trace.bytes)
    at = rng.randrange(len(data))
    bit = rng.randrange(8)
    data[at] ^= 1 << bit
    return "bit %d of byte %d flipped" % (bit, at), bytes(data)


def cut_gzip(trace, rng):
    at = rng.randrange(20, len(trace.bytes))
    return "gzip cut at byte %d" % at, trace.bytes[:at]


def cut_text(trace, rng):
    at = rng.randrange(2, len(trace.text.rstrip()))
    return "text cut at byte %d" % at, gzip.compress(trace.text[:at], 6, mtime=0)


def cut_and_close(trace, rng):
    keep = rng.randrange(len(trace.events))
    return "%d of %d events kept, closed" % (keep, len(trace.events)), trace.packed(
        dict(trace.document, traceEvents=trace.events[:keep]))


def drop_kind(trace, rng):
    there = {category(e) for e in trace.events}
    kinds = [kind for kind in KINDS if KINDS[kind] & there]
    if not kinds:
        return None
    kind = rng.choice(kinds)
    has_links = rng.random() < 0.5
    gone = KINDS[kind] | (set() if has_links else LINKS)
    kept = [e for e in trace.events if category(e) not in gone]
    return "%s dropped%s" % (kind, "" if has_links else ", and all links"), trace.packed(
        dict(trace.document, traceEvents=kept))


def drop_hole(trace, rng):
    """Drops consecutive events of the host, but neither the first nor the last event."""
    host = [i for i, e in enumerate(trace.events) if category(e) in ("cpu_op", "operator", "user_annotation")]
    host.sort(key=lambda i: trace.number(trace.events[i]))
    if len(host) < 20 or not trace.numbers:
        return None
    count = rng.randrange(1, len(host) // 2)
    first = rng.randrange(1, len(host) - count)
    gone = set(host[first:first + count])
    return "%d events of the host dropped" % count, trace.packed(
        dict(trace.document, traceEvents=[e for i, e in enumerate(trace.events) if i not in gone]))


class Judge:
    """The tested program, and its results for undamaged inputs."""

    def __init__(self, program, folder):
        self.program, self.folder, self.known = program, folder, {}
        self.out = os.path.join(folder, "out.json")

    def run(self, command, *arguments):
        if os.path.exists(self.out):
            os.remove(self.out)
        run = subprocess.run([self.program, command, "-q", *arguments, "--json", self.out], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        assert run.returncode in (0, 1, 3, 6), (command, arguments, run.returncode, run.stderr)
        if run.returncode == 3: # exit code 3: no usable data remains, so there is no verdict
            return run.returncode, None
        return run.returncode, json.load(open(self.out, encoding="utf-8"))

    def check(self, path, budget, baseline=None):
        more = ["--baseline", baseline] if baseline else []
        return self.run("check", path, "-o", os.devnull, "--budget", budget, *more)

    def budgets(self, path, name):
        """Writes two budget files: absolute limits, and limits relative to a baseline that equals the run."""
        paths = [os.path.join(self.folder, "%s.%s" % (name, kind)) for kind in ("own", "against")]
        open(paths[0], "w").write("step.count >= 0\n")
        code, said = self.check(path, paths[0])
        if said is None:
            return None
        listed = {m["name"]: m for m in json.loads(subprocess.run(
            [self.program, "check", "--list-metrics", "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)["metrics"]}
        own, against = [], []
        for profile in said["run"]["profiles"]:
            rank = "" if profile["rank"] is None or len(said["run"]["profiles"]) == 1 else " @%d" % profile["rank"]
            for metric, value in profile["metrics"].items():
                if value is None or metric.startswith("trace."):
                    continue
                unit = {"count": "", "ns": " ns", "bytes": " B", "%": " %"}[listed[metric]["unit"]]
                points = " points" if unit == " %" else unit
                own += ["%s %s %s%s%s" % (metric, op, format(decimal.Decimal(repr(value)), "f"), unit, rank) for op in ("<=", ">=", "<", ">")]
                ops = ("<=", ">=", "<", ">")
                against += ["%s %s +0%s%s" % (metric, op, points if unit != " " else "", rank) for op in ops]
        open(paths[0], "w").write("\n".join(own) + "\n")
        open(paths[1], "w").write("\n".join(against) + "\n")
        return paths


def compare_checks(whole, damaged):
    """Returns the items with a wrong verdict, each with the kind of error."""
    (code, said), (new_code, new) = whole, damaged
    if new is None:
        return []
    wanted = {(i["text"], i["subject"]): i["status"] for i in said["items"]}
    broken = []
    for item in new["items"]:
        before = wanted.get((item["text"], item["subject"]), wanted.get((item["text"], "")))
        if item["status"] != "inconclusive" and item["status"] != before and before is not None:
            kind = "false pass" if item["status"] == "pass" else "false blame"
            broken.append((kind, "%s: %s, whole %s" % (item["text"], item["status"], before)))
    if new["verdict"] not in (said["verdict"], "inconclusive"):
        broken.append(("false pass" if new["verdict"] in ("pass", "warn") else "false blame",
                       "verdict %s, whole %s" % (new["verdict"], said["verdict"])))
    if new_code == 0 and code != 0:
        broken.append(("false pass", "exit 0, whole %d" % code))
    if new_code == 1 and code != 1:
        broken.append(("false blame", "exit 1, whole %d" % code))
    return broken


def compare_diffs(whole, damaged):
    (code, said), (new_code, new) = whole, damaged
    if new is None or new["verdict"] in (said["verdict"], "inconclusive"):
        wrong_code = new is not None and new_code != 6 and new_code != code
        return [("false pass" if new_code == 0 else "false blame", "diff: exit %d, whole %d" % (new_code, code))] * wrong_code
    kind = "false blame" if new["verdict"] == "regressed" else "false pass"
    return [(kind, "diff: %s, whole %s" % (new["verdict"], said["verdict"]))]


def judge_damage(judge, path, damaged, pair, is_marked):
    """Runs all commands on the damaged input: alone if the input shows its damage, and as either side of a
    comparison."""
    own, against = judge.known[path]["budgets"]
    broken = []

    def whole(key, make):
        if key not in judge.known[path]:
            judge.known[path][key] = make()
        return judge.known[path][key]

    if is_marked:
        broken += compare_checks(whole("own", lambda: judge.check(path, own)), judge.check(damaged, own))
    broken += compare_checks(whole("self", lambda: judge.check(path, against, path)), judge.check(damaged, against, path))
    broken += compare_checks(whole("self", lambda: judge.check(path, against, path)), judge.check(path, against, damaged))
    for base, new in ((path, damaged), (damaged, path)):
        broken += compare_diffs(whole("diff", lambda: judge.run("diff", path, path)), judge.run("diff", base, new))
    if pair:
        broken += compare_diffs(whole("pair", lambda: judge.run("diff", pair, path)), judge.run("diff", pair, damaged))
        broken += compare_diffs(whole("riap", lambda: judge.run("diff", path, pair)), judge.run("diff", damaged, pair))
    return broken


def damage_job(judge, folder, rng, place):
    """Makes a job with a missing rank."""
    files = sorted(os.listdir(folder))
    gone = rng.choice(files)
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    for name in files:
        if name != gone:
            shutil.copy(os.path.join(folder, name), place)
    return "%s missing" % gone, place


def main():
    program, folder, seed, count = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, judge, counts, faults = random.Random(seed), Judge(program, folder), collections.Counter(), collections.Counter()
    inputs = {path: None if os.path.isdir(path) else Trace(path) for path in sys.argv[5:]}
    pairs = {}
    for path in inputs:
        budgets = judge.budgets(path, "budget%d" % len(judge.known))
        if budgets:
            judge.known[path] = {"budgets": budgets}
        if os.path.basename(path).startswith(("new.", "base.")):
            other = path.replace("/new.", "/base.") if "/new." in path else path.replace("/base.", "/new.")
            pairs[path] = other
    usable = [path for path in inputs if path in judge.known]
    ways = [flip, cut_gzip, cut_text, cut_and_close, drop_kind, drop_kind, drop_hole]
    while sum(counts.values()) < count:
        path = usable[sum(counts.values()) % len(usable)]
        trace, way = inputs[path], rng.choice(ways)
        if trace is None:
            name, (what, damaged) = "drop_rank", damage_job(judge, path, rng, os.path.join(folder, "job"))
        else:
            if way in (cut_and_close, drop_hole) and not trace.has_end:
                way = rng.choice((flip, cut_gzip, cut_text))
            if way in (flip, cut_gzip) and trace.bytes is trace.text:
                way = cut_text
            made = way(trace, rng)
            if not made:
                continue
            name, (what, data) = way.__name__, made
            damaged = os.path.join(folder, "damaged.pt.trace.json.gz")
            open(damaged, "wb").write(data)
        counts[name] += 1
        is_marked = trace is None or trace.has_end or name != "drop_kind"
        broken = judge_damage(judge, path, damaged, pairs.get(path), is_marked)
        for kind in {kind for kind, _ in broken}:
            faults[kind, name] += 1
        if broken:
            print("seed %d, damage %d: %s: %s" % (seed, sum(counts.values()), path, what))
            for kind, line in broken[:4]:
                print("    %s: %s" % (kind, line))
            if len(broken) > 4:
                print("    and %d more" % (len(broken) - 4))
    print("seed %d: %d damages (%s): %d false passes, %d false blames" % (
        seed, sum(counts.values()), ", ".join("%s %d" % item for item in sorted(counts.items())),
        sum(n for (kind, _), n in faults.items() if kind == "false pass"),
        sum(n for (kind, _), n in faults.items() if kind == "false blame")))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
