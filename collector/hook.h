/* Declares functions for all sources that intercept functions of the program (hooks).
 *
 * Such a source exports a function under the name of another library's function (collector/preload.map). The program
 * calls our function, and our function calls the original. Every hook must obey three rules. First, while its source is
 * off, a hook only calls the original. Second, it also only calls the original if our own code is the caller
 * (tp_cursor.inside). Otherwise a record could request a chunk while a chunk is being requested. Third, a hook leaves
 * errno as the original set it. The Makefile links the preload library so that its own calls of pthread_mutex_lock are
 * wrapped. While a thread has one of our locks, its hooks only call the original functions. */
#ifndef TP_COLLECTOR_HOOK_H
#define TP_COLLECTOR_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/recorder.h"

/* Returns the original function `name` behind our hook, or NULL if none exists. version: wanted symbol version if
 * several exist; NULL: the default. caller: address of the calling code, or NULL. The search covers the libraries
 * loaded with the program, then the library at `caller`, then all loaded libraries. Only the last group includes
 * libraries opened with RTLD_LOCAL, such as Python modules. Allocates memory only if the libraries loaded with the
 * program lack the function. Any thread may call it. */
void *tp_hook_find_next_function(const char *name, const char *version, const void *caller);

/* Returns our own version of `name`: a plain system call, or an alias in the C library. Returns NULL if the function
 * does more than a system call. tp_hook_find_next_function uses it for programs without a dynamic loader. Any thread
 * may call it. */
void *tp_hook_find_plain_function(const char *name);

/* One intercepted function of a library. */
struct tp_hook {
    /* name: name of the function; version: its symbol version, NULL for functions without versions, or the newest if
     * there are several */
    const char *name, *version;
    void *next; /* the original function; NULL: not yet looked up */
};

/* Returns the original function, and finds it first if tp_hooks_find_originals could not find it yet. */
static inline void *tp_hook_original(struct tp_hook *hook, const void *caller)
{
    void *next = __atomic_load_n(&hook->next, __ATOMIC_RELAXED);
    if (__builtin_expect(!next, 0)) {
        next = tp_hook_find_next_function(hook->name, hook->version, caller);
        __atomic_store_n(&hook->next, next, __ATOMIC_RELAXED);
    }
    return next;
}

/* Finds the original functions of a table of hooks. A constructor of the source calls it, because a lookup in a
 * signal handler or between fork and exec may wait for the loader's lock. */
void tp_hooks_find_originals(struct tp_hook *hooks, size_t count);

/* Returns whether a hook should record the call: its source is on and the caller is not our own code. */
static inline bool tp_hook_is_on(const bool *is_on)
{
    return __builtin_expect(__atomic_load_n(is_on, __ATOMIC_RELAXED), 0) && tp_cursor.inside == 0;
}

/* tp_hook_enter_recorder begins a section of our own code on this thread and returns errno. tp_hook_leave_recorder ends
 * the section and restores errno. */
int tp_hook_enter_recorder(void);
void tp_hook_leave_recorder(int why);

/* Reads a time or size from a setting: digits, and optionally k, m or g. These are powers of 1024 if is_bytes,
 * otherwise powers of 1000. Returns `otherwise` if the text does not begin with a digit. */
uint64_t tp_hook_read_setting(const char *setting, bool is_bytes, uint64_t otherwise);

/* Starts the measurement of the clock's rate, which tp_hook_record_wait needs. Every source that measures waits calls
 * it when the source starts. */
void tp_hook_start_clock(void);

struct tp_hook_wait {
    uint64_t begin;     /* start of the wait, ticks of tp_clock_now */
    uint64_t least_ns;  /* minimum length of a recorded wait, ns */
    int64_t bytes;      /* number of bytes that the call moved; INT64_MIN: not applicable */
    const void *object; /* object for which the thread waited; NULL: not recorded */
};

/* Records that the call `name` waited from wait->begin until now, if this took at least wait->least_ns. Returns the
 * length of the wait in ns, or 0 if it was shorter. */
uint64_t tp_hook_record_wait(uint32_t name, const struct tp_hook_wait *wait);

#endif
