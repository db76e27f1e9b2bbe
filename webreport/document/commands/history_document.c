/* Makes the document of stored runs. See history_document.h. */
#include "webreport/document/commands/history_document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/compare/gate/metric_amount.h"
#include "webreport/document/charts/causes.h"
#include "webreport/document/charts/chart.h"
#include "webreport/document/commands/history_counts.h"
#include "webreport/document/section.h"
#include "writer/base/stats.h"

enum { PLOT_TOP = 10, PLOT_HEIGHT = 90, PLOT_WIDTH = 1000, MAX_LABEL = 40, MANY_RUNS = 60 };
#define PLOT_LEFT 17.0 /* width of the axis labels in percent, enough for a narrow screen */
#define PLOT_RIGHT 98.0

/* The metrics that a history shows. A metric that no run has is omitted. */
static const char *const metric_names[] = {
    "step.time.median", "kernels.per_step", "sync.per_step",      "h2d.pageable.bytes", "idle.host",
    "memory.peak",      "gemm.fp32.share",  "operators.per_step", "memory.host.peak",   "finding.count",
};
enum { METRIC_NAMES = sizeof metric_names / sizeof *metric_names };

/* The values of one metric over the runs. */
struct series {
    const struct tp_metric *metric;
    double *values; /* for each run: value of the metric; NaN if the run lacks it */
    double least, greatest;
    size_t known_count;
    const struct tp_level_series *level; /* levels of the quantity; NULL if the series shows a metric */
};

/* ---- values ---- */

static double metric_value(const struct tp_history_run *run, int metric, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, run->count, sizeof *values), greatest = NAN;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        double value = run->items[i].metrics[metric].value;
        if (isnan(value))
            continue;
        values[count++] = value;
        greatest = isnan(greatest) || value > greatest ? value : greatest;
    }
    return tp_metrics[metric].is_timed ? tp_median(values, count) : greatest;
}

static struct series metric_series(struct tp_arena *arena, const struct tp_history_run *runs, size_t count,
                                   const char *name)
{
    int metric = tp_metric_find(name, strlen(name));
    struct series s = {.metric = &tp_metrics[metric], .values = tp_arena_array(arena, count, sizeof *s.values)};
    for (size_t i = 0; i < count; i++) {
        double value = s.values[i] = metric_value(&runs[i], metric, arena);
        if (isnan(value))
            continue;
        s.least = s.known_count == 0 || value < s.least ? value : s.least;
        s.greatest = s.known_count == 0 || value > s.greatest ? value : s.greatest;
        s.known_count++;
    }
    return s;
}

/* ---- charts ---- */

/* Returns the series of a quantity's levels. Limits are compared with these levels. */
static struct series level_series(struct tp_arena *arena, const struct tp_level_series *level, size_t count)
{
    static const struct tp_metric names[TP_LEVEL_SERIES] = {
        [TP_BENCH_STEP] = {.name = "Typical step time", .unit = TP_UNIT_NS},
        [TP_BENCH_KERNELS] = {.name = "Typical kernel time per step", .unit = TP_UNIT_NS},
        [TP_BENCH_HOST_OPS] = {.name = "Typical time of operators on the host per step", .unit = TP_UNIT_NS}};
    struct series s = {.metric = &names[level->quantity],
                       .values = tp_arena_array(arena, count, sizeof *s.values),
                       .least = isnan(level->accepted) ? INFINITY : exp(level->accepted),
                       .known_count = level->known_count,
                       .level = level};
    s.greatest = isinf(s.least) ? 0 : s.least;
    for (size_t i = 0; i < count; i++) {
        double value = s.values[i] = exp(level->levels[i]);
        s.least = value < s.least ? value : s.least;
        s.greatest = value > s.greatest ? value : s.greatest;
    }
    return s;
}

/* The range of the y axis: the values and some space around them, but not below 0. */
struct axis {
    double bottom, top;
};

static struct axis make_value_axis(const struct series *s)
{
    double room = (s->greatest - s->least) / 4;
    if (room <= fabs(s->greatest) / 50)
        /* the space is at least 2 % of the largest value, so that a tiny difference appears small */
        room = fabs(s->greatest) / 50;
    if (!(room > 0))
        room = 1;
    struct axis axis = {s->least - room, s->greatest + room};
    if (s->least >= 0 && axis.bottom < 0)
        axis.bottom = 0;
    return axis;
}

