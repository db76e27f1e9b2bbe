"""Makes pages of runs on request, one at a time, and keeps them as long as there is space.

``Maker.ask`` answers immediately: the page exists, waits, is being made, or cannot be made. Callers ask again while
they still want the page. A page that nobody requests any more is not made. One thread runs the program in a folder that
only this user can read. The inputs in this folder are links to open descriptors, so that the program reads exactly the
files that were checked, under their own names. A page belongs to the state (`Stamp`) of each file that it was made
from. If a file changes while the program reads it, the page is discarded. Time and the size of all outputs are limited.

The folder is locked while its process runs. The next Maker removes the folder of a killed process.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from collections import OrderedDict
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from .._command import NOT_IN_TIME, NOT_INSTALLED, TracepressError, argument, command, printable, yield_processors
from .runs import FOLDER, NO_LINK, Run, Stamp, Trace, id_of, open_trace

# highest number of traces on one page; a page of more traces is that of a job, made from their summaries
TOGETHER_MAX = 64
HISTORY_MAX = 32
_CHUNK = 32  # highest number of traces that one call of the program summarizes, to limit the number of descriptors
_UNUSABLE, _LIMIT = 3, 5  # exit codes of the program
# errors of open() if the file was replaced, for example by a link
_REPLACED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO)
_PREFIX = "tracepress-tab-"
_OF_A_MAKER = re.compile(_PREFIX + r"[a-z0-9_]{8}\Z")  # matches folder names that mkdtemp makes for a Maker
_DESCRIPTORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"


_Open = Dict[int, Trace]  # traces by descriptor


class Limits(NamedTuple):
    time_s: float = 600.0
    # maximum for all outputs of one call of the program, bytes; the page itself has a smaller limit
    output_bytes: int = 64 << 20
    kept_bytes: int = 256 << 20
    kept_failures: int = 256
    said_bytes: int = 8192  # maximum for the program's error message, bytes
    waiting: int = 64
    wanted_s: float = 15.0  # time after which a page that nobody requests is no longer wanted, s
    quiet_s: float = 2.0  # time for which a file must be unchanged, s; otherwise it is still being written


def _program() -> Tuple[str, Stamp]:
    path = command()
    return path, Stamp.of(os.stat(path))


class Side(NamedTuple):
    """A run with all of its traces, or with one of them. The page of a run with one trace and one memory snapshot joins
    them. The page of a run with several traces has no snapshot; each snapshot has its own page."""

    run: Run
    one: Optional[Trace] = None

    @property
    def traces(self) -> Tuple[Trace, ...]:
        if self.one:
            return (self.one,)
        traces = tuple(trace for trace in self.run.traces if not trace.is_snapshot)
        return self.run.traces if not traces or len(self.run.traces) == 2 else traces

    @property
    def has_trace(self) -> bool:
        return any(not trace.is_snapshot for trace in self.traces)

    @property
    def is_joined(self) -> bool:
        return len(self.traces) == 2 and self.has_trace and any(trace.is_snapshot for trace in self.traces)

    @property
    def is_job(self) -> bool:
        return len(self.traces) > TOGETHER_MAX and self.has_trace

    def state(self) -> object:
        return self.run.folder, self.one is None, [(trace.name, trace.stamp) for trace in self.traces]


class Wish(NamedTuple):
    """A requested page: a report of one side, or the changes from the first to the second side."""

    sides: Tuple[Side, ...]
    history: Tuple[Side, ...] = ()

    def all_traces(self) -> Iterator[Trace]:
        for side in (*self.sides, *self.history):
            yield from side.traces

    def key(self) -> str:
        """Return a key that is equal for equal pages: made by the same program from the same states of the same
        files."""
        sides = [side.state() for side in self.sides]
        return id_of(sides, [(side.run.name, side.state()) for side in self.history], _program())


class Answer(NamedTuple):
    """The answer to a request.

    ``state``: ready, waiting, making, writing (a trace is still being written), failed, or full (too many pages wait).
    ``text`` is the reason of a failure, or a note about data that the page omits.
    """

    state: str
    key: str = ""
    text: str = ""
    ahead: int = 0
    seconds: float = 0.0


class _Changed(Exception):
    """The file differs from the listed file, or no longer exists."""


class _Unwanted(Exception):
    """Nobody asks for the page any more, or the Maker is closed."""


class _Job:
    def __init__(self, key: str, wish: Wish, now: float) -> None:
        self.key, self.wish, self.asked_s = key, wish, now
        self.begun_s: Optional[float] = None


def _locked(folder: str) -> int:
    """Return a descriptor that locks a folder of this user. Raises OSError if another process has locked the folder."""
    import fcntl  # imported here, because Windows, where no pages are made, lacks it

    number = os.open(folder, FOLDER | NO_LINK)
    try:
        if os.fstat(number).st_uid != os.geteuid():
            raise PermissionError(errno.EPERM, "of another user", folder)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return number
    except BaseException:
        os.close(number)
        raise


def _remove_left() -> None:
    """Remove the folders of Makers whose process was killed. Nobody has locked them."""
    with contextlib.suppress(OSError, ImportError):
        place = tempfile.gettempdir()
        for name in filter(_OF_A_MAKER.match, os.listdir(place)):
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                number = _locked(path)
                try:
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(number)


def _new_folder_of_a_maker() -> Tuple[str, Optional[int]]:
    """Return a new folder and the descriptor that locks it. Return None if files cannot be locked, because then nobody
    would remove the folder."""
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        try:
            number = _locked(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # another process treats the folder as abandoned and removes it
        except (OSError, ImportError):
            return folder, None
        if os.path.isdir(folder):
            return folder, number
        os.close(number)


class _Kept:
    """Files by key. If space is short, the least recently used files are removed. Not thread-safe."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes, self._bytes, self._count = limit_bytes, 0, 0
        self._files: "OrderedDict[str, Tuple[str, int, str]]" = OrderedDict()

    def add(self, key: str, path: str, folder: str, note: str = "") -> None:
        """Move a file here, and remove others if more space is needed."""
        self.remove(key)
        self._count += 1
        place = os.path.join(folder, str(self._count))
        os.rename(path, place)
        size = os.stat(place).st_size
        self._files[key] = (place, size, note)
        self._bytes += size
        while self._bytes > self._limit_bytes and len(self._files) > 1:
            self.remove(next(iter(self._files)))

    def remove(self, key: str) -> None:
        path, size, _ = self._files.pop(key, ("", 0, ""))
        if path:
            self._bytes -= size
            with contextlib.suppress(OSError):
                os.unlink(path)

    def find(self, key: str) -> Optional[Tuple[str, str]]:
        """Return (path, note) of an existing file, which is now the most recently used."""
        if key not in self._files:
            return None
        path, _, note = self._files[key]
        if not os.path.exists(path):  # a program that cleans temporary folders has removed the file
            self.remove(key)
            return None
        self._files.move_to_end(key)
        return path, note


