/* Finds the causes of a job's lost time and writes their findings, costliest first. See job.h. */
#include <math.h>
#include <stdio.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/compare/job/rank_words.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/ranks/link_rate.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 4 };
/* UNEQUAL: smallest reported ratio of standard deviation to mean. LASTING: share of that deviation that must persist
 * (half of the variance). LEAST_LINK_SHARE: smallest reported share of the step */
static const double UNEQUAL = 0.05, LASTING = 0.7, LEAST_LINK_SHARE = 0.01;

/* advice for each rule; NULL if the advice depends on the producer */
static const char *const advice[TP_JOB_RULES] = {
    [TP_JOB_SLOW_COMPUTE] = "Compare the batches of the ranks first, because a larger batch looks like a slow device. "
                            "Then check the clocks, temperature and ECC errors of the slow device, and whether "
                            "another process uses the device.",
    [TP_JOB_SLOW_LINK] = "Check the network cards, cables and switch ports of these ranks, and the topology of the "
                         "process group.",
    [TP_JOB_IMBALANCE] = "Balance the work. Use equal shards, pack sequences by length, and spread layers and experts "
                         "evenly.",
    [TP_JOB_CHANGING_IMBALANCE] = "Group samples of similar length, balance experts, and limit the work of one step, "
                                  "because batches differ from rank to rank.",
    [TP_JOB_MISSING_RANKS] = "Add the summaries of the missing ranks, because the others may wait for a missing rank.",
    [TP_JOB_SLOW_LEVEL] =
        "Compare the boards, clocks, drivers and cooling of these ranks with those of the other ranks. Check for "
        "another job on the same machines.",
    [TP_JOB_BECOMES_SLOW] =
        "Check the temperature, clocks, power caps and ECC errors of the device, because the rank became slow while "
        "the job ran. Also check for programs that started on the host.",
    [TP_JOB_MOVING] = "Check for causes that can slow any device for a step, because a different rank is slow each "
                      "time. Examples are power caps of a rack, a service on all hosts, and kernels whose length "
                      "depends on the data.",
    [TP_JOB_PAUSES] = "Collect garbage on all ranks at the same step (gc.disable, then gc.collect every N steps), and "
                      "keep other programs off the CPU cores of the training.",
    [TP_JOB_INPUTS] = "Prefetch more batches, and check the storage from which the slow batches come.",
    [TP_JOB_SEQUENCE] = "Pack sequences by length, or give each replica batches of equal cost.",
    [TP_JOB_STAGE] = "Move layers from the slowest stage to other stages, because all stages wait for the slowest one.",
    [TP_JOB_ALL_LINKS] = "Compare the bus rate with the rate that the link should reach, or with an earlier run. "
                         "Overlap communication with computation, or send less.",
    [TP_JOB_DAMAGED_RANKS] =
        "Copy or record these traces again. Until then, the report does not call these ranks slow or unequal.",
};

const char *tp_job_rank_name(const struct tp_job *job, const struct tp_job_rank *rank)
{
    struct tp_str worker = rank->key.worker;
    size_t size = worker.len < 200 ? worker.len : 200;
    char *text = tp_arena_alloc(job->arena, size + 32);
    if (rank->key.rank != TP_NULL_INT)
        snprintf(text, size + 32, "rank %lld", (long long)rank->key.rank);
    else
        snprintf(text, size + 32, "%.*s", (int)size, worker.ptr);
    return text;
}

static const char *duration_text(const struct tp_job *job, int64_t ns)
{
    return tp_text_of_time(job->arena, ns);
}

static const char *share_text(const struct tp_job *job, int64_t part, int64_t whole)
{
    return tp_text_of_percent(job->arena, tp_percent(part, whole));
}

/* Returns a text such as "rank 5" or "ranks 5, 9, 12", or the worker's name. */
static const char *ranks_text(const struct tp_job *job, const struct tp_rank_set *ranks, uint32_t any)
{
    if (ranks->count == 1)
        return tp_job_rank_name(job, tp_job_rank_at(job, any));
    return tp_text_printf(job->arena, "%s %s", job->has_rank_numbers ? "ranks" : "ranks at positions",
                          tp_rank_set_text(job->arena, ranks, SHOWN_RUNS));
}

