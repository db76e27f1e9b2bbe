# Checks that `tracepress record` never harms the program. Programs that would exit or crash with a preloaded library
# must run as without recording, and be recorded from outside. No thread of the recorder may call the program's
# allocator. A lack of memory must not harm the program.
. tests/suites/case.sh
HERE=$PWD
cd "$WORK" || exit 1
. "$HERE/tests/suites/outside_case.sh"
if is_checked; then
    skip "programs with a sanitizer under record" "the recorder is built with one itself"
    exit 0
fi
CC=${CC:-cc}
mkdir runs
# built NAME FLAGS...: builds tests/native/plain_work.c as ./NAME. Fails if programs with these flags do not run here
built() {
    built_name=$1
    shift
    "$@" -O1 -g "$HERE/tests/native/plain_work.c" -o "$built_name" -pthread >build.log 2>&1 &&
        ./"$built_name" >plain.out 2>&1
    [ $? = 7 ] && [ "$(cat plain.out)" = done ]
}
# same PROGRAM...: checks that `record` does not change exit code and output, that a message names the program, and that
# its functions are recorded
same() {
    rm -rf r
    cpu_limit 60 "$TP" record -o r --no-tfevents -- "$@" >out 2>err
    status=$?
    [ $status = 7 ] && [ "$(cat out)" = done ] || { echo "exit code $status"; cat out err; return 1; }
    [ "$(grep -c 'from outside only: .*it \(is\|was\) ' err)" = 1 ] || { echo "no line says why"; cat err; return 1; }
    zcat r/*/*.gz | grep '"cat":"cpu_sample"' | grep -q ': work"' || { echo "no function of the program"; find r; return 1; }
}
# outside_only NAME: tests the program alone, and as a child of programs with the library: a shell, make, a script, env
outside_only() {
    printf 'all:\n\t@./%s; test $$? = 7\n' "$1" >Makefile
    printf '#!/bin/sh\n./%s\n' "$1" >script.sh
    chmod +x script.sh
    for way in "./$1" "./starter ./$1" "./script.sh" "env ./$1" "env -i LD_BIND_NOW=1 ./$1" "nice ./$1"; do
        # shellcheck disable=SC2086
        same $way || { echo "as: $way"; return 1; }
    done
    command -v make >/dev/null || return 0
    rm -rf r
    "$TP" record -o r --no-tfevents -- make -s >out 2>err && [ "$(cat out)" = done ] || { echo "as: make"; cat out err; return 1; }
}
events() { "$TP" record --outside --no-tfevents -o events -- true 2>events.err && ! grep -q 'recording from outside failed' events.err; }
if ! events; then
    skip "programs with a sanitizer are recorded from outside only" "the kernel has no events here"
elif ! built starter $CC; then
    not_ok "tests/native/plain_work.c builds" "$(cat build.log)"
else
    for kind in address thread leak; do
        if built "gcc_$kind" $CC -fsanitize=$kind; then
            check "a program with -fsanitize=$kind is recorded from outside only, as a child, too" outside_only "gcc_$kind"
        else
            skip "a program with -fsanitize=$kind is recorded from outside only" "the compiler has no such runtime"
        fi
    done
    for kind in asan tsan; do
        long=$([ $kind = asan ] && echo address || echo thread)
        if built "static_$kind" $CC -fsanitize=$long -static-lib$kind; then
            check "a program with the static runtime of $kind is recorded from outside only" outside_only "static_$kind"
        else
            skip "a program with the static runtime of $kind" "the compiler has no such runtime"
        fi
    done
    for clang in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 ""; do
        [ -z "$clang" ] || ! built clang_memory $clang -fsanitize=memory || break
    done
    if [ -n "$clang" ]; then
        check "a program with clang's MemorySanitizer is recorded from outside only" outside_only clang_memory
        built clang_address $clang -fsanitize=address &&
            check "a program with clang's AddressSanitizer is recorded from outside only" outside_only clang_address
    else
        skip "a program with clang's sanitizers" "no clang with these runtimes"
    fi
    if command -v musl-gcc >/dev/null && built musl musl-gcc; then
        check "a program of another C library is recorded from outside only, as a child, too" outside_only musl
    else
        skip "a program of another C library" "no musl-gcc"
    fi
    if built narrow $CC -m32; then
        check "a 32-bit program is recorded from outside only, as a child, too" outside_only narrow
    else
        skip "a 32-bit program" "the compiler has no 32-bit C library"
    fi
    if built undefined $CC -fsanitize=undefined; then
        inside_too() {
            rm -rf r
            "$TP" record -o r --no-tfevents --source memory=64 -- ./undefined >out 2>err
            [ $? = 7 ] && ! grep 'outside only' err && zcat r/*/*.gz | grep -q '"Bytes"'
        }
        check "a program with UBSan alone is recorded inside, too" inside_too
    fi
fi

# ---- the program's allocator ----

