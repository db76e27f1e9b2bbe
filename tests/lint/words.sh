#!/bin/sh
# words.sh [FILE...]: finds words that plain English does not need. Without arguments it checks all tracked files, or all
# files if git is missing, and the subjects of new commits. Prints each place above its limit and exits with 1.
# LIMITS replaces the table of limits, WORDS_BASE the first commit; V=1 prints every place, COUNT=1 prints the table for today's files.
#
# It reads texts (*.md, templates), comments and messages of C, Python and shell, and names of C. The limits of a folder
# only go down: lower them when you remove a word. A folder or text without a line in the table has the limit 0.

# word or phrase | what to write instead
forbidden='
told            | reported, shown, recorded, known from
tells           | reports, shows, records
tell            | report, show, distinguish
telling         | reporting, showing
beside          | next to, in addition to
aside           | separately, leave it out
stands          | is, is located
lies            | is, is located
holds           | contains, is true, keeps
is none         | does not exist, is not a ..
are none        | do not exist, are no ..
none of ours    | not of tracepress
as that one is  | name the thing
of what         | name the thing
what is left    | the rest, the remaining ..
the same of     | the same for
goes on         | continues
went on         | continued
teach           | train, give
leavings        | leftover files
brief           | short
pieces          | parts, slices
tuples          | rows, records
at once         | immediately, simultaneously
at looks        | while polling
'
# Phrases that contain a forbidden word but are plain English.
# The sentences of memory snapshots and of dumps of the Flight Recorder are parts of formats (tracepress.memory_snapshot/1,
# tracepress-flight), so they are fixed.
allowed='kind holds|holds counts the ranks|cannot be told|the dumps do not tell|cannot tell|stands at byte|process stands in the way|free pieces between live blocks|%llu pieces|size of the pieces|stands for|stand for|holds the lock|lock holds|lies between|holds up|told apart|holds begin'
# The subjects of commits since this date are checked. A date is used, because the id of a commit changes when the
# history is rebased.
since=2026-11-28T23:41:00Z

# columns: kind, folder or text, limit
limits='
message tests/bench 5
message tests/check 22
message tests/lint 1
message tests/programs 1
message tests/python 14
message tests/suites 1
message tests/unit 4
message webreport/document 3
message webreport/measure 4
name tests/native 1
name tests/unit 3
name webreport/cli 1
name webreport/document 2
name webreport/measure 4
text docs/definitions.md 3
text templates/README.md 2
text templates/timeline.js 1
text templates/walk.js 1
'
[ -z "${LIMITS+x}" ] || limits=$LIMITS

files() {
    { git ls-files 2>/dev/null || find . -type f | sed 's,^\./,,'; } |
        grep -E '(^|/)[A-Z]+\.md$|^docs/.*\.md$|^templates/.*\.(txt|html|js|mustache)$|^(collector|writer|webreport|tests|python)/.*\.([ch]|py|sh|md)$' |
        grep -vE '^tests/(lint/(words|house)\.sh|golden/|data/|fuzz/corpus/|lint/planted\.sh)' | sort
}
subjects() {
    git log --format=%s "--since=$since" "${WORDS_BASE:+$WORDS_BASE..}HEAD" 2>/dev/null
}

