/* In which order findings stand (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_ORDER_H
#define TP_WEBREPORT_MEASURE_RULES_ORDER_H

#include "webreport/measure/rules.h"
#include "webreport/measure/verdict.h"

struct tp_advisor; /* rules_eval.h */

/* Sorts them: first what decides what the others can tell, then by severity, then by what is gained, less where that is
 * less sure. A finding about the time that the verdict names goes before those of its severity whose ranges overlap its
 * own: nothing tells which of them gains more, and the headline has named it. arena: of the sort alone. */
void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class);

/* Bounds the estimates of the sorted findings: each gains at most its own time, and none of what those before it are
 * about. So the sum of all upper ends is at most the judged time. The one place where this is done. Returns the time that
 * all findings together are about, less what recording cost, in ns. */
int64_t tp_findings_bound(struct tp_advisor *a);

#endif
