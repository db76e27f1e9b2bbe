/* Computes memory as torch counts it: the bytes of all records within a time, on any thread, and the records outside
 * all requested times. Single-threaded. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_MEMORY_H

#include "webreport/trace/trace.h"

/* Bytes on the CPU (device types CPU, MKLDNN, IDEEP) and on devices (CUDA, HIP, XPU, PrivateUse1); other types are not
 * counted. */
struct tp_memory_bytes {
    int64_t cpu, gpu;
};

/* Prefix sums of the [memory] records, sorted by time, without [OutOfMemory] records. */
struct tp_memory_sums {
    const struct tp_trace *trace;
    bool is_coarse;
    uint32_t *index; /* by record: index in trace->memory */
    int64_t *at;     /* by record: its time, ns */
    uint32_t count;
    __int128 (*before)[2]; /* by n: sum of the first n records on the CPU [0] and on devices [1], bytes */
    /* by record: +1 for each requested time that starts here, -1 for each one that ended just before */
    int32_t *covered;
    int64_t last;   /* start of the latest requested time, ns */
    uint32_t first; /* number of records before `last` */
};

struct tp_memory_bytes tp_memory_bytes_of(const struct tp_trace *trace, const struct tp_memory *record);

/* Builds the sums in `arena`, whose guard must be set. order: all records by time. is_coarse: rounds times to a quarter
 * of a microsecond, as releases before 2.7 did, which compared doubles of microseconds since 1970. */
void tp_memory_sums_build(struct tp_memory_sums *sums, const struct tp_trace *trace, const uint32_t *order,
                          bool is_coarse, struct tp_arena *arena);

/* Returns the bytes of the records from `start` to `end` (ns), both included. Fast if the starts of successive calls
 * ascend. */
struct tp_memory_bytes tp_memory_sums_within(struct tp_memory_sums *sums, int64_t start, int64_t end);

/* Fills `outside` with the records outside all requested times, by time, then with the [OutOfMemory] records, as
 * indexes in trace->memory. Returns their number. `outside` must have room for trace->memory_count entries. */
uint32_t tp_memory_sums_outside(const struct tp_memory_sums *sums, uint32_t *outside);

#endif
