# Tests `tracepress record --outside` without kernel events, with events of whole CPUs, and at each level of
# kernel.perf_event_paranoid. The suite `outside` has the common cases.
. tests/suites/case.sh
HERE=$PWD
. tests/suites/outside_case.sh
cd "$WORK" || exit 1

# ---- without events: polling /proc ----

if ! program refused_program || ! program looks_program || ! program split_program; then
    cat build.log
    exit 1
fi
looked() { LAUNCH=./refused_program outside "$@" && says mode looks && says sums; }
tree() { # Records a pipeline and a child of a child. Polling must find the causes of their waits.
    looked 5 sh -c 'sleep 0.3; (sleep 0.3; echo x) | cat; ./split_program 0.3 >/dev/null; exit 5' && [ "$(cat out)" = x ] &&
        says argv sleep 0.3 && says argv ./split_program 0.3 && says argv cat && says seen processes 6 && says seen threads 8 &&
        says cause sleep 400 && says cause pipe 100 && says cause child 500 && says status 5
}
sleeper() { looked 0 sleep 0.5 && says cause sleep 400 && says exits 0; }
# Checks three rounds, of which one must be exact. On a busy machine, polls may be skipped to limit the overhead, and the
# work of each thread after its last poll is lost; then the times of threads that stay until a later poll must be exact.
threads() {
    for turn in 1 2 3; do
        looked 0 ./looks_program && says seen threads 13 && says budget || return 1
        says running "$(cat out)" 3 20 && return 0
    done
    said 'polls of /proc (to limit the overhead)' && looked 0 ./looks_program held && says seen threads 13 && says running "$(cat out)" 3
}
short() { # Checks a program that exits before the first poll.
    looked 0 true && says argv true && says exits 0 && looked 137 sh -c 'kill -9 $$' && says exits S9 && said 'signal 9'
}
codes() { # Checks that the exit code of a child is known before its parent waits for it.
    looked 0 sh -c 'sh -c "sleep 0.1; exit 3" & sleep 1; wait; exit 0' && says argv sh -c "sleep 0.1; exit 3" && says status 3
}
refusal() { # Checks that one line names what is missing, the reason, and the remedy.
    looked 0 sleep 0.1 && said 'not seen: functions, and anything shorter than 10 ms, because the kernel refuses events' &&
        said "CAP_PERFMON\|cap-add PERFMON" && [ "$(grep -c 'not seen' err)" = 1 ]
}
goes_on() {
    sh -c './split_program 3 >/dev/null; exit 4' &
    job=$!
    comes $job pgrep -P $job >/dev/null || return 1
    rm -rf r
    cpu_limit 120 ./refused_program "$TP" record -p $job --no-tfevents -o r --duration 1.5 >out 2>err || { cat err; return 1; }
    wait $job
    [ $? = 4 ] || return 1
    trace=$(ls r/*/*.gz) && says mode looks && says sums && says seen threads 4 && says argv ./split_program 3 && says alive 2
}
page() { # Checks that the page shows no shares of functions, and advises how to get them.
    looked 0 ./split_program 0.5 && "$TP" report "$trace" -o page.html --json page.json --markdown page.md --strict --quiet 2>err ||
        { cat err; return 1; }
    grep -q 'polling /proc every 10 ms, because the kernel refuses events' page.html && grep -q 'let the recorder see its functions' page.md &&
        grep -q 'No functions were recorded, because the kernel refuses events' page.md &&
        grep -q '"functions":\[\]' page.json && "$TP" table "$trace" --group-by process >table.txt && grep -q split_program table.txt &&
        "$PY" "$HERE/tests/check/program_view.py" "$trace" page.json >view 2>&1 || { cat page.md view; return 1; }
}
# Checks a recording from inside, in which processes sample themselves. The page must show these functions, but not the
# sampling threads.
inside() {
    for turn in 1 2 3; do # the tolerance of 3 points is two standard deviations for this number of samples
        rm -rf r
        cpu_limit 120 ./refused_program "$TP" record --no-tfevents -o r -- sh -c './split_program "$1"; exit 5' sh $((4 * turn)) >out 2>err
        [ $? = 5 ] || { cat err; return 1; }
        trace=$(ls r/*/sh.*.gz)
        # shellcheck disable=SC2046
        says mode looks && says sums && says seen threads 4 && says no_thread tracepress && set -- $(cat out) || return 1
        "$TP" report "$trace" -o page.html --markdown page.md --quiet && grep -q 'function | Make `alpha` cheaper' page.md &&
            grep -q 'taken by timers inside the processes' page.html && ! grep -q 'No functions were recorded' page.md &&
            said 'not seen: anything shorter than 10 ms, because' || { cat page.md; return 1; }
        [ "$(ls r/*/*.gz | grep -vc _inside)" = 1 ] && [ -n "$(find r -name '*_inside.*')" ] || { find r; return 1; }
        says split alpha="$1" beta="$2" gamma_="$3" delta="$4" && return 0
    done
    return 1
}
# Checks that only one process of the run prints the message.
said_once() {
    mkdir -p none && : >none/libunwind.so.8 && rm -rf r || return 1
    LD_LIBRARY_PATH=$PWD/none cpu_limit 120 ./refused_program "$TP" record --no-tfevents -o r -- sh -c 'for i in 1 2 3 4; do ./split_program 0.1; done; exit 5' \
        >out 2>err
    [ $? = 5 ] && [ "$(grep -c 'no samples of stacks are taken: libunwind' err)" = 1 ] && [ -z "$(find r -name '.*' -o -name 'said.*')" ] || { cat err; find r; return 1; }
}
# Checks that polling finds Python functions, here in a child. A known split of the time must be right within three
# standard deviations. A busy machine yields fewer samples, so the program runs longer in each turn.
python_inside() {
    for turn in 1 2 3; do
        looked 0 sh -c "\"$PY\" \"$HERE/tests/native/split_program.py\" $((4 * turn)); exit 0" && says lines "$HERE/tests/native/split_program.py" || return 1
        # shellcheck disable=SC2046
        set -- $(cat out)
        says sigma alpha="$1" beta="$2" gamma="$3" delta="$4" || continue
        "$TP" report "$trace" -o page.html --markdown page.md --quiet && ! grep -q 'let the recorder see its functions' page.md &&
            ! grep -q 'No functions were recorded' page.md && grep -q 'function | Make `alpha` cheaper' page.md && return 0
    done
    cat said page.md
    return 1
}
if is_checked; then
    skip "events refused" "a sanitizer's run"
