# Tests the workflow of docs/ci.md in a scratch repository: runs pass, fail at the right line, and are accepted. A slow
# drift must be found although no single run fails. Git merges the store, 200 runs are readable, and each takes little
# space. Also tests the page of the history.
. tests/suites/case.sh
GEN=$PWD/tests/check/gen_history.py
GATE=$PWD/tests/check/gate.py
ACTION=$PWD/.github/actions/tracepress-check/check.sh
PYTHON=${CHECK_PYTHON:-python3}
PAGES=$PWD/tests/browser
cd "$WORK" || exit 1
if ! command -v python3 >/dev/null || ! command -v git >/dev/null; then
    skip "history" "no python3 or git"
    exit 0
fi
export GITHUB_ACTOR=anna SOURCE_DATE_EPOCH=1767225600
unset GITLAB_USER_LOGIN
git init -q -b main repo && cd repo && git config user.email a@b && git config user.name n && git commit -qm begin --allow-empty
printf '%s\n' 'step.time.median <= +3 %' 'optional operators.per_step <= +0' >perf.budget
echo 'step.time.median <= +3 %' >loose.budget
run() { # run EXIT_CODE NUMBER STEP_US LABEL OPTIONS...: stores a run; EXTRA is a number of additional operators
    wanted_code=$1 number=$2 step=$3 label=$4
    shift 4
    python3 "$GEN" ../t.json "$step" "$number" "${EXTRA:-0}" || return 1
    "$TP" check ../t.json --budget perf.budget --baseline baselines/ --label "$label" "$@" >../out 2>../err
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "$label: exit $code, not $wanted_code"; cat ../out ../err; return 1; }
}
says() { grep -q -- "$1" ../out ../err || { echo "not said: $1"; cat ../out ../err; return 1; }; }
one_line() { tr '\n' ' ' <../out | tr -s ' ' >../line; grep -q -- "$1" ../line || { echo "not said: $1"; cat ../out ../err; return 1; }; }

