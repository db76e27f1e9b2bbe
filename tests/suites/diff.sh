# Tests `tracepress diff`. Only planted changes may be found, noise must not be reported, and a run must not differ from
# itself.
. tests/suites/case.sh
run() { # run EXIT_CODE ARGUMENTS...: runs `diff` and compares its exit code
    wanted_code=$1
    shift
    "$TP" diff "$@" >"$WORK/out" 2>"$WORK/err"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; head -n 5 "$WORK/out"; cat "$WORK/err"; return 1; }
}
is_damaged() { # is_damaged FILE: returns whether the report calls the file damaged
    "$TP" report -q --json "$WORK/evidence.json" "$1" && grep -q '"evidence":{"clean":false' "$WORK/evidence.json"
}
neutral() { # neutral FILE...: compares each file with itself. A damaged file must get no verdict
    for file in "$@"; do
        if is_damaged "$file"; then
            run 6 "$file" "$file" && grep -q '^Inconclusive: Input damaged: ' "$WORK/out" || { echo "$file"; return 1; }
            continue
        fi
        run 0 "$file" "$file" --json "$WORK/self.json" -o "$WORK/self.html" --markdown "$WORK/self.md" || { echo "$file"; return 1; }
        case $(head -n 1 "$WORK/out") in
        Neutral:*) ;;
        "Inconclusive: There are no step times to compare.") # a run with fewer than three steps has no step times to compare
            sed 's/.*"base":{"name":"[^"]*","runs":\([0-9]*\),.*"steps":\([0-9]*\),"step_median_us".*"new":{.*/\1 \2/' "$WORK/self.json" |
                awk '{ few = $2 < 3 * $1 } END { exit !few }' || { echo "$file: it has steps"; return 1; } ;;
        *) echo "$file: $(head -n 1 "$WORK/out")"; return 1 ;;
        esac
        grep -q '"changes":\[\],.*"rows":\[\]' "$WORK/self.json" || { echo "$file: something changed"; return 1; }
        "${TOOLS:-$BUILD}/json_check" valid "$WORK/self.json" || { echo "$file"; return 1; }
    done
}
breaking() { sed 's/\xc2\xa0/ /g'; } # breaking: replaces the no-break spaces of a page by spaces
sides() { # Checks that text, digest, page and document have the same verdict for each side as the side's report.
    run 0 "$DATA/diff/base.pt.trace.json.gz" "$DATA/diff/new.pt.trace.json.gz" --exit-zero &&
        "$TP" diff "$DATA/diff/base.pt.trace.json.gz" "$DATA/diff/new.pt.trace.json.gz" --exit-zero --json "$WORK/sides.json" \
            -o "$WORK/sides.html" --markdown "$WORK/sides.md" || return 1
    for side in base new; do
        "$TP" report "$DATA/diff/$side.pt.trace.json.gz" --json "$WORK/side.json" 2>"$WORK/line" || return 1
        headline=$(grep -o '"verdict":{"class":"[^"]*"\|"headline":"[^"]*"' "$WORK/side.json" |
            awk '/^"verdict"/ { sub(/{"class":/, ""); verdict = $0; next } verdict != "" { print verdict "," $0; exit }')
        [ -n "$headline" ] && grep -qF "$headline" "$WORK/sides.json" || { echo "JSON: $headline"; return 1; }
        words=$(echo "$headline" | sed 's/"verdict":"\(.\)\([^"]*\)","headline":"\([^"]*\)"/\U\1\E\2. \3/')
        for output in out sides.md sides.html; do
            tr '\n' ' ' <"$WORK/$output" | breaking | grep -qF "$side: $words" || { echo "$output: $side: $words"; return 1; }
        done
    done
}
check "diff: each side's verdict is its report's" sides
check "diff: each bundled trace is neutral to itself" neutral "$DATA"/traces/*.gz "$DATA/ddp" "$DATA/run"
if [ -d "$SHARED/data/traces" ]; then
    real() { neutral $(find "$SHARED/data/traces" -name '*.json' -o -name '*.json.gz' | sort); }
    check "diff: each real trace next to the project is neutral to itself" real
    workers() { # Checks a loader whose worker processes now do work of the training process.
        run 0 "$SHARED/data/traces/kineto/resnet50_num_workers_0" "$SHARED/data/traces/kineto/resnet50_num_workers_4" || return 1
        head -n 3 "$WORK/out" | tr '\n' ' ' | grep -q '^Improved: 16 table rows improved; the step time shows no significant change (−18.2 %)\. .*' &&
            tr '\n' ' ' <"$WORK/out" | grep -q 'Of the 46.6 ms saved in data loading, 22.3 ms come back: runtime calls +7.09 ms, CPU work +4.76 ms and other parts\.' &&
            grep -q '^improved *part of the step: Data loading' "$WORK/out" && return 0
        cat "$WORK/out"
        return 1
    }
    check "diff: 0 to 4 workers of the data loader: improved, by data loading" workers
    # Checks a step that is certainly faster. The verdict must say so, name the cause, and give the smallest detectable
    # change.
    words() {
        traces=$SHARED/data/traces/kineto/resnet50_num_workers
        run 0 "$traces"_0/*.1623143089861.*.gz "$traces"_4/*.1623212756351.*.gz -o "$WORK/words.html" || return 1
        head -n 2 "$WORK/out" | tr "\n" " " | grep -q '^Improved: A step takes 141 instead of 178 ms, because data loading no longer ' &&
            tr "\n" " " <"$WORK/out" | grep -q 'from 1 + 1 runs: kernels +1.6 % (−2.5 to +6.0 %, detectable from 5.4 %); ' || { cat "$WORK/out"; return 1; }
        # the headline marks the cause that is the largest avoidable part of the waterfall; the page has both steps
        breaking <"$WORK/words.html" >"$WORK/page"
        for text in 'class="head">A step takes 141 instead of 178 ms, because <em class="c-host" data-cause="host">data loading no longer ' \
            'data-cause="host" data-ns="[0-9]*" data-avoidable="1"><title>Data loading: −58.1 ms<' '<span>GPU 0 before</span><span>Python before</span><span>GPU 0 now</span>' \
            'What to do next, best first'; do
            grep -q "$text" "$WORK/page" || { echo "not in the page: $text"; return 1; }
        done
        [ "$(grep -o 'data-avoidable="1"' "$WORK/page" | wc -l)" = 1 ]
    }
    check "diff: the verdict says what it rests on, and from what on that would be seen" words
else
    skip "diff: real traces" "they are not next to the project"
fi

if command -v python3 >/dev/null; then
    planted() { python3 tests/check/check_diff.py "$TP" "$WORK" "$1"; }
    check "diff: twelve other runs of the same program are neutral" planted noise
    check "diff: a kernel slower by 10 % is named, with its operator, and nothing else" planted slow
    check "diff: a kernel faster by 10 %" planted faster
    check "diff: an added .item() is one change, at its line" planted sync
    check "diff: an added copy, in its operator" planted copy
    check "diff: a leak is found by its line" planted leak
    check "diff: a kernel under another name is replaced, not new and gone" planted swap
    check "diff: another batch size is not comparable" planted batch
    check "diff: a folder called run (1) or run [2]: x changes no line that is named" planted folders
    named() { mkdir "$WORK/named" && python3 tests/check/folders.py "$TP" "$WORK/named" "$DATA" diff; }
    check "diff: the same bytes for a bundled run in a folder run (1), run [2]: x, a.py(4): f or a;b" named
    check "diff: lines that moved are the same in call tree, flame graph and memory" planted moved
    check "diff: by count and by time add up, parts of the step as well, to the nanosecond" planted sums
    check "diff: three runs a side see more than one" planted runs
    check "diff: a row that a summary has no room for neither came nor went" planted cut
    check "diff: all host times times 1.9 are a loaded machine, and no alarm" planted loaded
    check "diff: one operator slower by 30 % is named, on a loaded machine, too" planted operator
    samples() { python3 tests/check/doc_samples.py "$TP" "$WORK" docs/diff.md; }
    check "diff: the samples of docs/diff.md are what is printed" samples
    table() { planted table >"$WORK/table" || { cat "$WORK/table"; return 1; }; }
    check "diff: planted size against detection, nothing else reported" table
    sed 's/^/    /' "$WORK/table" 2>/dev/null
    alarms() {
        python3 tests/check/gen_training.py --seed 7 --steps 24 "$WORK/alarms.pt.trace.json" &&
            python3 tests/check/gen_training.py --host --seed 7 --steps 24 "$WORK/alarms_host.pt.trace.json" &&
            "${TOOLS:-$BUILD}/false_alarms" "$1" "$WORK/alarms.pt.trace.json" "$WORK/alarms_host.pt.trace.json" >"$WORK/alarms"
        status=$?
        cat "$WORK/alarms"
        return $status
    }
    count=$(draws 1000 200) # the seed of false_alarms.c is fixed
    is_checked && count=20
    name="diff, check: runs of one program, 0.3 to 5 % apart: at most 1 % of $count and more are reported, or fail a limit"
    is_checked && name="diff, check: $count drawn runs of one program are judged to the end"
    check "$name" alarms $count
    sed 's/^/    /' "$WORK/alarms" 2>/dev/null
    width() { # Checks that no line of the text is wider than the terminal.
        for side in slow10/worker0 sync leak swap batch; do
            "$TP" diff "$WORK/base1.pt.trace.json" "$WORK/$side.pt.trace.json" --all >"$WORK/out" 2>&1
            python3 -c 'import sys; sys.exit("".join(line for line in open(sys.argv[1]) if len(line) > 81) or 0)' "$WORK/out" || return 1
        done
    }
    check "diff: text stays within 80 columns" width
else
    skip "diff: planted changes" "python3 is not there"
fi

power() { "${TOOLS:-$BUILD}/run_power" >"$WORK/power" || { cat "$WORK/power"; return 1; }; }
if is_checked; then
    skip "diff: drawn runs: false alarms and power" "the release build draws them"
else
    check "diff: drawn runs with 0.06 to 5 % between them: at most 1 % are falsely reported as slower, what is seen is found" power
    sed 's/^/    /' "$WORK/power" 2>/dev/null
fi
if ! command -v python3 >/dev/null || [ ! -f "$SHARED/oracle/ledger_ref.py" ]; then
    skip "diff: the statistics of runs are those of the executable definition" "it is not next to the project"
else
    cases=$(draws 2000 400)
    is_checked && cases=200
    statistics() { python3 tests/oracle/check_ledger.py "${TOOLS:-$BUILD}/ledger_cases" "$SHARED/oracle/ledger_ref.py" $cases >"$WORK/ledger" || { cat "$WORK/ledger"; return 1; }; }
    check "diff: the statistics of runs are those of the executable definition, $cases cases of each function" statistics
    sed 's/^/    /' "$WORK/ledger" 2>/dev/null
fi

a=$DATA/traces/gpu_2026.pt.trace.json.gz b=$DATA/traces/gpu_2024.pt.trace.json.gz
same_bytes() {
    run 0 "$a" "$a" --json "$WORK/1.json" -o "$WORK/1.html" --markdown "$WORK/1.md" &&
        run 0 "$a" "$a" --json "$WORK/2.json" -o "$WORK/2.html" --markdown "$WORK/2.md" || return 1
    for kind in json html md; do cmp "$WORK/1.$kind" "$WORK/2.$kind" || return 1; done
}
check "diff: the same bytes on a second run" same_bytes
summaries() { # Checks that a summary as one side gives the same verdict and rows, but no call tree.
    "$TP" summarize "$a" -o "$WORK/a.tps" -q && "$TP" summarize "$b" -o "$WORK/b.tps" -q || return 1
    "$TP" diff "$a" "$b" --json "$WORK/traces.json" -q >/dev/null
    "$TP" diff "$WORK/a.tps" "$WORK/b.tps" --json "$WORK/summaries.json" -q >/dev/null
    for kind in traces summaries; do
        sed -e 's/"name":"gpu_202[46][^"]*"/"name":""/g; s/"name":"[ab]\.tps"/"name":""/g; s/"call_tree":.*//' "$WORK/$kind.json" >"$WORK/$kind.cut"
    done
    cmp "$WORK/traces.cut" "$WORK/summaries.cut"
}
check "diff: summaries of traces compare as the traces do" summaries
stdin() {
    # removes size and checksum, which a pipe does not have
    no_evidence='s/"evidence":{"base":.*,"step_time":/"step_time":/'
    zcat "$a" | "$TP" diff - "$a" --json "$WORK/piped.json" -q >"$WORK/out" && run 0 "$a" "$a" --json "$WORK/named.json" &&
        sed 's/"name":"-"/"name":"gpu_2026.pt.trace.json.gz"/; s/"file":"stdin"/"file":"gpu_2026.pt.trace.json.gz"/g' "$WORK/piped.json" | sed "$no_evidence" >"$WORK/piped.cut"
    sed "$no_evidence" "$WORK/named.json" | cmp "$WORK/piped.cut" -
}
check "diff: a side from standard input" stdin
# Checks that the report shows the result of `diff` as a section, in the JSON, and at the end of the digest.
baseline() {
    "$TP" diff "$DATA/diff/base.pt.trace.json.gz" "$DATA/diff/new.pt.trace.json.gz" --json "$WORK/d.json" --markdown "$WORK/d.md" --exit-zero -q >/dev/null &&
        "$TP" report "$DATA/diff/new.pt.trace.json.gz" --baseline "$DATA/diff/base.pt.trace.json.gz" -q -o "$WORK/r.html" \
            --json "$WORK/r.json" --markdown "$WORK/r.md" || return 1
    sed 's/.*"comparison"://; s/}$//' "$WORK/r.json" | cmp - "$WORK/d.json" || return 1
    tail -c "$(wc -c <"$WORK/d.md")" "$WORK/r.md" | cmp - "$WORK/d.md" || return 1
    grep -q '<a href="#diff">Baseline</a>' "$WORK/r.html" && grep -q 'train.py(42): log_metric' "$WORK/r.html" || return 1
    "$TP" report "$DATA/diff/new.pt.trace.json.gz" --baseline "$WORK/none" -q -o "$WORK/none.html" 2>"$WORK/err"
    [ $? = 3 ] && [ ! -e "$WORK/none.html" ] && grep -q baseline "$WORK/err"
}
check "diff: report --baseline shows the same" baseline
small() { # Checks that with a small limit the page has fewer rows, but never more bytes.
    for size in 100K 140K 400K; do
        run 1 "$DATA/diff/base.pt.trace.json.gz" "$DATA/diff/new.pt.trace.json.gz" -o "$WORK/small.html" --max-size $size || return 1
        [ "$(wc -c <"$WORK/small.html")" -le $((${size%K} * 1024)) ] || { wc -c "$WORK/small.html"; return 1; }
    done
    run 5 "$a" "$a" -o "$WORK/tiny.html" --max-size 20K && [ ! -e "$WORK/tiny.html" ]
}
check "diff: the page keeps its ceiling" small
hostile() { # Checks names with markup, terminal codes or table borders.
    "$TP" diff "$DATA/traces/hostile_names.pt.trace.json.gz" "$b" -o "$WORK/h.html" --markdown "$WORK/h.md" >"$WORK/out" 2>"$WORK/err"
    ! LC_ALL=C grep -q '<script>alert\|<img src=x' "$WORK/h.html" && ! LC_ALL=C sed 's/`[^`]*`//g' "$WORK/h.md" | LC_ALL=C grep -q '<script\|<img' && ! LC_ALL=C grep -q "$(printf '\033')" "$WORK/out"
}
check "diff: hostile names are texts" hostile
check "diff: one side only is a usage error" run 2 "$a"
check "diff: a threshold that is no number" run 2 "$a" "$b" --threshold much
check "diff: a side that is not there" run 3 "$a" "$WORK/none.json"
check "diff: the other side that is not there" run 3 "$WORK/none.json" "$a"
check "diff: an output that cannot be written" run 4 "$a" "$a" -o /nonexistent/d.html
check "diff: a limit on the input" run 5 "$a" "$a" --max-input 1K
# Checks a broken trace on either side. The exit code must be that of `report`, and an unusable trace must give no
# output.
faults() {
    cd "$WORK" || return 1
    while IFS="$(printf '\t')" read -r exit events notice made file why; do
        case $exit in "#"*) continue ;; esac
        case $made in
        "copy "*) cp "$DATA/faults/${made#copy }" "./$file" ;;
        "gunzip "*) gzip -dc "$DATA/faults/${made#gunzip }" >"./$file" ;;
        *) cp "$DATA/faults/$file" "./$file" ;;
        esac
        for order in base new; do
            rm -f fault.html
            if [ $order = base ]; then set -- "./$file" "$a"; else set -- "$a" "./$file"; fi
            cpu_limit 60 "$TP" diff "$@" -o fault.html --exit-zero >out 2>err
            status=$?
            [ "$status" = "$exit" ] || { echo "$file as $order: exit $status, wanted $exit"; tail -n 3 err; return 1; }
            [ "$status" = 0 ] || [ ! -e fault.html ] || { echo "$file as $order: output in spite of the fault"; return 1; }
        done
        rm -f "./$file"
    done <"$DATA/faults/cases.tsv"
}
check "diff: 100 broken or hostile traces on either side behave as in report" faults
# failing KIND STATUS: makes all calls of KIND fail from the n-th on. The exit code must be STATUS, and older outputs
# must stay unchanged
failing() {
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        rm -rf "$WORK/x" && mkdir "$WORK/x" && echo old >"$WORK/x/d.html"
        cpu_limit 60 env FAIL_KIND="$1" FAIL_AT="$n" FAIL_STAY=1 FAIL_COUNT="$WORK/count" LD_PRELOAD="$BUILD/fail_nth.so" \
            "$TP" diff "$DATA/traces/case_scalar_read.pt.trace.json.gz" "$DATA/traces/case_cpu_loop.pt.trace.json.gz" \
            -o "$WORK/x/d.html" --json "$WORK/x/d.json" --exit-zero -q >"$WORK/out" 2>"$WORK/err"
        code=$?
        [ "$n" != 0 ] || total=$(cat "$WORK/count")
        if [ "$n" = 0 ]; then
            [ "$code" = 0 ] || { echo "it fails without a failing call: $(cat "$WORK/err")"; return 1; }
        elif [ "$code" = "$2" ]; then
            grep -q . "$WORK/err" || { echo "call $n of $total: no message"; return 1; }
            [ "$(cat "$WORK/x/d.html")" = old ] || [ "$1" = output ] || { echo "call $n of $total: the old page is gone"; return 1; }
        elif [ "$code" != 0 ] || { [ "$1" = output ] && [ "$n" -lt $((total - 3)) ]; }; then
            echo "call $n of $total: exit $code, wanted $2: $(cat "$WORK/err")"
            return 1
        fi
        left=$(ls -A "$WORK/x" | grep -v '^d\.\(html\|json\)$')
        [ -z "$left" ] || { echo "call $n of $total: left behind: $left"; return 1; }
        n=$((n + 1 + n / 20))
    done
    [ "$total" -gt 3 ] || { echo "only $total calls of kind $1 were seen"; return 1; }
}
if is_checked; then
    skip "diff: failing calls" "the sanitizer brings its own allocator"
else
    check "diff: allocations that fail: exit 5, the old page stays" failing memory 5
    check "diff: outputs that fail: exit 4, nothing half-written" failing output 4
fi
