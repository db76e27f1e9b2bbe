#!/usr/bin/env python3
"""diff_story.py TRACEPRESS WORK TRACE...: checks that all outputs of `diff` and `check` agree. Compares each pair of
traces in both orders, and each trace with itself.

The outputs are: the exit code, the document's verdict, the first line of terminal, digest and page, the page's badge
and figures, the numbers of rows, and every sentence below. Uses only the standard library. Exits with 1 if outputs of a
pair disagree. The last line of the output has the number of comparisons, and the number of times that each verdict
occurred."""
import collections
import concurrent.futures
import html
import json
import os
import re
import random
import subprocess
import sys

MOST_DRAWN = 300 # number of random pairs without DRAWS=full; pairs of a trace with itself are always compared
TIMES = ("kernels", "host_ops", "step")
# Sentences that deny a change. No other sentence may contradict them.
NOTHING = "These runs show no significant change."
NO_TIME, NO_OTHER_TIME = ("These runs show no %ssignificant change of a time." % word for word in ("", "other "))
NO_ROW, AS_LONG = "No single kernel or operator shows a significant change", "as long as before"
NOT_JUDGED = "The rows of the tables get no verdict"


def uncode(text):
    """Replaces code spans in Markdown by HTML text."""
    return re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", lambda m: html.escape(m[2]), text)


