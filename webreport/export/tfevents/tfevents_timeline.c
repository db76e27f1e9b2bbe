/* The timeline as a picture: a row for each of the fullest threads and streams, coloured by what most of each stretch
 * of time went to; the paler, the less of the stretch was busy. */
#include <math.h>
#include <stdio.h>

#include "webreport/document/charts/chart.h"
#include "webreport/export/tfevents/tfevents_picture.h"
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/charts/timeline.h"
#include "webreport/model/device_rows.h"
#include "writer/text/format.h"

enum { MOST_HOSTS = 4, MOST_DEVICES = 6, MOST_LANES = MOST_HOSTS + MOST_DEVICES, LABEL_LETTERS = 8 };
enum { LEFT = 150, RIGHT = TP_PICTURE_WIDTH - 10, COLUMNS = RIGHT - LEFT, TOP = 64, BOTTOM = 300 };
enum { SHADE = 0xF3F5F8, NS_PER_MS = 1000000 };

/* A row: time of each kind per column of pixels, ns. */
struct row {
    char label[24]; /* LABEL_LETTERS are shown */
    uint64_t (*time)[TP_CHART_KINDS];
};

struct picture {
    const struct tp_timeline *timeline;
    struct row rows[MOST_LANES];
    int row_count;
    uint64_t width_ns; /* of a column */
};

/* TP_CHART_KINDS: nothing that a row shows. operation: number in model->devices; TP_NO_ID on the host. */
static enum tp_chart_kind kind_of(const struct tp_model *model, const struct tp_event *event, uint32_t operation)
{
    enum tp_range_kind kind = tp_range_kind_of(model, event);
    if (event->kind == TP_KIND_MEMCPY)
        return TP_CHART_MEMCPY;
    if (event->kind == TP_KIND_MEMSET)
        return TP_CHART_MEMSET;
    if (event->kind == TP_KIND_KERNEL)
        return operation != TP_NO_ID && tp_is_communication(model, operation) ? TP_CHART_COMM : TP_CHART_KERNEL;
    if (operation != TP_NO_ID || model->marks[event->name] & TP_MARK_STEP)
        return TP_CHART_KINDS;
    if (event->kind == TP_KIND_RUNTIME)
        return TP_CHART_RUNTIME;
    static const enum tp_chart_kind kinds[TP_RANGE_KINDS] = {
        [TP_RANGE_NONE] = TP_CHART_KINDS,         [TP_RANGE_INPUT] = TP_CHART_DATA,  [TP_RANGE_COMPUTE] = TP_CHART_CPU,
        [TP_RANGE_COMMUNICATION] = TP_CHART_COMM, [TP_RANGE_COPY] = TP_CHART_MEMCPY, [TP_RANGE_WAIT] = TP_CHART_RUNTIME,
        [TP_RANGE_SYNC] = TP_CHART_RUNTIME};
    return event->kind == TP_KIND_OPERATOR && !kind ? TP_CHART_CPU : kinds[kind];
}

static void spread(struct row *row, enum tp_chart_kind kind, uint64_t width, uint64_t start, uint64_t end)
{
    for (uint64_t i = start / width; i < COLUMNS && start < end; i++) {
        uint64_t border = (i + 1) * width, until = end < border ? end : border;
        row->time[i][kind] += until - start;
        start = until;
    }
}

/* Slices come by start: what a kind covers twice counts once. */
static void fill_row(const struct picture *picture, struct row *row, const struct tp_lane *lane)
{
    const struct tp_timeline *timeline = picture->timeline;
    uint64_t covered[TP_CHART_KINDS + 1] = {0};
    for (uint32_t i = 0; i < lane->slice_count; i++) {
        const struct tp_event *event = &timeline->model->trace->events[lane->slices[i]];
        enum tp_chart_kind kind = kind_of(timeline->model, event, lane->operations ? lane->operations[i] : TP_NO_ID);
        if (kind == TP_CHART_KINDS || event->ts_ns < timeline->start_ns)
            continue;
        uint64_t start = (uint64_t)event->ts_ns - (uint64_t)timeline->start_ns, end = start + (uint64_t)event->dur_ns;
        start = start > covered[kind] ? start : covered[kind];
        if (end > start) {
            spread(row, kind, picture->width_ns, start, end);
            covered[kind] = end;
        }
    }
}

static void label_row(struct row *row, const struct tp_timeline *timeline, const struct tp_lane *lane, uint32_t number)
{
    const struct tp_trace *trace = timeline->model->trace;
    uint32_t detail = trace->events[lane->slices[0]].detail;
    const struct tp_device_setup *setup = lane->is_device && detail != TP_NO_ID ? tp_device_setup(trace, detail) : NULL;
    const char *word = tp_devices_word(timeline->model);
    if (!lane->is_device && (lane->has_steps || lane->is_backward))
        snprintf(row->label, sizeof row->label, "%s", lane->has_steps ? "main" : "backward");
    else if (!lane->is_device)
        snprintf(row->label, sizeof row->label, "thread %u", number % 10);
    else if (setup && setup->stream != TP_NULL_INT)
        snprintf(row->label, sizeof row->label, "%s%d:%d", word,
                 (int)(tp_device_of(timeline->model, &trace->events[lane->slices[0]]) % 100),
                 (int)(setup->stream % 1000));
    else
        snprintf(row->label, sizeof row->label, "%s", word);
    row->label[LABEL_LETTERS] = '\0';
}

