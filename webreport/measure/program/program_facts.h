/* Facts that a program recorded about itself with tracepress_metadata or add_metadata of torch.profiler. They are
 * members of the trace's head that no profiler writes by itself. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FACTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_FACTS_H

#include <stdbool.h>

#include "webreport/trace/trace.h"

/* Returns whether a member of the head comes from the program; false for members of Kineto, torch.profiler and
 * tracepress. */
bool tp_is_program_fact(struct tp_str key);

/* Returns a fact as text, cut to 256 bytes: the contents of a string, or the JSON of another value. The text is in the
 * arena, whose guard is set. */
struct tp_str tp_program_fact_text(struct tp_arena *arena, struct tp_str json);

#endif
