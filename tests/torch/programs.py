#!/usr/bin/env python3
"""programs.py NAME FORM STEPS [TURNS]: runs a training program for STEPS steps, and prints the CPU time of a step in s. With
TURNS: runs the original program and this form in TURNS processes each, which alternate, and prints both lists as JSON.

The programs follow pytorch/examples, nanoGPT, and the demos of Lightning, transformers and torchvision, with random data. Each
has its original form (FORM "written") and the forms that a finding advises: with a fused optimizer ("fused"), with samples
computed once ("cached"), with worker processes ("workers"). The time is user and system time of all threads: the 20 %
quantile of the steps after the first three. The mean time that child processes use per step is added. With STEPS "3s"
the program runs for at least 3 seconds, for a recording.
"""
import functools
import importlib
import itertools
import json
import os
import resource
import sys
import time

WARM_UP = 3


def optimizer(name, model, form, **more):
    import torch
    return getattr(torch.optim, name)(model.parameters(), **more, **({"fused": True} if form == "fused" else {}))


def training(model, optimizer, loss, batches):
    """Returns the step function of a plain training loop. batches: function that returns an iterator of batches."""
    state = {"batches": iter(())}

    def step():
        batch = next(state["batches"], None)
        if batch is None:
            state["batches"] = iter(batches())
            batch = next(state["batches"])
        optimizer.zero_grad()
        loss(model, batch).backward()
        optimizer.step()
    return step


def cross_entropy(model, batch):
    import torch
    return torch.nn.functional.cross_entropy(model(batch[0]), batch[1])


def images(count, size, channels, classes):
    import torch
    batch = torch.randn(count, channels, size, size), torch.randint(classes, (count,))
    return lambda: itertools.repeat(batch)


def mnist(form):
    from torch import nn
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                          nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))
    return training(model, optimizer("Adadelta", model, False, lr=1.0), cross_entropy, images(16, 28, 1, 10))


def imagenet(form):
    import torchvision
    model = torchvision.models.resnet18(num_classes=1000)
    return training(model, optimizer("SGD", model, form, lr=0.1, momentum=0.9, weight_decay=1e-4), cross_entropy, images(2, 96, 3, 1000))


def mobilenet(form):
    import torchvision
    model = torchvision.models.mobilenet_v3_small(num_classes=10)
    return training(model, optimizer("SGD", model, form, lr=0.1, momentum=0.9), cross_entropy, images(4, 64, 3, 10))


def vae(form):
    import torch
    from torch import nn

    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc21, self.fc22 = nn.Linear(784, 400), nn.Linear(400, 20), nn.Linear(400, 20)
            self.fc3, self.fc4 = nn.Linear(20, 400), nn.Linear(400, 784)

        def forward(self, x):
            h = torch.relu(self.fc1(x))
            mean, log_variance = self.fc21(h), self.fc22(h)
            z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
            return torch.sigmoid(self.fc4(torch.relu(self.fc3(z)))), mean, log_variance

    def loss(model, x):
        out, mean, log_variance = model(x)
        same = nn.functional.binary_cross_entropy(out, x, reduction="sum")
        return same - 0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    model, batch = Vae(), torch.rand(128, 784)
    return training(model, optimizer("Adam", model, form, lr=1e-3), loss, lambda: itertools.repeat(batch))


def word_language_model(form):
    import torch
    from torch import nn

    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop, self.encoder = nn.Dropout(0.2), nn.Embedding(2000, 200)
            self.rnn, self.decoder = nn.LSTM(200, 200, 2, dropout=0.2), nn.Linear(200, 2000)

        def forward(self, x):
            return self.decoder(self.drop(self.rnn(self.drop(self.encoder(x)))[0])).view(-1, 2000)
    model, data = Words(), torch.randint(2000, (36, 10))

    def step():
        model.zero_grad()
        nn.functional.cross_entropy(model(data[:-1]), data[1:].reshape(-1)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-20 / 1000)
    return step


