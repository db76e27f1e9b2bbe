# Checks that links, names, commands and options in the documentation exist. Runs the blocks of README.md,
# docs/python.md and docs/recording.md with an installed tracepress. Manual pages must be rendered without warnings.
. tests/suites/case.sh
HERE=$PWD
SMALL=${BUILD#"$PWD"/}
make_in_build() { make -s --no-print-directory MODE="$(basename "$BUILD")" BUILD="$SMALL" "$@"; }

is_short() { [ "$(wc -l <README.md)" -le 150 ] || { wc -l README.md; return 1; }; }
check "README.md: at most 150 lines" is_short
if command -v python3 >/dev/null; then
    check "links of all *.md resolve, files and anchors" python3 tests/check/docs.py links
    check "files and folders that *.md name exist" python3 tests/check/docs.py names
    check "commands and options in *.md are in the help texts, make targets in the Makefile" python3 tests/check/docs.py commands
    check "help texts have every option of their command, and no other" python3 tests/check/docs.py options
    for command in check diff; do
        check "help $command: the examples are what the program prints" python3 tests/check/doc_samples.py "$TP" "$WORK/help" "templates/help/$command.txt"
    done
    check "README.md: the samples are what the program prints" python3 tests/check/doc_samples.py "$TP" "$WORK" README.md
else
    skip "links, names, commands and options of *.md" "no python3"
fi
same_fields() { "$BUILD/json_fields" >"$WORK/report-json.md" && diff docs/report-json.md "$WORK/report-json.md"; }
check "docs/report-json.md is what json_fields prints, and every member has a definition" same_fields
same_classes() { "$BUILD/json_fields" python >"$WORK/fields.py" && diff python/torch_tracepress/_fields.py "$WORK/fields.py"; }
check "python/torch_tracepress/_fields.py is what json_fields python prints" same_classes
placeholders() { ! grep -rnwE 'OWNER|TODO|FIXME|XXX' --include=*.md --include=*.yml --include=*.txt --include=*.html .github docs templates collector writer webreport ./*.md; }
check "no placeholder is left in texts" placeholders
readmes() { # Checks that each folder of sources has a README that states the folder's purpose.
    missing=$(find writer collector webreport docs templates tests -type d ! -path 'tests/*/*' ! -path 'templates/*' ! -path '*/__pycache__' |
        while read -r folder; do
            case $folder in tests/?*) continue ;; esac
            [ -s "$folder/README.md" ] || echo "$folder"
        done)
    [ -z "$missing" ] || { echo "no README.md in: $missing"; return 1; }
}
check "every folder of sources has a README.md" readmes