def plain(text):
    """Returns Markdown or HTML as plain text, with single spaces instead of white space."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", uncode(text))).replace("\\", "").replace("`", "").replace("\xa0", " ")).strip()


def letters(text):
    """Returns only letters, digits and some marks. Terminals and pages break lines, so spaces and line breaks are
    ignored."""
    return re.sub(r"[^\w%.,;:()+\u2212-]", "", text)


def first_line_faults(check):
    """Returns a fault for each number of limits in the first line of `check` that differs from the number of items in
    the document. Needs a document that is not cut at the maximum of items."""
    status = collections.Counter(item["status"] for item in check["items"])
    words = {"kept": "pass", "broken": "fail", "inconclusive": "inconclusive", "warning": "warn"}
    for number, word in re.findall(r"(\d+)(?: of \d+ limits)? (kept|broken|inconclusive|warning)", check["verdict_line"]):
        if status[words[word]] != int(number):
            yield "%s %s in the first line, %d are" % (number, word, status[words[word]])


def warned(program, work, trace):
    """Returns faults of `check` with a budget whose limits pass, warn, or have no value in the trace."""
    budget, out = os.path.join(work, "warned.budget"), os.path.join(work, "warned.json")
    with open(budget, "w", encoding="utf-8") as f:
        f.write("warn trace.events <= 1\ntrace.flags <= 1000\nmemory.reserved <= 1 TiB\n")
    subprocess.run([program, "check", trace, "--budget", budget, "--json", out, "-q", "-o", "/dev/null"])
    with open(out, encoding="utf-8") as f:
        return list(first_line_faults(json.load(f)))


class Pair:
    def __init__(self, program, work, base, new):
        self.name, self.wrong, self.count = "%s, %s" % (os.path.basename(base), os.path.basename(new)), [], 0
        out = {kind: os.path.join(work, "%d.%s" % (id(self), kind)) for kind in ("json", "md", "html", "check")}
        done = subprocess.run([program, "diff", base, new, "--json", out["json"], "--markdown", out["md"], "-o", out["html"]],
                              capture_output=True, text=True)
        self.exit, self.text = done.returncode, done.stdout
        self.page, self.digest, self.check = "", "", None
        if self.exit in (0, 1, 6):
            self.told = json.load(open(out["json"], encoding="utf-8"))
            self.page, self.digest = (open(out[kind], encoding="utf-8").read() for kind in ("html", "md"))
            done = subprocess.run([program, "check", new, "--baseline", base, "--json", out["check"]], capture_output=True, text=True)
            self.check_exit, self.check_text, self.check = done.returncode, done.stdout, json.load(open(out["check"], encoding="utf-8"))
        for path in out.values():
            if os.path.exists(path):
                os.remove(path)

    def want(self, holds, what):
        self.count += 1
        if not holds:
            self.wrong.append(what)

    def kinds(self):
        """Returns the verdicts of all reported changes: times, memory, rows."""
        told = [self.told["times"][q]["verdict"] for q in TIMES if q in self.told["times"]] + [self.told["memory_verdict"]]
        return {kind for kind in ("regressed", "improved") if kind in told or self.told["counts"][kind]}

    def exit_code(self):
        """Returns the exit code that `diff` must have according to its document."""
        told, totals = self.told, [t["verdict"] for t in self.told["times"].values()]
        if told["damage"]:
            return 6
        if told["verdict"] == "mixed":
            return int("regressed" in totals or told["memory_verdict"] == "regressed" or "improved" not in totals)
        return int(told["verdict"] in ("regressed", "work changed"))

    def verdict(self):
        told, kinds = self.told, self.kinds()
        is_open = bool(told["damage"]) or told["identity"]["workload"] != "same"
        self.want(self.exit == self.exit_code(), "exit %d, %s asks for %d" % (self.exit, told["verdict"], self.exit_code()))
        self.want(bool(told["damage"]) <= (told["verdict"] == "inconclusive"), "damaged, and %s" % told["verdict"])
        if told["verdict"] == "work changed":
            self.want(any(c["gate"] for c in told["changes"]), "work changed, and no change counts")
        elif is_open:
            self.want(told["verdict"] in ("inconclusive", "other workload"), "not comparable, and %s" % told["verdict"])
            self.want(not kinds, "not comparable, and something %s" % kinds)
        else:
            wanted = {frozenset(): ("neutral", "inconclusive"), frozenset(["regressed"]): ("regressed",),
                      frozenset(["improved"]): ("improved",), frozenset(["regressed", "improved"]): ("mixed",)}[frozenset(kinds)]
            self.want(told["verdict"] in wanted, "%s changed, and the verdict is %s" % (sorted(kinds) or "nothing", told["verdict"]))

    def first_lines(self):
        line = self.told["summary"]
        word = {"work changed": "Work changed", "other workload": "Other workload"}.get(self.told["verdict"], self.told["verdict"].capitalize())
        self.want(line.startswith(word + ": "), "the first line says %r, the verdict is %s" % (line[:40], self.told["verdict"]))
        self.want(letters(self.text).startswith(letters(line)), "terminal: " + self.text[:200])
        bold = re.search(r"^\*\*(.*)\*\*", self.digest, re.M)
        self.want(bold and letters(plain(bold[1])) == letters(line), "digest: " + str(bold and bold[1]))
        head = re.search(r'<p class="head">(.*?)</p>', self.page, re.S)
        self.want(head and letters(plain(head[1])) == letters(line.partition(": ")[2]), "page: " + str(head and head[1]))
        self.cause()

    def cause(self):
        """Checks that the headline marks the cause of the waterfall's only avoidable part, and no other words."""
        marks = re.findall(r'<em class="c-[a-z0-9]*" data-cause="([a-z0-9]*)">', self.page)
        parts = re.findall(r'<g data-cause="([a-z0-9]*)" data-ns="(\d+)"( data-avoidable="1")?>', self.page)
        avoidable = [cause for cause, _, is_avoidable in parts if is_avoidable]
        self.want(len(avoidable) <= 1 and marks in ([], avoidable), "marks %s, avoidable parts %s" % (marks, avoidable))
        self.want(not marks or "because" in self.told["summary"], "a mark without a cause: " + self.told["summary"])

    def denials(self):
        """Checks that no output reports a change that the first line or another sentence denies."""
        told, text, kinds = self.told, plain(self.text), self.kinds()
        has_work, has_rows = bool(told["changes"]), bool(told["rows"])
        for where, said in (("terminal", text), ("digest", plain(self.digest)), ("page", plain(self.page[self.page.find("<main"):]))):
            self.want(NOTHING not in said or not (kinds or has_work or has_rows), "%s: %r next to a change" % (where, NOTHING))
            self.want(NO_TIME not in said or not has_rows, "%s: %r next to rows" % (where, NO_TIME))
            self.want((NO_OTHER_TIME in said) <= ("take longer or shorter" in said), "%s: %r of which none is reported" % (where, NO_OTHER_TIME))
            self.want(NO_TIME not in said or "take longer or shorter" not in said, "%s: %r next to functions' times" % (where, NO_TIME))
            self.want(NO_ROW not in said or not has_rows, "%s: %r next to rows" % (where, NO_ROW))
            is_open = bool(told["damage"]) or told["identity"]["workload"] != "same"
            if told["verdict"] != "work changed":
                self.want(is_open or NOT_JUDGED not in said, "%s: rows are not judged, and the verdict is %s" % (where, told["verdict"]))
            self.want("does different work" not in said or not told["damage"], "%s: other work of a damaged input" % where)
        if told["work"]["is_known"] and told["work"]["is_same"] and told["base"]["runs"] + told["new"]["runs"] < 4:
            # with few runs, times of rows have no verdict
            rows = told["counts"]["regressed"] + told["counts"]["improved"]
            self.want(not rows, "the work is the same, and %d rows came or went" % rows)
        step = told["times"].get("step", {"verdict": "neutral"})["verdict"]
        self.want(AS_LONG not in told["summary"] or step not in ("regressed", "improved"), "steps take as long, and are " + step)
        self.want(not re.search(r"\b0 table rows changed", text) or not has_rows, "0 rows changed, and some are listed")

    def numbers(self):
        """Checks that text, list and figures of the page have the same number of changed rows."""
        counts, text = self.told["counts"], plain(self.text)
        said = re.search(r"([\d,]+) table rows? changed: (\d+) slower, (\d+) faster, (\d+) replaced", text)
        shown = re.findall(r"<dt[^>]*>([^<]*)</dt>\s*<dd>([^<]*?) ?(?:<small>([^<]*)</small>)?</dd>", self.page)
        figures, notes = ({label: texts[at] for label, *texts in shown} for at in (0, 1))
        statuses = collections.Counter(re.findall(r"^(regressed|improved|replaced) {2,}", self.text, re.M))
        self.want("Work of a step" in figures and ("Changed rows" in figures) != (NOT_JUDGED in text), "figures: %s" % figures)
        changed = {word: int(count) for count, word in re.findall(r"(\d+)\s(slower|faster|replaced)", notes.get("Changed rows", ""))}
        words = ("slower", "faster", "replaced")
        for at, (key, status) in enumerate((("regressed", "regressed"), ("improved", "improved"), ("replaced", "replaced"))):
            if said:
                self.want(int(said[2 + at]) == counts[key], "%s: %s in the text, %d counted" % (key, said[2 + at], counts[key]))
                self.want("Changed rows" not in figures or changed.get(words[at], 0) == counts[key], "figure of rows %s: %s" % (words[at], changed))
                self.want(statuses[status] == min(counts[key], statuses[status]), "%d rows %s are listed" % (statuses[status], key))
        if said:
            self.want(int(said[1].replace(",", "")) == sum(counts[k] for k in ("regressed", "improved", "replaced")), "sum: " + said[0])
        if "Changed rows" in figures:
            self.want(int(figures["Changed rows"].replace(",", "")) == sum(changed.values()), "figure of changed rows: %s, %s" % (figures["Changed rows"], changed))
        if figures.get("Work of a step") == "same":
            self.want(not self.told["changes"], "the figure says that the work is the same")

    def gate(self):
        """Checks `check` without a budget. Its exit code must match its verdict, and its sentences about the work must
        equal those of `diff`. With a damaged input, `check` still judges undamaged data."""
        check, diff = self.check, self.told
        status = collections.Counter(item["status"] for item in check["items"])
        for key in ("pass", "warn", "inconclusive", "fail"):
            self.want(check["counts"][key] == status[key], "check: %d counted as %s, %d are" % (check["counts"][key], key, status[key]))
        wanted = 1 if status["fail"] else 6 if check["damaged"] else 0
        self.want(self.check_exit == wanted, "check: exit %d, %s asks for %d" % (self.check_exit, check["verdict"], wanted))
        self.want(letters(self.check_text).startswith(letters(check["verdict_line"])), "check: " + self.check_text[:80])
        for fault in first_line_faults(check):
            self.want(False, "check: " + fault)
        self.want(check["verdict_line"].startswith(check["verdict"] + ": "), "check: %s says %s" % (check["verdict"], check["verdict_line"]))
        self.want(not re.search(r"^ +:", self.check_text, re.M), "check: a place without a name")
        broken = any(item["status"] == "fail" and item["metric"].startswith("count.") for item in check["items"])
        self.want(broken == (diff["verdict"] == "work changed") or diff["damage"], "check: counts %s, diff: %s" % ("broken" if broken else "kept", diff["verdict"]))
        if bool(diff["damage"]) and not status["fail"]:
            self.want(self.check_exit in (0, 6), "check: %d of a damaged input" % self.check_exit)

    def run(self):
        if self.exit not in (0, 1, 6):
            self.want(False, "exit %d" % self.exit)
            return self
        for part in (self.verdict, self.first_lines, self.denials, self.numbers, self.gate):
            part()
        return self


