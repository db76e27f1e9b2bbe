# Tests inputs: folders with any names, files of other tools, pipes among files, and failing disks.
. tests/suites/case.sh
trace=$DATA/traces/case_cpu_loop.pt.trace.json.gz
other=$DATA/traces/case_flame.pt.trace.json.gz
seeds=$PWD/tests/fuzz/corpus/spool
cd "$WORK" || exit 1

# Runs every command that searches folders, one after the other, with the options that each needs.
each() { # each FOLDER COMMAND...: runs COMMAND with the words of each tracepress command
    folder=$1
    shift
    "$@" report "$folder" -o o.html && "$@" table "$folder" -o o.txt && "$@" export "$folder" --to csv -o o &&
        "$@" summarize "$folder" -o o.tps && "$@" check "$folder" -o o.txt && "$@" diff "$folder" "$trace" -o o.html --exit-zero &&
        "$@" diff "$trace" "$folder" -o o.html --exit-zero
}
ends() { # ends: checks that the command exits by itself, without a signal
    cpu_limit 60 "$TP" "$@" >out 2>err
    case $? in 0 | 1 | 6) ;; *) echo "$*: status $?"; cat err; return 1 ;; esac
}

# ---- names ----

traces_with_any_name() {
    rm -rf d && mkdir d
    for name in rank0_trace.json.gz run.trace.json.gz rank-0.json.gz; do cp "$trace" "d/$name"; done
    gzip -dc "$other" >d/plain.json
    echo '{"schema":"tracepress-views","text":"\"traceEvents\""}' >d/report.json
    echo 'not JSON "traceEvents":' >d/notes.json
    each d told
}
told() {
    ends "$@" || return 1
    grep -q 'taken for traces by their content: plain.json, rank-0.json.gz, rank0_trace.json.gz, ... (--include narrows)' err ||
        { echo "$*"; cat err; return 1; }
    ! grep -q 'notes.json\|report.json' err || { echo "$*"; cat err; return 1; }
}
check "a folder of traces of any name is read, and said" traces_with_any_name
narrowed() {
    "$TP" table d --include 'rank0*' -o o.txt 2>err && [ "$(grep -c 'rank0_trace.json.gz' err)" = 1 ] && ! grep -q plain err || { cat err; return 1; }
    for command in report check table "export --to csv" "summarize -o o.tps"; do
        # shellcheck disable=SC2086
        "$TP" $command d --include 'x*' -o o.none 2>err
        [ $? = 3 ] && grep -q "x\*" err && [ ! -e o.none ] || { echo "$command"; cat err; return 1; }
    done
}
check "--include narrows; what it leaves nothing of is named" narrowed
# Checks a folder with torch's file names that also has traces with other names, such as exports. A message must name
# them, and they must not be read.
torch_first() {
    rm -rf d && mkdir d && cp "$trace" d/w.1.pt.trace.json.gz && cp "$trace" d/w.trace.json.gz
    "$TP" summarize d -o o.tps 2>err && grep -q '1 other trace is not read: d/w.trace.json.gz' err && "$TP" merge o.tps --format json | grep -o ,\"worker\": | wc -l | grep -qx 1 ||
        { cat err; return 1; }
    "$TP" table d --include '*.json.gz' -o o.txt 2>err && grep -q 'w.trace.json.gz' err || { cat err; return 1; }
}
check "a folder with traces by torch's names: others are named and not read, unless they are asked for" torch_first

# ---- files of other tools ----

foreign() { # foreign FILE NAME: checks that the file of another tool is refused with a message that names this tool
    "$TP" report "$1" -o o.html 2>err
    [ $? = 3 ] && grep -q "^tracepress: $1 is $2" err || { cat err; return 1; }
    rm -rf f && mkdir f && cp "$1" f
    for command in report table check "export --to csv"; do
        # shellcheck disable=SC2086
        "$TP" $command f -o o.html 2>err
        [ $? = 3 ] && grep -q "found; f/$1 is $2" err || { echo "$command"; cat err; return 1; }
    done
}
of_others() {
    printf '\050\265\057\375\004\000' >t.json.zst && foreign t.json.zst 'compressed with zstd: .*zstd -d' || return 1
    printf 'PK\003\004\024\000' >t.zip && foreign t.zip 'a zip archive: .*unzip' || return 1
    printf 'whatever' >t.nsys-rep && foreign t.nsys-rep 'an Nsight Systems report: convert it with .nsys export --type sqlite FILE., then name the .sqlite' || return 1
    printf 'whatever' >t.qdrep && foreign t.qdrep 'an Nsight Systems report' || return 1
    printf 'whatever' >t.qdstrm && foreign t.qdstrm 'an Nsight Systems report'
}
# A memory snapshot has its own page and tables; commands that need a trace name the commands that read it.
of_snapshots() {
    printf '\200\004}(\214\010segments' >t.pickle
    "$TP" report t.pickle -o o.html 2>err
    [ $? = 3 ] && grep -q 't.pickle: the file ends at byte .*written only in part' err || { cat err; return 1; }
    "$TP" table t.pickle 2>err
    [ $? = 3 ] && grep -q 't.pickle: the file ends at byte .*written only in part' err || { cat err; return 1; }
    "$TP" summarize t.pickle -o o.tps 2>err
    [ $? = 3 ] && grep -q 't.pickle: a memory snapshot has no summary.*: report, diff and check read' err || { cat err; return 1; }
}
check "a cut memory snapshot is refused with its last byte, and summarize names the commands that read snapshots" of_snapshots
check "files of other tools are called by their names when refused, with the next step" of_others

# ---- inputs that are not files ----

