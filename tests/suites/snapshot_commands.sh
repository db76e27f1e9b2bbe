# Tests the commands on memory snapshots: diff, check, export and table. tests/check/snapshot_commands.py makes the
# snapshots and counts the expected numbers by hand.
. tests/suites/case.sh
export TP DATA

if command -v python3 >/dev/null; then
    for case in $(python3 tests/check/snapshot_commands.py); do
        check "$(echo "$case" | tr _ ' ')" python3 tests/check/snapshot_commands.py "$case"
    done
else
    skip "commands on memory snapshots" "no python3"
fi
