"""From a PyTorch profiler's trace to an answer: the Python side of the program ``tracepress``.

While training, ``trace_handler`` takes the place of ``torch.profiler.tensorboard_trace_handler`` and leaves a report
beside each trace. Afterwards, ``report``, ``diff``, ``check`` and ``table`` give as objects what the commands of these
names say; in a notebook they show themselves.

No number is computed here: the program computes them, these objects give them names. Importing this imports neither
torch nor pandas.
"""

from ._command import TracepressError, command, run
from ._handler import trace_handler
from ._results import (
    Check,
    Diff,
    Evidence,
    Finding,
    JobReport,
    Profile,
    Report,
    Table,
    check,
    diff,
    job_report,
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
    "Profile",
    "Report",
    "Table",
    "Tables",
    "TracepressError",
    "check",
    "command",
    "diff",
    "job_report",
    "report",
    "run",
    "table",
    "trace_handler",
]


def load_ipython_extension(shell: object) -> None:
    """``%load_ext torch_tracepress`` adds the line magic ``%tracepress``, see `torch_tracepress._magic`."""
    from ._magic import register

    register(shell)
