/* Rule E11: stages of a pipeline wait for each other. A stage is idle until the previous stage has sent the
 * micro-batch, or the next stage has sent the gradient.
 *
 * Programs also send and receive for other reasons, such as ring attention, halos of an image, or parameters of a
 * server. Such a rank sends and receives at the same time, or once in a step. A stage of a pipeline works on several
 * micro-batches in a step, and its first and last exchange are only a send or only a receive. */
#include "webreport/measure/rules/device/rules_collectives.h"
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/json/value.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

static void evaluate_pipeline(struct tp_advisor *a);

const struct tp_rule tp_rule_E11 = {
    .id = "E11",
    .title = "Split the batch into more micro-batches, or use `ScheduleInterleaved1F1B`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_micro_batches", 2, true}, {"min_pct", 3.0, false}},
    .advice = "Split the batch into more micro-batches, use an interleaved schedule (torch.distributed.pipelining: "
              "ScheduleInterleaved1F1B), and give all stages equal work.",
    .doc_url = "https://docs.pytorch.org/docs/stable/distributed.pipelining.html",
    .cause = "comm.pipeline",
    .gain = {.low = 0, .high = 1.0},
    .native = {.title = "Split the work into smaller parts: a stage waits for other stages",
               .advice = "Divide the work into smaller parts so that stages wait less, or give all stages equal work."},
    .inference = {.title = "Keep more micro-batches in the pipeline: a stage waits for other stages",
                  .advice =
                      "Keep more micro-batches in the pipeline at the same time, and give all stages equal work."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_pipeline,
    .on_host = evaluate_pipeline,
};

enum direction { SENDS = 1, RECEIVES = 2 };

/* The start of an event: a call that sends or receives data, a matrix product, or a node of the backward pass. */
enum moment_kind { CALL, PRODUCT, NODE };
struct moment {
    int64_t at_ns;
    enum moment_kind kind;
    unsigned directions; /* bits of enum direction; 0 unless kind is CALL */
};

struct pipeline {
    struct tp_advisor *a;
    const uint8_t *directions; /* bits of enum direction for each name id */
    struct tp_vec moments;     /* elements: struct moment, in order of time */
    struct tp_vec calls;       /* host calls that send or receive data; elements: struct tp_interval */
    struct tp_vec receives;    /* host calls that receive data; elements: struct tp_interval */
    struct tp_picks picks;
    int64_t micro_batches; /* largest number of micro-batches in any step */
    uint32_t step_count;   /* number of analysed steps in which the rank is a stage */
};

/* ---- sends and receives ---- */

static unsigned directions_of_name(struct tp_str name)
{
    return (tp_str_find_ignore_case(name, "send") >= 0 ? SENDS : 0) |
           (tp_str_find_ignore_case(name, "recv") >= 0 ? RECEIVES : 0);
}

/* Returns, for each name id, whether host calls of this name send or receive (bits of enum direction). Returns NULL if
 * no name sends, or no name receives. */
static const uint8_t *find_directions(struct tp_advisor *a)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *directions = tp_arena_array(a->arena, names->count, sizeof *directions);
    unsigned all = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        if (a->model->marks[i] & TP_MARK_HOST_COMM)
            directions[i] = (uint8_t)directions_of_name(names->items[i]);
        all |= directions[i];
    }
    return all == (SENDS | RECEIVES) ? directions : NULL;
}

static int compare_by_time(const void *x, const void *y, const void *context)
{
    const struct moment *a = x, *b = y;
    (void)context;
    return a->at_ns != b->at_ns ? (a->at_ns < b->at_ns ? -1 : 1) : (int)a->kind - (int)b->kind;
}

static void add_exchange_moment(struct pipeline *p, int64_t at_ns, enum moment_kind kind, unsigned directions)
{
    *(struct moment *)tp_vec_push(&p->moments) = (struct moment){at_ns, kind, directions};
}

