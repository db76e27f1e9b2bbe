# Tests `tracepress check`. Its metrics must be the numbers of the report, and a run must never be worse than itself.
# Only planted changes may be found, at the right line. Every output format must be valid with any names in a trace.
. tests/suites/case.sh
! is_asan || SHARED=none # with sanitizers, uses only the traces of the repository
if ! command -v python3 >/dev/null 2>&1; then
    skip "check" "no python3"
    exit 0
fi
PYTHON=${CHECK_PYTHON:-python3}
traces_of() { # traces_of FOLDER...: prints the traces below these folders
    find "$@" -name '*.json' -o -name '*.json.gz' | grep -v -e /expected -e /tables.json -e /events.json | sort
}
run() { # run EXIT_CODE ARGUMENTS...: runs `check` and compares its exit code
    wanted_code=$1
    shift
    "$TP" check "$@" >"$WORK/out" 2>"$WORK/err"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; cat "$WORK/out" "$WORK/err"; return 1; }
}

metrics() { python3 tests/oracle/check_metrics.py "$TP" "$WORK" "$@" 2>/dev/null; }
# shellcheck disable=SC2046 # no blanks in these names
check "every metric equals the report's numbers" metrics $(ls "$DATA"/traces/*.gz "$DATA"/tables/*/*/trace.*.gz) "$DATA/run" "$DATA/ddp"
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046
    check "every metric equals the report's numbers, traces of others" metrics $(traces_of "$SHARED/data/traces")
    # shellcheck disable=SC2046
    check "every metric equals the report's numbers, torch 1.13 to 2.15 and advice" metrics \
        $(traces_of "$SHARED/data/torch" "$SHARED/data/advice")
else
    skip "every metric equals the report's numbers, traces of others" "no reference data"
fi

# Compares each run with itself. No limit may fail, and no time may have changed.
printf '%s\n' 'step.time.median <= +0 %' 'step.time.mean <= +0 %' 'step.time.p90 <= +0 %' 'kernels.per_step <= +0' \
    'step.cpu.time <= +0 %' 'sync.per_step <= +0' 'idle.host <= +0 points' 'memory.peak <= +0' 'finding.count <= +0' |
    sed 's/^/optional /' >"$WORK/self.budget"
