/* The table of metrics and how a name is found in it. See metrics.h; the values are made in metric_values.c and
 * metric_trace.c. */
#include "webreport/measure/metrics/metrics.h"

#include <math.h>
#include <string.h>

#include "webreport/measure/metrics/metric_values.h"
#include "webreport/measure/rules/rules.h"
#include "writer/text/nearest.h"

/* What a metric rests on. */
#define AS_IT_IS 0 /* the state of the file itself */
#define ALL TP_NEED_ALL
#define HOST (TP_NEED_FILE | TP_NEED_HOST)
#define DEVICE (TP_NEED_FILE | TP_NEED_DEVICE)
#define TIMED_DEVICE (DEVICE | TP_NEED_CLOCK)
#define HOST_DEVICE (HOST | DEVICE)
#define HOST_RUNTIME (HOST | TP_NEED_RUNTIME)
#define LINKS (HOST | TIMED_DEVICE | TP_NEED_RUNTIME)
#define MEMORY (HOST | TP_NEED_MEMORY | TP_NEED_CLOCK)
#define STEPS (TP_NEED_ALL & ~(unsigned)TP_NEED_MEMORY) /* of a trace without marks all events make the step */

/* unit, is_timed, is_lower_better */
#define COUNT TP_UNIT_COUNT, false, true
#define MORE TP_UNIT_COUNT, false, false
#define TIME TP_UNIT_NS, true, true
#define SHARE TP_UNIT_PERCENT, true, true
#define GAIN TP_UNIT_PERCENT, true, false
#define PART TP_UNIT_PERCENT, false, true
#define BYTES TP_UNIT_BYTES, false, true
#define RULE(id)                                                                                                       \
    {"finding." #id,    COUNT,       ALL, "findings of rule " #id, "recommendations.findings[id " #id "]: number",     \
     tp_metric_of_rule, TP_RULE_##id},

/* Steps of an engine by their class, whose size is a power of two. */
#define SERVED(word, PHASE, size, exponent, at, AT)                                                                    \
    {#word "." #size ".step." #at,                                                                                     \
     TIME,                                                                                                             \
     LINKS,                                                                                                            \
     "time of a step of an engine, by phase and batch: up to bs1024 requests, tok65536 tokens",                        \
     "serving.classes[class " #word "." #size "]." #at "_us",                                                          \
     tp_metric_of_serving,                                                                                             \
     TP_SERVING_##PHASE * TP_SERVING_WHICH + 2 * (exponent) + TP_SERVING_##AT}
#define SERVED_BOTH(word, PHASE, size, exponent)                                                                       \
    SERVED(word, PHASE, size, exponent, p50, P50), SERVED(word, PHASE, size, exponent, p90, P90)
#define BY_REQUESTS(word, PHASE)                                                                                       \
    SERVED_BOTH(word, PHASE, bs1, 0), SERVED_BOTH(word, PHASE, bs2, 1), SERVED_BOTH(word, PHASE, bs4, 2),              \
        SERVED_BOTH(word, PHASE, bs8, 3), SERVED_BOTH(word, PHASE, bs16, 4), SERVED_BOTH(word, PHASE, bs32, 5),        \
        SERVED_BOTH(word, PHASE, bs64, 6), SERVED_BOTH(word, PHASE, bs128, 7), SERVED_BOTH(word, PHASE, bs256, 8),     \
        SERVED_BOTH(word, PHASE, bs512, 9), SERVED_BOTH(word, PHASE, bs1024, 10)
#define BY_TOKENS(word, PHASE)                                                                                         \
    SERVED_BOTH(word, PHASE, tok128, 7), SERVED_BOTH(word, PHASE, tok256, 8), SERVED_BOTH(word, PHASE, tok512, 9),     \
        SERVED_BOTH(word, PHASE, tok1024, 10), SERVED_BOTH(word, PHASE, tok2048, 11),                                  \
        SERVED_BOTH(word, PHASE, tok4096, 12), SERVED_BOTH(word, PHASE, tok8192, 13),                                  \
        SERVED_BOTH(word, PHASE, tok16384, 14), SERVED_BOTH(word, PHASE, tok32768, 15),                                \
        SERVED_BOTH(word, PHASE, tok65536, 16)
#define SERVED_ALL(sizes, word, PHASE) sizes(word, PHASE)

const struct tp_metric tp_metrics[TP_METRIC_COUNT] = {
    {"step.count", MORE, HOST, "steps that numbers are about", "overview.steps_used", tp_metric_of_steps,
     TP_STEPS_COUNT},
    {"step.time.median", TIME, STEPS, "median length of a step", "median of overview.steps[used].total_us",
     tp_metric_of_steps, TP_STEPS_MEDIAN},
    {"step.time.mean", TIME, STEPS, "mean length of a step", "overview.average.total_us", tp_metric_of_steps,
     TP_STEPS_MEAN},
    {"step.time.p90", TIME, STEPS, "length that nine of ten steps do not exceed",
     "0.9 quantile (nearest rank) of overview.steps[used].total_us", tp_metric_of_steps, TP_STEPS_P90},
    {"step.time.min", TIME, STEPS, "length of the shortest step", "least of overview.steps[used].total_us",
     tp_metric_of_steps, TP_STEPS_MIN},
    {"step.time.max", TIME, STEPS, "length of the longest step", "greatest of overview.steps[used].total_us",
     tp_metric_of_steps, TP_STEPS_MAX},
    {"step.kernel.time", TIME, STEPS, "mean time of a step in which a kernel ran that is no collective",
     "overview.average.kernel_us", tp_metric_average_time, TP_ROLE_KERNEL},
    {"step.memcpy.time", TIME, STEPS, "mean time of a step in which a copy ran and no kernel",
     "overview.average.memcpy_us", tp_metric_average_time, TP_ROLE_MEMCPY},
    {"step.memset.time", TIME, STEPS, "mean time of a step in which a memset ran and nothing above",
     "overview.average.memset_us", tp_metric_average_time, TP_ROLE_MEMSET},
    {"step.communication.time", TIME, STEPS, "mean time of a step in a collective and nothing above",
     "overview.average.communication_us", tp_metric_average_time, TP_ROLE_COMMUNICATION},
    {"step.runtime.time", TIME, STEPS, "mean time of a step in a runtime or driver call and nothing above",
     "overview.average.runtime_us", tp_metric_average_time, TP_ROLE_RUNTIME},
    {"step.dataloader.time", TIME, STEPS, "mean time of a step waiting for input data and nothing above",
     "overview.average.dataloader_us", tp_metric_average_time, TP_ROLE_DATALOADER},
    {"step.cpu.time", TIME, STEPS, "mean time of a step in an operator or a range on the host and nothing above",
     "overview.average.cpu_exec_us", tp_metric_average_time, TP_ROLE_CPU_EXEC},
    {"step.other.time", TIME, STEPS, "mean time of a step in which nothing was recorded", "overview.average.other_us",
     tp_metric_average_time, TP_AVERAGE_OTHER},
    {"step.kernel.share", GAIN, STEPS, "part of the mean step in which a kernel ran that is no collective",
     "100 * overview.average.kernel_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_KERNEL},
    {"step.memcpy.share", SHARE, STEPS, "part of the mean step in which a copy ran and no kernel",
     "100 * overview.average.memcpy_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_MEMCPY},
    {"step.memset.share", SHARE, STEPS, "part of the mean step in which a memset ran and nothing above",
     "100 * overview.average.memset_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_MEMSET},
    {"step.communication.share", SHARE, STEPS, "part of the mean step in a collective and nothing above",
     "100 * overview.average.communication_us / overview.average.total_us", tp_metric_average_share,
     TP_ROLE_COMMUNICATION},
    {"step.runtime.share", SHARE, STEPS, "part of the mean step in a runtime or driver call and nothing above",
     "100 * overview.average.runtime_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_RUNTIME},
    {"step.dataloader.share", SHARE, STEPS, "part of the mean step waiting for input data and nothing above",
     "100 * overview.average.dataloader_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_DATALOADER},
    {"step.cpu.share", SHARE, STEPS, "part of the mean step in an operator or a range on the host and nothing above",
     "100 * overview.average.cpu_exec_us / overview.average.total_us", tp_metric_average_share, TP_ROLE_CPU_EXEC},
    {"step.other.share", SHARE, STEPS, "part of the mean step in which nothing was recorded",
     "100 * overview.average.other_us / overview.average.total_us", tp_metric_average_share, TP_AVERAGE_OTHER},
    {"device.busy.share", GAIN, STEPS,
     "part of the mean step in which any device worked; with one device, what the report calls busy",
     "100 * overview.average.device_busy_us / overview.average.total_us", tp_metric_average_share,
     TP_AVERAGE_DEVICE_BUSY},
    {"gpu.utilization", GAIN, STEPS, "part of the steps in which a kernel ran; mean of the devices",
     "100 * mean of overview.gpu_summary[].utilization_ratio", tp_metric_of_gpus, TP_GPU_UTILIZATION},
    {"gpu.sm_efficiency", GAIN, STEPS, "estimated SM efficiency; mean of the devices",
     "100 * mean of overview.gpu_summary[].est_sm_efficiency_ratio", tp_metric_of_gpus, TP_GPU_SM_EFFICIENCY},
    {"gpu.occupancy", GAIN, STEPS, "estimated achieved occupancy; mean of the devices",
     "mean of overview.gpu_summary[].est_achieved_occupancy_percent", tp_metric_of_gpus, TP_GPU_OCCUPANCY},
    {"kernels.per_step", COUNT, HOST_DEVICE, "kernels per step",
     "calls_in_steps of kernel_view.by_name / overview.steps_used", tp_metric_of_kernels, TP_KERNELS_PER_STEP},
    {"kernels.distinct", COUNT, DEVICE, "kernels of different names", "kernel_view.by_name: number",
     tp_metric_of_kernels, TP_KERNELS_DISTINCT},
    {"kernel.time.per_step", TIME, STEPS, "sum of the durations of all kernels, per step",
     "in_steps_us of kernel_view.by_name / overview.steps_used", tp_metric_of_kernels, TP_KERNELS_TIME_PER_STEP},
    {"kernel.time.mean", TIME, TIMED_DEVICE, "mean duration of a kernel", "trace_facts.kernel_time_us / kernel_count",
     tp_metric_of_kernels, TP_KERNELS_TIME_MEAN},
    {"graph.share", GAIN, LINKS, "part of the kernel time that graph launches started",
     "trace_quality.flags[id F3].value", tp_metric_of_kernels, TP_KERNELS_IN_GRAPHS},
    {"tensor_core.share", GAIN, TIMED_DEVICE, "part of the kernel time in kernels that use tensor cores",
     "100 * kernel_view.tensor_core_pie.using_ratio", tp_metric_of_kernels, TP_KERNELS_TENSOR_CORE},
    {"tensor_core.eligible.share", GAIN, LINKS, "part of the kernel time of operators that could use tensor cores",
     "100 * overview.tensor_core_eligible_operator_kernel_time_ratio", tp_metric_of_kernels, TP_KERNELS_ELIGIBLE},
    {"gemm.share", GAIN, TIMED_DEVICE, "part of the kernel time in matrix products and convolutions, by name",
     "100 * total_us of those of kernel_view.by_name / of all", tp_metric_of_gemms, TP_GEMM_SHARE},
    {"gemm.pct_of_peak", GAIN, LINKS, "part of the device's peak that matrix products reach while they run",
     "work_rates.gemm_percent_of_peak", tp_metric_of_peak, TP_RATE_GEMM},
    {"step.mfu", GAIN, LINKS, "part of the device's peak that steps reach: their operations over their length",
     "work_rates.step_percent_of_peak", tp_metric_of_peak, TP_RATE_STEP},
    {"gemm.fp32.share", PART, TIMED_DEVICE, "part of the GEMM time in single precision without tensor cores, by name",
     "100 * total_us of those of kernel_view.by_name / of its GEMMs", tp_metric_of_gemms, TP_GEMM_FP32_SHARE},
    {"operators.per_step", COUNT, HOST, "operator calls on the host, per step",
     "overview.in_steps.operators / steps_used", tp_metric_of_host, TP_HOST_OPERATORS_PER_STEP},
    {"operators.distinct", COUNT, HOST, "operators of different names", "operator_view.by_name: number",
     tp_metric_of_host, TP_HOST_OPERATORS_DISTINCT},
    {"runtime.per_step", COUNT, HOST_RUNTIME, "runtime and driver calls per step, launches among them",
     "overview.in_steps.runtime_calls / steps_used", tp_metric_of_host, TP_HOST_RUNTIME_PER_STEP},
    {"copies.per_step", COUNT, HOST_DEVICE, "copies per step",
     "calls_in_steps of kernel_view.copies_by_name but memsets / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_ALL},
    {"sets.per_step", COUNT, HOST_DEVICE, "memsets per step",
     "calls_in_steps of memsets in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_SETS},
    {"h2d.per_step", COUNT, HOST_DEVICE, "copies host to device, per step",
     "calls_in_steps of HtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_H2D},
    {"h2d.bytes", BYTES, DEVICE, "bytes copied host to device, in all",
     "total_bytes of HtoD in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_H2D},
    {"d2h.per_step", COUNT, HOST_DEVICE, "copies device to host, per step",
     "calls_in_steps of DtoH in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_D2H},
    {"d2h.bytes", BYTES, DEVICE, "bytes copied device to host, in all",
     "total_bytes of DtoH in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_D2H},
    {"d2d.per_step", COUNT, HOST_DEVICE, "copies device to device, per step",
     "calls_in_steps of DtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_D2D},
    {"d2d.bytes", BYTES, DEVICE, "bytes copied device to device, in all",
     "total_bytes of DtoD in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_D2D},
    {"h2d.pageable.per_step", COUNT, HOST_DEVICE, "copies from pageable memory to the device, per step",
     "calls_in_steps of pageable HtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_H2D | TP_COPIES_PAGEABLE},
    {"h2d.pageable.bytes", BYTES, DEVICE, "bytes copied from pageable memory to the device, in all",
     "total_bytes of pageable HtoD in kernel_view.copies_by_name", tp_metric_copied_bytes,
     TP_COPIES_H2D | TP_COPIES_PAGEABLE},
    {"d2h.pageable.per_step", COUNT, HOST_DEVICE, "copies from the device to pageable memory, per step",
     "calls_in_steps of pageable DtoH in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
     TP_COPIES_D2H | TP_COPIES_PAGEABLE},
    {"d2h.pageable.bytes", BYTES, DEVICE, "bytes copied from the device to pageable memory, in all",
     "total_bytes of pageable DtoH in kernel_view.copies_by_name", tp_metric_copied_bytes,
     TP_COPIES_D2H | TP_COPIES_PAGEABLE},
    {"sync.per_step", COUNT, STEPS, "waits for the device per step, without the profiler's own at its stop",
     "(count of sync_table.rows of kind sync, less 1 if any is a *DeviceSynchronize without op and line) /"
     " overview.steps_used",
     tp_metric_of_waits, TP_WAITS_SYNC},
    {"sync.copy.per_step", COUNT, STEPS, "copies that return when they are done, per step",
     "count of sync_table.rows of kind copy / overview.steps_used", tp_metric_of_waits, TP_WAITS_COPY},
    {"sync.time.per_step", TIME, STEPS, "time that the host waits in both, per step",
     "sync_table.host_wait_us / overview.steps_used", tp_metric_of_waits, TP_WAITS_TIME},
    {"sync.cost.share", SHARE, STEPS, "part of the steps that waits cost at most",
     "100 * sync_table.cost_us / overview.window_us", tp_metric_of_waits, TP_WAITS_COST},
    {"idle.total", SHARE, STEPS, "part of the steps without recorded work of a device; all devices added up",
     "100 * sum of idle_view[].idle.total_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_METRIC_IDLE_ALL},
    {"idle.host", SHARE, STEPS,
     "part of the steps in which a device was idle before the host called its next operation",
     "100 * sum of idle_view[].idle.host_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_HOST},
    {"idle.launch", SHARE, STEPS, "part of the steps in which a device was idle inside the call of its next operation",
     "100 * sum of idle_view[].idle.launch_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_LAUNCH},
    {"idle.queue", SHARE, STEPS,
     "part of the steps in which a device was idle although its next operation had been called",
     "100 * sum of idle_view[].idle.queue_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_QUEUE},
    {"idle.outside", SHARE, STEPS, "part of the steps beyond the recorded work of a device",
     "100 * sum of idle_view[].idle.outside_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_OUTSIDE},
    {"idle.unknown", SHARE, STEPS, "part of the steps in which a device was idle before operations without launch",
     "100 * sum of idle_view[].idle.unknown_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_UNKNOWN},
    {"memory.peak", BYTES, MEMORY, "most bytes allocated at once on a device",
     "greatest memory_peak[].peak_allocated_bytes, device_type not 0", tp_metric_of_memory, TP_MEMORY_PEAK_BYTES},
    {"memory.reserved", BYTES, MEMORY, "most bytes reserved at once on a device",
     "greatest memory_peak[].peak_reserved_bytes, device_type not 0", tp_metric_of_memory, TP_MEMORY_RESERVED_BYTES},
    {"memory.creep", BYTES, MEMORY, "growth of allocated memory from step to step on a device",
     "greatest memory_peak[].creep_bytes_per_step, device_type not 0", tp_metric_of_memory, TP_MEMORY_CREEP},
    {"memory.fragmentation", PART, MEMORY, "part of the reserved memory that is not allocated at the peak",
     "greatest memory_peak[].fragmentation_percent, device_type not 0", tp_metric_of_memory, TP_MEMORY_FRAGMENTATION},
    {"memory.allocations.per_step", COUNT, MEMORY, "allocations on the devices, per step",
     "overview.in_steps.device_allocations / steps_used", tp_metric_of_memory, TP_MEMORY_ALLOCATIONS_PER_STEP},
    {"memory.host.peak", BYTES, MEMORY, "most bytes allocated at once on the CPU",
     "memory_peak[].peak_allocated_bytes, device_type 0", tp_metric_of_memory,
     TP_MEMORY_PEAK_BYTES | TP_MEMORY_OF_HOST},
    {"memory.host.creep", BYTES, MEMORY, "growth of allocated memory from step to step on the CPU",
     "memory_peak[].creep_bytes_per_step, device_type 0", tp_metric_of_memory, TP_MEMORY_CREEP | TP_MEMORY_OF_HOST},
    {"memory.host.allocations.per_step", COUNT, MEMORY, "allocations on the CPU, per step",
     "overview.in_steps.host_allocations / steps_used", tp_metric_of_memory,
     TP_MEMORY_ALLOCATIONS_PER_STEP | TP_MEMORY_OF_HOST},
    {"memory.out_of_memory", COUNT, MEMORY, "allocations that failed", "trace_quality.out_of_memory_events",
     tp_metric_out_of_memory, 0},
    {"collectives.per_step", COUNT, LINKS, "collective operations per step",
     "overview.in_steps.collectives / steps_used", tp_metric_of_collectives, TP_COLLECTIVES_PER_STEP},
    {"collectives.bytes", BYTES, LINKS, "bytes of the collective operations whose size is known, in all",
     "sum of distributed[].communication_ops_by_worker[worker][].total_size_bytes", tp_metric_of_collectives,
     TP_COLLECTIVES_BYTES},
    {"communication.exposed.share", SHARE, STEPS, "part of the steps in which communication ran and nothing computed",
     "100 * sum of overview.communication_overlap[used] (communication_us - overlap_us) / overview.window_us",
     tp_metric_of_collectives, TP_COLLECTIVES_EXPOSED},
    {"communication.hidden.share", GAIN, STEPS, "part of the communication that ran beside computation",
     "100 * sum of overview.communication_overlap[used].overlap_us / of communication_us", tp_metric_of_collectives,
     TP_COLLECTIVES_HIDDEN},
    {"finding.high", COUNT, ALL, "findings of severity high", "recommendations.findings[severity high]: number",
     tp_metric_of_findings, TP_SEVERITY_HIGH},
    {"finding.medium", COUNT, ALL, "findings of severity medium", "recommendations.findings[severity medium]: number",
     tp_metric_of_findings, TP_SEVERITY_MEDIUM},
    {"finding.low", COUNT, ALL, "findings of severity low", "recommendations.findings[severity low]: number",
     tp_metric_of_findings, TP_SEVERITY_LOW},
    {"finding.info", COUNT, ALL, "findings of severity info", "recommendations.findings[severity info]: number",
     tp_metric_of_findings, TP_SEVERITY_INFO},
    {"finding.count", COUNT, ALL, "findings of all severities", "recommendations.findings: number",
     tp_metric_of_findings, TP_FINDINGS_ALL},
    {"finding.ceiling.share", SHARE, ALL, "part of a step that all findings together cost at most",
     "recommendations.total_ceiling_percent", tp_metric_of_findings, TP_FINDINGS_CEILING},
    {"trace.events", MORE, ALL, "events read", "trace_facts.event_count", tp_metric_of_trace, TP_TRACE_EVENTS},
    {"trace.repaired", COUNT, AS_IT_IS, "events that had to be repaired", "trace_quality.repaired", tp_metric_of_trace,
     TP_TRACE_REPAIRED},
    {"trace.skipped", COUNT, AS_IT_IS, "events that are malformed or have no time",
     "trace_quality.skipped.not_an_object + no_time", tp_metric_of_trace, TP_TRACE_SKIPPED},
    {"trace.truncated", COUNT, AS_IT_IS, "1 when the file was cut off or its compression is damaged",
     "trace_quality.truncated or gzip_error", tp_metric_of_trace, TP_TRACE_TRUNCATED},
    {"trace.steps.partial", COUNT, AS_IT_IS, "steps that the trace has not whole",
     "overview.steps with left_out unfinished", tp_metric_of_trace, TP_TRACE_PARTIAL_STEPS},
    {"trace.unlinked", COUNT, AS_IT_IS, "device events whose launch is not in the trace",
     "trace_facts.device_events_unlinked", tp_metric_of_trace, TP_TRACE_UNLINKED},
    {"trace.flags", COUNT, AS_IT_IS, "flags of trace quality that are raised", "trace_quality.flags[raised]: number",
     tp_metric_of_trace, TP_TRACE_FLAGS},
    TP_RULE_LIST(RULE)
    {"count.added", COUNT, HOST, "operators more in a step than in the baseline, but for copies and waits",
     "none: diff --json, changes", tp_metric_of_work, TP_METRIC_ADDED},
    {"count.copy", COUNT, HOST_DEVICE, "copies more in a step than in the baseline", "none: diff --json, changes",
     tp_metric_of_work, TP_METRIC_COPIED},
    {"count.wait", COUNT, HOST_RUNTIME, "waits more in a step than in the baseline", "none: diff --json, changes",
     tp_metric_of_work, TP_METRIC_WAITS},
    {"count.type", COUNT, HOST, "operators of a step whose types are others than in the baseline",
     "none: diff --json, changes", tp_metric_of_work, TP_METRIC_TYPES},
    {"count.shape", COUNT, HOST, "operators of a step whose shapes are others than in the baseline",
     "none: diff --json, changes", tp_metric_of_work, TP_METRIC_SHAPES},
    {"count.kept", COUNT, MEMORY, "blocks of a step, 1 KiB together and more, that nobody gives back, more than in the baseline",
     "none: diff --json, changes", tp_metric_of_work, TP_METRIC_KEPT},
    {"count.loader", COUNT, STEPS, "functions in the data loader that are called more than in the baseline, or take 1.45 times as long",
     "none: diff --json, changes", tp_metric_of_work, TP_METRIC_LOADED},
    {"op[NAME].calls", COUNT, HOST, "calls of the operator NAME in the usual step", "none: the usual step",
     tp_metric_of_work, TP_METRIC_OPERATOR_CALLS},
    {"decode.tokens_per_s", TP_UNIT_COUNT, true, false, LINKS,
     "tokens made by the time of the decode steps of an engine",
     "serving.steps[phase decode]: sum of decode_tokens / sum of step_us", tp_metric_of_serving,
     TP_SERVING_DECODE *TP_SERVING_WHICH},
    {"prefill.tokens_per_s", TP_UNIT_COUNT, true, false, LINKS,
     "tokens read by the time of the prefill steps of an engine",
     "serving.steps[phase prefill]: sum of tokens / sum of step_us", tp_metric_of_serving,
     TP_SERVING_PREFILL *TP_SERVING_WHICH},
    SERVED_ALL(BY_REQUESTS, decode, DECODE),
    SERVED_ALL(BY_TOKENS, prefill, PREFILL),
    SERVED_ALL(BY_TOKENS, mixed, MIXED),
    {"wall", TIME, ALL, "time in which any thread of a program lives", "program_view.wall_us", tp_metric_of_program,
     TP_PROGRAM_METRIC_WALL},
    {"cpu", TIME, ALL, "running time of all threads of a program", "program_view.cpu_us", tp_metric_of_program,
     TP_PROGRAM_METRIC_CPU},
    {"rss.peak", BYTES, ALL, "most resident memory of one process of a program",
     "greatest program_view.processes[].peak_bytes", tp_metric_of_program, TP_PROGRAM_METRIC_PEAK},
    {"cpu.self.NAME", SHARE, ALL, "share of a program's processor time that the function NAME takes itself",
     "100 * sum of self_us of program_view.functions[function NAME] / program_view.cpu_us", tp_metric_of_function, 0},
};

/* Whether a metric says something of devices: a 0 of it would be wrong where the trace lacks their operations. The
 * length of marked steps and the findings on the host's code do not. */
static bool rests_on_device(const struct tp_metric *metric, const struct tp_model *model)
{
    if (!(metric->needs & TP_NEED_DEVICE) || metric->value == tp_metric_of_trace)
        return false;
    if (strncmp(metric->name, "step.time.", 10) == 0)
        return model->step_marker == TP_MARKER_WINDOW;
    return metric->value != tp_metric_of_rule || strchr("ACE", tp_rule_at((unsigned)metric->which)->id[0]);
}

/* Returns whether a metric is a share of the steps. It says nothing where most of them cannot be judged. */
static bool is_share_of_steps(const struct tp_metric *metric)
{
    return metric->value == tp_metric_average_share || metric->value == tp_metric_of_idle ||
           (metric->value == tp_metric_of_gpus && metric->which != TP_GPU_OCCUPANCY) ||
           (metric->value == tp_metric_of_waits && metric->which == TP_WAITS_COST) ||
           (metric->value == tp_metric_of_collectives && metric->which == TP_COLLECTIVES_EXPOSED) ||
           (metric->value == tp_metric_of_peak && metric->which == TP_RATE_STEP);
}

static const struct tp_metric_value no_device_records = {
    NAN, "the program called a device, and no operation of it is there"};
static const struct tp_metric_value mostly_unjudged = {
    NAN, "most of the recording cannot be judged: the verdict says why and what to record"};

void tp_metrics_build(struct tp_metric_value values[TP_METRIC_COUNT], const struct tp_metric_source *source)
{
    bool lacks_device = source->model->program == TP_RECORDED_DEVICE_MISSING;
    bool is_unjudged = source->advice->verdict.unjudged.reason != TP_UNJUDGED_NOTHING;
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        values[i] = tp_metrics[i].value(source, tp_metrics[i].which);
        if (lacks_device && rests_on_device(&tp_metrics[i], source->model))
            values[i] = no_device_records;
        else if (is_unjudged && is_share_of_steps(&tp_metrics[i]))
            values[i] = mostly_unjudged;
    }
}

bool tp_metric_is_of_steps(const struct tp_metric *metric)
{
    return strncmp(metric->name, "step.", 5) == 0 || strstr(metric->name, "per_step") ||
           metric->value == tp_metric_of_work;
}

bool tp_metric_is_of_program(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_program || metric->value == tp_metric_of_function;
}

bool tp_metric_is_left_out(const struct tp_metric *metric, double value)
{
    return isnan(value) && (metric->value == tp_metric_of_serving || metric->value == tp_metric_of_work ||
                            tp_metric_is_of_program(metric));
}

bool tp_metric_is_like_smaller(const struct tp_metric *metric)
{
    int rest = metric->which % TP_SERVING_WHICH, least = metric->which / TP_SERVING_WHICH == TP_SERVING_DECODE ? 0 : 7;
    return metric->value == tp_metric_of_serving && rest && (rest - TP_SERVING_P50) / 2 > least;
}

const char *tp_metric_title(const struct tp_metric *metric)
{
    return metric->value == tp_metric_of_rule ? tp_rule_at((unsigned)metric->which)->title : metric->title;
}

const char *tp_metric_unit_text(enum tp_metric_unit unit)
{
    static const char *const texts[] = {"count", "ns", "bytes", "%"};
    return texts[unit];
}

int tp_metric_find(const char *name, size_t length)
{
    int near = 0;
    return tp_metric_find_near(name, length, &near);
}

int tp_metric_find_near(const char *name, size_t length, int *near)
{
    for (int i = 0, at = *near; i < TP_METRIC_COUNT; i++, at = at + 1 < TP_METRIC_COUNT ? at + 1 : 0)
        if (strlen(tp_metrics[at].name) == length && memcmp(tp_metrics[at].name, name, length) == 0) {
            *near = at + 1 < TP_METRIC_COUNT ? at + 1 : 0;
            return at;
        }
    return -1;
}

const char *tp_metric_nearest(const char *name, size_t length)
{
    struct tp_nearest nearest = tp_nearest_start((struct tp_str){name, length});
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        tp_nearest_offer(&nearest, tp_str_of(tp_metrics[i].name));
    return nearest.found.len ? nearest.found.ptr : NULL;
}
