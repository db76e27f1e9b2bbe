#!/bin/sh
# acceptance.sh BUILD [OPTION...] [INPUT...]: measures pages of tracepress in headless Chromium and compares each figure
# with its target (tests/browser/acceptance.mjs, which lists options and inputs).
#
# The rows about accessibility and HTML need axe-core and html-validate. If npm can reach its registry, the script
# installs both once in the folder of ACCEPTANCE_PACKAGES (build/npm by default), outside of the sources. Without a
# package, its rows are skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift
packages=${ACCEPTANCE_PACKAGES:-build/npm}
if ! command -v node >/dev/null; then
    echo "acceptance: node is not installed" >&2
    exit 2
fi
BROWSER_BINARY=${BROWSER_BINARY:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)}
if [ -z "$BROWSER_BINARY" ]; then
    echo "acceptance: Chromium is not installed; BROWSER_BINARY can name it" >&2
    exit 2
fi
export BROWSER_BINARY
if [ ! -d "$packages/node_modules/axe-core" ] || [ ! -d "$packages/node_modules/html-validate" ]; then
    mkdir -p "$packages" && npm install --prefix "$packages" --no-save --no-audit --no-fund --silent --fetch-retries=0 axe-core html-validate ||
        echo "acceptance: npm cannot install axe-core and html-validate" >&2
fi
exec node tests/browser/acceptance.mjs --tracepress "$build/tracepress" --packages "$packages" "$@"
