/* libcupti.so.13 without a GPU; see fake.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/cuda/fake.h"

/* prototypes are in CUPTI's headers, which are not part of this repository */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { UNKNOWN_KIND = 60, UNKNOWN_BYTES = 32, KINDS = 64, PERIOD_MS = 5 };

/* Returns a setting of FAKE_CUPTI="name=value,..", or `otherwise`:
 *   subscribe, enable, clock, version_result   result of this function
 *   version          reported version
 *   records          record sizes of a release (118, 121, 129, 130)
 *   drop, zero       every n-th record is dropped, or has no times
 *   unknown          every n-th record is followed by a record of an unknown kind
 *   shared=1         all threads share one buffer
 *   hold=1           buffers are kept until a flush
 *   null=1           a completion without a buffer */
static long fault_setting(const char *name, long otherwise)
{
    const char *all = getenv("FAKE_CUPTI");
    size_t n = strlen(name);
    for (const char *at = all ? all : ""; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, name, n) == 0 && at[n] == '=')
            return strtol(at + n + 1, NULL, 10);
    return otherwise;
}

/* Returns the size of a record by kind and release, as in NVIDIA's cuptiActivityGetNextRecord. */
static size_t record_size(uint32_t kind)
{
    static const struct {
        uint32_t kind;
        uint16_t sizes[4]; /* sizes of releases 11.8, 12.1, 12.9 and 13.0, bytes */
    } table[] = {{TP_CUPTI_MEMCPY, {88, 88, 96, 96}},      {TP_CUPTI_MEMSET, {88, 88, 88, 88}},
                 {TP_CUPTI_DRIVER, {40, 40, 40, 40}},      {TP_CUPTI_RUNTIME, {40, 40, 40, 40}},
                 {TP_CUPTI_KERNEL, {200, 208, 208, 216}},  {TP_CUPTI_OVERHEAD, {40, 40, 56, 56}},
                 {TP_CUPTI_ENVIRONMENT, {40, 40, 40, 40}}, {TP_CUPTI_MEMCPY_PEER, {96, 96, 96, 96}},
                 {TP_CUPTI_EVENT, {24, 24, 56, 56}},       {TP_CUPTI_SYNC, {40, 40, 56, 56}},
                 {TP_CUPTI_MEMORY, {120, 120, 128, 128}},  {TP_CUPTI_POOL, {72, 72, 72, 80}},
                 {UNKNOWN_KIND, {32, 32, 32, 32}}};
    static const int releases[] = {118, 121, 129, 130};
    static int column = -1;
    if (__atomic_load_n(&column, __ATOMIC_RELAXED) < 0) {
        int found = 3;
        for (int i = 0; i < 4; i++)
            if (releases[i] == fault_setting("records", 130))
                found = i;
        __atomic_store_n(&column, found, __ATOMIC_RELAXED);
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kind == kind)
            return table[i].sizes[__atomic_load_n(&column, __ATOMIC_RELAXED)];
    return 0;
}

/* ---- state that `lock` protects; it is released during calls of the collector ---- */

struct buffer {
    uint8_t *bytes;
    size_t capacity, used;
    uint64_t ready_ns; /* time at which all records of the buffer are complete, ns */
    struct buffer *next;
};

struct filler { /* The open buffer of one thread, or of all threads. */
    struct buffer *current;
    struct filler *next;
};

/* CUPTI's clock is an hour ahead, so that a test fails if it is mistaken for the wall clock. */
static const uint64_t AHEAD_NS = 3600ull * 1000000000u;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_full = PTHREAD_COND_INITIALIZER;
static struct filler everybody, *fillers = &everybody;
static __thread struct filler *own;
static struct buffer *full;
static tp_cupti_request request;
static tp_cupti_complete complete;
static uint64_t (*clock_of_client)(void);
static double ticks_per_ns = 1;
static int is_enabled[KINDS];
static uint64_t counts[KINDS], emitted, drops, buffers;
static size_t dropped;
static uint32_t correlation, period_ms;
static pid_t process;

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

FAKE_EXPORT uint64_t fake_cupti_now(void)
{
    return clock_of_client ? clock_of_client() : realtime_ns() + AHEAD_NS;
}

FAKE_EXPORT uint64_t fake_cupti_length(uint64_t ns)
{
    return clock_of_client ? (uint64_t)((double)ns * ticks_per_ns) : ns;
}

