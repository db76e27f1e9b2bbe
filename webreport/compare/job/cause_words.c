/* Writes the name, title and detail of each cause of a job's lost time. The numbers come from what_if.h. */
#include <math.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/measure/audience/wording.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 4, SHOWN_HOSTS = 4 };

static const char *const part_words[TP_SLOT_OWN] = {
    "the compute time", "the time without compute, input or communication", "the waiting time for input"};
static const char *const part_nouns[TP_SLOT_OWN] = {"slow compute", "delays on the CPU", "late input"};
static const struct {
    const char *one, *many;
} verbs[TP_SLOT_OWN] = {{"computes more slowly than its peers", "compute more slowly than their peers"},
                        {"is delayed by its CPU", "are delayed by their CPUs"},
                        {"waits for its input", "wait for their input"}};

static const enum tp_job_rule rule_of_part[TP_SLOT_OWN] = {TP_JOB_SLOW_COMPUTE, TP_JOB_LATE_HOST, TP_JOB_SLOW_DATA};

static const char *text_of_time(const struct tp_job *job, double us)
{
    return tp_text_of_time(job->arena, us < 9e15 ? (int64_t)llround(us * 1000) : INT64_MAX);
}

static const char *text_of_percent(const struct tp_job *job, double percent)
{
    return tp_text_of_percent(job->arena, percent);
}

static const char *text_of_ranks(const struct tp_job *job, const struct tp_rank_set *set)
{
    return tp_text_printf(job->arena, "%s %s", set->count == 1 ? "rank" : "ranks",
                          tp_rank_set_text(job->arena, set, SHOWN_RUNS));
}

static const char *text_of_host(const struct tp_job *job, uint32_t host)
{
    struct tp_str name = tp_strings_get(&job->graph.hosts, host);
    return tp_text_printf(job->arena, "%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr);
}

/* Returns the name of a set of ranks, such as "host node3", "tp group 9", "pipeline stage 3", "rank 5" or "ranks 3,
 * 8". */
static const char *rank_set_name(const struct tp_job *job, const struct tp_cause *cause, const struct tp_rank_set *set)
{
    switch (cause->place) {
    case TP_PLACE_HOST:
        return tp_str_starts(tp_strings_get(&job->graph.hosts, cause->place_index), "ranks ")
                   ? text_of_host(job, cause->place_index)
                   : tp_text_printf(job->arena, "host %s", text_of_host(job, cause->place_index));
    case TP_PLACE_GROUP:
        return tp_text_printf(job->arena, "%s group %u", tp_graph_family_at(&job->graph, cause->family)->name,
                              tp_graph_group_at(&job->graph, cause->place_index)->index);
    case TP_PLACE_STAGE:
        return tp_text_printf(job->arena, "pipeline stage %u", cause->place_index);
    default:
        return text_of_ranks(job, set);
    }
}

/* Returns a sentence with the position of a rank in the job, such as " The rank has position 4 in tp, 3 in dp, and runs
 * on host node7."; "" if the position is unknown. */
static const char *text_of_position(const struct tp_job *job, uint32_t rank)
{
    const struct tp_graph *graph = &job->graph;
    const char *text = NULL;
    for (uint32_t f = 0; f < graph->families.count; f++) {
        const struct tp_graph_family *family = tp_graph_family_at(graph, f);
        if (family->has_sender_receiver_pairs || family->count < 2 || family->group_of[rank] == TP_NO_ID)
            continue;
        text = tp_text_printf(job->arena, "%s%s%u in %s", text ? text : "has position ", text ? ", " : "",
                              family->coordinate[rank], family->name);
    }
    uint32_t host = tp_graph_rank_at(graph, rank)->host;
    if (host != TP_NO_ID && !tp_str_starts(tp_strings_get(&graph->hosts, host), "ranks "))
        text = tp_text_printf(job->arena, "%s%sruns on host %s", text ? text : "", text ? ", and " : "",
                              text_of_host(job, host));
    return text ? tp_text_printf(job->arena, " The rank %s.", text) : "";
}

static const char *capitalize(const struct tp_job *job, const char *text)
{
    char *copy = tp_arena_copy(job->arena, text, strlen(text));
    if (copy[0] >= 'a' && copy[0] <= 'z')
        copy[0] = (char)(copy[0] - 32);
    return copy;
}

/* Returns the groups of a cause within a family, such as "dp groups 4-7" or "pp sends from ranks 2-3"; NULL without
 * groups. */
static const char *family_groups_text(const struct tp_job *job, const struct tp_cause *cause, uint32_t family_index)
{
    const struct tp_graph *graph = &job->graph;
    const struct tp_graph_family *family = tp_graph_family_at(graph, family_index);
    struct tp_rank_set numbers;
    bool *is_in = tp_arena_array(job->arena, family->count, sizeof *is_in);
    uint32_t count = 0;
    tp_rank_set_init(&numbers, job->arena);
    for (uint32_t i = 0; i < cause->group_count; i++)
        if (tp_graph_group_at(graph, cause->groups[i])->family == family_index)
            is_in[tp_graph_group_at(graph, cause->groups[i])->index] = true;
    for (uint32_t g = 0; g < family->count; g++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, family->groups[g]);
        uint32_t sender = group->first_member + (group->kind == TP_GROUP_DOWN ? group->member_count - 1 : 0);
        int64_t number =
            family->has_sender_receiver_pairs ? tp_graph_rank_at(graph, graph->members[sender])->number : g;
        if (!is_in[g])
            continue;
        count++;
        tp_rank_set_add(&numbers, number);
    }
    const char *what = family->has_sender_receiver_pairs ? count == 1 ? " from rank" : " from ranks"
                       : count == 1                      ? " group"
                                                         : " groups";
    return count ? tp_text_printf(job->arena, "%s%s %s", family->name, what,
                                  tp_rank_set_text(job->arena, &numbers, SHOWN_RUNS))
                 : NULL;
}

