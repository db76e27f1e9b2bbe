# Tests programs that link libtracepress and run without `tracepress record`. They must behave as without the library.
# Each is built in three ways: with the shared library, with the static library, and fully static.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1

if is_checked; then
    skip "programs that link the library" "a sanitizer calls the kernel by itself"
    exit 0
fi

# built HOW NAME [FLAG...]: builds tests/native/NAME.c, which records itself, as ./HOW-NAME. HOW is shared, archive or
# static
built() {
    how=$1 name=$2
    shift 2
    case $how in
    shared) set -- "$@" -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" ;;
    archive) set -- "$BUILD/libtracepress.a" "$@" -lm -ldl ;;
    static) set -- -static "$BUILD/libtracepress.a" "$@" -lm -ldl ;;
    esac
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -g -D_GNU_SOURCE -pthread -I"$HERE" -finstrument-functions -c "$HERE/tests/native/$name.c" -o "$name.o" &&
        ${CC:-cc} -O1 -g -D_GNU_SOURCE -pthread -I"$HERE" -c "$HERE/tests/native/records_itself.c" -o records_itself.o &&
        ${CC:-cc} -pthread "$name.o" records_itself.o -o "$how-$name" "$@" 2>link.log || { cat link.log; return 1; }
}

# ---- programs that confine themselves ----

