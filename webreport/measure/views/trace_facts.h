/* Facts of a trace: counts and flags for the header of the page and for checks (docs/definitions.md section 7). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_TRACE_FACTS_H
#define TP_WEBREPORT_MEASURE_VIEWS_TRACE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

struct tp_trace_facts {
    int64_t profiler_start_ns, recorded_ns;
    uint64_t event_count, forward_backward_links;
    bool has_runtime, has_kernel, has_communication, has_memcpy_or_memset;
    bool uses_data_parallel, uses_distributed_data_parallel;
    const char *const *communication_libraries;
    uint32_t communication_library_count;
    uint64_t communication_ops, communication_kernels_without_record;
    const char *program; /* kind of program: "gpu", "other_device", "device_missing", "cpu" or "empty" */
    /* used_devices: ids of the devices with any event; gpu_ids: ids of the devices with kernels; both ascending */
    int64_t *used_devices, *gpu_ids;
    uint32_t used_device_count, gpu_count;
    const char
        /* name of the events that mark the steps, such as "ProfilerStep", "step[]", "Optimizer.step", "modules",
         * "backward", "operators" or "window" */
        *step_marker;
    /* name of the calls from which steps were inferred (tp_step_source_name); ptr is NULL if steps are marked */
    struct tp_str step_source;
    uint32_t step_passes; /* number of calls, or of backward passes, that form one inferred step */
    uint64_t steps_removed_at_tail, operator_count, runtime_count, driver_count, kernel_count, copy_count;
    uint64_t annotation_count, gpu_annotation_count, python_function_count, memory_record_count, out_of_memory_count;
    uint64_t operators_clipped, operators_folded, operators_unfinished;
    uint64_t device_events_without_launch, device_events_linked_by_external_id,
        device_events_launched_outside_operators;
    uint64_t device_events_unlinked;
    int64_t device_time_unlinked_ns, device_time_ns, kernel_time_ns;
};

void tp_trace_facts_build(struct tp_trace_facts *facts, const struct tp_model *model, struct tp_arena *arena);
extern const struct tp_fields tp_trace_facts_fields;

#endif