static const char *text_of_groups(const struct tp_job *job, const struct tp_cause *cause)
{
    const char *text = NULL;
    for (uint32_t f = 0; f < job->graph.families.count; f++) {
        const char *more = family_groups_text(job, cause, f);
        text = text && more ? tp_text_printf(job->arena, "%s, %s", text, more) : more ? more : text;
    }
    return text ? text : "";
}

static bool has_rank_set_name(const struct tp_cause *cause)
{
    return cause->place == TP_PLACE_HOST || cause->place == TP_PLACE_GROUP || cause->place == TP_PLACE_STAGE;
}

/* Returns the ranks to which the times of a cause apply. A finding can join causes of several ranks; the times are then
 * those of the first cause, which is the costliest. */
static const char *measured_ranks_text(const struct tp_job *job, const struct tp_cause *cause,
                                       const struct tp_job_finding *finding)
{
    if (finding->ranks.count <= cause->rank_count)
        return text_of_ranks(job, &finding->ranks);
    return tp_text_printf(job->arena, "rank %lld (the rank in this finding that delays the job most)",
                          (long long)tp_graph_rank_at(&job->graph, cause->ranks[0])->number);
}

/* Returns a sentence with the number of ranks without a summary. */
static const char *missing_ranks_text(const struct tp_job *job)
{
    return tp_text_of_counted_noun(job->arena, job->graph.missing_rank_count, "rank of the job has no summary",
                                   "ranks of the job have no summary");
}

/* Adds an alternative explanation if ranks are missing: if the missing ranks are as slow, many ranks of the job form a
 * slower group. */
static void write_uncertain_level_finding(const struct tp_job *job, const struct tp_cause *cause,
                                          struct tp_job_finding *finding)
{
    uint32_t absent = job->graph.missing_rank_count;
    if (!cause->depends_on_missing_ranks)
        return;
    finding->alternative = TP_JOB_SLOW_LEVEL;
    finding->alternative_title =
        tp_text_printf(job->arena, "Check up to %lld of %u ranks: they are slower than the others",
                       (long long)finding->ranks.count + absent, job->graph.rank_count + absent);
    finding->alternative_saved_pct = NAN;
    finding->detail =
        tp_text_printf(job->arena, "%s %s. If %s as slow, the cause is a slower group of ranks instead of %s.",
                       finding->detail, missing_ranks_text(job), absent == 1 ? "this rank is" : "these ranks are",
                       has_rank_set_name(cause) ? "this set of ranks" : "single ranks");
}

/* Returns tp_job_slow_compute_text for the rank with this number; "" if the number is TP_NULL_INT. Indices of the graph
 * differ from those of the job if a rank is damaged, because the graph leaves this rank out. */
static const char *slow_compute_text_of_number(const struct tp_job *job, int64_t number)
{
    for (uint32_t i = 0; number != TP_NULL_INT && i < job->ranks.count; i++)
        if (tp_job_rank_at(job, i)->number == number)
            return tp_job_slow_compute_text(job, i);
    return "";
}

