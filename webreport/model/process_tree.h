/* The processes and threads of a recording from outside: the parent of each process, and the state of each thread over
 * time (docs/definitions.md section 23).
 *
 * A thread has one state at a time. If intervals of the file overlap, the earlier interval keeps its whole length and
 * the later one is cut at its end. A wait without an observed cause has no cause, even if the file has an estimate.
 * Only a wait that ends when a child exits counts as a wait for the child (tree_waits.h). A process is its pid from its
 * begin to the next process with the same pid. Its parent is the process with the parent's pid that began last before
 * it, so no process is its own ancestor.
 *
 * Everything is in the given arena or borrowed from the trace, and read-only afterwards. */
#ifndef TP_WEBREPORT_MODEL_PROCESS_TREE_H
#define TP_WEBREPORT_MODEL_PROCESS_TREE_H

#include "webreport/trace/trace.h"

/* Cause of a wait. If several threads wait and none runs or is ready, the first of their causes in this order counts
 * for the tree. */
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
    TP_WAIT_RECORDING, /* a lock of the recorder */
    TP_WAIT_UNKNOWN,
    TP_WAIT_COUNT
};

/* A time slice in which a thread has one state. Slices are not empty. */
struct tp_thread_slice {
    int64_t begin_ns, end_ns;
    uint32_t stack;    /* waits only: id in stack_texts; TP_NO_ID if unknown */
    uint8_t state;     /* enum tp_thread_state */
    uint8_t cause;     /* waits only: enum tp_wait_cause */
    bool is_estimated; /* true if the recorder did not observe the cause and wrote an estimate */
};

/* A thread. If the kernel reused the thread id, each process has its own entry. */
struct tp_tree_thread {
    uint32_t row;          /* index in the trace's threads */
    uint32_t process;      /* index in processes */
    uint32_t first, count; /* range of its slices, which are sorted by time and disjoint */
    int64_t begin_ns, end_ns;
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t wake_up_count; /* number of waits that ended within the recording */
};

struct tp_tree_process {
    /* the process in the file; NULL if only threads or samples of the process were recorded */
    const struct tp_recorded_process *seen;
    int64_t pid; /* -1 if the pid is not a number */
    int64_t begin_ns, end_ns;
    uint32_t parent, depth; /* parent: index in processes; TP_NO_ID if the parent was not recorded */
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t thread_count, sample_count, child_count;
    int64_t peak_bytes; /* peak memory, bytes; TP_NULL_INT if not measured */
};

struct tp_process_tree {
    bool is_present; /* true if the trace has states of threads */
    const struct tp_trace *trace;
    struct tp_tree_process *processes; /* sorted so that parents come before children, and children by begin */
    struct tp_tree_thread *threads;    /* sorted by process, then by begin */
    struct tp_thread_slice *slices;
    uint32_t *by_pid; /* indexes of processes, sorted by (pid, begin) */
    uint32_t process_count, thread_count, slice_count;
    uint32_t *process_of_sample; /* by sample of the trace: index of its process */
    /* by sample: its share of the running time of its process, ns; the sum of the shares is exact */
    int64_t *weight_of_sample;
    int64_t begin_ns, end_ns; /* first begin and last end of all threads, ns */
    uint64_t overlap_count;   /* number of intervals of the file that overlap an earlier interval */
};

/* Returns the index in by_pid of the last process with this pid that began at or before `at_ns`. Otherwise returns the
 * index of the first process with this pid, or TP_NO_ID. */
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

/* Returns the pid of a row of the trace, or -1 if the pid is not a number. */
static inline int64_t tp_pid_of_row(const struct tp_trace *trace, uint32_t row)
{
    const struct tp_row_id *pid = &trace->threads[row].pid;
    return pid->is_text ? -1 : pid->number;
}

/* Returns the process that had the row's pid at `at_ns`, or TP_NO_ID. */
static inline uint32_t tp_process_of_row(const struct tp_process_tree *tree, uint32_t row, int64_t at_ns)
{
    uint32_t place = tp_process_index_at(tree, tp_pid_of_row(tree->trace, row), at_ns);
    return place == TP_NO_ID ? TP_NO_ID : tree->by_pid[place];
}

#endif
