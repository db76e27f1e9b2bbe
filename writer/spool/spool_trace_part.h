/* Declares the internal parts of the conversion of a spool to a trace: see spool_trace.c. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_PART_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_PART_H

#include <stdio.h>
#include <string.h>

#include "writer/base/arena.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace_result.h"
#include "writer/spool/symbols.h"
#include "writer/trace_json.h"

/* A range. Its end is known only after the end record was read. */
struct tp_spool_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record; /* record of the range's start; points into the mapped file */
    /* record with the stack of the call that began the range; NULL: not recorded */
    const struct tp_spool_record *stack;
    int64_t external_id;   /* id in the trace, set when the range is written; 0: no id */
    uint32_t below, above; /* neighbours in the list of the thread's open ranges; TP_NO_ID: no neighbour */
    uint32_t outer;        /* the enclosing open range of the same domain, or TP_NO_ID */
    uint32_t fact;         /* index of the range's last fact (attribute), or TP_NO_ID */
    bool is_open, is_ended;
    bool is_crossing; /* true if the range crosses other ranges of its thread, so that it is moved to a row of its own
                       * kind */
};

/* A range on a row of its own kind. It may begin and end on different threads, and overlap others. */
struct tp_spool_lane_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record;
    /* key: identifies the end and the facts of the range; group: identifies the rows that the range may use */
    uint64_t key, group;
    /* fact: index of the range's last fact, or TP_NO_ID; lane: number of the range's lane in the group */
    uint32_t fact, lane;
    /* position of the start among all starts, ends and facts with keys, in the order in which they were read */
    uint32_t position;
    bool is_open;
};

/* A fact (attribute) of a range. `next` is the index of the fact that the range got before, or TP_NO_ID. */
struct tp_spool_range_fact {
    const struct tp_spool_record *record;
    uint32_t next;
};

/* The end of a range that has a key, or a fact about such a range. */
struct tp_spool_keyed {
    uint64_t key;
    int64_t at_ns;
    uint32_t fact;     /* index of the fact; TP_NO_ID: the range ends */
    uint32_t position; /* as in struct tp_spool_lane_range */
};

/* The innermost open range of a domain on the current thread. */
struct tp_spool_innermost {
    /* key: domain; range: index of the range; thread: 1 + index of the thread in the file, 0: the slot is free */
    uint32_t key, range, thread;
};

/* A name that the program gave to a category of a domain, or to a thread. */
struct tp_spool_given_name {
    uint64_t key;
    struct tp_str name;
};

/* The start or the end of a forward-backward arrow. */
struct tp_spool_arrow {
    int64_t sequence, start_ns;
    uint64_t tid;
    bool is_backward;
};

struct tp_spool_gpu;

/* The time at which a numbered parallel region ends on all its threads. */
struct tp_spool_region_end {
    uint64_t number;
    int64_t end_ns;
};

/* A lane: a queue of a device that the program describes with tracepress.h. */
struct tp_spool_lane {
    uint32_t name; /* number of the lane's name */
    uint32_t device, stream;
    struct tp_str device_name, text;
};

struct tp_spool_conversion {
    const struct tp_spool_file *file;
    struct tp_spool_gpu *gpu; /* GPU activity, see spool_gpu.h; NULL: no GPU activity was recorded */
    struct tp_trace_out *out;
    struct tp_arena *arena;
    struct tp_spool_trace_result *result;
    const struct tp_spool_watch *watch; /* receives the progress; may be NULL */
    int64_t base_ns, end_ns, next_id;
    /* time of the last record when the conversion started, in ticks; threads that still record add later records */
    uint64_t last_record_ticks;
    bool has_memory;      /* true if the spool has memory records */
    struct tp_vec arrows; /* starts and ends of forward-backward arrows; elements: struct tp_spool_arrow */
    struct tp_vec ranges; /* ranges of the current thread; elements: struct tp_spool_range */
    /* top: index of the innermost open range of the current thread; thread: 1 + index of the thread in the file */
    uint32_t top, thread;
    uint32_t open_steps;                  /* number of open steps of the current thread */
    struct tp_spool_innermost *innermost; /* hash table of the innermost open ranges, by domain */
    uint32_t innermost_count, innermost_slot_count;
    struct tp_vec facts; /* facts (attributes) of ranges; elements: struct tp_spool_range_fact */
    /* lane_ranges: ranges of all threads on rows of their own kind; elements: struct tp_spool_lane_range. keyed: ends
     * and facts of such ranges; elements: struct tp_spool_keyed */
    struct tp_vec lane_ranges, keyed;
    /* lanes: sorted by name; elements: struct tp_spool_lane. works: work items of all threads; elements: struct
     * tp_spool_lane_range */
    struct tp_vec lanes, works;
    int64_t first_work_ns;     /* earliest start of a work item, ns since the epoch; INT64_MAX: no work items */
    int64_t first_work_device; /* number of the first device with work items */
    bool has_work;             /* true if the current thread has recorded a work item, to which a fact can belong */
    char color[16];            /* colour of the current mark */
    struct tp_vec categories, threads;        /* names of categories and of threads, sorted by key after collecting;
                                                 elements: struct tp_spool_given_name */
    const struct tp_spool_record *next_stack; /* record with the stack of the thread's next record, or NULL */
    struct tp_symbols *symbols;
    struct tp_vec text;    /* text of the current stack */
    struct tp_vec regions; /* ends of parallel regions, sorted by number after collecting; elements: struct
                              tp_spool_region_end */
    struct tp_spool_rank rank;
    /* remaining search steps, because a malicious spool can make searches long; at 0 searches find nothing */
    uint64_t steps_left;
};

