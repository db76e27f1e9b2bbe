"""Tests trace_handler in processes with threads, forks, exits, kills and full disks.

Needs only Python. tests/python/fake/torch replaces torch: its handler is a copy of torch's, and its profile exports a
bundled trace. handler_torch.py uses a real torch."""

import glob
import os
import random
import signal
import subprocess
import sys
import time

from cases import PROGRAM, Skip, case, run_all, trace

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake")
sys.path.insert(0, FAKE)

import torch_tracepress as tracepress  # noqa: E402
from torch.profiler import Profile, tensorboard_trace_handler  # noqa: E402
from torch_tracepress import _handler  # noqa: E402

TRACE = trace("case_cpu_loop")
START = """
import atexit, os, signal, sys, time
sys.path.insert(0, %r)
from torch.profiler import Profile
import torch_tracepress
handler = torch_tracepress.trace_handler("runs", use_gzip=True)
profile = Profile(%r)
""" % (FAKE, TRACE)


def script(path, text):
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)
    return path


def pages(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "*.report.html")))


def traces(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "*.pt.trace.json*")))


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return
        time.sleep(0.01)
    raise AssertionError("not in time")


def page_of(folder, given=TRACE):
    """Returns the page that the program makes from a trace with this name."""
    out = os.path.join(folder, "wanted.html")
    subprocess.run([PROGRAM, "report", given, "-o", out, "--quiet"], check=True)
    with open(out, "rb") as file:
        return file.read()


def whole(page, given):
    with open(page, "rb") as file:
        assert file.read() == page_of(os.path.dirname(os.path.dirname(page)), given), page


def program(folder, code, prelude=(), **options):
    """Runs a program that trains. Returns (exit code, lines on standard error)."""
    done = subprocess.run(
        [*prelude, sys.executable, "-W", "error", "-c", START + code],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )
    return done.returncode, done.stderr.decode("utf-8", "replace").splitlines()


def with_environment(**more):
    return {**os.environ, **more}


@case("handler: the calls of torch's own handler, argument by argument, and nothing but a report next to them")
def _(folder):
    seen = []

    class Noted:
        def export_chrome_trace(self, path, **named):
            seen.append((path, named))
            with open(path, "w"):
                pass

    clock = time.time_ns
    time.time_ns = lambda: 1700000000000000000
    try:
        for given in ((), ("w",), (None, True), ("", True), ("worker 1", False)):
            for make in (tensorboard_trace_handler, lambda *a: tracepress.trace_handler(*a, report=False)):
                make(os.path.join(folder, "a", "b"), *given)(Noted())
    finally:
        time.time_ns = clock
    assert len(seen) == 10 and seen[::2] == seen[1::2], seen


DONE = """
end = time.monotonic() + 60
while torch_tracepress._handler._running and time.monotonic() < end: time.sleep(.01)
"""


@case("handler: a page next to each trace, the bytes of `report`; one line each; no zombie, no file left")
def _(folder):
    no_child = """
try: os.waitpid(-1, os.WNOHANG)
except ChildProcessError: sys.exit(0)
sys.exit(5)
"""
    code, lines = program(folder, "for i in range(3): handler(profile)" + DONE + no_child)
    assert code == 0 and len(lines) == 3 and all("CPU only" in line for line in lines), (code, lines)
    runs = os.path.join(folder, "runs")
    assert len(traces(runs)) == 3 == len(pages(runs)) and len(os.listdir(runs)) == 6
    for given, page in zip(traces(runs), pages(runs)):
        assert page == given[: -len(".pt.trace.json.gz")] + ".report.html"
        whole(page, given)
        with open(given, "rb") as a, open(TRACE, "rb") as b:
            assert a.read() == b.read()


def waits_for(folder, file="go"):
    """Returns the path of a script that runs the program as soon as a file exists."""
    text = 'while [ ! -e "%s" ]; do sleep 0.02; done; exec "%s" "$@"' % (os.path.join(folder, file), PROGRAM)
    return script(os.path.join(folder, "waits"), text)


