/* Chooses title, advice and documentation page of a rule for one audience. The row of a rule (rules.h) has texts for
 * programs that train with PyTorch, and alternative texts for other audiences. All texts are static. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULE_WORDS_H
#define TP_WEBREPORT_MEASURE_RULES_RULE_WORDS_H

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/program/program_use.h"
#include "webreport/measure/rules/rules.h"

/* the audiences of the texts in a rule's row */
enum tp_rule_audience {
    TP_FOR_TRAINING,  /* programs that train with PyTorch */
    TP_FOR_NATIVE,    /* programs without PyTorch */
    TP_FOR_MPI,       /* programs without PyTorch that use MPI */
    TP_FOR_INFERENCE, /* programs that use PyTorch without training */
    TP_FOR_SERVING    /* serving engines */
};

/* Returns the audience of a program. Programs of unknown use that use PyTorch are assumed to train. */
enum tp_rule_audience tp_rule_audience_of(enum tp_producer producer, enum tp_program_use_kind use);

/* texts of a rule; doc_url is NULL without a page */
struct tp_rule_words {
    const char *title, *advice, *doc_url;
};

/* Returns the texts of a rule for programs of this producer, regardless of their use. */
struct tp_rule_words tp_rule_words(const struct tp_rule *rule, enum tp_producer producer);

/* Returns the texts of a rule for a program of this producer and use. Users who serve a model, or only call one, get no
 * advice about training. */
struct tp_rule_words tp_rule_words_for_use(const struct tp_rule *rule, enum tp_producer producer,
                                           enum tp_program_use_kind use);

/* Returns the texts of the rule with this id, such as "A1". title is NULL if there is no such rule. */
struct tp_rule_words tp_rule_words_by_id(struct tp_str id, enum tp_producer producer);

#endif