itself() {
    rm -rf "$WORK/self" && mkdir "$WORK/self" && n=0
    for trace; do
        n=$((n + 1))
        "$TP" check "$trace" --baseline "$trace" --budget "$WORK/self.budget" --json "$WORK/self/$n.json" -q -o /dev/null 2>"$WORK/err"
        code=$?
        # exit code 3: the input is not a trace
        [ "$code" = 0 ] || [ "$code" = 3 ] || { [ "$code" = 6 ] && grep -q '"clean":false' "$WORK/self/$n.json"; } || { echo "$trace: exit $code"; cat "$WORK/err"; return 1; }
    done
    python3 - "$WORK"/self/*.json <<'END'
import json, sys
for path in sys.argv[1:]:
    check = json.load(open(path))
    if any(not p["evidence"]["clean"] for p in check["run"]["profiles"]):
        assert check["damaged"] and check["verdict"] == "inconclusive", check["verdict_line"]
        continue
    assert check["verdict"] in ("pass", "inconclusive") and check["identity"]["workload"] == "same", (check["sides"], check["verdict_line"])
    for item in check["items"]:
        assert item["change"] in (0, None) and item["cause"] in ("within", "skipped", "noise"), (check["sides"], item)
        # with noise, no number of runs can show that nothing changed, so the item never passes
        if item["cause"] == "noise":
            assert item["status"] == "inconclusive" and item["metric"].startswith(("step.", "idle.")), (check["sides"], item)
            assert item["change_low"] is None or item["change_low"] < 0 < item["change_high"], (check["sides"], item)
END
}
check "a run against itself breaks no limit" itself "$DATA"/traces/*.gz "$DATA/run" "$DATA/ddp"
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046
    check "a run against itself breaks no limit, traces of others" itself $(traces_of "$SHARED/data/traces")
else
    skip "a run against itself breaks no limit, traces of others" "no reference data"
fi

planted() { # Checks that a planted additional wait in each step is found.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    python3 tests/check/gate.py plant "$trace" "$WORK/planted.json.gz" || return 1
    run 1 "$WORK/planted.json.gz" --baseline "$trace" --sarif "$WORK/p.sarif" --json "$WORK/p.json" || return 1
    python3 - "$WORK/p.json" "$WORK/p.sarif" <<'END'
import json, sys
check, sarif = (json.load(open(path)) for path in sys.argv[1:])
assert [i["metric"] for i in check["items"] if i["status"] == "fail"] == ["count.wait"], check["verdict_line"]
(result,) = sarif["runs"][0]["results"]
at = result["locations"][0]["physicalLocation"]
assert (at["artifactLocation"]["uri"], at["region"]["startLine"]) == ("train.py", 99), at
assert result["ruleId"] == "count.wait" and result["level"] == "error"
END
}
check "a wait that is new fails, with its line and nothing else" planted
critical() { # Checks limits on the critical path.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz withheld=$DATA/traces/case_no_runtime.pt.trace.json.gz cpu=$DATA/traces/torch_2.13_mlp_train.full.pt.trace.json.gz
    printf '%s\n' 'critical.host_share <= 20 %' 'critical.compute_share >= 50 %' 'critical.step_if_host_free_us <= 1 ms' 'whatif[host=1/2].gain_low_us <= 20 us' \
        'whatif[wait:cudaStreamSynchronize train.py(88): step].gain_low_us >= 100 us # blanks' >"$WORK/b"
    run 0 "$trace" --budget "$WORK/b" --json "$WORK/c.json" && grep -q '^pass: 5 of 5 limits kept' "$WORK/out" || { cat "$WORK/out"; return 1; }
    # counts of each limit are those of the report
    "$TP" whatif -q "$trace" graph=0 host=1/2 --json "$WORK/w.json" -o "$WORK/w.txt" || return 1
    python3 - "$WORK/c.json" "$WORK/w.json" <<'END' || return 1
import json, sys
check, view = (json.load(open(path)) for path in sys.argv[1:])
values = {item["text"].split()[0]: item["value"] for item in check["items"]}
shares = [value for name, value in check["run"]["profiles"][0]["metrics"].items() if name.startswith("critical.") and name.endswith("_share")]
assert len(shares) == 7 and abs(sum(shares) - 100) < 1e-9, shares
assert abs(values["critical.host_share"] - view["critical"]["host_share"]) < 1e-9
assert [values["critical.step_if_host_free_us"], values["whatif[host=1/2].gain_low_us"]] == [view["what_if"][0]["step_ns"], view["what_if"][1]["gain_low_ns"]], values
END
    echo 'critical.compute_share <= 20 %' >"$WORK/b1" && run 1 "$trace" --budget "$WORK/b1" || return 1
    echo 'whatif[host=1/2].gain_low_us <= 1 us' >"$WORK/b1" && run 1 "$trace" --budget "$WORK/b1" || return 1
    # without answers, nothing passes; optional lines are skipped
    run 6 "$withheld" --budget "$WORK/b" && grep -q '0 of 5 limits kept, 5 inconclusive' "$WORK/out" && grep -q 'no usable launch' "$WORK/out" || { cat "$WORK/out"; return 1; }
    sed 's/^/optional /' "$WORK/b" >"$WORK/b1" && run 0 "$withheld" --budget "$WORK/b1" || return 1
    echo 'critical.step_if_host_free_us <= 1 s' >"$WORK/b1" && run 6 "$cpu" --budget "$WORK/b1" && grep -q 'no device events' "$WORK/out" || { cat "$WORK/out"; return 1; }
    # a change that the trace does not have, or that cannot be read
    printf '%s\n' 'whatif[kernel:nothing=1/2].gain_low_us <= 1 s' 'whatif[speed=2].gain_low_us <= 1 s' 'whatif[host=-1].gain_low_us <= 1 s' \
        'whatif[host=1/2].gain_low_us <= 1 s' >"$WORK/b1"
    run 6 "$trace" --budget "$WORK/b1" && grep -q '1 of 4 limits kept, 3 inconclusive' "$WORK/out" && grep -q 'has no such name' "$WORK/out" || { cat "$WORK/out"; return 1; }
}
check "limits on the critical path and on gains: values of whatif, and no verdict without answers" critical
critical_baseline() { # Checks limits on the critical path relative to a baseline, and in summaries.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz other=$DATA/traces/gpu_2024.pt.trace.json.gz
    printf '%s\n' 'critical.step_if_host_free_us <= +2 %' 'critical.host_share <= +2 points' >"$WORK/b"
    run 0 "$trace" --baseline "$other" --budget "$WORK/b" --json "$WORK/c.json" && python3 - "$WORK/c.json" <<'END' || { cat "$WORK/out"; return 1; }
import json, sys
for item in json.load(open(sys.argv[1]))["items"]:
    assert item["cause"] in ("within", "noise") and item["value"] > 0 and item["baseline"] > 0, item
END
    "$TP" summarize -q "$trace" -o "$WORK/plain.tps" && run 6 "$trace" --baseline "$WORK/plain.tps" --budget "$WORK/b" && grep -q 'the summary does not contain this metric' "$WORK/out" || { cat "$WORK/out"; return 1; }
    run 6 "$WORK/plain.tps" --budget "$WORK/b" || return 1
    # a stored run has the values if the budget names them
    run 0 "$trace" --budget "$WORK/b" --baseline "$WORK/stored.tps" --update-baseline || return 1
    sed 's/+2.*/1000 ms/; s/points.*/%/' "$WORK/b" | sed 's/share <= 1000 ms/share <= 99 %/' >"$WORK/b1"
    run 0 "$WORK/stored.tps" --budget "$WORK/b1" && grep -q '^pass: 2 of 2 limits kept' "$WORK/out" || { cat "$WORK/out"; return 1; }
    run 0 "$trace" --budget "$WORK/b" --baseline "$WORK/stored.tps" || { cat "$WORK/out"; return 1; }
    echo 'whatif[host=1/2].gain_low_us <= +2 %' >"$WORK/b1" && run 6 "$trace" --baseline "$WORK/stored.tps" --budget "$WORK/b1"
}
check "limits on the critical path against a baseline: only with stored values" critical_baseline
named() { mkdir "$WORK/named" && python3 tests/check/folders.py "$TP" "$WORK/named" "$DATA" check; }
check "every format names the same lines of a program in a folder run (1), run [2]: x, a.py(4): f or a;b" named
workers() { # Compares runs with 0 and with 4 worker processes of the loader, in both directions.
    slow=$SHARED/data/traces/kineto/resnet50_num_workers_0 fast=$SHARED/data/traces/kineto/resnet50_num_workers_4
    printf '%s\n' 'step.time.median <= +3 %' 'step.dataloader.time <= +3 %' 'kernels.per_step <= +2 %' >"$WORK/b"
    run 0 "$fast" --baseline "$slow" --budget "$WORK/b" && run 1 "$slow" --baseline "$fast" --budget "$WORK/b" || return 1
    [ "$(sed -n 's/^fail  *\([^ ]*\).*/\1/p' "$WORK/out" | sort -u | tr '\n' ' ')" = 'step.dataloader.time step.time.median ' ] || { cat "$WORK/out"; return 1; }
}
if [ -d "$SHARED/data/traces/kineto" ]; then
    check "a loader without workers breaks the limits of its time and of the step, one with workers does not" workers
