/* The kind of work of each device operation and operator: by who asked for it first, by its own name second
 * (docs/definitions.md, section 18). */
#ifndef TP_WEBREPORT_MEASURE_WORK_KINDS_H
#define TP_WEBREPORT_MEASURE_WORK_KINDS_H

#include "webreport/measure/work_rules.h"
#include "webreport/model/facts.h"

struct tp_work_kinds {
    const struct tp_model *model;
    uint8_t *of_device;   /* enum tp_work of each device operation */
    uint8_t *of_operator; /* of each operator, for its own time on the host */
};

/* In `arena` (its guard set by the caller; what is needed meanwhile stays there too). Each distinct name is looked at
 * once per layer of rules. */
void tp_work_kinds_build(struct tp_work_kinds *kinds, const struct tp_model *model, struct tp_arena *arena);

#endif
