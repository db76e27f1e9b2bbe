# Tests jobs of many ranks. Planted causes must come first, numbers must equal those in `report`, and all engines must
# give the same bytes.
. tests/suites/case.sh
export PATH="$BUILD:$PATH"
J="$WORK/j"
mkdir -p "$J"
if ! command -v python3 >/dev/null; then
    skip "jobs of many ranks" "no python3"
    exit 0
fi
report() { "$TP" report "$@" >"$WORK/out" 2>"$WORK/err"; }
expect() { # expect EXIT_CODE ARGUMENTS...: runs `report` and compares its exit code
    wanted_code=$1
    shift
    report "$@"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; cat "$WORK/out" "$WORK/err"; return 1; }
}

# ---- planted causes ----
if is_checked; then # with sanitizers, one size is enough, because they are slow
    small() {
        for fault in clean compute host data more-work missing; do
            "$BUILD/make_job" "$J/s.tps" 16 2 2 $fault 2 >/dev/null && expect 0 "$J/s.tps" -o "$J/s.html" --json "$J/s.json" --markdown "$J/s.md" ||
                return 1
        done
    }
    check "job: 16 ranks with each fault, checked" small
else
    export DRAWS SEED
    seeds="seed ${SEED:=1}"
    [ "${DRAWS:=}" != full ] || seeds="seeds 1 to 3"
    check "job: the planted cause is named first, 2 to 10,000 ranks; clean jobs raise nothing ($seeds)" \
        python3 tests/job/check_job.py planted "$TP" "$J" "$BUILD/make_job"
    check "job: what the costly causes cost, 8 to 10,000 ranks: within 20 %, shares add up, clean jobs are silent ($seeds)" \
        python3 tests/job/check_job.py what-if "$TP" "$J" "$BUILD/make_job"
    check "job: traces with overlapped collectives, pipelines, FSDP, experts: cause first, its share within 20 %" \
        python3 tests/job/check_job.py simulated "$TP" "$J"
    check "job: 10,000 summaries in files of their own: page below 5 MB, memory below 1 GB" \
        python3 tests/job/check_job.py large "$TP" "$J" "$BUILD/make_job"
    check "job: report of ranks has headline, findings and replay of their job's page, in page, Markdown and JSON" \
        python3 tests/job/check_job.py alike "$TP" "$J"
    check "job: --json of 5,120 ranks takes at most 3.5 times the yardstick, and grows with the ranks alone" \
        python3 tests/job/check_job.py quick "$TP" "$J" "$BUILD/make_job"
fi

# ---- the replay agrees with the executable definitions ----
if [ -f "$SHARED/oracle/ledger_ref.py" ] && ! is_checked; then
    check "job: replay, coordinates, causes and shares of random jobs equal the reference to 1e-12" \
        python3 tests/job/check_replay.py "$BUILD/replay_job" "$SHARED/oracle/ledger_ref.py" "$(draws 80 60)"
else
    skip "job: replay and causes equal the reference" "no reference next to the project, or a checked build"
fi

# ---- the numbers agree with those of report ----
check "job: two ranks merged equal the report of both (DDP)" \
    python3 tests/job/check_job.py equal "$TP" "$J" tests/data/ddp/worker0.pt.trace.json.gz tests/data/ddp/worker1.pt.trace.json.gz
