/* Records each function call of programs built with -finstrument-functions, by the address of the function.
 *
 * Names are looked up when the trace is written (writer/spool/symbols.c), so that a call costs only two records of 16
 * bytes. The session notes which modules are loaded. The number of recorded calls is limited, because a program may
 * call functions without end. After `functions=COUNT` calls (default 20 million), further calls are only counted. The
 * ends of open calls are still recorded. */
#include <stdint.h>
#include <stdio.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/sources.h"

/* MOST_CALLS: maximum number of recorded calls of a process. FIRST_SHARE, LARGEST_SHARE: minimum and maximum number of
 * calls that a thread reserves at a time. */
enum { MOST_CALLS = 20000000, FIRST_SHARE = 64, LARGEST_SHARE = 65536 };

static bool is_on, was_called;
static int64_t calls_left; /* number of calls that no thread has reserved yet */
static uint64_t dropped_call_count;

static _Thread_local struct {
    uint32_t left; /* number of reserved calls that this thread has not used yet */
    /* size of the last reservation, calls; the next one is twice as large, so that many short threads reserve little */
    uint32_t share;
    uint32_t left_out; /* number of open calls of this thread that were not recorded */
} mine __attribute__((tls_model("initial-exec")));

static void put_call_record(const void *function, uint8_t kind)
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct tp_spool_record *record = tp_record_reserve_slots(0);
    if (record)
        tp_record_finish(record, (uint32_t)address, kind, 0, (uint32_t)(address >> 32 & UINT16_MAX));
}

/* Reserves more calls for this thread. Returns false if no calls are left. */
static __attribute__((noinline)) bool reserve_calls(void)
{
    /* lists the loaded shared libraries at the first call, because only programs with such calls need the list */
    if (!__atomic_exchange_n(&was_called, true, __ATOMIC_RELAXED)) {
        int why = tp_hook_enter_recorder();
        tp_session_list_modules();
        tp_hook_leave_recorder(why);
    }
    mine.share = mine.share == 0 ? FIRST_SHARE : mine.share < LARGEST_SHARE ? mine.share * 2 : LARGEST_SHARE;
    if (__atomic_load_n(&calls_left, __ATOMIC_RELAXED) > 0 &&
        __atomic_fetch_sub(&calls_left, mine.share, __ATOMIC_RELAXED) > 0) {
        mine.left = mine.share;
        return true;
    }
    mine.left_out++;
    __atomic_add_fetch(&dropped_call_count, 1, __ATOMIC_RELAXED);
    return false;
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (!tp_hook_is_on(&is_on) || (__builtin_expect(mine.left == 0, 0) && !reserve_calls()))
        return;
    mine.left--;
    put_call_record(function, TP_SPOOL_FUNCTION);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    if (!tp_hook_is_on(&is_on))
        return;
    if (__builtin_expect(mine.left_out > 0, 0))
        mine.left_out--;
    else
        put_call_record(function, TP_SPOOL_FUNCTION_END);
}

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    calls_left = (int64_t)tp_hook_read_setting(setting, false, MOST_CALLS);
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

static void stop_source(void)
{
    char count[32];
    uint64_t left_out = __atomic_load_n(&dropped_call_count, __ATOMIC_RELAXED);
    int why = tp_hook_enter_recorder();
    snprintf(count, sizeof count, "%llu", (unsigned long long)left_out);
    if (left_out) {
        tracepress_metadata_json("functions_left_out", count);
        tp_session_print_message(
            TP_SEVERITY_DETAIL,
            "the program calls more functions than the maximum; use --source functions=COUNT to record more", count);
    }
    /* is_on stays set, so that calls of destructors are recorded too */
    tp_hook_leave_recorder(why);
}

const struct tp_source tp_source_functions = {
    .name = "functions",
    .what = "calls of a program built with -finstrument-functions; functions=COUNT: maximum number",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .stop = stop_source,
};
