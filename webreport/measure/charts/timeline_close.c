/* Finds the close-up of the timeline: the part of a step in which the most work starts, with its slices in rows.
 * Implements a part of timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"
#include "webreport/trace/frame.h"

enum {
    PARTS = 16,     /* the close-up is one of so many equal parts of the step */
    FINEST = 400,   /* slices shorter than this part of the close-up are joined with their neighbours */
    MAX_OPEN = 256, /* limit of open slices; deeper slices are left out */
    FRAME_ROWS = 2,
    OPERATOR_ROWS = 2
};
static const uint64_t SHORTEST_NS = 1000;

struct finder {
    const struct tp_pack *pack;
    struct tp_timeline_close *close;
    struct tp_vec boxes[TP_CLOSE_ROWS]; /* boxes of each row; elements: struct tp_close_box */
};

/* Returns the lane of the host or device with the most slices; NULL without such a lane. */
static const struct tp_lane *busiest_lane(const struct tp_timeline *timeline, bool is_device)
{
    const struct tp_lane *best = NULL;
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct tp_lane *lane = &timeline->lanes[i];
        if (lane->is_device != is_device || !lane->slice_count)
            continue;
        if (!best || (is_device ? lane->slice_count > best->slice_count : lane->rank < best->rank))
            best = lane;
    }
    return best;
}

static uint64_t start_of(const struct tp_timeline *timeline, const struct tp_event *event)
{
    return (uint64_t)event->ts_ns - (uint64_t)timeline->start_ns;
}

/* Sets the time of the close-up: the part of the typical step, or of the whole drawing, in which the most slices of the
 * lane start. */
static void choose_part(struct tp_timeline_close *close, const struct tp_timeline *timeline, const struct tp_lane *lane)
{
    const struct tp_model *model = timeline->model;
    uint64_t from = 0, length = timeline->drawn_range_ns, counts[PARTS] = {0}, best = 0;
    close->step = timeline->typical_step;
    if (close->step != TP_NO_ID && model->steps[close->step].end_ns > model->steps[close->step].start_ns) {
        from = (uint64_t)model->steps[close->step].start_ns - (uint64_t)timeline->start_ns;
        length = (uint64_t)model->steps[close->step].end_ns - (uint64_t)model->steps[close->step].start_ns;
    }
    uint64_t part = length / PARTS + 1;
    for (uint32_t i = 0; i < lane->slice_count; i++) {
        uint64_t start = start_of(timeline, &model->trace->events[lane->slices[i]]);
        if (start >= from && (start - from) / part < PARTS)
            counts[(start - from) / part]++;
    }
    for (uint64_t i = 1; i < PARTS; i++)
        best = counts[i] > counts[best] ? i : best;
    close->start_ns = from + best * part;
    close->dur_ns = part < SHORTEST_NS ? SHORTEST_NS : part;
}

/* Appends a slice to a row, or lengthens the last box if both are too short to see. */
static void add_box(struct finder *finder, enum tp_close_row row, const struct tp_event *event,
                    enum tp_slice_class class)
{
    const struct tp_timeline_close *close = finder->close;
    uint64_t start = start_of(finder->pack->timeline, event), end = start + (uint64_t)event->dur_ns;
    uint64_t limit = close->start_ns + close->dur_ns, finest = close->dur_ns / FINEST;
    struct tp_vec *boxes = &finder->boxes[row];
    start = start < close->start_ns ? 0 : start - close->start_ns;
    end = (end > limit ? limit : end) - close->start_ns;
    struct tp_close_box *last = boxes->count ? TP_AT(boxes, struct tp_close_box, boxes->count - 1) : NULL;
    if (last && last->class == class && start < last->end_ns + finest && end - start < finest &&
        (last->is_many || last->end_ns - last->start_ns < finest)) {
        last->is_many = true;
        last->end_ns = end > last->end_ns ? end : last->end_ns;
        return;
    }
    *(struct tp_close_box *)tp_vec_push(boxes) = (struct tp_close_box){start, end, class, event->name, false};
}

