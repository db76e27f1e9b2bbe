/* Bounds what is gained when the host no longer waits for the device.
 *
 * A wait that lets the device run dry costs more than the bubble after it. Without the wait the host is earlier by the
 * length of the call, and stays so until the device has been idle for as long. So the gain is at most the length of the
 * calls, and at most the idle time of the devices outside of the calls. While the host waits, a device works, though
 * records of its work may be missing. */
#include "webreport/measure/rules/rules_eval.h"

double tp_percent_ahead(struct tp_advisor *a, struct tp_intervals calls)
{
    struct tp_intervals idle = tp_model_idle(a->model, false, a->arena);
    return fmin(tp_set_percent(a, tp_intervals_minus(a->arena, idle, calls)), tp_set_percent(a, calls));
}
