/* Finds the subjects of a check and checks each line of the budget for each subject. */
#ifndef TP_WEBREPORT_COMPARE_GATE_GATE_BUILD_H
#define TP_WEBREPORT_COMPARE_GATE_GATE_BUILD_H

#include "webreport/compare/gate/gate.h"

/* Checks the runs of `input` against the budget; `input` must outlive the check. Allocates from `arena`, whose guard
 * the caller sets. */
void tp_check_build(struct tp_check *check, const struct tp_check_input *input, struct tp_arena *arena);

#endif
