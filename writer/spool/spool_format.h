/* Defines the spool: the file with everything a recorded program has recorded, even if it is killed.
 *
 * The file consists of units of 4 KiB. The first unit is the head; the others belong to chunks. A chunk has one or more
 * units and is written by one thread. It begins with a header, followed by records of 16-byte slots. The time of a
 * record is stored last, so a time of 0 marks the end of the finished records. SIGKILL, abort and exec lose nothing,
 * because the pages belong to the file. A chunk without a header was reserved and never used.
 *
 * Byte order and sizes are those of the machine that wrote it, so a spool must be read on such a machine. */
#ifndef TP_WRITER_SPOOL_SPOOL_FORMAT_H
#define TP_WRITER_SPOOL_SPOOL_FORMAT_H

#include <stdint.h>

enum {
    TP_SPOOL_VERSION = 1,
    TP_SPOOL_UNIT = 4096,
    TP_SPOOL_SLOT = 16,
    TP_SPOOL_MAX_SLOTS = 256, /* of one record with its head */
    TP_SPOOL_MAX_CHUNK = 1 << 20,
    TP_SPOOL_MAX_INPUTS = 64, /* of one operator */
    TP_SPOOL_MAX_RANK = 16    /* dimensions of one input; further ones are dropped */
};

#define TP_SPOOL_MAGIC 0x6C6F6F7073707401ull       /* "\1tpspool" */
#define TP_SPOOL_CHUNK_MAGIC 0x6B6E756863707401ull /* "\1tpchunk" */

/* First bytes of the file. */
struct tp_spool_head {
    uint64_t magic;
    uint32_t version, is_tsc; /* is_tsc: times are ticks; otherwise ns of CLOCK_MONOTONIC */
    uint64_t pid, start_realtime_ns;
    uint32_t flags;                        /* enum tp_spool_flag */
    uint32_t rank, world_size, local_rank; /* UINT32_MAX: unknown */
    char program[64];                      /* NUL-terminated */
};

enum tp_spool_flag {
    TP_SPOOL_SHAPES = 1,
    TP_SPOOL_MEMORY = 2,
    TP_SPOOL_STACKS = 4,
    TP_SPOOL_FLOPS = 8,
    TP_SPOOL_MODULES = 16,
    TP_SPOOL_NO_CPU = 64, /* the program's own ranges and moments are not recorded, but its steps are */
    TP_SPOOL_RING = 32    /* chunks of threads are reused, so the file has the last part of the recording */
};

struct tp_spool_chunk {
    uint64_t magic;
    uint32_t size; /* bytes, including this header; a multiple of the unit */
    uint32_t is_notes;
    uint64_t tid;              /* system thread id; may be reused by a later thread */
    uint32_t thread, sequence; /* number of the thread in this recording; number of its chunk, from 0 */
    char thread_name[24];      /* NUL-terminated; "": unknown */
    uint64_t next;             /* used by the writer for its list; meaningless for readers */
};

/* A record, followed by `slots` slots of payload. */
struct tp_spool_record {
    uint64_t time; /* stored last; 0: not written yet */
    uint32_t name; /* number of a name, TP_SPOOL_NO_NAME, or another meaning defined by the kind */
    uint8_t kind;  /* enum tp_spool_kind */
    uint8_t slots;
    uint16_t text; /* bytes of text at the end of the payload; the name if `name` is TP_SPOOL_NO_NAME */
};

#define TP_SPOOL_NO_NAME UINT32_MAX

