/* Compares two arrays. See array_compare.h. */
#include "webreport/compare/tensors/array_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, LANE = 64 };

/* Default tolerance of each type, from torch/testing/_comparison.py, _DTYPE_PRECISIONS. Integers and booleans must
 * be equal. */
static const struct tp_tolerance tolerances[TP_NPY_TYPE_COUNT] = {
    [TP_NPY_FLOAT16] = {1e-3, 1e-5},
    [TP_NPY_BFLOAT16] = {1.6e-2, 1e-5},
    [TP_NPY_FLOAT32] = {1.3e-6, 1e-5},
    [TP_NPY_FLOAT64] = {1e-7, 1e-7},
};

struct tp_tolerance tp_tolerance_between(const struct tp_tolerance *wanted, enum tp_npy_type base, enum tp_npy_type new)
{
    struct tp_tolerance of_base = tolerances[base], of_new = tolerances[new];
    return (struct tp_tolerance){isnan(wanted->rtol) ? fmax(of_base.rtol, of_new.rtol) : wanted->rtol,
                                 isnan(wanted->atol) ? fmax(of_base.atol, of_new.atol) : wanted->atol};
}

/* A sum of doubles with a correction for rounding (Neumaier). */
struct sum {
    double value, lost;
};

static void add_compensated(struct sum *sum, double x)
{
    double total = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

static double compensated_total(const struct sum *sum)
{
    return isfinite(sum->value) ? sum->value + sum->lost : sum->value;
}

enum { SQUARE_DIFFERENCE, SQUARE_BASE, SQUARE_NEW, PRODUCT, SUM_COUNT };

struct comparison {
    struct tp_array *base_array, *new_array;
    struct tp_npy base, new;
    struct tp_tolerance tolerance;
    /* true: both arrays have 64-bit integers, which are subtracted exactly */
    bool is_exact;
    bool is_fortran;                                /* true: both arrays are read in Fortran order */
    double base_scale, new_scale, difference_scale; /* powers of two that keep squares within the range of doubles */
    double max_base, max_new;                       /* largest magnitude in the finite pairs, for each array */
    struct sum sums[SUM_COUNT];
    double x[BLOCK], y[BLOCK], d[BLOCK];
    uint64_t wide_x[BLOCK], wide_y[BLOCK];
};

/* ---- a block ---- */

/* Returns x - y of two 64-bit integers. Uses the GNU type __int128, because the difference needs 65 bits. */
static double difference_of_wide_integers(const struct comparison *c, size_t i)
{
    __int128 x = c->new.type == TP_NPY_UINT64 ? (__int128)c->wide_x[i] : (__int128)(int64_t)c->wide_x[i];
    __int128 y = c->base.type == TP_NPY_UINT64 ? (__int128)c->wide_y[i] : (__int128)(int64_t)c->wide_y[i];
    return (double)(x - y);
}

/* Adds the products of a block to the sums. Up to LANE elements are summed without a correction for rounding. Only
 * adding such a partial sum to the total uses the correction. */
static void add_products_of_block(struct comparison *c, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t stop = count - i < LANE ? count : i + LANE;
        double part[SUM_COUNT] = {0};
        for (; i < stop; i++) {
            if (!isfinite(c->x[i]) || !isfinite(c->y[i]))
                continue;
            double x = c->x[i] * c->new_scale, y = c->y[i] * c->base_scale, d = c->d[i] * c->difference_scale;
            part[SQUARE_DIFFERENCE] += d * d;
            part[SQUARE_BASE] += y * y;
            part[SQUARE_NEW] += x * x;
            part[PRODUCT] += x * y;
        }
        for (int k = 0; k < SUM_COUNT; k++)
            add_compensated(&c->sums[k], part[k]);
    }
}

/* Returns whether two elements agree, of which at least one is not finite. */
static bool are_equal_nonfinite_elements(double x, double y)
{
    return (isnan(x) && isnan(y)) || x == y;
}

