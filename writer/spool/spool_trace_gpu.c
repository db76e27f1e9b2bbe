/* Writes GPU activity as torch.profiler does: see spool_gpu.h. Keys and their order are those of torch 2.13. */
#include "writer/spool/spool_gpu.h"

#include <stdlib.h>

enum { MAX_ARGS = 16, DEVICE_ROW = 1, SYNC_ROWS = 1000000 };

/* Arguments of an event, with memory for the arrays and texts to which the arguments and the name point. */
struct args {
    struct tp_trace_out_arg items[MAX_ARGS];
    size_t count;
    int64_t grid[3], block[3];
    char text[96];
};

static void add_int(struct args *args, enum tp_trace_out_key key, int64_t value)
{
    args->items[args->count++] = tp_trace_out_int_arg(key, value);
}

static void add_named_int(struct args *args, const char *name, int64_t value)
{
    args->items[args->count] = tp_trace_out_int_arg(TP_OUT_NAMED, value);
    args->items[args->count++].name = tp_str_of(name);
}

/* Returns CUPTI's number, or -1 for CUPTI's value for "none". */
static int64_t number_or_minus_one(uint32_t cupti)
{
    return cupti == TP_SPOOL_GPU_NONE ? -1 : (int64_t)cupti;
}

static struct tp_str record_name(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    struct tp_str name = tp_spool_trace_name(c, record);
    if (record->name >= c->file->name_count)
        return name;
    struct tp_str *known = &c->gpu->names[record->name];
    if (!known->ptr)
        *known = tp_demangle(&c->gpu->demangle, name, c->arena);
    return *known;
}

/* ---- calls ---- */

static void write_flow(struct tp_spool_conversion *c, const struct tp_trace_out_event *slice, uint32_t correlation,
                       bool is_start)
{
    const struct tp_trace_out_flow flow = {.kind = TP_OUT_FLOW_LAUNCH,
                                           .is_start = is_start,
                                           .id = correlation,
                                           .pid = slice->pid,
                                           .tid = slice->tid,
                                           .ts_ns = slice->ts_ns};
    tp_trace_out_flow(c->out, &flow);
}

