/* The rate of a copy or memset (docs/definitions.md, section 8). */
#ifndef TP_WEBREPORT_MODEL_COPY_RATE_H
#define TP_WEBREPORT_MODEL_COPY_RATE_H

#include <math.h>

#include "webreport/model/facts.h"

/* Returns the time that a copy or memset with a known number of bytes takes at its recorded bandwidth, ns; without a
 * recorded bandwidth its duration, at least 1 ns. Returns NaN if the number of bytes is unknown. Old profilers round
 * durations to microseconds, but not bandwidths. */
static inline double tp_copy_time_ns(const struct tp_model *model, uint32_t device)
{
    const int64_t MOST_E9 = 1000000000000000000; /* 10^9 GB/s; broken files have larger values */
    const struct tp_event *e = tp_device_event(model, device);
    const struct tp_device_setup *setup = tp_device_setup(model->trace, e->detail);
    if (setup->bytes == TP_NULL_INT || setup->bytes < 0)
        return NAN;
    if (setup->bandwidth_e9 > 0 && setup->bandwidth_e9 <= MOST_E9)
        return (double)setup->bytes / ((double)setup->bandwidth_e9 / 1e9);
    return e->dur_ns > 1 ? (double)e->dur_ns : 1.0;
}

/* Returns the number of bytes per nanosecond (GB/s) of a copy or memset; NaN if unknown. */
static inline double tp_copy_rate(const struct tp_model *model, uint32_t device)
{
    const struct tp_device_setup *setup = tp_device_setup(model->trace, tp_device_event(model, device)->detail);
    if (setup->bytes == TP_NULL_INT || setup->bytes < 0)
        return NAN;
    double time_ns = tp_copy_time_ns(model, device);
    return time_ns > 0 ? (double)setup->bytes / time_ns : 0;
}

#endif
