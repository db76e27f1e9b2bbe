#!/usr/bin/env python3
"""doc_samples.py TRACEPRESS WORK FILE: compares the samples in FILE with what the program prints.

A sample of a page is a fenced block after the line <!-- printed by: COMMAND ... -->. COMMAND is a command of tracepress.
A sample of a help text (*.txt) is a line "  tracepress COMMAND ..." of its examples, before lines with six blanks that
show what it prints; "  cat FILE" shows the content of an input. A line "..." replaces lines that the sample omits; the other lines must be printed in that order. Standard error is
compared after standard output. A command may use these inputs: base and new (the bundled pair), gpu.pt.trace.json.gz (a
bundled trace), main.pt.trace.json.gz and branch.pt.trace.json.gz (the pair again), and two folders of three simulated runs each: three, and slow10 with a kernel that is 10 % slower.
Prints each sample that differs and what the program prints instead. Exits with 1 if a sample differs or FILE has none."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen_training

FILES = {"base": "diff/base.pt.trace.json.gz", "new": "diff/new.pt.trace.json.gz", "main.pt.trace.json.gz": "diff/base.pt.trace.json.gz",
         "branch.pt.trace.json.gz": "diff/new.pt.trace.json.gz", "gpu.pt.trace.json.gz": "traces/gpu_2026.pt.trace.json.gz"}
FOLDERS = {"three": (1, []), "slow10": (30, ["--slow", "cudnn_wgrad_alg0_engine_128_6=10"])}
SAMPLE = re.compile(r"^<!-- printed by: (.*?) -->\n+```[a-z]*\n(.*?)^```$", re.M | re.S)
HELP_SAMPLE = re.compile(r"^  (?:tracepress|cat) (.*)\n((?: {6}.*\n|\n(?= {6}))+)", re.M)


def samples_of(path):
    """Returns pairs of a command and its sample. For help texts, also returns {name: content} of the input files."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not path.endswith(".txt"):
        return SAMPLE.findall(text), {}
    found = [(words, re.sub(r"^ {6}", "", shown, flags=re.M)) for words, shown in HELP_SAMPLE.findall(text[text.index("\nexample\n"):])]
    contents = {words: shown for words, shown in found if " " not in words}
    return [(words, shown) for words, shown in found if " " in words], contents


def make_inputs(folder, command):
    os.makedirs(folder, exist_ok=True)
    for name, path in FILES.items():
        if name in command:
            shutil.copy(os.path.join("tests/data", path), os.path.join(folder, name))
    for name, (seed, options) in FOLDERS.items():
        for number in range(3 if name in command else 0):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
            gen_training.write(["--seed", str(seed + number), *options, os.path.join(folder, name, "worker%d.pt.trace.json" % number)])


def missing(sample, printed):
    """Returns the first part of a sample that is not printed after the previous part; None: all parts are printed."""
    lines, at = printed.splitlines(), 0
    for part in re.split(r"^\.\.\.\n", sample.rstrip("\n") + "\n", flags=re.M):
        wanted = part.splitlines()
        at = next((i for i in range(at, len(lines) - len(wanted) + 1) if lines[i:i + len(wanted)] == wanted), None)
        if at is None:
            return part
        at += len(wanted)
    return None


def main():
    program, work, path = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    samples, contents = samples_of(path)
    stale = not samples
    for number, (command, sample) in enumerate(samples):
        folder = os.path.join(work, "sample%d" % number)
        make_inputs(folder, command.split())
        for name, text in contents.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        out = subprocess.run([program, *command.split()], cwd=folder, capture_output=True, text=True)
        part = missing(sample, out.stdout + out.stderr)
        if part is not None:
            stale = True
            print("%s, tracepress %s: not printed:\n%s--- but:\n%s%s" % (path, command, part, out.stdout, out.stderr))
    print("%s: %d samples" % (path, len(samples)))
    return stale


if __name__ == "__main__":
    sys.exit(main())
