/* Words the verdict of a job: which ranks or links cost most time, and what to do. See job_wording.h. */
#include <math.h>
#include <string.h>

#include "webreport/document/job/job_wording.h"
#include "webreport/document/words/answer_words.h"
#include "writer/base/buf.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* What a rule reports about its ranks, and what to do. {its}: "its" or "their". */
static const struct {
    const char *one, *many; /* verbs of the ranks; NULL: the headline names the lost time and its cause */
    const char *action;     /* "" for none */
} words[TP_JOB_RULES] = {
    [TP_JOB_SLOW_COMPUTE] = {"computes", "compute", "compare batches, clocks and temperature"},
    [TP_JOB_LATE_HOST] = {"is late on the CPU", "are late on the CPU", "check CPU load, pinning and swapping"},
    [TP_JOB_SLOW_DATA] = {"waits for input", "wait for input", "check storage and loader workers"},
    [TP_JOB_SLOW_LINK] = {NULL, NULL, "check network cards, cables and switch ports"},
    [TP_JOB_IMBALANCE] = {NULL, NULL, "balance the work"},
    [TP_JOB_CHANGING_IMBALANCE] = {NULL, NULL, "balance the work of each step"},
    [TP_JOB_SLOW_LEVEL] = {NULL, NULL, "check clocks and power limits"},
    [TP_JOB_BECOMES_SLOW] = {"becomes slower during the recording", "become slower during the recording",
                             "check temperature and clocks"},
    [TP_JOB_MOVING] = {NULL, NULL, "check what slows any device for a step"},
    [TP_JOB_PAUSES] = {NULL, NULL, "collect garbage on all ranks at the same step"},
    [TP_JOB_INPUTS] = {NULL, NULL, "use more loader workers"},
    [TP_JOB_SEQUENCE] = {NULL, NULL, "pack sequences by length"},
    [TP_JOB_STAGE] = {NULL, NULL, "move layers to other stages"},
    [TP_JOB_ALL_LINKS] = {NULL, NULL, "overlap communication with computation, or send less"},
    [TP_JOB_MISSING_RANKS] = {NULL, NULL, ""},
    [TP_JOB_DAMAGED_RANKS] = {NULL, NULL, ""},
};

enum tp_look tp_job_look_of_rule(enum tp_job_rule rule)
{
    return rule == TP_JOB_SLOW_LINK || rule == TP_JOB_ALL_LINKS ? TP_LOOK_COMM2 : TP_LOOK_COMM;
}

/* ---- subjects ---- */

const char *tp_job_few_ranks_text(const struct tp_rank_set *set, struct tp_arena *arena)
{
    enum { MOST = 3 };
    const char *text = "";
    int64_t done = 0;
    if (set->count > MOST || !set->count)
        return NULL;
    for (size_t i = 0; i < set->runs.count; i++) {
        const struct tp_rank_run *run = TP_AT(&set->runs, struct tp_rank_run, i);
        for (int64_t rank = run->first; rank <= run->last; rank++) {
            done++;
            text = tp_text_printf(arena, "%s%s%lld", text,
                                  done == 1            ? ""
                                  : done == set->count ? " and "
                                                       : ", ",
                                  (long long)rank);
        }
    }
    return text;
}

/* Returns the ranks of a finding as a subject, such as "Ranks 3, 88 and 173", "Host node5" or "12 ranks". */
static const char *subject_text(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    const char *few = tp_job_few_ranks_text(&finding->ranks, w->arena);
    const char *of = finding->cause_name ? strstr(finding->cause_name, " of ") : NULL;
    bool is_host = of && strncmp(of + 4, "host ", 5) == 0;
    if (is_host)
        return tp_text_printf(w->arena, "Host %s", of + 9);
    if (few)
        return tp_text_printf(w->arena, "%s %s", finding->ranks.count == 1 ? "Rank" : "Ranks", few);
    return tp_text_of_counted_noun(w->arena, finding->ranks.count, "rank", "ranks");
}

/* Returns the time that a rank of the graph computes in all its steps, us. */
static double compute_us(const struct tp_graph *graph, const struct tp_graph_rank *rank)
{
    double us = 0;
    size_t end = rank->first_cell + (size_t)rank->slot_count * rank->step_count;
    for (size_t cell = rank->first_cell; cell < end && cell < graph->cell_count; cell++)
        us += graph->own_us[cell * TP_SLOT_OWN + TP_SLOT_KERNEL];
    return us;
}

