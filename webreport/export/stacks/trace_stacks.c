/* Implements trace_stacks.h. */
#include "webreport/export/stacks/trace_stacks.h"

enum tp_export_need tp_export_stacks_needs(const struct tp_export *export)
{
    const struct tp_folded_metric *metric = export->metric ? tp_folded_metric(export->metric) : NULL;
    return metric && tp_folded_source(metric) == TP_FOLDED_LAUNCHES ? TP_EXPORT_NEEDS_MODEL : TP_EXPORT_NEEDS_TRACE;
}

/* Prepares the lines of a trace. model: its model; NULL if it was not built. */
static void build_stacks(struct tp_folded *folded, const struct tp_export *export, const struct tp_trace *trace,
                         const struct tp_model *model, const struct tp_folded_metric *metric)
{
    if (model)
        tp_folded_build_captured(folded, model, metric, export->rules, export->arena);
    else
        tp_folded_build(folded, trace, metric, export->rules, export->arena);
}

void tp_trace_stacks_build(struct tp_folded *folded, const struct tp_export *export,
                           const struct tp_folded_metric *metric)
{
    bool has_model = tp_export_stacks_needs(export) == TP_EXPORT_NEEDS_MODEL;
    build_stacks(folded, export, export->profile->trace, has_model ? export->profile->model : NULL, metric);
}

void tp_trace_stacks_build_baseline(struct tp_folded *folded, const struct tp_export *export,
                                    const struct tp_folded_metric *metric)
{
    build_stacks(folded, export, export->baseline, export->baseline_model, metric);
}
