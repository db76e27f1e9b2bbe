/* Walks all slices of the timeline and fills nesting, names, columns and coverage. Implements a part of
 * timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

enum { BACKWARD_BIT = 0x80 };

/* The state of the walk over one lane. */
struct walk {
    struct tp_pack *pack;
    struct tp_lane *lane;
    uint32_t lane_index;
    uint64_t previous_start;
    uint64_t work_end;    /* end of the last outermost operation, ns */
    uint64_t backward_ns; /* time of backward passes within the lane's work, ns */
    uint64_t place;       /* index of the next slice among the slices of all lanes */
    uint64_t uneven;      /* not 0 if some time is not a multiple of the unit */
    uint64_t cover_width;
    /* for each group: coverage of the group, NULL without folded slices; and the end of its last folded slice, ns */
    uint64_t *cover[TP_GROUP_COUNT], cover_end[TP_GROUP_COUNT];
};

void tp_pack_init(struct tp_pack *pack, struct tp_timeline *timeline, const struct tp_timeline_options *options,
                  struct tp_arena *arena)
{
    uint32_t names = timeline->model->trace->names.count;
    *pack = (struct tp_pack){.timeline = timeline,
                             .options = options,
                             .arena = arena,
                             .unit_ns = TP_PACK_MICROSECOND,
                             .max_name_bytes = 64u << 20};
    pack->is_first = true;
    pack->name_number = tp_arena_array(arena, names, sizeof *pack->name_number);
    pack->class_by_name = tp_arena_array(arena, names, sizeof *pack->class_by_name);
    tp_pack_waits_init(pack);
    tp_pack_arguments_init(pack);
}

/* ---- classes ---- */

enum tp_slice_group tp_group_of_slice(enum tp_slice_class class)
{
    switch (class) {
    case TP_SLICE_RUNTIME:
    case TP_SLICE_WAIT:
        return TP_GROUP_CALLS;
    case TP_SLICE_DATA:
    case TP_SLICE_FRAME:
    case TP_SLICE_STEP:
    case TP_SLICE_ANNOTATION:
        return TP_GROUP_FRAMES;
    default:
        return TP_GROUP_OPERATORS;
    }
}

/* Returns the class of an event. operation: index in model->devices for a device operation, TP_NO_ID for a host
 * event. */
static enum tp_slice_class classify_event(const struct tp_model *model, const struct tp_event *event,
                                          uint32_t operation)
{
    uint64_t flags = model->marks[event->name];
    enum tp_range_kind kind = tp_event_range_kind(model, event);
    switch (event->kind) {
    case TP_KIND_KERNEL:
        return operation != TP_NO_ID && tp_is_communication(model, operation) ? TP_SLICE_COMMUNICATION
                                                                              : TP_SLICE_KERNEL;
    case TP_KIND_MEMCPY:
        return TP_SLICE_MEMCPY;
    case TP_KIND_MEMSET:
        return TP_SLICE_MEMSET;
    case TP_KIND_RUNTIME:
        return TP_SLICE_RUNTIME;
    case TP_KIND_FRAME:
    case TP_KIND_MODULE:
        return TP_SLICE_FRAME;
    default:
        break;
    }
    if (flags & TP_MARK_STEP)
        return TP_SLICE_STEP;
    static const enum tp_slice_class classes[TP_RANGE_KINDS] = {
        [TP_RANGE_NONE] = TP_SLICE_ANNOTATION, [TP_RANGE_INPUT] = TP_SLICE_DATA,
        [TP_RANGE_COMPUTE] = TP_SLICE_CPU,     [TP_RANGE_COMMUNICATION] = TP_SLICE_COMMUNICATION,
        [TP_RANGE_COPY] = TP_SLICE_MEMCPY,     [TP_RANGE_WAIT] = TP_SLICE_RUNTIME,
        [TP_RANGE_SYNC] = TP_SLICE_RUNTIME};
    return event->kind == TP_KIND_OPERATOR && !kind ? TP_SLICE_CPU : classes[kind];
}

static uint8_t find_class_of_name(const struct tp_pack *pack, const struct tp_event *event, uint32_t operation)
{
    const struct tp_model *model = pack->timeline->model;
    bool is_backward = (model->marks[event->name] & TP_MARK_BACKWARD_NODE) ||
                       tp_str_find(tp_trace_event_name(model->trace, event), "Backward") >= 0;
    return (uint8_t)((classify_event(model, event, operation) + 1) | (is_backward ? BACKWARD_BIT : 0));
}

