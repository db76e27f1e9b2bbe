"""counter_view (docs/definitions.md, section 7): statistics of the counters of devices, energy and clock by step."""
import bisect
import collections
import fractions
import re

from .intervals import length, meet, union, within
from .numbers import Us, nanoseconds, percent

GAP, SHORT = 10 ** 9, 2 * 10 ** 8


def samples_of(document):
    """Returns {(device, name): [(time, value)]}, sorted by time."""
    found = collections.defaultdict(list)
    for e in document.events:
        device = re.fullmatch(r"GPU (\d+) Counters", str(e.get("pid"))) if isinstance(e, dict) and e.get("ph") == "C" else None
        at = nanoseconds(e.get("ts")) if device else None
        value = e["args"].get("") if at is not None and isinstance(e.get("args"), dict) else None
        if value is not None and isinstance(e.get("name"), str):
            found[int(device[1]), e["name"]].append((at, float(value)))
    return {key: sorted(values, key=lambda x: x[0]) for key, values in found.items()}


def integral(power, start, end):
    """Returns (energy in joules, known time in ns) of [start, end) by the trapezoid rule."""
    joules, known = fractions.Fraction(0), 0
    for (a, x), (b, y) in zip(power, power[1:]):
        first, last = max(a, start), min(b, end)
        if last > first and b - a <= GAP:
            x, y = fractions.Fraction(x), fractions.Fraction(y)
            at = lambda t: x + (y - x) * (t - a) / (b - a)
            joules += (at(first) + at(last)) / 2 * (last - first) / 10 ** 9
            known += last - first
    return joules, known


def value_at(samples, t):
    i = bisect.bisect_right([s[0] for s in samples], t) - 1
    return samples[i][1] if i >= 0 else None


def clock_times(clock, power, heat, busy):
    """Returns the known, low, power-limited and hot parts of the busy time as unions."""
    known, low, powered, hot = [], [], [], []
    for (a, value), (b, _) in zip(clock, clock[1:]):
        if b - a > GAP:
            continue
        known.append((a, b))
        if value >= 0.95 * max(v for _, v in clock):
            continue
        low.append((a, b))
        watts, degrees = value_at(power, a), value_at(heat, a)
        if watts is not None and watts >= 0.98 * max(v for _, v in power):
            powered.append((a, b))
        if degrees is not None and degrees >= 85:
            hot.append((a, b))
    return [meet(union(x), busy) for x in (known, low, powered, hot)]


def step_row(device, step, power, heat, times):
    joules, known_power = integral(power, step.start, step.end)
    if known_power < step.length or step.length < SHORT:
        joules = None
    known, low, powered, hot = (length(within(x, step.start, step.end)) for x in times)
    return {"device": device, "step": step.name, "length_us": Us(step.length), "energy_joules": joules and float(joules),
            "mean_watts": joules and float(joules * 10 ** 9 / step.length),
            "high_clock_percent": percent(known - low, known) if known else None, "low_clock_us": Us(low) if known else None,
            "power_limit_us": Us(powered) if known and power else None, "heat_limit_us": Us(hot) if known and heat else None}


def counter_view(trace):
    """Returns None without counters of devices."""
    samples = samples_of(trace.document)
    if not samples:
        return None
    rows = [{"device": device, "counter": name, "samples": len(s), "min": min(v for _, v in s), "mean": sum(v for _, v in s) / len(s),
             "max": max(v for _, v in s)} for (device, name), s in sorted(samples.items())]
    steps, energies = [], []
    for device in sorted({d for d, _ in samples}):
        power, clock, heat = (samples.get((device, name), []) for name in ("Power (W)", "SM Clock (MHz)", "Temperature (C)"))
        if not power and not clock:
            continue
        busy = next((d.busy for d in trace.devices if d.number == device), [])
        times = clock_times(clock, power, heat, busy)
        steps += [step_row(device, s, power, heat, times) for s in trace.steps.used]
        if power:
            energies.append([sum(x) for x in zip(*(integral(power, s.start, s.end) for s in trace.steps.used))])
    whole = length(trace.window)
    is_known = energies and all(10 * known >= 9 * whole for _, known in energies)
    return {"counters": rows, "steps": steps,
            "energy_per_step_joules": float(sum(joules for joules, _ in energies) / trace.steps.count) if is_known else None,
            "energy_is_at_least": bool(is_known and any(known < whole for _, known in energies))}
