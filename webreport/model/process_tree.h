/* The processes and threads of a recording from outside: the parent of each process, and the state of each thread over
 * time.
 * A thread has one state at a time: if intervals of the file overlap, the earlier one keeps its whole length and the
 * other is cut at its end. A wait without an observed cause has no cause, even if the file has an estimate; only a wait
 * that ends when a child exits counts as a wait for the child (tree_waits.h). A process is its pid from its begin to
 * the next process with the same pid. Its parent is the process with the parent's pid that began last before it, so no
 * process is its own ancestor. docs/definitions.md section 23.
 * Everything lives in the arena given or borrows from the trace; read-only afterwards. */
#ifndef TP_WEBREPORT_MODEL_PROCESS_TREE_H
#define TP_WEBREPORT_MODEL_PROCESS_TREE_H

#include "webreport/trace/trace.h"

/* Cause of a wait. If several threads wait and none runs or is ready, the first cause in this order counts for the
 * tree. */
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
    TP_WAIT_RECORDING, /* lock of the recorder */
    TP_WAIT_UNKNOWN,
    TP_WAIT_COUNT
};

/* A time in one state; not empty. */
struct tp_thread_piece {
    int64_t begin_ns, end_ns;
    uint32_t stack;    /* of a wait: id in stack_texts; TP_NO_ID */
    uint8_t state;     /* enum tp_thread_state */
    uint8_t cause;     /* of a wait: enum tp_wait_cause */
    bool is_estimated; /* the recorder did not observe the cause and wrote an estimate */
};

/* A thread; if the kernel reused its number, one entry for each process. */
struct tp_tree_thread {
    uint32_t row;          /* index in the trace's threads */
    uint32_t process;      /* index in processes */
    uint32_t first, count; /* its pieces: sorted by time, disjoint */
    int64_t begin_ns, end_ns;
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t wake_up_count; /* waits that ended within the recording */
};

struct tp_tree_process {
    const struct tp_seen_process *seen; /* NULL if only threads or samples of the process were recorded */
    int64_t pid;                        /* -1 if it is not a number */
    int64_t begin_ns, end_ns;
    uint32_t parent, depth; /* parent: index in processes, or TP_NO_ID if it was not recorded */
    int64_t state_ns[TP_STATE_COUNT];
    uint64_t thread_count, sample_count, child_count;
    int64_t peak_bytes; /* TP_NULL_INT if it was not measured */
};

struct tp_process_tree {
    bool is_present; /* the trace has states of threads */
    const struct tp_trace *trace;
    struct tp_tree_process *processes; /* parents before children, children by begin */
    struct tp_tree_thread *threads;    /* by process, then by begin */
    struct tp_thread_piece *pieces;
    uint32_t *by_pid;                  /* processes by pid, begin */
    uint32_t process_count, thread_count, piece_count;
    uint32_t *process_of_sample; /* by sample of the trace */
    int64_t *weight_of_sample;   /* running time of the process, divided among its samples; their sum is exact, ns */
    int64_t begin_ns, end_ns;    /* of all threads */
    uint64_t overlap_count;      /* intervals of the file that overlap an earlier one */
};

/* Returns the place in by_pid of the last process with that pid that began at or before `at_ns`, else of the first one
 * with that pid, or TP_NO_ID. */
static inline uint32_t tp_process_place(const struct tp_process_tree *tree, int64_t pid, int64_t at_ns)
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

/* Returns the pid of a row of the trace, or -1 if it is not a number. */
static inline int64_t tp_pid_of_row(const struct tp_trace *trace, uint32_t row)
{
    const struct tp_row_id *pid = &trace->threads[row].pid;
    return pid->is_text ? -1 : pid->number;
}

/* Returns the process that had the row's pid at that time, or TP_NO_ID. */
static inline uint32_t tp_process_of_row(const struct tp_process_tree *tree, uint32_t row, int64_t at_ns)
{
    uint32_t place = tp_process_place(tree, tp_pid_of_row(tree->trace, row), at_ns);
    return place == TP_NO_ID ? TP_NO_ID : tree->by_pid[place];
}

#endif
