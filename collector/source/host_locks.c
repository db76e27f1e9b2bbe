/* Records waits for locks. Each hook tries to take the lock first, and measures the wait only if another thread has
 * the lock.
 *
 * A free lock therefore costs only one additional call, such as pthread_mutex_trylock. Waits of `locks=NS` (default 10
 * us) or more become records, and all waits are added up. Waits of at least this length for condition variables are
 * recorded under a name of their own, because programs use them to sleep. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "collector/hook.h"
#include "collector/sources.h"

enum { LEAST_NS = 10000 };

enum call { MUTEX, READ, WRITE, CONDITION, CALLS };

static const char *const names[CALLS] = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
                                         "pthread_cond_wait"};
static const char *const keys[CALLS] = {"mutex", "read", "write", "condition"};

static bool is_on;
static uint64_t least_ns;
static uint32_t numbers[CALLS];                       /* number of the function's name, indexed by call */
static uint64_t wait_counts[CALLS], wait_sums[CALLS]; /* number of waits and their total time in ns, indexed by call */

static void write_wait_record(enum call call, uint64_t begin, const void *object)
{
    uint64_t ns = tp_hook_record_wait(
        numbers[call],
        &(struct tp_hook_wait){.begin = begin, .least_ns = least_ns, .bytes = INT64_MIN, .object = object});
    __atomic_add_fetch(&wait_counts[call], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&wait_sums[call], ns, __ATOMIC_RELAXED);
}

/* Measures a wait, with or without a time limit, for a lock that another thread has. The value of this GNU statement
 * expression is the value of the call. */
#define TIMED(which, object, call)                                                                                     \
    __extension__({                                                                                                    \
        uint64_t begin_ = tp_clock_now();                                                                              \
        int code_ = call;                                                                                              \
        write_wait_record(which, begin_, object);                                                                      \
        code_;                                                                                                         \
    })

// NOLINTBEGIN(bugprone-macro-parentheses,readability-function-size): a function's name cannot have parentheses,
// and the C library defines the parameters of the functions

#define EXPORT __attribute__((visibility("default")))

/* Hooks: name of the function and symbol version. Condition variables need a version, because the C library also has
 * an older implementation under the same names. */
#define HOOKS(X)                                                                                                       \
    X(pthread_mutex_lock, NULL)                                                                                        \
    X(pthread_mutex_trylock, NULL)                                                                                     \
    X(pthread_mutex_timedlock, NULL)                                                                                   \
    X(pthread_rwlock_rdlock, NULL)                                                                                     \
    X(pthread_rwlock_tryrdlock, NULL)                                                                                  \
    X(pthread_rwlock_timedrdlock, NULL)                                                                                \
    X(pthread_rwlock_wrlock, NULL)                                                                                     \
    X(pthread_rwlock_trywrlock, NULL)                                                                                  \
    X(pthread_rwlock_timedwrlock, NULL)                                                                                \
    X(pthread_cond_wait, "GLIBC_2.3.2")                                                                                \
    X(pthread_cond_timedwait, "GLIBC_2.3.2")

enum hook {
#define NUMBER(name, version) HOOK_##name,
    HOOKS(NUMBER) HOOK_COUNT
#undef NUMBER
};

static struct tp_hook hooks[HOOK_COUNT] = {
#define ROW(name, version) {#name, version, NULL},
    HOOKS(ROW)
#undef ROW
};

__attribute__((constructor)) static void find_originals(void)
{
    tp_hooks_find_originals(hooks, HOOK_COUNT);
}

#define NEXT(name) ((__typeof__(&name))tp_hook_original(&hooks[HOOK_##name], __builtin_return_address(0)))

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_mutex_trylock)(mutex) : EBUSY;
    if (code != EBUSY)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_mutex_lock)(mutex);
    return TIMED(MUTEX, mutex, NEXT(pthread_mutex_lock)(mutex));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_mutex_trylock)(mutex) : EBUSY;
    if (code != EBUSY)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_mutex_timedlock)(mutex, until);
    return TIMED(MUTEX, mutex, NEXT(pthread_mutex_timedlock)(mutex, until));
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_rwlock_tryrdlock)(lock) : EBUSY;
    if (code == 0)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_rwlock_rdlock)(lock);
    return TIMED(READ, lock, NEXT(pthread_rwlock_rdlock)(lock));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_rwlock_tryrdlock)(lock) : EBUSY;
    if (code == 0)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_rwlock_timedrdlock)(lock, until);
    return TIMED(READ, lock, NEXT(pthread_rwlock_timedrdlock)(lock, until));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_rwlock_trywrlock)(lock) : EBUSY;
    if (code == 0)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_rwlock_wrlock)(lock);
    return TIMED(WRITE, lock, NEXT(pthread_rwlock_wrlock)(lock));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    int code = tp_hook_is_on(&is_on) ? NEXT(pthread_rwlock_trywrlock)(lock) : EBUSY;
    if (code == 0)
        return code;
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_rwlock_timedwrlock)(lock, until);
    return TIMED(WRITE, lock, NEXT(pthread_rwlock_timedwrlock)(lock, until));
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_cond_wait)(condition, mutex);
    return TIMED(CONDITION, condition, NEXT(pthread_cond_wait)(condition, mutex));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    if (!tp_hook_is_on(&is_on))
        return NEXT(pthread_cond_timedwait)(condition, mutex, until);
    return TIMED(CONDITION, condition, NEXT(pthread_cond_timedwait)(condition, mutex, until));
}

// NOLINTEND(bugprone-macro-parentheses,readability-function-size)

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    return NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    least_ns = tp_hook_read_setting(setting, false, LEAST_NS);
    for (int i = 0; i < CALLS; i++)
        numbers[i] = tracepress_intern(names[i]);
    tp_hook_start_clock();
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    return true;
}

static void stop_source(void)
{
    char json[512];
    int n = 0;
    uint64_t all = 0;
    __atomic_store_n(&is_on, false, __ATOMIC_RELAXED);
    int why = tp_hook_enter_recorder();
    for (int i = 0; i < CALLS; i++) {
        uint64_t count = __atomic_load_n(&wait_counts[i], __ATOMIC_RELAXED);
        all += count;
        n += snprintf(json + n, sizeof json - (size_t)n, "%s\"%s_waits\":%llu,\"%s_wait_ns\":%llu", i ? "," : "{",
                      keys[i], (unsigned long long)count, keys[i],
                      (unsigned long long)__atomic_load_n(&wait_sums[i], __ATOMIC_RELAXED));
    }
    snprintf(json + n, sizeof json - (size_t)n, "}");
    if (all)
        tracepress_metadata_json("lock_waits", json);
    tp_hook_leave_recorder(why);
}

const struct tp_source tp_source_locks = {
    .name = "locks",
    .what = "time that threads wait for mutexes, read-write locks and conditions; locks=NS: shortest recorded wait",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .stop = stop_source,
};
