/* Evaluates all rules for a trace and returns the list of findings. */
#ifndef TP_WEBREPORT_MEASURE_RULES_RECOMMENDATIONS_H
#define TP_WEBREPORT_MEASURE_RULES_RECOMMENDATIONS_H

#include "webreport/measure/rules/rules.h"

struct tp_model;
struct tp_quality;
struct tp_memory_peak;
struct tp_work_kinds;
struct tp_work_units;
struct tp_trace_verdict;

/* input of the rules; the caller owns all members */
struct tp_rule_basis {
    const struct tp_model *model;
    const struct tp_quality *quality;
    const struct tp_memory_peak *memory;
    const struct tp_work_kinds *kinds; /* kinds and units are NULL for programs without a device */
    const struct tp_work_units *units;
    const struct tp_rule_overrides *overrides; /* thresholds that the user changed; NULL: all defaults */
    bool is_serving;                           /* the trace has steps of a serving engine */
    enum tp_program_use_kind use;
    bool is_priced; /* true: findings need their fixes for finding_prices.h */
    /* verdict of the trace. If findings have similar gains, the findings about the time that the verdict names come
     * first */
    const struct tp_trace_verdict *verdict;
};

/* Evaluates every rule and writes the findings to `arena`. */
void tp_recommendations_build(struct tp_recommendations *out, const struct tp_rule_basis *basis,
                              struct tp_arena *arena);

#endif