/* The fullest lanes in the order of the report's timeline. */
static void find_rows(struct picture *picture, struct tp_arena *arena)
{
    const struct tp_timeline *timeline = picture->timeline;
    const struct tp_lane **by_rank = tp_arena_array(arena, timeline->lane_count, sizeof(void *));
    int counts[2] = {0}, most[2] = {MOST_HOSTS, MOST_DEVICES};
    for (uint32_t i = 0; i < timeline->lane_count; i++)
        by_rank[timeline->lanes[i].rank] = &timeline->lanes[i];
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        const struct tp_lane *lane = by_rank[i];
        if (counts[lane->is_device] == most[lane->is_device] || (!lane->is_device && !lane->work_ns))
            continue;
        struct row *row = &picture->rows[picture->row_count++];
        counts[lane->is_device]++;
        row->time = tp_arena_array(arena, COLUMNS, sizeof *row->time);
        label_row(row, timeline, lane, (uint32_t)counts[0]);
        fill_row(picture, row, lane);
    }
}

/* ---- drawing; nothing is allocated ---- */

static uint32_t blend(uint32_t colour, double share)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8)
        mixed |= (uint32_t)lround(255 - (255 - (double)(colour >> shift & 255)) * share) << shift;
    return mixed;
}

/* The kind that most of the column went to; work inside runtime calls and of the loader is theirs. */
static uint32_t colour_of(const uint64_t time[TP_CHART_KINDS], uint64_t width)
{
    uint64_t own[TP_CHART_KINDS], busy = 0;
    enum tp_chart_kind best = TP_CHART_OTHER;
    for (int kind = 0; kind < TP_CHART_KINDS; kind++)
        own[kind] = time[kind];
    uint64_t inside = own[TP_CHART_RUNTIME] + own[TP_CHART_DATA];
    own[TP_CHART_CPU] -= own[TP_CHART_CPU] < inside ? own[TP_CHART_CPU] : inside;
    own[TP_CHART_OTHER] = 0;
    for (int kind = 0; kind < TP_CHART_KINDS; kind++) {
        busy += own[kind];
        if (own[kind] > own[best])
            best = (enum tp_chart_kind)kind;
    }
    double share = (double)busy / (double)width;
    return busy ? blend(tp_chart_colour(best), 0.25 + 0.75 * fmin(share, 1)) : TP_PICTURE_GRID;
}

static int column_of(const struct picture *picture, int64_t time_ns)
{
    double at = ((double)time_ns - (double)picture->timeline->start_ns) / (double)picture->width_ns;
    return (int)fmin(fmax(at, 0), COLUMNS);
}

/* Every other step is shaded; numbers where there is room. */
static void draw_steps(struct tp_canvas *canvas, const struct tp_tf_run *run, const struct picture *picture)
{
    const struct tp_step *steps = run->export->profile->model->steps;
    int label_end = 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        char number[24];
        int from = LEFT + column_of(picture, steps[i].start_ns), to = LEFT + column_of(picture, steps[i].end_ns);
        if (i % 2 == 0)
            tp_canvas_fill(canvas, (struct tp_box){from, TOP - 26, to - from, BOTTOM - TOP + 26}, SHADE);
        snprintf(number, sizeof number, "%lld", (long long)run->step_numbers[i]);
        int width = tp_canvas_text_width(number, TP_PICTURE_SCALE), x = from + (to - from - width) / 2;
        if (width > to - from || x < label_end)
            continue;
        tp_canvas_text(canvas, x, TOP - 25, TP_PICTURE_SCALE, TP_PICTURE_INK, number);
        label_end = x + width + TP_PICTURE_LETTER / 2;
    }
}

static void draw_rows(struct tp_canvas *canvas, const struct picture *picture)
{
    int pitch = (BOTTOM - TOP) / picture->row_count;
    pitch = pitch < 70 ? pitch : 70;
    for (int r = 0; r < picture->row_count; r++) {
        const struct row *row = &picture->rows[r];
        int y = TOP + 4 + r * pitch, height = pitch - 6;
        tp_canvas_text(canvas, 6, y + (height - TP_PICTURE_LINE) / 2 + 2, TP_PICTURE_SCALE, TP_PICTURE_INK, row->label);
        for (int i = 0; i < COLUMNS; i++)
            tp_canvas_fill(canvas, (struct tp_box){LEFT + i, y, 1, height}, colour_of(row->time[i], picture->width_ns));
    }
}

void tp_tf_add_timeline(const struct tp_tf_run *run)
{
    struct tp_arena *arena = run->export->arena;
    const struct tp_timeline_options options = {0};
    struct tp_timeline *timeline = tp_arena_alloc(arena, sizeof *timeline);
    struct picture picture = {.timeline = timeline};
    struct tp_canvas canvas;
    tp_timeline_build(timeline, run->export->profile->model, &options, arena);
    picture.width_ns = timeline->range_ns / COLUMNS + 1;
    find_rows(&picture, arena);
    const char *length = tp_text_of_time(arena, (int64_t)(picture.width_ns * COLUMNS));
    if (!picture.row_count || tp_canvas_init(&canvas, TP_PICTURE_WIDTH, TP_PICTURE_HEIGHT) < 0)
        return;
    tp_canvas_text(&canvas, 10, 8, TP_PICTURE_SCALE, TP_PICTURE_INK, "timeline (pale: idle)");
    draw_steps(&canvas, run, &picture);
    draw_rows(&canvas, &picture);
    tp_canvas_text(&canvas, LEFT, BOTTOM + 6, TP_PICTURE_SCALE, TP_PICTURE_INK, "0");
    tp_canvas_text(&canvas, RIGHT - tp_canvas_text_width(length, TP_PICTURE_SCALE), BOTTOM + 6, TP_PICTURE_SCALE,
                   TP_PICTURE_INK, length);
    tp_picture_legend(&canvas);
    tp_picture_put(run, &canvas, "profile_images/timeline",
                   "What each thread and stream did over the capture: the colour is what most of a moment went to, the "
                   "paler the less of it was busy. Rows are the fullest threads and streams, bands are the steps.");
}
