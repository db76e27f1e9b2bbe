/* Compares two arrays of one shape, element by element.
 *
 * x is an element of NEW, y of BASE, both converted to double. Pairs of 64-bit integers are subtracted exactly. A pair
 * is finite if both elements are finite. A pair agrees if both elements are NaN, or both are the same infinity, or both
 * are finite and |x - y| <= atol + rtol |y| (numpy.isclose with equal_nan). */
#ifndef TP_WEBREPORT_COMPARE_TENSORS_ARRAY_COMPARE_H
#define TP_WEBREPORT_COMPARE_TENSORS_ARRAY_COMPARE_H

#include "webreport/trace/arrays/array.h"

struct tp_tolerance {
    double rtol, atol;
};

/* Returns `wanted`, with each NaN replaced by the larger default of the two types, as in torch.testing.assert_close. */
struct tp_tolerance tp_tolerance_between(const struct tp_tolerance *wanted, enum tp_npy_type base,
                                         enum tp_npy_type new);

struct tp_difference {
    uint64_t count, finite_count, mismatch_count;
    uint64_t base_nan_count, new_nan_count, base_inf_count, new_inf_count;
    double max_abs; /* largest |x - y| of the finite pairs; NaN without a finite pair */
    double max_rel; /* largest |x - y| / |y| of the finite pairs with y != 0; NaN without such a pair */
    double rmse;    /* sqrt(sum of (x - y)^2 over the finite pairs / number of finite pairs) */
    double cosine;  /* sum x y / sqrt(sum x^2 sum y^2) of the finite pairs; NaN if a sum of squares is 0 */
    uint64_t worst; /* index in C order of the first pair with the difference max_abs, or UINT64_MAX */
    double base_at_worst, new_at_worst;
    /* index in C order of the mismatch that was read first, or UINT64_MAX; for files in C order, the lowest index of
     * a mismatch */
    uint64_t first_mismatch;
};

/* The arrays to compare, and whether their elements are bfloat16, which the caller sets. */
struct tp_array_pair {
    struct tp_array_place base, new;
    bool base_is_bfloat16, new_is_bfloat16; /* true: elements of two bytes are the bits of bfloat16 values */
};

/* Compares both arrays in bounded memory. Reads each array once, or twice if squares would leave the range of doubles.
 * tolerance: NaN selects the larger default of both types. heads: receives the headers of base and new. Returns 0, or
 * TP_EUSAGE if the shapes differ; `heads` is filled in both cases. Otherwise returns the error of tp_array_open or
 * tp_array_read, and sets *is_new if NEW caused the error. */
int tp_compare(struct tp_difference *difference, struct tp_npy heads[2], const struct tp_array_pair *pair,
               const struct tp_tolerance *tolerance, bool *is_new, struct tp_error *err);

#endif
