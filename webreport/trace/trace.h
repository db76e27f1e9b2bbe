/* Defines a trace in memory: columns of decoded events, side tables for details of some kinds, distinct texts, and the
 * reader's notices about the file. Everything is in one arena and read-only after tp_trace_read.
 *
 * Every element of the list of events has either one kind or one reason why it is skipped (section 2 of
 * docs/definitions.md). Elements with broken text are repaired or counted as notices.
 *
 * All times are int64 nanoseconds and have exactly the digits in the file. Absent integers are TP_NULL_INT, absent ids
 * TP_NO_ID. */
#ifndef TP_WEBREPORT_TRACE_TRACE_H
#define TP_WEBREPORT_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/trace/capture_arguments.h"
#include "webreport/trace/evidence.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/input_facts.h"
#include "webreport/trace/link_sums.h"
#include "webreport/trace/stack.h"
#include "webreport/trace/trace_options.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/str.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */
#include "writer/base/thread_state.h"
#include "writer/tensor.h"

enum tp_kind {
    TP_KIND_NONE,       /* category that is unknown; the event is skipped */
    TP_KIND_OPERATOR,   /* category cpu_op or Operator */
    TP_KIND_ANNOTATION, /* category user_annotation, or an operator with the name of a region */
    TP_KIND_RUNTIME,    /* call of the runtime or the driver */
    TP_KIND_FRAME,      /* category python_function */
    TP_KIND_MODULE,     /* category python_function with a "Python module id" */
    TP_KIND_KERNEL,
    TP_KIND_MEMCPY,
    TP_KIND_MEMSET,
    TP_KIND_GPU_ANNOTATION,
    TP_KIND_SPAN,     /* category Trace */
    TP_KIND_OVERHEAD, /* time that the recorder itself used, which is not work of the program */
    TP_KIND_OTHER,    /* other known category that no number needs, such as cuda_sync */
    TP_KIND_COUNT
};

/* Returns true for kinds of host events, from which stacks, steps and launches are built. */
static inline bool tp_kind_is_host(unsigned kind)
{
    return kind >= TP_KIND_OPERATOR && kind <= TP_KIND_MODULE;
}
/* Returns true for the kinds of device operations. */
static inline bool tp_kind_is_device(unsigned kind)
{
    return kind >= TP_KIND_KERNEL && kind <= TP_KIND_MEMSET;
}
static inline bool tp_kind_is_frame(unsigned kind)
{
    return kind == TP_KIND_FRAME || kind == TP_KIND_MODULE;
}

/* Kind of work that the argument "kind" of an annotation or device event names (docs/definitions.md, section 2). */
enum tp_range_kind {
    TP_RANGE_NONE, /* no argument "kind", or an unknown word */
    TP_RANGE_INPUT,
    TP_RANGE_COMPUTE,
    TP_RANGE_COMMUNICATION,
    TP_RANGE_COPY,
    TP_RANGE_WAIT,
    TP_RANGE_SYNC,
    TP_RANGE_KINDS
};

/* Returns the word for a range kind: "input", "compute" ..; NULL for TP_RANGE_NONE. Static text. */
const char *tp_range_kind_text(enum tp_range_kind kind);

#define TP_RANGE_BIT(kind) (1u << TP_RANGE_##kind)

enum tp_event_flag {
    TP_EVENT_UNFINISHED = 1,     /* the argument "finished" is false */
    TP_EVENT_HAS_INPUT_DIMS = 2, /* the event has an argument "Input Dims" or "Input dims" */
    TP_EVENT_OLD_DIMS = 4,       /* the dimensions come from "Input dims", the key of 2020 */
    TP_EVENT_WAS_OPERATOR = 8    /* the name makes the event an annotation, but torch's own tables count it as an
                                  * operator */
};

