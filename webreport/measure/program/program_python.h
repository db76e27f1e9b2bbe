/* The Python function in which a program spends the most processor time, including native code that the function
 * calls. The page shows this function because the innermost function of a sample is mostly part of the interpreter.
 * Used by program_view_build.c. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PYTHON_H

#include "webreport/measure/program/program_functions.h"

/* Functions are numbers in tp_program_functions. Times are sums of the weights of samples, ns. */
struct tp_program_python {
    uint32_t function; /* number of the function; TP_NO_ID if less than half of the processor time is in stacks with
                          Python */
    int32_t line;      /* line with most of the function's time */
    int64_t time_ns;   /* time of the samples for which tp_program_functions_place returns `function`, ns */
    uint64_t sample_count;
    uint32_t inner; /* most frequent innermost function of the samples in time_ns, except `function` itself; TP_NO_ID:
                       none */
    int64_t inner_ns;
};

/* Finds the Python function with the most processor time. tp_program_functions_sum_times must have been called before.
 * cpu_ns: processor time of all threads. Memory comes from `arena` (guard set by the caller). */
void tp_program_python_build(struct tp_program_python *python, struct tp_program_functions *functions,
                             const struct tp_process_tree *tree, int64_t cpu_ns, struct tp_arena *arena);

#endif
