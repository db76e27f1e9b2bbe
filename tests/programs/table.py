#!/usr/bin/env python3
"""table.py TRACEPRESS [--fast] [--markdown FILE] [NAME...]: records programs of other authors and prints a row for each.

Each program (programs.py) runs alone, under `record --outside` and under `perf record`, each in a copy of its folder. A row passes if

  same      output and exit code are the same with and without recording
  sums      states add up to the wall time of each thread and of the tree, and functions to CPU time, within 1 %. CPU time is that
            of rusage within 3 %, 20 ms and 4 us per wake-up, which the kernel partly counts as its own
  hot       the function with the most self time in the whole tree is perf's first function, or perf's samples cannot distinguish
            them. Code generated at run time is one function, and so is Python, because perf sees only the interpreter's loop
  kind      the function is in the file that an expert would expect
  verdict   the verdict is that of an expert. "waits-for-cpu" is also right if the kernel's own count (schedstat, polled every
            30 ms) says that the threads were ready for more than 0.9 times as long as they ran

Programs that are not installed are skipped. Without perf, its column is empty. Samples are few and machines are busy, so columns that
depend on them (hot, kind, verdict) must pass in one of three rounds. Exits with 1 if a row fails."""
import bisect
import collections
import functools
import glob
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

from programs import PROGRAMS

REPOSITORY = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
ENV = dict(os.environ, LC_ALL="C.UTF-8", GOFLAGS="-p=2", PYTHONHASHSEED="0")
CLASSES = {"P0": "too-short", "P1": "idle-server", "P2": "waits-for-cpu", "P3": "waits-for-disk", "P4": "waits-for-socket",
           "P5": "waits-for-terminal", "P6": "sleeps", "P7": "waits-for-lock", "P8": "cpu-bound", "P9": "mixed"}
Run = collections.namedtuple("Run", "status out err cpu_s wall_s ready_s running_s")


def found(*patterns):
    paths = [path for pattern in patterns for path in ([shutil.which(pattern)] if "/" not in pattern else sorted(glob.glob(pattern))) if path]
    return os.path.realpath(paths[0]) if paths else None


def has_module(python, module):
    code = "import importlib.util as u, sys; sys.exit(not u.find_spec(%r))" % module
    return python and os.path.exists(python) and subprocess.run([python, "-c", code]).returncode == 0


def where():
    torch = [p for p in (ENV.get("TORCH_PYTHON"), REPOSITORY + "/build/torch/bin/python", sys.executable) if p and has_module(p, "torch")]
    rustc = subprocess.run("rustc --print sysroot", shell=True, capture_output=True, text=True).stdout.strip() + "/bin/rustc"
    return {"python": os.path.realpath(sys.executable), "torch": torch[0] if torch else None, "node": found("node"), "rustc": found(rustc),
            "postgres": found("/usr/lib/postgresql/*/bin/postgres"), "initdb": found("/usr/lib/postgresql/*/bin/initdb"),
            "nginx": found("nginx", "/usr/sbin/nginx"), "repository": REPOSITORY, "many": str(3 * len(os.sched_getaffinity(0)))}


def filled(text, names):
    return re.sub(r"\{(\w+)\}", lambda m: names.get(m[1]) or m[0] if m[1] in names else m[0], text)


# ---- running programs ----

class Schedstat(threading.Thread):
    """Measures how long the threads of a process tree were running and ready, as the kernel counts it for each thread.
    Time after the last poll is missing. skips_root: the process `pid` itself does not belong to the program."""

    def __init__(self, pid, skips_root):
        super().__init__(daemon=True)
        self.pid, self.skips_root, self.seen, self.ended = pid, skips_root, {}, threading.Event()

    def look(self):
        pending = [self.pid]
        while pending:
            pid = pending.pop()
            try:
                for tid in os.listdir("/proc/%d/task" % pid):
                    with open("/proc/%d/task/%s/children" % (pid, tid)) as children:
                        pending += [int(child) for child in children.read().split()]
                    if pid != self.pid or not self.skips_root:
                        with open("/proc/%d/task/%s/schedstat" % (pid, tid)) as text:
                            self.seen[tid] = [int(word) for word in text.read().split()[:2]]
            except OSError:
                pass

    def run(self):
        while not self.ended.wait(0.03):
            self.look()

    def times_s(self):
        self.ended.set()
        self.join()
        return [sum(row[k] for row in self.seen.values()) / 1e9 for k in (0, 1)]


