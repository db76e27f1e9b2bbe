# Checks that all outputs agree. Verdict, step time, busy and idle time, and findings must have the same numbers in
# page, document, digest and check. Tests all bundled traces and those in ../shared.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "page, document, digest and check agree" "no python3"
    exit 0
fi
told() { python3 tests/check/one_story.py "$TP" "$WORK" "$@"; }
check "bundled traces: page, document, digest and check agree" told "$DATA"/traces/*.gz
if [ -d "$SHARED/data/traces" ]; then
    # shellcheck disable=SC2046
    check "real traces: page, document, digest and check agree" \
        told $(find "$SHARED/data/traces" "$SHARED/data/torch" "$SHARED/data/advice" -name '*.json' -o -name '*.json.gz' | sort)
else
    skip "real traces: page, document, digest and check agree" "no data next to the project"
fi

pairs() { python3 tests/check/diff_story.py "$TP" "$WORK" "$@" >"$WORK/pairs" || { cat "$WORK/pairs"; return 1; }; }
if is_checked; then
    skip "diff and check of all pairs agree" "the release build is asked"
else
    export DRAWS SEED
    check "diff and check of $([ "${DRAWS:=}" = full ] && echo all || echo "300 (seed ${SEED:=1})") pairs of bundled traces agree: exit code, verdict, first lines, figures, rows, sentences" \
        pairs "$DATA"/traces/*.gz "$DATA"/diff/*.gz "$DATA/run" "$DATA/ddp"
    sed 's/^/    /' "$WORK/pairs" 2>/dev/null
fi
