"""Compares every value of `tracepress report` on memory snapshots with the independent implementation in ../shared.

usage: snapshots_reference.py TRACEPRESS WORK ORACLE FIRST_SEED COUNT

The files are drawn programs (snapshot_programs.py), and the files that the generator of ORACLE makes for a seed
from 2 to 9 (its sizes grow with the seed)."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TRACEPRESS, WORK, ORACLE, FIRST, COUNT = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
sys.path[:0] = [HERE, ORACLE]
from snapshot_allocator import snapshot
from snapshot_programs import WRITERS, draw_program
import snapshot_ref

MOST_OOMS = 64


def leaves(value, path=""):
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, path + "/" + key)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, "%s/%d" % (path, index))
    else:
        yield path, value


def difference(path):
    """Returns the number of compared values, and the first one that differs; None if none does."""
    reference = snapshot_ref.snapshot(path)
    for device in reference["devices"]:  # the report has the first out-of-memory events, and the last one
        if len(device["ooms"]) > MOST_OOMS:
            device["ooms"] = device["ooms"][:MOST_OOMS - 1] + device["ooms"][-1:]
    wanted = dict(leaves(reference))
    out = os.path.join(WORK, "reference.json")
    done = subprocess.run([TRACEPRESS, "report", path, "-o", os.path.join(WORK, "reference.html"), "--json", out, "--quiet"],
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        return 0, "exit code %d: %s" % (done.returncode, done.stderr)
    made = dict(leaves(json.load(open(out))))
    for key in sorted(set(wanted) | set(made)):
        if made.get(key, "missing") != wanted.get(key, "missing"):
            return len(wanted), "%s: got %r, reference %r" % (key, made.get(key, "missing"), wanted.get(key, "missing"))
    return len(wanted), None


def made_files(seed):
    folder = os.path.join(WORK, "generated")
    os.makedirs(folder, exist_ok=True)
    allocators, writer = draw_program(seed)
    path = os.path.join(folder, "drawn.pickle")
    with open(path, "wb") as file:
        file.write(WRITERS[writer](snapshot(allocators)))
    yield path


def generated_files(seed):
    folder = os.path.join(WORK, "oracle")
    subprocess.run([sys.executable, os.path.join(ORACLE, "make_snapshots.py"), "fixtures", folder, str(seed)], check=True,
                   stdout=subprocess.DEVNULL)
    for name in sorted(os.listdir(folder)):
        yield os.path.join(folder, name)


total, files, wrong = 0, 0, []
sources = [made_files(seed) for seed in range(FIRST, FIRST + COUNT)] + [generated_files(2 + FIRST % 8)]
for seed, source in enumerate(sources):
    for path in source:
        count, text = difference(path)
        total, files = total + count, files + 1
        if text:
            wrong.append("seed %d, %s: %s" % (FIRST + seed, os.path.basename(path), text))
print("\n".join(w[:400] for w in wrong[:12]) or "%d files, %d values, no difference" % (files, total))
sys.exit(bool(wrong))