else
    check "where events are refused: tree, states, causes by looks at /proc" tree
    check "by looks: a sleeper sleeps" sleeper
    check "by looks: 13 threads' running time is within 3 % or 20 ms of rusage" threads
    check "by polling: a short process has its words and its exit" short
    check "by looks: how a child ended" codes
    check "by looks: a line says what is missing, why, and what allows it" refusal
    check "by polling: a process that runs is recorded, and continues" goes_on
    check "by looks: the page has no share of functions and says so" page
    check "by looks: a line that all processes would say is said once" said_once
    if "$PY" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info < (3, 14))' 2>/dev/null; then
        check "by looks: functions and lines of Python" python_inside
    else
        skip "by looks: functions and lines of Python" "no Python of a known version"
    fi
    if ldconfig -p 2>/dev/null | grep -q libunwind.so.8; then
        check "by looks: functions are of samples that processes take inside" inside
    else
        skip "by looks: functions are of samples that processes take inside" "no libunwind"
    fi
fi

# ---- events of whole CPUs ----

whole() { HOW=--whole-cpus outside "$@" && says mode "whole CPUs" && says sums; }
whole_tree() {
    whole 5 sh -c 'sleep 0.3; (sleep 0.3; echo x) | cat; sh -c "exit 3"; exit 5' && [ "$(cat out)" = x ] && says count 6 &&
        says argv sleep 0.3 && says cause sleep 400 && says cause pipe 150 && { ! knows_ends || says exits 5 0 0 0 0 3; }
}
knows_ends() { ! grep -q 'exit code' err; }
set_user() { # Changes the user of the program, which would end inherited events.
    cp /bin/sleep mine && chown 65534 mine && chmod 4755 mine || return 1
    whole 2 sh -c './mine 0.4; exit 2' && says argv ./mine 0.4 && says cause sleep 300 && ! grep -q 'changed \(its\|their\) rights' err
}
whole_ends() {
    whole 0 sh -c 'i=0; while [ $i -lt 50 ]; do /bin/sh -c "exit $i"; i=$((i + 1)); done' && says count 51 &&
        says exits 0 $(seq 0 49)
}
# Checks a known split of the time. The tolerance of 3 points is two standard deviations for this number of samples. If
# other programs filled the rings, the test is tried again, at most eight times in all.
whole_split() {
    turns=3 tries=8
    while [ $turns -gt 0 ] && [ $tries -gt 0 ]; do
        # shellcheck disable=SC2046
        whole 0 ./split_program $((16 - 4 * turns)) && set -- $(cat out) || return 1
        tries=$((tries - 1))
        grep -q 'lost records' err || turns=$((turns - 1))
        says split alpha="$1" beta="$2" gamma_="$3" delta="$4" && return 0
    done
    return 1
}
# Checks threads that exit before their first sample is due. Events per thread would give this time to other threads.
whole_short() {
    whole 0 ./looks_program short && says seen threads 2001 && says sampled 70 && says running "$(cat out)" 15
}
whole_running() { whole 0 gzip -9c /usr/bin/perl && ns=$(sed -n 's/.*"cpu_us":\([0-9]*\).*/\1000/p' r/*/run.json) && says running "$ns"; }
whole_attached() {
    sh -c './split_program 3 >/dev/null; exit 4' &
    job=$!
    comes $job pgrep -P $job >/dev/null || return 1
    rm -rf r
    cpu_limit 120 "$TP" record -p $job --whole-cpus --no-tfevents -o r >out 2>err || { cat err; return 1; }
    wait $job
    [ $? = 4 ] || return 1
    trace=$(ls r/*/*.gz) && says mode "whole CPUs" && says sums && says seen threads 4 && says argv ./split_program 3 && { ! knows_ends || says status 4; } &&
        says reaches alpha first 90
}
whole_cpus_and_recording_inside() { # Checks that the recording from inside does not change.
    rm -rf r
    cpu_limit 120 "$TP" record --whole-cpus --no-tfevents -o r -- sh -c 'sleep 0.3; sort -R /usr/bin/perl /usr/bin/perl >/dev/null; exit 5' >out 2>err
    [ $? = 5 ] || { cat err; return 1; }
    trace=$(ls r/*/sh.*.gz) && says mode "whole CPUs" && says sums && says argv sort -R /usr/bin/perl /usr/bin/perl && says cause sleep 200 &&
        says status 5 && [ -n "$(find r -name '*_inside.*.gz')" ] || { find r; return 1; }
}
whole_refused() { # Checks that, without the necessary rights, a line names them and inherited events are used.
    home=$(mktemp -d) && cp "$BUILD/tracepress" "$home/tp" && chmod 777 "$home" || return 1
    (cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups ./tp record --outside --whole-cpus --no-tfevents -o r -- sleep 0.1) >out 2>err
    status=$?
    trace=$(ls "$home"/r/*/*.gz)
    says sums || status=failed
    rm -rf "$home"
    [ "$status" = 0 ] && said 'whole CPUs, which need root, CAP_PERFMON'
}
HOW=--whole-cpus outside 0 true >first 2>&1 || :
if grep -q 'whole CPUs, which need\|the kernel refuses events' err; then
    skip "events of whole CPUs" "they take root, CAP_PERFMON or perf_event_paranoid 0"
