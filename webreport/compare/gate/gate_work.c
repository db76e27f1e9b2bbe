/* Checks budget lines that limit the work of one step: added operators, copies and waits, changed types and shapes, and
 * the calls of one operator. Counts are exact and need no interval. See gate_parts.h. */
#include <math.h>

#include "webreport/compare/gate/gate_parts.h"
#include "webreport/compare/work/work_words.h"
#include "webreport/measure/metrics/metric_values.h"
#include "writer/text/format.h"

static bool is_operator_count(const struct tp_budget_line *line)
{
    return tp_metrics[line->metric].which == TP_METRIC_OPERATOR_CALLS;
}

/* Returns the calls per step of the operator in the line. With several runs, returns the number that is closest to
 * breaking the limit. Returns NaN if a run has no counts. */
static double calls_per_step(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line)
{
    bool is_lower = line->op == TP_OP_GE || line->op == TP_OP_GT;
    double worst = NAN;
    for (size_t i = 0; i < count; i++) {
        int64_t calls = tp_signature_operator_calls(&runs[i].signature, line->operator);
        if (calls < 0)
            return NAN;
        worst = isnan(worst) || (is_lower ? (double)calls < worst : (double)calls > worst) ? (double)calls : worst;
    }
    return worst;
}

static double function_share_of_run(const struct tp_summary *run, struct tp_str function)
{
    double cpu = run->metrics[tp_metric_find("cpu", 3)].value, sum = 0;
    for (uint32_t i = 0; i < run->row_count; i++)
        if (run->rows[i].kind == TP_SUMMARY_FUNCTION && tp_str_equal(run->rows[i].name, function))
            sum += (double)run->rows[i].time.sum_ns;
    return cpu > 0 ? 100 * sum / cpu : NAN;
}

double tp_check_function_share(const struct tp_summary *runs, size_t count, const struct tp_budget_line *line,
                               const char **why)
{
    bool is_lower = tp_budget_is_lower(line->op);
    double worst = NAN;
    for (size_t i = 0; i < count; i++) {
        double share = function_share_of_run(&runs[i], line->operator);
        if (isnan(share)) {
            *why =
                "the run needs one program that was recorded from outside and used CPU time; if it has several, name "
                "the file PROGRAM.NS.pt.trace.json.gz of one";
            return NAN;
        }
        worst = isnan(worst) || (is_lower ? share < worst : share > worst) ? share : worst;
    }
    return worst;
}

static const char *measure_work_change(struct tp_check_item *item, const struct tp_check_subject *s)
{
    const struct tp_budget_line *line = item->line;
    if (!is_operator_count(line)) {
        enum tp_work_rule rule = (enum tp_work_rule)tp_metrics[line->metric].which;
        bool is_kept = rule == TP_WORK_UNFREED_MEMORY,
             is_known = s->work.is_known && (!is_kept || s->work.are_unfreed_blocks_known);
        item->base_value = 0;
        item->value = is_known ? (double)tp_work_diff_count(&s->work, rule) : NAN;
        item->change = item->value;
        return is_known  ? NULL
               : is_kept ? "the run or the baseline has no memory events with addresses, has fewer than 3 marked "
                           "steps, or was written by an older version of tracepress"
                         : "the run or the baseline has no marked steps, or was written by an older version of "
                           "tracepress";
    }
    size_t kept = s->base_count < TP_CHECK_COUNT_RUNS ? s->base_count : TP_CHECK_COUNT_RUNS;
    item->value = calls_per_step(s->runs, s->run_count, line);
    if (isnan(item->value))
        return "the run has no marked steps, or was written by an older version of tracepress";
    if (line->kind == TP_LIMIT_ABSOLUTE)
        return NULL;
    item->base_value = calls_per_step(s->base + s->base_count - kept, kept, line);
    item->change = item->value - item->base_value;
    if (line->kind == TP_LIMIT_RELATIVE)
        item->change = item->base_value > 0 ? 100 * item->change / item->base_value : item->change > 0 ? INFINITY : 0;
    return isnan(item->base_value)
               ? "the baseline has no marked steps, or was written by an older version of tracepress"
               : NULL;
}

enum tp_check_cause tp_check_judge_work(struct tp_check_item *item, const struct tp_check_subject *s, const char **why)
{
    bool is_against = item->line->kind != TP_LIMIT_ABSOLUTE || !is_operator_count(item->line);
    const struct tp_comparability *c = &s->comparability;
    if (is_against && s->base_count == 0)
        return TP_CAUSE_NO_BASELINE;
    if (is_against && c->workload == TP_WORKLOAD_OTHER && !c->is_other_input_alone)
        return TP_CAUSE_NOT_COMPARABLE;
    *why = measure_work_change(item, s);
    if (*why)
        return TP_CAUSE_MISSING;
    return tp_budget_is_limit_kept(item->line->op, is_against ? item->change : item->value, item->line->limit)
               ? TP_CAUSE_WITHIN
               : TP_CAUSE_BEYOND;
}

void tp_check_find_work_places(struct tp_vec *places, const struct tp_check_item *item,
                               const struct tp_check_subject *s, struct tp_arena *arena)
{
    bool is_calls = is_operator_count(item->line);
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < s->work.count; i++) {
        const struct tp_work_change *change = &s->work.changes[i];
        bool is_of_line =
            is_calls ? tp_str_equal(change->name, item->line->operator)
                     : tp_work_change_has_rule(change, (enum tp_work_rule)tp_metrics[item->line->metric].which);
        if (!is_of_line)
            continue;
        if (places->count >= TP_CHECK_KEYS) {
            left_out++;
            continue;
        }
        const char *sentence = tp_work_change_sentence(change, arena);
        *(struct tp_check_place *)tp_vec_push(places) =
            (struct tp_check_place){.rule = tp_str_of(tp_work_rule_name(tp_work_rule_of_change(change))),
                                    .file_line = change->place,
                                    .text = tp_str_of(sentence),
                                    .operator= change->delta<0 ? TP_STR("") : change->name,
                                    .nth = change->nth,
                                    .calls = change->calls};
    }
    if (left_out)
        *(struct tp_check_place *)tp_vec_push(places) =
            (struct tp_check_place){.rule = TP_STR(""),
                                    .file_line = TP_STR(""),
                                    .text = tp_str_of(tp_text_printf(arena, "and %u more", left_out)),
                                    .operator= TP_STR("")};
}
