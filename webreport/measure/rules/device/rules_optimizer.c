/* Rules about the optimizer in programs with a device: one kernel per tensor (C6), zeroing gradients tensor by tensor
 * (C7). */
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/model/main_thread.h"

static void evaluate_optimizer(struct tp_advisor *a);

const struct tp_rule tp_rule_C6 = {
    .id = "C6",
    .title = "Update all parameters together: `foreach=True` or `fused=True`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_kernels", 100, true}},
    .advice = "Pass foreach=True or fused=True to the optimizer.",
    .doc_url = DOC_OPT,
    .cause = "optimizer.per_tensor",
    .gain = {.low = 0.5, .high = 1.0},
    .native = {.title = "Update all parameters in one kernel",
               .advice = "Update all parameters in one kernel over a list of arrays."},
    .on_device = evaluate_optimizer,
};

const struct tp_rule tp_rule_C7 = {
    .id = "C7",
    .title = "Drop gradients instead of zeroing: `zero_grad(set_to_none=True)`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_ops", 10, true}},
    .advice = "Call zero_grad(set_to_none=True), which frees the gradients instead of filling them with zeros.",
    .doc_url = DOC_TUNE,
    .cause = "optimizer.zero_grad",
    .gain = {.low = 0.5, .high = 1.0, .right = 4, .known = 4},
    .native = {.title = "Clear all gradients with one memset, or overwrite them",
               .advice = "Clear the gradients with one memset over one block of memory, or write gradients instead of "
                         "adding to them."},
    .on_device = evaluate_optimizer,
};

/* annotations that have one mark, in the window of analysed steps, and the times that they cover */
struct regions {
    struct tp_advisor *a;
    struct tp_vec events; /* indexes of the annotations' events, sorted by thread, then time; elements: uint32_t */
    struct tp_intervals *of_thread; /* for each thread: times that the annotations cover */
};

static void find_regions_with_mark(struct regions *r, uint64_t mark)
{
    r->events = TP_VEC(r->a->arena, uint32_t);
    for (size_t i = 0; i < r->a->regions.count; i++) {
        uint32_t event = *TP_AT(&r->a->regions, uint32_t, i);
        if (tp_event_marks(r->a->model, event) & mark && tp_event_is_in_window(r->a, event))
            *(uint32_t *)tp_vec_push(&r->events) = event;
    }
}

static const struct tp_event *region_event(const struct regions *r, size_t i)
{
    return &r->a->model->trace->events[*TP_AT(&r->events, uint32_t, i)];
}

static void find_region_times(struct regions *r)
{
    r->of_thread = tp_arena_array(r->a->arena, r->a->model->trace->thread_count, sizeof *r->of_thread);
    for (size_t i = 0, end; i < r->events.count; i = end) {
        uint32_t thread = region_event(r, i)->thread;
        struct tp_vec intervals = TP_VEC(r->a->arena, struct tp_interval);
        for (end = i; end < r->events.count && region_event(r, end)->thread == thread; end++)
            tp_intervals_push(&intervals, region_event(r, end)->ts_ns, tp_event_end(region_event(r, end)));
        r->of_thread[thread] = tp_intervals_from_vec(&intervals);
    }
}

/* Returns whether the launch of an operation is inside a region. */
static bool is_launched_inside_region(const struct regions *r, uint32_t device)
{
    const struct tp_event *launch = tp_launch_of_device(r->a->model, device);
    return launch && tp_intervals_contain(r->of_thread[launch->thread], launch->ts_ns);
}

/* Returns the index of the thread's first launch that starts at time `at` or later. from: index at which the search
 * begins. */
