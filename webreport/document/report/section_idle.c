/* Makes the section of idle time by device: its parts (host, launch, queue, outside, unknown), the activity of the host
 * during idle time, and costly waits for devices. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/table_page.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column LINE_COLUMNS[] = {
    {TP_SHOW_TIME, TP_IDLE_LINE_NS, "Total", 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_PERCENT, TP_IDLE_LINE_PERCENT, "Of the gap", 0, 0, false, 0},
    {TP_SHOW_BAR, TP_IDLE_LINE_NS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_IDLE_LINE_STARVED, "Waits for CPU", 1, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
    {TP_SHOW_OWN_TEXT, 0, "Kind", 0, 0, false, TP_SHOWN_LESS}, /* omitted if all rows are lines of source code */
};
static const struct tp_shown_column STEP_COLUMNS[] = {
    {TP_SHOW_TIME, TP_IDLE_STEP_TOTAL, "Step", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_BUSY, "Busy", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_IDLE, "Idle", 1, 0, false, true},
    {TP_SHOW_PERCENT, TP_IDLE_STEP_IDLE_PERCENT, "Idle", 0, 0, false, false},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_HOST, "Host", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_LAUNCH, "Launch", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_QUEUE, "Queue", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_OUTSIDE, "Outside", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_UNKNOWN, "Unknown", 1, 0, false, true},
    {TP_SHOW_COUNT, TP_IDLE_STEP_GAPS, "Gaps", 0, 0, false, true},
};
/* Columns for a device that the program itself defined. The launches on such a device are unknown. */
static const struct tp_shown_column OWN_STEP_COLUMNS[] = {
    {TP_SHOW_TIME, TP_IDLE_STEP_TOTAL, "Step", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_BUSY, "Busy", 1, 0, false, true},
    {TP_SHOW_TIME, TP_IDLE_STEP_IDLE, "Idle", 1, 0, false, true},
    {TP_SHOW_PERCENT, TP_IDLE_STEP_IDLE_PERCENT, "Idle", 0, 0, false, false},
    {TP_SHOW_TIME, TP_IDLE_STEP_PART + TP_IDLE_OUTSIDE, "Outside", 1, 0, false, true},
    {TP_SHOW_COUNT, TP_IDLE_STEP_GAPS, "Gaps", 0, 0, false, true},
};
static const struct tp_shown_column SYNC_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_SYNC_API, "Call", 0, 0, false, false},
    {TP_SHOW_OWN_TEXT, 0, "{Operator}", 0, 0, false, false},
    {TP_SHOW_COUNT, TP_SYNC_COUNT, NULL, 0, 0, false, true},
    {TP_SHOW_TIME, TP_SYNC_HOST_WAIT, "Host waited", 1, 0, false, true},
    {TP_SHOW_TIME, TP_SYNC_BUBBLE, "{GPU} idle after", 1, 0, false, true},
    {TP_SHOW_TIME, TP_SYNC_COST, "True cost", 1, 0, true, true},
    {TP_SHOW_TIME, TP_SYNC_MAX_COST, "Largest", 1, 0, false, false},
};

static const char *title_of_frame_kind(struct tp_str kind, enum tp_producer producer)
{
    const char *const TITLES[][2] = {{"line", "source line"},
                                     {"annotation", "annotation"},
                                     {"operator", "operator"},
                                     {"runtime", "runtime call"},
                                     {"frame", tp_phrase(TP_PHRASE_FRAME, producer)},
                                     {"none", "nothing recorded"}};

    for (size_t i = 0; i < COUNT(TITLES); i++)
        if (tp_str_equal(kind, tp_str_of(TITLES[i][0])))
            return TITLES[i][1];
    return "";
}

