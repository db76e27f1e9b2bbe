/* Writes the titles of findings: what to do, with the line, the function or the number that the trace shows. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_TITLE_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_TITLE_WORDS_H

#include "webreport/measure/rules/rule_words.h"

/* The program whose findings get titles. */
struct tp_titled_program {
    enum tp_producer producer;
    enum tp_program_use_kind use;
    const char *devices; /* word for its devices: "GPU", "NPU" or "Device" (tp_devices_word); NULL: "GPU" */
};

/* Fills title, shown_title and marked_title of a finding. The titles have the arguments of title_facts if all of them
 * are known, and are otherwise the titles of the rule's row. shown_title and marked_title use the word for the
 * program's devices. The texts are in `arena`. */
void tp_fill_finding_title(struct tp_finding *finding, const struct tp_titled_program *program, struct tp_arena *arena);

/* Returns the template of a title for an audience; NULL if the title in the rule's row is used instead. */
const char *tp_title_template(const struct tp_rule *rule, enum tp_title_id id, enum tp_rule_audience audience);

#endif
