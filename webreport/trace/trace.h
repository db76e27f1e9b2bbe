/* Defines a trace in memory: columns of decoded events, side tables for details of some kinds, distinct texts, and the
 * reader's notices about the file. Everything is in one arena and read-only after tp_trace_read.
 *
 * Every element of the list of events has one kind or one reason why it is skipped (section 2 of docs/definitions.md);
 * elements whose text is broken are repaired or counted by notices.
 *
 * All times are int64 nanoseconds, exactly the digits in the file. Absent integers are TP_NULL_INT, absent ids
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
    TP_KIND_NONE,       /* unknown category: skipped */
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
    TP_KIND_OVERHEAD, /* time of the recorder; not work of the program */
    TP_KIND_OTHER,    /* known categories that no number needs: cuda_sync, cuda_event .. */
    TP_KIND_COUNT
};

/* Returns true for events on the host, which stacks, steps and launches are made from. */
static inline bool tp_kind_is_host(unsigned kind)
{
    return kind >= TP_KIND_OPERATOR && kind <= TP_KIND_MODULE;
}
/* Returns true for device operations. */
static inline bool tp_kind_is_device(unsigned kind)
{
    return kind >= TP_KIND_KERNEL && kind <= TP_KIND_MEMSET;
}
static inline bool tp_kind_is_frame(unsigned kind)
{
    return kind == TP_KIND_FRAME || kind == TP_KIND_MODULE;
}

/* The argument "kind" of an annotation or a device event (docs/definitions.md, section 2). */
enum tp_range_kind {
    TP_RANGE_NONE, /* absent, or another word */
    TP_RANGE_INPUT,
    TP_RANGE_COMPUTE,
    TP_RANGE_COMMUNICATION,
    TP_RANGE_COPY,
    TP_RANGE_WAIT,
    TP_RANGE_SYNC,
    TP_RANGE_KINDS
};

/* Returns the word of a range kind, "input", "compute" ..; NULL for TP_RANGE_NONE. Static. */
const char *tp_range_kind_text(enum tp_range_kind kind);

#define TP_RANGE_BIT(kind) (1u << TP_RANGE_##kind)

enum tp_event_flag {
    TP_EVENT_UNFINISHED = 1,     /* args.finished is false */
    TP_EVENT_HAS_INPUT_DIMS = 2, /* args has "Input Dims" or "Input dims" */
    TP_EVENT_OLD_DIMS = 4,       /* the dims come from the spelling of 2020, "Input dims" */
    TP_EVENT_WAS_OPERATOR = 8    /* an annotation because of its name; in torch's own tables an operator */
};

/* One complete event (ph X) of a known kind. 32 bytes. Events are in file order: ordinals ascend. */
struct tp_event {
    int64_t ts_ns, dur_ns; /* dur >= 0; a missing or negative one is 0 */
    uint32_t name;         /* id in names; the empty text when the file has none */
    uint32_t ordinal;      /* position in traceEvents, counting every element */
    uint32_t detail; /* index in hosts, launches, devices, modules or others by kind; for frames the id of their "Call
                        stack" in stack_texts, with keeps_frame_stacks; TP_NO_ID: none */
    unsigned thread : 20; /* index in threads */
    unsigned kind : 4;    /* enum tp_kind */
    unsigned flags : 4;   /* enum tp_event_flag */
    unsigned variant : 4; /* for runtime and driver calls: index in tp_trace.call_cats, 0 for those of CUDA; for
                             annotations and device events: enum tp_range_kind */
};

/* Returns the range kind in the event's arguments. */
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
    int64_t external_id; /* TP_NULL_INT: absent or not an integer */
    uint32_t dims;       /* "Input Dims", else "Input dims"; id in values */
    uint32_t types;      /* "Input type", id in values */
    uint32_t stack;      /* "Call stack", id in stack_texts; TP_NO_ID also when it has only ';' and blanks */
    uint32_t more;       /* index in host_more; TP_NO_ID for most */
};