own_threads() { # own_threads SEEN PROGRAM...: checks that the trace has a line with SEEN
    seen=$1
    shift
    for source in default sample=2000,memory=1k,locks,io; do
        rm -rf r
        cpu_limit 60 "$TP" record -o r --no-tfevents --no-source outside --source $source -- \
            env LD_PRELOAD="$BUILD/own_thread_malloc.so" "$@" >out 2>err
        status=$?
        "$@" >plain.out 2>/dev/null
        [ $status = $? ] && cmp out plain.out && ! grep "calls the allocator" err || { echo "$source: exit code $status"; cat err; return 1; }
        zcat r/*/*.gz | grep -q "$seen" || { echo "nothing of: $seen"; cat err; return 1; }
    done
}
if "$CC" -O1 "$HERE/tests/native/plain_work.c" -o plain_work -pthread 2>build.log; then
    check "threads of the recorder do not call the program's allocator" own_threads '"cat":"cpu_sample"' ./plain_work
    if [ -x "$PY" ]; then
        check "nor where libraries are loaded and the program forks" own_threads . "$PY" -c 'import os, threading, decimal
t = [threading.Thread(target=lambda: sum(range(2000000))) for i in range(4)]
[x.start() for x in t]; [x.join() for x in t]
import sqlite3, ctypes, ssl
sum(range(5000000))
if os.fork() == 0:
    import xml.dom.minidom, html
    sum(range(5000000)); os._exit(0)
os.wait(); print("done")'
    fi
fi
full_memory() {
    for run in 1 2 3 4 5; do
        rm -rf r
        cpu_limit 60 "$TP" record -o r --no-tfevents --no-source outside -- env ${1:+LD_PRELOAD=$1} ./full_memory_program "$2" >out 2>err
        status=$?
        [ $status = 5 ] && [ "$(cat out)" = done ] || { echo "run $run: exit code $status"; cat out err; return 1; }
    done
}
if program full_memory_program -ldl; then
    check "a program that uses up its memory" full_memory "" 200
    jemalloc=$(ldconfig -p 2>/dev/null | sed -n 's/.*libjemalloc\.so.* => //p' | head -n 1)
    if [ -n "$jemalloc" ] && LD_PRELOAD=$jemalloc ./full_memory_program 200 >/dev/null 2>&1; [ $? = 5 ]; then
        check "a program with jemalloc that uses up its memory" full_memory "$jemalloc" 200
        check "the same with less memory" full_memory "$jemalloc" 90
    else
        skip "a program with jemalloc that uses up its memory" "no libjemalloc"
    fi
    for name in mimalloc tcmalloc_minimal; do
        allocator=$(ldconfig -p 2>/dev/null | sed -n "s/.*lib$name\.so.* => //p" | head -n 1)
        if [ -n "$allocator" ] && LD_PRELOAD=$allocator ./full_memory_program 200 >/dev/null 2>&1; [ $? = 5 ]; then
            check "a program with $name that uses up its memory" full_memory "$allocator" 200
        else
            skip "a program with $name that uses up its memory" "no lib$name, or it ends the program itself"
        fi
    done
fi

# ---- limits ----

# limited KIB: limits memory. The program must run as without recording, and a message must name the missing parts
limited() {
    rm -rf r
    (ulimit -v "$1" && exec "$TP" record -o r --no-tfevents -- ./plain_work) >out 2>err
    status=$?
    [ $status = 7 ] && [ "$(cat out)" = done ] || { echo "ulimit -v $1: exit code $status"; cat out err; return 1; }
    ls r/*/*.pt.trace.json.gz >/dev/null 2>&1 || grep -q "limited to [0-9]* MiB (ulimit -v)\|out of memory" err || { cat err; return 1; }
}
limits() {
    for kib in 30000 60000 90000 120000 200000 400000 1000000; do
        (ulimit -v $kib && ./plain_work) >/dev/null 2>&1 || [ $? = 7 ] || continue
        limited $kib || return 1
    done
}
check "record under ulimit -v: the program runs as without, and what is not recorded is said" limits

# ---- record is killed ----

# killed OPTIONS...: kills `record`. The trace must have the data up to a second before, and the run must never be
# marked complete
killed() {
    rm -rf r begun
    "$TP" record "$@" -o r --no-tfevents -- sh -c ': >begun; i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; exec sleep 30' >out 2>err &
    pid=$!
    comes $pid test -e begun || { cat err; return 1; }
    sleep 4
    children=$(cat /proc/$pid/task/*/children)
    kill -9 $pid
    wait $pid 2>/dev/null
    for child in $children; do [ "$(cat /proc/"$child"/comm 2>/dev/null)" = tracepress ] || kill -9 "$child"; done
    left=600
    until "$TP" recover r >out 2>err && grep -q 'its recording from outside is complete up to that time' err; do
        left=$((left - 1))
        [ $left -gt 0 ] && ! grep -q 'is lost' err || { cat err; find r; return 1; }
        ! grep -q '"state":"complete"' r/*/run.json || { cat r/*/run.json; return 1; }
        sleep 0.1
    done
    grep -q '"state":"incomplete"' r/*/run.json && [ -z "$(find r -name '.*')" ] || { cat r/*/run.json; find r; return 1; }
    zcat r/*/sh.*.gz >trace.json && grep -q '"thread_state"' trace.json && grep -q '"cpu_sample"' trace.json ||
        { echo "nothing was seen"; find r; return 1; }
    "$TP" report r -o page.html >out 2>err || { cat err; return 1; }
}
killed_early() { # Checks that a message appears if `record` is killed before its first copy.
    rm -rf r
    "$TP" record --outside -o r --no-tfevents -- sleep 60 >out 2>err &
    pid=$!
    is_there() { [ -n "$(find r -name run.json 2>/dev/null)" ] && grep -q . /proc/$pid/task/*/children; }
    comes $pid is_there || return 1
    children=$(cat /proc/$pid/task/*/children)
    kill -9 $pid
    wait $pid 2>/dev/null
    for child in $children; do kill -9 "$child" 2>/dev/null; done
    sleep 1
    "$TP" recover r >out 2>err
    grep -q 'record was killed; its recording from outside is lost' err && ! grep -q '"state":"complete"' r/*/run.json || { cat err r/*/run.json; return 1; }
}
if [ -d events ] && ! grep -q 'recording from outside failed' events.err; then
    check "record --outside is killed: recover has what it saw" killed --outside
    check "record is killed: recover has what it saw from outside, too" killed
    check "record is killed immediately: recover says what is lost" killed_early
else
    skip "record is killed" "the kernel has no events here"
fi
