/* Builds the strip: one step in time, with the work of the device and the work of the host. */
#ifndef TP_WEBREPORT_MEASURE_ANSWER_ANSWER_STRIP_H
#define TP_WEBREPORT_MEASURE_ANSWER_ANSWER_STRIP_H

#include "webreport/measure/answer/answer.h"

/* Builds the strip of a step in `arena`. */
void tp_answer_build_strip(struct tp_strip *strip, const struct tp_answer *answer, const struct tp_answer_basis *basis,
                           uint32_t step, struct tp_arena *arena);

#endif
