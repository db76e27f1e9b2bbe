"""trace_handler: torch's own handler, and after it a report that a child process makes.

The training meets one cost, that of starting a process. The child is the C program alone: it imports nothing, has a
session of its own (Ctrl-C and a hangup of the training do not reach it), yields the processors to the training, and
says the verdict itself, on the standard error that it inherited. So the report does not need the training to live on.
A thread waits for each child, so that it leaves no zombie. Nothing that goes wrong here is raised.
"""

from __future__ import annotations

import _thread
import atexit
import importlib
import os
import re
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Optional, Set

from ._command import TracepressError, argument, command, printable, yield_processors

if TYPE_CHECKING:
    from ._command import Input

_RUNNING_MAX = 4  # reports at a time; traces that come faster than that go without one
_WAIT_S = 600
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")  # torchrun, Slurm, Open MPI, MPICH and Intel MPI


def _rank() -> int:
    """The rank of this process: of torch.distributed where that runs, else what the launcher set, else 0."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass
    for name in _RANKS:
        value = os.environ.get(name, "")
        if value.isascii() and value.isdigit():
            return int(value)
    return 0


def _line(text: str) -> str:
    return "tracepress: " + printable(" ".join(text.split()))


def _say(text: str) -> None:
    try:  # one write: print() would write the end of the line by itself, and threads would mix
        sys.stderr.write(_line(text) + "\n")
        sys.stderr.flush()
    except Exception:
        pass


class _Noting:
    """A profile as torch's handler sees it; it notes the file that was exported to."""

    def __init__(self, profile: Any) -> None:
        self._profile = profile
        self.trace: Optional[str] = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._profile, name)

    def export_chrome_trace(self, path: str, *args: Any, **named: Any) -> Any:
        result = self._profile.export_chrome_trace(path, *args, **named)
        self.trace = path
        return result


# ---- the children ----

_running: Set["subprocess.Popen[bytes]"] = set()
_starting: Set[threading.Event] = set()  # of threads that may not have run yet
_lock = threading.Lock()
_BEGIN_S = 5.0  # how long the end of the interpreter waits for such a thread: a busy machine's turn is milliseconds


def _forget_in_child() -> None:
    """After a fork: the parent's reports are no children of this process, and another thread may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _running.clear()
    _starting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def _wait_for(child: "subprocess.Popen[bytes]", page: str, begun: threading.Event, ended: threading.Event) -> None:
    """To the end of the child. What it could not say itself is said here."""
    begun.set()
    _starting.discard(begun)
    code = child.wait()
    if code < 0 and not os.path.exists(page):
        name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
        try:  # not by sys.stderr: a thread that holds its lock when the interpreter ends would stop that
            os.write(2, (_line(f"no {page}: the program was ended by {name}") + "\n").encode("utf-8", "replace"))
        except OSError:
            pass
    with _lock:
        _running.discard(child)
    ended.set()


def _at_exit() -> None:
    """A thread that runs for the first time when the interpreter has given its state away writes into what is no longer
    its own. And whatever is running when the first process of a container ends is killed: that one gives its reports
    their time."""
    for begun in tuple(_starting):
        begun.wait(_BEGIN_S)
    if os.getpid() == 1:
        for child in tuple(_running):
            try:
                child.wait(_WAIT_S)
            except Exception:
                pass


atexit.register(_at_exit)


def _has_stderr() -> bool:
    try:
        os.fstat(2)
    except OSError:
        return False
    return sys.__stderr__ is not None  # else the file that is number 2 now is another one


def _start(program: str, trace: str, page: str) -> Optional["subprocess.Popen[bytes]"]:
    with _lock:
        if len(_running) >= _RUNNING_MAX:
            return None
        child = subprocess.Popen(
            [program, "report", argument(trace), "-o", argument(page)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if _has_stderr() else subprocess.DEVNULL,
            start_new_session=True,
        )
        _running.add(child)
    yield_processors(child.pid)
    return child


def _report_of(trace: str, wait: bool) -> None:
    """Start the report of a trace, STEM.report.html beside STEM.pt.trace.json or STEM.pt.trace.json.gz."""
    page = re.sub(r"(\.pt\.trace\.json(\.gz)?)?\Z", "", trace) + ".report.html"
    child = _start(command(), trace, page)
    if child is None:
        _say(f"no {page}: {_RUNNING_MAX} earlier ones are still being made")
        return
    if sys.is_finalizing():
        return  # no thread can begin any more: the system takes the child over
    begun, ended = threading.Event(), threading.Event()
    _starting.add(begun)
    try:  # Thread.start() would wait until the thread has run: milliseconds where the processors are busy
        _thread.start_new_thread(_wait_for, (child, page, begun, ended))
    except RuntimeError:
        _starting.discard(begun)
        return  # the interpreter is ending, or there are too many threads
    if wait:
        ended.wait(_WAIT_S)


def trace_handler(
    dir_name: "Input",
    worker_name: Optional[str] = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
    *,
    report: Optional[bool] = None,
    wait: bool = False,
) -> Callable[[Any], None]:
    """``torch.profiler.tensorboard_trace_handler``, and a report beside each trace.

    The first four arguments, and the traces, are those of torch's handler, which writes them:
    ``<worker>.<time>.pt.trace.json[.gz]`` in ``dir_name``. ``use_python_export`` is for a torch that has it.
    Then a child process makes ``<worker>.<time>.report.html`` beside it and says the verdict in one line on standard
    error, after notices about what is wrong with the trace, where something is.

    ``report``: True or False; None means on rank 0 alone. The rank is that of torch.distributed, else of ``RANK``,
    ``SLURM_PROCID``, ``OMPI_COMM_WORLD_RANK`` or ``PMI_RANK``. ``wait=True`` returns when the report is there (or after
    600 s): for jobs whose processes are killed when the training ends.

    The handler raises nothing, also where torch's own would: a trace or report that cannot be made is one line on
    standard error, and the training goes on. Needs torch at the first call of this function, not before.

    >>> import torch
    >>> from torch.profiler import profile, schedule
    >>> handler = trace_handler("runs/today", use_gzip=True, wait=True)
    >>> with profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=1), on_trace_ready=handler) as p:
    ...     for _ in range(3):
    ...         _ = torch.ones(64, 64) @ torch.ones(64, 64)
    ...         p.step()
    """
    torch_handler = importlib.import_module("torch.profiler").tensorboard_trace_handler
    options = {"use_python_export": True} if use_python_export else {}  # an older torch has no such argument
    torch_handler(os.fspath(dir_name), worker_name, use_gzip, **options)  # refuses what it does not take

    told: Set[str] = set()

    def handler(profile: Any) -> None:
        noting = _Noting(profile)
        try:  # torch's handler keeps the first name of a worker it makes: a new one has that of this process after a fork
            torch_handler(os.fspath(dir_name), worker_name, use_gzip, **options)(noting)
            if noting.trace is None or not os.path.exists(noting.trace):
                _say(f"no trace: torch wrote none to {os.fspath(dir_name)}")
            elif report if report is not None else _rank() == 0:
                _report_of(noting.trace, wait)
        except TracepressError as error:  # the program is missing: once is enough
            if error.text not in told:
                told.add(error.text)
                _say(f"no report: {error}")
        except Exception as error:
            what = "report" if noting.trace else "trace"
            _say(f"no {what}: {str(error) or type(error).__name__}")

    return handler
