/* The replay of a job in words: its causes as findings. See what_if.h for the numbers. */
#include <math.h>

#include "webreport/compare/job_parts.h"
#include "webreport/measure/wording.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 4, SHOWN_HOSTS = 4, RANKS_OF_HOST = 8 };

/* ---- the graph ---- */

void tp_job_replay_add(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary,
                       const uint32_t *labels)
{
    const struct tp_step_slots *slots = &summary->slots;
    uint32_t *kept = tp_arena_array(job->arena, slots->step_count, sizeof *kept);
    for (uint32_t s = 0; s < slots->step_count; s++)
        kept[s] = slots->steps[s] < summary->step_count ? labels[slots->steps[s]] : TP_NO_ID;
    rank->graph_rank = slots->slot_count && slots->step_count ? (uint32_t)job->graph.ranks.count : TP_NO_ID;
    tp_graph_add(&job->graph, &(struct tp_graph_source){.slots = slots,
                                                        .labels = kept,
                                                        .number = rank->number,
                                                        .host = slots->host,
                                                        .is_silent = *rank->damage != '\0'});
}

/* Where no trace tells its host, eight ranks in a row may be one: a set like others, that is told as its ranks. */
static void guess_hosts(struct tp_job *job)
{
    struct tp_graph *graph = &job->graph;
    if (graph->hosts.count || graph->ranks.count <= RANKS_OF_HOST || !job->has_numbers)
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
    tp_graph_finish(&job->graph);
    tp_what_if_build(&job->what_if, &job->graph);
    if (!job->what_if.why_not && job->graph.rank_count < job->ranks.count)
        job->what_if.why_not = "not all ranks have collectives";
    tp_what_if_trust(&job->what_if);
}

/* ---- words ---- */

static const enum tp_job_rule rules[TP_CAUSE_KINDS] = {
    [TP_CAUSE_COMPUTE] = TP_JOB_SLOW_COMPUTE, [TP_CAUSE_PAUSE] = TP_JOB_LATE_HOST,
    [TP_CAUSE_INPUT] = TP_JOB_SLOW_DATA,      [TP_CAUSE_HALF] = TP_JOB_HALF,
    [TP_CAUSE_LATE] = TP_JOB_LATE_SLOW,       [TP_CAUSE_MOVING] = TP_JOB_MOVING,
    [TP_CAUSE_PAUSES] = TP_JOB_PAUSES,        [TP_CAUSE_INPUTS] = TP_JOB_INPUTS,
    [TP_CAUSE_SEQUENCE] = TP_JOB_SEQUENCE,    [TP_CAUSE_STAGE] = TP_JOB_STAGE,
    [TP_CAUSE_LINK] = TP_JOB_SLOW_LINK,       [TP_CAUSE_ALL_LINKS] = TP_JOB_ALL_LINKS,
    [TP_CAUSE_UNEQUAL] = TP_JOB_IMBALANCE,    [TP_CAUSE_CHANGING] = TP_JOB_CHANGING_IMBALANCE};

static const char *const part_words[TP_SLOT_OWN] = {"computing", "in pauses of the host", "waiting for input"};
static const char *const part_nouns[TP_SLOT_OWN] = {"slow compute", "pauses", "late input"};
static const struct {
    const char *one, *many;
} verbs[TP_SLOT_OWN] = {{"computes slower than its peers", "compute slower than their peers"},
                        {"is held up by its host", "are held up by their hosts"},
                        {"waits for its input", "wait for their input"}};

static const char *time_of(const struct tp_job *job, double us)
{
    return tp_text_of_time(job->arena, us < 9e15 ? (int64_t)llround(us * 1000) : INT64_MAX);
}

static const char *percent_of(const struct tp_job *job, double percent)
{
    return tp_text_of_percent(job->arena, percent);
}

static void add_ranks(struct tp_rank_set *set, const struct tp_graph *graph, const uint32_t *ranks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tp_rank_set_add(set, tp_graph_rank_at(graph, ranks[i])->number);
}

static const char *ranks_text(const struct tp_job *job, const struct tp_rank_set *set)
{
    return tp_text_printf(job->arena, "%s %s", set->count == 1 ? "rank" : "ranks",
                          tp_rank_set_text(job->arena, set, SHOWN_RUNS));
}

