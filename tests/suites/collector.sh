# Tests programs that record themselves and are killed. The recovered trace must contain every range that ended before.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1

# died HOW MILLISECONDS: kills the program after this time, recovers the trace, and compares it with the program's own
# counts
died() {
    rm -rf d && mkdir d
    "$TOOLS/record_program" d "$1" "$2" >out 2>err &
    pid=$!
    if [ "$1" = wait ]; then
        sleep "$(awk -v ms="$2" 'BEGIN { print ms / 1000 }')"
        kill -9 $pid
    fi
    wait $pid 2>/dev/null
    spool=$(ls d/.*.tpspool 2>/dev/null | head -n 1)
    [ -n "$spool" ] || { [ "$1" = wait ] && return 0; echo "$1: no spool is left"; cat err; return 1; }
    "$TP" recover "$spool" -o d/trace.json --quiet >out 2>err || { echo "$1: recover failed: $(cat err)"; return 1; }
    od -A n -t u8 -w8 -N 32 d/counts | awk -v how="$1" -v ms="$2" '
        NR == FNR { counted[NR - 1] = $1; next }
        match($0, /"name":"t[0-3]"/) && !/"finished":false/ { found[substr($0, RSTART + 9, 1)]++ }
        END {
            for (t = 0; t < 4; t++)
                if (found[t] + 0 < counted[t]) {
                    print how " after " ms " ms: thread " t " ended " counted[t] " ranges, " found[t] + 0 " recovered"
                    exit 1
                }
        }' - d/trace.json
}
# deaths COUNT SEED: kills the program COUNT times, in ways and at times that depend on the seed. SEED=n repeats a run
deaths() {
    echo "seed $2"
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        count = split("wait wait wait segv segv abort abort exit _exit exec", how, " ")
        for (i = 1; i <= n; i++) print how[(i - 1) % count + 1], int(rand() * 25) + 1
    }' >ways
    while read -r how ms <&3; do
        died "$how" "$ms" || return 1
    done 3<ways
}
seed=${SEED:-$(od -A n -t u4 -N 4 /dev/urandom | tr -d ' ')}
count=$(is_checked && draws 30 12 || draws 100 25)
check "$count deaths at random moments, by kill -9, SIGSEGV, abort, exit, _exit and exec, lose no range (seed $seed)" \
    deaths "$count" "$seed"

