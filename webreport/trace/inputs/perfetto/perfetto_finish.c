/* Completes a Perfetto trace: durations, the elements that every trace of torch has, top-level members, and facts about
 * the input. See perfetto_finish.h. */
#include "webreport/trace/inputs/perfetto/perfetto_finish.h"

#include <stdio.h>

#include "writer/base/limits.h"

/* ---- reasons of dropped rows ---- */

/* Texts for people, and the numbers that the rows affect (enum tp_need). Rows with need 0 affect no number. */
static const struct {
    const char *what;
    unsigned needs;
} drops[TP_DROP_COUNT] = {
    [TP_DROP_BROKEN_PACKETS] = {"packets with a broken field", TP_NEED_ALL},
    [TP_DROP_LOSSES] = {"sequences with lost packets", TP_NEED_ALL},
    [TP_DROP_LOST_STATE] = {"packets that need lost state", TP_NEED_ALL},
    [TP_DROP_CLOCKS] = {"events with an unknown clock", TP_NEED_ALL},
    [TP_DROP_INSTANTS] = {"instants", 0},
    [TP_DROP_COUNTERS] = {"counter values", 0},
    [TP_DROP_LEGACY] = {"legacy events", TP_NEED_HOST},
    [TP_DROP_HSA] = {"calls of HSA", 0},
    [TP_DROP_EARLY] = {"slices before the range of interest", 0},
    [TP_DROP_FTRACE] = {"ftrace bundles", 0},
    [TP_DROP_SEQUENCES] = {"packets of too many sequences", TP_NEED_ALL},
    [TP_DROP_COMPRESSED] = {"compressed packets", TP_NEED_ALL},
    [TP_DROP_GRAPH_NODES] = {"graph event and host nodes", 0},
};

static void report_drops(struct tp_perfetto *p)
{
    for (int i = 0; i < TP_DROP_COUNT; i++)
        if (p->dropped[i])
            tp_sink_count_dropped(p->sink, drops[i].what, p->dropped[i], drops[i].needs);
    if (p->annotations.too_deep_count)
        tp_sink_count_dropped(p->sink, "annotations nested more than 32 deep", p->annotations.too_deep_count, 0);
    if (p->slices.ends_without_begin)
        tp_sink_count_dropped(p->sink, "ends without a begin", p->slices.ends_without_begin, TP_NEED_HOST);
    if (p->slices.begins_without_end)
        tp_sink_count_dropped(p->sink, "slices without an end", p->slices.begins_without_end, TP_NEED_HOST);
}

/* ---- data that the input cannot show ---- */

static uint32_t find_unknown_of_devices(const struct tp_perfetto *p)
{
    uint32_t unknown = 0;
    unknown |= p->copies_without_direction ? TP_UNKNOWN_COPY_DIRECTION : 0;
    unknown |= p->copies_without_direction || p->copies_without_kinds ? TP_UNKNOWN_COPY_MEMORY_KIND : 0;
    unknown |= p->copies_without_bytes ? TP_UNKNOWN_COPY_BYTES : 0;
    unknown |= p->kernel_count && p->kernels_without_grid == p->kernel_count ? TP_UNKNOWN_GRID : 0;
    unknown |= p->kernel_count && !p->kernels_with_occupancy ? TP_UNKNOWN_OCCUPANCY : 0;
    return unknown;
}

/* Reports data that a file of torch, or of another producer, cannot show. A file of `tracepress export` has all data of
 * its trace, and a member with the data that was unknown before. */
static void report_unknown(struct tp_perfetto *p)
{
    static const char clamped[] =
        "end times of kernels of CUDA graphs may be too early, because torch cuts each kernel "
        "at the start of the next one";
    const uint32_t others =
        TP_UNKNOWN_RUNTIME_CALLS | TP_UNKNOWN_OPERATORS | TP_UNKNOWN_SHAPES | TP_UNKNOWN_DTYPES | TP_UNKNOWN_STACKS;
    const uint32_t device = TP_UNKNOWN_KERNELS | TP_UNKNOWN_COPIES | TP_UNKNOWN_SETS;
    if (p->is_own) {
        tp_sink_add_unknown(p->sink, p->unknown);
        return;
    }
    tp_sink_add_unknown(p->sink, find_unknown_of_devices(p) | TP_UNKNOWN_ALLOCATOR | TP_UNKNOWN_DEVICE_PROPERTIES |
                                     (p->has_rank ? 0 : TP_UNKNOWN_RANKS));
    if (!p->is_torch)
        tp_sink_add_unknown(p->sink, (others & ~(p->submission_count ? TP_UNKNOWN_RUNTIME_CALLS : 0u)) |
                                         (p->stage_count ? 0 : device));
    if (p->graph_kernel_count)
        tp_sink_add_note(p->sink, TP_STR(clamped));
}

