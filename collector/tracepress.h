/* libtracepress: a C or C++ program records itself, and gets the files that torch.profiler gives Python.
 *
 *     #include <tracepress.h>
 *
 *     struct tracepress_options options = TRACEPRESS_OPTIONS;
 *     options.schedule = (struct tracepress_schedule){.wait = 1, .warmup = 1, .active = 3};
 *     options.handler = tracepress_tensorboard_trace_handler;
 *     options.directory = "runs/today";
 *     tracepress_start(&options);
 *     for (int i = 0; i < steps; i++) {
 *         TRACEPRESS_SCOPE("forward");       // until the end of the block
 *         ...
 *         tracepress_step();
 *     }
 *     tracepress_stop();
 *
 * Rules for every function below, unless it says otherwise:
 * - It never fails the program: no exit, no signal, no exception, nothing printed but one line on standard error the
 *   first time that something cannot be recorded (TRACEPRESS_QUIET=1 in the environment: not even that).
 * - It may be called from any thread, at any time: before start, after stop, in a child after fork. Without a recording
 *   it does nothing, at the cost of one load and a branch.
 * - Texts are copied; NULL is an empty text. Texts longer than 3000 bytes are cut.
 * - Not from signal handlers.
 *
 * What is recorded goes at once to a file beside the traces (the spool) and survives SIGKILL, abort and exec;
 * `tracepress recover SPOOL` makes the trace. Compile with -DTRACEPRESS_DISABLED and every call is gone, and so is the
 * need for the library. */
#ifndef TRACEPRESS_H
#define TRACEPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: VERSION in the Makefile, as a text, and as a number that can be compared: 0.1.0 is 100,
 * 1.2.3 is 10203. */
#define TRACEPRESS_VERSION "0.1.0"
#define TRACEPRESS_VERSION_NUMBER 100

#ifndef TRACEPRESS_API
#define TRACEPRESS_API __attribute__((visibility("default")))
#endif

/* ---- a recording ---------------------------------------------------------------------------------------------- */

/* Which steps are recorded, as torch.profiler.schedule: skip_first steps are left out once; then, repeat times (0:
 * without end), wait and warmup steps are left out and active steps are kept. (This recorder needs no warming up; the
 * member is there so that one schedule serves both.) active 0: everything from start to stop. */
struct tracepress_schedule {
    uint32_t skip_first, wait, warmup, active, repeat;
};

/* What is recorded, as torch's ProfilerActivity. */
enum tracepress_activity {
    TRACEPRESS_ACTIVITY_CPU = 1, /* ranges, operators, modules, tasks, counters, memory notes, samples */
    TRACEPRESS_ACTIVITY_CUDA = 2 /* kernels, copies, calls and memory of CUDA, where the program uses it */
};

/* What an on_trace_ready function is told. The pointer is valid during the call only. */
struct tracepress_trace;

/* Called by the thread that called tracepress_step or tracepress_stop, after each cycle of the schedule. Without steps,
 * and with TRACEPRESS_WINDOW in the environment: after each window, by a thread of the library. */
typedef void (*tracepress_handler)(const struct tracepress_trace *trace, void *context);

struct tracepress_options {
    uint32_t size; /* sizeof(struct tracepress_options): lets later versions add members; another is refused */
    /* with_stack: ranges and memory notes carry the call stack, at about 6 ns per frame; needs libunwind at run time */
    int record_shapes, profile_memory, with_stack, with_flops, with_modules; /* noted in the trace; 0 leaves them out */
    struct tracepress_schedule schedule;
    tracepress_handler handler; /* NULL: the spool stays, for `tracepress recover` */
    void *context;              /* for the handler */
    const char *directory;      /* for spool and traces; NULL: $TRACEPRESS_DIR, or "."; not NULL in a setuid program */
    const char *worker;         /* NULL: host and process, as torch writes it */
    int no_gzip;                /* traces as plain .pt.trace.json */
    uint32_t sample_rate; /* samples of the stacks of running threads per second of their processor time, at most 10000;
                             0: none. Not in children of fork */
    int live;             /* writes scalars of each step to a TensorBoard event file while the program runs; also with
                             TRACEPRESS_LIVE=1 in the environment. Steps that are not recorded are in it too. */
    uint32_t ring_mb;     /* a flight recorder: the spool keeps the last so many MiB of what threads recorded, and uses
                             them again and again; each thread that records at the time has 64 KiB at least. 0:
                             $TRACEPRESS_RING_MB, or everything is kept */
    uint32_t activities;  /* of enum tracepress_activity, added up; 0: all. Steps and facts are always recorded */
};

