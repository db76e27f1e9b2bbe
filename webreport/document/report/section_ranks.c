/* Makes the answer about several ranks of one recording: headline, bar by cause, and a lane for each rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/document/charts/causes.h"
#include "webreport/document/job/job_wording.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/words/answer_words.h"
#include "writer/base/buf.h"

enum { SHOWN_LANES = 8, LANE_HEIGHT = 20 };

/* Parts of a step in the columns of the overlap matrix. */
enum part { COMPUTATION, OVERLAP, COMMUNICATION, NEITHER };

struct ranks_answer {
    struct tp_document *document;
    const struct tp_naming *naming;
    const struct tp_distributed *view;
    struct tp_arena *arena;
    struct tp_straggler straggler; /* rank: TP_NO_ID if the ranks are not comparable */
    const char *cause;             /* label of the time that the headline names; NULL: all communication */
    double cause_ns;
    enum tp_look look;                         /* color of this time */
    double part_ns[TP_OVERLAP_PARTS], step_ns; /* means over the ranks */
};

static double part_of_rank_ns(const struct tp_distributed *view, uint32_t rank, unsigned part)
{
    double us = view->overlap.mean_us ? view->overlap.mean_us[(size_t)rank * view->overlap.part_count + part] : NAN;
    return isnan(us) ? 0 : us * 1000;
}

static void find_means(struct ranks_answer *a)
{
    for (unsigned part = 0; part < TP_OVERLAP_PARTS; part++) {
        for (uint32_t rank = 0; rank < a->view->rank_count; rank++)
            a->part_ns[part] += part_of_rank_ns(a->view, rank, part) / a->view->rank_count;
        a->step_ns += a->part_ns[part];
    }
}

/* Fills the part of the communication that the headline names: that of the first finding, or that of the straggler. */
static void find_cause(struct ranks_answer *a)
{
    const struct tp_job *job = a->view->job;
    const struct tp_job_finding *first =
        job && job->findings.count ? TP_AT(&job->findings, struct tp_job_finding, 0) : NULL;
    a->look = TP_LOOK_COMM;
    if (first && first->cost_ns != TP_NULL_INT) {
        a->cause = "Lost time";
        a->cause_ns = fmin((double)first->cost_ns, a->part_ns[COMMUNICATION]);
        a->look = tp_job_look_of_rule(first->rule);
    } else if (a->straggler.rank != TP_NO_ID) {
        struct tp_str name = tp_shown_text(a->naming, a->view->ranks[a->straggler.rank]->worker);
        a->cause = tp_text_printf(a->arena, "Waiting for %.*s", (int)name.len, name.ptr);
        a->cause_ns = fmin(a->straggler.wait_us * 1000, a->part_ns[COMMUNICATION]);
    }
}

/* ---- headline ---- */

static void add_marked(struct tp_verdict_block *verdict, struct tp_buf *text, const char *cause)
{
    verdict->marks[verdict->mark_count++] =
        (struct tp_headline_mark){text->size, strlen(cause), tp_look_name(TP_LOOK_COMM)};
    tp_buf_puts(text, cause);
}

