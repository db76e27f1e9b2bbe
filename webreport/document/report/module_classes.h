/* Merges the modules of a model by class: equal layers become one row, such as "12 x TimesformerLayer". */
#ifndef TP_WEBREPORT_DOCUMENT_REPORT_MODULE_CLASSES_H
#define TP_WEBREPORT_DOCUMENT_REPORT_MODULE_CLASSES_H

#include "webreport/measure/views/module_view.h"

enum tp_module_class_column {
    TP_CLASS_NAME, /* such as "12 × TimesformerLayer" */
    TP_CLASS_CALLS,
    TP_CLASS_DEVICE, /* device time with inner modules, forward and backward */
    TP_CLASS_DEVICE_SHARE,
    TP_CLASS_HOST, /* host time with inner modules, forward and backward */
    TP_CLASS_HOST_SHARE,
    TP_CLASS_COLUMNS
};

struct tp_module_classes {
    struct tp_table rows; /* rows in pre-order, the class with the most time first */
    uint32_t *depth;      /* for each row: number of rows that contain it */
    size_t most_self;     /* row with the most time outside of inner modules */
    double self_percent;  /* share of this time, percent; NaN if no module has time */
};

/* Builds the classes in `arena`. Modules of one class in equal places of the model form a row. Rows without a choice, a
 * single module that consists of one class, are left out. is_device: rows are sorted by device time. */
void tp_module_classes_build(struct tp_module_classes *classes, const struct tp_module_view *view, bool is_device,
                             struct tp_arena *arena);

#endif