/* One complete event (phase X) of a known kind, 32 bytes. Events are in file order, so ordinals ascend. */
struct tp_event {
    int64_t ts_ns, dur_ns; /* start, ns; duration, ns, not negative (0 if missing or negative in the file) */
    uint32_t name;         /* id in names; the id of the empty text if the event has no name */
    uint32_t ordinal;      /* position of the event in traceEvents, counting every element */
    /* index in hosts, launches, devices, modules or others, depending on the kind. For a frame: id of its "Call
     * stack" in stack_texts if keeps_frame_stacks is set. TP_NO_ID if none exists. */
    uint32_t detail;
    unsigned thread : 20; /* thread, index in threads */
    unsigned kind : 4;    /* enum tp_kind */
    unsigned flags : 4;   /* bits of enum tp_event_flag */
    /* runtime and driver calls: index in tp_trace.foreign_call_cats, 0 for CUDA; annotations and device events: range
     * kind */
    unsigned variant : 4;
};

/* Returns the range kind of an event; TP_RANGE_NONE if the event has none. */
static inline enum tp_range_kind tp_event_declared_kind(const struct tp_event *event)
{
    return event->kind == TP_KIND_RUNTIME ? TP_RANGE_NONE : (enum tp_range_kind)event->variant;
}

static inline int64_t tp_event_end(const struct tp_event *event)
{
    return event->ts_ns + event->dur_ns;
}
/* Returns whether an event is a call of CUDA or HIP. Calls of other devices have a variant. */
static inline bool tp_event_is_cuda_call(const struct tp_event *event)
{
    return event->kind == TP_KIND_RUNTIME && !event->variant;
}

/* Arguments of operators and annotations. */
struct tp_host_detail {
    int64_t external_id; /* "External id"; TP_NULL_INT if absent or not an integer */
    uint32_t dims;       /* "Input Dims", or "Input dims" if that is absent; id in values; TP_NO_ID if absent */
    uint32_t types;      /* "Input type", id in values; TP_NO_ID if absent */
    uint32_t stack;      /* "Call stack", id in stack_texts; TP_NO_ID if it has no frames */
    uint32_t more;       /* index in host_rare; TP_NO_ID for most operators */
};

/* Arguments that only some operators have: those of autograd and of collectives. */
struct tp_host_rare {
    int64_t sequence, forward_thread; /* "Sequence number", "Fwd thread id"; TP_NULL_INT if absent or no integer */
    uint32_t comm;                    /* arguments of the collective, index in comms; TP_NO_ID if none exist */
};

/* Arguments of runtime and driver calls. */
struct tp_launch_detail {
    int64_t external_id, correlation;
};

/* Arguments of a kernel, copy or memory set, 24 bytes. */
struct tp_device_detail {
    int64_t external_id, correlation;
    uint32_t setup; /* configuration of the operation, index in setups */
    uint32_t comm;  /* arguments of the collective, index in comms; TP_NO_ID if none exist */
};

/* Device, stream and configuration of a device operation. Each distinct set is stored once, in file order. */
struct tp_device_setup {
    int64_t bytes, device, stream, graph_id;
    int64_t blocks_per_sm_e9; /* "blocks per SM" times 1e9; TP_NULL_INT if not a finite number */
    int64_t occupancy_pct_e9; /* "est. achieved occupancy %" times 1e9; TP_NULL_INT if not a finite number */
    int64_t bandwidth_e9;     /* "memory bandwidth (GB/s)" of a copy or memset times 1e9; 0 or less: unknown */
    uint32_t stream_value;    /* text of the argument "stream", id in values */
    uint32_t grid, block, registers, shared_memory; /* arguments as ids in values; TP_NO_ID if absent or null */
    uint32_t unused;                                /* always 0, because structs are compared byte by byte */
};

struct tp_module_detail {
    int64_t module_id; /* "Python module id"; TP_NULL_INT if not an integer */
    uint32_t stack;    /* "Call stack" of the call, id in stack_texts; TP_NO_ID unless keeps_frame_stacks is set */
};

/* Arguments of events of the kind TP_KIND_OTHER. */
struct tp_other_detail {
    int64_t external_id;
    uint32_t cat;  /* category, id in cats */
    uint32_t sync; /* record of a wait, index in syncs; TP_NO_ID for events of other categories */
};

