"""Rules that find a cause by the names and types of operators (docs/definitions.md, section 15): H14 double precision,
H15 filling gradients with zeros."""
from . import names
from .findings import by_length, threshold
from .intervals import union
from .rules_between import BusyFunctions
from .tree import operators_above

# fraction of an operator's time that single precision saves: (numerator, denominator)
GAIN, GAIN_OF_CONVOLUTION = (3, 5), (3, 4)
FEW_GRADIENTS, MUCH_PERCENT = 4, 10
# operator: number of gradients that one call fills
ZEROS = {"aten::zeros_like": 1, "aten::zero_": 1, "aten::_foreach_zero_": FEW_GRADIENTS}
# operators that make the tensors to be filled
DECOMPOSITIONS = ("cholesky", "triangular", "linalg_solve", "linalg_inv", "linalg_lu", "linalg_qr", "linalg_svd", "linalg_eig",
                  "linalg_lstsq", "linalg_ldl", "linalg_det", "linalg_pinv", "geqrf", "lu_solve", "slogdet")
FILLED = {"aten::clone", "aten::detach", "aten::empty_like"}


def takes_double(o):
    """Returns whether any argument has the type double. Arguments that are lists of tensors are not examined."""
    types = o.args.get("Input type", o.args.get("Input Type"))
    return isinstance(types, list) and any(isinstance(t, str) and t.lower() == "double" for t in types)


def is_decomposition(name):
    """Returns whether an operator decomposes a matrix, or solves a system of equations."""
    return name.startswith("aten::") and any(part in name for part in DECOMPOSITIONS)


def double_precision(c):
    """Finds H14: computation in double precision."""
    doubles = [o for o in c.operators if takes_double(o) and not c.is_loading(o)]
    known = {id(o) for o in doubles}
    outermost = [o for o in doubles if not any(id(x) in known for x in operators_above(o.parent))]
    ranges = []
    for o in outermost:
        part, whole = GAIN_OF_CONVOLUTION if o.name.startswith("aten::conv") else GAIN
        ranges.append((o.start, o.start + o.length * part // whole))
    decompositions = union([(o.start, o.end) for o in doubles if is_decomposition(o.name)])
    if c.findings.share(decompositions) >= threshold("H14")["min_pct"]:
        return
    products, time = [o for o in outermost if names.is_eligible(o.name)], union(ranges)
    if products and c.findings.share(time) >= threshold("H14")["min_pct"]:
        c.claim("H14", time, by_length(products))


def zeroed_gradients(c):
    """Finds H15: gradients are filled with zeros."""
    functions = BusyFunctions()
    zeros, adds = [], []
    for o in c.operators:
        if c.is_loading(o):
            continue
        is_zero = o.parent is None and o.name in ZEROS
        if is_zero:
            zeros.append(o)
        elif o.name == "aten::add_" and any(x.name.endswith("AccumulateGrad") for x in operators_above(o.parent)):
            adds.append(o)
        if is_zero or o.parent is None and o.name in FILLED:
            functions.add(o, o.length, is_zero)
    time = union([o.range for o in zeros + adds] + functions.ranges())
    share = c.findings.share(time)
    is_much = sum(o.length for o in zeros) >= sum(o.length for o in adds) // FEW_GRADIENTS and share >= MUCH_PERCENT
    least = c.count if is_much else FEW_GRADIENTS * c.count
    if share < threshold("H15")["min_pct"] or not zeros or sum(ZEROS[o.name] for o in zeros) < least or len(adds) < least:
        return
    is_in_place = not any(o.name == "aten::zeros_like" for o in zeros)
    detail = "The gradients are zeroed in place, and for large gradients new memory in each backward pass may cost as much." if is_in_place else ""
    c.claim("H15", time, by_length(zeros + adds), lower=1 if is_in_place else 0, detail=detail)
