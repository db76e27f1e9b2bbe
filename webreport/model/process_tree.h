/* Defines the processes and threads of a trace of `record --outside`: the parent of each process, and the states of
 * each thread over time (docs/definitions.md, section 23).
 *
 * A thread has one state at a time. If intervals in the file overlap, the earlier interval keeps its whole length, and
 * the later interval starts at the end of the earlier interval. A wait has a cause only if the recorder observed this
 * cause; an estimate in the file is not a cause. A wait is a wait for a child only if it ends when the child exits
 * (tree_waits.h).
 *
 * A process lasts from its start to the start of the next process with the same pid. Its parent is the last process
 * with the parent's pid that started before it, so no process is its own ancestor. All memory is in the given arena or
 * belongs to the trace, and does not change afterwards. */
#ifndef TP_WEBREPORT_MODEL_PROCESS_TREE_H
#define TP_WEBREPORT_MODEL_PROCESS_TREE_H

#include "webreport/trace/trace.h"

/* Causes of a wait. If several threads wait while no thread runs or is ready, the first of their causes in this order
 * is the cause for the tree. */
enum tp_wait_cause {
    TP_WAIT_DISK,
    TP_WAIT_PAGE_FAULT,
    TP_WAIT_SOCKET,
    TP_WAIT_TERMINAL,
    TP_WAIT_SLEEP,
    TP_WAIT_LOCK,
    TP_WAIT_KERNEL_LOCK,
    TP_WAIT_FILE,
    TP_WAIT_PIPE,
    TP_WAIT_POLL,
    TP_WAIT_SIGNAL,
    TP_WAIT_STOPPED,
    TP_WAIT_CHILD,
    TP_WAIT_EXIT,
    TP_WAIT_RECORDING, /* the wait is for a lock of the recorder */
    TP_WAIT_UNKNOWN,
    TP_WAIT_COUNT
};

/* A part of the time of a thread with one state. Slices are not empty. */
struct tp_thread_slice {
    int64_t begin_ns, end_ns;
    uint32_t stack;    /* stack of a wait, id in stack_texts; TP_NO_ID if unknown or not a wait */
    uint8_t state;     /* enum tp_thread_state */
    uint8_t cause;     /* cause of a wait, enum tp_wait_cause; TP_WAIT_UNKNOWN for other states */
    bool is_estimated; /* true if the recorder estimated the cause instead of observing it */
};

/* A thread of a process. If the kernel reused a thread id, the id has one entry for each process. */
struct tp_tree_thread {
    uint32_t row;     /* the thread, index in the trace's threads */
    uint32_t process; /* process of the thread, index in processes */
    /* slices of the thread, sorted and disjoint. first: index in `slices` of the first slice; count: number of
     * slices */
    uint32_t first, count;
    int64_t begin_ns, end_ns;
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t wake_up_count; /* number of waits that ended during the recording */
};

struct tp_tree_process {
    /* record of the process in the file; NULL if only states or samples of the process were recorded */
    const struct tp_recorded_process *seen;
    int64_t pid; /* pid of the process; -1 if the pid is not a number */
    int64_t begin_ns, end_ns;
    uint32_t parent, depth; /* parent: index in processes, TP_NO_ID if not recorded; depth: number of ancestors */
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t thread_count, sample_count, child_count;
    int64_t peak_bytes; /* peak of resident memory, bytes; TP_NULL_INT if not measured */
};

struct tp_process_tree {
    bool is_present; /* true if the trace has states of threads */
    const struct tp_trace *trace;
    struct tp_tree_process *processes; /* processes; parents come before children, siblings are sorted by start */
    struct tp_tree_thread *threads;    /* threads sorted by process, then by start */
    struct tp_thread_slice *slices;
    uint32_t *by_pid; /* indexes of processes, sorted by (pid, start) */
    uint32_t process_count, thread_count, slice_count;
    uint32_t *process_of_sample; /* for each sample of the trace: its process, index in processes */
    /* for each sample of the trace: its share of the running time of its process, ns; the shares add up exactly */
    int64_t *weight_of_sample_ns;
    int64_t begin_ns, end_ns; /* begin_ns: first start of all threads, ns; end_ns: last end of all threads, ns */
    uint64_t overlapping_state_count; /* number of intervals in the file that overlap an earlier interval */
};

/* Returns the index in by_pid of the last process with this pid that started at or before the time at_ns. Without
 * such a process, returns the index of the first process with this pid, or TP_NO_ID. */
static inline uint32_t tp_process_index_at(const struct tp_process_tree *tree, int64_t pid, int64_t at_ns)
{
    uint32_t low = 0, high = tree->process_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tp_tree_process *p = &tree->processes[tree->by_pid[middle]];
        if (p->pid < pid || (p->pid == pid && p->begin_ns <= at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    if (low && tree->processes[tree->by_pid[low - 1]].pid == pid)
        return low - 1;
    return low < tree->process_count && tree->processes[tree->by_pid[low]].pid == pid ? low : TP_NO_ID;
}

/* Returns the pid of a thread of the trace; -1 if the pid is not a number. row: index in the trace's threads. */
static inline int64_t tp_row_pid(const struct tp_trace *trace, uint32_t row)
{
    const struct tp_row_id *pid = &trace->threads[row].pid;
    return pid->is_text ? -1 : pid->number;
}

/* Returns the process that had the pid of a thread at the time at_ns; TP_NO_ID: no such process. row: index in the
 * trace's threads. */
static inline uint32_t tp_process_of_row_at(const struct tp_process_tree *tree, uint32_t row, int64_t at_ns)
{
    uint32_t place = tp_process_index_at(tree, tp_row_pid(tree->trace, row), at_ns);
    return place == TP_NO_ID ? TP_NO_ID : tree->by_pid[place];
}

#endif
