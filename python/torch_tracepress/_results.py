"""report, diff, check and table: the results of these commands as objects.

Each call runs the program once. When it returns, the inputs are closed and no files remain. Several threads may
make calls at the same time. The objects contain the program's output and never change.
"""

from __future__ import annotations

import html
import json
import os
import shlex
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._command import Input, argument, call
from ._fields import FindingFields
from ._tables import CHECK, DIFF, JOB, MEMORY, REPORT, TABLE, Json, Places, Row, Tables, frame, rows_at

if TYPE_CHECKING:
    import pandas

Options = Union[str, Sequence[str]]

_DECIDED = (0, 1, 6)  # exit codes of `diff` and `check`: 0 passed, 1 found a change or a failed limit, 6 inconclusive


@dataclass(frozen=True)
class Finding(FindingFields):
    """A possible improvement from the report, with an estimate of its gain.

    The attributes are the members of the report's JSON; docs/report-json.md of tracepress defines them
    ("A finding"). A member that is null or absent becomes None, except that ``counted_percent`` is then
    ``high_percent``. ``worker`` is the worker of the trace, or "" for a finding over the ranks of a run.

    ``low_percent`` to ``high_percent`` of a step is the estimated gain after all previous findings. With a
    ``replay``, it is the gain in replays of the trace, which may exceed the finding's share, because a fix can
    let other work begin earlier. Otherwise only the gain of waits (A4 to A6) may exceed the share.
    """

    worker: str

    @classmethod
    def _of(cls, row: Json, worker: str) -> Finding:
        members = cls._members(row)
        if members["counted_percent"] is None:
            members["counted_percent"] = members["high_percent"]
        return cls(**members, worker=worker)