/* A record of the device about a call that waits or orders streams (category cuda_sync). Members are TP_NULL_INT if the
 * argument is absent. */
struct tp_sync_record {
    int64_t correlation; /* correlation of the call */
    int64_t device, stream;
    /* stream of the event for which the call waits, and correlation of the call that recorded this event */
    int64_t event_stream, event_record;
    bool orders_streams; /* true for a call that makes a stream wait for an event; false for a call that waits itself */
};

/* Argument "Concrete Inputs" of a convolution, attention or selection. Sorted by operator. */
struct tp_concrete {
    uint32_t host;  /* index of the operator in hosts */
    uint32_t value; /* text of the argument, id in values */
};

/* Arguments of a collective, from record_param_comms or a communication kernel. Ids are in values; TP_NO_ID if
 * absent or null. */
struct tp_comm_detail {
    uint32_t collective, dtype, group_size, group_name, group_description, group_ranks;
    int64_t in_count, out_count; /* "In msg nelems" and "Out msg nelems": numbers of elements; TP_NULL_INT if absent */
    int64_t sequence;            /* "Seq": number of the call within its process group; TP_NULL_INT if absent */
    int64_t peer;                /* rank of the partner in a send or receive */
};

enum tp_memory_flag {
    TP_MEMORY_OUT_OF_MEMORY = 1 /* bit for an [OutOfMemory] record */
};

/* Values of c10::DeviceType that the code uses. memory_records.c has the names of all values. */
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
    int64_t type, id; /* type: enum tp_device_type, or another c10::DeviceType; TP_NULL_INT if absent */
};

/* One record "[memory]" or "[OutOfMemory]". Records are in file order. */
struct tp_memory {
    int64_t ts_ns, bytes; /* time, ns; size of the allocation, bytes, negative when memory is freed, 0 if absent */
    uint32_t device;      /* device of the memory, index in memory_places */
    uint32_t thread, ordinal;
    uint32_t flags;
};

/* Fields of a memory record that old recorders do not write. TP_NULL_INT if absent. */
struct tp_memory_rare {
    int64_t address, total_allocated, total_reserved;
};

/* One value of a counter (phase C with an argument "value"). Values are in file order. */
struct tp_counter {
    int64_t ts_ns;
    double value; /* value of the counter; NaN if the argument is not a number */
    uint32_t name;
};

/* The start or the end of a task (phase b or e), in file order. A task may end on another thread. */
struct tp_task_end {
    int64_t ts_ns;
    uint32_t name, category, id; /* name, category and id of the task, as ids in texts */
    bool is_begin;
};

/* The start or the end of a forward-backward link (category fwdbwd or forward_backward), in file order. */
struct tp_flow {
    int64_t ts_ns;
    uint32_t id; /* number of the link, as an id in texts; a number and the same digits in quotes have the same id */
    uint32_t thread;
    bool is_start;
};

/* Innermost frame of a sample of the recorder's work (argument "recording"). The reader adds this frame. */
#define TP_RECORDING_FUNCTION "[recording]"
#define TP_RECORDING_FILE "kernel"
#define TP_RECORDING_FRAME TP_RECORDING_FUNCTION " [" TP_RECORDING_FILE "]"

/* One sample of a running thread (phase P, category cpu_sample), written by our collector, or by another profiler. In
 * file order. */
struct tp_sample {
    int64_t ts_ns, cpu_ns; /* cpu_ns: processor time of the thread since its previous sample, ns; >= 0; see
                              has_untimed_samples in input_facts.h */
    uint32_t stack;        /* "Call stack", id in stack_texts; TP_NO_ID if none exists */
    uint32_t thread;
};

/* A state of a thread (category thread_state), only in traces of `record --outside`. In file order. */
struct tp_state {
    int64_t ts_ns, dur_ns;
    uint32_t thread;
    uint32_t cause;    /* cause of a wait, id in texts; TP_NO_ID if unknown or not a wait */
    uint32_t stack;    /* stack of a wait, id in stack_texts; TP_NO_ID if none exists */
    uint8_t state;     /* enum tp_thread_state */
    bool is_estimated; /* true if the recorder estimated the cause from other waits */
    bool is_recording; /* true if the file marks the wait as work of the recorder */
};