S=$SHARED/data
if [ -d "$S/expected/reference/runs" ]; then
    check "job: hta/trace_filter merged equals the report and the reference" python3 tests/job/check_job.py equal "$TP" "$J" \
        "$S"/traces/hta/trace_filter/*.json.gz --expected "$S/expected/reference/runs/hta__trace_filter.json.gz"
    for kind in full plain shapes stack; do
        check "job: ddp_gloo.$kind merged equals the report and the reference" python3 tests/job/check_job.py equal "$TP" "$J" \
            "$S/torch/2.13/ddp_gloo.$kind"/rank?/worker?.pt.trace.json.gz \
            --expected "$S/expected/reference/runs/torch__2.13__ddp_gloo.$kind.json.gz"
    done
else
    skip "job: real ranks merged equal the reference" "no data next to the project"
fi

# ---- from traces ----
traces() { # traces FAULT CAUSE: checks that traces with this fault have this cause in the JSON
    rm -rf "$J/tr"
    python3 tests/job/make_traces.py "$J/tr" 4 --fault "$1" --seed 3 >"$J/said" &&
        "$TP" summarize "$J/tr" -q -o "$J/tr.tps" && expect 0 "$J/tr.tps" --json "$J/tr.json" || return 1
    victim=$(sed 's/.*victim //' "$J/said")
    if [ "$1" = clean ]; then
        grep -q '"findings":\[\],"replay"' "$J/tr.json" || { head -c 2000 "$J/tr.json"; return 1; }
    else
        grep -q "\"cause\":\"$2\".*\"worst_rank\":$victim," "$J/tr.json" || { head -c 2000 "$J/tr.json"; return 1; }
    fi
}
check "job: four traces with a rank that computes slower" traces compute slow_compute
check "job: four traces with a rank held up by its host" traces host late_host
check "job: four traces with a rank that waits for its input" traces data slow_input
check "job: four clean traces raise nothing" traces clean

check "job: a link that is slow by its sheet is named, once; sound, unknown and partial ones are not" \
    python3 tests/job/check_links.py "$TP" "$J"

python=${TORCH_PYTHON:-$PWD/build/torch/bin/python}
# Checks that a loop over gradients is distinguished from one flat tensor, in traces of two real ranks.
small_collectives() {
    rm -rf "$J/small" && "$python" tests/torch/collectives.py record "$J/small" 16 >"$J/said" 2>&1 || { tail -n 5 "$J/said"; return 1; }
    for kind in loop flat; do
        expect 0 "$J/small/$kind" -q --json "$J/small.$kind.json" -o "$J/small.html" || return 1
    done
    [ "$(grep -o '"cause":"comm.small"' "$J/small.loop.json" | wc -l)" = 2 ] && ! grep -q '"cause":"comm.small"' "$J/small.flat.json"
}
if "$python" -c 'import torch.distributed' 2>/dev/null; then
    check "job: small collectives of two real ranks are named, one flat one is not" small_collectives
else
    skip "job: small collectives of two real ranks" "no Python with torch: set TORCH_PYTHON"
fi

many() { # Reads 5,000 small traces.
    rm -rf "$J/many"
    python3 tests/job/make_traces.py "$J/many" 5000 --steps 4 --kernels 2 --fault compute --victim 4321 >/dev/null &&
        "$TP" summarize "$J/many" -q -o "$J/many.tps" && expect 0 "$J/many.tps" --json "$J/many.json" -o "$J/many.html" || return 1
    rm -rf "$J/many"
    grep -q '"rank_count":5000,.*"cause":"slow_compute".*"ranks":"4321"' "$J/many.json" || { head -c 2000 "$J/many.json"; return 1; }
}
is_checked || check "job: 5,000 traces summarised; the slow one is named" many

# ---- damaged summaries ----
whole() { "$BUILD/make_job" "$J/d/" 6 >/dev/null; }
damaged() {
    rm -rf "$J/d" && mkdir "$J/d" && whole || return 1
    head -c 300 "$J/d/rank00001.tps" >"$J/x" && mv "$J/x" "$J/d/rank00001.tps"
    printf 'not this' | dd of="$J/d/rank00002.tps" bs=1 seek=500 conv=notrunc 2>/dev/null
    : >"$J/d/rank00003.tps"
    echo '{"traceEvents":[]}' >"$J/d/hostile <script>alert(1)<.tps"
    expect 0 "$J/d" -o "$J/d.html" --json "$J/d.json" --markdown "$J/d.md" || return 1
    for file in rank00001.tps rank00002.tps rank00003.tps 'hostile <script>'; do
        grep -qF "$file" "$WORK/err" && grep -qF "$(printf %s "$file" | sed 's/<.*//')" "$J/d.html" && grep -qF "$file" "$J/d.json" ||
            { echo "$file is not named"; return 1; }
    done
    grep -q 'script>alert' "$J/d.html" && { echo "a file name is not escaped"; return 1; }
    grep -q '"missing_ranks":"1-3"' "$J/d.json" || { echo "missing ranks"; return 1; }
    rm -f "$J/d.html"
    expect 3 "$J/d" -o "$J/d.html" --strict && [ ! -e "$J/d.html" ]
}
check "job: cut, damaged, empty and foreign summaries are named and skipped, refused by --strict" damaged
# Damages summaries at random. JOB_DAMAGES=2000 makes 2000 damaged files, and SEED=n selects other damages.
jobs_damaged() {
    python3 tests/job/check_damage.py "$TP" "$J" "${SEED:-1}" "${JOB_DAMAGES:-$(is_checked && echo 40 || echo 190)}"
}
check "job: of a damaged job the page says what it says of the whole one, or that it is not whole" jobs_damaged
twice() { # Checks a rank that occurs twice, and another rank that has a second recording with more events.
    "$BUILD/make_job" "$J/t.tps" 8 >/dev/null && "$BUILD/make_job" "$J/t2.tps" 8 1 1 compute 1 7 0 9 >"$J/said" || return 1
    rm -rf "$J/t1" && mkdir "$J/t1" && "$BUILD/make_job" "$J/t1/" 8 >/dev/null || return 1
    expect 0 "$J/t.tps" "$J/t1/rank00003.tps" -o "$J/t.html" --json "$J/t.json" || return 1
    grep -q '"rank_count":8,.*"findings":\[\],.*"duplicate_records":1,' "$J/t.json" && grep -q '1 summary is a duplicate' "$J/t.html" || return 1
    expect 0 "$J/t.tps" "$J/t2.tps" --json "$J/t2.json" && grep -q '"rank_count":8,.*"duplicate_records":8,' "$J/t2.json"
}
check "job: a rank that comes twice counts once, and that is said" twice
none() {
    rm -rf "$J/n" && mkdir "$J/n" && : >"$J/n/a.tps" && expect 3 "$J/n" -o "$J/n.html" && [ ! -e "$J/n.html" ]
}
check "job: no usable summary" none
unwritable() { "$BUILD/make_job" "$J/u.tps" 3 >/dev/null && expect 4 "$J/u.tps" -o /nonexistent/u.html; }
check "job: a page that cannot be written" unwritable
hostile_names() {
    "$TP" summarize tests/data/traces/hostile_names.pt.trace.json.gz -q -o "$J/h.tps" && expect 0 "$J/h.tps" -o "$J/h.html" || return 1
    ! grep -qiE '<img src=x|<script>alert|onerror=' "$J/h.html"
}
check "job: names of a hostile trace are escaped" hostile_names
flips() { # Checks that random damage gives an exit code, never a signal.
    "$BUILD/make_job" "$J/f.tps" 5 1 1 clean 1 3 4 >/dev/null
    python3 - "$TP" "$J" <<'PY'
import random, subprocess, sys
tp, work = sys.argv[1:]
data = open(work + '/f.tps', 'rb').read()
for seed in range(60):
    chance, bad = random.Random(seed), bytearray(data)
    for _ in range(chance.choice((1, 3, 30))):
        bad[chance.randrange(len(bad))] = chance.randrange(256)
    if seed % 5 == 0:
        del bad[chance.randrange(len(bad)):]
    open(work + '/flip.tps', 'wb').write(bad)
    code = subprocess.run([tp, 'report', work + '/flip.tps', '-q', '-o', work + '/flip.html'], stderr=subprocess.DEVNULL).returncode
    assert code in (0, 3, 5), (seed, code)
PY
}
check "job: 60 damaged files end with an exit code" flips
same_bytes() {
    "$BUILD/make_job" "$J/b.tps" 40 2 2 data 2 >/dev/null
    for i in 1 2; do
        expect 0 "$J/b.tps" -o "$J/b$i.html" --json "$J/b$i.json" --markdown "$J/b$i.md" || return 1
    done
    cmp "$J/b1.html" "$J/b2.html" && cmp "$J/b1.json" "$J/b2.json" && cmp "$J/b1.md" "$J/b2.md" &&
        expect 0 "$J/b.tps" -o "$J/small.html" --max-size 100K && [ "$(wc -c <"$J/small.html")" -le 102400 ] &&
        expect 5 "$J/b.tps" -o "$J/small.html" --max-size 20K
}
check "job: the same bytes twice; the page fits --max-size" same_bytes
# Checks twelve stages: the digest shows ten, and the JSON shows all. A set of ranks must not look like one number.
many_groups() {
    "$BUILD/make_job" "$J/p.tps" 48 1 12 compute 3 >/dev/null && expect 0 "$J/p.tps" --markdown "$J/p.md" --json "$J/p.json" || return 1
    tail -n 1 "$J/p.md" | grep -qx 'and 2 more rows' || { tail -n 3 "$J/p.md"; return 1; }
    grep -qE 'Ranks [0-9]+, [0-9]+' "$J/p.md" || { head -n 5 "$J/p.md"; return 1; }
    ! grep -qE 'anks [0-9]+,[0-9]' "$J/p.md"
}
check "job: the digest says what it leaves out" many_groups

