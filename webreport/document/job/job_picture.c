/* Draws the first screen of a job: where a step of the mean rank goes, and the ranks. See job_wording.h. */
#include <math.h>
#include <stdlib.h>

#include "webreport/document/charts/causes.h"
#include "webreport/document/charts/chart.h"
#include "webreport/document/job/job_wording.h"
#include "webreport/measure/audience/phrases.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* LANES: largest number of ranks with a lane each; SHOWN_LANES: lanes that the page shows; COLUMNS: most columns;
 * LABEL_HEIGHT: space above the line of the median for its label */
enum { LANES = 16, SHOWN_LANES = 8, COLUMNS = 400, COLUMN_HEIGHT = 96, LABEL_HEIGHT = 16, LANE_HEIGHT = 20 };

/* ---- the bar ---- */

void tp_job_find_mean_parts(const struct tp_job *job, double part_ns[TP_JOB_PARTS], double *step_ns)
{
    double count = 0;
    *step_ns = 0;
    for (int p = 0; p < TP_JOB_PARTS; p++)
        part_ns[p] = 0;
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        count += rank->step_count > 0;
        *step_ns += (double)rank->step_ns;
        for (int p = 0; p < TP_JOB_PARTS; p++)
            part_ns[p] += (double)rank->part_ns[p];
    }
    for (int p = 0; p < TP_JOB_PARTS; p++)
        part_ns[p] /= count > 0 ? count : 1;
    *step_ns /= count > 0 ? count : 1;
}

/* percent: share of the segment, which limits the length of the label */
static const char *waiting_label(const struct tp_job_wording *w, const struct tp_job_finding *finding, double percent)
{
    static const double LEAST_PERCENT = 15;
    const char *few = tp_job_few_ranks_text(&finding->ranks, w->arena);
    if (tp_job_look_of_rule(finding->rule) == TP_LOOK_COMM2)
        return finding->rule == TP_JOB_SLOW_LINK ? "Slow links" : "Communication in question";
    if (percent < LEAST_PERCENT && finding->ranks.count > 1)
        return "Waiting";
    if (!few)
        return tp_text_printf(w->arena, "Waiting for %s",
                              finding->ranks.count
                                  ? tp_text_of_counted_noun(w->arena, finding->ranks.count, "rank", "ranks")
                                  : "changing ranks");
    return tp_text_printf(w->arena, "Waiting for %s%s", finding->ranks.count == 1 ? "rank " : "", few);
}

static size_t add_segment(struct tp_bar_segment *segments, size_t count, const char *label, double ns,
                          enum tp_look look)
{
    segments[count] = (struct tp_bar_segment){.label = label, .ns = (int64_t)ns, .look = look, .cause_ns = (int64_t)ns};
    return count + 1;
}

/* Adds the communication time that the first findings cost. Takes it from *left, the communication of the mean rank. */
static size_t add_waits(const struct tp_job_wording *w, struct tp_bar_segment *segments, size_t count, double *left,
                        double step_ns)
{
    enum { MOST = 3 };
    size_t first = count;
    for (size_t i = 0; i < w->job->findings.count && count - first < MOST; i++) {
        const struct tp_job_finding *finding = TP_AT(&w->job->findings, struct tp_job_finding, i);
        if (finding->cost_ns == TP_NULL_INT || finding->cost_ns <= 0 || *left < 1)
            continue;
        double ns = fmin(*left, (double)finding->cost_ns);
        count = add_segment(segments, count, waiting_label(w, finding, 100 * ns / step_ns), ns,
                            tp_job_look_of_rule(finding->rule));
        segments[count - 1].is_avoidable = true;
        *left -= ns;
    }
    return count;
}

static void put_bar(const struct tp_job_wording *w)
{
    struct tp_bar_segment segments[TP_JOB_PARTS + 4];
    double part_ns[TP_JOB_PARTS], step_ns;
    tp_job_find_mean_parts(w->job, part_ns, &step_ns);
    double left = part_ns[TP_JOB_COMMUNICATION];
    size_t count = add_segment(segments, 0, "Compute", part_ns[TP_JOB_COMPUTE], TP_LOOK_GPU);
    count = add_segment(segments, count, "Host", part_ns[TP_JOB_HOST], TP_LOOK_LAUNCH);
    count = add_waits(w, segments, count, &left, step_ns);
    count = add_segment(segments, count, "Input", part_ns[TP_JOB_DATA], TP_LOOK_HOST);
    count = add_segment(segments, count, left < part_ns[TP_JOB_COMMUNICATION] ? "Other communication" : "Communication",
                        left, TP_LOOK_COMM2);
    tp_document_add_chart(w->document, "causes",
                          tp_chart_causes(w->arena,
                                          tp_text_printf(w->arena, "Where the %s of the mean rank's step go",
                                                         tp_text_of_time(w->arena, (int64_t)step_ns)),
                                          "By cause", segments, count),
                          NULL);
}

/* ---- one lane per rank ---- */

struct ranked {
    int64_t excess_ns;
    uint32_t rank;
};

