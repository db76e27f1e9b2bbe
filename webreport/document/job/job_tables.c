/* Builds the tables of a job: ranks, groups of ranks, findings, facts, collectives, links. See job_tables.h. */
#include "webreport/document/job/job_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/rules/rules.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static struct tp_str rank_text(const struct tp_job *job, const struct tp_rank_set *ranks, size_t max_runs)
{
    return tp_str_of(tp_rank_set_text(job->arena, ranks, max_runs));
}

struct tp_str tp_job_cluster_name(const struct tp_job *job, uint32_t cluster)
{
    char name[8];
    size_t at = sizeof name;
    for (uint32_t rest = cluster + 1; rest && at; rest = (rest - 1) / 26)
        name[--at] = (char)('A' + (rest - 1) % 26);
    return (struct tp_str){tp_arena_copy(job->arena, name + at, sizeof name - at), sizeof name - at};
}

/* ---- ranks ---- */

static const struct tp_column_def rank_defs[TP_JOB_RANK_COLUMNS] = {
    {"rank", "Rank", "", "Number of the rank, or the name of its trace.", TP_COLUMN_TEXT},
    {"worker", "Worker", "", "Name of the rank's trace.", TP_COLUMN_TEXT},
    {"group", "Group", "", "Group of comparable ranks.", TP_COLUMN_TEXT},
    {"step_count", "Steps", "", "Number of steps that the statistics use.", TP_COLUMN_INT},
    {"step_us", "Step", "us", "Median length of the rank's steps.", TP_COLUMN_NS},
    {"own_us", "Own work", "us", "Own work: step time without exposed communication, median over the rank's steps.",
     TP_COLUMN_NS},
    {"excess_us", "More than peers", "us",
     "Own work of the rank minus the median own work of comparable ranks, median over the rank's steps.", TP_COLUMN_NS},
    {"compute_us", "Compute", "us",
     "Median time per step in kernels and copies, or in {operators} if there is no device.", TP_COLUMN_NS},
    {"host_us", "Host", "us", "Median time per step without device work, input or communication.", TP_COLUMN_NS},
    {"data_us", "Input", "us", "Median time per step in the data loader.", TP_COLUMN_NS},
    {"communication_us", "Communication", "us",
     "Median exposed communication time per step (no computation at the same time), including waits for other ranks.",
     TP_COLUMN_NS},
    {"late_percent", "Late", "%",
     "Percentage of the steps in which the rank's own work is clearly longer than that of comparable ranks.",
     TP_COLUMN_REAL},
    {"last_percent", "Last", "%",
     "Percentage of the blocking collectives with other ranks at which this rank arrives last.", TP_COLUMN_REAL},
    {"caused_wait_us", "Others wait", "us",
     "Mean time per step that the other ranks of a process group wait for this rank in collectives; for several "
     "process groups, the largest mean.",
     TP_COLUMN_NS},
    {"joint_collectives", "Joint", "", "Number of blocking collectives with other ranks.", TP_COLUMN_INT},
    {"clock_offset_us", "Clock offset", "us",
     "Difference between this rank's clock and the first rank's, estimated from collectives.", TP_COLUMN_NS},
    {"clock_residual_us", "Residual", "us",
     "Median difference between the ends of a collective on this rank and on the other ranks, after the clocks are "
     "aligned.",
     TP_COLUMN_NS},
    {"component", "Part", "",
     "Number of the set of ranks that share collectives with this rank. The clocks of ranks in different sets cannot "
     "be aligned.",
     TP_COLUMN_INT},
    {"peak_allocated_bytes", "Memory peak", "bytes",
     "Peak of the memory allocated on the rank's device; for several devices, the largest peak.", TP_COLUMN_BYTES},
    {"verdict", "Verdict", "", "The verdict of this rank's own report.", TP_COLUMN_TEXT},
    {"headline", "Headline", "", "Headline of the verdict in this rank's own report.", TP_COLUMN_TEXT},
};

