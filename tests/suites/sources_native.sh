# Tests `tracepress record` with C and C++ programs that do not use tracepress. Each program counts its own work, and
# the trace must agree. The programs are in tests/native, and are built here with their libraries.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1

if is_checked; then # a sanitizer has its own malloc and must be loaded before the preload library
    skip "programs recorded by the preload library" "a sanitizer's library would have to be preloaded before ours"
    exit 0
fi

CFLAGS="-O1 -g -Wall -D_GNU_SOURCE -pthread -I$HERE"
# program NAME [FLAGS...]: builds tests/native/NAME.c
program() {
    program_name=$1
    shift
    # shellcheck disable=SC2086
    ${CC:-cc} $CFLAGS "$HERE/tests/native/$program_name.c" -o "$program_name" "$@"
}
# recorded SOURCE PROGRAM...: records the program with only SOURCE. The trace is stored as trace.json, the output as
# `out`
recorded() {
    source=$1
    shift
    rm -rf d
    "$TP" record -o d --no-tfevents --source "$source" -- "$@" >out 2>err || { cat out err; return 1; }
    [ "$(grep -vc 'recorded d/' err)" = 0 ] || { cat err; return 1; }
    set -- d/*/*.pt.trace.json.gz
    [ $# = 1 ] && [ -e "$1" ] || { find d; return 1; }
    zcat "$1" >trace.json && "$TP" report "$1" -o d/report.html --json d/report.json --strict --quiet
}
# field NAME: prints the first number after "NAME": in the trace
field() { sed -n "s/.*\"$1\":\\(-\\{0,1\\}[0-9.]*\\).*/\\1/p" trace.json | head -n 1; }
# near WANTED FOUND PERCENT: compares two numbers with this tolerance
near() {
    awk -v a="$1" -v b="${2:-none}" -v p="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; exit !(b != "none" && d <= a * p / 100) }' ||
        { echo "wanted $1 within $3 %, found ${2:-none}"; return 1; }
}
# repeat_if_busy CASE..: runs a case up to three times. The case compares two readings of the clock, between which a busy
# machine may run other programs
repeat_if_busy() {
    for turn in 1 2 3; do
        "$@" >turn.said 2>&1 && return 0
    done
    cat turn.said
    return 1
}
# named NAME: prints the number of events with this name; total NAME: prints their total time in microseconds
named() { grep -c "\"name\":\"$1\"" trace.json; }
total() { sed -n "s/.*\"name\":\"$1\".*\"dur\":\\([0-9.]*\\).*/\\1/p" trace.json | awk '{ s += $1 } END { printf "%.3f\n", s }'; }

# ---- memory

program memory_program || not_ok "memory_program is built"
peak_is_reported() { # Checks that the program's own count, the metadata, the curve and the report agree.
    recorded "$@" || return 1
    read -r peak calls <out
    near "$peak" "$(field peak_bytes)" 1 || return 1
    curve=$(sed -n 's/.*"Total Allocated":\([0-9]*\).*/\1/p' trace.json | sort -n | tail -n 1)
    near "$peak" "$curve" 1 || return 1
    counted=$(field allocation_count)
    [ "$counted" -ge "$calls" ] && [ "$counted" -le $((calls + 200)) ] || { echo "$calls calls, $counted reported"; return 1; }
    [ "$(wc -c <trace.json)" -lt 2000000 ] || { echo "the trace is large"; return 1; }
}
check "memory: the peak of the whole malloc family is malloc_usable_size's within 1 %" \
    peak_is_reported memory ./memory_program 4 2
check "memory: the peak of many small blocks on threads" peak_is_reported memory ./memory_program 1 8
check "memory: blocks of a requested size are reported one by one" peak_is_reported memory=1m ./memory_program 2 1

large_blocks() { # Checks that the trace has each block of at least this size, with its address and its release.
    recorded memory=1m ./memory_program 2 0 || return 1
    # there are nine kinds of allocations, and realloc counts twice, because it starts with a block of half the size
    [ "$(grep '"Addr"' trace.json | grep -c '"Bytes":[0-9]')" = 10 ] &&
        [ "$(grep '"Addr"' trace.json | grep -c '"Bytes":-')" = 10 ] || { grep '"Addr"' trace.json; return 1; }
}
check "memory: a large block is a record when it is taken and when it is given back" large_blocks

if command -v "${CXX:-c++}" >/dev/null; then
    "${CXX:-c++}" -std=c++17 -O0 "$HERE/tests/native/new_delete.cc" -o new_delete &&
        check "memory: C++ new and delete, arrays, sized and aligned" peak_is_reported memory ./new_delete
else
    skip "memory: C++ new and delete, arrays, sized and aligned" "no C++ compiler"
fi

small_program() { # Checks that no file remains if there is no record.
    rm -rf d
    "$TP" record -o d --no-tfevents --source memory -- true 2>err || return 1
    grep -q 'nothing was recorded' err && [ "$(ls -A d/*)" = run.json ] || { cat err; find d; return 1; }
}
check "memory: a program with little memory leaves no trace" small_program

# ---- locks, input and output

program locks_program || not_ok "locks_program is built"
program io_program || not_ok "io_program is built"
# Checks that times of ranges agree with the program's own times within 10 %, because both read the clock around the
# same call.
waits() {
    recorded locks ./locks_program || return 1
    read -r mutex lock condition <out
    near "$mutex" "$(total pthread_mutex_lock | tr -d .)" 10 && near "$lock" "$(total pthread_rwlock_rdlock | tr -d .)" 10 &&
        near "$condition" "$(total pthread_cond_wait | tr -d .)" 10 || { grep pthread trace.json; return 1; }
    near "$mutex" "$(field mutex_wait_ns)" 10 && near "$lock" "$(field read_wait_ns)" 10 || return 1
    [ "$(named pthread_mutex_lock)" -lt 20 ] || { echo "$(named pthread_mutex_lock) waits for mutexes"; return 1; }
}
check "locks: a mutex, a read-write lock and a condition are waited for as long as the program says" repeat_if_busy waits
io() {
    rm -rf d
    "$TP" record -o d --no-tfevents --source io -- ./io_program >out 2>err || { cat out err; return 1; }
    zcat d/*/*.gz | grep '"cpu_op"' >trace.json
    read -r read recv poll fread <out
    near "$read" "$(total read | tr -d .)" 10 && near "$recv" "$(total recv | tr -d .)" 10 &&
        near "$poll" "$(total poll | tr -d .)" 10 && near "$fread" "$(total fread | tr -d .)" 10 || { cat trace.json; return 1; }
    [ "$(grep -c '"bytes":1000' trace.json)" -ge 3 ] || { cat trace.json; return 1; }
}
check "io: reads that block, of a pipe, a socket and a stream, with their bytes; handlers that write; children" repeat_if_busy io

# ---- functions

# functions NAME: checks that the trace has each function as often as the program counted, matmul as long as it
# measured, and nested rows
functions() {
    recorded functions "$@" || return 1
    while read -r name count; do
        if [ "$name" = time ]; then
            near "$count" "$(total matmul | tr -d .)" 10 || return 1
        elif [ "$(named "$name")" != "$count" ]; then
            echo "$name was called $count times, the trace has $(named "$name")"
            return 1
        fi
    done <out
    ! grep -q '"finished":false' trace.json || { grep '"finished":false' trace.json; return 1; }
}
if program functions_program -finstrument-functions; then
    check "functions: calls of a program built with -finstrument-functions, by name" repeat_if_busy functions ./functions_program 20
    cp functions_program without_lines && strip --strip-debug without_lines &&
        check "functions: names from the symbol table alone" repeat_if_busy functions ./without_lines 5
    left_out() { # Checks that with a limit, recorded calls are complete and the others are counted.
        "$TP" record -o e --no-tfevents --source functions=100000 -- ./functions_program 10000 >out 2>err || return 1
        [ "$(grep -c 'more functions than the maximum' err)" = 1 ] || { cat err; return 1; }
        zcat e/*/*.gz >trace.json
        all=$(awk '$1 != "time" { n += $2 } END { print n }' out)
        reported=$(grep -c '"cpu_op"' trace.json)
        left=$(sed -n 's/.*"functions_left_out":\([0-9]*\).*/\1/p' trace.json)
        [ $((reported + left)) = "$all" ] && [ "$reported" -ge 100000 ] || { echo "$all calls, $reported reported, $left left out"; return 1; }
    }
    check "functions: beyond the limit calls are counted" left_out
else
    not_ok "functions_program is built"
fi

# ---- windows of time, for programs without steps

# in_windows FOLDER: checks that each range is inside one window, which is the first 300 ms of a second. On a busy
# machine, threads may be late by half of the time between windows. `calls` has a line "TRACE SECOND" for each call of
# `work`
in_windows() {
    ls "$1"/*/*.gz >/dev/null && for trace in "$1"/*/*.gz; do
        zcat "$trace" | awk -v trace="$trace" '
            { ts = $0; sub(/.*"ts":/, "", ts); dur = $0; sub(/.*"dur":/, "", dur) }
            /"baseTimeNanoseconds"/ { gsub(/[^0-9]/, ""); base = substr($0, 1, length($0) - 3) }
            /"ph":"X","cat":"cpu_/ { begin = (base + ts) / 1e6; second = int(begin); end = begin + dur / 1e6 - second }
            /"ph":"X","cat":"cpu_/ && (begin - second > .65 || end > .65) { print > "outside" }
            /"name":"work"/ { print trace, second }' >>calls || return 1
    done
}
# windows SECONDS HOW STATUS: checks that only data in windows is recorded, by the clock and by the program's count
windows() {
    rm -rf d calls outside
    TRACEPRESS_WINDOW=1s:300ms "$TP" record -o d --no-tfevents --source functions,io,sample -- ./windows_program "$1" "$2" >out 2>err
    [ $? = "$3" ] && [ "$(grep -vc 'recorded d/\|still open; \|signal 9' err)" = 0 ] || { cat out err; return 1; }
    in_windows d && [ ! -e outside ] && [ "$(cut -d' ' -f2 calls | sort -u | wc -l)" -ge 2 ] || { cat calls outside | tail; return 1; }
    awk '{ n += $1 } END { exit !(n <= reported && (n > 0 || reported > 0)) }' reported="$(wc -l <calls)" out ||
        { echo "$(cat out) calls in windows, $(wc -l <calls) reported"; return 1; }
    "$TP" report d -o d/report.html --strict --quiet
}
same_windows() { # Checks that processes that start independently, at different times, have the same windows.
    rm -rf one other calls
    for run in one other; do
        TRACEPRESS_WINDOW=1s:300ms "$TP" record -q -o $run --no-tfevents --source functions -- ./windows_program 3 run >/dev/null &
        sleep 0.55
    done
    wait
    in_windows one && in_windows other || return 1
    sort -u calls | awk '{ sub("/.*", "", $1) } { if (++n[$2] == 2) both++ } END { exit !(both >= 2) }' || { sort calls | uniq -c; return 1; }
}
if program windows_program -finstrument-functions; then
    check "windows: a program without steps" windows 2.5 run 0
    check "windows: a fork in the middle of one" windows 2.2 fork 0
    check "windows: exit in the middle of one" windows 1.5 leave 0
    check "windows: death in the middle of one" windows 1.5 kill 137
    check "windows: the same in processes that begin at different moments" same_windows
    nothing() { # Checks that if no window ever starts, a message says so and the program runs normally.
        rm -rf d
        TRACEPRESS_WINDOW=71582788m:1ms "$TP" record -o d --no-tfevents --source functions -- ./windows_program 0.1 run >out 2>err
        [ $? = 0 ] && grep -q 'nothing was recorded: .*TRACEPRESS_WINDOW' err && [ "$(ls -A d/*)" = run.json ] || { cat err; find d; return 1; }
    }
    check "windows: none came" nothing
else
    not_ok "windows_program is built"
fi

# ---- memory, by the stack that took it

# Checks that at the peak, a table of 40 MiB and three rows of 5 MiB are shown with their stacks, but no freed blocks.
holders() {
    recorded memory=stacks ./holders_program || return 1
    python3 - <<'X' || return 1
import json
peak = json.load(open("d/report.json"))["runs"][0]["profiles"][0]["memory_peak"][0]
found = {row["name"]: (row["blocks"], row["bytes"]) for row in peak["live_by"]["stack"]}
def of(function, blocks, mib):
    got = [(name, n, b) for name, (n, b) in found.items() if name.startswith("take \u2190 " + function) and "(holders_program.c:" in name]
    assert len(got) == 1 and got[0][1] == blocks and mib << 20 <= got[0][2] <= (mib << 20) + blocks * 8192, (function, found)
of("table \u2190 main", 1, 40)
of("row \u2190 ", 3, 15)
assert not any("scratch" in name for name in found), found
assert sum(b for _, b in found.values()) == peak["live_bytes"]
X
    grep -q 'Alive at the peak, by the stack that allocated it' d/report.html && grep -q '"without_stack":0' trace.json
}
# Stacks are recorded only after a thread of the recorder has had the loader's lock. On a busy machine this short
# program can exit before. Therefore repeats the recording until there are stacks, at most five times.
# Allocates while libraries are loaded and children are forked. The program must exit, and most blocks must have a
# stack.
storm() {
    for sources in sample,memory=stacks memory=1k+stacks memory=stacks memory=stacks memory=stacks memory=stacks memory=stacks; do
        rm -rf d
        cpu_limit 60 "$TP" record -o d --no-tfevents --source $sources -- ./holders_program storm >out 2>err || { cat err; return 1; }
        [ "$sources" != memory=stacks ] || ! zcat d/*/*.pt.trace.json.gz | grep -q '"Call stack":"[^"]*storm' || return 0
    done
    echo "no record has a stack"
    return 1
}
if program holders_program -ldl -lpthread; then
    check "memory=stacks: who owns memory at its peak" holders
    check "memory=stacks: amid dlopen and fork" storm
else
    not_ok "holders_program is built"
fi

# ---- memory of Python's small objects

cat >objects.py <<'X'
import subprocess, sys
rows = [(i, i + 1) for i in range(400000)]
sys._debugmallocstats()  # writes a line such as "51 arenas * 1048576 bytes/arena" to standard error
sys.stderr.flush()
if sys.argv[1] == "free":
    del rows
elif sys.argv[1] == "child":
    subprocess.run([sys.executable, __file__, "keep"])
X
# arenas WAY: checks that the peak of each process includes Python's arenas, and that after "free" most of them are
# released
arenas() {
    rm -rf d
    "$TP" record -o d --no-tfevents --source memory=64k+stacks -- python3 objects.py "$1" >out 2>err || { cat err; return 1; }
    "$TP" report d -o d/report.html --json d/report.json >/dev/null 2>report.err || { cat report.err; return 1; }
    python3 - "$1" <<'X'
import glob, gzip, json, re, sys
arenas = [int(n) * int(size) for n, size in re.findall(r"(\d+) arenas \* (\d+) bytes/arena", open("err").read())]
peaks = []
for path in glob.glob("d/*/*.pt.trace.json.gz"):
    trace = json.load(gzip.open(path))
    if "host_memory" in trace and trace["host_memory"]["peak_bytes"] > arenas[0]:
        peaks.append(trace["host_memory"])
assert len(peaks) == len(arenas) == (2 if sys.argv[1] == "child" else 1), (peaks, arenas)
for peak in peaks:
    assert arenas[0] < peak["peak_bytes"] < 1.5 * arenas[0], (peak, arenas)
if sys.argv[1] == "free":
    assert peaks[0]["end_bytes"] < arenas[0] / 4, (peaks, arenas)
X
}
if python3 -c 'import ctypes; ctypes.pythonapi.PyObject_SetArenaAllocator' 2>/dev/null; then
    for way in keep free child; do
        check "memory: arenas of Python's small objects ($way)" arenas $way
    done
else
    skip "memory: arenas of Python's small objects" "no python3 with arenas"
fi

# ---- BLAS

products() { # products PROGRAM...: checks that calls, FLOPs and shapes equal the program's own counts
    recorded blas "$@" || return 1
    [ -s out ] || return 1
    while read -r name calls flops; do
        reported=$(grep "\"name\":\"$name\"" trace.json | sed -n 's/.*"flops":\([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s + 0 }')
        [ "$(named "$name")" = "$calls" ] && [ "$reported" = "$flops" ] ||
            { echo "$name: $calls calls, $flops FLOPs; the trace has $(named "$name") and $reported"; return 1; }
    done <out
    grep '"name":"cblas_dgemm"' trace.json | grep -q '"Input Dims":\[\[96,48\],\[48,24\]\]' || { cat trace.json; return 1; }
    grep '"name":"sgemm_"' trace.json | grep -q '"Input type":\["float","float"\]'
}
program small_blas -shared -fPIC -Wl,-soname,libsmall_blas.so && mv small_blas libsmall_blas.so
if program blas_program -L. -lsmall_blas -Wl,-rpath,"$PWD" -ldl; then
    check "blas: products by cblas and Fortran names, with shapes and FLOPs" products ./blas_program
    mv blas_program direct
    program blas_program -DPLUGIN -shared -fPIC -L. -lsmall_blas -Wl,-rpath,"$PWD" && mv blas_program plugin.so
    program blas_program -DNO_MULTIPLY -ldl && mv blas_program opener
    check "blas: of a plugin that brings its own, opened with RTLD_LOCAL" products ./opener ./plugin.so
    aside() { # Checks that the recording from outside describes the program, and has products as an additional table.
        rm -rf d
        "$TP" record -o d --no-tfevents --source outside,blas -- ./direct >out 2>err || { cat err; return 1; }
        grep -q 'only from inside' err && return 0 # passes, because this machine allows no kernel events
        set -- d/*/direct.*.gz d/*/*_inside.*.gz
        [ $# = 2 ] && [ -e "$1" ] && [ -e "$2" ] && "$TP" report d -o d.html --json d.json --quiet || { find d; return 1; }
        zcat "$2" | grep -q '"name":"cblas_dgemm"' && ! zcat "$1" | grep -q '"name":"cblas_dgemm"' || return 1
        "$TP" report d -o d.html --markdown d.md --quiet && head -n 4 d.md | grep -q 'CPU-bound\|Too short\|Waiting for a CPU' || { cat d.md; return 1; }
    }
    check "blas: products are an additional table of the program" aside
else
    not_ok "blas_program is built"
fi
if program blas_program -lopenblas -ldl 2>/dev/null; then
    check "blas: OpenBLAS" products ./blas_program
else
    skip "blas: OpenBLAS" "no libopenblas to link with"
fi

# ---- OpenMP

regions() { # regions SOURCE PROGRAM: checks the regions, the share of the worker in each, and its wait at the barrier
    recorded "$1" "$2" || return 1
    read -r count ahead <out
    [ "$(named 'omp parallel: main[^"]*')" = "$count" ] && [ "$(named 'omp worker: main[^"]*')" = "$count" ] ||
        { grep '"omp' trace.json; return 1; }
    worker=$(sed -n 's/.*"name":"omp worker.*"tid":\([0-9]*\).*/\1/p' trace.json | sort -u)
    waited=$(grep '"name":"omp barrier"' trace.json | grep "\"tid\":$worker," | sed -n 's/.*"dur":\([0-9.]*\).*/\1/p' |
        awk '{ s += $1 } END { printf "%.0f", s * 1000 }')
    near "$ahead" "$waited" 10 || { grep '"omp' trace.json; return 1; }
    ! grep -q '"finished":false' trace.json || { grep finished trace.json; return 1; }
}
if command -v clang >/dev/null && CC=clang program openmp_program -fopenmp 2>/dev/null; then
    check "openmp: regions, workers and waits at barriers under libomp" repeat_if_busy regions openmp ./openmp_program
else
    skip "openmp: regions, workers and waits at barriers under libomp" "no clang with libomp"
fi
libomp=$(find /usr/lib /usr/lib64 /usr/local/lib -name 'libomp.so.5' 2>/dev/null | head -n 1)
if [ -n "$libomp" ] && program openmp_program -fopenmp 2>/dev/null && ldd ./openmp_program | grep -q libgomp; then
    check "openmp: a program of gcc, on libomp" repeat_if_busy regions "openmp=$libomp" ./openmp_program
else
    skip "openmp: a program of gcc, on libomp" "no gcc with OpenMP, or no libomp.so.5"
fi

# ---- MPI

# ranks MPIRUN: checks that each rank has a trace with its rank number, and with the calls and bytes that the program
# counted
ranks() {
    rm -rf d
    "$TP" record -o d --source mpi -- "$@" -n 3 ./mpi_program >out 2>err || { cat out err; return 1; }
    [ "$(ls d/*/*.pt.trace.json.gz | wc -l)" = 3 ] || { ls d; cat err; return 1; }
    "$TP" report d -o d/report.html --json d/report.json --strict --quiet || return 1
    for trace in d/*/*.pt.trace.json.gz; do
        zcat "$trace" >trace.json
        while read -r name calls bytes; do
            reported=$(grep '"record_param_comms"' trace.json | grep "\"Collective name\":\"$name\"" | awk -v q='"' '
                { in_n = out_n = size = 0 }
                match($0, q "In msg nelems" q ":[0-9]+") { in_n = substr($0, RSTART + 16, RLENGTH - 16) + 0 }
                match($0, q "Out msg nelems" q ":[0-9]+") { out_n = substr($0, RSTART + 17, RLENGTH - 17) + 0 }
                /"dtype":"Double"/ { size = 8 } /"dtype":"(Float|Int)"/ { size = 4 } /"dtype":"Byte"/ { size = 1 }
                { calls++; bytes += (in_n > out_n ? in_n : out_n) * size } END { print calls + 0, bytes + 0 }')
            [ "$reported" = "$calls $bytes" ] || { [ "$bytes" = - ] && [ "${reported% *}" = "$calls" ]; } ||
                { echo "$name: $calls calls, $bytes bytes; $trace has $reported"; return 1; }
            [ "$(named "mpi:$name")" = "$calls" ] || { echo "mpi:$name: $(named "mpi:$name")"; return 1; }
        done <out
        sed -n 's/.*"distributedInfo": *{\(.*\)}.*/\1/p' trace.json | grep -o '"rank": *[0-9]*,.*"world_size": *[0-9]*'
    done | grep -o '[0-9]*' | tr '\n' ' ' >places
    tr ' ' '\n' <places | sort -n | tr '\n' ' ' | grep -q '0 1 2 3 3 3' || { echo "ranks and sizes: $(cat places)"; return 1; }
    gathered=$(for trace in d/*/*.gz; do zcat "$trace"; done | grep '"Collective name":"gather"' | grep -c '"Out msg nelems":60')
    [ "$gathered" = 5 ] || { echo "$gathered calls of gather got what all gave"; return 1; }
}
# ranks_in_windows MPIRUN: checks that each trace has its rank number, and that calls with the same number match
# although some calls were not recorded
ranks_in_windows() {
    rm -rf d
    TRACEPRESS_WINDOW=1s:300ms "$TP" record -o d --no-tfevents --source mpi -- "$@" -n 2 ./mpi_program 800 >out 2>err || { cat out err; return 1; }
    for trace in d/*/*.pt.trace.json.gz; do
        zcat "$trace" >trace.json
        rank=$(sed -n 's/.*"distributedInfo":.*"rank": *\([0-9]*\).*/\1/p' trace.json)
        awk -v rank="${rank:-none}" '{ ts = $0; sub(/.*"ts":/, "", ts); dur = $0; sub(/.*"dur":/, "", dur); seq = $0 }
            /"baseTimeNanoseconds"/ { gsub(/[^0-9]/, ""); base = substr($0, 9, length($0) - 11) }
            /record_param_comms.*"barrier"/ { sub(/.*"Seq":/, "", seq); printf "%d %s %.3f %.3f\n", seq, rank, base + ts, base + ts + dur }' trace.json
    done >barriers
    # Both ranks record a barrier at the same time, as far as their clocks agree. The next barrier comes more than 2 ms
    # later.
    sort -n barriers | awk '{ if ($1 == seq && $2 != rank) { both++; if ($3 > end + 1000 || $4 < begin - 1000) wrong++ }
        seq = $1; rank = $2; begin = $3; end = $4 } END { print both + 0, "pairs", wrong + 0, "apart"; exit !(both >= 50 && wrong * 4 < both) }' &&
        [ "$(cut -d' ' -f2 barriers | sort -u | tr '\n' ' ')" = "0 1 " ]
}
for kind in mpich openmpi; do
    name="mpi: ranks, collectives with sizes, messages ($kind)"
    if command -v mpicc.$kind >/dev/null && CC=mpicc.$kind program mpi_program 2>/dev/null; then
        case $kind in
        openmpi) set -- mpirun.openmpi --allow-run-as-root --oversubscribe ;;
        *) set -- mpirun.mpich ;;
        esac
        check "$name" ranks "$@"
        check "mpi: windows of time ($kind)" ranks_in_windows "$@"
    else
        skip "$name" "no mpicc.$kind"
    fi
