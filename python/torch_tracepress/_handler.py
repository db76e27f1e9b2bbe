"""trace_handler: runs torch's own handler, then starts a child process that makes a report.

The training only pays for starting a process. The child is the C program, which imports no Python. It has its own
session, so Ctrl-C and a hangup of the training do not reach it. It has a lower priority than the training, and
prints the verdict on the inherited standard error. The report therefore does not need the training to continue. A
thread waits for each child, so that no zombie remains. No error is raised.
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

_RUNNING_MAX = 4  # maximum of simultaneous reports; further traces get no report
_WAIT_S = 600
# environment variables with the rank, of torchrun, Slurm, Open MPI, MPICH and Intel MPI
_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


def _rank() -> int:
    """Return the rank of this process, from torch.distributed if it is initialized, else from the launcher's variables,
    else 0."""
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
    try:  # a single write, because print() writes the newline separately and the lines of threads would mix
        sys.stderr.write(_line(text) + "\n")
        sys.stderr.flush()
    except Exception:
        pass


class _Noting:
    """The profile that torch's handler gets. It stores the name of the exported file."""

    def __init__(self, profile: Any) -> None:
        self._profile = profile
        self.trace: Optional[str] = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._profile, name)

    def export_chrome_trace(self, path: str, *args: Any, **named: Any) -> Any:
        result = self._profile.export_chrome_trace(path, *args, **named)
        self.trace = path
        return result


# ---- child processes ----

_running: Set["subprocess.Popen[bytes]"] = set()
_starting: Set[threading.Event] = set()  # one event for each thread that may not have started yet
_lock = threading.Lock()
_BEGIN_S = 5.0  # maximum wait for such a thread at exit, s; even on a busy machine a thread starts within milliseconds


def _forget_in_child() -> None:
    """Forget all reports after a fork, because they belong to the parent. Another thread may have held the lock during
    the fork."""
    global _lock
    _lock = threading.Lock()
    _running.clear()
    _starting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def _wait_for(child: "subprocess.Popen[bytes]", page: str, begun: threading.Event, ended: threading.Event) -> None:
    """Wait until the child exits. If a signal ended it, print a message, because the child cannot."""
    begun.set()
    _starting.discard(begun)
    code = child.wait()
    if code < 0 and not os.path.exists(page):
        name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
        try:  # does not use sys.stderr, whose lock a thread may hold forever while the interpreter exits
            os.write(2, (_line(f"no {page}: the program was ended by {name}") + "\n").encode("utf-8", "replace"))
        except OSError:
            pass
    with _lock:
        _running.discard(child)
    ended.set()


def _at_exit() -> None:
    """Wait at exit for threads that have not started, because such a thread would write to freed memory of the
    interpreter. If this is process 1 of a container, also wait for reports, because its exit kills all other
    processes."""
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
    return sys.__stderr__ is not None  # None: descriptor 2 is not standard error but another file


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
    """Start the report of a trace: STEM.report.html next to STEM.pt.trace.json or STEM.pt.trace.json.gz."""
    page = re.sub(r"(\.pt\.trace\.json(\.gz)?)?\Z", "", trace) + ".report.html"
    child = _start(command(), trace, page)
    if child is None:
        _say(f"no {page}: {_RUNNING_MAX} earlier ones are still being made")
        return
    if sys.is_finalizing():
        return  # no thread can start any more, so nothing here waits for the child
    begun, ended = threading.Event(), threading.Event()
    _starting.add(begun)
    try:  # Thread.start() would wait until the thread runs, which takes milliseconds on a busy machine
        _thread.start_new_thread(_wait_for, (child, page, begun, ended))
    except RuntimeError:
        _starting.discard(begun)
        return  # the interpreter is exiting, or there are too many threads
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
    """Return a handler like ``torch.profiler.tensorboard_trace_handler`` that also makes a report of each trace.

    The first four arguments are those of torch's handler, which writes the trace
    ``<worker>.<time>.pt.trace.json[.gz]`` to ``dir_name``. ``use_python_export`` needs a torch that has it. Then a
    child process makes ``<worker>.<time>.report.html`` next to the trace, and prints the verdict as one line on
    standard error. Notices about problems of the trace come first.

    ``report`` is True or False; None means True on rank 0 only. The rank is that of torch.distributed, otherwise
    of ``RANK``, ``SLURM_PROCID``, ``OMPI_COMM_WORLD_RANK`` or ``PMI_RANK``. With ``wait=True`` the handler returns
    when the report exists, or after 600 s. Use this in jobs whose processes are killed when the training ends.

    The handler raises no errors, even where torch's own handler would. If a trace or report cannot be made, it
    prints one line on standard error, and the training continues. This function imports torch when it is called.

    >>> import torch
    >>> from torch.profiler import profile, schedule
    >>> handler = trace_handler("runs/today", use_gzip=True, wait=True)
    >>> with profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=1), on_trace_ready=handler) as p:
    ...     for _ in range(3):
    ...         _ = torch.ones(64, 64) @ torch.ones(64, 64)
    ...         p.step()
    """
    torch_handler = importlib.import_module("torch.profiler").tensorboard_trace_handler
    # older versions of torch do not have this argument
    options = {"use_python_export": True} if use_python_export else {}
    torch_handler(os.fspath(dir_name), worker_name, use_gzip, **options)  # raises errors about the arguments now

    reported: Set[str] = set()

    def handler(profile: Any) -> None:
        noting = _Noting(profile)
        # makes a new handler each time, because torch's handler keeps the worker name of its first call, which is wrong
        # after a fork
        try:
            torch_handler(os.fspath(dir_name), worker_name, use_gzip, **options)(noting)
            if noting.trace is None or not os.path.exists(noting.trace):
                _say(f"no trace: torch wrote none to {os.fspath(dir_name)}")
            elif report if report is not None else _rank() == 0:
                _report_of(noting.trace, wait)
        except TracepressError as error:  # the program is missing; this message is printed only once
            if error.text not in reported:
                reported.add(error.text)
                _say(f"no report: {error}")
        except Exception as error:
            what = "report" if noting.trace else "trace"
            _say(f"no {what}: {str(error) or type(error).__name__}")

    return handler
