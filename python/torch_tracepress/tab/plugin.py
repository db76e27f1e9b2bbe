"""The plugin that TensorBoard loads: the addresses of the tab, and the headers of its answers.

``index.js`` is the tab. ``runs`` is the listing. ``make`` is the state of a page, with its key if the page exists.
``page`` is the page of a key. Requests name runs and traces by the ids of the listing. Answers never wait for the
program, so that TensorBoard can serve its other tabs meanwhile. Of TensorBoard, only the base class of plugins is used.
"""

from __future__ import annotations

import html
import json
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple
from urllib.parse import parse_qsl

from .._command import printable
from .pages import HISTORY_MAX, Maker, Side, Wish
from .runs import Listing, Run, Scanner, id_of, roots_of

if TYPE_CHECKING:

    class TBPlugin:
        pass

    class FrontendMetadata:
        def __init__(self, *, disable_reload: bool, es_module_path: str, tab_name: str) -> None: ...

else:
    from tensorboard.plugins.base_plugin import FrontendMetadata, TBPlugin

Query = Dict[str, str]
Headers = List[Tuple[str, str]]
App = Callable[[Dict[str, Any], Callable[[str, Headers], Any]], Iterable[bytes]]

_POLICY = re.compile(rb'http-equiv="Content-Security-Policy" content="([^"]*)"')
_TEXT, _HTML, _JSON, _SCRIPT = "text/plain", "text/html", "application/json", "text/javascript"
_STATUS = {
    200: "OK",
    202: "Accepted",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
}
_FIELDS_MAX = 16


class Reply(NamedTuple):
    body: bytes
    kind: str
    status: int = 200
    policy: str = ""


def _text(text: str, status: int) -> Reply:
    return Reply(text.encode("utf-8"), _TEXT, status)


def _json(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode("ascii"), _JSON, status)


def _policy_of(page: bytes) -> str:
    """Return the content security policy of the page, which allows its own style and script, by hash, and no address.
    TensorBoard also requires the policy as a header. In addition, only TensorBoard may frame the page."""
    own = _POLICY.search(page)
    policy = html.unescape(own.group(1).decode("utf-8", "replace")) if own else ""
    if not re.fullmatch(r"[ -~]+", policy):
        policy = "default-src 'none'"
    return policy + "; frame-ancestors 'self'"


def _is_foreign(environ: Dict[str, Any]) -> bool:
    """Return whether a page of another site sends the request. Such a page could not read the answer, but must not
    start programs either."""
    return environ.get("HTTP_SEC_FETCH_SITE", "none") not in ("same-origin", "none")


def _app(answer: Callable[[Query], Reply]) -> App:
    """Return a WSGI application for a function that returns a reply for a query."""

    def reply_to(environ: Dict[str, Any]) -> Reply:
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return _text("GET alone", 405)
        if _is_foreign(environ):
            return _text("asked by another site", 403)
        try:
            query = dict(parse_qsl(environ.get("QUERY_STRING", ""), max_num_fields=_FIELDS_MAX))
        except ValueError:
            return _text("too many fields", 400)
        return answer(query)

    def app(environ: Dict[str, Any], start_response: Callable[[str, Headers], Any]) -> Iterable[bytes]:
        reply = reply_to(environ)
        headers = [
            ("Content-Type", reply.kind if reply.kind == _JSON else reply.kind + "; charset=utf-8"),
            ("Content-Length", str(len(reply.body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        if reply.policy:
            headers.append(("Content-Security-Policy", reply.policy))
        start_response(f"{reply.status} {_STATUS[reply.status]}", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [reply.body]

    return app


def _row(run: Run) -> Dict[str, object]:
    return {
        "id": run.id,
        "name": printable(run.name),
        "version": id_of([(trace.name, trace.stamp) for trace in run.traces]),
        "newest_ms": run.newest_ns // 1_000_000,
        "has_scalars": run.has_scalars,
        "is_job": Side(run).is_job,
        "together": len(Side(run).traces),  # number of files on the page of the run
        "traces": [
            {"id": trace.id, "name": printable(trace.name), "version": id_of(trace.stamp)} for trace in run.traces
        ],
    }


def _side(listing: Listing, run_id: str, trace_id: str) -> Optional[Side]:
    """Return a side of a run: one of its traces, or all if the request names no trace. Return None if it does not
    exist."""
    run = listing.run(run_id)
    trace = run.trace(trace_id) if run and trace_id else None
    return Side(run, trace) if run and (trace or not trace_id) else None


class Plugin(TBPlugin):
    """The tab "tracepress". It is active if the log directories contain traces or memory snapshots."""

    plugin_name = "tracepress"

    def __init__(self, context: Any) -> None:
        flags = getattr(context, "flags", None)
        logdir = getattr(flags, "logdir", None) or getattr(context, "logdir", None)
        roots, remote = roots_of(logdir, getattr(flags, "logdir_spec", None))
        has_descriptors = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
        self._scanner = Scanner(roots if has_descriptors else [])
        self._remote = [printable(folder) for folder in remote]
        self._maker = Maker()

    def is_active(self) -> bool:
        return bool(self._scanner.listing().runs)

    def frontend_metadata(self) -> FrontendMetadata:
        # the tab itself polls for new traces
        return FrontendMetadata(es_module_path="/index.js", tab_name="tracepress", disable_reload=True)

    def get_plugin_apps(self) -> Dict[str, App]:
        return {
            "/index.js": _app(self._index),
            "/runs": _app(self._runs),
            "/make": _app(self._make),
            "/page": _app(self._page),
        }

    def _index(self, query: Query) -> Reply:
        return Reply((Path(__file__).parent / "index.js").read_bytes(), _SCRIPT)

    def _runs(self, query: Query) -> Reply:
        """Return the listing, without its runs if the browser already has this version."""
        listing = self._scanner.listing()
        answer: Dict[str, object] = {"version": listing.version}
        if query.get("have") != listing.version:
            answer["is_cut"] = listing.is_cut
            answer["remote"] = self._remote
            answer["runs"] = [_row(run) for run in listing.runs]
        return _json(answer)

    def _history_of(self, listing: Listing, run: Run) -> Tuple[Side, ...]:
        """Return the newest other runs. Runs that are still being written are omitted for now."""
        before_ns = time.time_ns() - int(self._maker.limits.quiet_s * 1e9)
        others = [
            other
            for other in listing.runs
            if other.id != run.id and other.newest_ns < before_ns and Side(other).has_trace
        ]
        others.sort(key=lambda other: (-other.newest_ns, other.name))
        return tuple(Side(other) for other in others[:HISTORY_MAX])

    def _make(self, query: Query) -> Reply:
        listing = self._scanner.listing()
        side = _side(listing, query.get("run", ""), query.get("trace", ""))
        if side is None:
            return _text("no such run or trace", 404)
        wish = Wish((side,))
        if "base" in query:
            base = _side(listing, query["base"], query.get("base_trace", ""))
            if base is None:
                return _text("no such run or trace to compare with", 404)
            wish = Wish((base, side))
        elif "history" in query and not side.is_job and side.has_trace:
            wish = Wish((side,), self._history_of(listing, side.run))
        answer = self._maker.ask(wish, again="again" in query)
        return _json(answer._asdict(), 200 if answer.state in ("ready", "failed") else 202)

    def _page(self, query: Query) -> Reply:
        page = self._maker.page(query.get("key", ""))
        if page is None:
            return _text("This page is not kept any more: choose it again.", 404)
        return Reply(page, _HTML, policy=_policy_of(page))
