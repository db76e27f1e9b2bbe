/* Analyzes one profile in memory: the trace, the order of its events, the model, the views and the advice.
 *
 * A large profile is analyzed on two threads. When the model is complete, one thread builds the advice and the memory
 * view, the other thread builds the other views. Both only read the model. Each thread has its own arena, because two
 * threads must not share an arena. */
#ifndef TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H
#define TP_WEBREPORT_SESSION_TRACE_ANALYSIS_H

#include <pthread.h>

#include "webreport/measure/result/advice.h"
#include "webreport/measure/result/views.h"
#include "webreport/model/capture/import.h"
#include "webreport/model/facts.h"
#include "webreport/model/order.h"

/* Which parts of an analysis are built. Other parts stay empty. */
enum tp_analysis_extent {
    TP_ANALYSIS_WHOLE,
    /* parts that summaries need: tp_views_build_for_summary, tp_advice_build_for_summary and the memory view */
    TP_ANALYSIS_SUMMARY,
    TP_ANALYSIS_SUMMARY_AND_ADVICE, /* parts that summaries need, and the whole advice */
    TP_ANALYSIS_METRICS             /* parts that summaries need, except the memory view */
};

struct tp_analysis {
    struct tp_arena arena; /* memory of the analysis; the caller sets its guard before calling a function below */
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;

    /* capture traces to join with the trace, and their number; they must live until tp_analysis_build returns */
    const struct tp_capture_trace *maps;
    size_t map_count;
    bool is_map;                     /* true if the trace is only a capture trace, and so is no run */
    struct tp_captures own_captures; /* sections of the trace itself; empty in most traces */
    const struct tp_rule_overrides *rules;
    /* changes to price in an analysis without the whole advice; NULL: the trace is not replayed */
    const struct tp_asked_changes *asked;
    enum tp_analysis_extent extent;      /* which parts are built; the caller may change it after tp_analysis_open */
    struct tp_arena second_thread_arena; /* memory of the second thread */
    int second_thread_status;            /* 0, or a negative tp_status if the second thread failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { TP_MODEL_PENDING, TP_MODEL_READY, TP_MODEL_FAILED } model_state;
};

/* Initializes an empty analysis. The caller must then set the guard of analysis->arena. rules: may be NULL; must
 * outlive the analysis. */
void tp_analysis_open(struct tp_analysis *analysis, const struct tp_rule_overrides *rules);
void tp_analysis_close(struct tp_analysis *analysis);

/* Builds all parts from analysis->trace, which must already be read. meanwhile: NULL, or a function to call on this
 * thread after the model and the views are built, while the second thread may still run; it is called only if there is
 * a second thread. After a failure, waits for the second thread and jumps to the guard. */
void tp_analysis_build(struct tp_analysis *analysis, void (*meanwhile)(void *context), void *context);

/* Builds only the order of the events and the model, on the calling thread. */
void tp_analysis_build_model(struct tp_analysis *analysis);

#endif
