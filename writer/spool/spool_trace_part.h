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

/* A range with its begin and, once it is read, its end. */
struct tp_spool_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record; /* of the begin, in the mapped file */
    const struct tp_spool_record *stack;  /* of its call; NULL: not recorded */
    int64_t external_id;                  /* set when it is written; 0: none */
    uint32_t below, above;                /* neighbours in the list of the thread's open ranges; TP_NO_ID: none */
    uint32_t outer;                       /* the enclosing open range of its own kind */
    uint32_t fact;                        /* its last fact, or TP_NO_ID */
    bool is_open, is_ended;
    bool is_crossing; /* it crosses other ranges of its thread, so it is moved to a row of its own kind */
};

/* A range on a row of its own kind. It may begin and end on different threads, and overlap others. */
struct tp_spool_lane_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record;
    uint64_t key, group; /* group: of rows */
    uint32_t fact, lane; /* lane: in the group */
    bool is_open;
};

/* A fact about a range; `next` is the previous fact. */
struct tp_spool_range_fact {
    const struct tp_spool_record *record;
    uint32_t next;
};

/* A moment at which a range with a key ends or gets a fact. */
struct tp_spool_keyed {
    uint64_t key;
    int64_t at_ns;
    uint32_t fact; /* TP_NO_ID: the range ends */
};

/* The innermost open range of a domain on the current thread. */
struct tp_spool_innermost {
    uint32_t key, range, thread; /* thread: 1 + its index in the file, or 0 if the slot is free */
};

/* A name for a category of a domain, or for a thread. */
struct tp_spool_given {
    uint64_t key;
    struct tp_str name;
};

/* One end of a forward-backward arrow. */
struct tp_spool_arrow {
    int64_t sequence, start_ns;
    uint64_t tid;
    bool is_backward;
};

struct tp_spool_gpu;

/* The end of a region with a number, for all its threads. */
struct tp_spool_region_end {
    uint64_t number;
    int64_t end_ns;
};

/* A row of another device. */
struct tp_spool_lane {
    uint32_t name; /* its number */
    uint32_t device, stream;
    struct tp_str device_name, text;
};

struct tp_spool_conversion {
    const struct tp_spool_file *file;
    struct tp_spool_gpu *gpu; /* spool_gpu.h; NULL: no GPU activity was recorded */
    struct tp_trace_out *out;
    struct tp_arena *arena;
    struct tp_spool_trace_result *result;
    const struct tp_spool_watch *watch; /* or NULL */
    int64_t base_ns, end_ns, next_id;
    uint64_t last_ticks;  /* of the last record at the start of the conversion; threads that still record add later
                           * ones */
    bool has_memory;      /* there are memory records */
    struct tp_vec arrows; /* struct tp_spool_arrow */
    struct tp_vec ranges; /* of the current thread */
    uint32_t top, thread; /* its innermost open range; 1 + index of the thread in the file */
    uint32_t open_steps;  /* of the current thread */
    struct tp_spool_innermost *innermost; /* hash table by domain */
    uint32_t innermost_count, innermost_slots;
    struct tp_vec facts;                      /* struct tp_spool_range_fact */
    struct tp_vec lane_ranges, keyed;         /* struct tp_spool_lane_range, tp_spool_keyed; of all threads */
    struct tp_vec lanes, works;               /* struct tp_spool_lane by name, tp_spool_lane_range; of all threads */
    int64_t works_first_ns;                   /* INT64_MAX: no works */
    int64_t first_work_device;                /* number of the first of their devices */
    bool has_work;                            /* this thread recorded the last of the works, so facts may belong to
                                               * it */
    char color[16];                           /* of the current mark */
    struct tp_vec categories, threads;        /* struct tp_spool_given, sorted by key once collected */
    const struct tp_spool_record *next_stack; /* of the thread's next record, or NULL */
    struct tp_symbols *symbols;
    struct tp_vec text;    /* bytes of the current stack */
    struct tp_vec regions; /* struct tp_spool_region_end, sorted by number once complete */
    struct tp_spool_rank rank;
    uint64_t steps_left; /* limit of searches whose length a malicious spool controls; at 0 they find nothing */
};

static inline const char *tp_spool_payload(const struct tp_spool_record *record)
{
    return (const char *)(record + 1);
}

static inline struct tp_str tp_spool_name_of(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    return tp_spool_name(c->file, record, tp_spool_payload(record));
}

/* Returns the time of a record in the trace. */
static inline int64_t tp_spool_time_of(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    return tp_spool_time(c->file, record->time) - c->base_ns;
}

/* Match begins with ends on the current thread (spool_trace_open.c). Marks may cross each other and ranges of other
 * kinds; those are moved to rows of their own. tp_spool_end_all: at the end of the recording. */