places() { # FILE...: prints kind, folder or file, place, word and line, separated by tabs
    awk -v forbidden="$forbidden" -v allowed="$allowed" '
    BEGIN {
        n = split(forbidden, row, "\n")
        for (i = 1; i <= n; i++) {
            if (row[i] !~ /[|]/) continue
            word = row[i]; sub(/ *[|].*/, "", word)
            words[++count] = word
            if (word !~ / /) { is_name[word] = 1; any = any (any == "" ? "" : "|") word }
            else { split(word, part, " "); any = any "|" part[1] " " part[2] }
        }
        escapes = split(allowed, escape, "|")
    }
    function folder(path,    part, parts) {
        parts = split(path, part, "/")
        if (parts == 1) return path
        return parts == 2 ? part[1] : part[1] "/" part[2]
    }
    function find(kind, line,    lower, i, at, rest) {
        lower = tolower(line)
        if (lower !~ any) return
        gsub(/[^a-z_]+/, " ", lower); lower = " " lower " "
        for (i = 1; i <= escapes; i++) gsub(" " escape[i] " ", " ", lower)
        for (i = 1; i <= count; i++) {
            rest = lower
            while ((at = index(rest, " " words[i] " ")) > 0) {
                print kind "\t" (kind == "text" ? FILENAME : folder(FILENAME)) "\t" FILENAME ":" FNR "\t" words[i] "\t" line
                rest = substr(rest, at + 1)
            }
        }
    }
    function names(code,    i, k, n, m, id, part, lower) {
        lower = tolower(code)
        if (lower !~ any) return
        n = split(lower, id, /[^a-z0-9_]+/)
        for (i = 1; i <= n; i++) {
            if (id[i] == "ftell" || id[i] == "tell") continue
            m = split(id[i], part, "_")
            for (k = 1; k <= m; k++)
                if (part[k] in is_name && !((folder(FILENAME), id[i]) in seen)) {
                    seen[folder(FILENAME), id[i]] = 1
                    print "name\t" folder(FILENAME) "\t" FILENAME ":" FNR "\t" part[k] "\t" id[i]
                }
        }
    }
    # Splits a line of C into comment, texts in quotes and code.
    function c_line(line, kind,    comment, text, code, c, two, i, n, quote) {
        n = length(line)
        for (i = 1; i <= n; i++) {
            c = substr(line, i, 1); two = substr(line, i, 2)
            if (in_comment) { if (two == "*/") { in_comment = 0; i++ } else comment = comment c; continue }
            if (quote != "") { if (c == "\\") i++; else if (c == quote) { quote = ""; text = text " / " } else text = text c; continue }
            if (two == "/*") { in_comment = 1; i++ }
            else if (two == "//") { comment = comment substr(line, i + 2); break }
            else if (c == "\"" || (c == "\x27" && kind == "text")) quote = c
            else if (c == "\x27" && match(substr(line, i), /^\x27(\\.|[^\\])[^\x27]*\x27/)) { code = code " "; i += RLENGTH - 1 }
            else code = code c
        }
        find(kind == "text" ? kind : "comment", comment)
        find(kind == "text" ? kind : "message", text)
        if (kind != "text") names(code)
    }
    # Returns the texts in quotes, without a comment after them.
    function quoted(line,    text, quote, at) {
        sub(/(^|[ \t])#.*/, "", line)
        while (match(line, /["\x27]/)) {
            quote = substr(line, RSTART, 1); line = substr(line, RSTART + 1)
            if (!(at = index(line, quote))) break
            text = text " / " substr(line, 1, at - 1); line = substr(line, at + 1)
        }
        return text
    }
    function script_line(line, is_python,    at) {
        if (is_python && match(line, /"""/)) {
            find("comment", line)
            if (line !~ /""".*"""/) in_text = !in_text
        } else if (in_text) find("comment", line)
        else if (match(line, /(^|[ \t])#/)) find("comment", substr(line, RSTART))
        if (!in_text) find("message", quoted(line))
    }
    FNR == 1 { in_comment = in_text = 0 }
    FILENAME ~ /\.[ch]$/ { c_line($0, "code"); next }
    FILENAME ~ /\.js$/ { c_line($0, "text"); next }
    FILENAME ~ /\.(py|sh)$/ { script_line($0, FILENAME ~ /py$/); next }
    { find("text", $0) }' "$@"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-words.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
status=0
if [ $# = 0 ]; then
    # shellcheck disable=SC2046
    places /dev/null $(files) >"$work/places"
    subjects >"$work/subjects"
else
    places "$@" >"$work/places"
    : >"$work/subjects"
fi
[ -z "${V:-}" ] || cat "$work/places"
if [ -n "${COUNT:-}" ]; then
    cut -f1,2 "$work/places" | sort | uniq -c | awk '{ print $2, $3, $1 }'
    exit 0
fi
printf '%s\n' "$limits" | awk -F'\t' '
FILENAME == "-" { if (split($0, part, " ") == 3) limit[part[1], part[2]] = part[3] + 0; next }
{ key = $1 SUBSEP $2; found[key]++; if (found[key] <= 5) list[key] = list[key] "  " $3 ": \"" $4 "\": " substr($5, 1, 120) "\n"; name[key] = $1 " " $2 }
END {
    for (key in found)
        if (found[key] > limit[key] + 0) {
            bad = 1
            print name[key] ": " found[key] " forbidden words, the limit is " limit[key] + 0 "; tests/lint/words.sh lists what to write instead\n" list[key]
        }
    exit bad
}' - "$work/places" || status=1
awk -v forbidden="$forbidden" -v allowed="$allowed" '
BEGIN {
    n = split(forbidden, row, "\n")
    for (i = 1; i <= n; i++) if (row[i] ~ /[|]/) { sub(/ *[|].*/, "", row[i]); words[++count] = row[i] }
    escapes = split(allowed, escape, "|")
}
{
    if (length($0) > 72) { print "commit subject of more than 72 characters: " $0; bad = 1 }
    if ($0 !~ /^[a-z0-9_,\/ .-]+: [a-zA-Z]/ && $0 !~ /^Merge /) { print "commit subject without \"folder: verb object\": " $0; bad = 1 }
    line = tolower($0); gsub(/[^a-z_]+/, " ", line); line = " " line " "
    for (i = 1; i <= escapes; i++) gsub(" " escape[i] " ", " ", line)
    for (i = 1; i <= count; i++) if (index(line, " " words[i] " ")) { print "commit subject with \"" words[i] "\": " $0; bad = 1 }
}
END { exit bad }' "$work/subjects" || status=1
exit $status
