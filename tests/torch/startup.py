"""A script like most training scripts: makes tensors (weights, data) for some seconds before the first step, starts
worker processes that load data, and then runs a loop.

startup.py SECONDS [fork|spawn]: the time before the first step, and how the worker processes are started. Without the
second argument, this process loads the data. The script has no code for recording."""
import sys
import time

import torch

torch.set_num_threads(1)


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 12 * 32

    def __getitem__(self, index):
        row = torch.arange(64, dtype=torch.float32) + index
        return row / row.norm(), index % 10


def batches(how):
    if how:
        workers = dict(num_workers=2, multiprocessing_context=how)
    else:
        workers = {}
    return torch.utils.data.DataLoader(Rows(), batch_size=32, **workers)


def main(seconds, how):
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        torch.randn(100, 100).softmax(1)
        time.sleep(0.02)
    for rows, labels in batches(how):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(rows), labels).backward()
        optimizer.step()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