green() {
    for i in $(seq 1 12); do run 0 "$i" 1000 "c$(printf %02d "$i")" --update-baseline || return 1; done
    [ "$(ls baselines | wc -l)" = 12 ] && git add . && git commit -qm baselines && ! grep -q 'History: the step time changed' ../out || { ls baselines; cat ../out; return 1; }
}
check "green: twelve equal runs are stored, a file each" green
red() { # Checks that a failed run is stored with its verdict, but is not a baseline for later runs.
    run 1 13 1200 c13 --update-baseline && says 'step.time.median' && says 'stored as a run that broke a limit' || return 1
    grep -qx 'verdict: fail' baselines/c13.note || { cat baselines/c13.note; return 1; }
    run 1 14 1200 c14 --update-baseline && run 0 15 1000 c15 --update-baseline && [ ! -e baselines/c15.note ]
}
check "red: a slower run breaks the limit and is stored as what broke it; main is not red for ever" red
drift() { # Makes runs 2.2 % slower from one commit on, where the limit is 3 %.
    rm -rf baselines && git checkout -q baselines && EXTRA=0
    run 0 13 1000 c13 --update-baseline && run 0 14 1000 c14 --update-baseline && run 0 15 1000 c15 --update-baseline || return 1
    EXTRA=1
    for i in 16 17 18 19; do run 0 "$i" 1022 "c$i" --update-baseline --budget loose.budget || return 1; done
    one_line 'History: the step time changed by +2\.[0-9] % between c15 and c16' && one_line 'operators.per_step 6 -> 7' &&
        run 1 20 1200 c20 --update-baseline --bisect-hint && one_line 'step time differs by +[12][0-9]\.[0-9] % from the accepted level' && says 'Bisect: git bisect start c16 c15' && says 'git bisect run tracepress bench --rev'
}
check "drift: the commit and the counts that changed are named, against a level that does not roll; --bisect-hint" drift
accepted() {
    EXTRA=1
    run 0 21 1200 c21 --accept --reason 'the larger vocabulary
is worth it' && says 'accepted; it begins a new level' || return 1
    printf 'tracepress-run-note 1\nverdict: fail\naccepted: 2026-01-01 00:00:00 UTC\nby: anna\nreason: the larger vocabulary is worth it\n' |
        cmp - baselines/c21.note || { cat baselines/c21.note; return 1; }
    run 0 22 1200 c22 --update-baseline && run 0 23 1200 c23 --update-baseline && one_line 'begins with run c21, accepted by anna on 2026-01-01 00:00:00 UTC: the larger vocabulary is worth it' &&
        run 1 24 1700 c24 && run 2 24 1700 c24 --reason x && says 'needs --accept'
}
check "accepted: a level begins, with who, when and why; limits are held against it" accepted
committed() { # Checks that a later run of an old commit is placed at that commit.
    rm -rf ordered && for i in 1 2 3; do
        at=$((i == 3 ? 15 : 10 * i))
        run 0 "$i" 1000 "k$i" --baseline ordered/ --update-baseline --committed "$((1767225600 + at))" || return 1
    done
    grep -qx 'committed: 1767225615' ordered/k3.note && "$TP" report ../t.json --history ordered/ -q -o ../h.html || return 1
    [ "$(grep -o '<title>k[123]: ' ../h.html | head -3 | tr -d '\n')" = '<title>k1: <title>k3: <title>k2: ' ] || { grep -o '<title>k[123]: ' ../h.html; return 1; }
    run 2 4 1000 k4 --committed yesterday && says "git show -s --format=%ct"
}
check "history: runs stand in the order of their commits, where these are known" committed
# Checks labels that are hashes of commits. Without the times of the commits, runs are in the order in which they were
# made.
dated() {
    rm -rf dated && for i in 1 2 3; do run 0 "$i" 1000 "$(printf '%s' "z y x" | cut -d' ' -f"$i")" --baseline dated/ --update-baseline || return 1; done
    "$TP" report ../t.json --history dated/ -q -o ../h.html || return 1
    [ "$(grep -o '<title>[xyz]: ' ../h.html | head -3 | tr -d '\n')" = '<title>z: <title>y: <title>x: ' ] || { grep -o '<title>[xyz]: ' ../h.html; return 1; }
}
check "history: runs without a commit's time stand in the order in which they were made, whatever their labels" dated
damaged() { # Checks that a damaged run is never stored, even if it is accepted.
    head -c 3000 ../t.json >../cut.json
    "$TP" check ../cut.json --budget perf.budget --baseline baselines/ --label cut --accept >../out 2>../err
    [ $? = 6 ] && [ ! -e baselines/cut.tps ] && [ ! -e baselines/cut.note ] || { cat ../out ../err; return 1; }
    echo 'something else' >baselines/c22.note # a note of another version does not define a level
    run 0 25 1200 c25 && rm baselines/c22.note
}
check "a damaged run is never stored" damaged
alone() { # Checks a store whose only run has failed. That run must not become a baseline, even without its note.
    rm -rf bad && EXTRA=0 && run 0 30 1000 a --baseline bad/ --update-baseline && EXTRA=1 && run 1 31 1300 b --baseline bad/ --update-baseline && rm bad/a.tps &&
        cp bad/b.note ../b.note || return 1
    broken() { run 6 32 1300 n --baseline bad/ && one_line 'every run of the baseline broke a limit' || { echo "$1"; return 1; }; }
    broken "with its note" && rm bad/b.note && broken "without its note" || return 1
    run 6 32 1300 n --baseline bad/b.tps && one_line 'every run of the baseline broke a limit' || { echo "named as a file"; return 1; }
    : >bad/b.note && broken "with an empty note" || return 1
    for size in 5 21 22 30 36; do head -c "$size" ../b.note >bad/b.note && broken "with a note of $size bytes" || return 1; done
    printf 'tracepress-run-note 2\nverdict: pass\n' >bad/b.note && broken "with a note of another version" || return 1
    printf 'tracepress-run-note 1\nverdict: pass\ncommitted: 5\n' >bad/b.note && broken "with the note of a good run" || return 1
    printf 'tracepress-run-note 1\nverdict: fail\naccepted: now\n' >bad/b.note && broken "with the note of an accepted run" || return 1
    rm bad/b.note && mkdir bad/b.note && broken "with a folder for its note" || return 1
    rmdir bad/b.note && "$TP" merge bad/b.tps -o bad/c.tps -q 2>../err && rm bad/b.tps && broken "merged into another file" || { cat ../err; return 1; }
    head -c 900 bad/c.tps >bad/d.tps && rm bad/c.tps && run 3 32 1300 n --baseline bad/ && run 3 32 1300 n --baseline bad/d.tps
}
check "a run that broke a limit is no baseline, with its note or without it" alone
# Checks that an accepted run stays accepted without its note, and that a good run with an unreadable note is skipped
# with a message.
kept() {
    rm -rf good && EXTRA=0 && run 0 33 1000 a --baseline good/ --update-baseline && EXTRA=1 && run 0 34 1300 b --baseline good/ --accept && rm good/b.note &&
        run 0 35 1300 n --baseline good/ && printf 'tracepress-run-note 1\nverdict: pa' >good/a.note && run 0 35 1300 n --baseline good/ &&
        says 'good/a.tps: its note cannot be read' && rm good/b.tps && run 6 35 1000 n --baseline good/
}
check "an accepted run stays accepted without its note; a note that cannot be read makes no run good" kept
merges() { # Stores runs on two branches and merges them with git.
    git add . && git commit -qm more && git checkout -qb one && run 1 26 1700 d1 --update-baseline && git add . && git commit -qm one &&
        git checkout -q main && run 0 27 1200 d2 --update-baseline && git add . && git commit -qm two && git merge -q -m both one >../said 2>&1 || { cat ../said; return 1; }
    [ -e baselines/d1.tps ] && [ -e baselines/d1.note ] && [ -e baselines/d2.tps ] && run 0 28 1200 d3
}
check "branches that store runs merge without a conflict" merges
pages() {
    python3 "$GEN" ../t.json 1200 29 1 && "$TP" report ../t.json --history baselines/ -o ../h.html -q || return 1
    for text in 'accepted level' 'c21' 'class="mark' 'anna' 'the larger vocabulary is worth it'; do grep -q "$text" ../h.html || { echo "not in the page: $text"; return 1; }; done
}
check "the page of the history: accepted level, limits, changes with their commits, marks" pages
many() { # Stores 200 runs.
    mkdir many && python3 "$GEN" ../t.json 1000 1 && "$TP" summarize ../t.json -o many/r000.tps -q || return 1
    size=$(wc -c <many/r000.tps)
    for i in $(seq 1 210); do cp many/r000.tps "many/r$(printf %03d "$i").tps"; done
    cpu_limit 60 "$TP" check ../t.json --baseline many --budget perf.budget >../out 2>../err || { cat ../out ../err; return 1; }
    [ "$size" -lt 3072 ] || { echo "a run has $size bytes"; return 1; }
}
check "more than 200 runs are read; a run of a small program has less than 3 KB" many

