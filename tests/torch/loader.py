"""A training loop with two slow worker processes that load data. It is recorded from outside, as a run of several
traces."""
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, i):
        time.sleep(0.001)
        return torch.randn(64), torch.randn(1)


def main():
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for n, (x, y) in enumerate(DataLoader(Slow(), batch_size=32, num_workers=2)):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        if n == 11:
            break


if __name__ == "__main__":
    main()
