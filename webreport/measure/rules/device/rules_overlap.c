/* Implements rules_overlap.h: computes the largest possible gain from overlapping communication with compute. Two
 * things limit this gain: the compute of the same step, and the lead of the host over the device. The file also
 * contains the rule about exposed communication (E1). */
#include "webreport/measure/rules/device/rules_overlap.h"

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

static void evaluate_communication(struct tp_advisor *a);

const struct tp_rule tp_rule_E1 = {
    .id = "E1",
    .title = "Overlap communication with backward: tune bucket sizes, or prefetch parameters",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 5.0, false}},
    .advice = "Overlap communication with the backward pass, tune bucket sizes, or prefetch parameters.",
    .doc_url = DOC_DIST,
    .cause = "comm.exposed",
    .gain = {.low = 0, .high = 1.0, .right = 6, .known = 6},
    .native = {.title = "Start communication in parts, and compute meanwhile",
               .advice = "Start communication in parts, each as soon as its data is ready, and compute meanwhile."},
    .mpi = {.title = "Start communication early with `MPI_Isend` or `MPI_Iallreduce`, and compute meanwhile",
            .advice = OVERLAP_WITH_MPI},
    .inference = {.title = "Start communication as soon as its data is ready, and compute meanwhile",
                  .advice = "Start communication as soon as its data is ready, and compute meanwhile. "
                            "Alternatively, " LESS_COMMUNICATION "."},
    .serving = {.title = "Communicate less: set a smaller `--tensor-parallel-size`, or a larger `--data-parallel-size`",
                .advice = "Keep the engine's own all-reduce enabled (in vLLM and SGLang, omit "
                          "--disable-custom-all-reduce). Also use fewer devices for each copy of the model (a smaller "
                          "--tensor-parallel-size), or more copies of the model (a larger --data-parallel-size)."},
    .on_device = evaluate_communication,
};

/* ---- communication that compute could hide ---- */

static bool is_compute(const struct tp_model *model, uint32_t device)
{
    return tp_device_event(model, device)->kind == TP_KIND_KERNEL && !tp_is_communication(model, device);
}

/* Returns the start of the step's backward pass on the device, ns: the start of the first compute kernel that a
 * backward node launches. *next: index of the device's first operation to examine.
 *
 * Returns the end of the step if there is no such kernel. Also returns the end if other compute runs between such
 * kernels. In this case several passes alternate, and compute of each pass may hide communication of the others. */
static int64_t backward_start_ns(struct tp_advisor *a, const struct tp_gpu *gpu, const struct tp_step *step,
                                 uint32_t *next)
{
    const struct tp_model *model = a->model;
    int64_t start = step->end_ns;
    bool is_found = false, is_over = false, is_single = true;
    for (; *next < gpu->count && tp_device_event(model, gpu->events[*next])->ts_ns < step->end_ns; ++*next) {
        uint32_t device = gpu->events[*next], launch = model->devices.launch[device];
        int64_t at = tp_device_event(model, device)->ts_ns;
        if (at < step->start_ns || launch == TP_NO_ID || !is_compute(model, device))
            continue;
        bool is_backward = tp_enclosing_kinds(a, model->launches.op[launch]) & TP_ENCLOSED_BY_BACKWARD;
        is_single &= !(is_backward && is_over);
        if (is_backward && !is_found)
            start = at;
        is_found |= is_backward;
        is_over |= is_found && !is_backward;
    }
    return is_single ? start : step->end_ns;
}

/* Adds the part of `exposed` between `from` and `to` that the compute in `free` could hide. free: compute during which
 * no communication runs. */
static void add_part_that_compute_can_hide(struct tp_vec *hidden, struct tp_intervals exposed, struct tp_intervals free,
                                           int64_t from, int64_t to)
{
    int64_t left = tp_intervals_length_within(free, from, to);
    size_t i = 0;
    while (i < exposed.count && exposed.items[i].b <= from)
        i++;
    for (; i < exposed.count && exposed.items[i].a < to && left > 0; i++) {
        int64_t start = tp_ns_max(exposed.items[i].a, from), end = tp_ns_min(exposed.items[i].b, to);
        end = tp_ns_min(end, start + left);
        tp_intervals_push(hidden, start, end);
        left -= end - start;
    }
}

