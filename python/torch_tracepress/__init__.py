"""The Python interface of the program ``tracepress``, which explains traces of the PyTorch profiler.

During training, ``trace_handler`` replaces ``torch.profiler.tensorboard_trace_handler`` and writes a report next
to each trace. Later, ``report``, ``diff``, ``check`` and ``table`` return the results of the commands with these
names as objects. A notebook displays them.

The program computes all numbers; the objects only give them names. Importing this module imports neither torch nor
pandas.
"""

from ._command import TracepressError, command, run
from ._fields import Evidence, Replay
from ._handler import trace_handler
from ._results import (
    Check,
    Diff,
    Finding,
    JobReport,
    MemoryFinding,
    MemoryReport,
    Profile,
    Report,
    Table,
    check,
    diff,
    job_report,
    memory_report,
    report,
    table,
)
from ._tables import Tables

__all__ = [
    "Check",
    "Diff",
    "Evidence",
    "Finding",
    "JobReport",
    "MemoryFinding",
    "MemoryReport",
    "Profile",
    "Replay",
    "Report",
    "Table",
    "Tables",
    "TracepressError",
    "check",
    "command",
    "diff",
    "job_report",
    "memory_report",
    "report",
    "run",
    "table",
    "trace_handler",
]


def load_ipython_extension(shell: object) -> None:
    """Register the line magic ``%tracepress`` for ``%load_ext torch_tracepress``; see `torch_tracepress._magic`."""
    from ._magic import register

    register(shell)
