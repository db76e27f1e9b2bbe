/* libtracepress: lets a C or C++ program record itself and write the same files as torch.profiler in Python.
 *
 *     #include <tracepress.h>
 *
 *     struct tracepress_options options = TRACEPRESS_OPTIONS;
 *     options.schedule = (struct tracepress_schedule){.wait = 1, .warmup = 1, .active = 3};
 *     options.handler = tracepress_tensorboard_trace_handler;
 *     options.directory = "runs/today";
 *     tracepress_start(&options);
 *     for (int i = 0; i < steps; i++) {
 *         TRACEPRESS_SCOPE("forward");       // a range until the end of the block
 *         ...
 *         tracepress_step();
 *     }
 *     tracepress_stop();
 *
 * Rules for every function below, unless its comment says otherwise:
 * - The functions never make the program fail. They do not exit, raise signals or throw exceptions. If something cannot
 *   be recorded, they print one line on standard error, only the first time. TRACEPRESS_QUIET=1 in the environment
 *   suppresses the line.
 * - They may be called from any thread at any time: before start, after stop, in a child after fork. Without a
 *   recording they do nothing, at the cost of one load and one branch.
 * - They copy their texts. NULL is treated as an empty text. Only the first 3000 bytes of a text are used.
 * - They must not be called from signal handlers.
 *
 * Records are written immediately to a file next to the traces (the spool), which survives SIGKILL, abort and exec.
 * `tracepress recover SPOOL` makes the trace from it. With -DTRACEPRESS_DISABLED the compiler removes every call, and
 * the program does not need the library. */
#ifndef TRACEPRESS_H
#define TRACEPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header, as a text and as a number for comparisons: 0.1.0 is 100, 1.2.3 is 10203. VERSION in the
 * Makefile has the same value. */
#define TRACEPRESS_VERSION "0.1.0"
#define TRACEPRESS_VERSION_NUMBER 100

#ifndef TRACEPRESS_API
#define TRACEPRESS_API __attribute__((visibility("default")))
#endif

/* ---- a recording ---------------------------------------------------------------------------------------------- */

/* Schedule of the steps that are recorded, as in torch.profiler.schedule. The first skip_first steps are skipped once.
 * Then each cycle skips `wait` and `warmup` steps and records `active` steps. The cycle runs `repeat` times; 0 repeats
 * the cycle without end. If `active` is 0, everything from start to stop is recorded. This recorder needs no warm-up.
 * The member `warmup` exists so that one schedule fits both recorders. */
struct tracepress_schedule {
    uint32_t skip_first, wait, warmup, active, repeat;
};

/* Kinds of activity to record, with the meaning of torch's ProfilerActivity. */
enum tracepress_activity {
    TRACEPRESS_ACTIVITY_CPU = 1, /* ranges, operators, modules, tasks, counters, memory records, samples */
    TRACEPRESS_ACTIVITY_CUDA = 2 /* CUDA kernels, copies, calls and memory, if the program uses CUDA */
};

/* A finished recording, as a handler receives it. The pointer is valid only during the call of the handler. */
struct tracepress_trace;

/* Function that receives each finished recording, after every cycle of the schedule. trace: the recording, never NULL.
 * context: the pointer from the options. The thread that called tracepress_step or tracepress_stop calls the handler.
 * With TRACEPRESS_WINDOW in the environment and without steps, a thread of the library calls the handler after each
 * window. */
typedef void (*tracepress_handler)(const struct tracepress_trace *trace, void *context);

struct tracepress_options {
    /* sizeof(struct tracepress_options), so that later versions can add members; tracepress_start rejects other
     * sizes */
    uint32_t size;
    /* With with_stack, ranges and memory records contain the call stack. A frame costs about 6 ns. Stacks need
     * libunwind at run time. */
    int record_shapes, profile_memory, with_stack, with_flops, with_modules; /* 1: recorded in the trace, 0: left out */
    struct tracepress_schedule schedule;
    /* function that receives each recording; NULL: the spool file is kept for `tracepress recover` */
    tracepress_handler handler;
    void *context;         /* pointer that is passed to the handler; may be NULL */
    const char *directory; /* folder for the spool and the traces; NULL: $TRACEPRESS_DIR, or "."; must not be NULL
                            * in a setuid program */
    const char *worker;    /* first part of file names; NULL: host and process id, as torch writes them */
    int no_gzip;           /* 1: traces are written as plain .pt.trace.json */
    uint32_t sample_rate;  /* stack samples of each running thread per second of its processor time, at most 10000;
                            * 0: no samples. Children of fork are not sampled */
    int live; /* 1: writes scalars of each step to a TensorBoard event file while the program runs, also for steps that
               * are not recorded. TRACEPRESS_LIVE=1 in the environment has the same effect */
    /* size of a flight recorder in MiB, in which the spool keeps the newest records and overwrites older ones. Each
     * recording thread has at least 64 KiB. 0: the value of $TRACEPRESS_RING_MB, or no limit if that is not set */
    uint32_t ring_mb;
    /* values of enum tracepress_activity, added up; 0: all. Steps and metadata are always recorded */
    uint32_t activities;
};

