/* The parts of the conversion of a spool into a trace: see spool_trace.c. */
#ifndef TP_WRITER_SPOOL_TRACE_PART_H
#define TP_WRITER_SPOOL_TRACE_PART_H

#include <stdio.h>
#include <string.h>

#include "writer/base/arena.h"
#include "writer/spool_read.h"
#include "writer/spool_trace.h"
#include "writer/symbols.h"
#include "writer/trace_json.h"

/* A range with its begin and, once it is met, its end. */
struct tp_spool_range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record; /* of the begin, in the mapped file */
    const struct tp_spool_record *stack;  /* of its call; NULL: none was recorded */
    int64_t external_id;                  /* once it is written; 0: it has none */
    bool is_open;
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

struct tp_spool_conversion {
    const struct tp_spool_file *file;
    struct tp_spool_gpu *gpu; /* spool_gpu.h; NULL: nothing of a GPU was recorded */
    struct tp_trace_out *out;
    struct tp_arena *arena;
    struct tp_spool_trace_result *result;
    int64_t base_ns, end_ns, next_id;
    struct tp_vec arrows;                     /* struct tp_spool_arrow */
    struct tp_vec ranges, stack;              /* of the thread at hand; the stack has numbers of ranges */
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

/* Writes a range that has ended, and gives it its External id (spool_trace_range.c). */
void tp_spool_write_range(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid);

/* Opens a range at its record, closes the innermost open one; false: none is open (spool_trace.c). */
void tp_spool_begin_range(struct tp_spool_conversion *c, const struct tp_spool_record *record);
bool tp_spool_end_innermost(struct tp_spool_conversion *c, int64_t end_ns, bool is_open);

/* Kinds of programs that know nothing of us (spool_trace_native.c): takes such a record into the ranges of its thread,
 * false where it is another kind; before that, gathers what concerns several threads; when the thread is through, cuts
 * what lasts too long; writes a range of them that has ended. */
bool tp_spool_take_native(struct tp_spool_conversion *c, const struct tp_spool_record *record);
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
