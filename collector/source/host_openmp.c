/* Records OpenMP through its tools interface (OMPT): parallel regions, the share of each thread, and waits at
 * barriers.
 *
 * LLVM's libomp calls ompt_start_tool when it starts. gcc's libgomp has no such interface, but a program built by gcc
 * also runs with a preloaded libomp (`record --source openmp=libomp.so.5`). A worker learns only at the next region
 * that the previous region has ended. Therefore the writer of the trace cuts the worker's range and its wait at the
 * end of the region. All records of a region contain its number. This file repeats the few declarations that it needs
 * from omp-tools.h. */
#include <stdint.h>
#include <string.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/sources.h"
#include "writer/base/environment.h"

/* ---- OMPT's interface: OpenMP 5.0, chapter 4 ---- */

union ompt_data {
    uint64_t value;
    void *ptr;
};

typedef void (*ompt_callback)(void);
typedef ompt_callback (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_callback callback);

struct ompt_start_tool_result {
    int (*initialize)(ompt_lookup lookup, int device, union ompt_data *tool);
    void (*finalize)(union ompt_data *tool);
    union ompt_data tool;
};

enum { OMPT_PARALLEL_BEGIN = 3, OMPT_PARALLEL_END = 4, OMPT_IMPLICIT_TASK = 7, OMPT_SYNC_REGION_WAIT = 16 };
enum { OMPT_SCOPE_BEGIN = 1, OMPT_SCOPE_END = 2 };
enum { OMPT_TASK_INITIAL = 1 };

/* ---- records ---- */

enum name { PARALLEL, SHARE, BARRIER, TASKWAIT, TASKGROUP, REDUCTION, NAMES };
/* maximum number of regions whose address is known at the same time */
enum { REGIONS = 4096 };

static const char *const texts[NAMES] = {"omp parallel", "omp worker",    "omp barrier",
                                         "omp taskwait", "omp taskgroup", "omp reduction"};
static bool is_on;
static uint32_t numbers[NAMES];
static uint64_t region_count;
/* index: number of a region modulo REGIONS; value: return address of the call that started the region */
static uint64_t places[REGIONS];

static _Thread_local struct {
    uint64_t region; /* number of the region in which this worker takes part; 0: none */
    uint32_t depth;  /* number of open ranges of this source on this thread; an end without a begin is ignored */
} mine __attribute__((tls_model("initial-exec")));

static void begin_range(enum name name, uint64_t region, uint64_t place, int64_t threads)
{
    const struct tp_spool_region payload = {.address = place, .threads = threads, .number = region};
    const uint32_t slots = sizeof payload / TP_SPOOL_SLOT;
    int why = tp_hook_enter_recorder();
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (record) {
        memcpy(record + 1, &payload, sizeof payload);
        tp_record_finish(record, numbers[name], TP_SPOOL_REGION, slots, 0);
        mine.depth++;
    }
    tp_hook_leave_recorder(why);
}

/* Ends the last range of this thread. region: number of the region that has ended for all threads, or 0. */
static void end_range(uint64_t region)
{
    const struct tp_spool_region payload = {.threads = INT64_MIN, .number = region};
    const uint32_t slots = sizeof payload / TP_SPOOL_SLOT;
    if (mine.depth == 0)
        return;
    int why = tp_hook_enter_recorder();
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (record) {
        memcpy(record + 1, &payload, sizeof payload);
        tp_record_finish(record, 0, TP_SPOOL_REGION_END, slots, 0);
    }
    mine.depth--;
    tp_hook_leave_recorder(why);
}

/* Returns the number of a new region. At the first region, lists the loaded shared libraries, because only programs
 * with regions need the list. */
static uint64_t next_region(void)
{
    uint64_t number = __atomic_add_fetch(&region_count, 1, __ATOMIC_RELAXED);
    if (number == 1) {
        int why = tp_hook_enter_recorder();
        tp_session_list_modules();
        tp_hook_leave_recorder(why);
    }
    return number;
}

