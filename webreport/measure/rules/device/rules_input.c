/* Rules about input and copies in programs with a device: data loader on the main thread (B1, B2), pageable copies
 * (B3), exposed copies (B4), tiny copies (B5). */
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/base/utf8.h"

static void evaluate_loader(struct tp_advisor *a);
static void evaluate_pageable(struct tp_advisor *a);
static void evaluate_input_copy(struct tp_advisor *a);
static void evaluate_tiny_copies(struct tp_advisor *a);

const struct tp_rule tp_rule_B1 = {
    .id = "B1",
    .title = "Load data faster: raise `num_workers`, prefetch more batches, or decode cheaper",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 5.0, false}},
    .advice = "Use more loader workers, prefetch more batches, or make decoding cheaper.",
    .doc_url = DOC_DATA,
    .gain = {.low = 0.8, .high = 1.0},
    .native =
        {.title = "Read input ahead on other threads, or make decoding cheaper",
         .advice =
             "Read ahead on other threads, prepare more batches in advance, or make reading and decoding cheaper."},
    .on_device = evaluate_loader,
};

const struct tp_rule tp_rule_B2 = {
    .id = "B2",
    .title = "Load data in the background: `num_workers=4`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 1.0, false}},
    .advice = "Set num_workers above 0 (and persistent_workers) so that loading overlaps with the step.",
    .doc_url = DOC_DATA,
    .cause = "input.single_process",
    .gain = {.low = 0.8, .high = 1.0, .right = 3, .known = 3},
    .native = {.title = "Read the input in the background, on another thread",
               .advice = "Read the input on another thread, so that reading overlaps with the step."},
    .inference = {.title = "Load data in the background: `num_workers=4`",
                  .advice = "Set num_workers above 0 (and persistent_workers), or prepare the next inputs on another "
                            "thread, so that loading overlaps with the step."},
    .on_device = evaluate_loader,
};

const struct tp_rule tp_rule_B3 = {
    .id = "B3",
    .title = "Copy through pinned memory: `pin_memory=True`, `non_blocking=True`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_bytes", 65536, true},
                   {"min_pct", 0.5, false},
                   {"min_per_step", 8, true},
                   {"pinned_gb_s", 25.0, false}},
    .advice = "Allocate the host memory as pinned memory (pin_memory) and copy with non_blocking=True.",
    .doc_url = DOC_TUNE,
    .cause = "copy.pageable",
    .gain = {.low = 0.5, .high = 0.95, .right = 3, .known = 3},
    .native = {.title = "Copy through pinned memory: `cudaHostAlloc`, `cudaMemcpyAsync`",
               .advice = "Allocate the host memory as pinned memory (cudaHostAlloc) and copy with cudaMemcpyAsync."},
    .on_device = evaluate_pageable,
};

const struct tp_rule tp_rule_B4 = {
    .id = "B4",
    .title = "Copy the next batch while this one is computed",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 1.0, false}},
    .advice = "Copy the next batch on a separate stream while the current batch is computed.",
    .doc_url = DOC_CUDA,
    .cause = "copy.exposed_input",
    .gain = {.low = 0.2, .high = 0.9, .right = 1, .known = 1},
    .on_device = evaluate_input_copy,
};

const struct tp_rule tp_rule_B5 = {
    .id = "B5",
    .title = "Join the small copies of a step into one",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"max_bytes", 65536, true}, {"min_per_step", 32, true}},
    .advice = "Pack the values into one buffer and copy the buffer once.",
    .doc_url = DOC_CUDA,
    .cause = "copy.tiny",
    .gain = {.low = 0.3, .high = 0.95},
    .on_device = evaluate_tiny_copies,
};

/* ---- B1, B2: the data loader on the main thread ---- */

