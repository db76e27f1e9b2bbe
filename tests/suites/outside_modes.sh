# `tracepress record --outside` where the kernel's events are refused, where those of whole CPUs are allowed, and by levels of
# kernel.perf_event_paranoid; the suite `outside` has what is common to all.
. tests/suites/case.sh
HERE=$PWD
. tests/suites/outside_case.sh
cd "$WORK" || exit 1

# ---- events refused: looks at /proc ----

if ! program refused_program || ! program looks_program || ! program split_program; then
    cat build.log
    exit 1
fi
looked() { LAUNCH=./refused_program outside "$@" && says mode looks && says sums; }
tree() { # a pipeline, a child's child; what a thread waits for is what it was in at looks
    looked 5 sh -c 'sleep 0.3; (sleep 0.3; echo x) | cat; ./split_program 0.3 >/dev/null; exit 5' && [ "$(cat out)" = x ] &&
        says argv sleep 0.3 && says argv ./split_program 0.3 && says argv cat && says told processes 6 && says told threads 8 &&
        says cause sleep 400 && says cause pipe 100 && says cause child 500 && says status 5
}
sleeper() { looked 0 sleep 0.5 && says cause sleep 400 && says exits 0; }
threads() {
    looked 0 ./looks_program && says told threads 13 && says running "$(cat out)" 3 20 && says budget
}
short() { # it is over before the first look
    looked 0 true && says argv true && says exits 0 && looked 137 sh -c 'kill -9 $$' && says exits S9 && said 'signal 9'
}
codes() { # of a child that its parent has not waited for yet
    looked 0 sh -c 'sh -c "sleep 0.1; exit 3" & sleep 1; wait; exit 0' && says argv sh -c "sleep 0.1; exit 3" && says status 3
}
refusal() { # one line says what is missing, why, and what allows it
    looked 0 sleep 0.1 && said 'not seen: functions, and what lasts less than 10 ms, for the kernel refuses events' &&
        said "CAP_PERFMON\|cap-add PERFMON" && [ "$(grep -c 'not seen' err)" = 1 ]
}
goes_on() {
    sh -c './split_program 3 >/dev/null; exit 4' &
    job=$!
    comes $job pgrep -P $job >/dev/null || return 1
    rm -rf r
    cpu_limit 120 ./refused_program "$TP" record -p $job --no-tfevents -o r --duration 1.5 >out 2>err || { cat err; return 1; }
    wait $job
    [ $? = 4 ] || return 1
    trace=$(ls r/*/*.gz) && says mode looks && says sums && says told threads 4 && says argv ./split_program 3 && says alive 2
}
page() { # no share of functions, and how to see some
    looked 0 ./split_program 0.5 && "$TP" report "$trace" -o page.html --json page.json --markdown page.md --strict --quiet 2>err ||
        { cat err; return 1; }
    grep -q 'looks at /proc every 10 ms, for the kernel refuses events' page.html && grep -q 'over no known function' page.md &&
        grep -q '"functions":\[\]' page.json && "$TP" table "$trace" --group-by process >table.txt && grep -q split_program table.txt &&
        "$PY" "$HERE/tests/check/program_view.py" "$trace" page.json >view 2>&1 || { cat page.md view; return 1; }
}
if is_checked; then
    skip "events refused" "a sanitizer's run"
else
    check "where events are refused: tree, states, causes by looks at /proc" tree
    check "by looks: a sleeper sleeps" sleeper
    check "by looks: 13 threads' running time is within 3 % or 20 ms of rusage" threads
    check "by looks: what is over at once has its words and its end" short
    check "by looks: how a child ended" codes
    check "by looks: a line says what is missing, why, and what allows it" refusal
    check "by looks: a process that runs is recorded, and goes on" goes_on
    check "by looks: the page has no share of functions and says so" page
fi