/* Arguments that few operators have: operators of autograd, and collectives. */
struct tp_host_more {
    int64_t sequence, forward_thread; /* TP_NULL_INT when absent or not an integer */
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

/* The arguments that repeat for equal operations: where a device operation runs and how it is configured. Each set is
 * stored once, in order of first appearance. */
struct tp_device_setup {
    int64_t bytes, device, stream, graph_id;
    int64_t blocks_per_sm_e9; /* "blocks per SM" in 1e-9 units, decimals cut; TP_NULL_INT for inf, nan, text */
    int64_t occupancy_pct_e9; /* "est. achieved occupancy %", same unit */
    uint32_t stream_value;    /* args.stream as written, id in values */
    uint32_t grid, block, registers, shared_memory; /* ids in values; TP_NO_ID for absent or null */
    uint32_t unused;                                /* 0: all bytes of a key are compared */
};

struct tp_module_detail {
    int64_t module_id; /* "Python module id"; TP_NULL_INT when it is not an integer */
    uint32_t stack;    /* see tp_event.detail of frames */
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
    int64_t peer;                /* the other rank of a send or receive */
};

enum tp_memory_flag {
    TP_MEMORY_OUT_OF_MEMORY = 1 /* [OutOfMemory] */
};

/* The values of c10::DeviceType that code depends on; memory_records.c has the names of all. */
enum tp_device_type {
    TP_DEVICE_CPU = 0,
    TP_DEVICE_CUDA = 1,
    TP_DEVICE_MKLDNN = 2,
    TP_DEVICE_IDEEP = 5,
    TP_DEVICE_HIP = 6,
    TP_DEVICE_XPU = 12,
    TP_DEVICE_PRIVATE_USE = 20
};

/* A device named by memory records. */
struct tp_memory_place {
    int64_t type, id; /* type: enum tp_device_type or another value; TP_NULL_INT when absent */
};

/* One [memory] or [OutOfMemory] record, in file order. */
struct tp_memory {
    int64_t ts_ns, bytes; /* bytes: 0 when absent */
    uint32_t device;      /* index in memory_places */
    uint32_t thread, ordinal;
    uint32_t flags;
};

/* Fields that records of old recorders lack; TP_NULL_INT when absent. */
struct tp_memory_more {
    int64_t address, total_allocated, total_reserved;
};

/* A value of a counter (ph C with an argument "value"), in file order. */
struct tp_counter {
    int64_t ts_ns;
    double value; /* NaN: not a number */
    uint32_t name;
};

/* One end of a task (ph b, e), in file order: a task may end on another thread than it began. */
struct tp_task_end {
    int64_t ts_ns;
    uint32_t name, category, id; /* ids of texts */
    bool is_begin;
};

/* One end of a forward-backward link (cat fwdbwd, forward_backward), in file order. */
struct tp_flow {
    int64_t ts_ns;
    uint32_t id; /* id in texts of "id"; a number and its text are equal */
    uint32_t thread;
    bool is_start;
};

/* The innermost frame of a sample that the recorder marks as its own work (`recording`); added by the decoder. */
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

/* A state of a thread (cat thread_state; only in recordings from outside), in file order. */
struct tp_state {
    int64_t ts_ns, dur_ns;
    uint32_t thread;
    uint32_t cause;    /* cause of a wait: id in texts; TP_NO_ID: unknown */
    uint32_t stack;    /* stack of a wait: id in stack_texts; TP_NO_ID: none */
    uint8_t state;     /* enum tp_thread_state */
    bool is_estimated; /* the recorder guessed the cause from other waits */
    bool is_recording; /* a wait that the recorder marks as its own */
};

/* A process (cat process; only in recordings from outside), in file order. Absent numbers are TP_NULL_INT, absent texts
 * TP_NO_ID. */
struct tp_seen_process {
    int64_t ts_ns, dur_ns;
    int64_t parent_pid, exit_code, signal;
    int64_t peak_bytes; /* peak of resident memory */
    int64_t read_bytes, written_bytes, disk_read_bytes, disk_written_bytes;
    uint32_t thread; /* the thread with its pid */
    uint32_t name;   /* id in names */
    uint32_t end;    /* how it ended, if without an exit code: id in texts */
    uint32_t execs;  /* the programs it executed, in their order: id in values, a list of texts */
};

/* The resident memory of a process at one time (counter "process memory"), in file order. */
struct tp_memory_look {
    int64_t ts_ns, bytes;
    uint32_t thread; /* the thread with its pid */
};

/* A tensor that a program recorded (instant of the category tensor; our collector's), in file order. */
struct tp_tensor_record {
    int64_t ts_ns, step;                 /* step: TP_NULL_INT when absent */
    uint32_t name, ordinal;              /* name: id in names */
    uint32_t dtype, shape, file, values; /* ids in values, TP_NO_ID for absent or null: see writer/README.md */
    bool has_stats;                      /* counts are present and agree with each other */
    struct tp_tensor_stats stats;        /* absent or null numbers are NaN */
};

/* The program's own arguments of a range, of work of its own device, or of a moment. */
struct tp_said {
    uint32_t text;  /* lines "argument: value" without the last line feed, id in argument_texts; TP_NO_ID: none */
    uint32_t color; /* 0xRRGGBB; TP_NO_ID: none */
};

/* The program's own arguments of an event, in file order. */
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

/* pid or tid: a number (also a text of digits or "stream N") or another text. */
struct tp_row_id {
    bool is_text;
    int64_t number;
    struct tp_str text;
};

struct tp_thread {
    struct tp_row_id pid, tid;
    struct tp_str name; /* name in the last thread_name record; empty: none */
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
    struct tp_str name, major_text, minor_text; /* *_text: the value as Python's str() prints it */
};

struct tp_header_value {
    struct tp_str key, value; /* value: compact JSON */
};

/* Repairs, skipped parts and oddities, each counted; tp_notice_text has their texts. */
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
    /* oddities without a repair: found when the events are sorted (model/oddities.h) */
    TP_NOTICE_TIME_OUTLIER,
    TP_NOTICE_OVERLAP,
    TP_NOTICE_NO_STEPS,
    TP_NOTICE_COUNT
};