stopped() {
    rm -rf d && mkdir d
    "$TOOLS/record_program" d stop 30 >out 2>err || { cat err; return 1; }
    [ ! -s err ] || { cat err; return 1; }
    # the folder has only the counts and the trace, because the spool was removed
    [ "$(ls -A d | wc -l)" = 2 ] || { ls -A d; return 1; }
    "$TP" report d/*.pt.trace.json.gz -o d/report.html --strict --json d/report.json --quiet
}
check "an orderly stop leaves the trace and no spool; the trace is strict JSON" stopped

garbage() {
    head -c 100000 /dev/urandom >noise
    ! "$TP" recover noise --quiet 2>err && [ "$(wc -l <err)" = 1 ]
}
check "what is no spool is refused with a reason" garbage

cut() { # Checks that a spool that is truncated anywhere, or has changed bytes, is read up to the damage.
    rm -rf d && mkdir d
    "$TOOLS/record_program" d _exit 5 2>/dev/null
    spool=$(ls d/.*.tpspool)
    for part in 4096 5000 8192 20000 40000 70001 100000; do
        head -c $part "$spool" >d/part
        "$TP" recover d/part -o d/part.json --quiet 2>err || { echo "cut at $part: $(cat err)"; return 1; }
        "$TP" report d/part.json -o d/part.html --strict --quiet 2>err || grep -q "no usable" err || { cat err; return 1; }
    done
}
check "a spool that was cut is used as far as it goes" cut

full() {
    [ "$(id -u)" = 0 ] && mkdir -p tiny && mount -t tmpfs -o size=300k none tiny 2>/dev/null || return 77
    "$TOOLS/record_program" tiny stop 50 >out 2>err
    status=$?
    umount tiny
    [ $status = 0 ] || { echo "the program ended with $status"; return 1; }
    [ "$(wc -l <err)" = 1 ] || { echo "it said:"; cat err; return 1; }
}
full >full.log 2>&1
case $? in
0) ok "a full disk: the program continues and one line says so" ;;
77) skip "a full disk" "no tmpfs can be mounted here" ;;
*) not_ok "a full disk: the program continues and one line says so" "$(cat full.log)" ;;
esac
# whole_tensors DIR: checks that each .npy file is as long as its header says
whole_tensors() {
    [ -z "$(find "$1" -name '*.tmp')" ] || { find "$1" -name '*.tmp'; return 1; }
    command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null || return 0
    python3 -c 'import glob, numpy, sys
for path in glob.glob(sys.argv[1] + "/*.tensors/*/*.npy"): numpy.load(path)' "$1"
}
full_of_tensors() {
    [ "$(id -u)" = 0 ] && mkdir -p tiny && mount -t tmpfs -o size=300k none tiny 2>/dev/null || return 77
    "$TOOLS/tensor_program" tiny 1 >out 2>err
    status=$?
    whole_tensors tiny
    whole=$?
    kept=$(find tiny -name '*.npy' | wc -l)
    umount tiny
    [ $status = 0 ] || { echo "the program ended with $status"; return 1; }
    [ $whole = 0 ] && [ "$kept" -gt 0 ] || { echo "$kept tensors are there, not all of them whole"; return 1; }
    # the tensors give at most one message; without space for the trace, there is another one
    [ "$(wc -l <err)" -le 2 ] && ! sed 1d err | grep -v "the trace was not written; " || { echo "it said:"; cat err; return 1; }
}
full_of_tensors >full.log 2>&1
case $? in
0) ok "a disk that tensors fill: whole files, the program continues and one line says so" ;;
77) skip "a disk that tensors fill" "no tmpfs can be mounted here" ;;
*) not_ok "a disk that tensors fill: whole files, the program continues and one line says so" "$(cat full.log)" ;;
esac
limited() {
    rm -rf d && mkdir d
    (ulimit -f 200 && "$TOOLS/record_program" d stop 50 >out 2>err) || { echo "status $?"; cat err; return 1; }
    [ "$(wc -l <err)" -le 1 ]
}
check "RLIMIT_FSIZE: the program continues" limited
# Checks that files of values beyond the limit are dropped, while the trace keeps all other data about the tensors.
limited_tensors() {
    rm -rf d && mkdir d
    (ulimit -f 100 && "$TOOLS/tensor_program" d 2 >out 2>err) || { echo "status $?"; cat err; return 1; }
    grep -q '"values":"not kept"' d/*.pt.trace.json && whole_tensors d
}
check "RLIMIT_FSIZE: tensors keep their statistics" limited_tensors
limited_trace() { # Checks a trace that exceeds the limit although the spool does not, because text takes more bytes.
    rm -rf d && mkdir d
    (ulimit -f 400 && "$TOOLS/tensor_program" d 3 >out 2>err) || { echo "status $?"; cat err; return 1; }
    (ulimit -f 60 && "$TOOLS/tensor_program" d 3 >out 2>err) || { echo "status $?"; cat err; return 1; }
    [ "$(wc -l <err)" = 1 ] || { echo "it said:"; cat err; return 1; }
}
check "RLIMIT_FSIZE: a trace that grows too long is an error, not the end" limited_trace

numpys() {
    for seed in 1 2 3; do
        rm -rf d && mkdir d
        "$TOOLS/tensor_program" d "$seed" || return 1
        python3 -W ignore "$HERE/tests/oracle/check_tensors.py" d || return 1
        "$TP" report d/*.pt.trace.json -o d/report.html --strict --quiet || return 1
    done
}
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
    check "tensors of every type: files and statistics are those of NumPy" numpys
else
    skip "tensors of every type: files and statistics are those of NumPy" "python3 with numpy is not there"
fi

plugin() { # Loads the library, unloads it while a thread runs, uses it in a child process, and loads it again.
    rm -rf d && mkdir d
    "$TOOLS/load_library" "$TOOLS/libtracepress.so" d || { echo "status $?"; return 1; }
    for name in before closed again; do
        grep -q "\"name\":\"$name\"" d/*.pt.trace.json || { echo "$name is missing"; return 1; }
    done
}
check "dlclose: threads end, the process forks, the library is opened again" plugin
phases() {
    rm -rf d && mkdir d
    "$TOOLS/phases" d stop && [ "$(ls -A d)" = trace.json ] || { ls -A d; return 1; }
    sed -n 's/.*"user_annotation","name":"\([a-z ]*\)".*/\1/p' d/trace.json | tr '\n' ',' >names
    [ "$(cat names)" = "constructor,main,atexit,destructor," ] || { cat names; return 1; }
    "$TOOLS/phases" d leave 2>err && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
    "$TP" recover d/.*.tpspool -o d/left.json --quiet >out || return 1
    sed -n 's/.*"user_annotation","name":"\([a-z ]*\)".*/\1/p' d/left.json | tr '\n' ',' >names
    [ "$(cat names)" = "constructor,main,atexit,destructor,after the stop," ] || { cat names; return 1; }
}
check "constructors, atexit functions and destructors record; a recording may be stopped there, or left" phases