static const char *capitalize(const struct tp_job *job, const char *text)
{
    char *copy = tp_arena_copy(job->arena, text, strlen(text));
    if (strncmp(copy, "rank", 4) == 0)
        copy[0] = 'R';
    return copy;
}

/* ---- stragglers ---- */

/* Returns the rule for the part of the step in which the rank has the largest excess. */
static enum tp_job_rule straggler_rule(const struct tp_job_rank *rank)
{
    const int64_t *excess = rank->part_excess_ns;
    if (excess[TP_JOB_COMPUTE] >= excess[TP_JOB_HOST] && excess[TP_JOB_COMPUTE] >= excess[TP_JOB_DATA])
        return TP_JOB_SLOW_COMPUTE;
    return excess[TP_JOB_DATA] >= excess[TP_JOB_HOST] ? TP_JOB_SLOW_DATA : TP_JOB_LATE_HOST;
}

/* Returns a text on why compute is slow: the kernels take longer per call, or there are more calls. */
const char *tp_job_slow_compute_text(const struct tp_job *job, uint32_t worst)
{
    struct tp_job_excess *rows;
    uint32_t count = tp_job_find_excess_rows(job, worst, &rows);
    bool is_gpu = tp_job_rank_at(job, worst)->is_gpu;
    double own = 0, peers = 0, calls = 0, peer_calls = 0;
    const struct tp_job_excess *top = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].kind != (is_gpu ? TP_SUMMARY_KERNEL : TP_SUMMARY_OPERATOR_HOST) ||
            tp_job_is_communication(tp_strings_get(&job->texts, rows[i].name)))
            continue;
        own += (double)rows[i].time_ns;
        peers += (double)rows[i].peer_time_ns;
        calls += rows[i].count;
        peer_calls += rows[i].peer_count;
        top = top ? top : &rows[i];
    }
    if (!(peers > 0) || !(peer_calls > 0) || !top)
        return "";
    struct tp_str name = tp_strings_get(&job->texts, top->name);
    const char *what = is_gpu ? "kernels" : "operators";
    const char *most = tp_text_printf(job->arena, "The largest difference is %s per step in %.*s.",
                                      duration_text(job, tp_sat_sub(top->time_ns, top->peer_time_ns)),
                                      (int)(name.len < 80 ? name.len : 80), name.ptr);
    if (calls > 1.03 * peer_calls && calls / peer_calls > sqrt(own / peers))
        return tp_text_printf(job->arena, " The rank has more work, because it runs %.2f times as many long %s. %s",
                              calls / peer_calls, what, most);
    return tp_text_printf(job->arena, " The same %s take %.2f times as long as on comparable ranks. %s", what,
                          own / peers, most);
}

static const char *late_arrivals_text(const struct tp_job *job, const struct tp_job_rank *rank)
{
    if (!rank->aligning_call_count || !rank->last_arrival_count)
        return "";
    return tp_text_printf(
        job->arena, " The rank arrives last at %s of %s. The other ranks wait %s per step for this rank.",
        share_text(job, rank->last_arrival_count, rank->aligning_call_count),
        tp_text_of_counted_noun(job->arena, rank->aligning_call_count, "blocking collective", "blocking collectives"),
        duration_text(job, rank->caused_wait_ns));
}

static const char *advice_text(const struct tp_job *job, enum tp_job_rule rule)
{
    return rule == TP_JOB_LATE_HOST   ? tp_phrase(TP_PHRASE_LATE_HOST, job->producer)
           : rule == TP_JOB_SLOW_DATA ? tp_phrase(TP_PHRASE_SLOW_INPUT, job->producer)
                                      : advice[rule];
}