pipes() {
    rm -rf d && mkdir -p d/sub && cp "$trace" d/w.1.pt.trace.json.gz && mkfifo d/a.pt.trace.json d/sub/b.pt.trace.json.gz d/c.json d/n.npy
    each d odd && ends precision d "$trace"
    rm -rf d && mkdir d && cp "$trace" w.tps.json && "$TP" summarize "$trace" -o d/a.tps -q && mkfifo d/b.tps
    ends check "$trace" --baseline d -o o.txt && ends report d -o o.html && ends report "$trace" --history d -o o.html
}
odd() {
    ends "$@" || return 1
    grep -q 'd/.*: not a regular file, left out\|d/a.pt.trace.json and others: not a regular file, left out' err || { echo "$*"; cat err; return 1; }
}
check "a FIFO among the files of a folder stops no command" pipes
given() { # Checks that a named pipe is read, as in <(zcat x).
    for command in table report "export --to csv" summarize; do
        rm -rf p o && mkfifo p && { gzip -dc "$trace" >p & } && cpu_limit 60 timeout 60 "$TP" $command p -o o -q 2>err && [ -e o ] ||
            { echo "$command"; cat err; return 1; }
    done
}
check "a pipe that was named is read" given

# ---- different names that become equal ----

equal_names() {
    rm -rf d o && mkdir d
    for name in 'a b' a_b 'a?b' 'a*b'; do cp "$trace" "d/$name.pt.trace.json.gz"; done
    for format in "folded --metric cpu" csv chrome xplane tfevents sqlite; do
        # shellcheck disable=SC2086
        rm -rf o && "$TP" export d --to $format -o o -q || return 1
        n=$(find o -type f ! -path '*/over_ranks/*' | sed 's|.*/a_b\([-0-9]*\).*|\1|' | sort -u | wc -l)
        [ "$n" = 4 ] || { echo "$format: $n of 4 workers"; find o -type f; return 1; }
    done
}
check "workers whose names become equal have outputs of their own" equal_names
long_names() {
    rm -rf d o && mkdir d
    stem=$(head -c 238 /dev/zero | tr '\0' n)
    cp "$trace" "d/$stem.pt.trace.json.gz"
    "$TP" summarize d -q --rank 3 -o o/ && [ "$(ls o | wc -l)" = 1 ] || return 1
    "$TP" report d -q -o "$(head -c 250 /dev/zero | tr '\0' m).html" && "$TP" export d --to folded --metric cpu -q -o o
}
check "names of 255 bytes: inputs and outputs" long_names

# ---- disks ----

if is_asan; then
    skip "reads that fail" "the sanitizer brings its own"
    exit 0
fi
gzip -dc "$DATA/traces/gpu_2024.pt.trace.json.gz" >plain.json
"$TP" summarize plain.json -o ok.tps -q
# failing KIND STATUSES FILE WORDS...: makes each read of the command fail once
failing() {
    kind=$1 statuses=$2 file=$3
    shift 3
    n=0 total=1
    while [ "$n" -le "$total" ]; do
        rm -f o.html
        cpu_limit 60 env FAIL_KIND="$kind" FAIL_AT="$n" FAIL_STAY=0 FAIL_COUNT="$WORK/count" LD_PRELOAD="$BUILD/fail_nth.so" "$TP" "$@" >out 2>err
        status=$?
        [ "$n" != 0 ] || { total=$(cat count); [ "$status" = 0 ] && [ "$total" -gt 0 ] || { echo "$*: $total calls, status $status"; cat err; return 1; }; }
        case " $statuses 0 " in *" $status "*) ;; *) echo "$*, call $n of $total: status $status"; cat err; return 1 ;; esac
        if [ "$status" != 0 ] && [ "$kind" != end ]; then
            grep -q "$file.*cannot read from byte [0-9]* on: \(Input/output error\|Stale file handle\)" err || { echo "$*, call $n:"; cat err; return 1; }
            [ ! -e o.html ] || { echo "$*, call $n: an output"; return 1; }
            failed_once=yes
        fi
        n=$((n + 1))
    done
}
broken() { # broken KIND: runs several commands on a file whose reads fail
    failed_once=
    failing "$1" "3 4" plain.json report plain.json -o o.html || return 1
    failing "$1" "3 4" plain.json table plain.json -o o.html || return 1
    failing "$1" "3 4" plain.json export plain.json --to csv -o o || return 1
    failing "$1" "3 4" ok.tps merge ok.tps -o o.html || return 1
    failing "$1" "3 4" '' diff plain.json ok.tps -o o.html --exit-zero || return 1
    [ -n "$failed_once" ] || [ "$1" = end ]
}
check "a disk that fails: an exit code, the file, the byte" broken input
check "a file that went stale: an exit code, the file, the byte" broken stale
check "a file that shrinks while it is read: an exit code" broken end

renamed() { # Recovers spools whose names are one word, contain a process id, or are hidden.
    rm -rf spools && mkdir spools && cp "$seeds/killed" spools/one1.tpspool && cp "$seeds/works" spools/one2.tpspool &&
        cp "$seeds/works" spools/host_7.1.7.tpspool && cp "$seeds/killed" spools/.host_8.1.8.tpspool && "$TP" recover spools >said 2>&1 || { cat said; return 1; }
    [ "$(cd spools && ls -d ./*.gz | tr '\n' ' ')" = "./host_7.1.pt.trace.json.gz ./host_8.1.pt.trace.json.gz ./one1.pt.trace.json.gz ./one2.pt.trace.json.gz " ] || { ls -A spools; return 1; }
}
check "spools of any names have a trace each" renamed
