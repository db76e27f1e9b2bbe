# The commands that read traces, on other systems: built here for Windows and run by wine, they give the bytes of Linux.
. tests/suites/case.sh
EXE=$PWD/build/windows/tracepress.exe
LINUX=${TOOLS:-$BUILD}/tracepress-zlib # what a system without ISA-L compresses, byte for byte

missing=
for tool in x86_64-w64-mingw32-gcc wine tclsh; do
    command -v $tool >/dev/null || missing="$missing $tool"
done
[ -f /usr/x86_64-w64-mingw32/lib/libz.a ] || missing="$missing libz-mingw-w64-dev"
if [ -n "$missing" ]; then
    skip "tracepress.exe" "needs$missing"
    exit 0
fi
if ! sh writer/windows/libraries.sh build/windows-libraries >"$WORK/libraries.log" 2>&1; then
    skip "tracepress.exe" "no sources of its libraries: $(tail -n 1 "$WORK/libraries.log")"
    exit 0
fi
built() { make -s windows && [ -s "$EXE" ] && ! grep -i 'warning:' "$WORK/make.log"; }
check "tracepress.exe is built without a warning" built 2>"$WORK/make.log"
[ -s "$EXE" ] || exit 0

# a Windows of our own: nothing of the user's is read or written
export WINEPREFIX="$WORK/wine" WINEDEBUG=-all WINEDLLOVERRIDES="winemenubuilder.exe,mscoree,mshtml="
cd "$WORK" || exit 1
windows() { timeout 600 wine "$EXE" "$@"; }
if ! windows --version >wine.out 2>&1; then
    skip "tracepress.exe under wine" "wine does not run it: $(tail -n 1 wine.out)"
    exit 0
fi
trap 'wineserver -k 2>/dev/null; :' EXIT