# ---- installed ----
U=$WORK/usr
installed() { make_in_build install PREFIX="$U" && [ -x "$U/bin/tracepress" ] && [ -s "$U/share/man/man1/tracepress-report.1" ]; }
check "make install" installed
pages() {
    for page in "$U"/share/man/man1/*.1; do
        said=$(MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>&1 >"$WORK/page") && [ -z "$said" ] || { echo "$page: $said"; return 1; }
        for heading in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' 'SEE ALSO'; do
            grep -q "^$heading\$" "$WORK/page" || { echo "$page: no $heading"; return 1; }
        done
    done
    MANPATH=$U/share/man MANPAGER=cat man tracepress-report | grep -q -- '--markdown FILE'
}
same_options() { # Checks that the manual page describes the same options as the help text.
    for text in templates/help/*.txt; do
        name=$(basename "$text" .txt)
        page=$U/share/man/man1/tracepress-${name#tracepress-}.1
        [ "$name" != tracepress ] || page=$U/share/man/man1/tracepress.1
        [ -e "$page" ] || { [ "$name" = tracepress-mpi ] && continue; echo "no $page"; return 1; }
        for option in $(grep -oE -- '--[a-z][a-z-]+' "$text" | sort -u); do
            sed 's/\\-/-/g' "$page" | grep -q -- "$option" || { echo "$page has no $option"; return 1; }
        done
    done
}
check "every option of a help text is in its manual page" same_options
if command -v man >/dev/null && command -v groff >/dev/null; then
    check "man pages render without warnings" pages
else
    skip "man pages render without warnings" "no man or groff"
fi
# ---- completions, requested in the same way as by the shell ----
completed() { # completed WORD...: checks that the file "offered" has each word on its own line
    for word in "$@"; do
        grep -qx -- "$word" "$WORK/offered" || { echo "not offered: $word"; head -n 20 "$WORK/offered"; return 1; }
    done
}
asked_bash() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracepress; printf "%s\\n" "${COMPREPLY[@]}"' bash \
        "$U/share/bash-completion/completions/tracepress" "$@" >"$WORK/offered"
}
in_bash() {
    asked_bash tracepress re && completed report record recover && asked_bash tracepress report --ma && completed --markdown --max-size --max-input &&
        asked_bash tracepress report --assets '' && completed inline separate && asked_bash tracepress help ch && completed check
}
asked_fish() { HOME=$WORK XDG_CONFIG_HOME=$WORK XDG_DATA_HOME=$WORK fish -c 'source $argv[1]; complete -C $argv[2]' "$U/share/fish/vendor_completions.d/tracepress.fish" "$1" | cut -f1 >"$WORK/offered"; }
in_fish() {
    asked_fish 'tracepress re' && completed report record recover && asked_fish 'tracepress report --ma' && completed --markdown --max-size --max-input &&
        asked_fish 'tracepress report --assets ' && completed inline separate
}
asked_zsh() { # Requests completions from zsh in a terminal, where the menu contains them.
    zsh -f tests/check/complete.zsh "$U/share/zsh/site-functions" "$1" | tr -s ' \r' '\n\n' >"$WORK/offered"
}
in_zsh() {
    asked_zsh 'tracepress re' && completed report record recover && asked_zsh 'tracepress report --ma' && completed --markdown --max-size --max-input &&
        asked_zsh 'tracepress report --assets ' && completed inline separate
}
for shell in bash zsh fish; do
    if command -v "$shell" >/dev/null; then
        check "completions in $shell: commands, options, values" "in_$shell"
    else
        skip "completions in $shell: commands, options, values" "no $shell"
    fi
done
if command -v mandoc >/dev/null; then
    check "man pages pass mandoc's lint" sh -c 'mandoc -T lint -W warning "$1"/*.1 | grep -v "missing date" | { ! grep .; }' - "$U/share/man/man1"
else
    skip "man pages pass mandoc's lint" "no mandoc"
fi
compile_commands() {
    make_in_build compile_commands && python3 - <<'END'
import json
import os
import subprocess

rows = json.load(open("compile_commands.json"))
assert len(rows) > 300 and all(os.path.exists(os.path.join(row["directory"], row["file"])) for row in rows)
row = next(row for row in rows if row["file"] == "webreport/cli/cmd_report.c")
command = row["command"].split(" -MMD")[0] + row["command"].split(" -MP")[1].split(" -c ")[0] + " -fsyntax-only " + row["file"]
subprocess.run(command, shell=True, check=True, cwd=row["directory"])
END
}
if command -v python3 >/dev/null; then
    check "make compile_commands: every file is there, and a command of it compiles" compile_commands
else
    skip "make compile_commands" "no python3"
fi

# ---- the blocks of the README, in order, in an empty folder ----
export PATH="$U/bin:$PATH" PKG_CONFIG_PATH=$U/lib/pkgconfig LD_LIBRARY_PATH=$U/lib
fact() { awk -F'\t' -v key="$1" '$1 == key { print $2; exit }' "$2"; }
python_with() { # python_with [MODULE]: prints the path of a Python that has the module
    for candidate in "${TORCH_PYTHON:-}" "$HERE/build/torch/bin/python" "$HERE/build/python/bin/python" python3; do
        [ -n "$candidate" ] && "$candidate" -c "import ${1:-sys}" 2>/dev/null && echo "$candidate" && return 0
    done
    return 1
}
# Creates a substitute for the output of a block that cannot be run here.
give() { # give PATH: makes the file or folder unless it exists
    [ ! -e "$1" ] || return 0
    case $1 in
    runs/today) mkdir -p runs/today && cp "$DATA/traces/torch_2.13_mlp_train.full.pt.trace.json.gz" runs/today/ ;;
    *) echo "$1 is not there"; return 1 ;;
    esac
}
run_shell() { # run_shell BLOCK FACTS: runs the block with sh and checks the facts listed for it
    cd "$WORK/empty" || return 1
    given=$(fact given "$2")
    [ -z "$given" ] || give "$given" || return 1
    cpu_limit 120 sh -eu "$1" >"$WORK/said" 2>&1 || { cat "$1" "$WORK/said"; return 1; }
    for output in $(sed 's/#.*//' "$1" | grep -oE -- '(-o|--json|--markdown) [^ ]+' | sed 's/.* //'); do
        [ -s "$output" ] || { echo "$output was not made"; return 1; }
    done
}
# records_itself SOURCE: compiles the C or C++ program and runs it in its own folder. It must write a trace
records_itself() {
    rm -rf "$WORK/c" && mkdir "$WORK/c" && cd "$WORK/c" || return 1
    cp "$1" "program.${1##*.}"
    compiler=${CC:-cc}
    case $1 in *.cpp) compiler="${CXX:-c++} -std=c++20 -pthread" ;; esac
    # shellcheck disable=SC2046,SC2086
    $compiler -Wall -Wextra -Werror program.* $(pkg-config --cflags --libs tracepress) -o program || return 1
    cpu_limit 60 ./program >said 2>&1 || { echo "exit $?"; cat said; return 1; }
    [ ! -s said ] || { cat said; return 1; }
    trace=$(find . -name '*.pt.trace.json.gz' | head -n 1)
    [ -n "$trace" ] || { echo "it left no trace:"; find .; return 1; }
    range=$(grep -o 'TRACEPRESS_SCOPE[A-Z_]*("[^"]*"' program.* | head -n 1 | cut -d '"' -f 2)
    "$TP" table "$trace" --format csv | grep -q "^\"${range:?}\"," || { "$TP" table "$trace"; return 1; }
    "$TP" report "$trace" --strict --quiet -o report.html --json views.json || return 1
    for task in $(grep -oE 'TRACEPRESS_(TASK|AWAIT|PART)\([a-z]+, "[^" ]+"' program.* | cut -d '"' -f 2); do
        grep -q "\"task\":\"$task\"" views.json || { echo "no task $task"; return 1; }
    done
}
run_python() { # run_python BLOCK PYTHON FACTS: runs the block with this Python and checks the facts listed for it
    cp "$1" "$WORK/empty/block.py" && cd "$WORK/empty" || return 1
    given=$(fact given "$3")
    [ -z "$given" ] || give "$given" || return 1
    PYTHONPATH=$HERE/python PYTHONDONTWRITEBYTECODE=1 cpu_limit 300 "$2" block.py
}
run_block() { # run_block PATH NAME: runs the block as the case NAME. PATH is without the file extension
    facts=$1.facts
    reason=$(fact 'not run' "$facts")
    file=$(fact file "$facts")
    for block in "$1".sh "$1".c "$1".python "$1".text; do [ ! -e "$block" ] || break; done
    [ -z "$file" ] || cp "$block" "$WORK/empty/$file"
    if [ -n "$reason" ]; then
        skip "$2" "$reason"
        return
    fi
    case $block in
    *.sh) check "$2: runs" run_shell "$block" "$facts" ;;
    *.c) check "$2: compiles, runs, and leaves a trace" records_itself "$block" ;;
    *.python)
        if python=$(python_with "$(fact needs "$facts")"); then
            check "$2: runs" run_python "$block" "$python" "$facts"
        else
            skip "$2: runs" "no Python with $(fact needs "$facts") (TORCH_PYTHON, build/python)"
        fi
        ;;
    *) not_ok "$2: a block of no known kind" "$(cat "$block")" ;;
    esac
}
if ! command -v python3 >/dev/null || ! command -v pkg-config >/dev/null; then
    skip "blocks of the README" "no python3 or no pkg-config"
    exit 0
