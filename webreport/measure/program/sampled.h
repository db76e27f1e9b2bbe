/* The samples of a trace as files of other tools have them: whole stacks, what each sample stands for, and the
 * processes and threads that they are of, each under a name of its own.
 * Of a program recorded from outside everything is that of its view: functions and lines, and weights that add up to
 * the processor time of each process. Other traces have their samples' own processor time, and their rows as threads.
 * Everything lives in the arena given, or borrows from the trace. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H
#define TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H

#include "webreport/measure/program/program_view.h"

struct tp_sampled_process {
    struct tp_str name; /* its command; those that are equal: "sort #2" */
    int64_t pid;        /* -1: no number */
    int64_t begin_ns, end_ns;
};

struct tp_sampled_thread {
    uint32_t process;   /* index in processes */
    struct tp_str name; /* equal ones of a process: "worker #2" */
    int64_t tid;        /* -1: no number */
    int64_t begin_ns, end_ns;
};

struct tp_sampled {
    const struct tp_trace *trace;
    struct tp_program_view view;           /* is_present: the trace has states of threads */
    struct tp_program_functions functions; /* all stacks of samples are known */
    struct tp_sampled_process *processes;  /* with states: those of the tree, in its order */
    struct tp_sampled_thread *threads;     /* by process */
    uint32_t process_count, thread_count;
    uint32_t *thread_of_sample; /* by sample of the trace */
    uint32_t *thread_of_tree;   /* by thread of the tree; NULL without states */
};

/* All of it. */
struct tp_sampled_span {
    int64_t begin_ns, end_ns; /* equal: nothing is in it */
    int64_t mean_ns;          /* that a sample stands for; 0 without samples */
};

struct tp_sampled_span tp_sampled_span(const struct tp_sampled *sampled);

void tp_sampled_build(struct tp_sampled *sampled, const struct tp_trace *trace, struct tp_arena *arena);

/* The samples of each thread, in order of time: those of thread t are *order from place first[t] up to first[t + 1].
 * Returns `first`. In `arena`. */
uint32_t *tp_sampled_by_thread(const struct tp_sampled *sampled, uint32_t **order, struct tp_arena *arena);

/* Nanoseconds of processor time that a sample stands for. */
static inline int64_t tp_sampled_ns(const struct tp_sampled *sampled, uint32_t sample)
{
    return sampled->view.is_present ? sampled->view.tree.weight_of_sample[sample] : sampled->trace->samples[sample].cpu_ns;
}

/* Fills functions.path and functions.frames of a stack: id in stack_texts, or TP_NO_ID. */
static inline void tp_sampled_stack(struct tp_sampled *sampled, uint32_t stack)
{
    tp_program_functions_of(&sampled->functions, stack);
}

/* The line of the frame at place k of functions.frames; 0: not known. */
static inline int32_t tp_sampled_line(const struct tp_sampled *sampled, size_t k)
{
    return sampled->functions.line_of_frame[*TP_AT(&sampled->functions.frames, uint32_t, k)];
}

#endif
