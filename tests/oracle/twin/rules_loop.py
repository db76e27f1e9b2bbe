"""Finds Python loops over parts of a tensor (docs/definitions.md, section 15, rule H2). In such a loop, the names of
consecutive operators repeat with a short period."""
import collections

from . import costs, names
from .findings import threshold
from .intervals import contains, minus, union
from .one_sample import dims_of, shape
from .pauses import spread_pauses
from .reading import FRAME_KINDS
from .rules_between import is_backward, project_call_around, with_backward
from .titles import title
from .tree import operators_above

LAYER, MAX_ROUND, LEAST_WORK_BYTES = 17, 16, 16384
APART = ("Select", "Slice", "Index", "Unbind", "Split", "Gather", "AsStrided")


class Search:
    """Search for loops among the operators of one owner (the event around them). is_pythons: true if the owner is
    neither an operator of ATen nor an optimizer."""

    def __init__(self, siblings, owner):
        self.th, self.siblings = threshold("H2"), siblings
        self.found = [o.name for o in siblings]
        self.is_pythons = not owner or not (owner.name.startswith(("aten::", "Optimizer.")) or names.FUSED.search(owner.name))
        self.is_outside = not owner or owner.kind != "operator"
        self.apart, self.pieces_at = None, None
        self.loops, self.first, self.reads, self.others = [], [], 0, 0

    def is_index(self, i):
        name = self.found[i]
        return name in names.INDEX_OPERATORS or self.is_pythons and self.is_outside and name in names.PART_OPERATORS

    def reads_values(self, at, period):
        return any(name in names.SCALAR_OPERATORS for name in self.found[at:at + period])

    def goes_over_pieces(self, at, period):
        """Returns whether one round is work of the call of a project function that divided a tensor."""
        return self.apart is not None and all(project_call_around(o) is self.apart for o in self.siblings[at:at + period])

    def runs_once_a_piece(self, at, period, repeats):
        """Returns whether the number of rounds is a dimension of the tensor that was divided shortly before, or one
        less."""
        if not self.is_outside or self.pieces_at is None or at - self.pieces_at > self.th["max_period"]:
            return False
        if any(o.name in names.PIECES_OPERATORS or names.is_eligible(o.name) or is_backward(o) for o in self.siblings[at:at + period]):
            return False
        return any(n in (repeats, repeats + 1) for n in shape(dims_of(self.siblings[self.pieces_at]), 0) or ())

    def is_of_one_call(self, at, period, repeats):
        call = project_call_around(self.siblings[at])
        return call is not None and all(project_call_around(self.siblings[at + i * period]) is call for i in range(repeats))

    def repetition(self, at):
        """Returns the number of operators in the loop that starts here, for the smallest possible period; 0: no
        loop."""
        found = self.found
        for period in range(1, self.th["max_period"] + 1):
            repeats = 1
            while found[at + repeats * period:at + repeats * period + period] == found[at:at + period]:
                repeats += 1
            if at + period >= len(found) or repeats < self.th["min_repeats"]:
                continue
            is_loop = self.is_index(at) or self.is_pythons and (
                self.reads_values(at, period) or self.goes_over_pieces(at, period) or self.runs_once_a_piece(at, period, repeats))
            if is_loop and (period < LAYER or self.is_of_one_call(at, period, repeats)):
                return self.take_repetition(at, period, self.end_of_loop(at, period, repeats)[0])
        return 0

    def take_repetition(self, at, period, end):
        self.take(at, at + period, end - 1, self.reads_values(at, period))
        return end - at

    def end_of_loop(self, at, period, repeats):
        """Returns (end, number of equal rounds) of a loop. The loop may continue after at most two rounds of other
        operators."""
        end, following = at + repeats * period, 0
        while following is not None:
            following = self.next_same_round(at, end, period)
            if following is not None:
                end, repeats = following + period, repeats + 1
        return end, repeats

    def next_same_round(self, at, end, period):
        call = project_call_around(self.siblings[at])
        for k in range(end, min(len(self.siblings), end + 2 * period + 1) if call is not None else end):
            if self.found[k:k + period] == self.found[at:at + period]:
                return k if project_call_around(self.siblings[k]) is call else None
            if names.is_eligible(self.found[k]) or is_backward(self.siblings[k]):
                return None
        return None

    def interrupted_repetition(self, at):
        """Returns the number of operators in a loop that repeats often enough only together with the equal rounds after
        other rounds; 0: no loop."""
        for period in range(1, self.th["max_period"] + 1):
            if at + period >= len(self.found):
                break
            repeats = 1
            while self.found[at + repeats * period:at + repeats * period + period] == self.found[at:at + period]:
                repeats += 1
            if repeats < 2 or period >= LAYER and not self.is_of_one_call(at, period, repeats):
                continue
            end, repeats = self.end_of_loop(at, period, repeats)
            if repeats >= self.th["min_repeats"]:
                return self.take_repetition(at, period, end)
        return 0

    def branches(self, at):
        """Returns the number of operators in a loop that indexes a tensor and reads a value in each round to choose the
        next work."""
        last, first, rounds, has_index = at, None, 0, False
        for i in range(at, len(self.siblings)):
            o = self.siblings[i]
            if i - last > MAX_ROUND or names.is_eligible(o.name) or is_backward(o):
                break
            has_index |= self.is_index(i)
            if not has_index or o.name not in names.SCALAR_OPERATORS:
                continue
            last, first, rounds, has_index = i, i if first is None else first, rounds + 1, False
        if rounds < self.th["min_repeats"]:
            return 0
        self.take(at, first + 1, last, True)
        return last + 1 - at

    def take(self, at, begin, last, is_reading):
        self.loops.append((self.siblings[begin].start, self.siblings[last].end))
        self.first.append(self.siblings[at])
        if is_reading:
            self.reads += last + 1 - at
        else:
            self.others += last + 1 - at

    def run(self):
        at = 0
        while at < len(self.siblings):
            if self.is_pythons and self.found[at] in names.PIECES_OPERATORS:
                self.apart, self.pieces_at = project_call_around(self.siblings[at]), at
            covered = self.repetition(at)
            if not covered and self.is_index(at):
                covered = self.interrupted_repetition(at)
            if not covered and self.is_pythons and self.is_outside and self.is_index(at):
                covered = self.branches(at)
            at += covered or 1
        return self


