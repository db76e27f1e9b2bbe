"""Data that an input cannot show, and the rules that need it (docs/definitions.md, section 2: Unknown data)."""
from . import ascend

# kinds of data that a trace of Ascend's profiler never shows: name in a sentence, and the rules that need the data
OF_ASCEND = (
    ("directions of copies", "A5 B3 B4 B5 C11"),
    ("memory kinds of copies", "B3 B4"),
    ("bytes of copies", "B3 B5"),
    ("shapes of operators", "C1 C3 C10 C15 C17 C18 C21 C25 H14 H16 H17 H19 H20"),
    ("data types of operators", "C1 C2 C10 C18 C21 C25 H14"),
    ("Python stacks", "C19 H9 H10 H11 H12 H13"),
    ("records of the memory allocator", "D1 D3 D4"),
    ("grids and blocks of kernels", "C13"),
    ("properties of the device", "C1 C2 C18 C25 D1 D3 E5"),
    ("ranks", "E5 E9"),
)


def missing(trace):
    """Returns the kinds of data that the trace could show but does not contain."""
    events, found = trace.events, set()
    operators = events.of["operator"]
    if not any(e.args.get("Input Dims") is not None for e in operators):
        found |= {"shapes of operators", "data types of operators"}
    if not events.of["frame"] and not events.of["module"]:
        found.add("Python stacks")
    if not events.of["memory"]:
        found.add("records of the memory allocator")
    if events.of["kernel"] and not any("grid" in e.args for e in events.of["kernel"]):
        found.add("grids and blocks of kernels")
    if not trace.document.header.get("deviceProperties"):
        found.add("properties of the device")
    if not trace.document.header.get("distributedInfo"):
        found.add("ranks")
    if events.of["memcpy"]:
        found.add("directions of copies")
    return found | {"memory kinds of copies", "bytes of copies"}


def of(trace):
    """Returns the kinds of data that the input cannot show; none for traces of torch.profiler."""
    return missing(trace) if ascend.is_trace(trace.events) else set()


def leave_out(findings, is_own):
    """Marks the rules that need data which a trace of Ascend's profiler does not show. Does nothing for other traces.
    is_own: function that returns whether a rule is for this kind of program."""
    trace = findings.trace
    unknown, done = of(trace), set()
    for data, rules in OF_ASCEND:
        for rule in rules.split() if data in unknown else ():
            if rule not in done and is_own(rule):
                findings.leave_out([rule], "the input cannot show " + data)
                findings.decided.add(rule)
                done.add(rule)
