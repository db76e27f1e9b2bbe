/* Names of kernels that communicate: the one list of section 12 of docs/definitions.md. */
#ifndef TP_WEBREPORT_TRACE_COMM_NAMES_H
#define TP_WEBREPORT_TRACE_COMM_NAMES_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Whether a kernel of this name moves data between devices or ranks. */
bool tp_comm_is_kernel_name(struct tp_str name);

/* Whether a kernel of this name computes, even when a call of a communication library launches it. */
bool tp_comm_is_compute_name(struct tp_str name);

#endif
