/* Implements timeline.h: chooses lanes, packs slices within the size limit, and adds device load and the close-up. */
#include "webreport/measure/charts/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/charts/timeline_load.h"
#include "webreport/measure/charts/timeline_pack.h"
#include "webreport/model/device_rows.h"
#include "writer/base/error.h"
#include "writer/base/gzip_out.h"
#include "writer/base/limits.h"

enum {
    MAX_HEADER_BYTES = 1 << 20,
    MAX_ATTEMPTS = 8,
    MAX_WITH_SHAPES = 200000,
    LONG_RANGE_NS = 100000000 /* microseconds are exact enough for a timeline of at least this length */
};

/* ---- lanes ---- */

struct candidate {
    uint32_t thread, count;
};

static int compare_by_count(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int compare_by_thread(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Counts the moments of each thread for host lanes. Device lanes have no moments. */
static void count_moments(struct candidate *found, const struct tp_trace *trace, bool is_device)
{
    for (uint32_t i = 0; i < trace->moment_count && !is_device; i++)
        found[trace->moments[i].thread].count++;
}

/* Appends the threads with the most slices as lanes, in order of threads. operations: indexes of the slices in
 * model->devices, NULL for host lanes. first: index of each thread's first slice. */
static void add_busiest_threads_as_lanes(struct tp_timeline *timeline, struct tp_arena *arena, const uint32_t *slices,
                                         const uint32_t *operations, const uint32_t *first)
{
    bool is_device = operations != NULL;
    uint32_t threads = timeline->model->trace->thread_count, count = 0;
    struct candidate *found = tp_arena_array(arena, threads, sizeof *found);
    count_moments(found, timeline->model->trace, is_device);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t size = found[t].count + first[t + 1] - first[t];
        if (size)
            found[count++] = (struct candidate){t, size};
    }
    if (count > TP_TIMELINE_MAX_LANES) {
        qsort(found, count, sizeof *found, compare_by_count);
        timeline->omitted_lane_count += count - TP_TIMELINE_MAX_LANES;
        count = TP_TIMELINE_MAX_LANES;
        qsort(found, count, sizeof *found, compare_by_thread);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tp_lane *lane = &timeline->lanes[timeline->lane_count++];
        lane->is_device = is_device;
        lane->thread = found[i].thread;
        lane->slices = slices + first[lane->thread];
        lane->operations = is_device ? operations + first[lane->thread] : NULL;
        lane->slice_count = first[lane->thread + 1] - first[lane->thread];
        timeline->slice_count += lane->slice_count;
    }
    tp_arena_free_item(arena, found, threads * sizeof *found);
}

/* Adds the device lanes. Profilers record each stream as a thread and its device events in order of start. */
static void add_device_lanes(struct tp_timeline *timeline, struct tp_arena *arena)
{
    const struct tp_trace *trace = timeline->model->trace;
    const struct tp_order *order = timeline->model->order;
    uint32_t *first = tp_arena_array(arena, (size_t)trace->thread_count + 2, sizeof *first);
    uint32_t *slices = tp_arena_array(arena, order->device_count, sizeof *slices);
    uint32_t *operations = tp_arena_array(arena, order->device_count + 1, sizeof *operations);
    for (uint32_t i = 0; i < order->device_count; i++)
        first[trace->events[order->device[i]].thread + 2]++;
    for (uint32_t t = 0; t < trace->thread_count; t++)
        first[t + 2] += first[t + 1];
    for (uint32_t i = 0; i < order->device_count; i++) {
        uint32_t at = first[trace->events[order->device[i]].thread + 1]++;
        slices[at] = order->device[i];
        operations[at] = i;
    }
    add_busiest_threads_as_lanes(timeline, arena, slices, operations, first);
}

static void choose_lanes_to_show(struct tp_timeline *timeline, struct tp_arena *arena)
{
    const struct tp_order *order = timeline->model->order;
    timeline->lanes = tp_arena_array(arena, (size_t)2 * TP_TIMELINE_MAX_LANES, sizeof *timeline->lanes);
    /* device lanes come first, so that their names get small numbers and always fit into the data */
    add_device_lanes(timeline, arena);
    add_busiest_threads_as_lanes(timeline, arena, order->host, NULL, order->thread_first);
}

static void widen_range(struct tp_interval *range, int64_t time)
{
    range->a = time < range->a ? time : range->a;
    range->b = time > range->b ? time : range->b;
}

static void find_time_range(struct tp_timeline *timeline)
{
    const struct tp_model *model = timeline->model;
    bool is_any = model->event_count > 0;
    struct tp_interval range = {is_any ? model->first_ns : INT64_MAX, is_any ? model->first_ns : INT64_MIN};
    for (uint32_t i = 0; i < timeline->lane_count; i++)
        if (timeline->lanes[i].slice_count)
            widen_range(&range, model->trace->events[timeline->lanes[i].slices[0]].ts_ns);
    for (uint32_t i = 0; i < model->trace->moment_count; i++)
        widen_range(&range, model->trace->moments[i].ts_ns);
    if (range.a > range.b) /* the trace has no slices or moments */
        range = (struct tp_interval){model->first_ns, model->first_ns};
    int64_t end = range.b;
    for (int role = 0; role < TP_CATEGORY_COUNT; role++) {
        struct tp_intervals busy = model->category_times[role];
        if (busy.count && busy.items[busy.count - 1].b > end)
            end = busy.items[busy.count - 1].b;
    }
    if (model->step_count && model->steps[model->step_count - 1].end_ns > end)
        end = model->steps[model->step_count - 1].end_ns;
    timeline->start_ns = range.a;
    timeline->drawn_range_ns = (uint64_t)end - (uint64_t)range.a;
}

/* ---- titles and order of lanes, known after the first walk ---- */

static struct tp_str row_id_text(struct tp_arena *arena, const struct tp_row_id *id)
{
    if (id->is_text)
        return id->text;
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)id->number);
    return (struct tp_str){tp_arena_copy(arena, text, (size_t)size), (size_t)size};
}

