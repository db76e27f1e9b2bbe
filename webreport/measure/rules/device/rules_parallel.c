/* Rules about wrappers that distribute a model over devices. E6: all-gathers of parameters in FullyShardedDataParallel
 * start too late. E7: one process uses all devices through DataParallel. */
#include "webreport/measure/rules/device/rules_collectives.h"
#include "webreport/measure/rules/device/rules_overlap.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/rules/rules_work.h"
#include "webreport/model/collectives_build.h"
#include "webreport/trace/collective_kinds.h"
#include "writer/text/format.h"

static void evaluate_sharding(struct tp_advisor *a);
static void evaluate_data_parallel(struct tp_advisor *a);

const struct tp_rule tp_rule_E6 = {
    .id = "E6",
    .title = "Prefetch the parameters of the next layer: `forward_prefetch=True`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_per_step", 4, true}, {"min_pct", 5.0, false}},
    .advice = "Prefetch the parameters of the next layer. With FullyShardedDataParallel, set forward_prefetch=True and "
              "backward_prefetch=BackwardPrefetch.BACKWARD_PRE, and limit_all_gathers=False if memory allows. With "
              "fully_shard, call set_modules_to_forward_prefetch and set_modules_to_backward_prefetch.",
    .doc_url = "https://docs.pytorch.org/docs/stable/fsdp.html",
    .cause = "comm.exposed",
    .gain = {.low = 0, .high = 1.0},
    .native = {.title = "Gather parameters one layer earlier",
               .advice = "Start gathering the parameters one layer earlier."},
    .inference =
        {.advice = "Prefetch the parameters of the next layer. With FullyShardedDataParallel, set "
                   "forward_prefetch=True, and limit_all_gathers=False if memory allows. With fully_shard, call "
                   "set_modules_to_forward_prefetch. If memory allows, keep the whole model on each device instead."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_sharding,
};

const struct tp_rule tp_rule_E7 = {
    .id = "E7",
    .title = "Use `DistributedDataParallel` with one process per GPU",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 1.0, false}},
    .advice = "Use DistributedDataParallel with one process per device, even on a single machine. "
              "DistributedDataParallel copies only gradients, while the backward pass runs.",
    .doc_url = DOC_DDP,
    .cause = "comm.exposed",
    .gain = {.low = 0.3, .high = 1.0},
    .native = {.title = "Use one process for each device", .advice = "Use one process for each device."},
    .inference = {.title = "Run one process per GPU with the model on it",
                  .advice = "Use one process per device with the model on it, so that only the inputs are copied."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_data_parallel,
};

bool tp_is_sharding_name(struct tp_str name)
{
    return tp_str_starts(name, "FSDP::") || tp_str_starts(name, "FullyShardedDataParallel.");
}

struct tp_intervals tp_exposed_communication(struct tp_advisor *a)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t g = 0; g < a->model->gpu_count; g++)
        tp_intervals_append(&time, a->model->gpus[g].exposed_communication);
    return tp_intervals_from_vec(&time);
}

void tp_record_explained_communication(struct tp_advisor *a, struct tp_intervals time)
{
    struct tp_vec both = TP_VEC(a->arena, struct tp_interval);
    tp_intervals_append(&both, a->explained_communication);
    tp_intervals_append(&both, time);
    a->explained_communication = tp_intervals_from_vec(&both);
}

/* ---- E6: parameters that are gathered too late ---- */

/* Returns, for each name id, whether the name belongs to the sharding wrapper; NULL if no name does. */
static uint8_t *find_sharding_names(struct tp_advisor *a)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *is_one = tp_arena_array(a->arena, names->count, 1);
    bool is_any = false;
    for (uint32_t i = 0; i < names->count; i++)
        is_any |= is_one[i] = tp_is_sharding_name(names->items[i]);
    return is_any ? is_one : NULL;
}

static bool is_called_in_sharded_module(const struct tp_model *model, const uint8_t *is_one, uint32_t event)
{
    int64_t at = model->trace->events[event].ts_ns;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at))
        if (is_one[model->trace->events[i].name])
            return true;
    return false;
}

/* All-gathers of parameters in the window of analysed steps. The first all-gather of each step is not examined, because
 * no earlier work of the step could hide it. */
struct gathers {
    struct tp_vec time; /* times of the all-gathers that could start earlier; elements: struct tp_interval */
    struct tp_picks picks;
    /* count: number of all-gathers; exposed_gather_count: number of all-gathers that are exposed for at least half of
     * their time */
    int64_t count, exposed_gather_count;
    uint32_t step; /* index of the step with the last all-gather; TP_NO_ID before the first all-gather */
};

static void add_exposed_gather(struct tp_advisor *a, struct gathers *g, const struct tp_collective *record,
                               struct tp_intervals exposed)
{
    struct tp_interval time = tp_collective_interval(record);
    uint32_t step = tp_step_of_collective(a->model, record);
    bool is_first = step != g->step;
    g->step = step;
    g->count++;
    if (is_first || tp_intervals_contain(a->explained_communication, time.a))
        return;
    g->exposed_gather_count += 2 * tp_intervals_length_within(exposed, time.a, time.b) >= time.b - time.a;
    tp_intervals_push(&g->time, time.a, time.b);
    tp_picks_add_by_length(&g->picks, a->model, record->event);
}

