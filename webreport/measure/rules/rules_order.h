/* Orders findings, and computes the gain that each finding adds to earlier ones (section 15 of docs/definitions.md). */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_ORDER_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/verdict.h"

struct tp_advisor; /* defined in rules_eval.h */

/* Sorts findings. Findings on which the meaning of the others depends come first. The others are sorted by severity,
 * then by their gain weighted with the confidence.
 *
 * The headline names the time that the verdict names. A finding about this time therefore precedes findings of equal
 * severity whose estimates overlap its estimate. arena: working memory, free afterwards. */
void tp_findings_sort(struct tp_arena *arena, struct tp_finding *findings, size_t count, enum tp_verdict_class class);

/* Sorts findings again, after a replay has priced some of them. Their gains alone decide; their estimates must be these
 * gains. */
void tp_findings_sort_priced(struct tp_arena *arena, struct tp_finding *findings, size_t count,
                             enum tp_verdict_class class);

/* Sorts findings that tp_findings_sort leaves equal, by the texts of their details. webreport/document/words, which
 * makes these texts, calls this function. */
void tp_findings_order_equal(struct tp_finding *findings, size_t count);

/* Limits the estimates of sorted findings. Each moment is assigned only to the first finding whose time contains it, so
 * that all upper ends together do not exceed the analysed time. Returns the total time of all findings, without the
 * cost of recording, ns. */
int64_t tp_findings_limit_gains(struct tp_advisor *a);

#endif