struct tp_job_finding *tp_job_new_finding(struct tp_job *job, enum tp_job_rule rule, int64_t cost_ns, int64_t step_ns)
{
    struct tp_job_finding *finding = tp_vec_push(&job->findings);
    *finding = (struct tp_job_finding){
        .rule = rule,
        .advice = advice_text(job, rule),
        .detail = "",
        .worst_rank = TP_NULL_INT,
        .cost_ns = cost_ns,
        .cost_ratio = cost_ns == TP_NULL_INT || step_ns <= 0 ? NAN : (double)cost_ns / (double)step_ns,
        .alone = NAN,
        .saved = NAN,
        .share = NAN};
    tp_rank_set_init(&finding->ranks, job->arena);
    return finding;
}

static const struct {
    const char *one, *many;
} straggler_statements[] = {
    [TP_JOB_SLOW_COMPUTE] = {"computes more slowly than its peers", "compute more slowly than their peers"},
    [TP_JOB_LATE_HOST] = {"is delayed by its CPU", "are delayed by their CPUs"},
    [TP_JOB_SLOW_DATA] = {"waits for its input", "wait for their input"},
};
static const char *const part_words[] = {
    [TP_JOB_SLOW_COMPUTE] = "computing", [TP_JOB_LATE_HOST] = "on the CPU", [TP_JOB_SLOW_DATA] = "loading data"};
static const enum tp_job_part part_of_rule[] = {
    [TP_JOB_SLOW_COMPUTE] = TP_JOB_COMPUTE, [TP_JOB_LATE_HOST] = TP_JOB_HOST, [TP_JOB_SLOW_DATA] = TP_JOB_DATA};

static const unsigned slot_of_rule[] = {
    [TP_JOB_SLOW_COMPUTE] = TP_SLOT_KERNEL, [TP_JOB_LATE_HOST] = TP_SLOT_PAUSE, [TP_JOB_SLOW_DATA] = TP_SLOT_INPUT};

/* Adds one finding for all stragglers to which the rule applies. */
static void add_straggler_findings(struct tp_job *job, enum tp_job_rule rule)
{
    struct tp_rank_set ranks;
    uint32_t worst = TP_NO_ID;
    tp_rank_set_init(&ranks, job->arena);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (!tp_job_is_straggler(job, rank) || straggler_rule(rank) != rule)
            continue;
        tp_rank_set_add(&ranks, rank->number);
        if (worst == TP_NO_ID || rank->excess_ns > tp_job_rank_at(job, worst)->excess_ns)
            worst = r;
    }
    if (worst == TP_NO_ID)
        return;
    const struct tp_job_rank *rank = tp_job_rank_at(job, worst);
    const struct tp_job_cluster *cluster = tp_job_cluster_at(job, rank->cluster);
    const char *name = tp_job_rank_name(job, rank);
    struct tp_job_finding *finding = tp_job_new_finding(job, rule, rank->excess_ns, cluster->step_ns);
    finding->ranks = ranks;
    finding->worst_rank = rank->number;
    const char *who = ranks_text(job, &ranks, worst);
    finding->title = tp_job_title_of_slow_ranks(job, slot_of_rule[rule], who, ranks.count == 1);
    finding->statement =
        tp_text_printf(job->arena, "%s %s", capitalize(job, who),
                       ranks.count == 1 ? straggler_statements[rule].one : straggler_statements[rule].many);
    finding->detail = tp_text_printf(
        job->arena,
        "%sWithout exposed communication, a step of %s takes %s longer than the median of %s (%s of the step time). "
        "Of this time, %s is spent %s. %s is slower in %s of %s.%s%s",
        ranks.count == 1 ? "" : tp_text_printf(job->arena, "The slowest of these ranks is %s. ", name), name,
        duration_text(job, rank->excess_ns),
        tp_text_of_counted_noun(job->arena, cluster->rank_count - 1, "comparable rank", "comparable ranks"),
        share_text(job, rank->excess_ns, cluster->step_ns),
        duration_text(job, rank->part_excess_ns[part_of_rule[rule]]), part_words[rule], capitalize(job, name),
        tp_text_of_percent(job->arena, 100 * rank->late_step_ratio),
        tp_text_of_counted_noun(job->arena, rank->compared_step_count, "step", "steps"),
        rule == TP_JOB_SLOW_COMPUTE ? tp_job_slow_compute_text(job, worst) : "", late_arrivals_text(job, rank));
}

/* ---- imbalance ---- */

