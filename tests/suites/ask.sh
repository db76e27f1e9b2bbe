# Tests `tracepress ask` and `tracepress mcp` with a client that needs only Python (tests/check/ask_client.py): the
# protocol, the roots, queries that only read, pages, cursors, damage, hostile names, jobs and exit codes. With the
# folder ../shared, also asks its questions, and the questions of tests/check/ask_questions.py about its traces. If
# ASK_PYTHON names a Python with the package mcp, its client asks them too.
. tests/suites/case.sh
! is_asan || SHARED=none # with sanitizers, uses only the traces of the repository
if ! command -v python3 >/dev/null 2>&1; then
    skip "ask" "no python3"
    exit 0
fi
is_checked && export CHECKED=1
client() { # client CHECK: runs one check in an empty folder
    rm -rf "$WORK/client" && TMPDIR=$WORK python3 tests/check/ask_client.py "$TP" "$DATA" "$WORK/client" "$1"
}
for name in $(python3 tests/check/ask_client.py "$TP" "$DATA" "$WORK/client" list); do
    check "client: $(echo "$name" | tr _ ' ')" client "$name"
done
leftovers() { ! ls -d "$WORK"/tracepress-ask-* 2>/dev/null; }
check "no database is left in TMPDIR" leftovers

if [ -d "$SHARED/data/ask" ]; then
    check "the questions of the reference data are answered" \
        python3 tests/check/ask_questions.py "$TP" "$SHARED/data/traces" "$SHARED/data/ask/questions.json"
    check "questions about other traces have the answers of the raw traces" \
        python3 tests/check/ask_questions.py "$TP" "$SHARED/data/traces"
else
    skip "the questions of the reference data are answered" "no reference data"
    skip "questions about other traces have the answers of the raw traces" "no reference data"
fi
if [ ! -d "$SHARED/oracle/ask" ]; then
    skip "the client of the package mcp" "no reference data"
elif ! "${ASK_PYTHON:-python3}" -c 'import mcp' 2>/dev/null; then
    skip "the client of the package mcp" "ASK_PYTHON names no Python with the package mcp"
else
    check "the client of the package mcp" "${ASK_PYTHON:-python3}" "$SHARED/oracle/ask/ask_score.py" \
        --questions "$SHARED/data/ask/questions.json" --server "$TP" mcp --root "$SHARED/data/traces"
fi