spools_left() { find d -name '.*.tpspool' | wc -l; }
traces_there() { find d -name '*.pt.trace.json.gz' | wc -l; }
# Recovers spools of two dead processes and a running one. Only the unfinished file of the dead process may be removed.
folder() {
    rm -rf d && mkdir -p d/worker.tensors/3
    "$TOOLS/record_program" d _exit 5 2>err
    "$TOOLS/record_program" d abort 5 2>err
    "$TOOLS/record_program" d calm 5 2>err &
    pid=$!
    while [ "$(spools_left)" -lt 3 ]; do sleep 0.02; done
    : >d/.trace.tracepress-0123456789abcdef.tmp
    : >d/worker.tensors/3/.w.npy.tracepress-0123456789abcdef.tmp
    # locks the file, as a running writer does
    exec 8>d/.other.tracepress-0123456789abcdef.tmp && flock -n 8 || return 1
    ln -s ../elsewhere d/.link.tpspool
    "$TP" recover d >out 2>err || { echo "status $?"; cat err; kill -9 $pid; return 1; }
    live=$(find d -name ".*.$pid.tpspool")
    [ "$(wc -l <out)" = 2 ] && [ "$(traces_there)" = 2 ] && [ "$(spools_left)" = 4 ] || { ls -A d; kill -9 $pid; return 1; }
    grep -q "$live: its program still records" err && [ "$(grep -c 'unfinished file' err)" = 2 ] || { cat err; kill -9 $pid; return 1; }
    "$TP" recover "$live" --remove -o d/now.json 2>err >out && [ -e "$live" ] && [ -s d/now.json ]
    status=$?
    "$TP" recover d --remove 2>err >out && [ -e "$live" ] && [ "$(find d -name '.*.tpspool' -type f | wc -l)" = 1 ]
    status=$((status + $?))
    kill -9 $pid
    wait $pid 2>/dev/null
    [ $status = 0 ] || { echo "the living spool was not left alone"; cat err; return 1; }
    "$TP" recover d --remove >out 2>err && [ "$(traces_there)" = 3 ] && [ "$(find d -name '.*' -type f)" = "d/.other.tracepress-0123456789abcdef.tmp" ] ||
        { cat err; find d; return 1; }
    exec 8>&-
    "$TP" recover d >out 2>err && grep -q 'no spool in it' err && [ ! -s out ] || { cat err; return 1; }
    "$TP" recover d -o d/x.json 2>err
    [ $? = 2 ] || { echo "-o names one trace"; return 1; }
}
check "recover DIR: the dead are recovered and, with --remove, swept; a living recording is left alone" folder