/* Returns whether the cluster has a damaged rank. The imbalance of such a cluster is not reported. */
static bool has_damaged_rank(const struct tp_job *job, const struct tp_job_cluster *cluster)
{
    for (uint32_t r = 0; r < job->ranks.count && job->damaged.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (*rank->damage && tp_rank_set_has(&cluster->ranks, rank->number))
            return true;
    }
    return false;
}

static void add_imbalance_finding(struct tp_job *job, const struct tp_job_cluster *cluster)
{
    if (cluster->rank_count < 3 || cluster->step_spread_ratio <= UNEQUAL || has_damaged_rank(job, cluster))
        return;
    bool stays = cluster->spread_ratio > LASTING * cluster->step_spread_ratio;
    const struct tp_job_rank *slowest = tp_job_rank_at(job, cluster->slowest);
    struct tp_job_finding *finding = tp_job_new_finding(job, stays ? TP_JOB_IMBALANCE : TP_JOB_CHANGING_IMBALANCE,
                                                        cluster->imbalance_ns, cluster->step_ns);
    const char *who = tp_rank_set_text(job->arena, &cluster->ranks, SHOWN_RUNS);
    const char *spread = tp_text_of_percent(job->arena, 100 * cluster->step_spread_ratio);
    finding->ranks = cluster->ranks;
    finding->title = tp_job_title_of_unequal_ranks(job, tp_text_printf(job->arena, "ranks %s", who), stays);
    finding->statement = tp_text_printf(job->arena,
                                        stays ? "Ranks %s have unequal work"
                                              : "The rank with the most work changes from step to step among ranks %s",
                                        who);
    if (stays) {
        finding->worst_rank = slowest->number;
        finding->detail = tp_text_printf(
            job->arena,
            "In each step, the work of comparable ranks outside of exposed communication has a standard deviation of "
            "%s of the mean. On average, the slowest rank takes %s more than the mean. %s has the most work, %s per "
            "step compared with a median of %s.",
            spread, duration_text(job, cluster->imbalance_ns), capitalize(job, tp_job_rank_name(job, slowest)),
            duration_text(job, slowest->own_ns), duration_text(job, cluster->own_ns));
    } else {
        finding->detail = tp_text_printf(
            job->arena,
            "In each step, the work of comparable ranks outside of exposed communication has a standard deviation of "
            "%s of the mean. On average, the slowest rank takes %s more than the mean. Over all steps, the ranks "
            "differ by only %s of the mean, so a different rank is slowest each time.",
            spread, duration_text(job, cluster->imbalance_ns),
            tp_text_of_percent(job->arena, 100 * cluster->spread_ratio));
    }
}

/* ---- links ---- */

static void add_set_of_ranks(struct tp_rank_set *into, const struct tp_rank_set *more, struct tp_arena *arena)
{
    struct tp_rank_set both;
    const struct tp_rank_run *x = into->runs.data, *y = more->runs.data;
    size_t i = 0, k = 0;
    tp_rank_set_init(&both, arena);
    while (i < into->runs.count || k < more->runs.count) {
        bool takes_first = k == more->runs.count || (i < into->runs.count && x[i].first <= y[k].first);
        const struct tp_rank_run *run = takes_first ? &x[i++] : &y[k++];
        tp_rank_set_add_range(&both, run->first, run->last);
    }
    *into = both;
}

/* Returns the only rank that is in all slow groups, or TP_NULL_INT. */
static int64_t find_rank_in_all_slow_groups(const struct tp_job *job, const struct tp_job_link *links, size_t count)
{
    const struct tp_rank_set *first = &tp_job_group_at(job, links[0].group)->ranks;
    int64_t found = TP_NULL_INT;
    bool are_several = false;
    for (size_t l = 1; l < count; l++)
        are_several |= links[l].group != links[0].group;
    for (size_t i = 0; i < first->runs.count && are_several; i++) {
        const struct tp_rank_run *run = TP_AT(&first->runs, struct tp_rank_run, i);
        for (int64_t rank = run->first; rank <= run->last; rank++) {
            size_t l = 1;
            while (l < count && tp_rank_set_has(&tp_job_group_at(job, links[l].group)->ranks, rank))
                l++;
            if (l < count)
                continue;
            if (found != TP_NULL_INT)
                return TP_NULL_INT;
            found = rank;
        }
    }
    return found;
}

