/* The overview: how each step's time is divided, how busy each GPU is, and how communication overlaps
 * (docs/definitions.md, section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_OVERVIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_OVERVIEW_H

#include <stdint.h>

#include "webreport/model/facts.h"
#include "webreport/model/step_counts.h"
#include "writer/base/fields.h"

enum tp_step_column {
    TP_STEP_NAME,
    TP_STEP_IS_USED,
    TP_STEP_LEFT_OUT,
    TP_STEP_START,
    TP_STEP_END,
    TP_STEP_KERNEL, /* first of the columns with the time of a category; category c has the column TP_STEP_KERNEL + c */
    TP_STEP_MEMCPY,
    TP_STEP_MEMSET,
    TP_STEP_COMMUNICATION,
    TP_STEP_RUNTIME,
    TP_STEP_DATALOADER,
    TP_STEP_CPU_EXEC,
    TP_STEP_OTHER,
    TP_STEP_TOTAL,
    TP_STEP_HOST_START,
    TP_STEP_HOST_END,
    TP_STEP_DEVICE_BUSY,
    TP_STEP_COLUMNS
};

enum tp_gpu_column {
    TP_GPU_ID,
    TP_GPU_NAME,
    TP_GPU_MEMORY,
    TP_GPU_COMPUTE_CAPABILITY,
    TP_GPU_UTILIZATION,
    TP_GPU_SM_EFFICIENCY,
    TP_GPU_OCCUPANCY,
    TP_GPU_TENSOR_CORE,
    TP_GPU_TENSOR_CORE_UNKNOWN,
    TP_GPU_BUSY,
    TP_GPU_BUSY_RATIO,
    TP_GPU_RECORDED_BUSY,
    TP_GPU_RECORDED_KERNEL_BUSY,
    TP_GPU_KERNEL_TIME,
    TP_GPU_KERNEL_COUNT,
    TP_GPU_COPY_COUNT,
    TP_GPU_STREAMS,
    TP_GPU_COLUMNS
};

enum tp_overlap_column {
    TP_OVERLAP_STEP,
    TP_OVERLAP_COMPUTATION,
    TP_OVERLAP_COMMUNICATION,
    TP_OVERLAP_OVERLAP,
    TP_OVERLAP_OTHER,
    TP_OVERLAP_COLUMNS
};

/* Means over the analysed steps. Values below TP_AVERAGE_OTHER are from enum tp_time_category. */
enum tp_average { TP_AVERAGE_OTHER = TP_CATEGORY_COUNT, TP_AVERAGE_TOTAL, TP_AVERAGE_DEVICE_BUSY, TP_AVERAGE_COUNT };

struct tp_overview {
    const char *device_type;               /* name for the type of the devices, such as "GPU"; "CPU" without a device */
    struct tp_table steps;                 /* columns: enum tp_step_column; one row per step */
    struct tp_table gpu_summary;           /* columns: enum tp_gpu_column; one row per device */
    struct tp_table communication_overlap; /* columns: enum tp_overlap_column; one row per step */
    const struct tp_gpu *gpus;             /* devices of the model */
    uint32_t gpu_count;
    int64_t *busy_by_gpu_ns; /* busy time of each device in each step, ns; index: step * gpu_count + gpu */
    double average_us[TP_AVERAGE_COUNT];
    int64_t window_ns; /* total length of the analysed steps, ns */
    uint32_t used_count;
    /* time in which any device is busy, ns. device_busy_ns: in the analysed steps; recorded_device_busy_ns: in the
     * whole recording */
    int64_t device_busy_ns, recorded_device_busy_ns;
    int64_t communication_ns, hidden_communication_ns; /* total communication in the analysed steps, and the part of it
                                                          that compute hides, ns */
    struct tp_step_counts in_steps;
    double tensor_core_eligible_ratio;
};

/* Activity of a device in a window, from the events that start in the window. The formulas are the same as in
 * gpu_summary. */
struct tp_gpu_window {
    int64_t kernel_count, kernel_time_ns;
    /* NaN if unknown; ratios are between 0 and 1 */
    double utilization_ratio, sm_efficiency_ratio, occupancy_percent, tensor_core_ratio;
};
/* Computes the activity in a window, which must not be empty. The run time is linear in the number of events in the
 * window. */
void tp_gpu_window_build(struct tp_gpu_window *out, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_interval window, struct tp_arena *arena);

/* Returns the row of gpu_summary for the device with the most busy time. The verdict describes this device. If several
 * devices have equal busy time, returns the first of them. The view must have a device. */
size_t tp_overview_main_gpu(const struct tp_overview *view);

/* definitions of the averages for tooltips, with the keys of JSON */
extern const struct tp_column_def tp_average_defs[TP_AVERAGE_COUNT];

void tp_overview_build(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena);
extern const struct tp_fields tp_overview_fields;

#endif
