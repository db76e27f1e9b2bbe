#!/usr/bin/env python3
"""gains.py TRACEPRESS [NAME...]: compares what the first finding about a program claims with what its mend gains.

Each program is built twice, as its authors wrote it and with the mend that the finding advises. torch.profiler records
the first form. Both forms then run in one process, one step each in turns; a step costs the lower fifth of its processor
time (user and system, all threads), which busy neighbours change little. A row is right when the measured gain is at most
ten points outside of the claimed range, or when no finding promises a gain. --turns N sets the number of turns.

Needs a Python with torch; programs whose packages (torchvision, lightning, transformers) are missing are skipped.
The programs follow pytorch/examples, nanoGPT, and the demos of Lightning, transformers and torchvision; data are random.
"""
import functools
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

WARM_UP, RECORDED, MARGIN = 3, 4, 10


def optimizer(name, model, fused, **more):
    import torch
    return getattr(torch.optim, name)(model.parameters(), **more, **({"fused": True} if fused else {}))


def training(model, optimizer, loss, batches):
    """Returns the step of a plain training loop; batches: a callable that returns an iterator of batches."""
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


def mnist(fused):
    from torch import nn
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                          nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))
    return training(model, optimizer("Adadelta", model, False, lr=1.0), cross_entropy, images(16, 28, 1, 10))


def imagenet(fused):
    import torchvision
    model = torchvision.models.resnet18(num_classes=1000)
    return training(model, optimizer("SGD", model, fused, lr=0.1, momentum=0.9, weight_decay=1e-4), cross_entropy, images(2, 96, 3, 1000))


def mobilenet(fused):
    import torchvision
    model = torchvision.models.mobilenet_v3_small(num_classes=10)
    return training(model, optimizer("SGD", model, fused, lr=0.1, momentum=0.9), cross_entropy, images(4, 64, 3, 10))


def vae(fused):
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
    return training(model, optimizer("Adam", model, fused, lr=1e-3), loss, lambda: itertools.repeat(batch))


def word_language_model(fused):
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


def nanogpt(fused):
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
    return training(model, optimizer("AdamW", model, fused, lr=1e-3), lambda m, b: nn.functional.cross_entropy(m(b[0]).view(-1, 65), b[1]),
                    lambda: itertools.repeat((x, y)))


def attention_with_dropout(fused):
    import torch
    from torch import nn
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True), 2)
    batch = torch.randn(16, 64, 64)
    return training(model, optimizer("SGD", model, False, lr=0.1), lambda m, x: m(x).square().mean(), lambda: itertools.repeat(batch))


def dcgan(fused):
    import torch
    from torch import nn
    made = nn.Sequential(nn.ConvTranspose2d(32, 64, 4), nn.BatchNorm2d(64), nn.ReLU(), nn.ConvTranspose2d(64, 32, 4, 2, 1),
                         nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh())
    judge = nn.Sequential(nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1), nn.BatchNorm2d(64), nn.LeakyReLU(0.2),
                          nn.Conv2d(64, 1, 4), nn.Sigmoid(), nn.Flatten(0))
    first, second = (optimizer("Adam", m, fused, lr=2e-4, betas=(0.5, 0.999)) for m in (judge, made))
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


def transformers_bert(fused):
    import torch
    import transformers
    config = transformers.BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256)
    model, words = transformers.BertForSequenceClassification(config), torch.randint(1000, (8, 64))
    labels = torch.randint(2, (8,))
    return training(model, optimizer("AdamW", model, fused, lr=1e-4), lambda m, x: m(input_ids=x, labels=labels).loss, lambda: itertools.repeat(words))


def lightning_demo(fused):
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
            return optimizer("Adam", self, fused, lr=1e-3)
    rows = [(torch.randint(500, (35,)), torch.randint(500, (35,))) for _ in range(4000)]
    return functools.partial(fitted, pl, Demo(), torch.utils.data.DataLoader(rows, batch_size=8))


def fitted(pl, model, rows, after_step):
    """Runs a trainer, which calls after_step behind each step until that returns False."""
    class Steps(pl.Callback):
        def on_train_batch_end(self, trainer, *_):
            trainer.should_stop |= after_step() is False
    pl.Trainer(accelerator="cpu", max_epochs=1, min_steps=0, logger=False, enable_checkpointing=False, enable_progress_bar=False,
               enable_model_summary=False, callbacks=[Steps()]).fit(model, rows)


def compiled(fused):
    import torch
    from torch import nn
    model = torch.compile(nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.LayerNorm(512), nn.Linear(512, 128)))
    x, y = torch.randn(64, 128), torch.randn(64, 128)
    return training(model, optimizer("Adam", model, fused, lr=1e-3), lambda m, b: (m(b[0]) - b[1]).square().mean(), lambda: itertools.repeat((x, y)))


class Augmented:
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        import torch
        generator = torch.Generator().manual_seed(i)
        x = torch.rand(3, 48, 48, generator=generator)
        for _ in range(4):
            x = (x.flip(2) - x.mean((1, 2), keepdim=True)) / (x.std((1, 2), keepdim=True) + 1e-5)
        return x[:, 8:40, 8:40].contiguous(), i % 10


def augmentation(workers):
    from torch import nn
    from torch.utils.data import DataLoader
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
    model(__import__("torch").zeros(1, 3, 32, 32))
    loader = DataLoader(Augmented(), batch_size=16, num_workers=2 if workers else 0)
    return training(model, optimizer("SGD", model, False, lr=0.1), cross_entropy, lambda: loader)


