/* The kernel view: kernels by name; kernels by launch configuration and operator; copies and sets (docs/definitions.md,
 * section 8). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_KERNEL_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_KERNEL_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/views/kernel_durations.h"
#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_kernel_column {
    TP_KERNEL_NAME,
    TP_KERNEL_USES_TC,
    TP_KERNEL_TC_USE, /* use of tensor cores: yes, no or unknown */
    TP_KERNEL_COMMUNICATION,
    TP_KERNEL_CALLS,
    TP_KERNEL_TOTAL,
    TP_KERNEL_MEAN,
    TP_KERNEL_MAX,
    TP_KERNEL_MIN,
    TP_KERNEL_IN_STEPS,
    TP_KERNEL_SHARE,
    TP_KERNEL_CALLS_IN_STEPS,
    TP_KERNEL_BLOCKS_PER_SM,
    TP_KERNEL_OCCUPANCY,
    TP_KERNEL_COLUMNS
};

enum tp_kernel_config_column {
    TP_CONFIG_NAME,
    TP_CONFIG_OPERATOR,
    TP_CONFIG_GRID,
    TP_CONFIG_BLOCK,
    TP_CONFIG_REGISTERS,
    TP_CONFIG_SHARED_MEMORY,
    TP_CONFIG_USES_TC,
    TP_CONFIG_TC_ELIGIBLE,
    TP_CONFIG_CALLS,
    TP_CONFIG_TOTAL,
    TP_CONFIG_MEAN,
    TP_CONFIG_MAX,
    TP_CONFIG_MIN,
    TP_CONFIG_IN_STEPS,
    TP_CONFIG_SHARE,
    TP_CONFIG_CALLS_IN_STEPS,
    TP_CONFIG_BLOCKS_PER_SM,
    TP_CONFIG_OCCUPANCY,
    TP_CONFIG_COLUMNS
};

enum tp_copy_column {
    TP_COPY_NAME,
    TP_COPY_CALLS,
    TP_COPY_TOTAL,
    TP_COPY_MEAN,
    TP_COPY_MAX,
    TP_COPY_MIN,
    TP_COPY_IN_STEPS,
    TP_COPY_SHARE,
    TP_COPY_CALLS_IN_STEPS,
    TP_COPY_BYTES,
    TP_COPY_RATE, /* bytes of all copies of the row divided by their time, GB/s */
    TP_COPY_RATE_P50,
    TP_COPY_RATE_P99,
    TP_COPY_RATE_MAX,
    TP_COPY_COLUMNS
};

struct tp_kernel_view {
    bool is_present; /* false if there are no device operations; JSON then contains null */
    bool has_blocks_per_sm, has_occupancy;
    struct tp_table by_name, by_config, copies;
    struct tp_table durations; /* enum tp_kernel_duration_column; filled by tp_kernel_durations_build */
    /* shares of total kernel time (0 to 1) of kernels that use tensor cores, that do not, and for which the use is
     * unknown */
    double using_ratio, not_using_ratio, unknown_ratio;
};

void tp_kernel_view_build(struct tp_kernel_view *view, const struct tp_model *model, struct tp_arena *arena);
/* Builds the view without rows in by_config. */
void tp_kernel_view_build_by_name(struct tp_kernel_view *view, const struct tp_model *model, struct tp_arena *arena);
extern const struct tp_fields tp_kernel_view_fields;

#endif
