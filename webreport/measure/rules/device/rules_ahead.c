/* Bounds the gain from removing waits of the host for the device.
 *
 * A wait after which the device is out of work costs more than the idle time after it. Without the wait, the host is
 * earlier by the length of the call, and keeps this lead until the device has been idle for as long. The gain is
 * therefore at most the length of the calls, and at most the idle time of the devices outside of the calls. A device
 * works while the host waits, although records of its work may be missing. */
#include "webreport/measure/rules/rules_eval.h"

double tp_gain_without_waits(struct tp_advisor *a, struct tp_intervals calls)
{
    struct tp_intervals idle = tp_model_idle(a->model, false, a->arena);
    return fmin(tp_set_percent(a, tp_intervals_minus(a->arena, idle, calls)), tp_set_percent(a, calls));
}
