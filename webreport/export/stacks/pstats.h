/* Calls of Python functions as a file of cProfile. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_PSTATS_H
#define TP_WEBREPORT_EXPORT_STACKS_PSTATS_H

#include "webreport/measure/torch_tables/python_calls.h"

/* The file that pstats.Stats(path) reads: a marshal'd dict, (file, line, name) -> (primitive calls, calls, own seconds,
 * total seconds, callers). Appends to out. */
void tp_calls_marshal(struct tp_buf *out, const struct tp_calls *calls);

#endif