static int compare_slowest_first(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return a->excess_ns != b->excess_ns ? (a->excess_ns < b->excess_ns) - (a->excess_ns > b->excess_ns)
                                        : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Returns the ranks, the one with the largest excess first. */
static struct ranked *rank_by_excess(const struct tp_job_wording *w)
{
    struct ranked *ranked = tp_arena_array(w->arena, w->job->ranks.count + 1, sizeof *ranked);
    for (uint32_t r = 0; r < w->job->ranks.count; r++)
        ranked[r] = (struct ranked){tp_job_rank_at(w->job, r)->excess_ns, r};
    qsort(ranked, w->job->ranks.count, sizeof *ranked, compare_slowest_first);
    return ranked;
}

/* Fills the lane of a rank: the parts of its step in the order of the bar. */
static struct tp_strip_row make_rank_lane(const struct tp_job_wording *w, uint32_t index)
{
    static const enum tp_look looks[TP_JOB_PARTS] = {TP_LOOK_GPU, TP_LOOK_LAUNCH, TP_LOOK_HOST, TP_LOOK_COMM};
    const struct tp_job_rank *rank = tp_job_rank_at(w->job, index);
    struct tp_row_slice *slices = tp_arena_array(w->arena, TP_JOB_PARTS, sizeof *slices);
    struct tp_str name = tp_shown_text(&w->naming, tp_str_of(tp_job_rank_name(w->job, rank)));
    int64_t at = 0;
    for (int p = 0; p < TP_JOB_PARTS; p++) {
        slices[p] = (struct tp_row_slice){.a = at, .b = at + rank->part_ns[p], .look = looks[p]};
        if (p == TP_JOB_COMMUNICATION)
            slices[p].text = TP_STR("waits and communicates");
        at += rank->part_ns[p];
    }
    return (struct tp_strip_row){.label = tp_text_printf(w->arena, "%.*s", (int)name.len, name.ptr),
                                 .height = LANE_HEIGHT,
                                 .slices = slices,
                                 .count = TP_JOB_PARTS};
}

static void put_lanes(const struct tp_job_wording *w)
{
    struct ranked *ranked = rank_by_excess(w);
    struct tp_strip_row lanes[SHOWN_LANES];
    size_t count = w->job->ranks.count < SHOWN_LANES ? w->job->ranks.count : SHOWN_LANES;
    struct tp_list *list = tp_list_new(w->arena);
    struct tp_object *object = tp_list_add_object(list);
    int64_t longest_ns = 1;
    for (size_t i = 0; i < count; i++) {
        lanes[i] = make_rank_lane(w, ranked[i].rank);
        int64_t ns = lanes[i].slices[TP_JOB_PARTS - 1].b;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    const char *more =
        w->job->ranks.count > count
            ? tp_text_printf(w->arena, " The table below has the other %s.",
                             tp_text_of_counted_noun(w->arena, (int64_t)(w->job->ranks.count - count), "rank", "ranks"))
            : "";
    tp_chart_put_strip(object, w->arena,
                       &(struct tp_strip_chart){.caption = "The median step of each rank, the slowest rank first",
                                                .end_ns = longest_ns,
                                                .lanes = lanes,
                                                .lane_count = count,
                                                .named_ns = INT64_MAX,
                                                .step = "",
                                                .note = tp_text_printf(w->arena,
                                                                       "Each lane is the median step of a "
                                                                       "rank, the slowest rank first.%s",
                                                                       more)});
    tp_object_add_bool(object, "is_wide", true);
    tp_document_add_chart(w->document, "strips", tp_data_of_list(list), NULL);
}

/* ---- one column per rank ---- */

/* Ranks of one column. */
struct column {
    size_t first, end; /* range of indexes in job->ranks */
    const struct tp_job_rank *slowest;
};

bool tp_job_is_first_cause(const struct tp_job *job, const struct tp_job_rank *rank)
{
    const struct tp_job_finding *finding = job->findings.count ? TP_AT(&job->findings, struct tp_job_finding, 0) : NULL;
    return finding && finding->cost_ns != TP_NULL_INT && tp_job_look_of_rule(finding->rule) == TP_LOOK_COMM &&
           tp_rank_set_has(&finding->ranks, rank->number);
}

static int64_t median_own_ns(const struct tp_job_wording *w)
{
    size_t count = w->job->ranks.count;
    double *ns = tp_arena_array(w->arena, count, sizeof *ns);
    for (size_t r = 0; r < count; r++)
        ns[r] = (double)tp_job_rank_at(w->job, r)->own_ns;
    return (int64_t)tp_median(ns, count);
}

static struct column make_column(const struct tp_job *job, size_t first, size_t end)
{
    struct column column = {first, end, tp_job_rank_at(job, first)};
    for (size_t r = first + 1; r < end; r++)
        if (tp_job_rank_at(job, r)->own_ns > column.slowest->own_ns)
            column.slowest = tp_job_rank_at(job, r);
    return column;
}

/* Adds the label of a slow rank next to its column, unless an earlier label covers this place. labels_end: end of the
 * last label, percent. */
static void put_column_label(struct tp_object *object, const struct tp_job_wording *w, const struct column *column,
                             double x, double width, double *labels_end)
{
    static const double LABEL_PERCENT = 9;
    bool is_right = x > 100 - LABEL_PERCENT - 4;
    double start = is_right ? x - LABEL_PERCENT : x;
    if (start < *labels_end)
        return;
    *labels_end = start + LABEL_PERCENT + width;
    tp_chart_put_percent(object, "label_x", is_right ? x : x + width);
    tp_object_add_text(object, "anchor", is_right ? "end" : "start");
    tp_object_add_int(object, "dx", is_right ? -4 : 4);
    tp_object_add_formatted(object, "label", "%lld", (long long)column->slowest->number);
    tp_object_add_formatted(object, "label_more", ": +%s", tp_text_of_time(w->arena, column->slowest->excess_ns));
}

static const char *column_tip(const struct tp_job_wording *w, const struct column *column)
{
    const struct tp_job_rank *rank = column->slowest;
    const char *group = column->end - column->first > 1
                            ? tp_text_printf(w->arena, ", the slowest of %zu ranks", column->end - column->first)
                            : "";
    return tp_text_printf(w->arena, "%s%s: own work %s, communication and waiting %s", tp_job_rank_name(w->job, rank),
                          group, tp_text_of_time(w->arena, rank->own_ns),
                          tp_text_of_time(w->arena, rank->part_ns[TP_JOB_COMMUNICATION]));
}

static void put_column_ticks(struct tp_object *object, const struct tp_job *job)
{
    enum { TICKS = 4 };
    struct tp_list *ticks = tp_object_add_list(object, "ticks");
    for (size_t i = 0; i <= TICKS; i++) {
        size_t at = i == TICKS ? job->ranks.count - 1 : i * job->ranks.count / TICKS;
        struct tp_object *tick = tp_list_add_object(ticks);
        tp_chart_put_percent(tick, "x", i == TICKS ? 100 : 100 * (double)at / (double)job->ranks.count);
        tp_object_add_text(tick, "anchor", i == 0 ? "start" : i == TICKS ? "end" : "middle");
        tp_object_add_formatted(tick, "text", i ? "%lld" : "rank %lld", (long long)tp_job_rank_at(job, at)->number);
    }
}

static void put_columns(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    size_t ranks = job->ranks.count, per_column = (ranks + COLUMNS - 1) / COLUMNS;
    size_t count = (ranks + per_column - 1) / per_column;
    struct tp_object *object = tp_object_new(w->arena);
    struct tp_list *columns = tp_object_add_list(object, "columns");
    double pitch = 100 / (double)count, labels_end = -1;
    int64_t median_ns = median_own_ns(w);
    double longest = fmax(1, (double)median_ns * COLUMN_HEIGHT / (COLUMN_HEIGHT - LABEL_HEIGHT));
    for (size_t r = 0; r < ranks; r++)
        longest = fmax(longest, (double)tp_job_rank_at(job, r)->own_ns);
    for (size_t i = 0; i < count; i++) {
        struct column column =
            make_column(job, i * per_column, (i + 1) * per_column < ranks ? (i + 1) * per_column : ranks);
        struct tp_object *item = tp_list_add_object(columns);
        double height = fmax(1, COLUMN_HEIGHT * (double)column.slowest->own_ns / longest);
        bool is_marked = tp_job_is_first_cause(job, column.slowest);
        tp_chart_put_percent(item, "x", pitch * (double)i);
        tp_chart_put_percent(item, "w", pitch * (count > 200 ? 0.85 : 0.9));
        tp_object_add_formatted(item, "y", "%.1f", COLUMN_HEIGHT - height);
        tp_object_add_formatted(item, "h", "%.1f", height);
        tp_object_add_text(item, "look", is_marked ? "comm" : "gpu3");
        tp_object_add_text(item, "tip", column_tip(w, &column));
        if (is_marked)
            put_column_label(item, w, &column, pitch * (double)i, pitch, &labels_end);
    }
    put_column_ticks(object, job);
    double median_y = COLUMN_HEIGHT * (1 - (double)median_ns / longest);
    tp_object_add_formatted(object, "median_y", "%.1f", median_y);
    tp_object_add_formatted(object, "median_label_y", "%.1f", median_y - 4);
    tp_object_add_formatted(object, "median_label", "median: %s", tp_text_of_time(w->arena, median_ns));
    tp_object_add_int(object, "columns_height", COLUMN_HEIGHT);
    tp_object_add_text(
        object, "columns_caption",
        tp_text_printf(
            w->arena, "Own work per step of %zu ranks%s", ranks,
            per_column > 1 ? tp_text_printf(w->arena, "; each column is the slowest of %zu ranks", per_column) : ""));
    tp_document_add_chart(w->document, "rank_columns", tp_data_of_object(object), NULL);
}

void tp_job_put_picture(const struct tp_job_wording *w)
{
    put_bar(w);
    if (w->job->ranks.count > LANES)
        put_columns(w);
    else if (w->job->ranks.count > 1)
        put_lanes(w);
}
