/* A trace in memory: columns of decoded events, side tables for what only some kinds carry, distinct texts, and what
 * the reader had to say about the file. Everything lives in one arena and is read-only after tp_trace_read.
 *
 * Every element of the list of events has one kind or one reason why it is skipped (section 2 of docs/definitions.md);
 * elements that are no events, because their text is broken, are repaired or counted by notices.
 *
 * All times are int64 nanoseconds exactly as the file's digits say. Absent integers are TP_NULL_INT, absent ids
 * TP_NO_ID. */
#ifndef TP_WEBREPORT_TRACE_TRACE_H
#define TP_WEBREPORT_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/evidence.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/stack.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/base/table.h" /* TP_NULL_INT */
#include "writer/tensor.h"

enum tp_kind {
    TP_KIND_NONE,       /* of no known category: skipped */
    TP_KIND_OPERATOR,   /* cpu_op, Operator */
    TP_KIND_ANNOTATION, /* user_annotation, regions */
    TP_KIND_RUNTIME,    /* runtime and driver calls */
    TP_KIND_FRAME,      /* python_function */
    TP_KIND_MODULE,     /* python_function with "Python module id" */
    TP_KIND_KERNEL,
    TP_KIND_MEMCPY,
    TP_KIND_MEMSET,
    TP_KIND_GPU_ANNOTATION,
    TP_KIND_SPAN,     /* cat Trace */
    TP_KIND_OVERHEAD, /* of the recorder; no work of the program */
    TP_KIND_OTHER,    /* known categories that no number needs: cuda_sync, cuda_event .. */
    TP_KIND_COUNT
};

/* What runs on the host: stacks, steps and launches are made of it. */
static inline bool tp_kind_is_host(unsigned kind)
{
    return kind >= TP_KIND_OPERATOR && kind <= TP_KIND_MODULE;
}
/* Device operations. */
static inline bool tp_kind_is_device(unsigned kind)
{
    return kind >= TP_KIND_KERNEL && kind <= TP_KIND_MEMSET;
}
static inline bool tp_kind_is_frame(unsigned kind)
{
    return kind == TP_KIND_FRAME || kind == TP_KIND_MODULE;
}

/* What a range says of itself ("kind" of an annotation or a device event; docs/definitions.md, section 2). */
enum tp_range_kind {
    TP_RANGE_NONE, /* it says nothing, or another word */
    TP_RANGE_INPUT,
    TP_RANGE_COMPUTE,
    TP_RANGE_COMMUNICATION,
    TP_RANGE_COPY,
    TP_RANGE_WAIT,
    TP_RANGE_SYNC,
    TP_RANGE_KINDS
};

/* "input", "compute" ..: what a range says; NULL for TP_RANGE_NONE. Static. */
const char *tp_range_kind_text(enum tp_range_kind kind);

#define TP_RANGE_BIT(kind) (1u << TP_RANGE_##kind)

enum tp_event_flag {
    TP_EVENT_UNFINISHED = 1,     /* args.finished is false */
    TP_EVENT_HAS_INPUT_DIMS = 2, /* args has "Input Dims" or "Input dims" */
    TP_EVENT_OLD_DIMS = 4,       /* the dims come from the spelling of 2020, "Input dims" */
    TP_EVENT_WAS_OPERATOR = 8    /* an annotation by its name, in torch's own tables an operator */
};

/* One complete event (ph X) of a known kind. 32 bytes. Events stand in file order: ordinals ascend. */
struct tp_event {
    int64_t ts_ns, dur_ns; /* dur >= 0; a missing or negative one is 0 */
    uint32_t name;         /* id in names; the empty text when the file has none */
    uint32_t ordinal;      /* position in traceEvents, counting every element */
    uint32_t detail; /* index in hosts, launches, devices, modules or others by kind; of frames: their "Call stack", id
                        in stack_texts, when it was asked for; TP_NO_ID when there is none */
    unsigned thread : 20; /* index in threads */
    unsigned kind : 4;    /* enum tp_kind */
    unsigned flags : 4;   /* enum tp_event_flag */
    unsigned variant : 4; /* of runtime and driver calls: index in tp_trace.call_cats, 0 for those of CUDA; of
                             annotations and device events: enum tp_range_kind */
};

