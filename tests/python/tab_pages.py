"""Tests the pages of the tab. They must equal those of the program, be made one at a time, be kept, and be limited. No
file outside of the log directories may be read."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

from cases import PROGRAM, case, run_all, trace
from tab_shared import HOSTILE, SECRET, Fake, copy, demo, is_alive, old, own, until, write, write_snapshot

from torch_tracepress.tab import pages
from torch_tracepress.tab.pages import Limits, Maker, Side, Wish
from torch_tracepress.tab.runs import Root, walk


class Board:
    """A log directory, and a Maker of its pages."""

    def __init__(self, folder, **limits):
        self.top = os.path.join(folder, "logs")
        os.makedirs(self.top, exist_ok=True)
        self.maker = Maker(Limits(**limits))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.maker.close()

    def side(self, name, one=None):
        run = next(run for run in walk([Root("", self.top)]).runs if run.name == name)
        return Side(run, next(t for t in run.traces if t.name == one) if one else None)

    def wish(self, *names):
        return Wish(tuple(self.side(name) for name in names))

    def end(self, wish, again=False):
        """Requests a page until it neither waits nor is being made or written. Returns the last answer."""
        first = [again]

        def look():
            answer = self.maker.ask(wish, again=first.pop() if first else False)
            return answer if answer.state not in ("waiting", "making") else None

        return until(look)

    def page(self, wish):
        answer = self.end(wish)
        assert answer.state == "ready", answer
        return self.maker.page(answer.key)


@case("pages: report of a run and of one trace, comparison: the bytes of the program's own")
def _(folder):
    top = demo(folder)
    with Board(folder) as board:
        assert board.page(board.wish("exp/ddp")) == own(["report", "ddp"], os.path.join(top, "exp"))
        one = "worker1.1700000000001.pt.trace.json.gz"
        page = board.page(Wish((board.side("exp/ddp", one),)))
        assert page == own(["report", "ddp/" + one], os.path.join(top, "exp"))
        assert board.page(board.wish("base", "new")) == own(["diff", "base", "new"], top, (0, 1, 6))
        ranks = [board.side("exp/ddp", t.name) for t in board.side("exp/ddp").traces]
        page = board.page(Wish(tuple(ranks)))
        words = ["diff", *("exp/ddp/" + side.one.name for side in ranks)]
        assert page == own(words, top, (0, 1, 6))
        assert board.maker.page("no such key") is None


@case("pages: memory snapshots: one, several, and one together with the trace of its run")
def _(folder):
    top = os.path.join(folder, "logs")
    for name in ("rank0.pickle", "rank1.pickle"):
        write_snapshot(top, "memory", name)
    for run, count in (("joined", 1), ("several", 2)):
        write_snapshot(top, run, "snap.pickle")
        for k in range(count):
            old(copy(trace("gpu_2024"), folder, "logs", run, f"r{k}.pt.trace.json.gz"))
    with Board(folder) as board:
        assert board.page(board.wish("memory")) == own(["report", "memory"], top)
        assert board.page(Wish((board.side("memory", "rank1.pickle"),))) == own(["report", "memory/rank1.pickle"], top)
        page = board.page(board.wish("joined"))
        assert page == own(["report", "joined/r0.pt.trace.json.gz", "joined/snap.pickle"], top) and b"snap0-memory" in page
        assert board.page(board.wish("several")) == own(["report", "several"], top)
        sides = (board.side("memory", "rank0.pickle"), board.side("memory", "rank1.pickle"))
        assert board.page(Wish(sides)) == own(["diff", "memory/rank0.pickle", "memory/rank1.pickle"], top, (0, 1, 6))
        assert [board.side(run).has_trace for run in ("memory", "joined", "several")] == [False, True, True]
        assert not board.side("memory").is_job and len(board.side("several").traces) == 2


@case("pages: a run of many traces is a job, made of summaries; its comparison, too")
def _(folder):
    top = demo(folder)
    most, chunk = pages.TOGETHER_MAX, pages._CHUNK
    with Board(folder) as board:
        for pages.TOGETHER_MAX, pages._CHUNK in ((1, 1), (1, 32)):
            page = board.page(board.wish("exp/ddp"))
            subprocess.run([PROGRAM, "summarize", "exp/ddp", "-o", "ddp.tps", "-q"], cwd=top, check=True)
            assert page == own(["report", "ddp.tps"], top)
            assert board.page(board.wish("exp/ddp", "base")) == own(["diff", "ddp.tps", "base"], top, (0, 1, 6))
        pages.TOGETHER_MAX, pages._CHUNK = most, chunk


@case("pages: history over other runs; what cannot be read is left out and named")
def _(folder):
    top = demo(folder)
    old(write(top, "bad\u202e", "x.pt.trace.json", text="no trace"))
    os.makedirs(os.path.join(folder, "history"))
    for name in ("base", "exp/ddp"):
        out = os.path.join(folder, "history", name.replace("/", "\u2215") + ".tps")
        subprocess.run([PROGRAM, "summarize", name, "-o", out, "-q"], cwd=top, check=True)
    with Board(folder) as board:
        wish = Wish((board.side("new"),), tuple(board.side(name) for name in ("base", "exp/ddp", "bad\u202e")))
        answer = board.end(wish)
        page = board.maker.page(answer.key)
        assert page == own(["report", "new", "--history", "../history"], top)
        left_out = r"left out of the history: bad\\u202e: .*x\.pt\.trace\.json: not a trace.*"
        assert re.fullmatch(left_out, answer.text), answer
        assert board.page(board.wish("new")) != page


@case("pages: of runs and traces with hostile names")
def _(folder):
    for name in HOSTILE:
        copy(trace("hostile_names"), folder, "logs", name, name + ".pt.trace.json.gz")
    with Board(folder) as board:
        for name in HOSTILE:
            page = board.page(board.wish(name))
            assert page == own(["report", os.path.join(".", name)], board.top), name
            assert board.page(Wish((board.side(name, name + ".pt.trace.json.gz"),)))
        assert board.page(board.wish("-o", "--help"))
        answer = board.end(Wish((board.side("a b"),), tuple(board.side(name) for name in HOSTILE[1:])))
        assert answer.state == "ready", answer
        assert re.fullmatch(r"left out of the history: \\udcff.*", answer.text), "a summary is UTF-8, and this is not"
    assert sorted(os.listdir(board.top)) == sorted([*HOSTILE, "own.html"]), "nothing was written there"


@case("pages: a trace that cannot be read gives the program's own line, without our folders, as text")
def _(folder):
    with Board(folder) as board:
        old(write(board.top, "r", "x.pt.trace.json", text="no trace"))
        copy(trace("gpu_2024"), board.top, "good", "w.1.pt.trace.json.gz")
        answer = board.end(board.wish("r"))
        assert answer.state == "failed" and "r/x.pt.trace.json: not a trace" in answer.text, answer
        assert "/tmp" not in answer.text and "tracepress-tab" not in answer.text
        answer = board.end(board.wish("good", "r"))
        assert answer.state == "failed" and "new/r/x.pt.trace.json" in answer.text, answer
        if os.geteuid() != 0:
            os.chmod(os.path.join(board.top, "r", "x.pt.trace.json"), 0)
            answer = board.end(board.wish("r"))
            assert answer.text == "x.pt.trace.json: Permission denied", answer
    with Fake(folder, "lines"), Board(folder, said_bytes=1000) as board:
        answer = board.end(board.wish("good"))
        assert answer.text.startswith("tracepress: a\\u001b[31m\\u202eb\nxxx") and len(answer.text) < 1020, answer


@case("pages: the key is that of each file's size, time and inode, and of the program")
def _(folder):
    with Fake(folder) as fake, Board(folder) as board:
        path = old(write(board.top, "r", "x.pt.trace.json", text="1234"))
        status = os.stat(path)

        def shows(page, calls):
            seen = board.page(board.wish("r")), len(fake.lines())
            place = board.maker._folder
            kept = sorted(os.listdir(place)) if os.path.isdir(place) else "gone"
            assert seen == (page, calls), (seen, fake.lines(), place, kept)

        shows(b"1234", 1)
        shows(b"1234", 1)
        os.rename(path, os.path.join(folder, "aside"))  # replaces the file by another one with the same size and time
        write(path, text="5678")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        shows(b"5678", 2)
        with open(path, "r+") as file:
            file.write("9")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
        shows(b"9678", 3)
        old(write(board.top, "r", "y.pt.trace.json", text="y"))
        shows(b"9678y", 4)
        os.utime(fake.path, (1, 1))  # changes the time of the file, so that it counts as another program
        shows(b"9678y", 5)


@case("pages: a trace that is being written is waited for; one that changes while it is read gives no page")
def _(folder):
    with Fake(folder, gate=True) as fake, Board(folder, quiet_s=3600) as board:
        path = write(board.top, "r", "x.pt.trace.json", text="half")
        assert board.maker.ask(board.wish("r")).state == "writing" and not fake.lines()
    with Fake(folder, gate=True) as fake, Board(folder, quiet_s=0) as board:
        wish = board.wish("r")
        assert board.maker.ask(wish).state == "waiting"
        until(fake.lines)
        assert board.maker.ask(wish).state == "making"
        with open(path, "a") as file:
            file.write(" and half")
        fake.open_gate()
        until(lambda: board.maker._making is None)
        assert board.maker.page(wish.key()) is None
        assert board.page(board.wish("r")) == b"half and half"
        assert board.maker.ask(wish).state == "waiting", "the state that was is never a page"
        until(lambda: board.maker._making is None and not board.maker._waiting)
        assert board.maker.page(wish.key()) is None


@case("pages: what was swapped for a link after it was listed is never read")
def _(folder):
    write(folder, "outside", "deep", "x.pt.trace.json", text=SECRET)
    for kind in ("file", "folder"):
        with Fake(folder) as fake, Board(folder, quiet_s=0) as board:
            path = write(board.top, "run", "deep", "x.pt.trace.json", text="mine")
            wish = board.wish("run/deep")
            if kind == "file":
                os.unlink(path)
                os.symlink(os.path.join(folder, "outside", "deep", "x.pt.trace.json"), path)
            else:
                os.rename(os.path.dirname(path), os.path.dirname(path) + ".old")
                os.symlink(os.path.join(folder, "outside", "deep"), os.path.dirname(path))
            assert board.maker.ask(wish).state == "waiting"
            until(lambda: board.maker._making is None and not board.maker._waiting)
            assert board.maker.page(wish.key()) is None and not fake.lines()
            os.unlink(path if kind == "file" else os.path.dirname(path))
    with Fake(folder, gate=True) as fake, Board(folder, quiet_s=0) as board:
        path = write(board.top, "late", "x.pt.trace.json", text="mine")
        link = os.path.join(folder, "link")
        os.symlink(os.path.join(folder, "outside", "deep", "x.pt.trace.json"), link)
        wish = board.wish("late")
        board.maker.ask(wish)
        until(fake.lines)
        os.replace(link, path)  # by now the program has opened its descriptor
        fake.open_gate()
        assert board.page(wish) == b"mine"


@case("limits: a program that is killed, that never ends, that writes or says without end, that says nothing")
def _(folder):
    old(write(folder, "logs", "r", "x.pt.trace.json", text="mine"))
    for how, limits, text in (
        ("killed", {}, "tracepress report: ended by signal 9"),
        ("segv", {}, "tracepress report: ended by signal 11"),
        ("forever", {"time_s": 0.5}, "not ready after 0.5 s: ended"),
        ("endless", {"output_bytes": 3 << 20}, "more than 3 MiB of output: ended"),
        ("chatty", {"output_bytes": 3 << 20}, "more than 3 MiB of output: ended"),
        ("silent", {}, "tracepress report: exit code 3"),
    ):
        with Fake(folder, how) as fake, Board(folder, **limits) as board:
            wish = board.wish("r")
            answer = board.end(wish)
            assert (answer.state, answer.text) == ("failed", text), (how, answer)
            until(lambda: not fake.alive())
            assert board.maker.page(answer.key) is None and len(fake.lines()) == 1
            assert board.end(wish) == answer and len(fake.lines()) == 1, "not tried again by itself"
            assert board.end(wish, again=True) == answer and len(fake.lines()) == 2
            os.environ["FAKE"] = ""
            assert board.end(wish, again=True).state == "ready"
            os.unlink(fake.log)
    with Board(folder) as board:
        os.environ["TRACEPRESS_PROGRAM"] = os.path.join(folder, "nothing")
        try:
            answer = board.end(board.wish("r"))
        finally:
            os.environ["TRACEPRESS_PROGRAM"] = PROGRAM
        assert answer.state == "failed" and "which is no program" in answer.text, answer


@case("queue: one program at a time, in the order asked, each page once; who asks is answered meanwhile")
def _(folder):
    for index in range(10):
        old(write(folder, "logs", f"r{index}", "x.pt.trace.json", text=str(index)))
    with Fake(folder, gate=True) as fake, Board(folder) as board:
        wishes = [board.wish(f"r{index}") for index in range(10)]
        board.maker.ask(wishes[0])
        until(fake.lines)
        answers = []
        threads = [
            threading.Thread(target=lambda wish=wish: answers.append(board.maker.ask(wish)))
            for wish in wishes
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
            thread.join()
        assert {answer.state for answer in answers} == {"making", "waiting"} and len(fake.lines()) == 1
        assert [board.maker.ask(wish).ahead for wish in wishes] == list(range(10))
        fake.open_gate()
        assert [board.page(wish) for wish in wishes] == [str(index).encode() for index in range(10)]
        assert [line.split("|")[1] for line in fake.lines()] == [f"r{index}" for index in range(10)]
    with Fake(folder, gate=True) as fake, Board(folder, waiting=2) as board:
        os.unlink(fake.gate)
        os.unlink(fake.log)
        board.maker.ask(wishes[0])
        until(fake.lines)
        assert [board.maker.ask(wish).state for wish in wishes[:5]] == ["making", "waiting", "waiting", "full", "full"]
        fake.open_gate()
        assert board.page(wishes[2]) == b"2" and board.page(wishes[4]) == b"4"


@case("queue: what nobody asks for any more is not made; one that is being made ends for others alone")
def _(folder):
    for index in range(3):
        old(write(folder, "logs", f"r{index}", "x.pt.trace.json", text=str(index)))
    with Fake(folder, gate=True) as fake, Board(folder, wanted_s=0.6) as board:
        wishes = [board.wish(f"r{index}") for index in range(3)]
        board.maker.ask(wishes[0])
        until(fake.lines)
        time.sleep(1)
        assert board.maker.ask(wishes[0]).state == "making", "nobody else waits: it goes on"
        time.sleep(1)
        pid = fake.lines(".pids")[0]
        board.maker.ask(wishes[1])
        until(lambda: (board.maker.ask(wishes[1]).state == "making") and len(fake.lines()) == 2)
        assert not is_alive(int(pid)), "forgotten, and another page is wanted"
        board.maker.ask(wishes[2])
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert board.maker.ask(wishes[1]).state == "making"
            time.sleep(0.05)
        fake.open_gate()
        assert board.page(wishes[1]) == b"1"
        until(lambda: board.maker._making is None)
        assert [line.split("|")[1] for line in fake.lines()] == ["r0", "r1"], "the third was not wanted any more"


@case("kept: as many bytes as fit, the longest unused go first; a folder that somebody cleans is made anew")
def _(folder):
    for index in range(4):
        old(write(folder, "logs", f"r{index}", "x.pt.trace.json", text=str(index) * 1000))
    with Fake(folder) as fake, Board(folder, kept_bytes=2500) as board:
        wishes = [board.wish(f"r{index}") for index in range(4)]
        for index in (0, 1, 0, 2):
            assert board.page(wishes[index]) == str(index).encode() * 1000
        place = board.maker._folder
        assert stat.S_IMODE(os.stat(place).st_mode) == 0o700
        kept = [name for name in os.listdir(place) if os.path.isfile(os.path.join(place, name))]
        assert sum(os.stat(os.path.join(place, name)).st_size for name in kept) == 2000
        calls = len(fake.lines())
        assert board.page(wishes[0]) and board.page(wishes[2]) and len(fake.lines()) == calls
        assert board.page(wishes[1]) and len(fake.lines()) == calls + 1
        until(lambda: board.maker._making is None)
        shutil.rmtree(place)
        assert board.maker.page(wishes[1].key()) is None
        assert board.page(wishes[1]) == b"1" * 1000
        place = board.maker._folder
    assert not os.path.exists(place), "removed with the maker"


@case("end: the program and the folder go with the process; a forked child leaves them alone")
def _(folder):
    old(write(folder, "logs", "r", "x.pt.trace.json", text="mine"))
    script = f"""
