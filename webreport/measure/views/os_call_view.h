/* The view of calls of the operating system, such as poll or sem_wait: number and times by thread and function, and
 * the idle time of the devices during the calls of the threads that launch (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OS_CALL_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OS_CALL_VIEW_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_os_call_column {
    TP_OS_CALL_THREAD,
    TP_OS_CALL_FUNCTION,
    TP_OS_CALL_COUNT,
    TP_OS_CALL_TOTAL, /* union of the calls in the whole recording, ns */
    TP_OS_CALL_P99,
    TP_OS_CALL_MAX,
    TP_OS_CALL_IN_WINDOW,      /* union of the calls in the window of analysed steps, ns */
    TP_OS_CALL_WINDOW_PERCENT, /* percentage of the window of analysed steps */
    TP_OS_CALL_IDLE, /* idle time of the devices on which the thread launches, ns; TP_NULL_INT if it launches on none */
    TP_OS_CALL_COLUMNS
};

struct tp_os_call_view {
    bool is_present; /* true if the trace has calls of the operating system */
    uint64_t count;
    /* idle_ns: idle time of the devices with a launching thread, ns; during_ns: part of it in which the launching
     * thread is in a call */
    int64_t idle_ns, during_ns;
    double during_percent; /* percentage of idle_ns; NaN without idle time */
    /* sorted by idle time and total time (descending), thread, function */
    struct tp_table calls;
};

/* Builds the view in `arena`, whose guard the caller has set. */
void tp_os_call_view_build(struct tp_os_call_view *view, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_os_call_view_fields;

#endif
