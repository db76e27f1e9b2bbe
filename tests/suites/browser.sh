# Tests the page in a real browser. tests/browser/*.sh run the cases.
. tests/suites/case.sh
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
if [ -z "$browser" ] || [ ! -d tests/browser ]; then
    skip "the page in a browser" "no chromium"
    exit 0
fi
export BROWSER_BINARY="$browser" SHARED
for script in tests/browser/*.sh; do
    [ -f "$script" ] || continue
    cpu_limit 300 sh "$script" || not_ok "$(basename "$script")" "status $?"
done
