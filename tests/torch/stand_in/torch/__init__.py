"""A stand-in for the package torch, with the parts that `record` uses. Suites use it on machines without torch.

It follows torch 2.13: a profiler with or without a schedule, the class that starts each profiler, and the hook after
the steps of optimizers. Its only operator is `operator`, and its trace contains the operators of the recorded time."""
from . import autograd, optim, profiler  # noqa: F401


def operator(name):
    if autograd.profiler.running is not None:
        autograd.profiler.running.names.append(name)
