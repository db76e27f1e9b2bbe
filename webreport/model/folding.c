/* Folding of an operator into its only, equally named child (D7), and host self times (D14).
 *
 * In pre-order an only child stands directly behind its parent and ends with it, so folded operators are found and
 * removed in one pass; what they launched moves up to the operator that absorbed them. */
#include "webreport/model/build.h"
#include "writer/base/saturate.h"

static bool is_folded(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    const struct tp_event *events = model->trace->events;
    return op > 0 && ops->parent[op] == op - 1 && ops->subtree_end[op] == ops->subtree_end[op - 1] &&
           events[ops->event[op]].name == events[ops->event[op - 1]].name;
}

/* Moves operator `from` to the place `to` <= from. kept: number of operators kept before each old place. */
static void move_operator(struct tp_operators *ops, uint32_t to, uint32_t from, const uint32_t *kept)
{
    uint32_t parent = ops->parent[from];
    ops->event[to] = ops->event[from];
    ops->parent[to] =
        parent == TP_NO_ID ? TP_NO_ID : kept[parent + 1] - 1; /* a folded parent: the one that absorbed it */
    ops->subtree_end[to] = kept[ops->subtree_end[from]];
    ops->stack[to] = ops->stack[from];
    ops->clipped_end[to] = ops->clipped_end[from];
    if (ops->module)
        ops->module[to] = ops->module[from];
}

void tp_model_fold(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct tp_launches *launches = &model->launches;
    for (uint32_t i = 0; i < ops->count; i++)
        ops->folded_count += is_folded(model, i);
    if (!ops->folded_count)
        return;
    uint32_t *kept = tp_arena_array(model->arena, (size_t)ops->count + 1, sizeof *kept);
    for (uint32_t i = 0; i < ops->count; i++)
        kept[i + 1] = kept[i] + !is_folded(model, i);
    for (uint32_t i = 0; i < ops->count; i++)
        if (kept[i + 1] > kept[i])
            move_operator(ops, kept[i], i, kept);
    for (uint32_t t = 0; t <= model->trace->thread_count; t++)
        ops->thread_first[t] = kept[ops->thread_first[t]];
    for (uint32_t i = 0; i < launches->count; i++)
        if (launches->op[i] != TP_NO_ID)
            launches->op[i] = kept[launches->op[i] + 1] - 1;
    size_t size = ((size_t)ops->count + 1) * sizeof *kept;
    ops->count = kept[ops->count];
    tp_arena_drop(model->arena, kept, size);
}

/* Takes [a, b) from the self time of `op`; pieces come in order of start. */
static inline void cover(struct tp_operators *ops, int64_t *covered_end, uint32_t op, int64_t a, int64_t b)
{
    if (b > ops->clipped_end[op])
        b = ops->clipped_end[op];
    if (a < covered_end[op])
        a = covered_end[op];
    if (b > a) {
        ops->host_self[op] -= b - a;
        covered_end[op] = b;
    }
}

/* Self time = length - union of child operators and of the launches directly inside. */
void tp_model_host_times(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    const struct tp_launches *launches = &model->launches;
    const struct tp_event *events = model->trace->events;
    ops->host_self = tp_arena_array(model->arena, ops->count, sizeof *ops->host_self);
    size_t size = (size_t)ops->finished_count * sizeof(int64_t);
    int64_t *covered_end = tp_arena_array(model->arena, ops->finished_count, sizeof *covered_end);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t j = launches->thread_first[t], launch_end = launches->thread_first[t + 1];
        for (uint32_t i = ops->thread_first[t], end = ops->thread_first[t + 1]; i < end || j < launch_end;) {
            if (i < end && (j == launch_end || events[ops->event[i]].ts_ns <= events[launches->event[j]].ts_ns)) {
                int64_t start = events[ops->event[i]].ts_ns;
                ops->host_self[i] = ops->clipped_end[i] - start;
                covered_end[i] = start;
                if (ops->parent[i] != TP_NO_ID)
                    cover(ops, covered_end, ops->parent[i], start, ops->clipped_end[i]);
                i++;
            } else {
                const struct tp_event *e = &events[launches->event[j]];
                if (launches->op[j] != TP_NO_ID)
                    cover(ops, covered_end, launches->op[j], e->ts_ns, tp_event_end(e));
                j++;
            }
        }
    }
    tp_arena_drop(model->arena, covered_end, size);
}
