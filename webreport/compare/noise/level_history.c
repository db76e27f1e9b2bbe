/* Analyses the levels of stored runs. See level_history.h. */
#include "webreport/compare/noise/level_history.h"

#include <math.h>

#include "writer/base/stats.h"

enum { NOISE_FROM = 4, LEVEL_FROM = 2, ACCEPTED_NOISE_FROM = 3, LOADED_FROM = 3 };

double tp_level_history_noise(const struct tp_levels *history, struct tp_arena *arena)
{
    const double least = 1e-9;
    size_t count = history->count;
    if (count < NOISE_FROM)
        return NAN;
    double *steps = tp_arena_array(arena, count, sizeof *steps);
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = fabs(history->items[i] - history->items[i - 1]);
    double sd = 1.4826 * tp_median(steps, count - 1) / sqrt(2);
    tp_arena_free_item(arena, steps, count * sizeof *steps);
    return fmax(sd, least);
}

/* ---- lasting changes: optimal partitioning (Jackson and others 2005) ---- */

/* Returns the median of five levels: of run i, its two predecessors and its two successors. At both ends of the
 * history, the first or last run is repeated. */
static double median_of_neighbours(const struct tp_levels *h, size_t i)
{
    double near[5] = {h->items[i > 2 ? i - 2 : 0], h->items[i - 1], h->items[i], h->items[i + 1],
                      h->items[i + 2 < h->count ? i + 2 : h->count - 1]};
    return tp_median(near, 5);
}

/* Running sums over the levels of the runs, with winsorized outliers. Levels are relative to the first level, so that
 * the deviation of equal runs is exactly 0. */
struct sums {
    double *level, *square; /* arrays of count + 1 items; item i is the sum over the first i runs */
};

static struct sums compute_level_sums(const struct tp_levels *h, double sd, struct tp_arena *arena)
{
    const double far = 3.5;
    size_t count = h->count;
    struct sums sums = {tp_arena_array(arena, count + 1, sizeof(double)),
                        tp_arena_array(arena, count + 1, sizeof(double))};
    for (size_t i = 0; i < count; i++) {
        bool is_inside = i > 0 && i + 1 < count;
        double level = h->items[i], middle = is_inside ? median_of_neighbours(h, i) : level;
        level = (fabs(level - middle) > far * sd ? middle : level) - h->items[0];
        sums.level[i + 1] = sums.level[i] + level;
        sums.square[i + 1] = sums.square[i] + level * level;
    }
    return sums;
}

/* Returns the sum of squared deviations of runs i to j - 1 from their mean, in units of the variance sd * sd. */
static double squared_deviations_of_runs(const struct sums *sums, size_t i, size_t j, double sd)
{
    double sum = sums->level[j] - sums->level[i];
    return (sums->square[j] - sums->square[i] - sum * sum / (double)(j - i)) / (sd * sd);
}

/* Fills before[j] with the first run of the last level in the best partition of the first j runs into levels. */
static void find_best_partition(size_t *before, const struct sums *sums, size_t count, double sd,
                                struct tp_arena *arena)
{
    double penalty = 4 * log((double)count) + 6, *best = tp_arena_array(arena, count + 1, sizeof *best);
    best[0] = -penalty;
    for (size_t j = 1; j <= count; j++) {
        best[j] = INFINITY;
        for (size_t i = 0; i + LEVEL_FROM <= j; i++) {
            double cost = best[i] + squared_deviations_of_runs(sums, i, j, sd) + penalty;
            if (cost < best[j]) {
                best[j] = cost;
                before[j] = i;
            }
        }
    }
    tp_arena_free_item(arena, best, (count + 1) * sizeof *best);
}

size_t *tp_level_history_changes(size_t *count, const struct tp_levels *history, double sd, struct tp_arena *arena)
{
    size_t runs = history->count, *starts = tp_arena_array(arena, runs + 1, sizeof *starts);
    *count = 1;
    if (isnan(sd))
        sd = tp_level_history_noise(history, arena);
    if (runs < NOISE_FROM || !(sd > 0))
        return starts;
    size_t *before = tp_arena_array(arena, runs + 1, sizeof *before), found = 0;
    struct sums sums = compute_level_sums(history, sd, arena);
    find_best_partition(before, &sums, runs, sd, arena);
    for (size_t j = runs; j > 0; j = before[j])
        found++;
    *count = found;
    for (size_t j = runs; j > 0; j = before[j])
        starts[--found] = before[j];
    return starts;
}

/* ---- comparison with the accepted level ---- */

/* Returns the standard deviation of the accepted runs. On a machine whose speed drifts, this deviation is larger than
 * the differences of neighboring runs suggest. */
static double noise_of_accepted_runs(const struct tp_levels *accepted, struct tp_arena *arena)
{
    double *values = tp_levels_winsorize(accepted, NULL, arena);
    double sd = sqrt(tp_sum_squared_deviations(values, accepted->count) / ((double)accepted->count - 1));
    tp_arena_free_item(arena, values, accepted->count * sizeof *values);
    return sd;
}

struct tp_run_change tp_level_history_change(const struct tp_levels *history, const struct tp_levels *accepted,
                                             const struct tp_levels *new_side, const struct tp_run_context *known,
                                             struct tp_arena *arena)
{
    /* degrees of freedom for each difference between neighboring runs; below 1, because differences share runs */
    const double trust = 0.6;
    struct tp_run_context context = *known;
    double sd = tp_level_history_noise(history, arena);
    if (!isnan(sd)) {
        size_t levels;
        tp_level_history_changes(&levels, history, NAN, arena);
        double freedom = (double)history->count - (double)levels, worth = known->prior.freedom, guess = known->prior.sd;
        if (accepted->count >= ACCEPTED_NOISE_FROM)
            sd = fmax(sd, noise_of_accepted_runs(accepted, arena));
        context.prior.sd = sqrt((worth * guess * guess + freedom * sd * sd) / (worth + freedom));
        context.prior.freedom = worth + trust * freedom;
    }
    return tp_run_change_of_sides(accepted, new_side, &context, arena);
}

bool tp_run_was_machine_busy(double ratio, double *history, size_t count)
{
    const double least = 0.05, least_spread = 0.01, alone = 0.5;
    if (count < LOADED_FROM)
        return ratio < alone;
    double middle = tp_median(history, count), spread = fmax(tp_robust_deviation(history, count), least_spread);
    return ratio < middle - fmax(4 * spread, least);
}
