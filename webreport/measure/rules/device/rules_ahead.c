/* Bounds the gain if the host no longer waits for the device.
 *
 *
 * A wait after which the device has no work costs more than the idle time after it. Without the wait the host is
 * earlier by the length of the call, and keeps that lead until the device has been idle for as long. So the gain is at
 * most the length of the calls, and at most the idle time of the devices outside of the calls. While the host waits, a
 * device works, though records of its work may be missing. */
#include "webreport/measure/rules/rules_eval.h"

double tp_percent_ahead(struct tp_advisor *a, struct tp_intervals calls)
{
    struct tp_intervals idle = tp_model_idle(a->model, false, a->arena);
    return fmin(tp_set_percent(a, tp_intervals_minus(a->arena, idle, calls)), tp_set_percent(a, calls));
}
