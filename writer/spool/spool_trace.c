/* Converts a spool to a trace: see spool_trace.h.
 *
 * For each thread, a stack matches the starts and ends of ranges. The ranges are written in the order of their starts,
 * as torch does. Times are those of the spool's clock, converted to the wall clock of the first clock note. */
#include "writer/spool/spool_trace.h"

#include <stdlib.h>
#include <string.h>

#include "writer/spool/spool_gpu.h"
#include "writer/spool/spool_trace_part.h"

enum { STEPS_PER_SLOT = 64, RANGES_PER_LOOK = 1 << 14 };

/* ---- threads ---- */

/* Returns whether the thread is the sampling thread of the recorder, which has no events of its own. */
static bool is_sampler(const struct tp_spool_conversion *c, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, c->file, thread);
    return tp_spool_next_record(&walk, &record, &payload) &&
           (record.kind == TP_SPOOL_SAMPLED || record.kind == TP_SPOOL_SAMPLE);
}

/* Passes each record to the function for its kind. */
static void pass_record_to_function(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    if (record->kind == TP_SPOOL_END)
        tp_spool_end_range(c, tp_spool_trace_time_ns(c, record));
    else if (record->kind == TP_SPOOL_STEP_END)
        tp_spool_end_step(c, tp_spool_trace_time_ns(c, record));
    else if ((record->kind >= TP_SPOOL_SCOPE && record->kind <= TP_SPOOL_STEP) || record->kind == TP_SPOOL_KIND_SCOPE)
        tp_spool_begin_range(c, record);
    else if (record->kind >= TP_SPOOL_MARK_PUSH && record->kind <= TP_SPOOL_MARK_FACT)
        tp_spool_read_mark(c, record, tid);
    else if (record->kind >= TP_SPOOL_FUNCTION)
        tp_spool_add_native(c, record);
    else if (record->kind < TP_SPOOL_GPU_DEVICE)
        tp_spool_write_moment(c, record, tid);
}

static void report_progress(const struct tp_spool_conversion *c, uint64_t bytes)
{
    if (c->watch)
        c->watch->seen(c->watch->context, bytes);
}

/* Reads the records of a thread. Reading takes about as long as writing, so half of the bytes are reported as progress
 * here. Returns the number of bytes that remain to be reported. */
static uint64_t read_records_of_thread(struct tp_spool_conversion *c, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    tp_spool_walk(&walk, c->file, thread);
    uint32_t chunk = walk.chunk;
    uint64_t bytes = 0;
    while (tp_spool_next_record(&walk, &record, &payload) && record.time <= c->last_record_ticks) {
        const struct tp_spool_record *stored = (const struct tp_spool_record *)(const void *)payload - 1;
        if (record.kind != TP_SPOOL_STACK)
            pass_record_to_function(c, stored, thread->tid);
        c->next_stack = record.kind == TP_SPOOL_STACK ? stored : NULL;
        if (walk.chunk != chunk) {
            uint64_t half = c->file->chunks[chunk]->size / 2;
            report_progress(c, half);
            bytes += half;
            chunk = walk.chunk;
        }
    }
    c->result->broken_count += walk.broken_count;
    return bytes;
}

static void write_events_of_thread(struct tp_spool_conversion *c, const struct tp_spool_thread *thread)
{
    tp_spool_begin_thread(c, (uint32_t)(thread - c->file->threads));
    if (!is_sampler(c, thread))
        tp_trace_out_thread(c->out, (int64_t)c->file->head.pid, (int64_t)thread->tid, tp_spool_thread_name(c, thread));
    uint64_t other_half = read_records_of_thread(c, thread);
    tp_spool_end_all(c, c->end_ns);
    tp_spool_cut_native(c);
    for (size_t i = 0; i < c->ranges.count; i++) {
        struct tp_spool_range *range = TP_AT(&c->ranges, struct tp_spool_range, i);
        if (range->is_crossing)
            tp_spool_write_crossing(c, range);
        else
            tp_spool_write_range(c, range, thread->tid);
        if ((i + 1) % RANGES_PER_LOOK == 0)
            report_progress(c, (uint64_t)((double)other_half / (double)c->ranges.count * RANGES_PER_LOOK));
    }
    tp_spool_gpu_link(c, thread->tid);
    c->result->range_count += c->ranges.count;
}