static void find_moments(struct pipeline *p)
{
    const struct tp_model *model = p->a->model;
    const struct tp_operators *ops = &model->operators;
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        uint32_t event = model->order->host[i];
        const struct tp_event *e = &model->trace->events[event];
        unsigned directions = p->directions[e->name];
        if (!directions || (e->kind != TP_KIND_OPERATOR && e->kind != TP_KIND_ANNOTATION))
            continue;
        add_exchange_moment(p, e->ts_ns, CALL, directions);
        tp_intervals_push(&p->calls, e->ts_ns, tp_event_end(e));
        if (directions & RECEIVES)
            tp_intervals_push(&p->receives, e->ts_ns, tp_event_end(e));
        if (p->a->cpu && directions & RECEIVES && tp_event_is_in_window(p->a, event))
            tp_picks_add_by_length(&p->picks, model, event);
    }
    for (uint32_t op = 0; op < ops->count; op++) {
        const struct tp_event *e = tp_operator_event(model, op);
        if (model->marks[e->name] & TP_MARK_BACKWARD_NODE)
            add_exchange_moment(p, e->ts_ns, NODE, 0);
        else if (ops->flags[op] & TP_OPERATOR_ELIGIBLE)
            add_exchange_moment(p, e->ts_ns, PRODUCT, 0);
    }
    tp_merge_sort(p->a->arena, p->moments.data, p->moments.count, sizeof(struct moment), compare_by_time, NULL);
}

/* ---- steps in which the rank is a stage of a pipeline ---- */

/* The exchanges of a step. Calls without a matrix product between them form one exchange. */
struct exchanges {
    unsigned first, last; /* directions of the first and of the last exchange; 0 without exchanges */
    int64_t count, sending, receiving;
    bool has_backward;          /* the step has a backward pass */
    bool sends_before_backward; /* a call that sends starts before the backward pass */
};

static struct exchanges count_exchanges_in_step(const struct pipeline *p, const struct tp_step *step, size_t *next)
{
    struct exchanges x = {0};
    unsigned now = 0;
    bool has_product_between = true; /* true if a matrix product has started since the last call */
    for (; *next < p->moments.count && TP_AT(&p->moments, struct moment, *next)->at_ns < step->end_ns; ++*next) {
        struct moment m = *TP_AT(&p->moments, struct moment, *next);
        if (m.at_ns < step->start_ns)
            continue;
        x.has_backward |= m.kind == NODE;
        has_product_between |= m.kind == PRODUCT;
        if (m.kind != CALL)
            continue;
        now = has_product_between ? m.directions : now | m.directions;
        x.count += has_product_between;
        x.sending += (now & SENDS) && (has_product_between || !(x.last & SENDS));
        x.receiving += (now & RECEIVES) && (has_product_between || !(x.last & RECEIVES));
        x.first = x.count == 1 ? now : x.first;
        x.last = now;
        x.sends_before_backward |= !x.has_backward && m.directions & SENDS;
        has_product_between = false;
    }
    return x;
}

static bool is_only_sending_or_receiving(unsigned directions)
{
    return directions == SENDS || directions == RECEIVES;
}

/* Returns the number of micro-batches in a step; 0 if the rank is no stage of a pipeline in this step. The first stage
 * sends each micro-batch once, and the last stage receives each micro-batch once. A middle stage receives twice per
 * micro-batch: the micro-batch and its gradient. */
static int64_t micro_batch_count(const struct exchanges *x)
{
    enum { LEAST_EXCHANGES = 3 };
    bool is_stage = x->count >= LEAST_EXCHANGES && x->sending >= 2 && x->receiving >= 2 &&
                    is_only_sending_or_receiving(x->first) && is_only_sending_or_receiving(x->last);
    if (!is_stage)
        return 0;
    if (x->first == SENDS)
        return x->sending;
    return x->has_backward && x->sends_before_backward ? (x->receiving + 1) / 2 : x->receiving;
}

static void count_micro_batches(struct pipeline *p)
{
    double least = tp_rule_value(p->a, TP_RULE_E11, "min_micro_batches");
    size_t next = 0;
    for (uint32_t s = 0; s < p->a->model->step_count; s++) {
        const struct tp_step *step = &p->a->model->steps[s];
        if (!tp_step_is_used(step))
            continue;
        struct exchanges x = count_exchanges_in_step(p, step, &next);
        int64_t count = micro_batch_count(&x);
        p->step_count += (double)count >= least;
        p->micro_batches = tp_ns_max(p->micro_batches, count);
    }
}

/* ---- time that the stage waits ---- */

/* Returns whether an all-to-all collective launched the kernel. The name does not show this, because such a kernel has
 * the same name as a kernel that sends or receives. */
