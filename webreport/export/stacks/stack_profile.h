/* Reads the samples of a trace and the values of a device trace by stack, for the formats `pprof`, `firefox` and
 * `speedscope`. */
#ifndef TP_WEBREPORT_EXPORT_STACKS_STACK_PROFILE_H
#define TP_WEBREPORT_EXPORT_STACKS_STACK_PROFILE_H

#include "webreport/export/export_formats.h"
#include "webreport/measure/charts/value_stacks.h"
#include "webreport/measure/program/sampled.h"

/* The stacks of a trace. The memory is in export->arena. */
struct tp_stack_profile {
    struct tp_sampled *sampled; /* samples and waits of programs; empty for a device trace */
    struct tp_value_stacks *stacks;
};

/* Fills *profile. Returns 0; TP_ENOTFOUND with *err if the trace has neither samples nor values. */
int tp_stack_profile_build(struct tp_stack_profile *profile, const struct tp_export *export, struct tp_error *err);

/* Returns whether a trace has samples or states of threads. */
static inline bool tp_export_has_samples(const struct tp_trace *trace)
{
    return trace->sample_count || trace->state_count;
}

/* Returns the time range of all samples and values, and the mean time per sample, ns. Values count as samples only if
 * the trace has no other samples. */
struct tp_sampled_span tp_stack_profile_span(const struct tp_stack_profile *profile);

#endif
