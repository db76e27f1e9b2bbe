"""check_precision.py TRACEPRESS FOLDER [SEED]: compares `tracepress precision` with NumPy on random arrays.

Two runs have arrays of every type, order and byte order, as .npy and .npz. Some have planted differences. Prints a line
for each wrong result, and then exits with 1."""
import json
import os
import subprocess
import sys
import zipfile

import numpy

TYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]
TOLERANCES = {"f2": (1e-3, 1e-5), "f4": (1.3e-6, 1e-5), "f8": (1e-7, 1e-7)}
SHAPES = [(), (0,), (1,), (7,), (3, 4), (5, 0, 2), (40, 30), (2, 3, 4, 5), (9000,), (130, 3, 50), (1, 1, 6)]


def random_array(rng, kind, shape):
    if kind == "b1":
        return rng.integers(0, 2, shape).astype(bool)
    if kind[0] in "iu":
        info = numpy.iinfo(kind)
        return rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    scale = 10.0 ** rng.integers(-3, 3)
    values = rng.standard_normal(shape) * scale
    if kind == "f8" and rng.random() < 0.2:
        values = values * 10.0 ** rng.choice([-200, 200])
    return numpy.asarray(values).astype(kind)


def changed(rng, values, kind):
    """Returns a copy with no differences, small differences everywhere, or large differences in places."""
    other = numpy.array(values)
    how = rng.integers(0, 4)
    if other.size == 0 or how == 0:
        return other
    if kind == "b1":
        other.flat[rng.integers(0, other.size)] ^= True
    elif kind[0] in "iu":
        at = rng.integers(0, other.size, 3)
        other.flat[at] = rng.integers(0, 100, 3).astype(kind)
    elif how == 1:
        other = (other * (1 + rng.standard_normal(other.shape) * 1e-6)).astype(kind)
    else:
        at = rng.integers(0, other.size, 1 + other.size // 10)
        other.flat[at] = (other.flat[at] * 1.5 + 0.25).astype(kind)
    if kind[0] == "f" and how == 3:
        special = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0], dtype=kind)
        for array in (values, other) if rng.random() < 0.5 else (other,):
            array.flat[rng.integers(0, array.size, 4)] = rng.choice(special, 4)
    return other


def stored(rng, values):
    order = rng.choice(["C", "F"])
    dtype = values.dtype.newbyteorder(rng.choice(["<", ">"]))
    return numpy.array(values.astype(dtype), order=order)


def expected(base, new, kind):
    x, y = new.astype("float64").ravel(), base.astype("float64").ravel()
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    if kind in ("i8", "u8"):
        exact = [abs(int(a) - int(b)) for a, b in zip(new.ravel().tolist(), base.ravel().tolist())]
        distance = numpy.array([float(d) for d in exact])
    else:
        with numpy.errstate(invalid="ignore"):
            distance = numpy.abs(x - y)
    rtol, atol = TOLERANCES.get(kind, (0, 0))
    with numpy.errstate(invalid="ignore"):
        close = numpy.where(finite, distance <= atol + rtol * numpy.abs(y), (x == y) | (numpy.isnan(x) & numpy.isnan(y)))
    wide = numpy.longdouble
    out = {
        "elements": x.size,
        "mismatches": int((~close).sum()),
        "base_nans": int(numpy.isnan(y).sum()),
        "new_nans": int(numpy.isnan(x).sum()),
        "base_infs": int(numpy.isinf(y).sum()),
        "new_infs": int(numpy.isinf(x).sum()),
        "max_abs_error": None,
        "max_rel_error": None,
        "rmse": None,
        "cosine_similarity": None,
    }
    if finite.any():
        d, a, b = distance[finite], x[finite].astype(wide), y[finite].astype(wide)
        out["max_abs_error"] = float(d.max())
        nonzero = b != 0
        if nonzero.any():
            out["max_rel_error"] = float((d[nonzero] / numpy.abs(y[finite][nonzero])).max())
        out["rmse"] = float(numpy.sqrt((d.astype(wide) ** 2).mean()))
        norms = numpy.sqrt((a * a).sum()) * numpy.sqrt((b * b).sum())
        out["cosine_similarity"] = float((a * b).sum() / norms) if norms > 0 else None
    return out


def close(told, wanted, key):
    if told is None or wanted is None:
        return told is None and wanted is None
    slack = 1e-11 if key in ("rmse", "cosine_similarity") else 0
    return abs(told - wanted) <= slack * max(abs(wanted), 1 if key == "cosine_similarity" else 0)


def write(folder, name, values, archive):
    if archive is not None:
        archive[name] = values
        return
    path = os.path.join(folder, name + ".npy")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    numpy.save(path, values)


def main():
    program, folder, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = numpy.random.default_rng(seed)
    truth, archives = {}, ({}, {})
    runs = [os.path.join(folder, name) for name in ("base", "new")]
    for kind in TYPES:
        for number, shape in enumerate(SHAPES):
            base = random_array(rng, kind, shape)
            new = changed(rng, base, kind)
            name, step = "layer.%s.%d" % (kind, number), int(rng.integers(0, 3))
            in_archive = rng.random() < 0.4
            for run, values, archive in zip(runs, (base, new), archives):
                if in_archive:
                    write(run, name, stored(rng, values), archive)
                else:
                    write(os.path.join(run, "step_%d" % step), name, stored(rng, values), None)
            truth[("weights/" + name, None) if in_archive else (name, step)] = expected(base, new, kind)
    for run, archive, save in zip(runs, archives, (numpy.savez, numpy.savez_compressed)):
        save(os.path.join(run, "weights.npz"), **archive)
    out = os.path.join(folder, "out.json")
    code = subprocess.run([program, "precision", runs[0], runs[1], "--json", out, "--quiet"],
                          stdout=subprocess.DEVNULL).returncode
    with open(out, encoding="utf-8") as file:
        rows = json.load(file)["tensors"]
    faults = [] if code == 1 else ["exit code %d" % code]
    found = {(row["name"], row["step"]): row for row in rows}
    if set(found) != set(truth):
        faults.append("tensors: %s" % sorted(map(str, set(found) ^ set(truth)))[:5])
    for key in set(found) & set(truth):
        row = found[key]
        for field, wanted in truth[key].items():
            if not close(row[field], wanted, field):
                faults.append("%s: %s is %r, not %r" % (key, field, row[field], wanted))
        if row["is_divergent"] != (truth[key]["mismatches"] > 0):
            faults.append("%s: %s with %d mismatches" % (key, row["verdict"], truth[key]["mismatches"]))
    print("%d tensors, %d diverge, %d faults" % (len(truth), sum(row["is_divergent"] for row in rows), len(faults)),
          *faults[:20], sep="\n")
    return 1 if faults or len(truth) < len(TYPES) * len(SHAPES) else 0


if __name__ == "__main__":
    sys.exit(main())