static struct gathers find_exposed_gathers(struct tp_advisor *a, const uint8_t *is_one, struct tp_intervals exposed)
{
    const struct tp_collectives *records = &a->model->collectives;
    struct gathers g = {.time = TP_VEC(a->arena, struct tp_interval), .step = TP_NO_ID};
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        const struct tp_collective_kind *kind = tp_collective_kind_by_name(record->name);
        if (kind && strcmp(kind->name, "all_gather") == 0 && !record->is_device && record->kernel_count &&
            tp_intervals_contain(a->model->window, record->start_ns) &&
            is_called_in_sharded_module(a->model, is_one, record->event))
            add_exposed_gather(a, &g, record, exposed);
    }
    return g;
}

/* Returns the part of the all-gathers' exposed time that, if hidden, lets the steps finish earlier. */
static struct tp_intervals gain_of_gathers(struct tp_advisor *a, struct tp_intervals gathers)
{
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct tp_intervals inside = tp_intervals_intersection(a->arena, gathers, a->model->window);
    for (uint32_t g = 0; g < a->model->gpu_count; g++) {
        const struct tp_gpu *gpu = &a->model->gpus[g];
        struct tp_intervals mine = tp_intervals_intersection(a->arena, inside, gpu->exposed_communication);
        if (mine.count)
            tp_intervals_append(&time, tp_critical_communication(a, gpu, tp_hideable_communication(a, gpu, mine)));
    }
    return tp_intervals_from_vec(&time);
}

static void evaluate_sharding(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_E6, .has_ceiling = true};
    const uint8_t *is_one = find_sharding_names(a);
    if (!is_one)
        return;
    struct tp_intervals exposed = tp_exposed_communication(a);
    struct gathers g = find_exposed_gathers(a, is_one, exposed);
    struct tp_intervals all = tp_intervals_from_vec(&g.time), bare = tp_intervals_intersection(a->arena, exposed, all);
    bool is_per_layer = (double)g.count >= tp_rule_value(a, TP_RULE_E6, "min_per_step") * a->model->used_count &&
                        2 * g.exposed_gather_count >= g.count;
    if (!is_per_layer || tp_analysed_set_percent(a, bare) < tp_rule_value(a, TP_RULE_E6, "min_pct"))
        return;
    c.time = gain_of_gathers(a, all);
    c.picks = g.picks;
    c.details = TP_DETAIL(a, TP_DETAIL_BARE_GATHERS, TP_OF_NUMBER(g.exposed_gather_count), TP_OF_NUMBER(g.count),
                          TP_OF_PERCENT(tp_analysed_set_percent(a, bare)));
    if (tp_advisor_add_finding(a, &c))
        tp_record_explained_communication(a, all);
}

/* ---- E7: one process for all devices ---- */

/* Returns whether a name belongs to a function of DataParallel, or to the backward node of such a function, but not to
 * the wrapped model. */
static bool is_distribution_name(struct tp_str name)
{
    static const char *const names[] = {"Broadcast", "Scatter", "Gather", "ReduceAddCoalesced"};
    static const char node[] = TP_BACKWARD_NODE " ";
    bool is_node = tp_str_starts(name, node), is_one = false;
    size_t skipped = is_node ? sizeof node - 1 : 0;
    struct tp_str rest = {name.ptr + skipped, name.len - skipped};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        bool is_it = tp_str_starts(rest, names[i]);
        is_one |= is_it && (rest.len == len || (is_node && rest.len == len + 8 && tp_str_ends(rest, "Backward")));
    }
    return is_one;
}

static bool is_replication_name(struct tp_str name)
{
    struct tp_frame frame;
    return tp_frame_parse(&frame, name) && tp_str_ends(frame.path, "torch/nn/parallel/replicate.py");
}

static bool is_data_parallel(struct tp_str name)
{
    return tp_str_equal(name, TP_STR("DataParallel.forward"));
}

static void evaluate_data_parallel(struct tp_advisor *a)
{
    const struct tp_trace *trace = a->model->trace;
    struct tp_candidate c = {.rule = TP_RULE_E7, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    if (a->model->gpu_count < 2 || !tp_has_annotation(a->model, is_data_parallel))
        return;
    uint8_t *is_one = tp_arena_array(a->arena, trace->names.count, 1);
    for (uint32_t i = 0; i < trace->names.count; i++)
        is_one[i] = is_distribution_name(trace->names.items[i]) || is_replication_name(trace->names.items[i]);
    for (uint32_t i = 0; i < a->model->order->host_count; i++) {
        uint32_t event = a->model->order->host[i];
        const struct tp_event *e = &trace->events[event];
        if (!is_one[e->name] || !tp_event_is_in_window(a, event))
            continue;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        tp_picks_add_by_length(&c.picks, a->model, event);
    }
    struct tp_intervals spreading = tp_intervals_from_vec(&time), exposed = tp_exposed_communication(a);
    struct tp_vec lost = TP_VEC(a->arena, struct tp_interval);
    tp_intervals_append(&lost, tp_intervals_intersection(a->arena, spreading, a->model->starved));
    tp_intervals_append(&lost, exposed);
    for (uint32_t g = 0; g < a->model->gpu_count; g++)
        tp_intervals_append(&lost, tp_intervals_intersection(a->arena, spreading, a->model->gpus[g].exposed_copy));
    c.time = tp_intervals_from_vec(&lost);
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_E7, "min_pct"))
        return;
    c.details = TP_DETAIL(a, TP_DETAIL_ONE_PROCESS, TP_OF_NUMBER(a->model->gpu_count),
                          TP_OF_PERCENT(tp_analysed_set_percent(a, c.time)));
    if (tp_advisor_add_and_claim_time(a, &c))
        tp_record_explained_communication(a, exposed);
}
