/* The task view: number, durations and largest number of simultaneous tasks, by name. A task may end on a different
 * thread than the thread on which it started (docs/definitions.md, section 3). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_TASK_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_TASK_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_task_column {
    TP_TASK_NAME,
    TP_TASK_COUNT, /* number of finished tasks */
    TP_TASK_TOTAL,
    TP_TASK_P50,
    TP_TASK_P95,
    TP_TASK_P99,
    TP_TASK_MAX,
    TP_TASK_AT_ONCE,
    TP_TASK_OPEN,
    TP_TASK_COLUMNS
};

struct tp_task_view {
    bool is_present; /* true if the trace has tasks */
    uint64_t count, without_begin;
    struct tp_table tasks; /* table of the tasks, sorted by total time (longest first), then by name */
};

void tp_task_view_build(struct tp_task_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_task_view_fields;

#endif
