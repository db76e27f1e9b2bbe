#!/usr/bin/env python3
"""definitions_moments.py TRACE... [--samples N]: compares the model with a scan of all events at random moments of the
analysed window.

Checks, for each moment and device: the state of the device (compute, exposed communication, exposed copy, or a part of
idle time), computed literally from the definition; the stack of the idle view; the events around the moment on that
thread."""
import bisect
import random
import sys

sys.dont_write_bytecode = True
from twin.idle import idle_segments
from twin.reading import read_document
from twin.trace import Trace
from twin.tree import tree_order


def activity(operations, t):
    """Returns (state of the device at one moment, next operation), as section 6 defines the state."""
    running = [k for k in operations if k.start <= t < k.end]
    if any(k.kind == "kernel" and not k.communication for k in running):
        return "compute", None
    if any(k.communication for k in running):
        return "communication", None
    if running:
        return "copy", None
    lasting = [k for k in operations if k.end > k.start]
    if not any(k.end <= t for k in lasting) or not any(k.start > t for k in lasting):
        return "outside", None
    b = min(k.start for k in lasting if k.start > t)
    n = min((k for k in lasting if k.start == b), key=lambda k: k.pos)
    if n.launch is None:
        return "unknown", n
    return ("host" if t < n.launch.start else "launch" if t < n.launch.end else "queue"), n


def model(device, t):
    for name, u in (("compute", device.compute), ("communication", device.exposed_communication), ("copy", device.exposed_copy)):
        if any(a <= t < b for a, b in u):
            return name
    i = bisect.bisect_right([p.start for p in device.idle], t) - 1
    return device.idle[i].part if i >= 0 and t < device.idle[i].end else "nothing"


def check(path, samples):
    trace, bad, done = Trace(read_document(path)), 0, 0
    points = random.Random(1)
    for d in trace.devices:
        segments = idle_segments(trace, d)
        for i in range(samples):
            inside = points.randrange(trace.steps.ns)
            for a, b in trace.window:
                if inside < b - a:
                    break
                inside -= b - a
            t = a + inside
            found, n = activity(d.operations, t)
            done += 1
            bad += model(d, t) != found
            if found in ("host", "launch", "queue", "outside", "unknown"):
                thread = n.launch.thread if n is not None and n.launch is not None else d.main_thread
                alive = sorted((e for e in trace.events.host if e.thread == thread and e.start <= t < e.end), key=tree_order)
                j = bisect.bisect_right([s[0] for s in segments], t) - 1
                bad += segments[j][2] != alive or not segments[j][0] <= t < segments[j][1]
                bad += trace.tree.enclosing_at(thread, t) != alive
    print(path.split("/")[-1], "%d moments, %d wrong" % (done, bad))
    return bad


if __name__ == "__main__":
    args = sys.argv[1:]
    samples = int(args[args.index("--samples") + 1]) if "--samples" in args else 200
    paths = [a for i, a in enumerate(args) if a != "--samples" and (i == 0 or args[i - 1] != "--samples")]
    sys.exit(1 if sum(check(p, samples) for p in paths) else 0)
