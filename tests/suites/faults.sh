# Runs tests/data/faults/cases.tsv, which has the exit code, number of events and notice of every broken or hostile
# trace.
. tests/suites/case.sh
CHECK=${TOOLS:-$BUILD}/json_check
folder=$DATA/faults
cd "$WORK" || exit 1

place() { # place HOW FILE: makes the input FILE in the way HOW and prints its path
    case $1 in
    "copy "*) cp "$folder/${1#copy }" "./$2" ;;
    "gunzip "*) gzip -dc "$folder/${1#gunzip }" >"./$2" ;;
    *) cp "$folder/$2" "./$2" ;;
    esac
}
# events NUMBER WANTED: compares the number of events. WANTED is a number, ">n", ">=n" or "a or b"
events() {
    case $2 in
    ">="*) [ "$1" -ge "${2#>=}" ] ;;
    ">"*) [ "$1" -gt "${2#>}" ] ;;
    *" or "*) [ "$1" = "${2%% or *}" ] || [ "$1" = "${2##* or }" ] ;;
    *) [ "$1" = "$2" ] ;;
    esac
}
fault() { # fault EXIT_CODE EVENTS NOTICE FILE: checks the report of the file
    rm -f out.html out.json
    cpu_limit 60 "$TP" report "./$4" -o out.html --json out.json >stdout 2>stderr
    status=$?
    [ "$status" = "$1" ] || { echo "exit $status, wanted $1"; tail -n 5 stderr; return 1; }
    [ ! -s stdout ] || { echo "stdout is not empty"; return 1; }
    if [ "$status" != 0 ]; then
        [ ! -e out.html ] && [ ! -e out.json ] || { echo "output in spite of the fault"; return 1; }
        grep -q . stderr || { echo "no message"; return 1; }
        return 0
    fi
    "$CHECK" valid out.json || return 1
    n=$("$CHECK" get out.json runs.0.profiles.0.trace_facts.event_count)
    events "$n" "$2" || { echo "$n events, wanted $2"; return 1; }
    [ "$3" = - ] && return 0
    grep -qiF -- "$3" stderr || { echo "notice '$3' is not on stderr:"; cat stderr; return 1; }
    grep -qiF -- "$3" out.html || { echo "notice '$3' is not in the report"; return 1; }
}
strict() { # strict FILE: checks the file with the strict reader
    rm -f strict.html
    cpu_limit 60 "$TP" report --strict "./$1" -o strict.html >stdout 2>stderr
    status=$?
    [ "$status" = 3 ] && [ ! -e strict.html ] && grep -q . stderr && return 0
    echo "exit $status, wanted 3"
    return 1
}
tab=$(printf '\t')
while IFS="$tab" read -r exit events notice made file why; do
    case $exit in "#"*) continue ;; esac
    name=$(printf '%.60s' "$file")
    wanted "$name" || continue
    place "$made" "$file" || { not_ok "fault $name" "cannot be made"; continue; }
    check "fault $name: $why" fault "$exit" "$events" "$notice" "$file"
    case $notice in
    "event "* | "not a number" | trailing* | "file ends early" | *gzip | checksum* | "bad escape" | control* | invalid* | nesting)
        check "fault $name: --strict refuses it" strict "$file" ;;
    esac
    rm -f "./$file"
done <"$folder/cases.tsv"