static void put_idle_time_split(const struct tp_section *section, struct tp_object *object,
                                const struct tp_idle_device *device)
{
    double part_ns[TP_IDLE_PARTS];
    for (unsigned p = 0; p < TP_IDLE_PARTS; p++)
        part_ns[p] = (double)device->idle.part_ns[p];
    bool is_own = tp_is_device_of_program(section->profile->model, device->device);
    const struct tp_chart_part parts[] = {
        {TP_CHART_KERNEL, "Busy", "Busy: a kernel, copy or memset runs on the device.", (double)device->busy_ns},
        {TP_CHART_DATA, "Host", "The device is idle because the host has not begun to launch the next operation.",
         part_ns[TP_IDLE_HOST]},
        {TP_CHART_RUNTIME, "Launch",
         "The device is idle while the host is inside the call that launches the next operation.",
         part_ns[TP_IDLE_LAUNCH]},
        {TP_CHART_CPU, "Queue",
         "The device is idle although the next operation was launched. The operation waits in the device or its queue.",
         part_ns[TP_IDLE_QUEUE]},
        {TP_CHART_MEMSET, "Outside",
         "The time is before the first or after the last recorded operation, so the state of the device is unknown.",
         part_ns[TP_IDLE_OUTSIDE]},
        {TP_CHART_OTHER, is_own ? "Idle" : "Unknown",
         is_own
             ? "Nothing runs on the device."
             : "The device is idle before an operation whose launch was not recorded, or while the host waits for work "
               "that was not recorded.",
         part_ns[TP_IDLE_UNKNOWN]},
    };
    struct tp_object *split = tp_object_add_object(object, "split");

    tp_chart_put_split_bar(split, section->arena, parts, COUNT(parts));
    tp_object_add_text(split, "split_caption", "Busy and idle time of the device");
}

/* Returns whether all rows of a table of host code are lines of source code. */
static bool has_only_lines(const struct tp_idle_device *device)
{
    for (size_t i = 0; i < device->by_line.row_count; i++) {
        struct tp_str kind = tp_table_text(&device->by_line, TP_IDLE_LINE_KIND)[i];
        if (!tp_str_equal(kind, TP_STR("line")) && !tp_str_equal(kind, TP_STR("none")))
            return false;
    }
    return true;
}

/* Returns the table of the host code that ran while the device was idle; NULL if nothing is known about it. */
static struct tp_shown_table *make_line_table(const struct tp_section *section, const struct tp_idle_device *device)
{
    struct tp_shown_table *shown;
    struct tp_str *kinds;

    if (!device->by_line.row_count || device->idle.total_ns <= 0 ||
        tp_is_device_of_program(section->profile->model, device->device))
        return NULL;
    shown = tp_section_table_new(section, &device->by_line, LINE_COLUMNS,
                                 (unsigned)COUNT(LINE_COLUMNS) - has_only_lines(device), section->limits->line_rows);
    kinds = tp_arena_array(section->arena, shown->row_count, sizeof(*kinds));
    for (size_t i = 0; i < shown->row_count; i++)
        kinds[i] = tp_str_of(title_of_frame_kind(tp_table_text(&device->by_line, TP_IDLE_LINE_KIND)[i],
                                                 section->profile->model->producer));
    shown->own_texts[0] = kinds;
    shown->name = "idle by line";
    shown->noun = has_only_lines(device) ? "functions" : "places";
    shown->name_title = has_only_lines(device) ? "Function" : "Function, {annotation} or {operator}";
    shown->caption = tp_text_printf(section->arena, "What the host ran while %s was idle, by line of code",
                                    tp_section_device_name(section, device->device));
    tp_shown_table_set_row_names(&section->naming, shown, TP_IDLE_LINE_LINE);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].cause = tp_str_equal(kinds[i], TP_STR("nothing recorded")) ? "none" : "host";
    return shown;
}

static void add_step_tables(const struct tp_section *section, struct tp_list *tables,
                            const struct tp_idle_device *device)
{
    bool is_own = tp_is_device_of_program(section->profile->model, device->device);
    struct tp_shown_table *shown;

    if (device->steps.row_count < 2)
        return;
    shown = tp_section_table_new(section, &device->steps, is_own ? OWN_STEP_COLUMNS : STEP_COLUMNS,
                                 is_own ? COUNT(OWN_STEP_COLUMNS) : COUNT(STEP_COLUMNS), section->limits->line_rows);
    shown->heading = "Idle time by step";
    shown->name = "idle by step";
    shown->noun = "steps";
    shown->name_title = "Step";
    shown->caption = tp_text_printf(section->arena, "Busy and idle time of %s in each step",
                                    tp_section_device_name(section, device->device));
    shown->foot = "All steps";
    tp_shown_table_set_row_names(&section->naming, shown, TP_IDLE_STEP_NAME);
    tp_list_add_shown_table(tables, shown);
}

