/* Defines the spool: the file with all records of a program, which survives even if the program is killed.
 *
 * The file consists of units of 4 KiB. The first unit is the head; the others belong to chunks. A chunk has one or
 * more units and is written by one thread. A chunk begins with a header, followed by records of 16-byte slots. The
 * time of a record is stored last, so a time of 0 marks the end of the finished records. SIGKILL, abort and exec lose
 * nothing, because the pages belong to the file. A chunk without a header was reserved and never used.
 *
 * Byte order and sizes are those of the machine that wrote the spool, so only a machine of the same kind can read
 * it. */
#ifndef TP_WRITER_SPOOL_SPOOL_FORMAT_H
#define TP_WRITER_SPOOL_SPOOL_FORMAT_H

#include <stdint.h>

enum {
    TP_SPOOL_VERSION = 1,
    TP_SPOOL_UNIT = 4096,
    TP_SPOOL_SLOT = 16,
    TP_SPOOL_MAX_SLOTS = 256, /* maximum number of slots of one record, including its head */
    TP_SPOOL_MAX_CHUNK = 1 << 20,
    TP_SPOOL_MAX_INPUTS = 64, /* maximum number of inputs of one operator */
    TP_SPOOL_MAX_RANK = 16    /* maximum number of dimensions of one input; further dimensions are dropped */
};

#define TP_SPOOL_MAGIC 0x6C6F6F7073707401ull       /* the bytes "\1tpspool" */
#define TP_SPOOL_CHUNK_MAGIC 0x6B6E756863707401ull /* the bytes "\1tpchunk" */

/* First bytes of the spool. */
struct tp_spool_head {
    uint64_t magic;
    uint32_t version, is_tsc; /* is_tsc: 1: times are ticks of the time stamp counter; 0: ns of CLOCK_MONOTONIC */
    uint64_t pid, start_realtime_ns;
    uint32_t flags; /* bit set of enum tp_spool_flag */
    /* rank: rank of the process; world_size: number of ranks; local_rank: rank among the processes of this host.
     * UINT32_MAX: unknown */
    uint32_t rank, world_size, local_rank;
    char program[64]; /* name of the program, NUL-terminated */
};

enum tp_spool_flag {
    TP_SPOOL_SHAPES = 1,
    TP_SPOOL_MEMORY = 2,
    TP_SPOOL_STACKS = 4,
    TP_SPOOL_FLOPS = 8,
    TP_SPOOL_MODULES = 16,
    TP_SPOOL_NO_CPU = 64, /* ranges and instants from API calls of the program are not recorded, but steps are */
    /* the chunks of threads are reused, so that the file contains only the last part of the recording */
    TP_SPOOL_RING = 32
};

struct tp_spool_chunk {
    uint64_t magic;
    uint32_t size; /* bytes of the chunk, including this header; a multiple of the unit size */
    uint32_t is_notes;
    uint64_t tid;              /* system thread id; may be reused by a later thread */
    uint32_t thread, sequence; /* thread: number of the thread in this recording; sequence: number of the chunk in its
                                * thread, from 0 */
    char thread_name[24];      /* name of the thread, NUL-terminated; "": unknown */
    uint64_t next;             /* next chunk in a list of the writer; readers ignore it */
};

/* A record, followed by `slots` slots of payload. */
struct tp_spool_record {
    uint64_t time; /* time of the record in the spool's clock, stored last; 0: the record is not finished */
    uint32_t name; /* number of a name, TP_SPOOL_NO_NAME, or another value, depending on the kind */
    uint8_t kind;  /* kind of the record, enum tp_spool_kind */
    uint8_t slots;
    /* length of the text at the end of the payload, bytes. The text is the name if `name` is TP_SPOOL_NO_NAME */
    uint16_t text;
};

#define TP_SPOOL_NO_NAME UINT32_MAX

