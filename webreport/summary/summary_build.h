/* An analysed trace -> its summary. */
#ifndef TP_WEBREPORT_SUMMARY_SUMMARY_BUILD_H
#define TP_WEBREPORT_SUMMARY_SUMMARY_BUILD_H

#include "webreport/summary/summary.h"
#include "webreport/views/advice.h"
#include "webreport/views/views.h"

/* All borrowed for the call. */
struct tp_summary_source {
    struct tp_summary_key key; /* rank TP_NULL_INT: that of the trace's distributedInfo */
    struct tp_str file, sha256;
    bool is_brief; /* only what a gate without a baseline needs: metrics, steps, waits, findings, flags */
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* Builds it in `arena` (guard set by the caller); nothing of the source is kept. */
void tp_summary_build(struct tp_summary *summary, const struct tp_summary_source *source, struct tp_arena *arena);

#endif
