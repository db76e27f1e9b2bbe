"""Lists the traces below the log directories, and opens them safely.

A walk lists runs (folders with traces) and their traces. Each has an id, by which the browser refers to it, so that no
path is ever made from a browser's input. A trace is opened name by name with descriptors, starting at its log
directory, without following symbolic links. So no file outside is ever opened, even if files are renamed or linked
meanwhile. A symbolic link is listed with its target if the target is below a log directory, and ignored otherwise.
Several threads may use a Scanner.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
import time
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

TRACE = re.compile(r"\.pt\.trace\.json(\.gz)?\Z")
# names of memory snapshots, as torch's tutorials, torchtitan, Megatron and NeMo give them; other pickles are not listed
SNAPSHOT = re.compile(r"(snap|mem|oom|rank).*\.(pickle|pkl)(\.gz)?\Z", re.IGNORECASE)
_ENTRIES_MAX = 100_000  # highest number of entries that one walk examines
_DEPTH_MAX = 64
_PAUSE_S = 2.0  # minimum time between two walks, s; several browser tabs and is_active share a walk
_PAUSE_PER_WALK = 10  # on a slow file system, walks take at most this fraction of the time: 1 / 10
_MOMENT_S = 0.2  # time to wait for a walk, s; most walks are faster
FOLDER = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0)
# non-blocking, so that a FIFO does not block the reader
_FILE = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Root(NamedTuple):
    """A log directory, and the prefix that TensorBoard puts in front of the names of its runs."""

    prefix: str
    folder: str


class Place(NamedTuple):
    """A file or folder: a log directory without links in its path, and the names below it."""

    root: str
    parts: Tuple[str, ...]

    def below(self, name: str) -> Place:
        return Place(self.root, (*self.parts, name))

    @property
    def path(self) -> str:
        return os.path.join(self.root, *self.parts)


class Stamp(NamedTuple):
    """The properties that change when a file changes."""

    device: int
    inode: int
    size_bytes: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class Trace(NamedTuple):
    id: str
    name: str
    place: Place
    stamp: Stamp

    @property
    def is_snapshot(self) -> bool:
        return SNAPSHOT.search(self.name) is not None


class Run(NamedTuple):
    """A folder with traces. ``folder`` is its last name. ``traces`` are sorted by name; memory snapshots come last."""

    id: str
    name: str
    folder: str
    traces: Tuple[Trace, ...]
    has_scalars: bool

    @property
    def newest_ns(self) -> int:
        return max(trace.stamp.mtime_ns for trace in self.traces)

    def trace(self, id: str) -> Optional[Trace]:
        return next((trace for trace in self.traces if trace.id == id), None)


class Listing(NamedTuple):
    """The runs, sorted by name. ``version`` changes whenever a run or trace changes."""

    runs: Tuple[Run, ...]
    is_cut: bool
    version: str

    def run(self, id: str) -> Optional[Run]:
        return next((run for run in self.runs if run.id == id), None)


_NOTHING = Listing((), False, "")


def id_of(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("ascii", "backslashreplace")).hexdigest()[:24]


# ---- log directories ----


def _is_remote(folder: str) -> bool:
    return re.match(r"[a-zA-Z][0-9a-zA-Z.]*://", folder) is not None


def roots_of(logdir: Optional[str], logdir_spec: Optional[str]) -> Tuple[List[Root], List[str]]:
    """Return the local folders in TensorBoard's options, parsed as TensorBoard does, and the remote ones (gs://) as
    they are."""
    found: List[Root] = []
    remote: List[str] = []
    words = [logdir] if logdir else [word for word in (logdir_spec or "").split(",") if word]
    for word in words:
        prefix, folder = "", word
        if not logdir and ":" in word and not word.startswith("/") and not _is_remote(word):
            prefix, _, folder = word.partition(":")
        if _is_remote(folder):
            remote.append(folder)
        else:
            found.append(Root(prefix, os.path.expanduser(folder)))
    return found, remote


# ---- opening by descriptors ----


def _enter(place: Place, count: int) -> int:
    """Return a descriptor of the folder that the first `count` names lead to. None of these names may be a link."""
    here = os.open(place.root, FOLDER)
    for name in place.parts[:count]:
        try:
            inside = os.open(name, FOLDER | NO_LINK, dir_fd=here)
        finally:
            os.close(here)
        here = inside
    return here


def open_trace(trace: Trace) -> int:
    """Return a descriptor of the trace's file, which the caller closes. Raises OSError if a link has replaced the
    file."""
    folder = _enter(trace.place, len(trace.place.parts) - 1)
    try:
        return os.open(trace.place.parts[-1], _FILE | NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _status(place: Place) -> os.stat_result:
    folder = _enter(place, len(place.parts) - 1)
    try:
        return os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
    finally:
        os.close(folder)


# ---- the walk ----


def _is_input(name: str) -> bool:
    return TRACE.search(name) is not None or SNAPSHOT.search(name) is not None


def _natural(name: str) -> List[Tuple[int, str]]:
    """Sort worker2 before worker10."""
    words = re.split(r"([0-9]+)", name)
    return [(int(word), "") if index % 2 else (0, word) for index, word in enumerate(words)]


class _Folder(NamedTuple):
    place: Place
    names: Tuple[str, ...]  # names below the run; a link has its own name here
    prefix: str
    is_linked: bool


class _Walk:
    """One walk over all log directories, breadth first, so that a limit omits the deepest folders. Folders that a link
    leads to come last, and links to folders inside them are not followed."""

    def __init__(self, roots: Iterable[Root]) -> None:
        self.roots = [(root, os.path.realpath(root.folder)) for root in roots]
        self.left = _ENTRIES_MAX
        self.runs: List[Run] = []
        self.names: Dict[str, int] = {}

    def _below_a_root(self, path: str) -> Optional[Place]:
        for _, real in self.roots:
            if path == real or path.startswith(real.rstrip(os.sep) + os.sep):
                rest = os.path.relpath(path, real)
                return Place(real, () if rest == os.curdir else tuple(rest.split(os.sep)))
        return None

    def _entry(self, folder: _Folder, entry: os.DirEntry[str]) -> Tuple[Place, Optional[os.stat_result]]:
        """Return the place of an entry, and its status if that is needed. For a link, return the place and status of
        its target."""
        if entry.is_symlink():
            place = self._target(folder, entry.name)
            if place is None or not place.parts:
                return folder.place, None
            return place, _status(place)
        if entry.is_dir(follow_symlinks=False) or _is_input(entry.name):
            return folder.place.below(entry.name), entry.stat(follow_symlinks=False)
        return folder.place, None

    def _entries(self, folder: _Folder) -> Iterator[Tuple[str, Place, Optional[os.stat_result]]]:
        """Return the entries of a folder, unsorted, or no entries if it cannot be read."""
        try:
            here = _enter(folder.place, len(folder.place.parts))
        except OSError:
            return
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left < 0:
                        return
                    try:
                        yield (entry.name, *self._entry(folder, entry))
                    except OSError:
                        continue  # removed in the meantime, or a link to a missing file
        except OSError:
            return
        finally:
            os.close(here)

    def _target(self, folder: _Folder, name: str) -> Optional[Place]:
        """Return the target of a link, unless it is outside or contains the link itself."""
        path = os.path.realpath(os.path.join(folder.place.path, name))
        if (folder.place.path + os.sep).startswith(path.rstrip(os.sep) + os.sep):
            return None
        return self._below_a_root(path)

    def _look(self, folder: _Folder) -> List[_Folder]:
        """Add the traces of the folder as a run. Returns its subfolders."""
        traces: List[Tuple[str, Place, Stamp]] = []
        inside: List[_Folder] = []
        has_scalars = False
        for name, place, status in self._entries(folder):
            has_scalars = has_scalars or "tfevents" in name
            if status is None:
                continue
            is_linked = place != folder.place.below(name)
            if stat.S_ISDIR(status.st_mode):
                if not (is_linked and folder.is_linked):
                    more = _Folder(place, (*folder.names, name), folder.prefix, is_linked or folder.is_linked)
                    inside.append(more)
            elif stat.S_ISREG(status.st_mode) and _is_input(name):
                traces.append((name, place, Stamp.of(status)))
        if traces:
            self._note(folder, traces, has_scalars)
        return sorted(inside, key=lambda each: _natural(each.names[-1]))

    def _note(self, folder: _Folder, traces: List[Tuple[str, Place, Stamp]], has_scalars: bool) -> None:
        name = "/".join(part for part in (folder.prefix, *folder.names) if part) or os.curdir
        count = self.names[name] = self.names.get(name, 0) + 1
        id = id_of(folder.place.root, folder.prefix, folder.names, count)
        traces.sort(key=lambda each: (TRACE.search(each[0]) is None, _natural(each[0])))
        self.runs.append(
            Run(
                id,
                name if count == 1 else f"{name} ({count})",
                folder.names[-1] if folder.names else os.path.basename(folder.place.root) or "logdir",
                tuple(Trace(id_of(id, each[0]), *each) for each in traces),
                has_scalars,
            )
        )

    def listing(self) -> Listing:
        waiting = [_Folder(Place(real, ()), (), root.prefix, False) for root, real in self.roots]
        linked: List[_Folder] = []
        while (waiting or linked) and self.left >= 0:
            if not waiting:
                waiting, linked = linked, []
            found: List[_Folder] = []
            for folder in waiting:
                for each in self._look(folder):
                    if len(each.names) <= _DEPTH_MAX:
                        (linked if each.is_linked and not folder.is_linked else found).append(each)
            waiting = found
        self.runs.sort(key=lambda run: _natural(run.name))
        return Listing(tuple(self.runs), self.left < 0, id_of(self.runs, self.left < 0))


def walk(roots: Iterable[Root]) -> Listing:
    return _Walk(roots).listing()


class Scanner:
    """Provides the listing, which is at most a few seconds old if walks are fast.

    A thread makes the walks. Callers wait only for the first listing. On a slow file system they get the previous
    listing.
    """

    def __init__(self, roots: Iterable[Root], clock: Callable[[], float] = time.monotonic) -> None:
        self._roots = tuple(roots)
        self._clock = clock
        self._change = threading.Condition()
        self._listing: Optional[Listing] = None
        self._due = 0.0
        self._is_walking = False

    def listing(self) -> Listing:
        with self._change:
            if not self._is_walking and (self._listing is None or self._clock() >= self._due):
                threading.Thread(target=self._walk, name="tracepress walk", daemon=True).start()
                self._is_walking = True
                self._change.wait_for(lambda: not self._is_walking, _MOMENT_S)
            self._change.wait_for(lambda: self._listing is not None)
            return self._listing or _NOTHING

    def _walk(self) -> None:
        begin = self._clock()
        listing: Optional[Listing] = None
        try:
            listing = walk(self._roots)
        finally:
            with self._change:
                end = self._clock()
                self._listing = listing or self._listing or _NOTHING
                self._due = end + max(_PAUSE_S, _PAUSE_PER_WALK * (end - begin))
                self._is_walking = False
                self._change.notify_all()