/* What the event says it is. */
static inline enum tp_range_kind tp_event_said(const struct tp_event *event)
{
    return event->kind == TP_KIND_RUNTIME ? TP_RANGE_NONE : (enum tp_range_kind)event->variant;
}

static inline int64_t tp_event_end(const struct tp_event *event)
{
    return event->ts_ns + event->dur_ns;
}

/* Arguments of operators and annotations. */
struct tp_host_detail {
    int64_t external_id; /* TP_NULL_INT when absent or no integer */
    uint32_t dims;       /* "Input Dims" (else "Input dims"), id in values */
    uint32_t types;      /* "Input type", id in values */
    uint32_t stack;      /* "Call stack", id in stack_texts; TP_NO_ID also when it holds only ; and blanks */
    uint32_t more;       /* index in host_more; TP_NO_ID for most */
};

/* Arguments that few operators have: those that autograd knows, and collectives. */
struct tp_host_more {
    int64_t sequence, forward_thread; /* TP_NULL_INT when absent or no integer */
    uint32_t comm;                    /* index in comms, TP_NO_ID */
};

/* Arguments of runtime and driver calls. */
struct tp_launch_detail {
    int64_t external_id, correlation;
};

/* Arguments of kernels, copies and sets. 24 bytes. */
struct tp_device_detail {
    int64_t external_id, correlation;
    uint32_t setup; /* index in setups */
    uint32_t comm;  /* index in comms, TP_NO_ID */
};

/* The arguments that come again each time a program does the same: where a device operation runs and how it is
 * configured. Each is there once, in order of first appearance. */
struct tp_device_setup {
    int64_t bytes, device, stream, graph_id;
    int64_t blocks_per_sm_e9; /* "blocks per SM" in 1e-9 units, decimals cut; TP_NULL_INT for inf, nan, text */
    int64_t occupancy_pct_e9; /* "est. achieved occupancy %" likewise */
    uint32_t stream_value;    /* args.stream as written, id in values */
    uint32_t grid, block, registers, shared_memory; /* ids in values; TP_NO_ID for absent or null */
    uint32_t unused;                                /* 0: bytes of a key all count */
};

struct tp_module_detail {
    int64_t module_id; /* "Python module id"; TP_NULL_INT when it is no integer */
    uint32_t stack;    /* as tp_event.detail of frames */
};

/* Events of the kind TP_KIND_OTHER. */
struct tp_other_detail {
    int64_t external_id;
    uint32_t cat; /* id in cats */
};

/* "Concrete Inputs" of convolutions, attention and selections, in the order of the operators. */
struct tp_concrete {
    uint32_t host;  /* index in hosts */
    uint32_t value; /* id in values */
};

/* Collective arguments of record_param_comms and of communication kernels; ids in values, TP_NO_ID for absent or null.
 */
struct tp_comm_detail {
    uint32_t collective, dtype, group_size, group_name, group_description, group_ranks;
    int64_t in_count, out_count; /* "In msg nelems", "Out msg nelems" */
    int64_t sequence;            /* "Seq": number of the call within its process group */
    int64_t peer;                /* of a send or receive: the other rank */
};

enum tp_memory_flag {
    TP_MEMORY_OUT_OF_MEMORY = 1 /* [OutOfMemory] */
};

/* c10::DeviceType, as far as something depends on it; the names of all: memory_records.c. */
enum tp_device_type {
    TP_DEVICE_CPU = 0,
    TP_DEVICE_CUDA = 1,
    TP_DEVICE_MKLDNN = 2,
    TP_DEVICE_IDEEP = 5,
    TP_DEVICE_HIP = 6,
    TP_DEVICE_XPU = 12,
    TP_DEVICE_PRIVATE_USE = 20
};