class Maker:
    """Makes pages; see the head of this module. Several threads may call all methods."""

    def __init__(self, limits: Optional[Limits] = None) -> None:
        self.limits = limits = limits or Limits()
        self._change = threading.Condition()
        self._waiting: List[_Job] = []
        self._making: Optional[_Job] = None
        self._kept = _Kept(limits.kept_bytes)
        self._failed: "OrderedDict[str, str]" = OrderedDict()
        self._thread: Optional[threading.Thread] = None
        self._folder = ""
        self._lock: Optional[int] = None  # descriptor that locks the folder
        self._is_closed = False
        self._pid = os.getpid()
        _remove_left()

    # ---- methods for the threads that answer requests ----

    def ask(self, wish: Wish, again: bool = False) -> Answer:
        """Return the state of a page, and make sure that it will be made. ``again`` retries a page that failed
        before."""
        try:
            key = wish.key()
        except TracepressError as error:
            return Answer("failed", text=str(error))
        except OSError as error:
            return Answer("failed", text=f"the program: {error.strerror}")
        with self._change:
            if again:
                self._failed.pop(key, None)
            known = self._known(key)
            return known or self._enqueue(key, wish)

    def _known(self, key: str) -> Optional[Answer]:
        kept = self._kept.find(key)
        if kept:
            return Answer("ready", key, kept[1])
        if key in self._failed:
            return Answer("failed", key, self._failed[key])
        now = time.monotonic()
        if self._making and self._making.key == key:
            self._making.asked_s = now
            return Answer("making", key, seconds=now - (self._making.begun_s or now))
        for index, job in enumerate(self._waiting):
            if job.key == key:
                job.asked_s = now
                return Answer("waiting", key, ahead=index + (self._making is not None))
        return None

    def _enqueue(self, key: str, wish: Wish) -> Answer:
        age_s = time.time() - max(trace.stamp.mtime_ns for trace in wish.all_traces()) / 1e9
        if 0 <= age_s < self.limits.quiet_s:
            return Answer("writing", key)
        if len(self._waiting) >= self.limits.waiting or self._is_closed:
            return Answer("full", key)
        if self._thread is None:
            atexit.register(self.close)
            self._thread = threading.Thread(target=self._work, name="tracepress", daemon=True)
            self._thread.start()
        self._waiting.append(_Job(key, wish, time.monotonic()))
        self._change.notify_all()
        return Answer("waiting", key, ahead=len(self._waiting) - 1 + (self._making is not None))

    def page(self, key: str) -> Optional[bytes]:
        """Return the page of a key from ``ask``, or None if it does not exist any more."""
        with self._change:
            kept = self._kept.find(key)
            if kept is None:
                return None
            try:
                file = open(kept[0], "rb")
            except OSError:
                return None
        with file:
            return file.read()

    def close(self) -> None:
        """Stop the program and remove the folder. A forked child of this process does neither."""
        if os.getpid() != self._pid:
            return
        with self._change:
            self._is_closed = True
            self._waiting.clear()
            self._change.notify_all()
        if self._thread:
            self._thread.join(10)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # ---- the thread that makes pages ----

    def _work(self) -> None:
        while True:
            with self._change:
                self._making = None
                while not (self._is_closed or self._next()):
                    self._change.wait()
                if self._is_closed:
                    return
                job = self._making = self._waiting.pop(0)
                job.begun_s = time.monotonic()
            try:
                self._make(job)
            except (_Changed, _Unwanted):
                pass  # callers that still want the page ask again, for the current state
            except TracepressError as error:
                self._fail(job, str(error))
            except Exception as error:  # an unexpected error, for example a full disk or no more descriptors
                self._fail(job, f"{type(error).__name__}: {error}")

    def _next(self) -> bool:
        """Return whether a requested page is waiting to be made. Drops requests that nobody has repeated recently."""
        now = time.monotonic()
        self._waiting = [job for job in self._waiting if now - job.asked_s < self.limits.wanted_s]
        return bool(self._waiting)

    def _fail(self, job: _Job, text: str) -> None:
        with self._change:
            self._failed[job.key] = "\n".join(printable(line) for line in text.splitlines())
            while len(self._failed) > self.limits.kept_failures:
                self._failed.popitem(last=False)

    def _make(self, job: _Job) -> None:
        if not os.path.isdir(self._folder):
            self._unlock()
            self._folder, self._lock = _new_folder_of_a_maker()
        folder = tempfile.mkdtemp(dir=self._folder)
        try:
            made = _Making(self, job, folder)
            page = made.page()
            with self._change:
                self._kept.add(job.key, page, self._folder, "\n".join(made.notes))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _is_wanted(self, job: _Job) -> bool:
        with self._change:
            is_forgotten = time.monotonic() - job.asked_s >= self.limits.wanted_s
            return not (self._is_closed or (is_forgotten and self._next()))

    def _summary_of(self, key: str, link: str) -> bool:
        """Make `link`, a hard link to a kept summary, which remains valid when the kept summary is removed. Return
        whether a summary is kept for this key."""
        with self._change:
            kept = self._kept.find(key)
            if kept:
                os.link(kept[0], link)
            return kept is not None

    def _keep_summary(self, key: str, path: str) -> None:
        copy = path + ".kept"
        os.link(path, copy)
        with self._change:
            self._kept.add(key, copy, self._folder)


