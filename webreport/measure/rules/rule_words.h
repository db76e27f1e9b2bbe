/* Chooses title, advice and documentation page of a rule for one audience. The row of a rule (rules.h) has texts for
 * programs that train with PyTorch, and texts for other audiences in their place. All texts are static. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULE_WORDS_H
#define TP_WEBREPORT_MEASURE_RULES_RULE_WORDS_H

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/program/program_use.h"
#include "webreport/measure/rules/rules.h"

/* doc_url: NULL if no page applies. */
struct tp_rule_words {
    const char *title, *advice, *doc_url;
};

/* Returns the texts of a rule for programs of this producer. */
struct tp_rule_words tp_rule_words(const struct tp_rule *rule, enum tp_producer producer);

/* Returns the texts of a rule for a program of this producer and use. A user who serves a model, or only calls one,
 * gets no advice about training. */
struct tp_rule_words tp_rule_words_of_use(const struct tp_rule *rule, enum tp_producer producer,
                                          enum tp_program_use_kind use);

/* Returns the texts of the rule with this id ("A1"); title is NULL if no rule has it. */
struct tp_rule_words tp_rule_words_of(struct tp_str id, enum tp_producer producer);

#endif
