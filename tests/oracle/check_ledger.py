#!/usr/bin/env python3
"""check_ledger.py PROGRAM REFERENCE [CASES]: compares the statistics of runs (PROGRAM: tests/check/ledger_cases.c) with
the executable definition (REFERENCE: ledger_ref.py).

Each function gets CASES random cases. Some are edge cases: equal runs, no variance, one run, hundreds of runs. Numbers
must agree to a relative 1e-12, or to the last digits of the levels whose difference they are. Numbers with a quantile
must agree to 2e-12, because the reference sums its continued fraction only to 1e-12. Prints a line for each wrong
number, and then exits with 1.

The program runs twice, with different constants for limited outliers and for the median of a base. The first run uses
the constants of the reference. The second run ("exact") uses those that keep the promised rate of false alarms
(docs/diff.md, "levels of five runs"), which this file computes again. Cases without five runs on a side have equal
results in both.

The reference differs from the definition in three ways. First, the mean of equal levels is exact only for sums of a few
powers of two (14.25, but not 14.2), so equal runs here have such levels. Second, Python's lgamma differs from the C
library's in the last digit, which its digamma amplifies to 1e-11, so both sides use the C library. Third, the reference
rounds degrees of freedom to two digits in its cache of quantiles, which this file prevents."""
import ctypes
import importlib.util
import math
import random
import subprocess
import sys

PROGRAM, REFERENCE = sys.argv[1], sys.argv[2]
CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
spec = importlib.util.spec_from_file_location("ledger_ref", REFERENCE)
ref = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(ref)
library = ctypes.CDLL("libm.so.6").lgamma
library.restype, library.argtypes = ctypes.c_double, [ctypes.c_double]
math.lgamma = library
ref.round = lambda value, digits: value

plain_pooled, plain_compare = ref.pooled, ref.compare


def exact_pooled(groups, s0, nu0):
    """Returns the pooled noise and its degrees of freedom. If h of the k levels of a group are limited outliers, the
    sum of squares of the group is multiplied by (k - 1) / (k - 1 - h), and the group has k - 1 - h degrees of
    freedom."""
    total, degrees, runs = 0.0, 0, 0
    for g in groups:
        w = ref.winsor(g)
        mean, of_runs = sum(w) / len(w), len(w) - 1
        drawn = sum(a != b for a, b in zip(sorted(w), sorted(g)))
        own = sum((v - mean) ** 2 for v in w)
        total += own * of_runs / (of_runs - drawn) if drawn else own
        degrees += of_runs - drawn
        runs += of_runs
    if runs >= 3 and s0 and total / degrees > 4 * s0 * s0:
        return math.sqrt(total / degrees), degrees
    if nu0 <= 8:
        nu0 *= max(0.0, 1 - runs / 8)
    if nu0 == 0 and total == 0:
        nu0 = 1.0
    return math.sqrt((nu0 * s0 * s0 + total) / (nu0 + degrees)), nu0 + degrees


def exact_compare(base, new, s0, nu0=4.0, alpha=ref.ALPHA, history=None):
    """Compares two groups of levels. Uses the exact variance of the median of k normal values for the median of a base,
    not 1.25 times the variance of the mean."""
    s, nu = exact_pooled([g for g in [base, new] + (history or []) if len(g)], s0, nu0)
    k, n = len(base), len(new)
    cost = math.pi / 2 * k / (k + (0.46 if k % 2 else 1.36)) if k >= 5 else 1.0
    d = sum(ref.winsor(new)) / n - (ref.median(base) if k >= 5 else sum(base) / k)
    se, t = s * math.sqrt(cost / k + 1.0 / n), ref.t_ppf(1 - alpha / 2, nu)
    return {
        "est": math.expm1(d),
        "lo": math.expm1(d - t * se),
        "hi": math.expm1(d + t * se),
        "p": ref.t_tail(d / se, nu) if se else 1.0,
        "sees": math.expm1((t + ref.t_ppf(0.8, nu)) * se),
        "sd": s,
        "dof": nu,
        "half": math.expm1(t * se),
    }


QUANTITIES = ["kernels", "row", "host_ops", "step"]
NAN = float("nan")
R = random.Random(2026)