# ---- engines run the recipes of docs/jobs.md word for word ----
is_checked && exit 0
recipe() { awk -v name="$1" '/^<!-- /{on = ($0 == "<!-- recipe: " name " -->")} on && !/^(```|<!--)/' docs/jobs.md; }
export TRACES="$J/tr" SUMS="$J/sums" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
python3 tests/job/make_traces.py "$TRACES" 12 >/dev/null
"$TP" summarize "$TRACES" -q -o "$J/serial.tps"
prepare() { rm -rf "$SUMS" "$J/run" && mkdir -p "$J/run" "$SUMS"; }
is_serial() { # is_serial: checks that the result in $J/run, or that of the summaries in $SUMS, equals the serial result
    [ -e "$J/run/job.tps" ] || "$TP" merge "$SUMS" -q -o "$J/run/job.tps" || return 1
    cmp "$J/run/job.tps" "$J/serial.tps"
}
once() { prepare && (cd "$J/run" && eval "$(cd "$OLDPWD" && recipe "$1")") && is_serial; }
in_python() { # in_python RECIPE PYTHON: runs the recipe with this Python
    prepare && recipe "$1" >"$J/run/recipe.py" && (cd "$J/run" && cpu_limit 300 "$2" recipe.py) && is_serial
}
if command -v parallel >/dev/null; then
    check "job: recipe of GNU parallel" once parallel
