/* An analysed trace -> its summary. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/measure/summary/summary.h"

/* What is asked of a summary; the rest stays empty. */
enum tp_summary_extent {
    TP_SUMMARY_WHOLE,    /* all: it can be kept */
    TP_SUMMARY_COMPARED, /* what a gate with a baseline needs: also operators, to know whether both compare */
    TP_SUMMARY_JUDGED    /* what a gate alone needs: metrics, steps, facts, waits, findings, flags */
};

/* All borrowed for the call. */
struct tp_summary_source {
    struct tp_summary_key key; /* rank TP_NULL_INT: that of the trace's distributedInfo */
    struct tp_str file, sha256;
    enum tp_summary_extent extent;
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* Builds it in `arena` (guard set by the caller); nothing of the source is kept. */
void tp_summary_build(struct tp_summary *summary, const struct tp_summary_source *source, struct tp_arena *arena);

#endif
