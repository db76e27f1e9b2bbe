"""coroutines.py HOW COUNTS TRACE [VIEWS]: checks a trace of tests/native/coroutine_program.cc.

The trace must agree with the counts and times of the program itself (COUNTS). The tasks of `report --json` (VIEWS) must
agree with the trace. Prints differences and exits with 1. Faults are ranges that the end of another range has closed,
and tasks or parts that are missing, end at the wrong time, or are outside of their task."""
import json, math, sys
from collections import Counter, defaultdict
from decimal import Decimal

how, counts_path, trace_path = sys.argv[1:4]
counts = {key: int(value) for key, value in (line.split() for line in open(counts_path))}
events = json.load(open(trace_path), parse_float=Decimal)["traceEvents"]
bad = []


def want(what, seen, wanted):
    if seen != wanted:
        bad.append("%s: %s, and not %s" % (what, seen, wanted))


def ns(value):
    return int(Decimal(value) * 1000)


# ---- ranges: worker > turn > step on each thread, whatever coroutines begin and end on other threads
def check_ranges():
    rows, seen = defaultdict(list), Counter()
    for e in events:
        if e["ph"] == "X" and e["cat"] == "user_annotation":
            rows[e["tid"]].append((ns(e["ts"]), -ns(e["dur"]), e["name"], e.get("args", {}).get("finished", True)))
    for tid, row in rows.items():
        stack = []
        for start, length, name, is_finished in sorted(row):
            end = start - length
            while stack and start >= stack[-1][0] and end > stack[-1][0]:
                stack.pop()
            place = " > ".join([outer for _, outer in stack] + [name])
            seen[place] += 1
            if not is_finished and how != "die":
                bad.append("thread %d: %s is not finished" % (tid, place))
            stack.append((end, name))
    if how == "die":
        want("places of ranges", sorted(set(seen) - {"worker", "worker > turn", "worker > turn > step"}), [])
    else:
        want("ranges", dict(seen), {"worker": counts["threads"], "worker > turn": counts["turns"],
                                    "worker > turn > step": counts["steps"]})


# ---- tasks
class Task:
    def __init__(self, begin):
        self.name, self.id, self.begin, self.start, self.end, self.to = begin["name"], begin["id"], begin, ns(begin["ts"]), None, None


def paired():
    tasks, open_tasks, orphans = [], defaultdict(list), 0
    ends = [e for e in events if e["ph"] in "be"]
    for e in sorted(ends, key=lambda e: ns(e["ts"])):
        key = (e["cat"], e["name"], e["id"])
        if e["ph"] == "b":
            tasks.append(Task(e))
            open_tasks[key].append(tasks[-1])
        elif open_tasks[key]:
            task = open_tasks[key].pop()
            task.end, task.to = ns(e["ts"]), e
        else:
            orphans += 1
    return tasks, orphans


