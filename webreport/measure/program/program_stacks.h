/* Texts of a program's stacks: the innermost functions, joined by arrows, and the most useful place for the user. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STACKS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STACKS_H

#include "webreport/measure/program/program_functions.h"

struct tp_program_stack_words {
    /* id in the caller's texts; the text is "" or like "usleep <- nap <- main", with a typographic arrow */
    uint32_t text;
    struct tp_program_place place;
    bool is_known;
};

struct tp_program_stacks {
    struct tp_program_functions *functions;
    struct tp_strings *texts;
    struct tp_vec text; /* elements: char, the text that is being written */
    /* for each id in stack_texts, the text and place of the stack; the last element is for TP_NO_ID (no stack) */
    struct tp_program_stack_words *texts_by_stack;
    uint32_t none;
};

/* Makes an empty set of stack texts in `arena` (guard set by the caller, also for later calls). Later calls add
 * elements to `functions` and `texts`. Both and the trace must outlive the set. */
void tp_program_stacks_init(struct tp_program_stacks *stacks, const struct tp_trace *trace,
                            struct tp_program_functions *functions, struct tp_strings *texts, struct tp_arena *arena);

/* Returns the text and the place of a stack. The result is valid as long as the set of stack texts. stack: id in
 * stack_texts, or TP_NO_ID. */
const struct tp_program_stack_words *tp_program_stacks_of(struct tp_program_stacks *stacks, uint32_t stack);

#endif