# confines NAME WAY STATUS LINES: checks that recording does not change exit code and output, and that the trace has the
# events before the confinement
confines() {
    for how in shared archive $wholly_static; do
        "./$how-$1" $2 >out 2>err
        [ $? = "$3" ] && [ ! -s err ] || { echo "$how: without a recording: status not $3"; cat out err; return 1; }
        rm -rf d
        STACKS=1 RECORDED=d cpu_limit 60 "./$how-$1" $2 >recorded.out 2>err
        status=$?
        [ $status = "$3" ] && cmp out recorded.out || { echo "$how: status $status"; cat recorded.out err; return 1; }
        [ "$(grep -c 'recording stops here, because the program confines itself' err)" = "$4" ] || { echo "$how:"; cat err; return 1; }
        [ "$how" != static ] || grep -q 'no call stacks are recorded: the program is linked statically' err || { cat err; return 1; }
        "$TP" recover d >recovered 2>&1 && zcat d/*.gz | grep -q '"name":"call"' || { echo "$how:"; cat recovered; ls -lA d; return 1; }
    done
}
later() { # Checks that a filter that allows the recorder's system calls does not stop the recording.
    cat >later.c <<'C'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <tracepress.h>
int main(void)
{
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, all};
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = "l";
    int code = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    code = code || tracepress_start(&options);
    tracepress_begin(tracepress_intern("after the filter"));
    tracepress_end();
    tracepress_stop();
    printf("%d\n", code);
    return 0;
}
C
    ${CC:-cc} -I"$HERE/collector" later.c -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" -o later && rm -rf l &&
        [ "$(./later 2>err)" = 0 ] && [ ! -s err ] && zcat l/*.gz | grep -q 'after the filter' || { cat err; return 1; }
}
wholly_static=
if built static confined_program >static.log 2>&1; then wholly_static=static; fi
if ! built shared confined_program >link.log 2>&1 || ! built archive confined_program >>link.log 2>&1; then
    not_ok "confined programs are built" "$(cat link.log)"
elif ./shared-confined_program filter >out 2>err || [ $? = 7 ]; then
    check "linked, confined: a list of calls, all others kill" confines confined_program filter 7 1
    check "linked, confined: the same by syscall" confines confined_program syscall 7 1
    check "linked, confined: all threads by one of them, while they work and end" confines confined_program threads 7 1
    if ./shared-confined_program strict >out 2>err || [ $? = 5 ]; then
        check "linked, confined: strict mode" confines confined_program strict 5 1
    else
        skip "linked, confined: strict mode" "not behind the filter of a container"
    fi
    check "linked, confined: no time stamp counter" confines confined_program counter 6 1
    check "linked, confined: a child, and its parent continues" confines confined_program child 8 1
    check "linked, confined: a child made behind the C library's back" confines confined_program raw 8 0
    check "linked, confined: a child by clone" confines confined_program clone 8 0
    check "linked, confined: who only asks the kernel what it knows is recorded to the end" confines confined_program probe 9 0
    check "linked, confined: a recording that begins behind a filter continues" later
    if built shared seccomp_program -lseccomp >link.log 2>&1 && built archive seccomp_program -lseccomp >>link.log 2>&1; then
        built static seccomp_program -lseccomp >link.log 2>&1 || wholly_static=
        check "linked, confined: by libseccomp" confines seccomp_program "" 7 1
    else
        skip "linked, confined: by libseccomp" "it is not installed"
    fi
else
    skip "linked, confined" "filters cannot be installed here"
fi

# ---- truncated spools, and programs that handle SIGBUS (sources_native.sh tests the same under record) ----

# cuts WAY STATUS LINES: checks that recording does not change exit code and output, at whatever byte the spool is
# truncated
cuts() {
    for how in shared archive $cut_static; do
        for to in 0 5000 30000; do
            rm -rf d f && mkdir f
            RECORDED=d cpu_limit 60 "./$how-cut_program" "$1" f >out 2>err &
            pid=$!
            comes $pid test -e f/now || return 1
            for spool in $(find d -name '.*.tpspool'); do
                dd if=/dev/null of="$spool" bs=1 seek=$to 2>dd.log
            done
            : >f/cut
            wait $pid
            status=$?
            [ $status = "$2" ] && [ "$(cat out)" = "done" ] || { echo "$how, cut at $to: status $status"; cat out err; return 1; }
            [ "$3" = 0 ] || [ $to -gt 5000 ] || grep -q 'recording stops here; the program continues: .*: the file was truncated' err || { echo "$how, cut at $to"; cat err; return 1; }
        done
    done
}
has_same_exit_code() { # has_same_exit_code WAY STATUS: checks that the exit code is that without recording
    for how in shared archive $cut_static; do
        rm -rf d
        RECORDED=d "./$how-cut_program" "$1" . >out 2>err
        [ $? = "$2" ] || { echo "$how"; cat out err; return 1; }
    done
}
cut_static=
if built static cut_program >static.log 2>&1; then cut_static=static; fi
if built shared cut_program >link.log 2>&1 && built archive cut_program >>link.log 2>&1; then
    check "linked, cut: a program continues when its spool is cut" cuts plain 7 1
    check "linked, cut: threads that block all signals" cuts threads 7 0
    check "linked, cut: a program with a handler of SIGBUS gets its own faults, and no others" cuts own 7 1
    check "linked, cut: a program reads back its own settings of SIGBUS" has_same_exit_code asks 7
    check "linked, cut: by the older functions, too" has_same_exit_code older 7
    check "linked, cut: a program that cuts a file of its own dies as without us" has_same_exit_code die 135
    check "linked, cut: and one that is sent the signal" has_same_exit_code send 135
else
    not_ok "linked, cut: the program is built" "$(cat link.log)"
fi

# ---- two containers with a common volume: equal process ids and equal workers at the same time ----

cat >writer.c <<'C'
#include <stdlib.h>
#include <tracepress.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = "shared";
    options.worker = "worker";
    options.live = 1;
    int code = tracepress_start(&options);
    for (int step = 0; step < 30; step++) {
        for (int i = 0; i < 100; i++) {
            tracepress_begin(tracepress_intern(argv[1]));
            tracepress_end();
        }
        usleep(2000);
        tracepress_step();
    }
    tracepress_stop();
    return code || argc != 2;
}
C
contained() { unshare --pid --mount --fork --mount-proc "$@"; }
both() { # both COMMAND...: runs the command in two containers simultaneously, each with a different name
    for name in first second; do
        contained "$@" $name >$name.out 2>$name.err &
    done
    wait
}
has_all_events_of_both() {
    for name in first second; do
        found=$(for file in "$@"; do gzip -t "$file" && zcat "$file"; done | grep -c "\"name\":\"$name\"")
        [ "$found" = 3000 ] || { echo "$name: $found of 3000"; cat first.err second.err; ls -lAR shared; return 1; }
    done
}
volume() {
    rm -rf shared && both ./writer && has_all_events_of_both shared/*.gz || return 1
    [ "$(find shared -name 'events.out.tfevents.*' | wc -l)" = 2 ] && [ -z "$(find shared -name '.*tpspool')" ] || { ls -lAR shared; return 1; }
    "$TP" report shared -o r.html --strict --quiet
}
recorded_volume() {
    rm -rf d shared && both "$TP" record -o d --quiet -- ./writer && has_all_events_of_both shared/*.gz
}
without_proc() { # Checks that a library in the current folder is not mistaken for libtracepress.
    rm -rf d && mkdir -p elsewhere && cd elsewhere && echo none >libtracepress-preload.so || return 1
    # shellcheck disable=SC2016
    unshare --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$TP" record -o ../d --no-tfevents -- \
        sh -c 'case $LD_PRELOAD in /*/libtracepress-preload.so) exit 3 ;; esac' 2>../err
    [ $? = 3 ] && ! grep 'preload' ../err || { cat ../err; return 1; }
}
# ---- namespaces: a process with several threads cannot enter some of them, and /proc may show the ids of another
# namespace ----

