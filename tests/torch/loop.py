"""A training loop that does not control its recording.

loop.py: waits until `record` has started the profiler, then runs a few steps. loop.py slow: runs for 20 seconds.
loop.py OPTIONS FILE: runs under torch.profiler with these options and the default schedule of `record`."""
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
    is_slow = sys.argv[1:] == ["slow"]
    latest = time.monotonic() + 60  # on a busy machine, `record` starts the profiler late
    while not is_slow and not torch.autograd._profiler_enabled() and time.monotonic() < latest:
        time.sleep(0.01)
    end = time.monotonic() + 20
    n = 0
    while n < 8 or (is_slow and time.monotonic() < end):
        step()
        n += 1
        if is_slow:
            time.sleep(0.005)
