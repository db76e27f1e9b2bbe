# Tests `tracepress precision`. Its numbers must equal NumPy's. Recorded tensors must be found through their trace,
# planted differences must be named, and hostile files must be refused.
. tests/suites/case.sh
run() { # run EXIT_CODE ARGUMENTS...: runs `precision` and compares its exit code
    wanted_code=$1
    shift
    "$TP" precision "$@" >"$WORK/out" 2>"$WORK/err"
    code=$?
    [ "$code" = "$wanted_code" ] || { echo "exit $code, not $wanted_code"; cat "$WORK/out" "$WORK/err"; return 1; }
}
numpys() {
    for seed in 1 2 3; do
        rm -rf "$WORK/n" && mkdir "$WORK/n"
        python3 tests/oracle/check_precision.py "$TP" "$WORK/n" "$seed" || return 1
    done
}
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
    check "precision: 396 random tensors of every type and order are compared as by NumPy" numpys
else
    skip "precision: random tensors are compared as by NumPy" "python3 with numpy is not there"
fi

bounds() {
    for seed in 1 2 3; do
        rm -rf "$WORK/n" && mkdir "$WORK/n"
        python3 tests/oracle/check_statistics.py "$TP" "$WORK/n" "$seed" || return 1
    done
}
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
    check "precision: what statistics prove of 3168 tensors is true of their values, planted differences are found" bounds
else
    skip "precision: what statistics prove is true of the values" "python3 with numpy is not there"
fi

