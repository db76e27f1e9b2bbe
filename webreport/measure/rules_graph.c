/* Rule A2: the same launches repeat every step, so a captured graph could replay them. */
#include "webreport/measure/rules_eval.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

/* The kernels of every step, in the order of their launches. */
struct sequences {
    uint32_t *ops, *first; /* step s owns ops[first[s] .. first[s + 1]) */
    int64_t shortest, total, graph_count;
};

static int by_launch(const void *x, const void *y, const void *context)
{
    const struct tp_host *host = context;
    uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
    int64_t a = tp_op_call(host, p)->ts_ns, b = tp_op_call(host, q)->ts_ns;
    if (a != b)
        return a < b ? -1 : 1;
    a = tp_op_event(host, p)->ordinal;
    b = tp_op_event(host, q)->ordinal;
    return (a > b) - (a < b);
}

static void list_sequences(struct tp_advisor *a, struct sequences *s)
{
    const struct tp_host *host = a->host;
    uint32_t steps = host->step_count;
    s->first = tp_arena_array(a->arena, (size_t)steps + 2, sizeof *s->first);
    for (uint32_t i = 0; i < host->op_count; i++) {
        uint32_t step = host->ops[i].step;
        if (step == TP_NO_ID)
            continue;
        s->graph_count += tp_op_is_graph(host, i);
        s->first[step + 2] += tp_old_role(tp_op_event(host, i)) == TP_KIND_KERNEL;
    }
    s->shortest = INT64_MAX;
    for (uint32_t i = 0; i < steps; i++) {
        s->shortest = tp_ns_min(s->shortest, s->first[i + 2]);
        s->first[i + 2] += s->first[i + 1];
    }
    s->total = s->first[steps + 1];
    s->ops = tp_arena_array(a->arena, (size_t)s->total, sizeof *s->ops);
    for (uint32_t i = 0; i < host->op_count; i++)
        if (host->ops[i].step != TP_NO_ID && tp_old_role(tp_op_event(host, i)) == TP_KIND_KERNEL)
            s->ops[s->first[host->ops[i].step + 1]++] = i;
}

static bool is_equal(const struct tp_host *host, uint32_t x, uint32_t y)
{
    const struct tp_device_detail *p = tp_op_detail(host, x), *q = tp_op_detail(host, y);
    return tp_op_event(host, x)->name == tp_op_event(host, y)->name &&
           (p ? p->grid : TP_NO_ID) == (q ? q->grid : TP_NO_ID) &&
           (p ? p->block : TP_NO_ID) == (q ? q->block : TP_NO_ID);
}

/* Least share of equal positions between neighbouring steps. */
static double least_equal(struct tp_advisor *a, const struct sequences *s)
{
    const struct tp_host *host = a->host;
    double least = INFINITY;
    for (uint32_t i = 0; i < host->step_count; i++)
        tp_merge_sort(a->arena, s->ops + s->first[i], s->first[i + 1] - s->first[i], sizeof *s->ops, by_launch, host);
    for (uint32_t i = 0; i + 1 < host->step_count; i++) {
        const uint32_t *p = s->ops + s->first[i], *q = s->ops + s->first[i + 1];
        int64_t n = s->first[i + 1] - s->first[i], m = s->first[i + 2] - s->first[i + 1], equal = 0;
        for (int64_t k = 0; k < n && k < m; k++)
            equal += is_equal(host, p[k], q[k]);
        least = fmin(least, tp_percent(equal, tp_ns_max(n, m)));
    }
    return least;
}

static int64_t median_duration(struct tp_advisor *a, const struct sequences *s)
{
    int64_t *durations = tp_arena_array(a->arena, (size_t)s->total, sizeof *durations);
    for (int64_t i = 0; i < s->total; i++)
        durations[i] = tp_op_event(a->host, s->ops[i])->dur_ns;
    int64_t median = tp_lower_median(durations, (size_t)s->total);
    tp_arena_drop(a->arena, durations, (size_t)s->total * sizeof *durations);
    return median;
}

/* What has to move out of a captured region: waits, allocator calls, pageable copies. */
static void pick_blockers(struct tp_advisor *a, struct tp_picks *picks)
{
    const struct tp_host *host = a->host;
    for (uint32_t i = 0; i < host->wait_count; i++) {
        uint32_t event = host->calls[host->waits[i].call].event;
        if (tp_in_windows(a, tp_host_event(host, event)->ts_ns))
            tp_picks_append(picks, a, event, event);
    }
    for (size_t i = 0; i < a->allocators.count; i++) {
        uint32_t event = *TP_AT(&a->allocators, uint32_t, i);
        tp_picks_append(picks, a, event, event);
    }
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, i);
        if (a->in_window[i] && tp_old_role(e) == TP_KIND_MEMCPY && host->marks[e->name] & TP_NAME_PAGEABLE &&
            host->ops[i].call != TP_NO_ID)
            tp_picks_append_op(picks, a, i);
    }
}

static bool is_candidate(struct tp_advisor *a, struct sequences *s)
{
    const struct tp_host *host = a->host;
    if (tp_window_percent(a, tp_intervals_length(a->host_idle)) < tp_rule_value(a, TP_RULE_A2, "min_idle_pct"))
        return false;
    list_sequences(a, s);
    if ((double)s->shortest < tp_rule_value(a, TP_RULE_A2, "min_launches") || 2 * s->graph_count >= s->total ||
        (double)median_duration(a, s) >= tp_rule_value(a, TP_RULE_A2, "max_p50_us") * 1000)
        return false;
    return host->step_count < 2 || least_equal(a, s) >= tp_rule_value(a, TP_RULE_A2, "min_equal_pct");
}

void tp_rule_graph(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct sequences s = {0};
    if (host->is_whole || (double)host->step_count < fmax(2, tp_rule_value(a, TP_RULE_A2, "min_steps"))) {
        tp_advisor_skip(a, TP_RULE_A2, "needs two steps");
        return;
    }
    if (!is_candidate(a, &s))
        return;
    struct tp_candidate c = {.rule = TP_RULE_A2, .has_ceiling = true};
    pick_blockers(a, &c.picks);
    int64_t blockers = c.picks.total;
    for (uint32_t i = 0; i < host->step_count && !blockers; i++)
        tp_picks_append(&c.picks, a, host->steps[i].event, host->steps[i].event);
    int64_t replay = (int64_t)(tp_rule_value(a, TP_RULE_A2, "replay_us") * 1000);
    int64_t want = tp_ns_minus(tp_intervals_length(a->rest), tp_ns_times(host->step_count, replay));
    c.time = tp_intervals_prefix(a->arena, a->rest, tp_ns_max(0, want));
    c.lower = blockers ? 1 : 0;
    c.detail = tp_advisor_text(a, "%lld launches per step, %lld blockers", (long long)s.shortest, (long long)blockers);
    tp_advisor_add(a, &c);
}
