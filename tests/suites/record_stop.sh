# Tests `tracepress record` that is asked to stop during its start. Either no program ran and no folder remains, or the
# folder is complete and names the signal.
. tests/suites/case.sh
cd "$WORK" || exit 1

is_defined() { # is_defined: checks that no folder exists, or that its state is complete with a signal
    [ -d r ] && [ -n "$(ls r)" ] || return 0
    grep -q '"state":"complete"' r/*/run.json && grep -q '"signal":' r/*/run.json && return 0
    cat r/*/run.json && find r && return 1
}
# before SIGNAL CODE OPTIONS...: starts `record` with the signal pending, even if the surrounding shell ignores it
before() {
    want=$2
    rm -rf r ran
    env --default-signal="$1" --block-signal="$1" sh -c 'name=$1; shift 2; kill -s "$name" $$; exec "$@"' sh "$@" >out 2>err
    status=$?
    [ $status = "$want" ] && [ ! -e ran ] && { [ ! -d r ] || [ -z "$(ls r)" ]; } && return 0
    echo "exit code $status, wanted $want"
    find r ran
    return 1
}
pending() {
    for signal in "TERM 143" "INT 130" "HUP 129" "QUIT 131"; do
        for options in "" "--outside" "--no-source outside"; do
            # shellcheck disable=SC2086
            before $signal "$TP" record -o r $options -- sh -c 'echo ran >ran' || { echo "$signal $options"; return 1; }
        done
    done
}
# after SIGNAL: sends the signal a few milliseconds after the start. Background jobs ignore SIGINT, so `env` restores
# its default
after() {
    for signal in TERM INT HUP; do
        for wait in 0 0.005 0.01 0.02 0.05; do
            for options in "" "--outside" "--no-source outside"; do
                rm -rf r begun
                # shellcheck disable=SC2086
                env --default-signal="$signal" sh -c ': >begun; exec "$@"' sh "$TP" record -q -o r $options -- sleep 1 >out 2>err &
                started=$!
                until [ -e begun ]; do sleep 0.001; done # before the file begun exists, the signal may be ignored
                sleep $wait
                kill -s "$signal" $started
                wait $started
                is_defined || { echo "$signal after $wait s $options"; return 1; }
            done
        done
    done
}
ignored() { # Checks that under nohup the signal stays ignored, and the program runs to its end.
    rm -rf r
    sh -c 'trap "" HUP; exec env --block-signal=HUP sh -c "$0"' "kill -s HUP \$\$; exec '$TP' record -q -o r -- sh -c 'exit 5'" >out 2>err
    [ $? = 5 ] && grep -q '"state":"complete"' r/*/run.json
}
orphan() { # Checks a `record` whose parent exits before the program. The pipe closes when `record` exits.
    rm -rf r
    sh -c '"$0" record -q -o r -- sh -c "sleep 0.2; exit 6" &' "$TP" 2>err | cat
    grep -q '"exit_code":6' r/*/run.json && grep -q '"state":"complete"' r/*/run.json
}
no_program() { # Checks that a program that cannot be started leaves no folder.
    echo text >unfit && printf '\177ELF' >broken && chmod +x broken
    for options in "" "--outside" "--no-source outside"; do
        for program in ./nothing ./unfit ./broken; do
            rm -rf r
            # shellcheck disable=SC2086
            "$TP" record -q -o r $options -- $program >out 2>err
            status=$?
            case $status in 126 | 127) ;; *) echo "$program: exit code $status" && return 1 ;; esac
            [ ! -d r ] || [ -z "$(ls r)" ] || { find r; return 1; }
        done
    done
}
if ! env --default-signal=INT --block-signal=HUP true 2>/dev/null; then
    skip "a signal while a recording starts" "env sets no signals"
elif is_checked; then
    skip "a signal while a recording starts" "a sanitizer takes the time"
else
    check "a signal before the program starts: nothing runs and no folder is left" pending
    check "a signal soon after the start: no folder, or a complete one with the signal" after
    check "an ignored signal before the start stops nothing" ignored
fi
check "a recording whose parent is gone is complete" orphan
check "a program that cannot start leaves no folder" no_program
