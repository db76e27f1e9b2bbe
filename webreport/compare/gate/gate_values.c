/* Returns the value of a budget line's metric in one run, also of metrics that name a range or a change. See
 * gate_parts.h.
 */
#include <math.h>

#include "webreport/compare/gate/gate_parts.h"
#include "webreport/measure/metrics/metric_values.h"
#include "webreport/trace/frame.h"

/* Returns true if NAME is the name of a range; modules can be named with or without "nn.Module: ". */
static bool has_range_name(const struct tp_summary_range *range, struct tp_str name)
{
    return tp_str_equal(range->name, name) ||
           (range->is_module && tp_str_equal(tp_frame_module_name(range->name), name));
}

/* Returns the smallest gain of the line's change. The metric of a run without answers has the reason. */
static struct tp_metric_value gain_of_change(const struct tp_summary *run, const struct tp_budget_line *line)
{
    struct tp_metric_value unknown = run->metrics[line->metric];
    if (unknown.reason != TP_REASON_NEEDS_CHANGE)
        return unknown;
    for (uint32_t i = 0; i < run->gain_count; i++) {
        const struct tp_change_gain *gain = &run->gains[i];
        if (!tp_str_equal(gain->change, line->operator))
            continue;
        if (gain->low_ns != TP_NULL_INT)
            return (struct tp_metric_value){.value = (double)gain->low_ns};
        unknown.why = gain->why ? gain->why : unknown.why;
    }
    return unknown;
}

struct tp_metric_value tp_check_value_of_run(const struct tp_summary *run, const struct tp_budget_line *line)
{
    const struct tp_metric *metric = &tp_metrics[line->metric];
    if (metric->value == tp_metric_of_change && line->operator.ptr)
        return gain_of_change(run, line);
    if (metric->value != tp_metric_of_range)
        return run->metrics[line->metric];
    for (uint32_t i = 0; i < run->range_count; i++) {
        int64_t ns = metric->which == TP_METRIC_RANGE_HOST ? run->ranges[i].host_ns : run->ranges[i].device_ns;
        if (has_range_name(&run->ranges[i], line->operator) && ns != TP_NULL_INT)
            return (struct tp_metric_value){.value = (double)ns};
    }
    return (struct tp_metric_value){.value = NAN, .why = "the run has no such range"};
}
