# Measures how often each rule is right, in reports of programs whose true cause is known.
. tests/suites/case.sh
if [ ! -f "$SHARED/data/truth/score.py" ] || ! command -v python3 >/dev/null 2>&1; then
    skip "rules where the cause is known" "no programs with a known cause next to the project, or no python3"
    exit 0
fi
rates() {
    python3 tests/oracle/truth.py "$TP" "$SHARED/data/truth" "$SHARED/data/traces" >"$WORK/rates" 2>&1 && return 0
    grep -v "^[A-Z][0-9]* *[0-9]* *[0-9]*$" "$WORK/rates"
    return 1
}
check "reports say how often each rule was right" rates