enum tp_spool_kind {
    /* in chunks of notes; written under the session's lock */
    TP_SPOOL_NAME = 1,  /* text: the name with number `name` */
    TP_SPOOL_CLOCK,     /* payload: struct tp_spool_clock */
    TP_SPOOL_META_TEXT, /* text: key, '\n', value */
    TP_SPOOL_META_JSON, /* the same; the value is JSON */
    TP_SPOOL_STOP,      /* the recording was stopped regularly */
    TP_SPOOL_LOADED,    /* payload: struct tp_spool_loaded; text: path of the module */
    /* in chunks of threads */
    TP_SPOOL_SCOPE = 16, /* a range begins; the kinds differ in their category */
    TP_SPOOL_OPERATOR,   /* payload: struct tp_spool_operator, then its inputs */
    TP_SPOOL_MODULE,
    TP_SPOOL_STEP,        /* `name`: number of the step; TP_SPOOL_STEP_END ends it and everything open inside */
    TP_SPOOL_END,         /* of the innermost range of the thread */
    TP_SPOOL_INSTANT,     /* text about this occurrence, if `name` is a number */
    TP_SPOOL_COUNTER,     /* payload: struct tp_spool_counter */
    TP_SPOOL_MEMORY_NOTE, /* payload: struct tp_spool_memory */
    TP_SPOOL_ASYNC_BEGIN, /* payload: struct tp_spool_async; may end on another thread */
    TP_SPOOL_ASYNC_END,
    TP_SPOOL_STEP_END,
    TP_SPOOL_STACK = 32, /* payload: addresses, innermost first: stack of the thread's next record */
    TP_SPOOL_SAMPLED,    /* payload: struct tp_spool_sampled: a thread that may have samples */
    TP_SPOOL_SAMPLE,     /* payload: struct tp_spool_sample, then its addresses, padded to whole slots */
    TP_SPOOL_EVENT = 40, /* payload: struct tp_spool_event */
    TP_SPOOL_TENSOR,     /* payload: struct tp_spool_tensor, its dimensions; text: its file below the directory */
    TP_SPOOL_KIND_SCOPE, /* a range begins; `text` is its enum tp_spool_work_kind; no payload */
    TP_SPOOL_WORK,       /* payload: struct tp_spool_work: work of another device */
    /* GPU activity: writer/spool/spool_format_gpu.h */
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
    /* from NVTX or ITT; in chunks of threads. Domains: see struct tp_spool_mark */
    TP_SPOOL_MARK_PUSH = 64, /* payload: struct tp_spool_mark: a range of this thread begins */
    TP_SPOOL_MARK_POP,       /* `name`: the domain; ends its innermost range on this thread */
    TP_SPOOL_MARK_START,     /* payload: struct tp_spool_mark: a range that may overlap others begins */
    TP_SPOOL_MARK_FINISH,    /* payload: struct tp_spool_async: such a range ends, on any thread */
    TP_SPOOL_MARK_SPAN,      /* payload: struct tp_spool_mark, struct tp_spool_span: a finished range */
    TP_SPOOL_MARK_POINT,     /* payload: struct tp_spool_mark: a moment */
    TP_SPOOL_MARK_CATEGORY,  /* payload: struct tp_spool_mark: names its category in its domain */
    TP_SPOOL_MARK_THREAD,    /* payload: struct tp_spool_async: names the system thread `id` */
    TP_SPOOL_MARK_FACT,      /* payload: struct tp_spool_fact_head, then values of 8 bytes, or text at the end */
    /* from hooks and compilers; converted by spool_trace_native.c */
    TP_SPOOL_FUNCTION = 80, /* begins; no payload: bits 0 to 31 of its address are `name`, bits 32 to 47 `text` */
    TP_SPOOL_FUNCTION_END,  /* the same address; also ends everything open inside */
    TP_SPOOL_WAIT,          /* payload: struct tp_spool_wait: a range that ends with the record */
    TP_SPOOL_COLLECTIVE,    /* payload: struct tp_spool_collective: a range that ends with the record */
    TP_SPOOL_REGION,        /* payload: struct tp_spool_region: begins */
    TP_SPOOL_REGION_END, /* payload: struct tp_spool_region. Ends the innermost range, and all ranges of its number */
    TP_SPOOL_RANK,       /* payload: struct tp_spool_rank */
    TP_SPOOL_KINDS
};

/* One moment on three clocks. */
struct tp_spool_clock {
    uint64_t ticks;
    int64_t monotonic_ns, realtime_ns, unused;
};

/* A program or library in memory, from this note on. */
struct tp_spool_loaded {
    uint64_t start, end, bias, ticks; /* addresses; address in memory minus address in the file; time of the note */
};

struct tp_spool_sampled {
    uint64_t tid, unused;
    char name[32]; /* NUL-terminated */
};

/* Position of a thread. The first address is the current instruction; the others are return addresses. */
struct tp_spool_sample {
    uint64_t tid, ticks, cpu_ns; /* processor time that the sample represents */
    uint64_t frame_count;
};

struct tp_spool_operator {
    int64_t sequence, flops; /* INT64_MIN: none */
    int64_t bytes, forward_tid;
    uint32_t input_count, is_backward;
    uint64_t is_of_library; /* 1: recorded by a source that intercepts a library function, not by the program */
};

/* An input of an operator, followed by `rank` int64 dimensions, padded to whole slots. */
struct tp_spool_input {
    uint32_t rank, dtype; /* enum tracepress_dtype */
    uint64_t unused;
};

struct tp_spool_counter {
    double value;
    uint64_t unused;
};

struct tp_spool_memory {
    uint64_t address;
    int64_t bytes; /* negative: released */
    int64_t total_allocated, total_reserved;
    int32_t device_type, device_id; /* as in torch: 0 CPU, 1 CUDA */
    uint64_t unused;
};

struct tp_spool_async {
    uint64_t id, unused;
};

/* Kind of a range or a work: enum tracepress_kind. */
enum tp_spool_work_kind { TP_SPOOL_WORK_KINDS = 7 };