/* A process (category process), only in traces of `record --outside`. In file order. Absent numbers are TP_NULL_INT,
 * absent texts TP_NO_ID. */
struct tp_recorded_process {
    int64_t ts_ns, dur_ns;
    int64_t parent_pid, exit_code, signal;
    int64_t peak_bytes; /* peak of resident memory, bytes */
    int64_t read_bytes, written_bytes, disk_read_bytes, disk_written_bytes;
    uint32_t thread; /* thread whose tid equals the pid, index in threads */
    uint32_t name;   /* name of the process, id in names */
    uint32_t end;    /* without an exit code: "still runs", "out of sight" .., id in texts */
    uint32_t execs;  /* programs that the process executed, in order: a JSON list of texts, id in values */
};

/* Resident memory of a process at one time (counter "process memory"). In file order. */
struct tp_process_memory {
    int64_t ts_ns, bytes;
    uint32_t thread; /* thread whose tid equals the pid of the process, index in threads */
};

/* A tensor that the program recorded (instant of category tensor), written by our collector. In file order. */
struct tp_tensor_record {
    int64_t ts_ns, step;                 /* time, ns; step number, TP_NULL_INT if absent */
    uint32_t name, ordinal;              /* name: id in names; ordinal: position in traceEvents */
    uint32_t dtype, shape, file, values; /* ids in values; TP_NO_ID if absent or null; see writer/README.md */
    bool has_stats;                      /* true if the counts are present and agree with each other */
    struct tp_tensor_stats stats;        /* statistics of the values; NaN for a number that is absent or null */
};

/* Arguments that the program gave to a range, to a work item that the program recorded, or to a moment. */
struct tp_argument_text {
    /* lines "argument: value" without the last line feed, id in argument_texts; TP_NO_ID if there are no lines */
    uint32_t text;
    uint32_t color; /* color 0xRRGGBB; TP_NO_ID if the program set no color */
};

/* Arguments that the program gave to an event, in file order. */
struct tp_argument {
    uint32_t event; /* the event, index in events */
    struct tp_argument_text text;
};

/* A moment that the program marked (instant of category user_annotation), written by our collector. In file order. */
struct tp_moment {
    int64_t ts_ns;
    uint32_t name, thread;
    struct tp_argument_text text;
};

/* A pid or tid: a number, or a text. Texts of digits and "stream N" are stored as numbers. */
struct tp_row_id {
    bool is_text;
    int64_t number;
    struct tp_str text;
};

struct tp_thread {
    struct tp_row_id pid, tid;
    struct tp_str name; /* name in the last thread_name record of the thread; empty if none exists */
};

struct tp_process {
    struct tp_row_id pid;
    struct tp_str name, labels;
    int64_t sort_index; /* sort index of the process in the timeline; TP_NULL_INT if absent */
};

/* One entry of deviceProperties. Texts are as in the file; ptr NULL if a text is absent. */
struct tp_gpu_property {
    bool has_id, has_warp_size;
    int64_t id, total_memory_bytes, major, minor, warp_size, sm_count;
    struct tp_str name, major_text, minor_text; /* version numbers in the form of Python's str() */
};

struct tp_header_value {
    struct tp_str key, value; /* key: name of the top-level member; value: its value as compact JSON */
};

/* Kinds of repairs, skipped parts and oddities. The reader counts each kind; tp_notice_text returns its text. */
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
    /* oddities that need no repair, found when the events are sorted (model/unusual_events.h) */
    TP_NOTICE_TIME_OUTLIER,
    TP_NOTICE_OVERLAP,
    TP_NOTICE_NO_STEPS,
    TP_NOTICE_COUNT
};

/* Reasons for skipping an element. An element with a known phase that is not read is counted by its phase letter
 * instead. */
