/* Chooses the headline of a verdict and finds its names and numbers, as declared in verdict_parts.h. The sentences are
 * in webreport/document/words/verdict_words.c. */
#include "webreport/measure/verdict/verdict_parts.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/model/numbers.h"

/* least share of a second cause that the headline names, percent of the step time */
static const double NEXT_PERCENT = 10;

int64_t tp_verdict_cause_ns(const struct tp_trace_verdict *v, enum tp_time_cause cause)
{
    int64_t ns = v->cause_ns[cause];
    return cause == TP_TIME_QUEUE ? ns - v->awaited_communication_ns : ns;
}

static enum tp_verdict_period choose_period(const struct tp_model *model)
{
    if (model->step_marker == TP_MARKER_WINDOW) {
        bool is_whole = model->steps[0].start_ns < tp_device_event(model, 0)->ts_ns;
        return is_whole ? TP_PERIOD_RECORDING : TP_PERIOD_FROM_DEVICE;
    }
    return model->used_count == 1 ? TP_PERIOD_STEP : TP_PERIOD_STEPS;
}

/* Returns the cause with the most time except v->cause and compute; of equal causes the first. */
static enum tp_time_cause find_second_cause(const struct tp_trace_verdict *v)
{
    enum tp_time_cause best = TP_TIME_NONE;
    for (enum tp_time_cause c = TP_TIME_COMMUNICATION; c < TP_TIME_DEVICE_COUNT; c++)
        if (c != v->cause && (best == TP_TIME_NONE || tp_verdict_cause_ns(v, c) > tp_verdict_cause_ns(v, best)))
            best = c;
    return best;
}

void tp_verdict_set_device_headline(struct tp_trace_verdict *v, const struct tp_model *model)
{
    enum tp_time_cause second = find_second_cause(v);
    bool is_named = tp_percent(tp_verdict_cause_ns(v, second), model->window_ns) >= NEXT_PERCENT;
    v->period = choose_period(model);
    v->is_own_device = tp_is_device_of_program(model, v->device);
    v->next = is_named ? second : TP_TIME_NONE;
    v->headline_id = v->class != TP_CLASS_STALL          ? TP_HEADLINE_DEVICE
                     : v->cause == TP_TIME_COMMUNICATION ? TP_HEADLINE_COLLECTIVE
                                                         : TP_HEADLINE_GAP;
}

/* ---- no device ---- */

/* Finds the operator name with the most host self time on the main thread, and its share of the time in operators. Of
 * names with equal time, chooses the first in alphabetical order. */
static void find_largest_operator(struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    int64_t *self_ns = tp_arena_array(arena, names->count, sizeof *self_ns), total = 0;
    uint32_t best = TP_NO_ID;
    for (uint32_t i = 0; i < model->operators.count; i++) {
        uint32_t name = tp_operator_event(model, i)->name;
        if (tp_operator_event(model, i)->thread != model->host_main)
            continue;
        self_ns[name] = tp_sat_add(self_ns[name], tp_narrow_get(&model->operators.host_self, i));
        total = tp_sat_add(total, tp_narrow_get(&model->operators.host_self, i));
    }
    for (uint32_t n = 0; n < names->count && total; n++)
        if (best == TP_NO_ID || self_ns[n] > self_ns[best] ||
            (self_ns[n] == self_ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0))
            best = n;
    if (best != TP_NO_ID)
        v->largest = (struct tp_verdict_largest){names->items[best], tp_percent(self_ns[best], total)};
    tp_arena_free_item(arena, self_ns, names->count * sizeof *self_ns);
}

/* Returns, for each name id, the time of the main thread's ranges with a declared kind in `kinds`, within the used
 * steps, ns. kinds: bit k for enum value k. */
static int64_t *sum_declared_times_by_name(const struct tp_model *model, unsigned kinds, struct tp_arena *arena)
{
    const struct tp_order *order = model->order;
    int64_t *ns = tp_arena_array(arena, model->trace->names.count, sizeof *ns);
    size_t at = 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->kind == TP_KIND_ANNOTATION && kinds >> tp_event_declared_kind(e) & 1)
            ns[e->name] = tp_sat_add(ns[e->name], tp_window_length_within(model, &at, e->ts_ns, tp_event_end(e)));
    }
    return ns;
}

/* Finds the range name with the most time among the main thread's ranges with a declared kind in `kinds`. Ignores
 * ranges below least_percent of the time of the analysed steps. Of names with equal time, chooses the first in
 * alphabetical order. */
static void find_largest_range(struct tp_trace_verdict *v, const struct tp_model *model, unsigned kinds,
                               double least_percent, struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    uint32_t best = TP_NO_ID;
    if (model->host_main == TP_NO_ID)
        return;
    int64_t *ns = sum_declared_times_by_name(model, kinds, arena);
    for (uint32_t n = 0; n < names->count; n++)
        if (ns[n] && (best == TP_NO_ID || ns[n] > ns[best] ||
                      (ns[n] == ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0)))
            best = n;
    double percent = best == TP_NO_ID ? 0 : tp_percent(ns[best], model->window_ns);
    if (best != TP_NO_ID && percent >= least_percent)
        v->largest = (struct tp_verdict_largest){names->items[best], percent};
    tp_arena_free_item(arena, ns, names->count * sizeof *ns);
}

void tp_verdict_set_host_headline(struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    static const double SAID_PERCENT = 20;
    v->period = model->step_marker == TP_MARKER_WINDOW ? TP_PERIOD_RECORDING : TP_PERIOD_STEPS;
    if (v->cause == TP_TIME_INPUT) {
        v->headline_id = TP_HEADLINE_INPUT;
    } else if (v->cause == TP_TIME_COMMUNICATION) {
        v->headline_id = TP_HEADLINE_COMMUNICATION;
    } else if (v->cause == TP_TIME_COPY) {
        v->headline_id = TP_HEADLINE_COPY;
        find_largest_range(v, model, TP_RANGE_BIT(COPY), 0, arena);
    } else if (v->cause == TP_TIME_SYNC) {
        v->headline_id = TP_HEADLINE_WAIT;
        find_largest_range(v, model, TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC), 0, arena);
    } else if (tp_has_declared_kind(model, TP_RANGE_BIT(COMPUTE))) {
        v->headline_id = TP_HEADLINE_RANGES;
        find_largest_range(v, model, TP_RANGE_BIT(COMPUTE), SAID_PERCENT, arena);
    } else if (!tp_uses_torch_words(model->producer) && !model->operators.count) {
        v->headline_id = TP_HEADLINE_NO_RANGE;
    } else {
        v->headline_id = TP_HEADLINE_CALLS;
        find_largest_operator(v, model, arena);
    }
}
