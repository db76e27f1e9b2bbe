/* Where a moment or an interval lies: how much of it is in the window W, and in which step. */
#include "webreport/model/facts.h"
#include "webreport/model/numbers.h"

/* The last piece from `from` on that starts before b; the piece at `from` does. */
static size_t last_starting_before(struct tp_intervals window, size_t from, int64_t b)
{
    size_t low = from, high = window.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (window.items[middle].a < b)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t tp_window_within(const struct tp_model *model, size_t *at, int64_t a, int64_t b)
{
    struct tp_intervals window = model->window;
    while (*at < window.count && window.items[*at].b <= a)
        ++*at;
    if (*at == window.count || window.items[*at].a >= b)
        return 0;
    const struct tp_interval *first = &window.items[*at];
    a = tp_ns_max(a, first->a);
    if (b <= first->b)
        return b - a;
    size_t i = last_starting_before(window, *at, b);
    int64_t in_last = tp_ns_min(b, window.items[i].b) - window.items[i].a;
    return model->window_before[i] - model->window_before[*at] - (a - first->a) + in_last;
}

/* Steps are in order and disjoint, both by their markers and with their device work: the only one that may hold `at` is
 * the first that ends after it. */
static uint32_t step_around(const struct tp_model *model, int64_t at, bool is_host)
{
    uint32_t low = 0, high = model->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tp_step *step = &model->steps[middle];
        if ((is_host ? step->host_end_ns : step->end_ns) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == model->step_count)
        return TP_NO_ID;
    return (is_host ? model->steps[low].host_start_ns : model->steps[low].start_ns) <= at ? low : TP_NO_ID;
}

uint32_t tp_step_of_host(const struct tp_model *model, int64_t at)
{
    return model->step_marker == TP_MARKER_WINDOW ? 0 : step_around(model, at, true);
}

uint32_t tp_step_of_device(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *launch = tp_launch_of_device(model, device);
    if (model->step_marker == TP_MARKER_WINDOW)
        return 0;
    return launch ? step_around(model, launch->ts_ns, true)
                  : step_around(model, tp_device_event(model, device)->ts_ns, false);
}

uint32_t tp_step_of_collective(const struct tp_model *model, const struct tp_collective *record)
{
    return step_around(model, record->start_ns, !record->is_device);
}