@case("handler: returns before the report is made; which is nicer, has a session of its own, and inherits no open file")
def _(folder):
    text = 'ls -l /proc/self/fd >fds; while [ ! -e go ]; do sleep 0.02; done; cut -d" " -f4,5,6,19 /proc/$$/stat >stat'
    slow = script(os.path.join(folder, "slow"), text + '; exec "%s" "$@"' % PROGRAM)
    opened = "f = os.open('/dev/null', os.O_RDONLY); os.dup2(f, 17, True)\n"
    go = "handler(profile)\nassert not [n for n in os.listdir('runs') if 'html' in n]\nopen('go', 'w').close()" + DONE
    code, lines = program(folder, opened + go, env=with_environment(TRACEPRESS_PROGRAM=slow))
    assert code == 0 and len(lines) == 1, lines
    with open(os.path.join(folder, "stat")) as file:
        _, group, session, nice = map(int, file.read().split())
    assert group == session != os.getsid(0) and nice == os.getpriority(os.PRIO_PROCESS, 0) + 10, (group, session, nice)
    with open(os.path.join(folder, "fds")) as file:
        assert " 17 ->" not in file.read()
    assert len(pages(os.path.join(folder, "runs"))) == 1


# replaces the program; its report computes until the training has been measured
REPORT = """
import os, sys, time
open("begun", "w").close()
limit = time.monotonic() + 60
while not os.path.exists("training") and time.monotonic() < limit: pass
with open("report", "w") as file: file.write(str(time.process_time()))
"""
TRAINING = """
import time
limit = time.monotonic() + 60
while not os.path.exists("begun") and time.monotonic() < limit: pass
began, end = time.process_time(), time.monotonic() + 2
while time.monotonic() < end: pass
with open("measured", "w") as file: file.write(str(time.process_time() - began))
os.rename("measured", "training")
"""


NICER_OF_TWO = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
read, write = os.pipe()
end = time.monotonic() + 1
child = os.fork()
if not child: os.nice(10)
while time.monotonic() < end: pass
used = time.process_time()
if not child:
    os.write(write, b"%f" % used)
    os._exit(0)
