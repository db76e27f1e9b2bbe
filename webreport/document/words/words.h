/* Fills the sentences of a result, which are members that `measure` leaves empty. `measure` chooses an id and its
 * arguments; the files of this folder have the sentence for each id, in words that fit the analyzed program.
 *
 * The session calls these functions after a result is complete, and again after each change to the result. All texts
 * are in `arena` or static, or part of the model, which must outlive them. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_WORDS_H

#include "webreport/measure/result/advice.h"

/* Fills all sentences of the advice on a trace. */
void tp_fill_advice_texts(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena);

/* Replaces the names of tree nodes for idle time by sentences about the reason of the idle time. */
void tp_fill_time_tree_texts(struct tp_time_trees *trees, struct tp_arena *arena);

/* Fills the sentences of the quality flags F1 to F11. */
void tp_fill_quality_texts(struct tp_quality *quality, struct tp_arena *arena);

/* Fills the headline of a program recorded from outside, the sentence below it, and the sentences of its findings. */
void tp_fill_program_texts(struct tp_program_view *program, struct tp_arena *arena);

/* Fills the headline of a verdict. program: its sentences must already be filled; used only for TP_HEADLINE_PROGRAM. */
void tp_fill_verdict_texts(struct tp_trace_verdict *verdict, const struct tp_program_view *program,
                           const struct tp_model *model, struct tp_arena *arena);

/* Fills the headline of the first screen and the sentences below it. The verdict and the findings must have their
 * sentences. */
void tp_fill_answer_texts(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena);

#endif