/* Writes the number of emitted records by kind at exit, so that the suite can compare them. */
__attribute__((destructor)) static void write_record_counts(void)
{
    const char *path = getenv("FAKE_CUPTI_COUNTS");
    FILE *out = path && process == getpid() ? fopen(path, "w") : NULL;
    if (!out)
        return;
    for (int kind = 0; kind < KINDS; kind++)
        if (counts[kind])
            fprintf(out, "kind_%d %llu\n", kind, (unsigned long long)counts[kind]);
    fprintf(out, "buffers %llu\ndropped %llu\n", (unsigned long long)buffers, (unsigned long long)drops);
    fclose(out);
}

/* ---- buffers ---- */

static void deliver_buffers(struct buffer *list)
{
    while (list) { /* the newest buffer comes first, so that buffers are delivered out of order */
        struct buffer *buffer = list;
        list = buffer->next;
        complete(NULL, 0, buffer->bytes, buffer->capacity, buffer->used);
        free(buffer);
    }
}

/* Removes the buffers that are ready from the list of full buffers, and returns them. is_forced: all full buffers are
 * ready. */
static struct buffer *remove_ready_buffers(int is_forced)
{
    struct buffer *ready = NULL, **at = &full;
    uint64_t now = realtime_ns();
    while (*at) {
        struct buffer *buffer = *at;
        if (!is_forced && buffer->ready_ns > now) {
            at = &buffer->next;
            continue;
        }
        *at = buffer->next;
        buffer->next = ready;
        ready = buffer;
    }
    return ready;
}

static void finish_ready_buffers(int is_forced);

/* Runs in CUPTI's thread. Delivers full buffers, and from time to time partly filled buffers. */
static void *deliver_buffers_on_thread(void *unused)
{
    (void)unused;
    for (uint64_t flushed = realtime_ns();;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&is_full, &lock, &until);
        if (period_ms && realtime_ns() - flushed > period_ms * 1000000u) {
            finish_ready_buffers(0);
            flushed = realtime_ns();
        }
        struct buffer *ready = fault_setting("hold", 0) ? NULL : remove_ready_buffers(0);
        pthread_mutex_unlock(&lock);
        deliver_buffers(ready);
    }
    return NULL;
}

static void finish_buffer_of_thread(struct filler *filler)
{
    if (!filler->current)
        return;
    filler->current->next = full;
    full = filler->current;
    filler->current = NULL;
    pthread_cond_signal(&is_full);
}

static void finish_ready_buffers(int is_forced)
{
    uint64_t now = realtime_ns();
    for (struct filler *filler = fillers; filler; filler = filler->next)
        if (filler->current && (is_forced || filler->current->ready_ns <= now))
            finish_buffer_of_thread(filler);
}

static struct filler *find_thread_filler(void)
{
    if (fault_setting("shared", 0))
        return &everybody;
    if (!own) {
        own = calloc(1, sizeof *own);
        own->next = fillers->next;
        fillers->next = own;
    }
    return own;
}

/* Requests a buffer from the collector. Releases the lock during the call. */
static struct buffer *request_buffer(void)
{
    uint8_t *bytes = NULL;
    size_t size = 0, max_records = 1;
    pthread_mutex_unlock(&lock);
    request(&bytes, &size, &max_records);
    struct buffer *buffer = bytes ? calloc(1, sizeof *buffer) : NULL;
    if (((uintptr_t)bytes & 7) || max_records != 0)
        abort(); /* CUPTI requires its client to provide a buffer */
    pthread_mutex_lock(&lock);
    if (buffer) {
        buffer->bytes = bytes;
        buffer->capacity = size;
        buffers++;
    }
    return buffer;
}

static void count_dropped(void)
{
    dropped++;
    drops++;
}

/* Appends a record to this thread's buffer. The caller has the lock. */
static void append_record(const void *record, size_t size, uint64_t ready_ns)
{
    uint32_t kind = *(const uint32_t *)record;
    size_t whole = record_size(kind);
    struct filler *filler = find_thread_filler();
    if (!filler->current || filler->current->used + whole > filler->current->capacity) {
        finish_buffer_of_thread(filler);
        struct buffer *fresh = request_buffer();
        finish_buffer_of_thread(
            filler); /* if threads share a buffer, another thread can have set a buffer in the meantime */
        filler->current = fresh;
    }
    if (!filler->current) {
        count_dropped();
        return;
    }
    struct buffer *buffer = filler->current;
    memset(buffer->bytes + buffer->used, 0, whole);
    memcpy(buffer->bytes + buffer->used, record, size < whole ? size : whole);
    buffer->used += whole;
    buffer->ready_ns = ready_ns > buffer->ready_ns ? ready_ns : buffer->ready_ns;
    counts[kind]++;
}

