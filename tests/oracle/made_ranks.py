#!/usr/bin/env python3
"""made_ranks.py [--tracepress PATH] [--seeds A-B] [--jobs N]: compares the answers of joined replays with jobs that run
again.

Runs the programs of made_programs.py on three ranks whose clocks differ. On one rank, the compute or the host takes 30 %
longer. The answer to "rank:N" for this rank is compared with the same job with equal ranks, which runs again. Without
--tracepress, the executable definition gives the answers. With it, `tracepress whatif` gives them, and each value must
equal that of the definition.

Takes the first N programs with collectives and without a deep queue. Prints the errors, in percent of the step. Exits
with 1 if a replay does not reproduce the traces, if a value differs from the definition, or if an error is too
large."""
import argparse
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
from check_what_if import asked, changes_of, defined, differences  # noqa: E402
from made_programs import Machine, Maker, scaled  # noqa: E402
from twin.reading import read_document  # noqa: E402
from twin.trace import Trace  # noqa: E402

RANKS = 3
CLOCK_NS = 7_654_321                                       # the clock of each rank is this far ahead of that of the rank before
SLOW = {"compute": scaled(("compute",), 13, 10), "host": scaled(("operator", "python", "call", "launch", "sync"), 13, 10)}
# Largest errors, percent of the step. A faster rank can show a dependency that was never late in the traces.
MOST_MEAN, MOST = 0.05, 1.0


class Rank(Machine):
    """Runs the program of one rank. waits: for each collective, the time that it waits for other ranks. started: start
    of each collective by the clock of rank 0."""

    def __init__(self, program, number, change, waits):
        super().__init__(program, change)
        self.number, self.waits, self.count = number, waits, 0
        self.t = number * CLOCK_NS

    def ns(self, what, name, ns):
        ns = super().ns(what, name, ns)
        if what == "communication":
            ns += self.waits[self.count] if self.count < len(self.waits) else 0
            self.count += 1
        return ns

    def started(self):
        starts = [(e["args"]["correlation"], e["ts"]) for e in self.out if e["cat"] == "kernel" and "nccl" in e["name"]]
        return [round(float(ts) * 1000) - self.number * CLOCK_NS for _, ts in sorted(starts)]

    def write(self, path):
        header = {"distributedInfo": {"rank": self.number, "world_size": RANKS}, "deviceProperties": [{"id": 0, "name": "Sim"}]}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**header, "traceEvents": self.out}, f)


def run_job(program, changes):
    """Runs the ranks until each collective ends everywhere at the same time: the last arrival plus the transfer. A run
    with right waits up to one collective gives the right arrivals at the next one."""
    waits = [[] for _ in changes]
    while True:
        ranks = [Rank(program, i, change, waits[i]).run() for i, change in enumerate(changes)]
        last = [max(starts) for starts in zip(*(r.started() for r in ranks))]
        new = [[end - start for end, start in zip(last, r.started())] for r in ranks]
        if new == waits:
            return ranks
        waits = new


def write_job(ranks, folder):
    paths = [os.path.join(folder, "made%d.json" % r.number) for r in ranks]
    for rank, path in zip(ranks, paths):
        rank.write(path)
    return paths


class Results:
    def __init__(self):
        self.errors, self.bad, self.compared = {what: [] for what in SLOW}, 0, 0

    def fail(self, text):
        print(text)
        self.bad += 1

    def report(self):
        """Prints the results. Returns whether they are worse than the limits."""
        for what, errors in self.errors.items():
            if not errors:
                continue
            mean, most = sum(map(abs, errors)) / len(errors), max(map(abs, errors))
            print("%s of one rank 30 %% longer: %d jobs, mean |e| %.3f%%, max |e| %.3f%%" % (what, len(errors), mean, most))
            if mean > MOST_MEAN or most > MOST:
                self.fail("%s: the errors are too large" % what)
        print("%d values compared with the definition, %d failures" % (self.compared, self.bad))
        return self.bad > 0 or not any(self.errors.values())


def compare(seed, program, what, args, folder, results):
    """Compares the answer for a job with a slow rank with the job without a slow rank."""
    slow, none = seed % RANKS, Machine(program).change
    paths = write_job(run_job(program, [SLOW[what] if i == slow else none for i in range(RANKS)]), folder)
    changes = changes_of(paths)
    view = asked(args.tracepress, paths, changes, folder) if args.tracepress else defined(paths, changes)
    name = "seed %d, %s of rank %d" % (seed, what, slow)
    if isinstance(view, str):
        return results.fail("%s: %s" % (name, view))
    if args.tracepress:
        count, found = differences(view, defined(paths, changes))
        results.compared += count
        for path, ours, theirs in found[:4]:
            results.fail("%s: %s: ours %r, definition %r" % (name, path, ours, theirs))
    if view["replay"]["nodes_wrong"] or view["replay"]["kept_error_ns"] or view["withheld"]:
        return results.fail("%s: not reproduced, or withheld: %s" % (name, view["withheld"]))
    steps = Trace(read_document(paths[0])).steps
    again = Trace(read_document(write_job(run_job(program, [none] * RANKS), folder)[0])).steps
    true = sum(s.length for s in again.found if s.name in {u.name for u in steps.used}) // steps.count
    error = 100 * (view["what_if"][slow]["step_ns"] - true) / (steps.ns // steps.count)
    results.errors[what].append(error)
    return print("%s: step %.3f ms, answer %.3f ms, true %.3f ms, error %+.3f %%" % (
        name, steps.ns / steps.count / 1e6, view["what_if"][slow]["step_ns"] / 1e6, true / 1e6, error))


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracepress")
    parser.add_argument("--seeds", default="0-199")
    parser.add_argument("--jobs", type=int, default=20)
    args = parser.parse_args()
    first, _, last = args.seeds.partition("-")
    results, jobs = Results(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            program = Maker(seed).program()
            if "nccl" not in str(program) or program["regime"] == "deep" or jobs == args.jobs:
                continue
            jobs += 1
            for what in SLOW:
                compare(seed, program, what, args, folder, results)
    return results.report()


if __name__ == "__main__":
    sys.exit(main())
