"""perfetto_rules.py TRACE...: checks the rules of Perfetto's importer of JSON traces, in addition to those of JSON.
Exit 1 names the broken rules. Rules: complete events of one track (pid, tid) nest or are disjoint, to the
nanosecond. Flows begin and end inside of a slice of their thread, and each end has a begin that is not later.
Instants have a scope. Counters have numbers. Each thread is named once. No key occurs twice in an object. Times
and durations are not negative."""
import gzip, json, math, sys
from collections import defaultdict
from decimal import Decimal


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key occurs twice: %s" % sorted(key for key in keys if keys.count(key) > 1))
    return dict(pairs)


def constant(word):
    raise ValueError("%s is no JSON" % word)


def read(path):
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(data.decode("utf-8"), parse_float=Decimal, parse_constant=constant, object_pairs_hook=unique)


def ns(event, key):
    value = Decimal(event[key]) * 1000
    if value < 0 or value != int(value):
        raise ValueError("%s of %s" % (key, event))
    return int(value)


def check_tracks(slices):
    overlaps = []
    for track, items in slices.items():
        items.sort(key=lambda item: (item[0], -item[1]))
        stack = []
        for start, end, name in items:
            while stack and stack[-1][1] <= start:
                stack.pop()
            if stack and end > stack[-1][1]:
                overlaps.append("%s: %r [%d, %d] leaves %r [%d, %d]" % (track, name, start, end, stack[-1][2], *stack[-1][:2]))
            stack.append((start, end, name))
    return overlaps


def check_flows(flows, slices):
    bad = []
    for (cat, key), ends in flows.items():
        if cat not in ("ac2g", "fwdbwd"):
            continue
        starts = [e for e in ends if e["ph"] == "s"]
        stops = [e for e in ends if e["ph"] == "f"]
        if len(starts) != 1 or len(stops) != 1 or ns(starts[0], "ts") > ns(stops[0], "ts"):
            bad.append("flow %s %s: %d begins, %d ends" % (cat, key, len(starts), len(stops)))
        for end in starts + stops:
            at = ns(end, "ts")
            if not any(start <= at <= stop for start, stop, _ in slices[(end["pid"], end["tid"])]):
                bad.append("flow %s %s: no slice at its %s" % (cat, key, end["ph"]))
    return bad


def check(path):
    slices, flows, named, bad, counts = defaultdict(list), defaultdict(list), defaultdict(int), [], defaultdict(int)
    for event in read(path)["traceEvents"]:
        phase = event["ph"]
        counts[phase] += 1
        if phase == "X":
            start = ns(event, "ts")
            slices[(event["pid"], event["tid"])].append((start, start + ns(event, "dur"), event["name"]))
        elif phase in "sf":
            flows[(event["cat"], event["id"])].append(event)
        elif phase in "be":  # Perfetto ignores tasks that another process ends, and ends without a start
            ns(event, "ts"), event["cat"], event["id"], event["name"]
        elif phase == "i":
            if event.get("s") not in ("t", "p", "g"):
                bad.append("an instant without scope: %s" % event)
        elif phase == "C":
            if not all(isinstance(v, (int, Decimal)) and math.isfinite(v) for v in event["args"].values()):
                bad.append("a counter without number: %s" % event)
        elif phase == "P":  # Perfetto ignores samples, but they must have a thread, a time and a name
            ns(event, "ts"), event["name"], event["pid"], event["tid"]
        elif phase == "M":
            named[(event["name"], event["pid"], event["tid"])] += 1
        else:
            bad.append("phase %r" % phase)
    bad += check_tracks(slices) + check_flows(flows, slices)
    bad += ["%s occurs %d times" % (key, count) for key, count in named.items() if count > 1]
    return bad, dict(counts)


status = 0
for path in sys.argv[1:]:
    try:
        bad, counts = check(path)
    except (ValueError, KeyError, UnicodeDecodeError) as why:
        bad, counts = ["%s: %s" % (type(why).__name__, why)], {}
    print(path, counts, *bad[:10], sep="\n    ")
    status |= bool(bad)
sys.exit(status)
