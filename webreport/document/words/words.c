/* Fills the sentences of a result: see words.h. */
#include "webreport/document/words/words.h"

#include "webreport/document/words/device_words.h"

static void word_finding(struct tp_finding *finding, const struct tp_model *model, struct tp_arena *arena)
{
    if (finding->detail_id == TP_DETAIL_DEVICE_MISSING)
        finding->detail = tp_str_of(tp_device_missing_advice(model, arena));
}

void tp_word_advice(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena)
{
    for (uint32_t i = 0; i < advice->recommendations.finding_count; i++)
        word_finding(&advice->recommendations.findings[i], model, arena);
    tp_word_quality(&advice->quality, arena);
    tp_word_program(&advice->program, arena);
    tp_word_verdict(&advice->verdict, &advice->program, model, arena);
}
