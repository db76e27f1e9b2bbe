"""what_if_answers.py TRACEPRESS WORK TRACE...: compares the JSON of `whatif` with `report --json`, and prices each usual
change again by its name.

Without changes, the file is what_if_view of the report, byte for byte as a value. If the same changes are named on the
command line, as operands or with --if, the answers are equal, in this order. A withheld trace has no answers and exit
code 6. Prints each difference and a last line with counts. Exits with 1 if there are differences."""
import json
import os
import subprocess
import sys


def run(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stderr.decode(errors="replace")


def answers(program, work, trace, *changes):
    """Returns the exit code, the JSON and the messages of whatif."""
    path = os.path.join(work, "whatif.json")
    code, said = run(program, "whatif", "-q", trace, *changes, "--json", path, "-o", os.path.join(work, "whatif.txt"))
    with open(path, encoding="utf-8") as file:
        return code, json.load(file), said


def faults_of(program, work, trace):
    path = os.path.join(work, "report.json")
    if run(program, "report", "-q", trace, "--json", path)[0]:
        return []
    with open(path, encoding="utf-8") as file:
        view = json.load(file)["runs"][0]["profiles"][0]["what_if_view"]
    code, found, said = answers(program, work, trace)
    faults = []
    if found != view:
        faults.append("members differ from the report: %s" % [name for name in view if view[name] != found.get(name)])
    if code != (6 if view["withheld"] else 0):
        faults.append("exit %d, withheld: %s, %s" % (code, view["withheld"], said))
    rows = view["what_if"]
    for changes in ([row["change"] for row in rows], ["--if=" + row["change"] for row in reversed(rows)]) if rows else ():
        # 64 is the largest number of values of one option
        changes = changes[:64]
        code, found, said = answers(program, work, trace, *changes)
        want = rows[:64] if changes[0] == rows[0]["change"] else list(reversed(rows))[:64]
        if code or len(found["what_if"]) != len(want):
            faults.append("named changes: exit %d, %d answers: %s" % (code, len(found["what_if"]), said))
        for row, usual in zip(found["what_if"], want):
            # the text of a wait names the call and the place in another order
            same = [name for name in usual if name != "text" or not usual["change"].startswith("wait:")]
            if any(row[name] != usual[name] for name in same):
                faults.append("%s: %s, usual: %s" % (row["change"], row, usual))
    return faults


def main():
    program, work, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    count = 0
    for trace in traces:
        for fault in faults_of(program, work, trace):
            print("%s: %s" % (os.path.basename(trace), fault))
            count += 1
    print("%d traces, %d faults" % (len(traces), count))
    return count > 0 or not traces


if __name__ == "__main__":
    sys.exit(main())
