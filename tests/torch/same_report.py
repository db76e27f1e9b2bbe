#!/usr/bin/env python3
"""same_report.py ONE.json OTHER.json: checks that two reports agree in every number. Prints the first differences and
exits with 1. Does not compare the size of the file, its events by kind, the positions of events, and the name of
the folder."""
import json
import sys

OF_THE_FILE = {"trace_quality", "bytes", "events", "event_ordinal", "first_event", "peak_event", "run_name"}


def differences(one, other, path):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            if key not in OF_THE_FILE:
                yield from differences(one.get(key), other.get(key), path + "." + key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other)):
            yield from differences(*pair, "%s[%d]" % (path, i))
    elif one != other:
        yield "%s: %.80s, %.80s" % (path, one, other)


def main(paths):
    documents = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    found = list(differences(*documents, ""))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