/* Initial value of options: struct tracepress_options options = TRACEPRESS_OPTIONS; */
#ifdef __cplusplus
static inline struct tracepress_options tracepress_options_(void)
{
    struct tracepress_options options = tracepress_options();
    options.size = sizeof options;
    options.record_shapes = options.profile_memory = 1;
    return options;
}
#define TRACEPRESS_OPTIONS tracepress_options_()
#else
#define TRACEPRESS_OPTIONS                                                                                             \
    {                                                                                                                  \
        .size = sizeof(struct tracepress_options), .record_shapes = 1, .profile_memory = 1                             \
    }
#endif

/* TRACEPRESS_CALL declares a function of the library. With TRACEPRESS_DISABLED the functions are empty
 * (tracepress_disabled.h). */
#ifdef TRACEPRESS_DISABLED
#define TRACEPRESS_CALL static inline
#else
#define TRACEPRESS_CALL TRACEPRESS_API
#endif

/* Starts a recording. With a schedule, recording begins at its first active step. options: copied; NULL: the defaults.
 * Creates the directory with its parents. Checks immediately that a file can be written there, even if the schedule
 * waits first. A relative directory is resolved during this call. Returns 0. Returns -1 if a recording is already
 * running. Also returns -1 if nothing can be written, after printing a line that names the folder and the cause. */
TRACEPRESS_CALL int tracepress_start(const struct tracepress_options *options);

/* Ends a step of the program and begins the next one. Must not be called by two threads at the same time. */
TRACEPRESS_CALL void tracepress_step(void);

/* Ends the recording. Calls the handler if it has not yet seen all recorded steps. Does nothing without a recording. */
TRACEPRESS_CALL void tracepress_stop(void);

/* Returns the number of the current step, from 0. This is the number of tracepress_step calls since the start. */
TRACEPRESS_CALL uint64_t tracepress_step_num(void);

/* Writes <directory>/<worker>.<ns>.pt.trace.json.gz. To be used as options.handler. trace: not NULL. context:
 * unused. */
TRACEPRESS_CALL void tracepress_tensorboard_trace_handler(const struct tracepress_trace *trace, void *context);

/* Writes a summary of some kilobytes, <directory>/<worker>.<ns>.tps, instead of a trace. To be used as
 * options.handler. `tracepress merge`, `report`, `diff` and `check` read the summary. Writing takes about as long as a
 * report of the trace, and temporarily needs disk space for the trace. With TRACEPRESS_SUMMARY_ONLY=1 in the
 * environment, tracepress_tensorboard_trace_handler writes a summary too. trace: not NULL. context: unused. */
TRACEPRESS_CALL void tracepress_summary_handler(const struct tracepress_trace *trace, void *context);

/* Writes the summary to `path`. May only be called in a handler. trace, path: not NULL. Returns 0, or -1 after
 * printing the reason. */
TRACEPRESS_CALL int tracepress_export_summary(const struct tracepress_trace *trace, const char *path);

/* Writes the trace to `path`, compressed if the name ends in .gz. May only be called in a handler. trace, path: not
 * NULL. Returns 0, or -1 after printing the reason. */
TRACEPRESS_CALL int tracepress_export_chrome_trace(const struct tracepress_trace *trace, const char *path);

/* Options for the table of torch.profiler's key_averages(). With zeroed members, the rows are grouped by name, in order
 * of first use. */
struct tracepress_table {
    uint32_t size;             /* sizeof(struct tracepress_table), so that later versions can add members */
    int group_by_input_shape;  /* 1: calls with different input shapes get different rows */
    uint32_t group_by_stack_n; /* calls that differ in the innermost n stack frames get different rows; 0: stacks are
                                  ignored. Needs with_stack */
    /* column by which rows are sorted: "self_cpu_time_total", "cpu_time", "count" .. as in torch; NULL: order of first
     * use */
    const char *sort_by;
    int row_limit; /* maximum number of rows; 0: 100 rows; negative: all rows */
};