/* Adds the parts of a device's idle time, by cause and by step. has_lines: false if the page shows the table of host
 * code elsewhere. */
static void add_device(const struct tp_section *section, struct tp_list *list, const struct tp_idle_device *device,
                       bool has_lines)
{
    struct tp_arena *arena = section->arena;
    struct tp_object *object = tp_list_add_object(list);
    struct tp_list *tables;
    const char *exposed = "";

    if (device->exposed_communication_ns > 0)
        exposed = tp_text_printf(arena, " with %s of communication without other work",
                                 tp_text_of_time(arena, device->exposed_communication_ns));
    tp_object_add_text(object, "device_name", tp_section_device_name(section, device->device));
    tp_object_add_text(
        object, "device_note",
        tp_text_printf(arena, "%s on %s in the recording, %s of step time%s",
                       tp_text_of_counted_noun(arena, device->operation_count, "operation", "operations"),
                       tp_text_of_counted_noun(arena, device->stream_count, "stream", "streams"),
                       tp_text_of_time(arena, device->idle.window_ns), exposed));
    put_idle_time_split(section, object, device);
    bool is_own = tp_is_device_of_program(section->profile->model, device->device);
    tp_object_add_value(object, "flame",
                        is_own ? TP_NO_DATA : tp_chart_flame(section, device, section->limits->flame_boxes));
    tables = tp_object_add_list(object, "tables");
    struct tp_shown_table *lines = has_lines ? make_line_table(section, device) : NULL;
    if (lines)
        tp_list_add_shown_table(tables, lines);
    add_step_tables(section, tables, device);
}

/* Returns whether no wait has a source line or an operator, and the program itself defined all devices. */
static bool has_only_rows_without_place(const struct tp_section *section, const struct tp_table *rows)
{
    if (!tp_has_only_devices_of_program(section->profile->model))
        return false;
    for (size_t i = 0; i < rows->row_count; i++)
        if (tp_table_text(rows, TP_SYNC_OP)[i].len || tp_table_text(rows, TP_SYNC_LINE)[i].len)
            return false;
    return true;
}

/* Returns the table of waits. If has_only_rows_without_place is true, rows are named after the waiting call, and the
 * columns Call and Operator are omitted. */
static struct tp_shown_table *make_sync_table(const struct tp_section *section, const struct tp_table *rows)
{
    bool is_bare = has_only_rows_without_place(section, rows);
    unsigned first = is_bare ? 2 : 0;
    struct tp_shown_table *shown;
    struct tp_str *ops;

    shown = tp_section_table_new(section, rows, SYNC_COLUMNS + first, (unsigned)COUNT(SYNC_COLUMNS) - first,
                                 section->limits->line_rows);
    ops = tp_arena_array(section->arena, shown->row_count, sizeof(*ops));
    for (size_t i = 0; i < shown->row_count; i++)
        ops[i] = tp_shown_text(&section->naming, tp_table_text(rows, TP_SYNC_OP)[i]);
    shown->own_texts[0] = ops;
    shown->name_title = is_bare ? "Wait" : "Source line";
    tp_shown_table_set_row_names(&section->naming, shown, is_bare ? TP_SYNC_API : TP_SYNC_LINE);
    if (is_bare)
        shown->name_definition = "Name of the range or call that waits.";
    return shown;
}

