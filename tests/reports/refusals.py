#!/usr/bin/env python3
"""refusals.py KIND FOLDER: writes a compressed file, or a trace with unknown categories, into FOLDER; see refusals.tsv."""
import bz2
import io
import json
import lzma
import os
import sys
import zipfile

TRACE = json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}).encode()


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("trace.json", (2026, 1, 1, 0, 0, 0)), TRACE)
    return out.getvalue()


def slices(known, **unknown):
    """Returns a trace with short events of unknown categories among the events of a thread."""
    cats = ["cpu_op"] * known + [cat for cat, count in unknown.items() for _ in range(count)]
    return json.dumps({"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": cat, "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 900 if cat == "cpu_op" else 0.001, "args": {}}
        for i, cat in enumerate(cats)]}).encode()


FILES = {
    "xz": lambda: lzma.compress(TRACE), "bz2": lambda: bz2.compress(TRACE), "zstd": lambda: b"\x28\xb5\x2f\xfd\x04\x00", "zip": zipped,
    "unknown_slices": lambda: slices(100, a=3, b=4, c=2, d=1),
    "few_unknown_slices": lambda: slices(95, a=3, b=2),
}


if __name__ == "__main__":
    with open(os.path.join(sys.argv[2], "file.json"), "wb") as file:
        file.write(FILES[sys.argv[1]]())
