/* Implements libcudart.so.13 without a GPU; see fake.h. A stream is represented by the time until which it is busy. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/cuda/fake.h"

enum { NONE = -1, LATENCY_NS = 3000, FIRST_STREAM = 7, POOL_BYTES = 32 << 20, MAX_STREAMS = 512 };
enum { SYNC_EVENT = 1, SYNC_WAIT_EVENT, SYNC_STREAM, SYNC_CONTEXT };
enum { ALLOCATION = 1, RELEASE };
enum { PAGEABLE = 1, PINNED, DEVICE };

struct fake_stream {
    uint32_t id, device, context;
    uint64_t free_ns, free_stamp; /* end of the last work on the stream: free_ns on CLOCK_REALTIME, free_stamp on
                                   * CUPTI's clock */
};

struct fake_event {
    uint32_t id, context;
    uint64_t done_ns, done_stamp;
};

struct allocation { /* header of an allocation, before the program's bytes */
    uint64_t bytes;
    uint32_t kind, device;
    uint64_t pool;
};

/* Operation on a stream: start and end on CUPTI's clock, and end on CLOCK_REALTIME, ns. */
struct span {
    uint64_t start, end, done_ns;
};

static struct {
    uint64_t (*now)(void), (*length)(uint64_t ns);
    uint32_t (*call)(int, uint32_t, uint64_t);
    void (*record)(const void *, size_t, uint64_t);
} hooks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_stream streams[MAX_STREAMS];
static unsigned stream_count;
/* ids of the newest context, event and graph; contexts 1 and 2 belong to devices 0 and 1 */
static uint32_t contexts = 2, events, graphs;
static int has_pool;
static __thread uint32_t device_now, context_now = 1;

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int has_hooks;

static int has_profiler_hooks(void)
{
    return __atomic_load_n(&has_hooks, __ATOMIC_ACQUIRE);
}

static void initialize_driver(void)
{
    cuInit(0);
}

/* Searches for CUPTI, which the program can load at any time. When CUPTI is found, resets the end times of streams,
 * because they were measured with another clock. */