done

# ---- ggml

# nodes PROGRAM...: checks that operators and FLOPs are as the program counted, and that the program's own callback gets
# the same calls as without recording
nodes() {
    recorded ggml "$@" || return 1
    while read -r name calls flops; do
        [ "$name" != own ] || continue
        reported=$(grep "\"name\":\"$name\"" trace.json | sed -n 's/.*"flops":\([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s + 0 }')
        [ "$(named "$name")" = "$calls" ] && [ "$reported" = "$flops" ] ||
            { echo "$name: $calls, $flops FLOPs; the trace has $(named "$name"), $reported"; return 1; }
    done <out
    [ "$(named 'ggml graph')" = 10 ] && grep '"name":"MUL_MAT"' trace.json | grep -q '"Input Dims":\[\[48,32\],\[20,32\]\]' &&
        grep '"name":"ADD"' trace.json | grep -q '"Input Dims":\[\[20,48\]\]' || { cat trace.json; return 1; }
}
if program small_ggml -shared -fPIC -Wl,-soname,libsmall_ggml.so && mv small_ggml libsmall_ggml.so &&
    program small_ggml -DPROGRAM -L. -lsmall_ggml -Wl,-rpath,"$PWD"; then
    check "ggml: nodes of graphs, shapes and FLOPs of products" nodes ./small_ggml
    check "ggml: a callback of the program's own is called as without us" nodes ./small_ggml own
