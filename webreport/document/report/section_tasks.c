/* Makes the section of tasks, such as requests. A task may end on another thread than the one on which it started. */
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column TASK_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_TASK_COUNT, NULL, 0, 0, false, true}, {TP_SHOW_TIME, TP_TASK_P50, NULL, 1, 0, false, false},
    {TP_SHOW_TIME, TP_TASK_P95, NULL, 1, 0, false, false},   {TP_SHOW_TIME, TP_TASK_P99, NULL, 1, 0, false, false},
    {TP_SHOW_TIME, TP_TASK_MAX, NULL, 1, 0, false, false},   {TP_SHOW_COUNT, TP_TASK_AT_ONCE, NULL, 0, 0, false, false},
    {TP_SHOW_COUNT, TP_TASK_OPEN, NULL, 0, 0, false, false},
};

struct tp_data tp_section_tasks(const struct tp_section *section)
{
    const struct tp_task_view *view = &section->profile->views->tasks;
    struct tp_arena *arena = section->arena;

    if (!view->is_present || !section->limits->operator_rows)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(arena);
    tp_object_add_lead(object, "The trace has **%s** with %s. A task begins on one thread and may end on another.",
                       tp_text_of_counted_noun(arena, (int64_t)view->count, "task", "tasks"),
                       tp_text_of_counted_noun(arena, (int64_t)view->tasks.row_count, "name", "different names"));
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->tasks, TASK_COLUMNS, COUNT(TASK_COLUMNS), section->limits->operator_rows);
    shown->name = shown->noun = "tasks";
    shown->name_title = "Task";
    shown->caption = "Tasks, sorted by total duration";
    shown->foot = "All";
    tp_shown_table_set_row_names(&section->naming, shown, TP_TASK_NAME);
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}