enum tp_spool_kind {
    /* Records about the whole process, in chunks with is_notes. They are written under the session's lock. */
    TP_SPOOL_NAME = 1,  /* a name and its number; `name`: the number; text: the name */
    TP_SPOOL_CLOCK,     /* one moment on all clocks; payload: struct tp_spool_clock */
    TP_SPOOL_META_TEXT, /* metadata of the run; text: key, '\n', value */
    TP_SPOOL_META_JSON, /* metadata of the run; text: key, '\n', value in JSON */
    TP_SPOOL_STOP,      /* the recording was stopped in the regular way */
    TP_SPOOL_LOADED,    /* a loaded program or library; payload: struct tp_spool_loaded; text: path of its file */
    /* Records about one thread, in the chunks of this thread. */
    TP_SPOOL_SCOPE = 16, /* start of a range of the user; no payload */
    TP_SPOOL_OPERATOR,   /* start of an operator; payload: struct tp_spool_operator, then its inputs */
    TP_SPOOL_MODULE,
    /* start of a step; `name`: number of the step. TP_SPOOL_STEP_END ends the step and all ranges that are still open
     * in it */
    TP_SPOOL_STEP,
    TP_SPOOL_END,         /* end of the innermost range of the thread */
    TP_SPOOL_INSTANT,     /* instant; text: detail of this occurrence, if `name` is the number of a name */
    TP_SPOOL_COUNTER,     /* value of a counter; payload: struct tp_spool_counter */
    TP_SPOOL_MEMORY_NOTE, /* allocation or release; payload: struct tp_spool_memory */
    TP_SPOOL_ASYNC_BEGIN, /* start of a task, which may end on another thread; payload: struct tp_spool_async */
    TP_SPOOL_ASYNC_END,
    TP_SPOOL_STEP_END,
    TP_SPOOL_STACK = 32, /* stack of the thread's next record; payload: addresses, innermost first */
    TP_SPOOL_SAMPLED,    /* a thread that may have samples; payload: struct tp_spool_sampled */
    TP_SPOOL_SAMPLE,     /* sample of a thread; payload: struct tp_spool_sample, then its addresses, padded to whole
                          * slots */
    TP_SPOOL_EVENT = 40, /* timing event; payload: struct tp_spool_event */
    TP_SPOOL_TENSOR,     /* tensor; payload: struct tp_spool_tensor, then its dimensions; text: path of its file,
                          * relative to the folder of tensors */
    TP_SPOOL_KIND_SCOPE, /* start of a range with a kind of work; no payload; `text`: enum tp_spool_work_kind */
    TP_SPOOL_WORK,       /* finished work item of a lane (a queue of a device); payload: struct tp_spool_work */
    /* first kind of GPU activity: writer/spool/spool_format_gpu.h */
    TP_SPOOL_GPU_DEVICE = 48,
    TP_SPOOL_GPU_CLOCK,
    TP_SPOOL_GPU_LOST,
    TP_SPOOL_GPU_CALL,
    TP_SPOOL_GPU_KERNEL,
    TP_SPOOL_GPU_COPY,
    TP_SPOOL_GPU_SET,
    TP_SPOOL_GPU_SYNC,
    TP_SPOOL_GPU_EVENT,
    TP_SPOOL_GPU_OVERHEAD,
    TP_SPOOL_GPU_MEMORY,
    TP_SPOOL_GPU_POOL,
    TP_SPOOL_GPU_ENVIRONMENT,
    TP_SPOOL_GPU_GRAPH,
    TP_SPOOL_GPU_END = 64,
    /* Records of NVTX and ITT, in chunks of threads. struct tp_spool_mark describes domains. */
    TP_SPOOL_MARK_PUSH = 64, /* start of a range of this thread; payload: struct tp_spool_mark */
    TP_SPOOL_MARK_POP,       /* end of the thread's innermost range in a domain; `name`: the domain */
    TP_SPOOL_MARK_START,     /* start of a range that may overlap others; payload: struct tp_spool_mark */
    TP_SPOOL_MARK_FINISH,    /* end of a range that may overlap others, on any thread; payload: struct tp_spool_async */
    TP_SPOOL_MARK_SPAN,      /* finished range; payload: struct tp_spool_mark, struct tp_spool_span */
    TP_SPOOL_MARK_POINT,     /* instant; payload: struct tp_spool_mark */
    /* name of a category; payload: struct tp_spool_mark, which contains the category and its domain */
    TP_SPOOL_MARK_CATEGORY,
    TP_SPOOL_MARK_THREAD, /* name of the system thread `id`; payload: struct tp_spool_async */
    TP_SPOOL_MARK_FACT,   /* attribute of a range; payload: struct tp_spool_fact_head, then values of 8 bytes, or a text
                           * at the end */
    /* Records of hooks and compilers, which spool_trace_native.c converts. */
    TP_SPOOL_FUNCTION = 80, /* start of a function; no payload; `name`: bits 0 to 31 of its address, `text`: bits 32 to
                             * 47 */
    /* end of a function and of all ranges that are still open in it; `name` and `text`: address as above */
    TP_SPOOL_FUNCTION_END,
    TP_SPOOL_WAIT,       /* blocking call that ends at the time of this record; payload: struct tp_spool_wait */
    TP_SPOOL_COLLECTIVE, /* MPI call that ends at the time of this record; payload: struct tp_spool_collective */
    TP_SPOOL_REGION,     /* start of a parallel region; payload: struct tp_spool_region */
    /* end of this thread's innermost region, and of the regions with the same number on all threads; payload: struct
     * tp_spool_region */
    TP_SPOOL_REGION_END,
    TP_SPOOL_RANK, /* rank of the process; payload: struct tp_spool_rank */
    TP_SPOOL_KINDS
};