def hurry():
    """Raises the priority of the program if possible, so that its waits do not depend on other programs."""
    try:
        os.setsid()
        os.nice(-10)
        with open("/proc/self/autogroup", "w") as group:
            group.write("-10")
    except OSError:
        pass


def comes(command, folder, process):
    for _ in range(600):
        if process.poll() is not None or subprocess.run(command, shell=True, cwd=folder, env=ENV, capture_output=True).returncode == 0:
            return
        time.sleep(0.05)


def run(program, command, folder, names, skips_root=False):
    names = dict(names, folder=folder)
    server = program.server and subprocess.Popen(shlex.split(filled(program.server, names)), cwd=folder, env=ENV)
    if server:
        time.sleep(0.3)
    with open(folder + ".out", "wb+") as out, open(folder + ".err", "wb+") as err:
        begin = time.monotonic()
        process = subprocess.Popen(command + shlex.split(filled(program.run, names)), cwd=folder, env=ENV, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   preexec_fn=hurry)
        schedstat = Schedstat(process.pid, skips_root)
        schedstat.start()
        if program.load:
            comes(filled(program.up, names), folder, process)
            subprocess.run(filled(program.load, names), shell=True, cwd=folder, env=ENV, capture_output=True)
            process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        running_s, ready_s = schedstat.times_s()
        if server:
            server.kill()
            server.wait()
        out.seek(0)
        err.seek(0)
        return Run(os.waitstatus_to_exitcode(status), out.read(), err.read(), usage.ru_utime + usage.ru_stime, time.monotonic() - begin, ready_s, running_s)


# ---- perf ----

class Code:
    """Functions of a file without symbols, from its call frame information. tracepress names them FILE+0xBEGIN."""

    def __init__(self, path):
        self.loads, self.begins = [], []
        with open(path, "rb") as file:
            data = file.read()
        if data[:5] != b"\x7fELF\2":
            return
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, at + i * size)
            if kind == 1:  # program header type PT_LOAD
                self.loads.append((offset, address, length))
            # PT_GNU_EH_FRAME, in the form that all linkers write
            elif kind == 0x6474e550 and data[offset:offset + 4] == b"\1\x1b\3\x3b":
                many = struct.unpack_from("<I", data, offset + 8)[0]
                self.begins = sorted(address + row[0] for row in struct.iter_unpack("<ii", data[offset + 12:offset + 12 + 8 * many]))

    def begin_of(self, offset):
        for at, address, size in self.loads:
            if at <= offset < at + size:
                offset += address - at
                break
        i = bisect.bisect_right(self.begins, offset)
        return self.begins[i - 1] if i else offset


def bare(name):
    """Returns the name of a function without arguments, template arguments and suffixes of the compiler."""
    name = re.sub(r"(\.(isra|constprop|part|cold|lto_priv|llvm)(\.\d+)*)+$", "", name)
    name = re.sub(r"\[clone [^]]*\]", "", name).strip()
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    name = re.sub(r"\((?!anonymous).*", "", name) if not name.startswith("(") and "operator" not in name else name
    return re.sub(r"::h[0-9a-f]{16}$", "", name).split(" ")[-1]


def perf_bucket(name, file, address, maps, codes):
    if re.match(r"\[(guest\.)?kernel", file) or (file.startswith("[") and file not in ("[vdso]", "[unknown]", "[vsyscall]")):
        return re.sub(r"\.(isra|constprop|part|cold)(\.\d+)*$", "", name), "kernel"
    if name == "_PyEval_EvalFrameDefault":
        return "python", "python"
    if file.startswith("//anon") or "/tmp/perf-" in file or file in ("[unknown]", "anon") or "jitted-" in file or file.startswith("/memfd:"):
        return "jit", "jit"
    base = os.path.basename(file)
    if name != "[unknown]":
        return bare(name), base
    for begin, end, offset, path in reversed(maps):
        if begin <= address < end and path == file:
            code = codes.setdefault(file, Code(file))
            return "%s+0x%x" % (base, code.begin_of(address - begin + offset)), base
    return base + "+?", base