/* Why an element has no kind; phase letters are counted separately. */
enum tp_skip { TP_SKIP_NOT_AN_OBJECT, TP_SKIP_PHASE_UNKNOWN, TP_SKIP_NO_TIME, TP_SKIP_UNKNOWN_CATEGORY, TP_SKIP_COUNT };

/* Complete events of an unknown category. */
struct tp_unread {
    uint64_t count;
    int64_t time_ns; /* sum of their durations */
    uint32_t cat;    /* id in cats; the empty text: no category */
};

enum { TP_UNREAD_CATEGORIES = 8 };

/* Events with an impossible recorded end (impossible_ends.h). */
struct tp_cut {
    uint64_t count;
    uint32_t name;                /* name of the event with the longest recorded time */
    int64_t recorded_ns, kept_ns; /* its time in the file, and its possible time */
};

/* Sums over the ends of links between calls and device operations, and over the events at these ends. Each event adds
 * a hash of its number and start to the sum that its number selects, so that equal sets have equal sums. */
enum { TP_LINK_SUMS = 64 };

struct tp_link_sums {
    uint64_t starts[TP_LINK_SUMS], ends[TP_LINK_SUMS]; /* of links */
    uint64_t events[TP_LINK_SUMS];                     /* events with a correlation */
    uint64_t devices[TP_LINK_SUMS];                    /* device operations among these events */
    bool is_unreadable;                                /* a number or start cannot be read */
};

static inline void tp_link_add(uint64_t *sums, int64_t number, int64_t ts_ns)
{
    sums[(uint64_t)number % TP_LINK_SUMS] +=
        tp_hash_mix((uint64_t)number ^ UINT64_C(0x9E3779B97F4A7C15), (uint64_t)ts_ns ^ UINT64_C(0xE7037ED1A0B428DB));
}