/* What options begin with: struct tracepress_options options = TRACEPRESS_OPTIONS; */
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

/* Functions of the library; without it they are empty (further down). */
#ifdef TRACEPRESS_DISABLED
#define TRACEPRESS_CALL static inline
#else
#define TRACEPRESS_CALL TRACEPRESS_API
#endif

/* Begins a recording (with an active schedule: waits for its first step). options NULL: everything at its default.
 * The directory is made, with those above it, and tried at once, also when the schedule waits; a relative one is that
 * of this moment. Returns 0, or -1 when a recording is already going on or nothing can be written there, after a line
 * that names folder and cause: the program goes on all the same. */
TRACEPRESS_CALL int tracepress_start(const struct tracepress_options *options);

/* Ends a step of the program and begins the next. One thread at a time. */
TRACEPRESS_CALL void tracepress_step(void);

/* Ends the recording; calls the handler if steps were kept that it has not seen. */
TRACEPRESS_CALL void tracepress_stop(void);

/* Number of the current step from 0; the count of calls of tracepress_step since start. */
TRACEPRESS_CALL uint64_t tracepress_step_num(void);

/* A ready handler: writes <directory>/<worker>.<ns>.pt.trace.json.gz. context: not used. */
TRACEPRESS_CALL void tracepress_tensorboard_trace_handler(const struct tracepress_trace *trace, void *context);

/* A ready handler: writes a summary of some kilobytes, <directory>/<worker>.<ns>.tps, for `tracepress merge`, `report`,
 * `diff` and `check`, and no trace. With TRACEPRESS_SUMMARY_ONLY=1 in the environment the handler above does so, too.
 * context: not used. Takes about as long as a report of the trace does, and its room on the disk meanwhile. */
TRACEPRESS_CALL void tracepress_summary_handler(const struct tracepress_trace *trace, void *context);

/* For handlers: the summary to `path`. Returns 0, or -1 after saying why. */
TRACEPRESS_CALL int tracepress_export_summary(const struct tracepress_trace *trace, const char *path);

/* For handlers: writes the trace to `path` (gzip when it ends in .gz). Returns 0, or -1 after saying why. */
TRACEPRESS_CALL int tracepress_export_chrome_trace(const struct tracepress_trace *trace, const char *path);

/* The tables of torch.profiler's key_averages() for a recording. Zeroed members: by name, in order of first use. */
struct tracepress_table {
    uint32_t size;             /* sizeof(struct tracepress_table): lets later versions add members */
    int group_by_input_shape;  /* other input shapes, another row */
    uint32_t group_by_stack_n; /* the innermost n frames of the call stack likewise; needs with_stack */
    const char *sort_by;       /* "self_cpu_time_total", "cpu_time", "count", .. as torch; NULL: as they came */
    int row_limit;             /* 0: 100; below 0: all */
};

/* For handlers: the table as text, as key_averages().table() prints it. options NULL: zeroed ones but the size. The
 * caller's, for tracepress_free; NULL after saying why. Takes about as long as writing the trace does, and its room on
 * the disk. */
TRACEPRESS_CALL char *tracepress_key_averages(const struct tracepress_trace *trace,
                                              const struct tracepress_table *options);

/* Gives back what tracepress_key_averages returned; NULL is fine. */
TRACEPRESS_CALL void tracepress_free(void *text);

/* For handlers: call stacks with their time to `path`, for flamegraph.pl and speedscope. metric: "cpu" (microseconds),
 * "bytes" or "calls" of ranges within ranges; "self_cpu_time_total" (NULL: this) as torch's export_stacks, from the
 * stacks that with_stack records. Returns 0, or -1 after saying why. */
