# Tests `tracepress bench`, which runs two commands alternately. Programs that write traces with seeded random step
# times simulate a machine whose speed drifts. Also distinguishes two real programs on a busy machine.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1
if ! command -v python3 >/dev/null; then
    skip "bench" "no python3"
    exit 0
fi
mkdir own && export TMPDIR=$WORK/own
bench() { # bench EXIT_CODE ARGUMENTS...: runs `tracepress bench` and checks its exit code
    wanted_code=$1
    shift
    cpu_limit 300 "$TP" bench "$@" >out 2>err
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; cat out err; return 1; }
    [ -z "$(ls -A own)" ] || { echo "left:"; ls -A own; return 1; }
}
json() { python3 -c "import json,sys; b=json.load(open('b.json')); q=b['quantities'].get(b['quantity']); assert $1, (b['verdict'], b['quantity'], q, b['stopped_by'], b['counts'])"; }

# wander.py FACTOR EXTRA: writes a trace of 12 steps to t/. Step times drift from run to run. File n counts the runs
cat >wander.py <<'END'
import json, math, os, random, sys
factor, extra = float(sys.argv[1]), int(sys.argv[2])
n = len(open("n").read()) if os.path.exists("n") else 0
open("n", "a").write("x")
machine, own = random.Random(5), random.Random(1000 + n)
place = 0.0
for _ in range(n + 1):
    place = 0.9 * place + machine.gauss(0, 0.01)
level = 1000 * factor * math.exp(place + own.gauss(0, 0.003))
events, at = [], 1000.0
for step in range(12):
    took = level * math.exp(own.gauss(0, 0.004))
    events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": at, "dur": took})
    for i in range(3 + extra):
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::item" if i >= 3 else "aten::mm", "pid": 1, "tid": 1,
                       "ts": at + 1 + i * took / 8, "dur": took / 9})
    at += took + 5
os.makedirs("t", exist_ok=True)
json.dump({"schemaVersion": 1, "traceEvents": events}, open("t/w.1.pt.trace.json", "w"))
END
# Compares a program with itself, and with a program that takes 3 % longer and makes an additional call. The speed of
# the machine drifts by 2 %, which is ten times the noise.
wanders() {
    rm -rf n t && bench 0 --traces t --json b.json 'python3 wander.py 1 0' 'python3 wander.py 1 0 ' &&
        json "b['verdict'] == 'same' and b['stopped_by'] == 'decided' and not b['counts'] and len(b['runs']) < 60" || return 1
    rm -rf n t && bench 1 --traces t --json b.json --fail-above 1% 'python3 wander.py 1 0' 'python3 wander.py 1.03 1' &&
        json "b['verdict'] == 'slower' and b['quantity'] == 'step' and b['limit'] == 'fail' and 0.02 < q['est'] < 0.04 and b['counts'] == [{'kind': 'operator', 'name': 'aten::item', 'a_per_step': 0.0, 'b_per_step': 1.0}]"
}
check "on a machine that wanders equal ones are the same, 3 % and a call more are found, with an early stop" wanders
orders() { # Checks that the same seed gives the same order of runs, and another seed another order.
    for seed in 1 1 2; do
        rm -rf n t && bench 0 --traces t --json b.json --seed $seed --max-runs 12 'python3 wander.py 1 0' 'python3 wander.py 1.03 1' || return 1
        python3 -c "import json; print([r['side'] for r in json.load(open('b.json'))['runs']][:6])" >>orders
    done
    [ "$(sort -u orders | wc -l)" = 2 ] && [ "$(sed -n 1p orders)" = "$(sed -n 2p orders)" ] || { cat orders; return 1; }
}
check "the order follows from the seed" orders
limits() {
    rm -rf n t && bench 0 --traces t --json b.json --max-runs 3 --effect 0.5% 'python3 wander.py 1 0' 'python3 wander.py 1 0 ' &&
        json "b['stopped_by'] == 'max-runs' and b['verdict'] == 'unclear' and b['runs_left'] > 0 and len(b['runs']) == 6" || return 1
    # within a second there are fewer pairs of runs than a verdict needs, so noise cannot end the comparison first
    bench 1 --no-record --inconclusive fail --effect 0.001% --max-time 1s --json b.json 'sleep 0.3' 'sleep 0.3 ' && json "b['stopped_by'] == 'max-time'"
}
check "it stops at --max-runs and --max-time, and says what is missing" limits
silent() { # Checks that the result does not contain the output of the commands.
    echo 'echo noise; echo clatter >&2' >says.sh
    bench 0 --no-record --max-runs 3 'sh says.sh' 'sh says.sh ' && ! grep -q -e noise -e clatter out && [ ! -s err ] || { cat out err; return 1; }
    bench 0 --no-record --max-runs 3 --json - 'sh says.sh' 'sh says.sh ' && python3 -c 'import json; json.load(open("out"))' &&
        bench 0 --no-record --max-runs 3 --markdown - 'sh says.sh' 'sh says.sh ' && ! grep -q noise out && [ "$(wc -l <out)" -le 60 ]
}
check "what the commands print is in no output" silent
failing() {
    bench 3 --no-record true 'echo one; echo "it broke" >&2; exit 9' && grep -q 'it broke' err && grep -q 'B failed with exit code 9' err && [ ! -s out ] || { cat out err; return 1; }
    bench 3 --no-record true 'kill -9 $$' && grep -q '137' err && bench 3 --traces t true 'true ' && grep -q 'wrote no trace' err
}
check "a command that fails ends it with its output" failing

