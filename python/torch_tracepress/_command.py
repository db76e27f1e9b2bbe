"""Finds and runs the program ``tracepress``, and turns its exit code into an error."""

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
NOT_INSTALLED, NOT_IN_TIME = 127, 124  # exit codes of a shell and of timeout(1)

Input = Union[str, "os.PathLike[str]"]


class TracepressError(RuntimeError):
    """The program failed. ``str()`` of the error is the program's output on standard error.

    ``code`` is the program's exit code: 2 usage, 3 no usable input, 4 an output could not be written, 5 a limit
    was reached (memory, ``--max-input``). Three more codes do not come from the program: 127 means that it is not
    installed, 124 that it did not finish in ``timeout`` seconds, and a negative code is the signal that ended it.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the program's message, without the Python traceback."""
        return [f"TracepressError, exit code {self.code}: {self.text}"]


def printable(text: str) -> str:
    """Replace characters that move the cursor or change the direction of writing."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


class Said(NamedTuple):
    """The exit code and both output streams of a call of the program."""

    code: int
    out: str
    err: str


def argument(path: Input) -> str:
    """Return a path as an argument that the program cannot mistake for an option or for "-" (standard input)."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path is a str or an os.PathLike of str, not {type(path).__name__}")
    return os.path.join(os.curdir, text) if text.startswith("-") else text


def _own_record() -> Iterator[Path]:
    """Find the program in the files of the distribution that this module belongs to."""
    from importlib import metadata  # imported here, because it is slow and training does not need it

    try:
        found = metadata.distribution(DISTRIBUTION)
        for file in found.files or ():
            if file.stem == "tracepress" and file.suffix in ("", ".exe") and file.parent.name in ("bin", "Scripts"):
                if Path(str(found.locate_file("torch_tracepress"))).resolve() == Path(__file__).resolve().parent:
                    path = Path(str(found.locate_file(file)))  # a path such as SITE/../../../bin/tracepress
                    yield path.parent.resolve() / path.name
    except metadata.PackageNotFoundError:
        return


def _candidates() -> Iterator[Path]:
    name = "tracepress" + (sysconfig.get_config_var("EXE") or "")
    yield from _own_record()
    yield Path(__file__).resolve().parent.parent / "bin" / name  # location after `pip install --target`
    yield Path(sysconfig.get_path("scripts")) / name
    in_path = shutil.which(name)
    if in_path:
        yield Path(in_path)


def _is_program(path: Union[str, Path]) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


_known: Optional[Tuple[str, str]] = None  # value of $TRACEPRESS_PROGRAM, and the path that was found for it


def command() -> str:
    """Return the path of the program ``tracepress``.

    This is ``$TRACEPRESS_PROGRAM`` if it is set, otherwise the program that was installed with this package,
    otherwise the first one in ``PATH``. Raises TracepressError with code 127 if there is no program.
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
    """Lower the priority of the process `child` by 10 steps, if the system allows it. The process leads its own
    session.

    Linux first distributes CPU time among sessions (sched_autogroup), and the niceness of a process has an effect only
    within its session. So the session gets the same niceness.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, child, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
        # binary mode, because a program that gave up its rights may be unable to read Python's files and to load an
        # encoding
        with open("/proc/self/autogroup", "rb", buffering=0) as file:  # the content looks like "/autogroup-12 nice 0"
            own = int((file.read().split() or [b"0"])[-1])  # the file is empty if the session has no group of its own
        with open(f"/proc/{child}/autogroup", "wb", buffering=0) as file:
            file.write(b"%d" % min(own + _NICER, _NICEST))
    except (AttributeError, IndexError, OSError, ValueError):
        pass  # the child has exited, or the system has no priorities or no such groups


def call(words: Sequence[str], expect: Sequence[int], timeout: Optional[float]) -> Said:
    """Run the program and wait for its exit. Raises TracepressError if its exit code is not in `expect`."""
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
    """Run ``tracepress WORDS`` and return its standard output.

    Words are given as in a shell, but without quoting. ``expect`` lists the exit codes that are no error; any
    other exit code raises TracepressError. ``timeout`` is in seconds; after this time the program is killed.

    >>> run("--version").startswith("tracepress")
    True
    """
    return call([os.fspath(word) for word in words] or ["help"], expect, timeout).out
