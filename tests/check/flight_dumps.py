"""Makes and checks dumps of PyTorch's Flight Recorder, for the suite flight: flight_dumps.py TRACEPRESS WORK CASE [ARGUMENT].

The dumps are written by hand, as the recorder of NCCL writes them: with states, point-to-point calls and a full ring. The wanted answers are
the planted faults. Standard library only.
"""

import gzip
import json
import os
import pickle
import re
import resource
import subprocess
import sys

TP, WORK = sys.argv[1], sys.argv[2]
START_NS = 1_800_000_000_000_000_000


class Job:
    """A job whose ranks run lists of calls. A call ends when all its ranks are in it."""

    def __init__(self, ranks):
        self.groups = {"0": ("default_pg", list(range(ranks)))}
        self.calls = {rank: [] for rank in range(ranks)}  # (group, op, peer, elements, line)
        self.first = {}  # rank -> number of overwritten calls
        self.ended = {}

    def add_group(self, name, description, ranks):
        self.groups[name] = (description, ranks)

    def call(self, ranks, op, group="0", elements=64, line=10, peer=None):
        for rank in ranks:
            self.calls[rank].append((group, op, peer, elements, line))

    def run(self):
        """Computes which calls ended: rank -> number of ended calls at the start of its list."""
        ended = {rank: 0 for rank in self.calls}
        moved = True
        while moved:
            moved = False
            for rank, calls in self.calls.items():
                while ended[rank] < len(calls):
                    members = self.members(rank, ended[rank])
                    if any(not self.is_at(other, ended, rank) for other in members):
                        break
                    for other in members:
                        ended[other] += 1
                    moved = True
        self.ended = ended

    def members(self, rank, index):
        group, _, peer, _, _ = self.calls[rank][index]
        return self.groups[group][1] if peer is None else [rank, peer]

    def is_at(self, other, ended, rank):
        """Returns whether another rank is in the same call as a rank."""
        if ended[other] >= len(self.calls[other]):
            return False
        group, op, peer, elements, _ = self.calls[rank][ended[rank]]
        other_group, other_op, other_peer, other_elements, _ = self.calls[other][ended[other]]
        if peer is None:
            return (group, op, elements, other_peer) == (other_group, other_op, other_elements, None)
        return other == rank or (other_group == group and other_peer == rank and {op, other_op} == {"send", "recv"})

    def dump(self, rank):
        sequences, entries = {}, []
        for index, (group, op, peer, elements, line) in enumerate(self.calls[rank]):
            key = (group, peer is not None)
            sequences[key] = sequences.get(key, 0) + 1
            is_done = index < self.ended[rank]
            members = self.groups[group][1]
            name = op
            if peer is not None:
                own, other = members.index(rank), members.index(peer)
                name = f"{op} {own}{'->' if op == 'send' else '<-'}{other}"
            entries.append({
                "frames": [{"name": op, "filename": "/env/lib/python3/site-packages/torch/distributed/distributed_c10d.py", "line": 1},
                           {"name": "step", "filename": "/job/train.py", "line": line}],
                "record_id": index, "pg_id": int(group), "process_group": (group, self.groups[group][0]),
                "collective_seq_id": sequences[key], "p2p_seq_id": sequences[key], "op_id": index, "profiling_name": "nccl:" + name,
                "time_created_ns": START_NS + index * 1_000_000 + rank, "input_sizes": [[elements]], "input_dtypes": ["Float"],
                "output_sizes": [[elements]], "output_dtypes": ["Float"],
                "state": "completed" if is_done else "started" if index == self.ended[rank] else "scheduled",
                "retired": is_done, "timeout_ms": 600000, "is_p2p": peer is not None})
        config = {name: {"name": name, "desc": text, "ranks": str(ranks)} for name, (text, ranks) in self.groups.items() if rank in ranks}
        return {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": entries[self.first.get(rank, 0):]}

    def write(self, name, without=()):
        folder = os.path.join(WORK, name)
        os.makedirs(folder, exist_ok=True)
        self.run()
        for rank in self.calls:
            if rank not in without:
                with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as file:
                    pickle.dump(self.dump(rank), file, protocol=2)
        return folder


def hang(folder, code, *options):
    """Runs hang, and returns its JSON."""
    run = subprocess.run([TP, "hang", folder, "--json", "-", *options], capture_output=True, text=True)
    assert run.returncode == code, (folder, run.returncode, run.stderr)
    return json.loads(run.stdout)


def equal(got, wanted):
    assert got == wanted, f"{got!r} is not {wanted!r}"


def pipeline(ranks=4):
    """Two stages of two ranks each: activations go from a stage to the next one, gradients are reduced in each stage."""
    job = Job(ranks)
    job.add_group("1", "stage", [0, 1])
    job.add_group("2", "stage", [2, 3])
    job.add_group("3", "pipe", [0, 2])
    job.add_group("4", "pipe", [1, 3])
    for first, group in ((0, "3"), (1, "4")):
        job.call([first], "send", group, 32, 20, first + 2)
        job.call([first + 2], "recv", group, 32, 30, first)
    job.call([0, 1], "all_reduce", "1", 64, 40)
    job.call([2, 3], "all_reduce", "2", 64, 40)
    job.call(range(ranks), "barrier", "0", 0, 50)
    return job


def healthy():
    equal(hang(pipeline().write("healthy"), 0)["verdict"], "healthy")


def pipeline_stalled():
    job = pipeline()
    job.call([2], "recv", "3", 32, 61, 0)  # rank 0 never sends; rank 3 waits for rank 2
    job.call([3, 2], "all_reduce", "2", 64, 62)
    answer = hang(job.write("stalled"), 1)
    equal([(c["rank"], c["kind"], c["holds"]) for c in answer["culprits"]], [(0, "not_joined", 1)])
    assert answer["headline"].startswith("Rank 0 never called send 0->2 of pipe (3); rank 2 waits in recv, 2 ranks in all"), answer["headline"]


def lines_of_finding(folder):
    """Returns file and line of each place that the finding of a folder has in SARIF."""
    run = subprocess.run([TP, "check", folder, "-q", "--sarif", "-"], capture_output=True, text=True)
    places = [place["physicalLocation"] for result in json.loads(run.stdout)["runs"][0]["results"] for place in result["locations"]]
    return [(os.path.basename(place["artifactLocation"]["uri"]), place["region"]["startLine"]) for place in places]


def cells_of_page(folder, code):
    """Returns the rows of all groups on the page: the ranks, and what they did in each call."""
    page = os.path.join(WORK, "cells.html")
    equal(subprocess.run([TP, "hang", folder, "-o", page, "-q"], capture_output=True).returncode, code)
    with open(page, encoding="utf-8") as file:
        rows = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', file.read(), re.S)
    return [(ranks, re.findall(r'class="cc ([a-z]+)"', cells)) for ranks, cells in rows if 'class="cc ' in cells]


def places():
    """The lines are those of waiting ranks, for sends and receives too, and not of ranks that have passed."""
    job = pipeline()
    job.call([2], "recv", "3", 32, 61, 0)
    equal(lines_of_finding(job.write("places_p2p")), [("train.py", 61)])
    job = Job(4)
    job.call(range(4), "barrier", "0", 0, 10)
    job.call([0], "all_reduce", "0", 64, 71)
    job.call([1, 2], "all_reduce", "0", 64, 72)  # rank 3 is missing; the recorder shows that rank 0 has passed the call
    folder = job.write("places_passed")
    path = os.path.join(folder, "nccl_trace_rank_0")
    with open(path, "rb") as file:
        dump = pickle.load(file)
    dump["entries"][-1].update(state="completed", retired=True)
    with open(path, "wb") as file:
        pickle.dump(dump, file, protocol=2)
    equal(lines_of_finding(folder), [("train.py", 72)])


def marked_calls():
    """Wrong calls are marked in their own group only; if no side is the largest, on all ranks."""
    job = Job(2)
    job.call([0], "all_reduce", "0", 64, 10)
    job.call([1], "broadcast", "0", 64, 20)
    equal(cells_of_page(job.write("undecided"), 1), [("ranks 0, 1", ["diff"])])
    job = Job(6)
    job.add_group("1", "stage", [0, 1, 2])
    job.call([0, 1], "all_reduce", "1", 64, 10)
    job.call([2], "broadcast", "1", 64, 20)
    folder = job.write("one_name")
    for rank in (3, 4, 5):  # their group has the same name, and their calls match
        dump = {"version": "2.10", "pg_status": {}, "pg_config": {"1": {"name": "1", "desc": "stage", "ranks": "[3, 4, 5]"}}}
        with open(os.path.join(folder, "nccl_trace_rank_0"), "rb") as file:
            dump["entries"] = pickle.load(file)["entries"]
        for entry in dump["entries"]:
            entry.update(state="completed", retired=True)
        with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as file:
            pickle.dump(dump, file, protocol=2)
    equal(cells_of_page(folder, 1), [("rank 2", ["diff"]), ("ranks 0, 1", ["wait"]), ("ranks 3, 4, 5", ["done"])])


def two_culprits():
    job = pipeline()
    job.call([0], "all_reduce", "1", 64, 70)
    job.call([2], "all_reduce", "2", 64, 70)
    answer = hang(job.write("two"), 1)
    equal(sorted(c["rank"] for c in answer["culprits"]), [1, 3])


def left_out():
    job = Job(4)
    for elements in (8, 16, 24):
        job.call(range(4) if elements != 8 else (0, 2, 3), "all_reduce", "0", elements, elements)
    answer = hang(job.write("left_out"), 1)
    equal(answer["mismatches"][0]["culprits"], [1])
    equal(answer["mismatches"][0]["shift"], "left_out")


def ring():
    job = pipeline()
    job.call([0], "all_reduce", "1", 64, 80)
    for _ in range(5):
        job.call([1, 3], "broadcast", "4", 8, 81)
    job.first = {1: 6}  # rank 1 has no entry of the group 1 any more
    answer = hang(job.write("ring"), 1)
    equal(answer["ranks"]["overwritten"], {"1": 6})
    equal([c["kind"] for c in answer["culprits"]], ["cannot_tell"])


def lost_file():
    answer = hang(pipeline().write("lost", without=(3,)), 6)
    equal(answer["ranks"]["no_dump"], [3])
    equal(answer["headline"], "No rank that left a dump waits, but rank 3 left none that can be read.")


def forms():
    """Pickles of protocols 2 to 5, JSON and gzip give one answer."""
    job = pipeline()
    job.call([0, 1, 2], "all_reduce", "0", 64, 90)
    folder = job.write("forms")
    wanted = hang(folder, 1)
    equal(wanted["culprits"][0]["rank"], 3)
    for protocol in (3, 4, 5):
        for rank in range(4):
            with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as file:
                pickle.dump(job.dump(rank), file, protocol=protocol)
        equal(hang(folder, 1), wanted)
    for rank in range(4):
        os.unlink(os.path.join(folder, f"nccl_trace_rank_{rank}"))
        with gzip.open(os.path.join(folder, f"rank_{rank}.json.gz"), "wt") as file:
            json.dump(job.dump(rank), file, indent=rank)
    equal(hang(folder, 1), wanted)
    subprocess.run([TP, "hang", folder, "-o", os.path.join(WORK, "a.html"), "-q"], stdout=subprocess.DEVNULL)
    subprocess.run([TP, "hang", folder, "-o", os.path.join(WORK, "b.html"), "-q"], stdout=subprocess.DEVNULL)
    with open(os.path.join(WORK, "a.html"), "rb") as a, open(os.path.join(WORK, "b.html"), "rb") as b:
        assert a.read() == b.read(), "two pages of the same dumps differ"


def two_recorders():
    """A rank can have a dump of NCCL's recorder and one of gloo's recorder; both count."""
    job = Job(2)
    job.call([0, 1], "all_reduce")
    folder = job.write("recorders")
    for rank in range(2):
        dump = job.dump(rank)
        for entry in dump["entries"]:
            entry.update(profiling_name="gloo:all_gather", process_group=("9", "cpu"), state="scheduled", retired=rank == 1)
        dump["pg_config"] = {"9": {"name": "9", "desc": "cpu", "ranks": "[0, 1, 2]"}}
        with open(os.path.join(folder, f"cpu_trace_rank_{rank}"), "wb") as file:
            pickle.dump(dump, file, protocol=2)
    answer = hang(folder, 1)
    equal(answer["calls"], 4)
    equal((answer["culprits"][0]["rank"], answer["culprits"][0]["kind"]), (2, "no_dump"))


def planted():
    """The dumps that torch wrote for this project (tests/torch/flight_dumps.py)."""
    wanted = {"healthy": (0, "healthy", None, None), "missing_rank": (1, "hang", 1, "not_joined"), "json": (1, "hang", 1, "not_joined"),
              "wrong_order": (1, "hang", 2, "type_mismatch"), "wrong_size": (1, "hang", 3, "size_mismatch"),
              "two_groups": (1, "hang", 2, "not_joined"), "exception": (1, "hang", 3, "no_dump"), "slow_rank": (0, "slow", None, None)}
    for name, (code, verdict, rank, kind) in wanted.items():
        answer = hang(os.path.join(sys.argv[4], name), code)
        first = answer["culprits"][0] if answer["culprits"] else {"rank": None, "kind": None}
        equal((name, answer["verdict"], first["rank"], first["kind"]), (name, verdict, rank, kind))
        if verdict == "slow":
            equal(answer["late"][0]["rank"], 2)


class Attack:
    def __reduce__(self):
        return os.system, (f"touch {WORK}/ran",)


def hostile():
    """Hostile dumps next to a good one: nothing runs, the file is named, and memory and time stay small."""
    job = Job(2)
    job.call([0], "all_reduce")
    good = job.write("hostile")
    path = os.path.join(good, "nccl_trace_rank_1")
    shared = [1] * 10
    for _ in range(29):
        shared = [shared] * 10
    cycle = []
    cycle.append(cycle)
    entry = job.dump(0)["entries"][0]
    files = {
        "code": pickle.dumps({"version": "2.10", "entries": [Attack()]}, 2),
        "code of protocol 4": pickle.dumps({"version": "2.10", "entries": [Attack()]}, 4),
        "10^29 leaves": pickle.dumps({"version": "2.10", "entries": [dict(entry, frames=shared, input_sizes=shared)]}, 2),
        "a cycle": pickle.dumps({"version": "2.10", "entries": [dict(entry, input_sizes=cycle, frames=cycle)]}, 2),
        "deep lists": b"\x80\x02" + b"]" * 300000 + b"a" * 299999 + b".",
        "a length": b"\x80\x02}(X\xff\xff\xff\x7fversion",
        "deep JSON": b'{"version":"2.10","entries":' + b"[" * 300000,
        "empty dicts": b"\x80\x02}(X\x07\x00\x00\x00versionX\x03\x00\x00\x002.1X\x07\x00\x00\x00entries](" + b"}" * 2000000 + b"eu.",
        "blanks": gzip.compress(b'{"version":"2.10","entries":[' + b" " * (64 << 20) + b"]}"),
        "ranks": pickle.dumps({"version": "2.10", "entries": [], "pg_config": {"0": {"name": "0", "desc": "x", "ranks": "__import__('os')"}}}, 2),
        "nothing": b"",
    }
    for name, data in files.items():
        with open(path, "wb") as file:
            file.write(data)
        run = subprocess.run([TP, "hang", good, "--json", "-", "-o", os.path.join(WORK, "hostile.html")], capture_output=True, timeout=60)
        assert run.returncode == 1, (name, run.returncode, run.stderr)
        json.loads(run.stdout)
        assert not os.path.exists(os.path.join(WORK, "ran")), name
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if os.environ.get("CHECKED") != "1":
        assert peak < 200 * 1024, f"{peak} KiB"


def usage():
    folder = pipeline().write("usage")
    for wanted, *arguments in ((2, "hang"), (3, "hang", os.path.join(WORK, "none")), (2, "hang", folder, "--jsn", "x"), (0, "report", folder, "--json", "/dev/null"),
                               (0, "check", folder), (2, "check", folder, "--budget", "/dev/null"), (2, "report", folder, "--timeline", "full"),
                               (4, "hang", folder, "-o", "/dev/full")):
        run = subprocess.run([TP, *arguments, "-q"], capture_output=True, text=True)
        equal((arguments, run.returncode), (arguments, wanted))
    for command in ("check", "hang"):
        run = subprocess.run([TP, command, os.path.join(WORK, "stalled"), "-q"], capture_output=True, text=True)
        equal((command, run.returncode), (command, 1))
    os.rename(os.path.join(folder, "nccl_trace_rank_0"), os.path.join(folder, "other.bin"))
    equal(subprocess.run([TP, "hang", os.path.join(folder, "other.bin"), "-q"], capture_output=True).returncode, 3)


def reference():
    """Compares with an independent implementation: argument: the program, folders. Ties between sides have no order there."""
    program, *folders = sys.argv[4:]

    def without_order(answer):
        answer.pop("left_out", None)
        for mismatch in answer["mismatches"]:
            if len({len(side["ranks"]) for side in mismatch["sides"]}) < len(mismatch["sides"]):
                mismatch["sides"].sort(key=lambda side: side["ranks"])
                if mismatch is answer["mismatches"][0] and " called " in answer["headline"]:
                    answer["headline"] = ""
        return answer

    for folder in folders:
        run = subprocess.run([sys.executable, program, folder, "--json"], capture_output=True, text=True)
        wanted = json.loads(run.stdout)
        got = hang(folder, run.returncode)
        equal((folder, without_order(got)), (folder, without_order(wanted)))


if __name__ == "__main__":
    globals()[sys.argv[3]]()
