/* Writes traces in the form of torch.profiler 2.13, as a stream: open, events in any order, close.
 *
 * Every call appends its text; events are not kept. A separate thread compresses the text and writes it (pack.h) to a
 * temporary file, which close renames. So the trace is complete or absent. The output is valid JSON for any texts
 * (ill-formed UTF-8 becomes U+FFFD, NUL \u0000, NaN null). Names are cut at TP_MAX_NAME_BYTES, other texts at
 * TP_MAX_OUT_TEXT_BYTES. Errors are sticky: later calls do nothing, and close returns the error.
 *
 * Times are int64 nanoseconds relative to options.base_time_ns, printed exactly, as microseconds with three decimals.
 * Texts and arrays are borrowed for the call only. A struct tp_str with ptr NULL means absent, or an empty text where a
 * text is required. Two threads must not use a writer at the same time; several writers are independent. A child of
 * fork must not use its parent's writer. The functions never exit or print, and call no functions of the caller. */
#ifndef TP_WRITER_TRACE_JSON_H
#define TP_WRITER_TRACE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/base/table.h" /* for TP_NULL_INT */

struct tp_trace_out;

/* ---- arguments of events -------------------------------------------------------------------------------------- */

/* Keys as torch spells them, and the type of their values. An event's arguments are written in the order of its array.
 * The writer adds "Ev Idx". */
enum tp_trace_out_key {
    TP_OUT_EXTERNAL_ID,        /* key "External id", int: id of the operator, unique in the trace */
    TP_OUT_RECORD_FUNCTION_ID, /* key "Record function id", int: 0 unless an execution trace was recorded too */
    TP_OUT_SEQUENCE_NUMBER,    /* key "Sequence number", int: equal for a forward operator and its backward operator */
    TP_OUT_FWD_THREAD_ID,    /* key "Fwd thread id", int: 0 in a forward operator; in a backward operator, the number of
                              * the forward thread */
    TP_OUT_CONCRETE_INPUTS,  /* key "Concrete Inputs", texts: values of the inputs that are not tensors */
    TP_OUT_INPUT_DIMS,       /* key "Input Dims", shapes */
    TP_OUT_INPUT_TYPE,       /* key "Input type", texts: C++ type names, "float", "long int" */
    TP_OUT_INPUT_STRIDES,    /* key "Input Strides", shapes */
    TP_OUT_CALL_STACK,       /* key "Call stack", text: frames innermost first, each ended by ';' */
    TP_OUT_MODULE_HIERARCHY, /* key "Module Hierarchy", text */
    TP_OUT_FLOPS,            /* key "flops", int: floating-point operations of an operator */
    TP_OUT_BYTES,            /* key "bytes", int: bytes of a copy or set */
    TP_OUT_PYTHON_ID,        /* key "Python id", int: number of a call of a Python function */
    TP_OUT_PYTHON_PARENT_ID, /* key "Python parent id", int: "Python id" of the caller */
    TP_OUT_PYTHON_MODULE_ID, /* key "Python module id", int: k for the k-th instance of the class */
    TP_OUT_PYTHON_THREAD,    /* key "Python thread", int */
    TP_OUT_FINISHED,         /* key "finished", bool: false if the region was open at the end of the recording */
    TP_OUT_CBID,             /* key "cbid", int: CUPTI's number of the called function */
    TP_OUT_CORRELATION,      /* key "correlation", int: equal for a launch and its kernel */
    TP_OUT_DEVICE,           /* key "device", int: number of the device */
    TP_OUT_CONTEXT,          /* key "context", int */
    TP_OUT_STREAM,           /* key "stream", int */
    TP_OUT_QUEUED,           /* key "queued", int */
    TP_OUT_REGISTERS,        /* key "registers per thread", int */
    TP_OUT_SHARED_MEMORY,    /* key "shared memory", int: bytes */
    TP_OUT_BLOCKS_PER_SM,    /* key "blocks per SM", real */
    TP_OUT_WARPS_PER_SM,     /* key "warps per SM", real */
    TP_OUT_GRID,             /* key "grid", ints: x, y, z */
    TP_OUT_BLOCK,            /* key "block", ints: x, y, z */
    TP_OUT_OCCUPANCY,        /* key "est. achieved occupancy %", int */
    TP_OUT_BANDWIDTH,        /* key "memory bandwidth (GB/s)", real: bytes per nanosecond of a copy or set */
    TP_OUT_GRAPH_ID,         /* key "graph id", int */
    TP_OUT_GRAPH_NODE_ID,    /* key "graph node id", int */
    TP_OUT_SYNC_KIND,        /* key "cuda_sync_kind", text */
    TP_OUT_WAIT_STREAM,      /* key "wait_on_stream", int: stream whose work is awaited */
    TP_OUT_WAIT_CORRELATION, /* key "wait_on_cuda_event_record_corr_id", int: call that recorded the awaited event */
    TP_OUT_WAIT_EVENT,       /* key "wait_on_cuda_event_id", int: awaited event */
    TP_OUT_COLLECTIVE,       /* key "Collective name", text */
    TP_OUT_DTYPE,            /* key "dtype", text: element type of a collective */
    TP_OUT_IN_COUNT,         /* key "In msg nelems", int: elements that this rank sends */
    TP_OUT_OUT_COUNT,        /* key "Out msg nelems", int: elements that this rank receives */
    TP_OUT_GROUP_SIZE,       /* key "Group size", int: number of ranks in the process group */
    TP_OUT_GROUP_NAME,       /* key "Process Group Name", text */
    TP_OUT_GROUP_DESCRIPTION, /* key "Process Group Description", text */
    TP_OUT_GROUP_RANKS,       /* key "Process Group Ranks", text: "[0, 1]" */
    TP_OUT_GROUP_SEQUENCE,    /* key "Seq", int: number of a collective in its group, equal on all ranks of the group */
    TP_OUT_CPU_NS,            /* key "cpu ns", int: processor time that a sample represents */
    /* the key is tp_trace_out_arg.name; the names "Ev Idx" and all keys above are written as "user NAME" */
    TP_OUT_NAMED,
    TP_OUT_KEY_COUNT
};