static void evaluate_loader(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_vec intervals = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate all = {.rule = TP_RULE_B1, .has_ceiling = true, .may_have_severity_info = true}, single;
    all.fix.frees_input = all.fix.is_whole = true;
    single = all;
    single.rule = TP_RULE_B2;
    for (size_t i = 0; i < a->regions.count; i++) {
        uint32_t event = *TP_AT(&a->regions, uint32_t, i);
        const struct tp_event *e = &model->trace->events[event];
        bool is_in_process = !tp_event_declared_kind(e) && model->marks[e->name] & TP_MARK_SINGLE_PROCESS_LOADER;
        if (tp_event_range_kind(model, e) != TP_RANGE_INPUT || e->thread != model->host_main)
            continue;
        tp_intervals_push(&intervals, e->ts_ns, tp_event_end(e));
        if (!tp_event_is_in_window(a, event))
            continue;
        tp_picks_add_by_length(&all.picks, model, event);
        if (is_in_process)
            tp_picks_add_by_length(&single.picks, model, event);
    }
    struct tp_intervals loading = tp_intervals_intersection(a->arena, tp_intervals_from_vec(&intervals), model->window);
    double share = tp_analysed_percent(a, tp_intervals_length(loading));
    all.time = single.time = tp_intervals_intersection(a->arena, loading, tp_time_waiting_for_host(a));
    bool is_single = share > tp_rule_value(a, TP_RULE_B2, "min_pct") && single.picks.total;
    if (is_single)
        tp_advisor_add_and_claim_time(a, &single);
    else if (share > tp_rule_value(a, TP_RULE_B1, "min_pct"))
        tp_advisor_add_and_claim_time(a, &all);
    a->input = a->reported[TP_RULE_B1] || a->reported[TP_RULE_B2] ? all.time : (struct tp_intervals){NULL, 0};
}

/* ---- B3: pageable copies ---- */

/* Returns the direction in a copy's name, the characters at indexes 7 to 10: "HtoD" for "Memcpy HtoD". */
static struct tp_str copy_direction(struct tp_str name)
{
    size_t at = 0, from = name.len;
    unsigned characters = 0;
    for (; at < name.len; at++) {
        if (tp_utf8_is_continuation(name.ptr[at]))
            continue;
        if (characters == 7)
            from = at;
        if (characters == 11)
            break;
        characters++;
    }
    return (struct tp_str){name.ptr + from, at > from ? at - from : 0};
}

/* total size and time of copies from pinned memory in one direction; pageable copies could reach this rate */
struct rate {
    int64_t bytes, ns;
};

struct pageable {
    struct tp_strings directions;
    struct tp_vec rates; /* rates of copies for each id in `directions`; elements: struct rate */
    struct tp_vec intervals, launches;
    double default_gb_s;
};

static int64_t copy_bytes(const struct tp_model *model, uint32_t device)
{
    int64_t bytes = tp_device_operation_setup(model, device)->bytes;
    return bytes == TP_NULL_INT ? 0 : bytes;
}

/* Appends the indexes of the copies in the window of analysed steps that have this mark and more than min_bytes.
 * Returns their number. */
static size_t list_large_copies(const struct tp_advisor *a, uint64_t mark, struct tp_vec *out)
{
    double limit = tp_rule_value(a, TP_RULE_B3, "min_bytes");
    *out = TP_VEC(a->arena, uint32_t);
    for (size_t i = 0; i < a->copies.count; i++) {
        uint32_t k = *TP_AT(&a->copies, uint32_t, i);
        if (tp_event_marks(a->model, a->model->devices.event[k]) & mark && (double)copy_bytes(a->model, k) > limit)
            *(uint32_t *)tp_vec_push(out) = k;
    }
    return out->count;
}

static struct tp_str copy_direction_of_device(const struct tp_model *model, uint32_t device)
{
    return copy_direction(tp_trace_event_name(model->trace, tp_device_event(model, device)));
}

