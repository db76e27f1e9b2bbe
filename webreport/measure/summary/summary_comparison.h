/* Builds, packs and unpacks the data that a summary stores for the comparison of ranks. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H

#include "webreport/measure/summary/summary_parts.h"
#include "webreport/measure/summary/summary_unpack.h"

/* Fills summary->comparison; NULL without a collective, or with more data than a file may contain. */
void tp_summary_comparison_build(struct tp_summary_work *work);

/* Fills the comparison's columns of the message; adds the texts to `texts`. */
void tp_comparison_pack(struct Tp__SummaryProcess *to, const struct tp_rank_summary *from, struct tp_strings *texts,
                        struct tp_arena *arena);

/* Unpacks the comparison. The worker is the one of the summary's key, which the caller sets when it is known. */
void tp_comparison_unpack(struct tp_unpack *unpack);

#endif
