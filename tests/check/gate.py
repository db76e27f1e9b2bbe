#!/usr/bin/env python3
"""gate.py formats FOLDER: checks that the outputs of `tracepress check` in FOLDER (out.json, .xml, .sarif, .md, .svg, .txt) agree.
gate.py plant TRACE OUT: writes a copy of a trace in which each step also waits for the device at train.py(99): log_loss.

Reads the outputs with the standard library, and with junitparser, sarif_pydantic, sarif-tools, markdown_it and cmark-gfm if
they are installed. $SARIF_MULTITOOL is a validator of SARIF."""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import urllib.parse
import xml.etree.ElementTree as xml

LEVELS = {"fail": "error", "warn": "warning", "inconclusive": "note"}


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def check_text(folder, check):
    text = read(folder, "out.txt")
    lines = text.split("\n")
    assert lines[0] == check["verdict_line"], lines[0]
    for line in lines:
        assert len(line) <= 80, (len(line), line)
        assert not any(unicodedata.category(c) == "Cc" for c in line), repr(line)
    shown = check["items"][:200]
    statuses = [line.split(" ")[0] for line in lines if re.match("(pass|warn|fail|inconclusive) ", line)]
    assert statuses == [item["status"] for item in shown], statuses


def check_junit(folder, check):
    root = xml.parse(os.path.join(folder, "out.xml")).getroot()
    cases = root.findall("./testsuite/testcase")
    assert root.tag == "testsuites" and len(cases) == len(check["items"]) == int(root.get("tests"))
    for case, item in zip(cases, check["items"]):
        kinds = [child.tag for child in case]
        want = {"fail": ["failure"], "warn": ["system-out"], "inconclusive": ["skipped"], "pass": []}[item["status"]]
        want = ["error"] if item["status"] == "inconclusive" and item["cause"] in ("damaged", "missing") else want
        assert kinds == want and item["metric"] in case.get("name"), (kinds, item)
    try:
        import junitparser
    except ImportError:
        return
    suite = junitparser.JUnitXml.fromfile(os.path.join(folder, "out.xml"))
    assert (suite.tests, suite.failures, suite.skipped + suite.errors) == (
        len(cases), check["counts"]["fail"], check["counts"]["inconclusive"])


def check_sarif(folder, check):
    """Checks the parts of SARIF 2.1.0 that tracepress uses, with the public schema and the rules of code hosts."""
    log = json.loads(read(folder, "out.sarif"))
    assert set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0" and len(log["runs"]) == 1
    assert urllib.parse.urlparse(log["$schema"]).scheme == "https"
    driver, results = log["runs"][0]["tool"]["driver"], log["runs"][0]["results"]
    assert driver["name"] == "tracepress" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["help"]["text"]
    # items that need more runs do not affect the exit code
    told = [item for item in check["items"] if item["status"] != "pass" and item["cause"] != "noise"]
    places = [(item, place) for item in told for place in item["places"] or [None]]
    assert len(places) == len(results), (len(places), len(results))
    for result, (item, place) in zip(results, places):
        assert result["ruleId"] == item["metric"] == ids[result["ruleIndex"]]
        level = "warning" if item["cause"] in ("damaged", "missing") else LEVELS[item["status"]]
        assert result["level"] == level and result["message"]["text"]
        assert re.fullmatch("[0-9a-f]{16}", result["partialFingerprints"]["tracepress/v1"])
        assert len(result["locations"]) == 1
        at = result["locations"][0]["physicalLocation"]
        uri = at["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=:@/%-]+", uri) and at["region"]["startLine"] >= 1, uri
        if place and re.match(r"[^<].*\(\d+\)(: |$)", place["file_line"]):
            line = int(re.search(r"\((\d+)\)(: |$)", place["file_line"]).group(1))
            assert line == 0 or at["region"]["startLine"] == line, (place, at)
    path = os.path.join(folder, "out.sarif")
    try:
        import sarif_pydantic

        assert len(sarif_pydantic.Sarif.model_validate(log).runs[0].results) == len(results)
    except ImportError:
        pass
    try:
        from sarif import loader

        seen = loader.load_sarif_file(path)
        assert [r["Line"] for r in seen.get_records()] == [
            r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
    except ImportError:
        pass
    if os.environ.get("SARIF_MULTITOOL"):
        env = dict(os.environ, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT="1")
        said = subprocess.run([os.environ["SARIF_MULTITOOL"], "validate", path], capture_output=True, text=True, env=env, check=False)
        assert said.returncode == 0 and " error " not in said.stdout, said.stdout


def check_markdown(folder, check):
    text = read(folder, "out.md")
    bare = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)  # the text without its code spans
    assert len(text) < 16384 and "<" not in bare, text[:200]
    rows = [line for line in text.split("\n") if line.startswith("| ") and not line.startswith("| |")]
    assert len(rows) == min(20, sum(item["status"] != "pass" for item in check["items"])), rows
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == 7, row
    cells = 6 * (len(rows) + 1) if rows else 0
    try:
        from markdown_it import MarkdownIt

        kinds = [token.type for token in MarkdownIt("commonmark").enable("table").parse(text)]
        assert kinds.count("table_open") == (1 if rows else 0), text
        assert kinds.count("td_open") + kinds.count("th_open") == cells, text
        assert "code_block" not in kinds and "html_block" not in kinds, text
    except ImportError:
        pass
    if shutil.which("cmark-gfm"):
        page = subprocess.run(["cmark-gfm", "-e", "table"], input=text, capture_output=True, text=True, check=True).stdout
        root = xml.fromstring("<page>" + page + "</page>")
        assert len(root.findall("table")) == (1 if rows else 0), page
        assert len(root.findall(".//td")) + len(root.findall(".//th")) == cells, page


def check_badge(folder, check):
    root = xml.parse(os.path.join(folder, "out.svg")).getroot()
    words = {"pass": "passing", "warn": "warning", "inconclusive": "inconclusive", "fail": "failing"}
    assert root.get("aria-label") == "performance: " + words[check["verdict"]]


def formats(folder):
    check = json.loads(read(folder, "out.json"))
    order = ["fail", "inconclusive", "warn", "pass"]
    seen = [order.index(item["status"]) for item in check["items"]]
    assert seen == sorted(seen) and (not seen or check["verdict"] == order[seen[0]])
    for name in order:
        assert check["counts"][name] == sum(item["status"] == name for item in check["items"])
    for look in (check_text, check_junit, check_sarif, check_markdown, check_badge):
        look(folder, check)


def plant(source, target):
    with gzip.open(source, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    steps = [e for e in events if e.get("name", "").startswith("ProfilerStep#") and e.get("cat") == "user_annotation"]
    for i, step in enumerate(steps):
        end = step["ts"] + step["dur"]
        same = {"ph": "X", "pid": step["pid"], "tid": step["tid"]}
        frame = dict(same, cat="python_function", name="train.py(99): log_loss", ts=end - 3, dur=2,
                     args={"Python id": 90000 + i, "Python parent id": None})
        events.append(frame)
        events.append(dict(same, cat="cuda_runtime", name="cudaStreamSynchronize", ts=end - 2.5, dur=1,
                           args={"correlation": 900000 + i}))
    with gzip.open(target, "wt", encoding="utf-8") as file:
        json.dump(trace, file)


if __name__ == "__main__":
    {"formats": formats, "plant": plant}[sys.argv[1]](*sys.argv[2:])
