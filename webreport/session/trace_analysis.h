/* One profile in memory: the trace, its order and model, the views and the advice, built on two threads when it is
 * large.
 *
 * When the model stands, one thread builds the advice and the memory view, the other the other views; both only read
 * it. Memory of the two sides is apart (an arena serves one thread). */
#ifndef TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H
#define TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H

#include <pthread.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/model/facts.h"
#include "webreport/model/order.h"

/* What is looked at; what nobody does stays empty. */
enum tp_analysis_extent {
    TP_ANALYSIS_WHOLE,
    TP_ANALYSIS_SUMMARY, /* what summaries are made of: tp_views_build_brief, tp_advice_build_brief, the memory view */
    TP_ANALYSIS_METRICS  /* the same without the memory view */
};

struct tp_analysis {
    struct tp_arena arena; /* its guard is the caller's, set before any call below */
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;

    const struct tp_rule_overrides *rules;
    enum tp_analysis_extent extent; /* may be set after tp_analysis_open */
    struct tp_arena beside;         /* of the second side */
    int beside_code;                /* 0, or why it failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { TP_MODEL_PENDING, TP_MODEL_READY, TP_MODEL_FAILED } model_state;
};

/* Makes an empty analysis; the caller sets analysis->arena.guard next. rules may be NULL and must outlive it. */
void tp_analysis_open(struct tp_analysis *analysis, const struct tp_rule_overrides *rules);
void tp_analysis_close(struct tp_analysis *analysis);

/* Builds everything from analysis->trace, which has been read. meanwhile (NULL: nothing) is called once on this thread
 * when model and views stand, while the other side may still be at work. Leaves through the guard on failure, with no
 * thread left. */
void tp_analysis_build(struct tp_analysis *analysis, void (*meanwhile)(void *context), void *context);

/* Builds order and model alone, on this thread. */
void tp_analysis_build_model(struct tp_analysis *analysis);

#endif