cat >moves.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <tracepress.h>
#include <unistd.h>
static void work(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 3; clock() < end;) {
        tracepress_begin(tracepress_intern("work"));
        for (volatile int i = 0; i < 100000; i++)
            ;
        tracepress_end();
    }
}
int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = argv[1];
    options.sample_rate = 500;
    if (argc != 3 || (argv[1][0] && tracepress_start(&options)))
        return 1;
    work();
    int code = strcmp(argv[2], "call") ? unshare(CLONE_NEWUSER) : (int)syscall(SYS_unshare, CLONE_NEWUSER | CLONE_FILES);
    work();
    tracepress_stop();
    return code ? 9 : 7;
}
C
# Moves into a namespace, by the C function or by the system call. The result must be that without recording, with
# samples from before and after.
moves() {
    for way in function call; do
        ./moves "" $way
        [ $? = 7 ] || { echo "not possible here"; return 1; }
        rm -rf m && mkdir m && chmod 777 m && ./moves m $way 2>err
        [ $? = 7 ] && [ ! -s err ] || { echo "$way"; cat err; return 1; }
        zcat m/*.gz | awk '/"cpu_sample"/ { match($0, /"ts":[0-9.]+/); t = substr($0, RSTART + 5, RLENGTH - 5); if (!n++) first = t; last = t }
            END { if (n < 20 || last - first < 300000) { print n, last - first; exit 1 } }' || return 1
    done
}
# inside COMMAND...: checks that a program that the command starts is recorded, whatever its process id in /proc
inside() {
    cat >busy.c <<'C'
#include <time.h>
int main(void)
{
    while (clock() < CLOCKS_PER_SEC / 3) /* of its own: to ask for the time is a call of the kernel */
        for (volatile int i = 0; i < 100000; i++)
            ;
    return 5;
}
C
    ${CC:-cc} busy.c -o busy && rm -rf d || return 1
    "$TP" record -o d --source sample --no-tfevents -- "$@" ./busy 2>err
    [ $? = 5 ] && [ "$(zcat d/*/*.gz | grep -c cpu_sample)" -ge 10 ] || { cat err; return 1; }
    rm -rf d
    "$@" "$TP" record -o d --source sample --no-tfevents -- ./busy 2>err
    [ $? = 5 ] && [ "$(zcat d/*/*.gz | grep -c cpu_sample)" -ge 10 ] || { echo "within:"; cat err; return 1; }
}
if unshare --user --map-root-user true 2>err && ${CC:-cc} -I"$HERE/collector" moves.c -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" -o moves; then
    check "linked: a program moves into a namespace of users" moves
    check "record: a program in a namespace of users" inside unshare --user --map-root-user
    check "record: a program in a namespace of processes, with the /proc of the one outside" inside unshare --user --map-root-user --pid --fork
    check "record: a program in a namespace of processes, with its own /proc" inside unshare --user --map-root-user --pid --mount --fork --mount-proc
else
    skip "programs in namespaces of users and processes" "none can be made here"
fi

if contained true 2>err && ${CC:-cc} -I"$HERE/collector" writer.c -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" -o writer; then
    check "two containers record into one folder simultaneously" volume
    check "record where no /proc is mounted" without_proc
    check "two containers under record write into one folder simultaneously" recorded_volume
else
    skip "two containers record into one folder simultaneously" "no namespaces here"
fi

# ---- frames of functions in the header ----

cat >scoped.c <<'EOF'
#include "tracepress.h"
static void __attribute__((noinline)) forward(void)
{
    TRACEPRESS_SCOPE("forward");
    __asm__ volatile("");
}
int main(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = "scoped";
    options.with_stack = 1;
    options.handler = tracepress_tensorboard_trace_handler;
    if (tracepress_start(&options) != 0)
        return 1;
    for (int i = 0; i < 3; i++) {
        forward();
        tracepress_begin(tracepress_intern("plain"));
        tracepress_end();
    }
    tracepress_stop();
    return 0;
}
EOF
scoped() { # scoped FLAGS...: checks that each stack begins with a line of the program
    rm -rf scoped && ${CC:-cc} -g "$@" -I"$HERE/collector" scoped.c -L"$BUILD" -ltracepress -Wl,-rpath,"$BUILD" -o scoped_program &&
        ./scoped_program 2>err || { cat err; return 1; }
    zcat scoped/*.gz | grep -o '"Call stack":"[^"]*"' >stacks
    [ "$(grep -c 'scoped.c([0-9]*): \(forward\|main\);' stacks)" -ge 6 ] && ! grep 'tracepress[a-z_]*\.h(' stacks || { cat stacks; return 1; }
}
scoped_all() { scoped -O0 && scoped -O1 && scoped -O2; }
if ldconfig -p 2>/dev/null | grep -q libunwind.so.8; then
    check "functions of our headers are in no stack" scoped_all
else
    skip "functions of our headers are in no stack" "no libunwind"
fi
