/* Tests the sources memory, locks and io, which wrap functions of the program, with many simultaneous threads. The
 * wrappers are linked under other names (tests/fake/hooks.syms), so that a sanitizer keeps its own malloc and similar
 * functions. Under TSan, this test finds races in these sources. */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/unit/recorded.h"

#include "collector/sources.h"
#include "webreport/trace/json/value.h"

#if defined(__SANITIZE_THREAD__)
/* The wrapper calls a versioned symbol, and TSan does not see that this call unlocks the mutex. So TSan builds use the
 * original function. */
#define hooked_cond_wait pthread_cond_wait
enum { HAS_CONDITIONS = 0 };
#else
enum { HAS_CONDITIONS = 1 };
#endif

#define HOOKED(name, of) extern __typeof__(of) hooked_##name
HOOKED(malloc, malloc);
HOOKED(free, free);
HOOKED(calloc, calloc);
HOOKED(realloc, realloc);
HOOKED(posix_memalign, posix_memalign);
HOOKED(mutex_lock, pthread_mutex_lock);
HOOKED(mutex_timedlock, pthread_mutex_timedlock);
HOOKED(rwlock_rdlock, pthread_rwlock_rdlock);
HOOKED(rwlock_wrlock, pthread_rwlock_wrlock);
#if !defined(__SANITIZE_THREAD__)
HOOKED(cond_wait, pthread_cond_wait);
#endif
HOOKED(read, read);
HOOKED(write, write);
HOOKED(poll, poll);

extern const struct tp_source tp_source_memory, tp_source_locks, tp_source_io;
static const struct tp_source *const sources[] = {&tp_source_memory, &tp_source_locks, &tp_source_io};
static const char *const settings[] = {"64k", "1", "1"}; /* settings of the sources; 1 means that each wait is
                                                          * recorded */

enum { THREADS = 6, TURNS = 400, SLOTS = 32, SOURCES = 3 };

static _Atomic(void *) slots[SLOTS]; /* blocks that one thread allocates and another thread frees */
static _Atomic int64_t taken_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
/* Calls to unlock use this pointer, because in this file the name `pthread_mutex_unlock` means the wrapped function
 * (hook.h). */
static int (*unlock)(pthread_mutex_t *);
static int64_t under_mutex, under_lock, gone;

static void *allocate_block(uint32_t random)
{
    static const size_t sizes[] = {24, 500, 9000, 100000, 300000};
    size_t size = sizes[random % 5];
    void *block = NULL;
    taken_count++;
    if (random / 5 % 3 == 0)
        return hooked_calloc(1, size);
    if (random / 5 % 3 == 1)
        return hooked_posix_memalign(&block, 64, size) == 0 ? block : NULL;
    block = hooked_malloc(size / 2);
    taken_count++;
    return hooked_realloc(block, size);
}

static void lock_mutexes_in_turn(int turn)
{
    const struct timespec until = {.tv_sec = 4000000000};
    if (turn % 2)
        hooked_mutex_lock(&mutex);
    else
        hooked_mutex_timedlock(&mutex, &until);
    under_mutex++;
    unlock(&mutex);
    if (turn % 4) {
        hooked_rwlock_rdlock(&lock);
        assert_true(under_lock >= 0);
    } else {
        hooked_rwlock_wrlock(&lock);
        under_lock++;
    }
    pthread_rwlock_unlock(&lock);
}

static void transfer_through_pipe(const int *ends)
{
    char byte = 'x';
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(hooked_write(ends[1], &byte, 1), 1);
    assert_int_equal(hooked_poll(&wanted, 1, -1), 1);
    assert_int_equal(hooked_read(ends[0], &byte, 1), 1);
}

