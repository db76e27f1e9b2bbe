/* Implements stack_profile.h. */
#include "webreport/export/stacks/stack_profile.h"

#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"

int tp_stack_profile_build(struct tp_stack_profile *profile, const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    const struct tp_trace *trace = export->profile->trace;
    profile->stacks = tp_arena_alloc(arena, sizeof *profile->stacks);
    profile->sampled = tp_arena_alloc(arena, sizeof *profile->sampled);
    tp_value_stacks_build(profile->stacks, export->profile->model, arena);
    if (!tp_export_has_samples(trace) && !tp_value_track_count(profile->stacks))
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "no operators, calls, kernels or samples of running threads. Record them with "
                            "torch.profiler, or samples with 'tracepress record' or with .sample_rate of tracepress.h");
    tp_sampled_build(profile->sampled, trace, arena);
    return TP_OK;
}

struct tp_sampled_span tp_stack_profile_span(const struct tp_stack_profile *profile)
{
    const struct tp_value_stacks *stacks = profile->stacks;
    const struct tp_model *model = stacks->model;
    struct tp_sampled_span span = {model->first_ns, model->last_ns, 0};
    if (tp_export_has_samples(model->trace)) {
        struct tp_sampled_span sampled = tp_sampled_span(profile->sampled);
        bool has_values = tp_value_track_count(stacks);
        span.begin_ns = has_values ? tp_ns_min(span.begin_ns, sampled.begin_ns) : sampled.begin_ns;
        span.end_ns = has_values ? tp_ns_max(span.end_ns, sampled.end_ns) : sampled.end_ns;
        span.mean_ns = sampled.mean_ns;
    } else if (stacks->items.count) {
        span.mean_ns =
            tp_sat_add(stacks->sums[TP_VALUE_HOST], stacks->sums[TP_VALUE_DEVICE]) / (int64_t)stacks->items.count;
    }
    return span;
}
