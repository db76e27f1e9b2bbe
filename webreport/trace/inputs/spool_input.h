/* Reads a recording of the collector, a spool, without a trace file. The result equals the trace that `recover` makes
 * of the spool. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H

#include "webreport/trace/source.h"

/* Reads a spool. Used in the table of input formats. */
int tp_spool_input_read(struct tp_source *source);

#endif
