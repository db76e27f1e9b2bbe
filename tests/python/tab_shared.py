"""Parts that all tests of the tab use: hostile names, files, and a replacement for the program."""

import os
import pickle
import subprocess
import time

from cases import DATA, PROGRAM, trace

HOSTILE = [
    "a b",
    'it\'s "quoted"',
    "new\nline",
    "<img src=x onerror=alert(1)>",
    "\u202egnp.exe",
    "-o",
    "--help",
    "$(touch gone)`x`;&|",
    "..hidden",
    "%2e%2e",
    "a:b,c",
    os.fsdecode(b"\xff\xfe not UTF-8"),
]
SECRET = "root:x:0:0 of outside"


def write(*names, text="{}"):
    path = os.path.join(*names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


# Shell script that replaces the program. It writes the files that it reads as a page, then does what FAKE names. Each
# call is a line in FAKE_LOG.
FAKE = """#!/bin/sh
printf '%s|' "$@" >>"$FAKE_LOG"; echo >>"$FAKE_LOG"
while [ $# -gt 0 ]; do
    case $1 in -o) out=$2; shift ;; --history | --color) shift ;; -*) ;; *) last=$1 ;; esac
    shift
done
cat "$last" "$last"/* >"$out" 2>/dev/null
echo "$$" >>"$FAKE_LOG.pids"
while [ -n "$FAKE_GATE" ] && [ ! -e "$FAKE_GATE" ]; do sleep 0.02; done
case $FAKE in
killed) kill -9 $$ ;;
segv) kill -11 $$ ;;
endless) while :; do echo "$last $last $last" >>"$out"; done ;;
chatty) while :; do echo "more and more and more" >&2; done ;;
forever) sleep 1000 & echo $! >>"$FAKE_LOG.pids"; wait ;;
silent) exit 3 ;;
lines) printf 'tracepress: a\\033[31m\\342\\200\\256b\\n%s\\n' "$(head -c 20000 /dev/zero | tr '\\0' x)" >&2; exit 3 ;;
esac
"""


class Fake:
    """The replacement script as the program, with its calls and its processes."""

    def __init__(self, folder, how="", gate=False):
        self.path, self.log = os.path.join(folder, "fake"), os.path.join(folder, "fake.log")
        self.gate = os.path.join(folder, "gate") if gate else ""
        self.words = {"TRACEPRESS_PROGRAM": self.path, "FAKE": how, "FAKE_LOG": self.log, "FAKE_GATE": self.gate}

    def __enter__(self):
        with open(self.path, "w") as file:
            file.write(FAKE)
        os.chmod(self.path, 0o755)
        self.before = {name: os.environ.get(name) for name in self.words}
        os.environ.update(self.words)
        return self

    def __exit__(self, *_):
        for name, value in self.before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})

    def open_gate(self):
        open(self.gate, "w").close()

    def lines(self, suffix=""):
        try:
            with open(self.log + suffix) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def alive(self):
        return [pid for pid in self.lines(".pids") if is_alive(int(pid))]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(") ", 1)[1][0] not in "ZX"
    except OSError:
        return False


def until(what, seconds=120):
    """Waits until a condition is true. Counts polls instead of time, because a machine may stop for minutes while its
    clock continues."""
    for _ in range(50 * seconds):
        value = what()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("did not happen")


def old(path):
    """Sets the time of a file to a minute ago."""
    now = time.time()
    os.utime(path, (now - 60, now - 60))
    return path


def copy(name, *place):
    with open(name, "rb") as source:
        data = source.read()
    path = os.path.join(*place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    return old(path)


def own(words, cwd, codes=(0,)):
    done = subprocess.run([PROGRAM, *words, "-o", "own.html", "--quiet"], cwd=cwd, capture_output=True, text=True)
    assert done.returncode in codes, done
    with open(os.path.join(cwd, "own.html"), "rb") as file:
        return file.read()


def demo(folder):
    for rank in (0, 1):
        name = f"worker{rank}.170000000000{rank}.pt.trace.json.gz"
        copy(os.path.join(DATA, "run", name), folder, "logs", "exp", "ddp", name)
    copy(trace("gpu_2024"), folder, "logs", "base", "w.1.pt.trace.json.gz")
    copy(trace("gpu_2026"), folder, "logs", "new", "w.2.pt.trace.json.gz")
    return os.path.join(folder, "logs")


def write_snapshot(*names, size=1 << 20):
    """Writes a memory snapshot with one block of this size, old enough to be read."""
    segment = {"device": 0, "address": 1 << 40, "total_size": 2 << 20, "stream": 0, "segment_type": "small"}
    blocks = [{"size": size, "requested_size": size, "state": "active_allocated"}]
    blocks += [{"size": (2 << 20) - size, "state": "inactive"}] if size < 2 << 20 else []
    events = [{"action": "segment_alloc", "addr": 1 << 40, "size": 2 << 20, "stream": 0, "time_us": 1}]
    events += [{"action": "alloc", "addr": 1 << 40, "size": size, "stream": 0, "time_us": 2}]
    path = write(*names)
    with open(path, "wb") as file:
        pickle.dump({"segments": [{**segment, "blocks": blocks}], "device_traces": [events]}, file, 4)
    return old(path)
