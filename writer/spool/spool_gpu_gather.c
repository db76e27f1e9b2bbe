/* Collects the GPU records of a spool: see spool_gpu.h. */
#include "writer/spool/spool_gpu.h"

#include <stdlib.h>

static const int64_t MAX_NS = 1ll << 60, MAX_WALL_NS = 1ll << 62;

/* average number of search steps that linking is allowed to take per call */
enum { LINK_STEPS = 64 };

/* ---- times ---- */

static int64_t clamp_time_ns(double ns)
{
    return ns < (double)-MAX_NS ? -MAX_NS : ns > (double)MAX_WALL_NS ? MAX_WALL_NS : (int64_t)ns;
}

/* Returns how far the wall clock is ahead of CUPTI's clock at a clock record, ns. */
static double clock_offset_ns(const struct tp_spool_conversion *c, const struct tp_spool_gpu_clock *clock)
{
    return (double)(tp_spool_realtime_ns(c->file, clock->ticks) - clock->gpu_ns);
}

/* Converts a time of CUPTI's own clock to the wall clock. The offset is interpolated between two clock records. */
static int64_t convert_cupti_time(const struct tp_spool_conversion *c, uint64_t stamp)
{
    const struct tp_spool_gpu_clock *clocks = c->gpu->clocks.data;
    size_t count = c->gpu->clocks.count, low = 0, high = count;
    int64_t ns = stamp < (uint64_t)MAX_WALL_NS ? (int64_t)stamp : MAX_WALL_NS;
    while (low + 1 < high) { /* finds the last clock record at or before ns */
        size_t middle = low + (high - low) / 2;
        if (clocks[middle].gpu_ns <= ns)
            low = middle;
        else
            high = middle;
    }
    double offset = clock_offset_ns(c, &clocks[low]);
    if (count > low + 1 && clocks[low + 1].gpu_ns > clocks[low].gpu_ns) {
        double part = (double)(ns - clocks[low].gpu_ns) / (double)(clocks[low + 1].gpu_ns - clocks[low].gpu_ns);
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        offset += (clock_offset_ns(c, &clocks[low + 1]) - offset) * part;
    }
    double sum = (double)ns + offset;
    return sum > (double)MAX_WALL_NS || sum < 0 ? clamp_time_ns(sum) : ns + (int64_t)offset;
}

static int64_t convert_time(const struct tp_spool_conversion *c, uint64_t stamp)
{
    return c->gpu->clocks.count ? convert_cupti_time(c, stamp) : tp_spool_realtime_ns(c->file, stamp);
}

/* ---- storing the records of each kind ---- */

static void store_item_with_times(struct tp_spool_conversion *c, struct tp_vec *list,
                                  const struct tp_spool_record *record, const uint64_t stamps[2])
{
    struct tp_spool_gpu *gpu = c->gpu;
    if (!stamps[0] && !stamps[1]) {
        gpu->untimed_count++;
        return;
    }
    struct tp_gpu_item *item = tp_vec_push(list);
    *item = (struct tp_gpu_item){record, convert_time(c, stamps[0]), convert_time(c, stamps[1])};
    if (item->end_ns < item->start_ns)
        item->end_ns = item->start_ns; /* the activity has started, but its end is unknown */
    gpu->first_ns = item->start_ns < gpu->first_ns ? item->start_ns : gpu->first_ns;
}

static void store_context(struct tp_spool_gpu *gpu, uint32_t context, uint32_t device)
{
    struct tp_spool_gpu_event *list = gpu->contexts.data;
    size_t count = gpu->contexts.count;
    if (count && list[count - 1].context == context && list[count - 1].stream == device)
        return; /* the context is already stored; successive records usually have the same context */
    *(struct tp_spool_gpu_event *)tp_vec_push(&gpu->contexts) =
        (struct tp_spool_gpu_event){.context = context, .stream = device};
}

static void store_work(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_work work;
    TP_SPOOL_GPU_READ(&work, record);
    store_item_with_times(c, &c->gpu->works, record, (uint64_t[]){work.start, work.end});
    store_context(c->gpu, work.context, work.device);
}

static void store_call(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_call from;
    TP_SPOOL_GPU_READ(&from, record);
    if (!from.start && !from.end) {
        c->gpu->untimed_count++;
        return;
    }
    struct tp_gpu_call *call = tp_vec_push(&c->gpu->calls);
    *call = (struct tp_gpu_call){.record = record,
                                 .start_ns = convert_time(c, from.start),
                                 .end_ns = convert_time(c, from.end),
                                 .correlation = from.correlation,
                                 .tid = from.tid};
    call->end_ns = call->end_ns < call->start_ns ? call->start_ns : call->end_ns;
    c->gpu->first_ns = call->start_ns < c->gpu->first_ns ? call->start_ns : c->gpu->first_ns;
}

