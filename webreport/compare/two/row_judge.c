/* Tests the changes of rows over several runs. See row_judge.h. */
#include "webreport/compare/two/row_judge.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/noise/run_change.h"
#include "writer/base/multiplicity.h"
#include "writer/base/stats.h"
#include "writer/base/student.h"

/* ---- distribution of the noise over all rows ---- */

enum { FIT_FROM = 8, MANY_ROWS = 20 };
#define LEAST_WORTH 1.0
#define MOST_WORTH 50.0

/* Returns the first derivative of log gamma, from finite differences. trigamma returns the second derivative, from a
 * series. Both compute like the reference implementation of the tests. */
static double digamma(double x)
{
    const double h = 1e-4;
    return x > 1e-3 ? (lgamma(x + h) - lgamma(x - h)) / (2 * h) : -1 / x;
}

static double trigamma(double x)
{
    enum { TERMS = 200 };
    double sum = 0;
    for (int i = 0; i < TERMS; i++)
        sum += 1 / ((x + i) * (x + i));
    return sum + 1 / (x + TERMS - 0.5);
}

/* Returns the degrees of freedom of a distribution of variances. variance: variance of the logarithms of these
 * variances, beyond chance. */
static double degrees_of_freedom(double variance)
{
    double low = 0.05, high = 100;
    if (variance <= 0.01)
        return MOST_WORTH;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);
        if (trigamma(middle) > variance)
            low = middle;
        else
            high = middle;
    }
    return fmax(LEAST_WORTH, fmin(MOST_WORTH, 2 * low));
}

struct tp_run_noise tp_row_noise_estimate(const double *sds, size_t count, double freedom)
{
    double sum = 0, squares = 0, positive_count = 0;
    for (size_t i = 0; i < count; i++)
        if (sds[i] > 0) {
            sum += log(sds[i] * sds[i]);
            positive_count++;
        }
    if (positive_count < FIT_FROM)
        return (struct tp_run_noise){0, 0, 0};
    double mean = sum / positive_count;
    for (size_t i = 0; i < count; i++)
        if (sds[i] > 0)
            squares += (log(sds[i] * sds[i]) - mean) * (log(sds[i] * sds[i]) - mean);
    double worth = degrees_of_freedom(squares / (positive_count - 1) - trigamma(freedom / 2));
    double variance =
        /* logarithm of the typical variance of rows */
        mean - digamma(freedom / 2) + log(freedom / 2) + digamma(worth / 2) - log(worth / 2);
    return (struct tp_run_noise){sqrt(exp(variance)), worth, 0};
}

/* ---- all rows ---- */

/* Levels of all rows and runs of a side, without the shift of each run. */
struct centred {
    double *levels;
    size_t runs;
    double shift; /* mean shift of the side's runs, as a logarithm */
};

static double level_of_run(const struct tp_row_levels *row, bool is_new, size_t run)
{
    return is_new ? row->new_side[run] : row->base[run];
}

/* Returns the shift of a run relative to the first run of the base: the median over the rows, weighted by their
 * share of the time. */
static double median_shift_of_run(const struct tp_row_levels *rows, size_t count, bool is_new, size_t run,
                                  struct tp_arena *arena)
{
    struct tp_weighted *items = tp_arena_array(arena, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct tp_weighted){level_of_run(&rows[i], is_new, run) - rows[i].base[0], rows[i].share};
    double shift = tp_weighted_median(items, count, arena);
    tp_arena_free_item(arena, items, count * sizeof *items);
    return shift;
}

static struct centred subtract_run_shifts(const struct tp_row_levels *rows, size_t count, bool is_new, size_t runs,
                                          struct tp_arena *arena)
{
    struct centred c = {tp_arena_array(arena, count * runs, sizeof *c.levels), runs, 0};
    for (size_t run = 0; run < runs; run++) {
        double shift = median_shift_of_run(rows, count, is_new, run, arena);
        c.shift += shift / (double)runs;
        for (size_t i = 0; i < count; i++)
            c.levels[i * runs + run] = level_of_run(&rows[i], is_new, run) - shift;
    }
    return c;
}

/* Returns the sum of a row's squared deviations from its mean. scratch: room for one number per run of the side. */
static double sum_of_squares(const struct centred *c, size_t row, double *scratch)
{
    memcpy(scratch, c->levels + row * c->runs, c->runs * sizeof *scratch);
    return tp_sum_squared_deviations(scratch, c->runs);
}

