/* The function of Python that most of a program's processor time is spent in, native code that it calls included: what
 * runs there innermost is mostly the interpreter's own. For program_view.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H

#include "webreport/measure/program/program_functions.h"

/* Numbers of functions; times are parts of the weights of samples. */
struct tp_program_python {
    uint32_t function; /* TP_NO_ID: less than half of the processor time is in stacks with Python */
    int32_t line;      /* of its frames, the one with most of its time */
    int64_t time_ns;   /* of samples whose place it is */
    uint64_t sample_count;
    uint32_t inner;   /* the native function or another one that most of these have innermost; TP_NO_ID: itself */
    int64_t inner_ns;
};

/* After the functions were added up; cpu_ns: the processor time of all. In `arena` (guard set by the caller). */
void tp_program_python_build(struct tp_program_python *python, struct tp_program_functions *functions,
                             const struct tp_process_tree *tree, int64_t cpu_ns, struct tp_arena *arena);

/* "work (a.py:12)". In the arena; function is none of TP_NO_ID. */
const char *tp_program_python_words(const struct tp_program_python *python, const struct tp_program_functions *functions,
                                    struct tp_arena *arena);

#endif