TRACEPRESS_CALL int tracepress_export_stacks(const struct tracepress_trace *trace, const char *path,
                                             const char *metric);

/* Adds a fact about the run to the traces (batch_size, model ..; batch_size and tokens_per_step also make rates in the
 * live event file); value as text, or as JSON. Before or during a
 * recording; kept for the following ones. */
TRACEPRESS_CALL void tracepress_metadata(const char *key, const char *value);
TRACEPRESS_CALL void tracepress_metadata_json(const char *key, const char *json);

/* ---- ranges -------------------------------------------------------------------------------------------------------
 * Ranges of a thread nest: an end closes the range that was begun last. One that is open when the recording stops is
 * kept, ends there, and is marked. */

/* A name's number, for ranges on hot paths: the same text gives the same number, for the life of the process. Takes a
 * lock. 0 when memory is short: an empty name. */
typedef uint32_t tracepress_name;
TRACEPRESS_CALL tracepress_name tracepress_intern(const char *name);

/* A range of this thread begins. A number that tracepress_intern did not give shows as an empty name. */
static inline void tracepress_begin(tracepress_name name);

/* The same without a number; it costs a copy of the text. */
static inline void tracepress_begin_text(const char *name);

/* What is done in a range, whatever its name. Findings go by it: a report says "waits for input" of a program whose
 * ranges of TRACEPRESS_INPUT stand in its way. Names that torch gives its ranges have their kinds anyway. */
enum tracepress_kind {
    TRACEPRESS_NONE, /* not told */
    TRACEPRESS_COMPUTE,
    TRACEPRESS_INPUT,         /* data is read, decoded, fetched */
    TRACEPRESS_COMMUNICATION, /* with other processes of the same work */
    TRACEPRESS_COPY,          /* memory, between devices as well */
    TRACEPRESS_WAIT,          /* for a thread, a lock, a time */
    TRACEPRESS_SYNC           /* for a device */
};

/* A range of this thread begins, of a kind. Another number than those above: TRACEPRESS_NONE. */
static inline void tracepress_begin_kind(tracepress_name name, enum tracepress_kind kind);

/* Ends the range of this thread that was begun last, of whatever kind. Without one: nothing. */
static inline void tracepress_end(void);

/* An argument of the range of this thread that was begun last and is open: a number or a text under a name, in the
 * trace, the page's timeline and the tables of events. The same name again replaces the value; the last 24 stay. NaN
 * and infinities are null. Outside of ranges: nothing. */
static inline void tracepress_arg_i64(tracepress_name name, int64_t value);
static inline void tracepress_arg_f64(tracepress_name name, double value);
static inline void tracepress_arg_text(tracepress_name name, const char *value);

/* The colour of that range in timelines: 0xRRGGBB; higher bits are not used. */
static inline void tracepress_color(uint32_t rgb);

/* Types of elements; traces show torch's names for them. */
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

/* An input of an operator. */
struct tracepress_input {
    enum tracepress_dtype dtype;
    uint32_t rank; /* at most 16 are kept */
    const int64_t *dims;
};

/* What is known about an operator call, from TRACEPRESS_OPERATOR on. Zeroed members but the sizes mean: not known. */
struct tracepress_operator {
    uint32_t size;       /* sizeof(struct tracepress_operator): lets later versions add members */
    uint32_t input_size; /* sizeof(struct tracepress_input): as above */
    const struct tracepress_input *inputs;
    uint32_t input_count; /* at most 64 are kept */
    int is_backward;
    uint64_t sequence;    /* from 1; a backward operator has its forward operator's, and an arrow is drawn */
    uint64_t forward_tid; /* of a backward operator */
    uint64_t flops, bytes;
};

/* What an operator begins with: struct tracepress_operator call = TRACEPRESS_OPERATOR; */
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

/* An operator begins; tracepress_end ends it. call NULL, or without its size: only its name; what it points to is
 * copied. */
static inline void tracepress_operator_begin(tracepress_name name, const struct tracepress_operator *call);

/* A module (layer) begins; tracepress_end ends it. */
static inline void tracepress_module_begin(tracepress_name name);

