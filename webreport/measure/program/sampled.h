/* The samples of a trace in the form that files of other tools need: whole stacks, the time that each sample
 * represents, and its process and thread, each with a unique name.
 * For a program recorded from outside everything comes from its view: functions and lines, and weights that add up to
 * the processor time of each process. In other traces the samples have their own processor time, and rows are threads.
 * Everything is in the arena given, or borrowed from the trace. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H
#define TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H

#include "webreport/measure/program/program_view.h"

struct tp_sampled_process {
    struct tp_str name; /* its command; equal ones get a number: "sort #2" */
    int64_t pid;        /* -1: not a number */
    int64_t begin_ns, end_ns;
};

struct tp_sampled_thread {
    uint32_t process;   /* index in processes */
    struct tp_str name; /* equal names in a process get a number: "worker #2" */
    int64_t tid;        /* -1: not a number */
    int64_t begin_ns, end_ns;
};

struct tp_sampled {
    const struct tp_trace *trace;
    struct tp_program_view view;           /* is_present: the trace has states of threads */
    struct tp_program_functions functions; /* all stacks of samples are known */
    struct tp_sampled_process *processes;  /* with states: the processes of the tree, in its order */
    struct tp_sampled_thread *threads;     /* by process */
    uint32_t process_count, thread_count;
    uint32_t *thread_of_sample; /* index in threads, by sample of the trace */
    uint32_t *thread_of_tree;   /* index in threads, by thread of the tree; NULL without states */
};

/* The time that all threads cover. */
struct tp_sampled_span {
    int64_t begin_ns, end_ns; /* equal: there are no threads */
    int64_t mean_ns;          /* mean time that a sample represents; 0 without samples */
};

struct tp_sampled_span tp_sampled_span(const struct tp_sampled *sampled);

void tp_sampled_build(struct tp_sampled *sampled, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts the samples by thread and time: the samples of thread t are *order from index first[t] up to first[t + 1].
 * Returns `first`. In `arena`. */
uint32_t *tp_sampled_by_thread(const struct tp_sampled *sampled, uint32_t **order, struct tp_arena *arena);

/* Returns the processor time in nanoseconds that a sample represents. */
static inline int64_t tp_sampled_ns(const struct tp_sampled *sampled, uint32_t sample)
{
    return sampled->view.is_present ? sampled->view.tree.weight_of_sample[sample]
                                    : sampled->trace->samples[sample].cpu_ns;
}

/* Fills functions.path and functions.frames for a stack: id in stack_texts, or TP_NO_ID. */
static inline void tp_sampled_stack(struct tp_sampled *sampled, uint32_t stack)
{
    tp_program_functions_of(&sampled->functions, stack);
}

/* Returns the line of the frame at index k of functions.frames; 0: unknown. */
static inline int32_t tp_sampled_line(const struct tp_sampled *sampled, size_t k)
{
    return sampled->functions.line_of_frame[*TP_AT(&sampled->functions.frames, uint32_t, k)];
}

#endif
