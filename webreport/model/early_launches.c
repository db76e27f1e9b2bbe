/* Assigns calls that start just before their operator to this operator (docs/definitions.md, section 3, D2).
 *
 * The profiler takes the times of calls and the times of operators from different clocks. So a call may start a few
 * microseconds before the operator that makes the call. Its External id still names the operator. This stage must run
 * before operators are folded, while operators and calls of a thread are both sorted by start. */
#include "webreport/model/stages.h"

/* Returns the only operator in [op, end) with this External id that starts at most TP_EARLY_CALL_NS after `at`. Returns
 * TP_NO_ID if there is no such operator, or if there are several. op: first operator that starts after `at`, ns. */
static uint32_t find_only_candidate(const struct tp_model *model, uint32_t op, uint32_t end, int64_t id, int64_t at)
{
    uint32_t found = TP_NO_ID;
    for (; op < end && tp_operator_event(model, op)->ts_ns - at <= TP_EARLY_CALL_NS; op++) {
        if (model->trace->hosts[tp_operator_event(model, op)->detail].external_id != id)
            continue;
        if (found != TP_NO_ID)
            return TP_NO_ID;
        found = op;
    }
    return found;
}

static bool has_external_id(const struct tp_model *model, uint32_t op, int64_t id)
{
    return op != TP_NO_ID && model->trace->hosts[tp_operator_event(model, op)->detail].external_id == id;
}

static void assign_call_to_operator(struct tp_model *model, uint32_t launch, uint32_t next_op, uint32_t op_end)
{
    struct tp_launches *launches = &model->launches;
    const struct tp_event *e = tp_launch_event(model, launch);
    int64_t id = model->trace->launches[e->detail].external_id;
    if (id == TP_NULL_INT || id == 0 || has_external_id(model, launches->op[launch], id))
        return;
    uint32_t op = find_only_candidate(model, next_op, op_end, id, e->ts_ns);
    if (op == TP_NO_ID)
        return;
    launches->launched_outside_operator_count -= launches->op[launch] == TP_NO_ID;
    launches->early_count++;
    launches->op[launch] = op;
    if (launches->module)
        launches->module[launch] = model->operators.module[op];
}

void tp_model_assign_early_calls(struct tp_model *model)
{
    const struct tp_operators *ops = &model->operators;
    const struct tp_launches *launches = &model->launches;
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t op = ops->thread_first[t], op_end = ops->thread_first[t + 1];
        for (uint32_t i = launches->thread_first[t]; i < launches->thread_first[t + 1]; i++) {
            while (op < op_end && tp_operator_event(model, op)->ts_ns <= tp_launch_event(model, i)->ts_ns)
                op++;
            assign_call_to_operator(model, i, op, op_end);
        }
    }
}
