/* What happened, record after record in the order of time: processes and threads of a run, the states of each thread
 * cut from the same records, samples. Everything is the arena's, whose guard the caller sets; nothing is ever taken
 * out. Times are nanoseconds of CLOCK_MONOTONIC. */
#ifndef TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H
#define TP_COLLECTOR_OUTSIDE_TREE_OUTSIDE_TREE_H

#include "collector/outside/code/code_maps.h"
#include "collector/outside/processes/proc_looks.h"
#include "collector/outside/stacks/whole_stacks.h"
#include "collector/outside/waits/looked_states.h"
#include "writer/base/buf.h"

/* One exec of a process. */
struct tp_outside_program {
    struct tp_str words; /* each with a NUL behind it; absent: it was over too soon */
    struct tp_str path;  /* of the first code that it mapped; absent: none was seen */
    char name[16];
};

struct tp_outside_process {
    uint32_t pid;
    uint32_t parent; /* TP_NO_ID: who began it is not of the run */
    int64_t begin_ns, end_ns;
    struct tp_outside_program *programs; /* oldest first; the parent's last one before the first exec of its own */
    uint32_t program_count, exec_count;
    uint32_t living_count; /* threads */
    uint32_t sample_count;
    int64_t running_ns;
    struct tp_code_maps maps;
    struct tp_proc_usage usage; /* resident_bytes: the peak */
    bool has_run;               /* since its memory and I/O were asked for, by whoever clears it */
    bool has_usage, has_status, is_over, is_out_of_sight;
    int status; /* as wait(2) has it */
};

struct tp_outside_thread {
    uint32_t tid, process;
    int64_t begin_ns, end_ns, since_ns;
    int64_t total_ns[TP_OUTSIDE_STATES]; /* together end_ns - begin_ns */
    enum tp_outside_state state;
    uint32_t last_change; /* number of it */
    uint32_t stack;       /* told before the switch that it belongs to; 0: none */
    uint32_t event_stack; /* by the kernel, where another one was read while it waited */
    int64_t still_ns;     /* when that was done; 0: none was */
    uint32_t begun_count; /* threads that it has begun, up to a few */
    int apart;            /* a descriptor, or -1 */
    bool is_over, is_named;
    bool is_ours; /* of the recorder inside: not shown */
    char name[16];
};

/* From then on the thread is in that state, until its next change or its end. */
struct tp_outside_change {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack; /* of blocked: what it waits in; 0: not told */
    enum tp_outside_state state;
    uint8_t call; /* of blocked, where there are no stacks: proc_waits.h; 0: not told */
};

struct tp_outside_sample {
    int64_t time_ns;
    uint32_t thread;
    uint32_t stack : 31, is_cut : 1; /* is_cut: it goes on further out */
};

/* What was asked of a process or a thread when its record came, before the record has its turn. */
struct tp_outside_note {
    struct tp_str words;
    struct tp_proc_usage usage;
    bool has_usage;
    uint32_t python; /* of a sample: node of Python's stack; 0: none */
    int64_t still_ns; /* of a switch: its stack was read while the thread waited, until then; 0: the kernel told it */
    uint8_t wait;    /* of a switch to blocked: proc_waits.h; 0: not told */
};

struct tp_outside_tree {
    struct tp_arena *arena;
    struct tp_code_places places;
    struct tp_whole_stacks whole;
    struct tp_vec processes, threads, changes, samples;
    struct tp_id_map process_ids, thread_ids; /* the last one of a number */
    bool is_of_cpus; /* events are of CPUs, not of threads */
    int64_t last_ns;
    uint64_t lost_count;
    int64_t running_ns;      /* of all threads, in states that have ended */
    uint32_t missed_words;   /* programs without words */
    uint32_t own_thread_count; /* of the recorder inside */
    uint64_t python_count;   /* samples with frames of Python */
    uint64_t unaligned_count; /* of these: whose native frames are of another moment, or cut */
    uint64_t whole_wait_count; /* waits whose stack was read while they lasted */
};

void tp_outside_tree_init(struct tp_outside_tree *tree, struct tp_arena *arena);

/* Takes a record. is_switch: it is the stack of a switch. note: may be NULL. Returns the process that ended by it, or
 * TP_NO_ID. */
uint32_t tp_outside_tree_take(struct tp_outside_tree *tree, const struct tp_perf_record *record, bool is_switch,
                              const struct tp_outside_note *note);

/* The words of the first program of a process, where nobody has seen them: argv ends with NULL. */
void tp_outside_tree_set_words(struct tp_outside_tree *tree, uint32_t process, char *const *argv);

/* Nanoseconds that threads have run until now: what one that runs has used counts, too, or one that is never switched
 * out would have used nothing. */
int64_t tp_outside_tree_running(const struct tp_outside_tree *tree, int64_t now_ns);

/* The recording is over: what lives ends there. */
void tp_outside_tree_end(struct tp_outside_tree *tree, int64_t end_ns);

/* Adds the first few processes that still run, each as "NAME (PID)", to names. Returns how many run. */
size_t tp_outside_tree_living(const struct tp_outside_tree *tree, struct tp_buf *names);

/* Closes descriptors and files; also after the arena's guard was taken. */
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
 * wait is read once. At most `most` are read, from *next_thread on, which moves. text: a buffer for the file. */
void tp_outside_tree_ask_waits(struct tp_outside_tree *tree, uint32_t *next_thread, uint32_t most, struct tp_buf *text);

#endif
