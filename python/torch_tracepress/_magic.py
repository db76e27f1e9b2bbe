"""The magic ``%tracepress`` of IPython: runs a command line and shows results in the notebook.

After ``%load_ext torch_tracepress``, ``%tracepress report runs/today`` returns the object of
`torch_tracepress.report`. ``diff`` and ``check`` work in the same way. Other commands, and commands with an output
option (``-o``, ``--json``, ``--markdown``), print their output. Words are quoted as in a shell. ``{name}`` and
``$name`` are replaced by Python's values.
"""

from __future__ import annotations

import shlex
import sys
from typing import Any, Callable, Mapping, Sequence

from ._command import call
from ._results import check_of, diff_of, report_of

_SHOWN: Mapping[str, Callable[[Sequence[str]], Any]] = {"report": report_of, "diff": diff_of, "check": check_of}
_ELSEWHERE = ("-o", "-h", "--output", "--json", "--markdown", "--help", "--list-metrics")


def _has_own_output(words: Sequence[str]) -> bool:
    return any(word.split("=")[0] in _ELSEWHERE or word[:2] == "-o" for word in words)


def tracepress(line: str) -> Any:
    """Run the magic. Returns a result to show, or None after printing."""
    words = shlex.split(line) or ["help"]
    if words[0] in _SHOWN and not _has_own_output(words):
        return _SHOWN[words[0]](words[1:])
    said = call(words, (0, 1, 6), None)
    print(said.out, end="")
    print(said.err, end="", file=sys.stderr)
    return None


def register(shell: Any) -> None:
    shell.register_magic_function(tracepress, "line", "tracepress")
