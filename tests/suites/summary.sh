# Tests summaries. Their numbers must equal those in report --json. Merging, sharding and resuming after a kill must
# give the same bytes. Damaged files must be named and skipped.
. tests/suites/case.sh

# equal TRACE NAME [TRACE]: compares the summary with the report. The third argument is needed if the events name their
# steps
equal() {
    "$TP" report "$1" -o "$WORK/r.html" --json "$WORK/$2.report.json" --quiet || return 1
    "$TP" summarize "$1" --format json -o "$WORK/$2.summary.json" --quiet || return 1
    TRACES=$1 python3 tests/check/summary.py "$WORK/$2.summary.json" "$WORK/$2.report.json" ${3:+"$3"} || return 1
    rm -f "$WORK/$2".*.json
}
if command -v python3 >/dev/null; then
    for trace in "$DATA"/traces/*.gz "$DATA/run" "$DATA/ddp"; do
        name=$(basename "$trace" .pt.trace.json.gz)
        raw=
        case $name in gpu_20*) raw=$trace ;; esac
        check "$name: the summary has the numbers of the report" equal "$trace" "$name" $raw
    done
    if [ -d "$SHARED/data/traces" ] && ! is_checked; then
        find "$SHARED/data/traces" -name '*.json*' | sort >"$WORK/list"
        while read -r trace; do
            name=$(basename "$trace" .json.gz)
            check "$name: the summary has the numbers of the report" equal "$trace" "shared"
        done <"$WORK/list"
    else
        skip "real traces: the summary has the numbers of the report" "no data next to the project, or slow"
    fi
else
    skip "summaries have the numbers of the report" "no python3"
fi

# ---- merging ----

cd "$WORK" || exit 1
mkdir in && cp "$DATA"/traces/gpu_*.gz "$DATA"/traces/torch_*.gz in/
"$TP" summarize in -o whole.tps -q

same_input_gives_same_bytes() {
    "$TP" summarize in -o again.tps -q && cmp whole.tps again.tps
}
merge_in_any_order() {
    "$TP" summarize in -o parts/ -q && "$TP" merge parts -o a.tps -q && cmp whole.tps a.tps &&
        find parts -name '*.tps' | sort -r >backwards && "$TP" merge --files-from backwards -o b.tps -q &&
        cmp whole.tps b.tps
}
in_stages() {
    find parts -name '*.tps' | sort >all
    sed -n '1~2p' all | "$TP" merge --files-from - -o odd.tps -q && sed -n '2~2p' all | "$TP" merge --files-from - -o even.tps -q &&
        "$TP" merge even.tps odd.tps odd.tps whole.tps -o c.tps -q && cmp whole.tps c.tps
}
shards_equal_the_whole() {
    for i in 1 2 3 4 5; do "$TP" summarize in --shard "$i/5" -o "shard$i.tps" -q || return 1; done
    "$TP" merge shard?.tps -o d.tps -q && cmp whole.tps d.tps
}
more_shards_than_inputs() {
    mkdir -p few && cp in/gpu_2024* few/
    for i in 1 2 3; do "$TP" summarize few --shard "$i/3" -o "few$i.tps" -q || return 1; done
    "$TP" merge few?.tps -o few.tps -q && "$TP" summarize few -o few_whole.tps -q && cmp few.tps few_whole.tps
}
goes_on() {
    rm -rf parts && "$TP" summarize in --shard 1/3 -o parts/ -q && touch -d '2001-01-01' parts/*.tps &&
        "$TP" summarize in --skip-existing -o parts/ -q &&
        [ -n "$(find parts -name '*.tps' ! -newermt 2002-01-01)" ] && "$TP" merge parts -o e.tps -q && cmp whole.tps e.tps
}
killed_shard_can_be_repeated() {
    rm -rf killed && mkdir killed
    part="$TP summarize in --shard 2/2 -o killed/ -q" n=1
    env FAIL_KIND=output FAIL_AT=0 FAIL_COUNT=count LD_PRELOAD="$BUILD/fail_nth.so" $part || return 1
    total=$(cat count) all=$(ls killed | wc -l) partly=0
    while [ $n -le "$total" ]; do
        rm -rf killed && mkdir killed && "$TP" summarize in --shard 1/2 -o killed/ -q || return 1
        before=$(ls killed | wc -l)
        env FAIL_KIND=output FAIL_AT=$n FAIL_SIGNAL=9 LD_PRELOAD="$BUILD/fail_nth.so" $part
        [ $? = 137 ] || { echo "call $n of $total: not killed"; return 1; }
        made=$(($(ls killed | wc -l) - before))
        partly=$((partly + (made > 0 && made < all)))
        "$TP" merge killed --strict -o f.tps -q || return 1 # every file that exists must be complete
        n=$((n + 1 + total / 12))
    done
    [ $partly -gt 0 ] || { echo "never in the middle: $all files, $total calls"; return 1; }
    "$TP" summarize in --shard 2/2 --skip-existing -o killed/ -q && "$TP" merge killed -o f.tps -q && cmp whole.tps f.tps
}
check "the same input gives the same bytes" same_input_gives_same_bytes
check "merged in any order: the same bytes" merge_in_any_order
check "merged in stages, some twice: the same bytes" in_stages
check "shards together are the whole" shards_equal_the_whole
check "more shards than inputs: the empty ones are empty" more_shards_than_inputs
check "written files are skipped when it continues" goes_on
if is_asan; then
    skip "a map that is killed loses its own and can be repeated" "sanitizers come first in LD_PRELOAD"
else
    check "a map that is killed loses its own and can be repeated" killed_shard_can_be_repeated
fi

# ---- inputs of a summary ----

ranks() {
    RANK=7 SLURM_PROCID=3 "$TP" summarize in/gpu_2024* --auto-rank --job j --format json -q | grep -q '"job":"j","rank":7' &&
        SLURM_PROCID=3 "$TP" summarize in/gpu_2024* --auto-rank --format json -q | grep -q '"rank":3' &&
        JOB_COMPLETION_INDEX=4 "$TP" summarize in/gpu_2024* --auto-rank --format json -q | grep -q '"rank":4' &&
        "$TP" summarize in/gpu_2024* --rank 12 --format json -q | grep -q '"rank":12'
}
no_rank() {
    env -u RANK -u SLURM_PROCID -u JOB_COMPLETION_INDEX "$TP" summarize in/gpu_2024* --auto-rank -o x.tps 2>said
    [ $? = 2 ] && grep -q 'none of RANK' said
}
of_one_process() {
    "$TP" summarize in/gpu_2024* --rank 1 -o one.tps -q && "$TP" summarize in/torch_2.6* --rank 1 -o two.tps -q &&
        "$TP" merge one.tps two.tps one.tps -o three.tps 2>said && grep -q 'have different records' said &&
        "$TP" merge two.tps one.tps -o four.tps -q && cmp three.tps four.tps && cmp three.tps two.tps
}
check "ranks come from the engine's environment or an option" ranks
check "--auto-rank without any variable is a usage error" no_rank
check "of two records of one process the larger stays, whatever came first" of_one_process

# ---- damage ----

missing_inputs_are_named() {
    printf '%s\n' in/gpu_2024* /nowhere/a.json in/gpu_2026* >list
    "$TP" summarize --files-from list -o g.tps 2>said && grep -q '/nowhere/a.json: not there' said &&
        "$TP" merge g.tps --format json -q | grep -q '"worker":"gpu_2026"' || return 1
    rm -f g.tps
    "$TP" summarize --files-from list --strict -o g.tps -q 2>said
    [ $? = 3 ] && [ ! -e g.tps ]
}
damaged_summaries_are_skipped() {
    head -c 3000 whole.tps >cut.tps
    printf 'no summary' >other.tps
    python3 -c "d=bytearray(open('whole.tps','rb').read()); d[6]=2; open('newer.tps','wb').write(d)"
    python3 -c "d=bytearray(open('whole.tps','rb').read()); d[len(d)//2]^=4; open('flipped.tps','wb').write(d)"
    "$TP" merge cut.tps other.tps newer.tps flipped.tps whole.tps -o h.tps 2>said && cmp whole.tps h.tps || return 1
    for file in cut other newer flipped; do grep -q "^tracepress: $file.tps: " said || return 1; done
    grep -q 'the summary has format 2, but this version of tracepress reads only format 1' said || return 1
    "$TP" merge cut.tps whole.tps --strict -o i.tps -q 2>/dev/null
    [ $? = 3 ] && [ ! -e i.tps ]
}
no_usable_input_exits_with_3() {
    "$TP" merge other.tps -o i.tps -q 2>/dev/null
    [ $? = 3 ] && [ ! -e i.tps ] || return 1
    "$TP" merge /nowhere -o i.tps -q 2>/dev/null
    [ $? = 3 ]
}
no_output() {
    "$TP" merge whole.tps -o /nowhere/i.tps -q 2>/dev/null
    [ $? = 4 ]
}
# Files of an earlier version are seeds of a fuzz target. Their first byte is for the fuzz target and is removed here.
SEEDS=$DATA/../fuzz/corpus/summary
older_summaries_are_read() {
    for kind in comm gpu memory steps; do
        tail -c +2 "$SEEDS/${kind}_file" >"older_$kind.tps"
        "$TP" merge "older_$kind.tps" -o again.tps && cmp "older_$kind.tps" again.tps &&
            "$TP" merge "older_$kind.tps" --format json | grep -q '"schema":"tracepress-summaries"' || return 1
    done
}
check "files of an earlier version are read, and merged to the same bytes" older_summaries_are_read
check "inputs that are not there are named; --strict refuses" missing_inputs_are_named
if command -v python3 >/dev/null; then
    check "damaged and newer files are named and skipped; --strict refuses" damaged_summaries_are_skipped
fi
check "without any usable input: exit 3" no_usable_input_exits_with_3
check "an output that cannot be written: exit 4" no_output

# ---- size ----

sizes() {
    for file in parts/*.tps; do
        size=$(wc -c <"$file")
        [ "$size" -le 40960 ] || { echo "$file: $size bytes" && return 1; }
    done
}
check "a summary of a small trace has at most 40 KB" sizes
