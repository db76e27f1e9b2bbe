/* Prices findings by replay: the gain of each fix alone, and after the fixes of the findings before it.
 *
 * A replay shows what a fix would change in the whole step. The time of a finding shows only where its problem is:
 * other work may fill that time after a fix, or the fix may let other work begin earlier (docs/definitions.md, section
 * 15, "gain by replay"). */
#ifndef TP_WEBREPORT_MEASURE_RULES_FINDING_PRICES_H
#define TP_WEBREPORT_MEASURE_RULES_FINDING_PRICES_H

#include "webreport/measure/rules/rules.h"
#include "webreport/measure/verdict/verdict.h"

/* The fixes of the findings of a trace, while a replay prices them. */
struct tp_finding_prices {
    struct tp_recommendations *found;
    enum tp_verdict_class class; /* verdict of the trace, for the order of the findings */
    struct tp_arena *arena;      /* memory of the findings */
    struct tp_fix *items;
    struct tp_fix_price *prices;
    struct tp_fix_total total;
};

/* Lists the fixes of the findings. Fills *question, which must not outlive *prices. Only the first TP_MAX_PRICED_FIXES
 * findings with a fix have a price. The guard of `arena` must be set. */
void tp_finding_prices_begin(struct tp_finding_prices *prices, struct tp_fix_question *question,
                             struct tp_recommendations *found, enum tp_verdict_class class, struct tp_arena *arena);

/* Sets the estimates of the findings from the prices, after the replay. Without answers of the replay, the findings
 * stay as they are. Releases the fixes. */
void tp_finding_prices_finish(struct tp_finding_prices *prices);

#endif
