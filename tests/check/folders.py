#!/usr/bin/env python3
"""folders.py TRACEPRESS WORK DATA CASE: checks that the name of a folder does not change any named source line.

Rewrites the bundled traces so that the user's files are in folders with unusual names of equal length. After the name
is replaced by the plain one, the outputs of tracepress must have the same bytes. Cases: report, redacted, check, diff,
exports. Prints differences and exits with 1."""
import base64
import collections
import gzip
import json
import marshal
import os
import re
import sqlite3
import subprocess
import sys
from urllib.parse import quote

TRACEPRESS, WORK, DATA, CASE = sys.argv[1:5]
PLAIN = "ruuuuuuuuun"
ODD = ("run (1)uuuu", "run [2]: xu", "run (3): xx", "a.py(4): fu", "(5): -(6):.", "run;7;uuu.p")
HOME = "/mnt/u/"
# matches source lines of the user, but no library paths and no frames without a file
LINE = re.compile(r"(?<![^\";])(?!torch/|<|[^\";]*site-packages/|/)([^\";()]+\.pyx?\(\d+\): )")
wrong, named = [], []


def place(folder):
    """Returns a short name for a folder. All short names are equally long and do not contain the folder's name."""
    return str((PLAIN, *ODD).index(folder))


def rewritten(name, folder):
    """Makes a copy of a bundled trace in which the project's files are in HOME/folder. Nothing else is changed. Returns
    the path of the copy."""
    path = os.path.join(WORK, "folders", place(folder), "in", os.path.basename(name).replace(".gz", ""))
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = gzip.open(os.path.join(DATA, name), "rt", encoding="utf-8", errors="surrogateescape").read()
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(LINE.sub(lambda found: HOME + folder + "/" + found[1], text))
    return path