static void find_hooks(void)
{
    void *cupti = has_profiler_hooks() ? NULL : dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (!cupti)
        return;
    pthread_mutex_lock(&lock);
    if (!has_profiler_hooks()) {
        *(void **)&hooks.now = dlsym(cupti, "fake_cupti_now");
        *(void **)&hooks.length = dlsym(cupti, "fake_cupti_length");
        *(void **)&hooks.call = dlsym(cupti, "fake_cupti_call");
        *(void **)&hooks.record = dlsym(cupti, "fake_cupti_record");
        for (unsigned i = 0; i < stream_count; i++)
            streams[i].free_stamp = 0;
        __atomic_store_n(&has_hooks, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

static uint64_t now(void)
{
    return has_profiler_hooks() ? hooks.now() : realtime_ns();
}

static uint64_t length(uint64_t ns)
{
    return has_profiler_hooks() ? hooks.length(ns) : ns;
}

/* Starts a call. Returns its time stamp. */
static uint64_t begin_call(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize_driver);
    find_hooks();
    return now();
}

static uint32_t end_call(uint32_t function, uint64_t start)
{
    return has_profiler_hooks() ? hooks.call(0, function, start) : 0;
}

static void record(const void *bytes, size_t size, uint64_t ready_ns)
{
    if (has_profiler_hooks())
        hooks.record(bytes, size, ready_ns);
}

/* ---- streams ---- */

static struct fake_stream *add_stream(uint32_t id)
{
    if (stream_count == MAX_STREAMS)
        abort();
    struct fake_stream *stream = &streams[stream_count++];
    *stream = (struct fake_stream){.id = id, .device = device_now, .context = context_now};
    return stream;
}

/* Returns the stream. The default stream has number 7 in each context. */
static struct fake_stream *find_stream(cudaStream_t given)
{
    if (given)
        return given;
    for (unsigned i = 0; i < stream_count; i++)
        if (streams[i].context == context_now && streams[i].id == FIRST_STREAM)
            return &streams[i];
    return add_stream(FIRST_STREAM);
}

static uint64_t later_time(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds an operation of `ns` nanoseconds to a stream. */
static struct fake_stream *add_operation(cudaStream_t given, uint64_t ns, struct span *span)
{
    uint64_t earliest_ns = realtime_ns() + LATENCY_NS, earliest = now() + length(LATENCY_NS);
    pthread_mutex_lock(&lock);
    struct fake_stream *stream = find_stream(given);
    span->start = later_time(stream->free_stamp, earliest);
    span->end = stream->free_stamp = span->start + length(ns);
    span->done_ns = stream->free_ns = later_time(stream->free_ns, earliest_ns) + ns;
    pthread_mutex_unlock(&lock);
    return stream;
}

static void wait_until(uint64_t ns)
{
    for (uint64_t at = realtime_ns(); at < ns; at = realtime_ns()) {
        const struct timespec rest = {(time_t)((ns - at) / 1000000000u), (long)((ns - at) % 1000000000u)};
        nanosleep(&rest, NULL);
    }
}

static uint64_t find_busy_end(cudaStream_t given, int is_all)
{
    uint64_t last = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < stream_count; i++)
        if ((is_all ? streams[i].context == context_now : &streams[i] == given) && streams[i].free_ns > last)
            last = streams[i].free_ns;
    pthread_mutex_unlock(&lock);
    return last;
}

FAKE_EXPORT int cudaStreamCreate(cudaStream_t *stream)
{
    static uint32_t number = 13;
    uint64_t start = begin_call();
    pthread_mutex_lock(&lock);
    *stream = add_stream(number++);
    pthread_mutex_unlock(&lock);
    end_call(129, start);
    return 0;
}

FAKE_EXPORT int cudaSetDevice(int device)
{
    uint64_t start = begin_call();
    device_now = (uint32_t)device;
    context_now = (uint32_t)device + 1;
    end_call(16, start);
    return 0;
}

FAKE_EXPORT int cudaGetDevice(int *device)
{
    uint64_t start = begin_call();
    *device = (int)device_now;
    end_call(17, start);
    return 0;
}

FAKE_EXPORT int cudaGetLastError(void)
{
    end_call(10, begin_call());
    return 0;
}

FAKE_EXPORT int fake_new_context(int device)
{
    begin_call();
    device_now = (uint32_t)device;
    context_now = __atomic_add_fetch(&contexts, 1, __ATOMIC_RELAXED);
    return (int)context_now;
}

/* ---- kernels ---- */

static void record_kernel(const struct fake_kernel *kernel, const struct tp_cupti_kernel *launch,
                          const struct fake_stream *stream, const struct span *span)
{
    struct tp_cupti_kernel out = *launch;
    out.kind = TP_CUPTI_KERNEL;
    out.registers = (uint16_t)kernel->registers;
    out.static_shared_bytes = kernel->static_shared_bytes;
    out.start = span->start;
    out.end = span->end;
    out.device = stream->device;
    out.context = stream->context;
    out.stream = stream->id;
    out.name = kernel->name;
    record(&out, sizeof out, span->done_ns);
}

FAKE_EXPORT int cudaLaunchKernel(const void *function, struct fake_dim3 grid, struct fake_dim3 block, void **args,
                                 size_t shared, cudaStream_t given)
{
    const struct fake_kernel *kernel = function;
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, kernel->ns, &span);
    struct tp_cupti_kernel launch = {.grid = {(int)grid.x, (int)grid.y, (int)grid.z},
                                     .block = {(int)block.x, (int)block.y, (int)block.z},
                                     .dynamic_shared_bytes = (int)shared};
    ignore_unused(args);
    launch.correlation = end_call(211, start);
    record_kernel(kernel, &launch, stream, &span);
    return 0;
}

FAKE_EXPORT int cuLaunchKernel(const struct fake_kernel *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, cudaStream_t given, void **args, void **extra)
{
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, kernel->ns, &span);
    struct tp_cupti_kernel launch = {
        .grid = {(int)gx, (int)gy, (int)gz}, .block = {(int)bx, (int)by, (int)bz}, .dynamic_shared_bytes = (int)shared};
    ignore_unused(args);
    ignore_unused(extra);
    launch.correlation = has_profiler_hooks() ? hooks.call(1, 307, start) : 0;
    record_kernel(kernel, &launch, stream, &span);
    return 0;
}