static int is_nth_call(const char *name, uint64_t number)
{
    long every = fault_setting(name, 0);
    return every > 0 && number % (uint64_t)every == 0;
}

FAKE_EXPORT void fake_cupti_record(const void *record, size_t size, uint64_t ready_ns)
{
    uint32_t kind = *(const uint32_t *)record;
    const uint32_t unknown[UNKNOWN_BYTES / 4] = {UNKNOWN_KIND};
    struct tp_cupti_kernel timeless;
    pthread_mutex_lock(&lock);
    if (request && kind < KINDS && is_enabled[kind]) {
        emitted++;
        if (kind == TP_CUPTI_KERNEL && is_nth_call("zero", counts[kind] + 1)) {
            memcpy(&timeless, record, sizeof timeless);
            timeless.start = timeless.end = 0;
            record = &timeless;
        }
        if (is_nth_call("drop", emitted))
            count_dropped();
        else
            append_record(record, size, ready_ns);
        if (is_nth_call("unknown", emitted))
            append_record(unknown, sizeof unknown, 0);
    }
    pthread_mutex_unlock(&lock);
}

FAKE_EXPORT uint32_t fake_cupti_call(int is_driver, uint32_t function, uint64_t start)
{
    uint32_t number = __atomic_add_fetch(&correlation, 1, __ATOMIC_RELAXED);
    const struct tp_cupti_api call = {.kind = is_driver ? TP_CUPTI_DRIVER : TP_CUPTI_RUNTIME,
                                      .function = function,
                                      .start = start,
                                      .end = fake_cupti_now(),
                                      .process = (uint32_t)getpid(),
                                      .thread = (uint32_t)syscall(SYS_gettid),
                                      .correlation = number};
    fake_cupti_record(&call, sizeof call, 0);
    return number;
}

/* ---- the interface ---- */

FAKE_EXPORT int cuptiGetVersion(uint32_t *version)
{
    *version = (uint32_t)fault_setting("version", 130001);
    return (int)fault_setting("version_result", 0);
}

FAKE_EXPORT int cuptiGetResultString(int result, const char **text)
{
    *text = result == TP_CUPTI_NOT_INITIALIZED    ? "CUPTI_ERROR_NOT_INITIALIZED"
            : result == TP_CUPTI_MANY_SUBSCRIBERS ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : result == TP_CUPTI_UNKNOWN          ? "CUPTI_ERROR_UNKNOWN"
                                                  : "CUPTI_ERROR_FAKE";
    return 0;
}

FAKE_EXPORT int cuptiSubscribe(void **subscriber, tp_cupti_callback callback, void *user)
{
    (void)user;
    *subscriber = &everybody;
    process = getpid();
    return callback ? (int)fault_setting("subscribe", 0) : 1;
}

FAKE_EXPORT int cuptiSubscribe_v2(void **subscriber, tp_cupti_callback callback, void *user,
                                  struct tp_cupti_subscription *with)
{
    if (with && with->other)
        snprintf(with->other, with->other_size, "CUPTI for Somebody");
    return cuptiSubscribe(subscriber, callback, user);
}

FAKE_EXPORT int cuptiSetThreadIdType(uint32_t type)
{
    return type == TP_CUPTI_TID_SYSTEM ? 0 : 1;
}

FAKE_EXPORT int cuptiActivityRegisterCallbacks(tp_cupti_request ask_for, tp_cupti_complete done)
{
    pthread_t worker;
    if (!ask_for || !done || request)
        return 1;
    complete = done;
    request = ask_for;
    if (fault_setting("null", 0))
        done(NULL, 0, NULL, 0, 0);
    return pthread_create(&worker, NULL, deliver_buffers_on_thread, NULL) != 0 || pthread_detach(worker) != 0;
}

FAKE_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
    const struct timespec while_it_ticks = {0, 5000000};
    if (fault_setting("clock", 0))
        return (int)fault_setting("clock", 0);
    uint64_t before_ns = realtime_ns(), before = clock();
    nanosleep(&while_it_ticks, NULL);
    uint64_t after_ns = realtime_ns(), after = clock();
    ticks_per_ns = (double)(after - before) / (double)(after_ns - before_ns);
    clock_of_client = clock;
    return 0;
}

