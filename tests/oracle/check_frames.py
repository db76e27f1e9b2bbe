#!/usr/bin/env python3
"""check_frames.py FRAME_LINES [SEED], or check_frames.py FRAME_LINES --table TABLE [SCRIPT...]: compares how the
executable reference and webreport/trace/frame.c read texts of frames.

The texts are random, with characters that are hard to parse, and frames of real programs. Origin, line, label, text
without addresses and shortened path must be equal. With --table, the origins must equal those of a table. Prints
differences, and exits with 1 if there are any."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from twin import lines, names

PARTS = ["(", ")", ": ", "):", "(1)", "(12): ", "(-3): ", "(007): ", "[2]: x", "/", "\\", ".py", ".pyx", ".pyc", "-", "7", "a", " ", ";", "<", ">",
         "\n", ".", "C:", "run", "\xe4", " at 0x", "0x7f", "0x", "ProfilerStep#", "torch/", "threading.py", "/site-packages/", "site-packages/",
         "/dist-packages/", "/usr/lib/python3.11/", "lib/python3/", "lib/python", "3.", "asyncio/", "<frozen runpy>", "importlib/", "run (1)",
         "model.py(4): forward", "/home/u/", "<ipython-input-3-ab>", "copy.py", "json/", "pytorch/torch/nn/", "/tmp/torchinductor_u/",
         "/tmp/ipykernel_12/", "34.py", "ab/cab" + "q" * 40 + ".py", "ab/c" + "a2q" * 17 + ".py", "C:\\", "C:/", "\\Lib\\", "/lib/",
         "/root/.triton/cache/", "python311.zip/", "t/", "64", "<command-7>", "Cell In[3]", "/tmp/xpython_1/", "codegen(f)", "torchinductor_",
         "csrc/", "/csrc/", "./", "../", "src/", "python/", "vllm/", "xDiT/", "xfuser/", "aiter/", "numpy/", "Numpy", "six.py", "six/", "ray/",
         "torch.py", "triton/", "triton_kernels/", "torchvision/", "nn.Module: ", "<built-in", "<frozen", "<string>", "__init__.py", "/"]


def texts(seed):
    chance = random.Random(seed)
    for _ in range(200000):
        yield "".join(chance.choice(PARTS) for _ in range(chance.randrange(12)))


def run(program, given, scripts=()):
    """Returns the five results for each text."""
    out = subprocess.run([program, *scripts], input="\0".join(given).encode() + b"\0", stdout=subprocess.PIPE, check=True).stdout
    found = out.decode().split("\0")
    return [found[5 * i:5 * i + 5] for i in range(len(given))]


def check_random(program, seed="7"):
    given = list(dict.fromkeys(texts(seed)))
    wrong, count = [], 0
    for text, found in zip(given, run(program, given)):
        origin, line = lines.of_frame(text)
        count += line is not None
        wanted = [origin, "-" if line is None else line, names.label(text), names.without_address(text), names.short_path(text)]
        if found != wanted:
            wrong.append("%r: %r, wanted %r" % (text, found, wanted))
    print("%d texts, %d lines, %d differ" % (len(given), count, len(wrong)))
    print("\n".join(wrong[:10]))
    return bool(wrong) or count < 1000


def check_table(program, path, *scripts):
    """Checks a table with the columns origin and frame, whose frames include the scripts."""
    with open(path, encoding="utf-8") as file:
        rows = [row.rstrip("\n").split("\t") for row in file if row.strip() and not row.startswith("#")]
    found = run(program, [row[1] for row in rows], scripts)
    wrong = ["%s: %s, wanted %s" % (text, origins[0], wanted) for (wanted, text, *_), origins in zip(rows, found)
             if (origins[0], wanted) != (wanted, lines.of_frame(text, frozenset(scripts))[0])]
    print("%d frames, %d differ" % (len(rows), len(wrong)))
    print("\n".join(wrong[:10]))
    return bool(wrong) or not rows


if __name__ == "__main__":
    sys.exit(check_table(*sys.argv[1:2], *sys.argv[3:]) if sys.argv[2:3] == ["--table"] else check_random(*sys.argv[1:]))
