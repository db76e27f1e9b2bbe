/* Implements trace_stacks.h. */
#include "webreport/export/stacks/trace_stacks.h"

enum tp_export_need tp_export_stacks_needs(const struct tp_export *export)
{
    const struct tp_folded_metric *metric = export->metric ? tp_folded_metric(export->metric) : NULL;
    return metric && tp_folded_source(metric) == TP_FOLDED_LAUNCHES ? TP_EXPORT_NEEDS_MODEL : TP_EXPORT_NEEDS_TRACE;
}

void tp_trace_stacks_build(struct tp_folded *folded, const struct tp_export *export,
                           const struct tp_folded_metric *metric)
{
    bool has_model = tp_export_stacks_needs(export) == TP_EXPORT_NEEDS_MODEL;
    if (has_model && !export->baseline)
        tp_folded_build_captured(folded, export->profile->model, metric, export->rules, export->arena);
    else
        tp_folded_build(folded, export->profile->trace, metric, export->rules, export->arena);
}
