/* Words about a program recorded from outside that sections of the page use, too. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_WORDS_H

#include "webreport/measure/program/program_steps.h"
#include "webreport/measure/program/program_view.h"

/* Returns the words for a part of the wall time in a sentence: "running", "waiting for the disk". Static. */
const char *tp_wall_part_words(unsigned part);

/* Returns the words for a part of the steps (enum tp_steps_part): "running, native code". Static. */
const char *tp_steps_part_words(unsigned part);

/* Returns "most likely held by worker 12, in compute (a.c:7)", in the arena; NULL: no thread is likely. */
const char *tp_program_holder_words(const struct tp_program_view *view, const struct tp_wait_group *group,
                                    struct tp_arena *arena);

/* Returns "work (a.py:12)", the Python function of a view that has one. In the arena. */
const char *tp_program_python_words(const struct tp_program_view *view, struct tp_arena *arena);

/* Fills the headline and the sentence below it. */
void tp_word_program_headline(struct tp_program_view *view, struct tp_arena *arena);

#endif
