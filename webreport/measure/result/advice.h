/* The advice on one trace: quality, idle view, kinds of work, time tree, sync table, memory peak, recommendations and
 * verdict.
 *
 * All results are in the given arena. They may point into the model and its trace, which must outlive them. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_ADVICE_H
#define TP_WEBREPORT_MEASURE_RESULT_ADVICE_H

#include "webreport/measure/answer/answer.h"
#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/memory/memory_peak.h"
#include "webreport/measure/program/program_use.h"
#include "webreport/measure/program/program_view.h"
#include "webreport/measure/result/priced_changes.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/serving/serving_view.h"
#include "webreport/measure/tree/time_tree.h"
#include "webreport/measure/verdict/verdict.h"
#include "webreport/measure/views/sync_table.h"
#include "webreport/measure/views/trace_quality.h"
#include "webreport/measure/work/work_rates.h"
#include "webreport/measure/work/work_view.h"
#include "webreport/model/facts.h"

struct tp_advice {
    struct tp_quality quality;
    struct tp_idle_view idle;
    struct tp_work_view works; /* time by kind of work; tp_advice_build_for_summary leaves this view empty */
    struct tp_work_rates rates;
    struct tp_what_if_view what_if; /* without steps: the trace was not replayed */
    struct tp_change_gains gains;   /* of the changes that `check` asks for */
    struct tp_serving_view serving;
    struct tp_time_trees times; /* one tree per device that has an idle flame graph */
    struct tp_sync_table syncs;
    struct tp_memory_peak memory;
    struct tp_recommendations recommendations;
    struct tp_trace_verdict verdict;
    struct tp_answer answer; /* tp_advice_build_for_summary leaves the answer without parts */
    struct tp_program_use use;
    struct tp_program_view program;
};

/* Returns whether the trace contains only a program recorded from outside. */
static inline bool tp_advice_is_for_program(const struct tp_advice *advice, const struct tp_model *model)
{
    return advice->program.is_present && model->program == TP_RECORDED_EMPTY;
}

/* Builds all advice. overrides: thresholds that the user changed, or NULL. */
void tp_advice_build(struct tp_advice *advice, const struct tp_model *model, const struct tp_rule_overrides *overrides,
                     struct tp_arena *arena);

/* Builds only the advice that summaries need. Leaves out kinds of work, the replay of the trace, and all results that
 * need the idle flame (tp_idle_build). */
void tp_advice_build_for_summary(struct tp_advice *advice, const struct tp_model *model,
                                 const struct tp_rule_overrides *overrides, struct tp_arena *arena);

extern const struct tp_fields tp_advice_fields;

/* Removes the verdict and the findings, but keeps facts and tables. Used for a trace from inside a process if another
 * trace shows the same work: a second trace next to PyTorch's (TP_WORKER_SECOND), or a trace next to a recording from
 * outside (TP_WORKER_INSIDE). */
void tp_advice_remove_verdict(struct tp_advice *advice);

#endif
