"""compare.py [--steps N] RECORDED OWN: compares the events of two traces, counted by category, name, shapes and types.

With --steps, compares only operators, of N steps in RECORDED and three in OWN. The release of a block is compared only
if the block was allocated in the trace, because torch knows an older block only if it has seen its address by
chance."""
import collections
import gzip
import json
import sys

words = sys.argv[1:]
steps = None
if words[0] == "--steps":
    steps = int(words[1])
    words = words[2:]


def count(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    counts = collections.Counter()
    alive = set()
    for event in sorted(events, key=lambda event: float(event.get("ts", 0))):
        args = event.get("args", {})
        if event.get("cat") == "cpu_op":
            shapes = json.dumps([args.get("Input Dims"), args.get("Input type")])
            counts["cpu_op", event["name"], shapes if steps is None else ""] += 1
        elif event.get("cat") == "cpu_instant_event" and steps is None:
            if args.get("Bytes", 0) > 0:
                alive.add(args.get("Addr"))
                counts["memory", "", "allocated"] += 1
            elif args.get("Addr") in alive:
                alive.remove(args.get("Addr"))
                counts["memory", "", "released"] += 1
        elif event.get("cat") == "fwdbwd" and steps is None:
            counts["fwdbwd", event.get("ph"), ""] += 1
        elif event.get("cat") == "user_annotation" and steps is None:
            counts["user_annotation", event["name"].rstrip("0123456789"), ""] += 1
    return counts


recorded, own = count(words[0]), count(words[1])
if steps is not None:
    own = collections.Counter({key: n * steps // 3 for key, n in own.items()})
different = [(key, recorded[key], own[key]) for key in sorted(set(recorded) | set(own), key=str) if recorded[key] != own[key]]
for key, a, b in different[:10]:
    print("recorded", a, "own", b, *key)
print(sum(recorded.values()), "events counted,", len(different), "kinds differ")
sys.exit(1 if different or not recorded else 0)