class Profile:
    """A trace of a report. ``json`` is its object in the schema tracepress-views."""

    def __init__(self, run_name: str, json: Json) -> None:
        self.json = json
        self.run_name = run_name
        self.worker: str = json["worker"]
        self.file: str = json["file"]
        self.error: str = json.get("error") or ""  # why this trace could not be read; "" if it was read

    @property
    def _verdict(self) -> Json:
        return self.json.get("verdict") or {}

    @property
    def verdict(self) -> str:
        """The limit of the steps: "input-bound", "communication-bound", "cpu" .., or "" if the trace does not show
        it."""
        return self._verdict.get("class") or ""

    @property
    def headline(self) -> str:
        """The first sentence of the page: what limits the steps, how much, and what to do."""
        return (self.json.get("answer") or self._verdict).get("headline") or ""

    @property
    def step_us(self) -> Optional[float]:
        """The mean time of a step in microseconds, without warm-up steps; None if there are no steps."""
        return self._verdict.get("step_us")

    @property
    def damage(self) -> str:
        """A text about missing or damaged data of the trace; "" if it is complete."""
        return (self.json.get("evidence") or {}).get("reason") or ""

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings, starting with the finding that has the largest gain."""
        rows = (self.json.get("recommendations") or {}).get("findings") or ()
        return tuple(Finding._of(row, self.worker) for row in rows)

    def __repr__(self) -> str:
        return f"<Profile {self.worker!r}: {self.error or self.verdict or 'no verdict'}>"


@dataclass(frozen=True)
class MemoryFinding:
    """A problem that a memory snapshot shows. Definitions of tracepress, section 32, lists the conditions.

    ``gain_bytes`` is the number of bytes that ``action`` saves at most. ``line`` is the place in the code, or "".
    """

    id: str
    severity: str  # "high", "medium", "low" or "info"
    text: str
    action: str
    gain_bytes: int
    line: str
    file: str  # name of the snapshot
    device: int

    @classmethod
    def _of(cls, row: Json) -> MemoryFinding:
        members = {name: row.get(name) for name in cls.__dataclass_fields__}
        return cls(**{**members, "line": members["line"] or ""})  # type: ignore[arg-type]


class _Result:
    """The common parts of all results: JSON, Markdown digest, tables, and messages of the program."""

    def __init__(self, said: Outputs, places: Places) -> None:
        self.json: Dict[str, Any] = said.json
        self.markdown: str = said.markdown
        self.messages: Tuple[str, ...] = said.messages  # lines of standard error: notices and warnings
        self.exit_code: int = said.code
        self.tables = Tables(self.json, places)

    def __str__(self) -> str:
        return self.markdown


class _Page(_Result):
    """A result with a page, which notebooks display."""

    height = "min(85vh, 900px)"  # height of the frame in a notebook, as a CSS length

    def __init__(self, said: Outputs, places: Places) -> None:
        super().__init__(said, places)
        self.html: str = said.html

    def save(self, path: Input) -> Path:
        """Write the page to a file, completely or not at all. Returns its path. Raises OSError."""
        out = Path(path)
        unfinished = out.parent / f".tracepress-{os.getpid()}-{time.time_ns()}.tmp"
        try:
            with open(unfinished, "x", encoding="utf-8", newline="") as file:
                file.write(self.html)
            os.replace(unfinished, out)
        except BaseException:
            if unfinished.exists():
                unfinished.unlink()
            raise
        return out

    def _repr_html_(self) -> str:
        """Return the page in a frame with its own origin, so that its script reaches neither the notebook nor the
        network."""
        return (
            '<iframe sandbox="allow-scripts allow-popups" referrerpolicy="no-referrer" title="tracepress" '
            f'style="width:100%;height:{self.height};border:1px solid #8884" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )


class Report(_Page):
    """The result of `report` for traces. A notebook shows its page; ``print()`` prints the digest."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, REPORT)
        self.profiles = tuple(
            Profile(run["run_name"], profile) for run in self.json["runs"] for profile in run["profiles"]
        )  # one profile per trace, in the order of the page

    @property
    def _first(self) -> Optional[Profile]:
        return next((profile for profile in self.profiles if not profile.error), None)

    @property
    def verdict(self) -> str:
        """The verdict of the first readable trace. ``.profiles`` has the verdicts of all traces."""
        return self._first.verdict if self._first else ""

    @property
    def headline(self) -> str:
        """The headline of the first readable trace."""
        return self._first.headline if self._first else ""

    @property
    def memory_findings(self) -> Tuple[MemoryFinding, ...]:
        """The findings of the memory snapshot that was named together with the trace; empty without one."""
        document = (self.json.get("memory_snapshot") or {}).get("document")
        return _memory_findings([document] if document else [])

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings about the ranks of a run, followed by the findings of all traces, in the order of
        ``.profiles``."""
        runs = [run.get("recommendations") or {} for run in self.json.get("runs") or ()]
        over_ranks = tuple(Finding._of(row, "") for run in runs for row in run.get("findings") or ())
        return over_ranks + tuple(finding for profile in self.profiles for finding in profile.findings)

    def __repr__(self) -> str:
        many = f"{len(self.profiles)} traces, the first " if len(self.profiles) > 1 else ""
        return f"<Report: {many}{self.verdict or 'no verdict'}, {len(self.findings)} findings>"


def _memory_findings(snapshots: Sequence[Json]) -> Tuple[MemoryFinding, ...]:
    return tuple(map(MemoryFinding._of, rows_at({"snapshots": snapshots}, MEMORY["findings"], {})))


class MemoryReport(_Page):
    """The result of `report` for memory snapshots and memory timelines. ``json`` has the format
    tracepress.memory_snapshot/1 for one snapshot, tracepress.memory_snapshots/1 for several, and
    tracepress.memory_timeline/1 for a timeline."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, MEMORY)
        is_one = "devices" in self.json
        self.snapshots: Tuple[Json, ...] = (self.json,) if is_one else tuple(self.json.get("snapshots") or ())
        self.tables = Tables({"snapshots": self.snapshots} if is_one else self.json, MEMORY)

    @property
    def peak_bytes(self) -> int:
        """The largest number of bytes that were allocated on a device at a time."""
        devices = [device for each in self.snapshots for device in each["devices"]]
        return max([int(self.json.get("peak_bytes") or 0), *(int(d["peak"]["allocated_bytes"]) for d in devices)])

    @property
    def headline(self) -> str:
        """The most important fact about the device with the largest peak; "" for a timeline."""
        devices = [device for each in self.snapshots for device in each["devices"]]
        most = max(devices, key=lambda device: device["peak"]["allocated_bytes"], default=None)
        return most["headline"] if most else ""

    @property
    def findings(self) -> Tuple[MemoryFinding, ...]:
        """The findings of all snapshots, in the order of ``.snapshots``; those of a device begin with the gravest."""
        return _memory_findings(self.snapshots)

    def __repr__(self) -> str:
        return f"<MemoryReport: peak {self.peak_bytes} bytes, {len(self.findings)} findings>"


