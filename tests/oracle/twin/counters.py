"""counter_view (docs/definitions.md, section 7): statistics of the counters of devices, energy and clock by step. Rule C26
(section 15): a low clock."""
import bisect
import collections
import fractions
import math
import re

from .findings import threshold
from .intervals import length, meet, union, within
from .numbers import Us, nanoseconds, percent
from .texts import fixed, percent_text

GAP, SHORT = 10 ** 9, 2 * 10 ** 8


def samples_of(document):
    """Returns {(device, name): [(time, value)]}, sorted by time."""
    found = collections.defaultdict(list)
    for e in document.events:
        device = re.fullmatch(r"GPU (\d+) Counters", str(e.get("pid"))) if isinstance(e, dict) and e.get("ph") == "C" else None
        at = nanoseconds(e.get("ts")) if device else None
        value = e["args"].get("") if at is not None and isinstance(e.get("args"), dict) else None
        if value is not None and isinstance(e.get("name"), str) and math.isfinite(float(value)):
            found[int(device[1]), e["name"]].append((at, float(value)))
    return {key: sorted(values, key=lambda x: x[0]) for key, values in found.items()}


def counters_of(samples, device):
    """Returns the samples of power, clock and temperature of a device: of the first counter whose name begins so."""
    for start in ("Power (W)", "SM Clock (MHz)", "Temperature (C)"):
        names = sorted(name for d, name in samples if d == device and name.startswith(start))
        yield samples[device, names[0]] if names else []


def integral(power, start, end):
    """Returns (energy in joules, known time in ns) of [start, end) by the trapezoid rule."""
    joules, known = fractions.Fraction(0), 0
    for (a, x), (b, y) in zip(power, power[1:]):
        first, last = max(a, start), min(b, end)
        if last > first and b - a <= GAP and min(x, y) >= 0:
            x, y = fractions.Fraction(x), fractions.Fraction(y)
            at = lambda t: x + (y - x) * (t - a) / (b - a)
            joules += (at(first) + at(last)) / 2 * (last - first) / 10 ** 9
            known += last - first
    return joules, known


def value_at(samples, t):
    i = bisect.bisect_right(samples, t, key=lambda s: s[0]) - 1
    return samples[i][1] if i >= 0 else -math.inf


def highest(samples):
    return max((value for _, value in samples), default=math.inf)


def clock_times(counters, is_low, full_watts, hot_degrees):
    """Returns the times with a known clock, a low clock, and a low clock at the limit of power or temperature, as lists of
    (start, end, clock)."""
    power, clock, heat = counters
    known = [(a, b, value) for (a, value), (b, _) in zip(clock, clock[1:]) if b - a <= GAP]
    low = [x for x in known if is_low(x[2])]
    at_least = lambda samples, least: [x for x in low if value_at(samples, x[0]) >= least]
    return known, low, at_least(power, full_watts), at_least(heat, hot_degrees)


def step_row(device, step, power, heat, times):
    joules, known_power = integral(power, step.start, step.end)
    is_known = known_power == step.length >= SHORT
    known, low, powered, hot = (length(within(x, step.start, step.end)) for x in times)
    return {"device": device, "step": step.name, "length_us": Us(step.length), "energy_joules": float(joules) if is_known else None,
            "mean_watts": float(joules * 10 ** 9 / step.length) if is_known else None,
            "high_clock_percent": percent(known - low, known) if known else None, "low_clock_us": Us(low) if known else None,
            "power_limit_us": Us(powered) if known and power else None, "heat_limit_us": Us(hot) if known and heat else None}


def rows_of_steps(trace, device, counters):
    power, clock, heat = counters
    high = 0.95 * highest(clock)
    busy = next((d.busy for d in trace.devices if d.number == device), [])
    times = [meet(union([x[:2] for x in part]), busy)
             for part in clock_times(counters, lambda value: value < high, 0.98 * highest(power), 85)]
    return [step_row(device, s, power, heat, times) for s in trace.steps.used]


def counter_view(trace):
    """Returns None without counters of devices."""
    samples = samples_of(trace.document)
    if not samples:
        return None
    rows = [{"device": device, "counter": name, "samples": len(s), "min": min(v for _, v in s), "mean": sum(v for _, v in s) / len(s),
             "max": max(v for _, v in s)} for (device, name), s in sorted(samples.items())]
    steps, energies = [], []
    for device in sorted({d for d, _ in samples}):
        counters = power, clock, _ = list(counters_of(samples, device))
        if power or clock:
            steps += rows_of_steps(trace, device, counters)
        if power:
            energies.append([sum(x) for x in zip(*(integral(power, s.start, s.end) for s in trace.steps.used))])
    whole = length(trace.window)
    is_known = energies and all(10 * known >= 9 * whole for _, known in energies)
    return {"counters": rows, "steps": steps,
            "energy_per_step_joules": float(sum(joules for joules, _ in energies) / trace.steps.count) if is_known else None,
            "energy_is_at_least": bool(is_known and any(known < whole for _, known in energies))}


# ---- C26 ----

def clock_rule(findings):
    """Finds C26: power or temperature lowers the clock."""
    samples = samples_of(findings.trace.document)
    devices = [d for d in sorted({d for d, _ in samples}) if list(counters_of(samples, d))[1]]
    for device in devices:
        examine_clock(findings, list(counters_of(samples, device)))
    numbers = {d.number for d in findings.trace.devices}
    if numbers - set(devices) or not (numbers or samples):
        findings.skip("C26", "the trace has no samples of the clock of a device")


def examine_clock(findings, counters):
    power, clock, heat = counters
    window, limits = findings.trace.window, threshold("C26")
    least = limits["min_pct"] / 100 * length(window)
    full, high = highest(power) * limits["power_pct"] / 100, highest(clock) * (1 - limits["min_drop_pct"] / 100)
    times = clock_times(counters, lambda value: value <= high, full, limits["hot_c"])
    known, low, powered, hot = (sum(length(meet([x[:2]], window)) for x in part) for part in times)
    is_low = low > 0 and low >= least
    if len(clock) < limits["min_samples"] or (not is_low and low + length(window) - known >= least):
        findings.skip("C26", "the trace has too few samples of the clock of a device")
    elif is_low and max(powered, hot) >= 0.8 * low:
        mean = sum(x[2] * length(meet([x[:2]], window)) for x in times[1]) / low
        is_hot = hot >= 0.8 * low
        limit = "at a temperature of up to %s °C" if is_hot else "while the power is at its limit of %s W"
        findings.add_without_ceiling("C26", "medium", [], share=percent(low, length(window)), detail=(
            "For %s of the step time, the clock is %s instead of %s MHz, " + limit + ".") % (
                percent_text(percent(low, length(window))), fixed(mean, 0), fixed(highest(clock), 0), fixed(highest(heat if is_hot else power), 0)))
    elif is_low and not (power and heat):
        findings.skip("C26", "the clock of a device is low, but the trace lacks samples of its power or temperature")