else
    not_ok "small_ggml is built"
fi

# ---- programs without symbols

frames_of() { # frames_of NAME: writes the frames of the program in all stacks, in order, to NAME.frames
    "$TP" recover d/*.tpspool -o "$1.json" --quiet >/dev/null && grep -o '[^";]* \[twin\]' "$1.json" >"$1.frames"
}
# Compares recordings with and without symbols. Each function must have one name, and no two functions may have the same
# name.
same_functions() {
    cp split twin
    rm -rf d && mkdir d
    LD_PRELOAD=$(dirname "$TP")/libtracepress-preload.so TRACEPRESS_SPOOLS=$PWD/d TRACEPRESS_SOURCES=sample=2000 \
        ./twin 0.5 2 >out && mv d/.*.tpspool d/kept.tpspool || { ls -A d; return 1; }
    frames_of named && strip twin && frames_of stripped || return 1
    grep -q 'one_quarter \[twin\]' named.frames || { sort named.frames | uniq -c; return 1; }
    grep -q '^twin+0x[0-9a-f]* \[twin\]$' stripped.frames && ! grep -q one_quarter stripped.frames &&
        [ "$(wc -l <named.frames)" = "$(wc -l <stripped.frames)" ] || { sort stripped.frames | uniq -c; return 1; }
    paste -d'|' named.frames stripped.frames | sort | uniq -c >pairs
    [ "$(sort -u named.frames | wc -l)" = "$(wc -l <pairs)" ] && [ "$(sort -u stripped.frames | wc -l)" = "$(wc -l <pairs)" ] &&
        [ "$(wc -l <pairs)" -ge 3 ] || { cat pairs; return 1; }
}
if ${CC:-cc} -O2 -pthread "$HERE/tests/check/split.c" -o split && command -v strip >/dev/null; then
    check "stripped: functions are distinguished as with their symbols" same_functions
else
    skip "stripped: functions are distinguished as with their symbols" "no strip"
fi

# ---- sources in a folder with an unusual name

odd_folder() { # Checks that each source line is one frame, from the program to the folded stacks.
    mkdir -p "run (1); [2]: x" && cp "$HERE/tests/check/split.c" "run (1); [2]: x" &&
        ${CC:-cc} -g -O1 -pthread "$PWD/run (1); [2]: x/split.c" -o "run (1); [2]: x/split" || return 1
    rm -rf d && "$TP" record -o d --no-tfevents --source sample=2000 -- "run (1); [2]: x/split" 0.5 2 >out 2>err || { cat err; return 1; }
    "$TP" export d/*/*.gz --to folded --metric samples -o d/folded --quiet || return 1
    grep -q ';run__[^;]*/run_(1),_\[2\]:_x/split.c;one_quarter__[^;]*/run_(1),_\[2\]:_x/split.c;work__[^;]* [0-9]*$' d/folded/*.folded && return 0
    head -n 3 d/folded/*.folded
    return 1
}
if [ -e /usr/lib/x86_64-linux-gnu/libdw.so.1 ] || ldconfig -p 2>/dev/null | grep -q libdw.so.1; then
    check "samples: a program in a folder called run (1); [2]: x" odd_folder
else
    skip "samples: a program in a folder called run (1); [2]: x" "no libdw"
fi

# ---- the recorder's own functions are not shown

no_own_frames() { # Samples a program that is in wrapped functions most of the time.
    rm -rf d && "$TP" record -o d --no-tfevents --source default,sample=2000 -- ./hooked_program >out 2>err || { cat err; return 1; }
    zcat d/*/*.gz | grep '"cat":"cpu_sample"' >samples
    [ "$(grep -c hooked_calls samples)" -ge 20 ] || { echo "too few samples"; wc -l samples; return 1; }
    # A stack that ends inside the recorder keeps its frames, and its sample is marked as work of the recording. In a stack
    # of the program, no frame of the recorder may be left.
    grep 'libtracepress\|collector/' samples >own_samples
    ! grep -m 3 'hooked_program\.c' own_samples && ! grep -v '"recording":1' own_samples | grep -m 3 .
}
lines_without_index() { # Checks that functions have their lines although clang and rustc write no .debug_aranges.
    objcopy --remove-section .debug_aranges hooked_program && no_own_frames || return 1
    grep -c 'hooked_program.c([0-9]*): hooked_calls' samples
}
if program hooked_program -g; then
    check "samples: none is of the recorder's own functions" no_own_frames
    if command -v objcopy >/dev/null; then
        check "samples: lines of a program without a table of its units" lines_without_index
    else
        skip "samples: lines of a program without a table of its units" "no objcopy"
    fi
