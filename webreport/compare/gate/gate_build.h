/* Finds the subjects of a check and judges each line of the budget against each of them. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_BUILD_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_BUILD_H

#include "webreport/compare/gate/gate.h"

/* Judges `input`, which must outlive the check. Allocates from `arena`, whose guard the caller sets. */
void tp_check_build(struct tp_check *check, const struct tp_check_input *input, struct tp_arena *arena);

#endif
