/* Rule E4: many small collectives. Each call has a fixed latency, and one call could send several tensors.
 *
 * The rule examines only calls that can be joined. These are calls without a matrix product between them, as in a loop
 * over gradients, and calls of DistributedDataParallel and FSDP, whose tensors do not depend on each other. In tensor
 * parallelism, the all-reduce of a layer is the input of the next layer and cannot be joined. */
#include "webreport/measure/rules/device/rules_collectives.h"
#include "webreport/measure/rules/rules_texts.h"

#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/model/collectives_build.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/collective_kinds.h"
#include "webreport/trace/json/value.h"
#include "writer/base/keys.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

static void evaluate_small_collectives(struct tp_advisor *a);

const struct tp_rule tp_rule_E4 = {
    .id = "E4",
    .title = "Merge many small collectives into a few large ones",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"max_bytes", 1048576, true}, {"min_per_step", 20, true}, {"min_pct", 1.0, false}},
    .advice = "Send several tensors with one call: flatten them into one tensor, or coalesce the calls. With "
              "DistributedDataParallel, set a larger bucket_cap_mb and gradient_as_bucket_view=True. With "
              "FullyShardedDataParallel, wrap larger blocks.",
    .doc_url = DOC_DDP,
    .cause = "comm.small",
    .gain = {.low = 0.8, .high = 1.0},
    .native = {.advice = "Copy several arrays into one array and send it with one call."},
    .mpi = {.advice =
                "Copy several arrays into one buffer, or describe them with one MPI datatype, and make one call."},
    .inference = {.advice = "Send several tensors with one call: flatten them into one tensor, or coalesce the calls."},
    .rule_with_same_flaws = "E1",
    .on_device = evaluate_small_collectives,
    .on_host = evaluate_small_collectives,
};

enum { TINY_BYTES = 32 << 10 }; /* a call that sends at most this number of bytes consists only of latency */
static const double LEAST_OF_LARGER = 0.6;

/* A small collective call, and the host event that issued it. */
struct call {
    uint32_t record, issuer, step, class;
    /* start and end of the call on the device, ns; without a device: on the host, from the handover to a backend
     * thread */
    int64_t a, b;
    bool is_joinable; /* true if the call can be joined with another call of its class and step */
    bool is_gradient; /* true if a wrapper for data parallelism issued the call */
    /* true for the longest joinable call of its class and step. A fix does not save the time of this call, because
     * the joined call would also wait for a late rank */
    bool is_longest;
};

/* collective calls of one kind in one process group */
struct class
{
    const struct tp_collective_kind *kind;
    uint32_t last, count; /* last: index of the previous call; TP_NO_ID: no call yet. count: number of joinable calls */
    uint32_t longest;     /* index of the longest call so far in the current step; TP_NO_ID: no call yet */
    int64_t bytes, latency_ns;
    bool has_latency, has_gradients;
    /* tiny: durations of calls up to TINY_BYTES, ns; all: durations of all joinable calls, ns; elements: int64_t */
    struct tp_vec tiny, all;
};

struct search {
    struct tp_advisor *a;
    struct tp_vec calls, classes;   /* elements of `calls`: struct call; elements of `classes`: struct class */
    struct tp_vec products;         /* starts of matrix work, ns, ascending; elements: int64_t */
    struct tp_vec dispatcher_calls; /* uint32_t: calls of torch.distributed's dispatcher, in order of start */
};

/* ---- finding the calls ---- */

static bool is_product_kernel(const struct tp_advisor *a, uint32_t device)
{
    unsigned work = a->kinds->of_device[device];
    return work == TP_WORK_GEMM || work == TP_WORK_ATTENTION || work == TP_WORK_CONVOLUTION || work == TP_WORK_MOE;
}

