"""Measures a training step. pace.py STEPS prints the median in microseconds. pace.py STEPS OPTIONS runs under
torch.profiler with these options.

The script has no code for `record`. The first steps, in which a profiler starts, and the last step, in which it may
stop, are not counted."""
import statistics
import sys
import time

import torch

FIRST = 20
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))


def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


def run(steps, after):
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        after()
        times.append(time.perf_counter() - start)
    print("%.1f" % (statistics.median(times[FIRST:-1]) * 1e6))


steps = int(sys.argv[1])
time.sleep(0.3)  # gives `record` time, because it polls for torch every few milliseconds
if len(sys.argv) > 2:
    from torch.profiler import profile, schedule

    names = {"shapes": "record_shapes", "memory": "profile_memory", "stack": "with_stack"}
    wanted = {names[word]: True for word in sys.argv[2].split(",")}
    with profile(schedule=schedule(wait=0, warmup=5, active=steps, repeat=1), **wanted) as profiler:
        run(steps, profiler.step)
else:
    run(steps, lambda: None)
