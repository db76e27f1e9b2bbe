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
# value EXPRESSION: prints a Python expression over the report's JSON (d: document, p: first profile)
value() { python3 -c 'import json,sys
d = json.load(open(sys.argv[1])); p = d["runs"][0]["profiles"][0]
print(eval(sys.argv[2]))' "$out.json" "$1"; }
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
    made:*)
        command -v python3 >/dev/null 2>&1 || return 1
        made_area=${1#made:} made_kind=${1##*/}
        made_area=${made_area%%/*}
        [ -d "made/$made_area/$made_kind" ] || {
            mkdir -p "made/$made_area/$made_kind"
            python3 "$ROOT/tests/reports/$made_area.py" "$made_kind" "made/$made_area/$made_kind" >&2
        } && echo "$PWD/made/$made_area/$made_kind"
        ;;
    esac
}
shows() { # shows STATUS PATTERN FORBIDDEN: compares the exit code and the output, which is in $out.*
    cat "$out.stdout" "$out.stderr" >"$out.all"
    [ ! -f "$out.md" ] || { cat "$out.md" && tr -d '`\\' <"$out.md"; } >>"$out.all"
    [ "$status" = "$1" ] || { echo "exit status $status, not $1"; head -n 8 "$out.all"; return 1; }
    [ "$2" = - ] || grep -aqE -e "$2" "$out.all" || { echo "no line matches: $2"; head -n 12 "$out.all"; return 1; }
    [ "$3" = - ] || ! grep -aE -e "$3" "$out.all" || { echo "these lines match: $3"; return 1; }
}
tab=$(printf '\t')
for table in "$ROOT"/tests/reports/*.tsv; do
    area=$(basename "$table" .tsv)
    while IFS=$tab read -r name input command expected pattern forbidden; do
        case $name in '' | '#'*) continue ;; esac
        wanted "$area: $name" || continue
        in=$(input_of "$input") || { skip "$area: $name" "no $input here"; continue; }
        case $command in *value*) command -v python3 >/dev/null 2>&1 || { skip "$area: $name" "no python3"; continue; } ;; esac
        out=$PWD/$area.row
        rm -rf "$out".*
        (eval "$command") >"$out.stdout" 2>"$out.stderr" </dev/null
        status=$?
        check "$area: $name" shows "$expected" "$pattern" "$forbidden"
    done <"$table"
done
