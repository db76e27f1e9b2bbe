"""installed.py TRACE OTHER PAGE: checks that torch_tracepress works where only its wheel is installed. Run it with
the Python of that environment in the folder of the two traces, given by their file names. PAGE is the page of
TRACE, made by another build of the program in a folder with the same name. Prints a line per fault, and exits with
1 if there is one."""

import json
import os
import subprocess
import sys

import torch_tracepress


def faults(trace, other, wanted):
    program = os.path.join(sys.prefix, "bin", "tracepress")
    if os.path.realpath(torch_tracepress.command()) != os.path.realpath(program):
        yield f"the module runs {torch_tracepress.command()}, not {program}"
    subprocess.run([program, "report", "--quiet", trace, "-o", "installed.html"], check=True)
    with open("installed.html", "rb") as file:
        page = file.read()
    if page != wanted:
        yield "the page is not that of the other build"
    today = torch_tracepress.report(trace)
    if today.html.encode() != page:
        yield "the page of report() is not that of the command"
    if not today.verdict or not today.headline or not today.tables.rows("operators"):
        yield "report() has no verdict or no operators"
    if "<iframe sandbox=" not in today._repr_html_():
        yield "report() shows no frame in a notebook"
    change = torch_tracepress.diff(trace, other)
    if change.verdict not in ("improved", "neutral", "regressed", "inconclusive") or not change.html:
        yield f"diff() says {change.verdict}"
    if not torch_tracepress.check(trace, limits=["step.count >= 1"]).is_passed:
        yield "check() breaks a limit that is kept"
    if torch_tracepress.check(trace, limits=["step.count >= 1000000"]).exit_code != 1:
        yield "check() keeps a limit that is broken"
    if not os.path.exists(os.path.join(sys.prefix, "share", "tracepress", "SKILL.md")):
        yield "the skill file for agents is missing"
    answer = json.loads(subprocess.run([program, "ask", trace, "digest"], check=True, capture_output=True).stdout)
    if not answer["verdict"]["sentence"] or not answer["numbers"]:
        yield "ask has no verdict or no numbers"
    if {"torch", "pandas", "tensorboard"} & set(sys.modules):
        yield "another package was imported"


if __name__ == "__main__":
    with open(sys.argv[3], "rb") as file:
        found = list(faults(sys.argv[1], sys.argv[2], file.read()))
    print("\n".join(found))
    sys.exit(1 if found else 0)
