/* Makes findings about device work. Such a finding covers a part of the time of each of its kernels, which is called
 * the claimed part. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RULES_WORK_H
#define TP_WEBREPORT_MEASURE_RULES_RULES_WORK_H

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/model/operator_shapes.h"

struct tp_work_claim {
    struct tp_candidate candidate;
    /* for each device operation: 0 if the finding does not cover it, otherwise 1 + its largest possible gain,
     * millionths of its time */
    uint32_t *parts;
    int64_t ns;          /* total duration of the claimed kernels, ns */
    struct tp_vec whole; /* the times of the claimed kernels; elements: struct tp_interval */
};

void tp_work_claim_begin(struct tp_work_claim *claim, const struct tp_advisor *a, enum tp_rule_id rule);
/* Adds a device operation to the finding; later calls for the same operation are ignored. high: largest part of the
 * operation's time that a fix may gain, 0 to 1. */
void tp_work_claim_add(struct tp_work_claim *claim, const struct tp_advisor *a, uint32_t device, double high);
/* Adds the finding to the list if its operations take at least min_pct of the analysed time. Returns whether the
 * finding was added. */
bool tp_work_claim_add_finding(struct tp_work_claim *claim, struct tp_advisor *a, const struct tp_detail *details);
/* Returns the percentage of the analysed time in which the claimed operations run. */
double tp_work_claim_time_share(const struct tp_advisor *a, struct tp_work_claim *claim);

/* Return the name of an event, the unit of work of a device operation, the cost of a unit, and whether a unit starts in
 * the window of analysed steps. tp_advisor_unit_of_device returns NULL for an operation without a unit. */
static inline struct tp_str tp_advisor_event_name(const struct tp_advisor *a, uint32_t event)
{
    return tp_trace_event_name(a->model->trace, &a->model->trace->events[event]);
}

static inline const struct tp_work_unit *tp_advisor_unit_of_device(const struct tp_advisor *a, uint32_t device)
{
    return tp_work_unit_of(a->units, device);
}

static inline const struct tp_cost *tp_advisor_cost_of_unit(const struct tp_advisor *a, const struct tp_work_unit *unit)
{
    return &a->units->costs[unit->cost];
}

static inline bool tp_unit_is_in_window(const struct tp_advisor *a, const struct tp_work_unit *unit)
{
    return tp_event_is_in_window(a, a->model->devices.event[unit->main]) &&
           !tp_is_operation_of_program_device(a->model, unit->main);
}

/* Returns the kind of a kernel from its name alone; TP_WORK_NONE if the name shows no kind. The name is more reliable
 * than the operator that launches the kernel, because libraries change layouts inside convolutions. Each name is
 * examined once. */
enum tp_work tp_kernel_library_work(struct tp_advisor *a, uint32_t device);

/* Returns the first two operands that are matrices as text, such as "788x768 by 768x3072". Returns an empty text if no
 * shapes are recorded. */
struct tp_str tp_unit_operands_text(struct tp_advisor *a, const struct tp_work_unit *unit);

/* Return the shape of the first operand of a unit, and a shape as text ("8x16x197x197"). */
struct tp_shape tp_unit_shape(const struct tp_advisor *a, const struct tp_work_unit *unit);
struct tp_str tp_shape_text(struct tp_advisor *a, const struct tp_shape *shape);

#endif
