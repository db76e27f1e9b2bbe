/* Analyzes one profile on two threads: see trace_analysis.h. */
#include "webreport/session/trace_analysis.h"
#include "webreport/model/build.h"

#include <string.h>

#include "webreport/document/words/capture_words.h"
#include "webreport/document/words/words.h"
#include "webreport/model/unusual_events.h"

enum { THREAD_FROM_EVENTS = 20000 };

void tp_analysis_open(struct tp_analysis *a, const struct tp_rule_overrides *rules)
{
    memset(a, 0, sizeof *a);
    a->rules = rules;
    tp_arena_init(&a->arena, 0);
    tp_arena_init(&a->second_thread_arena, 0);
    a->second_thread_arena.avoids_huge_pages = true;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
}

void tp_analysis_close(struct tp_analysis *a)
{
    tp_arena_release(&a->second_thread_arena);
    tp_arena_release(&a->arena);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->changed);
}

static void set_pending_model_state(struct tp_analysis *a, int state)
{
    pthread_mutex_lock(&a->lock);
    if (a->model_state == TP_MODEL_PENDING)
        a->model_state = state;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static bool wait_for_model(struct tp_analysis *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->model_state == TP_MODEL_PENDING)
        pthread_cond_wait(&a->changed, &a->lock);
    bool is_ready = a->model_state == TP_MODEL_READY;
    pthread_mutex_unlock(&a->lock);
    return is_ready;
}

static int build_views_on_second_thread(void *context, struct tp_error *err)
{
    struct tp_analysis *a = context;
    (void)err;
    bool is_whole = a->extent == TP_ANALYSIS_WHOLE || a->extent == TP_ANALYSIS_SUMMARY_AND_ADVICE;
    if (!wait_for_model(a))
        return TP_OK;
    if (is_whole)
        tp_advice_build(&a->advice, &a->model, a->rules, &a->second_thread_arena);
    else
        tp_advice_build_for_summary(&a->advice, &a->model, a->rules, &a->second_thread_arena);
    if (!is_whole && a->asked)
        tp_change_gains_build(&a->advice.gains, &a->advice.what_if, &a->model, a->asked, &a->second_thread_arena);
    tp_arena_return_free_pages(&a->second_thread_arena);
    tp_fill_advice_texts(&a->advice, &a->model, &a->second_thread_arena);
    if (a->extent != TP_ANALYSIS_METRICS)
        tp_memory_view_build(&a->views.memory, &a->model, &a->second_thread_arena);
    tp_arena_return_free_pages(&a->second_thread_arena);
    return TP_OK;
}

/* Builds the advice and the memory view; start function of the second thread. */
static void *build_on_second_thread(void *argument)
{
    struct tp_analysis *a = argument;
    a->second_thread_status = tp_arena_run(&a->second_thread_arena, build_views_on_second_thread, a, NULL);
    return NULL;
}

static int build_model_and_views(void *context, struct tp_error *err)
{
    struct tp_analysis *a = context;
    (void)err;
    tp_model_build(&a->model, &a->trace, &a->order, &a->arena);
    tp_arena_return_free_pages(&a->arena);
    set_pending_model_state(a, TP_MODEL_READY);
    (a->extent == TP_ANALYSIS_WHOLE ? tp_views_build : tp_views_build_for_summary)(&a->views, &a->model, &a->arena);
    tp_fill_capture_texts(&a->views.captures, &a->model, &a->arena);
    tp_arena_return_free_pages(&a->arena);
    return TP_OK;
}

/* Adds the captured calls of capture traces to the trace. The evidence of the trace must not include them. */
static void add_captures(struct tp_analysis *a)
{
    if (a->map_count)
        tp_captures_import(&a->trace, a->maps, a->map_count);
}

void tp_analysis_build(struct tp_analysis *a, void (*meanwhile)(void *context), void *context)
{
    pthread_t thread;
    tp_order_build(&a->order, &a->trace, &a->arena);
    tp_unusual_events_count(&a->trace, &a->order, &a->arena);
    tp_evidence_build(&a->trace.evidence, &a->trace, &a->arena);
    add_captures(a);
    bool has_thread =
        a->trace.event_count >= THREAD_FROM_EVENTS && pthread_create(&thread, NULL, build_on_second_thread, a) == 0;
    if (tp_arena_run(&a->arena, build_model_and_views, a, NULL) < 0)
        set_pending_model_state(a, TP_MODEL_FAILED);
    if (meanwhile && has_thread && a->arena.code == 0)
        meanwhile(context);
    if (has_thread)
        pthread_join(thread, NULL);
    else if (a->arena.code == 0)
        build_on_second_thread(a);
    if (a->arena.code || a->second_thread_status)
        tp_arena_fail(&a->arena, a->arena.code ? a->arena.code : a->second_thread_status);
}

void tp_analysis_build_model(struct tp_analysis *a)
{
    tp_order_build(&a->order, &a->trace, &a->arena);
    add_captures(a);
    tp_model_build(&a->model, &a->trace, &a->order, &a->arena);
}