/* Counters of one reading: element_count = all of read* + all of skipped*. */
struct tp_reading {
    uint64_t element_count;       /* elements of traceEvents, without those of broken text */
    uint64_t read[TP_KIND_COUNT]; /* complete events by kind */
    uint64_t read_memory, read_out_of_memory, read_link;
    uint64_t skipped[TP_SKIP_COUNT];
    struct tp_unread unread[TP_UNREAD_CATEGORIES]; /* the first categories; count 0: free */
    uint64_t skipped_phase[128];                   /* by letter: M s f t i I R C B E b e n P N O D */
    uint64_t without_dur, negative_dur;            /* complete events except TP_KIND_OTHER; their duration is 0 */
    uint64_t driver;                               /* driver calls among the runtime calls */
    uint64_t other_device_events;                  /* mtia_ccp_events, hpu_op */
    uint64_t counter_events;                       /* cuda_profiler_range */
    uint64_t repaired;                             /* F9: events that were repaired or skipped because of broken text */
    bool is_truncated, has_gzip_error;
    bool is_old_autograd;    /* a process is called "CPU functions" or "CUDA functions", as torch before 1.8 wrote */
    bool is_gzip, has_end;   /* has_end: the bracket that closes the document was read */
    uint64_t own_repairs;    /* repaired events that torch wrote this way */
    uint64_t odd_keys;       /* events with a duplicate key or a key that no writer uses */
    uint64_t unnamed_memory; /* instants with the arguments of memory records but another name */
    uint64_t misspelt_cats;  /* complete events with a misspelled category */
    /* complete events without a category; read: the process gave the kind */
    uint64_t unread_without_cat, read_without_cat;
    uint64_t twice;                                /* events that equal another one (model/oddities.h) */
    uint64_t with_decimals; /* starts and durations of complete events with three decimals */
    uint64_t odd_decimals;  /* starts and durations of complete events with another number of decimals */
    uint64_t nameless;      /* complete events and memory records without name or thread, links without number */
    uint64_t unnumbered;    /* host events and memory records without the recorder's number */
    struct tp_link_sums link_sums;
    bool has_window_end;   /* the recorder marked the end of the recording */
    int64_t window_end_ns; /* time of this mark */
    /* found by comparing events with each other (model/conflicts.h) */
    uint64_t conflicts;      /* events that contradict other events */
    uint64_t cut_names;      /* events whose name is cut or misspelled */
    uint64_t without_member; /* events without an argument that the other events of their kind have */
    uint64_t lone_devices;   /* device operations without a call whose namesakes have one */
    uint64_t memory_gaps;    /* totals of device memory that no order of the records explains */
    uint64_t numbered;       /* kept events with the recorder's number ("Ev Idx") */
    uint64_t number_sum;     /* sum of these numbers, modulo 2^64 */
    int64_t last_number;     /* the highest of these numbers */
    unsigned said_kinds;     /* bits: kinds (enum tp_range_kind) in the arguments of events */
    uint64_t device_link_starts, device_link_ends; /* ends of links ac2g between launches and device events */
    uint64_t correlated;                           /* kept events with a correlation */
    struct tp_cut cut_frames, cut_operations;      /* Python calls; device operations */
    uint64_t notices[TP_NOTICE_COUNT];
    uint64_t notice_offset[TP_NOTICE_COUNT]; /* first place, as byte offset in the inflated text */
    uint64_t text_bytes, file_bytes;
    char file_sha256[65]; /* hash of the stored file, hexadecimal; "" with skips_hash */
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
    struct tp_strings names, cats, values; /* values: compact JSON texts; equal values have one id */
    struct tp_strings stack_texts;         /* "Call stack" arguments as in the file */
    struct tp_strings texts;               /* ids of links, names and labels of rows */
    struct tp_frames frames;               /* project lines and labels of the names */
    struct tp_stacks *stacks;              /* stacks of the stack texts; grows while a model of the trace is built */

