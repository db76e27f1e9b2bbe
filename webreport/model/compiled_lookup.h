/* Finds the compiled call, and the source line, of events, operators and device operations. */
#ifndef TP_WEBREPORT_MODEL_COMPILED_LOOKUP_H
#define TP_WEBREPORT_MODEL_COMPILED_LOOKUP_H

#include "webreport/model/facts.h"

/* Returns the call of a compiled region whose operator has this event; NULL if no call has the event. */
const struct tp_compiled_call *tp_compiled_call_of_event(const struct tp_model *model, uint32_t event);

/* Returns the call of a compiled region that contains an operator: the operator itself, or an operator around it. NULL
 * if the operator is not in a compiled region. op: index in operators; TP_NO_ID is allowed. */
const struct tp_compiled_call *tp_compiled_call_of_operator(const struct tp_model *model, uint32_t op);

/* Returns the source line of a device operation that compiled code launched; ptr NULL if it is unknown. device: index
 * in devices. */
struct tp_str tp_compiled_line_of_device(const struct tp_model *model, uint32_t device);

/* Returns the hash that torch.compile gave to the kernel of an operator, or to the kernel of a device operation; "" if
 * it is unknown. event: event of an operator. device: index in devices. */
struct tp_str tp_compiled_hash_of_event(const struct tp_model *model, uint32_t event, struct tp_arena *arena);
struct tp_str tp_compiled_hash_of_device(const struct tp_model *model, uint32_t device, struct tp_arena *arena);

/* Returns the source line of the code that a host event runs. For compiled code, this is the line that the artifacts of
 * torch.compile name; otherwise the line that tp_work_line finds (forward.h). "" if there is no line. event: may be
 * TP_NO_ID. */
struct tp_str tp_code_line(const struct tp_model *model, uint32_t event);

#endif
