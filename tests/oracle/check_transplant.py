#!/usr/bin/env python3
"""check_transplant.py PROGRAM TRACE...: replays each analysed step of a trace with the durations of each other step, and
compares the forecast with the measured length of the other step.

PROGRAM is build/release/step_transplant. The durations of step j replace those of step i for the nodes that both steps
have in the same order on a thread or stream. Pairs of steps with less than 90 % equal nodes are skipped. The naive
forecast is the length of step i. EXPECTED has the errors of these traces by the reference implementation. Prints a row
for each trace. Exits with 1 if a trace of EXPECTED differs, or if no trace has pairs."""
import argparse
import collections
import difflib
import os
import subprocess
import sys
import tempfile

LEAST_EQUAL = 0.9
# end of the file name: (pairs, replay mean, replay max, naive mean, naive max), percent
EXPECTED = {
    "nccl_data.json.gz": (6, "0.00", "0.00", "1.56", "2.37"),
    "control.json.gz": (30, "1.99", "5.84", "2.91", "7.22"),
    "worker0.1623143089861.pt.trace.json.gz": (30, "3.58", "8.96", "5.17", "13.23"),
    "worker0.1623143566756.pt.trace.json.gz": (30, "3.82", "13.92", "5.48", "14.87"),
    "worker0.1623212756351.pt.trace.json.gz": (30, "7.22", "34.71", "18.97", "48.12"),
    "worker0.1623213129365.pt.trace.json.gz": (28, "8.18", "39.86", "27.48", "70.80"),
    "resnet_act_checkpoint.json.gz": (6, "0.09", "0.14", "1.52", "2.31"),
    "df_index_resolver.json.gz": (20, "0.01", "0.08", "3.41", "8.60"),
    "rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz": (20, "1.66", "5.42", "2.38", "6.03"),
}

Node = collections.namedtuple("Node", "id ns name")


def steps_of(program, path):
    """Returns [length], [{lane: [Node]}] of the analysed steps."""
    done = subprocess.run([program, path], stdout=subprocess.PIPE, check=True)
    lengths, lanes = [], []
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
        kind, _, rest = line.partition("\t")
        if kind == "step":
            lengths.append(int(rest.split("\t")[1]))
            lanes.append(collections.defaultdict(list))
        elif kind == "node":
            step, lane, node, ns, name = rest.split("\t", 4)
            lanes[int(step)][lane].append(Node(int(node), int(ns), name))
    return lengths, lanes


def transplanted(into, other):
    """Returns {node: duration} of the nodes that both steps have, or None if the steps differ too much."""
    new, equal, count = {}, 0, 0
    for lane, nodes in into.items():
        others = other.get(lane, [])
        count += len(nodes)
        matcher = difflib.SequenceMatcher(None, [n.name for n in nodes], [n.name for n in others], False)
        for at, there, size in matcher.get_matching_blocks():
            equal += size
            new.update((n.id, o.ns) for n, o in zip(nodes[at:at + size], others[there:there + size]))
    return new if equal >= LEAST_EQUAL * count else None


def forecasts(program, path, replays, folder):
    """Returns the replayed length of the step of each replay: (step, {node: duration})."""
    file = os.path.join(folder, "replays")
    with open(file, "w", encoding="ascii") as f:
        for step, new in replays:
            f.write("replay %d %d\n%s\n" % (step, len(new), "\n".join("%d %d" % item for item in new.items())))
    done = subprocess.run([program, path, file], stdout=subprocess.PIPE, check=True)
    return [int(line) for line in done.stdout.split()]


def percents(pairs):
    """Returns the mean and the largest error of [(forecast, true)], percent, as texts."""
    errors = [abs(100.0 * (said - true) / true) for said, true in pairs]
    return "%.2f" % (sum(errors) / len(errors)), "%.2f" % max(errors)


def check(program, path, folder):
    """Compares one trace. Returns (whether it has pairs, whether it differs from EXPECTED)."""
    lengths, lanes = steps_of(program, path)
    ways = [(i, j) for i in range(len(lengths)) for j in range(len(lengths)) if i != j]
    new = {way: transplanted(lanes[way[0]], lanes[way[1]]) for way in ways}
    pairs = [way for way in ways if new[way] is not None]
    name = os.path.basename(path)
    if not pairs:
        print("%s: %d steps, no pair of equal steps" % (name, len(lengths)))
        return False, name in EXPECTED
    said = forecasts(program, path, [(i, new[i, j]) for i, j in pairs], folder)
    row = (len(pairs), *percents([(s, lengths[j]) for s, (_, j) in zip(said, pairs)]), *percents([(lengths[i], lengths[j]) for i, j in pairs]))
    wanted = EXPECTED.get(name, row)
    print("%s: %d pairs (%d skipped), replay mean %s%% max %s%%, naive mean %s%% max %s%%%s" % (
        name, row[0], len(ways) - len(pairs), *row[1:], "" if row == wanted else "; wanted %s" % (wanted,)), flush=True)
    return True, row != wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("traces", nargs="+", metavar="TRACE")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [check(args.program, path, folder) for path in args.traces]
    return any(differs for _, differs in found) or not any(has for has, _ in found)


if __name__ == "__main__":
    sys.exit(main())