# name: builder, packages it needs, the finding that its mend is for
PROGRAMS = {
    "mnist": (mnist, "", ""),
    "imagenet, resnet18": (imagenet, "torchvision", "H3"),
    "mobilenet": (mobilenet, "torchvision", "H3"),
    "vae": (vae, "", "H3"),
    "word language model": (word_language_model, "", ""),
    "nanoGPT": (nanogpt, "", "H3"),
    "attention with dropout": (attention_with_dropout, "", ""),
    "dcgan": (dcgan, "", "H3"),
    "transformers, BERT": (transformers_bert, "transformers", "H3"),
    "Lightning, Transformer": (lightning_demo, "lightning", "H3"),
    "torch.compile": (compiled, "", "H3"),
    "augmentation": (augmentation, "", "H1"),
}


def built(name, mended):
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    return PROGRAMS[name][0](mended)


def run(step, steps, before=lambda: None, after=lambda: None):
    """Runs so many steps, calls before once they may begin and after behind each."""
    if not isinstance(step, functools.partial):
        for _ in range(steps):
            step()
            after()
        return
    left = itertools.count(1)

    def after_step():
        after()
        return next(left) < steps
    step(after_step)


def record(name, path):
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=WARM_UP, active=RECORDED),
                 on_trace_ready=lambda p: p.export_chrome_trace(path)) as profiler:
        run(built(name, False), WARM_UP + RECORDED, after=profiler.step)


def seconds(step, turns, take_turn):
    """Returns the processor time of each step. take_turn waits until the other form has made its step."""
    times, begun = [], [0.0]

    def after():
        times.append(time.process_time() - begun[0])
        take_turn()
        begun[0] = time.process_time()
    begun[0] = time.process_time()
    run(step, turns + WARM_UP, after=after)
    return times[WARM_UP:]


def lower_fifth(values):
    return sorted(values)[len(values) // 5]


def timed(name, turns):
    """Prints the lower fifth of both forms, which are two threads that take turns: a trainer runs its own loop."""
    import threading
    turn, result, forms = threading.Condition(), {}, [built(name, False), built(name, True)]
    state = {"next": 0, "ended": set()}

    def work(form):
        def take_turn():
            with turn:
                state["next"] = 1 - form if 1 - form not in state["ended"] else form
                turn.notify_all()
                turn.wait_for(lambda: state["next"] == form)
        import torch
        torch.set_num_threads(1)
        with turn:
            turn.wait_for(lambda: state["next"] == form)
        result[form] = seconds(forms[form], turns, take_turn)
        with turn:
            state["ended"].add(form)
            state["next"] = 1 - form
            turn.notify_all()
    threads = [threading.Thread(target=work, args=(form,)) for form in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps([lower_fifth(result[form]) for form in (0, 1)]))


def first_finding(tracepress, trace, folder):
    subprocess.run([tracepress, "report", trace, "-o", folder + "/x.html", "--json", folder + "/x.json", "--quiet"], check=True)
    with open(folder + "/x.json", encoding="utf-8") as file:
        profile = json.load(file)["runs"][0]["profiles"][0]
    found = [f for f in profile["recommendations"]["findings"] if f["high_percent"] >= 0.5 and f["confidence"] != "low"]
    return found[0] if found else None


def measured(tracepress, name, turns):
    """Returns the cells of a row and whether the row is right."""
    script = [sys.executable, os.path.abspath(__file__)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*script, "--record", name, folder + "/x.pt.trace.json"], check=True, stdout=subprocess.DEVNULL)
        finding = first_finding(tracepress, folder + "/x.pt.trace.json", folder)
        if not finding:
            return [name, "none", "", "", ""], True
        claim = [name, finding["id"], "%.1f to %.1f" % (finding["low_percent"], finding["high_percent"])]
        if finding["id"] != PROGRAMS[name][2]:
            return claim + ["", "the program has no mend for this finding"], False
        done = subprocess.run([*script, "--time", name, str(turns)], check=True, stdout=subprocess.PIPE, text=True)
    before, after = json.loads(done.stdout.splitlines()[-1])
    gain = 100 * (before - after) / before
    is_right = finding["low_percent"] - MARGIN <= gain <= finding["high_percent"] + MARGIN
    return claim + ["%.1f" % gain, "%.2f to %.2f ms%s" % (before * 1e3, after * 1e3, "" if is_right else ": outside")], is_right


def main(arguments):
    turns = int(arguments.pop(arguments.index("--turns") + 1)) if "--turns" in arguments else 25
    tracepress, *chosen = [a for a in arguments if not a.startswith("--")]
    failed = False
    print("| program | finding | claimed, % | gained, % | a step |\n|---|---|---|---|---|", flush=True)
    for name, (_, needs, _) in PROGRAMS.items():
        if chosen and name not in chosen:
            continue
        if needs and not importlib.util.find_spec(needs):
            print("| %s | skipped: no %s | | | |" % (name, needs), flush=True)
            continue
        cells, is_right = measured(os.path.abspath(tracepress), name, turns)
        failed |= not is_right
        print("| " + " | ".join(cells) + " |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        record(*sys.argv[2:4])
    elif sys.argv[1] == "--run":
        run(built(sys.argv[2], False), int(sys.argv[3]))
    elif sys.argv[1] == "--time":
        timed(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:])
