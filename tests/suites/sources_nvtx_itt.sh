# Tests NVTX and ITT. The trace must have the calls of programs, by count and by name. Uses programs of this project
# that implement the two protocols, and real packages if they are installed.
#
# Real packages: NVTX_PYTHON (or build/nvtx/bin/python, with `pip install nvtx ittapi`), TORCH_PYTHON (or
# build/torch/bin/python), NVIDIA's headers in $CUDA_HOME or /usr/local/cuda, LLVM's OpenMP with clang.
. tests/suites/case.sh
HERE=$PWD
nvtx_python=${NVTX_PYTHON:-$PWD/build/nvtx/bin/python}
torch_python=${TORCH_PYTHON:-$PWD/build/torch/bin/python}
rules=$PWD/tests/check/perfetto_rules.py
cd "$WORK" || exit 1
unset NVTX_INJECTION64_PATH INTEL_LIBITTNOTIFY64 INTEL_ITTNOTIFY_GROUPS

# into FOLDER PROGRAM...: records the program into FOLDER, without samples of its stacks
into() {
    folder=$1
    shift
    rm -rf "$folder"
    "$TP" record -o "$folder" --no-tfevents --no-source sample,outside -- "$@" >out 2>err
}
# counted FOLDER PHASE NAME COUNT: checks that all traces together have COUNT events of this name
counted() {
    found=$(zcat "$1"/*/*.gz | grep -c "{\"ph\":\"$2\".*\"name\":\"$3\"")
    [ "$found" = "$4" ] || { echo "$found events of $3, not $4"; zcat "$1"/*/*.gz | grep "\"$3\"" | head -n 5; cat err; return 1; }
}
traces() { [ "$(ls "$1"/*/*.gz | wc -l)" = "$2" ] || { find "$1"; cat err; return 1; }; }
# nested FOLDER: checks that ranges of a row do not overlap partially
nested() { ! command -v python3 >/dev/null || python3 "$rules" "$1"/*/*.gz; }
unfinished() { zcat "$1"/*/*.gz | grep -c '"finished":false'; }

calls() {
    into d "$TOOLS/nvtx_program" calls 50 && traces d 1 && nested d || return 1
    counted d X outer 50 && counted d X inner 50 && counted d i mark 50 && counted d X elsewhere 50 || return 1
    [ "$(unfinished d)" = 0 ] && "$TP" report d/*/*.gz -o d/report.html --strict --quiet
}
check "NVTX: ranges, marks, and ranges that end on other threads" calls
threads() {
    into d "$TOOLS/nvtx_program" threads 2000 && traces d 1 && nested d || return 1
    counted d X work 8000 && counted d X overlapping 8000 && counted d X thread 4 && [ "$(unfinished d)" = 0 ]
}
check "NVTX: 4 simultaneous threads lose nothing" threads
cross() {
    into d "$TOOLS/nvtx_program" cross 1000 && nested d && counted d X crossing 2000 || return 1
    [ "$(zcat d/*/*.gz | grep -c '"crossing".*"domain":"one","category":3,"payload":4,"color":"#FF00FF00"')" = 1000 ]
}
check "NVTX: ranges of two domains that cross have rows of their own" cross
forks() {
    into d "$TOOLS/nvtx_program" fork 10 && traces d 2 && nested d || return 1
    counted d X outer 20 && counted d X 'around the fork' 1 && [ "$(unfinished d)" = 0 ]
}
check "NVTX: parent and child of fork have a trace each" forks
killed() {
    into d "$TOOLS/nvtx_program" kill 1000
    [ $? = 137 ] && counted d X ended 1000 && counted d X open 1 && counted d X started 1 && [ "$(unfinished d)" = 2 ]
}
check "NVTX: killed, the ranges are there, and the open ones say so" killed
execs() {
    into d "$TOOLS/nvtx_program" exec 20 && traces d 2 && counted d X outer 40
}
check "NVTX: a program that becomes another has both traces" execs
tools() {
    into d "$TOOLS/nvtx_program" bound && [ "$(cat out)" = "1 $TOOLS/libtracepress-preload.so" ] || { cat out; return 1; }
    "$TP" record -o d --no-tfevents --no-source nvtx,sample,outside -- "$TOOLS/nvtx_program" bound >out 2>err
    [ "$(cat out)" = "0 " ] || { cat out; return 1; }
    NVTX_INJECTION64_PATH=/nowhere.so into d "$TOOLS/nvtx_program" bound
    [ "$(cat out)" = "0 /nowhere.so" ] || { cat out; return 1; }
    INTEL_LIBITTNOTIFY64=/nowhere.so into d "$TOOLS/itt_program" bound
    [ "$(cat out)" = "0 /nowhere.so" ] || { cat out; return 1; }
    INTEL_LIBITTNOTIFY64=/nowhere.so "$TP" record --list-sources -- "$TOOLS/itt_program" bound | grep -q 'another tool'
}
check "variables: ours by default, none without the source, and never another tool's" tools
early() {
    LD_PRELOAD=$TOOLS/early.so into d "$TOOLS/nvtx_program" bound && counted d X 'early work' 1
}
if is_checked; then
    skip "NVTX: a library that was quicker with its constructor" "sanitizers want to be loaded first"
