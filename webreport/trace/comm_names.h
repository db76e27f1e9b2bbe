/* Recognizes communication kernels by their names, with the list in section 12 of docs/definitions.md. */
#ifndef TP_WEBREPORT_TRACE_COMM_NAMES_H
#define TP_WEBREPORT_TRACE_COMM_NAMES_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns true if kernels with this name move data between devices or ranks. */
bool tp_comm_is_kernel_name(struct tp_str name);

/* Returns true if kernels with this name compute, even if a call of a communication library launches them. */
bool tp_comm_is_compute_name(struct tp_str name);

#endif
