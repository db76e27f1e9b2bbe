# Tests `tracepress record --outside`, which records programs by kernel events without changing them. The trace must
# agree with facts that are known independently (tests/check/outside.py).
. tests/suites/case.sh
HERE=$PWD
. tests/suites/outside_case.sh
cd "$WORK" || exit 1

outside 0 true >first 2>&1 || :
if grep -q 'recording from outside failed\|the kernel refuses events' err; then
    skip "programs recorded from outside" "$(sed -n 's/.*\(from outside failed: \|for the kernel\)/\1/p' err | head -n 1)"
    exit 0
fi
# Returns whether kernel stacks are recorded, which needs root or a low perf_event_paranoid.
has_kernel() { ! grep -q 'functions of the kernel' err; }
knows_ends() { [ "$(id -u)" = 0 ] && ! grep -q 'exit code' err; }

# ---- arguments, input, output and exit codes ----

streams() {
    outside 3 sh -c 'read line; echo "got $line"; echo problem >&2; exit 3' <<X || return 1
input
X
    [ "$(cat out)" = "got input" ] && grep -qx problem err && says sums && says argv sh -c 'read line; echo "got $line"; echo problem >&2; exit 3'
}
check "input, output and exit code pass through" streams
signals() {
    outside 137 sh -c 'kill -9 $$' && said 'signal 9' && says exits S9 || return 1
    rm -rf r
    "$TP" record --outside --no-tfevents -o r -- sh -c 'trap "echo term; exit 4" TERM; : >begun; while :; do sleep 0.05; done' >out 2>err &
    comes $! test -e begun && kill -TERM $!
    wait $!
    [ $? = 4 ] && [ "$(cat out)" = term ]
}
check "signals end the program as without us" signals
missing() {
    rm -rf r
    "$TP" record --outside -o r -- ./no-such-program >out 2>err
    [ $? = 127 ] && [ -z "$(ls r 2>/dev/null)" ]
}
check "a program that is not there leaves no folder" missing
usage() {
    "$TP" record --outside --source memory -o r -- true >out 2>err
    [ $? = 2 ] && said 'exclude each other'
}
check "--outside and sources exclude each other" usage
# same COMMAND: checks that output, the command's own errors and exit code are the same with and without recording
same() {
    sh -c "$1" >alone.out 2>alone.err </dev/null
    alone=$?
    rm -rf r made
    "$TP" record --outside --no-tfevents -q -o r -- sh -c "$1" >out 2>err </dev/null
    status=$?
    [ $status = $alone ] && cmp out alone.out && cmp err alone.err && [ -f "$(ls r/*/*.gz)" ] || { echo "$1: $status, alone $alone"; cat err; return 1; }
}
seq 1 40000 >numbers
same_all() {
    printf 'int main(void) { return 0; }\n' >one.c
    for command in "gzip -nc numbers" "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<20000) select sum(x) from c'" \
        "sort -r numbers | uniq -c | tail -n 3; exit 5" "/usr/bin/python3 -c 'print(sum(range(100000))); import sys; sys.exit(7)'" \
        "perl -e 'print 6*7, qq(\n); exit 9'" "gcc -c one.c -o one.o && cmp one.o one.o" "awk '{ s += \$1 } END { print s; exit 2 }' numbers" \
        "echo '2^200' | bc" "dd if=numbers of=copy conv=fsync status=none && cmp copy numbers" "sleep 0.1" \
        "cmp numbers one.c" "tar cf - --mtime=@0 numbers | cksum"; do
        command -v "$(echo "$command" | sed 's/ .*//')" >/dev/null || continue
        same "$command" || return 1
    done
}
check "twelve programs of Debian: the same output and exit code" same_all

# ---- recorded facts: times, functions, waits ----