void tp_spool_begin_thread(struct tp_spool_conversion *c, uint32_t thread);
void tp_spool_begin_range(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_end_range(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_end_step(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_pop_mark(struct tp_spool_conversion *c, uint32_t domain, int64_t end_ns);
void tp_spool_end_all(struct tp_spool_conversion *c, int64_t end_ns);

/* Return the innermost open range that is not a mark, and the one around a range; NULL: none. Valid until a range
 * begins. */
struct tp_spool_range *tp_spool_open_range(const struct tp_spool_conversion *c);
struct tp_spool_range *tp_spool_outer_range(const struct tp_spool_conversion *c, const struct tp_spool_range *range);

/* Adds a finished range. It must not begin before the innermost open range. */
void tp_spool_add_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, int64_t start_ns,
                        int64_t end_ns);

/* Returns the innermost open range on the current thread that the program's own calls began, or NULL. */
struct tp_spool_range *tp_spool_open_call(const struct tp_spool_conversion *c);

/* Returns the innermost open mark of the domain with that key (0: any) on the current thread, or NULL. */
struct tp_spool_range *tp_spool_open_mark(const struct tp_spool_conversion *c, uint32_t domain, uint64_t key);

/* Convert marks (spool_trace_mark.c). tp_spool_gather collects names from the whole file first. tp_spool_read_mark
 * takes a record of the current thread. tp_spool_mark_args fills the facts about a mark and returns their count. args:
 * room for TP_SPOOL_MARK_ARGS. */
enum { TP_SPOOL_MARK_FACTS = 24, TP_SPOOL_MARK_ARGS = TP_SPOOL_MARK_FACTS + 8 };
void tp_spool_gather(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_gathered(struct tp_spool_conversion *c);
void tp_spool_read_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
size_t tp_spool_mark_args(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint32_t fact,
                          struct tp_trace_out_arg *args);
/* Appends the facts about a range to its `count` arguments and returns the new count. args: room for
 * TP_SPOOL_MARK_FACTS more. */
size_t tp_spool_fact_args(struct tp_spool_conversion *c, uint32_t fact, struct tp_trace_out_arg *args, size_t count);
size_t tp_spool_kind_arg(uint32_t kind, struct tp_trace_out_arg *args, size_t count); /* adds "kind", if there is one */
struct tp_str tp_spool_domain(const struct tp_spool_conversion *c, uint32_t domain);  /* returns its name */
struct tp_str tp_spool_thread_name(const struct tp_spool_conversion *c, const struct tp_spool_thread *thread);

/* Returns the mark of a record with at least the shorter form; missing members are 0. */
static inline struct tp_spool_mark tp_spool_mark_of(const struct tp_spool_record *record)
{
    struct tp_spool_mark mark = {0};
    memcpy(&mark, tp_spool_payload(record), TP_SPOOL_SHORT_MARK);
    if (mark.has_more && (size_t)record->slots * TP_SPOOL_SLOT >= sizeof mark)
        memcpy(&mark, tp_spool_payload(record), sizeof mark);
    return mark;
}

/* Returns the group of rows for a mark that cannot be shown on its thread. */
static inline uint64_t tp_spool_group(const struct tp_spool_mark *mark)
{
    return (uint64_t)mark->domain << 8 | mark->form;
}

/* Write ranges on rows of their own kind (spool_trace_lane.c): add one that crosses others, and write all at the
 * end. */
void tp_spool_write_crossing(struct tp_spool_conversion *c, const struct tp_spool_range *range);
void tp_spool_write_lanes(struct tp_spool_conversion *c);
/* Assigns ranges, given in the order of their begins, to as few lanes as possible without overlap. Returns the number
 * of lanes. */
uint32_t tp_spool_lay_out(struct tp_spool_lane_range *ranges, size_t count);
int tp_spool_by_group_and_time(const void *x, const void *y); /* for qsort: ranges by group and begin */

/* Convert works of other devices (spool_trace_work.c). First collect their lanes. tp_spool_gathered_works returns the
 * earlier of `first` and their first begin, in ns since the epoch. tp_spool_work_devices fills their devices, at most
 * TP_SPOOL_WORK_DEVICES. tp_spool_take_work takes a record of the current thread. tp_spool_write_works writes
 * everything at the end. */
enum { TP_SPOOL_WORK_DEVICES = 64 };
void tp_spool_gather_work(struct tp_spool_conversion *c, const struct tp_spool_record *record);
int64_t tp_spool_gathered_works(struct tp_spool_conversion *c, int64_t first);
size_t tp_spool_work_devices(struct tp_spool_conversion *c, struct tp_trace_out_device *devices);
void tp_spool_take_work(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_works(struct tp_spool_conversion *c);

/* Writes a finished range and assigns its External id (spool_trace_range.c). */
void tp_spool_write_range(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Convert records of hooks and compilers (spool_trace_native.c). tp_spool_take_native adds a record to the ranges of
 * its thread. tp_spool_gather_native first collects facts about several threads. tp_spool_cut_native shortens ranges
 * that last too long, after the thread is read. tp_spool_write_native writes a finished range. */
void tp_spool_take_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_gather_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_cut_native(struct tp_spool_conversion *c);
void tp_spool_write_native(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Writes a record that is neither the begin nor the end of a range, or counts it as broken (spool_trace_moment.c). */
void tp_spool_write_moment(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* Returns the frames of a recorded stack as torch writes them: innermost first, each ended by ';'. ptr NULL: no stack.
 * Valid until the next call (spool_trace_stack.c). */
struct tp_str tp_spool_call_stack(struct tp_spool_conversion *c, const struct tp_spool_record *stack);

/* Write a sample, and the row of a thread that may have samples. */
void tp_spool_write_sample(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_sampled(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* Write moments with many facts, or count them as broken (spool_trace_tensor.c). The payload must have its fixed
 * part. */
void tp_spool_write_tensor(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_event(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

#endif
