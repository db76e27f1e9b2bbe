"""Names of ranges that serving engines give their steps (docs/definitions.md, section 21)."""
import re

SUMS = r"\(sq\d+sk\d+sqsq\d+sqsk\d+\)"
COUNTS = r"\(\d+(?:_\d+)?\)"
STEPS = re.compile("|".join((
    r"execute_\d+_context_\d+%s_generation_\d+%s" % (SUMS, SUMS), r"execute_context_\d+%s_generation_\d+%s" % (COUNTS, COUNTS),
    r"execute_new_\d+_cached_\d+", r"step\[(?:EXTEND|DECODE|MIXED|PREFILL|IDLE|TARGET_VERIFY|DRAFT_EXTEND)(?: [^\]]*)?\]",
    r"\[Executor\] _forward_step \d+: \d+ ctx reqs, (?:\d+ ctx tokens, )?\d+ gen reqs", r"capture_\d+_(?:FULL|PIECEWISE).*",
    r"execute_diffusion_\d+_\d+x\d+")), re.S)


def has_engine_steps(trace):
    return any(STEPS.fullmatch(e.name) for e in trace.events.of["annotation"])
