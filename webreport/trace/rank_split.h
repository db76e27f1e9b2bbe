/* Finds the ranks in a trace in JSON into which somebody merged the traces of several ranks. Each rank becomes a part
 * of the file (input_part.h), so that correlations and ids of two ranks are never compared. */
#ifndef TP_WEBREPORT_TRACE_RANK_SPLIT_H
#define TP_WEBREPORT_TRACE_RANK_SPLIT_H

#include "webreport/trace/input_part.h"
#include "webreport/trace/trace.h"

/* Appends the ranks of a trace to `parts` (elements: struct tp_input_part, data in parts->arena), by the first sign
 * that the trace has: labels in front of the pids (SGLang), arguments "rank" of the slices (TraceLens), several
 * processes with calls that have the same correlations. Appends nothing for the trace of one rank. The trace must have
 * been read with tp_trace_options.lists_ranks. Returns 0, or TP_EFORMAT if it is unknown to which rank a device
 * belongs. */
int tp_rank_split_find(struct tp_vec *parts, const struct tp_trace *trace, struct tp_error *err);

/* Refuses a trace that was read as one rank, but contains several ranks. Returns 0 or TP_EFORMAT. */
int tp_rank_split_check(const struct tp_trace *trace, struct tp_error *err);

#endif
