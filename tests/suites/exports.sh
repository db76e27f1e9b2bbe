# Tests exports with the programs that read them: Perfetto's rules, sqlite3, csv and pandas, and an XML parser.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "exports are read back" "no python3"
    exit 0
fi
look=$PWD/tests/check/exports.py
folders=$PWD/tests/check/folders.py
rules=$PWD/tests/check/perfetto_rules.py
speedscope=$PWD/tests/check/speedscope_rules.py
cd "$WORK" || exit 1
named() { python3 "$folders" "$TP" "$WORK" "$DATA" "$1"; }
check "every export names the same lines of a program in a folder run (1), run [2]: x, a.py(4): f or a;b" named exports
check "report names the same lines of a program in such folders" named report
check "report --redact hides such folders as it hides others" named redacted
export_all() { for trace in "$DATA"/traces/*.gz "$DATA"/run/*.gz; do "$TP" export "$trace" --to "$1" -o "$2" --quiet || [ $? = 3 ] || return 1; done; }
check "chrome: every element and member of a trace, byte for byte" python3 "$look" raw "$TP" "$DATA"/traces/*.gz "$DATA"/run/*.gz
check "chrome: a step is a part of the trace, arrows whole" python3 "$look" part "$TP" "$DATA"/traces/torch*full* "$DATA"/traces/gpu_2026*
late() { # Checks device work that starts more than a step after its launch. It must belong to the step of the launch.
    call() { printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":5,"args":{"correlation":%s}},' "$1" "$2" &&
        printf '{"ph":"s","id":%s,"pid":1,"tid":1,"ts":%s,"cat":"ac2g","name":"ac2g"},' "$2" "$1"; }
    kernel() { printf '{"ph":"X","cat":"kernel","name":"kernel_%s","pid":0,"tid":7,"ts":%s,"dur":20,"args":{"correlation":%s,"stream":7}},' "$2" "$1" "$2" &&
        printf '{"ph":"f","id":%s,"pid":0,"tid":7,"ts":%s,"cat":"ac2g","name":"ac2g","bp":"e"},' "$2" "$1"; }
    step() { printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%s","pid":1,"tid":1,"ts":%s,"dur":100}' "$1" "$2"; }
    { printf '{"traceEvents":[' && call 150 41 && call 250 42 && call 350 43 && kernel 450 41 && kernel 480 42 && kernel 510 43 &&
        step 1 100 && printf , && step 2 200 && printf , && step 3 300 && printf ']}'; } >late.pt.trace.json
    "$TP" export late.pt.trace.json --to chrome --step 2 -o late --quiet && gunzip -c late/*.gz >late.txt || return 1
    [ "$(grep -c '"id":42' late.txt)" = 2 ] && grep -q kernel_42 late.txt && ! grep -q 'kernel_43\|"id":43\|kernel_41\|"id":41' late.txt
}
check "chrome: a step has the device work that it launched" late
others=$(find "$SHARED/data/traces" -name '*.json*' -size -150k 2>/dev/null)
if [ -n "$others" ]; then
    check "chrome: the same for other projects' traces" python3 "$look" raw "$TP" $others
    check "chrome: steps of other projects' traces" python3 "$look" part "$TP" $others
else
    skip "chrome: other projects' traces" "none next to the project"
fi
export_slim() { for trace in "$DATA"/traces/*.gz "$DATA"/run/*.gz; do "$TP" export "$trace" --to chrome --slim -o slim --quiet || [ $? = 3 ] || return 1; done; }
slim() { export_slim && python3 "$rules" slim/*.json.gz && python3 "$speedscope" slim/*.json.gz >said && python3 "$look" chrome "$TP" "$DATA"/traces/*.gz; }
check "chrome --slim: no slice crosses another, none is lost" slim
check "chrome --slim: filters keep what they say" python3 "$look" filters "$TP" "$DATA/traces/gpu_2026.pt.trace.json.gz"
needed() { ! python3 "$rules" "$DATA/traces/case_bad_nesting.pt.trace.json.gz"; }
check "chrome --slim: a trace that needed it was broken before" needed
samples() { # Checks that a thread with samples but without slices also has a name.
    printf '{"traceEvents":[%s,%s,%s]}' '{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":1}' \
        '{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"loader"}}' \
        '{"ph":"P","cat":"cpu_sample","name":"x","pid":1,"tid":7,"ts":5,"args":{"cpu ns":9000,"Call stack":"f;"}}' >samples.pt.trace.json
    "$TP" export samples.pt.trace.json --to chrome --slim -o samples --quiet && python3 "$rules" samples/*.json.gz &&
        gunzip -c samples/*.json.gz | grep -q '"tid":7,"args":{"name":"loader"'
}
check "chrome --slim: a thread of samples has its name" samples
values=${look%/*}/value_exports.py
check "pprof, firefox, speedscope: device, host and idle time and bytes are those of the report" python3 "$values" "$TP" values "$DATA"/traces/*.gz "$DATA"/run/*.gz "$DATA"/ddp/*.gz
recorded=$(find "$SHARED/data/traces" "$SHARED/data/inputs" -name '*.json*' -size -400k 2>/dev/null)
if [ -n "$recorded" ]; then
    # shellcheck disable=SC2086
    check "pprof, firefox, speedscope: the same for other projects' traces" python3 "$values" "$TP" values $recorded
else
    skip "pprof, firefox, speedscope: other projects' traces" "none next to the project"
fi
repro=${REPRO_PYTHON:-python3}
if "$repro" -c 'import torch' >/dev/null 2>&1; then
    check "repro: scripts of at least 30 operators run under torch" env REPRO_PYTHON="$repro" python3 "${look%/*}/repro_scripts.py" "$TP" repro 30 "$DATA"/traces/torch_2.*.gz
    hostile_calls() { # Checks that texts of a trace do not run, and that impossible arguments are refused with a reason.
        rm -rf calls && mkdir calls && python3 "${look%/*}/repro_scripts.py" --hostile calls/trace.json && for id in 0 1 2 3 4 5 6 7; do
            "$TP" export calls/trace.json --to repro --operator $id -o calls/$id.py -q || return 1
        done
        (cd calls && "$repro" "${look%/*}/repro_scripts.py" --run ./*.py) >said || return 1
        [ "$(grep -c 'refuses: this call cannot be built: ' said)" = 7 ] && [ "$(grep -c 'runs$' said)" = 1 ] && [ ! -e calls/pwned ] || { cat said; return 1; }
    }
    check "repro: hostile names, types and shapes are refused by the script and never run" hostile_calls
else
    skip "repro: scripts run under torch" "torch is not installed (REPRO_PYTHON)"
fi
pictures() { export_all flamegraph svg && export_all memory-flow svg && python3 "$look" xml svg/*.svg; }
check "pictures are XML, whatever the names" pictures
if python3 -c 'import sqlite3' 2>/dev/null; then
    check "csv, sqlite, page and JSON: tasks of known delays" python3 "$look" tasks "$TP"
    check "sqlite: streams, launch delays, durations and copies are those of the report" python3 "$look" streams "$TP" "$DATA"/traces/*.gz
    check "sqlite: critical path and changes are those of the report" python3 "$look" what_ifs "$TP" "$DATA"/traces/*.gz
    python3 "${look%/*}/wording.py" make . && check "sqlite: arguments of ranges and of devices of one's own" python3 "$look" ranges "$TP" lanes.pt.trace.json
    counters() { # Checks that a device can have several samples of its counters.
        counter() { printf '{"ph":"C","name":"Power (W)","pid":"GPU 0 Counters","ts":%s,"args":{"":%s}},' "$1" "$2"; }
        { printf '{"schemaVersion":1,"traceEvents":[' && counter 1 300 && counter 2 310.5 &&
            printf '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7,"context":1,"channel":8,"channel_type":1}}]}'; } >counters.json
        "$TP" export counters.json --to sqlite -o counters --quiet || return 1
        python3 -c 'import sqlite3; print(sqlite3.connect("counters/counters.sqlite").execute("SELECT device, name, time_ns, value FROM counters").fetchall())' >rows
        [ "$(cat rows)" = "[(0, 'Power (W)', 0, 300.0), (0, 'Power (W)', 1000, 310.5)]" ]
    }
    check "sqlite: every sample of the counters of a device" counters
    check "csv and sqlite: the same rows, ids that join, the trace's kernels, no formula" python3 "$look" tables "$TP" "$DATA"/traces/*.gz
else
    skip "csv and sqlite" "no python3 with sqlite3"
fi
again() { # Checks that an export replaces an earlier export, but not a trace of another writer with the same name.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz out=again/gpu_2026.trace.json.gz
    rm -rf again && "$TP" export "$trace" --to chrome --category kernel -o again -q && "$TP" export "$trace" --to chrome --slim -o again -q && "$TP" export "$trace" --to chrome -o again -q &&
        zcat "$out" | cmp - whole || { echo "not replaced"; return 1; }
    for other in "$trace" empty_name.gz whole; do
        cp "$other" "$out" && "$TP" export "$trace" --to chrome -o again -q 2>err
        [ $? = 2 ] && grep -q 'is there, and no export wrote it; name another folder' err && cmp "$other" "$out" || { echo "$other"; cat err; return 1; }
    done
    : >"$out" && "$TP" export "$trace" --to chrome -o again -q && zcat "$out" | cmp - whole
}
"$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to chrome -o whole_one -q && zcat whole_one/*.gz >whole && gzip -c whole >empty_name.gz
check "chrome: a trace of another writer is not replaced, an export is" again
if command -v sqlite3 >/dev/null 2>&1; then
    questions() { # Checks that each SQL query in the help text returns rows.
        "$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to sqlite -o db --quiet || return 1
        "$TP" help export | sed -n '/^questions for/,/^$/p' | sed '1d;s/^  [^ ].*\(SELECT\)/\1/' >questions.sql
        [ "$(grep -c ';' questions.sql)" -ge 5 ] || return 1
        # this run has collectives
        "$TP" export "$DATA/run/worker0.1700000000000.pt.trace.json.gz" --to sqlite -o db6 --quiet || return 1
        for i in 1 2 3 4 5 6 7; do
            [ $i = 7 ] && db=db6 || db=db
            [ -n "$(tr '\n' ' ' <questions.sql | cut -d';' -f$i | sqlite3 -bail $db/*.sqlite)" ] || { echo "question $i has no answer"; return 1; }
        done
    }
    check "sqlite: the help's questions have answers" questions
else
    skip "sqlite: the help's questions have answers" "no sqlite3 program"
fi
pandas=${PANDAS_PYTHON:-python3}
if "$pandas" -c 'import pandas' >/dev/null 2>&1; then
    "$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to csv -o frames --quiet
    check "csv: pandas reads numbers as numbers" "$pandas" "$look" pandas frames/*.csv
else
    skip "csv: pandas reads numbers as numbers" "pandas is not installed"
fi
duckdb=${DUCKDB_PYTHON:-python3}
if "$duckdb" -c 'import duckdb' >/dev/null 2>&1; then
    "$TP" export "$DATA/run/worker0.1700000000000.pt.trace.json.gz" --to csv -o ducks --quiet
    check "csv: DuckDB joins arguments to events" "$duckdb" "$look" duckdb ducks
else
    skip "csv: DuckDB joins arguments to events" "duckdb is not installed (DUCKDB_PYTHON)"
fi
# Checks exported stacks against the input rules of the programs that read them, and runs flamegraph.pl on them
# (Debian: libdevel-nytprof-perl).
printf '{"traceEvents":[%s]}' "$(printf '{"ph":"X","cat":"cpu_op","name":"a 5\\t7\\u2028;\\r\\u0000 9","pid":1,"tid":1,"ts":1,"dur":9},
    {"ph":"X","cat":"cpu_op","name":"","pid":1,"tid":1,"ts":2,"dur":3}')" >odd.pt.trace.json
for trace in "$DATA"/traces/gpu_2026* "$DATA"/traces/hostile* "$DATA"/traces/torch*full* odd.pt.trace.json; do
    for metric in cpu device bytes calls; do "$TP" export "$trace" --to folded --metric $metric -o folded --quiet; done
done
check "folded: lines are what flamegraph.pl and speedscope read" python3 "$look" folded folded/*.folded
# nothing FORMAT METRIC WORDS: checks that no file is written, that the exit code is 3, and that a line names the
# missing data and how to record it
nothing() {
    rm -rf none
    "$TP" export odd.pt.trace.json samples.pt.trace.json --to "$1" --metric "$2" -o none 2>said
    [ $? = "$4" ] && grep "^tracepress: $3.pt.trace.json: no " said >line && [ "$(wc -l <line)" = 1 ] && grep -q -- "$5" line &&
        [ -z "$(find none -name "$3*" -type f)" ] || { cat said; find none; return 1; }
}
no_stacks() { # Checks that the line names each file without stacks.
    rm -rf none
    "$TP" export odd.pt.trace.json samples.pt.trace.json --to folded -o none 2>said
    [ $? = 3 ] && [ -z "$(find none -type f)" ] && [ "$(grep -c 'pt.trace.json: no call .* stack\. Record stacks with with_stack' said)" = 2 ] &&
        grep -q 'C: .with_stack = 1' said && grep -q -- '--metric cpu' said || { cat said; find none; return 1; }
}
check "folded: a trace without stacks is named, with how they are recorded, and makes no empty file" no_stacks
check "folded: so is one without samples" nothing folded samples odd 0 "Record samples with 'tracepress record', or with .sample_rate"
check "folded: so is one without device work" nothing folded device odd 3 "launches 1 us of device work"
check "flamegraph: so is one without samples" nothing flamegraph samples-cpu odd 0 "Record samples with 'tracepress record'"
for flamegraph in ${FLAMEGRAPH_PL:-} "$(command -v flamegraph.pl)" /usr/share/perl5/Devel/NYTProf/flamegraph.pl; do
    [ ! -f "$flamegraph" ] || break
done
if [ -f "$flamegraph" ] && command -v perl >/dev/null 2>&1; then
    graphs() { # Checks that flamegraph.pl draws all lines and ignores none.
        for file in folded/*.folded; do
            [ -s "$file" ] || continue
            perl "$flamegraph" "$file" >graph.svg 2>said && ! grep -qi ignored said || { echo "$file:"; cat said; return 1; }
            sum=$(awk '{ s += $NF } END { printf "%d", s }' "$file")
            tr -d , <graph.svg | grep -q "all ($sum samples" || { echo "$file: $sum is not in the picture"; return 1; }
        done
    }
    check "folded: flamegraph.pl draws every line" graphs
else
    skip "folded: flamegraph.pl draws every line" "no flamegraph.pl (FLAMEGRAPH_PL names it)"
fi

"$TP" export "$DATA/tables/2.13/memory_heavy.full/trace.pt.trace.json.gz" --to pstats -o functions --quiet
reads_commands() { # Uses the interactive browser of pstats as a person would.
    printf 'sort cumtime\nstats 3\ncallers\nquit\n' | python3 -m pstats functions/*.pstats >said 2>&1
    grep -q 'Ordered by: cumulative time' said && grep -q 'function calls' said && ! grep -qi 'error\|traceback' said || { cat said; return 1; }
}
check "pstats: python -m pstats reads it" reads_commands
snakeviz=${SNAKEVIZ_PYTHON:-python3}
if "$snakeviz" -c 'import snakeviz.stats' >/dev/null 2>&1; then
    check "pstats: snakeviz reads it" "$snakeviz" "$look" snakeviz functions/*.pstats
else
    skip "pstats: snakeviz reads it" "snakeviz is not installed (SNAKEVIZ_PYTHON)"
fi
gprof2dot=${GPROF2DOT_PYTHON:-python3}
if "$gprof2dot" -c 'import gprof2dot' >/dev/null 2>&1; then
    graph() { "$gprof2dot" -m gprof2dot -f pstats functions/*.pstats -o graph.dot 2>said && [ "$(grep -c -- '->' graph.dot)" -ge 3 ] || { cat said; return 1; }; }
    check "pstats: gprof2dot draws the calls" graph
else
    skip "pstats: gprof2dot draws the calls" "gprof2dot is not installed (GPROF2DOT_PYTHON)"
fi
older() { # Checks that the older database stays unchanged if the new one cannot be finished.
    rm -rf old && mkdir old && echo old >old/gpu_2026.sqlite
    (ulimit -f 16 && "$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to sqlite -o old 2>said)
    [ $? = 4 ] && [ "$(cat old/gpu_2026.sqlite)" = old ] && [ "$(ls -A old)" = gpu_2026.sqlite ] && grep -q "cannot write" said
}
check "sqlite: a full disk leaves the older file, exit 4" older
onto_itself() { # Checks an output with the same name as the input file.
    mkdir -p itself && cp "$DATA/traces/case_flame.pt.trace.json.gz" before.gz && cp before.gz itself/a.trace.json.gz &&
        ln itself/a.trace.json.gz itself/a.pt.trace.json.gz || return 1
    "$TP" export itself/a.pt.trace.json.gz --to chrome -o itself 2>said
    [ $? = 2 ] && cmp -s itself/a.trace.json.gz before.gz && grep -q 'is the input' said
}
check "chrome: a trace is never written onto itself" onto_itself
streams() { # Checks that a pipe works as input although it can be read only once.
    trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    for step in "" "--step 4"; do
        # shellcheck disable=SC2086
        "$TP" export "$trace" --to chrome $step -o file --quiet && "$TP" export - --to chrome $step -o pipe --quiet <"$trace" &&
            gunzip -c "$trace" | "$TP" export - --to chrome $step -o plain --quiet || return 1
        for way in pipe plain; do
            cmp "$way"/*.json.gz file/*.json.gz || return 1
        done
    done
}
check "chrome: standard input and pipes give the same file" streams
# Checks that each damaged file is refused, or exported as valid JSON without data after the end of the document.
damaged() {
    python3 "$look" raw "$TP" "$DATA"/faults/*.json* || return 1
    cat "$DATA/traces/gpu_2026.pt.trace.json.gz" "$DATA/traces/case_flame.pt.trace.json.gz" >two.pt.trace.json.gz
    "$TP" export two.pt.trace.json.gz --to chrome -o two --quiet && "$TP" export "$DATA/traces/gpu_2026.pt.trace.json.gz" --to chrome -o one --quiet &&
        cmp two/*.json.gz one/*.json.gz
}
check "chrome: damaged traces come out as JSON" damaged
