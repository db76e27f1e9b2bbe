# Tests inputs from public reports, and generated inputs of the same kinds. Each must show its right value. The rows are
# in tests/reports/*.tsv.
#
# A row has six fields, separated by tabs: name, input, command, exit status, pattern that the output must match,
# pattern that the output must not match ("-": none). An input is a path below the reports in ../shared (shared:PATH), a
# path below tests/reports/data (own:PATH), or the output of `python3 tests/reports/AREA.py KIND FOLDER`
# (made:AREA/KIND). The command is shell text, in which $in is the input and $out a prefix for outputs. `report`,
# `report_loud` (with notices), `refused_by COMMAND` and `check_budget` are short for the usual command lines. Patterns
# are extended regular expressions for single lines of standard output, standard error and $out.md. The lines of $out.md
# are tested as written, and without the Markdown characters around names.
. tests/suites/case.sh
ROOT=$PWD
cd "$WORK" || exit 1

report() { "$TP" report $in "$@" -o "$out.html" --json "$out.json" --markdown "$out.md" --quiet; }
report_loud() { "$TP" report $in -o "$out.html" --json "$out.json" --markdown "$out.md"; }
# refused_by COMMAND: runs the command on the input, which must be refused. `export` uses a format that needs no times
refused_by() {
    case $1 in
    export) "$TP" export $in --to chrome -o "$out.trace.json" ;;
    *) "$TP" "$1" $in ;;
    esac
}
check_budget() { "$TP" check $in "$@"; }
# value EXPRESSION: prints a Python expression over the report's JSON (d: document, p: first profile). values.py answers
value() {
    printf '%s\t%s\n' "$out.json" "$1" >&8
    while IFS= read -r answer <&9 && [ "$answer" != "end of value" ]; do printf '%s\n' "$answer"; done
}
# steps_of: prints a line for each trace in the folder: name, step_marker, step_source, step_passes and steps_used
steps_of() {
    for form in "$in"/*.json; do
        "$TP" report "$form" -o "$out.html" --json "$out.$(basename "$form")" --quiet || return
    done
    python3 -c 'import json, sys, os
def line(path):
    p = json.load(open(path))["runs"][0]["profiles"][0]
    facts = p["trace_facts"]
    values = [facts["step_marker"], facts.get("step_source"), facts.get("step_passes"), p["overview"]["steps_used"]]
    return " ".join([os.path.basename(path).split(".")[-2]] + [str(v) for v in values if v is not None])
print("; ".join(line(p) for p in sys.argv[1:]))' "$out".*.json
}
input_of() { # input_of INPUT: prints the path of the input; fails if it is not available
    case $1 in
    shared:*) [ -e "$SHARED/data/reports/${1#shared:}" ] && echo "$SHARED/data/reports/${1#shared:}" ;;
    own:*) echo "$ROOT/tests/reports/data/${1#own:}" ;;
    made:*) [ -n "$has_python" ] && echo "$PWD/made/${1#made:}" ;;
    esac
}
shows() { # shows STATUS PATTERN FORBIDDEN: compares the exit code and the output, which is in $out.*
    cat "$out.stdout" "$out.stderr" >"$out.all"
    [ ! -f "$out.md" ] || { cat "$out.md" && tr -d '`\\' <"$out.md"; } >>"$out.all"
    [ "$status" = "$1" ] || { echo "exit status $status, not $1"; head -n 8 "$out.all"; return 1; }
    [ "$2" = - ] || grep -aqE -e "$2" "$out.all" || { echo "no line matches: $2"; head -n 12 "$out.all"; return 1; }
    [ "$3" = - ] || ! grep -aE -e "$3" "$out.all" || { echo "these lines match: $3"; return 1; }
}
# make_inputs TABLE AREA: makes the inputs of the rows that run, with one Python process. A row without its input fails
make_inputs() {
    kinds=$(awk -F '\t' -v area="$2" -v wanted="${T:-}" '!/^#/ && index($2, "made:" area "/") == 1 && index(area ": " $1, wanted) {
        kind = substr($2, length(area) + 7); if (!seen[kind]++) print kind }' "$1")
    # shellcheck disable=SC2086
    [ -z "$kinds" ] || python3 "$ROOT/tests/reports/make.py" "$2" "$PWD/made/$2" $kinds
}
has_python=
if command -v python3 >/dev/null 2>&1; then
    has_python=yes
    mkfifo asked answered
    python3 -u "$ROOT/tests/reports/values.py" <asked >answered &
    exec 8>asked 9<answered
fi
tab=$(printf '\t')
for table in "$ROOT"/tests/reports/*.tsv; do
    area=$(basename "$table" .tsv)
    [ -z "$has_python" ] || make_inputs "$table" "$area" || echo "some inputs of $area are missing"
    while IFS=$tab read -r name input command expected pattern forbidden; do
        case $name in '' | '#'*) continue ;; esac
        wanted "$area: $name" || continue
        in=$(input_of "$input") || { skip "$area: $name" "no $input here"; continue; }
        case $command in *value*) [ -n "$has_python" ] || { skip "$area: $name" "no python3"; continue; } ;; esac
        out=$PWD/$area.row
        rm -rf "$out".*
        (eval "$command") >"$out.stdout" 2>"$out.stderr" </dev/null
        status=$?
        check "$area: $name" shows "$expected" "$pattern" "$forbidden"
    done <"$table"
done