/* Work that begins on one thread and may end on another; id tells it from others of the same name. */
static inline void tracepress_async_begin(tracepress_name name, uint64_t id);
static inline void tracepress_async_end(tracepress_name name, uint64_t id);

/* An id that no other call of this process gives: 2^52 and above, beyond the program's own counts and addresses. In C++
 * tasks are objects, coroutines' as well: tracepress_task.h. */
TRACEPRESS_CALL uint64_t tracepress_async_id(void);

/* ---- moments -------------------------------------------------------------------------------------------------- */

/* Something happened now. */
static inline void tracepress_instant(tracepress_name name);

/* The same, with a text about this one time. */
static inline void tracepress_instant_text(tracepress_name name, const char *text);

/* A value now: a curve in the trace. NaN and infinities are left out. A live event file has the last value of
 * each step. */
static inline void tracepress_counter(tracepress_name name, double value);

/* Devices as torch numbers their types. */
enum tracepress_device { TRACEPRESS_CPU = 0, TRACEPRESS_CUDA = 1 };

/* `bytes` were allocated (below 0: given back) at `address`. The totals of that device after it, in bytes; -1: not
 * known. */
struct tracepress_memory {
    uint32_t size;                  /* sizeof(struct tracepress_memory): lets later versions add members */
    int32_t device_type, device_id; /* device_id -1 for the CPU */
    uint32_t unused;                /* 0 */
    uint64_t address;
    int64_t bytes, total_allocated, total_reserved;
};

/* What a note begins with: struct tracepress_memory note = TRACEPRESS_MEMORY; of the CPU, its totals not known. */
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

/* Notes an allocation or a release, for the memory curve. NULL, or without its size: nothing. */
static inline void tracepress_memory_note(const struct tracepress_memory *note);

/* ---- work of devices of the program's own -------------------------------------------------------------------------
 * What ran elsewhere, told when it is over: by an accelerator that nobody records, a simulator, another host. It is
 * shown as a GPU's work is. */

/* A lane: where works run one after the other. name: "DEVICE/QUEUE", such as "npu 0/queue 1"; lanes with the same
 * DEVICE are of one device. Without '/': a device with this one lane. kind: of its works, TRACEPRESS_COMPUTE (or NONE)
 * for kernels. The same name and kind give the same number, for the life of the process. Takes a lock. 0 when memory is
 * short. */
typedef uint32_t tracepress_lane_id;
TRACEPRESS_CALL tracepress_lane_id tracepress_lane(const char *name, enum tracepress_kind kind);

/* Now, on the clock of tracepress_complete: CLOCK_MONOTONIC in nanoseconds. */
TRACEPRESS_CALL int64_t tracepress_now(void);

/* An argument of a work: value is of the type's member. */
enum tracepress_type { TRACEPRESS_I64, TRACEPRESS_F64, TRACEPRESS_TEXT };
struct tracepress_argument {
    tracepress_name name;
    uint32_t type; /* enum tracepress_type */
    int64_t i64;
    double f64;
    const char *text; /* copied */
};

/* More about a work, from TRACEPRESS_WORK on. */
struct tracepress_work {
    uint32_t size;           /* sizeof(struct tracepress_work): lets later versions add members */
    uint32_t argument_size;  /* sizeof(struct tracepress_argument): as above */
    uint32_t kind;           /* enum tracepress_kind; TRACEPRESS_NONE: the lane's */
    int32_t color;           /* 0xRRGGBB; -1: none */
    uint32_t argument_count; /* at most 24 are kept */
    uint32_t unused;         /* 0 */
    const struct tracepress_argument *arguments;
};

/* What it begins with: struct tracepress_work work = TRACEPRESS_WORK; */
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

/* A work of a lane that is over: from begin_ns to end_ns on the clock of tracepress_now, in any order, from any thread.
 * What lies before the recording or after it is cut there, and left out when nothing remains; an end before the begin
 * is a moment. Works of a lane that overlap are shown on further rows of the device. The argument "bytes" (i64) of a
 * TRACEPRESS_COPY is what it moved. work NULL, or without its sizes: none of that. A lane of 0: nothing. */
static inline void tracepress_complete(tracepress_lane_id lane, tracepress_name name, int64_t begin_ns, int64_t end_ns,
                                       const struct tracepress_work *work);

