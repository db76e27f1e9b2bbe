/* Recognizes the slices that rocprofv3 writes to Perfetto traces: calls of HIP, kernels and copies. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ROCPROF_SLICES_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_ROCPROF_SLICES_H

#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

/* What the category of a slice says. */
enum tp_rocprof_kind { TP_ROCPROF_OTHER, TP_ROCPROF_CALL, TP_ROCPROF_KERNEL, TP_ROCPROF_COPY, TP_ROCPROF_DROPPED };

/* Returns the kind of the slice that is being built. category: number of an interned text, or TP_NO_ID. */
enum tp_rocprof_kind tp_rocprof_kind(const struct tp_perfetto *p, uint32_t category);

/* Sets the category, the correlation and, for kernels and copies, the name, the device and the stream of the slice that
 * is being built. name: name in the file. Only for calls, kernels and copies. */
void tp_rocprof_apply(struct tp_perfetto *p, enum tp_rocprof_kind kind, const struct tp_track *track,
                      struct tp_str name, struct tp_built_event *built);

#endif
