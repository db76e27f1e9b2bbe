/* Implements rule_words.h: chooses the texts of a rule for one audience. */
#include "webreport/measure/rules/rule_words.h"

static const char *first_non_null_text(const char *first, const char *second, const char *third)
{
    return first ? first : second ? second : third;
}

struct tp_rule_words tp_rule_words(const struct tp_rule *rule, enum tp_producer producer)
{
    if (tp_uses_torch_words(producer))
        return (struct tp_rule_words){rule->title, rule->advice, rule->doc_url};
    struct tp_rule_text mpi = producer == TP_PRODUCER_MPI ? rule->mpi : (struct tp_rule_text){NULL, NULL};
    return (struct tp_rule_words){first_non_null_text(mpi.title, rule->native.title, rule->title),
                                  first_non_null_text(mpi.advice, rule->native.advice, rule->advice), NULL};
}

struct tp_rule_words tp_rule_words_by_id(struct tp_str id, enum tp_producer producer)
{
    const struct tp_rule *rule = tp_rule_by_id(id);
    return rule ? tp_rule_words(rule, producer) : (struct tp_rule_words){NULL, NULL, NULL};
}

/* Returns the texts of a rule for a kind of use of PyTorch. A NULL member means the text in the rule's row. Users of a
 * serving engine set options but change no code. Programs that only call a model have no backward pass, optimizer or
 * learning rate. */
static struct tp_rule_text rule_text_for_use(const struct tp_rule *rule, enum tp_program_use_kind use)
{
    if (use == TP_USE_SERVING && (rule->serving.title || rule->serving.advice))
        return rule->serving;
    bool only_calls = use == TP_USE_SERVING || use == TP_USE_DIFFUSION || use == TP_USE_INFERENCE || use == TP_USE_CPU;
    return only_calls ? rule->inference : (struct tp_rule_text){NULL, NULL};
}

struct tp_rule_words tp_rule_words_for_use(const struct tp_rule *rule, enum tp_producer producer,
                                           enum tp_program_use_kind use)
{
    struct tp_rule_words words = tp_rule_words(rule, producer);
    if (!tp_uses_torch_words(producer))
        return words;
    struct tp_rule_text text = rule_text_for_use(rule, use);
    words.title = text.title ? text.title : words.title;
    words.advice = text.advice ? text.advice : words.advice;
    return words;
}