#define STAGE_TITLE "Move work off pipeline stage %u: it has %.2f times the median work"

/* Writes the texts for a cause that concerns one part of the work of a set of ranks. */
static void write_slow_part_finding(const struct tp_job *job, const struct tp_cause *cause,
                                    struct tp_job_finding *finding)
{
    bool is_one = has_rank_set_name(cause) || finding->ranks.count == 1;
    const char *subject = rank_set_name(job, cause, &finding->ranks);
    is_one = is_one && !tp_str_starts(tp_str_of(subject), "ranks");
    finding->cause_name = tp_text_printf(job->arena, "%s of %s", part_nouns[cause->part], subject);
    finding->title = tp_job_title_of_slow_ranks(job, cause->part, subject, is_one);
    finding->statement = tp_text_printf(job->arena, "%s %s", capitalize(job, subject),
                                        is_one ? verbs[cause->part].one : verbs[cause->part].many);
    bool is_rank = cause->place == TP_PLACE_RANK && finding->ranks.count == 1;
    finding->detail =
        tp_text_printf(job->arena, "On %s, %s is %s per step longer than on comparable ranks.%s%s",
                       measured_ranks_text(job, cause, finding), part_words[cause->part],
                       text_of_time(job, cause->excess_us), is_rank ? text_of_position(job, cause->ranks[0]) : "",
                       cause->kind == TP_CAUSE_COMPUTE ? slow_compute_text_of_number(job, finding->worst_rank) : "");
    write_uncertain_level_finding(job, cause, finding);
}

static void write_slower_group_finding(const struct tp_job *job, const struct tp_cause *cause,
                                       struct tp_job_finding *finding)
{
    const char *ranks = text_of_ranks(job, &finding->ranks), *alone = verbs[cause->part].many;
    finding->cause_name =
        tp_text_printf(job->arena, "a slower group of %u of %u ranks", cause->rank_count, job->graph.rank_count);
    finding->title = tp_text_printf(job->arena, "Check %u of %u ranks: they are slower than the others",
                                    cause->rank_count, job->graph.rank_count);
    finding->statement = tp_text_printf(job->arena, "%u of %u ranks are slower than the others", cause->rank_count,
                                        job->graph.rank_count);
    finding->detail = tp_text_printf(job->arena,
                                     "On %s, %s is %s per step longer than on the other ranks. The slower ranks are "
                                     "not exactly one host, process group or pipeline stage.",
                                     ranks, part_words[cause->part], text_of_time(job, cause->excess_us));
    if (cause->slow_stage != TP_NO_ID) {
        finding->alternative = TP_JOB_STAGE;
        finding->alternative_title = tp_text_printf(job->arena, STAGE_TITLE, cause->slow_stage, cause->ratio);
        finding->alternative_saved_pct = NAN;
        finding->detail = tp_text_printf(
            job->arena,
            "On ranks of several stages, %s is %s per step longer than on the other ranks, by a factor of %.2f. "
            "These ranks include all ranks of stage %u, so stage %u may instead have more work.",
            part_words[cause->part], text_of_time(job, cause->excess_us), cause->ratio, cause->slow_stage,
            cause->slow_stage);
        return;
    }
    if (!cause->depends_on_missing_ranks)
        return;
    finding->title = tp_text_printf(job->arena, "Check %u of %u ranks, or only %s: they are slower than others",
                                    cause->rank_count, job->graph.rank_count, ranks);
    finding->statement = tp_text_printf(job->arena, "%s, or only %s %s", finding->statement, ranks, alone);
    finding->detail = tp_text_printf(job->arena, "%s %s, so the number of slow ranks is unknown.", finding->detail,
                                     missing_ranks_text(job));
    finding->alternative = rule_of_part[cause->part];
    finding->alternative_title = tp_job_title_of_slow_ranks(job, cause->part, ranks, finding->ranks.count == 1);
    finding->alternative_saved_pct = finding->saved;
}

