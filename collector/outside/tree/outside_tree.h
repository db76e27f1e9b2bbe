/* Builds the processes and threads of a run, their states and samples, from records in the order of time. All memory is
 * in the arena, whose guard the caller sets. Nothing is ever removed. Times are ns of CLOCK_MONOTONIC. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H
#define TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H

#include "collector/outside/code/code_maps.h"
#include "collector/outside/processes/proc_files.h"
#include "collector/outside/stacks/complete_stacks.h"
#include "collector/outside/waits/polled_states.h"
#include "writer/base/buf.h"

/* One exec of a process. */
struct tp_outside_program {
    struct tp_str words; /* arguments of the program, each followed by a NUL; absent: the process exited too soon */
    struct tp_str path;  /* path of the program's first code mapping; absent: no mapping was recorded */
    char name[16];
};

struct tp_outside_process {
    uint32_t pid;
    uint32_t parent; /* number of the parent process; TP_NO_ID: the parent is not part of the run */
    int64_t begin_ns, end_ns;
    struct tp_outside_program *programs; /* programs of the process, oldest first; before the process's own first exec,
                                          * the parent's last program */
    uint32_t program_count, exec_count;
    uint32_t living_count; /* number of living threads */
    uint32_t sample_count;
    int64_t running_ns;
    struct tp_code_maps maps;
    struct tp_proc_usage usage; /* memory and I/O; resident_bytes is the peak */
    bool has_run; /* true if the process ran since its memory and I/O were last read; the reader clears it */
    bool has_usage, has_status, is_over, is_out_of_sight;
    int status; /* exit status, as of wait(2) */
};

struct tp_outside_thread {
    uint32_t tid, process;
    int64_t begin_ns, end_ns, since_ns;
    int64_t total_ns[TP_STATE_COUNT]; /* total time in each state, ns; the sum is end_ns - begin_ns */
    enum tp_thread_state state;
    uint32_t last_change;           /* index of the thread's last state change in `changes` */
    uint32_t stack;                 /* stack that was recorded for the next context switch; 0: none */
    uint32_t kernel_recorded_stack; /* stack of the last wait that the kernel recorded, if a complete stack replaced
                                     * it */
    int64_t wait_read_ns;           /* time at which the complete stack was read, ns; 0: none was read */
    uint32_t started_thread_count;  /* count of threads that this thread has started, up to a small limit */
    int apart;                      /* descriptor of the thread's own event, which is not inherited; -1: none */
    bool is_over, is_named;
    bool is_ours; /* true if the thread belongs to the recorder; traces do not show it */
    char name[16];
};

/* A change of a thread's state. The state lasts until the next change or the end of the thread. */
struct tp_outside_change {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; /* node of the stack in which a blocked thread waits; 0: unknown, or the thread is not blocked */
    enum tp_thread_state state;
    uint8_t call; /* number of the cause from proc_waits.h, for a blocked thread without a stack; 0: unknown */
};

struct tp_outside_sample {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack : 31, is_cut : 1; /* stack: node of the stack; is_cut: 1 if outer frames of the stack are missing */
};

/* Data about a process or thread, read when a record arrives and used when this record is processed. */
struct tp_outside_note {
    struct tp_str words;
    struct tp_proc_usage usage;
    bool has_usage;
    uint32_t python;      /* node of the Python stack of a sample; 0: none */
    int64_t wait_read_ns; /* time at which the stack of a context switch was read during the wait, ns; 0: the kernel
                           * recorded the stack */
    uint8_t wait;         /* number of the cause from proc_waits.h, for a context switch of a thread that blocks; 0:
                           * unknown */
};

struct tp_outside_tree {
    struct tp_arena *arena;
    struct tp_code_places places;
    struct tp_complete_stacks whole;
    struct tp_vec processes, threads, changes, samples;
    struct tp_id_map process_ids, thread_ids; /* key: process id or thread id in the system; value: number of the last
                                               * process or thread with this id */
    bool has_events_of_cpus;                  /* true if each event covers a CPU, false if each event covers a thread */
    int64_t last_ns;
    uint64_t lost_count;
    int64_t running_ns;              /* duration of all finished running states of all threads, ns */
    uint32_t missed_arguments;       /* count of programs whose arguments are unknown */
    uint32_t recorder_thread_count;  /* count of the recorder's threads inside the program */
    uint64_t python_count;           /* count of samples with Python frames */
    uint64_t unaligned_sample_count; /* count of samples in python_count whose native frames are from another moment or
                                      * incomplete */
    uint64_t complete_wait_count;    /* count of waits whose stack was read during the wait */
};

void tp_outside_tree_init(struct tp_outside_tree *tree, struct tp_arena *arena);

/* Processes a record. is_switch: the record is the stack at a context switch. note: data read with the record; may be
 * NULL. Returns the number of the process that exited, or TP_NO_ID. */
uint32_t tp_outside_tree_handle_record(struct tp_outside_tree *tree, const struct tp_perf_record *record,
                                       bool is_switch, const struct tp_outside_note *note);

/* Sets the arguments of the first program of a process, if they are unknown. argv ends with NULL. */
void tp_outside_tree_set_arguments(struct tp_outside_tree *tree, uint32_t process, char *const *argv);

/* Returns the total running time of all threads until now, in ns. Includes threads that are still running, because some
 * are never switched out. */
int64_t tp_outside_tree_running_ns(const struct tp_outside_tree *tree, int64_t now_ns);

/* Ends the recording, and ends all processes and threads in the tree that still run. */
void tp_outside_tree_end(struct tp_outside_tree *tree, int64_t end_ns);

/* Adds the first few processes that still run, each as "NAME (PID)", to `names`. Returns the number of all running
 * processes. */
size_t tp_outside_tree_list_running(const struct tp_outside_tree *tree, struct tp_buf *names);

/* Closes descriptors and files, also after the arena was released. */
void tp_outside_tree_release(struct tp_outside_tree *tree);

static inline struct tp_outside_process *tp_outside_process_at(const struct tp_outside_tree *tree, uint32_t number)
{
    return TP_AT(&tree->processes, struct tp_outside_process, number);
}

static inline struct tp_outside_thread *tp_outside_thread_at(const struct tp_outside_tree *tree, uint32_t number)
{
    return TP_AT(&tree->threads, struct tp_outside_thread, number);
}

/* Reads the system calls of threads that have waited without a stack since the tree last processed records. Each wait
 * is read once. Reads at most `most` waits, starting with thread *next_thread, which advances. text: scratch buffer. */
void tp_outside_tree_read_waits(struct tp_outside_tree *tree, uint32_t *next_thread, uint32_t most,
                                struct tp_buf *text);

#endif
