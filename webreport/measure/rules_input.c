/* Rules about input and copies of device programs: loader (B1 B2), pageable (B3), exposed (B4) and tiny copies (B5). */
#include "webreport/measure/rules_eval.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/base/utf8.h"

/* ---- B1, B2: the loader on the main thread ---- */

void tp_rule_loader(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate all = {.rule = TP_RULE_B1, .has_ceiling = true, .also_info = true}, single = all;
    single.rule = TP_RULE_B2;
    for (uint32_t i = 0; i < host->marked_count; i++) {
        uint32_t id = host->marked[i];
        const struct tp_event *e = tp_host_event(host, id);
        uint64_t marks = host->marks[e->name];
        if (!(marks & TP_NAME_LOADER) || e->thread != host->main_thread)
            continue;
        tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
        if (!tp_in_windows(a, e->ts_ns))
            continue;
        tp_picks_rank(&all.picks, a, e->dur_ns, id, id);
        if (marks & TP_NAME_SINGLE_PROCESS_LOADER)
            tp_picks_rank(&single.picks, a, e->dur_ns, id, id);
    }
    struct tp_intervals loading = tp_intervals_meet(a->arena, tp_intervals_of(&pieces), host->windows);
    double share = tp_window_percent(a, tp_intervals_length(loading));
    all.time = single.time = tp_intervals_meet(a->arena, loading, a->host_idle);
    if (share > tp_rule_value(a, TP_RULE_B1, "min_pct"))
        tp_advisor_claim(a, &all);
    if (share > tp_rule_value(a, TP_RULE_B2, "min_pct") && single.picks.total)
        tp_advisor_claim(a, &single);
}

/* ---- B3: pageable copies ---- */

/* Characters 7 to 10 of a copy's name: its direction. */
static struct tp_str direction(struct tp_str name)
{
    size_t at = 0, from = name.len;
    unsigned characters = 0;
    for (; at < name.len; at++) {
        if (tp_utf8_is_inside(name.ptr[at]))
            continue;
        if (characters == 7)
            from = at;
        if (characters == 11)
            break;
        characters++;
    }
    return (struct tp_str){name.ptr + from, at > from ? at - from : 0};
}

/* Pinned copies of one direction: their rate is what pageable ones could reach. */
struct rate {
    int64_t bytes, ns;
};

struct pageable {
    struct tp_strings directions;
    struct tp_vec rates; /* struct rate, by direction id */
    struct tp_vec pieces, launches;
    double default_gb_s;
};

static int64_t copy_bytes(const struct tp_host *host, uint32_t op)
{
    const struct tp_device_detail *d = tp_op_detail(host, op);
    return d && d->bytes != TP_NULL_INT ? d->bytes : 0;
}

static bool is_big_copy(const struct tp_advisor *a, uint32_t op, uint64_t mark)
{
    const struct tp_event *e = tp_op_event(a->host, op);
    return e->role == TP_KIND_MEMCPY && a->in_window[op] && a->host->marks[e->name] & mark &&
           (double)copy_bytes(a->host, op) > tp_rule_value(a, TP_RULE_B3, "min_bytes");
}

static void sum_pinned(const struct tp_advisor *a, struct pageable *p)
{
    for (uint32_t i = 0; i < a->host->op_count; i++) {
        if (!is_big_copy(a, i, TP_NAME_PINNED))
            continue;
        const struct tp_event *e = tp_op_event(a->host, i);
        uint32_t id = tp_strings_add(&p->directions, direction(tp_trace_name(a->host->trace, e)));
        if (id == p->rates.count)
            tp_vec_push(&p->rates);
        struct rate *rate = TP_AT(&p->rates, struct rate, id);
        rate->bytes = tp_ns_plus(rate->bytes, copy_bytes(a->host, i));
        rate->ns = tp_ns_plus(rate->ns, e->dur_ns);
    }
}

/* Time the copy would take from pinned memory, rounded down. */
static int64_t pinned_time(const struct tp_advisor *a, const struct pageable *p, uint32_t op)
{
    int64_t bytes = copy_bytes(a->host, op);
    struct tp_str text = direction(tp_trace_name(a->host->trace, tp_op_event(a->host, op)));
    uint32_t id = tp_strings_find(&p->directions, text);
    const struct rate *rate = id == TP_NO_ID ? NULL : TP_AT(&p->rates, struct rate, id);
    if (rate && rate->ns)
        return tp_ns_scaled(bytes, rate->ns, rate->bytes);
    return (int64_t)((double)bytes / p->default_gb_s);
}

static void add_pageable(const struct tp_advisor *a, struct pageable *p, uint32_t op)
{
    const struct tp_event *e = tp_op_event(a->host, op);
    const struct tp_host_call *call = tp_op_call(a->host, op);
    int64_t needed = tp_ns_min(pinned_time(a, p, op), e->dur_ns);
    tp_intervals_push(&p->pieces, e->ts_ns + needed, tp_event_end(e));
    if (call) {
        tp_intervals_push(&p->launches, call->ts_ns, tp_call_end(call));
    }
}