/* A list of integers, such as the dimensions of a tensor. items may be NULL if count is 0. */
struct tp_trace_out_ints {
    const int64_t *items;
    size_t count;
};

enum tp_trace_out_type {
    TP_OUT_INT,
    TP_OUT_REAL, /* a number; NaN and infinities are written as null */
    TP_OUT_BOOL,
    TP_OUT_TEXT,
    TP_OUT_TEXTS,  /* list of texts */
    TP_OUT_INTS,   /* list of integers */
    TP_OUT_SHAPES, /* list of lists of integers */
    TP_OUT_JSON,   /* JSON text; written as a string if the text is not valid JSON */
};

struct tp_trace_out_arg {
    enum tp_trace_out_key key;
    enum tp_trace_out_type type;
    struct tp_str name; /* key of the argument; only with TP_OUT_NAMED */
    union {
        int64_t integer;
        double real;
        bool is_true;
        struct tp_str text; /* value for TP_OUT_TEXT and TP_OUT_JSON */
        struct tp_trace_out_ints ints;
        struct {
            const struct tp_str *items;
            size_t count;
        } texts;
        struct {
            const struct tp_trace_out_ints *items;
            size_t count;
        } shapes;
    } value;
};

static inline struct tp_trace_out_arg tp_trace_out_int_arg(enum tp_trace_out_key key, int64_t value)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_INT, .value.integer = value};
}

static inline struct tp_trace_out_arg tp_trace_out_real_arg(enum tp_trace_out_key key, double value)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_REAL, .value.real = value};
}

static inline struct tp_trace_out_arg tp_trace_out_bool_arg(enum tp_trace_out_key key, bool value)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_BOOL, .value.is_true = value};
}

static inline struct tp_trace_out_arg tp_trace_out_text_arg(enum tp_trace_out_key key, struct tp_str value)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_TEXT, .value.text = value};
}

