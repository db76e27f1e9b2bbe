/* Rules about DistributedDataParallel itself. E9: a wrapper with a single rank gains nothing, but copies all gradients.
 * E10: each forward pass broadcasts buffers from rank 0.
 *
 * The wrapper's work on the host is recognized by name: its forward range, the operators of its reducer, and the calls
 * of the dispatcher of torch.distributed. Before the model runs, the forward range flattens the buffers, broadcasts
 * them and copies them back (torch 1.8 to 2.14, torch/nn/parallel/distributed.py: _sync_buffers). */
#include "webreport/measure/rules/device/rules_collectives.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/collectives_build.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/json/value.h"
#include "writer/text/format.h"

static void evaluate_wrapper(struct tp_advisor *a);

const struct tp_rule tp_rule_E9 = {
    .id = "E9",
    .title = "Remove `DistributedDataParallel`: there is only one rank",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 0.5, false}},
    .advice = "Do not use DistributedDataParallel if the world size is 1. The wrapper copies each gradient into a "
              "bucket and back, although there is no other rank.",
    .doc_url = DOC_DDP,
    .cause = "comm.single_rank",
    .gain = {.low = 0.75, .high = 1.0},
    .native = {.title = "Skip the distributed code: there is only one rank",
               .advice = "Skip the distributed code if there is only one rank."},
    .inference = {.title = "Call the model without its wrapper: there is only one rank",
                  .advice = "Call the model itself, without the wrapper."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_wrapper,
    .on_host = evaluate_wrapper,
};

const struct tp_rule tp_rule_E10 = {
    .id = "E10",
    .title = "Stop broadcasting buffers before each forward pass: `broadcast_buffers=False`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_per_step", 1, true}, {"min_pct", 1.0, false}},
    .advice = "Pass broadcast_buffers=False to DistributedDataParallel if each rank may keep its own running "
              "statistics, or if buffers do not change. From PyTorch 2.13 on, the option is "
              "forward_sync_buffers=False. If batches are small, use SyncBatchNorm, which computes the statistics over "
              "all ranks.",
    .doc_url = DOC_DDP,
    .cause = "comm.buffers",
    .gain = {.low = 0, .high = 1.0, .known = 1},
    .native = {.title = "Send buffers only when they change", .advice = "Send the buffers only when they change."},
    .inference = {.title = "Call `model.module`: the wrapper broadcasts buffers before each call",
                  .advice = "Call the model inside the wrapper (model.module), which does not broadcast buffers."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_wrapper,
    .on_host = evaluate_wrapper,
};

enum part { NO_PART, FORWARD, REDUCER, AROUND_BROADCAST };

struct wrapper {
    struct tp_advisor *a;
    const uint8_t *parts;   /* for each name id: part of the wrapper's work that the name shows (enum part) */
    struct tp_vec forwards; /* indexes of the forward ranges in the window of analysed steps; elements: uint32_t */
    /* elements: struct tp_interval. own: host time of the wrapper; sync: part of `own` in which buffers are
     * broadcast */
    struct tp_vec own, sync;
    struct tp_picks broadcasts, reductions;
    int64_t reducer_count; /* number of gradients that the reducer copies */
};

/* Returns whether an operator flattens buffers, copies them back, or runs inside such an operator. */
static bool is_buffer_copy_operator(struct tp_str name)
{
    static const char *const names[] = {"aten::flatten_dense_tensors",
                                        "aten::unflatten_dense_tensors",
                                        "aten::cat",
                                        "aten::copy_",
                                        "aten::view",
                                        "aten::narrow",
                                        "aten::slice",
                                        "aten::detach",
                                        "aten::reshape",
                                        "aten::as_strided",
                                        "aten::empty",
                                        "aten::to"};
    bool is_any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_any |= tp_str_equal(name, tp_str_of(names[i]));
    return is_any;
}

static enum part wrapper_part_of_name(struct tp_str name)
{
    if (tp_str_equal(name, TP_STR("DistributedDataParallel.forward")))
        return FORWARD;
    if (tp_str_starts(name, "torch::distributed::reducer::") || tp_str_starts(name, "torch.distributed.ddp.reducer::"))
        return REDUCER;
    return is_buffer_copy_operator(name) ? AROUND_BROADCAST : NO_PART;
}

/* Returns, for each name id, the part of the wrapper's work (enum part). Returns NULL if the recording has no forward
 * range of the wrapper. */
