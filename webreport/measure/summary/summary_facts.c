/* Adds the facts that two runs must share so that they can be compared. A table lists the facts; the value of a fact is
 * "" if the trace lacks the fact. */
#include <inttypes.h>
#include <stdio.h>

#include "webreport/measure/summary/summary_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

enum { SHORT = 64 };

static struct tp_str number_text(struct tp_summary_work *work, int64_t value)
{
    char text[SHORT];
    int n = snprintf(text, sizeof text, "%" PRId64, value);
    return tp_summary_intern_text(work, (struct tp_str){text, (size_t)n});
}

/* Returns the first device that has work and whose properties the trace contains; NULL: no such device. */
static const struct tp_gpu_property *find_gpu_property(const struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    for (uint32_t i = 0; i < model->gpu_count; i++) {
        const struct tp_gpu_property *gpu = tp_model_gpu_property(model->trace, model->gpus[i].id);
        if (gpu)
            return gpu;
    }
    return NULL;
}

/* Returns the model of the device; "cpu" if the recording was not meant to include a device. */
static struct tp_str gpu_name(struct tp_summary_work *work)
{
    const struct tp_gpu_property *gpu = find_gpu_property(work);
    if (work->source->model->program == TP_RECORDED_CPU)
        return TP_STR("cpu");
    return gpu && gpu->name.ptr ? tp_summary_intern_text(work, gpu->name) : TP_STR("");
}

/* Names that show the vendor of a device: names of runtime calls, of kernels, or of the device itself. */
static const struct {
    const char *part, *vendor;
} vendors[] = {{"hip", "AMD"},        {"Cijk_", "AMD"},    {"gfx9", "AMD"},       {"Instinct", "AMD"},
               {"Radeon", "AMD"},     {"AMD", "AMD"},      {"cuda", "NVIDIA"},    {"cuLaunch", "NVIDIA"},
               {"NVIDIA", "NVIDIA"},  {"Tesla", "NVIDIA"}, {"GeForce", "NVIDIA"}, {"Quadro", "NVIDIA"},
               {"cutlass", "NVIDIA"}, {"cudnn", "NVIDIA"}, {"ampere_", "NVIDIA"}, {"volta_", "NVIDIA"},
               {"nvjet", "NVIDIA"},   {"Intel", "Intel"}};

static const char *find_vendor(struct tp_str name, bool is_call)
{
    for (unsigned i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (is_call ? tp_str_starts(name, vendors[i].part) : tp_str_find(name, vendors[i].part) >= 0)
            return vendors[i].vendor;
    return NULL;
}

/* Returns the vendor of the device, as shown by the device name, else by the calls that launch the device's work, else
 * by its kernel names. */
static struct tp_str gpu_vendor(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    const struct tp_gpu_property *gpu = find_gpu_property(work);
    const char *vendor = gpu && gpu->name.ptr ? find_vendor(gpu->name, false) : NULL;
    if (model->program == TP_RECORDED_CPU)
        return TP_STR("cpu");
    for (uint32_t k = 0; k < model->devices.count && !vendor; k++)
        if (model->devices.launch[k] != TP_NO_ID)
            vendor = find_vendor(tp_trace_event_name(model->trace, tp_launch_of_device(model, k)), true);
    for (uint32_t k = 0; k < model->devices.count && !vendor; k++)
        vendor = find_vendor(tp_trace_event_name(model->trace, tp_device_event(model, k)), false);
    return vendor ? tp_str_of(vendor) : TP_STR("");
}

static struct tp_str gpu_count_text(struct tp_summary_work *work)
{
    return number_text(work, work->source->model->gpu_count);
}

static struct tp_str compute_capability_text(struct tp_summary_work *work)
{
    const struct tp_gpu_property *gpu = find_gpu_property(work);
    char text[SHORT];
    if (!gpu || gpu->major == TP_NULL_INT || gpu->minor == TP_NULL_INT)
        return TP_STR("");
    int n = snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, gpu->major, gpu->minor);
    return tp_summary_intern_text(work, (struct tp_str){text, (size_t)n});
}

/* Returns one hash of all important operators: the operators that could use tensor cores, or all operators if none
 * could. The order and number of the operators do not matter. `what`: 0: hashes shapes; 1: hashes types. Returns "" for
 * a summary that is not stored, because its rows show more than the hash. */
