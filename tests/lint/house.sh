#!/bin/sh
# house.sh [--strict] [BUILD]: measures how easy the code is to work with, and prints each measure with its goal.
#
# Exits with 0, but with --strict exits with 1 if a goal is missed. BUILD has the objects, which show the calls between
# files. Without objects, circles are only counted by includes.
#
# Functions are found in the form that clang-format writes: braces in the first column. Generated files (first line
# "Generated") do not count as written by hand. Two goals have no line here, because a person measures them: the files
# that a change touches (the recipes of CONTRIBUTING.md) and the comments that a reader has to read twice.
# TREE: the tree to measure, if it is not the one that contains this script.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
cd "${TREE:-$here/../..}" || exit 1
strict=
[ "${1:-}" = --strict ] && strict=1 && shift
build=${1:-build/release}
missed=0

# goal NAME TODAY LIMIT: prints a line of the table. LIMIT is the largest good value
goal() {
    mark=
    [ "$2" -le "$3" ] || { mark=missed missed=$((missed + 1)); }
    printf '%-62s %8s %12s %s\n' "$1" "$2" "at most $3" "$mark"
}
# note NAME TODAY WHY: prints a line of the table for a measure without a goal. WHY is the reason
note() { printf '%-62s %8s %12s %s\n' "$1" "$2" "no goal" "$3"; }
sources() { find "$@" -name '*.[ch]' ! -path 'writer/macos/*' ! -path 'writer/windows/*' | sort; }

# functions PATTERN FILE...: prints "functions files lines" of the functions whose text matches PATTERN
functions() {
    pattern=$1
    shift
    awk -v pattern="$pattern" '
    FNR == 1 { inside = 0; generated = /Generated/ }
    generated { next }
    /^\{/ { inside = 1; first = FNR; found = 0; next }
    inside && /^\}/ {
        inside = 0
        if (found) { count++; lines += FNR - first + 1; if (!(FILENAME in seen)) { seen[FILENAME] = 1; files++ } }
    }
    inside && $0 ~ pattern { found = 1 }
    END { print count + 0, files + 0, lines + 0 }' "$@"
}

# packing FILE...: prints the number of lines of the files that use the messages of writer/proto and are not generated
packing() {
    awk '
    FNR == 1 { if (found) total += lines; found = 0; generated = /Generated/ }
    /#include ".*\.pb-c\.h"/ && !generated { found = 1 }
    { lines = FNR }
    END { if (found) total += lines; print total + 0 }' "$@"
}

# prose KIND FILE...: prints the number of string literals with at least five words. Adjacent literals count as one.
# KIND: definition (of fields and columns, in tables of their structs, and the rows of metrics); rule (in rows of
# rules); sentence (all others).
prose() {
    wanted=$1
    shift
    awk -v wanted="$wanted" '
    function finish(   n, parts, i, words) {
        n = split(text, parts, /[ \t\n]+/); words = 0
        for (i = 1; i <= n; i++) if (parts[i] ~ /[A-Za-z][A-Za-z]/) words++
        if (words >= 5 && kind == wanted) count++
        text = ""
    }
    FNR == 1 {
        finish(); comment = 0; region = ""
        whole = FILENAME ~ /\/metrics_rows\.h$/ ? "definition" : FILENAME ~ /\/rules_texts\.h$/ ? "rule" : ""
    }
    /^[ \t]*#/ { next }
    /^(static |extern )?(const )?struct (tp_column_def|tp_json_field|tp_fields) [^(]*=/ { region = "definition" }
    /^const struct tp_rule [^(]*=/ { region = "rule" }
    {
        now = whole != "" ? whole : /TP_FIELDS\(|\.definition/ ? "definition" : region != "" ? region : "sentence"
        n = length($0); literal = 0
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1); two = substr($0, i, 2)
            if (comment) { if (two == "*/") { comment = 0; i++ } continue }
            if (literal) {
                if (c == "\\") { text = text c substr($0, i + 1, 1); i++ }
                else if (c == "\"") literal = 0
                else text = text c
                continue
            }
            if (two == "/*") { comment = 1; i++; continue }
            if (two == "//") break
            if (c == "\"") { if (text == "") kind = now; literal = 1; continue }
            if (c !~ /[ \t]/ && text != "") finish()
        }
    }
    /;[ \t]*$/ && /^[^ \t]/ { region = "" }
    END { finish(); print count + 0 }' "$@"
}

# left_out REASON: prints the number of rules that the executable definition omits for a reason that begins with REASON
# (tests/oracle/exceptions.py)
left_out() { grep -oE "\"[A-Z][0-9]+\": left_out\($1" tests/oracle/exceptions.py | wc -l; }

# hard_comments FILE...: prints the number of comment lines with a word that the style guide forbids
hard_comments() {
    awk '
    FNR == 1 { comment = 0 }
    {
        text = ""
        if (comment) text = $0
        else if (i = index($0, "/*")) text = substr($0, i)
        else if (i = index($0, "//")) text = substr($0, i)
        if (text == "") next
        if (index($0, "/*")) comment = 1
        if (index($0, "*/")) comment = 0
        if (tolower(" " text " ") ~ words) count++
    }
    END { print count + 0 }' words='[^a-z](told|tells?|beside|stands?|lies|holds|looks|goes on|is none|none of ours|what is left|at once)[^a-z]' "$@"
}

printf '%-62s %8s %12s\n' "" today goal
goal "largest flat folder (.c files)" \
    "$(find writer collector webreport -name '*.c' | sed 's,/[^/]*$,,' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')" 45
# shellcheck disable=SC2046
set -- $(functions 'tp_json_(init|array|object|key|member|null|raw|int|real|bool|str|text|us)' $(sources webreport/measure))
goal "functions that write JSON in measure ($2 files, $3 lines)" "$1" 0
# shellcheck disable=SC2046
goal "lines of measure that pack and unpack .tps by hand" "$(packing $(sources webreport/measure))" 0
# shellcheck disable=SC2046
goal "sentences of five words or more in measure" "$(prose sentence $(sources webreport/measure))" 299
# shellcheck disable=SC2046
note "  definitions of fields, columns and metrics there" "$(prose definition $(sources webreport/measure))" "documentation of fields"
# shellcheck disable=SC2046
note "  texts in the rows of rules there" "$(prose rule $(sources webreport/measure))" "a rule is one row"
# shellcheck disable=SC2046
set -- $(sh "$here/circles.sh" "$build" | sed -n 's/^units: \([0-9]*\) of \([0-9]*\) .* and \([0-9]*\) in circles through .*/\1 \2 \3/p')
goal "units in include circles (of $2)" "$(($1 + $3))" 79
rules=$(grep -rhoE '"[A-Z][0-9]+"' webreport/measure/rules | sort -u | wc -l)
goal "rules that the twin does not compute yet (of $rules, $(left_out '') left out)" "$(left_out LATER)" 0
# shellcheck disable=SC2046
goal "product lines" "$(cat $(sources writer collector webreport) | wc -l)" 151000
# shellcheck disable=SC2046
goal "comment lines with words that the style guide forbids" "$(hard_comments $(sources writer collector webreport))" 0
echo "$missed goals missed"
[ -z "$strict" ] || [ "$missed" = 0 ]
