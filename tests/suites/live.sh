# Tests the event file of a running training program. A real TensorBoard must show how it grows, with both of its
# loaders. An export into the same folder must not change the file, and the steps of the trace must be a separate run.
# Needs TensorBoard, like the suite tensorboard.
. tests/suites/case.sh
python=${TENSORBOARD_PYTHON:-$PWD/build/tensorboard/bin/python}
watch=$PWD/tests/check/tb_live.py
text=$PWD/README.md
cd "$WORK" || exit 1

alone() {
    rm -rf runs && mkdir -p runs
    TRACEPRESS_LIVE=1 "$TOOLS/train" "$text" runs/run 12 >out 2>err || { cat err; return 1; }
    [ ! -s err ] || { cat err; return 1; }
    "$TOOLS/event_dump" runs/run/events.out.tfevents.* >dump || { cat dump; return 1; }
    [ "$(grep -c '^  profile_step/time_ms .*= ' dump)" = 12 ] && [ "$(grep -c 'profile_counters/loss' dump)" = 12 ] &&
        [ "$(grep -c 'samples_per_s' dump)" = 12 ] && [ "$(grep -c 'CPU_allocated_peak' dump)" = 12 ] || { cat dump; return 1; }
    sed -n 's/.*counters.loss.*= //p' dump | sed -n 3,8p >loss
    live=$(ls runs/run/events.out.tfevents.*)
    cp "$live" kept
    "$TP" export runs/run --to tfevents -o runs/run --quiet || return 1
    cmp "$live" kept && [ "$(ls runs/run/events.out.tfevents.*)" = "$live" ] || { ls runs/run; return 1; }
    "$TP" export runs/run --to tfevents -o runs/run --quiet && cmp "$live" kept || return 1
    [ "$(ls runs/run/profile | wc -l)" = 1 ] || { ls runs/run/profile; return 1; }
    "$TOOLS/event_dump" runs/run/profile/events.out.tfevents.* >dump || { cat dump; return 1; }
    [ "$(grep -c '^  profile_step/time_ms .*= ' dump)" = 6 ] || { cat dump; return 1; }
    sed -n 's/.*counters.loss.*= //p' dump | cmp - loss # compares the losses with those of the six steps in the trace
}
check "a recorded program writes each step, an export leaves its file alone" alone

killed() { # Kills the program before each of its output calls. The file must have only complete records.
    records=0
    for n in $(seq 1 40); do
        rm -rf runs && mkdir -p runs
        env TRACEPRESS_LIVE=1 FAIL_KIND=output FAIL_AT="$n" FAIL_SIGNAL=9 LD_PRELOAD="$BUILD/fail_nth.so" "$TOOLS/train" "$text" runs/run 12 >out 2>err
        [ $? = 137 ] || { echo "call $n: not killed"; cat err; return 1; }
        for file in runs/run/events.out.tfevents.*; do
            [ -s "$file" ] || continue # the program was killed before the first record
            "$TOOLS/event_dump" "$file" >dump || { cat dump; return 1; }
            records=$((records + $(grep -c . dump)))
        done
    done
    [ $records -gt 20 ] || { echo "only $records records in all"; return 1; }
}
if is_checked; then
    skip "a killed program leaves whole records" "the sanitizer brings its own allocator"
else
    check "a killed program leaves whole records" killed
fi

full() {
    [ "$(id -u)" = 0 ] && mkdir -p tiny && mount -t tmpfs -o size=16k none tiny 2>/dev/null || return 77
    TRACEPRESS_LIVE=1 "$TOOLS/train" "$text" tiny/run 400 >out 2>err
    status=$?
    "$TOOLS/event_dump" tiny/run/events.out.tfevents.* >dump
    whole=$?
    umount tiny
    [ $status = 0 ] || { echo "the program ended with $status"; return 1; }
    [ $whole = 0 ] || { cat dump; return 1; }
    [ "$(wc -l <err)" = 1 ] || { echo "it said:"; cat err; return 1; }
}
full >full.log 2>&1
case $? in
0) ok "a full disk: the program continues, the file ends with a whole record" ;;
77) skip "a full disk" "no tmpfs can be mounted here" ;;
*) not_ok "a full disk: the program continues, the file ends with a whole record" "$(cat full.log)" ;;
esac

if ! "$python" -c 'import tensorboard' 2>/dev/null; then
    skip "TensorBoard shows a run while it trains" "no TensorBoard"
    exit 0
fi
grows() { # grows LOADER: runs 900 steps, because TensorBoard keeps 1000 points
    rm -rf runs && mkdir -p runs/run
    TRACEPRESS_LIVE=1 "$python" "$watch" "$python" "$1" runs "$TOOLS/train" "$text" runs/run 900 || return 1
    "$TP" export runs/run --to tfevents -o runs/run --quiet || return 1
    "$python" "$watch" "$python" "$1" runs >seen.json || { cat seen.json; return 1; }
    python3 -c 'import json, sys
seen = json.load(open("seen.json"))
bad = {tag: steps for tag, steps in seen.items() if len(set(steps)) != len(steps)}
is_good = seen["run/profile: profile_step/time_ms"] == [2, 3, 4, 5, 6, 7] and not bad
sys.exit(0 if is_good and seen["run: profile_step/time_ms"] == list(range(900)) else repr((seen, bad)))'
}
for fast in true false; do
    check "TensorBoard shows a run while it trains and its export afterwards, load_fast=$fast" grows $fast
done