static inline struct tp_trace_out_arg tp_trace_out_texts_arg(enum tp_trace_out_key key, const struct tp_str *items,
                                                             size_t count)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_TEXTS, .value.texts = {items, count}};
}

static inline struct tp_trace_out_arg tp_trace_out_list_arg(enum tp_trace_out_key key, const int64_t *items,
                                                            size_t count)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_INTS, .value.ints = {items, count}};
}

static inline struct tp_trace_out_arg tp_trace_out_shapes_arg(enum tp_trace_out_key key,
                                                              const struct tp_trace_out_ints *items, size_t count)
{
    return (struct tp_trace_out_arg){.key = key, .type = TP_OUT_SHAPES, .value.shapes = {items, count}};
}

/* ---- the document --------------------------------------------------------------------------------------------- */

/* Flags named after options of torch.profiler. Each flag that is set becomes a top-level key with the value 1. */
enum tp_trace_out_flag {
    TP_OUT_WITH_STACK = 1,
    TP_OUT_PROFILE_MEMORY = 2,
    TP_OUT_RECORD_SHAPES = 4,
    TP_OUT_WITH_MODULES = 8,
    TP_OUT_WITH_FLOPS = 16,
};

/* A GPU for the top-level key deviceProperties. Members that are TP_NULL_INT are left out. Initialize it with
 * TP_TRACE_OUT_DEVICE. */
struct tp_trace_out_device {
    int64_t id;
    struct tp_str name;
    int64_t total_memory_bytes, compute_major, compute_minor, max_threads_per_block, max_threads_per_sm,
        registers_per_block, warp_size, shared_memory_per_block_bytes, sm_count, registers_per_sm,
        shared_memory_per_block_optin_bytes, shared_memory_per_sm_bytes;
    struct tp_str label; /* name of the GPU's process row; absent: "GPU k" */
};

#define TP_TRACE_OUT_DEVICE(number, device_name)                                                                       \
    ((struct tp_trace_out_device){(number),                                                                            \
                                  (device_name),                                                                       \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  TP_NULL_INT,                                                                         \
                                  {NULL, 0}})

/* A top-level key with its value. Keys of the format itself and repeated keys are left out. */
struct tp_trace_out_meta {
    struct tp_str key, value;
    bool is_json; /* true: the value is JSON; written as a string if the value is not valid JSON */
};

struct tp_trace_receiver; /* defined in trace_receiver.h */

/* Options of a trace. Initialize them with TP_TRACE_OUT_OPTIONS. All texts and arrays are borrowed until open
 * returns. */
struct tp_trace_out_options {
    /* receiver of the records, valid until close; no file is written. NULL: a file is written */
    const struct tp_trace_receiver *receiver;
    bool is_gzip;
    int level;          /* level of gzip, 1 (fast) to 9 (small); 0: level 1 */
    bool single_thread; /* true: compresses without a separate thread */
    /* comment in the header of the gzip member, borrowed (writer/base/deflate.h); NULL: no comment */
    const char *comment;
    unsigned flags; /* bit set of enum tp_trace_out_flag */
    /* wall clock at time 0, ns since the epoch, written as baseTimeNanoseconds; tp_trace_out_base_time_ns returns
     * torch's value */
    int64_t base_time_ns;
    /* start of the recording, ns relative to base_time_ns; also the time of row names and the start of the profiler
     * span */
    int64_t begin_ns;
    int64_t process_id;
    struct tp_str process_name, process_labels; /* process_labels: labels of the process row; "CPU" if absent */
    struct tp_str host_name, trace_id;          /* name of the host, and trace id of 32 hexadecimal digits; left out if
                                                 * absent */
    struct tp_str backend;                      /* backend of torch.distributed, such as "nccl"; left out if absent */
    /* members of distributedInfo. A negative member is left out. If all are negative, distributedInfo is left out */
    int64_t rank, world_size, local_rank;
    const struct tp_trace_out_device *devices;
    size_t device_count; /* number of devices; each device also gets a process row, "GPU k" */
    const struct tp_trace_out_meta *metadata;
    size_t metadata_count;
};