def nanogpt(form):
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.ln_1, self.c_attn, self.c_proj = nn.LayerNorm(n), nn.Linear(n, 3 * n), nn.Linear(n, n)
            self.ln_2, self.mlp = nn.LayerNorm(n), nn.Sequential(nn.Linear(n, 4 * n), nn.GELU(), nn.Linear(4 * n, n))

        def forward(self, x):
            b, t, n = x.shape
            q, k, v = (part.view(b, t, 4, n // 4).transpose(1, 2) for part in self.c_attn(self.ln_1(x)).split(n, dim=2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, n)
            x = x + self.c_proj(y)
            return x + self.mlp(self.ln_2(x))
    model = nn.Sequential(nn.Embedding(65, 128), *[Block(128) for _ in range(4)], nn.LayerNorm(128), nn.Linear(128, 65))
    x, y = torch.randint(65, (12, 64)), torch.randint(65, (12 * 64,))
    return training(model, optimizer("AdamW", model, form, lr=1e-3), lambda m, b: nn.functional.cross_entropy(m(b[0]).view(-1, 65), b[1]),
                    lambda: itertools.repeat((x, y)))


def attention_with_dropout(form):
    import torch
    from torch import nn
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True), 2)
    batch = torch.randn(16, 64, 64)
    return training(model, optimizer("SGD", model, False, lr=0.1), lambda m, x: m(x).square().mean(), lambda: itertools.repeat(batch))


def dcgan(form):
    import torch
    from torch import nn
    made = nn.Sequential(nn.ConvTranspose2d(32, 64, 4), nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1),
                         nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())
    judge = nn.Sequential(nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.LeakyReLU(0.2),
                          nn.Conv2d(64, 1, 4), nn.Sigmoid(), nn.Flatten(0))
    first, second = (optimizer("Adam", m, form, lr=2e-4, betas=(0.5, 0.999)) for m in (judge, made))
    real, ones, zeros = torch.randn(16, 3, 16, 16), torch.ones(16), torch.zeros(16)
    loss = nn.functional.binary_cross_entropy

    def step():
        first.zero_grad()
        fake = made(torch.randn(16, 32, 1, 1))
        (loss(judge(real), ones) + loss(judge(fake.detach()), zeros)).backward()
        first.step()
        second.zero_grad()
        loss(judge(fake), ones).backward()
        second.step()
    return step


def transformers_bert(form):
    import torch
    import transformers
    config = transformers.BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256)
    model, words = transformers.BertForSequenceClassification(config), torch.randint(1000, (8, 64))
    labels = torch.randint(2, (8,))
    return training(model, optimizer("AdamW", model, form, lr=1e-4), lambda m, x: m(input_ids=x, labels=labels).loss, lambda: itertools.repeat(words))


def lightning_demo(form):
    import lightning.pytorch as pl
    import torch
    from lightning.pytorch.demos import Transformer

    class Demo(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Transformer(vocab_size=500, ninp=100, nhid=100, nlayers=2)

        def training_step(self, batch, batch_idx):
            x, y = batch
            return torch.nn.functional.nll_loss(self.model(x, y), y.view(-1))

        def configure_optimizers(self):
            return optimizer("Adam", self, form, lr=1e-3)
    rows = [(torch.randint(500, (35,)), torch.randint(500, (35,))) for _ in range(4000)]
    return functools.partial(fitted, pl, Demo(), torch.utils.data.DataLoader(rows, batch_size=8))


def fitted(pl, model, rows, after_step):
    """Runs a trainer that calls after_step after each step, until after_step returns False."""
    class Steps(pl.Callback):
        def on_train_batch_end(self, trainer, *_):
            trainer.should_stop |= after_step() is False
    pl.Trainer(accelerator="cpu", max_epochs=1, min_epochs=0, min_steps=0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
               enable_model_summary=False, callbacks=[Steps()]).fit(model, rows)


def compiled(form):
    import torch
    from torch import nn
    model = torch.compile(nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 128)))
    x, y = torch.randn(64, 128), torch.randn(64, 128)
    return training(model, optimizer("Adam", model, form, lr=1e-3), lambda m, b: (m(b[0]) - b[1]).square().mean(), lambda: itertools.repeat((x, y)))


class Augmented:
    """Returns samples with an expensive transform. kept: the samples are computed once in advance."""
    COUNT = 512

    def __init__(self, is_kept):
        self.kept = [self.make(i) for i in range(self.COUNT)] if is_kept else None

    def __len__(self):
        return self.COUNT

    def __getitem__(self, i):
        return self.kept[i] if self.kept else self.make(i)

    def make(self, i):
        import torch
        generator = torch.Generator().manual_seed(i)
        x = torch.rand(3, 48, 48, generator=generator)
        for _ in range(4):
            x = (x.flip(2) - x.mean((1, 2), keepdim=True)) / (x.std((1, 2), keepdim=True) + 1e-5)
        return x[:, 8:40, 8:40].contiguous(), i % 10