/* Returns the class of a slice: the class of the first slice with the same name. */
static inline enum tp_slice_class slice_class(struct tp_pack *pack, const struct tp_event *event, uint32_t operation)
{
    uint8_t class = pack->class_by_name[event->name];
    if (__builtin_expect(!class, 0))
        class = pack->class_by_name[event->name] = find_class_of_name(pack, event, operation);
    return (enum tp_slice_class)((class & TP_PACK_CLASS_BITS) - 1);
}

/* ---- buckets ---- */

void tp_pack_add_to_buckets(uint64_t *buckets, size_t count, uint64_t width, uint64_t start, uint64_t end)
{
    uint64_t i = start / width;
    if (i < count && end <= (i + 1) * width) { /* usual case: the time is within one bucket */
        buckets[i] += end - start;
        return;
    }
    for (; i < count && start < end; i++) {
        uint64_t border = (i + 1) * width, until = end < border ? end : border;
        buckets[i] += until - start;
        start = until;
    }
}

void tp_pack_fill_shares(uint8_t *shares, const uint64_t *buckets, size_t count, uint64_t width)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = buckets[i] < width ? buckets[i] : width;
        uint8_t share = (uint8_t)((unsigned __int128)ns * 255 / width);
        shares[i] = ns && !share ? 1 : share;
    }
}

/* ---- the walk ---- */

/* Opens a slice and returns its depth among the open slices. A slice is nested in an open slice that lasts beyond the
 * middle of the new slice, even if the new slice ends slightly later. Example: step 2 begins inside the frame that
 * finishes step 1, but is not nested in this frame. */
static inline size_t open_slice(struct tp_pack *pack, size_t *open_count, uint64_t start, uint64_t end)
{
    size_t n = *open_count;
    uint64_t middle = start + (end - start) / 2;
    while (n && pack->ends[n - 1] <= middle)
        n--;
    if (__builtin_expect(n == pack->open_slice_capacity, 0)) {
        size_t capacity = n ? 2 * n : 1024;
        pack->ends = tp_arena_resize(pack->arena, pack->ends, n * sizeof *pack->ends, capacity * sizeof *pack->ends);
        pack->open_slice_capacity = capacity;
    }
    pack->ends[n] = end;
    *open_count = n + 1;
    return n;
}

static unsigned bin_of_duration(uint64_t dur)
{
    if (dur < 8)
        return (unsigned)dur;
    unsigned high = 63 - (unsigned)__builtin_clzll(dur);
    return high * 8 + (unsigned)(dur >> (high - 3) & 7);
}

static uint64_t shortest_duration_of_bin(unsigned bin)
{
    return bin < 24 ? (bin < 8 ? bin : 8) : (8ull + bin % 8) << (bin / 8 - 3);
}

static inline bool is_class_foldable(const struct walk *w, enum tp_slice_class class)
{
    if (w->pack->folds_devices)
        return class != TP_SLICE_STEP || w->pack->folds_short_steps;
    return !w->lane->is_device && (class == TP_SLICE_CPU || class == TP_SLICE_RUNTIME || class == TP_SLICE_FRAME);
}

/* Collects data that only the first walk needs: durations of slices, and the work of the lane. */
static void add_slice_to_statistics(struct walk *w, const struct tp_event *event, enum tp_slice_class class,
                                    uint64_t start, uint64_t end)
{
    struct tp_pack *pack = w->pack;
    pack->bins[is_class_foldable(w, class) ? 0 : 1][bin_of_duration(end - start)]++;
    if (end > pack->end_ns)
        pack->end_ns = end;
    if (w->lane->is_device)
        return;
    bool is_work = class == TP_SLICE_CPU || class == TP_SLICE_RUNTIME || class == TP_SLICE_COMMUNICATION;
    if (is_work && end > w->work_end) {
        uint64_t from = start > w->work_end ? start : w->work_end;
        w->lane->work_ns += end - from;
        w->work_end = end;
        w->backward_ns += pack->class_by_name[event->name] & BACKWARD_BIT ? end - from : 0;
    } else if (class == TP_SLICE_STEP) {
        w->lane->has_steps = true;
    }
}

/* Adds a folded slice to the coverage of its group. Time in several folded slices counts once. */
static void add_slice_to_cover(struct walk *w, enum tp_slice_class class, uint64_t start, uint64_t end)
{
    enum tp_slice_group group = w->lane->is_device ? TP_GROUP_CALLS : tp_group_of_slice(class);
    w->pack->timeline->folded_count++;
    if (!w->cover[group])
        w->cover[group] = tp_arena_array(w->pack->arena, TP_PACK_COVER_BUCKETS, sizeof **w->cover);
    if (end <= w->cover_end[group])
        return;
    uint64_t from = start > w->cover_end[group] ? start : w->cover_end[group];
    tp_pack_add_to_buckets(w->cover[group], TP_PACK_COVER_BUCKETS, w->cover_width, from, end);
    w->cover_end[group] = end;
}

