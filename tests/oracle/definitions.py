#!/usr/bin/env python3
"""tracepress: the executable definition of every number (schema "tracepress-views", version 2).

    python3 definitions.py TRACE_OR_LOGDIR... [-o OUT.json[.gz]]

Uses only the standard library, and never calls the product.  docs/definitions.md describes the same numbers in words; twin/ has a
module for each of its sections.  Checks every profile against the invariants of section 16 before writing it.  Exits with 3 if no
file could be read.
"""
import argparse
import gzip
import sys

sys.dont_write_bytecode = True
from exceptions import note_left_out  # noqa: E402
from twin.numbers import write_json  # noqa: E402
from twin.runs import document  # noqa: E402


def write(data, path):
    if path is None:
        sys.stdout.buffer.write(data)
    elif path.endswith(".gz"):
        with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as g:
            g.write(data)
    else:
        with open(path, "wb") as f:
            f.write(data)


def main():
    sys.setrecursionlimit(5000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="TRACE_OR_LOGDIR")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    result, parts = document(args.paths), []
    note_left_out(result)
    write_json(result, parts)
    write(("".join(parts) + "\n").encode("utf-8", "replace"), args.output)
    return 0 if any(p["status"] == "ok" for r in result["runs"] for p in r["profiles"]) else 3


if __name__ == "__main__":
    sys.exit(main())