static uint32_t first_launch(const struct tp_model *model, uint32_t thread, uint32_t from, int64_t at)
{
    uint32_t lo = from, hi = model->launches.thread_first[thread + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_launch_event(model, mid)->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Operations that are launched inside regions and for which is_one returns true. launch_ns: total length of the launch
 * calls; picks: the first operations. */
struct launched {
    bool (*is_one)(const void *regions, uint32_t device);
    int64_t launch_ns;
    struct tp_vec time; /* times of the operations; elements: struct tp_interval */
    struct tp_picks picks;
    bool goes_away;          /* true if a fix also removes the operations; false: only their calls */
    struct tp_fix_draft fix; /* what a fix removes */
};

static void add_operation(const struct regions *r, struct launched *out, uint32_t device)
{
    const struct tp_event *e = tp_device_event(r->a->model, device);
    if (!out->is_one(r, device))
        return;
    struct tp_pick pick = tp_pick_of_operation(r->a->model, device);
    /* the time in `pick` is the index of the operation, because device operations are in order of time */
    pick.at = device;
    tp_picks_add_by_weight(&out->picks, pick);
    out->launch_ns = tp_sat_add(out->launch_ns, tp_launch_of_device(r->a->model, device)->dur_ns);
    tp_intervals_push(&out->time, e->ts_ns, tp_event_end(e));
    tp_fix_add_call(r->a, &out->fix, r->a->model->launches.event[r->a->model->devices.launch[device]], TP_FIX_WHOLE);
    if (out->goes_away)
        tp_fix_add_operation(r->a, &out->fix, device, TP_FIX_WHOLE);
}

static void find_launched(const struct regions *r, struct launched *out)
{
    const struct tp_model *model = r->a->model;
    out->time = TP_VEC(r->a->arena, struct tp_interval);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t launch = model->launches.thread_first[t];
        for (size_t i = 0; i < r->of_thread[t].count; i++) {
            struct tp_interval covered = r->of_thread[t].items[i];
            uint32_t end = first_launch(model, t, launch, covered.b);
            for (launch = first_launch(model, t, launch, covered.a); launch < end; launch++)
                for (uint32_t k = model->launches.first_device_operation[launch]; k != TP_NO_ID;
                     k = model->devices.next_in_launch[k])
                    add_operation(r, out, k);
        }
    }
}

/* ---- C6: one kernel per tensor ---- */

/* Returns whether a launch starts an operation whose name shows that it is fused. */
static bool launches_fused(const struct tp_model *model, uint32_t launch)
{
    for (uint32_t k = model->launches.first_device_operation[launch]; k != TP_NO_ID;
         k = model->devices.next_in_launch[k])
        if (tp_event_marks(model, model->devices.event[k]) & TP_MARK_FUSED)
            return true;
    return false;
}

/* Returns the starts of launches on a thread, ns. Includes launches of fused operations, and launches inside an event
 * with a fused name. */
static struct tp_vec find_launches_of_fused_operations(const struct tp_advisor *a, uint32_t thread)
{
    const struct tp_model *model = a->model;
    const struct tp_order *order = model->order;
    struct tp_vec starts = TP_VEC(a->arena, int64_t);
    int64_t fused_until = INT64_MIN;
    uint32_t launch = model->launches.thread_first[thread];
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        bool is_fused = model->marks[e->name] & TP_MARK_FUSED;
        if (e->kind == TP_KIND_RUNTIME) {
            bool is_within = is_fused || fused_until > e->ts_ns;
            bool has_operation = model->launches.first_device_operation[launch] != TP_NO_ID;
            if (has_operation && (is_within || launches_fused(model, launch)))
                *(int64_t *)tp_vec_push(&starts) = e->ts_ns;
            launch++;
        }
        if (is_fused)
            fused_until = tp_ns_max(fused_until, tp_event_end(e));
    }
    return starts;
}

static void remove_regions_with_fused_work(struct regions *r)
{
    struct tp_vec starts = TP_VEC(r->a->arena, int64_t);
    uint32_t *events = r->events.data, thread = TP_NO_ID;
    size_t kept = 0;
    if (!tp_any_name_has_marks(r->a->model, TP_MARK_FUSED))
        return;
    for (size_t i = 0; i < r->events.count; i++) {
        const struct tp_event *e = region_event(r, i);
        if (e->thread != thread)
            starts = find_launches_of_fused_operations(r->a, e->thread);
        thread = e->thread;
        if (!(r->a->model->marks[e->name] & TP_MARK_FUSED) && !tp_has_time_within(&starts, e->ts_ns, tp_event_end(e)))
            events[kept++] = events[i];
    }
    r->events.count = kept;
}

