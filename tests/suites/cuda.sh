# Tests the CUDA source with an emulated CUDA library (tests/fake/cuda). The trace must have everything that CUPTI
# delivered, whatever fails.
. tests/suites/case.sh
TESTS=$PWD/tests
cd "$WORK" || exit 1
export TRACEPRESS_CUPTI="$BUILD/fake_cuda/libcupti.so.13" FAKE_CUPTI_COUNTS="$WORK/emitted"
PROGRAM=$BUILD/cuda_program
is_asan && many=2000 || many=40000

of() { awk -v k="$1" '$1 == k { print $2; found = 1 } END { if (!found) print 0 }' "$2"; }
events() { cat d/*.json | grep -c "\"cat\":\"$1\"" || :; }
same() { [ "$2" = "$3" ] || { echo "$1: $2, not $3"; return 1; }; }
number() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" report.json | head -n 1; }

# run FAULTS PROGRAM COUNT [more]: runs the program, which records itself into d. Its output goes to `did`
run() {
    faults=$1
    shift
    rm -rf d emitted
    cpu_limit 100 env FAKE_CUPTI=$faults "$PROGRAM" "$1" "$2" d ${3:-} >did 2>err || { echo "$*: status $?"; cat err; return 1; }
}
report() { "$TP" report d -o report.html --strict --json report.json --quiet; }

# complete: checks that the trace has all work of the program and all records of CUPTI, and that no message is printed
complete() {
    [ ! -s err ] || { cat err; return 1; }
    for category in kernel gpu_memcpy gpu_memset cuda_sync; do
        same "$category of the program" "$(events $category)" "$(of $category did)" || return 1
    done
    same "[memory]" "$(cat d/*.json | grep -c '"name":"\[memory\]"')" "$(of memory did)" || return 1
    same kernels "$(events kernel)" "$(of kind_10 emitted)" || return 1
    same copies "$(events gpu_memcpy)" $(($(of kind_1 emitted) + $(of kind_22 emitted))) || return 1
    same overheads "$(events overhead)" "$(of kind_17 emitted)" || return 1
    same environment "$(cat d/*.json | grep -c '"ph":"C","name":"GPU . clock')" "$(of kind_20 emitted)" || return 1
    same dropped "$(of dropped emitted)" 0 || return 1
    ! grep '"tracepress_' d/*.json | grep -v '"tracepress_recorder":' || return 1
    report
}
whole() { run "${4:-}" "$1" "$2" && complete; }

check "training: every record is an event" whole train 100
check "eight threads, $((many * 8)) kernels, buffers filled at the same time: none is lost" whole many $many
check "graphs: a launch has all its nodes" whole graph 500
check "two devices, two contexts of one" whole contexts 50
check "allocations, pools, events that are waited for" whole memory 100
check "all threads in one buffer, as before 13.0" whole many 2000 - shared=1
check "a completion without a buffer" whole train 20 - null=1
check "buffers come back only when CUPTI is flushed" whole many 2000 - hold=1
for release in 118:18 121:18 129:28 130:130001; do
    check "records of the size that release $release writes" whole train 50 - "records=${release%:*},version=${release#*:}"
done

linked() {
    run "" train 100 && report || return 1
    # copies and sets are outside of operators: two in each step, and a copy at the end; all kernels are inside
    same "kernels of operators" "$(number device_events_launched_outside_operators)" 201 || return 1
    same "events without a launch" "$(number device_events_without_launch)" 0 || return 1
    same "scopes on the stream" "$(grep -c '"cat":"gpu_user_annotation","name":"forward"' d/*.json)" 100 || return 1
    gaps=$(grep -o '"gaps": *[0-9]*' report.json | head -n 1 | tr -dc '0-9')
    [ "$gaps" -ge 10 ] || { echo "idle gaps: $gaps"; return 1; }
    grep -q '"name":"void gemm<float>(float const\*, float const\*, float\*, int, int, int)"' d/*.json || { echo "not demangled"; return 1; }
    ! grep -q '"name":"cudaGetDevice' d/*.json || { echo "noise was kept"; return 1; }
}
check "the report: kernels under their operators, scopes, copies, idle time" linked
linked_many() {
    run "" many 2000 && report || return 1
    same "kernels outside operators" "$(number device_events_launched_outside_operators)" 0
}
check "kernels of many threads are under their operators" linked_many

# Checks a CUPTI whose clock is an hour ahead. Only with converted times do kernels belong to their operators and
# scopes.
own_clock() {
    run clock=7 train 100 && complete || return 1
    same "kernels of operators" "$(number device_events_launched_outside_operators)" 201 || return 1
    grep '"ph":"X"' d/*.json | sed 's/.*"ts":\([0-9]*\)[0-9.]*,.*/\1/' | sort -n | awk '
        NR == 1 { first = $1 } { last = $1 } END { if (last - first > 60e6) { print last - first, "us"; exit 1 } }'
}
check "a refused time stamp callback: CUPTI's clock is converted" own_clock