/* A work of a lane; times of CLOCK_MONOTONIC. */
struct tp_spool_work {
    int64_t begin_ns, end_ns;
    uint32_t lane, kind; /* lane: number of its name; kind: enum tp_spool_work_kind */
    uint64_t unused;
};

/* A domain is the number of its name; a bit distinguishes ITT's domains from NVTX's. Two values have a special
 * meaning: */
#define TP_SPOOL_ITT 0x80000000u
#define TP_SPOOL_OF_RANGE 0xFFFFFFFEu /* a fact about the innermost range of the program's own calls */
#define TP_SPOOL_OF_WORK 0xFFFFFFFDu  /* a fact about the last work of its thread */

/* COLOR: the bits are 0xRRGGBB. */
enum tp_spool_value {
    TP_SPOOL_NOTHING,
    TP_SPOOL_UNSIGNED,
    TP_SPOOL_SIGNED,
    TP_SPOOL_REAL,
    TP_SPOOL_TEXT,
    TP_SPOOL_COLOR
};

/* Type of a range that may overlap others, for the name of its row. */
enum tp_spool_form {
    TP_SPOOL_FORM_RANGE,
    TP_SPOOL_FORM_TASK,
    TP_SPOOL_FORM_FRAME,
    TP_SPOOL_FORM_REGION,
    TP_SPOOL_FORM_EVENT, /* a moment if it has no end */
    TP_SPOOL_FORM_COUNT
};

enum { TP_SPOOL_SHORT_MARK = TP_SPOOL_SLOT }; /* bytes of a mark without its second half */

/* A range or moment, named by `name` of the record. The second half exists only if has_more is set; most have none. */
struct tp_spool_mark {
    uint32_t domain, category; /* category is the program's number, or 0 */
    uint32_t color;            /* ARGB */
    uint8_t has_color, form;   /* enum tp_spool_form */
    uint8_t value_type;        /* enum tp_spool_value, but not text */
    uint8_t has_more;
    uint64_t key;   /* identifies the range for its end or its facts; otherwise 0 */
    uint64_t value; /* bits of its payload */
};

/* Time of a finished range in ticks. */
struct tp_spool_span {
    uint64_t begin, end;
};

/* A fact about a range; `name` of the record is the key of the fact. */
struct tp_spool_fact_head {
    uint64_t key;    /* of the range; 0: the innermost range of that domain on this thread */
    uint32_t domain; /* of the range */
    uint16_t count;  /* of values */
    uint8_t type;    /* of values: enum tp_spool_value */
    uint8_t unused;
};

/* A recorded timing event. */
struct tp_spool_event {
    uint64_t number, stream; /* of the event, from 1 in the process; address of the stream, 0: the default stream */
    int32_t device_type, unused;
    uint64_t unused_too;
};

/* A blocking call, from `begin` (ticks) to its record. */
struct tp_spool_wait {
    uint64_t begin;
    int64_t bytes;           /* INT64_MIN: none */
    uint64_t object, unused; /* address of the object that was waited for; 0: none */
};

/* Rank of the process, if it was unknown at the start of the recording. UINT32_MAX: unknown. */
struct tp_spool_rank {
    uint32_t rank, world_size, local_rank, unused;
};

/* An MPI call, from `begin` to `end` (ticks); its name is "mpi:" and the function. */
struct tp_spool_collective {
    uint64_t begin;
    int64_t in_count, out_count; /* elements; INT64_MIN: none */
    uint32_t dtype, group_size;  /* enum tracepress_dtype; 0: unknown */
    int64_t in_bytes, out_bytes; /* INT64_MIN: none */
    int64_t peer;                /* INT64_MIN: none */
    uint64_t group;              /* number of the communicator; 0: all ranks */
    uint64_t end;
    uint64_t sequence; /* among the collectives of all ranks, recorded or not, from 1; 0: unknown */
};

/* A region that the program's code at an address executes. */
struct tp_spool_region {
    uint64_t address; /* 0: unknown */
    int64_t threads;  /* INT64_MIN: none */
    uint64_t number;  /* the record that ends the region ends all ranges of this number; 0: none */
    uint64_t unused;
};

enum tp_spool_values {
    TP_SPOOL_VALUES_NONE,  /* only statistics were requested */
    TP_SPOOL_VALUES_FILE,  /* the values are in a file, named by the record's text */
    TP_SPOOL_VALUES_FAILED /* values were requested, but could not be written or exceed a limit */
};

/* A tensor; its dimensions follow as int64, padded to whole slots. Statistics: writer/tensor.h. */
struct tp_spool_tensor {
    uint64_t count, zero_count, nan_count, inf_count;
    double min, max, mean, std, l2;
    uint64_t step;
    uint32_t dtype, rank, values, unused; /* values: enum tp_spool_values */
};

#endif