static const char *host_text(const struct tp_job *job, uint32_t host)
{
    struct tp_str name = tp_strings_get(&job->graph.hosts, host);
    return tp_text_printf(job->arena, "%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr);
}

/* "host node3", "tp group 9", "pipeline stage 3", "rank 5", "ranks 3, 8". */
static const char *who(const struct tp_job *job, const struct tp_cause *cause, const struct tp_rank_set *set)
{
    switch (cause->place) {
    case TP_PLACE_HOST:
        return tp_str_starts(tp_strings_get(&job->graph.hosts, cause->where), "ranks ")
                   ? host_text(job, cause->where)
                   : tp_text_printf(job->arena, "host %s", host_text(job, cause->where));
    case TP_PLACE_GROUP:
        return tp_text_printf(job->arena, "%s group %u", tp_graph_family_at(&job->graph, cause->family)->name,
                              tp_graph_group_at(&job->graph, cause->where)->index);
    case TP_PLACE_STAGE:
        return tp_text_printf(job->arena, "pipeline stage %u", cause->where);
    default:
        return ranks_text(job, set);
    }
}

static const char *capital(const struct tp_job *job, const char *text)
{
    char *copy = tp_arena_copy(job->arena, text, strlen(text));
    if (copy[0] >= 'a' && copy[0] <= 'z')
        copy[0] = (char)(copy[0] - 32);
    return copy;
}

/* "links of dp groups 4-7" */
static const char *groups_text(const struct tp_job *job, const struct tp_cause *cause)
{
    struct tp_rank_set numbers;
    uint32_t *order = tp_arena_array(job->arena, cause->group_count, sizeof *order), count = 0;
    const struct tp_graph_family *family = tp_graph_family_at(&job->graph, cause->family);
    tp_rank_set_init(&numbers, job->arena);
    bool *is_in = tp_arena_array(job->arena, family->count, sizeof *is_in);
    for (uint32_t i = 0; i < cause->group_count; i++)
        is_in[tp_graph_group_at(&job->graph, cause->groups[i])->index] = true;
    for (uint32_t g = 0; g < family->count; g++)
        if (is_in[g])
            order[count++] = g;
    for (uint32_t i = 0; i < count; i++)
        tp_rank_set_add(&numbers, order[i]);
    return tp_text_printf(job->arena, "%s %s %s", family->name, count == 1 ? "group" : "groups",
                          tp_rank_set_text(job->arena, &numbers, SHOWN_RUNS));
}

/* Of a set of ranks, one part of their work. */
static void word_part(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    bool is_one = cause->place == TP_PLACE_HOST || cause->place == TP_PLACE_GROUP || cause->place == TP_PLACE_STAGE ||
                  finding->ranks.count == 1;
    const char *subject = who(job, cause, &finding->ranks);
    is_one = is_one && !tp_str_starts(tp_str_of(subject), "ranks");
    finding->told = tp_text_printf(job->arena, "%s of %s", part_nouns[cause->part], subject);
    finding->title = tp_text_printf(job->arena, "%s %s", capital(job, subject),
                                    is_one ? verbs[cause->part].one : verbs[cause->part].many);
    finding->detail = tp_text_printf(job->arena, "%s: %s per step more %s than is usual.%s",
                                     capital(job, ranks_text(job, &finding->ranks)), time_of(job, cause->excess_us),
                                     part_words[cause->part],
                                     cause->kind == TP_CAUSE_COMPUTE && finding->worst_rank != TP_NULL_INT
                                         ? tp_job_compute_detail(job, cause->ranks[0])
                                         : "");
}

static void word_half(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    finding->told = tp_text_printf(job->arena, "%u of %u ranks that are a slower level of their own", cause->rank_count,
                                   job->graph.rank_count);
    finding->title = tp_text_printf(job->arena, "%u of %u ranks are a slower level of their own", cause->rank_count,
                                    job->graph.rank_count);
    finding->detail =
        tp_text_printf(job->arena, "They are %s per step longer %s than the others, and no host, group or stage.",
                       time_of(job, cause->excess_us), part_words[cause->part]);
}

static const char *step_name(const struct tp_job *job, const struct tp_cause *cause)
{
    const struct tp_graph_rank *rank = tp_graph_rank_at(&job->graph, cause->ranks[0]);
    struct tp_str name = tp_strings_get(&job->labels, rank->labels[rank->step_index[cause->first_step]]);
    return tp_text_printf(job->arena, "%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr);
}

static void word_late(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    const char *subject = ranks_text(job, &finding->ranks);
    finding->told = tp_text_printf(job->arena, "%s from step %s on", subject, step_name(job, cause));
    finding->title = tp_text_printf(job->arena, "%s %s slow from step %s on", capital(job, subject),
                                    finding->ranks.count == 1 ? "is" : "are", step_name(job, cause));
    finding->detail =
        tp_text_printf(job->arena, "From then on %s per step more %s than is usual, in every step; before, none.",
                       time_of(job, cause->excess_us), part_words[cause->part]);
}

static void word_cells(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    static const char *const titles[TP_SLOT_OWN] = {"Kernels are slow now here, now there",
                                                    "The host stops now here, now there",
                                                    "Input is late now here, now there"};
    static const char *const told[TP_SLOT_OWN] = {"kernels that are slow now here, now there",
                                                  "pauses of the host, now here, now there",
                                                  "input that is late now and then"};
    double all = (double)job->graph.rank_count * job->graph.step_count;
    finding->told = told[cause->part];
    finding->title =
        tp_text_printf(job->arena, "%s: %u of %.0f rank-steps", titles[cause->part], cause->cell_count, all);
    finding->detail = tp_text_printf(
        job->arena, "%s in %u of %.0f rank-steps (%s), on %u ranks: %s to %s longer than is usual, mean %s.",
        cause->part == TP_SLOT_PAUSE    ? "Pauses (garbage collection, CPU taken away)"
        : cause->part == TP_SLOT_KERNEL ? "Slow kernels"
                                        : "Late input",
        cause->cell_count, all, percent_of(job, 100 * cause->cell_count / all), cause->rank_count,
        time_of(job, cause->least_us), time_of(job, cause->most_us), time_of(job, cause->excess_us));
}

static void word_sequence(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    const char *family = tp_graph_family_at(&job->graph, cause->family)->name;
    finding->told = "batches of unlike length";
    finding->title = tp_text_printf(job->arena, "Batches are of unlike length: work differs by %s from step to step",
                                    percent_of(job, 100 * cause->ratio));
    finding->detail = tp_text_printf(
        job->arena,
        "It is the same for all ranks of one place in their %s groups, so it is the replica's data, no device.",
        family);
}

static void word_stage(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    finding->told = tp_text_printf(job->arena, "the unequal pipeline stages, stage %u above all", cause->where);
    finding->title =
        tp_text_printf(job->arena, "Pipeline stage %u has %.2f times the work of a stage", cause->where, cause->ratio);
    finding->detail = tp_text_printf(job->arena, "It is %s; the cost is what stages of equal work would save.",
                                     ranks_text(job, &finding->ranks));
}

/* Hosts that all slow groups pass: where there is not one to blame, the few that may be. */
static const char *hosts_text(const struct tp_job *job, const struct tp_rank_set *ranks)
{
    const struct tp_graph *graph = &job->graph;
    bool *is_in = tp_arena_array(job->arena, graph->hosts.count, sizeof *is_in);
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        if (rank->host == TP_NO_ID || is_in[rank->host] || !tp_rank_set_has(ranks, rank->number))
            continue;
        is_in[rank->host] = true;
        if (++count <= SHOWN_HOSTS)
            text = tp_text_printf(job->arena, "%s%s%s", text, count == 1 ? "" : ", ", host_text(job, rank->host));
    }
    return count > SHOWN_HOSTS ? tp_text_printf(job->arena, "%u hosts", count) : text;
}

static void word_link(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    bool is_host = cause->place == TP_PLACE_HOST;
    const char *what = is_host ? who(job, cause, &finding->ranks) : groups_text(job, cause);
    const char *hosts = hosts_text(job, &finding->ranks);
    finding->told = tp_text_printf(job->arena, "the link of %s", what);
    finding->title = tp_text_printf(job->arena, "The link of %s is slow", what);
    finding->detail = tp_text_printf(
        job->arena, "%s: transfers take %.1f times as long as those of the other groups. %s %s%s%s.",
        capital(job, groups_text(job, cause)), cause->ratio,
        is_host ? "What they share, and no other group passes, is" : "They are",
        is_host ? what : ranks_text(job, &finding->ranks), !is_host && *hosts ? ", on " : "", is_host ? "" : hosts);
}

static void word_alike(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    const char *family = tp_graph_family_at(&job->graph, cause->family)->name;
    finding->told = tp_text_printf(job->arena, "communication in %s", family);
    finding->title = tp_text_printf(job->arena, "%s communication is %s of the job, all groups alike", family,
                                    percent_of(job, cause->alone));
    finding->detail = tp_text_printf(
        job->arena, "%u groups, %s each: nothing inside the job to compare them with, so nobody is blamed.",
        cause->group_count, time_of(job, cause->excess_us));
}

static void word_unequal(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    bool stays = cause->kind == TP_CAUSE_UNEQUAL;
    const char *ranks = ranks_text(job, &finding->ranks);
    finding->told = stays ? "work that is unequal" : "work that moves between ranks";
    finding->title = stays ? tp_text_printf(job->arena, "The work of %s is unequal", ranks)
                           : tp_text_printf(job->arena, "Work moves unequally between %s", ranks);
    finding->detail = tp_text_printf(job->arena, "In each step own work deviates by %s between comparable ranks; %s.",
                                     percent_of(job, 100 * cause->ratio),
                                     stays ? "most of it stays with the ranks" : "it is another rank each time");
}

static void (*const words[TP_CAUSE_KINDS])(const struct tp_job *, const struct tp_cause *, struct tp_job_finding *) = {
    [TP_CAUSE_COMPUTE] = word_part,    [TP_CAUSE_PAUSE] = word_part,       [TP_CAUSE_INPUT] = word_part,
    [TP_CAUSE_HALF] = word_half,       [TP_CAUSE_LATE] = word_late,        [TP_CAUSE_MOVING] = word_cells,
    [TP_CAUSE_PAUSES] = word_cells,    [TP_CAUSE_INPUTS] = word_cells,     [TP_CAUSE_SEQUENCE] = word_sequence,
    [TP_CAUSE_STAGE] = word_stage,     [TP_CAUSE_LINK] = word_link,        [TP_CAUSE_ALL_LINKS] = word_alike,
    [TP_CAUSE_UNEQUAL] = word_unequal, [TP_CAUSE_CHANGING] = word_unequal,
};

const char *tp_job_cause_text(const struct tp_job *job, const struct tp_cause *cause)
{
    struct tp_job_finding finding = {.worst_rank = TP_NULL_INT};
    tp_rank_set_init(&finding.ranks, job->arena);
    add_ranks(&finding.ranks, &job->graph, cause->ranks, cause->rank_count);
    words[cause->kind](job, cause, &finding);
    return finding.told;
}

/* ---- findings ---- */

/* Single ranks of one kind are one finding: their shares add up. */
static bool goes_with(const struct tp_cause *first, const struct tp_cause *other)
{
    return first == other ||
           (first->kind == other->kind && first->part == other->part && first->first_step == other->first_step &&
            first->place == TP_PLACE_RANK && other->place == TP_PLACE_RANK);
}

static int by_number(const void *context, uint32_t x, uint32_t y)
{
    (void)context;
    return (x > y) - (x < y);
}

/* A finding of the causes from `first` on that go with it. is_told: by cause. */
static void add_finding(struct tp_job *job, size_t first, bool *is_told)
{
    const struct tp_vec *causes = &job->what_if.causes;
    struct tp_cause all = *TP_AT(causes, struct tp_cause, first);
    uint32_t count = 0, *ranks = tp_arena_array(job->arena, job->graph.rank_count, sizeof *ranks);
    double alone = 0, saved = 0, share = 0, step_ns = job->what_if.step_us * 1000;
    for (size_t i = first; i < causes->count; i++) {
        const struct tp_cause *cause = TP_AT(causes, struct tp_cause, i);
        if (is_told[i] || !goes_with(TP_AT(causes, struct tp_cause, first), cause))
            continue;
        is_told[i] = true;
        alone = fmax(alone, cause->alone);
        saved = fmax(saved, cause->saved);
        share += cause->share;
        for (uint32_t r = 0; r < cause->rank_count && count < job->graph.rank_count; r++)
            ranks[count++] = cause->ranks[r];
    }
    tp_sort_rows(ranks, count, by_number, NULL, job->arena);
    double cost = all.kind == TP_CAUSE_ALL_LINKS ? alone : share;
    int64_t cost_ns = (int64_t)fmin(9e18, fmax(0, cost) / 100 * step_ns);
    struct tp_job_finding *finding = tp_job_new_finding(job, rules[all.kind], cost_ns, (int64_t)fmin(9e18, step_ns));
    add_ranks(&finding->ranks, &job->graph, ranks, count);
    if (all.place == TP_PLACE_RANK)
        finding->worst_rank = tp_graph_rank_at(&job->graph, all.ranks[0])->number;
    finding->alone = alone;
    finding->saved = fmax(saved, share);
    finding->share = share;
    words[all.kind](job, &all, finding);
}

void tp_job_replay_findings(struct tp_job *job)
{
    size_t count = job->what_if.causes.count;
    bool *is_told = tp_arena_array(job->arena, count, sizeof *is_told);
    for (size_t i = 0; i < count; i++)
        if (!is_told[i])
            add_finding(job, i, is_told);
}
