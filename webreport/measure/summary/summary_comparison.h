/* What the comparison of ranks needs, inside a summary: built, packed, unpacked. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_COMPARISON_H

#include "webreport/measure/summary/summary_parts.h"
#include "webreport/measure/summary/summary_unpack.h"

/* Fills summary->comparison; NULL without a collective, and with more than a file may hold. */
void tp_summary_comparison_build(struct tp_summary_work *work);

/* Fills its columns of the message; texts are added to `texts`. */
void tp_comparison_pack(struct Tp__SummaryProcess *to, const struct tp_rank_summary *from, struct tp_strings *texts,
                        struct tp_arena *arena);

/* The way back; the worker is that of the summary's key, which the caller sets when it is known. */
void tp_comparison_unpack(struct tp_unpack *unpack);

#endif
