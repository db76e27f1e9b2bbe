/* Defines the sink, which fills the columns of a trace from the events that a reader of any input format delivers.
 *
 * A reader interns each distinct text once and passes its id. It gives times as int64 nanoseconds, absent integers as
 * TP_NULL_INT and absent ids as TP_NO_ID. The order of calls is the order of the columns. The reader of JSON (decode.h)
 * and the reader of spools are the two callers; the recipe for another one is in CONTRIBUTING.md.
 *
 * A sink belongs to one thread. Its memory comes from the arena of the trace. Limits and failed allocations jump to the
 * arena's guard; afterwards tp_sink_release must still be called. */
#ifndef TP_WEBREPORT_TRACE_SINK_H
#define TP_WEBREPORT_TRACE_SINK_H

#include "webreport/trace/interner.h"
#include "webreport/trace/kinds.h"
#include "webreport/trace/trace.h"
#include "writer/base/keys.h"

struct tp_sink {
    struct tp_trace *trace;
    struct tp_interner names, cats, stacks, texts, values;
    struct tp_vec events, hosts, host_rare, launches, devices, modules, comms, others, syncs, concretes, memory,
        memory_rare, memory_stacks, counters, task_ends, flows, samples, os_calls, states, recorded_processes,
        process_memory, tensors, arguments, capture_arguments, moments, threads, processes, notes, dropped,
        device_counters, device_counter_stats;
    struct tp_vec members;                     /* top-level members of the document; elements: struct tp_header_value */
    struct tp_vec cat_meanings, name_meanings; /* meaning of each category and name, indexed by id (kinds.h) */
    struct tp_keys setups;                     /* distinct structs tp_device_setup, as 32-bit words */
    /* setup that followed each setup last time, indexed by setup; TP_NO_ID if unknown; elements: uint32_t */
    struct tp_vec next_setup_index;
    uint32_t last_setup_index;    /* setup of the last device operation; TP_NO_ID before the first device operation */
    struct tp_keys memory_places; /* distinct devices (type, id); a key has four 32-bit words */
    /* device of the last memory record, and its number in memory_places */
    struct tp_memory_place last_memory_place;
    uint32_t last_memory_record_number; /* number of last_memory_place; TP_NO_ID before the first memory record */
    struct tp_strings canonical_rows;   /* pairs (pid, tid) in canonical form; the id of a pair is its thread number */
    /* pids in canonical form that have a name or label; the id of a pid is its process number */
    struct tp_strings canonical_processes;
    struct tp_buf row_key, scratch; /* scratch buffers; allocated with malloc, freed by
                                       tp_sink_release */
    /* copies of the options in struct tp_trace_options */
    bool keeps_frame_stacks, wants_tensors, wants_arguments, wants_captures;
    bool is_program_trace; /* true if a member before the events shows that the collector wrote the file */
};

/* ---- use of a sink: open, deliver, finish, release ---- */

/* Empties *trace and allocates its columns from `arena`, whose guard must be set. options: NULL for default options. */
void tp_sink_open(struct tp_sink *sink, struct tp_trace *trace, struct tp_arena *arena,
                  const struct tp_trace_options *options);

/* Moves the columns into the trace, and reads the top-level members that have fields in struct tp_trace. */
void tp_sink_finish(struct tp_sink *sink);

/* Frees the memory that is not in the arena. Accepts a sink of zeros. */
void tp_sink_release(struct tp_sink *sink);

/* Counts a notice and stores the position of its first occurrence. offset: byte offset in the inflated input. */
void tp_sink_count_notice(struct tp_sink *sink, enum tp_notice notice, uint64_t offset);

/* ---- texts ---- */

/* Returns the id of a text in one of the sink's interners, and adds the text if it is new. For `values`, the text is
 * compact JSON; otherwise any bytes are allowed. Also finds the meaning of a new name or category. */
uint32_t tp_sink_intern_text(struct tp_sink *sink, struct tp_interner *interner, struct tp_str text);

/* Finds the meanings of the names that were interned since the last call. The next function does the same for
 * categories. */
void tp_sink_classify_new_names(struct tp_sink *sink);
void tp_sink_classify_new_cats(struct tp_sink *sink);

/* Returns the meaning of a category (kinds.h). cat: id in cats. */
static inline const struct tp_cat_meaning *tp_sink_cat_meaning(const struct tp_sink *sink, uint32_t cat)
{
    return TP_AT(&sink->cat_meanings, struct tp_cat_meaning, cat);
}
static inline unsigned tp_sink_name_meaning(const struct tp_sink *sink, uint32_t name)
{
    return *TP_AT(&sink->name_meanings, uint8_t, name);
}