else
    not_ok "hooked_program is built"
fi

# ---- usual operations of programs, with all sources active

# survives WAY: checks that recording does not change exit code and output, that the program stays within the time
# limit, and that the strict reader accepts the trace
survives() {
    rm -rf d
    for turn in 1 2 3; do
        cpu_limit 120 "$TP" record -o d --no-tfevents --source default -- ./lives_program "$1" >out 2>err
        status=$?
        [ $status = 7 ] && [ "$(cat out)" = "done" ] || { echo "turn $turn: status $status"; cat out err; return 1; }
        ! grep -v 'recorded d/\|from outside: \|more in d/\|still open; \|nothing was recorded' err || return 1
    done
    "$TP" report d -o d/report.html --strict --quiet
}
if program lives_program -rdynamic -finstrument-functions -ldl; then
    for way in threads fork exec exit signals cancel loader close vfork load; do
        check "all sources: $way" survives $way
    done
else
    not_ok "lives_program is built"
fi

# ---- programs that confine themselves

# confines WAY STATUS LINES: checks that recording does not change exit code and output, and that a trace has the events
# before the confinement
confines() {
    for sources in default,memory=64k null; do
        for perf in 0 1; do
            rm -rf d
            TRACEPRESS_PERF=$perf cpu_limit 60 "$TP" record -o d --no-tfevents --source $sources -- ./confined_program "$1" >out 2>err
            status=$?
            [ $status = "$2" ] && [ "$(cat out)" = "done" ] || { echo "$sources: status $status"; cat out err; return 1; }
            [ "$(grep -c 'recording stops here, because the program confines itself' err)" = "$3" ] || { cat err; return 1; }
            zcat d/*/*.gz | grep -q '"finished":false\|"Bytes":70\|"process"' || { echo "$sources: no earlier events"; return 1; }
        done
    done
}
if program confined_program && { ./confined_program filter >out 2>err || [ $? = 7 ]; }; then
    check "confined: a list of calls, all others kill" confines filter 7 1
    check "confined: the same by syscall" confines syscall 7 1
    check "confined: all threads by one of them, while they work and end" confines threads 7 1
    if ./confined_program strict >out 2>err || [ $? = 5 ]; then
        check "confined: strict mode" confines strict 5 1
    else
        skip "confined: strict mode" "not behind the filter of a container"
    fi
    check "confined: no time stamp counter" confines counter 6 1
    check "confined: a child, and its parent continues" confines child 8 1
    check "confined: a child made behind the C library's back" confines raw 8 0
    check "confined: a child by clone" confines clone 8 0
    check "confined: who only asks the kernel what it knows is recorded to the end" confines probe 9 0
else
    skip "confined" "filters cannot be installed here"
fi
same_page() {
    printf '%s\n' '.TH X 1' .SH NAME 'x - y' >x.1
    man -l -P cat x.1 >plain 2>&1 && rm -rf d && "$TP" record -o d --no-tfevents -- man -l -P cat x.1 >out 2>err && cmp plain out &&
        # there is no message, because the helpers are confined from their start and never load the preload library
        ! grep 'nothing is recorded' err
}
if command -v man >/dev/null; then
    check "confined: man, whose helpers are" same_page
else
    skip "confined: man, whose helpers are" "it is not installed"
fi

# ---- programs that change their own process

# survives WAY: checks that recording does not change exit code and output, with samples by the kernel and by timers
survives() {
    ./hostile_program "$1" >plain 2>err
    [ $? = 7 ] || { echo "it does not run alone"; cat err; return 1; }
    for perf in 0 1; do
        rm -rf d
        TRACEPRESS_PERF=$perf cpu_limit 120 "$TP" record -o d --no-tfevents --source default,memory=1k,io,locks,sample=1000 -- \
            ./hostile_program "$1" >out 2>err
        status=$?
        [ $status = 7 ] && cmp plain out || { echo "samples by the kernel: $perf; status $status"; cat out err; return 1; }
    done
}
if program hostile_program -ldl; then
    for way in threads children closes closes_range numbers handlers limits root starts libraries counts; do
        check "hostile: $way" survives $way
    done
else
    not_ok "hostile_program is built"
fi

# ---- a browser, which makes sandboxes from processes with one thread, and exits if they have more ----

browses() { # browses [COMMAND...] BROWSER: records the browser, which COMMAND starts
    rm -rf d
    "$TP" record -o d --no-tfevents -- "$@" --user-data-dir="$PWD/browser" --headless --disable-gpu --dump-dom 'data:text/html,<p>shown</p>' >out 2>err
    status=$?
    rm -rf browser
    [ $status = 0 ] && grep -q '<p>shown</p>' out && [ "$(ls d/*/*.gz | wc -l)" -ge 2 ] || { echo "status $status"; grep -v dbus err | tail -n 20; return 1; }
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
if [ -z "$browser" ]; then
    skip "a browser is recorded, without its sandbox" "no chromium"