enum tp_skip { TP_SKIP_NOT_AN_OBJECT, TP_SKIP_PHASE_UNKNOWN, TP_SKIP_NO_TIME, TP_SKIP_UNKNOWN_CATEGORY, TP_SKIP_COUNT };

/* Counts of complete events of one unknown category. */
struct tp_unknown_category {
    uint64_t count;
    int64_t time_ns; /* total duration of the events, ns */
    uint32_t cat;    /* id in cats; the id of the empty text if the events have no category */
};

enum { TP_UNKNOWN_CATEGORIES = 8 };

/* Number of events with an impossible end, and the longest of them (impossible_ends.h). */
struct tp_cut {
    uint64_t count;
    uint32_t name;                /* name of the event with the longest recorded time */
    int64_t recorded_ns, kept_ns; /* duration of this event in the file, ns, and its duration after the cut, ns */
};

/* Counters of the reader. element_count equals the sum of all read* and skipped* counters. */
struct tp_reading {
    uint64_t element_count;       /* elements of traceEvents, without those whose text is broken */
    uint64_t read[TP_KIND_COUNT]; /* number of complete events of each kind */
    uint64_t read_memory, read_out_of_memory, read_link;
    uint64_t skipped[TP_SKIP_COUNT];
    /* first unknown categories of the file; elements with count 0 are free */
    struct tp_unknown_category unknown_categories[TP_UNKNOWN_CATEGORIES];
    uint64_t skipped_by_phase[128]; /* skipped elements by phase letter (M s f t i I R C B E b e n P N O D) */
    /* complete events with a missing or a negative duration, which becomes 0; without events of TP_KIND_OTHER */
    uint64_t missing_dur, negative_dur;
    uint64_t driver;              /* calls of the driver, which are also in read[TP_KIND_RUNTIME] */
    uint64_t other_device_events; /* events of categories mtia_ccp_events and hpu_op */
    uint64_t counter_events;      /* events of category cuda_profiler_range */
    uint64_t repaired;            /* events that were repaired or skipped because their text was broken */
    bool is_truncated, has_gzip_error;
    /* true if a process has the name "CPU functions" or "CUDA functions", as in files of torch before 1.8 */
    bool has_old_autograd_names;
    bool is_gzip, has_end;              /* has_end: true if the bracket that closes the document was read */
    uint64_t torch_error_repairs;       /* repaired events that torch itself wrote in broken form */
    uint64_t unknown_or_duplicate_keys; /* events with a duplicate key or a key that no writer uses */
    uint64_t misnamed_memory_records;   /* instants with a memory record's arguments but another name */
    uint64_t misspelled_cats;           /* complete events with a misspelled category */
    /* complete events without a category: number skipped, number read */
    uint64_t skipped_without_cat, read_without_cat;
    uint64_t duplicate_events;               /* events that are equal to another event (model/unusual_events.h) */
    uint64_t with_decimals;                  /* starts and durations with three decimals, of complete events */
    uint64_t times_with_unexpected_decimals; /* starts and durations with more or fewer than three decimals */
    uint64_t nameless;                       /* events and records without name or thread, and links without a number */
    uint64_t unnumbered;                     /* host events and memory records without "Ev Idx" */
    struct tp_link_sums link_sums;
    bool has_window_end;   /* true if the recorder marked the end of the recording */
    int64_t window_end_ns; /* time of the mark for the end of the recording, ns */
    /* The next five members come from comparing events with each other (model/conflicts.h). */
    uint64_t conflicts;             /* events that contradict other events */
    uint64_t damaged_name_events;   /* events whose name is cut or misspelled */
    uint64_t events_lacking_member; /* events without an argument that other events of their kind have */
    /* device operations without a call, while other operations of the same name have a call */
    uint64_t unlaunched_devices;
    uint64_t unexplained_memory_totals; /* totals of device memory that no order of the memory records explains */
    uint64_t numbered_events;           /* events that have a number of the recorder ("Ev Idx") */
    uint64_t recorder_number_sum;       /* sum of the recorder's numbers, modulo 2^64 */
    int64_t highest_recorder_number;    /* highest of the recorder's numbers */
    unsigned declared_kind_bits;        /* bits 1 << kind for each enum tp_range_kind that occurs in arguments */
    uint64_t device_link_starts, device_link_ends; /* numbers of starts and ends of links to device operations */
    uint64_t correlated_events;                    /* events that have a correlation */
    struct tp_cut cut_frames, cut_operations;      /* Python calls and device operations with an impossible end */
    uint64_t notices[TP_NOTICE_COUNT];
    uint64_t notice_offset[TP_NOTICE_COUNT]; /* offset of the first notice of each kind in the inflated text, bytes */
    uint64_t text_bytes, file_bytes;
    char file_sha256[65]; /* SHA-256 of the stored file, hexadecimal; "" if skips_hash is set */
};

