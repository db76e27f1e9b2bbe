/* Implements counter_walk.h. */
#include "webreport/measure/views/counter_walk.h"

#include <math.h>

struct tp_counter_walk tp_counter_walk_start(const struct tp_counter_view *view, const struct tp_model *model,
                                             int64_t device, const char *name)
{
    const int64_t *devices = tp_table_int(&view->counters, TP_DEVICE_COUNTER_DEVICE);
    const struct tp_str *names = tp_table_text(&view->counters, TP_DEVICE_COUNTER_NAME);
    size_t low = 0, high = view->samples ? view->counters.row_count : 0, end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (devices[middle] < device ||
            (devices[middle] == device && tp_str_compare(names[middle], tp_str_of(name)) < 0))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end || devices[low] != device || !tp_str_starts(names[low], name))
        return (struct tp_counter_walk){.samples = NULL};
    return (struct tp_counter_walk){view->samples, model->trace->input.counters, view->first_samples[low],
                                    view->first_samples[low + 1]};
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