elif cpu_limit 60 "$browser" --no-sandbox --headless --disable-gpu --user-data-dir="$PWD/browser" --dump-dom 'data:text/html,<p>shown</p>' 2>err | grep -q shown; then
    check "a browser is recorded, without its sandbox" browses "$browser" --no-sandbox
else
    skip "a browser is recorded, without its sandbox" "it does not run here"
fi

# Checks a Python program in which a thread waits for the import of torch. From Python 3.12 on, a fork prints a warning
# about threads.
counted_by_python() {
    cat >count.py <<'P'
import os
for i in range(20):
    sum(range(20000))
    assert os.stat("/proc/self/task").st_nlink == 3
pid = os.fork()
if pid == 0:
    os._exit(0 if os.stat("/proc/self/task").st_nlink == 3 else 1)
assert os.waitpid(pid, 0)[1] == 0
P
    rm -rf d && "$TP" record -o d --quiet --no-tfevents -- python3 -W always count.py 2>err && [ ! -s err ] || { cat err; return 1; }
}
if python3 -c '' 2>err; then
    check "a Python that counts its threads finds its own" counted_by_python
else
    skip "a Python that counts its threads finds its own" "no python3"
fi

# ---- children of a program whose threads are in the loader

forks() {
    rm -rf d && "$TP" record -o d --no-tfevents --source "$1" -- ./forks_program >out 2>err
    [ $? = 7 ] && [ "$(cat out)" = "done" ] || { cat out err; return 1; }
}
if program forks_program -pthread; then
    check "forks: no child waits for the lock that another thread of its parent held" forks sample=1000
    check "forks: so with memory and its call stacks" forks memory=1k,sample