static void sum_copies_from_pinned_memory(const struct tp_advisor *a, struct pageable *p)
{
    struct tp_vec pinned;
    size_t count = list_large_copies(a, TP_MARK_PINNED, &pinned);
    for (size_t i = 0; i < count; i++) {
        uint32_t k = *TP_AT(&pinned, uint32_t, i);
        uint32_t id = tp_strings_add(&p->directions, copy_direction_of_device(a->model, k));
        if (id == p->rates.count)
            tp_vec_push(&p->rates);
        struct rate *rate = TP_AT(&p->rates, struct rate, id);
        rate->bytes = tp_sat_add(rate->bytes, copy_bytes(a->model, k));
        rate->ns = tp_sat_add(rate->ns, tp_device_event(a->model, k)->dur_ns);
    }
}

/* Returns the time that a copy would take if its host memory were pinned, ns. */
static int64_t copy_time_from_pinned_memory(const struct tp_advisor *a, const struct pageable *p, uint32_t device)
{
    int64_t bytes = copy_bytes(a->model, device);
    uint32_t id = tp_strings_find(&p->directions, copy_direction_of_device(a->model, device));
    const struct rate *rate = id == TP_NO_ID ? NULL : TP_AT(&p->rates, struct rate, id);
    if (rate && rate->ns)
        return tp_ns_scaled(bytes, rate->ns, rate->bytes);
    return (int64_t)((double)bytes / p->default_gb_s);
}

static void add_copy_from_pageable_memory(const struct tp_advisor *a, struct pageable *p, uint32_t device,
                                          struct tp_fix_draft *fix)
{
    const struct tp_event *e = tp_device_event(a->model, device), *call = tp_launch_of_device(a->model, device);
    int64_t needed = tp_ns_min(copy_time_from_pinned_memory(a, p, device), e->dur_ns);
    tp_intervals_push(&p->intervals, e->ts_ns + needed, tp_event_end(e));
    if (e->dur_ns > 0)
        tp_fix_add_operation(a, fix, device, (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, e->dur_ns - needed, e->dur_ns));
    if (call)
        tp_intervals_push(&p->launches, call->ts_ns, tp_event_end(call));
}

static void evaluate_pageable(struct tp_advisor *a)
{
    struct pageable p = {.default_gb_s = tp_rule_value(a, TP_RULE_B3, "pinned_gb_s")};
    struct tp_candidate c = {.rule = TP_RULE_B3, .has_ceiling = true};
    struct tp_vec found;
    size_t count = list_large_copies(a, TP_MARK_PAGEABLE, &found);
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t k = *TP_AT(&found, uint32_t, i);
        sum = tp_sat_add(sum, tp_device_event(a->model, k)->dur_ns);
        tp_picks_add_operation_by_length(&c.picks, a->model, k);
    }
    bool is_much = tp_analysed_percent(a, sum) >= tp_rule_value(a, TP_RULE_B3, "min_pct") ||
                   (double)count >= tp_rule_value(a, TP_RULE_B3, "min_per_step") * a->model->used_count;
    if (!count || !is_much)
        return;
    tp_strings_init(&p.directions, a->arena, 0);
    p.rates = TP_VEC(a->arena, struct rate);
    p.intervals = p.launches = TP_VEC(a->arena, struct tp_interval);
    sum_copies_from_pinned_memory(a, &p);
    for (size_t i = 0; i < count; i++)
        add_copy_from_pageable_memory(a, &p, *TP_AT(&found, uint32_t, i), &c.fix);
    tp_intervals_append(&p.intervals,
                        tp_intervals_intersection(a->arena, tp_intervals_from_vec(&p.launches), a->model->starved));
    c.time = tp_intervals_from_vec(&p.intervals);
    tp_advisor_add_and_claim_time(a, &c);
}

/* ---- B4: exposed input copies ---- */

static bool is_input_copy(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *e = tp_device_event(model, device);
    uint64_t both = TP_MARK_HTOD | TP_MARK_PINNED;
    return e->kind == TP_KIND_MEMCPY && (model->marks[e->name] & both) == both;
}

