# Tests the TensorBoard tab (python/torch_tracepress/tab): its list of runs, its pages, and the tab in a real
# TensorBoard.
#
# The last part needs a Python with TensorBoard: TENSORBOARD_PYTHON, or build/tensorboard, as in the suite tensorboard.
. tests/suites/case.sh
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    skip "the tab of TensorBoard" "no python3 from 3.9 on"
    exit 0
fi
export PYTHONPATH=$PWD/python TRACEPRESS_PROGRAM=$TP PYTHONDONTWRITEBYTECODE=1
TENSORBOARD_PYTHON=${TENSORBOARD_PYTHON:-$PWD/build/tensorboard/bin/python}
BROWSER_BINARY=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
export TENSORBOARD_PYTHON BROWSER_BINARY

script tab_runs python3
script tab_pages python3
if "$TENSORBOARD_PYTHON" -c 'import tensorboard' 2>/dev/null; then
    script tab_board python3
else
    skip "the tab in a real TensorBoard" "no TensorBoard (TENSORBOARD_PYTHON)"
fi