else
    not_ok "forks_program is built"
fi

# ---- spools that are truncated while they are written

# cuts WAY STATUS LINES: checks that recording does not change exit code and output, at whatever byte the spool is
# truncated, and that a line reports the end of the recording
cuts() {
    for to in 0 5000 30000; do
        rm -rf d f && mkdir f
        cpu_limit 60 "$TP" record -o d --no-tfevents --source memory=1k,sample -- ./cut_program "$1" f >out 2>err &
        pid=$!
        while [ ! -e f/now ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
        for spool in $(find d -name '.*.tpspool'); do
            head -c 0 /dev/null >>"$spool" && dd if=/dev/null of="$spool" bs=1 seek=$to 2>dd.log
        done
        : >f/cut
        wait $pid
        status=$?
        [ $status = "$2" ] || { echo "cut at $to: status $status"; cat out err; return 1; }
        [ "$status" != 7 ] || [ "$(cat out)" = "done" ] || return 1
        [ "$3" = 0 ] || [ $to -gt 5000 ] || grep -q 'recording stops here; the program continues: .*: the file was truncated' err || { cat err; return 1; }
    done
}
if program cut_program; then
    check "cut: a program continues when its spool is cut" cuts plain 7 1
    check "cut: threads that block all signals" cuts threads 7 0
    check "cut: a program with a handler of SIGBUS gets its own faults, and no others" cuts own 7 1
    once() { rm -rf d && "$TP" record -o d --no-tfevents --source memory=1k -- ./cut_program "$1" . >out 2>err; [ $? = "$2" ] || { cat out err; return 1; }; }
    check "cut: a program reads back its own settings of SIGBUS" once asks 7
    check "cut: by the older functions, too" once older 7
    check "cut: a program that cuts a file of its own dies as without us" once die 135
    check "cut: and one that is sent the signal" once send 135
else
    not_ok "cut_program is built"
fi

# ---- programs from other authors

same_peak() { # same_peak PROGRAM...: checks that the peak is that of a separate counter, which is preloaded alone
    rm -rf d
    LD_PRELOAD=$PWD/count_memory.so "$@" >plain 2>counted || { cat plain counted; return 1; }
    "$TP" record -o d --no-tfevents --source memory -- "$@" >told 2>err || { cat told err; return 1; }
    zcat d/*/*.gz >trace.json
    near "$(sed -n 's/^peak //p' counted)" "$(field peak_bytes)" 1
}
# report_has_memory_view PROGRAM...: checks that with all sources, the program behaves the same, and that the report has its
# samples and its memory
report_has_memory_view() {
    rm -rf d
    "$TP" record -o d --no-tfevents -- "$@" >told 2>err || { cat told err; return 1; }
    "$TP" report d -o d/report.html --json d/report.json --strict --quiet && grep -q '"memory_view":{' d/report.json
}
# functions_of PROGRAM...: checks that all samples of the program have names, and that there are several functions
functions_of() {
    rm -rf d
    "$TP" record -o d --no-tfevents --source sample=2000 -- "$@" >told 2>err && zcat d/*/*.gz >trace.json || { cat told err; return 1; }
    grep -o '"cat":"cpu_sample","name":"[^"]*' trace.json | grep " \[$1\]" | sort | uniq -c >functions
    ! grep '"+0x' functions && [ "$(wc -l <functions)" -ge 3 ] || { cat functions; return 1; }
}
# Checks for a convolution that the sampled shares of darknet's functions agree with callgrind's counts for the address
# ranges from readelf.
counted() {
    rm -rf d
    printf '%s\n' '[net]' batch=1 width=64 height=64 channels=16 '[convolutional]' filters=128 size=3 stride=1 pad=1 activation=linear >one.cfg
    readelf --debug-dump=frames "$(command -v darknet)" 2>readelf.err |
        sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\).*/\1 \2/p' | sort >ranges
    valgrind --tool=callgrind --callgrind-out-file=by_instruction --dump-instr=yes --compress-pos=no --compress-strings=no \
        darknet speed one.cfg 2 >told 2>&1 || { cat told; return 1; }
    "$TP" record -o d --no-tfevents --source sample=2000 -- darknet speed one.cfg 120 >told 2>err || { cat told err; return 1; }
    zcat d/*/*.gz | sed -n 's/.*"cat":"cpu_sample","name":"\([^ "]*\) \[darknet\]".*/\1/p' >samples
    stubs=$(readelf -SW "$(command -v darknet)" | sed -n 's/.* \.plt[^ ]* *PROGBITS *\([0-9a-f]*\) .*/\1/p')
    awk -v object="$(command -v darknet)" -v stubs="$stubs" -f "$HERE/tests/check/instructions.awk" ranges by_instruction samples
}
program count_memory -shared -fPIC && mv count_memory count_memory.so
if command -v darknet >/dev/null; then
    check "darknet: the peak of its memory" same_peak darknet speed /usr/share/darknet/cfg/tiny.cfg 2
    check "darknet: all sources" report_has_memory_view darknet speed /usr/share/darknet/cfg/tiny.cfg 2
    check "darknet: samples by function, though it is stripped" functions_of darknet speed /usr/share/darknet/cfg/tiny.cfg 2
    if command -v valgrind >/dev/null && command -v readelf >/dev/null; then
        check "darknet: functions and their shares, by count of instructions" counted
    else
        skip "darknet: functions and their shares, by count of instructions" "no valgrind or no readelf"
    fi
else
    skip "darknet" "it is not installed"
fi
if command -v tesseract >/dev/null && tesseract --list-langs 2>/dev/null | grep -qx eng; then
    awk 'BEGIN { printf "P2 400 80 255\n"; for (y = 0; y < 80; y++) for (x = 0; x < 400; x++)
        print (y > 20 && y < 60 && x % 40 > 10 && (x % 40 < 18 || y > 50)) ? 0 : 255 }' >page.pgm
    export OMP_THREAD_LIMIT=1
    check "tesseract: the peak of its memory" same_peak tesseract page.pgm text
    tesseract page.pgm plain 2>/dev/null
    check "tesseract: all sources" report_has_memory_view tesseract page.pgm recorded
    check "tesseract: it reads the same" cmp plain.txt recorded.txt
else
    skip "tesseract" "it is not installed"
fi