static const char *step_name_text(const struct tp_job *job, const struct tp_cause *cause)
{
    const struct tp_graph_rank *rank = tp_graph_rank_at(&job->graph, cause->ranks[0]);
    struct tp_str name = tp_strings_get(&job->labels, rank->labels[rank->step_index[cause->first_step]]);
    return tp_text_printf(job->arena, "%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr);
}

static void write_late_step_finding(const struct tp_job *job, const struct tp_cause *cause,
                                    struct tp_job_finding *finding)
{
    const char *subject = text_of_ranks(job, &finding->ranks), *step = step_name_text(job, cause);
    finding->cause_name = tp_text_printf(job->arena, "slowness of %s from step %s on", subject, step);
    const char *are = finding->ranks.count == 1 ? "is" : "are";
    finding->title = tp_text_printf(job->arena, "Check %s: %s %s slower from step %s on", subject,
                                    finding->ranks.count == 1 ? "it" : "they", are, step);
    finding->statement =
        tp_text_printf(job->arena, "%s %s slower from step %s on", capitalize(job, subject), are, step);
    finding->detail = tp_text_printf(
        job->arena,
        "From step %s on, %s on %s is %s per step longer than on comparable ranks. Earlier steps have no such delay.%s",
        step, part_words[cause->part], measured_ranks_text(job, cause, finding), text_of_time(job, cause->excess_us),
        finding->ranks.count == 1 ? text_of_position(job, cause->ranks[0]) : "");
}

static void write_changing_ranks_finding(const struct tp_job *job, const struct tp_cause *cause,
                                         struct tp_job_finding *finding)
{
    static const char *const titles[TP_SLOT_OWN] = {"Find why kernels are slow", "Find what pauses the CPU",
                                                    "Find why input is late"};
    static const char *const statements[TP_SLOT_OWN] = {
        "Kernels are slow on changing ranks", "The CPU pauses on changing ranks", "Input is late on changing ranks"};
    static const char *const cause_names[TP_SLOT_OWN] = {
        "slow kernels on changing ranks", "pauses of the CPU on changing ranks", "late input on changing ranks"};
    double all = (double)job->graph.rank_count * job->graph.step_count;
    finding->cause_name = cause_names[cause->part];
    finding->title = tp_text_printf(job->arena, "%s on changing ranks, in %u of %.0f steps", titles[cause->part],
                                    cause->cell_count, all);
    finding->statement = tp_text_printf(job->arena, "%s, in %u of %.0f steps (summed over the ranks)",
                                        statements[cause->part], cause->cell_count, all);
    finding->detail = tp_text_printf(
        job->arena,
        "%s in %u of %.0f steps (summed over the ranks, %s), on %s. Such a step takes %s to %s longer than on "
        "comparable ranks, %s on average.",
        cause->part == TP_SLOT_PAUSE    ? "Pauses (garbage collection, or another program on the CPU) occur"
        : cause->part == TP_SLOT_KERNEL ? "Slow kernels occur"
                                        : "Late input occurs",
        cause->cell_count, all, text_of_percent(job, 100 * cause->cell_count / all),
        tp_text_of_counted_noun(job->arena, cause->rank_count, "rank", "ranks"),
        text_of_time(job, cause->least_excess_us), text_of_time(job, cause->largest_excess_us),
        text_of_time(job, cause->excess_us));
}

static void write_batch_length_finding(const struct tp_job *job, const struct tp_cause *cause,
                                       struct tp_job_finding *finding)
{
    const char *family = tp_graph_family_at(&job->graph, cause->family)->name;
    finding->cause_name = "batches of different lengths";
    finding->title = tp_text_printf(job->arena, "Batch samples of similar length: compute time varies by %s",
                                    text_of_percent(job, 100 * cause->ratio));
    finding->statement =
        tp_text_printf(job->arena, "Batches have different lengths, so compute time varies by %s (standard deviation)",
                       text_of_percent(job, 100 * cause->ratio));
    finding->detail = tp_text_printf(job->arena,
                                     "All ranks with the same position in their %s groups show the same differences. "
                                     "The cause is therefore the data of the replica, not a device.",
                                     family);
}

/* Writes the texts for a slow stage. If its ranks are exactly those of one host, the cause is more work or a slower
 * machine; the times do not distinguish the two. */
static void write_stage_finding(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    finding->cause_name =
        tp_text_printf(job->arena, "unequal pipeline stages (stage %u has the most work)", cause->place_index);
    finding->title = tp_text_printf(job->arena, STAGE_TITLE, cause->place_index, cause->ratio);
    finding->statement = tp_text_printf(job->arena, "Pipeline stage %u has %.2f times the work of the median stage",
                                        cause->place_index, cause->ratio);
    finding->detail = tp_text_printf(
        job->arena, "Stage %u consists of %s. The cost is the time that stages with equal work would save.",
        cause->place_index, text_of_ranks(job, &finding->ranks));
    bool is_host = cause->host_of_whole_stage != TP_NO_ID;
    if (!is_host && !cause->depends_on_missing_ranks)
        return;
    bool is_one = is_host || finding->ranks.count == 1;
    const char *other = is_host ? tp_text_printf(job->arena, "host %s", text_of_host(job, cause->host_of_whole_stage))
                                : text_of_ranks(job, &finding->ranks);
    const char *slow = is_one ? verbs[TP_SLOT_KERNEL].one : verbs[TP_SLOT_KERNEL].many;
    const char *all =
        is_host ? tp_text_printf(job->arena, "The stage is exactly %s, so a slow host", other)
                : tp_text_printf(job->arena, "The other ranks of the stage have no summary, so slowness of %s", other);
    finding->title =
        tp_text_printf(job->arena, "Move work off pipeline stage %u, or check %s", cause->place_index, other);
    finding->statement = tp_text_printf(job->arena, "%s, or %s %s", finding->statement, other, slow);
    finding->detail = tp_text_printf(
        job->arena,
        "%s %s would look the same. The job would save %s of the step time if these ranks were as fast as all others.",
        finding->detail, all, text_of_percent(job, cause->saved_if_equal_pct));
    finding->alternative = TP_JOB_SLOW_COMPUTE;
    finding->alternative_title = tp_job_title_of_slow_ranks(job, TP_SLOT_KERNEL, other, is_one);
    finding->alternative_saved_pct = cause->saved_if_equal_pct;
}

/* Returns the names of the hosts of `ranks`, or only their number if there are many. */
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
            text = tp_text_printf(job->arena, "%s%s%s", text, count == 1 ? "" : ", ", text_of_host(job, rank->host));
    }
    return count > SHOWN_HOSTS ? tp_text_printf(job->arena, "%u hosts", count) : text;
}