def run(*arguments):
    done = subprocess.run([TRACEPRESS, *arguments], capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit("%s: exit %d: %s" % (arguments, done.returncode, done.stderr.decode(errors="replace")))
    return done.stdout


def bytes_of(path):
    data = open(path, "rb").read()
    if path.endswith(".pstats"):
        return repr(sorted(marshal.loads(data).items())).encode()
    if path.endswith(".html"): # packed data of the page is not compared
        data = re.sub(rb">(H4sI[A-Za-z0-9+/=\s]+)<", lambda packed: gzip.decompress(base64.b64decode(packed[1])), data)
    if path.endswith((".html", ".svg")): # texts that are shortened to fit are not compared
        data = re.sub("<text[^>]*>[^<]*\u2026</text>".encode(), b"", data)
    if path.endswith(".md"): # a text is a code span or not, depending on its characters
        data = re.sub(rb"[`\\]", b"", data)
    if path.endswith(".sqlite"):
        return "\n".join(sqlite3.connect(path).iterdump()).encode()
    return gzip.decompress(data) if path.endswith(".gz") else data


def put_back(data, folder):
    """Returns the bytes, in any format, with the name of the folder replaced by the plain one. Replaces checksums."""
    for number in (rb"\b[0-9a-f]{64}\b", rb'fill="#[0-9A-F]{6}"', rb'"tracepress/v1":"[0-9a-f]{16}"'):
        # replaces checksums of the file, colors of names, and fingerprints of paths
        data = re.sub(number, b"NUMBER", data)
    for change in (str, lambda name: re.sub("[ ;]", "_", name), lambda name: re.sub(r"([][])", r"\\\1", name),
                   lambda name: quote(name, "/:")):
        data = data.replace((HOME + change(folder) + "/").encode(), (HOME + PLAIN + "/").encode())
    return data


def are_parts_of_one_text(ours, plain):
    """Returns whether one of two digests has all lines of the other, and both say that they left out lines. Digests are
    limited in bytes, and the name of a folder can need more bytes in Markdown."""
    said = re.compile(rb"\n\d+ lines? left out\..*")
    if not said.search(ours) or not said.search(plain):
        return False
    ours, plain = (collections.Counter(said.sub(b"", data).splitlines()) for data in (ours, plain))
    return not ours - plain or not plain - ours


def compare(what, make):
    """Compares the files {name: bytes} that make(folder) returns for all folders."""
    wanted = make(PLAIN)
    named.append(any(HOME.encode() in data for data in wanted.values()))
    for folder in ODD:
        found = make(folder)
        if sorted(found) != sorted(wanted):
            wrong.append("%s in %r: %s instead of %s" % (what, folder, sorted(found), sorted(wanted)))
        for name in sorted(set(found) & set(wanted)):
            ours, plain = put_back(found[name], folder), put_back(wanted[name], PLAIN)
            if ours == plain or are_parts_of_one_text(ours, plain):
                continue
            at = next((i for i, (a, b) in enumerate(zip(ours, plain)) if a != b), min(len(ours), len(plain)))
            wrong.append("%s in %r, %s: %r instead of %r" % (what, folder, name, ours[max(at - 80, 0):at + 80],
                                                            plain[max(at - 80, 0):at + 80]))


def with_lines():
    folder = os.path.join(DATA, "traces")
    for name in sorted(os.listdir(folder)):
        text = gzip.open(os.path.join(folder, name), "rt", encoding="utf-8", errors="replace").read() if name.endswith(".gz") else ""
        if LINE.search(text) and not name.startswith("hostile"):
            yield os.path.join("traces", name)


def outputs(folder, *arguments):
    """Returns {name: bytes} of the files that a command writes for its arguments {out}/NAME."""
    out = os.path.join(WORK, "folders", "out")
    subprocess.run(["rm", "-rf", out], check=True)
    os.makedirs(out)
    text = run(*[a.replace("{out}", out) for a in arguments])
    found = {os.path.relpath(os.path.join(at, name), out): bytes_of(os.path.join(at, name))
             for at, _, names in os.walk(out) for name in names}
    found["stdout"] = text
    return {name: data.replace(os.path.join(WORK, "folders", place(folder)).encode(), b"IN").replace(out.encode(), b"OUT")
            for name, data in found.items()}


def report():
    for name in with_lines():
        compare(name, lambda folder: outputs(folder, "report", rewritten(name, folder), "-q", "-o", "{out}/r.html",
                                             "--json", "{out}/r.json", "--markdown", "{out}/r.md"))


def redacted():
    """Checks that --redact hides the same parts of a path for all names of folders."""
    for name in with_lines():
        def make(folder):
            found = outputs(folder, "report", rewritten(name, folder), "--redact", "-q", "-o", "{out}/r.html")
            if folder.encode() in found["r.html"] or HOME.encode() in found["r.html"]:
                wrong.append("%s: --redact shows %r" % (name, folder))
            found["stdout"] += HOME.encode() # adds the folder's name, which compare() expects in each output
            return found
        compare(name, make)


def sides(folder):
    return [rewritten("diff/%s.pt.trace.json.gz" % side, folder) for side in ("base", "new")]


def check():
    def make(folder):
        before, after = sides(folder)
        return outputs(folder, "check", after, "--baseline", before, "--json", "{out}/c.json", "--sarif", "{out}/c.sarif",
                       "--junit", "{out}/c.xml", "--markdown", "{out}/c.md")
    compare("check", make)
    places = {(at["physicalLocation"]["artifactLocation"]["uri"], at["physicalLocation"]["region"]["startLine"])
              for result in json.loads(make(PLAIN)["c.sarif"])["runs"][0]["results"] for at in result["locations"]}
    if ("file:///mnt/u/%s/train.py" % PLAIN, 42) not in places:
        wrong.append("SARIF: %r" % places)


def diff():
    def make(folder):
        found = outputs(folder, "diff", *sides(folder), "--json", "{out}/d.json", "-o", "{out}/d.html", "--markdown", "{out}/d.md", "--all")
        syncs = json.loads(found["d.json"])["syncs"]
        line = "%s%s/train.py(42): log_metric" % (HOME, folder)
        if ("regressed", "new", line) not in [(row["verdict"], row["match"], row["shape"]) for row in syncs]:
            wrong.append("diff in %r: %r" % (folder, syncs))
        return found
    compare("diff", make)


def exports():
    for name in with_lines():
        for what in (("folded", "--metric", "cpu"), ("folded", "--metric", "self_cpu_time_total"), ("pstats",), ("csv",), ("sqlite",),
                     ("flamegraph", "--metric", "calls"), ("chrome",), ("xplane",)):
            if what[-1] == "self_cpu_time_total" and b'"Call stack"' not in bytes_of(rewritten(name, PLAIN)):
                continue  # a trace without recorded stacks has no such file
            compare("%s as %s" % (name, " ".join(what)),
                    lambda folder: outputs(folder, "export", rewritten(name, folder), "--to", *what, "-q", "-o", "{out}"))
        for keys in ("name,stack", "line", "function"):
            compare("%s by %s" % (name, keys),
                    lambda folder: outputs(folder, "table", rewritten(name, folder), "--group-by", keys, "--format", "json"))


globals()[CASE]()
if sum(named) < len(named) / 2:
    wrong.append("only %d of %d outputs name a line of the user" % (sum(named), len(named)))
for line in wrong[:20]:
    print(line)
sys.exit(bool(wrong))