else
    skip "job: recipe of GNU parallel" "not installed"
fi
if [ -x "$BUILD/tracepress-mpi" ] && command -v mpirun >/dev/null; then
    check "job: recipe of MPI: four processes, the bytes of the serial run" once mpi
    mpi_missing() {
        prepare && echo '{' >"$J/bad.pt.trace.json" &&
            mpirun -n 3 tracepress-mpi "$TRACES" "$J/bad.pt.trace.json" "$J/not-there.json" -o "$J/run/job.tps" 2>"$WORK/err" && is_serial || return 1
        [ "$(grep -c 'not-there.json' "$WORK/err")" = 1 ] && grep -q 'bad.pt.trace.json' "$WORK/err" || { cat "$WORK/err"; return 1; }
        mpirun -n 3 tracepress-mpi --strict "$TRACES" "$J/not-there.json" -o "$J/run/strict.tps" 2>/dev/null
        [ $? = 3 ] && [ ! -e "$J/run/strict.tps" ]
    }
    check "job: MPI survives missing and broken files" mpi_missing
    more_processes() { prepare && mpirun -n 16 tracepress-mpi "$TRACES" -q -o "$J/run/job.tps" && is_serial; }
    check "job: MPI with more processes than files" more_processes
else
    skip "job: recipe of MPI" "no mpicc or no mpirun"
