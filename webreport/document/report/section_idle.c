/* Makes the section of idle time by device: its parts (host, launch, queue, outside, unknown), the activity of the host
 * during idle time, and costly waits for devices. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column LINE_COLUMNS[] = {
    {TP_SHOW_OWN_TEXT, 0, "Kind", 0, 0, false, false},
    {TP_SHOW_TIME, TP_IDLE_LINE_NS, "Idle", 1, 0, true, true},
    {TP_SHOW_BAR, TP_IDLE_LINE_NS, NULL, 0, 0, false, false},
    {TP_SHOW_PERCENT, TP_IDLE_LINE_PERCENT, "Share", 0, 0, false, false},
    {TP_SHOW_TIME, TP_IDLE_LINE_STARVED, "Waits for host", 1, 0, false, true},
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

static void add_line_tables(const struct tp_section *section, struct tp_list *tables,
                            const struct tp_idle_device *device)
{
    struct tp_shown_table *shown;
    struct tp_str *kinds;

    if (!device->by_line.row_count || device->idle.total_ns <= 0)
        return;
    shown =
        tp_section_table_new(section, &device->by_line, LINE_COLUMNS, COUNT(LINE_COLUMNS), section->limits->line_rows);
    kinds = tp_arena_array(section->arena, shown->row_count, sizeof(*kinds));
    for (size_t i = 0; i < shown->row_count; i++)
        kinds[i] = tp_str_of(title_of_frame_kind(tp_table_text(&device->by_line, TP_IDLE_LINE_KIND)[i],
                                                 section->profile->model->producer));
    shown->own_texts[0] = kinds;
    shown->heading = "Where the idle time comes from";
    shown->name = "idle by line";
    shown->name_title = "Source line, {annotation} or {operator}";
    shown->caption = tp_text_printf(section->arena, "Idle time of %s by the line of code that the host ran",
                                    tp_section_device_name(section, device->device));
    shown->foot = "All idle time";
    tp_shown_table_set_row_names(&section->naming, shown, TP_IDLE_LINE_LINE);
    tp_list_add_shown_table(tables, shown);
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
    shown->name_title = "Step";
    shown->caption = tp_text_printf(section->arena, "Busy and idle time of %s in each step",
                                    tp_section_device_name(section, device->device));
    shown->foot = "All steps";
    tp_shown_table_set_row_names(&section->naming, shown, TP_IDLE_STEP_NAME);
    tp_list_add_shown_table(tables, shown);
}

static void add_device(const struct tp_section *section, struct tp_list *list, const struct tp_idle_device *device)
{
    struct tp_arena *arena = section->arena;
    struct tp_object *object = tp_list_add_object(list);
    struct tp_list *tables;
    const char *exposed = "";

    if (device->exposed_communication_ns > 0)
        exposed = tp_text_printf(arena, " with %s of exposed communication",
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
    if (!is_own)
        add_line_tables(section, tables, device);
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
    shown->caption = "Host calls that wait for the device, and the idle time of the device right after each";
    shown->foot = "All";
    tp_object_add_value(part, "sync_table", tp_shown_table_data(shown));
}

static const char *lead_text(const struct tp_section *section)
{
    const struct tp_idle_view *view = &section->profile->advice->idle;
    const struct tp_idle_device *worst = &view->devices[0];
    struct tp_arena *arena = section->arena;
    const char *most = "";

    for (uint32_t i = 1; i < view->device_count; i++)
        if (view->devices[i].idle.total_ns > worst->idle.total_ns)
            worst = &view->devices[i];
    if (tp_is_device_of_program(section->profile->model, worst->device)) {
        most = " The launches were not recorded. The timeline shows what the host did at the same time. Ranges of the "
               "kinds input, wait and sync show what the device waited for.";
    } else if (worst->by_line.row_count && worst->idle.total_ns > 0) {
        struct tp_str line = tp_shown_text(&section->naming, tp_table_text(&worst->by_line, TP_IDLE_LINE_LINE)[0]);
        const char *share = tp_text_of_percent(arena, tp_table_real(&worst->by_line, TP_IDLE_LINE_PERCENT)[0]);

        if (tp_str_equal(tp_table_text(&worst->by_line, TP_IDLE_LINE_KIND)[0], TP_STR("none")))
            most = tp_text_printf(arena, " For %s of the idle time, no host activity was recorded.", share);
        else
            most =
                tp_text_printf(arena, " For %s of the idle time, the host ran %.*s.", share, (int)line.len, line.ptr);
    }
    if (worst->idle.total_ns <= 0)
        return tp_text_printf(arena, "%s is busy for the whole step time.",
                              tp_section_device_name(section, worst->device));
    return tp_text_printf(arena, "%s has no recorded work for %s of %s (%s of the step time).%s",
                          tp_section_device_name(section, worst->device), tp_text_of_time(arena, worst->idle.total_ns),
                          tp_text_of_time(arena, worst->idle.window_ns),
                          tp_text_of_percent(arena, tp_percent(worst->idle.total_ns, worst->idle.window_ns)), most);
}

struct tp_data tp_section_idle(const struct tp_section *section)
{
    const struct tp_idle_view *view = &section->profile->advice->idle;
    struct tp_object *object;
    struct tp_list *devices;

    if (!view->device_count || !section->limits->line_rows)
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    tp_object_add_sentence(object, "lead", tp_str_of(lead_text(section)));
    devices = tp_object_add_list(object, "devices");
    for (uint32_t i = 0; i < view->device_count && i < 16; i++)
        add_device(section, devices, &view->devices[i]);
    put_synchronizations(section, object);
    return tp_data_of_object(object);
}
