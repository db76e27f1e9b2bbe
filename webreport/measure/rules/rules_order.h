/* Orders findings, and computes the gain that each finding adds to earlier ones (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/verdict.h"

struct tp_advisor; /* defined in rules_eval.h */

/* Sorts findings. First come findings on which the meaning of the others depends. The others are sorted by severity,
 * then by their gain weighted with the confidence.
 *
 * A finding about the time that the verdict names precedes findings of equal severity whose estimates overlap its
 * estimate, because the headline names it. arena: working memory, free afterwards. */
void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class);

/* Orders findings that are equal in the order of tp_findings_sort by the texts of their details. Used by
 * webreport/document/words, which makes the texts. */
void tp_findings_order_equal(struct tp_finding *findings, size_t count);

/* Limits the estimates of sorted findings. Each moment counts only for the first finding about this moment, so that
 * all upper ends together do not exceed the analysed time. Returns the time of all findings together, without the
 * cost of recording, ns. */
int64_t tp_findings_limit_gains(struct tp_advisor *a);

#endif
