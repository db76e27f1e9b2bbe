"""report, diff, check and table: what the commands of these names say, as objects.

Each call runs the program once, and is done with the inputs when it returns; no file is left behind. Calls may run at
the same time in several threads. The objects hold what the program wrote, and are not changed by anything here.
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
from ._tables import CHECK, DIFF, JOB, REPORT, TABLE, Json, Places, Row, Tables, frame, rows_at

if TYPE_CHECKING:
    import pandas

Options = Union[str, Sequence[str]]

_DECIDED = (0, 1, 6)  # a comparison or gate: passed, found something, cannot tell


@dataclass(frozen=True)
class Evidence:
    """An event that a finding is about. ``ts_us``: microseconds since the trace began."""

    event_ordinal: int
    ts_us: Optional[float]
    name: str
    file_line: str


@dataclass(frozen=True)
class Finding:
    """What could be better, as the report says it, and an estimate of what that gains.

    ``ceiling_us_per_step`` is in microseconds, ``share_of_step_percent`` in percent of a step; None where the trace does
    not tell. ``evidence`` has the first events of ``evidence_total``. ``id`` is the rule's, and stays the same between
    versions. ``low_percent`` to ``high_percent`` of a step is an estimate of what mending it gains, after the
    findings before it: never more than its share, but for waits (A4 to A6), whose removal may fill idle time elsewhere.
    ``counted_percent`` is the part of ``high_percent`` that the sum of all findings counts. The rule named the cause in
    ``right`` of the ``known`` programs in which it reported and the cause is known. ``cause`` is a word for what is wrong
    ("input.transform"), None where several causes look alike.
    """

    id: str
    cause: Optional[str]
    title: str
    severity: str
    confidence: str
    ceiling_us_per_step: Optional[float]
    share_of_step_percent: Optional[float]
    low_percent: Optional[float]
    high_percent: Optional[float]
    counted_percent: Optional[float]
    right: int
    known: int
    detail: str
    advice: str
    doc_url: str
    weakened_by: Tuple[str, ...]
    evidence_total: int
    evidence: Tuple[Evidence, ...]
    worker: str

    @classmethod
    def _of(cls, row: Json, worker: str) -> Finding:
        return cls(
            id=row["id"],
            cause=row.get("cause"),
            title=row["title"],
            severity=row["severity"],
            confidence=row["confidence"],
            ceiling_us_per_step=row.get("ceiling_us_per_step"),
            share_of_step_percent=row.get("share_of_step_percent"),
            low_percent=row.get("low_percent"),
            high_percent=row.get("high_percent"),
            counted_percent=row.get("counted_percent", row.get("high_percent")),
            right=row.get("right") or 0,
            known=row.get("known") or 0,
            detail=row.get("detail") or "",
            advice=row.get("advice") or "",
            doc_url=row.get("doc_url") or "",
            weakened_by=tuple(row.get("weakened_by") or ()),
            evidence_total=row.get("evidence_total") or 0,
            evidence=tuple(
                Evidence(e["event_ordinal"], e.get("ts_us"), e.get("name") or "", e.get("file_line") or "")
                for e in row.get("evidence") or ()
            ),
            worker=worker,
        )


class Profile:
    """One trace of a report. ``json`` is its object of the schema tracepress-views."""

    def __init__(self, run_name: str, json: Json) -> None:
        self.json = json
        self.run_name = run_name
        self.worker: str = json["worker"]
        self.file: str = json["file"]
        self.error: str = json.get("error") or ""  # why a trace among others could not be read; "" when it was

    @property
    def _verdict(self) -> Json:
        return self.json.get("verdict") or {}

    @property
    def verdict(self) -> str:
        """What bounds the steps: "input-bound", "communication-bound", "cpu" .., or "" where the trace does not tell."""
        return self._verdict.get("class") or ""

    @property
    def headline(self) -> str:
        """The verdict as the sentence that the page begins with."""
        return self._verdict.get("headline") or ""

    @property
    def step_us(self) -> Optional[float]:
        """The mean step in microseconds, without those left out as warm-up; None where there are no steps."""
        return self._verdict.get("step_us")

    @property
    def damage(self) -> str:
        """What is missing or broken in the trace; "" when it is whole."""
        return (self.json.get("evidence") or {}).get("reason") or ""

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings, heaviest first."""
        rows = (self.json.get("recommendations") or {}).get("findings") or ()
        return tuple(Finding._of(row, self.worker) for row in rows)

    def __repr__(self) -> str:
        return f"<Profile {self.worker!r}: {self.error or self.verdict or 'no verdict'}>"


