#!/usr/bin/env python3
"""program_view.py TRACE REPORT.json: computes every number of a program's view from the trace and compares it with the report.

program_view.py --rows TRACE ROWS.tsv: writes the tree of a recording as rows, for the executable definitions (tests/oracle).

program_view.py --make SEED FILE: writes a made recording: processes with circular or missing parents, numbers that are
used twice, states that overlap, end before they begin or have no cause, and frames of all kinds.

Implements section 23 of docs/definitions.md with integers (nanoseconds). Shares no code with tracepress."""
import bisect
import collections
import fractions
import gzip
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from twin.lines import of_frame  # noqa: E402

ORDER = "disk,page fault,socket,terminal,sleep,lock,kernel lock,file,pipe,poll,signal,stopped,child,exit,recording,?".split(",")
STATES = ["running", "ready", "blocked"]
ARROW = " \u2190 "
SYSTEM = ("libc.so libc-2 libpthread ld-linux [vdso] ../sysdeps/ ./nptl/ ./io/ ./misc/ ./socket/ ./posix/ ./libio/ ./time/"
          " ./csu/ kernel vdso ld-musl ./malloc/ ./stdio-common/ ./elf/").split()


def ns(number):
    return int(fractions.Fraction(number) * 1000)


class Tree:
    """The processes, threads with their slices, and weights of samples of a recording."""

    def __init__(self, events, is_marked=False):
        self.is_marked = is_marked  # true if the recorder marks the waits for its own locks
        self.processes, self.rows, self.samples, self.names = [], collections.defaultdict(list), [], {}
        looks = []
        for e in events:
            if e.get("ph") == "M" and e.get("name") == "thread_name":
                self.names[int(e["pid"]), int(e["tid"])] = e["args"]["name"]
            if "ts" not in e:
                continue
            at, length = ns(e["ts"]), max(ns(e.get("dur", "0")), 0)
            if e.get("cat") == "process" and e["ph"] == "X":
                self.processes.append({"pid": int(e["pid"]), "begin": at, "end": at + length, "args": e["args"], "name": e["name"]})
            elif e.get("cat") == "thread_state" and e["ph"] == "X" and e["name"] in STATES:
                self.rows[int(e["pid"]), int(e["tid"])].append((at, at + length, STATES.index(e["name"]), e.get("args", {})))
            elif e.get("cat") == "cpu_sample" and e["ph"] == "P" and int(e["args"].get("cpu ns", -1)) >= 0:
                self.samples.append({"pid": int(e["pid"]), "tid": int(e["tid"]), "at": at, 
                                     "stack": ("[recording] [kernel];" if "recording" in e["args"] else "") + e["args"].get("Call stack", "")})
            elif e.get("name") == "process memory" and e["ph"] == "C":
                looks.append((int(e["pid"]), at, int(float(e["args"]["resident bytes"]))))
        self.own_ns = sum(end - at for key, states in self.rows.items() for at, end, state, _ in states if state == 0 and self.is_own(*key))
        self.rows = {key: states for key, states in self.rows.items() if not self.is_own(*key)}
        self.samples = [s for s in self.samples if not self.is_own(s["pid"], s["tid"])]
        self.add_unseen()
        self.place()
        self.cut()
        self.weigh()
        for pid, at, size in looks:
            p = self.process_of(pid, at)
            if p:
                p["peak"] = max(size, p["peak"] if p["peak"] is not None else -1)

    def add_unseen(self):
        known = {p["pid"] for p in self.processes}
        for (pid, _), states in list(self.rows.items()):
            if pid not in known:
                self.grow(pid, min(s[0] for s in states), max(s[1] for s in states))
        for s in self.samples:
            if s["pid"] not in known:
                self.grow(s["pid"], s["at"], s["at"])

    def grow(self, pid, begin, end):
        for p in self.processes:
            if p["pid"] == pid and p["args"] is None:
                p["begin"], p["end"] = min(p["begin"], begin), max(p["end"], end)
                return
        self.processes.append({"pid": pid, "begin": begin, "end": end, "args": None, "name": None})

    def place(self):
        by_time = sorted(range(len(self.processes)), key=lambda i: (self.processes[i]["begin"], i))
        self.by_pid = collections.defaultdict(list)
        self.children = collections.defaultdict(list)
        for i in by_time:
            p = self.processes[i]
            before = self.by_pid[int(p["args"]["ppid"])] if p["args"] and int(p["args"].get("ppid", -1)) >= 0 else []
            p["parent"] = before[-1] if before else None
            self.by_pid[p["pid"]].append(p)
            self.children[id(p["parent"]) if p["parent"] else None].append(p)
            p["peak"] = int(p["args"]["peak resident bytes"]) if p["args"] and "peak resident bytes" in p["args"] else None
            p["time"], p["samples"], p["threads"] = [0, 0, 0], 0, 0
        self.order, pending = [], [(p, 0) for p in reversed(self.children[None])]
        while pending:
            p, depth = pending.pop()
            p["depth"] = depth
            self.order.append(p)
            pending += [(child, depth + 1) for child in reversed(self.children[id(p)])]

    def process_of(self, pid, at):
        rows = self.by_pid.get(pid)
        return rows[max(bisect.bisect_right([p["begin"] for p in rows], at) - 1, 0)] if rows else None

    def cut(self):
        self.threads, self.overlaps = [], 0
        for (pid, tid), states in self.rows.items():
            free, thread = None, None
            for begin, end, state, args in sorted(states, key=lambda s: s[0]):
                at = begin if free is None else max(begin, free)
                self.overlaps += at > begin and end > begin
                if end <= at:
                    continue
                process, free = self.process_of(pid, begin), end
                if not thread or thread["process"] is not process:
                    thread = {"process": process, "pid": pid, "tid": tid, "pieces": []}
                    self.threads.append(thread)
                guessed = "estimated" in args and state == 2
                cause = "?" if guessed else args.get("cause", "?") if state == 2 else ""
                cause = cause if cause in ORDER or state != 2 else "?"
                if state == 2 and "recording" in args:
                    cause = "recording"
                if cause == "lock" and not self.is_marked and is_lock_of_recorder(args.get("stack", "")):
                    cause = "recording"
                thread["pieces"].append([at, end, state, cause, args.get("stack", ""), guessed])
        self.set_causes_of_child_waits()
        for t in self.threads:
            t["time"] = [sum(e - b for b, e, s, *_ in t["pieces"] if s == state) for state in range(3)]
            t["wakes"] = sum(a[2] == 2 and b[2] != 2 for a, b in zip(t["pieces"], t["pieces"][1:]))
            t["process"]["threads"] += 1
            for state in range(3):
                t["process"]["time"][state] += t["time"][state]

    def set_causes_of_child_waits(self):
        """Sets the cause "child" of waits that have no cause and end when a child exits, and of earlier waits of the
        same thread during the life of that child."""
        late = lambda piece: max((piece[1] - piece[0]) // 100, min((piece[1] - piece[0]) // 2, 5_000_000))
        unseen = lambda piece: piece[2] == 2 and piece[3] == "?"
        for child in self.order:
            if child["parent"] is None or child["args"] is None or "end" in child["args"]:
                continue
            found = []
            threads = sorted((t for t in self.threads if t["process"] is child["parent"]), key=lambda t: t["pieces"][0][0])
            for number, t in enumerate(threads):
                before = [i for i, piece in enumerate(t["pieces"]) if piece[0] < child["end"]][-3:]
                for i in before:
                    piece = t["pieces"][i]
                    far = abs(piece[1] - child["end"])
                    if unseen(piece) and piece[0] >= child["begin"] and far <= late(piece):
                        found.append((far, number, -i, t))
            if not found:
                continue
            _, _, last, t = min(found, key=lambda f: f[:3])
            waited = between = 0
            for piece in reversed(t["pieces"][:-last + 1]):
                if piece[0] < child["begin"] or (piece[2] == 2 and not unseen(piece)):
                    break
                if piece[2] != 2:
                    between += piece[1] - piece[0]
                    continue
                if between > waited // 10:
                    break
                piece[3] = "child"
                waited += piece[1] - piece[0]

    def is_own(self, pid, tid):
        """Returns whether the thread belongs to the recorder, inside another program."""
        named = lambda key: re.search(r"^tracepress$|\(tracepress\)$", self.names.get(key, ""))
        return bool(tid != pid and named((pid, tid)) and not named((pid, pid)))

    def weigh(self):
        for s in self.samples:
            s["process"] = self.process_of(s["pid"], s["at"])
            s["process"]["samples"] += 1
        left = {id(p): [p["time"][0], p["samples"]] for p in self.processes}
        for s in self.samples:
            rest = left[id(s["process"])]
            s["weight"] = rest[0] // rest[1]
            rest[0] -= s["weight"]
            rest[1] -= 1


def is_lock_of_recorder(text):
    """Returns whether the lock belongs to the recorder, for recorders that do not mark their locks. Such a lock is
    taken with a timeout, or by the C library when a thread exits."""
    timed = re.search("pthread_mutex_(timed|clock)lock", text) and "timed_mutex" not in text
    return bool(timed or "_pthread_mutex_lock;./nptl/nptl_deallocate_tsd.c(" in text)


def partition(tree):
    edges = []
    for t in tree.threads:
        for b, e, state, cause, *_ in t["pieces"]:
            key = STATES[state] if state < 2 else cause
            edges += [(b, 1, key), (e, -1, key)]
    edges.sort(key=lambda e: e[0])
    parts, live, busy, idle, last = collections.Counter(), collections.Counter(), 0, 0, None
    for at, step, key in edges:
        if last is not None and at > last:
            leading = next((k for k in ["running", "ready"] + ORDER if live[k]), None)
            if leading:
                now = {k for k in live if live[k]}
                if now & {"poll", "signal"} and now <= {"poll", "signal", "lock", "stopped", "child", "exit", "recording", "?"}:
                    idle += at - last
                    leading = "poll" if "poll" in now else "signal"
                parts[leading] += at - last
                busy += live["running"] * (at - last)
        live[key] += step
        last = at
    return {k: v for k, v in parts.items() if v}, busy, idle


def function(frame):
    frame = frame.strip(" ")
    found = re.match(r"(.*[^ ]?)\((-?\d+)\): (.+)$", frame, re.S)
    if found and found[1]:
        kind = "python" if re.search(r"\.pyx?$", found[1]) or re.match(r"<.+>$", found[1]) else "native"
        return found[3], found[1], max(int(found[2]), 0), kind
    found = re.match(r"(.+) \[([^\[]*)\]$", frame, re.S)
    if not found:
        return frame, "", 0, "native"
    name = found[2] + found[1] if found[1].startswith("+0x") else found[1]
    return name, found[2], 0, "kernel" if found[2] == "kernel" else "native"


def stack(text):
    """Returns the functions of a stack, innermost first. Parts of the text that are not functions are dropped."""
    path = [function(f) for f in text.split(";") if f.strip(" ")]
    inside = next((i for i, f in enumerate(path) if f[3] != "kernel"), len(path))
    end = next((i for i in range(inside, len(path)) if path[i][3] == "kernel"), len(path))
    path = path[:end]
    while len(path) > 1 and path[-1][0] == "[unknown]":
        path.pop()
    # finds the outermost frame of kernel work for the events of the recording; this work becomes one function
    for i in reversed(range(len(path))):
        if path[i][3] != "kernel":
            continue
        if re.fullmatch(r"perf_(read|ioctl|mmap|poll|release)|.*sys_perf_event_open.*", path[i][0]):
            break
        if re.match(r"(__)?perf_event_|perf_(iterate|output|pending|swevent|trace|prepare)_|perf_tp_event|perf_callchain|inherit_event"
                    r"|inherit_task_group|free_event_rcu|ctx_sched_|irq_work_run|irq_work_single|(asm_|__)?sysvec_irq_work", path[i][0]):
            return [("[recording]", "kernel", 0, "kernel")] + path[i + 1:]
    return path


def functions(tree):
    self_ns, total_ns, count, kinds = collections.Counter(), collections.Counter(), collections.Counter(), {}
    lines = collections.defaultdict(collections.Counter)
    for s in tree.samples:
        path = stack(s["stack"])
        for name, file, _, kind in path:
            kinds.setdefault((name, file), kind)
        for key in {f[:2] for f in path}:
            total_ns[key] += s["weight"]
        if path:
            self_ns[path[0][:2]] += s["weight"]
            count[path[0][:2]] += 1
            lines[path[0][:2]][path[0][2]] += s["weight"]
    return self_ns, total_ns, count, kinds, lines


def waits(tree):
    groups = {}
    for t in tree.threads:
        name = tree.names.get((t["pid"], t["tid"]), "")
        found = re.match(r"thread .*? \((.+)\)$", name, re.S)
        for b, e, state, cause, text, estimated in t["pieces"]:
            if state != 2 or cause in ("child", "exit"):
                continue
            path = [f for f in stack(text) if f[3] != "kernel"] if cause != "recording" else []
            callers = [f for f in path[1:] if f[3] == "python"] or path[1:]
            shown = ARROW.join(f[0] for f in path[:1] + callers[:3])
            g = groups.setdefault((cause, shown, found[1] if found else name or "(no name)"), [0, 0, 0, 0])
            g[0] += 1
            g[1] += e - b
            g[2] = max(g[2], e - b)
            g[3] += e - b if estimated else 0
    return groups


def place(path):
    """Returns the function of a stack that users know best. Order: Python code of the user, of libraries, other Python
    code, other functions of the program, functions of the system. Of several such functions, returns the innermost
    one."""
    def worth(f):
        if f[3] == "python":
            origin, line = of_frame("%s(1): %s" % (f[1], f[0]))
            return 0 if origin == "user" else 1 if line else 2
        return 4 if f[1].startswith(tuple(SYSTEM)) or f[0].startswith("[unknown]") else 3
    return min(path, key=worth)


def python(tree, cpu):
    times, counts, lines, inner = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for s in tree.samples:
        path = stack(s["stack"])
        found = place(path) if path and path[0][0] != "[recording]" else None
        if found and found[3] == "python":
            times[found[:2]] += s["weight"]
            counts[found[:2]] += 1
            lines[found[:2]][found[2]] += s["weight"]
            inner[found[:2]][path[0][:2]] += s["weight"]
    if not times or not cpu or 2 * sum(times.values()) < cpu:
        return None
    key = min(times, key=lambda k: (-times[k], k))
    inside = [k for k in inner[key] if k != key]
    most = min(inside, key=lambda k: (-inner[key][k], k)) if inside else None
    return (*key, min(lines[key], key=lambda k: (-lines[key][k], k)), times[key], counts[key], most and most[0], inner[key][most] if most else 0)


def ran(thread, begin, end):
    """Returns (running time during a wait, time at which the thread last ran), ns."""
    pieces = [(max(b, begin), min(e, end)) for b, e, state, *_ in thread["pieces"] if state == 0 and b < end and e > begin]
    return sum(e - b for b, e in pieces), max([e for _, e in pieces], default=begin)


def holders(tree):
    """Returns {name of the waiting thread: (thread that most likely has the lock, its time)}. Unclear cases are
    omitted."""
    held, asked = collections.defaultdict(collections.Counter), collections.Counter()
    for t in tree.threads:
        name = tree.names.get((t["pid"], t["tid"]), "")
        found = re.match(r"thread .*? \((.+)\)$", name, re.S)
        for b, e, state, cause, text, estimated in t["pieces"]:
            if state != 2 or cause != "lock" or estimated:
                continue
            path = [f for f in stack(text) if f[3] != "kernel"]
            callers = [f for f in path[1:] if f[3] == "python"] or path[1:]
            key = ARROW.join(f[0] for f in path[:1] + callers[:3]), found[1] if found else name or "(no name)"
            asked[key] += e - b
            others = [(*ran(o, b, e), o["tid"]) for o in sorted(tree.threads, key=lambda o: o["pieces"][0][0]) if o["process"] is t["process"] and o is not t]
            most = max(others, key=lambda o: o[0], default=(0,))
            if most[0] > 0 and most[1] >= max(o[1] for o in others):
                held[key][most[2]] += e - b
    chosen = {}
    for key, times in held.items():
        ordered = times.most_common(2)
        if 2 * ordered[0][1] >= asked[key] and (len(ordered) == 1 or ordered[0][1] > ordered[1][1]):
            chosen[key] = ordered[0]
    return chosen, {key for key, times in held.items() if key not in chosen and 2 * max(times.values()) >= asked[key]}


def rule(tree, parts, state_ns, idle):
    wall = sum(parts.values())
    share = {k: 100 * v / wall if wall else 0 for k, v in parts.items()}
    running, ready = share.get("running", 0), share.get("ready", 0)
    if len(tree.samples) < 20 and wall < 100_000_000:
        return "P0"
    if wall and 100 * idle / wall >= 80 and running < 10:
        return "P1"
    if state_ns[1] > state_ns[0] and running + ready >= 50:
        return "P2"
    for name, cause in zip(("P3", "P4", "P5", "P6", "P7"), ("disk", "socket", "terminal", "sleep", "lock")):
        if share.get(cause, 0) >= 20 and share[cause] >= running / 2:
            return name
    return "P8" if running + ready >= 60 else "P9"


def same(what, ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        odd = [k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k)]
        ours, theirs = [(k, ours.get(k)) for k in odd[:3]], [(k, theirs.get(k)) for k in odd[:3]]
    if isinstance(ours, set):
        ours, theirs = ours - theirs, theirs - ours
    assert ours == theirs, "%s: %r, restated %r" % (what, ours, theirs)


def close(what, ours, theirs):
    assert abs(ours - theirs) <= 1e-9 * max(1, abs(theirs)), "%s: %r, restated %r" % (what, ours, theirs)


def us(view, key):
    return ns(view[key])


def compare(tree, view):
    parts, busy, idle = partition(tree)
    wall = sum(parts.values())
    state_ns = [sum(t["time"][state] for t in tree.threads) for state in range(3)]
    same("parts", {p["part"]: us(p, "time_us") for p in view["wall_parts"]}, parts)
    same("wall", us(view, "wall_us"), wall)
    same("busy", us(view, "busy_us"), busy)
    same("idle", us(view, "idle_us"), idle)
    same("states", [us(view, k) for k in ("cpu_us", "ready_us", "blocked_us")], state_ns)
    same("wake-ups", view["wake_ups"], str(sum(t["wakes"] for t in tree.threads)))
    same("rule", view["rule"], rule(tree, parts, state_ns, idle))
    same("overlaps", view["seen"]["overlapping_states"], str(tree.overlaps))
    same("unsampled", us(view["seen"], "unsampled_us"), sum(p["time"][0] for p in tree.processes if not p["samples"]))
    begin = min(t["pieces"][0][0] for t in tree.threads)
    number = lambda v: None if v is None else str(v)
    same("processes", [(p["pid"], p["depth"], us(p, "begin_us"), us(p, "wall_us"), us(p, "cpu_us"), us(p, "ready_us"), us(p, "blocked_us"),
                        p["threads"], p["samples"], p["peak_bytes"]) for p in view["processes"]],
         [(str(p["pid"]), str(p["depth"]), p["begin"] - begin, p["end"] - p["begin"], *p["time"], str(p["threads"]), str(p["samples"]),
           number(p["peak"])) for p in tree.order])
    same("commands", [p["command"] for p in view["processes"]],
         ["(not recorded)" if p["args"] is None else "  =>  ".join(p["args"].get("execs", [])) or p["name"] for p in tree.order])
    same("threads", sorted((int(t["pid"]), int(t["tid"]), us(t, "begin_us"), us(t, "wall_us"), us(t, "running_us"), us(t, "ready_us"),
                            us(t, "blocked_us"), int(t["wake_ups"])) for t in view["threads"]),
         sorted((t["pid"], t["tid"], t["pieces"][0][0] - begin, sum(t["time"]), *t["time"], t["wakes"]) for t in tree.threads))
    self_ns, total_ns, count, kinds, lines = functions(tree)
    cpu = state_ns[0]
    rows = {(f["function"], f["file"] or ""): f for f in view["functions"]}
    same("functions", set(rows), set(total_ns))
    same("their order", [us(f, "self_us") for f in view["functions"]], sorted((us(f, "self_us") for f in view["functions"]), reverse=True))
    for key, f in rows.items():
        same(key, (us(f, "self_us"), us(f, "total_us"), int(f["samples"]), f["kind"]), (self_ns[key], total_ns[key], count[key], kinds[key]))
        if count[key]:
            best = max(lines[key].values())
            same(("line", *key), int(f["line"] or 0), min(line for line, v in lines[key].items() if v == best))
        p = self_ns[key] / cpu if cpu else 0
        close(("share", *key), float(f["self_percent"]), 100 * p)
        close(("error", *key), float(f["error_points"]), 196 * (p * (1 - p) / len(tree.samples)) ** 0.5)
    own = view["python"]
    same("Python", own and (own["function"], own["file"], int(own["line"]), us(own, "time_us"), int(own["samples"]), own["inside"], us(own, "inside_us")),
         python(tree, cpu))
    sampled = sum(p["time"][0] for p in tree.processes if p["samples"])
    bare = sum(s["weight"] for s in tree.samples if not stack(s["stack"]))
    same("functions add up", sum(us(f, "self_us") for f in view["functions"]) + bare, sampled)
    mine = [s["weight"] for s in tree.samples if stack(s["stack"])[:1] == [("[recording]", "kernel", 0, "kernel")]]
    waited = [b - a for t in tree.threads for a, b, state, cause, *_ in t["pieces"] if cause == "recording"]
    same("the recording", [us(view["recording"], "cpu_us"), int(view["recording"]["samples"]), us(view["recording"], "wait_us"),
                           int(view["recording"]["waits"]), us(view["recording"], "threads_cpu_us")],
         [sum(mine), len(mine), sum(waited), len(waited), tree.own_ns])
    same("waits", {(w["cause"], w["stack"], w["thread"]): [int(w["count"]), us(w, "total_us"), us(w, "longest_us"), us(w, "estimated_us")]
                   for w in view["waits"]}, waits(tree))


def compare_holders(tree, view):
    chosen, ties = holders(tree)
    rows = {(w["stack"], w["thread"]): (int(w["holder_tid"]), us(w, "held_us")) for w in view["waits"] if w["holder_tid"] is not None}
    same("holders", {k: v for k, v in rows.items() if k not in ties}, chosen)
    assert all(w["cause"] == "lock" for w in view["waits"] if w["holder_tid"] is not None)


def make(seed, path):
    draw = random.Random(seed)
    frames = ["a.c(%d): f" % draw.randint(1, 3), "a.c(7): g", "m.py(3): load", "<string>(1): <module>", "read [libc.so.6]", "+0x12 [libm.so]",
              "gzip+0x4290 [gzip]", "vfs_read [kernel]", "perf_event_fork [kernel]", "irq_work_run_list [kernel]", "perf_read [kernel]", "./nptl/pthread_mutex_timedlock.c(88): __pthread_mutex_clocklock_common", "ext4_read [ext4] [kernel]", "do_page_fault [kernel]", "[unknown] [unknown]", "<b>&\"x\" [lib<i>.so]", "plain", " "]
    text = lambda: ";".join(draw.choice(frames) for _ in range(draw.randint(0, 6))) + ";"
    causes = ORDER[:-1] + ["nonsense", None, None, None]
    pids = [draw.randint(1, 12) for _ in range(draw.randint(1, 15))]
    time = lambda: draw.randint(0, 200_000_000) / 1000
    events = [{"ph": "X", "cat": "Trace", "name": "t", "pid": 1, "tid": 0, "ts": 0, "dur": 1}]
    for pid in pids:
        if draw.random() < 0.85:
            args = {"execs": ["sh -c <b>x</b>", "x"][: draw.randint(0, 2)], "ppid": draw.choice(pids + [0, 99]), "exit": draw.choice([0, 0, 1, 137])}
            if draw.random() < 0.5:
                args["peak resident bytes"] = draw.randint(0, 10**9)
            events.append({"ph": "X", "cat": "process", "name": "p%d" % pid, "pid": pid, "tid": pid, "ts": draw.choice([0, 5, time()]),
                           "dur": time(), "args": args})
        for tid in range(pid, pid + draw.randint(1, 3)):
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": draw.choice(["thread %d (w<i>)" % tid, "w", "tracepress" if tid != pid else "w"])}})
            at = draw.randint(0, 10_000_000)
            for _ in range(draw.randint(0, 60)):
                length, args = draw.randint(0, 6_000_000), {}
                state = draw.choice(STATES)
                if state == "blocked" and draw.random() < 0.9:
                    args["stack"] = text()
                    cause = draw.choice(causes)
                    args.update({"cause": cause} if cause else {})
                    args.update({"estimated": 1} if cause and draw.random() < 0.1 else {})
                start = at if draw.random() < 0.9 else draw.randint(0, 200_000_000)
                events.append({"ph": "X", "cat": "thread_state", "name": state, "pid": pid, "tid": tid, "ts": start / 1000,
                               "dur": length / 1000 if draw.random() < 0.97 else -length / 1000, **({"args": args} if args else {})})
                at += length
            for _ in range(draw.randint(0, 20)):
                events.append({"ph": "P", "cat": "cpu_sample", "name": "x", "pid": pid, "tid": tid, "ts": time(),
                               "args": {"cpu ns": draw.randint(0, 9), **({"Call stack": text()} if draw.random() < 0.9 else {}),
                                        **({"recording": 1} if draw.random() < 0.1 else {})}})
        for _ in range(draw.randint(0, 3)):
            events.append({"ph": "C", "name": "process memory", "pid": pid, "tid": 0, "ts": time(), "args": {"resident bytes": float(draw.randint(0, 10**9))}})
    if draw.random() < 0.5:
        draw.shuffle(events)
    with open(path, "w") as out:
        json.dump({"traceEvents": events}, out)


def rows(tree, path):
    """Prints rows P (pid ppid begin end status command), T, I and S in the format of the executable definition. Times
    are in ms."""
    ms = lambda at: repr((at - tree.order[0]["begin"]) / 1e6)
    clean = lambda text: re.sub("[\\t\\n;]", " ", text)
    number = {id(p): str(i + 1) for i, p in enumerate(tree.order)}
    with open(path, "w") as out:
        put = lambda *fields: out.write("\t".join(fields) + "\n")
        for p in tree.order:
            put("P", number[id(p)], "-1", ms(p["begin"]), ms(p["end"]), "0", "x")
        for i, t in enumerate(tree.threads):
            pieces, tid = t["pieces"], str(i + 1)
            put("T", number[id(t["process"])], tid, "x", ms(pieces[0][0]), ms(pieces[-1][1]), *(repr(v / 1e6) for v in t["time"]))
            for b, e, state, cause, *_ in pieces:
                put("I", tid, ms(b), ms(e), str(state), cause)
        for s in tree.samples:
            frames = ["%s (%s:%d)" % f[:3] if f[2] else "%s [%s]" % f[:2] for f in stack(s["stack"])]
            put("S", number[id(s["process"])], "0", ms(s["at"]), ";".join(clean(f) for f in frames))


def main():
    if sys.argv[1] == "--rows":
        with gzip.open(sys.argv[2]) as file:
            rows(Tree(json.load(file, parse_float=str, parse_int=str)["traceEvents"]), sys.argv[3])
        return
    if sys.argv[1] == "--make":
        make(int(sys.argv[2]), sys.argv[3])
        return
    with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1]) as file:
        trace = json.load(file, parse_float=str, parse_int=str)
    recorded = Tree(trace["traceEvents"], "own_waits" in (trace.get("tracepress_seen") or {}))
    report = json.load(open(sys.argv[2]), parse_float=str, parse_int=str)["runs"][0]["profiles"][0]
    if recorded.threads:
        compare(recorded, report["program_view"])
        compare_holders(recorded, report["program_view"])
    else:
        same("a view", "program_view" in report, False)


if __name__ == "__main__":
    main()