else
    check "NVTX: a library that was quicker with its constructor" early
fi

tasks() {
    into d "$TOOLS/itt_program" calls 100 && traces d 1 && nested d || return 1
    counted d X outer 200 && counted d X inner 200 && counted d X work 100 && counted d C 'work: items' 100 || return 1
    [ "$(zcat d/*/*.gz | grep -c '"outer".*"number":')" = 100 ] && zcat d/*/*.gz | grep -q 'thread [0-9]* (worker)'
}
check "ITT: tasks, facts, frames, counters, and tasks that overlap" tasks

# Checks that kernels of the emulated CUDA library (tests/fake/cuda) belong to the ranges in which they were launched.
cat >kernels.c <<'EOF2'
#include "tests/fake/cuda/fake.h"
#include "tests/fake/nvtx_part.h"
static const struct fake_kernel kernel = {"tiny", 200, 16, 0};
int main(void)
{
    nvtx_load();
    void *domain = nvtxDomainCreateA("train");
    struct nvtx_attributes a = {.version = 3, .size = sizeof a, .message_type = 1, .message.ascii = "forward"};
    for (int i = 0; i < 30; i++) {
        nvtxDomainRangePushEx(domain, &a);
        cudaLaunchKernel(&kernel, (struct fake_dim3){4, 1, 1}, (struct fake_dim3){128, 1, 1}, NULL, 0, NULL);
        nvtxDomainRangePop(domain);
    }
    return cudaDeviceSynchronize();
}
EOF2
kernels() {
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -I"$HERE" -o kernels kernels.c "$TOOLS/fake_cuda/libcudart.so.13" -ldl \
        -Wl,-rpath,"$TOOLS/fake_cuda" -Wl,--disable-new-dtags -Wl,-rpath-link,"$TOOLS/fake_cuda" || return 1
    TRACEPRESS_CUPTI=$TOOLS/fake_cuda/libcupti.so.13 into d ./kernels && nested d || return 1
    # the name has 60 ranges: 30 on the thread and 30 on the stream
    counted d X forward 60 && counted d X tiny 30 || return 1
    [ "$(zcat d/*/*.gz | grep -c '"cat":"gpu_user_annotation","name":"forward"')" = 30 ]
}
check "NVTX: kernels belong to the ranges that launched them" kernels

# ---- real packages ----

cat >app.c <<'EOF2'
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(void)
{
    nvtxDomainHandle_t d = nvtxDomainCreateA("real");
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.category = 5, a.colorType = NVTX_COLOR_ARGB, a.color = 0xff00ff00;
    a.payloadType = NVTX_PAYLOAD_TYPE_FLOAT, a.payload.fValue = 2.5f;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED, a.message.registered = nvtxDomainRegisterStringA(d, "registered");
    nvtxDomainNameCategoryA(d, 5, "io");
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "main one");
    if (nvtxRangePushA("outer") != 0 || nvtxDomainRangePushEx(d, &a) != 0 || nvtxRangePushW(L"wide") != 1)
        return 1;
    nvtxDomainMarkEx(d, &a);
    if (nvtxRangePop() != 1 || nvtxDomainRangePop(d) != 0 || nvtxRangePop() != 0)
        return 2;
    nvtxRangeEnd(nvtxRangeStartA("started"));
    nvtxDomainRangeEnd(d, nvtxDomainRangeStartEx(d, &a));
    nvtxDomainDestroy(d);
    return 0;
}
EOF2
cuda=${CUDA_HOME:-/usr/local/cuda}/include
real_headers() {
    into d ./app && nested d && counted d X outer 1 && counted d X wide 1 && counted d X started 1 || return 1
    counted d X registered 2 && counted d i registered 1 && zcat d/*/*.gz | grep -q '(main one)' || return 1
    [ "$(zcat d/*/*.gz | grep -c '"domain":"real","category":"io","payload":2.5,"color":"#FF00FF00"')" = 3 ]
}
if [ -e "$cuda/nvtx3/nvToolsExt.h" ] && ${CC:-cc} -I"$cuda" -o app app.c -ldl 2>/dev/null; then
    check "NVIDIA's own headers" real_headers