fi
slurm() {
    prepare
    for i in 0 1 2 3 4; do
        (export SLURM_PROCID=$i SLURM_NTASKS=5 && eval "$(recipe slurm)") || return 1
    done
    is_serial
}
check "job: recipe of Slurm, its variables set by hand" slurm
kubernetes() {
    prepare
    for i in 0 1 2 3; do
        (export JOB_COMPLETION_INDEX=$i SHARDS=4 && eval "$(recipe kubernetes)") || return 1
    done
    is_serial
}
check "job: recipe of Kubernetes, its variables set by hand" kubernetes
spark() { # Runs the recipe on two partitions.
    prepare
    for i in 0 1; do
        find "$TRACES" -name '*.gz' | sort | awk "NR % 2 == $i" | (eval "$(recipe spark)") || return 1
    done
    is_serial
}
check "job: recipe of Spark's pipe, two partitions by hand" spark
# python_with MODULE VARIABLE: prints the path of a Python with this module. VARIABLE may contain the path
python_with() {
    eval "candidate=\${$2:-}"
    for candidate in $candidate python3; do
        "$candidate" -c "import $1" 2>/dev/null && echo "$candidate" && return 0
    done
    return 1
}
for engine in ray dask; do
    if python=$(python_with "$engine" "$(echo $engine | tr a-z A-Z)_PYTHON"); then
        check "job: recipe of $engine" in_python $engine "$python"
    else
        skip "job: recipe of $engine" "no Python with it ($(echo $engine | tr a-z A-Z)_PYTHON)"
    fi
done

# Checks that a hanging map process, one of four, can be killed on its first input. Running it again must complete its
# shard.
killed() {
    prepare
    rm -f "$J/a.pt.trace.json" && mkfifo "$J/a.pt.trace.json" || return 1
    "$TP" summarize "$J/a.pt.trace.json" "$TRACES" -q --shard 1/4 -o "$SUMS/" 2>/dev/null &
    victim=$!
    for i in 2 3 4; do "$TP" summarize "$J/a.pt.trace.json" "$TRACES" -q --shard $i/4 -o "$SUMS/" || return 1; done
    kill -9 $victim && wait $victim 2>/dev/null
    rm -f "$J/a.pt.trace.json"
    [ "$(ls "$SUMS" | grep -c '\.tps$')" = 9 ] || { echo "not 9 of 12:"; ls "$SUMS"; return 1; }
    touch -d '2020-01-01' "$SUMS"/*.tps
    "$TP" summarize "$TRACES" -q --skip-existing -o "$SUMS/" && is_serial &&
        [ "$(find "$SUMS" -name '*.tps' -newermt 2020-01-02 | wc -l)" = 3 ]
}
check "job: a map process killed loses only its shard, a second run makes that alone" killed

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
if [ -n "$browser" ] && command -v node >/dev/null; then
    looked() {
        "$BUILD/make_job" "$J/l.tps" 64 8 2 host 2 >/dev/null && expect 0 "$J/l.tps" -o "$J/l.html" || return 1
        for how in 1440 390 "1440 dark" "1440 noscript" "1000 print"; do
            # shellcheck disable=SC2086
            said=$(CHROMIUM=$browser node tests/browser/shot.mjs "$J/l.html" "$J/l.png" $how) &&
                [ "$said" = "console clean []" ] || { echo "$how: $said"; return 1; }
        done
    }
    check "job: the page in Chromium: wide, narrow, dark, without scripts, printed: clean console, no request" looked
else
    skip "job: the page in Chromium" "no chromium or no node"
fi
