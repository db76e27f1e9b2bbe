# The tab of TensorBoard (python/torch_tracepress/tab): its list of runs and its pages, without TensorBoard.
. tests/suites/case.sh
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    skip "the tab of TensorBoard" "no python3 from 3.9 on"
    exit 0
fi
export PYTHONPATH=$PWD/python TRACEPRESS_PROGRAM=$TP PYTHONDONTWRITEBYTECODE=1

script tab_runs python3
script tab_pages python3
