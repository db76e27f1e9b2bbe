/* View of a program that was recorded from outside: wall time, processes, threads, functions, waits, memory, disk
 * traffic, and the verdict (docs/definitions.md, section 23; JSON: program_view).
 *
 * All memory is in the given arena or borrowed from the trace, and is read-only after the build. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VIEW_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_VIEW_H

#include "webreport/measure/program/program_functions.h"
#include "webreport/measure/program/program_parts.h"
#include "webreport/measure/program/program_python.h"
#include "writer/base/fields.h"
#include "writer/base/interval.h"

enum tp_program_process_column {
    TP_PROGRAM_PROCESS_COMMAND,
    TP_PROGRAM_PROCESS_PID,
    TP_PROGRAM_PROCESS_PARENT,
    TP_PROGRAM_PROCESS_DEPTH,
    TP_PROGRAM_PROCESS_BEGIN, /* start of the process, ns from the start of the tree */
    TP_PROGRAM_PROCESS_WALL,
    TP_PROGRAM_PROCESS_CPU,
    TP_PROGRAM_PROCESS_READY,
    TP_PROGRAM_PROCESS_BLOCKED,
    TP_PROGRAM_PROCESS_THREADS,
    TP_PROGRAM_PROCESS_SAMPLES,
    TP_PROGRAM_PROCESS_PEAK,
    TP_PROGRAM_PROCESS_READ,
    TP_PROGRAM_PROCESS_WRITTEN,
    TP_PROGRAM_PROCESS_DISK_READ,
    TP_PROGRAM_PROCESS_DISK_WRITTEN,
    TP_PROGRAM_PROCESS_EXIT,
    TP_PROGRAM_PROCESS_COLUMNS
};

enum tp_program_thread_column {
    TP_PROGRAM_THREAD_NAME,
    TP_PROGRAM_THREAD_PID,
    TP_PROGRAM_THREAD_TID,
    TP_PROGRAM_THREAD_BEGIN,
    TP_PROGRAM_THREAD_WALL, /* wall time: sum of running, ready and blocked time */
    TP_PROGRAM_THREAD_RUNNING,
    TP_PROGRAM_THREAD_READY,
    TP_PROGRAM_THREAD_BLOCKED,
    TP_PROGRAM_THREAD_WAKE_UPS,
    TP_PROGRAM_THREAD_COLUMNS
};

enum tp_program_function_column {
    TP_PROGRAM_FUNCTION_NAME,
    TP_PROGRAM_FUNCTION_FILE,
    TP_PROGRAM_FUNCTION_LINE,
    TP_PROGRAM_FUNCTION_KIND,
    TP_PROGRAM_FUNCTION_SELF,
    TP_PROGRAM_FUNCTION_TOTAL,
    TP_PROGRAM_FUNCTION_SELF_PERCENT, /* share of the processor time of the tree, percent */
    TP_PROGRAM_FUNCTION_ERROR,        /* 95 % error of the previous column, in percentage points; NaN without samples */
    TP_PROGRAM_FUNCTION_SAMPLES,
    TP_PROGRAM_FUNCTION_COLUMNS
};

/* Values of a function for tp_program_function_fill_row. */
struct tp_program_function_row {
    const struct tp_program_function *function;
    int64_t self_ns, total_ns;
    uint64_t sample_count;      /* number of samples with this function as the innermost one */
    int64_t whole_ns;           /* time that is 100 % in self_percent, ns */
    uint64_t samples_for_error; /* number of samples from which the error of self_percent is computed */
};

/* Fills a row of a table with the columns of enum tp_program_function_column. */
void tp_program_function_fill_row(struct tp_table *table, size_t row, const struct tp_program_function_row *of);

enum tp_program_wait_column {
    TP_PROGRAM_WAIT_CAUSE,
    TP_PROGRAM_WAIT_STACK, /* text of the stack's functions, innermost first */
    TP_PROGRAM_WAIT_THREAD,
    TP_PROGRAM_WAIT_COUNT,
    TP_PROGRAM_WAIT_TOTAL,
    TP_PROGRAM_WAIT_LONGEST,
    TP_PROGRAM_WAIT_ESTIMATED, /* part of the total time for which the recorder estimated the cause */
    TP_PROGRAM_WAIT_PLACE,     /* waiting function, with file and line */
    TP_PROGRAM_WAIT_HOLDER,    /* for locks: name of the thread that most likely held the lock */
    TP_PROGRAM_WAIT_HOLDER_TID,
    TP_PROGRAM_WAIT_HELD_IN, /* function that the holder executed during the wait */
    TP_PROGRAM_WAIT_HELD,    /* part of the total time in which the named thread likely held the lock */
    TP_PROGRAM_WAIT_COLUMNS
};

/* Columns of the tables. Their names are an interface and must not change. */
extern const struct tp_column_def tp_program_process_columns[TP_PROGRAM_PROCESS_COLUMNS];
extern const struct tp_column_def tp_program_function_columns[TP_PROGRAM_FUNCTION_COLUMNS];
extern const struct tp_column_def tp_program_wait_columns[TP_PROGRAM_WAIT_COLUMNS];