def some(least=1, most=12):
    """Returns a random number of runs, sometimes hundreds."""
    return R.choice([least, least + 1, R.randint(least, most), R.randint(least, most), R.randint(least, most) if R.random() < 0.9 else R.randint(100, 300)])


def levels(count, sd=None):
    """Returns random levels of runs: noisy, equal, or with outliers."""
    kind = R.random()
    centre = R.choice([0.0, 0.01, 14.2, 5.1] if kind > 0.12 else [0.0, 14.25])
    sd = sd if sd is not None else 10 ** R.uniform(-4, -1)
    out = [centre + (R.gauss(0, sd) if kind > 0.12 else 0.0) for _ in range(count)]
    if kind > 0.8:
        for _ in range(1 + count // 8):
            out[R.randrange(count)] += R.choice([-1, 1]) * R.uniform(3, 30) * sd
    if 0.12 < kind < 0.2:  # makes some levels equal
        out = [R.choice(out[:2]) for _ in out]
    return out


def pair(sd=None):
    base, new = levels(some(), sd), levels(some(), sd)
    shift = (base[0] - new[0]) + R.choice([0, 0, R.gauss(0, 0.02), R.gauss(0, 0.3)])
    new = [v + shift for v in new]
    return base, [round(v * 4096) / 4096 for v in new] if len(set(new)) == 1 else new


def guess():
    return R.choice([(0.002, 6.0), (0.015, 4.0), (0.003, 4.0), (10 ** R.uniform(-4, -1), R.uniform(1, 30)), (10 ** R.uniform(-4, -1), 4.0)])


def flat(*parts):
    out = []
    for part in parts:
        if isinstance(part, (list, tuple)):
            out.append(len(part))
            for item in part:
                out += flat(item) if isinstance(item, (list, tuple)) else [item]
        else:
            out.append(part)
    return out


def told(c):
    return [c["est"], c["lo"], c["hi"], c["sees"], c["half"], c["p"], c["sd"], c["dof"]]


def slack(c, *lists):
    """Returns the allowed error of each number of a change. The errors come from the last digits of the levels, and
    from the logarithmic width, whose error is larger in numbers that are computed by an exponential function."""
    digits, width = 4e-15 * size(*lists), 2e-12 * math.log1p(c["half"])
    end = (digits + width) * (1 + c["half"])
    p = digits / math.log1p(c["half"]) * 5 if c["half"] > 0 else 0
    return [digits, end, end * (1 + c["est"]), 2 * width * (1 + c["sees"]), width * (1 + c["half"]), 1e-12 * c["p"] + p, digits, 0]


# ---- cases: numbers for the program, results of the reference, the size of the subtracted numbers ----

def quantile():
    p, v = R.choice([0.995, 0.8, 0.975, 0.9, R.uniform(0.6, 0.9999)]), round(R.choice([1, 2, 3.5, R.uniform(1, 30), R.uniform(1, 500)]), 2)
    t = ref.t_ppf(p, v)
    return [p, v], [t], 1e-12 * t


def tails():
    t, v = R.choice([0.0, 1.0, R.gauss(0, 1), R.uniform(-60, 60), R.gauss(0, 4)]), R.choice([1, 4.0, R.uniform(1, 30), R.uniform(1, 500)])
    return [t, v], [ref.t_tail(t, v)], 1e-12 * ref.t_tail(t, v)


def level():
    values = [10 ** R.uniform(0, 9)] * some()
    values = [v * math.exp(R.gauss(0, 0.03)) if R.random() < 0.8 else v for v in values]
    return flat(values), list(ref.level(values)), 0


def warm_up():
    steps = [R.choice([1, 1, 1, 1.2, 1.6, 3]) * R.uniform(0.9, 1.1) * (2 if i < 3 and R.random() < 0.5 else 1) for i in range(some())]
    return flat(steps), [len(steps) - len(ref.steady({"steps": steps}))], 0


def prior():
    q, host, cvs = R.randrange(4), R.random() < 0.5, [R.choice([0.0, 10 ** R.uniform(-4, 0)]) for _ in range(some())]
    return flat(q, int(host), cvs), list(ref.prior(QUANTITIES[q], cvs, host)), 0


def pooled():
    (s0, nu0), groups = guess(), [levels(some()) for _ in range(R.randint(1, 4))]
    return flat(s0, nu0, groups), list(ref.pooled(groups, s0, nu0)), 4e-15 * size(*groups)


def compare():
    (s0, nu0), (base, new), more = guess(), pair(), [levels(some()) for _ in range(R.choice([0, 0, 0, 1, 3]))]
    c = ref.compare(base, new, s0, nu0, history=more)
    return flat(s0, nu0, base, new, more), told(c), slack(c, base, new, *more)


def paired():
    d = [R.gauss(0, 0.02) + 0.01 for _ in range(some(2))]
    c = ref.paired(d)
    return flat(d), told(c), slack(c, d)


def limit():
    lo = R.choice([-0.01, 0.0, 0.005, R.gauss(0, 0.02)])
    hi, most = lo + R.choice([0.0, abs(R.gauss(0, 0.02))]), R.choice([0.0, 0.005, 0.03, -0.01, lo, R.gauss(0, 0.03)])
    return [lo, hi, most], [["pass", "fail", "unclear"].index(ref.limit({"lo": lo, "hi": hi}, most))], 0


def needed():
    sd, nu, most, k = R.choice([0.0, 10 ** R.uniform(-4, -1)]), R.choice([1, 3.5, 4, 5.25, 8, 9, 14, 30]), R.choice([0.0, 0.005, 0.03, 10 ** R.uniform(-3, -1)]), some()
    return [sd, nu, most, k], [ref.runs_needed({"sd": sd, "dof": nu}, most, k, 1) or 0], 0


def fit():
    nu, sds = R.randint(2, 30), [R.choice([0.0, 0.01]) if R.random() < 0.05 else 10 ** R.gauss(-2, R.choice([0.05, 0.3, 1])) for _ in range(R.randint(5, 120))]
    return flat(nu, sds), list(ref.fit_prior(sds, nu) or (0, 0)), 0


def shift():
    n = R.randint(1, 60)
    d, w = [R.choice([0.0, R.gauss(0, 0.1)]) for _ in range(n)], [R.choice([0.0, 0.25, R.random()]) for _ in range(n)]
    return [n] + [x for pair in zip(d, w) for x in pair], [ref.common_shift(d, w)], 0


def many(function, rate):
    ps = [R.choice([R.random(), 10 ** R.uniform(-6, -1), 0.0, 1.0, rate / 10]) for _ in range(R.randint(1, 120))]
    kept = function(ps, rate)
    return flat(rate, ps), [len(kept)] + [int(i in kept) for i in range(len(ps))], 0


def holm():
    return many(ref.holm, 0.01)


def bh():
    return many(ref.bh, 0.05)


def rows():
    """Makes random rows. The reference computes rows from runs, so runs with these levels are made."""
    n, k, m = R.choice([3, 5, 7, 25, R.randint(5, 40)]), R.choice([1, 1, 2, R.randint(1, 6)]), R.choice([1, 1, 2, R.randint(1, 6)])
    centre, noise = [R.uniform(0, 1) for _ in range(n)], [10 ** R.gauss(-2.4, 0.3) for _ in range(n)]
    clock = [R.gauss(0, 0.01) for _ in range(k + m)]
    change = [R.choice([0, 0, 0, R.gauss(0, 0.1)]) for _ in range(n)]
    equal = R.random() < 0.1
    value = [[centre[j] + (0 if equal else R.gauss(0, noise[j]) + clock[r]) + (change[j] if r >= k else 0) for r in range(k + m)] for j in range(n)]
    cv, share = [[10 ** R.uniform(-3, -1) for _ in range(k + m)] for _ in range(n)], [R.random() for _ in range(n)]
    ref.row_levels = lambda run: {j: (value[j][run], share[j], 1, cv[j][run]) for j in range(n)}
    moved, judged = ref.judge_rows(list(range(k)), list(range(k, k + m)))
    ps = [r[2] for r in judged]
    sure, listed = ref.holm(ps, 0.01) if ps else set(), ref.bh(ps, 0.05) if ps else set()
    out = [moved]
    for i, row in enumerate(judged):
        out += [row[1], row[2], int(i in sure), int(i in listed)]
    given = [n, k, m]
    for j in range(n):
        given += flat(share[j], cv[j][0], cv[j][k], value[j][:k], value[j][k:])
    return given, out, [4e-15] + [4e-15, 1e-11, 0, 0] * len(judged)


def history():
    x = levels(R.choice([1, 3, 4, 5, 12, R.randint(4, 60), 200]))
    # a step of 1e9 times the noise between equal runs
    for _ in range(R.randint(0, 3) if len(set(x)) > len(x) // 2 else 0):
        at, step = R.randrange(len(x)), R.gauss(0, 0.05)
        x = [v + (step if i >= at else 0) for i, v in enumerate(x)]
    return x


def series():
    x = history()
    sd = ref.noise_of_series(x)
    return flat(x), [NAN if sd is None else sd], 4e-15 * size(x)


def changes():
    x, sd = history(), R.choice([NAN, NAN, 10 ** R.uniform(-3, -1.5)])
    # sums of squares of large levels would have no digits left for the differences between runs
    from_first = [v - x[0] for v in x]
    return flat(sd, x), ref.changepoints(from_first, None if sd != sd else sd), 0


def accepted():
    (s0, nu0), x = guess(), history()
    anchor, new = list(range(R.randint(1, min(len(x), 10)))), [x[-1] + R.gauss(0, 0.02) for _ in range(R.randint(1, 4))]
    known = ref.changepoints
    ref.changepoints = lambda h: known([v - h[0] for v in h])
    c = ref.against_accepted(x, anchor, new, s0, nu0)
    ref.changepoints = known
    return flat(s0, nu0, x, [x[i] for i in anchor], new), told(c), slack(c, x, new)


def loaded():
    own, known = R.choice([0.3, 0.5, 0.9, R.random()]), [R.choice([0.95, R.uniform(0.8, 1)]) for _ in range(R.choice([0, 2, 3, some()]))]
    return flat(own, known), [int(ref.contaminated(own, known))], 0


def size(*lists):
    """Returns the largest level. The errors of a difference are in the last digits of this level."""
    return max((abs(v) for items in lists for v in items), default=0)


FUNCTIONS = [quantile, tails, level, warm_up, prior, pooled, compare, paired, limit, needed, fit, shift, holm, bh, rows, series, changes, accepted, loaded]


def far(value, wanted, scale):
    """Returns the error of a value as a multiple of the allowed error, which is `scale` plus a relative 1e-12."""
    if math.isnan(wanted) or math.isnan(value):
        return 0 if math.isnan(wanted) and math.isnan(value) else math.inf
    return abs(value - wanted) / (1e-12 * abs(wanted) + scale + 1e-300) if value != wanted else 0


def judge(cases, arguments):
    """Runs the program on the cases. Returns the number of wrong results."""
    lines = "".join("%s %s\n" % (name, " ".join(map(repr, given))) for name, given, _, _ in cases)
    run = subprocess.run([PROGRAM, *arguments], input=lines, capture_output=True, text=True)
    results = [[float(word) for word in line.split()] for line in run.stdout.splitlines()]
    if run.returncode or len(results) != len(cases):
        sys.exit("exit %d, %d of %d results: %s" % (run.returncode, len(results), len(cases), run.stderr))
    worst, wrong = {}, 0
    for (name, given, wanted, scale), result in zip(cases, results):
        scales = scale if isinstance(scale, list) else [scale] * len(wanted)
        off = max(map(far, result, wanted, scales), default=0) if len(result) == len(wanted) else math.inf
        worst[name] = max(worst.get(name, 0), off)
        if off > 1:
            wrong += 1
            if wrong <= 12:
                print(name, scale, given[:20], "\n  is    ", result[:10], "\n  wanted", wanted[:10])
    print("%d cases of %d functions%s, %d wrong; worst, as a share of the allowed error: %s"
          % (len(cases), len(worst), ", exact" if arguments else "", wrong, ", ".join("%s %.2g" % item for item in worst.items())))
    return wrong


def main():
    wrong = judge([(f.__name__, *f()) for f in FUNCTIONS for _ in range(CASES)], [])
    ref.pooled, ref.compare = exact_pooled, exact_compare
    wrong += judge([(f.__name__, *f()) for f in (pooled, compare, accepted) for _ in range(CASES)], ["exact"])
    same = 0
    while same < CASES:
        (s0, nu0), (base, new) = guess(), pair()
        if max(len(base), len(new)) < 5:
            wrong += exact_compare(base, new, s0, nu0) != plain_compare(base, new, s0, nu0)
            same += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
