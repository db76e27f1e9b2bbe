/* Memory as torch counts it: bytes of the records within a time, on any thread, and records outside of all times asked
 * for. Single-threaded. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H

#include "webreport/trace/trace.h"

/* Bytes on the CPU (device types CPU, MKLDNN, IDEEP) and on devices (CUDA, HIP, XPU, PrivateUse1); other types are not
 * counted. */
struct tp_memory_bytes {
    int64_t cpu, gpu;
};

/* [memory] records sorted by time, without [OutOfMemory]. */
struct tp_memory_sums {
    const struct tp_trace *trace;
    bool is_coarse;
    uint32_t *index; /* in trace->memory */
    int64_t *at;     /* ns */
    uint32_t count;
    __int128 (*before)[2]; /* sum of the first n records, on the CPU and on devices, bytes */
    int32_t *covered;      /* by record: +1 at the start of a time asked for, -1 after its end */
    int64_t last;          /* start of the last time asked for */
    uint32_t first;        /* number of records before `last` */
};

struct tp_memory_bytes tp_memory_bytes_of(const struct tp_trace *trace, const struct tp_memory *record);

/* Builds the sums in `arena` (guard set by the caller). order: all records by time. is_coarse: round times as releases
 * before 2.7 did, to a quarter of a microsecond (they compared doubles of microseconds since 1970). */
void tp_memory_sums_build(struct tp_memory_sums *sums, const struct tp_trace *trace, const uint32_t *order,
                          bool is_coarse, struct tp_arena *arena);

/* Returns the bytes of the records from `start` to `end` (ns), both included. Fast if starts ascend. */
struct tp_memory_bytes tp_memory_sums_within(struct tp_memory_sums *sums, int64_t start, int64_t end);

/* Fills `outside` with the records outside of all times asked for, by time, then with those of [OutOfMemory], as
 * indexes in trace->memory. Returns their number. outside: room for trace->memory_count. */
uint32_t tp_memory_sums_outside(const struct tp_memory_sums *sums, uint32_t *outside);

#endif
