/* Compares the own work of each rank with that of comparable ranks, step by step.
 *
 * The own work of a step is its length without exposed communication. Ranks wait for a late rank inside a collective.
 * Own work therefore contains no waiting and needs no clock of another rank. The excess of a rank is its own work minus
 * its cluster's median in the same step, as a median over the steps. A rank is a straggler if its excess is larger than
 * the cluster's threshold: a share of the step, and several times the usual spread of its ranks. */
#include <math.h>
#include <stdlib.h>

#include "webreport/compare/job/job_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

/* thresholds for the excess of a rank, as shares of the median step */
static const double SHARE = 0.02, SHARE_FEW_RANKS = 0.03, SHARE_FEW_STEPS = 0.10;
enum { FEW_RANKS = 8, FEW_STEPS = 3, SPREADS = 5 };
static const double MAD_TO_DEVIATION = 1.4826;

/* ---- medians of steps ---- */

/* Fills, for each step, the number of earlier steps of its rank with the same name. */
static void count_earlier_names(const struct tp_job *job, uint32_t *earlier)
{
    uint32_t *count = tp_arena_array(job->arena, job->labels.count, sizeof *count);
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        uint32_t end = rank->first_step + rank->step_count;
        for (uint32_t s = rank->first_step; s < end; s++)
            earlier[s] = count[tp_job_step_at(job, s)->label]++;
        for (uint32_t s = rank->first_step; s < end; s++)
            count[tp_job_step_at(job, s)->label] = 0;
    }
    tp_arena_free_item(job->arena, count, job->labels.count * sizeof *count);
}

/* Makes the columns and lists the steps of each column. A column is a cluster, a name of a step, and the number of
 * earlier steps with that name. Serving engines repeat names of steps, and the number keeps two steps of one rank
 * out of one column. */
static void find_columns_of_steps(struct tp_job *job)
{
    struct tp_keys keys;
    uint32_t *column_of = tp_arena_array(job->arena, job->steps.count, sizeof *column_of);
    uint32_t *earlier = tp_arena_array(job->arena, job->steps.count, sizeof *earlier);
    count_earlier_names(job, earlier);
    tp_keys_init(&keys, job->arena, 3);
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        for (uint32_t s = rank->first_step; s < rank->first_step + rank->step_count; s++) {
            uint32_t label = tp_job_step_at(job, s)->label;
            uint32_t column = column_of[s] = tp_keys_add(&keys, (uint32_t[3]){rank->cluster, label, earlier[s]});
            if (column == job->columns.count)
                *(struct tp_job_column *)tp_vec_push(&job->columns) =
                    (struct tp_job_column){.cluster = rank->cluster, .label = label};
            TP_AT(&job->columns, struct tp_job_column, column)->count++;
        }
    }
    uint32_t at = 0;
    for (size_t c = 0; c < job->columns.count; c++) {
        struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, c);
        column->first = at;
        at += column->count;
        column->count = 0;
    }
    job->column_steps = tp_arena_array(job->arena, job->steps.count, sizeof *job->column_steps);
    job->column_of_step = column_of;
    for (uint32_t s = 0; s < job->steps.count; s++) {
        struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, column_of[s]);
        job->column_steps[column->first + column->count++] = s;
    }
}

static void find_column_medians(struct tp_job *job)
{
    int64_t *values = tp_arena_array(job->arena, job->ranks.count + job->steps.count, sizeof *values);
    for (size_t c = 0; c < job->columns.count; c++) {
        struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, c);
        const uint32_t *steps = job->column_steps + column->first;
        for (uint32_t i = 0; i < column->count; i++)
            values[i] = tp_job_step_at(job, steps[i])->own_ns;
        column->own_ns = tp_lower_median(values, column->count);
        for (uint32_t i = 0; i < column->count; i++)
            values[i] = tp_job_step_at(job, steps[i])->total_ns;
        column->total_ns = tp_lower_median(values, column->count);
        for (int p = 0; p < TP_JOB_PARTS; p++) {
            for (uint32_t i = 0; i < column->count; i++)
                values[i] = tp_job_step_at(job, steps[i])->part_ns[p];
            column->part_ns[p] = tp_lower_median(values, column->count);
        }
    }
    tp_arena_free_item(job->arena, values, (job->ranks.count + job->steps.count) * sizeof *values);
}

/* ---- ranks ---- */