/* Appends the times of input copies of a device in the window of analysed steps during which the device does no other
 * work. */
static void add_exposed_input_copies(const struct tp_advisor *a, const struct tp_gpu *gpu, struct tp_vec *exposed)
{
    struct tp_vec mine = TP_VEC(a->arena, struct tp_interval), others = mine;
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(a->model, gpu->events[i]);
        if (e->kind == TP_KIND_KERNEL)
            continue;
        bool is_input = is_input_copy(a->model, gpu->events[i]);
        if (!is_input)
            tp_intervals_push(&others, e->ts_ns, tp_event_end(e));
        else if (tp_event_is_in_window(a, a->model->devices.event[gpu->events[i]]))
            tp_intervals_push(&mine, e->ts_ns, tp_event_end(e));
    }
    struct tp_intervals alone = tp_intervals_difference(a->arena, tp_intervals_from_vec(&mine), gpu->kernels);
    tp_intervals_append(exposed, tp_intervals_difference(a->arena, alone, tp_intervals_from_vec(&others)));
}

static void evaluate_input_copy(struct tp_advisor *a)
{
    struct tp_vec exposed = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_B4, .has_ceiling = true};
    for (size_t i = 0; i < a->copies.count; i++) {
        uint32_t k = *TP_AT(&a->copies, uint32_t, i);
        if (!is_input_copy(a->model, k))
            continue;
        tp_picks_add_operation_by_length(&c.picks, a->model, k);
        tp_fix_add_operation(a, &c.fix, k, TP_FIX_WHOLE);
    }
    c.fix.is_whole = true;
    for (uint32_t g = 0; g < a->model->gpu_count && c.picks.total; g++)
        add_exposed_input_copies(a, &a->model->gpus[g], &exposed);
    c.time = tp_intervals_from_vec(&exposed);
    if (tp_analysed_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_B4, "min_pct"))
        tp_advisor_add_and_claim_time(a, &c);
}

/* ---- B5: tiny copies ---- */

static void evaluate_tiny_copies(struct tp_advisor *a)
{
    const uint64_t directions = TP_MARK_HTOD | TP_MARK_DTOD;
    struct tp_candidate c = {.rule = TP_RULE_B5, .has_ceiling = true};
    struct tp_vec costs = TP_VEC(a->arena, int64_t);
    double limit = tp_rule_value(a, TP_RULE_B5, "max_bytes");
    for (size_t i = 0; i < a->copies.count; i++) {
        uint32_t k = *TP_AT(&a->copies, uint32_t, i);
        const struct tp_event *e = tp_device_event(a->model, k), *call = tp_launch_of_device(a->model, k);
        int64_t bytes = copy_bytes(a->model, k);
        if (!(a->model->marks[e->name] & directions) || bytes <= 0 || (double)bytes >= limit)
            continue;
        *(int64_t *)tp_vec_push(&costs) = tp_sat_add(e->dur_ns, call ? call->dur_ns : 0);
        tp_picks_append_operation(&c.picks, a->model, k);
        tp_fix_add_operation(a, &c.fix, k, TP_FIX_WHOLE);
        if (call)
            tp_fix_add_call(a, &c.fix, a->model->launches.event[a->model->devices.launch[k]], TP_FIX_WHOLE);
    }
    if ((double)c.picks.total < tp_rule_value(a, TP_RULE_B5, "min_per_step") * a->model->used_count)
        return;
    int64_t ns = tp_sat_mul((int64_t)costs.count, tp_lower_median(costs.data, costs.count));
    c.time = tp_intervals_prefix(a->arena, a->model->starved, ns);
    c.title = TP_TITLE(TP_TITLE_SMALL_COPIES, TP_OF_NUMBER(c.picks.total / a->model->used_count));
    tp_advisor_add_and_claim_time(a, &c);
}
