"""gen_history.py OUT STEP_US NUMBER [EXTRA]: writes a trace of 20 steps of a training loop, as run NUMBER on a machine.

Runs of this machine differ by 0.2 %, and run NUMBER began on day NUMBER of 2026. EXTRA is the number of additional
operators aten::item per step."""

import json
import math
import random
import sys

out, step_us, number = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
extra = int(sys.argv[4]) if len(sys.argv) > 4 else 0
rng = random.Random(4000 + number)
level = step_us * math.exp(rng.gauss(0, 0.002))
start_ns = 1767225600_000000000 + number * 86400_000000000
events, at = [], 100.0
for step in range(20):
    took = level * math.exp(rng.gauss(0, 0.004))
    events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": round(at, 3), "dur": round(took, 3)})
    for i in range(6 + extra):
        name = "aten::item" if i >= 6 else "aten::linear"
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": round(at + 1 + i * took / 10, 3), "dur": round(took / 11, 3),
                       "args": {"Input Dims": [[16, 64]], "Input type": ["float"]}})
    at += took + 3
json.dump({"schemaVersion": 1, "record_shapes": 1, "baseTimeNanoseconds": start_ns, "traceEvents": events}, open(out, "w"))