flight() { # Kills the program at random times while it reuses chunks of the ring.
    for how in wait abort segv _exit wait abort segv _exit; do
        rm -rf d && mkdir d
        TRACEPRESS_RING_MB=1 "$TOOLS/record_program" d $how 60 2>err &
        pid=$!
        [ $how != wait ] || { sleep 0.1 && kill -9 $pid; }
        wait $pid 2>/dev/null
        spool=$(ls d/.*.tpspool)
        bytes=$(wc -c <"$spool")
        [ "$bytes" -gt 1000000 ] && [ "$bytes" -lt 1400000 ] || { echo "$how: a spool of $bytes bytes"; return 1; }
        "$TP" recover "$spool" -o d/trace.json --quiet >out 2>err || { cat err; return 1; }
        "$TP" report d/trace.json -o d/report.html --strict --quiet 2>err || { cat err; return 1; }
        # each range takes at most 48 bytes, and five chunks may be empty
        found=$(grep -c '"name":"t[0-3]"' d/trace.json)
        [ "$found" -gt 10000 ] || { echo "$how: $found ranges"; return 1; }
    done
}
check "a flight recorder of 1 MiB: killed anywhere, it has the last part" flight

# ---- coroutines ----

cat >can.cc <<'CC'
#include <coroutine>
#ifndef __cpp_impl_coroutine
#error
#endif
CC
case $BUILD in
*tsan) sanitizer=-fsanitize=thread ;;
*asan) sanitizer=-fsanitize=address,undefined ;;
*) sanitizer= ;;
esac
coroutine_program() { # coroutine_program OUTPUT [ARGUMENT...]: compiles the program as OUTPUT
    output=$1
    shift
    # shellcheck disable=SC2086
    "${CXX:-c++}" -std=c++20 -pedantic-errors -Wall -Wextra -Werror -O1 -g $sanitizer -I"$HERE/collector" \
        "$HERE/tests/native/coroutine_program.cc" "$@" -pthread -o "$output"
}
# coroutines HOW: checks that the trace and the report have the counts and times of the program
coroutines() {
    rm -rf d && mkdir d
    cpu_limit 300 ./coroutine_program d "$1" >counts 2>err
    status=$?
    if [ "$1" = die ]; then
        [ $status = 137 ] && "$TP" recover d/.*.tpspool -o d/trace.json --quiet >out || { echo "status $status"; return 1; }
    else
        [ $status = 0 ] && [ ! -s err ] || { echo "status $status"; cat err; return 1; }
    fi
    "$TP" report d/trace.json --strict --quiet -o d/report.html --json d/views.json &&
        python3 "$HERE/tests/check/perfetto_rules.py" d/trace.json && python3 "$HERE/tests/check/coroutines.py" "$1" counts d/trace.json d/views.json
}
crossed() { # Checks that the checker finds planted faults: ranges across co_await end ranges of other coroutines.
    rm -rf d && mkdir d
    ./coroutine_program d scope >counts && ! python3 "$HERE/tests/check/coroutines.py" scope counts d/trace.json >said &&
        grep -q 'worker > turn > turn' said || { cat said; return 1; }
}
without_library() {
    rm -rf d && mkdir d
    coroutine_program disabled -DTRACEPRESS_DISABLED && ./disabled d tasks
    [ $? = 3 ] && [ "$(ls -A d)" = "" ]
}
if ! "${CXX:-c++}" -std=c++20 -fsyntax-only can.cc 2>/dev/null || ! command -v python3 >/dev/null; then
    skip "coroutines: tasks and their parts" "no C++20 compiler or no python3"
elif ! coroutine_program coroutine_program "$TOOLS/libtracepress.so" -Wl,-rpath,"$TOOLS" 2>err; then
    not_ok "coroutines: the program is built" "$(cat err)"
else
    check "coroutines on four threads: tasks, parts and waits are as the program counted and timed them, no range is another's end" \
        coroutines tasks
    check "coroutines: runs between two waits are stays on one thread, and leave nothing of the task out" coroutines runs
    check "coroutines that began before the recording: their waits, and no task without its begin" coroutines late
    check "coroutines that are killed: every task that had ended, the others are reported as not ended" coroutines die
    check "coroutines: a scope across co_await ends the ranges of others, and that is seen" crossed
    check "coroutines: disabled, they need no library" without_library
fi

# ---- jobs of many ranks ----

