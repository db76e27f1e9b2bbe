#!/usr/bin/env python3
"""program.py KIND FOLDER: writes a recording of a program of one kind into FOLDER; all times are fixed."""
import json
import os
import sys

MS = 1000
BASE = 1_790_000_000_000_000_000


class Recording:
    """A recording from outside. Times are in microseconds."""

    def __init__(self, **seen):
        self.seen, self.events = seen, []

    def process(self, pid, begin, end, ppid=0, command="prog", how=None):
        self.events.append({"ph": "X", "cat": "process", "name": "p", "pid": pid, "tid": pid, "ts": begin, "dur": end - begin,
                            "args": {"execs": [command], "ppid": ppid, **({"end": how} if how else {"exit": 0})}})

    def name(self, pid, tid, name):
        self.events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": "thread %d (%s)" % (tid, name)}})

    def state(self, pid, tid, state, begin, end, **args):
        self.events.append({"ph": "X", "cat": "thread_state", "name": state, "pid": pid, "tid": tid, "ts": begin, "dur": end - begin,
                            **({"args": args} if args else {})})

    def sample(self, pid, tid, at, stack, **more):
        self.events.append({"ph": "P", "cat": "cpu_sample", "name": "x", "pid": pid, "tid": tid, "ts": at,
                            "args": {"cpu ns": 1, "Call stack": ";".join(stack) + ";", **more}})

    def write(self, folder, name="program.7.pt.trace.json"):
        with open(os.path.join(folder, name), "w") as out:
            json.dump({"schemaVersion": 1, "tracepress_recorder": "outside", "tracepress_seen": {"mode": "inherited", **self.seen},
                       "baseTimeNanoseconds": BASE, "traceEvents": self.events}, out, separators=(",", ":"))


def torch_steps(folder, with_gpu=False, steps=6, wall=100 * MS):
    events = []
    row = {"pid": 7, "tid": 7}
    for step in range(steps):
        at = step * wall
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "ts": at, "dur": wall, **row})
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": at + 5, "dur": wall - 10, "args": {"External id": step + 1}, **row})
        if with_gpu:
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 10, "dur": 5,
                           "args": {"correlation": step + 1, "External id": step + 1}, **row})
            events.append({"ph": "X", "cat": "kernel", "name": "gemm", "ts": at + 20, "dur": wall * 0.9, "pid": 0, "tid": 7,
                           "args": {"correlation": step + 1, "External id": step + 1, "device": 0, "stream": 7}})
    with open(os.path.join(folder, "host_7.9.pt.trace.json"), "w") as out:
        json.dump({"schemaVersion": 1, "baseTimeNanoseconds": BASE, "traceEvents": events}, out)