# silent MESSAGE FAULTS: checks that the program runs as without recording, and that one line explains why nothing is
# recorded
silent() {
    run "$2" train 10 || return 1
    same "lines said" "$(wc -l <err)" 1 || { cat err; return 1; }
    grep -q "$1" err || { cat err; return 1; }
    same kernels "$(events kernel)" 0 || return 1
    same "of the program" "$(of kernel did)" 20
}
check "another subscriber: its name is said" silent "another tool uses CUPTI (CUPTI for Somebody)" subscribe=39
check "no GPU: NOT_INITIALIZED" silent "found no usable GPU (CUPTI_ERROR_NOT_INITIALIZED)" subscribe=15
check "no GPU: UNKNOWN" silent "found no usable GPU (CUPTI_ERROR_UNKNOWN)" subscribe=999
check "no GPU: even the version is unknown" silent "found no usable GPU" version_result=999
check "kinds cannot be enabled" silent "found no usable GPU" enable=15
check "no clock that could be used" silent "CUPTI_ERROR_FAKE (1)" clock=7,no_timestamp=1
absent() {
    (TRACEPRESS_CUPTI=/no/such/libcupti.so silent "no libcupti was found" "")
}
check "no libcupti" absent
torch() {
    cp "$BUILD/fake_cuda/libcuda.so.1" libtorch_cpu.so
    (PRELOAD=$PWD/libtorch_cpu.so && export LD_PRELOAD="$PRELOAD" && silent "PyTorch records CUDA in this process" "")
}
is_asan && skip "a process with libtorch is left to Kineto" "sanitizers come first in LD_PRELOAD" ||
    check "a process with libtorch is left to Kineto" torch