# same NAME ARGUMENT...: files out.* and standard output of a command on both systems; "OUT" in an argument is a folder
same() {
    rm -rf l w && mkdir l w
    words_l= words_w=
    for word; do
        case $word in OUT*) words_l="$words_l l${word#OUT}" words_w="$words_w w${word#OUT}" ;; *) words_l="$words_l $word" words_w="$words_w $word" ;; esac
    done
    # shellcheck disable=SC2086
    "$LINUX" $words_l >l/stdout 2>l/stderr
    code_l=$?
    # shellcheck disable=SC2086
    windows $words_w >w/stdout 2>w/stderr
    code_w=$?
    [ $code_l = $code_w ] || { echo "$*: status $code_l and $code_w"; cat w/stderr; return 1; }
    sed -i 's,^tracepress: w/,tracepress: l/,' w/stderr
    diff -r l w || { echo "$*"; return 1; }
}
reports() {
    for trace in "$DATA"/traces/*; do
        same report "$trace" -o OUT/page.html --json OUT/views.json --markdown OUT/digest.md || return 1
        [ -s w/page.html ] || { cat w/stderr; return 1; }
    done
}
check "report of each bundled trace: page, JSON and digest have the bytes of Linux" reports

real_reports() {
    for trace in $(find "$SHARED/data" -name '*.pt.trace.json*' -size -6M 2>/dev/null | sort | awk 'NR % 9 == 1' | head -n 12); do
        same report "$trace" -o OUT/page.html --json OUT/views.json || return 1
    done
}
if [ -d "$SHARED/data" ]; then
    check "report of real traces has the bytes of Linux" real_reports
else
    skip "report of real traces has the bytes of Linux" "no folder of real traces"
fi

commands() {
    one=$DATA/traces/gpu_2026.pt.trace.json.gz two=$DATA/traces/gpu_2024.pt.trace.json.gz
    same table "$one" &&
        same table "$one" --opr-name '^aten::(mm|add.*|t)$' &&
        same table "$one" --opr-name '[[:digit:]]+|\bmul\b' --format csv -o OUT/t.csv &&
        same diff "$two" "$one" -o OUT/d.html --json OUT/d.json &&
        same check "$one" --baseline "$two" --junit OUT/j.xml --sarif OUT/s.json &&
        same export "$one" --to csv -o OUT/csv &&
        same export "$one" --to folded -o OUT/f &&
        same export "$one" --to flamegraph -o OUT/f.svg &&
        same export "$one" --to sqlite -o OUT/t.db &&
        same export "$one" --to pstats -o OUT/p &&
        same summarize "$DATA/traces" --job j -o OUT/a.tps &&
        cp w/a.tps a.tps && same merge a.tps -o OUT/b.tps && same report a.tps -o OUT/job.html
}
check "table, diff, check, export, summarize and merge give the bytes of Linux" commands
folder() {
    rm -rf d && mkdir -p d/run/.hidden d/empty && cp "$DATA/traces/case_flame.pt.trace.json.gz" d/run && cp "$DATA/traces/case_reading.pt.trace.json.gz" d
    echo '{"schema":"x"}' >d/run/notes.json
    same report d -o OUT/page.html && same report d --include '*_f[a-m]*' -o OUT/page.html && same table d --include 'nothing?' -o OUT/t
}
check "a folder of traces is searched as on Linux" folder

# ---- what is Windows' own ----

status() { # wanted status, arguments
    wanted=$1
    shift
    windows "$@" >out 2>err
    code=$?
    [ $code = "$wanted" ] || { echo "$*: status $code"; cat err; return 1; }
}
codes() {
    trace=$DATA/traces/case_flame.pt.trace.json.gz
    head -c 200 /dev/urandom >noise.json
    status 2 report --no-such-option && status 2 record -- true && grep -q 'recorded on Linux' err && status 2 recover x &&
        status 0 record --help && grep -q record out && status 3 report nothing.json -o o.html && status 3 report noise.json -o o.html &&
        [ ! -e o.html ] && status 4 report "$trace" -o no/such/folder/o.html && echo x >file && status 4 report "$trace" -o file/o.html &&
        status 0 report "$trace" -o o.html && cp o.html first.html && status 0 report "$trace" -o o.html && cmp o.html first.html &&
        [ -z "$(find . -name '*.tracepress-*')" ]
}
check "exit codes; an older page is replaced, nothing is left beside it" codes
kept() { # an older file that cannot be replaced stays
    trace=$DATA/traces/case_flame.pt.trace.json.gz
    echo old >kept.html && chmod 444 kept.html && status 4 report "$trace" -o kept.html && [ "$(cat kept.html)" = old ] &&
        [ -z "$(find . -name '*.tracepress-*')" ]
}
check "a read-only page stays, exit code 4" kept
named() {
    rm -rf 'Übung 訓練' && mkdir 'Übung 訓練' && cp "$DATA/traces/case_flame.pt.trace.json.gz" 'Übung 訓練/läuft 🚀.pt.trace.json.gz'
    status 0 report 'Übung 訓練' -o 'Übung 訓練/Seite é.html' && "$LINUX" report 'Übung 訓練' -o l.html 2>l.err && cmp 'Übung 訓練/Seite é.html' l.html &&
        grep -q 'läuft 🚀' l.html
}
check "names that are not ASCII, of folders, traces and pages" named
backslashes() {
    rm -rf 'Übung 訓練' deep && mkdir -p deep/er && cp "$DATA/traces/case_flame.pt.trace.json.gz" deep/er/t.pt.trace.json.gz
    status 0 report 'deep\er\t.pt.trace.json.gz' -o 'deep\er\w.html' '--json=deep\w.json' && "$LINUX" report deep/er/t.pt.trace.json.gz -o l.html 2>l.err &&
        cmp deep/er/w.html l.html && [ -s deep/w.json ] &&
        status 0 report "Z:$(pwd | tr / '\\')\\deep" -o 'deep\er\w.html' && "$LINUX" report deep -o l.html 2>l.err && cmp deep/er/w.html l.html
}
check "backslashes stand between folders, and a drive before them" backslashes
piped() {
    trace=$DATA/traces/case_flame.pt.trace.json.gz
    windows report - -o - <"$trace" >w.html 2>err && "$LINUX" report - -o - <"$trace" >l.html 2>l.err && cmp l.html w.html &&
        [ "$(tr -cd '\r' <w.html | wc -c)" = "$(tr -cd '\r' <l.html | wc -c)" ]
}
check "standard input and output carry bytes" piped
deep() { # 400 characters of folders: past the old limit of Windows
    at=long
    for i in 1 2 3 4 5 6 7 8; do at=$at/fifty-characters-of-a-folder-name-so-that-it-is-long; done
    rm -rf long && mkdir -p "$at" && cp "$DATA/traces/case_flame.pt.trace.json.gz" "$at/t.pt.trace.json.gz"
    status 0 report long -o w.html && "$LINUX" report long -o l.html 2>l.err && cmp w.html l.html
}
check "traces at paths past the old limit of Windows are found" deep