static void fill_rank_row(struct tp_table *table, const struct tp_job *job, size_t row)
{
    const struct tp_job_rank *rank = tp_job_rank_at(job, row);
    bool is_aligned = rank->component != TP_NO_ID;
    tp_table_text(table, TP_JOB_RANK_NAME)[row] = tp_str_of(tp_job_rank_name(job, rank));
    tp_table_text(table, TP_JOB_RANK_WORKER)[row] = rank->key.worker;
    tp_table_text(table, TP_JOB_RANK_GROUP)[row] = tp_job_cluster_name(job, rank->cluster);
    tp_table_int(table, TP_JOB_RANK_STEPS)[row] = rank->step_count;
    tp_table_int(table, TP_JOB_RANK_STEP)[row] = rank->step_count ? rank->step_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_OWN)[row] = rank->step_count ? rank->own_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_EXCESS)[row] = rank->compared_step_count ? rank->excess_ns : TP_NULL_INT;
    for (unsigned p = 0; p < TP_JOB_PARTS; p++)
        tp_table_int(table, TP_JOB_RANK_COMPUTE + p)[row] = rank->step_count ? rank->part_ns[p] : TP_NULL_INT;
    tp_table_real(table, TP_JOB_RANK_LATE)[row] = rank->compared_step_count ? 100 * rank->late_step_ratio : NAN;
    tp_table_real(table, TP_JOB_RANK_LAST)[row] =
        rank->aligning_call_count ? 100.0 * rank->last_arrival_count / rank->aligning_call_count : NAN;
    tp_table_int(table, TP_JOB_RANK_CAUSED)[row] = is_aligned ? rank->caused_wait_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_JOINT)[row] = rank->aligning_call_count;
    tp_table_int(table, TP_JOB_RANK_OFFSET)[row] = is_aligned ? rank->offset_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_RESIDUAL)[row] = is_aligned ? rank->residual_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_COMPONENT)[row] = is_aligned ? rank->component : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_PEAK)[row] = rank->peak_bytes;
    tp_table_text(table, TP_JOB_RANK_VERDICT)[row] = rank->verdict;
    tp_table_text(table, TP_JOB_RANK_HEADLINE)[row] = rank->headline;
}

void tp_job_build_rank_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    (void)max_runs;
    struct tp_column_def *defs = tp_arena_array(job->arena, TP_JOB_RANK_COLUMNS, sizeof *defs);
    memcpy(defs, rank_defs, sizeof rank_defs);
    defs[TP_JOB_RANK_DATA].definition = tp_phrase(TP_PHRASE_IN_INPUT_MEDIAN, job->producer);
    tp_table_init(table, job->arena, "ranks", defs, TP_JOB_RANK_COLUMNS, job->ranks.count);
    for (size_t row = 0; row < table->row_count; row++)
        fill_rank_row(table, job, row);
}

/* ---- groups of ranks ---- */

static const struct tp_column_def cluster_defs[TP_JOB_CLUSTER_COLUMNS] = {
    {"group", "Group", "",
     "Name of a group of ranks that do the same work, because their kernels are equal or nearly equal.",
     TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Ranks of the group.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "Number of ranks in the group.", TP_COLUMN_INT},
    {"step_us", "Step", "us", "Step time: median over the ranks of the group.", TP_COLUMN_NS},
    {"own_us", "Own work", "us", "Step time without exposed communication: median over the ranks of the group.",
     TP_COLUMN_NS},
    {"compute_us", "Compute", "us",
     "Time per step in kernels and copies, or in {operators} if there is no device: median over the ranks of the "
     "group.",
     TP_COLUMN_NS},
    {"host_us", "Host", "us",
     "Time per step without device work, input or communication: median over the ranks of the group.", TP_COLUMN_NS},
    {"data_us", "Input", "us", "Time per step spent waiting for input: median over the ranks of the group.",
     TP_COLUMN_NS},
    {"communication_us", "Communication", "us",
     "Exposed communication time per step: median over the ranks of the group.", TP_COLUMN_NS},
    {"spread_percent", "Spread", "%",
     "Lasting imbalance: standard deviation of the ranks' own work as a percentage of the mean, without stragglers and "
     "without random variation between steps.",
     TP_COLUMN_REAL},
    {"step_spread_percent", "Spread in a step", "%",
     "Standard deviation of the ranks' own work within a step as a percentage of the mean, without stragglers, "
     "averaged over the steps.",
     TP_COLUMN_REAL},
    {"slowest_rank", "Slowest", "", "Rank with the most own work.", TP_COLUMN_TEXT},
};

