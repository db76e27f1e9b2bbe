/* Computes memory as torch does: the bytes of all records within an interval, on any thread, and the records outside of
 * all requested intervals. Only one thread may use the sums. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H

#include "webreport/trace/trace.h"

/* Bytes on the CPU (device types CPU, MKLDNN, IDEEP) and on devices (CUDA, HIP, XPU, PrivateUse1). Other device types
 * are ignored. */
struct tp_memory_bytes {
    int64_t cpu, gpu;
};

/* Prefix sums of the "[memory]" records, sorted by time. Does not contain "[OutOfMemory]" records. */
struct tp_memory_sums {
    const struct tp_trace *trace;
    bool is_coarse;
    uint32_t *index; /* for each position in the sorted list: index of the record in trace->memory */
    int64_t *at;     /* for each position in the sorted list: time of the record, ns */
    uint32_t count;
    __int128 (*before)[2]; /* before[n]: total of the first n records, bytes, on the CPU [0] and on devices [1] */
    /* for each record: number of requested intervals that start at this record, minus number of intervals that ended
     * just before it */
    int32_t *covered;
    int64_t last;   /* start of the last requested interval, ns */
    uint32_t first; /* number of records before the time `last` */
};

struct tp_memory_bytes tp_memory_record_bytes(const struct tp_trace *trace, const struct tp_memory *record);

/* Builds the sums in `arena`, whose guard must be set. order: all records sorted by time. is_coarse: rounds times to
 * a quarter of a microsecond, because releases of torch before 2.7 compare doubles of microseconds since 1970. */
void tp_memory_sums_build(struct tp_memory_sums *sums, const struct tp_trace *trace, const uint32_t *order,
                          bool is_coarse, struct tp_arena *arena);

/* Returns the bytes of the records from `start` to `end`, ns, including both times. Fast if the starts of successive
 * calls ascend. */
struct tp_memory_bytes tp_memory_sums_within(struct tp_memory_sums *sums, int64_t start, int64_t end);

/* Fills `outside` with indexes in trace->memory: first the records outside of all requested intervals, sorted by time,
 * then the "[OutOfMemory]" records. Returns the number of indexes. outside: room for trace->memory_count entries. */
uint32_t tp_memory_sums_list_outside(const struct tp_memory_sums *sums, uint32_t *outside);

#endif
