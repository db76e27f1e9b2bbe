# Makes each allocation and each output call fail once. The exit code must be 5 or 4, the old output must stay, and no
# temporary file may remain.
. tests/suites/case.sh
if is_asan; then
    skip "failing calls" "the sanitizer brings its own allocator"
    exit 0
fi
SHIM=$BUILD/fail_nth.so
trace=$DATA/traces/gpu_2024.pt.trace.json.gz
checks=$PWD/tests/check
cd "$WORK" || exit 1

# run KIND N STAY: runs the report, where the N-th call of KIND fails. STAY=1: all later calls fail, too
run() {
    cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$2" FAIL_STAY="$3" FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" \
        "$TP" report "$trace" -o out/report.html --json out/report.json --quiet >stdout 2>stderr
}
fresh() {
    rm -rf out
    mkdir out
    echo old >out/report.html
    echo old >out/report.json
}
whole() { # whole: checks that the file is either the old one or complete
    [ "$(cat "out/$1")" = old ] || cmp -s "out/$1" "good/$1"
}
# loop KIND STATUS: calls run for all N up to 60, then for N in growing steps
loop() {
    fresh
    run "$1" 0 0 || { echo "it fails without a failing call: $(cat stderr)"; return 1; }
    total=$(cat count)
    [ "$total" -gt 3 ] || { echo "only $total calls of kind $1 were seen"; return 1; }
    rm -rf good && cp -r out good
    n=1
    while [ "$n" -le "$total" ]; do
        for stay in 0 1; do
            fresh
            run "$1" "$n" "$stay"
            status=$?
            case $status in
            "$2") grep -q . stderr || { echo "call $n of $total: no message"; return 1; } ;;
            0) [ "$stay" = 0 ] || [ "$1" = memory ] || [ "$n" -gt $((total - 3)) ] || { echo "call $n of $total: status 0"; return 1; } ;;
            *) echo "call $n of $total (stay $stay): status $status, wanted $2"; cat stderr; return 1 ;;
            esac
            [ "$status" != 0 ] || cmp -s out/report.html good/report.html || { echo "call $n: status 0, but other bytes"; return 1; }
            whole report.html && whole report.json || { echo "call $n of $total (stay $stay): half a file"; return 1; }
            left=$(ls -A out | grep -v '^report\.\(html\|json\)$')
            [ -z "$left" ] || { echo "call $n of $total (stay $stay): left behind: $left"; return 1; }
        done
        n=$((n + 1 + n / 40))
    done
    echo "$total calls"
}
check "every allocation fails once: exit 5, old output intact" loop memory 5
check "every write, fsync, rename fails once: exit 4, old output intact" loop output 4
trace=$PWD/job.tps
"$BUILD/make_job" "$trace" 5 1 1 compute 1 3 >/dev/null
check "the page of a job: every allocation fails once: exit 5, old output intact" loop memory 5
check "the page of a job: every write, fsync, rename fails once: exit 4, old output intact" loop output 4
trace=$DATA/traces/gpu_2024.pt.trace.json.gz

# parted NAME COMMAND...: runs the command, which writes to the folder out. First all writes transfer only half of their
# bytes, then each write in turn. The files must have the same bytes
parted() {
    rm -rf out whole && mkdir out
    cpu_limit 60 env FAIL_KIND=part FAIL_AT=0 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" "$@" >stdout 2>stderr || { cat stderr; return 1; }
    mv out whole
    total=$(cat count) n=0 # n=0 shortens all writes
    [ "$total" -gt 0 ] || { echo "no write was seen"; return 1; }
    while [ "$n" -le "$total" ]; do
        mkdir out
        cpu_limit 60 env FAIL_KIND=part FAIL_AT=$((n ? n : 1)) FAIL_STAY=$((n == 0)) LD_PRELOAD="$SHIM" "$@" >stdout 2>stderr || { echo "write $n of $total"; cat stderr; return 1; }
        diff -rq out whole || { echo "write $n of $total: other bytes"; return 1; }
        rm -rf out
        n=$((n + 1 + n / 10))
    done
    echo "$total writes"
}
parts() {
    name=$1
    shift
    check "$name whose writes are cut short: the same bytes" parted "$@"
}
parts "a report" "$TP" report "$trace" -o out/report.html --json out/report.json --markdown out/digest.md --quiet
parts "a trace writer" "${TOOLS:-$BUILD}/write_sample" out/t.json.gz
parts "an export to folded" "$TP" export "$DATA/tables/2.13/memory_heavy.full/trace.pt.trace.json.gz" --to folded -o out --quiet
for format in xplane sqlite flamegraph memory-flow chrome csv pstats; do
    parts "an export to $format" "$TP" export "$trace" --to $format -o out --quiet
done
parts "a summary" "$TP" summarize "$trace" -o out/a.tps -q
parts "a table" "$TP" table "$trace" -o out/table --quiet
parts "a comparison" "$TP" diff "$trace" "$DATA/traces/gpu_2026.pt.trace.json.gz" -o out/d.html --json out/d.json --exit-zero --quiet