/* A device that memory records name. */
struct tp_memory_place {
    int64_t type, id; /* type: enum tp_device_type or another; TP_NULL_INT when absent */
};

/* One [memory] or [OutOfMemory] record, in file order. */
struct tp_memory {
    int64_t ts_ns, bytes; /* bytes: 0 when absent */
    uint32_t device;      /* index in memory_places */
    uint32_t thread, ordinal;
    uint32_t flags;
};

/* What the records of old recorders lack; TP_NULL_INT when absent. */
struct tp_memory_more {
    int64_t address, total_allocated, total_reserved;
};

/* A value of a counter (ph C with an argument "value"), in file order. */
struct tp_counter {
    int64_t ts_ns;
    double value; /* NaN when it is no number */
    uint32_t name;
};

/* One end of a task (ph b, e), in file order: what begins on one thread may end on any. */
struct tp_task_end {
    int64_t ts_ns;
    uint32_t name, category, id; /* ids of texts */
    bool is_begin;
};

/* One end of a forward-backward link (cat fwdbwd, forward_backward), in file order. */
struct tp_flow {
    int64_t ts_ns;
    uint32_t id; /* in texts: the text of "id", a number and its text being equal */
    uint32_t thread;
    bool is_start;
};

/* The innermost frame of a sample that the recorder marks as its own work (`recording`): the decoder adds it. */
#define TP_RECORDING_FUNCTION "[recording]"
#define TP_RECORDING_FILE "kernel"
#define TP_RECORDING_FRAME TP_RECORDING_FUNCTION " [" TP_RECORDING_FILE "]"

/* One sample of a running thread (ph P, cat cpu_sample; our collector's), in file order. */
struct tp_sample {
    int64_t ts_ns, cpu_ns; /* cpu_ns >= 0: processor time of the thread since its last sample */
    uint32_t stack;        /* "Call stack", id in stack_texts; TP_NO_ID: none */
    uint32_t thread;
};

enum tp_thread_state { TP_STATE_RUNNING, TP_STATE_READY, TP_STATE_BLOCKED, TP_STATE_COUNT };

/* A state of a thread (cat thread_state; of a recording from outside), in file order. */
struct tp_state {
    int64_t ts_ns, dur_ns;
    uint32_t thread;
    uint32_t cause;    /* of a wait: id in texts; TP_NO_ID: none was seen */
    uint32_t stack;    /* of a wait: id in stack_texts; TP_NO_ID: none */
    uint8_t state;     /* enum tp_thread_state */
    bool is_estimated; /* the recorder guessed the cause from other waits */
    bool is_recording; /* a wait of the recorder itself, by its own mark */
};

/* A process that was seen (cat process; of a recording from outside), in file order. Numbers that are absent:
 * TP_NULL_INT; texts: TP_NO_ID. */
struct tp_seen_process {
    int64_t ts_ns, dur_ns;
    int64_t parent_pid, exit_code, signal;
    int64_t peak_bytes; /* resident */
    int64_t read_bytes, written_bytes, disk_read_bytes, disk_written_bytes;
    uint32_t thread; /* that has its pid */
    uint32_t name;   /* id in names */
    uint32_t end;    /* how it ended where that is no exit code: id in texts */
    uint32_t execs;  /* the programs that it was, one after the other: id in values, a list of texts */
};

/* What was resident of a process at one look (counter "process memory"), in file order. */
struct tp_memory_look {
    int64_t ts_ns, bytes;
    uint32_t thread; /* that has its pid */
};