static void write_link_finding(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    bool is_host = cause->place == TP_PLACE_HOST;
    const char *what = is_host ? rank_set_name(job, cause, &finding->ranks) : text_of_groups(job, cause);
    const char *hosts = hosts_text(job, &finding->ranks);
    finding->cause_name = tp_text_printf(job->arena, "the slow link of %s", what);
    finding->title = tp_text_printf(job->arena, "Check the link of %s: it is slow", what);
    finding->statement = tp_text_printf(job->arena, "The link of %s is slow", what);
    if (cause->leaves_collectives_late) {
        finding->detail =
            tp_text_printf(job->arena,
                           "In %s, collectives take %.1f times as long on %s as on the other ranks, even if all ranks "
                           "arrive at the same time. The other ranks then wait in the next collective.",
                           text_of_groups(job, cause), cause->ratio, what);
        return;
    }
    finding->detail = tp_text_printf(
        job->arena, "In %s, transfers take %.1f times as long as in the other groups. %s %s%s%s.",
        text_of_groups(job, cause), cause->ratio,
        is_host                  ? "Only these groups use"
        : cause->group_count > 1 ? "The groups consist of"
                                 : "The group consists of",
        is_host ? what : text_of_ranks(job, &finding->ranks), !is_host && *hosts ? ", on " : "", is_host ? "" : hosts);
}

/* Returns the number of hosts of each group in a family; 0 if groups differ in this number or a host is unknown. */
static uint32_t hosts_per_group(const struct tp_job *job, const struct tp_graph_family *family)
{
    const struct tp_graph *graph = &job->graph;
    uint32_t *seen = tp_arena_array(job->arena, graph->hosts.count, sizeof *seen), first = 0;
    for (uint32_t g = 0; g < family->count; g++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, family->groups[g]);
        uint32_t count = 0;
        for (uint32_t m = 0; m < group->member_count; m++) {
            uint32_t host = tp_graph_rank_at(graph, graph->members[group->first_member + m])->host;
            if (host == TP_NO_ID)
                return 0;
            count += seen[host] == g;
            seen[host] = g + 1;
        }
        first = g ? first : count;
        if (count != first)
            return 0;
    }
    return first;
}