static void write_call(struct tp_spool_conversion *c, const struct tp_gpu_call *call)
{
    struct tp_spool_gpu_call from;
    struct args args = {.count = 0};
    TP_SPOOL_GPU_READ(&from, call->record);
    if (call->external_id)
        add_int(&args, TP_OUT_EXTERNAL_ID, call->external_id);
    add_int(&args, TP_OUT_CBID, from.function);
    add_int(&args, TP_OUT_CORRELATION, from.correlation);
    const struct tp_trace_out_event event = {.category = from.is_driver ? TP_OUT_CUDA_DRIVER : TP_OUT_CUDA_RUNTIME,
                                             .name = tp_spool_trace_name(c, call->record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = from.tid,
                                             .ts_ns = call->start_ns - c->base_ns,
                                             .dur_ns = call->end_ns - call->start_ns,
                                             .args = args.items,
                                             .arg_count = args.count};
    tp_trace_out_complete(c->out, &event);
    if (call->is_launch)
        write_flow(c, &event, from.correlation, true);
}

/* ---- kernels, copies, sets ---- */

static const struct tp_gpu_device *find_device(const struct tp_spool_gpu *gpu, uint32_t id)
{
    for (size_t i = 0; i < gpu->devices.count; i++)
        if (TP_AT(&gpu->devices, struct tp_gpu_device, i)->out.id == (int64_t)id)
            return TP_AT(&gpu->devices, struct tp_gpu_device, i);
    return NULL;
}

static void add_device_context_and_stream(struct args *args, const struct tp_spool_gpu_work *work)
{
    add_int(args, TP_OUT_DEVICE, work->device);
    add_int(args, TP_OUT_CONTEXT, work->context);
    add_int(args, TP_OUT_STREAM, number_or_minus_one(work->stream));
    add_int(args, TP_OUT_CORRELATION, work->correlation);
}

static void add_graph_arguments(struct args *args, const struct tp_spool_gpu_work *work)
{
    if (!work->graph)
        return;
    add_int(args, TP_OUT_GRAPH_ID, work->graph);
    add_int(args, TP_OUT_GRAPH_NODE_ID, (int64_t)work->graph_node);
}

/* Returns the value rounded to six decimals, as Kineto does. */
static double round_to_six_decimals(float value)
{
    double scaled = (double)value * 1e6;
    return scaled < 9e15 ? (double)(int64_t)(scaled + 0.5) / 1e6 : (double)value;
}

static void add_kernel_args(struct tp_spool_conversion *c, const struct tp_spool_record *record, struct args *args)
{
    struct tp_spool_gpu_kernel kernel;
    struct tp_gpu_occupancy occupancy;
    TP_SPOOL_GPU_READ(&kernel, record);
    const struct tp_gpu_device *device = find_device(c->gpu, kernel.work.device);
    int64_t shared = (int64_t)kernel.static_shared_bytes + kernel.dynamic_shared_bytes;
    struct tp_gpu_launch launch = {.registers = kernel.registers, .shared_bytes = shared};
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = args->grid[i] = kernel.grid[i];
        launch.block[i] = args->block[i] = kernel.block[i];
    }
    add_int(args, TP_OUT_QUEUED, kernel.queued < INT64_MAX ? (int64_t)kernel.queued : 0);
    add_device_context_and_stream(args, &kernel.work);
    add_int(args, TP_OUT_REGISTERS, kernel.registers);
    add_int(args, TP_OUT_SHARED_MEMORY, shared);
    bool is_known = device && tp_gpu_occupancy(&occupancy, &device->limits, &launch);
    if (is_known) {
        args->items[args->count++] =
            tp_trace_out_real_arg(TP_OUT_BLOCKS_PER_SM, round_to_six_decimals(occupancy.blocks_per_sm));
        args->items[args->count++] =
            tp_trace_out_real_arg(TP_OUT_WARPS_PER_SM, round_to_six_decimals(occupancy.warps_per_sm));
    }
    args->items[args->count++] = tp_trace_out_list_arg(TP_OUT_GRID, args->grid, 3);
    args->items[args->count++] = tp_trace_out_list_arg(TP_OUT_BLOCK, args->block, 3);
    if (is_known)
        add_int(args, TP_OUT_OCCUPANCY, occupancy.percent);
    add_graph_arguments(args, &kernel.work);
}