enum tp_option_bit { /* Bits for the options whose top-level key is in the document. */
                     TP_OPTION_RECORD_SHAPES = 1,
                     TP_OPTION_WITH_STACK = 2,
                     TP_OPTION_PROFILE_MEMORY = 4,
                     TP_OPTION_WITH_MODULES = 8,
                     TP_OPTION_WITH_FLOPS = 16
};

struct tp_trace {
    struct tp_arena *arena;
    bool is_part;             /* true if the trace is a part of another one and shares its texts (model/steps_part.h) */
    int64_t lead_in_until_ns; /* of a part: steps that start before this time on the host are not analysed */
    struct tp_strings names, cats, values; /* distinct texts, indexed by id; `values` are compact JSON */
    struct tp_strings stack_texts;         /* distinct texts of "Call stack" arguments, as in the file */
    struct tp_strings texts;               /* ids of links, and names and labels of threads and processes */
    struct tp_frames frames;               /* project lines and labels of the names */
    struct tp_stacks *stacks;              /* the stacks of stack_texts; building a model of the trace adds more */

    struct tp_event *events;
    uint32_t event_count;
    struct tp_host_detail *hosts;
    struct tp_host_rare *host_rare;
    /* from index 1 on: 1 + id in cats of a category of calls on other devices ("mtia_runtime"); 0 in a free entry */
    uint32_t foreign_call_cats[16];
    struct tp_launch_detail *launches;
    struct tp_device_detail *devices;
    struct tp_device_setup *setups;
    struct tp_module_detail *modules;
    struct tp_comm_detail *comms;
    struct tp_other_detail *others;
    struct tp_concrete *concretes;
    uint32_t host_count, launch_count, device_count, setup_count, module_count, comm_count, other_count, concrete_count;
    struct tp_sync_record *syncs; /* in file order */
    uint32_t sync_count;
    struct tp_memory *memory;
    struct tp_memory_rare *memory_rare; /* rare fields of each record in `memory`; NULL if no record has such fields */
    /* for each record in `memory`: stack as an id in stack_texts, or TP_NO_ID; NULL if no record has a stack */
    uint32_t *memory_stacks;
    struct tp_memory_place *memory_places; /* distinct devices in the order of their first record */
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
    struct tp_recorded_process *recorded_processes;
    uint32_t recorded_process_count;
    struct { /* the recorder's own threads, whose states and samples were dropped (recorder_threads.h) */
        uint32_t thread_count;
        int64_t running_ns;
    } recorder;
    struct tp_process_memory *process_memory;
    uint32_t process_memory_count;
    struct tp_tensor_record *tensors;
    uint32_t tensor_count;
    struct tp_strings argument_texts;
    struct tp_argument *arguments; /* arguments and moments are read only if wants_arguments is set */
    uint32_t argument_count;
    struct tp_moment *moments;
    uint32_t moment_count;
    uint64_t arguments_left_out; /* number of argument texts dropped because of TP_MAX_ARGUMENT_TEXTS */
    struct tp_thread *threads;
    uint32_t thread_count;
    struct tp_process *processes;
    uint32_t process_count;
    int64_t *thread_ranks;  /* for each thread: argument "rank" of its slices, or -1; NULL without lists_ranks */
    uint64_t ranked_slices; /* number of slices with an argument "rank"; 0 without lists_ranks */
    struct tp_gpu_property *gpus;
    uint32_t gpu_count;
    bool has_gpu_list; /* true if the member deviceProperties is a list */
    struct tp_header_value *header;
    uint32_t header_count;
    unsigned options;                         /* options of the recording, bits of enum tp_option_bit */
    int64_t base_time_ns;                     /* member baseTimeNanoseconds, ns; 0 if absent */
    const struct tp_compile_log *compile_log; /* artifacts of torch.compile (compile_graphs.h); NULL: none were found */
    struct tp_input_facts input;              /* what the reader reports about the input */
    struct tp_capture_data capture;
    struct tp_reading reading;
    struct tp_input_evidence evidence; /* evidence of the input, filled by tp_evidence_build */
};