FAKE_EXPORT int fake_graph_launch(const struct fake_kernel *kernel, int count, cudaStream_t given)
{
    uint64_t start = begin_call();
    uint32_t correlation = end_call(311, start), graph = __atomic_add_fetch(&graphs, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < count; i++) {
        struct span span;
        struct fake_stream *stream = add_operation(given, kernel->ns, &span);
        const struct tp_cupti_kernel launch = {.grid = {8, 1, 1},
                                               .block = {128, 1, 1},
                                               .correlation = correlation,
                                               .graph = graph,
                                               .graph_node = ((uint64_t)graph << 32) + (uint64_t)i};
        record_kernel(kernel, &launch, stream, &span);
    }
    return 0;
}

/* ---- memory copies and memory sets ---- */

FAKE_EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cudaStream_t given)
{
    static const uint8_t directions[] = {9, 1, 2, 8};
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, bytes / 12 + 900, &span);
    struct tp_cupti_memcpy copy = {.kind = TP_CUPTI_MEMCPY,
                                   .direction = directions[direction & 3],
                                   .from_kind = direction == cudaMemcpyHostToDevice ? PAGEABLE : DEVICE,
                                   .to_kind = direction == cudaMemcpyDeviceToHost ? PINNED : DEVICE,
                                   .bytes = bytes,
                                   .device = stream->device,
                                   .context = stream->context,
                                   .stream = stream->id};
    ignore_unused(to);
    ignore_unused(from);
    copy.correlation = end_call(41, start);
    copy.start = span.start;
    copy.end = span.end;
    record(&copy, sizeof copy, span.done_ns);
    return 0;
}

FAKE_EXPORT int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                    cudaStream_t given)
{
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, bytes / 40 + 900, &span);
    struct tp_cupti_memcpy_peer copy = {.kind = TP_CUPTI_MEMCPY_PEER,
                                        .direction = 10,
                                        .from_kind = DEVICE,
                                        .to_kind = DEVICE,
                                        .bytes = bytes,
                                        .device = stream->device,
                                        .context = stream->context,
                                        .stream = stream->id,
                                        .from_device = (uint32_t)from_device,
                                        .from_context = (uint32_t)from_device + 1,
                                        .to_device = (uint32_t)to_device,
                                        .to_context = (uint32_t)to_device + 1};
    ignore_unused(to);
    ignore_unused(from);
    copy.correlation = end_call(181, start);
    copy.start = span.start;
    copy.end = span.end;
    record(&copy, sizeof copy, span.done_ns);
    return 0;
}

FAKE_EXPORT int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t given)
{
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, bytes / 400 + 700, &span);
    struct tp_cupti_memset set = {.kind = TP_CUPTI_MEMSET,
                                  .value = (uint32_t)value,
                                  .bytes = bytes,
                                  .device = stream->device,
                                  .context = stream->context,
                                  .stream = stream->id,
                                  .memory_kind = DEVICE};
    ignore_unused(to);
    set.correlation = end_call(51, start);
    set.start = span.start;
    set.end = span.end;
    record(&set, sizeof set, span.done_ns);
    return 0;
}

/* ---- memory ---- */

static void record_memory(const struct allocation *at, uint32_t operation, uint32_t correlation)
{
    const struct tp_cupti_memory memory = {.kind = TP_CUPTI_MEMORY,
                                           .operation = operation,
                                           .memory_kind = at->kind,
                                           .correlation = correlation,
                                           .address = (uint64_t)(uintptr_t)(at + 1),
                                           .bytes = at->bytes,
                                           .time = now(),
                                           .process = (uint32_t)getpid(),
                                           .device = at->device,
                                           .context = context_now,
                                           .stream = FIRST_STREAM,
                                           .pool_type = at->pool != 0,
                                           .pool_address = at->pool};
    record(&memory, sizeof memory, 0);
}

static int allocate(void **address, const struct allocation *wanted, uint32_t function)
{
    uint64_t start = begin_call();
    struct allocation *at = malloc(sizeof *at + 16); /* device memory has no content here, only this header */
    if (!at)
        return 2;
    *at = *wanted;
    *address = at + 1;
    record_memory(at, ALLOCATION, end_call(function, start));
    return 0;
}

FAKE_EXPORT int cudaMalloc(void **address, size_t bytes)
{
    return allocate(address, &(struct allocation){bytes, DEVICE, device_now, 0}, 20);
}

FAKE_EXPORT int cudaMallocHost(void **address, size_t bytes)
{
    return allocate(address, &(struct allocation){bytes, PINNED, 0, 0}, 27);
}