def perf_functions(data):
    """Returns {(name, file): number of samples}."""
    text = subprocess.run(["perf", "script", "-i", data, "-G", "--no-inline", "--show-mmap-events", "--show-task-events", "-F", "pid,tid,event,ip,sym,dso"], capture_output=True, text=True, errors="replace").stdout
    maps, codes, counts = collections.defaultdict(list), {}, collections.Counter()
    for row in text.splitlines():
        m = re.search(r"PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*: ..xp (.*)$", row)
        if m:
            maps[m[1]].append((int(m[2], 16), int(m[2], 16) + int(m[3], 16), int(m[4], 16), m[5]))
            continue
        m = re.search(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):", row)
        if m and m[1] != m[2]:
            maps[m[1]] = list(maps[m[2]])
            continue
        m = re.match(r"\s*(-?\d+)/-?\d+\s+.*?:\s+([0-9a-f]+) (.*) \(([^()]*(?:\([^()]*\))?)\)$", row)
        if m:
            counts[perf_bucket(m[3].strip(), m[4].replace(" (deleted)", ""), int(m[2], 16), maps[m[1]], codes)] += 1
    return counts


def perf_works():
    with tempfile.TemporaryDirectory() as folder:
        return bool(shutil.which("perf")) and subprocess.run(["perf", "record", "-q", "-F", "250", "-g", "-o", folder + "/p", "true"], capture_output=True).returncode == 0


# ---- tracepress ----

def our_bucket(name, file, kind):
    if kind == "python":
        return "python", "python"
    if kind == "kernel":
        return re.sub(r"\.(isra|constprop|part|cold)(\.\d+)*$", "", name), "kernel"
    if name.startswith("[jit]") or file.endswith(".js"):  # perf does not know the names of generated code
        return "jit", "jit"
    return (name if "+0x" in name else bare(name)), os.path.basename(file)


# Places where the kernel enables interrupts again. A timer that was due before, for example during a thread switch,
# takes its sample here. The share of such samples grows with the number of switches and does not depend on the program.
LATE = {("finish_task_switch", "kernel"), ("_raw_spin_unlock_irqrestore", "kernel"), ("_raw_spin_unlock_irq", "kernel")}


def our_functions(view):
    shares = collections.Counter()
    for f in view["functions"]:
        shares[our_bucket(f["function"], f["file"] or "", f["kind"])] += f["self_us"]
    return shares


def without_late(counts):
    return collections.Counter({key: count for key, count in (counts or {}).items() if key not in LATE})


def frame_bucket(frame):
    m = re.match(r"(.*)\((\d+)\): (.*)$", frame)
    if m:
        return our_bucket(m[3], m[1], "python" if m[1].endswith((".py", ".pyx")) or m[1].startswith("<") else "native")
    m = re.match(r"(.+) \[([^\[\]]+)\]$", frame) or re.match(r"(.+)()$", frame)
    name = m[2] + m[1] if m[1].startswith("+0x") else m[1]
    return our_bucket(name, m[2], "kernel" if m[2] == "kernel" else "native")


@functools.lru_cache(None)
def aliases():
    """Returns one name for each function of the C library that has several names."""
    known = {}
    for path in {row.split()[-1] for row in open("/proc/self/maps") if re.search(r"/lib[cm]\.so", row)}:
        build = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
        build = re.search(r"Build ID: (\w\w)(\w+)", build)
        by_address = collections.defaultdict(set)
        for file in [path] + (["/usr/lib/debug/.build-id/%s/%s.debug" % build.groups()] if build else []):
            for row in subprocess.run(["readelf", "-sW", file], capture_output=True, text=True).stdout.splitlines():
                m = re.match(r"\s*\d+: (\w+)\s+\d+ I?FUNC\s+\w+\s+\w+\s+\d+ (\S+)", row)
                if m:
                    by_address[m[1]].add(m[2].split("@")[0])
        for names in by_address.values():
            for name in names:
                known[name] = min(names)
    return known


def plain(name):
    return aliases().get(name.split("@")[0], name)


def outermost_of_line(path, perf):
    """Returns the CPU time of the samples by the function that perf would name. For a function that perf does not know
    because it is inlined, this is the innermost enclosing function that perf knows."""
    known = {plain(name) for name, _ in perf}
    weights = collections.Counter()
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    for e in events:
        if e.get("cat") != "cpu_sample":
            continue
        frames = [f for f in e["args"].get("Call stack", "").split(";") if f]
        has_line = [re.search(r"\(\d+\): ", f) is not None for f in frames] + [False]
        # examines only the frames before the first one without a line, because inlined functions are known only where
        # lines are known
        frames = [frame_bucket(f) for f in frames[:max(has_line.index(False), 1)]]
        chosen = [b for b in frames if plain(b[0]) in known] or frames[:1] or [("", "")]
        weights[chosen[0]] += int(e["args"]["cpu ns"])
    return weights