/* ---- tensors ------------------------------------------------------------------------------------------------------
 * What a program computes, kept so that two runs can be compared by name and step. */

enum tracepress_tensor_mode {
    TRACEPRESS_STATISTICS, /* count, min, max, mean, std, l2, zeros, NaNs and infinities, in the trace */
    TRACEPRESS_VALUES      /* these, and all values as <directory>/<worker>.tensors/<step>/<name>.npy */
};

/* Notes a tensor. dtype: of its elements, not TRACEPRESS_SCALAR; rank: at most 16; dims: `rank` sizes, none below 0,
 * may be NULL with rank 0 (one element); data: the elements in the order of C, in memory of the host, any alignment,
 * may be NULL when there are none. What breaks a rule is left out and counted in the trace (tracepress_dropped).
 *
 * Statistics are of the finite elements as doubles: mean = sum x / n, std = sqrt(sum (x - mean)^2 / n), l2 =
 * sqrt(sum x^2); null in the trace when there are none. They take some nanoseconds per element, in this call.
 *
 * Values go to NumPy files that appear whole or not at all, bfloat16 as its bits (uint16; the trace says so). Of
 * several tensors with one name in a step the last one's file stays. In names of files, bytes other than letters,
 * digits, '_',
 * '-' and '.' are %XX. When the disk is full, or $TRACEPRESS_TENSOR_MB (65536 MiB) are written, the rest of the
 * recording has statistics only. */
static inline void tracepress_tensor(tracepress_name name, enum tracepress_dtype dtype, uint32_t rank,
                                     const int64_t *dims, const void *data, enum tracepress_tensor_mode mode);

/* ---- timing events ------------------------------------------------------------------------------------------------
 * As torch.cuda.Event(enable_timing=True), and the same on the CPU. They work with and without a recording; in one,
 * each record is also an instant of category timing_event in the trace. An event is used by one thread at a time;
 * those of CUDA with the context of their stream current, and not in a child after fork. */

struct tracepress_event;

/* A new event that is not recorded yet; its name is that of its mark in the trace. NULL when memory is short: all
 * functions below take that. The caller destroys it. */
TRACEPRESS_CALL struct tracepress_event *tracepress_event_create(tracepress_name name, enum tracepress_device device);

/* Frees the event. NULL: nothing. */
TRACEPRESS_CALL void tracepress_event_destroy(struct tracepress_event *event);

/* Records the event: on the CPU now; on CUDA when the work that `stream` (a CUstream or cudaStream_t; NULL: the default
 * one) holds by now is done. A later record replaces the moment. Returns 0; -1 with CUDA when the program has no driver
 * loaded (this library loads none) or the driver refuses. */
TRACEPRESS_CALL int tracepress_event_record(struct tracepress_event *event, void *stream);

/* 1: its moment has come; 0: the device is not there yet; -1: not recorded, or an error of the driver. */
TRACEPRESS_CALL int tracepress_event_query(const struct tracepress_event *event);

/* Waits for its moment. Returns 0, or -1 as above. */
TRACEPRESS_CALL int tracepress_event_synchronize(const struct tracepress_event *event);

/* Milliseconds from start to end, below 0 when end was first. NaN when one is not recorded or has not come yet, or when
 * they are of different devices. CUDA's own resolution is about half a microsecond. */
TRACEPRESS_CALL double tracepress_event_elapsed(const struct tracepress_event *start,
                                                const struct tracepress_event *end);

/* The same in nanoseconds; INT64_MIN for what is NaN above. */
TRACEPRESS_CALL int64_t tracepress_event_elapsed_ns(const struct tracepress_event *start,
                                                    const struct tracepress_event *end);

#ifdef __cplusplus
}
#endif

/* The rest of this header: what stands behind the functions above; TRACEPRESS_SCOPE("forward"), a range until the end
 * of the block; in C++ TRACEPRESS_TASK and TRACEPRESS_AWAIT, for coroutines. */
#include "tracepress_calls.h"
#include "tracepress_disabled.h"
#include "tracepress_scope.h"
#include "tracepress_task.h"

#endif
