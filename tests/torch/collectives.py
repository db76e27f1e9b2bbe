"""collectives.py record FOLDER WIDTH | measure WIDTH: runs two ranks (gloo) that send gradients one by one, or as one
flat tensor.

`record` writes FOLDER/loop and FOLDER/flat, with a trace of each rank. `measure` prints the time that the flat tensor
saves, in percent of a step. The result is the median of rounds in which both ways alternate."""
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.profiler import ProfilerActivity, profile, schedule

LAYERS, WARM, STEPS, ROUNDS = 20, 2, 5, 12


def reduce_one_by_one(parameters):
    for parameter in parameters:
        dist.all_reduce(parameter.grad)
        parameter.grad /= 2


def reduce_flat(parameters):
    flat = torch.cat([parameter.grad.view(-1) for parameter in parameters])
    dist.all_reduce(flat)
    flat /= 2
    at = 0
    for parameter in parameters:
        parameter.grad.copy_(flat[at:at + parameter.numel()].view_as(parameter))
        at += parameter.numel()


class Rank:
    def __init__(self, width):
        torch.manual_seed(0)
        torch.set_num_threads(1)
        layers = [layer for _ in range(LAYERS) for layer in (torch.nn.Linear(width, width), torch.nn.ReLU())]
        self.model = torch.nn.Sequential(*layers)
        self.parameters = list(self.model.parameters())
        self.x, self.y = torch.randn(32, width), torch.randn(32, width)

    def step(self, reduce):
        torch.nn.functional.mse_loss(self.model(self.x), self.y).backward()
        reduce(self.parameters)
        with torch.no_grad():
            torch._foreach_add_(self.parameters, [parameter.grad for parameter in self.parameters], alpha=-0.01)
        for parameter in self.parameters:
            parameter.grad = None


def record(rank, number, folder, name, reduce):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    path = os.path.join(folder, name, f"worker{number}.pt.trace.json.gz")
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=WARM, active=STEPS), record_shapes=True,
                 on_trace_ready=lambda done: done.export_chrome_trace(path)) as profiler:
        for _ in range(WARM + STEPS):
            rank.step(reduce)
            profiler.step()


def timed(rank, reduce):
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(STEPS):
        rank.step(reduce)
    return time.perf_counter() - begin


def measure(rank, number):
    saved = []
    for _ in range(ROUNDS):
        loop, flat = timed(rank, reduce_one_by_one), timed(rank, reduce_flat)
        saved.append(100 * (1 - flat / loop))
    if number == 0:
        print(round(statistics.median(saved), 1))


def run(number, mode, folder, width, port):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=number, world_size=2)
    rank = Rank(width)
    for reduce in (reduce_one_by_one, reduce_flat) * 3:
        rank.step(reduce)
    if mode == "measure":
        measure(rank, number)
    else:
        record(rank, number, folder, "loop", reduce_one_by_one)
        record(rank, number, folder, "flat", reduce_flat)
    dist.destroy_process_group()


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    mp.spawn(run, (what, rest[0] if what == "record" else "", int(rest[-1]), 20000 + os.getpid() % 20000), nprocs=2)