/* Returns the time at which a record began. A sample was taken before its record was written. */
static uint64_t record_begin_ticks(const struct tp_spool_record *record, const char *payload)
{
    struct tp_spool_sample sample = {.ticks = record->time};
    if (record->kind == TP_SPOOL_SAMPLE && (size_t)record->slots * TP_SPOOL_SLOT >= sizeof sample)
        memcpy(&sample, payload, sizeof sample);
    return sample.ticks < record->time ? sample.ticks : record->time;
}

/* Finds the first and the last moment of the recording. Collects names, region ends and lanes from all threads. */
static void find_time_range_and_names(struct tp_spool_conversion *c, int64_t *first)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t t = 0; t < c->file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, c->file, &c->file->threads[t]);
        while (tp_spool_next_record(&walk, &record, &payload)) {
            uint64_t time = record_begin_ticks(&record, payload);
            least = time < least ? time : least;
            most = record.time > most ? record.time : most;
            c->has_memory |= record.kind == TP_SPOOL_MEMORY_NOTE;
            tp_spool_gather_names(c, (const struct tp_spool_record *)(const void *)payload - 1);
            tp_spool_gather_native(c, (const struct tp_spool_record *)(const void *)payload - 1);
            tp_spool_gather_work_lane(c, (const struct tp_spool_record *)(const void *)payload - 1);
        }
    }
    *first = most ? tp_spool_realtime_ns(c->file, least) : (int64_t)c->file->head.start_realtime_ns;
    c->end_ns = most ? tp_spool_realtime_ns(c->file, most) : *first;
    c->last_record_ticks = most;
    tp_spool_sort_names(c);
}

/* ---- forward-backward arrows ---- */

static int compare_by_sequence(const void *x, const void *y)
{
    const struct tp_spool_arrow *a = x, *b = y;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->is_backward != b->is_backward)
        return a->is_backward ? 1 : -1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Writes an arrow from the last forward operator of a sequence number to its first backward operator. */
static void write_forward_backward_arrows(struct tp_spool_conversion *c)
{
    struct tp_spool_arrow *arrows = c->arrows.data;
    int64_t id = 0;
    if (c->arrows.count)
        qsort(arrows, c->arrows.count, sizeof *arrows, compare_by_sequence);
    for (size_t i = 1; i < c->arrows.count; i++) {
        const struct tp_spool_arrow *from = &arrows[i - 1], *to = &arrows[i];
        if (from->sequence != to->sequence || from->is_backward || !to->is_backward || to->start_ns < from->start_ns)
            continue; /* skipped, because readers drop arrows into the past */
        struct tp_trace_out_flow flow = {.kind = TP_OUT_FLOW_BACKWARD,
                                         .is_start = true,
                                         .id = ++id,
                                         .pid = (int64_t)c->file->head.pid,
                                         .tid = (int64_t)from->tid,
                                         .ts_ns = from->start_ns};
        tp_trace_out_flow(c->out, &flow);
        flow.is_start = false;
        flow.tid = (int64_t)to->tid;
        flow.ts_ns = to->start_ns;
        tp_trace_out_flow(c->out, &flow);
    }
}

/* ---- the document ---- */

static int64_t known_rank(uint32_t rank)
{
    return rank == UINT32_MAX ? -1 : (int64_t)rank;
}

static unsigned trace_flags_of_spool_flags(uint32_t spool)
{
    static const struct {
        uint32_t spool;
        unsigned out;
    } map[] = {{TP_SPOOL_SHAPES, TP_OUT_RECORD_SHAPES},
               {TP_SPOOL_MEMORY, TP_OUT_PROFILE_MEMORY},
               {TP_SPOOL_STACKS, TP_OUT_WITH_STACK},
               {TP_SPOOL_FLOPS, TP_OUT_WITH_FLOPS},
               {TP_SPOOL_MODULES, TP_OUT_WITH_MODULES}};
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        flags |= spool & map[i].spool ? map[i].out : 0;
    return flags;
}

