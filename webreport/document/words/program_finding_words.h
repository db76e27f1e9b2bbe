/* Writes the sentences of findings about a program recorded from outside. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_FINDING_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_FINDING_WORDS_H

#include "webreport/measure/program/program_view.h"

/* Fills the title, detail and advice of one finding. */
void tp_fill_program_finding_texts(const struct tp_program_view *view, struct tp_program_finding *finding,
                                   struct tp_arena *arena);

#endif