def augmentation(form, workers=0):
    import torch
    from torch import nn
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
    model(torch.zeros(1, 3, 32, 32))
    workers = 2 if form == "workers" else workers
    loader = torch.utils.data.DataLoader(Augmented(form == "cached"), batch_size=16, num_workers=workers, persistent_workers=workers > 0)
    return training(model, optimizer("SGD", model, "", lr=0.1), cross_entropy, lambda: loader)


# {name: (builder, required package, {finding: form that it advises})}
PROGRAMS = {
    "mnist": (mnist, "", {}),
    "imagenet, resnet18": (imagenet, "torchvision", {"H3": "fused"}),
    "mobilenet": (mobilenet, "torchvision", {"H3": "fused"}),
    "vae": (vae, "", {"H3": "fused"}),
    "word language model": (word_language_model, "", {}),
    "nanoGPT": (nanogpt, "", {"H3": "fused"}),
    "attention with dropout": (attention_with_dropout, "", {}),
    "dcgan": (dcgan, "", {"H3": "fused"}),
    "transformers, BERT": (transformers_bert, "transformers", {"H3": "fused"}),
    "Lightning, Transformer": (lightning_demo, "lightning", {"H3": "fused"}),
    "torch.compile": (compiled, "", {"H3": "fused"}),
    "augmentation": (augmentation, "", {"H1": "workers"}),
    "augmentation, workers": (functools.partial(augmentation, workers=2), "", {"H1": "cached"}),
}


def built(name, form):
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    return PROGRAMS[name][0](form)


def run(step, is_over, after=lambda: None):
    """Runs steps until is_over() returns true after one of them. Calls `after` after each step."""
    if not isinstance(step, functools.partial):
        while True:
            step()
            after()
            if is_over():
                return

    def after_step():
        after()
        return not is_over()
    step(after_step)


def after_steps(count):
    """Returns a function that returns False in its first calls, and True from call number `count` on."""
    calls = itertools.count(1)
    return lambda: next(calls) >= count


def quantile_20_percent(values):
    return sorted(values)[len(values) // 5]


def seconds_of_children():
    """Returns the CPU time that all running and exited child processes have used so far, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    parent_of, seconds = {}, {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # the process has exited in the meantime
        parent_of[int(entry)] = int(fields[1])
        seconds[int(entry)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def is_descendant(pid):
        while pid in parent_of and pid != os.getpid():
            pid = parent_of[pid]
        return pid == os.getpid()
    return used.ru_utime + used.ru_stime + sum(seconds[pid] for pid in seconds if pid != os.getpid() and is_descendant(pid))


def cost(name, form, steps, has_children):
    """Returns the CPU time per step, s. The time of child processes is included only after the warm-up, so that
    processes of a compiler are not included."""
    step, times, before = built(name, form), [time.process_time()], []

    def after():
        times.append(time.process_time())
        if len(times) in (WARM_UP + 1, WARM_UP + steps + 1) and has_children:
            before.append(seconds_of_children())
            times[-1] = time.process_time()
    run(step, after_steps(steps + WARM_UP), after=after)
    own = [b - a for a, b in zip(times[WARM_UP:], times[WARM_UP + 1:])]
    return quantile_20_percent(own) + (before[-1] - before[0]) / steps if has_children else quantile_20_percent(own)


def costs(name, form, steps, turns):
    """Returns the costs of the original program and of a form. Each is measured in this number of processes, which
    alternate. The form "workers" does not include the time of worker processes, so the work that they take over appears
    as a gain."""
    importlib.import_module("torch")
    importlib.import_module(PROGRAMS[name][1] or "torch")  # imports once, before the processes are forked
    found = {"written": [], form: []}
    for _, which in itertools.product(range(turns), found):
        reading, writing = os.pipe()
        if not os.fork():
            os.write(writing, b"%r" % cost(name, which, steps, form != "workers"))
            os._exit(0)
        os.wait()
        os.close(writing)
        with os.fdopen(reading) as pipe:
            found[which].append(float(pipe.read()))
    return found["written"], found[form]


def main(name, form, steps, turns=None):
    if turns:
        print(json.dumps(costs(name, form, int(steps), int(turns))))
    elif steps.endswith("s"):
        end, least = time.monotonic() + float(steps[:-1]), after_steps(20)
        run(built(name, form), lambda: least() and time.monotonic() >= end)
    else:
        print(cost(name, form, int(steps), True))


if __name__ == "__main__":
    main(*sys.argv[1:])