/* Returns the table as text, as key_averages().table() prints it, or NULL after printing the reason. May only be
 * called in a handler. trace: not NULL. options: NULL means zeroed members. The caller frees the text with
 * tracepress_free. The call takes about as long as writing the trace, and temporarily needs the same disk space. */
TRACEPRESS_CALL char *tracepress_key_averages(const struct tracepress_trace *trace,
                                              const struct tracepress_table *options);

/* Frees a text that tracepress_key_averages returned. NULL: does nothing. */
TRACEPRESS_CALL void tracepress_free(void *text);

/* Writes call stacks with their weights to `path`, in the format of flamegraph.pl and speedscope. May only be called
 * in a handler. trace, path: not NULL. metric: "self_cpu_time_total" (or NULL) writes microseconds as torch's
 * export_stacks does, from the stacks that with_stack records. "cpu" (microseconds), "bytes" and "calls" use nested
 * ranges as stacks. Returns 0, or -1 after printing the reason. */
TRACEPRESS_CALL int tracepress_export_stacks(const struct tracepress_trace *trace, const char *path,
                                             const char *metric);

/* Adds a fact about the run, such as batch_size or model, to this trace and to the following ones. Call it before or
 * during a recording. key: NULL or "" adds nothing. value: text; NULL is "". json: a JSON value; NULL is "". In the
 * live event file, batch_size and tokens_per_step also produce rates. */
TRACEPRESS_CALL void tracepress_metadata(const char *key, const char *value);
TRACEPRESS_CALL void tracepress_metadata_json(const char *key, const char *json);

/* ---- ranges -------------------------------------------------------------------------------------------------------
 * Ranges of a thread nest: an end closes the range that began last. A range that is still open when the recording stops
 * ends there and is marked as unfinished. */

typedef uint32_t tracepress_name; /* number of a name from tracepress_intern; 0: empty name */
/* Returns the number of a name, for ranges on hot paths. The same text always gives the same number in a process. Takes
 * a lock. Returns 0 when memory is short; traces show 0 as an empty name. */
TRACEPRESS_CALL tracepress_name tracepress_intern(const char *name);

/* Begins a range of this thread. name: from tracepress_intern; an unknown number shows as an empty name. */
static inline void tracepress_begin(tracepress_name name);

/* Begins a range of this thread by its name as text (NULL: ""). Costs a copy of the text for each call. */
static inline void tracepress_begin_text(const char *name);

/* Kind of work in a range, independent of its name. Findings use it: a report says "waits for input" if ranges of kind
 * TRACEPRESS_INPUT delay the program. Ranges with torch's own names get their kinds automatically. */
enum tracepress_kind {
    TRACEPRESS_NONE, /* the kind of work is unknown */
    TRACEPRESS_COMPUTE,
    TRACEPRESS_INPUT,         /* reading, decoding or fetching data */
    TRACEPRESS_COMMUNICATION, /* communication with other processes of the same job */
    TRACEPRESS_COPY,          /* copies of memory, also between devices */
    TRACEPRESS_WAIT,          /* waits for a thread, a lock or a time */
    TRACEPRESS_SYNC           /* waits for a device */
};

/* Begins a range of this thread with a kind. name: as for tracepress_begin. An unknown value of `kind` is treated as
 * TRACEPRESS_NONE. */
static inline void tracepress_begin_kind(tracepress_name name, enum tracepress_kind kind);

/* Ends the range, operator or module that this thread began last. Does nothing if no range is open. */
static inline void tracepress_end(void);

/* Adds an argument, which is a name with a number or text, to the innermost open range of this thread. The trace, the
 * page's timeline and the tables of events show the argument. If the name is used again, the new value replaces the
 * old one. The last 24 arguments are kept. NaN and infinities become null; a NULL text is "". Does nothing outside of
 * ranges. */
static inline void tracepress_arg_i64(tracepress_name name, int64_t value);
static inline void tracepress_arg_f64(tracepress_name name, double value);
static inline void tracepress_arg_text(tracepress_name name, const char *value);

/* Sets the colour of the innermost open range in timelines. rgb: 0xRRGGBB; higher bits are ignored. */
static inline void tracepress_color(uint32_t rgb);