# sample KIND: writes a trace while all calls of KIND fail from the n-th on. The exit code must be 4, without leftover
# files
sample() {
    rm -rf out
    mkdir out
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        rm -f out/t.json.gz
        cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$n" FAIL_STAY=1 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" \
            "${TOOLS:-$BUILD}/write_sample" out/t.json.gz 2>stderr
        status=$?
        left=$(ls -A out)
        if [ "$n" = 0 ]; then
            total=$(cat count)
            [ "$status" = 0 ] && [ "$total" -gt 3 ] || { echo "status $status, $total calls of kind $1 were seen"; return 1; }
        elif [ "$status" = 0 ]; then # the program continues after some failed allocations, such as that of a thread
            [ "$left" = t.json.gz ] && gunzip -t out/t.json.gz || { echo "call $n of $total: status 0, left: $left"; return 1; }
        else
            [ "$status" = 4 ] && grep -q . stderr && [ -z "$left" ] || { echo "call $n of $total: status $status, left: $left"; return 1; }
        fi
        n=$((n + 1))
    done
    echo "$total calls"
}
check "a trace writer whose allocations fail says so and leaves nothing" sample memory
check "a trace writer whose output fails says so and leaves nothing" sample output

# made KIND STATUS COMMAND...: runs the command, which writes its files to the folder out. All calls of KIND fail from
# the n-th on. The exit code must be STATUS, with a message, and no file may remain. With $several, complete files may
# remain
several=
made() {
    kind=$1 wanted=$2
    shift 2
    rm -rf out whole
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        rm -rf out && mkdir out
        cpu_limit 60 env FAIL_KIND="$kind" FAIL_AT="$n" FAIL_STAY=1 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" "$@" --quiet >stdout 2>stderr
        status=$?
        left=$(find out -type f)
        if [ "$n" = 0 ]; then
            total=$(cat count)
            [ "$status" = 0 ] && [ "$total" -gt 3 ] && [ -n "$left" ] || { echo "status $status, $total calls of kind $kind were seen"; return 1; }
            mv out whole
        elif [ "$status" = 0 ]; then # the program continues after some failed allocations, such as that of a thread
            diff -rq out whole || { echo "call $n of $total: status 0, left: $left"; return 1; }
        else
            [ "$status" = "$wanted" ] && grep -q . stderr || { echo "call $n of $total: status $status"; cat stderr; return 1; }
            [ -z "$left" ] || [ -n "$several" ] || { echo "call $n of $total: left: $left"; return 1; }
            for file in $left; do
                cmp "$file" "whole/${file#out/}" || { echo "call $n of $total: left: $left"; return 1; }
            done
        fi
        n=$((n + 1 + (n + 12 < total ? n / 40 : 0)))
    done
    echo "$total calls"
}
# fails NAME COMMAND...: calls made for allocations and for output calls
fails() {
    name=$1
    shift
    check "$name whose allocations fail: exit 5, nothing left behind" made memory 5 "$@"
    check "$name whose output fails: exit 4, nothing left behind" made output 4 "$@"
}
functions=$DATA/tables/2.13/memory_heavy.full/trace.pt.trace.json.gz
fails "an export to folded" "$TP" export "$functions" --to folded -o out
for format in xplane sqlite flamegraph memory-flow chrome; do
    fails "an export to $format" "$TP" export "$trace" --to $format -o out
done
fails "an export to folded with --metric" "$TP" export "$trace" --to folded --metric device -o out
fails "an export to pstats" "$TP" export "$functions" --to pstats -o out
fails "a flame graph with a baseline" "$TP" export "$trace" --to flamegraph --baseline "$DATA/traces/gpu_2026.pt.trace.json.gz" -o out
several=yes
fails "an export to csv" "$TP" export "$trace" --to csv -o out
fails "an export to csv that is written while the trace is read again" "$TP" export "$DATA/traces/torch_2.6_mlp_train.full.pt.trace.json.gz" --to csv -o out
fails "answers of whatif" "$TP" whatif "$trace" host=1/2 "kernel:ampere_sgemm_128x64_tn=0.8" --json out/w.json -o out/w.txt
if command -v python3 >/dev/null 2>&1; then
    python3 "$checks/../oracle/what_if_cases.py" --write "$WORK/cases" >/dev/null && mkdir "$WORK/job" &&
        cp "$WORK/cases/two_ranks.0.json" "$WORK/job/a.pt.trace.json" && cp "$WORK/cases/two_ranks.1.json" "$WORK/job/b.pt.trace.json"
    fails "answers of whatif for joined ranks" "$TP" whatif "$WORK/job" rank:1 host=1/2 communication=0 --json out/w.json -o out/w.txt
else
    skip "answers of whatif for joined ranks" "no python3"
