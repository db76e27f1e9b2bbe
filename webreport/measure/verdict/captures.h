/* Finds captures of device graphs (docs/definitions.md, section 13). During a capture, the program records its launches
 * into a graph, and the launches run nothing. */
#ifndef TP_WEBREPORT_MEASURE_VERDICT_CAPTURES_H
#define TP_WEBREPORT_MEASURE_VERDICT_CAPTURES_H

#include "webreport/model/facts.h"

/* Returns the times of all captures in `arena`. A capture lasts from a call such as cudaStreamBeginCapture to the end
 * of the thread's next call such as cudaStreamEndCapture. A capture without an end lasts until the last call of its
 * thread. */
struct tp_intervals tp_captures_find(const struct tp_model *model, struct tp_arena *arena);

/* Returns whether the recording has captures and every launch is inside a capture. */
bool tp_captures_contain_all_launches(const struct tp_model *model, struct tp_arena *arena);

#endif
