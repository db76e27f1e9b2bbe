/* Tasks that begin on one thread and may end on another: ends of one category, name and id, paired in the order of
 * time. docs/definitions.md section 3. */
#ifndef TP_WEBREPORT_MODEL_ASYNC_TASKS_H
#define TP_WEBREPORT_MODEL_ASYNC_TASKS_H

#include "webreport/trace/trace.h"

struct tp_async_task {
    int64_t start_ns, end_ns; /* end_ns: TP_NULL_INT if the task was open when the recording ended */
    uint32_t name;            /* id of a text of the trace */
};

struct tp_async_tasks {
    const struct tp_async_task *items; /* sorted by start, then by place in the file */
    size_t count;
    uint64_t without_begin; /* ends without a begin */
};

/* Pairs begins and ends; if an id is open twice, an end closes the task that began last. Allocates from the arena,
 * whose guard is set. */
void tp_async_tasks_build(struct tp_async_tasks *tasks, const struct tp_trace *trace, struct tp_arena *arena);

#endif
