"""Properties that every answer of the replay must have, checked with made programs (made_programs.py)."""
import random

from made_programs import Machine, Maker, microseconds
from twin.changes import Change
from twin.numbers import nanoseconds
from twin.reading import read_document
from twin.replay import Replay
from twin.replay_graph import Graph
from twin.trace import Trace

FACTORS = ("0", "1/4", "1/2", "0.9", "1", "2")
SCALED = ("host", "kernel:gemm", "kind:compute", "operator:aten::mm", "communication", "copies", "input")
TWICE = ("host=1/2", "kind:compute=1/2", "waits=0")
WHOLE = ("waits=0", "launches=0", "graph=0", "overlap")
SEEDS = (1, 3, 6, 8, 11, 29)


class Checks:
    """Counts checks, and prints those that fail."""

    def __init__(self):
        self.count = self.failed = 0

    def equal(self, got, wanted, what):
        self.count += 1
        is_right = wanted[0] <= got <= wanted[1] if isinstance(wanted, list) else \
            abs(got - wanted) <= 1e-9 * abs(wanted) if isinstance(wanted, float) and got is not None else got == wanted
        if not is_right:
            self.failed += 1
            print("%s: %r, wanted %r" % (what, got, wanted))


def check_properties(seed, ask, path, checks):
    """Checks the answers about a made program: the replay is exact, the path fills W, longer parts never shorten a step,
    an unchanged part changes nothing, times twice as long double the answers, and the order of events does not matter."""
    machine = Machine(Maker(seed).program()).run()
    machine.write(path)
    steps = Trace(read_document(path)).steps
    changes = ["%s=%s" % (text, f) for text in SCALED for f in FACTORS] + [*WHOLE, *TWICE]
    view = ask([path], changes)
    if isinstance(view, str):
        checks.equal(view, "answers", "seed %d" % seed)
        return
    answers = dict(zip(changes, view["what_if"]))
    checks.equal((view["replay"]["nodes_wrong"], view["replay"]["kept_error_ns"], len(answers)), (0, 0, len(set(changes))), "seed %d: exact" % seed)
    checks.equal(sum(view["critical"]["groups_ns"].values()), steps.ns, "seed %d: groups fill W" % seed)
    checks.equal(sum(view["critical"]["kinds_ns"].values()), steps.ns, "seed %d: kinds fill W" % seed)
    for text in SCALED:
        row = [answers["%s=%s" % (text, f)]["step_ns"] for f in FACTORS]
        checks.equal(row == sorted(row), True, "seed %d: %s is monotone" % (seed, text))
        if text != "input":
            checks.equal(answers[text + "=1"]["gain_ns"], 0, "seed %d: %s=1 changes nothing" % (seed, text))
    for text in WHOLE:
        checks.equal(0 <= answers[text]["gain_low_ns"] <= answers[text]["gain_high_ns"], True, "seed %d: range of %s" % (seed, text))
    for e in machine.out:
        e["ts"], e["dur"] = microseconds(2 * nanoseconds(e["ts"])), microseconds(2 * nanoseconds(e["dur"]))
    machine.write(path)
    twice = ask([path], TWICE)
    checks.equal(sum(twice["critical"]["groups_ns"].values()), 2 * steps.ns, "seed %d: W doubles" % seed)
    for text, answer in zip(TWICE, twice["what_if"]):
        wanted = 2 * answers[text]["step_ns"]
        checks.equal(answer["step_ns"], [wanted - wanted // 200, wanted + wanted // 200], "seed %d: %s doubles" % (seed, text))
    random.Random(seed).shuffle(machine.out)
    machine.write(path)
    checks.equal(ask([path], TWICE), twice, "seed %d: order of the file" % seed)


class Without(Change):
    """A change that removes one node."""

    def __init__(self, node):
        self.node = node

    def factor(self, node, label):
        return (0, 1) if node is self.node else (1, 1)


def check_removals(seed, path, checks):
    """Checks that no step becomes longer if a node of the definition's graph is removed."""
    Machine(Maker(seed).program()).run().write(path)
    graph = Graph(Trace(read_document(path)))
    for n in random.Random(seed).sample(graph.nodes, 20):
        checks.equal(Replay([graph], Without(n)).ns <= graph.trace.steps.ns, True, "seed %d: without node %d" % (seed, n.id))
