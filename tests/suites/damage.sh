# Tests `check` and `diff` with damaged inputs. The verdict must be that of the undamaged input, or inconclusive. Every
# output must give the reason. DAMAGES=1000 makes this number of damaged files, also from the traces in ../shared.
# SEED=n makes other damage.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "damage" "no python3"
    exit 0
fi
seed=${SEED:-1} count=${DAMAGES:-$(is_checked && draws 40 20 || draws 150 80)}
# kinds OPTION TRACE...: damages each trace in 40 ways. If the evidence is clean, all metrics must be equal. OPTION may
# be empty
kinds() {
    option=$1
    shift
    # shellcheck disable=SC2086 # no option is no argument
    python3 tests/check/damage_kinds.py $option "$TP" "$WORK" "$seed" "$count" "$@"
}
damages() { # damages COUNT TRACE...: damages traces, or folders of ranks, in COUNT random ways
    wanted_count=$1
    shift
    python3 tests/check/damage.py "$TP" "$WORK" "$seed" "$wanted_count" "$@"
}
check "bundled traces, seed $seed: $count damages, no false pass, no false blame" damages "$count" "$DATA"/traces/*.gz \
    "$DATA"/diff/*.gz "$DATA/run" "$DATA/ddp"
set -- "$DATA"/traces/gpu_*.gz "$DATA"/traces/torch*.gz "$DATA"/diff/*.gz "$DATA"/run/*.gz "$DATA"/ddp/*.gz
check "bundled traces, seed $seed: $count damages in 40 ways, those that leave a mark are seen" kinds --marks-only "$@"
# Some damage changes a metric unnoticed: 14 of 3,000 files (0.47 %) with seed 6, and 10 (0.33 %) with seed 11. It
# changes digits of durations or of kernel names, or shortens a name to that of another operator. Files contain these
# values only once.
if [ -n "${DAMAGES:-}" ]; then
    check "bundled traces, seed $seed: at most 0.5 % of $count damages change a metric unseen" kinds "" "$@"
else
    skip "bundled traces: at most 0.5 % of damages change a metric unseen" "minutes; DAMAGES=3000 asks for it"
fi
if [ -z "${DAMAGES:-}" ]; then
    skip "traces of others: no false pass, no false blame" "minutes; DAMAGES=1000 asks for it"
elif [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046 # no blanks in these names
    check "traces of others, seed $seed: $count damages, no false pass, no false blame" damages "$count" \
        $(find "$SHARED/data/traces" "$SHARED/data/torch" -name '*trace.json*' -size -1500k | grep -v -e /expected | sort)
else
    skip "traces of others: no false pass, no false blame" "no reference data"
fi

outputs() { # Checks that each output format of a truncated trace calls its limits inconclusive and gives the reason.
    zcat "$DATA/traces/gpu_2026.pt.trace.json.gz" | head -c 100000 >"$WORK/cut.json"
    printf 'kernels.per_step <= 1\nwarn sync.per_step <= 0\n' >"$WORK/b"
    "$TP" check "$WORK/cut.json" --budget "$WORK/b" -o "$WORK/c.txt" --json "$WORK/c.json" --junit "$WORK/c.xml" \
        --sarif "$WORK/c.sarif" --markdown "$WORK/c.md" --badge "$WORK/c.svg" --inconclusive pass -q
    code=$?
    [ "$code" = 6 ] || { echo "check: exit $code"; return 1; }
    grep -q '^inconclusive: input damaged: 0 of 2 limits kept, 2 inconclusive$' "$WORK/c.txt" &&
        [ "$(grep -c '^inconclusive ' "$WORK/c.txt")" = 2 ] && grep -q '"damaged":true' "$WORK/c.json" &&
        grep -q '"eof":"cut"' "$WORK/c.json" && grep -q 'errors="2"' "$WORK/c.xml" && grep -q 'failures="0"' "$WORK/c.xml" &&
        grep -q '<error message=".*inconclusive: input damaged: the file is cut' "$WORK/c.xml" &&
        grep -q 'inconclusive: input damaged: the file is cut' "$WORK/c.sarif" && ! grep -q '"level":"error"' "$WORK/c.sarif" &&
        grep -q 'input damaged' "$WORK/c.md" && grep -q inconclusive "$WORK/c.svg" || { head "$WORK"/c.*; return 1; }
    "$TP" diff "$DATA/traces/gpu_2026.pt.trace.json.gz" "$WORK/cut.json" -q --inconclusive pass >"$WORK/d.txt"
    code=$?
    [ "$code" = 6 ] || { echo "diff: exit $code"; return 1; }
    grep -qi 'input damaged' "$WORK/d.txt" || { head "$WORK/d.txt"; return 1; }
    "$TP" diff "$DATA/traces/gpu_2026.pt.trace.json.gz" "$WORK/cut.json" -q --exit-zero >/dev/null
}
check "text, JSON, JUnit, SARIF, Markdown and badge say: inconclusive, input damaged" outputs

carried() { # Checks that summaries and merged summaries record the damage, so that the trace is not needed.
    zcat "$DATA/traces/gpu_2026.pt.trace.json.gz" | head -c 100000 >"$WORK/cut.json"
    "$TP" summarize -q "$WORK/cut.json" --rank 0 -o "$WORK/0.tps" &&
        "$TP" summarize -q "$DATA/traces/gpu_2026.pt.trace.json.gz" --rank 1 -o "$WORK/1.tps" &&
        "$TP" merge -q "$WORK/1.tps" "$WORK/0.tps" -o "$WORK/both.tps" || return 1
    printf 'kernels.per_step <= 10000\n' >"$WORK/b"
    "$TP" check "$WORK/both.tps" --budget "$WORK/b" -o "$WORK/c.txt" -q
    code=$?
    [ "$code" = 6 ] || { echo "exit $code"; cat "$WORK/c.txt"; return 1; }
    grep -q '^inconclusive rank 0' "$WORK/c.txt" && grep -q '^pass *rank 1' "$WORK/c.txt" || { cat "$WORK/c.txt"; return 1; }
}
check "summaries and merges carry the evidence of their traces" carried

baseline() { # Checks that a damaged run does not become the baseline.
    zcat "$DATA/traces/gpu_2026.pt.trace.json.gz" | head -c 100000 >"$WORK/cut.json"
    "$TP" check "$WORK/cut.json" --baseline "$WORK/new.tps" --update-baseline -q -o /dev/null 2>/dev/null
    code=$?
    [ "$code" = 6 ] && [ ! -e "$WORK/new.tps" ] || { echo "exit $code"; ls "$WORK"; return 1; }
}
check "a damaged run does not become the baseline" baseline
