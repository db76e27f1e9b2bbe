/* Fills the sentences of a result. See words.h. */
#include "webreport/document/words/words.h"

#include "webreport/document/words/detail_words.h"
#include "webreport/document/words/program_finding_words.h"
#include "webreport/document/words/program_words.h"
#include "webreport/document/words/title_words.h"
#include "webreport/measure/rules/rules_order.h"

/* Fills titles and details of the findings, and sorts findings that are otherwise equal by these texts. */
static void fill_finding_texts(struct tp_recommendations *found, enum tp_program_use_kind use,
                               const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_titled_program program = {model->producer, use, tp_devices_word(model)};
    for (uint32_t i = 0; i < found->finding_count; i++) {
        tp_fill_finding_title(&found->findings[i], &program, arena);
        found->findings[i].detail = tp_detail_text(found->findings[i].details, model, arena);
    }
    tp_findings_order_equal(found->findings, found->finding_count);
}

void tp_fill_program_texts(struct tp_program_view *view, struct tp_arena *arena)
{
    if (!view->is_present)
        return;
    tp_fill_program_headline(view, arena);
    for (unsigned i = 0; i < view->finding_count; i++)
        tp_fill_program_finding_texts(view, &view->findings[i], arena);
}

void tp_fill_advice_texts(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena)
{
    fill_finding_texts(&advice->recommendations, advice->use.of, model, arena);
    tp_fill_quality_texts(&advice->quality, arena);
    tp_fill_time_tree_texts(&advice->times, arena);
    tp_fill_program_texts(&advice->program, arena);
    tp_fill_verdict_texts(&advice->verdict, &advice->program, model, arena);
    tp_fill_answer_texts(advice, model, arena);
}
