#!/usr/bin/env python3
"""one_story.py TRACEPRESS WORK TRACE...: checks that page, JSON document, Markdown digest and `check` have the same
numbers.

Reads verdict (class and headline), step time, busy and idle share of the verdict's device, and each finding's time and
share from the page and the digest, as a person does. Compares them with the document to the last digit shown. The
metrics of `check` are compared in full. Uses only the standard library. Exits with 1 if the outputs of a trace
disagree."""
import html
import json
import os
import re
import subprocess
import sys
from decimal import Decimal

UNITS = {"ns": 1, "µs": 1000, "ms": 10 ** 6, "s": 10 ** 9, "min": 60 * 10 ** 9, "h": 3600 * 10 ** 9}
TAGS = {"CPU only": "cpu", "No data": "empty", "Cause unknown": "not-shown", "Samples only": "samples", "Too little work": "too-little"}
METRICS = ("step.time.mean", "idle.total", "device.busy.share", "finding.ceiling.share", "finding.count")
NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"


def uncode(text):
    """Replaces code spans in Markdown by HTML text."""
    return re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", lambda m: html.escape(m[2]), text)


def plain(text):
    """Returns the text without Markdown and HTML marks, and with references resolved."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", uncode(text))).replace("\\", "").replace("`", "")).strip()


def shown(text, unit):
    """Returns (value, half of the last digit shown) of "778.1 µs" or "70.0 %", or None without a number."""
    m = re.search(NUMBER + r"\s*(%s)" % unit, text)
    if not m:
        return None
    digits = m.group(1).replace(",", "")
    last = Decimal(10) ** -(len(digits.split(".")[1]) if "." in digits else 0)
    factor = UNITS.get(m.group(2), 1)
    return Decimal(digits) * factor, last * factor / 2


def time_of(text):
    return shown(text, "ns|µs|ms|min|s|h")


def percent_of(text):
    return shown(text, "%")


class Story:
    def __init__(self, trace, profile):
        self.trace, self.profile, self.count, self.wrong = trace, profile, 0, []
        self.verdict, self.found, self.answer = profile["verdict"], profile["recommendations"], profile["answer"]
        self.device = next((d for d in profile["idle_view"] if d["device"] == self.verdict["device"]), None)

    def same(self, what, ours, wanted):
        self.count += 1
        if ours != wanted:
            self.wrong.append("%s: %s is not %s" % (what, ours, wanted))

    def near(self, what, seen, wanted, rounding=Decimal(0)):
        """Compares `seen`, a result of shown(), with `wanted`, the number of the document. rounding: error that the
        value may have from earlier rounding."""
        self.count += 1
        slack = Decimal("1e-6") * abs(wanted) + rounding
        if seen is None or abs(seen[0] - wanted) > seen[1] + slack:
            self.wrong.append("%s: shows %s, the document has %s" % (what, seen and seen[0], wanted))

    def check_headline(self, where, headline):
        letters = lambda text: re.sub(r"[^\w%.,;:()]", "", text)
        self.same(where + ": headline", letters(plain(headline)), letters(plain(self.answer["headline"])))
        words = re.sub(r"(\d) (%|ns|µs|ms|s|B|KiB|MiB|GiB)(?!\w)", r"\1\2", plain(headline).replace("\xa0", " ")).split()
        self.same(where + ": words of the headline above 24", max(0, len(words) - 24), 0)

    def check_bar(self, page):
        """Compares the causes in the bar of the page with the parts of the document, and the cause of the headline with
        the largest part that can be avoided."""
        parts = self.answer.get("parts_us")
        segments = re.findall(r'<g data-cause="(\w+)" data-ns="(\d+)"( data-avoidable="1")?', page)
        if not parts:
            self.same("page: bar without parts", segments, [])
            return
        self.same("page: parts of the bar", sorted(int(ns) for _, ns, _ in segments), sorted(round(1000 * us) for us in parts.values() if us > 0))
        self.near("document: sum of the parts", (sum(parts.values()), Decimal("1e-3")), self.profile["overview"]["window_us"])
        avoidable = [(int(ns), cause) for cause, ns, can in segments if can]
        mark = re.search(r'<em class="c-\w+" data-cause="(\w+)"', page)
        if avoidable:
            largest = [cause for ns, cause in avoidable if ns == max(avoidable)[0]]
            self.same("page: cause of the headline", mark and mark.group(1) in largest, True)

    def greatest_saving(self, finding):
        """Returns the greatest saving of a finding in a step, ns."""
        if "replay" in finding:
            return 10 * finding["high_percent"] * Decimal(self.found["judged_us"]) / self.found["steps"]
        part = finding["high_percent"] / finding["share_of_step_percent"] if finding["share_of_step_percent"] else 1
        return 1000 * finding["ceiling_us_per_step"] * part

    def check_gone(self, where, finding, text):
        """Checks the words for a finding whose saving is gone after the findings before it."""
        number = re.match(r"gone with (\d+)$", plain(text))
        self.same("%s: %s is gone" % (where, finding["id"]), plain(text).startswith("gone with ") and finding["gone_with"] > 0, True)
        if number:
            self.same("%s: %s is gone with an earlier one" % (where, finding["id"]), int(number[1]) <= finding["gone_with"], True)

    def check_finding(self, where, finding, time, share):
        if finding["ceiling_us_per_step"] is not None:
            if "gone_with" in finding:
                self.check_gone(where, finding, time)
                return
            if plain(time) == "no effect":
                self.same("%s: nothing is left for %s" % (where, finding["id"]), finding["high_percent"] < 0.05, True)
                return
            self.near("%s: time of %s" % (where, finding["id"]), time_of(re.sub(r".* to ", "", plain(time))), self.greatest_saving(finding),
                      Decimal("0.5")) # a mean is rounded to whole ns before it is written as text
            low, half = re.match(r"([\d.,]+) to ", plain(share)), Decimal("0.5") if finding["high_percent"] >= 9.95 else Decimal("0.05")
            if low:
                self.near("%s: least gain of %s" % (where, finding["id"]), (Decimal(low[1].replace(",", "")), half), finding["low_percent"])
            if percent_of(share):
                self.near("%s: gain of %s" % (where, finding["id"]), percent_of(re.sub(r".* to ", "", plain(share))),
                          finding["high_percent"])
            else:
                self.same("%s: nothing is left for %s" % (where, finding["id"]), finding["high_percent"] < 0.05, True)
        elif finding["share_of_step_percent"] is not None:
            self.near("%s: share of %s" % (where, finding["id"]), percent_of(share), finding["share_of_step_percent"])

    # ---- the document itself
    def check_document(self):
        overview, steps = self.profile["overview"], self.verdict["steps_used"]
        step = self.verdict["step_us"]
        for name, value in (("average.total_us", overview["average"]["total_us"]), ("recommendations", self.found["step_us"]),
                            ("window_us", overview["window_us"] / steps if steps else 0)):
            self.near("document: step of " + name, (Decimal(step or 0), Decimal("1e-6")), Decimal(value or 0))
        for f in self.found["findings"]:
            if f["ceiling_us_per_step"] is not None and step:
                self.near("document: share of " + f["id"], (Decimal(f["share_of_step_percent"]), Decimal("1e-6")),
                          100 * Decimal(f["ceiling_us_per_step"]) * steps / Decimal(self.found["judged_us"]))
                self.same("document: %s is above the step" % f["id"], f["ceiling_us_per_step"] > step * Decimal("1.000000001"), False)
        if self.device:
            self.near("document: busy and idle", (Decimal(100), Decimal("1e-6")),
                      self.device["busy_percent"] + 100 * self.device["idle"]["total_us"] / self.device["window_us"])

    # ---- the page
    def check_page(self, page):
        headline = re.search(r'<p class="head">(.*?)</p>', page, re.S)
        if not headline:
            self.wrong.append("page: no headline")
            return
        self.check_headline("page", headline.group(1))
        self.check_bar(page)
        tiles = re.search(r'<dl class="figs">(.*?)</dl>', page, re.S)
        figures = {plain(m.group(1)): plain(m.group(2)) for m in
                   re.finditer(r'<dt[^>]*>([^<]*)</dt><dd>(.*?)</dd>', tiles.group(1) if tiles else "", re.S)}
        if self.verdict["step_us"] and "Step time" in figures:
            self.near("page: step time", time_of(figures["Step time"]), 1000 * self.verdict["step_us"])
        window = re.search(r"The whole (?:recording|recorded time) of (.*?) counts as one step", page, re.S)
        if window and self.verdict["step_us"]:
            self.near("page: the window", time_of(plain(window.group(1))), 1000 * self.verdict["step_us"])
        if self.device:
            busy = next((text for name, text in figures.items() if name.endswith(" busy")), None)
            # the busy share on the page excludes time that cannot be judged
            judged = self.device["window_us"] - self.verdict["unjudged_us"]
            if judged > 0:
                self.near("page: busy", percent_of(busy or ""),
                          min(Decimal(100), self.device["busy_percent"] * self.device["window_us"] / judged))
            elif busy and percent_of(busy):
                self.wrong.append("page: busy: shows a share where nothing can be judged")
            lead = re.search(r'id="t-idle">.*?<p class="lead">(.*?)</p>', page, re.S)
            if lead and len(self.profile["idle_view"]) == 1 and "has no recorded work for" in lead.group(1):
                self.near("page: idle", percent_of(plain(lead.group(1))),
                          100 * self.device["idle"]["total_us"] / self.device["window_us"])
        findings = self.findings_by_rule()
        rules = dict(re.findall(r"<li><b>(\d+)</b>.*?\bRule ([A-HR]\d+) ", page, re.S))
        for number, saving in re.findall(r'data-f="(\d+)".*?<div class="sv">(.*?)</div>', page, re.S):
            time, share = re.search("<b>(.*?)</b>", saving), re.search("<span>(.*?)</span>", saving)
            finding = next(findings.get(rules.get(number), iter(())), None)
            if finding and time and finding["high_percent"]:
                self.check_finding("page", finding, time.group(1), share.group(1) if share else "")

    def findings_by_rule(self):
        """Returns for each rule its findings in the order of the document; a rule may have several."""
        rules = {f["id"] for f in self.found["findings"]}
        return {rule: iter([f for f in self.found["findings"] if f["id"] == rule]) for rule in rules}

    # ---- the digest
    def check_digest(self, digest):
        m = re.search(r"^\*\*([^:*]*): (.*?)\*\* *$", digest, re.M)
        if not m:
            self.wrong.append("digest: no verdict")
            return
        tag = plain(m.group(1))
        self.same("digest: class", TAGS.get(tag, tag.lower().replace(" ", "-")), self.verdict["class"])
        self.check_headline("digest", m.group(2))
        step = re.search(r"^- Step time: ([^,]*)", digest, re.M)
        if step and self.verdict["step_us"]:
            self.near("digest: step time", time_of(step.group(1)), 1000 * self.verdict["step_us"])
        rows = re.findall(r"^\| [^|]* \| ([A-HR]\d+) \| (?:[^|\\]|\\.)* \| ([^|]*) \| ([^|]*) \|", digest, re.M)
        findings = self.findings_by_rule()
        self.same("digest: findings without one in the document", [r[0] for r in rows if r[0] not in findings], [])
        self.same("digest: first finding", [r[0] for r in rows][:1], [f["id"] for f in self.found["findings"]][:1 if rows else 0])
        for rule, time, share in rows: # the remedy is in the lines below the finding
            finding = next(findings.get(rule, iter(())), None)
            if finding:
                self.check_finding("digest", finding, time, share)

    # ---- check
    def check_metrics(self, values):
        overview, findings = self.profile["overview"], self.found["findings"]
        close = lambda what, ours, wanted: self.near("check: " + what, (Decimal(ours), Decimal("1e-9")), Decimal(wanted))
        if values.get("step.time.mean") is not None:
            close("step time", values["step.time.mean"], 1000 * (self.verdict["step_us"] or overview["average"]["total_us"]))
        if self.device and len(self.profile["idle_view"]) == 1:
            if values.get("device.busy.share") is not None:
                close("busy", values["device.busy.share"], self.device["busy_percent"])
            if values.get("idle.total") is not None:
                close("idle", values["idle.total"], 100 * self.device["idle"]["total_us"] / self.device["window_us"])
        if values.get("finding.count") is not None:
            self.same("check: findings", int(values["finding.count"]), len(findings))
        if values.get("finding.ceiling.share") is not None:
            close("all ceilings", values["finding.ceiling.share"], self.found["total_ceiling_percent"])


def main():
    tracepress, work, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    page, document, digest, budget = (os.path.join(work, "story." + kind) for kind in ("html", "json", "md", "budget"))
    with open(budget, "w") as f:
        f.write("".join("optional %s >= 0\n" % m for m in METRICS))
    count = told = wrong = 0
    for trace in traces:
        run = subprocess.run([tracepress, "report", trace, "-o", page, "--json", document, "--markdown", digest, "--quiet"],
                             capture_output=True)
        if run.returncode != 0:
            continue
        with open(document, encoding="utf-8") as f:
            runs = json.load(f, parse_float=Decimal, parse_int=Decimal).get("runs")
        if not runs:  # a memory timeline
            continue
        profile = runs[0]["profiles"][0]
        if profile["status"] != "ok":
            continue
        story = Story(trace, profile)
        checked = subprocess.run([tracepress, "check", trace, "--budget", budget, "--json", "-"], capture_output=True, text=True)
        story.check_document()
        with open(page, encoding="utf-8") as f:
            story.check_page(f.read())
        with open(digest, encoding="utf-8") as f:
            story.check_digest(f.read())
        story.check_metrics({i["metric"]: i["value"] for i in json.loads(checked.stdout, parse_float=Decimal)["items"]})
        told, count = told + 1, count + story.count
        if story.wrong:
            wrong += 1
            print("%s gives %d things differently:" % (trace, len(story.wrong)))
            for line in story.wrong[:6]:
                print("   " + line)
    print("%d traces, %d comparisons, %d with two stories" % (told, count, wrong))
    return 1 if wrong or not told else 0


if __name__ == "__main__":
    sys.exit(main())
