/* Reads a recording of the collector, a spool, as the trace that `recover` makes of it, without a trace file. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H

#include "webreport/trace/source.h"

/* The reader of the table of input formats. */
int tp_spool_input_read(struct tp_source *source);

#endif
