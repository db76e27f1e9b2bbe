#!/bin/sh
# try_wheel.sh WHEEL TRACE PAGE: installs the wheel in an empty environment without an index. The report of TRACE must
# have the bytes of PAGE, and the handler and the objects must be importable.
#
# PYTHON, by default python3, makes the environment.
set -eu
wheel=$1 trace=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
"$work/env/bin/tracepress" report -q -o "$work/page.html" "$trace"
cmp "$work/page.html" "$page"
"$work/env/bin/python" -I -c '
import sys, torch_tracepress
said = torch_tracepress.report(sys.argv[1])
assert said.verdict and callable(torch_tracepress.trace_handler), said' "$trace"
echo "try_wheel.sh: $("$work/env/bin/python" --version), $("$work/env/bin/tracepress" --version): the same page"