/* ---- members ---- */

/* Returns the rank in a file name of torch: rank3_trace.pftrace.gz. Returns TP_NULL_INT if the name has no rank. */
static int64_t rank_of_name(const char *path)
{
    const char *base = path ? strrchr(path, '/') : NULL;
    base = base ? base + 1 : path;
    int64_t rank = 0;
    if (!base || strncmp(base, "rank", 4) != 0 || !tp_is_digit(base[4]))
        return TP_NULL_INT;
    for (base += 4; tp_is_digit(*base) && rank < TP_MAX_JOB_RANKS; base++)
        rank = rank * 10 + (*base - '0');
    return rank < TP_MAX_JOB_RANKS && tp_str_starts(tp_str_of(base), "_trace") ? rank : TP_NULL_INT;
}

static void add_number_member(struct tp_perfetto *p, const char *key, int64_t value)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)value);
    tp_sink_add_member(p->sink, tp_str_of(key), (struct tp_str){text, (size_t)size});
}

/* Adds the devices whose architecture is known, in the order of their numbers. */
static void add_devices(struct tp_perfetto *p)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_putc(&text, '[');
    for (size_t done = 0; done < p->archs.count; done++) {
        struct tp_perfetto_arch *least = TP_AT(&p->archs, struct tp_perfetto_arch, done);
        for (size_t i = done + 1; i < p->archs.count; i++)
            if (TP_AT(&p->archs, struct tp_perfetto_arch, i)->device < least->device)
                least = TP_AT(&p->archs, struct tp_perfetto_arch, i);
        struct tp_perfetto_arch found = *least;
        *least = *TP_AT(&p->archs, struct tp_perfetto_arch, done);
        *TP_AT(&p->archs, struct tp_perfetto_arch, done) = found;
        tp_buf_printf(&text, "%s{\"id\":%lld,\"name\":\"\",\"computeMajor\":%u,\"computeMinor\":%u}", done ? "," : "",
                      (long long)found.device, found.major, found.minor);
    }
    tp_buf_putc(&text, ']');
    char *kept = tp_buf_move(&text, p->sink->trace->arena);
    tp_sink_add_member(p->sink, TP_STR("deviceProperties"), tp_str_of(kept));
}

static void add_members(struct tp_perfetto *p)
{
    bool is_epoch = p->base_ns != 0;
    if (p->is_own)
        return;
    add_number_member(p, "schemaVersion", 1);
    add_devices(p);
    tp_sink_add_member(p->sink, TP_STR("displayTimeUnit"), TP_STR("\"ms\""));
    add_number_member(p, "baseTimeNanoseconds", is_epoch ? p->base_ns : tp_clocks_realtime_offset(&p->clocks));
    int64_t rank = rank_of_name(p->source->path);
    p->has_rank = rank != TP_NULL_INT;
    if (p->has_rank) {
        char text[64];
        int size = snprintf(text, sizeof text, "{\"rank\":%lld}", (long long)rank);
        tp_sink_add_member(p->sink, TP_STR("distributedInfo"), (struct tp_str){text, (size_t)size});
    }
}

/* ---- elements that end a trace of torch ---- */

static void add_mark(struct tp_perfetto *p, const char *name, int64_t ts_ns)
{
    struct tp_built_event built = {.cat = TP_NO_ID, .dur_ns = TP_NULL_INT, .ts_ns = ts_ns, .offset = p->offset};
    built.pid = built.tid = TP_STR("\"\"\0\0\0\0\0\0");
    built.pid.len = built.tid.len = 2;
    built.name = tp_perfetto_name_of_text(p, name);
    tp_builder_begin(&p->builder, 'i');
    tp_builder_deliver(&p->builder, &built);
}

