"""Runs the cases of a script. A case is a function with @case(name). run_all() runs all cases and prints lines as
suites/case.sh does."""

import os
import sys
import tempfile
import traceback

_cases = []
PROGRAM = os.environ.get("TRACEPRESS_PROGRAM", "")
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
TRACES = os.path.join(DATA, "traces")


class Skip(Exception):
    pass


def case(name):
    def add(function):
        _cases.append((name, function))
        return function

    return add


def trace(name):
    return os.path.join(TRACES, name + ".pt.trace.json.gz")


def examples(folder, names, runs):
    """Runs the examples in the docstrings of these modules unchanged, in a folder that contains runs/today. Returns
    their number."""
    import doctest
    import importlib

    import torch_tracepress

    os.chdir(folder)
    os.makedirs("runs/today", exist_ok=True)
    for path in runs:
        os.symlink(path, os.path.join("runs/today", os.path.basename(path)))
    count = 0
    for name in names:
        module = importlib.import_module("torch_tracepress." + name)
        known = {n: getattr(torch_tracepress, n) for n in torch_tracepress.__all__}
        done = doctest.testmod(module, extraglobs=known)
        assert done.failed == 0, done
        count += done.attempted
    return count


def run_all(label=""):
    failed = False
    for name, function in _cases:
        name = f"{label}{name}"
        if os.environ.get("T", "") not in name:
            continue
        try:
            with (
                tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
                if sys.version_info >= (3, 10)
                else tempfile.TemporaryDirectory() as folder
            ):
                function(folder)
        except Skip as reason:
            print(f"ok - {name} # SKIP {reason}")
        except Exception:
            failed = True
            print(f"not ok - {name}")
            print("    " + traceback.format_exc().replace("\n", "\n    "))
        else:
            print(f"ok - {name}")
        sys.stdout.flush()
    print("end of cases")
    return failed
