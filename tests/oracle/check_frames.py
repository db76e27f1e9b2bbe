#!/usr/bin/env python3
"""check_frames.py FRAME_LINES [SEED]: compares how the executable reference and webreport/trace/frame.c read texts of
frames.

The texts are random, with characters that are hard to parse, and frames of real programs. Project line, label, text
without addresses and shortened path must be equal. Prints differences, and exits with 1 if there are any."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from twin import names

PARTS = ["(", ")", ": ", "):", "(1)", "(12): ", "(-3): ", "(007): ", "[2]: x", "/", "\\", ".py", ".pyx", ".pyc", "-", "7", "a", " ", ";", "<", ">",
         "\n", ".", "C:", "run", "\xe4", " at 0x", "0x7f", "0x", "ProfilerStep#", "torch/", "threading.py", "/site-packages/", "site-packages/",
         "/dist-packages/", "/usr/lib/python3.11/", "lib/python3/", "lib/python", "3.", "asyncio/", "<frozen runpy>", "importlib/", "run (1)",
         "model.py(4): forward", "/home/u/", "<ipython-input-3-ab>", "copy.py", "json/", "pytorch/torch/nn/", "/tmp/torchinductor_u/",
         "/tmp/ipykernel_12/", "ab/cab" + "q" * 40 + ".py", "Lib\\", "/root/.triton/cache/"]


def texts(seed):
    chance = random.Random(seed)
    for _ in range(200000):
        yield "".join(chance.choice(PARTS) for _ in range(chance.randrange(12)))


def main(program, seed="7"):
    given = list(dict.fromkeys(texts(seed)))
    out = subprocess.run([program], input="\0".join(given).encode() + b"\0", stdout=subprocess.PIPE, check=True).stdout
    found = out.decode().split("\0")
    wrong, lines = [], 0
    for i, text in enumerate(given):
        line = names.project_line(text)
        lines += line is not None
        wanted = ["-" if line is None else line, names.label(text), names.without_address(text), names.short_path(text)]
        if found[4 * i:4 * i + 4] != wanted:
            wrong.append("%r: %r, wanted %r" % (text, found[4 * i:4 * i + 4], wanted))
    print("%d texts, %d project lines, %d differ" % (len(given), lines, len(wrong)))
    print("\n".join(wrong[:10]))
    return bool(wrong) or lines < 1000


sys.exit(main(*sys.argv[1:]))
