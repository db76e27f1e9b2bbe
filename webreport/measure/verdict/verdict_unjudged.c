/* Changes the verdict if more than half of the step time does not show how the steps run. */
#include "webreport/measure/verdict/verdict_parts.h"

#include "webreport/model/numbers.h"

/* Returns the device time that the trace does not explain (causes from TP_TIME_QUEUE to TP_TIME_UNKNOWN), ns. */
static int64_t unexplained_ns(const struct tp_trace_verdict *v)
{
    int64_t ns = tp_sat_sub(v->cause_ns[TP_TIME_QUEUE], v->awaited_communication_ns);
    return tp_sat_add(ns, tp_sat_add(v->cause_ns[TP_TIME_OUTSIDE], v->cause_ns[TP_TIME_UNKNOWN]));
}

void tp_verdict_set_unjudged(struct tp_trace_verdict *v, const struct tp_unjudged *unjudged,
                             const struct tp_model *model)
{
    static const enum tp_verdict_class classes[] = {[TP_UNJUDGED_CAPTURE] = TP_CLASS_CAPTURE,
                                                    [TP_UNJUDGED_TOO_LITTLE_WORK] = TP_CLASS_TOO_LITTLE,
                                                    [TP_UNJUDGED_FIRST_USE] = TP_CLASS_FIRST_USE,
                                                    [TP_UNJUDGED_EDGE] = TP_CLASS_NOT_SHOWN};
    static const enum tp_headline headlines[] = {[TP_UNJUDGED_CAPTURE] = TP_HEADLINE_CAPTURE,
                                                 [TP_UNJUDGED_TOO_LITTLE_WORK] = TP_HEADLINE_TOO_LITTLE_WORK,
                                                 [TP_UNJUDGED_FIRST_USE] = TP_HEADLINE_FIRST_USE,
                                                 [TP_UNJUDGED_EDGE] = TP_HEADLINE_EDGE};
    if (!v->has_device || v->is_own_device)
        return;
    v->unjudged = *unjudged;
    bool is_missing = unjudged->reason == TP_UNJUDGED_NOTHING || unjudged->reason == TP_UNJUDGED_EDGE;
    /* the headline already says that the trace does not explain the time */
    if (is_missing && v->class == TP_CLASS_NOT_SHOWN) {
        int64_t ns = unexplained_ns(v);
        v->unjudged = ns > model->window_ns - ns ? (struct tp_unjudged){.reason = TP_UNJUDGED_MISSING, .ns = ns}
                                                 : (struct tp_unjudged){0};
    } else if (unjudged->reason != TP_UNJUDGED_NOTHING) {
        v->class = classes[unjudged->reason];
        v->cause = TP_TIME_NONE;
        v->percent = tp_percent(unjudged->ns, model->window_ns);
        v->headline_id = headlines[unjudged->reason];
    }
}
