/* Declares the functions that compute metrics, and the constants for their argument `which`. The rows in metrics_rows.h
 * pass these constants. */
#ifndef TP_WEBREPORT_MEASURE_METRICS_METRIC_VALUES_H
#define TP_WEBREPORT_MEASURE_METRICS_METRIC_VALUES_H

#include "webreport/measure/metrics/metrics.h"

enum tp_metric_step { TP_STEPS_COUNT, TP_STEPS_MEDIAN, TP_STEPS_MEAN, TP_STEPS_P90, TP_STEPS_MIN, TP_STEPS_MAX };

enum tp_metric_copy { TP_COPIES_ALL, TP_COPIES_SETS, TP_COPIES_H2D, TP_COPIES_D2H, TP_COPIES_D2D };
/* flag added to enum tp_metric_copy: counts only copies from or to pageable host memory */
enum { TP_COPIES_PAGEABLE = 8 };

enum tp_metric_wait { TP_WAITS_SYNC, TP_WAITS_COPY, TP_WAITS_TIME, TP_WAITS_COST };
enum tp_metric_gemm { TP_GEMM_SHARE, TP_GEMM_FP32_SHARE };
/* `which` of a serving metric: phase * TP_SERVING_PHASE_FACTOR selects the tokens per second of the phase. phase *
 * TP_SERVING_PHASE_FACTOR + 2 * exponent + TP_SERVING_P50 (or P90) selects the median (or 90 % quantile) of the step
 * time in the size class 2^exponent. */
enum tp_metric_serving { TP_SERVING_P50 = 1, TP_SERVING_P90, TP_SERVING_PHASE_FACTOR = 64 };
enum tp_metric_rate { TP_RATE_GEMM, TP_RATE_STEP };
/* value of `which` for all idle parts together; smaller values select one enum tp_idle_part */
enum { TP_METRIC_IDLE_ALL = TP_IDLE_PARTS };
enum tp_metric_memory {
    TP_MEMORY_PEAK_BYTES,
    TP_MEMORY_RESERVED_BYTES,
    TP_MEMORY_CREEP,
    TP_MEMORY_FRAGMENTATION,
    TP_MEMORY_ALLOCATIONS_PER_STEP
};
/* flag added to enum tp_metric_memory: the metric describes memory of the CPU instead of the devices */
enum { TP_MEMORY_OF_HOST = 8 };
enum tp_metric_collective {
    TP_COLLECTIVES_PER_STEP,
    TP_COLLECTIVES_BYTES,
    TP_COLLECTIVES_EXPOSED,
    TP_COLLECTIVES_HIDDEN
};
/* metrics of work per step, in the order of the rules that compare two runs (webreport/compare/work/work_diff.h) */
enum tp_metric_work {
    TP_METRIC_ADDED,
    TP_METRIC_COPIED,
    TP_METRIC_WAITS,
    TP_METRIC_TYPES,
    TP_METRIC_SHAPES,
    TP_METRIC_KEPT,
    TP_METRIC_LOADED,
    TP_METRIC_OPERATOR_CALLS
};
/* TP_FINDINGS_ALL selects findings of all severities; smaller values of `which` select one enum tp_severity */
enum tp_metric_finding { TP_FINDINGS_ALL = 4, TP_FINDINGS_CEILING };
enum tp_metric_trace {
    TP_TRACE_EVENTS,
    TP_TRACE_REPAIRED,
    TP_TRACE_SKIPPED,
    TP_TRACE_PARTIAL_STEPS,
    TP_TRACE_UNLINKED,
    TP_TRACE_TRUNCATED,
    TP_TRACE_FLAGS
};
enum tp_metric_kernel {
    TP_KERNELS_PER_STEP,
    TP_KERNELS_TIME_PER_STEP,
    TP_KERNELS_TIME_MEAN,
    TP_KERNELS_DISTINCT,
    TP_KERNELS_TENSOR_CORE,
    TP_KERNELS_ELIGIBLE,
    TP_KERNELS_IN_GRAPHS
};
/* values of `which` for metrics of the critical path; smaller values select one enum tp_path_group */
enum { TP_PATH_HOST_FREE = TP_GROUPS };
enum tp_metric_range { TP_METRIC_RANGE_DEVICE, TP_METRIC_RANGE_HOST };
enum tp_metric_program { TP_PROGRAM_METRIC_WALL, TP_PROGRAM_METRIC_CPU, TP_PROGRAM_METRIC_PEAK };
/* metrics that only memory snapshots have; webreport/compare/gate/gate_snapshot_values.c computes them */
enum tp_metric_snapshot {
    TP_SNAPSHOT_INACTIVE_SPLIT,
    TP_SNAPSHOT_OOM_EVENTS,
    TP_SNAPSHOT_RETRY_EVENTS,
    TP_SNAPSHOT_GROWTH_PER_STEP,
    TP_SNAPSHOT_LATE_SEGMENTS,
    TP_SNAPSHOT_LIVE_CATEGORY
};
enum tp_metric_host { TP_HOST_RUNTIME_PER_STEP, TP_HOST_OPERATORS_PER_STEP, TP_HOST_OPERATORS_DISTINCT };

/* Computes the value of a metric. which: member `which` of the metric's row; each function has its own constants for
 * it. */
typedef struct tp_metric_value tp_metric_function(const struct tp_metric_source *source, int which);

#define METRIC(name, unit, needs, title, json, function, which) tp_metric_function function;
#include "webreport/measure/metrics/metrics_rows.h"

#endif