static double y_position_of_value(const struct axis *axis, double value)
{
    return PLOT_TOP + PLOT_HEIGHT * (axis->top - value) / (axis->top - axis->bottom);
}

static double x_position_of_run(size_t i, size_t count)
{
    return count > 1 ? PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * (double)i / (double)(count - 1) : 50;
}

static void put_value_ticks(struct tp_object *chart, struct tp_arena *arena, const struct series *s,
                            const struct axis *axis)
{
    struct tp_list *ticks = tp_object_add_list(chart, "ticks");
    const double at[] = {s->least, s->greatest};
    for (size_t i = 0; i < (s->greatest > s->least ? 2 : 1); i++) {
        struct tp_object *tick = tp_list_add_object(ticks);
        tp_object_add_formatted(tick, "y", "%.1f", y_position_of_value(axis, at[i]));
        tp_object_add_text(tick, "label", tp_amount_text(arena, s->metric->unit, at[i]));
    }
}

/* Returns the reason for which the point of a run is drawn hollow; NULL if the point is filled. */
static const char *reason_for_hollow_point(const struct series *s, const struct tp_history_run *run, size_t i)
{
    if (run->decision.is_accepted)
        return NULL;
    return s->level && s->level->is_outlier[i] ? "outlier" : run->decision.is_failed ? "broke a limit" : NULL;
}

static void put_accepted_level_line(struct tp_object *chart, struct tp_arena *arena, const struct series *s,
                                    const struct axis *axis, const struct tp_history_run *runs, size_t count)
{
    double accepted = exp(s->level->accepted), sees = s->level->newest.base_count ? s->level->newest.half_width : 0;
    if (isnan(accepted))
        return;
    struct tp_object *line = tp_object_add_object(chart, "accepted");
    double top = fmax(y_position_of_value(axis, accepted * (1 + sees)), PLOT_TOP);
    double bottom = fmin(y_position_of_value(axis, accepted / (1 + sees)), PLOT_TOP + PLOT_HEIGHT);
    double from = x_position_of_run(tp_history_first_accepted_run(runs, count), count);
    tp_chart_put_percent(line, "x", from);
    tp_chart_put_percent(line, "width", PLOT_RIGHT - from);
    tp_object_add_formatted(line, "y", "%.1f", y_position_of_value(axis, accepted));
    tp_object_add_formatted(line, "top", "%.1f", top);
    tp_object_add_formatted(line, "height", "%.1f", fmax(bottom - top, 1));
    const char *level = tp_text_printf(arena, "Accepted level: %s.", tp_amount_text(arena, TP_UNIT_NS, accepted));
    tp_object_add_text(line, "tip",
                       sees > 0 ? tp_text_printf(arena, "%s A new run differs if it deviates by more than %s.", level,
                                                 tp_text_of_percent(arena, 100 * sees))
                                : level);
}

/* Adds a line for each change of the level, labeled with the first commit after the change. */
static void put_level_change_lines(struct tp_object *chart, struct tp_arena *arena, const struct series *s,
                                   const struct tp_history_run *runs, size_t count)
{
    struct tp_list *steps = tp_object_add_list(chart, "steps");
    for (size_t i = 0; i < s->level->step_count; i++) {
        const struct tp_level_step *step = &s->level->steps[i];
        const struct tp_history_run *after = &runs[step->after];
        struct tp_object *one = tp_list_add_object(steps);
        double x = (x_position_of_run(step->before, count) + x_position_of_run(step->after, count)) / 2;
        struct tp_str label = tp_text_shorten(arena, after->label, 12);
        const char *change = tp_amount_change_text(arena, TP_UNIT_NS, TP_LIMIT_RELATIVE, 100 * step->change);
        tp_chart_put_percent(one, "x", x);
        tp_object_add_text(one, "anchor", x > 60 ? "end" : "start");
        tp_object_add_text(one, "dx", x > 60 ? "-4" : "4");
        tp_object_add_int(one, "y", PLOT_TOP + (int64_t)(i % 3) * 13);
        tp_object_add_text(one, "label", tp_text_printf(arena, "%.*s %s", (int)label.len, label.ptr, change));
        tp_object_add_text(one, "tip",
                           tp_text_printf(arena, "%s between %.*s and %.*s", change, (int)runs[step->before].label.len,
                                          runs[step->before].label.ptr, (int)after->label.len, after->label.ptr));
    }
}

