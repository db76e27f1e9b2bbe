/* Finds the peak of allocated memory on each device: bytes, live blocks, growth per step, fragmentation
 * (docs/definitions.md, section 10). */
#ifndef TP_WEBREPORT_MEASURE_MEMORY_MEMORY_PEAK_H
#define TP_WEBREPORT_MEASURE_MEMORY_MEMORY_PEAK_H

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_live_column { TP_LIVE_NAME, TP_LIVE_BYTES, TP_LIVE_BLOCKS, TP_LIVE_COLUMNS };

struct tp_memory_device {
    int64_t device_type, device_id; /* device_type: 0 CPU, 1 CUDA, 6 HIP, 12 XPU */
    int64_t record_count, allocation_count, release_count;
    bool totals_known, addresses_known;
    int64_t peak_allocated_bytes, peak_at_ns; /* peak_at_ns: ns since the start of the profile */
    uint32_t peak_event;                      /* index of the record at the peak, in the order of the file */
    int64_t reserved_at_peak_bytes, peak_reserved_bytes, peak_reserved_at_ns;
    double fragmentation_percent; /* percent of reserved bytes that are unused at the peak; NaN if unknown */
    /* values at the peak; TP_NULL_INT if the trace lacks the addresses of blocks */
    int64_t preexisting_bytes, live_bytes, live_block_count;
    /* largest bytes first; columns: enum tp_live_column */
    struct tp_table live_by_op, live_by_module, live_by_line;
    struct tp_table live_by_stack; /* one row for each stack that allocated blocks; no rows if no record has a stack */
    /* grouped by enum tp_memory_category. The number of blocks is TP_NULL_INT for bytes that belong to no block */
    struct tp_table live_by_category;
    /* for each analysed step: allocated bytes at the end of the step; TP_NULL_INT if the step ends before the first
     * record */
    int64_t *step_end_bytes;
    uint32_t step_end_count;
    double creep_bytes_per_step; /* mean growth of the allocated bytes per step; NaN if unknown */
    int64_t longest_rise_steps;
};

struct tp_memory_peak {
    struct tp_memory_device *devices; /* sorted by device type, then id */
    uint32_t device_count;
};

void tp_memory_peak_build(struct tp_memory_peak *peak, const struct tp_model *model, struct tp_arena *arena);

extern const struct tp_fields tp_memory_device_fields; /* members of a device in JSON */

#endif