/* A tensor that a program recorded (instant of the category tensor; our collector's), in file order. */
struct tp_tensor_record {
    int64_t ts_ns, step;                 /* step: TP_NULL_INT when absent */
    uint32_t name, ordinal;              /* name: id in names */
    uint32_t dtype, shape, file, values; /* ids in values, TP_NO_ID for absent or null: see writer/README.md */
    bool has_stats;                      /* counts are there, and agree with each other */
    struct tp_tensor_stats stats;        /* numbers that are absent or null: NaN */
};

/* Arguments that a program gave for a range, for work of a device of its own, or for a moment. */
struct tp_said {
    uint32_t text;  /* lines "argument: value" without the last line feed, id in argument_texts; TP_NO_ID: none */
    uint32_t color; /* 0xRRGGBB; TP_NO_ID: none */
};

/* About an event, in file order. */
struct tp_argument {
    uint32_t event; /* index in events */
    struct tp_said said;
};

/* A moment that a program marked (instant of the category user_annotation; our collector's), in file order. */
struct tp_moment {
    int64_t ts_ns;
    uint32_t name, thread;
    struct tp_said said;
};

/* pid or tid: a number (digit texts and "stream N" count) or other text. */
struct tp_row_id {
    bool is_text;
    int64_t number;
    struct tp_str text;
};

struct tp_thread {
    struct tp_row_id pid, tid;
    struct tp_str name; /* of the last thread_name record; empty when there is none */
};

struct tp_process {
    struct tp_row_id pid;
    struct tp_str name, labels;
    int64_t sort_index; /* TP_NULL_INT when absent */
};

/* One entry of deviceProperties. Texts are as written in the file; ptr NULL when absent. */
struct tp_gpu_property {
    bool has_id, has_warp_size;
    int64_t id, total_memory_bytes, major, minor, warp_size, sm_count;
    struct tp_str name, major_text, minor_text; /* *_text: as Python's str() would print the value */
};

struct tp_header_value {
    struct tp_str key, value; /* value: compact JSON */
};

/* What had to be repaired, skipped or noted, each counted; texts and meaning: tp_notice_text. */
enum tp_notice {
    TP_NOTICE_EVENT_REPAIRED,
    TP_NOTICE_EVENT_SKIPPED,
    TP_NOTICE_CONTROL,
    TP_NOTICE_UTF8,
    TP_NOTICE_ESCAPE,
    TP_NOTICE_NOT_A_NUMBER,
    TP_NOTICE_TRAILING_COMMA,
    TP_NOTICE_ENDS_EARLY,
    TP_NOTICE_GZIP_TRUNCATED,
    TP_NOTICE_GZIP_CHECKSUM,
    TP_NOTICE_GZIP_CORRUPT,
    TP_NOTICE_TRAILING_DATA,
    TP_NOTICE_DEPTH,
    TP_NOTICE_DUPLICATE_KEY,
    TP_NOTICE_NEGATIVE_DURATION,
    TP_NOTICE_TIME_RANGE,
    TP_NOTICE_ID_RANGE,
    TP_NOTICE_NAME_CUT,
    TP_NOTICE_UNBALANCED,
    TP_NOTICE_EVENT_TOO_LONG,
    TP_NOTICE_HEADER,
    /* odd, but nothing was repaired: found in the events once they stand in order (model/oddities.h) */
    TP_NOTICE_TIME_OUTLIER,
    TP_NOTICE_OVERLAP,
    TP_NOTICE_NO_STEPS,
    TP_NOTICE_COUNT
};

/* Why an element has no kind; phase letters are counted apart. */
enum tp_skip { TP_SKIP_NOT_AN_OBJECT, TP_SKIP_PHASE_UNKNOWN, TP_SKIP_NO_TIME, TP_SKIP_UNKNOWN_CATEGORY, TP_SKIP_COUNT };

/* Complete events of a category that the reader does not know. */
struct tp_unread {
    uint64_t count;
    int64_t time_ns; /* sum of their durations */
    uint32_t cat;    /* id in cats; the empty text: without a category */
};

enum { TP_UNREAD_CATEGORIES = 8 };

