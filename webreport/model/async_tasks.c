/* Pairs the start and end events of tasks, which may be on different threads: see async_tasks.h. */
#include "webreport/model/async_tasks.h"

#include "writer/base/keys.h"
#include "writer/base/sort.h"

/* Returns the start and end events of tasks, sorted by time and then by position in the file. */
static const struct tp_keyed *sort_by_time(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_keyed *order = tp_arena_array(arena, trace->task_end_count, sizeof *order);
    for (uint32_t i = 0; i < trace->task_end_count; i++)
        order[i] = (struct tp_keyed){trace->task_ends[i].ts_ns, i, i};
    tp_sort_keyed(order, trace->task_end_count, arena);
    return order;
}

void tp_async_tasks_build(struct tp_async_tasks *tasks, const struct tp_trace *trace, struct tp_arena *arena)
{
    const struct tp_keyed *order = sort_by_time(trace, arena);
    struct tp_vec items = TP_VEC(arena, struct tp_async_task);
    /* for each key (category, name, id): 1 + index of the open task that started last; 0 if none is open */
    struct tp_vec open = TP_VEC(arena, uint32_t);
    /* for each task: value that its element of `open` had before the task started */
    struct tp_vec outer = TP_VEC(arena, uint32_t);
    struct tp_keys keys;
    *tasks = (struct tp_async_tasks){0};
    tp_keys_init(&keys, arena, 3);
    for (uint32_t i = 0; i < trace->task_end_count; i++) {
        const struct tp_task_end *end = &trace->task_ends[order[i].item];
        uint32_t key = tp_keys_add(&keys, (uint32_t[]){end->category, end->name, end->id});
        if (key == open.count)
            *(uint32_t *)tp_vec_push(&open) = 0;
        uint32_t *innermost = TP_AT(&open, uint32_t, key);
        if (end->is_begin) {
            *(uint32_t *)tp_vec_push(&outer) = *innermost;
            *(struct tp_async_task *)tp_vec_push(&items) = (struct tp_async_task){end->ts_ns, TP_NULL_INT, end->name};
            *innermost = (uint32_t)items.count;
        } else if (*innermost) {
            TP_AT(&items, struct tp_async_task, *innermost - 1)->end_ns = end->ts_ns;
            *innermost = *TP_AT(&outer, uint32_t, *innermost - 1);
        } else {
            tasks->without_begin++;
        }
    }
    tasks->items = items.data;
    tasks->count = items.count;
}
