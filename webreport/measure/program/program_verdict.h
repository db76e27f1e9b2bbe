/* The verdict on a program's wall time by rules P0 to P9, and the findings. For program_view_build.c; the names of rules and
 * findings are for modules that print them. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H

#include "webreport/measure/program/program_view.h"

/* Fills rule and story of a view whose numbers are filled in. */
void tp_program_verdict_build(struct tp_program_view *view, struct tp_arena *arena);

/* Fills findings; requires tp_program_verdict_build. */
void tp_program_findings_build(struct tp_program_view *view, struct tp_arena *arena);

/* Adds a finding to the view; at most one of each kind. */
static inline void tp_program_finding_add(struct tp_program_view *view, const struct tp_program_finding *finding)
{
    view->findings[view->finding_count++] = *finding;
}

/* Returns "P0" to "P9". Static. */
const char *tp_program_rule_id(enum tp_program_rule rule);

/* Returns "ready", "function" and so on. Static. */
const char *tp_program_finding_id(enum tp_program_finding_kind kind);

/* Returns "high", "medium", "low" or "info". Static. */
const char *tp_program_weight_text(enum tp_program_weight weight);

#endif
