"""check_statistics.py TRACEPRESS FOLDER [SEED]: checks `tracepress precision` on traces that contain only statistics of
tensors.

The tensors are random, and some have planted differences. NumPy computes the statistics, in the form that the collector
writes. The results must be true for the values of the tensors, which tracepress does not have. Errors and mismatches
are lower limits, and the cosine is an upper limit. Equal tensors must not be reported as different. Differences that
statistics show must be found. Prints a line for each wrong result, and then exits with 1."""
import json
import os
import subprocess
import sys

import numpy

from check_precision import SHAPES, TYPES, changed, expected, random_array

PLANTED = ["nothing", "something", "one large", "scaled", "shifted", "nan", "inf", "order"]


def planted(rng, base, kind, how):
    """Returns (copy with a difference, whether statistics must show that it diverges)."""
    new = numpy.array(base)
    if how == "nothing" or base.size == 0:
        return new, False
    if how == "something":
        return changed(rng, base, kind), False
    if how == "order":  # statistics do not depend on the order of the values
        return rng.permutation(new.ravel()).reshape(new.shape), False
    if kind[0] != "f":
        at = int(numpy.argmax(new))
        new.flat[at] = 0 if new.flat[at] else 1
        return new, bool((new != base).any()) and kind != "b1" and new.max() != base.max()
    at = int(rng.integers(0, new.size))
    if how == "one large":
        new.flat[at] = float(numpy.abs(base.astype("f8")).max()) * 1.5 + 1
    elif how == "scaled":
        new = (new * 1.01).astype(kind)
        return new, kind != "f2" and float(numpy.abs(base.astype("f8")).max()) > 1e-2
    elif how == "shifted":
        new = (new + 0.5).astype(kind)
        return new, float(numpy.abs(base.astype("f8")).max()) < 100
    else:
        new.flat[at] = numpy.nan if how == "nan" else -numpy.inf
    return new, True


def statistics(values):
    x = values.astype("f8").ravel()
    finite = x[numpy.isfinite(x)].astype(numpy.longdouble)
    told = {"count": x.size, "min": None, "max": None, "mean": None, "std": None, "l2": None}
    if finite.size:
        mean = finite.mean()
        told.update(min=float(finite.min()), max=float(finite.max()), mean=float(mean),
                    std=float(numpy.sqrt(((finite - mean) ** 2).mean())), l2=float(numpy.sqrt((finite * finite).sum())))
    return dict(told, zeros=int((x == 0).sum()), nans=int(numpy.isnan(x).sum()), infs=int(numpy.isinf(x).sum()))


def event(name, values, number):
    args = {"dtype": values.dtype.name, "shape": list(values.shape), "step": number % 5}
    args.update(statistics(values))
    return {"ph": "i", "cat": "tensor", "name": name, "pid": 1, "tid": 1, "ts": number, "s": "t", "args": args}


def faults_of(row, truth, base, new, must_differ):
    def at_least(key):
        return row[key] is None or (truth[key] is not None and row[key] <= truth[key] * (1 + 1e-13))

    if row["compared_by"] != "statistics":
        return ["compared by %s" % row["compared_by"]]
    faults = [key for key in ("max_abs_error", "max_rel_error", "rmse", "mismatches") if not at_least(key)]
    faults += [key for key in ("base_nans", "new_nans", "base_infs", "new_infs", "elements") if row[key] != truth[key]]
    told, cosine = row["cosine_similarity"], truth["cosine_similarity"]
    if told is not None and (cosine is None or told < cosine - 1e-12):
        faults.append("cosine_similarity")
    if row["is_divergent"] and truth["mismatches"] == 0:
        faults.append("divergent")
    if must_differ and row["verdict"] != "differs":
        faults.append("not found")
    if row["verdict"] == "same statistics" and statistics(base) != statistics(new):
        faults.append("same")
    return faults


def main():
    program, folder, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = numpy.random.default_rng(seed)
    pairs, paths = {}, [os.path.join(folder, run + ".pt.trace.json") for run in ("base", "new")]
    for kind in TYPES:
        for how in PLANTED:
            for shape in SHAPES:
                base = random_array(rng, kind, shape)
                new, must_differ = planted(rng, base, kind, how)
                pairs["%s %s %s" % (kind, how, shape)] = base, new, must_differ, kind
    for side, path in enumerate(paths):
        events = [event(name, pair[side], number) for number, (name, pair) in enumerate(pairs.items())]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
    out = os.path.join(folder, "out.json")
    code = subprocess.run([program, "precision", *paths, "--json", out, "--quiet"], stdout=subprocess.DEVNULL).returncode
    with open(out, encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)["tensors"]}
    faults = [] if code == 1 and set(rows) == set(pairs) else ["exit code %d, %d of %d tensors" % (code, len(rows), len(pairs))]
    for name in set(rows) & set(pairs):
        base, new, must_differ, kind = pairs[name]
        found = faults_of(rows[name], expected(base, new, kind), base, new, must_differ)
        if found:
            faults.append("%s: %s\n  printed %s\n  true %s" % (name, found, rows[name], expected(base, new, kind)))
    proved = sum(row["verdict"] == "differs" for row in rows.values())
    wanted = sum(pair[2] for pair in pairs.values())
    print("%d tensors, %d divergences planted for statistics to show, %d proved, %d faults" % (len(rows), wanted, proved, len(faults)),
          *faults[:10], sep="\n")
    return 1 if faults or wanted < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
