/* Chooses the verdict on a program's wall time by rules P0 to P9, and adds the findings. program_view_build.c calls the
 * builders; modules that print use the names of rules and findings. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H

#include "webreport/measure/program/program_view.h"

/* Fills the members `rule` and `story` of a view. The times and counts of the view must be filled before. */
void tp_program_verdict_build(struct tp_program_view *view, struct tp_arena *arena);

/* Fills the member `answer` of a view, and `wait` of its story. tp_program_verdict_build must be called before
 * (program_answer.c). */
void tp_program_answer_build(struct tp_program_view *view);

/* Fills the savings, parts and times of all findings, and sorts the findings. The other members of the view must be
 * filled before (program_savings.c). */
void tp_program_savings_build(struct tp_program_view *view, struct tp_arena *arena);

/* Fills the findings of a view. tp_program_verdict_build must be called before. */
void tp_program_findings_build(struct tp_program_view *view, struct tp_arena *arena);

/* Adds a finding to the view. A view can have only one finding of each kind. */
static inline void tp_program_finding_add(struct tp_program_view *view, const struct tp_program_finding *finding)
{
    view->findings[view->finding_count++] = *finding;
}

/* Returns the id of a rule, "P0" to "P9". The text is static. */
const char *tp_program_rule_id(enum tp_program_rule rule);

/* Returns the id of a finding, such as "ready" or "function". The text is static. */
const char *tp_program_finding_id(enum tp_program_finding_kind kind);

/* Returns "high", "medium", "low" or "info". The text is static. */
const char *tp_program_weight_text(enum tp_program_weight weight);

#endif
