/* The share of the devices' peak that a run reaches: of matrix products while they run, and of whole steps
 * (docs/definitions.md, section 19).
 *
 * Each call counts at the peak of its own type, so that runs of mixed types are treated fairly. Operations that are
 * done twice, as by recomputation, count twice. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RATES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RATES_H

#include "webreport/measure/work/work_costs.h"
#include "writer/base/fields.h"

struct tp_work_rates {
    double products_percent; /* of the peak, by matrix products in the used steps, while their kernels ran; NaN: see
                              * why_products */
    double step_percent;     /* of the peak, over the used steps: model FLOPs utilization; NaN: see why_step */
    double known_percent; /* share of the kernel time of products, attention and convolutions that has a cost; NaN: no
                           * such time */
    const char *why_products, *why_step; /* why the number is unknown; static. NULL: it is known */
    int64_t impossible_ns;               /* kernel time without a cost, because the device cannot be that fast */
    bool is_doubtful;                    /* the step has no share because shapes, types, times or peaks are wrong */
    const struct tp_peaks *peaks;        /* of the first device with known peaks; NULL: there is none */
};

/* Computes the shares. Allocates nothing. */
void tp_work_rates_build(struct tp_work_rates *rates, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units);

/* Fills in the shares of a trace without device work. */
void tp_work_rates_none(struct tp_work_rates *rates);

extern const struct tp_fields tp_work_rates_fields;

#endif