/* Output of a conversion. */
struct target {
    const char *trace; /* path of the trace; not used to open a file if there is a receiver */
    bool is_gzip;
    const struct tp_trace_receiver *receiver; /* receiver of the trace's records; NULL: a file is written */
};

static int open_trace(struct tp_spool_conversion *c, const struct target *target, int64_t first_ns,
                      struct tp_error *err)
{
    const struct tp_spool_head *head = &c->file->head;
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    /* number of metadata entries that the conversion adds: four about the GPU, and one for the recorder */
    enum { OWN_FACTS = 5 };
    struct tp_trace_out_meta *metadata = tp_arena_array(c->arena, c->file->fact_count + OWN_FACTS, sizeof *metadata);
    size_t metadata_count = c->file->fact_count, gpu_count = c->gpu ? c->gpu->devices.count : 0;
    struct tp_trace_out_device *devices = tp_arena_array(c->arena, gpu_count + TP_SPOOL_WORK_DEVICES, sizeof *devices);
    for (uint32_t i = 0; i < c->file->fact_count; i++)
        metadata[i] =
            (struct tp_trace_out_meta){c->file->facts[i].key, c->file->facts[i].value, c->file->facts[i].is_json};
    options.is_gzip = target->is_gzip;
    options.receiver = target->receiver;
    options.flags = trace_flags_of_spool_flags(head->flags);
    /* without memory records the flag is removed, because readers would report missing records */
    if (!c->has_memory && !c->gpu)
        options.flags &= ~(unsigned)TP_OUT_PROFILE_MEMORY;
    options.base_time_ns = c->base_ns;
    options.begin_ns = first_ns - c->base_ns;
    options.process_id = (int64_t)head->pid;
    options.process_name = (struct tp_str){head->program, strnlen(head->program, sizeof head->program)};
    /* true if the rank is known from the environment; otherwise from MPI, or unknown */
    bool is_given = head->rank != UINT32_MAX;
    options.rank = known_rank(is_given ? head->rank : c->rank.rank);
    options.world_size = known_rank(is_given ? head->world_size : c->rank.world_size);
    options.local_rank = known_rank(is_given ? head->local_rank : c->rank.local_rank);
    options.metadata = metadata;
    tp_spool_gpu_add_facts(c, metadata, &metadata_count);
    metadata[metadata_count++] = (struct tp_trace_out_meta){TP_STR("tracepress_recorder"), TP_STR("native"), false};
    options.metadata_count = metadata_count;
    for (size_t i = 0; i < gpu_count; i++)
        devices[i] = TP_AT(&c->gpu->devices, struct tp_gpu_device, i)->out;
    options.devices = devices;
    options.device_count = gpu_count + tp_spool_fill_work_devices(c, devices + gpu_count);
    return tp_trace_out_open(&c->out, target->trace, &options, err);
}

