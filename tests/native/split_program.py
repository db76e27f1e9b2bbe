"""split_program.py SECONDS [threads|child|nested|native]: runs four functions with known shares. Prints the CPU time
that each function itself measured, ms: "alpha beta gamma delta".

threads: two functions in each of two threads. child: in a child process. nested: C calls each function back from a
sort. native: beta and delta use zlib, whose time is also printed."""
import subprocess
import sys
import threading
import time
import zlib

used = dict.fromkeys(("alpha", "beta", "gamma", "delta"), 0.0)


def spin(want):
    begin = time.thread_time()
    total = 0
    while time.thread_time() - begin < want:
        for i in range(2000):
            total += i & 3
    return time.thread_time() - begin


def alpha(want):
    begin = time.thread_time()
    total = 0
    while time.thread_time() - begin < want:
        for i in range(2000):
            total += i & 3
    used["alpha"] += time.thread_time() - begin


def beta(want):
    used["beta"] += spin(want)


def gamma(want):
    begin = time.thread_time()
    text = ""
    while time.thread_time() - begin < want:
        for i in range(1000):
            text = "%d %s" % (i, text[:20])
    used["gamma"] += time.thread_time() - begin


class Worker:
    def run(self, want):
        used["delta"] += spin(want)


def delta(want):
    Worker().run(want)


BLOCK = bytes(i * i % 251 for i in range(20000))


def packed(want):
    begin = time.thread_time()
    while time.thread_time() - begin < want:
        before = time.thread_time()
        zlib.compress(BLOCK, 9)
        used["zlib"] += time.thread_time() - before
    return time.thread_time() - begin


def turns(parts, seconds):
    for turn in range(20):
        for function, share in parts:
            function(share * seconds / 20 * (0.5 + turn * 7 % 20 / 19))


def nested(parts, seconds):
    for turn in range(20):
        calls = [(lambda f=f, s=s: f(s * seconds / 20 * (0.5 + turn * 7 % 20 / 19))) for f, s in parts]
        sorted(calls, key=lambda call: call() or 0)


parts = [(alpha, 0.50), (beta, 0.25), (gamma, 0.10), (delta, 0.15)]
seconds, how = float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
if how == "child":
    sys.exit(subprocess.call([sys.executable, __file__, sys.argv[1]]))
if how == "native":
    used["zlib"] = 0.0
    spin = packed
if how == "threads":
    both = [threading.Thread(target=turns, args=(half, seconds)) for half in (parts[:2], parts[2:])]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
else:
    (nested if how == "nested" else turns)(parts, seconds)
print(*("%.0f" % (ms * 1e3) for ms in used.values()))
