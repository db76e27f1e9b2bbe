/* Replays a job. Builds the graph of its steps, and makes findings from the causes of lost time. The numbers come
 * from what_if.h. */
#include <math.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/compare/replay/graph_build.h"
#include "webreport/compare/replay/what_if_build.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { RANKS_OF_HOST = 8 };

/* ---- the graph ---- */

void tp_job_replay_add_rank(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary,
                            const uint32_t *labels)
{
    const struct tp_step_slots *slots = &summary->slots;
    uint32_t *kept = tp_arena_array(job->arena, slots->step_count, sizeof *kept);
    rank->graph_rank = TP_NO_ID;
    if (*rank->damage) /* treats a damaged rank as missing, because its lengths and steps may be wrong */
        return;
    for (uint32_t s = 0; s < slots->step_count; s++)
        kept[s] = slots->steps[s] < summary->step_count ? labels[slots->steps[s]] : TP_NO_ID;
    rank->graph_rank = slots->slot_count && slots->step_count ? (uint32_t)job->graph.ranks.count : TP_NO_ID;
    tp_graph_add_rank(&job->graph, &(struct tp_graph_source){
                                       .slots = slots, .labels = kept, .number = rank->number, .host = slots->host});
}

/* Assigns hosts to ranks whose trace names no host: eight consecutive ranks form a host, which is named after its
 * ranks. */
static void guess_hosts(struct tp_job *job)
{
    struct tp_graph *graph = &job->graph;
    if (graph->hosts.count || graph->ranks.count <= RANKS_OF_HOST || !job->has_rank_numbers)
        return;
    for (size_t r = 0; r < graph->ranks.count; r++) {
        struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        long long first = rank->number / RANKS_OF_HOST * RANKS_OF_HOST;
        const char *name = tp_text_printf(job->arena, "ranks %lld-%lld", first, first + RANKS_OF_HOST - 1);
        rank->host = tp_strings_add(&graph->hosts, tp_str_of(name));
    }
}

void tp_job_replay_build(struct tp_job *job)
{
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (rank->graph_rank != TP_NO_ID)
            tp_graph_rank_at(&job->graph, rank->graph_rank)->kind = rank->cluster;
    }
    guess_hosts(job);
    job->graph.world_size = !job->has_rank_numbers ? -1 : job->world_size == TP_NULL_INT ? 0 : job->world_size;
    tp_graph_finish(&job->graph);
    tp_what_if_build(&job->what_if, &job->graph);
    if (!job->what_if.why_not && job->graph.rank_count < job->ranks.count - (size_t)job->damaged.count)
        job->what_if.why_not = "some ranks have no collectives";
    tp_what_if_reject_if_inexact(&job->what_if);
}

/* ---- findings ---- */

static const enum tp_job_rule rules[TP_CAUSE_KINDS] = {[TP_CAUSE_COMPUTE] = TP_JOB_SLOW_COMPUTE,
                                                       [TP_CAUSE_PAUSE] = TP_JOB_LATE_HOST,
                                                       [TP_CAUSE_INPUT] = TP_JOB_SLOW_DATA,
                                                       [TP_CAUSE_SLOW_LEVEL] = TP_JOB_SLOW_LEVEL,
                                                       [TP_CAUSE_BECOMES_SLOW] = TP_JOB_BECOMES_SLOW,
                                                       [TP_CAUSE_MOVING] = TP_JOB_MOVING,
                                                       [TP_CAUSE_PAUSES] = TP_JOB_PAUSES,
                                                       [TP_CAUSE_INPUTS] = TP_JOB_INPUTS,
                                                       [TP_CAUSE_SEQUENCE] = TP_JOB_SEQUENCE,
                                                       [TP_CAUSE_STAGE] = TP_JOB_STAGE,
                                                       [TP_CAUSE_LINK] = TP_JOB_SLOW_LINK,
                                                       [TP_CAUSE_ALL_LINKS] = TP_JOB_ALL_LINKS,
                                                       [TP_CAUSE_UNEQUAL] = TP_JOB_IMBALANCE,
                                                       [TP_CAUSE_CHANGING] = TP_JOB_CHANGING_IMBALANCE};

static void add_ranks(struct tp_rank_set *set, const struct tp_graph *graph, const uint32_t *ranks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tp_rank_set_add(set, tp_graph_rank_at(graph, ranks[i])->number);
}