def faults_of_sums(view, usage_s):
    def near(a, b):
        return abs(a - b) <= 0.01 * max(a, b) + 1
    problems = []
    if not near(sum(p["time_us"] for p in view["wall_parts"]), view["wall_us"]):
        problems.append("parts of the wall")
    for t in view["threads"]:
        if not near(t["running_us"] + t["ready_us"] + t["blocked_us"], t["wall_us"]):
            problems.append("thread %s" % t["tid"])
            break
    if not near(sum(f["self_us"] for f in view["functions"]) + view["seen"]["unsampled_us"], view["cpu_us"]):
        problems.append("functions")
    switches = sum(t["wake_ups"] for t in view["threads"])
    # only rusage includes the time of switches, and the time of a process after the kernel's record of its exit
    if abs(view["cpu_us"] / 1e6 - usage_s) > 0.03 * usage_s + 0.02 + 4e-6 * switches + 5e-5 * len(view["processes"]):
        problems.append("CPU %.2f s, rusage %.2f s" % (view["cpu_us"] / 1e6, usage_s))
    return problems


# ---- rows ----

def is_hottest_function_of_perf(ours, perf):
    """Returns whether the first function of tracepress is perf's first one, or one that perf's samples cannot
    distinguish from it."""
    (first, most), count = perf.most_common(1)[0], sum(perf.values())
    mine = ours.most_common(1)[0][0]
    if plain(mine[0]) == plain(first[0]):
        return True
    here = max([perf[key] for key in perf if plain(key[0]) == plain(mine[0])] or [0])
    p, q = most / count, here / count
    return p - q <= 2 * ((p + q - (p - q) ** 2) / count) ** 0.5


def is_in_expected_file(program, key, perf):
    """Returns whether a file of the function is one that the program's row expects. Files of a function: its source if
    the line is known, the binary that perf names, and the C library if it has this symbol."""
    files = [key[1]] + [file for name, file in perf or () if plain(name) == plain(key[0])]
    files += ["libc.so.6"] if key[1].endswith((".c", ".h", ".S")) and key[0] in aliases() else []
    return any(file.startswith(kind) for kind in program.hot for file in files)


def is_expected_verdict(program, verdict, recorded):
    if verdict in program.expect:
        return True
    return verdict == "waits-for-cpu" and recorded.ready_s > 0.9 * recorded.running_s


