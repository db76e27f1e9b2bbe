/* What a program's wall time says: the verdict by rules P0 to P9, and findings. For program_view.c; the names of rules
 * and findings for who shows them. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VERDICT_H

#include "webreport/measure/program/program_view.h"

/* Fills rule, headline and advice of a view whose numbers are there. */
void tp_program_verdict_build(struct tp_program_view *view, struct tp_arena *arena);

/* Fills findings; after tp_program_verdict_build. */
void tp_program_findings_build(struct tp_program_view *view, struct tp_arena *arena);

/* Adds a finding to the view; at most one of each kind. */
static inline void tp_program_finding_add(struct tp_program_view *view, const struct tp_program_finding *finding)
{
    view->findings[view->finding_count++] = *finding;
}

/* "P0" .. "P9". Static. */
const char *tp_program_rule_id(enum tp_program_rule rule);

/* "ready", "function" .. Static. */
const char *tp_program_finding_id(enum tp_program_finding_kind kind);

/* "high", "medium", "low", "info". Static. */
const char *tp_program_weight_text(enum tp_program_weight weight);

/* What a part is called in a sentence: "running", "ready without a CPU", "waiting for the disk". Static. */
const char *tp_wall_part_words(unsigned part);

#endif
