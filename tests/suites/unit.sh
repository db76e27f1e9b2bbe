# Runs every program of tests/unit in its own process. cmocka counts the cases. THROUGH is a command that emulates
# another processor, which is slower.
. tests/suites/case.sh
export CMOCKA_MESSAGE_OUTPUT=TAP
for source in tests/unit/test_*.c; do
    [ -f "$source" ] || continue
    name=$(basename "$source" .c)
    wanted "$name" || continue
    # shellcheck disable=SC2086
    cpu_limit "${UNIT_CPU_S:-120}" ${THROUGH:-} "$BUILD/unit/$name" >"$WORK/out" 2>&1
    status=$?
    # cmocka writes "ok 1 - case", and for a skipped case "not ok 1 # SKIP case"
    sed -n "s/^\(not \)\{0,1\}ok [0-9]* # SKIP \(.*\)/ok - $name: \2 # SKIP asked by the test/p;t
            s/^\(not ok\|ok\) [0-9]* - \(.*\)/\1 - $name: \2/p;t
            s/^/    /p" "$WORK/out" | grep -v '^    1\.\.\|^    # .*tests'
    if [ $status != 0 ] && ! grep -q '^not ok' "$WORK/out"; then not_ok "$name" "status $status"; fi
done