void tp_job_build_cluster_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    tp_table_init(table, job->arena, "groups", cluster_defs, TP_JOB_CLUSTER_COLUMNS, job->clusters.count);
    for (uint32_t row = 0; row < table->row_count; row++) {
        const struct tp_job_cluster *cluster = tp_job_cluster_at(job, row);
        tp_table_text(table, TP_JOB_CLUSTER_NAME)[row] = tp_job_cluster_name(job, row);
        tp_table_text(table, TP_JOB_CLUSTER_RANKS)[row] = rank_text(job, &cluster->ranks, max_runs);
        tp_table_int(table, TP_JOB_CLUSTER_COUNT)[row] = cluster->rank_count;
        tp_table_int(table, TP_JOB_CLUSTER_STEP)[row] = cluster->step_ns;
        tp_table_int(table, TP_JOB_CLUSTER_OWN)[row] = cluster->own_ns;
        for (unsigned p = 0; p < TP_JOB_PARTS; p++)
            tp_table_int(table, TP_JOB_CLUSTER_COMPUTE + p)[row] = cluster->part_ns[p];
        tp_table_real(table, TP_JOB_CLUSTER_SPREAD)[row] = 100 * cluster->spread_ratio;
        tp_table_real(table, TP_JOB_CLUSTER_STEP_SPREAD)[row] = 100 * cluster->step_spread_ratio;
        tp_table_text(table, TP_JOB_CLUSTER_SLOWEST)[row] =
            tp_str_of(tp_job_rank_name(job, tp_job_rank_at(job, cluster->slowest)));
    }
}

/* ---- findings of ranks ---- */

static const struct tp_column_def merged_defs[TP_JOB_MERGED_COLUMNS] = {
    {"title", "Finding", "", "Title of the finding in the reports of the ranks.", TP_COLUMN_TEXT},
    {"rule", "Rule", "", "Id of the rule that reports the finding.", TP_COLUMN_TEXT},
    {"severity", "Severity", "", "Highest severity of the finding on any rank.", TP_COLUMN_TEXT},
    {"file_line", "Line", "", "Source line of the first event that shows the problem.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Ranks whose reports contain the finding.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "Number of ranks whose reports contain the finding.", TP_COLUMN_INT},
    {"worst_rank", "Worst", "", "Rank on which a fix can save the most time.", TP_COLUMN_INT},
    {"max_ceiling_us_per_step", "Largest gain", "us",
     "Upper bound of the time per step that a fix can save, on the rank where it can save most.", TP_COLUMN_REAL},
    {"mean_ceiling_us_per_step", "Mean gain", "us",
     "Upper bound of the time per step that a fix can save, mean over the ranks whose reports contain the finding.",
     TP_COLUMN_REAL},
    {"occurrences", "Occurrences", "", "Number of events over all ranks that show the problem.", TP_COLUMN_INT},
};

static int compare_severest_first(const void *x, const void *y, const void *context)
{
    const struct tp_job_merged *a = x, *b = y;
    (void)context;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->max_gain_us != b->max_gain_us)
        return a->max_gain_us > b->max_gain_us ? -1 : 1;
    int order = tp_str_compare(a->rule, b->rule);
    return order ? order : tp_str_compare(a->file_line, b->file_line);
}

void tp_job_build_merged_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    size_t count = job->merged.count;
    struct tp_job_merged *sorted = tp_arena_array(job->arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *TP_AT(&job->merged, struct tp_job_merged, i);
    tp_merge_sort(job->arena, sorted, count, sizeof *sorted, compare_severest_first, NULL);
    tp_table_init(table, job->arena, "findings", merged_defs, TP_JOB_MERGED_COLUMNS, count);
    for (size_t row = 0; row < count; row++) {
        const struct tp_job_merged *merged = &sorted[row];
        enum tp_severity severity = merged->severity <= TP_SEVERITY_INFO ? merged->severity : TP_SEVERITY_INFO;
        tp_table_text(table, TP_JOB_MERGED_TITLE)[row] = merged->title;
        tp_table_text(table, TP_JOB_MERGED_RULE)[row] = merged->rule;
        tp_table_text(table, TP_JOB_MERGED_SEVERITY)[row] = tp_str_of(tp_severity_text(severity));
        tp_table_text(table, TP_JOB_MERGED_LINE)[row] = merged->file_line;
        tp_table_text(table, TP_JOB_MERGED_RANKS)[row] = rank_text(job, &merged->ranks, max_runs);
        tp_table_int(table, TP_JOB_MERGED_COUNT)[row] = merged->ranks.count;
        tp_table_int(table, TP_JOB_MERGED_WORST)[row] = merged->worst_rank;
        tp_table_real(table, TP_JOB_MERGED_CEILING)[row] = merged->max_gain_us;
        tp_table_real(table, TP_JOB_MERGED_MEAN)[row] = merged->max_gain_sum_us / (double)merged->ranks.count;
        tp_table_int(table, TP_JOB_MERGED_OCCURRENCES)[row] = merged->occurrences;
    }
}

/* ---- facts ---- */

