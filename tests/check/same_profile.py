#!/usr/bin/env python3
"""same_profile.py [--other-file] ONE.json OTHER.json: checks that two reports agree in every number. Prints the first
differences and exits with 1. Does not compare facts of the file (name, size, checksum, positions of events). Texts that
depend on the order of events in the file are compared only with --other-file, where both files have the same order."""
import json
import sys

OF_THE_FILE = {"bytes", "event_ordinal", "first_event", "peak_event", "run_name", "file", "worker", "sha256", "crc", "input",
               "producer", "unknown"}
OF_THE_ORDER = {"program_use"}
OF_THE_TEXT = {"trace_quality"}


def differences(one, other, path, skipped):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            if key not in skipped:
                yield from differences(one.get(key), other.get(key), path + "." + key, skipped)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other)):
            yield from differences(*pair, "%s[%d]" % (path, i), skipped)
    elif one != other:
        yield "%s: %.80s, %.80s" % (path, one, other)


def main(paths):
    is_other_file = paths[0] == "--other-file"
    documents = []
    for path in paths[is_other_file:]:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    skipped = OF_THE_FILE | (OF_THE_TEXT if is_other_file else OF_THE_ORDER)
    found = list(differences(*documents, "", skipped))
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
