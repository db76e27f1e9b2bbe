# Tests traces of several ranks that other tools merged into one file: labels in front of the pids (SGLang), arguments
# "rank" (TraceLens), and processes with the same correlations. The report of each rank must equal the report of the file
# of this rank. Also tests recordings with the same worker name.
. tests/suites/case.sh
inputs=$SHARED/data/inputs
same=$PWD/tests/check/same_facts.py
maker=$PWD/tests/reports/merged.py
cd "$WORK" || exit 1
if ! command -v python3 >/dev/null 2>&1; then
    skip "merged traces" "no python3"
    exit 0
fi

report_of() { # report_of FILE NAME: writes the report of the file to NAME.json
    "$TP" report "$1" -o "$2.html" --json "$2.json" --quiet
}
equals() { # equals MERGED RANK WORKER: compares the report of a worker of a merged trace with the report of a rank's file
    report_of "$1" merged && report_of "$2" rank && python3 "$same" merged.json rank.json "$3"
}
make() { # make KIND: makes the input in the folder `made`
    rm -rf made && mkdir made && python3 "$maker" "$1" made
}
workers() { # workers FILE: prints the worker and span of each profile
    report_of "$1" workers && python3 -c 'import json
run = json.load(open("workers.json"))["runs"][0]
print([(p["worker"], p["span"]) for p in run["profiles"]])'
}
all_equal() { # all_equal KIND WORKER...: compares all files of a kind; the workers are in the order of the ranks
    make "$1" || return 1
    shift
    for file in trace.json indented.json packed.json.gz; do
        i=0
        for worker in "$@"; do
            equals "made/$file" "made/ranks/$i.${file#*.}" "($worker)" || { echo "$file, $worker"; return 1; }
            i=$((i + 1))
        done
        [ "$(python3 -c 'import json; print(len(json.load(open("merged.json"))["runs"][0]["profiles"]))')" = $# ] || return 1
    done
}
check "processes with the same correlations are ranks" all_equal processes "process 4242" "process 5252"
check "processes with equal ids own the devices in their order" all_equal equal_processes "process 4242" "process 5252"
check "correlations show the device of each process" all_equal crossed_devices "process 4242" "process 5252"
check "labels in front of the pids are ranks" all_equal labels TP00-DP00 TP01-DP00
check "arguments \"rank\" are ranks" all_equal rank_arguments "rank 3" "rank 5"

unclear() { # a device with kernels of two processes
    make unclear_devices || return 1
    echo 'kernels.per_step <= 20' >budget
    for command in "report made/trace.json -o o.html" "check made/trace.json --budget budget" "table made/trace.json" \
        "report - -o o.html" "diff made/trace.json made/trace.json"; do
        # shellcheck disable=SC2086
        "$TP" $command <made/trace.json >said 2>&1
        [ $? = 3 ] && grep -q "$(printf '^tracepress: .*\(made/trace.json\|-\): several processes launch with the same correlation ids, and the devices cannot be told apart: name the files of the ranks, not the merged one$')" said ||
            { echo "$command"; cat said; return 1; }
    done
}
check "devices that cannot be assigned are refused" unclear

one_process() { # commands read the chosen rank only
    make processes || return 1
    "$TP" table made/trace.json --process 5252 >table 2>&1 && grep -q gemm_of_rank_1 table && ! grep -q gemm_of_rank_0 table || return 1
    "$TP" export made/trace.json --process 5252 --to csv -o csv -q && grep -rq gemm_of_rank_1 csv && ! grep -rq gemm_of_rank_0 csv || return 1
    "$TP" report made/trace.json --process 7 -o o.html 2>said
    [ $? = 3 ] && grep -q 'no process 7 in this file' said
}
check "--process chooses a rank" one_process

standard_input() { # a pipe cannot be read twice, so a merged trace is refused
    make processes || return 1
    "$TP" report - -o o.html <made/trace.json >said 2>&1
    [ $? = 3 ] && grep -q 'traces of ranks were merged into one' said
}
check "a merged trace on standard input is refused" standard_input

copies() { # copies of the text of one rank would contain all ranks
    make processes || return 1
    "$TP" export made/trace.json --to chrome -o copies/ >said 2>&1
    [ $? != 0 ] && grep -q 'choose another format, or --slim' said || { cat said; return 1; }
    "$TP" export made/trace.json --to chrome --slim -o slim/ -q && [ "$(find slim -type f | wc -l)" = 2 ]
}
check "export --to chrome needs --slim for a rank" copies

not_split() { # not_split KIND: the file has one profile
    make "$1" || return 1
    [ "$(workers made/trace.json)" = "[('trace', None)]" ] || { workers made/trace.json; return 1; }
}
check "a process without calls is no rank" not_split one_rank
check "processes with different correlations are no ranks" not_split distinct_correlations

# ---- recordings with the same worker name ----

names() { # names KIND EXPECTED [NOTICE]
    make "$1" && [ "$(workers made)" = "$2" ] || { workers made; return 1; }
    "$TP" report made -o o.html 2>said || return 1
    if [ -n "${3:-}" ]; then grep -q "$3" said; else ! grep -q 'same time' said; fi
}
check "two ranks with one worker name are two workers" names recordings_of_two_ranks \
    "[('localhost_7 (rank 0)', 1), ('localhost_7 (rank 1)', 1)]"
check "recordings after each other are spans" names recordings_after_each_other \
    "[('localhost_7', 1), ('localhost_7', 2)]"
check "recordings at the same time are workers" names recordings_at_the_same_time \
    "[('localhost_7', 1), ('localhost_7#2', 1)]" '1 recording is at the same time as another one of worker localhost_7'
check "a copy of a recording is a span" names copy_of_a_recording "[('localhost_7', 1), ('localhost_7', 2)]"

# ---- traces of other tools ----

if [ -d "$inputs/fixtures" ]; then
    for file in "$inputs"/fixtures/m*.json; do
        name=$(basename "$file" .json)
        for part in "$inputs/expected/$name".*.json; do
            number=${part%.json}
            number=${number##*.}
            case $name in m01*) worker="process $number" ;; m03*) worker=TP0$number ;; *) worker="rank $number" ;; esac
            check "$name, $worker: the report equals the report of the rank" equals "$file" "$part" "($worker)"
        done
    done
else
    skip "reports of merged traces equal the reports of the ranks" "no $inputs"
fi
single() { # real traces of one rank have one profile
    find "$SHARED/data/traces" -name '*.json*' -size -2000k | sort >list
    while read -r file; do
        "$TP" report "$file" -o o.html --json o.json --quiet 2>said || ! grep -q merged said || return 1
        ! grep -q 'merged' said && ! grep -q '"producer": *"merged' o.json || { echo "$file"; cat said; return 1; }
    done <list
}
if [ -d "$SHARED/data/traces" ]; then
    check "real traces of one rank are not split" single
else
    skip "real traces of one rank are not split" "no $SHARED/data/traces"
fi