/* Noise of rows, estimated from all rows together. */
struct rows_noise {
    double *variance;        /* for each row: variance around the mean of each side */
    double freedom;          /* degrees of freedom of each variance */
    struct tp_run_noise fit; /* fitted distribution of the rows' noise; its freedom is 0 if unknown */
    double across; /* standard deviation between runs, computed from the differences between the rows' changes */
    bool is_many;  /* true: there are at least MANY_ROWS rows */
    bool is_wall_clock;
    const double *changes; /* for each row: its change, as a logarithm */
    size_t count;          /* number of rows */
    double width;          /* standard deviation of a change, divided by the standard deviation between runs */
};

/* Returns the standard deviation between runs, estimated from the changes of all rows except `row`. Load disturbs some
 * rows much more than others, so that a row must not contribute to its own noise. */
static double noise_of_other_rows(const struct rows_noise *n, size_t row)
{
    double sum = 0, squares = 0, count = (double)n->count - 1;
    for (size_t i = 0; i < n->count; i++) {
        sum += i == row ? 0 : n->changes[i];
        squares += i == row ? 0 : n->changes[i] * n->changes[i];
    }
    return sqrt(fmax(squares - sum * sum / count, 0) / (count - 1)) / n->width;
}

static struct tp_run_noise noise_of_row(const struct rows_noise *n, const struct tp_row_levels *row, size_t i)
{
    const double least_fitted = 0.001, least = 0.003, least_of_many = 0.0015;
    double sd, worth;
    if (n->fit.freedom > 0) {
        sd = fmax(n->fit.sd, least_fitted);
        worth = n->fit.freedom;
    } else if (n->freedom >= 2) {
        sd = fmax(n->across, least);
        worth = 4;
    } else { /* with few runs, uses the larger of two estimates: from the row's steps, or from the other rows */
        sd = fmax(fmax(n->across, fmax(row->base_step_variation, row->new_step_variation)),
                  n->is_many ? least_of_many : least);
        return (struct tp_run_noise){sd, n->is_many ? 6 : 4, 0};
    }
    double variance = (worth * sd * sd + n->freedom * n->variance[i]) / (worth + n->freedom);
    sd = n->is_wall_clock ? fmax(sqrt(variance), noise_of_other_rows(n, i)) : sqrt(variance);
    return (struct tp_run_noise){sd, worth + n->freedom, 0};
}

static void find_noise_of_rows(struct rows_noise *n, const struct centred sides[2], const double *changes, size_t count,
                               struct tp_arena *arena)
{
    const double least_variance = 1e-10;
    size_t most = sides[0].runs > sides[1].runs ? sides[0].runs : sides[1].runs;
    double *scratch = tp_arena_array(arena, count, sizeof *scratch);
    double *levels = tp_arena_array(arena, most, sizeof *levels);
    n->variance = tp_arena_array(arena, count, sizeof *n->variance);
    n->freedom = (double)(sides[0].runs + sides[1].runs) - 2;
    n->is_many = count >= MANY_ROWS;
    for (size_t i = 0; i < count; i++)
        scratch[i] = changes[i];
    n->across = tp_robust_deviation(scratch, count) / sqrt(1 / (double)sides[0].runs + 1 / (double)sides[1].runs);
    for (size_t i = 0; i < count && n->freedom >= 2; i++) {
        n->variance[i] = (sum_of_squares(&sides[0], i, levels) + sum_of_squares(&sides[1], i, levels)) / n->freedom;
        scratch[i] = sqrt(fmax(n->variance[i], least_variance));
    }
    n->fit = (struct tp_run_noise){0, 0, 0};
    if (n->freedom >= 2)
        n->fit = tp_row_noise_estimate(scratch, count, n->freedom);
    tp_arena_free_item(arena, scratch, count * sizeof *scratch);
    tp_arena_free_item(arena, levels, most * sizeof *levels);
}

/* Returns the shift of the short steps of a run, relative to the first run of the base. The shift is the unweighted
 * median over the rows, because a weighted median would depend on a few costly rows, which do not represent the
 * machine. scratch: room for `count` numbers. */
static double median_low_shift(const struct tp_row_levels *rows, size_t count, bool is_new, size_t run, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = (is_new ? rows[i].new_low_levels : rows[i].base_low_levels)[run] - rows[i].base_low_levels[0];
    return tp_median(scratch, count);
}

/* Returns the change of a row's short steps between the medians of both sides, without the shift of all rows.
 * shifts: one per run, base first. scratch: room for the runs of either side. */
