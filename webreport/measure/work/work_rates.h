/* Computes which share of the devices' peak a run reaches: during matrix products, and over whole steps
 * (docs/definitions.md, section 19).
 *
 * Each call is compared with the peak of its own type, so that runs with mixed types are treated fairly. Operations
 * that run twice, as in recomputation, are added twice. */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_RATES_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_RATES_H

#include "webreport/measure/work/work_costs.h"
#include "writer/base/fields.h"

/* reason why a share of the peak is unknown; webreport/document/words/reason_words.c has the sentences */
enum tp_rate_reason {
    TP_RATE_KNOWN,
    TP_RATE_NO_DEVICE,
    TP_RATE_NO_PEAKS,   /* no peaks of the device are known */
    TP_RATE_IMPOSSIBLE, /* some kernels are faster than the device can be, so a peak, shape or time is wrong */
    TP_RATE_NO_COSTS,   /* the trace has no shapes of matrix products */
    TP_RATE_FEW_COSTS,  /* the trace has the shapes of too few matrix products */
    TP_RATE_NO_TYPES,   /* the trace has shapes, but no types */
    TP_RATE_NO_TYPE,    /* no peak is known for the type of the products */
    TP_RATE_NO_PRODUCTS,
    TP_RATE_REASONS
};

struct tp_work_rates {
    /* percent of the peak that matrix products in the analysed steps reach while their kernels run; NaN: see
     * products_reason */
    double products_percent;
    /* percent of the peak reached over the analysed steps (model FLOPs utilization); NaN: see step_reason */
    double step_percent;
    /* percent of the kernel time of products, attention and convolutions that has a known cost; NaN without such
     * time */
    double known_percent;
    enum tp_rate_reason products_reason, step_reason; /* reason why products_percent or step_percent is NaN */
    int64_t impossible_ns;        /* kernel time of units that were left out as impossibly fast, ns */
    bool has_wrong_inputs;        /* true if step_percent is NaN because shapes, types, times or peaks are wrong */
    const struct tp_peaks *peaks; /* peaks of the first device with known peaks; NULL without one */
};

/* Computes the shares of the peak without allocating memory. */
void tp_work_rates_build(struct tp_work_rates *rates, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units);

/* Fills the shares for a trace without device work: all are NaN. */
void tp_work_rates_init_empty(struct tp_work_rates *rates);

extern const struct tp_fields tp_work_rates_fields;

#endif
