# Runs the corpus of each fuzz target through a simple driver without a fuzzing engine. The corpus includes inputs that
# once failed.
. tests/suites/case.sh
replay() { # replay TARGET PATH...: runs the target on these files, and on all files in these folders
    target=$1
    shift
    [ -n "$(find "$1" -type f 2>/dev/null | head -n 1)" ] || { echo "no file in $1"; return 1; }
    find "$@" -type f -size -3000k ! -name '*.tsv' ! -name '*.md' -print0 2>/dev/null | sort -z | cpu_limit 300 xargs -0 -r -n 200 "$BUILD/replay_$target"
}
for source in tests/fuzz/fuzz_*.c; do
    [ -f "$source" ] || continue
    target=$(basename "$source" .c | sed 's/^fuzz_//')
    more=
    case $target in trace | value | report | events | xplane | table) more="$DATA/traces $DATA/faults $SHARED/data/JSONTestSuite/test_parsing" ;; esac
    # shellcheck disable=SC2086
    check "corpus of $target" replay "$target" "tests/fuzz/corpus/$target" $more
done
seeds() { # Checks that the seeds of spools have the current format, because the reader finds nothing in older ones.
    for seed in tests/fuzz/corpus/spool/*; do
        cp "$seed" "$WORK/seed.tpspool" && "$TP" recover "$WORK/seed.tpspool" >"$WORK/said" 2>&1
        ! grep -q "nothing was recorded" "$WORK/said" && zgrep -q '"ph":"[Xi]"' "$WORK"/seed*.gz || { echo "$seed"; cat "$WORK/said"; return 1; }
        rm -f "$WORK"/seed*
    done
}
check "seeds of spools have records" seeds