static void find_products(struct search *s)
{
    const struct tp_advisor *a = s->a;
    uint32_t k;
    s->products = TP_VEC(a->arena, int64_t);
    for (struct tp_operations w = {.a = a}; !a->cpu && tp_next_kernel(&w, &k);)
        if (is_product_kernel(a, k))
            *(int64_t *)tp_vec_push(&s->products) = tp_device_event(a->model, k)->ts_ns;
    for (uint32_t i = 0; a->cpu && i < a->cpu->count; i++)
        if (a->model->operators.flags[a->cpu->ops[i]] & TP_OPERATOR_ELIGIBLE)
            *(int64_t *)tp_vec_push(&s->products) = tp_operator_event(a->model, a->cpu->ops[i])->ts_ns;
}

/* Lists the calls of torch.distributed's dispatcher. A backend with its own threads (gloo) runs each collective some
 * time after the dispatcher call. */
static void find_dispatcher_calls(struct search *s)
{
    const struct tp_model *model = s->a->model;
    s->dispatcher_calls = TP_VEC(s->a->arena, uint32_t);
    for (uint32_t i = 0; s->a->cpu && i < s->a->cpu->count; i++) {
        uint32_t event = model->operators.event[s->a->cpu->ops[i]];
        if (model->marks[model->trace->events[event].name] & TP_MARK_C10D)
            *(uint32_t *)tp_vec_push(&s->dispatcher_calls) = event;
    }
}

/* Returns the dispatcher call that issued the collective of a record: the last dispatcher call before the record.
 * Returns TP_NO_ID if that call is on the same thread. */
static uint32_t dispatcher_call_before(const struct search *s, const struct tp_collective *record)
{
    const struct tp_trace *trace = s->a->model->trace;
    size_t lo = 0, hi = s->dispatcher_calls.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (trace->events[*TP_AT(&s->dispatcher_calls, uint32_t, mid)].ts_ns <= record->start_ns)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t event = lo ? *TP_AT(&s->dispatcher_calls, uint32_t, lo - 1) : TP_NO_ID;
    bool is_other = event != TP_NO_ID && trace->events[event].thread != trace->events[record->event].thread;
    return is_other ? event : TP_NO_ID;
}

/* Returns whether the process group of a record has other ranks. A group of unknown size is assumed to have other
 * ranks. */
static bool has_other_ranks(const struct tp_trace *trace, const struct tp_collective *record)
{
    uint32_t size = record->comm == TP_NO_ID ? TP_NO_ID : trace->comms[record->comm].group_size;
    return size == TP_NO_ID || tp_value_int(trace->values.items[size]) != 1;
}

static bool is_small_message(const struct tp_advisor *a, const struct tp_collective *record)
{
    const struct tp_collective_kind *kind = tp_collective_kind_by_name(record->name);
    return record->bytes > 0 && (double)record->bytes < tp_rule_value(a, TP_RULE_E4, "max_bytes") && kind &&
           kind->is_joint && has_other_ranks(a->model->trace, record) && (a->cpu || record->kernel_count) &&
           tp_intervals_contain(a->model->window, record->start_ns);
}

static void add_call(struct search *s, uint32_t record_index, uint32_t class)
{
    const struct tp_model *model = s->a->model;
    const struct tp_collective *record = &model->collectives.items[record_index];
    struct tp_interval time = tp_collective_interval(record);
    uint32_t dispatcher_calls = dispatcher_call_before(s, record);
    struct call *call = tp_vec_push(&s->calls);
    *call = (struct call){.record = record_index, .class = class, .a = time.a, .b = time.b};
    call->step = tp_step_of_collective(model, record);
    call->issuer = record->is_device ? TP_NO_ID : dispatcher_calls != TP_NO_ID ? dispatcher_calls : record->event;
    if (dispatcher_calls != TP_NO_ID && s->calls.count > 1)
        call->a = tp_ns_max(tp_ns_min(call->a, model->trace->events[dispatcher_calls].ts_ns),
                            tp_ns_min(call->a, TP_AT(&s->calls, struct call, s->calls.count - 2)->b));
}

