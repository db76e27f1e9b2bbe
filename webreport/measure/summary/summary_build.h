/* Builds the summary of an analyzed trace. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_BUILD_H

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/measure/summary/summary.h"

/* The members of a summary to be filled. The other members stay empty. */
enum tp_summary_extent {
    TP_SUMMARY_WHOLE, /* all members, so that the summary can be stored */
    /* members for a check against a baseline: all members of TP_SUMMARY_JUDGED, and operators, which show whether runs
     * are comparable */
    TP_SUMMARY_COMPARED,
    TP_SUMMARY_JUDGED /* members for a check of limits: metrics, steps, facts, waits, findings, flags */
};

/* The input of tp_summary_build. The pointers must stay valid during the call. */
struct tp_summary_source {
    /* key of the summary; a rank of TP_NULL_INT means the rank in the trace's distributedInfo */
    struct tp_summary_key key;
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