#define TP_TRACE_OUT_OPTIONS ((struct tp_trace_out_options){.rank = -1, .world_size = -1, .local_rank = -1})

/* pid of the row with the profiler's own span and the global marks. It is torch's sort index of this row, and no
 * process has this id. */
enum { TP_TRACE_OUT_SPANS_PID = 536870912 };

/* Returns torch's base_time_ns: the wall clock rounded down to a multiple of 7 889 238 seconds. Ranks that start
 * within the same three months have the same value. wall_ns: ns since the epoch, >= 0. */
int64_t tp_trace_out_base_time_ns(int64_t wall_ns);

/* Opens `path` ("-": standard output) and writes the members before traceEvents, and the process rows. options: NULL
 * means TP_TRACE_OUT_OPTIONS. Returns 0, and the caller must close or discard *out. Returns TP_EIO or TP_ENOMEM with
 * *out NULL. */
int tp_trace_out_open(struct tp_trace_out **out, const char *path, const struct tp_trace_out_options *options,
                      struct tp_error *err);

/* Writes the profiler span, "Record Window End" and traceName, waits for the compression thread, and renames the file.
 * Frees *slot and sets it to NULL. end_ns: end of the recording; TP_NULL_INT: the last end of an event. Returns 0, or
 * the first error, TP_EIO or TP_ENOMEM. After an error, no file remains. */
int tp_trace_out_close(struct tp_trace_out **slot, int64_t end_ns, struct tp_error *err);

/* Discards the trace. Frees *slot and sets it to NULL. *slot may be NULL. */
void tp_trace_out_discard(struct tp_trace_out **slot);

/* Returns 0 or the code of the sticky error, for a caller that wants to stop early. */
int tp_trace_out_error_code(const struct tp_trace_out *out);

struct tp_trace_out_stats {
    uint64_t record_count; /* number of elements written to traceEvents so far */
    uint64_t text_bytes;   /* size of all elements of traceEvents so far, before compression, bytes */
    uint64_t cut_count;    /* number of texts that were cut at a limit */
    /* number of records that were left out because they exceed TP_MAX_EVENT_BYTES or are counters without a number */
    uint64_t dropped_count;
};

struct tp_trace_out_stats tp_trace_out_stats(const struct tp_trace_out *out);

/* ---- rows: may be written at any time before close --------------------------------------------------------------- */

/* Writes a process row. labels with ptr NULL: no labels. sort_index TP_NULL_INT: no sort index. tp_trace_out_open
 * writes the rows of process_id and of the devices. */
void tp_trace_out_process(struct tp_trace_out *out, int64_t pid, struct tp_str name, struct tp_str labels,
                          int64_t sort_index);

/* Writes the name and the position of a row. sort_index TP_NULL_INT: no sort index. */
void tp_trace_out_row(struct tp_trace_out *out, int64_t pid, int64_t tid, struct tp_str name, int64_t sort_index);

/* Writes a thread row as torch does: the name is "thread TID (NAME)", and the rows are sorted by tid. */
void tp_trace_out_thread(struct tp_trace_out *out, int64_t pid, int64_t tid, struct tp_str name);

/* Writes the row of a GPU stream as torch does: pid is the device, tid is the stream, the name is "stream N ". */
void tp_trace_out_stream(struct tp_trace_out *out, int64_t device, int64_t stream);

/* ---- events --------------------------------------------------------------------------------------------------- */

enum tp_trace_out_category {
    TP_OUT_CPU_OP,          /* operator; written with "Ev Idx" */
    TP_OUT_USER_ANNOTATION, /* range of the program; written with "Ev Idx" */
    TP_OUT_PYTHON_FUNCTION, /* Python function; written with "Ev Idx" */
    TP_OUT_CUDA_RUNTIME,    /* call of the CUDA runtime; pid, tid: process and thread */
    TP_OUT_CUDA_DRIVER,     /* call of the CUDA driver; pid, tid: process and thread */
    TP_OUT_KERNEL,          /* pid, tid: device and stream, also in the next four categories */
    TP_OUT_GPU_MEMCPY,
    TP_OUT_GPU_MEMSET,
    TP_OUT_GPU_USER_ANNOTATION,
    TP_OUT_CUDA_SYNC,
    TP_OUT_OVERHEAD,
    TP_OUT_OTHER, /* the category is tp_trace_out_event.other_category */
    TP_OUT_CATEGORY_COUNT
};

