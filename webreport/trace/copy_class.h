/* Class of a copy: its direction and the memory on both sides, from a name or from the arguments of PyTorch's CUPTI
 * backend. Section 2 of docs/definitions.md ("Copies"). */
#ifndef TP_WEBREPORT_TRACE_COPY_CLASS_H
#define TP_WEBREPORT_TRACE_COPY_CLASS_H

#include "writer/base/buf.h"
#include "writer/base/str.h"

enum tp_copy_direction {
    TP_COPY_UNKNOWN, /* nothing in the trace says it */
    TP_COPY_HTOD,
    TP_COPY_DTOH,
    TP_COPY_DTOD,
    TP_COPY_PTOP, /* between two devices */
    TP_COPY_OTHER /* known and none of the above: between hosts, to or from arrays */
};

/* Direction of a copy of this name, by any producer. */
enum tp_copy_direction tp_copy_direction_of_name(struct tp_str name);

/* Appends the name that Kineto gives to a copy with these arguments: "Memcpy HtoD (Pinned -> Device)". The arguments
 * are JSON tokens, empty when absent. False when `kind` gives no direction; nothing is appended then. */
bool tp_copy_name_from_args(struct tp_buf *out, struct tp_str kind, struct tp_str source, struct tp_str target);

/* The same for a set: "Memset (Device)". False when `kind` is absent. */
bool tp_set_name_from_args(struct tp_buf *out, struct tp_str kind);

#endif