adds_up() {
    for command in 'sort -r numbers | uniq -c | wc -l' 'for i in 1 2 3; do sleep 0.02; done' 'gzip -c numbers | cat >/dev/null'; do
        outside 0 sh -c "$command" && says sums || return 1
    done
}
check "states add up to each thread's time to the nanosecond" adds_up
frugal() {
    for command in "gzip -9c /usr/bin/perl" "sleep 1" "sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done'"; do
        eval "outside 0 $command" && says budget || return 1
    done
}
check "the recorder takes a twentieth of the program's time and 50 ms, or says what it left out" frugal
rusage() {
    outside 0 gzip -9c /usr/bin/perl && ns=$(sed -n 's/.*"cpu_us":\([0-9]*\).*/\1000/p' r/*/run.json) && says running "$ns" && says sums
}
check "running time is within 3 % of rusage" rusage
split() {
    program split_program || { cat build.log; return 1; }
    for turn in 1 2 3; do # the tolerance of 3 points is two standard deviations for this number of samples
        # shellcheck disable=SC2046
        outside 0 ./split_program $((4 * turn)) && says sums && set -- $(cat out) &&
            says split alpha="$1" beta="$2" gamma_="$3" delta="$4" && return 0
    done
    return 1
}
check "two threads, four functions: each share within 3 points" split
# Checks that the message names the build id of a stripped program, whose functions have no names. The message is about
# the function with most samples, which on a busy machine may be another one in a short run.
names_build_id() { # names_build_id SECONDS: records the stripped program for this time
    outside 0 ./bare "$1" && says sums && "$TP" report "$trace" --quiet -o bare.html --markdown bare.md || return 1
    grep -q 'Install the debug package of build-id `0123456789abcdef0123456789abcdef01234567` and record again. bare has no symbols' bare.md ||
        { cat bare.md; return 1; }
}
stripped() {
    program split_program -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 && cp split_program bare && strip bare || return 1
    names_build_id 1 >first_try || names_build_id 3 || { cat first_try; return 1; }
    outside 0 ./split_program 1 || return 1
    zcat "$trace" | grep -q 0123456789abcdef && { echo "a program with symbols has a build-id:"; cat err; return 1; }
    return 0
}
if command -v strip >/dev/null; then check "a stripped program: the build-id of its debug package is reported" stripped; else skip "a stripped program: the build-id of its debug package is reported" "no strip"; fi
# Checks a program in a separate PID namespace. The system's list of exits has other ids, so the recorder polls each
# child.
own_namespace() {
    rm -rf r
    cpu_limit 120 unshare -pf --mount-proc "$TP" record --outside --no-tfevents -o r -- \
        sh -c 'i=0; while [ $i -lt 40 ]; do /bin/sh -c "sleep 0.01; exit $i"; i=$((i + 1)); done' >out 2>err || { cat err; return 1; }
    trace=$(ls r/*/*.gz)
    # shellcheck disable=SC2046
    says count 81 && says ended $(seq 0 39)
}
if unshare -pf --mount-proc "$TP" record --outside --no-tfevents -o r -- sh -c '/bin/sh -c "sleep 0.1; exit 3"; :' 2>err && ! grep -q 'exit code' err; then
    check "in a namespace of processes of its own: how 40 children ended" own_namespace
elif unshare -pf --mount-proc true 2>/dev/null && printf '6.15\n%s\n' "$(uname -r)" | sort -VC; then
    not_ok "in a namespace of processes of its own: how a child ended" "$(cat err)"
else
    skip "in a namespace of processes of its own" "none can be made, or the kernel does not report this"
