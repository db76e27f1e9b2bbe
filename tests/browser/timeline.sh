# Tests the timeline with real keys, pointer and fingers in headless Chromium. BROWSER_BINARY, BUILD and WORK come from
# the suite.
if ! command -v node >/dev/null || [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 16 ]; then
    echo "ok - the timeline in a browser # SKIP no node 16 or newer"
    exit 0
fi
node tests/browser/timeline.mjs "$BROWSER_BINARY" "$BUILD" "$WORK"
