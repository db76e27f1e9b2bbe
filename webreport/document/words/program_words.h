/* Returns words about a program recorded from outside. Sections of the page use them, too. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_PROGRAM_WORDS_H

#include "webreport/measure/program/program_steps.h"
#include "webreport/measure/program/program_view.h"

/* Returns the words for a part of the wall time in a sentence, such as "running" or "waiting for the disk". The text
 * is static. */
const char *tp_wall_part_words(unsigned part);

/* Returns these words with a capital letter, in `arena`. */
const char *tp_wall_part_title(unsigned part, struct tp_arena *arena);

/* Returns what a wait waits for, such as "disk" or "lock of the Linux kernel". part: number of the part in struct
 * tp_wall_parts, a wait. The text is static. */
const char *tp_program_wait_words(unsigned part);

/* Returns the words for a state of the main thread in the steps (enum tp_steps_part), such as "running, native code".
 * The text is static. */
const char *tp_steps_part_words(unsigned part);

/* Returns a text about the likely holder of a lock, such as "most likely held by worker 12, in compute (a.c:7)", in
 * `arena`; NULL if no thread is likely. */
const char *tp_program_lock_holder_text(const struct tp_program_view *view, const struct tp_wait_group *group,
                                        struct tp_arena *arena);

/* Returns the name of the Python function view->python, such as "work (a.py:12)", in `arena`. The view must have such a
 * function. */
const char *tp_program_python_text(const struct tp_program_view *view, struct tp_arena *arena);

/* Returns the name of a function of the C library without the processor that it is compiled for: "memcmp" for
 * "__memcmp_evex_movbe". Other names are unchanged. The text is part of `name`. */
struct tp_str tp_program_short_function_name(struct tp_str name);

/* Fills the headline of the view, its marks, and the sentences below the headline. */
void tp_fill_program_headline(struct tp_program_view *view, struct tp_arena *arena);

#endif