/* Computes the medians of a rank over its steps. values: scratch memory for one number per step. */
static void compute_medians_of_rank(const struct tp_job *job, struct tp_job_rank *rank, int64_t *values)
{
    uint32_t count = rank->step_count, compared = 0;
    if (count == 0)
        return;
    const struct tp_job_step *steps = tp_job_step_at(job, rank->first_step);
    const uint32_t *columns = job->column_of_step + rank->first_step;
    for (uint32_t i = 0; i < count; i++)
        values[i] = steps[i].total_ns;
    rank->step_ns = tp_lower_median(values, count);
    for (uint32_t i = 0; i < count; i++)
        values[i] = steps[i].own_ns;
    rank->own_ns = tp_lower_median(values, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, columns[i]);
        if (column->count > 1)
            values[compared++] = tp_sat_sub(steps[i].own_ns, column->own_ns);
    }
    rank->compared_step_count = compared;
    rank->excess_ns = tp_lower_median(values, compared);
    for (int p = 0; p < TP_JOB_PARTS; p++) {
        for (uint32_t i = 0; i < count; i++)
            values[i] = steps[i].part_ns[p];
        rank->part_ns[p] = tp_lower_median(values, count);
        for (uint32_t i = 0; i < count; i++)
            values[i] =
                tp_sat_sub(steps[i].part_ns[p], TP_AT(&job->columns, struct tp_job_column, columns[i])->part_ns[p]);
        rank->part_excess_ns[p] = tp_lower_median(values, count);
    }
}

/* Returns the share (0 to 1) of compared steps in which the rank's excess is above half of the cluster's threshold. */
static double share_of_late_steps(const struct tp_job *job, const struct tp_job_rank *rank)
{
    int64_t half = tp_job_cluster_at(job, rank->cluster)->threshold_ns / 2;
    uint32_t late = 0;
    for (uint32_t s = rank->first_step; s < rank->first_step + rank->step_count; s++) {
        const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, job->column_of_step[s]);
        late += column->count > 1 && tp_sat_sub(tp_job_step_at(job, s)->own_ns, column->own_ns) > half;
    }
    return rank->compared_step_count ? (double)late / rank->compared_step_count : 0;
}

/* ---- clusters ---- */

/* Collects the values that pick() returns for the ranks of the cluster that have steps. which: second argument of
 * pick(). Returns the number of values. */
static size_t collect_rank_values(const struct tp_job *job, uint32_t cluster,
                                  int64_t (*pick)(const struct tp_job_rank *, int), int which, int64_t *values)
{
    size_t count = 0;
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        if (rank->cluster == cluster && rank->step_count)
            values[count++] = pick(rank, which);
    }
    return count;
}

static int64_t part_time_of_rank_ns(const struct tp_job_rank *rank, int part)
{
    return rank->part_ns[part];
}

static int64_t step_time_of_rank_ns(const struct tp_job_rank *rank, int unused)
{
    (void)unused;
    return rank->step_ns;
}

static int64_t own_time_of_rank_ns(const struct tp_job_rank *rank, int unused)
{
    (void)unused;
    return rank->own_ns;
}

static int64_t absolute_excess_of_rank_ns(const struct tp_job_rank *rank, int unused)
{
    (void)unused;
    return rank->excess_ns < 0 ? tp_sat_sub(0, rank->excess_ns) : rank->excess_ns;
}

static int64_t compared_step_count_of_rank(const struct tp_job_rank *rank, int unused)
{
    (void)unused;
    return rank->compared_step_count;
}

static void compute_medians_of_cluster(const struct tp_job *job, uint32_t number, int64_t *values)
{
    struct tp_job_cluster *cluster = tp_job_cluster_at(job, number);
    size_t count = collect_rank_values(job, number, step_time_of_rank_ns, 0, values);
    cluster->step_ns = tp_lower_median(values, count);
    collect_rank_values(job, number, own_time_of_rank_ns, 0, values);
    cluster->own_ns = tp_lower_median(values, count);
    for (int p = 0; p < TP_JOB_PARTS; p++) {
        collect_rank_values(job, number, part_time_of_rank_ns, p, values);
        cluster->part_ns[p] = tp_lower_median(values, count);
    }
    collect_rank_values(job, number, compared_step_count_of_rank, 0, values);
    int64_t steps = tp_lower_median(values, count);
    collect_rank_values(job, number, absolute_excess_of_rank_ns, 0, values);
    double spread = MAD_TO_DEVIATION * (double)tp_lower_median(values, count);
    double share = steps < FEW_STEPS ? SHARE_FEW_STEPS : count < FEW_RANKS ? SHARE_FEW_RANKS : SHARE;
    cluster->threshold_ns = (int64_t)fmin(9e18, fmax(share * (double)cluster->step_ns, SPREADS * spread));
}

