/* What a program told about itself (tracepress_metadata, add_metadata of torch.profiler): members of a trace's head
 * that no profiler writes by itself. */
#ifndef TP_WEBREPORT_MEASURE_TOLD_FACTS_H
#define TP_WEBREPORT_MEASURE_TOLD_FACTS_H

#include <stdbool.h>

#include "webreport/trace/trace.h"

/* Whether a member of the head is the program's own; false for those of Kineto, torch.profiler and our recorder. */
bool tp_is_told(struct tp_str key);

/* The fact as text: of a string its contents, of other values their JSON; cut to 256 bytes. In the arena, whose guard
 * is set. */
struct tp_str tp_told_text(struct tp_arena *arena, struct tp_str json);

#endif