static double low_change_of_row(const struct tp_row_levels *row, const size_t run_counts[2], const double *shifts,
                                double *scratch)
{
    double middles[2];
    for (int side = 0; side < 2; side++) {
        const double *low = side ? row->new_low_levels : row->base_low_levels;
        for (size_t run = 0; run < run_counts[side]; run++)
            scratch[run] = low[run] - shifts[(side ? run_counts[0] : 0) + run];
        middles[side] = tp_median(scratch, run_counts[side]);
    }
    return middles[1] - middles[0];
}

static void confirm_rows_by_short_steps(struct tp_row_judgement *judgement, const struct tp_row_levels *rows,
                                        size_t count, const size_t run_counts[2], struct tp_arena *arena)
{
    size_t runs = run_counts[0] + run_counts[1];
    double *shifts = tp_arena_array(arena, runs, sizeof *shifts);
    double *of_runs = tp_arena_array(arena, runs, sizeof *of_runs);
    double *of_rows = tp_arena_array(arena, count, sizeof *of_rows);
    for (size_t run = 0; run < runs; run++)
        shifts[run] = median_low_shift(rows, count, run >= run_counts[0],
                                       run >= run_counts[0] ? run - run_counts[0] : run, of_rows);
    for (size_t i = 0; i < count; i++) {
        double low = low_change_of_row(&rows[i], run_counts, shifts, of_runs);
        judgement->rows[i].is_confirmed = tp_short_steps_confirm(log1p(judgement->rows[i].estimate), low);
    }
    judgement->low_shift = tp_median(shifts + run_counts[0], run_counts[1]) - tp_median(shifts, run_counts[0]);
    tp_arena_free_item(arena, of_rows, count * sizeof *of_rows);
    tp_arena_free_item(arena, of_runs, runs * sizeof *of_runs);
    tp_arena_free_item(arena, shifts, runs * sizeof *shifts);
}

/* Sets is_sure and is_listed of each row from its p-value. */
static void mark_significant(struct tp_row_verdict *rows, size_t count, double doubt, struct tp_arena *arena)
{
    double *p = tp_arena_array(arena, count, sizeof *p);
    bool *is_kept = tp_arena_array(arena, count, sizeof *is_kept);
    for (size_t i = 0; i < count; i++)
        p[i] = rows[i].p;
    tp_holm(is_kept, p, count, doubt, arena);
    for (size_t i = 0; i < count; i++)
        rows[i].is_sure = is_kept[i];
    tp_benjamini_hochberg(is_kept, p, count, TP_ROW_LIST_RATE, arena);
    for (size_t i = 0; i < count; i++)
        rows[i].is_listed = is_kept[i];
    tp_arena_free_item(arena, p, count * sizeof *p);
    tp_arena_free_item(arena, is_kept, count * sizeof *is_kept);
}

struct tp_row_judgement tp_rows_judge(const struct tp_row_levels *rows, size_t count, const size_t run_counts[2],
                                      double doubt, bool is_wall_clock, struct tp_arena *arena)
{
    const size_t base_count = run_counts[0], new_count = run_counts[1];
    struct tp_row_judgement judgement = {.low_shift = NAN};
    if (count < TP_ROWS_LEAST)
        return judgement;
    const struct centred sides[2] = {subtract_run_shifts(rows, count, false, base_count, arena),
                                     subtract_run_shifts(rows, count, true, new_count, arena)};
    double *changes = tp_arena_array(arena, count, sizeof *changes);
    double width = sqrt(1 / (double)base_count + 1 / (double)new_count);
    struct rows_noise noise = {.is_wall_clock = is_wall_clock, .changes = changes, .count = count, .width = width};
    for (size_t i = 0; i < count; i++)
        changes[i] = tp_sum(sides[1].levels + i * new_count, new_count) / (double)new_count -
                     tp_sum(sides[0].levels + i * base_count, base_count) / (double)base_count;
    find_noise_of_rows(&noise, sides, changes, count, arena);
    judgement.shift = sides[1].shift - sides[0].shift;
    judgement.rows = tp_arena_array(arena, count, sizeof *judgement.rows);
    for (size_t i = 0; i < count; i++) {
        struct tp_run_noise own = noise_of_row(&noise, &rows[i], i);
        judgement.rows[i] = (struct tp_row_verdict){
            .estimate = expm1(changes[i]),
            .p = tp_student_tail_probability(changes[i] / (own.sd * width), own.freedom),
            .noise = own,
            .is_confirmed = true,
            .half_width = own.sd * width * tp_student_quantile(1 - TP_ROW_ERROR_CHANCE / 2, own.freedom)};
    }
    mark_significant(judgement.rows, count, doubt, arena);
    if (is_wall_clock && rows[0].base_low_levels)
        confirm_rows_by_short_steps(&judgement, rows, count, run_counts, arena);
    return judgement;
}