static struct tp_str operators_hash(struct tp_summary_work *work, unsigned what)
{
    const struct tp_model *model = work->source->model;
    const struct tp_trace *trace = work->source->trace;
    struct tp_keys keys;
    uint64_t hash = 0;
    bool has_eligible = false, has_any = false;
    if (work->source->extent != TP_SUMMARY_WHOLE)
        return TP_STR("");
    for (uint32_t i = 0; i < model->operators.count && !has_eligible; i++)
        has_eligible = model->operators.flags[i] & TP_OPERATOR_ELIGIBLE;
    tp_keys_init(&keys, work->scratch, 2);
    for (uint32_t i = 0; i < model->operators.count; i++) {
        const struct tp_event *e = tp_operator_event(model, i);
        const struct tp_host_detail *detail = &trace->hosts[e->detail];
        uint32_t value = what ? detail->types : detail->dims, known = tp_keys_count(&keys);
        if ((has_eligible && !(model->operators.flags[i] & TP_OPERATOR_ELIGIBLE)) || value == TP_NO_ID ||
            tp_keys_pair(&keys, e->name, value) < known)
            continue;
        struct tp_str name = tp_trace_event_name(trace, e), text = trace->values.items[value];
        hash += tp_hash_mix(tp_hash_bytes(name.ptr, name.len) ^ 0x9E3779B97F4A7C15ull,
                            tp_hash_bytes(text.ptr, text.len) ^ 0xE7037ED1A0B428DBull);
        has_any = true;
    }
    char text[SHORT];
    int n = has_any ? snprintf(text, sizeof text, "%016" PRIx64, hash) : 0;
    return tp_summary_intern_text(work, (struct tp_str){text, (size_t)n});
}

static struct tp_str shapes_text(struct tp_summary_work *work)
{
    return operators_hash(work, 0);
}

static struct tp_str dtypes_text(struct tp_summary_work *work)
{
    return operators_hash(work, 1);
}

/* Returns the first shape with at least two dimensions in the shapes of an operator; ptr is NULL if there is no such
 * shape. */
static struct tp_str first_tensor(struct tp_str dims)
{
    struct tp_str item, part;
    if (!tp_value_starts_with(dims, '['))
        return (struct tp_str){0};
    for (size_t at = 0; tp_value_next(dims, &at, NULL, &item);) {
        unsigned count = 0;
        if (!tp_value_starts_with(item, '['))
            continue;
        for (size_t inner = 0; tp_value_next(item, &inner, NULL, &part);)
            count++;
        if (count > 1)
            return item;
    }
    return (struct tp_str){0};
}

/* Returns whether an operator only fills a tensor, such as a gradient or an initial state of zeros. Such a tensor is
 * not an input of the program. */
static bool is_filling_operator(const struct tp_model *model, const struct tp_event *e)
{
    return model->marks[e->name] & TP_MARK_FILL_OP ||
           tp_str_equal(tp_trace_event_name(model->trace, e), TP_STR("aten::_foreach_zero_"));
}

/* Returns the shape of the first input tensor with at least two dimensions of an outermost operator; ptr is NULL if
 * there is no such tensor. The operator is on the thread, at or after from_ns, in a step and outside the data loader.
 * *at_ns receives the start of the operator. */
static struct tp_str first_input_of_thread(const struct tp_model *model, uint32_t thread, int64_t from_ns,
                                           int64_t *at_ns)
{
    const struct tp_order *order = model->order;
    uint32_t low = order->thread_first[thread], high = order->thread_first[thread + 1], near = 0;
    size_t loading = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->trace->events[order->host[middle]].ts_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (int64_t outer_end_ns = INT64_MIN; low < order->thread_first[thread + 1]; low++) {
        const struct tp_event *e = &model->trace->events[order->host[low]];
        if (e->kind != TP_KIND_OPERATOR || e->ts_ns < outer_end_ns)
            continue;
        uint32_t dims = model->trace->hosts[e->detail].dims;
        outer_end_ns = tp_event_end(e);
        if (dims == TP_NO_ID || is_filling_operator(model, e) ||
            tp_intervals_contain_near(model->category_times[TP_CATEGORY_DATALOADER], e->ts_ns, &loading) ||
            tp_step_of_host_time_near(model, e->ts_ns, &near) == TP_NO_ID)
            continue;
        struct tp_str tensor = first_tensor(model->trace->values.items[dims]);
        if (tensor.ptr) {
            *at_ns = e->ts_ns;
            return tensor;
        }
    }
    return (struct tp_str){0};
}

/* Returns the shape of the program's input. Starts at the second step, because the first step often differs. */
static struct tp_str input_shape(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    struct tp_str input = {0};
    int64_t first_ns = INT64_MAX, at_ns = 0;
    if (model->step_marker == TP_MARKER_WINDOW || model->step_count < 2)
        return TP_STR("");
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        struct tp_str found = first_input_of_thread(model, t, model->steps[1].host_start_ns, &at_ns);
        if (found.ptr && at_ns < first_ns) {
            input = found;
            first_ns = at_ns;
        }
    }
    return input.ptr ? tp_summary_intern_text(work, tp_value_shape_text(work->scratch, input)) : TP_STR("");
}