/* Returns the median time that ranks of a class compute, without the ranks of a finding, us; 0 without such ranks. */
static double usual_compute_us(const struct tp_job_wording *w, const struct tp_job_finding *finding, uint32_t class)
{
    const struct tp_graph *graph = &w->job->graph;
    double *us = tp_arena_array(w->arena, graph->rank_count + 1, sizeof *us);
    size_t count = 0;
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = TP_AT(&graph->ranks, struct tp_graph_rank, r);
        if (rank->class == class && !tp_rank_set_has(&finding->ranks, rank->number))
            us[count++] = compute_us(graph, rank);
    }
    return count ? tp_median(us, count) : 0;
}

/* Returns how much slower the worst rank of a finding computes than its peers, such as " 29 % slower"; " more slowly"
 * if unknown. The graph of the steps is the same in `report` of traces and of their summaries. */
static const char *slower_text(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    const struct tp_graph *graph = &w->job->graph;
    for (uint32_t r = 0; !w->job->what_if.why_not && r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = TP_AT(&graph->ranks, struct tp_graph_rank, r);
        if (rank->number != finding->worst_rank)
            continue;
        double usual = usual_compute_us(w, finding, rank->class);
        double percent = usual > 0 ? 100 * (compute_us(graph, rank) / usual - 1) : 0;
        return percent >= 1 ? tp_text_printf(w->arena, " %s %% slower", tp_text_of_fixed(w->arena, percent, 0))
                            : " more slowly";
    }
    return " more slowly";
}

/* ---- headlines ---- */

static void add_marked(struct tp_verdict_block *verdict, struct tp_buf *text, enum tp_job_rule rule, const char *cause)
{
    verdict->marks[verdict->mark_count++] =
        (struct tp_headline_mark){text->size, strlen(cause), tp_look_name(tp_job_look_of_rule(rule))};
    tp_buf_puts(text, cause);
}

/* Sets the headline on ranks that delay the others. */
static void put_slow_ranks(struct tp_verdict_block *verdict, const struct tp_job_wording *w,
                           const struct tp_job_finding *finding, struct tp_buf *text)
{
    const char *subject = subject_text(w, finding);
    bool is_one = finding->ranks.count == 1 || strncmp(subject, "Host ", 5) == 0;
    int64_t others = (int64_t)w->job->ranks.count - finding->ranks.count;
    const char *whom = others == 1 ? "rank" : tp_text_of_count(w->arena, others);
    const char *hold = others <= 0 ? ""
                       : is_one    ? tp_text_printf(w->arena, " and holds up the other %s", whom)
                                   : tp_text_printf(w->arena, " and hold up the other %s", whom);
    struct tp_str shown = tp_shown_text(&w->naming, tp_str_of(subject));
    tp_buf_printf(text, "%.*s ", (int)shown.len, shown.ptr);
    add_marked(verdict, text, finding->rule,
               tp_text_printf(w->arena, "%s%s%s", is_one ? words[finding->rule].one : words[finding->rule].many,
                              finding->rule == TP_JOB_SLOW_COMPUTE ? slower_text(w, finding) : "", hold));
}

/* Returns the replayed step, or the mean step if there is no valid replay, ns. */
static int64_t step_ns_of_job(const struct tp_job *job)
{
    double sum = 0, count = 0;
    if (!job->what_if.why_not)
        return (int64_t)llround(job->what_if.step_us * 1000);
    for (size_t r = 0; r < job->ranks.count; r++) {
        sum += (double)tp_job_rank_at(job, r)->step_ns;
        count += tp_job_rank_at(job, r)->step_count > 0;
    }
    return count > 0 ? (int64_t)llround(sum / count) : 0;
}

/* Sets the headline on time that each step loses. */
static void put_lost_time(struct tp_verdict_block *verdict, const struct tp_job_wording *w,
                          const struct tp_job_finding *finding, struct tp_buf *text)
{
    const char *time = tp_part_of_time_text(w->arena, finding->cost_ns, step_ns_of_job(w->job));
    struct tp_str cause = tp_shown_text(&w->naming, tp_str_of(finding->cause_name));
    tp_buf_printf(text, "%s of each step %s ", time, finding->rule == TP_JOB_ALL_LINKS ? "are" : "are lost to");
    add_marked(verdict, text, finding->rule, tp_text_printf(w->arena, "%.*s", (int)cause.len, cause.ptr));
}

