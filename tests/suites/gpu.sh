# Records an unmodified CUDA program on a real GPU with `tracepress record`. The trace must have as many kernels, copies
# and sets as the program launched, and the times that CUDA events measured. Without a GPU the suite is skipped with a
# message.
. tests/suites/case.sh
cd "$WORK" || exit 1
KERNELS=200

same() { [ "$2" = "$3" ] || { echo "$1: $2, not $3"; return 1; }; }
of() { awk -v k="$1" '$1 == k { print $2 }' did; }
events() { grep -c "\"cat\":\"$1\"" trace.json || :; }

# recorded PROGRAM: records the program and stores its trace as trace.json
recorded() {
    rm -rf run trace.json
    "$TP" record --no-source outside -o run --no-tfevents -- "$1" $KERNELS >did 2>err || { cat err; return 1; }
    gunzip -c run/*/*.gz >trace.json || { cat err; return 1; }
    [ "$(grep -c 'GPU activity is not recorded' err)" = 0 ] || { cat err; return 1; }
}
counted() {
    recorded "$1" || return 1
    for category in kernel gpu_memcpy gpu_memset; do
        same "$category" "$(events $category)" "$(of $category)" || return 1
    done
    ! grep -q '"tracepress_gpu' trace.json || { grep '"tracepress_gpu' trace.json; return 1; }
    "$TP" report run -o report.html --strict --json report.json --quiet || return 1
    grep -q '"device_events_without_launch": *0' report.json || { grep device_events report.json; return 1; }
}
# timed: checks the kernels between two events. They run without gaps, so their durations add up to the time between the
# events
timed() {
    recorded "$1" || return 1
    grep '"cat":"kernel"' trace.json | sed 's/.*"ts":\([0-9.]*\),"dur":\([0-9.]*\).*/\1 \2/' | sort -n |
        head -n $KERNELS | awk -v events="$(of event_us)" '
        NR > 1 { sum += $2; if (NR > 2 && $1 < end - 0.01) early++; end = $1 + $2 }
        END { printf "%.0f us of kernels, %.0f us by events, %d began too early\n", sum, events, early
              exit !(sum > 0.85 * events && sum < 1.02 * events && early == 0) }'
}
all_of() { # all_of NAME PROGRAM: runs all cases for the program
    "$2" 1 >did 2>err
    case $? in
    0) ;;
    77) skip "$1" "no GPU here"; return ;;
    *) not_ok "$1: runs by itself" "$(cat err)"; return ;;
    esac
    check "$1: every kernel, copy and set, each with its launch" counted "$2"
    check "$1: kernels take the time that CUDA events measured" timed "$2"
}

if is_asan; then
    skip "a CUDA program on a GPU" "sanitizers come first in LD_PRELOAD"
    exit 0
fi
all_of "driver, PTX" "$BUILD/gpu_program"
if ! command -v nvcc >/dev/null; then
    skip "runtime, nvcc" "no nvcc here"
elif nvcc -o runtime_program "$OLDPWD/tests/gpu/runtime_program.cu" 2>err; then
    all_of "runtime, nvcc" ./runtime_program
    nvcc --cudart shared -o shared_program "$OLDPWD/tests/gpu/runtime_program.cu" 2>err && all_of "shared runtime, nvcc" ./shared_program
else
    skip "runtime, nvcc" "nvcc does not work here: $(head -n 1 err)"
fi
