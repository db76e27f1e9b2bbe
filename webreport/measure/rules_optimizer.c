/* Rules about the optimizer of device programs: kernels per tensor (C6), zeroing one by one (C7). */
#include "webreport/measure/rules_eval.h"
#include "writer/base/sort.h"

/* Annotations of the windows, thread by thread and in order of time, and which times they cover. */
struct regions {
    struct tp_vec events;           /* uint32_t */
    struct tp_intervals *of_thread; /* by thread; NULL items: none */
};

static void find_regions(struct tp_advisor *a, uint64_t mark, struct tp_vec *events)
{
    const struct tp_host *host = a->host;
    *events = TP_VEC(a->arena, uint32_t);
    for (uint32_t i = 0; i < host->marked_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->marked[i]);
        if (host->marks[e->name] & mark && tp_old_role(e) == TP_KIND_ANNOTATION && tp_in_windows(a, e->ts_ns))
            *(uint32_t *)tp_vec_push(events) = host->marked[i];
    }
}

static void cover(struct tp_advisor *a, struct regions *r)
{
    const struct tp_host *host = a->host;
    const uint32_t *events = r->events.data;
    r->of_thread = tp_arena_array(a->arena, host->trace->thread_count, sizeof *r->of_thread);
    for (size_t i = 0, end; i < r->events.count; i = end) {
        uint32_t thread = tp_host_event(host, events[i])->thread;
        struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
        for (end = i; end < r->events.count && tp_host_event(host, events[end])->thread == thread; end++) {
            const struct tp_event *e = tp_host_event(host, events[end]);
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
        }
        r->of_thread[thread] = tp_intervals_of(&pieces);
    }
}

/* Was the operation launched inside a region of its thread? */
static bool is_inside(const struct tp_advisor *a, const struct regions *r, uint32_t op)
{
    const struct tp_host_call *call = tp_op_call(a->host, op);
    return call && tp_intervals_contain(r->of_thread[call->thread], call->ts_ns);
}

/* ---- C6 ---- */

struct fused_launch {
    int64_t ts;
    uint32_t thread;
};

static int by_thread(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct fused_launch *p = x, *q = y;
    if (p->thread != q->thread)
        return p->thread < q->thread ? -1 : 1;
    return (p->ts > q->ts) - (p->ts < q->ts);
}

/* Launches of fused kernels, or under anything of a fused name. */
static struct tp_vec find_fused(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec fused = TP_VEC(a->arena, struct fused_launch);
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_host_call *call = tp_op_call(host, i);
        if (!call || (!call->has_fused && !(host->marks[host->ops[i].copy.name] & TP_NAME_FUSED)))
            continue;
        *(struct fused_launch *)tp_vec_push(&fused) = (struct fused_launch){call->ts_ns, call->thread};
    }
    tp_merge_sort(a->arena, fused.data, fused.count, sizeof(struct fused_launch), by_thread, NULL);
    return fused;
}

static bool has_fused(const struct tp_vec *fused, const struct tp_event *region)
{
    struct fused_launch first = {region->ts_ns, region->thread};
    size_t lo = 0, hi = fused->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (by_thread(TP_AT(fused, struct fused_launch, mid), &first, NULL) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == fused->count)
        return false;
    const struct fused_launch *x = TP_AT(fused, struct fused_launch, lo);
    return x->thread == region->thread && x->ts < tp_event_end(region);
}

static void drop_fused(struct tp_advisor *a, struct tp_vec *events)
{
    struct tp_vec fused = find_fused(a);
    uint32_t *ids = events->data;
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, ids[i]);
        if (!(a->host->marks[e->name] & TP_NAME_FUSED) && !has_fused(&fused, e))
            ids[kept++] = ids[i];
    }
    events->count = kept;
}

/* Host gaps that end with a marked operation. */
static void push_gaps_before(struct tp_advisor *a, const uint8_t *is_marked, struct tp_vec *time)
{
    for (uint32_t d = 0; d < a->host->device_count; d++) {
        const struct tp_host_device *device = &a->host->devices[d];
        for (uint32_t i = 0; i < device->gap_count; i++) {
            const struct tp_gap *gap = &device->gaps[i];
            if (gap->class == TP_GAP_HOST && is_marked[gap->next])
                tp_intervals_push(time, gap->a, gap->b);
        }
    }
}

void tp_rule_optimizer(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_candidate c = {.rule = TP_RULE_C6, .has_ceiling = true};
    struct regions r = {0};
    int64_t launch_ns = 0;
    find_regions(a, TP_NAME_OPTIMIZER_STEP, &r.events);
    if (r.events.count)
        drop_fused(a, &r.events);
    if (!r.events.count)
        return;
    cover(a, &r);
    uint8_t *is_marked = tp_arena_array(a->arena, host->op_count, 1);
    for (uint32_t i = 0; i < host->op_count; i++)
        if (tp_old_role(tp_op_event(host, i)) == TP_KIND_KERNEL && is_inside(a, &r, i)) {
            is_marked[i] = 1;
            launch_ns = tp_ns_plus(launch_ns, tp_op_call(host, i)->dur_ns);
            tp_picks_append_op(&c.picks, a, i);
        }
    if ((double)c.picks.total > tp_rule_value(a, TP_RULE_C6, "min_kernels") * (double)r.events.count) {
        struct tp_vec gaps = TP_VEC(a->arena, struct tp_interval);
        push_gaps_before(a, is_marked, &gaps);
        struct tp_intervals late = tp_intervals_meet(a->arena, tp_intervals_of(&gaps), host->windows);
        c.time = tp_intervals_prefix(a->arena, late, launch_ns);
        tp_advisor_add(a, &c);
    }
    tp_arena_drop(a->arena, is_marked, host->op_count);
}

/* ---- C7 ---- */

void tp_rule_zeroing(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_candidate c = {.rule = TP_RULE_C7, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct regions r = {0};
    find_regions(a, TP_NAME_ZERO_GRAD, &r.events);
    if (!r.events.count)
        return;
    cover(a, &r);
    uint8_t *is_marked = tp_arena_array(a->arena, host->op_count, 1);
    for (uint32_t i = 0; i < host->op_count; i++) {
        const struct tp_event *e = tp_op_event(host, i);
        if (!is_inside(a, &r, i) || (tp_old_role(e) != TP_KIND_MEMSET && !tp_op_call(host, i)->has_fill))
            continue;
        is_marked[i] = 1;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        tp_picks_append_op(&c.picks, a, i);
    }
    if ((double)c.picks.total >= tp_rule_value(a, TP_RULE_C7, "min_ops") * (double)r.events.count) {
        push_gaps_before(a, is_marked, &time);
        c.time = tp_intervals_of(&time);
        tp_advisor_add(a, &c);
    }
    tp_arena_drop(a->arena, is_marked, host->op_count);
}