class _Result:
    """What all results have: the program's JSON, its digest in Markdown, its tables, and what it said beside them."""

    def __init__(self, said: Outputs, places: Places) -> None:
        self.json: Dict[str, Any] = said.json
        self.markdown: str = said.markdown
        self.messages: Tuple[str, ...] = said.messages  # lines on standard error: notices and warnings
        self.exit_code: int = said.code
        self.tables = Tables(self.json, places)

    def __str__(self) -> str:
        return self.markdown


class _Page(_Result):
    """A result that has a page, and shows it in a notebook."""

    height = "min(85vh, 900px)"  # of the frame in a notebook, as CSS has lengths

    def __init__(self, said: Outputs, places: Places) -> None:
        super().__init__(said, places)
        self.html: str = said.html

    def save(self, path: Input) -> Path:
        """Write the page to a file, which appears whole or not at all. Returns its path; raises OSError."""
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
        """The page in a frame of its own origin: it runs its own script, and reaches neither notebook nor network."""
        return (
            '<iframe sandbox="allow-scripts allow-popups" referrerpolicy="no-referrer" title="tracepress" '
            f'style="width:100%;height:{self.height};border:1px solid #8884" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )


class Report(_Page):
    """What `report` returns for traces. In a notebook it shows its page; ``print()`` gives the digest."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, REPORT)
        self.profiles = tuple(
            Profile(run["run_name"], profile) for run in self.json["runs"] for profile in run["profiles"]
        )  # one for each trace, in the order of the page

    @property
    def _first(self) -> Optional[Profile]:
        return next((profile for profile in self.profiles if not profile.error), None)

    @property
    def verdict(self) -> str:
        """The verdict of the first trace that could be read; those of all: ``.profiles``."""
        return self._first.verdict if self._first else ""

    @property
    def headline(self) -> str:
        """The first sentence of the page of that trace."""
        return self._first.headline if self._first else ""

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings over the ranks of a run, then those of all traces, in the order of ``.profiles``."""
        runs = [run.get("recommendations") or {} for run in self.json.get("runs") or ()]
        over_ranks = tuple(Finding._of(row, "") for run in runs for row in run.get("findings") or ())
        return over_ranks + tuple(finding for profile in self.profiles for finding in profile.findings)

    def __repr__(self) -> str:
        many = f"{len(self.profiles)} traces, the first " if len(self.profiles) > 1 else ""
        return f"<Report: {many}{self.verdict or 'no verdict'}, {len(self.findings)} findings>"


class JobReport(_Page):
    """What `report` returns for summaries (``.tps``): the ranks of a job compared. Its numbers are in ``.tables``."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, JOB)

    @property
    def findings(self) -> List[Row]:
        """What holds the job up, worst first: the rows of ``tables["findings"]``."""
        return self.tables.rows("findings")

    def __repr__(self) -> str:
        return f"<JobReport: {len(self.tables.rows('ranks'))} ranks, {len(self.findings)} findings>"


class Diff(_Page):
    """What `diff` returns. In a notebook it shows its page; ``print()`` gives the digest."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, DIFF)

    @property
    def verdict(self) -> str:
        """ "improved", "neutral", "regressed" or "inconclusive"."""
        return str(self.json["verdict"])

    @property
    def summary(self) -> str:
        """The verdict as one line."""
        return str(self.json["summary"])

    @property
    def damage(self) -> str:
        """Why an input is too damaged or incomplete to tell (exit code 6), "" when none is."""
        return self.json.get("damage") or ""

    def __repr__(self) -> str:
        return f"<Diff: {self.summary}>"


class Check(_Result):
    """What `check` returns. ``print()`` gives a digest; a notebook shows it."""

    def __init__(self, said: Outputs) -> None:
        super().__init__(said, CHECK)

    @property
    def verdict(self) -> str:
        """ "pass", "warn", "fail" or "inconclusive"."""
        return str(self.json["verdict"])

    @property
    def summary(self) -> str:
        """The verdict as one line."""
        return str(self.json["verdict_line"])

    @property
    def is_passed(self) -> bool:
        """Whether a gate lets this run through, as the program's exit code 0 does."""
        return self.exit_code == 0

    @property
    def is_damaged(self) -> bool:
        """Whether an input is too damaged or incomplete to tell."""
        return bool(self.json["damaged"])

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return f"<Check: {self.summary}>"


class Table:
    """What `table` returns: rows of all profiles, in the program's order. ``json`` has the schema tracepress-table.

    ``rows`` are dictionaries; their first member, "profile", names the trace. Times are in microseconds ("_us"), sizes
    in bytes. ``frame()`` makes a new pandas.DataFrame of them, and needs pandas.
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


# ---- the program's outputs ----


class Outputs(NamedTuple):
    """What a call left in its files and on standard error."""

    code: int
    json: Dict[str, Any]
    markdown: str
    html: str
    messages: Tuple[str, ...]


def _options(options: Options) -> List[str]:
    return shlex.split(options) if isinstance(options, str) else list(options)


def outputs(words: Sequence[str], expect: Sequence[int], timeout: Optional[float], has_page: bool = True) -> Outputs:
    """Run a command with its outputs in a folder that is gone afterwards."""
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


def report_of(words: Sequence[str], timeout: Optional[float] = None) -> Union[Report, JobReport]:
    """`report` with the words of a command line."""
    said = outputs(["report", *words], (0,), timeout)
    return JobReport(said) if said.json["schema"] == "tracepress-job" else Report(said)


def diff_of(words: Sequence[str], timeout: Optional[float] = None) -> Diff:
    """`diff` with the words of a command line."""
    return Diff(outputs(["diff", *words], _DECIDED, timeout))


def check_of(words: Sequence[str], timeout: Optional[float] = None) -> Check:
    """`check` with the words of a command line."""
    return Check(outputs(["check", *words], _DECIDED, timeout, has_page=False))


# ---- what users call ----


def report(*inputs: Input, options: Options = (), timeout: Optional[float] = None) -> Report:
    """Read traces, or folders that hold some, as ``tracepress report INPUT...`` does.

    ``options`` are more words of that command line, as a list or one text: ``"--timeline none --strict"``. ``timeout``
    is in seconds. Raises TracepressError when there is no report. For summaries (``.tps``): `job_report`.

    >>> today = report("runs/today")
    >>> today.verdict, len(today.findings) >= 0
    ('cpu', True)
    """
    result = report_of([*map(argument, inputs), *_options(options)], timeout)
    if isinstance(result, JobReport):
        raise TypeError("these are summaries: job_report() reads them")
    return result


def job_report(*inputs: Input, options: Options = (), timeout: Optional[float] = None) -> JobReport:
    """Compare the ranks of a job by their summaries, as ``tracepress report F.tps...`` does; else as `report`."""
    result = report_of([*map(argument, inputs), *_options(options)], timeout)
    if isinstance(result, Report):
        raise TypeError("these are traces: report() reads them")
    return result


def diff(base: Input, new: Input, *, options: Options = (), timeout: Optional[float] = None) -> Diff:
    """Compare two traces, or folders of them, as ``tracepress diff BASE NEW`` does.

    A regression is a result, not an error, and so is that the inputs cannot tell: see ``.verdict`` and ``.exit_code``
    (0 nothing regressed, 1 regressed, 6 an input is damaged or incomplete). Other codes raise TracepressError.

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
    """Hold traces against limits, as ``tracepress check INPUT...`` does.

    ``limits`` are lines of a budget ("step.time.median <= 180 ms"), ``budget`` is a file of them; not both. ``baseline``
    is what limits with a sign refer to ("memory.peak <= +0"). A broken limit is a result, not an error, and so is that
    nothing can be told: see ``.verdict`` and ``.exit_code`` (0 passed, 1 broken, 6 an input is damaged or does not tell, or
    limits with a sign have no baseline).
    Other codes raise TracepressError.

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
    """The tables of key_averages() from traces, as ``tracepress table INPUT... --group-by KEYS --format json`` gives them.

    ``group_by``: "name", "input-shape", "stack", "input-shape,stack", "module", "line", "type", "kernel" or "function".

    >>> table("runs/today", group_by="function").rows[0]["tottime_us"] >= 0
    True
    """
    words = ["table", *map(argument, inputs), "--group-by", group_by, *_options(options), "--format", "json"]
    return Table(json.loads(call(words, (0,), timeout).out))
