# Tests memory snapshots of torch's CUDA allocator. The snapshots are made by check/snapshots.py, and every expected
# number is counted by hand. With ../shared, the results also equal those of an independent implementation.
. tests/suites/case.sh
python=$(command -v python3)
script=$PWD/tests/check/snapshots.py
if [ -z "$python" ]; then
    skip "memory snapshots" "no python3"
    exit 0
fi
cd "$WORK" || exit 1
snapshots() { "$python" "$script" "$TP" "$WORK" "$1"; }
check "the four curves, the peak and the categories of a small pool" snapshots curves
check "a request that fails because free memory is in parts" snapshots fragmented
check "a request that fails because the device is full, or because of a limit" snapshots full_and_limit
check "blocks whose free waits for another stream are active" snapshots streams
check "a file with only the last events names what is missing" snapshots ring
check "expandable segments give back whole pages" snapshots expandable
check "a line that grows from step to step is found" snapshots growth
check "protocols, gzip, pages and orders of keys give the same numbers" snapshots containers
check "code in a pickle is refused and does not run" snapshots code
check "cut and damaged files are refused" snapshots damage
check "impossible lengths, references and types are refused" snapshots hostile
if [ -d "$SHARED/data/snapshots" ]; then
    export SNAPSHOTS=$SHARED/data/snapshots
    check "every value equals an independent implementation" snapshots fixtures
else
    skip "every value equals an independent implementation" "no $SHARED/data/snapshots"
fi
