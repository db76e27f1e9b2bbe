"""check_tensors.py DIR: compares with NumPy what tensor_program recorded in DIR.

Each .npy file must have the type and shape that the trace describes. The statistics in the trace must equal those of
NumPy. Prints a line for each difference, and then exits with 1."""
import glob
import json
import os
import sys

import numpy

TYPES = {"bfloat16": "uint16"}
CLOSE = 1e-12


def differs(told, found):
    if told is None:
        return bool(numpy.isfinite(found))
    return not abs(told - found) <= CLOSE * abs(found)


def faults_of(folder, event):
    args = event["args"]
    values = numpy.load(os.path.join(folder, args["file"]), allow_pickle=False)
    if str(values.dtype) != TYPES.get(args["dtype"], args["dtype"]) or list(values.shape) != args["shape"]:
        return ["is %s %s" % (values.dtype, values.shape)]
    if args["dtype"] == "bfloat16":
        values = (values.astype("uint32") << 16).view("float32")
    # sums in double precision, because NumPy's sums in float16 would overflow
    values = values.astype("float64").ravel()
    finite = values[numpy.isfinite(values)].astype("longdouble")
    exact = {
        "count": values.size,
        "zeros": int((values == 0).sum()),
        "nans": int(numpy.isnan(values).sum()),
        "infs": int(numpy.isinf(values).sum()),
    }
    faults = ["%s: %r, not %r" % (key, args[key], exact[key]) for key in exact if args[key] != exact[key]]
    if not finite.size:
        return faults + [key for key in ("min", "max", "mean", "std", "l2") if args[key] is not None]
    real = {
        "min": finite.min(),
        "max": finite.max(),
        "mean": finite.mean(),
        "std": finite.std(),
        "l2": numpy.sqrt((finite * finite).sum()),
    }
    with numpy.errstate(over="ignore"):  # the trace has null for statistics that exceed a double
        real = {key: float(value) for key, value in real.items()}
    scale = abs(finite).max()
    for key, value in real.items():
        # the mean is only as exact as the values, even if it is near 0
        wrong = differs(args[key], value) if key != "mean" else abs(args[key] - value) > CLOSE * scale
        if wrong:
            faults.append("%s: %r, not %r" % (key, args[key], value))
    return faults


def main():
    folder = sys.argv[1]
    (path,) = glob.glob(os.path.join(folder, "*.pt.trace.json"))
    with open(path, encoding="utf-8") as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "tensor"]
    faults = ["%s: %s" % (event["name"], fault) for event in events for fault in faults_of(folder, event)]
    print("%d tensors, %d faults" % (len(events), len(faults)), *faults, sep="\n")
    return 1 if faults or not events else 0


sys.exit(main())
