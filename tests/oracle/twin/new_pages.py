"""Memory pages that no earlier block had, and the time that the system took to make them (docs/definitions.md, section
15, "What recording changes")."""
import bisect

from .memory import records_of
from .numbers import p50

# larger blocks come directly from the system and return to it, with or without recording
OWN_MAPPING_BYTES = 32 << 20
UNTOUCHING = ("aten::empty", "aten::new_empty", "aten::resize_", "aten::as_strided", "aten::view", "aten::expand", "aten::transpose",
              "aten::set_")
LIGHT = {"aten::" + n for n in """mul add sub div neg clone zeros zeros_like ones relu clamp_min copy_ _to_copy cat stack where maximum abs
fill_ zero_ threshold_backward masked_fill""".split()}
MOST_LOOKED_AT, EDGES = 32, 2
TELLING_PAGES, MANY_PAGES, MADE_NS, FEW = 8, 64, 1000, 3
WRITTEN_NS, MOST_BELIEVED_NS = 300, 1500


class Pages:
    """Pages of the blocks that an operator wrote. made: number of new pages. there: number of all pages."""

    def __init__(self):
        self.made, self.there, self.kinds = 0, 0, set()

    def add(self, made, size):
        self.kinds.add("there" if made == 0 else "new" if size - made <= EDGES else "mixed")
        self.made += made
        self.there += size


def is_untouching(name):
    """Returns whether the operator writes nothing: it allocates memory that another operator fills, or makes a view."""
    return name == "aten::t" or name.startswith(UNTOUCHING)


class NewPages:
    """Computes how long the system made new pages for each operator. cost_of(operator) returns this part of the
    operator's self time, ns."""

    def __init__(self, trace, page_bytes):
        self.pages, self.cost_ns, self.usual_ns = {}, 0, 0
        self.finished = [o for o in trace.operators if not o.unfinished]
        self.index = {id(o): i for i, o in enumerate(self.finished)}
        self.count_pages(trace, page_bytes)
        if self.pages:
            self.page_cost()
            self.usual_ns = self.usual_page_ns()

    def count_pages(self, trace, page_bytes):
        # sorted, disjoint intervals [first, end) of pages that earlier blocks had
        had = []
        for r in records_of(trace):
            if r.type != 0 or (r.address or 0) <= 0 or not 0 < r.bytes < OWN_MAPPING_BYTES:
                continue
            first, end = r.address // page_bytes, (r.address + r.bytes - 1) // page_bytes + 1
            made = take(had, first, end)
            if r.operator is not None:
                self.pages.setdefault(id(self.filler_of(r.operator)), Pages()).add(made, end - first)

    def filler_of(self, owner):
        """Returns the operator that first writes the memory allocated by `owner`."""
        if not is_untouching(owner.name):
            return owner
        at = self.index[id(owner)] + 1
        for o in self.finished[at:at + MOST_LOOKED_AT]:
            if o.thread != owner.thread:
                break
            if not o.children and not is_untouching(o.name):
                return o
        return owner

    def of(self, o):
        return self.pages.get(id(o))

    def has_enough_new_pages(self, o):
        p = self.of(o)
        return p is not None and p.made >= TELLING_PAGES and o.host_self // p.made >= MADE_NS

    def page_cost(self):
        telling = [o for o in self.finished if self.has_enough_new_pages(o)]
        light = [o.host_self // self.of(o).made for o in telling if o.name in LIGHT]
        others = [o.host_self // self.of(o).made for o in telling if o.name not in LIGHT]
        if len(light) >= FEW:
            self.cost_ns = percentile_without_writing(light, 25)
        elif len(others) >= FEW:
            self.cost_ns = min(percentile_without_writing(others, 10), MOST_BELIEVED_NS)

    def usual_page_ns(self):
        """Returns the usual self time per page of a cheap operator that writes only existing pages, ns."""
        found = [o.host_self // self.of(o).there for o in self.finished if o.name in LIGHT and self.of(o) is not None
                 and self.of(o).kinds == {"there"} and self.of(o).there >= MANY_PAGES]
        return WRITTEN_NS if len(found) < FEW else max(WRITTEN_NS, p50(found))

    def cost_of(self, o):
        p = self.of(o)
        if p is None or not self.cost_ns:
            return 0
        if self.has_enough_new_pages(o) and p.kinds == {"new"} and p.made >= MANY_PAGES and self.usual_ns < MADE_NS and o.name in LIGHT:
            return max(0, o.host_self - self.usual_ns * p.made)
        cost = self.cost_ns * p.made
        return 0 if o.host_self < 0.8 * cost else min(cost, o.host_self)


def take(had, first, end):
    """Returns the number of pages in [first, end) that no earlier block had, and adds these pages to `had`."""
    i = bisect.bisect_left(had, (first, first))
    while i > 0 and had[i - 1][1] >= first:
        i -= 1
    j, low, high, old = i, first, end, 0
    while j < len(had) and had[j][0] <= end:
        old += max(0, min(end, had[j][1]) - max(first, had[j][0]))
        low, high = min(low, had[j][0]), max(high, had[j][1])
        j += 1
    had[i:j] = [(low, high)]
    return end - first - old


def percentile_without_writing(times, percent):
    """Returns a percentile of the times (nearest rank), minus the time to write a page, ns."""
    times = sorted(times)
    return times[max(0, (len(times) * percent + 99) // 100 - 1)] - WRITTEN_NS
