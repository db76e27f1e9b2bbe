/* Tables of ranks, groups of ranks, findings and facts: see job_tables.h. */
#include "webreport/document/job_tables.h"

#include <math.h>
#include <stdio.h>

#include "webreport/measure/rules.h"
#include "writer/base/merge_sort.h"
#include "writer/base/saturate.h"

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
    {"worker", "Worker", "", "Name of its trace.", TP_COLUMN_TEXT},
    {"group", "Group", "", "Group of comparable ranks.", TP_COLUMN_TEXT},
    {"step_count", "Steps", "", "Steps that numbers are about.", TP_COLUMN_INT},
    {"step_us", "Step", "us", "Median length of a step.", TP_COLUMN_NS},
    {"own_us", "Own work", "us", "Median over the steps: the step without exposed communication.", TP_COLUMN_NS},
    {"excess_us", "More than peers", "us",
     "Median over the steps: own work less the median of comparable ranks in that step.", TP_COLUMN_NS},
    {"compute_us", "Compute", "us", "Median per step: kernels and copies; operators where there is no device.",
     TP_COLUMN_NS},
    {"host_us", "Host", "us", "Median per step: neither device nor input nor communication.", TP_COLUMN_NS},
    {"data_us", "Input", "us", "Median per step: in the data loader.", TP_COLUMN_NS},
    {"communication_us", "Communication", "us",
     "Median per step: communication that nothing hides, waiting for others included.", TP_COLUMN_NS},
    {"late_percent", "Late", "%", "Share of the steps in which it needed clearly longer than comparable ranks.",
     TP_COLUMN_REAL},
    {"last_percent", "Last", "%", "Share of its joint collectives at which it arrived last.", TP_COLUMN_REAL},
    {"caused_wait_us", "Others wait", "us",
     "Per step: what the others of a process group wait for it in collectives, mean over them; the longest group.",
     TP_COLUMN_NS},
    {"joint_collectives", "Joint", "", "Blocking collectives with other ranks.", TP_COLUMN_INT},
    {"clock_offset_us", "Clock offset", "us",
     "To be added to its clock to agree with the first rank's, by collectives.", TP_COLUMN_NS},
    {"clock_residual_us", "Residual", "us", "How far its collectives' ends stay from the others' after that, median.",
     TP_COLUMN_NS},
    {"component", "Part", "", "Ranks of one part are connected by collectives; others cannot be aligned.",
     TP_COLUMN_INT},
    {"peak_allocated_bytes", "Memory peak", "bytes", "Largest peak of allocated memory of its devices.",
     TP_COLUMN_BYTES},
};

static void fill_rank(struct tp_table *table, const struct tp_job *job, size_t row)
{
    const struct tp_job_rank *rank = tp_job_rank_at(job, row);
    bool is_aligned = rank->component != TP_NO_ID;
    tp_table_text(table, TP_JOB_RANK_NAME)[row] = tp_str_of(tp_job_rank_name(job, rank));
    tp_table_text(table, TP_JOB_RANK_WORKER)[row] = rank->key.worker;
    tp_table_text(table, TP_JOB_RANK_GROUP)[row] = tp_job_cluster_name(job, rank->cluster);
    tp_table_int(table, TP_JOB_RANK_STEPS)[row] = rank->step_count;
    tp_table_int(table, TP_JOB_RANK_STEP)[row] = rank->step_count ? rank->step_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_OWN)[row] = rank->step_count ? rank->own_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_EXCESS)[row] = rank->compared_steps ? rank->excess_ns : TP_NULL_INT;
    for (unsigned p = 0; p < TP_JOB_PARTS; p++)
        tp_table_int(table, TP_JOB_RANK_COMPUTE + p)[row] = rank->step_count ? rank->part_ns[p] : TP_NULL_INT;
    tp_table_real(table, TP_JOB_RANK_LATE)[row] = rank->compared_steps ? 100 * rank->late_share : NAN;
    tp_table_real(table, TP_JOB_RANK_LAST)[row] =
        rank->joint_count ? 100.0 * rank->last_count / rank->joint_count : NAN;
    tp_table_int(table, TP_JOB_RANK_CAUSED)[row] = is_aligned ? rank->caused_wait_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_JOINT)[row] = rank->joint_count;
    tp_table_int(table, TP_JOB_RANK_OFFSET)[row] = is_aligned ? rank->offset_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_RESIDUAL)[row] = is_aligned ? rank->residual_ns : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_COMPONENT)[row] = is_aligned ? rank->component : TP_NULL_INT;
    tp_table_int(table, TP_JOB_RANK_PEAK)[row] = rank->peak_bytes;
}