static void write_slow_links_finding(const struct tp_job *job, const struct tp_cause *cause,
                                     struct tp_job_finding *finding)
{
    const struct tp_graph_family *family = tp_graph_family_at(&job->graph, cause->family);
    uint32_t hosts = hosts_per_group(job, family);
    bool is_one = family->count == 1, passes_all = hosts > 1 && hosts == job->graph.hosts.count;
    finding->cause_name = family->has_sender_receiver_pairs
                              ? "communication between pairs of ranks"
                              : tp_text_printf(job->arena, "communication in %s", family->name);
    finding->title = tp_text_printf(job->arena, "Reduce %s: it costs %s of the step time", finding->cause_name,
                                    text_of_percent(job, cause->alone));
    finding->statement = tp_text_printf(job->arena, "%s costs %s of the step time, %s",
                                        capitalize(job, finding->cause_name), text_of_percent(job, cause->alone),
                                        is_one                              ? "all in one group"
                                        : family->has_sender_receiver_pairs ? "equally on all pairs"
                                                                            : "equally in all groups");
    finding->detail = tp_text_printf(
        job->arena,
        "%s %s per step%s. The job has no similar communication for comparison, so no rank or host is reported as "
        "slow.%s",
        is_one ? tp_text_printf(job->arena, "One group of %u ranks communicates for",
                                tp_graph_group_at(&job->graph, family->groups[0])->member_count)
               : tp_text_printf(job->arena, "Each of %u groups communicates for", cause->group_count),
        text_of_time(job, cause->excess_us),
        cause->rate_gb_s > 0
            ? tp_text_printf(job->arena, ", at %s GB/s on the bus", tp_text_of_fixed(job->arena, cause->rate_gb_s, 1))
            : "",
        passes_all ? tp_text_printf(job->arena,
                                    " %s includes all %u hosts, so a slow link of one host would look the same. Run a "
                                    "bandwidth test between pairs of hosts to find the slow host.",
                                    is_one ? "The group" : "Each group", hosts)
                   : "");
    if (!passes_all)
        return;
    finding->alternative = TP_JOB_SLOW_LINK;
    finding->alternative_title = tp_text_printf(job->arena, "Check the links of %u hosts: one may be slow", hosts);
    finding->alternative_saved_pct = NAN;
}

static void write_unequal_ranks_finding(const struct tp_job *job, const struct tp_cause *cause,
                                        struct tp_job_finding *finding)
{
    bool stays = cause->kind == TP_CAUSE_UNEQUAL;
    const char *ranks = text_of_ranks(job, &finding->ranks);
    finding->cause_name = stays ? "unequal work of the ranks" : "unequal work that moves from rank to rank";
    finding->title = tp_job_title_of_unequal_ranks(job, ranks, stays);
    finding->statement =
        stays ? tp_text_printf(job->arena, "Work is unequal on %s", ranks)
              : tp_text_printf(job->arena, "The rank with the most work changes from step to step among %s", ranks);
    finding->detail = tp_text_printf(
        job->arena,
        "In each step, the work of comparable ranks outside of collectives has a standard deviation of %s of the mean. "
        "%s.",
        text_of_percent(job, 100 * cause->ratio),
        stays ? "Most of the deviation stays with the same ranks" : "A different rank has the most work in each step");
}

static void (*const words[TP_CAUSE_KINDS])(const struct tp_job *, const struct tp_cause *, struct tp_job_finding *) = {
    [TP_CAUSE_COMPUTE] = write_slow_part_finding,
    [TP_CAUSE_PAUSE] = write_slow_part_finding,
    [TP_CAUSE_INPUT] = write_slow_part_finding,
    [TP_CAUSE_SLOW_LEVEL] = write_slower_group_finding,
    [TP_CAUSE_BECOMES_SLOW] = write_late_step_finding,
    [TP_CAUSE_MOVING] = write_changing_ranks_finding,
    [TP_CAUSE_PAUSES] = write_changing_ranks_finding,
    [TP_CAUSE_INPUTS] = write_changing_ranks_finding,
    [TP_CAUSE_SEQUENCE] = write_batch_length_finding,
    [TP_CAUSE_STAGE] = write_stage_finding,
    [TP_CAUSE_LINK] = write_link_finding,
    [TP_CAUSE_ALL_LINKS] = write_slow_links_finding,
    [TP_CAUSE_UNEQUAL] = write_unequal_ranks_finding,
    [TP_CAUSE_CHANGING] = write_unequal_ranks_finding,
};

void tp_job_write_cause_finding(const struct tp_job *job, const struct tp_cause *cause, struct tp_job_finding *finding)
{
    words[cause->kind](job, cause, finding);
}
