"""random_options.py TRACEPRESS FOLDER SEED COUNT TRACE...: runs random command lines of table, export, precision, diff
and report, made of the options in their help texts with valid and invalid values.

Each command must exit with a code of 0 to 6, never by a signal. If it refuses its arguments (2), one line must give the
reason and name one of its options. If it succeeds, it must print no error. It must create only output files. Prints the
command line that broke a rule and exits with 1."""
import os
import random
import re
import shutil
import subprocess
import sys

COMMANDS = {"table": ("-o", "t.txt"), "export": ("-o", "x"), "precision": ("-o", "p.html"), "diff": ("-o", "d.html"), "report": ("-o", "r.html")}
# options with names of files or folders, which other tests cover
LEFT_OUT = {"--help", "--output", "--template-dir", "--templates", "--json", "--markdown"}
WORDS = ["", "0", "1", "-1", "2", "100", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e400", "nan", "-", "--",
         "x" * 5000, "1G", "0x10", "1.5s", "10us", "0-1", "5-2", "name", "input-shape", "stack", "input-shape,stack", "module", "function",
         "kernel", "type", "cpu_time", "none", "csv", "json", "md", "text", "2.6", "2.13", "auto", "never", "us", "chrome", "folded",
         "flamegraph", "memory-flow", "sqlite", "pstats", "tfevents", "xplane", "cpu", "device", "bytes", "samples", "lifetime", "operator",
         "self_cpu_time_total", "+flops", "time", "sum", "mean", "%s%n", "\x1b[31m", "\udcff\udc80", ",,,", "aten::mm", "cpu_op", "é\u2028"]


def options_of(program, command):
    text = subprocess.run([program, "help", command], stdout=subprocess.PIPE, check=True).stdout.decode()
    return sorted(set(re.findall(r"--[a-z][a-z0-9-]+", text)) - LEFT_OUT)


def choices_near(program, command):
    """Returns {option: possible arguments} from the command's help text."""
    text = subprocess.run([program, "help", command], stdout=subprocess.PIPE, check=True).stdout.decode()
    return {option: re.split(r"[|,]", words) for option, words in re.findall(r"(--[a-z-]+) ([a-z0-9_.|,+-]+)", text)}


def line_of(rng, command, options, near, traces):
    line = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5])):
        option = rng.choice(options + ["--no-such", "-x", "-q"]) if rng.random() < 0.97 else rng.choice(WORDS)
        value = rng.choice(near.get(option, WORDS)) if rng.random() < 0.6 else rng.choice(WORDS)
        form = rng.random()
        line += [option] if form < 0.25 else ["%s=%s" % (option, value)] if form < 0.5 else [option, value]
    for _ in range(2 if command in ("precision", "diff") else rng.choice([1, 1, 1, 1, 2, 0])):
        line.insert(rng.randrange(len(line) + 1), rng.choice(traces))
    if command == "export" and rng.random() < 0.9:
        line += ["--to", rng.choice(near["--to"] if "--to" in near else ["folded"])]
    return line


def fault_of(run, line, said):
    if "always" in "".join(line):
        said = re.sub("\x1b\\[[0-9;]*m", "", said)
    lines = said.strip().split("\n") if said.strip() else []
    if run.returncode not in range(7):
        return "ended with %d" % run.returncode
    if run.returncode in (2, 4, 5) and not lines:
        return "says nothing"
    if run.returncode == 2:
        if len(lines) != 1 or "\x1b" in said:
            return "%d lines: %s" % (len(lines), said[:300])
        used = [part.split("=")[0] for part in line if part.startswith("-")]
        if not any(option and option[:60] in said for option in used) and not re.search(r"--[a-z]|name (a|two) ", said):
            return "names no option: %s" % said[:300]
    if run.returncode == 0 and re.search(r"cannot|unknown option", said):
        return "succeeds, and says: %s" % said[:300]
    return None


def main():
    program, folder, seed, count, traces = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
    rng, codes = random.Random(seed), {}
    known = {command: (options_of(program, command), choices_near(program, command)) for command in COMMANDS}
    traces = [os.path.abspath(trace) for trace in traces]
    for number in range(count):
        command = rng.choice(list(COMMANDS))
        line = line_of(rng, command, *known[command], traces)
        place = os.path.join(folder, "o")
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        arguments = [program, command, *COMMANDS[command], *line]
        arguments = [os.fsencode(part).replace(b"\0", b"") for part in arguments]
        run = subprocess.run(arguments, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             timeout=1200, check=False)
        said = run.stderr.decode("utf-8", "replace")
        fault = fault_of(run, line, said)
        if not fault and os.listdir(place) not in ([], [COMMANDS[command][1]]) and not re.search("-o|separate", "".join(line)):
            fault = "left behind: %s" % os.listdir(place)
        if fault:
            print("seed %d, line %d: %s %s\n%s" % (seed, number, command, line, fault))
            return 1
        codes[run.returncode] = codes.get(run.returncode, 0) + 1
    print("%d command lines: %s" % (count, ", ".join("%d ended with %d" % (codes[c], c) for c in sorted(codes))))
    # Checks that enough command lines are accepted and enough are refused. About one in ten is accepted, so fewer than
    # 300 lines are too few for this check.
    return 0 if count < 300 or (codes.get(0, 0) > count // 60 and codes.get(2, 0) > count // 20) else 1


sys.exit(main())