else
    check "whole CPUs: tree, causes, words and ends" whole_tree
    [ "$(id -u)" != 0 ] || check "whole CPUs: a setuid program stays in sight" set_user
    if knows_ends; then check "whole CPUs: how 50 short processes ended" whole_ends; else skip "whole CPUs: ends" "only root gets them here"; fi
    check "whole CPUs: two threads, four functions: each share within 3 points" whole_split
    check "whole CPUs: 2,000 threads that are shorter than the time between two samples are sampled" whole_short
    check "whole CPUs: running time is within 3 % of rusage" whole_running
    check "whole CPUs: a process that runs is recorded to its end" whole_attached
    check "whole CPUs together with the recording from inside" whole_cpus_and_recording_inside
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
    check "whole CPUs that are refused: a line says what it takes" whole_refused
else
    skip "whole CPUs that are refused" "needs root, setpriv and perf_event_paranoid above 0"
fi
# Checks a machine with more than 32 CPUs. Root gets events of whole CPUs. Other users get one event per CPU, without
# stacks of switches and without a ring for names.
many_cpus() {
    program many_cpus -shared -fPIC && LAUNCH="env LD_PRELOAD=$PWD/many_cpus" outside 3 sh -c 'sleep 0.1; exit 3' &&
        says mode "whole CPUs" && [ "$(grep -c 'event [039] of the CPU' err)" -ge 3 ] && ! grep -q 'of a thread' err || { cat build.log err; return 1; }
    home=$(mktemp -d) && cp "$BUILD/tracepress" many_cpus "$home" && chmod 777 "$home" || return 1
    (cd "$home" && LD_PRELOAD=$home/many_cpus setpriv --reuid=65534 --regid=65534 --clear-groups ./tracepress record --outside --no-tfevents -o r -- \
        sleep 0.1) >out 2>err
    status=$?
    rm -rf "$home"
    [ $status = 0 ] && grep -q 'event 0 of a thread' err && ! grep -q 'event [39]\|of the CPU' err || { cat err; return 1; }
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] && ! is_checked; then
    check "more than 32 CPUs: events of these, without rights one of each" many_cpus
