"""Tests the tab's list of runs: names and order, links that lead outside, and files that are replaced between listing
and opening."""

import json
import os
import socket
import threading

from cases import Skip, case, run_all
from tab_shared import HOSTILE, SECRET, until, write

from torch_tracepress.tab import runs
from torch_tracepress.tab.runs import Root, Scanner, open_trace, roots_of, walk


def logdir(folder):
    """Makes folder/logs, and next to it folder/outside with a secret that can be reached only by links."""
    write(folder, "outside", "deep", "secret.pt.trace.json", text=SECRET)
    top = os.path.join(folder, "logs")
    write(top, "real", "w.1.pt.trace.json", text="real")
    return top


def names(listing):
    return {run.name: [trace.name for trace in run.traces] for run in listing.runs}


def content(trace):
    with os.fdopen(open_trace(trace)) as file:
        return file.read()


@case("runs: folders with traces, in natural order, with the files next to them")
def _(folder):
    top = os.path.join(folder, "logs")
    for name in ("w10.5", "w2.7", "w2.30"):
        write(top, "run10", name + ".pt.trace.json.gz")
    write(top, "run2", "a", "x.pt.trace.json")
    write(top, "run2", "a", "events.out.tfevents.1.host")
    write(top, "run2", "model.pt")
    write(top, "none", "x.json")
    write(top, "none", "x.pt.trace.json.bak")
    os.makedirs(os.path.join(top, "none", "folder.pt.trace.json"))
    write(top, "top.pt.trace.json")
    listing = walk([Root("", top)])
    assert names(listing) == {
        ".": ["top.pt.trace.json"],
        "run2/a": ["x.pt.trace.json"],
        "run10": ["w2.7.pt.trace.json.gz", "w2.30.pt.trace.json.gz", "w10.5.pt.trace.json.gz"],
    }
    assert [run.name for run in listing.runs] == [".", "run2/a", "run10"]
    assert [run.folder for run in listing.runs] == ["logs", "a", "run10"]
    assert [run.has_scalars for run in listing.runs] == [False, True, False]
    assert listing.run(listing.runs[1].id) == listing.runs[1] and listing.run("../run10") is None
    assert listing.runs[0].trace(listing.runs[0].traces[0].id) and listing.runs[0].trace("top.pt.trace.json") is None
    assert walk([Root("", top)]) == listing
    assert not walk([Root("", os.path.join(folder, "nothing"))]).runs


@case("runs: memory snapshots by their names, after the traces; other pickles are not listed")
def _(folder):
    top = os.path.join(folder, "logs")
    for name in ("rank10_memory_snapshot.pickle", "rank2_memory_snapshot.pickle", "b.pt.trace.json", "model.pkl", "data.pickle"):
        write(top, "both", name)
    for name in ("snapshot_oom_rank-3.pickle.gz", "MemorySnap.PKL", "snapshot.pickle.txt"):
        write(top, "memory", name)
    write(top, "none", "model.pickle")
    listing = walk([Root("", top)])
    assert names(listing) == {
        "both": ["b.pt.trace.json", "rank2_memory_snapshot.pickle", "rank10_memory_snapshot.pickle"],
        "memory": ["MemorySnap.PKL", "snapshot_oom_rank-3.pickle.gz"],
    }
    assert [trace.is_snapshot for trace in listing.runs[0].traces] == [False, True, True]