else
    skip "a loader without workers breaks the limit of its time" "no reference data"
fi

# Tests every format with names that contain markup, terminal codes and formulas.
printf '%s\n' 'finding.count == 0' 'warn sync.per_step <= 0' 'kernels.per_step <= 0' 'memory.peak <= 0' \
    'step.time.median <= -3 %' 'optional idle.host < 0' 'operators.per_step < +0' >"$WORK/b<&\"'>|.budget"
formats() {
    for trace; do
        rm -rf "$WORK/f" && mkdir "$WORK/f"
        for base in "" "$trace"; do
            "$TP" check "$trace" --budget "$WORK/b<&\"'>|.budget" ${base:+--baseline "$base"} --json "$WORK/f/out.json" \
                --junit "$WORK/f/out.xml" --sarif "$WORK/f/out.sarif" --markdown "$WORK/f/out.md" \
                --badge "$WORK/f/out.svg" -o "$WORK/f/out.txt" -q
            code=$?
            [ "$code" = 0 ] || [ "$code" = 1 ] || [ "$code" = 6 ] || { echo "$trace: exit $code"; return 1; }
            "$PYTHON" tests/check/gate.py formats "$WORK/f" || { echo "$trace"; return 1; }
        done
    done
}
cp "$DATA/traces/hostile_names.pt.trace.json.gz" "$WORK/$(printf 'a\033[31m<b>&|`"'"'"'.json.gz')"
check "every format is read by its readers" formats "$DATA"/traces/gpu_2026*.gz "$DATA"/traces/hostile*.gz "$DATA"/traces/case_sc*.gz \
    "$DATA"/traces/torch_2.13_mlp*.gz "$DATA/run" "$WORK"/a*.json.gz "$DATA/faults/xss_names.pt.trace.json"
