"""Tests pandas, IPython and Jupyter: frames equal the JSON, magics work, nbconvert executes a notebook, and mypy
--strict passes."""

import html
import json
import os
import re
import shutil
import subprocess
import sys

import pandas
from cases import DATA, PROGRAM, Skip, case, examples, run_all, trace

import torch_tracepress as tracepress

PACKAGE = os.path.dirname(tracepress.__file__)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def same(cell, value):
    if isinstance(value, list):
        return list(cell) == value
    return pandas.isna(cell) if value is None else cell == value


@case("frames: each table of a report, diff, check and table is a DataFrame with the values of the rows")
def _(folder):
    path, other = trace("gpu_2024"), trace("gpu_2026")
    results = [tracepress.report(path, os.path.join(DATA, "ddp")), tracepress.diff(path, other), tracepress.check(path)]
    count = 0
    frames = [(result.tables.rows(name), result.tables[name]) for result in results for name in result.tables]
    table = tracepress.table(path, group_by="line")
    for rows, frame in [*frames, (table.rows, table.frame())]:
        assert isinstance(frame, pandas.DataFrame) and len(frame) == len(rows)
        for index, row in enumerate(rows):
            for column, value in row.items():
                assert same(frame[column].iloc[index], value), (column, value, frame[column].iloc[index])
                count += 1
    assert count > 9000, count
    first = results[0].tables["operators"]
    first.loc[0, "name"] = "mine"
    assert results[0].tables["operators"].loc[0, "name"] != "mine"
    assert first["host_self_time_us"].dtype == "float64" and first["calls"].dtype == "int64"


def cell(source):
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


