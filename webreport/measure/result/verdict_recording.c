/* Writes the sentence of a verdict that reports how much of the steps recording takes when the host is the limit. */
#include "webreport/measure/verdict/verdict.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/rules.h"
#include "writer/text/format.h"

static const double LEAST_PERCENT = 10; /* of W; a smaller cost is not reported */

void tp_verdict_add_recording(struct tp_trace_verdict *v, const struct tp_recommendations *found,
                              const struct tp_model *model, struct tp_arena *arena)
{
    double percent = tp_percent(found->overhead.cost_ns, model->window_ns);
    bool is_host = v->class == TP_CLASS_LAUNCH_BOUND || v->class == TP_CLASS_CPU;
    if (!is_host || percent < LEAST_PERCENT || !tp_speaks_torch(model->producer))
        return;
    const char *whole = model->step_marker == TP_MARKER_WINDOW ? "that time" : "the steps";
    const char *bound = v->has_device ? "at least" : "about"; /* without a device every kind of cost is estimated */
    const char *without = found->overhead.frames ? "stacks" : "shapes and memory";
    v->headline = tp_str_of(tp_text_printf(
        arena, "%.*s Recording itself takes %s %s of %s: record once without %s before you change the program.",
        (int)v->headline.len, v->headline.ptr, bound, tp_text_of_percent(arena, percent), whole, without));
}