else
    skip "NVIDIA's own headers" "no nvtx3/nvToolsExt.h in $cuda"
fi
cat >payload.c <<'EOF2'
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <stddef.h>
struct batch { int size; double loss; const char *name; };
int main(void)
{
    nvtxDomainHandle_t d = nvtxDomainCreateA("real");
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "size", NULL, 0, offsetof(struct batch, size), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "loss", NULL, 0, offsetof(struct batch, loss), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name", NULL, 0, offsetof(struct batch, name), NULL, NULL}};
    nvtxPayloadSchemaAttr_t schema = {0};
    schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries, schema.numEntries = 3, schema.payloadStaticSize = sizeof(struct batch);
    uint64_t number = nvtxPayloadSchemaRegister(d, &schema);
    nvtxCounterAttr_t counter = {0};
    counter.structSize = sizeof counter, counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, counter.name = "waiting";
    uint64_t waiting = nvtxCounterRegister(d, &counter);
    for (int i = 0; i < 20; i++) {
        struct batch batch = {i, i + 0.5, "images"};
        nvtxEventAttributes_t a = {0};
        nvtxPayloadData_t payload;
        a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        a.messageType = NVTX_MESSAGE_TYPE_ASCII, a.message.ascii = "batch";
        payload.schemaId = number, payload.size = sizeof batch, payload.payload = &batch;
        a.payloadType = NVTX_PAYLOAD_TYPE_EXT, a.payload.ullValue = (uintptr_t)&payload, a.reserved0 = 1;
        nvtxDomainRangePushEx(d, &a);
        nvtxCounterSampleInt64(d, waiting, 100 - i);
        nvtxDomainRangePop(d);
    }
    return number == 0 || waiting == 0 || !nvtxDomainIsEnabled(d);
}
EOF2
payloads() {
    into d ./payload && nested d && counted d X batch 20 || return 1
    zcat d/*/*.gz | grep -q '"domain":"real","size":19,"loss":19.5,"name":"images"' &&
        [ "$(zcat d/*/*.gz | grep -c '"ph":"C","name":"waiting"')" = 20 ]
}
if [ -e "$cuda/nvtx3/nvToolsExtCounters.h" ] && ${CC:-cc} -I"$cuda" -o payload payload.c -ldl; then
    check "NVIDIA's own headers: payloads by schema, counters" payloads
else
    skip "NVIDIA's own headers: payloads by schema, counters" "no nvtx3/nvToolsExtCounters.h in $cuda"
fi