static void add_slow_link_findings(struct tp_job *job)
{
    const struct tp_job_link *links = job->links.data;
    size_t count = 0;
    struct tp_rank_set ranks;
    int64_t lost = 0;
    tp_rank_set_init(&ranks, job->arena);
    for (; count < job->links.count && links[count].is_slow; count++) {
        add_set_of_ranks(&ranks, &tp_job_group_at(job, links[count].group)->ranks, job->arena);
        lost = tp_sat_add(lost, links[count].group == links[0].group ? links[count].lost_ns : 0);
    }
    if (!count)
        return;
    const struct tp_job_link *link = &links[0];
    const struct tp_job_group *group = tp_job_group_at(job, link->group);
    int64_t step_ns = tp_job_rank_at(job, group->first_rank_index)->step_ns;
    if ((double)lost < LEAST_LINK_SHARE * (double)step_ns)
        return;
    struct tp_job_finding *finding = tp_job_new_finding(job, TP_JOB_SLOW_LINK, lost, step_ns);
    int64_t shared = find_rank_in_all_slow_groups(job, links, count);
    struct tp_str name = tp_strings_get(&job->texts, group->name);
    finding->ranks = ranks;
    finding->worst_rank = shared;
    const char *link_name = shared != TP_NULL_INT
                                ? tp_text_printf(job->arena, "link of rank %lld", (long long)shared)
                                : tp_text_printf(job->arena, "link between ranks %s",
                                                 tp_rank_set_text(job->arena, &group->ranks, SHOWN_RUNS));
    finding->title = tp_text_printf(job->arena, "Check the %s: it is slow", link_name);
    finding->statement = tp_text_printf(job->arena, "The %s is slow", link_name);
    finding->detail = tp_text_printf(job->arena,
                                     "In process group %.*s, %s of %s runs at %.1f GB/s on the bus. %u groups with the "
                                     "same layout reach %.1f GB/s. The slow link costs %s per step.",
                                     (int)(name.len < 80 ? name.len : 80), name.ptr, link->collective,
                                     tp_text_of_bytes(job->arena, link->bytes), link->bandwidth / 1e9, link->peers,
                                     link->peer_bandwidth_bytes_per_s / 1e9, duration_text(job, lost));
}

/* Compares the rate of all ranks' collectives with the data sheet of their link. If the replay has a finding about
 * all links, extends that finding; otherwise adds a new one. */
void tp_job_link_rate_build(struct tp_job *job)
{
    struct tp_link_rate rate;
    struct tp_job_finding *finding = NULL;
    if (!job->has_distributed || job->distributed.rank_count < job->ranks.count)
        return;
    tp_link_rate_find(&rate, &job->distributed, job->arena);
    if (!rate.is_slow)
        return;
    for (size_t i = 0; i < job->findings.count && !finding; i++) {
        struct tp_job_finding *other = TP_AT(&job->findings, struct tp_job_finding, i);
        if (other->rule == TP_JOB_ALL_LINKS && other->ranks.count == (int64_t)job->ranks.count)
            finding = other;
    }
    int64_t cost_ns = (int64_t)fmin(9e18, rate.lost_us * 1000), step_ns = (int64_t)fmin(9e18, rate.step_us * 1000);
    if (!finding) {
        finding = tp_job_new_finding(job, TP_JOB_ALL_LINKS, cost_ns, step_ns);
        for (uint32_t r = 0; r < job->ranks.count; r++)
            tp_rank_set_add(&finding->ranks, tp_job_rank_at(job, r)->number);
    }
    /* includes only the cost relative to the rate in the data sheet, not the cost of all communication */
    finding->cost_ns = cost_ns;
    finding->cost_ratio = step_ns > 0 ? (double)cost_ns / (double)step_ns : 0;
    finding->cause_name = NULL;
    finding->alternative_title = NULL;
    finding->title = "Check the links of all ranks: collectives reach less than half their rate";
    finding->statement = "Collectives of all ranks reach less than half of the rate of the link";
    finding->advice = tp_link_rate_advice();
    finding->detail = tp_text_printf(job->arena, "%s%s%s.", finding->detail, *finding->detail ? " " : "",
                                     tp_link_rate_text(&rate, job->arena));
}

