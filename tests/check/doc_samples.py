#!/usr/bin/env python3
"""doc_samples.py TRACEPRESS WORK FILE.md: the samples of FILE are what the program prints today.

A sample is a fenced block behind a line <!-- printed by: COMMAND ... -->, where COMMAND is one of tracepress. A line "..." stands
for lines that are left out; what is between two of them is printed as it stands there, in that order. The inputs that a
command may name are the bundled pair, base and new, and folders of three simulated runs each: three, slow10 (gen_training.py;
a kernel slower by 10 %). Prints what is stale, with what is printed, and exits 1; a file without a sample is one, too."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_training

FOLDERS = {"three": (1, []), "slow10": (30, ["--slow", "cudnn_wgrad_alg0_engine_128_6=10"])}
SAMPLE = re.compile(r"^<!-- printed by: (.*?) -->\n+```[a-z]*\n(.*?)^```$", re.M | re.S)


def make_inputs(folder, command):
    os.makedirs(folder, exist_ok=True)
    for name in ("base", "new"):
        if name in command:
            shutil.copy(os.path.join("tests/data/diff", name + ".pt.trace.json.gz"), os.path.join(folder, name))
    for name, (seed, options) in FOLDERS.items():
        for number in range(3 if name in command else 0):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
            gen_training.write(["--seed", str(seed + number), *options, os.path.join(folder, name, "worker%d.pt.trace.json" % number)])


def missing(sample, printed):
    """the first part of a sample that is not printed behind the one before; None: all are"""
    lines, at = printed.splitlines(), 0
    for part in re.split(r"^\.\.\.\n", sample, flags=re.M):
        wanted = part.splitlines()
        at = next((i for i in range(at, len(lines) - len(wanted) + 1) if lines[i:i + len(wanted)] == wanted), None)
        if at is None:
            return part
        at += len(wanted)
    return None


def main():
    program, work, path = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    with open(path, encoding="utf-8") as f:
        samples = SAMPLE.findall(f.read())
    stale = not samples
    for number, (command, sample) in enumerate(samples):
        folder = os.path.join(work, "sample%d" % number)
        make_inputs(folder, command.split())
        out = subprocess.run([program, *command.split()], cwd=folder, capture_output=True, text=True)
        part = missing(sample, out.stdout)
        if part is not None:
            stale = True
            print("%s, tracepress %s: not printed:\n%s--- but:\n%s%s" % (path, command, part, out.stdout, out.stderr))
    print("%s: %d samples" % (path, len(samples)))
    return stale


if __name__ == "__main__":
    sys.exit(main())