bool tp_job_is_straggler(const struct tp_job *job, const struct tp_job_rank *rank)
{
    return !*rank->damage && rank->compared_step_count &&
           rank->excess_ns > tp_job_cluster_at(job, rank->cluster)->threshold_ns && rank->late_step_ratio >= 2.0 / 3;
}

/* Sums for computing the standard deviation of values divided by their mean. Values are added one at a time. */
struct spread {
    double count, mean, squares;
};

static void add_to_spread(struct spread *spread, double value)
{
    double delta = value - spread->mean;
    spread->count++;
    spread->mean += delta / spread->count;
    spread->squares += delta * (value - spread->mean);
}

static double spread_ratio(const struct spread *spread)
{
    return spread->count > 1 && spread->mean > 0 ? sqrt(spread->squares / spread->count) / spread->mean : 0;
}

static double mean_own_time_of_rank(const struct tp_job *job, const struct tp_job_rank *rank)
{
    double sum = 0;
    for (uint32_t s = 0; s < rank->step_count; s++)
        sum += (double)tp_job_step_at(job, rank->first_step + s)->own_ns;
    return sum / rank->step_count;
}

/* Returns the part of the spread between ranks that persists over the steps. of_means: spread of the ranks' means.
 * inside: spread within a step. steps: number of steps. The contribution of single steps to the spread of the means is
 * subtracted. */
static double spread_without_step_variation(double of_means, double inside, double steps)
{
    if (steps < 2)
        return of_means;
    double squares = (of_means * of_means - inside * inside / steps) / (1 - 1 / steps);
    return squares > 0 ? sqrt(squares) : 0;
}

/* Measures how unequal the work in each cluster is, without its stragglers. Fills the spread between ranks and the
 * spread within steps. rank_of_step: for each step, its rank. */
static void measure_spread_between_ranks(const struct tp_job *job, const uint32_t *rank_of_step)
{
    uint32_t *columns = tp_arena_array(job->arena, job->clusters.count, sizeof *columns);
    double *steps = tp_arena_array(job->arena, job->clusters.count, sizeof *steps);
    struct spread *of_ranks = tp_arena_array(job->arena, job->clusters.count, sizeof *of_ranks);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        struct tp_job_cluster *cluster = tp_job_cluster_at(job, rank->cluster);
        if (rank->step_count && !tp_job_is_straggler(job, rank)) {
            add_to_spread(&of_ranks[rank->cluster], mean_own_time_of_rank(job, rank));
            steps[rank->cluster] += rank->step_count;
        }
        if (rank->own_ns > tp_job_rank_at(job, cluster->slowest)->own_ns ||
            tp_job_rank_at(job, cluster->slowest)->cluster != rank->cluster)
            cluster->slowest = r;
    }
    for (size_t c = 0; c < job->columns.count; c++) {
        const struct tp_job_column *column = TP_AT(&job->columns, struct tp_job_column, c);
        struct tp_job_cluster *cluster = tp_job_cluster_at(job, column->cluster);
        struct spread inside = {0};
        double most = 0;
        for (uint32_t i = 0; i < column->count; i++) {
            uint32_t step = job->column_steps[column->first + i];
            double own = (double)tp_job_step_at(job, step)->own_ns;
            if (tp_job_is_straggler(job, tp_job_rank_at(job, rank_of_step[step])))
                continue;
            add_to_spread(&inside, own);
            most = fmax(most, own);
        }
        if (inside.count < 2)
            continue;
        columns[column->cluster]++;
        cluster->step_spread_ratio += spread_ratio(&inside);
        cluster->imbalance_ns = tp_sat_add(cluster->imbalance_ns, (int64_t)fmin(9e18, most - inside.mean));
    }
    for (size_t c = 0; c < job->clusters.count; c++) {
        struct tp_job_cluster *cluster = tp_job_cluster_at(job, c);
        cluster->step_spread_ratio /= columns[c] ? columns[c] : 1;
        cluster->spread_ratio = spread_without_step_variation(spread_ratio(&of_ranks[c]), cluster->step_spread_ratio,
                                                              of_ranks[c].count > 0 ? steps[c] / of_ranks[c].count : 0);
        cluster->imbalance_ns /= columns[c] ? columns[c] : 1;
    }
}

