"""Tests trace_handler with a real torch: its traces, its names, a real training, torch.distributed."""

import glob
import inspect
import os
import re
import shutil
import subprocess
import sys
import time

import torch
from cases import PROGRAM, Skip, case, examples, run_all
from torch.profiler import profile, schedule, tensorboard_trace_handler

import torch_tracepress as tracepress

TORCH = f"torch {torch.__version__}"
PATTERN = re.compile(r"(.+)\.(\d+)\.pt\.trace\.json(\.gz)?")


def train(handler, cycles=2):
    """Runs a training of a few steps. The handler is called after each cycle of the profiler."""
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    plan = schedule(wait=0, warmup=1, active=2, repeat=cycles)
    options = {"record_shapes": True, "with_stack": True, "profile_memory": True}
    with profile(schedule=plan, on_trace_ready=handler, **options) as p:
        for _ in range(3 * cycles):
            optimizer.zero_grad()
            model(torch.randn(4, 32)).sum().backward()
            optimizer.step()
            p.step()
    return model


class Stderr:
    """Collects the output of this process and its children on file descriptor 2."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "stderr")

    def __enter__(self):
        self.file = open(self.path, "wb")
        self.old = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.old, 2)
        os.close(self.old)
        self.file.close()

    def lines(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return [line for line in re.findall("tracepress: [^\n]*", file.read())]


@case(f"{TORCH}: the calls of torch's own handler, argument by argument")
def _(folder):
    seen = []

    class Noted:
        def export_chrome_trace(self, *words, **named):
            seen.append((words, {k: v for k, v in named.items() if v is not False}))

    every = [{}, {"worker_name": "w"}, {"use_gzip": True}, {"worker_name": "", "use_gzip": True}]
    if "use_python_export" in inspect.signature(tensorboard_trace_handler).parameters:
        every.append({"use_python_export": True})
    clocks = time.time_ns, time.time  # torch 2.0 calls the second function
    time.time_ns, time.time = lambda: 1700000000000000000, lambda: 1700000000.0
    try:
        for given in every:
            for make in (tensorboard_trace_handler, tracepress.trace_handler):
                with Stderr(folder):  # the message must say that there is no trace
                    make(os.path.join(folder, "new"), **given)(Noted())
    finally:
        time.time_ns, time.time = clocks
    assert len(seen) == 2 * len(every) and seen[::2] == seen[1::2], seen
    ours = list(inspect.signature(tracepress.trace_handler).parameters.values())
    for parameter in inspect.signature(tensorboard_trace_handler).parameters.values():
        own = ours.pop(0)
        assert (own.name, own.default, own.kind) == (parameter.name, parameter.default, parameter.kind)


@case(f"{TORCH}: the example of the docstring runs")
def _(folder):
    with Stderr(folder) as said:
        assert examples(folder, ("_handler",), []) >= 2
    assert len(os.listdir("runs/today")) == 2 and len(said.lines()) == 1, said.lines()


@case(f"{TORCH}: a training leaves torch's traces byte for byte, a page of each, one line each")
def _(folder):
    exported = []
    original = torch.profiler.profile.export_chrome_trace

    def export(self, path, **named):
        original(self, path, **named)
        shutil.copyfile(path, os.path.join(folder, f"{len(exported)}.copy"))
        exported.append(path)

    torch.profiler.profile.export_chrome_trace = export
    try:
        with Stderr(folder) as said:
            for use_gzip in (False, True):
                train(tracepress.trace_handler(os.path.join(folder, "runs"), use_gzip=use_gzip, wait=True))
    finally:
        torch.profiler.profile.export_chrome_trace = original
    assert len(exported) == 4 and len(os.listdir(os.path.join(folder, "runs"))) == 8
    lines = said.lines()
    assert len(lines) == 4, lines
    for number, (path, line) in enumerate(zip(exported, lines)):
        worker = PATTERN.fullmatch(os.path.basename(path))
        assert worker and worker.group(1).endswith(f"_{os.getpid()}")
        with open(path, "rb") as a, open(os.path.join(folder, f"{number}.copy"), "rb") as b:
            assert a.read() == b.read(), path
        page = os.path.join(folder, "runs", f"{worker.group(1)}.{worker.group(2)}.report.html")
        wanted = os.path.join(folder, "wanted.html")
        subprocess.run([PROGRAM, "report", path, "-o", wanted, "--quiet"], check=True)
        with open(page, "rb") as a, open(wanted, "rb") as b:
            assert a.read() == b.read(), page
        result = tracepress.report(path)
        assert result.headline in line and result.profiles[0].step_us > 0, line
        assert {"aten::addmm", "aten::mm"} <= {row["name"] for row in result.tables.rows("operators")}
        assert {"Linear_0", "Linear_1"} <= {row["name"] for row in result.tables.rows("modules")}


@case(f"{TORCH}: rank 1 of torch.distributed writes its trace and no page; rank 0 both, whatever the launcher set")
def _(folder):
    if not torch.distributed.is_available():
        raise Skip("torch without torch.distributed")
    code = """
