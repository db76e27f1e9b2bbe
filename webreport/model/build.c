/* Builds the model: counts the events, then calls the stages in order. See facts.h and build.h. */
#include "webreport/model/build.h"
#include "webreport/model/collectives_build.h"
#include "webreport/model/stages.h"

/* Counts events and memory records, and finds the earliest start and the latest end. Ignores the recorder's own work
 * and events of the kind TP_KIND_OTHER. */
static void count_events(struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        model->kind_count[e->kind]++;
        if (e->kind == TP_KIND_OVERHEAD || e->kind == TP_KIND_OTHER)
            continue;
        model->event_count++;
        first = e->ts_ns < first ? e->ts_ns : first;
        last = tp_event_end(e) > last ? tp_event_end(e) : last;
    }
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[i];
        bool is_out_of_memory = record->flags & TP_MEMORY_OUT_OF_MEMORY;
        model->memory_count += !is_out_of_memory;
        model->out_of_memory_count += is_out_of_memory;
        first = record->ts_ns < first ? record->ts_ns : first;
        last = record->ts_ns > last ? record->ts_ns : last;
    }
    model->event_count += trace->memory_count;
    model->first_ns = model->event_count ? first : 0;
    model->last_ns = model->event_count ? last : 0;
}

static bool has_device_collective(const struct tp_model *model)
{
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (e->kind == TP_KIND_ANNOTATION && model->marks[e->name] & TP_MARK_COLLECTIVE && !tp_event_declared_kind(e) &&
            /* NCCL and similar libraries communicate only data of devices */
            tp_name_comm_library(tp_trace_event_name(model->trace, e)))
            return true;
    }
    return false;
}

/* Returns true if the trace has a memory record of a device other than the CPU (of_device true) or of the CPU
 * (of_device false). */
static bool has_memory_on_device(const struct tp_model *model, bool of_device)
{
    const struct tp_trace *trace = model->trace;
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        int64_t type = trace->memory_places[trace->memory[i].device].type;
        bool is_host =
            type == TP_NULL_INT || type == TP_DEVICE_CPU || type == TP_DEVICE_MKLDNN || type == TP_DEVICE_IDEEP;
        if (is_host != of_device)
            return true;
    }
    return false;
}

/* Returns true if the trace has an operator that exists only on the CPU. */
static bool has_cpu_only_operator(const struct tp_model *model)
{
    const struct tp_strings *names = &model->trace->names;
    for (uint32_t i = 0; i < names->count; i++)
        if (tp_str_find(names->items[i], "mkldnn") >= 0 || tp_str_find(names->items[i], "_for_cpu") >= 0)
            return true;
    return false;
}

/* Returns true if the metadata of the trace names a GPU and no event shows that the program ran only on the CPU. The
 * name alone is no evidence of use, because torch's profiler lists the GPUs of the machine even if the program does not
 * use them. */
static bool has_name_of_gpu(const struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    bool is_named = false;
    for (uint32_t i = 0; i < trace->gpu_count; i++)
        is_named |= trace->gpus[i].name.len && !tp_is_bare_property(&trace->gpus[i]);
    return is_named && model->operators.count && !has_memory_on_device(model, false) && !has_cpu_only_operator(model);
}

static enum tp_missing_device find_missing_device(const struct tp_model *model)
{
    for (uint32_t i = 0; i < model->launches.count; i++)
        if (model->marks[tp_launch_event(model, i)->name] & (TP_MARK_DEVICE_CALL | TP_MARK_DEVICE_USE))
            return TP_MISSING_CALLS;
    if (has_device_collective(model))
        return TP_MISSING_COLLECTIVES;
    if (has_memory_on_device(model, true))
        return TP_MISSING_MEMORY;
    return has_name_of_gpu(model) ? TP_MISSING_HEAD : TP_MISSING_NONE;
}

static enum tp_program_kind find_program_kind(const struct tp_model *model)
{
    if (model->devices.count)
        return TP_RECORDED_GPU;
    if (model->trace->reading.other_device_events)
        return TP_RECORDED_OTHER_DEVICE;
    if (model->missing)
        return TP_RECORDED_DEVICE_MISSING;
    return model->order->host_count ? TP_RECORDED_CPU : TP_RECORDED_EMPTY;
}

