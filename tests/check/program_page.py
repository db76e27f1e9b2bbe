"""program_page.py PAGE REPORT.json: checks the first screen of the page about a program recorded from outside. The
headline must name the longest avoidable segment of the bar in at most 24 words, the bar must add up to the wall time, and
no action may save more than the wall time."""
import html, json, re, sys

page = open(sys.argv[1], encoding="utf-8").read()
view = json.load(open(sys.argv[2]))["runs"][0]["profiles"][0]["program_view"]
headline = re.search(r'<p class="head">(.*?)</p>', page, re.S).group(1)
words = html.unescape(re.sub(r"<[^>]*>", "", headline)).replace("\xa0", " ").replace(" %", "%").split()
assert len(words) <= 24, (len(words), words)
marks = re.findall(r'<em class="c-(\w+)" data-cause="(\w+)">', headline)
assert all(a == b for a, b in marks), marks
segments = [(cause, int(ns), bool(avoidable))
            for cause, ns, avoidable in re.findall(r'<g data-cause="(\w+)" data-ns="(\d+)"( data-avoidable="1")?>', page)]
assert segments, "no bar"
avoidable = sorted((s for s in segments if s[2]), key=lambda s: -s[1])
if avoidable:
    assert marks and marks[0][0] == avoidable[0][0], (marks, avoidable)
    assert segments[0] == avoidable[0], "the part of the headline is not the first segment"
    if len(marks) == 2:
        assert marks[1][0] == avoidable[1][0] and avoidable[1][1] * 1.5 >= avoidable[0][1], (marks, avoidable)
    elif len(avoidable) > 1:
        assert avoidable[1][1] * 1.5 <= avoidable[0][1] + 2, (marks, avoidable)
elif view["rule"] == "P0":
    assert not marks, marks
else:
    assert marks and marks[0][0] == segments[0][0] and segments[0][1] == max(s[1] for s in segments), (marks, segments)
others = sum(p["time_us"] for p in view["wall_parts"] if 100 * p["time_us"] < 0.3 * view["wall_us"])
assert sum(s[1] for s in segments) / 1000 <= view["wall_us"] + 0.001
assert sum(s[1] for s in segments) / 1000 >= view["wall_us"] - others - 0.001, (segments, view["wall_us"])
for finding in view["findings"]:
    assert finding["saving_us"] is None or 0 <= finding["saving_us"] <= view["wall_us"] + 0.001, finding
