/* Finds range kinds from names, for recordings of programs that give their ranges no kind. */
#ifndef TP_WEBREPORT_TRACE_RANGE_NAMES_H
#define TP_WEBREPORT_TRACE_RANGE_NAMES_H

#include "webreport/trace/trace.h"

/* Sets the range kind of annotations without an argument "kind" from their names (docs/definitions.md, section 2).
 * Changes only recordings of our collector. */
void tp_range_names_apply(struct tp_trace *trace);

/* Returns the range kind that a name implies: compute for "forward", "Backward pass" and "gpt2_update", input for
 * "load batch" and "data". Returns TP_RANGE_NONE if the name has no known word. */
enum tp_range_kind tp_range_kind_by_name(struct tp_str name);

#endif
