/* Memory as torch counts it: bytes of the records within a time, on any thread, and the records that are within none.
 * One thread. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H

#include "webreport/trace/trace.h"

/* On the CPU (device types CPU, MKLDNN, IDEEP) and on devices (CUDA, HIP, XPU, PrivateUse1); others count nowhere. */
struct tp_memory_bytes {
    int64_t cpu, gpu;
};

/* [memory] records by time, without [OutOfMemory]. */
struct tp_memory_sums {
    const struct tp_trace *trace;
    bool is_coarse;
    uint32_t *index; /* in trace->memory */
    int64_t *at;     /* ns */
    uint32_t count;
    __int128 (*before)[2]; /* bytes of the first n, on the CPU and on devices */
    int32_t *covered;      /* +1 where a time that was asked for begins, -1 behind its end */
    int64_t last;          /* the start asked for last .. */
    uint32_t first;        /* .. and how many records are before it */
};

struct tp_memory_bytes tp_memory_bytes_of(const struct tp_trace *trace, const struct tp_memory *record);

/* Sums of all records in `arena` (guard set by the caller). order: all records by time. is_coarse: releases before 2.7
 * looked records up by double microseconds since 1970, which have steps of a quarter. */
void tp_memory_sums_build(struct tp_memory_sums *sums, const struct tp_trace *trace, const uint32_t *order,
                          bool is_coarse, struct tp_arena *arena);

/* Bytes of the records from `start` to `end` (ns), both included. Fast when starts ascend. */
struct tp_memory_bytes tp_memory_sums_within(struct tp_memory_sums *sums, int64_t start, int64_t end);

/* Records that were within no time asked for, by time, then those of [OutOfMemory], as indexes in trace->memory;
 * returns their number. outside: room for trace->memory_count. */
uint32_t tp_memory_sums_outside(const struct tp_memory_sums *sums, uint32_t *outside);

#endif
