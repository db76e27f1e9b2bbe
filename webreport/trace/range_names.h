/* What ranges of a program that records itself do, by their names. */
#ifndef TP_WEBREPORT_TRACE_RANGE_NAMES_H
#define TP_WEBREPORT_TRACE_RANGE_NAMES_H

#include "webreport/trace/trace.h"

/* Gives annotations of a recording of our collector that do not say their kind the kind that their name has
 * (docs/definitions.md section 2). Other traces stay as they are. */
void tp_range_names_apply(struct tp_trace *trace);

/* The kind of a name: "forward", "Backward pass", "gpt2_update" compute, "load batch" and "data" wait for input.
 * TP_RANGE_NONE: no word of it is known. */
enum tp_range_kind tp_range_kind_of_name(struct tp_str name);

#endif
