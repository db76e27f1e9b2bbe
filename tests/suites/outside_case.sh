# Functions for suites that record programs from outside. Suites read this file with `.` in the folder of the case. HERE
# is the folder of the project.
PY=${PYTHON:-/usr/bin/python3}
[ -x "$PY" ] || PY=python3

program() { # program NAME [FLAGS...]: builds tests/native/NAME.c
    program_name=$1
    shift
    ${CC:-cc} -O1 -g -fno-omit-frame-pointer -D_GNU_SOURCE -pthread -I"$HERE" "$HERE/tests/native/$program_name.c" \
        -o "$program_name" "$@" >build.log 2>&1
}
# outside STATUS PROGRAM...: records the program, which must exit with STATUS. There must be one trace ($trace) and no
# leftover files. $LAUNCH is a program that starts `record`, and $HOW has further options
outside() {
    want=$1
    shift
    rm -rf r
    # shellcheck disable=SC2086
    cpu_limit 120 ${LAUNCH:-} "$TP" record --outside ${HOW:-} --no-tfevents -o r -- "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || { echo "exit code $status, wanted $want"; cat err; return 1; }
    trace=$(ls r/*/*.pt.trace.json.gz)
    [ -f "$trace" ] && grep -q '"mode":"outside"' r/*/run.json && grep -q '"state":"complete"' r/*/run.json ||
        { find r; cat err; return 1; }
    [ -z "$(find r -name '.*')" ] || { echo "something is left:"; find r; return 1; }
}
says() { "$PY" "$HERE/tests/check/outside.py" "$trace" "$@" 2>said || { tail -n 3 said; cat err; return 1; }; }
said() { grep -q "$1" err || { echo "not said: $1"; cat err; return 1; }; }