static void compare_elements_of_block(struct comparison *c, struct tp_difference *out, size_t count, uint64_t first)
{
    for (size_t i = 0; i < count; i++) {
        double x = c->x[i], y = c->y[i], d = c->d[i], size = fabs(d);
        bool is_finite = isfinite(x) && isfinite(y), is_match;
        if (is_finite) {
            is_match = size <= c->tolerance.atol + c->tolerance.rtol * fabs(y);
            out->finite_count++;
            c->max_base = fmax(c->max_base, fabs(y));
            c->max_new = fmax(c->max_new, fabs(x));
            if (y != 0 && !(size / fabs(y) <= out->max_rel))
                out->max_rel = size / fabs(y);
            /* the condition is also true for the first pair, when max_abs is still NaN */
            if (!(size <= out->max_abs)) {
                out->max_abs = size;
                out->worst = first + i;
                out->base_at_worst = y;
                out->new_at_worst = x;
            }
        } else {
            is_match = are_equal_nonfinite_elements(x, y);
            out->new_nan_count += isnan(x);
            out->base_nan_count += isnan(y);
            out->new_inf_count += isinf(x) != 0;
            out->base_inf_count += isinf(y) != 0;
        }
        if (!is_match && out->mismatch_count++ == 0)
            out->first_mismatch = first + i;
    }
}

static int read_next_block(struct comparison *c, size_t count, bool *is_new, struct tp_error *err)
{
    uint64_t *wide_x = c->is_exact ? c->wide_x : NULL, *wide_y = c->is_exact ? c->wide_y : NULL;
    *is_new = false;
    int code = tp_array_read(c->base_array, &c->base, count, c->y, wide_y, err);
    if (code < 0)
        return code;
    *is_new = true;
    code = tp_array_read(c->new_array, &c->new, count, c->x, wide_x, err);
    for (size_t i = 0; code == TP_OK && i < count; i++)
        c->d[i] = c->is_exact ? difference_of_wide_integers(c, i) : c->x[i] - c->y[i];
    return code;
}

/* ---- a pass ---- */

static void close_arrays(struct comparison *c)
{
    tp_array_close(c->base_array);
    tp_array_close(c->new_array);
    c->base_array = c->new_array = NULL;
}

