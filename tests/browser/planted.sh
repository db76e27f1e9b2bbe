# Tests acceptance.mjs: a page without a fault passes every row, and each planted fault makes its row fail. BROWSER_BINARY,
# BUILD and WORK come from the suite. ACCEPTANCE_PACKAGES may name a folder with axe-core and html-validate.
if ! command -v node >/dev/null || [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 16 ]; then
    echo "ok - the measurement of pages # SKIP no node 16 or newer"
    exit 0
fi
node tests/browser/planted.mjs "$BUILD/tracepress" "$PWD/tests/data" "$WORK" "${ACCEPTANCE_PACKAGES:-build/npm}"