/* Events whose recorded end cannot be (impossible_ends.h). */
struct tp_cut {
    uint64_t count;
    uint32_t name;                /* of the event with the longest recorded time */
    int64_t recorded_ns, kept_ns; /* its time in the file, and the time that is possible */
};

/* Sums over the ends of links between calls and device operations, and over the events at these ends. Each event adds
 * a hash of its number and start to the sum that its number selects, so that equal sets have equal sums. */
enum { TP_LINK_SUMS = 64 };

struct tp_link_sums {
    uint64_t starts[TP_LINK_SUMS], ends[TP_LINK_SUMS]; /* of links */
    uint64_t events[TP_LINK_SUMS];                     /* with a correlation */
    uint64_t devices[TP_LINK_SUMS];                    /* device operations among these events */
    bool is_unreadable;                                /* some number or start cannot be read */
};

static inline void tp_link_add(uint64_t *sums, int64_t number, int64_t ts_ns)
{
    sums[(uint64_t)number % TP_LINK_SUMS] +=
        tp_hash_mix((uint64_t)number ^ UINT64_C(0x9E3779B97F4A7C15), (uint64_t)ts_ns ^ UINT64_C(0xE7037ED1A0B428DB));
}

/* Counters of one reading: element_count = all of read* + all of skipped*. */
struct tp_reading {
    uint64_t element_count;       /* elements of traceEvents; those of broken text are not */
    uint64_t read[TP_KIND_COUNT]; /* complete events by kind */
    uint64_t read_memory, read_out_of_memory, read_link;
    uint64_t skipped[TP_SKIP_COUNT];
    struct tp_unread unread[TP_UNREAD_CATEGORIES]; /* the first categories; count 0: free */
    uint64_t skipped_phase[128];                   /* by letter: M s f t i I R C B E b e n P N O D */
    uint64_t without_dur, negative_dur;            /* of complete events but TP_KIND_OTHER; their duration is 0 */
    uint64_t driver;                               /* calls of a driver, of those read as runtime */
    uint64_t other_device_events;                  /* mtia_ccp_events, hpu_op */
    uint64_t counter_events;                       /* cuda_profiler_range */
    uint64_t repaired;                             /* F9: events that had to be repaired or skipped as broken text */
    bool is_truncated, has_gzip_error;
    bool is_old_autograd;    /* a process is called "CPU functions" or "CUDA functions", as torch before 1.8 wrote */
    bool is_gzip, has_end;   /* has_end: the bracket that closes the document was read */
    uint64_t own_repairs;    /* of the repaired events: written so by torch */
    uint64_t odd_keys;       /* events with a key that comes twice or that nobody writes */
    uint64_t unnamed_memory; /* instants with the arguments of memory records, and another name */
    uint64_t misspelt_cats;  /* complete events of a category that is a letter off */
    uint64_t unread_without_cat, read_without_cat; /* complete events without a category; read: kind by process */
    uint64_t twice;                                /* events that equal another one (model/oddities.h) */
    uint64_t with_decimals; /* starts and durations of complete events that have three decimals, .. */
    uint64_t odd_decimals;  /* .. and those that have another number of them */
    uint64_t nameless;      /* complete events and memory records without name or thread, links without number */
    uint64_t unnumbered;    /* host events and memory records without the recorder's number */
    struct tp_link_sums link_sums;
    bool has_window_end;   /* the recorder marked the end of the recording, .. */
    int64_t window_end_ns; /* .. which was then */
    /* found by comparing events with each other (model/conflicts.h) */
    uint64_t conflicts;      /* events that contradict other events */
    uint64_t cut_names;      /* events whose name lost its end, or is misspelt */
    uint64_t without_member; /* events without an argument that the others of their kind have */
    uint64_t lone_devices;   /* device operations without a call, among others of their name that have one */
    uint64_t memory_gaps;    /* totals of device memory that no order of the records explains */
    uint64_t numbered;       /* events kept that have the recorder's number ("Ev Idx") */
    uint64_t number_sum;     /* of these numbers, modulo 2^64 */
    int64_t last_number;     /* the highest of these */
    unsigned said_kinds;     /* bits: kinds (enum tp_range_kind) that some event says it is */
    uint64_t device_link_starts, device_link_ends; /* of links ac2g, between launches and device events */
    uint64_t correlated;                           /* events kept that have a correlation */
    struct tp_cut cut_frames, cut_operations;      /* Python calls; device operations */
    uint64_t notices[TP_NOTICE_COUNT];
    uint64_t notice_offset[TP_NOTICE_COUNT]; /* first place, byte in the inflated text */
    uint64_t text_bytes, file_bytes;
    char file_sha256[65]; /* of the file as stored, hexadecimal; "" with skips_hash */
};

