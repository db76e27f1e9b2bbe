# Tests all outputs about C programs. Ranges must have their declared kind and the right shares, and a program without
# Python must get no sentence about Python.
. tests/suites/case.sh
if ! command -v python3 >/dev/null; then
    skip "what is said to a program of C" "no python3"
    exit 0
fi
words=$PWD/tests/check/wording.py
cd "$WORK" || exit 1
python3 "$words" make . || not_ok "the traces are made"
for name in cpu lanes plain engine waits calls; do
    "$TOOLS/tracepress" report $name.pt.trace.json -o $name.html --json $name.json --markdown $name.md --quiet || not_ok "report: $name"
    "$TOOLS/tracepress" summarize $name.pt.trace.json -o $name.tps --quiet || not_ok "summarize: $name"
done
"$TOOLS/tracepress" report cpu.tps -o job.html --json job.json --quiet
"$TOOLS/tracepress" diff plain.pt.trace.json cpu.pt.trace.json -o diff.html --json diff.json --markdown diff.md --quiet >diff.txt
"$TOOLS/tracepress" diff engine.pt.trace.json engine.pt.trace.json -o own.html --markdown own.md --quiet >own.txt
"$TOOLS/tracepress" table engine.pt.trace.json --quiet >own_table.txt
"$TOOLS/tracepress" table engine.pt.trace.json --format json -o own_table.json --quiet
printf 'finding.B1 <= 0\nfinding.H1 <= 0\nfinding.H8 <= 0\nstep.time.mean <= 1 ms\n' >limits
"$TOOLS/tracepress" check cpu.pt.trace.json --budget limits --json check.json --markdown check.md --sarif check.sarif --junit check.xml >check.txt

headline() { grep -q "\"headline\":\"$2\"" $1.json; }
check "a quarter of input is the verdict" headline cpu "Waiting for input takes 25.0 % of the step time\. No device was recorded\."
check "and that of the device of its own, by its name" headline lanes "FFT engine waits for input data for 25.0 % of the step time .*"
check "a program that waits is reported where it waits longest" headline waits \
    "Waiting takes 40.0 % of the step time\. No device was recorded\. The range with the most time is wait for the writer\."
share() { grep -q "\"id\":\"$2\",[^{]*\"share_of_step_percent\":25[,.]" $1.json; }
check "and a finding with its share" share cpu H1
check "and a finding with its share, of the device" share lanes B1
thousand() { grep -q '"kernel_count":1000' lanes.json && grep -q '1,000 launches' lanes.html; }
check "a thousand kernels of the device of its own" thousand
check "no word of Python in page, digest, check, diff and job" python3 "$words" words cpu.html cpu.md lanes.html lanes.md plain.html \
    plain.md job.html diff.html diff.md diff.txt check.md check.sarif check.xml check.txt
table_of_own() { ! grep -i cuda own_table.txt own_table.json && grep -q 'Self DEVICE' own_table.txt; }
check "no word of GPUs about a device of its own" python3 "$words" words --own lanes.html lanes.md engine.html engine.md \
    own.html own.md own.txt
mkdir two && cp calls.pt.trace.json two/a.pt.trace.json && cp cpu.pt.trace.json two/b.pt.trace.json
"$TOOLS/tracepress" report two -o two.html --markdown two.md --quiet
"$TOOLS/tracepress" check calls.pt.trace.json --budget limits --json calls_check.json --markdown calls_check.md >calls_check.txt
check "no word of Python to who recorded calls and modules of C" python3 "$words" words calls.html calls.md two.html two.md
check "no word of GPUs, operators or a backward pass to a program without any" python3 "$words" words --host calls.html calls.md \
    two.html two.md cpu.html cpu.md waits.html waits.md calls_check.md calls_check.txt
# Checks that the page names the largest call of the main thread, not the wait of its helper thread.
by_name() { grep -q 'Mesh' calls.html && grep -q 'id="t-operators">Calls<' calls.html && grep -q '% of it in dgemm' calls.md && ! sed '/<script>/,/<\/script>/d' two.html | grep -q 'GPU busy' &&
    grep -q 'Recorded calls take 50.5 % of .*The call with the most self time is dgemm' calls.md; }
check "its calls are called calls, modules stay" by_name
without() { # without FORMAT WORDS: checks that the export fails, and names the missing data in the program's own words
    ! "$TOOLS/tracepress" export cpu.pt.trace.json --to "$1" -o none 2>said || return 1
    grep -q "$2" said && ! grep -E '=True|torch' said
}
check "a missing picture of memory is explained in the words of tracepress.h" without memory-flow tracepress_memory_note
check "a missing file of Python's functions says what is of any program" without pstats "\--to folded"
board() { # Prints the texts of the event file, which TensorBoard would show.
    "$TOOLS/tracepress" export engine.pt.trace.json --to tfevents -o board --quiet || return 1
    cat board/*tfevents* | tr -c '[:print:]' '\n' | grep -v 'profile_[a-z_]*gpu\|/device:GPU' >board.txt
    grep -q 'Device utilization (%)' board.txt && grep -q 'Waiting for input (%)' board.txt &&
        grep -q '| Device | name | utilization | kernels | busy |' board.txt &&
        ! grep -E 'GPU|Data loading|SM efficiency' board.txt | grep -v 'CUDA, HIP or XPU'
}
check "and TensorBoard's texts, charts and parameters speak of the device" board
check "a reported device is not a CUDA device in the table either" table_of_own
