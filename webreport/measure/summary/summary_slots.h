/* Packs and unpacks the step slots of a summary. tp_summary_slots_build builds them (summary_parts.h). */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_SLOTS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SUMMARY_SLOTS_H

#include "webreport/measure/summary/columns.h"
#include "webreport/measure/summary/step_slots.h"
#include "webreport/measure/summary/summary_parts.h"
#include "writer/base/str.h"

/* Writes the slots. */
void tp_slots_pack(struct tp_column_writer *writer, const struct tp_step_slots *slots);
/* Reads the slots of a summary that has `step_count` steps. */
void tp_slots_unpack(struct tp_column_reader *reader, struct tp_step_slots *slots, uint32_t step_count);

/* Builds the slots of a trace without a summary, in `arena`. If the trace has no host name, uses the name of the
 * worker. Returns the rank; TP_NULL_INT: unknown. */
int64_t tp_slots_build_from_trace(struct tp_step_slots *slots, const struct tp_trace *trace,
                                  const struct tp_model *model, struct tp_str worker, struct tp_arena *arena);

#endif