def steps(folder, ready, with_gpu=False, cause=None):
    """Writes six steps of 100 ms. In each, the main thread is ready for `ready` ms, and then waits for `cause` during
    half of the remaining time."""
    torch_steps(folder, with_gpu)
    r = Recording()
    r.process(7, 0, 600 * MS, command="python train.py")
    for step in range(6):
        at, rest = step * 100 * MS, (100 - ready) * MS
        r.state(7, 7, "ready", at, at + ready * MS)
        middle = at + ready * MS + (rest // 2 if cause else 0)
        if cause:
            r.state(7, 7, "blocked", at + ready * MS, middle, cause=cause)
        r.state(7, 7, "running", middle, at + 100 * MS)
    r.write(folder)


def guessed(folder, cause, seen_ms=50):
    """Writes half a second of import, whose waits have a known cause, and then training, whose waits have an estimated
    cause."""
    r = Recording()
    r.process(7, 0, 5000 * MS)
    r.state(7, 7, "running", 0, 450 * MS)
    r.state(7, 7, "blocked", 450 * MS, (450 + seen_ms) * MS, cause=cause, stack="read [libc.so.6];main [prog];")
    for i in range(45):
        at = (500 + 100 * i) * MS
        r.state(7, 7, "running", at, at + 40 * MS)
        r.state(7, 7, "blocked", at + 40 * MS, at + 100 * MS, cause=cause, estimated=1)
    r.write(folder)


def child(folder, kind):
    r = Recording()
    r.process(7, 0, 10_000 * MS, command="python compile.py")
    r.process(8, 1000 * MS, 6000 * MS, ppid=7, command="g++ a.cpp", how="still runs" if kind == "still_runs" else None)
    r.state(8, 8, "running", 1000 * MS, 6000 * MS)
    r.state(7, 7, "running", 0, 1001 * MS)
    if kind == "in_pieces":  # the parent reads the child's output and then waits again
        r.state(7, 7, "blocked", 1001 * MS, 2500 * MS, cause="disk", estimated=1)
        r.state(7, 7, "running", 2500 * MS, 2510 * MS)
        r.state(7, 7, "blocked", 2510 * MS, 6020 * MS, cause="disk", estimated=1)
        r.state(7, 7, "running", 6020 * MS, 10_000 * MS)
    elif kind == "of_a_thread":  # a thread of a pool sleeps while another thread waits
        r.state(7, 7, "blocked", 1001 * MS, 9000 * MS)
        r.state(7, 7, "running", 9000 * MS, 10_000 * MS)
        r.state(7, 9, "running", 990 * MS, 1002 * MS)
        r.state(7, 9, "blocked", 1002 * MS, 6001 * MS)
        r.state(7, 9, "running", 6001 * MS, 7000 * MS)
    # the thread works while the child runs, and waits for something else when the child exits
    elif kind == "elsewhere":
        r.state(7, 7, "running", 1001 * MS, 5000 * MS)
        r.state(7, 7, "blocked", 5000 * MS, 9000 * MS)
        r.state(7, 7, "running", 9000 * MS, 10_000 * MS)
    else:
        r.state(7, 7, "blocked", 1001 * MS, 6000 * MS)
        r.state(7, 7, "running", 6000 * MS, 10_000 * MS)
    r.write(folder)


TIMED = ["./nptl/futex-internal.c(103): __futex_abstimed_wait_common", "./nptl/pthread_mutex_timedlock.c(88): __pthread_mutex_clocklock_common"]
LOCKS = {
    "first_malloc": TIMED + ["decode [prog]", "main [prog]"],
    "thread_exit": ["./nptl/lowlevellock.c(49): __GI___lll_lock_wait", "./nptl/pthread_mutex_lock.c(93): ___pthread_mutex_lock",
                    "./nptl/nptl_deallocate_tsd.c(73): __GI___nptl_deallocate_tsd", "./nptl/pthread_create.c(453): start_thread"],
    "without_symbols": ["pthread_mutex_timedlock [libc.so.6]", "decode [prog]"],
    "timed_mutex": TIMED + ["/usr/include/c++/12/mutex(169): std::timed_mutex::try_lock_until", "worker [prog]"],
    "marked": TIMED + ["worker [prog]"],
    "only_libc": ["./nptl/futex-internal.c(103): __futex_abstimed_wait_common"],
}


def lock(folder, kind):
    """Writes 32 threads that run for 50 ms each and wait for 40 ms each."""
    r = Recording(**({"own_waits": 0} if kind == "marked" else {}))
    r.process(7, 0, 1000 * MS)
    r.state(7, 7, "running", 0, 1000 * MS)
    for i in range(32):
        at = 20 * i * MS
        r.state(7, 100 + i, "running", at, at + 25 * MS)
        r.state(7, 100 + i, "blocked", at + 25 * MS, at + 65 * MS, cause="lock", stack=";".join(LOCKS[kind]) + ";")
        r.state(7, 100 + i, "running", at + 65 * MS, at + 90 * MS)
    r.write(folder)


def own_thread(folder, kind):
    r = Recording()
    pids = (7, 8, 9) if kind == "in_children" else (7,)
    for pid in pids:
        r.process(pid, 0, 1000 * MS, ppid=0 if pid == 7 else 7, command="tracepress report x" if kind == "of_tracepress" else "prog")
        r.name(pid, pid, "tracepress" if kind == "of_tracepress" else "prog")
        r.name(pid, pid + 100, "tracepress")
        r.state(pid, pid, "running", 0, 1000 * MS)
        for i in range(20):
            at = 50 * i * MS
            r.state(pid, pid + 100, "running", at, at + 10 * MS)
            r.state(pid, pid + 100, "blocked", at + 10 * MS, at + 50 * MS, cause="lock", stack="futex_wait [libc.so.6];drain [prog];")
            r.sample(pid, pid + 100, at + 5 * MS, ["drain [prog]"])
            r.sample(pid, pid, at + 5 * MS, ["work [prog]"])
    r.write(folder)


EVENTS = {
    "exit": ["native_write_msr [kernel]", "irq_work_queue [kernel]", "perf_event_task_output [kernel]", "perf_event_exit_task [kernel]", "do_exit [kernel]"],
    "irq": ["native_read_msr [kernel]", "irq_work_run_list [kernel]", "irq_work_run [kernel]", "__sysvec_irq_work [kernel]"],
    "fork": ["mutex_lock [kernel]", "inherit_event.isra.0 [kernel]", "perf_event_init_task [kernel]", "copy_process [kernel]", "__do_sys_clone3 [kernel]"],
    "read": ["native_write_msr [kernel]", "perf_event_read [kernel]", "perf_read [kernel]", "vfs_read [kernel]"],
}


def events(folder, kind):
    """Writes a program with half of its samples in the kernel, where it handles perf events."""
    r = Recording()
    r.process(7, 0, 1000 * MS)
    r.state(7, 7, "running", 0, 1000 * MS)
    for i in range(50):
        r.sample(7, 7, 20 * i * MS, EVENTS[kind] + ["run [prog]", "main [prog]"])
        r.sample(7, 7, 20 * i * MS + 10, ["compute [prog]", "main [prog]"])
    r.write(folder)


MARKED = {
    "at_malloc": ["decode [prog]", "main [prog]"],
    "python": ["train.py(7): step", "train.py(20): <module>"],
    "no_stack": [],
    "kernel": ["_raw_spin_lock [kernel]", "futex_wait [kernel]", "decode [prog]", "main [prog]"],
}


def marked(folder, kind):
    """Writes a program with half of its samples marked as work of the recorder. In the other half it computes."""
    r = Recording(own_waits="marked")
    r.process(7, 0, 1000 * MS)
    r.state(7, 7, "running", 0, 1000 * MS)
    for i in range(50):
        r.sample(7, 7, 20 * i * MS, MARKED[kind], recording=1)
        r.sample(7, 7, 20 * i * MS + 10, ["compute [prog]", "main [prog]"])
    r.write(folder)


def threads(folder, count, is_sampled=True, length=0.1, lives=False):
    """Writes `count` threads of `length` ms, one after the other. lives: all threads run until the end."""
    r = Recording()
    r.process(7, 0, 2000 * MS)
    r.state(7, 7, "running", 0, 1000 * MS)
    for i in range(count):
        at = i * 1900 * MS / count
        r.name(7, 100 + i, "prog")
        r.state(7, 100 + i, "running", at, 2000 * MS if lives else at + length * MS)
    for i in range(40 if is_sampled else 0):
        start = ["_raw_spin_unlock [kernel]", "copy_process [kernel]", "__do_sys_clone3 [kernel]", "./nptl/pthread_create.c(650): __pthread_create_2_1",
                 "parallel_for [prog]", "main [prog]"]
        r.sample(7, 7, 50 * i * MS, start if i % 4 == 0 and not lives else ["compute [prog]", "main [prog]"])
    r.write(folder)


def native(folder, events, **head):
    """Writes a trace as a C program with tracepress.h does."""
    end = {"ph": "i", "s": "g", "name": "Record Window End", "pid": 7, "tid": 0,
           "ts": max(e["ts"] + e.get("dur", 0) for e in events) + 1}
    with open(os.path.join(folder, "vm_7.9.pt.trace.json"), "w") as out:
        json.dump({"schemaVersion": 1, **head, "tracepress_recorder": "native", "displayTimeUnit": "ms", "baseTimeNanoseconds": BASE,
                   "traceEvents": events + [end]}, out)


def ranges(folder, names, stack=None, **head):
    """Writes five steps of 100 ms. names: consecutive ranges (name, ms) in each step."""
    events, number = [], 0
    for step in range(5):
        at = step * 100 * MS
        for name, length in [("ProfilerStep#%d" % step, 100), *names]:
            args = {"Ev Idx": number, **({"Call stack": stack + ";"} if stack and length < 100 else {})}
            events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 7, "tid": 7, "ts": at, "dur": length * MS, "args": args})
            at += length * MS if length < 100 else 0
            number += 1
    native(folder, events, **head)


