/* The rows of the table of metrics: METRIC(name, unit, needs, title, json, function, which) as in struct tp_metric.
 *
 * Each file that includes this header first defines METRIC, in order to count the metrics, to declare the value
 * functions, or to make the table. metrics_table.c defines the macros for unit and needs. */
#ifndef METRIC
#define METRIC(name, unit, needs, title, json, function, which) /* empty, so that this header compiles alone */
#endif
#include "webreport/measure/rules/rules_list.h"

/* metric: number of findings of a rule */
#define RULE(id)                                                                                                       \
    METRIC("finding." #id, COUNT, ALL, "findings of rule " #id, "recommendations.findings[id " #id "]: number",        \
           tp_metric_of_rule, TP_RULE_##id)

/* metric: time of the serving engine steps in one size class; class sizes are powers of two */
#define SERVED(word, PHASE, size, exponent, at, AT)                                                                    \
    METRIC(#word "." #size ".step." #at, TIME, LINKS,                                                                  \
           #at " of the step length of a serving engine, for this phase and batch size (up to bs1024 requests or "     \
               "tok65536 tokens)",                                                                                     \
           "serving.classes[class " #word "." #size "]." #at "_us", tp_metric_of_serving,                              \
           TP_SERVING_##PHASE *TP_SERVING_PHASE_FACTOR + 2 * (exponent) + TP_SERVING_##AT)
#define SERVED_BOTH(word, PHASE, size, exponent)                                                                       \
    SERVED(word, PHASE, size, exponent, p50, P50) SERVED(word, PHASE, size, exponent, p90, P90)
#define BY_REQUESTS(word, PHASE)                                                                                       \
    SERVED_BOTH(word, PHASE, bs1, 0)                                                                                   \
    SERVED_BOTH(word, PHASE, bs2, 1)                                                                                   \
    SERVED_BOTH(word, PHASE, bs4, 2)                                                                                   \
    SERVED_BOTH(word, PHASE, bs8, 3)                                                                                   \
    SERVED_BOTH(word, PHASE, bs16, 4)                                                                                  \
    SERVED_BOTH(word, PHASE, bs32, 5)                                                                                  \
    SERVED_BOTH(word, PHASE, bs64, 6)                                                                                  \
    SERVED_BOTH(word, PHASE, bs128, 7)                                                                                 \
    SERVED_BOTH(word, PHASE, bs256, 8) SERVED_BOTH(word, PHASE, bs512, 9) SERVED_BOTH(word, PHASE, bs1024, 10)
#define BY_TOKENS(word, PHASE)                                                                                         \
    SERVED_BOTH(word, PHASE, tok128, 7)                                                                                \
    SERVED_BOTH(word, PHASE, tok256, 8)                                                                                \
    SERVED_BOTH(word, PHASE, tok512, 9)                                                                                \
    SERVED_BOTH(word, PHASE, tok1024, 10)                                                                              \
    SERVED_BOTH(word, PHASE, tok2048, 11)                                                                              \
    SERVED_BOTH(word, PHASE, tok4096, 12)                                                                              \
    SERVED_BOTH(word, PHASE, tok8192, 13)                                                                              \
    SERVED_BOTH(word, PHASE, tok16384, 14) SERVED_BOTH(word, PHASE, tok32768, 15) SERVED_BOTH(word, PHASE, tok65536, 16)

METRIC("step.count", MORE, HOST, "number of steps that the statistics use", "overview.steps_used", tp_metric_of_steps,
       TP_STEPS_COUNT)
METRIC("step.time.median", TIME, STEPS, "median length of a step", "median of overview.steps[used].total_us",
       tp_metric_of_steps, TP_STEPS_MEDIAN)
METRIC("step.time.mean", TIME, STEPS, "mean length of a step", "overview.average.total_us", tp_metric_of_steps,
       TP_STEPS_MEAN)
METRIC("step.time.p90", TIME, STEPS, "90th percentile of the step length",
       "0.9 quantile (nearest rank) of overview.steps[used].total_us", tp_metric_of_steps, TP_STEPS_P90)
METRIC("step.time.min", TIME, STEPS, "length of the shortest step", "least of overview.steps[used].total_us",
       tp_metric_of_steps, TP_STEPS_MIN)
METRIC("step.time.max", TIME, STEPS, "length of the longest step", "greatest of overview.steps[used].total_us",
       tp_metric_of_steps, TP_STEPS_MAX)
METRIC("step.kernel.time", TIME, STEPS, "mean time per step in kernels that are not collectives",
       "overview.average.kernel_us", tp_metric_average_time, TP_CATEGORY_KERNEL)
METRIC("step.memcpy.time", TIME, STEPS, "mean time per step in copies while no compute kernel runs",
       "overview.average.memcpy_us", tp_metric_average_time, TP_CATEGORY_MEMCPY)
METRIC("step.memset.time", TIME, STEPS, "mean time per step in memsets while no compute kernel or copy runs",
       "overview.average.memset_us", tp_metric_average_time, TP_CATEGORY_MEMSET)
METRIC("step.communication.time", TIME, STEPS, "mean time per step in collectives while no other device work runs",
       "overview.average.communication_us", tp_metric_average_time, TP_CATEGORY_COMMUNICATION)
METRIC("step.runtime.time", TIME, STEPS,
       "mean time per step in runtime or driver calls while no device work or communication runs",
       "overview.average.runtime_us", tp_metric_average_time, TP_CATEGORY_RUNTIME)
METRIC("step.dataloader.time", TIME, STEPS,
       "mean time per step waiting for input data while no device work, communication or runtime call runs",
       "overview.average.dataloader_us", tp_metric_average_time, TP_CATEGORY_DATALOADER)
METRIC("step.cpu.time", TIME, STEPS,
       "mean time per step in operators or ranges on the host while no device work, communication, runtime call or "
       "data loading runs",
       "overview.average.cpu_exec_us", tp_metric_average_time, TP_CATEGORY_CPU_EXEC)
METRIC("step.other.time", TIME, STEPS, "mean time per step in which nothing was recorded", "overview.average.other_us",
       tp_metric_average_time, TP_AVERAGE_OTHER)
METRIC("step.kernel.share", GAIN, STEPS, "share of the step time in kernels that are not collectives",
       "100 * overview.average.kernel_us / overview.average.total_us", tp_metric_average_share, TP_CATEGORY_KERNEL)
METRIC("step.memcpy.share", SHARE, STEPS, "share of the step time in copies while no compute kernel runs",
       "100 * overview.average.memcpy_us / overview.average.total_us", tp_metric_average_share, TP_CATEGORY_MEMCPY)
METRIC("step.memset.share", SHARE, STEPS, "share of the step time in memsets while no compute kernel or copy runs",
       "100 * overview.average.memset_us / overview.average.total_us", tp_metric_average_share, TP_CATEGORY_MEMSET)
METRIC("step.communication.share", SHARE, STEPS,
       "share of the step time in collectives while no other device work runs",
       "100 * overview.average.communication_us / overview.average.total_us", tp_metric_average_share,
       TP_CATEGORY_COMMUNICATION)
METRIC("step.runtime.share", SHARE, STEPS,
       "share of the step time in runtime or driver calls while no device work or communication runs",
       "100 * overview.average.runtime_us / overview.average.total_us", tp_metric_average_share, TP_CATEGORY_RUNTIME)
METRIC("step.dataloader.share", SHARE, STEPS,
       "share of the step time waiting for input data while no device work, communication or runtime call runs",
       "100 * overview.average.dataloader_us / overview.average.total_us", tp_metric_average_share,
       TP_CATEGORY_DATALOADER)
METRIC("step.cpu.share", SHARE, STEPS,
       "share of the step time in operators or ranges on the host while no device work, communication, runtime call or "
       "data loading runs",
       "100 * overview.average.cpu_exec_us / overview.average.total_us", tp_metric_average_share, TP_CATEGORY_CPU_EXEC)
METRIC("step.other.share", SHARE, STEPS, "share of the step time in which nothing was recorded",
       "100 * overview.average.other_us / overview.average.total_us", tp_metric_average_share, TP_AVERAGE_OTHER)
METRIC("device.busy.share", GAIN, STEPS,
       "share of the step time in which at least one device works; with one device, this equals GPU busy in the report",
       "100 * overview.average.device_busy_us / overview.average.total_us", tp_metric_average_share,
       TP_AVERAGE_DEVICE_BUSY)
METRIC("gpu.utilization", GAIN, STEPS, "share of the step time in which a kernel ran; mean of the devices",
       "100 * mean of overview.gpu_summary[].utilization_ratio", tp_metric_of_gpus, TP_GPU_UTILIZATION)
METRIC("gpu.sm_efficiency", GAIN, STEPS, "estimated SM efficiency; mean of the devices",
       "100 * mean of overview.gpu_summary[].est_sm_efficiency_ratio", tp_metric_of_gpus, TP_GPU_SM_EFFICIENCY)
METRIC("gpu.occupancy", GAIN, STEPS, "estimated achieved occupancy of the kernels; mean of the devices",
       "mean of overview.gpu_summary[].est_achieved_occupancy_percent", tp_metric_of_gpus, TP_GPU_OCCUPANCY)
METRIC("step.energy", ENERGY, STEPS,
       "energy of all devices in a step in joules, from the counter Power (W); absent without this counter",
       "counter_view.energy_per_step_joules", tp_metric_of_energy, 0)
METRIC("kernels.per_step", COUNT, HOST_DEVICE, "kernels per step",
       "calls_in_steps of kernel_view.by_name / overview.steps_used", tp_metric_of_kernels, TP_KERNELS_PER_STEP)
METRIC("kernels.distinct", COUNT, DEVICE, "number of different kernel names", "kernel_view.by_name: number",
       tp_metric_of_kernels, TP_KERNELS_DISTINCT)
METRIC("kernel.time.per_step", TIME, STEPS, "sum of the durations of all kernels, per step",
       "in_steps_us of kernel_view.by_name / overview.steps_used", tp_metric_of_kernels, TP_KERNELS_TIME_PER_STEP)
METRIC("kernel.time.mean", TIME, TIMED_DEVICE, "mean duration of a kernel", "trace_facts.kernel_time_us / kernel_count",
       tp_metric_of_kernels, TP_KERNELS_TIME_MEAN)
METRIC("graph.share", GAIN, LINKS, "share of the kernel time in kernels that were launched by graphs",
       "trace_quality.flags[id F3].value", tp_metric_of_kernels, TP_KERNELS_IN_GRAPHS)
METRIC("tensor_core.share", GAIN, TIMED_DEVICE, "share of the kernel time in kernels that use tensor cores",
       "100 * kernel_view.tensor_core_pie.using_ratio", tp_metric_of_kernels, TP_KERNELS_TENSOR_CORE)
METRIC("tensor_core.eligible.share", GAIN, LINKS, "share of the kernel time in operators that could use tensor cores",
       "100 * overview.tensor_core_eligible_operator_kernel_time_ratio", tp_metric_of_kernels, TP_KERNELS_ELIGIBLE)
METRIC("gemm.share", GAIN, TIMED_DEVICE,
       "share of the kernel time in matrix products and convolutions, recognised by name",
       "100 * total_us of those of kernel_view.by_name / of all", tp_metric_of_gemms, TP_GEMM_SHARE)
METRIC("gemm.pct_of_peak", GAIN, LINKS,
       "rate of the matrix products while they run, as a share of the device's peak rate",
       "work_rates.gemm_percent_of_peak", tp_metric_of_peak, TP_RATE_GEMM)
METRIC("step.mfu", GAIN, LINKS,
       "rate of floating-point operations over the step time, as a share of the device's peak rate",
       "work_rates.step_percent_of_peak", tp_metric_of_peak, TP_RATE_STEP)
METRIC("gemm.fp32.share", PART, TIMED_DEVICE,
       "share of the GEMM time in single precision without tensor cores, recognised by name",
       "100 * total_us of those of kernel_view.by_name / of its GEMMs", tp_metric_of_gemms, TP_GEMM_FP32_SHARE)
METRIC("operators.per_step", COUNT, HOST, "operator calls on the host, per step",
       "overview.in_steps.operators / steps_used", tp_metric_of_host, TP_HOST_OPERATORS_PER_STEP)
METRIC("operators.distinct", COUNT, HOST, "number of different operator names", "operator_view.by_name: number",
       tp_metric_of_host, TP_HOST_OPERATORS_DISTINCT)
METRIC("runtime.per_step", COUNT, HOST_RUNTIME, "runtime and driver calls per step, including launches",
       "overview.in_steps.runtime_calls / steps_used", tp_metric_of_host, TP_HOST_RUNTIME_PER_STEP)
METRIC("copies.per_step", COUNT, HOST_DEVICE, "copies per step",
       "calls_in_steps of kernel_view.copies_by_name without memsets / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_ALL)
METRIC("sets.per_step", COUNT, HOST_DEVICE, "memsets per step",
       "calls_in_steps of memsets in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_SETS)
METRIC("h2d.per_step", COUNT, HOST_DEVICE, "copies from host to device, per step",
       "calls_in_steps of HtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_H2D)
METRIC("h2d.bytes", BYTES, DEVICE, "bytes copied from host to device in the whole recording",
       "total_bytes of HtoD in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_H2D)
METRIC("d2h.per_step", COUNT, HOST_DEVICE, "copies from device to host, per step",
       "calls_in_steps of DtoH in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_D2H)
METRIC("d2h.bytes", BYTES, DEVICE, "bytes copied from device to host in the whole recording",
       "total_bytes of DtoH in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_D2H)
METRIC("d2d.per_step", COUNT, HOST_DEVICE, "copies from device to device, per step",
       "calls_in_steps of DtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_D2D)
METRIC("d2d.bytes", BYTES, DEVICE, "bytes copied from device to device in the whole recording",
       "total_bytes of DtoD in kernel_view.copies_by_name", tp_metric_copied_bytes, TP_COPIES_D2D)
METRIC("h2d.pageable.per_step", COUNT, HOST_DEVICE, "copies from pageable memory to the device, per step",
       "calls_in_steps of pageable HtoD in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_H2D | TP_COPIES_PAGEABLE)
METRIC("h2d.pageable.bytes", BYTES, DEVICE, "bytes copied from pageable memory to the device in the whole recording",
       "total_bytes of pageable HtoD in kernel_view.copies_by_name", tp_metric_copied_bytes,
       TP_COPIES_H2D | TP_COPIES_PAGEABLE)
METRIC("d2h.pageable.per_step", COUNT, HOST_DEVICE, "copies from the device to pageable memory, per step",
       "calls_in_steps of pageable DtoH in kernel_view.copies_by_name / overview.steps_used", tp_metric_copies_per_step,
       TP_COPIES_D2H | TP_COPIES_PAGEABLE)
METRIC("d2h.pageable.bytes", BYTES, DEVICE, "bytes copied from the device to pageable memory in the whole recording",
       "total_bytes of pageable DtoH in kernel_view.copies_by_name", tp_metric_copied_bytes,
       TP_COPIES_D2H | TP_COPIES_PAGEABLE)
METRIC("sync.per_step", COUNT, STEPS,
       "waits of the host for the device, per step, except the wait of the profiler at the end of the recording",
       "(count of sync_table.rows of kind sync, less 1 if any is a *DeviceSynchronize without op and line) /"
       " overview.steps_used",
       tp_metric_of_waits, TP_WAITS_SYNC)
METRIC("sync.copy.per_step", COUNT, STEPS, "copy calls per step that return only after the copy is complete",
       "count of sync_table.rows of kind copy / overview.steps_used", tp_metric_of_waits, TP_WAITS_COPY)
METRIC("sync.time.per_step", TIME, STEPS, "time per step that the host spends in waits and in blocking copies",
       "sync_table.host_wait_us / overview.steps_used", tp_metric_of_waits, TP_WAITS_TIME)
METRIC("sync.cost.share", SHARE, STEPS,
       "upper bound of the time that waits for the device cost, as a share of the step time",
       "100 * sync_table.cost_us / overview.window_us", tp_metric_of_waits, TP_WAITS_COST)
METRIC("idle.total", SHARE, STEPS,
       "share of the step time in which a device runs no recorded work; mean of the devices",
       "100 * sum of idle_view[].idle.total_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_METRIC_IDLE_ALL)
METRIC("idle.host", SHARE, STEPS,
       "share of the step time in which a device is idle and the host has not begun to launch the next operation",
       "100 * sum of idle_view[].idle.host_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_HOST)
METRIC("idle.launch", SHARE, STEPS,
       "share of the step time in which a device is idle while the host launches the next operation",
       "100 * sum of idle_view[].idle.launch_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_LAUNCH)
METRIC("idle.queue", SHARE, STEPS,
       "share of the step time in which a device is idle although the host has launched the next operation",
       "100 * sum of idle_view[].idle.queue_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_QUEUE)
METRIC("idle.outside", SHARE, STEPS,
       "share of the step time before or after the recorded work of a device, where the trace does not show whether "
       "the device is busy",
       "100 * sum of idle_view[].idle.outside_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_OUTSIDE)
METRIC("idle.unknown", SHARE, STEPS, "share of the step time in which a device is idle and the trace does not show why",
       "100 * sum of idle_view[].idle.unknown_us / sum of idle_view[].window_us", tp_metric_of_idle, TP_IDLE_UNKNOWN)
METRIC("memory.peak", BYTES, MEMORY, "largest number of bytes allocated at the same time on a device",
       "greatest memory_peak[].peak_allocated_bytes, device_type not 0", tp_metric_of_memory, TP_MEMORY_PEAK_BYTES)
METRIC("memory.reserved", BYTES, MEMORY, "largest number of bytes reserved at the same time on a device",
       "greatest memory_peak[].peak_reserved_bytes, device_type not 0", tp_metric_of_memory, TP_MEMORY_RESERVED_BYTES)
METRIC("memory.creep", BYTES, MEMORY, "mean growth of the allocated memory per step on a device",
       "greatest memory_peak[].creep_bytes_per_step, device_type not 0", tp_metric_of_memory, TP_MEMORY_CREEP)
METRIC("memory.fragmentation", PART, MEMORY,
       "share of the reserved memory that is not allocated at the allocation peak",
       "greatest memory_peak[].fragmentation_percent, device_type not 0", tp_metric_of_memory, TP_MEMORY_FRAGMENTATION)
METRIC("memory.allocations.per_step", COUNT, MEMORY, "allocations on the devices, per step",
       "overview.in_steps.device_allocations / steps_used", tp_metric_of_memory, TP_MEMORY_ALLOCATIONS_PER_STEP)
METRIC("memory.host.peak", BYTES, MEMORY, "largest number of bytes allocated at the same time on the CPU",
       "memory_peak[].peak_allocated_bytes, device_type 0", tp_metric_of_memory,
       TP_MEMORY_PEAK_BYTES | TP_MEMORY_OF_HOST)
METRIC("memory.host.creep", BYTES, MEMORY, "mean growth of the allocated memory per step on the CPU",
       "memory_peak[].creep_bytes_per_step, device_type 0", tp_metric_of_memory, TP_MEMORY_CREEP | TP_MEMORY_OF_HOST)
METRIC("memory.host.allocations.per_step", COUNT, MEMORY, "allocations on the CPU, per step",
       "overview.in_steps.host_allocations / steps_used", tp_metric_of_memory,
       TP_MEMORY_ALLOCATIONS_PER_STEP | TP_MEMORY_OF_HOST)
METRIC("memory.out_of_memory", COUNT, MEMORY, "number of failed allocations", "trace_quality.out_of_memory_events",
       tp_metric_of_failed_allocations, 0)
METRIC("memory.inactive_split", BYTES, MEMORY,
       "free bytes next to live blocks at the end of a memory snapshot, which empty_cache cannot give back",
       "greatest devices[].end.fragmentation.inactive_split_bytes of a snapshot", tp_metric_of_snapshot,
       TP_SNAPSHOT_INACTIVE_SPLIT)
METRIC("memory.oom", COUNT, MEMORY, "number of out-of-memory events in a memory snapshot",
       "greatest number of devices[].ooms of a snapshot", tp_metric_of_snapshot, TP_SNAPSHOT_OOM_EVENTS)
METRIC("memory.retries", COUNT, MEMORY,
       "number of times that the allocator emptied its cache to serve a request, in a memory snapshot",
       "greatest devices[].churn.retries of a snapshot", tp_metric_of_snapshot, TP_SNAPSHOT_RETRY_EVENTS)
METRIC("memory.growth_per_step", BYTES, MEMORY,
       "growth of the allocated bytes per step, over the last three steps of a memory snapshot",
       "greatest devices[].growth.bytes_per_step of a snapshot", tp_metric_of_snapshot, TP_SNAPSHOT_GROWTH_PER_STEP)
METRIC("memory.cudamallocs.late", COUNT, MEMORY,
       "number of new segments in the second half of the steps of a memory snapshot",
       "greatest devices[].churn.late_segment_allocs of a snapshot", tp_metric_of_snapshot, TP_SNAPSHOT_LATE_SEGMENTS)
METRIC("memory.live.category(NAME)", BYTES, MEMORY,
       "bytes of the blocks of category NAME, such as activations, at the peak of a memory snapshot",
       "greatest devices[].peak.live_by.category.rows[name NAME].bytes of a snapshot", tp_metric_of_snapshot,
       TP_SNAPSHOT_LIVE_CATEGORY)
METRIC("collectives.per_step", COUNT, LINKS, "collective operations per step",
       "overview.in_steps.collectives / steps_used", tp_metric_of_collectives, TP_COLLECTIVES_PER_STEP)
METRIC("collectives.bytes", BYTES, LINKS,
       "bytes of the collective operations with a known size, in the whole recording",
       "sum of distributed[].communication_ops_by_worker[worker][].total_size_bytes", tp_metric_of_collectives,
       TP_COLLECTIVES_BYTES)
METRIC("communication.exposed.share", SHARE, STEPS,
       "share of the step time in which communication ran without computation",
       "100 * sum of overview.communication_overlap[used] (communication_us - overlap_us) / overview.window_us",
       tp_metric_of_collectives, TP_COLLECTIVES_EXPOSED)
METRIC("communication.hidden.share", GAIN, STEPS,
       "share of the communication time in which computation ran at the same time",
       "100 * sum of overview.communication_overlap[used].overlap_us / of communication_us", tp_metric_of_collectives,
       TP_COLLECTIVES_HIDDEN)
METRIC("finding.high", COUNT, ALL, "number of findings with severity high",
       "recommendations.findings[severity high]: number", tp_metric_of_findings, TP_SEVERITY_HIGH)
METRIC("finding.medium", COUNT, ALL, "number of findings with severity medium",
       "recommendations.findings[severity medium]: number", tp_metric_of_findings, TP_SEVERITY_MEDIUM)
METRIC("finding.low", COUNT, ALL, "number of findings with severity low",
       "recommendations.findings[severity low]: number", tp_metric_of_findings, TP_SEVERITY_LOW)
METRIC("finding.info", COUNT, ALL, "number of findings with severity info",
       "recommendations.findings[severity info]: number", tp_metric_of_findings, TP_SEVERITY_INFO)
METRIC("finding.count", COUNT, ALL, "number of findings of all severities", "recommendations.findings: number",
       tp_metric_of_findings, TP_FINDINGS_ALL)
METRIC("finding.ceiling.share", SHARE, ALL,
       "upper bound of the time that all findings together cost, as a share of the step time",
       "recommendations.total_ceiling_percent", tp_metric_of_findings, TP_FINDINGS_CEILING)
METRIC("trace.events", MORE, ALL, "number of events that were read", "trace_facts.event_count", tp_metric_of_trace,
       TP_TRACE_EVENTS)
METRIC("trace.repaired", COUNT, AS_IT_IS, "number of events that were repaired or skipped because their text is broken",
       "trace_quality.repaired", tp_metric_of_trace, TP_TRACE_REPAIRED)
METRIC("trace.skipped", COUNT, AS_IT_IS, "number of events that are malformed or have no time",
       "trace_quality.skipped.not_an_object + no_time", tp_metric_of_trace, TP_TRACE_SKIPPED)
METRIC("trace.truncated", COUNT, AS_IT_IS, "1 if the file was cut off or its compression is damaged, otherwise 0",
       "trace_quality.truncated or gzip_error", tp_metric_of_trace, TP_TRACE_TRUNCATED)
METRIC("trace.steps.partial", COUNT, AS_IT_IS, "number of unfinished steps in the trace",
       "overview.steps with left_out unfinished", tp_metric_of_trace, TP_TRACE_PARTIAL_STEPS)
METRIC("trace.unlinked", COUNT, AS_IT_IS, "number of device events without an operator",
       "trace_facts.device_events_unlinked", tp_metric_of_trace, TP_TRACE_UNLINKED)
METRIC("trace.flags", COUNT, AS_IT_IS, "number of trace quality checks that report a problem",
       "trace_quality.flags[raised]: number", tp_metric_of_trace, TP_TRACE_FLAGS)
TP_RULE_LIST(RULE)
METRIC("count.added", COUNT, HOST, "operators per step that the baseline does not have, without copies and waits",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_ADDED)
METRIC("count.copy", COUNT, HOST_DEVICE, "copies per step that the baseline does not have",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_COPIED)
METRIC("count.wait", COUNT, HOST_RUNTIME, "waits per step that the baseline does not have",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_WAITS)
METRIC("count.type", COUNT, HOST, "operators per step whose data types differ from the baseline",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_TYPES)
METRIC("count.shape", COUNT, HOST, "operators per step whose shapes differ from the baseline",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_SHAPES)
METRIC("count.kept", COUNT, MEMORY,
       "additional memory blocks per step that are never freed, if they have at least 1 KiB together",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_KEPT)
METRIC("count.loader", COUNT, STEPS,
       "functions in the data loader that are called more often than in the baseline, or take 1.45 times as long",
       "none: diff --json, changes", tp_metric_of_work, TP_METRIC_LOADED)
METRIC("op[NAME].calls", COUNT, HOST, "calls of the operator NAME in a typical step", "none: the usual step",
       tp_metric_of_work, TP_METRIC_OPERATOR_CALLS)
METRIC("range[NAME].device", TIME, LINKS,
       "device time per step of the work that the range or module NAME launches, forward and backward",
       "ranges[name NAME].device_per_step_us", tp_metric_of_range, TP_METRIC_RANGE_DEVICE)
METRIC("range[NAME].host", TIME, TIMED_HOST, "host time per step of the range or module NAME",
       "ranges[name NAME].host_per_step_us", tp_metric_of_range, TP_METRIC_RANGE_HOST)
METRIC("critical.host_share", SHARE, STEPS, "share of the critical path of the host",
       "100 * what_if_view.critical.groups_ns.host / sum of groups_ns", tp_metric_of_critical_path, TP_GROUP_HOST)
METRIC("critical.input_share", SHARE, STEPS, "share of the critical path of data loading",
       "100 * what_if_view.critical.groups_ns.input / sum of groups_ns", tp_metric_of_critical_path, TP_GROUP_INPUT)
METRIC("critical.compute_share", GAIN, STEPS, "share of the critical path of compute kernels",
       "100 * what_if_view.critical.groups_ns.compute / sum of groups_ns", tp_metric_of_critical_path, TP_GROUP_COMPUTE)
METRIC("critical.communication_share", SHARE, STEPS, "share of the critical path of communication",
       "100 * what_if_view.critical.groups_ns.communication / sum of groups_ns", tp_metric_of_critical_path,
       TP_GROUP_COMMUNICATION)
METRIC("critical.copy_share", SHARE, STEPS, "share of the critical path of copies",
       "100 * what_if_view.critical.groups_ns.copy / sum of groups_ns", tp_metric_of_critical_path, TP_GROUP_COPY)
METRIC("critical.latency_share", SHARE, STEPS, "share of the critical path of latencies",
       "100 * what_if_view.critical.groups_ns.latency / sum of groups_ns", tp_metric_of_critical_path, TP_GROUP_LATENCY)
METRIC("critical.unexplained_share", SHARE, STEPS, "share of the critical path that no known reason explains",
       "100 * what_if_view.critical.groups_ns.unexplained / sum of groups_ns", tp_metric_of_critical_path,
       TP_GROUP_UNEXPLAINED)
METRIC("critical.step_if_host_free_us", TIME, STEPS,
       "length of a step if all work of the host but loading took no time",
       "what_if_view.what_if[change graph=0].step_ns", tp_metric_of_critical_path, TP_PATH_HOST_FREE)
METRIC("whatif[CHANGE].gain_low_us", TIME, STEPS, "smallest time by which CHANGE makes a step shorter",
       "none: whatif --json, what_if[change CHANGE].gain_low_ns", tp_metric_of_change, 0)
METRIC("decode.tokens_per_s", RATE, LINKS, "tokens generated per second in the decode steps of a serving engine",
       "serving.steps[phase decode]: sum of decode_tokens / sum of step_us", tp_metric_of_serving,
       TP_SERVING_DECODE *TP_SERVING_PHASE_FACTOR)
METRIC("prefill.tokens_per_s", RATE, LINKS, "tokens processed per second in the prefill steps of a serving engine",
       "serving.steps[phase prefill]: sum of tokens / sum of step_us", tp_metric_of_serving,
       TP_SERVING_PREFILL *TP_SERVING_PHASE_FACTOR)
BY_REQUESTS(decode, DECODE)
BY_TOKENS(prefill, PREFILL)
BY_TOKENS(mixed, MIXED)
METRIC("wall", TIME, ALL, "wall time in which any thread of the program exists", "program_view.wall_us",
       tp_metric_of_program, TP_PROGRAM_METRIC_WALL)
METRIC("cpu", TIME, ALL, "CPU time of all threads of the program", "program_view.cpu_us", tp_metric_of_program,
       TP_PROGRAM_METRIC_CPU)
METRIC("rss.peak", BYTES, ALL, "largest resident memory of one process of the program",
       "greatest program_view.processes[].peak_bytes", tp_metric_of_program, TP_PROGRAM_METRIC_PEAK)
METRIC("cpu.self.NAME", SHARE, ALL, "share of the program's CPU time in the function NAME itself",
       "100 * sum of self_us of program_view.functions[function NAME] / program_view.cpu_us", tp_metric_of_function, 0)

#undef RULE
#undef SERVED
#undef SERVED_BOTH
#undef BY_REQUESTS
#undef BY_TOKENS
#undef METRIC
