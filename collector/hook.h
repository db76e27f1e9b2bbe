/* Standing before functions of the program: what the sources that do so share.
 *
 * Such a source exports a function under the name of another library's (collector/preload.map); the program calls ours,
 * and ours calls the next one. Three things must hold in each: while the source is off it only passes on; what runs
 * inside our own code (tp_cursor.inside) is passed on, too, or a record would ask for a chunk within the request for a
 * chunk; errno is left as the function left it. The preload library's own calls of pthread_mutex_lock are wrapped at
 * the link (Makefile), so that a thread which holds a lock of ours counts as being inside. */
#ifndef TP_COLLECTOR_HOOK_H
#define TP_COLLECTOR_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/recorder.h"

/* The function `name` behind ours; of `version`, where there are several and it is there (NULL: the default). Where the
 * libraries that came with the program have none, the one that the code at `caller` sees, then any that is loaded:
 * libraries that were opened with RTLD_LOCAL, as Python's modules are. NULL: none. No memory is taken unless it must
 * look further than the first. Any thread. */
void *tp_hook_next(const char *name, const char *version, const void *caller);

/* What tp_hook_next falls back to: `name` as a system call of our own, or under another name of the C library; NULL: it
 * is more than that. For programs without a dynamic loader. Any thread. */
void *tp_hook_plain(const char *name);

/* One function that a source stands before. */
struct tp_hook {
    const char *name, *version; /* version: NULL, or the newer of several */
    void *next;                 /* NULL: not yet looked up */
};

/* The function behind ours; the lookup of one that tp_hooks_find could not find yet. */
static inline void *tp_hook_of(struct tp_hook *hook, const void *caller)
{
    void *next = __atomic_load_n(&hook->next, __ATOMIC_RELAXED);
    if (__builtin_expect(!next, 0)) {
        next = tp_hook_next(hook->name, hook->version, caller);
        __atomic_store_n(&hook->next, next, __ATOMIC_RELAXED);
    }
    return next;
}

/* Looks up a table of them; in a constructor of the source, because a lookup within a signal handler or between fork
 * and exec may wait for the loader's lock. */
void tp_hooks_find(struct tp_hook *hooks, size_t count);

/* True where a hook should look at the call: the source is on and this is no call of our own. */
static inline bool tp_hook_is_on(const bool *is_on)
{
    return __builtin_expect(__atomic_load_n(is_on, __ATOMIC_RELAXED), 0) && tp_cursor.inside == 0;
}

/* Begins and ends our own code on this thread; errno is kept. */
int tp_hook_enter(void);
void tp_hook_leave(int why);

/* A time or size in a setting: digits with k, m or g behind (binary when is_bytes, else decimal). `otherwise` when it
 * is empty or no number. */
uint64_t tp_hook_setting(const char *setting, bool is_bytes, uint64_t otherwise);

/* To be called when a source that measures waits is started. */
void tp_hook_clock(void);

struct tp_hook_wait {
    uint64_t begin;     /* tp_clock_now when it began */
    uint64_t least_ns;  /* shorter ones are not recorded */
    int64_t bytes;      /* what was moved; INT64_MIN: none */
    const void *object; /* what was waited for; NULL: nothing of interest */
};

/* Records that the call `name` waited until now, when that was long enough. Nanoseconds, 0 when it was too short. */
uint64_t tp_hook_waited(uint32_t name, const struct tp_hook_wait *wait);

#endif