/* Element types of tensors; traces show torch's names for them. */
enum tracepress_dtype {
    TRACEPRESS_UNKNOWN,
    TRACEPRESS_FLOAT,
    TRACEPRESS_DOUBLE,
    TRACEPRESS_HALF,
    TRACEPRESS_BFLOAT16,
    TRACEPRESS_INT8,
    TRACEPRESS_UINT8,
    TRACEPRESS_INT16,
    TRACEPRESS_INT32,
    TRACEPRESS_INT64,
    TRACEPRESS_BOOL,
    TRACEPRESS_SCALAR
};

/* Shape and element type of one operator input. */
struct tracepress_input {
    enum tracepress_dtype dtype;
    uint32_t rank; /* number of dimensions; at most 16 are kept */
    const int64_t *dims;
};

/* Facts about an operator call. Initialize the struct with TRACEPRESS_OPERATOR. Zeroed members mean unknown, except for
 * the two sizes. */
struct tracepress_operator {
    uint32_t size;       /* sizeof(struct tracepress_operator), so that later versions can add members */
    uint32_t input_size; /* sizeof(struct tracepress_input), so that later versions can add members */
    const struct tracepress_input *inputs;
    uint32_t input_count; /* number of inputs; at most 64 are kept */
    int is_backward;
    /* number of the operator, from 1. A backward operator has the number of its forward operator, and an arrow
     * connects them */
    uint64_t sequence;
    uint64_t forward_tid; /* only in a backward operator: thread id of its forward operator */
    uint64_t flops, bytes;
};

/* Initial value of an operator: struct tracepress_operator call = TRACEPRESS_OPERATOR; */
#ifdef __cplusplus
static inline struct tracepress_operator tracepress_operator_(void)
{
    struct tracepress_operator call = tracepress_operator();
    call.size = sizeof call;
    call.input_size = sizeof(struct tracepress_input);
    return call;
}
#define TRACEPRESS_OPERATOR tracepress_operator_()
#else
#define TRACEPRESS_OPERATOR                                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct tracepress_operator), .input_size = sizeof(struct tracepress_input)                      \
    }
#endif

/* Begins an operator of this thread; tracepress_end ends it. call: copied with everything that it points to. If `call`
 * is NULL or has an unknown size, only the name is recorded. */
static inline void tracepress_operator_begin(tracepress_name name, const struct tracepress_operator *call);

/* Begins a module (layer) of this thread; tracepress_end ends it. */
static inline void tracepress_module_begin(tracepress_name name);

/* tracepress_async_begin begins a task. tracepress_async_end ends the task with this name and id, on any thread. id:
 * any number that distinguishes the task from other running tasks of the same name. */
static inline void tracepress_async_begin(tracepress_name name, uint64_t id);
static inline void tracepress_async_end(tracepress_name name, uint64_t id);

/* Returns an id that is unique in the process and at least 2^52, so that it differs from the program's own counters
 * and addresses. For tasks as C++ objects, also in coroutines, see tracepress_task.h. */
TRACEPRESS_CALL uint64_t tracepress_async_id(void);

/* ---- moments -------------------------------------------------------------------------------------------------- */

/* Records an instant event, which has a time but no duration. */
static inline void tracepress_instant(tracepress_name name);

/* Records an instant event with a text about this occurrence. text: NULL is "". */
static inline void tracepress_instant_text(tracepress_name name, const char *text);

/* Records the current value of a counter; traces show the values as a curve. NaN and infinities are left out. The live
 * event file contains the last value of each step. */
static inline void tracepress_counter(tracepress_name name, double value);

/* Device types, with torch's numbers. */
enum tracepress_device { TRACEPRESS_CPU = 0, TRACEPRESS_CUDA = 1 };

/* One allocation or release of memory, with the totals of the device after it. */
struct tracepress_memory {
    uint32_t size; /* sizeof(struct tracepress_memory), so that later versions can add members */
    /* device_type: enum tracepress_device; device_id: number of the device, -1 for the CPU */
    int32_t device_type, device_id;
    uint32_t unused; /* must be 0 */
    uint64_t address;
    int64_t bytes, total_allocated, total_reserved;
};

