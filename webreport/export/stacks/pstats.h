/* Writes the calls of Python functions in the format of cProfile. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_PSTATS_H
#define TP_WEBREPORT_EXPORT_STACKS_PSTATS_H

#include "webreport/measure/torch_tables/python_calls.h"

/* Appends the file that pstats.Stats(path) reads: a marshaled dict that maps (file, line, name) to (primitive calls,
 * calls, own seconds, total seconds, callers). */
void tp_calls_write_pstats(struct tp_buf *out, const struct tp_calls *calls);

#endif
