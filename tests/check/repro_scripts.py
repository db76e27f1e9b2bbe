#!/usr/bin/env python3
"""repro_scripts.py TRACEPRESS FOLDER LEAST TRACE...: writes a script for each operator of the traces
(`export --to repro --operator NAME`) and runs all scripts unchanged under torch on the CPU (REPRO_PYTHON, otherwise this
Python). Fails if fewer than LEAST different operators run, or if a script ends in an unexpected way.

repro_scripts.py --run SCRIPT...: runs scripts in this process, with a line for each.

repro_scripts.py --hostile FILE: writes a trace whose texts would make the file "pwned" if they ran as code.

Shares no code with tracepress."""
import collections
import contextlib
import csv
import glob
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys


def run(scripts):
    for script in scripts:
        out = io.StringIO()
        sys.argv = [script, "--device", "cpu", "--repeat", "2", "--warmup", "1"]
        try:
            with contextlib.redirect_stdout(out):
                runpy.run_path(script, run_name="__main__")
            said = "runs" if "time per call: median" in out.getvalue() and "assumed: values" in out.getvalue() else "prints no time"
        except SystemExit as end:
            said = "refuses: %s" % end
        except Exception as error:  # an error of the operator itself, as a bug report would show it
            said = "raises: %s: %s" % (type(error).__name__, error)
        print("%s\t%s" % (script, " ".join(said.split())[:300]), flush=True)


def hostile(path):
    code = '__import__("os").system("touch pwned")'
    calls = [
        ("add", [[2, 2], [2, 2], []], ["float", "float", "Scalar"], ["", "", code]),  # runs: alpha has a default
        ("mm", [[2, 2], [2, 2]], ['float"}]; %s#' % code, "float\n" + code], ["", ""]),
        ("neg", [[4]], ["float\r\u2028\\\" + %s" % code], [""]),
        ("abs", [[code]], ["float"], [""]),
        ("mul", [[10**18, 10**18], [2]], ["float", "float"], ["", ""]),
        ("div", [[-3], [2]], ["float", "float"], ["", ""]),
        ("exp", [[0, 2**62, 2**62]], ["float"], [""]),
        ("cat", [[], []], ["TensorList", "Scalar"], ["", code]),
    ]
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::" + name, "pid": 1, "tid": 1, "ts": 10 * i, "dur": 1,
               "args": {"Input Dims": dims, "Input type": types, "Concrete Inputs": values}}
              for i, (name, dims, types, values) in enumerate(calls)]
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)


def names_of(tracepress, trace, folder):
    out = os.path.join(folder, "tables")
    done = subprocess.run([tracepress, "export", trace, "--to", "csv", "-o", out, "--quiet"], capture_output=True)
    tables = glob.glob(os.path.join(out, "**", "*.operators.csv"), recursive=True)
    names = set()
    for table in tables if done.returncode == 0 else []:
        with open(table, newline="") as file:
            names |= {row["name"] for row in csv.DictReader(file)}
        os.remove(table)
    return sorted(names)


def main(tracepress, folder, least, *traces):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    scripts, refused = {}, {}
    for trace in traces:
        for name in names_of(tracepress, trace, folder):
            if name in scripts:
                continue
            path = os.path.join(folder, "%d.py" % len(scripts))
            done = subprocess.run([tracepress, "export", trace, "--to", "repro", "--operator", name, "-o", path, "--quiet"],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                scripts[name] = path
                refused.pop(name, None)
                continue
            assert done.returncode == 3 and "--operator: " in done.stderr and not os.path.exists(path), (name, done)
            refused[name] = done.stderr.split("--operator: ")[1].strip()
    python = os.environ.get("REPRO_PYTHON", sys.executable)
    said = subprocess.run([python, __file__, "--run", *scripts.values()], capture_output=True, text=True)
    ends = dict(line.split("\t", 1) for line in said.stdout.splitlines() if "\t" in line)
    counts, bad = collections.Counter(), []
    for name, path in scripts.items():
        end = ends.get(path, "crashes")
        kind = re.match(r"\w+", end).group(0)
        counts[kind] += 1
        if kind != "runs":
            print("%s: %s" % (name, end))
        if kind in ("crashes", "prints"):
            bad.append(name)
    for reason, count in collections.Counter(refused.values()).most_common():
        print("not exported: %d operators: %s" % (count, reason))
    print("repro scripts: %d operators exported; %s; %d not exported" % (
        len(scripts), ", ".join("%d %s" % (n, kind) for kind, n in counts.most_common()), len(refused)))
    if bad:
        print(said.stderr[-2000:])
    return bool(bad) or counts["runs"] < int(least)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2:])
    elif sys.argv[1] == "--hostile":
        hostile(sys.argv[2])
    else:
        sys.exit(main(*sys.argv[1:]))
