/* Finds the origin of a device operation: operator, shapes, module and source line. Tables, timeline and stacks that
 * name the origin of an operation use only this function (docs/definitions.md, section 33). */
#ifndef TP_WEBREPORT_MODEL_DEVICE_ORIGIN_H
#define TP_WEBREPORT_MODEL_DEVICE_ORIGIN_H

#include "webreport/model/facts.h"

/* the words that mark data of a captured call, in every output */
#define TP_FROM_CAPTURE "from the capture trace"

/* The origin of a device operation. Unknown indexes are TP_NO_ID; unknown texts have ptr NULL. */
struct tp_device_origin {
    uint32_t op;          /* operator: index in operators, captured ones included */
    struct tp_str dims;   /* shapes of the operator's inputs as JSON; NULL if they are not those of the operation */
    struct tp_str module; /* name of the innermost module, or only its class */
    struct tp_str line;   /* source line: path(line): function */
    const char *via;      /* "launch", "external id", "capture" or "annotation"; NULL: unknown. Static */
    const char *how; /* how a captured call was joined, or "near" if the call starts just outside of the operator; NULL
                        otherwise. Static */
    /* what the capture shows; NULL for other operations */
    const struct tp_joined_row *captured;
};

/* Returns the origin of a device operation. device: index in devices. Texts are parts of the trace. `arena` is for
 * temporary memory; its guard must be set. */
struct tp_device_origin tp_device_origin(const struct tp_model *model, uint32_t device, struct tp_arena *arena);

/* Returns the source line of a device operation; ptr NULL if it is unknown. device: index in devices. */
struct tp_str tp_device_line(const struct tp_model *model, uint32_t device);

#endif
