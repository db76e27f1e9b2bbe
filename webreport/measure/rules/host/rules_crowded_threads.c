/* Rule H4: operators of the main thread become slower while other threads run operators. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_texts.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static void evaluate_crowded_threads(struct tp_advisor *a);

const struct tp_rule tp_rule_H4 = {
    .id = "H4",
    .title = "Run fewer threads: `torch.set_num_threads()` or `OMP_NUM_THREADS`",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_threads", 2, true}, {"min_samples", 5, true}, {"min_pct", 3.0, false}},
    .advice = "Lower torch.set_num_threads or OMP_NUM_THREADS for each worker, or run fewer workers. The threads may "
              "compete for cores.",
    .doc_url = DOC_THREADS,
    .cause = "threads.too_many",
    .native = {.title = "Run fewer threads: `OMP_NUM_THREADS`",
               .advice = "Lower OMP_NUM_THREADS, or run fewer threads or processes on the machine. The threads may "
                         "compete for cores."},
    .mpi = {.title = "Bind each rank to its own cores, or lower `OMP_NUM_THREADS`",
            .advice = "Lower OMP_NUM_THREADS, bind each rank to its own cores (mpirun --bind-to), or start fewer ranks "
                      "per host. The threads may compete for cores."},
    .on_host = evaluate_crowded_threads,
};

/* a time at which a thread starts (change 1) or stops (change -1) running operators */
struct mark {
    int64_t at;
    int change;
};

static int compare_by_time(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct mark *p = x, *q = y;
    if (p->at != q->at)
        return p->at < q->at ? -1 : 1;
    return (p->change > q->change) - (p->change < q->change);
}

static void add_thread_marks(struct tp_advisor *a, uint32_t thread, struct tp_vec *marks)
{
    const struct tp_order *order = a->model->order;
    int64_t begin = 0, end = INT64_MIN;
    for (uint32_t i = order->thread_first[thread]; i <= order->thread_first[thread + 1]; i++) {
        bool is_last = i == order->thread_first[thread + 1];
        const struct tp_event *e = is_last ? NULL : &a->model->trace->events[order->host[i]];
        if (e && (e->kind != TP_KIND_OPERATOR || e->dur_ns <= 0))
            continue;
        if (e && end != INT64_MIN && e->ts_ns <= end) {
            end = tp_ns_max(end, tp_event_end(e));
            continue;
        }
        if (end != INT64_MIN) {
            *(struct mark *)tp_vec_push(marks) = (struct mark){begin, 1};
            *(struct mark *)tp_vec_push(marks) = (struct mark){end, -1};
        }
        if (e) {
            begin = e->ts_ns;
            end = tp_event_end(e);
        }
    }
}

/* Returns the times in which at least min_threads threads run operators. */
static struct tp_intervals find_crowded_times(struct tp_advisor *a)
{
    struct tp_vec marks = TP_VEC(a->arena, struct mark), crowd = TP_VEC(a->arena, struct tp_interval);
    double limit = tp_rule_value(a, TP_RULE_H4, "min_threads");
    for (uint32_t t = 0; t < a->model->trace->thread_count; t++)
        add_thread_marks(a, t, &marks);
    tp_merge_sort(a->arena, marks.data, marks.count, sizeof(struct mark), compare_by_time, NULL);
    int64_t level = 0, since = 0;
    for (size_t i = 0; i < marks.count; i++) {
        const struct mark *m = TP_AT(&marks, struct mark, i);
        int64_t next = level + m->change;
        if ((double)level >= limit && (double)next < limit)
            tp_intervals_push(&crowd, since, m->at);
        if ((double)level < limit && (double)next >= limit)
            since = m->at;
        level = next;
    }
    tp_arena_free_item(a->arena, marks.data, marks.capacity * sizeof(struct mark));
    return tp_intervals_from_vec(&crowd);
}

/* Calls of one operator with one list of shapes: inside (together) and outside (alone) the crowded time. */
struct samples {
    uint32_t alone_count, together_count;
    size_t first; /* index in `durations` of the group's first call outside the crowded time */
    int64_t median;
    bool has_median;
};