enum tp_option_bit { /* top-level keys present in the document */
                     TP_OPTION_RECORD_SHAPES = 1,
                     TP_OPTION_WITH_STACK = 2,
                     TP_OPTION_PROFILE_MEMORY = 4,
                     TP_OPTION_WITH_MODULES = 8,
                     TP_OPTION_WITH_FLOPS = 16
};

struct tp_trace {
    struct tp_arena *arena;
    struct tp_strings names, cats, values; /* values: compact JSON texts, equal values having one id */
    struct tp_strings stack_texts;         /* "Call stack" arguments as the file has them */
    struct tp_strings texts;               /* ids of links, names and labels of rows */
    struct tp_frames frames;               /* project lines and labels of the names */
    struct tp_stacks *stacks;              /* of the stack texts; grows while a model of the trace is built */

    struct tp_event *events;
    uint32_t event_count;
    struct tp_host_detail *hosts;
    struct tp_host_more *host_more;
    uint32_t call_cats[16]; /* categories of calls of other devices ("mtia_runtime"), ids in cats + 1, from [1] on */
    struct tp_launch_detail *launches;
    struct tp_device_detail *devices;
    struct tp_device_setup *setups;
    struct tp_module_detail *modules;
    struct tp_comm_detail *comms;
    struct tp_other_detail *others;
    struct tp_concrete *concretes;
    uint32_t host_count, launch_count, device_count, module_count, comm_count, other_count, concrete_count;
    struct tp_memory *memory;
    struct tp_memory_more *memory_more; /* by record; NULL when no record has any of it */
    uint32_t *memory_stacks; /* by record: "Call stack", id in stack_texts, or TP_NO_ID; NULL when none has one */
    struct tp_memory_place *memory_places; /* distinct ones, in order of first appearance */
    uint32_t memory_count, memory_place_count;
    struct tp_counter *counters;
    uint32_t counter_count;
    struct tp_task_end *task_ends;
    uint32_t task_end_count;
    struct tp_flow *flows;
    uint32_t flow_count;
    struct tp_sample *samples;
    uint32_t sample_count;
    struct tp_state *states;
    uint32_t state_count;
    struct tp_seen_process *seen_processes;
    uint32_t seen_process_count;
    struct { /* threads of our recorder in the program, whose states and samples were dropped (own_threads.h) */
        uint32_t thread_count;
        int64_t running_ns;
    } recorder;
    struct tp_memory_look *memory_looks;
    uint32_t memory_look_count;
    struct tp_tensor_record *tensors;
    uint32_t tensor_count;
    struct tp_strings argument_texts;
    struct tp_argument *arguments; /* with wants_arguments, as the moments */
    uint32_t argument_count;
    struct tp_moment *moments;
    uint32_t moment_count;
    uint64_t arguments_left_out; /* texts beyond TP_MAX_ARGUMENT_TEXTS */

    struct tp_thread *threads;
    uint32_t thread_count;
    struct tp_process *processes;
    uint32_t process_count;

