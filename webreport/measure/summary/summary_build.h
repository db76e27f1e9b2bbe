/* Builds the summary of an analyzed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/measure/summary/summary.h"

/* The extent of a summary; other members stay empty. */
enum tp_summary_extent {
    TP_SUMMARY_WHOLE,    /* everything: the summary can be stored */
    TP_SUMMARY_COMPARED, /* the needs of a gate with a baseline: also operators, to check that both runs compare */
    TP_SUMMARY_JUDGED    /* the needs of a gate alone: metrics, steps, facts, waits, findings, flags */
};

/* All borrowed for the call. */
struct tp_summary_source {
    struct tp_summary_key key; /* rank TP_NULL_INT: the rank in the trace's distributedInfo */
    struct tp_str file, sha256;
    enum tp_summary_extent extent;
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* Builds the summary in `arena` (guard set by the caller); it does not refer to the source. */
void tp_summary_build(struct tp_summary *summary, const struct tp_summary_source *source, struct tp_arena *arena);

#endif
