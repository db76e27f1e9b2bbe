/* Facts of a trace: see trace_facts.h. */
#include "webreport/measure/views/trace_facts.h"

#include "writer/base/saturate.h"

/* Some annotation has this name. */
static bool has_annotation(const struct tp_trace *trace, const char *name)
{
    uint32_t id = tp_strings_find(&trace->names, tp_str_of(name));
    for (uint32_t i = 0; id != TP_NO_ID && i < trace->event_count; i++)
        if (trace->events[i].name == id && trace->events[i].kind == TP_KIND_ANNOTATION)
            return true;
    return false;
}

/* Links with both ends: every end whose id has a start. */
static uint64_t count_links(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint64_t count = 0;
    uint8_t *has_start = tp_arena_array(arena, trace->texts.count, sizeof *has_start);
    for (uint32_t i = 0; i < trace->flow_count; i++)
        has_start[trace->flows[i].id] |= trace->flows[i].is_start;
    for (uint32_t i = 0; i < trace->flow_count; i++)
        count += !trace->flows[i].is_start && has_start[trace->flows[i].id];
    tp_arena_drop(arena, has_start, trace->texts.count * sizeof *has_start);
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
    facts->has_runtime = model->has_role[TP_ROLE_RUNTIME];
    facts->has_kernel = model->has_role[TP_ROLE_KERNEL];
    facts->has_communication = model->has_role[TP_ROLE_COMMUNICATION];
    facts->has_memcpy_or_memset = model->has_role[TP_ROLE_MEMCPY] || model->has_role[TP_ROLE_MEMSET];
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
    facts->device_events_linked_by_external_id = devices->by_external_id_count;
    facts->device_events_launched_outside_operators = devices->launched_outside_count;
    facts->device_events_unlinked = devices->unlinked_count;
    facts->device_time_unlinked_ns = devices->unlinked_time_ns;
    facts->device_time_ns = devices->time_ns;
    facts->kernel_time_ns = devices->kernel_time_ns;
}

static void write_ids(struct tp_json *json, const char *key, const int64_t *ids, uint32_t count)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_int(json, ids[i]);
    tp_json_array_end(json);
}

static void write_counts(const struct tp_trace_facts *facts, struct tp_json *json)
{
    tp_json_member_int(json, "operator_count", (int64_t)facts->operator_count);
    tp_json_member_int(json, "runtime_count", (int64_t)facts->runtime_count);
    tp_json_member_int(json, "driver_count", (int64_t)facts->driver_count);
    tp_json_member_int(json, "kernel_count", (int64_t)facts->kernel_count);
    tp_json_member_int(json, "copy_count", (int64_t)facts->copy_count);
    tp_json_member_int(json, "annotation_count", (int64_t)facts->annotation_count);
    tp_json_member_int(json, "gpu_annotation_count", (int64_t)facts->gpu_annotation_count);
    tp_json_member_int(json, "python_function_count", (int64_t)facts->python_function_count);
    tp_json_member_int(json, "memory_record_count", (int64_t)facts->memory_record_count);
    tp_json_member_int(json, "out_of_memory_count", (int64_t)facts->out_of_memory_count);
    tp_json_member_int(json, "operators_clipped", (int64_t)facts->operators_clipped);
    tp_json_member_int(json, "operators_folded", (int64_t)facts->operators_folded);
    tp_json_member_int(json, "operators_unfinished", (int64_t)facts->operators_unfinished);
    tp_json_member_int(json, "device_events_without_launch", (int64_t)facts->device_events_without_launch);
    tp_json_member_int(json, "device_events_linked_by_external_id",
                       (int64_t)facts->device_events_linked_by_external_id);
    tp_json_member_int(json, "device_events_launched_outside_operators",
                       (int64_t)facts->device_events_launched_outside_operators);
    tp_json_member_int(json, "device_events_unlinked", (int64_t)facts->device_events_unlinked);
}

void tp_trace_facts_json(const struct tp_trace_facts *facts, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_us(json, "profiler_start_us", facts->profiler_start_ns);
    tp_json_member_us(json, "recorded_us", facts->recorded_ns);
    tp_json_member_int(json, "event_count", (int64_t)facts->event_count);
    tp_json_member_int(json, "forward_backward_links", (int64_t)facts->forward_backward_links);
    tp_json_member_bool(json, "has_runtime", facts->has_runtime);
    tp_json_member_bool(json, "has_kernel", facts->has_kernel);
    tp_json_member_bool(json, "has_communication", facts->has_communication);
    tp_json_member_bool(json, "has_memcpy_or_memset", facts->has_memcpy_or_memset);
    tp_json_member_bool(json, "uses_data_parallel", facts->uses_data_parallel);
    tp_json_member_bool(json, "uses_distributed_data_parallel", facts->uses_distributed_data_parallel);
    tp_json_key(json, "communication_libraries");
    tp_json_array(json);
    for (uint32_t i = 0; i < facts->communication_library_count; i++)
        tp_json_text(json, facts->communication_libraries[i]);
    tp_json_array_end(json);
    tp_json_member_int(json, "communication_ops", (int64_t)facts->communication_ops);
    tp_json_member_int(json, "communication_kernels_without_record",
                       (int64_t)facts->communication_kernels_without_record);
    tp_json_member_text(json, "program", facts->program);
    write_ids(json, "used_devices", facts->used_devices, facts->used_device_count);
    write_ids(json, "gpu_ids", facts->gpu_ids, facts->gpu_count);
    tp_json_member_text(json, "step_marker", facts->step_marker);
    if (facts->step_source.ptr) {
        tp_json_member_str(json, "step_source", facts->step_source);
        tp_json_member_int(json, "step_passes", facts->step_passes);
    }
    tp_json_member_int(json, "steps_removed_at_tail", (int64_t)facts->steps_removed_at_tail);
    write_counts(facts, json);
    tp_json_member_us(json, "device_time_unlinked_us", facts->device_time_unlinked_ns);
    tp_json_member_us(json, "device_time_us", facts->device_time_ns);
    tp_json_member_us(json, "kernel_time_us", facts->kernel_time_ns);
    tp_json_object_end(json);
}