    struct tp_event *events;
    uint32_t event_count;
    struct tp_host_detail *hosts;
    struct tp_host_more *host_more;
    uint32_t call_cats[16]; /* categories of calls of other devices ("mtia_runtime"): ids in cats + 1, from [1] on */
    struct tp_launch_detail *launches;
    struct tp_device_detail *devices;
    struct tp_device_setup *setups;
    struct tp_module_detail *modules;
    struct tp_comm_detail *comms;
    struct tp_other_detail *others;
    struct tp_concrete *concretes;
    uint32_t host_count, launch_count, device_count, module_count, comm_count, other_count, concrete_count;
    struct tp_memory *memory;
    struct tp_memory_more *memory_more; /* by record; NULL: no record has these fields */
    uint32_t *memory_stacks; /* by record: "Call stack", id in stack_texts, or TP_NO_ID; NULL: no record has a stack */
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
    struct { /* our recorder's threads in the program; their states and samples were dropped (own_threads.h) */
        uint32_t thread_count;
        int64_t running_ns;
    } recorder;
    struct tp_memory_look *memory_looks;
    uint32_t memory_look_count;
    struct tp_tensor_record *tensors;
    uint32_t tensor_count;
    struct tp_strings argument_texts;
    struct tp_argument *arguments; /* only with wants_arguments, like the moments */
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
    struct tp_input_evidence evidence; /* filled by tp_evidence_build */
};

struct tp_trace_options {
    uint64_t max_input_bytes; /* 0: TP_MAX_INPUT_BYTES */
    bool is_strict;           /* refuse anything that is not exact JSON */
    bool single_thread;       /* never start the inflating thread */
    bool keeps_frame_stacks;  /* also "Call stack" of Python frames: much text, only for tables by stack */
    bool wants_tensors;       /* a trace with only tensors is usable */
    bool wants_arguments;          /* the program's own arguments and colors, and moments: the page draws them */
    bool keeps_ends;          /* events keep their ends in the file, even impossible ones (impossible_ends.h) */
    bool reads_spools;        /* a spool is read like the trace that `recover` makes from it; otherwise it is refused */
    bool skips_hash;          /* reading.file_sha256 is not needed and stays "" */
    int copy_fd;              /* descriptor that gets a copy of the bytes of the file, to read them again;
                                 0: none */
    const char *include;      /* pattern for folders among the inputs: see struct tp_run_search */
};

/* Reads a trace file ("-" for stdin) into *trace, whose memory comes from `arena` (guard set by the caller; memory or
 * string limits leave through it). Returns 0; TP_EIO; TP_EFORMAT when it has nothing usable, or strict mode refuses it;
 * TP_ELIMIT when max_input_bytes or the inflate ratio is exceeded. */
int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err);

/* Reads a trace from bytes in memory (plain or gzip); otherwise like tp_trace_read. */
int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err);

/* Returns true when the notice means that the file itself is damaged, false when its content is only odd. */
static inline bool tp_notice_is_damage(enum tp_notice notice)
{
    return notice < TP_NOTICE_TIME_OUTLIER;
}

/* Returns the short text of a notice ("invalid UTF-8") for the report and stderr. Static. */
const char *tp_notice_text(enum tp_notice notice);

static inline struct tp_str tp_trace_name(const struct tp_trace *trace, const struct tp_event *event)
{
    return tp_strings_get(&trace->names, event->name);
}

/* Returns the setup of a device operation; detail: its tp_event.detail. */
static inline const struct tp_device_setup *tp_device_setup(const struct tp_trace *trace, uint32_t detail)
{
    return &trace->setups[trace->devices[detail].setup];
}

/* Returns the rare arguments of an operator or annotation; all absent when it has none. */
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

/* Returns the rare fields of a record in the trace's array. */
static inline const struct tp_memory_more *tp_memory_more(const struct tp_trace *trace, const struct tp_memory *record)
{
    static const struct tp_memory_more none = {TP_NULL_INT, TP_NULL_INT, TP_NULL_INT};
    return trace->memory_more ? &trace->memory_more[record - trace->memory] : &none;
}

/* Returns the value of a top-level key as compact JSON; ptr NULL when absent. */
struct tp_str tp_trace_header(const struct tp_trace *trace, const char *key);

/* Returns the offset in ns that turns times of a trace that begins at first_ns into wall clock times: times before the
 * year 2000 count from baseTimeNanoseconds, as torch writes them since 2.4; 0 for other traces. */
int64_t tp_trace_base_ns(const struct tp_trace *trace, int64_t first_ns);

#endif
