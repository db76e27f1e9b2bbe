/* Adds the cost of recording to a verdict if the host limits the speed of the program. */
#include "webreport/measure/verdict/verdict.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/model/numbers.h"

/* least cost of recording that is reported, percent of the step time */
static const double LEAST_PERCENT = 10;

void tp_verdict_add_recording(struct tp_trace_verdict *v, const struct tp_recommendations *found,
                              const struct tp_model *model)
{
    double percent = tp_percent(found->overhead.cost_ns, model->window_ns);
    bool is_host = v->class == TP_CLASS_LAUNCH_BOUND || v->class == TP_CLASS_CPU;
    if (!is_host || percent < LEAST_PERCENT || !tp_uses_torch_words(model->producer))
        return;
    v->recording_percent = percent;
    v->is_recording_of_stacks = found->overhead.frames > 0;
}