static struct tp_str join_texts(struct tp_arena *arena, const struct tp_str *parts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].len < TP_MAX_SHOWN_NAME_BYTES ? parts[i].len : 0;
    char *text = tp_arena_alloc(arena, size + 1), *to = text;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len >= TP_MAX_SHOWN_NAME_BYTES)
            continue;
        memcpy(to, parts[i].ptr, parts[i].len);
        to += parts[i].len;
    }
    return (struct tp_str){text, size};
}

/* Makes the title of a lane. A device that the program itself registered is shown with the name of its thread. */
static void make_lane_title(struct tp_timeline *timeline, struct tp_lane *lane, struct tp_arena *arena)
{
    const struct tp_trace *trace = timeline->model->trace;
    const struct tp_thread *thread = &trace->threads[lane->thread];
    uint32_t detail = lane->is_device ? trace->events[lane->slices[0]].detail : TP_NO_ID;
    const struct tp_device_setup *setup = detail != TP_NO_ID ? tp_device_setup(trace, detail) : NULL;
    int64_t device = setup ? tp_device_id_of_event(timeline->model, &trace->events[lane->slices[0]]) : -1;
    bool has_name = setup && tp_is_device_of_program(timeline->model, device) && thread->name.len;
    if (device >= 0 && !has_name) {
        int64_t stream = tp_stream_number(timeline->model, &trace->events[lane->slices[0]]);
        lane->title = tp_stream_title(timeline->model, device, stream, arena);
        return;
    }
    struct tp_str id = row_id_text(arena, &thread->tid);
    struct tp_str role = lane->has_steps ? TP_STR(" · main") : lane->is_backward ? TP_STR(" · backward") : TP_STR("");
    if (lane->is_device)
        role = TP_STR("");
    if (thread->name.len)
        lane->title = join_texts(arena, (struct tp_str[]){thread->name, role}, 2);
    else
        lane->title = join_texts(arena, (struct tp_str[]){TP_STR("Thread "), id, role}, 3);
}

