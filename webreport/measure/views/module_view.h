/* The module view: nn.Module calls merged by path, with forward and backward time (docs/definitions.md, section 11). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_MODULE_VIEW_H
#define TP_WEBREPORT_MEASURE_VIEWS_MODULE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/facts.h"
#include "writer/base/fields.h"

enum tp_module_column {
    TP_MODULE_NAME,
    TP_MODULE_ID,
    TP_MODULE_OCCURRENCES,
    TP_MODULE_OPERATORS,
    TP_MODULE_HOST_TOTAL,
    TP_MODULE_HOST_SELF,
    TP_MODULE_DEVICE_TOTAL,
    TP_MODULE_DEVICE_SELF,
    TP_MODULE_FLAME,
    TP_MODULE_BACKWARD_CALLS,
    TP_MODULE_BACKWARD_HOST_TOTAL,
    TP_MODULE_BACKWARD_HOST_SELF,
    TP_MODULE_BACKWARD_DEVICE_TOTAL,
    TP_MODULE_BACKWARD_DEVICE_SELF,
    TP_MODULE_COLUMNS
};

struct tp_module_view {
    bool is_present;       /* false if there are no module calls; JSON then contains null */
    struct tp_table table; /* table with one row per module path, in pre-order */
    uint32_t *parent;      /* for each row: index of the parent's row; TP_NO_ID for the top level */
    uint32_t *depth;       /* for each row: depth of the module; 0 for the top level */
    uint32_t *child_count;
};

void tp_module_view_build(struct tp_module_view *view, const struct tp_model *model, struct tp_arena *arena);
/* Iterates over the modules of the top level, which contain all other modules. record->at: the view. */
bool tp_module_view_next(const struct tp_record *record, size_t *cursor, struct tp_item *item);
extern const struct tp_fields tp_module_fields; /* members of a module in JSON */

#endif
