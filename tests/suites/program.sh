# Compares the view of a program recorded from outside with tests/check/program_view.py, which computes every number
# independently. Also compares it with the executable definition if ../shared has one.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1
PY=${PYTHON:-/usr/bin/python3}
[ -x "$PY" ] || PY=python3
if ! command -v "$PY" >/dev/null 2>&1; then
    skip "the view of a program" "no python3"
    exit 0
fi
restated() { # restated TRACE REPORT.json: compares the report with program_view.py
    "$PY" "$HERE/tests/check/program_view.py" "$1" "$2" >said 2>&1 || { tail -n 1 said | cut -c 1-600; return 1; }
}
made() { # made FROM TO: compares the reports of generated recordings with the seeds FROM to TO
    for seed in $(seq "$1" "$2"); do
        "$PY" "$HERE/tests/check/program_view.py" --make "$seed" made.json || return 1
        "$TP" report made.json -o made.html --json made_report.json --quiet 2>err || { cat err; return 1; }
        restated made.json made_report.json || { echo "seed $seed"; return 1; }
        "$PY" "$HERE/tests/check/program_page.py" made.html made_report.json >said 2>&1 || { echo "seed $seed"; tail -n 1 said | cut -c 1-600; return 1; }
    done
}
check "every number of 40 made recordings is computed again, and the headline names the cause of the bar" made 1 40

tables() { # Checks that `table` shows the numbers of the view.
    "$PY" "$HERE/tests/check/program_view.py" --make 7 made.json && "$TP" report made.json -o made.html --json view.json --quiet || return 1
    for key in function process wait; do
        "$TP" table made.json --group-by $key --format json -o $key.json && "$TP" table made.json --group-by $key >$key.txt || return 1
        "$PY" - $key <<'X' || return 1
import json, sys
key = sys.argv[1]
rows = json.load(open(key + ".json"))["profiles"][0]["rows"]
view = json.load(open("view.json"))["runs"][0]["profiles"][0]["program_view"]
wanted = view[{"function": "functions", "process": "processes", "wait": "waits"}[key]]
assert rows == wanted and rows, key
assert len(open(key + ".txt").read().splitlines()) == 1 + len(rows), key
X
    done
    "$TP" table made.json --group-by wait --sort-by count >out 2>err
    [ $? = 2 ] && grep -q 'only options' err && "$TP" table made.json --group-by function --sort-by cumtime >out 2>err
    [ $? = 2 ]
}
check "tables of functions, processes and waits are the view's" tables
# Checks that traces of PyTorch in the same folder do not change the tables of processes and waits.
tables_of_run() {
    rm -rf run && mkdir run && "$PY" "$HERE/tests/check/program_steps.py" --make 3 run || return 1
    for key in process wait; do
        "$TP" table run --group-by $key --format csv >both.csv && "$TP" table run/program.* --group-by $key --format csv >alone.csv || return 1
        [ "$(cut -d, -f1-4 both.csv)" = "$(cut -d, -f1-4 alone.csv)" ] && [ "$(wc -l <both.csv)" -gt 1 ] || { diff both.csv alone.csv | head -n 4; return 1; }
        ! "$TP" table run --group-by $key | grep -q 'no states of threads' || return 1
    done
}
check "tables of a run with PyTorch's traces: processes and waits are the program's" tables_of_run

# Checks a running program of which no function was sampled. The verdict must name the states of its threads, and must
# advise how to record functions.
sampleless() {
    cat >made.json <<'X'
{"tracepress_recorder":"outside","tracepress_seen":{"mode":"looks","refusal":"the kernel refuses <events>: 'sysctl x=2' allows them"},
"traceEvents":[{"ph":"X","cat":"process","name":"busy","pid":7,"tid":7,"ts":0,"dur":900000,"args":{"argv":["busy"],"exit":0,"running ns":800000000}},
{"ph":"X","cat":"thread_state","name":"running","pid":7,"tid":7,"ts":0,"dur":800000},
{"ph":"X","cat":"thread_state","name":"blocked","pid":7,"tid":7,"ts":800000,"dur":100000,"args":{"cause":"pipe"}}]}
X
    "$TP" report made.json -o made.html --json made_report.json --markdown made.md --strict --quiet 2>err || { cat err; return 1; }
    restated made.json made_report.json && grep -q 'busy runs for 89 % of the time: let the recorder see its functions' made.md && grep -q 'sysctl x=2' made.md &&
        grep -q '"class":"cpu-bound"' made_report.json && grep -q 'polling /proc every 10 ms, because the kernel refuses &lt;events&gt;' made.html || { cat made.md; return 1; }
}
check "a program whose functions were not seen is judged by its states" sampleless

