"""The forward operator of backward work, and the line that backward work takes from it (docs/definitions.md, section
34)."""
import collections

from .numbers import integer
from .reading import FRAME_KINDS
from .tree import ancestors, enclosing, line_of


def forward_operators(events):
    """Returns {id of a backward operator: its forward operator}: by link, else by sequence number."""
    operators = sorted((e for e in events.host if e.kind == "operator"), key=lambda e: (e.start, e.pos))
    at, numbered, out = {}, collections.defaultdict(list), {}
    for o in operators:
        at.setdefault((o.thread, o.start), o)
        if sequence(o) is not None and not is_backward(o):
            numbered[sequence(o)].append(o)
    ends = {}
    for phase, i, thread, t in events.flows:
        ends.setdefault(i, {})[phase] = at.get((thread, t))
    for pair in ends.values():
        if pair.get("s") is not None and pair.get("f") is not None:
            out[id(pair["f"])] = pair["s"]
    for o in operators:
        if id(o) not in out and is_backward(o) and sequence(o) is not None:
            earlier = [f for f in numbered[sequence(o)] if f.start < o.start]
            if earlier:
                out[id(o)] = earlier[-1]
    return out


def sequence(o):
    n = integer(o.args.get("Sequence number"))
    return n if n is not None and n >= 0 else None


def is_backward(o):
    return bool(integer(o.args.get("Fwd thread id")))


def backward_around(e, forwards):
    """Returns the innermost operator with a forward operator among e and the events around it, or None."""
    return next((o for o in [e, *ancestors(e)] if id(o) in forwards), None)


def forward_of(e, forwards):
    backward = backward_around(e, forwards)
    return forwards[id(backward)] if backward is not None else None


def is_user_line(line, e):
    return any((x.line, x.origin) == (line, "user") for x in enclosing(e) if x.kind in FRAME_KINDS)


def work_line_of(e, forwards):
    """Returns the line of an event that launches work: a user line inside the backward operator around it, else the
    line of its forward operator unless only its own line is user code, else its own line."""
    backward = backward_around(e, forwards) if e is not None else None
    if backward is None:
        return line_of(e)
    for x in [e, *ancestors(e)]:
        if x is backward:
            break
        if x.kind in FRAME_KINDS and x.line and x.origin == "user":
            return x.line
    forward, own = line_of(forwards[id(backward)]), line_of(e)
    return forward if forward and (is_user_line(forward, forwards[id(backward)]) or not is_user_line(own, e)) else own