os.waitpid(child, 0)
sys.exit(2 * float(os.read(read, 64)) > used)
"""

NICER_SESSION = """
words = open("/proc/self/autogroup", "rb", buffering=0).read().split()
open("/proc/self/autogroup", "wb", buffering=0).write(words[-1])
"""


def has_niceness_an_effect():
    """Returns whether niceness has an effect for processes and, if the system groups processes by session, for
    sessions."""
    probes = [NICER_OF_TWO] + [NICER_SESSION] * os.path.exists("/proc/self/autogroup")
    return not any(
        subprocess.run(
            [sys.executable, "-S", "-c", probe], stderr=subprocess.DEVNULL, start_new_session=True, check=False
        ).returncode
        for probe in probes
    )


@case("handler: on one processor with the training, a report that computes gets less than half of the training's time")
def _(folder):
    if not has_niceness_an_effect():
        raise Skip("this system gives each process or session as much")
    with open(os.path.join(folder, "report.py"), "w") as file:
        file.write(REPORT)
    busy = script(os.path.join(folder, "busy"), f"exec '{sys.executable}' -S '{folder}/report.py'")
    alone = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nhandler(profile)\n"
    # runs in its own session, because otherwise it shares CPU time with other programs of the same session
    options = {"env": with_environment(TRACEPRESS_PROGRAM=busy), "start_new_session": True}
    code, lines = program(folder, alone + TRAINING + DONE, **options)
    assert (code, lines) == (0, []), (code, lines)
    took = []
    for name in ("report", "training"):
        with open(os.path.join(folder, name)) as file:
            took.append(float(file.read()))
    assert 2 * took[0] < took[1], took


@case("handler: the verdict is one write, so that lines of several processes do not mix")
def _(folder):
    read, write = os.pipe2(os.O_DIRECT)  # with O_DIRECT, each write is a packet
    child = subprocess.Popen([PROGRAM, "report", TRACE, "-o", os.path.join(folder, "x.html")], stderr=write)
    os.close(write)
    with os.fdopen(read, "rb", buffering=0) as file:
        packets = list(iter(lambda: file.read(65536), b""))
    assert child.wait() == 0 and len(packets) == 1 and packets[0].endswith(b"\n"), packets


@case("handler: wait=True returns with the page")
def _(folder):
    slow = script(os.path.join(folder, "slow"), 'sleep 0.5; exec "%s" "$@"' % PROGRAM)
    code, lines = program(
        folder,
        "torch_tracepress.trace_handler('runs', wait=True)(profile)\nassert len([n for n in os.listdir('runs') if 'html' in n]) == 1",
        env=with_environment(TRACEPRESS_PROGRAM=slow),
    )
    assert (code, len(lines)) == (0, 1), lines


@case(
    "ranks: only rank 0 reports, by each launcher's variable; report=True and False are asked for; nonsense is rank 0"
)
def _(folder):
    names = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
    plain = {k: v for k, v in os.environ.items() if k not in names}
    for number, (more, option, count) in enumerate(
        [({name: value}, "", int(value == "0")) for name in names for value in ("0", "3")]
        + [
            ({"RANK": "0", "SLURM_PROCID": "5"}, "", 1),
            ({"RANK": "x"}, "", 1),
            ({"RANK": "\u00b2"}, "", 1),
            ({"RANK": "-1"}, "", 1),
            ({}, "", 1),
        ]
        + [({"RANK": "7"}, ", report=True", 1), ({"RANK": "0"}, ", report=False", 0)]
    ):
        runs = f"runs{number}"
        code, lines = program(
            folder, f"torch_tracepress.trace_handler({runs!r}, wait=True{option})(profile)", env={**plain, **more}
        )
        runs = os.path.join(folder, runs)
        assert code == 0 and len(traces(runs)) == 1 and len(pages(runs)) == len(lines) == count, (more, option, lines)
    code, lines = program(
        folder,
        "import types; d = types.ModuleType('torch.distributed'); sys.modules['torch.distributed'] = d\n"
        "d.is_available = d.is_initialized = lambda: True; d.get_rank = lambda: 0\nassert torch_tracepress._handler._rank() == 0\n"
        "d.get_rank = lambda: 4\nassert torch_tracepress._handler._rank() == 4\nd.is_initialized = lambda: False\nassert torch_tracepress._handler._rank() == 3\n"
        "d.is_available = None\nassert torch_tracepress._handler._rank() == 3",
        env={**plain, "RANK": "3"},
    )
    assert (code, lines) == (0, []), lines


@case("exit: the page comes after a program that has ended, was asked in atexit, in a destructor, or by os._exit")
def _(folder):
    for number, code in enumerate(
        (
            "handler(profile)",
            "atexit.register(handler, profile)",
            "class Last:\n  def __del__(self): handler(profile)\nlast = Last(); del last",
            "handler(profile); os._exit(0)",
            "handler(profile); os.kill(os.getpid(), signal.SIGKILL)",
            "import threading; threading.Thread(target=handler, args=(profile,)).start()",
        )
    ):
        place = os.path.join(folder, str(number))
        os.mkdir(place)
        ended, lines = program(place, code)
        runs = os.path.join(place, "runs")
        assert ended == (-9 if "SIGKILL" in code else 0) and len(lines) == 1 and "CPU only" in lines[0], (
            code,
            ended,
            lines,
        )
        assert len(pages(runs)) == 1 == len(traces(runs)), code
        whole(pages(runs)[0], traces(runs)[0])


@case("exit: when the interpreter has taken itself apart, there is one line and no traceback")
def _(folder):
    ended, lines = program(
        folder,
        "class Last:\n  def __del__(self, handler=handler, profile=profile): handler(profile)\nsys.last = Last()",
    )
    assert ended == 0 and len(lines) <= 1 and all(line.startswith("tracepress: ") for line in lines), (ended, lines)


@case("interrupt: Ctrl-C and a hangup of the training's terminal do not end its reports")
def _(folder):
    slow = script(os.path.join(folder, "slow"), 'sleep 0.5; exec "%s" "$@"' % PROGRAM)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        place = os.path.join(folder, number.name)
        os.mkdir(place)
        training = subprocess.Popen(
            [sys.executable, "-c", START + "handler(profile); print(1, flush=True); time.sleep(60)"],
            cwd=place,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=with_environment(TRACEPRESS_PROGRAM=slow),
        )
        training.stdout.readline()
        os.killpg(training.pid, number)
        training.communicate()
        until(lambda: pages(os.path.join(place, "runs")))


@case("killed: a report that is killed at any time leaves its page whole or not at all, one line, and no zombie")
def _(folder):
    big = os.path.join(folder, "big.pt.trace.json")
    generator = os.path.join(os.path.dirname(PROGRAM), "gen_trace")
    if not os.access(generator, os.X_OK):
        raise Skip("no gen_trace beside the program")
    subprocess.run([generator, "--events", "20000", "-o", big], check=True, capture_output=True)
    out, gone = os.path.join(folder, "runs"), 0
    pids = script(os.path.join(folder, "noted"), 'echo $$ >>"%s/pids"; exec "%s" "$@"' % (folder, PROGRAM))
    os.environ["TRACEPRESS_PROGRAM"] = pids
    seed = int(os.environ.get("SEED", time.time_ns() % 100000))
    moments = random.Random(seed)
    began = time.monotonic()
    subprocess.run([PROGRAM, "report", big, "-o", os.path.join(folder, "big.html"), "--quiet"], check=True)
    whole_s = time.monotonic() - began
    try:
        for wait_s in [0, *(moments.uniform(0, 1.2 * whole_s) for _ in range(20))]:
            handler = tracepress.trace_handler(out)
            handler(Profile(big))
            children = tuple(_handler._running)
            time.sleep(wait_s)
            for child in children:
                child.kill()
            until(lambda: not _handler._running)
            gone += any(child.returncode < 0 for child in children)
    finally:
        os.environ["TRACEPRESS_PROGRAM"] = PROGRAM
    assert gone >= 2, f"none was killed in time, seed {seed}"
    for page in pages(out):
        whole(page, page[: -len(".report.html")] + ".pt.trace.json")
    left = [name for name in os.listdir(out) if not name.endswith((".report.html", ".pt.trace.json"))]
    assert left == [], (left, seed)
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        pass
    else:
        raise AssertionError("a child is left")
    killed = script(os.path.join(folder, "killed"), "kill -9 $$")
    code, lines = program(folder, "handler(profile)" + DONE, env=with_environment(TRACEPRESS_PROGRAM=killed))
    assert code == 0 and len(lines) == 1 and lines[0].endswith("the program was ended by SIGKILL"), lines


@case("fork: the child's reports are its own, the parent's go on; neither waits for the other's")
def _(folder):
    slow = script(os.path.join(folder, "slow"), 'sleep 0.4; exec "%s" "$@"' % PROGRAM)
    code, lines = program(
        folder,
        """