/* Adds a top-level member, or replaces the member with the same key. value: compact JSON. Values longer than
 * TP_MAX_HEADER_BYTES and keys beyond TP_MAX_HEADER_KEYS are dropped and counted. */
void tp_sink_add_member(struct tp_sink *sink, struct tp_str key, struct tp_str value);

/* ---- facts of the input (input_facts.h); all texts are copied ---- */

/* Sets the producer that messages name, such as "Nsight Systems 2026.2.1". */
void tp_sink_set_producer(struct tp_sink *sink, struct tp_str producer);

/* Records that the input cannot show these kinds of data. unknown: bits of enum tp_unknown. */
void tp_sink_add_unknown(struct tp_sink *sink, uint32_t unknown);

/* Adds a sentence for people, without a final full stop. Ignores a sentence that was added before. */
void tp_sink_add_note(struct tp_sink *sink, struct tp_str note);

/* Counts rows that the reader dropped. what: text for people, such as "device rows"; equal texts are one row. needs:
 * numbers that the rows affect, bits of enum tp_need. From TP_MAX_INPUT_NOTES texts on, the last row counts the rest.
 */
void tp_sink_count_dropped(struct tp_sink *sink, const char *what, uint64_t count, unsigned needs);

/* Adds a sample, or counts it as dropped if its value is infinite or not a number. */
void tp_sink_add_device_counter(struct tp_sink *sink, const struct tp_device_counter *counter);
void tp_sink_add_device_counter_stats(struct tp_sink *sink, const struct tp_device_counter_stats *stats);

/* ---- threads and processes ---- */

/* Returns the number of the thread with this pid and tid, or adds it. The texts of the ids are borrowed. */
uint32_t tp_sink_add_thread(struct tp_sink *sink, const struct tp_row_id *pid, const struct tp_row_id *tid);

/* Copies the thread numbers of a trace, before the same file is read again. Threads of the trace keep their numbers,
 * and new threads get later numbers. */
void tp_sink_copy_threads(struct tp_sink *sink, const struct tp_trace *trace);

/* Sets the name of a thread, in place of an earlier name. The text must outlive the sink's trace. */
void tp_sink_set_thread_name(struct tp_sink *sink, uint32_t thread, struct tp_str name);

/* Returns the process with this pid, or adds it, so that the caller can set its name, labels and sort index. Valid
 * until the next call. */
struct tp_process *tp_sink_add_process(struct tp_sink *sink, const struct tp_row_id *pid);

/* Returns the process with this pid; NULL if tp_sink_add_process has not added it. */
const struct tp_process *tp_sink_find_process(struct tp_sink *sink, const struct tp_row_id *pid);

/* Returns the text with this id in `texts`. Used for names of threads and processes. */
static inline struct tp_str tp_sink_text_by_id(const struct tp_sink *sink, uint32_t text)
{
    return tp_strings_get(&sink->trace->texts, text);
}

/* ---- complete events ---- */

/* Returns the kind of an event from the meanings of its category and name; TP_KIND_NONE if the category is unknown.
 * Sets bits of enum tp_event_flag in *flags. has_module: the event has a "Python module id". */
unsigned tp_sink_event_kind(const struct tp_cat_meaning *cat, unsigned name, bool has_module, unsigned *flags);

/* Counts a complete event that is skipped because it has no kind or no time. */
void tp_sink_count_skipped(struct tp_sink *sink, enum tp_skip reason);

/* Counts a complete event of an unknown category. dur_ns: duration of the event; 0 if absent. */
void tp_sink_count_unknown_category(struct tp_sink *sink, uint32_t cat, int64_t dur_ns);

/* Counts an event with a number ("Ev Idx") of the recorder, and adds the number to the sum and the maximum of all
 * numbers. Recorders number their events from 0 on. */
void tp_sink_add_recorder_number(struct tp_sink *sink, int64_t number);

/* Adds the details of the operator or annotation that is delivered next. Returns the value for tp_event.detail.
 * more: arguments that few operators have, such as the index of their collective; may be NULL. */
