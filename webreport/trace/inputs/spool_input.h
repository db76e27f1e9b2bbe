/* Reads a spool, which is a recording of the collector, without making a trace file. The result equals the trace
 * that `recover` makes of the spool. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_SPOOL_INPUT_H

#include "webreport/trace/source.h"

/* Reads a spool and delivers its events to the sink. The table of input formats points to this function. Returns the
 * codes of tp_source_reader. */
int tp_spool_input_read(struct tp_source *source);

#endif