handler(profile)
assert len(torch_tracepress._handler._running) == 1
import warnings; warnings.simplefilter("ignore")
with torch_tracepress._handler._lock:  # as another thread may hold it
    child = os.fork()
    if child == 0:
        assert not torch_tracepress._handler._running
        handler(profile)
        assert len(torch_tracepress._handler._running) == 1
        sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
handler(profile)
while len([n for n in os.listdir("runs") if "html" in n]) < 3: time.sleep(.02)
end = time.monotonic() + 60
while torch_tracepress._handler._running and time.monotonic() < end: time.sleep(.01)
assert not torch_tracepress._handler._running
names = {n.split(".")[0] for n in os.listdir("runs")}
assert len(names) == 2, names  # the worker is named by its process
""",
        env=with_environment(TRACEPRESS_PROGRAM=slow),
        timeout=60,
    )
    assert code == 0 and len(lines) == 3 and all("CPU only" in line for line in lines), (code, lines)


@case("threads: as many as there may be at a time are made, the others are named in one line each")
def _(folder):
    code, lines = program(
        folder,
        """
import threading
every = [threading.Thread(target=handler, args=(profile,)) for _ in range(9)]
for t in every: t.start()
for t in every: t.join()
open("go", "w").close()
"""
        + DONE,
        env=with_environment(TRACEPRESS_PROGRAM=waits_for(folder)),
    )
    runs = os.path.join(folder, "runs")
    refused = [line for line in lines if "4 earlier ones are still being made" in line]
    assert code == 0 and len(traces(runs)) == 9 and len(pages(runs)) == 4 and len(refused) == 5 and len(lines) == 9, (
        lines
    )


@case("missing program: the traces are there, one line says it, once")
def _(folder):
    for path in ("/nope/tracepress", script(os.path.join(folder, "x"), "exit 3"), os.path.join(folder, "y")):
        with open(os.path.join(folder, "y"), "w") as file:
            file.write("no program")
        os.chmod(os.path.join(folder, "y"), 0o755)
        code, lines = program(
            folder, "for _ in range(3): handler(profile)\ntime.sleep(.2)", env=with_environment(TRACEPRESS_PROGRAM=path)
        )
        assert (
            code == 0
            and len(lines) == (1 if "nope" in path else 0 if path.endswith("x") else 3)
            and not any("Traceback" in x for x in lines)
        ), (path, lines)
    runs = os.path.join(folder, "runs")
    assert len(traces(runs)) == 9 and not pages(runs)


@case(
    "folders: one that cannot be made, is a file, is not writable, closes after the trace: it is said, and the training goes on"
)
def _(folder):
    open(os.path.join(folder, "file"), "w").close()
    os.mkdir(os.path.join(folder, "closed"))
    os.chmod(os.path.join(folder, "closed"), 0o555)
    os.chmod(folder, 0o755)
    nobody = "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if os.geteuid() == 0 else ""
    for name, prelude in (("file/x", ""), ("file", ""), ("/proc/nope", ""), ("closed", nobody), ("closed/x", nobody)):
        code, lines = program(folder, prelude + f"torch_tracepress.trace_handler({name!r})(profile)")
        assert code == 0 and len(lines) == 1 and lines[0].startswith("tracepress: no trace: "), (name, code, lines)
    later = os.path.join(folder, "later")
    os.mkdir(later)
    os.chmod(later, 0o777)
    if nobody:
        os.chown(later, 65534, 65534)
    closes = """
