"""check_op_costs.py TRACEPRESS FOLDER [EXPECTED_FOLDER...]: compares the operations of operators (`table --aggregate-by
type`) with torch.

Each EXPECTED_FOLDER contains a trace and the output of key_averages(). Its with_flops numbers are compared for
products, conv2d, and mul and add without broadcasting. If torch is installed, also runs models of every family under
the profiler and under torch.utils.flop_counter, which has its own formulas. Prints a line for each difference, and then
exits with 1."""
import csv
import glob
import gzip
import io
import json
import os
import subprocess
import sys

TORCH = ["aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::conv2d"]


def computations(program, trace):
    text = subprocess.run([program, "table", trace, "--aggregate-by", "type", "--top", "-1", "--format", "csv", "--quiet"],
                          check=True, stdout=subprocess.PIPE).stdout.decode()
    return {row["operator"]: float(row["computation_flop"]) for row in csv.DictReader(io.StringIO(text))
            if row["computation_flop"]}


def faults_of_expected(program, folder):
    with gzip.open(os.path.join(folder, "expected.json.gz"), "rt", encoding="utf-8") as file:
        rows = json.load(file)["tables"].get("plain", [])
    (trace,) = glob.glob(os.path.join(folder, "trace*.json*"))
    ours = computations(program, trace)
    theirs = {row["key"]: row["flops"] for row in rows if row["key"] in TORCH and row["flops"]}
    return ["%s: %s: %s, torch says %s" % (folder, name, ours.get(name), theirs[name]) for name in theirs
            if ours.get(name) != theirs[name]], len(theirs)


def models(torch):
    functional = torch.nn.functional
    rand = lambda *shape: torch.randn(*shape, requires_grad=True)

    def attention(backend):
        with torch.nn.attention.sdpa_kernel(backend):
            q, k, v = rand(2, 4, 33, 16), rand(2, 4, 65, 16), rand(2, 4, 65, 16)
            functional.scaled_dot_product_attention(q, k, v).sum().backward()

    def products():
        x, y = rand(7, 9), rand(9, 5)
        (x @ y).sum().backward()
        torch.bmm(rand(3, 4, 5), rand(3, 5, 6)).sum().backward()
        torch.baddbmm(rand(3, 4, 6), rand(3, 4, 5), rand(3, 5, 6)).sum().backward()
        functional.linear(rand(4, 8), rand(3, 8), rand(3)).sum().backward()
        functional.linear(rand(2, 4, 8), rand(3, 8), rand(3)).sum().backward()

    # without groups, because flop_counter computes the weight gradient of a grouped convolution as if it had no groups
    def convolutions():
        functional.conv2d(torch.randn(2, 4, 17, 13), torch.randn(6, 2, 3, 5), stride=2, padding=(1, 2), groups=2)
        functional.conv2d(rand(2, 4, 17, 13), rand(6, 4, 3, 5), rand(6), stride=2, padding=(1, 2)).sum().backward()
        functional.conv2d(rand(1, 3, 20, 20), rand(5, 3, 3, 3), dilation=2).sum().backward()
        functional.conv1d(rand(2, 3, 31), rand(4, 3, 5), stride=3).sum().backward()
        functional.conv3d(rand(1, 2, 7, 8, 9), rand(3, 2, 2, 3, 3), padding=1).sum().backward()

    backends = torch.nn.attention.SDPBackend
    return {"products": products, "convolutions": convolutions,
            "attention, flash": lambda: attention(backends.FLASH_ATTENTION),
            "attention, math": lambda: attention(backends.MATH)}


# operators that flop_counter counts; operators that call others are not in this list
COUNTED = ["aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::convolution", "aten::convolution_backward",
           "aten::_scaled_dot_product_flash_attention_for_cpu", "aten::_scaled_dot_product_flash_attention_for_cpu_backward"]


def faults_of_models(program, folder, torch):
    from torch.profiler import ProfilerActivity, profile
    from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count

    faults = []
    for name, model in models(torch).items():
        path = os.path.join(folder, "model.pt.trace.json")
        with FlopCounterMode(display=False) as counter:
            model()
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
            model()
        prof.export_chrome_trace(path)
        ours = computations(program, path)
        counted = counter.get_flop_counts().get("Global", {})
        theirs = {"aten::" + str(op).split(".")[-1]: flops for op, flops in counted.items()}
        # flop_counter has no formula for the CPU's operator, but for the equal operator of GPUs
        if name == "attention, flash":
            q, k = (2, 4, 33, 16), (2, 4, 65, 16)
            theirs = {COUNTED[-2]: sdpa_flop_count(q, k, k), COUNTED[-1]: sdpa_backward_flop_count(q, q, k, k)}
        mine = {op: ours[op] for op in COUNTED if ours.get(op)}
        if mine != theirs:
            faults.append("%s: %s, torch counts %s" % (name, mine, theirs))
    return faults, len(models(torch))


def main():
    program, folder = sys.argv[1:3]
    faults, count = [], 0
    for expected in sys.argv[3:]:
        found, names = faults_of_expected(program, expected)
        faults += found
        count += names
    try:
        import torch
    except ImportError:
        modelled = 0
    else:
        found, modelled = faults_of_models(program, folder, torch)
        faults += found
    print("%d operators of traces, %d models, %d faults" % (count, modelled, len(faults)), *faults[:20], sep="\n")
    return 1 if faults or not count + modelled else 0


sys.exit(main())