def nested(folder, rows, counters=(), step_ms=100, steps=5):
    """Writes `steps` steps. rows: ranges (name, begin, end, thread) in ms from the start of each step, outer ones
    first. counters: (name, values by step)."""
    events, number = [], 0
    for step in range(steps):
        at = step * step_ms * MS
        for name, begin, end, tid in [*([("ProfilerStep#%d" % step, 0, step_ms, 7)] if steps > 1 else []), *rows]:
            events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 7, "tid": tid, "ts": at + begin * MS,
                           "dur": (end - begin) * MS, "args": {"Ev Idx": number}})
            number += 1
        for name, values in counters:
            if step < len(values):
                events.append({"ph": "C", "name": name, "pid": 7, "tid": 0, "ts": at + 99 * MS, "args": {"value": values[step]}})
    native(folder, events)


def memory(folder, records):
    """Writes memory records (bytes, address). Records with an address have a stack."""
    events, total = [], 0
    for number, (size, address) in enumerate(records):
        total += size
        more = {"Addr": address, **({"Call stack": "src/a.c(4): grow;src/a.c(9): main;"} if size > 0 else {})} if address else {}
        events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 7, "tid": 7, "ts": number,
                       "args": {"Total Reserved": 0, "Total Allocated": total, "Bytes": size, "Device Id": -1, "Device Type": 0, **more, "Ev Idx": number}})
    native(folder, events, profile_memory=1)