/* Adds the span of the recording and the mark of its end, which torch writes only in JSON. A cut file has no mark. */
static void add_end_of_recording(struct tp_perfetto *p)
{
    struct tp_built_event span = {
        .offset = p->offset, .pid = TP_STR("\"Spans\""), .tid = TP_STR("\"PyTorch Profiler\"")};
    if (p->is_own || p->first_ns > p->last_ns)
        return;
    span.ts_ns = p->first_ns;
    span.dur_ns = p->last_ns - p->first_ns;
    span.name = tp_perfetto_name_of_text(p, "PyTorch Profiler (0)");
    span.cat = tp_perfetto_category_of_text(p, "Trace");
    tp_builder_begin(&p->builder, 'X');
    tp_builder_deliver(&p->builder, &span);
    add_mark(p, "Iteration Start: PyTorch Profiler", p->first_ns);
    if (!p->is_cut)
        add_mark(p, "Record Window End", p->last_ns);
}

/* Makes operators of the slices without a category that preceded the first category of torch. */
static void fix_plain_slices(struct tp_perfetto *p)
{
    struct tp_reading *reading = &p->sink->trace->reading;
    for (size_t i = 0; p->is_torch && i < p->plain_slices.count; i++) {
        struct tp_event *event = TP_AT(&p->sink->events, struct tp_event, *TP_AT(&p->plain_slices, uint32_t, i));
        if (event->kind != TP_KIND_ANNOTATION || tp_sink_name_meaning(p->sink, event->name) & TP_NAME_REGION)
            continue;
        event->kind = TP_KIND_OPERATOR;
        reading->read[TP_KIND_ANNOTATION]--;
        reading->read[TP_KIND_OPERATOR]++;
    }
}

/* Returns the number of elements that torch's JSON has for the names of processes and threads. */
static uint64_t count_names(const struct tp_sink *sink)
{
    enum { OF_PROCESS = 3, OF_THREAD = 2 }; /* name, labels and sort index; name and sort index */
    uint64_t count = OF_PROCESS * sink->processes.count;
    for (size_t i = 0; i < sink->threads.count; i++)
        count += TP_AT(&sink->threads, struct tp_thread, i)->name.len ? OF_THREAD : 0;
    return count;
}

static void set_producer(struct tp_perfetto *p)
{
    if (p->is_own && p->own_producer.ptr)
        tp_sink_set_producer(p->sink, p->own_producer);
    else if (!p->is_own)
        tp_sink_set_producer(p->sink, p->is_torch     ? TP_STR("PyTorch .pftrace (Cuspy)")
                                      : p->is_rocprof ? TP_STR("rocprofv3 .pftrace")
                                                      : TP_STR("Perfetto protobuf"));
}

/* Returns true if packets are missing or damaged, which --strict refuses. */
static bool is_damaged(const struct tp_perfetto *p)
{
    bool is_damaged = p->is_cut;
    for (int i = 0; i < TP_DROP_COUNT; i++)
        is_damaged |= p->dropped[i] && drops[i].needs == TP_NEED_ALL;
    return is_damaged;
}

int tp_perfetto_finish(struct tp_perfetto *p)
{
    struct tp_reading *reading = &p->sink->trace->reading;
    if (!p->slice_count && !p->stage_count && !reading->read_memory)
        return tp_error_set(p->source->err, TP_EFORMAT, 0, "is a Perfetto trace without %s",
                            p->dropped[TP_DROP_INSTANTS] || p->counter_count || p->dropped[TP_DROP_COUNTERS]
                                ? "slices or GPU stages: it has only instants or values of counters"
                                : "track events or GPU stages: nothing that a program named is in it");
    if (p->source->is_strict && is_damaged(p))
        return tp_error_set(p->source->err, TP_EFORMAT, p->offset,
                            "packets are missing or damaged, refused by --strict");
    for (size_t i = 0; i < p->interned.sequences.count; i++)
        tp_slices_finish_sequence(&p->slices, TP_AT(&p->interned.sequences, struct tp_sequence, i),
                                  p->sink->events.data, p->is_cut);
    tp_slices_finish(&p->slices, p->sink->events.data, (uint32_t)p->tracks.items.count);
    tp_tracks_finish(&p->tracks);
    fix_plain_slices(p);
    add_members(p);
    add_end_of_recording(p);
    set_producer(p);
    report_unknown(p);
    report_drops(p);
    if (p->is_cut && !reading->is_truncated)
        tp_sink_add_note(p->sink, TP_STR("the file ends inside a packet: cut"));
    reading->is_truncated = p->is_cut;
    reading->has_end = !p->is_cut;
    uint64_t names = count_names(p->sink);
    reading->skipped_by_phase['M'] += names;
    reading->element_count = p->builder.element_count + names;
    if (p->reading_member.ptr)
        tp_exported_reading_read(p->sink, p->reading_member);
    tp_decoder_finish(&p->builder.decoder);
    return TP_OK;
}
