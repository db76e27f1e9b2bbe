/* In which order findings stand (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_ORDER_H
#define TP_WEBREPORT_MEASURE_RULES_ORDER_H

#include "webreport/measure/rules.h"
#include "webreport/measure/verdict.h"

/* Sorts them: first what decides what the others can tell, then by severity, then by what is gained, less where that is
 * less sure. A finding about the time that the verdict names goes before those of its severity whose ranges overlap its
 * own: nothing tells which of them gains more, and the headline has named it. arena: of the sort alone. */
void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class);

#endif
