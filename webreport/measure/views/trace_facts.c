/* Implements trace_facts.h: computes counts and flags that describe a trace. */
#include "webreport/measure/views/trace_facts.h"

#include "writer/base/saturate.h"

/* Returns whether the trace has an annotation with this name. */
static bool has_annotation(const struct tp_trace *trace, const char *name)
{
    uint32_t id = tp_strings_find(&trace->names, tp_str_of(name));
    for (uint32_t i = 0; id != TP_NO_ID && i < trace->event_count; i++)
        if (trace->events[i].name == id && trace->events[i].kind == TP_KIND_ANNOTATION)
            return true;
    return false;
}

/* Returns the number of ends of links whose id also has a start. */
static uint64_t count_links(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint64_t count = 0;
    uint8_t *has_start = tp_arena_array(arena, trace->texts.count, sizeof *has_start);
    for (uint32_t i = 0; i < trace->flow_count; i++)
        has_start[trace->flows[i].id] |= trace->flows[i].is_start;
    for (uint32_t i = 0; i < trace->flow_count; i++)
        count += !trace->flows[i].is_start && has_start[trace->flows[i].id];
    tp_arena_free_item(arena, has_start, trace->texts.count * sizeof *has_start);
    return count;
}

static void find_devices(struct tp_trace_facts *facts, const struct tp_model *model, struct tp_arena *arena)
{
    facts->used_devices = tp_arena_array(arena, model->gpu_count, sizeof *facts->used_devices);
    facts->gpu_ids = tp_arena_array(arena, model->gpu_count, sizeof *facts->gpu_ids);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        const struct tp_gpu *gpu = &model->gpus[g];
        bool has_kernel = false;
        for (uint32_t i = 0; i < gpu->count && !has_kernel; i++)
            has_kernel = tp_device_event(model, gpu->events[i])->kind == TP_KIND_KERNEL;
        facts->used_devices[facts->used_device_count++] = gpu->id;
        if (has_kernel)
            facts->gpu_ids[facts->gpu_count++] = gpu->id;
    }
}

static void count_events(struct tp_trace_facts *facts, const struct tp_model *model)
{
    const uint64_t *kinds = model->kind_count;
    facts->event_count = model->event_count;
    facts->operator_count = model->operators.count;
    facts->runtime_count = kinds[TP_KIND_RUNTIME];
    facts->driver_count = model->trace->reading.driver;
    facts->kernel_count = kinds[TP_KIND_KERNEL];
    facts->copy_count = kinds[TP_KIND_MEMCPY] + kinds[TP_KIND_MEMSET];
    facts->annotation_count = kinds[TP_KIND_ANNOTATION];
    facts->gpu_annotation_count = kinds[TP_KIND_GPU_ANNOTATION];
    facts->python_function_count = kinds[TP_KIND_FRAME] + kinds[TP_KIND_MODULE];
    facts->memory_record_count = model->memory_count;
    facts->out_of_memory_count = model->out_of_memory_count;
    facts->operators_clipped = model->operators.clipped_count;
    facts->operators_folded = model->operators.folded_count;
    facts->operators_unfinished = model->operators.unfinished_count;
}

