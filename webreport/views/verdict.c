/* The answer of the first screen: what bounds the steps. Placeholder until the averages are compared with references.
 */
#include "webreport/views/overview_parts.h"

void tp_verdict_build(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena)
{
    (void)model, (void)arena;
    view->verdict = TP_VERDICT_UNCLEAR;
    view->verdict_text = TP_STR("Unclear");
    view->verdict_reason = TP_STR("");
}