void tp_job_stragglers_build(struct tp_job *job)
{
    size_t most = job->ranks.count > TP_MAX_JOB_STEPS ? job->ranks.count : TP_MAX_JOB_STEPS;
    int64_t *values = tp_arena_array(job->arena, most, sizeof *values);
    uint32_t *rank_of_step = tp_arena_array(job->arena, job->steps.count, sizeof *rank_of_step);
    find_columns_of_steps(job);
    find_column_medians(job);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        struct tp_job_rank *rank = tp_job_rank_at(job, r);
        compute_medians_of_rank(job, rank, values);
        for (uint32_t s = 0; s < rank->step_count; s++)
            rank_of_step[rank->first_step + s] = r;
    }
    for (uint32_t c = 0; c < job->clusters.count; c++)
        compute_medians_of_cluster(job, c, values);
    for (size_t r = 0; r < job->ranks.count; r++)
        tp_job_rank_at(job, r)->late_step_ratio = share_of_late_steps(job, tp_job_rank_at(job, r));
    measure_spread_between_ranks(job, rank_of_step);
}

/* ---- kernels and operators in which a straggler exceeds its peers ---- */

static int compare_by_excess(const void *x, const void *y, const void *context)
{
    const struct tp_job_excess *a = x, *b = y;
    int64_t p = tp_sat_sub(a->time_ns, a->peer_time_ns), q = tp_sat_sub(b->time_ns, b->peer_time_ns);
    (void)context;
    return (p < q) - (p > q);
}

static const struct tp_job_cost *find_cost(const struct tp_job *job, const struct tp_job_rank *rank,
                                           const struct tp_job_excess *row)
{
    for (uint32_t i = 0; i < rank->cost_count; i++) {
        const struct tp_job_cost *cost = TP_AT(&job->costs, struct tp_job_cost, rank->first_cost + i);
        if (cost->name == row->name && cost->kind == row->kind)
            return cost;
    }
    return NULL;
}

/* Fills the row with the medians of those peers that also have this kernel or operator. Returns false if there are too
 * few such peers. times, counts: scratch memory. */
static bool compute_medians_of_peers(const struct tp_job *job, uint32_t rank, struct tp_job_excess *row, int64_t *times,
                                     int64_t *counts)
{
    size_t count = 0;
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *peer = tp_job_rank_at(job, r);
        if (r == rank || peer->cluster != tp_job_rank_at(job, rank)->cluster || !peer->step_count)
            continue;
        const struct tp_job_cost *cost = find_cost(job, peer, row);
        if (!cost)
            continue;
        times[count] = cost->time_ns / peer->recorded_step_count;
        counts[count++] = tp_sat_mul(cost->count, 1000) / peer->recorded_step_count;
    }
    row->peer_time_ns = tp_lower_median(times, count);
    row->peer_count = (double)tp_lower_median(counts, count) / 1000;
    return count > 0;
}

uint32_t tp_job_find_excess_rows(const struct tp_job *job, uint32_t rank_index, struct tp_job_excess **rows)
{
    const struct tp_job_rank *rank = tp_job_rank_at(job, rank_index);
    int64_t *times = tp_arena_array(job->arena, job->ranks.count, sizeof *times);
    int64_t *counts = tp_arena_array(job->arena, job->ranks.count, sizeof *counts);
    uint32_t found = 0;
    *rows = tp_arena_array(job->arena, rank->cost_count, sizeof **rows);
    for (uint32_t i = 0; i < rank->cost_count && rank->step_count; i++) {
        const struct tp_job_cost *cost = TP_AT(&job->costs, struct tp_job_cost, rank->first_cost + i);
        struct tp_job_excess row = {cost->name,
                                    cost->kind,
                                    cost->time_ns / rank->recorded_step_count,
                                    0,
                                    (double)cost->count / rank->recorded_step_count,
                                    0};
        if (compute_medians_of_peers(job, rank_index, &row, times, counts))
            (*rows)[found++] = row;
    }
    tp_merge_sort(job->arena, *rows, found, sizeof **rows, compare_by_excess, NULL);
    return found;
}