/* ---- missing ranks ---- */

static void add_missing_ranks_finding(struct tp_job *job)
{
    if (!job->missing.count)
        return;
    struct tp_job_finding *finding = tp_job_new_finding(job, TP_JOB_MISSING_RANKS, TP_NULL_INT, 0);
    finding->ranks = job->missing;
    finding->title = tp_text_printf(job->arena, "Add the missing %s of %lld of %lld ranks",
                                    job->missing.count == 1 ? "summary" : "summaries", (long long)job->missing.count,
                                    (long long)job->world_size);
    finding->statement = tp_text_printf(job->arena, "%lld of %lld ranks %s missing", (long long)job->missing.count,
                                        (long long)job->world_size, job->missing.count == 1 ? "is" : "are");
    finding->detail =
        tp_text_printf(job->arena, "No summary of %s %s was given.", job->missing.count == 1 ? "rank" : "ranks",
                       tp_rank_set_text(job->arena, &job->missing, SHOWN_RUNS));
}

static void add_damaged_ranks_finding(struct tp_job *job)
{
    const char *first = "";
    for (uint32_t r = 0; r < job->ranks.count && !*first; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (*rank->damage)
            first = tp_text_printf(job->arena, "%s: %s.", tp_job_rank_name(job, rank), rank->damage);
    }
    if (!*first)
        return;
    struct tp_job_finding *finding = tp_job_new_finding(job, TP_JOB_DAMAGED_RANKS, TP_NULL_INT, 0);
    finding->ranks = job->damaged;
    finding->title = job->damaged.count == 1
                         ? "Record 1 rank again: its trace is damaged"
                         : tp_text_printf(job->arena, "Record %lld ranks again: their traces are damaged",
                                          (long long)job->damaged.count);
    finding->statement = job->damaged.count == 1 ? "The trace of 1 rank is damaged"
                                                 : tp_text_printf(job->arena, "The traces of %lld ranks are damaged",
                                                                  (long long)job->damaged.count);
    finding->detail = capitalize(job, first);
}

/* Returns the weight by which findings are sorted, ns. Communication costs time in every job. Without a data sheet, a
 * finding about all links therefore gets only a fifth of its cost as weight, so that findings about single ranks come
 * first. */
static int64_t finding_cost_ns(const struct tp_job_finding *finding)
{
    const int64_t healthy = 5;
    bool informs = finding->rule == TP_JOB_ALL_LINKS && finding->cause_name;
    return finding->cost_ns == TP_NULL_INT || !informs ? finding->cost_ns : finding->cost_ns / healthy;
}

static int compare_costliest_first(const void *x, const void *y, const void *context)
{
    const struct tp_job_finding *a = x, *b = y;
    int64_t p = finding_cost_ns(a), q = finding_cost_ns(b);
    (void)context;
    if (p != q)
        return (p < q) - (p > q);
    return (a->rule > b->rule) - (a->rule < b->rule);
}

void tp_job_sort_findings(struct tp_job *job)
{
    tp_merge_sort(job->arena, job->findings.data, job->findings.count, sizeof(struct tp_job_finding),
                  compare_costliest_first, NULL);
}

void tp_job_causes_build(struct tp_job *job)
{
    if (job->what_if.why_not) { /* adds these causes only if no valid replay has already reported them */
        for (enum tp_job_rule rule = TP_JOB_SLOW_COMPUTE; rule <= TP_JOB_SLOW_DATA; rule++)
            add_straggler_findings(job, rule);
        for (size_t c = 0; c < job->clusters.count; c++)
            add_imbalance_finding(job, tp_job_cluster_at(job, c));
        add_slow_link_findings(job);
    }
    tp_job_link_rate_build(job);
    add_missing_ranks_finding(job);
    add_damaged_ranks_finding(job);
    tp_job_sort_findings(job);
}
