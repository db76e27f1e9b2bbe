/* Stacks of programs in words: the innermost functions, joined by arrows, and the place where its user finds it. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STACKS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_STACKS_H

#include "webreport/measure/program/program_functions.h"

struct tp_program_stack_words {
    uint32_t text; /* id in the texts given: "usleep <- nap <- main", with arrows of the page; may be empty */
    struct tp_program_place place;
    bool is_known;
};

struct tp_program_stacks {
    struct tp_program_functions *functions;
    struct tp_strings *texts;
    struct tp_vec text;              /* char */
    struct tp_program_stack_words *of_stack; /* by id in stack_texts, the last for none */
    uint32_t none;
};

/* Makes none, in `arena` (guard set by the caller, here and below). functions and texts get what stacks name; they and
 * the trace must outlive it. */
void tp_program_stacks_init(struct tp_program_stacks *stacks, const struct tp_trace *trace,
                            struct tp_program_functions *functions, struct tp_strings *texts, struct tp_arena *arena);

/* stack: id in stack_texts, or TP_NO_ID. Valid as long as the stacks. */
const struct tp_program_stack_words *tp_program_stacks_of(struct tp_program_stacks *stacks, uint32_t stack);

#endif
