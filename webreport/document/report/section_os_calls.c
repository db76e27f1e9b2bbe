/* Makes the section of the calls of the operating system, which another profiler recorded. */
#include <math.h>

#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column COLUMNS[] = {
    {TP_SHOW_TEXT, TP_OS_CALL_THREAD, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_OS_CALL_IDLE, "{GPU} idle", 1, 0, true, 0},
    {TP_SHOW_TIME, TP_OS_CALL_IN_WINDOW, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_OS_CALL_WINDOW_PERCENT, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_OS_CALL_COUNT, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_OS_CALL_TOTAL, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_OS_CALL_P99, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_OS_CALL_MAX, NULL, 1, 0, false, 0},
};

/* Adds the sentence on the calls during idle time of the devices. */
static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_os_call_view *view = &section->profile->views->os_calls;
    struct tp_arena *arena = section->arena;
    const char *devices = tp_section_words_for_producer(section, "the {GPU}");
    if (isnan(view->during_percent)) {
        tp_object_add_lead(object, "The threads made **%s** of the operating system.",
                           tp_text_of_counted_noun(arena, (int64_t)view->count, "call", "calls"));
    } else if (!view->during_ns) {
        tp_object_add_lead(object,
                           "While %s was idle, the thread that launches its work was in **no call** of the operating "
                           "system.",
                           devices);
    } else {
        struct tp_str function = tp_table_text(&view->calls, TP_OS_CALL_FUNCTION)[0];
        tp_object_add_lead(object,
                           "For **%s** of the time in which %s was idle (%s of %s), the thread that launches its work "
                           "was in calls of the operating system, %s of it in %s.",
                           tp_text_of_percent(arena, view->during_percent), devices,
                           tp_text_of_time(arena, view->during_ns), tp_text_of_time(arena, view->idle_ns),
                           tp_text_of_time(arena, tp_table_int(&view->calls, TP_OS_CALL_IDLE)[0]),
                           tp_arena_copy(arena, function.ptr, function.len));
    }
}

struct tp_data tp_section_os_calls(const struct tp_section *section)
{
    const struct tp_os_call_view *view = &section->profile->views->os_calls;
    if (!view->is_present || !section->limits->line_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    put_lead(section, object);
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->calls, COLUMNS, COUNT(COLUMNS), section->limits->line_rows);
    shown->name = "calls of the operating system";
    shown->noun = "functions";
    shown->name_title = "Function";
    shown->caption = "Calls of the operating system by thread and function";
    tp_shown_table_set_row_names(&section->naming, shown, TP_OS_CALL_FUNCTION);
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}
