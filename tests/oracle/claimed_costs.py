"""Adapts the reference's costs to the definitions (docs/definitions.md, section 19).

The reference assumes four bytes for an unknown type, and keeps units that are faster than their device. Section 19 does
neither. The rule of section 6 replaces the reference's list of libraries. Operators whose names say that they do not
quantize are no quantisation (section 18), and captured graphs (section 33) are not in the reference. Importing this module changes the reference's
functions, so their folder must be in sys.path before."""
import os
import re

import costs_ref
from twin import lines, links, names
from twin.reading import read_document
from twin.trace import Trace

try:
    import kinds_ref
    import tree_ref
except ImportError:  # only costs are checked, so the other modules are not needed
    kinds_ref = tree_ref = None

if kinds_ref:
    chain = kinds_ref.C["chain"]
    chain.insert([kind for kind, _ in chain].index("quantise"), ("gemm", re.compile("unquantized.*(gemm|linear)", re.I)))

LARGEST_CACHE_BYTES = 256 << 20
WITHOUT_COST = ("communication", "copy", "wait")
cost_of_reference = costs_ref.cost


def is_known(kind):
    return isinstance(kind, str) and kind.lower() in costs_ref.SIZE


def is_typed(dims, types):
    """Returns whether at least one type is known, and the type of every tensor is known."""
    types, is_any = types or [], False
    for place, sizes in enumerate(dims or []):
        kind = types[place] if place < len(types) else ""
        if costs_ref.is_list(sizes):
            kinds = kind if isinstance(kind, list) else [kind] * len(sizes)
            if any(costs_ref.is_tensor(one) and not (at < len(kinds) and is_known(kinds[at])) for at, one in enumerate(sizes)):
                return False
            is_any = True
        elif costs_ref.is_tensor(sizes) and not is_known(kind):
            return False
        is_any |= is_known(kind)
    return is_any


def cost(name, dims, types, concrete=None, hint=None):
    return cost_of_reference(name, dims, types, concrete, hint) if is_typed(dims, types) else None


def begin_call(call, *arguments):
    begin_call_of_reference(call, *arguments)
    call.assumed = False  # an unknown type becomes "other"


begin_call_of_reference = costs_ref.Call.__init__
costs_ref.Call.__init__ = begin_call
costs_ref.cost = cost


def impossible_operators(trace, hints):
    """Returns the operators whose kernels are faster than the peak rates of the device."""
    peaks, units = tree_ref.pick_peaks(trace)[1], {}
    for operation in trace.dev if peaks else ():
        if kinds_ref.kind_of(operation)[0] not in WITHOUT_COST:
            operator, claim = cost_op_of_reference(operation, hints)
            if claim:
                units.setdefault(id(operator), (operator, claim, []))[2].append(operation)
    found = set()
    for operator, claim, operations in units.values():
        time = sum(operation.dur for operation in operations)
        main = max(operations, key=lambda operation: (operation.dur, -operation.idx))
        peak = tree_ref.peak_flops(peaks, claim, main.name)[0]
        compute = claim.get("flops_exact", claim["flops"]) / peak * 1e9 if peak and claim["flops"] else 0
        memory = claim["bytes"] / peaks["memory_gbs"] if peaks["memory_gbs"] else 0
        if compute > time or memory > time and claim["bytes"] > LARGEST_CACHE_BYTES:
            found.add(id(operator))
    return found


def hints(trace):
    found = hints_of_reference(trace)
    hints.impossible = impossible_operators(trace, found)
    return found


def cost_op(operation, of_backwards):
    operator, claim = cost_op_of_reference(operation, of_backwards)
    if claim and id(operator) in hints.impossible:
        return (operation.chain[-1] if operation.chain else None), None
    return operator, claim


class NoLine:
    """Replaces the reference's pattern of frames that are no line by the rule of docs/definitions.md, section 6."""
    wanted = "user"

    @classmethod
    def search(cls, frame):
        origin, line = lines.of_frame(frame)
        return line is None or origin != cls.wanted


def label(stack):
    NoLine.wanted = "user" if any(kind == 2 and lines.of_frame(e.name)[0] == "user" for kind, e in stack) else "library"
    return label_of_reference(stack)


if tree_ref:
    tree_ref.LIB = NoLine
    hints_of_reference, cost_op_of_reference, label_of_reference = tree_ref.hints, tree_ref.cost_op, tree_ref.label
    tree_ref.hints, tree_ref.cost_op, tree_ref.label = hints, cost_op, label


def launched_by_communication(operation):
    """Returns whether the innermost operator around the launch is host communication (docs/definitions.md, section
    12)."""
    is_by_host = operation.launch is not None and operation.chain
    return bool(is_by_host and names.comm_backend(operation.chain[-1].name)) and not names.is_compute_kernel(operation.name)


def kind_of(operation):
    """Returns "communication" if the operation is communication by docs/definitions.md, section 12. Otherwise returns
    the kind from the reference."""
    is_work = operation.cat == "kernel" and not kinds_ref.NOT_WORK.search(operation.name)
    if is_work and links.communicates_by_itself(operation) or is_work and launched_by_communication(operation):
        return "communication", "definitions"
    return kind_of_reference(operation)


if tree_ref:
    # removes the reference's names of collectives, because section 12 of docs/definitions.md defines all of them
    for layer in ("kernel_first", "chain"):
        kinds_ref.C[layer] = [rule for rule in kinds_ref.C[layer] if rule[0] != "communication"]
    kind_of_reference = kinds_ref.kind_of
    kinds_ref.kind_of = tree_ref.kind_of = kind_of
    tree_ref.Trace, tree_ref.read_document = Trace, read_document


def alone(path, folder):
    """Returns a link to a trace in a folder without capture traces, which would change its kinds and costs."""
    link = os.path.join(folder, "alone-" + os.path.basename(path))
    if not os.path.exists(link):
        os.symlink(os.path.abspath(path), link)
    return link