import os, sys
import torch.distributed as d
sys.path.insert(0, {tests!r})
from handler_torch import train, tracepress
rank = int(sys.argv[1])
d.init_process_group("gloo", init_method="file://{folder}/meet", rank=rank, world_size=2)
train(tracepress.trace_handler("runs", f"rank{{rank}}", wait=True), cycles=1)
d.destroy_process_group()
""".format(tests=os.path.dirname(os.path.abspath(__file__)), folder=folder)
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(r)],
            cwd=folder,
            stderr=subprocess.PIPE,
            env={**os.environ, "RANK": str(1 - r)},
        )
        for r in (0, 1)
    ]
    said = [rank.communicate()[1].decode() for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], said
    names = sorted(re.sub(r"\.\d+\.", ".N.", name) for name in os.listdir(os.path.join(folder, "runs")))
    assert names == ["rank0.N.pt.trace.json", "rank0.N.report.html", "rank1.N.pt.trace.json"], names
    assert "tracepress: rank0." in said[0] and "tracepress: " not in said[1]


@case(f"{TORCH}: folder in the way, missing program, killed program: the training ends as it would without a handler")
def _(folder):
    in_the_way = os.path.join(folder, "file")
    open(in_the_way, "w").close()
    killed = os.path.join(folder, "killed")
    with open(killed, "w") as file:
        file.write("#!/bin/sh\nkill -9 $$\n")
    os.chmod(killed, 0o755)
    torch.manual_seed(1)
    wanted = train(None).state_dict()
    for runs, program, count in (
        (in_the_way, PROGRAM, 2),
        (os.path.join(folder, "a"), "/nope", 1),
        (os.path.join(folder, "b"), killed, 2),
    ):
        os.environ["TRACEPRESS_PROGRAM"] = program
        try:
            with Stderr(folder) as said:
                torch.manual_seed(1)
                model = train(tracepress.trace_handler(runs, wait=True))
        finally:
            os.environ["TRACEPRESS_PROGRAM"] = PROGRAM
        assert len(said.lines()) == count, (runs, program, said.lines())
        assert all(torch.equal(a, wanted[name]) for name, a in model.state_dict().items())
    for name in ("a", "b"):
        made = os.listdir(os.path.join(folder, name))
        assert len(made) == 2 and all(PATTERN.fullmatch(m) for m in made), made


@case(f"{TORCH}: the parent of data loaders' processes has its reports, and they have none")
def _(folder):
    import torch.utils.data

    loader = torch.utils.data.DataLoader(list(range(64)), batch_size=4, num_workers=2)
    handler = tracepress.trace_handler(os.path.join(folder, "runs"))
    with Stderr(folder), profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=3), on_trace_ready=handler) as p:
        for _ in range(2):
            for _batch in loader:
                p.step()
    end = time.monotonic() + 60
    while len(glob.glob(os.path.join(folder, "runs", "*.report.html"))) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    names = os.listdir(os.path.join(folder, "runs"))
    assert len(names) == 6 and {name.split(".")[0].rsplit("_", 1)[1] for name in names} == {str(os.getpid())}, names


if __name__ == "__main__":
    sys.exit(run_all())
