/* The modules of captured calls, for the kernels of replayed graphs (docs/definitions.md, sections 33 and 34). */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_CAPTURED_MODULES_H
#define TP_WEBREPORT_MEASURE_VIEWS_CAPTURED_MODULES_H

#include "webreport/model/facts.h"

/* A module around the captured call of a device operation, which is not around the launch of the graph. */
struct tp_captured_module {
    uint32_t name;   /* name id of the module */
    uint32_t device; /* device operation, index in devices */
};

/* Returns the modules of all joined operations (elements: struct tp_captured_module), operation by operation; each name
 * occurs once for an operation. Operations that may come from several captured graphs are left out. In `arena`. */
struct tp_vec tp_captured_modules_find(const struct tp_model *model, struct tp_arena *arena);

#endif