@case("runs: the version changes with the size, the time, the inode and the name of a file")
def _(folder):
    path = write(folder, "logs", "r", "x.pt.trace.json", text="1234")
    seen = []

    def is_new():
        seen.append(walk([Root("", os.path.join(folder, "logs"))]).version)
        return seen.count(seen[-1]) == 1

    assert is_new() and not is_new()
    status = os.stat(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert is_new()
    os.rename(path, path + ".old")
    write(path, text="5678")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert is_new(), "another file of the same size and time"
    os.rename(path, os.path.join(folder, "logs", "r", "y.pt.trace.json"))
    assert is_new()


@case("runs: the log directories of --logdir and --logdir_spec, as TensorBoard reads them")
def _(folder):
    home = os.path.expanduser("~")
    for logdir_flag, spec, wanted, remote in (
        ("runs", None, [("", "runs")], []),
        ("a:b,c", "x:y", [("", "a:b,c")], []),
        ("~/x", "", [("", home + "/x")], []),
        ("gs://bucket/x", None, [], ["gs://bucket/x"]),
        ("", "a:/x,b:y/z", [("a", "/x"), ("b", "y/z")], []),
        (None, "/x:y,plain,~/z", [("", "/x:y"), ("", "plain"), ("", home + "/z")], []),
        ("", "a:s3://bucket/x,b:/y,gs://c", [("b", "/y")], ["s3://bucket/x", "gs://c"]),
        ("", "a:b:c,", [("a", "b:c")], []),
        (None, None, [], []),
    ):
        assert roots_of(logdir_flag, spec) == ([Root(*each) for each in wanted], remote), (logdir_flag, spec)
    try:
        from tensorboard.backend.event_processing.data_ingester import _parse_event_files_spec as its
    except ImportError:
        return
    for spec in ("a:/x,b:y/z", "/x:y,plain", "a:b:c", "~/x", "a:~/x"):
        ours = {os.path.realpath(root.folder): root.prefix or None for root in roots_of("", spec)[0]}
        assert ours == its(spec), spec


@case("runs: several log directories; runs of one name keep apart")
def _(folder):
    for place in ("one/r", "two/r", "two"):
        write(folder, place, "x.pt.trace.json", text=place)
    one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
    assert sorted(names(walk([Root("left", one), Root("right", two)]))) == ["left/r", "right", "right/r"]
    listing = walk([Root("", one), Root("", two)])
    assert sorted(names(listing)) == [".", "r", "r (2)"] and len({run.id for run in listing.runs}) == 3
    assert {content(run.traces[0]) for run in listing.runs} == {"one/r", "two/r", "two"}
    assert len({run.id for run in walk([Root("a", one), Root("b", one)]).runs}) == 2


@case("links: those that lead out of the log directories are not listed, files and folders")
def _(folder):
    top = logdir(folder)
    outside = os.path.join(folder, "outside")
    os.symlink("/etc/passwd", os.path.join(top, "real", "x.pt.trace.json.gz"))
    os.symlink("../../outside/deep/secret.pt.trace.json", os.path.join(top, "real", "y.pt.trace.json"))
    os.symlink(outside, os.path.join(top, "linked"))
    os.symlink(os.path.join("..", "outside", "deep"), os.path.join(top, "deep"))
    os.symlink(os.path.join(top, "linked", "deep"), os.path.join(top, "chain"))
    os.symlink("linked/deep/secret.pt.trace.json", os.path.join(top, "chain.pt.trace.json"))
    os.symlink(folder, os.path.join(top, "above"))
    os.symlink("/", os.path.join(top, "everything"))
    os.symlink(os.path.join(folder, "logs-beside"), os.path.join(top, "beside"))
    write(folder, "logs-beside", "z.pt.trace.json", text=SECRET)
    os.symlink("/proc/self/root", os.path.join(top, "proc"))
    assert names(walk([Root("", top)])) == {"real": ["w.1.pt.trace.json"]}


@case("links: those to what stands below a log directory are listed by their own names; circles end")
def _(folder):
    top = logdir(folder)
    os.symlink("real", os.path.join(top, "latest"))
    write(top, "real", "inside", "i.pt.trace.json", text="inside")
    os.symlink("../real/w.1.pt.trace.json", write(top, "other", "o.pt.trace.json")[:-15] + "alias.pt.trace.json")
    os.symlink(".", os.path.join(top, "real", "itself"))
    os.symlink("..", os.path.join(top, "real", "up"))
    os.symlink("b", os.path.join(top, "a"))
    os.symlink("a", os.path.join(top, "b"))
    os.symlink("turn.pt.trace.json", os.path.join(top, "turn.pt.trace.json"))
    os.symlink("../other", os.path.join(top, "real", "to_other"))
    os.symlink("../real", os.path.join(top, "other", "to_real"))
    listing = walk([Root("", top)])
    assert names(listing) == {
        "latest": ["w.1.pt.trace.json"],
        "latest/inside": ["i.pt.trace.json"],
        "other": ["alias.pt.trace.json", "o.pt.trace.json"],
        "other/to_real": ["w.1.pt.trace.json"],
        "other/to_real/inside": ["i.pt.trace.json"],
        "real": ["w.1.pt.trace.json"],
        "real/inside": ["i.pt.trace.json"],
        "real/to_other": ["alias.pt.trace.json", "o.pt.trace.json"],
    }, names(listing)
    texts = {(run.name, trace.name): content(trace) for run in listing.runs for trace in run.traces}
    assert texts["latest", "w.1.pt.trace.json"] == texts["other", "alias.pt.trace.json"] == "real"
    other = write(folder, "second", "r", "s.pt.trace.json", text="second")
    os.symlink(os.path.dirname(other), os.path.join(top, "across"))
    assert "across" not in names(walk([Root("", top)]))
    assert "across" in names(walk([Root("", top), Root("", os.path.join(folder, "second"))]))
    os.symlink(top, os.path.join(folder, "way"))
    by_link = names(walk([Root("", os.path.join(folder, "way"))]))
    assert by_link == names(walk([Root("", top)])), "a log directory may be a link"


@case("links: what is swapped for a link after it was listed is not opened")
def _(folder):
    top = logdir(folder)
    secret = os.path.join(folder, "outside", "deep", "secret.pt.trace.json")

    def refused():
        try:
            return content(trace) != SECRET and False
        except OSError:
            return True

    for kind in ("file", "folder", "pipe", "gone", "socket"):
        write(top, "run", "deep", "secret.pt.trace.json", text="mine")
        run = next(run for run in walk([Root("", top)]).runs if run.name == "run/deep")
        trace = run.traces[0]
        assert content(trace) == "mine"
        path = os.path.join(top, "run", "deep", "secret.pt.trace.json")
        os.unlink(path)
        if kind == "file":
            os.symlink(secret, path)
        elif kind == "folder":
            os.rmdir(os.path.dirname(path))
            os.symlink(os.path.dirname(secret), os.path.dirname(path))
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "socket":
            here = os.getcwd()
            os.chdir(os.path.dirname(path))  # the path of a socket must be short
            socket.socket(socket.AF_UNIX).bind(os.path.basename(path))
            os.chdir(here)
        if kind == "pipe":  # the pipe was opened without waiting, and recognized by its stamp
            assert runs.Stamp.of(os.fstat(open_trace(trace))) != trace.stamp
        else:
            assert refused(), kind
        if os.path.islink(os.path.dirname(path)):
            os.unlink(os.path.dirname(path))
        elif os.path.lexists(path):
            os.unlink(path)


@case("names: hostile ones are listed as they are, and opened; ids are plain")
def _(folder):
    top = os.path.join(folder, "logs")
    for name in HOSTILE:
        write(top, name, name + ".pt.trace.json", text="mine")
    listing = walk([Root("", top)])
    assert names(listing) == {name: [name + ".pt.trace.json"] for name in HOSTILE}
    for run in listing.runs:
        assert run.id.isalnum() and run.traces[0].id.isalnum() and content(run.traces[0]) == "mine"
    assert json.dumps([run.name for run in listing.runs])


@case("walk: at most so many names and so deep, and it says when there are more")
def _(folder):
    top = os.path.join(folder, "logs")
    for index in range(30):
        write(top, "many", f"{index}.txt")
    write(top, "first.pt.trace.json")
    write(top, *(["d"] * 70), "deep.pt.trace.json")
    listing = walk([Root("", top)])
    assert names(listing) == {".": ["first.pt.trace.json"]} and not listing.is_cut
    most, runs._ENTRIES_MAX = runs._ENTRIES_MAX, 20
    try:
        listing = walk([Root("", top)])
    finally:
        runs._ENTRIES_MAX = most
    assert listing.is_cut and names(listing) == {".": ["first.pt.trace.json"]}


@case("walk: folders that may not be read are passed over")
def _(folder):
    if os.geteuid() == 0:
        raise Skip("root may read everything")
    top = logdir(folder)
    os.chmod(os.path.dirname(write(top, "closed", "x.pt.trace.json")), 0)
    try:
        assert names(walk([Root("", top)])) == {"real": ["w.1.pt.trace.json"]}
    finally:
        os.chmod(os.path.join(top, "closed"), 0o700)


@case("scanner: one walk for all who ask, the listing before it meanwhile, the next after a pause")
def _(folder):
    top = logdir(folder)
    now, count, gate, begun = [100.0], [0], threading.Event(), threading.Event()
    gate.set()
    own = runs.walk

    def slow(roots):
        count[0] += 1
        begun.set()
        assert gate.wait(60)
        return own(roots)

    runs.walk = slow
    try:
        scanner = Scanner([Root("", top)], clock=lambda: now[0])
        first = scanner.listing()
        now[0] += 1.9
        write(top, "late", "x.pt.trace.json")
        assert scanner.listing() is first and count[0] == 1
        now[0] += 0.2
        gate.clear()
        begun.clear()
        assert scanner.listing() is first, "who begins a slow walk does not wait for its end"
        assert begun.wait(60)
        assert scanner.listing() is first, "who asks during a walk is answered at once"
        now[0] += 10  # simulates a walk of 10 s
        gate.set()
        until(lambda: scanner.listing() is not first)
        assert count[0] == 2 and "late" in names(scanner.listing())
        now[0] += 99
        assert count[0] == 2 and scanner.listing() and count[0] == 2, "a slow walk pauses longer"
        now[0] += 2
        assert until(lambda: scanner.listing() and count[0] == 3)
        until(lambda: not scanner._is_walking)
        gate.clear()
        fresh = Scanner([Root("", top)])
        seen = []
        threads = [threading.Thread(target=lambda: seen.append(fresh.listing())) for _ in range(4)]
        for thread in threads:
            thread.start()
        gate.set()
        for thread in threads:
            thread.join()
        assert count[0] == 4 and len(seen) == 4 and len({id(each) for each in seen}) == 1
    finally:
        runs.walk = own


@case("scanner: a walk that fails is told, and the listing before it stays")
def _(folder):
    now, own, told = [100.0], runs.walk, []
    scanner = Scanner([Root("", logdir(folder))], clock=lambda: now[0])
    first = scanner.listing()
    hook, threading.excepthook = threading.excepthook, told.append

    def fails(roots):
        raise MemoryError("planted")

    try:
        runs.walk = fails
        now[0] += 9
        assert scanner.listing() is first
        until(lambda: told)
        assert not Scanner([Root("", folder)]).listing().runs
        until(lambda: len(told) == 2)
        runs.walk = own
        now[0] += 9
        until(lambda: scanner.listing() is not first)
    finally:
        runs.walk, threading.excepthook = own, hook


raise SystemExit(run_all("tab: "))