static void store_sync(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_sync sync;
    TP_SPOOL_GPU_READ(&sync, record);
    store_item_with_times(c, &c->gpu->syncs, record, (uint64_t[]){sync.start, sync.end});
}

static void store_overhead(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_overhead overhead;
    TP_SPOOL_GPU_READ(&overhead, record);
    store_item_with_times(c, &c->gpu->overheads, record, (uint64_t[]){overhead.start, overhead.end});
}

static void store_memory(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    /* time of the record; the first member of both kinds of payload */
    uint64_t time;
    TP_SPOOL_GPU_READ(&time, record);
    store_item_with_times(c, &c->gpu->memory, record, (uint64_t[]){time, time});
}

static void store_environment(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_environment environment;
    TP_SPOOL_GPU_READ(&environment, record);
    store_item_with_times(c, &c->gpu->environment, record, (uint64_t[]){environment.time, environment.time});
}

static void store_event(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    TP_SPOOL_GPU_READ((struct tp_spool_gpu_event *)tp_vec_push(&c->gpu->events), record);
}

static int64_t negative_to_null(int64_t value)
{
    return value < 0 ? TP_NULL_INT : value;
}

static void store_device(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_device from;
    TP_SPOOL_GPU_READ(&from, record);
    struct tp_gpu_device *device = tp_vec_push(&c->gpu->devices);
    int64_t optin = from.shared_per_block_optin_bytes;
    device->out =
        (struct tp_trace_out_device){.id = from.id,
                                     .name = tp_spool_trace_name(c, record),
                                     .total_memory_bytes = negative_to_null(from.total_memory_bytes),
                                     .compute_major = negative_to_null(from.compute_major),
                                     .compute_minor = negative_to_null(from.compute_minor),
                                     .max_threads_per_block = negative_to_null(from.max_threads_per_block),
                                     .max_threads_per_sm = negative_to_null(from.max_threads_per_sm),
                                     .registers_per_block = negative_to_null(from.registers_per_block),
                                     .warp_size = negative_to_null(from.warp_size),
                                     .shared_memory_per_block_bytes = negative_to_null(from.shared_per_block_bytes),
                                     .sm_count = negative_to_null(from.sm_count),
                                     .registers_per_sm = negative_to_null(from.registers_per_sm),
                                     .shared_memory_per_block_optin_bytes = negative_to_null(optin),
                                     .shared_memory_per_sm_bytes = negative_to_null(from.shared_per_sm_bytes)};
    device->limits = (struct tp_gpu_limits){
        .compute_major = from.compute_major,
        .compute_minor = from.compute_minor,
        .warp_size = from.warp_size,
        .sm_count = from.sm_count,
        .max_threads_per_block = from.max_threads_per_block,
        .max_threads_per_sm = from.max_threads_per_sm,
        .registers_per_block = from.registers_per_block,
        .registers_per_sm = from.registers_per_sm,
        .shared_per_sm_bytes = from.shared_per_sm_bytes,
        .shared_per_block_bytes = optin > from.shared_per_block_bytes ? optin : from.shared_per_block_bytes};
}

static void add_lost_counts(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_lost lost;
    TP_SPOOL_GPU_READ(&lost, record);
    c->gpu->dropped_count += lost.dropped_count;
    c->gpu->unknown_count += lost.unknown_count;
    c->gpu->lost_buffer_count += lost.broken_count;
}

static void store_clock(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_spool_gpu_clock clock;
    TP_SPOOL_GPU_READ(&clock, record);
    if (clock.gpu_ns < 0 || clock.gpu_ns > MAX_WALL_NS)
        c->result->broken_count++;
    else
        *(struct tp_spool_gpu_clock *)tp_vec_push(&c->gpu->clocks) = clock;
}