FAKE_EXPORT int cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream)
{
    const struct tp_cupti_pool pool = {.kind = TP_CUPTI_POOL,
                                       .operation = 1,
                                       .pool_type = 1,
                                       .device = device_now,
                                       .address = 0x7000,
                                       .size_bytes = POOL_BYTES,
                                       .used_bytes = bytes,
                                       .time = now()};
    ignore_unused(stream);
    if (!__atomic_exchange_n(&has_pool, 1, __ATOMIC_RELAXED)) {
        begin_call();
        record(&pool, sizeof pool, 0);
    }
    return allocate(address, &(struct allocation){bytes, DEVICE, device_now, pool.address}, 418);
}

FAKE_EXPORT int cudaFree(void *address)
{
    uint64_t start = begin_call();
    struct allocation *at = address ? (struct allocation *)address - 1 : NULL;
    uint32_t correlation = end_call(22, start);
    if (at)
        record_memory(at, RELEASE, correlation);
    free(at);
    return 0;
}

/* ---- waits ---- */

static void record_sync(uint32_t type, uint64_t start, uint32_t function, const struct fake_stream *stream,
                        const struct fake_event *event)
{
    struct tp_cupti_sync sync = {.kind = TP_CUPTI_SYNC,
                                 .type = type,
                                 .context = context_now,
                                 .stream = stream ? stream->id : UINT32_MAX,
                                 .event = event ? event->id : UINT32_MAX};
    sync.correlation = end_call(function, start);
    sync.start = start;
    sync.end = now();
    record(&sync, sizeof sync, 0);
}

FAKE_EXPORT int cudaEventCreate(cudaEvent_t *event)
{
    uint64_t start = begin_call();
    *event = calloc(1, sizeof **event);
    (*event)->id = __atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);
    end_call(133, start);
    return 0;
}

FAKE_EXPORT int cudaEventRecord(cudaEvent_t event, cudaStream_t given)
{
    uint64_t start = begin_call();
    struct span span;
    struct fake_stream *stream = add_operation(given, 0, &span);
    struct tp_cupti_event out = {TP_CUPTI_EVENT, 0, stream->context, stream->id, event->id};
    event->done_ns = span.done_ns;
    event->done_stamp = span.end;
    out.correlation = end_call(135, start);
    record(&out, sizeof out, 0);
    return 0;
}

FAKE_EXPORT int cudaEventSynchronize(cudaEvent_t event)
{
    uint64_t start = begin_call();
    wait_until(event->done_ns);
    record_sync(SYNC_EVENT, start, 137, NULL, event);
    return 0;
}

FAKE_EXPORT int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    uint64_t start = begin_call();
    (void)flags;
    pthread_mutex_lock(&lock);
    stream->free_ns = later_time(stream->free_ns, event->done_ns);
    stream->free_stamp = later_time(stream->free_stamp, event->done_stamp);
    pthread_mutex_unlock(&lock);
    record_sync(SYNC_WAIT_EVENT, start, 147, stream, event);
    return 0;
}

FAKE_EXPORT int cudaStreamSynchronize(cudaStream_t given)
{
    uint64_t start = begin_call();
    pthread_mutex_lock(&lock);
    struct fake_stream *stream = find_stream(given);
    pthread_mutex_unlock(&lock);
    wait_until(find_busy_end(stream, 0));
    record_sync(SYNC_STREAM, start, 131, stream, NULL);
    return 0;
}

FAKE_EXPORT int cudaDeviceSynchronize(void)
{
    uint64_t start = begin_call();
    const struct tp_cupti_overhead overhead = {.kind = TP_CUPTI_OVERHEAD,
                                               .overhead = 1 << 16,
                                               .object = TP_CUPTI_OBJECT_THREAD,
                                               .start = start,
                                               .end = start + length(500)};
    const struct tp_cupti_environment clocks = {.kind = TP_CUPTI_ENVIRONMENT,
                                                .device = device_now,
                                                .time = start,
                                                .environment = 1,
                                                .values = {1380, 877, 3, 16}};
    wait_until(find_busy_end(NULL, 1));
    record_sync(SYNC_CONTEXT, start, 165, NULL, NULL);
    record(&overhead, sizeof overhead, 0);
    record(&clocks, sizeof clocks, 0);
    return 0;
}
