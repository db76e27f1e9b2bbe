# Tests inputs that try to exhaust memory, stack, descriptors or time, and inputs with random damage. The program must
# end with an exit code, never by a signal, and must not hang.
. tests/suites/case.sh
MEASURE=${TOOLS:-$BUILD}/measure
cd "$WORK" || exit 1

# within SECONDS MEGABYTES STATUS.. -- COMMAND: runs the command, which must stay within the time and the memory, and
# exit with one of these codes
within() {
    seconds=$1 megabytes=$2 statuses=
    shift 2
    while [ "$1" != -- ]; do statuses="$statuses $1"; shift; done
    shift
    is_asan && seconds=$((seconds * 6)) && megabytes=$((megabytes * 8 + 400))
    "$MEASURE" -t "$seconds" "$@" >measured 2>stderr
    read -r wall peak cpu status <measured
    case " $statuses " in *" ${status:-none} "*) ;; *) echo "status ${status:-none}, wanted$statuses"; tail -n 3 stderr; return 1 ;; esac
    [ "$((peak / 1024))" -le "$megabytes" ] || { echo "$((peak / 1024)) MB, allowed $megabytes"; return 1; }
    echo "$((wall / 1000)) ms, $((peak / 1024)) MB"
}
repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; } # repeat CHARACTER COUNT: prints the character COUNT times

bomb() {
    repeat ' ' 67108864 | gzip -1 >member.gz
    i=0
    : >bomb.pt.trace.json.gz
    while [ $i -lt 32 ]; do cat member.gz; i=$((i + 1)); done >>bomb.pt.trace.json.gz
    if is_asan; then
        within 60 64 3 5 -- "$TP" report bomb.pt.trace.json.gz --quiet
    else
        (ulimit -v 262144 && within 60 64 3 5 -- "$TP" report bomb.pt.trace.json.gz --quiet)
    fi
}
limited() {
    [ -f bomb.pt.trace.json.gz ] || repeat ' ' 67108864 | gzip -1 >bomb.pt.trace.json.gz
    within 20 64 5 -- "$TP" report bomb.pt.trace.json.gz --max-input 10M
}
long_string() { # Reads a string of 4 GB from a pipe.
    printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"ok","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","cat":"cpu_op","name":"' >head
    within 60 200 0 -- sh -c '{ cat head; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | tr -d "\n" | head -c '"$1"'
        printf "%s" "\",\"ts\":2,\"dur\":1}]}"; } | "$0" report - -o long.html --quiet' "$TP"
}
nested() {
    repeat '[' 10000000 >nested.json
    within 20 64 3 -- "$TP" report nested.json --quiet || return 1
    { printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":{"x":'
        repeat '[' 10000000; repeat ']' 10000000
        printf '}},{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":2,"dur":1}]}'; } >nested.json
    within 20 128 0 -- "$TP" report nested.json -o nested.html --quiet
}
# shape NAME COUNT AWK: makes a trace of COUNT events; AWK is an expression over i that prints each of them
shape() {
    awk -v n="$2" "function event(cat, name, tid, ts, dur, args) {
            printf \"%s{\\\"ph\\\":\\\"X\\\",\\\"cat\\\":\\\"%s\\\",\\\"name\\\":\\\"%s\\\",\\\"pid\\\":1,\\\"tid\\\":%s,\\\"ts\\\":%.3f,\\\"dur\\\":%.3f,\\\"args\\\":{%s}}\",
                sep, cat, name, tid, ts, dur, args; sep = \",\n\" }
        function counter(device, name, ts, value) {
            printf \"%s{\\\"ph\\\":\\\"C\\\",\\\"name\\\":\\\"%s\\\",\\\"pid\\\":\\\"GPU %d Counters\\\",\\\"ts\\\":%.3f,\\\"args\\\":{\\\"\\\":%s}}\",
                sep, name, device, ts, value; sep = \",\n\" }
        function counters(device, ts, value) {
            counter(device, \"Power (W)\", ts, value); counter(device, \"SM Clock (MHz)\", ts, value)
            counter(device, \"Temperature (C)\", ts, value) }
        BEGIN { print \"{\\\"traceEvents\\\":[\"; for (i = 0; i < n; i++) { $3 } print \"]}\" }" >"$1.json"
    within 20 600 0 -- "$TP" report "$1.json" -o "$1.html" --json "$1.out.json" --markdown "$1.md" --quiet && "${TOOLS:-$BUILD}/json_check" valid "$1.out.json"
}
ranks() {
    mkdir -p ranks
    "${TOOLS:-$BUILD}/gen_trace" --events 60 --layers 1 --ranks 8 -o one.json.gz
    i=0
    while [ $i -lt "$1" ]; do ln one.json.gz "ranks/worker$i.1700000000$i.pt.trace.json.gz"; i=$((i + 1)); done
    (ulimit -n 64 && within 150 256 0 -- "$TP" report ranks -o ranks.html --quiet)
}
damaged() { # damaged FILE SEEDS: makes a random damage of the file with each of these seeds
    seed=1
    case $1 in *.gz) gzip -dc "$1" >whole.json ;; *) cp "$1" whole.json ;; esac
    while [ "$seed" -le "$2" ]; do
        "${TOOLS:-$BUILD}/mutate" "$seed" <whole.json >damaged.json
        cpu_limit 60 "$TP" report damaged.json -o damaged.html --json damaged.out.json --quiet >/dev/null 2>stderr
        status=$?
        case $status in
        0) "${TOOLS:-$BUILD}/json_check" valid damaged.out.json || { echo "seed $seed: JSON is not valid"; return 1; } ;;
        3) ;;
        *) echo "seed $seed: status $status"; tail -n 12 stderr; return 1 ;;
        esac
        seed=$((seed + 1))
    done
}

