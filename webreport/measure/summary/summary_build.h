/* Builds the summary of an analyzed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/measure/summary/summary.h"

/* Which members of a summary are filled. The other members stay empty. */
enum tp_summary_extent {
    TP_SUMMARY_WHOLE,    /* all members, so that the summary can be stored */
    TP_SUMMARY_COMPARED, /* members for a check against a baseline: those of TP_SUMMARY_JUDGED, and operators to check
                            whether runs are comparable */
    TP_SUMMARY_JUDGED    /* members for a check of limits: metrics, steps, facts, waits, findings, flags */
};

/* The input of tp_summary_build. All pointers are borrowed during the call. */
struct tp_summary_source {
    struct tp_summary_key key; /* rank: TP_NULL_INT means the rank in the trace's distributedInfo */
    struct tp_str file, sha256;
    enum tp_summary_extent extent;
    const struct tp_trace *trace;
    const struct tp_order *order;
    const struct tp_model *model;
    const struct tp_views *views;
    const struct tp_advice *advice;
};

/* Builds the summary in `arena`, whose guard the caller sets. The summary does not refer to the source. */
void tp_summary_build(struct tp_summary *summary, const struct tp_summary_source *source, struct tp_arena *arena);

#endif