struct tp_intervals tp_hideable_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals exposed)
{
    struct tp_intervals free = tp_intervals_difference(a->arena, gpu->compute, gpu->communication);
    struct tp_vec hidden = TP_VEC(a->arena, struct tp_interval);
    size_t first = 0;
    uint32_t next = 0;
    if (a->model->gpu_count > TP_MAX_OVERLAP_GPUS)
        return exposed;
    for (uint32_t s = 0; s < a->model->step_count && first < exposed.count; s++) {
        const struct tp_step *step = &a->model->steps[s];
        if (!tp_step_is_used(step))
            continue;
        while (first < exposed.count && exposed.items[first].b <= step->start_ns)
            first++;
        struct tp_intervals rest = {exposed.items + first, exposed.count - first};
        int64_t backward_ns = backward_start_ns(a, gpu, step, &next);
        add_part_that_compute_can_hide(&hidden, rest, free, step->start_ns, backward_ns);
        add_part_that_compute_can_hide(&hidden, rest, free, backward_ns, step->end_ns);
    }
    return tp_intervals_from_vec(&hidden);
}

/* ---- communication that, if hidden, lets the steps finish earlier ---- */

/* a call that blocks the host until the device has reached a certain operation; times in ns */
struct blocking {
    int64_t end_ns, dur_ns;
};

static int compare_by_end(const void *x, const void *y, const void *context)
{
    const struct blocking *a = x, *b = y;
    (void)context;
    return a->end_ns != b->end_ns ? (a->end_ns < b->end_ns ? -1 : 1)
                                  : (a->dur_ns > b->dur_ns) - (a->dur_ns < b->dur_ns);
}

static void add_blocking_call(struct tp_vec *calls, const struct tp_event *call)
{
    *(struct blocking *)tp_vec_push(calls) = (struct blocking){tp_event_end(call), call->dur_ns};
}

/* Returns the calls that block the host, in order of their ends. These are waits for the device and long calls that
 * start a device operation. Examples of long calls are a copy to the host, or a launch into a full queue. */
static struct tp_vec find_blocking_calls(const struct tp_advisor *a, const struct tp_gpu *gpu)
{
    const struct tp_model *model = a->model;
    struct tp_vec calls = TP_VEC(a->arena, struct blocking);
    uint32_t index = (uint32_t)(gpu - model->gpus);
    for (uint32_t i = 0; i < model->wait_count; i++)
        if (model->waits[i].gpu == index)
            add_blocking_call(&calls, &model->trace->events[model->waits[i].event]);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *call = tp_launch_event(model, i);
        uint32_t device = model->launches.first_device_operation[i];
        if (call->dur_ns >= TP_PROMPT_NS && device != TP_NO_ID && model->devices.gpu[device] == index &&
            !(model->marks[call->name] & (TP_MARK_SYNC | TP_MARK_BLOCKING_COPY)))
            add_blocking_call(&calls, call);
    }
    tp_merge_sort(a->arena, calls.data, calls.count, sizeof(struct blocking), compare_by_end, NULL);
    return calls;
}

/* The times by which device and host could be ahead of the recording, ns. */
struct lead {
    struct tp_vec kept; /* intervals whose total length is device_ns; elements: struct tp_interval */
    int64_t device_ns, host_ns;
};

/* Shortens the latest intervals in `kept` until the lead of the device is at most `most` ns. */
static void shorten_lead_of_device(struct lead *lead, int64_t most)
{
    while (lead->device_ns > most) {
        struct tp_interval *last = TP_AT(&lead->kept, struct tp_interval, lead->kept.count - 1);
        int64_t cut = tp_ns_min(last->b - last->a, lead->device_ns - most);
        lead->device_ns -= cut;
        last->b -= cut;
        lead->kept.count -= last->b == last->a;
    }
}

struct stream_time {
    int64_t stream, ns;
};

/* Returns the number of the stream with the most compute time; of equal streams the smallest number. Returns
 * TP_NULL_INT without compute. */
static int64_t find_main_stream(const struct tp_advisor *a, const struct tp_gpu *gpu)
{
    const struct tp_model *model = a->model;
    struct tp_id_map index;
    struct tp_vec sums = TP_VEC(a->arena, struct stream_time);
    struct stream_time most = {TP_NULL_INT, -1};
    tp_id_map_init(&index, a->arena);
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        if (!is_compute(model, gpu->events[i]))
            continue;
        int64_t stream = tp_stream_number(model, e);
        uint32_t *place = tp_id_map_find_or_add(&index, (uint64_t)stream);
        if (*place == TP_NO_ID) {
            *place = (uint32_t)sums.count;
            *(struct stream_time *)tp_vec_push(&sums) = (struct stream_time){stream, 0};
        }
        struct stream_time *sum = TP_AT(&sums, struct stream_time, *place);
        sum->ns = tp_sat_add(sum->ns, e->dur_ns);
    }
    for (size_t i = 0; i < sums.count; i++) {
        struct stream_time sum = *TP_AT(&sums, struct stream_time, i);
        if (sum.ns > most.ns || (sum.ns == most.ns && sum.stream < most.stream))
            most = sum;
    }
    tp_id_map_release(&index);
    return most.stream;
}

