/* Computes the largest possible gain from removing host waits for the device.
 *
 * A wait can cost more than the idle time that follows it. Without the wait, the host is ahead by the length of the
 * waiting call. The host keeps this lead until the device has been idle for the same time. The gain is therefore at
 * most the length of the calls, and at most the idle time of the devices outside the calls. During the calls the device
 * works, although the trace may lack records of this work. */
#include "webreport/measure/rules/rules_eval.h"

double tp_gain_percent_without_waits(struct tp_advisor *a, struct tp_intervals calls)
{
    struct tp_intervals idle = tp_model_idle_times(a->model, false, a->arena);
    return fmin(tp_analysed_set_percent(a, tp_intervals_difference(a->arena, idle, calls)),
                tp_analysed_set_percent(a, calls));
}
