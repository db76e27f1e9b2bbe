/* Writes work items of other devices, on rows like a GPU's streams. See spool_trace.c.
 *
 * A lane is named "DEVICE/QUEUE". Its device number follows the numbers of the recorded GPUs. Overlapping work items of
 * a lane share as few rows as possible. Times are cut at the ends of the recording. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/spool/spool_gpu.h"
#include "writer/spool/spool_trace_part.h"

enum { MAX_ARGS = TP_SPOOL_MARK_FACTS + 8, COPY = 4 };

static struct tp_spool_work read_work(const struct tp_spool_record *record)
{
    struct tp_spool_work work;
    memcpy(&work, tp_spool_payload(record), sizeof work);
    return work;
}

/* ---- lanes and their devices ---- */

/* Converts a time of CLOCK_MONOTONIC to the wall clock. An impossible time becomes the smallest or largest time. */
static int64_t monotonic_to_wall_ns(const struct tp_spool_file *file, int64_t monotonic_ns)
{
    const struct tp_spool_clock *clock = file->clocks;
    int64_t offset = file->clock_count ? clock->realtime_ns - clock->monotonic_ns : 0, wall_ns;
    if (__builtin_add_overflow(monotonic_ns, offset, &wall_ns))
        return monotonic_ns < 0 ? INT64_MIN : INT64_MAX;
    return wall_ns;
}

void tp_spool_gather_work_lane(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    if (record->kind != TP_SPOOL_WORK || (size_t)record->slots * TP_SPOOL_SLOT < sizeof(struct tp_spool_work))
        return;
    struct tp_spool_work work = read_work(record);
    int64_t begin_ns = monotonic_to_wall_ns(c->file, work.begin_ns);
    c->first_work_ns = begin_ns < c->first_work_ns ? begin_ns : c->first_work_ns;
    const struct tp_spool_lane *last =
        c->lanes.count ? TP_AT(&c->lanes, struct tp_spool_lane, c->lanes.count - 1) : NULL;
    if (!last || last->name != work.lane)
        *(struct tp_spool_lane *)tp_vec_push(&c->lanes) = (struct tp_spool_lane){.name = work.lane};
}

static int by_name(const void *x, const void *y)
{
    const struct tp_spool_lane *a = x, *b = y;
    return (a->name > b->name) - (a->name < b->name);
}

/* Returns the part of a lane's name before '/', or the whole name. */
static struct tp_str device_of_lane_name(struct tp_str name)
{
    const char *slash = name.len ? memchr(name.ptr, '/', name.len) : NULL;
    return (struct tp_str){name.ptr, slash ? (size_t)(slash - name.ptr) : name.len};
}

int64_t tp_spool_finish_work_lanes(struct tp_spool_conversion *c, int64_t first)
{
    struct tp_spool_lane *lanes = c->lanes.data;
    size_t kept = 0;
    int64_t start = (int64_t)c->file->head.start_realtime_ns;
    if (c->lanes.count)
        qsort(lanes, c->lanes.count, sizeof *lanes, by_name);
    for (size_t i = 0; i < c->lanes.count; i++) {
        struct tp_spool_lane lane = lanes[i];
        if (kept && lanes[kept - 1].name == lane.name)
            continue;
        const struct tp_spool_record named = {.name = lane.name};
        lane.text = lane.name == TP_SPOOL_NO_NAME ? TP_STR("") : tp_spool_record_name(c->file, &named, NULL);
        lane.device_name = device_of_lane_name(lane.text);
        lanes[kept++] = lane;
    }
    c->lanes.count = kept;
    int64_t least = c->first_work_ns > start ? c->first_work_ns : start; /* limits the start, because no work item
                                                                            begins before the start of the spool */
    return least < first ? least : first;
}

static int64_t first_unused_device_number(const struct tp_spool_conversion *c)
{
    int64_t number = 0;
    for (size_t i = 0; c->gpu && i < c->gpu->devices.count; i++) {
        int64_t id = TP_AT(&c->gpu->devices, struct tp_gpu_device, i)->out.id;
        number = id >= number && id < UINT32_MAX - TP_SPOOL_WORK_DEVICES ? id + 1 : number;
    }
    return number;
}

size_t tp_spool_fill_work_devices(struct tp_spool_conversion *c, struct tp_trace_out_device *devices)
{
    size_t count = 0;
    c->first_work_device = first_unused_device_number(c);
    for (size_t i = 0; i < c->lanes.count; i++) {
        struct tp_spool_lane *lane = TP_AT(&c->lanes, struct tp_spool_lane, i);
        size_t d = 0;
        while (d < count && !tp_str_equal(devices[d].name, lane->device_name))
            d++;
        lane->device = TP_NO_ID;
        if (d == TP_SPOOL_WORK_DEVICES)
            continue;
        if (d == count) {
            devices[count] = TP_TRACE_OUT_DEVICE(c->first_work_device + (int64_t)count, lane->device_name);
            devices[count++].label = lane->device_name;
        }
        lane->device = (uint32_t)devices[d].id;
    }
    return count;
}

/* ---- records ---- */