/* Returns whether lane x is shown above lane y. The thread with the steps is first, then the other host lanes by work,
 * then devices by id and stream. */
static bool comes_before_lane(const struct tp_trace *trace, const struct tp_lane *x, const struct tp_lane *y)
{
    if (x->is_device != y->is_device)
        return y->is_device;
    if (!x->is_device) {
        if (x->has_steps != y->has_steps)
            return x->has_steps;
        if (x->work_ns != y->work_ns)
            return x->work_ns > y->work_ns;
        return x->thread < y->thread;
    }
    uint32_t a = trace->events[x->slices[0]].detail, b = trace->events[y->slices[0]].detail;
    if (a != TP_NO_ID && b != TP_NO_ID) {
        const struct tp_device_setup *p = tp_device_setup(trace, a), *q = tp_device_setup(trace, b);
        if (p->device != q->device)
            return p->device < q->device;
        if (p->stream != q->stream)
            return p->stream < q->stream;
    }
    return x->thread < y->thread;
}

static void set_lane_ranks(struct tp_timeline *timeline, struct tp_arena *arena)
{
    const struct tp_trace *trace = timeline->model->trace;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        struct tp_lane *lane = &timeline->lanes[i];
        make_lane_title(timeline, lane, arena);
        for (uint32_t k = 0; k < timeline->lane_count; k++)
            lane->rank += k != i && comes_before_lane(trace, &timeline->lanes[k], lane);
    }
}

/* ---- the data ---- */

/* Compresses the size of the header, the header, the sections and the device load, in this order. */
static struct tp_str compress_header_and_sections(struct tp_pack *pack, const struct tp_timeline *timeline,
                                                  struct tp_str load)
{
    struct tp_str parts[TP_PACK_SECTION_COUNT + 3];
    char *room = tp_arena_alloc(pack->arena, MAX_HEADER_BYTES);
    size_t size = tp_pack_write_header(room, MAX_HEADER_BYTES, pack, timeline, load.len), count = 0;
    if (!size)
        return (struct tp_str){"", 0};
    char length[4] = {(char)size, (char)(size >> 8), (char)(size >> 16), (char)(size >> 24)};
    parts[count++] = (struct tp_str){length, sizeof length};
    parts[count++] = (struct tp_str){room, size};
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++)
        if (pack->sections[i].size)
            parts[count++] = (struct tp_str){(char *)pack->sections[i].data, pack->sections[i].size};
    if (load.len)
        parts[count++] = load;
    struct tp_str data = tp_gzip_texts(pack->arena, parts, count);
    tp_arena_free_item(pack->arena, room, MAX_HEADER_BYTES);
    return data;
}

static size_t base64_size(size_t size)
{
    return (size + 2) / 3 * 4;
}

/* Estimates the compressed size of the sections as base64 from samples, which are an eighth of each section and
 * need about an eighth more bytes than the same bytes within their section. Returns 0 for sections that probably fit
 * into max_bytes, because they are compressed completely anyway. */
static size_t estimate_data_bytes(struct tp_pack *pack, size_t max_bytes)
{
    enum { LEAST_RATIO = 2, PART = 8, SAMPLES = 16 };
    size_t size = 0, used = 0;
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++)
        size += pack->sections[i].size;
    if (size / LEAST_RATIO < max_bytes)
        return 0;
    char *samples = tp_arena_alloc(pack->arena, size / PART + 1);
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++) {
        const struct tp_pack_column *section = &pack->sections[i];
        size_t sample = section->size / (PART * SAMPLES);
        for (size_t k = 0; k < SAMPLES && sample; k++, used += sample)
            memcpy(samples + used, section->data + section->size / SAMPLES * k, sample);
    }
    return base64_size(tp_gzip_texts(pack->arena, &(struct tp_str){samples, used}, 1).len * PART * 7 / 8);
}

/* Rounds times to microseconds if the timeline is long. Returns the estimated size of the rounded data: nanoseconds
 * need about half of the bytes. */
