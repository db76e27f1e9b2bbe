/* The order of findings, and the gain that each adds to those before it (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/verdict.h"

struct tp_advisor; /* defined in rules_eval.h */

/* Sorts findings: first findings on which the meaning of the others depends, then by severity, then by gain weighted
 * with the confidence.
 *
 * A finding about the time that the verdict names precedes findings of the same severity whose estimates overlap its
 * own, because the headline has named it. arena: memory for the sort, free afterwards. */
void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class);

/* Orders adjacent findings that are equal in this order by the text of their details. For webreport/document/words,
 * which makes the texts. */
void tp_findings_order_equal(struct tp_finding *findings, size_t count);

/* Bounds the estimates of the sorted findings. Each moment counts for the first finding about it, so that the upper
 * ends add up to at most the judged time. Returns the time of all findings together, without the cost of recording,
 * ns. */
int64_t tp_findings_bound(struct tp_advisor *a);

#endif