static const uint8_t *find_wrapper_parts_by_name(struct tp_advisor *a)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *parts = tp_arena_array(a->arena, names->count, sizeof *parts);
    bool is_any = false;
    for (uint32_t i = 0; i < names->count; i++) {
        parts[i] = (uint8_t)wrapper_part_of_name(names->items[i]);
        is_any |= parts[i] == FORWARD;
    }
    return is_any ? parts : NULL;
}

/* ---- the wrapper's time on the host ---- */

static const struct tp_event *host_event_at(const struct wrapper *w, uint32_t place)
{
    return &w->a->model->trace->events[w->a->model->order->host[place]];
}

/* Adds the time in which a forward range broadcasts buffers: from the first operator to the last copy before the model
 * runs. place: position of the range in the order of host events; end: last position of the range's thread + 1. */
static void add_broadcast_time(struct wrapper *w, uint32_t place, uint32_t end)
{
    const struct tp_model *model = w->a->model;
    const struct tp_event *forward = host_event_at(w, place);
    int64_t start = INT64_MAX, last = INT64_MIN, inside = INT64_MIN;
    bool has_broadcast = false;
    for (uint32_t i = place + 1; i < end && host_event_at(w, i)->ts_ns < tp_event_end(forward); i++) {
        const struct tp_event *e = host_event_at(w, i);
        if (e->kind != TP_KIND_OPERATOR || e->ts_ns < inside)
            continue;
        bool is_call = model->marks[e->name] & TP_MARK_HOST_COMM;
        if (!is_call && w->parts[e->name] != AROUND_BROADCAST)
            break;
        if (is_call && tp_str_find(tp_trace_event_name(model->trace, e), "broadcast") >= 0) {
            has_broadcast = true;
            tp_picks_add_by_length(&w->broadcasts, model, model->order->host[i]);
        }
        inside = tp_event_end(e);
        start = tp_ns_min(start, e->ts_ns);
        last = inside;
    }
    if (has_broadcast && last > start)
        tp_intervals_push(&w->sync, start, last);
}

/* Adds the time of an event that belongs to the wrapper, and counts its gradients. place: position of the event in the
 * order of host events; end: last position of the event's thread + 1. */
static void add_time_of_wrapper_event(struct wrapper *w, uint32_t place, uint32_t end)
{
    const struct tp_model *model = w->a->model;
    const struct tp_event *e = host_event_at(w, place);
    enum part part = (enum part)w->parts[e->name];
    bool is_call = e->kind == TP_KIND_OPERATOR && model->marks[e->name] & TP_MARK_C10D;
    if (part == FORWARD) {
        *(uint32_t *)tp_vec_push(&w->forwards) = model->order->host[place];
        add_broadcast_time(w, place, end);
    }
    w->reducer_count += part == REDUCER;
    if (part == REDUCER || is_call)
        tp_intervals_push(&w->own, e->ts_ns, tp_event_end(e));
    if (is_call && tp_str_find(tp_trace_event_name(model->trace, e), "reduce") >= 0)
        tp_picks_add_by_length(&w->reductions, model, model->order->host[place]);
}

static void find_wrapper(struct wrapper *w)
{
    const struct tp_model *model = w->a->model;
    const struct tp_order *order = model->order;
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        for (uint32_t i = order->thread_first[t]; i < order->thread_first[t + 1]; i++)
            if (tp_event_is_in_window(w->a, order->host[i]))
                add_time_of_wrapper_event(w, i, order->thread_first[t + 1]);
}

/* ---- E9: one rank ---- */

/* Returns whether all process groups of the recording have one rank. Returns false if their sizes are unknown. */
static bool is_single_rank(const struct tp_advisor *a)
{
    const struct tp_trace *trace = a->model->trace;
    struct tp_str distributed = tp_trace_header(trace, "distributedInfo");
    int64_t world = distributed.ptr ? tp_value_world_size(distributed) : TP_NULL_INT;
    if (world != TP_NULL_INT)
        return world == 1;
    bool is_any = false;
    for (uint32_t i = 0; i < trace->comm_count; i++) {
        uint32_t size = trace->comms[i].group_size;
        if (size == TP_NO_ID)
            continue;
        is_any = true;
        if (tp_value_int(trace->values.items[size]) != 1)
            return false;
    }
    return is_any;
}