static void put_run_points(struct tp_object *chart, struct tp_arena *arena, const struct series *s,
                           const struct axis *axis, const struct tp_history_run *runs, size_t count)
{
    struct tp_list *points = tp_object_add_list(chart, "points");
    bool is_open = false;
    char *text = tp_arena_alloc(arena, count * 32 + 1), *at = text;
    for (size_t i = 0; i < count; i++) {
        if (isnan(s->values[i])) {
            is_open = false;
            continue;
        }
        double x = x_position_of_run(i, count), y = y_position_of_value(axis, s->values[i]);
        struct tp_object *point = tp_list_add_object(points);
        tp_chart_put_percent(point, "x", x);
        tp_object_add_formatted(point, "y", "%.1f", y);
        const char *mark = reason_for_hollow_point(s, &runs[i], i);
        tp_object_add_text(point, "mark", mark);
        tp_object_add_text(point, "radius", count > MANY_RUNS ? "2" : "3.5");
        tp_object_add_text(point, "tip",
                           tp_text_printf(arena, "%.*s: %s%s%s", (int)runs[i].label.len, runs[i].label.ptr,
                                          tp_amount_text(arena, s->metric->unit, s->values[i]), mark ? ", " : "",
                                          mark ? mark : ""));
        at += snprintf(at, 32, "%c%.1f %.1f", is_open ? 'L' : 'M', x * PLOT_WIDTH / 100, y);
        is_open = true;
    }
    tp_object_add_str(chart, "path", (struct tp_str){text, (size_t)(at - text)});
}

/* Returns the newest value, and its change from the previous value. */
static const char *newest_value_text(struct tp_arena *arena, const struct series *s, size_t count)
{
    size_t last = count, before = count;
    for (size_t i = 0; i < count; i++)
        if (!isnan(s->values[i])) {
            before = last;
            last = i;
        }
    const char *text = tp_amount_text(arena, s->metric->unit, s->values[last]);
    if (before == count || s->values[before] == 0)
        return text;
    double change = 100 * (s->values[last] / s->values[before] - 1);
    if (fabs(change) < 0.05)
        return text;
    return tp_text_printf(arena, "%s, %s compared with the previous run", text,
                          tp_amount_change_text(arena, s->metric->unit, TP_LIMIT_RELATIVE, change));
}

static void add_history_chart(struct tp_list *charts, struct tp_arena *arena, const struct series *s,
                              const struct tp_history_run *runs, size_t count)
{
    struct tp_object *chart = tp_list_add_object(charts);
    struct axis axis = make_value_axis(s);
    const char *now = newest_value_text(arena, s, count);
    tp_object_add_text(chart, "metric", s->metric->name);
    tp_object_add_text(chart, "latest", now);
    tp_object_add_text(chart, "meaning",
                       s->level ? "Mean over the steps of a run, without the shortest and the longest fifth."
                                : tp_metric_title(s->metric));
    if (s->level) {
        put_accepted_level_line(chart, arena, s, &axis, runs, count);
        put_level_change_lines(chart, arena, s, runs, count);
    }
    tp_object_add_formatted(chart, "chart_label", "%s over %s: %s", s->metric->name,
                            tp_text_of_counted_noun(arena, (int64_t)count, "run", "runs"), now);
    put_value_ticks(chart, arena, s, &axis);
    put_run_points(chart, arena, s, &axis, runs, count);
    tp_object_add_str(chart, "first", tp_text_shorten(arena, runs[0].label, MAX_LABEL));
    if (count > 1)
        tp_object_add_str(chart, "last", tp_text_shorten(arena, runs[count - 1].label, MAX_LABEL));
}

/* ---- the table ---- */

static struct tp_column_def metric_column(const struct tp_metric *metric)
{
    static const enum tp_column_type types[] = {TP_COLUMN_REAL, TP_COLUMN_NS, TP_COLUMN_BYTES, TP_COLUMN_REAL};
    return (struct tp_column_def){metric->name, metric->name, "", tp_metric_title(metric), types[metric->unit]};
}

static enum tp_shown_format metric_format(const struct tp_metric *metric)
{
    static const enum tp_shown_format formats[] = {TP_SHOW_REAL, TP_SHOW_TIME, TP_SHOW_BYTES, TP_SHOW_PERCENT};
    return formats[metric->unit];
}

static void fill_column(const struct tp_table *table, unsigned column, const struct series *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (table->defs[column].type == TP_COLUMN_REAL)
            tp_table_real(table, column)[i] = s->values[i];
        else
            tp_table_int(table, column)[i] = tp_round_to_integer(s->values[i]);
}