    struct tp_gpu_property *gpus;
    uint32_t gpu_count;
    bool has_gpu_list; /* deviceProperties is a list */
    struct tp_header_value *header;
    uint32_t header_count;
    unsigned options;     /* enum tp_option_bit */
    int64_t base_time_ns; /* baseTimeNanoseconds, 0 when absent */

    struct tp_reading reading;
    struct tp_input_evidence evidence; /* once tp_evidence_build was called */
};

struct tp_trace_options {
    uint64_t max_input_bytes; /* 0: TP_MAX_INPUT_BYTES */
    bool is_strict;           /* refuse anything that is not exact JSON */
    bool single_thread;       /* never start the inflating thread */
    bool keeps_frame_stacks;  /* "Call stack" of Python frames too: much text, and only tables by stack need it */
    bool wants_tensors;       /* a trace of nothing but tensors is usable */
    bool wants_arguments;          /* arguments and colours of the program's own, and moments: the page draws them */
    bool keeps_ends;          /* events keep the ends of the file, also those that cannot be (impossible_ends.h) */
    bool reads_spools;        /* a spool is read as the trace that `recover` makes of it; otherwise it is refused */
    bool skips_hash;          /* nobody shows reading.file_sha256: it stays "" */
    int copy_fd;              /* descriptor that gets the bytes of the file as they are read, for who reads them again;
                                 0: none */
    const char *include;      /* of folders among the inputs: see struct tp_run_search */
};

/* Reads a trace file ("-" for stdin) into *trace, whose memory comes from `arena` (guard set by the caller; memory or
 * string limits leave through it). Returns 0; TP_EIO; TP_EFORMAT when nothing usable is in it (or strict mode refuses
 * it); TP_ELIMIT when max_input_bytes or the inflate ratio is exceeded. */
int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err);

/* The same from bytes in memory (plain or gzip). */
int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err);

/* True when the notice means that the file itself was damaged, false when its content is only odd. */
static inline bool tp_notice_is_damage(enum tp_notice notice)
{
    return notice < TP_NOTICE_TIME_OUTLIER;
}

/* Short text of a notice ("invalid UTF-8"), as the report and stderr show it. Static. */
const char *tp_notice_text(enum tp_notice notice);

static inline struct tp_str tp_trace_name(const struct tp_trace *trace, const struct tp_event *event)
{
    return tp_strings_get(&trace->names, event->name);
}

/* Of a device operation; detail: its tp_event.detail. */
static inline const struct tp_device_setup *tp_device_setup(const struct tp_trace *trace, uint32_t detail)
{
    return &trace->setups[trace->devices[detail].setup];
}

/* Arguments of an operator or annotation that few have; all absent when it has none. */
static inline struct tp_host_more tp_host_more(const struct tp_trace *trace, const struct tp_host_detail *host)
{
    static const struct tp_host_more none = {TP_NULL_INT, TP_NULL_INT, TP_NO_ID};
    return host->more == TP_NO_ID ? none : trace->host_more[host->more];
}

static inline const struct tp_memory_place *tp_memory_place(const struct tp_trace *trace,
                                                            const struct tp_memory *record)
{
    return &trace->memory_places[record->device];
}

/* Of a record of the trace's own array. */
static inline const struct tp_memory_more *tp_memory_more(const struct tp_trace *trace, const struct tp_memory *record)
{
    static const struct tp_memory_more none = {TP_NULL_INT, TP_NULL_INT, TP_NULL_INT};
    return trace->memory_more ? &trace->memory_more[record - trace->memory] : &none;
}

/* Value of a top-level key as compact JSON; ptr NULL when absent. */
struct tp_str tp_trace_header(const struct tp_trace *trace, const char *key);

/* What makes times of a trace that begins at first_ns the wall clock's: those before 2000 count from
 * baseTimeNanoseconds, as torch writes them since 2.4; 0 for others. */
int64_t tp_trace_base_ns(const struct tp_trace *trace, int64_t first_ns);

#endif
