# Tests the ranks of a launcher, each of which runs under its own `record`. With any launcher, they must become one run,
# in whatever way they exit.
. tests/suites/case.sh
cd "$WORK" || exit 1
if is_checked; then
    skip "ranks under a launcher" "programs of launchers are not built for a sanitizer"
    exit 0
fi
cat >work.c <<'X'
#include <stdlib.h>
int main(int count, char **words)
{
    volatile double sum = 0; /* samples are of code outside the kernel */
    for (long i = 0; i < 60000000; i++)
        sum += (double)i;
    return count > 1 ? atoi(words[1]) : 0;
}
X
cc -g -o work work.c || { not_ok "a program to record" "no compiler"; exit 0; }
show() { find "$1" -name "*.json" -o -name "*.gz" | grep -c . ; cat err; ls "$1"; ls -d "$1"/*/over_ranks/*; wc -l all.json; }
# job RUN RANKS: checks the run of a job. It must have a trace and a note of each rank, one set of outputs, and no
# leftover files
job() {
    [ "$(ls "$1"/*.gz | wc -l)" = "$2" ] && [ "$(ls -d "$1"/.ranks/*.ended | wc -l)" = "$2" ] && [ -z "$(find "$1" -name .spools)" ] || return 1
    grep -q '^{"schema":"tracepress-run","schema_version":1,"state":"complete".*"ranks":\[$' "$1/run.json" &&
        [ "$(grep -c '^{.*"state":"complete".*"launcher":' "$1/run.json")" = $(($2 + 1)) ] || return 1
    [ "$(sed -n '2,$s/.*"rank":\([0-9]*\),"rank_count":'"$2"',.*/\1/p' "$1/run.json" | tr '\n' ' ')" = "$(seq -s ' ' 0 $(($2 - 1))) " ] || return 1
    [ "$(zcat "$1"/*.gz | grep -o '"rank":[0-9]*,"world_size":'"$2" | sort -u | wc -l)" = "$2" ]
}
one_job() { # one_job RUN RANKS: checks that commands read the folder as one job
    "$TP" report "$1" -o all.html --json all.json --quiet && [ "$(grep -o '"run_name":"[^"]*","profiles"' all.json | wc -l)" = 1 ] || return 1
    [ "$(grep -o '"profiles":\[.*' all.json | grep -o '"worker":"[^"]*","span"' | sort -u | wc -l)" = "$2" ]
}
# launched COMMAND...: runs the command twice into one folder, and checks that there are two runs of three ranks with
# reports
launched() {
    rm -rf r
    for turn in 1 2; do
        "$@" "$TP" record -o r --report --source sample -- ./work >out 2>err || { show r; return 1; }
    done
    [ "$(ls r | wc -l)" = 2 ] || { show r; return 1; }
    for run in r/*; do
        job "$run" 3 && [ -s "$run/report.html" ] && [ "$(ls -d "$run"/over_ranks/events.out.* | wc -l)" = 1 ] && one_job "$run" 3 || { show r; return 1; }
    done
}
if command -v mpirun.openmpi >/dev/null; then
    check "Open MPI: the ranks share a run, a second mpirun has its own" launched mpirun.openmpi --allow-run-as-root --oversubscribe -n 3
else
    skip "Open MPI: the ranks share a run" "not installed"
fi
if command -v mpiexec.hydra >/dev/null; then
    check "MPICH: the ranks share a run, a second mpiexec has its own" launched mpiexec.hydra -n 3
    check "MPICH: so they do behind a shell" launched mpiexec.hydra -n 3 sh -c '"$@"; exit $?' rank
else
    skip "MPICH: the ranks share a run" "not installed"
fi

# step JOB RANKS COMMAND...: starts ranks as srun does, each with its own host name if possible
as_host() { "$@"; }
[ "$(id -u)" = 0 ] && unshare --uts true 2>/dev/null && as_host() { name=$1 && shift && unshare --uts sh -c 'hostname "$0"; exec "$@"' "$name" "$@"; } && has_hosts=1
[ -n "${has_hosts:-}" ] || as_host() { shift && "$@"; }
rank_of() { # rank_of JOB RANKS RANK COMMAND...: runs one rank of the job
    job=$1 ranks=$2 rank=$3
    shift 3
    as_host "node$rank" env SLURM_JOB_ID="$job" SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS="$ranks" SLURM_PROCID="$rank" SLURM_LOCALID=0 "$@"
}
step() {
    step_job=$1 step_ranks=$2
    shift 2
    for step_rank in $(seq 0 $((step_ranks - 1))); do rank_of "$step_job" "$step_ranks" "$step_rank" "$@" 2>"err.$step_rank" & done
    wait
    cat err.* >err
}
slurm() {
    rm -rf r
    step 4711 12 "$TP" record -o r --report --source sample -- ./work
    step 4711 12 "$TP" record -o r --source sample -- ./work # restarts a step with the same step number
    step 4712 2 "$TP" record -o r --source sample -- ./work
    set -- r/*
    [ $# = 3 ] && job "$1" 12 && job "$2" 12 && job "$3" 2 && [ -s "$1/report.html" ] && [ ! -e "$2/report.html" ] || { show r; return 1; }
    case $1 in r/work-slurm-4711.0-*) ;; *) ls r; return 1 ;; esac
    [ -z "${has_hosts:-}" ] || [ "$(grep -o '"host":"node[0-9]*"' "$1/run.json" | sort -u | wc -l)" = 12 ] || { cat "$1/run.json"; return 1; }
}
check "Slurm, by its variables: a run per step, twelve simultaneous ranks on separate hosts" slurm
alone() { # Checks that a single rank makes all outputs, and that one rank is not a job.
    rm -rf r
    rank_of 1 4 2 "$TP" record -o r --report --source sample -- ./work 2>err && [ -s r/work-slurm-1.0-*/report.html ] || { show r; return 1; }
    rank_of 2 1 0 "$TP" record -o r --source sample -- ./work 2>err && [ "$(ls -d r/work-2*-*-*/.spools r/*/.ranks 2>/dev/null | wc -l)" = 1 ] || { show r; return 1; }
}
check "one rank alone under record has its outputs; one rank is no job" alone
ends() { # Checks that `record` exits with the exit code of its rank.
    rm -rf r
    for i in 0 1 2; do
        rank_of 5 3 $i "$TP" record -o r --source sample -- ./work $((i + 3)) 2>>err &
        eval "p$i=\$!"
    done
    wait "$p0"; a=$?; wait "$p1"; b=$?; wait "$p2"; c=$?
    [ "$a$b$c" = 345 ] && job r/work-* 3 && grep -q '"exit_code":5' r/work-*/run.json || { show r; return 1; }
}
check "exit codes of ranks are their own" ends
# Checks that outputs requested by one rank are made, whichever rank exits last. If they cannot be made, the run must
# stay unprocessed.
wanted() {
    rm -rf r && mkfifo over # the shell only waits and uses no CPU time, so it has neither samples nor a trace
    rank_of 6 2 1 "$TP" record -o r --source sample -- sh -c ': >begun; read -r _ <over; ./work' 2>err.1 &
    while [ ! -e begun ]; do sleep 0.05; done
    rank_of 6 2 0 "$TP" record -o r --report --summary --source sample -- sh -c ./work 2>err.0
    : >over
    wait
    cat err.* >err
    job r/sh-* 2 && [ -s "$(echo r/*)/report.html" ] && [ "$(ls r/*/*.tps | wc -l)" = 2 ] || { show r; return 1; }
    rm -rf r begun over
    rank_of 7 2 0 "$TP" record -o r --report --source sample -- ./work 2>err
    ln -sf /dev/full "$(echo r/*)/report.html" && rank_of 7 2 1 "$TP" record -o r --source sample -- ./work 2>err
    grep -q '^{"schema":"tracepress-run","schema_version":1,"state":"unprocessed"' r/*/run.json || { head -c 300 r/*/run.json; show r; return 1; }
    rm "$(echo r/*)/report.html" && "$TP" recover r 2>err && [ -s "$(echo r/*)/report.html" ] && grep -q '"state":"complete"' r/*/run.json || { show r; return 1; }
}
check "what one rank asked for is made; a job whose report fails is unprocessed" wanted
# Checks torchrun, which sets its own variables. Without a run id, the process of torchrun identifies the run.
torchrun() {
    rm -rf r
    for id in mine none; do
        for i in 0 1; do
            env RANK=$i WORLD_SIZE=2 LOCAL_RANK=$i MASTER_ADDR=localhost MASTER_PORT=29500 TORCHELASTIC_RUN_ID=$id TORCHELASTIC_RESTART_COUNT=0 \
                "$TP" record -o r --source sample -- ./work 2>>err &
        done
        wait
    done
    [ "$(ls r | wc -l)" = 2 ] || { show r; return 1; }
    for run in r/*; do job "$run" 2 || { show r; return 1; }; done
    env RANK=0 WORLD_SIZE=2 "$TP" record -o alone --source sample -- ./work 2>err && [ ! -e alone/*/.ranks ] || { show alone; return 1; }
}
check "torchrun's variables: a run of all its ranks; RANK alone is no job" torchrun

# gone PID: waits until the process has closed its files, because its new parent may not have waited for it yet
gone() {
    while [ -e "/proc/$1" ] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null; do sleep 0.05; done
}
# killed OPTIONS: kills the `record` of one rank while its program runs. `recover` must make the same run as without the
# kill
killed() {
    rm -rf r ready
    rank_of 9 3 1 "$TP" record -o r "$@" --source sample -- sh -c './work; : >ready; exec sleep 60' 2>err &
    while [ ! -e ready ]; do sleep 0.05; done
    rank_of 9 3 0 "$TP" record -o r "$@" --source sample -- sh -c ./work 2>>err
    pid=$(pid_of_record r/*/.ranks/1/.spools)
    rank_of 9 3 2 "$TP" record -o r "$@" --source sample -- sh -c ./work 2>>err
    [ ! -e r/*/report.html ] || { echo "it is made before all have ended"; return 1; }
    child=$(sed 's/ .*//' /proc/$pid/task/*/children)
    kill -9 "$pid" "$child"
    wait
    gone "$child"
    "$TP" recover r >out 2>err || { show r; return 1; }
}
pid_of_record() { # pid_of_record RANK: prints the process of `record` for this rank
    for at in /proc/[0-9]*; do
        [ "$(readlink "$at"/exe)" = "$(readlink -f "$TP")" ] && tr '\0' '\n' <"$at/environ" 2>/dev/null | grep -qx SLURM_PROCID=1 &&
            [ "$(readlink "$at/cwd")" = "$PWD" ] && basename "$at"
    done
}
killed_rank() {
    killed --report && job r/* 3 2>/dev/null
    [ "$(ls -d r/*/.ranks/*.ended | wc -l)" = 3 ] && [ -s "$(echo r/*)/report.html" ] && [ -z "$(find r -name .spools)" ] && grep -q 'reported in' err &&
        [ "$(grep -c '"rank_count":3' r/*/run.json)" = 4 ] || { show r; return 1; }
    killed --summary-only
    [ "$(ls r/*/*.tps | wc -l)" -ge 3 ] && ! ls r/*/*.gz 2>/dev/null && [ -z "$(find r -name 'events.out*')" ] || { show r; return 1; }
}
check "record of a rank is killed: recover makes what the job would have made" killed_rank

# Kills a run while its program runs, or while it makes its outputs. `recover` must make the outputs that `record` would
# have made.
recovered() {
    rm -rf r ready
    "$TP" record -o r "$@" --source sample -- sh -c './work; : >ready; exec sleep 60' 2>err &
    pid=$!
    while [ ! -e ready ]; do sleep 0.05; done
    child=$(sed 's/ .*//' /proc/$pid/task/*/children)
    kill -9 $pid "$child"
    wait $pid 2>/dev/null
    gone "$child"
    "$TP" recover r >out 2>err || { show r; return 1; }
    [ -z "$(find r -name .spools)" ] && grep -q '"state":"complete"' r/*/run.json || { show r; return 1; }
}
wishes() {
    recovered --report && [ -s "$(echo r/*)/report.html" ] && ls r/*/events.out.* >/dev/null && grep -q 'reported in' err || { show r; return 1; }
    recovered --no-tfevents && [ -z "$(find r -name 'events.out*' -o -name report.html -o -name '*.tps')" ] || { show r; return 1; }
    recovered --summary-only && ls r/*/*.tps >/dev/null && [ -z "$(find r -name '*.gz' -o -name 'events.out*')" ] || { show r; return 1; }
    recovered --summary && ls r/*/*.tps r/*/*.gz >/dev/null || { show r; return 1; }
}
check "recover makes event files, report and summaries as record was asked to" wishes
interrupted_outputs() { # Checks a run whose traces exist, but not the outputs made from them.
    recovered --no-tfevents && mkdir "$(echo r/*)/.spools" && sed -i 's/"state":"complete"/"state":"unprocessed"/; s/"makes":\[\]/"makes":["report"]/' r/*/run.json
    "$TP" recover r >out 2>err && [ ! -s out ] && [ -s "$(echo r/*)/report.html" ] && grep -q 'traces already existed; reports and event files were created now' err &&
        ! grep 'nothing was recorded' err && [ -z "$(find r -name .spools)" ] || { show r; cat out; return 1; }
    "$TP" recover r >out 2>err && grep -q 'nothing to recover' err
}
check "recover of a run that has its traces makes the rest" interrupted_outputs