many=60000
is_asan && many=6000
check "gzip bomb of 2 GiB under a memory limit" bomb
check "--max-input stops with exit 5" limited
bytes=$(draws 4400000000 2200000000) # more than 2^32, or more than 2^31
is_asan && bytes=100000000
check "a string of $bytes bytes through stdin" long_string "$bytes"
check "10^7 nested arrays" nested
check "$many operators nested in each other" shape deep $many 'event("cpu_op", "f" i % 7, 1, i, 2 * n - 2 * i, "\"External id\":" i)'
check "$many operators with the same times" shape same $many 'event("cpu_op", "f" i % 7, 1, 5, 5, "")'
check "$many operators that overlap crosswise" shape cross $many 'event("cpu_op", "f" i % 7, 1, i, n, "")'
check "$many threads" shape threads $many 'event("cpu_op", "f", i, i, 5, "")'
check "$many streams" shape streams $many 'event("kernel", "k", i, i, 5, "\"device\":0,\"stream\":" i ",\"correlation\":" i)'
check "$many kernels on 3000 devices" shape devices $many 'event("kernel", "k", 7, i, 5, "\"device\":" i % 3000 ",\"stream\":7,\"correlation\":" i)'
check "$many kernels of one correlation" shape correlation $many 'event(i % 2 ? "kernel" : "cuda_runtime", "cudaLaunchKernel", i % 2 ? 7 : 1, i, 0.5, "\"device\":0,\"stream\":7,\"correlation\":3")'
check "$many steps" shape steps $many 'event("user_annotation", "ProfilerStep#" i, 1, 10 * i, 9, ""); event("kernel", "k", 7, 10 * i, 4, "\"device\":0,\"stream\":7,\"correlation\":" i)'
check "$many nested steps" shape overlapping_steps $many 'event("user_annotation", "ProfilerStep#" i, 1, i, 2 * (n - i), ""); if (i % 3 == 0) event("kernel", "k", 7, 3 * i, 4, "\"device\":0,\"stream\":7,\"correlation\":" i)'
check "$many distinct names" shape names $many 'event("cpu_op", "operator number " i, 1, 10 * i, 9, "\"Input Dims\":[[" i "]]")'
check "$many nested frames with kernels" shape frames $many 'event("python_function", "train.py(" i "): f", 1, i, 2 * n - 2 * i, "\"Python id\":" i); event("cuda_runtime", "cudaLaunchKernel", 1, i + 0.1, 0.2, "\"correlation\":" i); event("kernel", "k", 7, 3 * n + i, 0.5, "\"device\":0,\"stream\":7,\"correlation\":" i)'
check "$many nested modules" shape modules $many 'event("python_function", "nn.Module: M_" i, 1, i, 2 * n - 2 * i, "\"Python id\":" i ",\"Python module id\":" i)'
few_steps='if (i < 20) { event("user_annotation", "ProfilerStep#" i, 1, i * n / 20, n / 20, ""); event("kernel", "k", 7, i * n / 20, n / 30, "\"device\":" i ",\"stream\":7") }'
check "counters of $many devices" shape counted_devices $many "$few_steps; counters(i % (n / 2), (i * 7919) % n, i % 700)"
check "$many names of counters" shape counter_names $many "$few_steps; counter(0, \"Power (W) \" i, i, 300); counter(1, \"SM Clock (MHz)\" i, i, 300)"
check "$many unsorted samples, negative and no numbers" shape samples $many "$few_steps; counters(i % 3, (i * 7919) % n, i % 5 ? 600 - i % 1000 : i % 2 ? \"NaN\" : \"1e999\")"
check "counters of 500 devices in $many steps" shape counted_steps $many "
    event(\"user_annotation\", \"ProfilerStep#\" i, 1, 10 * i, 9, \"\"); event(\"kernel\", \"k\", 7, 10 * i, 4, \"\\\"device\\\":0,\\\"stream\\\":7\"); counters(i % 500, 10 * i, i % 700)"
check "counters in $many steps" shape counted_steps $many "
    event(\"user_annotation\", \"ProfilerStep#\" i, 1, 10 * i, 9, \"\"); event(\"kernel\", \"k\", 7, 10 * i, 4, \"\\\"device\\\":0,\\\"stream\\\":7\"); counters(0, 10 * i, i % 700)"
check "$many collectives" shape collectives $many 'event("user_annotation", "nccl:all_reduce", 1, 10 * i, 9, ""); event("cpu_op", "record_param_comms", 1, 10 * i + 1, 5, "\"Collective name\":\"allreduce\",\"In msg nelems\":5,\"dtype\":\"Float\"")'
check "$many memory records of one address" shape memory $many 'event("cpu_instant_event", "[memory]", 1, i, 0, "\"Device Type\":1,\"Device Id\":" i % 300 ",\"Addr\":77,\"Bytes\":" (i % 2 ? -8 : 8) ",\"Total Allocated\":" i)'
check "$many gaps and waits" shape waits $many 'event("cuda_runtime", "cudaStreamSynchronize", 1, 10 * i, 8, "\"correlation\":" i); event("kernel", "k", 7, 10 * i + 1, 5, "\"device\":0,\"stream\":7,\"correlation\":" (i * 7919) % n); event("cuda_runtime", "cudaLaunchKernel", 2, 10 * i, 1, "\"correlation\":" (i * 7919) % n)'
check "$many operators at the edge of time" shape edge $many 'event("cpu_op", "f", 1, (i % 2 ? -1 : 1) * 2305843009213000 + i, 2305843009213000, "\"External id\":-9223372036854775808,\"Sequence number\":9223372036854775807")'
files=$(draws 5000 1000)
is_asan && files=200
check "$files rank files with 64 descriptors" ranks "$files"
rounds=$(is_asan && draws 60 40 || draws 300 120)
for trace in gpu_2024 gpu_graphs torch_2.13_mlp_train.full torch_2.13_unfinished.plain; do
    check "$rounds random damages of $trace" damaged "$DATA/traces/$trace.pt.trace.json.gz" "$rounds"
done

# ---- control sequences of CI logs and terminals ----

obeyed() { # obeyed FILE...: fails if a log viewer or a terminal would interpret a line of a file as a command
    python3 - "$@" <<'END'
import re, sys
bad = []
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8", "replace")
    bad += [name + ": " + repr(line) for line in re.split(r"[\n\r]", text)
            if re.match(r"\s*::[A-Za-z]", line) or re.search(r"##[A-Za-z]*\[", line) or
            re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", line)]
sys.exit("\n".join(["obeyed:"] + bad) if bad else 0)
END
}
make_commands() { # Makes two traces for a comparison, in which every name is a command for a terminal or a log viewer.
    python3 - <<'END'
import json
names = ["::error file=a.py,line=1::boom", "##[error]boom", "##vso[task.setvariable variable=x]y", "##teamcity[buildStatus text='x']",
         "\x1b[31m\x1b]0;t\x07red", "a\n::set-output name=x::y", "\u202eevil\u2066", "b\r\n##[group]x", "\u00a0::warning::x",
         "=1+1\n=cmd|' /C calc'!A0", "c\t=2", "\u200e\u061cmark", "\u009b31m"]
def trace(scale):
    events, now, number = [], 0, 0
    for step in range(6):
        start = now
        for i, name in enumerate(names):
            number += 1
            stack = {"Call stack": name + "(1): " + name} if i % 2 else {}
            events.append(dict(ph="X", cat="cpu_op", name=name, pid=1, tid=1, ts=now, dur=40,
                               args=dict({"External id": number, "Input Dims": [[4, 4]], "Input type": [name]}, **stack)))
            events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=now + 5, dur=3,
                               args={"correlation": number, "External id": number}))
            events.append(dict(ph="X", cat="kernel", name=name, pid=0, tid=7, ts=now + 20, dur=15 * scale, args={"correlation": number,
                               "External id": number, "device": 0, "stream": 7}))
            events.append(dict(ph="X", cat="python_function", name=name + "(3): " + name, pid=1, tid=1, ts=now, dur=45,
                               args={"Python id": number}))
            now += 60 * scale
        events.append(dict(ph="X", cat="user_annotation", name="ProfilerStep#%d" % step, pid=1, tid=1, ts=start, dur=now - start))
    return {"traceEvents": events}
json.dump(trace(1), open("base.json", "w"))
json.dump(trace(3), open("::error x::y.json", "w"))
json.dump(trace(3), open("\n##vso[a]\u202e.json", "w"))
END
}
commands() {
    make_commands || return 1
    bidi=$(printf '\n##vso[a]\342\200\256.json')
    for file in '::error x::y.json' "$bidi"; do
        number=0
        for words in "report -o o.html --markdown -" "table" "table --format md" "table --format csv" "table --group-by stack,input-shape" \
            "table --group-by function" "table --group-by function --format csv" "table --group-by function --format md" \
            "table --group-by module" "check -o - --baseline base.json" "check --markdown - --baseline base.json" \
            "diff --markdown - --exit-zero base.json" "diff --exit-zero base.json" "summarize -o o.tps" "merge -o o.tps" \
            "table --top -1" "table --top -1 --format md" "whatif" "whatif --json -" "recover" "report none -o o.html" "export --to none"; do
            # shellcheck disable=SC2086
            set -- $words
            command=$1
            shift
            "$TP" "$command" "$@" "./$file" base.json >out 2>err
            [ $? -lt 7 ] || { echo "$words: a signal"; return 1; }
            [ "$command" = diff ] && "$TP" "$command" "$@" "./$file" >out 2>err
            number=$((number + 1))
            mv out "said.$number.$command.out" && mv err "said.$number.$command.err"
        done
        rm -rf f && "$TP" export "$file" --to folded --metric cpu -o f -q && "$TP" export "$file" --to folded --metric device -o f2 -q || return 1
        for folded in f/* f2/*; do # files of folded stacks are for other tools, so they keep the names unchanged
            sed "s/##*/#/g" "$folded" >"said.$(basename "$folded").folded"
        done
        [ "$(ls said.* | wc -l)" -ge 40 ] && obeyed said.* || return 1
        rm -f said.*
    done
}
if command -v python3 >/dev/null; then
    check "no name is a command to the log of a CI service, nor to a terminal" commands
else
    skip "no name is a command to the log of a CI service, nor to a terminal" "no python3"
fi