static void put_synchronizations(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_sync_table *syncs = &section->profile->advice->syncs;
    struct tp_arena *arena = section->arena;
    struct tp_object *part;
    struct tp_shown_table *shown;

    if (!syncs->rows.row_count || !section->limits->line_rows) {
        tp_object_add_bool(object, "syncs", false);
        return;
    }
    part = tp_object_add_object(object, "syncs");
    tp_object_add_text(part, "sync_lead",
                       tp_text_printf(arena,
                                      "The host waited for %s in %s. Directly after the waits, %s was idle for %s.",
                                      tp_text_of_time(arena, syncs->host_wait_ns),
                                      tp_text_of_counted_noun(arena, syncs->count, "call", "calls"),
                                      tp_has_only_devices_of_program(section->profile->model)
                                          ? "a device"
                                          : tp_section_words_for_producer(section, "the {GPU}"),
                                      tp_text_of_time(arena, syncs->cost_ns)));
    shown = make_sync_table(section, &syncs->rows);
    shown->heading = "Calls that wait";
    shown->name = "syncs";
    shown->noun = "places";
    shown->caption = "Host calls that wait for the device, and the idle time of the device right after each";
    shown->foot = "All";
    tp_object_add_value(part, "sync_table", tp_shown_table_data(shown));
}

/* Returns the device with the most idle time. */
static const struct tp_idle_device *find_most_idle_device(const struct tp_idle_view *view)
{
    const struct tp_idle_device *most = &view->devices[0];

    for (uint32_t i = 1; i < view->device_count; i++)
        if (view->devices[i].idle.total_ns > most->idle.total_ns)
            most = &view->devices[i];
    return most;
}

/* Adds the sentence on the host code that covers the most idle time. */
static void put_lead(const struct tp_section *section, struct tp_object *object, const struct tp_idle_device *device,
                     const struct tp_shown_table *lines)
{
    const struct tp_table *rows = &device->by_line;
    struct tp_arena *arena = section->arena;
    const char *name = tp_section_device_name(section, device->device);

    if (device->idle.total_ns <= 0) {
        tp_object_add_lead(object, "%s is busy for **all** of the step time.", name);
    } else if (!lines) {
        tp_object_add_lead(
            object,
            "The trace does not show what the host did while %s was idle for **%s**. Ranges of the kinds "
            "input, wait and sync would show it.",
            name, tp_text_of_time(arena, device->idle.total_ns));
    } else {
        const char *share = tp_text_of_percent(arena, tp_table_real(rows, TP_IDLE_LINE_PERCENT)[0]);
        const struct tp_shown_row *row = &lines->rows[0];
        struct tp_str line =
            row->page_name.ptr
                ? tp_str_of(tp_text_printf(arena, "%.*s (%.*s)", (int)row->page_name.len, row->page_name.ptr,
                                           (int)row->page_place.len, row->page_place.ptr))
                : row->name;
        if (tp_str_equal(tp_table_text(rows, TP_IDLE_LINE_KIND)[0], TP_STR("none")))
            tp_object_add_lead(object, "For **%s** of the time in which %s was idle, no host activity was recorded.",
                               share, name);
        else
            tp_object_add_lead(object, "For **%s** of the time in which %s was idle, the CPU ran %s.", share, name,
                               tp_arena_copy(arena, line.ptr, line.len));
    }
}

/* Returns the title of the section: what the table shows. */
static const char *title_text(const struct tp_section *section, const struct tp_idle_device *device,
                              const struct tp_shown_table *lines)
{
    if (!lines)
        return "Idle time";
    if (has_only_lines(device) && section->profile->model->producer == TP_PRODUCER_TORCH)
        return "Python during the gap";
    return tp_section_words_for_producer(section, "What the CPU did while the {GPU} waited");
}

struct tp_data tp_section_idle(const struct tp_section *section)
{
    const struct tp_idle_view *view = &section->profile->advice->idle;
    struct tp_object *object;
    struct tp_list *devices;

    if (!view->device_count || !section->limits->line_rows)
        return TP_NO_DATA;
    const struct tp_idle_device *device = find_most_idle_device(view);
    struct tp_shown_table *lines = make_line_table(section, device);
    object = tp_object_new(section->arena);
    tp_object_add_text(object, "title", title_text(section, device, lines));
    put_lead(section, object, device, lines);
    struct tp_list *tables = tp_object_add_list(object, "line_tables");
    if (lines)
        tp_list_add_shown_table(tables, lines);
    devices = tp_object_add_list(object, "devices");
    for (uint32_t i = 0; i < view->device_count && i < 16; i++)
        add_device(section, devices, &view->devices[i], &view->devices[i] != device);
    put_synchronizations(section, object);
    tp_section_put_streams(section, object);
    return tp_data_of_object(object);
}
