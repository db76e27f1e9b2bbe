/* Declares the reader of Perfetto traces (protobuf): files of torch's CUPTI backend (.pftrace), files of
 * `tracepress export --to perfetto`, and files of other producers with track events or GPU stages. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_INPUT_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_INPUT_H

#include "webreport/trace/source.h"

/* Reads a Perfetto trace. Returns TP_EFORMAT if the trace has neither track events nor GPU stages, and TP_ELIMIT if a
 * limit is exceeded. */
tp_source_reader tp_perfetto_read;

#endif
