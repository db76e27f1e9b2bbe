/* How each kind of metric is computed from the views: the functions that the table in metrics.c names. */
#ifndef TP_WEBREPORT_MEASURE_METRICS_METRIC_VALUES_H
#define TP_WEBREPORT_MEASURE_METRICS_METRIC_VALUES_H

#include "webreport/measure/metrics/metrics.h"

enum tp_metric_step { TP_STEPS_COUNT, TP_STEPS_MEDIAN, TP_STEPS_MEAN, TP_STEPS_P90, TP_STEPS_MIN, TP_STEPS_MAX };

enum tp_metric_copy { TP_COPIES_ALL, TP_COPIES_SETS, TP_COPIES_H2D, TP_COPIES_D2H, TP_COPIES_D2D };
enum { TP_COPIES_PAGEABLE = 8 }; /* may be added to the above: only those from or to pageable memory */

enum tp_metric_wait { TP_WAITS_SYNC, TP_WAITS_COPY, TP_WAITS_TIME, TP_WAITS_COST };
enum tp_metric_gemm { TP_GEMM_SHARE, TP_GEMM_FP32_SHARE };
/* phase * WHICH: tokens a second of the phase; + 2 * exponent + one of the others: a quantile of a class */
enum tp_metric_serving { TP_SERVING_P50 = 1, TP_SERVING_P90, TP_SERVING_WHICH = 64 };
enum tp_metric_rate { TP_RATE_GEMM, TP_RATE_STEP };
enum { TP_METRIC_IDLE_ALL = TP_IDLE_PARTS }; /* below: enum tp_idle_part */
enum tp_metric_memory {
    TP_MEMORY_PEAK_BYTES,
    TP_MEMORY_RESERVED_BYTES,
    TP_MEMORY_CREEP,
    TP_MEMORY_FRAGMENTATION,
    TP_MEMORY_ALLOCATIONS_PER_STEP
};
enum { TP_MEMORY_OF_HOST = 8 }; /* may be added to the above: of the CPU, not of the devices */
enum tp_metric_collective {
    TP_COLLECTIVES_PER_STEP,
    TP_COLLECTIVES_BYTES,
    TP_COLLECTIVES_EXPOSED,
    TP_COLLECTIVES_HIDDEN
};
/* of the work of a step: in the order of the rules of a comparison (webreport/compare/work/work_diff.h) */
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
enum tp_metric_finding { TP_FINDINGS_ALL = 4, TP_FINDINGS_CEILING }; /* below: enum tp_severity */
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
enum tp_metric_program { TP_PROGRAM_METRIC_WALL, TP_PROGRAM_METRIC_CPU, TP_PROGRAM_METRIC_PEAK };
enum tp_metric_host { TP_HOST_RUNTIME_PER_STEP, TP_HOST_OPERATORS_PER_STEP, TP_HOST_OPERATORS_DISTINCT };

/* Each takes the source and one of the numbers above. */
typedef struct tp_metric_value tp_metric_function(const struct tp_metric_source *source, int which);

tp_metric_function tp_metric_of_steps;        /* enum tp_metric_step */
tp_metric_function tp_metric_average_time;    /* enum tp_average */
tp_metric_function tp_metric_average_share;   /* enum tp_average */
tp_metric_function tp_metric_of_kernels;      /* enum tp_metric_kernel */
tp_metric_function tp_metric_of_gpus;         /* enum tp_gpu_column: mean over the devices */
tp_metric_function tp_metric_of_gemms;        /* enum tp_metric_gemm */
tp_metric_function tp_metric_of_peak;         /* enum tp_metric_rate */
tp_metric_function tp_metric_of_work;         /* enum tp_metric_work: no run tells it alone */
tp_metric_function tp_metric_of_program;      /* enum tp_metric_program */
tp_metric_function tp_metric_of_function;     /* 0: only a budget names one */
tp_metric_function tp_metric_of_serving;      /* enum tp_metric_serving */
tp_metric_function tp_metric_of_host;         /* enum tp_metric_host */
tp_metric_function tp_metric_copies_per_step; /* enum tp_metric_copy */
tp_metric_function tp_metric_copied_bytes;    /* enum tp_metric_copy */
tp_metric_function tp_metric_of_waits;        /* enum tp_metric_wait */
tp_metric_function tp_metric_of_idle;         /* enum tp_idle_part, TP_METRIC_IDLE_ALL */
tp_metric_function tp_metric_of_memory;       /* enum tp_metric_memory */
tp_metric_function tp_metric_of_collectives;  /* enum tp_metric_collective */
tp_metric_function tp_metric_of_findings;     /* enum tp_severity, enum tp_metric_finding */
tp_metric_function tp_metric_of_rule;         /* enum tp_rule_id */
tp_metric_function tp_metric_of_trace;        /* enum tp_metric_trace */
tp_metric_function tp_metric_out_of_memory;   /* 0 */

#endif
