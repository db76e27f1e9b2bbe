# Records programs of other authors from outside, and checks output and exit code, sums, the hottest function and the
# verdict. All these programs are in Debian. tests/programs/programs.py has more, and `make programs-table` runs all of
# them.
. tests/suites/case.sh
export CCACHE_DISABLE=1 # does not use ccache, because the compiler itself is one of the recorded programs
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