static const struct {
    size_t size;
    void (*keep)(struct tp_spool_conversion *c, const struct tp_spool_record *record);
} keepers[] = {
    [TP_SPOOL_GPU_DEVICE - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_device), store_device},
    [TP_SPOOL_GPU_CLOCK - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_clock), store_clock},
    [TP_SPOOL_GPU_LOST - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_lost), add_lost_counts},
    [TP_SPOOL_GPU_CALL - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_call), store_call},
    [TP_SPOOL_GPU_KERNEL - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_kernel), store_work},
    [TP_SPOOL_GPU_COPY - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_copy), store_work},
    [TP_SPOOL_GPU_SET - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_set), store_work},
    [TP_SPOOL_GPU_SYNC - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_sync), store_sync},
    [TP_SPOOL_GPU_EVENT - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_event), store_event},
    [TP_SPOOL_GPU_OVERHEAD - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_overhead), store_overhead},
    [TP_SPOOL_GPU_MEMORY - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_memory), store_memory},
    [TP_SPOOL_GPU_POOL - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_pool), store_memory},
    [TP_SPOOL_GPU_ENVIRONMENT - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_environment), store_environment},
    [TP_SPOOL_GPU_GRAPH - TP_SPOOL_GPU_DEVICE] = {sizeof(struct tp_spool_gpu_graph), store_work},
};

enum { KEEPERS = sizeof keepers / sizeof *keepers };

/* Passes GPU records to the functions for their kinds. wants_clocks: true passes only clock records; false passes all
 * other records, whose times depend on the clock records. Returns the number of records. */
static uint64_t walk(struct tp_spool_conversion *c, bool wants_clocks)
{
    uint64_t seen = 0;
    for (uint32_t t = 0; t < c->file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, c->file, &c->file->threads[t]);
        while (tp_spool_next_record(&walk, &record, &payload)) {
            unsigned number = record.kind - (unsigned)TP_SPOOL_GPU_DEVICE;
            if (number >= KEEPERS || (record.kind == TP_SPOOL_GPU_CLOCK) != wants_clocks)
                continue;
            seen++;
            if ((size_t)record.slots * TP_SPOOL_SLOT < keepers[number].size)
                c->result->broken_count++;
            else
                keepers[number].keep(c, (const struct tp_spool_record *)(const void *)payload - 1);
        }
    }
    return seen;
}

/* ---- sorting ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_by_clock(const void *x, const void *y)
{
    const struct tp_spool_gpu_clock *a = x, *b = y;
    return a->gpu_ns != b->gpu_ns ? COMPARE(a->gpu_ns, b->gpu_ns) : COMPARE(a->ticks, b->ticks);
}

/* Compares two calls so that an outer call comes before the calls inside it, and equal calls are in the order of
 * delivery. */
static int compare_by_tid_and_start(const void *x, const void *y)
{
    const struct tp_gpu_call *a = x, *b = y;
    if (a->tid != b->tid)
        return COMPARE(a->tid, b->tid);
    if (a->start_ns != b->start_ns)
        return COMPARE(a->start_ns, b->start_ns);
    return a->end_ns != b->end_ns ? COMPARE(b->end_ns, a->end_ns) : COMPARE(a->record, b->record);
}

static int compare_by_start(const void *x, const void *y)
{
    const struct tp_gpu_item *a = x, *b = y;
    return a->start_ns != b->start_ns ? COMPARE(a->start_ns, b->start_ns) : COMPARE(a->record, b->record);
}

static int compare_by_event(const void *x, const void *y)
{
    const struct tp_spool_gpu_event *a = x, *b = y;
    if (a->context != b->context)
        return COMPARE(a->context, b->context);
    return a->event != b->event ? COMPARE(a->event, b->event) : COMPARE(a->correlation, b->correlation);
}

static int compare_by_context(const void *x, const void *y)
{
    const struct tp_spool_gpu_event *a = x, *b = y;
    return a->context != b->context ? COMPARE(a->context, b->context) : COMPARE(a->stream, b->stream);
}

static int compare_by_device(const void *x, const void *y)
{
    const struct tp_gpu_device *a = x, *b = y;
    return COMPARE(a->out.id, b->out.id);
}

static void sort_items(struct tp_vec *list, int (*compare)(const void *, const void *))
{
    if (list->count)
        qsort(list->data, list->count, list->item_size, compare);
}

/* Drops repeated records of a device. */
static void remove_repeated_devices(struct tp_vec *devices)
{
    size_t kept = 0;
    for (size_t i = 0; i < devices->count; i++) {
        struct tp_gpu_device *device = TP_AT(devices, struct tp_gpu_device, i);
        if (kept && TP_AT(devices, struct tp_gpu_device, kept - 1)->out.id == device->out.id)
            continue;
        *TP_AT(devices, struct tp_gpu_device, kept++) = *device;
    }
    devices->count = kept;
}