else
    skip "more than 32 CPUs" "needs root, setpriv and perf_event_paranoid above 0"
fi
usage() {
    "$TP" record --whole-cpus --no-source outside -o r -- true >out 2>err
    [ $? = 2 ] && said 'whole-cpus needs the source outside'
}
check "--whole-cpus without what is recorded from outside" usage

# ---- all processes of a user ----

# user HOW...: records all processes of another user, including processes that start during the recording in a new
# session
user() {
    home=$(mktemp -d) && cp split_program "$home" && chmod -R 755 "$home" || return 1
    as="setpriv --reuid=65533 --regid=65533 --clear-groups"
    $as "$home/split_program" 8 >/dev/null &
    first=$!
    $as sh -c 'sleep 0.3; sleep 60; true' &
    second=$!
    comes $second pgrep -P $second >/dev/null || return 1
    rm -rf r
    # shellcheck disable=SC2086
    ${LAUNCH:-} "$TP" record --all-of-user=65533 --no-tfevents -o r "$@" 2>err &
    recorder=$!
    comes $recorder grep -q 'recording all of' err && sleep 1 || { cat err; return 1; }
    $as sleep 61 &
    third=$!
    sleep 4 # the recorder polls for new processes once per second
    kill -INT $recorder
    wait $recorder
    status=$?
    pkill -P $second
    kill $first $second $third
    wait $first $second $third
    rm -rf "$home"
    trace=$(ls r/*/*.gz)
    [ $status = 0 ] && says sums && says argv sleep 60 && says argv sleep 61 && says argv "$home/split_program" 8 && says seen threads 6 &&
        ! zcat "$trace" | grep -q '"all-of-user\|--all-of-user' && says cause sleep 1000 || { cat err; return 1; }
}
user_inherited() { user && says mode inherited; }
user_whole() { user --whole-cpus && says mode "whole CPUs"; }
user_page() { # Checks a page for several root processes, which must name no single program and no exit code.
    user && "$TP" report "$trace" -o page.html --json page.json --markdown page.md --strict --quiet 2>err || { cat err; return 1; }
    grep -q 'The group of 3 programs ' page.md && grep -q '^## .* and [2-9] others' page.md && "$TP" table "$trace" --group-by process >table.txt &&
        [ "$(grep -c ' 0 .*\(sleep 61\|split_program\|sh -c\)' table.txt)" -ge 3 ] &&
        "$PY" "$HERE/tests/check/program_view.py" "$trace" page.json >view 2>&1 || { cat page.md table.txt view; return 1; }
}
user_none() {
    "$TP" record --all-of-user=no-such-user -o r >out 2>err
    [ $? = 2 ] && said 'unknown user' && "$TP" record --all-of-user=65432 -o r >out 2>err
    [ $? = 3 ] && said 'runs no other process' && "$TP" record --all-of-user -p 1 -o r >out 2>err
    [ $? = 2 ] && "$TP" record --all-of-user -o r -- true >out 2>err
    [ $? = 2 ]
}
user_own() { # Records the caller's own processes without special rights. The recorder itself must not be recorded.
    home=$(mktemp -d) && cp "$BUILD/tracepress" "$home/tp" && chmod 777 "$home" || return 1
    as="setpriv --reuid=65531 --regid=65531 --clear-groups"
    $as sleep 62 &
    job=$!
    comes $job grep -q '^sleep' /proc/$job/comm
    (cd "$home" && $as ./tp record --all-of-user --duration 1 --no-tfevents -o r) >out 2>err
    status=$?
    kill $job
    wait $job
    trace=$(ls "$home"/r/*/*.gz)
    [ $status = 0 ] && says sums && says count 1 && says argv sleep 62 || status=failed
    rm -rf "$home"
    [ $status = 0 ] || { cat err; return 1; }
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && command -v pgrep >/dev/null; then
    if is_checked; then skip "all of a user by looks" "a sanitizer's run"; else
        user_looked() { LAUNCH=./refused_program user && says mode looks; }
        check "all that a user runs, by looks" user_looked
    fi
    if [ ! -s err ] || ! grep -q 'whole CPUs, which need' err; then check "all that a user runs and begins, by whole CPUs" user_whole; fi
    check "all that a user runs and begins, by inherited events" user_inherited
    check "several roots: page, digest and tables hold" user_page
    check "all that the caller runs, but the recorder" user_own
else
    skip "all that a user runs" "needs root, setpriv and pgrep"
fi
check "no such user, and what excludes each other" user_none

# ---- levels of kernel.perf_event_paranoid, for users without rights ----

LEVEL=/proc/sys/kernel/perf_event_paranoid
# at LEVEL OPTION MODE: records with OPTION as a user without rights, and checks that the mode is MODE. Repeats the
# recording if other programs filled the rings of whole CPUs, which is reported
at() {
    for turn in 1 2 3; do
        at_once "$@" && return 0
        grep -q 'lost records' err || return 1
    done
    return 1
}
at_once() {
    echo "$1" >$LEVEL || return 1
    rm -rf "$home/r"
    # shellcheck disable=SC2086
    (cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups ./tp record --outside $2 --no-tfevents -o r -- sh -c 'sleep 0.1; exit 3') >out 2>err
    [ $? = 3 ] && trace=$(ls "$home"/r/*/*.gz) && says sums && says mode "$3" && says cause sleep 50 || { echo "level $1 $2"; cat err; return 1; }
}
levels() {
    had=$(cat $LEVEL)
    trap 'echo "$had" >$LEVEL' EXIT
    home=$(mktemp -d) && cp "$BUILD/tracepress" "$home/tp" && chmod 777 "$home" || return 1
    at -1 --whole-cpus "whole CPUs" && at 0 --whole-cpus "whole CPUs" && at 1 "" inherited && ! grep -q 'functions of the kernel' err &&
        at 1 --whole-cpus inherited && said 'whole CPUs, which need' && at 2 "" "inherited, user" && said 'functions of the kernel'
    status=$?
    echo "$had" >$LEVEL
    trap - EXIT
    rm -rf "$home"
    return $status
}
if [ "$(id -u)" = 0 ] && [ -w $LEVEL ] && command -v setpriv >/dev/null; then
    check "levels of perf_event_paranoid: each has its mode" levels
else
    skip "levels of perf_event_paranoid" "needs root, setpriv and a level that can be set"
fi
