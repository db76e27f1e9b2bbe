/* The parts of the conversion of a spool into a trace: see spool_trace.c. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_PART_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_PART_H

#include <stdio.h>
#include <string.h>

#include "writer/base/arena.h"
#include "writer/spool/spool_read.h"
#include "writer/spool/spool_trace.h"
#include "writer/spool/symbols.h"
#include "writer/trace_json.h"

/* A range with its begin and, once it is met, its end. */
struct tp_spool_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record; /* of the begin, in the mapped file */
    const struct tp_spool_record *stack;  /* of its call; NULL: none was recorded */
    int64_t external_id;                  /* once it is written; 0: it has none */
    uint32_t below, above;                /* ranges of the thread that are open around it; TP_NO_ID: none */
    uint32_t outer;                       /* the open range of its own kind that it lies in */
    uint32_t fact;                        /* the last that was told about it, or TP_NO_ID */
    bool is_open, is_ended;
    bool is_crossing; /* it crosses ranges of its thread, so it gets a row of its own kind */
};

/* A range on a row of its own kind: it may begin and end on different threads, and overlap others. */
struct tp_spool_lane_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record;
    uint64_t key, group; /* group: of rows */
    uint32_t fact, lane; /* lane: in the group */
    bool is_open;
};

/* Something that was told about a range; further ones by `next`, the last first. */
struct tp_spool_range_fact {
    const struct tp_spool_record *record;
    uint32_t next;
};

/* A moment at which a range with a key ends, or a fact is told about it. */
struct tp_spool_keyed {
    uint64_t key;
    int64_t at_ns;
    uint32_t fact; /* TP_NO_ID: it ends */
};

/* The innermost open range of a domain, on the thread at hand. */
struct tp_spool_innermost {
    uint32_t key, range, thread; /* thread: 1 + its place in the file; 0: the slot is free */
};

/* A name that was given to a category of a domain, or to a thread. */
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

/* When the region of a number was over, for all its threads. */
struct tp_spool_region_end {
    uint64_t number;
    int64_t end_ns;
};

/* A row of a device of the program's own. */
struct tp_spool_lane {
    uint32_t name; /* its number */
    uint32_t device, stream;
    struct tp_str device_name, text;
};

struct tp_spool_conversion {
    const struct tp_spool_file *file;
    struct tp_spool_gpu *gpu; /* spool_gpu.h; NULL: nothing of a GPU was recorded */
    struct tp_trace_out *out;
    struct tp_arena *arena;
    struct tp_spool_trace_result *result;
    const struct tp_spool_watch *watch; /* NULL: nobody is */
    int64_t base_ns, end_ns, next_id;
    uint64_t last_ticks; /* of the last record that was there at first: threads that still record add later ones */
    bool has_memory;                      /* some record is of memory */
    struct tp_vec arrows;                 /* struct tp_spool_arrow */
    struct tp_vec ranges;                 /* of the thread at hand */
    uint32_t top, thread;                 /* its innermost open range; 1 + place of the thread in the file */
    uint32_t open_steps;                  /* of the thread at hand */
    struct tp_spool_innermost *innermost; /* hash table by domain */
    uint32_t innermost_count, innermost_slots;
    struct tp_vec facts;                      /* struct tp_spool_range_fact */
    struct tp_vec lane_ranges, keyed;         /* struct tp_spool_lane_range, tp_spool_keyed; of all threads */
    struct tp_vec lanes, works;               /* struct tp_spool_lane by name, tp_spool_lane_range; of all threads */
    int64_t works_first_ns;                   /* INT64_MAX: there is none */
    int64_t first_work_device;                /* number of the first of their devices */
    bool has_work;                            /* facts are about the last of the works: this thread has it */
    char color[16];                           /* of the mark at hand */
    struct tp_vec categories, threads;        /* struct tp_spool_given, in the order of their keys once gathered */
    const struct tp_spool_record *next_stack; /* of the thread's next record, or NULL */
    struct tp_symbols *symbols;
    struct tp_vec text;    /* bytes of the stack at hand */
    struct tp_vec regions; /* struct tp_spool_region_end, by number once all are there */
    struct tp_spool_rank rank;
    uint64_t steps_left; /* of searches whose length a hostile spool decides; then they find nothing */
};

static inline const char *tp_spool_payload(const struct tp_spool_record *record)
{
    return (const char *)(record + 1);
}

static inline struct tp_str tp_spool_name_of(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    return tp_spool_name(c->file, record, tp_spool_payload(record));
}

/* Time of a record in the trace. */
static inline int64_t tp_spool_time_of(const struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    return tp_spool_time(c->file, record->time) - c->base_ns;
}

/* Matches begins with ends, on the thread at hand (spool_trace_open.c). Marks may cross each other and ranges of other
 * kinds: those that do are set aside. end_all: the recording is over. */
