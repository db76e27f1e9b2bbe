/* The forward operator of backward work, and the line and module that a backward launch takes from it
 * (docs/definitions.md, section 34). */
#ifndef TP_WEBREPORT_MODEL_FORWARD_H
#define TP_WEBREPORT_MODEL_FORWARD_H

#include "webreport/model/facts.h"

/* Returns the forward operator of a host event: of the innermost operator among `event` and the events around it that
 * has one. Returns the event of the forward operator; TP_NO_ID if no operator has one. event: may be TP_NO_ID. */
uint32_t tp_forward_of_event(const struct tp_model *model, uint32_t event);

/* Returns the line id of a host event that launches work. For backward work: the innermost user line inside the
 * backward operator; otherwise the line of the forward operator, unless only the event's own line is user code. For
 * other events, returns the same as tp_event_line_id. TP_NO_ID: no line. event: may be TP_NO_ID. */
uint32_t tp_work_line_id(const struct tp_model *model, uint32_t event);

/* Returns the text of the line that tp_work_line_id finds; "" if there is no line. */
struct tp_str tp_work_line(const struct tp_model *model, uint32_t event);

/* Returns the module of a device operation: the module around its launch, otherwise the module around its forward
 * operator. Returns the event of the module call; TP_NO_ID if no module is known. */
uint32_t tp_module_event_of_device(const struct tp_model *model, uint32_t device);

#endif