static bool has_same_shape(const struct tp_npy *a, const struct tp_npy *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static void set_bfloat16_type(struct tp_npy *npy, bool is_bfloat16)
{
    if (is_bfloat16 && npy->type == TP_NPY_UINT16)
        npy->type = TP_NPY_BFLOAT16;
}

static int open_arrays(struct comparison *c, const struct tp_array_pair *pair, bool *is_new, struct tp_error *err)
{
    struct tp_error ignored;
    *is_new = false;
    int code = tp_array_open(&c->base_array, &c->base, &pair->base, err);
    set_bfloat16_type(&c->base, pair->base_is_bfloat16);
    *is_new = code == TP_OK;
    int new_code = tp_array_open(&c->new_array, &c->new, &pair->new, code < 0 ? &ignored : err);
    set_bfloat16_type(&c->new, pair->new_is_bfloat16);
    if (code < 0 || new_code < 0)
        return code < 0 ? code : new_code;
    if (!has_same_shape(&c->base, &c->new))
        return tp_error_set(err, TP_EUSAGE, 0, "the shapes differ");
    c->is_fortran = c->base.rank > 1 && c->base.is_fortran && c->new.is_fortran;
    if (c->is_fortran || c->base.is_fortran == c->new.is_fortran)
        return TP_OK;
    *is_new = c->new.is_fortran;
    return tp_array_convert_to_c_order(*is_new ? c->new_array : c->base_array, err);
}

static int compare_all_blocks(struct comparison *c, struct tp_difference *out, bool *is_new, struct tp_error *err)
{
    int code = TP_OK;
    memset(c->sums, 0, sizeof c->sums);
    for (uint64_t at = 0; at < c->base.count && code == TP_OK; at += BLOCK) {
        size_t count = c->base.count - at < BLOCK ? (size_t)(c->base.count - at) : BLOCK;
        code = read_next_block(c, count, is_new, err);
        if (code < 0)
            break;
        if (out)
            compare_elements_of_block(c, out, count, at);
        add_products_of_block(c, count);
    }
    return code;
}

/* Returns the power of two by which elements are multiplied. The factor brings `largest` near 1 if squares would leave
 * the range of doubles; otherwise it is 1. */
static double scale_near_one(double largest)
{
    /* sums of up to 10^12 squares of values between these limits fit in a double */
    const double small = 1e-140, large = 1e140;
    if (!(largest > 0) || isinf(largest) || (largest > small && largest < large))
        return 1;
    int exponent = -ilogb(largest);
    return ldexp(1, exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent);
}

static bool set_and_test_scales(struct comparison *c, const struct tp_difference *d)
{
    c->base_scale = scale_near_one(c->max_base);
    c->new_scale = scale_near_one(c->max_new);
    c->difference_scale = scale_near_one(d->max_abs);
    return c->base_scale != 1 || c->new_scale != 1 || c->difference_scale != 1;
}

/* Returns the index in C order of the element with index `at` in Fortran order. */
static uint64_t c_order_index(const struct tp_npy *npy, uint64_t at)
{
    uint64_t place = 0, scale = npy->count;
    if (at == UINT64_MAX)
        return at;
    for (uint32_t i = 0; i < npy->rank; i++) {
        uint64_t dim = (uint64_t)npy->dims[i];
        scale /= dim;
        place += at % dim * scale;
        at /= dim;
    }
    return place;
}

static void fill_final_numbers(const struct comparison *c, struct tp_difference *d)
{
    double square = compensated_total(&c->sums[SQUARE_DIFFERENCE]);
    double norms = sqrt(compensated_total(&c->sums[SQUARE_BASE])) * sqrt(compensated_total(&c->sums[SQUARE_NEW]));
    if (d->finite_count) {
        d->rmse = isinf(d->max_abs) ? INFINITY : sqrt(square / (double)d->finite_count) / c->difference_scale;
        d->cosine = norms > 0 ? fmax(-1, fmin(1, compensated_total(&c->sums[PRODUCT]) / norms)) : NAN;
    }
    if (c->is_fortran) {
        d->worst = c_order_index(&c->base, d->worst);
        d->first_mismatch = c_order_index(&c->base, d->first_mismatch);
    }
}

static int compare_opened_arrays(struct comparison *c, struct tp_difference *d, const struct tp_array_pair *pair,
                                 const struct tp_tolerance *tolerance, bool *is_new, struct tp_error *err)
{
    int code = open_arrays(c, pair, is_new, err);
    if (code < 0)
        return code;
    c->tolerance = tp_tolerance_between(tolerance, c->base.type, c->new.type);
    c->is_exact = tp_npy_type_is_wide(c->base.type) && tp_npy_type_is_wide(c->new.type);
    d->count = c->base.count;
    code = compare_all_blocks(c, d, is_new, err);
    if (code == TP_OK && set_and_test_scales(c, d)) {
        close_arrays(c);
        code = open_arrays(c, pair, is_new, err);
        code = code < 0 ? code : compare_all_blocks(c, NULL, is_new, err);
    }
    if (code == TP_OK)
        fill_final_numbers(c, d);
    return code;
}

int tp_compare(struct tp_difference *difference, struct tp_npy heads[2], const struct tp_array_pair *pair,
               const struct tp_tolerance *tolerance, bool *is_new, struct tp_error *err)
{
    struct comparison *c = calloc(1, sizeof *c);
    *difference = (struct tp_difference){.max_abs = NAN,
                                         .max_rel = NAN,
                                         .rmse = NAN,
                                         .cosine = NAN,
                                         .base_at_worst = NAN,
                                         .new_at_worst = NAN,
                                         .worst = UINT64_MAX,
                                         .first_mismatch = UINT64_MAX};
    heads[0] = heads[1] = (struct tp_npy){0};
    if (!c)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    c->base_scale = c->new_scale = c->difference_scale = 1;
    int code = compare_opened_arrays(c, difference, pair, tolerance, is_new, err);
    heads[0] = c->base;
    heads[1] = c->new;
    close_arrays(c);
    free(c);
    return code;
}