# Tests the workflow with a torch program, as in a repository on a code host: pushes to main, a pull request, an
# accepted change.
TORCH=${TORCH_PYTHON:-build/torch/bin/python}
case $TORCH in */*) TORCH=$(cd "$OLDPWD" 2>/dev/null && cd "$(dirname "$TORCH")" 2>/dev/null && pwd)/$(basename "$TORCH") ;; esac
# event EXIT_CODE INPUTS...: runs the program, then the action with these inputs, and compares the exit code of the
# check
event() {
    wanted_code=$1
    shift
    rm -rf runs out github && mkdir out && OMP_NUM_THREADS=1 "$TORCH" train.py >../trained 2>&1 || { cat ../trained; return 1; }
    env TP_PROGRAM="$TP" TP_TRACES=runs TP_BUDGET=perf.budget TP_BASELINE=baselines TP_SOURCE_ROOT="$PWD" TP_OUTPUT=out TP_LABEL="$(git rev-parse HEAD)" \
        GITHUB_OUTPUT="$PWD/github" GITHUB_STEP_SUMMARY="$PWD/out/summary.md" "$@" sh "$ACTION" >../out 2>../err
    grep -qx "code=$wanted_code" github || { echo "not exit $wanted_code"; cat github ../out ../err; return 1; }
    for from in json xml sarif md txt; do cp "out/check.$from" "out/out.$from"; done
    cp out/badge.svg out/out.svg && "$PYTHON" "$GATE" formats out
}
pull_request() {
    git init -q -b main ../repo2 && cd ../repo2 && git config user.email a@b && git config user.name n || return 1
    cat >train.py <<'END'
import torch
from torch.profiler import profile, schedule, tensorboard_trace_handler


def train(model, optimizer, p):
    for step in range(12):
        optimizer.zero_grad()
        loss = model(torch.randn(64, 64)).sum()
        loss.backward()
        optimizer.step()
        p.step()


def main():
    model = torch.nn.Linear(64, 64)
    with profile(schedule=schedule(wait=1, warmup=1, active=9), on_trace_ready=tensorboard_trace_handler("runs", use_gzip=True),
                 record_shapes=True, profile_memory=True, with_stack=True) as p:
        train(model, torch.optim.SGD(model.parameters(), lr=0.1), p)


main()
END
    printf '%s\n' 'count.wait <= +0' 'count.added <= +0' 'step.time.median <= 10 s' >perf.budget
    printf '%s\n' runs out github >.gitignore
    git add . && git commit -qm 'a program' && event 0 TP_UPDATE_BASELINE=true && git add . && git commit -qm 'its first run' || return 1
    for i in 1 2; do git commit -qm "change $i" --allow-empty && event 0 TP_UPDATE_BASELINE=true || return 1; done
    [ "$(find baselines -name '*.tps' | wc -l)" = 3 ] || { ls baselines; return 1; }
    git checkout -qb slower && sed 's/^\( *\)loss.backward()/\1print(loss.item())\n&/' train.py >t && mv t train.py && git commit -qam 'print the loss' && event 1 || return 1
    line=$(grep -n 'loss.item()' train.py | cut -d: -f1)
    "$PYTHON" - "$line" <<'END' && grep -q "train.py($line): train: +1 aten::item per step" out/check.txt && grep -q "^- train.py($line): train: +1 aten::item" out/summary.md
import json, sys
(run,) = json.load(open("out/check.sarif"))["runs"]
at = [r["locations"][0]["physicalLocation"] for r in run["results"] if r["ruleId"] == "count.wait"]
assert [(a["artifactLocation"]["uri"], a["region"]["startLine"]) for a in at] == [("train.py", int(sys.argv[1]))], at
END
}
accepted_there() {
    cd ../repo2 && git checkout -q slower || return 1
    "$TP" check runs --budget perf.budget --baseline baselines/ --label "$(git rev-parse HEAD)" --accept --reason 'the loss is worth it' >../out 2>../err || { cat ../out ../err; return 1; }
    says 'accepted; it begins a new level' && git add . && git commit -qm 'accept it' && event 0 && cp out/check.txt ../out && one_line 'accepted by anna on 2026-01-01 00:00:00 UTC.*the loss is worth it'
}
if [ -x "$TORCH" ]; then
    check "a program of torch: three pushes are green, a pull request with .item() is red at its line, in every format" pull_request
    check "the same, accepted with a reason: green from there on" accepted_there
else
    skip "the workflow with a program of torch" "no torch (TORCH_PYTHON)"
fi