static int convert_spool(struct tp_spool_conversion *c, const struct target *target, struct tp_error *err)
{
    int64_t first;
    c->categories = TP_VEC(c->arena, struct tp_spool_given_name);
    c->threads = TP_VEC(c->arena, struct tp_spool_given_name);
    c->regions = TP_VEC(c->arena, struct tp_spool_region_end);
    c->lanes = TP_VEC(c->arena, struct tp_spool_lane);
    c->works = TP_VEC(c->arena, struct tp_spool_lane_range);
    c->first_work_ns = INT64_MAX;
    c->steps_left = (uint64_t)STEPS_PER_SLOT * (c->file->size / TP_SPOOL_SLOT);
    c->rank = (struct tp_spool_rank){UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};
    find_time_range_and_names(c, &first);
    tp_spool_gpu_gather(c);
    /* CUPTI delivers records after the activity, but no activity is older than the spool */
    if (c->gpu && c->gpu->first_ns < first)
        first = c->gpu->first_ns > (int64_t)c->file->head.start_realtime_ns ? c->gpu->first_ns
                                                                            : (int64_t)c->file->head.start_realtime_ns;
    first = tp_spool_finish_work_lanes(c, first);
    c->base_ns = tp_trace_out_base_time_ns(first > 0 ? first : 0);
    c->end_ns -= c->base_ns;
    c->result->start_ns = first;
    c->result->was_stopped = c->file->was_stopped;
    c->result->broken_count += c->file->broken_count;
    c->arrows = TP_VEC(c->arena, struct tp_spool_arrow);
    c->ranges = TP_VEC(c->arena, struct tp_spool_range);
    c->facts = TP_VEC(c->arena, struct tp_spool_range_fact);
    c->lane_ranges = TP_VEC(c->arena, struct tp_spool_lane_range);
    c->keyed = TP_VEC(c->arena, struct tp_spool_keyed);
    c->text = TP_VEC(c->arena, char);
    tp_symbols_init(c->symbols, c->arena);
    for (uint32_t i = 0; i < c->file->module_count; i++) {
        const struct tp_spool_module *m = &c->file->modules[i];
        tp_symbols_add(c->symbols, m->start, m->end, m->bias, m->since, m->path);
    }
    int code = open_trace(c, target, first, err);
    if (code)
        return code;
    for (uint32_t t = 0; t < c->file->thread_count; t++)
        write_events_of_thread(c, &c->file->threads[t]);
    tp_spool_gpu_write(c);
    write_forward_backward_arrows(c);
    tp_spool_write_lanes(c);
    tp_spool_write_works(c);
    size_t cut_at = tp_spool_cut_offset(c->file);
    if (cut_at != SIZE_MAX) {
        tp_trace_out_discard(&c->out);
        return tp_error_set(err, TP_EIO, cut_at, "it could not be read from byte %zu on, or was cut there meanwhile",
                            cut_at);
    }
    return tp_trace_out_close(&c->out, c->end_ns, err);
}

/* Arguments of one conversion. */
struct task {
    struct tp_spool_conversion *c;
    struct tp_spool_file *file;
    const char *spool;
    const struct target *target;
};

static int open_and_convert(void *context, struct tp_error *err)
{
    struct task *task = context;
    int code = tp_spool_open(task->file, task->spool, task->c->arena, err);
    return code ? code : convert_spool(task->c, task->target, err);
}

static int open_spool_and_convert(const char *spool, const struct target *target, struct tp_spool_trace_result *result,
                                  const struct tp_spool_watch *watch, struct tp_error *err)
{
    struct tp_spool_trace_result unwanted;
    struct tp_spool_file file = {0};
    struct tp_arena arena;
    struct tp_symbols symbols = {0};
    struct tp_spool_conversion c = {
        .file = &file, .arena = &arena, .symbols = &symbols, .result = result ? result : &unwanted, .watch = watch};
    memset(c.result, 0, sizeof *c.result);
    tp_arena_init(&arena, 0);
    int code = tp_arena_run(&arena, open_and_convert, &(struct task){&c, &file, spool, target}, err);
    if (arena.code) {
        tp_trace_out_discard(&c.out);
        code = tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", spool);
    }
    tp_symbols_release(&symbols);
    tp_spool_release(&file);
    tp_arena_release(&arena);
    return code;
}

int tp_spool_trace(const char *spool, const char *trace, bool is_gzip, struct tp_spool_trace_result *result,
                   const struct tp_spool_watch *watch, struct tp_error *err)
{
    return open_spool_and_convert(spool, &(struct target){.trace = trace, .is_gzip = is_gzip}, result, watch, err);
}

int tp_spool_deliver(const char *spool, const struct tp_trace_receiver *receiver, struct tp_spool_trace_result *result,
                     struct tp_error *err)
{
    return open_spool_and_convert(spool, &(struct target){.trace = "-", .receiver = receiver}, result, NULL, err);
}