record() { # Records the same tensors in both runs.
    rm -rf "$WORK/a" "$WORK/b"
    mkdir "$WORK/a" "$WORK/b"
    "$BUILD/tensor_program" "$WORK/a" 5 && "$BUILD/tensor_program" "$WORK/b" 5
}
equal_runs() {
    record && run 0 "$WORK/a" "$WORK/b" --json "$WORK/p.json" --all || return 1
    head -n 2 "$WORK/out" | tr '\n' ' ' >"$WORK/line"
    grep -q '^60 of 60 tensors were compared, and 0 diverge. Results of all tensors: 60 equal. ' "$WORK/line" || { cat "$WORK/out"; return 1; }
    grep -q '"base_dtype":"bfloat16","new_dtype":"bfloat16"' "$WORK/p.json" || { echo "no bfloat16"; return 1; }
    run 0 "$WORK/a"/*.json "$WORK/b"/*.json
}
planted() { # Changes the last byte of an int64 in step 3, and of a float64 in step 4.
    record || return 1
    for step in 4 3; do
        file=$(find "$WORK/b/w.tensors/$step" -name '*.npy' -size +1k | sort | tail -n 1)
        printf '\052' | dd of="$file" bs=1 seek=$(($(wc -c <"$file") - 1)) conv=notrunc 2>/dev/null
    done
    run 1 "$WORK/a" "$WORK/b" -o "$WORK/p.html" --markdown "$WORK/p.md" || return 1
    grep -q '^first divergent: .*, step 3 (differs): largest error' "$WORK/out" || { cat "$WORK/out"; return 1; }
    grep -q 'step 3' "$WORK/p.md" && grep -q 'step 3' "$WORK/p.html" || { echo "not in the page"; return 1; }
    grep -q 'layer/[0-9]* "x"' "$WORK/p.html" && { echo "a name is not escaped"; return 1; }
    run 0 "$WORK/a" "$WORK/b" --max-mismatch 0.5
}
only_statistics() { # Checks a run that has statistics but no values.
    record && rm -rf "$WORK/b" && mkdir "$WORK/b" && "$BUILD/tensor_program" "$WORK/b" 5 statistics || return 1
    run 0 "$WORK/a" "$WORK/b" --all --json "$WORK/p.json" || return 1
    head -n 2 "$WORK/out" | tr '\n' ' ' >"$WORK/line"
    grep -q '^60 of 60 tensors were compared, and 0 diverge. Results of all tensors: 60 same statistics. ' "$WORK/line" || { cat "$WORK/out"; return 1; }
    [ "$(grep -o '"compared_by":"statistics"' "$WORK/p.json" | wc -l)" = 60 ] || { echo "not marked"; return 1; }
    rm -rf "$WORK/a" && mkdir "$WORK/a" && "$BUILD/tensor_program" "$WORK/a" 6 statistics || return 1
    run 1 "$WORK/a" "$WORK/b" -o "$WORK/p.html" && grep -q '≥' "$WORK/out" && grep -q 'statistics' "$WORK/p.html"
}
broken_statistics() { # Checks that statistics that no tensor can have are ignored.
    mkdir -p "$WORK/s"
    for numbers in '"count":2,"min":3,"max":1,"mean":2,"std":0,"l2":1,"zeros":0,"nans":0,"infs":0' \
        '"count":2,"min":1,"max":1,"mean":1,"std":0,"l2":1,"zeros":0,"nans":3,"infs":0' '"count":-1,"zeros":0,"nans":0,"infs":0' \
        '"count":9223372036854775807,"nans":9223372036854775807,"infs":9223372036854775807,"zeros":0' '"count":"x","min":[1],"max":{}'; do
        printf '{"traceEvents":[{"ph":"i","cat":"tensor","name":"t","ts":1,"pid":1,"tid":1,"args":{"dtype":"float32","shape":[2],"step":0,%s}}]}' \
            "$numbers" >"$WORK/s/w.pt.trace.json"
        run 0 "$WORK/s" "$WORK/s" --all && grep -q '1 no values' "$WORK/out" || { cat "$WORK/out"; return 1; }
    done
}
nan_first() { # Checks NaN that first occurs in the last step, after a type and a shape that differ in earlier steps.
    run 1 "$DATA/tensors/base" "$DATA/tensors/new" -o "$WORK/p.html" --json "$WORK/p.json" || return 1
    tr '\n' ' ' <"$WORK/out" | grep -q 'first NaN or Inf: linear.weight, step 10: 1 of 12 elements is NaN in new, 0 in base first divergent: mask, step 1' ||
        { cat "$WORK/out"; return 1; }
    [ "$(grep -A2 '^Tensor ' "$WORK/out" | sed -n 2p | cut -d' ' -f1)" = linear.weight ] || { echo "NaN is not the first row"; return 1; }
    grep -q '"first_nan":6' "$WORK/p.json" && grep -q 'The first tensor with new NaN or Inf is linear.weight, step 10: 1 of 12 elements' "$WORK/p.html" &&
        # this is the row of the tensor `mask`
        grep -q 'aria-label="step 1: another type or shape, missing or unreadable"' "$WORK/p.html" &&
        grep -q 'aria-label="steps 1 to 2: equal; step 10: NaN or Inf that base does not have"' "$WORK/p.html" || { grep -o 'aria-label="step[^"]*"' "$WORK/p.html"; return 1; }
}
missing_file() {
    record && rm "$(find "$WORK/b/w.tensors/2" -name '*.npy' | sort | head -n 1)" && run 1 "$WORK/a" "$WORK/b" &&
        grep -q '^first divergent: .*, step 2 (unreadable)' "$WORK/out" || { cat "$WORK/out"; return 1; }
}
way_out() { # Checks that a trace cannot refer to a file outside of its folder.
    mkdir -p "$WORK/h/in" && record || return 1
    cp "$(find "$WORK/a" -name '*.npy' | head -n 1)" "$WORK/h/out.npy"
    for file in ../out.npy "$WORK/h/out.npy" x/../../out.npy; do
        printf '{"traceEvents":[{"ph":"i","cat":"tensor","name":"t","ts":1,"pid":1,"tid":1,"args":{"dtype":"float32","shape":[1],"step":0,"file":"%s"}}]}' \
            "$file" >"$WORK/h/in/w.pt.trace.json"
        run 0 "$WORK/h/in" "$WORK/h/in" --all || return 1
        grep -q 'no values.*outside' "$WORK/out" || { cat "$WORK/out"; return 1; }
    done
}
large() { # Compares 192 MiB with at most 64 MiB of memory.
    (ulimit -v 65536 && "$TP" --version >/dev/null) 2>/dev/null && ! is_checked || return 0
    mkdir -p "$WORK/l" && for run in base new; do
        printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (50331648,), }" >"$WORK/l/$run.npy"
        truncate -s 201326720 "$WORK/l/$run.npy"
    done
    (ulimit -v 65536 && "$TP" precision "$WORK/l/base.npy" "$WORK/l/new.npy" --allow-missing --all) >"$WORK/out" 2>&1 ||
        { cat "$WORK/out"; return 1; }
    mv "$WORK/l/new.npy" "$WORK/l/n" && mkdir -p "$WORK/l/2" && mv "$WORK/l/n" "$WORK/l/2/base.npy"
    (ulimit -v 65536 && "$TP" precision "$WORK/l/base.npy" "$WORK/l/2/base.npy" --all) >"$WORK/out" 2>&1
    grep -q '^1 of 1 tensor was compared, and 0 diverge. Results of all tensors: 1 equal' "$WORK/out" || { cat "$WORK/out"; return 1; }
}
check "precision: two recordings of the same tensors are equal" equal_runs
check "precision: planted differences, the first in order of execution is named" planted
check "precision: NaN comes first, the map has a row per tensor and a cell per step" nan_first
check "precision: a run without values is compared by its statistics, and says so" only_statistics
check "precision: statistics that no tensor can have are ignored" broken_statistics
check "precision: a tensor whose file is gone diverges" missing_file
check "precision: a trace leads to no file outside of its folder" way_out
check "precision: arrays larger than the memory allowed are streamed" large
check "precision: no tensors is no usable input" run 3 "$DATA/traces" "$DATA/traces"
check "precision: a page that cannot be written" run 4 "$DATA/tensors/base" "$DATA/tensors/base" -o /nonexistent/p.html
