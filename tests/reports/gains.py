#!/usr/bin/env python3
"""gains.py KIND FOLDER: writes a recording into FOLDER, for which the correct findings are known. All times are
fixed."""
import sys

from program import MS, Recording

START = ["_raw_spin_unlock [kernel]", "copy_process [kernel]", "__do_sys_clone3 [kernel]", "clone3.S(62): __clone3"]


def threads(folder, numbers, lives, is_sampled=True, between=("running", "ready"), pause=0.1):
    """Writes threads with `numbers` different ids. Each id is used by `lives` threads of 100 us, one after the other.
    between: the last state before the pause between two threads, and the first state after it."""
    r = Recording()
    r.process(7, 0, 2000 * MS)
    r.state(7, 7, "running", 0, 1000 * MS)
    for number in range(numbers):
        r.name(7, 100 + number, "prog")
        for life in range(lives):
            at = 10 + life * 1900 * MS / lives
            end = at + 100 if pause else 10 + (life + 1) * 1900 * MS / lives
            r.state(7, 100 + number, between[1], at, at + 5)
            r.state(7, 100 + number, between[0], at + 5, end)
    for i in range(40 if is_sampled else 0):
        r.sample(7, 7, 50 * i * MS, START if i % 2 == 0 else ["compute [prog]", "main [prog]"])
    r.write(folder)


KINDS = {
    "numbers_again": lambda f: threads(f, 4, 500),
    "numbers_again_one": lambda f: threads(f, 1, 1000),
    "numbers_again_without_samples": lambda f: threads(f, 50, 400, is_sampled=False),
    "numbers_again_as_after_the_largest": lambda f: threads(f, 600, 3),
    "preempted": lambda f: threads(f, 4, 500, pause=0),
    "blocked_between": lambda f: threads(f, 4, 500, between=("blocked", "running")),
    "few_lives": lambda f: threads(f, 4, 20),
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
