"""Devices and launches in traces of Ascend's profiler (docs/definitions.md, section 2: Devices of Ascend)."""

HARDWARE = "Ascend Hardware"
WORK = ("kernel", "memcpy", "memset")


def is_device(process):
    return process.name.startswith(HARDWARE)


def is_trace(events):
    return any(is_device(process) for process in events.processes.values())


def complete(events):
    """Numbers the devices, and makes a call of each link with a start and an end. Does nothing without such devices."""
    pids = sorted(pid for pid, process in events.processes.items() if is_device(process) and isinstance(pid, int))
    if not pids:
        return
    for e in events.of["runtime"]:
        e.name = e.name.split("@")[-1]
    launches = launches_of_links(events.npu_links)
    number_at = {}
    for number, (start, end) in enumerate(launches, 1):
        number_at[end[2], end[3]] = number
        events.add("runtime", {"cat": "runtime", "name": "Enqueue", "ts": "0", "dur": 0, "args": {"correlation": number},
                               "pid": start[2][0], "tid": start[2][1]}, start[4])
        events.of["runtime"][-1].start = events.of["runtime"][-1].end = events.of["runtime"][-1].inner_end = start[3]
        events.read["runtime"] += 1
        events.skipped["phase_s"] -= 1
    events.skipped = +events.skipped                             # without counts of 0
    for e in (e for kind in WORK for e in events.of[kind] if e.pid in pids):
        e.device = pids.index(e.pid)
        e.args = dict(e.args, device=e.device)
        e.stream = e.thread[1] if isinstance(e.thread[1], int) else e.stream
        e.name = "Memcpy" if e.kind == "memcpy" else e.name
        e.correlation = number_at.get((e.thread, e.start))


def launches_of_links(ends):
    """Returns (start, end) of each link: the last start and the first end with the same id, in the order of the starts."""
    starts, finishes = {}, {}
    for end in ends:
        if end[0] == "s":
            starts[end[1]] = end
        else:
            finishes.setdefault(end[1], end)
    return sorted(((starts[i], finishes[i]) for i in starts if i in finishes), key=lambda l: (l[0][3], l[0][4]))