static const struct tp_column_def fact_defs[TP_JOB_FACT_COLUMNS] = {
    {"fact", "Fact", "", "Property of the traces that differs between ranks.", TP_COLUMN_TEXT},
    {"value", "Value", "", "Value of the property.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Ranks whose trace has this value.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "Number of ranks whose trace has this value.", TP_COLUMN_INT},
};

void tp_job_build_fact_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    tp_table_init(table, job->arena, "facts", fact_defs, TP_JOB_FACT_COLUMNS, job->facts.count);
    for (size_t row = 0; row < table->row_count; row++) {
        const struct tp_job_fact *fact = TP_AT(&job->facts, struct tp_job_fact, row);
        tp_table_text(table, TP_JOB_FACT_NAME)[row] = fact->name;
        tp_table_text(table, TP_JOB_FACT_VALUE)[row] = fact->value;
        tp_table_text(table, TP_JOB_FACT_RANKS)[row] = rank_text(job, &fact->ranks, max_runs);
        tp_table_int(table, TP_JOB_FACT_COUNT)[row] = fact->ranks.count;
    }
}

/* ---- collectives ---- */

static const struct tp_column_def collective_defs[TP_JOB_COLLECTIVE_COLUMNS] = {
    {"name", "Collective", "", "Name of the communication call.", TP_COLUMN_TEXT},
    {"group_size", "Ranks", "",
     "Number of ranks in a process group, or number of recorded ranks if the trace does not give the size of the "
     "group.",
     TP_COLUMN_INT},
    {"groups", "Groups", "", "Number of process groups that make the calls in the row.", TP_COLUMN_INT},
    {"calls", "Calls", "", "Number of collectives; a collective of several ranks counts once.", TP_COLUMN_INT},
    {"message_bytes", "Message", "bytes",
     "Largest message of the calls in the row. Each row covers the message sizes from one power of two to the next.",
     TP_COLUMN_BYTES},
    {"transfer_us", "Transfer", "us",
     "Transfer time: shortest time of any rank in each collective, summed over the collectives.", TP_COLUMN_NS},
    {"waiting_us", "Waiting", "us",
     "Waiting time: time in collectives beyond the transfer time, summed over all ranks and collectives.",
     TP_COLUMN_NS},
    {"mean_waiting_us", "Wait of a rank", "us", "Mean time that one rank waits in one collective.", TP_COLUMN_REAL},
};

struct kind {
    uint32_t name, groups, last_group;
    int64_t size, calls, members, bytes, transfer_ns, wait_ns;
};

static int compare_longest_first(const void *x, const void *y, const void *context)
{
    const struct kind *a = x, *b = y;
    (void)context;
    int64_t p = tp_sat_add(a->transfer_ns, a->wait_ns), q = tp_sat_add(b->transfer_ns, b->wait_ns);
    return (p < q) - (p > q);
}

static int64_t group_rank_count(const struct tp_job *job, const struct tp_job_instance *instance)
{
    const struct tp_job_group *group = tp_job_group_at(job, instance->group);
    return group->size == TP_NULL_INT ? group->ranks.count : group->size;
}

static void add_collective_of_kind(const struct tp_job *job, const struct tp_job_instance *instance, struct kind *kind)
{
    kind->calls++;
    kind->members += instance->member_count;
    kind->bytes = instance->bytes > kind->bytes ? instance->bytes : kind->bytes;
    kind->transfer_ns = tp_sat_add(kind->transfer_ns, instance->transfer_ns);
    for (uint32_t m = 0; m < instance->member_count; m++) {
        const struct tp_job_call *call = tp_job_call_at(job, job->members[instance->first_member + m]);
        kind->wait_ns =
            tp_sat_add(kind->wait_ns, tp_sat_sub(tp_sat_sub(call->end_ns, call->arrival_ns), instance->transfer_ns));
    }
}

