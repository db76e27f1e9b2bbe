# Tests `tracepress record`. Any program must run as without recording, in whatever way it exits, and its records must
# become traces.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1
TARGET=$BUILD/record_target
# Programs are built without a sanitizer. The sanitizer's runtime must be loaded first, and it handles signals and leaks
# itself.
if is_checked; then
    runtime=$(cc -print-file-name="$(is_asan && echo libasan.so || echo libtsan.so)")
    printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$runtime" "$TP" >checked && chmod +x checked
    TP=$WORK/checked TARGET=$TOOLS/record_target
    keep=handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0
    export ASAN_OPTIONS=detect_leaks=0:$keep TSAN_OPTIONS=die_after_fork=0:$keep
    unset TRACEPRESS_PRELOAD
fi
# rec STATUS TRACES ARGUMENTS...: records a program with one range per process. The exit code must be STATUS, with
# TRACES traces and no leftover files
rec() {
    want=$1 traces=$2
    shift 2
    rm -rf r
    cpu_limit 60 "$TP" record -o r --no-tfevents --source null "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || { echo "exit code $status, wanted $want"; cat err; return 1; }
    found=$(ls r/* 2>/dev/null | grep -c 'pt.trace.json.gz$')
    [ "$found" = "$traces" ] || { echo "$found traces, wanted $traces"; find r; cat err; return 1; }
    [ -z "$(find r -name '.*' 2>/dev/null)" ] || { echo "something is left:"; find r; return 1; }
}
said() { grep -q "$1" err || { echo "not said: $1"; cat err; return 1; }; }
lines() { [ "$(wc -l <err)" = "$1" ] || { echo "wanted $1 lines"; cat err; return 1; }; }

streams() {
    rec 3 1 -- sh -c 'read line; echo "got $line"; echo problem >&2; exit 3' <<X || return 1
input
X
    [ "$(cat out)" = "got input" ] && grep -qx problem err
}
check "input, output and exit code pass through" streams
arguments() {
    rec 0 1 -- sh -c 'printf "%s|" "$@"' name 'a b' -- --quiet '' || return 1
    [ "$(cat out)" = 'a b|--|--quiet||' ]
}
check "the program's words are its own" arguments
ends() {
    rec 0 1 -- "$TARGET" status 0 && rec 77 1 -- "$TARGET" status 77 && rec 9 1 -- "$TARGET" _exit &&
        rec 137 1 -- "$TARGET" kill && said 'signal 9' && rec 139 1 -- "$TARGET" segv && rec 134 1 -- "$TARGET" abort
}
check "every way to end gives the shell's code, and a trace" ends
check "children by fork have traces of their own" rec 0 3 -- "$TARGET" fork
check "exec begins a new trace and keeps the old one" rec 0 2 -- "$TARGET" exec
is_checked || # skipped with a sanitizer, because removing LD_PRELOAD also removes its runtime
    check "a program that takes LD_PRELOAD away does not lose us" rec 0 2 -- "$TARGET" unset
# Checks every function that starts a program. The new program must be recorded, with its own variables and arguments.
environments() {
    for way in execve execv execvp execvpe execl execlp execle fexecve posix_spawn posix_spawnp; do
        rec 6 2 -- "$TARGET" start $way || { echo "$way"; return 1; }
        [ "$(cat out)" = "own one two" ] || { echo "$way:"; cat out; return 1; }
    done
    rec 4 2 -- env -i "$TARGET" status 4 && rec 4 2 -- env LD_PRELOAD=libz.so.1 "$TARGET" status 4 &&
        rec 4 3 -- sh -c "LD_PRELOAD= env -i '$TARGET' status 4"
}
is_checked || check "programs that are started with another environment are recorded" environments
helpers() {
    rm -rf r
    "$TP" record -o r --source torch -- sh -c '/bin/true; (exit 4)' 2>err
    [ $? = 4 ] && [ "$(ls -A r/*)" = run.json ] && lines 1 && said 'nothing was recorded'
}
check "processes without records leave nothing but run.json" helpers
brief() { # Checks that short helpers of a script are counted without a trace, and that the script has a trace.
    rm -rf r
    "$TP" record -o r --no-tfevents --source memory=1k -- sh -c 'for i in 1 2 3 4 5 6; do ls / >/dev/null; done; exit 5' 2>err
    [ $? = 5 ] && said 'left out: [2-6] helper processes' && [ "$(ls -A r/* | wc -l)" -le 2 ] || { cat err; find r; return 1; }
}
is_checked || check "helpers of a script that exit immediately are counted, and have no trace" brief
# Checks a program that gives up its rights before the first record. It must still have a spool with all of its records,
# and print no message.
loses_rights() {
    mkdir -p jail && chmod 755 jail
    for way in rights "jail jail"; do
        rm -rf r
        # shellcheck disable=SC2086
        "$TP" record -o r --no-tfevents --source memory=64k -- "$TARGET" $way 2>err
        [ $? = 3 ] && ! grep 'nothing is recorded\|recording stops' err || { cat err; return 1; }
        [ "$(find r -name '*.gz' -exec zcat {} + | grep -c '"Bytes":10')" -ge 3000 ] || { echo "$way"; find r; return 1; }
        # shellcheck disable=SC2086
        # the spool exists before the rights are lost, so it receives all later records
        rec 3 2 -- "$TARGET" $way || return 1
    done
    [ -z "$(ls -A jail)" ] || { ls -A jail; return 1; }
}
if is_checked || [ "$(id -u)" != 0 ]; then
    skip "a child that becomes another user" "there are no rights to give up, or a sanitizer has malloc"
else
    check "a child that becomes another user" loses_rights
fi
closes() {
    rm -f mine
    rec 7 1 -- "$TARGET" close mine && [ "$(cat mine)" = mine ]
}
check "a program that closes everything keeps its own files whole" closes
outlives() {
    rm -rf r
    "$TP" record -o r --source null --no-tfevents -- "$TARGET" daemon 2>err
    [ $? = 5 ] && said 'still runs' || { cat err; return 1; }
    run=$(sed -n 's/.*tracepress recover //p' err)
    [ -d "$run/.spools" ] && grep -q '"state":"unprocessed"' "$run/run.json" || { find r; return 1; }
    "$TP" recover r 2>err && said 'still records' && [ -d "$run/.spools" ] || return 1
    left=$(sed -n 's/.*process \([0-9]*\) of this run still records.*/\1/p' err)
    while [ -n "$left" ] && ! is_gone "$left"; do sleep 0.1; done
    "$TP" recover "$run" >out 2>err && [ "$(wc -l <out)" = 1 ] && [ -s "$(cat out)" ] || { cat out err; return 1; }
    zcat "$(cat out)" | grep -q '"process"' && [ ! -e "$run/.spools" ] && grep -q '"state":"complete"' "$run/run.json" || { find r; return 1; }
}
check "a process that outlives the program keeps its spool, and a line names its run" outlives
# Kills `record` itself. `recover` must finish the run, and mark only verified parts as complete.
has_spools() { [ -e ready ] && [ "$(find r -name '*.tpspool' | wc -l)" = "$1" ]; }
record_killed() {
    rm -rf r ready
    "$TP" record -o r --source null --no-tfevents -- sh -c 'sh -c : ; : >ready; exec sleep 60' 2>err &
    pid=$!
    comes $pid has_spools 3 || { find r; cat err; return 1; }
    child=$(sed 's/ .*//' /proc/$pid/task/*/children)
    kill -9 $pid
    wait $pid 2>/dev/null
    "$TP" recover r >early 2>err && said "process $child of this run still records" || { kill -9 $child; return 1; }
    kill -9 $child
    while [ -e /proc/$child ] && ! grep -q 'State:.Z' /proc/$child/status; do sleep 0.02; done
    run=$(echo r/*)
    grep -q '"state":"unprocessed"' "$run/run.json" || { cat "$run/run.json"; return 1; }
    "$TP" recover r >out 2>err || { cat err; return 1; }
    [ "$(cat early out | wc -l)" = 3 ] && cat early out | xargs ls >/dev/null && [ ! -e "$run/.spools" ] || { cat early out err; find r; return 1; }
    grep -q '"state":"complete"' "$run/run.json" || { cat "$run/run.json"; return 1; }
    "$TP" recover r >out 2>err && [ ! -s out ] && said 'no spool in it or below it (2 folders searched)'
}
check "record is killed: recover LOGDIR finishes its run" record_killed
process_without_records_outlives() { # Checks a process that outlives `record` and has no records yet. A message must name the folder.
    rm -rf r
    "$TP" record -o r --source torch --no-tfevents -- "$TARGET" daemon 2>err
    [ $? = 5 ] && said 'still runs' && [ -d "$(sed -n 's/.*tracepress recover //p' err)" ]
}
check "a child without records that outlives the program is named, too" process_without_records_outlives
words_of() { zcat -f "$@" | sed -n 's/.*"user_annotation","name":"\([a-z ]*\)".*/\1/p' | tr '\n' ','; }
# Checks a program that records itself. There must be two recordings: the requested one of the program, and a complete
# one for `record`.
linked() {
    rm -rf r d && mkdir d
    "$TP" record -o r --no-tfevents --source null -- "$TOOLS/phases" d stop 2>err || { cat err; return 1; }
    [ "$(words_of d/trace.json)" = "constructor,main,atexit,destructor," ] && [ "$(ls -A d)" = trace.json ] || { ls -A d; return 1; }
    [ "$(words_of r/*/*.gz)" = "process,before the start,constructor,main,atexit,destructor,after the stop," ] || { words_of r/*/*.gz; return 1; }
    rm -rf r d && mkdir d
    "$TP" record -o r --no-tfevents --source null -- "$TOOLS/phases" d leave 2>err && [ -z "$(ls -A d)" ] || { cat err; return 1; }
    [ "$(words_of r/*/*.gz)" = "process,before the start,constructor,main,atexit,destructor,after the stop," ] || { words_of r/*/*.gz; return 1; }
}
check "a program that links libtracepress has one recording: its own, which record has, too" linked
train() {
    rm -rf r own
    "$TP" record -o r --no-tfevents --source sample -- "$TOOLS/train" "$OLDPWD/README.md" own 12 >out 2>err || { cat err; return 1; }
    zcat own/*.gz | grep -c '"cat":"cpu_op"' >own.ops
    zcat r/*/*.gz | grep -c '"cat":"cpu_op"' >r.ops
    [ "$(cat own.ops)" -gt 1000 ] && cmp own.ops r.ops || return 1
    rm -rf own # with the same folder for both, the program's own trace is enough
    "$TP" record -o own --no-tfevents --source torch -- "$TOOLS/train" "$OLDPWD/README.md" own 12 >out 2>err || { cat err; return 1; }
    [ "$(zcat own/*.gz | grep -c '"cat":"cpu_op"')" = "$(cat own.ops)" ] || return 1
    rm -rf r own && : >own # if the program's own folder cannot be created, `record` makes its usual recording
    "$TP" record -o r --no-tfevents --source null -- "$TOOLS/train" "$OLDPWD/README.md" own 12 >out 2>err || { cat err; return 1; }
    [ "$(zcat r/*/*.gz | grep -c '"cat":"cpu_op"')" -gt 1000 ] && grep -q 'writes no trace itself, .*/own: Not a directory' err || { cat err; return 1; }
}
is_asan || check "build/train: record has what its own trace has" train
shares() { # Checks that shares of CPU time by function agree with those that the program measures.
    rm -rf r
    "$TP" record -o r --no-tfevents --source sample=1000 -- "$TOOLS/split" 0.6 2 >out 2>err || { cat err; return 1; }
    zcat r/*/*.gz | awk -v known="$(cat out)" -f "$OLDPWD/tests/check/shares.awk" >shares
    cat shares
    awk '{ exit !($1 >= 100 && $4 <= $5) }' shares
}
check "samples: shares of functions are those that the program measures, as far as their number allows" shares

# real PROGRAM...: checks that recording does not change output and exit code, and that the report has the functions of
# the samples
real() {
    functions=$1
    shift
    rm -rf r
    "$@" >plain.out 2>plain.err
    plain=$?
    "$TP" record -o r --report -- "$@" >out 2>err
    [ $? = $plain ] || { echo "not the exit code $plain"; cat err; return 1; }
    sed -i 's/[0-9.]//g' out plain.out # removes the times that darknet prints
    cmp out plain.out || return 1
    zcat r/*/*.gz | grep '"cat":"cpu_sample"' >samples
    [ "$(wc -l <samples)" -ge 5 ] || { wc -l <samples; return 1; }
    grep -q "$functions" samples && grep -q "$functions" r/*/report.html
}
failing() {
    rm -rf r
    "$TP" record -o r --no-tfevents -- "$@" >out 2>err
    status=$?
    "$@" >out 2>err
    [ $? = $status ] && [ $status != 0 ]
}
if is_checked; then
    : # skipped with ASan, because tesseract hangs at exit even with ASan's runtime alone
elif command -v darknet >/dev/null; then
    check "darknet: the same output, samples in its report" real 'darknet+0x' darknet speed /usr/share/darknet/cfg/darknet.cfg 2
else
    skip "darknet" "not installed"
fi
if is_checked; then
    :
elif command -v tesseract >/dev/null; then
    awk -f "$OLDPWD/tests/check/hello.awk" >hello.pgm
    check "tesseract: it reads the same, names of its functions are in the report" real 'tesseract::' tesseract hello.pgm -
    check "tesseract without an image: its exit code" failing tesseract none.pgm -
else
    skip "tesseract" "not installed"
fi

# Checks that each call of `record` makes its own run. A report of a run must have only its traces, and a search must
# find each run once.
twice() {
    rm -rf r
    for status in 3 4; do
        "$TP" record -o r --report --source null -- "$TARGET" status $status 2>err
        [ $? = $status ] || { cat err; return 1; }
    done
    set -- r/*/
    [ $# = 2 ] && [ "$(ls r | wc -l)" = 2 ] && [ -z "$(find r -type l -o -name '.*')" ] || { find r; return 1; }
    # TensorBoard treats each folder with event files as a run
    [ "$(find r -name 'events.out.tfevents.*' | sed 's|/[^/]*$||' | sort -u | wc -l)" = 2 ] || { find r; return 1; }
    for run in "$@"; do
        worker=$(basename "$run"/*.gz | sed 's/[.].*//')
        other=$(basename $(ls r/*/*.gz | grep -v "^$run") | sed 's/[.].*//')
        grep -q "$worker" "$run/report.html" && ! grep -q "$other" "$run/report.html" || { echo "$run: $worker, not $other"; return 1; }
        grep -q '"state":"complete".*"mode":"inside".*"argv":\["[^"]*record_target","status","[34]"\].*"exit_code":[34]}' "$run/run.json" ||
            { cat "$run/run.json"; return 1; }
    done
    "$TP" report r -o all.html --json all.json --quiet
    [ "$(grep -o '"run_name":"record_target-[0-9-]*","profiles":\[{"worker":"[^"]*"' all.json | sort -u | wc -l)" = 2 ] || { cat all.json | head -c 600; return 1; }
    rm -rf r # no folder remains if no program was run
    "$TP" record -o r -- ./plain.txt 2>err
    [ $? = 127 ] && [ -z "$(ls -A r 2>/dev/null)" ] || { find r; return 1; }
}
check "twice the same -o: two runs that do not mix" twice
# nothing WORDS STATUS SOURCE PROGRAM...: checks that nothing is recorded, that the exit code is the program's, and that
# one line has these words
nothing() {
    words=$1 want=$2 source=$3
    shift 3
    rm -rf r
    "$TP" record -o r --no-tfevents --source "$source" -- "$@" >out 2>err
    [ $? = "$want" ] && [ "$(grep -c 'nothing was recorded: ' err)" = 1 ] && said "nothing was recorded: .*$words" || { cat err; return 1; }
}
in_container() { ./refused "$plain_tp" "$@"; }
make_programs() {
    cat >becomes.c <<'X'
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    char *none[] = {0};
    return count > 1 ? (int)syscall(SYS_execve, words[1], words + 1, none) : 9;
}
X
    echo 'int raise(int); __attribute__((constructor)) static void begin(void) { raise(11); }' >dies.c
    echo 'int main(void) { return 0; }' >plain.c
    cc -static -o still plain.c || : # not all systems have a static C library
    cc -o becomes becomes.c && cc -shared -fPIC -o libdies.so dies.c &&
        cc -o dies plain.c -Wl,--no-as-needed -L. -ldies -Wl,-rpath,"$PWD" && cc -pthread -o confined "$OLDPWD/tests/native/confined_program.c" &&
        cc -o refused "$OLDPWD/tests/native/refused_program.c" && mkdir -p inner && printf '#!/bin/sh\ncd inner && exec ../works\n' >wrapper &&
        printf '#!/bin/sh\n./works; exit 3\n' >starter && chmod +x wrapper starter
    echo 'int main(void) { for (volatile long i = 0; i < 100000000; i++) ; return 5; }' >works.c
    cc -static -o works works.c || :
}
if is_checked; then
    : # skipped with a sanitizer, because its runtime changes these cases
elif make_programs >case.log 2>&1; then
    check "nothing recorded: too short" nothing "too short: it used [0-9.]* ms .* samples.*sample=10000" 0 sample true
    check "nothing recorded: ended by a signal before main" nothing 'signal 11 (.*) ended it before main; .*--source null' 139 sample ./dies
    check "nothing recorded: LD_PRELOAD was replaced" nothing 'becomes executed sleep and replaced LD_PRELOAD; record that program: tracepress record -- sleep' 0 sample ./becomes /bin/sleep 0
    check "nothing recorded: the sources had nothing to see" nothing "no active source .*--list-sources -- true" 0 torch true
    if [ -x still ]; then
        check "nothing recorded: it became a static program" nothing 'sh executed still, and it is statically linked' 0 sample sh -c 'exec ./still'
        # the command line does not show which programs a script executes or starts
        check "nothing recorded: a script became a static program" nothing 'wrapper executed works, and it is statically linked: record it from outside' 5 sample ./wrapper
        check "nothing recorded: a script started a static program" nothing 'starter started works, and it is statically linked: record it from outside' 3 sample ./starter
        check "nothing recorded: a launcher started a static program" nothing 'timeout started works, and it is statically linked' 5 sample timeout 60 ./works
    else
        skip "nothing recorded: it became a static program" "no static libc"
    fi
    if ./confined filter >out 2>&1 || [ $? = 7 ]; then
        check "nothing recorded: it confined itself" nothing 'it confined itself with seccomp.*--outside' 7 sample ./confined filter
    else
        skip "nothing recorded: it confined itself" "no seccomp here"
    fi
    if ./refused true; then
        plain_tp=$TP TP=in_container
        check "nothing recorded: the kernel refuses events" nothing "the container refuses kernel events.*SIGURG.*--cap-add PERFMON" 4 sample ./refused
        if ./refused ./confined filter >out 2>&1 || [ $? = 7 ]; then
            check "nothing recorded: it confined itself, in a container" nothing 'it confined itself with seccomp' 7 sample ./confined filter
        fi
        TP=$plain_tp
    else
        skip "nothing recorded: the kernel refuses events" "no seccomp here"
    fi
    if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>err; then
        # setpriv keeps its capabilities only in its own thread (PR_SET_KEEPCAPS), not in the recorder's threads inside
        # it
        check "nothing recorded: another user, with samples" nothing "no permission for $PWD/r/setpriv-" 0 sample \
            setpriv --reuid=65534 --regid=65534 --clear-groups sleep 0
    fi
    if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>err; then
        check "nothing recorded: another user has no permission" nothing "no permission for $PWD/r/setpriv-.*: it ran as user .*; run record as that user" 0 memory \
            setpriv --reuid=65534 --regid=65534 --clear-groups sleep 0
    else
        skip "nothing recorded: another user has no permission" "no rights to give up"
    fi
else
    not_ok "programs of which nothing is recorded" "$(cat case.log)"
fi

# interrupted SIGNAL: sends the signal while `record` finishes, when it waits half a second for a remaining process
interrupted() {
    for try in 1 2 3 4 5 6 7 8; do
        rm -rf r ready
        "$TP" record -o r --source null -- sh -c 'sleep 30 & echo $! >left; : >ready; exit 3' 2>err &
        pid=$!
        while [ ! -e ready ]; do sleep 0.01; done
        program=$(sed 's/ .*//' /proc/$pid/task/$pid/children 2>/dev/null)
        while [ -n "$program" ] && [ -e "/proc/$program" ]; do sleep 0.01; done
        kill -"$1" $pid 2>/dev/null
        wait $pid
        status=$?
        kill "$(cat left)"
        [ $status = 3 ] || { echo "status $status"; cat err; return 1; }
        # tries again if the machine was busy and the signal came too late
        { grep -q 'to write the traces, run' err && [ "$(wc -l <err)" = 1 ]; } && break
    done
    run=$(echo r/*)
    lines 1 && said "recorded; to write the traces, run: tracepress recover $run$" && grep -q '"state":"unprocessed".*"exit_code":3' "$run/run.json" || { cat err "$run/run.json"; return 1; }
    "$TP" recover r >out 2>err && [ "$(wc -l <out)" -ge 1 ] && [ ! -e "$run/.spools" ] && grep -q '"state":"complete"' "$run/run.json" || { cat out err; find r; return 1; }
}
both_signals() { interrupted TERM && interrupted HUP; }
if [ "$(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status | tr 13579bdf 1)" = 1 ]; then
    # nohup makes programs ignore HUP
    check "asked to end while it finishes: the raw records stay, a line says how to go on" interrupted TERM
else
    check "asked to end while it finishes: the raw records stay, a line says how to go on" both_signals
fi

# Checks that a line on a terminal shows the progress, even for a single large file, and disappears at the end.
on_a_terminal() { # on_a_terminal COMMAND FILE: runs the command on a terminal
    command script -qec "$1" typed >/dev/null </dev/null || { cat typed; return 1; }
    tr '\r' '\n' <typed | sed -n 's/^.*making traces: \([0-9]*\) of \([0-9]*\), \([0-9]*\) %: \(.*\)$/\1 \2 \3 \4/p' >said
    awk -v name="$2" '$3 < last || $3 > 100 || $1 >= $2 || $4 !~ name { bad = $0 } { last = $3; seen[$3] } END { for (i in seen) n++; exit n < 3 || bad }' said ||
        { cat said; tail -c 500 typed; return 1; }
    tr '\r' '\n' <typed | grep -v 'making traces' | grep -q "^$(printf '\033\\[K').*pt.trace.json.gz" || { tail -c 500 typed; return 1; }
}
progress() {
    cat >many.c <<'C'
#include <stdlib.h>
#include <tracepress.h>
int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = argv[argc - 1];
    int code = tracepress_start(&options);
    for (int i = 1000000 * atoi(argv[1]); i > 0; i--) {
        tracepress_begin(tracepress_intern("work"));
        tracepress_end();
    }
    return code;
}
C
    ${CC:-cc} -O1 -I"$HERE/collector" many.c -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" -o many || return 1
    for millions in 6 12 24; do # the line appears after a second, so a fast machine needs a file with more events
        rm -rf left && ./many "$millions" left 2>err && on_a_terminal "'$TP' recover left" 'left/.*tpspool' >why && break
    done || { cat why; return 1; }
    for millions in 6 12 24; do
        rm -rf r && on_a_terminal "'$TP' record -o r -- sh -c './many $millions unused; sleep 1'" '^.vm_.*tpspool' >why && return
    done
    cat why
    return 1
}
if is_checked || ! command script -qec true typed >/dev/null 2>&1 </dev/null; then
    skip "on a terminal a line says how far the traces are" "no pseudo terminal, or a sanitizer"
else
    check "on a terminal a line says how far the traces are" progress
fi

# one_step_time RUN TRACES: checks that the run has TRACES traces. Report, diff and check must have the step time of the
# process with steps, and the report must list the other processes as helpers
one_step_time() {
    run=$(echo "$1"/*/) traces=$2
    [ "$(ls "$run"/*.gz | wc -l)" = "$traces" ] || { find r; return 1; }
    set -- $(ls "$run"/*.gz | grep -v '_helper\.\|_tracepress\.\|_inside\.\|/python[.0-9]*pt')
    [ $# = 1 ] || { ls "$run"; return 1; }
    "$TP" report "$1" -o one.html --json one.json --quiet && "$TP" report r -o all.html --json all.json --markdown all.md --quiet || return 1
    total=$(grep -o '"average":{[^}]*"total_us":[0-9.]*' one.json | sed 's/.*://')
    grep -q "\"average\":{[^}]*\"total_us\":$total[,}]" all.json && [ "$(grep -c 'Step time' all.md)" = 1 ] || { cat all.md; return 1; }
    [ "$(grep -o '"is_helper":true' all.json | wc -l)" = $((traces - 1)) ] && ! grep -q '"distributed":{' all.json || { echo "helpers are ranks"; return 1; }
    "$TP" diff r "$1" --json diff.json --quiet --exit-zero >/dev/null || return 1
    [ "$(grep -o '"runs":1,' diff.json | wc -l)" = 2 ] && [ "$(grep -o '"step_median_us":[0-9.]*' diff.json | sort | uniq -c | awk '{ print $1 }')" = 2 ] ||
        { head -c 2000 diff.json; return 1; }
    "$TP" check r --json check.all >/dev/null 2>&1
    "$TP" check "$1" --json check.one >/dev/null 2>&1
    grep -o '"metrics":{[^}]*}' check.one >one.metrics
    [ "$(wc -l <one.metrics)" = 1 ] && grep -o '"metrics":{[^}]*}' check.all | cmp - one.metrics
}
steps_and_helpers() {
    rm -rf r
    "$TP" record -o r --source sample -- sh -c '"$@" & "$0" 0.4 2; wait' "$TOOLS/split" "$TOOLS/train" "$OLDPWD/README.md" - 6 >out 2>err || { cat err; return 1; }
    one_step_time r 2
}
# Checks a shell that works and then executes the program. Missing memory records must not be reported as damage.
before_exec() {
    rm -rf r
    "$TP" record -o r --no-tfevents --source sample -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exec "$@"' x "$TOOLS/split" 0.2 2 >out 2>err
    [ "$(ls r/*/*_helper.*.gz | wc -l)" = 1 ] && [ "$(ls r/*/*.gz | wc -l)" = 2 ] || { find r; return 1; }
    "$TP" check r --json check.json >out 2>&1
    [ "$(grep -o '"file":"[^"]*[.]gz"' check.json | sort -u | wc -l)" = 1 ] && ! grep -q damaged out || { cat out; return 1; }
    for trace in r/*/*.gz; do zcat "$trace" | grep -q '"profile_memory":1' && { echo "memory was not recorded: $trace"; return 1; }; done
    :
}
is_checked || check "traces of one run: what a process was before exec counts for no number of it" before_exec
is_checked || check "traces of one run: helpers count for no number of it" steps_and_helpers
names() { # Checks that any characters in the program's name are possible in the name of the folder.
    rm -rf r && ln -sf "$TARGET" ".. x;\`y"
    "$TP" record -o r/ --source null --no-tfevents -- "./.. x;\`y" status 0 2>err || { cat err; return 1; }
    ls -d r/_._x__y-2*-*-* >/dev/null || { find r; return 1; }
}
is_checked || check "names of programs are made harmless" names

absent() { rec 127 0 -- no_such_program_here && lines 1 && rec 127 0 -- ./no/such && lines 1; }
check "no such program: 127" absent
unusable() {
    : >plain && rec 126 0 -- ./plain && lines 1 && rec 126 0 -- "$PWD" && lines 1
}
check "what cannot be run: 126" unusable
foreign() {
    { head -c 18 /bin/true && printf '\263\000' && tail -c +21 /bin/true; } >foreign
    chmod +x foreign
    rec 126 0 -- ./foreign && said 'another processor'
}
check "a program of another processor: 126, and why" foreign
script() {
    echo 'echo "text $1"; exit 6' >script
    chmod +x script
    rec 6 1 -- ./script here && [ "$(cat out)" = "text here" ]
}
check "a text without #! is run by the shell" script
static() {
    echo 'int main(void) { return 8; }' >static.c
    cc -static -o static static.c 2>/dev/null || return 77
    rec 8 0 -- ./static && lines 1 && said 'nothing will be recorded but the programs that it starts: ./static: it is statically linked: .*from outside (--outside)' || return 1
    echo 'int execv(const char *, char **); int main(int n, char **w) { (void)n; return execv(w[1], w + 1); }' >starts.c
    cc -static -o starts starts.c && rec 4 1 -- ./starts "$TARGET" status 4 && said 'statically linked' && said 'recorded r/starts-'
}
setuid() {
    [ "$(id -u)" = 0 ] && cp "$TARGET" setuid && chown nobody setuid && chmod u+s,a+rx setuid || return 77
    # on a file system mounted with nosuid, the program is recorded like any other
    rec 11 0 -- ./setuid status 11 || rec 11 1 -- ./setuid status 11 || return 1
    said 'nothing will be recorded: ./setuid: it runs with the rights of another user (setuid): .*from outside (--outside)'
}
# Checks a program under qemu. Its stack in signal handlers has an unusual layout, and the preload library is also in
# the emulated program.
emulated() {
    printf '#include <stdio.h>\nint main(void) { volatile double sum = 0; for (long i = 0; i < 30000000; i++) sum += i; return printf("%%g\\n", sum) < 0 ? 1 : 8; }\n' >emulated.c
    cc -O1 -o emulated emulated.c && rm -rf r && "$TP" record -o r --no-tfevents -- qemu-"$(uname -m)" ./emulated >out 2>err
    [ $? = 8 ] && [ "$(cat out)" = 4.5e+14 ] || { cat out err; return 1; }
}
if is_asan; then
    skip "a program under an emulator: its output and exit code as without" "an emulator takes the shadow memory for the program's own"
elif command -v "qemu-$(uname -m)" >/dev/null; then
    check "a program under an emulator: its output and exit code as without" emulated
else
    skip "a program under an emulator: its output and exit code as without" "no qemu-user"
fi
for how in static setuid; do
    $how >case.log 2>&1
    case $? in
    0) ok "a $how program runs, and a line says why it is not recorded" ;;
    77) skip "a $how program" "none can be made here" ;;
    *) not_ok "a $how program runs, and a line says why it is not recorded" "$(cat case.log)" ;;
    esac
done

# signal NAME TO: sends the signal to `record`, and checks that the program receives it
signal() {
    rm -rf r ready
    env --default-signal=HUP,INT,QUIT "$TP" record -o r --source null --no-tfevents -- \
        sh -c 'trap "echo got; exit 21" '"$1"'; : >ready; while :; do sleep 0.05; done' >out 2>err &
    pid=$!
    comes $pid test -e ready || { cat err; return 1; }
    kill -"$1" $pid
    comes $pid is_gone $pid || kill -9 $pid
    wait $pid
    status=$?
    [ $status = 21 ] && [ "$(cat out)" = got ] || { echo "$1: $status"; cat err; return 1; }
}
signals() { signal TERM && signal HUP && signal USR1 && signal QUIT && signal INT; }
check "signals are passed on" signals
# Returns whether the process group is orphaned: no shell in its session waits for it. TSTP does not stop such
# processes.
is_orphaned() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 /' | awk -v own="$1" '
        { parent[$1] = $3; group[$1] = $4; session[$1] = $5 }
        END {
            for (pid in group)
                if (group[pid] == group[own] && session[parent[pid]] == session[own] && group[parent[pid]] != group[own]) exit 1
        }'
}
stops() { # Checks that the program can be stopped. It waits for a file, so that it still runs then.
    rm -rf r ready go
    "$TP" record -o r --source null --no-tfevents -- sh -c 'echo $$ >ready; until [ -e go ]; do sleep 0.05; done' 2>err &
    pid=$!
    comes $pid test -s ready || { cat err; return 1; }
    kill -TSTP $pid
    comes $pid is_state $pid T && { is_orphaned $pid || comes $pid is_state "$(cat ready)" T; }
    is_stopped=$?
    kill -CONT $pid
    : >go
    wait $pid
    status=$?
    [ $is_stopped = 0 ] && [ $status = 0 ] || { echo "stopped: $is_stopped, status $status"; return 1; }
}
check "a stop stops both, and both go on" stops
# Checks that signals that only `record` ignores are not ignored in the program, while signals that were ignored before
# stay ignored.
dispositions() {
    rec 141 1 -- sh -c 'kill -PIPE $$' || return 1
    (trap '' HUP && "$TP" record -o r -- sh -c 'kill -HUP $$; exit 5' 2>err)
    [ $? = 5 ]
}
check "dispositions of signals are those of the caller" dispositions

full() {
    [ "$(id -u)" = 0 ] && mkdir -p tiny && mount -t tmpfs -o size=24k none tiny 2>/dev/null || return 77
    "$TP" record -o tiny --source null -- "$TARGET" fork >out 2>err
    status=$?
    umount tiny
    [ $status = 0 ] && grep -q 'tracepress: ' err || { echo "status $status"; cat err; return 1; }
    mount -t tmpfs -o size=24k none tiny
    "$TP" record -o tiny --no-tfevents --source sample -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done' >out 2>err
    status=$?
    umount tiny
    [ $status = 0 ] && grep -q 'nothing was recorded: the disk of .* is full (.* KiB are free); free some space' err || { echo "status $status"; cat err; return 1; }
}
full >case.log 2>&1
case $? in
0) ok "a full disk: the program continues, its exit code passes, and it is said" ;;
77) skip "a full disk" "no tmpfs can be mounted here" ;;
*) not_ok "a full disk: the program continues, its exit code passes, and it is said" "$(cat case.log)" ;;
esac
no_folder() {
    : >file
    "$TP" record -o file/x -- "$TARGET" status 3 2>err
    [ $? = 4 ] && lines 1
}
check "a log folder that cannot be made: 4, before anything runs" no_folder
usage() {
    for words in "--source nope -- true" "true" "" "--active 0 -- true" "--duration x -- true" "--torch-options y -- true" \
        "--duration 1 --wait 1 -- true"; do
        # shellcheck disable=SC2086
        "$TP" record -o r $words 2>err
        [ $? = 2 ] && lines 1 || { echo "record $words"; cat err; return 1; }
    done
}
check "wrong options: 2 and one line" usage
sources() {
    "$TP" record --list-sources >out && grep -q '^  outside  *[-o]' out && grep -q '^  null  *off' out && grep -q '^  torch  *-' out && grep -q kineto out
}
check "--list-sources says what is there and why not" sources
# Checks an unknown option. This is not a golden case, because a library with a sanitizer needs its runtime to be
# preloaded.
unknown() {
    "$TP" record --source none_such -- true 2>err
    [ $? = 2 ] && grep -q 'unknown source "none_such"; --list-sources lists them' err || { cat err; return 1; }
}
check "a source that there is not: usage" unknown
outputs() {
    rm -rf r
    "$TP" record -o r --source null --report --quiet -- "$TARGET" status 0 2>err
    [ ! -s err ] && [ -s r/*/report.html ] && ls r/*/events.out.tfevents.* >/dev/null || { find r; cat err; return 1; }
}
check "--report, event files, --quiet" outputs
needed() { # Checks that the preload library needs only the C library, so that it can be loaded into any program.
    ! objdump -p "$TOOLS/libtracepress-preload.so" | grep NEEDED | grep -v 'lib[cm]\.so\|ld-linux'
}
check "the preload library needs the C library alone" needed
# Checks that the preload library exports all functions of libtracepress except those with handlers. Otherwise the
# program would have two recordings.
exported() {
    for library in tracepress tracepress-preload; do
        nm -D --defined-only "$TOOLS/lib$library.so" | sed -n 's/.* \(tracepress_[a-z_]*\)\(@@.*\)\{0,1\}$/\1/p' |
            grep -v preload_version | sort >$library.names
    done
    comm -3 tracepress.names tracepress-preload.names | tr '\n' ' ' >differ
    [ "$(cat differ)" = "$(echo tracepress_export_chrome_trace tracepress_export_stacks tracepress_export_summary tracepress_free \
        tracepress_key_averages tracepress_summary_handler tracepress_tensorboard_trace_handler) " ] ||
        { cat differ; return 1; }
}
check "the preload library precedes libtracepress completely" exported

scripts=$OLDPWD/tests/torch
# few OPERATORS OPTIONS... -- ARGUMENTS: records a short program that uses the stand-in for torch. There must be one
# trace, with these operators
few() {
    want=$1
    shift
    rm -rf r
    PYTHONPATH=$scripts/stand_in "$TP" record -o r --no-tfevents --source torch "$@" >out 2>err || { cat err; return 1; }
    [ "$(ls r/*/*.gz 2>/dev/null | wc -l)" = 1 ] || { echo "$*: wanted one trace"; ls r/*; cat err; return 1; }
    found=$(zcat r/*/*.gz | grep -o 'aten::[a-z_0-9]*' | sort | tr '\n' ' ')
    [ "$found" = "$want " ] || { echo "$*: found $found, wanted $want"; return 1; }
}
few_steps() {
    few "aten::randn" -- python3 "$scripts/few_steps.py" 0 &&
        few "aten::randn aten::step_1" -- python3 "$scripts/few_steps.py" 1 &&
        few "aten::randn" -- python3 "$scripts/few_steps.py" 0 fork &&
        few "aten::step_1" -- python3 "$scripts/few_steps.py" 1 fork &&
        few "aten::randn aten::step_1" --skip 9 -- python3 "$scripts/few_steps.py" 4 &&
        few "aten::randn aten::step_1" --wait 4 -- python3 "$scripts/few_steps.py" 3 &&
        few "aten::step_2" --warmup 0 -- python3 "$scripts/few_steps.py" 2 &&
        few "aten::step_3 aten::step_4 aten::step_5" -- python3 "$scripts/few_steps.py" 9
}
if python3 -c '' 2>/dev/null; then
    check "PyTorch: a program that ends before the first recorded step has the trace of its start" few_steps
else
    skip "PyTorch: a program that ends before the first recorded step" "no python3"
fi
python=${TORCH_PYTHON:-$PWD/build/torch/bin/python}
[ -x "$python" ] || python=$OLDPWD/build/torch/bin/python
if ! "$python" -c 'import torch' 2>/dev/null; then
    skip "PyTorch, unmodified" "no Python with torch: set TORCH_PYTHON"
    exit 0
fi
same() { # same OPTIONS PROFILER_OPTIONS: compares a recording from inside with one by torch.profiler itself
    rm -rf r && mkdir -p r
    "$TP" record -o r --no-tfevents --source torch --torch-options "$1" -- "$python" "$scripts/loop.py" >out 2>err &&
        "$python" "$scripts/loop.py" "$1" own.json >out 2>own.err && "$python" "$scripts/compare.py" r/*/*.gz own.json
}
check "PyTorch: events, operator calls and shapes are those of torch.profiler" same shapes
check "PyTorch: so they are with memory and stacks" same shapes,memory,stack
# startup SECONDS [fork|spawn]: checks that there is one trace with the three steps of the schedule, despite other work
# before and between them
startup() {
    rm -rf r
    cpu_limit 120 "$TP" record -o r --no-tfevents --source torch -- "$python" "$scripts/startup.py" "$@" >out 2>err || { cat err; return 1; }
    [ "$(ls r/*/*.gz | wc -l)" = 1 ] || { ls -l r/*; return 1; }
    zcat r/*/*.gz >trace.json
    [ "$(grep -o '"name": "ProfilerStep#[0-9]*"' trace.json | sort -u | wc -l)" = 3 ] && grep -q '"name": "aten::linear"' trace.json &&
        grep -q '"python_version": "3[.][0-9]*[.]' trace.json ||
        { grep -o '"name": "ProfilerStep#[0-9]*"' trace.json; return 1; }
    "$TP" report trace.json -o page.html --strict --quiet --json report.json && grep -q '"steps_used": *[23]' report.json
}
check "PyTorch: tensors for longer than the first while before the steps; loaders by fork: the steps' trace, no other" startup 3.5 fork
check "PyTorch: immediate steps; loaders by spawn, which import torch: the steps' trace, no other" startup 0.5 spawn
startup_recording_is_kept() { # Checks that without steps, the data of the first period is kept.
    rm -rf r
    "$TP" record -o r --no-tfevents --source torch -- "$python" -c 'import torch, time
end = time.monotonic() + 30 # on a busy machine the profiler starts late
while time.monotonic() < end and not torch.autograd._profiler_enabled(): time.sleep(0.01)
for i in range(50): torch.randn(9, 9).softmax(1)' >out 2>err && [ "$(ls r/*/*.gz | wc -l)" = 1 ] && zcat r/*/*.gz >trace.json &&
        grep -q aten::softmax trace.json && grep -q '"python_version": "3[.][0-9]*[.]' trace.json
}
check "PyTorch: a program without steps has the trace of its first while" startup_recording_is_kept
loaders() {
    rm -rf r
    "$TP" record -o r --no-tfevents -- "$python" "$scripts/loader.py" >out 2>err || { cat err; return 1; }
    one_step_time r "$(ls r/*/*.gz | wc -l)" && [ "$(ls r/*/*.gz | wc -l)" -ge 2 ] && ls r/*/*.gz | grep '_tracepress[.]\|_inside[.]'
}
check "PyTorch: two traces of a process and its loaders of data are one run" loaders
kineto() {
    rm -rf r && mkdir -p r
    cpu_limit 120 "$TP" record -o r --no-tfevents --source kineto --wait 0 --active 4 -- "$python" "$scripts/loop.py" slow \
        >out 2>err && "$python" "$scripts/compare.py" --steps 4 r/*/*.gz own.json
}
check "PyTorch: by Kineto's daemon protocol, the same operator calls per step" kineto
