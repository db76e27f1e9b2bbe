/* The memory view of each device: a curve of allocated bytes, all blocks, and bytes by operator (docs/definitions.md,
 * section 10). */
#ifndef TP_WEBREPORT_MEASURE_MEMORY_MEMORY_VIEW_H
#define TP_WEBREPORT_MEASURE_MEMORY_MEMORY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

/* maximum points of a curve. A longer curve is divided into groups; each group keeps its first, lowest, highest and
 * last point */
enum { TP_CURVE_POINTS = 10240 };

enum tp_memory_info_column {
    TP_MEMORY_DEVICE,
    TP_MEMORY_DEVICE_TYPE,
    TP_MEMORY_DEVICE_ID,
    TP_MEMORY_RECORDS,
    TP_MEMORY_ALLOCATIONS,
    TP_MEMORY_RELEASES,
    TP_MEMORY_ALLOCATED,
    TP_MEMORY_RELEASED,
    TP_MEMORY_PEAK,
    TP_MEMORY_PEAK_AT,
    TP_MEMORY_PEAK_RESERVED,
    TP_MEMORY_CAPACITY,
    TP_MEMORY_LOOSE_INCREASE,
    TP_MEMORY_LOOSE_COUNT,
    TP_MEMORY_LOOSE_SIZE,
    TP_MEMORY_INFO_COLUMNS
};

enum tp_curve_column { TP_CURVE_TIME, TP_CURVE_ALLOCATED, TP_CURVE_RESERVED, TP_CURVE_COLUMNS };

enum tp_block_column {
    TP_BLOCK_OPERATOR,
    TP_BLOCK_SIZE,
    TP_BLOCK_ALLOCATED_AT,
    TP_BLOCK_RELEASED_AT,
    TP_BLOCK_COLUMNS
};

enum tp_memory_op_column {
    TP_MEMORY_OP_NAME,
    TP_MEMORY_OP_CALLS,
    TP_MEMORY_OP_INCREASE,
    TP_MEMORY_OP_SELF_INCREASE,
    TP_MEMORY_OP_COUNT,
    TP_MEMORY_OP_SELF_COUNT,
    TP_MEMORY_OP_SIZE,
    TP_MEMORY_OP_SELF_SIZE,
    TP_MEMORY_OP_COLUMNS
};

/* Memory of one device. Times in the tables are ns since first_ns of the view. */
struct tp_device_memory {
    struct tp_str name;     /* name of the device, such as "CPU" or "GPU0" */
    struct tp_str peak_key; /* key of the device in JSON, such as "cpu:-1" */
    int64_t type, id;
    /* index of the device that JSON shows under this name; TP_NO_ID for later devices of the same name */
    uint32_t shown;
    bool has_peak;
    int64_t peak_bytes; /* highest number of allocated bytes, never negative */
    struct tp_table curve, blocks, operators, operators_folded;
};

struct tp_memory_view {
    bool is_present; /* false if the trace has no memory records; JSON then contains null */
    int64_t first_ns;
    struct tp_table information;
    struct tp_device_memory *devices; /* devices in the order of the rows of `information` */
    uint32_t device_count, default_device;
};

void tp_memory_view_build(struct tp_memory_view *view, const struct tp_model *model, struct tp_arena *arena);
extern const struct tp_fields tp_memory_view_fields;

#endif
