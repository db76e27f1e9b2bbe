/* Sums device time and operators' host time by kind of work, and adds the least work of the devices
 * (docs/definitions.md, sections 18 and 19). */
#ifndef TP_WEBREPORT_MEASURE_WORK_WORK_VIEW_H
#define TP_WEBREPORT_MEASURE_WORK_WORK_VIEW_H

#include "webreport/measure/work/work_costs.h"
#include "writer/base/fields.h"

enum tp_work_column {
    TP_WORK_KIND,
    TP_WORK_CALLS,
    TP_WORK_TOTAL,
    TP_WORK_SHARE,
    TP_WORK_NAMES,
    TP_WORK_LONGEST,
    TP_WORK_LONGEST_TOTAL,
    TP_WORK_OPERATOR_COLUMNS,
    /* first of the columns that only devices have */
    TP_WORK_IN_STEPS = TP_WORK_OPERATOR_COLUMNS,
    TP_WORK_SHARE_OF_STEP,
    TP_WORK_CALLS_IN_STEPS,
    TP_WORK_FLOPS,
    TP_WORK_BYTES,
    TP_WORK_COSTED,
    TP_WORK_FLOPS_RATE,
    TP_WORK_BYTES_RATE,
    TP_WORK_KNOWN,
    TP_WORK_DEVICE_COLUMNS
};

/* Rows sorted by total time, longest first. Equal times have the order of enum tp_work. */
struct tp_works {
    struct tp_table rows;
    uint8_t *kinds; /* kind (enum tp_work) of each row */
};

struct tp_work_view {
    struct tp_works devices;   /* durations of device operations; no rows without devices */
    struct tp_works operators; /* host self time of finished operators */
};

/* Builds the view in `arena`, whose guard the caller has set. The model must outlive the view. */
void tp_work_view_build(struct tp_work_view *view, const struct tp_work_kinds *kinds, const struct tp_work_units *units,
                        struct tp_arena *arena);
extern const struct tp_fields tp_work_view_fields;

#endif
