#!/usr/bin/env python3
"""check_names.py KERNEL_NAMES TRACE...: compares the demangler of tracepress with c++filt on all mangled names of the
traces.

Names that c++filt cannot demangle are not compared. tracepress may leave at most a tenth of the other names
unchanged."""
import gzip
import json
import subprocess
import sys

names = set()
for path in sys.argv[2:]:
    try:
        with (gzip.open(path, "rt", errors="replace") if path.endswith("gz") else open(path, errors="replace")) as file:
            trace = json.load(file)
    except (OSError, ValueError, EOFError):
        continue
    events = trace.get("traceEvents", []) if isinstance(trace, dict) else trace
    names |= {e["name"] for e in events if isinstance(e, dict) and str(e.get("name", "")).startswith("_Z")}
names = sorted(n for n in names if n.isascii() and n.isprintable())
text = "".join(n + "\n" for n in names)
ours = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
theirs = subprocess.run(["c++filt"], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
compared = unread = wrong = 0
for name, our, their in zip(names, ours, theirs):
    plain = our.split("\t")[0]
    compared += their != name
    unread += plain == name
    if plain != name and their != name and plain != their:
        wrong += 1
        print(f"{name}\n  ours   {plain}\n  theirs {their}")
print(f"{len(names)} names, {compared} read by c++filt, {unread} left alone, {wrong} differ")
sys.exit(wrong > 0 or compared == 0 or unread * 10 > len(names) or len(ours) != len(names))