/* Marks driver calls inside a runtime call, so that they are not written: the runtime call shows the same work. */
static void mark_driver_calls_in_runtime_calls(struct tp_vec *calls)
{
    int64_t end_ns = 0;
    uint32_t tid = 0;
    bool has_runtime = false;
    for (size_t i = 0; i < calls->count; i++) {
        struct tp_gpu_call *call = TP_AT(calls, struct tp_gpu_call, i);
        struct tp_spool_gpu_call from;
        TP_SPOOL_GPU_READ(&from, call->record);
        call->is_inside = has_runtime && from.is_driver && call->tid == tid && call->end_ns <= end_ns;
        if (from.is_driver)
            continue;
        has_runtime = true;
        tid = call->tid;
        end_ns = call->end_ns;
    }
}

struct keyed {
    uint32_t correlation, call;
};

static int compare_by_correlation(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    return a->correlation != b->correlation ? COMPARE(a->correlation, b->correlation) : COMPARE(a->call, b->call);
}

static void index_calls(struct tp_spool_conversion *c)
{
    struct tp_spool_gpu *gpu = c->gpu;
    struct keyed *keyed = tp_arena_array(c->arena, gpu->calls.count, sizeof *keyed);
    gpu->by_correlation = tp_arena_array(c->arena, gpu->calls.count, sizeof *gpu->by_correlation);
    for (size_t i = 0; i < gpu->calls.count; i++)
        keyed[i] = (struct keyed){TP_AT(&gpu->calls, struct tp_gpu_call, i)->correlation, (uint32_t)i};
    if (gpu->calls.count)
        qsort(keyed, gpu->calls.count, sizeof *keyed, compare_by_correlation);
    for (size_t i = 0; i < gpu->calls.count; i++)
        gpu->by_correlation[i] = keyed[i].call;
    tp_arena_free_item(c->arena, keyed, gpu->calls.count * sizeof *keyed);
}

struct tp_gpu_call *tp_spool_gpu_call(const struct tp_spool_gpu *gpu, uint32_t correlation)
{
    size_t low = 0, high = gpu->calls.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (TP_AT(&gpu->calls, struct tp_gpu_call, gpu->by_correlation[middle])->correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == gpu->calls.count)
        return NULL;
    struct tp_gpu_call *call = TP_AT(&gpu->calls, struct tp_gpu_call, gpu->by_correlation[low]);
    return call->correlation == correlation ? call : NULL;
}

static void mark_launches(struct tp_spool_gpu *gpu)
{
    for (size_t i = 0; i < gpu->works.count; i++) {
        struct tp_spool_gpu_work work;
        TP_SPOOL_GPU_READ(&work, TP_AT(&gpu->works, struct tp_gpu_item, i)->record);
        struct tp_gpu_call *call = tp_spool_gpu_call(gpu, work.correlation);
        if (call)
            call->is_launch = true;
    }
}

void tp_spool_gpu_gather(struct tp_spool_conversion *c)
{
    struct tp_arena *arena = c->arena;
    struct tp_spool_gpu *gpu = c->gpu = tp_arena_alloc(arena, sizeof *gpu);
    gpu->works = gpu->syncs = gpu->overheads = gpu->environment = gpu->memory = TP_VEC(arena, struct tp_gpu_item);
    gpu->calls = TP_VEC(arena, struct tp_gpu_call);
    gpu->events = gpu->contexts = TP_VEC(arena, struct tp_spool_gpu_event);
    gpu->devices = TP_VEC(arena, struct tp_gpu_device);
    gpu->clocks = TP_VEC(arena, struct tp_spool_gpu_clock);
    gpu->scopes = TP_VEC(arena, struct tp_gpu_scope);
    gpu->rows = TP_VEC(arena, struct tp_gpu_row);
    gpu->first_ns = INT64_MAX;
    uint64_t seen = walk(c, true);
    sort_items(&gpu->clocks, compare_by_clock);
    seen += walk(c, false);
    if (!seen) {
        c->gpu = NULL;
        return;
    }
    sort_items(&gpu->calls, compare_by_tid_and_start);
    sort_items(&gpu->memory, compare_by_start);
    sort_items(&gpu->events, compare_by_event);
    sort_items(&gpu->contexts, compare_by_context);
    sort_items(&gpu->devices, compare_by_device);
    remove_repeated_devices(&gpu->devices);
    mark_driver_calls_in_runtime_calls(&gpu->calls);
    index_calls(c);
    mark_launches(gpu);
    gpu->names = tp_arena_array(arena, c->file->name_count + 1u, sizeof *gpu->names);
    tp_demangle_init(&gpu->demangle);
    gpu->steps_left = LINK_STEPS * (gpu->calls.count + 1);
    tp_vec_push(&gpu->scopes); /* adds an unused item, so that index 0 means no scope */
}