static struct tp_verdict_block make_verdict(const struct ranks_answer *a)
{
    static const double LEAST_PERCENT = 2;
    struct tp_verdict_block verdict = {.tone = TP_TONE_PLAIN, .class = "", .text = ""};
    int64_t step_ns = llround(a->step_ns), communication_ns = llround(a->part_ns[COMMUNICATION]);
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (a->straggler.rank != TP_NO_ID) {
        struct tp_str name = tp_shown_text(a->naming, a->view->ranks[a->straggler.rank]->worker);
        uint32_t others = a->view->rank_count - 1;
        tp_buf_printf(&text, "%.*s ", (int)name.len, name.ptr);
        add_marked(
            &verdict, &text,
            tp_text_printf(a->arena, "holds up %s for %s",
                           others == 1 ? "the other rank" : tp_text_printf(a->arena, "the other %u ranks", others),
                           tp_part_of_time_text(a->arena, llround(a->straggler.wait_us * 1000),
                                                llround(a->straggler.step_us * 1000))));
        tp_buf_puts(&text, " of each step");
        tp_put_instruction(&text, NULL, "Check its host and device.");
    } else if (tp_percent(communication_ns, step_ns) >= LEAST_PERCENT) {
        add_marked(&verdict, &text,
                   tp_text_printf(a->arena, "%s of each step are communication",
                                  tp_part_of_time_text(a->arena, communication_ns, step_ns)));
        tp_buf_puts(&text, " without computation at the same time");
        tp_put_instruction(&text, NULL, "Overlap it, or send less.");
    } else {
        tp_buf_printf(&text, "No rank holds up the others, and communication takes %s of each step.",
                      tp_text_of_percent(a->arena, tp_percent(communication_ns, step_ns)));
    }
    verdict.headline = tp_buf_move(&text, a->arena);
    return verdict;
}

/* ---- charts ---- */

static size_t add_segment(struct tp_bar_segment *segments, size_t count, const char *label, double ns,
                          enum tp_look look)
{
    segments[count] = (struct tp_bar_segment){.label = label, .ns = (int64_t)ns, .look = look, .cause_ns = (int64_t)ns};
    return count + 1;
}

static void put_bar(const struct ranks_answer *a)
{
    struct tp_bar_segment segments[TP_OVERLAP_PARTS + 1];
    bool has_cause = a->cause && a->cause_ns >= 1;
    double rest = a->part_ns[COMMUNICATION] - (has_cause ? a->cause_ns : 0);
    size_t count = add_segment(segments, 0, "Computation", a->part_ns[COMPUTATION], TP_LOOK_GPU);
    count = add_segment(segments, count, "Computation and communication", a->part_ns[OVERLAP], TP_LOOK_GPU2);
    if (has_cause) {
        count = add_segment(segments, count, a->cause, a->cause_ns, a->look);
        segments[count - 1].is_avoidable = true;
    }
    count = add_segment(segments, count, has_cause ? "Other communication" : "Communication", rest,
                        has_cause ? TP_LOOK_COMM2 : TP_LOOK_COMM);
    segments[count - 1].is_avoidable = !has_cause && !a->view->job;
    count = add_segment(segments, count, "Other time", a->part_ns[NEITHER], TP_LOOK_NONE);
    tp_document_add_chart(a->document, "causes",
                          tp_chart_causes(a->arena,
                                          tp_text_printf(a->arena, "Where the %s of the mean rank's step go",
                                                         tp_text_of_time(a->arena, llround(a->step_ns))),
                                          "By cause", segments, count),
                          NULL);
}

struct ranked {
    double computation_ns;
    uint32_t rank;
};