fi
mkdir "$WORK/empty" "$WORK/blocks"
python3 tests/check/docs.py blocks README.md "$WORK/blocks"
for facts in "$WORK"/blocks/*.facts; do
    run_block "${facts%.facts}" "README.md, block $(basename "$facts" .facts)"
done
rm -rf "$WORK/empty" && mkdir "$WORK/empty" "$WORK/python" "$WORK/recording"
python3 tests/check/docs.py blocks docs/python.md "$WORK/python"
for facts in "$WORK"/python/*.facts; do
    run_block "${facts%.facts}" "docs/python.md, block $(basename "$facts" .facts)"
done
python3 tests/check/docs.py blocks docs/recording.md "$WORK/recording"
echo '#include <coroutine>' >"$WORK/can.cpp"
if ! "${CXX:-c++}" -std=c++20 -fsyntax-only "$WORK/can.cpp" 2>/dev/null; then
    skip "docs/recording.md, blocks in C++: compile, run, and leave a trace" "no C++20 compiler"
    rm "$WORK"/recording/*.cpp
fi
for block in "$WORK"/recording/*.c*; do
    check "docs/recording.md, block $(basename "${block%.*}"): compiles, runs, and leaves a trace" records_itself "$block"
done

# Runs the example at the top of the installed header, without the dots and with 8 steps.
header_example_leaves_a_trace() {
    awk '/^ \*     #include/ { print substr($0, 8); print "int main(void)\n{\n    enum { steps = 8 };"; is_in = 1; next }
        is_in && /^ \* [A-Z]/ { exit } is_in { line = substr($0, 8); if (line !~ /^ *\.\.\.$/) print line }
        END { print "}" }' "$U/include/tracepress.h" >"$WORK/header.c" && records_itself "$WORK/header.c" && [ -d "$WORK/c/runs/today" ]
}
check "tracepress.h, its example: compiles, runs in an empty folder, and leaves a trace in runs/today" header_example_leaves_a_trace
# Checks programs whose folder cannot be created. The exit code must stay the same, and a line must name the folder, the
# cause and the loss.
in_the_way() {
    for block in "$WORK/header.c" "$WORK"/recording/*.c*; do
        records_itself "$block" || return 1
        rm -rf runs && : >runs
        ./program >said 2>&1 || { echo "exit $?"; cat said; return 1; }
        [ "$(wc -l <said)" = 1 ] && grep -q "^tracepress: nothing is recorded; the program continues: $PWD/runs/[a-z]*: Not a directory\$" said ||
            { cat said; return 1; }
        ! TRACEPRESS_QUIET=1 ./program 2>&1 | grep . || return 1
    done
}
check "their folder cannot be made: one line says folder, cause and what is lost, the programs go on" in_the_way

# Checks that the installed tree works at any location, because its paths are relative to its own files.
cp -a "$U" "$WORK/moved" && mkdir "$WORK/linked"
cat >"$WORK/linked/main.c" <<'END'
#include <tracepress.h>

int main(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = "runs/linked";
    if (tracepress_start(&options) != 0)
        return 1;
    { TRACEPRESS_SCOPE("work"); }
    tracepress_stop();
    return 0;
}
END
leaves_a_trace() { rm -rf runs && "$@" && ls runs/linked/*.pt.trace.json.gz >/dev/null; }
# by_pkg_config FLAG...: builds the example with the flags that pkg-config prints. FLAG is for pkg-config or the
# compiler
by_pkg_config() {
    cd "$WORK/linked" || return 1
    # shellcheck disable=SC2046
    ${CC:-cc} $2 main.c $(PKG_CONFIG_PATH=$WORK/moved/lib/pkgconfig pkg-config $1 --cflags --libs tracepress) -o "program$2" 2>said &&
        LD_LIBRARY_PATH=$WORK/moved/lib leaves_a_trace "./program$2" || { cat said; return 1; }
}
by_cmake() { # by_cmake TARGET: builds with this target of CMake
    cd "$WORK/linked" && rm -rf built &&
        printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(linked C)' 'find_package(tracepress 0.1 REQUIRED)' \
            'add_executable(linked main.c)' "target_link_libraries(linked tracepress::$1)" >CMakeLists.txt &&
        cmake -S . -B built -DCMAKE_PREFIX_PATH="$WORK/moved" >said 2>&1 && cmake --build built >>said 2>&1 &&
        leaves_a_trace built/linked || { cat said; return 1; }
}
if command -v pkg-config >/dev/null; then
    check "pkg-config of a tree that was moved" by_pkg_config '' ''
    if echo 'int main(void) { return 0; }' >"$WORK/alone.c" && ${CC:-cc} -static "$WORK/alone.c" -o "$WORK/alone" 2>/dev/null; then
        check "pkg-config --static: a program that is linked statically records itself" by_pkg_config --static -static
    else
        skip "pkg-config --static: a program that is linked statically records itself" "no static C library"
    fi
else
    skip "pkg-config of a tree that was moved" "no pkg-config"
fi
if command -v cmake >/dev/null; then
    check "CMake: find_package of a tree that was moved, the shared library" by_cmake tracepress
    check "CMake: find_package of a tree that was moved, the static library" by_cmake static
else
    skip "CMake: find_package of a tree that was moved" "no cmake"
fi

uninstalled() {
    make_in_build uninstall PREFIX="$U" && left=$(find "$U" -type f -o -type l) && [ -z "$left" ] || { echo "left: $left"; return 1; }
}
check "make uninstall leaves nothing" uninstalled
