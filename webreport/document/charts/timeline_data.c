/* Converts the close-up of the timeline to percentages, and writes the data for the interactive viewer as base64. */
#include "webreport/document/charts/timeline_data.h"
#include "webreport/document/charts/critical_band.h"
#include "webreport/document/name_text.h"
#include "webreport/document/path_words.h"
#include "webreport/document/section.h"

#include "webreport/trace/frame.h"
#include "writer/base/saturate.h"
#include "writer/text/base64.h"
#include "writer/text/format.h"

enum {
    ROW_HEIGHT = 20, /* height of a row, pixels */
    ROW_PITCH = 26,  /* distance between two rows, pixels */
    AXIS_HEIGHT = 18,
    AXIS_TICKS = 4,
    LABEL_PART = 18 /* boxes longer than this part of the close-up show their name */
};

static void put_percent(struct tp_object *object, const char *name, uint64_t part, uint64_t whole)
{
    tp_object_add_formatted(object, name, "%.4g%%", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

/* ---- the close-up ---- */

/* the cause whose colour a class of slices has (templates/report.css) */
static const char *const causes[TP_SLICE_CLASS_COUNT] = {
    [TP_SLICE_CPU] = "launch",      [TP_SLICE_KERNEL] = "gpu",  [TP_SLICE_COMMUNICATION] = "comm",
    [TP_SLICE_MEMCPY] = "copy",     [TP_SLICE_MEMSET] = "copy", [TP_SLICE_RUNTIME] = "launch",
    [TP_SLICE_DATA] = "host",       [TP_SLICE_FRAME] = "gpu3",  [TP_SLICE_STEP] = "none",
    [TP_SLICE_ANNOTATION] = "none", [TP_SLICE_WAIT] = "none",
};

/* Returns the cause of a class. Without a device, operators are the work, and Python is the code around them. */
static const char *cause_of_class(const struct tp_timeline *timeline, unsigned class)
{
    if (timeline->gpu_count || (class != TP_SLICE_CPU && class != TP_SLICE_FRAME))
        return causes[class];
    return class == TP_SLICE_CPU ? "gpu" : "launch";
}

/* Returns the name that a box shows: the function of a frame, the class of a module, the short name of a kernel. */
static struct tp_str name_of_box(const struct tp_timeline *timeline, const struct tp_close_box *box,
                                 const struct tp_naming *naming)
{
    struct tp_str name = tp_strings_get(&timeline->model->trace->names, box->name);
    if (box->class == TP_SLICE_KERNEL || box->class == TP_SLICE_COMMUNICATION)
        return tp_shown_kernel_name(naming, name);
    struct tp_str function = box->class == TP_SLICE_FRAME ? tp_frame_function_name(name) : (struct tp_str){NULL, 0};
    return tp_shown_text(naming, function.ptr ? function : tp_frame_module_name(name));
}

static void put_box(struct tp_list *boxes, const struct tp_timeline *timeline, const struct tp_close_box *box,
                    const struct tp_naming *naming)
{
    uint64_t whole = timeline->close.dur_ns, size = box->end_ns - box->start_ns;
    struct tp_object *object = tp_list_add_object(boxes);
    put_percent(object, "x", box->start_ns, whole);
    put_percent(object, "w", size > whole / 1000 ? size : whole / 1000, whole);
    tp_object_add_text(object, "cause", cause_of_class(timeline, box->class));
    if (!box->is_many && size > whole / LABEL_PART)
        tp_object_add_str(object, "label", name_of_box(timeline, box, naming));
}

static struct tp_str title_of_row(const struct tp_timeline *timeline, enum tp_close_row row, struct tp_arena *arena)
{
    static const char *const titles[TP_CLOSE_ROWS] = {
        [TP_CLOSE_CALLS] = "Launches", [TP_CLOSE_OPERATORS] = "{Operators}", [TP_CLOSE_FRAMES] = "Python"};
    const struct tp_str title = timeline->close.device ? timeline->close.device->title : TP_STR("");
    ptrdiff_t stream = tp_str_find(title, " · ");
    if (row == TP_CLOSE_DEVICE)
        return (struct tp_str){title.ptr, stream < 0 ? title.len : (size_t)stream};
    bool is_frame = false;
    for (uint32_t i = 0; row == TP_CLOSE_FRAMES && i < timeline->close.rows[row].count; i++)
        is_frame |= timeline->close.rows[row].boxes[i].class == TP_SLICE_FRAME;
    if (row == TP_CLOSE_FRAMES && !is_frame)
        return TP_STR("Ranges");
    return titles[row] ? tp_str_of(tp_words_for_trace(timeline->model, titles[row], arena)) : TP_STR("");
}

static void put_axis(struct tp_object *object, const struct tp_timeline *timeline, struct tp_arena *arena)
{
    struct tp_list *times = tp_object_add_list(object, "times");
    for (uint64_t i = 0; i <= AXIS_TICKS; i++) {
        struct tp_object *tick = tp_list_add_object(times);
        uint64_t at = timeline->close.dur_ns * i / AXIS_TICKS;
        put_percent(tick, "x", i, AXIS_TICKS);
        tp_object_add_text(tick, "anchor", i == 0 ? "start" : i == AXIS_TICKS ? "end" : "middle");
        tp_object_add_text(tick, "label", i ? tp_text_of_time(arena, (int64_t)at) : "0");
    }
}

/* Adds the critical path as the first row. Returns the place of the next row, pixels. */
static unsigned put_band(struct tp_list *rows, const struct tp_timeline *timeline, const struct tp_band *band,
                         const struct tp_naming *naming)
{
    const struct tp_timeline_close *close = &timeline->close;
    if (!band || !band->count)
        return 0;
    struct tp_object *lane = tp_list_add_object(rows);
    tp_object_add_text(lane, "title", "Critical path");
    tp_object_add_int(lane, "y", 0);
    struct tp_list *boxes = tp_object_add_list(lane, "boxes");
    for (uint32_t i = 0; i < band->count; i++) {
        const struct tp_band_part *part = &band->parts[i];
        struct tp_object *box = tp_list_add_object(boxes);
        uint64_t start = (uint64_t)part->start_ns - (uint64_t)timeline->start_ns - close->start_ns;
        uint64_t size = (uint64_t)part->end_ns - (uint64_t)part->start_ns;
        enum tp_path_group group = (enum tp_path_group)part->color;
        put_percent(box, "x", start, close->dur_ns);
        put_percent(box, "w", size, close->dur_ns);
        tp_object_add_text(box, "cause", tp_look_name(tp_look_of_path_group(group)));
        tp_object_add_text(box, "tip",
                           tp_text_printf(naming->arena, "%.*s, %s", (int)part->text.len, part->text.ptr,
                                          tp_text_of_time(naming->arena, (int64_t)size)));
        if (size > close->dur_ns / LABEL_PART)
            tp_object_add_text(box, "label", tp_path_group_title(group));
    }
    return ROW_PITCH;
}

static void put_close_up(struct tp_object *object, const struct tp_timeline *timeline, const struct tp_naming *naming,
                         const struct tp_band *band)
{
    const struct tp_timeline_close *close = &timeline->close;
    const struct tp_model *model = timeline->model;
    struct tp_arena *arena = naming->arena;
    struct tp_list *rows = tp_object_add_list(object, "rows");
    unsigned y = put_band(rows, timeline, band, naming);
    for (int row = 0; row < TP_CLOSE_ROWS; row++) {
        if (!close->rows[row].count)
            continue;
        struct tp_object *lane = tp_list_add_object(rows);
        tp_object_add_str(lane, "title", title_of_row(timeline, row, arena));
        tp_object_add_int(lane, "y", y);
        struct tp_list *boxes = tp_object_add_list(lane, "boxes");
        for (uint32_t i = 0; i < close->rows[row].count; i++)
            put_box(boxes, timeline, &close->rows[row].boxes[i], naming);
        y += ROW_PITCH;
    }
    const char *size = tp_text_of_time(arena, (int64_t)close->dur_ns);
    const char *from = close->start_ns ? tp_text_of_time(arena, (int64_t)close->start_ns) : "0";
    const char *work = close->device ? "kernels and copies" : tp_words_for_trace(model, "{operators}", arena);
    if (close->step == TP_NO_ID)
        tp_object_add_formatted(object, "close_title", "Close-up of %s, from %s on, where the most %s start", size,
                                from, work);
    else
        tp_object_add_formatted(
            object, "close_title", "Close-up of %s of step %.*s, from %s on, where the most %s start", size,
            (int)model->steps[close->step].name.len, model->steps[close->step].name.ptr, from, work);
    put_axis(object, timeline, arena);
    tp_object_add_int(object, "row_height", ROW_HEIGHT);
    tp_object_add_int(object, "time_y", y + 12);
    tp_object_add_int(object, "height", y + AXIS_HEIGHT);
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
            "To keep the page small, the timeline draws %s shorter than %s%s only as a share of time. Use --timeline "
            "full to draw more slices.",
            text_of_slices(arena, timeline->folded_count), tp_text_of_time(arena, (int64_t)(timeline->folded_below_ns)),
            timeline->folds_devices ? "" : " on the host");
    if (timeline->rounds && timeline->data.len)
        tp_object_add_text(tp_list_add_object(notes), "text",
                           "To keep the page small, the times of single slices are rounded down to 1 µs.");
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
    if (timeline->omits_launches)
        tp_object_add_text(
            tp_list_add_object(notes), "text",
            "To keep the page small, the timeline leaves out the launches of single kernels, and shows the "
            "queue depth at 4,096 points in time.");
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

struct tp_data tp_timeline_data(const struct tp_timeline *timeline, const struct tp_naming *naming,
                                const struct tp_band *band)
{
    static const struct tp_data_source base64 = {.print = print_base64};
    if (!timeline->lane_count)
        return (struct tp_data){.kind = TP_DATA_NONE};
    struct tp_object *object = tp_object_new(naming->arena);
    put_texts_of_timeline(object, timeline, naming->arena);
    put_close_up(object, timeline, naming, band);
    if (timeline->data.len)
        tp_object_add_value(object, "timeline_data",
                            (struct tp_data){.kind = TP_DATA_PRINTED, .source = &base64, .self = timeline});
    return tp_data_of_object(object);
}

struct tp_data tp_section_timeline(const struct tp_section *section)
{
    const struct tp_answer *answer = &section->profile->advice->answer;
    struct tp_timeline_options options = {.max_bytes = section->limits->timeline_bytes,
                                          .shown_step = answer->strip_count ? answer->strips[0].step : TP_NO_ID,
                                          .show = tp_shown_text_for_viewer,
                                          .show_kernel = tp_shown_kernel_for_viewer,
                                          .show_full = tp_shown_text_for_viewer,
                                          .show_argument = tp_shown_lines_for_viewer,
                                          .show_shapes = tp_shown_shapes_for_viewer,
                                          .context = &section->naming};
    struct tp_timeline *timeline;
    enum { FINEST_OF_CLOSE_UP = 60 };

    if (!options.max_bytes)
        return TP_NO_DATA;
    timeline = tp_arena_alloc(section->arena, sizeof(*timeline));
    options.band = tp_critical_band_for_viewer(section, options.shown_step);
    tp_timeline_build(timeline, section->profile->model, &options, section->arena);
    int64_t start_ns = tp_sat_add(timeline->start_ns, (int64_t)timeline->close.start_ns);
    int64_t size_ns = (int64_t)timeline->close.dur_ns;
    struct tp_band band =
        tp_critical_band(section, start_ns, tp_sat_add(start_ns, size_ns), size_ns / FINEST_OF_CLOSE_UP);
    return tp_timeline_data(timeline, &section->naming, &band);
}