fi
# whole FLAGS...: checks that the callback of qsort is found below main, and that a deep recursion is marked as cut
whole() {
    program callback_program -O2 -fomit-frame-pointer "$@" || { cat build.log; return 1; }
    outside 0 ./callback_program sort 1 && says reaches compare_slowly main 95 && says cuts 0 0 &&
        outside 0 ./callback_program dive 1 && says reaches spin_at_depth dive 95 && says cuts 50 400
}
whole_all() { whole && whole -no-pie; }
can_dump() { [ "$(zcat "$trace" | grep -c '"dump_bytes": *16384')" = 1 ]; }
outside 0 true >first 2>&1 || :
dumps=$(can_dump && echo yes) # stored now, because later checks overwrite the trace
# Checks that a wait inside the callback of qsort has a stack up to main. The recorder reads the stack during the wait,
# without slowing the program.
waits() {
    program callback_program -O2 -fomit-frame-pointer "$@" || { cat build.log; return 1; }
    outside 0 ./callback_program wait && says sums && says waits pipe compare_waiting main 3 && says seen whole_wait_stacks 3 && says budget
}
waits_all() { waits && waits -no-pie; }
if [ -n "$dumps" ] && has_kernel; then
    check "whole stacks of waits without frame pointers: a callback of qsort that reads from a pipe" waits_all
else
    skip "whole stacks of waits" "no room for parts of stacks, no stacks of the kernel, or another processor"
fi
if [ -n "$dumps" ]; then
    check "whole stacks without frame pointers: a callback of qsort, a stack that is too deep" whole_all
    if program callback_program -static; then check "whole stacks of a static program" whole -static; fi
else
    skip "whole stacks without frame pointers" "no room for parts of stacks, or another processor"
fi
causes() {
    outside 0 sleep 0.2 && says cause sleep 150 && outside 0 sh -c '(sleep 0.2; echo x) | cat' && says cause pipe 100 && says cause child 100
}
waits() { # Checks a thread that waits for several things, one after the other.
    program waits_program || { cat build.log; return 1; }
    # shellcheck disable=SC2046
    outside 0 ./waits_program 20 && says sums && says wait_shares $(cat out)
}
# Checks that a timed lock of the program is not mistaken for the recorder's own waits, which are marked.
own_timed_lock() {
    program timed_lock_program || { cat build.log; return 1; }
    outside 0 ./timed_lock_program && "$TP" report "$trace" -o page.html --json page.json --quiet || return 1
    "$PY" -c 'import json
view = json.load(open("page.json"))["runs"][0]["profiles"][0]["program_view"]
assert view["recording"]["wait_us"] == 0, view["recording"]
assert sum(w["total_us"] for w in view["waits"] if w["cause"] == "lock") > 300000, view["waits"]' 2>said || { cat said; return 1; }
}
if has_kernel; then
    check "a timed lock of the program is the program's" own_timed_lock
    check "sleep, pipe, child, disk, lock, socket: each share of the wall within 3 points" waits
    check "what threads wait for is named" causes
else
    skip "what threads wait for is named" "no stacks of the kernel here"
fi
# Checks that JSON and finding name the owner of a lock, which is inferred from the thread that runs in the meantime.
holders() {
    program holder_program || { cat build.log; return 1; }
    outside 0 ./holder_program && "$TP" report "$trace" -o page.html --json page.json --markdown page.md --quiet 2>err || { cat err; return 1; }
    "$PY" - <<'X' || return 1
import json
view = json.load(open("page.json"))["runs"][0]["profiles"][0]["program_view"]
tid = [t["tid"] for t in view["threads"] if t["thread"] == "holder"]
rows = [w for w in view["waits"] if w["cause"] == "lock" and w["thread"] == "wanter"]
best = max(rows, key=lambda w: w["total_us"])
assert best["holder"] == "holder" and [best["holder_tid"]] == tid, rows
assert best["holder_place"].startswith("compute"), rows
assert 2 * best["held_us"] >= best["total_us"] > 100000, rows
found = [f for f in view["findings"] if f["id"] == "lock"]
assert found and "most likely held by holder %d, in compute" % tid[0] in found[0]["detail"], view["findings"]
X
    grep -q 'most likely held by holder' page.md && grep -q 'Most likely held by' page.html || { head -n 20 page.md; return 1; }
}
if has_kernel; then
    # tries three times, because other programs may take the CPUs of a busy machine
    check "who most likely holds the lock that a thread waits for" eval "holders || holders || holders"
