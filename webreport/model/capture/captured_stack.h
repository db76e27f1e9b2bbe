/* Finds the stack of the call that captured a graph kernel (docs/definitions.md, section 33). */
#ifndef TP_WEBREPORT_MODEL_CAPTURE_CAPTURED_STACK_H
#define TP_WEBREPORT_MODEL_CAPTURE_CAPTURED_STACK_H

#include "webreport/model/facts.h"

/* An entry of the stack. */
struct tp_captured_frame {
    enum tp_kind kind;  /* TP_KIND_MODULE, TP_KIND_FRAME, TP_KIND_OPERATOR or TP_KIND_ANNOTATION */
    struct tp_str text; /* name as recorded; for a frame: path(line): function */
};

/* Fills `frames` (elements: struct tp_captured_frame) with the stack of a joined operation, outermost entry first. The
 * stack has the events around the captured call that began inside the section, and always the module and the source
 * line of the call. It ends at the operator, or at the module or line inside of the operator. If several captured calls
 * are possible, the stack has only the module, line and operator on which all of them agree. `frames` becomes empty if
 * the operation was not joined. device: index in devices. */
void tp_captured_stack(const struct tp_model *model, uint32_t device, struct tp_vec *frames);

#endif
