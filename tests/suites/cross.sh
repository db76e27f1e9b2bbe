# Builds the commands that read traces for Windows, and runs them with wine. They must write the same bytes as on Linux.
. tests/suites/case.sh
HERE=$PWD
EXE=$HERE/build/windows/tracepress.exe
# a tracepress without ISA-L, which compresses to the same bytes as the Windows program
HOST=${TOOLS:-$BUILD}/tracepress-zlib

missing=
for tool in x86_64-w64-mingw32-g++ wine tclsh; do
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

# uses a separate Windows prefix, so that the user's files are neither read nor written
export WINEPREFIX="$WORK/wine" WINEDEBUG=-all WINEDLLOVERRIDES="winemenubuilder.exe,mscoree,mshtml="
cd "$WORK" || exit 1
windows() { timeout 600 wine "$EXE" "$@"; }
if ! windows --version >wine.out 2>&1; then
    skip "tracepress.exe under wine" "wine does not run it: $(tail -n 1 wine.out)"
    exit 0
fi
trap 'wineserver -k 2>/dev/null; :' EXIT

elsewhere() { windows "$@"; }
. "$HERE/tests/suites/elsewhere.sh"

# ---- behavior that only Windows has ----

status() { # status EXIT_CODE ARGUMENTS...: runs the command and compares its exit code
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
check "exit codes; an older page is replaced, no other file is left" codes
kept() { # Checks that an older file stays if it cannot be replaced.
    trace=$DATA/traces/case_flame.pt.trace.json.gz
    echo old >kept.html && chmod 444 kept.html && status 4 report "$trace" -o kept.html && [ "$(cat kept.html)" = old ] &&
        [ -z "$(find . -name '*.tracepress-*')" ]
}
check "a read-only page stays, exit code 4" kept
named() {
    rm -rf 'Übung 訓練' && mkdir 'Übung 訓練' && cp "$DATA/traces/case_flame.pt.trace.json.gz" 'Übung 訓練/läuft 🚀.pt.trace.json.gz'
    status 0 report 'Übung 訓練' -o 'Übung 訓練/Seite é.html' && "$HOST" report 'Übung 訓練' -o l.html 2>l.err && cmp 'Übung 訓練/Seite é.html' l.html &&
        grep -q 'läuft 🚀' l.html
}
check "names that are not ASCII, of folders, traces and pages" named
backslashes() {
    rm -rf 'Übung 訓練' deep && mkdir -p deep/er && cp "$DATA/traces/case_flame.pt.trace.json.gz" deep/er/t.pt.trace.json.gz
    status 0 report 'deep\er\t.pt.trace.json.gz' -o 'deep\er\w.html' '--json=deep\w.json' && "$HOST" report deep/er/t.pt.trace.json.gz -o l.html 2>l.err &&
        cmp deep/er/w.html l.html && [ -s deep/w.json ] &&
        status 0 report "Z:$(pwd | tr / '\\')\\deep" -o 'deep\er\w.html' && "$HOST" report deep -o l.html 2>l.err && cmp deep/er/w.html l.html
}
check "backslashes stand between folders, and a drive before them" backslashes
piped() {
    trace=$DATA/traces/case_flame.pt.trace.json.gz
    windows report - -o - <"$trace" >w.html 2>err && "$HOST" report - -o - <"$trace" >l.html 2>l.err && cmp l.html w.html &&
        [ "$(tr -cd '\r' <w.html | wc -c)" = "$(tr -cd '\r' <l.html | wc -c)" ]
}
check "standard input and output carry bytes" piped
deep() { # Checks folders whose path has 400 characters, more than the old limit of Windows.
    at=long
    for i in 1 2 3 4 5 6 7 8; do at=$at/fifty-characters-of-a-folder-name-so-that-it-is-long; done
    rm -rf long && mkdir -p "$at" && cp "$DATA/traces/case_flame.pt.trace.json.gz" "$at/t.pt.trace.json.gz"
    status 0 report long -o w.html && "$HOST" report long -o l.html 2>l.err && cmp w.html l.html
}
check "traces at paths past the old limit of Windows are found" deep
