/* The advice on one trace: quality, idle view, kinds of work and the time tree, sync table, memory peak,
 * recommendations, verdict.
 *
 *
 * Everything is in the given arena and may point into the model and its trace, which must outlive it. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_ADVICE_H
#define TP_WEBREPORT_MEASURE_RESULT_ADVICE_H

#include "webreport/measure/idle/idle_view.h"
#include "webreport/measure/memory/memory_peak.h"
#include "webreport/measure/program/program_use.h"
#include "webreport/measure/program/program_view.h"
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
    struct tp_work_view works; /* empty in advice for summaries, like `rates` */
    struct tp_work_rates rates;
    struct tp_serving_view serving;
    struct tp_time_trees times; /* of each device that has a flame */
    struct tp_sync_table syncs;
    struct tp_memory_peak memory;
    struct tp_recommendations recommendations;
    struct tp_trace_verdict verdict;
    struct tp_program_use use;
    struct tp_program_view program;
};

/* Returns whether the trace is only about a program that was recorded from outside. */
static inline bool tp_is_of_program(const struct tp_advice *advice, const struct tp_model *model)
{
    return advice->program.is_present && model->program == TP_RECORDED_EMPTY;
}

/* Builds all advice. overrides: thresholds changed by the user; may be NULL. */
void tp_advice_build(struct tp_advice *advice, const struct tp_model *model, const struct tp_rule_overrides *overrides,
                     struct tp_arena *arena);

/* Builds the advice that summaries need: no kinds of work, and nothing that needs the idle flame (tp_idle_build). */
void tp_advice_build_brief(struct tp_advice *advice, const struct tp_model *model,
                           const struct tp_rule_overrides *overrides, struct tp_arena *arena);

extern const struct tp_fields tp_advice_fields;

/* Removes the verdict and the findings; facts and tables stay. For traces from inside a process whose work another
 * trace shows: a trace of PyTorch (TP_WORKER_SECOND), or the one from outside (TP_WORKER_INSIDE). */
void tp_advice_withhold(struct tp_advice *advice);

#endif