/* Initial value of a note: struct tracepress_memory note = TRACEPRESS_MEMORY; device CPU, totals unknown (-1). */
#ifdef __cplusplus
static inline struct tracepress_memory tracepress_memory_(void)
{
    struct tracepress_memory note = tracepress_memory();
    note.size = sizeof note;
    note.device_id = -1;
    note.total_allocated = note.total_reserved = -1;
    return note;
}
#define TRACEPRESS_MEMORY tracepress_memory_()
#else
#define TRACEPRESS_MEMORY                                                                                              \
    {                                                                                                                  \
        .size = sizeof(struct tracepress_memory), .device_id = -1, .total_allocated = -1, .total_reserved = -1         \
    }
#endif

/* Records an allocation or a release, for the memory curve. note: copied; NULL or a note with an unknown size records
 * nothing. The member `bytes` of the note is negative for a release. The totals of the note are in bytes; -1 if
 * unknown. */
static inline void tracepress_memory_note(const struct tracepress_memory *note);

/* ---- work on other devices ----------------------------------------------------------------------------------------
 * A program can report work that ran elsewhere, after the work has ended: on an accelerator without its own recorder,
 * in a simulator, or on another host. Such work is shown like the work of a GPU. */

typedef uint32_t tracepress_lane_id; /* number of a lane from tracepress_lane; 0: no lane */
/* Returns the number of a lane. A lane is a queue of a device whose works run one after the other. name:
 * "DEVICE/QUEUE", such as "npu 0/queue 1". Lanes with the same DEVICE belong to one device. Without '/', the device has
 * only this lane. kind: default kind of the lane's works; TRACEPRESS_COMPUTE or TRACEPRESS_NONE for kernels. The same
 * name and kind always give the same number in a process. Takes a lock. Returns 0 when memory is short. */
TRACEPRESS_CALL tracepress_lane_id tracepress_lane(const char *name, enum tracepress_kind kind);

/* Returns the current time on the clock of tracepress_complete: CLOCK_MONOTONIC in nanoseconds. */
TRACEPRESS_CALL int64_t tracepress_now(void);

/* One argument of a work. `type` selects the member that has the value. */
enum tracepress_type { TRACEPRESS_I64, TRACEPRESS_F64, TRACEPRESS_TEXT };
struct tracepress_argument {
    tracepress_name name;
    uint32_t type; /* type of the value, enum tracepress_type */
    int64_t i64;
    double f64;
    const char *text; /* value for TRACEPRESS_TEXT; copied; NULL is "" */
};

/* Optional details of a work. Initialize the struct with TRACEPRESS_WORK. */
struct tracepress_work {
    uint32_t size;           /* sizeof(struct tracepress_work), so that later versions can add members */
    uint32_t argument_size;  /* sizeof(struct tracepress_argument), so that later versions can add members */
    uint32_t kind;           /* kind of the work, enum tracepress_kind; TRACEPRESS_NONE: the kind of the lane */
    int32_t color;           /* colour of the work, 0xRRGGBB; -1: no colour */
    uint32_t argument_count; /* number of arguments; at most 24 are kept */
    uint32_t unused;         /* must be 0 */
    const struct tracepress_argument *arguments;
};

/* Initial value of a work: struct tracepress_work work = TRACEPRESS_WORK; */
#ifdef __cplusplus
static inline struct tracepress_work tracepress_work_(void)
{
    struct tracepress_work work = tracepress_work();
    work.size = sizeof work;
    work.argument_size = sizeof(struct tracepress_argument);
    work.color = -1;
    return work;
}
#define TRACEPRESS_WORK tracepress_work_()
#else
#define TRACEPRESS_WORK                                                                                                \
    {                                                                                                                  \
        .size = sizeof(struct tracepress_work), .argument_size = sizeof(struct tracepress_argument), .color = -1       \
    }
#endif

/* Records a finished work of a lane. lane: from tracepress_lane; 0 records nothing. begin_ns, end_ns: times on the
 * clock of tracepress_now. Works may be recorded in any order and from any thread. A part of the work outside of the
 * recording is cut off, and a work that is completely outside is left out. If end_ns is before begin_ns, the work
 * becomes an instant. Overlapping works of a lane are shown in extra rows of the device. work: copied; NULL or an
 * unknown size means no details. For TRACEPRESS_COPY, the argument "bytes" (i64) is the number of bytes moved. */
static inline void tracepress_complete(tracepress_lane_id lane, tracepress_name name, int64_t begin_ns, int64_t end_ns,
                                       const struct tracepress_work *work);

/* ---- tensors ------------------------------------------------------------------------------------------------------
 * Stores the values of tensors, so that two runs can be compared by name and step. */

