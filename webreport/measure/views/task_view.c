/* Implements task_view.h: groups tasks by name. */
#include "webreport/measure/views/task_view.h"

#include <stdlib.h>

#include "webreport/model/async_tasks.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const struct tp_column_def task_defs[TP_TASK_COLUMNS] = {
    {"task", "Task", "", "Name that the program gave the task.", TP_COLUMN_TEXT},
    {"count", "Count", "", "Number of tasks that began and ended during the recording.", TP_COLUMN_INT},
    {"total_us", "Total", "us", "Sum of the durations of the tasks that ended; simultaneous tasks are all added.",
     TP_COLUMN_NS},
    {"p50_us", "p50", "us", "Median duration of the tasks that ended (nearest rank).", TP_COLUMN_NS},
    {"p95_us", "p95", "us", "Duration that 95 % of the tasks that ended do not exceed (nearest rank).", TP_COLUMN_NS},
    {"p99_us", "p99", "us", "Duration that 99 % of the tasks that ended do not exceed (nearest rank).", TP_COLUMN_NS},
    {"max_us", "Longest", "us", "Duration of the longest task that ended.", TP_COLUMN_NS},
    {"at_once", "Simultaneous", "", "Largest number of tasks with this name that were open at the same time.",
     TP_COLUMN_INT},
    {"open", "Not ended", "", "Number of tasks that were still open when the recording ended.", TP_COLUMN_INT}};

/* tasks with one name; times in ns */
struct group {
    struct tp_str name;
    struct tp_vec durations, ends; /* elements: int64_t; only finished tasks, in order of start */
    struct tp_vec starts;          /* elements: int64_t; all tasks, ascending */
    int64_t total_ns;
};

static struct tp_vec collect_tasks_by_name(const struct tp_async_tasks *tasks, const struct tp_trace *trace,
                                           struct tp_arena *arena)
{
    struct tp_vec groups = TP_VEC(arena, struct group);
    /* for each name id: index of the group + 1; 0: no group yet */
    uint32_t *of_name = tp_arena_array(arena, trace->names.count, sizeof *of_name);
    for (size_t i = 0; i < tasks->count; i++) {
        const struct tp_async_task *task = &tasks->items[i];
        if (!of_name[task->name]) {
            *(struct group *)tp_vec_push(&groups) = (struct group){.name = tp_strings_get(&trace->names, task->name),
                                                                   .durations = TP_VEC(arena, int64_t),
                                                                   .ends = TP_VEC(arena, int64_t),
                                                                   .starts = TP_VEC(arena, int64_t)};
            of_name[task->name] = (uint32_t)groups.count;
        }
        struct group *group = TP_AT(&groups, struct group, of_name[task->name] - 1);
        *(int64_t *)tp_vec_push(&group->starts) = task->start_ns;
        if (task->end_ns == TP_NULL_INT)
            continue;
        /* treats a task of length 0 as a task of 1 ns */
        *(int64_t *)tp_vec_push(&group->ends) = task->end_ns > task->start_ns ? task->end_ns : task->start_ns + 1;
        *(int64_t *)tp_vec_push(&group->durations) = task->end_ns - task->start_ns;
        group->total_ns = tp_sat_add(group->total_ns, task->end_ns - task->start_ns);
    }
    return groups;
}

/* Returns the largest number of tasks that are open at the same time. A task that ends at the start of another task
 * does not overlap that task. `ends` must be ascending. */
static int64_t most_simultaneous(const struct group *group)
{
    const int64_t *starts = group->starts.data, *ends = group->ends.data;
    int64_t most = 0;
    size_t ended = 0;
    for (size_t begun = 0; begun < group->starts.count; begun++) {
        while (ended < group->ends.count && ends[ended] <= starts[begun])
            ended++;
        int64_t now = (int64_t)(begun + 1 - ended);
        most = now > most ? now : most;
    }
    return most;
}

static int compare_by_total(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

static int64_t duration_quantile_ns(const struct group *group, unsigned percent)
{
    const int64_t *sorted = group->durations.data;
    return group->durations.count ? sorted[tp_nearest_rank(group->durations.count, percent)] : TP_NULL_INT;
}

static void fill_row(struct tp_table *table, size_t row, struct group *group)
{
    tp_sort_integers(group->durations.data, group->durations.count);
    tp_sort_integers(group->ends.data, group->ends.count);
    tp_table_text(table, TP_TASK_NAME)[row] = group->name;
    tp_table_int(table, TP_TASK_COUNT)[row] = (int64_t)group->durations.count;
    tp_table_int(table, TP_TASK_TOTAL)[row] = group->total_ns;
    tp_table_int(table, TP_TASK_P50)[row] = duration_quantile_ns(group, 50);
    tp_table_int(table, TP_TASK_P95)[row] = duration_quantile_ns(group, 95);
    tp_table_int(table, TP_TASK_P99)[row] = duration_quantile_ns(group, 99);
    tp_table_int(table, TP_TASK_MAX)[row] = duration_quantile_ns(group, 100);
    tp_table_int(table, TP_TASK_AT_ONCE)[row] = most_simultaneous(group);
    tp_table_int(table, TP_TASK_OPEN)[row] = (int64_t)(group->starts.count - group->ends.count);
}

void tp_task_view_build(struct tp_task_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_async_tasks tasks;
    *view = (struct tp_task_view){0};
    if (!model->trace->task_end_count)
        return;
    tp_async_tasks_build(&tasks, model->trace, arena);
    *view = (struct tp_task_view){tasks.count > 0, tasks.count, tasks.without_begin, {0}};
    struct tp_vec groups = collect_tasks_by_name(&tasks, model->trace, arena);
    if (groups.count)
        qsort(groups.data, groups.count, sizeof(struct group), compare_by_total);
    tp_table_init(&view->tasks, arena, "tasks", task_defs, TP_TASK_COLUMNS, groups.count);
    view->tasks.title = "Tasks";
    for (size_t row = 0; row < groups.count; row++)
        fill_row(&view->tasks, row, TP_AT(&groups, struct group, row));
}

#define F struct tp_task_view
static const struct tp_json_field fields[] = {
    {"task_count", TP_PLAIN(F, count), TP_DEFINITION("number of tasks that began in the trace")},
    {"ends_without_begin", TP_PLAIN(F, without_begin),
     TP_DEFINITION("number of end events of tasks whose begin event was not recorded")},
    {"tasks", TP_PLAIN(F, tasks), TP_DEFINITION("tasks by name")},
};
#undef F

const struct tp_fields tp_task_view_fields = TP_FIELDS("Tasks", fields);