FAKE_EXPORT int cuptiActivityEnable(uint32_t kind)
{
    if (kind >= KINDS || !record_size(kind))
        return TP_CUPTI_INVALID_KIND;
    pthread_mutex_lock(&lock);
    is_enabled[kind] = !fault_setting("enable", 0);
    pthread_mutex_unlock(&lock);
    return (int)fault_setting("enable", 0);
}

FAKE_EXPORT int cuptiActivityDisable(uint32_t kind)
{
    if (kind >= KINDS)
        return TP_CUPTI_INVALID_KIND;
    pthread_mutex_lock(&lock);
    is_enabled[kind] = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* NVIDIA's own function that walks the buffers, if FAKE_CUPTI_WALK names a real libcupti; otherwise NULL. */
static int (*real_walk)(uint8_t *, size_t, void **);

static void find_real_next_record_function(void)
{
    const char *path = getenv("FAKE_CUPTI_WALK");
    void *real = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (path && !real)
        abort();
    if (real)
        *(void **)&real_walk = dlsym(real, "cuptiActivityGetNextRecord");
}

FAKE_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_real_next_record_function);
    if (real_walk)
        return real_walk(buffer, valid, record);
    uint8_t *next = *record ? (uint8_t *)*record + record_size(*(uint32_t *)*record) : buffer;
    if (next >= buffer + valid)
        return TP_CUPTI_MAX_LIMIT;
    if (!record_size(*(uint32_t *)(void *)next))
        return TP_CUPTI_INVALID_KIND;
    *record = next;
    return 0;
}

FAKE_EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    pthread_mutex_lock(&lock);
    *count = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

FAKE_EXPORT int cuptiActivityFlushAll(uint32_t flags)
{
    if (process != getpid())
        for (;;)
            pause(); /* hangs, as NVIDIA's CUPTI can in a forked child */
    pthread_mutex_lock(&lock);
    finish_ready_buffers(flags & TP_CUPTI_FLUSH_FORCED);
    struct buffer *ready = remove_ready_buffers(flags & TP_CUPTI_FLUSH_FORCED);
    pthread_mutex_unlock(&lock);
    deliver_buffers(ready);
    return 0;
}

FAKE_EXPORT int cuptiActivityFlushPeriod(uint32_t ms)
{
    pthread_mutex_lock(&lock);
    period_ms = ms;
    pthread_mutex_unlock(&lock);
    return 0;
}

FAKE_EXPORT int cuptiGetTimestamp(uint64_t *ns)
{
    *ns = realtime_ns() + AHEAD_NS;
    return (int)fault_setting("no_timestamp", 0);
}

FAKE_EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t function, const char **name)
{
    static const struct {
        uint32_t domain, function;
        const char *name;
    } table[] = {{2, 16, "cudaSetDevice_v3020"},
                 {2, 17, "cudaGetDevice_v3020"},
                 {2, 10, "cudaGetLastError_v3020"},
                 {2, 20, "cudaMalloc_v3020"},
                 {2, 27, "cudaMallocHost_v3020"},
                 {2, 418, "cudaMallocAsync_v11020"},
                 {2, 22, "cudaFree_v3020"},
                 {2, 129, "cudaStreamCreate_v3020"},
                 {2, 41, "cudaMemcpyAsync_v3020"},
                 {2, 181, "cudaMemcpyPeerAsync_v4000"},
                 {2, 51, "cudaMemsetAsync_v3020"},
                 {2, 211, "cudaLaunchKernel_v7000"},
                 {2, 311, "cudaGraphLaunch_v10000"},
                 {2, 133, "cudaEventCreate_v3020"},
                 {2, 135, "cudaEventRecord_v3020"},
                 {2, 137, "cudaEventSynchronize_v3020"},
                 {2, 147, "cudaStreamWaitEvent_v3020"},
                 {2, 131, "cudaStreamSynchronize_v3020"},
                 {2, 165, "cudaDeviceSynchronize_v3020"},
                 {1, 13, "cuCtxGetCurrent"},
                 {1, 307, "cuLaunchKernel"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].domain == domain && table[i].function == function) {
            *name = table[i].name;
            return 0;
        }
    return 1;
}