/* Waits with the same cause, thread name and stack. */
struct tp_wait_group {
    uint32_t name, stack; /* ids of the thread name and the stack text in the waits' texts */
    uint32_t place;       /* waiting function of the longest wait; TP_NO_ID if unknown */
    int32_t line;         /* line in the function `place`; 0 if unknown */
    uint32_t holder; /* for locks: thread of the tree that most likely held the lock; TP_NO_ID if no thread is likely */
    uint32_t holder_function; /* function in which the holder was during the wait; TP_NO_ID if unknown */
    int32_t holder_line;      /* line in the function holder_function; 0 if unknown */
    int64_t held_ns;          /* part of total_ns in which `holder` was the likely holder */
    uint8_t cause;            /* value of enum tp_wait_cause */
    uint64_t count;
    /* estimated_ns: part of total_ns for which the recorder estimated the cause */
    int64_t total_ns, longest_ns, estimated_ns;
};

/* Returns whether the table of waits contains a group. The table omits waits for children, because the children are
 * recorded, and exits, because they are not waits. */
static inline bool tp_wait_group_is_listed(const struct tp_wait_group *group)
{
    return group->cause != TP_WAIT_CHILD && group->cause != TP_WAIT_EXIT;
}

struct tp_program_waits {
    struct tp_strings texts;
    /* sorted by total time (largest first), cause, stack, thread; includes waits for children and exits */
    struct tp_wait_group *groups;
    uint32_t count;
    uint32_t *group_by_slice; /* for each interval of the tree: index in groups; TP_NO_ID: the interval is not a wait */
};

/* Rules for the verdict. The verdict is the first rule that applies (docs/definitions.md, section 23). */
enum tp_program_rule {
    TP_PROGRAM_TOO_SHORT,
    TP_PROGRAM_IDLE,
    TP_PROGRAM_WAITS_FOR_CPU,
    TP_PROGRAM_WAITS_FOR_DISK,
    TP_PROGRAM_WAITS_FOR_SOCKET,
    TP_PROGRAM_WAITS_FOR_TERMINAL,
    TP_PROGRAM_SLEEPS,
    TP_PROGRAM_WAITS_FOR_LOCK,
    TP_PROGRAM_CPU_BOUND,
    TP_PROGRAM_MIXED,
    TP_PROGRAM_RULES
};

/* Values for the headline and the sentences below it, in addition to the numbers of the view. */
struct tp_program_story {
    /* largest group of waits in a known function, of the cause that the headline names; NULL: none */
    const struct tp_wait_group *wait;
    uint32_t hottest;            /* number of the function with the most self time; TP_NO_ID: no sample has a stack */
    uint32_t sampled_count;      /* number of functions with samples */
    uint32_t root_program_count; /* number of programs at the root of the tree, where the recording started */
    struct tp_str refusal;       /* the recorder's text about why functions are unknown; empty: no such text */
};

/* A part of the running time: the time of a function, or of all other functions. */
struct tp_program_segment {
    uint32_t function; /* number of the function; TP_NO_ID: all other functions */
    int64_t ns;        /* part of the wall time, ns */
};

enum { TP_PROGRAM_SEGMENTS = 3 };

/* What limits the program (docs/definitions.md, section 23). Parts are numbers of struct tp_wall_parts. */
struct tp_program_answer {
    bool is_avoidable[TP_WALL_COUNT]; /* true: the wall time is shorter if the program or its machine changes */
    unsigned main;                    /* the part that the headline names; TP_WALL_COUNT: none */
    /* the next largest avoidable part, if `main` is at most 1.5 times as long; otherwise TP_WALL_COUNT */
    unsigned second;
    bool has_too_many_threads; /* true: the program's own threads keep each other from the CPUs */
    struct tp_program_segment segments[TP_PROGRAM_SEGMENTS]; /* the running time by function, largest first */
    unsigned segment_count;
};

enum tp_program_finding_kind {
    TP_PROGRAM_FINDS_READY,
    TP_PROGRAM_FINDS_SPINNING,
    TP_PROGRAM_FINDS_LOCK,
    TP_PROGRAM_FINDS_DISK,
    TP_PROGRAM_FINDS_FUNCTION,
    TP_PROGRAM_FINDS_KERNEL,
    TP_PROGRAM_FINDS_FAULTS,
    TP_PROGRAM_FINDS_THREADS,
    TP_PROGRAM_FINDS_CHILDREN,
    TP_PROGRAM_FINDS_SHORT,
    TP_PROGRAM_FINDS_FAILED,
    TP_PROGRAM_FINDS_LEFT,
    TP_PROGRAM_FINDINGS
};

/* Importance of a finding, most important first. */
enum tp_program_weight { TP_PROGRAM_HIGH, TP_PROGRAM_MEDIUM, TP_PROGRAM_LOW, TP_PROGRAM_INFO };

enum { TP_PROGRAM_NAMED = 3 }; /* largest number of processes that a finding names */