for reader in junitparser sarif_pydantic sarif markdown_it; do
    "$PYTHON" -c "import $reader" 2>/dev/null || skip "$reader reads them" "not installed (CHECK_PYTHON)"
done
command -v cmark-gfm >/dev/null || skip "cmark-gfm reads them" "not installed"
[ -n "${SARIF_MULTITOOL:-}" ] || skip "the validator of SARIF reads them" "none (SARIF_MULTITOOL)"

faults() { # Checks that a broken file on either side gives the same exit code as `report`.
    good=$DATA/traces/gpu_2026.pt.trace.json.gz
    for trace in "$DATA"/faults/*.pt.trace.json* "$DATA"/faults/big/*; do
        "$TP" report -q "$trace" --json /dev/null 2>/dev/null
        report=$?
        for args in "$trace" "$good --baseline $trace"; do
            # shellcheck disable=SC2086
            cpu_limit 120 "$TP" check -q $args -o /dev/null 2>/dev/null
            code=$?
            case $report in 0) [ "$code" -le 1 ] || [ "$code" = 6 ] ;; *) [ "$code" = "$report" ] ;; esac || { echo "$args: report $report, check $code"; return 1; }
        done
    done
}
check "broken traces on either side end as in report" faults

baselines() { # Checks that a baseline is created and extended, and that it stays unchanged if a limit fails.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    python3 tests/check/gate.py plant "$trace" "$WORK/planted.json.gz" || return 1
    rm -rf "$WORK/h" && run 0 "$trace" --baseline "$WORK/h/" --update-baseline --label one || return 1
    tr -s '\n ' ' ' <"$WORK/out" | grep -q 'because this run is the first run of the baseline' && grep -q '/h/one.tps: stored; compare other runs' "$WORK/err" || { cat "$WORK/out" "$WORK/err"; echo "the first run is not reported"; return 1; }
    rm -rf "$WORK/h" && mkdir "$WORK/h" && run 3 "$trace" --baseline "$WORK/h" || return 1
    # imitates a folder that the user has created
    touch "$WORK/h/.gitkeep" && run 0 "$trace" --baseline "$WORK/h" --update-baseline --label one || return 1
    run 0 "$trace" --baseline "$WORK/h" --update-baseline --label two || return 1
    [ "$(cd "$WORK/h" && echo *)" = "one.tps two.tps" ] || { ls "$WORK/h"; return 1; }
    [ "$(wc -c <"$WORK/h/one.tps")" -lt 20480 ] || { echo "a baseline has 20 KB"; return 1; }
    run 0 "$WORK/h/one.tps" --baseline "$trace" || return 1
    run 1 "$WORK/planted.json.gz" --baseline "$WORK/h" --update-baseline --label three --sarif "$WORK/three.sarif" || return 1
    grep -q 'In diff --json, changes' "$WORK/three.sarif" && ! grep -q 'none: ' "$WORK/three.sarif" || { echo "the place of a count is reported wrongly"; return 1; }
    grep -qx 'verdict: fail' "$WORK/h/three.note" && run 1 "$WORK/planted.json.gz" --baseline "$WORK/h" || { echo "a broken limit became the baseline"; return 1; }
    run 3 "$trace" --baseline "$WORK/none.tps" && grep -q -- '--update-baseline stores this run as the first' "$WORK/err"
}
check "baselines are made, added to, and kept from what broke them" baselines
unwritable() {
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    echo old >"$WORK/old.json"
    run 4 "$trace" --json "$WORK/old.json" --junit /nonexistent/o.xml && [ "$(cat "$WORK/old.json")" = old ]
}
check "an output that cannot be written leaves the others" unwritable
# failing KIND STATUS: makes all calls of KIND fail from the n-th on. The exit code must be STATUS, and older outputs
# must stay unchanged
failing() {
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        rm -rf "$WORK/x" && mkdir "$WORK/x" && echo old >"$WORK/x/c.json"
        cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$n" FAIL_STAY=1 FAIL_COUNT="$WORK/count" LD_PRELOAD="$BUILD/fail_nth.so" \
            "$TP" check "$DATA/traces/case_scalar_read.pt.trace.json.gz" --baseline "$DATA/traces/case_cpu_loop.pt.trace.json.gz" --budget "$WORK/self.budget" \
            --json "$WORK/x/c.json" --junit "$WORK/x/c.xml" -o "$WORK/x/c.txt" -q 2>"$WORK/err"
        code=$?
        [ "$n" != 0 ] || total=$(cat "$WORK/count")
        left=$(ls -A "$WORK/x" | grep -v '^c\.')
        [ -z "$left" ] || { echo "call $n of $total: left behind: $left"; return 1; }
        case $code in
        0 | 1 | 6) [ "$(cat "$WORK/x/c.json")" != old ] || { echo "call $n of $total: exit $code without outputs"; return 1; } ;;
        "$2") [ -s "$WORK/err" ] || { echo "call $n of $total: no message"; return 1; } ;;
        *) echo "call $n of $total: exit $code, not $2"; cat "$WORK/err"; return 1 ;;
        esac
        n=$((n + 1 + n / 20))
    done
    [ "$total" -gt 3 ] || { echo "only $total calls were seen"; return 1; }
}
if is_checked; then
    skip "check whose calls fail" "the sanitizer brings its own allocator"
else
    check "check whose allocations fail: exit 5, nothing left behind" failing memory 5
    check "check whose outputs fail: exit 4, nothing left behind" failing output 4
fi
same_bytes() {
    for i in 1 2; do
        "$TP" check "$DATA/run" --baseline "$DATA/run" --json "$WORK/j$i" --sarif "$WORK/s$i" -o "$WORK/t$i" -q
    done
    cmp "$WORK/j1" "$WORK/j2" && cmp "$WORK/s1" "$WORK/s2" && cmp "$WORK/t1" "$WORK/t2"
}
check "equal runs give equal bytes" same_bytes

history() { # Checks that the page has a chart per metric and a row per run, sorted by name. A broken file is skipped.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    rm -rf "$WORK/t" && mkdir "$WORK/t" || return 1
    for name in b2 a1 '<c3>'; do "$TP" summarize -q "$trace" -o "$WORK/t/$name.tps" || return 1; done
    echo no summary >"$WORK/t/d.tps"
    "$TP" report -q "$trace" --history "$WORK/t" -o "$WORK/t.html" 2>"$WORK/err" || { cat "$WORK/err"; return 1; }
    grep -q 'd.tps' "$WORK/err" || { echo "d.tps is not named"; return 1; }
    python3 - "$WORK/t.html" <<'END' || return 1
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
section = re.search('<section id="history".*?</section>', page, re.S).group(0)
assert '<a href="#history">History</a>' in page
rows = re.findall('role="rowheader">(.*?)</td>', section)
assert [re.sub("<[^>]*>", "", row).strip() for row in rows] == ["b2", "a1", "&lt;c3&gt;"], rows
charts = re.findall(r"<figcaption><b>(.+?)</b>", section)
# the chart of the typical step time replaces that of the metric, and a metric with one value is in the table only
assert "Typical step time" in charts and "step.time.median" not in charts and section.count("<circle") == 3 * len(charts), charts
assert "step.time.median" in section and re.search("All rows: .*kernels.per_step: ", section)
head = re.search('<p class="head">(.*?)</p>', section).group(1)
assert re.match("A step takes .*; no lasting change in 3.stored.runs.", head), head
END
    "$TP" report -q "$trace" --history "$WORK/none" -o "$WORK/t.html" 2>/dev/null
    [ $? = 3 ] || { echo "a history that is not there"; return 1; }
}
check "report --history draws stored runs" history

# Tests the GitHub action by running its script as a runner does.
action() { # action EXIT_CODE VARIABLE=VALUE...: runs the script with these inputs and compares the exit code of the job
    wanted_code=$1
    shift
    : >"$WORK/github"
    : >"$WORK/summary"
    (cd "$WORK" && env TP_PROGRAM="$TP" GITHUB_OUTPUT="$WORK/github" GITHUB_STEP_SUMMARY="$WORK/summary" "$@" \
        sh "$OLDPWD/.github/actions/tracepress-check/check.sh") >"$WORK/out" 2>&1 || { [ "$wanted_code" -gt 1 ] && return 0; cat "$WORK/out"; return 1; }
    grep -q "^code=$wanted_code\$" "$WORK/github" || { cat "$WORK/github" "$WORK/out"; return 1; }
}
github() {
    case $TP in /*) ;; *) TP=$PWD/$TP ;; esac
    good=$DATA/traces/gpu_2026.pt.trace.json.gz
    rm -rf "$WORK/store" "$WORK/o"
    python3 tests/check/gate.py plant "$good" "$WORK/planted.json.gz" || return 1
    action 0 TP_TRACES="$good" TP_BASELINE="$WORK/store" TP_UPDATE_BASELINE=true TP_LABEL=a1 TP_OUTPUT="$WORK/o" TP_REPORT=false || return 1
    [ ! -e "$WORK/store.tps" ] || return 1
    action 1 TP_TRACES="$WORK/planted.json.gz" TP_BASELINE="$WORK/store" TP_OUTPUT="$WORK/o" || return 1
    token=$(sed -n 's/^::stop-commands:://p' "$WORK/out")
    [ "${#token}" = 32 ] && [ "$(tail -n 1 "$WORK/out")" = "::$token::" ] && [ "$(grep -c '^::' "$WORK/out")" = 2 ] ||
        { echo "commands in names would be obeyed:"; cat "$WORK/out"; return 1; }
    grep -q '^verdict=fail$' "$WORK/github" && grep -q 'train.py(99)' "$WORK/summary" || { cat "$WORK/github" "$WORK/summary"; return 1; }
    for file in check.txt check.json check.xml check.sarif check.md badge.svg report.html; do
        [ -s "$WORK/o/$file" ] || { echo "no $file"; cat "$WORK/out"; return 1; }
    done
    zcat "$good" | head -c 100000 >"$WORK/cut.json"
    action 6 TP_TRACES="$WORK/cut.json" TP_BASELINE="$WORK/store" TP_OUTPUT="$WORK/o" || return 1
    grep -q '^verdict=inconclusive$' "$WORK/github" && grep -q 'input damaged' "$WORK/summary" || { cat "$WORK/github" "$WORK/summary"; return 1; }
    action 3 TP_TRACES="$WORK/none" TP_OUTPUT="$WORK/o2"
}
check "the GitHub action's script: baseline, verdict, outputs, summary" github
yaml() {
    "$PYTHON" -m yamllint -s -d '{extends: default, rules: {line-length: {max: 120}}}' .github/actions .github/workflows/performance.yml
}
if "$PYTHON" -m yamllint --version >/dev/null 2>&1; then check "the action's YAML is clean" yaml; else skip "the action's YAML is clean" "no yamllint (CHECK_PYTHON)"; fi