KINDS = {
    "ranges_cases": lambda f: ranges(f, [("Forward: layer 3", 15), ("Backward_Pass", 60), ("gpt2ZeroGrad", 5)]),
    "ranges_loader": lambda f: ranges(f, [("load_batch", 30), ("DataLoader next", 10), ("forward", 20)]),
    "ranges_unknown": lambda f: ranges(f, [("payload", 40), ("reloaded metadata", 50)]),
    "ranges_with_stacks": lambda f: ranges(f, [("forward", 30), ("backward", 60)], "src/a.c(4): train", with_stack=1),
    "ranges_nested": lambda f: nested(f, [("forward", 0, 60, 7), ("attention", 10, 30, 7), ("attention", 40, 50, 7), ("update", 60, 70, 7)]),
    "ranges_in_themselves": lambda f: nested(f, [("solve", 0, 80, 7), ("solve", 10, 60, 7), ("solve", 20, 30, 7)]),
    "ranges_of_threads": lambda f: nested(f, [("forward", 0, 50, 7), ("worker", 0, 90, 8), ("worker", 0, 40, 9)]),
    "ranges_without_steps": lambda f: nested(f, [("parse", 0, 30, 7), ("sort", 30, 100, 7)], steps=1),
    "ranges_that_overlap": lambda f: nested(f, [("outer", 0, 50, 7), ("inner", 40, 60, 7)]),
    "counters_loss": lambda f: nested(f, [("forward", 0, 50, 7)], [("loss", [4.0, 3.0, 2.5, 2.25, 2.125])]),
    "counters_odd": lambda f: nested(f, [("forward", 0, 50, 7)], [("flat", [1, 1, 1]), ("huge", [-1.7e308, 1.7e308]), ("one", [7])]),
    "counters_many": lambda f: nested(f, [], [("c%02d" % i, [i, i + 1]) for i in range(20)]),
    "memory_small_freed": lambda f: memory(f, [(300, None), (-300, None), (4096, 16), (-4096, 16)]),
    "memory_small_most": lambda f: memory(f, [(8000, None), (4096, 16), (1000, None), (-9000, None)]),
    "memory_small_behind": lambda f: memory(f, [(4096, 16), (-4096, 16), (2000, None)]),
    "steps_wait_for_cpu": lambda f: steps(f, 68),
    "steps_wait_for_cpu_and_disk": lambda f: steps(f, 40, cause="disk"),
    "steps_wait_for_cpu_with_a_gpu": lambda f: steps(f, 25, with_gpu=True),
    "steps_have_a_cpu": lambda f: steps(f, 10),
    "guessed_disk": lambda f: guessed(f, "disk"),
    "guessed_lock": lambda f: guessed(f, "lock"),
    "guessed_sleep": lambda f: guessed(f, "sleep"),
    "guessed_kernel_lock": lambda f: guessed(f, "kernel lock"),
    **{"child_" + kind: lambda f, kind=kind: child(f, kind) for kind in ("whole", "in_pieces", "of_a_thread", "elsewhere", "still_runs")},
    **{"lock_" + kind: lambda f, kind=kind: lock(f, kind) for kind in LOCKS},
    **{"own_thread_" + kind: lambda f, kind=kind: own_thread(f, kind) for kind in ("alone", "in_children", "of_tracepress")},
    **{"events_" + kind: lambda f, kind=kind: events(f, kind) for kind in EVENTS},
    **{"marked_" + kind: lambda f, kind=kind: marked(f, kind) for kind in MARKED},
    "threads_short": lambda f: threads(f, 5000),
    "threads_without_samples": lambda f: threads(f, 15_000, is_sampled=False),
    "threads_few": lambda f: threads(f, 64),
    "threads_that_stay": lambda f: threads(f, 300, lives=True),
}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
