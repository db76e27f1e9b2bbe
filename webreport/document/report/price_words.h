/* Words for the price that a replay gives a finding (webreport/measure/rules/finding_prices.h). */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_PRICE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_REPORT_PRICE_WORDS_H

#include "webreport/document/section.h"
#include "webreport/measure/rules/rules.h"

/* Returns whether a priced finding saves too little to be shown as a saving. */
bool tp_price_is_nothing(const struct tp_finding *finding);

/* Returns the words for a priced finding that saves nothing: "gone with 1" if the change with this number, together
 * with the changes before it, leaves no effect; otherwise "no effect". number: number on the page of the finding
 * `gone_with`; 0: that finding has none, or there is no such finding. */
const char *tp_price_nothing_text(const struct tp_finding *finding, unsigned number, struct tp_arena *arena);

/* Returns a sentence such as "The step goes from 111 to 62 ms, then compute limits."; NULL if a finding without a price
 * or without a saving. */
const char *tp_price_step_text(const struct tp_section *section, const struct tp_finding *finding);

/* Returns a sentence on all priced findings together, such as "by replay, all together take the step from 141 to 49 ms,
 * then compute limits"; NULL if fewer than two findings have a price. */
const char *tp_price_total_text(const struct tp_section *section);

#endif
