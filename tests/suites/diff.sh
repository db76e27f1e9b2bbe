# `tracepress diff`: planted changes are found and nothing else is, noise raises no alarm, a run is neutral to itself.
. tests/suites/case.sh
run() { # exit code, arguments...
    wanted_code=$1
    shift
    "$TP" diff "$@" >"$WORK/out" 2>"$WORK/err"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; head -n 5 "$WORK/out"; cat "$WORK/err"; return 1; }
}
neutral() { # file...: against itself
    for file in "$@"; do
        run 0 "$file" "$file" --json "$WORK/self.json" -o "$WORK/self.html" --markdown "$WORK/self.md" || { echo "$file"; return 1; }
        case $(head -n 1 "$WORK/out") in
        neutral:*) ;;
        *) echo "$file: $(head -n 1 "$WORK/out")"; return 1 ;;
        esac
        grep -q '"changes":\[\]' "$WORK/self.json" || { echo "$file: something changed"; return 1; }
        "${TOOLS:-$BUILD}/json_check" valid "$WORK/self.json" || { echo "$file"; return 1; }
    done
}
check "diff: each bundled trace is neutral to itself" neutral "$DATA"/traces/*.gz "$DATA/ddp" "$DATA/run"
if [ -d "$SHARED/data/traces" ]; then
    real() { neutral $(find "$SHARED/data/traces" -name '*.json' -o -name '*.json.gz' | sort); }
    check "diff: each real trace beside the project is neutral to itself" real
    workers() { # the loader's processes took over what the training process did
        run 0 "$SHARED/data/traces/kineto/resnet50_num_workers_0" "$SHARED/data/traces/kineto/resnet50_num_workers_4" || return 1
        head -n 1 "$WORK/out" | grep -q '^improved ([0-9]* rows): step 168.9 ms -> 125.2 ms, −25.9 %' &&
            grep -q '^improved *part of the step: Data loading' "$WORK/out" && return 0
        cat "$WORK/out"
        return 1
    }
    check "diff: 0 to 4 workers of the data loader: improved, by data loading" workers
else
    skip "diff: real traces" "they are not beside the project"
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
    check "diff: by count and by time add up, parts of the step as well, to the nanosecond" planted sums
    check "diff: several runs a side teach the floor" planted runs
    table() { planted table >"$WORK/table" || { cat "$WORK/table"; return 1; }; }
    check "diff: planted size against detection, nothing else reported" table
    sed 's/^/    /' "$WORK/table" 2>/dev/null
    alarms() {
        python3 tests/check/gen_training.py --seed 7 --steps 24 "$WORK/alarms.pt.trace.json" &&
            "${TOOLS:-$BUILD}/false_alarms" "$1" "$WORK/alarms.pt.trace.json" >"$WORK/alarms"
        status=$?
        cat "$WORK/alarms"
        return $status
    }
    count=1000
    is_checked && count=20
    check "diff: at most 1 false alarm in 100 of $count resampled comparisons of a run with itself" alarms $count
    sed 's/^/    /' "$WORK/alarms" 2>/dev/null
    width() { # no line of text is wider than the terminal
        for side in slow10 sync leak swap batch; do
            "$TP" diff "$WORK/base1.pt.trace.json" "$WORK/$side.pt.trace.json" --all >"$WORK/out" 2>&1
            python3 -c 'import sys; sys.exit("".join(line for line in open(sys.argv[1]) if len(line) > 81) or 0)' "$WORK/out" || return 1
        done
    }
    check "diff: text stays within 80 columns" width
else
    skip "diff: planted changes" "python3 is not there"
fi

a=$DATA/traces/gpu_2026.pt.trace.json.gz b=$DATA/traces/gpu_2024.pt.trace.json.gz
same_bytes() {
    run 0 "$a" "$a" --json "$WORK/1.json" -o "$WORK/1.html" --markdown "$WORK/1.md" &&
        run 0 "$a" "$a" --json "$WORK/2.json" -o "$WORK/2.html" --markdown "$WORK/2.md" || return 1
    for kind in json html md; do cmp "$WORK/1.$kind" "$WORK/2.$kind" || return 1; done
}
check "diff: the same bytes on a second run" same_bytes
summaries() { # a side may be a summary: the same verdict and rows, without a call tree
    "$TP" summarize "$a" -o "$WORK/a.tps" -q && "$TP" summarize "$b" -o "$WORK/b.tps" -q || return 1
    "$TP" diff "$a" "$b" --json "$WORK/traces.json" -q >/dev/null
    "$TP" diff "$WORK/a.tps" "$WORK/b.tps" --json "$WORK/summaries.json" -q >/dev/null
    for kind in traces summaries; do
        sed -e 's/"name":"gpu_202[46][^"]*"/"name":""/g; s/"name":"[ab]\.tps"/"name":""/g; s/"call_tree":.*//' "$WORK/$kind.json" >"$WORK/$kind.cut"
    done
    cmp "$WORK/traces.cut" "$WORK/summaries.cut"
}
check "diff: summaries of traces compare as the traces do" summaries
hostile() { # names that would be markup, a terminal's orders, a table's borders
    "$TP" diff "$DATA/traces/hostile_names.pt.trace.json.gz" "$b" -o "$WORK/h.html" --markdown "$WORK/h.md" >"$WORK/out" 2>"$WORK/err"
    ! LC_ALL=C grep -q '<script>alert\|<img src=x' "$WORK/h.html" "$WORK/h.md" && ! LC_ALL=C grep -q "$(printf '\033')" "$WORK/out"
}
check "diff: hostile names are texts" hostile
check "diff: one side only is a usage error" run 2 "$a"
check "diff: a threshold that is no number" run 2 "$a" "$b" --threshold much
check "diff: a side that is not there" run 3 "$a" "$WORK/none.json"
check "diff: the other side that is not there" run 3 "$WORK/none.json" "$a"
check "diff: an output that cannot be written" run 4 "$a" "$a" -o /nonexistent/d.html
check "diff: a limit on the input" run 5 "$a" "$a" --max-input 1K
faults() { # every broken trace, on either side: the exit code of `report`, no output when it cannot be used
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
            timeout 60 "$TP" diff "$@" -o fault.html --exit-zero >out 2>err
            status=$?
            [ "$status" = "$exit" ] || { echo "$file as $order: exit $status, wanted $exit"; tail -n 3 err; return 1; }
            [ "$status" = 0 ] || [ ! -e fault.html ] || { echo "$file as $order: output in spite of the fault"; return 1; }
        done
        rm -f "./$file"
    done <"$DATA/faults/cases.tsv"
}
check "diff: 100 broken or hostile traces on either side behave as in report" faults
