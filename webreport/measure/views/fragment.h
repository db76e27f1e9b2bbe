/* A profile that holds too little to judge (section 13): no step with work in it, and less than 100 ms of work in all.
 * It has facts and tables, a verdict that says so, and no finding: shares of next to nothing are no statement on a
 * program. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_FRAGMENT_H
#define TP_WEBREPORT_MEASURE_VIEWS_FRAGMENT_H

#include "webreport/model/facts.h"

/* recorded_ns: the recorded span of section 14. */
bool tp_is_fragment(const struct tp_model *model, int64_t recorded_ns, struct tp_arena *arena);

#endif
