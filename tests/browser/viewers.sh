# Tests timeline and call tree in headless Chromium. node drives it without packages. BROWSER_BINARY, BUILD and WORK
# come from the suite.
if ! command -v node >/dev/null || [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 16 ]; then
    echo "ok - timeline and call tree in a browser # SKIP no node 16 or newer"
    exit 0
fi
node tests/browser/viewers.mjs "$BROWSER_BINARY" "$BUILD/tracepress" "$PWD/tests/data" "$WORK"
