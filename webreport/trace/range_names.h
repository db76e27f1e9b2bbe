/* Finds the kinds of ranges from their names, for programs that record themselves. */
#ifndef TP_WEBREPORT_TRACE_RANGE_NAMES_H
#define TP_WEBREPORT_TRACE_RANGE_NAMES_H

#include "webreport/trace/trace.h"

/* Sets the kind of annotations without a kind from their name, in recordings of our collector (docs/definitions.md
 * section 2). Does not change other traces. */
void tp_range_names_apply(struct tp_trace *trace);

/* Returns the kind of a name: "forward", "Backward pass" and "gpt2_update" are compute, "load batch" and "data" are
 * input. Returns TP_RANGE_NONE if the name has no known word. */
enum tp_range_kind tp_range_kind_of_name(struct tp_str name);

#endif