/* Reads a trace file ("-" for standard input) into *trace. Allocates from `arena`, whose guard must be set, because
 * exceeded memory and string limits jump to it. Returns 0 or TP_EIO. Returns TP_EFORMAT if the file has no usable data
 * or is_strict refuses it, and TP_ELIMIT if max_input_bytes or the inflate ratio is exceeded. */
int tp_trace_read(struct tp_trace *trace, struct tp_arena *arena, const char *path,
                  const struct tp_trace_options *options, struct tp_error *err);

/* Reads a trace from bytes in memory (plain or gzip). Otherwise works like tp_trace_read. */
int tp_trace_read_bytes(struct tp_trace *trace, struct tp_arena *arena, const void *bytes, size_t size,
                        const struct tp_trace_options *options, struct tp_error *err);

/* Returns true if a notice means that the file itself is damaged, false if only its contents are unusual. */
static inline bool tp_notice_is_damage(enum tp_notice notice)
{
    return notice < TP_NOTICE_TIME_OUTLIER;
}

/* Returns the short text of a notice ("invalid UTF-8") for the report and stderr. Static text. */
const char *tp_notice_text(enum tp_notice notice);

static inline struct tp_str tp_trace_event_name(const struct tp_trace *trace, const struct tp_event *event)
{
    return tp_strings_get(&trace->names, event->name);
}

/* Returns the setup of a device operation. detail: its tp_event.detail. */
static inline const struct tp_device_setup *tp_device_setup(const struct tp_trace *trace, uint32_t detail)
{
    return &trace->setups[trace->devices[detail].setup];
}

/* Returns the rare arguments of an operator or annotation. All members are absent values if it has none. */
static inline struct tp_host_rare tp_host_rare(const struct tp_trace *trace, const struct tp_host_detail *host)
{
    static const struct tp_host_rare none = {TP_NULL_INT, TP_NULL_INT, TP_NO_ID};
    return host->more == TP_NO_ID ? none : trace->host_rare[host->more];
}

static inline const struct tp_memory_place *tp_memory_place(const struct tp_trace *trace,
                                                            const struct tp_memory *record)
{
    return &trace->memory_places[record->device];
}

/* Returns the rare fields of a memory record, which must be in the trace's array. */
static inline const struct tp_memory_rare *tp_memory_rare(const struct tp_trace *trace, const struct tp_memory *record)
{
    static const struct tp_memory_rare none = {TP_NULL_INT, TP_NULL_INT, TP_NULL_INT};
    return trace->memory_rare ? &trace->memory_rare[record - trace->memory] : &none;
}

/* Returns the value of the top-level member `key` as compact JSON; ptr NULL if absent. */
struct tp_str tp_trace_header(const struct tp_trace *trace, const char *key);

/* Returns the offset, ns, that turns times of a trace into wall clock times. This is baseTimeNanoseconds if
 * first_ns, the first time in the trace, is before the year 2000, as in traces since torch 2.4. Otherwise returns 0. */
int64_t tp_trace_base_ns(const struct tp_trace *trace, int64_t first_ns);

#endif
