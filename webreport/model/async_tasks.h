/* Tasks that begin on one thread and may end on another. Begin and end events of one category, name and id are paired
 * in time order (docs/definitions.md section 3). */
#ifndef TP_WEBREPORT_MODEL_ASYNC_TASKS_H
#define TP_WEBREPORT_MODEL_ASYNC_TASKS_H

#include "webreport/trace/trace.h"

struct tp_async_task {
    /* times of the task, ns; end_ns is TP_NULL_INT if the task was open at the end of the recording */
    int64_t start_ns, end_ns;
    uint32_t name; /* id in the names of the trace */
};

struct tp_async_tasks {
    const struct tp_async_task *items; /* sorted by start, then by position in the file */
    size_t count;
    uint64_t without_begin; /* number of end events without a begin event */
};

/* Pairs begin and end events. If several tasks with one id are open, an end event closes the task that began last.
 * Allocates from `arena`, whose guard must be set. */
void tp_async_tasks_build(struct tp_async_tasks *tasks, const struct tp_trace *trace, struct tp_arena *arena);

#endif