void tp_spool_begin_thread(struct tp_spool_conversion *c, uint32_t thread);
void tp_spool_begin_range(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_end_range(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_end_step(struct tp_spool_conversion *c, int64_t end_ns);
void tp_spool_pop_mark(struct tp_spool_conversion *c, uint32_t domain, int64_t end_ns);
void tp_spool_end_all(struct tp_spool_conversion *c, int64_t end_ns);

/* The innermost open range that is no mark, and the one that it lies in; NULL: none. Valid until a range begins. */
struct tp_spool_range *tp_spool_open_range(const struct tp_spool_conversion *c);
struct tp_spool_range *tp_spool_outer_range(const struct tp_spool_conversion *c, const struct tp_spool_range *range);

/* Adds a range that is over; it does not begin before the one that is open. */
void tp_spool_add_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, int64_t start_ns,
                        int64_t end_ns);

/* The innermost open range that the program's own calls began, on the thread at hand; NULL: none. */
struct tp_spool_range *tp_spool_open_call(const struct tp_spool_conversion *c);

/* The innermost open mark of the domain with that key (0: any) on the thread at hand; NULL: none. */
struct tp_spool_range *tp_spool_open_mark(const struct tp_spool_conversion *c, uint32_t domain, uint64_t key);

/* Marks (spool_trace_mark.c): names that were given anywhere in the file, to be gathered first; a record of the thread
 * at hand; what is known about one. args: room for TP_SPOOL_MARK_ARGS; returns their count. */
enum { TP_SPOOL_MARK_FACTS = 24, TP_SPOOL_MARK_ARGS = TP_SPOOL_MARK_FACTS + 8 };
void tp_spool_gather(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_gathered(struct tp_spool_conversion *c);
void tp_spool_read_mark(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
size_t tp_spool_mark_args(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint32_t fact,
                          struct tp_trace_out_arg *args);
/* Adds what was told about a range to its `count` arguments; args: room for TP_SPOOL_MARK_FACTS more. */
size_t tp_spool_fact_args(struct tp_spool_conversion *c, uint32_t fact, struct tp_trace_out_arg *args, size_t count);
size_t tp_spool_kind_arg(uint32_t kind, struct tp_trace_out_arg *args, size_t count); /* "kind", if it is one */
struct tp_str tp_spool_domain(const struct tp_spool_conversion *c, uint32_t domain);  /* its name */
struct tp_str tp_spool_thread_name(const struct tp_spool_conversion *c, const struct tp_spool_thread *thread);

/* The mark of a record that has room for the shorter one; what is not there is 0. */
static inline struct tp_spool_mark tp_spool_mark_of(const struct tp_spool_record *record)
{
    struct tp_spool_mark mark = {0};
    memcpy(&mark, tp_spool_payload(record), TP_SPOOL_SHORT_MARK);
    if (mark.has_more && (size_t)record->slots * TP_SPOOL_SLOT >= sizeof mark)
        memcpy(&mark, tp_spool_payload(record), sizeof mark);
    return mark;
}

/* The rows that a mark belongs to when it has no place on its thread. */
static inline uint64_t tp_spool_group(const struct tp_spool_mark *mark)
{
    return (uint64_t)mark->domain << 8 | mark->form;
}

/* Ranges on rows of their own kind (spool_trace_lane.c): one that was set aside, and all of them at the end. */
void tp_spool_write_crossing(struct tp_spool_conversion *c, const struct tp_spool_range *range);
void tp_spool_write_lanes(struct tp_spool_conversion *c);
/* Gives ranges in the order of their begins the fewest lanes on which none overlap, and returns their count. */
uint32_t tp_spool_lay_out(struct tp_spool_lane_range *ranges, size_t count);
int tp_spool_by_group_and_time(const void *x, const void *y); /* for qsort: ranges by group and begin */

/* Works of devices of the program's own (spool_trace_work.c): their lanes, to be gathered first; then the least of
 * `first` and their begins, on the wall clock; their devices, at most TP_SPOOL_WORK_DEVICES; a record of the thread at
 * hand; all of them at the end. */
enum { TP_SPOOL_WORK_DEVICES = 64 };
void tp_spool_gather_work(struct tp_spool_conversion *c, const struct tp_spool_record *record);
int64_t tp_spool_gathered_works(struct tp_spool_conversion *c, int64_t first);
size_t tp_spool_work_devices(struct tp_spool_conversion *c, struct tp_trace_out_device *devices);
void tp_spool_take_work(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_works(struct tp_spool_conversion *c);

/* Writes a range that has ended, and gives it its External id (spool_trace_range.c). */
void tp_spool_write_range(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Kinds of programs that know nothing of us (spool_trace_native.c): takes such a record into the ranges of its
 * thread; before that, gathers what concerns several threads; when the thread is through, cuts
 * what lasts too long; writes a range of them that has ended. */
void tp_spool_take_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_gather_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
void tp_spool_cut_native(struct tp_spool_conversion *c);
void tp_spool_write_native(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Writes what is no range and no end of one, or counts it as broken (spool_trace_moment.c). */
void tp_spool_write_moment(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* Frames of a stack that was recorded, as torch writes them: innermost first, each ended by ';'. ptr NULL without one.
 * Valid until the next (spool_trace_stack.c). */
struct tp_str tp_spool_call_stack(struct tp_spool_conversion *c, const struct tp_spool_record *stack);

/* A sample, and the row of a thread that has some. */
void tp_spool_write_sample(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_sampled(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

/* Moments with many facts, written or counted as broken (spool_trace_tensor.c). The payload has its fixed part. */
void tp_spool_write_tensor(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);
void tp_spool_write_event(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid);

#endif
