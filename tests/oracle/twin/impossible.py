"""Python calls that end after their caller, and device operations that end after later work of their stream
(docs/definitions.md, section 2, "Impossible ends")."""
import collections

LEAST_LATE_NS = 100000
MOST_COMPARED = 64


def by_thread(events, order):
    rows = collections.defaultdict(list)
    for e in events:
        rows[e.thread].append(e)
    for row in rows.values():
        row.sort(key=order)
    return rows.values()


def cut(e, end):
    e.end = e.inner_end = max(e.start, end)


def cut_frames(frames):
    """Cuts each call at the end of its caller."""
    for row in by_thread(frames, lambda e: (e.start, -e.end, e.pos)):
        open_ends = []
        for e in row:
            while open_ends and open_ends[-1] <= e.start:
                open_ends.pop()
            if open_ends and e.end > open_ends[-1]:
                cut(e, open_ends[-1])
            open_ends.append(e.end)


def is_behind(x, y):
    """Returns whether y is a later operation in x's stream. Operations of one graph launch have equal correlations and
    no order."""
    return (x.correlation or 0) > 0 and (y.correlation or 0) > 0 and x.correlation != y.correlation and (x.device, x.stream) == (y.device, y.stream)


def possible_end(row, i):
    """Returns the start of the stream's next operation if a later operation ends long before row[i]. Otherwise returns
    None."""
    behind = [y for y in row[i + 1:i + MOST_COMPARED] if y.start < row[i].end and is_behind(row[i], y)]
    return behind[0].start if any(row[i].end - y.end > LEAST_LATE_NS for y in behind) else None


def cut_operations(operations, calls, call_categories):
    first_call = min(calls, key=lambda e: e.pos, default=None)
    of_others = [c for c in call_categories if c and c != "runtime" and not c.startswith("cuda_")]
    if of_others or first_call is not None and first_call.name.startswith("hip"):
        return
    for row in by_thread(operations, lambda e: (e.start, e.pos)):
        ends = [possible_end(row, i) for i in range(len(row))]
        if 2 * sum(e is not None for e in ends) <= len(row):
            for e, end in zip(row, ends):
                if end is not None:
                    cut(e, end)
