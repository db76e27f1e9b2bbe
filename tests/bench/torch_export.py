"""torch_export.py COUNT TRACE.json.gz: records COUNT ranges with torch.profiler on the CPU. Prints the cost of a
range and the seconds from the stop until the trace is on disk, as tests/bench/record.c does for tracepress."""
import os
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile


def ranges(count):
    begin = torch._C._profiler._RecordFunctionFast
    for _ in range(count):
        with begin("work"):
            pass


def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    start = time.perf_counter()
    ranges(count)
    off = time.perf_counter() - start
    profiler = profile(activities=[ProfilerActivity.CPU])
    profiler.start()
    start = time.perf_counter()
    ranges(count)
    on = time.perf_counter() - start
    start = time.perf_counter()
    profiler.stop()
    profiler.export_chrome_trace(path)
    seconds = time.perf_counter() - start
    print(
        "torch.profiler %s: range %.0f ns more than switched off; stop to disk, %d ranges: %.1f s, %.1f MB of .json.gz"
        % (torch.__version__, (on - off) * 1e9 / count, count, seconds, os.path.getsize(path) / 1e6)
    )


main()