cat >package.py <<'EOF2'
import nvtx, threading
@nvtx.annotate("decorated", color="purple", domain="of python", category="kind", payload=3)
def call(): pass
for i in range(20): call()
with nvtx.annotate("context \u00e4"): pass
nvtx.end_range(nvtx.start_range("started"))
nvtx.mark("mark")
nvtx.push_range("pushed", payload=1.5); nvtx.pop_range()
thread = threading.Thread(target=call); thread.start(); thread.join()
EOF2
echo 'def leaf(x): return x + 1
def tree(n): return sum(leaf(i) for i in range(n))
tree(30)' >plain.py
package() {
    into d "$nvtx_python" package.py && nested d && counted d X decorated 21 && counted d X 'context ä' 1 || return 1
    counted d X started 1 && counted d X pushed 1 && counted d i mark 1 || return 1
    [ "$(zcat d/*/*.gz | grep -c '"domain":"of python","category":"kind","payload":3,"color":"#00800080"')" = 21 ]
}
module() { into d "$nvtx_python" -m nvtx plain.py && nested d && counted d X 'plain.py:1(leaf)' 30 && counted d X 'plain.py:2(tree)' 1; }
if "$nvtx_python" -c 'import nvtx' 2>/dev/null; then
    check "the Python package nvtx" package
    check "python -m nvtx: each function of a script" module
else
    skip "the Python package nvtx" "no Python with it: set NVTX_PYTHON"
fi

cat >intel.py <<'EOF2'
import ittapi
for i in range(20):
    with ittapi.task("task", domain="of python"):
        with ittapi.task("inner"): pass
event = ittapi.event("event")
event.begin(); event.end()
with ittapi.overlapped_task("overlapped"): pass
EOF2
intel() {
    into d "$nvtx_python" intel.py && nested d && counted d X task 20 && counted d X inner 20 || return 1
    counted d X event 1 && counted d X overlapped 1
}
if "$nvtx_python" -c 'import ittapi' 2>/dev/null; then
    check "the Python package ittapi" intel
else
    skip "the Python package ittapi" "no Python with it: set NVTX_PYTHON"
fi

cat >loop.c <<'EOF2'
int main(void)
{
    double sum = 0;
    for (int k = 0; k < 20; k++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 1000; i++)
            sum += i;
    }
    return sum != 20 * 499500.0;
}
EOF2
openmp() {
    OMP_NUM_THREADS=2 into d ./loop && nested d || { cat err; return 1; }
    found=$(zcat d/*/*.gz | grep -c '"ph":"X".*"name":"main$omp$parallel:2@')
    [ "$found" = 20 ] || { echo "$found parallel regions"; return 1; }
}
if clang -g -fopenmp -o loop loop.c 2>/dev/null && strings -a "$(ldd loop | sed -n 's/.*libomp[^ ]* => \([^ ]*\) .*/\1/p')" 2>/dev/null | grep -q INTEL_LIBITTNOTIFY64; then
    check "LLVM's OpenMP: a frame for each parallel region" openmp
else
    skip "LLVM's OpenMP: a frame for each parallel region" "no clang with an OpenMP that talks ITT"
fi

# Records the same loop with emit_itt under `record`, and with torch.profiler. The counts of operators must be equal.
cat >torch_loop.py <<'EOF2'
import collections, gzip, json, sys, torch
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
def steps():
    for _ in range(5):
        with torch.profiler.record_function("step"):
            model(torch.ones(4, 8)).sum().backward()
if len(sys.argv) == 1:
    with torch.autograd.profiler.emit_itt():
        steps()
    sys.exit()
with torch.profiler.profile() as profile:
    steps()
profile.export_chrome_trace("own.json")
wanted = collections.Counter(e["name"] for e in json.load(open("own.json"))["traceEvents"]
                             if e.get("cat") in ("cpu_op", "user_annotation"))
events = [e for path in sys.argv[1:] for e in json.load(gzip.open(path))["traceEvents"]]
found = collections.Counter(e["name"] for e in events if e.get("args", {}).get("domain") == "PyTorch")
print(len(wanted), sum(wanted.values()), wanted - found, found - wanted)
sys.exit(len(wanted) < 10 or wanted != found)
EOF2
emit() {
    rm -rf d
    "$TP" record -o d --no-tfevents --no-source torch,sample,outside -- "$torch_python" torch_loop.py >out 2>err || { cat err; return 1; }
    nested d && "$torch_python" torch_loop.py d/*/*.gz 2>err
}
cat >torch_nvtx.py <<'EOF2'
import torch
if torch.version.cuda is None:
    for call in (lambda: torch.cuda.nvtx.range_push("x"), lambda: torch.autograd.profiler.emit_nvtx().__enter__()):
        try:
            call()
        except (RuntimeError, AssertionError):
            continue
        raise SystemExit("this build has NVTX after all: the test wants to see its ranges")
EOF2
if "$torch_python" -c 'import torch' 2>/dev/null; then
    check "PyTorch's emit_itt: as many operators of each name as torch.profiler counts" emit
    check "PyTorch without CUDA refuses NVTX as it does unrecorded" into d "$torch_python" torch_nvtx.py
else
    skip "PyTorch's emit_itt: as many operators of each name as torch.profiler counts" "no Python with torch: set TORCH_PYTHON"
fi