/* Writes the time from the start of a device operation's launch to the start of the operation; 0 if unknown. */
static void write_launch_delay_of_slice(const struct walk *w, uint32_t slice, const struct tp_event *event)
{
    const struct tp_event *launch = tp_launch_of_device(w->pack->timeline->model, w->lane->operations[slice]);
    uint64_t origin = (uint64_t)w->pack->timeline->start_ns, unit = w->pack->unit_ns, before = 0;
    bool is_known = launch && launch->ts_ns <= event->ts_ns;
    if (is_known)
        before = ((uint64_t)event->ts_ns - origin) / unit - ((uint64_t)launch->ts_ns - origin) / unit + 1;
    tp_pack_add_number(&w->pack->sections[TP_PACK_LAUNCH], before);
}

/* operation: index in model->devices; TP_NO_ID for a host event. */
static inline void write_slice(struct walk *w, const struct tp_event *event, uint32_t operation, size_t row,
                               uint64_t start)
{
    struct tp_pack *pack = w->pack;
    uint64_t delta = start - w->previous_start, dur = (uint64_t)event->dur_ns;
    w->previous_start = start;
    if (pack->unit_ns == TP_PACK_MICROSECOND) {
        w->uneven |= pack->rounds ? 0 : start % TP_PACK_MICROSECOND | dur % TP_PACK_MICROSECOND;
        /* rounds the start and the end, so that a slice stays within the slice around it */
        delta = start / TP_PACK_MICROSECOND - (start - delta) / TP_PACK_MICROSECOND;
        dur = (start + dur) / TP_PACK_MICROSECOND - start / TP_PACK_MICROSECOND;
    }
    tp_pack_add_number(&pack->sections[TP_PACK_START], delta);
    tp_pack_add_number(&pack->sections[TP_PACK_DURATION], dur);
    tp_pack_add_number(&pack->sections[TP_PACK_NAME], tp_pack_name_number_of_event(pack, event));
    struct tp_pack_column *depth = &pack->sections[TP_PACK_DEPTH];
    depth->data[depth->size++] = (uint8_t)row;
    if (__builtin_expect(pack->number_by_argument || pack->has_captured, 0))
        tp_pack_arguments_add(pack, (uint32_t)(event - pack->timeline->model->trace->events), operation, w->place);
    w->place++;
    w->lane->shown_count++;
}

static void reserve_slices(struct tp_pack *pack, size_t count)
{
    tp_pack_reserve_bytes(pack, TP_PACK_START, count * TP_PACK_MAX_VARINT);
    tp_pack_reserve_bytes(pack, TP_PACK_DURATION, count * TP_PACK_MAX_VARINT);
    tp_pack_reserve_bytes(pack, TP_PACK_NAME, count * TP_PACK_MAX_VARINT);
    tp_pack_reserve_bytes(pack, TP_PACK_DEPTH, count);
    if (pack->has_launches)
        tp_pack_reserve_bytes(pack, TP_PACK_LAUNCH, count * TP_PACK_MAX_VARINT);
    if (pack->has_shapes)
        tp_pack_reserve_bytes(pack, TP_PACK_SHAPE, count * TP_PACK_MAX_VARINT);
}

static void write_slices_of_lane(struct walk *w)
{
    enum { BATCH = 4096 };
    struct tp_pack *pack = w->pack;
    struct tp_lane *lane = w->lane;
    const struct tp_event *events = pack->timeline->model->trace->events;
    uint64_t origin = (uint64_t)pack->timeline->start_ns;
    size_t open_count = 0;
    for (uint32_t i = 0; i < lane->slice_count; i++) {
        if (i % BATCH == 0)
            reserve_slices(pack, BATCH);
        const struct tp_event *event = &events[lane->slices[i]];
        uint64_t start = (uint64_t)event->ts_ns - origin, end = start + (uint64_t)event->dur_ns;
        size_t row = open_slice(pack, &open_count, start, end);
        uint32_t operation = lane->operations ? lane->operations[i] : TP_NO_ID;
        enum tp_slice_class class = slice_class(pack, event, operation);
        if (pack->is_first)
            add_slice_to_statistics(w, event, class, start, end);
        if (row >= TP_TIMELINE_MAX_ROWS) {
            pack->timeline->omitted_deep_slice_count++;
            continue;
        }
        if (row >= lane->row_count)
            lane->row_count = (uint32_t)row + 1;
        if ((uint64_t)event->dur_ns < pack->fold_below_ns && is_class_foldable(w, class))
            add_slice_to_cover(w, class, start, end);
        else {
            write_slice(w, event, operation, row, start);
            if (lane->operations && pack->has_launches)
                write_launch_delay_of_slice(w, i, event);
            if (!lane->is_device && pack->has_shapes)
                tp_pack_add_shape(pack, event);
        }
    }
}

