# Functions that report cases, and other functions that most suites need. Suites read this file with `.`
#
# run.sh sets BUILD, the folder of the built programs, and WORK, an empty folder for the suite.
set -u
TP=$BUILD/tracepress
DATA=$PWD/tests/data
SHARED=$PWD/../shared
export LC_ALL=C.UTF-8

# draws FULL BUDGET: prints the number of random cases: FULL if DRAWS=full (make test-full), else BUDGET
draws() { if [ "${DRAWS:-}" = full ]; then echo "$1"; else echo "$2"; fi; }

ok() { echo "ok - $1"; }
not_ok() { # not_ok NAME OUTPUT: reports a failed case and prints the output
    echo "not ok - $1"
    [ -z "${2:-}" ] || printf '%s\n' "$2" | head -n 20 | sed 's/^/    /'
}
skip() { echo "ok - $1 # SKIP $2"; }
wanted() { case $1 in *"${T:-}"*) return 0 ;; *) return 1 ;; esac; }
# check NAME COMMAND...: reports a case that passes if the command succeeds. Otherwise prints its output
check() {
    check_name=$1
    shift
    wanted "$check_name" || return 0
    if check_said=$("$@" 2>&1); then ok "$check_name"; else not_ok "$check_name" "$check_said"; fi
}
# cpu_limit SECONDS COMMAND...: kills the command after this much CPU time, which does not depend on other processes.
# Also kills it after twenty minutes, because it hangs
cpu_limit() {
    cpu_limit_s=$1
    shift
    (ulimit -t "$cpu_limit_s" && exec timeout 1200 "$@")
}
# comes PID COMMAND...: waits until COMMAND succeeds, at most ten minutes, because the machine may be busy. Fails if
# process PID exits before
comes() {
    comes_pid=$1 comes_left=12000
    shift
    until "$@"; do
        comes_left=$((comes_left - 1))
        [ $comes_left -gt 0 ] && [ "$(state_of "$comes_pid")" != Z ] && kill -0 "$comes_pid" 2>/dev/null || return 1
        sleep 0.05
    done
}
state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null || :; }
is_gone() { case $(state_of "$1") in Z | "") ;; *) false ;; esac; }
# is_state PID LETTER: checks the state of a process. LETTER is a state in proc(5)
is_state() { [ "$(state_of "$1")" = "$2" ]; }
is_asan() { case $BUILD in *asan) return 0 ;; *) return 1 ;; esac; }
# Returns whether programs have a sanitizer, which makes them slow.
is_checked() { case $BUILD in *asan | *tsan) return 0 ;; *) return 1 ;; esac; }
# script NAME PYTHON: runs tests/python/NAME.py, which prints its cases and a last line at its end
script() {
    said=$WORK/$1.$(echo "$2" | tr / _)
    "$2" "tests/python/$1.py" >"$said" 2>"$said.err"
    if [ "$(tail -n 1 "$said")" = "end of cases" ]; then
        grep -v '^end of cases$' "$said" || :
    else
        cat "$said"
        not_ok "$1.py with $2 comes to its end" "$(tail -n 5 "$said.err")"
    fi
}
# pythons: prints a line for each Python version from 3.9 on, from PYTHONS, PATH and pyenv
pythons() {
    for minor in 9 10 11 12 13 14; do
        for candidate in ${PYTHONS:-} "python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"3.$minor".*/bin/python; do
            "$candidate" -c "import sys; sys.exit(sys.version_info[:2] != (3, $minor))" 2>/dev/null && echo "$candidate" && break
        done
    done
}
python_version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }
