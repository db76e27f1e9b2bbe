"""Tests the tab in real TensorBoards: addresses, with options that disturb plugins; links that lead outside; ten pages
at a time.

TENSORBOARD_PYTHON is a Python with TensorBoard, which finds the plugin by the entry point of pyproject.toml. With a
browser (BROWSER_BINARY) and node, tests/browser/tab.mjs uses the tab as a person does."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from cases import PROGRAM, Skip, case, run_all, trace
from tab_shared import HOSTILE, SECRET, Fake, copy, demo, is_alive, old, own, until, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.environ["TENSORBOARD_PYTHON"]
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def site(folder):
    """Makes a folder for PYTHONPATH with the package as pip installs it, including its entry points."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        points = re.search(r"\[project\.entry-points\.(tensorboard_plugins)\]\n((?:\w.*\n)+)", file.read())
    place = os.path.join(folder, "site")
    write(
        place,
        "torch_tracepress-0.dist-info",
        "METADATA",
        text="Metadata-Version: 2.1\nName: torch-tracepress\nVersion: 0\n",
    )
    lines = f"[{points[1]}]\n" + points[2].replace('"', "")
    write(place, "torch_tracepress-0.dist-info", "entry_points.txt", text=lines)
    return place


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class TensorBoard:
    def __init__(self, folder, *flags, prefix=""):
        self.folder, self.prefix = folder, prefix
        self.log = os.path.join(folder, "tensorboard.log")
        self.temporary = os.path.join(folder, "tmp")
        os.makedirs(self.temporary, exist_ok=True)
        self.words = [PYTHON, "-m", "tensorboard.main", "--port", "0", *flags]
        self.environment = dict(os.environ, TMPDIR=self.temporary)
        self.environment["PYTHONPATH"] = os.pathsep.join([site(folder), os.path.join(ROOT, "python")])

    def __enter__(self):
        self.start()
        return self

    def start(self):
        with open(self.log, "wb") as log:
            self.child = subprocess.Popen(self.words, stdout=log, stderr=log, env=self.environment, cwd=self.folder)
        try:
            self.base = until(self.address, 600)
        except BaseException:
            self.child.kill()
            raise

    def address(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        assert self.child.poll() is None, said
        found = re.search(r" at http://\S+?:(\d+)/", said)
        return found and f"http://localhost:{found[1]}{self.prefix}"

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(120)
        with open(self.log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        assert "In 3.0, this warning" not in said and "torch_tracepress" not in said, said
        assert not self.folders(), "the folder of pages is removed"

    def folders(self):
        return [name for name in os.listdir(self.temporary) if name.startswith("tracepress")]

    def get(self, path, method="GET", headers=None, **query):
        address = self.base + path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")
        try:
            with OPENER.open(urllib.request.Request(address, method=method, headers=headers or {}), timeout=600) as reply:
                return Reply(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            return Reply(error.code, error.headers, error.read())

    def ours(self, path, **more):
        reply = self.get("/data/plugin/tracepress/" + path, **more)
        assert reply.headers["X-Content-Type-Options"] == "nosniff" and reply.headers["Content-Type"], reply.headers
        return reply

    def is_active(self):
        return self.get("/data/plugins_listing").json["tracepress"]["enabled"]

    def runs(self):
        return {run["name"]: run for run in self.ours("runs").json["runs"]}

    def query(self, run, trace="", base=""):
        runs = self.runs()
        query = {"run": runs[run]["id"]}
        if trace:
            query["trace"] = next(each["id"] for each in runs[run]["traces"] if each["name"] == trace)
        if base:
            query["base"] = runs[base]["id"]
        return query

    def made(self, **query):
        """Requests a page repeatedly and returns the last answer."""

        def look():
            reply = self.ours("make", **query)
            assert reply.status == (200 if reply.json["state"] in ("ready", "failed") else 202), reply.body
            return reply.json if reply.status == 200 else None

        return until(look)

    def page(self, **query):
        answer = self.made(**query)
        assert answer["state"] == "ready", answer
        reply = self.ours("page", key=answer["key"])
        assert reply.status == 200 and reply.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = reply.headers["Content-Security-Policy"]
        assert "default-src 'none'; style-src 'sha256-" in policy and "unsafe" not in policy, policy
        assert policy.endswith("; frame-ancestors 'self'") and policy.count("default-src") == 1, policy
        return reply.body


def check_listing_and_page(board, names, run, page):
    listing = board.get("/data/plugins_listing").json
    assert listing["tracepress"]["enabled"] is True and listing["tracepress"]["tab_name"] == "tracepress"
    entry = board.get("/data/plugin_entry.html", name="tracepress")
    assert entry.status == 200 and b"./index.js" in entry.body
    assert board.ours("index.js").headers["Content-Type"].startswith("text/javascript")
    assert sorted(board.runs()) == sorted(names), sorted(board.runs())
    assert board.page(**board.query(run)) == page


@case("TensorBoard: pages, comparison, history; errors as text; answers that are no page's")
def _(folder):
    top = demo(folder)
    old(write(top, "bad", "x.pt.trace.json", text="no trace"))
    write(top, "base", "events.out.tfevents.1.host", text="")
    with TensorBoard(folder, "--logdir", top, "--load_fast=false") as board:
        check_listing_and_page(
            board, ["bad", "base", "new", "exp/ddp"], "exp/ddp", own(["report", "ddp"], os.path.join(top, "exp"))
        )
        name = "worker1.1700000000001.pt.trace.json.gz"
        page = board.page(**board.query("exp/ddp", name))
        assert page == own(["report", "ddp/" + name], os.path.join(top, "exp"))
        assert board.page(**board.query("new", base="base")) == own(["diff", "base", "new"], top, (0, 1, 6))
        answer = board.made(history="1", **board.query("new"))
        assert answer["state"] == "ready" and answer["text"].startswith("left out of the history: bad: "), answer
        plain = board.made(**board.query("new"))
        assert plain["key"] != answer["key"] and not plain["text"]
        failed = board.made(**board.query("bad"))
        assert failed["state"] == "failed" and "bad/x.pt.trace.json: not a trace" in failed["text"], failed
        assert board.ours("make", again="1", **board.query("bad")).json["state"] in ("waiting", "making")
        assert board.made(**board.query("bad")) == failed
        runs = board.runs()
        assert [runs[run]["has_scalars"] for run in ("base", "new")] == [True, False]
        version = board.ours("runs").json["version"]
        assert board.ours("runs", have=version).json == {"version": version}
        query = board.query("new")
        assert board.ours("make", method="POST", **query).status == 405
        assert board.ours("make", headers={"Sec-Fetch-Site": "cross-site"}, **query).status == 403
        assert board.ours("make", headers={"Sec-Fetch-Site": "same-site"}, **query).status == 403
        assert board.ours("make", headers={"Sec-Fetch-Site": "same-origin"}, **query).status == 200
        assert board.ours("make", **{f"x{index}": "1" for index in range(99)}).status == 400
        assert board.ours("page", key="none").status == 404
        head = board.ours("page", method="HEAD", key=plain["key"])
        assert head.status == 200 and not head.body and int(head.headers["Content-Length"]) > 1000


@case("TensorBoard: --path_prefix with the fast loader and --bind_all")
def _(folder):
    top = demo(folder)
    flags = ("--logdir", top, "--path_prefix=/under/here", "--load_fast=true", "--bind_all")
    with TensorBoard(folder, *flags, prefix="/under/here") as board:
        check_listing_and_page(board, ["base", "new", "exp/ddp"], "new", own(["report", "new"], top))


@case("TensorBoard: --logdir_spec; folders elsewhere are named as not read")
def _(folder):
    top = demo(folder)
    spec = f"left:{top}/base,right:{top}/exp,{top}/new"
    with TensorBoard(folder, "--logdir_spec", spec) as board:
        check_listing_and_page(board, ["left", "right/ddp", "."], "left", own(["report", "base"], top))
        assert board.ours("runs").json["remote"] == []


@case("TensorBoard: no tab without traces; it comes with the first one, and each later one is listed")
def _(folder):
    top = os.path.join(folder, "logs")
    os.makedirs(top)
    with TensorBoard(folder, "--logdir", top, "--load_fast=false") as board:
        assert board.is_active() is False and board.runs() == {}
        path = copy(trace("gpu_2024"), top, "late", "w.1.pt.trace.json.gz")
        until(board.is_active)
        first = board.page(**board.query("late"))
        with open(trace("gpu_2026"), "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2])
        old(path)
        until(lambda: board.page(**board.query("late")) != first)
        with open(path, "wb") as file:
            file.write(data)
        os.utime(path, (1, 1))
        wanted = own(["report", "late"], top)
        until(lambda: board.page(**board.query("late")) == wanted)
        copy(trace("gpu_2021"), top, "later", "w.2.pt.trace.json.gz")
        until(lambda: "later" in board.runs())
        shutil.rmtree(os.path.join(top, "late"))
        query = board.query("late")
        until(lambda: "late" not in board.runs())
        assert board.ours("make", **query).status == 404


@case("TensorBoard: nothing outside the log directory is served, whatever is linked or asked")
def _(folder):
    top = demo(folder)
    write(folder, "outside", "deep", "x.pt.trace.json", text=SECRET)
    for name in HOSTILE:
        copy(trace("hostile_names"), top, name, name + ".pt.trace.json.gz")
    os.symlink("/etc/passwd", os.path.join(top, "new", "x.pt.trace.json.gz"))
    os.symlink("/etc", os.path.join(top, "etc"))
    os.symlink(os.path.join(folder, "outside"), os.path.join(top, "outside"))
    os.symlink("../outside/deep/x.pt.trace.json", os.path.join(top, "x.pt.trace.json"))
    os.symlink("new", os.path.join(top, "latest"))
    with TensorBoard(folder, "--logdir", top, "--load_fast=false") as board:
        runs = board.runs()
        shown = {re.sub(r"\\u(....)", lambda m: chr(int(m[1], 16)), name) for name in runs}
        assert shown == {"base", "new", "latest", "exp/ddp", *HOSTILE}, shown
        assert [each["name"] for each in runs["new"]["traces"]] == ["w.2.pt.trace.json.gz"]
        good = runs["new"]["id"]
        evil = ["../../etc", "/etc", "..", "new", "new/..", "\0", "%2e%2e", good + "/..", good + "\0", "x" * 5000, top]
        for word in evil:
            for query in (
                {"run": word},
                {"run": good, "trace": word},
                {"run": good, "base": word},
                {"run": good, "base": good, "base_trace": word},
            ):
                assert board.ours("make", **query).status == 404, query
            assert board.ours("page", key=word).status == 404
            assert b"root:" not in board.ours("page", key=word).body
        for path in ("../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "page/../../runs.py", "index.js/../plugin.py"):
            assert board.get("/data/plugin/tracepress/" + path).status == 404, path
        for name in ("-o", "new\\u000aline"):
            assert board.made(run=runs[name]["id"])["state"] == "ready"
        late = copy(trace("gpu_2024"), top, "late", "x.pt.trace.json.gz")
        query = until(lambda: "late" in board.runs() and board.query("late"))
        os.unlink(late)
        os.symlink("/etc/passwd", late)
        until(lambda: board.ours("make", **query).status == 404)
        assert "late" not in board.runs()


@case("TensorBoard: ten pages are asked for by two: one is made at a time, everything else is answered meanwhile")
def _(folder):
    top = os.path.join(folder, "logs")
    for index in range(10):
        old(write(top, f"r{index}", "x.pt.trace.json", text=f"<html>{index}"))
    with Fake(folder, gate=True) as fake, TensorBoard(folder, "--logdir", top, "--load_fast=false") as board:
        runs = board.runs()
        for _ in range(2):
            for index in range(10):
                state = board.ours("make", run=runs[f"r{index}"]["id"]).json
                assert state["state"] in ("waiting", "making"), state
        for path in ("/data/plugins_listing", "/data/environment", "/data/runs", "/data/plugin/scalars/tags", "/"):
            assert board.get(path).status == 200, path
        assert len(fake.lines()) == 1, "nothing of this waited for the program"
        fake.open_gate()
        for index in range(10):
            answer = board.made(run=runs[f"r{index}"]["id"])
            page = board.ours("page", key=answer["key"])
            assert page.body == f"<html>{index}".encode()
            assert page.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'self'"
        assert len(fake.lines()) == 10


@case("TensorBoard: ended while a page is made, it leaves no program and no folder")
def _(folder):
    old(write(folder, "logs", "r", "x.pt.trace.json", text="mine"))
    with Fake(folder, "forever") as fake:
        with TensorBoard(folder, "--logdir", os.path.join(folder, "logs"), "--load_fast=false") as board:
            board.ours("make", **board.query("r"))
            pids = until(lambda: fake.lines(".pids")[1:] and fake.lines(".pids"))
            assert board.folders()
        until(lambda: not any(is_alive(int(pid)) for pid in pids))


@case("TensorBoard: killed while a page is made; the next removes its folder, and the page is made")
def _(folder):
    old(write(folder, "logs", "r", "x.pt.trace.json", text="<html>mine"))
    flags = ("--logdir", os.path.join(folder, "logs"), "--load_fast=false")
    with Fake(folder, gate=True) as fake:
        killed = TensorBoard(folder, *flags)
        killed.start()
        killed.ours("make", **killed.query("r"))
        until(fake.lines)
        left = killed.folders()
        killed.child.kill()
        killed.child.wait()
        assert len(left) == 1 and killed.folders() == left, left
        with TensorBoard(folder, *flags) as board:
            assert not board.folders(), "as soon as it answers"
            fake.open_gate()
            until(lambda: not fake.alive())
            answer = board.made(**board.query("r"))
            assert board.ours("page", key=answer["key"]).body == b"<html>mine"
            assert len(board.folders()) == 1 and board.folders() != left


def browse(folder, script, *words):
    browser = os.environ.get("BROWSER_BINARY", "")
    node = shutil.which("node")
    if not browser or not node:
        raise Skip("no chromium or no node")
    words = [node, os.path.join(ROOT, "tests", "browser", script), browser, *words]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    sys.stdout.write(done.stdout)
    assert done.returncode == 0 and "not ok" not in done.stdout, done.stderr


@case("TensorBoard: a program that trains: its report as soon as it has a trace, and its scalars as they come")
def _(folder):
    top = os.path.join(folder, "logs")
    program = os.path.join(os.environ["TOOLS"], "train")
    words = [program, os.path.join(ROOT, "README.md"), os.path.join(top, "run"), "100000000"]
    with TensorBoard(folder, "--logdir", top, "--load_fast=false", "--reload_interval=1") as board:

        def last_step():
            reply = board.get("/data/plugin/scalars/scalars", run="run", tag="profile_step/time_ms")
            return reply.json[-1][1] if reply.status == 200 else 0

        assert not board.is_active()
        child = subprocess.Popen(words, env=dict(os.environ, TRACEPRESS_LIVE="1"), stdout=subprocess.DEVNULL)
        try:
            until(board.is_active)
            assert board.runs()["run"]["has_scalars"]
            board.page(**board.query("run"))
            first = until(last_step)
            until(lambda: last_step() > first)
            browse(folder, "tab_live.mjs", board.base, "run")
            assert child.poll() is None, "it goes on"
        finally:
            child.kill()
            child.wait()


@case("TensorBoard in a browser")
def _(folder):
    top = demo(folder)
    hostile = '<img src=x onerror="alert(1)">'
    copy(trace("hostile_names"), top, hostile, hostile + ".pt.trace.json.gz")
    old(write(top, "bad", "x.pt.trace.json", text="no trace \x1b[31m"))
    write(top, "base", "events.out.tfevents.1.host", text="")
    flags = ("--logdir", top, "--path_prefix=/under/here", "--load_fast=false")
    with TensorBoard(folder, *flags, prefix="/under/here") as board:
        browse(folder, "tab.mjs", board.base, top, trace("gpu_2021"), PROGRAM)


raise SystemExit(run_all("tab: "))
