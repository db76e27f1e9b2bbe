"""A training loop without any code for recording.

loop.py: runs a few steps. loop.py slow: runs for 20 seconds. loop.py OPTIONS FILE: runs under torch.profiler with these
options and the default schedule of `record`."""
import sys
import time

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))


def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


def profiled(options, path):
    from torch.profiler import profile, schedule

    names = {"shapes": "record_shapes", "memory": "profile_memory", "stack": "with_stack"}
    wanted = {names[word]: True for word in options.split(",")}
    return profile(
        schedule=schedule(wait=1, warmup=1, active=3, repeat=1), on_trace_ready=lambda p: p.export_chrome_trace(path), **wanted
    )


if len(sys.argv) > 2:
    with profiled(sys.argv[1], sys.argv[2]) as profiler:
        for _ in range(8):
            step()
            profiler.step()
else:
    end = time.monotonic() + 20
    time.sleep(0.2)  # gives `record` time, because it polls for torch every few milliseconds
    n = 0
    while n < 8 or (sys.argv[1:] == ["slow"] and time.monotonic() < end):
        step()
        n += 1
        if sys.argv[1:] == ["slow"]:
            time.sleep(0.005)
