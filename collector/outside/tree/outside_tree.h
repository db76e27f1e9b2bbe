/* Builds the processes and threads of a run, their states and samples, from records in the order of time. All memory is
 * in the arena, whose guard the caller sets; nothing is ever removed. Times are ns of CLOCK_MONOTONIC. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H
#define TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H

#include "collector/outside/code/code_maps.h"
#include "collector/outside/processes/proc_looks.h"
#include "collector/outside/stacks/whole_stacks.h"
#include "collector/outside/waits/looked_states.h"
#include "writer/base/buf.h"

/* One exec of a process. */
struct tp_outside_program {
    struct tp_str words; /* arguments, each with a NUL; absent: it exited too soon */
    struct tp_str path;  /* of its first code mapping; absent: none was seen */
    char name[16];
};

struct tp_outside_process {
    uint32_t pid;
    uint32_t parent; /* TP_NO_ID: the parent is not part of the run */
    int64_t begin_ns, end_ns;
    struct tp_outside_program *programs; /* oldest first; before its own first exec, the parent's last program */
    uint32_t program_count, exec_count;
    uint32_t living_count; /* number of living threads */
    uint32_t sample_count;
    int64_t running_ns;
    struct tp_code_maps maps;
    struct tp_proc_usage usage; /* resident_bytes: the peak */
    bool has_run;               /* ran since its memory and I/O were last read; the reader clears it */
    bool has_usage, has_status, is_over, is_out_of_sight;
    int status; /* of wait(2) */
};

struct tp_outside_thread {
    uint32_t tid, process;
    int64_t begin_ns, end_ns, since_ns;
    int64_t total_ns[TP_OUTSIDE_STATES]; /* their sum is end_ns - begin_ns */
    enum tp_outside_state state;
    uint32_t last_change; /* number of the last change */
    uint32_t stack;       /* stack from before the switch that it belongs to; 0: none */
    uint32_t event_stack; /* the kernel's stack, if another one was read during the wait */
    int64_t still_ns;     /* time at which that was read; 0: none */
    uint32_t begun_count; /* threads that it has started, up to a small limit */
    int apart;            /* a descriptor, or -1 */
    bool is_over, is_named;
    bool is_ours; /* belongs to the recorder; not shown */
    char name[16];
};

/* A change of a thread's state. The state lasts until the next change or the end of the thread. */
struct tp_outside_change {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; /* of a blocked thread, where it waits; 0 if unknown */
    enum tp_outside_state state;
    uint8_t call; /* of a blocked thread without a stack, number from proc_waits.h; 0 if unknown */
};

struct tp_outside_sample {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack : 31, is_cut : 1; /* is_cut: outer frames are missing */
};

/* Facts about a process or a thread that were read when its record arrived, before the record is processed. */
struct tp_outside_note {
    struct tp_str words;
    struct tp_proc_usage usage;
    bool has_usage;
    uint32_t python;  /* of a sample, node of the Python stack, or 0 */
    int64_t still_ns; /* of a switch, time at which its stack was read during the wait; 0 if the kernel recorded it */
    uint8_t wait;     /* of a switch to blocked, number from proc_waits.h; 0 if unknown */
};

struct tp_outside_tree {
    struct tp_arena *arena;
    struct tp_code_places places;
    struct tp_whole_stacks whole;
    struct tp_vec processes, threads, changes, samples;
    struct tp_id_map process_ids, thread_ids; /* the last one of each number */
    bool is_of_cpus;                          /* events belong to CPUs, not to threads */
    int64_t last_ns;
    uint64_t lost_count;
    int64_t running_ns;        /* sum over all threads of finished running states */
    uint32_t missed_words;     /* programs without arguments */
    uint32_t own_thread_count; /* threads of the recorder inside the program */
    uint64_t python_count;     /* samples with Python frames */
    uint64_t unaligned_count;  /* of these: the native frames are from another moment, or cut */
    uint64_t whole_wait_count; /* waits whose stack was read while they lasted */
};

void tp_outside_tree_init(struct tp_outside_tree *tree, struct tp_arena *arena);

/* Processes a record. is_switch: it is the stack of a switch. note: may be NULL. Returns the process that exited, or
 * TP_NO_ID. */
uint32_t tp_outside_tree_take(struct tp_outside_tree *tree, const struct tp_perf_record *record, bool is_switch,
                              const struct tp_outside_note *note);

/* Sets the arguments of the first program of a process, if they are unknown. argv ends with NULL. */
void tp_outside_tree_set_words(struct tp_outside_tree *tree, uint32_t process, char *const *argv);

/* Returns the ns that threads have run until now. Includes threads that still run, because some are never switched
 * out. */
int64_t tp_outside_tree_running(const struct tp_outside_tree *tree, int64_t now_ns);

/* Ends the recording and everything that still runs. */
void tp_outside_tree_end(struct tp_outside_tree *tree, int64_t end_ns);

/* Adds the first few processes that still run, each as "NAME (PID)", to names. Returns how many run. */
size_t tp_outside_tree_living(const struct tp_outside_tree *tree, struct tp_buf *names);

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

/* Reads the system calls of threads that have waited without a stack since the tree was last brought up to date. Each
 * wait is read once. Reads at most `most`, starting at *next_thread, which advances. text: a buffer for the file. */
void tp_outside_tree_ask_waits(struct tp_outside_tree *tree, uint32_t *next_thread, uint32_t most, struct tp_buf *text);

#endif
