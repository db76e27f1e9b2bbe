/* Finds the direction of a copy and the kinds of its source and target memory. Uses the copy's name, or the
 * arguments of PyTorch's CUPTI backend. See section 2 of docs/definitions.md ("Copies"). */
#ifndef TP_WEBREPORT_TRACE_COPY_CLASS_H
#define TP_WEBREPORT_TRACE_COPY_CLASS_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum tp_copy_direction {
    TP_COPY_UNKNOWN, /* the trace does not show the direction of the copy */
    TP_COPY_HTOD,
    TP_COPY_DTOH,
    TP_COPY_DTOD,
    TP_COPY_PTOP, /* copy between two devices */
    TP_COPY_OTHER /* copy in any other known direction: between hosts, or to or from CUDA arrays */
};

/* Returns the direction that the name of a copy gives. Knows the names of all supported producers. */
enum tp_copy_direction tp_copy_direction_of_name(struct tp_str name);

/* Appends the name that Kineto gives to a copy with these arguments: "Memcpy HtoD (Pinned -> Device)". The arguments
 * are JSON tokens, empty if absent. Returns false, and appends nothing, if `kind` gives no direction. */
bool tp_copy_name_from_args(struct tp_buf *out, struct tp_str kind, struct tp_str source, struct tp_str target);

/* Appends the name of a memory set: "Memset (Device)". Returns false, and appends nothing, if `kind` is absent. */
bool tp_set_name_from_args(struct tp_buf *out, struct tp_str kind);

#endif
