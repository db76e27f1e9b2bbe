# Tests `tracepress whatif`. Its answers must be those of the report, also if the changes are named one by one. Outputs
# must be complete or absent.
. tests/suites/case.sh
! is_asan || SHARED=none # with sanitizers, uses only the traces of the repository
if ! command -v python3 >/dev/null 2>&1; then
    skip "whatif" "no python3"
    exit 0
fi
traces_of() { # traces_of FOLDER...: prints the traces below these folders
    find "$@" -name '*.json' -o -name '*.json.gz' | grep -v -e /expected -e /tables.json -e /events.json | sort
}
answers() { python3 tests/check/what_if_answers.py "$TP" "$WORK" "$@"; }
check "answers equal those of the report, also for changes given by name" answers "$DATA"/traces/*.gz
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046 # no blanks in these names
    check "answers equal those of the report, traces of others" answers $(traces_of "$SHARED/data/traces")
else
    skip "answers equal those of the report, traces of others" "no reference data"
fi

check "answers equal the values computed by hand, and have the properties of answers" \
    python3 tests/oracle/what_if_cases.py --tracepress "$TP"
check "answers equal changed programs that run again" python3 tests/oracle/made_programs.py --tracepress "$TP" --seeds 100-107
check "graph, replay, critical path and answers equal their definition" \
    python3 tests/oracle/check_what_if.py --tracepress "$TP" "$DATA"/traces/*.gz
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046 # no blanks in these names
    check "graph, replay, critical path and answers equal their definition, traces of others" \
        python3 tests/oracle/check_what_if.py --tracepress "$TP" $(traces_of "$SHARED/data/traces")
else
    skip "graph, replay, critical path and answers equal their definition, traces of others" "no reference data"
fi
large() {
    python3 tests/oracle/large_trace.py "$WORK/large.json" && python3 tests/oracle/check_what_if.py --tracepress "$TP" "$WORK/large.json" &&
        rm "$WORK/large.json"
}
if is_asan; then
    skip "the replayed steps of a large trace equal their definition" "programs with sanitizers are slow"
else
    check "the replayed steps of a large trace equal their definition" large
fi
check "prices of findings equal their definition" \
    python3 tests/oracle/check_prices.py --tracepress "$TP" "$DATA"/traces/*.gz
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046 # no blanks in these names; the largest traces take too long
    check "prices of findings equal their definition, traces of others" \
        python3 tests/oracle/check_prices.py --tracepress "$TP" $(traces_of "$SHARED/data/traces" | xargs -r ls -Sr | head -40)
else
    skip "prices of findings equal their definition, traces of others" "no reference data"
fi

check "joined ranks: answers equal jobs that run again, and their definition" \
    python3 tests/oracle/made_ranks.py --tracepress "$TP" --jobs 6
check "joined ranks equal their definition" python3 tests/oracle/check_what_if.py --ranks --tracepress "$TP" "$DATA/run" "$DATA/ddp"
if [ -d "$SHARED/data/traces" ]; then
    check "joined ranks equal their definition, traces of others" \
        python3 tests/oracle/check_what_if.py --ranks --tracepress "$TP" "$SHARED/data/traces/hta/trace_filter"
else
    skip "joined ranks equal their definition, traces of others" "no reference data"
fi

if [ -d "$SHARED/data/traces" ]; then
    transplanted=$(find "$SHARED/data/traces/hta" -name nccl_data.json.gz -o -name control.json.gz)
    if [ "${DRAWS:-}" = full ]; then
        transplanted=$(traces_of "$SHARED/data/traces")
    fi
    # shellcheck disable=SC2086 # no blanks in these names
    check "a step with the durations of another step takes as long as the reference says" \
        python3 tests/oracle/check_transplant.py "$BUILD/step_transplant" $transplanted
else
    skip "a step with the durations of another step takes as long as the reference says" "no reference data"
fi

trace=$DATA/traces/gpu_2026.pt.trace.json.gz
run() { # run EXIT_CODE ARGUMENTS...: runs `whatif` and compares its exit code
    wanted_code=$1
    shift
    "$TP" whatif "$@" >"$WORK/out" 2>"$WORK/err"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; cat "$WORK/out" "$WORK/err"; return 1; }
}
outputs() {
    run 0 "$trace" host=1/2 --json - && python3 -m json.tool "$WORK/out" >/dev/null && [ "$(wc -l <"$WORK/out")" = 1 ] || return 1
    run 0 "$trace" host=1/2 -o "$WORK/t.txt" --json "$WORK/t.json" && [ ! -s "$WORK/out" ] && grep -q '^host=1/2' "$WORK/t.txt" || return 1
    run 0 - host=1/2 <"$trace" && grep -q '^host=1/2' "$WORK/out" || return 1
    echo old >"$WORK/old.json"
    run 4 "$trace" --json "$WORK/old.json" -o /nonexistent/t.txt && [ "$(cat "$WORK/old.json")" = old ] || return 1
    run 2 "$trace" speed=2 --json "$WORK/old.json" && [ "$(cat "$WORK/old.json")" = old ]
}
check "outputs go to files or standard output; a mistake leaves the old file" outputs
folders() { # A folder with one trace has the object itself, also next to a trace of a helper process.
    rm -rf "$WORK/f" && mkdir "$WORK/f" && cp "$trace" "$WORK/f/host_1.1700000000000.pt.trace.json.gz" || return 1
    run 0 "$WORK/f" host=1/2 --json "$WORK/f.json" && run 0 "$trace" host=1/2 --json "$WORK/t.json" && cmp "$WORK/f.json" "$WORK/t.json"
}
check "a folder with one trace gives the answers of the trace" folders
one_of_two() { # A folder in which one of two profiles has no answers exits with 6, and has both in its JSON.
    run 6 "$DATA/run" --json "$WORK/two.json" && python3 - "$WORK/two.json" <<'END'
import json, sys
profiles = json.load(open(sys.argv[1]))["profiles"]
assert [(bool(p["withheld"]), bool(p["what_if"])) for p in profiles] == [(True, False), (False, True)], profiles
END
}
check "a folder in which one profile has no answers exits with 6" one_of_two
make_job() { # makes a folder with the two ranks of a job
    rm -rf "$WORK/cases" "$WORK/job" && python3 tests/oracle/what_if_cases.py --write "$WORK/cases" >/dev/null && mkdir "$WORK/job" &&
        cp "$WORK/cases/two_ranks.0.json" "$WORK/job/a.json" && cp "$WORK/cases/two_ranks.1.json" "$WORK/job/b.json"
}
job_of_ranks() { # A folder with ranks of one job has the joined answers and those of each profile. rank:N is exact.
    make_job || return 1
    run 0 "$WORK/job" rank:1 host=1 --json "$WORK/job.out" -o - && grep -q '^rank:1 *60.0 → 30.0 µs' "$WORK/out" || return 1
    ! grep -q '^[ab]$' "$WORK/out" && python3 - "$WORK/job.out" <<'END' || return 1
import json, sys
d = json.load(open(sys.argv[1]))
assert (d["ranks"], d["collectives"], d["withheld"]) == ([0, 1], 1, []), d
assert [w["change"] for w in d["what_if"]] == ["rank:1", "host=1"], d["what_if"]
assert [[w["change"] for w in p["what_if"]] for p in d["profiles"]] == [["host=1"]] * 2, d["profiles"]
END
    run 0 "$WORK/job" -o - && grep -q 'Rank 1 holds up the other rank: if it were as fast as the median' "$WORK/out" || return 1
    run 2 "$WORK/job" rank:2 && grep -q "has 2 ranks, from rank:0 to rank:1" "$WORK/err" || return 1
    run 2 "$WORK/job/a.json" rank:0 && grep -q "joins the traces of several ranks" "$WORK/err"
}
check "a folder with the ranks of one job gives joined answers" job_of_ranks
other_ranks() { # Ranks with different collectives are withheld; the answers for each profile stay.
    make_job || return 1
    sed 's/ncclKernel_AllReduce/ncclKernel_Broadcast/' "$WORK/cases/two_ranks.1.json" >"$WORK/job/b.json"
    run 6 "$WORK/job" host=1 -o - --json "$WORK/job.out" && grep -q "the ranks have different collectives" "$WORK/out" && grep -q '^b$' "$WORK/out" || return 1
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["withheld"] and not d["what_if"] and d["profiles"][1]["what_if"], d' "$WORK/job.out" || return 1
    rm "$WORK/job/b.json" && run 2 "$WORK/job" rank:0 && run 0 "$WORK/job" host=1
}
check "ranks with different collectives have no joined answers" other_ranks
unnamed_ranks() { # Traces that do not name their ranks are joined only for rank:N, in the order of the files.
    make_job && rm "$WORK/job/a.json" "$WORK/job/b.json" || return 1
    for rank in 0 1; do
        sed 's/"distributedInfo"/"other"/' "$WORK/cases/two_ranks.$rank.json" >"$WORK/job/rank$rank.json" || return 1
    done
    run 0 "$WORK/job" host=1 && ! grep -q joined "$WORK/out" || return 1
    run 0 "$WORK/job" rank:1 && grep -q '^rank:1 *60.0 → 30.0 µs' "$WORK/out"
}
folders_of_ranks() { # A folder for each rank makes a run of each. rank:N needs the traces in one folder.
    make_job && mkdir "$WORK/job/a" "$WORK/job/b" && mv "$WORK/job/a.json" "$WORK/job/a" && mv "$WORK/job/b.json" "$WORK/job/b" || return 1
    run 0 "$WORK/job" host=1 && run 2 "$WORK/job" rank:1 && grep -q "into one folder" "$WORK/err"
}
check "rank:N needs the traces of all ranks in one folder" folders_of_ranks
recordings() { # Ranks that were recorded twice have joined answers for each recording.
    make_job && for time in 1700000000000 1700000009000; do
        cp "$WORK/job/a.json" "$WORK/job/a.$time.pt.trace.json" && cp "$WORK/job/b.json" "$WORK/job/b.$time.pt.trace.json" || return 1
    done
    rm "$WORK/job/a.json" "$WORK/job/b.json" && run 0 "$WORK/job" rank:1 --json "$WORK/job.out" && python3 - "$WORK/job.out" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert len(d["profiles"]) == 4 and [j["what_if"][0]["step_ns"] for j in d["jobs"]] == [30000, 30000], d
END
}
check "ranks that were recorded twice are joined for each recording" recordings
check "traces that do not name their ranks are joined only for rank:N" unnamed_ranks
snapshots() { run 3 "$DATA/faults/not_json.pt.trace.json" || run 3 "$WORK/none.json"; }
check "an input that is no trace exits with 3" snapshots