/* Returns true if a name in the trace shows that the program used PyTorch or Python. */
static bool has_torch_name(const struct tp_model *model)
{
    const uint64_t marks = TP_MARK_REGION | TP_MARK_BACKWARD_NODE | TP_MARK_MODULE | TP_MARK_PROFILER_SPAN |
                           TP_MARK_C10D | TP_MARK_EXECUTE_CONTEXT;
    const struct tp_strings *names = &model->trace->names;
    for (uint32_t i = 0; i < names->count; i++)
        if (model->marks[i] & marks || tp_str_starts(names->items[i], "aten::"))
            return true;
    return false;
}

static bool has_mpi(const struct tp_model *model)
{
    const struct tp_strings *names = &model->trace->names;
    for (uint32_t i = 0; i < names->count; i++) {
        const char *backend = model->marks[i] & TP_MARK_COLLECTIVE ? tp_name_comm_backend(names->items[i]) : NULL;
        if (backend && strcmp(backend, "mpi") == 0)
            return true;
    }
    return false;
}

/* Returns the producer of the trace. Tracepress's own recorder uses the format of torch's profiler and writes its own
 * name into the metadata. Data that torch never writes shows another producer: ranges with a declared kind, or members
 * of Chrome's own format. A bare list of events, as tests and filters write, is assumed to come from torch. */
static enum tp_producer find_producer(const struct tp_model *model)
{
    if (model->kind_count[TP_KIND_FRAME])
        return TP_PRODUCER_TORCH;
    if (tp_trace_header(model->trace, "tracepress_recorder").ptr)
        return has_mpi(model) ? TP_PRODUCER_MPI : TP_PRODUCER_TRACEPRESS;
    if (model->kind_count[TP_KIND_MODULE])
        return TP_PRODUCER_TORCH;
    bool is_foreign = model->trace->reading.declared_kind_bits || tp_trace_header(model->trace, "otherData").ptr ||
                      tp_trace_header(model->trace, "metadata").ptr;
    bool has_head = model->trace->has_gpu_list && tp_trace_header(model->trace, "schemaVersion").ptr;
    return !is_foreign || has_head || has_torch_name(model) ? TP_PRODUCER_TORCH : TP_PRODUCER_OTHER;
}

void tp_model_build_links(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                          struct tp_arena *arena)
{
    memset(model, 0, sizeof *model);
    model->trace = trace;
    model->order = order;
    model->arena = arena;
    count_events(model);
    tp_model_build_trees(model);
    tp_model_link_devices(model);
}

static bool has_graph_launch(const struct tp_model *model)
{
    bool is_any = false;
    for (uint32_t i = 0; i < model->trace->names.count && !is_any; i++)
        is_any = (model->marks[i] & TP_MARK_GRAPH_LAUNCH) != 0;
    return is_any && model->devices.count;
}

void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena)
{
    tp_model_build_links(model, trace, order, arena);
    model->marks = tp_marks_build(trace, arena);
    model->operators.all_count = model->operators.count;
    model->modules.all_count = model->modules.count;
    if (has_graph_launch(model))
        tp_model_join_captures(model);
    tp_model_compute_host_times(model);
    tp_model_find_forwards(model);
    tp_model_compute_operator_times(model);
    tp_model_find_main_thread(model);
    tp_model_group_gpus(model);
    tp_collectives_build(model);
    tp_model_find_categories(model);
    tp_model_find_steps(model);
    tp_model_find_waits(model);
    tp_model_find_idle(model);
    tp_model_find_compiled_calls(model);
    model->missing = model->devices.count ? TP_MISSING_NONE : find_missing_device(model);
    model->program = find_program_kind(model);
    model->producer = find_producer(model);
}

const char *tp_program_kind_text(enum tp_program_kind program)
{
    static const char *const texts[] = {
        [TP_RECORDED_GPU] = "gpu",
        [TP_RECORDED_OTHER_DEVICE] = "other_device",
        [TP_RECORDED_DEVICE_MISSING] = "device_missing",
        [TP_RECORDED_CPU] = "cpu",
        [TP_RECORDED_EMPTY] = "empty",
    };
    return texts[program];
}
