# Runs tests/golden/CASE/cmd with sh in an empty folder. Compares standard output, standard error and exit code with the
# files *.expect.
#
# In `cmd`, $TP is the program, $DATA the folder tests/data, and $CHECK the JSON checker. A missing *.expect file means
# empty output or exit code 0. UPDATE=1 writes the actual results to these files.
. tests/suites/case.sh
CHECK=${TOOLS:-$BUILD}/json_check
export TP DATA CHECK
expected() { cat "$1" 2>/dev/null || printf '%s' "$2"; }
for folder in tests/golden/*/; do
    name=$(basename "$folder")
    wanted "$name" || continue
    folder=$PWD/$folder
    mkdir -p "$WORK/$name"
    (cd "$WORK/$name" && cpu_limit 120 sh "${folder}cmd" >"$WORK/stdout" 2>"$WORK/stderr")
    echo $? >"$WORK/exit"
    if [ -n "${UPDATE:-}" ]; then
        for part in stdout stderr exit; do cp "$WORK/$part" "${folder}$part.expect"; done
        [ -s "$WORK/stdout" ] || rm -f "${folder}stdout.expect"
        [ -s "$WORK/stderr" ] || rm -f "${folder}stderr.expect"
        [ "$(cat "$WORK/exit")" != 0 ] || rm -f "${folder}exit.expect"
    fi
    seen=
    for part in stdout stderr; do
        expected "${folder}$part.expect" '' >"$WORK/expect"
        cmp -s "$WORK/expect" "$WORK/$part" || seen="$seen$part: $(diff "$WORK/expect" "$WORK/$part" | head -n 12)
"
    done
    [ "$(cat "$WORK/exit")" = "$(expected "${folder}exit.expect" 0)" ] || seen="${seen}exit: $(cat "$WORK/exit")"
    if [ -z "$seen" ]; then ok "$name"; else not_ok "$name" "$seen"; fi
done
