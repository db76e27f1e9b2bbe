/* Analyses one profile in memory: the trace, its order and model, the views and the advice.
 *
 * A large profile is analysed on two threads. After the model is complete, one thread builds the advice and the memory
 * view, and the other one builds the other views. Both threads only read the model. Each thread has separate memory,
 * because an arena serves one thread. */
#ifndef TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H
#define TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H

#include <pthread.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/model/facts.h"
#include "webreport/model/order.h"

/* The parts of an analysis that are built. Other parts stay empty. */
enum tp_analysis_extent {
    TP_ANALYSIS_WHOLE,
    /* the parts that summaries need: tp_views_build_brief, tp_advice_build_brief and the memory view */
    TP_ANALYSIS_SUMMARY,
    TP_ANALYSIS_METRICS /* the parts that summaries need, without the memory view */
};

struct tp_analysis {
    struct tp_arena arena; /* memory of the analysis; the caller sets its guard before any call below */
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;

    const struct tp_rule_overrides *rules;
    enum tp_analysis_extent extent; /* may be changed after tp_analysis_open */
    struct tp_arena second_arena;   /* memory of the second thread */
    int second_status;              /* 0, or the status if the second thread failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { TP_MODEL_PENDING, TP_MODEL_READY, TP_MODEL_FAILED } model_state;
};

/* Initializes an empty analysis. Set analysis->arena.guard next. rules: may be NULL, and must outlive the analysis. */
void tp_analysis_open(struct tp_analysis *analysis, const struct tp_rule_overrides *rules);
void tp_analysis_close(struct tp_analysis *analysis);

/* Builds all parts from analysis->trace, which must have been read. meanwhile: called once on this thread after the
 * model and the views are complete, while the other thread may still run; may be NULL. After a failure, waits for the
 * other thread and leaves through the guard. */
void tp_analysis_build(struct tp_analysis *analysis, void (*meanwhile)(void *context), void *context);

/* Builds only the order and the model, on this thread. */
void tp_analysis_build_model(struct tp_analysis *analysis);

#endif
