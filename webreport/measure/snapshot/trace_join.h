/* Joins a memory snapshot with a trace of the same run (docs/definitions.md, section 32). Both have the same calls of
 * the allocator: the trace as memory records, the snapshot as events. */
#ifndef TP_WEBREPORT_MEASURE_SNAPSHOT_TRACE_JOIN_H
#define TP_WEBREPORT_MEASURE_SNAPSHOT_TRACE_JOIN_H

#include "webreport/measure/snapshot/snapshot_result.h"
#include "webreport/model/facts.h"

enum tp_join_method {
    TP_JOIN_NONE,   /* not joined: see `why` */
    TP_JOIN_PAIRS,  /* by the longest run of equal allocations and frees */
    TP_JOIN_CLOCKS, /* by the clocks of both files, because the run is too short */
};
const char *tp_join_method_text(unsigned method);

/* What the trace knows about a moment of the snapshot. */
struct tp_joined_moment {
    int64_t index;   /* index of the event */
    int64_t time_ns; /* time in the trace, since its first event; TP_NULL_INT if the trace does not have the moment */
    struct tp_str step, op, module; /* "" if unknown */
    struct tp_str kernel;           /* kernel that runs on the device, the last one that started; "" if none */
};

/* A large block that is live at the moment that the page shows. */
struct tp_joined_block {
    uint64_t address, bytes;
    struct tp_str line, step, op, module; /* line: of the snapshot; the others: of the trace, "" if unknown */
};

enum { TP_JOIN_LEAST_PAIRS = 100, TP_JOIN_LARGEST = 10 };

struct tp_trace_join {
    int64_t device;
    uint8_t method; /* enum tp_join_method */
    const char
        *why;       /* why the files are not joined, or not by pairs, as a sentence; NULL if they are joined by pairs */
    uint64_t pairs; /* length of the longest run */
    int64_t offset_ns;          /* time in the trace minus time in the snapshot; TP_NULL_INT if not joined */
    int64_t time_difference_ns; /* largest distance of a pair from the offset; TP_NULL_INT without pairs */
    /* the pair with the largest difference of allocated bytes; TP_NULL_INT if no pair has both numbers */
    int64_t allocated_difference, snapshot_allocated, trace_allocated;
    uint64_t trace_records, events_in_trace, paired_events; /* records of the device; events between its first and last
                                                               record; events with a record */
    struct tp_joined_moment peak, oom;                      /* oom: the last out-of-memory event */
    bool has_oom;
    struct tp_joined_block largest[TP_JOIN_LARGEST];
    uint64_t largest_count;
    struct tp_live_table by_operator, by_module; /* blocks that are live at the moment that the page shows */
};

/* A snapshot and its joins with a trace, one for each device of the snapshot. */
struct tp_joined_snapshot {
    const struct tp_snapshot_result *result; /* NULL if the snapshot could not be used */
    struct tp_snapshot_failure failure;      /* if `result` is NULL */
    struct tp_trace_join *joins;
    struct tp_str worker;   /* worker of the trace */
    struct tp_arena *arena; /* arena of all members; outputs may allocate from it */
};

/* Joins a device of a snapshot with a trace. model: model of the trace. Texts are in `arena`, whose guard must be set,
 * so that the trace may be released afterwards. */
void tp_trace_join_build(struct tp_trace_join *join, const struct tp_snapshot_device *device,
                         const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_trace_join_fields;

#endif
