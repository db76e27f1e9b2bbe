/* The Python function in which a program spends most processor time, including the native code that it calls: the
 * innermost function is mostly part of the interpreter. For program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H

#include "webreport/measure/program/program_functions.h"

/* Functions are numbers; times are sums of weights of samples. */
struct tp_program_python {
    uint32_t function; /* TP_NO_ID: less than half of the processor time is in stacks with Python */
    int32_t line;      /* line of the function with most of its time */
    int64_t time_ns;   /* time of samples whose place is the function */
    uint64_t sample_count;
    uint32_t inner; /* function that most of these samples have as innermost, other than the function itself;
                     * TP_NO_ID: none */
    int64_t inner_ns;
};

/* Finds the function. Requires functions that were added up; cpu_ns: processor time of all threads. In `arena` (guard
 * set by the caller). */
void tp_program_python_build(struct tp_program_python *python, struct tp_program_functions *functions,
                             const struct tp_process_tree *tree, int64_t cpu_ns, struct tp_arena *arena);

/* Returns "work (a.py:12)". In the arena; python->function must not be TP_NO_ID. */
const char *tp_program_python_words(const struct tp_program_python *python,
                                    const struct tp_program_functions *functions, struct tp_arena *arena);

#endif