static void add_device_slices(struct finder *finder, const struct tp_lane *lane)
{
    const struct tp_timeline *timeline = finder->pack->timeline;
    const struct tp_timeline_close *close = finder->close;
    for (uint32_t i = 0; i < lane->slice_count; i++) {
        const struct tp_event *event = &timeline->model->trace->events[lane->slices[i]];
        uint64_t start = start_of(timeline, event);
        if (start < close->start_ns + close->dur_ns && start + (uint64_t)event->dur_ns > close->start_ns)
            add_box(finder, TP_CLOSE_DEVICE, event, tp_pack_class_of_event(finder->pack, event));
    }
}

/* Returns the row of a host slice, given the number of open slices of its group; TP_CLOSE_ROWS: the slice has no row.
 */
static enum tp_close_row row_of_slice(enum tp_slice_group group, size_t depth)
{
    if (group == TP_GROUP_CALLS)
        return depth ? TP_CLOSE_ROWS : TP_CLOSE_CALLS;
    if (group == TP_GROUP_OPERATORS)
        return depth < OPERATOR_ROWS ? TP_CLOSE_OPERATORS + (enum tp_close_row)depth : TP_CLOSE_ROWS;
    return depth < FRAME_ROWS ? TP_CLOSE_FRAMES + (enum tp_close_row)depth : TP_CLOSE_ROWS;
}

struct open_slice {
    uint64_t start, end;
};

/* Returns whether a frame only passes on: it belongs to the call of a module, or takes at least 90 % of the time of the
 * frame around it. around: NULL for an outermost frame. */
static bool is_passing_on(const struct finder *finder, const struct tp_event *event, const struct open_slice *around)
{
    struct tp_str name = tp_strings_get(&finder->pack->timeline->model->trace->names, event->name);
    bool is_long = around && (uint64_t)event->dur_ns / 9 >= (around->end - around->start) / 10;
    return is_long || tp_str_ends(tp_frame_function_name(name), "_call_impl");
}

/* Adds the slices of a thread. Slices that last for the whole close-up say nothing and have no row, and neither have
 * frames that only pass on. */
static void add_host_slices(struct finder *finder, const struct tp_lane *lane)
{
    const struct tp_timeline *timeline = finder->pack->timeline;
    const struct tp_timeline_close *close = finder->close;
    struct open_slice slices[TP_GROUP_COUNT][MAX_OPEN];
    uint64_t limit = close->start_ns + close->dur_ns;
    size_t open[TP_GROUP_COUNT] = {0};
    for (uint32_t i = 0; i < lane->slice_count; i++) {
        const struct tp_event *event = &timeline->model->trace->events[lane->slices[i]];
        uint64_t start = start_of(timeline, event), end = start + (uint64_t)event->dur_ns;
        if (start >= limit)
            break;
        if (end <= close->start_ns || (start <= close->start_ns && end >= limit))
            continue;
        enum tp_slice_class class = tp_pack_class_of_event(finder->pack, event);
        enum tp_slice_group group = tp_group_of_slice(class);
        while (open[group] && slices[group][open[group] - 1].end <= start + (end - start) / 2)
            open[group]--;
        const struct open_slice *around = open[group] ? &slices[group][open[group] - 1] : NULL;
        if (class == TP_SLICE_FRAME && is_passing_on(finder, event, around))
            continue;
        enum tp_close_row row = row_of_slice(group, open[group]);
        if (open[group] < MAX_OPEN)
            slices[group][open[group]++] = (struct open_slice){start, end};
        if (row < TP_CLOSE_ROWS)
            add_box(finder, row, event, class);
    }
}

void tp_pack_find_close(struct tp_pack *pack)
{
    struct tp_timeline *timeline = pack->timeline;
    const struct tp_lane *device = busiest_lane(timeline, true), *host = busiest_lane(timeline, false);
    struct finder finder = {.pack = pack, .close = &timeline->close};
    if (!device && !host)
        return;
    choose_part(&timeline->close, timeline, device ? device : host);
    for (int row = 0; row < TP_CLOSE_ROWS; row++)
        finder.boxes[row] = TP_VEC(pack->arena, struct tp_close_box);
    if (device)
        add_device_slices(&finder, device);
    if (host)
        add_host_slices(&finder, host);
    timeline->close.device = device;
    for (int row = 0; row < TP_CLOSE_ROWS; row++) {
        timeline->close.rows[row].boxes = finder.boxes[row].data;
        timeline->close.rows[row].count = (uint32_t)finder.boxes[row].count;
    }
}