static size_t round_times(struct tp_pack *pack, struct tp_timeline *timeline, size_t size)
{
    if (pack->rounds || pack->unit_ns != 1 || pack->end_ns < LONG_RANGE_NS)
        return size;
    pack->rounds = timeline->rounds = true;
    pack->unit_ns = TP_PACK_MICROSECOND;
    return size / 2;
}

/* Chooses the slices that the next attempt folds. size: bytes that the current slices need. After three attempts,
 * device slices and annotations are folded too; after five attempts, also steps. */
static void choose_slices_to_fold(struct tp_pack *pack, struct tp_timeline *timeline, size_t size, size_t max_bytes,
                                  int attempt)
{
    /* long slices need more bytes than short ones, so the first attempt keeps fewer slices than the sizes suggest */
    uint64_t sixteenths = attempt == 0 ? 9 : 15, fixed = 0;
    uint64_t keep = (uint64_t)((unsigned __int128)timeline->shown_count * max_bytes / size * sixteenths / 16);
    for (unsigned bin = 0; bin < TP_PACK_DURATION_BINS; bin++)
        fixed += pack->bins[1][bin];
    if (!pack->folds_devices && (attempt >= 3 || keep <= fixed)) { /* folding only host slices does not save enough */
        pack->folds_devices = timeline->folds_devices = true;
        pack->max_name_bytes = max_bytes / 2;
    }
    if (!pack->folds_devices)
        keep -= fixed;
    if (attempt >= 5) {
        pack->folds_short_steps = true;
        keep /= 8;
    }
    pack->fold_below_ns = tp_pack_find_threshold(pack, keep);
    timeline->folded_below_ns = pack->fold_below_ns;
}

/* Packs the slices, and folds more slices in each attempt until the data fits into max_bytes. */
static void pack_within_limit(struct tp_pack *pack, struct tp_timeline *timeline, struct tp_str load, size_t max_bytes)
{
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        size_t size = estimate_data_bytes(pack, max_bytes);
        /* the estimate can be 1/16 too high, so sizes up to 1/16 above the limit are tried */
        if (size <= max_bytes + max_bytes / 16) {
            struct tp_str data = compress_header_and_sections(pack, timeline, load);
            size = base64_size(data.len);
            if (!size)
                break;
            if (size <= max_bytes) {
                timeline->data = data;
                return;
            }
        }
        pack->has_shapes &= attempt < 2; /* at first, fold slices instead of leaving out shapes */
        size = round_times(pack, timeline, size);
        if (size > max_bytes)
            choose_slices_to_fold(pack, timeline, size, max_bytes, attempt);
        pack->has_launches &= !pack->folds_devices;
        tp_pack_write_slices(pack);
    }
    timeline->shown_count = 0;
}

void tp_timeline_build(struct tp_timeline *timeline, const struct tp_model *model,
                       const struct tp_timeline_options *options, struct tp_arena *arena)
{
    struct tp_pack pack;
    *timeline = (struct tp_timeline){.model = model, .data = {"", 0}};
    choose_lanes_to_show(timeline, arena);
    find_time_range(timeline);
    timeline->typical_step = options->shown_step;
    tp_pack_init(&pack, timeline, options, arena);
    pack.has_launches = true;
    bool has_dims = tp_pack_shapes_init(&pack);
    pack.has_shapes = has_dims && timeline->slice_count <= MAX_WITH_SHAPES;
    tp_pack_write_slices(&pack);
    set_lane_ranks(timeline, arena);
    tp_pack_find_close(&pack);
    struct tp_str load = tp_timeline_pack_device_load(timeline, arena);
    if (options->max_bytes && timeline->lane_count)
        pack_within_limit(&pack, timeline, load, options->max_bytes);
    timeline->omits_shapes = has_dims && !pack.has_shapes;
    timeline->omits_launches = timeline->gpu_count && !pack.has_launches;
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++)
        tp_arena_free_item(arena, pack.sections[i].data, pack.sections[i].capacity);
}
