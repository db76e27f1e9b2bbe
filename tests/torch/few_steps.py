"""A program of PyTorch that ends after few steps. It runs with the stand-in of torch, without torch.

few_steps.py STEPS [fork]: waits for the profiler, runs an operator, then STEPS steps of an operator each. fork:
forks a child that does nothing between the operator and the steps."""
import os
import sys
import time

import torch

optimizer = torch.optim.Optimizer()
end = time.monotonic() + 30  # on a busy machine, the profiler starts late
while time.monotonic() < end and not torch.autograd._profiler_enabled():
    time.sleep(0.01)
torch.operator("aten::randn")
if sys.argv[2:] == ["fork"]:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
for number in range(1, int(sys.argv[1]) + 1):
    torch.operator("aten::step_%d" % number)
    optimizer.step()
