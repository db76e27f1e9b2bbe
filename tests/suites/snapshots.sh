# Tests memory snapshots of torch's CUDA allocator. check/snapshots.py makes snapshots whose numbers are counted by hand.
# check/snapshots_drawn.py draws programs (SEED=n draws others), and a simulated allocator counts the numbers. With
# ../shared, the results also equal those of an independent implementation. With TORCH_PYTHON, a Python with torch, they
# equal the sums of torch.cuda._memory_viz. check/snapshot_exports.py compares exports with the pickles and the report.
. tests/suites/case.sh
python=$(command -v python3)
script=$PWD/tests/check/snapshots.py ROOT=$PWD
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
[ ! -d "$SHARED/data/snapshots" ] || export SNAPSHOTS=$SHARED/data/snapshots
runs() { "$python" "$ROOT/tests/check/snapshot_runs.py" "$TP" "$WORK" "$1"; }
check "several snapshots and folders: a row for each rank" runs ranks
check "a trace and a snapshot of one run on one page" runs joined
check "a trace and a snapshot that are not joined by pairs" runs joined_otherwise
check "commands and options without use for a snapshot" runs refused
check "memory timelines of torch.profiler" runs timelines
check "ranks with equal peaks; more ranks than pages" runs equal_ranks

headlines() { # checks that the terminal shows why a request failed
    "$python" "$ROOT/tests/check/snapshot_programs.py" 9 nine.pickle && "$TP" report nine.pickle -o nine.html 2>said || return 1
    [ "$(grep -cE '^tracepress: nine.pickle, GPU [01]: (Peak .* MiB allocated of|Out of memory: .* asked for by)' said)" = 2 ] || { cat said; return 1; }
    "$TP" report nine.pickle -o nine.html --quiet 2>said && [ ! -s said ]
}
check "the terminal shows the headline of each device" headlines

seed=${SEED:-1} count=$(is_checked && draws 200 40 || draws 4000 300)
drawn() { "$python" "$ROOT/tests/check/snapshots_drawn.py" "$TP" "$WORK" "$seed" "$count"; }
check "$count drawn programs from seed $seed: every amount is that of the allocator" drawn
export DATA
exports=$ROOT/tests/check/snapshot_exports.py
exported() { "$python" "$exports" "$TP" "$WORK" "$@"; }
check "csv and sqlite: lives of blocks on two devices, after a ring" exported lives_of_blocks
check "csv and sqlite: a block that no event explains" exported contradictions
check "memory-flow: lives of blocks, segments and parts of a recording" exported pictures
check "memory-flow: ranges of an expandable segment" exported mapped_ranges
check "table: live memory by property" exported tables
check "sqlite: the questions about snapshots in the help text have answers" exported questions
check "folded and flamegraph: live memory by stack at the peak, the end and a failed request" exported stacks
check "export refuses other formats, damaged files and a full disk" exported refusals
check "export writes several snapshots to folders of their own" exported several_files
check "exports of drawn programs from seed $seed equal their pickles and the report" exported drawn "$seed" "$(draws 100 20)"
large() { "$python" "$ROOT/tests/check/snapshots_large.py" "$TP" "$WORK" "$(is_checked && echo 0 || echo 1000)"; }
check "hostile snapshots of a few MB need little time and memory" large
costs() { "$python" "$ROOT/tests/check/snapshot_costs.py" "$TP" "$WORK" 200000; }
if is_checked; then
    skip "a snapshot of 200,000 events costs at most half of pickle.load" "programs with sanitizers are slow"
else
    check "a snapshot of 200,000 events costs at most half of pickle.load" costs
fi
sums() { "$torch" "$ROOT/tests/torch/snapshot_sums.py" "$TP" "$WORK" "$seed" "$(draws 300 40)"; }
torch=${TORCH_PYTHON:-$ROOT/build/torch/bin/python}
if "$torch" -c 'import torch.cuda._memory_viz' 2>/dev/null; then
    check "sums of drawn programs equal torch.cuda._memory_viz" sums
else
    skip "sums of drawn programs equal torch.cuda._memory_viz" "no Python with torch: set TORCH_PYTHON"
fi
if [ -d "$SHARED/data/snapshots" ]; then
    check "every value equals an independent implementation" snapshots fixtures
    check "exports equal the pickles and the report" exported files $(ls "$SNAPSHOTS"/fixtures/* | grep -v 'expected.json$')
    reference() { "$python" "$ROOT/tests/check/snapshots_reference.py" "$TP" "$WORK" "$SHARED/oracle/snapshot" "$seed" "$(draws 400 40)"; }
    check "every value of new files equals an independent implementation" reference
else
    skip "every value equals an independent implementation" "no $SHARED/data/snapshots"
    skip "exports equal the pickles and the report" "no $SHARED/data/snapshots"
    skip "every value of new files equals an independent implementation" "no $SHARED/data/snapshots"
fi
