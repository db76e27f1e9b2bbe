# Tests folded stacks in speedscope. SPEEDSCOPE, or build/speedscope/package, is its unpacked npm package, because
# Debian has none. BROWSER_BINARY, BUILD and WORK come from the suite.
folder=${SPEEDSCOPE:-$PWD/build/speedscope/package}/dist/release
if ! command -v node >/dev/null || [ ! -f "$folder/index.html" ]; then
    echo "ok - speedscope reads folded stacks # SKIP no node, or no speedscope (SPEEDSCOPE names its package)"
    exit 0
fi
node tests/browser/speedscope.mjs "$BROWSER_BINARY" "$BUILD/tracepress" "$PWD/tests/data" "$WORK" "$folder"
