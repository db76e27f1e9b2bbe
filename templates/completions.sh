#!/bin/sh
# completions.sh bash|zsh|fish HELP.txt...: prints the completions of tracepress for this shell, made from the help
# texts.
#
# An option is a line of a help text that begins with a dash after at most six blanks (man.sh describes the format). The
# line has names with their arguments, two or more blanks, and a text. In "-o, --output FILE" both names take a file,
# and "a|b" is a choice. The commands are the list with this title in tracepress.txt.
set -eu
shell=$1
shift
awk -v shell="$shell" '
function trim(text) { sub(/^ +/, "", text); sub(/ +$/, "", text); return text }
function name_of(path) { sub(/.*\//, "", path); sub(/\.txt$/, "", path); return path }
function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return text }
function choices(takes) { return takes ~ /^[a-z0-9.]+(\|[a-z0-9.]+)+$/ }
function words_of(takes) { gsub(/\|/, " ", takes); return takes }
# Adds the options of a line of help. A name without an argument of its own takes the argument of the next name in the
# same list.
function option_line(names, text,   n, i, word, first) {
    gsub(/, /, " , ", names)
    n = split(names, word, / +/)
    first = count[command] + 1
    for (i = 1; i <= n; i++) {
        if (word[i] ~ /^--?[a-zA-Z]/) {
            if (i > 1 && word[i - 1] != ",") first = count[command] + 1
            option[command, ++count[command]] = word[i]
            about[command, count[command]] = text
        } else if (word[i] != "," && count[command])
            for (; first <= count[command]; first++) takes[command, first] = word[i]
    }
}
FNR == 1 { command = name_of(FILENAME); in_list = 0 }
command == "tracepress" {
    if ($0 == "commands:") in_list = 1
    else if ($0 == "") in_list = 0
    else if (in_list) { known[++commands] = $1; does[$1] = trim(substr($0, index($0, $1) + length($1))) }
    next
}
/^ ? ? ? ? ? ?--?[a-zA-Z]/ {
    line = trim($0)
    if (match(line, /  +/)) option_line(substr(line, 1, RSTART - 1), substr(line, RSTART + RLENGTH))
    else option_line(line, "")
}
function bash(   c, i, name, all) {
    print "_tracepress() {\n    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n    COMPREPLY=()"
    for (c = 1; c <= commands; c++) all = all " " known[c]
    print "    case $COMP_CWORD:${COMP_WORDS[1]}:$before in\n    1:* | 2:help:*) words=\"" substr(all, 2) "\" ;;"
    for (c = 1; c <= commands; c++) for (i = 1; i <= count[known[c]]; i++)
        if (choices(takes[known[c], i])) print "    *:" known[c] ":" option[known[c], i] ") words=\"" words_of(takes[known[c], i]) "\" ;;"
        else if (takes[known[c], i]) print "    *:" known[c] ":" option[known[c], i] ") return ;;"
    for (c = 1; c <= commands; c++) {
        all = ""
        for (i = 1; i <= count[known[c]]; i++) all = all " " option[known[c], i]
        if (all) print "    *:" known[c] ":*) [[ $now != -* ]] || words=\"" substr(all, 2) "\" ;;"
    }
    print "    esac\n    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n}"
    print "complete -o bashdefault -o default -F _tracepress tracepress"
}
function plain(text) { gsub(/\\/, "\\\\", text); gsub(/\[/, "\\[", text); gsub(/\]/, "\\]", text); gsub(/:/, "\\:", text); return quoted(text) }
function zsh(   c, i, value, said) {
    print "#compdef tracepress\nlocal -a commands=("
    for (c = 1; c <= commands; c++) print "    \047" known[c] ":" quoted(does[known[c]]) "\047"
    print ")\nif (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; then\n    _describe command commands\n    return\nfi"
    print "local command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in"
    for (c = 1; c <= commands; c++) if (count[known[c]]) {
        print known[c] ")\n    _arguments \\"
        for (i = 1; i <= count[known[c]]; i++) {
            value = takes[known[c], i]
            value = choices(value) ? ":" "value:(" words_of(value) ")" : value ? ":" plain(value) ":_files" : ""
            print "        \047*" option[known[c], i] "[" plain(about[known[c], i]) "]" value "\047 \\"
        }
        print "        \047*:input:_files\047\n    ;;"
    }
    print "esac"
}
function fish(   c, i, value, name) {
    for (c = 1; c <= commands; c++) {
        print "complete -c tracepress -f -n __fish_use_subcommand -a " known[c] " -d \047" quoted(does[known[c]]) "\047"
        print "complete -c tracepress -f -n \"__fish_seen_subcommand_from help\" -a " known[c]
        for (i = 1; i <= count[known[c]]; i++) {
            value = takes[known[c], i]
            name = option[known[c], i]
            name = name ~ /^--/ ? "-l " substr(name, 3) : (length(name) == 2 ? "-s " : "-o ") substr(name, 2)
            value = choices(value) ? " -x -a \047" words_of(value) "\047" : value ? " -r" : ""
            print "complete -c tracepress -n \"__fish_seen_subcommand_from " known[c] "\" " name value (about[known[c], i] ? " -d \047" quoted(about[known[c], i]) "\047" : "")
        }
    }
}
END { if (shell == "bash") bash(); else if (shell == "zsh") zsh(); else fish() }' "$@"