struct outer_op {
    uint32_t op, group;
    bool is_together;
};

static uint32_t find_or_add_group(struct tp_advisor *a, uint32_t op, struct tp_id_map *ids, struct tp_vec *groups)
{
    const struct tp_event *e = tp_operator_event(a->model, op);
    uint32_t dims = e->flags & TP_EVENT_OLD_DIMS ? TP_NO_ID : a->model->trace->hosts[e->detail].dims;
    uint32_t *id = tp_id_map_find_or_add(ids, tp_id_pair(e->name, dims));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)groups->count;
        tp_vec_push(groups);
    }
    return *id;
}

/* Returns the outermost operators of which at least half, or nothing, is inside the crowded time. Fills `groups`. */
static struct tp_vec find_outermost_operators(struct tp_advisor *a, struct tp_intervals crowd, struct tp_vec *groups)
{
    struct tp_vec found = TP_VEC(a->arena, struct outer_op);
    struct tp_id_map ids;
    tp_id_map_init(&ids, a->arena);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (!tp_cpu_is_outermost(a, op))
            continue;
        int64_t part = tp_intervals_length_within(crowd, e->ts_ns, tp_event_end(e));
        bool is_together = part && part >= e->dur_ns - part;
        if (part && !is_together)
            continue;
        uint32_t group = find_or_add_group(a, op, &ids, groups);
        *(struct outer_op *)tp_vec_push(&found) = (struct outer_op){op, group, is_together};
        struct samples *s = TP_AT(groups, struct samples, group);
        s->alone_count += !is_together;
        s->together_count += is_together;
    }
    tp_id_map_release(&ids);
    return found;
}

static int64_t *list_durations_of_groups(struct tp_advisor *a, const struct tp_vec *ops, struct tp_vec *groups)
{
    size_t sum = 0;
    for (size_t g = 0; g < groups->count; g++) {
        struct samples *s = TP_AT(groups, struct samples, g);
        s->first = sum;
        sum += s->alone_count;
        s->alone_count = 0;
    }
    int64_t *durations = tp_arena_array(a->arena, sum, sizeof *durations);
    for (size_t i = 0; i < ops->count; i++) {
        const struct outer_op *op = TP_AT(ops, struct outer_op, i);
        struct samples *s = TP_AT(groups, struct samples, op->group);
        if (!op->is_together)
            durations[s->first + s->alone_count++] = tp_operator_event(a->model, op->op)->dur_ns;
    }
    return durations;
}

static void evaluate_crowded_threads(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_H4, .has_ceiling = true};
    struct tp_intervals crowd = find_crowded_times(a);
    if (!crowd.count)
        return;
    struct tp_vec groups = TP_VEC(a->arena, struct samples), time = TP_VEC(a->arena, struct tp_interval);
    struct tp_vec ops = find_outermost_operators(a, crowd, &groups);
    int64_t *durations = list_durations_of_groups(a, &ops, &groups);
    for (size_t i = 0; i < ops.count; i++) {
        const struct outer_op *op = TP_AT(&ops, struct outer_op, i);
        const struct tp_event *e = tp_operator_event(a->model, op->op);
        struct samples *s = TP_AT(&groups, struct samples, op->group);
        if (!op->is_together || s->alone_count < tp_rule_value(a, TP_RULE_H4, "min_samples"))
            continue;
        if (!s->has_median)
            s->median = tp_lower_median(durations + s->first, s->alone_count);
        s->has_median = true;
        if (e->dur_ns <= s->median)
            continue;
        tp_intervals_push(&time, e->ts_ns + s->median, tp_event_end(e));
        tp_picks_add_by_length(&c.picks, a->model, a->model->operators.event[op->op]);
    }
    c.time = tp_intervals_from_vec(&time);
    if (tp_analysed_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H4, "min_pct"))
        tp_advisor_add_finding(a, &c);
}
