/* Tasks that begin on one thread and may end on another: ends of one category, name and id, paired in the order of
 * time. docs/definitions.md section 3. */
#ifndef TP_WEBREPORT_MODEL_ASYNC_TASKS_H
#define TP_WEBREPORT_MODEL_ASYNC_TASKS_H

#include "webreport/trace/trace.h"

struct tp_async_task {
    int64_t start_ns, end_ns; /* end_ns TP_NULL_INT: it was open when the recording ended */
    uint32_t name;            /* id of a text of the trace */
};

struct tp_async_tasks {
    const struct tp_async_task *items; /* by start, then as they stand in the file */
    size_t count;
    uint64_t without_begin; /* ends that nothing known began */
};

/* Pairs the ends; where one id is open twice, the one that began last ends first. All is the arena's, whose guard is
 * set. */
void tp_async_tasks_build(struct tp_async_tasks *tasks, const struct tp_trace *trace, struct tp_arena *arena);

#endif