const char *tp_job_cause_text(const struct tp_job *job, const struct tp_cause *cause)
{
    struct tp_job_finding finding = {.worst_rank = TP_NULL_INT};
    tp_rank_set_init(&finding.ranks, job->arena);
    add_ranks(&finding.ranks, &job->graph, cause->ranks, cause->rank_count);
    tp_job_write_cause_finding(job, cause, &finding);
    return finding.cause_name;
}

/* Returns whether two causes are reported in one finding. Causes of one kind that each have a single rank are joined,
 * and their shares add up. */
static bool belong_to_same_finding(const struct tp_cause *first, const struct tp_cause *other)
{
    return first == other ||
           (first->kind == other->kind && first->part == other->part && first->first_step == other->first_step &&
            first->place == TP_PLACE_RANK && other->place == TP_PLACE_RANK);
}

static int compare_by_number(const void *context, uint32_t x, uint32_t y)
{
    (void)context;
    return (x > y) - (x < y);
}

/* Adds a finding for the cause with index `first` and all causes that belong to it. has_finding: for each cause,
 * whether a finding already includes the cause. */
static void add_finding_of_cause(struct tp_job *job, size_t first, bool *has_finding)
{
    const struct tp_vec *causes = &job->what_if.causes;
    struct tp_cause all = *TP_AT(causes, struct tp_cause, first);
    uint32_t count = 0, *ranks = tp_arena_array(job->arena, job->graph.rank_count, sizeof *ranks);
    double alone = 0, saved = 0, share = 0, step_ns = job->what_if.step_us * 1000;
    for (size_t i = first; i < causes->count; i++) {
        const struct tp_cause *cause = TP_AT(causes, struct tp_cause, i);
        if (has_finding[i] || !belong_to_same_finding(TP_AT(causes, struct tp_cause, first), cause))
            continue;
        has_finding[i] = true;
        alone = fmax(alone, cause->alone);
        saved = fmax(saved, cause->saved);
        share += cause->share;
        for (uint32_t r = 0; r < cause->rank_count && count < job->graph.rank_count; r++)
            ranks[count++] = cause->ranks[r];
    }
    tp_sort_rows(ranks, count, compare_by_number, NULL, job->arena);
    double cost = all.kind == TP_CAUSE_ALL_LINKS ? alone : share;
    int64_t cost_ns = (int64_t)fmin(9e18, fmax(0, cost) / 100 * step_ns);
    struct tp_job_finding *finding = tp_job_new_finding(job, rules[all.kind], cost_ns, (int64_t)fmin(9e18, step_ns));
    add_ranks(&finding->ranks, &job->graph, ranks, count);
    if (all.place == TP_PLACE_RANK)
        finding->worst_rank = tp_graph_rank_at(&job->graph, all.ranks[0])->number;
    finding->alone = alone;
    finding->saved = fmax(saved, share);
    finding->share = share;
    all.alone = alone;
    tp_job_write_cause_finding(job, &all, finding);
}

void tp_job_replay_add_findings(struct tp_job *job)
{
    size_t count = job->what_if.causes.count;
    bool *has_finding = tp_arena_array(job->arena, count, sizeof *has_finding);
    for (size_t i = 0; i < count; i++)
        if (!has_finding[i])
            add_finding_of_cause(job, i, has_finding);
}

void tp_job_replay_add_steps(struct tp_job *job, const struct tp_graph_source *sources, uint32_t count,
                             const struct tp_strings *labels, const struct tp_distributed *view)
{
    job->labels = *labels;
    job->distributed = *view;
    job->has_distributed = true;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t graph_rank =
            sources[r].slots->slot_count && sources[r].slots->step_count ? (uint32_t)job->graph.ranks.count : TP_NO_ID;
        *(struct tp_job_rank *)tp_vec_push(&job->ranks) = (struct tp_job_rank){
            .key = {.rank = sources[r].number}, .number = sources[r].number, .damage = "", .graph_rank = graph_rank};
        tp_graph_add_rank(&job->graph, &sources[r]);
    }
    tp_job_replay_build(job);
    if (!job->what_if.why_not)
        tp_job_replay_add_findings(job);
    tp_job_link_rate_build(job);
    tp_job_sort_findings(job);
}
