/* Facts that a program recorded about itself with tracepress_metadata, or with add_metadata of torch.profiler. They
 * are the members of the trace's metadata that no profiler writes by itself. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FACTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FACTS_H

#include <stdbool.h>

#include "webreport/trace/trace.h"

/* Returns whether a member of the trace's metadata comes from the program; false for members of Kineto,
 * torch.profiler and tracepress. */
bool tp_is_program_fact(struct tp_str key);

/* Returns a fact as text, cut to 256 bytes: the contents of a JSON string, or the JSON of any other value. The text
 * is in the arena, whose guard the caller sets. */
struct tp_str tp_program_fact_text(struct tp_arena *arena, struct tp_str json);

#endif