class JobReport(_Page):
    """The result of `report` for summaries (``.tps``), which compares the ranks of a job. ``.tables`` has its
    numbers."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, JOB)

    @property
    def findings(self) -> List[Row]:
        """The findings about the job, the most costly first. These are the rows of ``tables["findings"]``."""
        return self.tables.rows("findings")

    def __repr__(self) -> str:
        return f"<JobReport: {len(self.tables.rows('ranks'))} ranks, {len(self.findings)} findings>"


class Diff(_Page):
    """The result of `diff`. A notebook shows its page; ``print()`` prints the digest."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, DIFF)

    @property
    def verdict(self) -> str:
        """One of "improved", "neutral", "regressed" or "inconclusive"."""
        return str(self.json["verdict"])

    @property
    def summary(self) -> str:
        """The verdict as one line."""
        return str(self.json["summary"])

    @property
    def damage(self) -> str:
        """The reason why an input is too damaged or incomplete to judge (exit code 6); "" if both inputs are
        complete."""
        return self.json.get("damage") or ""

    def __repr__(self) -> str:
        return f"<Diff: {self.summary}>"


class Check(_Result):
    """The result of `check`. ``print()`` prints a digest; a notebook shows it."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, CHECK)

    @property
    def verdict(self) -> str:
        """One of "pass", "warn", "fail" or "inconclusive"."""
        return str(self.json["verdict"])

    @property
    def summary(self) -> str:
        """The verdict as one line."""
        return str(self.json["verdict_line"])

    @property
    def is_passed(self) -> bool:
        """Whether the run passes, which is exit code 0 of the program."""
        return self.exit_code == 0

    @property
    def is_damaged(self) -> bool:
        """Whether an input is too damaged or incomplete to judge."""
        return bool(self.json["damaged"])

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return f"<Check: {self.summary}>"


class Table:
    """The result of `table`: rows of all traces, in the program's order. ``json`` has the schema tracepress-table.

    ``rows`` are dictionaries. Their first member, "profile", names the trace. Times are in microseconds ("_us"),
    sizes in bytes. ``frame()`` returns a new pandas.DataFrame of the rows, and needs pandas.
    """

    def __init__(self, json: Json) -> None:
        self.json = json
        self.rows: List[Row] = list(rows_at(json, TABLE["rows"], {}))

    def frame(self) -> "pandas.DataFrame":
        return frame(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table: {len(self.rows)} rows>"


# ---- outputs of the program ----


class Outputs(NamedTuple):
    """The exit code, the output files and the messages of a call."""

    code: int
    json: Dict[str, Any]
    markdown: str
    html: str
    messages: Tuple[str, ...]


def _options(options: Options) -> List[str]:
    return shlex.split(options) if isinstance(options, str) else list(options)


def outputs(words: Sequence[str], expect: Sequence[int], timeout: Optional[float], has_page: bool = True) -> Outputs:
    """Run a command that writes its outputs to a temporary folder, and return them."""
    with tempfile.TemporaryDirectory(prefix="tracepress-") as folder:
        page, numbers, digest = (os.path.join(folder, name) for name in ("page.html", "numbers.json", "digest.md"))
        to_page = ["-o", page] if has_page else []
        said = call([*words, "--json", numbers, "--markdown", digest, *to_page], expect, timeout)
        return Outputs(
            said.code,
            json.loads(Path(numbers).read_bytes()),
            Path(digest).read_text("utf-8"),
            Path(page).read_text("utf-8") if has_page else "",
            tuple(said.err.splitlines()),
        )


def report_of(words: Sequence[str], timeout: Optional[float] = None) -> Union[Report, JobReport, MemoryReport]:
    """Return the result of `report` with these arguments of the command line."""
    said = outputs(["report", *words], (0,), timeout)
    if said.json.get("format", "").startswith("tracepress.memory"):
        return MemoryReport(said)
    return JobReport(said) if said.json["schema"] == "tracepress-job" else Report(said)


def diff_of(words: Sequence[str], timeout: Optional[float] = None) -> Diff:
    """Return the result of `diff` with these arguments of the command line."""
    return Diff(outputs(["diff", *words], _DECIDED, timeout))


def check_of(words: Sequence[str], timeout: Optional[float] = None) -> Check:
    """Return the result of `check` with these arguments of the command line."""
    return Check(outputs(["check", *words], _DECIDED, timeout, has_page=False))


# ---- functions for users ----


def report(*inputs: Input, options: Options = (), timeout: Optional[float] = None) -> Report:
    """Read traces, or folders with traces, as ``tracepress report INPUT...`` does. A memory snapshot can be named
    together with the trace of the same run.

    ``options`` are further arguments of this command, as a list or as one text: ``"--timeline none --strict"``.
    ``timeout`` is in seconds. Raises TracepressError if no report can be made. For summaries (``.tps``) use
    `job_report`, and for memory snapshots alone `memory_report`.

    >>> today = report("runs/today")
    >>> today.verdict, len(today.findings) >= 0
    ('cpu', True)
    """
    result = report_of([*map(argument, inputs), *_options(options)], timeout)
    if not isinstance(result, Report):
        raise TypeError(_INSTEAD[type(result)])
    return result


def job_report(*inputs: Input, options: Options = (), timeout: Optional[float] = None) -> JobReport:
    """Compare the ranks of a job by their summaries, as ``tracepress report F.tps...`` does. Arguments as for
    `report`."""
    result = report_of([*map(argument, inputs), *_options(options)], timeout)
    if not isinstance(result, JobReport):
        raise TypeError(_INSTEAD[type(result)])
    return result


def memory_report(*inputs: Input, options: Options = (), timeout: Optional[float] = None) -> MemoryReport:
    """Read memory snapshots, folders with snapshots, or a memory timeline, as ``tracepress report INPUT...`` does.
    Arguments as for `report`."""
    result = report_of([*map(argument, inputs), *_options(options)], timeout)
    if not isinstance(result, MemoryReport):
        raise TypeError(_INSTEAD[type(result)])
    return result


_INSTEAD: Dict[type, str] = {
    Report: "these are traces: report() reads them",
    JobReport: "these are summaries: job_report() reads them",
    MemoryReport: "these are memory snapshots: memory_report() reads them",
}


def diff(base: Input, new: Input, *, options: Options = (), timeout: Optional[float] = None) -> Diff:
    """Compare two traces, or folders of traces, as ``tracepress diff BASE NEW`` does.

    A regression and an inconclusive comparison are results, not errors. See ``.verdict`` and ``.exit_code``: 0
    means no regression, 1 a regression, 6 a damaged or incomplete input. Other codes raise TracepressError.

    >>> diff("runs/today", "runs/today").verdict in ("neutral", "inconclusive")
    True
    """
    return diff_of([argument(base), argument(new), *_options(options)], timeout)


def check(
    *inputs: Input,
    limits: Sequence[str] = (),
    budget: Optional[Input] = None,
    baseline: Optional[Input] = None,
    options: Options = (),
    timeout: Optional[float] = None,
) -> Check:
    """Check traces against limits, as ``tracepress check INPUT...`` does.

    ``limits`` are lines of a budget ("step.time.median <= 180 ms"). ``budget`` is a file of such lines. Use only one of
    the two. Limits with a sign ("memory.peak <= +0") are relative to ``baseline``. A failed limit and an inconclusive
    check are results, not errors. See ``.verdict`` and ``.exit_code``: 0 means passed, 1 failed. 6 means that an input
    is damaged or lacks data, or that limits with a sign have no baseline. Other codes raise TracepressError.

    >>> check("runs/today", limits=["step.count >= 1"]).verdict
    'pass'
    """
    if limits and budget is not None:
        raise ValueError("limits or a budget, not both")
    words = [argument(path) for path in inputs]
    if baseline is not None:
        words += ["--baseline", argument(baseline)]
    with tempfile.TemporaryDirectory(prefix="tracepress-") as folder:
        if limits:
            budget = os.path.join(folder, "limits")
            lines = [limits] if isinstance(limits, str) else limits
            Path(budget).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        words += ["--budget", argument(budget)] if budget is not None else []
        return check_of([*words, *_options(options)], timeout)


def table(*inputs: Input, group_by: str = "name", options: Options = (), timeout: Optional[float] = None) -> Table:
    """Return the tables of key_averages(), as ``tracepress table INPUT... --group-by KEYS --format json`` prints
    them.

    ``group_by`` is "name", "input-shape", "stack", "input-shape,stack", "module", "line", "type", "kernel" or
    "function".

    >>> table("runs/today", group_by="function").rows[0]["tottime_us"] >= 0
    True
    """
    words = ["table", *map(argument, inputs), "--group-by", group_by, *_options(options), "--format", "json"]
    return Table(json.loads(call(words, (0,), timeout).out))
