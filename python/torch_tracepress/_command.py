"""The program ``tracepress``: where it is, how it is run, and the error that its exit code becomes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Sequence, Tuple, Union

DISTRIBUTION = "torch-tracepress"
VARIABLE = "TRACEPRESS_PROGRAM"
_NICER, _NICEST = 10, 19
NOT_INSTALLED, NOT_IN_TIME = 127, 124  # as a shell and timeout(1) have them

Input = Union[str, "os.PathLike[str]"]


class TracepressError(RuntimeError):
    """The program did not do what was asked. ``str()`` of it is what the program said on standard error.

    ``code`` is the program's exit code: 2 usage, 3 no usable input, 4 an output could not be written, 5 a limit was
    reached (memory, ``--max-input``). Three more are not the program's: 127 it is not installed, 124 it was not ready
    in ``timeout`` seconds, and a negative one is the signal that ended it.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _render_traceback_(self) -> list[str]:
        """In a notebook: what the program said, without the Python that asked it."""
        return [f"TracepressError, exit code {self.code}: {self.text}"]


def printable(text: str) -> str:
    """Without what would move a cursor or turn the direction of writing."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


class Said(NamedTuple):
    """How a call of the program ended, and its two streams."""

    code: int
    out: str
    err: str


def argument(path: Input) -> str:
    """A path as a word of a command line: one that begins with a dash is no option, and "-" is a file of that name."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a str or an os.PathLike of str, not {type(path).__name__}")
    return os.path.join(os.curdir, text) if text.startswith("-") else text


def _own_record() -> Iterator[Path]:
    """The program among the files of the distribution that this module came with."""
    from importlib import metadata  # not needed by who only trains, and slow to import

    try:
        found = metadata.distribution(DISTRIBUTION)
        for file in found.files or ():
            if file.stem == "tracepress" and file.suffix in ("", ".exe") and file.parent.name in ("bin", "Scripts"):
                if Path(str(found.locate_file("torch_tracepress"))).resolve() == Path(__file__).resolve().parent:
                    path = Path(str(found.locate_file(file)))  # SITE/../../../bin/tracepress
                    yield path.parent.resolve() / path.name
    except metadata.PackageNotFoundError:
        return


def _candidates() -> Iterator[Path]:
    name = "tracepress" + (sysconfig.get_config_var("EXE") or "")
    yield from _own_record()
    yield Path(__file__).resolve().parent.parent / "bin" / name  # pip install --target
    yield Path(sysconfig.get_path("scripts")) / name
    in_path = shutil.which(name)
    if in_path:
        yield Path(in_path)


def _is_program(path: Union[str, Path]) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


_known: Optional[Tuple[str, str]] = None  # ($TRACEPRESS_PROGRAM, path) of the last search


def command() -> str:
    """The path of the program ``tracepress``.

    ``$TRACEPRESS_PROGRAM`` where that is set, else the one that was installed with this package, else the first in
    ``PATH``. Raises TracepressError with code 127 where there is none.
    """
    global _known
    named = os.environ.get(VARIABLE, "")
    if _known and _known[0] == named and _is_program(_known[1]):
        return _known[1]
    if named and not _is_program(named):
        raise TracepressError(NOT_INSTALLED, f"{VARIABLE} names {named}, which is no program")
    found = named or next((str(path) for path in _candidates() if _is_program(path)), "")
    if not found:
        raise TracepressError(
            NOT_INSTALLED,
            f"the program tracepress is not installed. {DISTRIBUTION} is not on the package index yet: run pip install . in a "
            f"clone of its repository, or set {VARIABLE} to the path of the program",
        )
    _known = (named, found)
    return found


def yield_processors(child: int) -> None:
    """Make the process `child`, which leads a session of its own, 10 steps nicer than this one, where the system can.

    Linux shares its processors among sessions first (sched_autogroup), and heeds the niceness of a process only within
    its own: there the session gets the same niceness.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, child, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
        # bytes: a program that gave up its rights may not read the files of Python any more, and so knows no new encoding
        with open("/proc/self/autogroup", "rb", buffering=0) as file:  # "/autogroup-12 nice 0"
            own = int((file.read().split() or [b"0"])[-1])  # no text: its session has no group but the system's
        with open(f"/proc/{child}/autogroup", "wb", buffering=0) as file:
            file.write(b"%d" % min(own + _NICER, _NICEST))
    except (AttributeError, IndexError, OSError, ValueError):
        pass  # it has ended already, or this system knows no priorities, or no such groups


def call(words: Sequence[str], expect: Sequence[int], timeout: Optional[float]) -> Said:
    """Run the program to its end; another exit code than those in `expect` raises TracepressError."""
    program = command()
    try:
        done = subprocess.run(
            [program, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise TracepressError(NOT_IN_TIME, f"tracepress {words[0]}: not ready after {timeout:g} s") from None
    except OSError as error:
        raise TracepressError(NOT_INSTALLED, f"{program} cannot be started: {error.strerror}") from error
    said = Said(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
    if said.code not in expect:
        ended = f"ended by signal {-said.code}" if said.code < 0 else f"exit code {said.code}"
        raise TracepressError(said.code, said.err.strip() or f"tracepress {words[0]}: {ended}")
    return said


def run(*words: Input, expect: Sequence[int] = (0,), timeout: Optional[float] = None) -> str:
    """Run ``tracepress WORDS`` and return what it printed on standard output.

    Words are given as they stand in a shell, but without its quoting. ``expect`` lists the exit codes that are no error;
    any other raises TracepressError. ``timeout`` is in seconds; the program is killed when it is not ready by then.

    >>> run("--version").startswith("tracepress")
    True
    """
    return call([os.fspath(word) for word in words] or ["help"], expect, timeout).out