static void find_calls(struct search *s)
{
    const struct tp_collectives *records = &s->a->model->collectives;
    struct tp_strings names;
    struct tp_keys keys;
    tp_strings_init(&names, s->a->arena, 0);
    tp_keys_init(&keys, s->a->arena, 2);
    s->calls = TP_VEC(s->a->arena, struct call);
    s->classes = TP_VEC(s->a->arena, struct class);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        if (!is_small_message(s->a, record))
            continue;
        uint32_t group = record->comm == TP_NO_ID ? TP_NO_ID : s->a->model->trace->comms[record->comm].group_name;
        uint32_t class = tp_keys_pair(&keys, tp_strings_add(&names, record->name), group);
        if (class == s->classes.count)
            *(struct class *)tp_vec_push(&s->classes) = (struct class){.kind = tp_collective_kind_by_name(record->name),
                                                                       .last = TP_NO_ID,
                                                                       .longest = TP_NO_ID,
                                                                       .tiny = TP_VEC(s->a->arena, int64_t),
                                                                       .all = TP_VEC(s->a->arena, int64_t)};
        add_call(s, i, class);
    }
}

/* ---- joinable calls ---- */

/* Returns, for each name id, whether a wrapper for data parallelism sends gradients in ranges with this name. */
static uint8_t *find_names_of_gradient_wrappers(struct tp_advisor *a)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint8_t *is_wrapper = tp_arena_array(a->arena, names->count, 1);
    for (uint32_t i = 0; i < names->count; i++)
        is_wrapper[i] = tp_is_sharding_name(names->items[i]) ||
                        tp_str_equal(names->items[i], TP_STR(TP_BACKWARD_NODE " torch::autograd::AccumulateGrad"));
    return is_wrapper;
}

static bool is_gradient(const struct tp_model *model, const uint8_t *is_wrapper, uint32_t event)
{
    int64_t at = event == TP_NO_ID ? 0 : model->trace->events[event].ts_ns;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at))
        if (is_wrapper[model->trace->events[i].name])
            return true;
    return false;
}

static void add_calls_to_classes(struct search *s)
{
    uint8_t *is_wrapper = find_names_of_gradient_wrappers(s->a);
    for (uint32_t i = 0; i < s->calls.count; i++) {
        struct call *call = TP_AT(&s->calls, struct call, i);
        struct class *class = TP_AT(&s->classes, struct class, call->class);
        struct call *last = class->last == TP_NO_ID ? NULL : TP_AT(&s->calls, struct call, class->last);
        call->is_gradient = is_gradient(s->a->model, is_wrapper, call->issuer);
        class->last = i;
        if (!last || last->step != call->step)
            continue;
        bool are_joinable = (last->is_gradient && call->is_gradient) ||
                            !tp_has_time_within(&s->products, last->a, tp_ns_max(call->a, 1 + last->a));
        call->is_joinable |= are_joinable;
        last->is_joinable |= are_joinable;
    }
}

/* ---- cost of the calls ---- */

static void update_longest_call_of_class(struct search *s, struct class *class, uint32_t index)
{
    struct call *call = TP_AT(&s->calls, struct call, index);
    struct call *longest = class->longest == TP_NO_ID ? NULL : TP_AT(&s->calls, struct call, class->longest);
    if (longest && longest->step == call->step && longest->b - longest->a >= call->b - call->a)
        return;
    if (longest && longest->step == call->step)
        longest->is_longest = false;
    call->is_longest = true;
    class->longest = index;
}

