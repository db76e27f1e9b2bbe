#!/usr/bin/env python3
"""compare_documents.py OURS.json[.gz] REFERENCE.json[.gz] [--sections overview,idle_view,...] [--max-lines N]

Compares two documents of schema tracepress-views, version 2.  Texts, booleans, null, integers and times (decimal microseconds)
must be equal.  Quotients must agree to a relative 1e-9: keys that end in _ratio, _percent, _per_step or _gb_per_s, keys that begin with mean_,
and the keys in QUOTIENTS.  Lists must have the same length and order.  A field that only OURS has is listed but is not a difference.
A row that only OURS has (an operator, a device, a step) is a difference.
Prints the first differences and their number for each section, and "N values compared, M differ".
Exits with 1 if M > 0, with 2 if a file is unreadable.
"""
import argparse
import collections
import decimal
import gzip
import json
import re
import sys

Decimal = decimal.Decimal
TOLERANCE = Decimal("1e-9")
QUOTIENTS = {"average", "flame_value_us", "step_us", "percent", "value", "all", "mean_us", "mean", "energy_joules",
             "energy_per_step_joules"}
ROWS = re.compile(r"(call_stacks_by_name(_and_input_shape)?|_by_worker|_by_step_and_worker(\.[^.]*)?|curve_points_up_to_10240|\.events|"
                  r"operator_stats(_folded)?|device_busy_by_gpu_us|peak_bytes|\.read|\.skipped|device_information(\..*)?)$")
FIELD = re.compile(r"[a-z][a-z0-9_]*")


def load(path):
    with open(path, "rb") as f:
        raw = f.read()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw, parse_float=Decimal)


def is_number(x):
    return isinstance(x, (int, Decimal)) and not isinstance(x, bool)


def is_quotient(key):
    return key in QUOTIENTS or key.endswith(("_ratio", "_percent", "_per_step", "_gb_per_s")) or key.startswith("mean_")


def short(x):
    text = json.dumps(x, default=str, ensure_ascii=False)
    return text if len(text) < 400 else text[:397] + "..."


def leaves(x):
    if isinstance(x, dict):
        return max(1, sum(map(leaves, x.values())))
    return 1 + sum(map(leaves, x)) if isinstance(x, list) else 1


class Comparison:
    def __init__(self):
        self.values = 0
        self.different, self.only_ours = [], collections.Counter()

    def differ(self, path, ours, reference, values=1):
        self.values += values
        self.different.append((path, short(ours), short(reference), values))

    def walk(self, path, ours, reference, quotient=False):
        if isinstance(ours, dict) and isinstance(reference, dict):
            self.objects(path, ours, reference, quotient)
        elif isinstance(ours, list) and isinstance(reference, list):
            self.values += 1
            if len(ours) != len(reference):
                self.different.append((path + ".length", len(ours), len(reference), 1))
            for i, (x, y) in enumerate(zip(ours, reference)):
                self.walk("%s[%s]" % (path, row_name(y, i)), x, y, quotient)
        else:
            self.leaf(path, ours, reference, quotient)

    def objects(self, path, ours, reference, quotient):
        for key, value in reference.items():
            if key in ours:
                self.walk(path + "." + key, ours[key], value, quotient or is_quotient(key))
            else:
                self.differ(path + "." + key, "(missing)", value, leaves(value))
        for key in ours.keys() - reference.keys():
            if FIELD.fullmatch(key) and not ROWS.search(path):
                self.only_ours[key] += 1
            else:
                self.differ(path + "." + key, ours[key], "(missing)", leaves(ours[key]))

    def leaf(self, path, ours, reference, quotient):
        if is_number(ours) and is_number(reference):
            equal = ours == reference or quotient and abs(ours - reference) <= TOLERANCE * max(abs(ours), abs(reference))
        else:
            equal = type(ours) is type(reference) and ours == reference
        if equal:
            self.values += 1
        else:
            self.differ(path, ours, reference)


def row_name(x, i):
    return x["name"][:40] if isinstance(x, dict) and isinstance(x.get("name"), str) else i


def profiles_of(document):
    return {(i, p["worker"], p["span"]): p for i, r in enumerate(document["runs"]) for p in r["profiles"]}


def compare(ours, reference, sections):
    """Returns {section: Comparison}."""
    found = collections.defaultdict(Comparison)
    mine, theirs = profiles_of(ours), profiles_of(reference)
    for key in theirs.keys() - mine.keys():
        found["profiles"].differ(str(key), "(missing)", "present")
    for key in theirs.keys() & mine.keys():
        a, b = mine[key], theirs[key]
        for section, value in b.items():
            if section != "file" and (not sections or section in sections):
                if section in a:
                    found[section].walk(section, a[section], value)
                else:
                    found[section].differ(section, "(missing)", value, leaves(value))
    if not sections or "distributed" in sections:
        for a, b in zip(ours["runs"], reference["runs"]):
            found["distributed"].walk("distributed", a.get("distributed", []), b["distributed"])
    found["document"].leaf("schema_version", ours.get("schema_version"), reference["schema_version"], False)
    return found


def report(found, limit):
    values = different = 0
    only_ours = collections.Counter()
    for section, c in found.items():
        count = sum(d[3] for d in c.different)
        for path, a, b, _ in c.different[:limit]:
            print("  %s: ours %s, reference %s" % (path, a, b))
        print("%-18s %8d values, %d differ" % (section, c.values, count))
        values, different = values + c.values, different + count
        only_ours += c.only_ours
    if only_ours:
        print("only in OURS, not counted: " + ", ".join(sorted(only_ours)))
    print("%d values compared, %d differ" % (values, different))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours")
    parser.add_argument("reference")
    parser.add_argument("--sections", default="")
    parser.add_argument("--max-lines", type=int, default=20)
    args = parser.parse_args()
    try:
        ours, reference = load(args.ours), load(args.reference)
    except (OSError, ValueError, EOFError) as e:
        print("cannot read: %s" % e, file=sys.stderr)
        return 2
    return report(compare(ours, reference, set(filter(None, args.sections.split(",")))), args.max_lines)


if __name__ == "__main__":
    sys.exit(main())
