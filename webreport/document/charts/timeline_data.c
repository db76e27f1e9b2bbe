/* Converts bands, phases and load curves to percentages and path data, and writes the data for the interactive
 * viewer as base64. */
#include "webreport/document/charts/timeline_data.h"
#include "webreport/document/name_text.h"
#include "webreport/document/section.h"

#include <stdio.h>

#include "writer/text/base64.h"
#include "writer/text/format.h"

enum {
    MAX_BANDS = 200,
    MAX_HOST_CURVES = 4,
    MAX_GPU_CURVES = 8,
    CURVE_TOP = 16,    /* space above the curves for the names of steps, pixels */
    CURVE_PITCH = 56,  /* distance between two curves, pixels */
    CURVE_HEIGHT = 34, /* height of a curve, pixels */
    CURVE_UNITS = 340, /* height of a curve in units of its viewBox */
    PHASE_HEIGHT = 22,
    AXIS_HEIGHT = 22,
    AXIS_TICKS = 8
};

static void put_percent(struct tp_object *object, const char *name, uint64_t part, uint64_t whole)
{
    tp_object_add_formatted(object, name, "%.4g%%", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

/* ---- parts of the drawing ---- */

static const struct style {
    const char *kind, *fill, *ink;
} looks[TP_SLICE_CLASS_COUNT] = {
    [TP_SLICE_CPU] = {"cpu", "#67C7E8", "#14181D"},
    [TP_SLICE_KERNEL] = {"kernel", "#2160B8", "#FFFFFF"},
    [TP_SLICE_COMMUNICATION] = {"comm", "#6F3F86", "#FFFFFF"},
    [TP_SLICE_MEMCPY] = {"memcpy", "#0C8F63", "#FFFFFF"},
    [TP_SLICE_MEMSET] = {"memset", "#E3C62B", "#14181D"},
    [TP_SLICE_RUNTIME] = {"runtime", "#CB8017", "#14181D"},
    [TP_SLICE_DATA] = {"data", "#B92B27", "#FFFFFF"},
    [TP_SLICE_FRAME] = {"other", "#8C949E", "#14181D"},
    [TP_SLICE_STEP] = {"other", "#8C949E", "#14181D"},
    [TP_SLICE_ANNOTATION] = {"cpu", "#67C7E8", "#14181D"},
};

static void put_style(struct tp_object *object, enum tp_slice_class class)
{
    tp_object_add_text(object, "kind", looks[class].kind);
    tp_object_add_text(object, "fill", looks[class].fill);
    tp_object_add_text(object, "ink", looks[class].ink);
}

static void put_step_bands(struct tp_object *object, const struct tp_timeline *timeline)
{
    const struct tp_model *model = timeline->model;
    struct tp_list *bands = tp_object_add_list(object, "bands");
    for (uint32_t i = 0; i < model->step_count && i < MAX_BANDS; i++) {
        const struct tp_step *step = &model->steps[i];
        uint64_t start = (uint64_t)step->start_ns - (uint64_t)timeline->start_ns;
        uint64_t size = (uint64_t)step->end_ns - (uint64_t)step->start_ns;
        struct tp_object *band = tp_list_add_object(bands);
        put_percent(band, "x", start, timeline->drawn_range_ns);
        put_percent(band, "w", size, timeline->drawn_range_ns);
        put_percent(band, "cx", start + size / 2, timeline->drawn_range_ns);
        tp_object_add_bool(band, "is_odd", i % 2);
        bool is_number = step->name.len && step->name.ptr[0] >= '0' && step->name.ptr[0] <= '9';
        if (size > timeline->drawn_range_ns / 25 && step->name.len < 24)
            tp_object_add_formatted(band, "label", "%s%.*s", is_number ? "step " : "", (int)step->name.len,
                                    step->name.ptr);
    }
}

static void put_phases_of_timeline(struct tp_object *object, const struct tp_timeline *timeline, struct tp_arena *arena)
{
    struct tp_list *phases = tp_object_add_list(object, "phases");
    for (uint32_t i = 0; i < timeline->phase_count; i++) {
        const struct tp_timeline_phase *phase = &timeline->phases[i];
        struct tp_object *box = tp_list_add_object(phases);
        put_percent(box, "x", phase->start_ns, timeline->drawn_range_ns);
        put_percent(box, "w", phase->dur_ns, timeline->drawn_range_ns);
        put_style(box, phase->class);
        tp_object_add_formatted(box, "tip", "%.*s · %s", phase->name.len > 200 ? 200 : (int)phase->name.len,
                                phase->name.ptr, tp_text_of_time(arena, (int64_t)(phase->dur_ns)));
        if (phase->dur_ns > timeline->drawn_range_ns / 40)
            tp_object_add_str(box, "label", phase->name);
    }
}

/* Returns a filled staircase for shares of 0 to 255, in a box of height CURVE_UNITS. Joins equal values and uses
 * relative moves to keep the path short. ends_open: true omits the base line. */
static struct tp_str staircase_path_of_shares(struct tp_arena *arena, const uint8_t *shares, bool ends_open)
{
    char *text = tp_arena_alloc(arena, TP_TIMELINE_LOAD_BUCKETS * 16 + 64), *at = text;
    int level = CURVE_UNITS, since = 0;
    at += sprintf(at, "M0 %d", level);
    for (int i = 0; i < TP_TIMELINE_LOAD_BUCKETS; i++) {
        int next = (255 - shares[i]) * CURVE_UNITS / 255;
        if (next == level)
            continue;
        if (i > since)
            at += sprintf(at, "h%d", i - since);
        at += sprintf(at, "v%d", next - level);
        level = next, since = i;
    }
    at += sprintf(at, "H%d", TP_TIMELINE_LOAD_BUCKETS);
    if (!ends_open)
        at += sprintf(at, "V%dZ", CURVE_UNITS);
    return (struct tp_str){text, (size_t)(at - text)};
}

static struct tp_object *add_load_curve(struct tp_list *curves, unsigned *y, enum tp_slice_class class)
{
    struct tp_object *curve = tp_list_add_object(curves);
    tp_object_add_int(curve, "label_y", *y + 12);
    tp_object_add_int(curve, "y", *y + 18);
    put_style(curve, class);
    *y += CURVE_PITCH;
    return curve;
}

static bool is_load_zero(const uint8_t *load)
{
    for (int i = 0; i < TP_TIMELINE_LOAD_BUCKETS; i++)
        if (load[i])
            return false;
    return true;
}

static void put_load_curves(struct tp_object *object, const struct tp_timeline *timeline, struct tp_arena *arena,
                            unsigned *y)
{
    struct tp_list *curves = tp_object_add_list(object, "curves");
    for (uint32_t rank = 0, shown = 0; rank < timeline->lane_count && shown < MAX_HOST_CURVES; rank++) {
        const struct tp_lane *lane = timeline->lanes;
        while (lane->rank != rank)
            lane++;
        if (lane->is_device || is_load_zero(lane->load))
            continue;
        struct tp_object *curve = add_load_curve(curves, y, TP_SLICE_CPU);
        tp_object_add_formatted(curve, "title", "%.*s, %s", (int)lane->title.len, lane->title.ptr,
                                tp_uses_torch_words(timeline->model->producer)
                                    ? "share of time in operators and runtime calls"
                                    : "share of time in recorded calls");
        tp_object_add_str(curve, "path", staircase_path_of_shares(arena, lane->load, false));
        shown++;
    }
    for (uint32_t i = 0; i < timeline->gpu_count && i < MAX_GPU_CURVES; i++) {
        const struct tp_timeline_gpu *gpu = &timeline->gpus[i];
        struct tp_object *curve = add_load_curve(curves, y, TP_SLICE_KERNEL);
        tp_object_add_formatted(curve, "title", "%.*s, share of time with device work%s", (int)gpu->title.len,
                                gpu->title.ptr, gpu->has_sm_efficiency ? "; line: estimated SM efficiency" : "");
        tp_object_add_str(curve, "path", staircase_path_of_shares(arena, gpu->busy, false));
        if (gpu->has_sm_efficiency)
            tp_object_add_str(curve, "line", staircase_path_of_shares(arena, gpu->sm, true));
    }
}

static void put_time_range(struct tp_object *object, const struct tp_timeline *timeline, struct tp_arena *arena)
{
    struct tp_list *times = tp_object_add_list(object, "times");
    uint64_t step = 1;
    while (timeline->drawn_range_ns / step > AXIS_TICKS) {
        uint64_t next = step * 10;
        if (timeline->drawn_range_ns / (step * 2) <= AXIS_TICKS)
            next = step * 2;
        else if (timeline->drawn_range_ns / (step * 5) <= AXIS_TICKS)
            next = step * 5;
        step = next;
    }
    for (uint64_t i = 0; i <= AXIS_TICKS && i * step <= timeline->drawn_range_ns; i++) {
        struct tp_object *tick = tp_list_add_object(times);
        put_percent(tick, "x", i * step, timeline->drawn_range_ns);
        tp_object_add_text(tick, "anchor",
                           i == 0                                           ? "start"
                           : timeline->drawn_range_ns - i * step < step / 4 ? "end"
                                                                            : "middle");
        tp_object_add_text(tick, "label", i ? tp_text_of_time(arena, (int64_t)(i * step)) : "0");
    }
}

/* ---- texts and data ---- */

static const char *text_of_slices(struct tp_arena *arena, uint64_t count)
{
    return tp_text_of_counted_noun(arena, (int64_t)count, "slice", "slices");
}

static void put_texts_of_timeline(struct tp_object *object, const struct tp_timeline *timeline, struct tp_arena *arena)
{
    tp_object_add_sentence(object, "lead",
                           tp_str_of(tp_text_printf(arena, "The timeline shows %s on %u %s over %s.",
                                                    text_of_slices(arena, timeline->slice_count), timeline->lane_count,
                                                    timeline->lane_count == 1 ? "lane" : "lanes",
                                                    tp_text_of_time(arena, (int64_t)(timeline->drawn_range_ns)))));
    struct tp_list *notes = tp_object_add_list(object, "notes");
    if (timeline->folded_count)
        tp_object_add_formatted(
            tp_list_add_object(notes), "text",
            "To keep the page small, the timeline draws %s shorter than %s%s only as a share of time. A larger "
            "--max-size draws more slices.",
            text_of_slices(arena, timeline->folded_count), tp_text_of_time(arena, (int64_t)(timeline->folded_below_ns)),
            timeline->folds_devices ? "" : " on the host");
    if (!timeline->data.len)
        tp_object_add_text(
            tp_list_add_object(notes), "text",
            "The timeline shows no single slices, because they exceed the size limit of the page. Raise the "
            "limit with --max-size.");
    if (timeline->omitted_lane_count)
        tp_object_add_formatted(tp_list_add_object(notes), "text", "The timeline leaves out %s with few slices.",
                                tp_text_of_counted_noun(arena, timeline->omitted_lane_count, "lane", "lanes"));
    if (timeline->omitted_deep_slice_count)
        tp_object_add_formatted(tp_list_add_object(notes), "text",
                                "The timeline leaves out %s nested deeper than %d levels.",
                                text_of_slices(arena, timeline->omitted_deep_slice_count), TP_TIMELINE_MAX_ROWS);
    if (timeline->arguments_left_out)
        tp_object_add_formatted(tp_list_add_object(notes), "text",
                                "To keep the page small, the timeline leaves out the arguments of %s.",
                                text_of_slices(arena, timeline->arguments_left_out));
    if (timeline->omits_shapes)
        tp_object_add_text(tp_list_add_object(notes), "text",
                           "To keep the page small, the timeline leaves out the shapes of single calls.");
    if (timeline->omitted_moment_count)
        tp_object_add_formatted(
            tp_list_add_object(notes), "text", "To keep the page small, the timeline leaves out %s.",
            tp_text_of_counted_noun(arena, (int64_t)timeline->omitted_moment_count, "instant event", "instant events"));
}

static void print_base64(const struct tp_data *value, struct tp_buf *out)
{
    const struct tp_timeline *timeline = value->self;
    tp_base64_add(out, timeline->data.ptr, timeline->data.len);
}

struct tp_data tp_timeline_data(struct tp_arena *arena, const struct tp_timeline *timeline)
{
    static const struct tp_data_source base64 = {.print = print_base64};
    if (!timeline->lane_count)
        return (struct tp_data){.kind = TP_DATA_NONE};
    struct tp_object *object = tp_object_new(arena);
    unsigned y = CURVE_TOP;
    put_texts_of_timeline(object, timeline, arena);
    put_step_bands(object, timeline);
    if (timeline->phase_count) {
        put_phases_of_timeline(object, timeline, arena);
        y += PHASE_HEIGHT + 4;
    }
    put_load_curves(object, timeline, arena, &y);
    put_time_range(object, timeline, arena);
    tp_object_add_int(object, "phase_y", CURVE_TOP);
    tp_object_add_int(object, "curve_width", TP_TIMELINE_LOAD_BUCKETS);
    tp_object_add_int(object, "curve_height", CURVE_HEIGHT);
    tp_object_add_int(object, "curve_units", CURVE_UNITS);
    tp_object_add_int(object, "band_height", y - CURVE_TOP);
    tp_object_add_int(object, "time_y", y + 14);
    tp_object_add_int(object, "height", y + AXIS_HEIGHT);
    if (timeline->data.len)
        tp_object_add_value(object, "timeline_data",
                            (struct tp_data){.kind = TP_DATA_PRINTED, .source = &base64, .self = timeline});
    return tp_data_of_object(object);
}

struct tp_data tp_section_timeline(const struct tp_section *section)
{
    struct tp_timeline_options options = {.max_bytes = section->limits->timeline_bytes,
                                          .show = tp_shown_text_for_viewer,
                                          .show_kernel = tp_shown_kernel_for_viewer,
                                          .show_argument = tp_shown_lines_for_viewer,
                                          .show_shapes = tp_shown_shapes_for_viewer,
                                          .context = &section->naming};
    struct tp_timeline *timeline;

    if (!options.max_bytes)
        return TP_NO_DATA;
    timeline = tp_arena_alloc(section->arena, sizeof(*timeline));
    tp_timeline_build(timeline, section->profile->model, &options, section->arena);
    return tp_timeline_data(section->arena, timeline);
}