void tp_spool_add_work(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    (void)tid;
    struct tp_spool_work work = read_work(record);
    int64_t begin_ns = monotonic_to_wall_ns(c->file, work.begin_ns),
            end_ns = monotonic_to_wall_ns(c->file, work.end_ns);
    int64_t first_ns = c->result->start_ns, last_ns = c->base_ns + c->end_ns;
    bool is_moment = end_ns <= begin_ns;
    c->has_work = false;
    if (begin_ns > last_ns || (is_moment ? begin_ns : end_ns) < first_ns || (!is_moment && begin_ns == last_ns))
        return;
    begin_ns = begin_ns > first_ns ? begin_ns : first_ns;
    end_ns = is_moment ? begin_ns : end_ns < last_ns ? end_ns : last_ns;
    *(struct tp_spool_lane_range *)tp_vec_push(&c->works) =
        (struct tp_spool_lane_range){.start_ns = begin_ns - c->base_ns,
                                     .dur_ns = end_ns - begin_ns,
                                     .record = record,
                                     .group = work.lane,
                                     .fact = TP_NO_ID};
    c->has_work = true;
}

/* ---- rows ---- */

static enum tp_trace_out_category work_category(uint32_t kind)
{
    static const enum tp_trace_out_category categories[TP_SPOOL_WORK_KINDS] = {
        TP_OUT_KERNEL,
        TP_OUT_KERNEL,
        TP_OUT_GPU_USER_ANNOTATION, /* category of TRACEPRESS_INPUT */
        TP_OUT_KERNEL,              /* category of TRACEPRESS_COMMUNICATION */
        TP_OUT_GPU_MEMCPY,
        TP_OUT_GPU_USER_ANNOTATION, /* category of TRACEPRESS_WAIT */
        TP_OUT_GPU_USER_ANNOTATION  /* category of TRACEPRESS_SYNC */
    };
    return kind < TP_SPOOL_WORK_KINDS ? categories[kind] : TP_OUT_KERNEL;
}

/* Changes the argument "bytes" of a copy into torch's own argument of the same name. */
static void convert_bytes_arg(struct tp_trace_out_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (args[i].key == TP_OUT_NAMED && args[i].type == TP_OUT_INT && tp_str_equal(args[i].name, TP_STR("bytes")))
            args[i].key = TP_OUT_BYTES;
}

static void write_work(struct tp_spool_conversion *c, const struct tp_spool_lane_range *range,
                       const struct tp_spool_lane *lane)
{
    struct tp_trace_out_arg args[MAX_ARGS];
    struct tp_spool_work work = read_work(range->record);
    bool has_row_name = range->lane != TP_NO_ID;
    int64_t stream = lane->stream + (has_row_name ? range->lane : 0);
    size_t n = 0;
    args[n++] = tp_trace_out_int_arg(TP_OUT_DEVICE, lane->device);
    args[n++] = tp_trace_out_int_arg(TP_OUT_STREAM, stream);
    n = tp_spool_add_kind_arg(work.kind, args, n);
    n = tp_spool_add_fact_args(c, range->fact, args, n);
    if (work.kind == COPY)
        convert_bytes_arg(args, n);
    if (!has_row_name)
        args[n++] = (struct tp_trace_out_arg){
            .key = TP_OUT_NAMED, .type = TP_OUT_INT, .name = TP_STR("duration_ns"), .value.integer = range->dur_ns};
    const struct tp_trace_out_event event = {.category = work_category(work.kind),
                                             .name = tp_spool_trace_name(c, range->record),
                                             .pid = lane->device,
                                             .tid = stream,
                                             .ts_ns = range->start_ns,
                                             .dur_ns = range->dur_ns,
                                             .args = args,
                                             .arg_count = n};
    (has_row_name ? tp_trace_out_complete : tp_trace_out_instant)(c->out, &event);
}

static void write_names_of_lane_rows(struct tp_spool_conversion *c, const struct tp_spool_lane *lane, uint32_t rows)
{
    char text[200];
    for (uint32_t i = 0; i < rows; i++) {
        int n = snprintf(text, sizeof text, "%.*s", (int)(lane->text.len < 160 ? lane->text.len : 160),
                         lane->text.len ? lane->text.ptr : "");
        if (i)
            n += snprintf(text + n, sizeof text - (size_t)n, " (%" PRIu32 ")", i + 1);
        int64_t stream = (int64_t)lane->stream + i;
        tp_trace_out_row(c->out, lane->device, stream, (struct tp_str){text, (size_t)n}, stream);
    }
}

static struct tp_spool_lane *find_lane_of_name(const struct tp_spool_conversion *c, uint32_t name)
{
    size_t low = 0, high = c->lanes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (TP_AT(&c->lanes, struct tp_spool_lane, middle)->name < name)
            low = middle + 1;
        else
            high = middle;
    }
    /* the lane exists, because the lanes of all work items were collected before */
    return TP_AT(&c->lanes, struct tp_spool_lane, low);
}

void tp_spool_write_works(struct tp_spool_conversion *c)
{
    struct tp_spool_lane_range *works = c->works.data;
    /* for each device, number of rows that its lanes have used so far */
    uint32_t streams[TP_SPOOL_WORK_DEVICES] = {0};
    if (c->works.count)
        qsort(works, c->works.count, sizeof *works, tp_spool_compare_lane_ranges);
    for (size_t i = 0, n; i < c->works.count; i += n) {
        struct tp_spool_lane *lane = find_lane_of_name(c, (uint32_t)works[i].group);
        for (n = 1; i + n < c->works.count && works[i + n].group == works[i].group;)
            n++;
        if (lane->device == TP_NO_ID) {
            c->result->broken_count += n;
            continue;
        }
        uint32_t rows = tp_spool_assign_lanes(&works[i], n);
        lane->stream = streams[lane->device - c->first_work_device];
        streams[lane->device - c->first_work_device] += rows;
        write_names_of_lane_rows(c, lane, rows);
        for (size_t k = 0; k < n; k++)
            write_work(c, &works[i + k], lane);
    }
}
