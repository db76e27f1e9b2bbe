/* Implements rule_words.h: chooses the texts of a rule for one audience. */
#include "webreport/measure/rules/rule_words.h"

enum tp_rule_audience tp_rule_audience_of(enum tp_producer producer, enum tp_program_use_kind use)
{
    if (!tp_uses_torch_words(producer))
        return producer == TP_PRODUCER_MPI ? TP_FOR_MPI : TP_FOR_NATIVE;
    if (use == TP_USE_SERVING)
        return TP_FOR_SERVING;
    bool only_calls = use == TP_USE_DIFFUSION || use == TP_USE_INFERENCE || use == TP_USE_CPU;
    return only_calls ? TP_FOR_INFERENCE : TP_FOR_TRAINING;
}

/* Replaces the texts that `other` has. */
static void replace_texts(struct tp_rule_words *words, const struct tp_rule_text *other)
{
    words->title = other->title ? other->title : words->title;
    words->advice = other->advice ? other->advice : words->advice;
}

/* Returns the texts for an audience. Users of a serving engine set options but change no code. Programs that only call
 * a model have no backward pass, optimizer or learning rate. */
static struct tp_rule_words words_for_audience(const struct tp_rule *rule, enum tp_rule_audience audience)
{
    struct tp_rule_words words = {rule->title, rule->advice, rule->doc_url};
    bool is_native = audience == TP_FOR_NATIVE || audience == TP_FOR_MPI;
    if (is_native) {
        words.doc_url = NULL;
        replace_texts(&words, &rule->native);
    }
    if (audience == TP_FOR_MPI)
        replace_texts(&words, &rule->mpi);
    if (audience == TP_FOR_SERVING && (rule->serving.title || rule->serving.advice))
        replace_texts(&words, &rule->serving);
    else if (audience == TP_FOR_SERVING || audience == TP_FOR_INFERENCE)
        replace_texts(&words, &rule->inference);
    return words;
}

struct tp_rule_words tp_rule_words(const struct tp_rule *rule, enum tp_producer producer)
{
    return words_for_audience(rule, tp_rule_audience_of(producer, TP_USE_TRAINING));
}

struct tp_rule_words tp_rule_words_by_id(struct tp_str id, enum tp_producer producer)
{
    const struct tp_rule *rule = tp_rule_by_id(id);
    return rule ? tp_rule_words(rule, producer) : (struct tp_rule_words){NULL, NULL, NULL};
}

struct tp_rule_words tp_rule_words_for_use(const struct tp_rule *rule, enum tp_producer producer,
                                           enum tp_program_use_kind use)
{
    return words_for_audience(rule, tp_rule_audience_of(producer, use));
}