static bool is_kernel_operation(const void *regions, uint32_t device)
{
    const struct regions *r = regions;
    return tp_device_event(r->a->model, device)->kind == TP_KIND_KERNEL;
}

static bool is_kernel_inside_region(const void *regions, uint32_t device)
{
    return is_kernel_operation(regions, device) && is_launched_inside_region(regions, device);
}

/* Returns the class in the annotation of an optimizer step: "SGD" for "..#SGD.step"; "" for other names. */
static struct tp_str optimizer_class(struct tp_str name)
{
    static const struct tp_str method = TP_STR(".step");
    ptrdiff_t sign = tp_str_find(name, "#");
    if (sign < 0 || !tp_str_ends(name, method.ptr) || name.len < (size_t)sign + 1 + method.len)
        return TP_STR("");
    return (struct tp_str){name.ptr + sign + 1, name.len - (size_t)sign - 1 - method.len};
}

static void evaluate_per_tensor_optimizer(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_C6, .has_ceiling = true};
    struct regions r = {.a = a};
    struct launched kernels = {.is_one = is_kernel_operation};
    find_regions_with_mark(&r, TP_MARK_OPTIMIZER_STEP);
    remove_regions_with_fused_work(&r);
    if (!r.events.count)
        return;
    find_region_times(&r);
    find_launched(&r, &kernels);
    c.picks = kernels.picks;
    c.fix = kernels.fix;
    if (!((double)c.picks.total > tp_rule_value(a, TP_RULE_C6, "min_kernels") * (double)r.events.count))
        return;
    struct tp_vec gaps = tp_starved_time_before(a, is_kernel_inside_region, &r);
    c.time = tp_intervals_prefix(a->arena, tp_intervals_from_vec(&gaps), kernels.launch_ns);
    c.title = TP_TITLE(TP_TITLE_OPTIMIZER,
                       TP_OF_TEXT(optimizer_class(tp_trace_event_name(a->model->trace, region_event(&r, 0)))));
    tp_advisor_add_finding(a, &c);
}

/* ---- C7: zeroing gradients tensor by tensor ---- */

static bool is_fill_operation(const void *regions, uint32_t device)
{
    const struct regions *r = regions;
    return tp_device_event(r->a->model, device)->kind == TP_KIND_MEMSET ||
           tp_enclosing_kinds(r->a, r->a->model->devices.owner[device]) & TP_ENCLOSED_BY_FILL;
}

static bool is_fill_inside_region(const void *regions, uint32_t device)
{
    return is_launched_inside_region(regions, device) && is_fill_operation(regions, device);
}

static void evaluate_zeroing(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_C7, .has_ceiling = true};
    struct regions r = {.a = a};
    struct launched fills = {.is_one = is_fill_operation, .goes_away = true};
    find_regions_with_mark(&r, TP_MARK_ZERO_GRAD);
    if (!r.events.count)
        return;
    find_region_times(&r);
    find_launched(&r, &fills);
    c.picks = fills.picks;
    c.fix = fills.fix;
    if ((double)c.picks.total < tp_rule_value(a, TP_RULE_C7, "min_ops") * (double)r.events.count)
        return;
    struct tp_vec gaps = tp_starved_time_before(a, is_fill_inside_region, &r);
    tp_intervals_append(&fills.time, tp_intervals_from_vec(&gaps));
    c.time = tp_intervals_from_vec(&fills.time);
    tp_advisor_add_finding(a, &c);
}

static void evaluate_optimizer(struct tp_advisor *a)
{
    evaluate_per_tensor_optimizer(a);
    evaluate_zeroing(a);
}