/* a walk over the compute kernels of the main stream, which is the stream with the most compute */
struct main_kernels {
    const struct tp_gpu *gpu;
    int64_t stream;
    uint32_t next; /* index of the device's first operation to examine */
};

/* Returns the longest time from the end of a kernel's launch to `start`, ns, among the kernels of the main stream that
 * start at `start`. Returns INT64_MAX if a kernel has no launch, or if no kernel starts at `start`. */
static int64_t longest_launch_lead_ns(const struct tp_model *model, struct main_kernels *kernels, int64_t start)
{
    int64_t longest = -1;
    for (; kernels->next < kernels->gpu->count; kernels->next++) {
        uint32_t device = kernels->gpu->events[kernels->next], launch = model->devices.launch[device];
        const struct tp_event *e = tp_device_event(model, device);
        if (e->ts_ns > start)
            break;
        if (e->ts_ns < start || !e->dur_ns || !is_compute(model, device) ||
            tp_stream_number(model, e) != kernels->stream)
            continue;
        int64_t ns = launch == TP_NO_ID ? INT64_MAX : tp_sat_sub(start, tp_event_end(tp_launch_event(model, launch)));
        longest = tp_ns_max(longest, tp_ns_max(ns, 0));
    }
    return longest < 0 ? INT64_MAX : longest;
}

/* a walk over communication that could be hidden and over blocking host calls, both in order of time */
struct walk {
    struct tp_intervals intervals;
    struct tp_vec calls; /* elements: struct blocking */
    /* interval: index of the next interval of communication; call: index of the next blocking call */
    size_t interval, call;
    struct lead lead;
};

/* Processes all events up to time `at`, ns: each interval at its start, each call at its return. */
static void process_events_until(struct walk *w, int64_t at)
{
    for (;;) {
        const struct tp_interval *interval = w->interval < w->intervals.count ? &w->intervals.items[w->interval] : NULL;
        const struct blocking *call = w->call < w->calls.count ? TP_AT(&w->calls, struct blocking, w->call) : NULL;
        if (interval && interval->a <= at && (!call || interval->a <= call->end_ns)) {
            w->lead.device_ns += interval->b - interval->a;
            *(struct tp_interval *)tp_vec_push(&w->lead.kept) = *interval;
            w->interval++;
        } else if (call && call->end_ns <= at) {
            w->lead.host_ns = tp_ns_min(w->lead.device_ns, tp_sat_add(w->lead.host_ns, call->dur_ns));
            w->call++;
        } else {
            return;
        }
    }
}

struct tp_intervals tp_critical_communication(struct tp_advisor *a, const struct tp_gpu *gpu,
                                              struct tp_intervals intervals)
{
    if (!intervals.count || a->model->gpu_count > TP_MAX_OVERLAP_GPUS)
        return intervals;
    struct walk w = {.intervals = intervals, .calls = find_blocking_calls(a, gpu)};
    struct main_kernels kernels = {gpu, find_main_stream(a, gpu), 0};
    w.lead.kept = TP_VEC(a->arena, struct tp_interval);
    for (size_t i = 0; i < gpu->compute.count; i++) {
        int64_t start = gpu->compute.items[i].a;
        process_events_until(&w, start);
        shorten_lead_of_device(&w.lead, tp_sat_add(w.lead.host_ns, longest_launch_lead_ns(a->model, &kernels, start)));
    }
    process_events_until(&w, INT64_MAX);
    return tp_intervals_from_vec(&w.lead.kept);
}

/* ---- E1: exposed communication ---- */

/* times of communication on all devices, for rule E1 */
struct overlap {
    /* elements: struct tp_interval. exposed: communication without compute; hidden: part of `exposed` that compute
     * could hide; sooner: part of `hidden` that, if hidden, lets the steps finish earlier */
    struct tp_vec exposed, hidden, critical_communication;
    struct tp_fix_draft fix; /* removes at least the part of each call that compute could hide */
};