/* Writes the coverage of the lane's groups as shares of time. */
static void write_cover_of_lane(struct walk *w)
{
    struct tp_lane *lane = w->lane;
    bool is_any = false;
    for (uint32_t group = 0; group < TP_GROUP_COUNT; group++)
        is_any |= w->cover[group] != NULL && w->cover_end[group];
    lane->cover_count = !is_any ? 0 : lane->is_device ? 1 : TP_GROUP_COUNT;
    if (!is_any)
        return;
    size_t size = (size_t)lane->cover_count * TP_PACK_COVER_BUCKETS;
    tp_pack_reserve_bytes(w->pack, TP_PACK_COVER, size);
    struct tp_pack_column *column = &w->pack->sections[TP_PACK_COVER];
    memset(column->data + column->size, 0, size);
    for (uint32_t group = 0; group < lane->cover_count; group++, column->size += TP_PACK_COVER_BUCKETS) {
        if (!w->cover[group])
            continue;
        tp_pack_fill_shares(column->data + column->size, w->cover[group], TP_PACK_COVER_BUCKETS, w->cover_width);
        memset(w->cover[group], 0, TP_PACK_COVER_BUCKETS * sizeof **w->cover);
    }
}

static void reset_sections(struct tp_pack *pack)
{
    struct tp_timeline *timeline = pack->timeline;
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++)
        pack->sections[i].size = 0;
    memset(pack->name_number, 0, timeline->model->trace->names.count * sizeof *pack->name_number);
    pack->name_count = 0;
    if (pack->number_of_waits)
        memset(pack->number_of_waits, 0, timeline->model->trace->names.count * sizeof *pack->number_of_waits);
    tp_pack_add_name(pack, TP_STR("(other names)"), TP_STR(""), TP_SLICE_CPU);
    tp_pack_arguments_start(pack);
    if (pack->has_shapes)
        tp_pack_shapes_start(pack);
    timeline->shown_count = timeline->folded_count = timeline->omitted_deep_slice_count = 0;
    if (!pack->is_first)
        return;
    memset(pack->bins, 0, sizeof pack->bins);
    pack->end_ns = 0;
}

/* Walks every lane once. Returns false if a time is not a multiple of the unit. */
static bool write_slices_of_lanes(struct tp_pack *pack)
{
    struct tp_timeline *timeline = pack->timeline;
    struct walk w = {.pack = pack};
    w.cover_width = pack->end_ns / TP_PACK_COVER_BUCKETS + 1;
    reset_sections(pack);
    for (uint32_t i = 0; i < timeline->lane_count && !w.uneven; i++) {
        struct tp_lane *lane = w.lane = &timeline->lanes[i];
        w.lane_index = i;
        w.previous_start = w.work_end = w.backward_ns = 0;
        memset(w.cover_end, 0, sizeof w.cover_end);
        lane->shown_count = lane->row_count = 0;
        lane->work_ns = pack->is_first ? 0 : lane->work_ns;
        write_slices_of_lane(&w);
        write_cover_of_lane(&w);
        w.uneven |= !tp_pack_moments_of_lane(pack, lane);
        timeline->shown_count += lane->shown_count;
        if (!pack->is_first || lane->is_device)
            continue;
        lane->is_backward = w.backward_ns > lane->work_ns / 2;
    }
    return !w.uneven;
}

void tp_pack_write_slices(struct tp_pack *pack)
{
    if (!write_slices_of_lanes(pack)) {
        pack->unit_ns = 1;
        write_slices_of_lanes(pack);
    }
    pack->is_first = false;
}

uint64_t tp_pack_find_threshold(const struct tp_pack *pack, uint64_t keep)
{
    uint64_t kept = 0;
    for (unsigned bin = TP_PACK_DURATION_BINS; bin-- > 0;) {
        kept += pack->bins[0][bin] + (pack->folds_devices ? pack->bins[1][bin] : 0);
        if (kept > keep)
            return shortest_duration_of_bin(bin + 1);
    }
    return 0;
}