class Closing(Profile):
    def export_chrome_trace(self, path):
        super().export_chrome_trace(path)
        os.chmod("later", 0o555)
torch_tracepress.trace_handler("later", wait=True)(Closing(profile.trace))
"""
    looks = f"import os, sys\n{nobody}sys.exit(not os.access({PROGRAM!r}, os.X_OK))"
    if subprocess.run([sys.executable, "-c", looks]).returncode:
        raise Skip("the program is in a folder of root's that other users may not enter")
    code, lines = program(folder, nobody + closes)
    assert code == 0 and len(traces(later)) == 1 and not pages(later), (code, lines)
    assert len(lines) == 1 and "ermission denied" in lines[0], lines


@case("full disk: the trace fits and the page does not: the program says so, nothing half")
def _(folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
        raise Skip("no mount here")
    try:
        code, lines = program(folder, "torch_tracepress.trace_handler('disk', 'w', wait=True)(profile)")
        assert code == 0 and len(lines) == 2 and "CPU only" in lines[0] and "No space left" in lines[1], lines
        assert len(os.listdir(disk)) == 1 == len(traces(disk)), os.listdir(disk)
        with open(os.path.join(disk, "fill"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        code, lines = program(folder, "torch_tracepress.trace_handler('disk', 'v', wait=True)(profile)")
        assert code == 0 and len(lines) == 1 and lines[0].startswith("tracepress: no trace: "), lines
    finally:
        subprocess.run(["umount", disk], check=True)


@case("standard error: closed, or another file by now: the page and that file are whole")
def _(folder):
    for number, (code, redirection) in enumerate(
        (
            ("handler(profile)", "2>&-"),
            ("handler(profile)", "2>/dev/full"),
            (
                "os.close(2); f = open('mine', 'w'); assert f.fileno() == 2; sys.__stderr__ = None; handler(profile); time.sleep(.3)",
                "",
            ),
            ("sys.stderr = None; handler(profile)", ""),
            ("sys.stderr.close(); handler(profile)", ""),
        )
    ):
        place = os.path.join(folder, str(number))
        os.mkdir(place)
        subprocess.run(
            ["sh", "-c", 'exec "$@" ' + redirection, "-", sys.executable, "-c", START + code],
            cwd=place,
            stderr=subprocess.PIPE,
        )
        runs = os.path.join(place, "runs")
        until(lambda: pages(runs))
        whole(pages(runs)[0], traces(runs)[0])
        assert not os.path.exists(os.path.join(place, "mine")) or os.path.getsize(os.path.join(place, "mine")) == 0


@case("container: when the first process of one ends, its report is made all the same")
def _(folder):
    alone = ["unshare", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        raise Skip("no namespaces here")
    slow = script(os.path.join(folder, "slow"), 'sleep 0.5; exec "%s" "$@"' % PROGRAM)
    code, lines = program(
        folder, "assert os.getpid() == 1; handler(profile)", alone, env=with_environment(TRACEPRESS_PROGRAM=slow)
    )
    assert code == 0 and len(lines) == 1 and len(pages(os.path.join(folder, "runs"))) == 1, lines


@case("names: hostile folders and workers: trace and page are there, and standard error gets one line of plain text")
def _(folder):
    os.chdir(folder)
    for number, name in enumerate(
        (
            "a b",
            'it\'s "q"',
            "new\nline",
            "<iframe>",
            "\u202egnp",
            "-o",
            "--help",
            "$(touch gone)`x`;&|",
            "\x1b[2J",
            "{x}%s",
        )
    ):
        code, lines = program(
            folder,
            f"torch_tracepress.trace_handler({name!r}, {name.replace('/', '_')!r}, wait=True)(profile)",
            env=with_environment(RANK="0"),
        )
        assert (
            code == 0
            and len(lines) == 1
            and len(pages(name)) == 1
            and "\x1b" not in lines[0]
            and "\u202e" not in lines[0]
        ), (name, lines)
        code, lines = program(
            folder, f"torch_tracepress.trace_handler({name!r}, {name.replace('/', '_') + '/x'!r})(profile)"
        )
        assert code == 0 and len(lines) == 1 and "\x1b" not in lines[0] and "\u202e" not in lines[0], (name, lines)
        os.rename(name, str(number))
    assert sorted(os.listdir(folder)) == [str(i) for i in range(10)], os.listdir(folder)


@case(
    "errors of torch: what its export raises is one line; what it refuses at once, is refused at once; KeyboardInterrupt passes"
)
def _(folder):
    class Broken:
        def __init__(self, error):
            self.error = error

        def export_chrome_trace(self, path):
            raise self.error

    handler = tracepress.trace_handler(folder)
    handler(Broken(RuntimeError("Trace is\n already saved")))
    handler(Broken(Exception()))
    handler(Broken(SystemError()))
    for error in (KeyboardInterrupt, SystemExit):
        try:
            handler(Broken(error()))
        except error:
            continue
        raise AssertionError(error)
    handler(type("Nothing", (), {"export_chrome_trace": lambda self, path: None})())
    for given in ({"use_python_export": True}, {"nonsense": 1}):
        try:
            tracepress.trace_handler(folder, **given)
        except TypeError:
            continue
        raise AssertionError(given)
    assert not os.listdir(folder)


if __name__ == "__main__":
    sys.exit(run_all(f"Python {sys.version_info[0]}.{sys.version_info[1]}: "))
