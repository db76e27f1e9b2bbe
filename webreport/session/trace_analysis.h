/* Analyzes one profile in memory: the trace, its order and model, the views and the advice; a large one on two threads.
 *
 * When the model is complete, one thread builds the advice and the memory view and the other one builds the other
 * views; both only read the model. Each thread has its own memory (an arena serves one thread). */
#ifndef TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H
#define TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H

#include <pthread.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/model/facts.h"
#include "webreport/model/order.h"

/* The parts of an analysis that are built; the others stay empty. */
enum tp_analysis_extent {
    TP_ANALYSIS_WHOLE,
    TP_ANALYSIS_SUMMARY, /* the parts for summaries: tp_views_build_brief, tp_advice_build_brief, the memory view */
    TP_ANALYSIS_METRICS  /* the parts for summaries, without the memory view */
};

struct tp_analysis {
    struct tp_arena arena; /* the caller sets its guard before any call below */
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;

    const struct tp_rule_overrides *rules;
    enum tp_analysis_extent extent; /* may be set after tp_analysis_open */
    struct tp_arena beside;         /* memory of the second thread */
    int beside_code;                /* 0, or why the second thread failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { TP_MODEL_PENDING, TP_MODEL_READY, TP_MODEL_FAILED } model_state;
};

/* Makes an empty analysis; the caller sets analysis->arena.guard next. rules may be NULL and must outlive it. */
void tp_analysis_open(struct tp_analysis *analysis, const struct tp_rule_overrides *rules);
void tp_analysis_close(struct tp_analysis *analysis);

/* Builds everything from analysis->trace, which has been read. Calls meanwhile (unless NULL) once on this thread when
 * the model and the views are complete; the other thread may still be running. On failure, ends the other thread and
 * leaves through the guard. */
void tp_analysis_build(struct tp_analysis *analysis, void (*meanwhile)(void *context), void *context);

/* Builds only the order and the model, on this thread. */
void tp_analysis_build_model(struct tp_analysis *analysis);

#endif