lossy() {
    run drop=10,zero=7,unknown=5 train 500 || return 1
    dropped=$(of dropped emitted) zero=$(($(of kind_10 emitted) / 7))
    [ "$dropped" -gt 0 ] && [ $zero -gt 0 ] || { cat emitted; return 1; }
    same kernels "$(events kernel)" $(($(of kind_10 emitted) - zero)) || return 1
    for fact in "dropped\":$dropped" "without_time\":$zero" "unknown\":$(of kind_60 emitted)"; do
        grep -q "\"tracepress_gpu_$fact," d/*.json || { echo "not told: $fact"; grep '"tracepress_' d/*.json; return 1; }
    done
    report && grep -o 'Lost in recording.*' report.html | tr -d ',' | grep -q "$dropped GPU records dropped by CUPTI $zero GPU" ||
        { echo "the report does not say so"; grep -o 'Lost in recording.\{200\}' report.html; return 1; }
}
check "records that are dropped, without time, of unknown kind: counted, and the rest kept" lossy

forked() {
    run "" fork 20 || return 1
    ! grep child did || return 1
    same traces "$(ls d/*.json | wc -l)" 2 || return 1
    same kernels "$(events kernel)" "$(of kernel did)"
}
check "a child of fork leaves CUPTI alone and has a trace of its own" forked
scheduled() {
    run "" train 30 scheduled || return 1
    same traces "$(ls d/*.json | wc -l)" 2 || return 1
    for trace in d/*.json; do
        same "kernels of a cycle" "$(grep -c '"cat":"kernel"' "$trace")" 6 || return 1
    done
    report
}
check "a schedule: the work of its steps, in each cycle" scheduled

recovered() { # recovered PROGRAM COUNT KERNELS: recovers the spool of the program and checks the number of kernels
    rm -rf d
    "$PROGRAM" "$1" "$2" d >did 2>err
    "$TP" recover d/.*.tpspool -o d/worker.pt.trace.json --quiet || return 1
    same kernels "$(events kernel)" "$2" || return 1
    report
}
check "a program that ends without a stop: all that was launched" recovered leave 3000
check "a program that aborts: what CUPTI had given back until then" recovered abort 3000

seen() { # seen PROGRAM COUNT PATTERN...: checks that the program's trace contains each pattern
    run "" "$1" "$2" || return 1
    shift 2
    for pattern in "$@"; do
        grep -q "$pattern" d/*.json || { echo "not there: $pattern"; return 1; }
    done
}
check "streams of one number in two contexts are two rows" seen contexts 10 \
    '"pid":0,"tid":7,"args":{"name":"stream 7 "}' '"name":"stream 7 of context 3"' '"pid":1,"tid":7,"args"'
check "copies between devices, launches by the driver" seen contexts 2 \
    '"name":"Memcpy PtoP (Device -> Device)".*"fromDevice":0,"inDevice":0,"toDevice":1' '"cat":"cuda_driver","name":"cuLaunchKernel"'
check "shared memory beyond the default has its occupancy" seen contexts 2 \
    '"name":"void wide<512>(float const\*)","pid":0.*"est. achieved occupancy %":25' \
    '"name":"void wide<512>(float const\*)","pid":1.*"est. achieved occupancy %":50'
check "a stream that waits for an event: which, and where it was recorded" seen memory 3 \
    '"Stream Wait Event".*"wait_on_stream":13,"wait_on_cuda_event_record_corr_id":[1-9][0-9]*,"wait_on_cuda_event_id":1,"stream":14'
check "nodes of a graph have its number and theirs" seen graph 2 '"graph id":1,"graph node id":429496729[0-9]'

by_record() { # by_record PROGRAM COUNT: records the unmodified program with `tracepress record`
    rm -rf d run emitted
    "$TP" record --no-source outside -o run --no-tfevents --quiet -- "$PROGRAM" "$1" "$2" >did 2>err || { cat err; return 1; }
    mkdir d && gunzip -c run/*/*.gz >d/worker.pt.trace.json && complete
}
if is_asan; then
    skip "an unmodified program under record" "sanitizers come first in LD_PRELOAD"
else
    check "an unmodified program under record, injected by the driver" by_record train 100
    check "an unmodified program of eight threads under record" by_record many 5000
fi

real=$(ls /usr/local/cuda/lib64/libcupti.so.1[123]* 2>/dev/null | head -n 1)
real=${CUPTI_LIBRARY:-$real}
walked() {
    export FAKE_CUPTI_WALK="$real"
    whole train 100 && whole memory 50 && whole graph 50
}
if [ -z "$real" ]; then
    skip "NVIDIA's own library steps over the same records" "no libcupti here"
elif is_asan; then
    skip "NVIDIA's own library steps over the same records" "once is enough"
else
    check "NVIDIA's own library steps over the same records" walked
fi

occupancy() {
    find "$SHARED/data/traces" -name '*.json' -o -name '*.json.gz' | sort | xargs python3 "$TESTS/oracle/kernels_of_traces.py" >kernels
    [ "$(wc -l <kernels)" -gt 50000 ] || { wc -l kernels; return 1; }
    "$TOOLS/occupancy_check" <kernels
}
if is_asan || [ ! -d "$SHARED/data/traces" ] || ! python3 -c '' 2>/dev/null; then
    skip "occupancy equals Kineto's for every kernel of real traces" "once is enough; needs the traces next to the project and python3"
else
    check "occupancy equals Kineto's for every kernel of real traces" occupancy
fi
