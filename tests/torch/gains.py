#!/usr/bin/env python3
"""gains.py TRACEPRESS [--recorder profiler|record] [--turns N] [NAME...]: compares the estimated gain of a finding
about a program with its measured gain.

Records each program in its original form, by torch.profiler and by `tracepress record` (programs of C and C++,
native/*, only by `record`). Takes the first finding that estimates a gain. Then runs the original form and the form
that this finding advises (programs.py), in alternating processes. The cost of a form is its CPU time per step (user and
system, all threads and child processes), because other programs hardly change CPU time. It is the 20 % quantile of the
steps, or the mean for native programs. The gain is the median over pairs of processes; the table also shows its
quartiles. A row passes if the measured gain is within ten percentage points of the estimated range, or if no finding
estimates a gain.

Needs a Python with torch. Programs whose packages (torchvision, lightning, transformers) are missing are skipped.
"""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile

import programs

RECORDED, MARGIN = 4, 10
HERE = os.path.dirname(os.path.abspath(__file__))
# {name: (source, number of steps to record, {finding: form that it advises})}
NATIVE = {
    "image classifier, pthreads": ("image_classifier.c", 150, {"threads": "pool"}),
    "digits, std::async": ("digits.cpp", 8000, {"threads": "one"}),
    "language model, OpenMP": ("language_model.c", 600, {"spinning": "passive"}),
}


# ---- recording ----

def profile(name, path):
    """Records a program with torch.profiler."""
    from torch.profiler import ProfilerActivity, profile, schedule
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=programs.WARM_UP, active=RECORDED),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        programs.run(programs.built(name, "written"), programs.after_steps(programs.WARM_UP + RECORDED), after=profiler.step)


def command_of(name, form, steps, folder):
    """Returns the command that runs a form of a program. steps: a number, or a time such as "3s"."""
    if name not in NATIVE:
        return [sys.executable, os.path.join(HERE, "programs.py"), name, form, str(steps)]
    source = os.path.join(HERE, "native", NATIVE[name][0])
    program = os.path.join(folder, "program")
    if not os.path.exists(program):
        compiler = "c++" if source.endswith(".cpp") else "cc"
        subprocess.run([compiler, "-O2", "-g", "-pthread", "-fopenmp", source, "-o", program], check=True)
    return [program, form, str(NATIVE[name][1] if str(steps).endswith("s") else steps)]


def record(tracepress, recorder, name, folder):
    """Records a program in its original form. Returns the path of the trace, or of the folder of traces."""
    if recorder == "record":
        subprocess.run([tracepress, "record", "-q", "--no-tfevents", "-o", folder + "/runs", "--",
                        *command_of(name, "written", "3s", folder)], check=True, stdout=subprocess.DEVNULL)
        return folder + "/runs"
    trace = folder + "/x.pt.trace.json"
    subprocess.run([sys.executable, os.path.abspath(__file__), "--profile", name, trace], check=True, stdout=subprocess.DEVNULL)
    return trace


# ---- the claimed gain ----

def first_finding(tracepress, recorded, folder):
    """Returns the first finding about the steps that has an estimate, as (id, low, high) in percent, or None. Without
    such a finding, returns the first one of the recording from outside. Findings about superfluous CPU time save at
    most that time. A finding that only names where most time is spent is ignored."""
    subprocess.run([tracepress, "report", recorded, "-o", folder + "/x.html", "--json", folder + "/x.json", "--quiet"], check=True)
    with open(folder + "/x.json", encoding="utf-8") as file:
        profiles = [p for run in json.load(file)["runs"] for p in run["profiles"]]
    judged = [p["recommendations"] for p in profiles if p.get("recommendations")]
    for finding in (f for advice in judged for f in advice["findings"]):
        if (finding["high_percent"] or 0) >= 0.5 and finding["confidence"] != "low":
            return finding["id"], finding["low_percent"], finding["high_percent"]
    seen = [f for p in profiles for f in (p.get("program_view") or {}).get("findings", [])]
    for finding in seen:
        if finding["percent_of"] == "CPU" and finding["id"] not in ("function", "kernel", "page_faults"):
            return finding["id"], 0, finding["percent"]
    return None


# ---- the measured gain ----

def cost_of_process(name, form, steps, folder):
    """Returns the CPU time per step of a native program, s."""
    process = subprocess.Popen(command_of(name, form, steps, folder), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError("%s, %s: exit code %d" % (name, form, process.returncode))
    return (used.ru_utime + used.ru_stime) / steps


def time_processes(name, form, turns, folder):
    """Returns the costs per step of both forms. Each form is measured in this number of processes, which alternate."""
    if name in NATIVE:
        steps = NATIVE[name][1] // 3
        return zip(*[[cost_of_process(name, f, steps, folder) for f in ("written", form)] for _ in range(turns)])
    command = command_of(name, form, 100, folder) + [str(turns)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def measured(tracepress, recorder, name, turns):
    """Returns (cells of a row, whether the measured gain agrees with the estimate)."""
    mends = NATIVE[name][2] if name in NATIVE else programs.PROGRAMS[name][2]
    with tempfile.TemporaryDirectory() as folder:
        finding = first_finding(tracepress, record(tracepress, recorder, name, folder), folder)
        if not finding:
            return ["none", "", "", ""], True
        which, low, high = finding
        claim = [which, "%.1f to %.1f" % (low, high)]
        form = mends.get(which)
        if not form:
            return claim + ["", "the program has no form for this finding"], False
        before, after = time_processes(name, form, turns, folder)
    gains = sorted(100 * (b - a) / b for b, a in zip(before, after))
    gain = statistics.median(gains)
    is_right = low - MARGIN <= gain <= high + MARGIN
    quartiles = gains[len(gains) // 4], gains[-1 - len(gains) // 4]
    return claim + ["%.1f (%.1f to %.1f)" % (gain, *quartiles), "%.2f to %.2f ms%s" % (min(before) * 1e3, min(after) * 1e3, "" if is_right else ": outside")], is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tracepress")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--recorder", choices=["profiler", "record"])
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_intermixed_args()
    failed = False
    print("| program | recorder | finding | claimed, % | gained, % | a step |\n|---|---|---|---|---|---|", flush=True)
    for recorder in ["profiler", "record"]:
        for name in [*programs.PROGRAMS, *(NATIVE if recorder == "record" else [])]:
            needs = "" if name in NATIVE else programs.PROGRAMS[name][1]
            if options.recorder not in (None, recorder) or (options.names and name not in options.names):
                continue
            if needs and not importlib.util.find_spec(needs):
                cells, is_right = ["skipped: no " + needs, "", "", ""], True
            else:
                cells, is_right = measured(os.path.abspath(options.tracepress), recorder, name, options.turns)
            failed |= not is_right
            print("| " + " | ".join([name, recorder, *cells]) + " |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--profile":
        profile(*sys.argv[2:4])
    else:
        main()
