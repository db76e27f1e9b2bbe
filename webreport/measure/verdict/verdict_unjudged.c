/* Words the headline when more than half of W says nothing about the steps: that fact, and its reason. */
#include "webreport/measure/verdict/verdict_parts.h"

#include <math.h>

#include "webreport/measure/audience/wording.h"
#include "webreport/model/numbers.h"
#include "writer/text/format.h"

/* Returns the device time that the trace does not explain: the group "not shown". */
static int64_t not_shown_ns(const struct tp_trace_verdict *v)
{
    int64_t ns = tp_sat_sub(v->cause_ns[TP_TIME_QUEUE], v->awaited_communication_ns);
    return tp_sat_add(ns, tp_sat_add(v->cause_ns[TP_TIME_OUTSIDE], v->cause_ns[TP_TIME_UNKNOWN]));
}

/* "GPU 0 computes for 12.3 % of the rest." */
static const char *rest_words(const struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_str device = tp_device_title(model, v->device, arena);
    int64_t rest_ns = tp_sat_sub(model->window_ns, v->unjudged.ns);
    double percent = rest_ns > 0 ? fmin(100, tp_percent(v->cause_ns[TP_TIME_COMPUTE], rest_ns)) : 0;
    return tp_text_printf(arena, "%.*s computes for %s of the rest.", (int)device.len, device.ptr,
                          tp_text_of_percent(arena, percent));
}

static const char *headline(const struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_str device = tp_device_title(model, v->device, arena);
    const char *part = tp_text_of_percent(arena, tp_percent(v->unjudged.ns, model->window_ns));
    switch (v->unjudged.reason) {
    case TP_UNJUDGED_CAPTURE:
        return tp_text_printf(arena,
                              "Record the replay: for %s of %s the program captures a graph, and launches run nothing "
                              "meanwhile.",
                              part, tp_verdict_period(model));
    case TP_UNJUDGED_LITTLE:
        return tp_text_printf(arena, "Record several steps after a warm-up: %.*s.", (int)v->unjudged.detail.len,
                              v->unjudged.detail.ptr);
    case TP_UNJUDGED_FIRST_USE:
        return tp_text_printf(arena,
                              "Record later steps: for %s of %s %.*s waits for work that a program does once, such as "
                              "taking memory and loading modules. %s",
                              part, tp_verdict_period(model), (int)device.len, device.ptr, rest_words(v, model, arena));
    default:
        return tp_text_printf(arena,
                              "Record more steps: for %s of %s %.*s was at work of before the recording, or had nothing "
                              "recorded to do. %s",
                              part, tp_verdict_period(model), (int)device.len, device.ptr, rest_words(v, model, arena));
    }
}

void tp_verdict_leave_out(struct tp_trace_verdict *v, const struct tp_unjudged *unjudged, const struct tp_model *model,
                          struct tp_arena *arena)
{
    static const enum tp_verdict_class classes[] = {[TP_UNJUDGED_CAPTURE] = TP_CLASS_CAPTURE,
                                                    [TP_UNJUDGED_LITTLE] = TP_CLASS_TOO_LITTLE,
                                                    [TP_UNJUDGED_FIRST_USE] = TP_CLASS_FIRST_USE,
                                                    [TP_UNJUDGED_EDGE] = TP_CLASS_NOT_SHOWN};
    if (!v->has_device || tp_is_own_device(model, v->device))
        return;
    v->unjudged = *unjudged;
    bool is_missing = unjudged->reason == TP_UNJUDGED_NOTHING || unjudged->reason == TP_UNJUDGED_EDGE;
    if (is_missing && v->class == TP_CLASS_NOT_SHOWN) { /* the headline has already said so */
        int64_t ns = not_shown_ns(v);
        v->unjudged = ns > model->window_ns - ns ? (struct tp_unjudged){.reason = TP_UNJUDGED_MISSING, .ns = ns}
                                                 : (struct tp_unjudged){0};
    } else if (unjudged->reason != TP_UNJUDGED_NOTHING) {
        v->class = classes[unjudged->reason];
        v->cause = TP_TIME_NONE;
        v->percent = tp_percent(unjudged->ns, model->window_ns);
        v->headline = tp_str_of(headline(v, model, arena));
    }
}
