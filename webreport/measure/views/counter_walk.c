/* Implements counter_walk.h. */
#include "webreport/measure/views/counter_walk.h"

#include <math.h>

struct tp_counter_walk tp_counter_walk_start(const struct tp_counter_view *view, const struct tp_model *model,
                                             int64_t device, const char *name)
{
    for (size_t row = 0; view->samples && row < view->counters.row_count; row++)
        if (tp_table_int(&view->counters, TP_DEVICE_COUNTER_DEVICE)[row] == device &&
            tp_str_starts(tp_table_text(&view->counters, TP_DEVICE_COUNTER_NAME)[row], name))
            return (struct tp_counter_walk){view->samples, model->trace->input.counters, view->first_samples[row],
                                            view->first_samples[row + 1]};
    return (struct tp_counter_walk){.samples = NULL};
}

double tp_counter_walk_value(struct tp_counter_walk *w, int64_t ts_ns)
{
    while (w->at + 1 < w->end && tp_counter_walk_sample(w, w->at + 1)->ts_ns <= ts_ns)
        w->at++;
    if (w->at == w->end)
        return NAN;
    const struct tp_device_counter *sample = tp_counter_walk_sample(w, w->at);
    return sample->ts_ns <= ts_ns ? sample->value : NAN;
}

double tp_counter_walk_highest(const struct tp_counter_walk *w)
{
    double highest = NAN;
    for (uint32_t i = w->at; i < w->end; i++)
        highest = fmax(highest, tp_counter_walk_sample(w, i)->value);
    return highest;
}
