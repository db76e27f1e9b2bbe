/* Finds kinds of data that an input cannot show from the events that were read, and computes missing numbers. */
#ifndef TP_WEBREPORT_TRACE_INPUT_DERIVE_H
#define TP_WEBREPORT_TRACE_INPUT_DERIVE_H

#include "webreport/trace/trace.h"

/* Adds to trace->input.unknown the kinds of data that no event of the trace has, although events of the same kind
 * exist. Only data types are examined in files of torch.profiler, because its options explain all other absent data.
 * Call this function when the trace's columns are complete. */
void tp_input_facts_derive(struct tp_trace *trace);

/* Computes the blocks per SM of kernels that have a grid but no such number, as the blocks of the grid divided by the
 * SMs of the device. Does nothing in files of Kineto, which writes the number if it knows it. */
void tp_blocks_per_sm_derive(struct tp_trace *trace);

#endif