static bool has_only_whole_numbers(const struct series *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(s->values[i]) && s->values[i] != floor(s->values[i]))
            return false;
    return true;
}

/* Adds the table of all runs, newest first. */
static void put_table(struct tp_document *document, const struct series *series, unsigned series_count,
                      const struct tp_history_run *runs, size_t count)
{
    struct tp_arena *arena = document->arena;
    struct tp_column_def *defs = tp_arena_array(arena, series_count + 1, sizeof *defs);
    struct tp_shown_column *shown = tp_arena_array(arena, series_count, sizeof *shown);
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    size_t *newest = tp_arena_array(arena, count, sizeof *newest);
    defs[0] = (struct tp_column_def){"run", "Run", "", "Name of the stored run.", TP_COLUMN_TEXT};
    for (unsigned c = 0; c < series_count; c++) {
        defs[c + 1] = metric_column(series[c].metric);
        shown[c] = (struct tp_shown_column){.format = metric_format(series[c].metric),
                                            .column = c + 1,
                                            .decimals = has_only_whole_numbers(&series[c], count) ? 0 : 2};
    }
    tp_table_init(table, arena, "history", defs, series_count + 1, count);
    for (size_t i = 0; i < count; i++) {
        tp_table_text(table, 0)[i] = runs[i].label;
        newest[i] = count - 1 - i;
    }
    for (unsigned c = 0; c < series_count; c++)
        fill_column(table, c + 1, &series[c], count);
    table = tp_table_copy_rows(arena, table, newest, count);
    struct tp_shown_table *out = tp_shown_table_new(arena, table, shown, series_count, count);
    struct tp_naming naming = {.arena = arena};
    out->name = "history";
    out->noun = "runs";
    out->name_title = "Run";
    out->caption = "Metrics of the stored runs, newest first";
    tp_shown_table_set_row_names(&naming, out, 0);
    tp_document_add_table(document, out, NULL);
}

/* Adds the accepted runs, newest first, with the person, time and reason of each acceptance. */
static void put_accepted_runs(struct tp_document *document, const struct tp_history_run *runs, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        const struct tp_run_decision *d = &runs[i].decision;
        struct tp_str label = tp_text_shorten(document->arena, runs[i].label, MAX_LABEL);
        if (d->is_accepted)
            tp_document_add_fact(document, "Accepted",
                                 tp_text_printf(document->arena, "%.*s by %.*s, %.*s%s%.*s", (int)label.len, label.ptr,
                                                (int)d->by.len, d->by.ptr, (int)d->at.len, d->at.ptr,
                                                d->reason.len ? ": " : "", (int)d->reason.len, d->reason.ptr));
    }
}

/* ---- the answer ---- */

/* Returns the headline and the sentences below it: the last lasting change of the step time, or that it
 * did not change. */
static struct tp_verdict_block make_verdict(const struct tp_level_series *level, const struct tp_history_run *runs,
                                            size_t count, struct tp_arena *arena)
{
    struct tp_verdict_block verdict = {.tone = TP_TONE_PLAIN, .class = "", .text = ""};
    const char *of_runs = tp_text_of_counted_noun(arena, (int64_t)count, "stored run", "stored runs");
    size_t last = count;
    while (last && isnan(level->levels[last - 1]))
        last--;
    if (level->known_count < 2 || !last) {
        verdict.headline = tp_text_printf(arena, "%s, without step times that can be compared.", of_runs);
        return verdict;
    }
    const char *now = tp_amount_text(arena, TP_UNIT_NS, exp(level->levels[last - 1]));
    if (!level->step_count) {
        verdict.headline = tp_text_printf(arena, "A step takes %s; no lasting change in %s.", now, of_runs);
        return verdict;
    }
    const struct tp_level_step *step = &level->steps[level->step_count - 1];
    struct tp_str before = tp_text_shorten(arena, runs[step->before].label, MAX_LABEL);
    struct tp_str after = tp_text_shorten(arena, runs[step->after].label, MAX_LABEL);
    const char *change = tp_amount_change_text(arena, TP_UNIT_NS, TP_LIMIT_RELATIVE, 100 * step->change);
    const char *start = "The step time ", *cause = tp_text_printf(arena, "changed by %s", change);
    verdict.headline = tp_text_printf(arena, "%s%s between %.*s and %.*s; a step now takes %s.", start, cause,
                                      (int)before.len, before.ptr, (int)after.len, after.ptr, now);
    verdict.marks[verdict.mark_count++] = (struct tp_headline_mark){
        strlen(start), strlen(cause), tp_look_name(step->change > 0 ? TP_LOOK_HOST : TP_LOOK_COPY)};
    const char *counts = tp_history_changed_counts_text(arena, &runs[step->before], &runs[step->after]);
    if (*counts)
        verdict.text = tp_text_printf(arena, "At this change, counts changed too: %s.", counts + strlen(", "));
    return verdict;
}