fi
ping_pong='
import os
a, b = os.pipe(), os.pipe()
if os.fork() == 0:
    for i in range(40000):
        os.read(a[0], 1)
        os.write(b[1], b"x")
    os._exit(0)
for i in range(40000):
    os.write(a[1], b"x")
    os.read(b[0], 1)
'
switches() { # Checks a program with more switches than the recorder can read stacks.
    outside 0 "$PY" -c "$ping_pong" && says sums && says budget && says estimated 90 && says cause pipe 50
}
if has_kernel; then
    # tries three times, because other programs may take the CPUs of a busy machine
    check "waits beyond the budget are estimated, and the recorder keeps to its own" eval "switches || switches || switches"
fi
ends() {
    outside 6 sh -c 'true; false; sh -c "exit 3"; sh -c "kill -15 \$\$"; exit 6' 2>/dev/null && says exits 6 3 S15 || return 1
    outside 0 sh -c 'i=0; while [ $i -lt 50 ]; do /bin/sh -c "exit $i"; i=$((i + 1)); done' &&
        says count 51 && says sums && says exits $(seq 0 0) $(seq 0 49)
}
if knows_ends; then check "exit codes of a shell's children, of 50 short ones" ends; else skip "exit codes of a shell's children, of 50 short ones" "only root gets them here"; fi
# Checks a program with much memory. After the last event, the kernel frees this memory, which takes longer than the
# recorder waits for records.
large() {
    outside 0 sh -c '"$0" -c "import os
x = bytearray(700 << 20)
for i in range(0, len(x), 4096): x[i] = 1
os._exit(5)"; true' "$PY" && says sums && ! grep -q 'changed \(its\|their\) rights' err || { cat err; return 1; }
    ! knows_ends || says exits 0 5
}
check "a process with much memory is over, not out of sight" large
vforks() {
    outside 5 /usr/bin/python3 -c 'import os, subprocess, sys; subprocess.call(["/bin/sleep", "0.05"]); sys.exit(5)' && says count 2 && says argv /bin/sleep 0.05 && says sums
}
[ ! -x /usr/bin/python3 ] || check "vfork and another program" vforks
static() {
    outside 0 ./split_program 0.2 && says sums && says count 1
}
if program split_program -static; then check "a static program is recorded" static; else skip "a static program is recorded" "no static C library"; fi

# ---- code generated at run time ----

# drop_maps: removes the maps of all processes in the trace
drop_maps() { for pid in $(zcat "$trace" | grep '"cat":"process"' | sed 's/.*"pid":\([0-9]*\).*/\1/'); do rm -f "/tmp/perf-$pid.map" "/tmp/perf-$pid.map.other" "jit-$pid.dump"; done; }
made() { # made NAME WAY: runs generated code named NAME, whose map is written in the way WAY
    outside 0 ./made_program "$2" 400 && says sums && says leaf "$1" 85
    status=$?
    drop_maps
    return $status
}
generated_code_has_names() {
    program made_program || { cat build.log; return 1; }
    for way in map long child dump broken; do made "made,function <b>" $way || { echo "$way"; return 1; }; done
}
generated_code_without_names() {
    program made_program || { cat build.log; return 1; }
    for way in none fifo link; do made "[jit]" $way || { echo "$way"; return 1; }; done
    [ "$(zcat "$trace" | grep -c 'jit. .memory.;.jit.')" = 0 ]
}
check "code made at run time has the names of its map, or its dump" generated_code_has_names
check "without a map, behind a pipe or a link that code has none, and nobody waits" generated_code_without_names
generated_code_in_a_namespace() { # uses a separate root folder and PID namespace, which disappear with the process
    program made_program || { cat build.log; return 1; }
    outside 0 unshare --mount --pid --fork sh -c 'mount -t tmpfs none /tmp && exec ./made_program map 400' && says leaf "made,function <b>" 70 &&
        [ "$(cat out)" = 1 ]
}
if unshare --mount --pid --fork sh -c 'mount -t tmpfs none /tmp' 2>/dev/null; then
    check "a process in namespaces of its own finds its own map" generated_code_in_a_namespace