# ---- recorded programs, and files that are kept ----

recorded() {
    rm -rf kept && bench 0 --keep kept --max-runs 3 --json b.json "python3 -c \"sum(range(3000000))\"" "python3 -c \"sum(range(3100000))\"" &&
        [ "$(find kept/A kept/B -name "*.pt.trace.json.gz" | wc -l)" -ge 6 ] && [ -d kept/A/003 ] && json "q['pairs'] == 3 and b['quantity'] == 'wall'"
}
if is_checked; then
    skip "programs are recorded, and traces kept with --keep" "the sanitizer's runtime comes first"
else
    check "programs are recorded, and traces kept with --keep" recorded
fi

# ---- revisions ----
revisions() {
    rm -rf repo && mkdir repo && cd repo && git init -q . && git config user.email a@b && git config user.name n || return 1
    mkdir src && echo 'sleep 0.02' >src/run.sh && git add . && git commit -qm one && echo 'sleep 0.04' >src/run.sh && git commit -qam two && cd src || return 1
    cpu_limit 100 "$TP" bench --no-record --rev HEAD~1 --rev HEAD --setup 'echo built >built' --max-runs 8 --json ../../b.json -- sh run.sh >../../out 2>../../err
    code=$?
    [ "$(git worktree list | wc -l)" = 1 ] && [ "$(git status --porcelain)" = "" ] && cd ../.. || { git worktree list; return 1; }
    [ $code = 0 ] && json "b['verdict'] == 'slower' and b['a']['name'] == 'HEAD~1' and q['est'] > 0.2" && [ -z "$(ls -A own)" ] || { cat out err; return 1; }
    cd repo && "$TP" bench --no-record --rev nowhere --rev HEAD -- true 2>../err
    [ $? = 2 ] && grep -q 'no such commit' ../err
}
if command -v git >/dev/null; then
    check "revisions run in worktrees that go" revisions
else
    skip "revisions run in worktrees that go" "no git"
fi

# ---- signals ----
is_running() { pgrep -f "^sleep 98765" >/dev/null; }
exits_after_signal() { # exits_after_signal SIGNAL EXIT_CODE OPTIONS...: sends the signal to `bench` and checks the exit code
    signal=$1 wanted=$2
    shift 2
    "$TP" bench "$@" --json half.json 'sleep 98765 & sleep 98765' true >out 2>err &
    pid=$!
    comes $pid is_running || { cat err; return 1; }
    kill -"$signal" $pid
    wait $pid
    code=$?
    [ $code = "$wanted" ] && ! is_running && [ -z "$(ls -A own)" ] && [ ! -e half.json ] && [ ! -s out ] ||
        { echo "exit $code"; cat out err; ls -A own; pgrep -af 98765; return 1; }
}
signals() { exits_after_signal TERM 143 --no-record && exits_after_signal HUP 129 --no-record && exits_after_signal TERM 143; }
check "asked to end it leaves no process and no file" signals
# Checks an interrupt from a terminal, which sends the signal to the process group. The commands have their own group.
interrupted() {
    setsid sh -c 'trap "" INT; exec "$@"' sh python3 -c "
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
bench = subprocess.Popen(sys.argv[1:], start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while subprocess.run(['pgrep', '-f', '^sleep 98765'], stdout=subprocess.DEVNULL).returncode: time.sleep(0.05)
os.killpg(bench.pid, signal.SIGINT)
sys.exit(bench.wait())" "$TP" bench --no-record 'sleep 98765 & sleep 98765' true >out 2>err
    code=$?
    [ $code = 130 ] && ! is_running && [ -z "$(ls -A own)" ] || { echo "exit $code"; cat out err; ls -A own; return 1; }
}
check "Ctrl-C leaves no process and no file" interrupted

# ---- two real programs ----
cat >work.py <<'END'
import sys
n = int(200000 * float(sys.argv[1]))
total = 0
for i in range(n * 10):
    total += i & 7
END
# Checks that 3 % more work is found, or reported as too small to detect, while another program runs. The measure is CPU
# time.
real() {
    python3 work.py 1000 >/dev/null & busy=$!
    bench 0 --no-record --quantity cpu --effect 3% --max-runs 20 --max-time 150s --json b.json 'python3 -S work.py 3' 'python3 -S work.py 3.09'
    code=$?
    kill $busy
    wait $busy 2>/dev/null
    [ $code = 0 ] && json "b['verdict'] == 'slower' or b['verdict'] == 'unclear' and q['sees'] > 0.03" &&
        json "q['lo'] < 0.03 < q['hi']" && echo "$(head -n 3 out)" && cp b.json real.json || { cat out; return 1; }
}
if is_checked; then skip "3 % more work is distinguished on a busy machine" "times of a sanitizer"; else check "3 % more work is distinguished on a busy machine" real; fi