static void *call_hooked_functions(void *seed)
{
    uint32_t random = (uint32_t)(uintptr_t)seed;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        random = random * 1664525 + 1013904223;
        hooked_free(atomic_exchange(&slots[random >> 8 & (SLOTS - 1)], allocate_block(random >> 16)));
        lock_mutexes_in_turn(turn);
        transfer_through_pipe(ends);
    }
    close(ends[0]);
    close(ends[1]);
    hooked_mutex_lock(&mutex);
    gone++;
    pthread_cond_signal(&condition);
    unlock(&mutex);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    gone = 0;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_hooked_functions, (void *)(uintptr_t)(i + 1)), 0);
    hooked_mutex_lock(&mutex);
    while (gone < THREADS)
        hooked_cond_wait(&condition, &mutex);
    unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        hooked_free(atomic_exchange(&slots[i], NULL));
}

static int64_t read_fact_number(const char *key, const char *member)
{
    struct tp_str all = tp_trace_header(&trace, key);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"%s\":", member);
    ptrdiff_t at = tp_str_find(all, wanted);
    if (at < 0)
        fail_msg("no %s in %s", member, key);
    return strtoll(all.ptr + at + strlen(wanted), NULL, 10);
}

/* Makes several recordings, one after the other. The wrappers stay installed between recordings, as in a program that
 * records itself several times. */
static void records_of_simultaneous_threads_add_up(void **state)
{
    const struct tp_source_host host = {.library = "", .spools = ""};
    (void)state;
    for (int i = 0; i < SOURCES; i++) {
        assert_null(sources[i]->probe(&host));
        assert_true(sources[i]->start(&host, settings[i]));
    }
    run_threads();
    tracepress_stop();
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.directory = folder;
    options.handler = convert_spool_to_trace;
    assert_int_equal(tracepress_start(&options), 0);
    run_threads();
    for (int i = SOURCES; i-- > 0;)
        sources[i]->stop();
    stop_and_convert_recording();
    assert_int_equal(under_mutex, 2 * THREADS * TURNS);
    assert_int_equal(under_lock, 2 * THREADS * TURNS / 4);
    assert_int_equal(result.broken_count, 0);
    assert_int_equal(read_fact_number("host_memory", "end_bytes"), 0);
    assert_int_equal(read_fact_number("host_memory", "allocation_count"), taken_count);
    assert_true(read_fact_number("host_memory", "peak_bytes") >= 300000);
    assert_true(read_fact_number("blocking_io", "calls") >= 2 * THREADS * TURNS);
    if (HAS_CONDITIONS)
        assert_true(read_fact_number("lock_waits", "condition_waits") >= 1);
    assert_true(result.event_count > 0 && result.range_count > 0);
}

/* Starts and stops recordings while threads call the wrapped functions. */
static void recordings_start_and_stop_during_calls(void **state)
{
    const struct tp_source_host host = {.library = "", .spools = ""};
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    pthread_t thread;
    (void)state;
    options.directory = folder;
    options.handler = convert_spool_to_trace;
    for (int i = 0; i < SOURCES; i++)
        assert_true(sources[i]->start(&host, settings[i]));
    assert_int_equal(pthread_create(&thread, NULL, call_hooked_functions, (void *)(uintptr_t)99), 0);
    for (int i = 0; i < 8; i++) {
        usleep(2000);
        tracepress_stop();
        assert_int_equal(tracepress_start(&options), 0);
    }
    pthread_join(thread, NULL);
    for (int i = 0; i < SLOTS; i++)
        hooked_free(atomic_exchange(&slots[i], NULL));
    for (int i = SOURCES; i-- > 0;)
        sources[i]->stop();
    stop_and_convert_recording();
    assert_int_equal(result.broken_count, 0);
}

int main(void)
{
    *(void **)&unlock = dlsym(RTLD_DEFAULT, "pthread_mutex_unlock");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_of_simultaneous_threads_add_up, begin_recording_test,
                                        end_recording_test),
        cmocka_unit_test_setup_teardown(recordings_start_and_stop_during_calls, begin_recording_test,
                                        end_recording_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