static void on_parallel_begin(union ompt_data *task, const void *frame, union ompt_data *parallel, unsigned threads,
                              int flags, const void *place)
{
    (void)task, (void)frame, (void)flags;
    if (!tp_hook_is_on(&is_on))
        return;
    parallel->value = next_region();
    __atomic_store_n(&places[parallel->value % REGIONS], (uint64_t)(uintptr_t)place, __ATOMIC_RELAXED);
    begin_range(PARALLEL, parallel->value, (uint64_t)(uintptr_t)place, (int64_t)threads);
}

static void on_parallel_end(union ompt_data *parallel, union ompt_data *task, int flags, const void *place)
{
    (void)task, (void)flags, (void)place;
    if (tp_hook_is_on(&is_on) && parallel->value)
        end_range(parallel->value);
}

/* Begins or ends a worker thread's share of a region. At the end, OpenMP does not pass the region. */
static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task, unsigned threads,
                             unsigned index, int flags)
{
    (void)task;
    if (!tp_hook_is_on(&is_on) || index == 0 || flags & OMPT_TASK_INITIAL)
        return;
    if (endpoint == OMPT_SCOPE_BEGIN && parallel && parallel->value) {
        uint64_t place = __atomic_load_n(&places[parallel->value % REGIONS], __ATOMIC_RELAXED);
        mine.region = parallel->value;
        begin_range(SHARE, mine.region, place, (int64_t)threads);
    } else if (endpoint == OMPT_SCOPE_END && mine.region) {
        mine.region = 0;
        end_range(0);
    }
}

static void on_wait(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task, const void *place)
{
    /* Names of OpenMP's kinds of synchronization; the first kind is 1. Kinds that OpenMP added later are recorded as
     * barriers. */
    static const uint8_t names[] = {BARRIER, BARRIER, BARRIER, BARRIER, BARRIER, TASKWAIT, TASKGROUP, REDUCTION};
    (void)task, (void)place;
    if (!tp_hook_is_on(&is_on))
        return;
    uint64_t region = mine.region ? mine.region : parallel ? parallel->value : 0;
    if (endpoint == OMPT_SCOPE_BEGIN)
        begin_range(kind > 0 && kind < (int)sizeof names ? names[kind] : BARRIER, region, 0, INT64_MIN);
    else if (endpoint == OMPT_SCOPE_END)
        end_range(0);
}

/* ---- the tool ---- */

static int initialize(ompt_lookup lookup, int device, union ompt_data *tool)
{
    (void)device, (void)tool;
    ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
    if (!set)
        return 0;
    set(OMPT_PARALLEL_BEGIN, (ompt_callback)on_parallel_begin);
    set(OMPT_PARALLEL_END, (ompt_callback)on_parallel_end);
    set(OMPT_IMPLICIT_TASK, (ompt_callback)on_implicit_task);
    set(OMPT_SYNC_REGION_WAIT, (ompt_callback)on_wait);
    return 1;
}

static void finalize(union ompt_data *tool)
{
    (void)tool;
}

__attribute__((visibility("default"))) struct ompt_start_tool_result *ompt_start_tool(unsigned version,
                                                                                      const char *runtime);

/* The OpenMP runtime calls this function when it starts, possibly before our constructor runs. */
struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct ompt_start_tool_result result = {initialize, finalize, {0}};
    const char *spools = tp_environment("TRACEPRESS_SPOOLS");
    (void)version, (void)runtime;
    return spools && *spools ? &result : NULL;
}

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host, (void)setting;
    for (int i = 0; i < NAMES; i++)
        numbers[i] = tracepress_intern(texts[i]);
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

const struct tp_source tp_source_openmp = {
    .name = "openmp",
    .what = "OpenMP regions and barriers of libomp; openmp=libomp.so.5 preloads it for programs built by gcc",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
};
