/* Two arrays of one shape, element by element: how far NEW is from BASE.
 *
 * x is an element of NEW, y of BASE, both as doubles; pairs of 64-bit integers are subtracted exactly. A pair is finite
 * when both are. Pairs agree when both are NaN, both the same infinity, or both finite with
 * |x - y| <= atol + rtol |y| (numpy.isclose with equal_nan). */
#ifndef TP_WEBREPORT_COMPARE_TENSORS_ARRAY_COMPARE_H
#define TP_WEBREPORT_COMPARE_TENSORS_ARRAY_COMPARE_H

#include "webreport/trace/array.h"

struct tp_tolerance {
    double rtol, atol;
};

/* `wanted`, where a NaN in it stands for the larger of both types' own: torch.testing.assert_close's. */
struct tp_tolerance tp_tolerance_between(const struct tp_tolerance *wanted, enum tp_npy_type base,
                                         enum tp_npy_type new);

struct tp_difference {
    uint64_t count, finite_count, mismatch_count;
    uint64_t base_nan_count, new_nan_count, base_inf_count, new_inf_count;
    double max_abs; /* max |x - y| of the finite pairs; NaN without any */
    double max_rel; /* max |x - y| / |y| of the finite pairs with y != 0; NaN without any */
    double rmse;    /* sqrt(sum (x - y)^2 / finite pairs) */
    double cosine;  /* sum x y / sqrt(sum x^2 sum y^2) of the finite pairs; NaN when either is 0 */
    uint64_t worst; /* place of the first pair with max_abs, in the order of C; UINT64_MAX: none */
    double base_at_worst, new_at_worst;
    uint64_t first_mismatch; /* likewise; the lowest place in the order of C when the files were read in it */
};

/* What is compared: the types may be set by the caller (bfloat16). */
struct tp_array_pair {
    struct tp_array_place base, new;
    bool base_is_bfloat16, new_is_bfloat16; /* elements of two bytes are its bits */
};

/* Compares them in bounded memory, reading each once (twice when squares would leave the range of doubles). tolerance:
 * a NaN in it stands for the larger of both types' own. heads: receives that of base, then that of new. Returns 0;
 * TP_EUSAGE when the shapes differ, both heads being filled in; what tp_array_open and tp_array_read return, *is_new
 * telling whose fault.
 */
int tp_compare(struct tp_difference *difference, struct tp_npy heads[2], const struct tp_array_pair *pair,
               const struct tp_tolerance *tolerance, bool *is_new, struct tp_error *err);

#endif