enum tracepress_tensor_mode {
    /* only statistics in the trace: count, min, max, mean, std, l2 and the counts of zeros, NaNs and infinities */
    TRACEPRESS_STATISTICS,
    TRACEPRESS_VALUES /* statistics in the trace, and all values in <directory>/<worker>.tensors/<step>/<name>.npy */
};

/* Records the statistics of a tensor and, by `mode`, its values. Invalid tensors are left out and counted in the trace
 * (tracepress_dropped).
 *
 * - dtype: of the elements; not TRACEPRESS_SCALAR.
 * - rank: number of dimensions, at most 16.
 * - dims: `rank` sizes, none negative; may be NULL with rank 0 (one element).
 * - data: the elements in C order in host memory, with any alignment; may be NULL if none exist.
 *
 * Statistics cover the finite elements, computed as doubles: mean = sum x / n, std = sqrt(sum (x - mean)^2 / n), l2 =
 * sqrt(sum x^2). They are null in the trace if there is no finite element. They take some nanoseconds per element,
 * during this call.
 *
 * Each file of values appears complete or not at all. bfloat16 is stored as its bits (uint16), and the trace says so.
 * If a step has several tensors of one name, the last one's file remains. In file names, bytes other than letters,
 * digits, '_', '-' and '.' become %XX. When the disk is full, or after $TRACEPRESS_TENSOR_MB (default 65536 MiB), the
 * rest of the recording has statistics only. */
static inline void tracepress_tensor(tracepress_name name, enum tracepress_dtype dtype, uint32_t rank,
                                     const int64_t *dims, const void *data, enum tracepress_tensor_mode mode);

/* ---- timing events ------------------------------------------------------------------------------------------------
 * Timing events work like torch.cuda.Event(enable_timing=True), and also for the CPU. They do not need a recording. In
 * a recording, each recorded event is also an instant of category timing_event in the trace. Two threads must not use
 * one event at the same time. CUDA events need the context of their stream to be current, and do not work in a child
 * after fork. */

struct tracepress_event;

/* Creates an event that was not recorded yet. name: name of the event's instants in the trace. The caller destroys the
 * event. Returns NULL when memory is short; all functions below accept NULL. */
TRACEPRESS_CALL struct tracepress_event *tracepress_event_create(tracepress_name name, enum tracepress_device device);

/* Frees the event. NULL: does nothing. */
TRACEPRESS_CALL void tracepress_event_destroy(struct tracepress_event *event);

/* Records the event, which sets its time. On the CPU, this is the time of the call. On CUDA, it is the time at which
 * the device finishes the work submitted to `stream` so far. stream: a CUstream or cudaStream_t; NULL: the default
 * stream. A later call replaces the time. Returns 0. Returns -1 for CUDA if the program has not loaded the driver
 * (this library does not load it) or the driver fails. */
TRACEPRESS_CALL int tracepress_event_record(struct tracepress_event *event, void *stream);

/* Returns 1 if the event's time has passed, and 0 if the device has not reached it yet. Returns -1 if the event is
 * NULL or not recorded, or if the driver fails. */
TRACEPRESS_CALL int tracepress_event_query(const struct tracepress_event *event);

/* Waits until the event's time has passed. Returns 0, or -1 in the same cases as tracepress_event_query. */
TRACEPRESS_CALL int tracepress_event_synchronize(const struct tracepress_event *event);

/* Returns the milliseconds from start to end, negative if `end` came first. Returns NaN if either event is NULL, not
 * recorded or not reached yet, or if the events belong to different devices. CUDA's own resolution is about half a
 * microsecond. */
TRACEPRESS_CALL double tracepress_event_elapsed(const struct tracepress_event *start,
                                                const struct tracepress_event *end);

/* Returns the nanoseconds from start to end, or INT64_MIN where tracepress_event_elapsed returns NaN. */
TRACEPRESS_CALL int64_t tracepress_event_elapsed_ns(const struct tracepress_event *start,
                                                    const struct tracepress_event *end);

#ifdef __cplusplus
}
#endif

/* The remaining parts of this header: the bodies of the functions above; TRACEPRESS_SCOPE("forward") for a range until
 * the end of the block; TRACEPRESS_TASK and TRACEPRESS_AWAIT for coroutines in C++. */
#include "tracepress_calls.h"
#include "tracepress_disabled.h"
#include "tracepress_scope.h"
#include "tracepress_task.h"

#endif
