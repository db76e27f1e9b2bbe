"""torch_same.py EVENTS TRACE.json.gz: records about EVENTS events of a small training loop with torch.profiler on the
CPU. Prints a line NAME SECONDS for each table and export that tracepress makes of the same trace, with torch's
time."""
import os
import sys
import tempfile
import time
import warnings

import torch
from torch.profiler import ProfilerActivity, profile

STEPS_TRIED = 4


def loop(steps):
    model = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(8)])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.randn(4, 16)
    profiler = profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True,
                       experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True))
    profiler.start()
    for _ in range(steps):
        optimizer.zero_grad()
        model(data).sum().backward()
        optimizer.step()
        profiler.step()
    return profiler


def timed(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    warnings.simplefilter("ignore")
    profiler = loop(STEPS_TRIED)
    profiler.stop()
    profiler = loop(max(1, count * STEPS_TRIED // max(1, len(profiler.events()))))
    # the first call includes work that the profiler postpones when it stops
    taken = {"table": timed(profiler.stop) +
                      timed(lambda: profiler.key_averages(group_by_input_shape=True).table(sort_by="self_cpu_time_total"))}
    with tempfile.TemporaryDirectory() as folder:
        taken["folded"] = timed(profiler.export_stacks, os.path.join(folder, "stacks"), "self_cpu_time_total")
        if hasattr(profiler, "export_memory_timeline"):
            taken["memory-flow"] = timed(profiler.export_memory_timeline, os.path.join(folder, "memory.json"), "cpu")
    taken["chrome"] = timed(profiler.export_chrome_trace, path)
    for name, seconds in taken.items():
        print(name, "%.3f" % seconds)


main()
