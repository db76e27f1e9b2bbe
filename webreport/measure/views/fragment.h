/* Recognizes fragments: profiles with too little work for findings (docs/definitions.md, section 13). A fragment has no
 * step with work, and less than 100 ms of work in total. It has facts, tables and a verdict, but no findings, because
 * shares of so little work are meaningless. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_FRAGMENT_H
#define TP_WEBREPORT_MEASURE_VIEWS_FRAGMENT_H

#include "webreport/model/facts.h"

/* Returns whether the profile is a fragment. recorded_ns: length of the recording (docs/definitions.md, section 14),
 * ns. */
bool tp_is_fragment(const struct tp_model *model, int64_t recorded_ns, struct tp_arena *arena);

#endif