static void find_longest_calls_of_classes(struct search *s)
{
    for (uint32_t i = 0; i < s->calls.count; i++) {
        const struct call *call = TP_AT(&s->calls, struct call, i);
        struct class *class = TP_AT(&s->classes, struct class, call->class);
        int64_t bytes = s->a->model->collectives.items[call->record].bytes;
        if (!call->is_joinable)
            continue;
        update_longest_call_of_class(s, class, i);
        class->count++;
        class->bytes = tp_sat_add(class->bytes, bytes);
        class->has_gradients |= call->is_gradient;
        *(int64_t *)tp_vec_push(&class->all) = call->b - call->a;
        if (bytes <= TINY_BYTES)
            *(int64_t *)tp_vec_push(&class->tiny) = call->b - call->a;
    }
    for (uint32_t c = 0; c < s->classes.count; c++) {
        struct class *class = TP_AT(&s->classes, struct class, c);
        class->has_latency = class->tiny.count > 0;
        const struct tp_vec *known = class->has_latency ? &class->tiny : &class->all;
        class->latency_ns = tp_lower_median(known->data, known->count);
    }
}

static bool is_class_frequent(const struct search *s, const struct class *class)
{
    return (double)class->count > tp_rule_value(s->a, TP_RULE_E4, "min_per_step") * s->a->model->used_count;
}

/* Returns the time of the outermost communication call around a host event. */
static struct tp_interval time_of_outermost_call(const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    struct tp_interval whole = {e->ts_ns, tp_event_end(e)};
    int64_t at = e->ts_ns;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at)) {
        e = &model->trace->events[i];
        if (e->kind != TP_KIND_OPERATOR && e->kind != TP_KIND_ANNOTATION)
            continue;
        if (tp_event_range_kind(model, e) != TP_RANGE_COMMUNICATION)
            break;
        whole = (struct tp_interval){e->ts_ns, tp_event_end(e)};
    }
    return whole;
}

/* times of the joinable calls */
struct found {
    /* elements: struct tp_interval. latency: avoidable latency; between: time between two calls of a loop; host: host
     * time of the calls; whole: total time of the calls */
    struct tp_vec latency, between, host, whole;
    struct tp_picks picks;
    uint32_t most; /* index of the class with the most joinable calls */
};

/* Returns the latency of a call, ns: the part of its time that does not depend on the number of bytes. */
static int64_t call_cost_ns(const struct search *s, const struct call *call)
{
    const struct class *class = TP_AT(&s->classes, struct class, call->class);
    bool is_tiny = s->a->model->collectives.items[call->record].bytes <= TINY_BYTES;
    return is_tiny ? call->b - call->a : tp_ns_min(call->b - call->a, class->latency_ns);
}

/* Adds the host cost of `call`, which follows `before` in its class and step. In a loop over tensors, this cost
 * includes the host's work between the two calls, unless that work takes longer than a call. */
static void add_cost_of_next_call(struct search *s, struct found *found, const struct call *before,
                                  const struct call *call)
{
    const struct tp_model *model = s->a->model;
    bool is_loop = !call->is_gradient;
    if (s->a->cpu) {
        int64_t latency_ns = TP_AT(&s->classes, struct class, call->class)->latency_ns;
        if (is_loop && tp_sat_sub(call->a, before->b) < latency_ns)
            tp_intervals_push(&found->between, before->b, call->a);
    } else if (call->issuer != TP_NO_ID && before->issuer != TP_NO_ID) {
        struct tp_interval last = time_of_outermost_call(model, before->issuer),
                           whole = time_of_outermost_call(model, call->issuer);
        is_loop &= last.b <= whole.a && whole.a - last.b < whole.b - whole.a;
        tp_intervals_push(&found->host, is_loop ? last.b : whole.a, whole.b);
    }
}

static void add_frequent_classes(struct search *s, struct found *found)
{
    for (uint32_t c = 0; c < s->classes.count; c++)
        TP_AT(&s->classes, struct class, c)->last = TP_NO_ID;
    for (uint32_t i = 0; i < s->calls.count; i++) {
        const struct call *call = TP_AT(&s->calls, struct call, i);
        struct class *class = TP_AT(&s->classes, struct class, call->class);
        if (!call->is_joinable || !is_class_frequent(s, class))
            continue;
        const struct call *before = class->last == TP_NO_ID ? NULL : TP_AT(&s->calls, struct call, class->last);
        class->last = i;
        if (!found->picks.total || class->count > TP_AT(&s->classes, struct class, found->most)->count)
            found->most = call->class;
        tp_picks_add_by_length(&found->picks, s->a->model, s->a->model->collectives.items[call->record].event);
        tp_intervals_push(&found->whole, call->a, call->b);
        if (!call->is_longest)
            tp_intervals_push(&found->latency, call->a, call->a + call_cost_ns(s, call));
        if (before && before->step == call->step)
            add_cost_of_next_call(s, found, before, call);
    }
}