static bool is_launched_by_all_to_all(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    for (uint32_t op = launch == TP_NO_ID ? TP_NO_ID : model->launches.op[launch]; op != TP_NO_ID;
         op = model->operators.parent[op]) {
        struct tp_str name = tp_trace_event_name(model->trace, tp_operator_event(model, op));
        if (tp_str_find_ignore_case(name, "alltoall") >= 0 || tp_str_find_ignore_case(name, "all_to_all") >= 0)
            return true;
    }
    return false;
}

/* Returns the time in which kernels send or receive data while no compute runs. */
static struct tp_intervals find_exposed_communication_times(struct pipeline *p)
{
    struct tp_advisor *a = p->a;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        const struct tp_event *e = tp_device_event(a->model, k);
        if (!tp_is_communication(a->model, k) || !directions_of_name(tp_trace_event_name(a->model->trace, e)) ||
            is_launched_by_all_to_all(a->model, k))
            continue;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        tp_picks_add_operation_by_length(&p->picks, a->model, k);
    }
    return tp_intervals_intersection(a->arena, tp_intervals_from_vec(&time), tp_exposed_communication(a));
}

static struct tp_intervals lost_time_of_pipeline(struct pipeline *p)
{
    struct tp_advisor *a = p->a;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct tp_intervals receives = tp_intervals_from_vec(&p->receives);
    if (a->cpu)
        return tp_intervals_difference(a->arena, receives, tp_computing_times(a->model, a->arena));
    tp_intervals_append(&time, find_exposed_communication_times(p));
    tp_intervals_append(&time,
                        tp_intervals_intersection(a->arena, receives, tp_model_idle_times(a->model, false, a->arena)));
    return tp_intervals_from_vec(&time);
}

/* Returns the number of ranks in the process group that sends and receives. If this number is unknown, returns the
 * number of ranks in the job, or 0. Sets *of to "group" or "job". */
static int64_t group_size(const struct pipeline *p, const char **of)
{
    const struct tp_model *model = p->a->model;
    *of = "group";
    for (uint32_t i = 0; i < model->collectives.count; i++) {
        const struct tp_collective *record = &model->collectives.items[i];
        if (record->comm == TP_NO_ID || !directions_of_name(record->name))
            continue;
        uint32_t size = model->trace->comms[record->comm].group_size;
        int64_t ranks = size == TP_NO_ID ? 0 : tp_value_int(model->trace->values.items[size]);
        if (ranks > 1 && ranks <= TP_MAX_JOB_RANKS)
            return ranks;
    }
    struct tp_str head = tp_trace_header(model->trace, "distributedInfo");
    *of = "job";
    return head.ptr ? tp_value_world_size(head) : 0;
}

static struct tp_detail *make_pipeline_detail(const struct pipeline *p, struct tp_intervals time)
{
    struct tp_advisor *a = p->a;
    const char *of;
    int64_t stages = group_size(p, &of), count = p->micro_batches;
    struct tp_detail *detail =
        TP_DETAIL(a, TP_DETAIL_MICRO_BATCHES, TP_OF_NUMBER(count), TP_OF_PERCENT(tp_analysed_set_percent(a, time)));
    if (stages > 1)
        detail->next = TP_DETAIL(a, TP_DETAIL_STAGES, TP_OF_NUMBER(stages), TP_OF_TEXT(tp_str_of(of)),
                                 TP_OF_PERCENT(tp_percent(stages - 1, count + stages - 1)));
    return detail;
}

static void evaluate_pipeline(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_E11, .has_ceiling = true};
    struct pipeline p = {.a = a, .directions = find_directions(a), .moments = TP_VEC(a->arena, struct moment)};
    if (!p.directions || a->model->step_marker == TP_MARKER_WINDOW)
        return;
    p.calls = p.receives = TP_VEC(a->arena, struct tp_interval);
    find_moments(&p);
    count_micro_batches(&p);
    if (!p.step_count || 2 * p.step_count < a->model->used_count)
        return;
    c.time = tp_intervals_difference(a->arena, lost_time_of_pipeline(&p), a->explained_communication);
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_E11, "min_pct"))
        return;
    c.picks = p.picks;
    c.details = make_pipeline_detail(&p, c.time);
    if (a->cpu ? tp_advisor_add_cpu_finding(a, &c) : tp_advisor_add_and_claim_time(a, &c))
        tp_record_explained_communication(a, a->cpu ? tp_intervals_from_vec(&p.calls) : c.time);
}
