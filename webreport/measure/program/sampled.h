/* Prepares the samples of a trace for file formats of other tools: whole stacks, the time that each sample represents,
 * and the process and thread of each sample, with unique names.
 *
 * For a program recorded from outside, functions, lines and weights come from the program view, and the weights add
 * up to the processor time of each process. In other traces, each sample has its own processor time, and each row of
 * the trace is a thread. All memory is in the given arena or borrowed from the trace. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H
#define TP_WEBREPORT_MEASURE_PROGRAM_SAMPLED_H

#include "webreport/measure/program/program_view.h"

struct tp_sampled_process {
    struct tp_str name; /* command of the process; equal names get a number, such as "sort #2" */
    int64_t pid;        /* process id; -1 if the trace has none */
    int64_t begin_ns, end_ns;
};

struct tp_sampled_thread {
    uint32_t process;   /* index of the thread's process in `processes` */
    struct tp_str name; /* name of the thread; equal names in a process get a number, such as "worker #2" */
    int64_t tid;        /* thread id; -1 if the trace has none */
    int64_t begin_ns, end_ns;
};

struct tp_sampled {
    const struct tp_trace *trace;
    struct tp_program_view view; /* view of the program; is_present is true if the trace has states of threads */
    struct tp_program_functions functions; /* functions of all samples */
    /* processes in the order of the process tree; without states of threads, processes of the samples */
    struct tp_sampled_process *processes;
    struct tp_sampled_thread *threads; /* threads, sorted by process */
    uint32_t process_count, thread_count;
    uint32_t *thread_by_sample; /* for each sample of the trace: index in `threads` */
    uint32_t
        *thread_by_tree_thread; /* for each thread of the tree: index in `threads`; NULL without states of threads */
};

/* Time range of the threads, and mean time per sample. */
struct tp_sampled_span {
    int64_t begin_ns, end_ns; /* first start and last exit of a thread, ns; equal if there are no threads */
    int64_t mean_ns;          /* mean time that a sample represents, ns; 0 without samples */
};

struct tp_sampled_span tp_sampled_span(const struct tp_sampled *sampled);

void tp_sampled_build(struct tp_sampled *sampled, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts the samples by thread and time, in `arena`. Returns `first`: the samples of thread t are (*order)[first[t]]
 * to (*order)[first[t + 1] - 1]. */
uint32_t *tp_sampled_sort_by_thread(const struct tp_sampled *sampled, uint32_t **order, struct tp_arena *arena);

/* Returns the processor time in nanoseconds that a sample represents. */
static inline int64_t tp_sampled_time_of_sample(const struct tp_sampled *sampled, uint32_t sample)
{
    return sampled->view.is_present
               ? sampled->view.tree.weight_of_sample_ns[sample]
               : tp_input_sample_weight(&sampled->trace->input, sampled->trace->samples[sample].cpu_ns);
}

/* Fills functions.path and functions.frames from a stack. stack: id in stack_texts, or TP_NO_ID. */
static inline void tp_sampled_read_stack(struct tp_sampled *sampled, uint32_t stack)
{
    tp_program_functions_of_stack(&sampled->functions, stack);
}

/* Returns the line of the frame with index k in functions.frames; 0 if unknown. */
static inline int32_t tp_sampled_line_of_frame(const struct tp_sampled *sampled, size_t k)
{
    return sampled->functions.line_by_frame[*TP_AT(&sampled->functions.frames, uint32_t, k)];
}

#endif