/* Returns the time that joining the calls would save. Without a device: the latency that no computation hides, and the
 * time between calls. With a device: the exposed latency, and the time in which the device waits for the launches. */
static struct tp_intervals fixed_cost_time(struct tp_advisor *a, struct found *found)
{
    struct tp_intervals latency = tp_intervals_from_vec(&found->latency);
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    if (a->cpu) {
        tp_intervals_append(&time, tp_intervals_difference(a->arena, latency, tp_computing_times(a->model, a->arena)));
        tp_intervals_append(&time, tp_intervals_from_vec(&found->between));
        return tp_intervals_from_vec(&time);
    }
    tp_intervals_append(&time, tp_intervals_intersection(a->arena, latency, tp_exposed_communication(a)));
    tp_intervals_append(&time,
                        tp_intervals_intersection(a->arena, tp_intervals_from_vec(&found->host), a->model->starved));
    return tp_intervals_from_vec(&time);
}

static struct tp_detail *class_detail(struct tp_advisor *a, const struct class *class)
{
    enum tp_detail_id id = class->has_latency ? TP_DETAIL_COLLECTIVES : TP_DETAIL_LARGE_COLLECTIVES;
    if (class->has_gradients)
        id = class->has_latency ? TP_DETAIL_COLLECTIVES_OF_WRAPPER : TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER;
    return TP_DETAIL(a, id, TP_OF_NUMBER(class->count / a->model->used_count), TP_OF_TEXT(tp_str_of(class->kind->name)),
                     TP_OF_BYTES(class->bytes / class->count), TP_OF_NS(class->latency_ns));
}

static void evaluate_small_collectives(struct tp_advisor *a)
{
    struct search s = {.a = a};
    struct found found = {.latency = TP_VEC(a->arena, struct tp_interval)};
    struct tp_candidate c = {.rule = TP_RULE_E4, .has_ceiling = true};
    found.between = found.host = found.whole = found.latency;
    find_dispatcher_calls(&s);
    find_calls(&s);
    if ((double)s.calls.count <= tp_rule_value(a, TP_RULE_E4, "min_per_step") * a->model->used_count)
        return;
    find_products(&s);
    add_calls_to_classes(&s);
    find_longest_calls_of_classes(&s);
    add_frequent_classes(&s, &found);
    if (!found.picks.total)
        return;
    const struct class *class = TP_AT(&s.classes, struct class, found.most);
    c.picks = found.picks;
    c.time = fixed_cost_time(a, &found);
    /* larger tensors must first be copied into one buffer, so the gain is smaller; without tiny calls, the latency is
     * unknown, and all time may be transfer */
    c.has_lower_bound = !class->has_latency || class->bytes / class->count > TINY_BYTES;
    c.low = class->has_latency ? LEAST_OF_LARGER : 0;
    c.title = TP_TITLE(class->has_gradients ? TP_TITLE_COLLECTIVES_OF_WRAPPER : TP_TITLE_COLLECTIVES,
                       TP_OF_NUMBER(class->count / a->model->used_count), TP_OF_TEXT(tp_str_of(class->kind->name)));
    c.details = class_detail(a, class);
    if (tp_analysed_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_E4, "min_pct"))
        return;
    if (a->cpu ? tp_advisor_add_cpu_finding(a, &c) : tp_advisor_add_and_claim_time(a, &c))
        tp_record_explained_communication(a, tp_intervals_from_vec(&found.whole));
}