void tp_rule_pageable(struct tp_advisor *a)
{
    struct pageable p = {.default_gb_s = tp_rule_value(a, TP_RULE_B3, "pinned_gb_s")};
    struct tp_candidate c = {.rule = TP_RULE_B3, .has_ceiling = true};
    int64_t sum = 0;
    for (uint32_t i = 0; i < a->host->op_count; i++)
        if (is_big_copy(a, i, TP_NAME_PAGEABLE)) {
            sum = tp_ns_plus(sum, tp_op_event(a->host, i)->dur_ns);
            tp_picks_rank_op(&c.picks, a, i);
        }
    bool is_much = tp_window_percent(a, sum) >= tp_rule_value(a, TP_RULE_B3, "min_pct") ||
                   (double)c.picks.total >= tp_rule_value(a, TP_RULE_B3, "min_per_step") * a->host->step_count;
    if (!c.picks.total || !is_much)
        return;
    tp_strings_init(&p.directions, a->arena, 0);
    p.rates = TP_VEC(a->arena, struct rate);
    p.pieces = p.launches = TP_VEC(a->arena, struct tp_interval);
    sum_pinned(a, &p);
    for (uint32_t i = 0; i < a->host->op_count; i++)
        if (is_big_copy(a, i, TP_NAME_PAGEABLE))
            add_pageable(a, &p, i);
    struct tp_intervals late = tp_intervals_meet(a->arena, tp_intervals_of(&p.launches), a->host_idle);
    for (size_t i = 0; i < late.count; i++)
        tp_intervals_push(&p.pieces, late.items[i].a, late.items[i].b);
    c.time = tp_intervals_of(&p.pieces);
    tp_advisor_claim(a, &c);
}

/* ---- B4: input copies that nothing hides ---- */

static bool is_input_copy(const struct tp_host *host, uint32_t op)
{
    const struct tp_event *e = tp_op_event(host, op);
    uint64_t both = TP_NAME_HTOD | TP_NAME_PINNED;
    return e->role == TP_KIND_MEMCPY && (host->marks[e->name] & both) == both;
}

void tp_rule_input_copy(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec exposed = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_B4, .has_ceiling = true};
    for (uint32_t i = 0; i < host->op_count; i++)
        if (a->in_window[i] && is_input_copy(host, i))
            tp_picks_rank_op(&c.picks, a, i);
    for (uint32_t d = 0; d < host->device_count && c.picks.total; d++) {
        struct tp_vec copies = TP_VEC(a->arena, struct tp_interval), others = copies;
        for (uint32_t i = 0; i < host->devices[d].op_count; i++) {
            uint32_t op = host->devices[d].ops[i];
            const struct tp_event *e = tp_op_event(host, op);
            if (!is_input_copy(host, op))
                tp_intervals_push(&others, e->ts_ns, tp_event_end(e));
            else if (a->in_window[op])
                tp_intervals_push(&copies, e->ts_ns, tp_event_end(e));
        }
        struct tp_intervals alone = tp_intervals_minus(a->arena, tp_intervals_of(&copies), tp_intervals_of(&others));
        for (size_t i = 0; i < alone.count; i++)
            tp_intervals_push(&exposed, alone.items[i].a, alone.items[i].b);
        tp_arena_drop(a->arena, copies.data, copies.capacity * sizeof(struct tp_interval));
        tp_arena_drop(a->arena, others.data, others.capacity * sizeof(struct tp_interval));
    }
    c.time = tp_intervals_of(&exposed);
    int64_t ns = tp_intervals_meet_length(c.time, host->windows);
    if (tp_window_percent(a, ns) >= tp_rule_value(a, TP_RULE_B4, "min_pct"))
        tp_advisor_claim(a, &c);
}

/* ---- B5: tiny copies ---- */

void tp_rule_tiny_copies(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_candidate c = {.rule = TP_RULE_B5, .has_ceiling = true};
    struct tp_vec costs = TP_VEC(a->arena, int64_t);
    double limit = tp_rule_value(a, TP_RULE_B5, "max_bytes");
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, i);
        uint64_t directions = TP_NAME_HTOD | TP_NAME_DTOD | TP_NAME_FROM_HOST;
        if (!a->in_window[i] || e->role != TP_KIND_MEMCPY || !(host->marks[e->name] & directions))
            continue;
        int64_t bytes = copy_bytes(host, i);
        if (bytes <= 0 || (double)bytes >= limit)
            continue;
        const struct tp_host_call *call = tp_op_call(host, i);
        *(int64_t *)tp_vec_push(&costs) = tp_ns_plus(e->dur_ns, call ? call->dur_ns : 0);
        tp_picks_append_op(&c.picks, a, i);
    }
    if ((double)c.picks.total < tp_rule_value(a, TP_RULE_B5, "min_per_step") * host->step_count)
        return;
    int64_t ns = tp_ns_times((int64_t)costs.count, tp_lower_median(costs.data, costs.count));
    c.time = tp_intervals_prefix(a->arena, a->host_idle, ns);
    tp_advisor_claim(a, &c);
}