uint32_t tp_sink_add_host(struct tp_sink *sink, struct tp_host_detail host, const struct tp_host_rare *more);
uint32_t tp_sink_add_launch(struct tp_sink *sink, const struct tp_launch_detail *launch);
uint32_t tp_sink_add_device(struct tp_sink *sink, struct tp_device_detail device, const struct tp_device_setup *setup);
/* Sets device and stream of a device operation whose details were added. stream: TP_NULL_INT keeps the old stream. */
void tp_sink_set_operation_place(struct tp_sink *sink, uint32_t detail, int64_t device, int64_t stream);
uint32_t tp_sink_add_module(struct tp_sink *sink, const struct tp_module_detail *module);
uint32_t tp_sink_add_other(struct tp_sink *sink, const struct tp_other_detail *other);
/* Adds the record of a wait. Returns its index for tp_other_detail. */
uint32_t tp_sink_add_sync(struct tp_sink *sink, const struct tp_sync_record *sync);
/* Adds the argument "Concrete Inputs" to the operator whose details were added last. value: id in values. */
void tp_sink_add_concrete(struct tp_sink *sink, uint32_t value);
/* Adds the arguments of a collective. Returns their index for tp_host_rare and tp_device_detail. */
uint32_t tp_sink_add_comm(struct tp_sink *sink, const struct tp_comm_detail *comm);

/* A complete event, with data that struct tp_event does not have. */
struct tp_sink_slice {
    struct tp_event event;            /* the event; `detail` must be set, and the sink sets `variant` */
    uint32_t cat;                     /* category, id in cats */
    enum tp_range_kind declared_kind; /* range kind that the argument "kind" of the event names; TP_RANGE_NONE
                                         without this argument */
    bool is_communication;            /* true for a kernel that has the arguments of a collective */
    bool has_number; /* true if the recorder numbered the event; pass the number to tp_sink_add_recorder_number */
    bool has_correlation;
    int64_t correlation; /* correlation of the event; TP_NULL_INT if it is present but not a number */
};

/* Adds and counts a complete event of a known kind. */
void tp_sink_slice(struct tp_sink *sink, const struct tp_sink_slice *slice);

/* Adds arguments that the program gave to an event. They belong to the event delivered next. */
void tp_sink_add_argument(struct tp_sink *sink, struct tp_argument_text text);
/* Adds arguments that join graph kernels with captured calls. They belong to the event delivered next. The sink sets
 * `event`, and ignores arguments that are all absent. */
void tp_sink_add_capture_argument(struct tp_sink *sink, const struct tp_capture_argument *argument);

/* ---- elements at one point in time ---- */

/* A memory record and its device. stack: id in stacks; TP_NO_ID if none exists. */
struct tp_sink_memory {
    struct tp_memory record;
    struct tp_memory_rare more;
    struct tp_memory_place place;
    uint32_t stack;
    bool has_number; /* true if the recorder numbered the record */
};
void tp_sink_memory(struct tp_sink *sink, const struct tp_sink_memory *memory);

/* Counts the start or the end of a link between a call and a device operation. number, ts_ns: TP_NULL_INT if
 * unreadable. */
void tp_sink_add_device_link(struct tp_sink *sink, bool is_start, int64_t number, int64_t ts_ns);

void tp_sink_add_flow(struct tp_sink *sink, const struct tp_flow *flow);
void tp_sink_add_counter(struct tp_sink *sink, const struct tp_counter *counter);
void tp_sink_add_task_end(struct tp_sink *sink, const struct tp_task_end *end);
void tp_sink_add_sample(struct tp_sink *sink, const struct tp_sample *sample);
void tp_sink_add_os_call(struct tp_sink *sink, const struct tp_os_call *call);
void tp_sink_add_tensor(struct tp_sink *sink, const struct tp_tensor_record *tensor);
void tp_sink_add_moment(struct tp_sink *sink, const struct tp_moment *moment);
void tp_sink_add_state(struct tp_sink *sink, const struct tp_state *state);
void tp_sink_add_recorded_process(struct tp_sink *sink, const struct tp_recorded_process *process);
void tp_sink_add_process_memory(struct tp_sink *sink, const struct tp_process_memory *process_memory);

/* Returns true if the statistics of a tensor are possible: the counts agree with each other, and all numbers are in
 * their range. */
bool tp_tensor_stats_are_possible(const struct tp_tensor_stats *stats);

/* Returns the stack id of a sample of the recorder's work. Adds TP_RECORDING_FRAME as the innermost frame of the stack.
 * stack: text in the form of a "Call stack". */
uint32_t tp_sink_intern_recording_stack(struct tp_sink *sink, struct tp_str stack);

#endif
