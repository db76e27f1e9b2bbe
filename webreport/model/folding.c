/* Folds an operator into its parent if the operator is the only child and has the same name (D7). Also computes host
 * self times (D14).
 *
 * In pre-order, an only child directly follows its parent and has the same subtree end. So one pass finds and removes
 * all folded operators. Their launches move to the operator into which they were folded. */
#include "webreport/model/stages.h"
#include "writer/base/saturate.h"

static bool is_folded(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    const struct tp_event *events = model->trace->events;
    return op > 0 && ops->parent[op] == op - 1 && ops->subtree_end[op] == ops->subtree_end[op - 1] &&
           events[ops->event[op]].name == events[ops->event[op - 1]].name;
}

/* Moves the operator at index `from` to index `to` <= from. kept[i]: number of remaining operators before old index
 * i. */
static void move_operator(struct tp_operators *ops, uint32_t to, uint32_t from, const uint32_t *kept)
{
    uint32_t parent = ops->parent[from];
    ops->event[to] = ops->event[from];
    ops->parent[to] =
        /* new index of the parent, or of the operator into which the parent was folded */
        parent == TP_NO_ID ? TP_NO_ID : kept[parent + 1] - 1;
    ops->subtree_end[to] = kept[ops->subtree_end[from]];
    ops->stack[to] = ops->stack[from];
    ops->flags[to] = ops->flags[from];
    if (ops->module)
        ops->module[to] = ops->module[from];
}

/* Records that operator `from` was folded into operator `to`. The caller must pass the outermost folded operator first,
 * so that the innermost operator remains stored. */
static void absorb_operator(struct tp_operators *ops, uint32_t to, uint32_t from)
{
    if (!ops->absorbed_count || ops->absorbed[ops->absorbed_count - 1].op != to)
        ops->absorbed_count++;
    ops->absorbed[ops->absorbed_count - 1] = (struct tp_absorbed){to, ops->event[from]};
    ops->flags[to] |= TP_OPERATOR_ABSORBED;
}

/* Assigns clipped ends to the new indexes of their operators. Drops the ends of folded operators. */
static void renumber_clipped_operators(struct tp_operators *ops, const uint32_t *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < ops->clipped.count; i++) {
        struct tp_listed *items = ops->clipped.data;
        uint32_t op = items[i].at;
        if (kept[op + 1] > kept[op])
            items[count++] = (struct tp_listed){kept[op], items[i].value};
    }
    ops->clipped.count = count;
}

void tp_model_fold_operators(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct tp_launches *launches = &model->launches;
    for (uint32_t i = 0; i < ops->count; i++)
        ops->folded_count += is_folded(model, i);
    if (!ops->folded_count)
        return;
    ops->absorbed = tp_arena_array(model->arena, ops->folded_count, sizeof *ops->absorbed);
    uint32_t *kept = tp_arena_array(model->arena, (size_t)ops->count + 1, sizeof *kept);
    for (uint32_t i = 0; i < ops->count; i++)
        kept[i + 1] = kept[i] + !is_folded(model, i);
    for (uint32_t i = 0; i < ops->count; i++)
        if (kept[i + 1] > kept[i])
            move_operator(ops, kept[i], i, kept);
        else
            absorb_operator(ops, kept[i] - 1, i);
    renumber_clipped_operators(ops, kept);
    for (uint32_t t = 0; t <= model->trace->thread_count; t++)
        ops->thread_first[t] = kept[ops->thread_first[t]];
    for (uint32_t i = 0; i < launches->count; i++)
        if (launches->op[i] != TP_NO_ID)
            launches->op[i] = kept[launches->op[i] + 1] - 1;
    size_t size = ((size_t)ops->count + 1) * sizeof *kept;
    ops->count = kept[ops->count];
    tp_arena_free_item(model->arena, kept, size);
}

/* State while self times are computed. self[op]: time that is not yet subtracted, ns. covered_end[op]: end of the last
 * subtracted interval, ns. */
struct self_times {
    const struct tp_model *model;
    int64_t *self, *covered_end;
};

/* Subtracts the interval [a, b) from the self time of an operator. The intervals of an operator must be passed in order
 * of start. */
static inline void subtract_interval_from_self(const struct self_times *times, uint32_t op, int64_t a, int64_t b)
{
    int64_t end = tp_operator_end(times->model, op);
    b = b > end ? end : b;
    a = a < times->covered_end[op] ? times->covered_end[op] : a;
    if (b > a) {
        times->self[op] -= b - a;
        times->covered_end[op] = b;
    }
}

/* Subtracts the calls that start just before operator `op` from the self time of `op`. launch: first call of the thread
 * that starts at or after the start of `op`. */
static void subtract_early_calls(const struct self_times *times, uint32_t op, uint32_t launch, uint32_t thread)
{
    const struct tp_model *model = times->model;
    int64_t start = tp_operator_event(model, op)->ts_ns;
    for (uint32_t j = launch; j-- > model->launches.thread_first[thread];) {
        const struct tp_event *e = tp_launch_event(model, j);
        if (start - e->ts_ns > TP_EARLY_CALL_NS)
            return;
        if (model->launches.op[j] == op)
            subtract_interval_from_self(times, op, start, tp_event_end(e));
    }
}

static void compute_self_times_of_thread(const struct self_times *times, uint32_t thread)
{
    const struct tp_operators *ops = &times->model->operators;
    const struct tp_launches *launches = &times->model->launches;
    const struct tp_event *events = times->model->trace->events;
    uint32_t j = launches->thread_first[thread], launch_end = launches->thread_first[thread + 1];
    for (uint32_t i = ops->thread_first[thread], end = ops->thread_first[thread + 1]; i < end || j < launch_end;) {
        if (i < end && (j == launch_end || events[ops->event[i]].ts_ns <= events[launches->event[j]].ts_ns)) {
            int64_t start = events[ops->event[i]].ts_ns, own_end = tp_operator_end(times->model, i);
            times->self[i] = own_end - start;
            times->covered_end[i] = start;
            if (ops->parent[i] != TP_NO_ID)
                subtract_interval_from_self(times, ops->parent[i], start, own_end);
            if (launches->early_count)
                subtract_early_calls(times, i, j, thread);
            i++;
        } else {
            const struct tp_event *e = &events[launches->event[j]];
            if (launches->op[j] != TP_NO_ID && tp_operator_event(times->model, launches->op[j])->ts_ns <= e->ts_ns)
                subtract_interval_from_self(times, launches->op[j], e->ts_ns, tp_event_end(e));
            j++;
        }
    }
}

/* Computes the host self time of each operator: its length without the union of its child operators and its own
 * calls. */
void tp_model_compute_host_times(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct self_times times = {.model = model};
    times.self = tp_arena_array(model->arena, ops->count, sizeof *times.self);
    times.covered_end = tp_arena_array(model->arena, ops->finished_count, sizeof *times.covered_end);
    for (uint32_t t = 0; t < model->trace->thread_count; t++)
        compute_self_times_of_thread(&times, t);
    tp_narrow_init(&ops->host_self, times.self, ops->count, model->arena);
    tp_arena_free_item(model->arena, times.covered_end, (size_t)ops->finished_count * sizeof *times.covered_end);
}