/* Adds the number of bytes, and bytes per nanosecond unless the duration is 0. */
static void add_bytes_and_bandwidth(struct args *args, uint64_t bytes, int64_t dur_ns)
{
    add_int(args, TP_OUT_BYTES, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
    if (dur_ns > 0)
        args->items[args->count++] = tp_trace_out_real_arg(TP_OUT_BANDWIDTH, (double)bytes / (double)dur_ns);
}

static const char *memory_kind_name(unsigned kind)
{
    static const char *const kinds[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
    return kinds[kind < sizeof kinds / sizeof *kinds ? kind : 0];
}

static struct tp_str add_copy_args(const struct tp_gpu_item *item, struct args *args)
{
    static const char *const directions[] = {"<unknown>", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                             "AtoD",      "DtoA", "DtoD", "HtoH", "PtoP"};
    struct tp_spool_gpu_copy copy;
    TP_SPOOL_GPU_READ(&copy, item->record);
    const char *direction = directions[copy.direction < sizeof directions / sizeof *directions ? copy.direction : 0];
    add_device_context_and_stream(args, &copy.work);
    add_bytes_and_bandwidth(args, copy.bytes, item->end_ns - item->start_ns);
    if (copy.is_peer) {
        add_named_int(args, "fromDevice", number_or_minus_one(copy.from_device));
        add_named_int(args, "inDevice", number_or_minus_one(copy.work.device));
        add_named_int(args, "toDevice", number_or_minus_one(copy.to_device));
        add_named_int(args, "fromContext", number_or_minus_one(copy.from_context));
        add_named_int(args, "inContext", number_or_minus_one(copy.work.context));
        add_named_int(args, "toContext", number_or_minus_one(copy.to_context));
    }
    add_graph_arguments(args, &copy.work);
    int n = snprintf(args->text, sizeof args->text, "Memcpy %s (%s -> %s)", direction, memory_kind_name(copy.from_kind),
                     memory_kind_name(copy.to_kind));
    return (struct tp_str){args->text, (size_t)n};
}

static struct tp_str add_set_args(const struct tp_gpu_item *item, struct args *args)
{
    struct tp_spool_gpu_set set;
    TP_SPOOL_GPU_READ(&set, item->record);
    add_device_context_and_stream(args, &set.work);
    add_bytes_and_bandwidth(args, set.bytes, item->end_ns - item->start_ns);
    add_graph_arguments(args, &set.work);
    int n = snprintf(args->text, sizeof args->text, "Memset (%s)", memory_kind_name(set.memory_kind));
    return (struct tp_str){args->text, (size_t)n};
}

/* Fills the members of a trace event that depend on the kind of GPU work item. */
static void fill_event_of_work(struct tp_spool_conversion *c, const struct tp_gpu_item *item,
                               struct tp_trace_out_event *event, struct args *args)
{
    struct tp_spool_gpu_work work;
    switch (item->record->kind) {
    case TP_SPOOL_GPU_COPY:
        event->category = TP_OUT_GPU_MEMCPY;
        event->name = add_copy_args(item, args);
        break;
    case TP_SPOOL_GPU_SET:
        event->category = TP_OUT_GPU_MEMSET;
        event->name = add_set_args(item, args);
        break;
    case TP_SPOOL_GPU_GRAPH:
        TP_SPOOL_GPU_READ(&work, item->record);
        event->category = TP_OUT_KERNEL;
        event->name = TP_STR("CUDA Graph");
        add_device_context_and_stream(args, &work);
        add_graph_arguments(args, &work);
        break;
    default:
        event->category = TP_OUT_KERNEL;
        event->name = record_name(c, item->record);
        add_kernel_args(c, item->record, args);
    }
}

static void write_work(struct tp_spool_conversion *c, const struct tp_gpu_item *item)
{
    struct tp_spool_gpu_work work;
    struct args args = {.count = 0};
    TP_SPOOL_GPU_READ(&work, item->record);
    const struct tp_gpu_call *call = tp_spool_gpu_call(c->gpu, work.correlation);
    const struct tp_gpu_row *row = tp_spool_gpu_find_row(c->gpu, work.device, work.stream, work.context);
    struct tp_trace_out_event event = {.pid = work.device,
                                       .tid = row ? row->tid : (int64_t)work.stream,
                                       .ts_ns = item->start_ns - c->base_ns,
                                       .dur_ns = item->end_ns - item->start_ns};
    if (call && call->external_id)
        add_int(&args, TP_OUT_EXTERNAL_ID, call->external_id);
    fill_event_of_work(c, item, &event, &args);
    event.args = args.items;
    event.arg_count = args.count;
    tp_trace_out_complete(c->out, &event);
    if (call)
        write_flow(c, &event, work.correlation, false);
}

/* ---- waits ---- */

enum { SYNC_EVENT = 1, SYNC_WAIT_EVENT, SYNC_STREAM, SYNC_CONTEXT };

/* Returns the record of the CUDA event for which the thread or stream waits. If the event was recorded several times,
 * returns the last record before the wait. */
static const struct tp_spool_gpu_event *find_recorded_event(const struct tp_spool_gpu *gpu,
                                                            const struct tp_spool_gpu_sync *sync)
{
    const struct tp_spool_gpu_event *list = gpu->events.data, *found = NULL;
    size_t low = 0, high = gpu->events.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tp_spool_gpu_event *e = &list[middle];
        bool is_before = e->context != sync->context ? e->context < sync->context
                         : e->event != sync->event   ? e->event < sync->event
                                                     : e->correlation < sync->correlation;
        if (is_before) {
            found = e;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return found && found->context == sync->context && found->event == sync->event ? found : NULL;
}

static void write_sync(struct tp_spool_conversion *c, const struct tp_gpu_item *item)
{
    static const char *const names[] = {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                        "Context Sync"};
    struct tp_spool_gpu_sync sync;
    struct args args = {.count = 0};
    TP_SPOOL_GPU_READ(&sync, item->record);
    const char *name = names[sync.type <= SYNC_CONTEXT ? sync.type : 0];
    const struct tp_gpu_call *call = tp_spool_gpu_call(c->gpu, sync.correlation);
    int64_t device = number_or_minus_one(tp_spool_gpu_context_device(c->gpu, sync.context)),
            stream = number_or_minus_one(sync.stream);
    if (call && call->external_id)
        add_int(&args, TP_OUT_EXTERNAL_ID, call->external_id);
    args.items[args.count++] = tp_trace_out_text_arg(TP_OUT_SYNC_KIND, tp_str_of(name));
    if (sync.type == SYNC_EVENT || sync.type == SYNC_WAIT_EVENT) {
        const struct tp_spool_gpu_event *event = find_recorded_event(c->gpu, &sync);
        add_int(&args, TP_OUT_WAIT_STREAM, event ? number_or_minus_one(event->stream) : -1);
        add_int(&args, TP_OUT_WAIT_CORRELATION, event ? (int64_t)event->correlation : -1);
        add_int(&args, TP_OUT_WAIT_EVENT, sync.event);
    }
    add_int(&args, TP_OUT_STREAM, stream);
    add_int(&args, TP_OUT_CORRELATION, sync.correlation);
    add_int(&args, TP_OUT_DEVICE, device < 0 ? 0 : device);
    add_int(&args, TP_OUT_CONTEXT, sync.context);
    const struct tp_trace_out_event event = {.category = TP_OUT_CUDA_SYNC,
                                             .name = tp_str_of(name),
                                             .pid = device < 0 ? 0 : device,
                                             .tid = stream < 0 ? DEVICE_ROW : stream + SYNC_ROWS,
                                             .ts_ns = item->start_ns - c->base_ns,
                                             .dur_ns = item->end_ns - item->start_ns,
                                             .args = args.items,
                                             .arg_count = args.count};
    tp_trace_out_complete(c->out, &event);
}

/* ---- overheads, environment of devices ---- */

static void write_overhead(struct tp_spool_conversion *c, const struct tp_gpu_item *item)
{
    static const char *const names[] = {"Unknown",
                                        "Buffer Flush",
                                        "Instrumentation",
                                        "Resource",
                                        "Runtime Triggered Module Loading",
                                        "Lazy Function Loading",
                                        "Command Buffer Full",
                                        "Activity Buffer Request"};
    struct tp_spool_gpu_overhead overhead;
    TP_SPOOL_GPU_READ(&overhead, item->record);
    uint32_t kind = overhead.kind >> 16;
    const char *name = overhead.kind == 1 ? "Driver Compiler" : names[kind < sizeof names / sizeof *names ? kind : 0];
    const struct tp_trace_out_event event = {.category = TP_OUT_OVERHEAD,
                                             .name = tp_str_of(name),
                                             .pid = -1,
                                             .ts_ns = item->start_ns - c->base_ns,
                                             .dur_ns = item->end_ns - item->start_ns};
    tp_trace_out_complete(c->out, &event);
}

static void write_environment(struct tp_spool_conversion *c, const struct tp_gpu_item *item)
{
    static const struct {
        const char *name;
        const char *values[2];
    } forms[] = {{"", {NULL, NULL}},
                 {"clock (MHz)", {"SM", "memory"}},
                 {"temperature (C)", {"GPU", NULL}},
                 {"power (mW)", {"drawn", "limit"}},
                 {"fan (%)", {"speed", NULL}}};
    char name[64];
    struct tp_spool_gpu_environment environment;
    struct tp_trace_out_value values[2];
    size_t count = 0;
    TP_SPOOL_GPU_READ(&environment, item->record);
    if (environment.kind == 0 || environment.kind >= sizeof forms / sizeof *forms)
        return;
    int n = snprintf(name, sizeof name, "GPU %u %s", environment.device, forms[environment.kind].name);
    for (; count < 2 && forms[environment.kind].values[count]; count++)
        values[count] = (struct tp_trace_out_value){tp_str_of(forms[environment.kind].values[count]),
                                                    (double)environment.values[count]};
    tp_trace_out_counter(c->out, (struct tp_str){name, (size_t)n}, (int64_t)c->file->head.pid,
                         item->start_ns - c->base_ns, values, count);
}

/* ---- rows ---- */

static void name_stream(struct tp_spool_conversion *c, const struct tp_gpu_row *row)
{
    char name[64];
    if (row->tid == (int64_t)row->stream) {
        tp_trace_out_stream(c->out, row->device, row->tid);
        return;
    }
    int n = snprintf(name, sizeof name, "stream %u of context %u", row->stream, row->context);
    tp_trace_out_row(c->out, row->device, row->tid, (struct tp_str){name, (size_t)n}, row->stream);
}

struct sync_row {
    int64_t device, stream; /* device and stream that a wait was for; stream -1: the whole device */
};

static int compare_by_device_and_stream(const void *x, const void *y)
{
    const struct sync_row *a = x, *b = y;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Names the rows of waits: one row for each device, and one row for each stream that a wait was for. */
static void name_sync_rows(struct tp_spool_conversion *c)
{
    const struct tp_vec *syncs = &c->gpu->syncs;
    struct sync_row *rows = tp_arena_array(c->arena, syncs->count + 1, sizeof *rows);
    char name[48];
    for (size_t i = 0; i < syncs->count; i++) {
        struct tp_spool_gpu_sync sync;
        TP_SPOOL_GPU_READ(&sync, TP_AT(syncs, struct tp_gpu_item, i)->record);
        int64_t device = number_or_minus_one(tp_spool_gpu_context_device(c->gpu, sync.context));
        rows[i] = (struct sync_row){device < 0 ? 0 : device, number_or_minus_one(sync.stream)};
    }
    qsort(rows, syncs->count, sizeof *rows, compare_by_device_and_stream);
    for (size_t i = 0; i < syncs->count; i++) {
        if (i && compare_by_device_and_stream(&rows[i], &rows[i - 1]) == 0)
            continue;
        bool is_device = rows[i].stream < 0;
        int n = is_device ? snprintf(name, sizeof name, "Device %lld", (long long)rows[i].device)
                          : snprintf(name, sizeof name, "stream %lld (sync)", (long long)rows[i].stream);
        int64_t tid = is_device ? DEVICE_ROW : rows[i].stream + SYNC_ROWS;
        tp_trace_out_row(c->out, rows[i].device, tid, (struct tp_str){name, (size_t)n}, tid);
    }
}

static void write_items(struct tp_spool_conversion *c, const struct tp_vec *items,
                        void (*write)(struct tp_spool_conversion *, const struct tp_gpu_item *))
{
    for (size_t i = 0; i < items->count; i++)
        write(c, TP_AT(items, struct tp_gpu_item, i));
    c->result->event_count += items->count;
}

void tp_spool_gpu_write(struct tp_spool_conversion *c)
{
    struct tp_spool_gpu *gpu = c->gpu;
    if (!gpu)
        return;
    tp_spool_gpu_find_rows(gpu);
    for (size_t i = 0; i < gpu->rows.count; i++)
        name_stream(c, TP_AT(&gpu->rows, struct tp_gpu_row, i));
    name_sync_rows(c);
    tp_spool_gpu_write_memory(c);
    c->result->event_count += gpu->memory.count;
    for (size_t i = 0; i < gpu->calls.count; i++) {
        const struct tp_gpu_call *call = TP_AT(&gpu->calls, struct tp_gpu_call, i);
        if (!call->is_inside)
            write_call(c, call);
        c->result->event_count += !call->is_inside;
    }
    write_items(c, &gpu->works, write_work);
    write_items(c, &gpu->syncs, write_sync);
    write_items(c, &gpu->overheads, write_overhead);
    write_items(c, &gpu->environment, write_environment);
    tp_spool_gpu_write_scopes(c);
}

void tp_spool_gpu_add_facts(const struct tp_spool_conversion *c, struct tp_trace_out_meta *facts, size_t *count)
{
    const struct tp_spool_gpu *gpu = c->gpu;
    const struct {
        const char *key;
        uint64_t value;
    } all[] = {{"tracepress_gpu_dropped", gpu ? gpu->dropped_count : 0},
               {"tracepress_gpu_without_time", gpu ? gpu->untimed_count : 0},
               {"tracepress_gpu_unknown", gpu ? gpu->unknown_count : 0},
               {"tracepress_gpu_broken", gpu ? gpu->lost_buffer_count : 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[24];
        int n = snprintf(text, sizeof text, "%llu", (unsigned long long)all[i].value);
        if (all[i].value)
            facts[(*count)++] = (struct tp_trace_out_meta){
                tp_str_of(all[i].key), {tp_arena_copy(c->arena, text, (size_t)n), (size_t)n}, true};
    }
}