import os, sys, time
sys.path[:0] = {[os.path.dirname(os.path.abspath(__file__))]!r}
from tab_pages import Board
board = Board({folder!r})
board.maker.ask(board.wish("r"))
while not os.path.exists(os.environ["FAKE_LOG"] + ".pids"):
    time.sleep(0.02)
if os.fork() == 0:
    sys.exit(0)
os.wait()
import signal
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # as TensorBoard does
print(board.maker._folder, os.path.isdir(board.maker._folder), flush=True)
while sys.argv[1] == "wait":
    time.sleep(0.02)
"""
    for how in ("ends", "wait"):
        with Fake(folder, "forever") as fake:
            child = subprocess.Popen([sys.executable, "-c", script, how], stdout=subprocess.PIPE, text=True)
            place, is_there = child.stdout.readline().split()
            assert is_there == "True"
            if how == "wait":
                child.send_signal(signal.SIGTERM)
            assert child.wait(60) == 0, child.returncode
            assert not os.path.exists(place)
            child.stdout.close()
            until(lambda: not fake.alive())
            assert len(fake.lines(".pids")) == 2
            os.unlink(fake.log + ".pids")


@case("end: what a killed process left is removed by the next, and nothing else")
def _(folder):
    old(write(folder, "logs", "r", "x.pt.trace.json", text="mine"))
    place = os.path.join(folder, "tmp")
    kept = [os.path.dirname(write(place, name, "1")) for name in ("tracepress-tab-", "tracepress-tab-mine", "other123")]
    kept.append(write(place, "tracepress-tab-file1234"))
    kept.append(os.path.join(place, "tracepress-tab-link1234"))
    os.symlink(kept[0], kept[-1])
    script = f"""
import os, sys, time
sys.path[:0] = {[os.path.dirname(os.path.abspath(__file__))]!r}
from tab_pages import Board
board = Board({folder!r})
assert board.page(board.wish("r")) == b"mine"
print(board.maker._folder, flush=True)
time.sleep(1000)
"""
    before = tempfile.tempdir
    with Fake(folder):
        words = [sys.executable, "-c", script]
        children = [
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=place))
            for _ in range(2)
        ]
        try:
            killed, alive = [child.stdout.readline().strip() for child in children]
            children[0].kill()
            children[0].wait()
            assert os.listdir(killed), "nobody could remove it"
            tempfile.tempdir = place
            with Board(folder) as board:
                assert not os.path.exists(killed)
                assert os.listdir(alive), "its process lives"
                assert board.page(board.wish("r")) == b"mine"
                folders = [os.path.join(place, name) for name in os.listdir(place)]
                assert sorted(folders) == sorted([*kept, alive, board.maker._folder]), folders
            assert os.path.exists(os.path.join(kept[0], "1"))
        finally:
            tempfile.tempdir = before
            for child in children:
                child.kill()
                child.wait()
                child.stdout.close()


if __name__ == "__main__":
    raise SystemExit(run_all("tab: "))