def measured(program, tracepress, names, folder, has_perf):
    made = folder + "/made"
    os.mkdir(made)
    os.chmod(folder, 0o755)
    for name, text in program.files.items():
        with open(made + "/" + name, "w") as file:
            file.write(text)
    done = subprocess.run(["sh", "-ec", filled(program.make, dict(names, folder=made))], cwd=made, env=ENV, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        return {"skip": "its input could not be made: " + (done.stderr.strip().splitlines() or [""])[-1][-90:]}

    def copy(name):
        subprocess.run(["cp", "-a", made, folder + "/" + name], check=True)
        return folder + "/" + name

    alone = run(program, [], copy("a"), names)
    runs = folder + "/r"
    recorded = run(program, [tracepress, "record", "--outside", "--no-tfevents", "-q", "-o", runs, "--"], copy("b"), names, True)
    traces = glob.glob(runs + "/*/*.pt.trace.json.gz")
    if len(traces) != 1:
        return {"problems": ["no trace: " + recorded.err.decode(errors="replace")[-200:]]}
    said = json.load(open(glob.glob(runs + "/*/run.json")[0]))
    subprocess.run([tracepress, "report", traces[0], "-o", folder + "/x.html", "--json", folder + "/x.json", "--markdown", folder + "/x.md", "--quiet"], check=True)
    view = json.load(open(folder + "/x.json"))["runs"][0]["profiles"][0]["program_view"]
    row = {"problems": [], "alone": alone, "recorded": recorded, "view": view, "usage_s": said["cpu_us"] / 1e6, "verdict": CLASSES[view["rule"]], "trace": traces[0],
           "headline": open(folder + "/x.md").read(), "ours": our_functions(view), "perf": None}
    if has_perf:
        run(program, ["perf", "record", "-q", "-F", "250", "-g", "-o", folder + "/perf.data", "--"], copy("c"), names)
        row["perf"] = perf_functions(folder + "/perf.data") or None
    return row


def judge(program, row):
    """Adds failed checks to row["problems"]. Sets row["again"] to true if another run may not have these problems."""
    problems, alone, recorded = row["problems"], row["alone"], row["recorded"]
    if alone.status != recorded.status:
        problems.append("exit code %d, alone %d" % (recorded.status if recorded.status >= 0 else 128 - recorded.status, alone.status))
    if not program.varies and (alone.out, alone.err) != (recorded.out, recorded.err):
        problems.append("other output: %r, alone %r" % ((recorded.out + recorded.err)[-120:], (alone.out + alone.err)[-120:]))
    row["again"] = not problems  # the time that a virtual machine loses is in the states and not in rusage
    problems += faults_of_sums(row["view"], row["usage_s"])
    ours, perf = without_late(row["ours"]), without_late(row["perf"])
    outermost = without_late(outermost_of_line(row["trace"], perf)) if perf else ours
    if ours and perf and sum(perf.values()) >= 20 and not is_hottest_function_of_perf(outermost, perf):
        problems.append("hot: " + words(ours) + ", perf: " + words(perf))
    hottest = [counts.most_common(1)[0][0] for counts in (ours, outermost) if counts]
    if hottest and program.hot and sum(f["samples"] for f in row["view"]["functions"]) >= 20 and not any(is_in_expected_file(program, key, perf) for key in hottest):
        problems.append("kind: %s" % (hottest[0],))
    if not is_expected_verdict(program, row["verdict"], recorded):
        problems.append("verdict %s, an expert: %s" % (row["verdict"], " or ".join(program.expect)))


def words(functions, count=2):
    whole = sum(functions.values())
    return ", ".join("%s [%s] %.0f %%" % (name, file, 100 * n / whole) if name != file else "%s %.0f %%" % (name, 100 * n / whole)
                     for (name, file), n in functions.most_common(count))


def is_missing(need, names):
    return not (names[need] if need in names else shutil.which(need))


def lines_of(program, row):
    view = row["view"]
    parts = ", ".join("%s %.0f" % (p["part"], p["percent"]) for p in view["wall_parts"][:3] if p["percent"] >= 0.5)
    return [program.name, row["verdict"], parts, "%.2f/%.2f" % (row["recorded"].running_s, row["recorded"].ready_s), "%.2f" % row["alone"].cpu_s,
            "%.2f" % (view["cpu_us"] / 1e6), words(row["ours"]) if row["ours"] else "", words(row["perf"]) if row["perf"] else "", "; ".join(row["problems"]) or "holds"]


def write_table(path, rows):
    why = {p.name: p.why for p in PROGRAMS}
    with open(path, "w") as file:
        file.write("| program | what it does | verdict | wall, % | CPU alone, recorded | hottest by the page | hottest by perf | |\n" + 8 * "|---" + "|\n")
        for name, verdict, parts, _, alone, ours, hot, perf, holds in rows:
            cells = [name, why[name], verdict, parts, "%s s, %s s" % (alone, ours), hot.split(", ")[0] or "too few samples", perf.split(", ")[0], holds]
            file.write("| " + " | ".join(re.sub(r"([|\\*_<>])", r"\\\1", text) for text in cells) + " |\n")


def main():
    arguments = sys.argv[1:]
    markdown = arguments.pop(arguments.index("--markdown") + 1) if "--markdown" in arguments else None
    is_fast, keeps = "--fast" in arguments, "--keep" in arguments
    tracepress, *chosen = [a for a in arguments if not a.startswith("--")]
    tracepress, names, has_perf = os.path.abspath(tracepress), where(), perf_works()
    rows, failed = [], 0
    for program in PROGRAMS:
        if (is_fast and not program.fast) or (chosen and program.name not in chosen):
            continue
        missing = [need for need in program.needs if is_missing(need, names)]
        if missing:
            print("ok - %s # SKIP no %s" % (program.name, " ".join(missing)), flush=True)
            continue
        for turn in range(3):
            folder = tempfile.mkdtemp(prefix="tp")
            row = measured(program, tracepress, names, folder, has_perf)
            if "view" in row:
                judge(program, row)
            if not keeps:
                shutil.rmtree(folder)
            else:
                print("    " + folder, flush=True)
            if not row.get("problems") or not row.get("again"):
                break
        if "skip" in row:
            print("ok - %s # SKIP %s" % (program.name, row["skip"]), flush=True)
        else:
            if "view" in row:
                rows.append(lines_of(program, row))
            failed += bool(row["problems"])
            print(("not ok - " if row["problems"] else "ok - ") + program.name, flush=True)
            for text in rows[-1][1:] if "view" in row else row["problems"]:
                print("    " + text, flush=True)
    if markdown:
        write_table(markdown, rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