/* A finding, with values for its sentences. Members that the kind of finding does not use are 0. */
struct tp_program_finding {
    enum tp_program_finding_kind kind;
    enum tp_program_weight weight;
    uint64_t count; /* number of waits, threads or processes that the finding reports */
    /* number of samples that show the finding; 0: the finding is an estimate, or is not from samples */
    uint64_t sample_count;
    uint64_t most_simultaneous_count; /* for the finding `threads`: largest number of threads alive at the same time */
    bool is_python;         /* for findings about functions: true if the function is the Python function of the view */
    uint32_t function;      /* for findings about functions and the kernel: number of the function in `functions` */
    struct tp_str build_id; /* for a function without a name: build-id of its file; empty: unknown */
    const struct tp_wait_group *wait; /* for findings about locks and disks: group of waits that the finding reports */
    uint32_t process;                 /* for findings about child processes: index of the process that waits */
    /* for findings about processes: indexes of the first or the longest-living processes */
    uint32_t processes[TP_PROGRAM_NAMED];
    unsigned named_count; /* number of entries in `processes` */
    /* Sentences of the finding. Only tp_fill_program_texts in webreport/document/words fills them. */
    const char *title, *detail, *advice;
    const char *marked_title; /* title with marks for code (writer/text/marked_text.h) */
    int64_t time_ns;
    double percent;    /* share of `whole`; NaN if the finding has no share */
    const char *whole; /* "wall" or "CPU", static; NULL if percent is NaN */
    /* Largest possible reduction of the wall time, ns; TP_NULL_INT if unknown. part: the part of the wall time that is
     * reduced; TP_WALL_COUNT if unknown. spans: times of the finding; empty if unknown. */
    int64_t saving_ns;
    unsigned part;
    struct tp_intervals spans;
};

/* Costs of the recording itself. No finding reports these costs. */
struct tp_program_recording {
    /* processor time for the recorder's events, and waits for the recorder's locks, both summed over threads, ns */
    int64_t sample_ns, wait_ns;
    uint64_t sample_count, wait_count;
};

struct tp_program_view {
    bool is_present;
    struct tp_process_tree tree;
    struct tp_wall_parts parts;
    struct tp_program_functions functions;
    struct tp_program_python python;
    struct tp_program_waits waits;
    int64_t state_ns[TP_STATE_COUNT]; /* time of all threads by enum tp_thread_state, ns; running is processor time */
    int64_t unsampled_ns;             /* running time of processes that have no sample, ns */
    int64_t kernel_ns;                /* self time of kernel functions, ns; excludes kernel work for the recording */
    int64_t thread_kernel_ns; /* part of kernel_ns that the start of threads takes; 0 without the finding `threads` */
    struct tp_program_recording recording;
    uint64_t wake_up_count, failed_count;
    /* time in which a CPU limit stopped the program's control groups, ns; TP_NULL_INT if unknown */
    int64_t throttled_ns;
    /* Bytes that all processes of the tree read from and wrote to disks; TP_NULL_INT if not recorded. The kernel adds a
     * child's bytes to the process that waits for its exit. For each process, the sum therefore has its own bytes or
     * the sum of its children's bytes, whichever is larger. */
    int64_t disk_read_bytes, disk_written_bytes;
    struct tp_str command;              /* command of the first process */
    struct tp_table processes, threads; /* rows have the order of the processes and threads in the process tree */
    /* rows have the order of the view's functions and waits; wait_rows omits waits for children and exits */
    struct tp_table function_rows, wait_rows;
    enum tp_program_rule rule;
    struct tp_program_story story;
    struct tp_program_answer answer;
    /* Sentences, filled by webreport/document/words. advice: the sentences below the headline; may be empty. marks: the
     * words of the headline about the parts answer.main and answer.second; empty if the headline does not name them. */
    struct tp_str headline, advice, marks[2];
    struct tp_program_finding findings[TP_PROGRAM_FINDINGS];
    unsigned finding_count;
};

#define TP_PROGRAM_SEPARATOR "  =>  " /* text between programs that one process executed one after the other */

/* Returns the last program that a process executed, with its arguments. The result is a part of `command`, a cell of
 * TP_PROGRAM_PROCESS_COMMAND. */
static inline struct tp_str tp_last_program_of_command(struct tp_str command)
{
    size_t size = sizeof TP_PROGRAM_SEPARATOR - 1;
    for (ptrdiff_t at; (at = tp_str_find(command, TP_PROGRAM_SEPARATOR)) >= 0;)
        command = (struct tp_str){command.ptr + at + size, command.len - (size_t)at - size};
    return command;
}

/* Returns the 95 % error (1.96 standard errors) of a share that was estimated from `samples` samples, in percentage
 * points; NaN without samples. percent: the share, 0 to 100. */
double tp_program_percent_error(double percent, uint64_t samples);

/* Builds the view in `arena` (guard set by the caller); the trace must outlive it. If the trace has no states of
 * threads, is_present is false and the other members are empty. */
void tp_program_view_build(struct tp_program_view *view, const struct tp_trace *trace, struct tp_arena *arena);

extern const struct tp_fields tp_program_view_fields;

#endif