static void put_newest_figure(struct tp_document *document, const struct tp_level_series *level)
{
    const struct tp_run_change *c = &level->newest;
    if (!c->base_count)
        return;
    tp_document_add_figure(
        document, &(struct tp_figure_block){
                      .label = "Newest run, compared with the accepted level",
                      .value = tp_amount_change_text(document->arena, TP_UNIT_NS, TP_LIMIT_RELATIVE, 100 * c->estimate),
                      .note = tp_text_printf(document->arena, "accepted: %s",
                                             tp_amount_text(document->arena, TP_UNIT_NS, exp(level->accepted))),
                      .meter = NAN});
}

static bool has_level_chart(const struct tp_level_series *levels)
{
    return levels[TP_BENCH_STEP].known_count > 1;
}

/* Returns whether a metric has a chart of its own: its values differ, and no chart of levels shows the same. */
static bool needs_chart(const struct series *s, const struct tp_level_series *levels)
{
    return s->greatest > s->least && !(has_level_chart(levels) && strcmp(s->metric->name, "step.time.median") == 0);
}

static void put_notes(struct tp_document *document, size_t count, size_t left_out, bool has_levels)
{
    const char *older =
        left_out
            ? tp_text_printf(document->arena, " (without %s)",
                             tp_text_of_counted_noun(document->arena, (int64_t)left_out, "older run", "older runs"))
            : "";
    tp_document_add_note(
        document,
        tp_text_printf(document->arena,
                       "The charts show %s%s, oldest on the left. The vertical axes do not always begin at 0.%s",
                       tp_text_of_counted_noun(document->arena, (int64_t)count, "stored run", "stored runs"), older,
                       has_levels ? " The dashed line is the accepted level, the average of up to 10 accepted runs. A "
                                    "new run inside the band does not differ from the accepted level. Hollow points "
                                    "are outliers and runs that broke a limit."
                                  : ""));
}

void tp_history_document(struct tp_document *document, const struct tp_history_run *runs, size_t count,
                         struct tp_arena *arena)
{
    struct series *series = tp_arena_array(arena, METRIC_NAMES, sizeof *series);
    struct tp_level_series *levels = tp_arena_array(arena, TP_LEVEL_SERIES, sizeof *levels);
    struct tp_object *trends = tp_object_new(arena);
    struct tp_list *charts = tp_object_add_list(trends, "charts");
    unsigned series_count = 0;
    size_t left_out = count > TP_HISTORY_RUNS ? count - TP_HISTORY_RUNS : 0;
    runs += left_out;
    count -= left_out;
    tp_history_find_levels(levels, runs, count, arena);
    for (unsigned i = 0; i < TP_LEVEL_SERIES; i++)
        if (levels[i].known_count > 1) {
            struct series s = level_series(arena, &levels[i], count);
            add_history_chart(charts, arena, &s, runs, count);
        }
    for (unsigned i = 0; i < METRIC_NAMES; i++) {
        struct series s = metric_series(arena, runs, count, metric_names[i]);
        if (s.known_count == 0)
            continue;
        series[series_count++] = s;
        if (needs_chart(&s, levels))
            add_history_chart(charts, arena, &s, runs, count);
    }
    struct tp_verdict_block verdict = make_verdict(&levels[TP_BENCH_STEP], runs, count, arena);
    tp_document_init(document, "History", arena);
    tp_document_add_title(document, &(struct tp_title_block){"History", "history", "History"});
    tp_document_add_verdict(document, &verdict);
    put_newest_figure(document, &levels[TP_BENCH_STEP]);
    put_notes(document, count, left_out, has_level_chart(levels));
    put_accepted_runs(document, runs, count);
    tp_document_add_chart(document, "trends", tp_data_of_object(trends), NULL);
    put_table(document, series, series_count, runs, count);
}