void tp_trace_facts_build(struct tp_trace_facts *facts, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_devices *devices = &model->devices;
    memset(facts, 0, sizeof *facts);
    facts->profiler_start_ns = model->first_ns;
    facts->recorded_ns = tp_sat_sub(model->last_ns, model->first_ns);
    facts->forward_backward_links = count_links(model->trace, arena);
    facts->has_runtime = model->has_category[TP_CATEGORY_RUNTIME];
    facts->has_kernel = model->has_category[TP_CATEGORY_KERNEL];
    facts->has_communication = model->has_category[TP_CATEGORY_COMMUNICATION];
    facts->has_memcpy_or_memset = model->has_category[TP_CATEGORY_MEMCPY] || model->has_category[TP_CATEGORY_MEMSET];
    facts->uses_data_parallel = has_annotation(model->trace, "DataParallel.forward");
    facts->uses_distributed_data_parallel = has_annotation(model->trace, "DistributedDataParallel.forward");
    facts->communication_libraries = model->collectives.libraries;
    facts->communication_library_count = model->collectives.library_count;
    facts->communication_ops = model->collectives.count;
    facts->communication_kernels_without_record = model->collectives.kernels_without_record;
    facts->program = tp_program_kind_text(model->program);
    find_devices(facts, model, arena);
    facts->step_marker = tp_step_marker_text(model->step_marker);
    if (tp_steps_are_inferred(model)) {
        facts->step_source = tp_step_source_name(model);
        facts->step_passes = model->step_passes;
    }
    facts->steps_removed_at_tail = model->removed_step_count;
    count_events(facts, model);
    facts->device_events_without_launch = devices->without_launch_count;
    facts->device_events_linked_by_external_id = devices->linked_by_external_id_count;
    facts->device_events_launched_outside_operators = devices->launched_outside_count;
    facts->device_events_unlinked = devices->unlinked_count;
    facts->device_time_unlinked_ns = devices->unlinked_time_ns;
    facts->device_time_ns = devices->time_ns;
    facts->kernel_time_ns = devices->kernel_time_ns;
}

static struct tp_json_value step_source(const struct tp_record *record)
{
    const struct tp_trace_facts *facts = record->at;
    return facts->step_source.ptr ? tp_json_value_str(facts->step_source) : tp_json_value_absent();
}

static struct tp_json_value step_passes(const struct tp_record *record)
{
    const struct tp_trace_facts *facts = record->at;
    return facts->step_source.ptr ? tp_json_value_int(facts->step_passes) : tp_json_value_absent();
}

