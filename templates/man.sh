#!/bin/sh
# man.sh VERSION HELP.txt: the manual page of a command, made from its help text, to standard output.
#
# A help text has a first line "NAME: what it does", "usage: ..." lines, paragraphs, and headings with items. A heading is one
# line with a colon at its end before an indented line. An item begins after two blanks with a term, two or more blanks, and
# its text; deeper lines continue the text. Items without terms form a paragraph. Below "example", all lines are code.
set -eu
version=$1 file=$2 name=$(basename "$2" .txt)
case $name in tracepress | tracepress-*) page=$name ;; *) page=tracepress-$name ;; esac
others=
for other in "$(dirname "$file")"/*.txt; do
    other=$(basename "$other" .txt)
    case $other in tracepress | tracepress-*) ;; *) other=tracepress-$other ;; esac
    [ "$other" = "$page" ] || others="$others $other"
done
awk -v page="$page" -v version="$version" -v others="$others" '
function safe(text) {
    gsub(/\\/, "\\(rs", text); gsub(/-/, "\\-", text); gsub(/\047/, "\\(aq", text); gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text); gsub(/~/, "\\(ti", text); gsub(/"/, "\\(dq", text)
    return text ~ /^ *[.]/ ? "\\&" text : text
}
function say(text) { print safe(text) }
function trim(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }
function indent_of(text) { match(text, /^ */); return RLENGTH }
# Prints the lines a to b, between two empty lines, as a paragraph.
function paragraph(a, b,   i) { print ".PP"; for (i = a; i <= b; i++) say(trim(line[i])) }
function items(a, b,   i, has_terms, at, text) {
    if (heading ~ /^example/) {
        print ".PP\n.EX"; for (i = a; i <= b; i++) { text = line[i]; sub(/^  /, "", text); say(text) } print ".EE"
        return
    }
    has_terms = 0
    for (i = a; i <= b; i++)
        if (indent_of(line[i]) > 6 || trim(line[i]) ~ /[^ ]  +[^ ]/ || trim(line[i]) ~ /^--?[a-z]/) has_terms = 1
    if (!has_terms) { paragraph(a, b); return }
    for (i = a; i <= b; i++) {
        text = trim(line[i])
        if (indent_of(line[i]) > 6) { say(text); continue }
        print ".TP"
        if (match(text, /  +/)) { print "\\fB" safe(substr(text, 1, RSTART - 1)) "\\fR"; say(substr(text, RSTART + RLENGTH)) }
        else print "\\fB" safe(text) "\\fR"
    }
}
# Prints a heading. The part of a long heading in brackets or after a colon becomes text.
function head(text,   rest) {
    sub(/:$/, "", text)
    heading = text
    if (text ~ /^example/) { print ".SH EXAMPLE"; return }
    if (length(text) > 40 && match(text, / \(|: /)) {
        rest = substr(text, RSTART + (substr(text, RSTART, 1) == ":" ? 2 : 1))
        text = substr(text, 1, RSTART - 1)
    }
    print ".SS " safe(text)
    if (rest != "") print ".PP\n" safe(rest)
}
function block(a, b,   i) {
    if (indent_of(line[a])) { items(a, b); return }
    for (i = a; i <= b && !indent_of(line[i]); i++) continue
    if (i == a + 1 && i <= b && line[a] !~ /\.$/) head(line[a])
    else if (line[a] ~ /^Exit codes/) { print ".SH EXIT STATUS"; paragraph(a, i - 1) }
    else paragraph(a, i - 1)
    if (i <= b) items(i, b)
}
{ line[NR] = $0 }
END {
    colon = index(line[1], ": ")
    print ".\\\" Made by templates/man.sh from the help text; change that."
    print ".TH " toupper(safe(page)) " 1 \"\" \"tracepress " version "\" \"User Commands\"\n.ad l\n.nh"
    print ".SH NAME\n" safe(page) " \\- " safe(substr(line[1], colon + 2))
    print ".SH SYNOPSIS"
    for (i = 3; i <= NR && line[i] != ""; i++) {
        text = line[i]; sub(/^usage:/, "", text); text = trim(text)
        if (i > 3) print ".PP"
        start = match(text, /tracepress(-mpi)?( [a-z]+)?/) ? RSTART + RLENGTH : 1
        print "\\fB" safe(substr(text, 1, start - 1)) "\\fR" safe(substr(text, start))
    }
    print ".SH DESCRIPTION"
    for (; i <= NR; i++) {
        if (line[i] == "") continue
        for (last = i; last < NR && line[last + 1] != ""; last++) continue
        block(i, last)
        i = last
    }
    print ".SH SEE ALSO"
    n = split(others, other, " ")
    for (i = 1; i <= n; i++) print ".BR " safe(other[i]) " (1)" (i < n ? "," : "")
}' "$file"
