/* What rules about device work share: findings that take a part of the time of the kernels that they are about. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_WORK_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_WORK_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/model/operator_shapes.h"

struct tp_work_claim {
    struct tp_candidate candidate;
    uint32_t *parts; /* by device operation: what may be gained of it at most, in millionths; 0: it is not claimed */
    int64_t ns;      /* sum of the durations of the kernels taken, each in full */
    struct tp_vec whole; /* struct tp_interval: when it ran, in full */
};

void tp_work_claim_begin(struct tp_work_claim *claim, const struct tp_advisor *a, enum tp_rule_id rule);
/* Takes an operation once; high: 0 to 1, the part of its time that may be gained at most. */
void tp_work_claim_take(struct tp_work_claim *claim, const struct tp_advisor *a, uint32_t device, double high);
/* Reports what was taken when it is min_pct of the judged time. */
bool tp_work_claim_end(struct tp_work_claim *claim, struct tp_advisor *a, struct tp_str detail);
/* "12.3 %" of the judged time. */
const char *tp_work_claim_share(struct tp_advisor *a, struct tp_work_claim *claim);

/* The name of an event; the unit of a device operation, or NULL; its cost; the peaks of a device, or NULL. */
static inline struct tp_str tp_advisor_name(const struct tp_advisor *a, uint32_t event)
{
    return tp_trace_name(a->model->trace, &a->model->trace->events[event]);
}

static inline const struct tp_work_unit *tp_advisor_unit(const struct tp_advisor *a, uint32_t device)
{
    return tp_work_unit_of(a->units, device);
}

static inline const struct tp_cost *tp_advisor_cost(const struct tp_advisor *a, const struct tp_work_unit *unit)
{
    return &a->units->costs[unit->cost];
}

static inline bool tp_unit_is_in_window(const struct tp_advisor *a, const struct tp_work_unit *unit)
{
    return tp_in_window(a, a->model->devices.event[unit->main]) && !tp_is_own_operation(a->model, unit->main);
}

/* What a kernel is by its name alone, where that beats who launched it: libraries change layouts inside operators of
 * convolutions. TP_WORK_NONE: the name says nothing. Each name is looked at once. */
enum tp_work tp_kernel_of_library(struct tp_advisor *a, uint32_t device);

/* "788x768 by 768x3072": the first two operands that have rows and columns; "" when they are not recorded. */
struct tp_str tp_unit_operands_text(struct tp_advisor *a, const struct tp_work_unit *unit);

/* The shape of the first operand, and its text: "8x16x197x197". */
struct tp_shape tp_unit_shape(const struct tp_advisor *a, const struct tp_work_unit *unit);
struct tp_str tp_shape_text(struct tp_advisor *a, const struct tp_shape *shape);

#endif