text() { yes 'the quick brown fox jumps over the lazy dog' | head -n 200 >text; }
summary_of() { # summary_of: prints the summaries in d as JSON
    "$TP" merge d --format json -q
}
own_summary() {
    rm -rf d && mkdir d && text
    TRACEPRESS_SUMMARY_ONLY=1 RANK=3 WORLD_SIZE=8 "$TOOLS/train" text d 6 >out 2>err || { cat err; return 1; }
    # checks that folder d has neither a trace nor a spool
    [ "$(ls -A d | grep -vc '\.tps$')" = 0 ] || { ls -A d; return 1; }
    [ "$(ls d/*.tps | wc -l)" -gt 0 ] && summary_of | grep -q '"rank":3,"world_size":8' &&
        [ "$(cat d/*.tps | wc -c)" -lt 30000 ]
}
summary_equals_that_of_the_trace() { # Checks that a summary made in the process has the same rows as a summary of the trace.
    rm -rf d && mkdir d && text
    "$TOOLS/train" text d 6 >out 2>err && "$TP" summarize d -o whole.tps -q || return 1
    "$TP" merge whole.tps --format json -q | grep -o '"kind":"[a-z_]*","name":"[^"]*"' | sort -u >a
    rm -rf d && mkdir d
    TRACEPRESS_SUMMARY_ONLY=1 "$TOOLS/train" text d 6 >out 2>err || return 1
    summary_of | grep -o '"kind":"[a-z_]*","name":"[^"]*"' | sort -u >b
    [ -s a ] && cmp a b
}
only_chosen_ranks_record() {
    rm -rf d && mkdir d && text
    for rank in 0 1 2 3 4; do
        TRACEPRESS_RANKS='0,%3' TRACEPRESS_SUMMARY_ONLY=1 RANK=$rank "$TOOLS/train" text d 4 >out 2>err || return 1
        [ ! -s err ] || { cat err; return 1; }
    done
    summary_of | grep -o '"rank":[0-9]*' | sort -u | tr '\n' ' ' >ranks
    [ "$(cat ranks)" = '"rank":0 "rank":3 ' ] || { cat ranks; return 1; }
}
invalid_list_of_ranks() {
    rm -rf d && mkdir d && text
    TRACEPRESS_RANKS='every' RANK=1 "$TOOLS/train" text d 4 >out 2>err || return 1
    [ "$(wc -l <err)" = 1 ] && grep -q 'TRACEPRESS_RANKS' err && ls d/*.pt.trace.json.gz >/dev/null
}
check "summary only: the process leaves a summary of its own, no trace and no spool" own_summary
check "summary only: the summary has the rows of the trace's" summary_equals_that_of_the_trace
check "TRACEPRESS_RANKS: the other ranks record nothing and say nothing" only_chosen_ranks_record
check "TRACEPRESS_RANKS that is no list: everything is recorded, one line says so" invalid_list_of_ranks
record_summaries() {
    rm -rf d && mkdir d && text
    "$TP" record -o d --summary-only -q -- "$TOOLS/train" text - 4 >out 2>err || { cat err; return 1; }
    [ "$(ls -A d/* | grep -vc '\.tps$\|^run.json$')" = 0 ] || { find d; return 1; }
    summary_of | grep -q '"kind":"operator_host"' || return 1
    rm -rf d && mkdir d
    "$TP" record -o d --summary -q -- "$TOOLS/train" text - 4 >out 2>err && ls d/*/*.tps d/*/*.pt.trace.json.gz >/dev/null
}
if is_checked; then
    skip "record --summary-only leaves summaries alone" "the preload library needs its sanitizer first"
else
    check "record --summary-only leaves summaries alone, --summary both" record_summaries
fi

# ---- a program with more rights than its caller ----

# Makes a setuid program that belongs to root, with a CUDA library. The caller is the user nobody, whose environment
# names another library and another folder.
make_privileged() {
    place=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-setuid.XXXXXX") && chmod 755 "$place" && mkdir "$place/its" "$place/callers" || return 1
    cat >"$place/program.c" <<'C'
#include <stdio.h>
#include <tracepress.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = argc > 1 ? argv[1] : NULL;
    options.worker = "worker";
    int code = tracepress_start(&options);
    {
        TRACEPRESS_SCOPE("work");
    }
    tracepress_step();
    tracepress_stop();
    printf("%d %d\n", (int)geteuid(), code);
    return 0;
}
C
    printf '#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { open("%s/callers/ran", O_CREAT | O_WRONLY, 0600); }\n' \
        "$place" >"$place/library.c"
    cp -L "$TOOLS/libtracepress.so" "$place/libtracepress.so.0" && cp -L "$TOOLS/fake_cuda/libcuda.so.1" "$place/" || return 1
    # shellcheck disable=SC2086
    ${CC:-cc} -I"$HERE/collector" "$place/program.c" -Wl,--no-as-needed "$place/libtracepress.so.0" "$place/libcuda.so.1" \
        -Wl,-rpath,"$place" -o "$place/program" && ${CC:-cc} -shared -fPIC "$place/library.c" -o "$place/library.so" || return 1
    chmod 777 "$place/callers" && chmod 755 "$place/its" "$place"/*.so* && chmod 4755 "$place/program"
}
run_as_caller() { # run_as_caller ARGUMENTS...: runs the program with the caller's environment. Its output goes to `said`
    (cd "$place/callers" && setpriv --reuid=65534 --regid=65534 --clear-groups env TRACEPRESS_CUPTI="$place/library.so" \
        TRACEPRESS_DIR="$place/callers" TRACEPRESS_LIVE=1 TRACEPRESS_SUMMARY_ONLY=1 TRACEPRESS_RANKS=none RANK=1 "$place/program" "$@") \
        >said 2>err
}
# Prints all messages but one that depends on the libcupti of this machine.
other_messages() { grep -v 'GPU activity is not recorded' err; }
# Checks that the trace is in the program's folder, the caller's folder is empty, and no library of the caller ran.
privileged() {
    run_as_caller "$place/its" && [ "$(cat said)" = "0 0" ] || { cat said err; return 1; }
    [ -z "$(ls -A "$place/callers")" ] || { ls -lA "$place/callers"; return 1; }
    [ "$(ls -A "$place/its" | wc -l)" = 1 ] && ls "$place"/its/worker.*.pt.trace.json.gz >/dev/null && ! other_messages ||
        { ls -A "$place/its"; return 1; }
}
privileged_without_folder() { # Checks the same if the caller also chooses the current folder.
    run_as_caller && [ "$(cat said)" = "0 -1" ] && [ -z "$(ls -A "$place/callers")" ] || { cat said err; ls -lA "$place/callers"; return 1; }
    [ "$(wc -l <err)" = 1 ] && grep -q 'nothing is recorded; the program continues: .*options.directory' err || { cat err; return 1; }
}
program_without_setuid() { # Checks that the caller's variables have an effect if nobody owns the program.
    chmod u-s "$place/program" && rm -rf "$place/callers"/* && mkdir "$place/callers/its" && chmod 777 "$place/callers/its" &&
        run_as_caller "$place/callers/its" && [ "$(cat said)" = "65534 0" ] || { cat said err; return 1; }
    [ -e "$place/callers/ran" ] && ls "$place/callers/its/worker."*.tps >/dev/null
}
if [ "$(id -u)" != 0 ] || is_checked || ! command -v setpriv >/dev/null; then
    skip "a setuid program: the caller's variables are not looked at" "not root, no setpriv, or a sanitizer"
elif ! make_privileged || ! run_as_caller "$place/its" || ! grep -q '^0 ' said; then
    skip "a setuid program: the caller's variables are not looked at" "none can be made here"
else
    rm -rf "$place"/callers/* "$place"/its/* "$place"/its/.[!.]*
    check "a setuid program: no library of the caller's choice runs, nothing is written where the caller says" privileged
    check "a setuid program without a folder of its own records nothing, and says so" privileged_without_folder
    check "the same program without foreign rights obeys the variables" program_without_setuid
fi
rm -rf "${place:-/nonexistent}"