def wanted_names():
    n, hops = counts["requests"], counts["hops_of_each"]
    if how == "tasks":
        return {"request": n, "network": n * hops, "answer": n, "query waits": n, "query": n, "disk": n + n // 2, "cache": n,
                "failure": n, "never": n // 10}
    if how == "runs":
        return {"request": n, "request runs": n * (hops + 1), "network": n * hops}
    return {"network": n * hops} if how == "late" else {}


def check_tree(tasks):
    """Checks that the parts of a task are inside of it and nest, because a viewer shows them in one row."""
    rows, last = defaultdict(list), max(ns(e["ts"]) for e in events if "ts" in e)
    for order, task in enumerate(tasks):
        rows[task.id].append((task.start, -(last if task.end is None else task.end), order, task))
    for of_id, row in rows.items():
        outermost = {"late": ("network",)}.get(how, ("request", "query"))
        stack = []
        for start, end, _, task in sorted(row, key=lambda item: item[:3]):
            while stack and stack[-1][0] <= start and stack[-1][0] < -end:
                stack.pop()
            if stack and -end > stack[-1][0]:
                bad.append("id %s: %s leaves %s" % (of_id, task.name, stack[-1][1]))
            if not stack and task.name not in outermost:
                bad.append("id %s: %s is in no task" % (of_id, task.name))
            stack.append((-end, task.name))
    roots = Counter(task.id for task in tasks if task.name in ("request", "query"))
    want("ids that several tasks have", [i for i, n in roots.items() if n > 1], [])


def check_runs(tasks):
    """Checks that each run is on one thread and in one turn. The runs and waits of a task must be disjoint and cover
    it."""
    turns, rows = defaultdict(list), defaultdict(list)
    for e in events:
        if e["ph"] == "X" and e["name"] == "turn":
            turns[e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
    for task in tasks:
        if task.name == "request":
            continue
        rows[task.id].append((task.start, task.end))
        if task.name == "request runs":
            want("threads of a run", task.to["tid"], task.begin["tid"])
            if not any(a <= task.start and task.end <= b for a, b in turns[task.begin["tid"]]):
                bad.append("a run is in no turn of its thread")
    for of_id, row in rows.items():
        row.sort()
        if any(a[1] > b[0] for a, b in zip(row, row[1:])):
            bad.append("id %s: it runs while it waits" % of_id)


def check_arrows(tasks):
    ends = defaultdict(list)
    for e in events:
        if e["ph"] in "sf" and e["cat"] == "async_task":
            ends[e["id"]].append((ns(e["ts"]), "fs".index(e["ph"]), e["tid"]))
    arrows = Counter()
    for row in ends.values():
        row.sort(key=lambda end: end[0])
        for a, b in zip(row[::2], row[1::2]):
            arrows[a[1] == 1 and b[1] == 0 and (a[0], a[2], b[0], b[2])] += 1
    want("arrows that are no task's", sum((arrows - Counter((t.start, t.begin["tid"], t.end, t.to["tid"]) for t in tasks)).values()), 0)
    want("arrows", sum(arrows.values()), len(tasks))


def check_views(tasks):
    view = json.load(open(sys.argv[4]))["runs"][0]["profiles"][0]["task_view"]
    want("ends without begin in the report", view["ends_without_begin"], 0)
    by_name = defaultdict(list)
    for task in tasks:
        by_name[task.name].append(task)
    rows = {row["task"]: row for row in view["tasks"]}
    want("tasks of the report", sorted(rows), sorted(by_name))
    for name in set(rows) & set(by_name):
        lengths = sorted(t.end - t.start for t in by_name[name] if t.end is not None)
        want("count of " + name, rows[name]["count"], len(lengths))
        want("not ended of " + name, rows[name]["open"], len(by_name[name]) - len(lengths))
        for percent in (50, 95, 99) if lengths else ():
            rank = max(1, math.ceil(len(lengths) * percent / 100))
            want("p%d of %s" % (percent, name), round(rows[name]["p%d_us" % percent] * 1000), lengths[rank - 1])


check_ranges()
tasks, orphans = paired()
want("ends without begin", orphans, 0)
names = Counter(task.name for task in tasks)
if how == "die":
    ended = sum(task.name == "request" and task.end is not None for task in tasks)
    if ended < counts["finished"] or not any(task.end is None for task in tasks):
        bad.append("%d requests ended, the program counted %d; %d tasks" % (ended, counts["finished"], len(tasks)))
else:
    want("tasks", dict(names), wanted_names())
    want("tasks that did not end", [t.name for t in tasks if t.end is None], [])
    check_arrows(tasks)
check_tree(tasks)
if how == "runs":
    check_runs(tasks)
if how == "tasks":
    lost = {task.id for task in tasks if task.name == "never"}
    life = sum(t.end - t.start for t in tasks if t.name == "request" and t.id not in lost)
    if not counts["life_ns"] <= life <= counts["life_ns"] * 1.05:
        bad.append("requests took %d ns, the program says %d" % (life, counts["life_ns"]))
    elsewhere = sum(t.begin["tid"] != t.to["tid"] for t in tasks if t.name in ("network", "disk", "failure"))
    # all tasks begin on the main thread
    want("waits that ended on another thread", elsewhere, counts["moved"] - counts["requests"])
if len(sys.argv) > 4:
    check_views(tasks)
print(dict(names), *bad[:10], sep="\n    ")
sys.exit(bool(bad))
