"""The cost of recording on the main thread of a program without a device (docs/definitions.md, section 15, "What
recording changes")."""
import bisect
import re

from . import names
from .intervals import contains, length
from .numbers import integer
from .new_pages import NewPages
from .reading import FRAME_KINDS

FRAME_NS, OPERATOR_NS, SHAPES_NS, MEMORY_NS, SMALL_MEMORY_NS, SMALL_BYTES = 150, 300, 150, 500, 150, 64
PAGE_BYTES, PYTHON_TIMES = 4096, 1.65


class Recorded:
    """Computes the cost of recording. before(t) returns the cost in the analysed window before time t, ns."""

    def __init__(self, trace):
        self.trace = trace
        self.starts, self.costs, self.spreads, self.sum = [], [], [], 0
        pages = NewPages(trace, PAGE_BYTES)
        self.pages_of = {id(o): pages.cost_of(o) for o in trace.operators}
        self.python_part = 1 - 1 / PYTHON_TIMES if is_slowed(trace) else 0.0
        self.walk()

    def push(self, start, spread):
        self.starts.append(start)
        self.costs.append(self.sum)
        self.spreads.append(spread)
        self.sum += spread

    def walk(self):
        trace, main = self.trace, self.trace.host_main
        events, memory = trace.tree.threads[main], sorted(trace.events.of["memory"] + trace.events.of["out_of_memory"], key=lambda e: e.start)
        i = j = debt = 0
        own_until = last = None
        for start, end, stack, _ in trace.tree.segments(main, [(a, b, None) for a, b in trace.window]):
            if start != last:
                if last is not None:
                    self.push(last, 0)
                while i < len(events) and events[i].start < start:
                    own_until = end_of_own_step(events[i], own_until)
                    i += 1
                while j < len(memory) and memory[j].start < start:
                    j += 1
                debt = 0                                 # the time that follows is not judged
            while i < len(events) and events[i].start <= start:
                own_until = end_of_own_step(events[i], own_until)
                debt += cost_of(events[i])
                i += 1
            while j < len(memory) and memory[j].start < end:
                debt += cost_of_memory(memory[j]) if memory[j].thread == main else 0
                j += 1
            is_operator = stack and stack[-1].kind == "operator"
            slowed = end - start if is_operator else max(0, end - start - debt)
            gone = int(self.part_of(start, stack, own_until) * float(slowed))
            borne = min(end - start - gone, debt)
            debt -= borne
            self.sum += borne
            self.push(start, gone)
            last = end
        if last is not None:
            self.push(last, 0)

    def part_of(self, start, stack, own_until):
        """Returns the fraction of a time with this stack that is the cost of recording, 0 to 1."""
        if own_until is not None and start < own_until:
            return 1.0
        if not stack:
            return 0.0
        e = stack[-1]
        if e.kind == "operator":
            ns = self.pages_of.get(id(e), 0)
            return min(1.0, ns / max(1.0, float(e.host_self))) if ns else 0.0
        found = names.frame_parts(e.name)
        return self.python_part if found and not is_own_step(found) else 0.0

    def before(self, t):
        i = bisect.bisect_left(self.starts, t) - 1
        if i < 0:
            return 0
        if not self.spreads[i] or i + 1 == len(self.starts):
            return self.costs[i]
        return self.costs[i] + self.spreads[i] * (t - self.starts[i]) // (self.starts[i + 1] - self.starts[i])

    def piece(self, start, end):
        return end - start - (self.before(end) - self.before(start))

    def less(self, ranges):
        """Returns the length of intervals minus the cost of recording in them, ns."""
        return max(0, sum(self.piece(a, b) for a, b in ranges))


def cost_of(e):
    if e.kind in FRAME_KINDS:
        return FRAME_NS
    if e.kind == "operator":
        dims = e.args.get("Input Dims", e.args.get("Input dims"))
        return OPERATOR_NS + (SHAPES_NS if dims is not None else 0)
    return 0


def cost_of_memory(e):
    """Returns the cost of a memory record, ns. Records of blocks of at most a cache line cost less."""
    size = abs(integer(e.args.get("Bytes")) or 0)
    return SMALL_MEMORY_NS if 0 < size <= SMALL_BYTES else MEMORY_NS


def end_of_own_step(e, own_until):
    found = names.frame_parts(e.name) if e.kind in FRAME_KINDS else None
    return e.end if found and is_own_step(found) else own_until


def is_own_step(found):
    path, _, function = found
    return path.endswith("torch/profiler/profiler.py") and function == "step"


SLOWED = (("typing.py", "inner", 330, 365), ("typing.py", "cast", 2190, 2300), ("enum.py", "__hash__", 1215, 1240))


def is_slowed(trace):
    """Returns whether the program ran on Python 3.11, whose interpreter is slow while frames are recorded. The version
    is taken from the header, else from paths of frames, else from the lines of known functions."""
    stated = re.match(r"3\.(\d{1,3})\.", str(trace.document.header.get("python_version") or ""))
    if stated and int(stated[1]):
        return int(stated[1]) == 11
    frames = [found for found in map(names.frame_parts, {e.name for e in trace.events.host}) if found and found[0]]
    versions = [int(v) for path, _, _ in frames for v in re.findall(r"^.*?python3\.(\d{1,3})/", path)]
    if any(versions):
        return max(versions) == 11
    return any((path == p or path.endswith("/" + p)) and function == f and a <= line <= b
               for path, line, function in frames for p, f, a, b in SLOWED)


def cost_of_host(trace):
    """Returns a lower bound of the cost of recording while a device waits for the host, ns. Counts frames and operators
    of the main thread."""
    events = trace.tree.threads.get(trace.host_main, [])
    return min(sum(cost_of(e) for e in events if contains(trace.starved, e.start)), length(trace.starved))
