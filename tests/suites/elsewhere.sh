# Compares programs built for another system with those of this system. The commands that read traces must write the
# same bytes. Suites read this file with `.` in $WORK. HOST is the command of this system, and `elsewhere ARGUMENT...`
# runs the command of the other system.

# same COMMAND ARGUMENT...: compares all outputs of a command on both systems: files, standard output and standard
# error. "OUT" in an argument becomes a folder
same() {
    rm -rf l w && mkdir l w
    words_l= words_w=
    for word; do
        case $word in OUT*) words_l="$words_l l${word#OUT}" words_w="$words_w w${word#OUT}" ;; *) words_l="$words_l $word" words_w="$words_w $word" ;; esac
    done
    # shellcheck disable=SC2086
    "$HOST" $words_l >l/stdout 2>l/stderr
    code_l=$?
    # shellcheck disable=SC2086
    elsewhere $words_w >w/stdout 2>w/stderr
    code_w=$?
    [ $code_l = $code_w ] || { echo "$*: status $code_l and $code_w"; cat w/stderr; return 1; }
    sed -i 's,^tracepress: w/,tracepress: l/,' w/stderr
    diff -r l w || { echo "$*"; return 1; }
}
reports() {
    for trace in "$DATA"/traces/*; do
        same report "$trace" -o OUT/page.html --json OUT/views.json --markdown OUT/digest.md || return 1
        [ -s w/page.html ] || { cat w/stderr; return 1; }
    done
}
check "report of each bundled trace: page, JSON and digest have the bytes of this system" reports

real_reports() {
    for trace in $(find "$SHARED/data" -name '*.pt.trace.json*' -size -6M 2>/dev/null | sort | awk 'NR % 9 == 1' | head -n 12); do
        same report "$trace" -o OUT/page.html --json OUT/views.json || return 1
    done
}
if [ -d "$SHARED/data" ]; then
    check "report of real traces has the bytes of this system" real_reports
else
    skip "report of real traces has the bytes of this system" "no folder of real traces"
fi

commands() {
    one=$DATA/traces/gpu_2026.pt.trace.json.gz two=$DATA/traces/gpu_2024.pt.trace.json.gz
    same table "$one" &&
        same table "$one" --opr-name '^aten::(mm|add.*|t)$' &&
        same table "$one" --opr-name '[[:digit:]]+|\bmul\b' --format csv -o OUT/t.csv &&
        same diff "$two" "$one" -o OUT/d.html --json OUT/d.json &&
        same check "$one" --baseline "$two" --junit OUT/j.xml --sarif OUT/s.json &&
        same export "$one" --to csv -o OUT/csv &&
        same export "$one" --to folded -o OUT/f &&
        same export "$one" --to flamegraph -o OUT/f.svg &&
        same export "$one" --to sqlite -o OUT/t.db &&
        same export "$one" --to pstats -o OUT/p &&
        same summarize "$DATA/traces" --job j -o OUT/a.tps &&
        cp w/a.tps a.tps && same merge a.tps -o OUT/b.tps && same report a.tps -o OUT/job.html
}
check "table, diff, check, export, summarize and merge give the bytes of this system" commands
folder() {
    rm -rf d && mkdir -p d/run/.hidden d/empty && cp "$DATA/traces/case_flame.pt.trace.json.gz" d/run && cp "$DATA/traces/case_reading.pt.trace.json.gz" d
    echo '{"schema":"x"}' >d/run/notes.json
    same report d -o OUT/page.html && same report d --include '*_f[a-m]*' -o OUT/page.html && same table d --include 'nothing?' -o OUT/t
}
check "a folder of traces is searched as here" folder