fi
several=
# asked ARGUMENT...: each allocation of a question fails once. The exit code is 5 or, if the failure can be handled, 0,
# with an answer, a description of the error or a message, and no database is left
asked() {
    rm -rf temporary && mkdir temporary
    env TMPDIR="$WORK/temporary" FAIL_KIND=memory FAIL_AT=0 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" "$TP" ask "$trace" "$@" >wanted || return 1
    total=$(cat count) n=1
    while [ "$n" -le "$total" ]; do
        for stay in 0 1; do
            cpu_limit 60 env TMPDIR="$WORK/temporary" FAIL_KIND=memory FAIL_AT="$n" FAIL_STAY="$stay" LD_PRELOAD="$SHIM" "$TP" ask "$trace" "$@" >stdout 2>stderr
            case $? in
            0) cmp stdout wanted || return 1 ;;
            5) cat stdout stderr | grep -q . || { echo "call $n of $total: no message"; return 1; } ;;
            *) echo "call $n of $total (stay $stay): another status"; cat stdout stderr; return 1 ;;
            esac
            [ -z "$(ls temporary)" ] || { echo "call $n of $total: $(ls temporary) is left"; return 1; }
        done
        n=$((n + 1 + n / 25))
    done
}
check "a digest whose allocations fail: exit 5" asked digest
check "rows whose allocations fail: exit 5, no database left" asked rows kernels --limit 1
for format in text csv json md; do
    fails "a table as $format" "$TP" table "$trace" --group-by input-shape --format $format -o out/table
done
fails "a table of functions" "$TP" table "$functions" --group-by function -o out/table
fails "a table of operators" "$TP" table "$trace" --top -1 -o out/table
snapshot=$PWD/snapshot.pickle
if python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import snapshot_commands as s; s.write(sys.argv[2], s.larger())' "$checks" "$snapshot" 2>/dev/null; then
    for format in sqlite folded flamegraph memory-flow; do
        fails "an export of a memory snapshot to $format" "$TP" export "$snapshot" --to $format -o out
    done
    fails "a table of a memory snapshot" "$TP" table "$snapshot" -o out/table
    several=yes
    fails "an export of a memory snapshot to csv" "$TP" export "$snapshot" --to csv -o out
else
    skip "exports of memory snapshots whose allocations or output fail" "no python3"
fi
several=yes
fails "a comparison of tensors" "$TP" precision "$DATA/tensors/base" "$DATA/tensors/base" --all -o out/p.html --json out/p.json --markdown out/p.md
several=

# events KIND: exports next to an older file while all calls of KIND fail from the n-th on. The exit code must be 0, 4
# or 5, with a message, and all files must be complete
events() {
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        for stay in 0 1; do
            rm -rf out && cp -r older out
            cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$n" FAIL_STAY=$stay FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" \
                "$TP" export "$DATA/traces/case_cpu_loop.pt.trace.json.gz" --to tfevents -o out --quiet 2>stderr
            status=$?
            [ "$n" != 0 ] || total=$(cat count)
            case $status in 0) ;; 4 | 5) grep -q . stderr || { echo "call $n: no message"; return 1; } ;;
                *) echo "call $n of $total (stay $stay): status $status"; cat stderr; return 1 ;; esac
            for file in out/* out/.*.tmp; do
                case $file in 'out/.*.tmp') ;; *.tracepress) "${TOOLS:-$BUILD}/event_dump" "$file" >dump || { cat dump; return 1; } ;;
                    *) echo "call $n of $total: left behind: $file"; return 1 ;; esac
            done
        done
        n=$((n + 1 + n / 40))
    done
    [ "$total" -gt 3 ] || { echo "only $total calls of kind $1 were seen"; return 1; }
}
"$TP" export "$DATA/traces/case_cpu_loop.pt.trace.json.gz" --to tfevents -o older --quiet
check "an export whose allocations fail says so and leaves whole files" events memory
check "an export whose output fails says so and leaves whole files" events output

# summaries KIND STATUS: summarizes a trace and merges its summary while the N-th call of KIND fails
summaries() {
    "$TP" summarize "$trace" -o good.tps -q || return 1
    for command in "summarize $trace" "merge good.tps"; do
        n=0 total=1
        while [ "$n" -le "$total" ]; do
            rm -rf out && mkdir out && echo old >out/a.tps
            # shellcheck disable=SC2086
            cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$n" FAIL_STAY=1 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" \
                "$TP" $command -o out/a.tps -q >stdout 2>stderr
            status=$?
            if [ "$n" = 0 ]; then
                total=$(cat count)
                [ "$status" = 0 ] && [ "$total" -gt 3 ] || { echo "$command: $total calls, status $status"; return 1; }
            fi
            case $status in
            0) cmp -s out/a.tps good.tps || { echo "$command, call $n: status 0, but other bytes"; return 1; } ;;
            "$2") [ "$(cat out/a.tps)" = old ] && grep -q . stderr || { echo "$command, call $n: half a file, or no message"; return 1; } ;;
            *) echo "$command, call $n of $total: status $status"; cat stderr; return 1 ;;
            esac
            [ "$(ls -A out)" = a.tps ] || { ls -A out; return 1; }
            n=$((n + 1 + n / 20))
        done
    done
}
check "summaries: every allocation fails: exit 5, the old file intact" summaries memory 5
check "summaries: every write, fsync, rename fails: exit 4, the old file intact" summaries output 4