static struct tp_str world_size_text(struct tp_summary_work *work)
{
    int64_t size = work->out->key.world_size;
    return size == TP_NULL_INT ? TP_STR("") : number_text(work, size);
}

static struct tp_str step_count_text(struct tp_summary_work *work)
{
    return number_text(work, work->source->model->used_count);
}

/* Returns the kind of step marker. Runs whose steps are inferred in different ways cannot be compared. */
static struct tp_str step_marker_text(struct tp_summary_work *work)
{
    const struct tp_trace_facts *facts = &work->source->views->facts;
    const char *text = facts->step_marker;
    if (work->source->model->step_marker == TP_MARKER_OPERATORS)
        text =
            tp_text_printf(work->scratch, TP_UNSURE_STEPS "%.*s", (int)facts->step_source.len, facts->step_source.ptr);
    if (facts->step_passes > 1)
        text = tp_text_printf(work->scratch, "%s, %u in each step", text, facts->step_passes);
    return tp_summary_intern_text(work, tp_str_of(text));
}

/* Returns the percentage of kernels, copies and sets that launches of graphs started, rounded down. */
static struct tp_str graph_share(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    int64_t of_graphs = 0;
    if (!model->devices.count)
        return TP_STR("");
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t launch = model->devices.launch[k];
        of_graphs += launch != TP_NO_ID &&
                     tp_str_find(tp_trace_event_name(model->trace, tp_launch_event(model, launch)), "GraphLaunch") >= 0;
    }
    return number_text(work, of_graphs * 100 / model->devices.count);
}

/* All facts. Each fact has a function that returns its value, or a list of metadata keys. The value is then the value
 * of the first key that the trace contains. */
static const struct {
    const char *name;
    struct tp_str (*value)(struct tp_summary_work *work);
    const char *keys[3];
} table[] = {
    {"gpu", gpu_name, {NULL}},
    {"gpu.vendor", gpu_vendor, {NULL}},
    {"gpu.count", gpu_count_text, {NULL}},
    {"gpu.compute_capability", compute_capability_text, {NULL}},
    {"input", input_shape, {NULL}},
    {"operators.shapes", shapes_text, {NULL}},
    {"operators.dtypes", dtypes_text, {NULL}},
    {"world_size", world_size_text, {NULL}},
    {"step.marker", step_marker_text, {NULL}},
    {"step.count", step_count_text, {NULL}},
    {"graph.share_pct", graph_share, {NULL}},
    {"record_shapes", NULL, {"record_shapes"}},
    {"with_stack", NULL, {"with_stack"}},
    {"profile_memory", NULL, {"profile_memory"}},
    {"with_modules", NULL, {"with_modules"}},
    {"with_flops", NULL, {"with_flops"}},
    {"framework", NULL, {"torch_version", "framework_version", "framework"}},
    {"cuda.runtime", NULL, {"cuda_runtime_version", "hip_runtime_version"}},
    {"cuda.driver", NULL, {"cuda_driver_version", "hip_driver_version"}},
    {"host", NULL, {"host_name", "hostname"}},
    {"batch_size", NULL, {"batch_size", "batchSize", "train_batch_size"}},
    {"dtype", NULL, {"dtype", "torch_dtype", "precision"}},
};
enum { FACTS = sizeof table / sizeof *table };

static struct tp_str header_value(struct tp_summary_work *work, const char *const keys[3])
{
    for (unsigned i = 0; i < 3 && keys[i]; i++) {
        struct tp_str json = tp_trace_header(work->source->trace, keys[i]);
        if (json.ptr)
            return tp_summary_intern_text(work, tp_value_text(work->scratch, json));
    }
    return TP_STR("");
}

void tp_summary_facts_build(struct tp_summary_work *work)
{
    struct tp_summary_fact *facts = tp_arena_array(work->arena, FACTS, sizeof *facts);
    for (unsigned i = 0; i < FACTS; i++) {
        facts[i].name = tp_str_of(table[i].name);
        facts[i].value = table[i].value ? table[i].value(work) : header_value(work, table[i].keys);
    }
    work->out->facts = facts;
    work->out->fact_count = FACTS;
}

struct tp_str tp_summary_fact_value(const struct tp_summary *summary, struct tp_str name)
{
    for (uint32_t i = 0; i < summary->fact_count; i++)
        if (tp_str_equal(summary->facts[i].name, name))
            return summary->facts[i].value;
    return TP_STR("");
}
