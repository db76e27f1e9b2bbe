/* Adds notes about stored runs to the document of a check. See history_document.h. */
#include <math.h>

#include "webreport/compare/gate/metric_amount.h"
#include "webreport/document/commands/history_counts.h"
#include "webreport/document/commands/history_document.h"
#include "webreport/document/name_text.h"
#include "writer/text/format.h"

enum { MOST_LABEL = 40 };
#define WANDERS 0.5

static const char *const titles[TP_LEVEL_SERIES] = {[TP_BENCH_STEP] = "step time",
                                                    [TP_BENCH_KERNELS] = "kernel time",
                                                    [TP_BENCH_HOST_OPS] = "time of operators on the host"};

static const char *percent_text(struct tp_arena *arena, double change)
{
    return tp_amount_change_text(arena, TP_UNIT_NS, TP_LIMIT_RELATIVE, 100 * change);
}

static const char *run_label(struct tp_arena *arena, const struct tp_history_run *run)
{
    struct tp_str text = tp_text_shorten(arena, run->label, MOST_LABEL);
    return tp_text_printf(arena, "%.*s", (int)text.len, text.ptr);
}

/* ---- one quantity ---- */

static void put_level_change(struct tp_document *document, struct tp_list *list, const struct tp_level_series *s,
                             const struct tp_history_run *runs, const struct tp_level_step *step)
{
    struct tp_arena *arena = document->arena;
    const struct tp_history_run *before = &runs[step->before], *after = &runs[step->after];
    struct tp_object *record = tp_list_add_object(list);
    tp_document_add_note(document, tp_text_printf(arena, "History: the %s changed by %s between %s and %s%s.",
                                                  titles[s->quantity], percent_text(arena, step->change),
                                                  run_label(arena, before), run_label(arena, after),
                                                  tp_history_changed_counts_text(arena, before, after)));
    tp_object_add_str(record, "before", before->label);
    tp_object_add_str(record, "after", after->label);
    tp_object_add_real(record, "change", step->change);
}

static void put_change_of_newest_run(struct tp_document *document, struct tp_object *record,
                                     const struct tp_level_series *s)
{
    const struct tp_run_change *c = &s->newest;
    struct tp_arena *arena = document->arena;
    if (!c->base_count)
        return;
    tp_object_add_real(record, "est", c->estimate);
    tp_object_add_real(record, "lo", c->low);
    tp_object_add_real(record, "hi", c->high);
    tp_object_add_real(record, "sees", c->detectable);
    if (c->low > 0 || c->high < 0)
        tp_document_add_note(
            document,
            tp_text_printf(arena,
                           "History: the %s differs by %s from the accepted level of %s (99 %% interval %s to %s).",
                           titles[s->quantity], percent_text(arena, c->estimate),
                           tp_text_of_counted_noun(arena, (int64_t)c->base_count, "run", "runs"),
                           percent_text(arena, c->low), percent_text(arena, c->high)));
}

static void put_levels_of_quantity(struct tp_document *document, struct tp_object *all, const struct tp_level_series *s,
                                   const struct tp_history_run *runs)
{
    if (!s->known_count)
        return;
    struct tp_object *record = tp_object_add_object(all, tp_bench_quantity_name(s->quantity));
    struct tp_list *steps = tp_object_add_list(record, "steps");
    tp_object_add_int(record, "runs", (int64_t)s->known_count);
    tp_object_add_real(record, "autocorrelation", s->autocorrelation);
    for (size_t i = 0; i < s->step_count; i++)
        put_level_change(document, steps, s, runs, &s->steps[i]);
    put_change_of_newest_run(document, record, s);
    if (s->autocorrelation > WANDERS)
        tp_document_add_note(
            document, tp_text_printf(document->arena,
                                     "History: the %s of successive runs has a correlation of %s, because "
                                     "the speed of this machine drifts. Use tracepress bench, which runs "
                                     "both versions alternately.",
                                     titles[s->quantity], tp_text_of_fixed(document->arena, s->autocorrelation, 2)));
}

static void put_accepted_run(struct tp_document *document, struct tp_object *record, const struct tp_history_run *run)
{
    const struct tp_run_decision *d = &run->decision;
    if (!d->is_accepted)
        return;
    tp_object_add_str(record, "accepted_by", d->by);
    tp_object_add_str(record, "accepted_at", d->at);
    tp_object_add_str(record, "reason", d->reason);
    if (!d->by.len)
        return;
    const char *why =
        tp_text_printf(document->arena, "%s%.*s", d->reason.len ? ": " : "", (int)d->reason.len, d->reason.ptr);
    tp_document_add_note(
        document,
        tp_text_printf(document->arena, "History: the accepted level begins with run %s, accepted by %.*s on %.*s%s.",
                       run_label(document->arena, run), (int)d->by.len, d->by.ptr, (int)d->at.len, d->at.ptr, why));
}

/* ---- commands that find the commit ---- */

/* Returns whether a shell passes a word on unchanged without quotes. */
static bool needs_no_quotes(struct tp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/", text.ptr[i]))
            return false;
    return text.len && *text.ptr != '-';
}

static void put_bisect_commands(struct tp_document *document, const struct tp_level_series *series,
                                const struct tp_history_run *runs, size_t accepted_from)
{
    for (int q = 0; q < TP_LEVEL_SERIES; q++) {
        const struct tp_level_series *s = &series[q];
        const struct tp_level_step *step = NULL;
        for (size_t i = 0; i < s->step_count; i++)
            if (s->steps[i].change > 0 && s->steps[i].after > accepted_from)
                step = &s->steps[i];
        if (!step || !needs_no_quotes(runs[step->before].label) || !needs_no_quotes(runs[step->after].label))
            continue;
        const char *good = run_label(document->arena, &runs[step->before]);
        const char *bad = run_label(document->arena, &runs[step->after]);
        tp_document_add_note(document, tp_text_printf(document->arena, "Bisect: git bisect start %s %s", bad, good));
        tp_document_add_note(document, tp_text_printf(document->arena,
                                                      "Bisect: git bisect run tracepress bench --rev %s --rev HEAD "
                                                      "--fail-above %s%% -- COMMAND",
                                                      good, tp_text_of_fixed(document->arena, 50 * step->change, 1)));
        return;
    }
    tp_document_add_note(document, "Bisect: the stored runs show no lasting slowdown that was not accepted.");
}

void tp_history_put_notes(struct tp_document *document, const struct tp_history_run *runs, size_t count,
                          bool has_bisect)
{
    struct tp_level_series series[TP_LEVEL_SERIES];
    if (!count)
        return;
    size_t accepted_from = tp_history_first_accepted_run(runs, count);
    struct tp_object *record = tp_object_add_object(document->record, "history");
    tp_history_find_levels(series, runs, count, document->arena);
    tp_object_add_int(record, "runs", (int64_t)count);
    tp_object_add_str(record, "accepted_from", runs[accepted_from].label);
    put_accepted_run(document, record, &runs[accepted_from]);
    for (int q = 0; q < TP_LEVEL_SERIES; q++)
        put_levels_of_quantity(document, record, &series[q], runs);
    if (has_bisect)
        put_bisect_commands(document, series, runs, accepted_from);
}