class _Making:
    """A page that is being made, in a folder that is removed afterwards."""

    def __init__(self, maker: Maker, job: _Job, folder: str) -> None:
        self._maker, self._job, self._folder = maker, job, folder
        self._end_s = time.monotonic() + maker.limits.time_s
        self._count = 0
        self.notes: List[str] = []

    def page(self) -> str:
        wish = self._job.wish
        out = os.path.join(self._new_folder(), "page.html")
        with contextlib.ExitStack() as stack:
            place = self._new_folder()
            open_files: _Open = {}
            if len(wish.sides) == 2:
                words = ["diff"]
                for name, side in zip(("base", "new"), wish.sides):
                    os.mkdir(os.path.join(place, name))
                    words.append(os.path.join(name, self._stage(side, os.path.join(place, name), open_files, stack)))
                self._run([*words, "-o", out], place, open_files, (0, 1, 6))
            else:
                side = wish.sides[0]
                name = self._stage(side, place, open_files, stack)
                names = [os.path.join(name, each.name) for each in side.traces] if side.is_joined else [name]
                history = ["--history", self._history()] if wish.history else []
                self._run(["report", *map(argument, names), *history, "-o", out], place, open_files, (0,))
        return out

    def _new_folder(self) -> str:
        self._count += 1
        path = os.path.join(self._folder, str(self._count))
        os.mkdir(path, 0o700)
        return path

    def _stage(self, side: Side, place: str, open_files: _Open, stack: contextlib.ExitStack) -> str:
        """Put the files of a side into the folder `place`. Return the name of the files or of their folder there."""
        if side.is_job:
            name = _file_name(side.run.folder) + ".tps"
            os.rename(self._summary(side), os.path.join(place, name))
            return name
        self._link(side.run.folder, side.traces, place, open_files, stack)
        return os.path.join(side.run.folder, side.one.name) if side.one else side.run.folder

    def _link(
        self,
        folder: str,
        traces: Tuple[Trace, ...],
        place: str,
        open_files: _Open,
        stack: contextlib.ExitStack,
    ) -> None:
        """Open traces, and make links to their descriptors in place/folder."""
        os.mkdir(os.path.join(place, folder))
        for trace in traces:
            try:
                number = open_trace(trace)
            except PermissionError as error:
                raise TracepressError(_UNUSABLE, f"{trace.name}: {error.strerror}") from None
            except OSError as error:
                if error.errno in _REPLACED:
                    raise _Changed from None
                raise
            stack.callback(os.close, number)
            if Stamp.of(os.fstat(number)) != trace.stamp:
                raise _Changed
            open_files[number] = trace
            os.symlink(f"{_DESCRIPTORS}/{number}", os.path.join(place, folder, trace.name))

    def _summary(self, side: Side) -> str:
        """Return the path of a summary of all traces of a side."""
        key = id_of("summary", side.state(), _program())
        out = os.path.join(self._new_folder(), "all.tps")
        if self._maker._summary_of(key, out):
            return out
        parts: List[str] = []
        for first in range(0, len(side.traces), _CHUNK):
            part = os.path.join(self._new_folder(), "part.tps")
            with contextlib.ExitStack() as stack:
                place = self._new_folder()
                open_files: _Open = {}
                self._link(side.run.folder, side.traces[first : first + _CHUNK], place, open_files, stack)
                self._run(["summarize", argument(side.run.folder), "-o", part], place, open_files, (0,))
            parts.append(part)
        if len(parts) == 1:
            os.rename(parts[0], out)
        else:
            self._run(["merge", *parts, "-o", out], self._folder, {}, (0,))
        self._maker._keep_summary(key, out)
        return out

    def _history(self) -> str:
        """Return a folder with a summary of each earlier run, named after the run. Unreadable runs become notes."""
        folder = self._new_folder()
        for side in self._job.wish.history:
            try:
                path = self._summary(side)
            except TracepressError as error:
                if error.code == NOT_IN_TIME:
                    raise
                self.notes.append(printable(f"left out of the history: {side.run.name}: {str(error).splitlines()[0]}"))
                continue
            name = _file_name(side.run.name)
            if os.path.lexists(os.path.join(folder, name + ".tps")):
                name = f"{name} {side.run.id}"
            os.rename(path, os.path.join(folder, name + ".tps"))
        return folder

    def _run(self, words: List[str], place: str, open_files: _Open, good: Tuple[int, ...]) -> None:
        """Run the program in the folder `place`. When it exits, its inputs must be unchanged."""
        said_path = os.path.join(self._new_folder(), "said")
        with open(said_path, "w+b") as said:
            try:
                child = subprocess.Popen(
                    [command(), *words, "--quiet", "--color", "never"],
                    cwd=place,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    pass_fds=tuple(open_files),
                    start_new_session=True,
                )
            except OSError as error:
                raise TracepressError(NOT_INSTALLED, f"the program cannot be started: {error.strerror}") from None
            yield_processors(child.pid)
            try:
                self._watch(child)
            finally:
                _end(child)
            said.seek(0)
            text = said.read(self._maker.limits.said_bytes).decode("utf-8", "replace").strip()
        for number, trace in open_files.items():
            if Stamp.of(os.fstat(number)) != trace.stamp:
                raise _Changed
        if child.returncode not in good:
            code = child.returncode
            ended = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
            raise TracepressError(code, text or f"tracepress {words[0]}: {ended}")

    def _watch(self, child: "subprocess.Popen[bytes]") -> None:
        """Wait until the program exits, until its time or space is used up, or until nobody wants the page any more."""
        limits = self._maker.limits
        while True:
            try:
                child.wait(0.1)
                return
            except subprocess.TimeoutExpired:
                pass
            if not self._maker._is_wanted(self._job):
                raise _Unwanted
            if time.monotonic() >= self._end_s:
                raise TracepressError(NOT_IN_TIME, f"not ready after {limits.time_s:g} s: ended")
            if _size_of(self._folder) > limits.output_bytes:
                raise TracepressError(_LIMIT, f"more than {limits.output_bytes >> 20} MiB of output: ended")


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End the program and all processes that it has started."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _size_of(folder: str) -> int:
    """Return the number of bytes of all files in a folder. Links do not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _file_name(name: str) -> str:
    """Return a file name for a run, as the page shows it: the last 60 characters of its name, without slashes."""
    return printable(name)[-60:].replace("/", "\u2215").lstrip(".") or "run"