/* Adds to the fix the parts of the calls of a device that compute could hide. */
static void add_hidden_parts(struct tp_advisor *a, const struct tp_gpu *gpu, struct tp_intervals hidden,
                             struct tp_fix_draft *fix)
{
    for (uint32_t i = 0; i < gpu->count && hidden.count; i++) {
        const struct tp_event *e = tp_device_event(a->model, gpu->events[i]);
        int64_t ns = tp_is_communication(a->model, gpu->events[i])
                         ? tp_intervals_length_within(hidden, e->ts_ns, tp_event_end(e))
                         : 0;
        if (ns > 0)
            tp_fix_add_operation(a, fix, gpu->events[i], (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, ns, e->dur_ns));
    }
}

static void add_communication_of_device(struct tp_advisor *a, const struct tp_gpu *gpu, struct overlap *o)
{
    struct tp_intervals mine = tp_intervals_intersection(a->arena, gpu->exposed_communication, a->model->window);
    if (a->explained_communication.count)
        mine = tp_intervals_difference(a->arena, mine, a->explained_communication);
    struct tp_intervals hidden = tp_hideable_communication(a, gpu, mine);
    tp_intervals_append(&o->exposed, mine);
    tp_intervals_append(&o->hidden, hidden);
    add_hidden_parts(a, gpu, hidden, &o->fix);
    tp_intervals_append(&o->critical_communication, tp_critical_communication(a, gpu, hidden));
}

static struct tp_detail *make_overlap_detail(struct tp_advisor *a, int64_t exposed_ns, int64_t hidden_ns,
                                             int64_t sooner_ns)
{
    struct tp_detail *rest = NULL, *late = NULL;
    if (hidden_ns < exposed_ns)
        rest = TP_DETAIL(a, TP_DETAIL_OVERLAP_REST, TP_NO_ARGUMENT);
    if (sooner_ns < hidden_ns)
        late = TP_DETAIL(a, TP_DETAIL_OVERLAP_LATE, TP_OF_PERCENT(tp_analysed_percent(a, hidden_ns - sooner_ns)));
    return tp_detail_join(a->arena,
                          TP_DETAIL(a, TP_DETAIL_OVERLAP, TP_OF_PERCENT(tp_analysed_percent(a, exposed_ns)),
                                    TP_OF_PERCENT(tp_analysed_percent(a, hidden_ns))),
                          tp_detail_join(a->arena, rest, late));
}

/* Returns the title for a step with this much communication without computation, and this much that computation could
 * hide. */
static struct tp_title title_of_overlap(const struct tp_advisor *a, int64_t exposed_ns, int64_t hidden_ns)
{
    static const double LEAST_PERCENT = 0.1;
    double hidden = tp_analysed_percent(a, hidden_ns);
    if (hidden < LEAST_PERCENT)
        return TP_TITLE(TP_TITLE_COMMUNICATE_LESS, TP_NO_ARGUMENT);
    return TP_TITLE(TP_TITLE_OVERLAP, TP_OF_PERCENT(tp_analysed_percent(a, exposed_ns)), TP_OF_PERCENT(hidden));
}

static void evaluate_communication(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_E1, .has_ceiling = true, .may_have_severity_info = true};
    struct tp_vec none = TP_VEC(a->arena, struct tp_interval);
    struct overlap o = {none, none, none, {.hides_communication = true, .is_whole = true}};
    uint32_t k;
    for (uint32_t g = 0; g < a->model->gpu_count; g++)
        if (a->model->gpus[g].exposed_communication.count)
            add_communication_of_device(a, &a->model->gpus[g], &o);
    int64_t exposed_ns = tp_intervals_length(tp_intervals_from_vec(&o.exposed));
    double share = tp_analysed_percent(a, exposed_ns);
    if (!(share > tp_rule_value(a, TP_RULE_E1, "min_pct")))
        return;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        if (tp_is_communication(a->model, k))
            tp_picks_add_operation_by_length(&c.picks, a->model, k);
    c.time = tp_intervals_from_vec(&o.critical_communication);
    c.fix = o.fix;
    /* the position in the list depends on only half of the share, because ranks may stop waiting for each other
     * completely */
    c.weight = share / 2;
    int64_t hidden_ns = tp_intervals_length(tp_intervals_from_vec(&o.hidden));
    c.title = title_of_overlap(a, exposed_ns, hidden_ns);
    c.details = make_overlap_detail(a, exposed_ns, hidden_ns, tp_intervals_length(c.time));
    tp_advisor_add_finding(a, &c);
}
