/* Stores step slots inside a summary's file. tp_summary_slots_build builds them (summary_parts.h). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_SLOTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_SLOTS_H

#include "webreport/measure/summary/step_slots.h"
#include "webreport/measure/summary/summary_parts.h"
#include "webreport/measure/summary/summary_unpack.h"
#include "writer/base/str.h"

/* Fills the columns of the message; texts: of the file. */
void tp_slots_pack(struct Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_strings *texts,
                   struct tp_arena *arena);
/* Fills the slots; the steps must be filled. */
void tp_slots_unpack(struct tp_unpack *unpack);

/* Builds the slots of a trace alone, in `arena`; the worker's name replaces the host if the trace has none. Returns the
 * number of the rank; TP_NULL_INT: unknown. */
int64_t tp_slots_of_trace(struct tp_step_slots *slots, const struct tp_trace *trace, const struct tp_model *model,
                          struct tp_str worker, struct tp_arena *arena);

#endif
