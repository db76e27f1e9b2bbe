/* Makes the stacks of a trace for the formats `folded` and `flamegraph`. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_TRACE_STACKS_H
#define TP_WEBREPORT_EXPORT_STACKS_TRACE_STACKS_H

#include "webreport/export/export_formats.h"
#include "webreport/measure/charts/folded_stacks.h"

/* Prepares the lines of the exported trace in export->arena. For a metric of device time, graph kernels have the stacks
 * of their captured calls. */
void tp_trace_stacks_build(struct tp_folded *folded, const struct tp_export *export,
                           const struct tp_folded_metric *metric);

/* Prepares the lines of the baseline in the same way. */
void tp_trace_stacks_build_baseline(struct tp_folded *folded, const struct tp_export *export,
                                    const struct tp_folded_metric *metric);

#endif