static int compare_longest_first(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    return a->computation_ns != b->computation_ns
               ? (a->computation_ns < b->computation_ns) - (a->computation_ns > b->computation_ns)
               : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Returns the ranks: the straggler first, then those with most computation. */
static struct ranked *rank_by_computation(const struct ranks_answer *a)
{
    struct ranked *ranked = tp_arena_array(a->arena, a->view->rank_count + 1, sizeof *ranked);
    for (uint32_t r = 0; r < a->view->rank_count; r++)
        ranked[r] = (struct ranked){r == a->straggler.rank ? INFINITY
                                                           : part_of_rank_ns(a->view, r, COMPUTATION) +
                                                                 part_of_rank_ns(a->view, r, OVERLAP),
                                    r};
    qsort(ranked, a->view->rank_count, sizeof *ranked, compare_longest_first);
    return ranked;
}

static struct tp_strip_row make_lane(const struct ranks_answer *a, uint32_t rank)
{
    static const enum tp_look looks[TP_OVERLAP_PARTS] = {TP_LOOK_GPU, TP_LOOK_GPU2, TP_LOOK_COMM, TP_LOOK_NONE};
    struct tp_row_slice *slices = tp_arena_array(a->arena, TP_OVERLAP_PARTS, sizeof *slices);
    struct tp_str name = tp_shown_text(a->naming, a->view->ranks[rank]->worker);
    int64_t at = 0;
    for (unsigned part = 0; part < TP_OVERLAP_PARTS; part++) {
        int64_t ns = llround(part_of_rank_ns(a->view, rank, part));
        slices[part] = (struct tp_row_slice){at, at + ns, looks[part], {NULL, 0}};
        at += ns;
    }
    return (struct tp_strip_row){.label = tp_text_printf(a->arena, "%.*s", (int)name.len, name.ptr),
                                 .height = LANE_HEIGHT,
                                 .slices = slices,
                                 .count = TP_OVERLAP_PARTS};
}

static void put_lanes(const struct ranks_answer *a)
{
    struct ranked *ranked = rank_by_computation(a);
    struct tp_strip_row lanes[SHOWN_LANES];
    size_t count = a->view->rank_count < SHOWN_LANES ? a->view->rank_count : SHOWN_LANES;
    struct tp_list *list = tp_list_new(a->arena);
    struct tp_object *object = tp_list_add_object(list);
    int64_t longest_ns = 1;
    for (size_t i = 0; i < count; i++) {
        lanes[i] = make_lane(a, ranked[i].rank);
        int64_t ns = lanes[i].slices[TP_OVERLAP_PARTS - 1].b;
        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    const char *more =
        a->view->rank_count > count
            ? tp_text_printf(a->arena, " The table below has the other %s.",
                             tp_text_of_counted_noun(a->arena, (int64_t)(a->view->rank_count - count), "rank", "ranks"))
            : "";
    tp_chart_put_strip(object, a->arena,
                       &(struct tp_strip_chart){.caption = "The mean step of each rank",
                                                .end_ns = longest_ns,
                                                .lanes = lanes,
                                                .lane_count = count,
                                                .named_ns = INT64_MAX,
                                                .step = "",
                                                .note = tp_text_printf(a->arena,
                                                                       "Each lane is the mean step of a rank, the most "
                                                                       "computation first; the bar is their mean.%s",
                                                                       more)});
    tp_object_add_bool(object, "is_wide", true);
    tp_document_add_chart(a->document, "strips", tp_data_of_list(list), NULL);
}

uint32_t tp_ranks_slowest(const struct tp_naming *naming, const struct tp_distributed *view)
{
    struct ranks_answer a = {.naming = naming, .view = view, .arena = naming->arena, .straggler = {.rank = TP_NO_ID}};
    if (view->is_comparable && !view->job)
        tp_straggler_find(&a.straggler, view);
    return rank_by_computation(&a)[0].rank;
}

void tp_ranks_document(struct tp_document *document, const struct tp_naming *naming, const struct tp_distributed *view,
                       const struct tp_findings_block *findings)
{
    struct ranks_answer a = {
        .document = document, .naming = naming, .view = view, .arena = naming->arena, .straggler = {.rank = TP_NO_ID}};
    const struct tp_job_wording job = {.document = document, .job = view->job, .naming = *naming, .arena = a.arena};
    tp_document_init(document, "Ranks", a.arena);
    tp_document_add_title(document,
                          &(struct tp_title_block){tp_text_of_counted_noun(a.arena, view->rank_count, "rank", "ranks"),
                                                   "ranks", "Ranks"});
    if (view->is_comparable && !view->job)
        tp_straggler_find(&a.straggler, view);
    find_means(&a);
    find_cause(&a);
    struct tp_verdict_block verdict = view->job ? tp_job_verdict(&job) : make_verdict(&a);
    tp_document_add_verdict(document, &verdict);
    put_bar(&a);
    put_lanes(&a);
    if (view->job)
        tp_job_put_findings(&job);
    else if (findings)
        tp_document_add_findings(document, findings);
}
