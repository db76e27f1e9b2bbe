#!/bin/sh
# citations.sh FILE...: checks what comments of C and README files refer to. A section of docs/definitions.md must exist, and
# must name the rule that is cited with it ("section 15, E3"). A file that a comment names must exist.
# DEFINITIONS replaces docs/definitions.md.
definitions=${DEFINITIONS:-docs/definitions.md}
# Names of files that are not in the repository. They belong to other projects or to the system, or are outputs of the
# build or a run.
elsewhere='asm/* linux/* torch/* Lib/* Python/* json/* typing.py threading.py code.py profile.py test.py copy.py profiler_util.py
    sgd.py adam.py adamw.py adagrad.py _lsprof.c omp-tools.h Python.h profile.proto trace_packet.proto'
# Names of files in examples.
examples='train.py prep.py main.py a.c a.py b.py src/a.c cmd_NAME.c webreport/export/NAME.c'
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-citations.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
{ git ls-files 2>/dev/null || find . -type f | sed 's,^\./,,'; } >"$work/all"
[ -s "$work/all" ] || find . -type f | sed 's,^\./,,' >"$work/all"
awk -v elsewhere="$elsewhere $examples" '
BEGIN { n = split(elsewhere, word, /[ \n]+/); for (i = 1; i <= n; i++) if (word[i] != "") known[word[i]] = 1 }
FILENAME == ARGV[1] { # Comments may leave out the first folders of a path.
    path = $0
    do known[path] = 1; while (sub(/^[^\/]*\//, "", path))
    next
}
FILENAME == ARGV[2] {
    if (match($0, /^## [0-9]+ /)) { section = substr($0, 4, RLENGTH - 4) + 0; exists[section] = 1 }
    text[section] = text[section] " " $0
    next
}
function cited(comment,    rest, number, after) {
    rest = comment
    while (match(rest, /definitions(\.md)?\)?,? (sections? )?[0-9]+/)) {
        number = substr(rest, RSTART, RLENGTH); sub(/.* /, "", number)
        rest = substr(rest, RSTART + RLENGTH)
        if (!((number + 0) in exists)) { print place ": docs/definitions.md has no section " number; bad = 1; continue }
        if (match(rest, /^, [A-Z][0-9]+/)) {
            after = substr(rest, 3, RLENGTH - 2)
            if (text[number + 0] !~ "[^A-Z0-9]" after "[^0-9]") { print place ": section " number " of docs/definitions.md does not name " after; bad = 1 }
        }
    }
}
function files(comment,    rest, name, folder) {
    rest = comment
    while (match(rest, /[A-Za-z0-9_\/.-]*[A-Za-z0-9_]\.(c|h|sh|py|proto)([^A-Za-z0-9_.(-]|$)/)) {
        name = substr(rest, RSTART, RLENGTH); sub(/[^a-z]$/, "", name)
        rest = substr(rest, RSTART + RLENGTH)
        if (name ~ /^[.\/_]/) continue
        folder = name; sub(/\/.*/, "/*", folder)
        if (!(name in known) && !(folder in known)) { print place ": " name " does not exist"; bad = 1 }
    }
}
FNR == 1 { in_comment = 0 }
{
    line = $0; comment = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at) { comment = comment line; break }
            comment = comment substr(line, 1, at - 1); in_comment = 0; line = substr(line, at + 2); continue
        }
        at = index(line, "/*"); slash = match(line, /(^|[ \t;{}])\/\/ /)
        if (slash && (!at || slash < at)) { comment = comment substr(line, slash); break }
        if (!at) break
        in_comment = 1; line = substr(line, at + 2)
    }
    if (comment == "") next
    place = FILENAME ":" FNR
    cited(comment)
    files(comment)
}
END { exit bad }' "$work/all" "$definitions" "$@"