def executed(folder, cells, more=()):
    path = os.path.join(folder, "n.ipynb")
    with open(path, "w") as file:
        json.dump({"cells": [cell(c) for c in cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, file)
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "out.ipynb", *more, path],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with open(os.path.join(folder, "out.ipynb")) as file:
        return [c["outputs"] for c in json.load(file)["cells"]]


@case("notebook: executed by nbconvert; pages stand in frames of their own, equal the program's; errors are short")
def _(folder):
    name = "a 'b' \"c\" </iframe><script>alert(1)<\u202egnp"
    os.makedirs(os.path.join(folder, name))
    place = os.path.join(folder, name, "hostile.pt.trace.json.gz")
    with open(trace("hostile_names"), "rb") as a, open(place, "wb") as b:
        b.write(a.read())
    os.symlink(trace("gpu_2024"), os.path.join(folder, "base.pt.trace.json.gz"))
    os.symlink(trace("gpu_2026"), os.path.join(folder, "new.pt.trace.json.gz"))
    outputs = executed(
        folder,
        [
            "%load_ext torch_tracepress",
            f"import shlex, torch_tracepress\nplace = {place!r}\ntorch_tracepress.report(place)",
            "%tracepress report {shlex.quote(place)}",
            "%tracepress diff base.pt.trace.json.gz new.pt.trace.json.gz --threshold 3",
            "%tracepress check base.pt.trace.json.gz",
            "%tracepress table base.pt.trace.json.gz --row-limit 2 --format csv",
            "%tracepress report base.pt.trace.json.gz -o mine.html --quiet",
            "torch_tracepress.report('base.pt.trace.json.gz').tables['operators'].head(2)",
            "print(torch_tracepress.diff('base.pt.trace.json.gz', 'new.pt.trace.json.gz'))",
            "%tracepress report nothing.json",
            "%tracepress",
        ],
        ["--allow-errors"],
    )
    wanted = []
    for words in (
        ["report", place],
        ["report", place],
        ["diff", "base.pt.trace.json.gz", "new.pt.trace.json.gz", "--threshold", "3"],
    ):
        page = os.path.join(folder, "wanted.html")
        subprocess.run([PROGRAM, *words, "-o", page, "--quiet"], check=True, cwd=folder, capture_output=True)
        with open(page, encoding="utf-8", newline="") as file:
            wanted.append(file.read())
    assert outputs[0] == []
    for output, page in zip(outputs[1:4], wanted):
        (shown,) = output
        shown = "".join(shown["data"]["text/html"])
        frame = re.fullmatch(r'<iframe sandbox="allow-scripts allow-popups" [^<>]* srcdoc="([^"<>]*)"></iframe>', shown)
        assert frame and html.unescape(frame.group(1)) == page
        assert 'http-equiv="Content-Security-Policy"' in page
    assert "inconclusive: no baseline: 1 of 11 limits kept" in "".join(outputs[4][0]["data"]["text/markdown"])
    (text,) = outputs[5]
    assert "".join(text["text"]).startswith("name,kind,") and len("".join(text["text"]).splitlines()) == 3, text
    assert os.path.exists(os.path.join(folder, "mine.html")) and not [
        o for o in outputs[6] if o["output_type"] != "stream"
    ]
    assert "aten::" in "".join(outputs[7][0]["data"]["text/html"])
    assert "Neutral" in "".join(outputs[8][0]["text"])
    (error,) = outputs[9]
    assert (
        error["output_type"] == "error" and len(error["traceback"]) == 1 and "exit code 3" in error["traceback"][0]
    ), error
    assert "usage: tracepress COMMAND" in "".join(outputs[10][0]["text"])


def browse(folder, page, wanted):
    browser, node = os.environ.get("BROWSER_BINARY", ""), shutil.which("node")
    if not browser or not node:
        raise Skip("no chromium or no node")
    with open(os.path.join(folder, "wanted.json"), "w") as file:
        json.dump(wanted, file)
    words = [node, os.path.join(ROOT, "tests", "browser", "notebook.mjs"), browser, page, file.name]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0 and "not ok" not in done.stdout and done.stdout.count("ok - ") > 5 * len(wanted), (
        done.stdout + done.stderr
    )


@case("notebook: as HTML pages of the classic kind and of Lab's, in a browser: each frame shows its page, and only that")
def _(folder):
    for name, run in (("gpu_2024", "base"), ("gpu_2026", "new")):
        os.makedirs(os.path.join(folder, "runs", run))
        shutil.copy(trace(name), os.path.join(folder, "runs", run))
    hostile = "<img src=x onerror=alert(1)>"
    shutil.copy(trace("hostile_names"), os.path.join(folder, hostile + ".pt.trace.json.gz"))
    executed(
        folder,
        [
            "%load_ext torch_tracepress\nimport torch_tracepress as t",
            "t.report('runs/')",
            "t.diff('runs/base', 'runs/new')",
            "t.check('runs/base', limits=['step.count >= 1'])",
            "%tracepress report runs/new",
            "%tracepress diff runs/base runs/new --threshold 3",
            f"t.report({hostile + '.pt.trace.json.gz'!r})",
        ],
    )
    both = ["new", "against", "base"]
    wanted = [["2 profiles", "base / gpu_2024", "new / gpu_2026"], both, ["gpu_2026"], both, [hostile]]
    for template in ("classic", "lab"):
        page = os.path.join(folder, template + ".html")
        words = ["-m", "nbconvert", "--to", "html", "--template", template, "--output", page, "out.ipynb"]
        subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder)
        browse(folder, page, wanted)


@case("examples: those of the docstrings run as they stand there")
def _(folder):
    count = examples(folder, ("_command", "_results", "_tables", "_magic"), [trace("torch_2.13_mlp_train.full")])
    assert count >= 8, count


@case("types: mypy --strict finds nothing in the package, and finds wrong uses of it")
def _(folder):
    check = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-color-output",
        "--cache-dir",
        os.path.join(folder, "cache"),
    ]
    done = subprocess.run([*check, PACKAGE], capture_output=True, text=True, cwd=os.path.dirname(PACKAGE))
    assert done.returncode == 0, done.stdout
    user = os.path.join(folder, "user.py")
    with open(user, "w") as file:
        file.write(
            "import torch_tracepress as t\n"
            "r = t.report('runs', options='--strict')\n"
            "s: str = r.verdict\nn: float | None = r.findings[0].ceiling_us_per_step\n"
            "rows = r.tables['operators'].sort_values('calls')\nc: int = t.check('a', limits=['x']).exit_code\n"
            "h = t.trace_handler('runs', wait=True)\n"
            "i: int = r.verdict\n"
            "t.report(3)\n"
            "t.trace_handler('runs', None, True, False, True)\n"
        )
    done = subprocess.run(
        [*check, user],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)},
    )
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert lines == [8, 9, 10], done.stdout


if __name__ == "__main__":
    sys.exit(run_all())
