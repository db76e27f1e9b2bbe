"""Writes numbers in sentences as tracepress does: percentages, times, bytes, counts."""
import math


def fixed(value, decimals):
    """Returns the number with fixed decimals and digits in groups of three. Rounds halves away from zero."""
    scaled = abs(value) * 10 ** decimals
    digits = math.floor(scaled)
    digits += scaled - digits >= 0.5
    whole, rest = divmod(digits, 10 ** decimals)
    text = format(whole, ",") + (".%0*d" % (decimals, rest) if decimals else "")
    return ("\N{MINUS SIGN}" if value < 0 and digits else "") + text


def decimals_of(value):
    """Returns the number of decimals that shows about three significant digits."""
    value = abs(value)
    if value == 0 or value >= 999.95:
        return 0
    return 1 if value >= 9.995 else 2 if value >= 0.0995 else 3


def percent_text(value):
    return fixed(value, 1) + " %"


def time_text(ns):
    if abs(ns) >= 10 ** 9:
        return fixed(ns / 1e9, 2) + " s"
    if abs(ns) >= 10 ** 6:
        return fixed(ns / 1e6, decimals_of(ns / 1e6)) + " ms"
    return fixed(ns / 1e3, 1 if ns % 1000 else 0) + " \N{MICRO SIGN}s"


def bytes_text(n):
    for unit, size, decimals in (("GiB", 2 ** 30, 2), ("MiB", 2 ** 20, 1), ("KiB", 2 ** 10, 1)):
        if abs(n) >= size:
            return "%s %s" % (fixed(n / size, decimals), unit)
    return fixed(n, 0) + " B"


def count_text(n):
    return fixed(n, 0)


def some(count, one, many):
    return "%s %s" % (count_text(count), one if count == 1 else many)