void tp_job_rank_table(struct tp_table *table, const struct tp_job *job)
{
    tp_table_init(table, job->arena, "ranks", rank_defs, TP_JOB_RANK_COLUMNS, job->ranks.count);
    for (size_t row = 0; row < table->row_count; row++)
        fill_rank(table, job, row);
}

/* ---- groups of ranks ---- */

static const struct tp_column_def cluster_defs[TP_JOB_CLUSTER_COLUMNS] = {
    {"group", "Group", "", "Ranks that do the same work: equal or nearly equal kernels.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Its ranks.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "How many they are.", TP_COLUMN_INT},
    {"step_us", "Step", "us", "Median step over its ranks.", TP_COLUMN_NS},
    {"own_us", "Own work", "us", "Median over its ranks: the step without exposed communication.", TP_COLUMN_NS},
    {"compute_us", "Compute", "us", "Median over its ranks.", TP_COLUMN_NS},
    {"host_us", "Host", "us", "Median over its ranks.", TP_COLUMN_NS},
    {"data_us", "Input", "us", "Median over its ranks.", TP_COLUMN_NS},
    {"communication_us", "Communication", "us", "Median over its ranks.", TP_COLUMN_NS},
    {"spread_percent", "Spread", "%",
     "Deviation over mean of the ranks' own work, the part that stays from step to step, stragglers left out.",
     TP_COLUMN_REAL},
    {"step_spread_percent", "In a step", "%", "The same inside one step, mean over the steps.", TP_COLUMN_REAL},
    {"slowest_rank", "Slowest", "", "Rank with the most own work.", TP_COLUMN_TEXT},
};

void tp_job_cluster_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
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
    {"title", "Finding", "", "What the rule found in single ranks.", TP_COLUMN_TEXT},
    {"rule", "Rule", "", "Its id.", TP_COLUMN_TEXT},
    {"severity", "Severity", "", "The severest of all ranks.", TP_COLUMN_TEXT},
    {"file_line", "Line", "", "Line of the first evidence.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Where it was found.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "In how many ranks.", TP_COLUMN_INT},
    {"worst_rank", "Worst", "", "Rank with the largest ceiling.", TP_COLUMN_INT},
    {"max_ceiling_us_per_step", "Largest ceiling", "us", "Per step, of the worst rank: more cannot be saved.",
     TP_COLUMN_REAL},
    {"mean_ceiling_us_per_step", "Mean ceiling", "us", "Per step, mean over the ranks that have it.", TP_COLUMN_REAL},
    {"occurrences", "Occurrences", "", "Of all ranks.", TP_COLUMN_INT},
};

static int severest_first(const void *x, const void *y, const void *context)
{
    const struct tp_job_merged *a = x, *b = y;
    (void)context;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->max_ceiling_us != b->max_ceiling_us)
        return a->max_ceiling_us > b->max_ceiling_us ? -1 : 1;
    int order = tp_str_compare(a->rule, b->rule);
    return order ? order : tp_str_compare(a->file_line, b->file_line);
}

void tp_job_merged_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    size_t count = job->merged.count;
    struct tp_job_merged *sorted = tp_arena_array(job->arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *TP_AT(&job->merged, struct tp_job_merged, i);
    tp_merge_sort(job->arena, sorted, count, sizeof *sorted, severest_first, NULL);
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
        tp_table_real(table, TP_JOB_MERGED_CEILING)[row] = merged->max_ceiling_us;
        tp_table_real(table, TP_JOB_MERGED_MEAN)[row] = merged->ceiling_sum_us / (double)merged->ranks.count;
        tp_table_int(table, TP_JOB_MERGED_OCCURRENCES)[row] = merged->occurrences;
    }
}

/* ---- facts ---- */

static const struct tp_column_def fact_defs[TP_JOB_FACT_COLUMNS] = {
    {"fact", "Fact", "", "What is not the same for all ranks.", TP_COLUMN_TEXT},
    {"value", "Value", "", "Its value.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Where it is so.", TP_COLUMN_TEXT},
    {"rank_count", "Count", "", "In how many ranks.", TP_COLUMN_INT},
};

void tp_job_fact_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
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