else
    skip "a process in namespaces of its own finds its own map" "needs root"
fi
scripts() {
    cat >spin.js <<'X'
function spin(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
function outer(n) { let s = 0; for (let i = 0; i < n; i++) s += spin(200000); return s; }
let x = 0;
while (process.cpuUsage().user < 900000) x += outer(20);
X
    outside 0 node --perf-basic-prof spin.js && says leaf spin 50 && zcat "$trace" | grep -q "/spin.js(1): spin;"
    status=$?
    drop_maps
    return $status
}
if command -v node >/dev/null; then check "functions of JavaScript have names and places (node --perf-basic-prof)" scripts; fi
methods() {
    cat >Spin.java <<'X'
public class Spin {
    static int spin(int n) { int s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
    public static void main(String[] a) { int x = 0; for (int i = 0; i < 600; i++) x += spin(200000 + (x & 1)); System.exit(x == 1 ? 1 : 0); }
}
X
    javac Spin.java && outside 0 java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit Spin && says leaf "int Spin.spin(int)" 50
    status=$?
    drop_maps
    return $status
}
if command -v javac >/dev/null && java -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version 2>/dev/null | grep -q DumpPerfMapAtExit; then
    check "methods of Java have names (-XX:+DumpPerfMapAtExit)" methods
fi

# ---- unmodified Python programs ----

SPLIT=$HERE/tests/native/split_program.py
# python_split PYTHON SECONDS [HOW]: four functions measure their own time; the trace must agree. A busy machine yields
# fewer samples, so the program runs longer in each turn.
python_split() {
    for turn in 1 2 3; do
        # shellcheck disable=SC2046
        outside 0 "$1" "$SPLIT" $(($2 * turn)) ${3:+"$3"} && says sums && says lines "$SPLIT" && set -- "$1" "$2" "${3:-}" $(cat out) &&
            says sigma alpha="$4" beta="$5" gamma="$6" delta="$7" && return 0
    done
    return 1
}
can_read() { ! grep -q "Python functions" err; }
# layout PYTHON MINOR: the known memory layout of this Python must equal that of its headers
layout() {
    # shellcheck disable=SC2046
    ${CC:-cc} -w -I"$HERE" $("$1" -c 'import sysconfig; p = sysconfig.get_path("include"); print("-I%s -I%s/internal" % (p, p))') \
        "$HERE/tests/abi/python_layout.c" "$HERE/collector/outside/python/python_layouts.c" -o layout \
        $("$1" -c 'import sys, sysconfig; p = sysconfig.get_config_var("LIBDIR"); sys.version_info > (3, 13) and print("-L%s -Wl,-rpath,%s -lpython%d.%d" % ((p, p) + sys.version_info[:2]))') >build.log 2>&1 ||
        { tail -n 3 build.log; return 1; }
    ./layout
}
for python in $(pythons); do
    version=$(python_version "$python")
    if [ -d "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/internal" ]; then
        check "the layout of Python $version is that of its headers" layout "$python"
    fi
    outside 0 "$python" -c 'sum(range(3000000))' >first 2>&1 || :
    if ! can_read; then
        skip "functions and lines of Python $version" "its memory may not be read, or its version is not known"
        continue
    fi
    check "functions and lines of Python $version: shares within three deviations" python_split "$python" 2
    last=$python
done
cat >waits.py <<'X'
import select
import subprocess
import threading
import time


def nap():
    time.sleep(0.05)


def holder(begun):
    with lock:
        begun.set()
        select.select([], [], [], 0.4)


def locker():
    with lock:
        pass


def child():
    subprocess.call(["/bin/sleep", "0.3"])


lock = threading.Lock()
for _ in range(12):
    nap()
begun = threading.Event()
thread = threading.Thread(target=holder, args=(begun,))
thread.start()
begun.wait()
locker()
thread.join()
child()
X
python_waits() { # the trace shows the waiting functions with their lines, and the verdict names the wait
    outside 0 "$1" waits.py && says sums && says waits sleep "$WORK/waits.py(8): nap" "<module>" 2 && says waits lock "$WORK/waits.py(18): locker" "<module>" 1 &&
        says waits child "$WORK/waits.py(23): child" "<module>" 1 || return 1
    "$TP" report "$trace" -o page.html --markdown page.md --quiet 2>err || { cat err; return 1; }
    grep -q 'waits.py sleeps for .* of the time, mostly in nap()' page.md || { head -n 4 page.md; return 1; }
}
if [ -n "${last:-}" ] && has_kernel && [ -n "$dumps" ]; then
    check "waits of Python: the function and line that sleeps, wants a lock, waits for a child" python_waits "$last"
fi
mixed() { # in a mix of Python and native code, zlib's time is below the Python functions that call it
    for turn in 1 2 3; do
        # shellcheck disable=SC2046
        outside 0 "$last" "$SPLIT" $((2 * turn)) native && says sums && set -- $(cat out) && says sigma alpha="$1" beta="$2" gamma="$3" delta="$4" &&
            says native libz packed "$5" $(($1 + $2 + $3 + $4)) && return 0
    done
    return 1
}
if [ -n "${last:-}" ]; then
    check "Python and zlib: shares of both, zlib beneath its callers" mixed
    check "Python called back by C, in threads, in a child" eval 'python_split "$last" 2 nested && python_split "$last" 2 threads && python_split "$last" 2 child'
fi

# ---- access that the kernel refuses ----

confined() {
    program confined_program || { cat build.log; return 1; }
    for way in filter:7 threads:7 strict:5 counter:6; do
        ./confined_program ${way%:*} >/dev/null 2>&1
        [ $? = ${way#*:} ] || continue # this filter does not work on this machine
        outside ${way#*:} ./confined_program ${way%:*} && [ "$(cat out)" = "done" ] && says sums || return 1
        grep -q 'not seen' err && { cat err; return 1; }
    done
    return 0
}
check "a program that confines itself by seccomp is recorded to its end" confined
other_user() {
    outside 0 setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'id -u; sleep 0.05' && [ "$(cat out)" = 65534 ] && says sums && says argv sleep 0.05
}
set_user() { # when a process executes a program with other rights, its inherited events end
    cp /bin/sleep mine && chown 65534 mine && chmod 4755 mine || return 1
    outside 0 sh -c './mine 0.2; exit 0' && says sums && said 'changed \(its\|their\) rights'
}
unprivileged() {
    home=$(mktemp -d) && cp "$BUILD/tracepress" "$home/tp" && chmod 777 "$home" || return 1
    (cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups ./tp record --outside --no-tfevents -o r -- sh -c 'sleep 0.05; (sleep 0.3; echo x) | cat; sleep 0.3; exit 3') >out 2>err
    status=$?
    trace=$(ls "$home"/r/*/*.gz)
    { [ $status = 3 ] && { grep -q 'the kernel refuses events' err || { says sums && says argv sleep 0.05 && says cause sleep 400 && says cause pipe 150 && says cause child 400; }; }; } || status=failed
    rm -rf "$home"
    [ "$status" = 3 ] || { cat err; return 1; }
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    check "a program that becomes another user is recorded" other_user
    check "a setuid program goes out of sight, and a line says so" set_user
    check "without rights: user stacks, or a line that says why not" unprivileged
else
    skip "other users" "needs root and setpriv"
fi
# ---- processes that outlive their program, or the recorder ----

daemons() { # a recording ends with its program; remaining processes are named and continue to run
    outside 0 sh -c '(setsid sleep 60 >/dev/null 2>&1 & echo $! >daemon); sleep 0.3; exit 0' && says sums && says alive 1 && says cause sleep 500 || return 1
    daemon=$(cat daemon)
    kill -0 "$daemon" && said "1 process of it still runs: sleep ($daemon); recorded up to now" || return 1
    kill "$daemon"
    "$TP" report "$trace" -o page.html --json page.json --quiet 2>err && grep -q '"id":"left_running"' page.json && grep -q "sleep 60 (pid $daemon)" page.html
}
check "a daemon that continues is named, and is recorded until its program ends" daemons
child_of_a_killed_program() {
    outside 137 sh -c 'sleep 60 >/dev/null 2>&1 & echo $! >daemon; kill -9 $$' && says sums && says alive 1 && said 'signal 9' && kill "$(cat daemon)"
}
check "a program that is killed: its child continues and is named" child_of_a_killed_program
orphans() { # a process whose parent has exited belongs to the tree, even in another session, and its time counts
    outside 0 sh -c 'sh -c "(sleep 0.4; exit 3) & exit 0"; setsid -f sh -c "sleep 0.5; exit 4"; sleep 1; exit 0' || return 1
    says sums && says alive 0 && says argv sleep 0.4 && says argv sleep 0.5 && says cause sleep 1800 && { ! knows_ends || says ended 3 4; }
}
check "orphans, other sessions, double forks are of the tree" orphans
recorder_killed() {
    rm -rf r begun proof
    "$TP" record --outside --no-tfevents -q -o r -- sh -c ': >begun; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 0.5; echo whole >proof' >out 2>err &
    comes $! test -e begun && kill -9 $! || return 1
    wait $! 2>/dev/null
    turns=0
    until [ -s proof ] || [ $turns = 1200 ]; do turns=$((turns + 1)) && sleep 0.05; done
    [ "$(cat proof)" = whole ] && [ ! -s err ]
}
check "the program continues when the recorder is killed" recorder_killed

throttled() { # limits the program to a fifth of a CPU
    if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo '20000 100000' >"$limited/cpu.max"; else echo 20000 >"$limited/cpu.cfs_quota_us"; fi || return 1
    program split_program || { cat build.log; return 1; }
    rm -rf r
    (sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$limited" "$TP" record --outside --no-tfevents -o r -- ./split_program 0.6 >out 2>err) || { cat err; return 1; }
    trace=$(ls r/*/*.gz) && says seen throttled_ns 300000000 && says seen throttled_periods 2 &&
        "$TP" report "$trace" -o page.html --markdown page.md --quiet 2>err && grep -q 'raise its CPU limit' page.md && grep -q 'A CPU limit (cgroup) stopped the program' page.md || { head -n 4 page.md; return 1; }
}
limited=/sys/fs/cgroup/cpu/tracepress.$$
[ ! -f /sys/fs/cgroup/cgroup.controllers ] || limited=/sys/fs/cgroup/tracepress.$$
if mkdir "$limited" 2>/dev/null && { [ -f "$limited/cpu.max" ] || [ -f "$limited/cpu.cfs_quota_us" ]; }; then
    check "a limit of processor time is said to have held the program back" throttled
else
    skip "a limit of processor time is said to have held the program back" "no group of control may be made here"
fi
rmdir "$limited" 2>/dev/null

# ---- processes that already run ----

# attached STATUS PID OPTIONS...: records the process; there must be one trace, whose path is $trace
attached() {
    attached_want=$1 attached_pid=$2
    shift 2
    rm -rf r
    cpu_limit 120 "$TP" record -p "$attached_pid" --no-tfevents -o r "$@" 2>err
    status=$?
    [ $status = "$attached_want" ] || { echo "exit code $status, wanted $attached_want"; cat err; return 1; }
    [ "$attached_want" != 0 ] || { trace=$(ls r/*/*.pt.trace.json.gz) && grep -q '"state":"complete"' r/*/run.json; } || { find r; cat err; return 1; }
}
# the process has threads and a child from before the recording, and new threads; it must exit as without recording
goes_on() {
    program split_program || { cat build.log; return 1; }
    sh -c './split_program 6 >out; exit 4' &
    job=$!
    comes $job test -e "/proc/$job/task/$job/children" && comes $job pgrep -P $job >/dev/null && attached 0 $job --duration 3 || return 1
    wait $job
    [ $? = 4 ] && [ -s out ] && says sums && says count 2 && says seen threads 4 && says argv ./split_program 6 && says alive 2 &&
        says reaches alpha first 95
}
check "a process that runs is recorded with its threads and children, and continues" goes_on
interrupted() {
    for signal in INT TERM; do
        rm -rf r stop
        sh -c 'while [ ! -e stop ]; do sleep 0.05; done; exit 5' &
        job=$!
        "$TP" record -p $job --no-tfevents -o r 2>err &
        comes $! grep -q "until it exits or you press Ctrl-C" err && sleep 0.5 && kill -$signal $! || { : >stop; echo "$signal: not begun"; cat err; return 1; }
        wait $!
        status=$?
        : >stop # stops the job in any case, because a reader of its output would wait forever
        wait $job
        [ $? = 5 ] && [ $status = 0 ] || { cat err; return 1; }
        trace=$(ls r/*/*.gz) && says sums || return 1
    done
}
check "Ctrl-C ends the recording, not the process" interrupted
busy_forks() { # a process that starts during the scan is counted once
    for turn in 1 2 3 4 5 6 7 8; do
        rm -rf r stop
        sh -c 'while [ ! -e stop ]; do sleep 0.003; done' >/dev/null 2>&1 &
        job=$!
        sleep 0.05
        cpu_limit 60 "$TP" record -p $job --no-tfevents -o r --duration 0.2 >out 2>err
        status=$?
        : >stop
        wait $job
        trace=$(ls r/*/*.gz) && [ $status = 0 ] && says sums || return 1
    done
}
check "a process that begins others all the time is attached to" busy_forks
recording_ends_with_its_process() {
    sh -c 'sleep 1; exit 6' &
    job=$!
    attached 0 $job && says sums || return 1
    wait $job
    [ $? = 6 ] && { ! knows_ends || says exits 6 0; }
}
check "a recording ends when its process does" recording_ends_with_its_process
missing_process_is_refused() {
    sh -c 'exit 0' &
    job=$!
    wait $job
    attached 3 $job && said "there is no process $job" && [ -z "$(ls r 2>/dev/null)" ] || return 1
    for words in "-p 0" "-p x" "-p 1 -- true" "-p 1 --source memory"; do
        # shellcheck disable=SC2086
        "$TP" record $words -o r >out 2>err
        [ $? = 2 ] || { cat err; return 1; }
    done
}
check "no such process, an invalid number" missing_process_is_refused
foreign_process_is_refused() {
    home=$(mktemp -d) && cp "$BUILD/tracepress" "$home/tp" && chmod 777 "$home" || return 1
    sleep 20 &
    job=$!
    (cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups ./tp record -p $job --duration 1 -o r) >out 2>err
    status=$?
    left=$(ls "$home/r" 2>/dev/null)
    kill $job
    wait $job
    rm -rf "$home"
    [ $status = 3 ] && [ -z "$left" ] && said 'belongs to another user' || { cat err; return 1; }
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then check "a process of another user: a line says what it takes" foreign_process_is_refused; fi

# ---- other commands that read the trace ----

readers() {
    outside 0 sh -c 'gzip -c numbers | cksum >/dev/null' || return 1
    "$TP" report "$trace" -o page.html --json page.json --strict --quiet 2>err || { cat err; return 1; }
    "$TP" table "$trace" >table.txt 2>err && ! grep -q 'blocked\|running' table.txt || { cat table.txt; return 1; }
    "$TP" check "$trace" >check.txt 2>err
    case $? in 0 | 6) ;; *) cat check.txt err; return 1 ;; esac # exit code 6 means that no baseline exists
    "$TP" export "$trace" --to tfevents -o events --quiet 2>err || { cat err; return 1; }
    "$TP" export "$trace" --to chrome -o chrome --quiet 2>err && zcat -f chrome/* | grep -q thread_state || { cat err; return 1; }
}
check "report, table, check and exports take the trace; states are no operators" readers