/* A slice. Slices of one row may nest, but must not overlap partially. */
struct tp_trace_out_event {
    enum tp_trace_out_category category;
    struct tp_str other_category; /* name of the category; only with TP_OUT_OTHER */
    struct tp_str name;
    int64_t pid, tid;
    int64_t ts_ns, dur_ns; /* start and duration, ns; a negative duration is written as 0 */
    const struct tp_trace_out_arg *args;
    size_t arg_count;
};

/* Writes a complete event (ph X). */
void tp_trace_out_complete(struct tp_trace_out *out, const struct tp_trace_out_event *event);

/* Writes ProfilerStep#`number` as a user_annotation. */
void tp_trace_out_step(struct tp_trace_out *out, int64_t number, int64_t pid, int64_t tid, int64_t ts_ns,
                       int64_t dur_ns);

/* Writes an instant (ph i) on its thread, without "Ev Idx". dur_ns is ignored. */
void tp_trace_out_instant(struct tp_trace_out *out, const struct tp_trace_out_event *event);

/* Writes the start or the end of a task (ph b, e). The end may be on another thread than the start, but has the same
 * category, name and id. */
void tp_trace_out_task(struct tp_trace_out *out, const struct tp_trace_out_event *event, uint64_t id, bool is_end);

/* Writes a sample of a thread (ph P), like an instant. The stack of the sample is an argument. */
void tp_trace_out_sample(struct tp_trace_out *out, const struct tp_trace_out_event *event);

/* Device types of c10 for tp_trace_out_memory. */
enum { TP_OUT_DEVICE_CPU = 0, TP_OUT_DEVICE_CUDA = 1, TP_OUT_DEVICE_HIP = 6 };

/* An allocation or a release: the instant "[memory]" (or "[OutOfMemory]") with "Ev Idx". */
struct tp_trace_out_memory {
    int64_t pid, tid, ts_ns;
    bool is_out_of_memory;
    int64_t address;                /* address of the memory; TP_NULL_INT: left out */
    int64_t bytes;                  /* bytes that were allocated; negative: a release */
    int64_t device_type, device_id; /* device_id: number of the device, -1 for the CPU */
    /* totals after the allocation or release; total_reserved_bytes is 0 for the CPU. TP_NULL_INT: left out */
    int64_t total_allocated_bytes, total_reserved_bytes;
    struct tp_str call_stack; /* stack of the call; left out if absent */
};

void tp_trace_out_memory(struct tp_trace_out *out, const struct tp_trace_out_memory *memory);

/* One series of a counter. */
struct tp_trace_out_value {
    struct tp_str name;
    double value; /* value of the series; NaN or infinite: left out */
};

/* Writes the values of a counter (ph C) at the time `ts_ns`. */
void tp_trace_out_counter(struct tp_trace_out *out, struct tp_str name, int64_t pid, int64_t ts_ns,
                          const struct tp_trace_out_value *values, size_t count);

enum tp_trace_out_flow_kind {
    TP_OUT_FLOW_LAUNCH,   /* ac2g: arrow from a launch to its kernel; the id is the correlation */
    TP_OUT_FLOW_BACKWARD, /* fwdbwd: arrow from a forward operator to its backward operator; ids count from 1 */
    TP_OUT_FLOW_ASYNC,    /* async_task: arrow from the start of a task to its end */
};

/* The start or the end of an arrow. Write it directly after its slice, with the pid, tid and ts of the slice. */
struct tp_trace_out_flow {
    enum tp_trace_out_flow_kind kind;
    bool is_start;
    int64_t id, pid, tid, ts_ns;
};

void tp_trace_out_flow(struct tp_trace_out *out, const struct tp_trace_out_flow *flow);

#endif
