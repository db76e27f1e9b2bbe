/* Computes bounds for the difference of two tensors from their statistics. See array_bounds.h. */
#include "webreport/compare/tensors/array_bounds.h"

#include <float.h>
#include <math.h>

/* SLACK: largest relative difference that is ignored, because sums are rounded. EXACT: minimum and maximum below this
 * value (2^53) are exact; larger 64-bit integers are rounded. */
static const double SLACK = 16 * DBL_EPSILON;
static const double EXACT = 9007199254740992.0;

static uint64_t absolute_difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static double subtract_rounding_slack(double value, double slack)
{
    return value > slack ? value - slack : 0;
}

static double largest_magnitude(const struct tp_tensor_stats *s)
{
    return fmax(fabs(s->min), fabs(s->max));
}

/* Returns whether the values are equal, or both are NaN. */
static bool is_equal_or_both_nan(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_same_statistics(const struct tp_tensor_stats *a, const struct tp_tensor_stats *b)
{
    return a->zero_count == b->zero_count && a->nan_count == b->nan_count && a->inf_count == b->inf_count &&
           is_equal_or_both_nan(a->min, b->min) && is_equal_or_both_nan(a->max, b->max) &&
           is_equal_or_both_nan(a->mean, b->mean) && is_equal_or_both_nan(a->std, b->std) &&
           is_equal_or_both_nan(a->l2, b->l2);
}

/* Returns a lower bound of max |x - y|, computed from the minimum and maximum of both tensors. */
static double min_max_bound(const struct tp_tensor_stats *a, const struct tp_tensor_stats *b)
{
    double bound = fmax(fabs(a->min - b->min), fabs(a->max - b->max)),
           size = fmax(largest_magnitude(a), largest_magnitude(b));
    return size < EXACT ? bound : subtract_rounding_slack(bound, SLACK * size);
}

static double spread_bound(const struct tp_tensor_stats *a, const struct tp_tensor_stats *b)
{
    double rms = hypot(a->mean, a->std) + hypot(b->mean, b->std);
    return subtract_rounding_slack(hypot(a->mean - b->mean, a->std - b->std), SLACK * rms);
}

static double cosine_bound(const struct tp_tensor_stats *a, const struct tp_tensor_stats *b)
{
    double of_a = hypot(a->mean, a->std), of_b = hypot(b->mean, b->std);
    if (!(of_a > 0) || !(of_b > 0))
        return NAN;
    return fmin(1, a->mean / of_a * (b->mean / of_b) + a->std / of_a * (b->std / of_b) + SLACK);
}

/* Returns the number of mismatches that the statistics prove. If the numbers of NaN and infinite elements are equal,
 * either their positions differ, which is a mismatch, or the finite elements are paired with each other, so that
 * `error` applies. */
static uint64_t mismatch_bound(const struct tp_tensor_stats *base, const struct tp_tensor_stats *new, double error,
                               const struct tp_tolerance *tolerance)
{
    uint64_t odd = base->nan_count + base->inf_count, new_odd = new->nan_count + new->inf_count;
    uint64_t count = (absolute_difference(base->nan_count, new->nan_count) +
                      absolute_difference(base->inf_count, new->inf_count) + absolute_difference(odd, new_odd)) /
                     2; /* each changed element is counted in two kinds, so that the sum is halved */
    bool is_exact = tolerance->rtol == 0 && tolerance->atol == 0;
    if (count == 0 && is_exact)
        count = absolute_difference(base->zero_count, new->zero_count);
    return count == 0 && error > tolerance->atol + tolerance->rtol * largest_magnitude(base) ? 1 : count;
}

bool tp_statistics_compare(struct tp_difference *d, const struct tp_tensor_stats *base,
                           const struct tp_tensor_stats *new, const struct tp_tolerance *tolerance)
{
    uint64_t odd = base->nan_count + base->inf_count + new->nan_count + new->inf_count;
    double spread = spread_bound(base, new), error = fmax(min_max_bound(base, new), spread);
    *d = (struct tp_difference){.count = base->count,
                                .mismatch_count = mismatch_bound(base, new, error, tolerance),
                                .base_nan_count = base->nan_count,
                                .new_nan_count = new->nan_count,
                                .base_inf_count = base->inf_count,
                                .new_inf_count = new->inf_count,
                                .max_abs = NAN,
                                .max_rel = NAN,
                                .rmse = NAN,
                                .cosine = NAN,
                                .worst = UINT64_MAX,
                                .base_at_worst = NAN,
                                .new_at_worst = NAN,
                                .first_mismatch = UINT64_MAX};
    if (odd == 0 && base->count > 0) {
        d->finite_count = base->count;
        d->max_abs = error;
        d->max_rel = base->zero_count == 0 ? error / largest_magnitude(base) : NAN;
        d->rmse = fmax(spread, subtract_rounding_slack(error / sqrt((double)base->count), SLACK * error));
        d->cosine = cosine_bound(base, new);
    }
    return is_same_statistics(base, new);
}
