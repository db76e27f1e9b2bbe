/* Finds tasks that start on one thread and may end on another. Start and end events with equal category, name and id
 * are paired in time order (docs/definitions.md section 3). */
#ifndef TP_WEBREPORT_MODEL_ASYNC_TASKS_H
#define TP_WEBREPORT_MODEL_ASYNC_TASKS_H

#include "webreport/trace/trace.h"

struct tp_async_task {
    /* start and end of the task, ns; end_ns is TP_NULL_INT if the recording ended before the task */
    int64_t start_ns, end_ns;
    uint32_t name; /* name of the task, id in the names of the trace */
};

struct tp_async_tasks {
    const struct tp_async_task *items; /* tasks sorted by start, then by position in the file */
    size_t count;
    uint64_t without_begin; /* number of end events that have no start event */
};

/* Pairs the start and end events of tasks. If several tasks with equal ids are open, an end event ends the task that
 * started last. Allocates from `arena`, whose guard must be set. */
void tp_async_tasks_build(struct tp_async_tasks *tasks, const struct tp_trace *trace, struct tp_arena *arena);

#endif
