/* Finds captures of graphs: times in which launches run nothing, because the program records them into a graph (docs/definitions.md,
 * section 13). */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_CAPTURES_H
#define TP_WEBREPORT_MEASURE_VERDICT_CAPTURES_H

#include "webreport/model/facts.h"

/* Returns the time of all captures: on each thread from a call such as cudaStreamBeginCapture to the end of the next
 * call such as cudaStreamEndCapture. A capture without an end lasts until the last call of its thread. In `arena`. */
struct tp_intervals tp_captures_find(const struct tp_model *model, struct tp_arena *arena);

/* Returns true if the recording has captures and every launch is inside one. */
bool tp_captures_hold_all_launches(const struct tp_model *model, struct tp_arena *arena);

#endif