static inline const char *tp_spool_payload(const struct tp_spool_record *record)
{
    return (const char *)(record + 1);
}

static inline struct tp_str tp_spool_trace_name(const struct tp_spool_conversion *c,
                                                const struct tp_spool_record *record)
{
    return tp_spool_record_name(c->file, record, tp_spool_payload(record));
}

/* Returns the time of a record in the trace, ns. */
static inline int64_t tp_spool_trace_time_ns(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    return tp_spool_realtime_ns(c->file, record->time) - c->base_ns;
}

/* tp_spool_begin_thread starts the matching of range starts and ends for the thread with this index
 * (spool_trace_open.c). The functions below begin and end ranges of that thread. Marks may cross each other and ranges
 * of other kinds. Crossing marks are moved to separate rows. tp_spool_end_all ends all open ranges at the end of the
 * recording. */
void tp_spool_begin_thread(struct tp_spool_conversion *c, uint32_t thread);
void tp_spool_begin_range(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_end_range(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_end_step(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_pop_mark(struct tp_spool_conversion *c, uint32_t domain, int64_t end_ns);
void tp_spool_end_all(struct tp_spool_conversion *c, int64_t end_ns);

/* tp_spool_open_range returns the innermost open range that is not a mark. tp_spool_outer_range returns the range
 * around a given range. Both return NULL if there is no such range. The pointers are valid until the next range
 * begins. */
struct tp_spool_range *tp_spool_open_range(const struct tp_spool_conversion *c);
struct tp_spool_range *tp_spool_outer_range(const struct tp_spool_conversion *c, const struct tp_spool_range *range);

/* Adds a finished range. It must not begin before the innermost open range. */
void tp_spool_add_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, int64_t start_ns,
                        int64_t end_ns);

/* Returns the innermost open range on the current thread that the program's own calls began, or NULL. */
struct tp_spool_range *tp_spool_open_call(const struct tp_spool_conversion *c);

/* Returns the innermost open mark of `domain` with `key` (0: any key) on the current thread, or NULL. */
struct tp_spool_range *tp_spool_open_mark(const struct tp_spool_conversion *c, uint32_t domain, uint64_t key);

/* These functions convert marks (spool_trace_mark.c). tp_spool_gather_names collects names from the whole file and is
 * called first. tp_spool_read_mark processes a record of the current thread. tp_spool_fill_mark_args writes the facts
 * of a mark to `args`, which has room for TP_SPOOL_MARK_ARGS, and returns their number. */
enum { TP_SPOOL_MARK_FACTS = 24, TP_SPOOL_MARK_ARGS = TP_SPOOL_MARK_FACTS + 8 };
void tp_spool_gather_names(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_sort_names(struct tp_spool_conversion *c);
void tp_spool_read_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
size_t tp_spool_fill_mark_args(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint32_t fact,
                               struct tp_trace_out_arg *args);
/* Appends the facts of a range to the range's `count` arguments and returns the new count. args: room for
 * TP_SPOOL_MARK_FACTS more. */
size_t tp_spool_add_fact_args(struct tp_spool_conversion *c, uint32_t fact, struct tp_trace_out_arg *args,
                              size_t count);
/* Appends the argument "kind" to `count` arguments if the kind is known. Returns the new count. */
size_t tp_spool_add_kind_arg(uint32_t kind, struct tp_trace_out_arg *args, size_t count);
/* Returns the name of a domain. */
struct tp_str tp_spool_domain_name(const struct tp_spool_conversion *c, uint32_t domain);
struct tp_str tp_spool_thread_name(const struct tp_spool_conversion *c, const struct tp_spool_thread *thread);

/* Returns the mark of a record. A record contains at least the first half of a mark; missing members are 0. */
static inline struct tp_spool_mark tp_spool_record_mark(const struct tp_spool_record *record)
{
    struct tp_spool_mark mark = {0};
    memcpy(&mark, tp_spool_payload(record), TP_SPOOL_SHORT_MARK);
    if (mark.has_more && (size_t)record->slots * TP_SPOOL_SLOT >= sizeof mark)
        memcpy(&mark, tp_spool_payload(record), sizeof mark);
    return mark;
}

/* Returns the group of rows for a mark that cannot be shown on the row of its thread. */
static inline uint64_t tp_spool_mark_group(const struct tp_spool_mark *mark)
{
    return (uint64_t)mark->domain << 8 | mark->form;
}

/* tp_spool_write_crossing adds a range that crosses others, for a row of its own kind (spool_trace_lane.c).
 * tp_spool_write_lanes writes all added ranges, at the end. */
void tp_spool_write_crossing(struct tp_spool_conversion *c, const struct tp_spool_range *range);
void tp_spool_write_lanes(struct tp_spool_conversion *c);
/* Assigns ranges, sorted by start, to as few lanes as possible without overlap. Returns the number of lanes. */
uint32_t tp_spool_assign_lanes(struct tp_spool_lane_range *ranges, size_t count);
/* Compares ranges by group and start, for qsort. */
int tp_spool_compare_lane_ranges(const void *x, const void *y);

/* These functions convert work items of other devices (spool_trace_work.c). tp_spool_finish_work_lanes is called after
 * all work items were collected. It returns the smaller of `first` and the earliest start of a work item, ns since the
 * epoch. tp_spool_fill_work_devices fills the devices of the work items, at most TP_SPOOL_WORK_DEVICES, and returns
 * their number. tp_spool_add_work processes a record of the current thread. tp_spool_write_works writes all work items,
 * at the end. */
enum { TP_SPOOL_WORK_DEVICES = 64 };
void tp_spool_gather_work_lane(struct tp_spool_conversion *c, const struct tp_spool_record *record);
int64_t tp_spool_finish_work_lanes(struct tp_spool_conversion *c, int64_t first);
size_t tp_spool_fill_work_devices(struct tp_spool_conversion *c, struct tp_trace_out_device *devices);
void tp_spool_add_work(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_works(struct tp_spool_conversion *c);

/* Writes a finished range and assigns its External id (spool_trace_range.c). */
void tp_spool_write_range(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* These functions convert records of hooks and compilers (spool_trace_native.c). tp_spool_gather_native collects region
 * ends and the rank, before any thread is read. tp_spool_add_native adds a record to the ranges of its thread.
 * tp_spool_cut_native shortens ranges to the end of their region, after the thread was read. tp_spool_write_native
 * writes a finished range. */
void tp_spool_add_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_gather_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_cut_native(struct tp_spool_conversion *c);
void tp_spool_write_native(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Writes a record that is neither the start nor the end of a range, or counts it as broken (spool_trace_moment.c). */
void tp_spool_write_moment(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* Returns the frames of a recorded stack as torch writes them: innermost first, each ended by ';'. ptr NULL: no stack.
 * The text is valid until the next call (spool_trace_stack.c). */
struct tp_str tp_spool_call_stack(struct tp_spool_conversion *c, const struct tp_spool_record *stack);

/* tp_spool_write_sample writes a sample. tp_spool_write_sampled_thread writes the row of a thread that may have samples
 * (spool_trace_stack.c). */
void tp_spool_write_sample(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_sampled_thread(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* tp_spool_write_tensor writes a tensor as an instant with many arguments; tp_spool_write_event does so for a timing
 * event (spool_trace_tensor.c). Broken records are only counted. The payload must contain at least its fixed part. */
void tp_spool_write_tensor(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_event(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

#endif
