/* Implements the shared parts of hooks: see hook.h. */
#include "collector/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_LIBRARIES = 1024 };

int tp_hook_enter_recorder(void)
{
    int why = errno;
    tp_cursor.inside++;
    return why;
}

void tp_hook_leave_recorder(int why)
{
    tp_cursor.inside--;
    errno = why;
}

/* ---- the original functions ---- */

struct libraries {
    char *paths[MAX_LIBRARIES];
    unsigned count;
};

static int store_library_path(struct dl_phdr_info *info, size_t size, void *context)
{
    struct libraries *libraries = context;
    (void)size;
    char *copy = info->dlpi_name && *info->dlpi_name ? strdup(info->dlpi_name) : NULL;
    if (copy)
        libraries->paths[libraries->count++] = copy;
    return libraries->count == MAX_LIBRARIES;
}

static bool is_address_in_our_library(const void *address)
{
    Dl_info self, other;
    return dladdr((const void *)tp_hook_find_next_function, &self) == 0 || dladdr(address, &other) == 0 ||
           self.dli_fbase == other.dli_fbase;
}

/* Searches for `name` in the library at `path` and in the libraries that it needs. Ignores a function of our own
 * library. */
static void *find_in_library(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library); /* releases only the additional reference; the caller still has the library open */
    return found && !is_address_in_our_library(found) ? found : NULL;
}

static void *find_in_other_libraries(const char *name, const void *caller)
{
    Dl_info info;
    void *found = caller && dladdr(caller, &info) && info.dli_fname ? find_in_library(info.dli_fname, name) : NULL;
    struct libraries *libraries = found ? NULL : calloc(1, sizeof *libraries);
    if (libraries)
        dl_iterate_phdr(store_library_path, libraries);
    for (unsigned i = 0; libraries && i < libraries->count; i++) {
        found = found ? found : find_in_library(libraries->paths[i], name);
        free(libraries->paths[i]);
    }
    free(libraries);
    return found;
}

void *tp_hook_find_next_function(const char *name, const char *version, const void *caller)
{
    int why = tp_hook_enter_recorder();
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    found = found ? found : dlsym(RTLD_NEXT, name);
    if (!found && caller)
        found = find_in_other_libraries(name, caller);
    found = found ? found : tp_hook_find_plain_function(name);
    tp_hook_leave_recorder(why);
    return found;
}

void tp_hooks_find_originals(struct tp_hook *hooks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!__atomic_load_n(&hooks[i].next, __ATOMIC_RELAXED))
            __atomic_store_n(&hooks[i].next, tp_hook_find_next_function(hooks[i].name, hooks[i].version, NULL),
                             __ATOMIC_RELAXED);
}

/* ---- settings and waits ---- */

uint64_t tp_hook_read_setting(const char *setting, bool is_bytes, uint64_t otherwise)
{
    static const char units[] = "kmg";
    char *end;
    if (*setting < '0' || *setting > '9')
        return otherwise;
    uint64_t value = strtoull(setting, &end, 10);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        value *= is_bytes ? 1024 : 1000;
    return value;
}

/* rate: ns per 2^32 ticks of the clock; 0 while the measurement is too short. first: clock values at the start of the
 * measurement */
static uint64_t rate;
static struct tp_spool_clock first;

void tp_hook_start_clock(void)
{
    if (first.ticks == 0)
        first = tp_clock_read_all();
}

/* Converts ticks to ns. Until the rate is stored, each call measures the rate from `first` to now. `ticks` is within
 * this interval, so that the rate is right for it. */
static uint64_t ticks_to_ns(uint64_t ticks)
{
    enum { STEADY_NS = 100000000 };
    uint64_t now_rate = __atomic_load_n(&rate, __ATOMIC_RELAXED);
    if (!tp_clock_is_tsc)
        return ticks;
    if (!now_rate) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t passed = tp_clock_now() - first.ticks;
        int64_t passed_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - first.monotonic_ns;
        if (passed_ns <= 0 || passed == 0)
            return 0;
        now_rate = (uint64_t)((double)passed_ns / (double)passed * 4294967296.0);
        if (passed_ns > STEADY_NS)
            __atomic_store_n(&rate, now_rate, __ATOMIC_RELAXED);
    }
    return (uint64_t)((unsigned __int128)ticks * now_rate >> 32);
}

uint64_t tp_hook_record_wait(uint32_t name, const struct tp_hook_wait *wait)
{
    uint64_t begin = tp_record_clip_begin(wait->begin), ticks = tp_clock_now() - begin;
    /* such a wait is too short at any rate of the clock, because no time stamp counter is faster than 8 GHz */
    if (ticks < wait->least_ns / 8 || (int64_t)ticks < 0)
        return 0;
    int why = tp_hook_enter_recorder();
    uint64_t ns = ticks_to_ns(ticks);
    const struct tp_spool_wait payload = {
        .begin = begin, .bytes = wait->bytes, .object = (uint64_t)(uintptr_t)wait->object};
    const uint32_t slots = sizeof payload / TP_SPOOL_SLOT;
    struct tp_spool_record *record = ns >= wait->least_ns ? tp_record_reserve_slots(slots) : NULL;
    if (record) {
        memcpy(record + 1, &payload, sizeof payload);
        tp_record_finish(record, name, TP_SPOOL_WAIT, slots, 0);
    }
    tp_hook_leave_recorder(why);
    return ns >= wait->least_ns ? ns : 0;
}
