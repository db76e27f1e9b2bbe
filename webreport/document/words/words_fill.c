/* Fills the sentences of a result. See words.h. */
#include "webreport/document/words/words.h"

#include "webreport/document/words/detail_words.h"
#include "webreport/document/words/program_finding_words.h"
#include "webreport/document/words/program_words.h"
#include "webreport/measure/rules/rules_order.h"

/* Fills the details of the findings. Findings that are otherwise equal are then ordered by these texts. */
static void word_findings(struct tp_recommendations *found, const struct tp_model *model, struct tp_arena *arena)
{
    for (uint32_t i = 0; i < found->finding_count; i++)
        found->findings[i].detail = tp_detail_text(found->findings[i].details, model, arena);
    tp_findings_order_equal(found->findings, found->finding_count);
}

void tp_word_program(struct tp_program_view *view, struct tp_arena *arena)
{
    if (!view->is_present)
        return;
    tp_word_program_headline(view, arena);
    for (unsigned i = 0; i < view->finding_count; i++)
        tp_word_program_finding(view, &view->findings[i], arena);
}

void tp_word_advice(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena)
{
    word_findings(&advice->recommendations, model, arena);
    tp_word_quality(&advice->quality, arena);
    tp_word_times(&advice->times, arena);
    tp_word_program(&advice->program, arena);
    tp_word_verdict(&advice->verdict, &advice->program, model, arena);
}
