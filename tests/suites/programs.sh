# Records programs from other authors from outside: output and exit code, sums, hottest function and verdict. Uses
# programs that every Debian has; tests/programs/programs.py has more, and `make programs-table` runs all of them.
. tests/suites/case.sh
export CCACHE_DISABLE=1 # the compiler itself is a program that is recorded
PY=${PYTHON:-/usr/bin/python3}
[ -x "$PY" ] || PY=python3
if ! command -v "$PY" >/dev/null 2>&1; then
    skip "programs that nobody here wrote" "no python3"
    exit 0
fi
"$TP" record --outside --no-tfevents -o "$WORK/probe" -- true >"$WORK/out" 2>"$WORK/err" || :
if grep -q 'recording from outside failed' "$WORK/err"; then
    skip "programs that nobody here wrote" "$(sed -n 's/.*from outside failed: //p' "$WORK/err" | head -n 1)"
    exit 0
fi
TMPDIR=$WORK "$PY" tests/programs/table.py "$TP" --fast || :