/* Times of three clocks at the same moment. */
struct tp_spool_clock {
    uint64_t ticks;
    int64_t monotonic_ns, realtime_ns, unused;
};

/* A program or library that is loaded from the time of this record on. */
struct tp_spool_loaded {
    /* start, end: addresses in memory; bias: address in memory minus address in the file; ticks: time at which the
     * recorder found the file */
    uint64_t start, end, bias, ticks;
};

struct tp_spool_sampled {
    uint64_t tid, unused;
    char name[32]; /* name of the thread, NUL-terminated */
};

/* A sample of a thread's stack. The first address is the current instruction; the others are return addresses. */
struct tp_spool_sample {
    /* tid: system thread id; ticks: time of the sample; cpu_ns: processor time that the sample represents, ns */
    uint64_t tid, ticks, cpu_ns;
    uint64_t frame_count;
};

struct tp_spool_operator {
    int64_t sequence, flops; /* sequence: sequence number of the operator; flops: its FLOPs. INT64_MIN: none */
    int64_t bytes, forward_tid;
    uint32_t input_count, is_backward;
    uint64_t is_of_library; /* 1: a source that intercepts a library function recorded the operator; 0: the program
                             * itself recorded it */
};

/* An input of an operator, followed by `rank` int64 dimensions, padded to whole slots. */
struct tp_spool_input {
    uint32_t rank, dtype; /* rank: number of dimensions; dtype: enum tracepress_dtype */
    uint64_t unused;
};

struct tp_spool_counter {
    double value;
    uint64_t unused;
};

struct tp_spool_memory {
    uint64_t address;
    int64_t bytes; /* bytes that were allocated; negative: bytes that were released */
    int64_t total_allocated, total_reserved;
    int32_t device_type, device_id; /* device_type: 0 CPU, 1 CUDA, as in torch; device_id: number of the device */
    uint64_t unused;
};

struct tp_spool_async {
    uint64_t id, unused;
};

/* Kinds of ranges and work items, with the values of enum tracepress_kind. */
enum tp_spool_work_kind { TP_SPOOL_WORK_KINDS = 7 };

/* A work item on a lane (a queue of a device). Its times are ns of CLOCK_MONOTONIC. */
struct tp_spool_work {
    int64_t begin_ns, end_ns;
    uint32_t lane, kind; /* lane: number of the lane's name; kind: enum tp_spool_work_kind */
    uint64_t unused;
};

/* Bit that distinguishes domains of ITT from domains of NVTX. The other bits are the number of the domain's name,
 * except in the next two values. */
#define TP_SPOOL_ITT 0x80000000u
#define TP_SPOOL_OF_RANGE 0xFFFFFFFEu /* the fact belongs to the innermost range that was begun with tracepress.h */
#define TP_SPOOL_OF_WORK 0xFFFFFFFDu  /* the fact belongs to the last work item that its thread recorded */

/* Types of an 8-byte value. The bits of a TP_SPOOL_COLOR are 0xRRGGBB. */
enum tp_spool_value {
    TP_SPOOL_NOTHING,
    TP_SPOOL_UNSIGNED,
    TP_SPOOL_SIGNED,
    TP_SPOOL_REAL,
    TP_SPOOL_TEXT,
    TP_SPOOL_COLOR
};

