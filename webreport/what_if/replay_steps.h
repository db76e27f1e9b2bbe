/* Computes the analysed steps of each lane of a pass. */
#ifndef TP_WEBREPORT_WHAT_IF_REPLAY_STEPS_H
#define TP_WEBREPORT_WHAT_IF_REPLAY_STEPS_H

#include "webreport/what_if/replay_pass.h"

/* Prepares the search for the steps of the lanes. */
void tp_pass_prepare_steps(struct tp_pass *p);
/* Notes the times of a node that steps need. */
void tp_pass_note_times(struct tp_pass *p, uint32_t node, const struct tp_row *start, const struct tp_row *end);
/* Sets the steps, their length and the last node of each lane. */
void tp_pass_finish_steps(struct tp_pass *p);

#endif