/* Adds the device work of the reducer, which scales gradients into buckets and copies them back. */
static void add_times_of_reducer_kernels(const struct wrapper *w, struct tp_vec *time)
{
    const struct tp_model *model = w->a->model;
    uint32_t k;
    for (struct tp_operations walk = {.a = w->a}; tp_next_operation(&walk, &k);) {
        bool is_one = false;
        for (uint32_t op = model->devices.owner[k]; op != TP_NO_ID && !is_one; op = model->operators.parent[op])
            is_one = w->parts[tp_operator_event(model, op)->name] == REDUCER;
        if (is_one)
            tp_intervals_push(time, tp_device_event(model, k)->ts_ns, tp_event_end(tp_device_event(model, k)));
    }
}

static void evaluate_single_rank(struct wrapper *w)
{
    struct tp_advisor *a = w->a;
    struct tp_candidate c = {.rule = TP_RULE_E9, .has_ceiling = true, .may_have_severity_info = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    tp_intervals_append(&w->own, tp_intervals_from_vec(&w->sync));
    struct tp_intervals own = tp_intervals_from_vec(&w->own);
    if (a->cpu) {
        tp_intervals_append(&time, own);
        tp_intervals_append(&time, tp_exposed_collectives(a->model, a->arena));
    } else {
        tp_intervals_append(&time, tp_intervals_intersection(a->arena, own, a->model->starved));
        tp_intervals_append(&time, tp_exposed_communication(a));
        add_times_of_reducer_kernels(w, &time);
    }
    c.time = tp_intervals_from_vec(&time);
    for (size_t i = 0; i < w->forwards.count; i++)
        tp_picks_add_by_length(&c.picks, a->model, *TP_AT(&w->forwards, uint32_t, i));
    c.details = TP_DETAIL(a, TP_DETAIL_ONE_RANK, TP_OF_NUMBER(w->reducer_count / a->model->used_count),
                          TP_OF_NUMBER(w->reductions.total / a->model->used_count));
    if (a->cpu ? tp_advisor_add_cpu_finding(a, &c) : tp_advisor_add_and_claim_time(a, &c))
        tp_record_explained_communication(a, tp_intervals_from_vec(&time));
}

/* ---- E10: broadcast buffers ---- */

/* Returns the times of broadcasts on any thread that start while a forward range synchronizes its buffers. */
static struct tp_intervals broadcast_time(const struct wrapper *w)
{
    struct tp_advisor *a = w->a;
    const struct tp_collectives *records = &a->model->collectives;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct tp_vec sync = TP_VEC(a->arena, struct tp_interval);
    tp_intervals_append(&sync, (struct tp_intervals){w->sync.data, w->sync.count});
    struct tp_intervals asked = tp_intervals_from_vec(&sync);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        if (tp_str_find(record->name, "broadcast") < 0 || !tp_intervals_contain(asked, record->start_ns))
            continue;
        struct tp_interval whole = tp_collective_interval(record);
        tp_intervals_push(&time, whole.a, whole.b);
    }
    return tp_intervals_from_vec(&time);
}

static void evaluate_buffer_broadcast(struct wrapper *w)
{
    struct tp_advisor *a = w->a;
    struct tp_candidate c = {.rule = TP_RULE_E10, .has_ceiling = true, .picks = w->broadcasts};
    int64_t per_step = w->broadcasts.total / a->model->used_count;
    if ((double)w->broadcasts.total < tp_rule_value(a, TP_RULE_E10, "min_per_step") * a->model->used_count)
        return;
    struct tp_intervals broadcasts = broadcast_time(w), sync = tp_intervals_from_vec(&w->sync);
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    if (a->cpu) {
        tp_intervals_append(&time, sync);
    } else {
        tp_intervals_append(&time, tp_intervals_intersection(a->arena, sync, a->model->starved));
        tp_intervals_append(&time, tp_intervals_intersection(a->arena, broadcasts, tp_exposed_communication(a)));
    }
    c.time = tp_intervals_from_vec(&time);
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_E10, "min_pct"))
        return;
    c.details = TP_DETAIL(a, TP_DETAIL_BROADCASTS, TP_OF_NUMBER(per_step));
    if (a->cpu ? tp_advisor_add_cpu_finding(a, &c) : tp_advisor_add_and_claim_time(a, &c))
        tp_record_explained_communication(a, broadcasts);
}

static void evaluate_wrapper(struct tp_advisor *a)
{
    struct wrapper w = {.a = a, .parts = find_wrapper_parts_by_name(a)};
    if (!w.parts)
        return;
    w.forwards = TP_VEC(a->arena, uint32_t);
    w.own = w.sync = TP_VEC(a->arena, struct tp_interval);
    find_wrapper(&w);
    if (!w.forwards.count)
        return;
    if (is_single_rank(a))
        evaluate_single_rank(&w);
    else
        evaluate_buffer_broadcast(&w);
}