/* Forms of a range that may overlap other ranges. The form determines the name of the range's row. */
enum tp_spool_form {
    TP_SPOOL_FORM_RANGE,
    TP_SPOOL_FORM_TASK,
    TP_SPOOL_FORM_FRAME,
    TP_SPOOL_FORM_REGION,
    TP_SPOOL_FORM_EVENT, /* an event; becomes an instant if it has no end */
    TP_SPOOL_FORM_COUNT
};

/* size of a mark that has no second half, bytes */
enum { TP_SPOOL_SHORT_MARK = TP_SPOOL_SLOT };

/* A range or instant; its name is the name of the record. The second half exists only if has_more is set; most marks
 * have no second half. */
struct tp_spool_mark {
    /* domain: number of the domain's name; category: number that the program has chosen, or 0 */
    uint32_t domain, category;
    uint32_t color;          /* colour as ARGB, valid if has_color is set */
    uint8_t has_color, form; /* form: enum tp_spool_form */
    uint8_t value_type;      /* type of `value`, enum tp_spool_value without text */
    uint8_t has_more;
    uint64_t key;   /* key of the range, also contained in the records of its end and of its facts; 0: none */
    uint64_t value; /* bits of the mark's value */
};

/* Start and end of a finished range, ticks. */
struct tp_spool_span {
    uint64_t begin, end;
};

/* A fact (attribute) of a range. The record's `name` is the key of the fact. */
struct tp_spool_fact_head {
    uint64_t key;    /* key of the range; 0: the innermost range of the domain on this thread */
    uint32_t domain; /* domain of the range */
    uint16_t count;  /* number of values */
    uint8_t type;    /* type of the values, enum tp_spool_value */
    uint8_t unused;
};

/* A timing event that the program has recorded. */
struct tp_spool_event {
    /* number: number of the event in the process, from 1; stream: address of the stream, 0 for the default stream */
    uint64_t number, stream;
    int32_t device_type, unused;
    uint64_t second_unused;
};

/* A blocking call. It lasts from `begin` (ticks) to the time of its record. */
struct tp_spool_wait {
    uint64_t begin;
    int64_t bytes;           /* bytes that the call moved; INT64_MIN: not applicable */
    uint64_t object, unused; /* object: address of the object for which the thread waited, 0 if unknown */
};

/* Rank of the process, recorded only if it was unknown at the start of the recording. UINT32_MAX: unknown. */
struct tp_spool_rank {
    uint32_t rank, world_size, local_rank, unused;
};

/* An MPI call. It lasts from `begin` to `end` (ticks). Its name is "mpi:" followed by the function. */
struct tp_spool_collective {
    uint64_t begin;
    int64_t in_count, out_count; /* number of elements that this rank sends and receives; INT64_MIN: none */
    /* dtype: enum tracepress_dtype, 0 if unknown; group_size: number of ranks in the communicator */
    uint32_t dtype, group_size;
    int64_t in_bytes, out_bytes; /* bytes that this rank sends and receives; INT64_MIN: none */
    int64_t peer;                /* rank of the peer or the root; INT64_MIN: none */
    uint64_t group;              /* number of the communicator; 0: all ranks */
    uint64_t end;
    /* number of the call among the collectives of all ranks, recorded or not, from 1; 0: unknown */
    uint64_t sequence;
};

/* A parallel region of the program's code. */
struct tp_spool_region {
    uint64_t address; /* address of the code that starts the region; 0: unknown */
    int64_t threads;  /* number of threads; INT64_MIN: unknown */
    uint64_t number;  /* number of the region; the end record of one thread ends the regions with this number on all
                       * threads; 0: none */
    uint64_t unused;
};

enum tp_spool_values {
    TP_SPOOL_VALUES_NONE,  /* only statistics were requested */
    TP_SPOOL_VALUES_FILE,  /* the values are in a file, whose path is the record's text */
    TP_SPOOL_VALUES_FAILED /* values were requested, but could not be written or exceeded a limit */
};

/* A tensor. Its dimensions follow as int64, padded to whole slots. writer/tensor.h defines the statistics. */
struct tp_spool_tensor {
    uint64_t count, zero_count, nan_count, inf_count;
    double min, max, mean, std, l2;
    uint64_t step;
    /* dtype: enum tracepress_dtype; rank: number of dimensions; values: enum tp_spool_values */
    uint32_t dtype, rank, values, unused;
};

#endif
