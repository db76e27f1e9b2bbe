/* Assigns calls that start just outside their operator to this operator (docs/definitions.md, section 3, D2).
 *
 * The profiler takes the times of calls and the times of operators from different clocks. So a call may start a few
 * microseconds before or after the operator that makes the call. Its External id still names the operator. This stage
 * must run before operators are folded, while operators and calls of a thread are both sorted by start. */
#include "webreport/model/stages.h"
#include "writer/base/renumber.h"

/* Operators by External id. Built when a call first needs them. */
struct operators_by_id {
    struct tp_ids ids;
    uint32_t *op; /* for each id: the only operator with the id; TP_NO_ID if several operators have the id */
    bool is_built;
};

static int64_t external_id(const struct tp_model *model, const struct tp_event *e)
{
    int64_t id = model->trace->hosts[e->detail].external_id;
    return id == 0 ? TP_NULL_INT : id;
}

/* Returns the External id of an operator; TP_NULL_INT if the operator has none. context: the model. */
static int64_t operator_id(const void *context, uint32_t op)
{
    return external_id(context, tp_operator_event(context, op));
}

static void index_operators(struct operators_by_id *index, const struct tp_model *model)
{
    uint32_t count = model->operators.count;
    tp_ids_init_for_items(&index->ids, model->arena, count, operator_id, model);
    index->op = tp_arena_array(model->arena, count, sizeof *index->op);
    for (uint32_t i = 0; i < count; i++) {
        if (operator_id(model, i) == TP_NULL_INT)
            continue;
        uint32_t known = index->ids.count, id = tp_ids_add(&index->ids, operator_id(model, i));
        index->op[id] = id == known ? i : TP_NO_ID;
    }
    /* operators that are still open at the end of the recording own no calls, but make their id ambiguous */
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        bool is_unfinished = e->kind == TP_KIND_OPERATOR && e->flags & TP_EVENT_UNFINISHED;
        uint32_t id = is_unfinished ? tp_ids_find(&index->ids, external_id(model, e)) : TP_NO_ID;
        if (id != TP_NO_ID)
            index->op[id] = TP_NO_ID;
    }
    index->is_built = true;
}

static bool has_external_id(const struct tp_model *model, uint32_t op, int64_t id)
{
    return op != TP_NO_ID && model->trace->hosts[tp_operator_event(model, op)->detail].external_id == id;
}

bool tp_model_is_graph_launch(const struct tp_model *model, const struct tp_event *call)
{
    return tp_str_find(tp_trace_event_name(model->trace, call), "GraphLaunch") >= 0;
}

/* The launch of a graph follows the operator that prepares its inputs, and has the id of this operator, but does not
 * belong to it. So an operator that has ended never owns the launch of a graph. */
bool tp_model_is_near_operator(const struct tp_model *model, const struct tp_event *call, uint32_t op, uint32_t around)
{
    const struct tp_event *e = tp_operator_event(model, op);
    int64_t before = e->ts_ns - call->ts_ns, after = call->ts_ns - tp_event_end(e);
    bool is_near = before > 0 ? before <= TP_EARLY_CALL_NS
                              : after >= 0 && after <= TP_EARLY_CALL_NS && !tp_model_is_graph_launch(model, call);
    return is_near && e->thread == call->thread &&
           (around == TP_NO_ID || (around < op && op < model->operators.subtree_end[around]));
}

/* Returns the only operator with this id on the thread of the call that begins after the call, at most TP_EARLY_CALL_NS
 * later; TP_NO_ID if none or several exist. Recorders may use an id again in a later pass. */
static uint32_t find_only_next_operator(const struct tp_model *model, const struct tp_event *call, int64_t id)
{
    const struct tp_operators *ops = &model->operators;
    uint32_t low = ops->thread_first[call->thread], end = ops->thread_first[call->thread + 1], found = TP_NO_ID;
    for (uint32_t high = end; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        bool is_after = tp_operator_event(model, middle)->ts_ns > call->ts_ns;
        *(is_after ? &high : &low) = is_after ? middle : middle + 1;
    }
    for (; low < end && tp_operator_event(model, low)->ts_ns - call->ts_ns <= TP_EARLY_CALL_NS; low++) {
        if (!has_external_id(model, low, id))
            continue;
        if (found != TP_NO_ID)
            return TP_NO_ID;
        found = low;
    }
    return found;
}

static void assign_call_to_operator(struct tp_model *model, uint32_t launch, struct operators_by_id *index)
{
    struct tp_launches *launches = &model->launches;
    const struct tp_event *e = tp_launch_event(model, launch);
    int64_t id = model->trace->launches[e->detail].external_id;
    if (id == TP_NULL_INT || id == 0 || has_external_id(model, launches->op[launch], id))
        return;
    if (!index->is_built)
        index_operators(index, model);
    uint32_t found = tp_ids_find(&index->ids, id), op = found == TP_NO_ID ? TP_NO_ID : index->op[found];
    if (found != TP_NO_ID && op == TP_NO_ID)
        op = find_only_next_operator(model, e, id);
    if (op == TP_NO_ID || !tp_model_is_near_operator(model, e, op, launches->op[launch]))
        return;
    launches->launched_outside_operator_count -= launches->op[launch] == TP_NO_ID;
    launches->early_count++;
    launches->op[launch] = op;
    if (launches->module)
        launches->module[launch] = model->operators.module[op];
}

void tp_model_assign_early_calls(struct tp_model *model)
{
    struct operators_by_id index = {0};
    for (uint32_t i = 0; i < model->launches.count; i++)
        assign_call_to_operator(model, i, &index);
    if (!index.is_built)
        return;
    tp_arena_free_item(model->arena, index.op, model->operators.count * sizeof *index.op);
    tp_ids_release(&index.ids, model->arena);
}