void tp_job_build_collective_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    (void)max_runs; /* unused, because this table has no lists of ranks */
    struct tp_vec kinds = TP_VEC(job->arena, struct kind);
    struct tp_keys keys, groups;
    tp_keys_init(&keys, job->arena, 3);
    tp_keys_init(&groups, job->arena, 2);
    for (size_t i = 0; i < job->instances.count; i++) {
        const struct tp_job_instance *instance = tp_job_instance_at(job, i);
        int64_t size = group_rank_count(job, instance);
        uint32_t class = instance->bytes > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)instance->bytes) : 0;
        uint32_t id = tp_keys_add(&keys, (uint32_t[]){instance->name, (uint32_t)size, class});
        if (id == kinds.count)
            *(struct kind *)tp_vec_push(&kinds) =
                (struct kind){.name = instance->name, .size = size, .bytes = TP_NULL_INT};
        struct kind *kind = TP_AT(&kinds, struct kind, id);
        uint32_t known = tp_keys_count(&groups);
        kind->groups += tp_keys_pair(&groups, id, instance->group) == known;
        add_collective_of_kind(job, instance, kind);
    }
    tp_merge_sort(job->arena, kinds.data, kinds.count, sizeof(struct kind), compare_longest_first, NULL);
    tp_table_init(table, job->arena, "collectives", collective_defs, TP_JOB_COLLECTIVE_COLUMNS, kinds.count);
    for (size_t row = 0; row < kinds.count; row++) {
        const struct kind *kind = TP_AT(&kinds, struct kind, row);
        tp_table_text(table, TP_JOB_COLLECTIVE_NAME)[row] = tp_strings_get(&job->texts, kind->name);
        tp_table_int(table, TP_JOB_COLLECTIVE_SIZE)[row] = kind->size;
        tp_table_int(table, TP_JOB_COLLECTIVE_GROUPS)[row] = kind->groups;
        tp_table_int(table, TP_JOB_COLLECTIVE_CALLS)[row] = kind->calls;
        tp_table_int(table, TP_JOB_COLLECTIVE_BYTES)[row] = kind->bytes;
        tp_table_int(table, TP_JOB_COLLECTIVE_TRANSFER)[row] = kind->transfer_ns;
        tp_table_int(table, TP_JOB_COLLECTIVE_WAIT)[row] = kind->wait_ns;
        tp_table_real(table, TP_JOB_COLLECTIVE_MEAN_WAIT)[row] = (double)kind->wait_ns / 1000 / (double)kind->members;
    }
}

/* ---- links ---- */

static const struct tp_column_def link_defs[TP_JOB_LINK_COLUMNS] = {
    {"process_group", "Process group", "", "Name of the process group.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Ranks of the process group.", TP_COLUMN_TEXT},
    {"collective", "Collective", "", "Kind of the collective, such as all_reduce.", TP_COLUMN_TEXT},
    {"message_bytes", "Message", "bytes", "Largest message of the size class (a power of two).", TP_COLUMN_BYTES},
    {"calls", "Calls", "", "Number of collectives that every rank of the group recorded.", TP_COLUMN_INT},
    {"bus_gb_per_s", "Bus bandwidth", "GB/s",
     "Median bus bandwidth: bytes divided by transfer time, times the factor that nccl-tests uses for this collective.",
     TP_COLUMN_REAL},
    {"peer_bus_gb_per_s", "Similar groups", "GB/s",
     "90th percentile of the bus bandwidth of groups with the same layout.", TP_COLUMN_REAL},
    {"peers", "Peers", "", "Number of other groups with the same layout.", TP_COLUMN_INT},
    {"lost_us", "Lost", "us",
     "Extra time per step compared with the same transfers at the median bandwidth of similar groups.", TP_COLUMN_NS},
    {"is_slow", "Slow", "", "yes if the bandwidth is below 60 % of the 90th percentile of similar groups.",
     TP_COLUMN_BOOL},
};

void tp_job_build_link_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    size_t count = job->links.count;
    tp_table_init(table, job->arena, "links", link_defs, TP_JOB_LINK_COLUMNS, count);
    for (size_t row = 0; row < count; row++) {
        const struct tp_job_link *link = TP_AT(&job->links, struct tp_job_link, row);
        const struct tp_job_group *group = tp_job_group_at(job, link->group);
        tp_table_text(table, TP_JOB_LINK_GROUP)[row] = tp_strings_get(&job->texts, group->name);
        tp_table_text(table, TP_JOB_LINK_RANKS)[row] = tp_str_of(tp_rank_set_text(job->arena, &group->ranks, max_runs));
        tp_table_text(table, TP_JOB_LINK_COLLECTIVE)[row] = tp_str_of(link->collective);
        tp_table_int(table, TP_JOB_LINK_BYTES)[row] = link->bytes;
        tp_table_int(table, TP_JOB_LINK_CALLS)[row] = link->calls;
        tp_table_real(table, TP_JOB_LINK_BANDWIDTH)[row] = link->bandwidth / 1e9;
        tp_table_real(table, TP_JOB_LINK_PEER_BANDWIDTH)[row] =
            link->peers ? link->peer_bandwidth_bytes_per_s / 1e9 : NAN;
        tp_table_int(table, TP_JOB_LINK_PEERS)[row] = link->peers;
        tp_table_int(table, TP_JOB_LINK_LOST)[row] = link->lost_ns;
        tp_table_bool(table, TP_JOB_LINK_IS_SLOW)[row] = link->is_slow;
    }
}