def siblings_of(c):
    """Returns pairs (owner, its operators in the analysed window outside of the loader). The owner of an operator is
    the innermost event around it that is not a Python frame."""
    groups, owners = collections.defaultdict(list), {}
    for o in c.operators:
        owner = o.inside
        while owner is not None and owner.kind in FRAME_KINDS:
            owner = owner.inside
        owners[id(owner)] = owner
        if not c.is_loading(o):
            groups[id(owner)].append(o)
    return [(owners[key], l) for key, l in groups.items()]


def is_gradient_of_whole_tensor(o):
    """Returns whether the operator fills or adds a gradient that has the size of the whole tensor, for a single part of
    it. Code without the loop does not need such operators."""
    inner = o
    for x in operators_above(o.parent):
        if is_backward(x):
            return inner is o or inner.name.startswith(APART)
        inner = x
    return False


def stays(c, o, is_to_read):
    """Returns whether code without the loop still needs this operator."""
    if o.eligible and not any(x.eligible for x in o.children):
        return True
    cost = None if is_to_read else costs.of_op(o)
    return cost is not None and cost["bytes"] >= LEAST_WORK_BYTES and not is_gradient_of_whole_tensor(o)


def indexing_loop(c):
    """Finds H2: a loop that indexes a tensor."""
    searches = [Search(l, owner).run() for owner, l in siblings_of(c) if len(l) >= threshold("H2")["min_repeats"]]
    is_to_read = sum(s.reads for s in searches) > sum(s.others for s in searches)
    loops = with_backward(c, union([r for s in searches for r in s.loops]))
    time = minus(loops, union([o.range for o in c.operators if stays(c, o, is_to_read)]))
    time = spread_pauses(c, time)
    first = sorted((o for s in searches for o in s.first), key=lambda e: (e.start, -e.end, e.pos))
    if c.findings.share(time) >= threshold("H2")["min_pct"] and c.claim(
            "H2", time, first, title=title("Replace the loop in `{line}` by one operation on the tensor")):
        # later rules must not report the necessary operators of the loop again either
        c.claimed += loops