/* Returns the sentences below the headline on a finding. */
static const char *finding_text(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    const struct tp_what_if *what_if = &w->job->what_if;
    const char *text = "", *all = "";
    if (finding->cost_ns == TP_NULL_INT)
        return finding->advice;
    if (what_if->why_not)
        return tp_text_printf(w->arena, "The cost is %s per step, which is %s of the step time.",
                              tp_text_of_time(w->arena, finding->cost_ns),
                              tp_text_of_percent(w->arena, 100 * finding->cost_ratio));
    int64_t step_ns = step_ns_of_job(w->job);
    text = finding->rule == TP_JOB_ALL_LINKS
               ? "No similar group shows whether this communication is slow."
               : tp_text_printf(w->arena, "A step takes %s.",
                                tp_time_instead_text(w->arena, step_ns, step_ns - finding->cost_ns));
    if (w->job->findings.count > 1)
        all = tp_text_printf(w->arena, " Without any delay, it would take %s.",
                             tp_text_of_time(w->arena, (int64_t)llround(what_if->ideal_us * 1000)));
    return tp_text_printf(w->arena, "%s%s", text, all);
}

static struct tp_verdict_block verdict_on_finding(const struct tp_job_wording *w, const struct tp_job_finding *finding)
{
    bool has_cost = finding->cost_ns != TP_NULL_INT;
    struct tp_verdict_block verdict = {.tone = has_cost ? TP_TONE_PLAIN : TP_TONE_UNSURE,
                                       .class = !has_cost                           ? "Incomplete"
                                                : finding->rule == TP_JOB_ALL_LINKS ? "Even"
                                                                                    : "Held up",
                                       .text = finding_text(w, finding)};
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (has_cost && words[finding->rule].one)
        put_slow_ranks(&verdict, w, finding, &text);
    else if (has_cost && finding->cause_name)
        put_lost_time(&verdict, w, finding, &text);
    else {
        struct tp_str statement = tp_shown_text(&w->naming, tp_str_of(finding->statement));
        tp_buf_printf(&text, "%.*s", (int)statement.len, statement.ptr);
    }
    tp_put_instruction(&text, NULL, words[finding->rule].action ? words[finding->rule].action : "");
    verdict.headline = tp_buf_move(&text, w->arena);
    return verdict;
}

struct tp_verdict_block tp_job_verdict(const struct tp_job_wording *w)
{
    const struct tp_job *job = w->job;
    const struct tp_what_if *what_if = &job->what_if;
    bool has_peers = job->clusters.count < job->ranks.count;
    if (job->findings.count)
        return verdict_on_finding(w, TP_AT(&job->findings, struct tp_job_finding, 0));
    if (!what_if->why_not)
        return (struct tp_verdict_block){
            .tone = TP_TONE_GOOD,
            .class = "Even",
            .headline =
                tp_text_printf(w->arena, "No rank delays the others: without random variation, a step would take %s.",
                               tp_time_instead_text(w->arena, (int64_t)llround(what_if->ideal_us * 1000),
                                                    (int64_t)llround(what_if->step_us * 1000))),
            .text = tp_text_printf(
                w->arena,
                "No rank, host, stage or link costs 0.5 %% of the step time or more. Random variation costs "
                "%s of the step time, because each step waits for the slowest of %u ranks.",
                tp_text_of_percent(w->arena, what_if->jitter), what_if->rank_count)};
    return has_peers ? (struct tp_verdict_block){.tone = TP_TONE_GOOD,
                                                 .class = "Even",
                                                 .headline = "No rank delays the others.",
                                                 .text = "The differences between ranks and between links are within "
                                                         "the usual variation."}
                     : (struct tp_verdict_block){
                           .tone = TP_TONE_UNSURE,
                           .class = "No peers",
                           .headline = "No two ranks do the same work, so no rank can be compared.",
                           .text = "tracepress compares a rank only with other ranks that do the same work."};
}