#define F struct tp_trace_facts
static const struct tp_json_field fields[] = {
    {"profiler_start_us", TP_US(F, profiler_start_ns),
     TP_DEFINITION("start of the recording, as a time on the clock of the trace file")},
    {"recorded_us", TP_US(F, recorded_ns), TP_DEFINITION("length of the recording")},
    {"event_count", TP_PLAIN(F, event_count), TP_DEFINITION("number of events that were read")},
    {"forward_backward_links", TP_PLAIN(F, forward_backward_links),
     TP_DEFINITION("number of links from a forward operator to its backward operator")},
    {"has_runtime", TP_PLAIN(F, has_runtime), TP_DEFINITION("the trace has calls of the device's runtime or driver")},
    {"has_kernel", TP_PLAIN(F, has_kernel), TP_DEFINITION("the trace has kernels that are not collectives")},
    {"has_communication", TP_PLAIN(F, has_communication), TP_DEFINITION("the trace has collectives")},
    {"has_memcpy_or_memset", TP_PLAIN(F, has_memcpy_or_memset),
     TP_DEFINITION("the trace has memory copies or memsets")},
    {"uses_data_parallel", TP_PLAIN(F, uses_data_parallel), TP_DEFINITION("the program uses DataParallel")},
    {"uses_distributed_data_parallel", TP_PLAIN(F, uses_distributed_data_parallel),
     TP_DEFINITION("the program uses DistributedDataParallel")},
    {"communication_libraries", TP_ARRAY(F, communication_libraries, communication_library_count),
     TP_DEFINITION("communication libraries that run the collectives, such as nccl or gloo")},
    {"communication_ops", TP_PLAIN(F, communication_ops), TP_DEFINITION("number of recorded collectives")},
    {"communication_kernels_without_record", TP_PLAIN(F, communication_kernels_without_record),
     TP_DEFINITION("number of communication kernels that belong to no recorded collective")},
    {"program", TP_PLAIN(F, program),
     TP_DEFINITION("kind of the recorded program: gpu, other_device, device_missing, cpu or empty")},
    {"used_devices", TP_ARRAY(F, used_devices, used_device_count),
     TP_DEFINITION("numbers of the devices with kernels, copies or memsets, ascending")},
    {"gpu_ids", TP_ARRAY(F, gpu_ids, gpu_count), TP_DEFINITION("numbers of the devices with kernels, ascending")},
    {"step_marker", TP_PLAIN(F, step_marker), TP_DEFINITION("kind of event that marks the steps")},
    {"step_source", TP_COMPUTED(TP_AS_TEXT, step_source),
     TP_DEFINITION("module, operator or range from which the steps are inferred; absent if the steps have markers")},
    {"step_passes", TP_COMPUTED(TP_AS_INT, step_passes),
     TP_DEFINITION("number of iterations (calls of step_source or backward passes) in each step; absent if the steps "
                   "have markers")},
    {"steps_removed_at_tail", TP_PLAIN(F, steps_removed_at_tail),
     TP_DEFINITION("number of steps removed at the end of the recording because they are incomplete")},
    {"operator_count", TP_PLAIN(F, operator_count), TP_DEFINITION("number of calls of operators")},
    {"runtime_count", TP_PLAIN(F, runtime_count), TP_DEFINITION("number of calls of the device's runtime and driver")},
    {"driver_count", TP_PLAIN(F, driver_count), TP_DEFINITION("number of calls of the device's driver")},
    {"kernel_count", TP_PLAIN(F, kernel_count), TP_DEFINITION("number of kernels")},
    {"copy_count", TP_PLAIN(F, copy_count), TP_DEFINITION("number of copies and memsets on devices")},
    {"annotation_count", TP_PLAIN(F, annotation_count), TP_DEFINITION("number of annotations of the host")},
    {"gpu_annotation_count", TP_PLAIN(F, gpu_annotation_count), TP_DEFINITION("number of annotations of devices")},
    {"python_function_count", TP_PLAIN(F, python_function_count),
     TP_DEFINITION("number of calls of Python functions and modules")},
    {"memory_record_count", TP_PLAIN(F, memory_record_count),
     TP_DEFINITION("number of records of allocated and released memory")},
    {"out_of_memory_count", TP_PLAIN(F, out_of_memory_count), TP_DEFINITION("number of records of failed allocations")},
    {"operators_clipped", TP_PLAIN(F, operators_clipped),
     TP_DEFINITION("number of operators that were shortened to the end of the operator around them")},
    {"operators_folded", TP_PLAIN(F, operators_folded),
     TP_DEFINITION("number of operators that were merged with an operator of the same name around them")},
    {"operators_unfinished", TP_PLAIN(F, operators_unfinished),
     TP_DEFINITION("number of operators whose end was not recorded")},
    {"device_events_without_launch", TP_PLAIN(F, device_events_without_launch),
     TP_DEFINITION("number of device events whose launch was not recorded")},
    {"device_events_linked_by_external_id", TP_PLAIN(F, device_events_linked_by_external_id),
     TP_DEFINITION("number of device events without a recorded launch that were assigned to the operator with the same "
                   "external id")},
    {"device_events_launched_outside_operators", TP_PLAIN(F, device_events_launched_outside_operators),
     TP_DEFINITION("number of device events launched while no operator ran")},
    {"device_events_unlinked", TP_PLAIN(F, device_events_unlinked),
     TP_DEFINITION("number of device events without an operator")},
    {"device_time_unlinked_us", TP_US(F, device_time_unlinked_ns),
     TP_DEFINITION("sum of the durations of the device events without an operator")},
    {"device_time_us", TP_US(F, device_time_ns), TP_DEFINITION("sum of the durations of all device events")},
    {"kernel_time_us", TP_US(F, kernel_time_ns), TP_DEFINITION("sum of the durations of all kernels")},
};
#undef F

const struct tp_fields tp_trace_facts_fields = TP_FIELDS("Facts of the trace", fields);