gates() { # Tests limits on wall time, CPU time and memory.
    "$PY" "$HERE/tests/check/program_view.py" --make 7 made.json && "$TP" report made.json -o made.html --json view.json --quiet || return 1
    for metric in wall cpu rss.peak; do
        value=$("$PY" -c 'import json, sys; v = json.load(open("view.json"))["runs"][0]["profiles"][0]["program_view"]
print({"wall": int(v["wall_us"] * 1000), "cpu": int(v["cpu_us"] * 1000), "rss.peak": max(p["peak_bytes"] or 0 for p in v["processes"])}[sys.argv[1]])' $metric)
        unit=$([ $metric = rss.peak ] && echo B || echo ns)
        echo "$metric <= $((value + 1)) $unit" >budget && "$TP" check made.json --budget budget >out 2>err || { cat out err; return 1; }
        echo "$metric <= $((value - 1)) $unit" >budget
        "$TP" check made.json --budget budget >out 2>err
        [ $? = 1 ] || { cat out err; return 1; }
    done
    "$PY" - >budget <<'X' || return 1
import collections, json
view = json.load(open("view.json"))["runs"][0]["profiles"][0]["program_view"]
sums = collections.Counter()
for f in view["functions"]:
    sums[f["function"]] += f["self_us"]
name, us = sums.most_common(1)[0]
share = 100 * us / view["cpu_us"]
print("cpu.self.%s <= %.6f %%" % (name, share + 1e-3))
print("cpu.self.%s >= %.6f %%" % (name, share - 1e-3))
print("cpu.self.no such <function> >= 0 %")
X
    "$TP" check made.json --budget budget >out 2>err || { cat out err; return 1; }
    sed -n 's/>= 0 %/>= 1 %/p' budget >never && ! "$TP" check made.json --budget never >out 2>err || { cat out; return 1; }
    echo 'cpu.self.f <= +3 %' >never && "$TP" check made.json --budget never >out 2>err
    [ $? = 2 ] && grep -q 'relative to the baseline' err
}
sides() { # Compares functions and parts of the wall time of two programs.
    "$PY" "$HERE/tests/check/program_view.py" --make 7 made.json && "$PY" "$HERE/tests/check/program_view.py" --make 8 other.json &&
        "$TP" diff made.json other.json -o diff.html --json diff.json --exit-zero >out 2>err || { cat out err; return 1; }
    "$PY" - <<'X'
import json, subprocess, os
diff = json.load(open("diff.json"))
for side, name in (("base", "made"), ("new", "other")):
    subprocess.run([os.environ["TP"], "report", name + ".json", "-o", "x.html", "--json", "x.json", "--quiet"], check=True)
    view = json.load(open("x.json"))["runs"][0]["profiles"][0]["program_view"]
    parts = {r["name"]: r[side + "_us"] for r in diff["wall_parts"] if r[side + "_us"]}
    assert parts.keys() == {p["part"] for p in view["wall_parts"]}, (parts, view["wall_parts"])
    assert all(abs(parts[p["part"]] - p["time_us"]) < 0.01 for p in view["wall_parts"])
    functions = {(r["name"], r["owner"]): r[side + "_us"] for r in diff["functions"]}
    for f in view["functions"]:
        if f["self_us"]:
            assert abs(functions[f["function"], f["file"] or ""] - f["self_us"]) < 0.01, f
X
}
export TP
check "diff has functions and parts of the wall of both sides" sides
check "check judges wall, processor time and memory of a program" gates

exported() { # exported FROM TO: reads back the exports of generated recordings with the seeds FROM to TO
    for seed in $(seq "$1" "$2"); do
        "$PY" "$HERE/tests/check/program_view.py" --make "$seed" made.json && mkdir -p exported &&
            PROFILER_CLI= "$PY" "$HERE/tests/check/program_exports.py" "$TP" made.json exported >said 2>&1 || { echo "seed $seed"; tail -n 1 said | cut -c 1-600; return 1; }
    done
}
if "$PY" -c 'import sqlite3' 2>/dev/null; then
    check "exports of 10 made recordings, read back, add up to the view" exported 1 10
else
    skip "exports of made recordings" "no python3 with sqlite3"
fi
joined() { # joined FROM TO: tests generated runs that also have traces of PyTorch
    for seed in $(seq "$1" "$2"); do
        rm -rf run && mkdir run && "$PY" "$HERE/tests/check/program_steps.py" --make "$seed" run || return 1
        "$TP" report run -o run.html --json run.json --quiet 2>err || { cat err; return 1; }
        "$PY" "$HERE/tests/check/program_steps.py" run run.json 1 >said 2>&1 || { echo "seed $seed"; tail -n 1 said | cut -c 1-600; return 1; }
        grep -q 'href="#p2-overview">The whole program</a>' run.html && grep -q 'href="#p1-overview">Steps and operators: ' run.html || return 1
    done
}
check "what the steps' wall clock was: 20 made runs of PyTorch with a program from outside" joined 1 20
# Checks that a recording from outside changes no number of the run in diff, check, summaries, and the comparison of
# ranks.
no_rank() {
    rm -rf both alone && mkdir -p both/run alone/run && "$PY" "$HERE/tests/check/program_steps.py" --make 3 both/run &&
        cp both/run/host* alone/run || return 1
    for folder in both alone; do
        "$TP" summarize $folder/run -o $folder.tps >out 2>err || { cat err; return 1; }
        "$TP" report $folder/run -o $folder.html --json $folder.json --quiet || return 1
        echo 'step.count >= 1' >budget && "$TP" check $folder/run --budget budget >$folder.check 2>err || { cat $folder.check err; return 1; }
    done
    cmp both.tps alone.tps && cmp both.check alone.check || return 1
    "$TP" diff both/run alone/run -o diff.html >out 2>err
    status=$?
    [ $status = 0 ] && ! grep -qi 'regressed\|changed work' out || { cat out err; return 1; }
    "$PY" - <<'X'
import json
both, alone = (json.load(open(name + ".json"))["runs"][0] for name in ("both", "alone"))
assert both["distributed"] == alone["distributed"]
first, only = both["profiles"][0], alone["profiles"][0]
assert only["verdict"]["headline"] in first["verdict"]["headline"]  # the headline may add how long no CPU was free
first["verdict"]["headline"] = only["verdict"]["headline"]
assert first.pop("program_steps") and first == only
X
}
check "a program from outside changes no number of PyTorch's traces" no_rank

# program_budget JSON BY: prints limits for all metrics of the program. The program exceeds each limit by BY units, or
# is within it by -BY
program_budget() {
    "$PY" - "$@" <<'X'
import collections, json, sys
profiles = json.load(open(sys.argv[1]))["runs"][0]["profiles"]
view = next(p["program_view"] for p in profiles if p.get("program_view"))
by = int(sys.argv[2])
sums = collections.Counter()
for f in view["functions"]:
    sums[f["function"]] += f["self_us"]
name, us = sums.most_common(1)[0]
print("wall <= %d ns" % (round(view["wall_us"] * 1000) - by))
print("cpu <= %d ns" % (round(view["cpu_us"] * 1000) - by))
print("rss.peak <= %d B" % (max(p["peak_bytes"] or 0 for p in view["processes"]) - by))
print("cpu.self.%s <= %.6f %%" % (name, 100 * us / view["cpu_us"] - by * 1e-3))
X
}
limits_in_a_run_with_steps() { # Tests limits of the program in the folder of a run with steps, and against a stored run.
    rm -rf both store && mkdir -p both/run store && "$PY" "$HERE/tests/check/program_steps.py" --make 3 both/run &&
        "$TP" report both/run -o both.html --json both.json --quiet || return 1
    program_budget both.json -1 >kept && "$TP" check both/run --budget kept >out 2>err && [ "$(grep -c pass out)" -ge 4 ] || { cat out err; return 1; }
    program_budget both.json 1 >missed
    "$TP" check both/run --budget missed >out 2>err
    [ $? = 1 ] && [ "$(grep -c '^ *fail  ' out)" = 4 ] || { cat out err; return 1; }
    printf 'wall <= +10 %%\ncpu <= +10 %%\nrss.peak <= +1 KiB\n' >against
    "$TP" check both/run --budget kept --baseline store --update-baseline --label a >out 2>err && "$TP" check both/run --budget against --baseline store >out 2>err ||
        { cat out err; return 1; }
    "$TP" summarize store/a.tps --format json -q -o stored.json && "$PY" - <<'X' || return 1
import json
rows = [r for r in json.load(open("stored.json"))["processes"][0]["rows"] if r["kind"] == "function"]
assert rows and not any(r.get("by_step_ns") for r in rows), rows[:3] # samples of the program belong to no step
X
    # with one run per side, changes of time have no verdict
    [ "$(grep -c '+0.0 %$' out)" = 2 ] && grep -q '^pass  *rss.peak .*+0 B' out || { cat out; return 1; }
    cp both/run/*.pt.trace.json* store/ && "$TP" diff both/run store -o diff.html >out 2>err && ! grep -qi 'regressed' out
}
check "limits of the program hold in the folder of a run with steps" limits_in_a_run_with_steps

recorded() { # recorded NAME PROGRAM...: records the program as NAME and compares the view
    name=$1
    shift
    rm -rf "$name"
    cpu_limit 120 "$TP" record --outside --no-tfevents --quiet -o "$name" -- "$@" >out 2>err || { cat err; return 1; }
    cp "$name"/*/*.pt.trace.json.gz "$name.gz"
    "$TP" report "$name.gz" -o "$name.html" --json "$name.json" --markdown "$name.md" --quiet 2>err || { cat err; return 1; }
    restated "$name.gz" "$name.json" || return 1
    mkdir -p exported && "$PY" "$HERE/tests/check/program_exports.py" "$TP" "$name.gz" exported >said 2>&1 || { tail -n 1 said | cut -c 1-600; return 1; }
    if [ -f "$SHARED/prototypes/programs/page_ref.py" ]; then
        "$PY" "$HERE/tests/check/program_view.py" --rows "$name.gz" rows.tsv &&
            "$PY" "$HERE/tests/oracle/check_program.py" "$SHARED/prototypes/programs" rows.tsv "$name.json"
    fi
}
"$TP" record --outside --no-tfevents -o probe -- true >out 2>err || :
if grep -q 'recording from outside failed' err; then
    skip "real recordings" "$(sed -n 's/.*from outside failed: //p' err | head -n 1)"
    exit 0
fi
cat >threads.py <<'X'
import hashlib, threading, time
lock = threading.Lock()
def work():
    for _ in range(20):
        with lock:
            for i in range(4000):
                hashlib.md5(str(i).encode()).hexdigest()
        time.sleep(0.001)
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
X
check "a pipeline of a shell" recorded pipeline sh -c 'seq 200000 | sort -r | uniq -c | gzip -9 | wc -c; sleep 0.1'
check "a compiler with its children" recorded compiler "${CC:-cc}" -O2 -I"$HERE" -c "$HERE/writer/base/json_out.c" -o json_out.o
check "threads of an interpreter" recorded threads "$PY" threads.py
# first_change FILE: prints the sentence that names the function, with N for each number and s for each unit
first_change() {
    sed -n '/^Regressed: encode/,/ %)/p' "$1" | tr '\n' ' ' | sed 's/[0-9.,]\{1,\}/N/g; s/N \(ms\|s\) /N s /g'
}
# Checks that the function that takes three times as long in one program comes first, with its file. A round takes several
# times the sampling period of 5 ms. Rounds of about 5 ms would be in step with the samples, which then hit one function
# too often.
slower() {
    cat >two.c <<'X'
#include <stdlib.h>
volatile long sink;
__attribute__((noinline)) static void parse(long n) { for (long i = 0; i < n; i++) sink += i % 7; }
__attribute__((noinline)) static void encode(long n) { for (long i = 0; i < n; i++) sink ^= i * 3; }
int main(int count, char **words) {
    for (int i = 0; i < 16 && count > 1; i++) { parse(30000000); encode(40000000 * atol(words[1])); }
}
X
    "${CC:-cc}" -g -O1 two.c -o two || return 1
    for times in 1 3; do
        rm -rf "two$times" && cpu_limit 120 "$TP" record --outside --no-tfevents --quiet -o "two$times" -- ./two "$times" >out 2>err || { cat err; return 1; }
    done
    "$TP" diff two1/*/*.gz two3/*/*.gz -o diff.html >out 2>err
    [ $? = 1 ] && head -n 1 out | grep -q '^Regressed: encode (two.c) takes ' && ! grep -q 'function: parse' out || { cat out err; return 1; }
    # compares the sentence with docs/diff.md, without numbers and line breaks, because times differ from run to run
    [ "$(first_change out)" = "$(first_change "$HERE/docs/diff.md")" ] || { first_change out; first_change "$HERE/docs/diff.md"; return 1; }
}
check "diff: a function that takes three times as long is named first, another is not" slower