def main():
    program, work, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    sums, bad, count, seen = [], 0, 0, collections.Counter()
    for i, trace in enumerate(traces):
        sums.append(os.path.join(work, "%03d_%s.tps" % (i, os.path.basename(trace).split(".pt.trace")[0])))
        if subprocess.run([program, "summarize", "-q", trace, "-o", sums[-1]], capture_output=True).returncode:
            sums.pop()
    for path in sums:
        faults = warned(program, work, path)
        bad += bool(faults)
        if faults:
            print("%s, with warnings: %s" % (os.path.basename(path), "; ".join(faults)))
    pairs = [(a, b) for a in sums for b in sums]
    if os.environ.get("DRAWS") != "full":
        drawn = set(random.Random(int(os.environ.get("SEED") or 1)).sample(pairs, min(len(pairs), MOST_DRAWN)))
        pairs = [(a, b) for a, b in pairs if a == b or (a, b) in drawn]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for pair in pool.map(lambda names: Pair(program, work, *names).run(), pairs):
            count += pair.count
            if pair.exit in (0, 1, 6):
                seen[pair.told["verdict"]] += 1
            bad += bool(pair.wrong)
            if pair.wrong and bad <= 8:
                print("%s: %s" % (pair.name, "; ".join(pair.wrong[:4])))
    print("%d pairs, %d comparisons, %d of these and of the traces disagree; %s" % (len(pairs), count, bad, ", ".join("%d %s" % (n, v) for v, n in seen.most_common())))
    return bad > 0 or len(sums) < 2


sys.exit(main())
